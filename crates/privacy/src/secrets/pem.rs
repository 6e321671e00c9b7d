//! Private keys in blocks: whole, cut at either end, escaped into one line, numbered, indented, quoted.

use super::Reading;
use crate::hit::Hit;

/// The longest word between the dashes and the name of the block.
const LONGEST_NAME: usize = 64;
/// A line of base64 this long is key material by itself.
const LONG_LINE: usize = 16;
/// A shorter one counts when it stands right behind the header or a long line.
const SHORT_LINE: usize = 4;

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Lines that may stand between the first line of a block and its key.
const MOST_HEADERS: usize = 16;

impl Reading<'_> {
    /// At the words `private key`, or at the count of private lines of a `PuTTY` file.
    pub(super) fn private_key(&mut self, words: usize) {
        if words < self.blocks_done {
            return;
        }
        if self.text.get(words..words + 13).is_some_and(|word| word.eq_ignore_ascii_case("private-lines")) {
            let end = self.line_end(words);
            self.open_block(end, end, "putty-private-key");
            return;
        }
        let from = words.saturating_sub(LONGEST_NAME).max(self.blocks_done);
        let head = self.bytes.get(from..words).unwrap_or_default();
        let tail_end = self.bytes.len().min(words + LONGEST_NAME);
        let tail = self.bytes.get(words..tail_end).unwrap_or_default();
        let Some(dashes) = memchr::memmem::find(tail, b"----") else { return };
        let mut end = words + dashes;
        end += self.run_within(end, 5, |byte| byte == b'-');
        let head = &head.to_ascii_uppercase();
        if let Some(begin) = memchr::memmem::rfind(head, b"BEGIN ").filter(|&begin| is_name(&head[begin + 6..])) {
            let dashes = head[..begin].iter().rev().take_while(|&&byte| byte == b'-' || byte == b' ').count().min(6);
            if dashes >= 4 {
                self.block(from + begin - dashes.min(5), end);
            }
        } else if let Some(stop) = memchr::memmem::rfind(head, b"END ").filter(|&stop| is_name(&head[stop + 4..])) {
            let dashes = head[..stop].iter().rev().take_while(|&&byte| byte == b'-').count().min(5);
            if dashes >= 4 {
                self.headless(from + stop - dashes, end);
            }
        }
    }

    /// From a header on: to its end line, or to the end of the key material.
    fn block(&mut self, start: usize, header_end: usize) {
        let rest = self.bytes.get(header_end..).unwrap_or_default();
        // The next row of dashes decides; searching no further keeps unclosed headers cheap.
        let next = memchr::memmem::find(rest, b"-----").map(|found| {
            // The sign of a removed line stands in front of the row.
            let next = header_end + found;
            next + self.run(next, |byte| byte == b'-').saturating_sub(5)
        });
        let is_end =
            |next: usize| self.bytes.get(next..next + 9).is_some_and(|rest| rest.eq_ignore_ascii_case(b"-----END "));
        if let Some(next) = next
            && is_end(next)
            && self.is_key_material(header_end, next)
        {
            let name_start = next + 9;
            let window =
                self.bytes.get(name_start..self.bytes.len().min(name_start + LONGEST_NAME)).unwrap_or_default();
            let end = match memchr::memmem::find(window, b"-----") {
                Some(dashes) => name_start + dashes + 5,
                None => self.line_end(name_start),
            };
            self.blocks_done = end;
            self.hits.push(Hit::secret(start, end, "private-key"));
            return;
        }
        self.open_block(start, header_end, "private-key");
    }

    /// Whether what stands between the header and the end line is more than a few words of code.
    fn is_key_material(&self, start: usize, end: usize) -> bool {
        let Some(body) = self.text.get(start..end) else { return false };
        let starts_line = body.starts_with(['\n', '\r'])
            || body.starts_with("\\n")
            || body.starts_with("\\r")
            || body.starts_with("\\\\n");
        let longest = body.as_bytes().split(|&byte| !is_base64(byte)).map(<[u8]>::len).max().unwrap_or(0);
        longest >= LONG_LINE || (starts_line && longest >= SHORT_LINE)
    }

    /// A block without its end: key material goes on as long as it looks like it.
    fn open_block(&mut self, start: usize, header_end: usize, rule: &'static str) {
        let mut end = header_end;
        let mut at = header_end;
        let mut is_first = true;
        let mut headers = 0;
        loop {
            if headers > MOST_HEADERS {
                break;
            }
            let from = self.between_lines(at);
            let length = self.run(from, is_base64);
            let next = from + length;
            let closes_line = matches!(self.byte(next), None | Some(b'\n' | b'\r' | b'"' | b'\'' | b'\\'));
            let is_header = self.byte(next) == Some(b':') || (self.byte(next) == Some(b'-') && !is_first);
            if is_header && is_first && length > 0 {
                // `Proc-Type: 4,ENCRYPTED` and its like stand before the key.
                at = self.line_end(next);
                headers += 1;
                continue;
            }
            if is_first && self.byte(next) == Some(b'-') && length > 0 {
                at = self.line_end(next);
                headers += 1;
                continue;
            }
            let is_long = length >= LONG_LINE;
            let is_short = length >= SHORT_LINE && closes_line && from > at;
            if !(is_long || is_short) {
                break;
            }
            end = next;
            at = next;
            is_first = false;
            if is_short && !is_long && end > header_end + LONG_LINE {
                break;
            }
        }
        if end > header_end {
            self.blocks_done = end;
            self.hits.push(Hit::secret(start, end, rule));
        } else {
            self.blocks_done = header_end;
        }
    }

    /// Skips what separates two lines of key material: line ends in any notation, quotes, signs, line numbers.
    fn between_lines(&self, from: usize) -> usize {
        let mut at = from;
        let mut saw_break = false;
        loop {
            match self.byte(at) {
                Some(b'\n' | b'\r') => {
                    saw_break = true;
                    at += 1;
                }
                Some(b' ' | b'\t' | b'"' | b'\'' | b'|' | b'>' | b',' | b'+' | b'*' | b'#') => at += 1,
                Some(b'-') if saw_break && self.byte(at + 1).is_some_and(is_base64) => at += 1,
                Some(b'\\') => {
                    let slashes = self.run(at, |byte| byte == b'\\');
                    match self.byte(at + slashes) {
                        Some(b'n' | b'r') => {
                            saw_break = true;
                            at += slashes + 1;
                        }
                        _ => return at,
                    }
                }
                Some(b'0'..=b'9') if saw_break => {
                    let digits = self.run(at, |byte| byte.is_ascii_digit());
                    let behind = self.byte(at + digits);
                    let is_number = digits <= 7 && matches!(behind, Some(b':' | b'|' | b'\t' | b')' | b' ' | b'-'));
                    if !is_number {
                        return at;
                    }
                    at += digits + 1;
                }
                _ => return at,
            }
        }
    }

    /// An end line without its header: the lines of base64 above it belong to the key.
    fn headless(&mut self, end_line: usize, end: usize) {
        let mut start = end_line;
        let mut at = end_line;
        while let Some(line_end) =
            at.checked_sub(1).filter(|&line_end| line_end >= self.blocks_done && self.byte(line_end) == Some(b'\n'))
        {
            let line_start = memchr::memrchr(b'\n', &self.bytes[self.blocks_done..line_end])
                .map_or(self.blocks_done, |found| self.blocks_done + found + 1);
            let line = self.bytes.get(line_start..line_end).unwrap_or_default();
            let code = line.trim_ascii().rsplit(|&byte| byte == b' ' || byte == b'\t').next().unwrap_or_default();
            let is_key = code.len() >= SHORT_LINE && code.iter().all(|&byte| is_base64(byte));
            if !is_key || (code.len() < LONG_LINE && start != end_line) {
                break;
            }
            start = line_start + line.trim_ascii_end().len() - code.len();
            at = line_start;
            if line_start == self.blocks_done {
                break;
            }
        }
        if start == end_line {
            // The same block in one line, with its line ends escaped.
            let window_start = self.blocks_done.max(end_line.saturating_sub(16 * 1024));
            let escaped = self.bytes[window_start..end_line]
                .iter()
                .rev()
                .take_while(|&&byte| is_base64(byte) || matches!(byte, b'\\' | b' '))
                .count();
            if escaped >= LONG_LINE {
                start = end_line - escaped;
            }
        }
        if start < end_line {
            self.hits.push(Hit::secret(start, end, "private-key"));
        }
        self.blocks_done = end;
    }
}

/// The name of a block: capital words.
fn is_name(name: &[u8]) -> bool {
    name.iter().all(|&byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' ')
}
