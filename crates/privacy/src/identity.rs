//! Recognises people, places and the numbers that identify them.
//!
//! It reads a shadow, so accents are gone and look-alikes are plain letters.
//! Names are taken where a label, a title, a greeting or a mail header says that there is one; names in running text
//! are the business of other layers.

mod address;
mod date;
mod digits;
mod email;
mod labelled;
mod name;
mod network;
mod number;
mod person;
mod words;

use crate::edge;
use crate::hit::Hit;
use crate::kind::Kind;

pub(crate) use date::Date;
pub(crate) use digits::bare_phones;
pub(crate) use name::{is_name, is_particle, parts as name_parts};
pub(crate) use number::passes_luhn;
pub(crate) use words::{is_common, is_street_type};

/// What a word announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trigger {
    /// A title in front of a name.
    Honorific,
    /// A label in front of a name.
    NameLabel,
    /// A header of a mail or a commit.
    Header,
    /// A greeting.
    Greeting,
    /// A closing formula.
    SignOff,
    /// A label of a date of birth.
    Birth,
    /// A label of a social security number.
    SocialSecurity,
    /// A label of a bank account.
    Account,
    /// A label of a personal identifier.
    Id,
    /// A label of a coordinate.
    Coordinate,
    /// A post office box.
    Box,
    /// A street type that stands in front of or behind its name in other languages.
    Street,
    /// An at sign written out.
    SpelledMail,
    /// A label of a telephone number.
    PhoneLabel,
    /// A label of an identifier of one country.
    National,
    /// A label of a postal code.
    PostalCode,
}

/// The words of the gate, by what they announce.
pub(crate) const WORDS: &[(Trigger, &[&str])] = &[
    (
        Trigger::Honorific,
        &[
            "mr ",
            "mr.",
            "mrs ",
            "mrs.",
            "ms ",
            "ms.",
            "miss ",
            "mx ",
            "mx.",
            "dr ",
            "dr.",
            "prof ",
            "prof.",
            "professor ",
            "sir ",
            "dame ",
            "rev ",
            "rev.",
            "reverend ",
            "sgt ",
            "sgt.",
            "sergeant ",
            "capt ",
            "capt.",
            "captain ",
            "lt ",
            "lt.",
            "lieutenant ",
            "herr ",
            "frau ",
            "monsieur ",
            "madame ",
            "mme ",
            "senor ",
            "senora ",
            "sr. ",
            "sra. ",
            "srta. ",
            "judge ",
            "colonel ",
            "col. ",
            "maj. ",
        ],
    ),
    (
        Trigger::NameLabel,
        &[
            "name",
            "contact",
            "customer",
            "patient",
            "client",
            "tenant",
            "guest",
            "resident",
            "applicant",
            "employee",
            "student",
            "bride",
            "groom",
            "spouse",
            "partner",
            "parent",
            "guardian",
            "owner",
            "holder",
            "beneficiary",
            "sender",
            "recipient",
            "passenger",
            "driver",
            "attn",
            "attention",
            "assignee",
            "reporter",
            "reviewer",
            "cardholder",
            "next of kin",
            "signed by",
            "prepared by",
            "doctor",
            "nurse",
            "landlord",
            "candidate",
            "subscriber",
            "reported by",
            "reviewed by",
            "approved by",
            "written by",
            "submitted by",
            "requested by",
            "assigned to",
            "witness",
            "@author ",
            "vorname",
            "nachname",
            "prenom",
            "apellido",
            "apellidos",
            "cognome",
            "voornaam",
            "achternaam",
            "nom",
            "nombre",
            "nome",
            "naam",
            "navn",
            "namn",
            "imie",
            "nazwisko",
            "sobrenome",
            "soyad",
            "efternamn",
            "fornamn",
            "etternavn",
            "fornavn",
            "insured",
            "claimant",
            "manager",
        ],
    ),
    (
        Trigger::Header,
        &["from:", "to:", "cc:", "author:", "committer:", "-by:", "tagger:", "maintainer:", "organizer:", "attendee:"],
    ),
    (
        Trigger::Greeting,
        &[
            "dear ",
            "hi ",
            "hello ",
            "hey ",
            "good morning ",
            "good afternoon ",
            "good evening ",
            "greetings ",
            "lieber ",
            "liebe ",
            "hallo ",
            "bonjour ",
            "chere ",
            "cher ",
            "estimada ",
            "estimado ",
            "querida ",
            "querido ",
            "hola ",
            "ciao ",
            "caro ",
            "cara ",
            "beste ",
            "hej ",
        ],
    ),
    (
        Trigger::SignOff,
        &[
            "regards",
            "thanks",
            "thank you",
            "cheers",
            "best",
            "yours",
            "love",
            "take care",
            "sincerely",
            "wishes",
            "grussen",
            "grusse",
            "gruss",
            "cordialement",
            "salutations",
            "saludos",
            "atentamente",
            "saluti",
            "groeten",
            "halsningar",
            "abracos",
        ],
    ),
    (
        Trigger::Birth,
        &[
            "dob",
            "d.o.b",
            "d/o/b",
            "birth",
            "born",
            "bday",
            "geburtsdatum",
            "geburtstag",
            "geboren",
            "geb. ",
            "ne le ",
            "ne(e) le ",
            "nee le ",
            "naissance",
            "nacimiento",
            "nascita",
            "nascimento",
            "geboortedatum",
            "nacido el ",
            "nacida el ",
            "urodzenia",
            "fodselsdato",
            "fodelsedatum",
        ],
    ),
    (Trigger::SocialSecurity, &["ssn", "social security"]),
    (
        Trigger::Account,
        &[
            "account",
            "acct",
            "routing",
            "swift",
            "iban",
            "bic",
            "sort code",
            "sort-code",
            "sort_code",
            "sortcode",
            "card",
            "bsb",
        ],
    ),
    (
        Trigger::Id,
        &[
            "passport",
            "licence",
            "license",
            "national id",
            "national insurance",
            "national_id",
            "ni number",
            "nino",
            "nhs",
            "medicare",
            "medicaid",
            "tax id",
            "tax_id",
            "taxpayer",
            "itin",
            "tin:",
            "member",
            "policy",
            "claim",
            "employee",
            "student",
            "patient",
            "mrn",
            "vin",
            "personal id",
            "identity card",
            "voter",
            "social insurance",
            "medical record",
            "personnummer",
            "steuer-id",
            "bsn",
        ],
    ),
    (Trigger::Coordinate, &["lat", "lon", "lng", "coord", "gps", "geo", "location", "position"]),
    (
        Trigger::Box,
        &[" box ", "box:", "postfach ", "postbus ", "apartado ", "boite postale ", "casella postale ", "caixa postal "],
    ),
    (
        Trigger::Street,
        &[
            "strasse",
            "str. ",
            "weg ",
            "allee",
            "platz ",
            "gasse",
            "straat",
            "gatan",
            "vagen",
            "calle ",
            "via ",
            "rua ",
            "avenida ",
            "rue ",
            "boulevard ",
            "avenue ",
            "piazza ",
            "laan ",
            "ul. ",
        ],
    ),
    (Trigger::SpelledMail, &[" dot ", "(dot)", "[dot]", "{dot}", " at ", "(at)", "[at]", "{at}", "<at>"]),
    (
        Trigger::PhoneLabel,
        &[
            "phone",
            "mobile",
            "cell",
            "tel:",
            "tel.",
            "tel ",
            "fax",
            "whatsapp",
            "call ",
            "sms",
            "ring ",
            "telefon",
            "telefono",
            "handy:",
            "contact number",
            "contact no",
        ],
    ),
    (Trigger::PostalCode, &["zip", "postcode", "postal", "plz:"]),
    (Trigger::National, &labelled::NATIONAL_LABELS),
];

/// Nothing that leads to a person is longer than a mail address can be.
const LONGEST: usize = 320;

/// The state of one reading.
pub(crate) struct Reading<'t> {
    text: &'t str,
    bytes: &'t [u8],
    hits: Vec<Hit>,
    /// Labels of names that end before here have been read.
    labels_done: usize,
    /// Labels of numbers that end before here have been read.
    numbers_done: usize,
}

impl<'t> Reading<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, bytes: text.as_bytes(), hits: Vec::new(), labels_done: 0, numbers_done: 0 }
    }

    /// At a word of the gate.
    pub(crate) fn word(&mut self, trigger: Trigger, start: usize, end: usize) {
        match trigger {
            Trigger::Honorific => self.honorific(start, end),
            Trigger::NameLabel => self.name_label(start, end),
            Trigger::Header => self.header(start, end),
            Trigger::Greeting => self.greeting(start, end),
            Trigger::SignOff => self.sign_off(start, end),
            Trigger::Birth => self.birth(start, end),
            Trigger::SocialSecurity => self.social_security(start, end),
            Trigger::Account => self.account(start, end),
            Trigger::Id => self.id(start, end),
            Trigger::Coordinate => self.coordinate(start, end),
            Trigger::Box => self.post_box(start, end),
            Trigger::Street => self.foreign_street(start, end),
            Trigger::SpelledMail => self.spelled_mail(start, end),
            Trigger::PhoneLabel => self.phone_label(start, end),
            Trigger::National => self.national_id(start, end),
            Trigger::PostalCode => self.postal_code(start, end),
        }
    }

    /// What needs no word: at signs, digits, hardware addresses.
    pub(crate) fn finish(mut self) -> Vec<Hit> {
        self.emails();
        self.machines();
        self.digits();
        self.hits
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    fn before(&self, at: usize) -> Option<u8> {
        edge::before(self.bytes, at)
    }

    /// How many bytes from a place on satisfy a test, as far as anything of a person goes.
    fn run(&self, from: usize, test: impl Fn(u8) -> bool) -> usize {
        self.run_within(from, LONGEST, test)
    }

    /// The same up to a limit, which keeps a reader that is called often from going over a long run each time.
    fn run_within(&self, from: usize, most: usize, test: impl Fn(u8) -> bool) -> usize {
        self.bytes.get(from..).unwrap_or_default().iter().take(most).take_while(|&&byte| test(byte)).count()
    }

    fn blanks(&self, from: usize) -> usize {
        self.run(from, |byte| byte == b' ' || byte == b'\t')
    }

    fn line_end(&self, from: usize) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        let end = memchr::memchr(b'\n', rest).map_or(self.bytes.len(), |found| from + found);
        if end > from && self.byte(end - 1) == Some(b'\r') { end - 1 } else { end }
    }

    /// Whether a place stands at the start of its line, behind blanks, quotes and list marks.
    fn starts_line(&self, at: usize) -> bool {
        const MARGIN: usize = 32;
        let margin = self.bytes.get(at.saturating_sub(MARGIN)..at).unwrap_or_default();
        let marks = margin.iter().rev().take_while(|&&byte| b" \t>*|-\"'#".contains(&byte)).count();
        let before = at - marks;
        before == 0 || matches!(self.byte(before - 1), Some(b'\n' | b'\r')) || self.bytes[..before].ends_with(b"\\n")
    }

    /// A word starts here.
    fn is_word_start(&self, at: usize) -> bool {
        self.before(at).is_none_or(|byte| !byte.is_ascii_alphanumeric() && byte < 0x80)
    }

    fn push(&mut self, start: usize, end: usize, kind: Kind, rule: &'static str) {
        self.hits.push(Hit::new(start, end, kind, rule));
    }
}
