//! One entry: its words, and how it is held against a command.

use crate::arg::Arg;
use crate::context::Context;
use crate::finding::{Record, Write};
use crate::shell::ansi_c;
use crate::shell::cursor::Cursor;
use crate::verdict::Decision;

/// One character of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// Itself.
    Plain(char),
    /// Any characters.
    Many,
    /// Any one character.
    One,
}

/// One word of an entry.
type Token = Vec<Sign>;

/// What an entry is held against.
#[derive(Debug, Clone)]
pub(super) enum Pattern {
    /// The words of a command.
    Words(Vec<Token>),
    /// A file that is written.
    Write { path: Token, only_appends: bool },
}

/// One entry.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) text: String,
    pub(super) pattern: Pattern,
    pub(super) effect: Decision,
    pub(super) because: Option<String>,
    /// The folder in and below which it holds; everywhere when there is none.
    pub(super) folder: Option<String>,
}

/// How well an entry fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fit {
    /// Not at all.
    No,
    /// By a pattern.
    Pattern,
    /// Word for word.
    Exact,
}

impl Entry {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (folder, placeless) = place(text)?;
        let (effect, body) = [("ask:", Decision::Ask), ("deny:", Decision::Deny), ("allow:", Decision::Allow)]
            .into_iter()
            .find_map(|(start, effect)| placeless.strip_prefix(start).map(|body| (effect, body.trim())))
            .unwrap_or((Decision::Allow, placeless));
        let tokens = tokens(body)?;
        let pattern = if body.starts_with('>') {
            let only_appends = body.starts_with(">>");
            let target = self::tokens(body.trim_start_matches('>'))?;
            let [path] = target.as_slice() else { return Err("a write entry names one path".to_owned()) };
            Pattern::Write { path: path.clone(), only_appends }
        } else {
            if tokens.is_empty() {
                return Err("an entry has to name a program".to_owned());
            }
            Pattern::Words(tokens)
        };
        Ok(Self { text: text.to_owned(), pattern, effect, because: None, folder })
    }

    /// Holds an example against the entry.
    pub(super) fn check(&self, example: &str, should_fit: bool) -> Result<(), String> {
        let records = super::records_of(example);
        let fits = match &self.pattern {
            // An example stands in no folder.
            Pattern::Words(tokens) => records.iter().any(|record| self.words_fit(tokens, record) != Fit::No),
            Pattern::Write { path, .. } => {
                let context = Context::new("/work", "/home/user");
                records.iter().flat_map(|record| &record.writes).any(|write| path_fits(path, write, &context))
            }
        };
        match (fits, should_fit) {
            (false, true) => Err(format!("the entry `{}` does not fit its example `{example}`", self.text)),
            (true, false) => Err(format!("the entry `{}` fits `{example}`, which it must not", self.text)),
            _ => Ok(()),
        }
    }

    /// How the entry fits a command.
    pub(super) fn fits(&self, record: &Record) -> Fit {
        let Pattern::Words(tokens) = &self.pattern else { return Fit::No };
        // Where the folder of a command is not known, it is in none that allows and in each that restricts.
        let is_here = match &record.folder {
            Some(folder) => self.holds_in(folder),
            None => self.folder.is_none() || self.effect != Decision::Allow,
        };
        if is_here { self.words_fit(tokens, record) } else { Fit::No }
    }

    /// Whether the entry spells out the words of a wrapper and fits the program behind them with its rest.
    pub(super) fn fits_behind(&self, outer: &Record, at: usize, inner: &Record) -> bool {
        let Pattern::Words(tokens) = &self.pattern else { return false };
        let (Some(front), Some(rest)) = (tokens.get(..at), tokens.get(at..)) else { return false };
        let program = outer.words.first().into_iter();
        let words = program.chain(outer.argv.iter().skip(1));
        let is_spelled = front
            .iter()
            .zip(words)
            .all(|(token, word)| is_plain(token) && word.is_static() && token_fits(token, &word.text));
        let placed = Self { pattern: Pattern::Words(rest.to_vec()), ..self.clone() };
        !rest.is_empty() && is_spelled && placed.fits(inner) != Fit::No
    }

    /// Whether the entry holds in this folder.
    pub(super) fn holds_in(&self, folder: &str) -> bool {
        let Some(own) = self.folder.as_deref() else { return true };
        folder.strip_prefix(own.trim_end_matches('/')).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    fn words_fit(&self, tokens: &[Token], record: &Record) -> Fit {
        if record.words.is_empty() {
            return Fit::No;
        }
        // A rule that restricts is not put off by words that have to be spelled.
        let strict = self.effect == Decision::Allow;
        let named = |at: usize| strict && record.named.contains(&at);
        let ordered: Vec<(&Arg, bool)> = record
            .words
            .iter()
            .enumerate()
            .map(|(at, word)| (word, named(record.order.get(at).copied().unwrap_or(at))))
            .collect();
        let fit = words_fit(tokens, &ordered, record.head);
        if fit != Fit::No {
            return fit;
        }
        let mut written: Vec<(&Arg, bool)> =
            record.argv.iter().enumerate().map(|(at, word)| (word, named(at))).collect();
        if let (Some(first), Some(program)) = (written.first_mut(), record.words.first()) {
            first.0 = program;
        }
        // In the order of writing, everything up to the last word of the verb counts as its head.
        let head = record.order.iter().take(record.head).max().map_or(record.head, |last| last + 1);
        let fit = if record.head > 1 || !record.order.is_empty() { words_fit(tokens, &written, head) } else { Fit::No };
        if fit != Fit::No || record.assignments.is_empty() {
            return fit;
        }
        let assignments: Vec<Arg> = record
            .assignments
            .iter()
            .map(|(name, value)| Arg { text: format!("{name}={}", value.text), ..value.clone() })
            .collect();
        let whole: Vec<(&Arg, bool)> = assignments.iter().map(|arg| (arg, false)).chain(written).collect();
        words_fit(tokens, &whole, assignments.len() + 1)
    }
}

fn words_fit(tokens: &[Token], words: &[(&Arg, bool)], head: usize) -> Fit {
    let Some((last, before)) = tokens.split_last() else { return Fit::No };
    if words.len() < before.len() {
        return Fit::No;
    }
    let mut is_exact = true;
    for (token, (word, named)) in before.iter().zip(words) {
        let plain = is_plain(token);
        is_exact &= plain;
        if (*named && !plain) || !token_fits(token, &word.text) {
            return Fit::No;
        }
    }
    let rest = words.get(before.len()..).unwrap_or_default();
    let Some((first, behind)) = rest.split_first() else { return Fit::No };
    if is_plain(last) {
        let fits = behind.is_empty() && token_fits(last, &first.0.text);
        return match (fits, is_exact) {
            (false, _) => Fit::No,
            (true, true) => Fit::Exact,
            (true, false) => Fit::Pattern,
        };
    }
    if last.last() != Some(&Sign::Many) {
        let fits = behind.is_empty() && !first.1 && token_fits(last, &first.0.text);
        return if fits { Fit::Pattern } else { Fit::No };
    }
    let stem = last.get(..last.len() - 1).unwrap_or_default();
    let spells =
        |named: bool, word: &str| !named || is_plain(stem) && (token_fits(stem, word) || holds_value(stem, word));
    if !spells(first.1, &first.0.text) || behind.iter().any(|(_, named)| *named) {
        return Fit::No;
    }
    if stem.is_empty() {
        return Fit::Pattern;
    }
    let is_path = stem.contains(&Sign::Plain('/'));
    if is_path && (before.len() >= head || before.is_empty()) {
        if token_fits(stem, &first.0.text) && stem.last() != Some(&Sign::Plain('/')) {
            return Fit::Pattern;
        }
        let stays = |word: &str| token_fits(last, word) && !word.split('/').any(|part| part == "..");
        let fits = if before.is_empty() {
            stays(&first.0.text)
        } else {
            stays(&first.0.text) && behind.iter().all(|(word, _)| word.text.starts_with('-') || stays(&word.text))
        };
        return if fits { Fit::Pattern } else { Fit::No };
    }
    // The star behind program or verb stands for what follows the word, not for more of the word.
    let fits = if before.len() < head { token_fits(stem, &first.0.text) } else { token_fits(last, &first.0.text) };
    if fits { Fit::Pattern } else { Fit::No }
}

/// Whether the stem is a short option and the word that option with a value which is no further letter.
fn holds_value(stem: &[Sign], word: &str) -> bool {
    let [Sign::Plain('-'), Sign::Plain(letter)] = stem else { return false };
    let value = word.strip_prefix('-').and_then(|rest| rest.strip_prefix(*letter)).unwrap_or_default();
    value.starts_with(['.', '~', '_', '='])
}

fn is_plain(token: &[Sign]) -> bool {
    token.iter().all(|sign| matches!(sign, Sign::Plain(_)))
}

/// Whether a word fits a token.
pub(super) fn token_fits(token: &[Sign], text: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    let (mut at, mut from) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while from < text.len() {
        match token.get(at) {
            Some(Sign::Many) => {
                retry = Some((at + 1, from));
                at += 1;
                continue;
            }
            Some(Sign::One) => {
                at += 1;
                from += 1;
                continue;
            }
            Some(Sign::Plain(wanted)) if text.get(from) == Some(wanted) => {
                at += 1;
                from += 1;
                continue;
            }
            _ => {}
        }
        let Some((behind, start)) = retry else { return false };
        at = behind;
        from = start + 1;
        retry = Some((behind, from));
    }
    token.get(at..).unwrap_or_default().iter().all(|sign| *sign == Sign::Many)
}

/// Whether a written path is the one of an entry, after links are followed as well.
pub(super) fn path_fits(pattern: &[Sign], write: &Write, context: &Context<'_>) -> bool {
    let text: String = pattern
        .iter()
        .map(|sign| match sign {
            Sign::Plain(character) => *character,
            Sign::Many => '*',
            Sign::One => '?',
        })
        .collect();
    let (wanted, _) = crate::path::resolve(&text, context.working_folder.as_deref(), context);
    let fits = |path: &str| parts_fit(&wanted.split('/').collect::<Vec<_>>(), &path.split('/').collect::<Vec<_>>());
    if !fits(&write.path) {
        return false;
    }
    match context.files.and_then(|files| files.resolve(&write.path)) {
        Some(real) if real != write.path => {
            let folder = context.working_folder.as_deref().unwrap_or_default();
            let real_folder = context.files.and_then(|files| files.resolve(folder)).unwrap_or_default();
            // The working folder itself may be reached through a link.
            fits(&real) || real.strip_prefix(&real_folder).is_some_and(|rest| fits(&format!("{folder}{rest}")))
        }
        _ => true,
    }
}

fn parts_fit(wanted: &[&str], parts: &[&str]) -> bool {
    match (wanted.split_first(), parts.split_first()) {
        (None, None) => true,
        (Some((&"**", rest)), _) => {
            parts_fit(rest, parts) || parts.split_first().is_some_and(|(_, behind)| parts_fit(wanted, behind))
        }
        (Some((first, rest)), Some((part, behind))) => {
            let token: Token = first
                .chars()
                .map(|character| match character {
                    '*' => Sign::Many,
                    '?' => Sign::One,
                    other => Sign::Plain(other),
                })
                .collect();
            token_fits(&token, part) && parts_fit(rest, behind)
        }
        _ => false,
    }
}

/// The folder that an entry names in front, as in `in '/srv/shop': make test`, and the rest.
fn place(text: &str) -> Result<(Option<String>, &str), String> {
    let Some(behind) = text.strip_prefix("in ").map(str::trim_start) else { return Ok((None, text)) };
    let cut = match behind.strip_prefix('\'') {
        Some(quoted) => quoted.split_once("':"),
        None => behind.split_once(": "),
    };
    let Some((folder, rest)) = cut else { return Err("behind `in` stand a folder, a colon and an entry".to_owned()) };
    if !folder.starts_with('/') {
        return Err(format!("`{folder}` is no absolute folder"));
    }
    Ok((Some(folder.to_owned()), rest.trim()))
}

/// Cuts an entry into its words; quotes and backslashes make their characters plain.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut found = Vec::new();
    let mut open: Option<Token> = None;
    let mut cursor = Cursor::new(text);
    while let Some(next) = cursor.bump() {
        match next {
            ' ' | '\t' => found.extend(open.take()),
            '\'' => {
                let inside = cursor.until('\'').ok_or("a quote is not closed")?;
                open.get_or_insert_with(Vec::new).extend(inside.chars().map(Sign::Plain));
            }
            '"' => {
                let token = open.get_or_insert_with(Vec::new);
                loop {
                    match cursor.bump().ok_or("a quote is not closed")? {
                        '"' => break,
                        '\\' => token.extend(cursor.bump().map(Sign::Plain)),
                        other => token.push(Sign::Plain(other)),
                    }
                }
            }
            '$' if cursor.peek() == Some('\'') => {
                cursor.bump();
                let inside = ansi_c::read(&mut cursor).ok_or("a quote is not closed")?;
                open.get_or_insert_with(Vec::new).extend(inside.chars().map(Sign::Plain));
            }
            '\\' => open.get_or_insert_with(Vec::new).extend(cursor.bump().map(Sign::Plain)),
            '*' => {
                let token = open.get_or_insert_with(Vec::new);
                token.push(Sign::Many);
            }
            '?' => open.get_or_insert_with(Vec::new).push(Sign::One),
            other => open.get_or_insert_with(Vec::new).push(Sign::Plain(other)),
        }
    }
    found.extend(open);
    Ok(found)
}
