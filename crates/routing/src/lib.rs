//! Chooses a model: which candidates are eligible, what each scores, which one a plan is locked to.
//!
//! **What it is for.**
//! [`decide()`] takes a request, the policy and the catalogue of the moment and answers with one chosen route, the
//! reasons for it, and every other candidate with the reason it was not chosen.
//!
//! **What it must never do.**
//! It performs no input or output, reads no clock, draws no random number and keeps no state, so the same three inputs
//! give the same decision in any order of the catalogue.
//! It never substitutes: a provider or model that the caller named is used or the request fails.
//!
//! **Trust boundary.**
//! The request comes from an agent, the catalogue partly from providers' listings; neither is believed about money.
//! A route that may cost something passes only when the request and the configuration both allow it, whatever price a
//! listing states.
//!
//! **Where to start reading.**
//! [`decide()`] in `decide.rs` shows the whole path; `eligibility.rs` holds the gates in their order, `score.rs` the
//! formula, `no_route.rs` what a caller is told when nothing is left.
//! The reference page is `docs/reference/routing.md`.

mod capability_set;
mod consent;
mod decide;
mod eligibility;
mod gate;
mod no_route;
mod points;
mod request;
mod score;
mod way_out;

pub use capability_set::CapabilitySet;
pub use decide::{Decision, Rejected, Scored, decide};
pub use gate::{Gate, Leave};
pub use no_route::NoRoute;
pub use points::Points;
pub use request::{BUILTIN_MODEL, BUILTIN_PROVIDER, Catalog, Policy, Request};
