//! Tokens whose shape is more than a prefix: signed tokens and password hashes.

use super::Reading;
use super::prefix::{Class, FORMATS, continued};
use crate::edge;
use crate::hit::Hit;

impl Reading<'_> {
    /// A signed or encrypted JSON token: parts of base64 with full stops between.
    pub(super) fn jwt(&mut self, start: usize) {
        if self.bytes.get(start..start + 3) != Some(b"eyJ") || start < self.blocks_done {
            return;
        }
        if edge::before(self.bytes, start).is_some_and(|byte| Class::Url.holds(byte)) {
            return;
        }
        let mut end = start;
        let mut lengths = Vec::new();
        loop {
            let length = self.run(end, |byte| Class::Url.holds(byte));
            lengths.push(length);
            end += length;
            if self.byte(end) != Some(b'.') || lengths.len() == 5 {
                break;
            }
            end += 1;
        }
        let is_long = |part: usize| lengths.get(part).is_some_and(|&length| length >= 8);
        // A token that fills its line and goes on in the next one.
        if lengths.len() < 3 && end - start >= 40 {
            let whole = continued(self.bytes, start, end, |byte| Class::Dotted.holds(byte));
            if whole > end {
                self.blocks_done = whole;
                self.hits.push(Hit::secret(start, whole, "jwt"));
                return;
            }
        }
        let is_cut = lengths.len() == 2
            && lengths.iter().all(|&length| length >= 20)
            && self.bytes.get(start + lengths[0] + 1..).is_some_and(|rest| rest.starts_with(b"eyJ"));
        if (lengths.len() >= 3 && is_long(0) && is_long(1) && (is_long(2) || lengths[2] == 0)) || is_cut {
            while end > start && self.byte(end - 1) == Some(b'.') {
                end -= 1;
            }
            let end = continued(self.bytes, start, end, |byte| Class::Dotted.holds(byte));
            self.blocks_done = end;
            self.hits.push(Hit::secret(start, end, "jwt"));
        }
    }

    /// The secret half that stands near an access key id: 40 characters of base64.
    pub(super) fn aws_pair(&mut self, id_end: usize) {
        const NEAR: usize = 100;
        const LENGTH: usize = 40;
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'/' || byte == b'+';
        let mut at = id_end;
        while at < id_end + NEAR {
            let length = self.run_within(at, NEAR, is_part);
            let body = self.bytes.get(at..at + length).unwrap_or_default();
            if length == LENGTH
                && body.iter().any(u8::is_ascii_digit)
                && body.iter().any(u8::is_ascii_lowercase)
                && body.iter().any(u8::is_ascii_uppercase)
            {
                self.hits.push(Hit::secret(at, at + length, "aws-secret-access-key"));
                return;
            }
            at += length + 1;
        }
    }

    /// A token with a blank behind each of its characters: `g h p _ …`.
    pub(super) fn spaced(&mut self, start: usize) {
        const LONGEST: usize = 256;
        if start < self.tokens_done {
            return;
        }
        let mut word = Vec::with_capacity(64);
        let mut at = start;
        while word.len() < LONGEST {
            match self.bytes.get(at..) {
                Some([byte, b' ', ..]) if byte.is_ascii_graphic() => word.push(*byte),
                Some([byte] | [byte, b'\n' | b'\r' | b'"' | b'\'', ..]) if byte.is_ascii_graphic() => {
                    word.push(*byte);
                    break;
                }
                _ => break,
            }
            at += 2;
        }
        // Where the length is fixed, a word of one letter behind the token is none of it.
        let token = FORMATS.iter().filter(|format| word.starts_with(format.prefix.as_bytes())).find_map(|format| {
            let most = format.length().map_or(word.len(), |length| length.min(word.len()));
            format.find(&word[..most], 0).filter(|token| token.start == 0)
        });
        if let Some(token) = token {
            let end = start + 2 * token.end - 1;
            self.tokens_done = end;
            self.hits.push(Hit::secret(start, end, "spaced-token"));
        }
    }

    /// A password hash in the notation of crypt, with its settings and salt.
    pub(super) fn crypt(&mut self, start: usize, end: usize) {
        if start < self.blocks_done {
            return;
        }
        let length = self.run(end, |byte| byte.is_ascii_alphanumeric() || b"./$=,+-_".contains(&byte));
        let end = end + length;
        if length < 16 {
            return;
        }
        self.blocks_done = end;
        self.hits.push(Hit::secret(start, end, "password-hash"));
    }
}
