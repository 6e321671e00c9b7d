//! `lwa timers`: maintenance on the timers of the user's systemd.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use lwa_config::{Home, edit};
use lwa_domain::ErrorCode;
use lwa_protocol::Failure;
use lwa_registration::units::{ALL_UNITS, MARK, TIMERS, UnitFacts, units};
use serde::Serialize;

use crate::args::TimersVerb;
use crate::face;
use crate::output::Output;

/// Present while systemd runs the machine.
const SYSTEMD: &str = "/run/systemd/system";
/// How long the user's service manager may take.
const MANAGER_LIMIT: Duration = Duration::from_secs(10);

/// What was done.
#[derive(Debug, Default, Serialize)]
struct Done {
    folder: PathBuf,
    written: Vec<&'static str>,
    removed: Vec<&'static str>,
    /// The timers that were switched on; empty when the service manager was not asked.
    switched_on: Vec<&'static str>,
}

/// Runs the verb.
pub async fn timers(verb: TimersVerb, output: Output) -> Result<u8, Failure> {
    let home = face::home()?;
    // A folder of one's own is no place that systemd looks into, so it is not asked either.
    let manager = home.overridden().is_none();
    if manager && !Path::new(SYSTEMD).is_dir() {
        return Err(Failure::new(
            ErrorCode::InvalidInput,
            "this machine is not run by systemd, so there are no timers to use",
        )
        .hint("let another scheduler run `lwa maintenance telemetry` once a day"));
    }
    let mut done = Done { folder: folder(&home)?, ..Done::default() };
    match verb {
        TimersVerb::Install { live_probes } => install(&home, live_probes, manager, &mut done).await?,
        TimersVerb::Remove => {
            remove(&ALL_UNITS, manager, &mut done).await?;
            if manager && !done.removed.is_empty() {
                manage(&["daemon-reload"]).await?;
            }
        }
    }
    output.result(&done, readable);
    Ok(0)
}

/// The user's folder for units; with `LWA_HOME`, a folder below it.
fn folder(home: &Home) -> Result<PathBuf, Failure> {
    let base = match home.overridden() {
        Some(_) => Some(home.config_dir()),
        None => home.config_dir().parent(),
    };
    base.map(|base| base.join("systemd/user")).ok_or_else(|| face::internal(&"the configuration folder has no parent"))
}

async fn install(home: &Home, probes: bool, manager: bool, done: &mut Done) -> Result<(), Failure> {
    let program = std::env::current_exe().and_then(fs::canonicalize);
    let facts = UnitFacts {
        program: program.map_err(|error| face::internal(&format!("cannot find this program: {error}")))?,
        state_dir: home.state_dir().to_owned(),
        socket: home.socket(),
        lwa_home: home.overridden().map(Path::to_owned),
        probes,
    };
    let units = units(&facts).map_err(|error| Failure::new(ErrorCode::InvalidInput, error.to_string()))?;
    for name in ALL_UNITS {
        refuse_foreign(&done.folder.join(name))?;
    }
    // The sandbox of a unit needs a folder that is there.
    home.create().map_err(|error| face::internal(&error))?;
    let unwanted: Vec<&'static str> =
        ALL_UNITS.into_iter().filter(|name| units.iter().all(|unit| unit.name != *name)).collect();
    remove(&unwanted, manager, done).await?;
    for unit in units {
        let path = done.folder.join(unit.name);
        edit::write_atomic(&path, &unit.text)
            .map_err(|error| face::internal(&format!("{error}; the timers may be incomplete")))?;
        done.written.push(unit.name);
    }
    if manager {
        manage(&["daemon-reload"]).await?;
        for timer in TIMERS.into_iter().filter(|timer| done.written.contains(timer)) {
            manage(&["enable", "--now", timer]).await?;
            done.switched_on.push(timer);
        }
    }
    Ok(())
}

/// A unit of the same name that somebody else wrote stays.
fn refuse_foreign(path: &Path) -> Result<(), Failure> {
    match fs::read_to_string(path) {
        Ok(text) if text.starts_with(MARK) => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        _ => Err(Failure::new(ErrorCode::InvalidInput, format!("`{}` was not written by Lwa", path.display()))
            .hint("move it away and try again; nothing was changed")),
    }
}

/// Takes our units away and leaves foreign ones.
async fn remove(names: &[&'static str], manager: bool, done: &mut Done) -> Result<(), Failure> {
    for name in names {
        let path = done.folder.join(name);
        let is_ours = fs::read_to_string(&path).is_ok_and(|text| text.starts_with(MARK));
        if !is_ours {
            continue;
        }
        if manager && TIMERS.contains(name) {
            manage(&["disable", "--now", name]).await?;
        }
        fs::remove_file(&path)
            .map_err(|error| face::internal(&format!("cannot remove `{}`: {error}", path.display())))?;
        done.removed.push(name);
    }
    Ok(())
}

/// Asks the user's service manager.
async fn manage(arguments: &[&str]) -> Result<(), Failure> {
    let command = format!("systemctl --user {}", arguments.join(" "));
    let failed = |why: &dyn std::fmt::Display| {
        face::internal(&format!("`{command}` failed: {why}"))
            .hint("the units are in their place; run the command in a session of yours")
    };
    let mut child = tokio::process::Command::new("systemctl");
    child.arg("--user").args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    child.kill_on_drop(true);
    match tokio::time::timeout(MANAGER_LIMIT, child.output()).await {
        Ok(Ok(output)) if output.status.success() => Ok(()),
        Ok(Ok(output)) => Err(failed(&String::from_utf8_lossy(&output.stderr).trim())),
        Ok(Err(error)) => Err(failed(&error)),
        Err(_) => Err(failed(&"it did not answer in time")),
    }
}

fn readable(done: &Done) -> String {
    let mut lines = Vec::new();
    let folder = done.folder.display();
    if !done.written.is_empty() {
        lines.push(format!("Written in {folder}: {}", done.written.join(", ")));
        lines.push(if done.switched_on.is_empty() {
            "`LWA_HOME` is set, so systemd was not told.".to_owned()
        } else {
            format!("Switched on: {}", done.switched_on.join(", "))
        });
    }
    if !done.removed.is_empty() {
        lines.push(format!("Removed from {folder}: {}", done.removed.join(", ")));
    }
    if lines.is_empty() {
        lines.push(format!("There are no timers of ours in {folder}."));
    }
    lines.join("\n")
}
