//! An answer as a page for people: hits under their note with the match marked, a note with its lines numbered.
//!
//! It reads the answer's JSON, so a tool it does not know is still shown. Colours are always written; the writer takes
//! them off where they are not wanted.

use std::io::{self, Write};
use std::ops::Range;

use anstyle::{AnsiColor, Style};
use serde_json::{Map, Value};

use crate::notes::fold::{fold, unfolded};
use crate::notes::query::{Query, Scope};
use crate::tools::wording::plural;

const FILE: Style = AnsiColor::Magenta.on_default().bold();
const LINE: Style = AnsiColor::Green.on_default();
const MATCH: Style = AnsiColor::Red.on_default().bold();
const QUIET: Style = Style::new().dimmed();
const STRONG: Style = Style::new().bold();

/// Prints the answer of a tool that was called with these arguments.
pub(super) fn print(tool: &str, arguments: &Map<String, Value>, json: &str, out: &mut impl Write) -> io::Result<()> {
    let answer: Value = serde_json::from_str(json)?;
    match tool {
        "search_notes" => hits(&answer, query(arguments).as_ref(), out),
        "read_note" => note(&answer, out),
        _ => writeln!(out, "{answer:#}"),
    }
}

/// What the keyword looks for, as the tool read it; `None` when it matches by name alone.
fn query(arguments: &Map<String, Value>) -> Option<Query> {
    let text = |name| arguments.get(name).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    let keyword = text("keyword").filter(|keyword| keyword != "*")?;
    match text("match").unwrap_or_default().trim().to_lowercase().as_str() {
        "phrase" => Some(Query::phrase(&keyword, Scope::All)),
        "regex" => Query::regex(&keyword, Scope::All).ok(),
        _ => Some(Query::words(&keyword, Scope::All)),
    }
}

fn hits(answer: &Value, query: Option<&Query>, out: &mut impl Write) -> io::Result<()> {
    let (total, notes) = (number(answer, "total"), number(answer, "total_notes"));
    let what = if query.is_none() { String::new() } else { format!("{total} hit{} in ", plural(total)) };
    writeln!(out, "{STRONG}{what}{notes} note{}{STRONG:#}", plural(notes))?;
    if let Some(dates) = answer.get("dates") {
        let day = |end| text(dates, end).unwrap_or("…");
        writeln!(out, "{QUIET}dated {} to {}{QUIET:#}", day("from"), day("to"))?;
    }
    let none = Vec::new();
    let hits = answer.get("hits").and_then(Value::as_array).unwrap_or(&none);
    let width = hits.iter().map(|hit| last_line(hit).to_string().len()).max().unwrap_or_default();
    let mut last_file = None;
    for hit in hits {
        let file = text(hit, "file");
        if file != last_file {
            writeln!(out, "\n{FILE}{}{FILE:#}{}", file.unwrap_or_default(), about(hit))?;
            last_file = file;
        } else if has_context(hit) {
            writeln!(out)?;
        }
        print_hit(hit, query, width, out)?;
    }
    ending(answer, out)
}

/// The title, day and tags that a detailed hit has.
fn about(hit: &Value) -> String {
    let title = text(hit, "title").map(|title| format!("  {title}")).unwrap_or_default();
    let date = text(hit, "date").map(|date| format!("  {QUIET}{date}{QUIET:#}")).unwrap_or_default();
    let tags = hit.get("tags").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    tags.fold(title + &date, |about, tag| format!("{about}  {QUIET}#{tag}{QUIET:#}"))
}

fn print_hit(hit: &Value, query: Option<&Query>, width: usize, out: &mut impl Write) -> io::Result<()> {
    let (line, shown) = (number(hit, "line"), marked(text(hit, "text").unwrap_or_default(), query));
    if text(hit, "matched") == Some("name") {
        writeln!(out, "{:width$}  {shown}", "")?;
        for opening in hit.get("after").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
            writeln!(out, "{QUIET}{:width$}  {opening}{QUIET:#}", "")?;
        }
        return Ok(());
    }
    if let Some(heading) = text(hit, "heading") {
        writeln!(out, "{:width$}  {QUIET}{heading}{QUIET:#}", "")?;
    }
    let around = |name| hit.get(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let before = around("before");
    let first = line.saturating_sub(before.clone().count() as u64);
    for (number, text) in (first..).zip(before) {
        writeln!(out, "{QUIET}{number:width$}  {text}{QUIET:#}")?;
    }
    writeln!(out, "{LINE}{line:width$}{LINE:#}  {shown}")?;
    for (number, text) in (line + 1..).zip(around("after")) {
        writeln!(out, "{QUIET}{number:width$}  {text}{QUIET:#}")?;
    }
    Ok(())
}

/// Whether lines around the hit are shown, so that it needs room of its own.
fn has_context(hit: &Value) -> bool {
    ["heading", "before", "after"].iter().any(|name| hit.get(name).is_some())
}

/// The number of the last line that is shown of a hit.
fn last_line(hit: &Value) -> u64 {
    number(hit, "line") + hit.get("after").and_then(Value::as_array).map_or(0, |after| after.len() as u64)
}

fn note(answer: &Value, out: &mut impl Write) -> io::Result<()> {
    let (first, last, total) =
        (number(answer, "start_line"), number(answer, "end_line"), number(answer, "total_lines"));
    let encoding = text(answer, "encoding").map(|encoding| format!(", {encoding}")).unwrap_or_default();
    writeln!(out, "{STRONG}{}{STRONG:#}", text(answer, "title").unwrap_or_default())?;
    let lines = if total == 0 { "empty".to_owned() } else { format!("lines {first} to {last} of {total}") };
    writeln!(out, "{FILE}{}{FILE:#}{QUIET}, {lines}{encoding}{QUIET:#}", text(answer, "file").unwrap_or_default())?;
    for (name, what) in [("date", "dated"), ("modified", "modified")] {
        if let Some(value) = text(answer, name) {
            writeln!(out, "{QUIET}{what} {value}{QUIET:#}")?;
        }
    }
    let tags: Vec<&str> =
        answer.get("tags").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    if !tags.is_empty() {
        writeln!(out, "{QUIET}tags {}{QUIET:#}", tags.join(", "))?;
    }
    writeln!(out)?;
    if last >= first {
        let width = last.to_string().len();
        for (number, line) in (first..).zip(text(answer, "text").unwrap_or_default().split('\n')) {
            writeln!(out, "{LINE}{number:width$}{LINE:#}  {line}")?;
        }
    }
    ending(answer, out)
}

/// What was left out, what to do next, and how to go on.
fn ending(answer: &Value, out: &mut impl Write) -> io::Result<()> {
    if let Some(hint) = text(answer, "hint") {
        writeln!(out, "\n{QUIET}{hint}{QUIET:#}")?;
    }
    if let Some(cursor) = text(answer, "next_cursor") {
        writeln!(out, "{QUIET}next_cursor: {cursor}{QUIET:#}")?;
    }
    Ok(())
}

/// The text with what the query matches in it marked.
fn marked(text: &str, query: Option<&Query>) -> String {
    let mut out = String::new();
    let mut done = 0;
    for range in query.map(|query| matches(text, query)).unwrap_or_default() {
        let start = range.start.max(done);
        if range.end > start {
            out.push_str(&text[done..start]);
            out.push_str(&format_match(&text[start..range.end]));
            done = range.end;
        }
    }
    out + &text[done..]
}

fn format_match(text: &str) -> String {
    format!("{MATCH}{text}{MATCH:#}")
}

/// Where a query matches in a text, in order; ranges may overlap.
fn matches(text: &str, query: &Query) -> Vec<Range<usize>> {
    if query.needs_original() {
        return query.matches_in(text).into_iter().map(|(_, range)| range).collect();
    }
    let folded = fold(text);
    let original =
        |range: Range<usize>| unfolded(text, range.start).start..unfolded(text, range.end.saturating_sub(1)).end;
    query
        .matches_in(&folded)
        .into_iter()
        .filter(|(_, range)| !range.is_empty())
        .map(|(_, range)| original(range))
        .collect()
}

fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name).and_then(Value::as_str)
}

fn number(value: &Value, name: &str) -> u64 {
    value.get(name).and_then(Value::as_u64).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The page with its colours as words, so that a test shows them.
    fn page(tool: &str, arguments: &Value, answer: &Value) -> String {
        let mut out = Vec::new();
        print(tool, arguments.as_object().unwrap(), &answer.to_string(), &mut out).unwrap();
        let mut text = String::from_utf8(out).unwrap();
        for (style, open, close) in
            [(MATCH, "<", ">"), (QUIET, "(", ")"), (FILE, "", ""), (LINE, "", ""), (STRONG, "", "")]
        {
            let code = style.render().to_string();
            let reset = style.render_reset().to_string();
            while let Some(at) = text.find(&code) {
                let end = at + text[at..].find(&reset).expect("a style ends");
                text = format!(
                    "{}{open}{}{close}{}",
                    &text[..at],
                    &text[at + code.len()..end],
                    &text[end + reset.len()..]
                );
            }
        }
        text
    }

    #[test]
    fn hits_stand_under_their_note_with_the_match_marked() {
        let answer = json!({"total": 3, "total_notes": 2, "truncated": true, "hint": "More follow.", "next_cursor": "AQ3k",
        "hits": [
            {"file": "a.md", "line": 9, "text": "Café and CAFE"},
            {"file": "a.md", "line": 120, "text": "ｃａｆｅ!"},
            {"file": "b.md", "line": 1, "text": "The Café", "matched": "name"},
        ]});
        let expected = "3 hits in 2 notes\n\na.md\n  9  <Café> and <CAFE>\n120  <ｃａｆｅ>!\n\nb.md\n     The <Café>\n\n\
            (More follow.)\n(next_cursor: AQ3k)\n";
        assert_eq!(page("search_notes", &json!({"keyword": "cafe"}), &answer), expected);
    }

    #[test]
    fn a_detailed_hit_shows_what_is_around_it() {
        let answer = json!({"total": 1, "total_notes": 1, "dates": {"from": "2026-01-01"}, "hits": [{"file": "a.md", "line": 9,
            "text": "x1", "title": "T", "date": "2026-02-03", "heading": "A > B", "before": ["p"], "after": ["q", "r"]}]});
        let expected = "1 hit in 1 note\n(dated 2026-01-01 to …)\n\na.md  T  (2026-02-03)\n    (A > B)\n( 8  p)\n 9  <x1>\n(10  q)\n(11  r)\n";
        assert_eq!(page("search_notes", &json!({"keyword": "X\\d", "match": "regex"}), &answer), expected);
    }

    #[test]
    fn a_list_of_all_notes_marks_nothing() {
        let answer = json!({"total": 1, "total_notes": 1, "hits": [{"file": "*.md", "line": 1, "text": "a * b", "matched": "name"}]});
        assert_eq!(page("search_notes", &json!({"keyword": "*"}), &answer), "1 note\n\n*.md\n   a * b\n");
    }

    #[test]
    fn a_note_is_shown_with_its_line_numbers() {
        let answer = json!({"file": "a.txt", "title": "T", "total_lines": 12, "start_line": 9, "end_line": 10, "truncated": false,
            "encoding": "GBK", "date": "2026-02-03", "tags": ["x", "y"], "text": "一\n二"});
        let expected = "T\na.txt(, lines 9 to 10 of 12, GBK)\n(dated 2026-02-03)\n(tags x, y)\n\n 9  一\n10  二\n";
        assert_eq!(page("read_note", &json!({}), &answer), expected);
        let empty = json!({"file": "e.md", "title": "e", "total_lines": 0, "start_line": 1, "end_line": 0, "hint": "Empty.", "text": ""});
        assert_eq!(page("read_note", &json!({}), &empty), "e\ne.md(, empty)\n\n\n(Empty.)\n");
    }

    #[test]
    fn the_answer_of_a_tool_unknown_here_is_shown_as_it_is() {
        assert_eq!(page("later_tool", &json!({}), &json!({"a": 1})), "{\n  \"a\": 1\n}\n");
    }

    #[test]
    fn words_that_overlap_are_marked_once() {
        let query = Query::words("abc bcd", Scope::All);
        let plain = |text: &str| anstream::adapter::strip_str(text).to_string();
        let shown = marked("xabcdx", Some(&query));
        assert_eq!(plain(&shown), "xabcdx");
        assert_eq!(shown.matches(&MATCH.render().to_string()).count(), 2);
    }
}
