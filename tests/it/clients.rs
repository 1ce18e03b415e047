//! An independent client, the official Rust SDK, connects to the binary in both ways there are and uses both tools.

use std::time::Duration;

use rmcp::model::{CallToolRequestParams, CallToolResult, ProtocolVersion};
use rmcp::service::{QuitReason, RunningService};
use rmcp::transport::TokioChildProcess;
use rmcp::{ClientLifecycleMode, ClientServiceExt, RoleClient};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::fixture::Folder;
use crate::process::program;

type Client = RunningService<RoleClient, ()>;

async fn connected(folder: &Folder, lifecycle: ClientLifecycleMode) -> Client {
    let process = TokioChildProcess::new(tokio::process::Command::from(program([folder.path()]))).unwrap();
    timeout(Duration::from_secs(20), ().serve_with_lifecycle(process, lifecycle)).await.expect("in time").unwrap()
}

async fn call(client: &Client, tool: &'static str, arguments: &Value) -> CallToolResult {
    let arguments = arguments.as_object().unwrap().clone();
    client.call_tool(CallToolRequestParams::new(tool).with_arguments(arguments)).await.unwrap()
}

fn text(result: &CallToolResult) -> &str {
    &result.content[0].as_text().unwrap().text
}

/// What a client does in its life.
async fn works_from_beginning_to_end(lifecycle: ClientLifecycleMode, revision: &ProtocolVersion) {
    let folder = Folder::with([("birds/heron.md", "# Heron\n\nStands in the canal.\n")]);
    let client = connected(&folder, lifecycle).await;
    let peer = client.peer_info().unwrap();
    assert_eq!(peer.server_info.as_ref().unwrap().name, "note-search-mcp");
    assert!(peer.instructions.as_ref().unwrap().contains("search_notes"));
    assert_eq!(&peer.protocol_version, revision);

    let tools = client.list_all_tools().await.unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    assert_eq!(names, ["search_notes", "read_note"]);
    assert!(tools.iter().all(|tool| tool.output_schema.is_some()));

    let found = call(&client, "search_notes", &json!({ "keyword": "canal" })).await;
    let hit = &found.structured_content.as_ref().unwrap()["hits"][0];
    assert_eq!(hit, &json!({ "file": "birds/heron.md", "line": 3, "text": "Stands in the canal." }));
    let read = call(&client, "read_note", &json!({ "filename": hit["file"], "start_line": hit["line"] })).await;
    assert_eq!(read.structured_content.as_ref().unwrap()["text"], "Stands in the canal.");
    assert_eq!(serde_json::from_str::<Value>(text(&read)).unwrap(), read.structured_content.unwrap());

    let refused = call(&client, "search_notes", &json!({ "query": "canal", "limit": "ten" })).await;
    assert_eq!(refused.is_error, Some(true));
    let corrected = text(&refused).lines().last().unwrap().strip_prefix("Corrected call: ").unwrap();
    let mended = call(&client, "search_notes", &serde_json::from_str(corrected).unwrap()).await;
    assert_eq!(mended.structured_content.unwrap()["total"], 1);

    assert!(client.call_tool(CallToolRequestParams::new("grep")).await.is_err(), "an unknown tool is a fault");
    let ended = timeout(Duration::from_secs(10), client.cancel()).await.expect("in time").unwrap();
    assert!(matches!(ended, QuitReason::Cancelled | QuitReason::Closed), "{ended:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_shakes_hands_works_from_beginning_to_end() {
    works_from_beginning_to_end(ClientLifecycleMode::Initialize, &ProtocolVersion::V_2025_11_25).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_discovers_works_from_beginning_to_end() {
    let lifecycle = ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
    works_from_beginning_to_end(lifecycle, &ProtocolVersion::V_2026_07_28).await;
}
