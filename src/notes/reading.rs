//! A note read whole for being shown: its decoded text, its metadata, its sections.
//!
//! How much of it is shown at once is decided by the tool.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Instant;

use jiff::Timestamp;
use jiff::civil::Date;

use super::fold::fold;
use super::folder::{Moment, Stamp};
use super::outline::Heading;
use super::path::NotePath;
use super::reader::{Look, Scratch};
use super::record::Metadata;
use super::resolve::Suffix;
use super::text::{Text, count_lines};
use super::walk::Limits;
use super::{NoteError, Notes, Watch};
use crate::clock::Clock;

/// A note as it is at this moment.
#[derive(Debug)]
pub struct Note {
    /// Its path as shown.
    pub file: String,
    /// The text, LF line ends.
    pub text: String,
    /// How many lines it has.
    pub total_lines: usize,
    /// The encoding's name.
    pub encoding: &'static str,
    /// Title, tags, headings.
    pub metadata: Metadata,
    /// Its day.
    pub date: Date,
    /// When the file was last modified.
    pub modified: Timestamp,
    /// Its size in bytes.
    pub size_bytes: u64,
    /// A hash of the text: another version has another.
    pub version: u64,
}

impl Notes {
    /// Reads the note that a name means.
    ///
    /// # Errors
    /// As [`NoteError`] says: no such note, ambiguous, a folder, outside, not a note.
    pub fn read(&self, name: &str, clock: &Clock, watch: &Watch) -> Result<(Note, Suffix), NoteError> {
        let limits = Limits { watch, deadline: Instant::now() + self.settings.search_timeout };
        let root = self.open_root()?;
        let (path, suffix) = self.resolve(&root, name, &limits)?;
        let gone = || NoteError::NoSuchNote { nearest: Vec::new() };
        let (parent, last) = path.split_last().ok_or_else(gone)?;
        let folder = root.folder(&self.rule, &parent).map_err(|_| gone())?;
        let file = root.file(&self.rule, &folder, last).map_err(|_| gone())?;
        let reader = self.reader();
        let records = self.cache.folder(parent.as_path(), 0);
        Scratch::with(|scratch| {
            let (record, _turn) = match reader.look(&folder, &records, &file, scratch) {
                Look::Note(record, turn) => (record, turn),
                Look::LeftOut(reason) => return Err(NoteError::NotANote { path: path.shown(), reason }),
                Look::Gone => return Err(gone()),
            };
            let Stamp { modified: Moment { seconds, nanoseconds }, size, .. } = record.stamp;
            let modified = Timestamp::new(seconds, nanoseconds).unwrap_or(Timestamp::UNIX_EPOCH);
            let text = reader.text(&folder, &file, scratch).ok_or_else(gone)?;
            Ok((note(&path, text, modified, size, clock), suffix))
        })
    }
}

fn note(path: &NotePath, text: Text<'static>, modified: Timestamp, size_bytes: u64, clock: &Clock) -> Note {
    let file = path.shown();
    let encoding = text.encoding;
    let text = text.text.into_owned();
    let metadata = Metadata::read(&text, &file);
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    Note {
        total_lines: count_lines(&text),
        date: metadata.date.unwrap_or_else(|| clock.day_of(modified)),
        version: hasher.finish(),
        text,
        encoding,
        metadata,
        modified,
        size_bytes,
        file,
    }
}

/// Why a section could not be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoSection {
    /// No heading is called that.
    Missing,
    /// Several are, on these lines.
    Ambiguous(Vec<usize>),
}

impl Note {
    /// The first and last line of the section with this heading: by its text, folded, with or without `#`, or with the
    /// headings above it (`A > B`), as search shows them.
    pub fn section(&self, wanted: &str) -> Result<(usize, usize), NoSection> {
        let headings = &self.metadata.headings;
        let wanted = wanted.trim();
        let bare = wanted.trim_start_matches(['#', '*']).trim();
        let ways: [&dyn Fn(usize) -> bool; 4] = [
            &|index| headings[index].text == wanted,
            &|index| fold(&headings[index].text) == fold(wanted),
            &|index| fold(&headings[index].text) == fold(bare),
            &|index| fold(&plain(&headings[index].text)) == fold(&plain(bare)),
        ];
        let by_text = ways.iter().map(|way| (0..headings.len()).filter(|index| way(*index)).collect::<Vec<_>>());
        for found in by_text.chain(std::iter::once_with(|| by_chain(headings, wanted))) {
            match found[..] {
                [] => {}
                [index] => {
                    let heading = &headings[index];
                    let next = headings[index + 1..].iter().find(|next| next.level <= heading.level);
                    return Ok((heading.line, next.map_or(self.total_lines, |next| next.line - 1)));
                }
                _ => return Err(NoSection::Ambiguous(found.iter().map(|index| headings[*index].line).collect())),
            }
        }
        Err(NoSection::Missing)
    }
}

/// A heading without emphasis, code marks and links' brackets.
fn plain(text: &str) -> String {
    text.replace(['*', '_', '`', '[', ']'], "").trim().to_owned()
}

/// The headings that `wanted` names by those above, `A > B` or `A#B`; outer ones may be left out.
fn by_chain(headings: &[Heading], wanted: &str) -> Vec<usize> {
    let parts: Vec<String> =
        wanted.split(['>', '#']).map(|part| fold(part.trim())).filter(|part| !part.is_empty()).collect();
    let mut found = Vec::new();
    let Some((last, outer)) = parts.split_last().filter(|(_, outer)| !outer.is_empty()) else { return found };
    let mut above: Vec<(usize, String)> = Vec::new();
    for (index, heading) in headings.iter().enumerate() {
        above.retain(|(level, _)| *level < heading.level);
        let text = fold(&heading.text);
        let mut wanted = outer.iter().peekable();
        for (_, text) in &above {
            wanted.next_if(|part| *part == text);
        }
        if text == *last && wanted.peek().is_none() {
            found.push(index);
        }
        above.push((heading.level, text));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note_of(text: &str) -> Note {
        let path = NotePath::parse("a.md").expect("a path inside");
        let text = Text { text: text.to_owned().into(), encoding: "UTF-8" };
        note(&path, text, Timestamp::UNIX_EPOCH, 0, &Clock::system())
    }

    #[test]
    fn a_section_ends_where_the_next_of_its_level_begins() {
        let note = note_of("# One\nintro\n## Two\nin two\n### Three\nx\n## Four\ny\n# Five\nz\n");
        assert_eq!(note.section("Two"), Ok((3, 6)));
        assert_eq!(note.section("## two"), Ok((3, 6)));
        assert_eq!(note.section("One"), Ok((1, 8)));
        assert_eq!(note.section("Five"), Ok((9, 10)));
        assert_eq!(note.section("Nope"), Err(NoSection::Missing));
    }

    #[test]
    fn a_double_heading_is_told_apart_by_those_above() {
        let note = note_of("# One\n## Notes\na\n# Two\n## Notes\nb\n");
        assert_eq!(note.section("Notes"), Err(NoSection::Ambiguous(vec![2, 5])));
        assert_eq!(note.section("Two > Notes"), Ok((5, 6)));
        assert_eq!(note.section("One#Notes"), Ok((2, 3)));
    }
}
