//! Names near a name that is not there: for "did you mean".
//!
//! Compared folded, by edit distance: of the whole name, of its beginning, of its words.

use std::collections::BTreeSet;

use rapidfuzz::distance::{jaro_winkler, osa};

use super::fold::fold;
use super::path::{last_name, without_extension};
use super::record::Facts;

/// Below this likeness (0 to 1) a name is no help.
const MIN_LIKENESS: f64 = 0.6;

/// Names longer than this are compared by their beginning: the distance takes time in proportion to the product of lengths.
const MAX_COMPARED_CHARACTERS: usize = 64;

/// What being near to a single word of a name, or to its beginning, is worth beside being near to all of it.
const WORD_SHARE: f64 = 0.9;

/// A wanted name, ready to be compared with many.
pub struct Wanted {
    characters: usize,
    letters: Letters,
    comparator: osa::BatchComparator<char>,
}

/// The names nearest to a wanted one.
#[derive(Debug)]
pub struct Nearest {
    most: usize,
    best: Vec<Near>,
}

/// A name that is near.
#[derive(Debug, Clone, PartialEq)]
struct Near {
    likeness: f64,
    title: String,
    path: String,
}

impl Wanted {
    /// A name to look for.
    pub fn new(name: &str) -> Self {
        let wanted = prepared(name);
        Self {
            characters: wanted.chars().count(),
            letters: Letters::of(&wanted),
            comparator: osa::BatchComparator::new(wanted.chars()),
        }
    }

    /// How alike a folded name is, from 0 to 1; below [`MIN_LIKENESS`] just 0.
    fn likeness(&self, folded: &str) -> f64 {
        let end = folded.char_indices().nth(MAX_COMPARED_CHARACTERS).map_or(folded.len(), |(at, _)| at);
        let name = &folded[..end];
        if self.characters == 0 || !self.letters.are_mostly_in(Letters::of(name)) {
            return 0.0;
        }
        let compare = |part: &str, share: f64, least: f64| {
            let args = osa::Args::default().score_cutoff((least / share).min(1.0));
            self.comparator
                .normalized_similarity_with_args(part.chars(), &args)
                .map_or(0.0, |likeness| likeness * share)
        };
        let mut best = compare(name, 1.0, MIN_LIKENESS);
        if name.chars().count() > self.characters {
            let head = name.char_indices().nth(self.characters).map_or(name, |(at, _)| &name[..at]);
            best = best.max(compare(head, WORD_SHARE, best.max(MIN_LIKENESS)));
        }
        for word in
            name.split(|char: char| !char.is_alphanumeric()).filter(|word| word.len() > 1 && word.len() < name.len())
        {
            best = best.max(compare(word, WORD_SHARE, best.max(MIN_LIKENESS)));
        }
        best
    }
}

impl Nearest {
    /// An empty list for at most so many names.
    pub fn new(most: usize) -> Self {
        Self { most, best: Vec::new() }
    }

    /// Considers a note by its names: path without extension, title, aliases.
    pub fn consider(&mut self, wanted: &Wanted, facts: &Facts, path: impl FnOnce() -> String) {
        if !wanted.letters.are_mostly_in(facts.name_letters) {
            return;
        }
        let mut names = facts.folded_names.lines();
        let file = names.next().map_or(0.0, |path| wanted.likeness(last_name(path)));
        let likeness = names.fold(file, |best, name| best.max(wanted.likeness(name)));
        if likeness >= MIN_LIKENESS {
            self.keep(Near { likeness, title: facts.title.to_string(), path: path() });
        }
    }

    /// Considers a path, by itself and by its last name.
    pub fn consider_path(&mut self, wanted: &Wanted, folded: &str, path: &str) {
        let bare = without_extension(folded);
        let likeness = wanted.likeness(bare).max(wanted.likeness(folded)).max(wanted.likeness(last_name(bare)));
        if likeness >= MIN_LIKENESS {
            self.keep(Near { likeness, title: String::new(), path: path.to_owned() });
        }
    }

    fn keep(&mut self, near: Near) {
        if let Some(known) = self.best.iter_mut().find(|known| known.path == near.path) {
            known.likeness = known.likeness.max(near.likeness);
        } else {
            self.best.push(near);
        }
        self.best.sort_by(|one, other| other.likeness.total_cmp(&one.likeness).then_with(|| one.path.cmp(&other.path)));
        self.best.truncate(self.most);
    }

    /// Takes over what another list has found.
    pub fn merge(&mut self, other: Self) {
        other.best.into_iter().for_each(|near| self.keep(near));
    }

    /// The nearest, best first: title and path.
    pub fn best(&self) -> Vec<(String, String)> {
        self.best.iter().map(|near| (near.title.clone(), near.path.clone())).collect()
    }

    /// The paths of the nearest, best first.
    pub fn paths(&self) -> Vec<String> {
        self.best.iter().map(|near| near.path.clone()).collect()
    }
}

fn prepared(name: &str) -> String {
    fold(name).chars().take(MAX_COMPARED_CHARACTERS).collect()
}

/// The letters and pairs of letters in a text, as two small sets with collisions: what shares few of them is not near.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Letters {
    single: u64,
    pairs: u128,
}

impl Letters {
    /// The letters of a folded text.
    pub fn of(folded: &str) -> Self {
        let mut letters = Self::default();
        let mut before = ' ';
        for char in folded.chars() {
            if char.is_alphanumeric() {
                letters.single |= 1 << (char as u32 % 64);
                if before != ' ' {
                    letters.pairs |= 1 << ((before as u32).wrapping_mul(31).wrapping_add(char as u32) % 128);
                }
                before = char;
            } else {
                before = ' ';
            }
        }
        letters
    }

    /// Whether a name with these letters may be near this one: it has three fifths of its letters and, unless there are
    /// hardly any, two fifths of its pairs.
    fn are_mostly_in(self, name: Self) -> bool {
        let missing = (self.single & !name.single).count_ones();
        let missing_pairs = (self.pairs & !name.pairs).count_ones();
        let pairs = self.pairs.count_ones();
        missing * 5 <= self.single.count_ones() * 2 && (pairs < 6 || missing_pairs * 5 <= pairs * 3)
    }
}

/// The nearest of a few words to a given one, if any is near: for arguments, values, headings.
pub fn nearest_word<'a>(wanted: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = prepared(wanted);
    let mut best: Option<(f64, &str)> = None;
    for word in words {
        let folded = prepared(word);
        let likeness = osa::normalized_similarity(wanted.chars(), folded.chars());
        let likeness = likeness.max(jaro_winkler::similarity(wanted.chars(), folded.chars()) - 0.25);
        if likeness >= 0.6 && best.is_none_or(|(most, _)| likeness > most) {
            best = Some((likeness, word));
        }
    }
    best.map(|(_, word)| word)
}

/// Names without repetition, in order: for lists of candidates.
pub fn distinct(names: impl IntoIterator<Item = String>) -> Vec<String> {
    names.into_iter().collect::<BTreeSet<_>>().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(wanted: &str, names: &[&str]) -> Vec<String> {
        let wanted = Wanted::new(wanted);
        let mut nearest = Nearest::new(3);
        for name in names {
            let facts = Facts::of(&format!("# {name}\n"), "x.md");
            nearest.consider(&wanted, &facts, || format!("{name}.md"));
        }
        nearest.best().into_iter().map(|(title, _)| title).collect()
    }

    #[test]
    fn slips_lead_to_the_name_that_was_meant() {
        let names = ["Project plan", "Sourdough starter", "Kitchen", "适者生存读书笔记", "other"];
        assert_eq!(best("prject plan", &names), ["Project plan"]);
        assert_eq!(best("sourdogh startr", &names), ["Sourdough starter"]);
        assert_eq!(best("适者生存读书笔计", &names), ["适者生存读书笔记"]);
        assert_eq!(best("zzqqxx", &names), [""; 0]);
    }

    #[test]
    fn words_are_matched_by_nearness() {
        assert_eq!(nearest_word("newst", ["relevance", "newest", "oldest"]), Some("newest"));
        assert_eq!(nearest_word("title", ["all", "titles", "body"]), Some("titles"));
        assert_eq!(nearest_word("日期", ["relevance", "newest"]), None);
    }
}
