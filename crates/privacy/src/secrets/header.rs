//! Credentials behind the name of an authentication scheme.

use super::Reading;
use super::label::Promise;
use super::value::{Form, is_secret};
use crate::{codec, edge};

impl Reading<'_> {
    /// `Bearer abc…`, `Basic dXNlcjpwYXNz`.
    pub(super) fn scheme(&mut self, start: usize, end: usize) {
        let is_word = edge::before(self.bytes, start).is_none_or(|byte| !byte.is_ascii_alphanumeric());
        let from = self.skip_blanks(end, 8);
        let name = self.text.get(start..end).unwrap_or_default();
        let is_basic = name.eq_ignore_ascii_case("basic ");
        if !is_word || (from == end && !name.ends_with(' ')) {
            return;
        }
        let length = self.run(from, |byte| byte.is_ascii_alphanumeric() || b"._~+/=-".contains(&byte));
        let Some(value) = self.text.get(from..from + length) else { return };
        let value = value.trim_end_matches('.');
        let is_credential = if is_basic {
            length >= 8
                && codec::base64(value.as_bytes()).and_then(codec::readable).is_some_and(|text| text.contains(':'))
        } else {
            length >= 16
                && value.bytes().any(|byte| byte.is_ascii_digit())
                && is_secret(value, Promise::Credential, Form::Bare)
        };
        if is_credential {
            self.push_secret(from, from + value.len(), if is_basic { "basic-auth" } else { "bearer-token" });
        }
    }

    /// `Digest username="…", …, response="…"`: the response is made from the password.
    pub(super) fn digest(&mut self, end: usize) {
        const LONGEST: usize = 1000;
        let line = self.bytes.get(end..self.line_end(end).min(end + LONGEST)).unwrap_or_default();
        let Some(found) = memchr::memmem::find(line, b"response=\"") else { return };
        let start = end + found + 10;
        let length = self.run(start, |byte| byte.is_ascii_hexdigit());
        if length >= 32 {
            self.push_secret(start, start + length, "digest-response");
        }
    }
}
