//! What can be wrong with the folder itself, and what to do about it.
//!
//! It looks at names only; no note is opened.

use std::path::{Path, PathBuf};

use super::Fault;
use super::report::{amounts, example, extension_name};
use crate::cli::Options;
use crate::notes::folder::{Dir, OpenError};
use crate::notes::nearest::nearest_word;
use crate::notes::rule::NotANote;
use crate::notes::survey::{Instead, Survey};
use crate::tools::wording::plural;

/// Extensions that are named at most when there is no note.
const MAX_EXTENSIONS: usize = 6;

/// Whether the folder can be opened.
pub(super) fn look(folder: &Path) -> Result<(), Fault> {
    let shown = folder.display();
    match Dir::open_root(folder) {
        Ok(_) => Ok(()),
        Err(OpenError::Unreadable(kind)) => Err(Fault::new(
            format!("the folder {shown} is there, but the system does not let this program open it ({kind})."),
            unreadable_remedy(),
        )),
        Err(_) if folder.is_file() => {
            let parent = folder.parent().unwrap_or(folder).display();
            Err(Fault::new(format!("{shown} is a file, not a folder."), format!("give the folder it is in: {parent}")))
        }
        Err(_) => Err(missing(folder)),
    }
}

fn unreadable_remedy() -> String {
    let general = "give the user who runs the client the right to read it";
    if cfg!(target_os = "macos") {
        format!(
            "{general}, and allow the client access to it in System Settings > Privacy & Security > Files and Folders."
        )
    } else if cfg!(windows) {
        format!("{general} (Properties > Security).")
    } else {
        format!("{general}, for example with chmod u+rx.")
    }
}

/// A folder that is not there: how far its path leads, and what stands there with a name like the missing one.
fn missing(folder: &Path) -> Fault {
    let reason = format!("there is no folder {}.", folder.display());
    let there = folder.ancestors().skip(1).find(|parent| parent.is_dir());
    let Some((there, rest)) = there.and_then(|there| Some((there, folder.strip_prefix(there).ok()?))) else {
        return Fault::new(reason, "give the path of the folder with your notes.");
    };
    let wanted = rest.iter().next().unwrap_or_default().to_string_lossy().into_owned();
    let entries = std::fs::read_dir(there).into_iter().flatten().filter_map(Result::ok);
    let folders: Vec<String> = entries
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| !name.starts_with('.'))
        .collect();
    let remedy = match nearest_word(&wanted, folders.iter().map(String::as_str)) {
        Some(near) => format!("did you mean {}?", there.join(near).display()),
        None => format!(
            "make it, or give another path; {} is there, but it holds no folder with a name like {wanted}.",
            there.display()
        ),
    };
    Fault::new(reason, remedy)
}

/// Why there is no note, when there is none.
pub(super) fn without_notes(survey: &Survey, options: &Options) -> Option<Fault> {
    let instead = survey.instead.as_ref()?;
    let folder = options.notes_dir.display();
    let unusable: Vec<String> = survey
        .left_out
        .iter()
        .filter(|(reason, _)| reason.is_counted())
        .map(|(reason, (count, first))| format!("{count} ({}{})", reason.reason(), example(*count, first)))
        .collect();
    if !unusable.is_empty() {
        return Some(Fault::new(
            format!("no note in {folder} can be used. Left out: {}.", unusable.join(", ")),
            "see to the reasons above: rights to read for unreadable files, --max-file-size for large ones, --follow-links \
             for links that stay inside the folder; a binary file holds no text.",
        ));
    }
    if let Some((reason, (count, first))) = instead.out_of_sight.iter().max_by_key(|(_, (count, _))| *count) {
        return Some(out_of_sight(*reason, *count, first, options));
    }
    Some(none_at_all(instead, options))
}

fn out_of_sight(reason: NotANote, count: u64, first: &str, options: &Options) -> Fault {
    let folder = options.notes_dir.display();
    let (why, remedy) = match reason {
        NotANote::Excluded => {
            ("--exclude leaves out".to_owned(), "take back the --exclude that names them.".to_owned())
        }
        NotANote::NodeModules => (
            "they are in node_modules, which is left out:".to_owned(),
            "give the folder with your own notes.".to_owned(),
        ),
        _ => {
            let depth = first.split('/').position(|name| name.starts_with('.')).unwrap_or_default();
            let place = options.notes_dir.join(first.split('/').take(depth + 1).collect::<PathBuf>());
            let way = if place.is_dir() {
                format!("give the hidden folder itself as the notes folder ({}), or rename it.", place.display())
            } else {
                "rename them so that they do not begin with a dot.".to_owned()
            };
            ("names that begin with a dot are left out:".to_owned(), way)
        }
    };
    Fault::new(
        format!(
            "{folder} holds no note that a client would see; {why} {count} file{}{}.",
            plural(count),
            example(count, first)
        ),
        remedy,
    )
}

fn none_at_all(instead: &Instead, options: &Options) -> Fault {
    let folder = options.notes_dir.display();
    let wanted = options.extensions.iter().map(|extension| format!(".{extension}")).collect::<Vec<_>>().join(", ");
    if instead.other_extensions.is_empty() {
        return Fault::new(
            format!("{folder} holds no file at all."),
            format!("put notes into it (files ending in {wanted}), or give another folder."),
        );
    }
    let mut others: Vec<(u64, String)> =
        instead.other_extensions.iter().map(|(extension, count)| (*count, extension_name(extension))).collect();
    others.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    Fault::new(
        format!("{folder} holds no file ending in {wanted}; it holds {}.", amounts(&others, MAX_EXTENSIONS)),
        "give another folder, or say with --ext which of these are notes in plain text, for example --ext md,rst.",
    )
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_missing_folder_is_answered_with_the_nearest_one() {
        let base = tempfile::tempdir().unwrap();
        fs::create_dir(base.path().join("Notes")).unwrap();
        let fault = look(&base.path().join("ntoes").join("work")).unwrap_err();
        assert!(fault.reason.contains("there is no folder"), "{fault:?}");
        assert_eq!(fault.remedy, format!("did you mean {}?", base.path().join("Notes").display()));
        let fault = look(&base.path().join("日记")).unwrap_err();
        assert!(fault.remedy.contains("no folder with a name like 日记"), "{fault:?}");
    }

    #[test]
    fn a_file_is_no_folder() {
        let base = tempfile::tempdir().unwrap();
        let file = base.path().join("a.md");
        fs::write(&file, "x").unwrap();
        let fault = look(&file).unwrap_err();
        assert!(fault.reason.ends_with("a.md is a file, not a folder."), "{fault:?}");
        assert!(fault.remedy.ends_with(&base.path().display().to_string()), "{fault:?}");
        assert_eq!(look(base.path()), Ok(()));
    }
}
