//! One message in, one step out: both eras without a process around them.

use serde_json::json;

use super::*;
use crate::clock::Clock;
use crate::tools::{Outcome, Work};

static TOOLS: [ToolEntry; 1] = [ToolEntry::new("echo", definition, prepare)];

fn definition() -> Value {
    json!({ "name": "echo" })
}

fn prepare(_: Map<String, Value>, _: &Clock) -> Result<Work, Outcome> {
    Err(Outcome::Refusal("never run here".to_owned()))
}

fn session() -> Session {
    Session::new(&TOOLS, Implementation { name: "notes", version: "1" }, "Search.".to_owned())
}

/// The answer to one message, as JSON; `null` for silence.
fn answer(session: &mut Session, message: &Value) -> Value {
    match session.step(jsonrpc::read(&message.to_string())) {
        Step::Reply(response) => serde_json::to_value(response).unwrap(),
        Step::Silence => Value::Null,
        step => panic!("{message} is not answered at once: {step:?}"),
    }
}

fn code(session: &mut Session, message: &Value) -> i64 {
    let answer = answer(session, message);
    answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("no error: {answer}"))
}

fn plain(method: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method })
}

fn claimed(method: &str, version: &str) -> Value {
    let claim = json!({ meta::PROTOCOL_VERSION: version, meta::CLIENT_CAPABILITIES: {} });
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": { "_meta": claim } })
}

fn stateless(method: &str) -> Value {
    claimed(method, "2026-07-28")
}

fn initialize(version: &str) -> Value {
    let params = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "c" } });
    json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params })
}

fn call(params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })
}

#[test]
fn a_supported_version_is_granted_and_any_other_answered_with_the_latest() {
    for (asked, granted) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("", "2025-11-25"),
    ] {
        let answer = answer(&mut session(), &initialize(asked));
        assert_eq!(
            answer["result"],
            json!({
                "protocolVersion": granted,
                "capabilities": { "tools": {} },
                "serverInfo": { "name": "notes", "version": "1" },
                "instructions": "Search.",
            })
        );
    }
}

#[test]
fn an_incomplete_initialize_names_the_field_and_is_no_handshake() {
    let mut session = session();
    for name in ["protocolVersion", "capabilities", "clientInfo"] {
        for spoilt in [Value::Null, json!(5)] {
            let mut message = initialize("2025-11-25");
            message["params"][name] = spoilt;
            let error = &answer(&mut session, &message)["error"];
            assert_eq!(error["code"], -32602);
            assert!(error["message"].as_str().unwrap().contains(name), "{error}");
        }
    }
    assert_eq!(code(&mut session, &plain("tools/list")), -32602);
}

#[test]
fn without_a_claim_or_a_handshake_only_ping_is_served() {
    let mut session = session();
    assert_eq!(answer(&mut session, &plain("ping"))["result"], json!({}));
    for method in ["tools/list", "tools/call", "no/such"] {
        let error = answer(&mut session, &plain(method))["error"].clone();
        assert_eq!(error["code"], -32602);
        for word in [meta::PROTOCOL_VERSION, meta::CLIENT_CAPABILITIES, "initialize"] {
            assert!(error["message"].as_str().unwrap().contains(word), "{error}");
        }
    }
}

#[test]
fn both_eras_are_served_side_by_side() {
    let mut session = session();
    let before = answer(&mut session, &stateless("tools/list"));
    assert_eq!(before["result"]["resultType"], "complete");
    assert_eq!(before["result"]["cacheScope"], "public");
    answer(&mut session, &initialize("2025-06-18"));
    assert_eq!(answer(&mut session, &plain("tools/list"))["result"], json!({ "tools": [{ "name": "echo" }] }));
    assert_eq!(answer(&mut session, &stateless("tools/list")), before);
    assert_eq!(answer(&mut session, &plain("ping"))["result"], json!({}));
}

#[test]
fn discover_says_what_is_served_and_who_serves_it() {
    assert_eq!(
        answer(&mut session(), &stateless("server/discover"))["result"],
        json!({
            "resultType": "complete",
            "supportedVersions": ["2026-07-28"],
            "capabilities": { "tools": {} },
            "instructions": "Search.",
            "ttlMs": CACHE_TTL,
            "cacheScope": "public",
            "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "notes", "version": "1" } },
        })
    );
}

const CACHE_TTL: u64 = 300_000;

#[test]
fn a_stateless_request_is_refused_for_its_first_fault() {
    let mut session = session();
    let mut bare = claimed("no/such", "2099-01-01");
    bare["params"]["_meta"].as_object_mut().unwrap().remove(meta::CLIENT_CAPABILITIES);
    let error = answer(&mut session, &bare)["error"].clone();
    assert_eq!((&error["code"], &error["data"]["missing"]), (&json!(-32602), &json!([meta::CLIENT_CAPABILITIES])));

    let error = answer(&mut session, &claimed("no/such", "2025-11-25"))["error"].clone();
    assert_eq!(error["code"], -32022);
    assert_eq!(error["data"], json!({ "supported": ["2026-07-28"], "requested": "2025-11-25" }));

    for method in ["no/such", "initialize", "ping", "resources/list"] {
        assert_eq!(code(&mut session, &stateless(method)), -32601, "{method}");
    }
    let mut loud = stateless("tools/list");
    loud["params"]["_meta"][meta::LOG_LEVEL] = json!("loud");
    assert_eq!(code(&mut session, &loud), -32602);
    loud["params"]["_meta"][meta::LOG_LEVEL] = json!("debug");
    assert_eq!(answer(&mut session, &loud)["result"]["resultType"], "complete");
}

#[test]
fn keys_of_the_wrong_type_are_named() {
    for (key, value) in [(meta::PROTOCOL_VERSION, json!(5)), (meta::CLIENT_CAPABILITIES, json!([]))] {
        let mut message = stateless("tools/list");
        message["params"]["_meta"][key] = value;
        let error = answer(&mut session(), &message)["error"].clone();
        assert_eq!(error["code"], -32602);
        assert!(error["message"].as_str().unwrap().contains(key) && error.get("data").is_none(), "{error}");
    }
}

#[test]
fn a_call_carries_its_era_and_its_token() {
    let mut session = session();
    answer(&mut session, &initialize("2024-11-05"));
    let message = call(&json!({ "name": "echo", "arguments": null, "_meta": { "progressToken": 0 }, "task": {} }));
    let Step::Call(call) = session.step(jsonrpc::read(&message.to_string())) else { panic!("a call") };
    assert_eq!((call.era, call.arguments.len()), (Era::Handshake(Revision::November2024), 0));
    assert_eq!(call.progress_token, RequestId::of(&json!(0)));
    let line = session.progress(call.era, &call.progress_token.unwrap(), 7);
    assert!(line.ends_with(r#""params":{"progressToken":0,"progress":7}}"#), "{line}");
}

#[test]
fn a_malformed_call_is_the_clients_fault() {
    let mut session = session();
    answer(&mut session, &initialize("2025-11-25"));
    for params in [
        json!({}),
        json!({ "name": 5 }),
        json!({ "name": "nope" }),
        json!({ "name": "Echo" }),
        json!({ "name": "echo", "arguments": [] }),
        json!({ "name": "echo", "arguments": "{}" }),
    ] {
        assert_eq!(code(&mut session, &call(&params)), -32602, "{params}");
    }
    let mut list = plain("tools/list");
    list["params"] = json!({ "cursor": "" });
    assert_eq!(code(&mut session, &list), -32602);
}

#[test]
fn batches_belong_to_one_revision() {
    let mut session = session();
    let batch = json!([plain("ping")]);
    for version in ["2024-11-05", "2025-06-18", "2025-11-25"] {
        answer(&mut session, &initialize(version));
        assert_eq!(code(&mut session, &batch), -32600, "{version}");
    }
    answer(&mut session, &initialize("2025-03-26"));
    assert_eq!(code(&mut session, &json!([])), -32600);
    assert_eq!(code(&mut session, &vec![plain("ping"); MAX_BATCH_MESSAGES + 1].into()), -32600);
    let batch = json!([plain("ping"), initialize("2025-11-25"), stateless("tools/list"), [], plain("notifications/x")]);
    let Step::Batch(steps) = session.step(jsonrpc::read(&batch.to_string())) else { panic!("a batch") };
    let codes: Vec<_> = steps
        .iter()
        .map(|step| match step {
            Step::Reply(response) => response.error_code(),
            step => panic!("{step:?}"),
        })
        .collect();
    assert_eq!(codes, [None, Some(-32600), Some(-32600), Some(-32600), Some(-32601)]);
    assert_eq!(session.negotiated, Some(Revision::March2025));
}

#[test]
fn only_a_readable_cancellation_asks_for_something() {
    let mut session = session();
    for params in [json!({}), json!(null), json!([1]), json!({ "requestId": 1.5 }), json!({ "requestId": null })] {
        let message = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
        assert_eq!(answer(&mut session, &message), Value::Null);
    }
    let message = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": "7" } });
    let step = session.step(jsonrpc::read(&message.to_string()));
    assert!(matches!(step, Step::Cancel(id) if Some(&id) == RequestId::of(&json!("7")).as_ref()));
}

#[test]
fn listening_needs_a_filter_and_a_claim() {
    let mut session = session();
    assert_eq!(code(&mut session, &stateless("subscriptions/listen")), -32602);
    assert_eq!(code(&mut session, &plain("subscriptions/listen")), -32602);
    let mut message = stateless("subscriptions/listen");
    message["params"]["notifications"] = json!({});
    assert!(matches!(session.step(jsonrpc::read(&message.to_string())), Step::Listen(_)));
}

#[test]
fn an_answer_is_one_text_and_the_same_json_and_a_refusal_is_text_alone() {
    let session = session();
    let shown = |era, outcome: &Outcome| {
        let id = RequestId::of(&json!(1)).unwrap();
        session.answer(id, era, "echo", outcome).map(|response| jsonrpc::line(&response))
    };
    let handshake = Era::Handshake(Revision::LATEST);
    assert_eq!(
        shown(handshake, &Outcome::Answer(r#"{"a":1.0}"#.to_owned())).unwrap(),
        r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"a\":1.0}"}],"structuredContent":{"a":1.0}}}"#
    );
    assert_eq!(
        shown(handshake, &Outcome::Refusal("no".to_owned())).unwrap(),
        r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"no"}],"isError":true}}"#
    );
    assert_eq!(
        shown(Era::Stateless, &Outcome::Refusal("no".to_owned())).unwrap(),
        r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"no"}],"isError":true,"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"notes","version":"1"}}}}"#
    );
    assert_eq!(shown(Era::Stateless, &Outcome::Cancelled), None);
    for spoilt in ["{", "{\n}"] {
        let line = shown(handshake, &Outcome::Answer(spoilt.to_owned())).unwrap();
        assert!(line.contains(r#""Error executing tool echo""#) && line.contains(r#""isError":true"#), "{line}");
    }
}
