//! The answer of `search_notes`: its shape, which is the published output schema, and the byte budget.
//!
//! Fields stand in the order in which a client that cuts its answers should keep them: what to do next comes first.

#![allow(clippy::doc_markdown, reason = "the descriptions of fields are published as they stand")]

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use super::hint::{Shown, hint};
use super::place::write_cursor;
use super::{Format, SearchArguments};
use crate::notes::Notes;
use crate::notes::rank::Place;
use crate::notes::search::{self, Found, Search};
use crate::tools::MAX_ANSWER_BYTES;
use crate::tools::problem::cut;

/// The longest example of what was skipped, in characters.
const MAX_EXAMPLE_CHARACTERS: usize = 300;

/// What search_notes gives.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SearchAnswer {
    /// Matching lines in all notes searched, exact.
    total: u64,
    /// Notes they stand in, exact.
    total_notes: u64,
    /// Whether hits come after those in this answer.
    truncated: bool,
    /// What to do next, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    /// Pass it as cursor, other arguments unchanged, for the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    /// The days that were searched, when dates were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    dates: Option<DaysApplied>,
    /// Files that look like notes but were left out, by reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<Skipped>,
    /// The hits, best notes first; those of one note together in line order.
    hits: Vec<Hit>,
}

/// The span that was applied.
#[derive(Debug, Serialize, JsonSchema)]
struct DaysApplied {
    /// First day, included.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    /// Last day, included.
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<String>,
}

/// What was left out for one reason.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct Skipped {
    /// Why.
    pub reason: String,
    /// How many.
    pub count: u64,
    /// One of them.
    pub example: String,
}

/// One matching line.
#[derive(Debug, Serialize, JsonSchema)]
struct Hit {
    /// The note's path: pass it to read_note as it is.
    file: String,
    /// Line number, from 1.
    line: u32,
    /// The line, or a piece of it around the match.
    text: String,
    /// "name" when only the note's name, title or alias matches; text is then the title.
    #[serde(skip_serializing_if = "Option::is_none")]
    matched: Option<String>,
    /// Column of the match in the whole line, when text was cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    /// Characters of the whole line, when text was cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    line_length: Option<usize>,
    /// The note's title.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// The note's day.
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    /// The note's first tags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    /// Headings above the line, "A > B".
    #[serde(skip_serializing_if = "Option::is_none")]
    heading: Option<String>,
    /// Up to two lines before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    before: Vec<String>,
    /// Up to two lines after.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    after: Vec<String>,
}

impl Hit {
    fn of(hit: &search::Hit, format: Format) -> Self {
        let (column, line_length) = hit.excerpt.cut.unzip();
        let mut shown = Self {
            file: hit.file.clone(),
            line: hit.line,
            text: hit.excerpt.text.clone(),
            matched: hit.is_name.then(|| "name".to_owned()),
            column,
            line_length,
            title: None,
            date: None,
            tags: Vec::new(),
            heading: None,
            before: Vec::new(),
            after: Vec::new(),
        };
        if format == Format::Detailed {
            shown.title = Some(hit.title.clone());
            shown.date = Some(hit.date.to_string());
            shown.tags.clone_from(&hit.around.tags);
            shown.heading.clone_from(&hit.around.heading);
            shown.before.clone_from(&hit.around.before);
            shown.after.clone_from(&hit.around.after);
        }
        shown
    }
}

/// Puts the answer together: as many hits as the budget allows, in the order of all hits, then sorted for reading.
pub(super) fn answer(
    arguments: &SearchArguments,
    search: &Search,
    found: Found,
    today: Date,
    notes: &Notes,
) -> SearchAnswer {
    let skipped: Vec<Skipped> = found
        .left_out
        .iter()
        .map(|(reason, (count, example))| Skipped {
            reason: reason.reason().to_owned(),
            count: *count,
            example: cut(example, MAX_EXAMPLE_CHARACTERS),
        })
        .collect();
    let filter = &search.filter;
    let written = |day: Option<Date>| day.map(|day| day.to_string());
    let has_days = filter.from.is_some() || filter.to.is_some();
    let mut hits: Vec<Hit> = found.hits.iter().map(|(_, hit)| Hit::of(hit, arguments.response_format)).collect();
    let notes_of_hits: Vec<&str> = found.hits.iter().map(|(place, _)| place.note.path.as_str()).collect();
    let mut answer = SearchAnswer {
        total: found.total,
        total_notes: found.total_notes,
        truncated: false,
        hint: None,
        next_cursor: None,
        dates: has_days.then(|| DaysApplied { from: written(filter.from), to: written(filter.to) }),
        skipped,
        hits: Vec::new(),
    };
    loop {
        let count = hits.len();
        answer.truncated = found.has_more || count < found.hits.len();
        answer.next_cursor = next_cursor(arguments, &found, count).filter(|_| answer.truncated);
        let shown = Shown { count, is_cut_by_budget: count < found.hits.len(), truncated: answer.truncated };
        answer.hint = hint(arguments, search, &found, &answer.skipped, &shown, today, notes);
        let rest = json_length(&answer);
        let lengths: Vec<usize> = hits.iter().map(|hit| json_length(hit) + 1).collect();
        if rest + lengths.iter().sum::<usize>() <= MAX_ANSWER_BYTES || count <= 1 {
            break;
        }
        let mut used = rest;
        let fitting = lengths.iter().take_while(|length| {
            used += **length;
            used <= MAX_ANSWER_BYTES
        });
        let fitting = fitting.count();
        // One fewer than before at least, since hint and cursor change their length with what is shown.
        hits.truncate(fitting.clamp(1, count - 1));
    }
    answer.hits = in_reading_order(hits, &notes_of_hits);
    answer
}

fn next_cursor(arguments: &SearchArguments, found: &Found, count: usize) -> Option<String> {
    let (place, _): &(Place, _) = found.hits.get(count.checked_sub(1)?)?;
    Some(write_cursor(arguments.binding(), place, &found.counts))
}

/// Hits of one note together, in line order; notes in the order of their first hit.
fn in_reading_order(hits: Vec<Hit>, notes_of_hits: &[&str]) -> Vec<Hit> {
    let mut notes: Vec<(&str, Vec<Hit>)> = Vec::new();
    for (hit, note) in hits.into_iter().zip(notes_of_hits) {
        match notes.iter_mut().find(|(known, _)| known == note) {
            Some((_, hits)) => hits.push(hit),
            None => notes.push((note, vec![hit])),
        }
    }
    for (_, hits) in &mut notes {
        hits.sort_by_key(|hit| hit.line);
    }
    notes.into_iter().flat_map(|(_, hits)| hits).collect()
}

fn json_length(value: &impl Serialize) -> usize {
    serde_json::to_string(value).map_or(0, |json| json.len())
}
