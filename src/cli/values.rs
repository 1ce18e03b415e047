//! What single values of the command line mean, and what is said when they mean nothing.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use ignore::gitignore::GitignoreBuilder;
use tracing_subscriber::filter::LevelFilter;

/// Longest time limit, in seconds: a day. Beyond it a limit is none, and clocks may overflow.
const MAX_SECONDS: f64 = 86_400.0;

/// Bytes in a MiB.
pub(super) const MEBIBYTE: u64 = 1 << 20;

/// Units of a size, in lower case, with their bytes.
const UNITS: [(&str, u64); 9] = [
    ("", 1),
    ("b", 1),
    ("kb", 1_000),
    ("kib", 1 << 10),
    ("mb", 1_000_000),
    ("mib", MEBIBYTE),
    ("gb", 1_000_000_000),
    ("gib", 1 << 30),
    ("bytes", 1),
];

/// A size such as `64MiB` or `1000000`, in bytes; more than zero.
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    let wanted = "write a whole number of bytes, or one with KB, KiB, MB, MiB, GB or GiB, such as 64MiB";
    let text = text.trim();
    let (number, unit) = text.split_at(text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len()));
    let unit = unit.trim().to_ascii_lowercase();
    let size = UNITS
        .iter()
        .find(|(name, _)| *name == unit)
        .and_then(|(_, size)| number.parse::<u64>().ok()?.checked_mul(*size));
    match size {
        Some(0) => Err("must be more than zero".to_owned()),
        Some(size) => Ok(size),
        None => Err(wanted.to_owned()),
    }
}

/// A number of MiB, in bytes; may be zero.
pub(super) fn mebibytes(text: &str) -> Result<u64, String> {
    let wanted = "write a whole number of MiB, such as 256";
    text.trim().parse::<u64>().ok().and_then(|count| count.checked_mul(MEBIBYTE)).ok_or_else(|| wanted.to_owned())
}

/// A number of seconds, more than zero; fractions allowed.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let wanted = "write a number of seconds above 0 and up to 86400, such as 30";
    let number = text.trim().parse::<f64>().ok().filter(|number| *number > 0.0 && *number <= MAX_SECONDS);
    number
        .and_then(|number| Duration::try_from_secs_f64(number).ok())
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| wanted.to_owned())
}

/// An extension without its dot, in lower case; none for an empty place in the list.
pub(super) fn extension(text: &str) -> Result<Option<String>, String> {
    let name = text.trim().trim_start_matches('.').to_lowercase();
    if name.contains(['/', '\\']) {
        return Err("write extensions alone, such as md,txt".to_owned());
    }
    Ok((!name.is_empty()).then_some(name))
}

/// A pattern in gitignore syntax.
pub(super) fn glob(text: &str) -> Result<String, String> {
    match GitignoreBuilder::new("").add_line(None, text) {
        Ok(_) => Ok(text.to_owned()),
        Err(error) => Err(format!("not a pattern as in .gitignore: {error}")),
    }
}

/// A log level.
pub(super) fn level(text: &str) -> Result<LevelFilter, String> {
    match text.trim().to_ascii_lowercase().as_str() {
        "off" => Ok(LevelFilter::OFF),
        "error" => Ok(LevelFilter::ERROR),
        "warn" | "warning" => Ok(LevelFilter::WARN),
        "info" => Ok(LevelFilter::INFO),
        "debug" => Ok(LevelFilter::DEBUG),
        "trace" => Ok(LevelFilter::TRACE),
        _ => Err("write one of off, error, warn, info, debug, trace".to_owned()),
    }
}

/// A text without blanks at its ends; none when nothing is left.
pub(super) fn text(text: String) -> Option<String> {
    let trimmed = text.trim();
    match trimmed.len() {
        0 => None,
        length if length == text.len() => Some(text),
        _ => Some(trimmed.to_owned()),
    }
}

/// A folder's path with `~`, `$HOME` and `${HOME}` replaced, since clients start servers without a shell. Every other
/// `$` is part of a name, but `${` is refused: it is a variable that the client was meant to replace and did not.
pub(super) fn folder(given: OsString, home: Option<PathBuf>) -> Result<PathBuf, String> {
    let Some(written) = given.to_str() else {
        return Ok(PathBuf::from(given)); // a name that is not Unicode, taken as it is
    };
    let home = home.and_then(|home| home.into_os_string().into_string().ok());
    let is_left = |path: &str| path.contains("${");
    if is_left(&written.replace("${HOME}", "")) {
        return Err(left_standing(written));
    }
    let expanded = if written.contains("$$") {
        shellexpand::tilde_with_context(written, || home.as_deref()) // `$$` would lose one of its two
    } else {
        let variable = |name: &str| (name == "HOME").then_some(home.as_deref()).flatten();
        shellexpand::full_with_context_no_errors(written, || home.as_deref(), variable)
    };
    if is_left(&expanded) {
        return Err(left_standing(written));
    }
    Ok(PathBuf::from(expanded.into_owned()))
}

fn left_standing(written: &str) -> String {
    format!(
        "the client that started note-search-mcp did not replace the variable in `{written}`: write the folder's \
         absolute path instead"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_of(text: &str) -> String {
        folder(text.into(), Some("/home/ada".into())).map_or_else(|refusal| refusal, |path| path.display().to_string())
    }

    #[test]
    fn home_is_understood_in_three_spellings_and_nothing_else_is() {
        assert_eq!(folder_of("~"), "/home/ada");
        assert_eq!(folder_of("~/n"), "/home/ada/n");
        assert_eq!(folder_of("$HOME/n"), "/home/ada/n");
        assert_eq!(folder_of("${HOME}/n"), "/home/ada/n");
        for as_it_is in ["n", "/n~", "~bob/n", "/a/~/n", "$HOMES/n", "/$USER/n", "/a$$b", "/a$", "/a$-1", "/%HOME%"] {
            assert_eq!(folder_of(as_it_is), as_it_is);
        }
    }

    #[test]
    fn a_variable_in_braces_is_refused() {
        for text in ["${workspaceFolder}", "${HOME}/${x}", "${HOME:-/tmp}", "${env:HOME}/n", "/n/${"] {
            assert!(folder_of(text).contains("absolute path"), "{text}");
        }
        assert!(folder("${HOME}/n".into(), None).is_err());
    }

    #[test]
    fn sizes_have_units_in_any_case() {
        for (text, size) in [
            ("1", 1),
            ("12b", 12),
            ("1kb", 1_000),
            ("1 KiB", 1_024),
            ("2MB", 2_000_000),
            ("64MiB", 64 << 20),
            ("1gB", 1_000_000_000),
            ("1GiB", 1 << 30),
        ] {
            assert_eq!(bytes(text), Ok(size), "{text}");
        }
        for text in ["", "MiB", "1.5MB", "-1", "1TB", "99999999999GiB", "0", "十MB"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn times_are_positive() {
        assert_eq!(seconds("30"), Ok(Duration::from_secs(30)));
        assert_eq!(seconds("0.25"), Ok(Duration::from_millis(250)));
        for text in ["0", "-1", "", "inf", "NaN", "1e-300", "86401", "30s"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
