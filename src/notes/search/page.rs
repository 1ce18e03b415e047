//! The hits of one page: notes in their order, a first round with each note's best lines, a second with the rest.
//!
//! Only the notes that are shown are opened again, for their original text.

use std::borrow::Cow;

use jiff::civil::Date;

use super::{Gathered, Match, Search};
use crate::notes::NoteError;
use crate::notes::excerpt::{Excerpt, MAX_CHARACTERS, around_match, beginning};
use crate::notes::outline::Heading;
use crate::notes::query::{HitLine, Source};
use crate::notes::rank::{Counts, Place, Sort};
use crate::notes::reader::{Look, Reader, Scratch};
use crate::notes::record::Metadata;
use crate::notes::root::Root;
use crate::notes::walk::Limits;

/// Lines of a note in the first round, so that one long note cannot push out the others.
const BEST_LINES: usize = 3;

/// Lines shown before and after a detailed hit.
const CONTEXT_LINES: usize = 2;

/// Tags of a note that a detailed hit shows, and the longest of them, in characters.
const MAX_TAGS: usize = 5;
const MAX_TAG_CHARACTERS: usize = 40;

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
    /// The note's first tags, as written.
    pub tags: Vec<String>,
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
    let after = search.after.as_ref().map(|(place, _)| whole(place, &matches));
    for round in 1..=2_u8 {
        if after.as_ref().is_some_and(|place| place.round > round) {
            continue;
        }
        let after = after.as_ref().filter(|place| place.round == round);
        for found in &matches {
            if round == 2 && found.hits() <= BEST_LINES as u64 {
                continue;
            }
            let resumes = match after.map(|place| found.key.compare(&place.note, sort)) {
                Some(std::cmp::Ordering::Less) => continue,
                Some(std::cmp::Ordering::Equal) => after,
                Some(std::cmp::Ordering::Greater) | None => None,
            };
            let room = search.limit + 1 - page.hits.len();
            let hits = note_hits(root, reader, search, found, round, resumes, room, limits);
            limits.check()?; // when the time was over, lines may be missing
            let Some(hits) = hits else {
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

/// The place where the page before ended, its path made whole again if the cursor had no room for it.
fn whole(place: &Place, matches: &[Match]) -> Place {
    let mut place = place.clone();
    if let Some(found) = matches.iter().find(|found| found.key.mark() == place.note.path) {
        place.note.path.clone_from(&found.key.path);
    }
    place
}

/// The hits of one note in one round, at most `room`; `None` when the note has changed.
#[allow(clippy::too_many_arguments, reason = "where it stands, what is looked for, and which part of it")]
fn note_hits(
    root: &Root,
    reader: &Reader,
    search: &Search,
    found: &Match,
    round: u8,
    resumes: Option<&Place>,
    room: usize,
    limits: &Limits,
) -> Option<Vec<(Place, Hit)>> {
    let file_shown = found.path.shown();
    let place = |line: &HitLine| Place { round, note: found.key.clone(), words: line.words, line: line.line };
    let title = found.record.facts.as_ref().map(|facts| beginning(&facts.title, MAX_CHARACTERS)).unwrap_or_default();
    let hit = |line: u32, excerpt, is_name, around| Hit {
        file: file_shown.clone(),
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
        let around =
            if search.is_detailed { opening(root, reader, found).unwrap_or_default() } else { Around::default() };
        return Some(vec![(place(&line), hit(1, excerpt, true, around))]);
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
        let go_on = || limits.check().is_ok();
        let choose = |source: Source| {
            let each = |see: SeeHit| query.each_hit(source, facts, &go_on, see);
            choose(&each, round, resumes, room)
        };
        let lines = reader.with_source(&folder, &file, &record, query.needs_original(), scratch, choose)?;
        if lines.is_empty() && resumes.is_none() && round == 1 {
            return None;
        }
        reader.with_text(&folder, &file, scratch, |text| {
            let metadata = search.is_detailed.then(|| Metadata::read(text, &file_shown));
            let view = Lines::of(text, &lines);
            let shown = |line: &HitLine| {
                let excerpt = around_match(view.line(line.line), query);
                let around = metadata.as_ref().map(|metadata| view.around(line.line, metadata)).unwrap_or_default();
                (place(line), hit(line.line, excerpt, false, around))
            };
            lines.iter().map(shown).collect()
        })
    })
}

/// What a note that was found by its name begins with: the first lines of its body that say more than its title.
fn opening(root: &Root, reader: &Reader, found: &Match) -> Option<Around> {
    let facts = found.record.facts.as_ref()?;
    let (parent, name) = found.path.split_last()?;
    let folder = root.folder(reader.rule, &parent).ok()?;
    let file = root.file(reader.rule, &folder, name).ok()?;
    let says_more = |line: &&str| {
        let words = line.trim_matches(|char: char| char.is_whitespace() || matches!(char, '#' | '*'));
        !words.is_empty() && words != &*facts.title && !line.starts_with("#+")
    };
    Scratch::with(|scratch| {
        reader.with_text(&folder, &file, scratch, |text| {
            let body = text.lines().skip(facts.front_lines as usize).filter(says_more);
            let after = body.take(CONTEXT_LINES).map(|line| beginning(line, MAX_CHARACTERS)).collect();
            let tags = some_tags(&Metadata::read(text, &found.path.shown()).tags);
            Around { after, tags, ..Around::default() }
        })
    })
}

fn some_tags(tags: &[String]) -> Vec<String> {
    tags.iter().take(MAX_TAGS).map(|tag| beginning(tag, MAX_TAG_CHARACTERS)).collect()
}

/// Is shown a hit.
type SeeHit<'a> = &'a mut dyn FnMut(HitLine);

/// Shows all hits of a note.
type EachHit<'a> = &'a dyn Fn(SeeHit);

/// The lines of this round, in their order, after the place where the page before ended; at most `room`. `each` shows all
/// hits of the note: they may be millions, so that only those that are needed are kept.
fn choose(each: EachHit, round: u8, resumes: Option<&Place>, room: usize) -> Vec<HitLine> {
    let mut best: Vec<HitLine> = Vec::with_capacity(BEST_LINES + 1);
    each(&mut |line| {
        let at = best.partition_point(|better| better.words >= line.words);
        if at < BEST_LINES {
            best.insert(at, line);
            best.truncate(BEST_LINES);
        }
    });
    if round == 1 {
        if let Some(place) = resumes {
            best.retain(|line| line.words < place.words || (line.words == place.words && line.line > place.line));
        }
        best.truncate(room);
        return best;
    }
    let mut rest = Vec::new();
    let from = resumes.map_or(0, |place| place.line);
    each(&mut |line| {
        if line.line > from && rest.len() < room && !best.contains(&line) {
            rest.push(line);
        }
    });
    rest
}

/// The lines of a text around some hits.
struct Lines<'a> {
    text: &'a str,
    /// Where the lines of the hits begin, by their number.
    starts: Vec<(u32, usize)>,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str, hits: &[HitLine]) -> Self {
        let mut numbers: Vec<u32> = hits.iter().map(|hit| hit.line).collect();
        numbers.sort_unstable();
        let (mut at, mut number) = (0, 1);
        let starts = numbers.into_iter().map_while(|wanted| {
            while number < wanted {
                at = next_line(text, at)?;
                number += 1;
            }
            Some((wanted, at))
        });
        Self { starts: starts.collect(), text }
    }

    fn start(&self, number: u32) -> Option<usize> {
        self.starts.iter().find(|(known, _)| *known == number).map(|(_, at)| *at)
    }

    /// A hit's line by its number; empty where there is none.
    fn line(&self, number: u32) -> &'a str {
        self.start(number).map_or("", |at| line_at(self.text, at))
    }

    fn around(&self, number: u32, metadata: &Metadata) -> Around {
        let heading = chain(number as usize, &metadata.headings);
        let mut around = Around { heading, tags: some_tags(&metadata.tags), ..Around::default() };
        let Some(start) = self.start(number) else { return around };
        let cut = |at| beginning(line_at(self.text, at), MAX_CHARACTERS);
        let mut at = start;
        while around.before.len() < CONTEXT_LINES && at > 0 {
            at = self.text[..at - 1].rfind('\n').map_or(0, |end| end + 1);
            around.before.insert(0, cut(at));
        }
        let mut at = start;
        while around.after.len() < CONTEXT_LINES
            && let Some(next) = next_line(self.text, at)
        {
            around.after.push(cut(next));
            at = next;
        }
        around
    }
}

/// Where the line after the one at `at` begins, if there is one.
fn next_line(text: &str, at: usize) -> Option<usize> {
    let end = memchr::memchr(b'\n', &text.as_bytes()[at..])?;
    Some(at + end + 1).filter(|next| *next < text.len())
}

fn line_at(text: &str, at: usize) -> &str {
    let end = memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |end| at + end);
    &text[at..end]
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
        let each = |see: SeeHit| all.iter().for_each(|line| see(*line));
        let numbers = |round| choose(&each, round, None, 9).iter().map(|line| line.line).collect::<Vec<_>>();
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
