//! The loop, driven through memory by a small client.

use std::collections::HashSet;
use std::sync::{Condvar, Mutex};

use serde_json::{Map, Value, json};
use tokio::io::{AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf, duplex, split};
use tokio::sync::oneshot;
use tokio::time::advance;

use super::*;
use crate::notes::Settings;
use crate::tools::Work;
use crate::transport::MAX_UNWRITTEN_BYTES;

static TOOLS: [ToolEntry; 5] = [
    ToolEntry::new("echo", definition, |arguments, _| {
        Ok(Box::new(move |_| Outcome::Answer(Value::Object(arguments).to_string())))
    }),
    ToolEntry::new("gated", definition, |arguments, _| Ok(gated(&arguments))),
    ToolEntry::new("giving_up", definition, |_, _| Ok(Box::new(|_| Outcome::Cancelled))),
    ToolEntry::new("panicking", definition, |_, _| Ok(Box::new(|_| panic!("secret of a note")))),
    ToolEntry::new("panicking_early", definition, |_, _| panic!("secret of an argument")),
];

static OPEN_GATES: Mutex<Option<HashSet<String>>> = Mutex::new(None);
static GATE_OPENED: Condvar = Condvar::new();

fn definition() -> Value {
    json!({})
}

/// Work that counts notes until its gate is opened or it is cancelled.
fn gated(arguments: &Map<String, Value>) -> Work {
    let gate = arguments["gate"].to_string();
    Box::new(move |call| {
        let mut gates = OPEN_GATES.lock().unwrap();
        loop {
            call.watch.count_note();
            if call.watch.is_cancelled() {
                return Outcome::Cancelled;
            }
            if gates.as_ref().is_some_and(|gates| gates.contains(&gate)) {
                return Outcome::Answer("{}".to_owned());
            }
            gates = GATE_OPENED.wait_timeout(gates, Duration::from_millis(1)).unwrap().0;
        }
    })
}

fn open_gate(gate: &str) {
    OPEN_GATES.lock().unwrap().get_or_insert_default().insert(json!(gate).to_string());
    GATE_OPENED.notify_all();
}

fn setup() -> Setup {
    Setup {
        tools: &TOOLS,
        notes: Arc::new(Notes::new(Settings::of("nowhere")).unwrap()),
        clock: Clock::system(),
        identity: Implementation { name: "notes", version: "1" },
        instructions: String::new(),
    }
}

struct Client {
    lines: Lines<ReadHalf<DuplexStream>>,
    to_server: WriteHalf<DuplexStream>,
    stop: Option<oneshot::Sender<Stop>>,
    server: JoinHandle<Ended>,
}

impl Client {
    fn new() -> Self {
        Self::with_pipes_of(1 << 16)
    }

    fn with_pipes_of(bytes: usize) -> Self {
        let (ours, theirs) = duplex(bytes);
        let (from_server, to_server) = split(ours);
        let (input, output) = split(theirs);
        let (stop, stopped) = oneshot::channel();
        let stopped = async {
            match stopped.await {
                Ok(stop) => stop,
                Err(_) => std::future::pending().await,
            }
        };
        let server = tokio::spawn(serve(input, output, setup(), stopped));
        Self { lines: Lines::new(from_server), to_server, stop: Some(stop), server }
    }

    async fn send(&mut self, message: &Value) {
        self.to_server.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn call(&mut self, id: impl Into<Value>, tool: &str, arguments: &Value) {
        self.send(&request(id, "tools/call", &json!({ "name": tool, "arguments": arguments }))).await;
    }

    async fn cancel(&mut self, id: impl Into<Value>) {
        let params = json!({ "requestId": id.into() });
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params })).await;
    }

    async fn receive(&mut self) -> Value {
        match self.lines.next().await.unwrap() {
            Some(Line::Text(text)) => serde_json::from_str(&text).unwrap(),
            other => panic!("no message: {other:?}"),
        }
    }

    /// Asks for something that is answered at once: all lines before it have been read by then.
    async fn fence(&mut self) {
        self.send(&request("fence", "server/discover", &json!({}))).await;
        assert_eq!(self.receive().await["id"], "fence");
    }

    async fn close_input(&mut self) {
        self.to_server.shutdown().await.unwrap();
    }

    async fn ends(mut self) -> Ended {
        let ended = self.server.await.unwrap();
        assert_eq!(self.lines.next().await.unwrap(), None, "nothing is left over");
        ended
    }
}

fn request(id: impl Into<Value>, method: &str, params: &Value) -> Value {
    let mut params = params.clone();
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params })
}

fn listen(id: impl Into<Value>) -> Value {
    request(id, "subscriptions/listen", &json!({ "notifications": { "toolsListChanged": true } }))
}

#[tokio::test]
async fn a_running_call_holds_nobody_up() {
    let mut client = Client::new();
    client.call(1, "gated", &json!({ "gate": "a" })).await;
    client.fence().await;
    client.call(2, "echo", &json!({ "x": 1.0 })).await;
    let answer = client.receive().await;
    assert_eq!((&answer["id"], &answer["result"]["structuredContent"]), (&json!(2), &json!({ "x": 1.0 })));
    open_gate("a");
    assert_eq!(client.receive().await["id"], 1);
    client.close_input().await;
    assert_eq!(client.ends().await, Ended::InputClosed);
}

#[tokio::test]
async fn a_cancelled_call_is_never_answered() {
    let mut client = Client::new();
    for id in 0..50 {
        client.call(id, "gated", &json!({ "gate": "never" })).await;
    }
    client.call("0", "gated", &json!({ "gate": "typed" })).await;
    for id in 0..50 {
        client.cancel(id).await;
        client.cancel(id).await;
    }
    client.cancel("unknown").await;
    client.fence().await;
    open_gate("typed");
    assert_eq!(client.receive().await["id"], "0");
    client.close_input().await;
    assert_eq!(client.ends().await, Ended::InputClosed);
}

#[tokio::test]
async fn an_id_used_twice_gets_two_answers_and_is_cancelled_as_one() {
    let mut client = Client::new();
    for _ in 0..2 {
        client.call(1, "echo", &json!({})).await;
    }
    assert_eq!((client.receive().await["id"].clone(), client.receive().await["id"].clone()), (json!(1), json!(1)));
    for _ in 0..2 {
        client.call(1, "gated", &json!({ "gate": "never" })).await;
    }
    client.cancel(1).await;
    client.fence().await;
    client.close_input().await;
    assert_eq!(client.ends().await, Ended::InputClosed);
}

#[tokio::test]
async fn a_fault_of_a_tool_fails_its_own_call_and_tells_nothing() {
    let mut client = Client::new();
    for tool in ["panicking", "panicking_early", "giving_up"] {
        client.call(tool, tool, &json!({})).await;
        let result = client.receive().await["result"].clone();
        assert_eq!(result["isError"], true);
        assert_eq!(result["content"], json!([{ "type": "text", "text": format!("Error executing tool {tool}") }]));
    }
    client.fence().await;
}

#[tokio::test]
async fn too_many_calls_are_refused_in_words() {
    let mut client = Client::new();
    let running = std::thread::available_parallelism().map_or(2, |cores| cores.get().max(2));
    for id in 0..running + MAX_WAITING_CALLS {
        client.call(id, "gated", &json!({ "gate": "crowd" })).await;
    }
    client.call("one too many", "gated", &json!({ "gate": "crowd" })).await;
    let answer = client.receive().await;
    assert_eq!(answer["id"], "one too many");
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("Error executing tool gated: 1000 calls are waiting"), "{text}");
    open_gate("crowd");
    let mut answered = HashSet::new();
    for _ in 0..running + MAX_WAITING_CALLS {
        answered.insert(client.receive().await["id"].as_u64().unwrap());
    }
    assert_eq!(answered.len(), running + MAX_WAITING_CALLS);
}

#[tokio::test]
async fn calls_in_flight_are_answered_after_the_end_of_the_input() {
    let mut client = Client::new();
    client.call(1, "gated", &json!({ "gate": "late" })).await;
    client.close_input().await;
    tokio::task::yield_now().await;
    open_gate("late");
    assert_eq!(client.receive().await["id"], 1);
    assert_eq!(client.ends().await, Ended::InputClosed);
}

#[tokio::test(start_paused = true)]
async fn calls_that_outlast_the_grace_are_given_up_in_words() {
    let mut client = Client::new();
    client.call(1, "gated", &json!({ "gate": "never" })).await;
    client.send(&listen("stream")).await;
    assert_eq!(client.receive().await["method"], "notifications/subscriptions/acknowledged");
    client.close_input().await;
    while !client.server.is_finished() {
        advance(Duration::from_millis(500)).await;
    }
    let result = client.receive().await["result"].clone();
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("Error executing tool gated: not finished within 10 seconds"), "{text}");
    assert_eq!(client.receive().await["id"], "stream");
    assert_eq!(client.ends().await, Ended::InputClosed);
}

#[tokio::test(start_paused = true)]
async fn being_told_to_stop_outranks_a_client_that_does_not_read() {
    let mut client = Client::with_pipes_of(1 << 10);
    client.send(&request("x".repeat(10_000), "server/discover", &json!({}))).await;
    client.stop.take().unwrap().send(Stop::Terminated).unwrap();
    assert_eq!(client.server.await.unwrap(), Ended::Stopped(Stop::Terminated));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_is_not_read_from_for_ever() {
    let mut client = Client::new();
    let message = request("x".repeat(100_000), "server/discover", &json!({}));
    let mut accepted = 0;
    while timeout(Duration::from_mins(1), client.send(&message)).await.is_ok() {
        accepted += 1;
        assert!(accepted < 100, "more than 10 MB were taken in");
    }
    assert!(accepted > MAX_UNWRITTEN_BYTES / 101_000, "a burst is taken in: {accepted}");
    for _ in 0..accepted {
        client.receive().await;
    }
}

#[tokio::test]
async fn progress_is_told_to_those_who_want_it_and_grows() {
    let mut client = Client::new();
    let params = json!({ "name": "gated", "arguments": { "gate": "slow" }, "_meta": { "progressToken": "t" } });
    client.send(&request(1, "tools/call", &params)).await;
    client.call(2, "gated", &json!({ "gate": "slow" })).await;
    let mut last = 0;
    for _ in 0..2 {
        let message = client.receive().await;
        assert_eq!(message["method"], "notifications/progress");
        assert_eq!(message["params"]["progressToken"], "t");
        let progress = message["params"]["progress"].as_u64().unwrap();
        assert!(progress > last);
        assert_eq!(message["params"]["message"], format!("{progress} notes looked at"));
        last = progress;
    }
    open_gate("slow");
    for _ in 0..2 {
        assert!(client.receive().await["result"].is_object());
    }
    client.close_input().await;
    assert_eq!(client.ends().await, Ended::InputClosed);
}

#[tokio::test]
async fn a_batch_is_answered_in_one_line_when_its_last_call_is_done() {
    let mut client = Client::new();
    let params = json!({ "protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {} });
    client.send(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params })).await;
    assert_eq!(client.receive().await["id"], 0);
    let call = |id: u64, tool: &str, arguments: Value| json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool, "arguments": arguments } });
    let batch = json!([
        call(1, "gated", json!({ "gate": "batch" })),
        { "jsonrpc": "2.0", "method": "notifications/initialized" },
        call(2, "echo", json!({})),
        call(3, "gated", json!({ "gate": "never" })),
        5,
    ]);
    client.send(&batch).await;
    client.cancel(3).await;
    client.fence().await;
    open_gate("batch");
    let answers = client.receive().await;
    let ids: HashSet<String> = answers.as_array().unwrap().iter().map(|answer| answer["id"].to_string()).collect();
    assert_eq!(ids, ["1", "2", "null"].map(str::to_owned).into());
    client.send(&json!([call(4, "gated", json!({ "gate": "never" }))])).await;
    client.cancel(4).await;
    client.fence().await;
    client.close_input().await;
    assert_eq!(client.ends().await, Ended::InputClosed);
}

#[tokio::test]
async fn streams_are_acknowledged_bounded_and_closed_at_the_end() {
    let mut client = Client::new();
    for id in 0..MAX_STREAMS {
        client.send(&listen(id)).await;
        let meta = client.receive().await["params"]["_meta"].clone();
        assert_eq!(meta["io.modelcontextprotocol/subscriptionId"], id);
    }
    client.send(&listen("beyond")).await;
    assert_eq!(client.receive().await["error"]["code"], -32603);
    for id in 1..MAX_STREAMS {
        client.cancel(id).await;
    }
    client.fence().await;
    client.stop.take().unwrap().send(Stop::Interrupted).unwrap();
    let result = client.receive().await["result"].clone();
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["_meta"]["io.modelcontextprotocol/subscriptionId"], 0);
    assert_eq!(client.ends().await, Ended::Stopped(Stop::Interrupted));
}

#[tokio::test]
async fn a_bad_line_is_answered_with_id_null_and_the_next_one_served() {
    let mut client = Client::with_pipes_of(1 << 20);
    client.to_server.write_all(b"\xff\n{\n").await.unwrap();
    client.to_server.write_all(&vec![b'['; crate::transport::MAX_LINE_BYTES + 1]).await.unwrap();
    client.to_server.write_all(b"\n").await.unwrap();
    for code in [-32700, -32700, -32600] {
        let answer = client.receive().await;
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(code)));
    }
    client.fence().await;
}

#[tokio::test]
async fn a_closed_output_ends_serving_at_the_next_write() {
    let (input, mut to_server) = duplex(1 << 16);
    let (_, output) = duplex(1 << 16);
    let server = tokio::spawn(serve(input, output, setup(), std::future::pending()));
    to_server.write_all(b"{\n").await.unwrap();
    assert_eq!(server.await.unwrap(), Ended::OutputClosed);
}
