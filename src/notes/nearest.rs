//! Names near a name that is not there: for "did you mean".
//!
//! Compared folded, by edit distance of the whole, of its words, and by shared pairs of letters.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::fold::fold;
use super::path::{last_name, without_extension};

/// Below this likeness (0 to 1) a name is no help.
const MIN_LIKENESS: f64 = 0.5;

/// Names longer than this are compared by their beginning: the distance takes time in proportion to the product of lengths.
const MAX_COMPARED_CHARACTERS: usize = 64;

/// Collects the names nearest to a wanted one.
#[derive(Debug)]
pub struct Nearest {
    wanted: String,
    letters: u64,
    most: usize,
    best: RefCell<Vec<(f64, String, String)>>,
}

impl Nearest {
    /// The at most `most` names nearest to `wanted`.
    pub fn new(wanted: &str, most: usize) -> Self {
        let wanted = prepared(wanted);
        Self { letters: letters(&wanted), wanted, most, best: RefCell::default() }
    }

    /// Considers the note at a path, by its title and its file name.
    pub fn consider(&self, title: &str, path: impl FnOnce() -> String) {
        let title_likeness = self.likeness(title);
        let path = if title_likeness > 0.0 { Some(path()) } else { None };
        if let Some(path) = path {
            let name_likeness = self.likeness(last_name(without_extension(&path)));
            self.keep(title_likeness.max(name_likeness), title.to_owned(), path);
        }
    }

    /// Considers a path, by itself and by its file name.
    pub fn consider_path(&self, path: &str) {
        let bare = without_extension(path);
        let likeness = self.likeness(bare).max(self.likeness(path)).max(self.likeness(last_name(bare)));
        self.keep(likeness, String::new(), path.to_owned());
    }

    fn keep(&self, likeness: f64, title: String, path: String) {
        if likeness < MIN_LIKENESS {
            return;
        }
        let mut best = self.best.borrow_mut();
        if best.len() == self.most && best.last().is_some_and(|(least, _, last)| (*least, &path) < (likeness, last) && *least >= likeness) {
            return;
        }
        best.push((likeness, title, path));
        best.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.2.cmp(&other.2)));
        best.truncate(self.most);
    }

    /// The nearest, best first: title and path.
    pub fn best(&self) -> Vec<(String, String)> {
        self.best.borrow().iter().map(|(_, title, path)| (title.clone(), path.clone())).collect()
    }

    /// How alike a name is, from 0 to 1.
    fn likeness(&self, name: &str) -> f64 {
        let name = prepared(name);
        // Names that share hardly a letter need no closer look.
        let shared = (letters(&name) & self.letters).count_ones();
        if shared * 2 < self.letters.count_ones().min(letters(&name).count_ones()) {
            return 0.0;
        }
        let whole = strsim::normalized_damerau_levenshtein(&self.wanted, &name);
        let pairs = strsim::sorensen_dice(&self.wanted, &name);
        let in_words = name
            .split(|char: char| !char.is_alphanumeric())
            .filter(|word| word.chars().count() > 1)
            .map(|word| strsim::normalized_damerau_levenshtein(&self.wanted, word) * 0.9)
            .fold(0.0, f64::max);
        whole.max(pairs).max(in_words)
    }
}

fn prepared(name: &str) -> String {
    fold(name).chars().take(MAX_COMPARED_CHARACTERS).collect()
}

/// A set of letters, roughly.
fn letters(text: &str) -> u64 {
    text.chars().filter(|char| char.is_alphanumeric()).fold(0, |set, char| set | 1 << (char as u32 % 64))
}

/// The nearest of a few words to a given one, if any is near: for arguments, values, headings.
pub fn nearest_word<'a>(wanted: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = prepared(wanted);
    let mut best: Option<(f64, &str)> = None;
    for word in words {
        let likeness = strsim::normalized_damerau_levenshtein(&wanted, &prepared(word));
        let likeness = likeness.max(strsim::jaro_winkler(&wanted, &prepared(word)) - 0.25);
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
        let nearest = Nearest::new(wanted, 3);
        for name in names {
            nearest.consider(name, || format!("{name}.md"));
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
