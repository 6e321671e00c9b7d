//! The pieces that the network reads: words without case and accents, cut into what the vocabulary has.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A word that is longer is not looked up.
const LONGEST_WORD: usize = 100;
/// What stands for a word that the vocabulary cannot spell.
const UNKNOWN: u32 = 1;
/// The first piece of every window.
pub(crate) const FIRST: u32 = 2;
/// The last piece of every window.
pub(crate) const LAST: u32 = 3;

/// A piece of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece {
    pub id: u32,
    /// Its first byte.
    pub start: usize,
    /// The byte behind its last one.
    pub end: usize,
    /// The number of the word that it belongs to.
    pub word: usize,
}

/// The pieces by their spelling.
#[derive(Debug)]
pub(crate) struct Vocabulary {
    leading: HashMap<&'static str, u32>,
    following: HashMap<&'static str, u32>,
    longest: usize,
}

/// A character as the network reads it, with the place of the one that it was made from.
#[derive(Clone, Copy)]
struct Letter {
    start: usize,
    end: usize,
    /// Where it begins in the spelling of its word.
    at: usize,
}

#[derive(Default)]
struct Word {
    spelling: String,
    letters: Vec<Letter>,
    number: usize,
}

impl Vocabulary {
    /// One piece a line; those that continue a word begin with `##`.
    pub(crate) fn parse(text: &'static str) -> Self {
        let mut vocabulary = Self { leading: HashMap::new(), following: HashMap::new(), longest: 0 };
        for (line, id) in text.lines().zip(0_u32..) {
            let (pieces, piece) = match line.strip_prefix("##") {
                Some(piece) if !piece.is_empty() => (&mut vocabulary.following, piece),
                _ => (&mut vocabulary.leading, line),
            };
            vocabulary.longest = vocabulary.longest.max(piece.len());
            pieces.insert(piece, id);
        }
        vocabulary
    }

    /// How many pieces there are.
    pub(crate) fn len(&self) -> usize {
        self.leading.len() + self.following.len()
    }

    /// The pieces of a text.
    pub(crate) fn read(&self, text: &str) -> Vec<Piece> {
        let mut pieces = Vec::with_capacity(text.len() / 3);
        let mut word = Word::default();
        for (start, character) in text.char_indices() {
            let end = start + character.len_utf8();
            if is_dropped(character) {
                continue;
            }
            if character.is_whitespace() {
                self.spell(&mut word, &mut pieces);
                continue;
            }
            if character.is_ascii_alphanumeric() {
                word.push(character.to_ascii_lowercase(), start, end);
                continue;
            }
            for part in std::iter::once(character).nfd().filter(|part| !is_combining_mark(*part)) {
                if is_mark(part) || is_ideograph(part) {
                    self.spell(&mut word, &mut pieces);
                    word.push(part, start, end);
                    self.spell(&mut word, &mut pieces);
                } else {
                    for lower in part.to_lowercase() {
                        word.push(lower, start, end);
                    }
                }
            }
        }
        self.spell(&mut word, &mut pieces);
        pieces
    }

    /// Cuts a word into the longest pieces from its start on.
    fn spell(&self, word: &mut Word, pieces: &mut Vec<Piece>) {
        let (Some(first), Some(last)) = (word.letters.first().copied(), word.letters.last().copied()) else { return };
        let before = pieces.len();
        let mut from = 0;
        while let Some(letter) = word.letters.get(from).copied() {
            let known = if from == 0 { &self.leading } else { &self.following };
            let found = (from + 1..=word.letters.len()).rev().find_map(|to| {
                let end = word.letters.get(to).map_or(word.spelling.len(), |letter| letter.at);
                let spelling = word.spelling.get(letter.at..end).filter(|part| part.len() <= self.longest)?;
                Some((to, *known.get(spelling)?))
            });
            let Some((to, id)) = found.filter(|_| word.letters.len() <= LONGEST_WORD) else {
                pieces.truncate(before);
                pieces.push(Piece { id: UNKNOWN, start: first.start, end: last.end, word: word.number });
                break;
            };
            let end = word.letters.get(to - 1).map_or(letter.end, |letter| letter.end);
            pieces.push(Piece { id, start: letter.start, end, word: word.number });
            from = to;
        }
        *word = Word { number: word.number + 1, ..Word::default() };
    }
}

impl Word {
    fn push(&mut self, character: char, start: usize, end: usize) {
        self.letters.push(Letter { start, end, at: self.spelling.len() });
        self.spelling.push(character);
    }
}

/// Characters that the network never sees: control characters and those without width.
#[expect(clippy::match_same_arms, reason = "one line for each block of characters")]
fn is_dropped(character: char) -> bool {
    match character {
        '\t' | '\n' | '\r' => false,
        '\0' | '\u{FFFD}' => true,
        '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' => true,
        '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}' => true,
        '\u{E000}'..='\u{F8FF}' => true,
        _ => character.is_control(),
    }
}

/// Punctuation, which is a word of its own.
#[expect(clippy::match_same_arms, reason = "one line for each block of characters")]
fn is_mark(character: char) -> bool {
    match character {
        '\u{A1}' | '\u{A7}' | '\u{AB}' | '\u{B6}' | '\u{B7}' | '\u{BB}' | '\u{BF}' | '\u{37E}' | '\u{387}' => true,
        '\u{55A}'..='\u{55F}' | '\u{589}' | '\u{58A}' | '\u{5BE}' | '\u{5F3}' | '\u{5F4}' => true,
        '\u{60C}' | '\u{60D}' | '\u{61B}' | '\u{61E}' | '\u{61F}' | '\u{66A}'..='\u{66D}' | '\u{6D4}' => true,
        '\u{964}' | '\u{965}' | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{2043}' => true,
        '\u{2045}'..='\u{2051}' | '\u{2053}'..='\u{205E}' | '\u{207D}' | '\u{207E}' | '\u{208D}' | '\u{208E}' => true,
        '\u{2308}'..='\u{230B}' | '\u{2329}' | '\u{232A}' | '\u{2768}'..='\u{2775}' => true,
        '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301F}' | '\u{3030}' | '\u{30FB}' => true,
        '\u{FF01}'..='\u{FF03}' | '\u{FF05}'..='\u{FF0A}' | '\u{FF0C}'..='\u{FF0F}' => true,
        '\u{FF1A}' | '\u{FF1B}' | '\u{FF1F}' | '\u{FF20}' | '\u{FF3B}'..='\u{FF3D}' | '\u{FF3F}' => true,
        '\u{FF5B}' | '\u{FF5D}' | '\u{FF5F}'..='\u{FF65}' => true,
        _ => character.is_ascii_punctuation(),
    }
}

/// Characters of scripts without blanks, each of which is a word.
fn is_ideograph(character: char) -> bool {
    matches!(character, '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{2A6DF}' | '\u{2A700}'..='\u{2CEAF}' | '\u{2F800}'..='\u{2FA1F}')
}
