//! What the shell would remember between commands: folder, variables, functions.

use std::collections::{BTreeMap, BTreeSet};

use crate::arg::{Arg, Flow};

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

/// A value longer than this is not followed.
const LONGEST_VALUE: usize = 4096;

impl Value {
    /// A known text, unless it is too long to be followed through what the command does with it.
    pub(crate) fn of(text: &str) -> Self {
        if text.len() > LONGEST_VALUE { Self::Unknown } else { Self::Static(text.to_owned()) }
    }
}

/// The shell as far as it matters.
#[derive(Debug, Clone, Default)]
pub(crate) struct State {
    pub(crate) folder: Option<String>,
    pub(crate) variables: BTreeMap<String, Value>,
    pub(crate) positional: Option<Vec<Arg>>,
    pub(crate) functions: BTreeSet<String>,
    /// Functions that print fetched text.
    pub(crate) fetching: BTreeSet<String>,
    /// What `exec` has put on the descriptors of the shell; nought is the standard input.
    pub(crate) descriptors: BTreeMap<i32, Flow>,
    /// Literal code blocks that enclose this one.
    pub(crate) depth: u8,
    /// Folders that `pushd` left.
    pub(crate) stack: Vec<Option<String>>,
    /// The folder before the last change, where it is known.
    pub(crate) last_folder: Option<String>,
    /// Links that the command makes: from where, to where.
    pub(crate) links: Vec<(String, String)>,
    /// How often the loops around run what is walked now.
    pub(crate) rounds: usize,
    /// Whether some word of the enclosing command is supplied at run time (`xargs`).
    pub(crate) has_run_time_words: bool,
}

impl State {
    pub(crate) fn deeper(&self) -> Self {
        Self { depth: self.depth + 1, ..self.clone() }
    }
}
