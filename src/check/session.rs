//! What both kinds of clients do: those that speak MCP without a handshake, and those that shake hands first.
//!
//! It says and hears; what was heard is put into words by `report`.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::child::{Child, broken};
use super::{Fault, progress};
use crate::cli::Options;
use crate::mcp::{Revision, STATELESS_REVISION, meta};

/// How long an answer may take that needs no note.
const PATIENCE: Duration = Duration::from_secs(10);

/// The longest word that is searched for, in characters.
const MAX_WORD_CHARACTERS: usize = 50;

/// What a client saw.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Seen {
    /// How long it took from the start of the process to its first answer.
    pub(super) started_in: Duration,
    /// The handshake revisions that were granted.
    pub(super) revisions: Vec<&'static str>,
    /// Each tool's name and the bytes of its definition.
    pub(super) tools: Vec<(String, usize)>,
    /// The bytes of the instructions.
    pub(super) instructions: usize,
    /// How many notes there are.
    pub(super) notes: u64,
    /// How long the first search took, which reads every note.
    pub(super) cold: Duration,
    /// What was tried on a note, if there is one.
    pub(super) tried: Option<Tried>,
}

/// A note that was read, and a search that found it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tried {
    /// The note's path.
    pub(super) file: String,
    /// How many lines it has.
    pub(super) lines: u64,
    /// The word that was searched for, how many lines and notes it was found in, and how long that took.
    pub(super) search: Option<(String, u64, u64, Duration)>,
}

/// Talks to the server as both kinds of clients do.
pub(super) fn both_kinds(program: &Path, options: &Options) -> Result<Seen, Fault> {
    let (mut seen, listed) = without_handshake(program, options)?;
    let file = seen.tried.as_ref().map(|tried| tried.file.as_str());
    seen.revisions = with_handshake(program, options, &listed, file)?;
    Ok(seen)
}

/// A client of 2026-07-28. Also gives the list of tools.
fn without_handshake(program: &Path, options: &Options) -> Result<(Seen, Value), Fault> {
    let begun = Instant::now();
    let mut server = Child::start(program, options)?;
    let discovered = server.request("server/discover", &stateless(json!({})), PATIENCE, |_| ())?;
    let started_in = begun.elapsed();
    let listed = server.request("tools/list", &stateless(json!({})), PATIENCE, |_| ())?["tools"].take();
    let tools = tools(&listed)?;
    let call = |server: &mut Child, name: &str, arguments: Value| {
        let bar = progress::bar("Reading", 0);
        let mut params = stateless(json!({ "name": name, "arguments": arguments }));
        params["_meta"][meta::PROGRESS_TOKEN] = json!("check");
        let begun = Instant::now();
        let patience = options.search_timeout + PATIENCE;
        let answer = server.request("tools/call", &params, patience, |notes| bar.set_position(notes));
        bar.finish_and_clear();
        answered(name, &answer?).map(|answer| (answer, begun.elapsed()))
    };
    let (all, cold) = call(&mut server, "search_notes", json!({ "keyword": "*", "limit": 1 }))?;
    let newest = &all["hits"][0];
    let tried = match newest["file"].as_str() {
        None => None,
        Some(file) => {
            let (note, _) = call(&mut server, "read_note", json!({ "filename": file }))?;
            let mut tried =
                Tried { file: file.to_owned(), lines: note["total_lines"].as_u64().unwrap_or_default(), search: None };
            if let Some(word) = word_of(newest["text"].as_str().unwrap_or_default()) {
                let (found, warm) = call(&mut server, "search_notes", json!({ "keyword": word }))?;
                let count = |name: &str| found[name].as_u64().unwrap_or_default();
                if count("total") == 0 {
                    return Err(broken(&format!("a search for {word:?} does not find {file}, whose title holds it")));
                }
                tried.search = Some((word, count("total"), count("total_notes"), warm));
            }
            Some(tried)
        }
    };
    server.end()?;
    let instructions = discovered["instructions"].as_str().map_or(0, str::len);
    let notes = all["total_notes"].as_u64().unwrap_or_default();
    Ok((Seen { started_in, revisions: Vec::new(), tools, instructions, notes, cold, tried }, listed))
}

/// A client of every revision that begins with `initialize`; the revisions that were granted.
fn with_handshake(
    program: &Path,
    options: &Options,
    listed: &Value,
    file: Option<&str>,
) -> Result<Vec<&'static str>, Fault> {
    let mut server = Child::start(program, options)?;
    let mut granted = Vec::new();
    for revision in Revision::ALL {
        let identity = json!({ "name": "note-search-mcp --check", "version": env!("CARGO_PKG_VERSION") });
        let hello = json!({ "protocolVersion": revision.name(), "capabilities": {}, "clientInfo": identity });
        let result = server.request("initialize", &hello, PATIENCE, |_| ())?;
        if result["protocolVersion"] != revision.name() {
            return Err(broken(&format!("revision {} was not granted", revision.name())));
        }
        server.notify("notifications/initialized")?;
        granted.push(revision.name());
    }
    if server.request("tools/list", &json!({}), PATIENCE, |_| ())?["tools"] != *listed {
        return Err(broken("the two kinds of clients are shown different tools"));
    }
    if let Some(file) = file {
        let params = json!({ "name": "read_note", "arguments": { "filename": file } });
        answered("read_note", &server.request("tools/call", &params, options.search_timeout + PATIENCE, |_| ())?)?;
    }
    server.end()?;
    Ok(granted)
}

/// Parameters with what 2026-07-28 wants on every request.
fn stateless(mut params: Value) -> Value {
    params["_meta"] = json!({ meta::PROTOCOL_VERSION: STATELESS_REVISION, meta::CLIENT_CAPABILITIES: {} });
    params
}

/// The tools that were listed, with the bytes of their definitions.
fn tools(listed: &Value) -> Result<Vec<(String, usize)>, Fault> {
    let tools: Vec<(String, usize)> = listed
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|tool| Some((tool["name"].as_str()?.to_owned(), tool.to_string().len())))
        .collect();
    if tools.is_empty() { Err(broken("no tool was listed")) } else { Ok(tools) }
}

/// What a tool answered; a fault when it refused.
fn answered(tool: &str, result: &Value) -> Result<Value, Fault> {
    match result.get("structuredContent") {
        Some(answer) if result["isError"] != true => Ok(answer.clone()),
        _ => Err(Fault::new(
            format!(
                "{tool} refused: {}.",
                result["content"][0]["text"].as_str().unwrap_or_default().trim_end_matches('.')
            ),
            "do what it says; a search that is stopped by its time limit gets more time with --search-timeout, or less to \
             read with --exclude.",
        )),
    }
}

/// A word of a title, for a search that must find it.
fn word_of(title: &str) -> Option<String> {
    let is_word = |word: &&str| word.chars().filter(|char| char.is_alphanumeric()).count() > 1 && !word.contains('…');
    let word = title.split_whitespace().find(is_word)?;
    Some(word.chars().take(MAX_WORD_CHARACTERS).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_gives_a_word_that_says_something() {
        for (title, word) in [
            ("# 1 - Notes on Yeast", Some("Notes")),
            ("读书清单 2026", Some("读书清单")),
            ("a b -- …", None),
            ("", None),
        ] {
            assert_eq!(word_of(title).as_deref(), word, "{title}");
        }
    }

    #[test]
    fn a_refusal_is_passed_on_in_the_tools_words() {
        let refusal = json!({"isError": true, "content": [{"type": "text", "text": "it took too long."}]});
        let fault = answered("search_notes", &refusal).unwrap_err();
        assert_eq!(fault.reason, "search_notes refused: it took too long.");
        assert_eq!(answered("x", &json!({"structuredContent": {"a": 1}})), Ok(json!({"a": 1})));
    }
}
