//! A second process of this program, spoken to over pipes the way a client speaks.
//!
//! It knows JSON-RPC and processes, not MCP: what is said is the business of `session`.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child as Process, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Fault;
use crate::cli::{LOG_VARIABLE, Options};

/// How long the process may take to end once its input has. It promises to end at once when nothing is under way.
const END_PATIENCE: Duration = Duration::from_secs(5);

/// What is kept of the process's own words, in bytes: enough to see why it ended.
const MAX_WORDS_BYTES: u64 = 4_096;

/// The process, its input and its lines.
#[derive(Debug)]
pub(super) struct Child {
    process: Process,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    words: Option<JoinHandle<String>>,
    last_id: u64,
}

impl Child {
    /// Starts it with the same options.
    pub(super) fn start(program: &Path, options: &Options) -> Result<Self, Fault> {
        let mut process = Command::new(program)
            .args(options.arguments())
            .env_remove(LOG_VARIABLE) // the arguments say it
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| {
                Fault::new(
                    format!("{} could not be started: {error}.", program.display()),
                    "see that the file is still there and may be executed; a client has to start it the same way.",
                )
            })?;
        let (input, output, errors) = (process.stdin.take(), process.stdout.take(), process.stderr.take());
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in output.map(BufReader::new).into_iter().flat_map(BufRead::lines).map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let words = thread::spawn(move || {
            let mut words = String::new();
            if let Some(mut errors) = errors {
                let _ = errors.by_ref().take(MAX_WORDS_BYTES).read_to_string(&mut words);
                let _ = std::io::copy(&mut errors, &mut std::io::sink()); // a full pipe would hold the process up
            }
            words
        });
        Ok(Self { process, input, lines, words: Some(words), last_id: 0 })
    }

    /// Sends a request and waits for its answer; the `result` of it. `progress` hears how far it has come.
    pub(super) fn request(
        &mut self,
        method: &str,
        params: &Value,
        patience: Duration,
        mut progress: impl FnMut(u64),
    ) -> Result<Value, Fault> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        let deadline = Instant::now() + patience;
        loop {
            let line = match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => line,
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
                Err(RecvTimeoutError::Timeout) => {
                    return Err(Fault::new(
                        format!("the server did not answer {method} within {} seconds.", patience.as_secs()),
                        "see whether the disk of the folder is slow or asleep (a network drive, for one), and check again.",
                    ));
                }
            };
            let mut message: Value = serde_json::from_str(&line)
                .map_err(|_| broken(&format!("a line that is no JSON came in place of an answer to {method}")))?;
            if message["id"] == id {
                return match message["result"].take() {
                    Value::Null => Err(broken(&format!("{method} was answered with the error {}", message["error"]))),
                    result => Ok(result),
                };
            }
            match message["method"].as_str() {
                Some("notifications/progress") => progress(message["params"]["progress"].as_u64().unwrap_or_default()),
                _ => {
                    return Err(broken(&format!(
                        "something that nobody asked for came in place of an answer to {method}"
                    )));
                }
            }
        }
    }

    /// Sends a notification.
    pub(super) fn notify(&mut self, method: &str) -> Result<(), Fault> {
        self.send(&json!({ "jsonrpc": "2.0", "method": method }))
    }

    fn send(&mut self, message: &Value) -> Result<(), Fault> {
        let input =
            self.input.as_mut().and_then(|input| writeln!(input, "{message}").and_then(|()| input.flush()).ok());
        input.ok_or_else(|| self.ended())
    }

    /// Closes the input, which must end the process.
    pub(super) fn end(mut self) -> Result<(), Fault> {
        drop(self.input.take());
        match self.lines.recv_timeout(END_PATIENCE) {
            Err(RecvTimeoutError::Disconnected) => Ok(()),
            Err(RecvTimeoutError::Timeout) => Err(broken("the server did not end when its input did")),
            Ok(_) => Err(broken("the server said something after the last answer")),
        }
    }

    /// Why the process is gone, in its own words.
    fn ended(&mut self) -> Fault {
        let _ = self.process.kill();
        let status =
            self.process.wait().map_or_else(|_| "for unknown reasons".to_owned(), |status| format!("({status})"));
        let words = self.words.take().and_then(|words| words.join().ok()).unwrap_or_default();
        let said = if words.trim().is_empty() { String::new() } else { format!(" It said: {}", words.trim()) };
        broken(&format!("the server ended before it answered {status}.{said}"))
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let _ = self.process.kill(); // it has ended already, unless something was wrong
        let _ = self.process.wait();
    }
}

/// A fault of this program's own.
pub(super) fn broken(what: &str) -> Fault {
    Fault::new(
        format!("{}.", what.trim_end_matches('.')),
        "this is a fault of note-search-mcp, or of the copy that was started: install it anew, and report it if that does \
         not help.",
    )
}
