//! The stand-ins that leave in place of values: `[KIND-n]`.

use std::fmt;

use crate::kind::Kind;

/// A stand-in for one value: its kind and a number from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Placeholder {
    /// The kind of the value.
    pub kind: Kind,
    /// The number within the kind, from 1.
    pub number: u32,
}

impl Placeholder {
    /// Reads the exact form `[KIND-n]`, as this product writes it.
    pub fn parse(text: &str) -> Option<Self> {
        let inner = text.strip_prefix('[')?.strip_suffix(']')?;
        let (kind, number) = inner.rsplit_once('-')?;
        let is_plain = !number.starts_with('0') && number.bytes().all(|byte| byte.is_ascii_digit());
        let kind = Kind::ALL.into_iter().find(|candidate| candidate.as_str() == kind)?;
        if is_plain { Some(Self { kind, number: number.parse().ok()? }) } else { None }
    }
}

impl fmt::Display for Placeholder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}-{}]", self.kind, self.number)
    }
}

/// The longest exact placeholder: `[ADDRESS-4294967295]`.
const LONGEST: usize = 20;

/// The placeholders that stand in a text in their exact form, with their byte ranges.
pub(crate) fn literal(text: &str) -> impl Iterator<Item = (usize, usize, Placeholder)> + '_ {
    memchr::memchr_iter(b'[', text.as_bytes()).filter_map(|start| {
        // Most brackets are those of code, and no kind begins with what follows them.
        text.as_bytes().get(start + 1).filter(|byte| byte.is_ascii_uppercase())?;
        let window = &text.as_bytes()[start..text.len().min(start + LONGEST)];
        let end = start + memchr::memchr(b']', window)? + 1;
        Some((start, end, Placeholder::parse(text.get(start..end)?)?))
    })
}
