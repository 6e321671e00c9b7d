//! What the tests of the policy share.

#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "each test binary uses its own part of it, and a panic is the report"
)]

use std::path::Path;

use lwa_policy::Context;
use serde::Deserialize;

/// One labelled command.
#[derive(Debug, Clone, Deserialize)]
pub struct Row {
    /// The command.
    pub cmd: String,
    /// The entries of the list in force.
    pub allow: Vec<String>,
    /// `deny`, `needs-ask` or `allow`.
    pub expect: String,
    /// What the row is about.
    pub class: String,
}

/// The rows of a file of labelled commands.
pub fn rows(name: &str) -> Vec<Row> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    std::fs::read_to_string(path)
        .unwrap()
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A project in a home folder.
pub fn context() -> Context<'static> {
    let mut context = Context::new("/home/me/project", "/home/me");
    context.user = Some("me".to_owned());
    context
}
