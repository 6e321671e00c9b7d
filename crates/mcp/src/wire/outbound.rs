//! Writing: one message a line, in the order in which they were sent, by one task.

use std::io;

use rmcp::model::ServerJsonRpcMessage;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// A line to write, and whom to tell when it is written.
#[derive(Debug)]
struct Outgoing {
    line: Vec<u8>,
    written: oneshot::Sender<()>,
}

/// A handle on the writing task. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Outbound {
    lines: mpsc::UnboundedSender<Outgoing>,
}

impl Outbound {
    /// Starts the writing task; it cancels `ended` when the client no longer reads.
    pub(super) fn start<W>(writer: W, ended: CancellationToken, tasks: &TaskTracker) -> Self
    where
        W: AsyncWrite + Send + Unpin + 'static,
    {
        // Not bounded by itself, but by the client: an answer needs a request, and a call sends its next progress
        // only when the one before is written. Queueing without waiting is what keeps the order.
        let (lines, inbox) = mpsc::unbounded_channel();
        tasks.spawn(write(writer, inbox, ended));
        Self { lines }
    }

    /// Queues a message now; the future ends when it is written.
    pub(super) fn send(&self, message: &ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + use<> {
        let queued = serde_json::to_vec(message).map_err(io::Error::from).and_then(|mut line| {
            line.push(b'\n');
            self.queue(line)
        });
        async move { queued?.await.map_err(|_| closed()) }
    }

    /// Waits until everything that was queued before is written.
    pub(super) async fn flush(&self) {
        if let Ok(written) = self.queue(Vec::new()) {
            let _ = written.await;
        }
    }

    fn queue(&self, line: Vec<u8>) -> io::Result<oneshot::Receiver<()>> {
        let (written, done) = oneshot::channel();
        self.lines.send(Outgoing { line, written }).map_err(|_| closed())?;
        Ok(done)
    }
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::BrokenPipe, "the client no longer reads")
}

async fn write<W>(mut writer: W, mut inbox: mpsc::UnboundedReceiver<Outgoing>, ended: CancellationToken)
where
    W: AsyncWrite + Unpin,
{
    while let Some(outgoing) = inbox.recv().await {
        if !outgoing.line.is_empty() {
            let outcome = async {
                writer.write_all(&outgoing.line).await?;
                writer.flush().await
            };
            if let Err(error) = outcome.await {
                tracing::debug!(%error, "cannot write to the client");
                ended.cancel();
                return;
            }
        }
        let _ = outgoing.written.send(());
    }
}
