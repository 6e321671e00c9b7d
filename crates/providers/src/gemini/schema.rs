//! From JSON Schema to the part of it that Gemini understands, and a refusal where that would lose something.
//!
//! What the service does not know it rejects, or worse ignores; so each keyword has a rule here, and one without a
//! rule is refused rather than dropped.

use std::cell::Cell;

use serde_json::{Map, Value, json};
use thiserror::Error;

/// Nesting beyond this is a reference to itself.
const DEPTH_LIMIT: usize = 32;
/// References stand for what they mean, so a few of them can make a schema as large as they like.
const SIZE_LIMIT: usize = 5000;

/// What happens to a keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// It is understood and stays.
    Keep,
    /// It promises nothing about the value, so it goes.
    Drop,
    /// It is a schema, and so are its parts.
    Inside,
    /// It is a map of schemas.
    Map,
    /// It is a list of schemas.
    List,
    /// It has a meaning of its own below.
    Special,
}

const RULES: [(&str, Rule); 38] = [
    ("type", Rule::Special),
    ("format", Rule::Keep),
    ("title", Rule::Keep),
    ("description", Rule::Keep),
    ("enum", Rule::Keep),
    ("items", Rule::Inside),
    ("prefixItems", Rule::List),
    ("minItems", Rule::Keep),
    ("maxItems", Rule::Keep),
    ("minimum", Rule::Keep),
    ("maximum", Rule::Keep),
    ("anyOf", Rule::List),
    ("properties", Rule::Map),
    ("required", Rule::Keep),
    ("propertyOrdering", Rule::Keep),
    ("nullable", Rule::Keep),
    // Annotations.
    ("$schema", Rule::Drop),
    ("$id", Rule::Drop),
    ("$comment", Rule::Drop),
    ("$anchor", Rule::Drop),
    ("$defs", Rule::Drop),
    ("definitions", Rule::Drop),
    ("default", Rule::Drop),
    ("example", Rule::Drop),
    ("examples", Rule::Drop),
    ("deprecated", Rule::Drop),
    ("readOnly", Rule::Drop),
    ("writeOnly", Rule::Drop),
    ("contentMediaType", Rule::Drop),
    ("strict", Rule::Drop),
    // Bounds that hold for every value anyway.
    ("minLength", Rule::Special),
    ("minProperties", Rule::Special),
    ("uniqueItems", Rule::Special),
    // Rewritten.
    ("const", Rule::Special),
    ("additionalProperties", Rule::Special),
    ("allOf", Rule::Special),
    ("exclusiveMinimum", Rule::Special),
    ("exclusiveMaximum", Rule::Special),
];

/// Why a schema cannot be sent as it is meant.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum Lossy {
    /// A keyword has no counterpart.
    #[error("the model cannot promise `{keyword}` of the schema at `{place}`; leave it out or choose another model")]
    Keyword {
        /// The keyword.
        keyword: String,
        /// Where it stands, as a path of names.
        place: String,
    },
    /// A reference leads nowhere.
    #[error("the schema refers to `{target}`, which it does not hold")]
    Reference {
        /// The reference.
        target: String,
    },
    /// What the references stand for is too much.
    #[error("the schema is larger than 5000 parts once its references are put in")]
    TooLarge,
    /// A schema holds itself.
    #[error("the schema holds itself at `{place}`, which the model cannot promise")]
    Recursive {
        /// Where it does.
        place: String,
    },
}

/// The schema in the words that Gemini understands.
pub(crate) fn convert(schema: &Value) -> Result<Value, Lossy> {
    Converter { root: schema, size: Cell::new(0) }.schema(schema, "", 0)
}

struct Converter<'a> {
    root: &'a Value,
    /// How many schemas were converted.
    size: Cell<usize>,
}

impl Converter<'_> {
    fn schema(&self, schema: &Value, place: &str, depth: usize) -> Result<Value, Lossy> {
        if depth > DEPTH_LIMIT {
            return Err(Lossy::Recursive { place: shown(place) });
        }
        self.size.set(self.size.get() + 1);
        if self.size.get() > SIZE_LIMIT {
            return Err(Lossy::TooLarge);
        }
        let Value::Object(fields) = schema else {
            // `true` allows everything, which an empty schema says too; `false` allows nothing and cannot be said.
            return if schema == &Value::Bool(true) { Ok(json!({})) } else { Err(keyword("false", place)) };
        };
        let mut converted = Map::new();
        for (name, value) in fields {
            if name == "$ref" {
                self.refer(&mut converted, value, place, depth)?;
                continue;
            }
            let rule = RULES.iter().find(|(known, _)| known == name).map(|(_, rule)| *rule);
            let inside = format!("{place}/{name}");
            match rule {
                Some(Rule::Keep) => {
                    converted.insert(name.clone(), value.clone());
                }
                Some(Rule::Drop) => {}
                Some(Rule::Inside) => {
                    converted.insert(name.clone(), self.schema(value, &inside, depth + 1)?);
                }
                Some(Rule::Map) => {
                    let entries = value.as_object().ok_or_else(|| keyword(name, place))?;
                    let mut map = Map::new();
                    for (key, value) in entries {
                        map.insert(key.clone(), self.schema(value, &format!("{inside}/{key}"), depth + 1)?);
                    }
                    converted.insert(name.clone(), map.into());
                }
                Some(Rule::List) => {
                    let entries = value.as_array().ok_or_else(|| keyword(name, place))?;
                    let list: Result<Vec<_>, _> =
                        entries.iter().map(|entry| self.schema(entry, &inside, depth + 1)).collect();
                    converted.insert(name.clone(), list?.into());
                }
                Some(Rule::Special) => self.special(&mut converted, (name, value), (fields, place), depth)?,
                None => return Err(keyword(name, place)),
            }
        }
        Ok(converted.into())
    }

    /// What a reference means stands in its place.
    fn refer(
        &self,
        converted: &mut Map<String, Value>,
        target: &Value,
        place: &str,
        depth: usize,
    ) -> Result<(), Lossy> {
        let target = target.as_str().unwrap_or_default();
        let missing = || Lossy::Reference { target: target.to_owned() };
        let pointer = target.strip_prefix('#').ok_or_else(missing)?;
        let found = self.root.pointer(pointer).ok_or_else(missing)?;
        merge(converted, self.schema(found, place, depth + 1)?, "$ref", place)
    }

    fn special(
        &self,
        converted: &mut Map<String, Value>,
        (name, value): (&str, &Value),
        (fields, place): (&Map<String, Value>, &str),
        depth: usize,
    ) -> Result<(), Lossy> {
        let lossy = || Err(keyword(name, place));
        match (name, value) {
            // Several types are one type or null, or a choice.
            ("type", Value::Array(types)) => {
                let kinds: Vec<_> = types.iter().filter(|kind| kind.as_str() != Some("null")).collect();
                if let [kind] = kinds[..] {
                    converted.insert("type".to_owned(), kind.clone());
                    converted.insert("nullable".to_owned(), (kinds.len() < types.len()).into());
                    return Ok(());
                }
                lossy()
            }
            ("type", kind) => {
                converted.insert("type".to_owned(), kind.clone());
                Ok(())
            }
            ("const", value @ (Value::String(_) | Value::Number(_))) => {
                converted.insert("enum".to_owned(), json!([value]));
                Ok(())
            }
            _ if says_nothing(name, value) => Ok(()),
            // Between whole numbers an open bound is a closed one.
            ("exclusiveMinimum" | "exclusiveMaximum", Value::Number(bound)) if is_integer(fields) => {
                let Some(bound) = bound.as_i64() else { return lossy() };
                let (field, bound) =
                    if name == "exclusiveMinimum" { ("minimum", bound + 1) } else { ("maximum", bound - 1) };
                converted.insert(field.to_owned(), bound.into());
                Ok(())
            }
            ("allOf", Value::Array(all)) if all.len() == 1 => {
                merge(converted, self.schema(&all[0], place, depth + 1)?, name, place)
            }
            _ => lossy(),
        }
    }
}

/// Whether a keyword with this value forbids nothing that would be written anyway.
fn says_nothing(name: &str, value: &Value) -> bool {
    match (name, value) {
        // Nothing beyond the named properties is written in any case.
        ("additionalProperties", Value::Bool(_)) => true,
        ("additionalProperties", Value::Object(inner)) => inner.is_empty(),
        ("minLength" | "minProperties", bound) => bound.as_u64() == Some(0),
        ("uniqueItems", is_unique) => is_unique == &Value::Bool(false),
        _ => false,
    }
}

/// Whether a schema says that it is about whole numbers.
fn is_integer(fields: &Map<String, Value>) -> bool {
    fields.get("type").and_then(Value::as_str) == Some("integer")
}

/// Adds what is not said yet; two different statements cannot both be kept.
fn merge(into: &mut Map<String, Value>, from: Value, name: &str, place: &str) -> Result<(), Lossy> {
    let Value::Object(from) = from else { return Err(keyword(name, place)) };
    for (field, value) in from {
        match into.get(&field) {
            None => {
                into.insert(field, value);
            }
            // What stands beside a reference describes this use of it.
            Some(known) if *known == value || matches!(field.as_str(), "title" | "description") => {}
            Some(_) => return Err(keyword(name, place)),
        }
    }
    Ok(())
}

fn keyword(keyword: &str, place: &str) -> Lossy {
    Lossy::Keyword { keyword: keyword.to_owned(), place: shown(place) }
}

fn shown(place: &str) -> String {
    if place.is_empty() { "/".to_owned() } else { place.chars().take(120).collect() }
}
