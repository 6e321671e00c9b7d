//! Numbers that a label makes private: accounts, identifiers, dates of birth, coordinates, telephone numbers.

use super::Reading;
use super::date::date_at;
use super::number::{is_card, is_social_security, passes_luhn};
use crate::kind::Kind;

/// Labels that need no sign in front of their number.
const STRONG: &[&str] = &[
    "passport",
    "nhs",
    "mrn",
    "vin",
    "routing",
    "acct",
    "iban",
    "ssn",
    "medicare",
    "medicaid",
    "itin",
    "passport",
    "national insurance",
    "ni number",
    "nino",
    "bsb",
    "bsn",
    "bic",
    "tax id",
    "tax_id",
    "taxpayer",
    "sort code",
    "sort-code",
    "sort_code",
    "sortcode",
];

/// The identifiers of one country each, and of devices: their label, their kind, and how their letters and digits are
/// arranged, whatever stands between them. `9` is a digit, `A` a letter, `X` either.
///
/// The labels are short words that mean other things as well, so it is the arrangement that decides.
pub(super) const NATIONAL: &[(&str, Kind, &[&str])] = &[
    ("ein:", Kind::Id, &["999999999"]),
    ("ein ", Kind::Id, &["999999999"]),
    ("sin:", Kind::Id, &["999999999"]),
    ("sin ", Kind::Id, &["999999999"]),
    ("tfn", Kind::Id, &["999999999", "99999999"]),
    ("abn", Kind::Id, &["99999999999"]),
    ("aadhaar", Kind::Id, &["999999999999"]),
    ("pan:", Kind::Id, &["AAAAA9999A"]),
    ("pan ", Kind::Id, &["AAAAA9999A"]),
    ("cpf", Kind::Id, &["99999999999"]),
    ("cnpj", Kind::Id, &["99999999999999"]),
    ("dni", Kind::Id, &["99999999A"]),
    ("nif", Kind::Id, &["99999999A", "A9999999A", "A99999999"]),
    ("nie:", Kind::Id, &["A9999999A"]),
    ("nie ", Kind::Id, &["A9999999A"]),
    ("codice fiscale", Kind::Id, &["AAAAAA99A99A999A"]),
    ("steueridentifikationsnummer", Kind::Id, &["99999999999"]),
    ("personalausweis", Kind::Id, &["XXXXXXXXXX", "XXXXXXXXX"]),
    ("reisepass", Kind::Id, &["XXXXXXXXXX", "XXXXXXXXX"]),
    ("personnummer", Kind::Id, &["999999999999", "9999999999"]),
    ("cpr:", Kind::Id, &["9999999999"]),
    ("cpr ", Kind::Id, &["9999999999"]),
    ("fodselsnummer", Kind::Id, &["99999999999"]),
    ("hetu", Kind::Id, &["999999999X"]),
    ("pesel", Kind::Id, &["99999999999"]),
    ("rodne cislo", Kind::Id, &["9999999999", "999999999"]),
    ("ahv", Kind::Id, &["9999999999999"]),
    ("nir:", Kind::Id, &["999999999999999", "9999999999999"]),
    ("nir ", Kind::Id, &["999999999999999", "9999999999999"]),
    ("securite sociale", Kind::Id, &["999999999999999", "9999999999999"]),
    ("curp", Kind::Id, &["AAAA999999AAAAAAX9", "AAAA999999AAAAAAXX"]),
    ("rfc:", Kind::Id, &["AAAA999999XXX", "AAA999999XXX"]),
    ("rfc ", Kind::Id, &["AAAA999999XXX", "AAA999999XXX"]),
    ("nric", Kind::Id, &["A9999999A"]),
    ("hkid", Kind::Id, &["A9999999", "AA9999999"]),
    ("my number", Kind::Id, &["999999999999"]),
    ("rrn", Kind::Id, &["9999999999999"]),
    ("id card", Kind::Id, &["99999999999999999X"]),
    ("dl no", Kind::Id, &["A9999999", "A99999999999"]),
    ("ifsc", Kind::Account, &["AAAA0XXXXXX"]),
    ("clabe", Kind::Account, &["999999999999999999"]),
    ("aba:", Kind::Account, &["999999999"]),
    ("aba ", Kind::Account, &["999999999"]),
    ("blz", Kind::Account, &["99999999"]),
    ("kontonummer", Kind::Account, &["9999999999", "999999999", "99999999", "9999999"]),
    ("imei", Kind::Id, &["999999999999999"]),
    ("pasaporte", Kind::Id, PASSPORT),
    ("passeport", Kind::Id, PASSPORT),
    ("passaporto", Kind::Id, PASSPORT),
    ("passaporte", Kind::Id, PASSPORT),
    ("paspoort", Kind::Id, PASSPORT),
    ("fuhrerschein", Kind::Id, &["XXXXXXXXXXX"]),
    ("permis de conduire", Kind::Id, &["999999999999", "99AA99999"]),
    ("ni:", Kind::Id, &["AA999999A"]),
    ("utr:", Kind::Id, &["9999999999"]),
    ("utr ", Kind::Id, &["9999999999"]),
    ("ss number", Kind::Ssn, &["999999999"]),
    ("kontonr", Kind::Account, &["9999999999", "999999999", "99999999", "9999999"]),
    ("konto-nr", Kind::Account, &["9999999999", "999999999", "99999999", "9999999"]),
    ("a/c ", Kind::Account, &["999999999999", "9999999999", "999999999", "99999999"]),
    ("numero de compte", Kind::Account, &["99999999999", "9999999999"]),
    ("numero de cuenta", Kind::Account, &["99999999999999999999", "99999999999", "9999999999"]),
    ("chassis", Kind::Id, &["XXXXXXXXXXXXXXXXX"]),
    ("steuernummer", Kind::Id, &["9999999999", "99999999999", "9999999999999"]),
    ("versicherungsnummer", Kind::Id, &["99999999A999"]),
    ("insee", Kind::Id, &["999999999999999", "9999999999999"]),
    ("avs", Kind::Id, &["9999999999999"]),
    ("dea ", Kind::Id, &["AA9999999"]),
    ("npi:", Kind::Id, &["9999999999"]),
    ("npi ", Kind::Id, &["9999999999"]),
    ("uscis", Kind::Id, &["A999999999", "A99999999"]),
    ("green card", Kind::Id, &["A999999999", "A99999999"]),
    ("insurance id", Kind::Id, &["A999999999", "AAA999999999"]),
    ("customer number", Kind::Id, &["A9999999", "A999999", "99999999", "9999999"]),
    (
        "kennzeichen",
        Kind::Id,
        &["AAA9999", "AAAA9999", "AAAAA9999", "AAA999", "AAAA999", "AAAAA999", "AAAA99", "AAAAA99"],
    ),
    ("license plate", Kind::Id, &["AAA9999", "AAAA9999", "AAA999", "AAAA999", "9AAA999", "AA99AAA"]),
    ("vat:", Kind::Id, VAT),
    ("vat ", Kind::Id, VAT),
    ("ust-id", Kind::Id, VAT),
    ("tva:", Kind::Id, VAT),
    ("tva ", Kind::Id, VAT),
];
/// The numbers of passports of several countries.
const PASSPORT: &[&str] = &["AAA999999", "AA9999999", "A99999999", "A9999999", "99AA99999", "999999999"];
/// The number of somebody who pays value added tax.
const VAT: &[&str] = &["AA99999999", "AA999999999", "AA9999999999", "AA99999999999", "AA999999999A99", "AAX9999999A"];
/// The words that a label may have behind it.
const TAILS: &[&str] =
    &["number", "numbers", "no.", "no", "nr.", "nr", "num", "id", "#", "code", "ref", "reference", "card", "holder"];
/// Words of a label that are none of ours when they stand behind it.
const OTHERS: &[&str] = &["reader", "type", "name", "version", "server", "key", "file", "header", "text", "agreement"];

/// The labels of these identifiers, for the gate.
pub(super) const NATIONAL_LABELS: [&str; NATIONAL.len()] = {
    let mut labels = [""; NATIONAL.len()];
    let mut index = 0;
    while index < NATIONAL.len() {
        labels[index] = NATIONAL[index].0;
        index += 1;
    }
    labels
};

/// What stands between the word `account` and its last digits.
const ENDINGS: [&str; 5] = [" ending in ", " ending with ", " ending ", " ends in ", " number ending in "];

/// A number behind a label, and how the two are connected.
struct Labelled {
    from: usize,
    has_sign: bool,
}

impl Reading<'_> {
    /// Behind a label: its tail words, a sign or none, and the place of the value.
    fn behind_label(&self, end: usize) -> Option<Labelled> {
        let mut at = end;
        let mut has_sign = false;
        if self.byte(at).is_some_and(|byte| byte.is_ascii_lowercase()) && self.byte(at) != Some(b's') {
            return None;
        }
        at += usize::from(self.byte(at) == Some(b's'));
        if self.bytes.get(at..at + 2) == Some(b"'s") {
            at += 2;
        }
        for _ in 0..4 {
            at += self
                .run(at, |byte| matches!(byte, b' ' | b'\t' | b'_' | b'"' | b'\'' | b'\\' | b'*' | b'(' | b')'))
                .min(6);
            let word = self.run(at, |byte| byte.is_ascii_alphabetic() || byte == b'#' || byte == b'.');
            let text = self.text.get(at..at + word).unwrap_or_default();
            if OTHERS.iter().any(|other| other.eq_ignore_ascii_case(text)) {
                return None;
            }
            if TAILS.iter().any(|tail| tail.eq_ignore_ascii_case(text)) {
                has_sign |= text.len() <= 3 && !text.eq_ignore_ascii_case("id") || text.eq_ignore_ascii_case("number");
                at += word;
                continue;
            }
            match self.byte(at) {
                Some(b':' | b'=' | b'#') if self.byte(at + 1) != Some(b':') => {
                    has_sign = true;
                    at += 1;
                }
                Some(b'>') if self.byte(at + 1) != Some(b' ') => {
                    has_sign = true;
                    at += 1;
                }
                _ => break,
            }
        }
        if self.bytes.get(at..at + 3).is_some_and(|word| word.eq_ignore_ascii_case(b"is ")) {
            has_sign = true;
            at += 3;
        }
        Some(Labelled { from: at, has_sign })
    }

    /// The value at a place: a token with a digit, and the ones that belong to it.
    fn number_value(&self, from: usize, allow_letters_first: bool) -> Option<usize> {
        const LONGEST: usize = 40;
        const MOST_TOKENS: usize = 9;
        let is_token = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'/');
        let mut at = from;
        let mut end = None;
        let mut is_first = true;
        for _ in 0..MOST_TOKENS {
            let length = self.run_within(at, LONGEST, is_token);
            let token = self.text.get(at..at + length)?.trim_end_matches(['.', '-', '/']);
            let has_digit = token.bytes().any(|byte| byte.is_ascii_digit());
            let is_letters =
                token.len() <= 4 && !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_uppercase());
            let is_mixed_in = has_digit && (is_first || token.bytes().all(|byte| !byte.is_ascii_lowercase()));
            if !is_mixed_in && !(is_letters && (allow_letters_first || !is_first)) {
                break;
            }
            if has_digit {
                end = Some(at + token.len());
            }
            at += length;
            is_first = false;
            let next_digits = self.run(at + 1, |byte| byte.is_ascii_digit());
            // A year or a count behind the number is a word of its own.
            if self.byte(at) != Some(b' ')
                || at - from > LONGEST
                || (next_digits == 0 && !self.byte(at + 1).is_some_and(|byte| byte.is_ascii_uppercase()))
            {
                break;
            }
            at += 1;
        }
        end
    }

    /// An identifier of a known arrangement behind its label.
    pub(super) fn national_id(&mut self, start: usize, end: usize) {
        const MOST_WORDS: usize = 3;
        let label = self.text.get(start..end).unwrap_or_default();
        // `Sozialversicherungsnummer` is the same with a word in front.
        let is_compound = label.len() >= 12;
        if start < self.numbers_done || !is_compound && !self.is_word_start(start) && self.before(start) != Some(b'_') {
            return;
        }
        let Some((_, kind, shapes)) = NATIONAL.iter().find(|(known, _, _)| known.eq_ignore_ascii_case(label)) else {
            return;
        };
        let mut at = end;
        for _ in 0..=MOST_WORDS {
            at += self.run_within(at, 8, |byte| b" \t:=#\"'._-(*".contains(&byte) || byte >= 0x80);
            let word = self.run(at, |byte| byte.is_ascii_alphabetic());
            let text = self.text.get(at..at + word).unwrap_or_default();
            if !["number", "no", "nr", "n", "numero", "nummer", "id", "code", "num", "is", "ssn"]
                .iter()
                .any(|tail| tail.eq_ignore_ascii_case(text))
            {
                break;
            }
            at += word;
        }
        let longest = shapes.iter().filter_map(|shape| self.arranged(at, shape)).max();
        if let Some(end) = longest {
            self.numbers_done = end;
            self.push(at, end, *kind, "national-id");
        }
    }

    /// The end of letters and digits in such an arrangement, with single signs between them.
    fn arranged(&self, from: usize, shape: &str) -> Option<usize> {
        let mut at = from;
        for (index, mark) in shape.bytes().enumerate() {
            if index > 0 && self.byte(at).is_some_and(|byte| b" -./+(".contains(&byte)) {
                at += 1;
            }
            let byte = self.byte(at)?;
            let fits = match mark {
                b'9' => byte.is_ascii_digit(),
                b'A' => byte.is_ascii_alphabetic(),
                b'X' => byte.is_ascii_alphanumeric(),
                other => byte == other,
            };
            if !fits {
                return None;
            }
            at += 1;
        }
        (!self.byte(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')).then_some(at)
    }

    /// `zip: 97301`, `postcode SW1A 2AA`.
    pub(super) fn postal_code(&mut self, start: usize, end: usize) {
        const SHAPES: [&str; 6] = ["999999999", "99999", "A9A9A9", "9999AA", "AA99AA", "A99AA"];
        let is_start = self.is_word_start(start) || matches!(self.before(start), Some(b'_'));
        let mut at = end;
        if self.text.get(at..at + 5).is_some_and(|tail| {
            let tail = tail.to_ascii_lowercase();
            tail == " code" || tail == "_code"
        }) || self.text.get(at..at + 4).is_some_and(|tail| tail.eq_ignore_ascii_case("code"))
        {
            at += if matches!(self.byte(at), Some(b' ' | b'_')) { 5 } else { 4 };
        }
        let signs = self.run_within(at, 6, |byte| b" :=\"'".contains(&byte));
        let has_sign =
            self.bytes.get(at..at + signs).is_some_and(|signs| signs.iter().any(|byte| b":=".contains(byte)));
        let from = at + signs;
        let british = ["AA9A9AA", "AA999AA", "A9A9AA", "A999AA", "AA99AA", "A99AA"];
        let code = SHAPES.iter().chain(&british).filter_map(|shape| self.arranged(from, shape)).max();
        if is_start
            && has_sign
            && start >= self.numbers_done
            && let Some(code) = code
        {
            self.numbers_done = code;
            self.push(from, code, Kind::Address, "postal-code");
        }
    }

    /// The digits of a card behind a label that says so, whatever stands between them.
    fn card_skeleton(&mut self, end: usize) -> bool {
        const LONGEST: usize = 48;
        let from = end + self.run_within(end, 6, |byte| b" :=#\"'".contains(&byte));
        let length = self.run_within(from, LONGEST, |byte| byte.is_ascii_digit() || b" -./".contains(&byte));
        if !self.byte(from).is_some_and(|byte| byte.is_ascii_digit()) || from == end {
            return false;
        }
        let mut digits = Vec::with_capacity(19);
        for (offset, &byte) in self.bytes.get(from..from + length).unwrap_or_default().iter().enumerate() {
            if !byte.is_ascii_digit() {
                continue;
            }
            digits.push(byte);
            let stop = from + offset + 1;
            let goes_on = self.byte(stop).is_some_and(|byte| byte.is_ascii_alphanumeric());
            // The shortest numbers of all are cards behind their label alone.
            let is_short = digits.len() == 12 && matches!(digits.as_slice(), [b'5' | b'6', ..]) && passes_luhn(&digits);
            if !goes_on && (is_short || digits.len() >= 13 && is_card(&digits)) {
                self.numbers_done = stop;
                self.push(from, stop, Kind::Card, "labelled-card");
                return true;
            }
        }
        false
    }

    /// Trims tokens of the value that stand alone: `X1234567 ISSUED 2020` is `X1234567`.
    fn labelled_number(&mut self, end: usize, label: &str, kind: Kind, rule: &'static str) {
        let Some(labelled) = self.behind_label(end) else { return };
        let is_strong = STRONG.iter().any(|strong| strong.eq_ignore_ascii_case(label));
        let from = labelled.from;
        // `member ID XYZ123456789`: no sign is needed in front of what can be nothing else.
        let is_plain_id = || {
            let tail = self.text.get(end..from).unwrap_or_default().trim_matches([' ', '_']);
            let token = self.run(from, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'-');
            let digits = self
                .bytes
                .get(from..from + token)
                .unwrap_or_default()
                .iter()
                .filter(|byte| byte.is_ascii_digit())
                .count();
            (tail.eq_ignore_ascii_case("id") || kind == Kind::Id && label.starts_with("licen"))
                && token >= 6
                && digits >= 4
        };
        if !labelled.has_sign && !is_strong && !is_plain_id() {
            return;
        }
        let allow_letters_first = kind == Kind::Account || is_strong;
        let Some(mut value_end) = self.number_value(from, allow_letters_first) else { return };
        let mut value = self.text.get(from..value_end).unwrap_or_default();
        // One token that is an identifier by itself ends the value at the first word without a digit.
        if let Some((head, rest)) = value.split_once(' ')
            && head.len() >= 6
            && head.bytes().any(|byte| byte.is_ascii_digit())
            && rest.split(' ').any(|word| word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_alphabetic()))
        {
            value_end = from + head.len();
            value = head;
        }
        let digits = value.bytes().filter(u8::is_ascii_digit).count();
        let letters_and_digits = value.bytes().filter(u8::is_ascii_alphanumeric).count();
        // A name of code, and no number: `policy_id: allow-all-2026`.
        let is_word = value.as_bytes().split(|byte| !byte.is_ascii_lowercase()).any(|run| run.len() >= 4);
        let is_version =
            is_word && kind == Kind::Id || value.split('.').count() > 2 || (digits < 3 && value.contains('.'));
        let least = if is_strong || kind == Kind::Account { 4 } else { 5 };
        let touches =
            self.byte(value_end).is_some_and(|byte| matches!(byte, b'_' | b'(' | b'@') || byte.is_ascii_alphanumeric());
        if letters_and_digits < least || letters_and_digits > 34 || digits < 2 || is_version || touches {
            return;
        }
        self.numbers_done = value_end;
        self.push(from, value_end, kind, rule);
    }

    fn is_label(&self, start: usize) -> bool {
        start >= self.numbers_done
            && (self.is_word_start(start) || self.bytes.get(start).is_some_and(u8::is_ascii_uppercase))
    }

    pub(super) fn account(&mut self, start: usize, end: usize) {
        if !self.is_label(start) {
            return;
        }
        let label = self.text.get(start..end).unwrap_or_default();
        if label.eq_ignore_ascii_case("account") || label.eq_ignore_ascii_case("card") {
            let rest = self.text.get(end..).unwrap_or_default();
            if let Some(ending) = ENDINGS
                .iter()
                .find(|ending| rest.get(..ending.len()).is_some_and(|head| head.eq_ignore_ascii_case(ending)))
            {
                let from = end + ending.len();
                let digits = self.run(from, |byte| byte.is_ascii_digit());
                if (3..=6).contains(&digits) {
                    self.numbers_done = from + digits;
                    self.push(from, from + digits, Kind::Account, "labelled-account");
                }
                return;
            }
        }
        if label.eq_ignore_ascii_case("card") {
            if self.card_skeleton(end) {
                return;
            }
            let before = self.bytes.get(start.saturating_sub(8)..start).unwrap_or_default().to_ascii_lowercase();
            let is_payment = [b"credit ".as_slice(), b"debit ", b"bank ", b"payment "]
                .iter()
                .any(|word| before.ends_with(word.trim_ascii_end()) || before.ends_with(word));
            let has_number = self.text.get(end..).is_some_and(|rest| {
                rest.starts_with(" number")
                    || rest.starts_with("_number")
                    || rest.starts_with("Number")
                    || rest.starts_with(" no")
            });
            if !is_payment && !has_number {
                return;
            }
        }
        // `account 12345678`: a row of digits of such a length needs no sign.
        let bare = usize::from(self.byte(end) == Some(b' '));
        let digits = self.run(end + bare, |byte| byte.is_ascii_digit());
        let stop = end + bare + digits;
        let goes_on = self
            .byte(stop)
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'/' | b':'));
        let ends_sentence =
            self.byte(stop) == Some(b'.') && !self.byte(stop + 1).is_some_and(|byte| byte.is_ascii_alphanumeric());
        if label.eq_ignore_ascii_case("account")
            && bare == 1
            && (7..=17).contains(&digits)
            && (!goes_on || ends_sentence)
        {
            self.numbers_done = stop;
            self.push(end + 1, stop, Kind::Account, "labelled-account");
            return;
        }
        let label = label.to_owned();
        self.labelled_number(end, &label, Kind::Account, "labelled-account");
    }

    pub(super) fn id(&mut self, start: usize, end: usize) {
        if !self.is_label(start) {
            return;
        }
        let label = self.text.get(start..end).unwrap_or_default().to_ascii_lowercase();
        // These words label other things as well: they need `id` or `number` behind them.
        let needs_tail =
            matches!(label.as_str(), "member" | "employee" | "student" | "patient" | "voter" | "licence" | "license");
        if needs_tail {
            let gap = self.run(end, |byte| matches!(byte, b' ' | b'_' | b'-'));
            let tail = self.bytes.get(end + gap..).unwrap_or_default();
            let begins =
                |word: &&str| tail.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word.as_bytes()));
            let is_driving = matches!(label.as_str(), "licence" | "license") && {
                let before = self.bytes.get(start.saturating_sub(10)..start).unwrap_or_default().to_ascii_lowercase();
                [b"driver's ".as_slice(), b"drivers ", b"driving ", b"driver ", b"driver_", b"drivers_"]
                    .iter()
                    .any(|word| before.ends_with(word))
            };
            let has_tail = ["id", "no", "number", "#", "nr"].iter().any(begins);
            if !is_driving && !has_tail {
                return;
            }
        }
        self.labelled_number(end, &label, Kind::Id, "labelled-id");
    }

    /// `SSN 078 05 1120`, in any grouping.
    pub(super) fn social_security(&mut self, start: usize, end: usize) {
        if !self.is_label(start) {
            return;
        }
        let Some(labelled) = self.behind_label(end) else { return };
        let from = labelled.from;
        let length =
            self.run_within(from, 24, |byte| byte.is_ascii_digit() || matches!(byte, b' ' | b'-' | b'.' | b'/'));
        let mut digits = Vec::new();
        for (offset, &byte) in self.bytes.get(from..from + length).unwrap_or_default().iter().enumerate() {
            if byte.is_ascii_digit() {
                digits.push(byte);
                let stop = from + offset + 1;
                if digits.len() == 9 && !self.byte(stop).is_some_and(|byte| byte.is_ascii_alphanumeric()) {
                    if is_social_security(&digits) {
                        self.numbers_done = stop;
                        self.push(from, stop, Kind::Ssn, "labelled-ssn");
                    }
                    return;
                }
            }
        }
    }

    /// `born on 4 March 1988`.
    pub(super) fn birth(&mut self, start: usize, end: usize) {
        const LONGEST_GAP: usize = 24;
        let is_hump = self.byte(start).is_some_and(|byte| byte.is_ascii_uppercase());
        if start < self.numbers_done || !(self.is_word_start(start) || is_hump || self.before(start) == Some(b'_')) {
            return;
        }
        // How the date is to be read: `date of birth (dd/mm/yyyy): …`.
        let open = self.blanks(end);
        let end = match self.bytes.get(end + open..(end + open + 16).min(self.bytes.len())) {
            Some([b'(', hint @ ..]) => match hint.iter().position(|&byte| byte == b')') {
                Some(close) if hint[..close].iter().all(|byte| b"dmyDMYjJtT/.- ".contains(byte)) => {
                    end + open + close + 2
                }
                _ => end,
            },
            _ => end,
        };
        // `date of birth`, `birthday`, `birth_date`, `born on the`: few words and signs stand in between.
        let mut at = end;
        let mut words = 0;
        while at < end + LONGEST_GAP {
            let Some(byte) = self.byte(at) else { return };
            let is_word = byte.is_ascii_alphabetic();
            if byte.is_ascii_digit() || (is_word && at > end) {
                let window = self.bytes.get(at..self.bytes.len().min(at + 40)).unwrap_or_default();
                if let Some(date) = date_at(window) {
                    self.numbers_done = at + date.length;
                    self.push(at, at + date.length, Kind::Dob, "date-of-birth");
                    return;
                }
                if byte.is_ascii_digit() {
                    return;
                }
            }
            if byte == b'\n' {
                return;
            }
            if is_word {
                let length = self.run(at, |byte| byte.is_ascii_alphabetic());
                let word = self.text.get(at..at + length).unwrap_or_default();
                let is_joined = at == end;
                let is_link = is_joined
                    || ["on", "the", "date", "day", "is", "was", "of", "in", "am", "le", "el", "il", "de", "di"]
                        .iter()
                        .any(|link| link.eq_ignore_ascii_case(word));
                words += 1;
                if !is_link || words > 4 {
                    return;
                }
                at += length;
            } else {
                at += 1;
            }
        }
    }

    /// `lat 59.32931`: a coordinate with four decimals or more.
    pub(super) fn coordinate(&mut self, start: usize, end: usize) {
        const TAILS: [&str; 9] = ["", "itude", "gitude", "s", "inate", "inates", "ation", "location", "ition"];
        if !self.is_label(start) && self.before(start) != Some(b'_') {
            return;
        }
        let ending = self.run_within(end, 12, |byte| byte.is_ascii_alphabetic());
        let label = self.text.get(start..end).unwrap_or_default().to_ascii_lowercase();
        let is_whole = self
            .text
            .get(end..end + ending)
            .is_some_and(|ending| TAILS.iter().any(|known| known.eq_ignore_ascii_case(ending)));
        if !is_whole {
            return;
        }
        let mut at = end + ending;
        // A place is a pair; the other labels stand in front of one number each.
        let needs_pair = matches!(label.as_str(), "location" | "position");
        let done = self.hits.len();
        let mut count = 0;
        for _ in 0..2 {
            let gap = self
                .run(at, |byte| matches!(byte, b' ' | b':' | b'=' | b'"' | b'\'' | b'(' | b'[' | b',' | b'-' | b'+'))
                .min(6);
            let from = at + gap - usize::from(gap > 0 && matches!(self.byte(at + gap - 1), Some(b'-' | b'+')));
            let length = self.run_within(from, 24, |byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+'));
            let Some(text) = self.text.get(from..from + length) else { break };
            let text = text.trim_end_matches('.');
            let Some((whole, decimals)) = text.split_once('.') else { break };
            let is_coordinate = whole.trim_start_matches(['-', '+']).len() <= 3
                && decimals.len() >= 4
                && decimals.bytes().all(|byte| byte.is_ascii_digit());
            if gap == 0 || !is_coordinate || from < self.numbers_done {
                break;
            }
            self.push(from, from + text.len(), Kind::Pii, "coordinate");
            count += 1;
            at = from + text.len();
        }
        if needs_pair && count < 2 {
            self.hits.truncate(done);
        } else if count > 0 {
            self.numbers_done = at;
        }
    }

    /// `tel: 030 901820`: any grouping of seven to fifteen digits.
    pub(super) fn phone_label(&mut self, start: usize, end: usize) {
        if start < self.numbers_done
            || !(self.is_word_start(start)
                || matches!(self.before(start), Some(b'_'))
                || self.bytes.get(start).is_some_and(u8::is_ascii_uppercase)
                || self.bytes[start.saturating_sub(4)..start].eq_ignore_ascii_case(b"tele"))
        {
            return;
        }
        // `phones`, `mobiles`: what is joined to the word belongs to it, and `call stack` is none.
        let label = self.text.get(start..end).unwrap_or_default();
        let joined = if label.ends_with([' ', ':', '.']) {
            0
        } else {
            self.run_within(end, 8, |byte| byte.is_ascii_alphabetic())
        };
        let is_certain = label.to_ascii_lowercase().starts_with("tel")
            || label.eq_ignore_ascii_case("fax")
            || label.eq_ignore_ascii_case("phone");
        let is_short = ["tel:", "tel.", "tel ", "handy:"].iter().any(|known| known.eq_ignore_ascii_case(label));
        let mut at = end - usize::from(is_short) + joined;
        let mut gap = self
            .run_within(at, 6, |byte| matches!(byte, b' ' | b':' | b'=' | b'"' | b'\'' | b'#' | b'.' | b'>' | b'_'));
        // `Phone:` with the number in the next line.
        if gap > 0 && is_certain && self.bytes[..at + gap].ends_with(b":") {
            gap += self.run_within(at + gap, 2, |byte| matches!(byte, b'\n' | b'\r'));
        }
        at += gap;
        // `call 912 345 678`: the blank belongs to the label itself.
        let is_grouped = || {
            let number = self.bytes.get(at..self.bytes.len().min(at + 16)).unwrap_or_default();
            let digits = number.iter().filter(|byte| byte.is_ascii_digit()).count();
            let is_number = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b' ' | b'-');
            digits >= 9 && number.iter().take(11).all(is_number) && number.iter().take(9).any(|byte| *byte == b' ')
        };
        gap += usize::from(gap == 0 && label.ends_with(' ') && is_grouped());
        for word in [b"number".as_slice(), b"no", b"me at", b"us at", b"me on", b"us on", b"is", b"at"] {
            if self.bytes.get(at..at + word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word)) {
                at += word.len();
                // `call me on …`: the blank belongs to the label itself.
                gap += usize::from(word.len() == 5);
                at += self.run_within(at, 4, |byte| matches!(byte, b' ' | b':' | b'=' | b'"' | b'\'' | b'.'));
            }
        }
        let length = self
            .run(at, |byte| byte.is_ascii_digit() || matches!(byte, b' ' | b'-' | b'.' | b'/' | b'(' | b')' | b'+'))
            .min(32);
        let Some(text) = self.text.get(at..at + length) else { return };
        let text = text.trim_end_matches([' ', '-', '.', '/', '(', ')', '+']);
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        let next = self.byte(at + text.len());
        let touches = next
            .is_some_and(|byte| (byte.is_ascii_alphanumeric() && byte != b'x') || matches!(byte, b':' | b'_' | b'%'));
        let is_dotted_pair = text.matches('.').count() == 1 && !text.contains([' ', '-', '/']);
        let is_shaped = text.starts_with(['+', '(']) || text.bytes().next().is_some_and(|byte| byte.is_ascii_digit());
        let is_date = date_at(text.as_bytes()).is_some();
        // Seconds since 1970 stand behind `signal` and `call` as well.
        let is_epoch = digits == 10 && text.starts_with('1') && text.len() == 10;
        let has_sign =
            self.bytes.get(end.saturating_sub(1)..at).is_some_and(|gap| gap.iter().any(|byte| b":.=".contains(byte)));
        let least = if is_certain && has_sign { 6 } else { 7 };
        if gap > 0
            && (least..=15).contains(&digits)
            && !touches
            && is_shaped
            && !is_dotted_pair
            && !is_date
            && !is_epoch
            && !text.contains("  ")
        {
            self.numbers_done = at + text.len();
            self.push(at, at + text.len(), Kind::Phone, "labelled-phone");
        }
    }
}
