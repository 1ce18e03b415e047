//! What every tool is, which tools there are, and the one pipeline that all calls go through:
//! shape → validate → run → render.
//!
//! A third tool is one file under `tools/` and two lines here: its `mod` and its entry in [`TOOLS`].
//! Nothing here knows JSON-RPC or the revisions of MCP; nothing here opens a file.

pub mod arguments;

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::clock::Clock;
use crate::notes::{Notes, Watch};

/// The tools, in the order in which `tools/list` shows them.
pub static TOOLS: &[ToolEntry] = &[];

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
