//! A quick look at the bytes of a note of which nothing is known: which words it holds, without making a record of it.
//!
//! The first search of a process reads every note, and most of them match nothing. For those it is enough to know, for
//! certain, which words they hold: a match in the folded text, the title or an alias always stands in a line of the file,
//! letter for letter once folded, unless YAML escapes spell it otherwise. Text in which only ASCII letters could fold is not
//! even folded. Where that is not certain, the look says nothing, and the note is read in full.

use std::ffi::OsStr;

use memchr::memmem::Finder;

use super::fold::fold_into;
use super::front_matter::has_escapes;
use super::path::{NotePath, without_extension};
use super::query::WordSet;
use super::record::characters;
use super::text::is_binary;

/// The words to look for.
#[derive(Debug)]
pub struct Glance {
    words: Vec<Finder<'static>>,
    /// All words are of ASCII letters, digits and Han characters, so that most text need not be folded to find them.
    is_plain: bool,
}

impl Glance {
    /// A look for these folded words; `None` for words that may stand in a title and yet in no line.
    pub fn new<'a>(words: impl Iterator<Item = &'a str>) -> Option<Self> {
        let mut glance = Self { words: Vec::new(), is_plain: true };
        for word in words {
            if word.is_empty() || word.contains(|char: char| char.is_whitespace() || matches!(char, '\'' | '"' | '\\'))
            {
                return None;
            }
            glance.is_plain &=
                word.chars().all(|char| char.is_ascii_alphanumeric() || ('\u{4e00}'..='\u{9fff}').contains(&char));
            glance.words.push(Finder::new(word.as_bytes()).into_owned());
        }
        (!glance.words.is_empty()).then_some(glance)
    }

    /// All of the words.
    pub fn all_words(&self) -> WordSet {
        (1 << self.words.len()) - 1
    }

    /// Which words stand in the text of these bytes, and how many characters it has; `None` when that is not certain.
    /// `folded` is a buffer.
    pub fn look(&self, bytes: &[u8], folded: &mut String) -> Option<(WordSet, u32)> {
        if bytes.starts_with(b"\xef\xbb\xbf") || is_binary(bytes) {
            return None;
        }
        let text = simdutf8::basic::from_utf8(bytes).ok()?;
        let carriage_returns = memchr::memchr_iter(b'\r', bytes).count();
        if carriage_returns > 0 && memchr::memmem::find_iter(bytes, b"\r\n").count() < carriage_returns {
            return None; // lines that end at a lone CR
        }
        if has_escapes(text) {
            return None;
        }
        folded.clear();
        if self.is_plain && folds_plainly(bytes) {
            folded.push_str(text);
            folded.make_ascii_lowercase();
        } else {
            fold_into(text, folded);
        }
        // With the LF after it each CR becomes one line end.
        let count = characters(bytes) - carriage_returns;
        Some((self.words_in(folded), u32::try_from(count).unwrap_or(u32::MAX)))
    }

    /// Which words stand in the path of a note, as it is searched. `buffer` is a buffer.
    pub fn words_in_name(&self, folder: &NotePath, name: &OsStr, buffer: &mut String) -> WordSet {
        let path = folder.join(name).shown();
        buffer.clear();
        fold_into(without_extension(&path), buffer);
        self.words_in(buffer)
    }

    fn words_in(&self, text: &str) -> WordSet {
        let holds = |word: &Finder| WordSet::from(word.find(text.as_bytes()).is_some());
        self.words.iter().enumerate().fold(0, |found, (index, word)| found | holds(word) << index)
    }
}

/// Whether valid UTF-8 holds only characters that fold to themselves, to lower case ASCII, or to no letter, digit or Han
/// character at all; and none that joins with another. Then folding changes nothing about a plain word.
fn folds_plainly(bytes: &[u8]) -> bool {
    if bytes.is_ascii() {
        return true;
    }
    // Bytes that begin characters of other scripts: C3–E1, EA–EE, F1 and up. One look at all bytes, without a branch.
    let other = |byte: u8| {
        u8::from(byte.wrapping_sub(0xC3) <= 0x1E) | u8::from(byte.wrapping_sub(0xEA) <= 4) | u8::from(byte >= 0xF1)
    };
    if bytes.chunks(1024).any(|chunk| chunk.iter().fold(0, |any, byte| any | other(*byte)) != 0) {
        return false;
    }
    let next = |at: usize, by: usize| bytes.get(at + by).copied().unwrap_or(0);
    memchr::memchr3_iter(0xE2, 0xE3, 0xEF, bytes).all(|at| match (bytes[at], next(at, 1), next(at, 2)) {
        // General punctuation, arrows, operators, boxes, symbols, not letter-like or enclosed ones; kana.
        (0xE2, 0x80 | 0x87..=0x8B | 0x94..=0x9E, _) | (0xE3, 0x81 | 0x83, _) => true,
        (0xE2, 0x86, last) => last >= 0x90,
        // CJK punctuation without tone marks and Han-like numerals; kana without the voicing marks.
        (0xE3, 0x80, last) => !matches!(last, 0xAA..=0xAF | 0xB8..=0xBA),
        (0xE3, 0x82, last) => !matches!(last, 0x99 | 0x9A),
        // Full width forms without digits and letters.
        (0xEF, 0xBC, last) => !(0x90..=0x99).contains(&last) && !(0xA1..=0xBA).contains(&last),
        (0xEF, 0xBD, last) => !(0x81..=0x9A).contains(&last),
        _ => false,
    }) && memchr::memchr2_iter(0xC2, 0xF0, bytes).all(|at| match (bytes[at], next(at, 1), next(at, 2)) {
        // No-break space, § « ° ± · »
        (0xC2, second, _) => matches!(second, 0xA0 | 0xA7 | 0xAB | 0xB0 | 0xB1 | 0xB7 | 0xBB),
        // Emoji, and Han beyond the basic plane.
        (_, 0x9F, third) => (0x8C..=0xAB).contains(&third),
        (_, second, _) => (0xA0..=0xAE).contains(&second),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::notes::fold::fold;

    #[test]
    fn every_character_that_is_taken_for_plain_is() {
        for char in '\u{80}'..=char::MAX {
            let text = format!("a{char}b");
            if !folds_plainly(text.as_bytes()) {
                continue;
            }
            let folded = fold(&text);
            let middle = folded.strip_prefix('a').and_then(|rest| rest.strip_suffix('b'));
            let is_han = |char: char| ('\u{4e00}'..='\u{9fff}').contains(&char);
            let is_harmless = middle.is_some_and(|middle| {
                middle == char.to_string()
                    || !middle.is_empty() && middle.chars().all(|char| !char.is_ascii_alphanumeric() && !is_han(char))
            });
            assert!(is_harmless, "{char:?} folds to {middle:?}");
        }
    }

    #[test]
    fn nothing_is_certain_of_titles_that_are_spelled_with_escapes() {
        let glance = Glance::new(std::iter::once("生存")).expect("a plain word");
        for end in ["\n", "\r\n", "\r", "\r\r\n"] {
            let note = ["---", r#"title: "\u751f\u5b58""#, "---", "body"].join(end);
            assert_eq!(glance.look(note.as_bytes(), &mut String::new()), None, "{end:?}");
        }
    }

    proptest! {
        #[test]
        fn a_glance_sees_what_folding_sees(
            text in proptest::collection::vec(
                prop_oneof![any::<char>(), proptest::sample::select("aAbB生存，。Ａ①é\u{301}\u{fe0f}“·🙏\n\r".chars().collect::<Vec<_>>())],
                0..60,
            ),
            word in proptest::sample::select(vec!["a", "ab", "生", "生存", "aa", "1"]),
        ) {
            let text: String = text.into_iter().collect();
            let glance = Glance::new(std::iter::once(word)).expect("a plain word");
            if let Some((words, _)) = glance.look(text.as_bytes(), &mut String::new()) {
                prop_assert_eq!(words, WordSet::from(fold(&text).contains(word)));
            }
        }
    }
}
