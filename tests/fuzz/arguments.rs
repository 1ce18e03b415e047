//! The argument pipeline: any object is answered; a refusal says what is wrong, stays short, and its corrected call passes.

use note_search_mcp::clock::Clock;
use note_search_mcp::tools::{Outcome, TOOLS};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn value() -> impl Strategy<Value = Value> {
    let odd = proptest::sample::select(vec![
        "",
        " ",
        "*",
        "mcp",
        "(",
        "[x",
        "a**b(",
        "2026",
        "2026-13",
        "7d",
        "99999y",
        "today",
        "2999-01-01",
        "十条",
        "12px",
        "regex",
        "Titles",
        "newst",
        "null",
        "\u{200b}",
        "生存",
        "#",
        "#work/",
        "../x",
        "AAAA",
        "-1",
        "1e3",
        "１０",
    ]);
    let leaf = prop_oneof![
        odd.prop_map(Value::from),
        ".{0,300}".prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        (-3_i64..60).prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::hash_map("[a-z]{1,4}", inner, 0..3).prop_map(|map| json!(map)),
        ]
    })
}

fn object() -> impl Strategy<Value = Map<String, Value>> {
    let known = proptest::sample::select(vec![
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
        "query",
        "q",
        "max_results",
        "folder",
        "since",
        "until",
        "end",
        "file",
        "offset",
        "Limit",
        "limitt",
        "keywords",
        "page",
    ]);
    let name = prop_oneof![9 => known.prop_map(str::to_owned), 1 => ".{0,30}"];
    proptest::collection::vec((name, value()), 0..8).prop_map(|pairs| pairs.into_iter().collect())
}

/// The call that a refusal proposes.
fn corrected(text: &str) -> Option<Map<String, Value>> {
    let call = text.lines().last()?.strip_prefix("Corrected call: ")?;
    Some(serde_json::from_str(call).expect("the corrected call is a JSON object"))
}

proptest! {
    #[test]
    fn every_object_is_taken_or_refused_with_a_way_out(arguments in object()) {
        let clock = Clock::system();
        for tool in TOOLS {
            let Err(outcome) = tool.prepare(arguments.clone(), &clock) else { continue };
            let Outcome::Refusal(text) = outcome else { panic!("{outcome:?}") };
            prop_assert!(text.starts_with(&format!("Error executing tool {}: ", tool.name())), "{text}");
            prop_assert!(text.chars().count() < 4_000, "{text}");
            prop_assert!(text.lines().count() > 1 && !text.contains("panic"), "{text}");
            prop_assert!(!text.chars().any(|char| char.is_control() && char != '\n'), "{text:?}");
            if let Some(call) = corrected(&text) {
                prop_assert!(tool.prepare(call, &clock).is_ok(), "the corrected call is refused: {text}");
            }
        }
    }
}
