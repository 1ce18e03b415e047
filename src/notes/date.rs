//! Calendar days: as notes write them, as file names hold them, and as a model gives them for a span.
//!
//! The time zone and what day it is come from outside.

use jiff::Span;
use jiff::civil::Date;

use super::fold::fold;

/// The day at the start of a written date: `2026-10-12`, with or without a time after it.
pub fn written_day(text: &str) -> Option<Date> {
    let bytes = text.as_bytes();
    let (day, rest) = dashed_day(bytes)?;
    (!rest.first().is_some_and(u8::is_ascii_digit)).then_some(day).flatten()
}

/// The first real day in a file name: `2026-10-12` or `20261012`, with no digit on either side.
pub fn day_in_name(name: &str) -> Option<Date> {
    let bytes = name.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (day, length) = match digits {
            8 => (real_day(&bytes[at..at + 4], &bytes[at + 4..at + 6], &bytes[at + 6..at + 8]), 8),
            4 => match dashed_day(&bytes[at..]) {
                Some((day, rest)) if !rest.first().is_some_and(u8::is_ascii_digit) => (day, 10),
                _ => (None, 4),
            },
            _ => (None, digits),
        };
        if day.is_some() {
            return day;
        }
        at += length;
    }
    None
}

/// `YYYY-MM-DD` at the start; the day is `None` when there is no such day. With what follows.
fn dashed_day(bytes: &[u8]) -> Option<(Option<Date>, &[u8])> {
    let (head, rest) = bytes.split_at_checked(10)?;
    let digits = |range: std::ops::Range<usize>| head[range].iter().all(u8::is_ascii_digit);
    let shaped = digits(0..4) && head[4] == b'-' && digits(5..7) && head[7] == b'-' && digits(8..10);
    shaped.then(|| (real_day(&head[0..4], &head[5..7], &head[8..10]), rest))
}

fn real_day(year: &[u8], month: &[u8], day: &[u8]) -> Option<Date> {
    let number = |digits: &[u8]| digits.iter().fold(0_i16, |sum, digit| sum * 10 + i16::from(digit - b'0'));
    let (month, day) = (i8::try_from(number(month)).ok()?, i8::try_from(number(day)).ok()?);
    (number(year) >= 1).then(|| Date::new(number(year), month, day).ok()).flatten()
}

/// Which end of a span a date is given for: `2026-10` begins on the 1st and ends on the 31st.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The first day that counts.
    From,
    /// The last day that counts.
    To,
}

/// The day that a model means: `YYYY-MM-DD`, `YYYY-MM`, `YYYY`, `today`, `yesterday`, or an age (`7d`, `2w`, `3m`, `1y`).
/// `None` when it is none of these, or no real day.
pub fn given_day(text: &str, end: End, today: Date) -> Option<Date> {
    let text: String = fold(text).chars().filter(|char| !char.is_whitespace()).collect();
    match text.as_str() {
        "today" => return Some(today),
        "yesterday" => return today.yesterday().ok(),
        _ => {}
    }
    if let Some(age) = age(&text) {
        return Some(today.checked_sub(age).unwrap_or(jiff::civil::date(1, 1, 1)));
    }
    let parts: Vec<&[u8]> = text.as_bytes().split(|byte| *byte == b'-').collect();
    if !parts.iter().flat_map(|part| part.iter()).all(u8::is_ascii_digit) {
        return None;
    }
    match parts.iter().map(|part| part.len()).collect::<Vec<_>>()[..] {
        [4, 2, 2] => real_day(parts[0], parts[1], parts[2]),
        [4, 2] => real_day(parts[0], parts[1], b"01").map(|first| match end {
            End::From => first,
            End::To => first.last_of_month(),
        }),
        [4] => match end {
            End::From => real_day(parts[0], b"01", b"01"),
            End::To => real_day(parts[0], b"12", b"31"),
        },
        _ => None,
    }
}

fn age(text: &str) -> Option<Span> {
    let unit = text.chars().last()?;
    let count = text.strip_suffix(unit)?;
    if count.is_empty() || count.len() > 5 || !count.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let count: i32 = count.parse().ok()?;
    match unit {
        'd' => Span::new().try_days(count).ok(),
        'w' => Span::new().try_weeks(count).ok(),
        'm' => Span::new().try_months(count).ok(),
        'y' => Span::new().try_years(count).ok(),
        _ => None,
    }
}

/// What a date in another common form was meant to be, for a corrected call: `2026-9-1`, `2026/09/01`, `20260901`, or a
/// date with a time.
pub fn meant_day(text: &str) -> Option<Date> {
    let text = text.trim();
    let head = text.split(['T', 't', ' ']).next()?;
    let parts: Vec<&str> = head.split(['-', '/', '.']).collect();
    let number = |part: &str| part.parse::<i16>().ok();
    match parts[..] {
        [year, month, day] if year.len() == 4 => {
            Date::new(number(year)?, i8::try_from(number(month)?).ok()?, i8::try_from(number(day)?).ok()?).ok()
        }
        [digits] if digits.len() == 8 && digits.is_ascii() => {
            real_day(&digits.as_bytes()[..4], &digits.as_bytes()[4..6], &digits.as_bytes()[6..])
                .filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn names_hold_dates_in_two_forms() {
        for (name, day) in [
            ("x 20261012 y", Some(date(2026, 10, 12))),
            ("x 20261399 2026-10-12", Some(date(2026, 10, 12))),
            ("d_20241013_x", Some(date(2024, 10, 13))),
            ("2026-10-123", None),
            ("120261012", None),
            ("2026-02-30", None),
        ] {
            assert_eq!(day_in_name(name), day, "{name}");
        }
    }

    #[test]
    fn months_and_years_are_whole() {
        let today = date(2026, 11, 30);
        let both = |text| (given_day(text, End::From, today), given_day(text, End::To, today));
        assert_eq!(both("2024-02"), (Some(date(2024, 2, 1)), Some(date(2024, 2, 29))));
        assert_eq!(both("2026"), (Some(date(2026, 1, 1)), Some(date(2026, 12, 31))));
        assert_eq!(both("3m").0, Some(date(2026, 8, 30)));
        assert_eq!(both("Yesterday").0, Some(date(2026, 11, 29)));
        for text in ["2026-13", "7", "-3d", "2026-10-12-01", "2026-W10", "十月", "2026-9-1", ""] {
            assert_eq!(both(text).0, None, "{text}");
        }
    }

    #[test]
    fn other_forms_show_what_was_meant() {
        for text in ["2026-9-1", "2026/09/01", "20260901", "2026-09-01T00:00:00+02:00", "2026.09.01"] {
            assert_eq!(meant_day(text), Some(date(2026, 9, 1)), "{text}");
        }
    }
}
