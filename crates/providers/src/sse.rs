//! Server-sent events, from bytes that may be split anywhere.

use thiserror::Error;

/// The most that one event may hold.
pub const EVENT_LIMIT: usize = 1024 * 1024;

/// One event with data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SseEvent {
    /// Its type; `message` when the server names none.
    pub event: String,
    /// The data lines, joined by line feeds.
    pub data: String,
    /// The last id that the server set.
    pub id: Option<String>,
    /// The reconnection time that the server set, in milliseconds. We never reconnect.
    pub retry_ms: Option<u64>,
}

/// A stream that cannot be read on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SseError {
    /// One event is larger than [`EVENT_LIMIT`].
    #[error("one event of the stream is larger than 1 MiB")]
    EventTooLarge,
    /// A line is not UTF-8.
    #[error("the stream is not UTF-8")]
    NotUtf8,
}

/// Turns bytes into events. After an error it stays failed.
#[derive(Debug, Default)]
pub struct SseParser {
    /// Bytes of the line that is not complete yet.
    line: Vec<u8>,
    /// The last byte was a carriage return, so a line feed belongs to it.
    is_after_carriage_return: bool,
    has_seen_first_line: bool,
    event: String,
    data: String,
    has_data: bool,
    id: Option<String>,
    retry_ms: Option<u64>,
    failed: Option<SseError>,
}

impl SseParser {
    /// A parser at the beginning of a stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next bytes and gives the events that they complete.
    ///
    /// Events that were complete before a fault are lost with it: the stream is not to be trusted then.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<SseEvent>, SseError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let mut events = Vec::new();
        let mut rest = bytes;
        while let Some(&first) = rest.first() {
            if std::mem::take(&mut self.is_after_carriage_return) && first == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let piece = &rest[..end.unwrap_or(rest.len())];
            if self.line.len() + piece.len() + self.data.len() > EVENT_LIMIT {
                return Err(self.fail(SseError::EventTooLarge));
            }
            self.line.extend_from_slice(piece);
            let Some(end) = end else { break };
            self.is_after_carriage_return = rest[end] == b'\r';
            rest = &rest[end + 1..];
            let line = std::mem::take(&mut self.line);
            if let Some(event) = self.take_line(&line)? {
                events.push(event);
            }
        }
        Ok(events)
    }

    /// The event that the end of the stream leaves behind, when the last blank line is missing.
    ///
    /// The standard drops it; providers that forget the blank line after `[DONE]` exist, and the caller decides.
    pub fn finish(&mut self) -> Result<Option<SseEvent>, SseError> {
        let line = std::mem::take(&mut self.line);
        if !line.is_empty() {
            self.take_line(&line)?;
        }
        Ok(self.dispatch())
    }

    fn take_line(&mut self, line: &[u8]) -> Result<Option<SseEvent>, SseError> {
        let mut line = line;
        if !std::mem::replace(&mut self.has_seen_first_line, true) {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        if line.is_empty() {
            return Ok(self.dispatch());
        }
        if line[0] == b':' {
            return Ok(None);
        }
        let Ok(line) = std::str::from_utf8(line) else {
            return Err(self.fail(SseError::NotUtf8));
        };
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if self.has_data {
                    self.data.push('\n');
                }
                self.data.push_str(value);
                self.has_data = true;
            }
            "event" => value.clone_into(&mut self.event),
            "id" if !value.contains('\0') => self.id = Some(value.to_owned()),
            "retry" => {
                let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
                self.retry_ms = digits.then(|| value.parse().ok()).flatten().or(self.retry_ms);
            }
            _ => {}
        }
        Ok(None)
    }

    fn dispatch(&mut self) -> Option<SseEvent> {
        let event = std::mem::take(&mut self.event);
        let data = std::mem::take(&mut self.data);
        if !std::mem::take(&mut self.has_data) || data.is_empty() {
            return None;
        }
        Some(SseEvent {
            event: if event.is_empty() { "message".to_owned() } else { event },
            data,
            id: self.id.clone(),
            retry_ms: self.retry_ms,
        })
    }

    fn fail(&mut self, error: SseError) -> SseError {
        self.failed = Some(error);
        error
    }
}
