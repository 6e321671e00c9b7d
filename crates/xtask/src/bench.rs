//! Measurements. Every figure comes from a run on this machine, beside what it is compared with.

mod condense;
mod privacy;
mod python;
pub mod router;
mod sidecar;
mod spread;

pub use condense::run as condense;
pub use privacy::{Options as PrivacyOptions, run as privacy};
pub use sidecar::{Options as SidecarOptions, run as sidecar};
pub use spread::Spread;
