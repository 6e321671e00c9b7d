//! Names that become parts of paths and keys, and so may hold nothing but letters, digits and three signs.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The longest key of a session.
const MOST_KEY_CHARS: usize = 128;

/// The key of a conversation as clients, hooks and scripts give it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SessionKey(String);

/// A text that is no key of a session. The text itself is not repeated: it came from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a session key has 1 to {MOST_KEY_CHARS} letters, digits, `.`, `_` or `-`, and does not begin with `.` or `-`")]
pub struct InvalidSessionKey;

impl SessionKey {
    /// The key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for SessionKey {
    type Err = InvalidSessionKey;

    fn from_str(text: &str) -> Result<Self, InvalidSessionKey> {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        let is_valid =
            (1..=MOST_KEY_CHARS).contains(&text.len()) && text.bytes().all(is_allowed) && !text.starts_with(['.', '-']);
        if is_valid { Ok(Self(text.to_owned())) } else { Err(InvalidSessionKey) }
    }
}

impl TryFrom<String> for SessionKey {
    type Error = InvalidSessionKey;

    fn try_from(text: String) -> Result<Self, InvalidSessionKey> {
        text.parse()
    }
}

impl From<SessionKey> for String {
    fn from(key: SessionKey) -> Self {
        key.0
    }
}

impl fmt::Display for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A turn: `t_` and six hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TurnId(String);

/// A text that is no id of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a turn is `t_` and six hexadecimal digits")]
pub struct InvalidTurnId;

impl TurnId {
    /// The id of a new turn, from random bytes of the caller.
    pub fn from_random([a, b, c]: [u8; 3]) -> Self {
        Self(format!("t_{a:02x}{b:02x}{c:02x}"))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for TurnId {
    type Error = InvalidTurnId;

    fn try_from(text: String) -> Result<Self, InvalidTurnId> {
        let is_valid = text.strip_prefix("t_").is_some_and(|digits| is_lower_hex(digits, 6));
        if is_valid { Ok(Self(text)) } else { Err(InvalidTurnId) }
    }
}

impl From<TurnId> for String {
    fn from(id: TurnId) -> Self {
        id.0
    }
}

impl fmt::Display for TurnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether a text is so many hexadecimal digits in lower case.
pub(crate) fn is_lower_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
