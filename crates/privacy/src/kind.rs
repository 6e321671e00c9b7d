//! What a private value is, and which tier it belongs to.

use std::fmt;
use std::str::FromStr;

/// The kind of a private value, as it stands in its placeholder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A person's name.
    Person,
    /// A postal address, or a part of one.
    Address,
    /// A telephone number.
    Phone,
    /// A mail address.
    Email,
    /// A social security number.
    Ssn,
    /// A payment card number.
    Card,
    /// A bank account, routing or card-like account number.
    Account,
    /// A date of birth.
    Dob,
    /// A personal identifier: passport, licence, patient or member number.
    Id,
    /// A credential: key, token, password, private key.
    Secret,
    /// Private without a closer name.
    Pii,
}

/// The three tiers of disclosure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Names, addresses, telephone numbers, mail: opened by the user when wanted.
    Identity,
    /// Numbers that identify: cards, accounts, dates of birth.
    Numbers,
    /// Credentials, which are never opened.
    Secrets,
}

impl Kind {
    /// Every kind, in the order of their names in the documents.
    pub const ALL: [Self; 11] = [
        Self::Person,
        Self::Address,
        Self::Phone,
        Self::Email,
        Self::Ssn,
        Self::Card,
        Self::Account,
        Self::Dob,
        Self::Id,
        Self::Secret,
        Self::Pii,
    ];

    /// The word in the placeholder.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Person => "PERSON",
            Self::Address => "ADDRESS",
            Self::Phone => "PHONE",
            Self::Email => "EMAIL",
            Self::Ssn => "SSN",
            Self::Card => "CARD",
            Self::Account => "ACCOUNT",
            Self::Dob => "DOB",
            Self::Id => "ID",
            Self::Secret => "SECRET",
            Self::Pii => "PII",
        }
    }

    /// The kind with this name in any case; an unknown name is [`Kind::Pii`].
    pub fn from_name(name: &str) -> Self {
        name.trim().parse().unwrap_or(Self::Pii)
    }

    /// The tier that opens or hides this kind.
    pub fn tier(self) -> Tier {
        match self {
            Self::Secret => Tier::Secrets,
            Self::Ssn | Self::Card | Self::Account | Self::Dob | Self::Id => Tier::Numbers,
            Self::Person | Self::Address | Self::Email | Self::Phone | Self::Pii => Tier::Identity,
        }
    }
}

/// A name that is no kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a kind of private value")]
pub struct UnknownKind;

impl FromStr for Kind {
    type Err = UnknownKind;

    fn from_str(name: &str) -> Result<Self, UnknownKind> {
        Self::ALL.into_iter().find(|kind| kind.as_str().eq_ignore_ascii_case(name)).ok_or(UnknownKind)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
