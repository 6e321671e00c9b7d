//! Timer units for the user's systemd: their text, written by nobody here.
//!
//! A maintenance command needs the host, and the host needs more of the machine than a command does. So a
//! small unit starts the host as it always runs, and the commands run in a sandbox beside it and reach it by
//! its socket alone.

use std::path::{Path, PathBuf};

/// What stands in the first line of every unit that is ours.
pub const MARK: &str = "# Written by `lwa timers install`; `lwa timers remove` takes it away.";

/// A unit's file name and text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// The file's name.
    pub name: &'static str,
    /// Its text.
    pub text: String,
}

/// What the units depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitFacts {
    /// The program, by its absolute path.
    pub program: PathBuf,
    /// The folder of the database and the lock.
    pub state_dir: PathBuf,
    /// The host's socket.
    pub socket: PathBuf,
    /// `LWA_HOME`, when it is set.
    pub lwa_home: Option<PathBuf>,
    /// Whether providers are probed, too.
    pub probes: bool,
}

/// The unit that starts the host.
pub const HOST_UNIT: &str = "lwa-host-start.service";
/// The timers that may be switched on.
pub const TIMERS: [&str; 2] = ["lwa-telemetry.timer", "lwa-probe.timer"];
/// Every unit that may be ours.
pub const ALL_UNITS: [&str; 5] =
    [HOST_UNIT, "lwa-telemetry.service", "lwa-telemetry.timer", "lwa-probe.service", "lwa-probe.timer"];

/// A text that a unit file cannot hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the path `{0}` has a character that a unit cannot hold")]
pub struct UnusablePath(pub PathBuf);

/// The units for these facts.
///
/// # Errors
/// A path is no UTF-8 or holds a control character.
pub fn units(facts: &UnitFacts) -> Result<Vec<Unit>, UnusablePath> {
    let mut units = vec![
        Unit { name: HOST_UNIT, text: host_service(facts)? },
        Unit {
            name: "lwa-telemetry.service",
            text: service(facts, "Summary of Lwa's ledger for today", "telemetry --no-start")?,
        },
        Unit { name: "lwa-telemetry.timer", text: timer("Daily summary of Lwa's ledger", "daily", 300) },
    ];
    if facts.probes {
        units.push(Unit {
            name: "lwa-probe.service",
            text: service(facts, "Probe of Lwa's providers, without any prompt", "probe --live --no-start")?,
        });
        units.push(Unit {
            name: "lwa-probe.timer",
            text: timer("Probe of Lwa's providers every half an hour", "*:0/30", 120),
        });
    }
    Ok(units)
}

/// Starts the host as it always runs. What the service manager does when the command ends must not reach it.
fn host_service(facts: &UnitFacts) -> Result<String, UnusablePath> {
    Ok(format!(
        "{MARK}\n[Unit]\nDescription=Lwa's host, for the commands that run on a timer\n\n\
         [Service]\nType=oneshot\nKillMode=process\n{}ExecStart={} providers --json\nStandardOutput=null\n",
        environment(facts)?,
        quoted(&facts.program)?,
    ))
}

fn service(facts: &UnitFacts, description: &str, verb: &str) -> Result<String, UnusablePath> {
    let mut hardening = String::from(
        "NoNewPrivileges=yes\nProtectSystem=strict\nProtectHome=read-only\nRestrictAddressFamilies=AF_UNIX\n",
    );
    // A private folder for temporary files would hide what lies in the shared one.
    let needed = [Some(&facts.program), Some(&facts.state_dir), Some(&facts.socket), facts.lwa_home.as_ref()];
    if !needed.into_iter().flatten().any(|path| is_temporary(path)) {
        hardening.push_str("PrivateTmp=yes\n");
    }
    Ok(format!(
        "{MARK}\n[Unit]\nDescription={description}\nWants={HOST_UNIT}\nAfter={HOST_UNIT}\n\n\
         [Service]\nType=oneshot\n{}ExecStart={} maintenance {verb}\nTimeoutStartSec=300\n{hardening}ReadWritePaths={}\n",
        environment(facts)?,
        quoted(&facts.program)?,
        quoted(&facts.state_dir)?,
    ))
}

fn timer(description: &str, calendar: &str, delay: u32) -> String {
    format!(
        "{MARK}\n[Unit]\nDescription={description}\n\n\
         [Timer]\nOnCalendar={calendar}\nRandomizedDelaySec={delay}\nPersistent=true\n\n\
         [Install]\nWantedBy=timers.target\n"
    )
}

fn environment(facts: &UnitFacts) -> Result<String, UnusablePath> {
    facts.lwa_home.as_ref().map_or_else(
        || Ok(String::new()),
        |home| Ok(format!("Environment={}\n", quoted_text(&format!("LWA_HOME={}", plain(home)?)))),
    )
}

fn is_temporary(path: &Path) -> bool {
    ["/tmp", "/var/tmp"].iter().any(|folder| path.starts_with(folder))
}

fn plain(path: &Path) -> Result<&str, UnusablePath> {
    path.to_str().filter(|text| !text.chars().any(char::is_control)).ok_or_else(|| UnusablePath(path.to_owned()))
}

fn quoted(path: &Path) -> Result<String, UnusablePath> {
    Ok(quoted_text(plain(path)?))
}

/// A word of a unit: in quotes, with the characters escaped that mean something there.
fn quoted_text(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%");
    format!("\"{escaped}\"")
}
