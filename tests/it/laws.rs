//! What holds of every conversation and every answer, whatever was asked.

use std::path::Path;
use std::sync::OnceLock;

use jsonschema::Validator;
use note_search_mcp::tools::TOOLS;
use serde_json::{Map, Value};

/// The most bytes of an answer.
pub const MAX_ANSWER_BYTES: usize = 24_000;

/// The most characters of an error's text.
pub const MAX_ERROR_CHARACTERS: usize = 4_000;

/// A line that went over the wire.
#[derive(Debug, Clone)]
pub enum Sent {
    /// From the client.
    In(String),
    /// From the server.
    Out(String),
}

/// Asserts the laws of a whole conversation. `around` is the folder above the notes folder.
pub fn hold_for_conversation(lines: &[Sent], around: &Path) {
    let around = around.to_str().unwrap();
    let mut waiting: Vec<(Value, Option<String>)> = Vec::new();
    let mut streams: Vec<Value> = Vec::new();
    let mut revision = String::new();
    for line in lines {
        match line {
            Sent::In(line) => went_in(line, &revision, &mut waiting, &mut streams),
            Sent::Out(line) => {
                assert!(!line.contains(around), "an absolute path: {line}");
                assert!(!line.contains(env!("CARGO_MANIFEST_DIR")), "an absolute path: {line}");
                let message: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
                let messages = message.as_array().map_or(std::slice::from_ref(&message), Vec::as_slice);
                assert!(!messages.is_empty(), "an empty array");
                for message in messages {
                    came_out(message.as_object().expect("an object"), &mut waiting, &mut streams);
                    if let Some(negotiated) = message["result"]["protocolVersion"].as_str() {
                        negotiated.clone_into(&mut revision);
                    }
                }
            }
        }
    }
    assert!(waiting.is_empty(), "not answered: {waiting:?}");
    assert!(streams.is_empty(), "streams left open: {streams:?}");
}

/// Whether a line from the client is answered by a line of the server.
pub fn is_answered(line: &str, revision: &str) -> bool {
    let mut waiting = Vec::new();
    went_in(line, revision, &mut waiting, &mut Vec::new());
    waiting.iter().any(|(_, tool)| tool.as_deref() != Some("waiting"))
}

fn went_in(line: &str, revision: &str, waiting: &mut Vec<(Value, Option<String>)>, streams: &mut Vec<Value>) {
    if line.trim().is_empty() {
        return;
    }
    match serde_json::from_str::<Value>(line) {
        Ok(Value::Array(elements)) if revision == "2025-03-26" && !elements.is_empty() => {
            for element in &elements {
                message_went_in(element, waiting, streams);
            }
        }
        Ok(message) => message_went_in(&message, waiting, streams),
        Err(_) => waiting.push((Value::Null, None)),
    }
}

fn message_went_in(message: &Value, waiting: &mut Vec<(Value, Option<String>)>, streams: &mut Vec<Value>) {
    let is_response = message.get("method").is_none() && (message.get("result").or(message.get("error")).is_some());
    let method = message["method"].as_str();
    match message.get("id") {
        _ if is_response => {}
        None if method == Some("notifications/cancelled") => {
            let cancelled = &message["params"]["requestId"];
            waiting.retain(|(id, _)| id != cancelled);
            streams.retain(|id| id != cancelled);
        }
        None if method.is_some() => {}
        id => {
            let valid = id.filter(|id| id.is_string() || id.is_i64() || id.is_u64()).cloned();
            let tool = (method == Some("tools/call")).then(|| message["params"]["name"].as_str().map(str::to_owned));
            waiting.push((valid.unwrap_or(Value::Null), tool.flatten()));
        }
    }
}

fn came_out(message: &Map<String, Value>, waiting: &mut Vec<(Value, Option<String>)>, streams: &mut Vec<Value>) {
    assert_eq!(message["jsonrpc"], "2.0");
    if let Some(method) = message.get("method") {
        assert!(!message.contains_key("id"), "the server asks: {message:?}");
        if method == "notifications/subscriptions/acknowledged" {
            let id = &message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
            let asked = waiting.iter().position(|(waits, _)| waits == id).expect("a stream that was asked for");
            streams.push(waiting.remove(asked).0);
        }
        return;
    }
    let id = &message["id"];
    if let Some(stream) = streams.iter().position(|stream| stream == id) {
        streams.remove(stream);
        return;
    }
    let asked = waiting.iter().position(|(waits, _)| waits == id);
    let (_, tool) = waiting.remove(asked.unwrap_or_else(|| panic!("nobody asked for this: {message:?}")));
    assert_eq!(message.len(), 3, "members: {message:?}");
    match (message.get("result"), message.get("error")) {
        (Some(result), None) => {
            if let Some(tool) = tool {
                hold_for_result(&tool, result);
            }
        }
        (None, Some(error)) => {
            assert!(error["code"].is_i64() && error["message"].is_string(), "{error}");
        }
        _ => panic!("neither result nor error, or both: {message:?}"),
    }
}

/// The result of `tools/call`.
fn hold_for_result(tool: &str, result: &Value) {
    let [block] = result["content"].as_array().unwrap().as_slice() else { panic!("one block: {result}") };
    assert_eq!(block["type"], "text");
    let text = block["text"].as_str().unwrap();
    if result["isError"] == true {
        assert!(result.get("structuredContent").is_none(), "an error has no structured content: {result}");
        hold_for_refusal(tool, text);
    } else {
        let structured = &result["structuredContent"];
        assert_eq!(&serde_json::from_str::<Value>(text).unwrap(), structured, "both blocks say the same");
        assert_eq!(text, structured.to_string(), "the text block is compact JSON");
        hold_for_answer(tool, structured);
    }
}

/// A good answer of a tool.
pub fn hold_for_answer(tool: &str, answer: &Value) {
    let bytes = answer.to_string().len();
    assert!(bytes <= MAX_ANSWER_BYTES, "{bytes} bytes");
    assert!(!has_null(answer), "a null member: {answer}");
    hold_for_order(tool, answer);
    if let Some(validator) = output_validator(tool) {
        let errors: Vec<String> = validator.iter_errors(answer).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}: {answer}");
        assert_eq!(answer["truncated"] == true, answer.get("next_cursor").is_some(), "{answer}");
        assert!(answer["truncated"] == false || answer.get("hint").is_some(), "cut without a word: {answer}");
    }
    if tool == "search_notes" {
        let (total, notes) = (answer["total"].as_u64().unwrap(), answer["total_notes"].as_u64().unwrap());
        assert!(notes <= total && answer["hits"].as_array().unwrap().len() as u64 <= total, "{answer}");
        assert!(total > 0 || answer.get("hint").is_some(), "nothing found and not a word: {answer}");
    }
}

/// A refusal of a tool: masked, or words.
pub fn hold_for_refusal(tool: &str, text: &str) {
    let characters = text.chars().count();
    assert!(characters < MAX_ERROR_CHARACTERS, "{characters} characters");
    let masked = format!("Error executing tool {tool}");
    assert!(text == masked || text.starts_with(&format!("{masked}: ")), "{text}");
}

/// Some clients cut the middle or the end of what they show, so what to do next comes first.
fn hold_for_order(tool: &str, answer: &Value) {
    let first_to_last: &[&str] = match tool {
        "search_notes" => &["total", "total_notes", "truncated", "hint", "next_cursor", "dates", "skipped", "hits"],
        "read_note" => &[
            "file",
            "title",
            "total_lines",
            "start_line",
            "end_line",
            "truncated",
            "hint",
            "next_cursor",
            "encoding",
            "text",
        ],
        _ => return,
    };
    let place = |name: &String| first_to_last.iter().position(|known| known == name);
    let places: Vec<usize> = answer.as_object().unwrap().keys().filter_map(place).collect();
    assert!(places.is_sorted(), "the order of members: {answer}");
    assert_eq!(answer.as_object().unwrap().keys().last().unwrap(), first_to_last.last().unwrap());
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(members) => members.values().any(has_null),
        _ => false,
    }
}

fn output_validator(tool: &str) -> Option<&'static Validator> {
    static VALIDATORS: OnceLock<Vec<(&'static str, Validator)>> = OnceLock::new();
    let validators = VALIDATORS.get_or_init(|| {
        let compiled = |schema: &Value| jsonschema::validator_for(schema).unwrap();
        TOOLS.iter().map(|tool| (tool.name(), compiled(&tool.definition()["outputSchema"]))).collect()
    });
    validators.iter().find(|(name, _)| *name == tool).map(|(_, validator)| validator)
}
