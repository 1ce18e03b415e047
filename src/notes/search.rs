//! A search over the folder: one pass over all notes for exact totals and the counts that scores need, then the hits of one
//! page, with their original text.

mod narrower;
mod page;
mod why;

use std::ffi::OsStr;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::folder::Moment;
use super::glance::Glance;
use super::path::NotePath;
use super::query::{Holding, Query, Source, WordSet};
use super::rank::{Counts, NoteKey, Place, Sort};
use super::reader::{Look, Reader, Scratch};
use super::record::{Facts, Record};
use super::root::{Candidate, OpenFolder};
use super::rule::NotANote;
use super::walk::{Area, LeftOut, Limits, Visitor, walk};
use super::{NoteError, Notes, Watch};
use crate::clock::Clock;

pub use narrower::Narrower;
pub use page::Hit;
pub use why::{Nothing, Removed};

/// How often a search is made anew when notes it is about to show have changed since it read them.
const MAX_ATTEMPTS: usize = 3;

/// What to search for, where, and which hits to show.
#[derive(Debug)]
pub struct Search {
    /// What is looked for.
    pub query: Query,
    /// Only below this folder, or only this note: a path as a model wrote it.
    pub path: Option<String>,
    /// The filters on what a note says of itself.
    pub filter: Filter,
    /// The order.
    pub sort: Sort,
    /// The most hits to show.
    pub limit: usize,
    /// Whether to collect what a detailed hit shows.
    pub is_detailed: bool,
    /// Where the page before ended, and the counts its scores were made of.
    pub after: Option<(Place, Counts)>,
}

/// Filters on a note's tags and day.
#[derive(Debug, Default)]
pub struct Filter {
    /// Folded, without `#`.
    pub tag: Option<String>,
    /// The first day that counts.
    pub from: Option<Date>,
    /// The last day that counts.
    pub to: Option<Date>,
}

impl Filter {
    fn passes_tag(&self, facts: &Facts) -> bool {
        self.tag.as_ref().is_none_or(|tag| facts.has_tag(tag))
    }

    fn is_narrow(&self) -> bool {
        self.tag.is_some() || self.has_days()
    }

    fn has_days(&self) -> bool {
        self.from.is_some() || self.to.is_some()
    }

    fn passes_day(&self, date: Date) -> bool {
        self.from.is_none_or(|from| date >= from) && self.to.is_none_or(|to| date <= to)
    }
}

/// What a search found.
#[derive(Debug)]
pub struct Found {
    /// Hits in all notes.
    pub total: u64,
    /// Notes they stand in.
    pub total_notes: u64,
    /// The hits of this page in the order of all hits, each with its place.
    pub hits: Vec<(Place, Hit)>,
    /// Whether hits come after these.
    pub has_more: bool,
    /// The counts behind the scores, for the next page.
    pub counts: Counts,
    /// What would narrow the search.
    pub narrower: Narrower,
    /// What was left out, by reason.
    pub left_out: LeftOut,
    /// When nothing was found: why.
    pub nothing: Option<Nothing>,
}

/// A note that matches.
#[derive(Debug)]
struct Match {
    path: NotePath,
    record: Arc<Record>,
    holding: Holding,
    key: NoteKey,
}

impl Match {
    /// How many hits it has: a note that matches by its names alone has one.
    fn hits(&self) -> u64 {
        u64::from(self.holding.lines.max(1))
    }
}

/// How days are counted in this search.
#[derive(Debug, Clone)]
struct Days {
    time_zone: TimeZone,
}

impl Days {
    fn of(&self, facts: &Facts, modified: Moment) -> Date {
        facts.date.unwrap_or_else(|| self.of_moment(modified))
    }

    fn of_moment(&self, moment: Moment) -> Date {
        let moment = Timestamp::new(moment.seconds, moment.nanoseconds).unwrap_or(Timestamp::UNIX_EPOCH);
        self.time_zone.to_datetime(moment).date()
    }
}

/// Looks at every note of the walk.
struct Pass<'a> {
    notes: &'a Notes,
    reader: Reader<'a>,
    limits: &'a Limits<'a>,
    search: &'a Search,
    /// Before the cache is warm: a quick look at notes that are not in it.
    glance: Option<Glance>,
    days: Days,
    scan: u64,
    gathered: Mutex<Gathered>,
}

#[derive(Debug, Default)]
struct Gathered {
    counts: Counts,
    matches: Vec<Match>,
}

impl Notes {
    /// Searches the folder.
    ///
    /// # Errors
    /// The folder is missing or unreadable, `path` names nothing or leads out, the time is over, or the caller cancelled.
    pub fn search(&self, search: &Search, clock: &Clock, watch: &Watch) -> Result<Found, NoteError> {
        let limits = Limits { watch, deadline: std::time::Instant::now() + self.settings.search_timeout };
        let _searching = self.warmth.searching();
        for attempt in 1.. {
            let root = self.open_root()?;
            let area = match &search.path {
                None => Area::Folder(NotePath::root()),
                Some(path) => self.area(&root, path, &limits)?,
            };
            let pass = self.pass(search, clock, &limits);
            let left_out = walk(self.pool()?, &root, &self.rule, &self.cache, &area, &limits, &pass)?;
            if area == Area::Folder(NotePath::root()) {
                self.cache.end_scan(pass.scan);
            }
            if let Some(error) = shut(&area, &left_out) {
                return Err(error);
            }
            let (reader, days) = (pass.reader, pass.days);
            let gathered = pass.gathered.into_inner().unwrap_or_else(PoisonError::into_inner);
            let total = gathered.matches.iter().map(Match::hits).sum();
            let total_notes = gathered.matches.len() as u64;
            let depth = match &area {
                Area::Folder(path) | Area::Note(path) => path.names().count(),
            };
            let narrower = narrower::narrower(&gathered.matches, &search.query, depth);
            let is_last_attempt = attempt >= MAX_ATTEMPTS;
            let Some(page) = page::page(&root, &reader, search, gathered, &limits, is_last_attempt)? else { continue };
            let nothing = match total {
                0 => Some(self.why_nothing(search, &root, &page.counts, &days, &limits)?),
                _ => None,
            };
            let page::Page { hits, has_more, counts } = page;
            return Ok(Found { total, total_notes, hits, has_more, counts, narrower, left_out, nothing });
        }
        unreachable!("the last attempt returns")
    }

    fn pass<'a>(&'a self, search: &'a Search, clock: &Clock, limits: &'a Limits<'a>) -> Pass<'a> {
        let counts = Counts { notes_with: vec![0; search.query.count()], ..Counts::default() };
        Pass {
            notes: self,
            reader: self.reader(),
            limits,
            search,
            glance: if self.is_warm() || search.filter.is_narrow() { None } else { search.query.glance() },
            days: Days { time_zone: clock.time_zone() },
            scan: self.cache.begin_scan(),
            gathered: Mutex::new(Gathered { counts, matches: Vec::new() }),
        }
    }
}

impl Visitor for Pass<'_> {
    fn folder(&self, folder: &OpenFolder, names: &[Candidate]) {
        let records = self.notes.cache.folder(folder.path.as_path(), self.scan);
        records.keep_only(names);
    }

    fn files(&self, folder: &OpenFolder, files: &[Candidate], report: &dyn Fn(NotANote, &OsStr)) {
        let records = self.notes.cache.folder(folder.path.as_path(), self.scan);
        let mut gathered = Gathered::default();
        gathered.counts.notes_with = vec![0; self.search.query.count()];
        for file in files {
            if self.limits.watch.is_cancelled() {
                return;
            }
            Scratch::with(|scratch| {
                let look = match &self.glance {
                    Some(glance) => match self.reader.glance(folder, &records, file, glance, scratch) {
                        Ok((words, characters)) => return gathered.counts.add_note(characters, words),
                        Err(look) => look,
                    },
                    None => self.reader.look(folder, &records, file, scratch),
                };
                match look {
                    Look::Note(record, _turn) => self.note(folder, file, record, scratch, &mut gathered),
                    Look::LeftOut(reason) => report(reason, &file.name),
                    Look::Gone => {}
                }
            });
            self.limits.watch.count_note();
        }
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner).add(gathered);
    }
}

impl Pass<'_> {
    fn note(
        &self,
        folder: &OpenFolder,
        file: &Candidate,
        record: Arc<Record>,
        scratch: &mut Scratch,
        gathered: &mut Gathered,
    ) {
        let Some(facts) = &record.facts else { return };
        let Search { query, filter, .. } = self.search;
        if !filter.passes_tag(facts)
            || (filter.has_days() && !filter.passes_day(self.days.of(facts, record.stamp.modified)))
        {
            return;
        }
        let Some(holding) = hold(query, &self.reader, self.limits, folder, file, &record, facts, scratch) else {
            return;
        };
        gathered.counts.add_note(facts.characters, holding.words);
        if holding.words == query.all_words() {
            let path = folder.path.join(&file.name);
            let key = NoteKey {
                is_exact: holding.is_exact,
                score: 0.0,
                date: self.days.of(facts, record.stamp.modified),
                path: NoteKey::path_of(&path),
            };
            gathered.matches.push(Match { path, record, holding, key });
        }
    }
}

/// An area that is a note which cannot be searched, or a folder that cannot be opened.
fn shut(area: &Area, left_out: &LeftOut) -> Option<NoteError> {
    match area {
        Area::Note(path) => {
            let reason = *left_out.keys().next()?;
            Some(NoteError::NotANote { path: path.shown(), reason })
        }
        Area::Folder(path) => {
            let (_, example) = left_out.get(&NotANote::Unreadable)?;
            let is_itself = *example == path.shown();
            is_itself.then(|| {
                if path.is_root() {
                    NoteError::FolderUnreadable
                } else {
                    NoteError::NotANote { path: path.shown(), reason: NotANote::Unreadable }
                }
            })
        }
    }
}

/// What of a query a note holds; `None` when it went away meanwhile.
#[allow(clippy::too_many_arguments, reason = "a note is its folder, its file, its record and its facts")]
fn hold(
    query: &Query,
    reader: &Reader,
    limits: &Limits,
    folder: &OpenFolder,
    file: &Candidate,
    record: &Record,
    facts: &Facts,
    scratch: &mut Scratch,
) -> Option<Holding> {
    if let Some(holding) = query.by_record(record, facts) {
        return Some(holding);
    }
    let go_on = || limits.check().is_ok();
    let look = |source: Source| query.look(source, facts, &go_on);
    reader.with_source(folder, file, record, query.needs_original(), scratch, look)
}

impl Counts {
    fn add_note(&mut self, characters: u32, words: WordSet) {
        self.notes += 1;
        self.characters += u64::from(characters);
        for (index, count) in self.notes_with.iter_mut().enumerate() {
            *count += u64::from(words >> index & 1 == 1);
        }
    }
}

impl Gathered {
    fn add(&mut self, other: Self) {
        self.counts.notes += other.counts.notes;
        self.counts.characters += other.counts.characters;
        for (sum, count) in self.counts.notes_with.iter_mut().zip(other.counts.notes_with) {
            *sum += count;
        }
        self.matches.extend(other.matches);
    }
}
