//! What a person or a client that starts the binary sees of its command line.

use std::fs;

use serde_json::{Value, json};

use crate::fixture::Folder;
use crate::process::{Done, call, program, request, run};

fn refused(arguments: &[&str]) -> String {
    let Done { status, stdout, stderr } = run(program(arguments), b"");
    assert_eq!((status.code(), stdout.as_str()), (Some(2), ""), "{stderr}");
    stderr
}

fn answers(done: &Done) -> Vec<Value> {
    assert_eq!(done.status.code(), Some(0), "{}", done.stderr);
    done.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn an_unknown_option_is_named_and_nothing_is_served() {
    let stderr = refused(&["--max-results", "5", "/notes"]);
    assert!(stderr.contains("--max-results"), "{stderr}");
    let stderr = refused(&["--exlude", "x", "/notes"]);
    assert!(stderr.contains("--exlude") && stderr.contains("--exclude"), "{stderr}");
}

#[test]
fn without_a_folder_one_sentence_says_what_to_type() {
    let stderr = refused(&[]);
    assert_eq!(stderr.trim_end().lines().count(), 1, "{stderr}");
    assert!(stderr.contains("note-search-mcp /") && stderr.contains("NOTE_SEARCH_DIR"), "{stderr}");
}

#[test]
fn a_variable_that_the_client_did_not_replace_is_refused() {
    for argument in ["${workspaceFolder}/notes", "${env:HOME}/notes", "${NOTES}"] {
        let stderr = refused(&[argument]);
        assert!(stderr.contains(argument) && stderr.contains("absolute path"), "{stderr}");
    }
}

#[test]
fn help_and_version_go_to_stdout_and_end_well() {
    for (option, expected) in [("--help", "--follow-links"), ("--version", env!("CARGO_PKG_VERSION"))] {
        let done = run(program([option]), b"");
        assert_eq!(done.status.code(), Some(0));
        assert!(done.stdout.contains(expected) && done.stderr.is_empty(), "{}{}", done.stdout, done.stderr);
    }
}

#[test]
fn a_folder_that_is_not_there_is_served_and_the_tools_say_so() {
    let folder = Folder::empty();
    fs::remove_dir(folder.path()).unwrap();
    let input = [
        request(1, "server/discover", json!({})),
        call(2, "search_notes", &json!({ "keyword": "heron" })),
        call(3, "read_note", &json!({ "filename": "heron" })),
    ];
    let done = run(program([folder.path()]), input.join("\n").as_bytes());
    assert!(done.stderr.contains("no folder"), "the person is told: {}", done.stderr);
    let mut answers = answers(&done);
    answers.sort_by_key(|answer| answer["id"].as_u64());
    assert!(answers[0]["result"]["capabilities"]["tools"].is_object());
    for answer in &answers[1..] {
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(answer["result"]["isError"] == true && text.contains("notes folder"), "{text}");
        assert!(!text.contains(folder.path().to_str().unwrap()), "{text}");
    }
}

#[test]
fn the_folder_may_stand_in_the_environment() {
    let folder = Folder::with([("a.md", "heron\n")]);
    let mut command = program(["--log", "off"]);
    command.env("NOTE_SEARCH_DIR", folder.path());
    let done = run(command, call(1, "search_notes", &json!({ "keyword": "heron" })).as_bytes());
    assert_eq!(answers(&done)[0]["result"]["structuredContent"]["total"], 1);
    assert_eq!(done.stderr, "");
}

#[test]
fn options_reach_the_tools_and_the_instructions() {
    let folder = Folder::with([("a.md", "heron\n"), ("b.log", "heron\n"), ("old/c.log", "heron\n")]);
    let mut command = program(["--ext", "LOG", "--exclude", "old/", "--about", "birds of the canal"]);
    command.arg(folder.path());
    let input =
        [request(1, "server/discover", json!({})), call(2, "search_notes", &json!({ "keyword": "heron" }))].join("\n");
    let done = run(command, input.as_bytes());
    let answers = answers(&done);
    let answer = |id: u64| &answers.iter().find(|answer| answer["id"] == id).unwrap()["result"];
    assert!(answer(1)["instructions"].as_str().unwrap().contains("birds of the canal"));
    assert_eq!(answer(2)["structuredContent"]["hits"], json!([{ "file": "b.log", "line": 1, "text": "heron" }]));
}

#[test]
fn what_is_piped_in_is_answered_to_the_last_line_also_without_a_line_end() {
    let folder = Folder::with([("a.md", "heron\n")]);
    let input = format!(
        "\u{feff}{}\r\n\r\n{}\n{}",
        request(1, "server/discover", json!({})),
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        call(2, "search_notes", &json!({ "keyword": "heron" }))
    );
    let done = run(program([folder.path()]), input.as_bytes());
    let mut ids: Vec<Value> = answers(&done).iter().map(|answer| answer["id"].clone()).collect();
    ids.sort_by_key(Value::as_u64);
    assert_eq!((ids, done.stderr.as_str()), (vec![json!(1), json!(2)], ""));
    assert!(done.stdout.ends_with('\n'));
}

#[test]
fn bytes_that_are_no_text_cost_their_own_line_only() {
    let folder = Folder::empty();
    let mut input = b"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\xfe\",\"method\":\"ping\"}\n".to_vec();
    input.extend(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    let answers = answers(&run(program([folder.path()]), &input));
    assert_eq!((&answers[0]["id"], &answers[0]["error"]["code"]), (&Value::Null, &json!(-32700)));
    assert_eq!(answers[1], json!({ "jsonrpc": "2.0", "id": 1, "result": {} }));
}
