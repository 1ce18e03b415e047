//! After the first search: the notes are read once more in the background and kept in the cache, so that later searches
//! need not read them.
//!
//! One thread, which rests while a search runs; nothing depends on how far it has come. Nothing is read before the first
//! search was answered.

use std::ffi::OsStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use rayon::ThreadPoolBuilder;

use super::path::NotePath;
use super::reader::{Reader, Scratch};
use super::root::{Candidate, OpenFolder};
use super::rule::NotANote;
use super::walk::{Area, Limits, Visitor, walk};
use super::{NoteError, Notes, Watch};

/// How long the background work rests before it looks again whether a search is running.
const REST: Duration = Duration::from_millis(2);

/// A folder that takes longer is left as it is; searches then read what is not kept.
const MOST: Duration = Duration::from_mins(10);

const COLD: u8 = 0;
const WARMING: u8 = 1;
const WARM: u8 = 2;
const FULL: u8 = 3;

/// Whether the cache has been filled, and how many searches are running.
#[derive(Debug, Default)]
pub struct Warmth {
    state: AtomicU8,
    searches: AtomicUsize,
}

/// A running search; over when dropped.
#[derive(Debug)]
pub struct Searching<'a>(&'a Warmth);

impl Warmth {
    /// Notes that a search begins.
    pub fn searching(&self) -> Searching<'_> {
        self.searches.fetch_add(1, Ordering::Relaxed);
        Searching(self)
    }
}

impl Drop for Searching<'_> {
    fn drop(&mut self) {
        self.0.searches.fetch_sub(1, Ordering::Relaxed);
    }
}

struct WarmUp<'a> {
    notes: &'a Notes,
    reader: Reader<'a>,
}

impl Visitor for WarmUp<'_> {
    fn folder(&self, _folder: &OpenFolder, _names: &[Candidate]) {}

    fn files(&self, folder: &OpenFolder, files: &[Candidate], _report: &dyn Fn(NotANote, &OsStr)) {
        let records = self.notes.cache.folder(folder.path.as_path(), 0);
        for file in files {
            while self.notes.warmth.searches.load(Ordering::Relaxed) > 0 {
                thread::sleep(REST);
            }
            Scratch::with(|scratch| {
                self.reader.look(folder, &records, file, scratch);
            });
        }
    }
}

impl Notes {
    /// Whether a note that is not in the cache should be put there as it is come to: the background reading is done, so such
    /// notes are few, and there is room for them.
    pub(super) fn is_warm(&self) -> bool {
        self.warmth.state.load(Ordering::Relaxed) == WARM && !self.cache.has_refused()
    }

    /// Starts to fill the cache in the background, once. Returns at once.
    pub fn warm_up(self: &Arc<Self>) {
        let state = &self.warmth.state;
        if state.compare_exchange(COLD, WARMING, Ordering::Relaxed, Ordering::Relaxed).is_err() {
            return;
        }
        let notes = Arc::clone(self);
        let started = thread::Builder::new().name("warm-up".to_owned()).spawn(move || notes.fill_cache());
        if started.is_err() {
            state.store(COLD, Ordering::Relaxed);
        }
    }

    /// Reads every note that is not in the cache.
    fn fill_cache(&self) {
        let began = Instant::now();
        let filled = self.read_all(&Limits { watch: &Watch::default(), deadline: began + MOST });
        let milliseconds = began.elapsed().as_millis();
        tracing::debug!(milliseconds, complete = filled.is_ok(), "the notes were read in the background");
        // Also when it failed: a second try at every search would be no better.
        let state = if self.cache.has_refused() { FULL } else { WARM };
        self.warmth.state.store(state, Ordering::Relaxed);
    }

    fn read_all(&self, limits: &Limits) -> Result<(), NoteError> {
        let root = self.open_root()?;
        let one_thread = ThreadPoolBuilder::new().num_threads(1).build().context("starting a thread");
        let one_thread = one_thread.map_err(NoteError::Unforeseen)?;
        let visitor = WarmUp { notes: self, reader: self.reader() };
        walk(&one_thread, &root, &self.rule, &self.cache, &Area::Folder(NotePath::root()), limits, &visitor).map(|_| ())
    }
}
