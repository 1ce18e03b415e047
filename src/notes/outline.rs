//! The headings and inline tags of a note: what Markdown (or Org) says about its structure, code left aside.
//!
//! Only lines that hold `#`, `` ` `` or `~` are looked at; the rest of a note is passed over at memory speed.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;

/// A heading line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// Its line in the file, from 1.
    pub line: usize,
    /// 1 for the topmost.
    pub level: usize,
    /// Its text without the marks; may be empty.
    pub text: String,
}

/// Headings and tags beyond these numbers are not told of one by one. No person's note has a hundredth of them.
pub const MAX_HEADINGS: usize = 200_000;
const MAX_TAGS: usize = 20_000;

/// Shows every heading of a body: its line, its level, its text. Gives the inline tags, each once.
pub fn scan(
    text: &str,
    body_at: usize,
    lines_before: usize,
    is_org: bool,
    mut see: impl FnMut(usize, usize, &str),
) -> Vec<String> {
    let mut tags = Tags::default();
    let mut fence: Option<(u8, usize)> = None;
    for (number, line) in marked_lines(text, body_at, lines_before) {
        if let Some(mark) = fence_mark(line) {
            match fence {
                None if mark.opens => {
                    fence = Some((mark.char, mark.length));
                    continue;
                }
                Some((char, length)) => {
                    if mark.char == char && mark.length >= length && mark.closes {
                        fence = None;
                    }
                    continue;
                }
                None => {}
            }
        } else if fence.is_some() {
            continue;
        }
        if !is_org && let Some((level, text)) = heading(line) {
            see(number, level, text);
        }
        inline_tags(line, &mut tags);
    }
    if is_org {
        org_headings(text, body_at, lines_before, see);
    }
    tags.in_order
}

/// Tags, each once.
#[derive(Default)]
struct Tags {
    in_order: Vec<String>,
    known: HashSet<String>,
}

/// The lines of the body that hold a mark, with their numbers.
fn marked_lines(text: &str, body_at: usize, lines_before: usize) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let mut at = body_at;
    let mut number = lines_before + 1;
    std::iter::from_fn(move || {
        let mark = at + memchr::memchr3(b'#', b'`', b'~', &bytes[at..])?;
        number += memchr::memchr_iter(b'\n', &bytes[at..mark]).count();
        let start = memchr::memrchr(b'\n', &bytes[at..mark]).map_or(at, |end| at + end + 1);
        let end = memchr::memchr(b'\n', &bytes[mark..]).map_or(text.len(), |end| mark + end);
        at = (end + 1).min(text.len());
        number += 1;
        Some((number - 1, &text[start..end]))
    })
}

struct FenceMark {
    char: u8,
    length: usize,
    opens: bool,
    closes: bool,
}

fn fence_mark(line: &str) -> Option<FenceMark> {
    let rest = unindented(line)?;
    let char = *rest.as_bytes().first().filter(|byte| matches!(byte, b'`' | b'~'))?;
    let length = rest.bytes().take_while(|byte| *byte == char).count();
    let words = &rest[length..];
    (length >= 3).then(|| FenceMark {
        char,
        length,
        opens: char == b'~' || !words.contains('`'),
        closes: words.trim().is_empty(),
    })
}

/// The line without its indentation; `None` when that is four blanks or more, which Markdown takes for code.
fn unindented(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(' ');
    (line.len() - rest.len() <= 3).then_some(rest)
}

/// Level and text of an ATX heading (`CommonMark` 4.2).
fn heading(line: &str) -> Option<(usize, &str)> {
    let rest = unindented(line)?;
    let level = rest.bytes().take_while(|byte| *byte == b'#').count();
    let text = &rest[level..];
    if !(1..=6).contains(&level) || !(text.is_empty() || text.starts_with([' ', '\t'])) {
        return None;
    }
    let text = text.trim_matches([' ', '\t']);
    let bare = text.trim_end_matches('#');
    let closed = bare.len() < text.len() && bare.ends_with([' ', '\t']);
    Some((level, if closed { bare } else { text }.trim()))
}

fn org_headings(text: &str, body_at: usize, lines_before: usize, mut see: impl FnMut(usize, usize, &str)) {
    for (index, line) in text[body_at..].lines().enumerate() {
        let level = line.bytes().take_while(|byte| *byte == b'*').count();
        let text = &line[level..];
        if level > 0 && text.starts_with(char::is_whitespace) {
            see(lines_before + index + 1, level, text.trim());
        }
    }
}

/// `#+title:` of an Org file, looked for above its first heading.
pub fn org_title(text: &str) -> Option<&str> {
    let above = text.lines().take_while(|line| !line.starts_with("* "));
    above
        .filter_map(|line| line.split_once(':'))
        .find(|(key, _)| key.trim().eq_ignore_ascii_case("#+title"))
        .map(|(_, title)| title.trim())
        .filter(|title| !title.is_empty())
}

fn inline_tags(line: &str, tags: &mut Tags) {
    static TAG: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?:^|\s)#([\w/-]+)").expect("the pattern is fixed"));
    if !line.contains('#') {
        return;
    }
    let line = without_code_and_urls(line);
    for found in TAG.captures_iter(&line) {
        let tag = found[1].trim_matches('/');
        let is_number = tag.chars().all(|char| char.is_ascii_digit());
        if !tag.is_empty() && !is_number && tags.known.len() < MAX_TAGS && tags.known.insert(tag.to_owned()) {
            tags.in_order.push(tag.to_owned());
        }
    }
}

/// The line with a placeholder for each code span and URL.
fn without_code_and_urls(line: &str) -> Cow<'_, str> {
    static URL: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"[A-Za-z][A-Za-z0-9+.-]*://\S+").expect("the pattern is fixed"));
    let mut line = Cow::Borrowed(line);
    if line.contains('`') {
        line = Cow::Owned(without_code_spans(&line));
    }
    if line.contains("://") {
        line = Cow::Owned(URL.replace_all(&line, " . ").into_owned());
    }
    line
}

/// A code span lies between two runs of backticks of the same length (`CommonMark` 6.1).
fn without_code_spans(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('`') {
        out.push_str(&rest[..at]);
        let opening = run_of_backticks(&rest[at..]);
        let after = &rest[at + opening..];
        let mut search = 0;
        let closing = loop {
            let Some(next) = after[search..].find('`') else { break None };
            let length = run_of_backticks(&after[search + next..]);
            if length == opening {
                break Some(search + next + length);
            }
            search += next + length;
        };
        if let Some(end) = closing {
            out.push_str(" ` ");
            rest = &after[end..];
        } else {
            out.push_str(&rest[at..at + opening]);
            rest = after;
        }
    }
    out + rest
}

fn run_of_backticks(text: &str) -> usize {
    text.bytes().take_while(|byte| *byte == b'`').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headings(text: &str, is_org: bool) -> Vec<(usize, usize, String)> {
        let mut headings = Vec::new();
        scan(text, 0, 0, is_org, |line, level, text| headings.push((line, level, text.to_owned())));
        headings
    }

    fn lines(text: &str) -> Vec<usize> {
        headings(text, false).iter().map(|heading| heading.0).collect()
    }

    fn tags(text: &str) -> Vec<String> {
        scan(text, 0, 0, false, |_, _, _| {})
    }

    #[test]
    fn headings_stand_outside_fences() {
        let text = "# One\n```sh\n# comment\n```\n~~~\n## too\n```\n~~~\n### three ###\n#tag\n####### seven\n   ## four\n\t# tab\n";
        assert_eq!(lines(text), [1, 9, 12]);
        assert_eq!(headings(text, false)[1], (9, 3, "three".into()));
        assert_eq!(lines("````\n```\n# in\n````\n# out\n"), [5]);
        assert_eq!(lines("``` a`b\n# no fence\n"), [2]);
    }

    #[test]
    fn heading_texts_lose_their_marks() {
        for (line, text) in [("# Head #", "Head"), ("#\tTabbed", "Tabbed"), ("# C#", "C#"), ("#", ""), ("# ", "")] {
            assert_eq!(headings(line, false)[0].2, text, "{line}");
        }
    }

    #[test]
    fn tags_stand_outside_code_and_urls() {
        let text =
            "`#t1` and #t6, http://x/#t5 x#y\n# t4\n```\n#t2\n```\n#标签 #5 ## Plan #todo #a/b/ ``x ` #t7`` #t6\n";
        assert_eq!(tags(text), ["t6", "标签", "todo", "a/b"]);
    }

    #[test]
    fn org_files_have_stars() {
        let headings = headings("#+TITLE: Trip\n* TODO 任务\n** sub\n*bold*\n", true);
        assert_eq!(headings.iter().map(|heading| (heading.0, heading.1)).collect::<Vec<_>>(), [(2, 1), (3, 2)]);
        assert_eq!(org_title("#+TITLE: Trip\n* x"), Some("Trip"));
    }
}
