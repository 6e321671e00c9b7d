//! The shape of a line: what stays the same when a program says the same thing about something else.

use std::hash::Hasher;

/// A small fixed hash, so that results do not depend on the run or the platform.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

/// The hash of a text without regard to ASCII case.
pub(crate) fn hash_folded(text: &str) -> u64 {
    let mut hash = Fnv::default();
    for byte in text.bytes() {
        hash.write(&[byte.to_ascii_lowercase()]);
    }
    hash.finish()
}

/// First words of progress lines, sorted: whatever follows them is a name, so the word alone is the shape.
const PROGRESS: &[&str] = &[
    "Adding",
    "Blocking",
    "Building",
    "CC",
    "CXX",
    "Checking",
    "Cloning",
    "Collecting",
    "Compiling",
    "Conf",
    "Configuring",
    "Copying",
    "Created",
    "Creating",
    "Documenting",
    "Downloaded",
    "Downloading",
    "Extracting",
    "Fetched",
    "Fetching",
    "Fresh",
    "Generating",
    "Get:",
    "Hit:",
    "Ign:",
    "Inst",
    "Installed",
    "Installing",
    "LD",
    "Linking",
    "Loading",
    "Locking",
    "Moving",
    "Packaging",
    "Preparing",
    "Processing",
    "Pulling",
    "Receiving",
    "Removing",
    "Remv",
    "Requirement",
    "Resolving",
    "Running",
    "Scanning",
    "Selecting",
    "Setting",
    "Unpacked",
    "Unpacking",
    "Updating",
    "Using",
    "Verifying",
    "Wrote",
    "adding",
    "copying",
    "creating",
    "running",
    "writing",
];

/// Whether the line starts with a word that announces progress.
pub(crate) fn is_progress(line: &str) -> bool {
    first_word(line).is_some_and(|word| PROGRESS.binary_search(&word).is_ok())
}

fn first_word(line: &str) -> Option<&str> {
    let word = line.split_ascii_whitespace().next()?;
    // apt numbers its downloads: `Get:12`.
    match word.find(':') {
        Some(at) if word.bytes().skip(at + 1).all(|byte| byte.is_ascii_digit()) => word.get(..=at),
        _ => Some(word),
    }
}

/// How many bytes at the start are a time stamp or a counter, with the space behind them.
pub(crate) fn stamp_len(line: &str) -> usize {
    let bytes = line.as_bytes();
    let mut at = 0;
    for _ in 0..4 {
        let rest = bytes.get(at..).unwrap_or_default();
        let blanks = rest.iter().take_while(|byte| **byte == b' ').count().min(8);
        let token = rest.get(blanks..).unwrap_or_default();
        let len = token.iter().take(40).take_while(|byte| !byte.is_ascii_whitespace()).count();
        let token = token.get(..len).unwrap_or_default();
        let is_open_bracket = token == b"[";
        if !(is_stamp(token) || (is_open_bracket || is_month(token)) && is_day_next(bytes, at + blanks + len)) {
            break;
        }
        at += blanks + len;
    }
    if at == 0 {
        return 0;
    }
    at + bytes.get(at..).unwrap_or_default().iter().take_while(|byte| **byte == b' ').count().min(8)
}

fn is_stamp(token: &[u8]) -> bool {
    let digits = token.iter().filter(|byte| byte.is_ascii_digit()).count();
    let has_joint = token.iter().any(|byte| matches!(byte, b':' | b'/' | b'-' | b'[' | b'.' | b'#' | b',' | b'%'));
    digits > 0
        && (has_joint || digits >= 4 || token.len() == digits)
        && token.iter().all(|byte| byte.is_ascii_digit() || b":./,-+TZ[]()#%|".contains(byte))
}

fn is_month(token: &[u8]) -> bool {
    const MONTHS: [&[u8]; 12] =
        [b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"];
    MONTHS.contains(&token)
}

fn is_day_next(bytes: &[u8], at: usize) -> bool {
    let mut rest = bytes.get(at..).unwrap_or_default().iter().skip_while(|byte| **byte == b' ');
    rest.next().is_some_and(u8::is_ascii_digit)
}

/// Whether the line starts like an entry of an application log.
pub(crate) fn has_stamp(line: &str) -> bool {
    let len = stamp_len(line);
    let stamp = line.get(..len).unwrap_or_default();
    len >= 8 && stamp.contains(':') && len < line.len()
}

/// A number that lines of the same shape share.
///
/// Words stay; words with digits or joints, and everything quoted, count as one unknown.
pub(crate) fn shape(line: &str) -> u64 {
    let rest = line.get(stamp_len(line)..).unwrap_or_default();
    let mut hash = Fnv::default();
    if let Some(word) = first_word(rest)
        && PROGRESS.binary_search(&word).is_ok()
    {
        hash.write(word.as_bytes());
        return hash.finish();
    }
    let mut quote = None;
    for token in rest.split_ascii_whitespace() {
        if let Some(mark) = quote {
            if token.contains(mark) {
                quote = None;
            }
            continue;
        }
        let inner = token.trim_end_matches(':');
        let is_name = inner.bytes().any(|byte| {
            byte.is_ascii_digit()
                || matches!(byte, b'/' | b'\\' | b'=' | b'_' | b'@' | b'"' | b'\'' | b'`' | b'.' | b'|' | b'-' | b':')
        });
        if is_name && token.bytes().any(|byte| byte.is_ascii_alphanumeric()) {
            quote = open_quote(token);
            // A key before `=` is part of the shape, its value is not.
            match token.split_once('=') {
                Some((key, _)) => hash.write(key.as_bytes()),
                None => hash.write(b"*"),
            }
        } else {
            hash.write(token.as_bytes());
        }
        hash.write(b" ");
    }
    hash.finish()
}

/// The quote that a token opens and does not close.
fn open_quote(token: &str) -> Option<char> {
    ['"', '`'].into_iter().find(|mark| token.matches(*mark).count() % 2 == 1)
}

#[cfg(test)]
mod tests {
    use super::{has_stamp, shape, stamp_len};
    use rstest::rstest;

    #[rstest]
    #[case("   Compiling serde v1.0.228", "   Compiling proc-macro2 v1.0.103")]
    #[case("test a::b ... ok", "test c_d::e_1 ... ok")]
    #[case("Get:1 http://deb/debian x amd64 1.2 [3 kB]", "Get:22 http://deb/debian yy amd64 2 [33 kB]")]
    #[case("2026-11-02T10:00:00Z INFO served path=/a took=3ms", "2026-11-02T10:00:07Z INFO served path=/b/c took=12ms")]
    #[case("Nov  2 10:00:00 box app[1]: served 3", "Nov 12 11:00:00 box app[2]: served 4")]
    #[case("[ 12%] Building C object a.c.o", "[100%] Building C object b/c.c.o")]
    #[case("tests/test_a.py::test_x PASSED [  1%]", "tests/test_b.py::test_y[1] PASSED [ 99%]")]
    #[case("read \"a b\" done", "read \"c\" done")]
    fn same_shape(#[case] one: &str, #[case] other: &str) {
        assert_eq!(shape(one), shape(other));
    }

    #[rstest]
    #[case("   Compiling serde v1.0.228", "  Downloaded serde v1.0.228")]
    #[case("test a ... ok", "test a ... FAILED")]
    #[case("INFO served path=/a", "INFO served query=/a")]
    #[case("one two", "one three")]
    fn other_shape(#[case] one: &str, #[case] other: &str) {
        assert_ne!(shape(one), shape(other));
    }

    #[rstest]
    #[case("2026-11-02 10:00:00,123 INFO x", 24)]
    #[case("[2026-11-02T10:00:00.1Z] x", 25)]
    #[case("Nov  2 10:00:00 box", 16)]
    #[case("#12 0.345 x", 10)]
    #[case("May be", 0)]
    #[case("plain", 0)]
    #[case("v1.2 x", 0)]
    fn finds_the_stamp(#[case] line: &str, #[case] expected: usize) {
        assert_eq!(stamp_len(line), expected);
    }

    #[rstest]
    #[case("2026-11-02 10:00:00 INFO x", true)]
    #[case("12:00:01 x", true)]
    #[case("12 apples", false)]
    fn tells_log_entries(#[case] line: &str, #[case] expected: bool) {
        assert_eq!(has_stamp(line), expected);
    }
}
