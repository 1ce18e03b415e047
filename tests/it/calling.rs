//! Calls of a tool without the wire, for laws that need hundreds of them. Every answer is held to the laws.

use std::sync::Arc;

use note_search_mcp::notes::{Notes, Settings, Watch};
use note_search_mcp::tools::{Call, Outcome, TOOLS};
use serde_json::Value;

use crate::fixture::clock;
use crate::laws;

/// What came of a call: an answer, or words that refuse it.
pub type Said = Result<Value, String>;

/// The tools on a folder.
pub struct Tools {
    notes: Arc<Notes>,
}

impl Tools {
    /// The tools on the folder with these settings.
    pub fn on(settings: Settings) -> Self {
        Self { notes: Arc::new(Notes::new(settings).unwrap()) }
    }

    /// Calls a tool with an object of arguments.
    pub fn call(&self, tool: &str, arguments: &Value) -> Said {
        let entry = TOOLS.iter().find(|entry| entry.name() == tool).unwrap();
        let call = Call {
            notes: Arc::clone(&self.notes),
            clock: clock(),
            request: "1".to_owned(),
            watch: Arc::new(Watch::default()),
        };
        let prepared = entry.prepare(arguments.as_object().unwrap().clone(), &call.clock);
        match prepared.map_or_else(|refused| refused, |work| work(&call)) {
            Outcome::Answer(json) => {
                let answer = serde_json::from_str(&json).unwrap();
                laws::hold_for_answer(tool, &answer);
                Ok(answer)
            }
            Outcome::Refusal(text) => {
                laws::hold_for_refusal(tool, &text);
                Err(text)
            }
            Outcome::Cancelled => panic!("nobody cancelled"),
        }
    }

    /// Whether the arguments pass, whatever the folder says to them.
    pub fn passes(&self, tool: &str, arguments: &Value) -> bool {
        let entry = TOOLS.iter().find(|entry| entry.name() == tool).unwrap();
        entry.prepare(arguments.as_object().unwrap().clone(), &clock()).is_ok()
    }

    /// The answer of `search_notes`, which must be one.
    pub fn search(&self, arguments: &Value) -> Value {
        self.call("search_notes", arguments).unwrap_or_else(|refusal| panic!("{arguments}: {refusal}"))
    }

    /// The answer of `read_note`, which must be one.
    pub fn read(&self, arguments: &Value) -> Value {
        self.call("read_note", arguments).unwrap_or_else(|refusal| panic!("{arguments}: {refusal}"))
    }

    /// All hits of a search, page after page, and the number of pages.
    pub fn all_hits(&self, arguments: &Value) -> (Vec<Value>, usize) {
        self.all_pages("search_notes", arguments, |answer| answer["hits"].as_array().unwrap().clone())
    }

    /// Something of each page of an answer, joined, and the number of pages.
    pub fn all_pages<T>(&self, tool: &str, arguments: &Value, of: impl Fn(&Value) -> Vec<T>) -> (Vec<T>, usize) {
        let (mut arguments, mut parts, mut pages) = (arguments.clone(), Vec::new(), 0);
        loop {
            let answer = self.call(tool, &arguments).unwrap_or_else(|refusal| panic!("{arguments}: {refusal}"));
            parts.extend(of(&answer));
            pages += 1;
            assert!(pages < 10_000, "pages without end");
            match answer.get("next_cursor") {
                Some(cursor) => arguments["cursor"] = cursor.clone(),
                None => return (parts, pages),
            }
        }
    }
}
