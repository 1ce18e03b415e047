//! What people type, tried with the real program as a process: its output, its exit codes, and that a pipe gets JSON.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod check;
mod commands;
mod packages;

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A folder of notes that comes with the sources.
const NOTES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/notes-fixtures");

/// The program, with an environment in which nothing of this machine decides.
fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_note-search-mcp"));
    command
        .env_remove("NOTE_SEARCH_DIR")
        .env_remove("NOTE_SEARCH_LOG")
        .env_remove("CLICOLOR_FORCE")
        .stdin(Stdio::null());
    command
}

/// What became of a run.
#[derive(Debug)]
struct Run {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

fn run(arguments: &[&str]) -> Run {
    ran(program().args(arguments).output())
}

fn ran(output: std::io::Result<Output>) -> Run {
    let output = output.expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("what it prints is UTF-8");
    Run { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// A path as text.
fn text(path: &Path) -> &str {
    path.to_str().expect("a temporary path is Unicode")
}
