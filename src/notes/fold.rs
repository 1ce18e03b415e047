//! The one folding for everything that is compared: NFKC, full case folding, accents taken off Latin and Greek letters.
//!
//! Folded text is for finding, never for showing. [`clusters`] cuts a text into pieces that fold independently of each
//! other, so that a place in folded text leads back to a place in the original.
//!
//! ASCII and Han text, most of what notes hold, is copied in runs; every other character of the basic plane has its folding
//! looked up in pages that are filled when first needed; only combining sequences go through the Unicode tables.

use std::ops::Range;
use std::sync::OnceLock;

use icu_casemap::{CaseMapper, CaseMapperBorrowed};
use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};
use icu_properties::props::{GeneralCategory, Script};
use icu_properties::{CodePointMapData, CodePointMapDataBorrowed};

const NFKC: ComposingNormalizerBorrowed<'static> = ComposingNormalizerBorrowed::new_nfkc();
const NFD: DecomposingNormalizerBorrowed<'static> = DecomposingNormalizerBorrowed::new_nfd();
const CASES: CaseMapperBorrowed<'static> = CaseMapper::new();
const CATEGORIES: CodePointMapDataBorrowed<'static, GeneralCategory> = CodePointMapData::<GeneralCategory>::new();
const SCRIPTS: CodePointMapDataBorrowed<'static, Script> = CodePointMapData::<Script>::new();

/// The folded form of a text.
pub fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    fold_into(text, &mut out);
    out
}

/// Appends the folded form of a text. Line ends stay where they are: LF folds to itself and joins nothing.
pub fn fold_into(text: &str, out: &mut String) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let (run, last) = plain_run(&bytes[at..]);
        if run > 0 {
            let end = at + run;
            // A mark after the run belongs to the run's last character.
            let end = if next_joins(text, end) { end - last } else { end };
            let from = out.len();
            out.push_str(&text[at..end]);
            out[from..].make_ascii_lowercase();
            at = end;
        }
        let Some(first) = text[at..].chars().next() else { break };
        let alone = at + first.len_utf8();
        let mut end = alone;
        while next_joins(text, end) {
            end += text[end..].chars().next().map_or(1, char::len_utf8);
        }
        if end == alone {
            fold_alone(first, out);
        } else {
            fold_cluster(&text[at..end], out);
        }
        at = end;
    }
}

/// The pieces of a text that fold independently: a character with the marks that follow it. Joined, they give the text.
pub fn clusters(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let (cluster, after) = rest.split_at(cluster_end(rest, first.len_utf8()));
        rest = after;
        Some(cluster)
    })
}

/// More marks than this on one character are folded apart from it; no script needs a tenth of them.
const MAX_MARKS: usize = 256;

/// The end of the marks that stand at this place.
pub fn cluster_end(text: &str, at: usize) -> usize {
    let mut end = at;
    for _ in 0..MAX_MARKS {
        if !next_joins(text, end) {
            break;
        }
        end += text[end..].chars().next().map_or(1, char::len_utf8);
    }
    end
}

/// The piece of `text` (a byte range) to whose folding the byte `folded_at` of the folded text belongs; the last piece when
/// it lies beyond.
pub fn unfolded(text: &str, folded_at: usize) -> Range<usize> {
    let (mut at, mut folded, mut piece) = (0, 0, 0..0);
    let mut buffer = String::new();
    while at < text.len() {
        let (run, last) = plain_run(&text.as_bytes()[at..]);
        if run > 0 {
            let length = if next_joins(text, at + run) { run - last } else { run };
            if folded_at < folded + length {
                let start = floor_char(text, at + folded_at - folded);
                return start..start + text[start..].chars().next().map_or(0, char::len_utf8);
            }
            at += length;
            folded += length;
            if at == text.len() {
                break;
            }
        }
        let Some(cluster) = clusters(&text[at..]).next() else { break };
        buffer.clear();
        fold_into(cluster, &mut buffer);
        piece = at..at + cluster.len();
        if folded_at < folded + buffer.len() {
            break;
        }
        at = piece.end;
        folded += buffer.len();
    }
    piece
}

fn floor_char(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// How many bytes from the start are ASCII or Han (each folds alone, to itself or its lower case), and the length of
/// the last character among them.
fn plain_run(bytes: &[u8]) -> (usize, usize) {
    let mut at = 0;
    let mut last = 0;
    loop {
        let ascii = ascii_run(&bytes[at..]);
        if ascii > 0 {
            at += ascii;
            last = 1;
        }
        // U+4000 to U+9FFF: nothing in it decomposes, composes or has case.
        let han = at;
        while matches!(bytes.get(at), Some(0xE4..=0xE9)) {
            at += 3;
            last = 3;
        }
        if at == han {
            return (at, last);
        }
    }
}

fn ascii_run(bytes: &[u8]) -> usize {
    let mut at = 0;
    for chunk in bytes.chunks_exact(32) {
        if !chunk.is_ascii() {
            break;
        }
        at += 32;
    }
    at + bytes[at..].iter().take_while(|byte| byte.is_ascii()).count()
}

fn next_joins(text: &str, at: usize) -> bool {
    match text.as_bytes().get(at) {
        None | Some(0..=0xC1 | 0xE4..=0xE9) => false,
        Some(_) => text[at..].chars().next().is_some_and(joins),
    }
}

/// Whether a character may combine with the one before it. Too many is harmless, too few is wrong.
fn joins(char: char) -> bool {
    match page_of(char) {
        Some((page, index)) => page.joins[index / 64] >> (index % 64) & 1 == 1,
        None => joins_by_tables(char),
    }
}

fn joins_by_tables(char: char) -> bool {
    use GeneralCategory::{EnclosingMark, NonspacingMark, SpacingMark};
    match char {
        // Hangul letters, ﾞ and ﾟ; and Kirat Rai vowels, which compose although they are letters.
        '\u{1100}'..='\u{11FF}' | '\u{3131}'..='\u{318E}' | '\u{FF9E}'..='\u{FFDC}' | '\u{16D63}'..='\u{16D6A}' => true,
        _ => matches!(CATEGORIES.get(char), NonspacingMark | SpacingMark | EnclosingMark),
    }
}

fn fold_alone(char: char, out: &mut String) {
    match char {
        '\u{1F300}'..='\u{1FAFF}' => out.push(char), // emoji fold to themselves
        _ => match page_of(char) {
            Some((page, index)) => {
                let from = if index == 0 { 0 } else { page.ends[index - 1] };
                out.push_str(&page.folded[usize::from(from)..usize::from(page.ends[index])]);
            }
            None => fold_cluster(char.encode_utf8(&mut [0; 4]), out),
        },
    }
}

/// The rule itself, by the tables.
fn fold_cluster(cluster: &str, out: &mut String) {
    let compatible = NFKC.normalize(cluster);
    let lower = CASES.fold_string(&compatible);
    let mut bare = String::with_capacity(lower.len());
    let mut takes_marks_off = false;
    for char in NFD.normalize(&lower).chars() {
        if CATEGORIES.get(char) == GeneralCategory::NonspacingMark {
            if takes_marks_off {
                continue;
            }
        } else {
            takes_marks_off = has_accents(char);
        }
        bare.push(char);
    }
    out.push_str(&NFKC.normalize(&bare));
}

/// Whether marks on this letter are accents that a reader may leave out: `é` is an `e`, but `ガ` is no `カ`.
fn has_accents(char: char) -> bool {
    use GeneralCategory::{LowercaseLetter, ModifierLetter, OtherLetter, TitlecaseLetter, UppercaseLetter};
    matches!(CATEGORIES.get(char), UppercaseLetter | LowercaseLetter | TitlecaseLetter | ModifierLetter | OtherLetter)
        && matches!(SCRIPTS.get(char), Script::Latin | Script::Greek)
}

/// The foldings of 256 neighbouring characters.
struct Page {
    /// Where each character's folding ends in `folded`; it begins where the one before ends.
    ends: [u16; 256],
    folded: String,
    /// One bit a character: it may combine with the one before.
    joins: [u64; 4],
}

fn page_of(char: char) -> Option<(&'static Page, usize)> {
    static PAGES: [OnceLock<Box<Page>>; 256] = [const { OnceLock::new() }; 256];
    let code = char as usize;
    let page = PAGES.get(code >> 8)?.get_or_init(|| Box::new(make_page(code >> 8)));
    Some((page, code & 0xFF))
}

fn make_page(number: usize) -> Page {
    let mut page = Page { ends: [0; 256], folded: String::new(), joins: [0; 4] };
    for index in 0..256 {
        let char = u32::try_from(number << 8 | index).ok().and_then(char::from_u32);
        if let Some(char) = char {
            fold_cluster(char.encode_utf8(&mut [0; 4]), &mut page.folded);
            if joins_by_tables(char) {
                page.joins[index / 64] |= 1 << (index % 64);
            }
        }
        page.ends[index] =
            u16::try_from(page.folded.len()).expect("256 foldings of at most 33 characters fit in 64 KiB");
    }
    page
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_a_reader_calls_the_same_folds_alike() {
        for (one, other) in [
            ("Café", "cafe"),
            ("cafe\u{301}", "CAFÉ"),
            ("ＡＰＩ１", "api1"),
            ("ｶﾞｲﾄﾞ", "ガイド"),
            ("か\u{3099}", "が"),
            ("STRASSE", "straße"),
            ("ẞ", "ss"),
            ("İ", "i"),
            ("ΟΔΟΣ", "όδος"),
            ("ς", "σ"),
            ("ﬁle", "FILE"),
            ("⼤学", "大学"),
            ("㍿", "株式会社"),
            ("é\u{323}", "e"),
            ("，（Ａ）", ",(a)"),
            ("ㄱㅏ", "가"),
        ] {
            assert_eq!(fold(one), fold(other), "{one} and {other}");
        }
    }

    #[test]
    fn marks_of_other_scripts_make_other_letters() {
        for (one, other) in [("ガ", "カ"), ("й", "и"), ("ё", "е"), ("ば", "は"), ("ø", "o"), ("ı", "i"), ("שׁ", "ש")]
        {
            assert_ne!(fold(one), fold(other), "{one} and {other}");
        }
    }

    fn tricky() -> impl Strategy<Value = String> {
        proptest::collection::vec(
            prop_oneof![
                proptest::sample::select(
                    "abE éßİΣ\u{301}\u{308}\u{3099}カかｶﾞﾊﾟ汉ﬁ한\u{1112}\u{1161}\u{11ab}ㄱㅏ🙏\n-①й\u{fe0f}"
                        .chars()
                        .collect::<Vec<_>>()
                ),
                any::<char>(),
            ],
            0..24,
        )
        .prop_map(|chars| chars.into_iter().collect())
    }

    proptest! {
        #[test]
        fn the_fast_ways_agree_with_the_tables(text in tricky()) {
            let mut slow = String::new();
            fold_cluster(&text, &mut slow);
            prop_assert_eq!(fold(&text), slow);
        }

        #[test]
        fn folding_twice_changes_nothing(text in tricky()) {
            let once = fold(&text);
            prop_assert_eq!(fold(&once), once);
        }

        #[test]
        fn clusters_fold_on_their_own(text in tricky()) {
            prop_assert_eq!(clusters(&text).collect::<String>(), text.clone());
            prop_assert_eq!(clusters(&text).map(fold).collect::<String>(), fold(&text));
        }

        #[test]
        fn a_place_in_folded_text_leads_back(text in tricky()) {
            let mut folded = 0;
            let mut at = 0;
            for cluster in clusters(&text) {
                for inside in 0..fold(cluster).len() {
                    prop_assert_eq!(unfolded(&text, folded + inside), at..at + cluster.len());
                }
                folded += fold(cluster).len();
                at += cluster.len();
            }
        }
    }
}
