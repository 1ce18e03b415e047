//! The map of the program, in the order in which a request passes through it.
//!
//! ```text
//! stdin → transport → jsonrpc → session → tools → notes → session → transport → stdout
//!         bytes       message   step      outcome hits    response  one line, one flush
//! ```
//!
//! `server` is the loop that holds the arrow together; `mcp` names the shapes of the wire; `cli` and `main` start it.
//! Dependencies point one way: `main → server → session → tools → notes`. `transport`, `jsonrpc`, `mcp`, `clock`
//! and `notes` are leaves.
//!
//! What people type instead of serving stands beside the arrow: `check` talks to a second process of this program as a
//! client would, `one_shot` calls one tool, `print_config` tells a client of this server. They start from `main`, and
//! nothing in the arrow knows them.
//!
//! # Invariants
//!
//! - While serving, nothing but `transport` writes to stdout; nothing unsolicited is ever written.
//! - Every request gets exactly one response, none if the client cancelled it; a notification gets none.
//! - Reading never waits for working: `ping` and cancel are handled while a search runs.
//! - No state survives between requests except the negotiated revision of the handshake era and caches that can be
//!   thrown away.
//! - `notes` never serialises; nothing above `notes` opens a file.
//! - A path from outside becomes a checked type before it touches the disk.
//! - Text of an internal failure never reaches stdout; note text never reaches the log.
//! - No tool body runs on arguments that were not validated: the type says so ([`tools::Valid`]).

pub mod check;
pub mod cli;
pub mod clock;
pub mod jsonrpc;
pub mod log;
pub mod mcp;
pub mod notes;
pub mod one_shot;
pub mod panics;
pub mod print_config;
pub mod server;
pub mod session;
pub mod tools;
pub mod transport;
