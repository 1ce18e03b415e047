//! The program: command line, log, runtime, and the exit code. Everything that can be tested without a process is in
//! the library.
//!
//! Exit codes: 0 when serving ended, however it did; 1 when the system refuses what serving needs; 2 for a command line
//! that makes no sense. For the commands that people type: 0 when all is well, 1 when it is not.

use std::env;
use std::io::{self, IsTerminal, Write, stderr, stdin, stdout};
use std::path::Path;
use std::process::exit;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use anyhow::Context;
use clap::Parser;
use tokio::runtime;

use note_search_mcp::check::check;
use note_search_mcp::cli::{Client, CommandLine, Options, Task, WrittenCall, completions, man};
use note_search_mcp::clock::Clock;
use note_search_mcp::mcp::Implementation;
use note_search_mcp::notes::{Notes, Settings};
use note_search_mcp::one_shot::{OneShot, Reply};
use note_search_mcp::print_config::Config;
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
    let line = CommandLine::parse();
    let done = match line.task() {
        Task::Serve => Ok(serve_to_the_end(&options(line), parent)),
        Task::Check => absolute(line).and_then(|options| check_folder(&options)),
        Task::PrintConfig(client) => absolute(line).and_then(|options| print_config(client, &options)),
        Task::Call(written) => call(&written, line),
        Task::Completions(shell) => print(&completions(shell)),
        Task::Man => man().and_then(|page| print(&page)),
    };
    match done {
        // Not a return: a read from stdin, a write to stdout and a running search cannot be called off, only left behind.
        Ok(code) => exit(code),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {} // `| head` has seen enough
        Err(error) => {
            say(&error.to_string());
            exit(1);
        }
    }
}

fn options(line: CommandLine) -> Options {
    line.options(|name| env::var_os(name), env::home_dir()).unwrap_or_else(|misuse| {
        say(&misuse.to_string());
        exit(2);
    })
}

fn absolute(line: CommandLine) -> io::Result<Options> {
    options(line).with_absolute_folder()
}

/// Serves, with the log open; the exit code.
fn serve_to_the_end(options: &Options, parent: Parent) -> i32 {
    greet(&options.notes_dir);
    logged(options, || i32::from(run(options, parent).is_err_and(|error| fail(&error))))
}

/// Says whether all is well; the exit code.
fn check_folder(options: &Options) -> io::Result<i32> {
    let is_well = check(&env::current_exe()?, options, &Clock::system(), &mut anstream::stdout().lock())?;
    Ok(i32::from(!is_well))
}

/// Says how a client is told of this program; the exit code.
fn print_config(client: Client, options: &Options) -> io::Result<i32> {
    let config = match Config::of(client, &env::current_exe()?, options) {
        Ok(config) => config,
        Err(refusal) => return Ok(misused(&refusal.to_string())),
    };
    if is_missing(&options.notes_dir) {
        let folder = options.notes_dir.display();
        say(&format!("there is no folder `{folder}` yet; the configuration is right all the same"));
    }
    config.print(&mut stdout().lock(), &mut stderr().lock()).map(|()| 0)
}

/// Calls a tool once; the exit code.
fn call(written: &WrittenCall, line: CommandLine) -> io::Result<i32> {
    // Before the options: who forgot the arguments gave the folder in their place.
    let shot = match OneShot::understand(written, stdin()) {
        Ok(shot) => shot,
        Err(misuse) => return Ok(misused(&misuse)),
    };
    let options = options(line);
    let reply = logged(&options, || match notes(&options) {
        Ok(notes) => shot.run(Arc::new(notes), &Clock::system()),
        Err(error) => Reply::Refusal(format!("{error:#}")),
    });
    if let Reply::Refusal(words) = &reply {
        say(words);
    }
    shot.print(&reply, written.as_json || !stdout().is_terminal(), &mut anstream::stdout().lock())?;
    Ok(i32::from(matches!(reply, Reply::Refusal(_))))
}

/// Runs something with the log open.
fn logged<T>(options: &Options, work: impl FnOnce() -> T) -> T {
    let log = log::start(options.log);
    let done = work();
    log.finish();
    done
}

fn print(bytes: &[u8]) -> io::Result<i32> {
    let mut out = stdout().lock();
    out.write_all(bytes)?;
    out.flush().map(|()| 0)
}

fn misused(words: &str) -> i32 {
    say(words);
    2
}

/// Tells the operator why nothing could be done.
fn fail(error: &anyhow::Error) -> bool {
    tracing::error!(error = format!("{error:#}"), "cannot serve");
    true
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
    Notes::new(Settings::from(options))
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
