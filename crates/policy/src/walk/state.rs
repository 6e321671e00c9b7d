//! What the shell would remember between commands: folder, variables, functions.

use std::collections::{BTreeMap, BTreeSet};

use crate::arg::Arg;

/// What a variable of the command holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// A known text.
    Static(String),
    /// The names of files that fit a pattern, or one of several texts.
    Names(String),
    /// Fetched text.
    Fetched,
    /// Something known at run time only.
    Unknown,
}

/// The shell as far as it matters.
#[derive(Debug, Clone, Default)]
pub(crate) struct State {
    pub(crate) folder: Option<String>,
    pub(crate) variables: BTreeMap<String, Value>,
    pub(crate) positional: Option<Vec<Arg>>,
    pub(crate) functions: BTreeSet<String>,
    /// Literal code blocks that enclose this one.
    pub(crate) depth: u8,
    /// Folders that `pushd` left.
    pub(crate) stack: Vec<Option<String>>,
    /// The folder before the last change, where it is known.
    pub(crate) last_folder: Option<String>,
    /// Links that the command makes: from where, to where.
    pub(crate) links: Vec<(String, String)>,
    /// Whether some word of the enclosing command is supplied at run time (`xargs`).
    pub(crate) has_run_time_words: bool,
}

impl State {
    pub(crate) fn deeper(&self) -> Self {
        Self { depth: self.depth + 1, ..self.clone() }
    }
}
