//! What a failed reply says, in whatever shape it says so.

use serde_json::Value;

use crate::endpoint::Endpoint;
use crate::facts::{self, CodeFact};

/// What a reply says went wrong, in whatever shape it says so.
#[derive(Debug, Default)]
pub(super) struct Complaint {
    /// Codes and types, lower case.
    pub codes: Vec<String>,
    /// The message, as it came.
    pub message: String,
}

impl Complaint {
    /// Reads first where this provider is known to put code and message, then wherever anybody does.
    pub fn read(endpoint: &Endpoint, body: &Value) -> Self {
        let body = match body {
            Value::Array(items) => items.first().unwrap_or(body),
            other => other,
        };
        let mut complaint = Self::default();
        let known = &facts::for_endpoint(endpoint).errors;
        for code in known.code_at.iter().filter_map(|path| body.pointer(path)) {
            complaint.add_code(code);
        }
        for message in known.message_at.iter().filter_map(|path| body.pointer(path)).filter_map(Value::as_str) {
            complaint.say(message);
        }
        let nested = ["/error", "/x_groq/error", "/choices/0/error", "/response/error", "/errors/0"];
        for place in nested.iter().filter_map(|path| body.pointer(path)) {
            complaint.add(place);
        }
        if complaint.message.is_empty() || complaint.codes.is_empty() {
            complaint.add(body);
        }
        complaint
    }

    fn add(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.say(text),
            Value::Object(fields) => {
                for name in ["code", "type", "status", "error_type", "name", "id"] {
                    if let Some(code) = fields.get(name) {
                        self.add_code(code);
                    }
                }
                if let Some(inner) = value.pointer("/metadata/error_type") {
                    self.add_code(inner);
                }
                self.add_details(value);
                for name in ["message", "detail", "details", "error", "msg"] {
                    match fields.get(name) {
                        Some(Value::String(text)) => self.say(text),
                        Some(Value::Array(items)) if name != "details" || self.message.is_empty() => {
                            for text in
                                items.iter().filter_map(|item| item.get("msg").or_else(|| item.get("message"))).take(5)
                            {
                                self.say(text.as_str().unwrap_or_default());
                            }
                        }
                        Some(inner @ Value::Object(_)) if self.message.is_empty() && name != "error" => self.add(inner),
                        _ => {}
                    }
                }
                // The message of the provider behind a relay is the one that explains.
                if let Some(raw) = value.pointer("/metadata/raw").and_then(Value::as_str) {
                    self.say(raw);
                }
            }
            _ => {}
        }
    }

    fn add_code(&mut self, code: &Value) {
        let code = match code {
            Value::String(code) if !code.is_empty() && code.len() <= 80 => code.to_lowercase(),
            Value::Number(code) => code.to_string(),
            _ => return,
        };
        if !self.codes.contains(&code) {
            self.codes.push(code);
        }
    }

    /// Reasons, and the names of limits that were hit, from a list of typed details.
    fn add_details(&mut self, value: &Value) {
        for detail in value.get("details").and_then(Value::as_array).into_iter().flatten() {
            for name in ["reason", "quotaId"] {
                if let Some(reason) = detail.get(name) {
                    self.add_code(reason);
                }
            }
            for violation in detail.get("violations").and_then(Value::as_array).into_iter().flatten().take(5) {
                if let Some(name) = violation.get("quotaId") {
                    self.add_code(name);
                }
            }
        }
    }

    fn say(&mut self, text: &str) {
        if text.is_empty() || self.message.contains(text) {
            return;
        }
        if !self.message.is_empty() {
            self.message.push_str(": ");
        }
        self.message.push_str(text);
    }

    /// Whether all that a fact names is there. A phrase may stand in the message or in a code.
    pub fn fits(&self, fact: &CodeFact, status: u16, words: &str) -> bool {
        fact.code.as_deref().is_none_or(|code| self.has_code(&[code]))
            && fact.status.is_none_or(|known| known == status)
            && fact.says.as_deref().is_none_or(|phrase| words.contains(phrase) || self.code_holds(&[phrase]))
    }

    pub fn has_code(&self, names: &[&str]) -> bool {
        self.codes.iter().any(|code| names.contains(&code.as_str()))
    }

    pub fn code_holds(&self, parts: &[&str]) -> bool {
        self.codes.iter().any(|code| parts.iter().any(|part| code.contains(part)))
    }
}
