//! A program that runs, from its start to the end of everything that it started.

use std::path::Path;
use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe;
use tokio::process::{Child, ChildStdin, Command};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use crate::capture::{Caps, Stream, WholeWriter};
use crate::error::ProcessError;
use crate::outcome::{End, Outcome};
use crate::program::{Input, Limits, Program, Streams};
use crate::sandbox::SandboxReport;
use crate::tree::{Ended, MARK_NAME, Tree, fresh_mark};

/// How long output may still come after the program itself has ended, as from the end of a pipe.
const LINGER: Duration = Duration::from_millis(250);

/// The first pause between two looks at the children; it doubles up to [`SLOWEST_LOOK`].
const FIRST_LOOK: Duration = Duration::from_millis(5);

/// The longest pause between two looks at the children.
const SLOWEST_LOOK: Duration = Duration::from_millis(250);

/// A started program. Dropping it ends the whole tree at once and by force.
#[derive(Debug)]
pub struct Running {
    started: Started,
    input: Input,
    limits: Limits,
    watch: Watch,
    began: Instant,
}

/// Kept together so that the tree is ended before the program's id can be given to another.
#[derive(Debug)]
struct Started {
    tree: Tree,
    child: Child,
    /// Both streams, when they are one.
    joined: Option<pipe::Receiver>,
    sandbox: SandboxReport,
}

/// A cheap handle to look at a run from outside.
#[derive(Debug, Clone, Default)]
pub struct Watch {
    stdout: Stream,
    stderr: Stream,
}

impl Watch {
    /// How many bytes came so far, on standard output and on standard error.
    pub fn bytes_so_far(&self) -> (u64, u64) {
        (self.stdout.total_bytes(), self.stderr.total_bytes())
    }

    /// The newest part of standard output, at most eight kilobytes.
    pub fn stdout_tail(&self) -> String {
        self.stdout.tail()
    }

    /// The newest part of standard error, at most eight kilobytes.
    pub fn stderr_tail(&self) -> String {
        self.stderr.tail()
    }
}

/// Why the wait for the program was over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    Ended,
    TimedOut,
    Cancelled,
}

impl Running {
    pub(crate) async fn start(program: Program) -> Result<Self, ProcessError> {
        check_folder(&program.folder)?;
        let began = Instant::now();
        let mut input = Input::Closed;
        let limits = program.limits;
        let watch = Watch::default();
        if let Some(wanted) = &program.whole_output {
            let failed = |source| ProcessError::WholeOutput { path: wanted.path.clone(), source };
            watch.stdout.keep_whole(WholeWriter::create(wanted).map_err(failed)?);
        }
        let started = match &program.sandbox {
            None => spawn(&program, SandboxReport::none())?,
            Some(_) => spawn_on_own_thread(&program).await?,
        };
        if let Input::Bytes(_) = program.input {
            input = program.input;
        }
        Ok(Self { started, input, limits, watch, began })
    }

    /// The id of the program itself.
    pub fn pid(&self) -> Option<u32> {
        self.started.child.id()
    }

    /// Which parts of the sandbox are in force.
    pub fn sandbox(&self) -> SandboxReport {
        self.started.sandbox
    }

    /// A handle to look at the output while it comes.
    pub fn watch(&self) -> Watch {
        self.watch.clone()
    }

    /// Feeds it, reads it, and waits for its end, its deadline or the cancellation; then ends what is
    /// left of the tree.
    pub async fn finish(self, cancel: &CancellationToken) -> Outcome {
        let Self { mut started, input, limits, watch, began } = self;
        let deadline = began + limits.time;
        let streams = (started.child.stdin.take(), started.child.stdout.take(), started.child.stderr.take());
        let (stdin, stdout, stderr) = streams;
        let joined = started.joined.take();
        let caps = Caps { head: limits.output_bytes, end: limits.end_bytes };
        let mut pump = pin!(async {
            let read_stdout = async {
                match (joined, stdout) {
                    (Some(joined), _) => watch.stdout.fill(joined, caps).await,
                    (None, Some(stdout)) => watch.stdout.fill(stdout, caps).await,
                    (None, None) => {}
                }
            };
            let read_stderr = async {
                if let Some(stderr) = stderr {
                    watch.stderr.fill(stderr, caps).await;
                }
            };
            tokio::join!(feed(stdin, input), read_stdout, read_stderr);
        });

        let mut is_pumped = false;
        let cause = {
            let mut ending = pin!(until_ended(&mut started.child));
            let mut pause = FIRST_LOOK;
            loop {
                tokio::select! {
                    () = &mut pump, if !is_pumped => is_pumped = true,
                    () = &mut ending => break Cause::Ended,
                    () = sleep_until(deadline) => break Cause::TimedOut,
                    () = cancel.cancelled() => break Cause::Cancelled,
                    () = sleep(pause) => {
                        started.tree.note();
                        pause = (pause * 2).min(SLOWEST_LOOK);
                    }
                }
            }
        };
        // A pipe inside the program's own command line may still hold the last lines.
        if cause == Cause::Ended && !is_pumped {
            let linger = LINGER.min(deadline.saturating_duration_since(Instant::now()));
            tokio::select! {
                () = &mut pump => is_pumped = true,
                () = sleep(linger) => {}
                () = cancel.cancelled() => {}
            }
        }
        let ended = if is_pumped {
            started.tree.end(limits.grace).await
        } else {
            // Whoever is asked to end may have something to say, and must not be blocked saying it.
            let mut ending = pin!(started.tree.end(limits.grace));
            let ended = loop {
                tokio::select! {
                    ended = &mut ending => break ended,
                    () = &mut pump, if !is_pumped => is_pumped = true,
                }
            };
            if !is_pumped {
                // Only a survivor can still hold the other end.
                let _ = timeout(LINGER, &mut pump).await;
            }
            ended
        };
        let end = started.reap(cause, ended).await;
        Outcome {
            end,
            stdout: watch.stdout.take(),
            stderr: watch.stderr.take(),
            whole_output: watch.stdout.whole(),
            duration: began.elapsed(),
            sandbox: started.sandbox,
            ended_stragglers: ended.stragglers,
            survivors: ended.survivors,
        }
    }
}

impl Started {
    /// Takes the status of the ended program from the system.
    async fn reap(&mut self, cause: Cause, ended: Ended) -> End {
        let status =
            if ended.survivors == 0 { self.child.wait().await.ok() } else { self.child.try_wait().ok().flatten() };
        match cause {
            Cause::TimedOut => End::TimedOut,
            Cause::Cancelled => End::Cancelled,
            Cause::Ended => status.map_or(End::Unknown, end_of),
        }
    }
}

fn end_of(status: ExitStatus) -> End {
    use std::os::unix::process::ExitStatusExt;

    match (status.code(), status.signal()) {
        (Some(code), _) => End::Exited(code),
        (None, Some(signal)) => End::Signalled(signal),
        (None, None) => End::Unknown,
    }
}

fn check_folder(folder: &Path) -> Result<(), ProcessError> {
    let failed = |source| ProcessError::Folder { path: folder.to_owned(), source };
    let metadata = std::fs::metadata(folder).map_err(failed)?;
    if metadata.is_dir() { Ok(()) } else { Err(failed(std::io::ErrorKind::NotADirectory.into())) }
}

fn spawn(program: &Program, sandbox: SandboxReport) -> Result<Started, ProcessError> {
    let failed = |source| ProcessError::Start { program: program.path.clone(), source };
    let mark = fresh_mark();
    let mut command = Command::new(&program.path);
    command
        .args(&program.arguments)
        .current_dir(&program.folder)
        .env_clear()
        .envs(program.environment.variables())
        .env(MARK_NAME, &mark)
        .stdin(match &program.input {
            Input::Closed => Stdio::null(),
            Input::Bytes(_) => Stdio::piped(),
            Input::Fed(end) => end.stdio().map_err(failed)?,
        })
        .process_group(0)
        .kill_on_drop(true);
    let joined = match program.streams {
        Streams::Apart => {
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            None
        }
        Streams::Together => {
            let (reader, writer) = std::io::pipe().map_err(failed)?;
            command.stdout(writer.try_clone().map_err(failed)?).stderr(writer);
            Some(pipe::Receiver::from_owned_fd(reader.into()).map_err(failed)?)
        }
    };
    let child = command.spawn().map_err(failed)?;
    let tree = Tree::of(child.id(), &mark);
    Ok(Started { tree, child, joined, sandbox })
}

/// Starts the program from a thread that carries the sandbox and ends right after. A thread of the
/// runtime would carry it for good.
async fn spawn_on_own_thread(program: &Program) -> Result<Started, ProcessError> {
    let failed = |source: std::io::Error| ProcessError::Start { program: program.path.clone(), source };
    let (send, receive) = tokio::sync::oneshot::channel();
    let runtime = tokio::runtime::Handle::current();
    let copy = program.clone();
    let start = move || {
        let _entered = runtime.enter();
        let started = match &copy.sandbox {
            Some(sandbox) => sandbox.restrict_this_thread().and_then(|report| spawn(&copy, report)),
            None => spawn(&copy, SandboxReport::none()),
        };
        // Nobody waits any more: what was started is dropped with the message, and so ended.
        let _ = send.send(started);
    };
    std::thread::Builder::new().name("sandboxed-start".to_owned()).spawn(start).map_err(failed)?;
    receive.await.unwrap_or_else(|_| Err(failed(std::io::Error::other("the starting thread ended early"))))
}

async fn feed(stdin: Option<ChildStdin>, input: Input) {
    let (Some(mut stdin), Input::Bytes(bytes)) = (stdin, input) else { return };
    // A program that does not read to the end is free to.
    let _ = stdin.write_all(&bytes).await;
    let _ = stdin.shutdown().await;
}

/// Waits for the program's end without taking its status, so that its id, which is also that of its
/// group, stays its own until the tree is ended.
async fn until_ended(child: &mut Child) {
    let pid = child.id().and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
    // Listening begins before the first look, so an end in between is not missed.
    let (Some(pid), Ok(mut ends)) = (pid, signal(SignalKind::child())) else {
        let _ = child.wait().await;
        return;
    };
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    // A failure means that there is no such child any more.
    while matches!(waitid(WaitId::Pid(pid), look), Ok(None)) {
        ends.recv().await;
    }
}
