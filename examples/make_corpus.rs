//! Writes a generated folder of notes and prints what is in it: `make_corpus DIR NOTES MEGABYTES [CHINESE_SHARE]`.
//!
//! The way to a large folder by hand, for benches and for trying the server. It measures nothing.

#![allow(clippy::print_stdout, reason = "no transport here: the facts are what this program is for")]

use std::path::PathBuf;
use std::process::ExitCode;

use corpus::Corpus;

#[path = "../benches/corpus/mod.rs"]
mod corpus;

/// Part of the notes that is in Chinese, unless told otherwise.
const CHINESE_SHARE: f64 = 0.4;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((dir, corpus)) = parse(&arguments) else {
        eprintln!("usage: make_corpus DIR NOTES MEGABYTES [CHINESE_SHARE, 0.0 to 1.0]");
        return ExitCode::from(2);
    };
    match corpus::write(&corpus, &dir) {
        Ok(facts) => {
            println!("{facts:#?}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("make_corpus: {error}");
            ExitCode::FAILURE
        }
    }
}

fn parse(arguments: &[String]) -> Option<(PathBuf, Corpus)> {
    let (required, share) = match arguments {
        [required @ .., share] if required.len() == 3 => (required, share.parse().ok()?),
        required => (required, CHINESE_SHARE),
    };
    let [dir, notes, megabytes] = required else { return None };
    let bytes = megabytes.parse::<u64>().ok()?.checked_mul(1_000_000)?;
    Some((PathBuf::from(dir), Corpus { notes: notes.parse().ok()?, bytes, chinese_share: share, seed: 2026 }))
}
