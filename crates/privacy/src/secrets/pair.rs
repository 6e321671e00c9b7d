//! A user and a password side by side, of which the second is the secret.

use super::Reading;
use super::assignment::{MOST_BLANKS, is_name_byte};
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

    /// `getConnection("jdbc:…", "robot", "…")`, `login("robot", "…")`: the last of the arguments.
    pub(super) fn connection(&mut self, end: usize) {
        const MOST: usize = 4;
        // The place of the database may be a variable: `getConnection(url, "app", "…")`.
        let variable = self.run_within(end, MOST_BLANKS, is_name_byte);
        let mut at = if self.byte(end + variable) == Some(b',') { end + variable } else { end };
        let mut value = None;
        let mut count = 0;
        while count < MOST {
            at += self.run_within(at, MOST_BLANKS, |byte| byte.is_ascii_whitespace() || byte == b',');
            at += if self.bytes.get(at..at + 5) == Some(b"Some(") { 5 } else { 0 };
            let Some(argument) = self.quoted(at) else { break };
            value = Some(argument);
            at = argument.end + 1;
            count += 1;
        }
        if let Some(value) = value.filter(|_| count >= 2 && self.byte(at) == Some(b')')) {
            self.second(value);
        }
    }

    /// `log in with robot / …`, `sign in with robot and …`.
    pub(super) fn sign_in(&mut self, end: usize) {
        const SIGNS: [&[u8]; 4] = [b" / ", b"/", b":", b" and "];
        let user = self.run_within(end, 64, |byte| byte.is_ascii_alphanumeric() || b"_-.@\"'`".contains(&byte));
        let rest = self.bytes.get(end + user..).unwrap_or_default();
        let Some(sign) = SIGNS.iter().find(|sign| user > 0 && rest.starts_with(sign)) else { return };
        let start = end + user + sign.len();
        let value = self.quoted(start).unwrap_or_else(|| self.bare(start, start));
        let is_word = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit()) && !text.contains(['/', ' ']);
        if self.text.get(value.start..value.end).is_some_and(is_word) {
            self.second(value);
        }
    }

    /// `robot:1001:hash:hash:::`, a line with the hashes of a user of Windows.
    pub(super) fn windows_hash(&mut self, start: usize) {
        const LENGTH: usize = 65;
        let Some(from) = start.checked_sub(LENGTH) else { return };
        let is_hashes = self.bytes[from..start]
            .iter()
            .enumerate()
            .all(|(index, byte)| if index == 32 { *byte == b':' } else { byte.is_ascii_hexdigit() });
        if is_hashes && self.bytes[..from].ends_with(b":") {
            self.push_secret(from, start, "password-hash");
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
