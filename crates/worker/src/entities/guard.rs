//! What a model names goes into the vault only if hiding it cannot be used as a weapon.
//!
//! A hostile document can make a model name common words, so that every later answer is full of placeholders.

use std::collections::BTreeMap;
use std::net::IpAddr;

use lwa_privacy::{EntityRefusal, Kind, Placeholder, Scrubber, Vault};

use super::NamedValue;
use crate::outbound::is_own_words;

/// The longest value that is no credential.
const MOST_VALUE_CHARS: usize = 200;
/// The longest credential, which may be a block of lines.
const MOST_SECRET_CHARS: usize = 8_192;
/// A single word in lower case that occurs more often than this is a word of the text and not somebody's name.
const MOST_PLAIN_OCCURRENCES: usize = 12;

/// What became of the values of a pass.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Registered {
    /// Different values by kind that are in the vault now.
    pub counts: BTreeMap<Kind, usize>,
    /// How many were refused.
    pub refused: usize,
    /// How many were refused by the guards against values that would hide ordinary text.
    pub refused_as_ordinary: usize,
}

/// Takes the values of a pass into the vault, as far as they stand in the material and hiding them does no damage.
pub fn register_all(scrubber: &Scrubber, vault: &mut Vault, values: &[NamedValue], material: &str) -> Registered {
    let mut registered = Registered::default();
    let mut placeholders: Vec<Placeholder> = Vec::new();
    for NamedValue { kind, value } in values {
        let kind = Kind::from_name(kind);
        let value = value.trim();
        let result = if is_own_words(value) || is_harmful(kind, value, material) {
            Err(EntityRefusal::IsOrdinary)
        } else {
            scrubber.register_entity(vault, kind, value, material)
        };
        match result {
            Ok(placeholder) => placeholders.push(placeholder),
            Err(refusal) => {
                registered.refused += 1;
                registered.refused_as_ordinary += usize::from(refusal == EntityRefusal::IsOrdinary);
            }
        }
    }
    placeholders.sort_unstable();
    placeholders.dedup();
    for placeholder in placeholders {
        *registered.counts.entry(placeholder.kind).or_insert(0) += 1;
    }
    registered
}

/// Whether hiding a value would hide more than a value.
fn is_harmful(kind: Kind, value: &str, material: &str) -> bool {
    if !value.chars().any(char::is_alphanumeric) {
        return true;
    }
    if kind == Kind::Secret {
        return value.chars().count() > MOST_SECRET_CHARS || is_variable(value) || is_word_of(value, material);
    }
    let is_long = value.chars().count() > MOST_VALUE_CHARS || value.lines().count() > 4;
    is_long || is_technical(kind, value) || !stands_alone(value, material) || is_word_of(value, material)
}

/// `${TOKEN}`, `$TOKEN`, `%TOKEN%`: the name of a credential, not the credential.
fn is_variable(value: &str) -> bool {
    let name = value.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    let name = name.or_else(|| value.strip_prefix('%').and_then(|rest| rest.strip_suffix('%')));
    let name = name.or_else(|| value.strip_prefix('$'));
    name.is_some_and(|name| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
    })
}

/// Paths, links, addresses of a local network, versions and names of functions.
fn is_technical(kind: Kind, value: &str) -> bool {
    if value.starts_with('/') || value.starts_with("./") || value.starts_with("../") || value.starts_with("~/") {
        return true;
    }
    if value.ends_with("()") || (value.contains("::") && !value.contains(' ')) {
        return true;
    }
    if let Ok(address) = value.parse::<IpAddr>() {
        return match address {
            IpAddr::V4(four) => four.is_private() || four.is_loopback() || four.is_unspecified(),
            IpAddr::V6(six) => six.is_unique_local() || six.is_loopback() || six.is_unspecified(),
        };
    }
    let bare = value.strip_prefix(['v', 'V']).unwrap_or(value);
    let is_numbers = bare.contains('.') && bare.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let is_version = is_numbers && bare.len() < value.len();
    // Telephone numbers and dates are written with full stops as well.
    is_version
        || is_numbers && !matches!(kind, Kind::Phone | Kind::Dob | Kind::Account | Kind::Id | Kind::Ssn | Kind::Card)
}

/// Whether it stands somewhere as a word of its own, and not only inside longer ones.
fn stands_alone(value: &str, material: &str) -> bool {
    let is_edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    material.match_indices(value).any(|(at, _)| {
        is_edge(material[..at].chars().next_back()) && is_edge(material[at + value.len()..].chars().next())
    })
}

/// A single word in lower case that the text uses again and again.
fn is_word_of(value: &str, material: &str) -> bool {
    let is_plain = value.chars().all(char::is_lowercase);
    is_plain && material.match_indices(value).nth(MOST_PLAIN_OCCURRENCES).is_some()
}
