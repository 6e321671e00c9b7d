//! Brace expansion: `{rm,-rf,build}` is three words before anything else happens.

use super::cursor::Cursor;
use super::word::Broken;

/// More words than this are not looked at; the human is asked.
const MOST: usize = 512;

/// The words that a raw word becomes, still raw.
pub(crate) fn expand(raw: &str) -> Result<Vec<String>, Broken> {
    if !raw.contains('{') {
        return Ok(vec![raw.to_owned()]);
    }
    let mut budget = MOST;
    expand_within(raw, &mut budget, 0)
}

fn expand_within(raw: &str, budget: &mut usize, depth: u8) -> Result<Vec<String>, Broken> {
    if depth > 12 {
        return Err(Broken);
    }
    let Some((before, members, after)) = first_group(raw) else { return Ok(vec![raw.to_owned()]) };
    let tails = expand_within(&after, budget, depth + 1)?;
    let mut words = Vec::new();
    for member in members {
        for head in expand_within(&member, budget, depth + 1)? {
            for tail in &tails {
                *budget = budget.checked_sub(1).ok_or(Broken)?;
                words.push(format!("{before}{head}{tail}"));
            }
        }
    }
    Ok(words)
}

/// The first group that is really one: unquoted, with a comma or a range.
fn first_group(raw: &str) -> Option<(String, Vec<String>, String)> {
    let mut cursor = Cursor::new(raw);
    loop {
        let at = skip_to(&mut cursor, '{')?;
        let mut inner = cursor.clone();
        if let Some((members, end)) = members(raw, &mut inner) {
            return Some((raw.get(..at)?.to_owned(), members, raw.get(end..)?.to_owned()));
        }
    }
}

/// Moves behind the next unquoted `mark` and gives its place.
fn skip_to(cursor: &mut Cursor<'_>, mark: char) -> Option<usize> {
    loop {
        let at = cursor.at;
        let next = cursor.bump()?;
        if next == mark {
            return Some(at);
        }
        skip_quoted(cursor, next)?;
    }
}

/// Skips what belongs to a quote, an escape or an expansion that starts with `first`.
fn skip_quoted(cursor: &mut Cursor<'_>, first: char) -> Option<()> {
    match first {
        '\\' => {
            cursor.bump();
        }
        '\'' => {
            cursor.until('\'')?;
        }
        '"' => loop {
            match cursor.bump()? {
                '"' => break,
                '\\' => {
                    cursor.bump();
                }
                '$' if cursor.peek() == Some('(') => {
                    cursor.bump();
                    cursor.until_paren()?;
                }
                _ => {}
            }
        },
        '`' => {
            cursor.until('`')?;
        }
        '$' => match cursor.peek() {
            Some('{') => {
                cursor.bump();
                cursor.until_brace()?;
            }
            Some('(') => {
                cursor.bump();
                cursor.until_paren()?;
            }
            Some('\'') => {
                cursor.bump();
                super::ansi_c::read(cursor)?;
            }
            _ => {}
        },
        _ => {}
    }
    Some(())
}

fn members(raw: &str, cursor: &mut Cursor<'_>) -> Option<(Vec<String>, usize)> {
    let mut depth = 0_u32;
    let mut start = cursor.at;
    let mut found = Vec::new();
    loop {
        let at = cursor.at;
        let next = cursor.bump()?;
        match next {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' if depth == 0 => {
                found.push(raw.get(start..at)?.to_owned());
                start = cursor.at;
            }
            '}' => {
                let last = raw.get(start..at)?.to_owned();
                if found.is_empty() {
                    return range(&last).map(|members| (members, cursor.at));
                }
                found.push(last);
                return Some((found, cursor.at));
            }
            other => skip_quoted(cursor, other)?,
        }
    }
}

fn range(text: &str) -> Option<Vec<String>> {
    let mut parts = text.split("..");
    let (from, to) = (parts.next()?, parts.next()?);
    if let (Ok(from), Ok(to)) = (from.parse::<i64>(), to.parse::<i64>()) {
        if from.abs_diff(to) > MOST as u64 {
            // Too many to list; each of them is a number, so two stand for all.
            return Some(vec![from.to_string(), to.to_string()]);
        }
        return Some(if from <= to {
            (from..=to).map(|number| number.to_string()).collect()
        } else {
            (to..=from).rev().map(|number| number.to_string()).collect()
        });
    }
    let (mut from_chars, mut to_chars) = (from.chars(), to.chars());
    let (first, last) = (from_chars.next()?, to_chars.next()?);
    if from_chars.next().is_some() || to_chars.next().is_some() || !first.is_ascii() || !last.is_ascii() {
        return None;
    }
    let (low, high) = (first.min(last), first.max(last));
    Some((low..=high).map(String::from).collect())
}
