//! The order of notes and hits: relevance by BM25, dates, and the place of a hit in the order, at which a later page goes on.
//!
//! The order is total and depends on nothing but the notes and the query, so that pages neither repeat nor lose a hit.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::hash::{DefaultHasher, Hash, Hasher};

use jiff::civil::Date;

use super::path::NotePath;
use super::query::{Holding, WordSet};

/// How notes are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// The best match first; ties by newest date, then by path.
    Relevance,
    /// The newest date first; ties by relevance, then by path.
    Newest,
    /// The oldest date first; ties by relevance, then by path.
    Oldest,
}

/// What the scores are made of beside the note itself: counts over all notes that were searched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Notes that passed the filters.
    pub notes: u64,
    /// Their characters.
    pub characters: u64,
    /// For each word, the notes it occurs in.
    pub notes_with: Vec<u64>,
}

/// Where a note stands in the order.
#[derive(Debug, Clone, PartialEq)]
pub struct NoteKey {
    /// The whole keyword is its name or title.
    pub is_exact: bool,
    /// The higher, the better.
    pub score: f64,
    /// Its day.
    pub date: Date,
    /// Its path as shown; what tells it from another note that is shown alike comes after a NUL.
    pub path: String,
}

/// The place of a hit in the order of all hits: first each note's three best lines, then the remaining lines.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// 1 for a note's best lines, 2 for its remaining lines.
    pub round: u8,
    /// The note.
    pub note: NoteKey,
    /// How many different words the line holds.
    pub words: u32,
    /// The line.
    pub line: u32,
}

/// How quickly further occurrences of a word stop counting, and how much a note's length does (BM25's k1 and b, at the
/// values that are usual for short texts).
const SATURATION: f64 = 1.2;
const LENGTH_WEIGHT: f64 = 0.75;

/// What a word in these places adds, as a multiple of its rarity; a word in the text adds at most `SATURATION` + 1.
const IN_NAME: f64 = 3.0;
const IN_FOLDER: f64 = 0.4;
const IN_HEADING: f64 = 0.8;
const IN_TAG: f64 = 1.0;

/// What several words on one line add, as a share of all that the words add.
const TOGETHER: f64 = 0.3;

impl Counts {
    /// The score of a note of this many characters.
    pub fn score(&self, holding: &Holding, characters: u32) -> f64 {
        let notes = self.notes.max(1) as f64;
        let average = (self.characters as f64 / notes).max(1.0);
        let length = 1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * f64::from(characters) / average;
        let mut score = 0.0;
        for (index, with) in self.notes_with.iter().enumerate() {
            let with = *with as f64;
            let rarity = (1.0 + (notes - with + 0.5).max(0.5) / (with + 0.5)).ln();
            let times = f64::from(holding.occurrences.get(index).copied().unwrap_or(0));
            let is_in = |words: WordSet| if words >> index & 1 == 1 { 1.0 } else { 0.0 };
            score += rarity
                * (times * (SATURATION + 1.0) / (times + SATURATION * length)
                    + IN_NAME * is_in(holding.in_names)
                    + IN_FOLDER * is_in(holding.in_folders)
                    + IN_HEADING * is_in(holding.in_headings)
                    + IN_TAG * is_in(holding.in_tags));
        }
        if self.notes_with.len() > 1 {
            let share = f64::from(holding.most_on_a_line.saturating_sub(1)) / (self.notes_with.len() - 1) as f64;
            score *= 1.0 + TOGETHER * share;
        }
        score
    }
}

/// A path longer than this is cut in a cursor, in bytes: clients may limit it to 4,096 characters.
const MAX_MARK_BYTES: usize = 2_000;

impl NoteKey {
    /// The path of a note for its key.
    pub fn path_of(path: &NotePath) -> String {
        let shown = path.shown();
        if path.as_path().to_str() == Some(&shown) {
            return shown;
        }
        let hash = hash(path.as_path());
        format!("{shown}\0{hash:016x}")
    }

    /// The path, short enough for a cursor.
    pub fn mark(&self) -> Cow<'_, str> {
        if self.path.len() <= MAX_MARK_BYTES {
            return Cow::Borrowed(&self.path);
        }
        let head = &self.path[..self.path.floor_char_boundary(MAX_MARK_BYTES)];
        Cow::Owned(format!("{head}\0{:016x}", hash(&self.path)))
    }

    /// Which of two notes comes first.
    pub fn compare(&self, other: &Self, sort: Sort) -> Ordering {
        let relevance = || other.is_exact.cmp(&self.is_exact).then_with(|| other.score.total_cmp(&self.score));
        let newest = || other.date.cmp(&self.date);
        let order = match sort {
            Sort::Relevance => relevance().then_with(newest),
            Sort::Newest => newest().then_with(relevance),
            Sort::Oldest => newest().reverse().then_with(relevance),
        };
        order.then_with(|| self.path.cmp(&other.path))
    }
}

fn hash(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn key(score: f64, day: i8, path: &str) -> NoteKey {
        NoteKey { is_exact: false, score, date: date(2026, 11, day), path: path.to_owned() }
    }

    #[test]
    fn ties_go_to_the_newest_then_to_the_path() {
        let mut keys = [key(1.0, 1, "b"), key(1.0, 1, "a"), key(1.0, 9, "z"), key(2.0, 1, "y")];
        keys.sort_by(|one, other| one.compare(other, Sort::Relevance));
        assert_eq!(keys.map(|key| key.path), ["y", "z", "a", "b"]);
    }

    #[test]
    fn a_rare_word_and_a_name_weigh_more() {
        let counts = Counts { notes: 100, characters: 100_000, notes_with: vec![50, 2] };
        let holding = |occurrences: [u32; 2], in_names| Holding {
            occurrences: occurrences.to_vec(),
            in_names,
            ..Holding::default()
        };
        let common = counts.score(&holding([9, 0], 0), 1000);
        assert!(counts.score(&holding([0, 1], 0), 1000) > common);
        assert!(counts.score(&holding([1, 0], 1), 1000) > common);
        assert!(counts.score(&holding([1, 0], 0), 200) > counts.score(&holding([1, 0], 0), 5000));
    }
}
