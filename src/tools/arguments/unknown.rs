//! Arguments that do not exist: which one was meant.
//!
//! First by the words that models are known to use, then by edit distance.

use super::{ArgumentRule, Arguments};
use crate::notes::fold::fold;
use crate::notes::nearest::nearest_word;

/// The argument that an unknown name means.
pub fn meant<'a, A: Arguments>(name: &str, rules: &'a [ArgumentRule]) -> Option<&'a ArgumentRule> {
    let plain = |name: &str| fold(name).replace(['_', '-', ' '], "");
    let name: String = name.chars().take(80).collect();
    let wanted = plain(&name);
    let by_word = A::SYNONYMS.iter().find(|(word, _)| plain(word) == wanted).map(|(_, meant)| *meant);
    let by_spelling = || rules.iter().find(|rule| plain(&rule.name) == wanted).map(|rule| rule.name.as_str());
    let by_distance = || nearest_word(&name, rules.iter().map(|rule| rule.name.as_str()));
    let meant = by_word.or_else(by_spelling).or_else(by_distance)?;
    rules.iter().find(|rule| rule.name == meant)
}

/// What is said of an unknown argument.
pub fn words(meant: Option<&ArgumentRule>, is_taken: bool, rules: &[ArgumentRule]) -> String {
    match meant {
        Some(rule) if is_taken => format!("unknown argument; {} is given already, leave this one out", rule.name),
        Some(rule) => format!("unknown argument; did you mean {}?", rule.name),
        None => {
            let names: Vec<&str> = rules.iter().map(|rule| rule.name.as_str()).collect();
            format!("unknown argument, leave it out; there are {}", names.join(", "))
        }
    }
}
