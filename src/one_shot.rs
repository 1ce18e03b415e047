//! `--call`: one tool, called once from a terminal or a script, through the same pipeline as a call over the wire.
//!
//! The answer is JSON for programs and a page for people (`page`); a refusal is for stderr. It decides nothing about
//! arguments: that is the pipeline's business.

mod page;

use std::io::{self, Read, Write};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::cli::WrittenCall;
use crate::clock::Clock;
use crate::notes::nearest::nearest_word;
use crate::notes::{Notes, Watch};
use crate::tools::{Call, Outcome, TOOLS, ToolEntry};

/// A call that was understood: which tool, and its raw arguments.
#[derive(Debug)]
pub struct OneShot {
    tool: ToolEntry,
    arguments: Map<String, Value>,
}

/// What is to be said to whom, and whether the tool answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// The answer, as JSON.
    Answer(String),
    /// The tool's words about what is wrong.
    Refusal(String),
}

impl OneShot {
    /// Understands a call as it was typed; `stdin` is read when the arguments are `-`.
    ///
    /// # Errors
    /// One or two sentences for the user: the tool is unknown, or the arguments are no JSON object.
    pub fn understand(written: &WrittenCall, stdin: impl Read) -> Result<Self, String> {
        let names = || TOOLS.iter().map(ToolEntry::name);
        let Some(tool) = TOOLS.iter().find(|tool| tool.name() == written.tool) else {
            let meant = nearest_word(&written.tool, names()).map(|name| format!(" Did you mean {name}?"));
            return Err(format!(
                "there is no tool `{}`; the tools are {}.{}",
                written.tool,
                names().collect::<Vec<_>>().join(" and "),
                meant.unwrap_or_default()
            ));
        };
        let text = match written.arguments.as_str() {
            "-" => io::read_to_string(stdin).map_err(|error| format!("stdin cannot be read: {error}"))?,
            text => text.to_owned(),
        };
        match serde_json::from_str(text.trim_start_matches('\u{feff}')) {
            Ok(Value::Object(arguments)) => Ok(Self { tool: *tool, arguments }),
            Ok(_) => Err(no_object(tool.name(), &text, "it is JSON, but no object")),
            Err(error) => {
                let why = format!("it is not JSON, from character {} on", error.column());
                Err(no_object(tool.name(), &text, &why))
            }
        }
    }

    /// Makes the call, on this thread.
    pub fn run(&self, notes: Arc<Notes>, clock: &Clock) -> Reply {
        let watch = Arc::<Watch>::default();
        let call = Call { notes, clock: clock.clone(), request: "from the command line".to_owned(), watch };
        match self.tool.prepare(self.arguments.clone(), clock).map_or_else(|refusal| refusal, |work| work(&call)) {
            Outcome::Answer(json) => Reply::Answer(json),
            Outcome::Refusal(words) => Reply::Refusal(words),
            Outcome::Cancelled => Reply::Refusal("the call was cancelled".to_owned()), // nobody holds the watch
        }
    }

    /// Prints an answer: for people with colours, which the writer takes off where nobody sees them.
    ///
    /// # Errors
    /// Nobody reads any more.
    pub fn print(&self, reply: &Reply, as_json: bool, out: &mut impl Write) -> io::Result<()> {
        match reply {
            Reply::Answer(json) if as_json => writeln!(out, "{json}")?,
            Reply::Answer(json) => page::print(self.tool.name(), &self.arguments, json, out)?,
            Reply::Refusal(words) if as_json => writeln!(out, "{}", json!({ "isError": true, "text": words }))?,
            Reply::Refusal(_) => {}
        }
        out.flush()
    }
}

fn no_object(tool: &str, text: &str, why: &str) -> String {
    let example = match tool {
        "search_notes" => r#"{"keyword":"mcp"}"#,
        "read_note" => r#"{"filename":"plan.md"}"#,
        _ => "{}",
    };
    let shells = if cfg!(windows) {
        "\nOld versions of PowerShell take the quotes away: write \\\" for each, or give - and the object on stdin."
    } else {
        ""
    };
    format!(
        "the arguments must be a JSON object; got `{}` ({why}).\nFor example: note-search-mcp --call {tool} '{example}' \
         /path/to/your/notes{shells}",
        text.trim()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notes::Settings;

    fn written(tool: &str, arguments: &str) -> WrittenCall {
        WrittenCall { tool: tool.to_owned(), arguments: arguments.to_owned(), as_json: false }
    }

    fn understand(tool: &str, arguments: &str, stdin: &str) -> Result<OneShot, String> {
        OneShot::understand(&written(tool, arguments), stdin.as_bytes())
    }

    fn fixtures() -> Arc<Notes> {
        Arc::new(Notes::new(Settings::of(concat!(env!("CARGO_MANIFEST_DIR"), "/notes-fixtures"))).unwrap())
    }

    #[test]
    fn an_unknown_tool_is_refused_with_the_list_and_the_nearest() {
        let refusal = understand("serch_notes", "{}", "").unwrap_err();
        for words in ["`serch_notes`", "search_notes and read_note", "Did you mean search_notes?"] {
            assert!(refusal.contains(words), "{refusal}");
        }
        assert!(!understand("x", "{}", "").unwrap_err().contains("Did you mean"));
    }

    #[test]
    fn arguments_that_are_no_object_are_refused_with_an_example() {
        for arguments in ["mcp", "{keyword:mcp}", "[1]", "\"mcp\"", "", "/home/ada/notes"] {
            let refusal = understand("search_notes", arguments, "").unwrap_err();
            let example = r#"--call search_notes '{"keyword":"mcp"}'"#;
            assert!(refusal.contains(&format!("`{arguments}`")) && refusal.contains(example), "{refusal}");
        }
        assert!(understand("read_note", "x", "").unwrap_err().contains(r#"{"filename":"#));
    }

    #[test]
    fn arguments_may_come_from_stdin() {
        let shot = understand("search_notes", "-", "\u{feff}{\"keyword\":\"x\"}\r\n").unwrap();
        assert_eq!(Value::Object(shot.arguments), json!({"keyword": "x"}));
        assert!(understand("search_notes", "-", "nothing").unwrap_err().contains("`nothing`"));
    }

    #[test]
    fn a_call_goes_through_the_same_checks_as_on_the_wire() {
        let shot = understand("search_notes", r#"{"keyword":"mcp","limit":"2"}"#, "").unwrap();
        let reply = shot.run(fixtures(), &Clock::system());
        let Reply::Answer(json) = &reply else { panic!("{reply:?}") };
        assert_eq!(serde_json::from_str::<Value>(json).unwrap()["hits"].as_array().unwrap().len(), 2);

        let shot = understand("search_notes", r#"{"keyword":"","limit":99}"#, "").unwrap();
        let reply = shot.run(fixtures(), &Clock::system());
        let Reply::Refusal(words) = &reply else { panic!("{reply:?}") };
        assert!(words.contains("keyword") && words.contains("limit"), "{words}");
        let mut out = Vec::new();
        shot.print(&reply, true, &mut out).unwrap();
        let printed: Value = serde_json::from_slice(&out).unwrap();
        assert_eq!((&printed["isError"], &printed["text"]), (&json!(true), &json!(words)));
    }
}
