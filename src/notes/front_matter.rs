//! Front matter: the YAML between `---` lines at the top of a note, and the few things that are read from it.
//!
//! YAML is read as events with a limit on size and depth; aliases are not expanded, so a YAML bomb is just a short text.
//! Scalars are taken as they are written (`title: 007` stays `007`). Broken front matter is no error: the note merely has
//! no metadata, and all its lines are body.

use jiff::civil::Date;
use saphyr_parser::{Event, Parser, ScalarStyle};

use super::date::written_day;

/// Longer front matter is taken for broken: no person writes it, and parsing must stay cheap.
const MAX_YAML_BYTES: usize = 64 * 1024;

/// Deeper nesting is taken for broken; nothing that is read here is deeper than two.
const MAX_DEPTH: usize = 64;

/// What the front matter of a note says, and where its body begins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FrontMatter {
    /// `title`, blanks and line ends inside made single blanks.
    pub title: Option<String>,
    /// `aliases`, a list or a single one.
    pub aliases: Vec<String>,
    /// `tags` and `tag`, without `#`, as written otherwise.
    pub tags: Vec<String>,
    /// `date`, else `created`, as a calendar day.
    pub date: Option<Date>,
    /// Where the body begins in the text, in bytes; 0 without front matter.
    pub body_at: usize,
    /// How many lines stand before the body.
    pub lines: usize,
}

/// Reads the front matter at the top of a text with LF line ends.
pub fn read(text: &str) -> FrontMatter {
    block(text).and_then(|(yaml, body_at, lines)| read_yaml(yaml, body_at, lines)).unwrap_or_default()
}

/// Whether the front matter of a text may say what its lines do not hold letter for letter: YAML escapes begin with `\\`.
pub fn has_escapes(text: &str) -> bool {
    block(text).is_some_and(|(yaml, ..)| yaml.contains('\\'))
}

/// The YAML between the lines of dashes, where the body begins, and the lines before it.
fn block(text: &str) -> Option<(&str, usize, usize)> {
    if !text.starts_with("---") {
        return None;
    }
    let first = text.split_inclusive('\n').next()?;
    if first.trim_end() != "---" {
        return None;
    }
    let mut at = first.len();
    for (index, line) in text[at..].split_inclusive('\n').enumerate() {
        let end = at + line.len();
        if line.len() <= 64 && matches!(line.trim_end(), "---" | "...") {
            return Some((&text[first.len()..at], end, index + 2));
        }
        at = end;
    }
    None
}

fn read_yaml(yaml: &str, body_at: usize, lines: usize) -> Option<FrontMatter> {
    if yaml.len() > MAX_YAML_BYTES {
        return None;
    }
    let mut found = FrontMatter { body_at, lines, ..FrontMatter::default() };
    let mut created = None;
    for (key, value) in top_level(yaml)? {
        match key.as_str() {
            "title" => found.title = value.scalar().map(one_line).filter(|title| !title.is_empty()).or(found.title),
            "aliases" => found.aliases = value.scalars(),
            "tags" | "tag" => found.tags.extend(value.tags()),
            "date" => found.date = value.scalar().and_then(written_day),
            "created" => created = value.scalar().and_then(written_day),
            _ => {}
        }
    }
    found.date = found.date.or(created);
    Some(found)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A value, as far as it matters here.
enum Value {
    Scalar(String),
    List(Vec<String>),
    /// Null, a mapping, an alias.
    Other,
}

impl Value {
    fn scalar(&self) -> Option<&str> {
        if let Self::Scalar(text) = self { Some(text) } else { None }
    }

    fn scalars(self) -> Vec<String> {
        match self {
            Self::Scalar(text) => vec![text],
            Self::List(texts) => texts,
            Self::Other => Vec::new(),
        }
    }

    fn tags(self) -> Vec<String> {
        let written = match self {
            Self::Scalar(text) => text.split(',').map(str::to_owned).collect(),
            other => other.scalars(),
        };
        let bare = |tag: &String| tag.trim().trim_start_matches('#').trim_matches(['/', ' ']).to_owned();
        written.iter().map(bare).filter(|tag| !tag.is_empty()).collect()
    }
}

/// The pairs of the mapping that the YAML is; `None` when it is broken or something else.
fn top_level(yaml: &str) -> Option<Vec<(String, Value)>> {
    let mut events = Parser::new_from_str(yaml);
    let mut next = || events.next_event().and_then(Result::ok).map(|(event, _)| event);
    let mut pairs = Vec::new();
    loop {
        match next()? {
            Event::MappingStart(..) => break,
            Event::StreamEnd => return Some(pairs), // nothing but comments
            Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing => {}
            Event::Scalar(text, ScalarStyle::Plain, ..) if text.is_empty() => {}
            _ => return None,
        }
    }
    loop {
        let key = match next()? {
            Event::MappingEnd => break,
            Event::Scalar(text, ..) => Some(text.into_owned()),
            start => skip(&start, &mut next).map(|()| None)?,
        };
        let value = match next()? {
            Event::Scalar(text, style, ..) => scalar(&text, style).map_or(Value::Other, Value::Scalar),
            Event::SequenceStart(..) => Value::List(list(&mut next)?),
            start => skip(&start, &mut next).map(|()| Value::Other)?,
        };
        if let Some(key) = key.filter(|key| pairs.iter().all(|(known, _)| known != key)) {
            pairs.push((key, value));
        }
    }
    loop {
        match next()? {
            Event::StreamEnd => return Some(pairs),
            Event::DocumentEnd | Event::Nothing => {}
            _ => return None,
        }
    }
}

fn list<'a>(next: &mut impl FnMut() -> Option<Event<'a>>) -> Option<Vec<String>> {
    let mut texts = Vec::new();
    loop {
        match next()? {
            Event::SequenceEnd => return Some(texts),
            Event::Scalar(text, style, ..) => texts.extend(scalar(&text, style)),
            start => skip(&start, next)?,
        }
    }
}

/// Passes over the rest of what `start` begins.
fn skip<'a>(start: &Event<'a>, next: &mut impl FnMut() -> Option<Event<'a>>) -> Option<()> {
    let is_start = |event: &Event| matches!(event, Event::SequenceStart(..) | Event::MappingStart(..));
    let mut depth = usize::from(is_start(start));
    while depth > 0 {
        let event = next()?;
        if is_start(&event) {
            depth += 1;
        } else if matches!(event, Event::SequenceEnd | Event::MappingEnd) {
            depth -= 1;
        }
        if depth > MAX_DEPTH {
            return None;
        }
    }
    Some(())
}

/// The text of a scalar as written, `None` for null and for blank.
fn scalar(text: &str, style: ScalarStyle) -> Option<String> {
    let text = text.trim();
    let is_null = style == ScalarStyle::Plain && matches!(text, "~" | "null" | "Null" | "NULL");
    (!is_null && !text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(yaml: &str) -> Vec<String> {
        read(&format!("---\n{yaml}\n---\nbody\n")).tags
    }

    #[test]
    fn tags_come_in_every_form_people_write() {
        for yaml in ["tags: a, x", "tags: [a, '#x']", "tags:\n  - a\n  - x", "tags:\n- a\n- \"#x\"", "tags: a\ntag: x"]
        {
            assert_eq!(tags(yaml), ["a", "x"], "{yaml}");
        }
        assert_eq!(tags("tags: 2026"), ["2026"]);
        assert_eq!(tags("tags: null"), [""; 0]);
        assert_eq!(tags("tags:"), [""; 0]);
        assert_eq!(tags("tags: [Work/Deep, {a: b}, [c]]"), ["Work/Deep"]);
    }

    #[test]
    fn scalars_are_taken_as_written() {
        let title = |yaml: &str| read(&format!("---\ntitle: {yaml}\n---\n")).title;
        assert_eq!(title("007").as_deref(), Some("007"));
        assert_eq!(title("\"Caf\\u00e9: one\"").as_deref(), Some("Café: one"));
        assert_eq!(title("|\n  two\n  lines").as_deref(), Some("two lines"));
        assert_eq!([title("null"), title("''"), title("[x, y]"), title("~")], [None, None, None, None]);
    }

    #[test]
    fn the_body_begins_after_the_closing_line() {
        let found = read("---\ndate: 2026-02-03 10:00\n...\nbody\n");
        assert_eq!((found.body_at, found.lines, found.date), (31, 3, Some(jiff::civil::date(2026, 2, 3))));
        assert_eq!(read("---\n---\nbody").lines, 2);
        assert_eq!(read("---\n# only a comment\n---\nbody").lines, 3);
    }

    #[test]
    fn broken_front_matter_is_no_front_matter() {
        let deep = format!("---\nx: {}{}\n---\n", "[".repeat(20_000), "]".repeat(20_000));
        let bomb = format!("---\na: &a [x]\n{}---\n", "b: [*a, *a]\n".repeat(100_000));
        for text in [
            "---\ntitle: a: b\n---\nx\n",
            "---\nx: [\n---\nx\n",
            "---\ntitle: open\n\nx\n",
            "----\na: b\n----\n",
            "---\n- a\n---\n",
            &deep,
            &bomb,
        ] {
            assert_eq!(read(text), FrontMatter::default(), "{text:.40}");
        }
    }
}
