//! All recognisers over one text, through its disguises and encodings.

use std::borrow::Cow;

use crate::codec;
use crate::entropy;
use crate::gate;
use crate::hit::{Hit, Owner};
use crate::identity;
use crate::kind::{Kind, Tier};
use crate::rules::Rules;
use crate::secrets;
use crate::shadow::Shadow;
use crate::terms::Terms;
use crate::values::ValueIndex;

/// Encodings inside encodings are read so deep.
const DEPTH: usize = 2;
/// The shortest run of base64 or hexadecimal digits that is decoded.
const SHORTEST_RUN: usize = 16;
/// The same when known values are looked for.
const SHORTEST_KNOWN_RUN: usize = 12;
/// Lines of a wrapped block of base64 are at least so long, all but the last.
const WRAPPED_LINE: usize = 60;

/// Which recognisers run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Credentials alone.
    Secrets,
    /// Credentials, people, places and numbers.
    Everything,
}

/// What to look for.
pub(crate) struct Detector<'a> {
    /// Values that are private wherever they stand.
    pub known: &'a ValueIndex,
    /// The kind of a known value.
    pub kind_of: &'a dyn Fn(u32) -> Kind,
    pub terms: Option<&'a Terms>,
    pub rules: Option<&'a Rules>,
    pub scope: Scope,
    pub hides_random: bool,
}

/// The kind of every known value when there are secrets alone.
pub(crate) fn secret_kind(_: u32) -> Kind {
    Kind::Secret
}

impl Detector<'_> {
    /// Everything private in a text, as ranges of its bytes. The hits may overlap.
    pub(crate) fn detect(&self, text: &str) -> Vec<Hit> {
        self.detect_to(text, DEPTH)
    }

    fn detect_to(&self, text: &str, depth: usize) -> Vec<Hit> {
        let shadow = Shadow::of(text);
        let read = shadow.text();
        let mut hits = self.shapes(read);
        for sighting in self.known.search(read) {
            let mut hit = Hit::new(sighting.start, sighting.end, (self.kind_of)(sighting.owner), "known-value");
            hit.owner = Some(Owner::Known(sighting.owner));
            hits.push(hit);
        }
        if let Some(terms) = self.terms {
            for sighting in terms.index().search(read) {
                let kind = terms.term(sighting.owner).map_or(Kind::Pii, |(kind, _)| kind);
                let mut hit = Hit::new(sighting.start, sighting.end, kind, "private-term");
                hit.owner = Some(Owner::Term(sighting.owner));
                hits.push(hit);
            }
        }
        if let Some(rules) = self.rules {
            rules.search(read, &mut hits);
        }
        if self.hides_random {
            entropy::search(read, &mut hits);
        }
        if depth > 0 {
            self.decode_runs(read, depth - 1, &mut hits);
            self.unescape(read, b'%', depth - 1, &mut hits);
            self.unescape(read, b'=', depth - 1, &mut hits);
        }
        for hit in &mut hits {
            (hit.start, hit.end) = shadow.source(hit.start, hit.end);
        }
        hits
    }

    /// What the recognisers find in a plain reading.
    fn shapes(&self, read: &str) -> Vec<Hit> {
        let mut secrets = secrets::Reading::new(read);
        if self.scope == Scope::Secrets {
            gate::SECRETS.words(read, |word| {
                if let gate::Trigger::Secret(trigger) = word.trigger {
                    secrets.word(trigger, word.start, word.end);
                }
            });
            return secrets.finish();
        }
        let mut identity = identity::Reading::new(read);
        gate::ALL.words(read, |word| match word.trigger {
            gate::Trigger::Secret(trigger) => secrets.word(trigger, word.start, word.end),
            gate::Trigger::Identity(trigger) => identity.word(trigger, word.start, word.end),
        });
        let mut hits = secrets.finish();
        hits.append(&mut identity.finish());
        hits
    }

    /// Runs of base64 and hexadecimal digits that decode to a text with something private in it.
    fn decode_runs(&self, text: &str, depth: usize, hits: &mut Vec<Hit>) {
        let shortest = if self.known.is_empty() { SHORTEST_RUN } else { SHORTEST_KNOWN_RUN };
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(start) = next_run(bytes, at, shortest) {
            at = start;
            let length = run(bytes, at);
            let (end, code) = wrapped(bytes, at, length);
            let code = code.strip_prefix(b"0x").unwrap_or(&code);
            if let Some(token_end) = bot_token(bytes, at, end) {
                hits.push(Hit::secret(at, token_end, "discord-token"));
            } else if let Some(decoded) = may_be_text(code).then(|| decode(code)).flatten() {
                let inner = self.detect_to(&decoded, depth);
                if let Some(strictest) =
                    inner.iter().filter(|hit| counts_when_encoded(hit)).max_by_key(|hit| hit.kind.tier())
                {
                    let mut hit = Hit { start: at, end, ..strictest.clone() };
                    let is_whole = strictest.end - strictest.start == decoded.trim().len();
                    hit.owner = strictest.owner.filter(|_| is_whole);
                    hits.push(hit);
                }
            }
            at = end + 1;
        }
    }

    /// Words with escapes of two hexadecimal digits: what they hide keeps its exact place.
    fn unescape(&self, text: &str, mark: u8, depth: usize, hits: &mut Vec<Hit>) {
        let bytes = text.as_bytes();
        let mut done = 0;
        for at in memchr::memchr_iter(mark, bytes) {
            let is_escape = match bytes.get(at + 1..at + 3) {
                // A row of escapes, too, is no value behind a sign.
                Some(digits) if mark == b'=' => {
                    // A number in hexadecimal digits is none.
                    let is_number =
                        || bytes.get(at + 3..at + 11).is_some_and(|rest| rest.iter().all(u8::is_ascii_hexdigit));
                    matches!(digits, b"40" | b"3D") && !is_number()
                        || digits.iter().all(u8::is_ascii_hexdigit)
                            && bytes.get(at + 3) == Some(&b'=')
                            && bytes.get(at + 6) == Some(&b'=')
                }
                Some(digits) => digits.iter().all(u8::is_ascii_hexdigit),
                None => false,
            };
            if at < done || !is_escape {
                continue;
            }
            let is_part =
                |byte: &&u8| !byte.is_ascii_whitespace() && !matches!(**byte, b'"' | b'\'' | b'`' | b'<' | b'>');
            let start = at - bytes[done..at].iter().rev().take_while(is_part).count();
            let end = at + bytes[at..].iter().take_while(is_part).count();
            done = end;
            let Some(shadow) = text.get(start..end).and_then(|word| Shadow::unescape(word, mark)) else { continue };
            for mut hit in self.detect_to(shadow.text(), depth) {
                (hit.start, hit.end) = shadow.source(hit.start, hit.end);
                hit.start += start;
                hit.end += start;
                hits.push(hit);
            }
        }
    }
}

/// A name or an address that happens to come out of a decoder is chance; what has a checksum or a prefix is not.
fn counts_when_encoded(hit: &Hit) -> bool {
    hit.owner.is_some() || hit.kind.tier() > Tier::Identity || hit.kind == Kind::Email
}

/// The end of a token of a bot at Discord: the number of its account in base64, six characters, and a signature.
fn bot_token(bytes: &[u8], at: usize, end: usize) -> Option<usize> {
    if bytes.get(end) != Some(&b'.') || !(23..=28).contains(&(end - at)) || !matches!(bytes[at], b'M' | b'N' | b'O') {
        return None;
    }
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let length =
        |from: usize| bytes[from.min(bytes.len())..].iter().take(80).take_while(|&&byte| is_part(byte)).count();
    let time = length(end + 1);
    let signature = length(end + 2 + time);
    let is_shaped = time == 6 && bytes.get(end + 1 + time) == Some(&b'.') && signature >= 27;
    // The first part is the number of the bot; in a made-up one each part is as random as the others.
    let is_random = |part: &[u8]| {
        part.iter().any(u8::is_ascii_lowercase)
            && part.iter().any(u8::is_ascii_uppercase)
            && part.iter().any(u8::is_ascii_digit)
    };
    let stop = end + 2 + time + signature;
    let is_number = || codec::base64(&bytes[at..end]).is_some_and(|number| number.iter().all(u8::is_ascii_digit));
    let are_random = || is_random(&bytes[at..end]) && is_random(&bytes[end + 2 + time..stop]);
    (is_shaped && (is_number() || are_random())).then_some(stop)
}

static IS_CODE: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    loop {
        table[byte as usize] = byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-');
        if byte == u8::MAX {
            break;
        }
        byte += 1;
    }
    table
};

/// The start of the next run of at least `shortest` digits.
fn next_run(bytes: &[u8], mut at: usize, shortest: usize) -> Option<usize> {
    // What ends the runs of words is met within a few bytes when one looks from behind, and all in front of it is
    // passed over unseen.
    while let Some(window) = bytes.get(at..at + shortest) {
        match window.iter().rposition(|&byte| !IS_CODE[usize::from(byte)]) {
            Some(end) => at += end + 1,
            None => return Some(at),
        }
    }
    None
}

fn run(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().take_while(|&&byte| IS_CODE[usize::from(byte)]).count()
}

/// A run together with the lines that continue it, and its digits alone.
fn wrapped(bytes: &[u8], at: usize, length: usize) -> (usize, Cow<'_, [u8]>) {
    let mut code = Cow::Borrowed(&bytes[at..at + length]);
    let mut end = at + length;
    let mut last = length;
    while last >= WRAPPED_LINE {
        let gap = bytes[end..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let next = end + gap;
        let is_next_line = memchr::memchr(b'\n', &bytes[end..next]).is_some() && gap <= 32;
        last = run(bytes, next.min(bytes.len()));
        // The name of a field is no line of base64: `kind: Secret`.
        let goes_on = last < WRAPPED_LINE && bytes.get(next + last) == Some(&b':');
        if !is_next_line || last < 4 || goes_on {
            break;
        }
        code.to_mut().extend_from_slice(&bytes[next..next + last]);
        end = next + last;
    }
    (end, code)
}

/// Whether the beginning or what stands behind the last sign of assignment decodes to the beginning of a text: a cheap
/// look that spares most words the decoding.
fn may_be_text(code: &[u8]) -> bool {
    let is_text = |byte: u8| matches!(byte, b'\t' | b'\n' | b'\r' | 0x20..=0x7E | 0xC2..=0xF4);
    let begins = |code: &[u8]| {
        code.first_chunk::<8>().is_some_and(|&head| {
            codec::base64_begins(head).is_some_and(|bytes| bytes.into_iter().all(is_text))
                || codec::hex_begins(head).is_some_and(|bytes| bytes.into_iter().all(is_text))
                || codec::base32_begins(head).is_some_and(|bytes| bytes.into_iter().all(is_text))
                    && code
                        .get(..16)
                        .is_some_and(|code| !code.iter().any(|byte| matches!(byte, b'0' | b'1' | b'8' | b'9')))
        })
    };
    begins(code) || memchr::memchr_iter(b'=', code).any(|sign| begins(&code[sign + 1..]))
}

fn decode(code: &[u8]) -> Option<String> {
    // A name with a sign of assignment in front: `key=c2VjcmV0`.
    let padding = code.iter().rev().take_while(|&&byte| byte == b'=').count().min(6);
    let code = match memchr::memrchr(b'=', &code[..code.len() - padding]) {
        Some(sign) => code.get(sign + 1..)?,
        None => code,
    };
    if code.iter().all(u8::is_ascii_hexdigit)
        && let Some(text) = codec::hex(code).and_then(codec::readable)
    {
        return Some(text);
    }
    let text =
        codec::base64(code).and_then(codec::readable).or_else(|| codec::base32(code).and_then(codec::readable))?;
    (text.len() >= 6).then_some(text)
}
