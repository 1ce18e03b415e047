//! A place below the notes folder, checked before it touches the disk: no part of it climbs, none is absolute.
//!
//! This is about the text of a path alone. Whether anything stands there, and whether it is a note, is asked elsewhere.

use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::fold::fold;

/// A relative path that cannot climb: every part is a plain name. The empty path is the notes folder itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NotePath(PathBuf);

/// The path leads out of the notes folder, or is absolute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outside;

impl NotePath {
    /// The notes folder itself.
    pub fn root() -> Self {
        Self::default()
    }

    /// Reads a path with `/` between its parts, as the answers show it. `.` and `..` are resolved as text; a `..` that
    /// climbs above the notes folder, even for a moment, and an absolute path are [`Outside`].
    pub fn parse(text: &str) -> Result<Self, Outside> {
        if text.starts_with('/') || (cfg!(windows) && text.contains([':', '\\'])) {
            return Err(Outside);
        }
        let mut path = PathBuf::new();
        for part in text.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    if !path.pop() {
                        return Err(Outside);
                    }
                }
                name => path.push(name),
            }
        }
        Ok(Self(path))
    }

    /// From a path that is known to be made of plain names, such as one the walk found.
    pub fn from_names(path: &Path) -> Result<Self, Outside> {
        let plain = path.components().all(|part| matches!(part, std::path::Component::Normal(_)));
        if plain { Ok(Self(path.to_owned())) } else { Err(Outside) }
    }

    /// The path of a name in this folder. The name is one that a directory listing gave.
    #[must_use]
    pub fn join(&self, name: &OsStr) -> Self {
        Self(self.0.join(name))
    }

    /// The same path with text added to its last name.
    #[must_use]
    pub fn with_suffix(&self, suffix: &str) -> Self {
        let mut path = OsString::from(&self.0);
        path.push(suffix);
        Self(PathBuf::from(path))
    }

    /// Its parts, outermost first.
    pub fn names(&self) -> impl Iterator<Item = &OsStr> {
        self.0.iter()
    }

    /// Whether it is the notes folder itself.
    pub fn is_root(&self) -> bool {
        self.0.as_os_str().is_empty()
    }

    /// The last name, and the folder it stands in; `None` for the notes folder itself.
    pub fn split_last(&self) -> Option<(Self, &OsStr)> {
        Some((Self(self.0.parent()?.to_owned()), self.0.file_name()?))
    }

    /// For functions of the standard library, relative to the notes folder.
    pub fn as_path(&self) -> &Path {
        &self.0
    }

    /// As answers show it: `/` between parts, control characters as pictures, bytes that are no UTF-8 as `\\xFF`.
    pub fn shown(&self) -> String {
        let mut out = String::with_capacity(self.0.as_os_str().len());
        for name in self.names() {
            if !out.is_empty() {
                out.push('/');
            }
            out.push_str(&shown_name(name));
        }
        out
    }
}

/// A single name as answers show it.
pub fn shown_name(name: &OsStr) -> String {
    let mut out = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        let valid = chunk.valid();
        if valid.bytes().any(|byte| byte < b' ' || byte == 0x7F || byte == 0xC2) {
            out += &super::text::shown(valid).replace('\t', "\u{2409}").replace('\n', "\u{240a}");
        } else {
            out += valid;
        }
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02X}");
        }
    }
    out
}

/// A shown path without its last extension: what of a path is searched.
pub fn without_extension(shown: &str) -> &str {
    let name_at = shown.rfind('/').map_or(0, |at| at + 1);
    match shown[name_at..].rfind('.') {
        Some(dot) if dot + 1 < shown.len() - name_at => &shown[..name_at + dot],
        _ => shown,
    }
}

/// The last name of a shown path.
pub fn last_name(shown: &str) -> &str {
    &shown[shown.rfind('/').map_or(0, |at| at + 1)..]
}

/// Whether a path that was not found looks like a place outside: a drive, a network share, a home folder, a URL.
pub fn looks_absolute(text: &str) -> bool {
    let text = text.trim();
    let bytes = text.as_bytes();
    let is_drive = bytes.len() >= 2
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && bytes.get(2).is_none_or(|byte| matches!(byte, b'/' | b'\\'));
    let is_home = text == "~" || text.starts_with("~/") || text.starts_with("~\\");
    is_drive || is_home || text.starts_with(['/', '\\']) || fold(text).starts_with("file:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_climbs_is_outside() {
        for text in ["..", "../x.md", "a/../../x.md", "/etc/passwd", "a/./../..//x", "/"] {
            assert_eq!(NotePath::parse(text), Err(Outside), "{text}");
        }
        for (text, shown) in
            [("./a//b.md", "a/b.md"), ("a/../b.md", "b.md"), ("sub/", "sub"), (".", ""), ("a\\b.md", "a\\b.md")]
        {
            assert_eq!(NotePath::parse(text).map(|path| path.shown()), Ok(shown.to_owned()), "{text}");
        }
    }

    #[test]
    fn control_characters_in_names_are_pictures() {
        assert_eq!(shown_name(OsStr::new("a\nb\u{1b}\tc.md")), "a␊b␛␉c.md");
    }

    #[test]
    fn only_the_last_extension_goes() {
        for (path, bare) in [("a/b.v2.md", "a/b.v2"), ("a.b/c", "a.b/c"), ("x.", "x."), ("note.md.md", "note.md")] {
            assert_eq!(without_extension(path), bare);
        }
    }
}
