//! Tools as `tools/list` publishes them: schemas derived from the types, brought to the flat subset that every known
//! client and model API takes.
//!
//! No `$schema`, `$ref`, combinators, type arrays, boolean subschemas, `format` or `null` anywhere.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

use super::Tool;
use super::arguments::{ArgumentRule, Arguments};

/// A tool as published, and the rules of its arguments read back from that.
#[derive(Debug)]
pub struct Published {
    /// The element of `tools` in `tools/list`.
    pub definition: Value,
    /// The arguments in the schema's order.
    pub rules: Vec<ArgumentRule>,
}

/// What a tool publishes; made once.
pub fn published<T: Tool>() -> &'static Published {
    static PUBLISHED: Mutex<Option<HashMap<TypeId, &'static Published>>> = Mutex::new(None);
    let mut published = PUBLISHED.lock().unwrap_or_else(PoisonError::into_inner);
    published.get_or_insert_default().entry(TypeId::of::<T>()).or_insert_with(|| {
        let input = input_schema::<T::Arguments>();
        let rules = ArgumentRule::all::<T::Arguments>(&input);
        let definition = json!({
            "name": T::NAME,
            "title": T::TITLE,
            "description": T::DESCRIPTION,
            "inputSchema": input,
            "outputSchema": output_schema::<T::Answer>(),
            "annotations": {"title": T::TITLE, "readOnlyHint": true, "openWorldHint": false},
        });
        Box::leak(Box::new(Published { definition, rules }))
    })
}

fn input_schema<A: Arguments>() -> Value {
    let schema = settings().into_generator().into_root_schema_for::<A>();
    cleaned(schema, true)
}

fn output_schema<A: JsonSchema>() -> Value {
    let schema = settings().for_serialize().into_generator().into_root_schema_for::<A>();
    cleaned(schema, false)
}

fn settings() -> SchemaSettings {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    settings
}

fn cleaned(mut schema: Schema, is_input: bool) -> Value {
    RecursiveTransform(|schema: &mut Schema| clean(schema, is_input)).transform(&mut schema);
    schema.remove("description"); // the tool's own description says it
    schema.into()
}

fn clean(schema: &mut Schema, is_input: bool) {
    for name in ["title", "format"] {
        schema.remove(name);
    }
    if schema.get("default").is_some_and(Value::is_null) {
        schema.remove("default");
    }
    if !is_input {
        for name in ["default", "minimum", "additionalProperties"] {
            schema.remove(name);
        }
    }
    let types = schema.get("type").and_then(Value::as_array);
    if let Some(one) = types.and_then(|types| types.iter().find(|one| *one != "null").cloned()) {
        schema.insert("type".to_owned(), one);
    }
    if let Some(values) = schema.get_mut("enum").and_then(Value::as_array_mut) {
        values.retain(|value| !value.is_null());
    }
    if let Some(text) = schema.get("description").and_then(Value::as_str) {
        let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        schema.insert("description".to_owned(), one_line.into());
    }
}
