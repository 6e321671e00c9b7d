//! What the worker spared its callers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Sums of what was saved.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct SavingsTotals {
    /// Turns counted.
    pub turns: u64,
    /// Turns whose tokens were counted exactly.
    pub measured_turns: u64,
    /// Tokens gathered.
    pub gathered_tokens: u64,
    /// Tokens handed back.
    pub returned_tokens: u64,
    /// Tokens of input that the caller did not read.
    pub avoided_input: u64,
    /// Tokens of output that the caller did not write.
    pub avoided_output: u64,
    /// What the avoided input would have cost again on later calls.
    pub carried: u64,
    /// US dollars for the headline model, four decimals; null without a price.
    pub usd: Option<String>,
}

/// Parameters of `savings/report`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct SavingsParams {
    /// `model`, `client` or `session`; none for totals and models.
    pub by: Option<String>,
    /// The session that counts as this one.
    pub session: Option<String>,
    /// Only turns at or after this time, or of this day and later ones.
    pub since: Option<String>,
}

/// Answer to `savings/report`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SavingsReport {
    /// The formula, in words.
    pub method: String,
    /// What is assumed: name to value.
    pub assumptions: BTreeMap<String, String>,
    /// The day on which prices were last checked.
    pub prices_checked: Option<String>,
    /// Days since then.
    pub prices_age_days: Option<u32>,
    /// Whether that is too long ago.
    pub prices_stale: bool,
    /// The headline model.
    pub caller_model: Option<String>,
    /// The session, if one was named.
    pub session: Option<SavingsTotals>,
    /// Everything.
    pub all_time: SavingsTotals,
    /// The turns since the time that was asked for, which the rows and the session are about as well; null when no time
    /// was given.
    pub range: Option<SavingsTotals>,
    /// Sessions in the range, or in everything.
    pub sessions: u64,
    /// Turns in it that an older product counted.
    pub imported_turns: u64,
    /// When the first of these turns was.
    pub since: Option<String>,
    /// By model, client or session.
    pub rows: Vec<SavingsRow>,
}

/// One line of a report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SavingsRow {
    /// The model, client or session.
    pub name: String,
    /// Its sums.
    pub totals: SavingsTotals,
    /// US dollars without what later calls would have carried; null without a price.
    pub direct_usd: Option<String>,
    /// How many tokens of this model stand for one counted token.
    pub tokenizer_factor: Option<String>,
    /// The price's source and day.
    pub price_note: Option<String>,
}

/// Answer to `savings/backfill`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SavingsBackfilled {
    /// Turns that were added.
    pub added: u64,
    /// Turns that were there already.
    pub known: u64,
}

/// Parameters of `savings/import`: what an older product counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SavingsImportParams {
    /// The turns, 5,000 at most.
    pub turns: Vec<ImportedTurn>,
    /// Whether it is only counted.
    pub dry_run: bool,
}

/// One turn that an older product counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ImportedTurn {
    /// Its session there.
    pub session: String,
    /// Its id there.
    pub turn: String,
    /// When it was.
    pub at: String,
    /// `run` or `delegate`.
    pub kind: String,
    /// Whether lines were quoted.
    pub is_verbatim: bool,
    /// Whether it failed.
    pub is_error: bool,
    /// Characters of command output and files.
    pub gathered_chars: u64,
    /// Characters handed back.
    pub returned_chars: u64,
    /// Tokens gathered, where they were counted.
    pub gathered_tokens: Option<u64>,
    /// Tokens handed back, where they were counted.
    pub returned_tokens: Option<u64>,
}

/// Answer to `savings/import`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SavingsImported {
    /// Turns that were added, or would be.
    pub added: u64,
    /// Turns that were there already.
    pub known: u64,
}
