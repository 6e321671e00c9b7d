//! Output: the beginning is kept, all of it is counted, and the end can be watched.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};

/// How much of the end is kept for whoever watches a run.
const TAIL_BYTES: usize = 8 * 1024;

/// What one stream carried.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// The beginning, up to the cap.
    pub bytes: Vec<u8>,
    /// How many bytes there were in all.
    pub total_bytes: u64,
}

impl fmt::Debug for Captured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Captured({} of {} bytes)", self.bytes.len(), self.total_bytes)
    }
}

impl Captured {
    /// Whether something was dropped.
    pub fn is_cut(&self) -> bool {
        self.dropped_bytes() > 0
    }

    /// How much was dropped.
    pub fn dropped_bytes(&self) -> u64 {
        self.total_bytes.saturating_sub(self.bytes.len() as u64)
    }

    /// The kept bytes as text; what is no UTF-8 is replaced, and a character that the cap cut in two
    /// is left out.
    pub fn text(&self) -> Cow<'_, str> {
        let bytes = if self.is_cut() { whole_characters(&self.bytes) } else { &self.bytes };
        String::from_utf8_lossy(bytes)
    }
}

/// Without the first bytes of a character whose rest is missing.
fn whole_characters(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => bytes.get(..error.valid_up_to()).unwrap_or(bytes),
        _ => bytes,
    }
}

#[derive(Debug, Default)]
struct State {
    captured: Captured,
    tail: VecDeque<u8>,
}

/// One stream while the program runs, shared between the reader and whoever watches.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stream {
    state: Arc<Mutex<State>>,
}

impl Stream {
    /// Reads to the end. Reading never stops at the cap, so the program is never blocked.
    pub(crate) async fn fill(&self, mut source: impl AsyncRead + Unpin, cap: usize) {
        let mut chunk = vec![0_u8; 16 * 1024];
        // A stream that fails is a stream that ended: there is nothing more to learn from it.
        while let Ok(count @ 1..) = source.read(&mut chunk).await {
            self.push(chunk.get(..count).unwrap_or_default(), cap);
        }
    }

    fn push(&self, bytes: &[u8], cap: usize) {
        let mut state = self.lock();
        state.captured.total_bytes += bytes.len() as u64;
        let room = cap.saturating_sub(state.captured.bytes.len());
        state.captured.bytes.extend(bytes.iter().take(room));
        state.tail.extend(bytes.iter().skip(bytes.len().saturating_sub(TAIL_BYTES)));
        let excess = state.tail.len().saturating_sub(TAIL_BYTES);
        state.tail.drain(..excess);
    }

    pub(crate) fn total_bytes(&self) -> u64 {
        self.lock().captured.total_bytes
    }

    pub(crate) fn tail(&self) -> String {
        let bytes: Vec<u8> = self.lock().tail.iter().copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    pub(crate) fn take(&self) -> Captured {
        std::mem::take(&mut self.lock().captured)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is valid after every statement, so a panic elsewhere does not spoil it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop, proptest};

    use super::*;

    proptest! {
        #[test]
        fn the_beginning_is_kept_and_everything_is_counted(
            chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..20),
            cap in 0_usize..2000,
        ) {
            let stream = Stream::default();
            for chunk in &chunks {
                stream.push(chunk, cap);
            }
            let all: Vec<u8> = chunks.concat();
            let captured = stream.take();
            assert_eq!(captured.total_bytes, all.len() as u64);
            assert_eq!(captured.bytes, all[..all.len().min(cap)]);
            assert_eq!(captured.is_cut(), all.len() > cap);
        }
    }

    #[test]
    fn a_character_cut_in_two_is_left_out() {
        let stream = Stream::default();
        stream.push("aäb".as_bytes(), 2);
        assert_eq!(stream.take().text(), "a");
        stream.push(b"a\xffb", 10);
        assert_eq!(stream.take().text(), "a\u{fffd}b");
    }

    #[test]
    fn the_tail_is_the_newest_part() {
        let stream = Stream::default();
        stream.push(&[b'x'; TAIL_BYTES], 1);
        stream.push(b"end", 1);
        assert!(stream.tail().ends_with("xend"));
        assert_eq!(stream.tail().len(), TAIL_BYTES);
    }
}
