//! What connects Lwa to the rest of the machine: keys that other programs left where they are found,
//! the files of an older product, and units for the system's timers.
//!
//! What it is for: finding provider keys in the places that people keep them in ([`discover`]), turning
//! an older product's configuration, keys and tool library into ours ([`seed`]), the text of timer
//! units ([`units`]), and Lwa's hooks in the text of a client's file ([`hooks`]).
//! What it must never do: store a key, talk to the host, look into a folder that it was not given, walk
//! a tree in search of keys, read sign-in tokens, or open a file of another program for writing.
//! Trust boundary: every file it reads was written by somebody else. Values are kept in [`Hidden`], which
//! cannot be printed; messages name files, lines and names, never values.
//! Start reading at [`discover::discover`], [`seed::plan_configuration`] and [`hooks::with_entries`].

pub mod discover;
pub mod dotenv;
mod file;
mod hidden;
pub mod hooks;
pub mod seed;
pub mod units;
pub mod variables;

pub use file::MAX_BYTES;
pub use hidden::Hidden;
