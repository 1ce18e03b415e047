//! Why a search found nothing: what each word finds on its own, what each filter removed, which titles are near.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::civil::Date;
use rayon::prelude::*;

use super::{Days, Search, hold};
use crate::notes::cache::FolderRecords;
use crate::notes::nearest::{Nearest, Wanted, nearest_word};
use crate::notes::path::NotePath;
use crate::notes::query::{Query, Scope};
use crate::notes::rank::Counts;
use crate::notes::reader::{Look, Reader, Scratch};
use crate::notes::record::Record;
use crate::notes::root::{Candidate, OpenFolder, Root};
use crate::notes::rule::NotANote;
use crate::notes::walk::{Area, Limits, Visitor, walk};
use crate::notes::{NoteError, Notes};

/// Titles that are suggested at most.
const MAX_NEAR_TITLES: usize = 3;

/// Notes that are read for their titles alone at most; of a larger folder, before the cache is warm, the titles that are
/// known must do.
const MAX_UNKNOWN_TITLES: u64 = 2_000;

/// Tags that are compared with one that no note has, about.
const MAX_TAGS: usize = 10_000;

/// What can be said when nothing was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Nothing {
    /// Each word as written, and the notes it occurs in on its own, in the scope that was asked for but without filters.
    pub words: Vec<(String, u64)>,
    /// Notes in the whole folder.
    pub notes: u64,
    /// What would be found with a filter left out.
    pub removed: Vec<(Removed, u64)>,
    /// Titles and paths that are near the keyword.
    pub near: Vec<(String, String)>,
    /// The first and last day of all notes, when days were asked for.
    pub span: Option<(Date, Date)>,
    /// Notes that hold the words of a phrase apart, when a phrase of several words was asked for.
    pub apart: Option<u64>,
    /// Notes with the tag, when one was asked for.
    pub tagged: Option<u64>,
    /// When no note has the tag: the nearest tag there is.
    pub near_tag: Option<String>,
}

/// What kept matching notes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Removed {
    /// They match, but not in this scope.
    Scope,
    /// They match, but stand elsewhere.
    Path,
    /// They match, but lack the tag.
    Tag,
    /// They match, but lie outside the days.
    Days,
    /// They match, but more than one filter keeps them out.
    Several,
}

struct WhyPass<'a> {
    notes: &'a Notes,
    reader: Reader<'a>,
    limits: &'a Limits<'a>,
    search: &'a Search,
    area: &'a Area,
    days: &'a Days,
    anywhere: Option<Query>,
    /// The words of a phrase, apart.
    apart: Option<Query>,
    /// Tags there are, when one was asked for.
    tags: Mutex<BTreeSet<String>>,
    wanted: Wanted,
    found: Mutex<(Nothing, Nearest)>,
}

impl Notes {
    /// Says why a search found nothing. A second look at the notes is needed only when filters may have removed something.
    pub(super) fn why_nothing(
        &self,
        search: &Search,
        root: &Root,
        counts: &Counts,
        days: &Days,
        limits: &Limits,
    ) -> Result<Nothing, NoteError> {
        let words = search.query.written_words();
        let wanted = Wanted::new(&words.join(" "));
        let filter = &search.filter;
        let apart = search.query.apart();
        let is_narrow = apart.is_some()
            || search.path.is_some()
            || filter.tag.is_some()
            || filter.has_days()
            || search.query.scope != Scope::All;
        let mut nothing = Nothing { notes: counts.notes, ..Nothing::default() };
        if !is_narrow {
            let (known, nearest) = self.known_titles(&wanted)?;
            if known == counts.notes || counts.notes - known.min(counts.notes) > MAX_UNKNOWN_TITLES {
                nothing.words = words.into_iter().zip(counts.notes_with.iter().copied()).collect();
                nothing.near = nearest.best();
                return Ok(nothing);
            }
        }
        nothing.notes = 0;
        nothing.words = words.into_iter().map(|word| (word, 0)).collect();
        let area = match &search.path {
            None => Area::Folder(NotePath::root()),
            Some(path) => self.area(root, path, limits)?,
        };
        let pass = WhyPass {
            notes: self,
            reader: self.reader(),
            limits,
            search,
            area: &area,
            days,
            apart,
            tags: Mutex::default(),
            anywhere: (search.query.scope != Scope::All).then(|| search.query.widened()),
            wanted,
            found: Mutex::new((nothing, Nearest::new(MAX_NEAR_TITLES))),
        };
        walk(self.pool()?, root, &self.rule, &self.cache, &Area::Folder(NotePath::root()), limits, &pass)?;
        let (mut nothing, nearest) = pass.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        nothing.near = nearest.best();
        nothing.removed.sort_unstable();
        if let (Some(tag), Some(0)) = (&search.filter.tag, nothing.tagged) {
            let tags = pass.tags.into_inner().unwrap_or_else(PoisonError::into_inner);
            nothing.near_tag = nearest_word(tag, tags.iter().map(String::as_str)).map(str::to_owned);
        }
        Ok(nothing)
    }

    /// Considers the titles of all notes that are cached: how many notes they are, and the nearest.
    fn known_titles(&self, wanted: &Wanted) -> Result<(u64, Nearest), NoteError> {
        let folders = self.cache.folders();
        let look = |(folder, records): &(PathBuf, Arc<FolderRecords>)| {
            let (mut count, mut nearest) = (0, Nearest::new(MAX_NEAR_TITLES));
            records.each(|name, record| {
                if let Some(facts) = &record.facts {
                    count += 1;
                    nearest.consider(wanted, facts, || shown_path(folder, name));
                }
            });
            (count, nearest)
        };
        let none = || (0, Nearest::new(MAX_NEAR_TITLES));
        let sum = |(count, mut nearest): (u64, Nearest), (more, other): (u64, Nearest)| {
            nearest.merge(other);
            (count + more, nearest)
        };
        Ok(self.pool()?.install(|| folders.par_iter().map(look).reduce(none, sum)))
    }
}

impl Visitor for WhyPass<'_> {
    fn folder(&self, _folder: &OpenFolder, _names: &[Candidate]) {}

    fn files(&self, folder: &OpenFolder, files: &[Candidate], _report: &dyn Fn(NotANote, &OsStr)) {
        let records = self.notes.cache.folder(folder.path.as_path(), 0);
        for file in files {
            if self.limits.watch.is_cancelled() {
                return;
            }
            Scratch::with(|scratch| {
                if let Look::Note(record, _turn) = self.reader.look(folder, &records, file, scratch) {
                    self.note(folder, file, &record, scratch);
                }
            });
        }
    }
}

impl WhyPass<'_> {
    fn note(&self, folder: &OpenFolder, file: &Candidate, record: &Record, scratch: &mut Scratch) {
        let Some(facts) = &record.facts else { return };
        let Search { query, filter, .. } = self.search;
        let path = folder.path.join(&file.name);
        let Some(holding) = hold(query, &self.reader, self.limits, folder, file, record, facts, scratch) else {
            return;
        };
        let day = self.days.of(facts, record.stamp.modified);
        let in_scope = holding.words == query.all_words();
        let matches = in_scope
            || self.anywhere.as_ref().is_some_and(|query| {
                hold(query, &self.reader, self.limits, folder, file, record, facts, scratch)
                    .is_some_and(|holding| holding.words == query.all_words())
            });
        let is_apart = self.apart.as_ref().is_some_and(|query| {
            hold(query, &self.reader, self.limits, folder, file, record, facts, scratch)
                .is_some_and(|holding| holding.words == query.all_words())
        });
        let failed = [
            (Removed::Scope, !in_scope),
            (Removed::Path, !is_in(self.area, &path)),
            (Removed::Tag, !filter.passes_tag(facts)),
            (Removed::Days, !filter.passes_day(day)),
        ];
        let failed: Vec<Removed> = failed.into_iter().filter(|(_, fails)| *fails).map(|(removed, _)| removed).collect();
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let (nothing, nearest) = &mut *found;
        nothing.notes += 1;
        for (index, (_, count)) in nothing.words.iter_mut().enumerate() {
            *count += u64::from(holding.words >> index & 1 == 1);
        }
        if self.apart.is_some() {
            *nothing.apart.get_or_insert_default() += u64::from(is_apart);
        }
        if filter.tag.is_some() {
            *nothing.tagged.get_or_insert_default() += u64::from(filter.passes_tag(facts));
            let mut tags = self.tags.lock().unwrap_or_else(PoisonError::into_inner);
            if tags.len() < MAX_TAGS {
                tags.extend(facts.folded_tags.lines().map(str::to_owned));
            }
        }
        if filter.has_days() {
            nothing.span = Some(nothing.span.map_or((day, day), |(first, last)| (first.min(day), last.max(day))));
        }
        if matches {
            let removed = if let [one] = failed[..] { one } else { Removed::Several };
            match nothing.removed.iter_mut().find(|(known, _)| *known == removed) {
                Some((_, count)) => *count += 1,
                None => nothing.removed.push((removed, 1)),
            }
        }
        nearest.consider(&self.wanted, facts, || path.shown());
    }
}

fn shown_path(folder: &Path, name: &OsStr) -> String {
    NotePath::from_names(&folder.join(name)).map_or_else(|_| String::new(), |path| path.shown())
}

fn is_in(area: &Area, path: &NotePath) -> bool {
    match area {
        Area::Folder(folder) => path.as_path().starts_with(folder.as_path()),
        Area::Note(note) => path == note,
    }
}
