//! What lies in a folder: bytes and their encodings, lines, front matter, headings, excerpts.

use note_search_mcp::notes::excerpt::{MAX_CHARACTERS, around_match, beginning};
use note_search_mcp::notes::fold::fold;
use note_search_mcp::notes::front_matter;
use note_search_mcp::notes::query::{Query, Scope, Source};
use note_search_mcp::notes::record::{Facts, Metadata};
use note_search_mcp::notes::text::{count_lines, decode, decode_owned, is_binary, shown};
use proptest::prelude::*;

/// Bytes as files have them: text of some kind, or anything.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        any::<Vec<u8>>(),
        ".{0,40}".prop_map(String::into_bytes),
        proptest::sample::select(vec![
            &b"\r\n"[..],
            b"\r",
            b"\n",
            b"\xef\xbb\xbf",
            b"\xff\xfe",
            b"\xfe\xff",
            b"\0",
            b"\xc9\xfa\xb4\xe6",
            b"\x82\xa0",
            b"---\n",
            b"# x\n",
            b"```\n",
            b"#tag "
        ])
        .prop_map(<[u8]>::to_vec),
    ];
    proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

/// Text that is nearly front matter and Markdown.
fn markdown() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(vec![
        "---\n",
        "...\n",
        "title: ",
        "tags: [a, '#b']\n",
        "tags:\n- x\n",
        "date: 2026-10-12\n",
        "aliases: ",
        "[",
        "]",
        "{",
        "}",
        "&a ",
        "*a",
        "|\n",
        ">\n",
        "\"",
        "'",
        "\\u0041",
        "#",
        "# ",
        "## B\n",
        "```",
        "~~~",
        "`",
        "#tag ",
        "http://x/#y ",
        "* ",
        "\n",
        "\t",
        "  ",
        ": ",
        "é",
        "生存",
        "\u{301}",
        "🙏",
    ]);
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_bytes_become_lines(bytes in bytes()) {
        if is_binary(&bytes) {
            return Ok(());
        }
        let decoded = decode(&bytes);
        prop_assert!(!decoded.text.contains('\r'));
        prop_assert_eq!(decoded.text.lines().count(), count_lines(&decoded.text));
        prop_assert_eq!(count_lines(&fold(&decoded.text)), count_lines(&decoded.text));
        prop_assert!(!shown(&decoded.text).chars().any(|char| char.is_control() && !matches!(char, '\t' | '\n')));
        prop_assert_eq!(decode_owned(bytes.clone()), decoded);
    }

    #[test]
    fn any_front_matter_leaves_the_body_whole(text in markdown()) {
        let front = front_matter::read(&text);
        prop_assert!(text.is_char_boundary(front.body_at));
        prop_assert_eq!(count_lines(&text[..front.body_at]), front.lines);
        let metadata = Metadata::read(&text, "a/b.md");
        prop_assert!(!metadata.title.trim().is_empty() && !metadata.title.contains('\n'));
        for heading in &metadata.headings {
            prop_assert!(heading.line > front.lines && heading.line <= count_lines(&text));
        }
    }

    #[test]
    fn large_and_small_notes_are_searched_alike(text in markdown(), keyword in "[a-c生#`x ]{1,3}") {
        let facts = Facts::of(&text, "a/b.md");
        let folded = fold(&text);
        for scope in [Scope::All, Scope::Titles, Scope::Body] {
            let query = Query::phrase(&keyword, scope);
            let lines = |source| {
                let mut lines = Vec::new();
                query.each_hit(source, &facts, &|| true, |hit| lines.push(hit.line));
                lines
            };
            prop_assert_eq!(lines(Source::Folded(&folded)), lines(Source::Unfolded(&text)));
        }
    }

    #[test]
    fn an_excerpt_is_short_and_holds_its_match(line in "[^\n\r]{0,500}", at in any::<prop::sample::Index>(), length in 1_usize..8) {
        let characters: Vec<char> = line.chars().collect();
        if characters.is_empty() {
            return Ok(());
        }
        let start = at.index(characters.len());
        let keyword: String = characters[start..(start + length).min(characters.len())].iter().collect();
        if keyword.trim().is_empty() {
            return Ok(());
        }
        let query = Query::phrase(keyword.trim(), Scope::All);
        let excerpt = around_match(&line, &query);
        prop_assert!(excerpt.text.chars().count() <= MAX_CHARACTERS);
        if excerpt.cut.is_some() && fold(&line).contains(&fold(keyword.trim())) {
            prop_assert!(fold(&excerpt.text).contains(&fold(&shown(keyword.trim()))), "{:?} in {:?}", keyword, excerpt);
        }
        prop_assert!(beginning(&line, MAX_CHARACTERS).chars().count() <= MAX_CHARACTERS);
    }
}
