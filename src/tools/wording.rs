//! What the folder says no to, in words for a model: what is wrong, the correct form, the next step.
//!
//! Every [`NoteError`] is decided here, with no arm for the rest: a new one stops the build until someone decides who may
//! read it.

use serde_json::Value;

use super::ToolError;
use super::problem::{cut, quoted};
use crate::notes::rule::NotANote;
use crate::notes::{NoteError, Notes};

/// The longest name or path in a list, in characters.
const MAX_LISTED_CHARACTERS: usize = 300;

/// The most names in a list.
const MAX_LISTED: usize = 8;

/// The failure of a call in which `argument` named a note or folder as `name`.
pub fn words(error: NoteError, argument: &str, name: &str, notes: &Notes) -> ToolError {
    let name = quoted(name);
    ToolError::ForModel(match error {
        NoteError::Unforeseen(error) => return ToolError::Internal(error),
        NoteError::Cancelled => return ToolError::Cancelled,
        NoteError::NoFolder => {
            "the notes folder is not there: it was moved, renamed or never made. Nothing can be searched \
             or read until it is back; tell the user to check the folder that this server was started with"
                .to_owned()
        }
        NoteError::FolderUnreadable => {
            "the notes folder cannot be opened: the system refuses access. Tell the user to check \
             the permissions of the folder that this server was started with"
                .to_owned()
        }
        NoteError::Outside => format!(
            "{argument} {name} leads out of the notes folder. Only what is in the folder can be used: give a path relative to \
             it, such as the `file` of a search_notes hit"
        ),
        NoteError::NoSuchNote { nearest } if nearest.is_empty() => format!(
            "there is no note {name}, and none with a name near it. Find it by what it says: search_notes with a word from it, \
             or with {{\"keyword\":\"*\"}} for the newest notes"
        ),
        NoteError::NoSuchNote { nearest } => format!(
            "there is no note {name}. Nearest: {}. Call read_note with one of these, or look for it with search_notes",
            list(&nearest)
        ),
        NoteError::NoSuchPlace { nearest } if nearest.is_empty() => format!(
            "{argument} {name} is neither a folder nor a note, and nothing has a name near it. Leave {argument} out to search \
             all notes"
        ),
        NoteError::NoSuchPlace { nearest } => format!(
            "{argument} {name} is neither a folder nor a note. Nearest: {}. Use one of these, or leave {argument} out to search \
             all notes",
            list(&nearest)
        ),
        NoteError::Ambiguous { candidates } => format!(
            "{argument} {name} may mean {} places: {}. Give one of these full paths",
            candidates.len(),
            list(&candidates)
        ),
        NoteError::IsAFolder { path, notes: _, total: 0 } => format!(
            "{} is a folder, and there is no note in it. Give the path of a note, such as the `file` of a search_notes hit",
            place(&path)
        ),
        NoteError::IsAFolder { path, notes, total } => {
            let search = if path.is_empty() { String::new() } else { format!(",\"path\":{}", json(&path)) };
            format!(
                "{} is a folder, not a note. In it: {}. Read one of these, or list them with search_notes \
                 {{\"keyword\":\"*\"{search}}}",
                place(&path),
                listed(&notes, total)
            )
        }
        NoteError::NotANote { path, reason } => {
            format!("{} {}", json(&cut(&path, MAX_LISTED_CHARACTERS)), excluded(reason, notes))
        }
        NoteError::TimedOut { notes_done } => format!(
            "stopped by the time limit of {} seconds after {notes_done} notes. Narrow the search with path, or look for a plain \
             word instead of a regex",
            notes.settings().search_timeout.as_secs_f64()
        ),
    })
}

fn excluded(reason: NotANote, notes: &Notes) -> String {
    let extensions: Vec<String> = notes.extensions().iter().map(|extension| format!(".{extension}")).collect();
    match reason {
        NotANote::Hidden => {
            "is not a note: names that begin with a dot, and what is in such folders, are left out. Choose another note"
                .to_owned()
        }
        NotANote::NodeModules => "is not a note: what is in node_modules is left out. Choose another note".to_owned(),
        NotANote::Excluded => {
            "is not a note: the user excluded it when starting this server (--exclude). Choose another note".to_owned()
        }
        NotANote::Extension => format!(
            "is not a note: notes end in {}. Choose a note, such as the `file` of a search_notes hit",
            extensions.join(", ")
        ),
        NotANote::Link => {
            "is, or lies behind, a symbolic link, and this link is not followed. Read the note it stands for by its \
             own path in the notes folder, if it has one"
                .to_owned()
        }
        NotANote::NotRegular => {
            "is not a note but a pipe, socket or device, which is never opened. Choose another note".to_owned()
        }
        NotANote::Binary => {
            "is a binary file (there is a NUL byte near its beginning), so it has no text to show. Choose another \
             note"
                .to_owned()
        }
        NotANote::TooLarge => format!(
            "is too large: over {} bytes, the limit for notes (--max-file-size). Choose another note, or ask the user to raise the \
             limit",
            notes.settings().max_file_bytes
        ),
        NotANote::Unreadable => {
            "cannot be read: the system refuses access to it. Other notes can still be read; tell the user to \
             check its permissions"
                .to_owned()
        }
    }
}

fn place(path: &str) -> String {
    if path.is_empty() { "the notes folder itself".to_owned() } else { json(&cut(path, MAX_LISTED_CHARACTERS)) }
}

/// Names in quotation marks, as many as fit, with the count of the rest.
pub fn list(names: &[String]) -> String {
    listed(names, names.len())
}

fn listed(names: &[String], total: usize) -> String {
    let shown: Vec<String> =
        names.iter().take(MAX_LISTED).map(|name| json(&cut(name, MAX_LISTED_CHARACTERS))).collect();
    let rest = total - shown.len();
    let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    shown.join(", ") + &rest
}

/// A text as JSON.
pub fn json(text: &str) -> String {
    Value::from(text).to_string()
}

/// The `s` of a plural.
pub fn plural(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}
