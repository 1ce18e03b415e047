//! A problem with an argument, how it is mended, and the text that tells the model all of them at once.
//!
//! ```text
//! Error executing tool search_notes: 2 problems with the arguments
//! - limit: must be a whole number from 1 to 50; got "十条"
//! - query: unknown argument; did you mean keyword?
//! Corrected call: {"keyword":"mcp","limit":10}
//! ```

use serde_json::{Map, Value};

use super::MAX_REFUSAL_CHARACTERS;
use crate::notes::text::shown;

/// The most of a received value that is repeated, in characters.
const MAX_ECHO_CHARACTERS: usize = 80;

/// A corrected call longer than this is left out, in characters.
const MAX_CALL_CHARACTERS: usize = 1_500;

/// What is wrong with one argument.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// The argument it is about, as the model wrote its name.
    pub argument: String,
    /// What is wrong, the correct form, and what was received.
    pub words: String,
    /// Arguments that the check looked at: when one of them was bad by itself, the finding says nothing.
    pub looked_at: &'static [&'static str],
    /// How the call is mended.
    pub fix: Fix,
}

/// How a call is mended.
#[derive(Debug, Clone, PartialEq)]
pub enum Fix {
    /// Leave these arguments out.
    Drop(&'static [&'static str]),
    /// Give these arguments these values.
    Set(Vec<(&'static str, Value)>),
    /// No call can be made of it.
    Impossible,
}

impl Problem {
    /// A problem found by a check that looked at several arguments.
    pub fn new(argument: &str, words: impl Into<String>, looked_at: &'static [&'static str], fix: Fix) -> Self {
        Self { argument: argument.to_owned(), words: words.into(), looked_at, fix }
    }
}

impl Fix {
    /// Mends a call. False when that is impossible.
    pub fn apply(&self, call: &mut Map<String, Value>) -> bool {
        match self {
            Self::Drop(names) => {
                for name in *names {
                    call.shift_remove(*name);
                }
                true
            }
            Self::Set(values) => {
                for (name, value) in values {
                    call.insert((*name).to_owned(), value.clone());
                }
                true
            }
            Self::Impossible => false,
        }
    }
}

/// The text of a refused call: every problem on a line of its own, and, where one can be made, a call that would pass.
/// `call` is the call as far as it is good; the problems' fixes are applied to it.
pub fn refusal(tool: &str, problems: &[Problem], call: Option<Map<String, Value>>) -> String {
    let corrected = call.and_then(|mut call| {
        let mended = problems.iter().all(|problem| problem.fix.apply(&mut call));
        mended.then(|| corrected_line(&call)).flatten()
    });
    let plural = if problems.len() == 1 { "" } else { "s" };
    let mut text = format!("Error executing tool {tool}: {} problem{plural} with the arguments", problems.len());
    let mut room =
        MAX_REFUSAL_CHARACTERS - text.chars().count() - corrected.as_ref().map_or(0, |line| line.chars().count());
    for (index, problem) in problems.iter().enumerate() {
        let line = format!("\n- {}: {}", name_echo(&problem.argument), problem.words);
        let length = line.chars().count();
        let reserve = if index + 1 < problems.len() { 40 } else { 0 };
        if length + reserve > room {
            text += &format!("\n- and {} more problems", problems.len() - index);
            break;
        }
        room -= length;
        text += &line;
    }
    text + &corrected.unwrap_or_default()
}

fn corrected_line(call: &Map<String, Value>) -> Option<String> {
    let json = serde_json::to_string(call).ok()?;
    // DEL and C1 controls as escapes, so that the call means what it says and yet shows nothing raw.
    let escaped = |char: char| match char {
        '\u{7f}'..='\u{9f}' => format!("\\u{:04x}", u32::from(char)),
        char => char.to_string(),
    };
    let json: String = json.chars().take(MAX_CALL_CHARACTERS + 1).map(escaped).collect();
    (json.chars().count() <= MAX_CALL_CHARACTERS).then(|| format!("\nCorrected call: {json}"))
}

/// A received value, as JSON, cut to what is worth repeating.
pub fn echo(value: &Value) -> String {
    // Only the beginning is looked at: a value may be megabytes long.
    let json = match value {
        Value::String(text) => {
            let head: String = text.chars().take(MAX_ECHO_CHARACTERS + 1).collect();
            return quoted(&head);
        }
        other => other.to_string(),
    };
    cut(&shown(&json), MAX_ECHO_CHARACTERS)
}

/// A text in quotation marks, control characters visible, cut.
pub fn quoted(text: &str) -> String {
    let head: String = text.chars().take(MAX_ECHO_CHARACTERS + 1).collect();
    let is_cut = head.chars().count() > MAX_ECHO_CHARACTERS;
    let head: String = head.chars().take(MAX_ECHO_CHARACTERS).collect();
    let json = Value::String(head).to_string();
    let json = shown(&json);
    if is_cut { format!("{}…\"", json.trim_end_matches('"')) } else { json.into_owned() }
}

/// An argument's name; an odd one in quotation marks.
fn name_echo(name: &str) -> String {
    let is_plain = !name.is_empty()
        && name.len() <= MAX_ECHO_CHARACTERS
        && name.chars().all(|char| char.is_alphanumeric() || char == '_' || char == '-');
    if is_plain { name.to_owned() } else { quoted(name) }
}

/// A text cut to a number of characters, with `…`.
pub fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_repeated_in_part() {
        assert_eq!(echo(&json!("十条")), "\"十条\"");
        assert_eq!(echo(&json!([10])), "[10]");
        assert_eq!(echo(&json!("x".repeat(5000))).chars().count(), 83);
        assert_eq!(echo(&json!("a\u{1b}\u{85}")), "\"a\\u001b\u{fffd}\"");
    }

    #[test]
    fn a_thousand_problems_stay_readable() {
        let problems: Vec<Problem> = (0..1000)
            .map(|number| Problem::new(&format!("x{number}"), "unknown argument", &[], Fix::Drop(&[])))
            .collect();
        let text = refusal("search_notes", &problems, Some(Map::new()));
        assert!(
            text.chars().count() < 4000 && text.contains("1000 problems") && text.contains("more problems"),
            "{text}"
        );
        assert!(text.ends_with("Corrected call: {}"));
    }
}
