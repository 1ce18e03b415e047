//! What the program is asked to do: serve, or one of the things that people do from a terminal instead.

use clap::{ArgAction, Args, ValueEnum};
use clap_complete::Shell;

/// What the program is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Task {
    /// Serve on stdin and stdout.
    Serve,
    /// Look at the notes folder the way a client will, and say what it sees.
    Check,
    /// Say how a client is told of this server.
    PrintConfig(Client),
    /// Call one tool, once.
    Call(WrittenCall),
    /// Print a script that completes the command line in a shell.
    Completions(Shell),
    /// Print the manual page.
    Man,
}

/// A tool call as somebody typed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenCall {
    /// The tool's name, unchecked.
    pub tool: String,
    /// Its arguments, unchecked; `-` says that they come from stdin.
    pub arguments: String,
    /// Whether the answer is to be JSON even on a terminal.
    pub as_json: bool,
}

/// A program that can use this server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Client {
    /// Claude Code, in a terminal.
    ClaudeCode,
    /// The Claude app.
    ClaudeDesktop,
    /// Cursor.
    Cursor,
    /// Visual Studio Code.
    #[value(name = "vscode", alias = "vs-code")]
    VsCode,
    /// Codex CLI.
    Codex,
    /// Gemini CLI.
    #[value(alias = "gemini-cli")]
    Gemini,
    /// Zed.
    Zed,
    /// Windsurf.
    Windsurf,
    /// opencode.
    #[value(name = "opencode", alias = "open-code")]
    OpenCode,
    /// MCP Inspector.
    Inspector,
}

// The comments below are what `--help` shows.

#[derive(Debug, Args)]
#[command(next_help_heading = "For people, instead of serving")]
#[group(skip)] // the group `task` is made of the arguments that name it, so that `--json` is not in it
pub(super) struct TaskFlags {
    /// Start the server as a client would, try it on the folder, and say what a client will see and what is left out; exit
    /// code 1 when something is wrong
    #[arg(long, group = "task")]
    check: bool,

    /// Print how to add this server to CLIENT, with the paths of this program and of the folder; where it belongs is said
    /// on stderr
    #[arg(long, value_name = "CLIENT", group = "task")]
    print_config: Option<Client>,

    /// Call one tool with its arguments as a JSON object (`-`: read from stdin) and print the answer; exit code 1 when the
    /// tool refuses, with the reason on stderr
    #[arg(long, num_args = 2, value_names = ["TOOL", "ARGUMENTS"], action = ArgAction::Set, group = "task")]
    call: Option<Vec<String>>,

    /// Print the answer of --call as JSON, as happens anyway when it goes to a file or another program; a refusal is then
    /// `{"isError":true,"text":…}`
    #[arg(long, requires = "call")]
    json: bool,

    /// Print a script that completes this command line in SHELL
    #[arg(long, value_name = "SHELL", group = "task")]
    completions: Option<Shell>,

    /// Print the manual page
    #[arg(long, group = "task")]
    man: bool,
}

impl TaskFlags {
    /// The one task they name.
    pub(super) fn task(&self) -> Task {
        if self.check {
            return Task::Check;
        }
        if let Some(client) = self.print_config {
            return Task::PrintConfig(client);
        }
        if let Some([tool, arguments]) = self.call.as_deref() {
            let (tool, arguments) = (tool.clone(), arguments.clone());
            return Task::Call(WrittenCall { tool, arguments, as_json: self.json });
        }
        if let Some(shell) = self.completions {
            return Task::Completions(shell);
        }
        if self.man { Task::Man } else { Task::Serve }
    }
}
