//! Cuts a text into lines as a terminal would show them.
//!
//! Terminal escape sequences go, `\r\n` and a lone `\r` end a line, and a line beyond [`LONG_LINE_BYTES`] is cut into
//! pieces, so that one pasted log without line ends is still seen as many lines.

use std::borrow::Cow;
use std::ops::Range;

/// A line longer than this is taken for pasted text and cut into pieces.
pub(crate) const LONG_LINE_BYTES: usize = 8 * 1024;
/// More empty lines than this in a row are counted and nothing else.
const EMPTY_LINES: usize = 100;
/// The pieces of a long line are about this long.
const PIECE_BYTES: usize = 240;

/// A text without escape sequences, cut into lines.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    /// The text that all spans point into.
    pub(crate) text: Cow<'a, str>,
    /// One for each line or piece of a long line.
    pub(crate) spans: Vec<Line>,
    /// Empty lines that have no span, because very many stand in a row.
    pub(crate) skipped: usize,
}

/// A line, or a piece of a long one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line {
    /// Where it starts in the clean text.
    pub(crate) start: usize,
    /// Where it ends, without the line end.
    pub(crate) end: usize,
    /// Whether it goes on where the span before it stopped.
    pub(crate) is_joined: bool,
    /// Whether a carriage return made the terminal write over it.
    pub(crate) is_overwritten: bool,
}

impl Line {
    /// The span as a range.
    pub(crate) fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

impl<'a> Lines<'a> {
    /// Cleans and cuts a text.
    pub(crate) fn new(text: &'a str) -> Self {
        let (text, overwritten) = clean(text);
        let (spans, skipped) = cut(&text, &overwritten);
        Self { text, spans, skipped }
    }

    /// The text of a line.
    pub(crate) fn get(&self, line: &Line) -> &str {
        self.text.get(line.range()).unwrap_or_default()
    }
}

/// Removes escape sequences and makes every line end `\n`; also gives the places of lone carriage returns.
fn clean(text: &str) -> (Cow<'_, str>, Vec<usize>) {
    let bytes = text.as_bytes();
    if memchr::memchr2(b'\x1b', b'\r', bytes).is_none() && memchr::memmem::find(bytes, "\u{9b}".as_bytes()).is_none() {
        return (Cow::Borrowed(text), Vec::new());
    }
    let mut out = String::with_capacity(text.len());
    let mut overwritten = Vec::new();
    let mut at = 0;
    // 0xC2 is the first byte of U+009B, the one-character form of `ESC [`.
    while let Some(step) = bytes.get(at..).and_then(|rest| memchr::memchr3(b'\x1b', b'\r', 0xC2, rest)) {
        let found = at + step;
        out.push_str(text.get(at..found).unwrap_or_default());
        let rest = bytes.get(found..).unwrap_or_default();
        at = found
            + match rest {
                [b'\r', tail @ ..] => {
                    let more = tail.iter().take_while(|byte| **byte == b'\r').count();
                    if tail.get(more) == Some(&b'\n') {
                        out.push('\n');
                        more + 2
                    } else {
                        overwritten.push(out.len());
                        out.push('\n');
                        more + 1
                    }
                }
                [0xC2, 0x9B, tail @ ..] => 2 + control_sequence(tail),
                [0xC2, ..] => {
                    let end = (found + 2).min(text.len());
                    out.push_str(text.get(found..end).unwrap_or_default());
                    2
                }
                [_, tail @ ..] => 1 + escape_sequence(tail),
                [] => 1,
            };
    }
    out.push_str(text.get(at..).unwrap_or_default());
    (Cow::Owned(out), overwritten)
}

/// How many bytes after `ESC` belong to its sequence; only whole ASCII characters are taken.
fn escape_sequence(tail: &[u8]) -> usize {
    match tail.first() {
        Some(b'[') => 1 + control_sequence(tail.get(1..).unwrap_or_default()),
        // A title or link ends at BEL or `ESC \`; an end that never comes must not swallow the text.
        Some(b']' | b'P' | b'_' | b'^') => {
            let near = tail.get(..tail.len().min(2048)).unwrap_or_default();
            match memchr::memchr3(b'\x07', b'\x1b', b'\n', near) {
                Some(end) if near.get(end) == Some(&b'\x07') => end + 1,
                Some(end) if near.get(end) == Some(&b'\x1b') && near.get(end + 1) == Some(&b'\\') => end + 2,
                _ => 1,
            }
        }
        Some(b'(' | b')' | b'#' | b'%') => match tail.get(1) {
            Some(byte) if byte.is_ascii_graphic() => 2,
            _ => 1,
        },
        Some(byte) if byte.is_ascii_graphic() => 1,
        _ => 0,
    }
}

/// How many bytes of `tail` finish a control sequence: parameters, then one final byte.
fn control_sequence(tail: &[u8]) -> usize {
    let params = tail.iter().take(64).take_while(|byte| (0x20..=0x3f).contains(*byte)).count();
    match tail.get(params) {
        Some(0x40..=0x7e) => params + 1,
        _ => params,
    }
}

/// Finds the lines, and the pieces of long lines; also counts the empty lines beyond [`EMPTY_LINES`] in a row.
fn cut(text: &str, overwritten: &[usize]) -> (Vec<Line>, usize) {
    let mut spans = Vec::with_capacity(text.len() / 48 + 1);
    let mut gone = overwritten.iter().copied().peekable();
    let mut start = 0;
    let mut empty = 0usize;
    let mut skipped = 0usize;
    for end in memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]) {
        if end == text.len() && start == end {
            break;
        }
        let is_overwritten = gone.next_if_eq(&end).is_some();
        empty = if start == end { empty + 1 } else { 0 };
        if empty > EMPTY_LINES {
            skipped += 1;
            start = end + 1;
            continue;
        }
        if end - start > LONG_LINE_BYTES {
            cut_long(text, start..end, is_overwritten, &mut spans);
        } else {
            spans.push(Line { start, end, is_joined: false, is_overwritten });
        }
        start = end + 1;
    }
    (spans, skipped)
}

/// Cuts one long line behind written-out line ends, else at white space, else anywhere.
fn cut_long(text: &str, whole: Range<usize>, is_overwritten: bool, spans: &mut Vec<Line>) {
    let mut start = whole.start;
    while start < whole.end {
        let end = piece_end(text, start, whole.end);
        spans.push(Line { start, end, is_joined: start != whole.start, is_overwritten });
        start = end;
    }
}

fn piece_end(text: &str, start: usize, limit: usize) -> usize {
    if limit - start <= PIECE_BYTES {
        return limit;
    }
    let window_end = text.floor_char_boundary((start + 2 * PIECE_BYTES).min(limit));
    let window = text.get(start..window_end).unwrap_or_default();
    if let Some(at) = window.find("\\n") {
        return start + at + 2;
    }
    let from = window.floor_char_boundary(PIECE_BYTES);
    let later = window.get(from..).unwrap_or_default();
    let at = later.find(char::is_whitespace).or_else(|| later.find([',', ';', '}', '>']));
    let end = at.map_or(window_end, |at| text.ceil_char_boundary(start + from + at + 1));
    end.clamp(start + 1, limit)
}

#[cfg(test)]
mod tests {
    use super::Lines;
    use rstest::rstest;

    fn shown(text: &str) -> Vec<String> {
        let lines = Lines::new(text);
        lines.spans.iter().map(|line| lines.get(line).to_owned()).collect()
    }

    #[rstest]
    #[case::empty("", &[])]
    #[case::no_last_newline("a\nb", &["a", "b"])]
    #[case::last_newline("a\nb\n", &["a", "b"])]
    #[case::windows("a\r\nb\r\r\n", &["a", "b"])]
    #[case::progress_bar("10%\r20%\r100%\n", &["10%", "20%", "100%"])]
    #[case::colours("\u{1b}[1m\u{1b}[31merror\u{1b}[0m: x", &["error: x"])]
    #[case::one_character_form("\u{9b}31merror", &["error"])]
    #[case::title("\u{1b}]0;title\u{7}text", &["text"])]
    #[case::link("\u{1b}]8;;http://x\u{1b}\\text\u{1b}]8;;\u{1b}\\", &["text"])]
    #[case::unfinished_title("\u{1b}]0;title", &["0;title"])]
    #[case::cursor("\u{1b}[?25lx\u{1b}[2K", &["x"])]
    #[case::bare_escape("a\u{1b}", &["a"])]
    #[case::other_c2("a\u{a0}b\u{1b}[0m", &["a\u{a0}b"])]
    #[case::wide("é\u{1b}[0mé", &["éé"])]
    fn cuts_as_a_terminal_shows(#[case] text: &str, #[case] expected: &[&str]) {
        assert_eq!(shown(text), expected);
    }

    #[test]
    fn long_line_is_cut_and_loses_nothing() {
        let text = "word, ünï\\n ".repeat(3000);
        let pieces = shown(&text);
        assert!(pieces.len() > 100);
        assert_eq!(pieces.concat(), text);
    }

    #[test]
    fn counts_empty_lines_in_a_row() {
        let text = "\n".repeat(1000);
        let lines = Lines::new(&text);
        assert_eq!((lines.spans.len(), lines.skipped), (100, 900));
    }

    #[test]
    fn long_line_without_any_boundary_is_cut() {
        let text = "é".repeat(20_000);
        assert_eq!(shown(&text).concat(), text);
    }
}
