//! The crate through its public door, against a provider that plays scripted replies.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic in a test or in what tests share is the report"
)]

mod builtin;
mod catalog;
mod chat;
mod failure;
mod limits;
mod listing;
mod local;
mod redact;
mod request;
mod sse;
mod support;
