//! The tools as they are published: kept as files, and held to what all clients can swallow.

use note_search_mcp::session::instructions;
use note_search_mcp::tools::TOOLS;
use serde_json::{Map, Value, json};

use crate::snapshot::{difference, path};

/// Longest description and longest instructions. Claude Code cuts both at 2,048 without a word.
const MAX_TEXT_BYTES: usize = 1_900;

/// The largest list of tools: it stands in the context of every conversation.
const MAX_LIST_BYTES: usize = 9_000;

/// What some client or model API refuses, or takes in its own way.
const FORBIDDEN: [&str; 18] = [
    "$schema",
    "$ref",
    "$defs",
    "definitions",
    "oneOf",
    "anyOf",
    "allOf",
    "not",
    "if",
    "format",
    "title",
    "prefixItems",
    "unevaluatedProperties",
    "patternProperties",
    "propertyNames",
    "dependentRequired",
    "const",
    "x-mcp-header",
];

fn definitions() -> Vec<Value> {
    TOOLS.iter().map(note_search_mcp::tools::ToolEntry::definition).collect()
}

/// A schema and all schemas in it, each with its place.
fn schemas(place: &str, schema: &Value, found: &mut Vec<(String, Map<String, Value>)>) {
    let members = schema.as_object().unwrap_or_else(|| panic!("{place}: a schema that is no object"));
    found.push((place.to_owned(), members.clone()));
    for (name, property) in members.get("properties").and_then(Value::as_object).into_iter().flatten() {
        schemas(&format!("{place}.{name}"), property, found);
    }
    if let Some(items) = members.get("items") {
        schemas(&format!("{place}[]"), items, found);
    }
}

fn all_schemas() -> Vec<(String, Map<String, Value>)> {
    let mut found = Vec::new();
    for tool in definitions() {
        for side in ["inputSchema", "outputSchema"] {
            schemas(&format!("{} {side}", tool["name"].as_str().unwrap()), &tool[side], &mut found);
        }
    }
    found
}

#[test]
fn each_tool_is_published_as_it_was_agreed() {
    let mut faults = Vec::new();
    for tool in definitions() {
        let file = path("schemas").join(format!("{}.json", tool["name"].as_str().unwrap()));
        faults.extend(difference(&file, &format!("{tool:#}\n")));
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn the_tools_are_two_and_say_that_they_only_read() {
    let named: Vec<Value> = definitions().iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(named, ["search_notes", "read_note"]);
    for tool in definitions() {
        let known = ["name", "title", "description", "inputSchema", "outputSchema", "annotations"];
        let members: Vec<&String> = tool.as_object().unwrap().keys().collect();
        assert!(members.iter().all(|name| known.contains(&name.as_str())), "{members:?}");
        assert!(!tool["title"].as_str().unwrap().is_empty());
        assert_eq!(
            (&tool["annotations"]["readOnlyHint"], &tool["annotations"]["openWorldHint"]),
            (&json!(true), &json!(false))
        );
    }
}

#[test]
fn schemas_are_flat_and_use_only_what_every_client_knows() {
    for (place, schema) in all_schemas() {
        for keyword in schema.keys() {
            assert!(!FORBIDDEN.contains(&keyword.as_str()), "{place}: {keyword}");
        }
        let kind = schema.get("type").unwrap_or_else(|| panic!("{place}: no type"));
        assert!(kind.is_string(), "{place}: type {kind}");
        assert!(!Value::Object(schema).to_string().contains("null"), "{place}");
    }
    for tool in definitions() {
        assert_eq!((&tool["inputSchema"]["type"], &tool["outputSchema"]["type"]), (&json!("object"), &json!("object")));
        for (name, argument) in tool["inputSchema"]["properties"].as_object().unwrap() {
            assert!(["string", "integer"].contains(&argument["type"].as_str().unwrap()), "{name} is not flat");
        }
    }
}

#[test]
fn only_arguments_are_closed_to_what_is_not_listed() {
    for (place, schema) in all_schemas() {
        let is_arguments = place.ends_with(" inputSchema");
        let expected = is_arguments.then_some(Value::Bool(false));
        assert_eq!(schema.get("additionalProperties").cloned(), expected, "{place}");
    }
}

#[test]
fn every_member_is_described_in_plain_names_and_few_words() {
    for (place, schema) in all_schemas() {
        let Some(name) = place.rsplit_once('.').map(|(_, name)| name) else { continue };
        let plain = name.chars().all(|char| char.is_ascii_lowercase() || char == '_' || "[]".contains(char));
        assert!(plain, "{place}");
        if name.ends_with("[]") {
            continue;
        }
        let description =
            schema.get("description").and_then(Value::as_str).unwrap_or_else(|| panic!("{place}: not described"));
        assert!((4..=400).contains(&description.len()), "{place}: {description}");
        let is_argument = place.contains("inputSchema");
        let has_example = ["e.g.", "E.g.", "such as"].iter().any(|mark| description.contains(mark));
        assert!(!is_argument || has_example, "{place} has no example: {description}");
    }
}

#[test]
fn ranges_and_defaults_stand_in_the_words_too() {
    for (place, schema) in all_schemas() {
        if !place.contains("inputSchema.") {
            continue;
        }
        let description = schema["description"].as_str().unwrap();
        for keyword in ["minimum", "maximum", "default"] {
            let Some(value) = schema.get(keyword) else { continue };
            let word = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            assert!(description.contains(&word), "{place}: {keyword} {word} is not in {description}");
        }
        for word in schema.get("enum").and_then(Value::as_array).into_iter().flatten() {
            assert!(description.contains(word.as_str().unwrap()), "{place}: {word} is not in {description}");
        }
    }
}

#[test]
fn the_limits_are_those_that_were_agreed() {
    let definitions = definitions();
    let argument = |tool: usize, name: &str, keyword: &str| {
        definitions[tool]["inputSchema"]["properties"][name].get(keyword).cloned().unwrap_or_default()
    };
    for (tool, name, keyword, expected) in [
        (0, "keyword", "minLength", json!(1)),
        (0, "keyword", "maxLength", json!(200)),
        (0, "match", "enum", json!(["words", "phrase", "regex"])),
        (0, "match", "default", json!("words")),
        (0, "scope", "enum", json!(["all", "titles", "body"])),
        (0, "scope", "default", json!("all")),
        (0, "path", "maxLength", json!(4_096)),
        (0, "tag", "maxLength", json!(100)),
        (0, "sort", "enum", json!(["relevance", "newest", "oldest"])),
        (0, "sort", "default", json!("relevance")),
        (0, "limit", "minimum", json!(1)),
        (0, "limit", "maximum", json!(50)),
        (0, "limit", "default", json!(10)),
        (0, "cursor", "maxLength", json!(4_096)),
        (0, "response_format", "enum", json!(["concise", "detailed"])),
        (1, "filename", "minLength", json!(1)),
        (1, "filename", "maxLength", json!(4_096)),
        (1, "start_line", "minimum", json!(1)),
        (1, "end_line", "minimum", json!(1)),
        (1, "start_column", "minimum", json!(1)),
        (1, "section", "maxLength", json!(200)),
        (1, "response_format", "default", json!("concise")),
    ] {
        assert_eq!(argument(tool, name, keyword), expected, "{name} {keyword}");
    }
    assert_eq!(definitions[0]["inputSchema"]["required"], json!(["keyword"]));
    assert_eq!(definitions[1]["inputSchema"]["required"], json!(["filename"]));
}

#[test]
fn texts_and_list_are_short_and_begin_with_what_matters() {
    for tool in definitions() {
        let description = tool["description"].as_str().unwrap();
        assert!(description.len() <= MAX_TEXT_BYTES, "{}: {} bytes", tool["name"], description.len());
        let first = description.split(". ").next().unwrap();
        assert!(first.contains("note"), "{first}");
    }
    for about in ["", "生活".repeat(1_000).as_str(), "work and 日记"] {
        let text = instructions(Some(about).filter(|about| !about.is_empty()));
        assert!(text.len() <= MAX_TEXT_BYTES, "{} bytes", text.len());
        assert!(text.contains("search_notes") && text.contains("read_note"), "{text}");
    }
    let list = json!({ "tools": definitions() }).to_string();
    assert!(list.len() <= MAX_LIST_BYTES, "{} bytes", list.len());
}

/// MCP clients compile these with draft-07 and with 2020-12 validators; both must find them valid.
#[test]
fn schemas_are_valid_in_both_dialects() {
    for tool in definitions() {
        for side in ["inputSchema", "outputSchema"] {
            assert!(jsonschema::draft7::meta::is_valid(&tool[side]), "{} {side}", tool["name"]);
            assert!(jsonschema::draft202012::meta::is_valid(&tool[side]), "{} {side}", tool["name"]);
        }
    }
}
