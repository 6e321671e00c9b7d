//! Why nothing was checked.

use std::io;
use std::path::PathBuf;

/// Why nothing was checked, or a hook was not written.
#[derive(Debug, thiserror::Error)]
pub enum GuardError {
    /// The folder belongs to no repository.
    #[error("`{0}` is in no git repository")]
    NoRepository(PathBuf),
    /// The program `git` cannot be started.
    #[error("`git` cannot be started")]
    NoGit(#[source] io::Error),
    /// Git said no. What it said may hold private values, so it is not repeated.
    #[error("`git {verb}` failed with exit code {code}")]
    Git {
        /// The verb.
        verb: &'static str,
        /// Its exit code; -1 when it was ended by a signal.
        code: i32,
    },
    /// Git answered in a form that is not known.
    #[error("the answer of `git {0}` cannot be read")]
    Answer(&'static str),
    /// The range names no commits.
    #[error("the range names no commits of this repository")]
    Range,
    /// A file that was named cannot be read.
    #[error("`{path}` cannot be read: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The denylist is too large to be used.
    #[error("the denylist cannot be used: it is too large")]
    Denylist,
    /// A line of the list of exceptions has another form.
    #[error("line {0} of the list of exceptions is no `RULE PATH` or `RULE =VALUE`")]
    Allowed(usize),
    /// A hook that somebody else wrote stands in the way.
    #[error("a hook that is not Lwa's stands at `{0}`")]
    ForeignHook(PathBuf),
    /// A hook cannot be written.
    #[error("the hook `{path}` cannot be written: {source}")]
    Hook {
        /// The hook.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}
