//! Why a configuration cannot be used: file, line, reason, and the nearest valid name.

use std::fmt;
use std::io;
use std::path::PathBuf;

use lwa_domain::UnknownLabel;
use thiserror::Error;

/// Where in the configuration something stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub path: PathBuf,
    /// The line, counted from 1, if it is known.
    pub line: Option<usize>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.path.display())?;
        self.line.map_or(Ok(()), |line| write!(f, " line {line}"))
    }
}

/// A configuration that cannot be used. No message shows a value that could be a key.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read `{path}`")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file cannot be written.
    #[error("cannot write `{path}`")]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is not TOML.
    #[error("{place}: not valid TOML: {reason}")]
    Syntax {
        /// Where.
        place: Place,
        /// What the parser says; it describes and does not quote.
        reason: String,
    },
    /// A key that does not exist.
    #[error("{place}: unknown key `{key}` in {table}{hint}")]
    UnknownKey {
        /// Where.
        place: Place,
        /// The key.
        key: String,
        /// The table it stands in, as it is written: `[router]`.
        table: String,
        /// The nearest valid key, or all of them.
        hint: String,
    },
    /// A key of a part that is not built yet.
    #[error("{place}: `{key}` belongs to a part that this version does not have yet; remove it")]
    LaterPart {
        /// Where.
        place: Place,
        /// The table or key.
        key: String,
    },
    /// A value of another type than the key takes.
    #[error("{place}: `{key}` takes {expected}, not {found}")]
    WrongType {
        /// Where.
        place: Place,
        /// The key.
        key: String,
        /// What it takes.
        expected: &'static str,
        /// What is there.
        found: &'static str,
    },
    /// A word that is not on the key's list.
    #[error("{place}: `{key}`: {label}")]
    UnknownLabel {
        /// Where.
        place: Place,
        /// The key.
        key: String,
        /// What is wrong with the word, with all accepted ones.
        label: Box<UnknownLabel>,
    },
    /// A number outside its range.
    #[error("{place}: `{key}` must be between {min} and {max}")]
    OutOfRange {
        /// Where.
        place: Place,
        /// The key.
        key: String,
        /// The smallest accepted number.
        min: f64,
        /// The largest accepted number.
        max: f64,
    },
    /// A value that its key cannot take, for a reason of its own.
    #[error("{place}: `{key}` {reason}")]
    Unusable {
        /// Where.
        place: Place,
        /// The key.
        key: String,
        /// What is wrong and what is right; never quotes the value.
        reason: &'static str,
    },
    /// A key that has to be there.
    #[error("{place}: {table} needs `{key}`: {reason}")]
    Missing {
        /// Where.
        place: Place,
        /// The table, as it is written.
        table: String,
        /// The missing key.
        key: &'static str,
        /// Why it is needed.
        reason: &'static str,
    },
    /// A model of a provider that is neither configured nor shipped.
    #[error("{place}: there is no provider `{provider}`{hint}")]
    UnknownProvider {
        /// Where.
        place: Place,
        /// The provider that the model names.
        provider: String,
        /// The nearest provider, or how to add one.
        hint: String,
    },
    /// An edit of a key that does not exist, or that is not a single value.
    #[error("there is no key `{key}` to set{hint}")]
    NoSuchKey {
        /// The key path that was asked for.
        key: String,
        /// The nearest key path.
        hint: String,
    },
}

impl ConfigError {
    /// The line, counted from 1, if the error has one.
    pub fn line(&self) -> Option<usize> {
        match self {
            Self::Read { .. } | Self::Write { .. } | Self::NoSuchKey { .. } => None,
            Self::Syntax { place, .. }
            | Self::UnknownKey { place, .. }
            | Self::LaterPart { place, .. }
            | Self::WrongType { place, .. }
            | Self::UnknownLabel { place, .. }
            | Self::OutOfRange { place, .. }
            | Self::Unusable { place, .. }
            | Self::Missing { place, .. }
            | Self::UnknownProvider { place, .. } => place.line,
        }
    }
}

/// What stands in for a text that could be a key.
pub(crate) const HIDDEN: &str = "(not shown)";

/// `text` if it can be shown in a message, else a stand-in.
///
/// A key pasted into the wrong place must not travel into a log. Keys are long and mix letters with
/// digits; our words and names are short, or have no digits.
pub(crate) fn presentable(text: &str) -> &str {
    let is_long = text.chars().count() > 60;
    let mixes = text.chars().count() >= 16
        && text.chars().any(|c| c.is_ascii_digit())
        && text.chars().any(|c| c.is_ascii_alphabetic());
    if is_long || mixes { HIDDEN } else { text }
}

/// The end of a message: the nearest of `names`, else all of them.
pub(crate) fn hint<'a>(wrong: &str, names: impl Iterator<Item = &'a str> + Clone) -> String {
    if let Some(nearest) = lwa_domain::label::nearest(wrong, names.clone()) {
        return format!("; did you mean `{nearest}`?");
    }
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    if names.is_empty() { String::new() } else { format!("; known are {}", names.join(", ")) }
}
