//! The host's database.
//!
//! What it is for: everything that has to survive the host: plans, approvals, the ledger, the audit
//! chain, settings. One file per table.
//! What it must never do: reach a verdict. It stores verdicts, and it makes the few steps that must
//! be one step (claim and reserve) one transaction.
//! Trust boundary: the database file. A file of another program is refused, and a row that does not
//! parse is an error, never a guess.
//! Start reading at [`db`], then [`plans`].

pub mod approvals;
pub mod audit;
pub mod catalogue_lists;
pub mod db;
pub mod ledger;
pub mod library;
pub mod media_jobs;
pub mod patterns;
pub mod plans;
pub mod quotas;
mod rows;
pub mod settings;
pub mod worker;
pub mod worker_savings;

pub use approvals::{ApprovalRecord, Decided, Decision, Effect, NewApproval};
pub use audit::{AuditRecord, ChainCheck, NewAudit};
pub use catalogue_lists::KeptList;
pub use db::{Db, StoreError};
pub use ledger::{CallRecord, CapLimits, CapUse, Settlement};
pub use library::{LibraryCandidate, LibraryEntry, LibraryLookup};
pub use patterns::{NewObservation, Observed, PatternRecord, Take};
pub use plans::{Claim, ClaimOutcome, Finish, NewPlan, PlanRecord, PlannedCall};
pub use quotas::QuotaRecord;
pub use worker::{WorkerArtifactRecord, WorkerCounts, WorkerSessionRecord, WorkerTurnRecord};
pub use worker_savings::SavingsRecord;
