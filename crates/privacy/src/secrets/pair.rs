//! A user and a password side by side, of which the second is the secret.

use super::Reading;
use super::assignment::MOST_BLANKS;
use super::label::Promise;
use super::place::Value;
use super::value::{Form, is_secret, looks_secret};

impl Reading<'_> {
    /// `user/password: robot / …`, `credentials: robot:…`: the second of two is the secret.
    pub(super) fn behind_user(&mut self, name_start: usize, user: Value, promise: Promise) {
        if self.bytes.get(user.end..user.end + 3) != Some(b" / ") || user.form != Form::Bare {
            return;
        }
        let head = self.bytes.get(name_start.saturating_sub(10)..name_start).unwrap_or_default().to_ascii_lowercase();
        let name = self.text.get(name_start..user.start).unwrap_or_default().to_ascii_lowercase();
        let is_pair = [b"user/".as_slice(), b"username/", b"login/", b"user / ", b"email/"]
            .iter()
            .any(|word| head.ends_with(word))
            || ["cred", "creds", "credentials", "login:"].iter().any(|word| name.starts_with(word));
        if is_pair {
            let value = self.bare(user.end + 3, user.end + 3);
            if self.text.get(value.start..value.end).is_some_and(looks_secret) {
                self.accept(value, promise.max(Promise::Credential));
            }
        }
    }

    /// `auth=("robot", "…")`, `HTTPBasicAuth("robot", "…")`.
    pub(super) fn argument_pair(&mut self, name: &str, name_end: usize) -> bool {
        let is_auth = name.len() >= 4 && name.as_bytes()[name.len() - 4..].eq_ignore_ascii_case(b"auth");
        let mut at = self.skip_blanks(name_end, 2);
        if self.byte(at) == Some(b'=') {
            at = self.skip_blanks(at + 1, 2);
        }
        if !is_auth || self.byte(at) != Some(b'(') {
            return false;
        }
        let Some(user) = self.quoted(self.skip_blanks(at + 1, MOST_BLANKS)) else { return false };
        if self.byte(user.end + 1) != Some(b',') {
            return false;
        }
        let Some(password) = self.quoted(self.skip_blanks(user.end + 2, MOST_BLANKS)) else { return false };
        self.second(password)
    }

    /// `getConnection("jdbc:…", "robot", "…")`.
    pub(super) fn connection(&mut self, end: usize) {
        let mut at = end;
        let mut value = None;
        for _ in 0..3 {
            at += self.run_within(at, MOST_BLANKS, |byte| byte.is_ascii_whitespace() || byte == b',');
            value = self.quoted(at);
            let Some(argument) = value else { return };
            at = argument.end + 1;
        }
        if let Some(value) = value.filter(|_| self.byte(at) == Some(b')')) {
            self.second(value);
        }
    }

    /// `robot:…@tcp(host:3306)/inventory`, as programs in Go write it.
    pub(super) fn go_source(&mut self, start: usize) {
        const LONGEST: usize = 120;
        let from = start.saturating_sub(LONGEST);
        let is_part = |byte: &&u8| byte.is_ascii_graphic() && !b"\"'`=<>".contains(byte);
        let length = self.bytes[from..start].iter().rev().take_while(is_part).count();
        let Some((user, password)) = self.text.get(start - length..start).and_then(|text| text.split_once(':')) else {
            return;
        };
        let is_user =
            !user.is_empty() && user.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
        if is_user && is_secret(password, Promise::Password, Form::Bare) {
            self.push_secret(start - password.len(), start, "url-password");
        }
    }

    fn second(&mut self, value: Value) -> bool {
        let is_value = |text: &str| looks_secret(text) && is_secret(text, Promise::Credential, value.form);
        let is_accepted = self.text.get(value.start..value.end).is_some_and(is_value);
        if is_accepted {
            self.labels_done = value.end;
            self.push_secret(value.start, value.end, "assignment");
        }
        is_accepted
    }
}
