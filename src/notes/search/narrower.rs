//! Ways to narrow a search that found more than is shown, each with what it would leave: never a guess.

use std::collections::BTreeMap;

use jiff::civil::Date;

use super::Match;
use crate::notes::query::{Query, Scope};

/// What a narrower search would find.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Narrower {
    /// Notes with all words in names and headings, when they are fewer than all that match.
    pub in_titles: Option<u64>,
    /// The folder with the most lines, and how many, when it has not all of them.
    pub folder: Option<(String, u64)>,
    /// A day since which about a third of the lines are dated, and how many.
    pub since: Option<(Date, u64)>,
}

/// What would narrow a search with these matches in a folder `depth` levels down.
pub(super) fn narrower(matches: &[Match], query: &Query, depth: usize) -> Narrower {
    let total: u64 = matches.iter().map(Match::hits).sum();
    Narrower {
        in_titles: in_titles(matches, query),
        folder: folder(matches, depth, total),
        since: since(matches, total),
    }
}

fn in_titles(matches: &[Match], query: &Query) -> Option<u64> {
    if query.scope != Scope::All || query.is_everything() {
        return None;
    }
    let all = query.all_words();
    let count = matches.iter().filter(|found| found.holding.in_titles == all).count();
    (count > 0 && count < matches.len()).then_some(count as u64)
}

fn folder(matches: &[Match], depth: usize, total: u64) -> Option<(String, u64)> {
    let mut folders: BTreeMap<String, u64> = BTreeMap::new();
    for found in matches {
        let names: Vec<&std::ffi::OsStr> = found.path.names().collect();
        if names.len() > depth + 1 {
            let folder: Vec<String> = names[..=depth].iter().map(|name| crate::notes::path::shown_name(name)).collect();
            *folders.entry(folder.join("/")).or_default() += found.hits();
        }
    }
    folders
        .into_iter()
        .filter(|(_, lines)| *lines < total)
        .max_by(|one, other| one.1.cmp(&other.1).then(other.0.cmp(&one.0)))
}

fn since(matches: &[Match], total: u64) -> Option<(Date, u64)> {
    let mut days: BTreeMap<Date, u64> = BTreeMap::new();
    for found in matches {
        *days.entry(found.key.date).or_default() += found.hits();
    }
    let mut lines = 0;
    for (day, on_it) in days.into_iter().rev() {
        lines += on_it;
        if lines * 3 >= total {
            return (lines < total).then_some((day, lines));
        }
    }
    None
}
