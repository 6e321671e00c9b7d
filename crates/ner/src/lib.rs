//! Names, addresses and other identities in running text, found by a small model that is part of the program.
//!
//! **What it is for.** The rules of `lwa-privacy` find what has a shape: mail addresses, cards, names behind a label.
//! A name in the middle of a sentence has none. [`Recogniser`] reads the lines that can hold one with a network of
//! 18 million weights (Rampart, by the National Design Studio, CC-BY-4.0), on the processor and in Rust alone.
//!
//! **What it must never do.** It performs no input or output: weights and vocabulary are in the program and are checked
//! against their digests before they are used. It keeps nothing of what it read beside digests and places.
//! It never takes a line for clean that it could have read and did not: such lines come back as unread.
//!
//! **Trust boundary.** The text is hostile. Any text gives an answer, in time that grows with its length alone and ends
//! at the deadline. What the network says is a hint to hide something and never a reason to show something.
//!
//! **Where to start reading.** `recogniser.rs` is the door. `gate.rs` and `passage.rs` choose what is read; `pieces.rs`
//! turns text into numbers; `network.rs` and `math` compute; `join.rs` and `filter.rs` make entities of the answer.
//! `convert` holds the script that made the files in `model`, and the measurements.

mod cache;
mod entity;
mod error;
mod facts;
mod filter;
mod gate;
mod join;
mod label;
mod math;
mod model;
mod network;
mod passage;
mod pieces;
mod recogniser;
mod words;

pub use entity::{Entity, EntityKind};
pub use error::LoadError;
pub use facts::Facts;
pub use label::Label;
pub use model::{Model, PieceReading};
pub use recogniser::{Found, LONGEST_TEXT, READING_TIME, Recogniser};
