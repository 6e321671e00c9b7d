//! Structured output: what may be asked for, and what a provider makes of it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::profile::ModelProfile;

/// The shape that an answer must have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResponseFormat {
    /// Any JSON object.
    JsonObject,
    /// JSON that matches a schema.
    JsonSchema {
        /// A name for the schema, which some providers want: letters, digits, `_` and `-`.
        name: String,
        /// The schema.
        schema: Value,
    },
}

/// How much of [`ResponseFormat`] a provider understands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FormatSupport {
    /// Objects and schemas.
    #[default]
    Schema,
    /// Objects; a schema is sent as an object, and the answer says so.
    Object,
    /// Nothing.
    None,
}

/// Whether the model's list, where it names parameters, names one for this.
pub(crate) fn is_advertised(profile: &ModelProfile) -> bool {
    profile
        .supported_parameters
        .as_ref()
        .is_none_or(|names| names.contains("response_format") || names.contains("structured_outputs"))
}

/// Whether a schema meets the conditions of strict decoding: every object closed, every property required.
///
/// Under other conditions a provider refuses the word strict, and without it a schema is a wish.
pub(crate) fn can_be_strict(schema: &Value) -> bool {
    match schema {
        Value::Object(fields) => {
            let is_closed = match fields.get("properties").and_then(Value::as_object) {
                None => fields.get("type").and_then(Value::as_str) != Some("object"),
                Some(properties) => {
                    let required = fields.get("required").and_then(Value::as_array);
                    let is_required = |name: &String| {
                        required.is_some_and(|names| names.iter().any(|known| known.as_str() == Some(name)))
                    };
                    fields.get("additionalProperties") == Some(&Value::Bool(false))
                        && properties.keys().all(is_required)
                        && properties.values().all(can_be_strict)
                }
            };
            let inner = fields.iter().filter(|(name, _)| !matches!(name.as_str(), "properties" | "enum" | "const"));
            is_closed && inner.map(|(_, value)| value).all(can_be_strict)
        }
        Value::Array(items) => items.iter().all(can_be_strict),
        _ => true,
    }
}
