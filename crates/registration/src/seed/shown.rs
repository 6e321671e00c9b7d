//! What people get to see of values that were written by somebody else.

use lwa_config::ConfigError;
use serde_json::Value;

/// The longest text that is shown in full.
const MAX_SHOWN: usize = 120;

/// A value as people may see it. Headers and further fields of requests may hold keys, so only their names
/// are shown; long texts are counted.
pub(super) fn shown(key: &str, value: &Value) -> String {
    let may_hold_keys = key.ends_with(".request_headers") || key.ends_with(".extra_body");
    match value {
        Value::Null => "none".to_owned(),
        Value::Object(fields) if fields.is_empty() => "none".to_owned(),
        Value::Object(fields) if may_hold_keys => fields.keys().map(String::as_str).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| format!("{name}: {}", shown("", value))).collect::<Vec<_>>().join(", ")
        }
        Value::Array(values) if values.is_empty() => "none".to_owned(),
        Value::Array(values) => values.iter().map(|value| shown("", value)).collect::<Vec<_>>().join(", "),
        Value::String(text) if text.chars().count() > MAX_SHOWN => format!("{} characters", text.chars().count()),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Why our configuration refuses a value, without the place in a file that does not exist yet.
pub(super) fn reason(error: &ConfigError) -> String {
    match error {
        ConfigError::NoSuchKey { .. } | ConfigError::LaterPart { .. } | ConfigError::UnknownKey { .. } => {
            "this version has no such setting".to_owned()
        }
        ConfigError::WrongType { expected, found, .. } => format!("takes {expected}, not {found}"),
        ConfigError::UnknownLabel { label, .. } => label.to_string(),
        ConfigError::OutOfRange { min, max, .. } => format!("must be between {min} and {max}"),
        ConfigError::Unusable { reason, .. } => (*reason).to_owned(),
        ConfigError::Missing { key, reason, .. } => format!("needs `{key}`: {reason}"),
        ConfigError::UnknownProvider { provider, .. } => format!("there is no provider `{provider}`"),
        ConfigError::Syntax { .. } | ConfigError::Read { .. } | ConfigError::Write { .. } => {
            "our configuration cannot take it".to_owned()
        }
    }
}
