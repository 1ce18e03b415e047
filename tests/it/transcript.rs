//! A conversation as a file: a comment that tells the story, then what went over the wire, line by line.
//!
//! - `#` begins a comment.
//! - `+ {…}` does something to the folder, see `Stage::change`. It is a copy of `notes-fixtures` unless the first change is
//!   `{"start":"empty"}`.
//! - `→ …` is a line of the client, `← …` one of the server. `$NEXT` stands for the last `next_cursor` that was seen,
//!   `⟪n bytes⟫` for the middle of a very long line; all else is what goes over the wire.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use note_search_mcp::notes::Settings;
use note_search_mcp::tools::read_note::ReadNote;
use note_search_mcp::tools::search_notes::SearchNotes;
use note_search_mcp::tools::{Outcome, TOOLS, ToolEntry};
use serde_json::{Value, json};

use crate::fixture::Folder;
use crate::laws::{Sent, is_answered};
use crate::wire::Wire;

/// The two tools, and two that misbehave.
static MISBEHAVING: [ToolEntry; 4] = [
    ToolEntry::of::<SearchNotes>(),
    ToolEntry::of::<ReadNote>(),
    ToolEntry::new("panicking", nameless, |_, _| Ok(Box::new(|_| panic!("a secret of /home/ada/notes")))),
    ToolEntry::new("waiting", nameless, |_, _| {
        Ok(Box::new(|call| {
            while !call.watch.is_cancelled() {
                std::thread::yield_now();
            }
            Outcome::Cancelled
        }))
    }),
];

fn nameless() -> Value {
    json!({ "name": "misbehaving", "inputSchema": { "type": "object" } })
}

/// Longer lines are shortened. The list of the tools, some 9,000 bytes, is not.
const MAX_SHOWN_BYTES: usize = 12_000;

/// How much of a cursor a refusal repeats.
const MAX_ECHO_BYTES: usize = 80;

/// What a line of the file asks for.
enum Step {
    Comment(String),
    Change(Value),
    Send(String),
}

/// What a replay gave.
pub struct Replayed {
    /// The file, as it would have to be.
    pub text: String,
    /// What went over the wire.
    pub lines: Vec<Sent>,
    /// The folder it was about.
    pub folder: Arc<Folder>,
}

/// Plays the client's part of a conversation against the real loop.
pub async fn replay(text: &str) -> Replayed {
    let steps: Vec<Step> = text.lines().filter_map(step).collect();
    let mut stage = Stage::new(&steps);
    let mut rendered = Vec::new();
    let mut wire = None;
    for step in &steps {
        match step {
            Step::Comment(line) => rendered.push(line.clone()),
            Step::Change(change) => {
                rendered.push(format!("+ {change}"));
                stage.change(change);
            }
            Step::Send(line) => {
                rendered.push(format!("→ {line}").trim_end().to_owned());
                let wire = wire.get_or_insert_with(|| Wire::open(stage.settings.clone(), stage.tools));
                rendered.extend(stage.exchange(wire, line).await);
            }
        }
    }
    for line in wire.expect("a conversation says something").close().await {
        rendered.push(stage.received(line));
    }
    Replayed { text: rendered.join("\n") + "\n", lines: stage.lines, folder: stage.folder }
}

fn step(line: &str) -> Option<Step> {
    if let Some(change) = line.strip_prefix("+ ") {
        return Some(Step::Change(serde_json::from_str(change).unwrap_or_else(|error| panic!("{error}: {line}"))));
    }
    if let Some(sent) = line.strip_prefix('→') {
        return Some(Step::Send(sent.strip_prefix(' ').unwrap_or(sent).to_owned()));
    }
    let is_comment = line.starts_with('#') || line.is_empty();
    assert!(is_comment || line.starts_with('←'), "neither a comment nor a step: {line}");
    is_comment.then(|| Step::Comment(line.to_owned()))
}

/// Where a conversation takes place, and how far it has come.
struct Stage {
    folder: Arc<Folder>,
    settings: Settings,
    tools: &'static [ToolEntry],
    lines: Vec<Sent>,
    /// What stands for `$NEXT`.
    next_cursor: Option<String>,
    revision: String,
}

impl Stage {
    fn new(steps: &[Step]) -> Self {
        let first = steps.iter().find_map(|step| if let Step::Change(change) = step { Some(change) } else { None });
        let is_empty = first.is_some_and(|change| change["start"] == "empty");
        let folder = Arc::new(if is_empty { Folder::empty() } else { Folder::of_fixtures() });
        let settings = folder.settings();
        Self { folder, settings, tools: TOOLS, lines: Vec::new(), next_cursor: None, revision: String::new() }
    }

    /// Sends a line and takes what comes back of it.
    async fn exchange(&mut self, wire: &mut Wire, line: &str) -> Vec<String> {
        let sent = match &self.next_cursor {
            Some(cursor) => line.replace("$NEXT", cursor),
            None => line.to_owned(),
        };
        wire.send(&sent).await;
        self.lines.push(Sent::In(sent.clone()));
        if !is_answered(&sent, &self.revision) {
            return Vec::new();
        }
        let answer = wire.receive().await.unwrap_or_else(|| panic!("no answer to {sent}"));
        vec![self.received(answer)]
    }

    /// Remembers a line of the server. How the file shows it.
    fn received(&mut self, line: String) -> String {
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        if let Some(revision) = message["result"]["protocolVersion"].as_str() {
            revision.clone_into(&mut self.revision);
        }
        if let Some(cursor) = message["result"]["structuredContent"]["next_cursor"].as_str() {
            self.next_cursor = Some(cursor.to_owned());
        }
        let mut shown = line.clone();
        if let Some(cursor) = &self.next_cursor {
            let echoed = &cursor[..cursor.len().min(MAX_ECHO_BYTES)];
            shown = shown.replace(cursor, "$NEXT").replace(echoed, "$NEXT");
        }
        self.lines.push(Sent::Out(line));
        format!("← {}", shortened(&shown))
    }

    /// Does what a `+` line says. Before the first message it may also set how the folder is served.
    fn change(&mut self, change: &Value) {
        let text = |key: &str| change[key].as_str();
        if let Some(name) = text("note") {
            self.folder.write(name, &content(change));
        } else if let Some(name) = text("folder") {
            fs::create_dir_all(self.folder.place(name)).unwrap();
        } else if let Some(name) = text("remove") {
            let place = if name == "." { self.folder.path() } else { self.folder.place(name) };
            if place.is_dir() { fs::remove_dir_all(place) } else { fs::remove_file(place) }.unwrap();
        } else if let Some(options) = change["options"].as_object() {
            self.configure(options);
        } else if change["tools"] == "misbehaving" {
            self.tools = &MISBEHAVING;
        } else if !self.special_file(change) {
            assert!(change["start"] == "empty", "no such change: {change}");
        }
    }

    #[cfg(unix)]
    fn special_file(&self, change: &Value) -> bool {
        match (change["link"].as_str(), change["pipe"].as_str()) {
            (Some(name), _) => self.folder.link(name, change["to"].as_str().unwrap()),
            (_, Some(name)) => self.folder.pipe(name),
            _ => return false,
        }
        true
    }

    #[cfg(not(unix))]
    fn special_file(&self, _: &Value) -> bool {
        false
    }

    fn configure(&mut self, options: &serde_json::Map<String, Value>) {
        let names = |value: &Value| -> Vec<String> { serde_json::from_value(value.clone()).unwrap() };
        for (name, value) in options {
            match name.as_str() {
                "ext" => self.settings.extensions = names(value),
                "exclude" => self.settings.exclude = names(value),
                "follow_links" => self.settings.follow_links = value.as_bool().unwrap(),
                "max_file_size" => self.settings.max_file_bytes = value.as_u64().unwrap(),
                "search_timeout" => self.settings.search_timeout = Duration::from_secs_f64(value.as_f64().unwrap()),
                _ => panic!("no such option: {name}"),
            }
        }
    }
}

/// A page of 24,000 bytes, twice in one line, is nothing to read: its middle is left out, its length stays.
fn shortened(line: &str) -> String {
    if line.len() <= MAX_SHOWN_BYTES {
        return line.to_owned();
    }
    let (start, end) = (line.floor_char_boundary(1_200), line.ceil_char_boundary(line.len() - 800));
    format!("{}⟪{} bytes⟫{}", &line[..start], end - start, &line[end..])
}

/// The bytes of a note: `text` or `hex`, `times` times.
fn content(change: &Value) -> Vec<u8> {
    let once = match change["hex"].as_str() {
        Some(hex) => hex.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect(),
        None => change["text"].as_str().unwrap().as_bytes().to_vec(),
    };
    once.repeat(change["times"].as_u64().map_or(1, |times| usize::try_from(times).unwrap()))
}
