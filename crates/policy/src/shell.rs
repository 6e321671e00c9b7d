//! From text to the tree of bash, or the admission that it cannot be read.

pub(crate) mod ansi_c;
pub(crate) mod brace;
pub(crate) mod cursor;
mod documents;
pub(crate) mod fold;
pub(crate) mod word;

use brush_parser::ast::Program;
use brush_parser::{Parser, ParserOptions};

/// A text longer than this is shown to the human instead of being read.
pub(crate) const MAX_LENGTH: usize = 32 * 1024;

/// Brackets and compound commands deeper than this are not read.
const MAX_NESTING: usize = 40;

/// Why a text has no tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// Longer or deeper than the limits.
    Limit,
    /// Not what the shell accepts, or more than this reader understands.
    Syntax,
}

/// Reads `text` as a program of bash.
pub(crate) fn parse(text: &str) -> Result<Program, Unreadable> {
    if text.len() > MAX_LENGTH || nesting(text) > MAX_NESTING {
        return Err(Unreadable::Limit);
    }
    if documents::are_odd(text) {
        return Err(Unreadable::Syntax);
    }
    let options = ParserOptions::default();
    // The grammar is not ours: should it ever panic on a hostile text, that text is unreadable and nothing else.
    let parsed = std::panic::catch_unwind(|| Parser::new(text.as_bytes(), &options).parse_program());
    match parsed {
        Ok(Ok(program)) => Ok(program),
        Ok(Err(_)) | Err(_) => Err(Unreadable::Syntax),
    }
}

/// How deep the brackets and compounds of a text can be, counted without regard to quotes.
fn nesting(text: &str) -> usize {
    let (mut depth, mut deepest, mut openers) = (0_usize, 0_usize, 0_usize);
    for byte in text.bytes() {
        match byte {
            b'(' | b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b')' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    for word in text.split(|next: char| !next.is_ascii_alphanumeric()) {
        match word {
            "if" | "case" | "do" => openers += 1,
            "fi" | "esac" | "done" => openers = openers.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(openers);
    }
    deepest
}
