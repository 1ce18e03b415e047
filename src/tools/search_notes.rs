//! `search_notes`: its arguments, its answer, its body.
//!
//! The wording of hints is in `hint`, the answer's shape and the byte budget in `answer`.

#![allow(clippy::doc_markdown, reason = "the descriptions of fields are published as they stand")]

mod answer;
mod hint;
mod place;

use garde::Validate;
use jiff::civil::Date;
use regex_automata::meta::BuildError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::arguments::{Arguments, trimmed};
use super::cursor::{Damaged, binding};
use super::problem::{Fix, Problem, quoted};
use super::{Call, Tool, ToolError, Valid, wording};
use crate::clock::Clock;
use crate::notes::date::{End, given_day, meant_day};
use crate::notes::fold::fold;
use crate::notes::query::{Query, Scope};
use crate::notes::rank::Sort;
use crate::notes::search::{Filter, Search};
use answer::SearchAnswer;
use place::read_cursor;

/// The tool.
#[derive(Debug)]
pub struct SearchNotes;

/// What search_notes takes.
#[derive(Debug, Clone, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct SearchArguments {
    /// What to find, 1 to 200 characters. Any script, short words too, e.g. "sqlite wal" or "生存"; "*" alone lists every
    /// note, newest first.
    #[garde(length(chars, min = 1, max = 200))]
    keyword: String,
    /// How to read keyword. words (default): every word must occur in the note, each as a literal substring; phrase: the
    /// whole keyword literally; regex: Rust regex syntax, any case, one line at a time, e.g. "TODO.*mcp".
    #[garde(skip)]
    #[serde(default, rename = "match")]
    matching: Matching,
    /// Where to look. all (default); titles: file and folder names, titles, aliases, headings; body: text only. E.g.
    /// "titles".
    #[garde(skip)]
    #[serde(default)]
    scope: InScope,
    /// Only this folder or note, relative to the notes folder, up to 4096 characters. E.g. "projects/2026".
    #[garde(length(chars, min = 1, max = 4096))]
    path: Option<String>,
    /// Only notes with this tag or one below it, up to 100 characters. E.g. "work" also finds work/deep.
    #[garde(length(chars, min = 1, max = 100))]
    tag: Option<String>,
    /// Only notes dated on or after this day. YYYY-MM-DD, YYYY-MM, YYYY, today, yesterday or an age such as "7d", "2w",
    /// "3m", "1y"; not in the future.
    #[garde(skip)]
    date_from: Option<String>,
    /// Only notes dated on or before this day. Same forms as date_from, e.g. "2026-10" ends on 31 October.
    #[garde(skip)]
    date_to: Option<String>,
    /// Order of notes. relevance (default), newest or oldest first. E.g. "newest".
    #[garde(skip)]
    #[serde(default)]
    sort: InOrder,
    /// Most hits in this answer, 1 to 50, default 10. E.g. 20.
    #[garde(range(min = 1, max = 50))]
    #[serde(default = "default_limit")]
    limit: i64,
    /// next_cursor of the previous answer, with the other arguments unchanged. E.g. "AQ3k…"; leave out for the first page.
    #[garde(length(chars, max = 4096))]
    cursor: Option<String>,
    /// concise (default): file, line and matching text; detailed: also title, date, heading and two lines around. E.g.
    /// "detailed".
    #[garde(skip)]
    #[serde(default)]
    response_format: Format,
}

fn default_limit() -> i64 {
    10
}

// The values of these are described where they are used: doc comments here would turn the schema's `enum` into `oneOf`.

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Matching {
    #[default]
    Words,
    Phrase,
    Regex,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum InScope {
    #[default]
    All,
    Titles,
    Body,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum InOrder {
    #[default]
    Relevance,
    Newest,
    Oldest,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Format {
    #[default]
    Concise,
    Detailed,
}

impl SearchArguments {
    fn scope(&self) -> Scope {
        match self.scope {
            InScope::All => Scope::All,
            InScope::Titles => Scope::Titles,
            InScope::Body => Scope::Body,
        }
    }

    fn sort(&self) -> Sort {
        match self.sort {
            InOrder::Relevance => Sort::Relevance,
            InOrder::Newest => Sort::Newest,
            InOrder::Oldest => Sort::Oldest,
        }
    }

    fn query(&self) -> Result<Query, Box<BuildError>> {
        Ok(match self.matching {
            _ if self.keyword == "*" => Query::everything(),
            Matching::Words => Query::words(&self.keyword, self.scope()),
            Matching::Phrase => Query::phrase(&self.keyword, self.scope()),
            Matching::Regex => Query::regex(&self.keyword, self.scope())?,
        })
    }

    fn filter(&self, today: Date) -> Filter {
        let day = |given: &Option<String>, end| given.as_deref().and_then(|given| given_day(given, end, today));
        let tag = self.tag.as_ref().map(|tag| fold(tag.trim().trim_start_matches('#').trim_matches(['/', ' '])));
        Filter { tag, from: day(&self.date_from, End::From), to: day(&self.date_to, End::To) }
    }

    /// What a cursor is bound to: everything but `limit` and `response_format`.
    fn binding(&self) -> u64 {
        let Self { keyword, matching, scope, tag, date_from, date_to, sort, .. } = self;
        let path = self.path.as_deref().map(trimmed);
        binding(&(keyword, matching, scope, path, tag, date_from, date_to, sort))
    }

    fn date_problems(&self, today: Date) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut days = [None, None];
        let ends = [("date_from", &self.date_from, End::From), ("date_to", &self.date_to, End::To)];
        for (slot, (name, given, end)) in days.iter_mut().zip(ends) {
            let Some(given) = given else { continue };
            *slot = given_day(given, end, today);
            if slot.is_none() {
                let fix = match meant_day(given).filter(|day| end == End::To || *day <= today) {
                    Some(day) => Fix::Set(vec![(name, json!(day.to_string()))]),
                    None if end == End::From => Fix::Drop(&["date_from"]),
                    None => Fix::Drop(&["date_to"]),
                };
                let words = format!(
                    "must be a day: YYYY-MM-DD, YYYY-MM, YYYY, today, yesterday, or an age such as 7d, 2w, 3m, 1y; got {}. \
                     Today is {today}.",
                    quoted(given)
                );
                problems.push(Problem::new(
                    name,
                    words,
                    if end == End::From { &["date_from"] } else { &["date_to"] },
                    fix,
                ));
            }
        }
        let [from, to] = days;
        let written = |given: &Option<String>| quoted(given.as_deref().unwrap_or_default());
        if from.is_some_and(|from| from > today) {
            let words = format!("must not be in the future; got {}. Today is {today}.", written(&self.date_from));
            problems.push(Problem::new("date_from", words, &["date_from"], Fix::Drop(&["date_from"])));
        } else if let (Some(from), Some(to)) = (from, to)
            && to < from
        {
            let words = format!(
                "must not be before date_from; got date_from {} ({from}) and date_to {} ({to}). Today is {today}.",
                written(&self.date_from),
                written(&self.date_to)
            );
            let swapped = Fix::Set(vec![("date_from", json!(self.date_to)), ("date_to", json!(self.date_from))]);
            problems.push(Problem::new("date_to", words, &["date_from", "date_to"], swapped));
        }
        problems
    }

    fn cursor_problem(&self) -> Option<Problem> {
        const ALL: &[&str] = &["cursor", "keyword", "match", "scope", "path", "tag", "date_from", "date_to", "sort"];
        let cursor = self.cursor.as_ref()?;
        let (words, looked_at): (_, &'static [&'static str]) = match read_cursor(cursor) {
            Err(Damaged) => (
                "is damaged: it must be the next_cursor of the previous answer, unchanged; repeat the call without \
                 it for the first page",
                &["cursor"],
            ),
            Ok((bound_to, ..)) if bound_to != self.binding() => (
                "belongs to another search: it goes on only with keyword, match, scope, path, tag, dates and sort unchanged; \
                 repeat the call without it for the first page",
                ALL,
            ),
            Ok(_) => return None,
        };
        Some(Problem::new("cursor", format!("{words}; got {}", quoted(cursor)), looked_at, Fix::Drop(&["cursor"])))
    }

    fn tag_problem(&self) -> Option<Problem> {
        let tag = self.tag.as_ref()?;
        let is_empty = tag.trim_matches(['#', '/', ' ']).is_empty();
        let words = || format!("must name a tag, with or without #, such as \"work\"; got {}", quoted(tag));
        is_empty.then(|| Problem::new("tag", words(), &["tag"], Fix::Drop(&["tag"])))
    }

    fn regex_problem(&self) -> Option<Problem> {
        let error = self.query().err()?;
        let words = format!(
            "is not a regular expression: {}; got {}. To find it literally, use match \"phrase\"",
            regex_fault(&error),
            quoted(&self.keyword)
        );
        Some(Problem::new("keyword", words, &["keyword", "match"], Fix::Set(vec![("match", json!("phrase"))])))
    }
}

impl Arguments for SearchArguments {
    const SYNONYMS: &'static [(&'static str, &'static str)] = &[
        ("query", "keyword"),
        ("q", "keyword"),
        ("search", "keyword"),
        ("search_query", "keyword"),
        ("search_term", "keyword"),
        ("term", "keyword"),
        ("terms", "keyword"),
        ("text", "keyword"),
        ("pattern", "keyword"),
        ("keywords", "keyword"),
        ("words", "keyword"),
        ("phrase", "keyword"),
        ("regex", "keyword"),
        ("关键词", "keyword"),
        ("关键字", "keyword"),
        ("max_results", "limit"),
        ("num_results", "limit"),
        ("max", "limit"),
        ("top_k", "limit"),
        ("topk", "limit"),
        ("k", "limit"),
        ("n", "limit"),
        ("count", "limit"),
        ("size", "limit"),
        ("page_size", "limit"),
        ("per_page", "limit"),
        ("max_hits", "limit"),
        ("folder", "path"),
        ("directory", "path"),
        ("dir", "path"),
        ("file", "path"),
        ("filename", "path"),
        ("in", "path"),
        ("subfolder", "path"),
        ("since", "date_from"),
        ("from", "date_from"),
        ("after", "date_from"),
        ("start_date", "date_from"),
        ("from_date", "date_from"),
        ("start", "date_from"),
        ("date", "date_from"),
        ("until", "date_to"),
        ("to", "date_to"),
        ("before", "date_to"),
        ("end_date", "date_to"),
        ("to_date", "date_to"),
        ("end", "date_to"),
        ("tags", "tag"),
        ("label", "tag"),
        ("category", "tag"),
        ("mode", "match"),
        ("match_type", "match"),
        ("search_type", "match"),
        ("type", "match"),
        ("where", "scope"),
        ("search_in", "scope"),
        ("order", "sort"),
        ("order_by", "sort"),
        ("sort_by", "sort"),
        ("format", "response_format"),
        ("output_format", "response_format"),
        ("detail", "response_format"),
        ("next_cursor", "cursor"),
        ("page_token", "cursor"),
        ("next_page_token", "cursor"),
    ];
    const KEEPS_BLANKS: &'static [&'static str] = &["path"];

    fn check(&self, clock: &Clock) -> Vec<Problem> {
        let mut problems: Vec<Problem> = self.regex_problem().into_iter().collect();
        problems.extend(self.tag_problem());
        problems.extend(self.date_problems(clock.today()));
        problems.extend(self.cursor_problem());
        problems
    }
}

/// What is wrong with a pattern, without the drawing of it; with the place where it is known.
fn regex_fault(error: &BuildError) -> String {
    if let Some(limit) = error.size_limit() {
        return format!("it needs more than {limit} bytes when compiled, so use a shorter one");
    }
    let Some(syntax) = error.syntax_error() else { return "it cannot be compiled".to_owned() };
    let text = syntax.to_string();
    let fault = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
    let marks = text.lines().find(|line| line.trim_start().starts_with('^'));
    match marks.and_then(|line| line.find('^')) {
        // The parser indents the pattern by four.
        Some(at) => format!("{fault}, at character {}", at.saturating_sub(4) + 1),
        None => fault.to_owned(),
    }
}

impl Tool for SearchNotes {
    const NAME: &'static str = "search_notes";
    const TITLE: &'static str = "Search notes";
    const DESCRIPTION: &'static str = "Search the user's notes by keyword, in any language, and get the matching lines with \
        file and line number, best notes first. Use it whenever the user may have written something down: facts, plans, \
        meetings, people, decisions, journals. Matching ignores case, width and accents, finds any part of a word, and treats \
        every character literally unless match is regex. The answer says how many lines match in all (total), what to do next \
        (hint), and how to go on (next_cursor). Then open a hit with read_note, giving its file and line.";
    type Arguments = SearchArguments;
    type Answer = SearchAnswer;

    fn run(arguments: &Valid<SearchArguments>, call: &Call) -> Result<SearchAnswer, ToolError> {
        let today = call.clock.today();
        let query = arguments
            .query()
            .map_err(|_| ToolError::Internal(anyhow::anyhow!("a pattern that was validated does not compile")))?;
        let search = Search {
            query,
            path: arguments.path.clone(),
            filter: arguments.filter(today),
            sort: arguments.sort(),
            limit: usize::try_from(arguments.limit).unwrap_or(1),
            is_detailed: arguments.response_format == Format::Detailed,
            after: arguments
                .cursor
                .as_deref()
                .and_then(|cursor| read_cursor(cursor).ok())
                .map(|(_, place, counts)| (place, counts)),
        };
        let place = arguments.path.as_deref().unwrap_or_default();
        let found = call
            .notes
            .search(&search, &call.clock, &call.watch)
            .map_err(|error| wording::words(error, "path", place, &call.notes))?;
        call.notes.warm_up();
        Ok(answer::answer(arguments, &search, found, today, &call.notes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regex_faults_name_their_place() {
        let fault = |pattern| Query::regex(pattern, Scope::All).map_err(|error| regex_fault(&error)).err();
        assert_eq!(fault("[0-9").as_deref(), Some("unclosed character class, at character 1"));
        assert!(fault("a**b(").is_some_and(|fault| fault.starts_with("unclosed group, at character 5")));
        assert!(fault(r"\w{9999}").is_some_and(|fault| fault.contains("when compiled")));
    }
}
