//! The whole program from outside: conversations, the binary, an independent client, schemas, laws and odd folders.
//!
//! Expectations come from what the two tools promise, not from their code. `fixture`, `wire`, `calling` and `laws` are
//! tools of the tests; the other modules hold tests. `UPDATE_SNAPSHOTS=1 cargo test --test it` rewrites what is compared
//! with files: read the difference before it is committed.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod calling;
mod fixture;
mod laws;
mod process;
mod snapshot;
mod wire;

mod clients;
mod command_line;
mod conversations;
mod folders;
mod law_arguments;
mod law_read;
mod law_search;
mod life;
mod names;
mod schemas;
mod texts;
mod transcript;
