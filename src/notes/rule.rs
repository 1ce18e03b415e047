//! What is a note: the one rule that searching and reading both obey.
//!
//! The rule by name is asked for every part of a path, the rule by kind and content for what stands at its end. Opening
//! and reading are done elsewhere.

use std::ffi::OsStr;
use std::path::Path;

use anyhow::Context;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::path::NotePath;

/// Why something in the notes folder is not a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NotANote {
    /// Its name, or that of a folder above it, begins with a dot.
    Hidden,
    /// It stands in `node_modules`.
    NodeModules,
    /// `--exclude` names it.
    Excluded,
    /// Its extension is none of those in force.
    Extension,
    /// A symbolic link (not followed, or not to be followed).
    Link,
    /// A pipe, a socket or a device.
    NotRegular,
    /// A NUL byte near its beginning.
    Binary,
    /// Over `--max-file-size`.
    TooLarge,
    /// The system refuses to open or read it.
    Unreadable,
}

impl NotANote {
    /// Whether answers count it: what is left out by design is not mentioned.
    pub fn is_counted(self) -> bool {
        !matches!(self, Self::Hidden | Self::NodeModules | Self::Excluded | Self::Extension)
    }

    /// The reason as `skipped` in an answer names it.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Hidden => "hidden",
            Self::NodeModules => "node_modules",
            Self::Excluded => "excluded",
            Self::Extension => "other extension",
            Self::Link => "symbolic link",
            Self::NotRegular => "not a regular file",
            Self::Binary => "binary",
            Self::TooLarge => "too large",
            Self::Unreadable => "unreadable",
        }
    }
}

/// The rule in force.
#[derive(Debug)]
pub struct Rule {
    extensions: Vec<String>,
    exclude: Option<Gitignore>,
    /// Larger files are not notes, in bytes.
    pub max_file_bytes: u64,
    /// Whether links whose target lies inside the folder are followed.
    pub follow_links: bool,
}

impl Rule {
    /// The rule for these extensions (without dot, any case) and gitignore patterns.
    ///
    /// # Errors
    /// A pattern that gitignore syntax does not allow.
    pub fn new(
        extensions: &[String],
        exclude: &[String],
        max_file_bytes: u64,
        follow_links: bool,
    ) -> anyhow::Result<Self> {
        let mut builder = GitignoreBuilder::new("");
        for glob in exclude {
            builder.add_line(None, glob).with_context(|| format!("--exclude `{glob}` is not a gitignore pattern"))?;
        }
        let exclude = if exclude.is_empty() { None } else { Some(builder.build().context("--exclude")?) };
        let extensions = extensions.iter().map(|extension| extension.to_lowercase()).collect();
        Ok(Self { extensions, exclude, max_file_bytes, follow_links })
    }

    /// The extensions in force, in lower case.
    pub fn extensions(&self) -> &[String] {
        &self.extensions
    }

    /// Whether a name in this folder says by itself that neither it nor anything below it is a note.
    pub fn by_name(&self, folder: &Path, name: &OsStr, is_folder: bool) -> Option<NotANote> {
        if name.as_encoded_bytes().first() == Some(&b'.') {
            return Some(NotANote::Hidden);
        }
        if name == "node_modules" {
            return Some(NotANote::NodeModules);
        }
        let is_excluded =
            self.exclude.as_ref().is_some_and(|exclude| exclude.matched(folder.join(name), is_folder).is_ignore());
        is_excluded.then_some(NotANote::Excluded)
    }

    /// Whether a name has one of the extensions in force.
    pub fn has_extension(&self, name: &OsStr) -> bool {
        let name = name.as_encoded_bytes();
        let Some(dot) = memchr::memrchr(b'.', name) else { return false };
        self.extensions.iter().any(|extension| name[dot + 1..].eq_ignore_ascii_case(extension.as_bytes()))
    }

    /// The rule by name for every folder above a path, and for the path itself as a file or folder.
    pub fn by_path(&self, path: &NotePath, is_folder: bool) -> Option<NotANote> {
        let mut above = std::path::PathBuf::new();
        let count = path.names().count();
        for (index, name) in path.names().enumerate() {
            let is_last = index + 1 == count;
            if let Some(reason) = self.by_name(&above, name, is_folder || !is_last) {
                return Some(reason);
            }
            if is_last && !is_folder && !self.has_extension(name) {
                return Some(NotANote::Extension);
            }
            above.push(name);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(exclude: &[&str]) -> Rule {
        let extensions = ["md", "txt"].map(str::to_owned);
        let exclude: Vec<String> = exclude.iter().map(|glob| (*glob).to_owned()).collect();
        Rule::new(&extensions, &exclude, 100, false).expect("the patterns are good")
    }

    fn verdict(rule: &Rule, path: &str) -> Option<NotANote> {
        rule.by_path(&NotePath::parse(path).expect("a path inside"), false)
    }

    #[test]
    fn names_decide_first() {
        let rule = rule(&["private/", "*.draft.md", "/archive/*", "!/archive/keep.md"]);
        for (path, reason) in [
            (".obsidian/x.md", Some(NotANote::Hidden)),
            ("a/node_modules/x.md", Some(NotANote::NodeModules)),
            ("deep/private/x.md", Some(NotANote::Excluded)),
            ("x.draft.md", Some(NotANote::Excluded)),
            ("archive/old.md", Some(NotANote::Excluded)),
            ("archive/keep.md", None),
            ("x.png", Some(NotANote::Extension)),
            ("noext", Some(NotANote::Extension)),
            ("G.TXT", None),
        ] {
            assert_eq!(verdict(&rule, path), reason, "{path}");
        }
    }
}
