//! Writing lines out with their numbers, as far as the room reaches.

use crate::digest::{LineRange, head};

/// The first range is written whole, up to this.
const MOST_FIRST_CHARS: usize = 20_000;
/// The longest end of a cut line that may be a part of a word, in bytes.
const LONGEST_WORD: usize = 200;

/// Lines that were written out, and those that were not.
pub(super) struct Quoted {
    pub(super) text: String,
    pub(super) shown: Vec<LineRange>,
    pub(super) left_out: Vec<LineRange>,
}

/// Writes ranges out in their order: the first one always, others while there is room.
pub(super) fn quote(lines: &[&str], ranges: &[LineRange], source: &str, most_chars: usize) -> Quoted {
    let mut quoted = Quoted { text: String::new(), shown: Vec::new(), left_out: Vec::new() };
    let mut used = 0;
    for range in ranges {
        let is_first = quoted.shown.is_empty();
        let room = if is_first { most_chars.max(MOST_FIRST_CHARS) } else { most_chars.saturating_sub(used) };
        let block = block(lines, *range, source, room);
        let chars = block.text.chars().count();
        if !is_first && (block.last < range.last || chars + 1 > room) {
            quoted.left_out.push(*range);
            continue;
        }
        if !is_first {
            quoted.text.push_str("\n\n");
        }
        quoted.text.push_str(&block.text);
        used += chars + 2;
        quoted.shown.push(LineRange { first: range.first, last: block.last });
        if block.last < range.last {
            quoted.left_out.push(LineRange { first: block.last + 1, last: range.last });
        }
    }
    quoted
}

struct Block {
    text: String,
    last: usize,
}

/// One range; it ends early, but not before its first line, when the room is used up.
fn block(lines: &[&str], range: LineRange, source: &str, room: usize) -> Block {
    let width = range.last.to_string().len();
    let noun = if range.first == range.last { "line" } else { "lines" };
    let mut text = format!("{source} {noun} {range}:");
    let mut chars = text.chars().count();
    let mut last = range.first;
    for number in range.first..=range.last {
        let line = lines.get(number - 1).copied().unwrap_or_default();
        let row = format!("\n{number:>width$}: {line}");
        let length = row.chars().count();
        if number > range.first && chars + length > room {
            break;
        }
        // A single line that is longer than all the room is cut, and says so.
        if chars + length > room {
            text.push_str(whole_words(head(&row, room.saturating_sub(chars))));
            text.push_str(" [this line goes on]");
            last = number;
            break;
        }
        text.push_str(&row);
        chars += length;
        last = number;
    }
    Block { text, last }
}

/// A cut text without the part of a word at its end: who reads it for names finds no half of one.
fn whole_words(cut: &str) -> &str {
    match cut.rfind(char::is_whitespace) {
        Some(end) if cut.len() - end <= LONGEST_WORD => cut.get(..end).unwrap_or(cut),
        _ => cut,
    }
}
