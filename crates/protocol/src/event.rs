//! What the host tells its faces unasked.

use lwa_domain::{ApprovalId, Outcome, PlanId, PlanState};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::approval::ApprovalItem;

/// Something happened. Sent to connections that called `event/subscribe`.
///
/// An event says what changed; the receiver reads the new state, so a lost event costs freshness,
/// never truth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// A plan was prepared or moved on.
    PlanChanged {
        /// The plan.
        plan_id: PlanId,
        /// Where it stands now.
        state: PlanState,
    },
    /// A question was asked.
    ApprovalOpened {
        /// The question.
        approval: Box<ApprovalItem>,
    },
    /// An open question changed: its count or its deadline.
    ApprovalChanged {
        /// The question.
        approval: Box<ApprovalItem>,
    },
    /// A question ended.
    ApprovalClosed {
        /// The question.
        id: ApprovalId,
        /// How.
        outcome: Outcome,
        /// Why, in words.
        reason: Option<String>,
    },
    /// The ledger has a new or settled row.
    LedgerChanged,
    /// A session of the worker changed, or came, or went.
    WorkerChanged {
        /// Its key.
        session: String,
    },
    /// Providers, models or keys changed.
    ProvidersChanged,
    /// A provider said something about its quotas.
    QuotaChanged {
        /// Which one.
        provider: String,
    },
    /// A tool of the library came, went or changed, or repeated work was counted.
    LibraryChanged,
    /// The configuration was read again.
    ConfigChanged {
        /// Why the file is not in force, if it is not.
        error: Option<String>,
    },
    /// A face came or went, or work was paused or resumed.
    HostChanged,
    /// The receiver was too slow and some events were dropped; read everything again.
    Lagged,
    /// The host is about to end.
    HostStopping,
}
