//! The command line: what the user typed becomes checked [`Options`], or one sentence that says what to type.
//!
//! What the program is to do is a [`Task`], with what is an [`Options`]. It reads no file and starts nothing. Whether the notes folder exists is not asked here: a server that is started
//! before its folder is there works as soon as it is.

mod generated;
mod task;
mod values;
mod written;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use tracing_subscriber::filter::LevelFilter;

use task::TaskFlags;
use values::{bytes, extension, folder, glob, level, mebibytes, seconds, text};

pub use generated::{completions, man};
pub use task::{Client, Task, WrittenCall};

/// The folder's environment variable, for clients that configure servers through `env`.
pub const NOTES_DIR_VARIABLE: &str = "NOTE_SEARCH_DIR";

/// The log level's environment variable.
pub const LOG_VARIABLE: &str = "NOTE_SEARCH_LOG";

/// What the program is to do, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The notes folder, as given, with `~` and `$HOME` replaced; may not exist.
    pub notes_dir: PathBuf,
    /// Extensions of notes, without the dot, in lower case.
    pub extensions: Vec<String>,
    /// Names to leave out, in gitignore syntax; each is a valid pattern.
    pub exclude: Vec<String>,
    /// Whether symbolic links inside the folder are followed.
    pub follow_links: bool,
    /// The largest file that is a note, in bytes.
    pub max_file_bytes: u64,
    /// How long one search may take; more than zero, at most a day.
    pub search_timeout: Duration,
    /// How much memory may hold notes from one search to the next, in bytes.
    pub cache_bytes: u64,
    /// What the notes are about, in the user's words.
    pub about: Option<String>,
    /// What is logged.
    pub log: LevelFilter,
}

/// A command line that parses but makes no sense; one sentence for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misuse(pub String);

impl std::fmt::Display for Misuse {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Misuse {}

/// Lets a language model search and read a folder of notes
///
/// An MCP server over stdio: an MCP client (Claude Code, Codex, an editor …) starts it and talks to it through stdin and
/// stdout. It only reads notes; it never changes one.
#[derive(Debug, Parser)]
#[command(name = "note-search-mcp", version, max_term_width = 100, after_help = EXAMPLES)]
pub struct CommandLine {
    /// The folder with your notes; `~` and `$HOME` are understood. If left out, `NOTE_SEARCH_DIR` in the environment says it
    #[arg(value_name = "NOTES_DIR")]
    notes_dir: Option<OsString>,

    /// The extensions of notes, with commas between them
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = extension, default_value = "md,markdown,mdx,txt,org", help_heading = NOTES)]
    ext: Vec<Option<String>>,

    /// Leave out what matches this pattern, written as in .gitignore, e.g. `archive/` (may be repeated)
    #[arg(long, value_name = "GLOB", value_parser = glob, help_heading = NOTES)]
    exclude: Vec<String>,

    /// Follow symbolic links whose target lies inside the folder
    #[arg(long, help_heading = NOTES)]
    follow_links: bool,

    /// Leave out files larger than this
    #[arg(long, value_name = "SIZE", value_parser = bytes, default_value = "64MiB", help_heading = NOTES)]
    max_file_size: u64,

    /// Stop a search after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "30", help_heading = SERVING)]
    search_timeout: Duration,

    /// Keep up to this many MiB of notes in memory, for faster searches (0: none)
    #[arg(long, value_name = "MIB", value_parser = mebibytes, default_value = "256", help_heading = SERVING)]
    cache_mb: u64,

    /// What the notes are about, in a few words; helps the model to know when to search them
    #[arg(long, value_name = "TEXT", help_heading = SERVING)]
    about: Option<String>,

    /// How much to log to stderr: off, error, warn, info, debug or trace. If left out, `NOTE_SEARCH_LOG` in the environment
    /// says it, else warn
    #[arg(long, value_name = "LEVEL", value_parser = level, help_heading = SERVING)]
    log: Option<LevelFilter>,

    #[command(flatten)]
    task: TaskFlags,
}

const NOTES: &str = "Which files are notes";

const SERVING: &str = "How it works";

const EXAMPLES: &str = "\
Examples:
  note-search-mcp --check ~/notes                    is all well with my folder?
  note-search-mcp --print-config claude-code ~/notes how do I add it to Claude Code?
  note-search-mcp --call search_notes '{\"keyword\":\"mcp\"}' ~/notes
  note-search-mcp ~/notes --about \"work diary and meeting notes, Chinese and English\"
                                                     serve, as a client does";

impl CommandLine {
    /// What is to be done.
    pub fn task(&self) -> Task {
        self.task.task()
    }

    /// Checks what clap could not. `variable` looks up an environment variable, `home` is the user's home folder.
    pub fn options(
        self,
        variable: impl Fn(&str) -> Option<OsString>,
        home: Option<PathBuf>,
    ) -> Result<Options, Misuse> {
        let given = |value: Option<OsString>| value.filter(|value| !value.to_string_lossy().trim().is_empty());
        let Some(notes_dir) = given(self.notes_dir).or_else(|| given(variable(NOTES_DIR_VARIABLE))) else {
            return Err(Misuse(format!(
                "no notes folder given: type `note-search-mcp /path/to/your/notes`, or set {NOTES_DIR_VARIABLE}"
            )));
        };
        let extensions: Vec<String> = self.ext.into_iter().flatten().collect();
        if extensions.is_empty() {
            return Err(Misuse("--ext names no extension: type for example `--ext md,txt`".to_owned()));
        }
        let log = match (self.log, given(variable(LOG_VARIABLE))) {
            (Some(level), _) => level,
            (None, Some(name)) => {
                level(&name.to_string_lossy()).map_err(|reason| Misuse(format!("{LOG_VARIABLE}: {reason}")))?
            }
            (None, None) => LevelFilter::WARN,
        };
        Ok(Options {
            notes_dir: folder(notes_dir, home).map_err(Misuse)?,
            extensions,
            exclude: self.exclude,
            follow_links: self.follow_links,
            max_file_bytes: self.max_file_size,
            search_timeout: self.search_timeout,
            cache_bytes: self.cache_mb,
            about: self.about.and_then(text),
            log,
        })
    }
}

#[cfg(test)]
mod tests;
