//! What the network says about a piece.

/// What a word is, as the network names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// The first name of a person.
    GivenName,
    /// The family name of a person.
    Surname,
    /// A mail address.
    Email,
    /// A telephone number.
    Phone,
    /// A web address.
    Url,
    /// A number of the tax office, or one that serves as such.
    TaxId,
    /// A bank account.
    BankAccount,
    /// The number of a bank.
    RoutingNumber,
    /// A number that an authority gave.
    GovernmentId,
    /// A passport.
    Passport,
    /// A driving licence.
    DriversLicense,
    /// The number of a house.
    BuildingNumber,
    /// A street.
    StreetName,
    /// A flat, a floor, a box.
    SecondaryAddress,
    /// A town.
    City,
    /// A state or region.
    State,
    /// A postal code.
    ZipCode,
}

impl Label {
    /// Every label, in the order of the network's outputs.
    pub const ALL: [Self; 17] = [
        Self::GivenName,
        Self::Surname,
        Self::Email,
        Self::Phone,
        Self::Url,
        Self::TaxId,
        Self::BankAccount,
        Self::RoutingNumber,
        Self::GovernmentId,
        Self::Passport,
        Self::DriversLicense,
        Self::BuildingNumber,
        Self::StreetName,
        Self::SecondaryAddress,
        Self::City,
        Self::State,
        Self::ZipCode,
    ];
}
