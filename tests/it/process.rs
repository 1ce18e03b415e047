//! The binary as a child process, with patience that ends.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long a test waits for what must come. Far beyond what a busy machine needs.
const PATIENCE: Duration = Duration::from_secs(20);

/// The binary with these arguments, and nothing of this environment that means something to it.
pub fn program(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_note-search-mcp"));
    command.args(arguments).env_remove("NOTE_SEARCH_DIR").env_remove("NOTE_SEARCH_LOG");
    command
}

/// What a program left when it ended.
pub struct Done {
    /// How it ended.
    pub status: ExitStatus,
    /// All of its stdout.
    pub stdout: String,
    /// All of its stderr.
    pub stderr: String,
}

/// Runs a program on an input that ends.
pub fn run(mut command: Command, input: &[u8]) -> Done {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (stdout, stderr) = (reading(child.stdout.take().unwrap()), reading(child.stderr.take().unwrap()));
    let mut stdin = child.stdin.take().unwrap();
    let _ = stdin.write_all(input); // the program may have refused its arguments and be gone
    drop(stdin);
    let status = ended_within(&mut child, PATIENCE);
    let text = |output: Receiver<Vec<u8>>| String::from_utf8(output.recv_timeout(PATIENCE).unwrap()).unwrap();
    Done { status, stdout: text(stdout), stderr: text(stderr) }
}

/// Waits for the end, which must come in time.
pub fn ended_within(child: &mut Child, limit: Duration) -> ExitStatus {
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if began.elapsed() > limit {
            let _ = child.kill();
            panic!("still running after {limit:?}");
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// All that comes, once it has ended.
pub fn reading(mut source: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = source.read_to_end(&mut bytes);
        let _ = sender.send(bytes);
    });
    receiver
}

/// A running program that one talks to.
pub struct Running {
    /// The process.
    pub child: Child,
    stdin: Option<ChildStdin>,
    stdout: Option<BufReader<ChildStdout>>,
}

impl Running {
    /// Starts a program; its stderr may be read, and need not be.
    pub fn start(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take().map(BufReader::new));
        Self { child, stdin, stdout }
    }

    /// Sends a line. Whether it could be sent.
    pub fn send(&mut self, line: &str) -> bool {
        let stdin = self.stdin.as_mut().unwrap();
        writeln!(stdin, "{line}").and_then(|()| stdin.flush()).is_ok()
    }

    /// The next line of stdout, which is JSON.
    pub fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.as_mut().unwrap().read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Sends and receives.
    pub fn ask(&mut self, line: &str) -> Value {
        assert!(self.send(line));
        self.receive()
    }

    /// Takes the end of stdin, to hold it or to let it go.
    pub fn take_stdin(&mut self) -> ChildStdin {
        self.stdin.take().unwrap()
    }

    /// Takes the end of stdout, to read it elsewhere or to close it.
    pub fn take_stdout(&mut self) -> BufReader<ChildStdout> {
        self.stdout.take().unwrap()
    }

    /// Takes the end of stderr.
    pub fn take_stderr(&mut self) -> ChildStderr {
        self.child.stderr.take().unwrap()
    }
}

/// A panicking test leaves no process behind.
impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A request of 2026-07-28, as a line.
pub fn request(id: impl Into<Value>, method: &str, mut params: Value) -> String {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params }).to_string()
}

/// A call of a tool, as a line.
pub fn call(id: impl Into<Value>, tool: &str, arguments: &Value) -> String {
    request(id, "tools/call", json!({ "name": tool, "arguments": arguments }))
}
