//! The performance table, end to end over stdio, as ratios to `rg -i -c` on the same folder in the same run.
//!
//! `cargo bench --bench table` writes the folders once (below `target/tmp`), and needs `rg` for the ratios; without it
//! only times are shown. `-- --small` measures the 10,000 notes alone. Runs of the server and of rg alternate, so that both
//! see the same machine; medians are shown. It asserts nothing: a figure is for people to judge.

#![allow(clippy::print_stdout, reason = "the table is what this program is for")]

mod client;
mod corpus;

use std::fs;
use std::io::Result;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use client::Client;
use corpus::{Corpus, Facts};

/// Runs of each search and of rg.
const RUNS: usize = 9;

/// Searches that are sent at once.
const AT_ONCE: usize = 64;

fn main() -> Result<()> {
    let is_small = std::env::args().any(|argument| argument == "--small");
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!("note-search-mcp against rg -i -c, {cores} cores, warm page cache, medians of {RUNS} runs");
    let sizes: &[(usize, u64)] = if is_small { &[(10_000, 80)] } else { &[(10_000, 80), (100_000, 600)] };
    for (notes, megabytes) in sizes {
        let (folder, facts) = notes_folder(*notes, *megabytes)?;
        println!("\n{notes} notes, {megabytes} MB");
        measure(&folder, &facts)?;
    }
    Ok(())
}

/// A generated folder, written once; its facts are kept beside it.
fn notes_folder(notes: usize, megabytes: u64) -> Result<(PathBuf, Facts)> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("notes-{notes}"));
    let corpus = Corpus { notes, bytes: megabytes * 1_000_000, chinese_share: 0.4, seed: 2026 };
    let done = folder.with_extension("done");
    if !done.exists() {
        let _ = fs::remove_dir_all(&folder);
        corpus::write(&corpus, &folder)?;
        fs::write(&done, "")?;
    }
    // The facts follow from the numbers alone; a tiny folder of the same kind names the words.
    let names = folder.with_extension("names");
    let _ = fs::remove_dir_all(&names);
    let mut facts = corpus::write(&Corpus { notes: 20, bytes: 20_000, ..corpus }, &names)?;
    fs::remove_dir_all(&names)?;
    facts.path = some_note(&folder)?;
    Ok((folder, facts))
}

fn some_note(folder: &Path) -> Result<String> {
    let mut at = folder.to_owned();
    loop {
        let mut entries: Vec<PathBuf> = fs::read_dir(&at)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
        entries.sort();
        let Some(first) = entries.pop() else { return Err(std::io::ErrorKind::NotFound.into()) };
        if first.is_file() {
            let path = first.strip_prefix(folder).map_err(std::io::Error::other)?;
            return Ok(path.to_string_lossy().replace('\\', "/"));
        }
        at = first;
    }
}

fn measure(folder: &Path, facts: &Facts) -> Result<()> {
    let _ = rg(folder, facts.absent); // warms the page cache
    let starts: Vec<Duration> =
        (0..20).map(|_| Client::start(folder).map(|client| client.started_in)).collect::<Result<_>>()?;
    println!("  {:<46}{}", "spawn to the initialize answer", milliseconds(median(starts)));

    let mut first = Pairs::default();
    for _ in 0..RUNS {
        first.rg.extend(rg(folder, facts.rare));
        let began = Instant::now();
        let mut client = Client::start(folder)?;
        client.search(facts.rare)?;
        first.ours.push(began.elapsed());
    }
    first.print("spawn and first search");

    let mut client = Client::start(folder)?;
    client.search(facts.rare)?;
    std::thread::sleep(Duration::from_millis(2_500)); // so that no note counts as just written
    client.search(facts.rare)?;
    for (row, word) in [
        ("later search, rare word", facts.rare),
        ("later search, absent word", facts.absent),
        ("later search, two Chinese characters", facts.chinese),
        ("later search, word in 10 % of the notes", facts.common),
    ] {
        let mut pairs = Pairs::default();
        for _ in 0..RUNS {
            pairs.rg.extend(rg(folder, word));
            pairs.ours.push(timed(|| client.search(word))?.1);
        }
        pairs.print(row);
    }
    after_changes(folder, facts, &mut client)?;

    let mut reads = Vec::new();
    for _ in 0..RUNS {
        reads.push(timed(|| client.call("read_note", &json!({"filename": facts.path})))?.1);
    }
    println!("  {:<46}{}", "read_note by exact path", milliseconds(median(reads)));
    at_once(facts, &mut client)?;
    if let Some(peak) = client.peak_megabytes() {
        println!("  {:<46}{peak:>9.0} MB", "peak memory of all this");
    }
    Ok(())
}

/// A search right after one note was edited, added, renamed, deleted: it must see the change.
fn after_changes(folder: &Path, facts: &Facts, client: &mut Client) -> Result<()> {
    const WORD: &str = "zyzzyvadrome";
    let (note, moved) = (folder.join("changed-by-bench.md"), folder.join("moved-by-bench.md"));
    let mut pairs = Pairs::default();
    let steps: [(&dyn Fn() -> Result<()>, u64); 4] = [
        (&|| fs::write(&note, format!("{WORD}\n")), 1),
        (&|| fs::write(&note, format!("{WORD}\n{WORD}\n")), 2),
        (&|| fs::rename(&note, &moved), 2),
        (&|| fs::remove_file(&moved), 0),
    ];
    for _ in 0..2 {
        for (change, lines) in steps {
            change()?;
            pairs.rg.extend(rg(folder, facts.rare));
            let (answer, time) = timed(|| client.search(WORD))?;
            if answer["total"] != json!(lines) {
                return Err(std::io::Error::other(format!("a change was not seen: {answer}")));
            }
            pairs.ours.push(time);
        }
    }
    pairs.print("search after a note was changed");
    Ok(())
}

/// Many searches at once, against as many one after the other; and a ping meanwhile.
fn at_once(facts: &Facts, client: &mut Client) -> Result<()> {
    let arguments = json!({"keyword": facts.common});
    let ((), single) = timed(|| {
        for _ in 0..AT_ONCE {
            client.call("search_notes", &arguments)?;
        }
        Ok(())
    })?;
    let began = Instant::now();
    let ids: Vec<u64> = (0..AT_ONCE).map(|_| client.send_call("search_notes", &arguments)).collect::<Result<_>>()?;
    let ping = client.send("ping", &json!({}))?;
    let mut pong = None;
    let mut open = ids.len() + 1;
    while open > 0 {
        let answer = client.receive()?;
        if answer["id"] == json!(ping) {
            pong = Some(began.elapsed());
        }
        open -= 1;
    }
    let together = began.elapsed();
    let ratio = together.as_secs_f64() / single.as_secs_f64();
    println!("  {:<46}{}  {ratio:>5.2} × one by one", format!("{AT_ONCE} searches at once"), milliseconds(together));
    println!("  {:<46}{}", "ping meanwhile", milliseconds(pong.unwrap_or_default()));
    Ok(())
}

/// A whole run of rg; `None` when it is not installed.
fn rg(folder: &Path, word: &str) -> Option<Duration> {
    let began = Instant::now();
    let program = std::env::var_os("RG").unwrap_or_else(|| "rg".into());
    let mut command = Command::new(program);
    command.args(["-i", "-c", word]).arg(folder).stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
    command.status().ok().map(|_| began.elapsed())
}

/// Times of ours and of rg, taken in turn.
#[derive(Default)]
struct Pairs {
    ours: Vec<Duration>,
    rg: Vec<Duration>,
}

impl Pairs {
    fn print(self, row: &str) {
        let ours = median(self.ours);
        print!("  {row:<46}{}", milliseconds(ours));
        if self.rg.is_empty() {
            println!();
        } else {
            let rg = median(self.rg);
            println!("  {:>5.2} × rg ({} )", ours.as_secs_f64() / rg.as_secs_f64(), milliseconds(rg).trim());
        }
    }
}

fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, Duration)> {
    let began = Instant::now();
    Ok((work()?, began.elapsed()))
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn milliseconds(time: Duration) -> String {
    format!("{:>9.1} ms", time.as_secs_f64() * 1000.0)
}

/// What a tool answered, as JSON.
fn structured(answer: &Value) -> Value {
    answer["result"]["structuredContent"].clone()
}
