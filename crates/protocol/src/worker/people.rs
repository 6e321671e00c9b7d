//! Sessions of the worker, as people see and change them.

use std::collections::BTreeMap;

use lwa_domain::ClientName;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{ArmedView, DisclosureView, LeakCheckView, RunPolicyView, SavingsTotals};

/// One session, as people see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct WorkerSessionView {
    /// Its key.
    pub key: String,
    /// Its client.
    pub client: ClientName,
    /// Its mode.
    pub mode: String,
    /// Whether it is on.
    pub armed: ArmedView,
    /// What may leave in clear.
    pub disclosure: DisclosureView,
    /// How commands were decided.
    pub run_policy: RunPolicyView,
    /// Checks by the model.
    pub leak_check: LeakCheckView,
    /// Values in the vault, by kind.
    pub placeholders: BTreeMap<String, u64>,
    /// Stored materials.
    pub artifacts: u64,
    /// Bytes of them.
    pub artifact_bytes: u64,
    /// Turns.
    pub turns: u64,
    /// Whether a face of it is connected.
    pub is_live: bool,
    /// When it began.
    pub created: String,
    /// When it was last used.
    pub last_seen: String,
    /// What it saved.
    pub tokens_saved: SavingsTotals,
}

/// Answer to `worker/sessions`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct WorkerSessions {
    /// Newest first.
    pub sessions: Vec<WorkerSessionView>,
}

/// Parameters of `worker/session`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct WorkerSessionParams {
    /// The session's key.
    pub key: String,
}

/// Answer to `worker/session`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct WorkerSessionDetail {
    /// The session.
    pub session: WorkerSessionView,
    /// The summary of its memory, as it would leave.
    pub summary: String,
    /// Its last 60 turns, newest first.
    pub turns: Vec<WorkerTurnView>,
    /// Its stored materials, newest first.
    pub artifacts: Vec<WorkerArtifactView>,
    /// Its placeholders with masked values.
    pub placeholders: Vec<PlaceholderView>,
}

/// One turn, as it left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct WorkerTurnView {
    /// Its id.
    pub id: String,
    /// When.
    pub at: String,
    /// `run`, `delegate`, `mode`, `disclosure`, `compaction`.
    pub kind: String,
    /// What was asked.
    pub task: String,
    /// Of what material.
    pub source: String,
    /// What was answered.
    pub result: String,
    /// The artefact.
    pub reference: Option<String>,
    /// Characters of material and of the answer.
    pub raw_chars: u64,
    /// Characters of the answer.
    pub out_chars: u64,
    /// The model.
    pub model: Option<String>,
    /// How the policy decided.
    pub policy: Option<String>,
    /// Whether it failed.
    pub is_error: bool,
}

/// One stored material.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct WorkerArtifactView {
    /// Its reference.
    pub reference: String,
    /// What it is of.
    pub source: String,
    /// Its length in characters.
    pub chars: u64,
    /// When it was stored.
    pub at: String,
}

/// One placeholder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PlaceholderView {
    /// `[EMAIL-1]`.
    pub placeholder: String,
    /// Its kind.
    pub kind: String,
    /// The value with all but its ends hidden.
    pub masked: String,
}

/// What to remove of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum PurgeWhat {
    /// Everything.
    Session,
    /// Its placeholders and their values.
    Placeholders,
    /// Its stored materials.
    Artifacts,
}

/// Parameters of `worker/purge`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct WorkerPurgeParams {
    /// The session; null for every session.
    pub key: Option<String>,
    /// What of it.
    pub what: PurgeWhat,
    /// Only what was last used before this moment; null for all.
    pub before: Option<String>,
    /// Whether it is only counted.
    pub dry_run: bool,
}

/// Answer to `worker/purge`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct WorkerPurged {
    /// Sessions removed.
    pub sessions: u64,
    /// Placeholders removed.
    pub placeholders: u64,
    /// Materials removed.
    pub artifacts: u64,
    /// Bytes of them.
    pub bytes: u64,
    /// Sessions left alone because a face of them is connected.
    pub live: u64,
}

/// Parameters of `worker/expiring`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct ExpiringParams {
    /// Days that stored material would be kept, 0 for always; null for what is in force.
    pub artifact_days: Option<u32>,
    /// Days that a session would be kept after its last use, 0 for always; null for what is in force.
    pub session_days: Option<u32>,
}

/// Answer to `worker/expiring`: what limits by age will remove within a day.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ExpiringView {
    /// Days that stored material is kept; 0 means always.
    pub artifact_days: u32,
    /// Days that a session is kept after its last use; 0 means always.
    pub session_days: u32,
    /// Sessions that will go.
    pub sessions: u64,
    /// Materials that will go, those of these sessions among them.
    pub artifacts: u64,
    /// Bytes of them.
    pub bytes: u64,
    /// When they go, where a limit was made shorter; null when each goes as its time is over.
    pub at: Option<String>,
}

impl ExpiringView {
    /// Whether anything will go.
    pub const fn is_empty(&self) -> bool {
        self.sessions == 0 && self.artifacts == 0
    }
}

/// Parameters of `worker/reserve`: placeholders that an older product gave out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ReserveParams {
    /// Conversations, 1,000 at most.
    pub conversations: Vec<GivenBefore>,
}

/// What one conversation was given by an older product.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct GivenBefore {
    /// The client, for an id that the client gave; null for a conversation that a person or script named.
    pub client: Option<String>,
    /// The conversation's id.
    pub session: String,
    /// The last placeholder of each kind, `[EMAIL-3]`.
    pub placeholders: Vec<String>,
}

/// Answer to `worker/reserve`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Reserved {
    /// Conversations whose placeholders are not given again.
    pub conversations: u64,
}

/// Parameters of `worker/arm`: a person turns a session on or off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct WorkerArmParams {
    /// The session.
    pub key: String,
    /// Whether it is on.
    pub is_on: bool,
}
