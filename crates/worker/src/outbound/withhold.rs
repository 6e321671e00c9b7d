//! Lines that were not read do not leave, and their place says so.

use std::ops::Range;

use super::WITHHELD_LINE;

/// The text with a mark in place of every line that an unread range touches, and how many there were.
pub(super) fn without_unread(text: &str, unread: &[Range<usize>]) -> (String, usize) {
    let mut ranges: Vec<&Range<usize>> = unread.iter().filter(|range| !range.is_empty()).collect();
    ranges.sort_by_key(|range| range.start);
    let mut kept = String::with_capacity(text.len());
    let mut withheld = 0;
    let mut start = 0;
    let mut next = 0;
    // The furthest end of the ranges that begin before the line's end.
    let mut reach = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        while let Some(range) = ranges.get(next).filter(|range| range.start < end) {
            reach = reach.max(range.end);
            next += 1;
        }
        if reach > start && !line.trim().is_empty() {
            kept.push_str(WITHHELD_LINE);
            if line.ends_with('\n') {
                kept.push('\n');
            }
            withheld += 1;
        } else {
            kept.push_str(line);
        }
        start = end;
    }
    (kept, withheld)
}
