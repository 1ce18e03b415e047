//! What is looked for, and whether and where one note holds it. No ranking, no files.
//!
//! Words and phrases are looked for as literal substrings of folded text (`lines`); a regular expression is run on each
//! line as decoded (`pattern`).

mod lines;
mod pattern;

use std::ops::Range;

use regex_automata::meta::BuildError;

use super::fold::fold;
use super::glance::Glance;
use super::record::{Facts, Kept, Record};
use lines::{Word, body_start, in_folded, in_unfolded, lines_of, words_in};
use pattern::Pattern;

/// Words beyond this many would not fit in a [`WordSet`]; a keyword of 200 characters holds at most 100.
pub const MAX_WORDS: usize = 127;

/// Matches in a line that are looked at for its excerpt, at most.
const MAX_MATCHES: usize = 64;

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
    Regex(Box<Pattern>),
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

/// The text of a note in which a query is looked for.
#[derive(Debug, Clone, Copy)]
pub enum Source<'a> {
    /// Folded line for line.
    Folded(&'a str),
    /// As decoded: for a pattern, and for notes that are too large to be folded whole.
    Unfolded(&'a str),
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
    /// The pattern is no regular expression, or too large when compiled.
    pub fn regex(pattern: &str, scope: Scope) -> Result<Self, Box<BuildError>> {
        Ok(Self { looked_for: LookedFor::Regex(Box::new(Pattern::new(pattern)?)), scope, exact: None })
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

    /// The words of a phrase, each for itself; `None` when there are not several.
    pub fn apart(&self) -> Option<Self> {
        let LookedFor::Words(words) = &self.looked_for else { return None };
        let [phrase] = &words[..] else { return None };
        let apart = Self::words(&phrase.written, self.scope);
        (apart.count() > 1).then_some(apart)
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
        if let LookedFor::Regex(pattern) = &self.looked_for {
            return self.pattern_by_names(pattern, facts);
        }
        let LookedFor::Words(words) = &self.looked_for else { return Holding::default() };
        let names = &facts.folded_names;
        // Most notes hold no word there.
        if words_in(words, names) == 0 && words_in(words, &facts.folded_tags) == 0 {
            return Holding::default();
        }
        let mut lines = names.lines();
        let path = lines.next().unwrap_or_default();
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut holding = Holding {
            in_names: std::iter::once(name).chain(lines).fold(0, |found, name| found | words_in(words, name)),
            in_folders: words_in(words, folders),
            in_tags: facts.folded_tags.lines().fold(0, |found, tag| found | words_in(words, tag)),
            ..Holding::default()
        };
        let exact = self.exact.as_deref();
        holding.is_exact = exact.is_some_and(|exact| exact == name || names.lines().any(|name| name == exact));
        // A word may also span folder and name: `2026/nyc`.
        holding.in_titles = holding.in_names | holding.in_folders | words_in(words, path);
        if self.scope != Scope::Body {
            holding.words = holding.in_titles;
        }
        holding
    }

    /// A pattern is run on the whole path, the title and each alias.
    fn pattern_by_names(&self, pattern: &Pattern, facts: &Facts) -> Holding {
        let is_in = facts.names.lines().any(|name| pattern.is_match(name, &|| true));
        let words = WordSet::from(is_in);
        let in_scope = if self.scope == Scope::Body { 0 } else { words };
        Holding { in_names: words, in_titles: words, words: in_scope, ..Holding::default() }
    }

    /// What of the query a note holds. `go_on` is asked now and then during long work.
    pub fn look(&self, source: Source, facts: &Facts, go_on: &dyn Fn() -> bool) -> Holding {
        let mut holding = self.by_names(facts);
        if let (Source::Folded(text), LookedFor::Words(words)) = (source, &self.looked_for)
            && words.len() > 1
            && self.scope != Scope::Titles
        {
            let from = if self.scope == Scope::Body { body_start(text, facts) } else { 0 };
            holding.words |= words_in(words, &text[from..]);
            if holding.words != self.all_words() {
                return holding; // no match, so its lines are of no interest
            }
        }
        let Holding { words, lines, occurrences, most_on_a_line, in_headings, .. } = &mut holding;
        self.each_line(source, facts, go_on, |number, found, counts| {
            *words |= found;
            *lines = lines.saturating_add(1);
            *most_on_a_line = (*most_on_a_line).max(found.count_ones());
            occurrences.resize(counts.len(), 0);
            for (sum, count) in occurrences.iter_mut().zip(counts) {
                *sum = sum.saturating_add(*count);
            }
            if facts.heading_lines.binary_search(&u32::try_from(number).unwrap_or(u32::MAX)).is_ok() {
                *in_headings |= found;
            }
        });
        holding.in_titles |= holding.in_headings;
        holding
    }

    /// Shows the lines that hold some of the words, in order.
    pub fn each_hit(&self, source: Source, facts: &Facts, go_on: &dyn Fn() -> bool, mut see: impl FnMut(HitLine)) {
        self.each_line(source, facts, go_on, |number, found, _counts| {
            see(HitLine { line: u32::try_from(number).unwrap_or(u32::MAX), words: found.count_ones() });
        });
    }

    /// Shows every line of the scope that holds a word: its number, the words, how often each occurs.
    fn each_line(
        &self,
        source: Source,
        facts: &Facts,
        go_on: &dyn Fn() -> bool,
        mut see: impl FnMut(usize, WordSet, &[u32]),
    ) {
        match (&self.looked_for, source) {
            (LookedFor::Everything, _) => {}
            (LookedFor::Words(words), Source::Unfolded(text)) => {
                in_unfolded(words, text, self.scope, facts, go_on, see);
            }
            (LookedFor::Words(words), Source::Folded(text)) => match self.scope {
                Scope::All => in_folded(words, text, 0, 1, see),
                Scope::Body => in_folded(words, text, body_start(text, facts), facts.front_lines as usize + 1, see),
                Scope::Titles => {
                    for (number, line) in lines_of(text, self.scope, facts) {
                        in_folded(words, line, 0, number, &mut see);
                    }
                }
            },
            (LookedFor::Regex(pattern), Source::Folded(text) | Source::Unfolded(text)) => {
                for (number, line) in lines_of(text, self.scope, facts) {
                    if pattern.is_match(line, go_on) {
                        see(number, 1, &[1]);
                    }
                    if number % 64 == 0 && !go_on() {
                        return;
                    }
                }
            }
        }
    }

    /// The matches in one line, as byte ranges of the text that was searched, with the index of their word; the first few.
    pub fn matches_in(&self, line: &str) -> Vec<(usize, Range<usize>)> {
        let mut found: Vec<(usize, Range<usize>)> = Vec::new();
        match &self.looked_for {
            LookedFor::Everything => {}
            LookedFor::Words(words) => {
                for (index, word) in words.iter().enumerate() {
                    found.extend(word.places(line).take(MAX_MATCHES).map(|at| (index, at..at + word.folded.len())));
                }
            }
            LookedFor::Regex(pattern) => {
                found.extend(pattern.matches(line, MAX_MATCHES).into_iter().map(|range| (0, range)));
            }
        }
        found.sort_by_key(|(_, range)| range.start);
        found
    }
}
