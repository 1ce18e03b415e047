//! The rule of one argument, read back from the published schema, and the words in which it is told.

use serde_json::{Value, json};

use super::Arguments;
use super::coerce::{Bad, choice, number, text, trimmed};

/// What one argument must be.
#[derive(Debug, Clone, PartialEq)]
pub struct ArgumentRule {
    /// Its name.
    pub name: String,
    /// Whether the call makes no sense without it.
    pub is_required: bool,
    /// What it is when it is left out, where the schema says so.
    pub default: Option<Value>,
    /// What kind of value it takes.
    pub kind: Kind,
    /// The first sentence of its description.
    about: String,
}

/// The kinds of values that arguments take.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// Text of so many characters.
    Text {
        /// At least.
        least: usize,
        /// At most.
        most: usize,
        /// Blanks at its ends may be meant.
        keeps_blanks: bool,
    },
    /// A whole number in a range.
    Number {
        /// The lowest.
        least: i64,
        /// The highest.
        most: i64,
    },
    /// One of these words.
    Choice(Vec<String>),
}

impl ArgumentRule {
    /// The rules of all arguments in a published schema.
    pub fn all<A: Arguments>(schema: &Value) -> Vec<Self> {
        let required = &schema["required"];
        let is_required = |name: &String| required.as_array().is_some_and(|names| names.iter().any(|one| one == name));
        let properties = schema["properties"].as_object().into_iter().flatten();
        properties
            .map(|(name, property)| Self {
                name: name.clone(),
                is_required: is_required(name),
                default: property.get("default").cloned(),
                kind: Kind::of(property, A::KEEPS_BLANKS.contains(&name.as_str())),
                about: property["description"]
                    .as_str()
                    .and_then(|text| text.split([',', '.', ':']).next())
                    .unwrap_or("")
                    .to_owned(),
            })
            .collect()
    }

    /// Reads a value: `None` when it means "not given".
    pub fn read(&self, value: &Value) -> Result<Option<Value>, Bad> {
        if value.is_null() {
            return Ok(None);
        }
        match &self.kind {
            _ if is_absent(value) && !self.is_required => Ok(None),
            Kind::Text { least, most, keeps_blanks } => text(value, *least, *most, *keeps_blanks).map(Some),
            Kind::Number { least, most } => number(value, *least, *most, self.default.as_ref()).map(Some),
            Kind::Choice(values) => choice(value, values).map(Some),
        }
    }

    /// What is said when a required argument is missing.
    pub fn missing(&self) -> String {
        let about = &self.about;
        let mut letters = about.chars();
        let about = letters.next().map(char::to_lowercase).into_iter().flatten().chain(letters).collect::<String>();
        format!("is required: {about} ({})", self.kind.form())
    }

    /// A value that would pass, for a required slot without one.
    pub fn stand_in(&self) -> Value {
        match &self.kind {
            Kind::Text { .. } => json!("x"),
            Kind::Number { least, .. } => json!(least),
            Kind::Choice(values) => json!(values.first()),
        }
    }
}

impl Kind {
    fn of(property: &Value, keeps_blanks: bool) -> Self {
        let size = |key: &str, default: usize| {
            property[key].as_u64().map_or(default, |size| usize::try_from(size).unwrap_or(usize::MAX))
        };
        if let Some(values) = property["enum"].as_array() {
            return Self::Choice(values.iter().filter_map(Value::as_str).map(str::to_owned).collect());
        }
        if property["type"] == "integer" {
            let bound = |key: &str, default: i64| property[key].as_i64().unwrap_or(default);
            return Self::Number { least: bound("minimum", i64::MIN), most: bound("maximum", i64::MAX) };
        }
        Self::Text { least: size("minLength", 0), most: size("maxLength", usize::MAX), keeps_blanks }
    }

    /// The correct form, in words.
    pub fn form(&self) -> String {
        match self {
            Self::Text { most, .. } if *most == usize::MAX => "text".to_owned(),
            Self::Text { least, most, .. } => format!("text of {} to {most} characters", (*least).max(1)),
            Self::Number { least, most } if *most == i64::MAX => format!("a whole number, {least} or more"),
            Self::Number { least, most } => format!("a whole number from {least} to {most}"),
            Self::Choice(values) => {
                let quoted: Vec<String> = values.iter().map(|value| format!("\"{value}\"")).collect();
                format!("one of {}", quoted.join(", "))
            }
        }
    }
}

/// Whether a value means "not given" for an optional argument.
pub fn is_absent(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(|text| trimmed(text).is_empty())
}
