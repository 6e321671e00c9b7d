//! Paths by their text: where a word leads, and whether that place is protected or private.

use crate::arg::UNKNOWN;
use crate::context::Context;

/// How a place is guarded against writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guard {
    /// Never written by a command.
    Protected(&'static str),
    /// Written only after the human was asked, whatever the allow list says.
    StartUp(&'static str),
}

/// Folders and files of the system that no command writes.
const SYSTEM: &[&str] = &[
    "/etc",
    "/boot",
    "/efi",
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/sys",
    "/proc/sys",
    "/proc/sysrq-trigger",
    "/var/spool/cron",
    "/var/spool/at",
    "/nix/store",
    "/system",
    "/library",
    "/private/etc",
    "/private/var/at",
    "c:/windows",
    "/c/windows",
    "/mnt/c/windows",
];

/// Under a home folder: keys, configurations of clients, the product's own files, autostart, programs of the user.
const HOME: &[(&str, &str)] = &[
    (".ssh", "keys of the user"),
    (".gnupg", "keys of the user"),
    (".claude", "configuration of a client"),
    (".claude.json", "configuration of a client"),
    (".codex", "configuration of a client"),
    (".cursor", "configuration of a client"),
    (".gemini", "configuration of a client"),
    (".config/claude", "configuration of a client"),
    (".config/codex", "configuration of a client"),
    (".config/opencode", "configuration of a client"),
    ("library/application support/claude", "configuration of a client"),
    (".config/lwa", "files of Lwa"),
    (".local/share/lwa", "files of Lwa"),
    (".local/state/lwa", "files of Lwa"),
    (".cache/lwa", "files of Lwa"),
    (".lwa", "files of Lwa"),
    ("library/application support/lwa", "files of Lwa"),
    (".local/bin", "programs of the user"),
    ("bin", "programs of the user"),
    (".cargo/bin", "programs of the user"),
    (".config/autostart", "autostart"),
    (".config/systemd", "autostart"),
    (".local/share/systemd", "autostart"),
    (".local/share/applications", "autostart"),
    ("library/launchagents", "autostart"),
];

/// Wherever they stand in a path: keys, hooks and the client files of a project.
const ANYWHERE: &[(&str, &str)] = &[
    (".ssh", "keys of the user"),
    (".git/hooks", "git hooks"),
    (".husky", "git hooks"),
    (".githooks", "git hooks"),
    (".claude/settings.json", "configuration of a client"),
    (".claude/settings.local.json", "configuration of a client"),
    (".claude/hooks", "hooks of a client"),
    (".codex/config.toml", "configuration of a client"),
    (".codex/hooks", "hooks of a client"),
    (".cursor/mcp.json", "configuration of a client"),
    (".mcp.json", "configuration of a client"),
    (".vscode/mcp.json", "configuration of a client"),
];

/// Files that a shell or a daily program runs or obeys at its start.
const START_UP: &[&str] = &[
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".mkshrc",
    ".cshrc",
    ".tcshrc",
    ".login",
    ".logout",
    ".inputrc",
    ".xprofile",
    ".xinitrc",
    ".xsession",
    ".xsessionrc",
    ".pam_environment",
    ".envrc",
    ".config/fish",
    ".config/nushell",
    ".config/environment.d",
    ".config/plasma-workspace",
    ".gitconfig",
    ".config/git",
    ".vimrc",
    ".config/nvim",
    ".emacs",
    ".emacs.d",
    ".tmux.conf",
    ".config/tmux",
    ".screenrc",
    ".curlrc",
    ".wgetrc",
    ".npmrc",
    ".yarnrc",
    ".pypirc",
    ".config/pip",
    ".pip",
    ".cargo/config",
    ".cargo/config.toml",
    ".netrc",
    ".aws",
    ".kube/config",
    ".docker/config.json",
    ".pythonrc",
    ".psqlrc",
    ".sqliterc",
    ".gdbinit",
    ".config/gdb",
    ".lesskey",
    ".mailcap",
    ".config/powershell",
];

/// Resolves a word to an absolute, normal path; the flag says whether it is anchored at a known place.
pub(crate) fn resolve(text: &str, folder: Option<&str>, context: &Context<'_>) -> (String, bool) {
    let slashed;
    let text = if text.contains('\\') && text.get(1..3) == Some(":\\") {
        slashed = text.replace('\\', "/");
        slashed.as_str()
    } else {
        text
    };
    let home = context.home.as_deref();
    let behind_folder = ["/proc/self/cwd", "/proc/thread-self/cwd"]
        .iter()
        .find_map(|link| text.strip_prefix(link))
        .filter(|rest| rest.is_empty() || rest.starts_with('/'));
    if let Some(rest) = behind_folder {
        return resolve(&format!(".{rest}"), folder, context);
    }
    let is_drive = text.get(1..3) == Some(":/");
    let joined = if text.starts_with('/') || is_drive {
        text.to_owned()
    } else if text == "~" || text.starts_with("~/") {
        format!("{}{}", home.unwrap_or("/home/…"), text.get(1..).unwrap_or_default())
    } else if text.starts_with(UNKNOWN) {
        return (normal(text, false), false);
    } else {
        match folder {
            Some(folder) => format!("{folder}/{text}"),
            None => return (normal(text, false), false),
        }
    };
    (normal(&joined, !is_drive), true)
}

/// Removes `.`, `..` and doubled slashes.
fn normal(path: &str, is_absolute: bool) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            // The root as one process sees it, which is the root.
            "root" if is_absolute && matches!(parts.as_slice(), ["proc", _]) => parts.clear(),
            ".." => {
                if parts.last().is_some_and(|last| *last != "..") {
                    parts.pop();
                } else if !is_absolute {
                    parts.push("..");
                }
            }
            _ => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if is_absolute { format!("/{joined}") } else { joined }
}

/// Whether one part of a path, which may hold unknown or pattern characters, can be `wanted`.
fn part_matches(part: &str, wanted: &str) -> bool {
    if part == wanted {
        return true;
    }
    if !part.contains([UNKNOWN, '*', '?', '[']) {
        return false;
    }
    // A part without one known letter could be anything: that is for the human, not for a deny.
    if !part.chars().any(char::is_alphanumeric) {
        return false;
    }
    crate::glob::matches(part, wanted)
}

/// Whether `path` is `root` or lies under it; both are lower case.
fn is_under(path: &str, root: &str) -> bool {
    let mut parts = path.split('/');
    root.split('/').all(|wanted| parts.next().is_some_and(|part| part_matches(part, wanted)))
}

/// The part of `path` below a home folder.
fn below_home<'p>(path: &'p str, home: Option<&str>) -> Option<&'p str> {
    if let Some(home) = home {
        let home = home.trim_end_matches('/').to_lowercase();
        if home.len() > 1
            && let Some(rest) = path.strip_prefix(&home)
            && let Some(rest) = rest.strip_prefix('/')
        {
            return Some(rest);
        }
    }
    for root in ["/home/", "/users/", "c:/users/"] {
        if let Some(rest) = path.strip_prefix(root) {
            return rest.split_once('/').map(|(_, below)| below);
        }
    }
    path.strip_prefix("/root/")
}

/// How the place is guarded against writing.
pub(crate) fn guard(path: &str, context: &Context<'_>) -> Option<Guard> {
    let found = guard_text(path, context);
    if found.is_some() {
        return found;
    }
    let resolved = context.files?.resolve(path)?;
    if resolved == path { None } else { guard_text(&resolved, context) }
}

fn guard_text(path: &str, context: &Context<'_>) -> Option<Guard> {
    let lower = path.to_lowercase();
    if lower == "/" {
        return Some(Guard::Protected("root of the file system"));
    }
    for own in &context.protected {
        if is_under(&lower, &own.trim_end_matches('/').to_lowercase()) {
            return Some(Guard::Protected("files of Lwa"));
        }
    }
    let below = below_home(&lower, context.home.as_deref());
    if let Some(below) = below {
        if let Some((_, what)) = HOME.iter().find(|(root, _)| is_under(below, root)) {
            return Some(Guard::Protected(what));
        }
        if START_UP.iter().any(|root| is_under(below, root)) {
            return Some(Guard::StartUp("a start-up or configuration file"));
        }
    }
    if SYSTEM.iter().any(|root| is_under(&lower, root)) {
        return Some(Guard::Protected("files of the system"));
    }
    for (at, _) in std::iter::once((0, "")).chain(lower.match_indices('/').map(|(at, found)| (at + 1, found))) {
        let tail = lower.get(at..).unwrap_or_default();
        if let Some((_, what)) = ANYWHERE.iter().find(|(root, _)| is_under(tail, root)) {
            return Some(Guard::Protected(what));
        }
        if is_under(tail, ".git/config")
            || is_under(tail, ".bashrc")
            || is_under(tail, ".envrc")
            || is_under(tail, ".vscode/tasks.json")
            || is_under(tail, ".vscode/settings.json")
            || is_under(tail, ".vscode/launch.json")
        {
            return Some(Guard::StartUp("a start-up or configuration file"));
        }
    }
    None
}

/// Files of credentials below a home folder.
const PRIVATE: &[&str] = &[
    ".aws/credentials",
    ".netrc",
    ".git-credentials",
    ".pgpass",
    ".my.cnf",
    ".config/gh/hosts.yml",
    ".docker/config.json",
    ".kube/config",
    ".npmrc",
    ".pypirc",
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".config/gcloud",
    ".azure",
    ".gnupg/private-keys-v1.d",
    ".gnupg/secring.gpg",
    ".local/share/keyrings",
    ".password-store",
    ".vault-token",
    ".config/rclone/rclone.conf",
    ".cargo/credentials.toml",
    ".cargo/credentials",
    ".local/share/lwa",
    ".local/state/lwa",
    ".config/lwa",
    "library/keychains",
    ".mozilla",
    ".bash_history",
];

/// Whether reading the place would show a credential.
pub(crate) fn is_private(path: &str, context: &Context<'_>) -> bool {
    if is_private_text(path, context) {
        return true;
    }
    context.files.and_then(|files| files.resolve(path)).is_some_and(|resolved| is_private_text(&resolved, context))
}

fn is_private_text(path: &str, context: &Context<'_>) -> bool {
    let lower = path.to_lowercase();
    if ["/etc/shadow", "/etc/gshadow", "/etc/shadow-", "/etc/sudoers", "/etc/ssl/private"]
        .iter()
        .any(|root| is_under(&lower, root))
    {
        return true;
    }
    if lower.starts_with("/proc/") && lower.ends_with("/environ") {
        return true;
    }
    if let Some(below) = below_home(&lower, context.home.as_deref())
        && PRIVATE.iter().any(|root| is_under(below, root))
    {
        return true;
    }
    if context
        .protected
        .iter()
        .map(|own| own.trim_end_matches('/').to_lowercase())
        .any(|own| is_under(&lower, &own) && !holds_programs(&own))
    {
        return true;
    }
    if ["/.ssh", "/.gnupg", "/.aws", "/.kube", "/.docker", "/.config/gh"].iter().any(|folder| lower.ends_with(folder)) {
        return true;
    }
    let Some((_, inside)) = lower.split_once("/.ssh/") else {
        return lower.starts_with("/etc/ssh/ssh_host_") && !lower.ends_with(".pub");
    };
    !inside.ends_with(".pub")
        && !["config", "known_hosts", "known_hosts.old", "authorized_keys", "authorized_keys2"].contains(&inside)
}

/// Whether a protected folder is one of programs: it is not written, but there is nothing secret in it.
fn holds_programs(folder: &str) -> bool {
    folder.starts_with("/usr/")
        || folder.starts_with("/opt/")
        || ["/bin", "/sbin", "/release", "/debug", "/macos"].iter().any(|end| folder.ends_with(end))
}

/// What a write to a path under `/dev` reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Device {
    /// Not a device.
    No,
    /// A stream or a sink that keeps nothing.
    Harmless,
    /// A disk, memory, another terminal or a network address.
    Real,
}

/// What a write to `path` reaches.
pub(crate) fn device(path: &str) -> Device {
    if path == "/dev" {
        return Device::Real;
    }
    let Some(name) = path.strip_prefix("/dev/") else { return Device::No };
    let first = name.split('/').next().unwrap_or_default();
    match first {
        "null" | "stdout" | "stderr" | "stdin" | "zero" | "full" | "tty" | "fd" | "random" | "urandom" => {
            Device::Harmless
        }
        "shm" => Device::No,
        _ => Device::Real,
    }
}
