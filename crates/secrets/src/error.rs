//! Why a secret could not be read or kept, and the way out.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// The way out when there is no keychain to talk to.
const USE_THE_FILE: &str = "or choose the private file with `[secrets] backend = \"file\"` in config.toml";

/// A secret could not be read or kept. No message ever holds a value.
#[derive(Debug, Error)]
pub enum SecretError {
    /// No keychain answers.
    #[error(
        "no keychain answers on this machine's session bus; unlock or install one (gnome-keyring, KWallet), {USE_THE_FILE}"
    )]
    NoKeychain {
        /// What the system said.
        source: PlatformError,
    },
    /// The keychain is locked and did not open.
    #[error(
        "the keychain is locked and did not open; unlock it (a login keyring opens when you log in), {USE_THE_FILE}"
    )]
    Locked {
        /// What the system said.
        source: PlatformError,
    },
    /// The human, or a rule of the system, refused.
    #[error("the keychain refused access to `{account}`; allow it in the keychain's own dialog, {USE_THE_FILE}")]
    Denied {
        /// Which item.
        account: String,
        /// What the system said.
        source: PlatformError,
    },
    /// The keychain failed in some other way.
    #[error("the keychain failed at `{account}`; try again, {USE_THE_FILE}")]
    Failed {
        /// Which item.
        account: String,
        /// What the system said.
        source: PlatformError,
    },
    /// Several items answer to one name, so none can be trusted to be the right one.
    #[error("the keychain holds {count} items for `{account}`; remove the key and set it again")]
    Ambiguous {
        /// Which item.
        account: String,
        /// How many there are.
        count: usize,
    },
    /// The item is not text, so it is not one of ours.
    #[error("the item `{account}` is not text; remove the key and set it again")]
    NotText {
        /// Which item.
        account: String,
    },
    /// What was written could not be read back.
    #[error(
        "the {store} store did not give back what it was given; choose another with `[secrets] backend` in config.toml"
    )]
    Forgetful {
        /// Which store.
        store: &'static str,
    },
    /// The name cannot be a line of the private file.
    #[error("an account of the private file is letters, digits and `_`, and starts with no digit")]
    BadAccount,
    /// Others may read the private file.
    #[error(
        "`{path}` may be read by others (mode {mode:03o}); run `chmod 600` on it, and replace the keys in it if others use this machine"
    )]
    NotPrivate {
        /// The file or its folder.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// The private file is a link, a folder, or somebody else's.
    #[error("`{path}` is not a plain file of yours; move it away and set the keys again")]
    NotOurs {
        /// The file.
        path: PathBuf,
    },
    /// The line of the account cannot be read.
    #[error(
        "`{path}` line {line}: the value has no closing quote or text after it; correct the line or set the key again"
    )]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Which line, counted from 1.
        line: usize,
    },
    /// The private file cannot be read or written.
    #[error("cannot use the private file `{path}`")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// What the system's keychain said, as text.
///
/// The original error is not kept: some of its variants carry the bytes of the item.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct PlatformError(pub(crate) String);
