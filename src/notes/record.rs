//! What is known of a note once it has been read: its metadata, and its folded text or a signature of it.
//!
//! A record describes one version of a file, named by its [`Stamp`]. It is made from bytes; who reads them, and how long a
//! record is kept, is the business of `scan` and `cache`.

use std::collections::HashSet;

use jiff::civil::Date;

use super::cache::Charge;
use super::date::day_in_name;
use super::fold::{fold, fold_into};
use super::folder::Stamp;
use super::front_matter;
use super::nearest::Letters;
use super::outline::{self, Heading, MAX_HEADINGS};
use super::path::{last_name, without_extension};
use super::signature::Signature;
use super::text::count_lines;

/// What is kept of a note's folded text.
#[derive(Debug)]
pub enum Kept {
    /// The whole text, line for line.
    Folded(Box<str>),
    /// A signature that can prove a word absent.
    Signature(Signature),
    /// Nothing: the note is read again each time.
    Nothing,
}

/// A version of a file that has a note's name.
#[derive(Debug)]
pub struct Record {
    /// Which version.
    pub stamp: Stamp,
    /// Whether the stamp proves that the file has not changed; not so when it was written just before it was read.
    pub is_settled: bool,
    /// `None` for a binary file, which is no note.
    pub facts: Option<Facts>,
    /// What is kept of its text.
    pub kept: Kept,
    /// What it costs of the cache, given back when the record goes.
    pub charge: Option<Charge>,
}

impl Record {
    /// Whether the record is of the version of a file that has this stamp, for certain.
    pub fn is_fresh(&self, stamp: &Stamp) -> bool {
        self.is_settled && self.stamp == *stamp
    }
}

/// What a note says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Front-matter title, else the first heading of level one, else the name.
    pub title: Box<str>,
    /// The names it is found by, one a line: path without extension, title, aliases.
    pub names: Box<str>,
    /// The same, folded.
    pub folded_names: Box<str>,
    /// The letters in its names, roughly: what has other letters is not near.
    pub name_letters: Letters,
    /// Its tags, folded, one a line.
    pub folded_tags: Box<str>,
    /// The day it is written to be of; `None`: the day it was last modified.
    pub date: Option<Date>,
    /// Length of the text in characters.
    pub characters: u32,
    /// Lines before the body.
    pub front_lines: u32,
    /// The numbers of the heading lines.
    pub heading_lines: Box<[u32]>,
}

/// Everything about a note's text that its metadata comes from.
#[derive(Debug)]
pub struct Metadata {
    /// As in [`Facts`].
    pub title: String,
    /// Other names.
    pub aliases: Vec<String>,
    /// Tags as written, without `#`.
    pub tags: Vec<String>,
    /// As in [`Facts`].
    pub date: Option<Date>,
    /// The headings.
    pub headings: Vec<Heading>,
    /// Lines before the body.
    pub front_lines: usize,
}

impl Metadata {
    /// Reads the metadata of a text whose file has this shown path.
    pub fn read(text: &str, shown_path: &str) -> Self {
        let mut headings = Vec::new();
        let mut metadata = Self::scan(text, shown_path, |line, level, text| {
            if headings.len() < MAX_HEADINGS {
                headings.push(Heading { line, level, text: text.to_owned() });
            }
        });
        metadata.headings = headings;
        metadata
    }

    /// The same, the headings shown and not kept.
    fn scan(text: &str, shown_path: &str, mut see: impl FnMut(usize, usize, &str)) -> Self {
        let is_org = shown_path.to_ascii_lowercase().ends_with(".org");
        let front = front_matter::read(text);
        let mut first = None;
        let inline = outline::scan(text, front.body_at, front.lines, is_org, |line, level, text| {
            if level == 1 && first.is_none() && !text.is_empty() {
                first = Some(text.to_owned());
            }
            see(line, level, text);
        });
        let stem = last_name(without_extension(shown_path));
        let title = front
            .title
            .or_else(|| if is_org { outline::org_title(text).map(str::to_owned) } else { None })
            .or(first)
            .unwrap_or_else(|| stem.to_owned());
        let mut tags = front.tags;
        tags.extend(inline);
        let mut seen = HashSet::new();
        tags.retain(|tag| seen.insert(tag.clone()));
        let date = front.date.or_else(|| day_in_name(stem));
        Self { title, aliases: front.aliases, tags, date, headings: Vec::new(), front_lines: front.lines }
    }
}

impl Facts {
    /// The facts of a note.
    pub fn of(text: &str, shown_path: &str) -> Self {
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let mut heading_lines = Vec::new();
        let metadata = Metadata::scan(text, shown_path, |line, _, _| heading_lines.push(number(line)));
        let mut names = without_extension(shown_path).to_owned();
        for name in std::iter::once(&metadata.title).chain(&metadata.aliases) {
            names.push('\n');
            names.extend(name.chars().map(|char| if char == '\n' { ' ' } else { char }));
        }
        let tags: Vec<String> = metadata.tags.iter().map(|tag| fold(tag)).collect();
        let folded_names = fold(&names);
        Self {
            name_letters: Letters::of(&folded_names),
            folded_names: folded_names.into(),
            names: names.into(),
            title: metadata.title.into(),
            folded_tags: tags.join("\n").into(),
            date: metadata.date,
            characters: number(characters(text.as_bytes())),
            front_lines: number(metadata.front_lines),
            heading_lines: heading_lines.into(),
        }
    }

    /// Whether the note has a tag or one below it (`a` covers `a/b`). The tag is folded, without `#`.
    pub fn has_tag(&self, tag: &str) -> bool {
        self.folded_tags
            .lines()
            .any(|own| own.strip_prefix(tag).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
    }

    /// How much memory it takes, about.
    pub fn bytes(&self) -> usize {
        size_of::<Record>()
            + self.title.len()
            + self.names.len()
            + self.folded_names.len()
            + self.folded_tags.len()
            + self.heading_lines.len() * 4
    }
}

/// The characters of valid UTF-8: the bytes that continue none.
pub fn characters(bytes: &[u8]) -> usize {
    bytecount::num_chars(bytes)
}

/// Folds a text line for line into `out` (cleared first).
pub fn fold_text(text: &str, out: &mut String) {
    out.clear();
    fold_into(text, out);
    debug_assert_eq!(count_lines(text), count_lines(out), "folding keeps lines");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(text: &str, path: &str) -> Facts {
        Facts::of(text, path)
    }

    #[test]
    fn titles_come_from_three_places() {
        for (text, path, title) in [
            ("---\ntitle: Front\n---\n# Head\n", "a.md", "Front"),
            ("## Sub first\n\n# Head #\n", "b.md", "Head"),
            ("just text\n", "d/My File.v2.md", "My File.v2"),
            ("#\n# \n# Second #\n", "c.md", "Second"),
            ("#+title: Trip\n* Day\n", "t.org", "Trip"),
        ] {
            assert_eq!(&*facts(text, path).title, title, "{path}");
        }
    }

    #[test]
    fn a_tag_covers_those_below_it_and_only_those() {
        let facts = facts("---\ntags: [Work/Deep, Café]\n---\n#todo\n", "a.md");
        for (tag, has) in
            [("work", true), ("work/deep", true), ("wor", false), ("deep", false), ("cafe", true), ("todo", true)]
        {
            assert_eq!(facts.has_tag(tag), has, "{tag}");
        }
    }

    #[test]
    fn the_written_date_outranks_the_name() {
        let day = |text, path| facts(text, path).date.map(|date| date.to_string());
        assert_eq!(day("---\ncreated: 2025-01-02\n---\n", "2020-01-01.md").as_deref(), Some("2025-01-02"));
        assert_eq!(day("---\ndate: soon\n---\n", "x 2020-01-01.md").as_deref(), Some("2020-01-01"));
        assert_eq!(day("", "2019-01-01/i.md"), None);
    }
}
