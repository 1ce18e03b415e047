//! Outcomes to responses: the only place where an answer gets the members its revision wants.
//!
//! 2026-07-28 wants `resultType` and the server's name on every result; the older revisions must not see them (a strict
//! client refuses a `ping` result that is not `{}`). What a tool answers is JSON already and is not parsed again.

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::{Era, Session};
use crate::jsonrpc::{self, Outgoing, RequestId, Response};
use crate::mcp::{
    AcknowledgedParams, CacheHints, CacheScope, CallToolResult, DiscoverResult, Empty, InitializeResult,
    ListToolsResult, ProgressParams, ResultMeta, ResultType, Revision, ServerCapabilities, StatelessResult,
    SubscriptionMeta, TextContent,
};
use crate::tools::Outcome;
use crate::tools::masked;

/// How long a client may keep what the server says about itself, in milliseconds: five minutes. It changes only with
/// the program, and a client starts the program anew more often than that.
const CACHE_TTL_MS: u64 = 300_000;

const CAPABILITIES: ServerCapabilities = ServerCapabilities { tools: Empty {} };

impl Session {
    /// What a tool's outcome is on the wire; `None` when nobody waits for it any more.
    pub fn answer(&self, id: RequestId, era: Era, tool: &str, outcome: &Outcome) -> Option<Response> {
        match outcome {
            Outcome::Answer(json) => {
                let compact = serde_json::from_str::<&RawValue>(json).ok().filter(|json| !json.get().contains('\n'));
                if compact.is_none() {
                    tracing::error!(tool, request = %id, "the tool's answer is not JSON on one line");
                }
                let masked = masked(tool);
                let text = if compact.is_some() { json } else { &masked };
                Some(self.tool_result(id, era, text, compact))
            }
            Outcome::Refusal(words) => Some(self.tool_result(id, era, words, None)),
            Outcome::Cancelled => None,
        }
    }

    /// How far a call has come, as a whole line.
    pub fn progress(&self, era: Era, progress_token: &RequestId, notes_done: u64) -> String {
        let knows_message = era != Era::Handshake(Revision::November2024);
        let message = knows_message.then(|| format!("{notes_done} notes looked at"));
        let params = ProgressParams { progress_token, progress: notes_done, message };
        jsonrpc::line(&Outgoing::new("notifications/progress", params))
    }

    /// What opens a stream, as a whole line. No kind of notification is honoured, since nothing here ever changes.
    pub fn acknowledgement(&self, id: &RequestId) -> String {
        let params = AcknowledgedParams { meta: SubscriptionMeta { subscription_id: id }, notifications: Empty {} };
        jsonrpc::line(&Outgoing::new("notifications/subscriptions/acknowledged", params))
    }

    /// What ends a stream, when the server ends it.
    pub fn stream_closed(&self, id: RequestId) -> Response {
        let result = self.stateless_result(Empty {}, None, Some(&id));
        Response::result(id, result)
    }

    pub(super) fn initialized(&self, id: RequestId, revision: Revision) -> Response {
        let result = InitializeResult {
            protocol_version: revision,
            capabilities: CAPABILITIES,
            server_info: &self.identity,
            instructions: &self.instructions,
        };
        Response::result(id, raw(&result))
    }

    pub(super) fn discovered(&self, id: RequestId, supported_versions: [&'static str; 1]) -> Response {
        let body = DiscoverResult { supported_versions, capabilities: CAPABILITIES, instructions: &self.instructions };
        Response::result(id, self.stateless_result(body, Some(cache_hints()), None))
    }

    pub(super) fn listed(&self, id: RequestId, era: Era) -> Response {
        let body = ListToolsResult { tools: &self.published };
        Response::result(id, self.shaped(era, body, Some(cache_hints())))
    }

    fn tool_result(&self, id: RequestId, era: Era, text: &str, structured: Option<&RawValue>) -> Response {
        let body = CallToolResult {
            content: [TextContent { text }],
            structured_content: structured,
            is_error: structured.is_none(),
        };
        Response::result(id, self.shaped(era, body, None))
    }

    fn shaped(&self, era: Era, body: impl Serialize, cache: Option<CacheHints>) -> Box<RawValue> {
        match era {
            Era::Handshake(_) => raw(&body),
            Era::Stateless => self.stateless_result(body, cache, None),
        }
    }

    fn stateless_result(
        &self,
        body: impl Serialize,
        cache: Option<CacheHints>,
        subscription_id: Option<&RequestId>,
    ) -> Box<RawValue> {
        let meta = ResultMeta { subscription_id, server_info: &self.identity };
        raw(&StatelessResult { result_type: ResultType::Complete, body, cache, meta })
    }
}

/// `ping` exists in the handshake era alone, and its result is exactly `{}`.
pub(super) fn pong(id: RequestId) -> Response {
    Response::result(id, raw(&Empty {}))
}

fn cache_hints() -> CacheHints {
    CacheHints { ttl_ms: CACHE_TTL_MS, cache_scope: CacheScope::Public }
}

pub(super) fn raw(value: &impl Serialize) -> Box<RawValue> {
    to_raw_value(value).expect("what is sent has text keys only and cannot fail to become JSON")
}
