//! A name that promises a secret, and the value that follows it, in every notation that has the two side by side.
//!
//! `NAME=value`, `"name": "value"`, `name = "value"`, `--name value`, `<name>value</name>`, `name("value")`,
//! `{"key": "name", "value": "value"}`, `the name is value`.

use super::Reading;
use super::label::{Promise, promise};
use super::link::Link;
use super::place::Value;
use super::value::{Form, is_secret, is_uuid, looks_secret};

/// Longer names are no names.
pub(super) const LONGEST_NAME: usize = 80;
/// Blanks between a name, its sign and its value.
pub(super) const MOST_BLANKS: usize = 40;
/// A longer word is no value that somebody wrote into a sentence.
pub(super) const LONGEST_VALUE: usize = 400;

/// Words that announce a password by themselves, in SQL and in shells.
///
/// They are plain ASCII, as is every word of the gate: other bytes would double the width of its table.
pub(super) const FIXED: &[&str] = &["identified by", "convertto-securestring", "offline?data="];

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
            Promise::Code => {
                let found = self.hits.len();
                self.code(name_start, name_end);
                // A code to get back in with may have letters.
                if self.hits.len() == found
                    && name.len() >= 4
                    && name.as_bytes()[name.len() - 4..].eq_ignore_ascii_case(b"code")
                {
                    self.codes(name_end);
                }
                return;
            }
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
        let is_accepted = self.is_accepted(name, link, promise, value, text);
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

    /// Whether the value that is connected with a name in this way is a secret.
    fn is_accepted(&self, name: &str, link: Link, promise: Promise, value: Value, text: &str) -> bool {
        match link {
            _ if is_secret_id(name) => is_uuid(text),
            // `password == other`: two variables.
            Link::Sign if value.form == Form::Bare && is_word(text) && self.is_comparison(value.start) => false,
            // `key exchange: curve25519-sha256`.
            Link::Verb if promise == Promise::Hint => {
                text.bytes().any(|byte| byte.is_ascii_uppercase()) && is_secret(text, promise, value.form)
            }
            Link::Apart => {
                let is_number = promise == Promise::Password && counts_none(text);
                (has_digit(text) && looks_secret(text) || is_number) && is_secret(text, promise, value.form)
            }
            Link::Blank if ["requirepass", "masterauth"].contains(&name) => is_secret(text, promise, value.form),
            // Words that are short for a password are many other things too, unless their owner stands in front.
            _ if is_short(name) => {
                let is_long = promise == Promise::Password && name.contains('_') && text.len() >= 6;
                let is_number =
                    promise == Promise::Password && matches!(link, Link::Sign | Link::Colon) && counts_none(text);
                (looks_secret(text) && (has_digit(text) || link != Link::Blank) || is_long || is_number)
                    && is_secret(text, promise, value.form)
            }
            // The rest of a name and the sign behind it: `|AWS Secret Key|…|`.
            // The name of a file and the next one, the text of a link and its target.
            Link::Blank if name.contains('.') || text.contains("](") => false,
            Link::Blank if value.form == Form::Bare && text.split_once('|').is_some_and(|(word, _)| is_word(word)) => {
                false
            }
            // `WITH PASSWORD '…'` of SQL, `#define DB_PASSWORD "…"`: the quotes are as good as a sign.
            Link::Blank if value.form == Form::Quoted && is_loud(name, promise) => is_secret(text, promise, value.form),
            Link::Blank => {
                let is_number = promise == Promise::Password && text.len() <= 8 && counts_none(text);
                (looks_secret(text) || is_number) && is_secret(text, promise, value.form)
            }
            Link::Verb => {
                let is_number = || (4..=8).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
                let is_counted = || !counts_none(text) && self.counts(value.end);
                (looks_secret(text) || text.len() >= 12 || is_number() && !is_counted())
                    && is_secret(text, promise, value.form)
            }
            // `define('DB_PASSWORD', '…')`.
            Link::Argument if is_loud(name, promise) && is_lower_word(text) => is_secret(text, promise, value.form),
            Link::Argument => {
                promise > Promise::Hint
                    && !text.contains(' ')
                    && text.bytes().any(|byte| byte.is_ascii_digit())
                    && looks_secret(text)
                    && is_secret(text, promise, value.form)
            }
            _ => is_secret(text, promise, value.form),
        }
    }

    /// `==` or `!=` in front of a value.
    fn is_comparison(&self, start: usize) -> bool {
        let head = self.bytes[start.saturating_sub(4)..start].trim_ascii_end();
        head.ends_with(b"==") || head.ends_with(b"!=")
    }

    /// A word behind a number, which it counts: `the password is 1234 characters long`.
    fn counts(&self, end: usize) -> bool {
        self.byte(end) == Some(b' ') && self.byte(end + 1).is_some_and(|byte| byte.is_ascii_lowercase())
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
        if counts_none(value) && link != Link::Blank && self.is_beside_user(name_start) {
            return Promise::Password;
        }
        if !looks_secret(value) || !is_word {
            return Promise::Hint;
        }
        let is_flag = matches!(self.before_name(name_start), Some(b'-' | b'/')) || name.starts_with('-');
        if is_flag || quote == 1 || matches!(link, Link::Sign | Link::Element) {
            return Promise::Credential;
        }
        let is_mixed = value.bytes().any(|byte| byte.is_ascii_uppercase() || b"!@#$%^&*+=?~".contains(&byte));
        let is_password =
            is_mixed || self.is_beside_user(name_start) || is_no_step(value) && self.is_line(name_start, at + length);
        if link == Link::Colon && name != "PASS" && is_password && has_digit {
            Promise::Credential
        } else {
            Promise::Hint
        }
    }

    /// `user: app, pass: …`: a user stands in front in the same line, or in the line before.
    fn is_beside_user(&self, name_start: usize) -> bool {
        const NEAR: usize = 64;
        let head = self.bytes.get(name_start.saturating_sub(NEAR)..name_start).unwrap_or_default();
        let words = head.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
        let users = [b"user".as_slice(), b"username", b"login", b"usr", b"account", b"email"];
        words.filter(|word| !word.is_empty()).any(|word| users.iter().any(|user| user.eq_ignore_ascii_case(word)))
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
        // What stands in is quoted, and most lines end without a quote.
        if memchr::memchr3(b'"', b'\'', b'`', line).is_none() {
            return;
        }
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
        // `printf '%s' …`.
        if self.byte(value.start) == Some(b'%') && value.end < pipe {
            at = self.skip_blanks(value.end + usize::from(value.form == Form::Quoted), 4);
            value = self.quoted(at).unwrap_or_else(|| self.bare(at, at));
        }
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
        // The name may have a word in front that belongs to it: `… is the API key`.
        let shorter = head.strip_suffix(' ').and_then(|head| head.rfind(' ').map(|blank| &head[..=blank]));
        let found = [Some(head), shorter]
            .into_iter()
            .flatten()
            .find_map(|head| links.iter().find(|link| head.ends_with(*link)).map(|link| (head, link)));
        let Some((whole, link)) = found else { return };
        let tail = head.len() - whole.len() + link.len();
        let head = &whole[..whole.len() - link.len()];
        let word = head.rsplit([' ', '\n', '\t']).next().unwrap_or_default();
        let word = word.trim_matches(['"', '\'', '`', '*', '(', ')', ',', ':']);
        let Some(offset) = head.rfind(word).filter(|_| word.len() >= 8) else { return };
        let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
        let has_other =
            word.len() >= 20 || word.bytes().any(|byte| byte.is_ascii_uppercase() || b"!@#$%^&*+=?~".contains(&byte));
        if has_digit && has_other && is_secret(word, promise, Form::Bare) {
            let start = name_start - tail - head.len() + offset;
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
        if let Some(tail) = self.code_tail(name, end) {
            return Some((Promise::Code, tail));
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

    /// `código de verificación`, `code de validation`: the words behind the name of a code for one use.
    fn code_tail(&self, name: &str, end: usize) -> Option<usize> {
        const TAILS: [&str; 9] = [
            " de verif",
            " de valid",
            " de secur",
            " de segur",
            " de acces",
            " d'acces",
            " de confirm",
            " di verific",
            " di conferma",
        ];
        if !["code", "codigo", "codice"].iter().any(|known| known.eq_ignore_ascii_case(name)) {
            return None;
        }
        let rest = self.bytes.get(end..self.bytes.len().min(end + 16))?;
        let tail = TAILS
            .iter()
            .find(|tail| rest.get(..tail.len()).is_some_and(|head| head.eq_ignore_ascii_case(tail.as_bytes())))?;
        let from = end + tail.len();
        Some(from + self.run_within(from, LONGEST_NAME, |byte| byte.is_ascii_alphabetic()))
    }

    /// `…, SignedHeaders=host, Signature=…` in the header of a request.
    fn is_signature_of_request(&self, name: &str, start: usize) -> bool {
        const NEAR: usize = 300;
        name == "Signature"
            && self.bytes[..start].ends_with(b" ")
            && memchr::memmem::find(&self.bytes[start.saturating_sub(NEAR)..start], b"SignedHeaders=").is_some()
    }
}

/// Nothing that a test or a step of it is called: `case12`, `login_test_2`.
fn is_no_step(value: &str) -> bool {
    let stem = value.trim_end_matches(|character: char| character.is_ascii_digit());
    let is_step = ["test", "case", "step", "run", "phase", "stage", "round", "check", "suite", "job"]
        .iter()
        .any(|word| stem.eq_ignore_ascii_case(word));
    !is_step && !value.contains(['_', '/', '.', ':', '('])
}

/// `pass`, `pw` and names that end with them.
fn is_short(name: &str) -> bool {
    let ends_with = |ending: &str| {
        name.get(name.len().saturating_sub(ending.len())..).is_some_and(|end| end.eq_ignore_ascii_case(ending))
    };
    ends_with("pass") || ends_with("pw")
}

/// A password by a name in capitals, as constants and words of SQL have it.
fn is_loud(name: &str, promise: Promise) -> bool {
    promise == Promise::Password && !name.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// One word that is no constant: `["PWD", "OLDPWD"]` is a list of names.
fn is_lower_word(text: &str) -> bool {
    text.len() >= 6 && !text.contains(' ') && text.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// A number of six digits and more: nothing that stands behind a password has so many.
fn counts_none(text: &str) -> bool {
    (6..=12).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphabetic())
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
