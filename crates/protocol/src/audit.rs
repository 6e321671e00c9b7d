//! The audit log.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Parameters of `audit/tail`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct AuditTailParams {
    /// At most this many, newest first; 50 when absent.
    pub limit: Option<u32>,
}

/// Answer to `audit/tail`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AuditTail {
    /// Newest first.
    pub events: Vec<AuditEvent>,
}

/// One row of the audit log. Holds sizes, hashes and verdicts, never contents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AuditEvent {
    /// Position in the chain, from 1.
    pub seq: u32,
    /// When.
    pub at: String,
    /// Who: a client's name, `user` or `host`.
    pub actor: String,
    /// In which session.
    pub session: Option<String>,
    /// What was done, `plan.prepared`.
    pub action: String,
    /// What it was done to: a plan, an approval, a key's provider.
    pub object: Option<String>,
    /// `allow`, `ask`, `deny` or an outcome, where one was reached.
    pub decision: Option<String>,
    /// Further facts.
    #[ts(type = "Record<string, unknown>")]
    pub detail: serde_json::Value,
    /// SHA-256 over this row and the hash before it, hexadecimal.
    pub hash: String,
}

/// Answer to `audit/verify`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AuditVerified {
    /// Whether every row follows from the one before.
    pub ok: bool,
    /// Rows checked.
    pub events: u32,
    /// The newest hash, hexadecimal; null when the log is empty.
    pub head: Option<String>,
    /// The first row that does not follow; null when all do.
    pub first_bad: Option<u32>,
}
