//! What makes two spellings the same value, and which other spellings give a value away.

use crate::identity::{Date, is_common, is_street_type, name_parts};
use crate::kind::Kind;
use crate::shadow::Shadow;
use crate::values::{Edges, Spelling};

/// A spelling by which a value is recognised.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Alias {
    pub text: String,
    pub spelling: Spelling,
}

fn letters_and_digits(text: &str) -> String {
    text.chars().filter(|character| character.is_alphanumeric()).collect()
}

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// The same for every spelling of one value of a kind.
pub(crate) fn key(kind: Kind, value: &str) -> String {
    let shadow = Shadow::of(value);
    let folded = shadow.text().trim().to_lowercase();
    match kind {
        Kind::Secret | Kind::Pii => value.trim().to_owned(),
        Kind::Email => email_key(&folded),
        Kind::Phone => phone_key(&folded),
        Kind::Ssn | Kind::Card => digits(&folded),
        Kind::Account | Kind::Id | Kind::Address => letters_and_digits(&folded),
        Kind::Person => person_key(&folded),
        Kind::Dob => match Date::readings(&folded).first() {
            Some(date) => format!("{:04}-{:02}-{:02}", date.year, date.month, date.day),
            None => folded,
        },
    }
}

fn email_key(folded: &str) -> String {
    if folded.contains('@') && !folded.contains(' ') {
        return folded.to_owned();
    }
    let plain = folded.replace("%40", "@");
    let words: Vec<&str> = plain
        .split(|character: char| character.is_whitespace() || "()[]{}".contains(character))
        .filter(|word| !word.is_empty())
        .collect();
    words
        .iter()
        .map(|word| match *word {
            "at" => "@",
            "dot" => ".",
            other => other,
        })
        .collect()
}

fn phone_key(folded: &str) -> String {
    let digits = digits(folded);
    let international = digits.strip_prefix("00").unwrap_or(&digits);
    match international.strip_prefix('1') {
        Some(national) if national.len() == 10 => national.to_owned(),
        _ => international.to_owned(),
    }
}

fn person_key(folded: &str) -> String {
    let ordered = match folded.split_once(',') {
        Some((last, first)) => format!("{first} {last}"),
        None => folded.to_owned(),
    };
    ordered.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Every spelling under which a value is looked for in a text.
pub(crate) fn aliases(kind: Kind, value: &str) -> Vec<Alias> {
    let shadow = Shadow::of(value);
    let folded = shadow.text().trim();
    let folded = if kind == Kind::Secret { key_material(folded) } else { folded };
    let rank = kind.tier() as u8;
    let mut aliases = Vec::new();
    let mut add = |text: &str, edges: Edges| {
        // `Faro, Ines` is a name, `Faro - ines@…` are two values.
        let ignores_gaps = kind != Kind::Person || !text.contains(',');
        let spelling = Spelling { ignores_gaps, ..Spelling::new(edges, rank) };
        aliases.push(Alias { text: text.to_owned(), spelling });
    };
    match kind {
        Kind::Secret => {
            // A short one is one as a whole word alone.
            let edges = |text: &str| {
                let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
                if text.len() < 6 || (is_number && text.len() < 12) { Edges::Word } else { Edges::Free }
            };
            add(folded, edges(folded));
            let core = folded.trim_end_matches(['!', '?']);
            if core.len() < folded.len() && core.len() >= 6 {
                add(core, edges(core));
            }
            if let Some(escaped) = json_escaped(folded) {
                add(&escaped, edges(&escaped));
            }
        }
        Kind::Person => {
            add(folded, Edges::Word);
            for part in name_parts(folded) {
                add(part, Edges::Word);
            }
            person_forms(folded, &mut add);
        }
        Kind::Address => {
            add(folded, Edges::Word);
            address_parts(folded, &mut add);
        }
        Kind::Email => {
            let local = folded.find('@').filter(|at| *at > 0).unwrap_or(folded.len());
            // The domain alone says nothing about the person.
            aliases.push(Alias {
                text: folded.to_owned(),
                spelling: Spelling { public_from: local, ..Spelling::new(Edges::Word, rank) },
            });
            if let Some((local, domain)) = folded.split_once('@') {
                let spelled = format!("{local} at {}", domain.replace('.', " dot "));
                let public_from = local.len();
                aliases.push(Alias {
                    text: spelled,
                    spelling: Spelling { public_from, ..Spelling::new(Edges::Word, rank) },
                });
            }
        }
        Kind::Phone => {
            add(folded, Edges::Word);
            let national = phone_key(folded);
            if national.len() == 10 {
                add(&format!("1{national}"), Edges::Word);
                add(&format!("001{national}"), Edges::Word);
            }
            if folded.starts_with('+') {
                add(&format!("00{national}"), Edges::Word);
            }
            add(&national, Edges::Word);
        }
        Kind::Dob => {
            add(folded, Edges::Word);
            for date in Date::readings(&folded.to_lowercase()) {
                for text in date.spellings() {
                    add(&text, Edges::Word);
                }
            }
        }
        Kind::Ssn | Kind::Card | Kind::Account | Kind::Id => {
            add(folded, Edges::Word);
            add(&letters_and_digits(folded), Edges::Word);
        }
        Kind::Pii => add(folded, Edges::Word),
    }
    if kind == Kind::Secret && folded.len() >= 8 {
        // Backwards it is looked for as it stands, which halves the work of taking a value in.
        let text = folded.chars().rev().collect();
        aliases.push(Alias { text, spelling: Spelling { ignores_gaps: false, ..Spelling::new(Edges::Free, rank) } });
    }
    aliases
}

/// What is secret in a key block: the lines between its header and its end.
///
/// The words of both are the same in every block, so fragments of them are no leaks; with the first letter of a body
/// they would hide the first letters of whatever follows another block.
fn key_material(value: &str) -> &str {
    const MARK: &str = "-----";
    let body = value.strip_prefix(MARK).filter(|rest| rest.starts_with("BEGIN ")).and_then(|rest| {
        let body = &rest[rest.find(MARK)? + MARK.len()..];
        Some(body.find(MARK).map_or(body, |end| &body[..end]).trim())
    });
    body.filter(|body| !body.is_empty()).unwrap_or(value)
}

/// The spellings of a name as a whole.
pub(crate) fn whole_name(name: &str) -> Vec<String> {
    let shadow = Shadow::of(name);
    let folded = shadow.text().trim().to_owned();
    let mut names = vec![folded.clone()];
    person_forms(&folded, &mut |text, _| names.push(text.to_owned()));
    names
}

/// The value as it stands inside a JSON string, when that differs.
fn json_escaped(value: &str) -> Option<String> {
    let escaped: String = value
        .chars()
        .map(|character| match character {
            '"' => "\\\"".to_owned(),
            '\\' => "\\\\".to_owned(),
            '\n' => "\\n".to_owned(),
            '\r' => "\\r".to_owned(),
            '\t' => "\\t".to_owned(),
            '/' => "\\/".to_owned(),
            other => other.to_string(),
        })
        .collect();
    (escaped != value).then_some(escaped)
}

/// `Last, First`, and an initial in the middle.
fn person_forms(name: &str, add: &mut impl FnMut(&str, Edges)) {
    let words: Vec<&str> = name.split_whitespace().collect();
    let [first, .., last] = words.as_slice() else { return };
    add(&format!("{last}, {first}"), Edges::Word);
    if let [first, last] = words.as_slice() {
        for initial in 'a'..='z' {
            add(&format!("{first} {initial}. {last}"), Edges::Word);
        }
    }
}

/// Street types and what people shorten them to.
const SHORT_FORMS: &[(&str, &str)] = &[
    ("street", "st"),
    ("road", "rd"),
    ("avenue", "ave"),
    ("boulevard", "blvd"),
    ("drive", "dr"),
    ("lane", "ln"),
    ("court", "ct"),
    ("place", "pl"),
    ("square", "sq"),
    ("terrace", "ter"),
    ("highway", "hwy"),
    ("parkway", "pkwy"),
    ("circle", "cir"),
    ("apartment", "apt"),
    ("suite", "ste"),
    ("building", "bldg"),
    ("floor", "fl"),
    ("north", "n"),
    ("south", "s"),
    ("east", "e"),
    ("west", "w"),
    ("northeast", "ne"),
    ("northwest", "nw"),
    ("southeast", "se"),
    ("southwest", "sw"),
    ("quay", "qy"),
    ("crescent", "cres"),
];

/// The parts of an address that lead to it by themselves, and its shorter and longer forms.
fn address_parts(address: &str, add: &mut impl FnMut(&str, Edges)) {
    let words: Vec<String> =
        address.split_whitespace().map(|word| word.trim_matches([',', '.']).to_lowercase()).collect();
    let shortened = |shorten: bool| -> Vec<String> {
        words
            .iter()
            .map(|word| {
                let form = SHORT_FORMS.iter().find(|(long, short)| if shorten { long == word } else { short == word });
                form.map_or_else(|| word.clone(), |(long, short)| if shorten { short } else { long }.to_string())
            })
            .collect()
    };
    for form in [shortened(true), shortened(false)] {
        if form != words {
            add(&form.join(" "), Edges::Word);
        }
    }
    for (index, part) in address.split([',', '\n']).map(str::trim).enumerate() {
        let names: Vec<&str> = part
            .split_whitespace()
            .filter(|word| word.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'\''))
            .collect();
        let is_street = index == 0 && names.last().is_some_and(|word| is_street_type(word));
        if is_street && part != address {
            add(part, Edges::Word);
        }
        if is_street && names.len() >= 2 {
            add(&names.join(" "), Edges::Word);
        }
        let is_city = index > 0 && names.len() == part.split_whitespace().count() && part.len() >= 4;
        if is_city && !names.iter().all(|word| is_common(word)) {
            add(part, Edges::Word);
        }
    }
}
