//! What the command line is taken to mean, and what is said when it means nothing.

use clap::CommandFactory;

use super::*;

fn parse(arguments: &[&str]) -> Result<Options, String> {
    parse_in(arguments, &[])
}

fn parse_in(arguments: &[&str], environment: &[(&str, &str)]) -> Result<Options, String> {
    let line = CommandLine::try_parse_from(std::iter::once(&"note-search-mcp").chain(arguments))
        .map_err(|error| error.to_string())?;
    let variable =
        |name: &str| environment.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value));
    line.options(variable, Some(PathBuf::from("/home/ada"))).map_err(|misuse| misuse.to_string())
}

#[test]
fn the_definition_holds_together() {
    CommandLine::command().debug_assert();
}

#[test]
fn a_folder_is_all_that_is_needed() {
    let expected = Options {
        notes_dir: PathBuf::from("/n"),
        extensions: ["md", "markdown", "mdx", "txt", "org"].map(str::to_owned).to_vec(),
        exclude: Vec::new(),
        follow_links: false,
        max_file_bytes: 64 * 1024 * 1024,
        search_timeout: Duration::from_secs(30),
        cache_bytes: 256 * 1024 * 1024,
        about: None,
        log: LevelFilter::WARN,
    };
    assert_eq!(parse(&["/n"]), Ok(expected));
}

#[test]
fn every_option_reaches_the_program() {
    let options = parse(&[
        "--ext",
        ".MD, txt,",
        "--exclude",
        "archive/",
        "--exclude",
        "*.tmp.md",
        "--follow-links",
        "--max-file-size",
        "1kb",
        "--search-timeout",
        "0.5",
        "--cache-mb",
        "0",
        "--about",
        " work ",
        "--log",
        "Debug",
        "/n",
    ])
    .unwrap();
    assert_eq!(options.extensions, ["md", "txt"]);
    assert_eq!(options.exclude, ["archive/", "*.tmp.md"]);
    assert!(options.follow_links);
    assert_eq!((options.max_file_bytes, options.cache_bytes), (1_000, 0));
    assert_eq!(options.search_timeout, Duration::from_millis(500));
    assert_eq!(options.about.as_deref(), Some("work"));
    assert_eq!(options.log, LevelFilter::DEBUG);
}

#[test]
fn without_a_folder_the_user_is_told_what_to_type() {
    for arguments in [&[][..], &[""], &["  "]] {
        let misuse = parse(arguments).unwrap_err();
        assert!(
            misuse.contains("note-search-mcp /path/to/your/notes") && misuse.contains("NOTE_SEARCH_DIR"),
            "{misuse}"
        );
    }
}

#[test]
fn the_environment_speaks_where_the_command_line_does_not() {
    let environment = [("NOTE_SEARCH_DIR", "~/n"), ("NOTE_SEARCH_LOG", "info")];
    let options = parse_in(&[""], &environment).unwrap();
    assert_eq!((options.notes_dir, options.log), (PathBuf::from("/home/ada/n"), LevelFilter::INFO));
    let options = parse_in(&["/other", "--log", "off"], &environment).unwrap();
    assert_eq!((options.notes_dir, options.log), (PathBuf::from("/other"), LevelFilter::OFF));
    assert_eq!(parse_in(&["/n"], &[("NOTE_SEARCH_LOG", " ")]).unwrap().log, LevelFilter::WARN);
    let misuse = parse_in(&["/n"], &[("NOTE_SEARCH_LOG", "loud")]).unwrap_err();
    assert!(misuse.contains("NOTE_SEARCH_LOG") && misuse.contains("trace"), "{misuse}");
}

#[test]
fn an_unknown_option_is_refused_with_the_nearest_one() {
    let error = parse(&["--exclud", "x", "/n"]).unwrap_err();
    assert!(error.contains("--exclud'") && error.contains("--exclude"), "{error}");
    assert!(parse(&["--max-results", "5", "/n"]).unwrap_err().contains("--max-results"));
}

#[test]
fn a_bad_value_is_refused_with_its_option() {
    for (option, value) in [
        ("--ext", "a/b"),
        ("--exclude", "a{b"),
        ("--max-file-size", "64 elephants"),
        ("--max-file-size", "0"),
        ("--search-timeout", "0"),
        ("--search-timeout", "NaN"),
        ("--search-timeout", "1e300"),
        ("--cache-mb", "-1"),
        ("--log", "loud"),
    ] {
        let error = parse(&[&format!("{option}={value}"), "/n"]).unwrap_err();
        assert!(error.contains(option), "{option} {value}: {error}");
    }
    assert!(parse(&["--ext", ",", "/n"]).unwrap_err().contains("--ext"));
}

#[test]
fn a_variable_that_the_client_left_standing_is_refused() {
    let misuse = parse(&["${workspaceFolder}/notes"]).unwrap_err();
    assert!(misuse.contains("${workspaceFolder}/notes") && misuse.contains("absolute path"), "{misuse}");
}

#[test]
fn options_can_be_written_as_a_command_line_and_read_back() {
    let lines: [&[&str]; 6] = [
        &["/n"],
        &["/笔记 a\\b\"c", "--ext", "md,r.txt", "--exclude", "a b/", "--exclude=-x", "--follow-links"],
        &["/n", "--max-file-size", "3MiB", "--search-timeout", "0.1", "--cache-mb", "0", "--log", "trace"],
        &["/n", "--max-file-size", "1kb", "--search-timeout", "86400", "--about=-日记, \"work\""],
        &["/n", "--search-timeout", "1.000000001", "--log", "off"],
        &["/n", "--exclude", "!keep.md", "--exclude", "#x"],
    ];
    for line in lines {
        let options = parse(line).unwrap();
        let written: Vec<String> =
            options.arguments().into_iter().map(|argument| argument.into_string().unwrap()).collect();
        let again = parse(&written.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(again, Ok(options), "{written:?}");
    }
    assert_eq!(parse(&["/n", "--ext", "md,markdown,mdx,txt,org"]).unwrap().given(), [""; 0]);
}

#[test]
fn a_folder_becomes_absolute_and_loses_its_dots() {
    let here = std::env::current_dir().unwrap();
    for (given, path) in [("notes", here.join("notes")), (".", here.clone()), ("src/..", here.clone())] {
        let options = parse(&[given]).unwrap().with_absolute_folder().unwrap();
        assert_eq!(options.notes_dir, path, "{given}");
    }
}

fn task(arguments: &[&str]) -> Result<Task, String> {
    CommandLine::try_parse_from(std::iter::once(&"note-search-mcp").chain(arguments))
        .map(|line| line.task())
        .map_err(|error| error.to_string())
}

#[test]
fn a_task_is_read_wherever_it_stands() {
    let call = |as_json| {
        Task::Call(WrittenCall { tool: "search_notes".to_owned(), arguments: r#"{"keyword":"x"}"#.to_owned(), as_json })
    };
    for (arguments, expected) in [
        (&["/n"][..], Task::Serve),
        (&["--check", "/n"], Task::Check),
        (&["/n", "--check"], Task::Check),
        (&["--call", "search_notes", r#"{"keyword":"x"}"#, "/n"], call(false)),
        (&["/n", "--json", "--call", "search_notes", r#"{"keyword":"x"}"#], call(true)),
        (&["--print-config", "vscode", "/n"], Task::PrintConfig(Client::VsCode)),
        (&["--completions", "fish"], Task::Completions(clap_complete::Shell::Fish)),
        (&["--man"], Task::Man),
    ] {
        assert_eq!(task(arguments), Ok(expected), "{arguments:?}");
    }
}

#[test]
fn only_one_task_can_be_done_at_a_time() {
    for arguments in [&["--check", "--man"][..], &["--check", "--call", "a", "{}", "/n"], &["--json", "/n"]] {
        assert!(task(arguments).is_err(), "{arguments:?}");
    }
}

#[test]
fn an_unknown_client_is_refused_with_the_list_and_the_nearest() {
    let error = task(&["--print-config", "cursr", "/n"]).unwrap_err();
    assert!(error.contains("a similar value exists: 'cursor'"), "{error}");
    for client in
        "claude-code claude-desktop cursor vscode codex gemini zed windsurf opencode inspector".split_ascii_whitespace()
    {
        assert!(error.contains(client), "{client}: {error}");
        assert!(task(&["--print-config", client]).is_ok(), "{client}");
    }
}

#[test]
fn every_option_is_completed_and_in_the_manual() {
    let man = String::from_utf8(man().unwrap()).unwrap().replace('\\', "");
    for option in CommandLine::command().get_arguments().filter_map(|argument| argument.get_long()) {
        for shell in [clap_complete::Shell::Bash, clap_complete::Shell::Zsh, clap_complete::Shell::PowerShell] {
            let script = String::from_utf8(completions(shell)).unwrap();
            assert!(script.contains(&format!("--{option}")), "{option} in {shell}");
        }
        assert!(man.contains(&format!("--{option}")), "{option}");
    }
}
