//! Plans through the real programs: prepare, run once, results, failures, bad input.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a panic in a test is its report")]

mod bad_input;
mod lifecycle;
mod money;
mod providers;

use lwa_tests::acme::{config, fake};
