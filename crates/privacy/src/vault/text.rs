//! A private text as the key of a map, wiped when the map goes.

use std::borrow::Borrow;
use std::hash::{Hash, Hasher};

use zeroize::Zeroizing;

/// Hashes and compares as its text.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct PrivateText(Zeroizing<String>);

impl PrivateText {
    pub(super) fn new(text: &str) -> Self {
        Self(Zeroizing::new(text.to_owned()))
    }
}

impl Hash for PrivateText {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.as_str().hash(state);
    }
}

impl Borrow<str> for PrivateText {
    fn borrow(&self) -> &str {
        &self.0
    }
}
