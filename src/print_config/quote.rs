//! Texts as words of a shell's command line and as strings of TOML.

/// A shell that commands are written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shell {
    /// The shells of Unix.
    Posix,
    /// PowerShell.
    PowerShell,
}

impl Shell {
    /// The one that people most likely use on this system.
    pub(super) fn of_this_system() -> Self {
        if cfg!(windows) { Self::PowerShell } else { Self::Posix }
    }
}

/// A command line that a shell takes apart into exactly these words.
pub(super) fn command_line<'a>(words: impl Iterator<Item = &'a str>, shell: Shell) -> String {
    let quoted: Vec<String> = words
        .map(|word| match shell {
            Shell::Posix => posix(word),
            Shell::PowerShell => power_shell(word),
        })
        .collect();
    quoted.join(" ")
}

/// No process can be given a word with a NUL in it, so none has one; should it, it is left out.
fn posix(word: &str) -> String {
    let word: String = word.chars().filter(|char| *char != '\0').collect();
    shlex::try_quote(&word).map_or_else(|_| String::new(), std::borrow::Cow::into_owned)
}

/// Single quotes, doubled inside. A bare `--` would be kept by PowerShell for itself.
fn power_shell(word: &str) -> String {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "-_./:\\".contains(char);
    if !word.is_empty() && word != "--" && word.chars().all(is_plain) {
        return word.to_owned();
    }
    // PowerShell takes the typographic quotes for plain ones.
    let is_quote = |char: char| matches!(char, '\'' | '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}');
    let mut quoted = String::from("'");
    for char in word.chars() {
        quoted.push(char);
        if is_quote(char) {
            quoted.push(char);
        }
    }
    quoted + "'"
}

/// A basic string of TOML. JSON's escapes are among TOML's, which asks for one more: DEL.
pub(super) fn toml_string(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_gets_the_words_back() {
        let words = [
            "a b",
            "it's",
            "say \"hi\"",
            "读书 笔记",
            r"C:\my notes\",
            "$HOME",
            "`x`",
            "",
            "~",
            "a;b&c|d",
            "\n",
            "!x",
            "--",
        ];
        let line = command_line(words.iter().copied(), Shell::Posix);
        assert_eq!(shlex::split(&line).unwrap(), words);
    }

    #[cfg(unix)]
    #[test]
    fn sh_itself_gets_the_words_back() {
        let words = [
            "a b",
            "it's",
            "say \"hi\"",
            "读书 笔记",
            r"C:\my notes\",
            "$HOME",
            "`x`",
            "",
            "~",
            "*",
            "a;b&c|d",
            "x\ny",
        ];
        let line = format!("printf '%s\\0' {}", command_line(words.iter().copied(), Shell::Posix));
        let printed = std::process::Command::new("sh").args(["-c", &line]).output().unwrap().stdout;
        assert_eq!(String::from_utf8(printed).unwrap(), words.map(|word| format!("{word}\0")).concat());
    }

    #[test]
    fn power_shell_quotes_are_doubled() {
        for (word, quoted) in [
            (r"C:\Users\ada\notes", r"C:\Users\ada\notes"),
            (r"C:\Program Files\x.exe", r"'C:\Program Files\x.exe'"),
            ("it's", "'it''s'"),
            ("it\u{2019}s", "'it\u{2019}\u{2019}s'"),
            ("$env:x", "'$env:x'"),
            ("--", "'--'"),
            ("--scope", "--scope"),
            ("", "''"),
        ] {
            assert_eq!(power_shell(word), quoted);
        }
    }

    #[test]
    fn toml_gets_the_text_back() {
        for text in ["", "a\"b", r"C:\n\notes", "读书\u{7f}\u{1}\t\n😀", "'''"] {
            let file: toml::Table = format!("x = {}", toml_string(text)).parse().unwrap();
            assert_eq!(file["x"].as_str(), Some(text));
        }
    }
}
