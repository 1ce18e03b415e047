//! Random input for everything that faces the outside: lines from a client, arguments from a model, bytes in a folder.
//!
//! Laws, not examples. `cargo test` tries a few hundred inputs each; `PROPTEST_CASES=100000 cargo test --release --test fuzz`
//! tries as many as one likes. What ever failed is kept in `tests/proptest-regressions` and tried first.

mod arguments;
mod notes;
mod wire;
