//! The loop that holds the arrow together: one inbox of a closed `enum Event`, one writer, tool calls on other threads.
//!
//! The loop never waits for a tool, so pings and cancellations are served while searches run. It never waits for the
//! output either: answers queue up to a bound, and only when that is reached does it stop reading. It decides nothing
//! about the protocol (`session` does) and runs no tool body itself.
//!
//! Memory is bounded whatever the client does: so many bytes of answers, calls, streams and lines may wait, and no more
//! (`MAX_UNWRITTEN_BYTES`, `MAX_WAITING_CALLS`, `MAX_STREAMS`, `INBOX_EVENTS`).

mod batches;
mod calls;
mod life;

use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};

use crate::clock::Clock;
use crate::jsonrpc::{self, ErrorObject, RequestId, Response};
use crate::mcp::Implementation;
use crate::notes::Notes;
use crate::panics;
use crate::session::{Session, Step, ToolCall};
use crate::tools::{Call, Outcome, ToolEntry, masked};
use crate::transport::{Line, Lines, MAX_LINE_BYTES, Outbox};
use batches::{Batches, Destination};
use calls::{Calls, MAX_WAITING_CALLS, OpenCall, Started};

pub use life::{Parent, Stop, asked_to_stop};

/// How long calls may go on after the end of the input. Long enough for a slow search that was piped in by hand;
/// clients that want the process gone sooner send SIGTERM.
pub const GRACE: Duration = Duration::from_secs(10);

/// How long the last lines may take on their way out when the process is told to stop. A fraction of the second within
/// which it must be gone.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// How many streams may be open at once. Nothing is ever sent on them, so one is enough for any client.
const MAX_STREAMS: usize = 64;

/// How many lines are read ahead of the loop. They may be of the largest size, so few.
const INBOX_EVENTS: usize = 8;

/// What the server works on and what it says about itself.
#[derive(Debug)]
pub struct Setup {
    /// The tools, in the order in which they are listed.
    pub tools: &'static [ToolEntry],
    /// The folder that calls work on.
    pub notes: Arc<Notes>,
    /// What day it is.
    pub clock: Clock,
    /// Who the server is.
    pub identity: Implementation,
    /// What the model should know before it uses the tools.
    pub instructions: String,
}

/// Why serving ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The input ended, and everything was answered that could be.
    InputClosed,
    /// Nobody reads the output any more.
    OutputClosed,
    /// Something from outside asked for it.
    Stopped(Stop),
}

/// Everything that can wake the loop.
#[derive(Debug)]
enum Event {
    /// A line came in.
    Line(Line),
    /// A tool is done with a call.
    Finished(u64, Outcome),
    /// No more lines will come in than those that are in the inbox.
    InputClosed,
    /// The time after the end of the input is up.
    GraceOver,
    /// It is time to look how far calls have come.
    ProgressDue,
    /// A line went out.
    Written,
    /// A line could not go out.
    OutputClosed(io::ErrorKind),
    /// Something from outside wants the process gone.
    Stop(Stop),
}

/// Serves `input` until it ends, `stop` is done or `output` is closed.
///
/// It returns without waiting for a tool that does not watch its `Watch`. With stdin as the input a thread of the runtime
/// stays in a read that cannot be called off, so end the process rather than wait for the runtime.
pub async fn serve<R, W>(input: R, output: W, setup: Setup, stop: impl Future<Output = Stop>) -> Ended
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Unpin,
{
    let (sender, inbox) = mpsc::channel(INBOX_EVENTS);
    let reading = tokio::spawn(read_lines(Lines::new(input), sender.clone()));
    let reader = reading.abort_handle();
    let server = Server {
        session: Session::new(setup.tools, setup.identity, setup.instructions),
        notes: setup.notes,
        clock: setup.clock,
        inbox,
        sender,
        reading,
        outbox: Outbox::new(output),
        calls: Calls::default(),
        batches: Batches::default(),
        streams: Vec::new(),
        grace_end: None,
    };
    let ended = server.run(pin!(stop)).await;
    reader.abort();
    tracing::info!(?ended, "serving ended");
    ended
}

/// Feeds the inbox, and is done when the input is. A full inbox holds it up, and thereby the client.
async fn read_lines<R: AsyncRead + Unpin>(mut lines: Lines<R>, inbox: mpsc::Sender<Event>) {
    loop {
        match lines.next().await {
            Ok(Some(line)) => {
                if inbox.send(Event::Line(line)).await.is_err() {
                    return;
                }
            }
            Ok(None) => return,
            Err(error) => {
                tracing::error!(kind = %error.kind(), "the input cannot be read");
                return;
            }
        }
    }
}

struct Server<W> {
    session: Session,
    notes: Arc<Notes>,
    clock: Clock,
    inbox: mpsc::Receiver<Event>,
    /// For the threads that run tools.
    sender: mpsc::Sender<Event>,
    reading: JoinHandle<()>,
    outbox: Outbox<W>,
    calls: Calls,
    batches: Batches,
    /// The open `subscriptions/listen` requests.
    streams: Vec<RequestId>,
    /// Set at the end of the input.
    grace_end: Option<Instant>,
}

impl<W: AsyncWrite + Unpin> Server<W> {
    async fn run(mut self, mut stop: Pin<&mut impl Future<Output = Stop>>) -> Ended {
        loop {
            let all_answered = self.grace_end.is_some() && self.inbox.is_empty() && self.calls.is_empty();
            if all_answered {
                self.close_streams();
                if self.outbox.is_empty() {
                    return Ended::InputClosed;
                }
            }
            match self.next(&mut stop).await {
                Event::Line(line) => self.line(line),
                Event::Finished(sequence, outcome) => self.finished(sequence, outcome),
                Event::InputClosed => self.grace_end = Some(Instant::now() + GRACE),
                Event::GraceOver => {
                    self.give_up_calls();
                    self.close_streams();
                    self.last_words().await;
                    return Ended::InputClosed;
                }
                Event::ProgressDue => self.report_progress(),
                Event::Written => {}
                Event::OutputClosed(kind) => {
                    tracing::info!(%kind, "the output was closed");
                    return Ended::OutputClosed;
                }
                Event::Stop(stop) => {
                    self.close_streams();
                    self.last_words().await;
                    return Ended::Stopped(stop);
                }
            }
            self.start_calls();
        }
    }

    /// Waits for whatever comes first. Being told to stop outranks all, also while a client does not read its answers.
    async fn next(&mut self, stop: &mut Pin<&mut impl Future<Output = Stop>>) -> Event {
        let (has_unwritten, has_room) = (!self.outbox.is_empty(), self.outbox.has_room());
        tokio::select! {
            biased;
            reason = stop => Event::Stop(reason),
            written = self.outbox.write_next(), if has_unwritten => {
                written.map_or_else(|error| Event::OutputClosed(error.kind()), |()| Event::Written)
            }
            () = moment(self.grace_end) => Event::GraceOver,
            () = moment(self.calls.progress_due()), if has_room => Event::ProgressDue,
            _ = &mut self.reading, if self.grace_end.is_none() => Event::InputClosed,
            Some(event) = self.inbox.recv(), if has_room => event,
        }
    }

    fn line(&mut self, line: Line) {
        let refuse = |error| Step::Reply(Response::unaddressed(error));
        let step = match line {
            Line::Text(text) => self.session.step(jsonrpc::read(&text)),
            Line::NotUtf8 => refuse(ErrorObject::parse_error("the line is not UTF-8")),
            Line::TooLong => {
                let reason = format!("the line is longer than {} MiB", MAX_LINE_BYTES >> 20);
                refuse(ErrorObject::invalid_request(&reason))
            }
        };
        self.take(step, Destination::Line);
    }

    /// Carries out a step whose answer belongs to `destination`.
    fn take(&mut self, step: Step, destination: Destination) {
        match step {
            Step::Silence => self.settle(destination, None),
            Step::Reply(response) => self.settle(destination, Some(response)),
            Step::Call(call) => self.call(call, destination),
            Step::Listen(id) => self.listen(id, destination),
            Step::Cancel(id) => {
                self.cancel(&id);
                self.settle(destination, None);
            }
            Step::Batch(steps) => {
                let destination = self.batches.open(steps.len());
                for step in steps {
                    self.take(step, destination);
                }
            }
        }
    }

    /// Ends the one chance to answer a message: with a response, or with none.
    fn settle(&mut self, destination: Destination, response: Option<Response>) {
        if let Some(code) = response.as_ref().and_then(Response::error_code) {
            tracing::debug!(code, "refused");
        }
        if let Some(line) = self.batches.settle(destination, response) {
            self.outbox.push(line);
        }
    }

    /// Checks the arguments at once, so that a refusal overtakes the calls that wait; the work itself queues up.
    fn call(&mut self, call: ToolCall, destination: Destination) {
        let ToolCall { id, era, tool, arguments, progress_token } = call;
        let open = OpenCall::new(id, era, tool.name(), progress_token, destination);
        match panics::caught(|| tool.prepare(arguments, &self.clock)) {
            Ok(Ok(_)) if self.calls.is_full() => {
                let words = format!(
                    "{}: {MAX_WAITING_CALLS} calls are waiting already, so this one was not taken. Wait for some of the \
                     answers, then repeat this call",
                    masked(open.tool)
                );
                self.answer(open, &Outcome::Refusal(words));
            }
            Ok(Ok(work)) => {
                let call = Call {
                    notes: Arc::clone(&self.notes),
                    clock: self.clock.clone(),
                    request: open.id.to_string(),
                    watch: Arc::clone(&open.watch),
                };
                self.calls.admit(open, work, call);
            }
            Ok(Err(outcome)) => self.answer(open, &outcome),
            Err(place) => {
                tracing::error!(tool = open.tool, request = %open.id, %place, "a tool panicked over its arguments");
                let outcome = Outcome::Refusal(masked(open.tool));
                self.answer(open, &outcome);
            }
        }
    }

    fn start_calls(&mut self) {
        while let Some(Started { sequence, tool, work, call }) = self.calls.start_next() {
            let inbox = self.sender.clone();
            tokio::task::spawn_blocking(move || {
                let outcome = panics::caught(|| work(&call)).unwrap_or_else(|place| {
                    tracing::error!(tool, request = call.request, %place, "a tool panicked");
                    Outcome::Refusal(masked(tool))
                });
                // The loop is gone when this fails, and the client with it.
                let _ = inbox.blocking_send(Event::Finished(sequence, outcome));
            });
        }
    }

    fn finished(&mut self, sequence: u64, outcome: Outcome) {
        let Some(open) = self.calls.finish(sequence) else { return };
        let outcome = if outcome == Outcome::Cancelled {
            // The client still waits, so this is a fault of the tool.
            tracing::error!(tool = open.tool, request = %open.id, "a tool stopped though nobody cancelled its call");
            Outcome::Refusal(masked(open.tool))
        } else {
            outcome
        };
        self.answer(open, &outcome);
    }

    fn answer(&mut self, open: OpenCall, outcome: &Outcome) {
        let OpenCall { id, era, tool, destination, accepted, .. } = open;
        let kind = match outcome {
            Outcome::Answer(_) => "answer",
            Outcome::Refusal(_) => "refusal",
            Outcome::Cancelled => "cancelled",
        };
        tracing::info!(tool, request = %id, duration = ?accepted.elapsed(), outcome = kind, "call");
        let response = self.session.answer(id, era, tool, outcome);
        self.settle(destination, response);
    }

    /// What the client cancelled is never answered, whatever comes of it (MCP, "Cancellation"). What is unknown or
    /// finished is ignored; so is `initialize`, which is answered before a cancellation can be read.
    fn cancel(&mut self, id: &RequestId) {
        self.streams.retain(|stream| stream != id);
        for open in self.calls.cancel(id) {
            self.answer(open, &Outcome::Cancelled);
        }
    }

    fn give_up_calls(&mut self) {
        for open in self.calls.give_up() {
            let words = format!(
                "{}: not finished within {} seconds of the end of the input. Keep the input open until the answer has come",
                masked(open.tool),
                GRACE.as_secs()
            );
            self.answer(open, &Outcome::Refusal(words));
        }
    }

    fn report_progress(&mut self) {
        for (era, token, notes_done) in self.calls.take_progress() {
            self.outbox.push(self.session.progress(era, &token, notes_done));
        }
    }

    /// Opens a stream (MCP 2026-07-28, `subscriptions/listen`): acknowledged first, answered at its end.
    fn listen(&mut self, id: RequestId, destination: Destination) {
        if self.streams.len() < MAX_STREAMS {
            self.outbox.push(self.session.acknowledgement(&id));
            self.streams.push(id);
        } else {
            let reason = format!("{MAX_STREAMS} streams are open already; cancel one of them first");
            self.settle(destination, Some(Response::error(id, ErrorObject::internal(&reason))));
        }
    }

    fn close_streams(&mut self) {
        for id in std::mem::take(&mut self.streams) {
            let response = self.session.stream_closed(id);
            self.settle(Destination::Line, Some(response));
        }
    }

    /// Tries to get out what waits, for a client that still reads.
    async fn last_words(&mut self) {
        let in_time = timeout(LAST_WORDS, self.outbox.write_all()).await;
        if !matches!(in_time, Ok(Ok(()))) {
            tracing::info!("the last lines were not read");
        }
    }
}

async fn moment(when: Option<Instant>) {
    match when {
        Some(when) => sleep_until(when).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests;
