//! The log: this program's own events to stderr, for the operator. Never a payload, a keyword or a note's text.
//!
//! Hosts that start MCP servers often never read stderr, and a full pipe blocks whoever writes to it. So lines go through
//! a thread of their own and are dropped when they pile up: neither serving nor the exit waits for a reader.

use std::env;
use std::io::{IsTerminal, stderr};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use tracing_appender::non_blocking::{ErrorCounter, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt, registry};

/// How many lines may wait for a reader of stderr. Some hundred bytes each.
const MAX_WAITING_LINES: usize = 4_096;

/// How long the exit waits for the last lines. It must stay below the 100 ms after which the guard of
/// `tracing_appender`, if its queue is full, complains on stdout, of all places.
const LAST_LINES: Duration = Duration::from_millis(60);

/// A log that was started; to be finished before the process ends.
#[derive(Debug)]
pub struct Log {
    writer: WorkerGuard,
    dropped: ErrorCounter,
}

/// Starts the log. `RUST_LOG` is not read: clients pass their environment on, and it is rarely meant for this program.
pub fn start(level: LevelFilter) -> Log {
    let (lines, writer) =
        NonBlockingBuilder::default().lossy(true).buffered_lines_limit(MAX_WAITING_LINES).finish(stderr());
    let dropped = lines.error_counter();
    let has_colours = stderr().is_terminal() && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let own_events = Targets::new().with_target(env!("CARGO_CRATE_NAME"), level);
    let layer = fmt::layer().with_writer(lines).with_ansi(has_colours).with_target(false).with_filter(own_events);
    // Fails when a log runs already, as in tests; then that one goes on.
    let _ = registry().with(layer).try_init();
    Log { writer, dropped }
}

impl Log {
    /// Gets the last lines out, if somebody reads them.
    pub fn finish(self) {
        if self.dropped.dropped_lines() > 0 {
            std::mem::forget(self.writer); // nobody reads, and the guard would say so on stdout
            return;
        }
        let (done, waits) = channel();
        thread::spawn(move || {
            drop(self.writer);
            let _ = done.send(());
        });
        let _ = waits.recv_timeout(LAST_LINES);
    }
}
