//! The library through its public door.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in tests a panic is the report")]

mod shelf;

mod concurrent;
mod damage;
mod observed;
mod properties;
mod recipes;
mod run_file;
mod scripts;
mod storage;
