//! Where things are, and what the human configured.
//!
//! What it is for: folders, the socket and the lock that every face resolves alike; the typed
//! configuration with lossless edits.
//! What it must never do: talk to the host, log a value of the configuration, open a seed's files.
//! Trust boundary: the configuration file. A file that cannot be used is refused whole, with file,
//! line, reason and the nearest valid name; the caller keeps the last good one.
//! Start reading at [`home`] for folders and [`lock`] for how faces find the host.

pub mod credentials;
pub mod home;
pub mod lock;

pub use credentials::credential_names;
pub use home::{Home, HomeError};
pub use lock::{HostLock, LockContent, LockError};
