//! The era of the handshake: 2024-11-05 to 2025-11-25.
//!
//! `initialize` may come at any time and as often as the client likes; the last one counts. Requests are served from
//! then on, whether or not `notifications/initialized` followed: only clients are told to wait for it.

use serde_json::Value;

use super::{Era, Session, Step, refuse};
use crate::jsonrpc::{ErrorObject, Request};
use crate::mcp::Revision;

impl Session {
    /// A supported version is granted, any other is answered with the latest (MCP 2025-11-25, "Lifecycle"). This holds
    /// for `2026-07-28` too: rmcp asks for it here, and the official clients refuse to have it granted.
    pub(super) fn initialize(&mut self, request: Request) -> Step {
        let is_object = |name: &str| request.params.get(name).is_some_and(Value::is_object);
        let fault = match request.params.get("protocolVersion") {
            None => Some("params.protocolVersion is missing"),
            Some(Value::String(_)) if !is_object("capabilities") => Some("params.capabilities must be an object"),
            Some(Value::String(_)) if !is_object("clientInfo") => Some("params.clientInfo must be an object"),
            Some(Value::String(_)) => None,
            Some(_) => Some("params.protocolVersion must be a string"),
        };
        if let Some(fault) = fault {
            return refuse(request.id, ErrorObject::invalid_params(fault));
        }
        let asked = request.params.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
        let revision = Revision::named(asked).unwrap_or(Revision::LATEST);
        self.negotiated = Some(revision);
        Step::Reply(self.initialized(request.id, revision))
    }

    /// A request after the handshake. `ping` and `initialize` never come here.
    pub(super) fn negotiated(&self, request: Request, revision: Revision) -> Step {
        let era = Era::Handshake(revision);
        match request.method.as_str() {
            "tools/list" => self.list_tools(request, era),
            "tools/call" => self.call_tool(request, era),
            method => refuse(request.id, ErrorObject::method_not_found(method)),
        }
    }
}
