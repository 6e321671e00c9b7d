//! The labelled cases, and the table of shapes.
//!
//! Values that look like credentials are kept in pieces, with a mark between, and are put together here: nothing in the
//! files can be taken for a leak.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the report")]

use lwa_privacy::{Bare, Exposure, Kind, Reveal, Scrubber, Terms, Vault, Visibility, rehydrate};
use serde_json::Value;

const CASES: &str = include_str!("corpora/cases.jsonl");
const ROWS: &str = include_str!("corpora/rows.jsonl");
const TERMS: &str = r#"{"terms": [
    {"kind": "PERSON", "values": ["Rowan Testwick", "Al"]},
    {"kind": "PHONE", "values": ["555-010-0222"]},
    {"kind": "ADDRESS", "values": ["9 Sample Quay"]},
    {"kind": "ACCOUNT", "values": ["AC 00 11 22"]},
    {"kind": "HANDLE", "values": ["quokka_fan"]}
]}"#;

fn whole(text: &str) -> String {
    text.replace('¦', "")
}

fn records(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn strings(case: &Value, field: &str) -> Vec<String> {
    case[field].as_array().unwrap().iter().map(|value| whole(value.as_str().unwrap())).collect()
}

fn scrubbed(case: &Value) -> String {
    let text = whole(case["text"].as_str().unwrap());
    let exposure =
        if case["mode"] == "pii" { Exposure::pii() } else { Exposure::assist(Visibility::Open, Visibility::Masked) };
    let (scrubber, mut vault) = (Scrubber::new(), Vault::new());
    if let Some((value, _)) = text.strip_prefix("vault: ").and_then(|rest| rest.split_once(" | answer: ")) {
        scrubber.register_value(&mut vault, value);
    }
    scrubber.scrub(&mut vault, &text, exposure).unwrap().text.into_owned()
}

#[test]
fn what_has_to_be_hidden_is_hidden_and_what_has_to_stay_stays() {
    let mut faults = Vec::new();
    let mut strings_checked = 0;
    for case in records(CASES) {
        let result = scrubbed(&case);
        let class = case["class"].as_str().unwrap();
        for value in strings(&case, "must_mask") {
            strings_checked += 1;
            if result.contains(&value) {
                faults.push(format!("{class}: left {value:?} in {result:?}"));
            }
        }
        for value in strings(&case, "must_keep") {
            strings_checked += 1;
            if !result.contains(&value) {
                faults.push(format!("{class}: lost {value:?} from {result:?}"));
            }
        }
    }
    assert!(strings_checked > 250, "the cases were not read");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_placeholder_that_a_model_has_changed_comes_back() {
    let mut vault = Vault::new();
    vault.mint(Kind::Email, "dana@example.org");
    let cases = records(CASES);
    let mutated = cases.iter().filter(|case| case["class"] == "placeholder.model-mutated");
    let mut checked = 0;
    for text in mutated.map(|case| whole(case["text"].as_str().unwrap())) {
        let result = rehydrate(&text, &vault, Reveal::Everything, Bare::Ignored).text.into_owned();
        let is_bare = text.contains("to EMAIL-1");
        assert_eq!(result.contains("dana@example.org"), !is_bare, "{text:?} became {result:?}");
        checked += 1;
    }
    assert!(checked >= 6);
    let bare = rehydrate("reply to EMAIL-1 please", &vault, Reveal::Everything, Bare::Counts);
    assert_eq!(bare.text, "reply to dana@example.org please");
}

#[test]
fn every_row_of_the_table_of_shapes_holds_in_each_mode() {
    let scrubber = Scrubber::new().with_terms(Terms::parse(TERMS).unwrap());
    let modes = [
        ("pii", Exposure::pii()),
        ("masked", Exposure::assist(Visibility::Masked, Visibility::Masked)),
        ("open", Exposure::assist(Visibility::Open, Visibility::Masked)),
    ];
    let mut faults = Vec::new();
    let rows = records(ROWS);
    assert_eq!(rows.len(), 215);
    for row in &rows {
        let text = whole(row["text"].as_str().unwrap());
        let mut expected = String::new();
        for (mode, exposure) in modes {
            // A mode without a column of its own does what the one before it does.
            if let Some(column) = row[mode].as_str() {
                expected = whole(column);
            }
            let result = scrubber.scrub(&mut Vault::new(), &text, exposure).unwrap();
            if result.text != expected {
                faults.push(format!("{} in {mode}: {:?} became {:?}", row["id"], text, result.text));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
