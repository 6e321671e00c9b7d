//! Recognising work that repeats, as pure functions: what was seen and what is known go in, what is
//! known afterwards comes out.
//!
//! No word of a prompt is in any of these values. A text becomes a set of keyed digests of 64 bits; the
//! label of a pattern is the explicit name of the workflow or the label of the task.

mod feature;
mod observe;
mod pattern;
mod recipe;

pub use feature::{Feature, RunMark};
pub use observe::{Counted, Next, Observation, Observed, PatternSettings, eligible, observe};
pub use pattern::{Pattern, Seen};
pub use recipe::{evidence, recipe};
