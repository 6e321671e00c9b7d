//! The case table of the worker: each row with an empty list and with the list it names.

#![allow(clippy::unwrap_used, reason = "a panic in a test is the report")]

mod common;

use common::context;
use lwa_policy::{AllowList, Decision, decide};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct Row {
    id: String,
    cmd: String,
    no_list: Decision,
    with_list: Decision,
    #[serde(default)]
    rule: String,
}

#[test]
fn every_row_of_the_case_table_is_decided_as_it_says() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/table.jsonl")).unwrap();
    let rows: Vec<Row> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 153);
    let list = AllowList::parse("ls*\ngit log*\necho*\nhead*\nfind*\ncat*").unwrap();
    let mut wrong = Vec::new();
    for row in &rows {
        for (list, wanted) in [(&AllowList::default(), row.no_list), (&list, row.with_list)] {
            let verdict = decide(&row.cmd, list, &context());
            if verdict.decision != wanted || (!row.rule.is_empty() && verdict.rule != row.rule) {
                wrong.push(format!(
                    "{} {:?} with {} entries: wanted {wanted:?} {}, got {:?} {}: {}",
                    row.id,
                    row.cmd,
                    list.len(),
                    row.rule,
                    verdict.decision,
                    verdict.rule,
                    verdict.reason
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n"));
}
