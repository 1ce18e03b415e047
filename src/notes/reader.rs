//! From a candidate to a record: out of the cache when the file is unchanged, else by reading it.
//!
//! Here the rule by kind, size and content is applied. Buffers are kept by the thread, so that a cold search allocates
//! little; a large file is read one at a time and nothing of its text is kept.

use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::cache::{Cache, FolderRecords, is_settled};
use super::folder::{Kind, Moment, OpenError, Stamp, read_whole};
use super::glance::Glance;
use super::query::{Source, WordSet};
use super::record::{Facts, Kept, Record, fold_text};
use super::root::{Candidate, OpenFolder};
use super::rule::{NotANote, Rule};
use super::signature::Signature;
use super::text::{Text, decode, decode_owned, is_binary};

/// Above this a file is read one at a time and its text is not kept, so that memory stays bounded.
pub const LARGE_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// Buffers that have grown beyond this are given back after use.
const KEPT_BUFFER_BYTES: usize = 16 * 1024 * 1024;

/// Reads notes by one rule, through one cache.
#[derive(Debug)]
pub struct Reader<'a> {
    /// What is a note.
    pub rule: &'a Rule,
    /// What is known already.
    pub cache: &'a Cache,
    /// Held while a large file is in memory.
    pub large: &'a Mutex<()>,
    /// The moment this call began, by which files count as settled.
    pub now: Moment,
}

/// A thread's buffers, and what they hold of the file being looked at.
#[derive(Debug, Default)]
pub struct Scratch {
    bytes: Vec<u8>,
    folded: String,
    has_bytes: bool,
    has_folded: bool,
    /// The text of a large file, in place of its bytes.
    large: Option<Text<'static>>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl Scratch {
    /// Runs `work` with this thread's buffers, empty.
    pub fn with<T>(work: impl FnOnce(&mut Self) -> T) -> T {
        SCRATCH.with(|scratch| match scratch.try_borrow_mut() {
            Ok(mut scratch) => {
                scratch.clear();
                let done = work(&mut scratch);
                scratch.clear();
                done
            }
            Err(_) => work(&mut Self::default()), // within another piece of work on this thread
        })
    }

    fn clear(&mut self) {
        (self.has_bytes, self.has_folded, self.large) = (false, false, None);
        if self.bytes.capacity() + self.folded.capacity() > KEPT_BUFFER_BYTES {
            *self = Self::default();
        }
    }
}

impl Scratch {
    /// The text that the buffers hold, decoded; `None` for a binary file.
    fn text(&self) -> Option<Text<'_>> {
        match &self.large {
            Some(text) => Some(Text { text: Cow::Borrowed(&text.text), encoding: text.encoding }),
            None => (!is_binary(&self.bytes)).then(|| decode(&self.bytes)),
        }
    }

    /// The same, to be kept.
    fn take_text(&mut self) -> Option<Text<'static>> {
        match self.large.take() {
            Some(text) => Some(text),
            None => (!is_binary(&self.bytes)).then(|| decode_owned(std::mem::take(&mut self.bytes))),
        }
    }
}

/// What became of a candidate.
#[derive(Debug)]
pub enum Look<'a> {
    /// It is a note.
    Note(Arc<Record>, Option<MutexGuard<'a, ()>>),
    /// It is none, for this reason.
    LeftOut(NotANote),
    /// It went away since its name was read.
    Gone,
}

impl<'a> Reader<'a> {
    /// Looks at a candidate. The guard of a large file is to be held while its text is used.
    pub fn look(
        &self,
        folder: &OpenFolder,
        records: &FolderRecords,
        file: &Candidate,
        scratch: &mut Scratch,
    ) -> Look<'a> {
        scratch.clear();
        if let Some(look) = records.of(&file.name).and_then(|record| self.known(folder, file, record)) {
            return look;
        }
        match self.read(folder, file, scratch, true) {
            Ok((stamp, guard)) => self.keep(stamp, guard, folder, records, file, scratch),
            Err(look) => {
                records.forget(&file.name);
                look
            }
        }
    }

    /// A quick look at a file of which nothing is known: just which words it holds, if that is certain and not all of them.
    /// Nothing is kept then. Else the same as [`look`](Self::look).
    pub fn glance(
        &self,
        folder: &OpenFolder,
        records: &FolderRecords,
        file: &Candidate,
        glance: &Glance,
        scratch: &mut Scratch,
    ) -> Result<(WordSet, u32), Look<'a>> {
        scratch.clear();
        if let Some(record) = records.of(&file.name) {
            return Err(self.known(folder, file, record).unwrap_or_else(|| self.look(folder, records, file, scratch)));
        }
        let (stamp, guard) = self.read(folder, file, scratch, true)?;
        let Scratch { bytes, folded, .. } = &mut *scratch;
        if guard.is_none()
            && let Some((words, characters)) = glance.look(bytes, folded)
        {
            let words = words | glance.words_in_name(&folder.path, &file.name, folded);
            if words != glance.all_words() {
                return Ok((words, characters));
            }
        }
        Err(self.keep(stamp, guard, folder, records, file, scratch))
    }

    /// What a record says of a file, if it is of the file as it is now.
    fn known(&self, folder: &OpenFolder, file: &Candidate, record: Arc<Record>) -> Option<Look<'a>> {
        let (dir, name) = file.place(folder);
        let stamp = dir.stat(name).ok().filter(|stamp| record.is_fresh(stamp))?;
        let guard = self.guard(&stamp);
        Some(if record.facts.is_some() { Look::Note(record, guard) } else { Look::LeftOut(NotANote::Binary) })
    }

    /// Makes a record of what the buffers hold, and keeps it if there is room.
    fn keep(
        &self,
        stamp: Stamp,
        guard: Option<MutexGuard<'a, ()>>,
        folder: &OpenFolder,
        records: &FolderRecords,
        file: &Candidate,
        scratch: &mut Scratch,
    ) -> Look<'a> {
        let shown_path = folder.path.join(&file.name).shown();
        let record = Arc::new(self.record(stamp, &shown_path, scratch));
        if record.charge.is_some() {
            records.keep(&file.name, &record);
        } else {
            records.forget(&file.name);
        }
        if record.facts.is_some() { Look::Note(record, guard) } else { Look::LeftOut(NotANote::Binary) }
    }

    /// The note's text (decoded, LF line ends), read unless the buffers hold it. `None` when it went away or changed to
    /// something else since it was looked at.
    pub fn with_text<T>(
        &self,
        folder: &OpenFolder,
        file: &Candidate,
        scratch: &mut Scratch,
        work: impl FnOnce(&str) -> T,
    ) -> Option<T> {
        self.load(folder, file, scratch)?;
        scratch.text().map(|text| work(&text.text))
    }

    /// The note's text to be kept, likewise.
    pub fn text(&self, folder: &OpenFolder, file: &Candidate, scratch: &mut Scratch) -> Option<Text<'static>> {
        self.load(folder, file, scratch)?;
        scratch.take_text()
    }

    /// The note's text as a query wants it: folded, from the record, the buffers or the file; not folded for a pattern and
    /// for a large note.
    pub fn with_source<T>(
        &self,
        folder: &OpenFolder,
        file: &Candidate,
        record: &Record,
        is_pattern: bool,
        scratch: &mut Scratch,
        work: impl FnOnce(Source) -> T,
    ) -> Option<T> {
        if is_pattern || record.stamp.size > LARGE_FILE_BYTES {
            return self.with_text(folder, file, scratch, |text| work(Source::Unfolded(text)));
        }
        if let Kept::Folded(text) = &record.kept {
            return Some(work(Source::Folded(text)));
        }
        if !scratch.has_folded {
            self.load(folder, file, scratch)?;
            let mut folded = std::mem::take(&mut scratch.folded);
            let text = scratch.text();
            text.as_ref().map(|text| fold_text(&text.text, &mut folded))?;
            drop(text);
            (scratch.folded, scratch.has_folded) = (folded, true);
        }
        Some(work(Source::Folded(&scratch.folded)))
    }

    /// Makes the buffers hold the file.
    fn load(&self, folder: &OpenFolder, file: &Candidate, scratch: &mut Scratch) -> Option<()> {
        if !scratch.has_bytes {
            self.read(folder, file, scratch, false).ok()?;
        }
        Some(())
    }

    fn guard(&self, stamp: &Stamp) -> Option<MutexGuard<'a, ()>> {
        (stamp.size > LARGE_FILE_BYTES).then(|| self.large.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn read(
        &self,
        folder: &OpenFolder,
        file: &Candidate,
        scratch: &mut Scratch,
        takes_turns: bool,
    ) -> Result<(Stamp, Option<MutexGuard<'a, ()>>), Look<'a>> {
        let (dir, name) = file.place(folder);
        let (stamp, mut handle) = dir.open(name).map_err(|error| left_out(error, dir.stat(name).ok()))?;
        match stamp.kind {
            Kind::File => {}
            Kind::Link => return Err(Look::LeftOut(NotANote::Link)),
            Kind::Folder => return Err(Look::Gone),
            Kind::Other => return Err(Look::LeftOut(NotANote::NotRegular)),
        }
        let most = self.rule.max_file_bytes;
        if stamp.size > most {
            return Err(Look::LeftOut(NotANote::TooLarge));
        }
        let guard = if takes_turns { self.guard(&stamp) } else { None };
        read_whole(&mut handle, stamp.size, most, &mut scratch.bytes).map_err(|error| left_out(error, None))?;
        if scratch.bytes.len() as u64 > most {
            return Err(Look::LeftOut(NotANote::TooLarge));
        }
        scratch.has_bytes = true;
        if stamp.size > LARGE_FILE_BYTES && !is_binary(&scratch.bytes) {
            scratch.large = Some(decode_owned(std::mem::take(&mut scratch.bytes)));
        }
        Ok((stamp, guard))
    }

    /// Makes the record of what the buffers hold.
    fn record(&self, stamp: Stamp, shown_path: &str, scratch: &mut Scratch) -> Record {
        let is_settled = is_settled(&stamp, self.now);
        let is_small = stamp.size <= LARGE_FILE_BYTES;
        let mut folded = std::mem::take(&mut scratch.folded);
        let facts = scratch.text().map(|text| {
            if is_small {
                fold_text(&text.text, &mut folded);
            }
            Facts::of(&text.text, shown_path)
        });
        (scratch.folded, scratch.has_folded) = (folded, is_small && facts.is_some());
        let Some(facts) = facts else {
            let charge = self.cache.charge_small(size_of::<Record>());
            return Record { stamp, is_settled, facts: None, kept: Kept::Nothing, charge };
        };
        let mut cost = facts.bytes();
        let mut record = Record { stamp, is_settled, facts: Some(facts), kept: Kept::Nothing, charge: None };
        if is_small {
            let folded = scratch.folded.as_str();
            if let Some(charge) = self.cache.charge_text(cost + folded.len()) {
                record.kept = Kept::Folded(folded.into());
                record.charge = Some(charge);
                return record;
            }
            let signature = Signature::of(folded);
            cost += signature.bytes();
            record.kept = Kept::Signature(signature);
        }
        record.charge = self.cache.charge_small(cost);
        record
    }
}

fn left_out<'a>(error: OpenError, stamp: Option<Stamp>) -> Look<'a> {
    match (error, stamp.map(|stamp| stamp.kind)) {
        (OpenError::Link, _) => Look::LeftOut(NotANote::Link),
        (OpenError::Unreadable(_), Some(Kind::Other)) => Look::LeftOut(NotANote::NotRegular), // a socket cannot be opened
        (OpenError::Unreadable(_), _) => Look::LeftOut(NotANote::Unreadable),
        (OpenError::Missing | OpenError::NotAFolder | OpenError::IsAFolder, _) => Look::Gone,
    }
}

/// The moment now, as file systems count it.
pub fn moment_now() -> Moment {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Moment {
        seconds: i64::try_from(since.as_secs()).unwrap_or(i64::MAX),
        nanoseconds: i32::try_from(since.subsec_nanos()).unwrap_or(0),
    }
}
