//! What a decision says: allow, ask or deny, with the rule, the reason and the parsed command.

use serde::{Deserialize, Serialize};

/// The three answers, from weakest to strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Every command is on the allow list and nothing in the text widens it.
    Allow,
    /// The human decides.
    Ask,
    /// A deny shape: nothing can exempt it.
    Deny,
}

/// One word of a command after quote removal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Word {
    /// The text; `…` stands for what only the shell knows at run time.
    pub text: String,
    /// Whether the whole word is known.
    pub is_static: bool,
}

/// What a command does beside printing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Effect {
    /// Writes, changes or removes a path.
    Write {
        /// The path, absolute where it could be resolved.
        path: String,
    },
    /// Reads a file of credentials.
    ReadPrivate {
        /// The path, absolute where it could be resolved.
        path: String,
    },
    /// Talks to the network.
    Network,
    /// Runs code or a program that a word of the command names.
    Execute {
        /// What is run.
        what: String,
    },
}

/// One simple command, in whatever context it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// The words, the program first.
    pub argv: Vec<Word>,
    /// The program: a bare name, or the path when it is not a system program.
    pub program: String,
    /// What it does.
    pub effects: Vec<Effect>,
}

/// The answer to one command text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// Allow, ask or deny.
    pub decision: Decision,
    /// The label of the rule that decided.
    pub rule: String,
    /// One sentence for the human.
    pub reason: String,
    /// The command that caused the answer, at most 160 characters; absent when it would show an expanded value.
    pub segment: Option<String>,
    /// Every command found in the text.
    pub commands: Vec<Command>,
    /// The entries of the allow list that covered the text.
    pub allowed_by: Vec<String>,
    /// What the human should know beside the reason.
    pub warnings: Vec<String>,
    /// The narrowest entries that an answer "always" may store; empty when nothing may be stored.
    pub shapes: Vec<String>,
}
