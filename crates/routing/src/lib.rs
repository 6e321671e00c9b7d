//! Chooses a model: which candidates are eligible, what each scores, which one a plan is locked to.
//!
//! **What it is for.**
//! [`decide()`] takes a request, the policy and the catalogue of the moment and answers with one chosen route, the
//! reasons for it, and every other candidate with the reason it was not chosen.
//!
//! **What it must never do.**
//! It performs no input or output, reads no clock, draws no random number and keeps no state, so the same three inputs
//! give the same decision in any order of the catalogue.
//! It sees no text: a request holds token counts, so no wording, spelling or language can turn a route.
//! It never substitutes: a provider or model that the caller named is used or the request fails.
//!
//! **Trust boundary.**
//! The request comes from an agent, the catalogue partly from providers' listings; neither is believed about money.
//! A route that may cost something passes only when the request and the configuration both allow it, whatever price a
//! listing states.
//!
//! **Where to start reading.**
//! [`decide()`] in `decide.rs` shows the whole path; `eligibility.rs` holds the gates in their order, `score.rs` the
//! formula, `record.rs` what experience takes away, `ranking.rs` the order and the quality floor, `consensus.rs` who
//! votes, and `no_route.rs` what a caller is told when nothing is left.
//! The reference page is `docs/reference/routing.md`.

mod capability_set;
pub mod consensus;
mod consent;
mod decide;
mod effort_offer;
mod eligibility;
mod gate;
mod invalid_request;
mod no_route;
mod points;
mod ranking;
mod record;
mod request;
mod score;
mod way_out;

pub use capability_set::CapabilitySet;
pub use decide::{Decision, Rejected, Scored, decide};
pub use effort_offer::EffortOffer;
pub use gate::{Gate, Leave, TieBreak};
pub use invalid_request::InvalidRequest;
pub use no_route::NoRoute;
pub use points::Points;
pub use request::{BUILTIN_MODEL, BUILTIN_PROVIDER, Catalog, Policy, Request};
