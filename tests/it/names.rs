//! Names of notes: whatever a file is called, what a search says opens it; and what models call notes is understood.

use serde_json::json;

use crate::calling::Tools;
use crate::fixture::Folder;

/// Names that some other reading of them would take for something else.
const ODD_NAMES: [&str; 44] = [
    "plain.md",
    "two words.md",
    " leads.md",
    "trails .md",
    "#hash.md",
    "a#b.md",
    "a#L2.md",
    "a:12.md",
    "a:1-2.md",
    "[[a]].md",
    "[x](y).md",
    "a|b.md",
    "what?.md",
    "star*.md",
    "per%20cent.md",
    "~.md",
    "$HOME.md",
    "-dash.md",
    "--.md",
    "dots..md",
    "a..b.md",
    "a...md.md",
    "quote\"'`.md",
    "comma, and; semi.md",
    "&amp;.md",
    "<b>.md",
    "{a}.md",
    "caf\u{e9}.md",
    "cafe\u{301} 2.md",
    "ＷＩＤＥ.md",
    "ﬁ.md",
    "ß.md",
    "SS2.md",
    "İ.md",
    "日记　全角.md",
    "👩‍🍳.md",
    "a\u{200b}b.md",
    "a\u{202e}b.md",
    "UPPER.MD",
    "ext.md.txt",
    "null.md",
    "1.md",
    "C.md",
    "a+b=c.md",
];

/// Names that only some systems allow.
#[cfg(target_os = "linux")]
const ODDER_NAMES: [&str; 10] = [
    "line\nend.md",
    "tab\there.md",
    "esc\u{1b}[31m.md",
    "back\\slash.md",
    "C:\\x.md",
    "caf\u{e9}/in.md",
    "cafe\u{301}/in.md",
    "case.md",
    "Case.md",
    "del\u{7f}.md",
];

#[cfg(not(target_os = "linux"))]
const ODDER_NAMES: [&str; 0] = [];

#[test]
fn what_a_search_calls_a_note_opens_that_note() {
    let names: Vec<&str> = ODD_NAMES.iter().chain(&ODDER_NAMES).copied().collect();
    let folder = Folder::with(names.iter().enumerate().map(|(index, name)| (*name, format!("note number {index}.\n"))));
    let tools = Tools::on(folder.settings());
    let (hits, _) = tools.all_hits(&json!({ "keyword": "*", "limit": 50 }));
    assert_eq!(hits.len(), names.len());
    for (index, name) in names.iter().enumerate() {
        let text = format!("note number {index}.");
        let found = tools.search(&json!({ "keyword": text, "match": "phrase" }));
        assert_eq!(found["total"], 1, "{name:?}");
        let file = &found["hits"][0]["file"];
        if !name.contains(char::is_control) {
            assert_eq!(file, name);
        }
        assert!(!file.as_str().unwrap().contains(char::is_control), "{file}");
        let read = tools.read(&json!({ "filename": file }));
        assert_eq!((&read["text"], &read["file"]), (&json!(text), file), "{name:?}");
        let within = tools.search(&json!({ "keyword": "*", "path": file }));
        assert_eq!((&within["total"], &within["hits"][0]["file"]), (&json!(1), file), "{name:?} as path");
    }
}

/// A name that is no text is shown with U+FFFD, and that form opens it.
#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_no_text_opens_by_what_is_shown_of_it() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::with([("a.md", "egret\n")]);
    std::fs::write(folder.path().join(OsStr::from_bytes(b"b\xff.md")), "heron\n").unwrap();
    let tools = Tools::on(folder.settings());
    let found = tools.search(&json!({ "keyword": "heron" }));
    assert_eq!(found["total"], 1, "{found}");
    let read = tools.read(&json!({ "filename": found["hits"][0]["file"] }));
    assert_eq!(read["text"], "heron");
}

#[test]
fn the_forms_in_which_models_name_a_note_are_understood() {
    let folder = Folder::with([
        ("Projects/Plan B.md", "# Plan B\n\none\n\n## Goals\n\ntwo\n\n## Later\n\nthree\n"),
        ("café/Menü.markdown", "soup\n"),
        ("twin.md", "md\n"),
        ("twin.txt", "txt\n"),
        ("a/same.md", "a\n"),
        ("b/same.md", "b\n"),
        ("same.md", "top\n"),
    ]);
    let tools = Tools::on(folder.settings());
    for (name, file, first_line) in [
        ("Projects/Plan B.md", "Projects/Plan B.md", 1),
        ("Projects/Plan B", "Projects/Plan B.md", 1),
        ("projects/plan b.MD", "Projects/Plan B.md", 1),
        ("Plan B", "Projects/Plan B.md", 1),
        ("plan b.md", "Projects/Plan B.md", 1),
        ("[[Plan B]]", "Projects/Plan B.md", 1),
        ("[[Projects/Plan B|the plan]]", "Projects/Plan B.md", 1),
        ("[[Plan B#Goals]]", "Projects/Plan B.md", 5),
        ("Plan B#goals", "Projects/Plan B.md", 5),
        ("Plan B.md#Later", "Projects/Plan B.md", 9),
        ("Plan B.md:7", "Projects/Plan B.md", 7),
        ("Plan B.md#L7", "Projects/Plan B.md", 7),
        ("Plan B.md#L7-L9", "Projects/Plan B.md", 7),
        ("  Plan B  ", "Projects/Plan B.md", 1),
        ("Projects//Plan B.md", "Projects/Plan B.md", 1),
        ("./Projects/Plan B.md", "Projects/Plan B.md", 1),
        ("Projects\\Plan B.md", "Projects/Plan B.md", 1),
        ("cafe\u{301}/menu\u{308}", "café/Menü.markdown", 1),
        ("CAFE/MENU.markdown", "café/Menü.markdown", 1),
        ("twin.md", "twin.md", 1),
        ("twin.txt", "twin.txt", 1),
        ("same.md", "same.md", 1),
        ("same", "same.md", 1),
        ("b/same", "b/same.md", 1),
    ] {
        let read = tools.read(&json!({ "filename": name }));
        assert_eq!((read["file"].as_str(), read["start_line"].as_u64()), (Some(file), Some(first_line)), "{name}");
    }
    for (name, candidates) in [("twin", ["twin.md", "twin.txt"])] {
        let refusal = tools.call("read_note", &json!({ "filename": name })).unwrap_err();
        assert!(candidates.iter().all(|candidate| refusal.contains(&format!("\"{candidate}\""))), "{refusal}");
    }
}

#[test]
fn an_exact_name_wins_and_two_folded_ones_are_ambiguous() {
    let folder = Folder::with([("d/cafe.md", "1\n"), ("d/caf\u{e9}.md", "2\n")]);
    let tools = Tools::on(folder.settings());
    for (name, text) in [("d/cafe.md", "1"), ("d/caf\u{e9}.md", "2"), ("d/cafe", "1"), ("d/café", "2")] {
        assert_eq!(tools.read(&json!({ "filename": name }))["text"], text, "{name}");
    }
    let refusal = tools.call("read_note", &json!({ "filename": "D/CAFE.md" })).unwrap_err();
    assert!(refusal.contains("d/cafe.md") && refusal.contains("d/café.md"), "{refusal}");
}
