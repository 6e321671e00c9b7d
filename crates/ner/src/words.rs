//! Words that are ordinary language, and small words inside names and addresses.

use std::collections::HashSet;
use std::sync::LazyLock;

type Words = LazyLock<HashSet<&'static str>>;

static ORDINARY: Words = LazyLock::new(|| include_str!("words/ordinary.txt").split_whitespace().collect());
static STREETS: Words = LazyLock::new(|| include_str!("words/streets.txt").split_whitespace().collect());

/// Words in small letters between the parts of a name.
const PARTICLES: &[&str] = &[
    "abu", "af", "al", "av", "bin", "bint", "da", "das", "de", "del", "della", "den", "der", "di", "do", "dos", "du",
    "e", "el", "ibn", "la", "le", "ter", "van", "vom", "von", "y", "zu", "zum", "zur",
];

/// Words in front of a name, an address or a number that is private.
const ANNOUNCEMENTS: &[&str] = &[
    "account",
    "addr",
    "address",
    "attn",
    "author",
    "bank",
    "billing",
    "birth",
    "born",
    "box",
    "by",
    "call",
    "called",
    "card",
    "cardholder",
    "cell",
    "city",
    "client",
    "contact",
    "customer",
    "dear",
    "doctor",
    "dr",
    "driver",
    "email",
    "employee",
    "fax",
    "firstname",
    "for",
    "from",
    "guest",
    "hello",
    "herr",
    "frau",
    "hey",
    "hi",
    "iban",
    "id",
    "insurance",
    "lastname",
    "licence",
    "license",
    "mail",
    "met",
    "miss",
    "mobile",
    "mr",
    "mrs",
    "ms",
    "name",
    "named",
    "nurse",
    "owner",
    "passport",
    "patient",
    "phone",
    "postal",
    "prof",
    "reporter",
    "reviewer",
    "routing",
    "sincerely",
    "ssn",
    "state",
    "street",
    "student",
    "surname",
    "tax",
    "tel",
    "telephone",
    "tenant",
    "thanks",
    "user",
    "username",
    "with",
    "zip",
];

/// Words in front of the number of a flat, a box or a unit, and those around them.
const UNITS: &[&str] =
    &["apartment", "apt", "box", "flat", "floor", "no", "o", "p", "po", "psc", "room", "rm", "ste", "suite", "unit"];

/// Words behind a name that belong to it.
const SUFFIXES: &[&str] = &["dds", "dvm", "esq", "ii", "iii", "iv", "jr", "md", "phd", "sr"];

fn is_in(words: &Words, word: &str) -> bool {
    words.contains(word) || words.contains(word.to_lowercase().as_str())
}

/// A word that is no name when it stands alone: ordinary or technical language, a month, a day.
pub(crate) fn is_ordinary(word: &str) -> bool {
    is_in(&ORDINARY, word)
}

/// A word that announces a name, an address or a private number.
pub(crate) fn is_announcement(word: &str) -> bool {
    let mut buffer = [0; 12];
    let Some(lower) = buffer.get_mut(..word.len()) else { return false };
    lower.copy_from_slice(word.as_bytes());
    lower.make_ascii_lowercase();
    ANNOUNCEMENTS.iter().any(|known| known.as_bytes() == lower)
}

/// The last word of a street's name.
pub(crate) fn is_street(word: &str) -> bool {
    is_in(&STREETS, word)
}

/// A small word that belongs to the name around it.
pub(crate) fn is_particle(word: &str) -> bool {
    PARTICLES.contains(&word)
}

/// A word in front of the number of a flat, a box or a unit.
pub(crate) fn is_unit(word: &str) -> bool {
    UNITS.iter().any(|unit| unit.eq_ignore_ascii_case(word))
}

/// A word behind a name that belongs to it.
pub(crate) fn is_suffix(word: &str) -> bool {
    SUFFIXES.iter().any(|suffix| suffix.eq_ignore_ascii_case(word))
}
