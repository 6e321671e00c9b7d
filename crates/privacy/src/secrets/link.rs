//! What stands between a name and its value, in every notation.

use super::Reading;
use super::assignment::{LONGEST_NAME, LONGEST_VALUE, MOST_BLANKS, is_name_byte};
use super::label::Promise;
use super::value::looks_secret;

/// What connects a name with its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    /// `=`, `:`, `=>` and their like.
    Sign,
    /// `:` alone, which may announce a type.
    Colon,
    /// A blank behind a flag.
    Flag,
    /// A verb: `is`, `was`, `set to`.
    Verb,
    /// Nothing but a blank.
    Blank,
    /// An opening bracket, a comma: the value has to be quoted.
    Argument,
    /// The text of an element.
    Element,
    /// A field beside the one that names it.
    Sibling,
    /// The next line, or a dash: the value has to look like one.
    Apart,
}

impl Reading<'_> {
    /// What stands between a name and its value, and where the value begins.
    pub(super) fn link(&self, name_start: usize, name_end: usize, promise: Promise) -> Option<(Link, usize)> {
        if self.bytes[..name_start].ends_with(b"${") {
            // A variable with a default, which may be the secret itself; with a message, it is none.
            let rest = self.text.get(name_end..)?;
            if let Some(sign) = [":-", ":="].iter().find(|sign| rest.starts_with(**sign)) {
                return Some((Link::Sign, name_end + sign.len()));
            }
            // `${DB_PASSWORD:…}` of Spring; a shell has a sign or a number there.
            let is_default = rest.starts_with(':') && !rest[1..].starts_with(['?', '+', ' ', '0', '1', '$']);
            return is_default.then_some((Link::Apart, name_end + 1));
        }
        if self.text.get(name_end..).is_some_and(|rest| rest.starts_with("'s ")) {
            return Some((Link::Verb, self.skip_blanks(name_end + 3, MOST_BLANKS)));
        }
        let closing = self.run_within(name_end, 6, |byte| matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b']' | b'*'));
        let is_quoted = closing > 0;
        let at = name_end + closing;
        // The name may have that of its vocabulary in front: `<wsse:Password Type="…">`.
        let is_element = match self.before_name(name_start) {
            Some(b'<') => true,
            Some(b':') => {
                let space = self.bytes[..name_start - 1].iter().rev().take(16).take_while(|&&byte| is_name_byte(byte));
                self.bytes[..name_start - 1 - space.count()].last() == Some(&b'<')
            }
            _ => false,
        };
        if is_element {
            let tag = self.bytes.get(at..self.bytes.len().min(at + 128)).unwrap_or_default();
            let close = memchr::memchr2(b'>', b'\n', tag)?;
            return (tag.get(close) == Some(&b'>') && tag.get(close.wrapping_sub(1)) != Some(&b'/'))
                .then_some((Link::Element, at + close + 1));
        }
        if let Some(behind) = self.structure(name_start, name_end, at, promise) {
            return Some(behind);
        }
        let mut blank_end = self.skip_blanks(at, MOST_BLANKS);
        // `mnemonic (12 words): …`, `password (staging): …`.
        if promise >= Promise::Credential && blank_end > at && self.byte(blank_end) == Some(b'(') {
            let hint = self.run_within(blank_end, 24, |byte| byte != b')' && byte != b'\n');
            if self.bytes.get(blank_end + hint..blank_end + hint + 2) == Some(b"):") {
                blank_end += hint + 1;
            }
        }
        if promise == Promise::Password && self.bytes[blank_end..].starts_with(b":: ") {
            return Some((Link::Apart, self.skip_blanks(blank_end + 2, MOST_BLANKS)));
        }
        if let Some((link, behind)) = self.sign(blank_end) {
            let value = self.skip_to_value(behind, is_quoted);
            let is_end = matches!(self.byte(value), Some(b'\n' | b'\r'));
            if is_end
                && promise >= Promise::Credential
                && let Some(below) = self.below(value)
            {
                return Some((Link::Apart, below));
            }
            return Some((link, value));
        }
        if promise == Promise::Password
            && self.is_line(name_start, blank_end)
            && let Some(below) = self.below(blank_end)
        {
            return Some((Link::Apart, below));
        }
        if let Some(sibling) = self.sibling(at, is_quoted) {
            return Some((Link::Sibling, sibling));
        }
        let opening = self.byte(blank_end);
        // `the API key (…)`.
        if opening == Some(b'(') && blank_end > at && promise >= Promise::Credential && !is_quoted {
            let behind = blank_end + 1;
            let word = self.run_within(behind, LONGEST_VALUE, |byte| byte.is_ascii_graphic() && byte != b')');
            let shortest = if promise == Promise::Password { 5 } else { 8 };
            if word >= shortest && self.byte(behind + word) == Some(b')') {
                return Some((Link::Apart, behind));
            }
        }
        if opening == Some(b'(') && !is_quoted
            || opening == Some(b',') && (is_quoted || self.is_compared(blank_end, promise))
        {
            let mut behind = self.skip_blanks(blank_end + 1, MOST_BLANKS);
            // `NetworkCredential("user", "…")`: the second argument is the secret.
            let is_pair = self.bytes.get(name_end.saturating_sub(11)..name_end).is_some_and(|name| {
                let name = name.to_ascii_lowercase();
                name.ends_with(b"credential") || name.ends_with(b"credentials")
            });
            if is_pair
                && let Some(user) = self.quoted(behind)
                && self.byte(user.end + 1) == Some(b',')
            {
                behind = self.skip_blanks(user.end + 2, MOST_BLANKS);
            }
            return matches!(self.byte(behind), Some(b'"' | b'\'' | b'`')).then_some((Link::Argument, behind));
        }
        // A list of arguments without quotes: `[app, --password, …]`.
        let is_flag = self.bytes[name_start..].starts_with(b"-") || self.bytes[..name_start].ends_with(b"-");
        if is_flag && !is_quoted && self.bytes[at..].starts_with(b", ") && promise >= Promise::Credential {
            return Some((Link::Flag, at + 2));
        }
        if blank_end == at {
            return None;
        }
        self.link_over_blanks(name_start, blank_end, is_quoted, promise)
    }

    /// The place of the value in a notation that has more between it and its name than a sign.
    fn structure(&self, name_start: usize, name_end: usize, at: usize, promise: Promise) -> Option<(Link, usize)> {
        let is_quoted = at > name_end;
        if let Some(behind) = self.property_list(name_start, name_end).or_else(|| self.variable_block(name_start, at)) {
            return Some(behind);
        }
        // `<property name="ConnectionPassword">…</property>`.
        let is_attribute = || {
            [b" name=\"".as_slice(), b" key=\"", b" id=\""].iter().any(|name| {
                self.bytes.get(name_start.saturating_sub(64)..name_start).is_some_and(|head| {
                    let owner = head.iter().rev().take_while(|&&byte| is_name_byte(byte)).count();
                    head[..head.len() - owner].ends_with(name)
                })
            })
        };
        if is_quoted && promise >= Promise::Credential && is_attribute() {
            let tag = self.run_within(at, 64, |byte| !matches!(byte, b'>' | b'<' | b'\n'));
            let behind = at + tag + 1;
            let inner = behind + self.run_within(behind, MOST_BLANKS, |byte| byte.is_ascii_whitespace());
            let has_value = self.bytes.get(inner..).is_some_and(|rest| rest.starts_with(b"<value>"));
            if self.byte(at + tag) == Some(b'>') && (tag == 0 || has_value) {
                return Some((Link::Element, if has_value { inner + 7 } else { behind }));
            }
        }
        // `expect "password:"` and what the script sends then.
        if promise == Promise::Password
            && let Some(sent) = self.sent(name_end)
        {
            return Some((Link::Sign, sent));
        }
        // A field of a form: its value stands behind an empty line.
        if is_quoted && self.bytes[..name_start].ends_with(b"name=\"") {
            let breaks = self.run_within(at, 4, |byte| matches!(byte, b'\r' | b'\n'));
            let lines = self.bytes.get(at..at + breaks).map_or(0, |breaks| memchr::memchr_iter(b'\n', breaks).count());
            if lines == 2 {
                return Some((Link::Sign, at + breaks));
            }
        }
        None
    }

    /// `assert_eq!(config.password, "…")`.
    fn is_compared(&self, comma: usize, promise: Promise) -> bool {
        let value = self.quoted(self.skip_blanks(comma + 1, MOST_BLANKS));
        let text = value.and_then(|value| self.text.get(value.start..value.end)).unwrap_or_default();
        promise == Promise::Password
            && text.len() >= 8
            && text.bytes().any(|byte| byte.is_ascii_lowercase())
            && text.bytes().any(|byte| byte.is_ascii_uppercase() || b"!@#$%^&*+=?~".contains(&byte))
    }

    /// What connects a name with the word behind a blank.
    fn link_over_blanks(
        &self,
        name_start: usize,
        blank_end: usize,
        is_quoted: bool,
        promise: Promise,
    ) -> Option<(Link, usize)> {
        // `find the password below:` and the value in the next line.
        if promise == Promise::Password
            && let Some(below) = self.below_sentence(blank_end)
        {
            return Some((Link::Apart, below));
        }
        // `IDENTIFIED WITH mysql_native_password BY '…'`.
        if [b"by '".as_slice(), b"by \""]
            .iter()
            .any(|by| self.bytes.get(blank_end..blank_end + 4).is_some_and(|word| word.eq_ignore_ascii_case(by)))
        {
            return Some((Link::Sign, blank_end + 3));
        }
        if [b"- ".as_slice(), b"-- "].iter().any(|dash| self.bytes[blank_end..].starts_with(dash)) && !is_quoted {
            let behind = self.skip_blanks(blank_end + self.run(blank_end, |byte| byte == b'-'), 4);
            return (promise >= Promise::Credential).then_some((Link::Apart, behind));
        }
        // `SET PASSWORD FOR 'app'@'localhost' = '…'`.
        if promise == Promise::Password
            && self.bytes.get(blank_end..blank_end + 5).is_some_and(|word| word.eq_ignore_ascii_case(b"for '"))
        {
            let user = self.bytes.get(blank_end..self.line_end(blank_end).min(blank_end + 160))?;
            return memchr::memmem::find(user, b" = '").map(|found| (Link::Sign, blank_end + found + 3));
        }
        let is_flag = name_start > 0 && self.byte(name_start - 1) == Some(b'-')
            || self.text.get(name_start..).is_some_and(|rest| rest.starts_with('-'));
        if is_flag && !is_quoted && self.byte(blank_end) != Some(b'-') {
            return Some((Link::Flag, blank_end));
        }
        if let Some(behind) = self.verb(blank_end) {
            return Some((Link::Verb, behind));
        }
        // The number of an encryption in front of the value, and a flag that takes it.
        let word = self.run_within(blank_end, LONGEST_NAME, |byte| byte.is_ascii_graphic());
        let is_between = match self.bytes.get(blank_end..blank_end + word) {
            Some([digit] | [digit, b':']) => digit.is_ascii_digit(),
            Some(word) => matches!(word, b"--body" | b"--value"),
            None => false,
        };
        if is_between && promise >= Promise::Credential {
            return Some((Link::Apart, self.skip_blanks(blank_end + word, MOST_BLANKS)));
        }
        (promise >= Promise::Credential && !is_quoted).then_some((Link::Blank, blank_end))
    }

    /// The text that a script sends when it has seen the prompt: `"password:" { send "…\r" }`.
    fn sent(&self, name_end: usize) -> Option<usize> {
        const NEAR: usize = 64;
        let window = self.bytes.get(name_end..self.bytes.len().min(name_end + NEAR))?;
        if !window.starts_with(b":\"") && !window.starts_with(b": \"") && !window.starts_with(b"\"") {
            return None;
        }
        [b"send \"".as_slice(), b"send -- \""]
            .iter()
            .find_map(|word| memchr::memmem::find(window, word).map(|found| name_end + found + word.len() - 1))
    }

    /// A sign of assignment at a place, and the place behind it.
    pub(super) fn sign(&self, at: usize) -> Option<(Link, usize)> {
        const SIGNS: [&[u8]; 14] =
            [b"<<<", b"===", b"!==", b"||=", b"??=", b":=", b"=>", b"==", b"!=", b"+=", b"?=", b"<-", b"->", b"="];
        let rest = self.bytes.get(at..)?;
        if rest.starts_with("→".as_bytes()) {
            return Some((Link::Apart, at + "→".len()));
        }
        if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(sign)) {
            return Some((Link::Sign, at + sign.len()));
        }
        let is_colon = rest.starts_with(b":") && !rest.starts_with(b"::");
        is_colon.then_some((Link::Colon, at + 1))
    }

    /// `<key>password</key><string>…</string>`.
    fn property_list(&self, name_start: usize, name_end: usize) -> Option<(Link, usize)> {
        const ELEMENTS: [(&[u8], &[u8]); 3] =
            [(b"</key>", b"<string>"), (b"</name>", b"<value>"), (b"</Key>", b"<Value>")];
        let rest = self.bytes.get(name_end..)?;
        let (close, open) = ELEMENTS.iter().find(|(close, _)| rest.starts_with(close))?;
        let rest = &rest[close.len()..];
        let blanks = rest.iter().take(MOST_BLANKS).take_while(|byte| byte.is_ascii_whitespace()).count();
        let is_value = name_start >= 5 && rest.get(blanks..)?.starts_with(open);
        is_value.then_some((Link::Element, name_end + close.len() + blanks + open.len()))
    }

    /// `variable "db_password" { default = "…" }`.
    fn variable_block(&self, name_start: usize, at: usize) -> Option<(Link, usize)> {
        const NEAR: usize = 400;
        if !self.bytes[..name_start].ends_with(b"variable \"") || !self.bytes.get(at..)?.starts_with(b" {") {
            return None;
        }
        let block = self.bytes.get(at..self.bytes.len().min(at + NEAR))?;
        let block = &block[..memchr::memchr(b'}', block).unwrap_or(block.len())];
        let default = memchr::memmem::find(block, b"default")? + 7;
        let sign = at + default + block[default..].iter().take_while(|&&byte| byte == b' ').count();
        (self.byte(sign) == Some(b'=')).then(|| (Link::Sign, self.skip_blanks(sign + 1, MOST_BLANKS)))
    }

    /// A name stands alone in its line.
    pub(super) fn is_line(&self, name_start: usize, blank_end: usize) -> bool {
        let is_start = self.bytes[..name_start]
            .iter()
            .rev()
            .take(MOST_BLANKS)
            .find(|&&byte| byte != b' ' && byte != b'\t')
            .is_none_or(|&byte| byte == b'\n');
        is_start && matches!(self.byte(blank_end), Some(b'\n' | b'\r') | None)
    }

    /// A few words up to a colon at the end of the line, and one word alone in the next one.
    fn below_sentence(&self, from: usize) -> Option<usize> {
        const LONGEST: usize = 40;
        let words = self.run_within(from, LONGEST, |byte| byte.is_ascii_alphabetic() || byte == b' ');
        let colon = from + words;
        let is_end = matches!(self.byte(colon + 1), Some(b'\n' | b'\r'));
        (self.byte(colon) == Some(b':') && is_end).then(|| self.below(colon + 1))?
    }

    /// One word alone in the next line that holds anything.
    fn below(&self, line_end: usize) -> Option<usize> {
        let breaks = self.run_within(line_end, MOST_BLANKS, |byte| byte.is_ascii_whitespace());
        let lines = memchr::memchr_iter(b'\n', self.bytes.get(line_end..line_end + breaks)?).count();
        let start = line_end + breaks;
        let length = self.run(start, |byte| !byte.is_ascii_whitespace());
        let behind = self.skip_blanks(start + length, MOST_BLANKS);
        let is_alone = matches!(self.byte(behind), None | Some(b'\n' | b'\r'));
        let word = self.text.get(start..start + length)?;
        let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
        let is_word = length >= 8 && has_digit && !word.ends_with(':') && !word.contains("://") && !word.contains('=');
        ((1..=2).contains(&lines) && is_alone && is_word).then_some(start)
    }

    /// Blanks in front of a value; behind a quoted name, the value may stand in the next line.
    fn skip_to_value(&self, from: usize, is_quoted: bool) -> usize {
        // `**Password:** …`
        let marks = self.run(from, |byte| byte == b'*' || byte == b'_');
        let is_marked = marks == 2 && matches!(self.byte(from + 2), Some(b' ' | b'`'));
        let from = if is_marked { from + 2 } else { from };
        let at = self.skip_blanks(from, MOST_BLANKS);
        let is_break = matches!(self.byte(at), Some(b'\n' | b'\r'));
        if is_quoted && is_break {
            let next = at + self.run_within(at, MOST_BLANKS, |byte| byte.is_ascii_whitespace());
            if matches!(self.byte(next), Some(b'"' | b'\'')) {
                return next;
            }
        }
        at
    }

    /// `"key": "password", "value": "…"` and `name: PASSWORD` with `value: …` in the next line.
    fn sibling(&self, at: usize, is_quoted: bool) -> Option<usize> {
        const NAMES: [&str; 7] =
            ["value", "val", "defaultvalue", "default_value", "stringvalue", "parametervalue", "content"];
        let comma = self.run_within(at, MOST_BLANKS, |byte| matches!(byte, b',' | b' ' | b'\t' | b'\r' | b'\n' | b'-'));
        if comma == 0 {
            return None;
        }
        let quote = at + comma + self.run_within(at + comma, 3, |byte| matches!(byte, b'"' | b'\'' | b'\\'));
        let has_break = self.bytes.get(at..at + comma)?.iter().any(|byte| matches!(byte, b',' | b'\n'));
        if !has_break && !is_quoted {
            return None;
        }
        let length = self.run_within(quote, LONGEST_NAME, is_name_byte);
        let name = self.text.get(quote..quote + length)?;
        if !NAMES.iter().any(|candidate| candidate.eq_ignore_ascii_case(name)) {
            return None;
        }
        let closing = quote + length + self.run_within(quote + length, 3, |byte| matches!(byte, b'"' | b'\'' | b'\\'));
        let (_, behind) = self.sign(self.skip_blanks(closing, MOST_BLANKS))?;
        Some(self.skip_blanks(behind, MOST_BLANKS))
    }

    /// `is`, `was`, `set to`, with a few words in between: `password for the admin account is …`.
    pub(super) fn verb(&self, at: usize) -> Option<usize> {
        const VERBS: [&str; 13] =
            ["is", "was", "to", "are", "=", "lautet", "ist", "est", "es", "e", "ar", "er", "jest"];
        const LONGEST_VERB: usize = 6;
        const DONE: [&str; 5] = ["generated", "set", "created", "assigned", "reset"];
        const PLACES: [&str; 6] = ["on", "for", "of", "at", "in", "from"];
        const MOST_WORDS: usize = 6;
        let mut at = at;
        let mut is_place = false;
        for _ in 0..MOST_WORDS {
            let length = self.run_within(at, LONGEST_NAME, |byte| !byte.is_ascii_whitespace());
            let word = self.text.get(at..at + length)?;
            let next = self.skip_blanks(at + length, 4);
            if length == 0 || next == at + length {
                return None;
            }
            let is_done = || {
                let next = self.run_within(next, LONGEST_NAME, |byte| byte.is_ascii_alphabetic());
                let word = self.text.get(at + length..)?.trim_start().get(..next)?;
                DONE.iter().any(|done| done.eq_ignore_ascii_case(word)).then_some(())
            };
            let stem = word.trim_end_matches(':');
            let is_verb = stem.len() <= LONGEST_VERB && VERBS.iter().any(|verb| verb.eq_ignore_ascii_case(stem));
            if is_verb && is_done().is_none() {
                return Some(next);
            }
            // `will be …`, `should be …`.
            if word.eq_ignore_ascii_case("be") {
                let value = self.run_within(next, LONGEST_NAME, |byte| byte.is_ascii_graphic());
                return self.text.get(next..next + value).is_some_and(looks_secret).then_some(next);
            }
            let is_word =
                word.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'\'' | b'-' | b'(' | b')'));
            let is_account = is_place && word.contains('@');
            if word.ends_with(':') && (is_word_with_colon(word) || is_account) {
                return Some(next);
            }
            // The name of a machine: `password on db1 is …`.
            let is_machine = is_place && length <= 24 && word.bytes().all(is_name_byte);
            if !is_word && !is_machine {
                return None;
            }
            is_place = PLACES.iter().any(|place| place.eq_ignore_ascii_case(word));
            at = next;
        }
        None
    }
}

fn is_word_with_colon(word: &str) -> bool {
    word.trim_end_matches(':').bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'(' | b')' | b'\''))
}
