//! The embedded provider `builtin`: a deterministic, extractive condenser of logs, transcripts and prompts.
//!
//! **What it is for.** It makes a text shorter without a model, a key or a network.
//! It selects lines and sentences and never writes one of its own, except for markers in square brackets that count
//! what was left out.
//! The provider `builtin` serves `conversation_compression` with [`condense()`] and `token_optimization` with
//! [`optimize`]; the worker uses [`condense()`] for the digest of a command's output.
//!
//! **What it must never do.** It performs no input or output, reads no clock and keeps no state, so the same text and
//! options give the same result everywhere.
//! It never changes a character of a line that it keeps, apart from terminal escape sequences, which it removes.
//!
//! **Trust boundary.** The text comes from programs and people that nobody vouches for.
//! Nothing in it is interpreted: the crate takes linear time and does not panic on any string.
//! It hides nothing either: secrets in the text stand in the result, so scrubbing comes first.
//!
//! **Where to start reading.** [`condense()`] in `condense.rs` shows the whole path: `lines` cuts the text, `detect`
//! names the material, `signals` marks the lines, `log` or `conversation` gives each unit a class, `budget` chooses
//! by class, `render` writes the result.
//!
//! # Order of loss
//!
//! Without a budget every distinct line that reports a failure or a warning stands in the result as it was given.
//! With [`Options::max_output_bytes`] the classes are lost in this order, the first one first:
//!
//! 1. blank and repeated lines, chat filler and routine text, which go without a budget too;
//! 2. sentences whose facts stood before, and distant context (deep stack frames, long snippets);
//! 3. landmarks: the first line of each kind, the beginning and the end of a log;
//! 4. near context: snippets and notes below a failure;
//! 5. lines that only mention a failure, such as a passing test whose name holds `error`;
//! 6. code;
//! 7. warnings of a shape that stood before, then other warnings;
//! 8. facts: names and numbers, then paths, versions, tickets, dates and other identifiers;
//! 9. failures of a shape that stood before;
//! 10. decisions, requirements, open questions and next actions;
//! 11. closing counts;
//! 12. failures.
//!
//! Half of a budget is kept for class 10 and an eighth for class 11, so that failures cannot crowd them out.
//! When only part of a class fits, its last and its first lines are kept.

mod budget;
mod class;
mod condense;
mod condensed;
mod conversation;
mod detect;
mod facts;
mod filler;
mod jsonl;
mod lines;
mod log;
mod prompt;
mod render;
mod shape;
mod signals;
mod speaker;

pub use crate::condense::{condense, optimize};
pub use crate::condensed::{Condensed, LeftOut, Material, Options};
