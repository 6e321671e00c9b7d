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

/// How long the user's service manager may take to name the session's variables.
const MANAGER_LIMIT: Duration = Duration::from_millis(200);

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
    let place = home.clone();
    // Starting a process and asking the service manager both block.
    let starting = tokio::task::spawn_blocking(move || spawn_host(&program, &place));
    starting
        .await
        .unwrap_or_else(|error| Err(Failure::new(ErrorCode::Internal, format!("cannot start the host: {error}"))))?;
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
    for (name, value) in session_elsewhere(home, &kept) {
        if !kept.iter().any(|(present, _)| *present == name) {
            kept.push((name, value));
        }
    }
    kept
}

/// The session's variables for clients that were started without: as the user's service manager knows
/// them, then as the app noted them.
fn session_elsewhere(home: &Home, kept: &[(String, String)]) -> Vec<(String, String)> {
    let has_screen = kept.iter().any(|(name, _)| matches!(name.as_str(), "DISPLAY" | "WAYLAND_DISPLAY"));
    if has_screen {
        return Vec::new();
    }
    // With a folder of one's own nothing of the user's session is looked at.
    let mut found =
        if home.overridden().is_none() { session_lines(&service_manager_environment()) } else { Vec::new() };
    found.extend(session_lines(&fs::read_to_string(home.session_env_file()).unwrap_or_default()));
    found
}

/// What `systemctl --user show-environment` prints; nothing where there is none or it does not answer.
fn service_manager_environment() -> String {
    let mut command = Command::new("systemctl");
    command.args(["--user", "show-environment"]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return String::new() };
    let deadline = std::time::Instant::now() + MANAGER_LIMIT;
    while matches!(child.try_wait(), Ok(None)) {
        if std::time::Instant::now() >= deadline {
            let _ = child.kill();
            let _ = child.wait();
            return String::new();
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    child.wait_with_output().map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
}

fn session_lines(text: &str) -> Vec<(String, String)> {
    text.lines()
        .filter_map(|line| line.split_once('='))
        // A value that the manager had to quote is none that a display or a bus has.
        .filter(|(_, value)| !value.starts_with("$'"))
        .filter(|(name, _)| SESSION_VARIABLES.contains(name))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_sessions_variables_are_taken_and_quoted_ones_are_left() {
        let text = "HOME=/home/x\nDISPLAY=:0\nSECRET_TOKEN=1\nXAUTHORITY=$'/odd\\n'\nDBUS_SESSION_BUS_ADDRESS=unix:path=/run/bus\n";
        let expected = [("DISPLAY", ":0"), ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/run/bus")];
        assert_eq!(session_lines(text), expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }

    #[test]
    fn what_the_app_noted_serves_a_face_without_a_screen_and_no_other() {
        let temp = tempfile::tempdir().unwrap();
        let home = Home::at(temp.path()).unwrap();
        home.create().unwrap();
        fs::write(home.session_env_file(), "DISPLAY=:7\nPATH=/evil\n").unwrap();
        assert_eq!(session_elsewhere(&home, &[]), [("DISPLAY".to_owned(), ":7".to_owned())]);
        assert!(session_elsewhere(&home, &[("DISPLAY".to_owned(), ":0".to_owned())]).is_empty());
    }
}
