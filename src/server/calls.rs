//! The tool calls that are not answered yet: which run, which wait, and how far they have come.
//!
//! Calls are told apart by a number of their own, since a client may use one id twice. Nothing here starts a thread or
//! sends a line.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use tokio::time::Instant;

use super::batches::Destination;
use crate::jsonrpc::RequestId;
use crate::notes::Watch;
use crate::session::Era;
use crate::tools::{Call, Work};

/// How many checked calls may wait for a thread. Far more than any client sends on purpose, and each is small.
pub(super) const MAX_WAITING_CALLS: usize = 1_000;

/// Fewest threads for calls, so that one long search does not hold up a short one on a machine with one core.
const FEWEST_THREADS: usize = 2;

/// How long a call runs before its progress is first told, and between one report and the next: most calls are done
/// before, and nobody can read more than four numbers a second.
const PROGRESS_EVERY: Duration = Duration::from_millis(250);

/// A call that will be answered, unless the client cancels it.
#[derive(Debug)]
pub(super) struct OpenCall {
    /// Whom to answer.
    pub(super) id: RequestId,
    /// In which shape.
    pub(super) era: Era,
    /// The tool's name.
    pub(super) tool: &'static str,
    /// Where the answer belongs.
    pub(super) destination: Destination,
    /// When the request was read.
    pub(super) accepted: Instant,
    /// How to stop it, and how far it has come.
    pub(super) watch: Arc<Watch>,
    progress_token: Option<RequestId>,
    reported: u64,
    report_due: Option<Instant>,
}

/// Work that may begin now.
pub(super) struct Started {
    /// The call's own number.
    pub(super) sequence: u64,
    /// The tool's name.
    pub(super) tool: &'static str,
    /// What to run.
    pub(super) work: Work,
    /// On what.
    pub(super) call: Call,
}

/// All calls that are not answered yet.
pub(super) struct Calls {
    open: BTreeMap<u64, OpenCall>,
    waiting: VecDeque<(u64, Work, Call)>,
    /// Threads at work, also on calls that were cancelled and have not noticed yet.
    running: usize,
    threads: usize,
    admitted: u64,
}

impl Default for Calls {
    fn default() -> Self {
        let threads = available_parallelism().map_or(FEWEST_THREADS, |cores| cores.get().max(FEWEST_THREADS));
        Self { open: BTreeMap::new(), waiting: VecDeque::new(), running: 0, threads, admitted: 0 }
    }
}

impl OpenCall {
    /// A call that was read just now.
    pub(super) fn new(
        id: RequestId,
        era: Era,
        tool: &'static str,
        progress_token: Option<RequestId>,
        destination: Destination,
    ) -> Self {
        Self {
            id,
            era,
            tool,
            destination,
            accepted: Instant::now(),
            watch: Arc::default(),
            progress_token,
            reported: 0,
            report_due: None,
        }
    }
}

impl Calls {
    /// Whether every call was answered or cancelled.
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether no more calls may be admitted for now.
    pub(super) fn is_full(&self) -> bool {
        self.waiting.len() >= MAX_WAITING_CALLS
    }

    /// Puts a call at the end of the queue.
    pub(super) fn admit(&mut self, open: OpenCall, work: Work, call: Call) {
        self.admitted += 1;
        self.open.insert(self.admitted, open);
        self.waiting.push_back((self.admitted, work, call));
    }

    /// The call that has waited longest, if a thread is free for it.
    pub(super) fn start_next(&mut self) -> Option<Started> {
        if self.running >= self.threads {
            return None;
        }
        let (sequence, work, call) = self.waiting.pop_front()?;
        self.running += 1;
        let open = self.open.get_mut(&sequence).expect("a call leaves the queue when it is cancelled");
        open.report_due = open.progress_token.is_some().then(|| Instant::now() + PROGRESS_EVERY);
        Some(Started { sequence, tool: open.tool, work, call })
    }

    /// Takes note that a thread is free again; the call, if it is still to be answered.
    pub(super) fn finish(&mut self, sequence: u64) -> Option<OpenCall> {
        self.running -= 1;
        self.open.remove(&sequence)
    }

    /// Stops and forgets all calls of this id: with an id used twice, both were meant.
    pub(super) fn cancel(&mut self, id: &RequestId) -> Vec<OpenCall> {
        self.remove(|open| open.id == *id)
    }

    /// Stops and forgets all calls.
    pub(super) fn give_up(&mut self) -> Vec<OpenCall> {
        self.remove(|_| true)
    }

    fn remove(&mut self, is_meant: impl Fn(&OpenCall) -> bool) -> Vec<OpenCall> {
        let meant: Vec<u64> =
            self.open.iter().filter(|(_, open)| is_meant(open)).map(|(sequence, _)| *sequence).collect();
        let removed: Vec<OpenCall> = meant.iter().filter_map(|sequence| self.open.remove(sequence)).collect();
        for open in &removed {
            open.watch.cancel();
        }
        if !removed.is_empty() {
            self.waiting.retain(|(sequence, ..)| self.open.contains_key(sequence));
        }
        removed
    }

    /// When to look next how far calls have come; `None` when nobody wants to know.
    pub(super) fn progress_due(&self) -> Option<Instant> {
        self.open.values().filter_map(|open| open.report_due).min()
    }

    /// Whom to tell what, of the calls that are due and have come further since they were last.
    pub(super) fn take_progress(&mut self) -> Vec<(Era, RequestId, u64)> {
        let now = Instant::now();
        let mut reports = Vec::new();
        for open in self.open.values_mut().filter(|open| open.report_due.is_some_and(|due| due <= now)) {
            open.report_due = Some(now + PROGRESS_EVERY);
            let done = open.watch.notes_done();
            if let Some(token) = &open.progress_token
                && done > open.reported
            {
                open.reported = done;
                reports.push((open.era, token.clone(), done));
            }
        }
        reports
    }
}
