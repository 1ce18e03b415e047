//! A survey of the folder, for people: how many notes of which kind there are, from when, and what is left out.
//!
//! It looks at the notes through the same walk and reader as a search. Beyond what a search counts it also counts what is
//! left out by design, since that is where a missing note most often is.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use walkdir::WalkDir;

use super::folder::Moment;
use super::path::NotePath;
use super::reader::{Look, Reader, Scratch};
use super::record::Record;
use super::root::{Candidate, OpenFolder, Root};
use super::rule::NotANote;
use super::walk::{Area, LeftOut, Limits, Visitor, walk};
use super::{NoteError, Notes, Watch};
use crate::clock::Clock;

/// A survey may take as long as it takes: somebody watches it. A day, for clocks that overflow.
const NO_LIMIT: Duration = Duration::from_hours(24);

/// When there is no note, so many names are looked at to find out why. More would not change the reason.
const MAX_NAMES: usize = 200_000;

/// What there is in a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Survey {
    /// Notes by extension, in lower case.
    pub extensions: BTreeMap<String, u64>,
    /// Notes by encoding.
    pub encodings: BTreeMap<&'static str, u64>,
    /// Bytes of all notes.
    pub bytes: u64,
    /// The first and last day of all notes.
    pub span: Option<(Date, Date)>,
    /// Notes that say no day themselves and count by the day they were last modified.
    pub undated: u64,
    /// What is left out directly below a folder that is walked, by reason: how many names, and the first of them.
    pub left_out: LeftOut,
    /// When there is no note: the files that would be notes with another name or other options, by what keeps them out.
    pub instead: Option<Instead>,
}

/// Files found in a folder without notes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Instead {
    /// Files with a note's extension in places that are left out by name.
    pub out_of_sight: LeftOut,
    /// Other files by extension; an empty one is none.
    pub other_extensions: BTreeMap<String, u64>,
}

impl Survey {
    /// How many notes there are.
    pub fn notes(&self) -> u64 {
        self.extensions.values().sum()
    }
}

struct SurveyPass<'a> {
    notes: &'a Notes,
    root: &'a Root,
    reader: Reader<'a>,
    limits: &'a Limits<'a>,
    time_zone: TimeZone,
    survey: Mutex<Survey>,
}

impl Notes {
    /// Looks at every note of the folder. `watch` counts them while it does.
    ///
    /// # Errors
    /// The folder is missing or unreadable, or the caller cancelled.
    pub fn survey(&self, clock: &Clock, watch: &Watch) -> Result<Survey, NoteError> {
        let limits = Limits { watch, deadline: Instant::now() + NO_LIMIT };
        let root = self.open_root()?;
        let pass = SurveyPass {
            notes: self,
            root: &root,
            reader: self.reader(),
            limits: &limits,
            time_zone: clock.time_zone(),
            survey: Mutex::default(),
        };
        let left_out =
            walk(self.pool()?, &root, &self.rule, &self.cache, &Area::Folder(NotePath::root()), &limits, &pass)?;
        let mut survey = pass.survey.into_inner().unwrap_or_else(PoisonError::into_inner);
        survey.left_out.extend(left_out);
        if survey.notes() == 0 {
            survey.instead = Some(self.instead(&root));
        }
        Ok(survey)
    }

    /// What files there are where no note is.
    fn instead(&self, root: &Root) -> Instead {
        let mut instead = Instead::default();
        let names = WalkDir::new(&root.real).min_depth(1).follow_root_links(false).into_iter().take(MAX_NAMES);
        for entry in names.filter_map(Result::ok).filter(|entry| entry.file_type().is_file()) {
            let below = entry.path().strip_prefix(&root.real).ok().and_then(|path| NotePath::from_names(path).ok());
            let Some(path) = below else { continue };
            match self.rule.by_path(&path, false) {
                Some(NotANote::Extension) => {
                    *instead.other_extensions.entry(extension(entry.file_name())).or_default() += 1;
                }
                Some(reason) if self.rule.has_extension(entry.file_name()) => {
                    count(&mut instead.out_of_sight, reason, path.shown());
                }
                _ => {}
            }
        }
        instead
    }
}

impl Visitor for SurveyPass<'_> {
    /// Counts what the walk passes over in silence.
    fn folder(&self, folder: &OpenFolder, _names: &[Candidate]) {
        let place = self.root.real.join(folder.path.as_path());
        let mut passed_over = LeftOut::new();
        for entry in WalkDir::new(place).min_depth(1).max_depth(1).into_iter().filter_map(Result::ok) {
            let (name, kind) = (entry.file_name(), entry.file_type());
            let rule = &self.notes.rule;
            let reason = rule.by_name(folder.path.as_path(), name, kind.is_dir());
            let other = (kind.is_file() && !rule.has_extension(name)).then_some(NotANote::Extension);
            if let Some(reason) = reason.or(other) {
                count(&mut passed_over, reason, folder.path.join(name).shown());
            }
        }
        let mut survey = self.survey.lock().unwrap_or_else(PoisonError::into_inner);
        add(&mut survey.left_out, passed_over);
    }

    fn files(&self, folder: &OpenFolder, files: &[Candidate], report: &dyn Fn(NotANote, &OsStr)) {
        let records = self.notes.cache.folder(folder.path.as_path(), 0);
        let mut seen = Survey::default();
        for file in files {
            if self.limits.watch.is_cancelled() {
                return;
            }
            Scratch::with(|scratch| match self.reader.look(folder, &records, file, scratch) {
                Look::Note(record, _turn) => {
                    if let Some(encoding) = self.reader.text(folder, file, scratch).map(|text| text.encoding) {
                        self.note(&mut seen, file, &record, encoding);
                    }
                }
                Look::LeftOut(reason) => report(reason, &file.name),
                Look::Gone => {}
            });
            self.limits.watch.count_note();
        }
        self.survey.lock().unwrap_or_else(PoisonError::into_inner).add(seen);
    }
}

impl SurveyPass<'_> {
    fn note(&self, seen: &mut Survey, file: &Candidate, record: &Record, encoding: &'static str) {
        let Some(facts) = &record.facts else { return };
        *seen.extensions.entry(extension(&file.name)).or_default() += 1;
        *seen.encodings.entry(encoding).or_default() += 1;
        seen.bytes += record.stamp.size;
        seen.undated += u64::from(facts.date.is_none());
        let day = facts.date.unwrap_or_else(|| self.day_of(record.stamp.modified));
        seen.widen((day, day));
    }

    fn day_of(&self, moment: Moment) -> Date {
        let moment = Timestamp::new(moment.seconds, moment.nanoseconds).unwrap_or(Timestamp::UNIX_EPOCH);
        self.time_zone.to_datetime(moment).date()
    }
}

impl Survey {
    fn add(&mut self, other: Self) {
        for (extension, count) in other.extensions {
            *self.extensions.entry(extension).or_default() += count;
        }
        for (encoding, count) in other.encodings {
            *self.encodings.entry(encoding).or_default() += count;
        }
        self.bytes += other.bytes;
        self.undated += other.undated;
        if let Some(span) = other.span {
            self.widen(span);
        }
    }

    fn widen(&mut self, (from, to): (Date, Date)) {
        self.span = Some(self.span.map_or((from, to), |(first, last)| (first.min(from), last.max(to))));
    }
}

/// A name's extension in lower case; empty when it has none.
fn extension(name: &OsStr) -> String {
    Path::new(name).extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

fn count(left_out: &mut LeftOut, reason: NotANote, example: String) {
    add(left_out, LeftOut::from([(reason, (1, example))]));
}

fn add(left_out: &mut LeftOut, other: LeftOut) {
    for (reason, (more, example)) in other {
        let (count, first) = left_out.entry(reason).or_insert_with(|| (0, example.clone()));
        *count += more;
        if example < *first {
            *first = example;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use jiff::civil::date;

    use super::*;
    use crate::notes::Settings;

    fn survey(files: &[(&str, &[u8])], exclude: &[&str]) -> Survey {
        let base = tempfile::tempdir().unwrap();
        for (name, bytes) in files {
            let path = base.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        let exclude = exclude.iter().map(|&glob| glob.to_owned()).collect();
        let notes = Notes::new(Settings { exclude, ..Settings::of(base.path()) }).unwrap();
        notes.survey(&Clock::system(), &Watch::default()).unwrap()
    }

    #[test]
    fn notes_are_counted_by_kind_and_what_is_left_out_by_reason() {
        let survey = survey(
            &[
                ("a 2020-02-03.md", b"x"),
                ("b/c.MD", b"---\ndate: 2021-04-05\n---\n\xef\xbb\xbf"),
                ("b/d 2020-05-05.txt", b"\xff\xfeh\0i\0"),
                ("b/bin.md", b"\0"),
                ("b/x.png", b""),
                ("y.png", b""),
                ("LICENSE", b""),
                (".git/a.md", b""),
                ("b/.hidden.md", b""),
                ("old/z.md", b""),
                ("node_modules/m.md", b""),
            ],
            &["old/"],
        );
        assert_eq!(survey.extensions, BTreeMap::from([("md".to_owned(), 2), ("txt".to_owned(), 1)]));
        assert_eq!(survey.encodings, BTreeMap::from([("UTF-16LE", 1), ("UTF-8", 2)]));
        assert_eq!(survey.span, Some((date(2020, 2, 3), date(2021, 4, 5))));
        assert_eq!((survey.undated, survey.bytes, survey.instead.clone()), (0, 1 + 28 + 6, None));
        let left_out: Vec<(&str, u64, &str)> =
            survey.left_out.iter().map(|(reason, (count, first))| (reason.reason(), *count, first.as_str())).collect();
        assert_eq!(
            left_out,
            [
                ("hidden", 2, ".git"),
                ("node_modules", 1, "node_modules"),
                ("excluded", 1, "old"),
                ("other extension", 3, "LICENSE"),
                ("binary", 1, "b/bin.md"),
            ]
        );
    }

    #[test]
    fn a_folder_without_notes_is_looked_at_for_what_there_is_instead() {
        let survey = survey(&[(".a/b/c.md", b"x"), (".a/x.png", b""), ("d/e.PDF", b""), ("Makefile", b"")], &[]);
        let instead = survey.instead.as_ref().unwrap();
        assert_eq!(survey.notes(), 0);
        assert_eq!(instead.out_of_sight, LeftOut::from([(NotANote::Hidden, (1, ".a/b/c.md".to_owned()))]));
        assert_eq!(instead.other_extensions, BTreeMap::from([(String::new(), 1), ("pdf".to_owned(), 1)]));
    }

    #[test]
    fn a_note_without_a_day_counts_by_its_file() {
        let survey = survey(&[("a.md", b"x")], &[]);
        assert_eq!(survey.undated, 1);
        let (first, last) = survey.span.unwrap();
        assert!(first == last && first > date(2020, 1, 1), "{first}");
    }
}
