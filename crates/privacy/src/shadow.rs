//! A plain reading of a text, and the way back to its bytes.
//!
//! Recognisers read a shadow, in which disguises are gone: characters without width, terminal colours, full-width and
//! look-alike letters, digits of other scripts, accents, typographic dashes and quotes, escapes of JSON and HTML.
//! Every range of the shadow maps to a range of the source, which is what gets replaced.
//! A text without any of these is its own shadow and costs no copy.

use std::borrow::Cow;

mod fold;

pub(crate) use fold::fold_into;

/// A stretch of the shadow and where it came from.
#[derive(Debug, Clone, Copy)]
struct Segment {
    shadow: usize,
    source: usize,
    source_length: usize,
    /// The bytes are those of the source, one for one.
    is_exact: bool,
}

/// A text to read and the map to its source.
#[derive(Debug)]
pub(crate) struct Shadow<'t> {
    text: Cow<'t, str>,
    /// Ordered by both offsets; empty when the text is its own shadow.
    segments: Vec<Segment>,
}

impl<'t> Shadow<'t> {
    /// The shadow of a text: folded, with escapes read.
    pub(crate) fn of(text: &'t str) -> Self {
        match first_disguise(text) {
            None => Self { text: Cow::Borrowed(text), segments: Vec::new() },
            Some(_) => Builder::new(text).unfold(),
        }
    }

    /// The shadow in which escapes of two hexadecimal digits behind `mark` are read: `%40`, `=3D`.
    /// `None` when there is nothing to read, or when what comes out is no text.
    pub(crate) fn unescape(text: &'t str, mark: u8) -> Option<Self> {
        Builder::new(text).unescape(mark)
    }

    /// What to read.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The range of the source that stands behind a range of the shadow.
    pub(crate) fn source(&self, start: usize, end: usize) -> (usize, usize) {
        if self.segments.is_empty() || start >= end {
            return (start, end);
        }
        let find = |offset: usize| {
            let next = self.segments.partition_point(|segment| segment.shadow <= offset);
            self.segments.get(next.saturating_sub(1)).copied()
        };
        let (Some(first), Some(last)) = (find(start), find(end - 1)) else {
            return (start, end);
        };
        let source_start = if first.is_exact { first.source + (start - first.shadow) } else { first.source };
        let source_end =
            if last.is_exact { last.source + (end - last.shadow) } else { last.source + last.source_length };
        (source_start, source_end)
    }
}

/// Bytes that may begin a disguise.
const fn may_disguise(byte: u8) -> bool {
    matches!(byte, 0x80..|0x1B| 0x00 | 0x08 | 0x7F | b'\\' | b'&')
}

static DISGUISE: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(clippy::cast_possible_truncation, reason = "the loop ends at 256")]
        {
            table[byte] = may_disguise(byte as u8);
        }
        byte += 1;
    }
    table
};

/// The first place where the shadow differs from the text.
fn first_disguise(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    if text.is_ascii() && memchr::memchr3(0x1B, 0x00, 0x7F, bytes).or_else(|| memchr::memchr(0x08, bytes)).is_none() {
        let mut found = memchr::memchr2_iter(b'\\', b'&', bytes);
        return found.find(|&at| escape(&text[at..]).is_some());
    }
    Some(0)
}

/// An escape at the start of a text.
enum Escape {
    /// So many bytes that stand for nothing.
    Nothing(usize),
    /// So many bytes that stand for a character.
    Character(usize, char),
}

fn escape(rest: &str) -> Option<Escape> {
    match rest.as_bytes() {
        [0x1B, ..] => Some(Escape::Nothing(terminal(rest.as_bytes()))),
        [0x00 | 0x7F, ..] => Some(Escape::Nothing(1)),
        // A line continued behind a backslash is one line.
        [b'\\', b'\n', ..] => Some(Escape::Nothing(2)),
        [b'\\', b'\r', b'\n', ..] => Some(Escape::Nothing(3)),
        [b'\\', b'u', ..] => unicode_escape(rest),
        [b'\\', b'x', high, low, ..] => {
            let byte = crate::codec::nibble(*high)? << 4 | crate::codec::nibble(*low)?;
            byte.is_ascii().then(|| Escape::Character(4, char::from(byte)))
        }
        // Three octal digits of a printable character.
        [b'\\', first @ b'0'..=b'1', second @ b'0'..=b'7', third @ b'0'..=b'7', ..] => {
            let byte = (first - b'0') << 6 | (second - b'0') << 3 | (third - b'0');
            byte.is_ascii_graphic().then(|| Escape::Character(4, char::from(byte)))
        }
        // A sign that Markdown would take for its own.
        [b'\\', sign @ (b'_' | b'-'), ..] => Some(Escape::Character(2, char::from(*sign))),
        [b'&', ..] => entity(rest),
        _ => None,
    }
}

/// The length of a terminal sequence.
fn terminal(bytes: &[u8]) -> usize {
    let longest = 256;
    match bytes.get(1) {
        Some(b'[') => {
            let body = bytes.iter().take(longest).skip(2);
            let count = body.clone().take_while(|byte| matches!(byte, 0x20..=0x3F)).count();
            if matches!(bytes.get(2 + count), Some(0x40..=0x7E)) { count + 3 } else { count + 2 }
        }
        Some(b']') => {
            let body = bytes.get(2..bytes.len().min(longest)).unwrap_or_default();
            match body.iter().position(|&byte| byte == 0x07 || byte == 0x1B) {
                Some(end) if body.get(end) == Some(&0x07) => end + 3,
                Some(end) if body.get(end + 1) == Some(&b'\\') => end + 4,
                _ => 2,
            }
        }
        Some(0x40..=0x5F) => 2,
        _ => 1,
    }
}

fn unicode_escape(rest: &str) -> Option<Escape> {
    let unit = |from: usize| {
        let digits = rest.get(from..from + 4)?;
        if digits.bytes().all(|byte| byte.is_ascii_hexdigit()) { u32::from_str_radix(digits, 16).ok() } else { None }
    };
    if let Some(body) = rest.get(2..).and_then(|rest| rest.strip_prefix('{')) {
        let length = body.as_bytes().iter().take(7).position(|&byte| byte == b'}')?;
        let code = u32::from_str_radix(body.get(..length)?, 16).ok()?;
        return Some(Escape::Character(length + 4, char::from_u32(code)?));
    }
    let first = unit(2)?;
    if let (0xD800..=0xDBFF, Some("\\u")) = (first, rest.get(6..8)) {
        let second = unit(8).filter(|second| (0xDC00..=0xDFFF).contains(second))?;
        let code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
        return Some(Escape::Character(12, char::from_u32(code)?));
    }
    Some(Escape::Character(6, char::from_u32(first)?))
}

fn entity(rest: &str) -> Option<Escape> {
    const NAMED: [(&str, char); 19] = [
        ("&lowbar;", '_'),
        ("&hyphen;", '-'),
        ("&dash;", '-'),
        ("&colon;", ':'),
        ("&sol;", '/'),
        ("&plus;", '+'),
        ("&num;", '#'),
        ("&excl;", '!'),
        ("&dollar;", '$'),
        ("&NewLine;", '\n'),
        ("&quot;", '"'),
        ("&amp;", '&'),
        ("&lt;", '<'),
        ("&gt;", '>'),
        ("&apos;", '\''),
        ("&nbsp;", ' '),
        ("&commat;", '@'),
        ("&period;", '.'),
        ("&equals;", '='),
    ];
    if let Some(body) = rest.strip_prefix("&#") {
        let end = body.as_bytes().iter().take(8).position(|&byte| byte == b';')?;
        let digits = body.get(..end)?;
        let code = match digits.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => digits.parse().ok()?,
        };
        return Some(Escape::Character(end + 3, char::from_u32(code)?));
    }
    let (name, character) = NAMED.into_iter().find(|(name, _)| rest.starts_with(name))?;
    Some(Escape::Character(name.len(), character))
}

/// Writes a shadow beside its map.
struct Builder<'t> {
    source: &'t str,
    text: String,
    segments: Vec<Segment>,
}

impl<'t> Builder<'t> {
    fn new(source: &'t str) -> Self {
        Self { source, text: String::with_capacity(source.len()), segments: Vec::new() }
    }

    /// Takes a stretch over as it is.
    fn keep(&mut self, start: usize, end: usize) {
        if start == end {
            return;
        }
        let continues = self
            .segments
            .last()
            .is_some_and(|last| last.is_exact && last.source + (self.text.len() - last.shadow) == start);
        if !continues {
            let segment =
                Segment { shadow: self.text.len(), source: start, source_length: end - start, is_exact: true };
            self.segments.push(segment);
        }
        self.text.push_str(&self.source[start..end]);
    }

    /// Takes back the last character, as a terminal does at a backspace.
    fn erase(&mut self) {
        self.text.pop();
        while self.segments.last().is_some_and(|last| last.shadow >= self.text.len()) {
            self.segments.pop();
        }
    }

    /// Reads a stretch as something else, or as nothing.
    fn replace(&mut self, start: usize, end: usize, character: char) {
        let shadow = self.text.len();
        fold_into(character, &mut self.text);
        if self.text.len() > shadow {
            self.segments.push(Segment { shadow, source: start, source_length: end - start, is_exact: false });
        }
    }

    fn unfold(mut self) -> Shadow<'t> {
        let bytes = self.source.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let plain = bytes[at..].iter().take_while(|&&byte| !DISGUISE[usize::from(byte)]).count();
            self.keep(at, at + plain);
            at += plain;
            let Some(character) = self.source[at..].chars().next() else { break };
            let width = character.len_utf8();
            if character == '\u{8}' {
                self.erase();
                at += width;
                continue;
            }
            match escape(&self.source[at..]) {
                Some(Escape::Nothing(length)) => at += length,
                Some(Escape::Character(length, read)) => {
                    self.replace(at, at + length, read);
                    at += length;
                }
                None if character.is_ascii() || fold::is_plain(character) => {
                    self.keep(at, at + width);
                    at += width;
                }
                None => {
                    self.replace(at, at + width, character);
                    at += width;
                }
            }
        }
        self.finish()
    }

    fn unescape(mut self, mark: u8) -> Option<Shadow<'t>> {
        let bytes = self.source.as_bytes();
        let mut at = 0;
        let mut is_changed = false;
        // Bytes of one character may come from several escapes.
        let mut pending: Vec<u8> = Vec::new();
        let mut pending_from = 0;
        while at < bytes.len() {
            let escaped = match bytes.get(at..at + 3) {
                Some(&[first, high, low]) if first == mark => {
                    crate::codec::nibble(high).zip(crate::codec::nibble(low)).map(|(high, low)| high << 4 | low)
                }
                _ => None,
            };
            if let Some(byte) = escaped {
                if pending.is_empty() {
                    pending_from = at;
                }
                pending.push(byte);
                at += 3;
                is_changed = true;
                if let Some(character) = std::str::from_utf8(&pending).ok().and_then(|text| text.chars().next()) {
                    self.replace(pending_from, at, character);
                    pending.clear();
                } else if pending.len() >= 4 {
                    return None;
                }
                continue;
            }
            if !pending.is_empty() {
                return None;
            }
            let next = memchr::memchr(mark, &bytes[at + 1..]).map_or(bytes.len(), |found| at + 1 + found);
            self.keep(at, next);
            at = next;
        }
        (is_changed && pending.is_empty()).then(|| self.finish())
    }

    fn finish(mut self) -> Shadow<'t> {
        if self.segments.is_empty() {
            // Nothing was left to read; one empty segment keeps this apart from an exact shadow.
            self.segments.push(Segment { shadow: 0, source: 0, source_length: 0, is_exact: false });
        }
        Shadow { text: Cow::Owned(self.text), segments: self.segments }
    }
}
