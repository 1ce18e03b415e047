//! `--call`, `--print-config`, `--completions`, `--man` and `--help`.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use super::{NOTES, program, ran, run};

#[test]
fn a_call_in_a_pipe_prints_the_answer_as_json() {
    let run = run(&["--call", "search_notes", r#"{"keyword":"mcp","limit":3}"#, NOTES]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:?}");
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(answer["hits"].as_array().unwrap().len(), 3);
    assert_eq!(run.stdout.lines().count(), 1, "one line, for scripts that read lines");
}

#[test]
fn a_call_that_a_tool_refuses_ends_with_1_and_says_why_in_both_places() {
    let run = run(&["--json", "--call", "read_note", r#"{"filename":"nowhere.md"}"#, NOTES]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let printed: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(printed["isError"], json!(true));
    let words = printed["text"].as_str().unwrap();
    assert!(words.starts_with("Error executing tool read_note: there is no note \"nowhere.md\""), "{words}");
    assert_eq!(run.stderr, format!("note-search-mcp: {words}\n"));
}

#[test]
fn a_call_that_makes_no_sense_ends_with_2_and_prints_nothing() {
    for (tool, arguments, words) in
        [("find_notes", "{}", "search_notes and read_note"), ("search_notes", "mcp", r#"'{"keyword":"mcp"}'"#)]
    {
        let run = run(&["--call", tool, arguments, NOTES]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:?}");
        assert!(run.stderr.contains(words), "{run:?}");
    }
}

#[test]
fn who_forgets_the_arguments_of_a_call_is_told_so() {
    let run = run(&["--call", "search_notes", NOTES]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains("the arguments must be a JSON object") && run.stderr.contains(NOTES), "{run:?}");
}

#[test]
fn the_arguments_of_a_call_may_be_piped_in() {
    let mut child = program()
        .args(["--call", "read_note", "-", NOTES])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all("{\"filename\":\"天演论\"}".as_bytes()).unwrap();
    let run = ran(child.wait_with_output());
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(serde_json::from_str::<Value>(&run.stdout).unwrap()["file"], json!("读书/天演论.md"));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let mut child = program()
        .args(["--call", "search_notes", r#"{"keyword":"*","limit":50}"#, NOTES])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let run = ran(child.wait_with_output());
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:?}");
}

#[test]
fn a_configuration_names_the_running_program_and_the_absolute_folder() {
    let base = tempfile::tempdir().unwrap();
    std::fs::create_dir(base.path().join("我的 notes")).unwrap();
    let run = ran(program()
        .args(["--print-config", "claude-desktop", "我的 notes", "--exclude", "old/"])
        .current_dir(base.path())
        .output());
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stderr.contains("claude_desktop_config.json") && !run.stderr.contains("no folder"), "{run:?}");
    let config: Value = serde_json::from_str(&run.stdout).unwrap();
    let entry = &config["mcpServers"]["notes"];
    assert_eq!(entry["command"], json!(env!("CARGO_BIN_EXE_note-search-mcp")));
    let words: Vec<&str> = entry["args"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(std::path::Path::new(words[0]).is_absolute() && words[0].ends_with("我的 notes"), "{words:?}");
    assert_eq!(words[1..], ["--exclude", "old/"]);
}

#[test]
fn a_configuration_for_a_folder_that_is_not_there_says_so_and_is_printed() {
    let run = run(&["--print-config", "codex", "/nowhere/notes"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stderr.contains("there is no folder"), "{run:?}");
    let config: toml::Table = run.stdout.parse().unwrap();
    assert!(config["mcp_servers"]["notes"]["command"].is_str());
}

#[test]
fn an_unknown_client_is_refused_with_the_list() {
    let run = run(&["--print-config", "curser", NOTES]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:?}");
    for words in ["claude-code", "opencode", "inspector", "'cursor'"] {
        assert!(run.stderr.contains(words), "{words}: {run:?}");
    }
}

#[test]
fn completions_and_the_manual_need_no_folder() {
    for (arguments, words) in [
        (&["--completions", "bash"][..], "complete -F"),
        (&["--completions", "powershell"], "Register-ArgumentCompleter"),
        (&["--man"], ".TH note-search-mcp"),
    ] {
        let run = run(arguments);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:?}");
        assert!(run.stdout.contains(words), "{words}");
    }
}

#[test]
fn the_help_shows_each_command_in_an_example() {
    let run = run(&["--help"]);
    assert_eq!(run.code, Some(0));
    let (_, examples) = run.stdout.split_once("Examples:").expect("there are examples");
    for words in ["--check", "--print-config", "--call search_notes '{\"keyword\":\"mcp\"}'", "--about"] {
        assert!(examples.contains(words), "{examples}");
    }
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 100), "{}", run.stdout);
}
