//! The older worker's lists, put together with ours.
//!
//! What an allow-list or a list of terms of ours says stays; what theirs has on top is added.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::hidden::Hidden;

/// What an allow-list begins with that did not exist before.
const ALLOW_HEAD: &str = "# Commands that the worker runs without a question, one shape a line.\n\
    # What is denied stays denied.\n";

/// Our allow-list with the entries of theirs that it lacks, and those entries.
pub fn merge_allow_list(ours: &str, theirs: &str) -> (String, Vec<String>) {
    let mut added: Vec<String> = Vec::new();
    for entry in entries(theirs) {
        let is_known = entries(ours).chain(added.iter().map(String::as_str)).any(|known| known == entry);
        if !is_known {
            added.push(entry.to_owned());
        }
    }
    let mut text = if ours.is_empty() { ALLOW_HEAD.to_owned() } else { ours.to_owned() };
    if !text.ends_with('\n') {
        text.push('\n');
    }
    for entry in &added {
        text.push_str(entry);
        text.push('\n');
    }
    (text, added)
}

/// The lines that allow something, without blanks around them; comments and empty lines allow nothing.
fn entries(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.trim_start_matches('\u{FEFF}').lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Our private terms with those of theirs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TermsMerge {
    /// The text of the file.
    pub text: Hidden,
    /// How many were added, by kind.
    pub added: BTreeMap<String, usize>,
}

/// Our private terms with those of theirs that they lack; nothing when a text is not in the form. An empty text of ours
/// is a file that is not there.
pub fn merge_terms(ours: &str, theirs: &str) -> Option<TermsMerge> {
    let mut file = match ours.trim() {
        "" => json!({ "terms": [] }),
        text => parsed(text)?,
    };
    let groups = file.get_mut("terms")?.as_array_mut()?;
    let mut added = BTreeMap::new();
    for group in parsed(theirs)?.get("terms")?.as_array()? {
        let kind = group.get("kind")?.as_str()?.trim().to_uppercase();
        for value in group.get("values")?.as_array()? {
            let value = value.as_str()?.trim();
            if value.is_empty() || has(groups, &kind, value) {
                continue;
            }
            *added.entry(kind.clone()).or_insert(0) += 1;
            let own = groups.iter_mut().find(|own| is_kind(own, &kind)).and_then(|own| own.get_mut("values"));
            match own.and_then(Value::as_array_mut) {
                Some(values) => values.push(json!(value)),
                None => groups.push(json!({ "kind": kind, "values": [value] })),
            }
        }
    }
    let text = serde_json::to_string_pretty(&file).ok()?;
    Some(TermsMerge { text: Hidden::new(format!("{text}\n")), added })
}

fn has(groups: &[Value], kind: &str, value: &str) -> bool {
    let values = groups.iter().filter(|group| is_kind(group, kind)).filter_map(|group| group.get("values"));
    let mut values = values.filter_map(Value::as_array).flatten().filter_map(Value::as_str);
    values.any(|known| known.trim().to_lowercase() == value.to_lowercase())
}

fn is_kind(group: &Value, kind: &str) -> bool {
    group.get("kind").and_then(Value::as_str).is_some_and(|known| known.trim().to_uppercase() == kind)
}

/// The rules of theirs that ours can run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulesMerge {
    /// The text of a file with these rules alone.
    pub text: String,
    /// Their names.
    pub taken: Vec<String>,
    /// The names of the others, and why each is left.
    pub refused: Vec<(String, String)>,
}

/// Tries each rule by itself, as the text of a file, so that one that cannot be run is named and the others are kept.
/// Nothing when the text is not in the form.
pub fn usable_rules(theirs: &str, is_usable: impl Fn(&str) -> Result<(), String>) -> Option<RulesMerge> {
    let mut rows: Vec<Value> = Vec::new();
    let mut merge = RulesMerge { text: String::new(), taken: Vec::new(), refused: Vec::new() };
    for row in parsed(theirs)?.get("regex_rules")?.as_array()? {
        let id = row.get("id").and_then(Value::as_str).map(str::trim).unwrap_or_default();
        let checked = if id.is_empty() {
            Err("it has no name".to_owned())
        } else if merge.taken.iter().any(|known| known == id) {
            Err("another rule has its name".to_owned())
        } else {
            is_usable(&json!({ "regex_rules": [row] }).to_string())
        };
        match checked {
            Ok(()) => {
                merge.taken.push(id.to_owned());
                rows.push(row.clone());
            }
            Err(reason) => merge.refused.push((id.to_owned(), reason)),
        }
    }
    merge.text = format!("{}\n", serde_json::to_string_pretty(&json!({ "regex_rules": rows })).ok()?);
    Some(merge)
}

fn parsed(text: &str) -> Option<Value> {
    let value: Value = serde_json::from_str(text.trim_start_matches('\u{FEFF}')).ok()?;
    value.as_object().map(Map::is_empty).filter(|is_empty| !is_empty)?;
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allow_list_gets_the_lines_that_it_lacks_and_keeps_its_own() {
        let (text, added) = merge_allow_list("# mine\nls *", "# theirs\n ls *\ngit log*\n\ngit log*\n");
        assert_eq!((text.as_str(), added), ("# mine\nls *\ngit log*\n", vec!["git log*".to_owned()]));
        let (text, added) = merge_allow_list("", "pwd\n");
        assert!(text.starts_with("# Commands") && text.ends_with("stays denied.\npwd\n"), "{text}");
        assert_eq!(added, ["pwd"]);
    }

    #[test]
    fn terms_are_added_to_their_kind_and_none_is_lost() {
        let ours = r#"{"note": "x", "terms": [{"kind": "PERSON", "values": ["Ada Stone"]}]}"#;
        let theirs = r#"{"terms": [{"kind": "person", "values": ["ada stone", " Bo Reed ", ""]},
            {"kind": "EMAIL", "values": ["bo@reed.example"]}]}"#;
        let merge = merge_terms(ours, theirs).unwrap();
        let expected = json!({ "note": "x", "terms": [
            { "kind": "PERSON", "values": ["Ada Stone", "Bo Reed"] },
            { "kind": "EMAIL", "values": ["bo@reed.example"] },
        ] });
        assert_eq!(serde_json::from_str::<Value>(merge.text.expose()).unwrap(), expected);
        assert_eq!(merge.added, BTreeMap::from([("EMAIL".to_owned(), 1), ("PERSON".to_owned(), 1)]));
        assert!(!format!("{merge:?}").contains("Reed"));
        let again = merge_terms(merge.text.expose(), theirs).unwrap();
        assert_eq!((again.text, again.added), (merge.text, BTreeMap::new()));
    }

    #[test]
    fn what_is_not_in_the_form_is_nothing() {
        for text in ["", "[]", "{}", r#"{"terms": 1}"#, r#"{"terms": [{"kind": "PERSON"}]}"#, "no json"] {
            assert_eq!(merge_terms("", text), None, "{text}");
        }
        assert_eq!(merge_terms("[]", r#"{"terms": []}"#), None);
        assert_eq!(usable_rules("{\"regex_rules\": 1}", |_| Ok(())), None);
    }

    #[test]
    fn a_rule_that_cannot_be_run_is_named_and_the_others_are_taken() {
        let theirs = r#"{"regex_rules": [{"id": "a", "pattern": "A+"}, {"id": "b", "pattern": "(?=x)"},
            {"id": "a", "pattern": "B"}, {"pattern": "C"}]}"#;
        let refuse = |text: &str| if text.contains("(?=") { Err("looks around".to_owned()) } else { Ok(()) };
        let merge = usable_rules(theirs, refuse).unwrap();
        assert_eq!(merge.taken, ["a"]);
        let reasons: Vec<&str> = merge.refused.iter().map(|(_, reason)| reason.as_str()).collect();
        assert_eq!(reasons, ["looks around", "another rule has its name", "it has no name"]);
        let text: Value = serde_json::from_str(&merge.text).unwrap();
        assert_eq!(text, json!({ "regex_rules": [{ "id": "a", "pattern": "A+" }] }));
    }
}
