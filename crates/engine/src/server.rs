//! The socket server: peers are checked, greeted and served; the host ends when it is not needed.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::Context;
use interprocess::local_socket::tokio::prelude::*;
use interprocess::local_socket::{GenericFilePath, ListenerOptions, tokio::Stream};
use lwa_domain::{ClientName, ErrorCode};
use lwa_protocol::frame::{self, FaceFrame, HostFrame};
use lwa_protocol::host::ClientInfo;
use lwa_protocol::method::{
    EventSubscribe, HostIdentify, HostStop, PlanApprove, PlanRun, WorkerArtifact, WorkerCompact, WorkerDelegate,
    WorkerDisclose, WorkerEnable, WorkerRun, WorkerSetMode,
};
use lwa_protocol::{Event, Failure, Hello, Method, PROTOCOL, Role, Welcome};
use tokio::io::{AsyncBufRead, AsyncWrite, BufReader};
use tokio::sync::{Semaphore, broadcast, mpsc};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::caller::Caller;
use crate::dispatch::nothing;
use crate::engine::Engine;
use crate::peer::{Process, granted_role};
use crate::surfaces::Attendance;
use crate::{failure, tokens};

/// How long a peer may take to greet.
const GREETING_LIMIT: Duration = Duration::from_secs(5);
/// How long a peer may take to read what it is sent. One that stands still longer is gone: it would
/// hold what it was sent in memory, and count as a window that can ask a human.
const WRITE_LIMIT: Duration = Duration::from_secs(30);
/// How long the faces may take to read the last events when the host ends.
const FAREWELL_LIMIT: Duration = Duration::from_millis(300);
/// Calls of one connection that may run at once; more wait their turn.
const MAX_CALLS: usize = 64;
/// Calls of one connection that may run or wait; more are refused.
const MAX_OPEN_CALLS: usize = 512;

/// Calls that wait for work or for a human, and end with their caller; the work itself decides what becomes of it.
const WAITS: [&str; 9] = [
    PlanApprove::NAME,
    PlanRun::NAME,
    WorkerRun::NAME,
    WorkerDelegate::NAME,
    WorkerArtifact::NAME,
    WorkerEnable::NAME,
    WorkerDisclose::NAME,
    WorkerCompact::NAME,
    WorkerSetMode::NAME,
];

/// How to serve.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// The socket's path.
    pub socket: PathBuf,
    /// How long to stay when nobody is connected; none means for ever.
    pub idle_exit: Option<Duration>,
    /// Ends the serving from outside: a signal.
    pub stop: CancellationToken,
}

/// Listens on the socket and serves until told to stop or nobody was there for long enough.
///
/// `ready` is called once the socket listens.
///
/// # Errors
/// The socket cannot be made.
pub async fn serve(engine: &Engine, options: &ServeOptions, ready: impl FnOnce()) -> anyhow::Result<()> {
    let listener =
        listen(&options.socket).with_context(|| format!("cannot listen on `{}`", options.socket.display()))?;
    ready();
    let next_connection = AtomicU64::new(1);
    let closing = CancellationToken::new();
    let mut faces = JoinSet::new();
    let mut changes = engine.surfaces.changes();
    loop {
        let idle_limit = options.idle_exit.filter(|_| faces.is_empty() && engine.surfaces.len() == 0);
        let idle = async move {
            match idle_limit {
                Some(limit) => sleep(limit).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = options.stop.cancelled() => break,
            () = engine.stopping.cancelled() => break,
            () = idle => {
                tracing::info!("nobody is connected any more; ending");
                break;
            }
            _ = changes.changed() => {}
            Some(_) = faces.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok(stream) => {
                    let connection = next_connection.fetch_add(1, Ordering::Relaxed);
                    let engine = engine.clone();
                    let ends = Ends { stop: options.stop.clone(), closing: closing.clone() };
                    faces.spawn(async move {
                        if let Err(error) = welcome_and_serve(&engine, stream, connection, &ends).await {
                            tracing::debug!(%error, connection, "a connection ended");
                        }
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    sleep(Duration::from_millis(50)).await;
                }
            }
        }
    }
    // The faces get the last events, so that they know this end for a wanted one, and then the end of
    // the stream. One that does not read is not waited for.
    engine.emit(Event::HostStopping);
    closing.cancel();
    let farewell = async { while faces.join_next().await.is_some() {} };
    let _ = timeout(FAREWELL_LIMIT, farewell).await;
    faces.shutdown().await;
    let _ = std::fs::remove_file(&options.socket);
    Ok(())
}

fn listen(socket: &Path) -> io::Result<interprocess::local_socket::tokio::Listener> {
    // The lock says that no other host runs, so a file that is there is left from one that was killed.
    match std::fs::remove_file(socket) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let name = socket.to_fs_name::<GenericFilePath>()?;
    let listener = ListenerOptions::new().name(name).create_tokio()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(socket, std::fs::Permissions::from_mode(0o600))?;
    }
    Ok(listener)
}

async fn welcome_and_serve(engine: &Engine, stream: Stream, connection: u64, ends: &Ends) -> io::Result<()> {
    let creds = stream.peer_creds()?;
    if creds.euid() != Some(rustix::process::geteuid().as_raw()) {
        tracing::warn!(connection, "a peer of another user was turned away");
        return Ok(());
    }
    let process = creds.pid().and_then(|pid| u32::try_from(pid).ok()).map(Process::inspect);
    let (receiver, mut sender) = tokio::io::split(stream);
    let mut reader = BufReader::with_capacity(frame::READ_AT_ONCE, receiver);
    let mut line = Vec::new();
    let greeting = timeout(GREETING_LIMIT, frame::read::<_, FaceFrame>(&mut reader, &mut line)).await;
    let Ok(Ok(Some(FaceFrame::Hello(hello)))) = greeting else {
        let refusal = Failure::new(ErrorCode::ProtocolMismatch, "the connection did not begin with a greeting");
        return frame::write(&mut sender, &HostFrame::Refused(refusal)).await;
    };
    if hello.protocol != PROTOCOL && hello.protocol + 1 != PROTOCOL {
        let message = format!("this program speaks protocol {} and the running host speaks {PROTOCOL}", hello.protocol);
        let refusal =
            Failure::new(ErrorCode::ProtocolMismatch, message).hint("run `lwa stop`, then start the newer version");
        return frame::write(&mut sender, &HostFrame::Refused(refusal)).await;
    }
    let caller = match caller_of(engine, &hello, connection, process) {
        Ok(caller) => caller,
        Err(failure) => return frame::write(&mut sender, &HostFrame::Refused(failure)).await,
    };
    let welcome = Welcome {
        protocol: PROTOCOL,
        product: env!("CARGO_PKG_VERSION").to_owned(),
        pid: std::process::id(),
        role: caller.role,
    };
    frame::write(&mut sender, &HostFrame::Welcome(welcome)).await?;
    let attendance = engine.attend(&caller, &hello.product);
    Face { engine, caller, ends, attendance: &attendance }.serve(reader, sender).await
}

fn caller_of(engine: &Engine, hello: &Hello, connection: u64, process: Option<Process>) -> Result<Caller, Failure> {
    let role = granted_role(hello.role, process.as_ref(), &engine.program_folder);
    if role != hello.role {
        tracing::warn!(connection, asked = ?hello.role, "a peer asked for a role that its program does not have");
    }
    Ok(Caller { connection, role, client: tidy(&hello.client), session: tokens::session_id()?, process })
}

/// A client's own words, cut to what a log, a window and a database row can bear.
fn tidy(client: &ClientInfo) -> ClientInfo {
    let cut = |text: &str, limit: usize| -> String { text.chars().filter(|c| !c.is_control()).take(limit).collect() };
    let name = cut(client.name.as_str(), 80);
    ClientInfo {
        name: ClientName::new(if name.trim().is_empty() { "unnamed client".to_owned() } else { name }),
        version: client.version.as_deref().map(|version| cut(version, 40)),
        cwd: client.cwd.as_deref().map(|cwd| cut(cwd, 400)),
    }
}

struct Face<'a> {
    engine: &'a Engine,
    caller: Caller,
    ends: &'a Ends,
    attendance: &'a Attendance,
}

/// How the serving ends: what a face may ask for, and what is told to every face.
struct Ends {
    stop: CancellationToken,
    closing: CancellationToken,
}

impl Face<'_> {
    async fn serve<R, W>(mut self, reader: R, mut writer: W) -> io::Result<()>
    where
        R: AsyncBufRead + Unpin + Send + 'static,
        W: AsyncWrite + Unpin + Send,
    {
        let mut incoming = read_frames(reader);
        let (outgoing, mut frames) = mpsc::channel::<HostFrame>(64);
        let mut events: Option<broadcast::Receiver<Event>> = None;
        let mut calls = JoinSet::new();
        let mut running: HashMap<u64, AbortHandle> = HashMap::new();
        let turns = Arc::new(Semaphore::new(MAX_CALLS));
        loop {
            tokio::select! {
                received = incoming.recv() => match received {
                    Some(FaceFrame::Call { id, method, params }) => {
                        let reply = match method.as_str() {
                            HostIdentify::NAME => self.identify(params),
                            EventSubscribe::NAME => Engine::admit_connection_call::<EventSubscribe>(&self.caller, params).map(|_| {
                                events.get_or_insert_with(|| self.attendance.subscribe());
                                nothing()
                            }),
                            HostStop::NAME => Engine::admit_connection_call::<HostStop>(&self.caller, params).map(|_| {
                                self.ends.stop.cancel();
                                nothing()
                            }),
                            _ if calls.len() >= MAX_OPEN_CALLS => Err(too_many_calls()),
                            _ => {
                                let call = Call { engine: self.engine.clone(), caller: self.caller.clone(), outgoing: outgoing.clone() };
                                let turns = turns.clone();
                                let served = async move {
                                    // Waiting does not keep a cancellation or the peer's end from being heard.
                                    let _turn = turns.acquire().await;
                                    call.serve(id, method, params).await
                                };
                                running.insert(id, calls.spawn(served));
                                continue;
                            }
                        };
                        write(&mut writer, &finished(id, reply)).await?;
                    }
                    Some(FaceFrame::Cancel { id }) => {
                        if let Some(call) = running.remove(&id) {
                            call.abort();
                        }
                    }
                    // A second greeting is a fault of the peer.
                    Some(FaceFrame::Hello(_)) | None => return Ok(()),
                },
                () = self.ends.closing.cancelled() => {
                    while let Ok(frame) = frames.try_recv() {
                        write(&mut writer, &frame).await?;
                    }
                    while let Some(Ok(event)) = events.as_mut().map(broadcast::Receiver::try_recv) {
                        write(&mut writer, &HostFrame::Event(event)).await?;
                    }
                    return Ok(());
                }
                Some(done) = calls.join_next() => {
                    if let Ok(id) = done {
                        running.remove(&id);
                    }
                }
                Some(frame) = frames.recv() => write(&mut writer, &frame).await?,
                event = next_event(&mut events) => write(&mut writer, &HostFrame::Event(event)).await?,
            }
        }
    }

    fn identify(&mut self, params: serde_json::Value) -> Result<serde_json::Value, Failure> {
        let params = Engine::admit_connection_call::<HostIdentify>(&self.caller, params)?;
        // Only an agent has somebody else to speak for.
        if self.caller.role == Role::Sidecar {
            self.caller.client = tidy(&params.client);
            self.engine.surfaces.identify(&self.caller);
            self.engine.emit(Event::HostChanged);
        }
        Ok(nothing())
    }
}

/// Writes a frame to a peer that reads.
async fn write<W: AsyncWrite + Unpin>(writer: &mut W, frame: &HostFrame) -> io::Result<()> {
    let slow = |_| io::Error::new(io::ErrorKind::TimedOut, "the peer does not read what it is sent");
    timeout(WRITE_LIMIT, frame::write(writer, frame)).await.map_err(slow)?
}

fn too_many_calls() -> Failure {
    Failure::new(ErrorCode::InvalidInput, format!("this connection has {MAX_OPEN_CALLS} calls open already"))
        .hint("wait for some of them to end")
}

struct Call {
    engine: Engine,
    caller: Caller,
    outgoing: mpsc::Sender<HostFrame>,
}

impl Call {
    /// Serves one call and gives its id back, so that it can be forgotten.
    async fn serve(self, id: u64, method: String, params: serde_json::Value) -> u64 {
        let (progress, mut steps) = mpsc::channel(8);
        // Only a wait ends with its caller. Whatever else was begun is done to its end, since half of a
        // change would be told to nobody.
        let is_wait = WAITS.contains(&method.as_str());
        let work = {
            let engine = self.engine.clone();
            let caller = self.caller.clone();
            // A task of its own, so that a fault in one call does not end the connection.
            self.engine.tasks.spawn(async move { engine.call(&caller, &method, params, Some(progress)).await })
        };
        let work = AbortOnDrop { work, is_wait };
        let forward = async {
            while let Some(progress) = steps.recv().await {
                if self.outgoing.send(HostFrame::Progress { id, progress }).await.is_err() {
                    break;
                }
            }
            std::future::pending::<()>().await;
        };
        let mut work = work;
        let result = tokio::select! {
            result = &mut work.work => result.unwrap_or_else(|error| {
                tracing::error!(%error, "a call failed unexpectedly");
                Err(failure::unexpected())
            }),
            () = forward => unreachable_forward(),
        };
        // The peer is gone when this fails; nobody is left to tell.
        let _ = self.outgoing.send(finished(id, result)).await;
        id
    }
}

fn unreachable_forward() -> Result<serde_json::Value, Failure> {
    Err(Failure::new(ErrorCode::Internal, "progress ended before the call"))
}

struct AbortOnDrop<T> {
    work: tokio::task::JoinHandle<T>,
    is_wait: bool,
}

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        if self.is_wait {
            self.work.abort();
        }
    }
}

fn finished(id: u64, result: Result<serde_json::Value, Failure>) -> HostFrame {
    match result {
        Ok(result) => HostFrame::Answer { id, result },
        Err(failure) => HostFrame::Failed { id, failure },
    }
}

/// Reads in a task of its own, because a read that is dropped halfway loses bytes.
fn read_frames<R>(mut reader: R) -> mpsc::Receiver<FaceFrame>
where
    R: AsyncBufRead + Unpin + Send + 'static,
{
    let (sender, receiver) = mpsc::channel(16);
    tokio::spawn(async move {
        let mut line = Vec::new();
        loop {
            let frame = tokio::select! {
                frame = frame::read::<_, FaceFrame>(&mut reader, &mut line) => frame,
                () = sender.closed() => break,
            };
            match frame {
                Ok(Some(frame)) => {
                    if sender.send(frame).await.is_err() {
                        break;
                    }
                }
                Ok(None) => break,
                Err(error) => {
                    tracing::warn!(%error, "a peer sent something that is no frame");
                    break;
                }
            }
        }
    });
    receiver
}

/// The next event for a subscriber; one that fell behind is told to read everything again.
async fn next_event(events: &mut Option<broadcast::Receiver<Event>>) -> Event {
    let Some(receiver) = events else { return std::future::pending().await };
    match receiver.recv().await {
        Ok(event) => event,
        Err(broadcast::error::RecvError::Lagged(_)) => Event::Lagged,
        Err(broadcast::error::RecvError::Closed) => std::future::pending().await,
    }
}

/// The path of a running program's folder, links resolved, as peers are compared with.
///
/// # Errors
/// The system does not tell.
pub fn program_folder() -> io::Result<Arc<Path>> {
    let program = std::env::current_exe()?.canonicalize()?;
    program.parent().map(Arc::from).ok_or_else(|| io::Error::other("the program has no folder"))
}
