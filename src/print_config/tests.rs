//! Every snippet is read back in its own format and must start the very same server.

use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use tracing_subscriber::filter::LevelFilter;

use super::*;

fn options(folder: &str, about: Option<&str>) -> Options {
    Options {
        notes_dir: PathBuf::from(folder),
        extensions: ["md", "markdown", "mdx", "txt", "org"].map(str::to_owned).to_vec(),
        exclude: Vec::new(),
        follow_links: false,
        max_file_bytes: 64 << 20,
        search_timeout: Duration::from_secs(30),
        cache_bytes: 256 << 20,
        about: about.map(str::to_owned),
        log: LevelFilter::WARN,
    }
}

/// The words of the command that a client would run, as read from the snippet by a parser of its format.
fn read_back(client: Client, snippet: &str) -> Vec<String> {
    let word = |value: &Value| value.as_str().expect("a word is text").to_owned();
    let words = |value: &Value| value.as_array().expect("arguments are a list").iter().map(word).collect::<Vec<_>>();
    let json = || serde_json::from_str::<Value>(snippet).expect("the snippet is JSON");
    let plain = |key: &str| {
        let entry = &json()[key][SERVER];
        [vec![word(&entry["command"])], words(&entry["args"])].concat()
    };
    match client {
        Client::ClaudeCode => {
            let line = shlex::split(snippet).expect("the snippet is a command");
            let (before, after) = line.split_at(line.iter().position(|word| word == "--").expect("a `--`") + 1);
            assert_eq!(before.join(" "), "claude mcp add --scope user notes --");
            after.to_vec()
        }
        Client::Inspector => {
            let line = shlex::split(snippet).expect("the snippet is a command");
            assert_eq!(line[..2].join(" "), "npx @modelcontextprotocol/inspector");
            line[2..].to_vec()
        }
        Client::ClaudeDesktop | Client::Cursor | Client::Gemini | Client::Windsurf => plain("mcpServers"),
        Client::Zed => plain("context_servers"),
        Client::VsCode => {
            assert_eq!(json()["servers"][SERVER]["type"], "stdio");
            plain("servers")
        }
        Client::OpenCode => {
            assert_eq!(json()["mcp"][SERVER]["type"], "local");
            words(&json()["mcp"][SERVER]["command"])
        }
        Client::Codex => {
            let file: toml::Table = snippet.parse().expect("the snippet is TOML");
            let entry = serde_json::to_value(&file["mcp_servers"][SERVER]).expect("TOML becomes JSON");
            [vec![word(&entry["command"])], words(&entry["args"])].concat()
        }
    }
}

#[test]
fn paths_and_words_survive_in_every_format() {
    for (program, folder, about) in [
        ("/usr/bin/note-search-mcp", "/home/ada/notes", None),
        ("/opt/my tools/note-search-mcp", "/home/ada/我的 笔记", Some("日记, \"work\" and it's")),
        (r"C:\Program Files\note-search-mcp.exe", r"D:\new\table\读书", Some(r"ends in \")),
        ("/a'b/$HOME/`x`/note-search-mcp", "/n\"o;t&e\\s\u{7f}\t!/*?", Some("two\nlines")),
    ] {
        let options = options(folder, about);
        let mut expected = vec![program.to_owned(), folder.to_owned()];
        expected.extend(about.map(|about| ["--about".to_owned(), about.to_owned()]).into_iter().flatten());
        for &client in Client::value_variants() {
            let start = Start { program: expected[0].clone(), arguments: expected[1..].to_vec() };
            let posix = snippet(&Instructions::of(client), &start, Shell::Posix);
            assert_eq!(read_back(client, &posix), expected, "{client:?}: {posix}");
            let config = Config::of(client, Path::new(program), &options).expect("the paths are Unicode");
            if !cfg!(windows) {
                assert_eq!(config.snippet, posix);
            }
        }
    }
}

#[test]
fn each_client_is_told_where_its_snippet_goes() {
    for (client, place) in [
        (Client::ClaudeCode, "run this command"),
        (Client::ClaudeDesktop, "%APPDATA%\\Claude\\claude_desktop_config.json"),
        (Client::Cursor, "~/.cursor/mcp.json"),
        (Client::VsCode, ".vscode/mcp.json"),
        (Client::Codex, "~/.codex/config.toml"),
        (Client::Gemini, "~/.gemini/settings.json"),
        (Client::Zed, "~/.config/zed/settings.json"),
        (Client::Windsurf, "~/.codeium/windsurf/mcp_config.json"),
        (Client::OpenCode, "~/.config/opencode/opencode.json"),
        (Client::Inspector, "run this command"),
    ] {
        let words = Instructions::of(client).words();
        assert!(words.contains(place), "{client:?}: {words}");
    }
}

#[test]
fn the_snippet_stands_alone_on_its_writer() {
    let config = Config::of(Client::Zed, Path::new("/p"), &options("/n", None)).expect("the paths are Unicode");
    let (mut snippet, mut words) = (Vec::new(), Vec::new());
    config.print(&mut snippet, &mut words).expect("memory takes everything");
    let entry: Value = serde_json::from_slice(&snippet).expect("nothing but JSON");
    assert_eq!(entry, json!({"context_servers": {"notes": {"command": "/p", "args": ["/n"]}}}));
    assert!(String::from_utf8(words).expect("text").starts_with("Zed: put this into\n"));
}

#[cfg(unix)]
#[test]
fn a_path_that_is_not_unicode_is_refused_with_a_way_out() {
    use std::os::unix::ffi::OsStringExt;
    let mut options = options("", None);
    options.notes_dir = PathBuf::from(OsString::from_vec(b"/n\xff".to_vec()));
    let refusal = Config::of(Client::Codex, Path::new("/p"), &options).unwrap_err().to_string();
    assert!(refusal.contains("/n\u{fffd}") && refusal.contains("rename"), "{refusal}");
}
