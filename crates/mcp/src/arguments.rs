//! Arguments of a call, checked against the tool's parameters.

use std::collections::BTreeMap;

use lwa_domain::label::nearest;
use lwa_domain::{ErrorCode, PicoUsd};
use lwa_protocol::Failure;
use serde_json::{Map, Value, json};

use crate::tool::parameter::{Kind, Parameter};

/// Arguments that fit their parameters. An explicit null is the same as an absent argument.
#[derive(Debug, Default)]
pub(crate) struct Arguments(Map<String, Value>);

impl Arguments {
    /// Checks what the client sent.
    ///
    /// # Errors
    /// An unknown name, a wrong type, a number out of range or a missing argument, each named.
    pub(crate) fn check(given: Option<Map<String, Value>>, parameters: &[Parameter]) -> Result<Self, Failure> {
        let mut given = given.unwrap_or_default();
        given.retain(|_, value| !value.is_null());
        for (name, value) in &given {
            let Some(parameter) = parameters.iter().find(|parameter| parameter.name == name) else {
                return Err(unknown_name(name, parameters));
            };
            check_kind(parameter, value)?;
        }
        match parameters.iter().find(|parameter| parameter.is_required && !given.contains_key(parameter.name)) {
            Some(missing) => Err(invalid(format!("`{}` is required", missing.name), missing.about)),
            None => Ok(Self(given)),
        }
    }

    /// The argument as text.
    pub(crate) fn text(&mut self, name: &str) -> Option<String> {
        match self.0.remove(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        }
    }

    /// The argument as yes or no; no when absent.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or_default()
    }

    /// The argument as yes or no, with what holds when it is absent.
    pub(crate) fn flag_or(&self, name: &str, default: bool) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or(default)
    }

    /// The argument as an amount of money.
    pub(crate) fn dollars(&self, name: &str) -> Option<PicoUsd> {
        self.0.get(name).and_then(amount)
    }

    /// The argument as the form of an answer.
    pub(crate) fn format(&mut self, name: &str) -> Option<Value> {
        self.0.remove(name).map(|value| format_of(&value))
    }

    /// The argument as text, none when it is empty: older callers say so what they leave out.
    pub(crate) fn filled(&mut self, name: &str) -> Option<String> {
        self.text(name).filter(|text| !text.trim().is_empty())
    }

    /// The argument as a whole number.
    pub(crate) fn whole(&self, name: &str) -> Option<u32> {
        self.0.get(name).and_then(whole_number)
    }

    /// The argument as a whole number without a bound; 0 when absent.
    pub(crate) fn count(&self, name: &str) -> u64 {
        self.0.get(name).and_then(count).unwrap_or_default()
    }

    /// The argument as names with a text each; none when absent.
    pub(crate) fn named(&self, name: &str) -> BTreeMap<String, String> {
        let names = self.0.get(name).and_then(Value::as_object).into_iter().flatten();
        names.filter_map(|(name, text)| Some((name.clone(), text.as_str()?.to_owned()))).collect()
    }

    /// The argument as a list of texts; empty when absent.
    pub(crate) fn texts(&self, name: &str) -> Vec<String> {
        let items = self.0.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        items.iter().filter_map(Value::as_str).map(str::to_owned).collect()
    }
}

fn check_kind(parameter: &Parameter, value: &Value) -> Result<(), Failure> {
    let name = parameter.name;
    let expected = match parameter.kind {
        Kind::Text | Kind::Label(_) if value.is_string() => return Ok(()),
        Kind::Text | Kind::Label(_) => "a text".to_owned(),
        Kind::Filled if value.as_str().is_some_and(|text| !text.trim().is_empty()) => return Ok(()),
        Kind::Filled => "a text that is not empty".to_owned(),
        Kind::Reference if value.as_str().is_some_and(is_reference) => return Ok(()),
        Kind::Reference => "`a_` and eight hexadecimal digits, as the trailer of a result names it".to_owned(),
        Kind::Flag if value.is_boolean() => return Ok(()),
        Kind::Flag => "true or false".to_owned(),
        Kind::Whole(least, most) => match whole_number(value) {
            Some(number) if (least..=most).contains(&number) => return Ok(()),
            _ => format!("a whole number from {least} to {most}"),
        },
        Kind::Count if count(value).is_some() => return Ok(()),
        Kind::Count => "a whole number from 0".to_owned(),
        Kind::Named if value.as_object().is_some_and(|names| names.values().all(Value::is_string)) => return Ok(()),
        Kind::Named => "an object of names, each with a text".to_owned(),
        Kind::Texts if value.as_array().is_some_and(|items| items.iter().all(Value::is_string)) => return Ok(()),
        Kind::Texts => "a list of texts".to_owned(),
        Kind::Dollars if amount(value).is_some() => return Ok(()),
        Kind::Dollars => "an amount in dollars, such as 0.05".to_owned(),
        Kind::Format if value.is_string() || value.is_object() => return Ok(()),
        Kind::Format => "json_object or a JSON Schema".to_owned(),
    };
    // What is of the right kind is told apart by itself.
    let given = match (parameter.kind, value) {
        (Kind::Filled, Value::String(_)) => "an empty one".to_owned(),
        (Kind::Whole(..) | Kind::Count, Value::Number(number)) => number.to_string(),
        _ => kind_of(value).to_owned(),
    };
    Err(invalid(format!("`{name}` must be {expected}, not {given}"), parameter.about))
}

fn amount(value: &Value) -> Option<PicoUsd> {
    let dollars = match value {
        Value::String(text) => text.trim().trim_start_matches('$').parse().ok()?,
        Value::Number(number) => number.as_f64()?,
        _ => return None,
    };
    PicoUsd::from_dollars(dollars)
}

/// A schema gets the name that providers ask for; what is no form at all is left to the host to refuse.
fn format_of(value: &Value) -> Value {
    let parsed = value.as_str().filter(|text| text.trim_start().starts_with('{')).map(serde_json::from_str);
    let value = match parsed {
        Some(Ok(parsed)) => parsed,
        _ => value.clone(),
    };
    if value.is_object() && value.get("schema").is_none() { json!({"name": "answer", "schema": value}) } else { value }
}

fn is_reference(text: &str) -> bool {
    let is_hex = |digit: u8| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit);
    text.strip_prefix("a_").is_some_and(|digits| digits.len() == 8 && digits.bytes().all(is_hex))
}

/// As [`whole_number`], for places in a text that may be longer than that.
fn count(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.trim().parse().ok()).or_else(|| whole_number(value).map(u64::from))
}

/// Some clients write whole numbers as `1200.0`, and some as text.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked against the range just before")]
fn whole_number(value: &Value) -> Option<u32> {
    if let Some(number) = value.as_u64() {
        return u32::try_from(number).ok();
    }
    if let Some(text) = value.as_str() {
        return text.trim().parse().ok();
    }
    let number = value.as_f64()?;
    (number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number)).then_some(number as u32)
}

/// The JSON type, never the value.
fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "this number",
        Value::String(_) => "a text",
        Value::Array(_) => "this list",
        Value::Object(_) => "an object",
    }
}

fn unknown_name(name: &str, parameters: &[Parameter]) -> Failure {
    let shown: String = name.chars().take(60).collect();
    let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name).collect();
    let hint = match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the arguments are {}", names.join(", ")),
    };
    invalid(format!("there is no argument `{shown}`"), &hint)
}

fn invalid(message: String, hint: &str) -> Failure {
    Failure::new(ErrorCode::InvalidInput, message).hint(hint)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn parameters() -> Vec<Parameter> {
        vec![
            Parameter::new("prompt", Kind::Text, "What to work on.").required(),
            Parameter::new("max_output_tokens", Kind::Whole(1, 100), "How long."),
            Parameter::new("allow_paid", Kind::Flag, "Whether."),
            Parameter::new("excluded_providers", Kind::Texts, "Which."),
            Parameter::new("max_cost_usd", Kind::Dollars, "How dear."),
            Parameter::new("response_format", Kind::Format, "What form."),
            Parameter::new("task", Kind::Filled, "What for."),
            Parameter::new("ref", Kind::Reference, "Which one."),
            Parameter::new("offset", Kind::Count, "From where."),
            Parameter::new("secret_env", Kind::Named, "Which variables."),
        ]
    }

    fn check(given: &Value) -> Result<Arguments, Failure> {
        Arguments::check(given.as_object().cloned(), &parameters())
    }

    #[test]
    fn null_is_absent() {
        let mut arguments = check(&json!({"prompt": "x", "max_output_tokens": null})).unwrap();
        assert_eq!(arguments.whole("max_output_tokens"), None);
        assert_eq!(arguments.text("prompt").as_deref(), Some("x"));
    }

    #[rstest]
    #[case(json!({"promt": "x"}), "there is no argument `promt`", "did you mean `prompt`?")]
    #[case(json!({"prompt": null}), "`prompt` is required", "What to work on.")]
    #[case(json!({"prompt": 5}), "`prompt` must be a text, not this number", "What to work on.")]
    #[case(json!({"prompt": "x", "allow_paid": "yes"}), "`allow_paid` must be true or false, not a text", "Whether.")]
    #[case(json!({"prompt": "x", "max_output_tokens": 101}), "`max_output_tokens` must be a whole number from 1 to 100, not 101", "How long.")]
    #[case(json!({"prompt": "x", "max_output_tokens": 1.5}), "`max_output_tokens` must be a whole number from 1 to 100, not 1.5", "How long.")]
    #[case(json!({"prompt": "x", "excluded_providers": ["a", 1]}), "`excluded_providers` must be a list of texts, not this list", "Which.")]
    #[case(json!({"prompt": "x", "max_cost_usd": "-1"}), "`max_cost_usd` must be an amount in dollars, such as 0.05, not a text", "How dear.")]
    #[case(json!({"prompt": "x", "response_format": 5}), "`response_format` must be json_object or a JSON Schema, not this number", "What form.")]
    #[case(json!({"prompt": "x", "task": " \n"}), "`task` must be a text that is not empty, not an empty one", "What for.")]
    #[case(json!({"prompt": "x", "ref": "a_0123456G"}), "`ref` must be `a_` and eight hexadecimal digits, as the trailer of a result names it, not a text", "Which one.")]
    #[case(json!({"prompt": "x", "offset": -1}), "`offset` must be a whole number from 0, not -1", "From where.")]
    #[case(json!({"prompt": "x", "secret_env": {"A": 1}}), "`secret_env` must be an object of names, each with a text, not an object", "Which variables.")]
    fn each_refusal_names_the_argument(#[case] given: Value, #[case] message: &str, #[case] hint: &str) {
        let failure = check(&given).unwrap_err();
        assert_eq!((failure.message.as_str(), failure.hint.as_deref()), (message, Some(hint)));
    }

    #[test]
    fn a_whole_number_may_be_written_with_a_point() {
        assert_eq!(
            check(&json!({"prompt": "x", "max_output_tokens": 12.0})).unwrap().whole("max_output_tokens"),
            Some(12)
        );
    }

    #[test]
    fn a_place_and_names_are_read() {
        let given = json!({"prompt": "x", "offset": 5_000_000_000_u64, "secret_env": {"TOKEN": "[SECRET-1]"}});
        let arguments = check(&given).unwrap();
        assert_eq!((arguments.count("offset"), arguments.count("line_start")), (5_000_000_000, 0));
        assert_eq!(arguments.named("secret_env").get("TOKEN").map(String::as_str), Some("[SECRET-1]"));
    }

    #[rstest]
    #[case(json!("0.05"))]
    #[case(json!("$0.05"))]
    #[case(json!(0.05))]
    fn an_amount_is_read_as_it_was_written(#[case] given: Value) {
        let arguments = check(&json!({"prompt": "x", "max_cost_usd": given})).unwrap();
        assert_eq!(arguments.dollars("max_cost_usd"), Some(PicoUsd::new(50_000_000_000)));
    }

    #[rstest]
    #[case(json!("json_object"), json!("json_object"))]
    #[case(json!(r#"{"type": "object"}"#), json!({"name": "answer", "schema": {"type": "object"}}))]
    #[case(json!({"type": "object"}), json!({"name": "answer", "schema": {"type": "object"}}))]
    #[case(json!({"name": "n", "schema": {}}), json!({"name": "n", "schema": {}}))]
    #[case(json!("{broken"), json!("{broken"))]
    fn a_schema_is_given_a_name(#[case] given: Value, #[case] expected: Value) {
        let mut arguments = check(&json!({"prompt": "x", "response_format": given})).unwrap();
        assert_eq!(arguments.format("response_format"), Some(expected));
    }
}
