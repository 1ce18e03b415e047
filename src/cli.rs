//! The command line: what the user typed becomes checked [`Options`], or one sentence that says what to type.
//!
//! It reads no file and starts nothing. Whether the notes folder exists is not asked here: a server that is started
//! before its folder is there works as soon as it is.

mod values;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use tracing_subscriber::filter::LevelFilter;

use values::{bytes, extension, folder, glob, level, mebibytes, seconds, text};

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
#[command(name = "note-search-mcp", version, max_term_width = 100, after_help = EXAMPLE)]
pub struct CommandLine {
    /// The folder with your notes; `~` and `$HOME` are understood. If left out, `NOTE_SEARCH_DIR` in the environment says it
    #[arg(value_name = "NOTES_DIR")]
    notes_dir: Option<OsString>,

    /// Which files are notes, by extension
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = extension, default_value = "md,markdown,mdx,txt,org")]
    ext: Vec<Option<String>>,

    /// Leave out what matches this pattern, written as in .gitignore, e.g. `archive/` (may be repeated)
    #[arg(long, value_name = "GLOB", value_parser = glob)]
    exclude: Vec<String>,

    /// Follow symbolic links whose target lies inside the folder
    #[arg(long)]
    follow_links: bool,

    /// Leave out files larger than this
    #[arg(long, value_name = "SIZE", value_parser = bytes, default_value = "64MiB")]
    max_file_size: u64,

    /// Stop a search after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "30")]
    search_timeout: Duration,

    /// Keep up to this many MiB of notes in memory, for faster searches (0: none)
    #[arg(long, value_name = "MIB", value_parser = mebibytes, default_value = "256")]
    cache_mb: u64,

    /// What the notes are about, in a few words; helps the model to know when to search them
    #[arg(long, value_name = "TEXT")]
    about: Option<String>,

    /// How much to log to stderr: off, error, warn, info, debug or trace. If left out, `NOTE_SEARCH_LOG` in the environment
    /// says it, else warn
    #[arg(long, value_name = "LEVEL", value_parser = level)]
    log: Option<LevelFilter>,
}

const EXAMPLE: &str = "Example: note-search-mcp ~/notes --about \"work diary and meeting notes, Chinese and English\"";

impl CommandLine {
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
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn parse(arguments: &[&str]) -> Result<Options, String> {
        parse_in(arguments, &[])
    }

    fn parse_in(arguments: &[&str], environment: &[(&str, &str)]) -> Result<Options, String> {
        let line = CommandLine::try_parse_from(std::iter::once(&"note-search-mcp").chain(arguments))
            .map_err(|error| error.to_string())?;
        let variable =
            |name: &str| environment.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value));
        line.options(variable, Some(PathBuf::from("/home/ada"))).map_err(|misuse| misuse.to_string())
    }

    #[test]
    fn the_definition_holds_together() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn a_folder_is_all_that_is_needed() {
        let expected = Options {
            notes_dir: PathBuf::from("/n"),
            extensions: ["md", "markdown", "mdx", "txt", "org"].map(str::to_owned).to_vec(),
            exclude: Vec::new(),
            follow_links: false,
            max_file_bytes: 64 * 1024 * 1024,
            search_timeout: Duration::from_secs(30),
            cache_bytes: 256 * 1024 * 1024,
            about: None,
            log: LevelFilter::WARN,
        };
        assert_eq!(parse(&["/n"]), Ok(expected));
    }

    #[test]
    fn every_option_reaches_the_program() {
        let options = parse(&[
            "--ext",
            ".MD, txt,",
            "--exclude",
            "archive/",
            "--exclude",
            "*.tmp.md",
            "--follow-links",
            "--max-file-size",
            "1kb",
            "--search-timeout",
            "0.5",
            "--cache-mb",
            "0",
            "--about",
            " work ",
            "--log",
            "Debug",
            "/n",
        ])
        .unwrap();
        assert_eq!(options.extensions, ["md", "txt"]);
        assert_eq!(options.exclude, ["archive/", "*.tmp.md"]);
        assert!(options.follow_links);
        assert_eq!((options.max_file_bytes, options.cache_bytes), (1_000, 0));
        assert_eq!(options.search_timeout, Duration::from_millis(500));
        assert_eq!(options.about.as_deref(), Some("work"));
        assert_eq!(options.log, LevelFilter::DEBUG);
    }

    #[test]
    fn without_a_folder_the_user_is_told_what_to_type() {
        for arguments in [&[][..], &[""], &["  "]] {
            let misuse = parse(arguments).unwrap_err();
            assert!(
                misuse.contains("note-search-mcp /path/to/your/notes") && misuse.contains("NOTE_SEARCH_DIR"),
                "{misuse}"
            );
        }
    }

    #[test]
    fn the_environment_speaks_where_the_command_line_does_not() {
        let environment = [("NOTE_SEARCH_DIR", "~/n"), ("NOTE_SEARCH_LOG", "info")];
        let options = parse_in(&[""], &environment).unwrap();
        assert_eq!((options.notes_dir, options.log), (PathBuf::from("/home/ada/n"), LevelFilter::INFO));
        let options = parse_in(&["/other", "--log", "off"], &environment).unwrap();
        assert_eq!((options.notes_dir, options.log), (PathBuf::from("/other"), LevelFilter::OFF));
        assert_eq!(parse_in(&["/n"], &[("NOTE_SEARCH_LOG", " ")]).unwrap().log, LevelFilter::WARN);
        let misuse = parse_in(&["/n"], &[("NOTE_SEARCH_LOG", "loud")]).unwrap_err();
        assert!(misuse.contains("NOTE_SEARCH_LOG") && misuse.contains("trace"), "{misuse}");
    }

    #[test]
    fn an_unknown_option_is_refused_with_the_nearest_one() {
        let error = parse(&["--exclud", "x", "/n"]).unwrap_err();
        assert!(error.contains("--exclud'") && error.contains("--exclude"), "{error}");
        assert!(parse(&["--max-results", "5", "/n"]).unwrap_err().contains("--max-results"));
    }

    #[test]
    fn a_bad_value_is_refused_with_its_option() {
        for (option, value) in [
            ("--ext", "a/b"),
            ("--exclude", "a{b"),
            ("--max-file-size", "64 elephants"),
            ("--max-file-size", "0"),
            ("--search-timeout", "0"),
            ("--search-timeout", "NaN"),
            ("--search-timeout", "1e300"),
            ("--cache-mb", "-1"),
            ("--log", "loud"),
        ] {
            let error = parse(&[&format!("{option}={value}"), "/n"]).unwrap_err();
            assert!(error.contains(option), "{option} {value}: {error}");
        }
        assert!(parse(&["--ext", ",", "/n"]).unwrap_err().contains("--ext"));
    }

    #[test]
    fn a_variable_that_the_client_left_standing_is_refused() {
        let misuse = parse(&["${workspaceFolder}/notes"]).unwrap_err();
        assert!(misuse.contains("${workspaceFolder}/notes") && misuse.contains("absolute path"), "{misuse}");
    }
}
