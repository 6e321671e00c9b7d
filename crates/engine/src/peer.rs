//! The process behind a connection, as the system sees it.
//!
//! A process id can be reused after its process ends, and a process of the same user can imitate
//! another by ptrace or by changing files in the host's folder. This is a fence against an agent's
//! ordinary means, not against malware; SECURITY.md says so.

use std::fs;
use std::path::{Path, PathBuf};

use lwa_protocol::Role;

/// How far up a process tree is followed.
const MAX_DEPTH: usize = 64;

/// Shells that run a command line for somebody else and then wait for it.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "fish", "ash"];

/// Programs that start another one and stay in front of it. `npm exec` and `npx` name themselves `npm …`.
const WRAPPERS: [&str; 10] = ["env", "timeout", "nice", "nohup", "stdbuf", "setsid", "npx", "npm", "uv", "uvx"];

/// A process and those that started it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// Its id.
    pub pid: u32,
    /// Its executable, if it can be read.
    pub executable: Option<PathBuf>,
    /// Its ancestors, nearest first: id and name.
    pub ancestors: Vec<(u32, String)>,
    /// Whether it, or what started it, is part of a run of the host: a command of the worker, a script of the library.
    pub is_of_a_run: bool,
}

impl Process {
    /// Looks a process up.
    pub fn inspect(pid: u32) -> Self {
        let mut ancestors = Vec::new();
        let mut current = pid;
        let mut is_of_a_run = carries_a_runs_mark(pid);
        while ancestors.len() < MAX_DEPTH {
            let Some(parent) = parent_of(current) else { break };
            if parent <= 1 {
                break;
            }
            is_of_a_run |= carries_a_runs_mark(parent);
            ancestors.push((parent, name_of(parent)));
            current = parent;
        }
        Self { pid, executable: executable_of(pid), ancestors, is_of_a_run }
    }

    /// The program that talks to us: the nearest ancestor of a sidecar that is no `sh -c` wrapper.
    pub fn client(&self) -> Option<(u32, &str)> {
        self.ancestors.iter().find(|(pid, name)| !is_in_front(*pid, name)).map(|(pid, name)| (*pid, name.as_str()))
    }

    /// Whether `pid` is this process or one that started it, up to the host's own process.
    ///
    /// The host may have been started by a sidecar and the app by the host; the host is trusted, so
    /// what started it does not count.
    pub fn descends_from(&self, pid: u32, host: u32) -> bool {
        self.pid == pid
            || self
                .ancestors
                .iter()
                .map(|(ancestor, _)| *ancestor)
                .take_while(|ancestor| *ancestor != host)
                .any(|ancestor| ancestor == pid)
    }
}

impl Process {
    /// Whether the host started it, or something that the host started did, apart from the app itself.
    ///
    /// An agent's commands run as children of the host, so the family tree of the client does not hold them.
    pub fn is_work_of(&self, host: u32, role: Role) -> bool {
        let distance = self.ancestors.iter().position(|(pid, _)| *pid == host);
        let is_the_app = role == Role::App && distance == Some(0);
        self.is_of_a_run || (distance.is_some() && !is_the_app)
    }
}

/// The role that a peer gets: a person's door only for our own programs in the host's own folder.
pub fn granted_role(asked: Role, process: Option<&Process>, host_folder: &Path) -> Role {
    let program = match asked {
        Role::Sidecar => return Role::Sidecar,
        Role::App => "lwa-desktop",
        Role::Cli => "lwa",
    };
    let Some(executable) = process.and_then(|process| process.executable.as_deref()) else { return Role::Sidecar };
    let is_ours =
        executable.parent() == Some(host_folder) && executable.file_stem().is_some_and(|stem| stem == program);
    if is_ours { asked } else { Role::Sidecar }
}

/// Whether a process only stands between a client and the sidecar.
fn is_in_front(pid: u32, name: &str) -> bool {
    let first_word = name.split_whitespace().next().unwrap_or(name);
    WRAPPERS.contains(&first_word) || (SHELLS.contains(&name) && runs_a_command_line(pid))
}

fn executable_of(pid: u32) -> Option<PathBuf> {
    let link = fs::read_link(format!("/proc/{pid}/exe")).ok()?;
    // After an update the running program's file is gone; its folder is still the right one.
    let text = link.to_string_lossy();
    Some(text.strip_suffix(" (deleted)").map_or_else(|| link.clone(), PathBuf::from))
}

/// Whether a process has the variable that everything in a run of the host has. One that clears its environment and
/// leaves its parents within moments escapes this; SECURITY.md says so.
fn carries_a_runs_mark(pid: u32) -> bool {
    let mut environment = Vec::new();
    // While a process is being replaced by another program, it shows none of its variables for a moment.
    for _ in 0..20 {
        environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_else(|_| vec![0]);
        if !environment.is_empty() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    environment.split(|byte| *byte == 0).any(|variable| variable.starts_with(b"LWA_RUN="))
}

fn parent_of(pid: u32) -> Option<u32> {
    u32::try_from(stat_field(pid, 4)?).ok()
}

/// When a process started, in ticks since the system did; with its id it names a process for good.
pub fn start_of(pid: u32) -> Option<u64> {
    stat_field(pid, 22)
}

/// A numeric field of `/proc/PID/stat`, counted from 1. The second is the name in brackets and may hold
/// anything, spaces, brackets and line breaks included.
fn stat_field(pid: u32, number: usize) -> Option<u64> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(number.checked_sub(3)?)?.parse().ok()
}

fn name_of(pid: u32) -> String {
    let name = fs::read(format!("/proc/{pid}/comm")).unwrap_or_default();
    String::from_utf8_lossy(&name).trim().to_owned()
}

fn runs_a_command_line(pid: u32) -> bool {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    line.split(|byte| *byte == 0).skip(1).any(|argument| argument.starts_with(b"-") && argument.contains(&b'c'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: u32, ancestors: &[u32]) -> Process {
        Process {
            pid,
            executable: Some("/opt/lwa/lwa".into()),
            ancestors: ancestors.iter().map(|pid| (*pid, format!("p{pid}"))).collect(),
            is_of_a_run: false,
        }
    }

    #[test]
    fn a_child_of_the_client_is_seen_as_its_descendant() {
        let shell_child = process(50, &[40, 30, 20]);
        assert!(shell_child.descends_from(30, 7));
        assert!(!shell_child.descends_from(31, 7));
    }

    #[test]
    fn what_started_the_host_does_not_count() {
        let app = process(50, &[7, 40, 30]);
        assert!(!app.descends_from(30, 7));
    }

    #[test]
    fn what_the_host_runs_for_an_agent_is_no_human() {
        let (host, command) = (7, process(50, &[40, 7, 30]));
        assert!(command.is_work_of(host, Role::Cli) && command.is_work_of(host, Role::App));
        let app = process(50, &[7, 30]);
        assert!(!app.is_work_of(host, Role::App));
        assert!(app.is_work_of(host, Role::Cli), "the host starts no command line for a person");
        let terminal = process(50, &[40, 30]);
        assert!(!terminal.is_work_of(host, Role::Cli));
        let daemon = Process { is_of_a_run: true, ..process(50, &[]) };
        assert!(daemon.is_work_of(host, Role::Cli));
    }

    #[test]
    fn a_program_of_a_run_is_known_by_its_variable() {
        use std::io::Read as _;
        let mut command = std::process::Command::new("sh");
        command.args(["-c", "echo; exec sleep 20"]).env("LWA_RUN", "ab").stdout(std::process::Stdio::piped());
        let mut child = command.spawn().unwrap();
        // What it says shows that it is the new program and no copy of this one any more.
        child.stdout.take().unwrap().read_exact(&mut [0]).unwrap();
        let seen = Process::inspect(child.id());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(seen.is_of_a_run);
    }

    #[test]
    fn what_stands_in_front_of_a_sidecar_is_not_its_client() {
        let sidecar = Process {
            pid: 50,
            executable: None,
            ancestors: vec![
                (40, "timeout".into()),
                (30, "npm exec lwa".into()),
                (20, "codex".into()),
                (10, "bash".into()),
            ],
            is_of_a_run: false,
        };
        assert_eq!(sidecar.client(), Some((20, "codex")));
    }

    #[test]
    fn only_our_programs_in_our_folder_get_a_persons_role() {
        let own = process(50, &[]);
        assert_eq!(granted_role(Role::Cli, Some(&own), Path::new("/opt/lwa")), Role::Cli);
        assert_eq!(granted_role(Role::App, Some(&own), Path::new("/opt/lwa")), Role::Sidecar);
        assert_eq!(granted_role(Role::Cli, Some(&own), Path::new("/usr/bin")), Role::Sidecar);
        assert_eq!(granted_role(Role::Cli, None, Path::new("/opt/lwa")), Role::Sidecar);
    }

    #[test]
    fn this_process_has_ancestors_and_an_executable() {
        let own = Process::inspect(std::process::id());
        assert!(!own.ancestors.is_empty());
        assert_eq!(own.executable, std::env::current_exe().ok());
    }
}
