//! Writes folders of notes of any size, the same ones for the same numbers, with words planted so that a search's answer
//! is known beforehand.
//!
//! Used by benches and examples (`mod corpus;` or `#[path = "../benches/corpus/mod.rs"]`). It measures nothing, deletes
//! nothing, and reads nothing but whether the folder is empty. One file per noun: `words`, `page` (the text of one
//! note), `random`; here the folder.

#![allow(dead_code, reason = "each bench uses the facts it needs")]

use std::fs;
use std::io::{Error, ErrorKind, Result};
use std::path::Path;

use page::{Plan, Writer};
use random::Random;

mod page;
mod random;
mod words;

/// How many notes hold the rare word.
const RARE_NOTES: usize = 7;
/// Sizes of notes in eighths of the mean: many short ones, few long ones. Their mean is 8.
const SIZES: [u64; 16] = [1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 28];

/// The folder to be written.
#[derive(Debug, Clone)]
pub struct Corpus {
    /// How many notes.
    pub notes: usize,
    /// How many bytes in all, about. Front matter and a heading need some 200 bytes a note.
    pub bytes: u64,
    /// Which part of the notes is in Chinese, from 0.0 to 1.0.
    pub chinese_share: f64,
    /// Another seed is another folder of the same size.
    pub seed: u64,
}

/// What is in the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// How many notes were written.
    pub notes: usize,
    /// How many bytes they have together.
    pub bytes: u64,
    /// A word that is in `rare_notes` notes, once in each.
    pub rare: &'static str,
    /// Seven, or every note where there are fewer.
    pub rare_notes: usize,
    /// A word that is in every tenth note, once in each.
    pub common: &'static str,
    /// How many notes hold the common word.
    pub common_notes: usize,
    /// A word of two characters that is in about one note of a hundred, once in each.
    pub chinese: &'static str,
    /// How many notes hold the Chinese word.
    pub chinese_notes: usize,
    /// A word that is in no note and in no name.
    pub absent: &'static str,
    /// The path of a note below the folder, with `/` between its parts.
    pub path: String,
}

/// Writes the notes into `dir`, which is created where it is missing and must be empty.
pub fn write(corpus: &Corpus, dir: &Path) -> Result<Facts> {
    fs::create_dir_all(dir)?;
    if fs::read_dir(dir)?.next().is_some() {
        return Err(Error::new(ErrorKind::AlreadyExists, format!("{} is not empty", dir.display())));
    }
    let mut facts = Facts {
        notes: 0,
        bytes: 0,
        rare: words::RARE,
        rare_notes: 0,
        common: words::COMMON,
        common_notes: 0,
        chinese: words::CHINESE,
        chinese_notes: 0,
        absent: words::ABSENT,
        path: String::new(),
    };
    let mut writer = Writer::new();
    let mut folders = Random::new(corpus.seed);
    let (mut folder, mut folder_count, mut room) = (String::new(), 0, 0);
    for number in 0..corpus.notes {
        if room == 0 {
            room = 50 + folders.below(151);
            folder = writer.folder(folder_count, &mut folders);
            folder_count += 1;
            fs::create_dir_all(dir.join(&folder))?;
        }
        room -= 1;

        let random = &mut Random::new(corpus.seed ^ (u64::try_from(number).unwrap_or_default() << 20));
        // The mean of what is still to be written: the total comes out right, whatever the single notes overshoot.
        let notes_left = u64::try_from(corpus.notes - number).unwrap_or(1);
        let mean = corpus.bytes.saturating_sub(facts.bytes) / notes_left;
        let planted = planted(number, corpus.notes);
        let plan = Plan {
            number,
            bytes: usize::try_from(mean * random.pick(&SIZES) / 8).unwrap_or_default(),
            chinese: random.fraction() < corpus.chinese_share,
            planted: &planted,
        };
        let page = writer.page(&plan, random);
        let path = format!("{folder}/{}", page.name);
        fs::write(dir.join(&path), page.text)?;

        facts.notes += 1;
        facts.bytes += u64::try_from(page.text.len()).unwrap_or_default();
        facts.rare_notes += usize::from(planted.contains(&words::RARE));
        facts.common_notes += usize::from(planted.contains(&words::COMMON));
        facts.chinese_notes += usize::from(planted.contains(&words::CHINESE));
        if number == corpus.notes / 2 {
            facts.path = path;
        }
    }
    Ok(facts)
}

/// The words planted in the note of this number. 10 and 97 share no divisor, so that all pairs of words occur together.
fn planted(number: usize, notes: usize) -> Vec<&'static str> {
    let mut planted = Vec::new();
    // Evenly spread: the first note of each seventh.
    if number == 0 || number * RARE_NOTES / notes != (number - 1) * RARE_NOTES / notes {
        planted.push(words::RARE);
    }
    if number % 10 == 3 {
        planted.push(words::COMMON);
    }
    if number % 97 == 5 {
        planted.push(words::CHINESE);
    }
    planted
}
