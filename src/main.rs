//! The program: command line, log, runtime, and the exit code. Everything that can be tested without a process is in
//! the library.
//!
//! Exit codes: 0 when serving ended, however it did; 1 when the system refuses what serving needs; 2 for a command line
//! that makes no sense.

use std::env;
use std::io::{IsTerminal, Write, stderr, stdin};
use std::path::Path;
use std::process::exit;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use anyhow::Context;
use clap::Parser;
use tokio::runtime;

use note_search_mcp::cli::{CommandLine, Options};
use note_search_mcp::clock::Clock;
use note_search_mcp::mcp::Implementation;
use note_search_mcp::notes::{Notes, Settings};
use note_search_mcp::server::{Ended, Parent, Setup, asked_to_stop, serve};
use note_search_mcp::session::instructions;
use note_search_mcp::tools::TOOLS;
use note_search_mcp::{log, panics};

/// A request to paste, for somebody who started the server by hand.
const TO_PASTE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;

/// How long the start waits to learn whether the notes folder is there. A local folder answers within a millisecond.
const FOLDER_PATIENCE: Duration = Duration::from_millis(100);

fn main() {
    let parent = Parent::now(); // first, before it can be gone
    panics::install();
    let options = match CommandLine::parse().options(|name| env::var_os(name), env::home_dir()) {
        Ok(options) => options,
        Err(misuse) => {
            say(&misuse.to_string());
            exit(2);
        }
    };
    greet(&options.notes_dir);
    let log = log::start(options.log);
    let ended = run(&options, parent);
    if let Err(error) = &ended {
        tracing::error!(error = format!("{error:#}"), "cannot serve");
    }
    log.finish();
    // Not a return: a read from stdin, a write to stdout and a running search cannot be called off, only left behind.
    exit(i32::from(ended.is_err()));
}

/// Serves on stdin and stdout. One thread for the loop; tools run on threads of their own.
fn run(options: &Options, parent: Parent) -> anyhow::Result<Ended> {
    let notes = notes(options)?;
    let runtime = runtime::Builder::new_current_thread().enable_all().build().context("starting the runtime")?;
    let ended = runtime.block_on(async {
        let stop = asked_to_stop(parent).context("listening for signals")?;
        let setup = Setup {
            tools: TOOLS,
            notes: Arc::new(notes),
            clock: Clock::system(),
            identity: Implementation { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") },
            instructions: instructions(options.about.as_deref()),
        };
        tracing::info!(version = env!("CARGO_PKG_VERSION"), notes_dir = %options.notes_dir.display(), "serving");
        anyhow::Ok(serve(tokio::io::stdin(), tokio::io::stdout(), setup, stop).await)
    });
    runtime.shutdown_background();
    ended
}

/// The one place that turns options into a folder of notes.
fn notes(options: &Options) -> anyhow::Result<Notes> {
    Notes::new(Settings {
        folder: options.notes_dir.clone(),
        extensions: options.extensions.clone(),
        exclude: options.exclude.clone(),
        follow_links: options.follow_links,
        max_file_bytes: options.max_file_bytes,
        search_timeout: options.search_timeout,
        cache_bytes: options.cache_bytes,
    })
}

/// Tells the user what may be unexpected; a client has no use for it, but may show it.
fn greet(notes_dir: &Path) {
    if is_missing(notes_dir) {
        say(&format!("there is no folder `{}` yet; serving all the same", notes_dir.display()));
    }
    if stdin().is_terminal() {
        say(&format!("waiting for JSON-RPC messages on stdin, one a line; try this one:\n{TO_PASTE}"));
    }
}

/// Whether there is no such folder. A network drive that does not answer counts as there: the first client in a hurry
/// gives up after 600 ms, and no answer may wait for the folder.
fn is_missing(folder: &Path) -> bool {
    let folder = folder.to_owned();
    let (found, finds) = channel();
    thread::spawn(move || found.send(folder.is_dir()));
    finds.recv_timeout(FOLDER_PATIENCE) == Ok(false)
}

/// A line on stderr. Nobody may be there to read it, and that is no reason to fail.
fn say(line: &str) {
    let _ = writeln!(stderr(), "note-search-mcp: {line}");
}
