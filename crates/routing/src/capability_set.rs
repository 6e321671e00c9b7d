//! A set of capabilities that is copied, not allocated.

use std::fmt;

use lwa_domain::Capability;

/// A set of capabilities, one bit each.
///
/// A refusal carries one, and there may be thousands of refusals in a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CapabilitySet(u16);

impl CapabilitySet {
    /// The members in canonical order.
    pub fn iter(self) -> impl Iterator<Item = Capability> {
        Capability::ALL.iter().copied().filter(move |capability| self.contains(*capability))
    }

    /// Whether nothing is in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether `capability` is in the set.
    pub const fn contains(self, capability: Capability) -> bool {
        self.0 & Self::bit(capability) != 0
    }

    /// What is in either set.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What is in this set and not in `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    const fn bit(capability: Capability) -> u16 {
        1 << capability as u16
    }
}

impl FromIterator<Capability> for CapabilitySet {
    fn from_iter<I: IntoIterator<Item = Capability>>(capabilities: I) -> Self {
        Self(capabilities.into_iter().fold(0, |bits, capability| bits | Self::bit(capability)))
    }
}

impl<'a> FromIterator<&'a Capability> for CapabilitySet {
    fn from_iter<I: IntoIterator<Item = &'a Capability>>(capabilities: I) -> Self {
        capabilities.into_iter().copied().collect()
    }
}

/// The labels, joined by `+`.
impl fmt::Display for CapabilitySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, capability) in self.iter().enumerate() {
            let separator = if index == 0 { "" } else { "+" };
            write!(f, "{separator}{capability}")?;
        }
        Ok(())
    }
}
