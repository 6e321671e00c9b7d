//! The worker: private work on this machine, and what of it may leave.
//!
//! What it is for: it runs commands and reads files, hands the material to a model on this machine or to the built-in
//! condenser, and lets out a digest, quoted lines or a slice, with placeholders where private values stood.
//! What it must never do: decide whether a command may run, ask a human, open a database, or send material to a model
//! that is not on this machine or this network.
//! Trust boundary: material, model and caller are not trusted. Material may try to give the model orders, a model may
//! repeat what it read in any spelling, and a caller may ask for what it must not see.
//! Everything that leaves passes [`outbound`].

pub mod artifact;
pub mod budget;
pub mod command;
pub mod compaction;
pub mod decide;
pub mod dialog;
pub mod digest;
pub mod disclosure;
pub mod entities;
pub mod gate;
pub mod instructions;
pub mod local_model;
pub mod material;
pub mod memory;
pub mod mode;
pub mod model;
pub mod observer;
pub mod outbound;
pub mod savings;
pub mod trailer;
pub mod verbatim;
