//! Frames: one JSON object a line, bounded.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::error::Failure;
use crate::event::Event;
use crate::host::{Hello, Welcome};

/// The longest line either side accepts: a prompt of two million characters, escaped, with room.
pub const MAX_FRAME_BYTES: usize = 32 * 1024 * 1024;

/// How much either side reads at once: a long prompt arrives in a few pieces and not in hundreds.
pub const READ_AT_ONCE: usize = 64 * 1024;

/// What a face sends.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaceFrame {
    /// The greeting; first and once.
    Hello(Hello),
    /// A call.
    Call {
        /// Chosen by the face; unique on this connection.
        id: u64,
        /// The method's wire name.
        method: String,
        /// Its parameters.
        params: Value,
    },
    /// The face no longer wants the answer of a call. Paid work goes on and its result is kept.
    Cancel {
        /// The call.
        id: u64,
    },
}

/// What the host sends.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostFrame {
    /// The answer to the greeting.
    Welcome(Welcome),
    /// The greeting was refused; the connection ends.
    Refused(Failure),
    /// A call's answer.
    Answer {
        /// The call.
        id: u64,
        /// The method's response.
        result: Value,
    },
    /// A call failed.
    Failed {
        /// The call.
        id: u64,
        /// Why.
        failure: Failure,
    },
    /// A call goes on.
    Progress {
        /// The call.
        id: u64,
        /// How far it is.
        progress: crate::plan::RunProgress,
    },
    /// Something happened.
    Event(Event),
}

/// Reads one frame; `None` at the end of the stream.
///
/// # Errors
/// A line over [`MAX_FRAME_BYTES`], a line that is not the expected JSON, or a read error. The
/// connection cannot be used afterwards.
pub async fn read<R, T>(reader: &mut R, line: &mut Vec<u8>) -> std::io::Result<Option<T>>
where
    R: AsyncBufRead + Unpin,
    T: for<'de> Deserialize<'de>,
{
    line.clear();
    let limit = MAX_FRAME_BYTES as u64 + 1;
    let count = (&mut *reader).take(limit).read_until(b'\n', line).await?;
    if count == 0 {
        return Ok(None);
    }
    if line.last() != Some(&b'\n') {
        let reason =
            if count as u64 == limit { "the frame is too long" } else { "the connection ended within a frame" };
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, reason));
    }
    serde_json::from_slice(line).map(Some).map_err(|error| std::io::Error::new(std::io::ErrorKind::InvalidData, error))
}

/// Writes one frame and flushes it.
///
/// # Errors
/// The peer is gone.
pub async fn write<W, T>(writer: &mut W, frame: &T) -> std::io::Result<()>
where
    W: AsyncWrite + Unpin,
    T: Serialize,
{
    let mut line = serde_json::to_vec(frame)?;
    line.push(b'\n');
    writer.write_all(&line).await?;
    writer.flush().await
}

#[cfg(test)]
mod tests {
    use tokio::io::BufReader;

    use super::*;

    #[tokio::test]
    async fn a_frame_survives_the_wire() {
        let mut wire = Vec::new();
        write(&mut wire, &FaceFrame::Cancel { id: 7 }).await.unwrap();
        let mut reader = BufReader::new(wire.as_slice());
        let mut line = Vec::new();
        let frame: Option<FaceFrame> = read(&mut reader, &mut line).await.unwrap();
        assert!(matches!(frame, Some(FaceFrame::Cancel { id: 7 })));
        let end: Option<FaceFrame> = read(&mut reader, &mut line).await.unwrap();
        assert!(end.is_none());
    }

    #[tokio::test]
    async fn a_cut_frame_is_an_error() {
        let mut reader = BufReader::new(&b"{\"cancel\":{\"id\":7}}"[..]);
        let result: std::io::Result<Option<FaceFrame>> = read(&mut reader, &mut Vec::new()).await;
        assert!(result.is_err());
    }
}
