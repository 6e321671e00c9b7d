//! The worker through the engine's public door: the gate, commands, what leaves, memory, sessions.
//!
//! Commands are real and harmless, folders are temporary, models are fakes on loopback.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a panic in a test is its report")]
#![cfg(target_os = "linux")]

mod commands;
mod decide;
mod desk;
mod gate;
mod in_hand;
mod leaving;
mod memory;
mod model;
mod observer;
mod results;
mod savings;
mod sessions;
#[path = "../heart/support.rs"]
#[allow(dead_code, reason = "the other tests of this crate use the rest of it")]
mod support;
