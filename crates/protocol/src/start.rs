//! Finding the host, and starting it when none runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use lwa_config::{Home, HostLock};
use lwa_domain::ErrorCode;
use tokio::time::{Instant, sleep};

use crate::client::Connection;
use crate::error::Failure;
use crate::host::Hello;

/// How long a face waits for a host that it started.
pub const START_LIMIT: Duration = Duration::from_secs(3);

/// Variables of the graphical session, which the host passes on to the app and the keychain.
pub const SESSION_VARIABLES: [&str; 4] = ["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS"];

/// What else of a face's environment the host gets, beside `LWA_*` and the names that the
/// configuration lists for keys. Everything else stays with the client.
const PLAIN_VARIABLES: [&str; 12] = [
    "HOME",
    "PATH",
    "LANG",
    "LC_ALL",
    "USER",
    "LOGNAME",
    "TMPDIR",
    "TZ",
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
];

/// Connects to the running host.
///
/// # Errors
/// No host runs, or it refused the greeting.
pub async fn connect(home: &Home, hello: Hello) -> Result<Connection, Failure> {
    let socket = HostLock::read_running(&home.lock_file()).map_or_else(|| home.socket(), |content| content.socket);
    Connection::open(&socket, hello).await
}

/// Connects to the running host, or starts one and connects to that.
///
/// # Errors
/// The host cannot be started within [`START_LIMIT`], or it refused the greeting.
pub async fn connect_or_start(home: &Home, hello: Hello) -> Result<Connection, Failure> {
    match connect(home, hello.clone()).await {
        Ok(connection) => return Ok(connection),
        Err(failure) if failure.code != ErrorCode::HostUnreachable => return Err(failure),
        Err(_) => {}
    }
    let program = host_program()?;
    spawn_host(&program, home)?;
    let deadline = Instant::now() + START_LIMIT;
    let mut pause = Duration::from_millis(4);
    loop {
        match connect(home, hello.clone()).await {
            Ok(connection) => return Ok(connection),
            Err(failure) if failure.code != ErrorCode::HostUnreachable => return Err(failure),
            Err(failure) if Instant::now() >= deadline => {
                let log = home.log_file();
                return Err(Failure::new(
                    ErrorCode::HostUnreachable,
                    format!("the host did not start: {}", failure.message),
                )
                .hint(format!("run `lwa host` in a terminal to see why, or read `{}`", log.display())));
            }
            Err(_) => {}
        }
        sleep(pause).await;
        pause = (pause * 2).min(Duration::from_millis(25));
    }
}

/// The `lwa` program beside the one that runs.
fn host_program() -> Result<PathBuf, Failure> {
    let missing = |what: String| {
        Failure::new(ErrorCode::HostUnreachable, what)
            .hint("install `lwa` and `lwa-mcp` in the same folder, or start the host with `lwa host`")
    };
    let own =
        std::env::current_exe().map_err(|error| missing(format!("cannot find this program's own folder: {error}")))?;
    let program = own.with_file_name(format!("lwa{}", std::env::consts::EXE_SUFFIX));
    if program.is_file() { Ok(program) } else { Err(missing(format!("there is no `lwa` beside `{}`", own.display()))) }
}

/// Starts the host as a process of its own, with nothing of the client in it but what it needs.
fn spawn_host(program: &Path, home: &Home) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| {
        Failure::new(ErrorCode::HostUnreachable, format!("cannot start the host: {error}"))
            .hint("run `lwa host` in a terminal to see why")
    };
    home.create().map_err(|error| failed(&error))?;
    let mut command = Command::new(program);
    // `--detached` makes the child leave our session and close what it inherited.
    command.args(["host", "--detached"]).env_clear().current_dir(home.state_dir());
    command.envs(host_environment(home));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| failed(&error))?;
    // Somebody has to take note of its end, else it stays as a zombie for as long as this face lives.
    let waiting =
        std::thread::Builder::new().name("host-end".to_owned()).stack_size(64 * 1024).spawn(move || child.wait());
    waiting.map(drop).map_err(|error| failed(&error))
}

fn host_environment(home: &Home) -> Vec<(String, String)> {
    let key_names = lwa_config::credential_names(home);
    let mut kept: Vec<(String, String)> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| {
            PLAIN_VARIABLES.contains(&name.as_str())
                || SESSION_VARIABLES.contains(&name.as_str())
                || name.starts_with("LWA_")
                || key_names.contains(name)
        })
        .collect();
    for (name, value) in noted_session(home) {
        if !kept.iter().any(|(present, _)| *present == name) {
            kept.push((name, value));
        }
    }
    kept
}

/// The session's variables as the app noted them, for clients that were started without.
fn noted_session(home: &Home) -> Vec<(String, String)> {
    let text = fs::read_to_string(home.session_env_file()).unwrap_or_default();
    text.lines()
        .filter_map(|line| line.split_once('='))
        .filter(|(name, _)| SESSION_VARIABLES.contains(name))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}
