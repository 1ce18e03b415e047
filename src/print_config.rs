//! `--print-config`: how a client is told of this server, with the real paths in it.
//!
//! The snippet goes to one writer and the words around it to another, so that the snippet alone can be sent to a file. It
//! changes no client's configuration: that is the user's to do.

mod client;
mod quote;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};

use crate::cli::{Client, Options};
use client::{Form, Instructions};
use quote::{Shell, command_line, toml_string};

/// The name the server goes by in a client: short, since clients put it before the names of the tools.
const SERVER: &str = "notes";

/// How the server is started: the program and its arguments, as text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Start {
    program: String,
    arguments: Vec<String>,
}

/// A path that no configuration file can hold, since it is no Unicode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotUnicode(pub String);

impl std::fmt::Display for NotUnicode {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            formatter,
            "the path `{}` is not Unicode, so no client's configuration can hold it: rename it, or make a link with \
             another name that leads there",
            self.0
        )
    }
}

impl std::error::Error for NotUnicode {}

/// What is printed for a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// What to do with the snippet, and what comes after.
    pub words: String,
    /// The snippet or command.
    pub snippet: String,
}

impl Config {
    /// The configuration of a client, for a program that is to be started with these options (the folder's path being
    /// absolute).
    ///
    /// # Errors
    /// A path is not Unicode.
    pub fn of(client: Client, program: &Path, options: &Options) -> Result<Self, NotUnicode> {
        let text = |path: OsString| path.into_string().map_err(|path| NotUnicode(path.to_string_lossy().into_owned()));
        let start = Start {
            program: text(program.as_os_str().to_owned())?,
            arguments: options.arguments().into_iter().map(text).collect::<Result<_, _>>()?,
        };
        let instructions = Instructions::of(client);
        Ok(Self { words: instructions.words(), snippet: snippet(&instructions, &start, Shell::of_this_system()) })
    }

    /// Prints the words and the snippet.
    ///
    /// # Errors
    /// Nobody reads any more.
    pub fn print(&self, snippet: &mut impl Write, words: &mut impl Write) -> io::Result<()> {
        writeln!(words, "{}\n", self.words)?;
        words.flush()?;
        writeln!(snippet, "{}", self.snippet)?;
        snippet.flush()
    }
}

fn snippet(instructions: &Instructions, start: &Start, shell: Shell) -> String {
    match instructions.form {
        Form::Command(before) => {
            let words = before.iter().copied().chain(start.words());
            command_line(words, shell)
        }
        Form::Json(key, entry) => pretty(&json!({ key: { SERVER: entry.of(start) } })),
        Form::Toml(table) => toml(table, start),
    }
}

impl Start {
    fn words(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.program.as_str()).chain(self.arguments.iter().map(String::as_str))
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).expect("a value in memory with text keys cannot fail to become JSON")
}

fn toml(table: &str, start: &Start) -> String {
    let arguments: Vec<String> = start.arguments.iter().map(|argument| toml_string(argument)).collect();
    format!("[{table}.{SERVER}]\ncommand = {}\nargs = [{}]", toml_string(&start.program), arguments.join(", "))
}

#[cfg(test)]
mod tests;
