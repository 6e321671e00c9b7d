//! Credentials in the arguments of programs that take them without a telling name: `curl -u user:password`.

use super::Reading;
use super::label::Promise;
use super::value::{Form, is_secret};

/// How a program takes its credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// The next word, or the rest of this one.
    Value,
    /// The rest of the same word only.
    Joined,
    /// Behind the sign in `user:password` or `user%password`.
    Behind(u8),
}

/// A program, one of its flags, and the shape of what follows.
const FLAGS: &[(&str, &str, Shape)] = &[
    ("curl", "-u", Shape::Behind(b':')),
    ("curl", "--user", Shape::Behind(b':')),
    ("curl", "-U", Shape::Behind(b':')),
    ("curl", "--proxy-user", Shape::Behind(b':')),
    ("mysql", "-p", Shape::Joined),
    ("mariadb", "-p", Shape::Joined),
    ("sshpass", "-p", Shape::Value),
    ("redis-cli", "-a", Shape::Value),
    ("mongo", "-p", Shape::Value),
    ("login", "-p", Shape::Value),
    ("ldap", "-w", Shape::Value),
    ("zip", "-P", Shape::Value),
    ("7z", "-p", Shape::Joined),
    ("smbclient", "-U", Shape::Behind(b'%')),
    ("rpcclient", "-U", Shape::Behind(b'%')),
    ("http", "-a", Shape::Behind(b':')),
    ("http", "--auth", Shape::Behind(b':')),
    ("snowsql", "-p", Shape::Value),
    ("sqlcmd", "-P", Shape::Value),
    ("bcp", "-P", Shape::Value),
    ("rabbitmqadmin", "-p", Shape::Value),
    ("mosquitto", "-P", Shape::Value),
    ("xfreerdp", "/p:", Shape::Joined),
    ("openssl", "pass:", Shape::Joined),
];

/// The programs, as the gate looks for them.
pub(super) const PROGRAMS: &[&str] = &[
    "curl",
    "mysql",
    "mariadb",
    "sshpass",
    "redis-cli",
    "mongo",
    "login",
    "ldap",
    "zip",
    "7z",
    "smbclient",
    "rpcclient",
    "snowsql",
    "sqlcmd",
    "bcp",
    "rabbitmqadmin",
    "mosquitto",
    "xfreerdp",
    "openssl",
];

/// The part of a line in which the flags of a program are looked for.
const LONGEST_COMMAND: usize = 2048;

impl Reading<'_> {
    /// At the name of a program: its flags up to the end of the command.
    pub(super) fn command(&mut self, start: usize, end: usize) {
        let is_start = start
            .checked_sub(1)
            .and_then(|before| self.byte(before))
            .is_none_or(|byte| !byte.is_ascii_alphanumeric() || start > 2 && self.is_suffix(start, end));
        if start < self.commands_done || !is_start {
            return;
        }
        let Some(program) = self.text.get(start..end).map(str::to_ascii_lowercase) else { return };
        let mut stop = self.line_end(end).min(end + LONGEST_COMMAND);
        while !self.text.is_char_boundary(stop) {
            stop -= 1;
        }
        let name_end = end + self.run(end, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
        if name_end >= stop {
            return;
        }
        let mut at = name_end;
        let mut pending: Option<Shape> = None;
        while at < stop {
            let Some((word_start, word_end)) = self.argument(at, stop) else { break };
            let Some(word) = self.text.get(word_start..word_end) else { break };
            if matches!(word, "|" | "||" | "&&" | ";" | "&") {
                break;
            }
            at = word_end + 1;
            self.commands_done = word_end;
            if let Some(shape) = pending.take() {
                self.credential(word_start, word_end, shape);
                continue;
            }
            for (_, flag, shape) in FLAGS.iter().filter(|(name, _, _)| *name == program || program.starts_with(name)) {
                let Some(rest) = word.strip_prefix(flag) else { continue };
                let is_long = flag.starts_with("--");
                match (rest, shape) {
                    ("", Shape::Joined) => {}
                    ("", _) => pending = Some(*shape),
                    (_, _) if is_long && !rest.starts_with('=') => {}
                    _ => {
                        let skip = flag.len() + usize::from(rest.starts_with('='));
                        self.credential(word_start + skip, word_end, *shape);
                    }
                }
            }
        }
    }

    /// `gunzip`, `docker-login`: the word ends a longer one.
    fn is_suffix(&self, start: usize, end: usize) -> bool {
        self.text.get(start..end).is_some_and(|word| word.eq_ignore_ascii_case("zip"))
    }

    /// The next word of a command, without its quotes.
    fn argument(&self, from: usize, stop: usize) -> Option<(usize, usize)> {
        let start = self.skip_blanks(from, LONGEST_COMMAND);
        if start >= stop {
            return None;
        }
        if let Some(quote @ (b'"' | b'\'')) = self.byte(start) {
            let window = self.bytes.get(start + 1..stop)?;
            let length = memchr::memchr(quote, window).unwrap_or(window.len());
            return Some((start + 1, start + 1 + length));
        }
        let length = self.run(start, |byte| !byte.is_ascii_whitespace()).min(stop - start);
        Some((start, start + length))
    }

    fn credential(&mut self, start: usize, end: usize, shape: Shape) {
        let Some(word) = self.text.get(start..end) else { return };
        let word = word.trim_matches(['"', '\'']);
        let Some(offset) = self.text.get(start..end).and_then(|whole| whole.find(word)) else { return };
        let start = start + offset;
        let (value_start, value) = match shape {
            Shape::Behind(sign) => match word.bytes().position(|byte| byte == sign) {
                Some(at) => (start + at + 1, &word[at + 1..]),
                None => return,
            },
            _ => (start, word),
        };
        if !value.starts_with('-') && is_secret(value, Promise::Password, Form::Bare) {
            let end = value_start + value.len();
            self.push_secret(value_start, end, "command-credential");
        }
    }
}
