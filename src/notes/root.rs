//! The opened notes folder, and the folders and files in it: by their paths, through links only where the rule allows it.
//!
//! Everything is opened from the handle of the notes folder, name by name; nothing is read here.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::NoteError;
use super::folder::{Dir, Kind, OpenError};
use super::path::NotePath;
use super::rule::Rule;

/// The opened notes folder.
#[derive(Debug)]
pub struct Root {
    /// Its handle.
    pub dir: Dir,
    /// Where it really is, links resolved.
    pub real: PathBuf,
}

impl Root {
    /// Opens the notes folder by its path on the machine.
    pub fn open(path: &Path) -> Result<Self, NoteError> {
        let dir = Dir::open_root(path).map_err(|error| match error {
            OpenError::Missing | OpenError::NotAFolder | OpenError::IsAFolder | OpenError::Link => NoteError::NoFolder,
            OpenError::Unreadable(_) => NoteError::FolderUnreadable,
        })?;
        let real = std::fs::canonicalize(path).map_err(|_| NoteError::NoFolder)?;
        // A folder that may be listed but not entered would look like one full of unreadable files.
        if let Err(OpenError::Unreadable(_)) = dir.stat(OsStr::new(".")) {
            return Err(NoteError::FolderUnreadable);
        }
        Ok(Self { dir, real })
    }

    /// A folder below it, opened; through a link only where the rule follows it, and through no second one: what stands
    /// behind that is reached by its own path, and loops end.
    pub fn folder(&self, rule: &Rule, path: &NotePath) -> Result<OpenFolder, OpenError> {
        match self.dir.descend(path) {
            Ok(dir) => {
                Ok(OpenFolder { dir, path: path.clone(), real: self.real.join(path.as_path()), is_linked: false })
            }
            Err(OpenError::Link) => {
                let (link, rest) = self.first_link(path).ok_or(OpenError::Link)?;
                let (target, real) = self.target(rule, &link).ok_or(OpenError::Link)?;
                let is_loop = self.real.join(link.as_path()).starts_with(&real);
                let whole = rest.iter().fold(target, |path, name| path.join(name));
                if is_loop || rule.by_path(&whole, true).is_some() {
                    return Err(OpenError::Link);
                }
                let real = rest.iter().fold(real, |path, name| path.join(name));
                Ok(OpenFolder { dir: self.dir.descend(&whole)?, path: path.clone(), real, is_linked: true })
            }
            Err(error) => Err(error),
        }
    }

    /// The first part of a path that is a link, and the names after it.
    fn first_link(&self, path: &NotePath) -> Option<(NotePath, Vec<OsString>)> {
        let mut link = NotePath::root();
        let mut names = path.names();
        while let Some(name) = names.next() {
            let dir = self.dir.descend(&link).ok()?;
            link = link.join(name);
            if dir.stat(name).ok()?.kind == Kind::Link {
                return Some((link, names.map(OsStr::to_owned).collect()));
            }
        }
        None
    }

    /// A file in one of its folders; a link is followed only where the rule does.
    pub fn file(&self, rule: &Rule, folder: &OpenFolder, name: &OsStr) -> Result<Candidate, OpenError> {
        match folder.dir.stat(name)?.kind {
            Kind::Link if folder.is_linked => Err(OpenError::Link),
            Kind::Link => {
                let (target, _) = self.target(rule, &folder.path.join(name)).ok_or(OpenError::Link)?;
                let (parent, last) = target.split_last().ok_or(OpenError::Link)?;
                if rule.by_path(&target, false).is_some() {
                    return Err(OpenError::Link);
                }
                let place = (self.dir.descend(&parent)?, last.to_owned());
                Ok(Candidate { name: name.into(), target: Some(place) })
            }
            _ => Ok(Candidate::named(name)),
        }
    }

    /// Where a path with a link in it leads: below the notes folder, and on the machine. `None` when links are not
    /// followed, and when it dangles, loops or leaves.
    fn target(&self, rule: &Rule, path: &NotePath) -> Option<(NotePath, PathBuf)> {
        if !rule.follow_links {
            return None;
        }
        let real = std::fs::canonicalize(self.real.join(path.as_path())).ok()?;
        let target = NotePath::from_names(real.strip_prefix(&self.real).ok()?).ok()?;
        Some((target, real))
    }
}

/// A folder in the walk.
#[derive(Debug)]
pub struct OpenFolder {
    /// Its handle.
    pub dir: Dir,
    /// Where answers say it is.
    pub path: NotePath,
    /// Where it really is on the machine.
    pub real: PathBuf,
    /// Whether a link was followed to come here.
    pub is_linked: bool,
}

/// A file that may be a note: a regular file by name and kind, unread.
#[derive(Debug)]
pub struct Candidate {
    /// Its name in its folder.
    pub name: Arc<OsStr>,
    /// Where a followed link leads.
    pub target: Option<(Dir, OsString)>,
}

impl Candidate {
    /// A file that stands in its folder itself.
    pub fn named(name: &OsStr) -> Self {
        Self { name: name.into(), target: None }
    }

    /// The folder handle and the name through which it is opened.
    pub fn place<'a>(&'a self, folder: &'a OpenFolder) -> (&'a Dir, &'a OsStr) {
        match &self.target {
            Some((dir, name)) => (dir, name),
            None => (&folder.dir, &self.name),
        }
    }
}
