//! The one host: found by everyone, started on demand, clean, and it ends by itself.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a panic in a test is its report")]

mod ending;
mod import;
mod import_local_llm;
mod keys_found;
mod lifecycle;
mod roles;
mod secrets;
