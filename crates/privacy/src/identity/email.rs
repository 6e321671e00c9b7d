//! Mail addresses, plain and spelled out.

use super::Reading;
use super::words::{is_common, is_given_name};
use crate::edge;
use crate::kind::Kind;

const LONGEST_LOCAL: usize = 64;
const LONGEST_DOMAIN: usize = 255;
/// Endings of unit names, which are written with an at sign too.
const UNITS: &[&str] =
    &["service", "socket", "target", "mount", "timer", "device", "slice", "scope", "path", "swap", "automount"];
/// Endings of files, which are no domains.
const FILES: &[&str] = &[
    "png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "icns", "css", "scss", "js", "mjs", "ts", "tsx", "jsx", "json",
    "html", "htm", "xml", "txt", "log", "gz", "tgz", "yml", "yaml", "toml", "lock", "woff", "woff", "ttf", "wasm",
    "exe", "dll", "tar", "csv", "pdf", "conf", "cfg", "ini",
];
/// Users of version control remotes.
const REMOTES: &[&str] = &["git", "hg", "svn"];
/// Endings that count in an address whose signs are spelled out.
const ENDINGS: &[&str] = &[
    "com", "org", "net", "io", "edu", "gov", "co", "uk", "de", "fr", "eu", "us", "ca", "au", "nl", "se", "no", "es",
    "it", "ch", "at", "info", "me", "dev", "app", "ai", "test", "example", "mail", "biz", "pl", "br", "in", "jp",
];

/// A full stop written out.
const DOTS: [&[u8]; 8] = [b" dot ", b" (dot) ", b" [dot] ", b" <dot> ", b"(dot)", b"[dot]", b"{dot}", b" . "];

fn is_local(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._%+'-&/=!#$*?^`{|}~".contains(&byte) || byte >= 0x80
}

fn is_plain_local(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._%+'-".contains(&byte) || byte >= 0x80
}

fn is_label(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte >= 0x80
}

impl Reading<'_> {
    /// Every at sign with an address around it.
    pub(super) fn emails(&mut self) {
        let bytes = self.bytes;
        for at in memchr::memchr_iter(b'@', bytes) {
            let Some((start, end)) = self.email(at) else {
                // `kit @ example.org`, `kit@example(dot)org`.
                let is_spaced = self.before(at) == Some(b' ') && self.byte(at + 1) == Some(b' ');
                let is_bound = self.before(at).is_some_and(is_plain_local) && self.byte(at + 1).is_some_and(is_label);
                if is_spaced || is_bound {
                    self.spelled_mail_at(at, at + 1, is_spaced);
                }
                continue;
            };
            self.push(start, end, Kind::Email, "email");
            self.name_before_mail(start);
        }
    }

    fn email(&self, at: usize) -> Option<(usize, usize)> {
        let window = &self.bytes[at.saturating_sub(LONGEST_LOCAL)..at];
        let mut length = window.iter().rev().take_while(|&&byte| is_plain_local(byte)).count();
        // Quotes and stops at the edge belong to the sentence.
        while length > 0 && matches!(self.byte(at - length), Some(b'.' | b'\'' | b'-' | b'%')) {
            length -= 1;
        }
        // `\n` in front of an address is a break of its line.
        if length > 1 && edge::is_escaped(self.bytes, at - length) {
            length -= 1;
        }
        let start = at - length;
        if length == 0 || self.before(at) == Some(b'.') || !self.text.is_char_boundary(start) {
            return None;
        }
        let (end, last) = self.domain(at + 1)?;
        let ending = self.text.get(last..end)?;
        let is_ending =
            (2..=24).contains(&ending.len()) && ending.bytes().all(|byte| byte.is_ascii_alphabetic() || byte >= 0x80);
        let local = self.text.get(start..at)?;
        let is_shell = || self.bytes[start.saturating_sub(24)..start].windows(4).any(|word| word == b"ssh ");
        let is_remote = REMOTES.contains(&local) && (matches!(self.byte(end), Some(b':' | b'/')) || is_shell());
        // `aes256-gcm@openssh.com` is an algorithm, and who defined it.
        let is_algorithm = local.contains('-') && ["openssh.com", "libssh.org"].contains(&&self.text[at + 1..end]);
        let is_unit = UNITS.iter().chain(FILES).any(|unit| unit.eq_ignore_ascii_case(ending));
        (is_ending && !is_remote && !is_algorithm && !is_unit && !self.is_authority(start)).then_some((start, end))
    }

    /// The end of a domain, and the start of its last label.
    fn domain(&self, from: usize) -> Option<(usize, usize)> {
        let mut at = from;
        let mut last = from;
        let mut labels = 0;
        loop {
            let length = self.run_within(at, LONGEST_DOMAIN, is_label);
            if length == 0 {
                break;
            }
            last = at;
            at += length;
            labels += 1;
            if self.byte(at) != Some(b'.') || !self.byte(at + 1).is_some_and(is_label) || at - from > LONGEST_DOMAIN {
                break;
            }
            at += 1;
        }
        while at > last && self.before(at) == Some(b'-') {
            at -= 1;
        }
        (labels >= 2).then_some((at, last))
    }

    /// The name and password in front of a host are no address: `https://user:password@host`.
    fn is_authority(&self, start: usize) -> bool {
        let window = &self.bytes[start.saturating_sub(128)..start];
        let word = window
            .iter()
            .rev()
            .take_while(|&&byte| !byte.is_ascii_whitespace() && byte != b'/' && is_local(byte) || byte == b':')
            .count();
        self.bytes[..start - word].ends_with(b"//")
    }

    /// `kit at example dot org`, `kit [at] example.org`.
    pub(super) fn spelled_mail(&mut self, start: usize, end: usize) {
        let sign = self.text.get(start..end).unwrap_or_default();
        if !sign.to_ascii_lowercase().contains("at") || start < self.labels_done {
            return;
        }
        self.spelled_mail_at(start, end, !sign.starts_with(' '));
    }

    /// `dana at example.com`: in front of a plain `at` stands a name, or the sentence speaks of mail.
    fn is_person_at(&self, local: &str, start: usize) -> bool {
        const NEAR: usize = 24;
        let head = self.bytes.get(start.saturating_sub(NEAR)..start).unwrap_or_default().to_ascii_lowercase();
        let speaks_of_mail = || {
            ["mail", "write to", "reach me"].iter().any(|word| memchr::memmem::find(&head, word.as_bytes()).is_some())
        };
        let is_name =
            || local.split(['.', '_']).all(is_given_name) || local.contains('.') && local.split('.').any(is_given_name);
        let starts = local.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
        starts && (is_name() || speaks_of_mail() && local.len() >= 3 && !is_common(local))
    }

    /// An address around its sign; `is_certain` when the sign stands for nothing else.
    fn spelled_mail_at(&mut self, start: usize, end: usize, is_certain: bool) {
        let mut local_end = start;
        while local_end > 0 && self.before(local_end) == Some(b' ') && start - local_end < 2 {
            local_end -= 1;
        }
        let window = &self.bytes[local_end.saturating_sub(LONGEST_LOCAL)..local_end];
        let length = window.iter().rev().take_while(|&&byte| is_plain_local(byte)).count();
        let mut at = end + usize::from(self.byte(end) == Some(b' '));
        let mut labels = 0;
        let mut spelled = 0;
        let mut last = (at, at);
        loop {
            let label = self.run_within(at, LONGEST_LOCAL, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
            if label == 0 {
                break;
            }
            last = (at, at + label);
            labels += 1;
            let rest = self.bytes.get(at + label..).unwrap_or_default();
            let dot = DOTS.iter().find(|dot| rest.get(..dot.len()).is_some_and(|head| head.eq_ignore_ascii_case(dot)));
            match dot {
                Some(dot) => {
                    spelled += 1;
                    at += label + dot.len();
                }
                None if rest.first() == Some(&b'.') && rest.get(1).is_some_and(u8::is_ascii_alphanumeric) => {
                    at += label + 1;
                }
                None => break,
            }
        }
        let ending = self.text.get(last.0..last.1).unwrap_or_default().to_ascii_lowercase();
        let local = self.text.get(local_end - length..local_end).unwrap_or_default();
        let is_mail = length > 0
            && labels >= 2
            && ENDINGS.contains(&ending.as_str())
            && (spelled > 0 || is_certain || self.is_person_at(local, local_end - length));
        if is_mail {
            self.labels_done = last.1;
            self.push(local_end - length, last.1, Kind::Email, "spelled-email");
        }
    }
}
