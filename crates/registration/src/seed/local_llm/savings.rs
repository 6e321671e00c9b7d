//! What the older worker's ledger of savings holds.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use crate::seed::SeedError;

/// The largest ledger that is counted; a turn has some two hundred bytes.
const MAX_BYTES: u64 = 256 << 20;

/// What a ledger holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct SavingsCount {
    /// Turns that can be read.
    pub turns: u64,
    /// Sessions that they belong to.
    pub sessions: u64,
    /// Lines that are no turn.
    pub broken: u64,
}

/// Counts the turns of a ledger, line by line.
///
/// # Errors
/// The file cannot be read.
pub fn count_savings(path: &Path) -> Result<SavingsCount, SeedError> {
    let failed = |source| SeedError::Read { path: path.to_owned(), source };
    let mut count = SavingsCount::default();
    let mut sessions = BTreeSet::new();
    for line in BufReader::new(File::open(path).map_err(failed)?.take(MAX_BYTES)).split(b'\n') {
        let line = line.map_err(failed)?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let turn: Value = serde_json::from_slice(&line).unwrap_or_default();
        let text = |key: &str| turn.get(key).and_then(Value::as_str);
        match (text("session"), text("turn")) {
            (Some(session), Some(_)) => {
                sessions.insert(session.to_owned());
                count.turns += 1;
            }
            _ => count.broken += 1,
        }
    }
    count.sessions = u64::try_from(sessions.len()).unwrap_or(u64::MAX);
    Ok(count)
}
