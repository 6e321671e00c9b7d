//! What a command finds when it starts: its variables, its folder, its shell. All of it is made before the command is
//! judged, so that what was judged is what runs.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lwa_process::Environment;

use super::{CommandError, GrantedVariable};

/// Where programs are looked for when the caller sent no `PATH`.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// What keeps programs from paging, colouring, asking and holding back their output.
const FIXED: &[(&str, &str)] = &[
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("PYTHONUNBUFFERED", "1"),
    // Both name programs of the repository that change nothing about a result.
    ("GIT_CONFIG_COUNT", "2"),
    ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
    ("GIT_CONFIG_VALUE_0", "false"),
    ("GIT_CONFIG_KEY_1", "log.showSignature"),
    ("GIT_CONFIG_VALUE_1", "false"),
];

/// What the shell sets by itself, whatever it is given: nothing of it is known before it runs.
const OF_THE_SHELL: &[&str] = &[
    "BASH",
    "BASHPID",
    "BASH_ARGV0",
    "BASH_COMMAND",
    "BASH_EXECUTION_STRING",
    "BASH_SUBSHELL",
    "BASH_VERSINFO",
    "BASH_VERSION",
    "COMP_WORDBREAKS",
    "DIRSTACK",
    "EPOCHREALTIME",
    "EPOCHSECONDS",
    "EUID",
    "FUNCNAME",
    "GROUPS",
    "HISTCMD",
    "LINENO",
    "OLDPWD",
    "OPTERR",
    "OPTIND",
    "PIPESTATUS",
    "PPID",
    "PWD",
    "RANDOM",
    "SECONDS",
    "SHLVL",
    "SRANDOM",
    "UID",
    "_",
];

/// What keeps git from running whatever else a repository's own configuration names, where it only reads. The count is
/// that of all pairs.
const GIT_READS: &[(&str, &str)] = &[
    ("GIT_CONFIG_COUNT", "6"),
    ("GIT_CONFIG_KEY_2", "core.hooksPath"),
    ("GIT_CONFIG_VALUE_2", "/dev/null"),
    ("GIT_CONFIG_KEY_3", "gpg.program"),
    ("GIT_CONFIG_VALUE_3", "/bin/false"),
    ("GIT_CONFIG_KEY_4", "gpg.ssh.program"),
    ("GIT_CONFIG_VALUE_4", "/bin/false"),
    ("GIT_CONFIG_KEY_5", "core.sshCommand"),
    ("GIT_CONFIG_VALUE_5", "/bin/false"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
];

/// Where systems keep bash. A search path is the caller's, and a folder of it can be one that the caller writes to.
const SHELLS: &[&str] = &[
    "/bin/bash",
    "/usr/bin/bash",
    "/usr/local/bin/bash",
    "/run/current-system/sw/bin/bash",
    "/run/current-system/profile/bin/bash",
    "/opt/homebrew/bin/bash",
    "/opt/local/bin/bash",
    "/data/data/com.termux/files/usr/bin/bash",
];

/// The variables of one command. `Debug` shows names.
#[derive(Debug, Clone)]
pub struct CommandEnvironment {
    environment: Environment,
    dropped: usize,
    granted: BTreeSet<String>,
}

impl CommandEnvironment {
    /// The caller's variables without secrets and without what changes what programs load, and ours over them.
    ///
    /// A command always has a `HOME`: `user_home` where the caller names none that is one.
    pub fn of(caller: &BTreeMap<String, String>, user_home: Option<&Path>) -> Self {
        let sent = || caller.iter().filter(|(name, _)| !OF_THE_SHELL.contains(&name.as_str()));
        let source = sent().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let mut environment = Environment::cleaned(source);
        let dropped = sent().filter(|(name, _)| !environment.holds(name)).count();
        if environment.value("PATH").is_none_or(OsStr::is_empty) {
            environment = environment.with_fixed("PATH", DEFAULT_PATH);
        }
        let has_home = environment.value("HOME").is_some_and(|home| Path::new(home).is_absolute());
        if !has_home {
            let home = user_home.unwrap_or_else(|| Path::new("/"));
            environment = environment.clone().with("HOME", home).unwrap_or(environment);
        }
        for (name, value) in FIXED {
            environment = environment.with_fixed(name, value);
        }
        Self { environment, dropped, granted: BTreeSet::new() }
    }

    /// With values that a human grants to this one command.
    ///
    /// # Errors
    /// A variable of this name changes what programs load.
    pub fn with_granted(mut self, granted: &[GrantedVariable]) -> Result<Self, CommandError> {
        for variable in granted {
            self.environment =
                self.environment.with_granted(variable.name(), variable.value()).map_err(CommandError::Variable)?;
            self.granted.insert(variable.name().to_owned());
        }
        Ok(self)
    }

    /// With what keeps git from running programs of the repository.
    pub fn for_reading_git(mut self) -> Self {
        for (name, value) in GIT_READS {
            self.environment = self.environment.with_fixed(name, value);
        }
        self
    }

    /// Every variable whose value may be known; those that were granted are not among them.
    pub fn known(&self) -> BTreeMap<String, String> {
        let pair = |name: &OsStr| {
            let name = name.to_str()?;
            let value = self.environment.value(name)?.to_str()?;
            // Git's settings depend on the command, so the policy does not know them.
            let is_open = self.granted.contains(name) || name.starts_with("GIT_CONFIG_");
            (!is_open).then(|| (name.to_owned(), value.to_owned()))
        };
        self.environment.names().filter_map(pair).collect()
    }

    /// The folder that the shell takes for `~`.
    pub fn home(&self) -> Option<&Path> {
        self.environment.value("HOME").map(Path::new)
    }

    /// Where the shell looks for programs.
    pub fn search_path(&self) -> &str {
        self.environment.value("PATH").and_then(OsStr::to_str).unwrap_or(DEFAULT_PATH)
    }

    /// How many variables of the caller it does not have.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// The environment in this folder. The shell is told where it is, or a link of the caller's would decide what `..`
    /// means.
    pub(super) fn in_folder(self, folder: &CommandFolder) -> Environment {
        let environment = self.environment;
        environment.clone().with("PWD", folder.path()).unwrap_or(environment)
    }
}

/// The folder of one command, opened when the command is judged: whatever its path leads to later, the command runs in
/// the one that was judged.
#[derive(Debug, Clone)]
pub struct CommandFolder {
    path: PathBuf,
    opened: Arc<File>,
}

impl CommandFolder {
    /// Follows the links of a path and opens the folder.
    ///
    /// # Errors
    /// It is no folder, or cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        let path = path.canonicalize()?;
        let flags = rustix::fs::OFlags::DIRECTORY | rustix::fs::OFlags::NOFOLLOW;
        let flags = i32::try_from(flags.bits()).unwrap_or_default();
        let opened = File::options().read(true).custom_flags(flags).open(&path)?;
        Ok(Self { path, opened: Arc::new(opened) })
    }

    /// Where it was when it was opened, without links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether its path still leads to it.
    pub fn is_in_place(&self) -> bool {
        let (Ok(now), Ok(then)) = (std::fs::symlink_metadata(&self.path), self.opened.metadata()) else { return false };
        self.path.canonicalize().is_ok_and(|path| path == self.path)
            && (now.dev(), now.ino()) == (then.dev(), then.ino())
    }

    /// A path that leads to the opened folder and to no other.
    #[cfg(target_os = "linux")]
    pub(super) fn place(&self) -> PathBuf {
        use std::os::fd::AsRawFd;

        PathBuf::from(format!("/proc/self/fd/{}", self.opened.as_raw_fd()))
    }

    /// Elsewhere a folder is reached by its path alone.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn place(&self) -> PathBuf {
        self.path.clone()
    }
}

/// The bash of this system.
pub(super) fn find_bash() -> Option<PathBuf> {
    first_program(SHELLS.iter().map(PathBuf::from))
}

fn first_program(candidates: impl IntoIterator<Item = PathBuf>) -> Option<PathBuf> {
    candidates.into_iter().find(|path| {
        std::fs::metadata(path).is_ok_and(|found| {
            let mode = found.permissions().mode();
            // One that anybody may change is nobody's shell.
            found.is_file() && mode & 0o111 != 0 && mode & 0o002 == 0
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_for_git_are_as_many_as_they_are_said_to_be() {
        let plain = CommandEnvironment::of(&BTreeMap::new(), None);
        for environment in [plain.clone(), plain.for_reading_git()] {
            let environment = environment.environment;
            let names: Vec<String> = environment.names().filter_map(OsStr::to_str).map(str::to_owned).collect();
            let keys = names.iter().filter(|name| name.starts_with("GIT_CONFIG_KEY_")).count();
            assert_eq!(environment.value("GIT_CONFIG_COUNT").unwrap().to_str(), Some(keys.to_string().as_str()));
            for number in 0..keys {
                assert!(environment.holds(&format!("GIT_CONFIG_KEY_{number}")));
                assert!(environment.holds(&format!("GIT_CONFIG_VALUE_{number}")));
            }
        }
    }

    #[test]
    fn a_shell_that_anybody_may_change_is_passed_over() {
        let temp = tempfile::tempdir().unwrap();
        let make = |name: &str, mode: u32| {
            let path = temp.path().join(name);
            std::fs::write(&path, "").unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            path
        };
        let (loose, plain, good) = (make("loose", 0o777), make("plain", 0o644), make("good", 0o755));
        assert_eq!(first_program([loose.clone(), plain, good.clone()]), Some(good));
        assert_eq!(first_program([loose]), None);
    }
}
