//! The hits of one page: notes in their order, a first round with each note's best lines, a second with the rest.
//!
//! Only the notes that are shown are opened again, for their original text.

use std::borrow::Cow;

use jiff::civil::Date;

use super::{Gathered, Match, Search};
use crate::notes::NoteError;
use crate::notes::excerpt::{Excerpt, MAX_CHARACTERS, around_match, beginning};
use crate::notes::outline::Heading;
use crate::notes::query::HitLine;
use crate::notes::rank::{Counts, Place, Sort};
use crate::notes::reader::{Look, Reader, Scratch};
use crate::notes::record::Metadata;
use crate::notes::text::count_lines;
use crate::notes::walk::{Limits, Root};

/// Lines of a note in the first round, so that one long note cannot push out the others.
const BEST_LINES: usize = 3;

/// Lines shown before and after a detailed hit.
const CONTEXT_LINES: usize = 2;

/// The longest chain of headings that is shown, in characters.
const MAX_HEADING_CHARACTERS: usize = 160;

/// One line that was found, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The note's path as shown.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The line's text around the match; the title for a note found by its name.
    pub excerpt: Excerpt,
    /// The words are in the name, title or alias alone.
    pub is_name: bool,
    /// The note's title.
    pub title: String,
    /// The note's day.
    pub date: Date,
    /// What only a detailed answer shows.
    pub around: Around,
}

/// What stands around a hit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Around {
    /// The headings above it, outermost first.
    pub heading: Option<String>,
    /// The lines before, cut.
    pub before: Vec<String>,
    /// The lines after, cut.
    pub after: Vec<String>,
}

/// The hits of a page.
pub(super) struct Page {
    pub hits: Vec<(Place, Hit)>,
    pub has_more: bool,
    pub counts: Counts,
}

/// Collects a page. `None` when a note on it has changed since it was searched and there is another attempt.
pub(super) fn page(
    root: &Root,
    reader: &Reader,
    search: &Search,
    gathered: Gathered,
    limits: &Limits,
    is_last_attempt: bool,
) -> Result<Option<Page>, NoteError> {
    let Gathered { counts, mut matches } = gathered;
    let counts = search.after.as_ref().map_or(counts, |(_, counts)| counts.clone());
    let mut sort = search.sort;
    if search.query.is_everything() {
        if sort == Sort::Relevance {
            sort = Sort::Newest;
        }
    } else {
        for found in &mut matches {
            let characters = found.record.facts.as_ref().map_or(0, |facts| facts.characters);
            found.key.score = counts.score(&found.holding, characters);
        }
    }
    matches.sort_unstable_by(|one, other| one.key.compare(&other.key, sort));
    let mut page = Page { hits: Vec::new(), has_more: false, counts };
    let after = search.after.as_ref().map(|(place, _)| place);
    for round in 1..=2_u8 {
        if after.is_some_and(|place| place.round > round) {
            continue;
        }
        let after = after.filter(|place| place.round == round);
        for found in &matches {
            if round == 2 && found.hits() <= BEST_LINES as u64 {
                continue;
            }
            let resumes = match after.map(|place| found.key.compare(&place.note, sort)) {
                Some(std::cmp::Ordering::Less) => continue,
                Some(std::cmp::Ordering::Equal) => after,
                Some(std::cmp::Ordering::Greater) | None => None,
            };
            limits.check()?;
            let room = search.limit + 1 - page.hits.len();
            let Some(hits) = note_hits(root, reader, search, found, round, resumes, room) else {
                if is_last_attempt {
                    continue;
                }
                return Ok(None);
            };
            page.hits.extend(hits);
            if page.hits.len() > search.limit {
                page.hits.truncate(search.limit);
                page.has_more = true;
                return Ok(Some(page));
            }
        }
    }
    Ok(Some(page))
}

/// The hits of one note in one round, at most `room`; `None` when the note has changed.
fn note_hits(
    root: &Root,
    reader: &Reader,
    search: &Search,
    found: &Match,
    round: u8,
    resumes: Option<&Place>,
    room: usize,
) -> Option<Vec<(Place, Hit)>> {
    let place = |line: &HitLine| Place { round, note: found.key.clone(), words: line.words, line: line.line };
    let title = found.record.facts.as_ref().map(|facts| beginning(&facts.title, MAX_CHARACTERS)).unwrap_or_default();
    let hit = |line: u32, excerpt, is_name, around| Hit {
        file: found.key.path.clone(),
        line,
        excerpt,
        is_name,
        title: title.clone(),
        date: found.key.date,
        around,
    };
    if found.holding.lines == 0 {
        if resumes.is_some() {
            return Some(Vec::new());
        }
        let line = HitLine { line: 1, words: 0 };
        let excerpt = Excerpt { text: title.trim().to_owned(), cut: None };
        return Some(vec![(place(&line), hit(1, excerpt, true, Around::default()))]);
    }
    let (parent, name) = found.path.split_last()?;
    let folder = root.folder(reader.rule, &parent).ok()?;
    let file = root.file(reader.rule, &folder, name).ok()?;
    Scratch::with(|scratch| {
        let records = reader.cache.folder(parent.as_path(), 0);
        let Look::Note(record, _turn) = reader.look(&folder, &records, &file, scratch) else { return None };
        let facts = record.facts.as_ref()?;
        if record.stamp != found.record.stamp {
            return None;
        }
        let query = &search.query;
        let mut lines = if query.needs_original() {
            reader.with_text(&folder, &file, scratch, |text| query.hit_lines(text, facts))?
        } else {
            reader.with_folded(&folder, &file, &record, scratch, |text| query.hit_lines(text, facts))?
        };
        if lines.is_empty() {
            return None;
        }
        choose(&mut lines, round, resumes);
        lines.truncate(room);
        reader.with_text(&folder, &file, scratch, |text| {
            let outline =
                if search.is_detailed { Metadata::read(text, &found.key.path).outline.headings } else { Vec::new() };
            let view = Lines::of(text);
            let shown = |line: &HitLine| {
                let excerpt = around_match(view.line(line.line), query);
                let around = if search.is_detailed { view.around(line.line, &outline) } else { Around::default() };
                (place(line), hit(line.line, excerpt, false, around))
            };
            lines.iter().map(shown).collect()
        })
    })
}

/// Keeps the lines of this round, in their order, after the place where the page before ended.
fn choose(lines: &mut Vec<HitLine>, round: u8, resumes: Option<&Place>) {
    lines.sort_by_key(|line| (std::cmp::Reverse(line.words), line.line));
    if round == 1 {
        lines.truncate(BEST_LINES);
        if let Some(place) = resumes {
            lines.retain(|line| line.words < place.words || (line.words == place.words && line.line > place.line));
        }
    } else {
        lines.drain(..BEST_LINES.min(lines.len()));
        lines.sort_by_key(|line| line.line);
        if let Some(place) = resumes {
            lines.retain(|line| line.line > place.line);
        }
    }
}

/// A text by its lines.
struct Lines<'a> {
    text: &'a str,
    ends: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        let mut ends = Vec::with_capacity(count_lines(text));
        ends.extend(memchr::memchr_iter(b'\n', text.as_bytes()));
        if !text.is_empty() && !text.ends_with('\n') {
            ends.push(text.len());
        }
        Self { text, ends }
    }

    /// A line by its number from 1; empty where there is none.
    fn line(&self, number: u32) -> &'a str {
        let index = number as usize;
        let Some(end) = self.ends.get(index.wrapping_sub(1)) else { return "" };
        let start = if index > 1 { self.ends[index - 2] + 1 } else { 0 };
        &self.text[start..*end]
    }

    fn around(&self, number: u32, headings: &[Heading]) -> Around {
        let context = |numbers: std::ops::Range<u32>| {
            let exists = |number: &u32| *number >= 1 && (*number as usize) <= self.ends.len();
            numbers.filter(exists).map(|number| beginning(self.line(number), MAX_CHARACTERS)).collect::<Vec<_>>()
        };
        let count = u32::try_from(CONTEXT_LINES).unwrap_or(0);
        Around {
            heading: chain(number as usize, headings),
            before: context(number.saturating_sub(count)..number),
            after: context(number + 1..number.saturating_add(count + 1)),
        }
    }
}

/// The headings above a line, `A > B`, those of its own level and below left out when it is a heading itself.
fn chain(line: usize, headings: &[Heading]) -> Option<String> {
    let mut above: Vec<&Heading> = Vec::new();
    for heading in headings.iter().take_while(|heading| heading.line <= line) {
        above.retain(|outer| outer.level < heading.level);
        if heading.line < line {
            above.push(heading);
        }
    }
    let texts: Vec<Cow<str>> = above
        .iter()
        .filter(|heading| !heading.text.is_empty())
        .map(|heading| crate::notes::text::shown(&heading.text))
        .collect();
    (!texts.is_empty()).then(|| beginning(&texts.join(" > "), MAX_HEADING_CHARACTERS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_round_takes_the_fullest_lines() {
        let all: Vec<HitLine> =
            [(1, 1), (2, 1), (3, 2), (4, 1), (5, 2)].map(|(line, words)| HitLine { line, words }).to_vec();
        let numbers = |round| {
            let mut lines = all.clone();
            choose(&mut lines, round, None);
            lines.iter().map(|line| line.line).collect::<Vec<_>>()
        };
        assert_eq!((numbers(1), numbers(2)), (vec![3, 5, 1], vec![2, 4]));
    }

    #[test]
    fn the_headings_above_are_a_chain() {
        let headings: Vec<Heading> = [(1, 1, "A"), (3, 2, "B"), (6, 2, "C"), (8, 1, "D")]
            .map(|(line, level, text)| Heading { line, level, text: text.to_owned() })
            .to_vec();
        assert_eq!(chain(5, &headings).as_deref(), Some("A > B"));
        assert_eq!(chain(6, &headings).as_deref(), Some("A"));
        assert_eq!(chain(8, &headings), None);
        assert_eq!(chain(9, &headings).as_deref(), Some("D"));
    }
}
