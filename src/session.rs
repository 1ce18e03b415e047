//! Messages to steps: which revision speaks, and what each method asks for. Pure; nothing here waits, reads or writes.
//!
//! Both eras of MCP are served side by side, message by message. A request that names a version in `params._meta` is
//! stateless (2026-07-28) whatever came before it; `initialize` opens the handshake era for the requests that name
//! none. The negotiated revision is all that is remembered.
//!
//! A step is carried out by `server`; what comes of a tool gets its wire shape back here (`answer`).

mod answer;
mod handshake;
mod instructions;
mod stateless;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::jsonrpc::{self, ErrorObject, Incoming, Message, Notification, Request, RequestId, Response};
use crate::mcp::{Implementation, Revision, meta};
use crate::tools::ToolEntry;

pub use instructions::instructions;

/// Most messages in one batch. Clients that batch send a handful; beyond this it is a fault or an attack.
pub const MAX_BATCH_MESSAGES: usize = 100;

/// What the server says about itself, and what was agreed with the client.
#[derive(Debug)]
pub struct Session {
    tools: &'static [ToolEntry],
    /// All tools as they are published, one JSON array; the same for every client (MCP, "Tools").
    published: Box<RawValue>,
    identity: Implementation,
    instructions: String,
    negotiated: Option<Revision>,
}

/// Which rules an answer must keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// After a handshake, in this revision.
    Handshake(Revision),
    /// 2026-07-28, where each request stands for itself.
    Stateless,
}

/// What one line asks of the server.
#[derive(Debug)]
pub enum Step {
    /// Nothing.
    Silence,
    /// To send this.
    Reply(Response),
    /// To run a tool and answer later.
    Call(ToolCall),
    /// To open a stream of notifications and keep it open (`subscriptions/listen`).
    Listen(RequestId),
    /// To stop working on this request and never answer it.
    Cancel(RequestId),
    /// To do all of this and answer it in one line; never holds another batch, nor a stream.
    Batch(Vec<Step>),
}

/// A call whose tool is known and whose arguments are an object, not checked yet.
#[derive(Debug)]
pub struct ToolCall {
    /// Whom to answer.
    pub id: RequestId,
    /// In which shape.
    pub era: Era,
    /// The tool.
    pub tool: ToolEntry,
    /// Its arguments, as they came.
    pub arguments: Map<String, Value>,
    /// Under which name the client wants to hear of progress, if it does.
    pub progress_token: Option<RequestId>,
}

impl Session {
    /// A session in which nothing was said yet.
    pub fn new(tools: &'static [ToolEntry], identity: Implementation, instructions: String) -> Self {
        let definitions: Vec<Value> = tools.iter().map(ToolEntry::definition).collect();
        let published = answer::raw(&definitions);
        Self { tools, published, identity, instructions, negotiated: None }
    }

    /// What to do about one line. A handshake takes effect before this returns, so that the next line is read in the
    /// revision it settled.
    pub fn step(&mut self, incoming: Incoming) -> Step {
        match incoming {
            Incoming::Message(message) => self.message(message),
            Incoming::Batch(elements) => self.batch(elements),
        }
    }

    fn message(&mut self, message: Message) -> Step {
        match message {
            Message::Request(request) => self.request(request),
            Message::Notification(notification) => noted(&notification),
            Message::Stray => Step::Silence,
            Message::Refused(response) => Step::Reply(response),
        }
    }

    /// Batches belong to 2025-03-26 alone ("Base protocol", Batching; removed in 2025-06-18).
    fn batch(&mut self, elements: Vec<Value>) -> Step {
        let reason = if self.negotiated != Some(Revision::March2025) {
            "arrays of messages are not supported in this protocol revision; send one message per line".to_owned()
        } else if elements.is_empty() {
            "an array of messages must not be empty".to_owned()
        } else if elements.len() > MAX_BATCH_MESSAGES {
            format!("an array may hold at most {MAX_BATCH_MESSAGES} messages")
        } else {
            return Step::Batch(elements.into_iter().map(|element| self.element(element)).collect());
        };
        Step::Reply(Response::unaddressed(ErrorObject::invalid_request(&reason)))
    }

    fn element(&mut self, element: Value) -> Step {
        match jsonrpc::message(element) {
            Message::Request(request) if stateless::is_claimed(&request) => {
                refuse(request.id, ErrorObject::invalid_request("2026-07-28 knows no arrays of messages"))
            }
            Message::Request(request) if request.method == "initialize" => {
                refuse(request.id, ErrorObject::invalid_request("initialize must not be part of an array of messages"))
            }
            message => self.message(message),
        }
    }

    /// The order matters: a claim outranks the method, the method outranks what was negotiated.
    fn request(&mut self, request: Request) -> Step {
        if stateless::is_claimed(&request) {
            return self.stateless(request);
        }
        match (request.method.as_str(), self.negotiated) {
            ("initialize", _) => self.initialize(request),
            ("ping", _) => Step::Reply(answer::pong(request.id)),
            (_, Some(revision)) => self.negotiated(request, revision),
            (_, None) => refuse(request.id, stateless::nothing_claimed()),
        }
    }

    /// `tools/list`, the same in both eras. There is one page, so no cursor was ever given out.
    fn list_tools(&self, request: Request, era: Era) -> Step {
        if request.params.get("cursor").is_some_and(|cursor| !cursor.is_null()) {
            return refuse(request.id, ErrorObject::invalid_params("Invalid cursor: tools/list has one page only"));
        }
        Step::Reply(self.listed(request.id, era))
    }

    /// `tools/call`, the same in both eras. Wrong arguments are the tool's to refuse, in words for the model (SEP-1303).
    fn call_tool(&self, request: Request, era: Era) -> Step {
        let Request { id, mut params, .. } = request;
        let progress_token = meta_of(&params).and_then(|meta| meta.get(meta::PROGRESS_TOKEN)).and_then(RequestId::of);
        let Some(Value::String(name)) = params.get("name") else {
            return refuse(id, ErrorObject::invalid_params("params.name must be a string: the tool's name"));
        };
        let Some(tool) = self.tools.iter().find(|tool| tool.name() == name) else {
            return refuse(id, ErrorObject::unknown_tool(name));
        };
        let arguments = match params.remove("arguments") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(arguments)) => arguments,
            Some(_) => return refuse(id, ErrorObject::invalid_params("params.arguments must be an object")),
        };
        Step::Call(ToolCall { id, era, tool: *tool, arguments, progress_token })
    }
}

/// Only a cancellation asks for something; it means the same in every revision, so it needs no era.
fn noted(notification: &Notification) -> Step {
    if notification.method != "notifications/cancelled" {
        return Step::Silence;
    }
    notification.params.get("requestId").and_then(RequestId::of).map_or(Step::Silence, Step::Cancel)
}

fn refuse(id: RequestId, error: ErrorObject) -> Step {
    Step::Reply(Response::error(id, error))
}

fn meta_of(params: &Map<String, Value>) -> Option<&Map<String, Value>> {
    params.get("_meta").and_then(Value::as_object)
}

#[cfg(test)]
mod tests;
