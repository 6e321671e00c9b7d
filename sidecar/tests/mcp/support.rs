//! What the tests share: a client, a host, and the host's answers.

pub mod answers;
pub mod client;
pub mod fake_host;
pub mod worker;

use tempfile::TempDir;

/// A folder for everything of one test. Its path is short, because a socket lies in it.
pub fn home() -> TempDir {
    tempfile::Builder::new().prefix("lwa-t").tempdir().unwrap()
}
