//! What is masked before a text leaves this machine.
//!
//! Every route that is not local gets its texts through here, at the moment of sending. What looks like a secret,
//! and every key that this host knows, is replaced by a placeholder; the rest is sent byte for byte. Placeholders are
//! not put back into the answer: the caller has the values, and an answer may be kept or shown elsewhere.

use std::collections::BTreeSet;

use lwa_domain::DataUse;
use lwa_privacy::egress::{KnownSecrets, Numbering, scrub_secrets_with};
use lwa_protocol::Failure;
use lwa_protocol::plan::{EgressView, MaskedValue, RouteView};
use lwa_providers::Endpoint;
use serde_json::Value;

use crate::engine::Engine;

/// The texts as they may leave.
pub(crate) struct Masked {
    pub system: Option<String>,
    pub prompt: String,
    /// The form of the answer, with values of its texts masked.
    pub format: Option<Value>,
    pub values: Vec<MaskedValue>,
}

impl Engine {
    /// The texts as they may leave for `endpoint`; unchanged for a local one.
    ///
    /// # Errors
    /// The store for keys cannot be read, so that it is not known what to look for.
    pub(crate) async fn mask_for(
        &self,
        system: Option<&str>,
        prompt: &str,
        format: Option<&Value>,
        endpoint: &Endpoint,
    ) -> Result<Masked, Failure> {
        if endpoint.is_local {
            let (system, format) = (system.map(str::to_owned), format.cloned());
            return Ok(Masked { system, prompt: prompt.to_owned(), format, values: Vec::new() });
        }
        Ok(mask(system, prompt, format, &self.known_secrets().await?))
    }

    /// `template` as it may leave, with the placeholders that the values of `question` get when it leaves by itself.
    ///
    /// # Errors
    /// As for [`Engine::mask_for`].
    pub(crate) async fn mask_alike(&self, question: &str, template: &str) -> Result<String, Failure> {
        let known = self.known_secrets().await?;
        let mut numbering = Numbering::default();
        let _numbers_the_values = scrub_secrets_with(question, &known, &mut numbering);
        Ok(scrub_secrets_with(template, &known, &mut numbering).text.into_owned())
    }

    /// What a plan with these routes would mask and where its text goes, without sending anything.
    pub(crate) async fn egress_view(
        &self,
        routes: &[RouteView],
        system: &str,
        prompt: &str,
        format: Option<&Value>,
    ) -> EgressView {
        let leaving: Vec<&RouteView> = routes.iter().filter(|route| !route.is_local).collect();
        if leaving.is_empty() {
            return EgressView {
                leaves_machine: false,
                masked_secrets: 0,
                masked_kinds: Vec::new(),
                data_use: "nothing leaves this machine".to_owned(),
            };
        }
        let masked = mask(Some(system), prompt, format, &self.known_secrets_at_hand().await).values;
        let kinds: BTreeSet<&str> = masked.iter().map(|value| value.kind.as_str()).collect();
        EgressView {
            leaves_machine: true,
            masked_secrets: u32::try_from(masked.len()).unwrap_or(u32::MAX),
            masked_kinds: kinds.into_iter().map(str::to_owned).collect(),
            data_use: data_use_in_words(&leaving),
        }
    }
}

/// All texts with one numbering, so that a value that is in several gets one placeholder.
fn mask(system: Option<&str>, prompt: &str, format: Option<&Value>, known: &KnownSecrets) -> Masked {
    let mut numbering = Numbering::default();
    let mut masked: Vec<MaskedValue> = Vec::new();
    let mut scrub = |text: &str| {
        let scrubbed = scrub_secrets_with(text, known, &mut numbering);
        for found in &scrubbed.found {
            if !masked.iter().any(|seen| seen.placeholder == found.placeholder) {
                masked.push(MaskedValue { placeholder: found.placeholder.clone(), kind: found.rule.to_string() });
            }
        }
        scrubbed.text.into_owned()
    };
    // Placeholders that somebody wrote are in the prompt, and keep their numbers when it goes first.
    let prompt = scrub(prompt);
    let system = system.map(&mut scrub);
    let format = format.map(|format| mask_texts(format, &mut scrub));
    Masked { system, prompt, format, values: masked }
}

/// Every text within a value masked, and every name of a field: a schema may list keys as the fields it wants. One
/// numbering keeps a field that is required the one that is described.
fn mask_texts(value: &Value, scrub: &mut impl FnMut(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(scrub(text)),
        Value::Array(items) => items.iter().map(|item| mask_texts(item, scrub)).collect(),
        Value::Object(fields) => fields.iter().map(|(name, value)| (scrub(name), mask_texts(value, scrub))).collect(),
        other => other.clone(),
    }
}

fn data_use_in_words(routes: &[&RouteView]) -> String {
    let mut words: Vec<String> = Vec::new();
    for route in routes {
        let does = match route.data_use {
            DataUse::Trains => "trains on what it is sent",
            DataUse::Retains => "keeps what it is sent for a time",
            DataUse::None => "keeps nothing",
            DataUse::Unknown => "does not say what it does with the text",
        };
        let source =
            if route.data_use_source.is_empty() { String::new() } else { format!(" ({})", route.data_use_source) };
        let line = format!("{} {does}{source}", route.provider);
        if !words.contains(&line) {
            words.push(line);
        }
    }
    words.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Made up at run time, so that no scanner finds a key in this file.
    fn key() -> String {
        format!("sk-proj-{}", "Ab3dEf6hIj9kLm2nOp5q".repeat(2))
    }

    #[test]
    fn a_value_in_both_texts_gets_one_placeholder_and_the_rest_stays() {
        let key = key();
        let masked = mask(
            Some(&format!("Rules. OPENAI_API_KEY={key}\n")),
            &format!("first\nOPENAI_API_KEY={key}\nlast"),
            None,
            &KnownSecrets::none(),
        );
        let system = masked.system.unwrap();
        assert!(!system.contains(&key) && !masked.prompt.contains(&key));
        assert_eq!(masked.values.len(), 1, "{:?}", masked.values);
        let placeholder = &masked.values[0].placeholder;
        assert_eq!(system, format!("Rules. OPENAI_API_KEY={placeholder}\n"));
        assert_eq!(masked.prompt, format!("first\nOPENAI_API_KEY={placeholder}\nlast"));
    }

    #[test]
    fn texts_without_secrets_pass_byte_for_byte() {
        let masked = mask(Some("Be brief.\n"), "päß\u{0}\u{1e}\n x", None, &KnownSecrets::none());
        assert_eq!((masked.system.as_deref(), masked.prompt.as_str()), (Some("Be brief.\n"), "päß\u{0}\u{1e}\n x"));
        assert!(masked.values.is_empty());
    }

    #[test]
    fn a_key_that_names_a_field_of_a_schema_is_masked_where_it_is_described_required_and_referred_to() {
        let known = ["correct-horse-battery-17"].into_iter().collect();
        let format = serde_json::json!({"name": "answer", "schema": {
            "type": "object",
            "properties": {"correct-horse-battery-17": {"type": "string", "maxLength": 9_007_199_254_740_991_u64}},
            "patternProperties": {"^correct-horse-battery-17$": {"$ref": "#/$defs/correct-horse-battery-17"}},
            "required": ["correct-horse-battery-17"],
            "additionalProperties": false,
        }});
        let masked = mask(None, "as before", Some(&format), &known);
        let expected = format.to_string().replace("correct-horse-battery-17", "[SECRET-1]");
        assert_eq!(masked.format.unwrap(), serde_json::from_str::<Value>(&expected).unwrap());
        assert_eq!(masked.values.len(), 1, "{:?}", masked.values);
    }

    #[test]
    fn a_schema_without_secrets_passes_as_it_is() {
        let format = serde_json::json!({"name": "login", "schema": {
            "type": "object",
            "properties": {
                "password": {"type": "string", "description": "The password, at least 12 characters."},
                "api_key": {"type": "string", "pattern": "^sk-[A-Za-z0-9]{20,}$"},
                "token": {"$ref": "#/$defs/token"},
            },
            "required": ["password", "api_key", "token"],
            "$defs": {"token": {"enum": ["none", "bearer"]}},
        }});
        let masked = mask(None, "as before", Some(&format), &KnownSecrets::none());
        assert_eq!((masked.format, masked.values.len()), (Some(format), 0));
    }

    #[test]
    fn a_known_key_of_no_known_shape_is_masked() {
        let known = ["correct-horse-battery-17"].into_iter().collect();
        let masked = mask(None, "the word is correct-horse-battery-17, as before", None, &known);
        assert!(!masked.prompt.contains("battery"), "{}", masked.prompt);
    }
}
