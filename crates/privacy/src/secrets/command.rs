//! Credentials in the arguments of programs that take them without a telling name: `curl -u user:password`.

use super::Reading;
use super::assignment::MOST_BLANKS;
use super::label::Promise;
use super::value::{Form, is_secret, looks_secret};
use crate::edge;

/// How a program takes its credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// The next word, or the rest of this one.
    Value,
    /// The next word, and never the rest of this one.
    Next,
    /// The rest of the same word only.
    Joined,
    /// Behind the sign in `user:password` or `user%password`.
    Behind(u8),
    /// Between the signs in `user:password@host`.
    Userinfo,
}

/// A program, one of its flags, and the shape of what follows.
const FLAGS: &[(&str, &str, Shape)] = &[
    ("curl", "-u", Shape::Behind(b':')),
    ("curl", "--user", Shape::Behind(b':')),
    ("curl", "-U", Shape::Behind(b':')),
    ("curl", "--proxy-user", Shape::Behind(b':')),
    ("curl", "-x", Shape::Userinfo),
    ("curl", "--proxy", Shape::Userinfo),
    ("curl", "--preproxy", Shape::Userinfo),
    ("mysql", "-p", Shape::Joined),
    ("mariadb", "-p", Shape::Joined),
    ("sshpass", "-p", Shape::Value),
    ("redis-cli", "-a", Shape::Value),
    ("redis-cli", "AUTH", Shape::Next),
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
    ("openssl", "-k", Shape::Next),
    ("openssl", "-K", Shape::Next),
    ("unrar", "-p", Shape::Joined),
    ("twine", "-p", Shape::Value),
    ("rdesktop", "-p", Shape::Value),
    ("cqlsh", "-p", Shape::Value),
    ("cypher-shell", "-p", Shape::Value),
    ("psexec", "-p", Shape::Value),
    ("ncftp", "-p", Shape::Value),
    ("lftp", "-u", Shape::Behind(b',')),
    ("ipmitool", "-P", Shape::Value),
    ("snmp", "-A", Shape::Value),
    ("snmp", "-X", Shape::Value),
    ("useradd", "-p", Shape::Value),
    ("usermod", "-p", Shape::Value),
    ("poetry", "-p", Shape::Value),
    ("plink", "-pw", Shape::Next),
    ("pscp", "-pw", Shape::Next),
    ("psftp", "-pw", Shape::Next),
    ("certutil", "-p", Shape::Next),
    ("signtool", "/p", Shape::Next),
    ("etcdctl", "--user", Shape::Behind(b':')),
    ("ncat", "--proxy-auth", Shape::Behind(b':')),
    ("rclone config", "pass", Shape::Next),
    ("rclone config", "pass=", Shape::Joined),
];

/// Programs that take the password as a word of its own: what has to stand in front of it, and how many words are
/// between. The word has to look like a password.
const PLACES: &[(&str, &str, usize)] = &[
    ("rabbitmqctl", "add_user", 1),
    ("rabbitmqctl", "change_password", 1),
    ("wpa_passphrase", "", 1),
    ("net user", "", 1),
    ("net use", "", 1),
    ("net use", "", 2),
    ("net use", "", 3),
    ("poetry config", "", 2),
    ("npm config", "_auth", 0),
    ("mc alias", "set", 3),
    ("snyk auth", "", 0),
    ("snmp-server community", "", 0),
    ("rclone obscure", "", 0),
    ("openssl passwd", "", 0),
    ("openssl passwd", "", 1),
    ("ansible-vault encrypt_string", "", 0),
    ("user-secrets set", "", 1),
    ("cargo login", "--registry", 1),
    ("docker secret create", "", 3),
];

/// Programs whose first word is `user/password@database`.
const LOGONS: &[&str] = &["sqlplus", "impdp", "expdp", "sqlldr"];

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
    "unrar",
    "twine",
    "rdesktop",
    "cqlsh",
    "cypher-shell",
    "psexec",
    "ncftp",
    "lftp",
    "ipmitool",
    "snmp",
    "useradd",
    "usermod",
    "rabbitmqctl",
    "wpa_passphrase",
    "net user",
    "net use",
    "htpasswd -",
    "sqlplus",
    "impdp",
    "expdp",
    "sqlldr",
    "http -a",
    "https -a",
    "poetry publish",
    "poetry config",
    "plink",
    "pscp",
    "psftp",
    "certutil",
    "signtool",
    "npm config",
    "mc alias",
    "snyk auth",
    "snmp-server community",
    "sudo -s",
    "rclone obscure",
    "openssl passwd",
    "ansible-vault encrypt_string",
    "user-secrets set",
    "cargo login",
    "docker secret create",
    "etcdctl",
    "ncat",
    "rclone config",
];

/// The part of a line in which the flags of a program are looked for.
const LONGEST_COMMAND: usize = 2048;

impl Reading<'_> {
    /// At the name of a program: its flags up to the end of the command.
    pub(super) fn command(&mut self, start: usize, end: usize) {
        let is_start = edge::before(self.bytes, start)
            .is_none_or(|byte| !byte.is_ascii_alphanumeric() || start >= 2 && self.is_suffix(start, end));
        if start < self.commands_done || !is_start {
            return;
        }
        let Some(program) = self.text.get(start..end).map(str::to_ascii_lowercase) else { return };
        // `snmp-server community` begins like `snmp` and takes its password in another way.
        let is_longer = |longer: &&&str| {
            longer.len() > program.len()
                && longer.starts_with(&program)
                && self
                    .bytes
                    .get(start..start + longer.len())
                    .is_some_and(|word| word.eq_ignore_ascii_case(longer.as_bytes()))
        };
        if PROGRAMS.iter().any(|longer| is_longer(&longer)) {
            return;
        }
        // A shell has the same letter, in lower case.
        if program == "sudo -s" {
            if self.bytes[start..end].ends_with(b"S") {
                self.piped_value(start, false);
                self.here_string(end);
            }
            return;
        }
        // What a program keeps was written into the pipe in front of it.
        if program == "docker secret create" {
            self.piped_value(start, false);
        }
        // `Login: robot / …`.
        if program == "login" && self.byte(end) == Some(b':') {
            let user = self.bare(self.skip_blanks(end + 1, MOST_BLANKS), start);
            self.behind_user(start, user, Promise::Credential);
        }
        let mut stop = self.line_end(end).min(end + LONGEST_COMMAND);
        while !self.text.is_char_boundary(stop) {
            stop -= 1;
        }
        let name_end = end + self.run(end, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
        // What else announces a program within this name is a part of it.
        self.commands_done = name_end;
        if name_end >= stop {
            return;
        }
        // The name of the program may be quoted itself.
        let name_end = name_end + usize::from(matches!(self.byte(name_end), Some(b'"' | b'\'')));
        let has_places = PLACES.iter().any(|(name, _, _)| *name == program);
        if has_places || program == "htpasswd -" || LOGONS.contains(&program.as_str()) {
            self.place(&program, end, stop);
            return;
        }
        let mut at = name_end;
        let mut pending: Option<Shape> = program.ends_with(" -a").then_some(Shape::Behind(b':'));
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
                // Flags of one letter may stand in one word: `-su user:password`.
                let is_bundled = program == "curl" || program == "zip";
                if is_bundled && is_bundle(word, flag) {
                    pending = Some(*shape);
                    continue;
                }
                let Some(rest) = word.strip_prefix(flag) else { continue };
                let is_long = flag.starts_with("--");
                match (rest, shape) {
                    ("", Shape::Joined) => {}
                    (rest, Shape::Next) if !rest.is_empty() => {}
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

    /// `sudo -S … <<< password`.
    fn here_string(&mut self, from: usize) {
        let line = self.bytes.get(from..self.line_end(from).min(from + LONGEST_COMMAND)).unwrap_or_default();
        let Some(found) = memchr::memmem::find(line, b"<<<") else { return };
        if let Some((start, end)) = self.argument(from + found + 3, self.line_end(from)) {
            self.credential(start, end, Shape::Next);
        }
    }

    /// A password that is a word of its own, or the second half of the first word.
    fn place(&mut self, program: &str, from: usize, stop: usize) {
        const MOST_WORDS: usize = 8;
        let mut words = Vec::with_capacity(MOST_WORDS);
        let mut at = from;
        while words.len() < MOST_WORDS
            && at < stop
            && let Some((start, end)) = self.argument(at, stop)
        {
            let word = self.text.get(start..end).unwrap_or_default();
            if matches!(word, "|" | "||" | "&&" | ";" | "&" | ">" | ">>") || word.is_empty() {
                break;
            }
            words.push((start, end));
            self.commands_done = end;
            at = end + 1;
        }
        let text = self.text;
        let word = |index: usize| words.get(index).and_then(|&(start, end)| text.get(start..end)).unwrap_or_default();
        if LOGONS.contains(&program) {
            if let Some((user, rest)) = word(0).split_once('/')
                && !user.is_empty()
                && !rest.starts_with('/')
            {
                let start = words[0].0 + user.len() + 1;
                let length = rest.find('@').unwrap_or(rest.len());
                self.credential(start, start + length, Shape::Next);
            }
            return;
        }
        let candidates: Vec<usize> = if program == "htpasswd -" {
            // The last word, when the flags say that it is the password.
            if word(0).contains('b') {
                words.len().checked_sub(1).filter(|last| *last >= 2).into_iter().collect()
            } else {
                Vec::new()
            }
        } else {
            PLACES
                .iter()
                .filter(|(name, _, _)| *name == program)
                .filter_map(|(_, marker, skip)| {
                    let first =
                        if marker.is_empty() { 0 } else { (0..words.len()).find(|&at| word(at) == *marker)? + 1 };
                    Some(first + skip)
                })
                .collect()
        };
        for index in candidates {
            let value = word(index);
            let is_other = value.starts_with(['/', '-', '\\', '*']) || value.contains('\\');
            if !is_other && looks_secret(value) {
                self.credential(words[index].0, words[index].1, Shape::Next);
            }
        }
    }

    /// `gunzip`, `docker-login`: the word ends a longer one.
    fn is_suffix(&self, start: usize, end: usize) -> bool {
        self.text.get(start..end).is_some_and(|word| word.eq_ignore_ascii_case("zip"))
    }

    /// The next word of a command, without its quotes.
    fn argument(&self, from: usize, stop: usize) -> Option<(usize, usize)> {
        // The words of a list in code have commas between.
        let comma =
            usize::from(self.byte(from) == Some(b',') && matches!(self.byte(from + 1), Some(b' ' | b'"' | b'\'')));
        let start = self.skip_blanks(from + comma, LONGEST_COMMAND);
        if start >= stop {
            return None;
        }
        if let Some(quote @ (b'"' | b'\'')) = self.byte(start) {
            let window = self.bytes.get(start + 1..stop)?;
            let length = memchr::memchr(quote, window).unwrap_or(window.len());
            return Some((start + 1, start + 1 + length));
        }
        let length = self.run_within(start, stop - start, |byte| !byte.is_ascii_whitespace());
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
            Shape::Userinfo => {
                let Some((head, _)) = word.rsplit_once('@').filter(|_| !word.contains("://")) else { return };
                let Some((user, password)) = head.split_once(':') else { return };
                (start + user.len() + 1, password)
            }
            _ => (start, word),
        };
        let is_variable = value.strip_prefix('$').is_some_and(|name| {
            name.contains('_') && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        });
        if !value.starts_with('-') && !is_variable && is_secret(value, Promise::Password, Form::Bare) {
            let end = value_start + value.len();
            self.push_secret(value_start, end, "command-credential");
        }
    }
}

/// Several flags of one letter, the last of which is this one.
fn is_bundle(word: &str, flag: &str) -> bool {
    let Some(letter) = flag.strip_prefix('-').filter(|letter| letter.len() == 1) else { return false };
    word.strip_prefix('-')
        .and_then(|letters| letters.strip_suffix(letter))
        .is_some_and(|others| (1..=4).contains(&others.len()) && others.bytes().all(|byte| byte.is_ascii_alphabetic()))
}
