//! What each client wants: which form, under which key, in which file, and what to do afterwards.
//!
//! The facts are those of the clients' own documentation; each entry stands alone, so that one client's change is one edit.

use serde_json::{Value, json};

use super::{SERVER, Start};
use crate::cli::Client;

/// How a client is told of a server.
#[derive(Debug, Clone, Copy)]
pub(super) struct Instructions {
    /// Its name, as its makers write it.
    name: &'static str,
    /// What is printed.
    pub(super) form: Form,
    /// Where it belongs, by system; empty for a command.
    places: &'static [(&'static str, &'static str)],
    /// What to do afterwards, and how to see that it worked.
    then: &'static str,
}

/// The form of a snippet.
#[derive(Debug, Clone, Copy)]
pub(super) enum Form {
    /// A command, with the words that stand before the server's own.
    Command(&'static [&'static str]),
    /// JSON with the servers under this key.
    Json(&'static str, Entry),
    /// TOML with the servers below this table.
    Toml(&'static str),
}

/// The members of a server's entry in JSON.
#[derive(Debug, Clone, Copy)]
pub(super) enum Entry {
    /// `command` and `args`.
    Plain,
    /// The same, with the type said first.
    Typed,
    /// One `command` for program and arguments.
    OneCommand,
}

impl Entry {
    pub(super) fn of(self, start: &Start) -> Value {
        let Start { program, arguments } = start;
        match self {
            Self::Plain => json!({ "command": program, "args": arguments }),
            Self::Typed => json!({ "type": "stdio", "command": program, "args": arguments }),
            Self::OneCommand => {
                json!({ "type": "local", "command": start.words().collect::<Vec<_>>(), "enabled": true })
            }
        }
    }
}

impl Instructions {
    /// What there is to know of a client.
    pub(super) fn of(client: Client) -> Self {
        match client {
            Client::ClaudeCode => Self {
                name: "Claude Code",
                form: Form::Command(&["claude", "mcp", "add", "--scope", "user", SERVER, "--"]),
                places: &[],
                then: "To see that it worked: claude mcp list. To use it in the current project only, leave out --scope user.",
            },
            Client::ClaudeDesktop => Self {
                name: "Claude Desktop",
                form: Form::Json("mcpServers", Entry::Plain),
                places: &[
                    ("macOS", "~/Library/Application Support/Claude/claude_desktop_config.json"),
                    ("Windows", r"%APPDATA%\Claude\claude_desktop_config.json"),
                    ("Linux", "~/.config/Claude/claude_desktop_config.json"),
                ],
                then: "Then quit Claude Desktop and start it again. The file also opens from Settings > Developer > Edit Config.",
            },
            Client::Cursor => Self {
                name: "Cursor",
                form: Form::Json("mcpServers", Entry::Plain),
                places: &[
                    ("macOS, Linux", "~/.cursor/mcp.json"),
                    ("Windows", r"%USERPROFILE%\.cursor\mcp.json"),
                    ("one project", ".cursor/mcp.json in it"),
                ],
                then: "Then turn the server on in Cursor's settings for MCP: a new one may be disabled at first.",
            },
            Client::VsCode => Self {
                name: "VS Code",
                form: Form::Json("servers", Entry::Typed),
                places: &[
                    ("everywhere", "the file that the command `MCP: Open User Configuration` opens"),
                    ("one project", ".vscode/mcp.json in it"),
                ],
                then: "Then choose Start above the entry, and pick the tools in the chat's agent mode.",
            },
            Client::Codex => Self {
                name: "Codex",
                form: Form::Toml("mcp_servers"),
                places: &[
                    ("macOS, Linux", "~/.codex/config.toml"),
                    ("Windows", r"%USERPROFILE%\.codex\config.toml"),
                    ("one project", ".codex/config.toml in it"),
                ],
                then: "To see that it worked: codex mcp list.",
            },
            Client::Gemini => Self {
                name: "Gemini CLI",
                form: Form::Json("mcpServers", Entry::Plain),
                places: &[
                    ("macOS, Linux", "~/.gemini/settings.json"),
                    ("Windows", r"%USERPROFILE%\.gemini\settings.json"),
                    ("one project", ".gemini/settings.json in it"),
                ],
                then: "To see that it worked: gemini mcp list, or /mcp inside Gemini CLI.",
            },
            Client::Zed => Self {
                name: "Zed",
                form: Form::Json("context_servers", Entry::Plain),
                places: &[("macOS, Linux", "~/.config/zed/settings.json"), ("Windows", r"%APPDATA%\Zed\settings.json")],
                then: "To see that it worked: the agent panel's settings show a green dot beside the server.",
            },
            Client::Windsurf => Self {
                name: "Windsurf",
                form: Form::Json("mcpServers", Entry::Plain),
                places: &[
                    ("macOS, Linux", "~/.codeium/windsurf/mcp_config.json"),
                    ("Windows", r"%USERPROFILE%\.codeium\windsurf\mcp_config.json"),
                ],
                then: "Then press the refresh button of Cascade's list of MCP servers.",
            },
            Client::OpenCode => Self {
                name: "opencode",
                form: Form::Json("mcp", Entry::OneCommand),
                places: &[
                    ("macOS, Linux", "~/.config/opencode/opencode.json"),
                    ("Windows", r"%USERPROFILE%\.config\opencode\opencode.json"),
                    ("one project", "opencode.json in it"),
                ],
                then: "To see that it worked: opencode mcp list.",
            },
            Client::Inspector => Self {
                name: "MCP Inspector",
                form: Form::Command(&["npx", "@modelcontextprotocol/inspector"]),
                places: &[],
                then: "It needs Node.js, and opens a page in the browser on which the tools can be tried by hand.",
            },
        }
    }

    /// What to do with the snippet, and what comes after.
    pub(super) fn words(&self) -> String {
        let mut lines = Vec::new();
        match self.form {
            Form::Command(_) => lines.push(format!("{}: run this command.", self.name)),
            Form::Json(key, _) => {
                lines.push(format!("{}: put this into", self.name));
                lines.extend(self.places());
                lines.push(format!(
                    "If the file has `{key}` already, add only the entry `{SERVER}` to it, with a comma between the two."
                ));
            }
            Form::Toml(_) => {
                lines.push(format!("{}: add this to the end of", self.name));
                lines.extend(self.places());
            }
        }
        lines.push(self.then.to_owned());
        lines.join("\n")
    }

    fn places(&self) -> impl Iterator<Item = String> {
        let width = self.places.iter().map(|(system, _)| system.len()).max().unwrap_or_default();
        self.places.iter().map(move |(system, place)| format!("  {system:width$}  {place}"))
    }
}
