//! Output: the beginning is kept, and the end when it is asked for; all of it is counted, the end can be watched, and
//! the whole can go to a file.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};

/// How much of the end is kept for whoever watches a run.
const TAIL_BYTES: usize = 8 * 1024;

/// What one stream carried.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// The beginning, up to the cap.
    pub bytes: Vec<u8>,
    /// The end, as far as it is not in the beginning and was asked for.
    pub end: Vec<u8>,
    /// How many bytes there were in all.
    pub total_bytes: u64,
}

impl fmt::Debug for Captured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Captured({} of {} bytes)", self.bytes.len() + self.end.len(), self.total_bytes)
    }
}

impl Captured {
    /// Whether something was dropped, between the beginning and the end.
    pub fn is_cut(&self) -> bool {
        self.dropped_bytes() > 0
    }

    /// How much was dropped.
    pub fn dropped_bytes(&self) -> u64 {
        self.total_bytes.saturating_sub((self.bytes.len() + self.end.len()) as u64)
    }

    /// The beginning as text, or all of it when there is no more; what is no UTF-8 is replaced, and a character that
    /// the cap cut in two is left out.
    pub fn text(&self) -> Cow<'_, str> {
        if self.is_cut() {
            return String::from_utf8_lossy(whole_characters(&self.bytes));
        }
        if self.end.is_empty() {
            return String::from_utf8_lossy(&self.bytes);
        }
        let all = [self.bytes.as_slice(), self.end.as_slice()].concat();
        Cow::Owned(String::from_utf8_lossy(&all).into_owned())
    }

    /// The end as text when something was dropped before it; empty otherwise.
    pub fn end_text(&self) -> Cow<'_, str> {
        if !self.is_cut() {
            return Cow::Borrowed("");
        }
        // At most three bytes at the front belong to a character whose first byte was dropped.
        let torn = self.end.iter().take(3).take_while(|byte| *byte & 0xC0 == 0x80).count();
        String::from_utf8_lossy(self.end.get(torn..).unwrap_or_default())
    }
}

/// A file that takes the whole of an output, readable by the user alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WholeFile {
    /// Where; nothing may be there yet.
    pub path: PathBuf,
    /// What is written at most.
    pub most_bytes: u64,
}

/// What came of a [`WholeFile`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Whole {
    /// What is in the file.
    pub bytes: u64,
    /// Whether that is all that there was.
    pub is_complete: bool,
}

/// The file while it is written.
#[derive(Debug)]
pub(crate) struct WholeWriter {
    file: Option<File>,
    most_bytes: u64,
    whole: Whole,
}

impl WholeWriter {
    /// Creates the file.
    pub(crate) fn create(wanted: &WholeFile) -> io::Result<Self> {
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&wanted.path)?;
        Ok(Self { file: Some(file), most_bytes: wanted.most_bytes, whole: Whole { bytes: 0, is_complete: true } })
    }

    /// Writes to the cache of the system, which is why it may stand in a task of the runtime.
    fn push(&mut self, bytes: &[u8]) {
        let room = usize::try_from(self.most_bytes - self.whole.bytes).unwrap_or(usize::MAX);
        let fitting = bytes.get(..bytes.len().min(room)).unwrap_or_default();
        let is_written = self.file.as_mut().is_some_and(|file| file.write_all(fitting).is_ok());
        if is_written {
            self.whole.bytes += fitting.len() as u64;
        }
        if !is_written || fitting.len() < bytes.len() {
            // A full disk, or enough: what is there stays, and nothing follows behind a gap.
            self.file = None;
            self.whole.is_complete = false;
        }
    }

    /// What there is.
    pub(crate) fn whole(&self) -> Whole {
        self.whole
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
    end: VecDeque<u8>,
    tail: VecDeque<u8>,
    whole: Option<WholeWriter>,
}

/// What is kept of a stream.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Caps {
    /// Of its beginning.
    pub(crate) head: usize,
    /// Of its end, beyond the beginning.
    pub(crate) end: usize,
}

/// One stream while the program runs, shared between the reader and whoever watches.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stream {
    state: Arc<Mutex<State>>,
}

impl Stream {
    /// Reads to the end. Reading never stops at the cap, so the program is never blocked.
    pub(crate) async fn fill(&self, mut source: impl AsyncRead + Unpin, caps: Caps) {
        let mut chunk = vec![0_u8; 16 * 1024];
        // A stream that fails is a stream that ended: there is nothing more to learn from it.
        while let Ok(count @ 1..) = source.read(&mut chunk).await {
            self.push(chunk.get(..count).unwrap_or_default(), caps);
        }
    }

    fn push(&self, bytes: &[u8], caps: Caps) {
        let mut state = self.lock();
        state.captured.total_bytes += bytes.len() as u64;
        if let Some(whole) = &mut state.whole {
            whole.push(bytes);
        }
        let room = caps.head.saturating_sub(state.captured.bytes.len());
        state.captured.bytes.extend(bytes.iter().take(room));
        let rest = bytes.get(room.min(bytes.len())..).unwrap_or_default();
        state.end.extend(rest.iter().skip(rest.len().saturating_sub(caps.end)));
        let excess = state.end.len().saturating_sub(caps.end);
        state.end.drain(..excess);
        state.tail.extend(bytes.iter().skip(bytes.len().saturating_sub(TAIL_BYTES)));
        let excess = state.tail.len().saturating_sub(TAIL_BYTES);
        state.tail.drain(..excess);
    }

    /// Has all that comes written to a file as well.
    pub(crate) fn keep_whole(&self, writer: WholeWriter) {
        self.lock().whole = Some(writer);
    }

    /// What is in that file.
    pub(crate) fn whole(&self) -> Option<Whole> {
        self.lock().whole.as_ref().map(WholeWriter::whole)
    }

    pub(crate) fn total_bytes(&self) -> u64 {
        self.lock().captured.total_bytes
    }

    pub(crate) fn tail(&self) -> String {
        let bytes: Vec<u8> = self.lock().tail.iter().copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    pub(crate) fn take(&self) -> Captured {
        let mut state = self.lock();
        let end = std::mem::take(&mut state.end).into();
        Captured { end, ..std::mem::take(&mut state.captured) }
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
        fn the_beginning_and_the_end_are_kept_and_everything_is_counted(
            chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..20),
            head in 0_usize..2000,
            end in 0_usize..2000,
        ) {
            let stream = Stream::default();
            for chunk in &chunks {
                stream.push(chunk, Caps { head, end });
            }
            let all: Vec<u8> = chunks.concat();
            let captured = stream.take();
            assert_eq!(captured.total_bytes, all.len() as u64);
            let (beginning, rest) = all.split_at(all.len().min(head));
            assert_eq!(captured.bytes, beginning);
            assert_eq!(captured.end, rest[rest.len().saturating_sub(end)..]);
            assert_eq!(captured.is_cut(), all.len() > head + end);
        }
    }

    #[test]
    fn a_character_cut_in_two_is_left_out() {
        let stream = Stream::default();
        stream.push("aäb".as_bytes(), Caps { head: 2, end: 0 });
        assert_eq!(stream.take().text(), "a");
        stream.push(b"a\xffb", Caps { head: 10, end: 0 });
        assert_eq!(stream.take().text(), "a\u{fffd}b");
    }

    #[test]
    fn an_end_that_begins_inside_a_character_begins_with_the_next_one() {
        let stream = Stream::default();
        stream.push("a😀😀b".as_bytes(), Caps { head: 1, end: 7 });
        let captured = stream.take();
        assert_eq!((captured.text(), captured.end_text()), ("a".into(), "😀b".into()));
        stream.push("a😀b".as_bytes(), Caps { head: 3, end: 7 });
        let captured = stream.take();
        assert_eq!((captured.text(), captured.end_text()), ("a😀b".into(), "".into()));
    }

    #[test]
    fn the_tail_is_the_newest_part() {
        let stream = Stream::default();
        stream.push(&[b'x'; TAIL_BYTES], Caps { head: 1, end: 0 });
        stream.push(b"end", Caps { head: 1, end: 0 });
        assert!(stream.tail().ends_with("xend"));
        assert_eq!(stream.tail().len(), TAIL_BYTES);
    }
}
