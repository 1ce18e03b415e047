//! What is looked for, and whether and where one note holds it. No ranking, no files.
//!
//! Words and phrases are looked for as literal substrings of folded text; a regex is run on each line as decoded.

use memchr::memmem::Finder;
use regex::{Regex, RegexBuilder};

use super::fold::fold;
use super::glance::Glance;
use super::record::{Facts, Kept, Record};
use super::signature::Stretches;

/// Compiled regexes larger than this are refused, in bytes; the regex crate's own default.
const MAX_REGEX_BYTES: usize = 10 * 1024 * 1024;

/// Words beyond this many would not fit in a [`WordSet`]; a keyword of 200 characters holds at most 100.
const MAX_WORDS: usize = 128;

/// Which part of a note is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Path, title, aliases and every line.
    All,
    /// Path, title, aliases and heading lines.
    Titles,
    /// The lines after the front matter.
    Body,
}

/// A set of a query's words, by their index.
pub type WordSet = u128;

/// What is looked for.
#[derive(Debug)]
pub struct Query {
    looked_for: LookedFor,
    /// Where.
    pub scope: Scope,
    /// The whole keyword folded: a note with this name or title comes first.
    exact: Option<String>,
}

#[derive(Debug)]
enum LookedFor {
    Everything,
    Words(Vec<Word>),
    Regex(Box<Regex>),
}

/// A literal that must occur.
#[derive(Debug)]
struct Word {
    written: String,
    folded: String,
    finder: Finder<'static>,
    stretches: Stretches,
}

impl Word {
    fn new(written: &str) -> Self {
        let folded = fold(written);
        Self {
            written: written.to_owned(),
            finder: Finder::new(folded.as_bytes()).into_owned(),
            stretches: Stretches::of(&folded),
            folded,
        }
    }
}

impl Word {
    /// A phrase with a line end in it stands in no line.
    fn never(&self) -> bool {
        self.folded.is_empty() || self.folded.contains('\n')
    }
}

/// What of a query a note holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Holding {
    /// The words that occur in the searchable text.
    pub words: WordSet,
    /// Lines of the scope that hold at least one word.
    pub lines: u32,
    /// How often each word occurs in those lines.
    pub occurrences: Vec<u32>,
    /// The most different words on one line.
    pub most_on_a_line: u32,
    /// The words in heading lines.
    pub in_headings: WordSet,
    /// The words in file name, title or aliases.
    pub in_names: WordSet,
    /// The words in the names of the folders above.
    pub in_folders: WordSet,
    /// The words in the path, title, aliases or heading lines: what `titles` would search.
    pub in_titles: WordSet,
    /// The words in tags.
    pub in_tags: WordSet,
    /// The whole keyword is the name, the title or an alias.
    pub is_exact: bool,
}

/// A line that holds some of the words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HitLine {
    /// Its number, from 1.
    pub line: u32,
    /// How many different words it holds.
    pub words: u32,
}

impl Query {
    /// Every note, found by its name.
    pub fn everything() -> Self {
        Self { looked_for: LookedFor::Everything, scope: Scope::All, exact: None }
    }

    /// Every word, parted by blanks, must occur.
    pub fn words(keyword: &str, scope: Scope) -> Self {
        let mut words: Vec<Word> = Vec::new();
        for word in keyword.split_whitespace().map(Word::new).take(MAX_WORDS) {
            if words.iter().all(|known| known.folded != word.folded) {
                words.push(word);
            }
        }
        let exact = fold(&keyword.split_whitespace().collect::<Vec<_>>().join(" "));
        Self { looked_for: LookedFor::Words(words), scope, exact: Some(exact) }
    }

    /// The keyword as it stands must occur.
    pub fn phrase(keyword: &str, scope: Scope) -> Self {
        Self { looked_for: LookedFor::Words(vec![Word::new(keyword)]), scope, exact: Some(fold(keyword)) }
    }

    /// A line must match the pattern, in any case.
    ///
    /// # Errors
    /// The pattern is no regex, or too large when compiled.
    pub fn regex(pattern: &str, scope: Scope) -> Result<Self, regex::Error> {
        let regex = RegexBuilder::new(pattern).case_insensitive(true).size_limit(MAX_REGEX_BYTES).build()?;
        Ok(Self { looked_for: LookedFor::Regex(Box::new(regex)), scope, exact: None })
    }

    /// The same, looked for everywhere in a note.
    #[must_use]
    pub fn widened(&self) -> Self {
        let looked_for = match &self.looked_for {
            LookedFor::Everything => LookedFor::Everything,
            LookedFor::Words(words) => LookedFor::Words(words.iter().map(|word| Word::new(&word.written)).collect()),
            LookedFor::Regex(regex) => LookedFor::Regex(regex.clone()),
        };
        Self { looked_for, scope: Scope::All, exact: None }
    }

    /// Whether every note is meant.
    pub fn is_everything(&self) -> bool {
        matches!(self.looked_for, LookedFor::Everything)
    }

    /// Whether lines are matched as decoded, so that the folded text is of no use.
    pub fn needs_original(&self) -> bool {
        matches!(self.looked_for, LookedFor::Regex(_))
    }

    /// The words as the caller wrote them; the pattern of a regex counts as one.
    pub fn written_words(&self) -> Vec<String> {
        match &self.looked_for {
            LookedFor::Everything => Vec::new(),
            LookedFor::Words(words) => words.iter().map(|word| word.written.clone()).collect(),
            LookedFor::Regex(regex) => vec![regex.as_str().to_owned()],
        }
    }

    /// A quick look for notes of which nothing is known yet, where the words allow it.
    pub fn glance(&self) -> Option<Glance> {
        match &self.looked_for {
            LookedFor::Words(words) if self.scope == Scope::All => {
                Glance::new(words.iter().map(|word| word.folded.as_str()))
            }
            _ => None,
        }
    }

    /// How many words there are.
    pub fn count(&self) -> usize {
        match &self.looked_for {
            LookedFor::Everything => 0,
            LookedFor::Words(words) => words.len(),
            LookedFor::Regex(_) => 1,
        }
    }

    /// All of the words.
    pub fn all_words(&self) -> WordSet {
        (1 << self.count()) - 1
    }

    /// What the record alone can tell: `None` when the text must be looked at, else the words in the names, when a
    /// signature proves that no word occurs anywhere else.
    pub fn by_record(&self, record: &Record, facts: &Facts) -> Option<Holding> {
        match &self.looked_for {
            LookedFor::Everything => Some(Holding::default()),
            LookedFor::Regex(_) => None,
            LookedFor::Words(words) => match &record.kept {
                Kept::Signature(signature) if words.iter().all(|word| !signature.may_hold(&word.stretches)) => {
                    Some(self.by_names(facts))
                }
                _ => None,
            },
        }
    }

    /// The words in names and tags.
    fn by_names(&self, facts: &Facts) -> Holding {
        let names = if self.needs_original() { &facts.names } else { &facts.folded_names };
        // Most notes hold no word there, and a pattern may need a line of its own.
        if !self.needs_original() && self.words_in(names) == 0 && self.words_in(&facts.folded_tags) == 0 {
            return Holding::default();
        }
        let mut lines = names.lines();
        let path = lines.next().unwrap_or_default();
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut holding = Holding {
            in_names: std::iter::once(name).chain(lines).fold(0, |found, name| found | self.words_in(name)),
            in_folders: self.words_in(folders),
            in_tags: facts.folded_tags.lines().fold(0, |found, tag| found | self.words_in(tag)),
            ..Holding::default()
        };
        let exact = self.exact.as_deref();
        holding.is_exact = exact.is_some_and(|exact| exact == name || names.lines().any(|name| name == exact));
        // A word may also span folder and name: `2026/nyc`.
        holding.in_titles = holding.in_names | holding.in_folders | self.words_in(path);
        if self.scope != Scope::Body {
            holding.words = holding.in_titles;
        }
        holding
    }

    fn words_in(&self, text: &str) -> WordSet {
        match &self.looked_for {
            LookedFor::Everything => 0,
            LookedFor::Words(words) => {
                let holds = |word: &Word| !word.never() && word.finder.find(text.as_bytes()).is_some();
                words.iter().enumerate().fold(0, |found, (index, word)| found | WordSet::from(holds(word)) << index)
            }
            LookedFor::Regex(regex) => WordSet::from(regex.is_match(text)),
        }
    }

    /// What of the query a note holds. `text` is folded, or as decoded when the query [needs it](Self::needs_original).
    pub fn look(&self, text: &str, facts: &Facts) -> Holding {
        let mut holding = self.by_names(facts);
        if self.count() > 1 && self.scope != Scope::Titles {
            let from = if self.scope == Scope::Body { body_start(text, facts) } else { 0 };
            holding.words |= self.words_in(&text[from..]);
            if holding.words != self.all_words() {
                return holding; // no match, so its lines are of no interest
            }
        }
        let Holding { words, lines, occurrences, most_on_a_line, in_headings, .. } = &mut holding;
        let mut headings = HeadingLines::new(text, facts);
        self.each_line(text, facts, |start, _line, found, counts| {
            *words |= found;
            *lines = lines.saturating_add(1);
            *most_on_a_line = (*most_on_a_line).max(found.count_ones());
            occurrences.resize(counts.len(), 0);
            for (sum, count) in occurrences.iter_mut().zip(counts) {
                *sum = sum.saturating_add(*count);
            }
            if headings.stands_at(start) {
                *in_headings |= found;
            }
        });
        holding.in_titles |= holding.in_headings;
        holding
    }

    /// The lines that hold some of the words, in order.
    pub fn hit_lines(&self, text: &str, facts: &Facts) -> Vec<HitLine> {
        let mut hits = Vec::new();
        let mut counted = (0, 1_u32);
        self.each_line(text, facts, |start, _line, found, _counts| {
            let ends = memchr::memchr_iter(b'\n', &text.as_bytes()[counted.0..start]).count();
            counted = (start, counted.1.saturating_add(u32::try_from(ends).unwrap_or(u32::MAX)));
            hits.push(HitLine { line: counted.1, words: found.count_ones() });
        });
        hits
    }

    /// Shows every line of the scope that holds a word: where it starts, the line, the words, how often each occurs.
    fn each_line(&self, text: &str, facts: &Facts, mut see: impl FnMut(usize, &str, WordSet, &[u32])) {
        match &self.looked_for {
            LookedFor::Everything => {}
            LookedFor::Words(words) => match self.scope {
                Scope::Titles => {
                    let mut counts = vec![0; words.len()];
                    for (start, line) in heading_lines(text, facts) {
                        let found = self.words_in(line);
                        if found != 0 {
                            for (count, word) in counts.iter_mut().zip(words) {
                                *count =
                                    u32::try_from(word.finder.find_iter(line.as_bytes()).count()).unwrap_or(u32::MAX);
                            }
                            see(start, line, found, &counts);
                        }
                    }
                }
                Scope::All => each_line_with(words, text, 0, see),
                Scope::Body => each_line_with(words, text, body_start(text, facts), see),
            },
            LookedFor::Regex(regex) => {
                let from = if self.scope == Scope::Body { body_start(text, facts) } else { 0 };
                let mut one = |start: usize, line: &str| {
                    if regex.is_match(line) {
                        see(start, line, 1, &[1]);
                    }
                };
                if self.scope == Scope::Titles {
                    heading_lines(text, facts).for_each(|(start, line)| one(start, line));
                } else {
                    let mut start = from;
                    for line in text[from..].split_inclusive('\n') {
                        one(start, line.strip_suffix('\n').unwrap_or(line));
                        start += line.len();
                    }
                }
            }
        }
    }

    /// The matches in one line, as byte ranges of the text that was searched, with the index of their word; the first few.
    pub fn matches_in(&self, line: &str) -> Vec<(usize, std::ops::Range<usize>)> {
        const MOST: usize = 64;
        let mut found: Vec<(usize, std::ops::Range<usize>)> = Vec::new();
        match &self.looked_for {
            LookedFor::Everything => {}
            LookedFor::Words(words) => {
                for (index, word) in words.iter().enumerate() {
                    let places = word.finder.find_iter(line.as_bytes()).take(MOST);
                    found.extend(places.map(|at| (index, at..at + word.folded.len())));
                }
            }
            LookedFor::Regex(regex) => found.extend(regex.find_iter(line).take(MOST).map(|found| (0, found.range()))),
        }
        found.sort_by_key(|(_, range)| range.start);
        found
    }
}

/// Every line from `from` that holds one of the words.
fn each_line_with(words: &[Word], text: &str, from: usize, mut see: impl FnMut(usize, &str, WordSet, &[u32])) {
    let bytes = text.as_bytes();
    let find =
        |word: &Word, from: usize| word.finder.find(&bytes[from.min(bytes.len())..]).map_or(usize::MAX, |at| from + at);
    let mut next: Vec<usize> =
        words.iter().map(|word| if word.never() { usize::MAX } else { find(word, from) }).collect();
    if next.iter().all(|at| *at == usize::MAX) {
        return; // what most notes come to
    }
    let mut counts = vec![0; words.len()];
    loop {
        let first = next.iter().copied().min().unwrap_or(usize::MAX);
        if first == usize::MAX {
            return;
        }
        let start = memchr::memrchr(b'\n', &bytes[from..first]).map_or(from, |at| from + at + 1);
        let end = memchr::memchr(b'\n', &bytes[first..]).map_or(bytes.len(), |at| first + at);
        let mut found: WordSet = 0;
        for (index, word) in words.iter().enumerate() {
            counts[index] = 0;
            while next[index] < end {
                counts[index] += 1;
                found |= 1 << index;
                next[index] = find(word, next[index] + word.folded.len());
            }
        }
        see(start, &text[start..end], found, &counts);
    }
}

fn body_start(text: &str, facts: &Facts) -> usize {
    let mut at = 0;
    for _ in 0..facts.front_lines {
        match memchr::memchr(b'\n', &text.as_bytes()[at..]) {
            Some(end) => at += end + 1,
            None => return text.len(),
        }
    }
    at
}

/// The heading lines of a text: where each starts, and the line.
fn heading_lines<'a>(text: &'a str, facts: &'a Facts) -> impl Iterator<Item = (usize, &'a str)> {
    let (mut at, mut number) = (0, 1_u32);
    facts.heading_lines.iter().map_while(move |heading| {
        while number < *heading {
            at += memchr::memchr(b'\n', &text.as_bytes()[at..])? + 1;
            number += 1;
        }
        let end = memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |end| at + end);
        Some((at, &text[at..end]))
    })
}

/// Tells whether a line that is come to in order is a heading.
struct HeadingLines<'a> {
    text: &'a str,
    facts: &'a Facts,
    at: usize,
    number: u32,
    passed: usize,
}

impl<'a> HeadingLines<'a> {
    fn new(text: &'a str, facts: &'a Facts) -> Self {
        Self { text, facts, at: 0, number: 1, passed: 0 }
    }

    fn stands_at(&mut self, start: usize) -> bool {
        let headings = &self.facts.heading_lines;
        if self.passed == headings.len() {
            return false;
        }
        let ends = memchr::memchr_iter(b'\n', &self.text.as_bytes()[self.at..start]).count();
        self.number = self.number.saturating_add(u32::try_from(ends).unwrap_or(u32::MAX));
        self.at = start;
        while headings.get(self.passed).is_some_and(|heading| *heading < self.number) {
            self.passed += 1;
        }
        headings.get(self.passed) == Some(&self.number)
    }
}
