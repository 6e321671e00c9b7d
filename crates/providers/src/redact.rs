//! Takes keys out of text that somebody may read.

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use lwa_secrets::Secret;
use regex::{Captures, Regex};

/// What stands where a secret stood.
pub const MASK: &str = "[redacted]";

/// Known secrets shorter than this would mask ordinary words.
const SHORTEST_KNOWN: usize = 4;
/// Encoded forms of shorter secrets would match by accident.
const SHORTEST_ENCODED: usize = 8;

/// `text` without `known` secrets, in clear, escaped, percent-encoded, in hexadecimal or in base64, and without
/// what looks like a secret: the value behind a bearer, behind a name such as `api_key` in a query, a header or
/// quoted JSON, and words with the prefix of a well-known kind of key.
///
/// It rather takes too much than too little.
pub fn redact(text: &str, known: &[&Secret]) -> String {
    let mut redacted = text.to_owned();
    let mut forms: Vec<String> = known.iter().flat_map(|secret| encoded_forms(secret.expose())).collect();
    // A form that contains another one goes first, or its rest would stay.
    forms.sort_by_key(|form| std::cmp::Reverse(form.len()));
    forms.dedup();
    for form in &forms {
        if redacted.contains(form.as_str()) {
            redacted = redacted.replace(form.as_str(), MASK);
        }
    }
    for (pattern, keeps) in PATTERNS.iter() {
        redacted = pattern
            .replace_all(&redacted, |found: &Captures<'_>| match keeps {
                Keeps::First => format!("{}{MASK}", &found[1]),
                Keeps::Nothing => MASK.to_owned(),
            })
            .into_owned();
    }
    redacted
}

fn encoded_forms(secret: &str) -> Vec<String> {
    let secret = secret.trim();
    if secret.len() < SHORTEST_KNOWN {
        return Vec::new();
    }
    let mut forms = vec![secret.to_owned()];
    if let Ok(json) = serde_json::to_string(secret) {
        forms.push(json.trim_matches('"').to_owned());
        forms.push(json.trim_matches('"').replace('/', "\\/"));
    }
    if secret.len() >= SHORTEST_ENCODED {
        let is_unreserved = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~');
        for digits in [b"0123456789ABCDEF", b"0123456789abcdef"] {
            forms.push(hexadecimal(secret, digits, None, |_| false));
            forms.push(hexadecimal(secret, digits, Some('%'), is_unreserved));
        }
        forms.extend(base64_forms(secret));
    }
    forms
}

/// Each byte as two digits with `mark` before them, except the bytes that `stay`.
fn hexadecimal(secret: &str, digits: &[u8; 16], mark: Option<char>, stay: impl Fn(u8) -> bool) -> String {
    let mut encoded = String::new();
    for byte in secret.bytes() {
        if stay(byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.extend(mark);
            encoded.push(char::from(digits[usize::from(byte >> 4)]));
            encoded.push(char::from(digits[usize::from(byte & 15)]));
        }
    }
    encoded
}

/// The digits that depend on the secret alone, for each of the three ways it can lie in a longer text.
fn base64_forms(secret: &str) -> Vec<String> {
    let mut forms = Vec::new();
    for before in 0..3_usize {
        let mut bytes = vec![0; before];
        bytes.extend_from_slice(secret.as_bytes());
        let first = [0, 2, 3][before];
        let last = bytes.len() / 3 * 4;
        for encoded in [STANDARD_NO_PAD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes)] {
            // The last incomplete group mixes with what follows, so only whole groups are certain.
            forms.extend(encoded.get(first..last).filter(|form| form.len() >= SHORTEST_ENCODED).map(str::to_owned));
        }
    }
    forms
}

#[derive(Clone, Copy)]
enum Keeps {
    /// The first group stays: the name and what separates it from the value.
    First,
    Nothing,
}

/// Names whose value is a secret. Plurals such as `max_tokens` are counts and must not match.
const NAMES: &str = r"[a-z0-9_.-]*?(?:api[-_]?key|apikey|secret[-_]?key|private[-_]?key|access[-_]?key|secret|token|password|passwd|authorization|cookie|credential|credentials)";

#[expect(
    clippy::expect_used,
    reason = "BUG otherwise: the patterns are constants, and every test of this module compiles them"
)]
static PATTERNS: LazyLock<Vec<(Regex, Keeps)>> = LazyLock::new(|| {
    // A quote in text that was put into JSON, once or several times over.
    let quote = r#"(?:\\*["'])"#;
    let compile = |pattern: &str| Regex::new(pattern).expect("BUG: a constant pattern");
    vec![
        // "Authorization": "Basic abc", in JSON of any depth. The value ends at a quote that is not part of it.
        (compile(&format!(r#"(?i)({quote}{NAMES}{quote}\s*[:=]\s*{quote})[^"'\\]+"#)), Keeps::First),
        // Authorization: Basic abc, up to the end of the line, and Cookie: a=b; c=d.
        (compile(r#"(?i)(\b(?:proxy-)?(?:authorization|cookie|set-cookie)\s*[:=]\s*)[^\r\n"'\\]+"#), Keeps::First),
        // api_key=abc, ?token=abc, x-api-key: abc.
        (compile(&format!(r#"(?i)(\b{NAMES}{quote}?\s*[:=]\s*{quote}?)[^\s"'\\&;,<>(){{}}\[\]]+"#)), Keeps::First),
        // ?key=abc, and a name and password before a host.
        (compile(r#"(?i)([?&](?:key|auth|sig|signature)=)[^\s"'\\&#]+"#), Keeps::First),
        (compile(r#"(?i)([a-z][a-z0-9+.-]*://)[^\s/@"'\\]+@"#), Keeps::First),
        // Bearer abc, Basic abc.
        (compile(r"(?i)(\bbearer\s+)[a-z0-9._~+/=|:-]{6,}"), Keeps::First),
        (compile(r"(?i)(\bbasic\s+)[a-z0-9+/=_-]{16,}"), Keeps::First),
        // The prefixes of well-known kinds of key.
        (
            compile(
                r"\b(?:sk|pk|rk|gsk|csk|hf|xai|nvapi|ghp|gho|github_pat|glpat|r8|fw|tgp|pplx|AIza|zm)[-_]?[A-Za-z0-9_-]{16,}",
            ),
            Keeps::Nothing,
        ),
    ]
});
