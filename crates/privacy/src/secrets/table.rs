//! Secrets in tables: cells under a head that promises them or beside it, rows of values, lists of codes.

use super::Reading;
use super::assignment::{MOST_BLANKS, is_name_byte};
use super::label::{Promise, promise};
use super::value::{Form, is_secret, looks_secret};

impl Reading<'_> {
    /// `| password | … |`: the cell beside its name.
    pub(super) fn beside(&mut self, name_start: usize, name_end: usize) -> bool {
        const LONGEST: usize = 200;
        // The name may be one of several words: `| AWS Secret Key | … |`.
        let head = &self.bytes[name_start.saturating_sub(MOST_BLANKS)..name_start];
        let words = head.iter().rev().take_while(|&&byte| is_name_byte(byte) || byte == b' ').count();
        let before = head[..head.len() - words].last();
        let after = self.skip_blanks(name_end, MOST_BLANKS);
        if before != Some(&b'|') || self.byte(after) != Some(b'|') {
            return false;
        }
        let length = self.run_within(after + 1, LONGEST, |byte| !matches!(byte, b'|' | b'\n'));
        let stop = after + 1 + length;
        self.cell(after + 1, stop)
    }

    /// The heads of columns, in a table with bars or in separated values: the cells below a head are secrets when they
    /// look like them. One head line is read once, with all of its columns.
    pub(super) fn columns(&mut self, name_start: usize, name_end: usize) -> bool {
        const MOST_ROWS: usize = 64;
        const LONGEST_LINE: usize = 1000;
        if name_start < self.columns_done {
            return false;
        }
        let after = name_end + self.run_within(name_end, MOST_BLANKS, |byte| byte == b' ');
        let from = name_start.saturating_sub(LONGEST_LINE);
        if self.inserted(name_start, name_end) {
            return true;
        }
        let blanks = self.bytes[..name_start].iter().rev().take(8).take_while(|&&byte| byte == b' ').count();
        let near = self.before_name(name_start - blanks);
        let is_sign = |byte: Option<u8>| matches!(byte, Some(b'|' | b',' | b';' | b'\t'));
        let is_end = |byte: Option<u8>| matches!(byte, None | Some(b'\n' | b'\r'));
        let next = self.byte(after);
        let sign = match (near, next) {
            (Some(sign), next) if is_sign(near) && (next == Some(sign) || is_end(next)) => sign,
            (None | Some(b'\n'), Some(sign)) if is_sign(next) => sign,
            _ => return false,
        };
        let line_start = memchr::memrchr(b'\n', &self.bytes[from..name_start]).map_or(from, |found| from + found + 1);
        let line_end = self.line_end(name_end);
        self.columns_done = line_end;
        let Some(line) = self.text.get(line_start..line_end).filter(|line| line.len() <= LONGEST_LINE) else {
            return false;
        };
        let is_head = line.bytes().all(|byte| is_name_byte(byte) || matches!(byte, b' ' | b'"') || byte == sign);
        let sign = char::from(sign);
        // A list of names has an empty place behind its last comma.
        let names: Vec<&str> = line.split(sign).map(str::trim).collect();
        let is_full = names.iter().all(|name| !name.is_empty()) || sign == '|';
        if !is_head || !is_full || names.len() < 2 {
            return false;
        }
        let secrets: Vec<bool> = names
            .iter()
            .map(|name| promise(name.trim_matches('"')).is_some_and(|promise| promise >= Promise::Credential))
            .collect();
        let mut found = false;
        let mut at = line_end;
        for _ in 0..MOST_ROWS {
            at += self.run_within(at, 2, |byte| matches!(byte, b'\r' | b'\n'));
            let row_end = self.line_end(at);
            let Some(row) = self.text.get(at..row_end).filter(|row| row.len() <= LONGEST_LINE) else { break };
            if at >= self.bytes.len() || row.split(sign).count() != secrets.len() {
                break;
            }
            let mut start = at;
            for (cell, is_secret) in row.split(sign).zip(&secrets) {
                if *is_secret {
                    found |= self.cell(start, start + cell.len());
                }
                start += cell.len() + 1;
            }
            at = row_end;
            self.columns_done = row_end;
        }
        found
    }

    /// `INSERT INTO users (name, password) VALUES ('a', '…')`.
    fn inserted(&mut self, name_start: usize, name_end: usize) -> bool {
        const NEAR: usize = 300;
        if !matches!(self.byte(name_end), Some(b',' | b')' | b' ')) {
            return false;
        }
        let from = name_start.saturating_sub(NEAR);
        let head = &self.bytes[from..name_start];
        let Some(open) = memchr::memrchr(b'(', head) else { return false };
        let head = &head[open + 1..];
        if !head.iter().all(|&byte| is_name_byte(byte) || matches!(byte, b',' | b' ' | b'`' | b'"')) {
            return false;
        }
        let column = memchr::memchr_iter(b',', head).count();
        let tail = &self.bytes[name_end..self.bytes.len().min(name_end + NEAR)];
        let Some(close) = memchr::memchr(b')', tail) else { return false };
        let values = self.skip_blanks(name_end + close + 1, MOST_BLANKS);
        if !self.bytes.get(values..values + 6).is_some_and(|word| word.eq_ignore_ascii_case(b"values")) {
            return false;
        }
        let mut at = self.skip_blanks(values + 6, MOST_BLANKS);
        if self.byte(at) != Some(b'(') {
            return false;
        }
        at += 1;
        for _ in 0..column {
            at = self.skip_blanks(at, MOST_BLANKS);
            at = self.quoted(at).map_or(at, |value| value.end + 1);
            let length = self.run_within(at, NEAR, |byte| !matches!(byte, b',' | b')' | b'\n'));
            if self.byte(at + length) != Some(b',') {
                return false;
            }
            at += length + 1;
        }
        let Some(value) = self.quoted(self.skip_blanks(at, MOST_BLANKS)) else { return false };
        let is_value = self
            .text
            .get(value.start..value.end)
            .is_some_and(|text| looks_secret(text) && is_secret(text, Promise::Password, Form::Quoted));
        if is_value {
            self.push_secret(value.start, value.end, "assignment");
        }
        is_value
    }

    /// A cell of a table that holds nothing but a value that looks like a secret.
    fn cell(&mut self, start: usize, end: usize) -> bool {
        let Some(cell) = self.text.get(start..end) else { return false };
        let value = cell.trim().trim_matches(['"', '`', '*', '\'']);
        let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
        let is_value =
            has_digit && looks_secret(value) && !value.contains(' ') && is_secret(value, Promise::Password, Form::Bare);
        if is_value {
            let from = start + cell.find(value).unwrap_or_default();
            self.push_secret(from, from + value.len(), "assignment");
        }
        is_value
    }

    /// `Backup codes:` and the codes behind it, in one line or in several, plain or quoted.
    pub(super) fn codes(&mut self, name_end: usize) {
        const MOST: usize = 32;
        let mut at = name_end + self.run_within(name_end, 4, |byte| matches!(byte, b'"' | b'\'' | b'*' | b'`'));
        at = self.skip_blanks(at, MOST_BLANKS);
        match self.sign(at) {
            Some((_, behind)) => at = behind,
            None if self.byte(at) == Some(b'\n') => {}
            None => return,
        }
        for _ in 0..MOST {
            at += self.run_within(at, MOST_BLANKS, |byte| byte.is_ascii_whitespace() || b",;[\"'*`|".contains(&byte));
            // The mark or the number of an item.
            let number = self.run(at, |byte| byte.is_ascii_digit());
            if (1..=2).contains(&number) && matches!(self.byte(at + number), Some(b'.' | b')')) {
                at += number + 1;
            }
            at += self.run_within(at, 4, |byte| matches!(byte, b' ' | b'-'));
            let length = self.run(at, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
            let Some(code) = self.text.get(at..at + length).map(|code| code.trim_end_matches('-')) else { return };
            let has_digit = code.bytes().any(|byte| byte.is_ascii_digit());
            let goes_on = matches!(self.byte(at + length), Some(b':' | b'=' | b'.' | b'/' | b'_'));
            if !(6..=32).contains(&code.len()) || !has_digit || goes_on {
                return;
            }
            self.push_secret(at, at + code.len(), "one-time-code");
            at += length;
            self.labels_done = at;
        }
    }
}
