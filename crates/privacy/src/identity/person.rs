//! Names where something says that there is one.

use super::Reading;
use super::name::{Case, Name, name_at};
use super::words::{is_addressee, is_common, is_given_name};
use crate::edge;
use crate::hit::Hit;
use crate::kind::Kind;

/// Labels after which any name counts, even a single word.
const PEOPLE: &[&str] = &[
    "patient",
    "bride",
    "groom",
    "spouse",
    "resident",
    "applicant",
    "tenant",
    "beneficiary",
    "passenger",
    "guardian",
    "nurse",
    "doctor",
    "next of kin",
    "claimant",
    "insured",
    "cardholder",
    "landlord",
    "candidate",
    "assignee",
];
/// Labels of a part of a name in other languages.
const PARTS: &[&str] = &[
    "vorname",
    "nachname",
    "prenom",
    "apellido",
    "apellidos",
    "cognome",
    "voornaam",
    "achternaam",
    "nom",
    "imie",
    "nazwisko",
    "sobrenome",
    "soyad",
    "efternamn",
    "fornamn",
    "etternavn",
    "fornavn",
];
/// Words in front of `name` that make it a person's.
const OWNERS: &[&str] = &[
    "full",
    "first",
    "last",
    "given",
    "family",
    "middle",
    "maiden",
    "sur",
    "fore",
    "nick",
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
    "holder",
    "owner",
    "beneficiary",
    "sender",
    "recipient",
    "passenger",
    "driver",
    "legal",
    "preferred",
    "display",
    "birth",
    "mother",
    "father",
    "parent",
    "spouse",
    "emergency",
    "billing",
    "cardholder",
    "account",
    "author",
    "legal",
    "real",
];

impl Reading<'_> {
    fn push_name(&mut self, start: usize, name: Name, rule: &'static str) {
        self.push(start, name.end, Kind::Person, rule);
    }

    fn name(&self, start: usize, most: usize, case: Case) -> Option<Name> {
        name_at(self.text, start, most, case)
    }

    /// `Dr Ines Faro`.
    pub(super) fn honorific(&mut self, start: usize, end: usize) {
        if !self.is_word_start(start) || !self.byte(start).is_some_and(|byte| byte.is_ascii_uppercase()) {
            return;
        }
        let title = self.text.get(start..end).unwrap_or_default().trim_end_matches([' ', '.']);
        let is_upper = title.len() >= 2 && title.bytes().all(|byte| byte.is_ascii_uppercase());
        let case = if !is_upper {
            Case::Title
        } else if matches!(title, "DR" | "MR" | "MRS" | "PROF") {
            Case::TitleOrUpper
        } else {
            return;
        };
        let is_shaped = title.bytes().skip(1).all(|byte| byte.is_ascii_lowercase());
        if !is_upper && !is_shaped {
            return;
        }
        let dot = usize::from(self.byte(end) == Some(b'.'));
        let from = end + dot + self.blanks(end + dot).min(2);
        let Some(name) = self.name(from, 3, case) else { return };
        // `Prof. Dr. Ines Faro`: the second title has a reading of its own.
        // What stands behind `Sr.` may be the work of an elder, and not the name of a man.
        let first = self.text.get(from..name.end).unwrap_or_default().split(' ').next().unwrap_or_default();
        if title == "Sr" && !is_given_name(first) {
            return;
        }
        let is_title = self.byte(name.end) == Some(b'.') && self.text.get(from..name.end).is_some_and(is_addressee);
        if !is_title {
            self.push_name(from, name, "honorific");
        }
    }

    /// `Patient: Ines Faro`, `"name": "Ines Faro"`.
    pub(super) fn name_label(&mut self, start: usize, end: usize) {
        if start < self.labels_done {
            return;
        }
        // The tag of a comment in source code.
        if self.byte(start) == Some(b'@') {
            if let Some(name) = self.name(end, 3, Case::Title).filter(|name| name.words >= 2) {
                self.push_name(end, name, "labelled-name");
            }
            return;
        }
        let after = self.byte(end);
        if after.is_some_and(|byte| byte.is_ascii_alphabetic()) {
            return;
        }
        let word = self.text.get(start..end).unwrap_or_default().to_ascii_lowercase();
        let owner = self.owner_of(start);
        let is_name = word == "name";
        if !is_name && !self.is_word_start(start) && !matches!(self.before(start), Some(b'_')) {
            return;
        }
        let tail_end = self.label_tail(end);
        let Some((from, is_quoted)) = self.behind_sign(tail_end) else {
            if is_name && owner.eq_ignore_ascii_case("my") {
                self.own_name(end);
            }
            self.name_behind_word(&word, end);
            return;
        };
        let is_personal = if is_name { OWNERS.iter().any(|known| owner.eq_ignore_ascii_case(known)) } else { true };
        if is_name && !owner.is_empty() && !is_personal {
            return;
        }
        let is_part = is_name
            && ["first", "last", "given", "family", "middle", "maiden", "sur", "fore", "nick"]
                .iter()
                .any(|part| owner.eq_ignore_ascii_case(part))
            || PARTS.contains(&word.as_str());
        self.labels_done = from;
        if let Some(name) = self.labelled_name(from, is_personal).map(|name| self.with_first_name(name))
            && self.is_name_here(from, name, LabelStrength { is_name, is_personal, is_part, is_quoted, word: &word })
        {
            self.labels_done = name.end;
            let text = self.text.get(from..name.end).unwrap_or_default();
            let is_certain = name.words > 1 || text.split('-').any(is_given_name) || is_part;
            let hit = Hit::new(from, name.end, Kind::Person, "labelled-name");
            // A single word that no list of names holds may be any word: it is private here alone.
            self.hits.push(if is_certain { hit } else { hit.here_only() });
        }
    }

    /// `My name is Ines Faro.`
    fn own_name(&mut self, end: usize) {
        let Some(verb) = [" is ", "'s "].iter().find(|verb| self.bytes[end..].starts_with(verb.as_bytes())) else {
            return;
        };
        let from = end + verb.len();
        let Some(name) = self.name(from, 4, Case::Title) else { return };
        let first = self.text.get(from..name.end).unwrap_or_default().split(' ').next().unwrap_or_default();
        if is_given_name(first) || name.words >= 2 && !is_common(first) {
            self.labels_done = name.end;
            self.push_name(from, name, "labelled-name");
        }
    }

    /// `Faro, Ines`: the last name stands first, and a known given name behind the comma.
    fn with_first_name(&self, name: Name) -> Name {
        if name.words > 2 || self.byte(name.end) != Some(b',') || self.byte(name.end + 1) != Some(b' ') {
            return name;
        }
        let from = name.end + 2;
        let Some(first) = self.name(from, 2, Case::TitleOrUpper) else { return name };
        let word = self.text.get(from..first.end).unwrap_or_default().split(' ').next().unwrap_or_default();
        if is_given_name(word) { Name { end: first.end, words: name.words + first.words } } else { name }
    }

    /// `Patient Tomasz Kowalski`: no sign in between, so the first word has to be a known name.
    fn name_behind_word(&mut self, word: &str, end: usize) {
        let is_person = PEOPLE.contains(&word)
            || word.ends_with(" by")
            || ["customer", "employee", "client", "student", "guest", "driver"].contains(&word);
        if !is_person || self.byte(end) != Some(b' ') {
            return;
        }
        let Some(name) = self.name(end + 1, 3, Case::Title).filter(|name| name.words >= 2) else { return };
        let text = self.text.get(end + 1..name.end).unwrap_or_default();
        let first = text.split(' ').next().unwrap_or_default();
        // Who signs or writes at the end of a line is a person, whatever the name.
        let is_author = || {
            word.ends_with(" by")
                && matches!(self.byte(name.end), None | Some(b'\n' | b'\r'))
                && !text.split([' ', '-']).any(is_common)
        };
        if first.split('-').any(is_given_name) || is_author() {
            self.labels_done = name.end;
            self.push_name(end + 1, name, "labelled-name");
        }
    }

    /// The word in front of a label: `first_name`, `customer name`, `surname`.
    fn owner_of(&self, start: usize) -> &str {
        let mut stop = start;
        if matches!(self.before(stop), Some(b' ' | b'_' | b'-' | b'.')) {
            stop -= 1;
        }
        if self.bytes[..stop].ends_with(b"'s") {
            stop -= 2;
        }
        let window = &self.bytes[stop.saturating_sub(24)..stop];
        let length = window.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let length = length - usize::from(length > 0 && edge::is_escaped(self.bytes, stop - length));
        let word = self.text.get(stop - length..stop).unwrap_or_default();
        // The last hump of a name in camel case.
        match word.rfind(|character: char| character.is_ascii_uppercase()) {
            Some(hump) => word.get(hump..).unwrap_or(word),
            None => word,
        }
    }

    /// `name` and `(s)` behind a label, as in `patient name` and `contact person`.
    fn label_tail(&self, end: usize) -> usize {
        const TAILS: [&str; 8] = [" name", "_name", "-name", "name", " person", " full name", "s", "(s)"];
        let rest = self.bytes.get(end..).unwrap_or_default();
        TAILS
            .iter()
            .find(|tail| rest.get(..tail.len()).is_some_and(|head| head.eq_ignore_ascii_case(tail.as_bytes())))
            .map_or(end, |tail| end + tail.len())
    }

    /// Behind a sign of assignment: the place of the value, and whether it is quoted.
    fn behind_sign(&self, from: usize) -> Option<(usize, bool)> {
        let quotes = self.run_within(from, 4, |byte| matches!(byte, b'"' | b'\'' | b'\\' | b'*'));
        let mut at = from + quotes;
        if self.byte(at) == Some(b'>') {
            return Some((at + 1, true));
        }
        at += self.blanks(at).min(24);
        let has_blank = at > from + quotes;
        match self.byte(at) {
            Some(b':' | b'=') if self.byte(at + 1) != Some(b':') => at += 1,
            Some(b'-' | b'|') if has_blank && self.byte(at + 1) == Some(b' ') => at += 1,
            _ => return None,
        }
        at += self.run_within(at, 2, |byte| byte == b'*');
        at += self.blanks(at).min(40);
        let open = self.run_within(at, 4, |byte| matches!(byte, b'"' | b'\'' | b'\\'));
        Some((at + open, open > 0))
    }

    fn labelled_name(&self, from: usize, is_personal: bool) -> Option<Name> {
        let name = self.name(from, 4, Case::TitleOrUpper);
        if name.is_some() {
            return name;
        }
        // In small letters a name has to be the whole value.
        let name = self.name(from, 3, Case::Any)?;
        let stop = self.byte(name.end);
        let is_whole = matches!(stop, None | Some(b'\n' | b'\r' | b',' | b';' | b'<' | b'"' | b'\'' | b'|' | b')'));
        (is_whole && (is_personal || name.words == 2)).then_some(name)
    }

    fn is_name_here(&self, from: usize, name: Name, label: LabelStrength<'_>) -> bool {
        let text = self.text.get(from..name.end).unwrap_or_default();
        let mut words = text.split([' ', '-', ',']).filter(|word| word.len() > 1);
        let is_known = words.clone().any(is_given_name);
        // Names of other languages hold words of English: `Nguyen Van An`.
        let is_foreign = PEOPLE.contains(&label.word) && words.clone().next().is_some_and(|word| !is_common(word));
        let is_ordinary = words.any(is_common) && !is_foreign;
        let is_lower = !text.chars().any(char::is_uppercase);
        let is_upper = !text.chars().any(char::is_lowercase);
        // A longer value is a title or a sentence, and code goes on with a sign.
        let next = self.byte(name.end);
        let goes_on = matches!(next, Some(b'(' | b'.' | b'_' | b'/' | b':' | b'[' | b'0'..=b'9' | b'@'))
            && !(next == Some(b'.') && self.byte(name.end + 1).is_none_or(|byte| byte.is_ascii_whitespace()));
        if goes_on || (label.is_quoted && !matches!(next, Some(b'"' | b'\'' | b'\\' | b',' | b' ' | b'<') | None)) {
            return false;
        }
        if label.is_part {
            return !is_ordinary || is_known;
        }
        // A script that writes names without a blank has no capitals either: `山田太郎`.
        if name.words == 1 && text.chars().all(|character| ('\u{3040}'..='\u{9fff}').contains(&character)) {
            return label.is_personal && (2..=6).contains(&text.chars().count());
        }
        if is_lower {
            return if label.is_name && !label.is_personal {
                is_known && !is_ordinary
            } else {
                (is_known && (name.words == 1 || !is_ordinary)) || (name.words >= 2 && !is_ordinary && label.is_name)
            };
        }
        if name.words == 1 {
            let is_people = PEOPLE.contains(&label.word);
            let ends_clause =
                matches!(next, None | Some(b'\n' | b'\r' | b',' | b'.' | b'"' | b'\'' | b'<' | b'|' | b')'));
            return is_known || (is_people && !is_ordinary && !is_upper && ends_clause);
        }
        if label.is_name && !label.is_personal {
            return is_known || (!is_ordinary && !is_upper);
        }
        is_known || !is_ordinary
    }

    /// `From: Ines Faro <i@example.org>`, `Signed-off-by: Ines Faro`.
    pub(super) fn header(&mut self, start: usize, end: usize) {
        let line_start = self.bytes[..start]
            .iter()
            .rev()
            .take(24)
            .take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'-')
            .count();
        let line_start = line_start - usize::from(line_start > 0 && edge::is_escaped(self.bytes, start - line_start));
        if !self.starts_line(start - line_start) {
            return;
        }
        let stop = self.line_end(end);
        let is_list = self
            .text
            .get(start..end)
            .is_some_and(|word| word.eq_ignore_ascii_case("to:") || word.eq_ignore_ascii_case("cc:"));
        let mut at = end + self.blanks(end);
        loop {
            let quote = usize::from(self.byte(at) == Some(b'"'));
            at += quote;
            if quote == 1
                && let Some(name) = self.name(at, 3, Case::TitleOrUpper)
                && self.byte(name.end) == Some(b',')
                && let Some(first) = self.name(name.end + 2, 3, Case::TitleOrUpper)
                && self.bytes.get(first.end..).is_some_and(|rest| rest.starts_with(b"\" <"))
            {
                let whole = Name { end: first.end, words: name.words + first.words };
                self.push_name(at, whole, "mail-header");
                break;
            }
            let Some(name) = self.name(at, 4, Case::Title).or_else(|| self.name(at, 4, Case::Any)) else { break };
            let mut behind = name.end + usize::from(self.byte(name.end) == Some(b'"'));
            behind += self.blanks(behind);
            let is_addressed = self.byte(behind) == Some(b'<');
            let is_title = self.byte(at).is_some_and(|byte| byte.is_ascii_uppercase());
            let is_bounded = behind >= stop || matches!(self.byte(behind), Some(b',' | b';'));
            if is_addressed || (is_bounded && is_title && name.words >= 2) {
                self.push_name(at, name, "mail-header");
            }
            if !is_list && !is_addressed {
                break;
            }
            // The next one of a list of addressees.
            let rest = self.bytes.get(behind..stop).unwrap_or_default();
            let Some(comma) = memchr::memchr2(b',', b';', rest) else { break };
            at = behind + comma + 1;
            at += self.blanks(at);
        }
    }

    /// `Dear Ines,`.
    pub(super) fn greeting(&mut self, start: usize, end: usize) {
        if !self.is_word_start(start) || !self.byte(start).is_some_and(|byte| byte.is_ascii_uppercase()) {
            return;
        }
        let from = end + self.blanks(end);
        let Some(name) = self.name(from, 3, Case::Title) else { return };
        let is_bounded = matches!(
            self.byte(name.end),
            None | Some(b',' | b'!' | b'.' | b'\n' | b'\r' | b':' | b';' | b'\\' | b'-' | b'"')
        );
        let first = self.text.get(from..name.end).unwrap_or_default().split(' ').next().unwrap_or_default();
        // `Hey Ines - …`
        let is_dashed = is_given_name(first) && self.bytes.get(name.end..name.end + 2) == Some(b" -");
        if (is_bounded || is_dashed) && !is_addressee(first) && (!is_common(first) || is_given_name(first)) {
            self.push_name(from, name, "greeting");
        }
    }

    /// A closing formula alone in its line, and a name alone in one of the next two.
    pub(super) fn sign_off(&mut self, start: usize, end: usize) {
        let mut at = end + self.run_within(end, 32, |byte| byte.is_ascii_alphabetic() || byte == b' ');
        at += self.run(at, |byte| matches!(byte, b',' | b'!' | b'.' | b' ' | b'-'));
        let line_start = self.bytes[..start]
            .iter()
            .rev()
            .take(40)
            .take_while(|byte| byte.is_ascii_alphabetic() || **byte == b' ')
            .count();
        let line_start = line_start - usize::from(line_start > 0 && edge::is_escaped(self.bytes, start - line_start));
        let (breaks, newlines) = self.breaks(at);
        if !(1..=3).contains(&newlines) || !self.starts_line(start - line_start) {
            return;
        }
        let from = at + breaks;
        let Some(name) = self.name(from, 3, Case::Title) else { return };
        let behind = name.end + self.blanks(name.end);
        let is_alone = matches!(self.byte(behind), None | Some(b'\n' | b'\r' | b'"'))
            || self.byte(behind) == Some(b'\\') && edge::is_escaped(self.bytes, behind + 1);
        let first = self.text.get(from..name.end).unwrap_or_default().split(' ').next().unwrap_or_default();
        if is_alone && (!is_common(first) || is_given_name(first)) {
            self.push_name(from, name, "sign-off");
        }
    }

    /// How much of blanks and breaks stands at a place, and how many lines end in it; the breaks may be escapes.
    fn breaks(&self, at: usize) -> (usize, usize) {
        let window = self.bytes.get(at..self.bytes.len().min(at + 8)).unwrap_or_default();
        if window.first() != Some(&b'\\') {
            let length = window.iter().take_while(|byte| matches!(byte, b'\n' | b'\r' | b' ' | b'\t' | b'-')).count();
            return (length, memchr::memchr_iter(b'\n', &window[..length]).count());
        }
        let escapes = window.chunks_exact(2).take_while(|pair| matches!(pair, [b'\\', b'n' | b'r'])).count();
        let lines = window.chunks_exact(2).take(escapes).filter(|pair| pair[1] == b'n').count();
        (escapes * 2, lines)
    }

    /// The name in front of a mail address: `Ines Faro <i@example.org>`, `Ines Faro - i@example.org`.
    pub(super) fn name_before_mail(&mut self, mail_start: usize) {
        let mut stop = mail_start;
        let sign = match self.before(stop) {
            Some(b'<' | b'(') => {
                stop -= 1;
                stop -= usize::from(self.before(stop) == Some(b' '));
                true
            }
            Some(b' ') if matches!(self.before(stop - 1), Some(b'-' | b',' | b':' | b'|')) => {
                stop -= 2;
                stop -= usize::from(self.before(stop) == Some(b' '));
                false
            }
            _ => return,
        };
        stop -= usize::from(matches!(self.before(stop), Some(b'"')));
        let window = &self.bytes[stop.saturating_sub(60)..stop];
        let length = window
            .iter()
            .rev()
            .take_while(|&&byte| {
                byte.is_ascii_alphabetic() || matches!(byte, b' ' | b'.' | b'\'' | b'-') || byte >= 0x80
            })
            .count();
        let mut from = stop - length;
        while from < stop
            && (!self.byte(from).is_some_and(|byte| byte.is_ascii_alphabetic()) || edge::is_escaped(self.bytes, from))
        {
            from += 1;
        }
        // The last words in front of the address that are one name.
        while from < stop {
            if let Some(name) = self.name(from, 4, Case::Title)
                && name.end == stop
                && (name.words >= 2 || (sign && is_given_name(self.text.get(from..stop).unwrap_or_default())))
            {
                let text = self.text.get(from..stop).unwrap_or_default();
                if sign || !text.split(' ').any(is_common) || text.split(' ').next().is_some_and(is_given_name) {
                    self.push_name(from, name, "name-before-mail");
                }
                return;
            }
            let word = self.run(from, |byte| byte != b' ').max(1);
            from += word + 1;
        }
    }
}

/// What a label says about its value.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact that stands by itself")]
#[derive(Debug, Clone, Copy)]
struct LabelStrength<'w> {
    /// The label is `name`, and not a word such as `patient`.
    is_name: bool,
    /// The label names a person, and not any object.
    is_personal: bool,
    /// It is a part of a name: `first name`.
    is_part: bool,
    is_quoted: bool,
    word: &'w str,
}
