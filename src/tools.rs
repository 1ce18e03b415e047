//! What every tool is, which tools there are, and the one pipeline that all calls go through:
//! shape → validate → run → render.
//!
//! A third tool is one file under `tools/` and two lines here: its `mod` and its entry in [`TOOLS`].
//! Nothing here knows JSON-RPC or the revisions of MCP; nothing here opens a file.

pub mod arguments;
pub mod cursor;
pub mod problem;
pub mod read_note;
pub mod schema;
pub mod search_notes;
pub mod wording;

use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::clock::Clock;
use crate::notes::{Notes, Watch};
use crate::panics::caught;
use arguments::Arguments;
pub use arguments::Valid;
use problem::{Problem, refusal};
use read_note::ReadNote;
use search_notes::SearchNotes;

/// The tools, in the order in which `tools/list` shows them.
pub static TOOLS: &[ToolEntry] = &[ToolEntry::of::<SearchNotes>(), ToolEntry::of::<ReadNote>()];

/// The longest text of a refusal, in characters; clients cut error texts at 10,000 (Claude Code) and a model needs less.
pub const MAX_REFUSAL_CHARACTERS: usize = 3_900;

/// The most bytes an answer takes as JSON: six to eight thousand tokens in any script.
pub const MAX_ANSWER_BYTES: usize = 24_000;

/// A tool: what it takes, what it gives, and what it does.
pub trait Tool: 'static {
    /// Its name in `tools/call`.
    const NAME: &'static str;
    /// Its name for people.
    const TITLE: &'static str;
    /// What it does and when to use it, the vital sentence first; at most 1,900 bytes.
    const DESCRIPTION: &'static str;
    /// Its arguments: the type with its rules is the published schema and the check.
    type Arguments: Arguments;
    /// Its answer: the type is the published output schema.
    type Answer: Serialize + JsonSchema;

    /// The body. It only ever sees arguments that were validated.
    ///
    /// # Errors
    /// [`ToolError`] says who is to read of a failure.
    fn run(arguments: &Valid<Self::Arguments>, call: &Call) -> Result<Self::Answer, ToolError>;
}

/// Why a tool's body failed, by who can mend it. There is no conversion from I/O errors: each is either put into words for
/// the model or given a context and masked.
#[derive(Debug)]
pub enum ToolError {
    /// Problems with arguments that only the folder can settle; worded like all validation problems.
    Arguments(Vec<Problem>),
    /// Words for the model: what is wrong, the correct form, the next step.
    ForModel(String),
    /// A failure for the operator: masked to the model, logged with its contexts.
    Internal(anyhow::Error),
    /// The client cancelled the call.
    Cancelled,
}

/// One call, as its body sees it.
#[derive(Debug, Clone)]
pub struct Call {
    /// The folder to work on.
    pub notes: Arc<Notes>,
    /// What day it is.
    pub clock: Clock,
    /// The request's id as JSON, for the log only.
    pub request: String,
    /// How the outside watches and stops the work: the cancel flag and the count of notes done.
    pub watch: Arc<Watch>,
}

/// What became of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The answer, as one compact JSON object (`structuredContent`, and its text block).
    Answer(String),
    /// Words for the model, which can mend the call (`isError: true`); masked failures included.
    Refusal(String),
    /// The client cancelled; nobody waits for an answer.
    Cancelled,
}

/// Validated arguments and the tool's body, ready to run on any thread. It never panics.
pub type Work = Box<dyn FnOnce(&Call) -> Outcome + Send>;

/// One tool in the registry, its types erased.
#[derive(Debug, Clone, Copy)]
pub struct ToolEntry {
    name: &'static str,
    definition: fn() -> Value,
    prepare: fn(Map<String, Value>, &Clock) -> Result<Work, Outcome>,
}

impl ToolEntry {
    /// The entry of a tool.
    pub const fn of<T: Tool>() -> Self {
        Self { name: T::NAME, definition: || schema::published::<T>().definition.clone(), prepare: prepare::<T> }
    }

    /// A tool from its parts; `const`, so that a slice of tools can be a `static`.
    pub const fn new(
        name: &'static str,
        definition: fn() -> Value,
        prepare: fn(Map<String, Value>, &Clock) -> Result<Work, Outcome>,
    ) -> Self {
        Self { name, definition, prepare }
    }

    /// The name in `tools/call`.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The tool as `tools/list` publishes it: name, title, description, inputSchema, outputSchema, annotations.
    pub fn definition(&self) -> Value {
        (self.definition)()
    }

    /// Checks raw arguments; cheap, touches no file. Work to be run later, or the refusal.
    pub fn prepare(&self, arguments: Map<String, Value>, clock: &Clock) -> Result<Work, Outcome> {
        (self.prepare)(arguments, clock)
    }
}

/// Shape and validate. A fault in a check is an internal failure like any other.
fn prepare<T: Tool>(raw: Map<String, Value>, clock: &Clock) -> Result<Work, Outcome> {
    match caught(|| arguments::check::<T>(raw, clock)) {
        Ok(Ok((valid, given))) => Ok(Box::new(move |call| run::<T>(&valid, given, call))),
        Ok(Err(text)) => Err(Outcome::Refusal(text)),
        Err(place) => {
            tracing::error!(tool = T::NAME, %place, "the check of the arguments failed");
            Err(Outcome::Refusal(masked(T::NAME)))
        }
    }
}

/// Run and render.
fn run<T: Tool>(valid: &Valid<T::Arguments>, given: Map<String, Value>, call: &Call) -> Outcome {
    let began = Instant::now();
    let answer = caught(|| T::run(valid, call).and_then(|answer| render(&answer)))
        .unwrap_or_else(|place| Err(ToolError::Internal(anyhow::Error::new(place))));
    let (outcome, result) = match answer {
        Ok(json) => (Outcome::Answer(json), "answer"),
        Err(ToolError::Arguments(problems)) => (Outcome::Refusal(refusal(T::NAME, &problems, Some(given))), "refusal"),
        Err(ToolError::ForModel(words)) => (Outcome::Refusal(for_model(T::NAME, &words)), "refusal"),
        Err(ToolError::Cancelled) => (Outcome::Cancelled, "cancelled"),
        Err(ToolError::Internal(error)) => {
            let chain = error.chain().map(ToString::to_string).collect::<Vec<_>>().join(": ");
            tracing::error!(tool = T::NAME, request = %call.request, cause = %chain, "a call failed");
            (Outcome::Refusal(masked(T::NAME)), "failure")
        }
    };
    let milliseconds = began.elapsed().as_millis();
    tracing::info!(tool = T::NAME, request = %call.request, milliseconds, notes = call.watch.notes_done(), result, "a call ended");
    outcome
}

fn render(answer: &impl Serialize) -> Result<String, ToolError> {
    serde_json::to_string(answer).context("an answer could not be serialised").map_err(ToolError::Internal)
}

/// What the model sees of a failure it can do nothing about: no more than this.
pub fn masked(tool: &str) -> String {
    format!("Error executing tool {tool}")
}

/// A refusal in the tool's own words.
pub fn for_model(tool: &str, words: &str) -> String {
    let text = format!("Error executing tool {tool}: {words}");
    match text.char_indices().nth(MAX_REFUSAL_CHARACTERS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}
