//! Lines of a byte stream, bounded: what is too long is skipped to its end, and only its id is kept.

use rmcp::model::RequestId;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

use super::MAX_LINE_BYTES;
use super::id_scan::IdScan;

/// A buffer that grew beyond this is given back after its line.
const KEPT_CAPACITY: usize = 256 * 1024;

/// One line.
pub(super) enum Line<'a> {
    /// All of it, without the line end.
    Whole(&'a [u8]),
    /// It was longer than [`MAX_LINE_BYTES`]; the id of the request in it, if it has one.
    TooLong(Option<RequestId>),
}

/// Reads lines.
pub(super) struct Lines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader: BufReader::with_capacity(64 * 1024, reader), line: Vec::new() }
    }

    /// The next line; none at the end of the stream. A last line without a line end counts.
    pub(super) async fn next(&mut self) -> std::io::Result<Option<Line<'_>>> {
        self.line.clear();
        if self.line.capacity() > KEPT_CAPACITY {
            self.line = Vec::new();
        }
        let mut scan: Option<IdScan> = None;
        loop {
            let chunk = self.reader.fill_buf().await?;
            let line_end = memchr::memchr(b'\n', chunk);
            let part = &chunk[..line_end.unwrap_or(chunk.len())];
            let used = part.len() + usize::from(line_end.is_some());
            let is_end = chunk.is_empty();
            if let Some(scan) = &mut scan {
                scan.feed(part);
            } else if self.line.len() + part.len() > MAX_LINE_BYTES {
                let mut begun = IdScan::default();
                begun.feed(&self.line);
                begun.feed(part);
                scan = Some(begun);
                self.line = Vec::new();
            } else {
                self.line.extend_from_slice(part);
            }
            self.reader.consume(used);
            if line_end.is_none() && !is_end {
                continue;
            }
            return Ok(match scan {
                Some(scan) => Some(Line::TooLong(scan.id())),
                None if is_end && self.line.is_empty() => None,
                None => Some(Line::Whole(&self.line)),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(input: &[u8]) -> Vec<Result<Vec<u8>, Option<RequestId>>> {
        let mut lines = Lines::new(input);
        let mut seen = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            seen.push(match line {
                Line::Whole(bytes) => Ok(bytes.to_vec()),
                Line::TooLong(id) => Err(id),
            });
        }
        seen
    }

    #[tokio::test]
    async fn lines_are_split_and_a_last_one_without_an_end_counts() {
        assert_eq!(read(b"one\n\ntwo").await, [Ok(b"one".to_vec()), Ok(Vec::new()), Ok(b"two".to_vec())]);
        assert_eq!(read(b"").await, []);
    }

    #[tokio::test]
    async fn mc_24_a_line_that_is_too_long_leaves_its_id_and_the_next_line_is_whole() {
        let mut input = br#"{"jsonrpc":"2.0","params":{"id":1,"text":""#.to_vec();
        input.resize(input.len() + MAX_LINE_BYTES, b'x');
        input.extend_from_slice(b"\"},\"id\":7}\nnext\n");
        assert_eq!(read(&input).await, [Err(Some(RequestId::Number(7))), Ok(b"next".to_vec())]);
    }

    #[tokio::test]
    async fn a_line_of_exactly_the_limit_is_taken() {
        let mut input = vec![b'x'; MAX_LINE_BYTES];
        input.push(b'\n');
        assert!(read(&input).await[0].is_ok());
        input.insert(0, b'x');
        assert_eq!(read(&input).await, [Err(None)]);
    }
}
