//! The built sidecar, driven as a client drives it: raw JSON-RPC on its stdin and stdout, against a host that answers
//! what the test says.
//!
//! Test names carry the row of the requirement list for MCP clients that they check.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a panic is the report of a test")]

mod calls;
mod ending;
mod errors;
mod handshake;
mod lists;
mod liveness;
mod options;
mod questions;
mod robustness;
mod router;
mod support;
mod worker;
