//! How a run ended, and what it left behind.

use std::time::Duration;

use crate::capture::{Captured, Whole};
use crate::sandbox::SandboxReport;

/// How the program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By itself, with this code.
    Exited(i32),
    /// By a signal that did not come from here.
    Signalled(i32),
    /// Its time was over, and the tree was ended.
    TimedOut,
    /// The caller cancelled, and the tree was ended.
    Cancelled,
    /// The system did not say how.
    Unknown,
}

impl End {
    /// Whether the program ended by itself and reported success.
    pub const fn is_success(self) -> bool {
        matches!(self, Self::Exited(0))
    }
}

/// Everything that is known after a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// How the program ended.
    pub end: End,
    /// What it wrote to standard output.
    pub stdout: Captured,
    /// What it wrote to standard error.
    pub stderr: Captured,
    /// What came of the file for the whole of standard output; none when none was asked for.
    pub whole_output: Option<Whole>,
    /// From the start until the tree was gone.
    pub duration: Duration,
    /// Which parts of a sandbox were in force.
    pub sandbox: SandboxReport,
    /// Processes other than the program itself that had to be ended.
    pub ended_stragglers: usize,
    /// Processes of the tree that could not be ended; anything but zero is worth a warning.
    pub survivors: usize,
}
