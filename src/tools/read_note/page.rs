//! One page of a note: as many lines as the byte budget allows.
//!
//! A cut falls between lines, or inside a line when one line alone exceeds the budget, never inside a character. The pages
//! joined (LF between them, nothing after a cut inside a line) give back the text exactly.

use serde_json::json;

use super::{ReadAnswer, Resume};
use crate::notes::reading::Note;
use crate::notes::text::shown;
use crate::tools::MAX_ANSWER_BYTES;
use crate::tools::cursor::binding;

/// A file name longer than this is not repeated in a hint, in characters.
const MAX_NAME_CHARACTERS: usize = 200;

/// A place in a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// The line, from 1.
    pub line: usize,
    /// The character in it, from 1.
    pub column: usize,
}

/// The part of a note that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    /// Where it begins.
    pub from: Place,
    /// Its last line.
    pub last_line: usize,
}

/// Fills the answer with text up to the budget, and says how to go on when that is not all.
pub(super) fn fill(answer: &mut ReadAnswer, note: &Note, part: Part, notice: Option<String>) {
    let last_line = part.last_line;
    // The longest hint and cursor that may be needed, so that they fit in the end.
    let beyond = Place { line: usize::MAX >> 8, column: usize::MAX >> 8 };
    cut_at(answer, note, part, Some(beyond), beyond.line, notice.as_deref());
    let fixed = serde_json::to_string(&answer).map_or(MAX_ANSWER_BYTES, |json| json.len());
    let room = MAX_ANSWER_BYTES.saturating_sub(fixed);
    let (text, end_line, next) = take(note, part, room);
    let next = next.filter(|next| next.line <= last_line);
    cut_at(answer, note, part, next, end_line, notice.as_deref());
    answer.text = text;
}

fn cut_at(
    answer: &mut ReadAnswer,
    note: &Note,
    part: Part,
    next: Option<Place>,
    end_line: usize,
    notice: Option<&str>,
) {
    answer.end_line = end_line;
    answer.truncated = next.is_some();
    answer.next_cursor = next.map(|from| {
        Resume { file: binding(&note.file), version: note.version, from, last_line: part.last_line }.write()
    });
    let go_on = next.map(|next| {
        let mut call = serde_json::Map::new();
        if note.file.chars().count() <= MAX_NAME_CHARACTERS {
            call.insert("filename".to_owned(), json!(note.file));
        }
        call.insert("start_line".to_owned(), json!(next.line));
        if next.column > 1 {
            call.insert("start_column".to_owned(), json!(next.column));
        }
        if part.last_line < note.total_lines {
            call.insert("end_line".to_owned(), json!(part.last_line));
        }
        let lines = if part.from.line == end_line {
            format!("A part of line {end_line} of {} is", note.total_lines)
        } else {
            format!("Lines {} to {end_line} of {} are", part.from.line, note.total_lines)
        };
        format!("{lines} shown. To go on: read_note {}, or cursor = next_cursor.", serde_json::Value::Object(call))
    });
    let sentences: Vec<&str> = go_on.as_deref().into_iter().chain(notice).collect();
    answer.hint = (!sentences.is_empty()).then(|| sentences.join(" "));
}

/// The text from a place on that takes at most `room` bytes as JSON, the line it ends in, and where the next begins.
fn take(note: &Note, part: Part, room: usize) -> (String, usize, Option<Place>) {
    let mut text = String::new();
    let mut used = 0;
    let mut column = part.from.column;
    let mut lines = note.text.split('\n').skip(part.from.line.saturating_sub(1));
    for number in part.from.line..=part.last_line {
        let Some(line) = lines.next() else { break };
        let from = line.char_indices().nth(column.saturating_sub(1)).map_or(line.len(), |(at, _)| at);
        let rest = shown(&line[from..]);
        let separator = if number > part.from.line { 2 } else { 0 }; // `\n` as JSON
        let whole = json_length_within(&rest, room.saturating_sub(used + separator));
        match whole {
            Fit::Whole(length) if used + separator + length <= room => {
                if separator > 0 {
                    text.push('\n');
                }
                text.push_str(&rest);
                used += separator + length;
            }
            _ if number > part.from.line => return (text, number - 1, Some(Place { line: number, column: 1 })),
            Fit::Whole(_) => return (text, number, None),
            Fit::Part { bytes, characters } => {
                text.push_str(&rest[..bytes]);
                return (text, number, Some(Place { line: number, column: column + characters }));
            }
        }
        column = 1;
    }
    (text, part.last_line, None)
}

/// How much of a text fits into some bytes of JSON.
enum Fit {
    /// All of it, in so many bytes.
    Whole(usize),
    /// So many bytes and characters of it.
    Part { bytes: usize, characters: usize },
}

fn json_length_within(text: &str, room: usize) -> Fit {
    let mut used = 0;
    for (characters, (at, char)) in text.char_indices().enumerate() {
        // The text has no control characters but tabs.
        used += if matches!(char, '"' | '\\' | '\t') { 2 } else { char.len_utf8() };
        if used > room {
            return Fit::Part { bytes: at, characters };
        }
    }
    Fit::Whole(used)
}
