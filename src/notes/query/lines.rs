//! The lines of a note that hold words of a query.
//!
//! Folded text is searched whole, at memory speed, and only lines with a match are looked at. The text of a large note is
//! folded line by line, and a very long line piece by piece, so that memory stays bounded.

use memchr::memmem::Finder;

use super::{Scope, WordSet};
use crate::notes::fold::{cluster_end, fold, fold_into};
use crate::notes::record::Facts;
use crate::notes::signature::Stretches;

/// A line longer than this is folded in pieces of this size, in bytes.
const PIECE_BYTES: usize = 256 * 1024;

/// A literal that must occur.
#[derive(Debug)]
pub struct Word {
    /// As the caller wrote it.
    pub written: String,
    /// Folded.
    pub folded: String,
    /// Its stretches, for signatures.
    pub stretches: Stretches,
    finder: Finder<'static>,
}

impl Word {
    /// A word to look for.
    pub fn new(written: &str) -> Self {
        let folded = fold(written);
        Self {
            written: written.to_owned(),
            finder: Finder::new(folded.as_bytes()).into_owned(),
            stretches: Stretches::of(&folded),
            folded,
        }
    }

    /// A phrase with a line end in it stands in no line.
    fn never(&self) -> bool {
        self.folded.is_empty() || self.folded.contains('\n')
    }

    /// Whether it stands in a folded text.
    pub fn is_in(&self, folded: &str) -> bool {
        !self.never() && self.finder.find(folded.as_bytes()).is_some()
    }

    /// Where it stands in a folded line.
    pub fn places<'a>(&'a self, folded: &'a str) -> impl Iterator<Item = usize> + 'a {
        self.finder.find_iter(folded.as_bytes())
    }
}

/// Which words stand in a folded text.
pub fn words_in(words: &[Word], folded: &str) -> WordSet {
    words.iter().enumerate().fold(0, |found, (index, word)| found | WordSet::from(word.is_in(folded)) << index)
}

/// Shows every line of a folded text from byte `from`, which begins line `first_line`, that holds a word: its number, the
/// words, how often each occurs.
pub fn in_folded(
    words: &[Word],
    text: &str,
    from: usize,
    first_line: usize,
    mut see: impl FnMut(usize, WordSet, &[u32]),
) {
    let bytes = text.as_bytes();
    let find =
        |word: &Word, from: usize| word.finder.find(&bytes[from.min(bytes.len())..]).map_or(usize::MAX, |at| from + at);
    let mut next: Vec<usize> =
        words.iter().map(|word| if word.never() { usize::MAX } else { find(word, from) }).collect();
    if next.iter().all(|at| *at == usize::MAX) {
        return; // what most notes come to
    }
    let mut counts = vec![0; words.len()];
    let (mut counted, mut number) = (from, first_line);
    loop {
        let first = next.iter().copied().min().unwrap_or(usize::MAX);
        if first == usize::MAX {
            return;
        }
        let end = memchr::memchr(b'\n', &bytes[first..]).map_or(bytes.len(), |at| first + at);
        number += memchr::memchr_iter(b'\n', &bytes[counted..first]).count();
        counted = first;
        let mut found: WordSet = 0;
        for (index, word) in words.iter().enumerate() {
            counts[index] = 0;
            while next[index] < end {
                counts[index] += 1;
                found |= 1 << index;
                next[index] = find(word, next[index] + word.folded.len());
            }
        }
        see(number, found, &counts);
    }
}

/// The same for a text that is not folded.
pub fn in_unfolded(
    words: &[Word],
    text: &str,
    scope: Scope,
    facts: &Facts,
    go_on: &dyn Fn() -> bool,
    mut see: impl FnMut(usize, WordSet, &[u32]),
) {
    let mut counts = vec![0; words.len()];
    let mut folded = String::new();
    for (number, line) in lines_of(text, scope, facts) {
        if number % 4096 == 0 && !go_on() {
            return;
        }
        let found = in_line(words, line, &mut folded, &mut counts);
        if found != 0 {
            see(number, found, &counts);
        }
    }
}

/// Which words stand in a line that is not folded, and how often. `folded` is a buffer.
fn in_line(words: &[Word], line: &str, folded: &mut String, counts: &mut [u32]) -> WordSet {
    let longest = words.iter().map(|word| word.folded.len()).max().unwrap_or(0);
    let mut found: WordSet = 0;
    counts.fill(0);
    folded.clear();
    let mut at = 0;
    loop {
        let kept = folded.len();
        let end = cluster_end(line, line.ceil_char_boundary((at + PIECE_BYTES).min(line.len())));
        fold_into(&line[at..end], folded);
        for (index, word) in words.iter().enumerate().filter(|(_, word)| !word.never()) {
            // A match that ended in what was kept of the piece before was counted then.
            let count = word.places(folded).filter(|place| place + word.folded.len() > kept).count();
            counts[index] += u32::try_from(count).unwrap_or(u32::MAX);
            found |= WordSet::from(count > 0) << index;
        }
        if end == line.len() {
            return found;
        }
        at = end;
        let rest = folded.len() - folded.floor_char_boundary(folded.len().saturating_sub(longest.saturating_sub(1)));
        folded.drain(..folded.len() - rest);
    }
}

/// The lines of a scope in a text, with their numbers.
pub fn lines_of<'a>(text: &'a str, scope: Scope, facts: &'a Facts) -> impl Iterator<Item = (usize, &'a str)> {
    let mut headings = facts.heading_lines.iter().map(|line| *line as usize).peekable();
    let front = facts.front_lines as usize;
    text.lines().enumerate().map(|(index, line)| (index + 1, line)).filter(move |(number, _)| match scope {
        Scope::All => true,
        Scope::Body => *number > front,
        Scope::Titles => headings.next_if(|heading| heading == number).is_some(),
    })
}

/// Where the body begins in a text, in bytes.
pub fn body_start(text: &str, facts: &Facts) -> usize {
    let mut at = 0;
    for _ in 0..facts.front_lines {
        match memchr::memchr(b'\n', &text.as_bytes()[at..]) {
            Some(end) => at += end + 1,
            None => return text.len(),
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(text: &str, words: &[Word], is_folded: bool) -> Vec<(usize, WordSet, Vec<u32>)> {
        let mut lines = Vec::new();
        let see = |number, found, counts: &[u32]| lines.push((number, found, counts.to_vec()));
        if is_folded {
            in_folded(words, &fold(text), 0, 1, see);
        } else {
            in_unfolded(words, text, Scope::All, &Facts::of(text, "a.md"), &|| true, see);
        }
        lines
    }

    #[test]
    fn a_word_across_two_pieces_of_a_long_line_is_found_once() {
        let line = "x".repeat(PIECE_BYTES - 3) + "Néedle" + &"y".repeat(PIECE_BYTES) + "needle";
        let words = [Word::new("needle"), Word::new("zebra")];
        assert_eq!(found(&line, &words, false), [(1, 1, vec![2, 0])]);
    }

    proptest! {
        #[test]
        fn both_ways_find_the_same(text in "[a-cé生\n ]{0,80}", one in "[a-c生]{1,2}", other in "[a-cé]{1,2}") {
            let words = [Word::new(&one), Word::new(&other)];
            prop_assert_eq!(found(&text, &words, true), found(&text, &words, false));
        }
    }
}
