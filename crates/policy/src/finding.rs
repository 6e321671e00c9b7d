//! What a look at one command brings up.

use crate::arg::Arg;

/// How heavy a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Weight {
    /// Said to the human, decides nothing.
    Note,
    /// Takes the command off the allow list.
    Ask,
    /// Refuses the command.
    Deny,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) weight: Weight,
    pub(crate) rule: &'static str,
    pub(crate) reason: String,
    pub(crate) segment: String,
}

/// A path that a command writes although writing is not what its program is for, or through a redirect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Write {
    /// The path as the command spells it.
    pub(crate) text: String,
    /// The path after resolution.
    pub(crate) path: String,
    /// Whether the file is kept and only grows.
    pub(crate) appends: bool,
    /// Whether every part of the path is known.
    pub(crate) is_known: bool,
}

/// One command that needs to be covered by the allow list.
#[derive(Debug, Clone, Default)]
pub(crate) struct Record {
    /// Its number; nought for records without a program.
    pub(crate) id: usize,
    /// The record whose exact entry covers this one too.
    pub(crate) cover: Option<usize>,
    /// The record of a wrapper, and at which of its words this program stands: an entry may name both.
    pub(crate) behind: Option<(usize, usize)>,
    /// Program, sub-commands, then everything else.
    pub(crate) words: Vec<Arg>,
    /// Where each of these words stands in the command.
    pub(crate) order: Vec<usize>,
    /// How many words the program and its sub-commands take.
    pub(crate) head: usize,
    /// Words that an entry has to spell out: the script of an interpreter, an option that destroys.
    pub(crate) named: Vec<usize>,
    /// Whether an entry is needed at all; pure control flow needs none.
    pub(crate) needs_entry: bool,
    /// Whether an answer "always" may be stored for it.
    pub(crate) is_storable: bool,
    /// Environment assignments in front, which belong to a stored shape.
    pub(crate) assignments: Vec<(String, Arg)>,
    /// Writes that need an entry of their own.
    pub(crate) writes: Vec<Write>,
    /// The effects for the verdict.
    pub(crate) effects: Vec<crate::verdict::Effect>,
    /// The words as they stand in the command, for the verdict.
    pub(crate) argv: Vec<Arg>,
    /// For people.
    pub(crate) segment: String,
    /// The folder in which it starts, links followed, where it is known.
    pub(crate) folder: Option<String>,
}
