//! The text of one generated note: front matter, headings, paragraphs, lists, tables, fenced code, planted words.
//!
//! It knows nothing of folders on disk and opens no file.

use std::fmt::Write as _;

use super::random::Random;
use super::words::{Lexicon, TAGS, TOP_FOLDERS};

/// What a note should be like.
#[derive(Debug)]
pub struct Plan<'a> {
    /// Its number, which makes its name unique.
    pub number: usize,
    /// How long its text should be, about.
    pub bytes: usize,
    /// Whether it is in Chinese; some of its paragraphs are in the other language.
    pub chinese: bool,
    /// Words to put into it, once each.
    pub planted: &'a [&'static str],
}

/// A note, ready to be written.
#[derive(Debug)]
pub struct Page<'a> {
    /// Its file name.
    pub name: String,
    /// Its text.
    pub text: &'a str,
}

/// Writes one note after the other into the same memory.
#[derive(Debug)]
pub struct Writer {
    english: Lexicon,
    chinese: Lexicon,
    text: String,
}

impl Writer {
    /// A writer with its words learnt.
    pub fn new() -> Self {
        Self { english: Lexicon::english(), chinese: Lexicon::chinese(), text: String::new() }
    }

    /// The path of the folder of this number, two or three deep.
    pub fn folder(&self, number: usize, random: &mut Random) -> String {
        let top = TOP_FOLDERS[number % TOP_FOLDERS.len()];
        let mut path = format!("{top}/{}-{:03}", self.english.name(random), number / TOP_FOLDERS.len());
        if random.chance(50) {
            let _ = write!(path, "/{} {}", self.english.name(random), self.english.name(random));
        }
        path
    }

    /// The name and the text of a note.
    pub fn page(&mut self, plan: &Plan<'_>, random: &mut Random) -> Page<'_> {
        self.text.clear();
        let date = date(random);
        let title = self.title(plan.chinese, random);
        let dated_name = random.chance(30);
        if !dated_name || random.chance(50) {
            self.front_matter(&title, &date, random);
        }
        let _ = write!(self.text, "# {title}\n\n");

        let mut planted = plan.planted.iter();
        let mut next_plant = random.below(plan.bytes.max(1));
        while self.text.len() < plan.bytes {
            if self.text.len() >= next_plant
                && let Some(word) = planted.next()
            {
                self.paragraph(plan.chinese, Some(word), random);
                next_plant = self.text.len() + random.below(plan.bytes.saturating_sub(self.text.len()).max(1));
            }
            self.block(plan.chinese, random);
        }
        for word in planted {
            self.paragraph(plan.chinese, Some(word), random);
        }

        let extension = if random.chance(3) { "txt" } else { "md" };
        let number = plan.number;
        let name = if dated_name {
            format!("{date} {} {number}.{extension}", self.english.name(random))
        } else if plan.chinese {
            format!("{}{} {number}.{extension}", self.chinese.name(random), self.chinese.name(random))
        } else {
            format!("{}-{}-{number}.{extension}", self.english.name(random), self.english.name(random))
        };
        Page { name, text: &self.text }
    }

    fn front_matter(&mut self, title: &str, date: &str, random: &mut Random) {
        let (first, second) = (random.pick(&TAGS), random.pick(&TAGS));
        let tags = match random.below(4) {
            0 => format!("tags:\n  - {first}\n  - {second}"),
            1 => format!("tags: {first}, {second}"),
            2 => format!("tag: {first}"),
            _ => format!("tags: [{first}, {second}]"),
        };
        let date_key = if random.chance(80) { "date" } else { "created" };
        let _ = write!(self.text, "---\ntitle: {title}\n{date_key}: {date}\n{tags}\n---\n\n");
    }

    fn title(&self, chinese: bool, random: &mut Random) -> String {
        let mut title = String::new();
        for place in 0..2 + random.below(4) {
            if chinese {
                title.push_str(self.chinese.name(random));
            } else {
                title.push_str(if place == 0 { "" } else { " " });
                title.push_str(self.english.name(random));
            }
        }
        title
    }

    /// One of the things a note is made of, with an empty line after it.
    fn block(&mut self, chinese: bool, random: &mut Random) {
        match random.below(100) {
            0..12 => {
                let title = self.title(chinese, random);
                let marks = if random.chance(65) { "##" } else { "###" };
                let _ = writeln!(self.text, "{marks} {title}");
            }
            12..32 => {
                let marker = *random.pick(&["- ", "- ", "- [ ] ", "- [x] ", "1. ", "> "]);
                for _ in 0..2 + random.below(6) {
                    self.text.push_str(marker);
                    self.sentence(chinese, None, random);
                    self.text.push('\n');
                }
            }
            32..40 => self.code(random),
            40..44 => {
                self.text.push_str("| a | b |\n|---|---|\n");
                for _ in 0..2 + random.below(5) {
                    let cell = self.title(chinese, random);
                    let _ = writeln!(self.text, "| {cell} | {} |", random.below(10_000));
                }
            }
            // A paragraph ends with its own empty line.
            _ => return self.paragraph(chinese != random.chance(10), None, random),
        }
        self.text.push('\n');
    }

    /// A paragraph is one long line in half of the cases, as some editors write it, and one line a sentence in the other.
    fn paragraph(&mut self, chinese: bool, planted: Option<&str>, random: &mut Random) {
        let one_line = random.chance(50);
        let sentences = 1 + random.below(5);
        let chosen = random.below(sentences);
        for place in 0..sentences {
            self.sentence(chinese, planted.filter(|_| place == chosen), random);
            self.text.push_str(if !one_line {
                "\n"
            } else if chinese {
                ""
            } else {
                " "
            });
        }
        match random.below(20) {
            0 => {
                let _ = write!(self.text, " #{}", random.pick(&TAGS));
            }
            1 => {
                let title = self.title(chinese, random);
                let _ = write!(self.text, " [[{title}]]");
            }
            _ => {}
        }
        self.text.push_str(if self.text.ends_with('\n') { "\n" } else { "\n\n" });
    }

    fn sentence(&mut self, chinese: bool, planted: Option<&str>, random: &mut Random) {
        let words = 4 + random.below(16);
        let chosen = random.below(words);
        for place in 0..words {
            if place > 0 {
                let mark = random.below(12);
                self.text.push_str(match (chinese, mark) {
                    (true, 0) => "，",
                    (true, 1) if place % 5 == 0 => "、",
                    (true, _) => "",
                    (false, 0) => ", ",
                    (false, _) => " ",
                });
            }
            if let Some(word) = planted.filter(|_| place == chosen) {
                self.text.push_str(word);
                self.text.push_str(if chinese { "" } else { " " });
            }
            self.text.push_str(if chinese { self.chinese.word(random) } else { self.english.word(random) });
        }
        self.text.push_str(if chinese { "。" } else { "." });
    }

    /// Fenced code with comments that look like headings.
    fn code(&mut self, random: &mut Random) {
        let language = *random.pick(&["sh", "python", "rust", "toml"]);
        let _ = writeln!(self.text, "```{language}");
        for _ in 0..3 + random.below(8) {
            let (left, right) = (self.english.word(random), self.english.word(random));
            let number = random.below(1_000);
            let _ = match random.below(4) {
                0 => writeln!(self.text, "# {left} {right} {number}"),
                1 => writeln!(self.text, "let {left} = {right}({number});"),
                2 => writeln!(self.text, "{left} --{right}={number}"),
                _ => writeln!(self.text, "    {left}.{right}(\"{number}\")"),
            };
        }
        self.text.push_str("```\n");
    }
}

/// A day between 2019 and the autumn of 2026.
fn date(random: &mut Random) -> String {
    let year = 2019 + random.below(8);
    let month = 1 + random.below(if year == 2026 { 10 } else { 12 });
    format!("{year}-{month:02}-{:02}", 1 + random.below(28))
}
