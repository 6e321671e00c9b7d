//! MCP on a pair of byte streams: one JSON-RPC message a line, bounded, checked, and cleanly ended.
//!
//! The SDK's own transport drops a line that is too long without an answer, reads a malformed request as an unknown
//! method, and lets a reply overtake a cancellation. This one does not.

mod id_scan;
mod inbound;
mod lines;
mod open_calls;
mod outbound;
mod transport;

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::ClientJsonRpcMessage;
use rmcp::service::serve_directly;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::inbound::{Gate, Inbound};
use self::lines::{Line, Lines};
use self::open_calls::OpenCalls;
use self::outbound::Outbound;
use self::transport::{Slot, WireTransport};
use crate::face::Face;

/// The longest line that is taken. The SDK's own limit is twice that, so that this one is the one that speaks.
pub const MAX_LINE_BYTES: usize = 8 * 1024 * 1024;

/// How long calls in flight may take once the client has closed its end; with the flush it stays under half a second.
const DRAIN: Duration = Duration::from_millis(400);
const FLUSH: Duration = Duration::from_millis(40);

/// A client's two streams, read and written by tasks of their own.
#[derive(Debug)]
pub struct Wire {
    incoming: Slot,
    outbound: Outbound,
    calls: Arc<OpenCalls>,
    ended: CancellationToken,
    tasks: TaskTracker,
}

impl Wire {
    /// Starts reading and writing. Has to be called within a runtime.
    pub fn start<R, W>(reader: R, writer: W) -> Self
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let tasks = TaskTracker::new();
        let ended = CancellationToken::new();
        let calls = Arc::new(OpenCalls::default());
        let outbound = Outbound::start(writer, ended.clone(), &tasks);
        // A full queue stops the reading, and with it the client.
        let (messages, incoming) = mpsc::channel(64);
        let reading = read(Lines::new(reader), messages, outbound.clone(), Arc::clone(&calls));
        let over = ended.clone();
        tasks.spawn(async move {
            tokio::select! {
                () = reading => over.cancel(),
                () = over.cancelled() => {}
            }
        });
        tasks.close();
        Self { incoming: Slot::new(incoming), outbound, calls, ended, tasks }
    }

    /// Cancelled when the client has closed its end, or no longer reads ours.
    pub fn ended(&self) -> CancellationToken {
        self.ended.clone()
    }

    fn transport(&self) -> Option<WireTransport> {
        WireTransport::take(&self.incoming, self.outbound.clone(), Arc::clone(&self.calls))
    }
}

/// Serves a client until it closes its end. Answers that are ready in time are still written.
///
/// An error of the SDK's loop never ends the process: some clients give up on a server for good when it does.
pub async fn serve(face: Face, wire: Wire) {
    let ended = wire.ended();
    while let Some(transport) = wire.transport() {
        let running = serve_directly(face.clone(), transport, None);
        let waiting = running.waiting();
        tokio::pin!(waiting);
        tokio::select! {
            quit = &mut waiting => {
                if ended.is_cancelled() {
                    break;
                }
                tracing::warn!(?quit, "the message loop ended early and starts again");
            }
            () = ended.cancelled() => {
                let deadline = Instant::now() + DRAIN;
                if timeout_at(deadline, &mut waiting).await.is_err() {
                    tracing::info!("calls that were still in flight are given up");
                }
                break;
            }
        }
    }
    let _ = timeout_at(Instant::now() + FLUSH, wire.outbound.flush()).await;
    drop(wire.outbound);
    let _ = timeout_at(Instant::now() + FLUSH, wire.tasks.wait()).await;
}

/// Reads lines to the end of the stream, answers what is no message, and passes on the rest.
async fn read<R: AsyncRead + Unpin>(
    mut lines: Lines<R>,
    messages: mpsc::Sender<ClientJsonRpcMessage>,
    outbound: Outbound,
    calls: Arc<OpenCalls>,
) {
    let mut gate = Gate::default();
    loop {
        let inbound = match lines.next().await {
            Ok(Some(Line::Whole(line))) => gate.admit(line),
            Ok(Some(Line::TooLong(id))) => inbound::too_long(id),
            Ok(None) => return,
            Err(error) => {
                tracing::warn!(%error, "cannot read from the client");
                return;
            }
        };
        match inbound {
            Inbound::Message(message) => {
                calls.note(&message);
                if messages.send(*message).await.is_err() {
                    return;
                }
            }
            Inbound::Refused(answer) => {
                if outbound.send(&answer).await.is_err() {
                    return;
                }
            }
            Inbound::Skipped(reason) => tracing::info!("skipped a message: {reason}"),
            Inbound::Garbage(bytes) => tracing::warn!(bytes, "skipped a line that is no JSON"),
            Inbound::Blank => {}
        }
    }
}
