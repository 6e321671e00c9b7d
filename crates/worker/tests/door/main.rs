//! The worker through its public door: models are scripted, servers are on the loopback, folders are temporary.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::format_collect,
    reason = "a panic in a test or in what tests share is the report"
)]

mod artifact;
mod command;
mod decide;
mod dialog;
mod digest;
mod disclosure;
mod entities;
mod gate;
mod local_model;
mod locality;
mod material;
mod memory;
mod observer;
mod outbound;
mod savings;
mod support;
mod trailer;
mod verbatim;
