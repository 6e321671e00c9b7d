//! Plans through the real programs: prepare, run once, results, failures, bad input.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a panic in a test is its report")]

mod bad_input;
mod consensus;
mod egress;
mod fakes;
mod key_pool;
mod lifecycle;
mod media;
mod money;
mod pipelines;
mod providers;
mod terminal;
mod upkeep;

use lwa_tests::acme::{config, fake};
