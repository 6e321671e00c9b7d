//! A name that promises a secret, and the value that follows it, in every notation that has the two side by side.
//!
//! `NAME=value`, `"name": "value"`, `name = "value"`, `--name value`, `<name>value</name>`, `name("value")`,
//! `{"key": "name", "value": "value"}`, `the name is value`.

use super::Reading;
use super::label::{Promise, promise};
use super::value::{Form, is_secret, is_type, looks_secret};

/// Longer names are no names.
const LONGEST_NAME: usize = 80;
/// Blanks between a name, its sign and its value.
const MOST_BLANKS: usize = 40;
/// The longest quoted value that is looked for.
const LONGEST_VALUE: usize = 16 * 1024;

/// What connects a name with its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Link {
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
}

/// A value in its place.
#[derive(Debug, Clone, Copy)]
struct Value {
    start: usize,
    end: usize,
    form: Form,
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

impl Reading<'_> {
    /// At a word that may be a part of a name.
    pub(super) fn label(&mut self, start: usize, end: usize) {
        if start < self.labels_done {
            return;
        }
        if self.text.get(start..end).is_some_and(|word| word.eq_ignore_ascii_case("identified by")) {
            self.labels_done = end;
            if let Some(value) = self.quoted(self.skip_blanks(end, MOST_BLANKS)) {
                self.accept(value, Promise::Password);
            }
            return;
        }
        let (name_start, name_end) = self.name_around(start, end);
        self.labels_done = name_end;
        let Some(name) = self.text.get(name_start..name_end) else { return };
        let name = name.trim_end_matches(['.', '-']);
        let name_end = name_start + name.len();
        let Some(promise) = self.promise_of(name, name_start, name_end) else { return };
        let (mut promise, name_end) = promise;
        // A variable of the environment: `MY_KEY=…`.
        let is_variable = !name.bytes().any(|byte| byte.is_ascii_lowercase()) && self.byte(name_end) == Some(b'=');
        if promise == Promise::Hint && is_variable {
            promise = Promise::Credential;
        }
        if promise == Promise::Code {
            self.code(name_start, name_end);
            return;
        }
        let Some((link, at)) = self.link(name_start, name_end, promise) else { return };
        // `auth::token: …` is the source of a log line.
        let is_module = link == Link::Colon && name_start > 0 && self.byte(name_start - 1) == Some(b':');
        if is_module
            || (promise == Promise::Hint && link == Link::Colon && name.to_ascii_lowercase().ends_with("session"))
        {
            return;
        }
        let Some(value) = self.value(at, link, promise, name_start) else { return };
        let Some(text) = self.text.get(value.start..value.end) else { return };
        let is_accepted = match link {
            Link::Blank => looks_secret(text) && is_secret(text, promise, value.form),
            Link::Verb => (looks_secret(text) || text.len() >= 12) && is_secret(text, promise, value.form),
            Link::Argument => {
                promise > Promise::Hint
                    && !text.contains(' ')
                    && text.bytes().any(|byte| byte.is_ascii_digit())
                    && looks_secret(text)
                    && is_secret(text, promise, value.form)
            }
            _ => is_secret(text, promise, value.form),
        };
        if is_accepted {
            self.labels_done = value.end;
            self.push_secret(value.start, value.end, "assignment");
        }
    }

    fn accept(&mut self, value: Value, promise: Promise) {
        let is_secret = self.text.get(value.start..value.end).is_some_and(|text| is_secret(text, promise, value.form));
        if is_secret {
            self.labels_done = value.end;
            self.push_secret(value.start, value.end, "assignment");
        }
    }

    /// The digits of a code for one use, behind its name or in front of it: `PIN: 4821`, `482913 is your login code`.
    fn code(&mut self, name_start: usize, name_end: usize) {
        const LONGEST: usize = 8;
        let name = self.text.get(name_start..name_end).unwrap_or_default().to_ascii_lowercase();
        // The code on the back of a card has three digits.
        let shortest = if name.ends_with("cvv") || name.ends_with("cvc") { 3 } else { 4 };
        let mut at = name_end + self.run(name_end, |byte| matches!(byte, b'"' | b'\'' | b'`')).min(2);
        at = self.skip_blanks(at, MOST_BLANKS);
        match self.sign(at) {
            Some((_, behind)) => at = behind,
            None => at = self.verb(at).unwrap_or(at),
        }
        at = self.skip_blanks(at, MOST_BLANKS);
        at += self.run(at, |byte| matches!(byte, b'"' | b'\'' | b'`' | b'*')).min(3);
        let length = self.run(at, |byte| byte.is_ascii_digit() || matches!(byte, b'-' | b' ')).min(LONGEST + 2);
        let text = self.text.get(at..at + length).unwrap_or_default().trim_end_matches([' ', '-']);
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        let groups: Vec<usize> = text.split([' ', '-']).map(str::len).collect();
        let is_even = groups.len() <= 2 && groups.windows(2).all(|pair| pair[0] == pair[1]);
        let next = self.byte(at + text.len());
        let goes_on = next.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            || (matches!(next, Some(b'.' | b':' | b'/'))
                && self.byte(at + text.len() + 1).is_some_and(|byte| byte.is_ascii_digit()));
        if (shortest..=LONGEST).contains(&digits) && is_even && !goes_on {
            self.push_secret(at, at + text.len(), "one-time-code");
            return;
        }
        let window_start = (name_start.saturating_sub(48)..=name_start)
            .find(|&at| self.text.is_char_boundary(at))
            .unwrap_or(name_start);
        let window = self.text.get(window_start..name_start).unwrap_or_default();
        if let Some(verb) = window.rfind(" is your ") {
            let head = &window[..verb];
            let digits = head.bytes().rev().take_while(u8::is_ascii_digit).count();
            let is_word = head.len() == digits || !head.as_bytes()[head.len() - digits - 1].is_ascii_alphanumeric();
            if (shortest..=LONGEST).contains(&digits) && is_word {
                self.push_secret(window_start + verb - digits, window_start + verb, "one-time-code");
            }
        }
    }

    /// The whole name around a part of it.
    fn name_around(&self, start: usize, end: usize) -> (usize, usize) {
        let floor = self.labels_done.max(start.saturating_sub(LONGEST_NAME));
        let before = self.bytes[floor..start].iter().rev().take_while(|&&byte| is_name_byte(byte)).count();
        let mut name_start = start - before;
        // Behind a backslash stands an escape, and its letter belongs to no name.
        let is_escaped = name_start > 0 && self.byte(name_start - 1) == Some(b'\\');
        if is_escaped && matches!(self.byte(name_start), Some(b'n' | b'r' | b't')) && name_start < start {
            name_start += 1;
        }
        let own = self.bytes.get(end - 1).copied().is_some_and(is_name_byte);
        let name_end = if own {
            end + self.run(end, is_name_byte).min(LONGEST_NAME)
        } else {
            end - self.bytes[start..end].iter().rev().take_while(|&&byte| !is_name_byte(byte)).count()
        };
        (name_start, name_end)
    }

    /// What a name promises, taking a second word into account: `api key`, `pass phrase`.
    fn promise_of(&self, name: &str, start: usize, end: usize) -> Option<(Promise, usize)> {
        let name = name.trim_start_matches(['-', '.']);
        let before = self.bytes.get(start.saturating_sub(16)..start).unwrap_or_default();
        let joined = before
            .strip_suffix(b" ")
            .map(|before| {
                let length = before.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
                &before[before.len() - length..]
            })
            .and_then(|word| std::str::from_utf8(word).ok())
            .filter(|word| !word.is_empty());
        if let Some(word) = joined
            && let Some(found) = promise(&format!("{word}_{name}"))
        {
            return Some((found, end));
        }
        // In the query of a URL a signature is as good as a password.
        let is_parameter = matches!(self.bytes.get(start.wrapping_sub(1)), Some(b'?' | b'&'));
        let is_signature = is_parameter
            && ["sig", "signature", "x-amz-signature", "x-goog-signature", "hmac"]
                .iter()
                .any(|known| known.eq_ignore_ascii_case(name));
        promise(name).or(is_signature.then_some(Promise::Credential)).map(|found| (found, end))
    }

    /// What stands between a name and its value, and where the value begins.
    fn link(&self, name_start: usize, name_end: usize, promise: Promise) -> Option<(Link, usize)> {
        if self.bytes[..name_start].ends_with(b"${") {
            // A variable with a default, which may be the secret itself; with a message, it is none.
            let rest = self.text.get(name_end..)?;
            return [":-", ":="]
                .iter()
                .find(|sign| rest.starts_with(**sign))
                .map(|sign| (Link::Sign, name_end + sign.len()));
        }
        if self.text.get(name_end..).is_some_and(|rest| rest.starts_with("'s ")) {
            return Some((Link::Verb, self.skip_blanks(name_end + 3, MOST_BLANKS)));
        }
        let closing = self.run(name_end, |byte| matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b']' | b'*')).min(6);
        let is_quoted = closing > 0;
        let at = name_end + closing;
        let is_element = name_start > 0 && self.byte(name_start - 1) == Some(b'<');
        if is_element {
            let tag = self.bytes.get(at..self.bytes.len().min(at + 128)).unwrap_or_default();
            let close = memchr::memchr2(b'>', b'\n', tag)?;
            return (tag.get(close) == Some(&b'>') && tag.get(close.wrapping_sub(1)) != Some(&b'/'))
                .then_some((Link::Element, at + close + 1));
        }
        let blank_end = self.skip_blanks(at, MOST_BLANKS);
        if let Some((link, behind)) = self.sign(blank_end) {
            return Some((link, self.skip_to_value(behind, is_quoted)));
        }
        if let Some(sibling) = self.sibling(at, is_quoted) {
            return Some((Link::Sibling, sibling));
        }
        let opening = self.byte(blank_end);
        if opening == Some(b'(') && !is_quoted || opening == Some(b',') && is_quoted {
            let behind = self.skip_blanks(blank_end + 1, MOST_BLANKS);
            return matches!(self.byte(behind), Some(b'"' | b'\'' | b'`')).then_some((Link::Argument, behind));
        }
        if blank_end == at {
            return None;
        }
        let is_flag = name_start > 0 && self.byte(name_start - 1) == Some(b'-')
            || self.text.get(name_start..).is_some_and(|rest| rest.starts_with('-'));
        if is_flag && !is_quoted && self.byte(blank_end) != Some(b'-') {
            return Some((Link::Flag, blank_end));
        }
        if let Some(behind) = self.verb(blank_end) {
            return Some((Link::Verb, behind));
        }
        (promise >= Promise::Credential && !is_quoted).then_some((Link::Blank, blank_end))
    }

    /// A sign of assignment at a place, and the place behind it.
    fn sign(&self, at: usize) -> Option<(Link, usize)> {
        const SIGNS: [&[u8]; 13] =
            [b"===", b"!==", b"||=", b"??=", b":=", b"=>", b"==", b"!=", b"+=", b"?=", b"<-", b"->", b"="];
        let rest = self.bytes.get(at..)?;
        if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(sign)) {
            return Some((Link::Sign, at + sign.len()));
        }
        let is_colon = rest.starts_with(b":") && !rest.starts_with(b"::");
        is_colon.then_some((Link::Colon, at + 1))
    }

    /// Blanks in front of a value; behind a quoted name, the value may stand in the next line.
    fn skip_to_value(&self, from: usize, is_quoted: bool) -> usize {
        let at = self.skip_blanks(from, MOST_BLANKS);
        let is_break = matches!(self.byte(at), Some(b'\n' | b'\r'));
        if is_quoted && is_break {
            let next = at + self.run(at, |byte| byte.is_ascii_whitespace()).min(MOST_BLANKS);
            if matches!(self.byte(next), Some(b'"' | b'\'')) {
                return next;
            }
        }
        at
    }

    /// `"key": "password", "value": "…"` and `name: PASSWORD` with `value: …` in the next line.
    fn sibling(&self, at: usize, is_quoted: bool) -> Option<usize> {
        const NAMES: [&str; 5] = ["value", "val", "defaultvalue", "default_value", "stringvalue"];
        let comma = self.run(at, |byte| matches!(byte, b',' | b' ' | b'\t' | b'\r' | b'\n' | b'-')).min(MOST_BLANKS);
        if comma == 0 {
            return None;
        }
        let quote = at + comma + self.run(at + comma, |byte| matches!(byte, b'"' | b'\'' | b'\\')).min(3);
        let has_break = self.bytes.get(at..at + comma)?.iter().any(|byte| matches!(byte, b',' | b'\n'));
        if !has_break && !is_quoted {
            return None;
        }
        let length = self.run(quote, is_name_byte).min(LONGEST_NAME);
        let name = self.text.get(quote..quote + length)?;
        if !NAMES.iter().any(|candidate| candidate.eq_ignore_ascii_case(name)) {
            return None;
        }
        let closing = quote + length + self.run(quote + length, |byte| matches!(byte, b'"' | b'\'' | b'\\')).min(3);
        let (_, behind) = self.sign(self.skip_blanks(closing, MOST_BLANKS))?;
        Some(self.skip_blanks(behind, MOST_BLANKS))
    }

    /// `is`, `was`, `set to`, with a few words in between: `password for the admin account is …`.
    fn verb(&self, at: usize) -> Option<usize> {
        const VERBS: [&str; 5] = ["is", "was", "to", "are", "="];
        const MOST_WORDS: usize = 6;
        let mut at = at;
        for _ in 0..MOST_WORDS {
            let length = self.run(at, |byte| !byte.is_ascii_whitespace()).min(LONGEST_NAME);
            let word = self.text.get(at..at + length)?;
            let next = self.skip_blanks(at + length, 4);
            if length == 0 || next == at + length {
                return None;
            }
            if VERBS.iter().any(|verb| verb.eq_ignore_ascii_case(word.trim_end_matches(':'))) {
                return Some(next);
            }
            let is_word =
                word.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'\'' | b'-' | b'(' | b')'));
            if word.ends_with(':') && is_word_with_colon(word) {
                return Some(next);
            }
            if !is_word {
                return None;
            }
            at = next;
        }
        None
    }

    /// The value at a place.
    fn value(&mut self, at: usize, link: Link, promise: Promise, name_start: usize) -> Option<Value> {
        if link == Link::Element {
            let window = self.bytes.get(at..self.bytes.len().min(at + LONGEST_VALUE))?;
            let length = memchr::memchr(b'<', window)?;
            // `Option<Secret>` is no element: one is closed behind its text.
            if window.get(length + 1) != Some(&b'/') {
                return None;
            }
            let text = self.text.get(at..at + length)?;
            let start = at + (text.len() - text.trim_start().len());
            return Some(Value { start, end: start + text.trim().len(), form: Form::Quoted });
        }
        if let Some(value) = self.quoted(at) {
            let start = self.behind_scheme(value.start).min(value.end);
            return Some(Value { start, ..value });
        }
        if link == Link::Argument {
            return None;
        }
        let at = self.behind_scheme(at);
        if let Some(block) = self.block_scalar(at) {
            return Some(block);
        }
        if promise == Promise::Phrase
            && let Some(phrase) = self.phrase(at)
        {
            return Some(phrase);
        }
        let value = self.bare(at, name_start);
        let text = self.text.get(value.start..value.end)?;
        if link == Link::Colon && (is_type(text) || text.bytes().all(|byte| byte.is_ascii_alphabetic())) {
            // A type may be followed by the value: `password: str = "…"`.
            let rest = self.bytes.get(value.start..self.line_end(value.start).min(value.start + LONGEST_NAME))?;
            if let Some(sign) = memchr::memmem::find(rest, b"= ")
                && let Some(value) = self.quoted(value.start + sign + 2)
            {
                return Some(value);
            }
        }
        Some(value)
    }

    /// `Bearer`, `Basic` and their like in front of the credential.
    fn behind_scheme(&self, at: usize) -> usize {
        const SCHEMES: [&str; 9] = ["bearer", "basic", "token", "apikey", "bot", "ssws", "key", "jwt", "negotiate"];
        let length = self.run(at, |byte| byte.is_ascii_alphabetic()).min(16);
        let next = self.skip_blanks(at + length, 4);
        let is_scheme = next > at + length
            && self
                .text
                .get(at..at + length)
                .is_some_and(|word| SCHEMES.iter().any(|scheme| scheme.eq_ignore_ascii_case(word)));
        if is_scheme { next } else { at }
    }

    /// A value between quotes, however often they are escaped.
    fn quoted(&self, at: usize) -> Option<Value> {
        let mut open = at;
        // Prefixes of string literals: b"", r"", f"", @"", $"".
        if matches!(self.byte(open), Some(b'b' | b'r' | b'f' | b'u' | b'B' | b'R' | b'@' | b'$'))
            && matches!(self.byte(open + 1), Some(b'"' | b'\''))
        {
            open += 1;
        }
        let slashes = self.run(open, |byte| byte == b'\\');
        let quote = self.byte(open + slashes).filter(|byte| matches!(byte, b'"' | b'\'' | b'`'))?;
        let triple = slashes == 0 && self.bytes.get(open..open + 3) == Some(&[quote; 3]);
        let start = open + slashes + if triple { 3 } else { 1 };
        let limit = self.bytes.len().min(start + LONGEST_VALUE);
        let mut end = start;
        while end < limit {
            match self.byte(end) {
                Some(b'\\') => {
                    let run = self.run(end, |byte| byte == b'\\');
                    let is_close = self.byte(end + run) == Some(quote) && run <= slashes && slashes > 0;
                    if is_close {
                        return Some(Value { start, end, form: Form::Quoted });
                    }
                    // Pairs of backslashes stand for one; an odd one takes the next character along.
                    end += run + run % 2;
                }
                Some(b'\n' | b'\r') if !triple => break,
                Some(byte) if byte == quote && (!triple || self.bytes.get(end..end + 3) == Some(&[quote; 3])) => {
                    return Some(Value { start, end, form: Form::Quoted });
                }
                Some(_) => end += 1,
                None => break,
            }
        }
        // The closing quote is missing, as at the end of a cut text: the rest of the line is the value.
        let end = end.min(self.bytes.len());
        let end = (start..=end).rev().find(|&place| self.text.is_char_boundary(place))?;
        (end > start).then_some(Value { start, end, form: Form::Quoted })
    }

    /// A YAML block: the indented lines behind `|` or `>`.
    fn block_scalar(&self, at: usize) -> Option<Value> {
        if !matches!(self.byte(at), Some(b'|' | b'>')) {
            return None;
        }
        let mark_end = at + 1 + self.run(at + 1, |byte| matches!(byte, b'-' | b'+' | b'0'..=b'9'));
        if self.byte(mark_end) != Some(b'\n') {
            return None;
        }
        let indent = self.run(mark_end + 1, |byte| byte == b' ');
        let start = mark_end + 1 + indent;
        let mut end = self.line_end(start);
        while indent > 0 && end < self.bytes.len() && end - start < LONGEST_VALUE {
            let next = end + self.run(end, |byte| matches!(byte, b'\r' | b'\n')).min(2);
            if self.run(next, |byte| byte == b' ') < indent {
                break;
            }
            end = self.line_end(next);
        }
        (indent > 0 && end > start).then_some(Value { start, end, form: Form::Quoted })
    }

    /// Three or more plain words to the end of the line.
    fn phrase(&self, at: usize) -> Option<Value> {
        let end = self.line_end(at);
        let line = self.text.get(at..end)?.trim_end_matches(['.', ' ', ',']);
        let words = line.split(' ').filter(|word| !word.is_empty()).count();
        let is_plain = line.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b' ' | b'-'));
        (words >= 3 && is_plain).then_some(Value { start: at, end: at + line.len(), form: Form::Quoted })
    }

    /// A value without quotes: up to a blank, or to what ends it in its notation.
    fn bare(&mut self, start: usize, name_start: usize) -> Value {
        let is_in_string = self.quotes.is_open_at(self.bytes, name_start);
        let is_parameter = name_start > 0 && matches!(self.byte(name_start - 1), Some(b'?' | b'&'));
        let mut end = start;
        while let Some(byte) = self.byte(end) {
            let is_end = match byte {
                b'&' => is_parameter || self.is_name_and_sign(end + 1),
                b'#' => is_parameter,
                b';' | b',' => self.is_separator(end),
                b'"' | b'\'' | b'`' => self.closes(end),
                b'\\' => {
                    (is_in_string && matches!(self.byte(end + 1), Some(b'n' | b'r' | b't')))
                        || matches!(self.byte(end + 1), Some(b'"'))
                }
                b'<' => is_parameter || self.byte(end + 1) == Some(b'/'),
                _ => byte.is_ascii_whitespace(),
            };
            if is_end || end - start >= LONGEST_VALUE {
                break;
            }
            end += 1;
        }
        let text = self.text.get(start..end).unwrap_or_default();
        Value { start, end: start + trimmed(text).len(), form: Form::Bare }
    }

    /// `;` and `,` end a value when a blank, a quote or another name follows.
    fn is_separator(&self, at: usize) -> bool {
        self.byte(at + 1)
            .is_none_or(|next| next.is_ascii_whitespace() || matches!(next, b'"' | b'\'' | b'\\' | b'}' | b')' | b']'))
            || self.is_name_and_sign(at + 1)
    }

    /// `name=` or `name:` at a place.
    fn is_name_and_sign(&self, at: usize) -> bool {
        let length = self.run(at, |byte| is_name_byte(byte) || byte == b' ').min(40);
        length > 0 && matches!(self.byte(at + length), Some(b'=' | b':'))
    }

    /// A quote ends a value when nothing of a word follows it.
    fn closes(&self, at: usize) -> bool {
        self.byte(at + 1).is_none_or(|next| !next.is_ascii_alphanumeric())
    }
}

fn is_word_with_colon(word: &str) -> bool {
    word.trim_end_matches(':').bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// Without the punctuation of the sentence around it, and without brackets that were opened outside.
fn trimmed(text: &str) -> &str {
    let mut text = text;
    loop {
        let before = text;
        text = text.trim_end_matches(['.', ',', ';', ':', '"', '\'', '`', '\\']);
        for (open, close) in [('(', ')'), ('[', ']'), ('{', '}'), ('<', '>')] {
            let is_unbalanced = || text.matches(close).count() > text.matches(open).count();
            if text.ends_with(close) && is_unbalanced() {
                text = &text[..text.len() - 1];
            }
        }
        if text == before {
            return text;
        }
    }
}
