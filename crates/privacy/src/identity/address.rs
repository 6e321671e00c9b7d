//! Postal addresses.

use super::Reading;
use super::words::{is_common, is_plain_street_type, is_state, is_street_type};
use crate::kind::Kind;

const UNITS: &[&str] = &["apt", "apartment", "suite", "ste", "unit", "flat", "floor", "room", "rm", "bldg", "building"];
const COMPASS: &[&str] = &[
    "n",
    "s",
    "e",
    "w",
    "ne",
    "nw",
    "se",
    "sw",
    "north",
    "south",
    "east",
    "west",
    "northeast",
    "northwest",
    "southeast",
    "southwest",
];
/// Street types of other languages, which stand in front of the name.
const LEADING: &[&str] = &[
    "rue",
    "avenue",
    "boulevard",
    "chemin",
    "quai",
    "impasse",
    "calle",
    "avenida",
    "via",
    "viale",
    "piazza",
    "rua",
    "plaza",
    "ul.",
];

/// A word of a text with its range.
#[derive(Debug, Clone, Copy)]
struct Word<'t> {
    text: &'t str,
    end: usize,
}

impl<'t> Reading<'t> {
    fn word_at(&self, at: usize) -> Option<Word<'t>> {
        let length = self.run_within(at, 30, |byte| byte.is_ascii_alphanumeric() || byte == b'\'' || byte >= 0x80);
        let text = self.text.get(at..at + length).filter(|text| !text.is_empty())?;
        Some(Word { text, end: at + length })
    }

    /// An address, with a number in front of it that stands there alone: `17 1467 Hastings Street`, `24 P.O. Box 101`.
    fn push_address(&mut self, start: usize, end: usize, rule: &'static str) {
        let head = self.bytes.get(start.saturating_sub(8)..start).unwrap_or_default();
        let digits = match head.strip_suffix(b" ") {
            Some(head) => head.iter().rev().take_while(|byte| byte.is_ascii_digit()).count(),
            None => 0,
        };
        let number = start.saturating_sub(digits + 1);
        let is_alone = match self.before(number) {
            None | Some(b'\n' | b'>' | b'"') => true,
            // A word that counts or a clock has its number for itself.
            Some(b' ') => ["to", "at", "is", "in", "address", "with", "on", "from"]
                .iter()
                .any(|word| self.text.get(..number - 1).is_some_and(|head| ends_with_word(head, word))),
            _ => false,
        };
        let from = if (1..=5).contains(&digits) && is_alone { number } else { start };
        self.push(from, end, Kind::Address, rule);
    }

    /// A number that may begin an address: `77 Harbor View Road`.
    pub(super) fn street(&mut self, start: usize, end: usize) {
        let start = self.range_start(start);
        let is_added = self.before(start) == Some(b'+') && matches!(self.before(start - 1), None | Some(b'\n'));
        if end - start > 9
            || !is_added
                && matches!(self.before(start), Some(b'.' | b'/' | b'-' | b':' | b'=' | b'_' | b'#' | b'$' | b'+'))
        {
            return;
        }
        let letter = usize::from(
            self.byte(end).is_some_and(|byte| byte.is_ascii_alphabetic())
                && !self.byte(end + 1).is_some_and(|byte| byte.is_ascii_alphanumeric()),
        );
        let mut at = end + letter;
        at += usize::from(self.byte(at) == Some(b','));
        if self.byte(at) != Some(b' ') || !self.byte(at + 1).is_some_and(|byte| byte.is_ascii_alphanumeric()) {
            return;
        }
        at += 1;
        let Some(mut word) = self.word_at(at) else { return };
        if COMPASS.iter().any(|compass| compass.eq_ignore_ascii_case(word.text)) {
            let stop = usize::from(self.byte(word.end) == Some(b'.'));
            at = word.end + stop + 1;
            let Some(next) = self.word_at(at).filter(|_| self.byte(at - 1) == Some(b' ')) else { return };
            word = next;
        }
        if LEADING.iter().any(|leading| leading.eq_ignore_ascii_case(word.text)) {
            self.leading_street(start, word.end);
            return;
        }
        let is_capital = is_street_word(word.text);
        if !is_capital && !word.text.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return;
        }
        // The last street type within a few words ends the street.
        let mut street_end = None;
        for names in 0..6 {
            let Some(word) = self.word_at(at) else { break };
            let fits = if is_capital {
                is_street_word(word.text)
            } else {
                word.text.bytes().all(|byte| byte.is_ascii_lowercase())
            };
            let is_type = if is_capital { is_street_type(word.text) } else { is_plain_street_type(word.text) };
            if names > 0 && is_type && (fits || is_capital) {
                street_end = Some(word.end + usize::from(self.byte(word.end) == Some(b'.') && word.text.len() <= 4));
            } else if !fits || is_common(word.text) && !is_type && !is_ordinal(word.text) && !is_place_word(word.text) {
                break;
            }
            // `6 St. James's Square`: the saint has a full stop of his own.
            let stop = usize::from(names == 0 && word.text == "St" && self.byte(word.end) == Some(b'.'));
            if self.byte(word.end + stop) != Some(b' ') {
                break;
            }
            at = word.end + stop + 1;
        }
        let Some(street_end) = street_end else { return };
        let before = self.bytes.get(start.saturating_sub(8)..start).unwrap_or_default().to_ascii_lowercase();
        let is_counted =
            [b"line ".as_slice(), b"page ", b"step ", b"row ", b"issue ", b"pr ", b"exit code ", b"error "]
                .iter()
                .any(|word| before.ends_with(word));
        let unit_end = self.unit(street_end);
        let place_end = self.locality(unit_end);
        if is_counted && place_end == street_end {
            return;
        }
        let next = self.byte(place_end);
        let is_bounded = next.is_none_or(|byte| !byte.is_ascii_alphanumeric() && byte != b'_');
        // Words in small letters are a sentence unless the address ends there.
        let ends_clause = is_capital || !matches!(next, Some(b' ')) || place_end > street_end;
        if is_bounded && ends_clause {
            self.push_address(start, place_end, "street");
        }
    }

    /// The first number of a house that has two: `45-47 High Road`.
    fn range_start(&self, start: usize) -> usize {
        if self.before(start) != Some(b'-') {
            return start;
        }
        let digits = self.bytes[..start - 1].iter().rev().take(5).take_while(|byte| byte.is_ascii_digit()).count();
        let from = start - 1 - digits;
        let is_alone = matches!(self.before(from), None | Some(b' ' | b'\n' | b'"'));
        if (1..=4).contains(&digits) && is_alone { from } else { start }
    }

    /// A postcode with its town, and in front of it a street with the number of the house: `Am Markt 5, 28195 Bremen`.
    pub(super) fn street_in_front(&mut self, start: usize, end: usize) {
        const LONGEST: usize = 60;
        if !self.bytes[..start].ends_with(b", ") || self.byte(end) != Some(b' ') {
            return;
        }
        // A Dutch postcode has two letters behind its digits.
        let is_dutch = end - start == 4
            && self.bytes.get(end + 1..end + 3).is_some_and(|letters| letters.iter().all(u8::is_ascii_uppercase))
            && self.byte(end + 3) == Some(b' ');
        // Four digits alone are a year.
        if end - start == 4 && !is_dutch {
            return;
        }
        let town_at = if is_dutch { end + 4 } else { end + 1 };
        let Some(town) = self.word_at(town_at).filter(|word| is_street_word(word.text) && !is_common(word.text)) else {
            return;
        };
        if town.text.len() < 3 || town.text.bytes().all(|byte| !byte.is_ascii_lowercase()) {
            return;
        }
        let number_end = start - 2;
        let from = number_end.saturating_sub(LONGEST);
        let letter = usize::from(
            self.before(number_end).is_some_and(|byte| byte.is_ascii_lowercase())
                && number_end >= 2
                && self.bytes[number_end - 2].is_ascii_digit(),
        );
        let digits =
            self.bytes[from..number_end - letter].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let mut at = number_end - letter - digits;
        if !(1..=4).contains(&digits) || self.before(at) != Some(b' ') {
            return;
        }
        let mut first = None;
        for _ in 0..4 {
            let stop = at - 1;
            let length = self.bytes[from.min(stop)..stop]
                .iter()
                .rev()
                .take_while(|&&byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'.' | b'\'') || byte >= 0x80)
                .count();
            let Some(word) = self.text.get(stop - length..stop).filter(|word| word.len() > 1) else { break };
            if is_street_word(word) {
                first = Some((stop - length, word));
            } else if !super::is_particle(word) {
                break;
            }
            at = stop - length;
            if self.before(at) != Some(b' ') {
                break;
            }
        }
        if let Some((from, _)) = first.filter(|(_, word)| !is_common(word) || is_place_word(word)) {
            self.push(from, town.end, Kind::Address, "street");
        }
    }

    /// `12 rue de la Paix`.
    fn leading_street(&mut self, start: usize, type_end: usize) {
        let mut at = type_end;
        let mut end = None;
        for _ in 0..5 {
            if self.byte(at) != Some(b' ') {
                break;
            }
            let Some(word) = self.word_at(at + 1) else { break };
            let is_particle = super::is_particle(word.text) || matches!(word.text, "des" | "les" | "the");
            if !is_street_word(word.text) && !is_particle {
                break;
            }
            if !is_particle {
                end = Some(word.end);
            }
            at = word.end;
        }
        if let Some(end) = end {
            let end = self.postcode_and_city(end);
            self.push_address(start, end, "street");
        }
    }

    /// `, 75002 Paris` behind a street.
    fn postcode_and_city(&self, from: usize) -> usize {
        let mut at = from + usize::from(self.byte(from) == Some(b','));
        at += self.blanks(at).min(2);
        let mut digits = self.run(at, |byte| byte.is_ascii_digit());
        // `00-590 Warszawa`.
        if digits == 2 && self.byte(at + 2) == Some(b'-') && self.run(at + 3, |byte| byte.is_ascii_digit()) == 3 {
            digits = 6;
        }
        if !(4..=6).contains(&digits) || self.byte(at + digits) != Some(b' ') {
            return from;
        }
        match self.word_at(at + digits + 1).filter(|word| is_street_word(word.text)) {
            Some(city) => city.end,
            None => at + digits,
        }
    }

    /// `Hauptstrasse 5, 10115 Berlin`, `Calle Mayor 12`.
    pub(super) fn foreign_street(&mut self, start: usize, end: usize) {
        let text = self.text.get(start..end).unwrap_or_default();
        let word = text.trim_end();
        let is_leading = LEADING.iter().any(|leading| leading.eq_ignore_ascii_case(word));
        let (from, mut at) = if is_leading {
            let is_capital = self.byte(start).is_some_and(|byte| byte.is_ascii_uppercase());
            if !self.is_word_start(start) || !is_capital && !word.ends_with('.') {
                return;
            }
            let mut at = end;
            let mut names = 0;
            while names < 3 {
                let Some(word) =
                    self.word_at(at).filter(|word| is_street_word(word.text) || super::is_particle(word.text))
                else {
                    break;
                };
                names += 1;
                at = word.end;
                if self.byte(at) != Some(b' ') {
                    break;
                }
                at += 1;
            }
            if names == 0 {
                return;
            }
            (start, at)
        } else {
            let head = self.bytes[start.saturating_sub(30)..start]
                .iter()
                .rev()
                .take_while(|&&byte| byte.is_ascii_alphabetic() || byte == b'-' || byte >= 0x80)
                .count();
            let from = start - head;
            if head < 3 || !self.byte(from).is_some_and(|byte| byte.is_ascii_uppercase()) {
                return;
            }
            (from, start + word.len() + usize::from(self.byte(start + word.len()) == Some(b' ')))
        };
        at += usize::from(self.byte(at) == Some(b','));
        at += usize::from(self.byte(at) == Some(b' '));
        let digits = self.run(at, |byte| byte.is_ascii_digit());
        if !(1..=4).contains(&digits) || self.before(at).is_none_or(|byte| byte.is_ascii_alphanumeric()) {
            return;
        }
        let letter = usize::from(
            self.byte(at + digits).is_some_and(|byte| byte.is_ascii_lowercase())
                && !self.byte(at + digits + 1).is_some_and(|byte| byte.is_ascii_alphanumeric()),
        );
        let end = at + digits + letter;
        if self.byte(end).is_some_and(|byte| {
            byte.is_ascii_alphanumeric() || byte == b'.' && self.byte(end + 1).is_some_and(|byte| byte.is_ascii_digit())
        }) {
            return;
        }
        let end = self.postcode_and_city(end);
        self.push_address(from, end, "street");
    }

    /// `, Apt 4B` behind a street.
    fn unit(&self, from: usize) -> usize {
        let mut at = from + usize::from(self.byte(from) == Some(b','));
        at += self.blanks(at).min(2);
        if self.byte(at) == Some(b'#') {
            let length = self.run(at + 1, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
            return if (1..=8).contains(&length) { at + 1 + length } else { from };
        }
        let Some(word) = self.word_at(at).filter(|word| UNITS.iter().any(|unit| unit.eq_ignore_ascii_case(word.text)))
        else {
            return from;
        };
        at = word.end + usize::from(self.byte(word.end) == Some(b'.'));
        at += self.blanks(at).min(2);
        at += usize::from(self.byte(at) == Some(b'#'));
        let length = self.run(at, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if (1..=8).contains(&length) { at + length } else { from }
    }

    /// `, Lakeview, OR 97630` or `, London SW1A 2AA` behind a street or a box.
    fn locality(&self, from: usize) -> usize {
        let mut at = from + usize::from(self.byte(from) == Some(b','));
        at += self.run_within(at, 3, |byte| matches!(byte, b' ' | b'\n' | b'\r'));
        for _ in 0..5 {
            if let Some(end) = self.state_and_zip(at).or_else(|| self.postcode(at)) {
                return end;
            }
            let Some(word) = self.word_at(at).filter(|word| is_street_word(word.text)) else { return from };
            at = word.end;
            at += usize::from(matches!(self.byte(at), Some(b',' | b'.')));
            if self.byte(at) != Some(b' ') {
                return from;
            }
            at += 1;
        }
        from
    }

    /// `OR 97630`, `OR 97630-1234`.
    fn state_and_zip(&self, at: usize) -> Option<usize> {
        let state = self.text.get(at..at + 2)?;
        let gap = self.run_within(at + 2, 2, |byte| byte == b' ' || byte == b',');
        let from = at + 2 + gap;
        let digits = self.run(from, |byte| byte.is_ascii_digit());
        if !is_state(state) || gap == 0 || digits != 5 {
            return None;
        }
        let end = from + 5;
        let more = self.run(end + 1, |byte| byte.is_ascii_digit());
        if self.byte(end) == Some(b'-') && more == 4 {
            return Some(end + 5);
        }
        (!self.byte(end).is_some_and(|byte| byte.is_ascii_alphanumeric())).then_some(end)
    }

    /// `SW1A 2AA`.
    fn postcode(&self, at: usize) -> Option<usize> {
        let outward = self.run(at, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
        let head = self.bytes.get(at..at + outward)?;
        let is_outward =
            (2..=4).contains(&outward) && head[0].is_ascii_uppercase() && head.iter().any(u8::is_ascii_digit);
        let inward = self.bytes.get(at + outward..at + outward + 4)?;
        let is_inward = matches!(inward, [b' ', digit, first, second] if digit.is_ascii_digit() && first.is_ascii_uppercase() && second.is_ascii_uppercase());
        let end = at + outward + 4;
        (is_outward && is_inward && !self.byte(end).is_some_and(|byte| byte.is_ascii_alphanumeric())).then_some(end)
    }

    /// A ZIP code with a state and a city in front: `Lakeview, OR 97630`.
    pub(super) fn city_in_front(&mut self, start: usize, end: usize) {
        let Some(state_start) = start.checked_sub(3) else { return };
        let has_state =
            self.byte(start - 1) == Some(b' ') && self.text.get(state_start..start - 1).is_some_and(is_state);
        let is_bounded = matches!(self.before(state_start), Some(b' '));
        if !has_state || !is_bounded {
            return;
        }
        let mut at = state_start - 1;
        let has_comma = self.before(at) == Some(b',');
        at -= usize::from(has_comma);
        let mut from = None;
        let mut words = 0;
        while words < 4 {
            let length = self.bytes[at.saturating_sub(30)..at]
                .iter()
                .rev()
                .take_while(|&&byte| byte.is_ascii_alphabetic() || byte == b'\'' || byte == b'.' || byte >= 0x80)
                .count();
            let Some(word) = self.text.get(at - length..at).filter(|word| is_street_word(word)) else { break };
            if is_common(word) && !is_place_word(word) {
                break;
            }
            from = Some(at - length);
            words += 1;
            if at == length || self.byte(at - length - 1) != Some(b' ') {
                break;
            }
            at -= length + 1;
        }
        let Some(from) = from else { return };
        let more = self.run(end + 1, |byte| byte.is_ascii_digit());
        let zip_end = if self.byte(end) == Some(b'-') && more == 4 { end + 5 } else { end };
        self.push(from, zip_end, Kind::Address, "city");
    }

    /// `PO Box 12`.
    pub(super) fn post_box(&mut self, start: usize, end: usize) {
        let head = self.bytes[start.saturating_sub(12)..start].to_ascii_lowercase();
        let forms: [&[u8]; 6] = [b"p.o.", b"gpo", b"po", b"p o", b"post office", b"p.o"];
        // In other languages one word says it all.
        let is_whole = self.bytes[start..end].ends_with(b" ") && self.is_word_start(start) && end - start > 5;
        let length = match forms.iter().find(|form| head.ends_with(form)) {
            Some(form) => form.len(),
            None if is_whole => 0,
            None => return,
        };
        let from = start - length;
        let at = end + self.run_within(end, 3, |byte| matches!(byte, b' ' | b'#' | b':'));
        let digits = self.run(at, |byte| byte.is_ascii_digit());
        if self.is_word_start(from) && (1..=8).contains(&digits) && self.text.is_char_boundary(from) {
            let place_end = self.locality(at + digits);
            self.push_address(from, place_end, "post-box");
        }
    }
}

/// A capitalised word, or an ordinal: `5th`.
fn is_street_word(word: &str) -> bool {
    let mut bytes = word.bytes();
    let is_capital = bytes.next().is_some_and(|byte| byte.is_ascii_uppercase() || byte >= 0x80) && word.len() > 1;
    is_capital || is_ordinal(word)
}

fn ends_with_word(head: &str, word: &str) -> bool {
    let Some(from) = head.len().checked_sub(word.len()) else { return false };
    let is_word = head.get(from..).is_some_and(|end| end.eq_ignore_ascii_case(word));
    is_word && !head.as_bytes().get(..from).is_some_and(|rest| rest.last().is_some_and(u8::is_ascii_alphanumeric))
}

fn is_ordinal(word: &str) -> bool {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0
        && ["st", "nd", "rd", "th"]
            .iter()
            .any(|ending| word.get(digits..).is_some_and(|rest| rest.eq_ignore_ascii_case(ending)))
}

/// Ordinary words that streets and towns are named after.
fn is_place_word(word: &str) -> bool {
    [
        "harbor",
        "market",
        "main",
        "high",
        "green",
        "north",
        "south",
        "east",
        "west",
        "park",
        "new",
        "old",
        "upper",
        "lower",
        "great",
        "little",
        "central",
        "first",
        "second",
        "third",
        "fourth",
        "fifth",
        "long",
        "center",
        "white",
        "black",
        "blue",
        "red",
        "orange",
        "grand",
        "san",
        "los",
        "las",
        "saint",
        "st",
        "fort",
        "lake",
        "mount",
        "port",
        "santa",
        "salt",
        "city",
        "falls",
        "rock",
        "springs",
        "station",
        "church",
        "school",
        "mill",
        "bridge",
        "summit",
        "power",
        "view",
        "union",
        "liberty",
        "spring",
        "sunset",
        "forest",
        "hill",
        "river",
        "ocean",
        "sea",
        "bank",
        "cross",
        "college",
        "university",
        "hospital",
        "institute",
        "foundation",
        "ministry",
        "council",
    ]
    .iter()
    .any(|place| place.eq_ignore_ascii_case(word))
}
