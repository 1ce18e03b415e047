//! Laws of the arguments: whatever a model sends, it gets an answer or words, and a call that mends all problems passes.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

use crate::calling::Tools;
use crate::fixture::Folder;

const TOOLS: [&str; 2] = ["search_notes", "read_note"];

/// Names of both tools, and nonsense.
const NAMES: [&str; 22] = [
    "keyword",
    "match",
    "scope",
    "path",
    "tag",
    "date_from",
    "date_to",
    "sort",
    "limit",
    "cursor",
    "response_format",
    "filename",
    "start_line",
    "end_line",
    "start_column",
    "section",
    "page",
    "colour",
    "",
    "🙂",
    "__proto__",
    "note search",
];

/// Words that models use for them, and spellings. One at most in a call.
const MEANT: [&str; 26] = [
    "query",
    "q",
    "search",
    "max_results",
    "top_k",
    "folder",
    "since",
    "until",
    "file",
    "name",
    "note",
    "offset",
    "lines",
    "heading",
    "tags",
    "Keyword",
    "LIMIT",
    "keywrod",
    "lim it",
    "start",
    "end",
    "format",
    "date",
    "regex",
    "path ",
    "sort_by",
];

fn value() -> impl Strategy<Value = Value> {
    let text = select(vec![
        "heron",
        "",
        "  ",
        "10",
        "0",
        "-1",
        "12px",
        "十条",
        "1.5",
        "1e3",
        "words",
        "REGEX",
        "titles",
        "newest",
        "detailed",
        "a.md",
        "a",
        "../x",
        "/etc/passwd",
        "2026",
        "2026-10",
        "2026-10-12",
        "today",
        "7d",
        "99999y",
        "2027-01-05",
        "last week",
        "Heading",
        "null",
        "true",
        "[[a]]",
        "a.md:2",
        "a.md#L1-L9",
        "(",
        "*",
        "\u{0}",
        "\u{202e}",
        "👩‍🍳",
        "AAAA",
        "a|b",
        "{\"keyword\":1}",
    ]);
    let leaf = prop_oneof![
        6 => text.prop_map(|text| json!(text)),
        1 => "\\PC{0,12}".prop_map(|text| json!(text)),
        1 => (1..300_usize).prop_map(|times| json!("长".repeat(times))),
        2 => select(vec![json!(0), json!(1), json!(2), json!(10), json!(50), json!(51), json!(-1), json!(i64::MIN),
            json!(u64::MAX), json!(1.0), json!(1.5), json!(1e300), json!(-0.0)]),
        1 => select(vec![Value::Null, json!(true), json!(false), json!([]), json!({}), json!([10]), json!(["heron"]),
            json!({ "n": 1 })]),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| vec(inner, 0..3).prop_map(Value::Array))
}

fn arguments() -> impl Strategy<Value = Map<String, Value>> {
    let usual =
        select(vec![None, Some(("keyword", "heron")), Some(("filename", "a.md")), Some(("filename", "no such"))]);
    let meant = option::of((select(&MEANT[..]), value()));
    (usual, vec((select(&NAMES[..]), value()), 0..6), meant).prop_map(|(usual, extra, meant)| {
        let usual = usual.map(|(name, value)| (name, json!(value)));
        let all = usual.into_iter().chain(extra).chain(meant);
        all.map(|(name, value)| (name.to_owned(), value)).collect()
    })
}

/// The call on the last line of a refusal.
fn corrected(refusal: &str) -> Option<Value> {
    let line = refusal.lines().last()?.strip_prefix("Corrected call: ")?;
    Some(serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 800, ..ProptestConfig::default() })]

    #[test]
    fn a_corrected_call_passes(tool in select(&TOOLS[..]), arguments in arguments()) {
        let folder = Folder::with([("a.md", "# Heading\n\nheron\n"), ("deep/b.md", "heron\n")]);
        let tools = Tools::on(folder.settings());
        let given = Value::Object(arguments);
        if let Err(refusal) = tools.call(tool, &given) {
            prop_assert_ne!(&refusal, &format!("Error executing tool {tool}"), "a fault: {}", &given);
            let Some(corrected) = corrected(&refusal) else { return Ok(()) };
            prop_assert!(tools.passes(tool, &corrected), "{}\nis corrected to {}\n{:?}", given, corrected, tools.call(tool, &corrected));
            prop_assert_ne!(tools.call(tool, &corrected), Err(format!("Error executing tool {tool}")));
        }
    }

    /// One problem for each argument that is wrong, and no other.
    #[test]
    fn all_problems_are_told_at_once(
        limit in select(vec![json!(0), json!(51), json!("十条"), json!(1.5), json!(true)]),
        wrong in vec(select(vec!["sort", "scope", "match", "response_format"]), 0..4),
        unknown in option::of(select(vec!["colour", "zzz"])),
    ) {
        let mut given = json!({ "keyword": "heron", "limit": limit });
        for name in wrong.iter().chain(&unknown) {
            given[name] = json!("wrong");
        }
        let folder = Folder::with([("a.md", "heron\n")]);
        let refusal = Tools::on(folder.settings()).call("search_notes", &given).unwrap_err();
        let count = given.as_object().unwrap().len() - 1;
        let head = format!("Error executing tool search_notes: {count} problem");
        prop_assert!(refusal.starts_with(&head), "{}", refusal);
        for name in given.as_object().unwrap().keys().filter(|name| *name != "keyword") {
            let lines = refusal.lines().filter(|line| line.starts_with(&format!("- {name}: "))).count();
            prop_assert_eq!(lines, 1, "{}: {}", name, refusal);
        }
        prop_assert_eq!(corrected(&refusal).unwrap()["keyword"].clone(), "heron");
    }
}

#[test]
fn a_call_without_arguments_names_what_is_required() {
    let tools = Tools::on(Folder::empty().settings());
    for (tool, required) in [("search_notes", "- keyword: "), ("read_note", "- filename: ")] {
        let refusal = tools.call(tool, &json!({})).unwrap_err();
        assert!(refusal.contains(": 1 problem") && refusal.contains(required), "{refusal}");
        assert_eq!(corrected(&refusal), None, "nothing can be made up");
    }
}

#[test]
fn long_values_are_echoed_in_eighty_characters() {
    let tools = Tools::on(Folder::empty().settings());
    for (name, value) in [("keyword", "é".repeat(300)), ("tag", "长".repeat(200)), ("date_from", "x".repeat(90_000))]
    {
        let mut arguments = json!({ "keyword": "heron" });
        arguments[name] = json!(value);
        let refusal = tools.call("search_notes", &arguments).unwrap_err();
        let first = value.chars().next().unwrap();
        let echoed = refusal.split(|char| char != first).map(|run| run.chars().count()).max().unwrap();
        assert!((40..=80).contains(&echoed), "{echoed} characters of {name}: {refusal}");
    }
}

#[test]
fn the_example_of_the_agreement_is_answered_word_for_word() {
    let tools = Tools::on(Folder::empty().settings());
    let refusal = tools.call("search_notes", &json!({ "limit": "十条", "query": "mcp" })).unwrap_err();
    let expected = "Error executing tool search_notes: 2 problems with the arguments\n\
        - limit: must be a whole number from 1 to 50; got \"十条\"\n\
        - query: unknown argument; did you mean keyword?\n\
        Corrected call: ";
    assert!(refusal.starts_with(expected), "{refusal}");
    assert_eq!(corrected(&refusal), Some(json!({ "keyword": "mcp", "limit": 10 })));
    let refusal = tools.call("search_notes", &json!({ "keyword": "mcp", "date_from": "2027-01-05" })).unwrap_err();
    assert!(
        refusal.contains("date_from: must not be in the future; got \"2027-01-05\". Today is 2026-11-30."),
        "{refusal}"
    );
}
