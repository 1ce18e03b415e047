//! What was found, in plain sentences. Every line is about something that was counted or heard.

use std::io::{self, Write};
use std::time::Duration;

use super::HEADING;
use super::session::Seen;
use crate::cli::Options;
use crate::mcp::STATELESS_REVISION;
use crate::notes::rule::NotANote;
use crate::notes::survey::Survey;
use crate::tools::wording::plural;

/// Bytes that make one token, about, in English text and JSON; Chinese takes a little more tokens.
const BYTES_PER_TOKEN: usize = 4;

/// Extensions and encodings that are named at most.
const MAX_KINDS: usize = 12;

/// What is looked at, and with which options.
pub(super) fn introduction(options: &Options, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{HEADING}note-search-mcp {}{HEADING:#}", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, "  Notes folder: {}", options.notes_dir.display())?;
    let given = options.given();
    if given.is_empty() {
        writeln!(out, "  Options: the defaults.")?;
    } else {
        writeln!(out, "  Options: {}; the rest are the defaults.", spoken(&given))?;
    }
    writeln!(
        out,
        "  Notes are files ending in {}, up to {}; links are {}followed; a search may take {}; up to {} of notes are kept in memory.",
        options.extensions.iter().map(|extension| format!(".{extension}")).collect::<Vec<_>>().join(", "),
        size(options.max_file_bytes),
        if options.follow_links { "" } else { "not " },
        seconds(options.search_timeout),
        size(options.cache_bytes)
    )?;
    out.flush()
}

/// Words with blanks in quotes, so that it is clear where each ends.
fn spoken(words: &[String]) -> String {
    let quoted = |word: &String| if word.contains(char::is_whitespace) { format!("{word:?}") } else { word.clone() };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// What the server told its clients.
pub(super) fn as_a_client_sees_it(seen: &Seen, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "\n{HEADING}What a client sees{HEADING:#}")?;
    writeln!(out, "  The server started and gave its first answer in {}.", time(seen.started_in))?;
    writeln!(
        out,
        "  It speaks MCP {STATELESS_REVISION} without a handshake, and {} with one.",
        listed(&seen.revisions.iter().rev().map(|&revision| revision.to_owned()).collect::<Vec<_>>())
    )?;
    for (tool, bytes) in &seen.tools {
        writeln!(out, "  Tool {tool}: about {} tokens ({} bytes).", number(tokens(*bytes)), number(*bytes as u64))?;
    }
    writeln!(out, "  Instructions to the model: about {} tokens.", number(tokens(seen.instructions)))?;
    let Some(tried) = &seen.tried else { return Ok(()) };
    writeln!(
        out,
        "  read_note opened the newest note, {}: {} line{}.",
        tried.file,
        number(tried.lines),
        plural(tried.lines)
    )?;
    if let Some((word, total, notes, _)) = &tried.search {
        writeln!(
            out,
            "  search_notes for \"{word}\" found {} hit{} in {} note{}.",
            number(*total),
            plural(*total),
            number(*notes),
            plural(*notes)
        )?;
    }
    Ok(())
}

/// How many notes of which kind there are, from when, and what is left out.
pub(super) fn of_the_notes(survey: &Survey, options: &Options, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "\n{HEADING}What is in the folder{HEADING:#}")?;
    let notes = survey.notes();
    let kinds = |counts: Vec<(u64, String)>| {
        let mut counts = counts;
        counts.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
        amounts(&counts, MAX_KINDS)
    };
    if notes == 0 {
        writeln!(out, "  No note.")?;
    } else {
        let extensions = survey.extensions.iter().map(|(name, count)| (*count, extension_name(name))).collect();
        let encodings = survey.encodings.iter().map(|(name, count)| (*count, (*name).to_owned())).collect();
        writeln!(out, "  {} note{}, {}: {}.", number(notes), plural(notes), size(survey.bytes), kinds(extensions))?;
        writeln!(out, "  Encodings: {}.", kinds(encodings))?;
    }
    if let Some((first, last)) = survey.span {
        if first == last {
            writeln!(out, "  The notes are dated {first}.")?;
        } else {
            writeln!(out, "  The notes are dated {first} to {last}.")?;
        }
    }
    if survey.undated > 0 {
        let whose =
            if survey.undated == 1 { "says no day itself and counts" } else { "say no day themselves and count" };
        writeln!(out, "  Of them, {} {whose} by the day the file was last modified.", number(survey.undated))?;
    }
    let mut has_left_out = false;
    for (reason, (count, first)) in &survey.left_out {
        has_left_out = true;
        writeln!(out, "  Left out: {} {}{}.", number(*count), why(*reason, *count, options), example(*count, first))?;
    }
    if !has_left_out {
        writeln!(out, "  Nothing is left out.")?;
    }
    Ok(())
}

/// The first of several, or the only one.
pub(super) fn example(count: u64, first: &str) -> String {
    if count == 1 { format!(": {first}") } else { format!(", such as {first}") }
}

/// What was left out, and why.
fn why(reason: NotANote, count: u64, options: &Options) -> String {
    let s = plural(count);
    let (is, has) = if count == 1 { ("is", "has") } else { ("are", "have") };
    match reason {
        NotANote::Hidden => format!("name{s} beginning with a dot"),
        NotANote::NodeModules => format!("folder{s} called node_modules"),
        NotANote::Excluded => format!("name{s} that --exclude leaves out"),
        NotANote::Extension => format!("file{s} with another extension"),
        NotANote::Link => {
            let way =
                if options.follow_links { "that leads out, in a circle or nowhere" } else { "(see --follow-links)" };
            format!("symbolic link{s} {way}")
        }
        NotANote::NotRegular => format!("pipe{s}, socket{s} or device{s}"),
        NotANote::Binary => format!("file{s} that {is} binary ({has} a NUL byte near the beginning)"),
        NotANote::TooLarge => format!("file{s} over {} (see --max-file-size)", size(options.max_file_bytes)),
        NotANote::Unreadable => format!("file{s} or folder{s} that the system does not let this program read"),
    }
}

/// How fast it is here.
pub(super) fn of_the_time(seen: &Seen, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "\n{HEADING}How fast it is here{HEADING:#}")?;
    writeln!(
        out,
        "  The first search read {}: {}.",
        if seen.notes == 1 { "the note".to_owned() } else { format!("all {} notes", number(seen.notes)) },
        time(seen.cold)
    )?;
    if let Some((_, _, _, warm)) = seen.tried.as_ref().and_then(|tried| tried.search.as_ref()) {
        writeln!(out, "  A search after that took {}.", time(*warm))?;
    }
    Ok(())
}

/// What to type next.
pub(super) fn next_step(options: &Options) -> String {
    let is_plain = |char: char| char.is_alphanumeric() || "-_./:=,\\".contains(char);
    let quoted = |word: String| if word.chars().all(is_plain) { word } else { format!("\"{word}\"") };
    let folder = options.notes_dir.to_string_lossy().into_owned();
    let words: Vec<String> = options.given().into_iter().chain([folder]).map(quoted).collect();
    format!("To add this server to a client: note-search-mcp --print-config claude-code {}", words.join(" "))
}

/// Counts with their names, the first `most` of them: `3 .md, 1 .txt and 2 others`.
pub(super) fn amounts(counts: &[(u64, String)], most: usize) -> String {
    let mut named: Vec<String> =
        counts.iter().take(most).map(|(count, name)| format!("{} {name}", number(*count))).collect();
    let rest: u64 = counts.iter().skip(most).map(|(count, _)| count).sum();
    if rest > 0 {
        named.push(format!("{} other{}", number(rest), plural(rest)));
    }
    listed(&named)
}

/// An extension as people write it.
pub(super) fn extension_name(extension: &str) -> String {
    if extension.is_empty() { "without extension".to_owned() } else { format!(".{extension}") }
}

fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn tokens(bytes: usize) -> u64 {
    bytes.div_ceil(BYTES_PER_TOKEN) as u64
}

/// A number with commas between thousands.
fn number(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn size(bytes: u64) -> String {
    const UNITS: [&str; 3] = ["KiB", "MiB", "GiB"];
    if bytes < 1024 {
        return format!("{bytes} byte{}", plural(bytes));
    }
    let mut value = bytes as f64 / 1024.0;
    let mut unit = UNITS[0];
    for larger in &UNITS[1..] {
        if value < 1024.0 {
            break;
        }
        value /= 1024.0;
        unit = larger;
    }
    let digits = usize::from(value < 10.0 && value.fract() > 0.05);
    format!("{value:.digits$} {unit}")
}

fn time(time: Duration) -> String {
    match time.as_millis() {
        0 => "less than 1 ms".to_owned(),
        milliseconds @ 1..1_000 => format!("{milliseconds} ms"),
        _ => format!("{:.1} s", time.as_secs_f64()),
    }
}

fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    format!("{seconds} second{}", if time == Duration::from_secs(1) { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_sizes_and_times_are_written_for_people() {
        let numbers = [0, 999, 1_000, 1_234_567].map(number);
        assert_eq!(numbers, ["0", "999", "1,000", "1,234,567"]);
        let sizes = [1, 1023, 1024, 1536, 64 << 20, (1 << 30) + (1 << 29)].map(size);
        assert_eq!(sizes, ["1 byte", "1023 bytes", "1 KiB", "1.5 KiB", "64 MiB", "1.5 GiB"]);
        let times = [0.0001, 0.0123, 0.9999, 1.26].map(|seconds| time(Duration::from_secs_f64(seconds)));
        assert_eq!(times, ["less than 1 ms", "12 ms", "999 ms", "1.3 s"]);
    }

    #[test]
    fn long_lists_end_in_a_sum() {
        let counts = [(1_200, ".md".to_owned()), (3, ".txt".to_owned()), (1, ".org".to_owned()), (1, ".x".to_owned())];
        assert_eq!(amounts(&counts, 2), "1,200 .md, 3 .txt and 2 others");
        assert_eq!(amounts(&counts[..2], 2), "1,200 .md and 3 .txt");
        assert_eq!(amounts(&counts[..1], 2), "1,200 .md");
    }
}
