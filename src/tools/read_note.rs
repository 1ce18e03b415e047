//! `read_note`: its arguments, its answer, its body.
//!
//! How much of a note fits one answer is decided in `page`.

#![allow(clippy::doc_markdown, reason = "the descriptions of fields are published as they stand")]

mod page;

use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::arguments::Arguments;
use super::cursor::{Damaged, Reader, Writer, binding};
use super::problem::{Fix, Problem, quoted};
use super::search_notes::Format;
use super::wording::{self, json, plural};
use super::{Call, Tool, ToolError, Valid};
use crate::clock::Clock;
use crate::notes::excerpt::{MAX_CHARACTERS, beginning};
use crate::notes::reading::{NoSection, Note};
use crate::notes::resolve::Suffix;
use crate::notes::text::shown;
use page::{Part, Place};

/// The tool.
#[derive(Debug)]
pub struct ReadNote;

/// What read_note takes.
#[derive(Debug, Clone, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct ReadArguments {
    /// The note to read, 1 to 4096 characters: the file of a search hit, e.g. "projects/plan.md". Also without extension,
    /// as a bare name, a [[wiki link]], "plan.md:120" or "plan#Goals".
    #[garde(length(chars, min = 1, max = 4096))]
    filename: String,
    /// First line to show, 1 or more, default 1. E.g. 120.
    #[garde(range(min = 1))]
    start_line: Option<i64>,
    /// Last line to show, included, 1 or more, default the last line. E.g. 160.
    #[garde(range(min = 1))]
    end_line: Option<i64>,
    /// Character of start_line to begin at, 1 or more, default 1; for very long lines. E.g. 8001.
    #[garde(range(min = 1))]
    start_column: Option<i64>,
    /// Only the section with this heading, sub-sections included, 1 to 200 characters. E.g. "Next steps"; not together with
    /// lines.
    #[garde(length(chars, min = 1, max = 200))]
    section: Option<String>,
    /// next_cursor of the previous answer for this note. E.g. "AV9s…"; it decides where to go on.
    #[garde(length(chars, max = 4096))]
    cursor: Option<String>,
    /// concise (default): the text; detailed: also date, modified, size, tags and outline. E.g. "detailed".
    #[garde(skip)]
    #[serde(default)]
    response_format: Format,
}

/// What read_note gives.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReadAnswer {
    /// The note's path.
    file: String,
    /// The note's title.
    title: String,
    /// Lines of the whole note.
    total_lines: usize,
    /// First line shown.
    start_line: usize,
    /// Last line shown.
    end_line: usize,
    /// Whether the answer was cut before the end of what was asked for.
    truncated: bool,
    /// What to do next, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    /// Pass it as cursor to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    /// The file's encoding, when it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<String>,
    /// The note's day.
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    /// When the file was last modified, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    modified: Option<String>,
    /// Size of the file in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    size_bytes: Option<u64>,
    /// Tags, without #.
    #[serde(skip_serializing_if = "Option::is_none")]
    tags: Option<Vec<String>>,
    /// The headings.
    #[serde(skip_serializing_if = "Option::is_none")]
    outline: Option<Vec<OutlineEntry>>,
    /// The lines as they are in the file.
    text: String,
}

/// A heading in the outline.
#[derive(Debug, Serialize, JsonSchema)]
struct OutlineEntry {
    /// Its line.
    line: usize,
    /// 1 for the topmost.
    level: usize,
    /// Its text.
    heading: String,
}

/// Of the budget, what tags and outline may take together, in bytes; the rest is for the text.
const MAX_OUTLINE_BYTES: usize = 8_000;

impl Arguments for ReadArguments {
    const SYNONYMS: &'static [(&'static str, &'static str)] = &[
        ("file", "filename"),
        ("path", "filename"),
        ("file_name", "filename"),
        ("filepath", "filename"),
        ("file_path", "filename"),
        ("name", "filename"),
        ("note", "filename"),
        ("note_name", "filename"),
        ("note_path", "filename"),
        ("title", "filename"),
        ("id", "filename"),
        ("uri", "filename"),
        ("文件名", "filename"),
        ("offset", "start_line"),
        ("line", "start_line"),
        ("from_line", "start_line"),
        ("start", "start_line"),
        ("line_start", "start_line"),
        ("end", "end_line"),
        ("to_line", "end_line"),
        ("line_end", "end_line"),
        ("column", "start_column"),
        ("heading", "section"),
        ("header", "section"),
        ("chapter", "section"),
        ("format", "response_format"),
        ("output_format", "response_format"),
        ("detail", "response_format"),
        ("next_cursor", "cursor"),
        ("page_token", "cursor"),
    ];
    const KEEPS_BLANKS: &'static [&'static str] = &["filename"];

    fn check(&self, _clock: &Clock) -> Vec<Problem> {
        const LINES: &[&str] = &["start_line", "end_line", "start_column"];
        let mut problems = Vec::new();
        if let (Some(start), Some(end)) = (self.start_line, self.end_line)
            && end < start
        {
            let words = format!("must not be before start_line; got start_line {start} and end_line {end}");
            let swapped = Fix::Set(vec![("start_line", json!(end)), ("end_line", json!(start))]);
            problems.push(Problem::new("end_line", words, &["start_line", "end_line"], swapped));
        }
        let given: Vec<&str> = [self.start_line, self.end_line, self.start_column]
            .iter()
            .zip(LINES)
            .filter_map(|(value, name)| value.map(|_| *name))
            .collect();
        if let Some(section) = self.section.as_ref().filter(|_| !given.is_empty()) {
            let words = format!(
                "must not be given together with {}: either a section or lines; got {}",
                given.join(" and "),
                quoted(section)
            );
            problems.push(Problem::new("section", words, &["section"], Fix::Drop(LINES)));
        }
        if let Some(cursor) = self.cursor.as_ref().filter(|cursor| Resume::read(cursor).is_err()) {
            let words = format!(
                "is damaged: it must be the next_cursor of the previous answer, unchanged; repeat the call without it; got {}",
                quoted(cursor)
            );
            problems.push(Problem::new("cursor", words, &["cursor"], Fix::Drop(&["cursor"])));
        }
        problems
    }
}

/// Where a cursor goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Resume {
    file: u64,
    version: u64,
    from: Place,
    last_line: usize,
}

impl Resume {
    fn read(cursor: &str) -> Result<Self, Damaged> {
        let mut reader = Reader::new(ReadNote::NAME, cursor)?;
        let (file, version) = (reader.number()?, reader.number()?);
        let from = Place { line: reader.small()?, column: reader.small()? };
        Ok(Self { file, version, from, last_line: reader.small()? })
    }

    fn write(&self) -> String {
        let mut writer = Writer::new(ReadNote::NAME);
        for number in [self.file, self.version, self.from.line as u64, self.from.column as u64, self.last_line as u64] {
            writer.number(number);
        }
        writer.finish()
    }
}

impl Tool for ReadNote {
    const NAME: &'static str = "read_note";
    const TITLE: &'static str = "Read a note";
    const DESCRIPTION: &'static str = "Read one of the user's notes: whole, some lines, or one section. Give filename as \
        search_notes returned it; a bare name or [[wiki link]] works too. A long note comes in pages: when truncated is true, \
        go on as hint says, or with next_cursor. Line numbers are those of the file, as in search hits, so to see more around a \
        hit read from a few lines before it. response_format detailed adds date, tags and the outline with line numbers.";
    type Arguments = ReadArguments;
    type Answer = ReadAnswer;

    fn run(arguments: &Valid<ReadArguments>, call: &Call) -> Result<ReadAnswer, ToolError> {
        let (note, suffix) = call
            .notes
            .read(&arguments.filename, &call.clock, &call.watch)
            .map_err(|error| wording::words(error, "filename", &arguments.filename, &call.notes))?;
        let part = match &arguments.cursor {
            Some(cursor) => resumed(cursor, &note)?,
            None => asked_for(arguments, &suffix, &note)?,
        };
        let mut answer = ReadAnswer {
            title: beginning(&note.metadata.title, MAX_CHARACTERS).trim().to_owned(),
            total_lines: note.total_lines,
            start_line: part.from.line,
            end_line: part.from.line,
            truncated: false,
            hint: None,
            next_cursor: None,
            encoding: (note.encoding != "UTF-8").then(|| note.encoding.to_owned()),
            date: None,
            modified: None,
            size_bytes: None,
            tags: None,
            outline: None,
            text: String::new(),
            file: note.file.clone(),
        };
        let mut notice = None;
        if arguments.response_format == Format::Detailed {
            notice = add_details(&mut answer, &note, &call.clock);
        }
        if note.total_lines == 0 {
            answer.end_line = 0;
            answer.hint = Some("The note is empty: there is no text to read.".to_owned());
            return Ok(answer);
        }
        page::fill(&mut answer, &note, part, notice);
        Ok(answer)
    }
}

/// The part of the note at which a cursor goes on.
fn resumed(cursor: &str, note: &Note) -> Result<Part, ToolError> {
    let problem = |words: String| {
        let words = format!("{words}; repeat the call without it, with start_line if need be; got {}", quoted(cursor));
        ToolError::Arguments(vec![Problem::new("cursor", words, &["cursor"], Fix::Drop(&["cursor"]))])
    };
    let Ok(resume) = Resume::read(cursor) else { return Err(problem("is damaged".to_owned())) };
    if resume.file != binding(&note.file) {
        return Err(problem(format!("belongs to another note than {}", quoted(&note.file))));
    }
    if resume.version != note.version {
        return Err(problem("is out of date: the note has changed since the page before".to_owned()));
    }
    Ok(Part { from: resume.from, last_line: resume.last_line })
}

/// The part of the note that the arguments ask for, else what the name says.
fn asked_for(arguments: &ReadArguments, suffix: &Suffix, note: &Note) -> Result<Part, ToolError> {
    let line = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
    let has_lines = arguments.start_line.is_some() || arguments.end_line.is_some();
    let total = note.total_lines;
    let section = arguments
        .section
        .as_ref()
        .or(suffix.section.as_ref().filter(|_| !has_lines && arguments.start_column.is_none()));
    if let Some(section) = section {
        let (first, last) = note.section(section).map_err(|error| no_section(&error, section, note))?;
        return Ok(Part { from: Place { line: first, column: 1 }, last_line: last });
    }
    let (mut first, mut last) = (arguments.start_line.map(line), arguments.end_line.map(line));
    let mut fixed = Map::new();
    if !has_lines && let Some((start, end)) = suffix.lines {
        first = Some(usize::try_from(start.max(1)).unwrap_or(usize::MAX));
        last = end.map(|end| usize::try_from(end).unwrap_or(usize::MAX));
        last = last.filter(|last| first.is_none_or(|first| *last >= first));
        fixed.insert("filename".to_owned(), json!(note.file));
    }
    let first = first.unwrap_or(1);
    if first > total.max(1) {
        return Err(beyond_the_end(first, note, fixed));
    }
    let column = arguments.start_column.map_or(1, line);
    if column > 1 {
        let length = note.text.split('\n').nth(first - 1).map_or(0, |text| text.chars().count());
        if column > length.max(1) {
            let words = format!(
                "must be at most {}, the number of characters of line {first} of {}; got {column}",
                length.max(1),
                quoted(&note.file)
            );
            let fix = Fix::Set(vec![("start_column", json!(length.max(1)))]);
            return Err(ToolError::Arguments(vec![Problem::new("start_column", words, &["start_column"], fix)]));
        }
    }
    Ok(Part { from: Place { line: first, column }, last_line: last.unwrap_or(total).min(total) })
}

fn beyond_the_end(first: usize, note: &Note, fixed: Map<String, Value>) -> ToolError {
    let total = note.total_lines;
    let words = if total == 0 {
        format!("must be left out or 1: {} is empty; got {first}", quoted(&note.file))
    } else {
        format!("must be at most {total}, the number of lines of {}; got {first}", quoted(&note.file))
    };
    let mut values = vec![("start_line", json!(total.max(1)))];
    if let Some(file) = fixed.get("filename") {
        values.push(("filename", file.clone()));
    }
    let fix = if total == 0 { Fix::Drop(&["start_line", "end_line", "start_column"]) } else { Fix::Set(values) };
    ToolError::Arguments(vec![Problem::new("start_line", words, &["start_line"], fix)])
}

fn no_section(error: &NoSection, section: &str, note: &Note) -> ToolError {
    /// Headings that are listed at most.
    const MOST: usize = 30;
    let headings = &note.metadata.headings;
    let (file, section) = (quoted(&note.file), quoted(section));
    ToolError::ForModel(match error {
        NoSection::Missing if headings.is_empty() => {
            format!("{file} has no headings, so it has no section {section}. Leave section out to read the whole note")
        }
        NoSection::Missing => {
            let listed: Vec<String> = headings
                .iter()
                .take(MOST)
                .map(|heading| format!("{} (line {})", json(&beginning(&shown(&heading.text), 80)), heading.line))
                .collect();
            let rest = headings.len() - listed.len();
            let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
            format!(
                "{file} has no section {section}. Its headings: {}{rest}. Give one of them as section, or leave section out",
                listed.join(", ")
            )
        }
        NoSection::Ambiguous(lines) => {
            let shown: Vec<String> = lines.iter().take(MOST).map(ToString::to_string).collect();
            let rest = if lines.len() > MOST { format!(" and {} more", lines.len() - MOST) } else { String::new() };
            format!(
                "{file} has {} sections {section}, on lines {}{rest}. Give one of these lines as start_line instead of section",
                lines.len(),
                shown.join(", ")
            )
        }
    })
}

/// Adds what a detailed answer has. What of it had to be left out, in words.
fn add_details(answer: &mut ReadAnswer, note: &Note, clock: &Clock) -> Option<String> {
    let modified = note.modified.to_zoned_datetime(clock.time_zone());
    answer.date = Some(note.date.to_string());
    answer.modified = Some(modified.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string());
    answer.size_bytes = Some(note.size_bytes);
    let mut room = MAX_OUTLINE_BYTES;
    let mut fits = |bytes: usize| {
        let fits = bytes <= room;
        room = room.saturating_sub(bytes);
        fits
    };
    let tags = &note.metadata.tags;
    let shown_tags: Vec<String> =
        tags.iter().map(|tag| beginning(&shown(tag), 100)).take_while(|tag| fits(json(tag).len() + 1)).collect();
    let headings = &note.metadata.headings;
    let outline: Vec<OutlineEntry> = headings
        .iter()
        .map(|heading| OutlineEntry {
            line: heading.line,
            level: heading.level,
            heading: beginning(&shown(&heading.text), MAX_CHARACTERS),
        })
        .take_while(|entry| fits(json(&entry.heading).len() + 48))
        .collect();
    let mut left_out = Vec::new();
    if shown_tags.len() < tags.len() {
        left_out.push(format!("the first {} of {} tag{}", shown_tags.len(), tags.len(), plural(tags.len() as u64)));
    }
    if outline.len() < headings.len() {
        left_out.push(format!("the first {} of {} headings", outline.len(), headings.len()));
    }
    (answer.tags, answer.outline) = (Some(shown_tags), Some(outline));
    (!left_out.is_empty()).then(|| format!("Only {} are listed.", left_out.join(" and ")))
}
