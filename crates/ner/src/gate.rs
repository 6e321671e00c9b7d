//! Which lines can hold an identity at all. Most lines of tool output cannot, and need not be read.
//!
//! It looks for a word that may be a name, for a number that may be one of a telephone, and for words that announce
//! either. When in doubt a line is read: what it lets through costs time, and what it leaves out is not looked at again.

use crate::words::{is_announcement, is_ordinary, is_street};

/// Digits of the shortest telephone number that is written with marks.
const LEAST_PHONE_DIGITS: usize = 7;
/// The longest number of a house.
const LONGEST_HOUSE_NUMBER: usize = 5;
/// Digits of the shortest number that an announcement makes private.
const LEAST_ANNOUNCED_DIGITS: usize = 4;

/// What stands before a capital inside of a name.
const NAME_HUMPS: &[&str] = &[
    "Da", "De", "Del", "Den", "Der", "Di", "Du", "Fitz", "La", "Las", "Le", "Lo", "Los", "Mac", "Mc", "St", "Van",
    "Von",
];

/// Words between an announcement and what it announces.
const LINKS: &[&str] = &["a", "an", "is", "of", "s", "the", "this", "to", "was"];

/// What stood in front of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Before {
    #[default]
    Nothing,
    /// A word that may be a part of a name without a capital.
    Unknown,
    /// A word that may be a part of a name in capitals.
    Capitals,
    /// A word that announces a name.
    Announcement,
    /// A number that may be one of a house.
    Number,
}

/// What the words of a line showed so far.
#[derive(Default)]
struct Line {
    before: Before,
    /// A word announced an identity.
    is_announced: bool,
    /// There is a number that an announcement would make private.
    has_number: bool,
    /// Digits of the number that is going on, over blanks.
    phone_digits: usize,
    has_phone_mark: bool,
}

/// Whether the model should read a line.
pub(crate) fn can_hold_identity(line: &str) -> bool {
    let mut state = Line::default();
    line.split_whitespace().any(|token| state.token(token))
        || (state.is_announced && state.has_number)
        || state.ends_phone()
}

impl Line {
    fn token(&mut self, token: &str) -> bool {
        if token.contains('@') && token.bytes().filter(u8::is_ascii_alphabetic).count() > 2 {
            return true;
        }
        if self.number(token) {
            return true;
        }
        if is_address_of_machine(token) {
            self.before = Before::Nothing;
            return false;
        }
        let parts = token.split(['=', ':', ',', ';', '"', '|', '<', '>', '[', ']', '{', '}', '!', '?', '*', '`']);
        for part in parts {
            let core = part.trim_matches(|mark: char| !mark.is_alphanumeric());
            if core.is_empty() {
                continue;
            }
            let before = std::mem::take(&mut self.before);
            // A call, a path, an identifier: its words are not read.
            if !is_technical(core) && !part.contains("()") && self.word(core, before) {
                return true;
            }
        }
        if token.ends_with(['.', ',', ';', ':', '!', '?']) && matches!(self.before, Before::Unknown | Before::Capitals)
        {
            self.before = Before::Nothing;
        }
        false
    }

    /// Takes a word; returns whether it may be a part of a name or address.
    fn word(&mut self, word: &str, before: Before) -> bool {
        let letters = word.chars().filter(|character| character.is_alphabetic()).count();
        if letters == 0 {
            self.before = if word.len() <= LONGEST_HOUSE_NUMBER { Before::Number } else { Before::Nothing };
            return false;
        }
        if word.chars().any(|character| character.is_alphabetic() && !character.is_ascii()) {
            return true;
        }
        if is_announcement(word) {
            self.is_announced = true;
            self.before = Before::Announcement;
            return false;
        }
        if is_street(word) && before == Before::Number {
            return true;
        }
        if letters < 2 || is_ordinary(word) {
            // `my name is mirela`
            let is_link = LINKS.iter().any(|link| link.eq_ignore_ascii_case(word));
            self.before = if is_link && before == Before::Announcement { before } else { Before::Nothing };
            return false;
        }
        if !word.contains(char::is_lowercase) {
            // Two words in capitals, or one that was announced; `HTTP` alone is none.
            self.before = if letters > 2 { Before::Capitals } else { Before::Nothing };
            return letters > 2 && matches!(before, Before::Capitals | Before::Announcement);
        }
        if word.starts_with(char::is_uppercase) {
            return true;
        }
        if letters > 2 && !word.contains(char::is_uppercase) {
            // Without capitals it takes two unknown words in a row, or one that was announced.
            self.before = Before::Unknown;
            return matches!(before, Before::Unknown | Before::Announcement | Before::Number);
        }
        false
    }

    /// Takes the digits of a token; returns whether a telephone number is complete.
    fn number(&mut self, token: &str) -> bool {
        let digits = token.bytes().filter(u8::is_ascii_digit).count();
        self.has_number |= digits >= LEAST_ANNOUNCED_DIGITS;
        // What is glued to a number, as in `555-0100-office`, is not a part of it.
        let length = token.bytes().take_while(|byte| byte.is_ascii_digit() || b"+-.(),;x".contains(byte)).count();
        let is_whole = length == token.len();
        let token = token.get(..length).unwrap_or_default();
        let digits = token.bytes().filter(u8::is_ascii_digit).count();
        if digits == 0 || is_stamp(token) {
            return self.ends_phone();
        }
        let continues = self.phone_digits > 0;
        self.phone_digits += digits;
        let inner = token.trim_matches([',', ';', '.']);
        self.has_phone_mark |= continues || inner.bytes().any(|byte| b"+-().".contains(&byte));
        !is_whole && self.ends_phone()
    }

    fn ends_phone(&mut self) -> bool {
        let digits = std::mem::take(&mut self.phone_digits);
        let has_mark = std::mem::take(&mut self.has_phone_mark);
        has_mark && (LEAST_PHONE_DIGITS..=20).contains(&digits)
    }
}

/// A word of a program: a path, a call, a name with signs or digits inside.
pub(crate) fn is_technical(word: &str) -> bool {
    let bytes = word.as_bytes();
    if bytes.iter().any(|byte| b"_/\\#$%&~^+".contains(byte)) {
        return true;
    }
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = bytes.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    if digits > 0 && letters > 1 {
        return true;
    }
    // `file.rs` and `Private.Key`, but not `J.Doe`.
    let inner_dot = word.rsplit_once('.').is_some_and(|(before, after)| before.len() > 2 && !after.is_empty());
    // `camelCase` and `PascalCase`, but not `McAdam`, `DeRose` and `LaTour`.
    let humps = word.char_indices().skip(1).filter(|(_, letter)| letter.is_uppercase());
    let is_hump =
        |(at, _): (usize, char)| word[..at].ends_with(char::is_lowercase) && !NAME_HUMPS.contains(&&word[..at]);
    let is_humped = humps.clone().any(is_hump) || (word.starts_with(char::is_lowercase) && humps.count() > 0);
    inner_dot || is_humped
}

/// A date, a version or the address of a machine: digits with marks that are no telephone number.
pub(crate) fn is_stamp(token: &str) -> bool {
    let token = token.trim_matches([',', ';', '.', '(', ')']);
    let Some(mark) = token.chars().find(|mark| b"-/.".contains(&(*mark as u8)) && mark.is_ascii()) else {
        return false;
    };
    let lengths: Vec<usize> = token.split(mark).map(str::len).collect();
    match (mark, lengths.as_slice()) {
        ('-', [4, 2, 2]) | ('/', [4, 1..=2, 1..=2] | [1..=2, 1..=2, 2 | 4]) | ('.', [1..=2, 1..=2, 2 | 4] | [_, _]) => {
            true
        }
        ('.', [_, _, _, _]) => lengths.iter().all(|length| *length <= 3),
        ('.', [major, minor, patch]) => major + minor + patch < LEAST_PHONE_DIGITS,
        _ => false,
    }
}

/// `https://host/path` and `host:port`.
fn is_address_of_machine(token: &str) -> bool {
    token.contains("://") || token.contains("::")
}
