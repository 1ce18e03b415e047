//! Laws of `search_notes`: over random notes and keywords it finds what the plainest of searches finds, no more, no less.
//!
//! The oracle folds by a table of the few letters that the notes are made of, and looks at every line with `contains`.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::calling::Tools;
use crate::fixture::Folder;

/// What lines and keywords are made of: case, accents, width, letters that fold to two, other scripts, punctuation.
const PIECES: [&str; 22] = [
    "heron",
    "Héron",
    "HERON",
    "eron",
    "生存",
    "适者生存",
    "ｍｃｐ",
    "mcp",
    "C++",
    "a",
    "É",
    "ß",
    "ss",
    "\\d",
    "ガ",
    "カ",
    "[[x|y]]",
    "--pre=x",
    "🙂",
    "1/2",
    ".*",
    "İ",
];

/// A note as it is made, so that the oracle need not read it.
#[derive(Debug, Clone)]
struct Note {
    folder: &'static str,
    stem: String,
    front_matter: Option<FrontMatter>,
    lines: Vec<Line>,
    line_end: &'static str,
}

#[derive(Debug, Clone)]
struct FrontMatter {
    title: Option<String>,
    aliases: Vec<String>,
    tags: Vec<&'static str>,
    day: u32,
}

#[derive(Debug, Clone)]
enum Line {
    Heading(usize, String),
    Text(String),
    /// Inside a fence, where `#` makes no heading.
    Code(String),
}

impl Note {
    fn path(&self) -> String {
        format!("{}{}.md", self.folder, self.stem)
    }

    /// All lines of the file, each with whether it is body and whether it is a heading.
    fn all_lines(&self) -> Vec<(String, bool, bool)> {
        let mut lines = Vec::new();
        if let Some(front) = &self.front_matter {
            lines.push("---".to_owned());
            lines.extend(front.title.iter().map(|title| format!("title: {}", json!(title))));
            lines.push(format!("aliases: {}", json!(front.aliases)));
            lines.push(format!("tags: {}", json!(front.tags)));
            lines.push(format!("date: 2026-10-{:02}", front.day));
            lines.push("---".to_owned());
        }
        let mut lines: Vec<_> = lines.into_iter().map(|line| (line, false, false)).collect();
        for line in &self.lines {
            match line {
                Line::Heading(level, text) => lines.push((format!("{} {text}", "#".repeat(*level)), true, true)),
                Line::Text(text) => lines.push((text.clone(), true, false)),
                Line::Code(text) => {
                    lines.extend(
                        ["```".to_owned(), format!("# {text}"), "```".to_owned()].map(|line| (line, true, false)),
                    );
                }
            }
        }
        lines
    }

    fn content(&self) -> String {
        self.all_lines().iter().map(|(line, ..)| format!("{line}{}", self.line_end)).collect()
    }

    fn title(&self) -> String {
        let named = self.front_matter.as_ref().and_then(|front| front.title.clone());
        let heading = self.lines.iter().find_map(|line| match line {
            Line::Heading(1, text) => Some(text.clone()),
            _ => None,
        });
        named.or(heading).unwrap_or_else(|| self.stem.clone())
    }

    /// Path without extension, title and aliases.
    fn names(&self) -> Vec<String> {
        let mut names = vec![format!("{}{}", self.folder, self.stem), self.title()];
        names.extend(self.front_matter.iter().flat_map(|front| front.aliases.clone()));
        names
    }
}

/// What is asked for.
#[derive(Debug, Clone)]
struct Search {
    words: Vec<String>,
    mode: &'static str,
    scope: &'static str,
    folder: Option<&'static str>,
    tag: Option<&'static str>,
    from: Option<u32>,
    limit: usize,
}

impl Search {
    fn keyword(&self) -> String {
        self.words.join(" ")
    }

    fn arguments(&self) -> Value {
        let mut arguments =
            json!({ "keyword": self.keyword(), "match": self.mode, "scope": self.scope, "limit": self.limit });
        let day = self.from.map(|day| format!("2026-10-{day:02}"));
        for (name, value) in [("path", self.folder), ("tag", self.tag), ("date_from", day.as_deref())] {
            if let Some(value) = value {
                arguments[name] = json!(value);
            }
        }
        arguments
    }

    /// What must occur somewhere in a note.
    fn wanted(&self) -> Vec<String> {
        if self.mode == "words" {
            self.words.iter().map(|word| fold(word)).collect()
        } else {
            vec![fold(&self.keyword())]
        }
    }

    fn passes(&self, note: &Note) -> bool {
        let day = note.front_matter.as_ref().map(|front| front.day);
        let is_tagged = |tag: &str| {
            let tag = tag.trim_start_matches('#').to_lowercase();
            let tags = note.front_matter.iter().flat_map(|front| &front.tags);
            tags.into_iter().any(|has| *has == tag || has.starts_with(&format!("{tag}/")))
        };
        self.folder.is_none_or(|folder| note.folder.starts_with(&format!("{folder}/")))
            && self.tag.is_none_or(is_tagged)
            && self.from.is_none_or(|from| day.is_none_or(|day| day >= from)) // without a date: the day of the file
    }

    /// The hits in a note: line, and whether it is by name.
    fn hits(&self, note: &Note) -> Vec<(usize, bool)> {
        let in_scope = |&(_, is_body, is_heading): &(&str, bool, bool)| match self.scope {
            "titles" => is_heading,
            "body" => is_body,
            _ => true,
        };
        let all = note.all_lines();
        let numbered: Vec<(usize, String)> = all
            .iter()
            .enumerate()
            .filter(|(_, (line, is_body, is_heading))| in_scope(&(line, *is_body, *is_heading)))
            .map(|(index, (line, ..))| (index + 1, fold(line)))
            .collect();
        let names: Vec<String> =
            if self.scope == "body" { vec![] } else { note.names().iter().map(|name| fold(name)).collect() };
        let wanted = self.wanted();
        let occurs = |word: &String| {
            numbered.iter().any(|(_, line)| line.contains(word)) || names.iter().any(|name| name.contains(word))
        };
        if !self.passes(note) || !wanted.iter().all(occurs) {
            return Vec::new();
        }
        let lines: Vec<(usize, bool)> = numbered
            .iter()
            .filter(|(_, line)| wanted.iter().any(|word| line.contains(word)))
            .map(|(number, _)| (*number, false))
            .collect();
        if lines.is_empty() { vec![(1, true)] } else { lines }
    }
}

/// The one folding, for the letters that are used here.
fn fold(text: &str) -> String {
    let mut folded = String::new();
    for char in text.chars() {
        match char {
            'É' | 'é' => folded.push('e'),
            'ß' => folded.push_str("ss"),
            'İ' => folded.push('i'),
            'ｍ' => folded.push('m'),
            'ｃ' => folded.push('c'),
            'ｐ' => folded.push('p'),
            _ => folded.extend(char.to_lowercase()),
        }
    }
    folded
}

fn words(count: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    let word = vec(select(&PIECES[..]), 1..3).prop_map(|pieces| pieces.concat());
    vec(word, count).prop_map(|words| words.join(" "))
}

fn line() -> impl Strategy<Value = Line> {
    prop_oneof![
        5 => words(0..5).prop_map(Line::Text),
        1 => words(40..80).prop_map(|text| Line::Text(format!("  {text}\t"))),
        2 => (1..4_usize, words(1..4)).prop_map(|(level, text)| Line::Heading(level, text)),
        1 => words(1..3).prop_map(Line::Code),
    ]
}

fn note() -> impl Strategy<Value = Note> {
    let front_matter = (
        option::of(words(1..3)),
        vec(words(1..3), 0..2),
        vec(select(vec!["bird", "bird/water", "birds", "食"]), 0..3),
        1..30_u32,
    )
        .prop_map(|(title, aliases, tags, day)| FrontMatter { title, aliases, tags, day });
    let stem = vec(select(vec!["Heron", "mcp", "生存", "a", "-"]), 1..3).prop_map(|pieces| pieces.concat());
    (
        select(vec!["", "heron/", "heron/deep/", "日记/"]),
        stem,
        option::of(front_matter),
        vec(line(), 0..8),
        select(vec!["\n", "\r\n", "\r"]),
    )
        .prop_map(|(folder, stem, front_matter, lines, line_end)| Note {
            folder,
            stem,
            front_matter,
            lines,
            line_end,
        })
}

fn search() -> impl Strategy<Value = Search> {
    let word = prop_oneof![
        3 => select(&PIECES[..]).prop_map(str::to_owned),
        1 => vec(select(&PIECES[..]), 2..3).prop_map(|pieces| pieces.concat()),
        1 => select(vec!["er", "存", "x", "+", "s", "s🙂", "zebra", "e"]).prop_map(str::to_owned),
    ];
    (
        vec(word, 1..4),
        select(vec!["words", "words", "phrase"]),
        select(vec!["all", "titles", "body"]),
        option::weighted(0.2, select(vec!["heron", "heron/deep"])),
        option::weighted(0.2, select(vec!["bird", "BIRD/water", "#食"])),
        option::weighted(0.2, 1..30_u32),
        1..6_usize,
    )
        .prop_map(|(words, mode, scope, folder, tag, from, limit)| Search {
            words,
            mode,
            scope,
            folder,
            tag,
            from,
            limit,
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, ..ProptestConfig::default() })]

    #[test]
    fn a_search_finds_what_the_plainest_search_finds(mut notes in vec(note(), 1..6), search in search()) {
        let always = Line::Text("nothing".to_owned()); // so that the folders are there
        notes.push(Note { folder: "heron/deep/", stem: "zzz".to_owned(), front_matter: None, lines: vec![always], line_end: "\n" });
        let folder = Folder::with(notes.iter().map(|note| (note.path(), note.content())));
        // The last of two notes with one path is the one that stands.
        let standing: Vec<&Note> = notes
            .iter()
            .enumerate()
            .filter(|(index, note)| notes[index + 1..].iter().all(|later| later.path() != note.path()))
            .map(|(_, note)| note)
            .collect();
        let mut expected = BTreeSet::new();
        for note in &standing {
            for (line, by_name) in search.hits(note) {
                expected.insert((note.path(), line, by_name));
            }
        }
        let tools = Tools::on(folder.settings());
        let answer = tools.search(&search.arguments());
        let (hits, _) = tools.all_hits(&search.arguments());
        let found: BTreeSet<(String, usize, bool)> = hits
            .iter()
            .map(|hit| {
                let line = usize::try_from(hit["line"].as_u64().unwrap()).unwrap();
                (hit["file"].as_str().unwrap().to_owned(), line, hit["matched"] == "name")
            })
            .collect();
        prop_assert_eq!(&found, &expected, "{}", search.arguments());
        prop_assert_eq!(hits.len(), expected.len(), "a hit twice");
        prop_assert_eq!(&answer["total"], expected.len());
        let files: BTreeSet<&String> = expected.iter().map(|(file, ..)| file).collect();
        prop_assert_eq!(&answer["total_notes"], files.len());
        for hit in &hits {
            let note = standing.iter().find(|note| hit["file"] == note.path()).unwrap();
            hold_for_text(hit, note, &search);
        }
    }
}

/// What a hit shows: the line, cut around the match when it is long.
fn hold_for_text(hit: &Value, note: &Note, search: &Search) {
    let shown = hit["text"].as_str().unwrap();
    if hit["matched"] == "name" {
        assert_eq!(shown, note.title());
        return;
    }
    let number = usize::try_from(hit["line"].as_u64().unwrap()).unwrap();
    let line = &note.all_lines()[number - 1].0;
    let characters = line.trim().chars().count();
    assert!(shown.chars().count() <= 240, "{hit}");
    let Some(column) = hit.get("column") else {
        assert_eq!(shown, line.trim());
        assert!(characters <= 240 && hit.get("line_length").is_none(), "{hit}");
        return;
    };
    assert!(characters > 240 && shown.contains('…'), "{hit}");
    assert_eq!(hit["line_length"], line.chars().count());
    assert!(line.contains(shown.trim_matches('…').trim()), "{hit} is not of {line}");
    let skipped = usize::try_from(column.as_u64().unwrap()).unwrap() - 1;
    let rest = fold(&line.chars().skip(skipped).collect::<String>());
    let is_match = |word: &String| rest.find(word.as_str()).is_some_and(|at| at <= 1); // a match may begin inside `ß`
    assert!(search.wanted().iter().any(is_match), "{hit}: no match at {column} of {line}");
    assert!(search.wanted().iter().any(|word| fold(shown).contains(word.as_str())), "{hit} does not show a match");
}

#[test]
fn a_newer_note_comes_first_among_equals_and_the_order_is_the_same_on_every_call() {
    let notes = (1..=9).map(|day| (format!("n{day}.md"), format!("---\ndate: 2026-10-0{day}\n---\nheron\n")));
    let folder = Folder::with(notes);
    let order = |tools: &Tools, sort: &str| {
        let (hits, pages) = tools.all_hits(&json!({ "keyword": "heron", "sort": sort, "limit": 2 }));
        assert_eq!(pages, 5);
        hits.iter().map(|hit| hit["file"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let newest: Vec<String> = (1..=9).rev().map(|day| format!("n{day}.md")).collect();
    for _ in 0..3 {
        let tools = Tools::on(folder.settings());
        assert_eq!(order(&tools, "relevance"), newest);
        assert_eq!(order(&tools, "newest"), newest);
        assert_eq!(order(&tools, "oldest").into_iter().rev().collect::<Vec<_>>(), newest);
    }
}
