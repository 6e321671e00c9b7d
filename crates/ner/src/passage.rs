//! Cuts a text into passages: lines that are read together, because what stands in one tells what the next one is.
//!
//! An address goes over several lines, and so does a sentence; a line of a log or of a table stands alone.
//! Passages are cut by what stands in them and not by how many went before, so that a text that comes again with a line
//! more has mostly the same passages.

use std::ops::Range;

use crate::gate::{can_hold_identity, is_stamp};

/// Where a passage ends even if the block goes on, in bytes. A single line may be longer.
const LONGEST: usize = 960;
/// A letterhead has blank lines between its parts.
const MOST_BLANK_LINES: usize = 1;
/// Lines around those that the gate held, which belong to them.
const MARGIN: usize = 2;
/// A line that is longer is a paragraph of its own.
const LONGEST_JOINED: usize = 240;

/// The passages of a text, and how its lines were counted.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Passages {
    /// Whole lines, in order, without the line end behind the last one.
    pub ranges: Vec<Range<usize>>,
    /// Lines with anything in them.
    pub lines: usize,
    /// Those among them that the gate left out.
    pub skipped: usize,
}

struct Line {
    range: Range<usize>,
    is_held: bool,
    is_joined: bool,
}

pub(crate) fn cut(text: &str) -> Passages {
    let mut passages = Passages::default();
    let mut block: Vec<Line> = Vec::new();
    let (mut start, mut blank) = (0, 0);
    for whole in text.split_inclusive('\n') {
        let line = whole.trim_end_matches(['\n', '\r']);
        let range = start..start + line.len();
        start += whole.len();
        if line.trim().is_empty() {
            blank += 1;
            continue;
        }
        if std::mem::take(&mut blank) > MOST_BLANK_LINES {
            passages.close(&mut block);
        }
        passages.lines += 1;
        let line = Line { range, is_held: can_hold_identity(line), is_joined: is_joined(line) };
        let first = block.first().map_or(line.range.start, |first| first.range.start);
        let goes_on = line.is_joined && block.last().is_none_or(|last| last.is_joined);
        if !goes_on || line.range.end - first > LONGEST {
            passages.close(&mut block);
        }
        block.push(line);
    }
    passages.close(&mut block);
    passages
}

impl Passages {
    /// Takes the lines from the first to the last one that the gate held, and a few around them.
    fn close(&mut self, block: &mut Vec<Line>) {
        let first = block.iter().position(|line| line.is_held);
        let last = block.iter().rposition(|line| line.is_held);
        if let (Some(first), Some(last)) = (first, last) {
            let (first, last) = (first.saturating_sub(MARGIN), (last + MARGIN).min(block.len() - 1));
            self.skipped += first + block.len() - 1 - last;
            self.ranges.push(block[first].range.start..block[last].range.end);
        } else {
            self.skipped += block.len();
        }
        block.clear();
    }
}

/// Whether a line may go on in the next one: prose, a letterhead, an address.
fn is_joined(line: &str) -> bool {
    if line.len() > LONGEST_JOINED || line.contains(['\t', '{', '}', ';', '=', '|']) || line.contains("::") {
        return false;
    }
    let line = line.trim_start();
    let stamp = line.bytes().take_while(|byte| byte.is_ascii_digit() || b"-:/.".contains(byte)).count();
    let stamp = line.get(..stamp).unwrap_or_default();
    let is_stamped = (stamp.len() >= 8 && (is_stamp(stamp) || stamp.contains(':')))
        || line.starts_with(['[', '<', '+', '@', '$', '"', '\'']);
    !is_stamped
}

#[cfg(test)]
mod tests {
    use super::cut;

    fn passages(text: &str) -> Vec<&str> {
        cut(text).ranges.into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn an_address_over_lines_is_read_together() {
        let text = "x = 1\nInes Faro\r\n12 Quince Street\n, CO\n\nUruguay 64677\n\n\nNext Quoka";
        assert_eq!(passages(text), ["Ines Faro\r\n12 Quince Street\n, CO\n\nUruguay 64677", "Next Quoka"]);
    }

    #[test]
    fn lines_of_a_log_are_read_alone() {
        let text = "2026-11-30 04:05 login of Ines Faro\n2026-11-30 04:06 logout of Ines Faro\n";
        assert_eq!(passages(text), text.lines().collect::<Vec<_>>());
    }

    #[test]
    fn lines_that_can_hold_nobody_are_counted_and_not_read() {
        let found = cut("}\n\n    Finished in 3 s\nInes Faro\n\n\n---\n");
        // The line in front of the name is read with it.
        assert_eq!((found.lines, found.skipped, found.ranges.len()), (4, 2, 1));
    }

    #[test]
    fn a_long_block_is_cut_at_a_line_end() {
        let text = "Ines Faro met Bruno Quist in Lisbon\n".repeat(100);
        let found = cut(&text);
        assert!(found.ranges.len() > 3 && found.ranges.iter().all(|range| range.len() <= super::LONGEST));
        assert!(found.ranges.iter().all(|range| text[range.clone()].starts_with("Ines")));
    }
}
