//! Recorded shapes of every provider, replayed over a raw connection that splits, stalls, resets and cuts.
//!
//! A shape is a reply as it travels, `tests/shapes/PROVIDER/NAME.http`; what it must come to stands beside it in
//! `expect.toml`. All of it was written for these tests from what is publicly known, and its mark says how well.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic in a test or in what tests share is the report"
)]

mod activity;
mod broken;
mod job;
mod kinds;
mod leak;
mod mock;
mod outcome;
mod shape;
mod whole;
