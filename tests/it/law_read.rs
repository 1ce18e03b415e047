//! Laws of `read_note`: pages joined give the text back, whatever the text and wherever reading begins.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::calling::Tools;
use crate::fixture::Folder;

/// A line and what ends it. Long ones exceed a page by themselves.
fn line() -> impl Strategy<Value = String> {
    let pieces = vec![
        "heron ",
        "生存",
        "👩‍🍳",
        "é",
        "e\u{301}",
        "\t",
        "\"",
        "\\",
        "\u{1b}[1m",
        "\u{7f}",
        "\u{85}",
        "\u{b}",
        "\u{2028}",
        "`",
        "\u{200b}",
        " ",
        "\u{feff}",
    ];
    let short = vec(select(pieces), 0..12).prop_map(|pieces| pieces.concat());
    prop_oneof![
        30 => short.clone(),
        2 => (short.clone(), 200..2_000_usize).prop_map(|(piece, times)| piece.repeat(times)),
        4 => (short, 10..100_usize).prop_map(|(piece, times)| piece.repeat(times)),
    ]
}

fn text() -> impl Strategy<Value = String> {
    let ended = (line(), select(vec!["\n", "\n", "\r\n", "\r"])).prop_map(|(line, end)| format!("x{line}{end}"));
    (vec(ended, 0..60), line()).prop_map(|(lines, last)| lines.concat() + &last)
}

/// The lines of a text, as they are shown.
fn lines(text: &str) -> Vec<String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let unified = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut lines: Vec<String> = unified.split('\n').map(shown).collect();
    if lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

fn shown(line: &str) -> String {
    line.chars()
        .map(|char| match char {
            '\t' => '\t',
            '\u{7f}' => '␡',
            '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(char)).unwrap(),
            '\u{80}'..='\u{9f}' => '\u{fffd}',
            _ => char,
        })
        .collect()
}

/// The call that a hint names.
fn named_call(hint: &str) -> Value {
    let arguments = hint.split_once("read_note ").unwrap_or_else(|| panic!("no call in: {hint}")).1;
    serde_json::Deserializer::from_str(arguments).into_iter().next().unwrap().unwrap()
}

/// All pages from a call on, joined, and how many there were.
fn joined(tools: &Tools, arguments: &Value) -> (String, usize) {
    let mut page = tools.read(arguments);
    let (mut text, mut pages) = (page["text"].as_str().unwrap().to_owned(), 1);
    while let Some(cursor) = page.get("next_cursor").cloned() {
        let mut further = arguments.clone();
        further["cursor"] = cursor;
        let next = tools.read(&further);
        let by_hint = tools.read(&named_call(page["hint"].as_str().unwrap()));
        for member in ["start_line", "text", "truncated", "end_line"] {
            let is_bounded = arguments.get("end_line").is_some();
            assert!(is_bounded || by_hint[member] == next[member], "the hint leads elsewhere: {}", page["hint"]);
        }
        if next["start_line"] != page["end_line"] {
            text.push('\n');
        }
        text.push_str(next["text"].as_str().unwrap());
        page = next;
        pages += 1;
        assert!(pages < 100, "pages without end");
    }
    (text, pages)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, ..ProptestConfig::default() })]

    #[test]
    fn pages_joined_give_the_text_back(text in text(), at in 0.0..1.0_f64, until in 0.0..1.0_f64) {
        let lines = lines(&text);
        let folder = Folder::with([("n.md", &text)]);
        let tools = Tools::on(folder.settings());
        let (whole, _) = joined(&tools, &json!({ "filename": "n.md" }));
        prop_assert_eq!(&whole, &lines.join("\n"));
        let first = tools.read(&json!({ "filename": "n.md" }));
        prop_assert_eq!(&first["total_lines"], lines.len());
        if !lines.is_empty() {
            let pick = |share: f64| ((lines.len() as f64 * share) as usize).min(lines.len() - 1);
            let (start, end) = (pick(at).min(pick(until)), pick(at).max(pick(until)));
            let (some, _) = joined(&tools, &json!({ "filename": "n.md", "start_line": start + 1 }));
            prop_assert_eq!(&some, &lines[start..].join("\n"));
            let (some, _) = joined(&tools, &json!({ "filename": "n.md", "start_line": start + 1, "end_line": end + 1 }));
            prop_assert_eq!(&some, &lines[start..=end].join("\n"));
        }
    }

    #[test]
    fn a_column_counts_characters(line in line(), at in 0.0..1.0_f64) {
        let characters: Vec<char> = shown(&line).chars().collect();
        prop_assume!(!characters.is_empty() && !line.starts_with('\u{feff}'));
        let start = ((characters.len() as f64 * at) as usize).min(characters.len() - 1);
        let folder = Folder::with([("n.md", format!("first\n{line}\nlast\n"))]);
        let tools = Tools::on(folder.settings());
        let arguments = json!({ "filename": "n.md", "start_line": 2, "start_column": start + 1 });
        let (rest, _) = joined(&tools, &arguments);
        prop_assert_eq!(rest, characters[start..].iter().collect::<String>() + "\nlast");
    }
}

#[test]
fn a_page_is_filled_before_it_is_cut() {
    for line in ["heron\n", "生存生存生存\n", "\"\\\t\u{1b}\n"] {
        let folder = Folder::with([("n.md", line.repeat(24_000))]);
        let answer = Tools::on(folder.settings()).read(&json!({ "filename": "n.md" }));
        assert!(
            (20_000..=24_000).contains(&answer.to_string().len()),
            "{} bytes of {line:?}",
            answer.to_string().len()
        );
    }
}
