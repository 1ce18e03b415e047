//! `--check`: the server tried the way a client tries it, and the folder looked at, in words for people.
//!
//! In order: can the folder be opened at all (`folder`); a second process of this program is spoken to over pipes as
//! both kinds of client do (`session`, through `child`); every note is looked at once more for the counts; the
//! `report` says what was found. Each line is about what was really seen. It changes nothing.

mod child;
mod folder;
mod progress;
mod report;
mod session;

use std::io::{self, Write};
use std::path::Path;

use anstyle::{AnsiColor, Style};

use crate::cli::Options;
use crate::clock::Clock;
use crate::notes::survey::Survey;
use crate::notes::{NoteError, Notes, Settings, Watch};

const BAD: Style = AnsiColor::Red.on_default().bold();
const GOOD: Style = AnsiColor::Green.on_default().bold();
const HEADING: Style = Style::new().bold();

/// What is wrong, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Fault {
    reason: String,
    remedy: String,
}

impl Fault {
    fn new(reason: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { reason: reason.into(), remedy: remedy.into() }
    }
}

/// Checks the server that `program` is, with these options (the folder's path being absolute), and says on `out` what it
/// found. Whether all is well.
///
/// # Errors
/// Nobody reads any more.
pub fn check(program: &Path, options: &Options, clock: &Clock, out: &mut impl Write) -> io::Result<bool> {
    report::introduction(options, out)?;
    let fault = match run(program, options, clock, out)? {
        Ok(()) => {
            writeln!(out, "\n{GOOD}All is well.{GOOD:#} {}", report::next_step(options))?;
            return Ok(true);
        }
        Err(fault) => fault,
    };
    writeln!(out, "\n{BAD}Something is wrong:{BAD:#} {}\nWhat to do: {}", fault.reason, fault.remedy)?;
    Ok(false)
}

fn run(program: &Path, options: &Options, clock: &Clock, out: &mut impl Write) -> io::Result<Result<(), Fault>> {
    if let Err(fault) = folder::look(&options.notes_dir) {
        return Ok(Err(fault));
    }
    let seen = match session::both_kinds(program, options) {
        Ok(seen) => seen,
        Err(fault) => return Ok(Err(fault)),
    };
    report::as_a_client_sees_it(&seen, out)?;
    out.flush()?;
    let survey = match survey(options, clock, seen.notes) {
        Ok(survey) => survey,
        Err(fault) => return Ok(Err(fault)),
    };
    report::of_the_notes(&survey, options, out)?;
    if let Some(fault) = folder::without_notes(&survey, options) {
        return Ok(Err(fault));
    }
    report::of_the_time(&seen, out)?;
    Ok(Ok(()))
}

/// Looks at every note; `expected` of them, as far as is known.
fn survey(options: &Options, clock: &Clock, expected: u64) -> Result<Survey, Fault> {
    // One look is all there is, so nothing needs to be kept.
    let settings = Settings { cache_bytes: 0, ..Settings::from(options) };
    let notes = Notes::new(settings).map_err(|error| Fault::new(format!("{error:#}."), "correct the pattern."))?;
    let watch = Watch::default();
    progress::while_counting("Counting", expected, || watch.notes_done(), || notes.survey(clock, &watch)).map_err(
        |error| match error {
            NoteError::NoFolder | NoteError::FolderUnreadable => Fault::new(
                "the folder went away while it was looked at.",
                "see that it stays where it is, and check again.",
            ),
            error => Fault::new(
                format!("the notes could not be counted ({error:?})."),
                "this is a fault of note-search-mcp: please report it with this line.",
            ),
        },
    )
}
