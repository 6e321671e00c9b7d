//! Why a program was not started.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::sandbox::SandboxReport;

/// A program was not started. A program that ran has an [`crate::Outcome`], however it ended.
#[derive(Debug, Error)]
pub enum ProcessError {
    /// A variable that looks like a secret was handed over as if it were none.
    #[error("the variable `{0}` looks like a secret and is not passed on")]
    SecretVariable(String),
    /// A variable that changes what a program loads or runs.
    #[error("the variable `{0}` changes what programs load and is not passed on")]
    DangerousVariable(String),
    /// A name that no environment can hold.
    #[error("`{0}` cannot be the name of a variable")]
    InvalidVariable(String),
    /// The folder to run in is missing or is no folder.
    #[error("cannot run in the folder `{path}`")]
    Folder {
        /// Which folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The system would not start the program.
    #[error("cannot start `{program}`")]
    Start {
        /// Which program.
        program: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file for the whole output cannot be made.
    #[error("cannot keep the output at `{path}`")]
    WholeOutput {
        /// Where.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The sandbox was required, and this system cannot give all of it.
    #[error("the sandbox that this run needs is not available here ({0})")]
    SandboxUnavailable(SandboxReport),
    /// The sandbox could not be set up although the system knows it.
    #[error("cannot set up the sandbox: {what}")]
    Sandbox {
        /// The step that failed.
        what: &'static str,
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}
