//! A line cut to what can be shown: around the match, at whole characters, with `…` where something is left out.
//!
//! Pure text in, pure text out.

use std::ops::Range;

use super::fold::{cluster_end, clusters, fold, unfolded};
use super::query::Query;
use super::text::shown;

/// The longest line that is shown whole, and the longest piece of a longer one with its `…`, in characters.
pub const MAX_CHARACTERS: usize = 240;

/// Of a piece, the characters before the match: enough to see what leads to it.
const LEAD_CHARACTERS: usize = 70;

/// A line is folded in pieces of this size to find the match in it, and how far each reaches into the one before, in bytes.
const PIECE_BYTES: usize = 256 * 1024;
const OVERLAP_BYTES: usize = 16 * 1024;

/// A line as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The line trimmed, or a piece of it with `…` where it was cut.
    pub text: String,
    /// Only when it was cut: the column of the match in the untrimmed line, from 1, and that line's length in characters.
    pub cut: Option<(usize, usize)>,
}

/// Cuts a line around what a query matches in it.
pub fn around_match(line: &str, query: &Query) -> Excerpt {
    let trimmed = line.trim();
    if trimmed.chars().take(MAX_CHARACTERS + 1).count() <= MAX_CHARACTERS {
        return Excerpt { text: shown(trimmed).into_owned(), cut: None };
    }
    let place = best_match(line, query).unwrap_or(0..0);
    let lead = line.len() - line.trim_start().len();
    let window = window(line, lead..lead + trimmed.len(), &place);
    let mut text = String::new();
    if window.start > lead {
        text.push('…');
    }
    text.push_str(&shown(&line[window.clone()]));
    if window.end < lead + trimmed.len() {
        text.push('…');
    }
    let column = line[..place.start].chars().count() + 1;
    Excerpt { text, cut: Some((column, line.chars().count())) }
}

/// The beginning of a line, for lines that stand around a hit.
pub fn beginning(line: &str, most: usize) -> String {
    let line = line.trim_end();
    if line.char_indices().nth(most).is_none() {
        shown(line).into_owned()
    } else {
        let end = line.char_indices().nth(most - 1).map_or(line.len(), |(at, _)| at);
        shown(&line[..whole_clusters(line, end)]).into_owned() + "…"
    }
}

/// The match to show, in the original line: the first of those around which the most different words stand.
fn best_match(line: &str, query: &Query) -> Option<Range<usize>> {
    if query.needs_original() {
        return best_match_in_piece(line, query); // a pattern needs what stands around, and goes piece by piece itself
    }
    let mut at = 0;
    loop {
        let end = cluster_end(line, line.ceil_char_boundary((at + PIECE_BYTES).min(line.len())));
        if let Some(found) = best_match_in_piece(&line[at..end], query) {
            return Some(at + found.start..at + found.end);
        }
        if end == line.len() {
            return None;
        }
        // Back by more than the longest match, which may stand across the end.
        at = next_cluster(line, line.floor_char_boundary(end - OVERLAP_BYTES));
    }
}

fn best_match_in_piece(line: &str, query: &Query) -> Option<Range<usize>> {
    let original = query.needs_original();
    let folded = if original { String::new() } else { fold(line) };
    let matches = query.matches_in(if original { line } else { &folded });
    let reach = MAX_CHARACTERS - LEAD_CHARACTERS;
    let words_near = |at: usize| {
        let near = matches[at..].iter().take_while(|(_, range)| range.end <= matches[at].1.start + reach);
        near.fold(0_u128, |words, (word, _)| words | 1 << word).count_ones()
    };
    let mut best: Option<(usize, u32)> = None;
    for at in 0..matches.len() {
        let words = words_near(at);
        if best.is_none_or(|(_, most)| words > most) {
            best = Some((at, words));
        }
    }
    let range = matches[best?.0].1.clone();
    if original {
        return Some(range);
    }
    let start = unfolded(line, range.start).start;
    let end = unfolded(line, range.end.saturating_sub(1)).end;
    Some(start..end.max(start))
}

/// Where to cut `line` within `whole` so that the match is shown with what leads to it.
fn window(line: &str, whole: Range<usize>, place: &Range<usize>) -> Range<usize> {
    let room = MAX_CHARACTERS - 2; // for a `…` on either side
    let match_characters = line[place.clone()].chars().take(room).count();
    let lead = LEAD_CHARACTERS.min(room - match_characters);
    let mut start = back(line, place.start.max(whole.start), lead).max(whole.start);
    let mut end = forth(line, start, room).min(whole.end);
    let shown = line[start..end].chars().count();
    if shown < room {
        start = back(line, start, room - shown).max(whole.start);
    }
    if start > whole.start {
        start = next_cluster(line, start).min(place.start.max(start));
    }
    if end < whole.end {
        end = whole_clusters(line, end).max(place.end.min(end));
    }
    start..end
}

/// The byte `count` characters before `at`.
fn back(line: &str, at: usize, count: usize) -> usize {
    line[..at].char_indices().rev().take(count).last().map_or(at, |(at, _)| at)
}

/// The byte `count` characters after `at`.
fn forth(line: &str, at: usize, count: usize) -> usize {
    line[at..].char_indices().nth(count).map_or(line.len(), |(after, _)| at + after)
}

/// The first start of a cluster at or after `at`, so that no mark is shown without its letter.
fn next_cluster(line: &str, at: usize) -> usize {
    let from = back(line, at, 8);
    let mut start = from;
    for cluster in clusters(&line[from..]) {
        if start >= at {
            return start;
        }
        start += cluster.len();
    }
    at
}

/// The last end of a cluster at or before `end`.
fn whole_clusters(line: &str, end: usize) -> usize {
    let from = back(line, end, 8);
    let mut last = end;
    let mut at = from;
    for cluster in clusters(&line[from..]) {
        if at + cluster.len() > end {
            if at > from {
                last = at;
            }
            break;
        }
        at += cluster.len();
        if at == end {
            break;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::notes::query::Scope;

    fn cut(line: &str, keyword: &str) -> Excerpt {
        around_match(line, &Query::words(keyword, Scope::All))
    }

    #[test]
    fn a_line_of_240_characters_is_shown_whole() {
        let line = format!("   {}needle   ", "汉".repeat(234));
        let excerpt = cut(&line, "needle");
        assert_eq!((excerpt.text.chars().count(), excerpt.cut), (240, None));
        let excerpt = cut(&format!("{}needle", "汉".repeat(235)), "needle");
        assert_eq!(excerpt.cut, Some((236, 241)));
        assert!(excerpt.text.starts_with('…') && excerpt.text.ends_with("needle"));
    }

    #[test]
    fn the_match_is_in_the_piece() {
        let phrase = "a long phrase ".repeat(14) + "end";
        let line = format!("{}{phrase}{}", "x".repeat(900), "y".repeat(900));
        let excerpt = around_match(&line, &Query::phrase(&phrase, Scope::All));
        assert!(excerpt.text.contains(&phrase), "{excerpt:?}");
        let line = format!("alpha {} alpha beta {}", "x ".repeat(300), "y ".repeat(300));
        assert!(cut(&line, "beta alpha").text.contains("alpha beta"));
    }

    #[test]
    fn a_pattern_matches_where_it_does_in_the_whole_line() {
        let column = |line: &str, pattern: &str| {
            let query = Query::regex(pattern, Scope::All).expect("it is a pattern");
            around_match(line, &query).cut.map(|(column, _)| column)
        };
        assert_eq!(column(&"x".repeat(600_000), "x$"), Some(600_000));
        assert_eq!(column(&("a".repeat(300_000) + "zz"), "a.*z$"), Some(1));
        assert_eq!(column(&("a".repeat(300_000) + "zz"), r"\Ba{50}$|zz$"), Some(300_001));
    }

    #[test]
    fn a_cut_beginning_ends_with_an_ellipsis() {
        assert_eq!(beginning(&"ab".repeat(5), 10), "ababababab");
        assert_eq!(beginning(&"ab".repeat(6), 10), "ababababa…");
    }

    proptest! {
        #[test]
        fn an_excerpt_holds_its_match(before in "[a-zé汉ﬁ\u{301} 👨‍👩‍👧]{0,400}", word in "[k-mß生]{1,5}", after in "[a-z汉\u{301} ]{0,400}") {
            let line = format!("{before} {word} {after}");
            let excerpt = cut(&line, &word);
            prop_assert!(excerpt.text.chars().count() <= MAX_CHARACTERS);
            prop_assert!(fold(&excerpt.text).contains(&fold(&word)), "{:?}", excerpt);
        }
    }
}
