//! What to run, in what surroundings, and within what limits.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::capture::WholeFile;
use crate::environment::Environment;
use crate::error::ProcessError;
use crate::feed::FeedEnd;
use crate::outcome::Outcome;
use crate::running::Running;
use crate::sandbox::Sandbox;

/// One program to run.
#[derive(Debug, Clone)]
pub struct Program {
    /// A path, or a name that is looked up in the `PATH` of [`Program::environment`].
    pub path: PathBuf,
    /// Its arguments, without its own name.
    pub arguments: Vec<OsString>,
    /// Where it runs.
    pub folder: PathBuf,
    /// All that it sees of the environment.
    pub environment: Environment,
    /// What it reads.
    pub input: Input,
    /// How long and how much.
    pub limits: Limits,
    /// Whether its two streams stay two.
    pub streams: Streams,
    /// A file for the whole of standard output, for what the limits would drop.
    pub whole_output: Option<WholeFile>,
    /// What it may not do; none when it may do all that the user may do.
    pub sandbox: Option<Sandbox>,
}

/// What the program finds on its standard input.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum Input {
    /// Nothing: the end at once.
    #[default]
    Closed,
    /// These bytes, and then the end.
    Bytes(Vec<u8>),
    /// What a [`crate::Feed`] writes, for as long as there is one.
    Fed(FeedEnd),
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("Closed"),
            Self::Bytes(bytes) => write!(f, "Bytes({})", bytes.len()),
            Self::Fed(_) => f.write_str("Fed"),
        }
    }
}

/// Whether what a program writes to its two streams stays apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Streams {
    /// Standard output and standard error by themselves.
    #[default]
    Apart,
    /// Both as standard output, in the order in which they were written, as in a terminal.
    Together,
}

/// How long a program may run, and how much of its output is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// From the start until the whole tree is ended.
    pub time: Duration,
    /// What is kept of the beginning of each stream; the rest is read, counted and dropped.
    pub output_bytes: usize,
    /// What is kept of the end of each stream, beyond its beginning.
    pub end_bytes: usize,
    /// Between the request to end and the end by force.
    pub grace: Duration,
}

impl Default for Limits {
    /// Two minutes, the first megabyte of a stream, and one second of grace.
    fn default() -> Self {
        Self { time: Duration::from_mins(2), output_bytes: 1_000_000, end_bytes: 0, grace: Duration::from_secs(1) }
    }
}

impl Program {
    /// A program with no arguments, an empty environment, closed input and the default limits.
    pub fn new(path: impl Into<PathBuf>, folder: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            arguments: Vec::new(),
            folder: folder.into(),
            environment: Environment::empty(),
            input: Input::Closed,
            limits: Limits::default(),
            streams: Streams::Apart,
            whole_output: None,
            sandbox: None,
        }
    }

    /// Starts it. Nothing is read or written until [`Running::finish`] is awaited.
    ///
    /// # Errors
    /// The folder or the program cannot be used, or the sandbox was required and is not available.
    pub async fn start(self) -> Result<Running, ProcessError> {
        Running::start(self).await
    }

    /// Runs it to its end, its deadline or the cancellation. Dropping the future ends the tree at
    /// once and by force.
    ///
    /// # Errors
    /// As for [`Program::start`].
    pub async fn run(self, cancel: &CancellationToken) -> Result<Outcome, ProcessError> {
        Ok(self.start().await?.finish(cancel).await)
    }
}
