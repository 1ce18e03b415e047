//! The walk over a notes folder: which files are candidates, on all cores, and what is left out and why.
//!
//! walkdir proposes the names of one folder at a time, again only when the folder has changed; everything is opened through
//! the folder's handle, so a name that leads elsewhere by then is not reached. The walk always finishes: what cannot be listed or opened is counted. It reads
//! no file.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use rayon::{Scope, ThreadPool};
use walkdir::WalkDir;

use super::cache::{Cache, is_settled};
use super::folder::OpenError;
use super::path::NotePath;
use super::reader::moment_now;
use super::root::{Candidate, OpenFolder, Root};
use super::rule::{NotANote, Rule};
use super::{NoteError, Watch};
use crate::panics::{PanicPlace, caught};

/// Files handed to a thread at once: enough to keep it busy, few enough that one huge folder is shared.
const BATCH_FILES: usize = 64;

/// What of the notes folder is walked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Area {
    /// A folder and everything below it; the root for all.
    Folder(NotePath),
    /// One note.
    Note(NotePath),
}

/// The names in one folder that matter, by what they are.
#[derive(Debug, Default)]
pub struct Listing {
    /// Regular files with a note's name.
    pub files: Vec<Arc<OsStr>>,
    /// Folders.
    pub folders: Vec<Arc<OsStr>>,
    /// Symbolic links; where they lead is looked up anew each time.
    pub links: Vec<Arc<OsStr>>,
    /// What has a note's name and is none.
    left_out: Vec<(NotANote, Arc<OsStr>)>,
    /// Whether every name could be read.
    is_whole: bool,
}

impl Listing {
    /// How much memory it takes, about.
    pub fn bytes(&self) -> usize {
        let names = self.files.iter().chain(&self.folders).chain(&self.links);
        names.map(|name| name.len() + 48).sum::<usize>() + size_of::<Self>()
    }
}

/// What was left out, by reason: how many, and the first of them by path.
pub type LeftOut = BTreeMap<NotANote, (u64, String)>;

/// Who is shown the files. Called on several threads.
pub trait Visitor: Sync {
    /// The names of all candidates of a folder, before they are shown.
    fn folder(&self, folder: &OpenFolder, names: &[Candidate]);

    /// Some candidates of a folder. Those that turn out not to be notes are reported.
    fn files(&self, folder: &OpenFolder, files: &[Candidate], report: &dyn Fn(NotANote, &OsStr));
}

/// When to stop.
#[derive(Debug)]
pub struct Limits<'a> {
    /// The caller's cancel flag and count.
    pub watch: &'a Watch,
    /// The end of the time allowed.
    pub deadline: Instant,
}

impl Limits<'_> {
    /// Whether the work must end, and as what.
    pub fn check(&self) -> Result<(), NoteError> {
        if self.watch.is_cancelled() {
            Err(NoteError::Cancelled)
        } else if Instant::now() > self.deadline {
            Err(NoteError::TimedOut { notes_done: self.watch.notes_done() })
        } else {
            Ok(())
        }
    }
}

struct Walk<'a, V> {
    root: &'a Root,
    rule: &'a Rule,
    cache: &'a Cache,
    limits: &'a Limits<'a>,
    visitor: &'a V,
    left_out: Mutex<LeftOut>,
    is_stopped: AtomicBool,
    panic: Mutex<Option<PanicPlace>>,
}

/// Walks an area and shows its candidates to a visitor.
///
/// # Errors
/// Cancelled, out of time, or a panic in the visitor.
pub fn walk<V: Visitor>(
    pool: &ThreadPool,
    root: &Root,
    rule: &Rule,
    cache: &Cache,
    area: &Area,
    limits: &Limits,
    visitor: &V,
) -> Result<LeftOut, NoteError> {
    let walk = Walk {
        root,
        rule,
        cache,
        limits,
        visitor,
        left_out: Mutex::default(),
        is_stopped: AtomicBool::new(false),
        panic: Mutex::default(),
    };
    match area {
        Area::Folder(path) => match root.folder(rule, path) {
            Ok(folder) => pool.scope(|scope| walk.guarded(|| walk.folder(scope, folder))),
            Err(error) => walk.not_opened(path, error),
        },
        Area::Note(path) => {
            if let Some((parent, name)) = path.split_last() {
                let opened =
                    root.folder(rule, &parent).and_then(|folder| Ok((root.file(rule, &folder, name)?, folder)));
                match opened {
                    Ok((file, folder)) => walk.guarded(|| walk.files(&folder, &[file])),
                    Err(error) => walk.not_opened(path, error),
                }
            }
        }
    }
    if let Some(place) = walk.panic.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(NoteError::Unforeseen(anyhow::Error::new(place)));
    }
    limits.check()?;
    Ok(walk.left_out.into_inner().unwrap_or_else(PoisonError::into_inner))
}

impl<V: Visitor> Walk<'_, V> {
    /// A panic ends the walk; its place is kept.
    fn guarded(&self, work: impl FnOnce()) {
        if let Err(place) = caught(work) {
            self.is_stopped.store(true, Ordering::Relaxed);
            *self.panic.lock().unwrap_or_else(PoisonError::into_inner) = Some(place);
        }
    }

    fn must_stop(&self) -> bool {
        if !self.is_stopped.load(Ordering::Relaxed) && self.limits.check().is_err() {
            self.is_stopped.store(true, Ordering::Relaxed);
        }
        self.is_stopped.load(Ordering::Relaxed)
    }

    fn leave_out(&self, reason: NotANote, path: &NotePath) {
        if !reason.is_counted() {
            return;
        }
        let shown = path.shown();
        let mut left_out = self.left_out.lock().unwrap_or_else(PoisonError::into_inner);
        let (count, example) = left_out.entry(reason).or_insert_with(|| (0, shown.clone()));
        *count += 1;
        if shown < *example {
            *example = shown;
        }
    }

    fn not_opened(&self, path: &NotePath, error: OpenError) {
        match error {
            OpenError::Link => self.leave_out(NotANote::Link, path),
            OpenError::Unreadable(_) => self.leave_out(NotANote::Unreadable, path),
            // It went away or was replaced since its name was read.
            OpenError::Missing | OpenError::NotAFolder | OpenError::IsAFolder => {}
        }
    }

    fn folder<'s>(&'s self, scope: &Scope<'s>, folder: OpenFolder) {
        if self.must_stop() {
            return;
        }
        let folder = Arc::new(folder);
        let records = self.cache.folder(folder.path.as_path(), 0);
        // Taken before the names are read, so that a change meanwhile is not missed next time.
        let stamp = folder.dir.stamp();
        let known = stamp.as_ref().ok().and_then(|stamp| records.listing(stamp));
        let listing = match known {
            Some(listing) => listing,
            None => match self.list(&folder) {
                Some(listing) => {
                    let listing = Arc::new(listing);
                    if let Ok(stamp) = stamp
                        && listing.is_whole
                        && is_settled(&stamp, moment_now())
                        && folder.dir.tells_changes()
                    {
                        records.keep_listing(stamp, Arc::clone(&listing), self.cache);
                    }
                    listing
                }
                None => return,
            },
        };
        for (reason, name) in &listing.left_out {
            self.leave_out(*reason, &folder.path.join(name));
        }
        for name in &listing.folders {
            self.spawn_subfolder(scope, &folder, name);
        }
        let mut files: Vec<Candidate> =
            listing.files.iter().map(|name| Candidate { name: Arc::clone(name), target: None }).collect();
        files.extend(listing.links.iter().filter_map(|name| self.link(scope, &folder, name)));
        self.visitor.folder(&folder, &files);
        while files.len() > BATCH_FILES {
            let batch = files.split_off(files.len() - BATCH_FILES);
            let folder = Arc::clone(&folder);
            scope.spawn(move |_| self.guarded(|| self.files(&folder, &batch)));
        }
        self.files(&folder, &files);
    }

    /// The names in a folder, by what they are; `None` when the walk must stop.
    fn list(&self, folder: &OpenFolder) -> Option<Listing> {
        let mut listing = Listing { is_whole: true, ..Listing::default() };
        let entries = WalkDir::new(&folder.real).min_depth(1).max_depth(1).follow_root_links(false);
        for (index, entry) in entries.into_iter().enumerate() {
            if index % 256 == 255 && self.must_stop() {
                return None;
            }
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    listing.is_whole = false;
                    let is_gone = error.io_error().is_some_and(|error| error.kind() == std::io::ErrorKind::NotFound);
                    if !is_gone {
                        self.leave_out(NotANote::Unreadable, &folder.path);
                    }
                    continue;
                }
            };
            let (name, kind) = (entry.file_name(), entry.file_type());
            if self.rule.by_name(folder.path.as_path(), name, kind.is_dir()).is_some() {
                continue; // left out by design, not mentioned
            }
            if kind.is_dir() {
                listing.folders.push(name.into());
            } else if kind.is_symlink() {
                listing.links.push(name.into());
            } else if !self.rule.has_extension(name) {
            } else if kind.is_file() {
                listing.files.push(name.into());
            } else {
                listing.left_out.push((NotANote::NotRegular, name.into()));
            }
        }
        Some(listing)
    }

    fn spawn_subfolder<'s>(&'s self, scope: &Scope<'s>, folder: &Arc<OpenFolder>, name: &OsStr) {
        let (parent, name) = (Arc::clone(folder), name.to_owned());
        scope.spawn(move |scope| {
            self.guarded(|| {
                let path = parent.path.join(&name);
                match parent.dir.folder(&name) {
                    Ok(dir) => {
                        let (real, is_linked) = (parent.real.join(&name), parent.is_linked);
                        drop(parent); // its handle is not needed while this folder is walked
                        self.folder(scope, OpenFolder { dir, path, real, is_linked });
                    }
                    Err(error) => self.not_opened(&path, error),
                }
            });
        });
    }

    /// A symbolic link: followed when it may be, and leads to a note or folder inside; else counted.
    fn link<'s>(&'s self, scope: &Scope<'s>, folder: &OpenFolder, name: &OsStr) -> Option<Candidate> {
        let path = folder.path.join(name);
        let leads_to_folder = folder.dir.leads_to_folder(name);
        if leads_to_folder {
            match self.root.folder(self.rule, &path) {
                Ok(linked) if !folder.is_linked => {
                    scope.spawn(move |scope| self.guarded(|| self.folder(scope, linked)));
                }
                _ => self.leave_out(NotANote::Link, &path),
            }
        } else if self.rule.has_extension(name) {
            match self.root.file(self.rule, folder, name) {
                Ok(file) => return Some(file),
                Err(_) => self.leave_out(NotANote::Link, &path),
            }
        }
        None
    }

    fn files(&self, folder: &OpenFolder, files: &[Candidate]) {
        for few in files.chunks(16) {
            if self.must_stop() {
                return;
            }
            let report = |reason, name: &OsStr| self.leave_out(reason, &folder.path.join(name));
            self.visitor.files(folder, few, &report);
        }
    }
}
