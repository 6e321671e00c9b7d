//! Counting tokens without a server, with a vocabulary that is part of the program.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tiktoken_rs::CoreBPE;
use tokio::time::{Instant, timeout_at};

use super::{CountFuture, Tokenizer};
use crate::model::{ModelError, Stage};

/// The vocabulary, as it is named in reports.
const NAME: &str = "o200k_base";
/// Longer texts are estimated: counting them would hold a core for seconds.
const MOST_BYTES: usize = 4 << 20;
/// How much is counted at once, so that no text makes the splitter look back for ever.
const PIECE_BYTES: usize = 16 << 10;

/// Counts with the vocabulary `o200k_base`, off the threads of the runtime.
///
/// The tables take tens of megabytes, so they are there only while somebody counts.
#[derive(Clone, Default)]
pub struct LocalBpe {
    loaded: Arc<Mutex<Weak<CoreBPE>>>,
}

impl fmt::Debug for LocalBpe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LocalBpe")
    }
}

impl LocalBpe {
    /// Nothing is loaded before the first count.
    pub fn new() -> Self {
        Self::default()
    }

    /// The name of the vocabulary.
    pub const fn vocabulary() -> &'static str {
        NAME
    }

    async fn count(&self, text: &str, deadline: Instant) -> Result<u64, ModelError> {
        if text.is_empty() {
            return Ok(0);
        }
        if text.len() > MOST_BYTES {
            return Err(failed("the text is longer than what is counted here"));
        }
        let (this, text) = (self.clone(), text.to_owned());
        let counting = tokio::task::spawn_blocking(move || this.count_now(&text));
        match timeout_at(deadline, counting).await {
            Err(_) => Err(ModelError::Timeout { model: NAME.to_owned(), stage: Stage::Answer }),
            Ok(Ok(Some(count))) => Ok(count),
            Ok(Ok(None) | Err(_)) => Err(failed("it could not count")),
        }
    }

    fn count_now(&self, text: &str) -> Option<u64> {
        let tables = self.tables()?;
        let mut count = 0;
        let mut rest = text;
        while !rest.is_empty() {
            let (piece, behind) = rest.split_at(piece_end(rest));
            count += tables.count(piece, &HashSet::new()).ok()? as u64;
            rest = behind;
        }
        Some(count)
    }

    /// The tables, read anew if nobody else holds them.
    fn tables(&self) -> Option<Arc<CoreBPE>> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tables) = loaded.upgrade() {
            return Some(tables);
        }
        let tables = Arc::new(tiktoken_rs::o200k_base().ok()?);
        *loaded = Arc::downgrade(&tables);
        Some(tables)
    }
}

impl Tokenizer for LocalBpe {
    fn count_tokens<'a>(&'a self, text: &'a str, deadline: Instant) -> CountFuture<'a> {
        Box::pin(self.count(text, deadline))
    }
}

/// Behind the last line that fits, where no token reaches over; else behind the last character.
fn piece_end(text: &str) -> usize {
    if text.len() <= PIECE_BYTES {
        return text.len();
    }
    let within = text.get(..text.floor_char_boundary(PIECE_BYTES)).unwrap_or(text);
    within.rfind('\n').map_or(within.len(), |line| line + 1)
}

fn failed(what: &'static str) -> ModelError {
    ModelError::Protocol { model: NAME.to_owned(), what }
}
