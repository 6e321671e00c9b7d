//! Tests of the crate through its public door.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what the tests share may fail as loudly as the tests"
)]

mod builtin;
mod choice;
mod consent;
mod gates;
mod golden;
mod golden_cases;
mod laws;
mod media;
mod metamorphic;
mod no_route;
mod properties;
mod records;
mod score;
mod seeds;
mod speed;
mod support;
mod voters;
mod wishes;
mod worlds;
