//! Files that say what is expected: compared as they are, rewritten when `UPDATE_SNAPSHOTS` is set.

use std::fs;
use std::path::{Path, PathBuf};

/// A file or folder of `tests/`.
pub fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// Whether what is expected is to be written anew.
pub fn is_update() -> bool {
    std::env::var_os("UPDATE_SNAPSHOTS").is_some_and(|value| !value.is_empty() && value != "0")
}

/// Compares, or rewrites. The difference, where there is one.
pub fn difference(file: &Path, actual: &str) -> Option<String> {
    let expected = fs::read_to_string(file).unwrap_or_default();
    if expected == actual {
        return None;
    }
    if is_update() {
        fs::write(file, actual).unwrap();
        return None;
    }
    let (expected, actual) = (shown(&expected), shown(actual));
    Some(format!(
        "{}: not as written (UPDATE_SNAPSHOTS=1 rewrites it)\n{}",
        file.display(),
        changes(&expected, &actual)
    ))
}

/// Lines to compare: a message is spread over many, and what a tool says twice is shown once.
fn shown(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let message = line.strip_prefix("← ").and_then(|json| serde_json::from_str::<serde_json::Value>(json).ok());
        let Some(mut message) = message else {
            lines.push(line.to_owned());
            continue;
        };
        if let Some(result) = message.get_mut("result").and_then(serde_json::Value::as_object_mut)
            && let Some(structured) = result.get("structuredContent")
            && result["content"][0]["text"] == structured.to_string()
        {
            result.insert("content".to_owned(), "the same as text".into());
        }
        lines.extend(format!("← {message:#}").lines().map(str::to_owned));
    }
    lines
}

/// The lines that differ, `-` expected and `+` got, by longest common subsequence, with a line of context.
fn changes(expected: &[String], actual: &[String]) -> String {
    let same_at_start = expected.iter().zip(actual).take_while(|(a, b)| a == b).count();
    let (expected, actual) = (&expected[same_at_start..], &actual[same_at_start..]);
    let same_at_end = expected.iter().rev().zip(actual.iter().rev()).take_while(|(a, b)| a == b).count();
    let (expected, actual) = (&expected[..expected.len() - same_at_end], &actual[..actual.len() - same_at_end]);
    let mut common = vec![vec![0_usize; actual.len() + 1]; expected.len() + 1];
    for i in (0..expected.len()).rev() {
        for j in (0..actual.len()).rev() {
            common[i][j] = if expected[i] == actual[j] {
                common[i + 1][j + 1] + 1
            } else {
                common[i + 1][j].max(common[i][j + 1])
            };
        }
    }
    let (mut i, mut j, mut lines, mut skipped) = (0, 0, Vec::new(), false);
    while i < expected.len() || j < actual.len() {
        if i < expected.len() && j < actual.len() && expected[i] == actual[j] {
            if !skipped {
                lines.push(format!("  {}", expected[i]));
            }
            skipped = true;
            (i, j) = (i + 1, j + 1);
        } else if j == actual.len() || (i < expected.len() && common[i + 1][j] >= common[i][j + 1]) {
            lines.push(format!("- {}", expected[i]));
            (i, skipped) = (i + 1, false);
        } else {
            lines.push(format!("+ {}", actual[j]));
            (j, skipped) = (j + 1, false);
        }
    }
    lines.join("\n")
}

#[test]
fn a_difference_shows_what_is_gone_and_what_came() {
    let lines = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(changes(&lines("a b c d e"), &lines("a x c y y e")), "- b\n+ x\n  c\n- d\n+ y\n+ y");
}
