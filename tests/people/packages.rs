//! The manifests for registries and bundles: they name this version, its tools, and command lines that it understands.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::Parser;
use note_search_mcp::cli::{CommandLine, Options, Task};
use note_search_mcp::tools::TOOLS;
use serde_json::Value;

fn manifest(name: &str) -> Value {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name);
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn understood(arguments: &[String]) -> Options {
    let words = std::iter::once("note-search-mcp").chain(arguments.iter().map(String::as_str)).map(OsString::from);
    let line = CommandLine::try_parse_from(words).unwrap();
    assert_eq!(line.task(), Task::Serve);
    line.options(|_| None, None).unwrap()
}

#[test]
fn every_manifest_names_this_version() {
    let (server, bundle) = (manifest("server.json"), manifest("manifest.json"));
    for version in [&server["version"], &server["packages"][0]["version"], &bundle["version"]] {
        assert_eq!(version, env!("CARGO_PKG_VERSION"));
    }
    for name in [&server["packages"][0]["identifier"], &bundle["name"]] {
        assert_eq!(name, env!("CARGO_PKG_NAME"));
    }
}

#[test]
fn the_bundle_lists_the_tools() {
    let bundle = manifest("manifest.json");
    let listed: BTreeSet<&str> =
        bundle["tools"].as_array().unwrap().iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(listed, TOOLS.iter().map(note_search_mcp::tools::ToolEntry::name).collect());
}

#[test]
fn the_bundle_starts_the_server_with_and_without_a_description() {
    let bundle = manifest("manifest.json");
    let (config, fields) = (&bundle["server"]["mcp_config"], bundle["user_config"].as_object().unwrap());
    for (about, expected) in [("", None), ("日记 \"work\"", Some("日记 \"work\""))] {
        let filled = |argument: &Value| {
            fields.keys().fold(argument.as_str().unwrap().to_owned(), |text, field| {
                let value = if field == "notes_dir" { "/home/ada/my notes" } else { about };
                text.replace(&format!("${{user_config.{field}}}"), value)
            })
        };
        let arguments: Vec<String> = config["args"].as_array().unwrap().iter().map(filled).collect();
        let options = understood(&arguments);
        assert_eq!(options.notes_dir, PathBuf::from("/home/ada/my notes"));
        assert_eq!(options.about.as_deref(), expected);
    }
    assert_eq!(fields["about"]["default"], "", "what is not filled in must not stay a variable");
}

#[test]
fn the_registry_entry_starts_the_server() {
    let server = manifest("server.json");
    assert!(server["description"].as_str().unwrap().chars().count() <= 100, "the registry's limit");
    let mut arguments = Vec::new();
    for argument in server["packages"][0]["packageArguments"].as_array().unwrap() {
        arguments.extend(argument["name"].as_str().map(str::to_owned));
        arguments.push(argument.get("valueHint").map_or("work", |_| "/n").to_owned());
    }
    let options = understood(&arguments);
    assert_eq!((options.notes_dir, options.about.as_deref()), (PathBuf::from("/n"), Some("work")));
}
