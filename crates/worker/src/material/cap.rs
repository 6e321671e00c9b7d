//! Cutting a long text: its beginning and its end stay, and a mark says how much is missing between them.
//!
//! The cuts are at line ends where there are any near, else between words, else between the signs that data puts around
//! values, and never inside the text of a key block, so that no half of a value stays behind that nobody would know as
//! one.

/// A text that fits.
#[derive(Clone, PartialEq, Eq)]
pub struct Capped {
    /// The text, with the mark where something is missing.
    pub text: String,
    /// What is missing; characters, or bytes where they were never read.
    pub dropped: u64,
    /// Characters before the cut; what was never read counts by byte.
    pub raw_chars: u64,
}

impl std::fmt::Debug for Capped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Capped({} chars, {} dropped)", self.text.chars().count(), self.dropped)
    }
}

impl Capped {
    /// Whether something is missing.
    pub fn is_truncated(&self) -> bool {
        self.dropped > 0
    }
}

/// Keeps the first seven and the last three tenths of a text that is too long.
pub fn capped(text: &str, most_chars: usize) -> Capped {
    capped_ends(text, "", 0, most_chars)
}

/// The same for a text whose middle was dropped before it came here: a beginning and an end with so many bytes missing
/// between them. An empty end with nothing missing means that the beginning is all.
pub fn capped_ends(beginning: &str, end: &str, dropped_bytes: u64, most_chars: usize) -> Capped {
    let (first, last) = (beginning.chars().count(), end.chars().count());
    let raw_chars = (first + last) as u64 + dropped_bytes;
    if dropped_bytes == 0 && first + last <= most_chars {
        return Capped { text: format!("{beginning}{end}"), dropped: 0, raw_chars };
    }
    let head_chars = most_chars / 10 * 7 + most_chars % 10 * 7 / 10;
    let tail_chars = most_chars - head_chars;
    let is_torn = dropped_bytes > 0;
    let head = head_of(beginning, head_chars, is_torn);
    let tail = if dropped_bytes == 0 && end.is_empty() {
        tail_of(beginning.get(head.len()..).unwrap_or_default(), tail_chars)
    } else {
        tail_of(end, tail_chars)
    };
    let kept = (head.chars().count() + tail.chars().count()) as u64;
    let dropped = raw_chars.saturating_sub(kept);
    let unit = if dropped_bytes == 0 { "characters" } else { "bytes" };
    let break_before = if head.is_empty() || head.ends_with('\n') { "" } else { "\n" };
    Capped { text: format!("{head}{break_before}[… {dropped} {unit} left out here …]\n{tail}"), dropped, raw_chars }
}

/// How far a cut moves to find a better place: half of what is kept, at most a long line.
fn reach(chars: usize) -> usize {
    (chars / 2).min(4_000)
}

/// Signs that stand around values in data that is written without blanks.
const SIGNS: &[char] = &[',', ';', '"', '\'', '`', '<', '>', '(', ')', '[', ']', '{', '}', '|', '&'];

/// The beginning: so many characters, back to the last better place that is near. Torn text ends anywhere, so it is cut
/// back even where it fits.
fn head_of(text: &str, most_chars: usize, is_torn: bool) -> &str {
    let end = match text.char_indices().nth(most_chars) {
        Some((end, _)) => end,
        None if is_torn => text.len(),
        None => return text,
    };
    let all = text.get(..end).unwrap_or_default();
    let near = all.char_indices().rev().take(reach(most_chars)).last().map_or(0, |(at, _)| at);
    let window = all.get(near..).unwrap_or_default();
    let blank = || window.rfind(char::is_whitespace);
    let cut = match window.rfind('\n') {
        Some(line) => near + line + 1,
        None => blank().or_else(|| window.rfind(SIGNS)).map_or(end, |at| near + at),
    };
    all.get(..cut).unwrap_or_default()
}

/// The end: so many characters, forward to the next better place that is near, and behind a key block that is open.
fn tail_of(text: &str, most_chars: usize) -> &str {
    let count = text.chars().count();
    let from = count.saturating_sub(most_chars);
    let start = text.char_indices().nth(from).map_or(text.len(), |(at, _)| at);
    let all = text.get(start..).unwrap_or_default();
    let near = all.char_indices().nth(reach(most_chars)).map_or(all.len(), |(at, _)| at);
    let window = all.get(..near).unwrap_or_default();
    let cut = match window.find('\n') {
        Some(line) => line + 1,
        None => window.find(char::is_whitespace).or_else(|| window.find(SIGNS)).unwrap_or(0),
    };
    let tail = all.get(cut..).unwrap_or_default();
    behind_open_block(tail)
}

/// The text behind the rest of a key block whose beginning was cut away.
fn behind_open_block(text: &str) -> &str {
    let Some(end) = text.find("-----END ") else { return text };
    if text.find("-----BEGIN ").is_some_and(|begin| begin < end) {
        return text;
    }
    let rest = text.get(end..).unwrap_or_default();
    rest.find('\n').map_or("", |line| rest.get(line + 1..).unwrap_or_default())
}
