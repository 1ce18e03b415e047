//! From what a model calls a note to the note: exact path, without extension, folded path, bare name, and only then with
//! wiki brackets, alias, `:12` and `#…` taken off.
//!
//! Exact paths are opened without a walk; the rest needs the list of all notes. Nothing is read here.

use std::ffi::OsStr;
use std::sync::{Mutex, PoisonError};

use super::fold::fold;
use super::folder::{Kind, OpenError};
use super::nearest::{Nearest, Wanted, distinct};
use super::path::{NotePath, last_name, looks_absolute, without_extension};
use super::root::{Candidate, OpenFolder, Root};
use super::rule::NotANote;
use super::walk::{Area, Limits, Visitor, walk};
use super::{NoteError, Notes};

/// Near names that are suggested at most.
const MAX_NEAREST: usize = 5;

/// What a name says beside the note: `Note.md:12`, `Note#L10-L20`, `Note#Heading`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Suffix {
    /// The first line that is meant, and the last if one is named.
    pub lines: Option<(u64, Option<u64>)>,
    /// The section that is meant.
    pub section: Option<String>,
}

/// What stands at an exact path.
enum Standing {
    Note,
    Folder,
    NotANote(NotANote),
    Nothing,
}

/// A note in the list of all notes.
struct Listed {
    path: NotePath,
    shown: String,
    folded: String,
}

#[derive(Default)]
struct Listing(Mutex<Vec<Listed>>);

impl Visitor for Listing {
    fn folder(&self, folder: &OpenFolder, names: &[Candidate]) {
        let listed = names.iter().map(|file| {
            let path = folder.path.join(&file.name);
            let shown = path.shown();
            Listed { folded: fold(&shown), shown, path }
        });
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(listed);
    }

    fn files(&self, _folder: &OpenFolder, _files: &[Candidate], _report: &dyn Fn(NotANote, &OsStr)) {}
}

impl Notes {
    /// The path of the note that a name means, and what else the name says.
    pub(super) fn resolve(&self, root: &Root, name: &str, limits: &Limits) -> Result<(NotePath, Suffix), NoteError> {
        let mut listing = None;
        let (mut is_outside, mut folder, mut excluded) = (false, None, None);
        for (name, suffix) in forms(name) {
            let Ok(path) = NotePath::parse(&name) else {
                is_outside = true;
                continue;
            };
            match self.standing(root, &path) {
                Standing::Note => return Ok((path, suffix)),
                Standing::NotANote(reason) => {
                    return Err(NoteError::NotANote { path: path.shown(), reason });
                }
                Standing::Folder => folder = folder.or(Some(path.clone())),
                Standing::Nothing => {}
            }
            if let Some(found) = self.with_extension(root, &path, &mut excluded)? {
                return Ok((found, suffix));
            }
            if path.is_root() {
                continue;
            }
            let listing: &Vec<Listed> = match &listing {
                Some(listing) => listing,
                None => listing.insert(self.list(root, &NotePath::root(), limits)?),
            };
            if let Some(found) = unique(by_name(listing, &path.shown()))? {
                return Ok((found, suffix));
            }
        }
        if is_outside || looks_absolute(name) {
            return Err(NoteError::Outside);
        }
        if let Some(folder) = folder {
            return Err(self.folder_error(root, &folder, limits)?);
        }
        if let Some(excluded) = excluded {
            return Err(excluded);
        }
        let listing = match listing {
            Some(listing) => listing,
            None => self.list(root, &NotePath::root(), limits)?,
        };
        Err(NoteError::NoSuchNote { nearest: self.nearest_notes(name, &listing) })
    }

    /// The area that `path` of a search means: a folder, or one note; in other case or composition if that is unique.
    pub(super) fn area(&self, root: &Root, text: &str, limits: &Limits) -> Result<Area, NoteError> {
        let mut is_outside = false;
        let plain = [text.to_owned(), trimmed(text).to_owned(), trimmed(text).replace('\\', "/")];
        for text in &plain {
            let Ok(path) = NotePath::parse(text) else {
                is_outside = true;
                continue;
            };
            if path.is_root() {
                return Ok(Area::Folder(path));
            }
            match self.standing(root, &path) {
                Standing::Note => return Ok(Area::Note(path)),
                Standing::NotANote(reason) => return Err(NoteError::NotANote { path: path.shown(), reason }),
                Standing::Folder => {
                    return match self.rule.by_path(&path, true) {
                        Some(reason) => Err(NoteError::NotANote { path: path.shown(), reason }),
                        None => Ok(Area::Folder(path)),
                    };
                }
                Standing::Nothing => {}
            }
        }
        if is_outside || looks_absolute(text) {
            return Err(NoteError::Outside);
        }
        let listing = self.list(root, &NotePath::root(), limits)?;
        let folders = folders_of(&listing);
        for text in &plain {
            let Ok(wanted) = NotePath::parse(text) else { continue };
            let shown = wanted.shown();
            let folded = fold(&shown);
            let mut places: Vec<Area> = Vec::new();
            for tier in [
                |one: &Listed, shown: &str, _: &str| one.shown == shown,
                |one: &Listed, _: &str, folded: &str| one.folded == folded,
            ] {
                let fits = |one: &&Listed| tier(one, &shown, &folded);
                places.extend(folders.iter().filter(fits).map(|folder| Area::Folder(folder.path.clone())));
                places.extend(listing.iter().filter(fits).map(|note| Area::Note(note.path.clone())));
                if !places.is_empty() {
                    break;
                }
            }
            if places.len() == 1 {
                return Ok(places.remove(0));
            }
            if !places.is_empty() {
                let shown = places.iter().map(|place| match place {
                    Area::Folder(path) | Area::Note(path) => path.shown(),
                });
                return Err(NoteError::Ambiguous { candidates: distinct(shown) });
            }
        }
        let wanted = Wanted::new(trimmed(text));
        let last = Wanted::new(last_name(without_extension(trimmed(text))));
        let mut nearest = Nearest::new(MAX_NEAREST);
        for place in folders.iter().chain(&listing) {
            nearest.consider_path(&wanted, &place.folded, &place.shown);
            nearest.consider_path(&last, last_name(&place.folded), &place.shown);
        }
        let paths = nearest.paths();
        // What stands in a folder that is suggested itself is no suggestion of its own.
        let is_inside = |path: &str| {
            paths.iter().any(|other| path.strip_prefix(other.as_str()).is_some_and(|rest| rest.starts_with('/')))
        };
        Err(NoteError::NoSuchPlace { nearest: paths.iter().filter(|path| !is_inside(path)).cloned().collect() })
    }

    fn standing(&self, root: &Root, path: &NotePath) -> Standing {
        let Some((parent, name)) = path.split_last() else { return Standing::Folder };
        let folder = match root.folder(&self.rule, &parent) {
            Ok(folder) => folder,
            Err(OpenError::Link) => return Standing::NotANote(NotANote::Link),
            Err(OpenError::Unreadable(_)) => return Standing::NotANote(NotANote::Unreadable),
            Err(OpenError::Missing | OpenError::NotAFolder | OpenError::IsAFolder) => return Standing::Nothing,
        };
        let kind = match folder.dir.stat(name) {
            Ok(stamp) => stamp.kind,
            Err(OpenError::Unreadable(_)) => return Standing::NotANote(NotANote::Unreadable),
            Err(_) => return Standing::Nothing,
        };
        match kind {
            Kind::Folder => Standing::Folder,
            Kind::Link if root.folder(&self.rule, path).is_ok() => Standing::Folder,
            Kind::Link if root.file(&self.rule, &folder, name).is_err() => Standing::NotANote(NotANote::Link),
            Kind::Other => Standing::NotANote(NotANote::NotRegular),
            Kind::File | Kind::Link => self.rule.by_path(path, false).map_or(Standing::Note, Standing::NotANote),
        }
    }

    /// The one note that has the path when an extension is added.
    fn with_extension(
        &self,
        root: &Root,
        path: &NotePath,
        excluded: &mut Option<NoteError>,
    ) -> Result<Option<NotePath>, NoteError> {
        if path.is_root() {
            return Ok(None);
        }
        let mut found = Vec::new();
        for extension in self.rule.extensions() {
            let path = path.with_suffix(&format!(".{extension}"));
            match self.standing(root, &path) {
                Standing::Note => found.push(path),
                Standing::NotANote(reason) if excluded.is_none() => {
                    *excluded = Some(NoteError::NotANote { path: path.shown(), reason });
                }
                _ => {}
            }
        }
        unique(found)
    }

    fn list(&self, root: &Root, folder: &NotePath, limits: &Limits) -> Result<Vec<Listed>, NoteError> {
        let listing = Listing::default();
        walk(self.pool()?, root, &self.rule, &self.cache, &Area::Folder(folder.clone()), limits, &listing)?;
        let mut listing = listing.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        listing.sort_by(|one, other| one.shown.cmp(&other.shown));
        Ok(listing)
    }

    fn folder_error(&self, root: &Root, folder: &NotePath, limits: &Limits) -> Result<NoteError, NoteError> {
        if let Some(reason) = self.rule.by_path(folder, true) {
            return Ok(NoteError::NotANote { path: folder.shown(), reason });
        }
        let listing = Listing::default();
        let left_out =
            walk(self.pool()?, root, &self.rule, &self.cache, &Area::Folder(folder.clone()), limits, &listing)?;
        let mut listing = listing.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        if listing.is_empty() && left_out.contains_key(&NotANote::Unreadable) {
            return Ok(NoteError::NotANote { path: folder.shown(), reason: NotANote::Unreadable });
        }
        listing.sort_by(|one, other| one.shown.cmp(&other.shown));
        listing.sort_by_key(|note| note.path.names().count());
        let notes = listing.iter().take(MAX_NEAREST).map(|note| note.shown.clone()).collect();
        Ok(NoteError::IsAFolder { path: folder.shown(), notes, total: listing.len() })
    }

    fn nearest_notes(&self, name: &str, listing: &[Listed]) -> Vec<String> {
        let bare = forms(name).pop().map_or_else(String::new, |(name, _)| name);
        let bare = without_extension(&bare);
        let wanted = Wanted::new(bare);
        // The right name in the wrong folder is a common slip.
        let last = Wanted::new(last_name(bare));
        let mut nearest = Nearest::new(MAX_NEAREST);
        for note in listing {
            nearest.consider_path(&wanted, &note.folded, &note.shown);
            nearest.consider_path(&last, last_name(&note.folded), &note.shown);
        }
        for (folder, records) in self.cache.folders() {
            records.each(|name, record| {
                let path = NotePath::from_names(&folder.join(name)).map(|path| path.shown());
                if let (Some(facts), Ok(path)) = (&record.facts, path)
                    && listing.binary_search_by(|note| note.shown.cmp(&path)).is_ok()
                {
                    nearest.consider(&wanted, facts, || path);
                }
            });
        }
        nearest.paths()
    }
}

fn unique(mut found: Vec<NotePath>) -> Result<Option<NotePath>, NoteError> {
    if found.len() > 1 {
        return Err(NoteError::Ambiguous { candidates: distinct(found.iter().map(NotePath::shown)) });
    }
    Ok(found.pop())
}

/// The notes a name means, by the first way that finds any: as shown, folded, without extension, as a bare name.
fn by_name(listing: &[Listed], name: &str) -> Vec<NotePath> {
    let folded = fold(name);
    let is_bare = !name.contains('/');
    let ways: [&dyn Fn(&Listed) -> bool; 7] = [
        &|note| note.shown == name,
        &|note| note.folded == folded,
        &|note| without_extension(&note.folded) == folded,
        &|note| is_bare && last_name(&note.shown) == name,
        &|note| is_bare && last_name(without_extension(&note.shown)) == name,
        &|note| is_bare && last_name(&note.folded) == folded,
        &|note| is_bare && last_name(without_extension(&note.folded)) == folded,
    ];
    for way in ways {
        let found: Vec<NotePath> = listing.iter().filter(|note| way(note)).map(|note| note.path.clone()).collect();
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

/// Every folder that has notes in it or below.
fn folders_of(listing: &[Listed]) -> Vec<Listed> {
    let mut folders = std::collections::BTreeMap::new();
    for note in listing {
        let mut above = note.path.split_last().map(|(parent, _)| parent);
        while let Some(folder) = above.filter(|folder| !folder.is_root()) {
            above = folder.split_last().map(|(parent, _)| parent);
            let shown = folder.shown();
            if folders.contains_key(&shown) {
                break;
            }
            folders.insert(shown.clone(), Listed { folded: fold(&shown), shown, path: folder });
        }
    }
    folders.into_values().collect()
}

/// Without blanks at its ends, U+3000 and zero-width ones included.
pub fn trimmed(text: &str) -> &str {
    text.trim_matches(|char: char| {
        char.is_whitespace() || matches!(char, '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}')
    })
}

/// What a name may stand for, in the order in which it is tried.
fn forms(name: &str) -> Vec<(String, Suffix)> {
    let mut forms: Vec<(String, Suffix)> = Vec::new();
    let mut add = |name: &str, suffix: Suffix| {
        if !trimmed(name).is_empty() && forms.iter().all(|(known, _)| known != name) {
            forms.push((name.to_owned(), suffix));
        }
    };
    add(name, Suffix::default());
    let name = trimmed(name);
    add(name, Suffix::default());
    add(&name.replace('\\', "/"), Suffix::default());
    let link = name.trim_start_matches('!');
    let bare = link.strip_prefix("[[").and_then(|inner| inner.strip_suffix("]]")).unwrap_or(name);
    let bare = bare.split('|').next().unwrap_or(bare).trim_end_matches('\\').trim();
    add(bare, Suffix::default());
    if let Some((name, lines)) = with_line_number(bare) {
        add(name, Suffix { lines: Some(lines), section: None });
    }
    for (at, _) in bare.rmatch_indices('#') {
        let (name, fragment) = (bare[..at].trim(), bare[at + 1..].trim());
        let lines = line_fragment(fragment);
        let is_section = lines.is_none() && !fragment.is_empty() && !fragment.starts_with('^');
        add(name, Suffix { lines, section: is_section.then(|| fragment.to_owned()) });
    }
    forms
}

/// `Note.md:120`, `Note.md:120-130`, `Note.md:120:5`.
fn with_line_number(name: &str) -> Option<(&str, (u64, Option<u64>))> {
    let (before, last) = name.rsplit_once(':')?;
    if let Some((name, line)) = before.rsplit_once(':')
        && let (Ok(line), Ok(_column)) = (line.parse(), last.parse::<u64>())
    {
        return Some((name, (line, None)));
    }
    let (first, end) = last.split_once('-').map_or((last, None), |(first, end)| (first, Some(end)));
    let end = match end {
        Some(end) => Some(end.parse().ok()?),
        None => None,
    };
    Some((before, (first.parse().ok()?, end)))
}

/// `L10`, `L10-L20`, `L10-20`.
fn line_fragment(fragment: &str) -> Option<(u64, Option<u64>)> {
    let number = |text: &str| text.trim_start_matches(['L', 'l']).parse().ok();
    let lines = fragment.strip_prefix(['L', 'l'])?;
    match lines.split_once('-') {
        Some((first, last)) => Some((number(first)?, Some(number(last)?))),
        None => Some((number(lines)?, None)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last(name: &str) -> (String, Suffix) {
        forms(name).pop().expect("at least the name itself")
    }

    #[test]
    fn names_say_lines_and_sections() {
        for (name, note, lines, section) in [
            ("n.md:120", "n.md", Some((120, None)), None),
            ("n.md:120-130", "n.md", Some((120, Some(130))), None),
            ("n.md:120:5", "n.md", Some((120, None)), None),
            ("a/n.md#L10-L20", "a/n.md", Some((10, Some(20))), None),
            ("[[Road Map#Goals|the plan]]", "Road Map", None, Some("Goals")),
            ("![[x]]", "x", None, None),
            (" [[a\\|b]] ", "a", None, None),
        ] {
            let (found, suffix) = last(name);
            assert_eq!((found.as_str(), suffix.lines, suffix.section.as_deref()), (note, lines, section), "{name}");
        }
    }

    #[test]
    fn the_name_as_given_is_tried_first() {
        assert_eq!(forms(" C# notes#x ")[0].0, " C# notes#x ");
        let names: Vec<String> = forms("C# notes#x").into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["C# notes#x", "C# notes", "C"]);
    }
}
