//! The way back: placeholders become values again, in the spellings that models make of them.

use std::borrow::Cow;

use zeroize::Zeroizing;

use crate::kind::Kind;
use crate::placeholder::Placeholder;
use crate::shadow::Shadow;
use crate::vault::{Resolved, Vault};

/// Whether a placeholder without brackets counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bare {
    /// It is an ordinary word.
    Ignored,
    /// It is a placeholder: `EMAIL-1`.
    Counts,
}

/// Whether secrets are put back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reveal {
    /// Every value, for a reader on this machine.
    Everything,
    /// Every value but secrets, which keep their placeholder: for anything that may reach a shell.
    AllButSecrets,
}

/// A placeholder that stands in a text, in whatever spelling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mention {
    /// What it means.
    pub placeholder: Placeholder,
    /// Its first byte.
    pub start: usize,
    /// The byte behind its last one.
    pub end: usize,
}

/// A text with its values put back.
#[derive(Clone, PartialEq, Eq)]
pub struct Rehydrated<'t> {
    /// The text, borrowed when there was nothing to put back.
    pub text: Cow<'t, str>,
    /// What was put back.
    pub used: Vec<Placeholder>,
    /// Placeholders that the vault does not know; they stay.
    pub unknown: Vec<Placeholder>,
    /// Placeholders that two values had; they stay.
    pub ambiguous: Vec<Placeholder>,
    /// Secrets that were not put back.
    pub withheld: Vec<Placeholder>,
}

impl std::fmt::Debug for Rehydrated<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rehydrated")
            .field("used", &self.used)
            .field("unknown", &self.unknown)
            .field("ambiguous", &self.ambiguous)
            .field("withheld", &self.withheld)
            .finish_non_exhaustive()
    }
}

/// Brackets that models put around a placeholder, and what closes them.
const BRACKETS: [(u8, u8); 4] = [(b'[', b']'), (b'<', b'>'), (b'{', b'}'), (b'(', b')')];
/// The longest spelling of a placeholder between its brackets.
const LONGEST: usize = 40;

/// Every placeholder of a text, in any of the spellings that count.
///
/// Case, blanks inside the brackets, the kind of brackets and the sign in the middle do not matter.
pub fn mentions(text: &str, bare: Bare) -> Vec<Mention> {
    let shadow = Shadow::of(text);
    let read = shadow.text();
    let bytes = read.as_bytes();
    let mut found: Vec<Mention> = Vec::new();
    let mut at = 0;
    // A placeholder holds a digit, and its kind stands in front of it.
    while let Some(sign) =
        bytes.get(at..).and_then(|rest| rest.iter().position(u8::is_ascii_digit)).map(|offset| at + offset)
    {
        let digits = bytes[sign..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        at = sign + digits;
        let Some((placeholder, start, end)) = mention_at(read, sign, digits, bare) else { continue };
        let (start, end) = shadow.source(start, end);
        if found.last().is_none_or(|last| last.end <= start) {
            found.push(Mention { placeholder, start, end });
        }
    }
    found
}

fn mention_at(text: &str, digits_start: usize, digits: usize, bare: Bare) -> Option<(Placeholder, usize, usize)> {
    let bytes = text.as_bytes();
    if digits > 9 {
        return None;
    }
    let digits_end = digits_start + digits;
    let number: u32 = text.get(digits_start..digits_end)?.parse().ok().filter(|number| *number > 0)?;
    let head = &bytes[digits_start.saturating_sub(LONGEST)..digits_start];
    let signs = head.iter().rev().take_while(|&&byte| matches!(byte, b'-' | b'_' | b' ' | b'\\' | b'#')).count();
    if signs == 0 || signs > 3 {
        return None;
    }
    let kind_end = digits_start - signs;
    let letters =
        bytes[kind_end.saturating_sub(8)..kind_end].iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let kind_start = kind_end - letters;
    let kind: Kind = text.get(kind_start..kind_end)?.parse().ok()?;
    let placeholder = Placeholder { kind, number };
    let blanks_before = bytes[..kind_start].iter().rev().take(4).take_while(|&&byte| byte == b' ').count();
    let blanks_after = bytes[digits_end..].iter().take(4).take_while(|&&byte| byte == b' ').count();
    let mut open = kind_start - blanks_before;
    let mut close = digits_end + blanks_after;
    let mut depth = 0;
    // `{{EMAIL-1}}` and `[[EMAIL-1]]` are one placeholder.
    while depth < 2
        && let Some(before) = open.checked_sub(1)
        && BRACKETS.iter().any(|(opening, closing)| {
            bytes[before] == *opening
                && (bytes.get(close) == Some(closing)
                    || (bytes.get(close) == Some(&b'\\') && bytes.get(close + 1) == Some(closing)))
        })
        && (depth == 0 || bytes[before] == bytes[open])
    {
        close += if bytes.get(close) == Some(&b'\\') { 2 } else { 1 };
        open = before;
        depth += 1;
        if open > 0 && bytes[open - 1] == b'\\' && bytes.get(close - 2) == Some(&b'\\') {
            open -= 1;
            break;
        }
    }
    // Round brackets belong to ordinary sentences, so a blank in the middle does not count there.
    let is_round = depth > 0 && bytes[open] == b'(';
    if depth > 0 && !(is_round && bytes[kind_end] == b' ') {
        return Some((placeholder, open, close));
    }
    let is_word = !kind_start
        .checked_sub(1)
        .is_some_and(|before| bytes[before].is_ascii_alphanumeric() || matches!(bytes[before], b'_' | b'-'))
        && !bytes.get(digits_end).is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    let is_upper =
        text.get(kind_start..kind_end).is_some_and(|kind| kind.bytes().all(|byte| byte.is_ascii_uppercase()));
    (bare == Bare::Counts && is_word && is_upper && matches!(bytes[kind_end], b'-' | b'_')).then_some((
        placeholder,
        kind_start,
        digits_end,
    ))
}

/// Puts values back. A value is never read for further placeholders.
pub fn rehydrate<'t>(text: &'t str, vault: &Vault, reveal: Reveal, bare: Bare) -> Rehydrated<'t> {
    let mut result = Rehydrated {
        text: Cow::Borrowed(text),
        used: Vec::new(),
        unknown: Vec::new(),
        ambiguous: Vec::new(),
        withheld: Vec::new(),
    };
    let mut out = String::new();
    let mut at = 0;
    for mention in mentions(text, bare) {
        match vault.resolve(mention.placeholder) {
            Resolved::Value(Kind::Secret, _) if reveal == Reveal::AllButSecrets => {
                result.withheld.push(mention.placeholder);
            }
            Resolved::Value(_, value) => {
                out.push_str(&text[at..mention.start]);
                out.push_str(value);
                at = mention.end;
                result.used.push(mention.placeholder);
            }
            Resolved::Ambiguous => result.ambiguous.push(mention.placeholder),
            Resolved::Unknown => result.unknown.push(mention.placeholder),
        }
    }
    if !result.used.is_empty() {
        out.push_str(&text[at..]);
        result.text = Cow::Owned(out);
    }
    result
}

/// Puts values back in a text that comes in pieces, with the same result as if it came whole.
#[derive(Debug)]
pub struct RehydrateStream {
    /// The end of what came, which may be the beginning of a placeholder.
    held: Zeroizing<String>,
    reveal: Reveal,
    bare: Bare,
}

/// No placeholder, in any spelling, is longer.
const LONGEST_HELD: usize = 96;

impl RehydrateStream {
    /// A stream at its beginning.
    pub fn new(reveal: Reveal, bare: Bare) -> Self {
        Self { held: Zeroizing::new(String::new()), reveal, bare }
    }

    /// Takes a piece, and returns what can leave already.
    pub fn push(&mut self, piece: &str, vault: &Vault) -> String {
        self.held.push_str(piece);
        let cut = self.safe_end();
        let rest = self.held.split_off(cut);
        let ready = rehydrate(&self.held, vault, self.reveal, self.bare).text.into_owned();
        self.held = Zeroizing::new(rest);
        ready
    }

    /// The end of the text: returns what was held back.
    pub fn finish(self, vault: &Vault) -> String {
        rehydrate(&self.held, vault, self.reveal, self.bare).text.into_owned()
    }

    /// The place before which no placeholder can be open: in front of the last word that may begin one.
    fn safe_end(&self) -> usize {
        let text = self.held.as_str();
        let floor = text.len().saturating_sub(LONGEST_HELD);
        let may_continue = |character: char| {
            character.is_alphanumeric() || "[]<>{}()-_ \\#&;:,\u{1B}".contains(character) || !character.is_ascii()
        };
        let start = text
            .rfind(|character: char| !may_continue(character))
            .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
        let start = start.max(floor);
        // Nothing but what could be the start of a placeholder is held.
        let candidate = text.get(start..).unwrap_or_default();
        let first = candidate
            .find(['[', '<', '{', '(', '\\', '&', '\u{1B}'])
            .or_else(|| candidate.find(|character: char| !character.is_ascii()));
        let offset = match (first, self.bare) {
            (_, Bare::Counts) => Some(0),
            (first, Bare::Ignored) => first,
        };
        let at = offset.map_or(text.len(), |offset| start + offset);
        (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
    }
}
