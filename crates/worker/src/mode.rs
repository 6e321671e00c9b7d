//! The two modes of the worker.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What the worker is used for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Private material: everything personal stays on this machine.
    Pii,
    /// Bulk output: the caller is spared what nobody needs to read in full.
    #[default]
    Assist,
}

impl Mode {
    /// The word in settings, trailers and results.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pii => "pii",
            Self::Assist => "assist",
        }
    }
}

/// A word that is no mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a mode is `pii` or `assist`")]
pub struct UnknownMode;

impl FromStr for Mode {
    type Err = UnknownMode;

    fn from_str(text: &str) -> Result<Self, UnknownMode> {
        match text {
            "pii" => Ok(Self::Pii),
            "assist" => Ok(Self::Assist),
            _ => Err(UnknownMode),
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
