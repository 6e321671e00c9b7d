//! What a scrub reports about each value that it hid.

use std::borrow::Cow;

use crate::kind::Kind;

/// A value that was hidden, without the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What stands in its place.
    pub placeholder: String,
    /// Its kind.
    pub kind: Kind,
    /// The recogniser that found it.
    pub rule: Cow<'static, str>,
    /// Its first byte in the text that was given.
    pub start: usize,
    /// The byte behind its last one.
    pub end: usize,
}
