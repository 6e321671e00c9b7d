//! The words of the product: ids, enumerations, money, prices, models.
//!
//! What it is for: every other crate speaks in these types, so that a task kind or a billing class
//! means one thing everywhere.
//! What it must never do: perform I/O, read the clock, know a sibling crate.
//! Trust boundary: values parsed here come from agents and files; parsing refuses anything that is
//! not on the list and names the nearest valid value.
//! Start reading at [`task`] and [`billing`].

pub mod approval;
pub mod billing;
pub mod error_code;
pub mod ids;
pub mod key_mark;
pub mod label;
pub mod model;
pub mod money;
pub mod plan;
pub mod task;
pub mod tokens;

pub use approval::{ApprovalKind, Outcome};
pub use billing::{BillingClass, Capability, ConsentMode, DataUse};
pub use error_code::ErrorCode;
pub use ids::{ApprovalId, ClientName, PlanId, SessionId};
pub use label::UnknownLabel;
pub use model::{
    EffortForm, EffortSupport, Model, ModelKey, Price, PriceTier, Provenance, ProviderFacts, TokenCounts, TrackRecord,
};
pub use money::PicoUsd;
pub use plan::{PlanMode, PlanState};
pub use task::{Pipeline, Quality, ReasoningEffort, TaskKind};
