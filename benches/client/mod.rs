//! A client for benches: spawns the server on a folder, asks over its pipe, and waits for answers.
//!
//! It measures only the start; the caller times the rest.

use std::io::{BufRead, BufReader, Error, Result, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A server that was started and greeted. It is killed when dropped.
#[derive(Debug)]
pub struct Client {
    child: Child,
    to_server: ChildStdin,
    from_server: BufReader<ChildStdout>,
    last_id: u64,
    /// From the spawn to the answer of `initialize`.
    pub started_in: Duration,
}

impl Client {
    /// Starts the server on a folder and does the handshake.
    pub fn start(folder: &Path) -> Result<Self> {
        let began = Instant::now();
        let mut child = Command::new(env!("CARGO_BIN_EXE_note-search-mcp"))
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (Some(to_server), Some(from_server)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Error::other("the pipes of the child are missing"));
        };
        let from_server = BufReader::new(from_server);
        let mut client = Self { child, to_server, from_server, last_id: 0, started_in: Duration::ZERO };
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}});
        client.send("initialize", &hello)?;
        client.receive()?;
        client.started_in = began.elapsed();
        Ok(client)
    }

    /// Sends a request; its id.
    pub fn send(&mut self, method: &str, params: &Value) -> Result<u64> {
        self.last_id += 1;
        let line = json!({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}).to_string();
        writeln!(self.to_server, "{line}")?;
        self.to_server.flush()?;
        Ok(self.last_id)
    }

    /// Sends a tool call; its id.
    pub fn send_call(&mut self, tool: &str, arguments: &Value) -> Result<u64> {
        self.send("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// Waits for the next answer.
    pub fn receive(&mut self) -> Result<Value> {
        let mut line = String::new();
        self.from_server.read_line(&mut line)?;
        Ok(serde_json::from_str(&line)?)
    }

    /// Calls a tool and gives its answer.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value> {
        self.send_call(tool, arguments)?;
        let answer = self.receive()?;
        if answer["result"]["isError"] == json!(true) {
            return Err(Error::other(answer.to_string()));
        }
        Ok(super::structured(&answer))
    }

    /// Searches for a word.
    pub fn search(&mut self, word: &str) -> Result<Value> {
        self.call("search_notes", &json!({"keyword": word}))
    }

    /// The most memory that the server held, where the system tells.
    pub fn peak_megabytes(&self) -> Option<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
        let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(kilobytes / 1000.0)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
