//! Texts: encodings, broken bytes, line ends, front matter of every kind; and changes are seen at the next call.

use std::fs::{self, File};

use encoding_rs::{BIG5, EUC_KR, Encoding, GB18030, GBK, SHIFT_JIS, UTF_8, WINDOWS_1252};
use serde_json::{Value, json};

use crate::calling::Tools;
use crate::fixture::Folder;

const CHINESE: &str =
    "读书笔记\n\n今天读了几页天演论，适者生存四个字人人会说，可是很少有人问适的是什么环境。\n运河边的桂花又开了。\n";
const TAIWANESE: &str =
    "讀書筆記\n\n今天讀了幾頁天演論，適者生存四個字人人會說，可是很少有人問適的是什麼環境。\n運河邊的桂花又開了。\n";
const JAPANESE: &str =
    "読書ノート\n\nきょうは運河のそばでカワセミを見た。カタカナとひらがなと漢字で書いてある。\nまたあした。\n";
const KOREAN: &str =
    "독서 노트\n\n오늘은 운하 옆에서 물총새를 보았다. 내일도 다시 가 보려고 한다.\n한글로 쓴 글이다.\n";
const FRENCH: &str =
    "Carnet\n\nL’été dernier, près du canal, j’ai vu un héron — très grand, à côté d’un café.\nÇa suffit.\n";

fn encoded(encoding: &'static Encoding, text: &str) -> Vec<u8> {
    let (bytes, _, lossy) = encoding.encode(text);
    assert!(!lossy, "{} cannot write this", encoding.name());
    bytes.into_owned()
}

fn utf_16(text: &str, bytes_of: fn(u16) -> [u8; 2]) -> Vec<u8> {
    "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(bytes_of).collect()
}

#[test]
fn old_encodings_are_decoded_named_and_searched() {
    for (named, bytes, text, word) in [
        ("GB", encoded(GBK, CHINESE), CHINESE, "适者生存"),
        ("GB", encoded(GB18030, &CHINESE.replace("桂花", "𠮷花")), &CHINESE.replace("桂花", "𠮷花"), "𠮷花"),
        ("Big5", encoded(BIG5, TAIWANESE), TAIWANESE, "適者生存"),
        ("Shift_JIS", encoded(SHIFT_JIS, JAPANESE), JAPANESE, "カワセミ"),
        ("EUC-KR", encoded(EUC_KR, KOREAN), KOREAN, "물총새"),
        ("windows-1252", encoded(WINDOWS_1252, FRENCH), FRENCH, "heron"),
        ("UTF-16LE", utf_16(CHINESE, u16::to_le_bytes), CHINESE, "生存"),
        ("UTF-16BE", utf_16(FRENCH, u16::to_be_bytes), FRENCH, "canal"),
        ("", encoded(UTF_8, CHINESE), CHINESE, "生存"),
        ("", [b"\xef\xbb\xbf", FRENCH.as_bytes()].concat(), FRENCH, "Carnet"),
    ] {
        let folder = Folder::with([("note.txt", bytes)]);
        let tools = Tools::on(folder.settings());
        let read = tools.read(&json!({ "filename": "note.txt" }));
        assert_eq!(read["text"], text.trim_end(), "{named}");
        let encoding = read.get("encoding").and_then(Value::as_str).unwrap_or_default();
        let is_named = if named.is_empty() {
            encoding.is_empty()
        } else {
            encoding.to_lowercase().starts_with(&named.to_lowercase())
        };
        assert!(is_named, "{encoding} is not {named}");
        let found = tools.search(&json!({ "keyword": word, "scope": "body" }));
        assert_eq!(found["total"], 1, "{word} in {named}");
        assert!(!found.to_string().contains('\u{fffd}'), "{found}");
    }
}

#[test]
fn a_few_bad_bytes_leave_a_text_what_it_is() {
    let folder = Folder::with([("a.md", "运河边的桂花\nh\u{e9}ron X here\nend\n".replace('X', "\u{1}").into_bytes())]);
    let mut bytes = fs::read(folder.place("a.md")).unwrap();
    let bad = bytes.iter().position(|byte| *byte == 1).unwrap();
    bytes[bad] = 0xff;
    folder.write("a.md", &bytes);
    let tools = Tools::on(folder.settings());
    let read = tools.read(&json!({ "filename": "a.md" }));
    assert_eq!((&read["text"], read.get("encoding")), (&json!("运河边的桂花\nhéron \u{fffd} here\nend"), None));
    assert_eq!(tools.search(&json!({ "keyword": "heron here 桂花" }))["total"], 2);
}

#[test]
fn lines_are_counted_alike_whatever_ends_them() {
    for end in ["\n", "\r\n", "\r"] {
        for last in ["", end] {
            let text = ["---", "title: T", "---", "one", "", "heron"].join(end) + last;
            let folder = Folder::with([("n.md", text)]);
            let tools = Tools::on(folder.settings());
            let found = tools.search(&json!({ "keyword": "heron", "response_format": "detailed" }));
            let hit = &found["hits"][0];
            assert_eq!(
                (&hit["line"], &hit["title"], &hit["before"]),
                (&json!(6), &json!("T"), &json!(["one", ""])),
                "{end:?}"
            );
            let read = tools.read(&json!({ "filename": "n" }));
            assert_eq!((&read["total_lines"], &read["text"]), (&json!(6), &json!("---\ntitle: T\n---\none\n\nheron")));
        }
    }
}

/// Front matter of any kind costs at most the metadata, never the note.
#[test]
fn front_matter_says_what_it_can_and_hides_nothing() {
    let deep = format!("---\ntitle: {}{}\n---\n# H\n\nheron\n", "[".repeat(50_000), "]".repeat(50_000));
    for (text, title, date, tags) in [
        ("---\ntitle: 007\n---\nheron\n", "007", "2026-11-01", &[][..]),
        ("---\ntitle: yes\ndate: 2026-10-12T23:30:00-08:00\n---\nheron\n", "yes", "2026-10-12", &[]),
        ("---\ncreated: 2026-09-08\ntags: [a, '#b', c/d]\n---\n# H\nheron\n", "H", "2026-09-08", &["a", "b", "c/d"]),
        ("---\ndate: 2026-01-02\ncreated: 2026-09-08\ntag: one\n...\nheron\n", "n", "2026-01-02", &["one"]),
        ("---\ntags: a, b\n---\nheron\n", "n", "2026-11-01", &["a", "b"]),
        ("---\ntitle: [broken\n---\n# H\n\nheron\n", "H", "2026-11-01", &[]),
        ("---\ntitle: never closed\n\nheron\n", "n", "2026-11-01", &[]),
        ("---\n---\nheron\n", "n", "2026-11-01", &[]),
        ("\n---\ntitle: too late\n---\nheron\n", "n", "2026-11-01", &[]),
        ("# *One* `two`\n\nheron #in-line `#not` https://x/#no\n", "*One* `two`", "2026-11-01", &["in-line"]),
        ("```\n# code\n#no\n```\n# Real\nheron\n", "Real", "2026-11-01", &[]),
        (deep.as_str(), "H", "2026-11-01", &[]),
    ] {
        let folder = Folder::with([("n.md", text)]);
        let tools = Tools::on(folder.settings());
        let read = tools.read(&json!({ "filename": "n.md", "response_format": "detailed", "end_line": 1 }));
        let shown = &text[..text.len().min(60)];
        assert_eq!((&read["title"], &read["date"]), (&json!(title), &json!(date)), "{shown:?}");
        assert_eq!(read["tags"], json!(tags), "{shown:?}");
        assert_eq!(tools.search(&json!({ "keyword": "heron" }))["total"], 1, "{shown:?}");
        for tag in tags {
            assert_eq!(tools.search(&json!({ "keyword": "*", "tag": format!("#{tag}") }))["total"], 1, "{tag}");
        }
    }
}

#[test]
fn a_date_stands_in_the_name_when_the_note_has_none() {
    for (name, date) in [
        ("2026-10-12.md", "2026-10-12"),
        ("20261012 x.md", "2026-10-12"),
        ("weekly 2026-02-28.md", "2026-02-28"),
        ("2026-02-30.md", "2026-11-01"),
        ("20269999.md", "2026-11-01"),
        ("2026-10-12/inside.md", "2026-11-01"),
    ] {
        let folder = Folder::with([(name, "heron\n")]);
        let found = Tools::on(folder.settings()).search(&json!({ "keyword": "heron", "response_format": "detailed" }));
        assert_eq!(found["hits"][0]["date"], date, "{name}");
    }
}

#[test]
fn a_change_is_seen_at_the_next_call_also_one_that_hides_itself() {
    let folder = Folder::with([("a.md", "one heron\n")]);
    let tools = Tools::on(folder.settings());
    let total = |keyword: &str| tools.search(&json!({ "keyword": keyword }))["total"].clone();
    for round in 0..20 {
        let (word, other) = if round % 2 == 0 { ("egret", "heron") } else { ("heron", "egret") };
        folder.write("a.md", format!("one {word}\n").as_bytes()); // same size, same time of modification
        assert_eq!((total(word), total(other)), (json!(1), json!(0)), "round {round}");
        assert_eq!(tools.read(&json!({ "filename": "a" }))["text"], format!("one {word}"));
    }
    fs::rename(folder.place("a.md"), folder.place("b.md")).unwrap();
    assert_eq!(tools.search(&json!({ "keyword": "one" }))["hits"][0]["file"], "b.md");
    fs::write(folder.place("new.md"), "heron too\n").unwrap();
    assert_eq!(total("too"), 1);
    File::options().write(true).open(folder.place("new.md")).unwrap().set_len(5).unwrap();
    assert_eq!((total("too"), total("heron")), (json!(0), json!(2)));
    fs::remove_file(folder.place("b.md")).unwrap();
    assert_eq!(total("one"), 0);
}
