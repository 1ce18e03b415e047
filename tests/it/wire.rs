//! The real loop behind a pipe in memory: lines in, lines out.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use note_search_mcp::mcp::Implementation;
use note_search_mcp::notes::{Notes, Settings};
use note_search_mcp::server::{Ended, Setup, serve};
use note_search_mcp::session::instructions;
use note_search_mcp::tools::ToolEntry;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf, duplex, split};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::fixture::clock;

/// An answer that takes longer does not come. Far beyond what a busy machine needs.
const PATIENCE: Duration = Duration::from_secs(30);

/// A client's end of the pipe.
pub struct Wire {
    to_server: WriteHalf<DuplexStream>,
    from_server: Lines<BufReader<ReadHalf<DuplexStream>>>,
    server: JoinHandle<Ended>,
}

impl Wire {
    /// Starts the loop on a folder, on the day that tests live in.
    pub fn open(settings: Settings, tools: &'static [ToolEntry]) -> Self {
        let (ours, theirs) = duplex(1 << 20);
        let (from_server, to_server) = split(ours);
        let (input, output) = split(theirs);
        let setup = Setup {
            tools,
            notes: Arc::new(Notes::new(settings).unwrap()),
            clock: clock(),
            identity: Implementation { name: "note-search-mcp", version: "0.0.0" },
            instructions: instructions(None),
        };
        let server = tokio::spawn(serve(input, output, setup, pending()));
        Self { to_server, from_server: BufReader::new(from_server).lines(), server }
    }

    /// Sends one line.
    pub async fn send(&mut self, line: &str) {
        self.to_server.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    /// The next line; `None` when the server is done or says nothing.
    pub async fn receive(&mut self) -> Option<String> {
        timeout(PATIENCE, self.from_server.next_line()).await.ok()?.unwrap()
    }

    /// Ends the input. What still came out, when serving ended well.
    pub async fn close(mut self) -> Vec<String> {
        self.to_server.shutdown().await.unwrap();
        let mut rest = Vec::new();
        while let Some(line) = self.receive().await {
            rest.push(line);
        }
        assert_eq!(self.server.await.unwrap(), Ended::InputClosed);
        rest
    }
}
