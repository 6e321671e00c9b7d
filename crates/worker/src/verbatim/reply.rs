//! Reading line numbers out of whatever form a model gives them.

use serde_json::Value;

use crate::digest::LineRange;

/// More ranges than this in one reply are no selection.
const MOST_RANGES: usize = 1000;

/// The ranges of a reply, inside the lines that the model saw; none if it holds no line numbers at all.
///
/// A reply that says that there are none is an empty list.
pub(super) fn ranges(reply: &str, seen: LineRange) -> Option<Vec<LineRange>> {
    let text = unfenced(reply);
    let pairs = match serde_json::from_str::<Value>(text) {
        Ok(value) => from_json(&value)?,
        Err(_) => match embedded(text) {
            Some(pairs) => pairs,
            None => loose(text)?,
        },
    };
    Some(pairs.into_iter().take(MOST_RANGES).filter_map(|(start, end)| clipped(start, end, seen)).collect())
}

/// Ranges in their order, without overlaps, and joined where they touch.
pub(super) fn merged(mut ranges: Vec<LineRange>) -> Vec<LineRange> {
    ranges.sort_unstable();
    let mut merged: Vec<LineRange> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.first <= last.last + 1 => last.last = last.last.max(range.last),
            _ => merged.push(range),
        }
    }
    merged
}

fn clipped(start: i64, end: i64, seen: LineRange) -> Option<LineRange> {
    let (start, end) = if start <= end { (start, end) } else { (end, start) };
    let first = usize::try_from(start).unwrap_or(0).max(seen.first);
    let last = usize::try_from(end).ok()?.min(seen.last);
    (first <= last).then_some(LineRange { first, last })
}

/// The inside of a code fence, if the reply is in one.
fn unfenced(reply: &str) -> &str {
    let text = reply.trim();
    let Some(inside) = text.strip_prefix("```") else { return text };
    let inside = inside.split_once('\n').map_or(inside, |(_, rest)| rest);
    inside.trim_end().strip_suffix("```").unwrap_or(inside).trim()
}

/// A list of pairs, one pair, objects with `start` and `end`, or numbers of single lines.
fn from_json(value: &Value) -> Option<Vec<(i64, i64)>> {
    match value {
        Value::Array(items) => {
            if let [Value::Number(start), Value::Number(end)] = items.as_slice() {
                return Some(vec![(start.as_i64()?, end.as_i64()?)]);
            }
            items.iter().map(one).collect()
        }
        Value::Object(_) => match value.get("ranges").or_else(|| value.get("lines")) {
            Some(inner) => from_json(inner),
            None => one(value).map(|pair| vec![pair]),
        },
        Value::Number(_) => one(value).map(|pair| vec![pair]),
        Value::Null => Some(Vec::new()),
        _ => None,
    }
}

fn one(item: &Value) -> Option<(i64, i64)> {
    match item {
        Value::Number(line) => line.as_i64().map(|line| (line, line)),
        Value::Array(pair) => match pair.as_slice() {
            [start, end] => Some((number(start)?, number(end)?)),
            [line] => number(line).map(|line| (line, line)),
            _ => None,
        },
        Value::Object(range) => {
            let start = number(range.get("start").or_else(|| range.get("first")).or_else(|| range.get("line"))?)?;
            let end = match range.get("end").or_else(|| range.get("last")) {
                Some(end) => number(end)?,
                None => start,
            };
            Some((start, end))
        }
        Value::String(text) => loose(text)?.into_iter().next(),
        _ => None,
    }
}

fn number(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// A JSON list with words around it.
fn embedded(text: &str) -> Option<Vec<(i64, i64)>> {
    let start = text.find('[')?;
    let end = text.rfind(']')?;
    let value = serde_json::from_str(text.get(start..=end)?).ok()?;
    from_json(&value)
}

/// Pairs in running text: `12-15`, `12 to 15`, `[12, 15]`.
fn loose(text: &str) -> Option<Vec<(i64, i64)>> {
    let bytes = text.as_bytes();
    let mut pairs = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let (start, behind) = digits(text, at);
        let is_bracketed = text[..at].trim_end().ends_with('[');
        let rest = &text[behind..];
        let between = rest.trim_start();
        let sign = ["-", "\u{2013}", "\u{2014}", "to ", ".."]
            .into_iter()
            .find(|sign| between.starts_with(sign))
            .or_else(|| (is_bracketed && between.starts_with(',')).then_some(","));
        let Some(sign) = sign else {
            at = behind;
            continue;
        };
        let second = between[sign.len()..].trim_start();
        let from = text.len() - second.len();
        if !second.starts_with(|c: char| c.is_ascii_digit()) {
            at = behind;
            continue;
        }
        let (end, behind) = digits(text, from);
        if let (Some(start), Some(end)) = (start, end) {
            pairs.push((start, end));
        }
        at = behind;
    }
    if pairs.is_empty() && !says_none(text) {
        return None;
    }
    Some(pairs)
}

/// A number and the byte behind it; numbers that no line has are none.
fn digits(text: &str, at: usize) -> (Option<i64>, usize) {
    let length = text[at..].bytes().take_while(u8::is_ascii_digit).count();
    (text[at..at + length].parse().ok(), at + length)
}

/// A reply in words that nothing matches.
fn says_none(text: &str) -> bool {
    let text = text.trim().trim_end_matches('.').to_ascii_lowercase();
    matches!(text.as_str(), "none" | "no lines" | "no matching lines" | "nothing" | "no match" | "no matches")
}
