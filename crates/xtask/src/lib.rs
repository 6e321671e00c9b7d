//! The project's own tools: layer check, file sizes, code generation, reference pages, measurements, the
//! demonstration.
//!
//! What it is for: whatever takes more than one command, written where it is type checked and tested.
//! What it must never do: be linked into a product binary, or touch the user's own folders.
//! Trust boundary: none; it runs on a developer's or a build machine over the project's own files.
//! Start reading at [`layers`], [`codegen`] and [`demo`].
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tools for people at a terminal")]

pub mod bench;
pub mod codegen;
pub mod demo;
pub mod layers;
pub mod mcp_client;
pub mod prices;
pub mod quality;
pub mod reference;
pub mod root;
pub mod sizes;
