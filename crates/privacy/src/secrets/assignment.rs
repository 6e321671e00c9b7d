//! A name that promises a secret, and the value that follows it, in every notation that has the two side by side.
//!
//! `NAME=value`, `"name": "value"`, `name = "value"`, `--name value`, `<name>value</name>`, `name("value")`,
//! `{"key": "name", "value": "value"}`, `the name is value`.

use super::Reading;
use super::label::{Promise, promise};
use super::place::Value;
use super::value::{Form, is_secret, is_uuid, looks_secret};

/// Longer names are no names.
pub(super) const LONGEST_NAME: usize = 80;
/// Blanks between a name, its sign and its value.
pub(super) const MOST_BLANKS: usize = 40;
/// A longer word is no value that somebody wrote into a sentence.
const LONGEST_VALUE: usize = 400;

/// Words that announce a password by themselves, in SQL and in shells.
///
/// They are plain ASCII, as is every word of the gate: other bytes would double the width of its table.
pub(super) const FIXED: &[&str] = &["identified by", "convertto-securestring", "offline?data="];

/// What connects a name with its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
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
    /// The next line, or a dash: the value has to look like one.
    Apart,
}

pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

impl Reading<'_> {
    /// At a word that may be a part of a name.
    pub(super) fn label(&mut self, start: usize, end: usize) {
        if start < self.labels_done {
            return;
        }
        if self.text.get(start..end).is_some_and(|word| FIXED.iter().any(|fixed| fixed.eq_ignore_ascii_case(word))) {
            self.labels_done = end;
            self.fixed(end);
            return;
        }
        let (name_start, name_end) = self.name_around(start, end);
        self.labels_done = name_end;
        let Some(name) = self.text.get(name_start..name_end) else { return };
        let name = name.trim_end_matches(['.', '-']);
        let name_end = name_start + name.len();
        // `[SECRET-1]` stands for a secret and names none.
        if name.starts_with("SECRET-") && self.before_name(name_start) == Some(b'[') {
            return;
        }
        if self.piped(name, name_start, name_end) || self.argument_pair(name, name_end) {
            return;
        }
        if name.eq_ignore_ascii_case("random_password") {
            self.random_password(name_end);
        }
        let Some(promise) = self.promise_of(name, name_start, name_end) else {
            self.plural(name, name_start, name_end);
            return;
        };
        let (mut promise, name_end) = promise;
        if self.path_behind(name_start, name_end) {
            return;
        }
        // A variable of the environment: `MY_KEY=…`.
        let is_variable = !name.bytes().any(|byte| byte.is_ascii_lowercase()) && self.byte(name_end) == Some(b'=');
        if promise == Promise::Hint && is_variable {
            promise = Promise::Credential;
        }
        match promise {
            Promise::Code => return self.code(name_start, name_end),
            Promise::Codes => return self.codes(name_end),
            _ => {}
        }
        if promise >= Promise::Credential && (self.beside(name_start, name_end) || self.columns(name_start, name_end)) {
            return;
        }
        let Some((link, at)) = self.link(name_start, name_end, promise) else {
            // `env::var("API_KEY").unwrap_or("…")`.
            if matches!(self.bytes.get(name_end..name_end + 2), Some(b"\")" | b"')")) {
                self.default_behind(name_end, promise);
            }
            if promise >= Promise::Credential && !self.sibling_before(name_start, name_end, promise) {
                self.apposition(name_start, promise);
            }
            return;
        };
        if promise == Promise::Hint && is_pass(name) {
            promise = self.promise_of_pass(name, name_start, link, at);
        }
        // `auth::token: …` is the source of a log line.
        let is_module = link == Link::Colon
            && matches!(self.bytes[..name_start], [.., before, b':'] if is_name_byte(before) || before == b':');
        // The user of a URL, whose password has a reader of its own.
        let is_user = link == Link::Colon && self.bytes[..name_start].ends_with(b"//");
        if is_module
            || is_user
            || (promise == Promise::Hint && link == Link::Colon && name.to_ascii_lowercase().ends_with("session"))
        {
            return;
        }
        let mut at = at;
        if matches!(link, Link::Sign | Link::Colon) && promise >= Promise::Credential {
            match self.byte(at) {
                Some(b'[') => self.array(at, promise),
                Some(b'{') if self.byte(name_end) == Some(b'"') => at = self.object_value(at).unwrap_or(at),
                _ => {}
            }
        }
        let Some(value) = self.value(at, link, promise, name_start) else { return };
        if self.is_crowded(value) {
            self.last_of_crowd(value, promise);
            return;
        }
        let Some(text) = self.text.get(value.start..value.end) else { return };
        let is_accepted = match link {
            _ if is_secret_id(name) => is_uuid(text),
            // `key exchange: curve25519-sha256`.
            Link::Verb if promise == Promise::Hint => {
                text.bytes().any(|byte| byte.is_ascii_uppercase()) && is_secret(text, promise, value.form)
            }
            Link::Apart => has_digit(text) && looks_secret(text) && is_secret(text, promise, value.form),
            // Words that are short for a password are many other things too.
            _ if is_short(name) => {
                looks_secret(text) && (has_digit(text) || link != Link::Blank) && is_secret(text, promise, value.form)
            }
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
        } else if matches!(link, Link::Sign | Link::Colon) {
            self.behind_user(name_start, value, promise);
            if promise >= Promise::Credential {
                self.default_behind(value.end, promise);
            }
        }
    }

    /// Behind a word that announces a password by itself.
    fn fixed(&mut self, end: usize) {
        let mut at = self.skip_blanks(end, MOST_BLANKS);
        if let Some((_, behind)) = self.sign(at) {
            at = self.skip_blanks(behind, MOST_BLANKS);
        }
        if self.text.get(at..at + 8).is_some_and(|word| word.eq_ignore_ascii_case("-string ")) {
            at += 8;
        }
        let value = self.quoted(at).unwrap_or_else(|| self.bare(at, at));
        if self.is_crowded(value) {
            self.last_of_crowd(value, Promise::Password);
            return;
        }
        let is_bare = value.form == Form::Bare;
        if !is_bare || self.text.get(value.start..value.end).is_some_and(looks_secret) {
            self.accept(value, Promise::Password);
        }
    }

    /// `pass` alone is a password where a value is set, and the verdict of a test elsewhere: `PASS: test_login_2`.
    fn promise_of_pass(&self, name: &str, name_start: usize, link: Link, at: usize) -> Promise {
        let quote = usize::from(matches!(self.byte(at), Some(b'"' | b'\'')));
        let length = self.run_within(at + quote, LONGEST_NAME, |byte| byte.is_ascii_graphic() && byte != b'"');
        let value = self.text.get(at + quote..at + quote + length).unwrap_or_default();
        let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
        let is_word = self.byte(at + quote + length) != Some(b' ') || quote == 0;
        if !looks_secret(value) || !is_word {
            return Promise::Hint;
        }
        let is_flag = matches!(self.before_name(name_start), Some(b'-' | b'/')) || name.starts_with('-');
        if is_flag || quote == 1 || matches!(link, Link::Sign | Link::Element) {
            return Promise::Credential;
        }
        let is_mixed = value.bytes().any(|byte| byte.is_ascii_uppercase() || b"!@#$%^&*+=?~".contains(&byte));
        if link == Link::Colon && name != "PASS" && is_mixed && has_digit { Promise::Credential } else { Promise::Hint }
    }

    /// `/reset-password/…`: the next part of the path is what the name says, when it is long and random.
    fn path_behind(&mut self, name_start: usize, name_end: usize) -> bool {
        const SHORTEST: usize = 20;
        if self.byte(name_end) != Some(b'/') || self.before_name(name_start) != Some(b'/') {
            return false;
        }
        let length = self.run_within(name_end + 1, LONGEST_VALUE, |byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
        });
        let Some(part) = self.text.get(name_end + 1..name_end + 1 + length) else { return false };
        let is_end = !matches!(self.byte(name_end + 1 + length), Some(b'.' | b'/'));
        if length < SHORTEST || !is_end || is_uuid(part) || !is_secret(part, Promise::Hint, Form::Bare) {
            return false;
        }
        self.labels_done = name_end + 1 + length;
        self.push_secret(name_end + 1, name_end + 1 + length, "assignment");
        true
    }

    pub(super) fn before_name(&self, name_start: usize) -> Option<u8> {
        name_start.checked_sub(1).and_then(|before| self.byte(before))
    }

    /// `process.env.API_KEY || '…'`: what stands in when the place where the secret is kept has none.
    fn default_behind(&mut self, from: usize, promise: Promise) {
        const NEAR: usize = 120;
        // The last ones type a value into the field of that name.
        const SIGNS: [&[u8]; 11] = [
            b"|| ",
            b"?? ",
            b".unwrap_or(",
            b" or ",
            b"{ ",
            b".get_or_else(",
            b").type(",
            b").fill(",
            b").send_keys(",
            b").sendKeys(",
            b").setValue(",
        ];
        let line = self.bytes.get(from..self.line_end(from).min(from + NEAR)).unwrap_or_default();
        let behind =
            SIGNS.iter().find_map(|sign| memchr::memmem::find(line, sign).map(|found| from + found + sign.len()));
        let Some(value) = behind.and_then(|behind| self.quoted(behind)) else { return };
        let is_value = |text: &str| has_digit(text) && looks_secret(text) && !text.contains(' ');
        if self.text.get(value.start..value.end).is_some_and(is_value) {
            self.accept(value, promise.max(Promise::Credential));
        }
    }

    /// `echo … | docker login --password-stdin`: what a program reads as its password was written in front of it.
    fn piped(&mut self, name: &str, name_start: usize, name_end: usize) -> bool {
        if !matches!(name.as_bytes().last(), Some(b'd' | b'n' | b'D' | b'N')) {
            return false;
        }
        let ends_with = |ending: &str| {
            name.len() >= ending.len()
                && name.as_bytes()[name.len() - ending.len()..].eq_ignore_ascii_case(ending.as_bytes())
        };
        let is_pair = ends_with("chpasswd");
        let is_stdin =
            ends_with("passwd") && self.bytes.get(name_end..).is_some_and(|rest| rest.starts_with(b" --stdin"));
        if !(is_pair
            || is_stdin
            || ["password-stdin", "passphrase-fd", "with-token"].iter().any(|word| ends_with(word)))
        {
            return false;
        }
        self.piped_value(name_start, is_pair);
        true
    }

    /// The word that is written into the pipe in front of a program.
    pub(super) fn piped_value(&mut self, name_start: usize, is_pair: bool) {
        let from = name_start.saturating_sub(512);
        let line_start = memchr::memrchr(b'\n', &self.bytes[from..name_start]).map_or(from, |found| from + found + 1);
        let Some(pipe) = memchr::memrchr(b'|', &self.bytes[line_start..name_start]).map(|found| line_start + found)
        else {
            return;
        };
        let head = &self.bytes[line_start..pipe];
        let echo = [b"echo ".as_slice(), b"printf "]
            .iter()
            .find_map(|word| memchr::memmem::rfind(head, word).map(|found| line_start + found + word.len()));
        let Some(mut at) = echo else { return };
        while self.byte(at) == Some(b'-') {
            at += self.run(at, |byte| byte != b' ');
            at = self.skip_blanks(at, 4);
        }
        let mut value = self.quoted(at).unwrap_or_else(|| self.bare(at, at));
        if value.end > pipe {
            return;
        }
        if is_pair && let Some(sign) = self.text.get(value.start..value.end).and_then(|text| text.find(':')) {
            value.start += sign + 1;
        }
        let done = self.labels_done;
        self.accept(value, Promise::Password);
        self.labels_done = done;
    }

    /// `… as the password`, `… is the password`: the value stands in front of its name.
    fn apposition(&mut self, name_start: usize, promise: Promise) {
        const NEAR: usize = 120;
        let from = (name_start.saturating_sub(NEAR)..=name_start).find(|&at| self.text.is_char_boundary(at));
        let Some(head) = from.and_then(|from| self.text.get(from..name_start)) else { return };
        let links = [" as the ", " as your ", " as my ", " as ", " is the ", " is your ", " is my ", " is our "];
        let Some(link) = links.iter().find(|link| head.ends_with(*link)) else { return };
        let head = &head[..head.len() - link.len()];
        let word = head.rsplit([' ', '\n', '\t']).next().unwrap_or_default();
        let word = word.trim_matches(['"', '\'', '`', '*', '(', ')', ',', ':']);
        let Some(offset) = head.rfind(word).filter(|_| word.len() >= 8) else { return };
        let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
        let has_other = word.bytes().any(|byte| byte.is_ascii_uppercase() || b"!@#$%^&*+=?~".contains(&byte));
        if has_digit && has_other && is_secret(word, promise, Form::Bare) {
            let start = name_start - link.len() - head.len() + offset;
            self.push_secret(start, start + word.len(), "assignment");
        }
    }

    /// `<add value="…" key="Password"/>`: the value stands in front of the field that names it.
    fn sibling_before(&mut self, name_start: usize, name_end: usize, promise: Promise) -> bool {
        const NEAR: usize = 512;
        if !matches!(self.byte(name_end), Some(b'"' | b'\'')) {
            return false;
        }
        let from = (name_start.saturating_sub(NEAR)..=name_start).find(|&at| self.text.is_char_boundary(at));
        let Some(head) = from.and_then(|from| self.text.get(from..name_start)) else { return false };
        let is_blank = |character: char| character.is_whitespace() || character == ',';
        let names = ["key=\"", "name=\"", "\"key\": \"", "\"name\": \"", "\"key\":\"", "\"name\":\""];
        let Some(name) = names.iter().find(|name| head.ends_with(**name)) else { return false };
        let before = head[..head.len() - name.len()].trim_end_matches(is_blank);
        let Some(inner) = before.strip_suffix('"') else { return false };
        let Some(open) = inner.rfind('"') else { return false };
        let label = inner[..open].trim_end_matches([' ', ':', '=']);
        if !["value", "\"value\"", "\"Value\""].iter().any(|value| label.ends_with(value)) {
            return false;
        }
        let start = name_start - head.len() + open + 1;
        let end = name_start - head.len() + inner.len();
        let is_accepted = self.text.get(start..end).is_some_and(|text| is_secret(text, promise, Form::Quoted));
        if is_accepted {
            self.push_secret(start, end, "assignment");
        }
        is_accepted
    }

    pub(super) fn accept(&mut self, value: Value, promise: Promise) {
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
        let mut at = name_end + self.run_within(name_end, 2, |byte| matches!(byte, b'"' | b'\'' | b'`'));
        at = self.skip_blanks(at, MOST_BLANKS);
        match self.sign(at) {
            Some((_, behind)) => at = behind,
            None => at = self.verb(at).unwrap_or(at),
        }
        at = self.skip_blanks(at, MOST_BLANKS);
        at += self.run_within(at, 3, |byte| matches!(byte, b'"' | b'\'' | b'`' | b'*'));
        let length = self.run_within(at, LONGEST + 2, |byte| byte.is_ascii_digit() || matches!(byte, b'-' | b' '));
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
        let links = [" is your ", " as your ", " as the ", " as a "];
        if let Some(verb) = links.iter().filter_map(|link| window.rfind(link)).max() {
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
        let start = start + self.bytes[start..end].iter().take_while(|&&byte| !is_name_byte(byte)).count();
        let floor = self.labels_done.max(start.saturating_sub(LONGEST_NAME)).min(start);
        let before = self.bytes[floor..start].iter().rev().take_while(|&&byte| is_name_byte(byte)).count();
        let mut name_start = start - before;
        // Behind a backslash stands an escape, and its letter belongs to no name.
        let is_escaped = name_start > 0 && self.byte(name_start - 1) == Some(b'\\');
        if is_escaped && matches!(self.byte(name_start), Some(b'n' | b'r' | b't')) && name_start < start {
            name_start += 1;
        }
        let own = self.bytes.get(end - 1).copied().is_some_and(is_name_byte);
        let name_end = if own {
            end + self.run_within(end, LONGEST_NAME, is_name_byte)
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
                let length = before.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric()).count();
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
        // The key of a cloud function and the code of a sign-in: long and random, or it is the code of something else.
        let is_code = is_parameter && name.eq_ignore_ascii_case("code");
        promise(name)
            .or((is_signature || self.is_signature_of_request(name, start)).then_some(Promise::Credential))
            .or(is_code.then_some(Promise::Hint))
            .map(|found| (found, end))
    }

    /// `…, SignedHeaders=host, Signature=…` in the header of a request.
    fn is_signature_of_request(&self, name: &str, start: usize) -> bool {
        const NEAR: usize = 300;
        name == "Signature"
            && self.bytes[..start].ends_with(b" ")
            && memchr::memmem::find(&self.bytes[start.saturating_sub(NEAR)..start], b"SignedHeaders=").is_some()
    }

    /// What stands between a name and its value, and where the value begins.
    pub(super) fn link(&self, name_start: usize, name_end: usize, promise: Promise) -> Option<(Link, usize)> {
        if self.bytes[..name_start].ends_with(b"${") {
            // A variable with a default, which may be the secret itself; with a message, it is none.
            let rest = self.text.get(name_end..)?;
            if let Some(sign) = [":-", ":="].iter().find(|sign| rest.starts_with(**sign)) {
                return Some((Link::Sign, name_end + sign.len()));
            }
            // `${DB_PASSWORD:…}` of Spring; a shell has a sign or a number there.
            let is_default = rest.starts_with(':') && !rest[1..].starts_with(['?', '+', ' ', '0', '1', '$']);
            return is_default.then_some((Link::Apart, name_end + 1));
        }
        if self.text.get(name_end..).is_some_and(|rest| rest.starts_with("'s ")) {
            return Some((Link::Verb, self.skip_blanks(name_end + 3, MOST_BLANKS)));
        }
        let closing = self.run_within(name_end, 6, |byte| matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b']' | b'*'));
        let is_quoted = closing > 0;
        let at = name_end + closing;
        // The name may have that of its vocabulary in front: `<wsse:Password Type="…">`.
        let is_element = match self.before_name(name_start) {
            Some(b'<') => true,
            Some(b':') => {
                let space = self.bytes[..name_start - 1].iter().rev().take(16).take_while(|&&byte| is_name_byte(byte));
                self.bytes[..name_start - 1 - space.count()].last() == Some(&b'<')
            }
            _ => false,
        };
        if is_element {
            let tag = self.bytes.get(at..self.bytes.len().min(at + 128)).unwrap_or_default();
            let close = memchr::memchr2(b'>', b'\n', tag)?;
            return (tag.get(close) == Some(&b'>') && tag.get(close.wrapping_sub(1)) != Some(&b'/'))
                .then_some((Link::Element, at + close + 1));
        }
        if let Some(behind) = self.property_list(name_start, name_end).or_else(|| self.variable_block(name_start, at)) {
            return Some(behind);
        }
        // `<property name="ConnectionPassword">…</property>`.
        let is_attribute = || {
            [b" name=\"".as_slice(), b" key=\"", b" id=\""].iter().any(|name| {
                self.bytes.get(name_start.saturating_sub(64)..name_start).is_some_and(|head| {
                    let owner = head.iter().rev().take_while(|&&byte| is_name_byte(byte)).count();
                    head[..head.len() - owner].ends_with(name)
                })
            })
        };
        if is_quoted && self.byte(at) == Some(b'>') && promise >= Promise::Credential && is_attribute() {
            return Some((Link::Element, at + 1));
        }
        // A field of a form: its value stands behind an empty line.
        if is_quoted && self.bytes[..name_start].ends_with(b"name=\"") {
            let breaks = self.run_within(at, 4, |byte| matches!(byte, b'\r' | b'\n'));
            let lines = self.bytes.get(at..at + breaks).map_or(0, |breaks| memchr::memchr_iter(b'\n', breaks).count());
            if lines == 2 {
                return Some((Link::Sign, at + breaks));
            }
        }
        let blank_end = self.skip_blanks(at, MOST_BLANKS);
        if promise == Promise::Password && self.bytes[blank_end..].starts_with(b":: ") {
            return Some((Link::Apart, self.skip_blanks(blank_end + 2, MOST_BLANKS)));
        }
        if let Some((link, behind)) = self.sign(blank_end) {
            let value = self.skip_to_value(behind, is_quoted);
            let is_end = matches!(self.byte(value), Some(b'\n' | b'\r'));
            if is_end
                && promise >= Promise::Credential
                && let Some(below) = self.below(value)
            {
                return Some((Link::Apart, below));
            }
            return Some((link, value));
        }
        if promise == Promise::Password
            && self.is_line(name_start, blank_end)
            && let Some(below) = self.below(blank_end)
        {
            return Some((Link::Apart, below));
        }
        if let Some(sibling) = self.sibling(at, is_quoted) {
            return Some((Link::Sibling, sibling));
        }
        let opening = self.byte(blank_end);
        // `the API key (…)`.
        if opening == Some(b'(') && blank_end > at && promise >= Promise::Credential && !is_quoted {
            let behind = blank_end + 1;
            let word = self.run_within(behind, LONGEST_VALUE, |byte| byte.is_ascii_graphic() && byte != b')');
            if word >= 8 && self.byte(behind + word) == Some(b')') {
                return Some((Link::Apart, behind));
            }
        }
        let is_compared = || {
            // `assert_eq!(config.password, "…")`.
            let value = self.quoted(self.skip_blanks(blank_end + 1, MOST_BLANKS));
            let text = value.and_then(|value| self.text.get(value.start..value.end)).unwrap_or_default();
            promise == Promise::Password
                && text.len() >= 8
                && text.bytes().any(|byte| byte.is_ascii_lowercase())
                && text.bytes().any(|byte| byte.is_ascii_uppercase() || b"!@#$%^&*+=?~".contains(&byte))
        };
        if opening == Some(b'(') && !is_quoted || opening == Some(b',') && (is_quoted || is_compared()) {
            let mut behind = self.skip_blanks(blank_end + 1, MOST_BLANKS);
            // `NetworkCredential("user", "…")`: the second argument is the secret.
            let is_pair = self.bytes.get(name_end.saturating_sub(11)..name_end).is_some_and(|name| {
                let name = name.to_ascii_lowercase();
                name.ends_with(b"credential") || name.ends_with(b"credentials")
            });
            if is_pair
                && let Some(user) = self.quoted(behind)
                && self.byte(user.end + 1) == Some(b',')
            {
                behind = self.skip_blanks(user.end + 2, MOST_BLANKS);
            }
            return matches!(self.byte(behind), Some(b'"' | b'\'' | b'`')).then_some((Link::Argument, behind));
        }
        if blank_end == at {
            return None;
        }
        self.link_over_blanks(name_start, blank_end, is_quoted, promise)
    }

    /// What connects a name with the word behind a blank.
    fn link_over_blanks(
        &self,
        name_start: usize,
        blank_end: usize,
        is_quoted: bool,
        promise: Promise,
    ) -> Option<(Link, usize)> {
        // `IDENTIFIED WITH mysql_native_password BY '…'`.
        if [b"by '".as_slice(), b"by \""]
            .iter()
            .any(|by| self.bytes.get(blank_end..blank_end + 4).is_some_and(|word| word.eq_ignore_ascii_case(by)))
        {
            return Some((Link::Sign, blank_end + 3));
        }
        if [b"- ".as_slice(), b"-- "].iter().any(|dash| self.bytes[blank_end..].starts_with(dash)) && !is_quoted {
            let behind = self.skip_blanks(blank_end + self.run(blank_end, |byte| byte == b'-'), 4);
            return (promise >= Promise::Credential).then_some((Link::Apart, behind));
        }
        let is_flag = name_start > 0 && self.byte(name_start - 1) == Some(b'-')
            || self.text.get(name_start..).is_some_and(|rest| rest.starts_with('-'));
        if is_flag && !is_quoted && self.byte(blank_end) != Some(b'-') {
            return Some((Link::Flag, blank_end));
        }
        if let Some(behind) = self.verb(blank_end) {
            return Some((Link::Verb, behind));
        }
        // The number of an encryption in front of the value, and a flag that takes it.
        let word = self.run_within(blank_end, LONGEST_NAME, |byte| byte.is_ascii_graphic());
        let is_between = match self.bytes.get(blank_end..blank_end + word) {
            Some([digit] | [digit, b':']) => digit.is_ascii_digit(),
            Some(word) => matches!(word, b"--body" | b"--value"),
            None => false,
        };
        if is_between && promise >= Promise::Credential {
            return Some((Link::Apart, self.skip_blanks(blank_end + word, MOST_BLANKS)));
        }
        (promise >= Promise::Credential && !is_quoted).then_some((Link::Blank, blank_end))
    }

    /// A sign of assignment at a place, and the place behind it.
    pub(super) fn sign(&self, at: usize) -> Option<(Link, usize)> {
        const SIGNS: [&[u8]; 14] =
            [b"<<<", b"===", b"!==", b"||=", b"??=", b":=", b"=>", b"==", b"!=", b"+=", b"?=", b"<-", b"->", b"="];
        let rest = self.bytes.get(at..)?;
        if rest.starts_with("→".as_bytes()) {
            return Some((Link::Apart, at + "→".len()));
        }
        if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(sign)) {
            return Some((Link::Sign, at + sign.len()));
        }
        let is_colon = rest.starts_with(b":") && !rest.starts_with(b"::");
        is_colon.then_some((Link::Colon, at + 1))
    }

    /// `<key>password</key><string>…</string>`.
    fn property_list(&self, name_start: usize, name_end: usize) -> Option<(Link, usize)> {
        const ELEMENTS: [(&[u8], &[u8]); 3] =
            [(b"</key>", b"<string>"), (b"</name>", b"<value>"), (b"</Key>", b"<Value>")];
        let rest = self.bytes.get(name_end..)?;
        let (close, open) = ELEMENTS.iter().find(|(close, _)| rest.starts_with(close))?;
        let rest = &rest[close.len()..];
        let blanks = rest.iter().take(MOST_BLANKS).take_while(|byte| byte.is_ascii_whitespace()).count();
        let is_value = name_start >= 5 && rest.get(blanks..)?.starts_with(open);
        is_value.then_some((Link::Element, name_end + close.len() + blanks + open.len()))
    }

    /// `variable "db_password" { default = "…" }`.
    fn variable_block(&self, name_start: usize, at: usize) -> Option<(Link, usize)> {
        const NEAR: usize = 400;
        if !self.bytes[..name_start].ends_with(b"variable \"") || !self.bytes.get(at..)?.starts_with(b" {") {
            return None;
        }
        let block = self.bytes.get(at..self.bytes.len().min(at + NEAR))?;
        let block = &block[..memchr::memchr(b'}', block).unwrap_or(block.len())];
        let default = memchr::memmem::find(block, b"default")? + 7;
        let sign = at + default + block[default..].iter().take_while(|&&byte| byte == b' ').count();
        (self.byte(sign) == Some(b'=')).then(|| (Link::Sign, self.skip_blanks(sign + 1, MOST_BLANKS)))
    }

    /// A name stands alone in its line.
    fn is_line(&self, name_start: usize, blank_end: usize) -> bool {
        let is_start = self.bytes[..name_start]
            .iter()
            .rev()
            .take(MOST_BLANKS)
            .find(|&&byte| byte != b' ' && byte != b'\t')
            .is_none_or(|&byte| byte == b'\n');
        is_start && matches!(self.byte(blank_end), Some(b'\n' | b'\r'))
    }

    /// One word alone in the next line that holds anything.
    fn below(&self, line_end: usize) -> Option<usize> {
        let breaks = self.run_within(line_end, MOST_BLANKS, |byte| byte.is_ascii_whitespace());
        let lines = memchr::memchr_iter(b'\n', self.bytes.get(line_end..line_end + breaks)?).count();
        let start = line_end + breaks;
        let length = self.run(start, |byte| !byte.is_ascii_whitespace());
        let behind = self.skip_blanks(start + length, MOST_BLANKS);
        let is_alone = matches!(self.byte(behind), None | Some(b'\n' | b'\r'));
        let word = self.text.get(start..start + length)?;
        let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
        let is_word = length >= 8 && has_digit && !word.ends_with(':') && !word.contains("://") && !word.contains('=');
        ((1..=2).contains(&lines) && is_alone && is_word).then_some(start)
    }

    /// Blanks in front of a value; behind a quoted name, the value may stand in the next line.
    fn skip_to_value(&self, from: usize, is_quoted: bool) -> usize {
        // `**Password:** …`
        let marks = self.run(from, |byte| byte == b'*' || byte == b'_');
        let is_marked = marks == 2 && matches!(self.byte(from + 2), Some(b' ' | b'`'));
        let from = if is_marked { from + 2 } else { from };
        let at = self.skip_blanks(from, MOST_BLANKS);
        let is_break = matches!(self.byte(at), Some(b'\n' | b'\r'));
        if is_quoted && is_break {
            let next = at + self.run_within(at, MOST_BLANKS, |byte| byte.is_ascii_whitespace());
            if matches!(self.byte(next), Some(b'"' | b'\'')) {
                return next;
            }
        }
        at
    }

    /// `"key": "password", "value": "…"` and `name: PASSWORD` with `value: …` in the next line.
    fn sibling(&self, at: usize, is_quoted: bool) -> Option<usize> {
        const NAMES: [&str; 6] = ["value", "val", "defaultvalue", "default_value", "stringvalue", "parametervalue"];
        let comma = self.run_within(at, MOST_BLANKS, |byte| matches!(byte, b',' | b' ' | b'\t' | b'\r' | b'\n' | b'-'));
        if comma == 0 {
            return None;
        }
        let quote = at + comma + self.run_within(at + comma, 3, |byte| matches!(byte, b'"' | b'\'' | b'\\'));
        let has_break = self.bytes.get(at..at + comma)?.iter().any(|byte| matches!(byte, b',' | b'\n'));
        if !has_break && !is_quoted {
            return None;
        }
        let length = self.run_within(quote, LONGEST_NAME, is_name_byte);
        let name = self.text.get(quote..quote + length)?;
        if !NAMES.iter().any(|candidate| candidate.eq_ignore_ascii_case(name)) {
            return None;
        }
        let closing = quote + length + self.run_within(quote + length, 3, |byte| matches!(byte, b'"' | b'\'' | b'\\'));
        let (_, behind) = self.sign(self.skip_blanks(closing, MOST_BLANKS))?;
        Some(self.skip_blanks(behind, MOST_BLANKS))
    }

    /// `is`, `was`, `set to`, with a few words in between: `password for the admin account is …`.
    fn verb(&self, at: usize) -> Option<usize> {
        const VERBS: [&str; 13] =
            ["is", "was", "to", "are", "=", "lautet", "ist", "est", "es", "e", "ar", "er", "jest"];
        const DONE: [&str; 5] = ["generated", "set", "created", "assigned", "reset"];
        const PLACES: [&str; 6] = ["on", "for", "of", "at", "in", "from"];
        const MOST_WORDS: usize = 6;
        let mut at = at;
        let mut is_place = false;
        for _ in 0..MOST_WORDS {
            let length = self.run_within(at, LONGEST_NAME, |byte| !byte.is_ascii_whitespace());
            let word = self.text.get(at..at + length)?;
            let next = self.skip_blanks(at + length, 4);
            if length == 0 || next == at + length {
                return None;
            }
            let is_done = || {
                let next = self.run_within(next, LONGEST_NAME, |byte| byte.is_ascii_alphabetic());
                let word = self.text.get(at + length..)?.trim_start().get(..next)?;
                DONE.iter().any(|done| done.eq_ignore_ascii_case(word)).then_some(())
            };
            if VERBS.iter().any(|verb| verb.eq_ignore_ascii_case(word.trim_end_matches(':'))) && is_done().is_none() {
                return Some(next);
            }
            let is_word =
                word.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'\'' | b'-' | b'(' | b')'));
            let is_account = is_place && word.contains('@');
            if word.ends_with(':') && (is_word_with_colon(word) || is_account) {
                return Some(next);
            }
            // The name of a machine: `password on db1 is …`.
            let is_machine = is_place && length <= 24 && word.bytes().all(is_name_byte);
            if !is_word && !is_machine {
                return None;
            }
            is_place = PLACES.iter().any(|place| place.eq_ignore_ascii_case(word));
            at = next;
        }
        None
    }
}

fn is_word_with_colon(word: &str) -> bool {
    word.trim_end_matches(':').bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'(' | b')' | b'\''))
}

/// `pass`, `pw` and names that end with them.
fn is_short(name: &str) -> bool {
    let ends_with = |ending: &str| {
        name.get(name.len().saturating_sub(ending.len())..).is_some_and(|end| end.eq_ignore_ascii_case(ending))
    };
    ends_with("pass") || ends_with("pw")
}

/// The second half of what a program signs in with at a vault, which is a UUID.
fn is_secret_id(name: &str) -> bool {
    ["secret_id", "secretid", "secret-id"].iter().any(|ending| {
        name.get(name.len().saturating_sub(ending.len())..).is_some_and(|end| end.eq_ignore_ascii_case(ending))
    })
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

/// The word that is a password or the verdict of a test.
fn is_pass(name: &str) -> bool {
    name.trim_start_matches('-').eq_ignore_ascii_case("pass")
}
