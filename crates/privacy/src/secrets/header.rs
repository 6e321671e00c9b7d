//! Credentials behind the name of an authentication scheme.

use super::Reading;
use super::label::Promise;
use super::value::{Form, is_secret};
use crate::codec;

impl Reading<'_> {
    /// `Bearer abc…`, `Basic dXNlcjpwYXNz`.
    pub(super) fn scheme(&mut self, start: usize, end: usize) {
        let is_word =
            start.checked_sub(1).and_then(|before| self.byte(before)).is_none_or(|byte| !byte.is_ascii_alphanumeric());
        let from = self.skip_blanks(end, 8);
        let is_basic = self.byte(end - 1) == Some(b' ');
        if !is_word || (from == end && !is_basic) {
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
}
