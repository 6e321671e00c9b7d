//! The fence around material: what stands inside is data, and nothing inside can end it.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};

/// Two lines with a number that is drawn for each call, so that no document can hold the closing one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fence {
    id: String,
}

impl Fence {
    /// A fence whose number does not stand in the text.
    pub(crate) fn around(text: &str) -> Self {
        loop {
            let id = format!("{:016x}", random());
            if !text.contains(&id) {
                return Self { id };
            }
        }
    }

    /// The line above.
    pub(crate) fn open(&self) -> String {
        format!("<<<<<< BEGIN {}", self.id)
    }

    /// The line below.
    pub(crate) fn close(&self) -> String {
        format!(">>>>>> END {}", self.id)
    }

    /// The text between its two lines.
    pub(crate) fn wrap(&self, text: &str) -> String {
        format!("{}\n{}\n{}", self.open(), text.trim_end_matches('\n'), self.close())
    }
}

/// A number that nobody outside this process can know.
fn random() -> u64 {
    let mut bytes = [0_u8; 8];
    if getrandom::fill(&mut bytes).is_ok() {
        return u64::from_le_bytes(bytes);
    }
    // The keys of a hash map come from the system as well, and from memory once they were drawn.
    RandomState::new().build_hasher().finish()
}

/// A text on one line and without signs that move the cursor, for the places outside a fence.
pub(crate) fn one_line(text: &str, most_chars: usize) -> String {
    let mut line = String::with_capacity(text.len().min(most_chars * 4));
    let is_kept = |c: &char| {
        !c.is_control()
            && !matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    for word in text.split_whitespace() {
        let word: String = word.chars().filter(is_kept).collect();
        if word.is_empty() {
            continue;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&word);
    }
    match line.char_indices().nth(most_chars) {
        Some((end, _)) => format!("{}\u{2026}", &line[..end]),
        None => line,
    }
}
