//! Micro-benchmarks of what every cold search does to every byte: folding, matching, front matter, headings, decoding.
//!
//! `cargo bench --bench micro`. The whole program is measured by `table`.

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use note_search_mcp::notes::fold::fold;
use note_search_mcp::notes::query::{Query, Scope, Source};
use note_search_mcp::notes::record::{Facts, Metadata};
use note_search_mcp::notes::signature::Signature;
use note_search_mcp::notes::text::decode;

const ENGLISH: &str = "The quick brown fox walks home again, and Nobody asks why it took the long way round.\n";
const CHINESE: &str = "今天读了一本关于进化的书，适者生存，生存等于正确（这句话是我自己加的）。\n";
const FRENCH: &str = "Le café était fermé; à côté, l’élève rêvait déjà de l’été, et où donc était passé le garçon?\n";
const FRONT: &str = "---\ntitle: \"Plan: the next quarter\"\ntags: [work, project/alpha, 计划]\ndate: 2026-10-12\naliases:\n  - roadmap\n---\n# Plan\n\n## Goals\n";

fn text(line: &str) -> String {
    FRONT.to_owned() + &line.repeat(8_000 / line.len())
}

#[divan::bench(args = [ENGLISH, CHINESE, FRENCH])]
fn folding(bencher: Bencher, line: &str) {
    let text = text(line);
    bencher.counter(BytesCount::of_str(&text)).bench(|| fold(black_box(&text)));
}

#[divan::bench(args = [ENGLISH, CHINESE, FRENCH])]
fn decoding(bencher: Bencher, line: &str) {
    let text = text(line);
    bencher.counter(BytesCount::of_str(&text)).bench(|| decode(black_box(text.as_bytes())).text.len());
}

#[divan::bench(args = [ENGLISH, CHINESE])]
fn metadata(bencher: Bencher, line: &str) {
    let text = text(line);
    bencher.counter(BytesCount::of_str(&text)).bench(|| Metadata::read(black_box(&text), "projects/plan.md"));
}

#[divan::bench(args = ["zebra", "home", "进化", "quick home"])]
fn matching(bencher: Bencher, keyword: &str) {
    let text = text(ENGLISH);
    let (facts, folded, query) = (Facts::of(&text, "projects/plan.md"), fold(&text), Query::words(keyword, Scope::All));
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| query.look(Source::Folded(black_box(&folded)), &facts, &|| true));
}

#[divan::bench(args = [ENGLISH, CHINESE])]
fn signing(bencher: Bencher, line: &str) {
    let folded = fold(&text(line));
    bencher.counter(BytesCount::of_str(&folded)).bench(|| Signature::of(black_box(&folded)));
}

fn main() {
    divan::main();
}
