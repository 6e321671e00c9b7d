//! What was found.

use crate::label::Label;

/// What an entity is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntityKind {
    /// The name of a person, or a part of it.
    Person,
    /// An address, or the part of one that leads to a door.
    Address,
    /// A town, state or region that stands alone. It says where, and not who.
    Place,
    /// A telephone number.
    Phone,
    /// A mail address.
    Email,
    /// The number of a bank or of an account there.
    Account,
    /// A number of the tax office or of social security.
    TaxId,
    /// Any other number that an authority gave: passport, licence, register.
    Id,
}

impl EntityKind {
    /// Every kind.
    pub const ALL: [Self; 8] =
        [Self::Person, Self::Address, Self::Place, Self::Phone, Self::Email, Self::Account, Self::TaxId, Self::Id];
}

impl EntityKind {
    /// The kind of a label. A web address says nothing about anybody.
    pub(crate) fn of(label: Label) -> Option<Self> {
        let kind = match label {
            Label::GivenName | Label::Surname => Self::Person,
            Label::BuildingNumber
            | Label::StreetName
            | Label::SecondaryAddress
            | Label::City
            | Label::State
            | Label::ZipCode => Self::Address,
            Label::Phone => Self::Phone,
            Label::Email => Self::Email,
            Label::Url => return None,
            Label::BankAccount | Label::RoutingNumber => Self::Account,
            Label::TaxId => Self::TaxId,
            Label::GovernmentId | Label::Passport | Label::DriversLicense => Self::Id,
        };
        Some(kind)
    }
}

/// A range of a text that says who somebody is or where to find them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entity {
    /// Its first byte, at the start of a character.
    pub start: usize,
    /// The byte behind its last one, at the end of a character.
    pub end: usize,
    /// What it is.
    pub kind: EntityKind,
    /// How sure the model is, from 0 to 1: the mean over its words.
    pub score: f32,
}
