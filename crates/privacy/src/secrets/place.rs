//! The value behind a name: between quotes, up to a blank, as a block, as an element.

use super::Reading;
use super::assignment::{LONGEST_NAME, MOST_BLANKS, is_name_byte};
use super::label::Promise;
use super::link::Link;
use super::value::{Form, is_type, looks_secret};

/// The longest quoted value that is looked for.
const LONGEST_VALUE: usize = 16 * 1024;

/// A value in its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value {
    pub start: usize,
    pub end: usize,
    pub form: Form,
}

impl Reading<'_> {
    /// The value at a place.
    pub(super) fn value(&mut self, at: usize, link: Link, promise: Promise, name_start: usize) -> Option<Value> {
        if link == Link::Element {
            let window = self.bytes.get(at..self.bytes.len().min(at + LONGEST_VALUE))?;
            if window.starts_with(b"<![CDATA[") {
                let length = memchr::memmem::find(window, b"]]>")?;
                return Some(Value { start: at + 9, end: at + length, form: Form::Quoted });
            }
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
        let marked = self.behind_mark(at, link);
        if marked > at
            && let Some(value) = self.quoted(marked)
        {
            return Some(value);
        }
        let at = self.behind_scheme(marked);
        if let Some(value) = self.braces(at, name_start, promise) {
            return Some(value);
        }
        if let Some(value) = self.base32_groups(at) {
            return Some(value);
        }
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

    /// The mark of an anchor or of a type in front of a value: `&name …`, `!!str …`.
    fn behind_mark(&self, at: usize, link: Link) -> usize {
        let mark = match self.bytes.get(at..) {
            Some([b'&', ..]) => 1,
            Some([b'!', b'!', ..]) => 2,
            Some(rest) if rest.starts_with(b"!unsafe ") || rest.starts_with(b"!str ") => 1,
            _ => return at,
        };
        let length = self.run(at + mark, is_name_byte);
        let next = self.skip_blanks(at + mark + length, MOST_BLANKS);
        let is_mark = link == Link::Colon && length > 0 && next > at + mark + length && self.byte(next) != Some(b'=');
        if is_mark { next } else { at }
    }

    /// `Pwd={…};`, a password between the quotes of database drivers.
    fn braces(&self, at: usize, name_start: usize, promise: Promise) -> Option<Value> {
        const LONGEST: usize = 128;
        if promise != Promise::Password || self.byte(at) != Some(b'{') {
            return None;
        }
        let length = self.run_within(at + 1, LONGEST, |byte| byte.is_ascii_graphic() && !b"{}\"'".contains(&byte));
        let close = at + 1 + length;
        let is_field = self.byte(close + 1) == Some(b';') || self.before_name(name_start) == Some(b';');
        let is_value =
            self.byte(close) == Some(b'}') && is_field && self.text.get(at + 1..close).is_some_and(looks_secret);
        is_value.then_some(Value { start: at + 1, end: close, form: Form::Quoted })
    }

    /// A key of authenticators as people are shown it: `JBSW Y3DP EHPK 3PXP`.
    fn base32_groups(&self, at: usize) -> Option<Value> {
        let is_digit = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'2'..=b'7');
        let mut end = at;
        let mut groups = 0;
        loop {
            let from = end + usize::from(groups > 0);
            let is_joined = groups == 0 || self.byte(end) == Some(b' ');
            if !is_joined || self.run(from, |byte| byte.is_ascii_alphanumeric()) != 4 || self.run(from, is_digit) != 4 {
                break;
            }
            groups += 1;
            end = from + 4;
        }
        let text = self.text.get(at..end)?;
        let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
        let is_even =
            !(text.bytes().any(|byte| byte.is_ascii_lowercase()) && text.bytes().any(|byte| byte.is_ascii_uppercase()));
        (groups >= 4 && has_digit && is_even).then_some(Value { start: at, end, form: Form::Quoted })
    }

    /// `Bearer`, `Basic` and their like in front of the credential.
    fn behind_scheme(&self, at: usize) -> usize {
        const SCHEMES: [&str; 18] = [
            "bearer",
            "basic",
            "token",
            "apikey",
            "bot",
            "ssws",
            "key",
            "jwt",
            "negotiate",
            "oauth",
            "splunk",
            "sso-key",
            "geniekey",
            "digest",
            "hawk",
            "sharedkey",
            "sharedkeylite",
            "aws4-hmac-sha256",
        ];
        let length = self.run_within(at, 16, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let next = self.skip_blanks(at + length, 4);
        let is_scheme = next > at + length
            && self
                .text
                .get(at..at + length)
                .is_some_and(|word| SCHEMES.iter().any(|scheme| scheme.eq_ignore_ascii_case(word)));
        // `creds: bot / …` has a user in front.
        if is_scheme && !self.bytes[next..].starts_with(b"/ ") { next } else { at }
    }

    /// A value between quotes, however often they are escaped.
    pub(super) fn quoted(&self, at: usize) -> Option<Value> {
        let mut open = at;
        // Prefixes of string literals: b"", r"", f"", @"", $"", N''.
        if matches!(self.byte(open), Some(b'b' | b'r' | b'f' | b'u' | b'B' | b'R' | b'N' | b'@' | b'$'))
            && matches!(self.byte(open + 1), Some(b'"' | b'\''))
        {
            open += 1;
        }
        let slashes = self.run(open, |byte| byte == b'\\');
        // A long string of Lua.
        if self.bytes.get(open..open + 2) == Some(b"[[") && self.bytes[..open].trim_ascii_end().last() == Some(&b'=') {
            let line = self.bytes.get(open + 2..self.line_end(open))?;
            let length = memchr::memmem::find(line, b"]]")?;
            let is_word = !line[..length].iter().any(u8::is_ascii_whitespace);
            return is_word.then_some(Value { start: open + 2, end: open + 2 + length, form: Form::Quoted });
        }
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
                // A doubled quote stands for one, or for nothing between two strings of a shell.
                Some(byte)
                    if byte == quote
                        && !triple
                        && end > start
                        && self.byte(end + 1) == Some(quote)
                        && self.byte(end + 2).is_some_and(|next| next.is_ascii_alphanumeric()) =>
                {
                    end += 2;
                }
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
            let next = end + self.run_within(end, 2, |byte| matches!(byte, b'\r' | b'\n'));
            if self.run(next, |byte| byte == b' ') < indent {
                break;
            }
            end = self.line_end(next);
        }
        (indent > 0 && end > start).then_some(Value { start, end, form: Form::Quoted })
    }

    /// Three or more plain words to the end of the line.
    fn phrase(&self, at: usize) -> Option<Value> {
        // Two dozen words are the longest phrase that a wallet writes.
        const LONGEST: usize = 512;
        if self.run_within(at, LONGEST, |byte| byte != b'\n') == LONGEST {
            return None;
        }
        let end = self.line_end(at);
        let line = self.text.get(at..end)?.trim_end_matches(['.', ' ', ',']);
        // Words may be numbered: `1. legal 2. winner`.
        let is_number = |word: &&str| {
            word.strip_suffix(['.', ')'])
                .is_some_and(|digits| digits.len() <= 2 && digits.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let words = line.split(' ').filter(|word| !word.is_empty() && !is_number(word)).count();
        let is_plain = line
            .split(' ')
            .filter(|word| !is_number(word))
            .all(|word| word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'));
        (words >= 3 && is_plain).then_some(Value { start: at, end: at + line.len(), form: Form::Quoted })
    }

    /// A value without quotes: up to a blank, or to what ends it in its notation.
    pub(super) fn bare(&mut self, start: usize, name_start: usize) -> Value {
        let is_in_string = self.quotes.is_open_at(self.bytes, name_start);
        let is_parameter = name_start > 0 && matches!(self.byte(name_start - 1), Some(b'?' | b'&'));
        let is_session = self.bytes[..start].ends_with(b"sessionid=") && self.before_name(name_start) == Some(b';');
        let mut end = start;
        while let Some(byte) = self.byte(end) {
            let is_end = match byte {
                b'&' => is_parameter || self.is_name_and_sign(end + 1),
                b'#' => is_parameter,
                b'?' => is_session,
                b';' | b',' => self.is_separator(end),
                b'"' | b'\'' | b'`' => self.closes(end),
                b'\\' => {
                    (is_in_string && matches!(self.byte(end + 1), Some(b'n' | b'r' | b't')))
                        || matches!(self.byte(end + 1), Some(b'"'))
                }
                // The id of a key in front of the place and the date that it is good for.
                b'/' | b'%' => end - start == 20 && matches!(self.bytes[start..], [b'A', b'K' | b'S', b'I', b'A', ..]),
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
        let length = self.run_within(at, 40, |byte| is_name_byte(byte) || byte == b' ');
        length > 0 && matches!(self.byte(at + length), Some(b'=' | b':'))
    }

    /// A quote ends a value when nothing of a word follows it.
    fn closes(&self, at: usize) -> bool {
        self.byte(at + 1).is_none_or(|next| !next.is_ascii_alphanumeric())
    }
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
