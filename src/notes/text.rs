//! The bytes of a note as text: which encoding, where lines end, how characters that cannot be shown are shown.
//!
//! Knows nothing of front matter or Markdown, and opens no file.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// A NUL within this many bytes from the start makes a file binary, as in Git and grep.
pub const BINARY_PROBE_BYTES: usize = 8 * 1024;

/// How much of a note the encoding detector is shown: past this it has long made up its mind.
const DETECTION_BYTES: usize = 256 * 1024;

/// A note's text. Lines end at LF alone; a last line may lack it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text<'a> {
    /// The text, CRLF and CR turned into LF, without byte order mark.
    pub text: Cow<'a, str>,
    /// The encoding's name (as in the WHATWG Encoding Standard), `UTF-8` included.
    pub encoding: &'static str,
}

/// Whether these first bytes of a file say that it is no text. A byte order mark outranks the rule.
pub fn is_binary(head: &[u8]) -> bool {
    let head = &head[..head.len().min(BINARY_PROBE_BYTES)];
    Encoding::for_bom(head).is_none() && memchr::memchr(0, head).is_some()
}

/// The text of a note that is not binary. Bytes that fit no encoding become U+FFFD and hide nothing else.
pub fn decode(bytes: &[u8]) -> Text<'_> {
    let (text, encoding) = decode_as_is(bytes);
    Text { text: with_line_feeds(text), encoding: encoding.name() }
}

/// The same for bytes that are not needed any more: without a second copy where that can be.
pub fn decode_owned(mut bytes: Vec<u8>) -> Text<'static> {
    let (text, encoding) = decode_as_is(&bytes);
    let text = match text {
        Cow::Owned(text) => {
            drop(bytes);
            text
        }
        Cow::Borrowed(text) => {
            let mark = bytes.len() - text.len();
            bytes.drain(..mark);
            String::from_utf8(bytes).unwrap_or_default() // it was borrowed, so it is UTF-8
        }
    };
    let mut bytes = text.into_bytes();
    line_feeds_in_place(&mut bytes);
    Text { text: Cow::Owned(String::from_utf8(bytes).unwrap_or_default()), encoding: encoding.name() }
}

/// Turns CRLF and CR into LF.
fn line_feeds_in_place(bytes: &mut Vec<u8>) {
    if memchr::memchr(b'\r', bytes).is_none() {
        return;
    }
    let mut before = 0;
    bytes.retain_mut(|byte| {
        let is_rest_of_crlf = before == b'\r' && *byte == b'\n';
        before = *byte;
        if *byte == b'\r' {
            *byte = b'\n';
        }
        !is_rest_of_crlf
    });
}

/// The text with its line ends as they are.
fn decode_as_is(bytes: &[u8]) -> (Cow<'_, str>, &'static Encoding) {
    match Encoding::for_bom(bytes) {
        Some((encoding, mark)) if encoding == UTF_16LE || encoding == UTF_16BE => {
            (encoding.decode_without_bom_handling(&bytes[mark..]).0, encoding)
        }
        Some((_, mark)) => (String::from_utf8_lossy(&bytes[mark..]), UTF_8),
        None => decode_unmarked(bytes),
    }
}

fn decode_unmarked(bytes: &[u8]) -> (Cow<'_, str>, &'static Encoding) {
    if let Ok(text) = simdutf8::basic::from_utf8(bytes) {
        return (Cow::Borrowed(text), UTF_8);
    }
    if is_mostly_utf8(bytes) {
        return (String::from_utf8_lossy(bytes), UTF_8);
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    let from = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
    let seen = &bytes[from..];
    detector.feed(&seen[..seen.len().min(DETECTION_BYTES)], seen.len() <= DETECTION_BYTES);
    let encoding = detector.guess(None, Utf8Detection::Deny);
    (encoding.decode_without_bom_handling(bytes).0, encoding)
}

/// Whether valid multi-byte sequences outnumber the bad bytes: then it is UTF-8 that was damaged.
fn is_mostly_utf8(bytes: &[u8]) -> bool {
    let (mut good, mut bad) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        good += chunk.valid().chars().filter(|char| !char.is_ascii()).count();
        bad += chunk.invalid().len();
    }
    good > bad
}

fn with_line_feeds(text: Cow<'_, str>) -> Cow<'_, str> {
    if memchr::memchr(b'\r', text.as_bytes()).is_none() {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_ref();
    while let Some(at) = memchr::memchr(b'\r', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        out.push('\n');
        rest = &rest[at + 1..];
        rest = rest.strip_prefix('\n').unwrap_or(rest);
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// How many lines a text with LF line ends has: the last one needs no end, an empty text has none.
pub fn count_lines(text: &str) -> usize {
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    ends + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

/// Control characters as pictures, so that nothing acts on a terminal or hides: C0 other than tab and LF as `␛` and the
/// like, DEL as `␡`, C1 as U+FFFD. Character for character, so columns stay.
pub fn shown(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(|byte| (byte < b' ' && byte != b'\t' && byte != b'\n') || byte == 0x7F || byte == 0xC2) {
        return Cow::Borrowed(text); // C1 controls begin with the byte C2
    }
    Cow::Owned(text.chars().map(shown_char).collect())
}

fn shown_char(char: char) -> char {
    match char {
        '\t' | '\n' => char,
        '\0'..='\x1f' => char::from_u32(0x2400 + char as u32).unwrap_or(char::REPLACEMENT_CHARACTER),
        '\x7f' => '\u{2421}',
        '\u{80}'..='\u{9f}' => char::REPLACEMENT_CHARACTER,
        _ => char,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(encoding: &'static Encoding, text: &str) -> (String, &'static str) {
        let bytes = encoding.encode(text).0.into_owned();
        let decoded = decode(&bytes);
        (decoded.text.into_owned(), decoded.encoding)
    }

    #[test]
    fn lines_end_at_lf_crlf_and_lone_cr() {
        assert_eq!(decode(b"a\nb\r\nc\rd\r\r\ne").text, "a\nb\nc\nd\n\ne");
        assert_eq!([count_lines(""), count_lines("\n\n"), count_lines("a"), count_lines("a\n")], [0, 2, 1, 1]);
    }

    #[test]
    fn both_ways_of_decoding_give_the_same() {
        for bytes in
            [&b"a\r\nb\rc\r\r\n\nd"[..], b"\xef\xbb\xbfx\r\ny", b"\xff\xfea\0\r\0\n\0", b"caf\xe9 \xff\r\n", b""]
        {
            assert_eq!(decode_owned(bytes.to_vec()), decode(bytes), "{bytes:?}");
        }
    }

    #[test]
    fn byte_order_marks_decide_and_are_no_text() {
        assert_eq!(decode(b"\xef\xbb\xbfx"), Text { text: "x".into(), encoding: "UTF-8" });
        assert_eq!(decode(b"\xff\xfex\0"), Text { text: "x".into(), encoding: "UTF-16LE" });
        assert!(is_binary(b"a\0b") && !is_binary(b"\xff\xfea\0"));
    }

    #[test]
    fn a_few_bad_bytes_leave_utf8_what_it_is() {
        let decoded = decode("生存\u{0}适者".as_bytes());
        assert_eq!(decoded.encoding, "UTF-8");
        let mut bytes = "适者生存，".repeat(3).into_bytes();
        bytes.splice(6..6, [0xFF, 0xFE, 0xC3]);
        let decoded = decode(&bytes);
        assert_eq!((decoded.encoding, decoded.text.contains("生存")), ("UTF-8", true));
    }

    #[test]
    fn national_encodings_are_told_apart() {
        let chinese = "今天读了一本关于进化的书，适者生存，不是强者生存。";
        assert_eq!(round_trip(encoding_rs::GBK, chinese), (chinese.into(), "GBK"));
        let taiwanese = "今天讀了一本關於進化的書，適者生存，不是強者生存。";
        assert_eq!(round_trip(encoding_rs::BIG5, taiwanese), (taiwanese.into(), "Big5"));
        let japanese = "今日は進化についての本を読みました。適者生存です。";
        assert_eq!(round_trip(encoding_rs::SHIFT_JIS, japanese), (japanese.into(), "Shift_JIS"));
        let korean = "오늘은 진화에 관한 책을 읽었다. 적자생존이다.";
        assert_eq!(round_trip(encoding_rs::EUC_KR, korean), (korean.into(), "EUC-KR"));
        let french = "Le café était fermé; j’ai lu un livre à la bibliothèque.";
        assert_eq!(round_trip(encoding_rs::WINDOWS_1252, french), (french.into(), "windows-1252"));
    }

    #[test]
    fn controls_become_pictures() {
        assert_eq!(shown("a\u{1b}[0m\tb\u{85}\u{7f}"), "a␛[0m\tb\u{fffd}␡");
    }
}
