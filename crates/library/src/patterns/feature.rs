//! Digests in place of words, and in place of the ids of runs.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::key::InstallationKey;
use crate::words;

/// A keyed digest of one feature of a text. Without the installation's key it says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Feature(u64);

/// A keyed digest of the id of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RunMark(u64);

impl RunMark {
    /// The mark of a run.
    pub fn of(key: &InstallationKey, run_id: &str) -> Self {
        Self(key.digest_64("run", &[run_id.as_bytes()]))
    }
}

/// The features of a text, sorted, each once.
pub(super) fn features(key: &InstallationKey, text: &str) -> Vec<Feature> {
    let mut found: Vec<Feature> =
        words::features(text).iter().map(|word| Feature(key.digest_64("feature", &[word.as_bytes()]))).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Sixteen hexadecimal digits: whole in JSON, where a number of 64 bits is not.
macro_rules! as_digits {
    ($name:ident) => {
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:016x}", self.0)
            }
        }

        impl From<$name> for String {
            fn from(digest: $name) -> Self {
                digest.to_string()
            }
        }

        impl FromStr for $name {
            type Err = std::num::ParseIntError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                u64::from_str_radix(text, 16).map(Self)
            }
        }

        impl TryFrom<String> for $name {
            type Error = std::num::ParseIntError;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                text.parse()
            }
        }
    };
}

as_digits!(Feature);
as_digits!(RunMark);
