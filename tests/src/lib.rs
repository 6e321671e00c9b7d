//! Support for the tests across processes: temporary homes, the command line, a sidecar driven as an
//! MCP client, and the search for planted secrets.
//!
//! The tests drive the built programs through their own doors and know nothing of their insides.
//! Every process that is started here ends with the value that started it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a panic in a test is its report")]

pub mod acme;
pub mod home;
pub mod planted;
pub mod sidecar;

pub use home::{Ran, TestHome, program};
pub use sidecar::{Era, Sidecar};
