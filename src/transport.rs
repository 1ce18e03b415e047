//! Bytes to lines and lines to bytes: the first and the last stage of the arrow, and the only writer of stdout.
//!
//! A message is one line of UTF-8 that ends at `\n` alone (MCP, "Transports", stdio). What cannot be a message is told
//! apart here (too long, not UTF-8) or dropped (blank lines). What a line says is not looked at, and nothing is answered.

use std::collections::VecDeque;
use std::io;

use memchr::memchr;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};

/// Longest line taken in, in bytes without its line end. Far beyond any sensible request, and parsed it takes a multiple;
/// longer ones are thrown away as they come in, so that a runaway client cannot fill the memory.
pub const MAX_LINE_BYTES: usize = 4 * 1024 * 1024;

/// How many bytes of answers may wait for a client that does not read, before the server stops reading in its turn.
/// Room for dozens of answers of the largest size, so that a client may send a burst before it reads.
pub const MAX_UNWRITTEN_BYTES: usize = 4 * 1024 * 1024;

/// How much is asked of the input at once, in bytes: what a pipe holds on Linux.
const READ_BYTES: usize = 64 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// One line of input that asks for attention. Blank lines never become one.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// A line of text without its line end.
    Text(String),
    /// A line whose bytes are not UTF-8.
    NotUtf8,
    /// A line of more than [`MAX_LINE_BYTES`]; its bytes are gone.
    TooLong,
}

/// The lines of an input.
#[derive(Debug)]
pub struct Lines<R> {
    input: BufReader<R>,
    line: Vec<u8>,
    too_long: bool,
    at_start: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// Reads lines from `input`, which needs no buffer of its own.
    pub fn new(input: R) -> Self {
        Self { input: BufReader::with_capacity(READ_BYTES, input), line: Vec::new(), too_long: false, at_start: true }
    }

    /// The next line that is not blank; `None` at the end of the input. A last line without `\n` is a line too.
    ///
    /// May be dropped and called again without losing a byte: what was read so far stays here.
    pub async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let chunk = self.input.fill_buf().await?;
            if chunk.is_empty() {
                return Ok(self.finish_line());
            }
            let end = memchr(b'\n', chunk);
            let part = &chunk[..end.unwrap_or(chunk.len())];
            self.too_long |= self.line.len() + part.len() > MAX_LINE_BYTES;
            if self.too_long {
                self.line = Vec::new();
            } else {
                self.line.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            self.input.consume(used);
            if end.is_some()
                && let Some(line) = self.finish_line()
            {
                return Ok(Some(line));
            }
        }
    }

    /// Takes what was gathered as a line; `None` when it is blank.
    fn finish_line(&mut self) -> Option<Line> {
        let mut line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.too_long) {
            self.at_start = false;
            return Some(Line::TooLong);
        }
        if line.last() == Some(&b'\r') {
            line.pop(); // Windows shells end lines with CR LF
        }
        if self.at_start && line.starts_with(BYTE_ORDER_MARK) {
            line.drain(..BYTE_ORDER_MARK.len()); // PowerShell begins a pipe with one
        }
        if line.trim_ascii().is_empty() {
            return None;
        }
        self.at_start = false;
        Some(String::from_utf8(line).map_or(Line::NotUtf8, Line::Text))
    }
}

/// The lines that wait to be written, and the output they go to: one write and one flush a line, in order.
#[derive(Debug)]
pub struct Outbox<W> {
    output: W,
    lines: VecDeque<Vec<u8>>,
    /// How much of the first line is written already, in bytes.
    written: usize,
    unwritten: usize,
}

impl<W: AsyncWrite + Unpin> Outbox<W> {
    /// An outbox with nothing in it.
    pub fn new(output: W) -> Self {
        Self { output, lines: VecDeque::new(), written: 0, unwritten: 0 }
    }

    /// Puts a message behind the others. It must be JSON on one line; the line end is added here.
    pub fn push(&mut self, message: String) {
        let mut line = message.into_bytes();
        debug_assert!(memchr(b'\n', &line).is_none(), "compact JSON holds no raw newline");
        line.push(b'\n');
        self.unwritten += line.len();
        self.lines.push_back(line);
    }

    /// Whether everything was written.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Whether so little waits that more requests may be read.
    pub fn has_room(&self) -> bool {
        self.unwritten < MAX_UNWRITTEN_BYTES
    }

    /// Writes and flushes the first line that waits; an error means that nobody can read the output any more.
    ///
    /// May be dropped and called again: a line is neither torn nor repeated.
    pub async fn write_next(&mut self) -> io::Result<()> {
        let Some(line) = self.lines.front() else { return Ok(()) };
        while self.written < line.len() {
            let count = self.output.write(&line[self.written..]).await?;
            if count == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            self.written += count;
        }
        self.output.flush().await?;
        self.unwritten -= line.len();
        self.written = 0;
        self.lines.pop_front();
        Ok(())
    }

    /// Writes everything that waits.
    pub async fn write_all(&mut self) -> io::Result<()> {
        while !self.is_empty() {
            self.write_next().await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use tokio::io::{AsyncReadExt, ReadBuf, repeat};

    use super::*;

    /// An input that hands out one byte at a time, as the slowest pipe would.
    struct Dribble(VecDeque<u8>);

    impl AsyncRead for Dribble {
        fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
            buffer.put_slice(self.0.pop_front().as_slice());
            Poll::Ready(Ok(()))
        }
    }

    async fn lines_of(input: impl AsyncRead + Unpin) -> Vec<Line> {
        let mut lines = Lines::new(input);
        let mut found = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            found.push(line);
        }
        found
    }

    fn text(text: &str) -> Line {
        Line::Text(text.to_owned())
    }

    #[tokio::test]
    async fn lines_end_at_newlines_alone() {
        let input = "a\u{2028}b\u{2029}c\u{85}d\re\u{c}f\ng\n";
        assert_eq!(lines_of(input.as_bytes()).await, [text("a\u{2028}b\u{2029}c\u{85}d\re\u{c}f"), text("g")]);
    }

    #[tokio::test]
    async fn blank_lines_a_byte_order_mark_and_one_carriage_return_are_taken_off() {
        assert_eq!(lines_of(&b"\xef\xbb\xbfa\r\n\r\n \t \r\n\nb\r\r\n"[..]).await, [text("a"), text("b\r")]);
        assert_eq!(lines_of(&b"\xef\xbb\xbf\r\na\n"[..]).await, [text("a")]);
    }

    #[tokio::test]
    async fn a_byte_order_mark_further_down_stays() {
        assert_eq!(lines_of("a\n\u{feff}b\n".as_bytes()).await, [text("a"), text("\u{feff}b")]);
    }

    #[tokio::test]
    async fn a_last_line_without_newline_is_served() {
        assert_eq!(lines_of(&b"a\nb"[..]).await, [text("a"), text("b")]);
        assert_eq!(lines_of(&b"a\n\r"[..]).await, [text("a")]);
        assert_eq!(lines_of(&b""[..]).await, []);
    }

    #[tokio::test]
    async fn bytes_that_are_not_utf8_spoil_their_line_only() {
        assert_eq!(lines_of(&b"\xff\na\n"[..]).await, [Line::NotUtf8, text("a")]);
    }

    #[tokio::test]
    async fn a_line_may_come_byte_by_byte() {
        let input = Dribble("é日\nb".bytes().collect());
        assert_eq!(lines_of(input).await, [text("é日"), text("b")]);
    }

    #[tokio::test]
    async fn a_line_over_the_limit_is_dropped_up_to_its_newline() {
        let limit = MAX_LINE_BYTES as u64;
        let input = repeat(b'x').take(limit + 1).chain(&b"\na\n"[..]).chain(repeat(b'y').take(limit)).chain(&b"\n"[..]);
        let lines = lines_of(input).await;
        assert_eq!(lines[..2], [Line::TooLong, text("a")]);
        assert!(matches!(&lines[2], Line::Text(text) if text.len() == MAX_LINE_BYTES));
        assert_eq!(lines_of(repeat(b'x').take(limit + 1)).await, [Line::TooLong]);
    }

    #[tokio::test]
    async fn a_write_that_is_interrupted_goes_on_where_it_was() {
        let (mut client, server) = tokio::io::duplex(4);
        let mut outbox = Outbox::new(server);
        outbox.push("0123456789".to_owned());
        outbox.push("b".to_owned());
        for _ in 0..3 {
            tokio::select! {
                biased;
                written = outbox.write_next() => panic!("the pipe holds 4 bytes, yet {written:?}"),
                () = tokio::task::yield_now() => {}
            }
        }
        let mut read = vec![0; 13];
        let (all, count) = tokio::join!(outbox.write_all(), client.read_exact(&mut read));
        assert!(all.is_ok() && count.is_ok());
        assert_eq!(read, b"0123456789\nb\n");
        assert!(outbox.is_empty());
    }

    #[tokio::test]
    async fn an_outbox_is_full_when_too_much_waits() {
        let mut outbox = Outbox::new(tokio::io::sink());
        outbox.push("x".repeat(MAX_UNWRITTEN_BYTES));
        assert!(!outbox.has_room());
        outbox.write_all().await.unwrap();
        assert!(outbox.has_room());
    }
}
