//! What a human accepted of a file that hides values, against what the file says now: what is added to it hides at once,
//! and what is gone goes on hiding until a human lets it go.

use serde_json::{Map, Value, json};

/// The two files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `private_terms.json`.
    Terms,
    /// `rules.json`.
    Rules,
}

/// What is in force.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Kept {
    /// The file, with what is gone from it and still hides.
    pub text: String,
    /// What is gone, without a value: `2 PERSON`, the names of rules.
    pub gone: Vec<String>,
    /// The entries that are gone, to tell two sets of the same kinds and counts apart; it stays in memory.
    pub entries: String,
}

impl Form {
    /// The key of its lines in a question.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Terms => "private-terms",
            Self::Rules => "rules",
        }
    }

    fn array(self) -> &'static str {
        match self {
            Self::Terms => "terms",
            Self::Rules => "regex_rules",
        }
    }

    /// The entries of a file: one value each, or one rule.
    fn entries(self, text: &str) -> Vec<Value> {
        let file: Value = serde_json::from_str(text.trim_start_matches('\u{FEFF}')).unwrap_or_default();
        let rows = file.get(self.array()).and_then(Value::as_array).cloned().unwrap_or_default();
        match self {
            Self::Rules => rows,
            Self::Terms => rows
                .iter()
                .flat_map(|group| {
                    let values = group.get("values").and_then(Value::as_array).into_iter().flatten();
                    values.map(|value| json!({ "kind": group["kind"], "values": [value] }))
                })
                .collect(),
        }
    }
}

/// Merges a file that can be used with what was accepted of it.
pub(super) fn merge(form: Form, file: &str, accepted: &str) -> Kept {
    let mut entries = form.entries(file);
    let gone: Vec<Value> = form.entries(accepted).into_iter().filter(|entry| !entries.contains(entry)).collect();
    if gone.is_empty() {
        return Kept { text: file.to_owned(), gone: Vec::new(), entries: String::new() };
    }
    let said = match form {
        Form::Terms => counted(&gone),
        Form::Rules => gone.iter().map(|rule| name_of(rule).to_owned()).collect(),
    };
    let written = json!(gone).to_string();
    for mut entry in gone {
        if form == Form::Rules && entries.iter().any(|other| name_of(other) == name_of(&entry)) {
            // The rule was changed: the old one goes on beside the new one.
            entry["id"] = json!(format!("{} (before)", name_of(&entry)));
        }
        entries.push(entry);
    }
    let text = Value::Object(Map::from_iter([(form.array().to_owned(), Value::Array(entries))])).to_string();
    Kept { text, gone: said, entries: written }
}

fn name_of(rule: &Value) -> &str {
    rule.get("id").and_then(Value::as_str).unwrap_or_default()
}

fn counted(terms: &[Value]) -> Vec<String> {
    let mut counts = std::collections::BTreeMap::new();
    for term in terms {
        *counts.entry(term["kind"].as_str().unwrap_or_default()).or_insert(0) += 1;
    }
    counts.into_iter().map(|(kind, count)| format!("{count} {kind}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_is_gone_goes_on_hiding_and_is_named_by_its_kind_alone() {
        let had =
            r#"{"terms": [{"kind": "PERSON", "values": ["Ada Quill", "Bo Reed"]}, {"kind": "ID", "values": ["Q-7"]}]}"#;
        let now = r#"{"terms": [{"kind": "PERSON", "values": ["Bo Reed", "Cy Sand"]}]}"#;
        let kept = merge(Form::Terms, now, had);
        assert_eq!(kept.gone, ["1 ID", "1 PERSON"]);
        for value in ["Ada Quill", "Bo Reed", "Cy Sand", "Q-7"] {
            assert!(kept.text.contains(value), "{value}");
        }
        assert_eq!(merge(Form::Terms, had, now).gone, ["1 PERSON"]);
        assert_eq!(
            merge(Form::Terms, had, had),
            Kept { text: had.to_owned(), gone: Vec::new(), entries: String::new() }
        );
        assert_eq!(merge(Form::Terms, "", had).gone, ["1 ID", "2 PERSON"]);
        let other = now.replace("Bo Reed", "Ada Quill");
        let swapped = merge(Form::Terms, &other, had);
        assert_eq!(swapped.gone, kept.gone, "they look the same");
        assert_ne!(swapped.entries, kept.entries, "and are not");
    }

    #[test]
    fn a_rule_that_was_changed_goes_on_beside_the_new_one() {
        let had = r#"{"regex_rules": [{"id": "ticket", "pattern": "T-[0-9]{6}"}]}"#;
        let now = r#"{"regex_rules": [{"id": "ticket", "pattern": "T-[0-9]{7}"}]}"#;
        let kept = merge(Form::Rules, now, had);
        assert_eq!(kept.gone, ["ticket"]);
        assert!(kept.text.contains("ticket (before)") && kept.text.contains("{6}") && kept.text.contains("{7}"));
        // What is in force can be merged again without growing.
        assert_eq!(Form::Rules.entries(&merge(Form::Rules, now, &kept.text).text).len(), 2);
    }
}
