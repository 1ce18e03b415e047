//! Lines to messages: JSON-RPC 2.0 as MCP narrows it, the second stage of the arrow.
//!
//! A line becomes a request, a notification, something to ignore, or an error that is already addressed. Nothing here
//! knows the name of a method or asks which revision of MCP is spoken; whether a batch may be served is decided later.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

/// Longest id, in bytes. Ids are kept while a call waits and are sent back whole, so they share in the bound on memory.
pub const MAX_ID_BYTES: usize = 256 * 1024;

/// How many characters of a client's own words come back in an error's message.
const MAX_ECHO_CHARS: usize = 100;

/// How many characters of an id stand in the log.
const MAX_LOGGED_ID_CHARS: usize = 64;

/// What one line holds.
#[derive(Debug)]
pub enum Incoming {
    /// One message.
    Message(Message),
    /// An array; its elements are not looked at yet (see [`message`]).
    Batch(Vec<Value>),
}

/// One message, or what became of it.
#[derive(Debug)]
pub enum Message {
    /// Wants exactly one response.
    Request(Request),
    /// Wants none, whatever it says.
    Notification(Notification),
    /// A response to a request that was never sent: to be ignored.
    Stray,
    /// Not a message; the error that says so.
    Refused(Response),
}

/// A method to run and whom to answer.
#[derive(Debug)]
pub struct Request {
    /// The client's name for this request.
    pub id: RequestId,
    /// The method.
    pub method: String,
    /// The parameters by name; empty when they were absent or `null`.
    pub params: Map<String, Value>,
}

/// A method to take note of.
#[derive(Debug)]
pub struct Notification {
    /// The method.
    pub method: String,
    /// The parameters by name; empty when they were anything else.
    pub params: Map<String, Value>,
}

/// A string or a 64-bit integer, sent back exactly as it came (MCP: never `null`, never a fraction).
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(transparent)]
pub struct RequestId(Value);

impl RequestId {
    /// The value as an id, if it can be one.
    pub fn of(value: &Value) -> Option<Self> {
        let fits = match value {
            Value::String(text) => text.len() <= MAX_ID_BYTES,
            Value::Number(number) => number.is_i64() || number.is_u64(),
            _ => false,
        };
        fits.then(|| Self(value.clone()))
    }
}

/// The id as JSON, cut to a length fit for the log.
impl std::fmt::Display for RequestId {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&clipped(&self.0.to_string(), MAX_LOGGED_ID_CHARS))
    }
}

/// The one answer to a request: a result or an error, never both, never neither.
#[derive(Debug)]
pub struct Response {
    id: Option<RequestId>,
    outcome: Result<Box<RawValue>, ErrorObject>,
}

impl Response {
    /// A good answer; the result is JSON already.
    pub fn result(id: RequestId, result: Box<RawValue>) -> Self {
        Self { id: Some(id), outcome: Ok(result) }
    }

    /// A refusal.
    pub fn error(id: RequestId, error: ErrorObject) -> Self {
        Self { id: Some(id), outcome: Err(error) }
    }

    /// A refusal of something whose id cannot be told; goes out with `"id":null` (JSON-RPC 2.0, section 5).
    pub fn unaddressed(error: ErrorObject) -> Self {
        Self { id: None, outcome: Err(error) }
    }

    /// The error's code, if this is a refusal.
    pub fn error_code(&self) -> Option<i64> {
        self.outcome.as_ref().err().map(|error| error.code)
    }
}

impl Serialize for Response {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(Some(3))?;
        members.serialize_entry("jsonrpc", "2.0")?;
        members.serialize_entry("id", &self.id)?;
        match &self.outcome {
            Ok(result) => members.serialize_entry("result", result)?,
            Err(error) => members.serialize_entry("error", error)?,
        }
        members.end()
    }
}

/// Words for the client program. Only the constructors below make one, so that every code is used for one thing.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct ErrorObject {
    code: i64,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Value>,
}

impl ErrorObject {
    /// -32700: the line is not JSON.
    pub fn parse_error(reason: &str) -> Self {
        Self::new(-32700, format!("Parse error: {reason}"))
    }

    /// -32600: JSON, but not a request.
    pub fn invalid_request(reason: &str) -> Self {
        Self::new(-32600, format!("Invalid request: {reason}"))
    }

    /// -32601: no such method here.
    pub fn method_not_found(method: &str) -> Self {
        Self::new(-32601, format!("Method not found: {}", clipped(method, MAX_ECHO_CHARS)))
    }

    /// -32602: the method is known, its parameters are wrong.
    pub fn invalid_params(reason: &str) -> Self {
        Self::new(-32602, reason.to_owned())
    }

    /// -32602: no tool of this name (MCP, "Tools", error handling).
    pub fn unknown_tool(name: &str) -> Self {
        Self::new(-32602, format!("Unknown tool: {}", clipped(name, MAX_ECHO_CHARS)))
    }

    /// -32602: `params._meta` lacks what MCP 2026-07-28 requires; the names of the missing keys are in `data.missing`.
    pub fn missing_meta(reason: &str, missing: &[&str]) -> Self {
        let data = (!missing.is_empty()).then(|| json!({ "missing": missing }));
        Self { data, ..Self::new(-32602, reason.to_owned()) }
    }

    /// -32022: a protocol version that is not served (MCP 2026-07-28, "Versioning"); `data` says which are.
    pub fn unsupported_version(supported: &[&str], requested: &str) -> Self {
        let data = json!({ "supported": supported, "requested": clipped(requested, MAX_ECHO_CHARS) });
        Self { data: Some(data), ..Self::new(-32022, "Unsupported protocol version".to_owned()) }
    }

    /// -32603: the server cannot, through no fault of the request.
    pub fn internal(reason: &str) -> Self {
        Self::new(-32603, reason.to_owned())
    }

    fn new(code: i64, message: String) -> Self {
        Self { code, message, data: None }
    }
}

/// A notification to the client.
#[derive(Debug, serde::Serialize)]
pub struct Outgoing<P> {
    jsonrpc: &'static str,
    method: &'static str,
    params: P,
}

impl<P: Serialize> Outgoing<P> {
    /// A notification with its parameters.
    pub fn new(method: &'static str, params: P) -> Self {
        Self { jsonrpc: "2.0", method, params }
    }
}

/// A message as compact JSON on one line, without a line end.
pub(crate) fn line(message: &impl Serialize) -> String {
    serde_json::to_string(message).expect("messages have text keys only and cannot fail to become JSON")
}

/// Reads one line. Lone surrogates, nesting beyond 128 levels and numbers out of range count as malformed JSON; of
/// duplicate members the last one counts.
pub fn read(text: &str) -> Incoming {
    match serde_json::from_str(text) {
        Ok(Value::Array(elements)) => Incoming::Batch(elements),
        Ok(value) => Incoming::Message(message(value)),
        Err(error) => {
            let reason = format!("not JSON from column {} on; send one JSON message per line", error.column());
            Incoming::Message(Message::Refused(Response::unaddressed(ErrorObject::parse_error(&reason))))
        }
    }
}

/// Tells what one JSON value is. Its members are looked at one by one, so that each fault gets its own error.
pub fn message(value: Value) -> Message {
    let unaddressed = |reason| Message::Refused(Response::unaddressed(ErrorObject::invalid_request(reason)));
    let Value::Object(mut members) = value else {
        return unaddressed("a message must be a JSON object");
    };
    let method = members.remove("method");
    if method.is_none() && (members.contains_key("result") || members.contains_key("error")) {
        return Message::Stray;
    }
    let params = members.remove("params");
    // `null` is no id, yet it is not the same as none: `remove` keeps the two apart.
    let Some(id) = members.remove("id") else {
        return match method {
            Some(Value::String(method)) => {
                Message::Notification(Notification { method, params: object_or_empty(params) })
            }
            _ => unaddressed("a message needs a method"),
        };
    };
    let Some(id) = RequestId::of(&id) else {
        return unaddressed("id must be a string or a 64-bit integer");
    };
    let refused = |id, error| Message::Refused(Response::error(id, error));
    if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return refused(id, ErrorObject::invalid_request("jsonrpc must be \"2.0\""));
    }
    let Some(Value::String(method)) = method else {
        return refused(id, ErrorObject::invalid_request("method must be a string"));
    };
    match params {
        None | Some(Value::Null | Value::Object(_)) => {
            Message::Request(Request { id, method, params: object_or_empty(params) })
        }
        Some(Value::Array(_)) => refused(id, ErrorObject::invalid_params("params must be an object, not an array")),
        Some(_) => refused(id, ErrorObject::invalid_request("params must be an object")),
    }
}

fn object_or_empty(params: Option<Value>) -> Map<String, Value> {
    match params {
        Some(Value::Object(members)) => members,
        _ => Map::new(),
    }
}

fn clipped(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a line comes to, in a word and as it would be answered.
    fn outcome(text: &str) -> String {
        match read(text) {
            Incoming::Batch(elements) => format!("batch of {}", elements.len()),
            Incoming::Message(Message::Request(request)) => {
                format!("request {} {} {}", request.id, request.method, Value::Object(request.params))
            }
            Incoming::Message(Message::Notification(notification)) => format!("notification {}", notification.method),
            Incoming::Message(Message::Stray) => "stray".to_owned(),
            Incoming::Message(Message::Refused(response)) => {
                format!(
                    "{} {}",
                    response.error_code().unwrap(),
                    response.id.map_or("null".to_owned(), |id| id.to_string())
                )
            }
        }
    }

    #[test]
    fn ids_come_back_with_the_same_type_and_value() {
        for id in ["0", "-1", "\"\"", "\"1\"", "9007199254740993", "18446744073709551615", "-9223372036854775808"] {
            let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
            assert_eq!(outcome(&text), format!("request {id} ping {{}}"));
        }
    }

    #[test]
    fn what_cannot_be_an_id_is_refused_with_id_null() {
        for id in ["null", "1.5", "1.0", "true", "{}", "[1]", "18446744073709551616", "-9223372036854775809"] {
            let text = format!(r#"{{"jsonrpc":"1.0","id":{id},"method":"ping"}}"#);
            assert_eq!(outcome(&text), "-32600 null", "{id}");
        }
        let long = "x".repeat(MAX_ID_BYTES + 1);
        assert_eq!(outcome(&format!(r#"{{"jsonrpc":"2.0","id":"{long}","method":"ping"}}"#)), "-32600 null");
    }

    #[test]
    fn each_fault_gets_its_own_error() {
        for (text, expected) in [
            ("{not json", "-32700 null"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"\ud800"}}"#, "-32700 null"),
            ("5", "-32600 null"),
            ("null", "-32600 null"),
            ("{}", "-32600 null"),
            ("[]", "batch of 0"),
            (r#"{"id":6,"method":"ping"}"#, "-32600 6"),
            (r#"{"jsonrpc":2.0,"id":6,"method":"ping"}"#, "-32600 6"),
            (r#"{"jsonrpc":"2.0","id":"a"}"#, "-32600 \"a\""),
            (r#"{"jsonrpc":"2.0","id":"a","method":null,"result":1}"#, "-32600 \"a\""),
            (r#"{"jsonrpc":"2.0","id":1,"method":"m","params":null}"#, "request 1 m {}"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"m","params":[]}"#, "-32602 1"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"m","params":"x"}"#, "-32600 1"),
            (r#"{"id":"first","jsonrpc":"2.0","id":"last","method":"a","method":"b"}"#, "request \"last\" b {}"),
        ] {
            assert_eq!(outcome(text), expected, "{text}");
        }
    }

    #[test]
    fn without_an_id_a_method_is_a_notification_whatever_else_it_says() {
        for rest in ["", r#","params":[1]"#, r#","params":"x""#, r#","jsonrpc":"1.0""#] {
            assert_eq!(outcome(&format!(r#"{{"method":"tools/list"{rest}}}"#)), "notification tools/list");
        }
    }

    #[test]
    fn responses_are_not_for_us() {
        for text in [r#"{"id":1,"result":null}"#, r#"{"id":null,"error":{}}"#, r#"{"error":{}}"#] {
            assert_eq!(outcome(text), "stray");
        }
    }

    #[test]
    fn deep_nesting_is_a_parse_error_and_no_crash() {
        assert_eq!(outcome(&("[".repeat(100_000) + &"]".repeat(100_000))), "-32700 null");
    }

    #[test]
    fn a_response_has_exactly_a_result_or_an_error() {
        let id = RequestId::of(&json!(1)).unwrap();
        let raw = RawValue::from_string("{}".to_owned()).unwrap();
        assert_eq!(line(&Response::result(id, raw)), r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
        let error = ErrorObject::internal("x");
        assert_eq!(
            line(&Response::unaddressed(error)),
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"x"}}"#
        );
    }

    #[test]
    fn a_client_cannot_make_an_error_long() {
        let ErrorObject { message, .. } = ErrorObject::method_not_found(&"é".repeat(5_000));
        assert!(message.len() < 300);
    }
}
