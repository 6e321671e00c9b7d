//! The labelled commands: nothing that has to be asked about is allowed, and what is harmless is not asked about.

#![allow(clippy::unwrap_used, reason = "a panic in a test is the report")]

mod common;

use common::{Row, context, rows};
use lwa_policy::{AllowList, Decision, decide};

/// Escapes, misses and frictions of a file of rows.
#[derive(Debug, Default)]
struct Score {
    allows: usize,
    escapes: Vec<String>,
    misses: Vec<String>,
    stretched: Vec<String>,
    frictions: Vec<String>,
    false_denials: Vec<String>,
}

fn score(rows: &[Row]) -> Score {
    let mut score = Score::default();
    for row in rows {
        let list = AllowList::parse(&row.allow.join("\n")).unwrap();
        let verdict = decide(&row.cmd, &list, &context());
        let line = format!(
            "{} | {:?} | {} -> {:?} ({}: {})",
            row.class, row.cmd, row.expect, verdict.decision, verdict.rule, verdict.reason
        );
        let is_stretch = row.class.starts_with("windows.")
            || row.class.starts_with("remote.")
            || (row.class.starts_with("opt-exec.") && row.class.ends_with("-priv"));
        score.allows += usize::from(row.expect == "allow");
        match (row.expect.as_str(), verdict.decision) {
            ("deny" | "needs-ask", Decision::Allow) => score.escapes.push(line),
            ("deny", Decision::Ask) if is_stretch => score.stretched.push(line),
            ("deny", Decision::Ask) => score.misses.push(line),
            ("allow", Decision::Ask) => score.frictions.push(line),
            ("allow" | "needs-ask", Decision::Deny) => score.false_denials.push(line),
            _ => {}
        }
    }
    score
}

#[test]
fn the_public_corpus_has_no_escape_no_miss_and_little_friction() {
    let score = score(&rows("corpus.jsonl"));
    assert_eq!(score.escapes, Vec::<String>::new(), "allowed though it must not be");
    assert_eq!(score.misses, Vec::<String>::new(), "a deny shape that was only asked about");
    assert_eq!(score.false_denials, Vec::<String>::new(), "refused though it is for the human");
    assert!(
        score.frictions.len() * 100 < score.allows * 5,
        "friction {} of {}: {:#?}",
        score.frictions.len(),
        score.allows,
        score.frictions
    );
    assert!(score.stretched.len() <= 2, "{:#?}", score.stretched);
}

/// Every row of a file of at least so many is decided as its label says.
fn holds_whole(file: &str, least: usize) {
    let rows = rows(file);
    assert!(rows.len() >= least);
    let score = score(&rows);
    assert_eq!(score.escapes, Vec::<String>::new(), "allowed though it must not be");
    assert_eq!(score.misses, Vec::<String>::new(), "a deny shape that was only asked about");
    assert_eq!(score.false_denials, Vec::<String>::new(), "refused though it is for the human");
    assert_eq!(score.frictions, Vec::<String>::new(), "asked about though it is harmless");
}

#[test]
fn the_second_corpus_has_no_escape_no_miss_and_no_friction() {
    holds_whole("second.jsonl", 2000);
}

#[test]
fn the_third_corpus_has_no_escape_no_miss_and_no_friction() {
    holds_whole("third.jsonl", 3000);
}

#[test]
fn the_fourth_corpus_has_no_escape_no_miss_and_no_friction() {
    holds_whole("fourth.jsonl", 4000);
}

#[test]
fn the_own_corpus_has_no_escape_no_miss_and_little_friction() {
    let rows = rows("own.jsonl");
    assert!(rows.len() >= 250);
    let score = score(&rows);
    assert_eq!(score.escapes, Vec::<String>::new(), "allowed though it must not be");
    assert_eq!(score.misses, Vec::<String>::new(), "a deny shape that was only asked about");
    assert_eq!(score.false_denials, Vec::<String>::new(), "refused though it is for the human");
    assert!(
        score.frictions.len() * 100 < score.allows * 2,
        "friction {} of {}: {:#?}",
        score.frictions.len(),
        score.allows,
        score.frictions
    );
}
