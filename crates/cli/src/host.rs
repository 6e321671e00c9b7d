//! `lwa host`: the process that owns all state.

mod detach;

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lwa_config::{Home, HostLock, LockContent, LockError};
use lwa_domain::ErrorCode;
use lwa_engine::{Engine, EngineOptions, ServeOptions, serve};
use lwa_protocol::{Failure, PROTOCOL};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tracing_subscriber::EnvFilter;

use crate::args::{HostArgs, Idle};
use crate::face;
use crate::output::Output;

/// How long running provider calls may take to finish when the host ends.
const FINISH_LIMIT: Duration = Duration::from_secs(8);
/// How long a new host waits for one that ends: longer than that one may take to finish.
const SUCCESSION_LIMIT: Duration = Duration::from_secs(12);
/// A log beyond this size is put aside once.
const MAX_LOG_BYTES: u64 = 8 * 1024 * 1024;

/// Runs the host until it is told to end.
pub fn main(args: &HostArgs, output: Output) -> ExitCode {
    match start(args, output) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => output.fail(&failure),
    }
}

fn start(args: &HostArgs, output: Output) -> Result<(), Failure> {
    let home = face::home()?;
    home.create().map_err(|error| face::internal(&error))?;
    if args.detached {
        detach::leave_session(home.state_dir()).map_err(|error| face::internal(&error))?;
    }
    log_to(&home, args.detached)
        .map_err(|error| face::internal(&format!("cannot write `{}`: {error}", home.log_file().display())))?;
    let lock = match if args.detached { succeed(&home) } else { lock(&home) } {
        Ok(lock) => lock,
        // Another face started a host at the same moment; that one serves.
        Err(LockError::Held(_)) if args.detached => return Ok(()),
        Err(error @ LockError::Held(_)) => {
            return Err(Failure::new(ErrorCode::HostUnreachable, error.to_string())
                .hint("`lwa status` shows it; `lwa stop` ends it"));
        }
        Err(error) => return Err(face::internal(&error)),
    };
    detach::keep_memory_private();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("lwa-host")
        .enable_all()
        .build()
        .map_err(|error| face::internal(&error))?;
    let result = runtime.block_on(run(args, &home, output));
    runtime.shutdown_timeout(Duration::from_secs(1));
    drop(lock);
    result.inspect_err(|failure| tracing::error!(%failure, "the host could not run"))
}

fn lock(home: &Home) -> Result<HostLock, LockError> {
    let content = LockContent { pid: std::process::id(), socket: home.socket(), protocol: PROTOCOL };
    let mut attempts = 0;
    loop {
        match HostLock::acquire(&home.lock_file(), &content) {
            // A face that looks whether a host runs holds the lock for a moment.
            Err(LockError::Held(None)) if attempts < 50 => {
                attempts += 1;
                std::thread::sleep(Duration::from_millis(4));
            }
            result => return result,
        }
    }
}

/// Takes the lock, also from a host that is about to end: that one listens no more, so a face that needs
/// a host gets none from it. Held means that somebody serves.
fn succeed(home: &Home) -> Result<HostLock, LockError> {
    let deadline = Instant::now() + SUCCESSION_LIMIT;
    loop {
        match lock(home) {
            Err(LockError::Held(_)) if Instant::now() < deadline && UnixStream::connect(home.socket()).is_err() => {
                std::thread::sleep(Duration::from_millis(20));
            }
            result => return result,
        }
    }
}

async fn run(args: &HostArgs, home: &Home, output: Output) -> Result<(), Failure> {
    let folder = lwa_engine::server::program_folder().map_err(|error| face::internal(&error))?;
    let options = EngineOptions {
        home: home.clone(),
        clock: Arc::new(jiff::Timestamp::now),
        secrets: None,
        program_folder: folder.to_path_buf(),
        detects_local_servers: true,
    };
    let stop = CancellationToken::new();
    end_on_signals(&stop).map_err(|error| face::internal(&error))?;
    let engine = Engine::open(options).await?;
    if let Err(failure) = engine.remove_what_was_left().await {
        tracing::error!(%failure, "what an earlier host left could not be removed");
    }
    let serving = ServeOptions {
        socket: home.socket(),
        idle_exit: match args.idle_exit {
            Idle::Never => None,
            Idle::After(limit) => Some(limit),
        },
        stop,
    };
    let ready = || {
        let line =
            serde_json::json!({ "ready": true, "socket": home.socket(), "http": null, "pid": std::process::id() });
        if !args.detached {
            output.line(&line.to_string());
        }
        tracing::info!(pid = std::process::id(), "the host is ready");
    };
    let result = serve(&engine, &serving, ready).await;
    engine.shut_down(FINISH_LIMIT).await;
    tracing::info!("the host has ended");
    result.map_err(|error| face::internal(&format!("{error:#}")))
}

fn end_on_signals(stop: &CancellationToken) -> io::Result<()> {
    for kind in [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()] {
        let mut signals = signal(kind)?;
        let stop = stop.clone();
        tokio::spawn(async move {
            signals.recv().await;
            stop.cancel();
        });
    }
    Ok(())
}

/// Diagnostics go to the log file, and in the foreground to stderr as well. `LWA_LOG` sets the level.
fn log_to(home: &Home, is_detached: bool) -> io::Result<()> {
    let level = std::env::var("LWA_LOG").unwrap_or_else(|_| "info".to_owned());
    let filter = EnvFilter::try_new(level).unwrap_or_else(|_| EnvFilter::new("info"));
    let builder = tracing_subscriber::fmt().with_ansi(false).with_env_filter(filter).with_target(false);
    let set = if is_detached {
        builder.with_writer(std::sync::Mutex::new(log_file(&home.log_file())?)).try_init()
    } else {
        builder.with_writer(io::stderr).try_init()
    };
    set.map_err(|error| io::Error::other(error.to_string()))
}

fn log_file(path: &Path) -> io::Result<File> {
    if std::fs::metadata(path).is_ok_and(|meta| meta.len() > MAX_LOG_BYTES) {
        std::fs::rename(path, path.with_extension("log.old"))?;
    }
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)
}
