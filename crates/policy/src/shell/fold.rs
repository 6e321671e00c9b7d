//! Characters that a human does not see as the shell sees them.

use std::borrow::Cow;

/// What is odd about a text before it is parsed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about one text")]
pub(crate) struct Oddities {
    /// A zero byte, which a shell drops or stops at.
    pub(crate) has_nul: bool,
    /// A carriage return or another control character.
    pub(crate) has_control: bool,
    /// A mark that turns the direction of the text or has no width.
    pub(crate) has_invisible: bool,
    /// A blank or a letter that only looks like the plain one.
    pub(crate) has_lookalike: bool,
}

impl Oddities {
    pub(crate) fn of(text: &str) -> Self {
        let mut found = Self::default();
        if text.bytes().all(|byte| (32..127).contains(&byte) || byte == b'\n' || byte == b'\t') {
            return found;
        }
        let mut before = ' ';
        for character in text.chars() {
            let last = std::mem::replace(&mut before, character);
            match character {
                '\0' => found.has_nul = true,
                '\n' | '\t' => {}
                '\u{85}' | '\u{2028}' | '\u{2029}' => found.has_invisible = true,
                // How a picture is drawn, or two pictures joined to one.
                '\u{fe0f}' | '\u{200d}' if u32::from(last) >= 0x2000 => {}
                _ if is_invisible(character) => found.has_invisible = true,
                _ if character.is_control() => found.has_control = true,
                _ if is_blank(character) || fold_wide(character).is_some() => found.has_lookalike = true,
                _ => {}
            }
        }
        found
    }

    pub(crate) fn any(self) -> bool {
        self != Self::default()
    }
}

/// Marks of direction, joiners and other characters without a shape of their own.
pub(crate) fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Blanks and line ends that are not the shell's own.
pub(crate) fn is_blank(character: char) -> bool {
    matches!(
        character,
        '\u{85}' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}' | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

fn fold_wide(character: char) -> Option<char> {
    match character {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(character) - 0xfee0),
        _ => None,
    }
}

/// The text as a careless eye or another parser would take it, for a second look at deny shapes only.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if !Oddities::of(text).any() {
        return Cow::Borrowed(text);
    }
    let mut folded = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\t' => folded.push(character),
            '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => folded.push('\n'),
            _ if is_blank(character) => folded.push(' '),
            _ if is_invisible(character) || character.is_control() => {}
            _ => folded.push(fold_wide(character).unwrap_or(character)),
        }
    }
    Cow::Owned(folded)
}
