//! A folder of notes: what is a note, what it says, and which notes match. Knows nothing of any protocol.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A notes folder, opened anew at every call.
#[derive(Debug)]
pub struct Notes;

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
