//! How the process lives and ends: at the end of its input, by a signal, with its client, and what it logs meanwhile.

use std::io::Read;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::fixture::Folder;
use crate::process::{Running, call, ended_within, program, reading, request, run};

const SECOND: Duration = Duration::from_secs(1);

fn started(folder: &Folder) -> Running {
    let mut running = Running::start(program([folder.path()]));
    let answer = running.ask(&request("ready", "server/discover", json!({})));
    assert_eq!(answer["id"], "ready");
    running
}

#[test]
fn an_idle_program_ends_at_once_with_its_input() {
    let folder = Folder::empty();
    let mut running = started(&folder);
    drop(running.take_stdin());
    let began = Instant::now();
    assert_eq!(ended_within(&mut running.child, 2 * SECOND).code(), Some(0));
    assert!(began.elapsed() < SECOND, "{:?}", began.elapsed());
    let mut rest = String::new();
    running.take_stdout().read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "", "nothing is left over");
}

#[test]
fn nothing_is_said_before_the_first_request() {
    let folder = Folder::empty();
    let done = run(program([folder.path()]), b"");
    assert_eq!((done.status.code(), done.stdout.as_str(), done.stderr.as_str()), (Some(0), "", ""));
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_program_within_a_second_while_its_input_is_open() {
    use rustix::process::{Pid, Signal, kill_process};
    for signal in [Signal::TERM, Signal::INT] {
        let folder = Folder::empty();
        let mut running = started(&folder);
        let stdin = running.take_stdin();
        kill_process(Pid::from_child(&running.child), signal).unwrap();
        assert_eq!(ended_within(&mut running.child, SECOND).code(), Some(0), "{signal:?}");
        drop(stdin);
    }
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_program_also_when_nobody_reads_its_answers() {
    use rustix::process::{Pid, Signal, kill_process};
    let folder = Folder::empty();
    let mut running = started(&folder);
    let list = request(1, "tools/list", json!({}));
    for _ in 0..40 {
        assert!(running.send(&list)); // 40 times 9,000 bytes are more than any pipe holds
    }
    kill_process(Pid::from_child(&running.child), Signal::TERM).unwrap();
    assert_eq!(ended_within(&mut running.child, SECOND).code(), Some(0));
}

#[test]
fn a_closed_output_ends_the_program_without_a_word() {
    let folder = Folder::empty();
    let mut running = started(&folder);
    drop(running.take_stdout());
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    assert!(running.send(ping), "its input is still open");
    assert_eq!(ended_within(&mut running.child, 5 * SECOND).code(), Some(0));
    let stderr = String::from_utf8(reading(running.take_stderr()).recv_timeout(5 * SECOND).unwrap()).unwrap();
    assert_eq!(stderr, "");
}

/// The shell starts the program on the pipes of this test and is killed; nobody ever closes the pipes.
#[cfg(unix)]
#[test]
fn a_program_whose_client_died_ends_by_itself() {
    let folder = Folder::empty();
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", r#"exec 3<&0; "$0" "$1" <&3 & wait"#, env!("CARGO_BIN_EXE_note-search-mcp")]).arg(folder.path());
    let mut running = Running::start(shell);
    assert_eq!(running.ask(&request(1, "server/discover", json!({})))["id"], 1);
    let stdin = running.take_stdin();
    running.child.kill().unwrap();
    running.child.wait().unwrap();
    let rest = reading(running.take_stdout()).recv_timeout(3 * SECOND);
    assert_eq!(rest.as_deref(), Ok(&b""[..]), "its end of the output is closed");
    drop(stdin);
}

#[test]
fn a_log_that_nobody_reads_holds_nothing_up() {
    let folder = Folder::with([("a.md", "heron\n")]);
    let mut command = program(["--log", "trace"]);
    command.arg(folder.path());
    let mut running = Running::start(command);
    for id in 0..2_000 {
        let answer = running.ask(&call(id, "search_notes", &json!({ "keyword": "heron" })));
        assert_eq!((&answer["id"], &answer["result"]["structuredContent"]["total"]), (&json!(id), &json!(1)));
    }
}

/// Everything that a log must not hold, in every place where it may come from.
#[test]
fn the_log_at_its_loudest_names_requests_and_repeats_nothing() {
    let folder = Folder::with([
        ("a.md", "---\ntitle: secretTitle\ntags: [secretTag]\n---\n# secretHeading\n\nsecretText heron\n".as_bytes()),
        ("broken.md", b"---\ntitle: [secretYaml\n---\nsecretText\n"),
        ("binary.md", b"secretBytes\0"),
        ("bad.md", b"secretBytes \xff\xfe\xfa \x81 heron\n"),
    ]);
    let input = [
        call("request-words", "search_notes", &json!({ "keyword": "secretText secretKeyword" })),
        call("request-found", "search_notes", &json!({ "keyword": "secretText", "response_format": "detailed" })),
        call("request-tag", "search_notes", &json!({ "keyword": "heron", "tag": "secretTag" })),
        call("request-regex", "search_notes", &json!({ "keyword": "secret[a-z]+", "match": "regex" })),
        call("request-broken-regex", "search_notes", &json!({ "keyword": "secretPattern(", "match": "regex" })),
        call("request-refused", "search_notes", &json!({ "query": "secretKeyword", "limit": "secretLimit" })),
        call("request-read", "read_note", &json!({ "filename": "a.md", "response_format": "detailed" })),
        call("request-section", "read_note", &json!({ "filename": "a.md", "section": "secretSection" })),
        call("request-missing", "read_note", &json!({ "filename": "secretName" })),
        call("request-cursor", "read_note", &json!({ "filename": "a.md", "cursor": "secretCursor" })),
        r#"{"jsonrpc":"2.0","id":"request-unknown","method":"secretMethod"}"#.to_owned(),
        "{secretLine".to_owned(),
    ];
    let mut command = program(["--log", "trace"]);
    command.arg(folder.path());
    let done = run(command, input.join("\n").as_bytes());
    assert_eq!(done.status.code(), Some(0), "{}", done.stderr);
    assert!(!done.stderr.to_lowercase().contains("secret"), "{}", done.stderr);
    for id in ["request-words", "request-found", "request-regex", "request-read", "request-missing"] {
        assert!(done.stderr.contains(id), "{id} in {}", done.stderr);
    }
    let lines: Vec<serde_json::Value> = done.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), input.len(), "stdout holds the answers and nothing else");
    assert!(lines.iter().all(|line| line["jsonrpc"] == "2.0"));
}
