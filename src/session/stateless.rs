//! The era without a handshake: 2026-07-28, where each request says in `params._meta` how it is meant.
//!
//! Nothing here depends on an earlier message. A request is refused for the first of these that is wrong: the required
//! keys, the version, the method, the parameters.

use serde_json::{Map, Value};

use super::{Era, Session, Step, meta_of, refuse};
use crate::jsonrpc::{ErrorObject, Request};
use crate::mcp::{LOG_LEVELS, STATELESS_REVISION, meta};

/// The versions a request may name, here and in `server/discover`. The older revisions need a handshake.
const SUPPORTED: [&str; 1] = [STATELESS_REVISION];

/// Whether a request wants to be served in this era: it names a version, or its method exists in no other. A bare
/// `_meta` is no claim, since older clients put a progress token there.
pub(super) fn is_claimed(request: &Request) -> bool {
    matches!(request.method.as_str(), "server/discover" | "subscriptions/listen")
        || meta_of(&request.params).is_some_and(|meta| meta.contains_key(meta::PROTOCOL_VERSION))
}

/// What a client hears that neither names a version nor shook hands.
pub(super) fn nothing_claimed() -> ErrorObject {
    let reason = format!(
        "params._meta lacks {} and {}; name them, or send initialize first",
        meta::PROTOCOL_VERSION,
        meta::CLIENT_CAPABILITIES
    );
    ErrorObject::missing_meta(&reason, &[meta::PROTOCOL_VERSION, meta::CLIENT_CAPABILITIES])
}

impl Session {
    /// A request of this era. `initialize`, `ping` and the like were removed from it and are unknown here.
    pub(super) fn stateless(&self, request: Request) -> Step {
        if let Err(error) = check_claim(&request.params) {
            return refuse(request.id, error);
        }
        match request.method.as_str() {
            "server/discover" | "tools/list" | "tools/call" | "subscriptions/listen" => {}
            method => return refuse(request.id, ErrorObject::method_not_found(method)),
        }
        if let Err(error) = check_log_level(&request.params) {
            return refuse(request.id, error);
        }
        match request.method.as_str() {
            "tools/list" => self.list_tools(request, Era::Stateless),
            "tools/call" => self.call_tool(request, Era::Stateless),
            "subscriptions/listen" => listen(request),
            _ => Step::Reply(self.discovered(request.id, SUPPORTED)),
        }
    }
}

fn listen(request: Request) -> Step {
    if request.params.get("notifications").is_some_and(Value::is_object) {
        return Step::Listen(request.id);
    }
    refuse(request.id, ErrorObject::invalid_params("params.notifications must be an object"))
}

/// The two required keys, then the version. `clientInfo` may be absent.
fn check_claim(params: &Map<String, Value>) -> Result<(), ErrorObject> {
    let nothing = Map::new();
    let claim = match params.get("_meta") {
        None | Some(Value::Null) => &nothing,
        Some(Value::Object(claim)) => claim,
        Some(_) => return Err(ErrorObject::invalid_params("params._meta must be an object")),
    };
    let mut missing = Vec::new();
    let mut faults = Vec::new();
    let mut require = |key, fits: fn(&Value) -> bool, kind| match claim.get(key) {
        None => {
            missing.push(key);
            faults.push(format!("params._meta lacks {key}"));
        }
        Some(value) if !fits(value) => faults.push(format!("{key} in params._meta must be {kind}")),
        Some(_) => {}
    };
    require(meta::PROTOCOL_VERSION, Value::is_string, "a string");
    require(meta::CLIENT_CAPABILITIES, Value::is_object, "an object");
    if !faults.is_empty() {
        return Err(ErrorObject::missing_meta(&faults.join("; "), &missing));
    }
    match claim.get(meta::PROTOCOL_VERSION).and_then(Value::as_str) {
        Some(STATELESS_REVISION) => Ok(()),
        asked => Err(ErrorObject::unsupported_version(&SUPPORTED, asked.unwrap_or_default())),
    }
}

/// A level is checked and then not used: this server sends no log messages.
fn check_log_level(params: &Map<String, Value>) -> Result<(), ErrorObject> {
    match meta_of(params).and_then(|claim| claim.get(meta::LOG_LEVEL)) {
        None => Ok(()),
        Some(Value::String(level)) if LOG_LEVELS.contains(&level.as_str()) => Ok(()),
        Some(_) => {
            let levels = LOG_LEVELS.join(", ");
            Err(ErrorObject::invalid_params(&format!("{} in params._meta must be one of {levels}", meta::LOG_LEVEL)))
        }
    }
}
