//! Hints: what happened and what to do next, for the model, with the real numbers; as short as the facts allow.
//!
//! Every suggestion is one that was counted: nothing is recommended that would find nothing.

use jiff::civil::Date;
use serde_json::{Map, Value, json};

use super::answer::Skipped;
use super::{InScope, Matching, SearchArguments};
use crate::notes::Notes;
use crate::notes::search::{Found, Nothing, Removed, Search};
use crate::tools::problem::cut;
use crate::tools::wording::{json, plural};

/// Words that are counted one by one at most; the rest is summed up.
const MAX_WORDS: usize = 8;

/// The longest word, title or path in a hint, in characters.
const MAX_NAME_CHARACTERS: usize = 100;

/// The longest call that is repeated in a hint, in characters.
const MAX_CALL_CHARACTERS: usize = 600;

/// What this answer shows.
pub(super) struct Shown {
    /// Hits in it.
    pub count: usize,
    /// Whether the byte budget cut it, rather than `limit`.
    pub is_cut_by_budget: bool,
    /// Whether more hits follow.
    pub truncated: bool,
}

/// The hint of an answer, if there is anything to say.
pub(super) fn hint(
    arguments: &SearchArguments,
    search: &Search,
    found: &Found,
    skipped: &[Skipped],
    shown: &Shown,
    today: Date,
    notes: &Notes,
) -> Option<String> {
    let mut sentences = Vec::new();
    if let Some(nothing) = &found.nothing {
        sentences.extend(nothing_found(arguments, search, nothing, !skipped.is_empty(), today, notes));
    } else if shown.truncated {
        sentences.extend(truncated(arguments, found, shown, today));
    } else if shown.count == 0 {
        sentences.push("No hits follow this cursor; the earlier pages hold all of them.".to_owned());
    }
    sentences.extend(left_out(skipped));
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

fn truncated(arguments: &SearchArguments, found: &Found, shown: &Shown, today: Date) -> Vec<String> {
    let Found { total, total_notes, narrower, .. } = found;
    let why = if shown.is_cut_by_budget { " (all that fit one answer)" } else { "" };
    let first = if arguments.keyword == "*" {
        format!("{} of {total} notes are shown{why}.", shown.count)
    } else {
        format!(
            "{} of {total} matching lines (in {total_notes} note{}) are shown{why}.",
            shown.count,
            plural(*total_notes)
        )
    };
    let unit = if arguments.keyword == "*" { "note" } else { "line" };
    let mut ways = Vec::new();
    if let Some(count) = narrower.in_titles {
        ways.push(format!("scope \"titles\" ({count} note{})", plural(count)));
    }
    if let Some((folder, lines)) =
        narrower.folder.as_ref().filter(|(folder, _)| folder.chars().count() <= MAX_NAME_CHARACTERS)
    {
        ways.push(format!("path {} ({lines} {}{})", json(folder), unit, plural(*lines)));
    }
    if let Some((day, lines)) = narrower.since.filter(|(day, _)| arguments.date_from.is_none() && *day <= today) {
        ways.push(format!("date_from \"{day}\" ({lines} {}{})", unit, plural(lines)));
    }
    let every = arguments.keyword == "*";
    if !every {
        ways.push("a rarer word".to_owned());
    }
    let narrow = if ways.is_empty() { String::new() } else { format!("To narrow: {}. ", one_of(&ways)) };
    vec![first, format!("{narrow}For the next page: the same call with cursor set to next_cursor.")]
}

fn nothing_found(
    arguments: &SearchArguments,
    search: &Search,
    nothing: &Nothing,
    is_skipped: bool,
    today: Date,
    notes: &Notes,
) -> Vec<String> {
    if nothing.notes == 0 && is_skipped {
        return vec!["No note could be searched; what has a note's name was skipped. Tell the user.".to_owned()];
    }
    if nothing.notes == 0 && !notes.settings().exclude.is_empty() {
        return vec![
            "There is no note to search: the folder has none, or the user excluded all of them (--exclude).".to_owned(),
        ];
    }
    if nothing.notes == 0 {
        let extensions: Vec<String> = notes.extensions().iter().map(|extension| format!(".{extension}")).collect();
        return vec![format!(
            "The notes folder is empty: it holds no note (files ending in {}). Tell the user; there is nothing to search.",
            extensions.join(", ")
        )];
    }
    let mut sentences = Vec::new();
    sentences.extend(words_found(arguments, nothing));
    sentences.extend(removed(search, nothing));
    sentences.extend(tag_unknown(arguments, nothing));
    if let Some((first, last)) = nothing.span {
        sentences.push(format!("The notes are dated {first} to {last}; today is {today}."));
    }
    if !nothing.near.is_empty() {
        let near: Vec<String> = nothing
            .near
            .iter()
            .map(|(title, file)| {
                format!("{} ({})", json(&cut(title, MAX_NAME_CHARACTERS)), cut(file, MAX_NAME_CHARACTERS))
            })
            .collect();
        sentences.push(format!("Nearest titles: {}.", near.join(", ")));
    }
    sentences.push(next_call(arguments, nothing));
    sentences
}

/// How many notes each word occurs in.
fn words_found(arguments: &SearchArguments, nothing: &Nothing) -> Option<String> {
    let place = match arguments.scope {
        InScope::All => "",
        InScope::Titles => " (in names and headings)",
        InScope::Body => " (below the front matter)",
    };
    let of_notes = |count: u64| match count {
        0 => "no note".to_owned(),
        count => format!("{count} note{}", plural(count)),
    };
    match &nothing.words[..] {
        [] => None,
        [(word, 0)] => {
            let kind = match arguments.matching {
                Matching::Regex => "matches",
                Matching::Words | Matching::Phrase => "occurs in",
            };
            let word = json(&cut(word, MAX_NAME_CHARACTERS));
            let notes = if nothing.notes == 1 {
                "not the one note there is".to_owned()
            } else {
                format!("none of the {} notes", nothing.notes)
            };
            Some(format!("{word} {kind} {notes}{place}."))
        }
        [(word, count)] => Some(format!(
            "{} occurs in {}{place}, but none that passes the filters.",
            json(&cut(word, MAX_NAME_CHARACTERS)),
            of_notes(*count)
        )),
        words => {
            let mut counts: Vec<String> = words
                .iter()
                .take(MAX_WORDS)
                .map(|(word, count)| {
                    format!("{} occurs in {}", json(&cut(word, MAX_NAME_CHARACTERS)), of_notes(*count))
                })
                .collect();
            if words.len() > MAX_WORDS {
                counts.push(format!("and {} more words", words.len() - MAX_WORDS));
            }
            Some(format!("No note holds all the words{place}: {}.", counts.join(", ")))
        }
    }
}

/// That no note has the tag at all, and the nearest there is.
fn tag_unknown(arguments: &SearchArguments, nothing: &Nothing) -> Option<String> {
    let tag = arguments.tag.as_ref().filter(|_| nothing.tagged == Some(0))?;
    let near = nothing
        .near_tag
        .as_ref()
        .map(|near| format!("; the nearest there is: {}", json(&cut(near, MAX_NAME_CHARACTERS))));
    Some(format!("No note has the tag {}{}.", json(tag), near.unwrap_or_default()))
}

/// What each filter removed.
fn removed(search: &Search, nothing: &Nothing) -> Option<String> {
    let facts: Vec<String> = nothing
        .removed
        .iter()
        .map(|(removed, count)| {
            let how = match removed {
                Removed::Scope => "but not in this scope".to_owned(),
                Removed::Path => "but are outside path".to_owned(),
                Removed::Tag => "but lack the tag".to_owned(),
                Removed::Days => match (search.filter.from, search.filter.to) {
                    (Some(_), Some(_)) => "but are outside date_from and date_to".to_owned(),
                    (Some(_), None) => "but are outside date_from".to_owned(),
                    _ => "but are outside date_to".to_owned(),
                },
                Removed::Several => "but more than one filter keeps them out".to_owned(),
            };
            match count {
                1 => format!(
                    "1 note matches {}",
                    how.replace("but are", "but is").replace("but lack", "but lacks").replace("keeps them", "keeps it")
                ),
                count => format!("{count} notes match {how}"),
            }
        })
        .collect();
    (!facts.is_empty()).then(|| format!("{}.", facts.join("; ")))
}

/// One call that finds something.
fn next_call(arguments: &SearchArguments, nothing: &Nothing) -> String {
    let mut call = Map::new();
    call.insert("keyword".to_owned(), json!(arguments.keyword));
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            call.insert(name.to_owned(), value);
        }
    };
    set("match", (arguments.matching != Matching::Words).then(|| json!(arguments.matching)));
    let single = nothing.removed.iter().find(|(removed, _)| *removed != Removed::Several).map(|(removed, _)| *removed);
    if let Some(removed) = single.or(nothing.removed.first().map(|(removed, _)| *removed)) {
        let keeps = |filter: Removed| removed != filter && removed != Removed::Several;
        set("scope", (arguments.scope != InScope::All && keeps(Removed::Scope)).then(|| json!(arguments.scope)));
        set("path", arguments.path.as_ref().filter(|_| keeps(Removed::Path)).map(|path| json!(path)));
        set("tag", arguments.tag.as_ref().filter(|_| keeps(Removed::Tag)).map(|tag| json!(tag)));
        set("date_from", arguments.date_from.as_ref().filter(|_| keeps(Removed::Days)).map(|day| json!(day)));
        set("date_to", arguments.date_to.as_ref().filter(|_| keeps(Removed::Days)).map(|day| json!(day)));
        let without = "Next: repeat the call without the filter that keeps notes out.";
        return next_search(&Value::Object(call)).unwrap_or_else(|| without.to_owned());
    }
    // A lone `*` would mean every note.
    let occurs = |(word, count): &&(String, u64)| *count > 0 && word != "*";
    let holds: Vec<&str> = nothing.words.iter().filter(occurs).map(|(word, _)| word.as_str()).collect();
    if arguments.matching == Matching::Words && !holds.is_empty() {
        // Words that occur, but never together: the rarest alone. Words that do not occur are left out.
        let some_missing = holds.len() < nothing.words.len() && holds.len() == 1;
        let rarest = nothing.words.iter().filter(occurs).min_by_key(|(_, count)| *count);
        let keyword = if some_missing { holds[0] } else { rarest.map_or(holds[0], |(word, _)| word.as_str()) };
        return format!("Next: search_notes {}.", json!({ "keyword": keyword }));
    }
    if let Some(count) = nothing.apart.filter(|count| *count > 0) {
        let verb = if count == 1 { "note holds" } else { "notes hold" };
        let next = next_search(&json!({ "keyword": arguments.keyword }));
        let next = next.unwrap_or_else(|| "Next: the same keyword with match \"words\".".to_owned());
        return format!("{count} {verb} its words apart. {next}");
    }
    if let Some((_, file)) = nothing.near.first().filter(|(_, file)| file.chars().count() <= MAX_NAME_CHARACTERS) {
        return format!("Next: read_note {}.", json!({ "filename": file }));
    }
    "Next: search_notes with a part of the word, another word for it or its form in another language, or {\"keyword\":\"*\"} \
     for the newest notes."
        .to_owned()
}

/// The call in words, if it is short enough to be repeated whole.
fn next_search(call: &Value) -> Option<String> {
    let call = call.to_string();
    (call.chars().count() <= MAX_CALL_CHARACTERS).then(|| format!("Next: search_notes {call}."))
}

/// What was left out, and why.
fn left_out(skipped: &[Skipped]) -> Option<String> {
    if skipped.is_empty() {
        return None;
    }
    let facts: Vec<String> = skipped.iter().map(|one| format!("{} ({})", one.count, one.reason)).collect();
    let total: u64 = skipped.iter().map(|one| one.count).sum();
    let what = if total == 1 { "file or folder was" } else { "files or folders were" };
    Some(format!("Not searched, {total} {what} skipped: {}.", facts.join(", ")))
}

fn one_of(ways: &[String]) -> String {
    match ways {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}
