//! The crate through its public door, against a provider that plays scripted replies.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic in a test or in what tests share is the report"
)]

mod balance;
mod builtin;
mod catalog;
mod chat;
mod cohere;
mod effort;
mod facts;
mod failure;
mod format;
mod gemini;
mod limits;
mod listing;
mod listing_merge;
mod listing_pages;
mod local;
mod media_catalog;
mod media_failure;
mod media_fetch;
mod media_images;
mod media_replicate;
mod media_stability;
mod media_support;
mod media_video;
mod prices;
mod probe;
mod quota;
mod redact;
mod request;
mod rows;
mod sse;
mod support;
