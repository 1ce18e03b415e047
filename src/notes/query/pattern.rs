//! A regular expression that is run on one line at a time, and can be stopped.
//!
//! The engine cannot be interrupted, and its worst case takes time in proportion to the pattern's size times the text's. So a
//! line longer than the pattern can afford is searched in overlapping pieces, with a look at the time in between. A match
//! longer than half a piece may then be missed; pieces have at least 2,000 bytes, and some hundred thousand for an ordinary
//! pattern.

use std::ops::Range;

use regex_automata::Input;
use regex_automata::meta::{BuildError, Regex};
use regex_automata::nfa::thompson::NFA;
use regex_automata::util::syntax;

/// Compiled patterns larger than this are refused, in bytes; the regex crate's own default.
const MAX_PATTERN_BYTES: usize = 10 * 1024 * 1024;

/// What one piece may cost at worst: states of the pattern times bytes of text, about a tenth of a second to a second.
const PIECE_COST: usize = 100_000_000;

/// A compiled pattern.
#[derive(Debug, Clone)]
pub struct Pattern {
    written: String,
    regex: Regex,
    piece_bytes: usize,
}

impl Pattern {
    /// Compiles a pattern, in any case.
    ///
    /// # Errors
    /// It is no regular expression, or too large when compiled.
    pub fn new(written: &str) -> Result<Self, Box<BuildError>> {
        let config = Regex::config().nfa_size_limit(Some(MAX_PATTERN_BYTES));
        let syntax = syntax::Config::new().case_insensitive(true);
        let regex = Regex::builder().configure(config).syntax(syntax).build(written)?;
        let compiler = NFA::config().nfa_size_limit(Some(MAX_PATTERN_BYTES));
        let states = NFA::compiler()
            .configure(compiler)
            .syntax(syntax)
            .build(written)
            .map_or(usize::MAX, |nfa| nfa.states().len());
        let piece_bytes = (PIECE_COST / states.max(1)).clamp(2_000, 1_000_000);
        Ok(Self { written: written.to_owned(), regex, piece_bytes })
    }

    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// Whether a line matches; no, when `go_on` says to stop.
    pub fn is_match(&self, line: &str, go_on: &dyn Fn() -> bool) -> bool {
        self.pieces(line).any(|piece| go_on() && self.regex.is_match(Input::new(line).span(piece)))
    }

    /// The first few matches in a line.
    pub fn matches(&self, line: &str, most: usize) -> Vec<Range<usize>> {
        let in_piece = |piece: Range<usize>| self.regex.find_iter(Input::new(line).span(piece)).take(most);
        let first = self.pieces(line).find_map(|piece| {
            let found: Vec<Range<usize>> = in_piece(piece).map(|found| found.range()).collect();
            (!found.is_empty()).then_some(found)
        });
        first.unwrap_or_default()
    }

    /// A line in pieces, each overlapping the one before by half.
    fn pieces<'a>(&self, line: &'a str) -> impl Iterator<Item = Range<usize>> + use<'a> {
        let bytes = self.piece_bytes;
        let mut next = Some(0);
        std::iter::from_fn(move || {
            let start = next?;
            let end = line.ceil_char_boundary((start + bytes).min(line.len()));
            next = (end < line.len()).then(|| line.ceil_char_boundary(start + bytes / 2));
            Some(start..end)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_searched_to_its_end() {
        let pattern = Pattern::new("needle$").expect("it is a pattern");
        let line = "生 ".repeat(1_000_000) + "NEEDLE";
        assert!(pattern.is_match(&line, &|| true));
        assert_eq!(pattern.matches(&line, 5).first().cloned(), Some(4_000_000..4_000_006));
        assert!(!Pattern::new("^needle").expect("a pattern").is_match(&line, &|| true));
    }

    #[test]
    fn ordinary_patterns_see_long_lines_whole() {
        for (pattern, least) in
            [("TODO.*mcp", 500_000), (r"^error: \d+$", 200_000), ("a.*z$", 500_000), (r"\w+@\w+", 40_000)]
        {
            let piece = Pattern::new(pattern).expect("it is a pattern").piece_bytes;
            assert!(piece >= least, "{pattern}: {piece}");
        }
    }

    #[test]
    fn a_costly_pattern_stops_when_it_is_told() {
        let pattern = Pattern::new(r"(?-u:[ab ]?){2000}\d").expect("it is a pattern");
        let looks = std::cell::Cell::new(0);
        let go_on = || {
            looks.set(looks.get() + 1);
            looks.get() < 3
        };
        assert!(!pattern.is_match(&"a ".repeat(500_000), &go_on));
        assert!(pattern.pieces(&"a ".repeat(500_000)).count() > 20);
    }
}
