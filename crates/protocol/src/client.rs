//! The client half: one connection to the host, many calls at once.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use interprocess::local_socket::tokio::prelude::*;
use interprocess::local_socket::{GenericFilePath, tokio::Stream};
use lwa_domain::ErrorCode;
use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncWrite, BufReader};
use tokio::sync::{broadcast, mpsc, oneshot};

use crate::error::Failure;
use crate::event::Event;
use crate::frame::{self, FaceFrame, HostFrame};
use crate::host::{Hello, Welcome};
use crate::method::Method;
use crate::plan::RunProgress;

/// How long a host may take to greet; one that works does so in a few milliseconds.
const GREETING_LIMIT: Duration = Duration::from_secs(5);

/// Why a call has no answer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum CallError {
    /// The host answered with a failure.
    #[error(transparent)]
    Failed(#[from] Failure),
    /// The connection ended before the answer came.
    #[error("the connection to the host ended")]
    Disconnected,
}

impl CallError {
    /// The failure to show: the host's own, or one that says the host is gone.
    pub fn into_failure(self) -> Failure {
        match self {
            Self::Failed(failure) => failure,
            Self::Disconnected => Failure::new(ErrorCode::HostUnreachable, "the host ended before it answered")
                .hint("repeat the call; the host is started again by itself"),
        }
    }
}

enum Order {
    Call {
        method: &'static str,
        params: Value,
        reply: oneshot::Sender<Result<Value, Failure>>,
        progress: Option<mpsc::Sender<RunProgress>>,
        id: oneshot::Sender<u64>,
    },
    Cancel(u64),
}

/// A connection to the host. Cheap to clone; the last clone closes it.
#[derive(Debug, Clone)]
pub struct Connection {
    orders: mpsc::Sender<Order>,
    events: broadcast::Sender<Event>,
    welcome: Welcome,
}

/// Tells the host that an answer is no longer wanted, unless the answer came.
struct CancelOnDrop {
    id: Option<u64>,
    orders: mpsc::Sender<Order>,
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if let Some(id) = self.id {
            // A full queue means the connection is stuck; the host notices its end either way.
            let _ = self.orders.try_send(Order::Cancel(id));
        }
    }
}

impl Connection {
    /// Connects to the socket and greets.
    ///
    /// # Errors
    /// Nobody listens, the listener belongs to another user, does not greet in time, or refused the greeting.
    pub async fn open(socket: &Path, hello: Hello) -> Result<Self, Failure> {
        Self::open_within(socket, hello, GREETING_LIMIT).await
    }

    /// [`Connection::open`] with another limit on the greeting.
    ///
    /// # Errors
    /// As there.
    pub async fn open_within(socket: &Path, hello: Hello, limit: Duration) -> Result<Self, Failure> {
        tokio::time::timeout(limit, Self::greet(socket, hello)).await.unwrap_or_else(|_| {
            Err(Failure::new(
                ErrorCode::HostUnreachable,
                format!("the host did not greet within {} ms", limit.as_millis()),
            )
            .hint("it may be stuck; end it with `lwa stop`, or by the process id in its lock file"))
        })
    }

    async fn greet(socket: &Path, hello: Hello) -> Result<Self, Failure> {
        let unreachable = |error: std::io::Error| {
            Failure::new(ErrorCode::HostUnreachable, format!("cannot reach the host: {error}"))
                .hint("start it with `lwa host`")
        };
        let name = socket.to_fs_name::<GenericFilePath>().map_err(unreachable)?;
        let stream = Stream::connect(name).await.map_err(unreachable)?;
        let creds = stream.peer_creds().map_err(unreachable)?;
        if creds.euid() != Some(rustix::process::geteuid().as_raw()) {
            return Err(Failure::new(ErrorCode::HostUnreachable, "the socket of the host belongs to another user"));
        }
        let (receiver, mut sender) = tokio::io::split(stream);
        let mut reader = BufReader::with_capacity(frame::READ_AT_ONCE, receiver);
        frame::write(&mut sender, &FaceFrame::Hello(hello)).await.map_err(unreachable)?;
        let mut line = Vec::new();
        let first: Option<HostFrame> = frame::read(&mut reader, &mut line).await.map_err(unreachable)?;
        let welcome = match first {
            Some(HostFrame::Welcome(welcome)) => welcome,
            Some(HostFrame::Refused(failure)) => return Err(failure),
            _ => {
                return Err(Failure::new(
                    ErrorCode::HostUnreachable,
                    "the host closed the connection without a greeting",
                ));
            }
        };
        let (orders, inbox) = mpsc::channel(64);
        let (events, _) = broadcast::channel(256);
        tokio::spawn(serve(reader, sender, inbox, events.clone()));
        Ok(Self { orders, events, welcome })
    }

    /// What the host said of itself.
    pub fn welcome(&self) -> &Welcome {
        &self.welcome
    }

    /// Whether the connection has ended.
    pub fn is_closed(&self) -> bool {
        self.orders.is_closed()
    }

    /// Waits until the connection ends.
    pub async fn closed(&self) {
        self.orders.closed().await;
    }

    /// Events from now on; none arrive before `event/subscribe` was called.
    pub fn events(&self) -> broadcast::Receiver<Event> {
        self.events.subscribe()
    }

    /// Calls a method and waits for its answer. Dropping the future cancels the wait in the host.
    ///
    /// # Errors
    /// The host's failure, or the end of the connection.
    pub async fn call<M: Method>(&self, params: M::Params) -> Result<M::Response, CallError> {
        self.call_with_progress::<M>(params, None).await
    }

    /// As [`Self::call`], with a channel for progress.
    ///
    /// # Errors
    /// The host's failure, or the end of the connection.
    pub async fn call_with_progress<M: Method>(
        &self,
        params: M::Params,
        progress: Option<mpsc::Sender<RunProgress>>,
    ) -> Result<M::Response, CallError> {
        let params = serde_json::to_value(params).map_err(|error| internal(M::NAME, &error))?;
        let result = self.call_raw(M::NAME, params, progress).await?;
        serde_json::from_value(result).map_err(|error| internal(M::NAME, &error).into())
    }

    /// Calls a method by its wire name, with JSON in and out; for doors that pass calls through.
    ///
    /// # Errors
    /// The host's failure, or the end of the connection.
    pub async fn call_raw(
        &self,
        method: &'static str,
        params: Value,
        progress: Option<mpsc::Sender<RunProgress>>,
    ) -> Result<Value, CallError> {
        let (reply, answer) = oneshot::channel();
        let (id_sender, id) = oneshot::channel();
        let order = Order::Call { method, params, reply, progress, id: id_sender };
        self.orders.send(order).await.map_err(|_| CallError::Disconnected)?;
        let mut guard = CancelOnDrop { id: None, orders: self.orders.clone() };
        guard.id = id.await.ok();
        let outcome = answer.await.map_err(|_| CallError::Disconnected);
        guard.id = None;
        Ok(outcome??)
    }
}

fn internal(method: &str, error: &serde_json::Error) -> Failure {
    Failure::new(ErrorCode::ProtocolMismatch, format!("the host's answer to `{method}` has another shape: {error}"))
        .hint("the host and this program are of different versions; run `lwa stop` and try again")
}

struct Pending {
    reply: oneshot::Sender<Result<Value, Failure>>,
    progress: Option<mpsc::Sender<RunProgress>>,
}

/// Owns the stream until either side ends. Dropping the pending replies tells every waiting caller.
async fn serve<R, W>(mut reader: R, mut writer: W, mut inbox: mpsc::Receiver<Order>, events: broadcast::Sender<Event>)
where
    R: AsyncBufRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let (frames, mut incoming) = mpsc::channel::<HostFrame>(64);
    // Reading has a task of its own, because a read that is dropped halfway loses bytes.
    let reading = tokio::spawn(async move {
        let mut line = Vec::new();
        while let Ok(Some(frame)) = frame::read(&mut reader, &mut line).await {
            if frames.send(frame).await.is_err() {
                break;
            }
        }
    });
    let mut pending: HashMap<u64, Pending> = HashMap::new();
    let mut next_id = 0;
    loop {
        tokio::select! {
            order = inbox.recv() => {
                let outgoing = match order {
                    Some(Order::Call { method, params, reply, progress, id }) => {
                        next_id += 1;
                        pending.insert(next_id, Pending { reply, progress });
                        let _ = id.send(next_id);
                        FaceFrame::Call { id: next_id, method: method.to_owned(), params }
                    }
                    Some(Order::Cancel(id)) => {
                        if pending.remove(&id).is_none() {
                            continue;
                        }
                        FaceFrame::Cancel { id }
                    }
                    None => break,
                };
                if frame::write(&mut writer, &outgoing).await.is_err() {
                    break;
                }
            }
            frame = incoming.recv() => match frame {
                Some(HostFrame::Answer { id, result }) => {
                    if let Some(call) = pending.remove(&id) {
                        let _ = call.reply.send(Ok(result));
                    }
                }
                Some(HostFrame::Failed { id, failure }) => {
                    if let Some(call) = pending.remove(&id) {
                        let _ = call.reply.send(Err(failure));
                    }
                }
                Some(HostFrame::Progress { id, progress }) => {
                    if let Some(channel) = pending.get(&id).and_then(|call| call.progress.as_ref()) {
                        // A caller that does not read its progress loses some, not the call.
                        let _ = channel.try_send(progress);
                    }
                }
                Some(HostFrame::Event(event)) => {
                    let _ = events.send(event);
                }
                Some(HostFrame::Welcome(_) | HostFrame::Refused(_)) | None => break,
            },
        }
    }
    reading.abort();
}
