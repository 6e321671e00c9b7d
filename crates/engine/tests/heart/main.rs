//! The heart through the engine's public door: consent, the claim, the configuration, restarts.
//!
//! Time is the test's own, callers are made by hand, and no network is needed: what has to be asked
//! about is the built-in provider under `always_ask`, or a provider on loopback.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a panic in a test is its report")]

mod adversary;
mod claim;
mod configuration;
mod events;
mod library;
mod people;
mod restart;
mod sequences;
mod serving;
mod spend;
mod support;
mod upkeep;
