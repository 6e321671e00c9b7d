//! Secrets in lists and objects behind a name.

use super::Reading;
use super::assignment::MOST_BLANKS;
use super::label::{Promise, promise};
use super::link::Link;
use super::place::Value;
use super::value::looks_secret;

impl Reading<'_> {
    /// `"tokens": ["…", "…"]`: the name in the plural has a list of values.
    pub(super) fn plural(&mut self, name: &str, name_start: usize, name_end: usize) {
        let Some(promise) = name.strip_suffix(['s', 'S']).and_then(promise).filter(|one| *one >= Promise::Credential)
        else {
            return;
        };
        let Some((Link::Sign | Link::Colon, at)) = self.link(name_start, name_end, promise) else { return };
        match self.byte(at) {
            Some(b'[') => self.array(at, promise),
            Some(b'{') => self.object(at, promise),
            _ => {}
        }
    }

    /// The values between brackets. What a program cuts a text into is called tokens too, so a token has to be long.
    pub(super) fn array(&mut self, open: usize, promise: Promise) {
        const MOST: usize = 32;
        let shortest = if promise >= Promise::Password { 6 } else { 16 };
        let mut at = open + 1;
        for _ in 0..MOST {
            at += self.run_within(at, MOST_BLANKS, |byte| byte.is_ascii_whitespace() || byte == b',');
            let Some(value) = self.quoted(at) else { return };
            let is_long = value.end - value.start >= shortest;
            if is_long && self.text.get(value.start..value.end).is_some_and(looks_secret) {
                self.accept(value, promise);
            }
            at = value.end + 1;
        }
    }

    /// `"secrets": {"db": "…", "cache": "…"}`: the values between braces, whatever their names are.
    fn object(&mut self, open: usize, promise: Promise) {
        const MOST: usize = 32;
        const SHORTEST: usize = 16;
        let mut at = open + 1;
        for _ in 0..MOST {
            at += self.run_within(at, MOST_BLANKS, |byte| byte.is_ascii_whitespace() || byte == b',');
            let Some(name) = self.quoted(at) else { return };
            let Some((_, behind)) = self.sign(self.skip_blanks(name.end + 1, MOST_BLANKS)) else { return };
            let Some(value) = self.quoted(self.skip_blanks(behind, MOST_BLANKS)) else { return };
            let is_value =
                |text: &str| text.len() >= SHORTEST && looks_secret(text) && !text.contains([' ', '/', '.', '@']);
            if self.text.get(value.start..value.end).is_some_and(is_value) {
                self.accept(value, promise);
            }
            at = value.end + 1;
        }
    }

    /// `"db_password": {"type": "string", "value": "…"}`: the value of an object behind a name.
    pub(super) fn object_value(&self, open: usize) -> Option<usize> {
        self.member(open, b"\"value\"", b'}')
    }

    /// `"type": "random_password", … "result": "…"`, as the state of Terraform has it.
    pub(super) fn random_password(&mut self, name_end: usize) {
        if let Some(at) = self.member(name_end, b"\"result\"", b']')
            && let Some(value) = self.quoted(at)
        {
            let value = Value { ..value };
            self.accept(value, Promise::Password);
        }
    }

    /// The place of the value of a member in JSON within a short way, in front of a closing sign.
    fn member(&self, from: usize, name: &[u8], close: u8) -> Option<usize> {
        const NEAR: usize = 600;
        let window = self.bytes.get(from..self.bytes.len().min(from + NEAR))?;
        let window = &window[..memchr::memchr(close, window).unwrap_or(window.len())];
        let found = from + memchr::memmem::find(window, name)? + name.len();
        let (_, behind) = self.sign(self.skip_blanks(found, MOST_BLANKS))?;
        let at = self.skip_blanks(behind, MOST_BLANKS);
        (self.byte(at) == Some(b'"')).then_some(at)
    }
}
