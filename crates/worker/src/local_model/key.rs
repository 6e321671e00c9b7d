//! The key of a local server.

use std::fmt;

use reqwest::header::HeaderValue;
use zeroize::Zeroizing;

/// A key, wiped when it is dropped and never printed.
#[derive(Clone)]
pub struct Key(Zeroizing<String>);

impl Key {
    /// A key without the white space that a file leaves around it; none if nothing is left.
    #[expect(clippy::needless_pass_by_value, reason = "the copy of the caller is wiped with this call")]
    pub fn new(text: Zeroizing<String>) -> Option<Self> {
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return None;
        }
        Some(Self(Zeroizing::new(trimmed.to_owned())))
    }

    /// The header, marked so that no layer prints it; none if the key cannot stand in one.
    pub(super) fn header(&self) -> Option<HeaderValue> {
        let text = Zeroizing::new(format!("Bearer {}", self.0.as_str()));
        let mut value = HeaderValue::from_str(&text).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(set)")
    }
}
