//! A folder of notes: what is a note, what it says, which notes match. Knows nothing of any protocol and never serialises.
//!
//! [`Notes`] is the way in; the folder is opened anew by its path at every call, so a folder made later works and one
//! renamed away fails in words. In reading order: [`rule`] says what is a note, [`folder`] and [`root`] open it, [`walk`] finds it,
//! [`reader`] and [`cache`] read it, [`record`] says what is known of it, [`query`] matches it, [`search`] puts the answer
//! together, [`resolve`] finds a note by what a model calls it, [`reading`] shows it.

pub mod cache;
pub mod date;
pub mod excerpt;
pub mod fold;
pub mod folder;
pub mod front_matter;
pub mod glance;
pub mod nearest;
pub mod outline;
pub mod path;
pub mod query;
pub mod rank;
pub mod reader;
pub mod reading;
pub mod record;
pub mod resolve;
pub mod root;
pub mod rule;
pub mod search;
pub mod signature;
pub mod survey;
pub mod text;
pub mod walk;
mod warm;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use anyhow::Context;
use rayon::{ThreadPool, ThreadPoolBuilder};

use cache::Cache;
use reader::Reader;
use root::Root;
use rule::{NotANote, Rule};
use warm::Warmth;

/// More threads than this gain nothing on one disk.
const MAX_THREADS: usize = 8;

/// How a notes folder is to be read.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The folder, as a path on the machine.
    pub folder: PathBuf,
    /// Extensions of notes, without dot, any case.
    pub extensions: Vec<String>,
    /// Gitignore patterns of what to leave out.
    pub exclude: Vec<String>,
    /// Whether links whose target lies inside the folder are followed.
    pub follow_links: bool,
    /// Larger files are left out, in bytes.
    pub max_file_bytes: u64,
    /// The time a search may take.
    pub search_timeout: Duration,
    /// What the cache may hold, in bytes.
    pub cache_bytes: u64,
}

impl Settings {
    /// The defaults, for a folder.
    pub fn of(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            extensions: ["md", "markdown", "mdx", "txt", "org"].map(str::to_owned).to_vec(),
            exclude: Vec::new(),
            follow_links: false,
            max_file_bytes: 64 * 1024 * 1024,
            search_timeout: Duration::from_secs(30),
            cache_bytes: 256 * 1024 * 1024,
        }
    }
}

/// A notes folder.
#[derive(Debug)]
pub struct Notes {
    settings: Settings,
    rule: Rule,
    cache: Cache,
    large: Mutex<()>,
    pool: OnceLock<ThreadPool>,
    warmth: Warmth,
}

/// Why the folder cannot give what was asked for. Tools put each into words; no path of the machine is in any.
#[derive(Debug)]
pub enum NoteError {
    /// The notes folder is missing, or is no folder.
    NoFolder,
    /// The notes folder cannot be opened.
    FolderUnreadable,
    /// The path leads out of the notes folder.
    Outside,
    /// No note has that name.
    NoSuchNote {
        /// Paths of near names, nearest first.
        nearest: Vec<String>,
    },
    /// No folder and no note has that path.
    NoSuchPlace {
        /// Paths of near folders and notes, nearest first.
        nearest: Vec<String>,
    },
    /// Several notes have that name.
    Ambiguous {
        /// Their paths.
        candidates: Vec<String>,
    },
    /// A folder has that path.
    IsAFolder {
        /// Its path.
        path: String,
        /// Paths of a few notes in it.
        notes: Vec<String>,
        /// How many notes there are in it.
        total: usize,
    },
    /// Something stands there that is not a note.
    NotANote {
        /// Its path.
        path: String,
        /// The rule that excludes it.
        reason: NotANote,
    },
    /// The caller asked to stop.
    Cancelled,
    /// The time limit of a search was reached.
    TimedOut {
        /// Notes that were covered.
        notes_done: u64,
    },
    /// A fault in here; for the operator.
    Unforeseen(anyhow::Error),
}

impl Notes {
    /// A notes folder with these settings. The folder itself is not looked at.
    ///
    /// # Errors
    /// A pattern of `exclude` that is none.
    pub fn new(settings: Settings) -> anyhow::Result<Self> {
        let rule = Rule::new(&settings.extensions, &settings.exclude, settings.max_file_bytes, settings.follow_links)?;
        let budget = usize::try_from(settings.cache_bytes).unwrap_or(usize::MAX);
        Ok(Self {
            settings,
            rule,
            cache: Cache::new(budget),
            large: Mutex::new(()),
            pool: OnceLock::new(),
            warmth: Warmth::default(),
        })
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The extensions in force, in lower case.
    pub fn extensions(&self) -> &[String] {
        self.rule.extensions()
    }

    fn open_root(&self) -> Result<Root, NoteError> {
        Root::open(&self.settings.folder)
    }

    fn reader(&self) -> Reader<'_> {
        Reader { rule: &self.rule, cache: &self.cache, large: &self.large, now: reader::moment_now() }
    }

    /// The threads that walk and scan, started when first needed.
    fn pool(&self) -> Result<&ThreadPool, NoteError> {
        if let Some(pool) = self.pool.get() {
            return Ok(pool);
        }
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|index| format!("scan-{index}"))
            .build()
            .context("starting the threads that scan")
            .map_err(NoteError::Unforeseen)?;
        Ok(self.pool.get_or_init(|| pool))
    }
}

/// How the outside watches and stops a running piece of work.
#[derive(Debug, Default)]
pub struct Watch {
    cancelled: AtomicBool,
    notes_done: AtomicU64,
}

impl Watch {
    /// Asks the work to stop; it looks once per note.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether the work was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// One more note was looked at.
    pub fn count_note(&self) {
        self.notes_done.fetch_add(1, Ordering::Relaxed);
    }

    /// How many notes were looked at so far; never falls.
    pub fn notes_done(&self) -> u64 {
        self.notes_done.load(Ordering::Relaxed)
    }
}
