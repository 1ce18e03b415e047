//! Values that are certain to be meant are taken as what they mean; everything else is bad, with the reason and, where one
//! is near, a value to use instead.

use serde_json::{Number, Value, json};

use super::rule::Kind;
use crate::notes::fold::fold;
use crate::notes::nearest::nearest_word;
use crate::notes::resolve;
use crate::tools::problem::echo;

/// Why a value is bad.
#[derive(Debug, Clone, PartialEq)]
pub struct Bad {
    /// The correct form, and what was received.
    pub words: String,
    /// A value that would pass.
    pub instead: Option<Value>,
}

impl Bad {
    fn new(kind: &Kind, value: &Value, instead: Option<Value>) -> Self {
        Self { words: format!("must be {}; got {}", kind.form(), echo(value)), instead }
    }
}

/// Without blanks at its ends, U+3000 and zero-width ones included.
pub fn trimmed(text: &str) -> &str {
    resolve::trimmed(text)
}

/// A text: a number counts as its digits.
pub fn text(value: &Value, least: usize, most: usize, keeps_blanks: bool) -> Result<Value, Bad> {
    let kind = Kind::Text { least, most, keeps_blanks };
    let whole = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return Err(Bad::new(&kind, value, None)),
    };
    let bare = trimmed(&whole);
    if bare.is_empty() {
        return Err(Bad {
            words: format!("must not be blank: {} is needed; got {}", kind.form(), echo(value)),
            instead: None,
        });
    }
    let kept = if keeps_blanks { &whole } else { bare };
    let characters = kept.chars().take(most.saturating_add(1)).count();
    if characters > most {
        let total = kept.chars().count();
        let words = format!("must be {}; got {total} characters: {}", kind.form(), echo(value));
        return Err(Bad { words, instead: None });
    }
    Ok(json!(kept))
}

/// A whole number: `"10"` and `10.0` count as 10.
pub fn number(value: &Value, least: i64, most: i64, default: Option<&Value>) -> Result<Value, Bad> {
    let kind = Kind::Number { least, most };
    let bad =
        |instead: Option<i64>| Bad::new(&kind, value, instead.map(|number| json!(number)).or_else(|| default.cloned()));
    let given = match value {
        Value::Number(number) => whole(number),
        Value::String(text) => match fold(trimmed(text)).parse::<Number>() {
            Ok(number) => whole(&number),
            Err(_) => return Err(bad(leading_digits(text).filter(|number| (least..=most).contains(number)))),
        },
        _ => return Err(bad(None)),
    };
    match given {
        Some(number) if number < i128::from(least) => Err(bad(Some(least))),
        Some(number) if number > i128::from(most) => Err(bad(if most == i64::MAX { None } else { Some(most) })),
        Some(number) => Ok(json!(i64::try_from(number).unwrap_or(most))),
        None => Err(bad(None)),
    }
}

/// The number as a whole one, if it is.
fn whole(number: &Number) -> Option<i128> {
    if let Some(number) = number.as_i64() {
        return Some(number.into());
    }
    if let Some(number) = number.as_u64() {
        return Some(number.into());
    }
    let number = number.as_f64()?;
    #[allow(clippy::cast_possible_truncation)] // whole and bounded
    (number.fract() == 0.0).then(|| number.clamp(-1e30, 1e30) as i128)
}

/// `12` of `12px`: not certain, but worth suggesting.
fn leading_digits(text: &str) -> Option<i64> {
    let digits: String = trimmed(text).chars().take_while(char::is_ascii_digit).take(9).collect();
    digits.parse().ok()
}

/// One of a few words, in any case.
pub fn choice(value: &Value, values: &[String]) -> Result<Value, Bad> {
    let kind = Kind::Choice(values.to_vec());
    let Some(given) = value.as_str().map(trimmed) else { return Err(Bad::new(&kind, value, None)) };
    let folded = fold(&given.chars().take(200).collect::<String>());
    if let Some(known) = values.iter().find(|known| **known == folded) {
        Ok(json!(known))
    } else {
        let near = nearest_word(&folded, values.iter().map(String::as_str));
        let mut bad = Bad::new(&kind, value, near.map(|near| json!(near)));
        if let Some(near) = near {
            bad.words += &format!("; did you mean \"{near}\"?");
        }
        Err(bad)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certain_numbers_are_taken() {
        for value in [json!(7), json!("7"), json!(7.0), json!(" 7 "), json!("\u{3000}7"), json!("７"), json!("7.0")] {
            assert_eq!(number(&value, 1, 50, None), Ok(json!(7)), "{value}");
        }
        for value in
            [json!("十条"), json!("12px"), json!(1.5), json!(true), json!([10]), json!({}), json!("1.5"), json!("")]
        {
            assert!(number(&value, 1, 50, None).is_err(), "{value}");
        }
    }

    #[test]
    fn numbers_out_of_range_are_clamped_in_the_correction() {
        let instead = |value: Value| number(&value, 1, 50, Some(&json!(10))).map_err(|bad| bad.instead);
        assert_eq!(instead(json!(99)), Err(Some(json!(50))));
        assert_eq!(instead(json!(-3)), Err(Some(json!(1))));
        assert_eq!(instead(json!(18_446_744_073_709_551_615_u64)), Err(Some(json!(50))));
        assert_eq!(instead(json!(1e300)), Err(Some(json!(50))));
        assert_eq!(instead(json!("十条")), Err(Some(json!(10))));
        assert_eq!(instead(json!("12px")), Err(Some(json!(12))));
    }

    #[test]
    fn words_match_in_any_case_and_lead_to_the_nearest() {
        let values = ["all", "titles", "body"].map(str::to_owned);
        assert_eq!(choice(&json!(" TITLES "), &values), Ok(json!("titles")));
        assert_eq!(choice(&json!("title"), &values).map_err(|bad| bad.instead), Err(Some(json!("titles"))));
        assert_eq!(choice(&json!("headings"), &values).map_err(|bad| bad.instead), Err(None));
    }
}
