//! Pages of a search: how hits are dealt out, what a page may weigh, and what holds while notes change between pages.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};

use crate::calling::Tools;
use crate::fixture::Folder;

/// File and line of the hits of an answer.
fn places(answer: &Value) -> Vec<(String, u64)> {
    let place = |hit: &Value| (hit["file"].as_str().unwrap().to_owned(), hit["line"].as_u64().unwrap());
    answer["hits"].as_array().unwrap().iter().map(place).collect()
}

/// Three notes with ten hits each, and one that is newer than all with one.
fn long_notes() -> Folder {
    let long = |day: u32| format!("---\ndate: 2026-10-{day:02}\n---\n{}", "heron in the canal\n\n".repeat(10));
    let folder = Folder::with((1..=3).map(|day| (format!("long{day}.md"), long(day))));
    folder.write("short.md", b"---\ndate: 2026-11-20\n---\nan egret and a heron\n");
    folder
}

#[test]
fn one_long_note_does_not_push_out_the_others() {
    let folder = long_notes();
    let tools = Tools::on(folder.settings());
    for sort in ["relevance", "newest", "oldest"] {
        let first = tools.search(&json!({ "keyword": "heron", "sort": sort, "limit": 10 }));
        let counts: Vec<usize> = ["long1.md", "long2.md", "long3.md", "short.md"]
            .iter()
            .map(|name| places(&first).iter().filter(|(file, _)| file == name).count())
            .collect();
        assert_eq!(counts, [3, 3, 3, 1], "{sort}");
    }
}

#[test]
fn the_lines_with_the_most_words_are_shown_first() {
    let text = format!("{}heron by the canal\n{}", "heron\n".repeat(9), "canal\n".repeat(9));
    let folder = Folder::with([("a.md", text), ("b.md", "heron canal\n".to_owned())]);
    let tools = Tools::on(folder.settings());
    let first = tools.search(&json!({ "keyword": "canal heron", "limit": 4 }));
    let of_a: Vec<u64> = places(&first).iter().filter(|(file, _)| file == "a.md").map(|(_, line)| *line).collect();
    assert_eq!(of_a, [1, 2, 10]);
}

#[test]
fn within_a_page_hits_of_a_note_stand_together_in_line_order() {
    let folder = Folder::of_fixtures();
    let tools = Tools::on(folder.settings());
    for limit in [1, 3, 7, 50] {
        let mut arguments = json!({ "keyword": "mcp", "limit": limit });
        let mut all = Vec::new();
        let total = loop {
            let page = tools.search(&arguments);
            let places = places(&page);
            assert!(places.len() <= limit);
            let mut files: Vec<&String> = places.iter().map(|(file, _)| file).collect();
            files.dedup();
            assert_eq!(files.len(), files.iter().collect::<BTreeSet<_>>().len(), "a note twice in {places:?}");
            let in_order = places.windows(2).all(|pair| pair[0].0 != pair[1].0 || pair[0].1 < pair[1].1);
            assert!(in_order, "{places:?}");
            all.extend(places);
            let Some(cursor) = page.get("next_cursor") else { break page["total"].as_u64().unwrap() };
            arguments["cursor"] = cursor.clone();
        };
        assert_eq!(all.len() as u64, total);
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "a hit twice");
    }
}

#[test]
fn size_and_format_of_a_page_may_change_on_the_way() {
    let folder = long_notes();
    let tools = Tools::on(folder.settings());
    let mut arguments = json!({ "keyword": "heron" });
    let mut all = Vec::new();
    for (limit, format) in [(2, "concise"), (5, "detailed"), (1, "detailed"), (50, "concise")] {
        arguments["limit"] = json!(limit);
        arguments["response_format"] = json!(format);
        let page = tools.search(&arguments);
        all.extend(places(&page));
        if let Some(cursor) = page.get("next_cursor") {
            arguments["cursor"] = cursor.clone();
        }
    }
    assert_eq!(all.len(), 31);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 31);
}

/// A note edited, one removed, one added: the hits of the notes that stayed as they were come once each.
#[test]
fn notes_that_did_not_change_keep_their_place_while_others_do() {
    for limit in [1, 2, 4, 7] {
        let folder = Folder::with((0..8).map(|n| {
            (
                format!("n{n}.md"),
                format!("---\ndate: 2026-10-{:02}\n---\n{}", n + 1, "heron in the canal\n".repeat(n % 4 + 1)),
            )
        }));
        let tools = Tools::on(folder.settings());
        let mut arguments = json!({ "keyword": "heron", "limit": limit });
        let (mut all, mut pages) = (Vec::new(), 0);
        loop {
            let page = tools.search(&arguments);
            all.extend(places(&page));
            pages += 1;
            match pages {
                1 => folder.write("n3.md", b"no more\n"),
                2 => folder.write("added.md", b"---\ndate: 2026-11-29\n---\nheron heron heron\n"),
                3 => drop(fs::remove_file(folder.place("n6.md"))),
                _ => {}
            }
            let Some(cursor) = page.get("next_cursor") else { break };
            arguments["cursor"] = cursor.clone();
        }
        for n in [0, 1, 2, 4, 5, 7] {
            let lines: Vec<u64> =
                all.iter().filter(|(file, _)| *file == format!("n{n}.md")).map(|(_, line)| *line).collect();
            let expected: Vec<u64> = (4..=4 + n % 4).collect();
            assert_eq!(
                lines.iter().copied().collect::<BTreeSet<_>>(),
                expected.iter().copied().collect(),
                "n{n}, limit {limit}"
            );
            assert_eq!(lines.len(), expected.len(), "a hit of n{n} twice, limit {limit}");
        }
    }
}

/// Whatever is asked for, the answer fits: here every hit weighs as much as a hit can.
#[test]
fn a_page_of_the_heaviest_hits_fits_and_goes_on_with_the_first_not_shown() {
    for piece in ["\u{1f469}\u{200d}\u{1f373}", "\"", "\\", "\u{1}", "生", "x"] {
        let line = format!("# {} heron {}\n", piece.repeat(300), piece.repeat(300));
        let names: Vec<String> = (0..8).map(|n| format!("{}/{n}.md", "生存".repeat(30))).collect();
        let folder = Folder::with(names.iter().map(|name| (name, line.repeat(5))));
        let tools = Tools::on(folder.settings());
        let arguments = json!({ "keyword": "heron", "limit": 50, "response_format": "detailed" });
        let (hits, pages) = tools.all_hits(&arguments);
        assert!(pages > 1, "{pages} pages of {piece:?}");
        let places: BTreeSet<String> = hits.iter().map(|hit| format!("{} {}", hit["file"], hit["line"])).collect();
        assert_eq!((hits.len(), places.len()), (40, 40));
    }
}
