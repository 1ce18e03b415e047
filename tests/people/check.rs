//! `--check` on folders that are well and on folders that are not.

use std::fs;
use std::path::Path;

use super::{NOTES, Run, program, ran, run, text};

fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let base = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = base.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    base
}

fn check(path: &Path) -> Run {
    run(&["--check", text(path)])
}

/// Asserts that a check ends badly, with words of the reason and of the remedy.
fn assert_bad(run: &Run, reason: &str, remedy: &str) {
    assert_eq!(run.code, Some(1), "{run:?}");
    let (_, wrong) = run.stdout.split_once("Something is wrong: ").expect("the reason is said");
    let (said, todo) = wrong.split_once("What to do: ").expect("the remedy is said");
    assert!(said.contains(reason), "{said}");
    assert!(todo.contains(remedy), "{todo}");
}

#[test]
fn a_good_folder_is_described_as_a_client_sees_it() {
    let base = folder(&[
        ("2025-02-03 Heron.md", b"# Heron project\n\nalpha\n"),
        (
            "old/2024-01-01.txt",
            b"\xd6\xd0\xce\xc4\xb5\xc4\xb1\xca\xbc\xc7\xa3\xac\xbd\xf1\xcc\xec\xcc\xec\xc6\xf8\xba\xdc\xba\xc3\xa1\xa3",
        ),
        ("old/2024-06-01.md", b"heron again"),
    ]);
    let run = check(base.path());
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:?}");
    for line in [
        "Options: the defaults.",
        "It speaks MCP 2026-07-28 without a handshake, and 2025-11-25, 2025-06-18, 2025-03-26 and 2024-11-05 with one.",
        "Tool search_notes: about ",
        "Tool read_note: about ",
        "read_note opened the newest note, 2025-02-03 Heron.md: 3 lines.",
        "search_notes for \"Heron\" found 2 hits in 2 notes.",
        "3 notes, 60 bytes: 2 .md and 1 .txt.",
        "Encodings: 2 UTF-8 and 1 GBK.",
        "The notes are dated 2024-01-01 to 2025-02-03.",
        "Nothing is left out.",
        "The first search read all 3 notes: ",
        "A search after that took ",
        "All is well.",
    ] {
        assert!(run.stdout.contains(line), "{line}\n{}", run.stdout);
    }
    assert!(!run.stdout.contains('\u{1b}'), "no colours in a pipe: {run:?}");
}

#[test]
fn the_notes_that_come_with_the_sources_are_well() {
    let run = run(&["--check", NOTES]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.contains("All is well."), "{run:?}");
}

#[test]
fn options_in_force_reach_the_server_and_the_report() {
    let base =
        folder(&[("a.md", b"alpha"), ("b.rst", b"beta"), ("old/c.md", b"gamma"), (".git/x.md", b""), ("d.md", b"\0")]);
    let run = run(&["--check", "--ext", "md,rst", "--exclude", "old/", "--about", "my work", text(base.path())]);
    assert_eq!(run.code, Some(0), "{run:?}");
    for line in [
        "Options: --ext md,rst --exclude old/ --about \"my work\"; the rest are the defaults.",
        "2 notes, 9 bytes: 1 .md and 1 .rst.",
        "Left out: 1 name beginning with a dot: .git.",
        "Left out: 1 name that --exclude leaves out: old.",
        "Left out: 1 file that is binary (has a NUL byte near the beginning): d.md.",
        "Of them, 2 say no day themselves and count by the day the file was last modified.",
    ] {
        assert!(run.stdout.contains(line), "{line}\n{}", run.stdout);
    }
}

#[test]
fn a_missing_folder_is_named_with_the_nearest_one() {
    let base = folder(&[("notes/a.md", b"x")]);
    assert_bad(&check(&base.path().join("ntoes")), "there is no folder", "did you mean");
}

#[test]
fn a_file_is_no_folder() {
    let base = folder(&[("a.md", b"x")]);
    assert_bad(&check(&base.path().join("a.md")), "is a file, not a folder", "give the folder it is in");
}

#[test]
fn a_folder_without_notes_says_what_it_holds() {
    assert_bad(&check(folder(&[]).path()), "holds no file at all", "put notes into it");
    let base = folder(&[("a.pdf", b"x"), ("b.pdf", b"x"), ("Makefile", b"x")]);
    assert_bad(&check(base.path()), "it holds 2 .pdf and 1 without extension", "--ext");
}

#[test]
fn notes_that_are_all_hidden_are_found_out() {
    let base = folder(&[("work/.drafts/a.md", b"x"), ("work/.drafts/b.md", b"x")]);
    let place = base.path().join("work").join(".drafts");
    assert_bad(&check(base.path()), "2 files, such as work/.drafts/a.md", text(&place));
    assert_bad(&check(folder(&[(".a.md", b"x")]).path()), "1 file: .a.md", "do not begin with a dot");
    let base = folder(&[("old/a.md", b"x")]);
    let run = run(&["--check", "--exclude", "old/", text(base.path())]);
    assert_bad(&run, "--exclude leaves out", "take back the --exclude");
}

#[test]
fn notes_that_are_all_binary_are_found_out() {
    assert_bad(&check(folder(&[("a.md", b"\0")]).path()), "1 (binary: a.md)", "a binary file holds no text");
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_opened_is_named_with_what_to_do() {
    use std::os::unix::fs::PermissionsExt;
    let base = folder(&[("shut/a.md", b"x")]);
    let shut = base.path().join("shut");
    fs::set_permissions(&shut, fs::Permissions::from_mode(0o000)).unwrap();
    let may_all_the_same = fs::read_dir(&shut).is_ok(); // root may open everything
    let run = check(&shut);
    fs::set_permissions(&shut, fs::Permissions::from_mode(0o700)).unwrap();
    if may_all_the_same {
        assert_eq!(run.code, Some(0), "{run:?}");
    } else {
        assert_bad(&run, "the system does not let this program open it", "chmod");
    }
}

#[cfg(unix)]
#[test]
fn links_are_counted_with_the_option_that_follows_them() {
    let base = folder(&[("a.md", b"x")]);
    std::os::unix::fs::symlink("a.md", base.path().join("b.md")).unwrap();
    let plain = check(base.path());
    assert!(plain.stdout.contains("Left out: 1 symbolic link (see --follow-links): b.md."), "{plain:?}");
    let followed = run(&["--check", "--follow-links", text(base.path())]);
    assert!(followed.stdout.contains("2 notes, "), "{followed:?}");
}

#[test]
fn the_folder_may_come_from_the_environment_and_be_relative() {
    let run = ran(program()
        .env("NOTE_SEARCH_DIR", "notes-fixtures")
        .arg("--check")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output());
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(
        run.stdout.contains(&format!(
            "Notes folder: {}",
            Path::new(env!("CARGO_MANIFEST_DIR")).join("notes-fixtures").display()
        )),
        "{run:?}"
    );
}
