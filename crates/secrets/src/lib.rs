//! Secrets: where they are kept, and a type that cannot print one.
//!
//! What it is for: the keys of providers, in the system's keychain or, when the human chose it, in
//! a private file.
//! What it must never do: log, print or serialise a value, know a sibling engine, fall back from one
//! store to another by itself.
//! Trust boundary: the keychain and the file belong to the user; other programs of the same user may
//! read both. A file that others may read is refused.
//! Start reading at [`SecretStore`]. Every store blocks: asynchronous callers go through
//! `spawn_blocking` and set their own time limit, because a keychain may ask the human to unlock it.

mod error;
mod file;
mod keychain;
mod memory;
mod secret;
mod store;

pub use error::SecretError;
pub use file::FileStore;
pub use keychain::KeychainStore;
pub use memory::MemoryStore;
pub use secret::Secret;
pub use store::{SecretStore, account_for};
