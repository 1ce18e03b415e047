//! What is a note and what is not: one rule for both tools, and nothing left out in silence.

use serde_json::{Value, json};

use crate::calling::Tools;
use crate::fixture::Folder;

/// What the search left out, as `reason: count`.
fn skipped(answer: &Value) -> Vec<String> {
    let skipped = answer.get("skipped").and_then(Value::as_array).into_iter().flatten();
    skipped.map(|left_out| format!("{}: {}", left_out["reason"].as_str().unwrap(), left_out["count"])).collect()
}

fn files(answer: &Value) -> Vec<&str> {
    let mut files: Vec<&str> =
        answer["hits"].as_array().unwrap().iter().map(|hit| hit["file"].as_str().unwrap()).collect();
    files.sort_unstable();
    files
}

/// How both tools treat a file.
enum Treated {
    /// It is found and read.
    Note,
    /// Neither, and not a word of it in a search.
    ByDesign,
    /// Neither, and counted.
    Counted,
}

#[test]
fn both_tools_go_by_one_rule() {
    use Treated::{ByDesign, Counted, Note};
    let large = "heron ".repeat(1_000);
    let late_nul = format!("heron{}\0end\n", " \n".repeat(4_500));
    let early_nul = format!("heron{}\0end\n", " \n".repeat(3_500));
    let deep = format!("{}deep.md", "d/".repeat(200));
    for (name, content, treated) in [
        ("a.md", "heron", Note),
        ("a.markdown", "heron", Note),
        ("a.mdx", "heron", Note),
        ("a.txt", "heron", Note),
        ("a.org", "heron", Note),
        ("A.MD", "heron", Note),
        ("a.b.c.md", "heron", Note),
        ("folder.md/a.md", "heron", Note),
        (deep.as_str(), "heron", Note),
        ("node_modules.md", "heron", Note),
        ("a.png", "heron", ByDesign),
        ("a.md.bak", "heron", ByDesign),
        ("a", "heron", ByDesign),
        ("md", "heron", ByDesign),
        (".a.md", "heron", ByDesign),
        (".md", "heron", ByDesign),
        (".obsidian/a.md", "heron", ByDesign),
        ("b/.c/d/a.md", "heron", ByDesign),
        ("node_modules/a.md", "heron", ByDesign),
        ("b/node_modules/c/a.md", "heron", ByDesign),
        ("archive/a.md", "heron", ByDesign),
        ("b/archive/a.md", "heron", ByDesign),
        ("draft-1.md", "heron", ByDesign),
        ("late.md", late_nul.as_str(), Note),
        ("early.md", early_nul.as_str(), Counted),
        ("large.md", large.as_str(), Counted),
        (".large.md", large.as_str(), ByDesign),
        ("binary.png", "\0", ByDesign),
    ] {
        let folder = Folder::with([(name, content), ("other.md", "an egret")]);
        folder.write(".gitignore", b"*.md\n");
        folder.write("b/other.md", b"an egret");
        let mut settings = folder.settings();
        settings.exclude = vec!["archive/".to_owned(), "draft-*.md".to_owned()];
        settings.max_file_bytes = if name.contains("large") { 5_000 } else { 50_000 };
        let tools = Tools::on(settings);
        let found = tools.search(&json!({ "keyword": "heron" }));
        let read = tools.call("read_note", &json!({ "filename": name }));
        match treated {
            Note => {
                assert_eq!((files(&found), skipped(&found)), (vec![name], vec![]), "{name}");
                assert_eq!(read.unwrap()["file"], name);
            }
            ByDesign => {
                assert_eq!((files(&found), skipped(&found)), (vec![], vec![]), "{name}");
                assert!(read.is_err(), "{name}");
            }
            Counted => {
                assert_eq!((files(&found), skipped(&found).len()), (vec![], 1), "{name}: {found}");
                assert_eq!(found["skipped"][0]["example"], name);
                assert!(found["hint"].as_str().unwrap().contains("skipped"), "{found}");
                assert!(read.unwrap_err().contains(name), "{name}");
            }
        }
    }
}

#[test]
fn other_extensions_may_be_notes_and_the_usual_ones_not() {
    let folder = Folder::with([("a.md", "heron"), ("b.LOG", "heron"), ("c.tex", "heron")]);
    let mut settings = folder.settings();
    settings.extensions = vec!["log".to_owned(), "tex".to_owned()];
    let tools = Tools::on(settings);
    assert_eq!(files(&tools.search(&json!({ "keyword": "heron" }))), ["b.LOG", "c.tex"]);
    assert_eq!(tools.read(&json!({ "filename": "b" }))["file"], "b.LOG");
    let refusal = tools.call("read_note", &json!({ "filename": "a.md" })).unwrap_err();
    assert!(refusal.contains(".log") && refusal.contains(".tex"), "{refusal}");
}

#[cfg(unix)]
#[test]
fn links_are_followed_only_when_asked_and_never_out_of_the_folder() {
    let folder = Folder::with([("real/a.md", "heron\n"), ("../outside/secret.md", "heron secret\n")]);
    folder.link("file.md", "real/a.md");
    folder.link("chain.md", "file.md");
    folder.link("absolute.md", folder.place("real/a.md"));
    folder.link("dir", "real");
    folder.link("real/loop", "..");
    folder.link("self.md", "self.md");
    folder.link("gone.md", "nowhere.md");
    folder.link("out.md", "../outside/secret.md");
    folder.link("out-absolute.md", folder.place("../outside/secret.md"));
    folder.link("outdir", "../outside");
    folder.link("through.md", "outdir/secret.md");
    folder.link("real/up.md", "../../outside/secret.md");
    let leading_out = ["out.md", "out-absolute.md", "outdir/secret.md", "through.md", "real/up.md"];

    let tools = Tools::on(folder.settings());
    let found = tools.search(&json!({ "keyword": "heron" }));
    assert_eq!(files(&found), ["real/a.md"]);
    assert_eq!(found["skipped"][0]["reason"], "symbolic link");
    for name in ["file.md", "chain.md", "absolute.md", "dir/a.md", "self.md", "gone.md"].iter().chain(&leading_out) {
        let refusal = tools.call("read_note", &json!({ "filename": name })).unwrap_err();
        assert!(refusal.contains("link") && !refusal.contains("secret\n"), "{refusal}");
    }

    let mut settings = folder.settings();
    settings.follow_links = true;
    let tools = Tools::on(settings);
    let found = tools.search(&json!({ "keyword": "heron" }));
    for name in ["real/a.md", "file.md", "chain.md", "absolute.md"] {
        assert!(files(&found).contains(&name), "{name}: {found}");
        assert_eq!(tools.read(&json!({ "filename": name }))["text"], "heron", "{name}");
    }
    assert_eq!(tools.read(&json!({ "filename": "dir/a.md" }))["text"], "heron");
    assert!(!found.to_string().contains("heron secret"), "{found}");
    assert!(found["total"].as_u64().unwrap() < 12, "loops end: {found}");
    for name in leading_out.iter().chain(&["self.md", "gone.md"]) {
        let refusal = tools.call("read_note", &json!({ "filename": name })).unwrap_err();
        assert!(!refusal.contains("heron"), "{name}: {refusal}");
    }
}

/// What lies outside is refused in the same words, whether or not there is something.
#[cfg(unix)]
#[test]
fn nothing_is_told_of_what_lies_outside() {
    let folder = Folder::with([("a.md", "heron\n"), ("../there/b.md", "secret\n")]);
    folder.link("link", "../there");
    let tools = Tools::on(folder.settings());
    let absolute = folder.place("../there").to_str().unwrap().to_owned();
    for (there, not_there) in [
        ("../there/b.md".to_owned(), "../there/c.md".to_owned()),
        ("link/b.md".to_owned(), "link/c.md".to_owned()),
        (format!("{absolute}/b.md"), format!("{absolute}/c.md")),
        ("../there".to_owned(), "../nowhere".to_owned()),
        ("a.md/../../there/b.md".to_owned(), "a.md/../../there/c.md".to_owned()),
        ("%2e%2e/there/b.md".to_owned(), "%2e%2e/there/c.md".to_owned()),
    ] {
        for (tool, argument) in [("read_note", "filename"), ("search_notes", "path")] {
            let said = |name: &str| {
                let refusal =
                    tools.call(tool, &json!({ "keyword": "secret", argument: name }).without(tool)).unwrap_err();
                refusal.replace(name, "NAME")
            };
            assert_eq!(said(&there), said(&not_there), "{tool} {there}");
        }
    }
    let inside = folder.place("a.md").to_str().unwrap().to_owned();
    assert!(
        tools.call("read_note", &json!({ "filename": inside })).is_err(),
        "an absolute path is refused though it leads inside"
    );
}

/// Takes `keyword` from the arguments of `read_note`, which has none.
trait Without {
    fn without(self, tool: &str) -> Value;
}

impl Without for Value {
    fn without(mut self, tool: &str) -> Value {
        if tool == "read_note" {
            self.as_object_mut().unwrap().remove("keyword");
        }
        self
    }
}

#[cfg(unix)]
#[test]
fn pipes_are_counted_and_never_opened() {
    let folder = Folder::with([("a.md", "heron\n")]);
    folder.pipe("pipe.md");
    folder.pipe("pipe.png");
    let tools = Tools::on(folder.settings());
    let found = tools.search(&json!({ "keyword": "heron" }));
    assert_eq!((files(&found), skipped(&found)), (vec!["a.md"], vec!["not a regular file: 1".to_owned()]));
    assert!(tools.call("read_note", &json!({ "filename": "pipe.md" })).unwrap_err().contains("pipe.md"));
}

/// Root reads what is forbidden; then it is a note like any other.
#[cfg(unix)]
#[test]
fn what_may_not_be_read_is_counted() {
    let folder = Folder::with([("a.md", "heron\n"), ("closed.md", "heron\n"), ("closed/b.md", "heron\n")]);
    folder.forbid("closed.md", true);
    folder.forbid("closed", true);
    let may_read = std::fs::File::open(folder.place("closed.md")).is_ok();
    let tools = Tools::on(folder.settings());
    let found = tools.search(&json!({ "keyword": "heron" }));
    let read = tools.call("read_note", &json!({ "filename": "closed.md" }));
    folder.forbid("closed", false);
    if may_read {
        assert_eq!((files(&found), skipped(&found)), (vec!["a.md", "closed.md", "closed/b.md"], vec![]));
        assert_eq!(read.unwrap()["text"], "heron");
    } else {
        assert_eq!((files(&found), skipped(&found)), (vec!["a.md"], vec!["unreadable: 2".to_owned()]));
        assert!(read.unwrap_err().contains("closed.md"));
    }
}
