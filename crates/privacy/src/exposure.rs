//! What may leave in clear.

use crate::kind::{Kind, Tier};

/// Whether a tier is hidden or open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Visibility {
    /// Its values are replaced by placeholders.
    Masked,
    /// Its values leave as they are.
    Open,
}

/// What a scrub hides. Secrets are hidden always.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Exposure {
    identity: Visibility,
    numbers: Visibility,
    /// Long random words are hidden too.
    hides_random: bool,
}

impl Exposure {
    /// Mode `pii`: everything is hidden, long random words too.
    pub fn pii() -> Self {
        Self { identity: Visibility::Masked, numbers: Visibility::Masked, hides_random: true }
    }

    /// Mode `assist`, with what the human has opened.
    pub fn assist(identity: Visibility, numbers: Visibility) -> Self {
        Self { identity, numbers, hides_random: false }
    }

    /// Whether values of a kind are hidden.
    pub fn masks(self, kind: Kind) -> bool {
        match kind.tier() {
            Tier::Secrets => true,
            Tier::Numbers => self.numbers == Visibility::Masked,
            Tier::Identity => self.identity == Visibility::Masked,
        }
    }

    /// Whether secrets alone are hidden.
    pub fn masks_secrets_only(self) -> bool {
        self.identity == Visibility::Open && self.numbers == Visibility::Open
    }

    pub(crate) fn hides_random(self) -> bool {
        self.hides_random
    }

    /// The kinds that leave in clear.
    pub fn open_kinds(self) -> Vec<Kind> {
        Kind::ALL.into_iter().filter(|kind| !self.masks(*kind)).collect()
    }
}
