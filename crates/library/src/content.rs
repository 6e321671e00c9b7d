//! The address of a content: what a version is called, and what an approval is bound to.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::LibraryError;

/// The SHA-256 of a recipe's template or a script's source, as 64 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ContentId(String);

impl ContentId {
    /// The address of these bytes.
    pub fn of(content: &[u8]) -> Self {
        Self(hex(&Sha256::digest(content)))
    }

    /// The 64 digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first twelve digits, for people.
    pub fn short(&self) -> &str {
        self.0.get(..12).unwrap_or(&self.0)
    }
}

impl fmt::Display for ContentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for ContentId {
    type Err = LibraryError;

    fn from_str(text: &str) -> Result<Self, LibraryError> {
        let is_address = text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if is_address { Ok(Self(text.to_owned())) } else { Err(LibraryError::NoContentId) }
    }
}

impl TryFrom<String> for ContentId {
    type Error = LibraryError;

    fn try_from(text: String) -> Result<Self, LibraryError> {
        text.parse()
    }
}

impl From<ContentId> for String {
    fn from(id: ContentId) -> Self {
        id.0
    }
}

/// Bytes as lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).filter_map(|half| DIGITS.get(usize::from(half))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_the_common_digest() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(ContentId::of(b"abc").as_str(), expected);
        assert!(expected.parse::<ContentId>().is_ok());
        for bad in ["", "abc", &expected.to_uppercase(), &expected[1..]] {
            assert!(bad.parse::<ContentId>().is_err(), "{bad}");
        }
    }
}
