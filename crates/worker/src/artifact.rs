//! Material kept whole on disk, and exact slices of it that hide what the whole hides.

mod folder;
mod slice;

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::memory::is_lower_hex;

pub use folder::{ArtifactError, ArtifactFolder};
pub use slice::{DEFAULT_LIMIT, MOST_LIMIT, Mismatch, Reading, ScrubbedText, Slice, Wanted};

/// The longest text that is kept, read and scrubbed. One limit for the three, so that whatever is kept can be read.
pub const MOST_BYTES: usize = 16 * 1024 * 1024;
/// Stands at the end of a text that was cut at [`MOST_BYTES`].
pub const CUT: &str = "\n[what follows was not kept: the text is too long]\n";

/// An artifact: `a_` and eight hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ArtifactRef(String);

/// A text that is no reference to an artifact. The text itself is not repeated: it came from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an artifact is `a_` and eight hexadecimal digits in lower case")]
pub struct InvalidArtifactRef;

impl ArtifactRef {
    /// The reference of a new artifact, from random bytes of the caller.
    pub fn from_random([a, b, c, d]: [u8; 4]) -> Self {
        Self(format!("a_{a:02x}{b:02x}{c:02x}{d:02x}"))
    }

    /// The reference as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ArtifactRef {
    type Err = InvalidArtifactRef;

    fn from_str(text: &str) -> Result<Self, InvalidArtifactRef> {
        let is_valid = text.strip_prefix("a_").is_some_and(|digits| is_lower_hex(digits, 8));
        if is_valid { Ok(Self(text.to_owned())) } else { Err(InvalidArtifactRef) }
    }
}

impl TryFrom<String> for ArtifactRef {
    type Error = InvalidArtifactRef;

    fn try_from(text: String) -> Result<Self, InvalidArtifactRef> {
        text.parse()
    }
}

impl From<ArtifactRef> for String {
    fn from(artifact: ArtifactRef) -> Self {
        artifact.0
    }
}

impl fmt::Display for ArtifactRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Where an artifact's text comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArtifactKind {
    /// The material of a command.
    Run,
    /// The material of a task.
    Delegate,
    /// The whole output of a command whose material had to be cut.
    WholeOutput,
}

/// What stands beside an artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArtifactFacts {
    /// Where its text comes from.
    pub kind: ArtifactKind,
    /// The source label of the turn.
    pub source: String,
    /// Characters of the text; none for a whole output, which is kept as it came.
    pub chars: Option<u64>,
    /// When it was stored.
    pub ts: Timestamp,
    /// The command's exit code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rc: Option<i32>,
    /// The command's time was over.
    #[serde(default)]
    pub timed_out: bool,
    /// Some of the material was left out.
    #[serde(default)]
    pub truncated: bool,
}
