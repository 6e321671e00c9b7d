//! Programs that take another identity, and the power state of the machine.

use super::{Look, Walker};
use crate::options::Grammar;
use crate::walk::state::State;

/// Programs that run a command as someone else.
const PRIVILEGE: &[&str] = &[
    "sudo",
    "sudo-rs",
    "sudoedit",
    "doas",
    "doasedit",
    "pkexec",
    "su",
    "runuser",
    "run0",
    "please",
    "pleaseedit",
    "gosu",
    "su-exec",
    "dzdo",
    "pfexec",
    "ksu",
    "sux",
    "gksu",
    "gksudo",
    "kdesu",
    "kdesudo",
    "beesu",
    "pbrun",
    "calife",
    "super",
    "suexec",
    "setuidgid",
    "s6-setuidgid",
    "s6-applyuidgid",
    "chpst",
    "visudo",
    "vipw",
    "vigr",
    "runas",
    "gsudo",
    "lxqt-sudo",
    "sg",
    "newgrp",
    "sudosh",
];

/// Programs that end or pause the machine.
const POWER: &[&str] = &[
    "shutdown",
    "reboot",
    "halt",
    "poweroff",
    "telinit",
    "kexec",
    "rtcwake",
    "pm-suspend",
    "pm-hibernate",
    "pm-powersave",
    "pm-suspend-hybrid",
    "stop-computer",
    "restart-computer",
    "zzz",
    "s2ram",
    "s2disk",
];

/// Verbs of the service managers that do the same.
const POWER_VERBS: &[&str] = &[
    "poweroff",
    "reboot",
    "halt",
    "kexec",
    "suspend",
    "sleep",
    "hibernate",
    "hybrid-sleep",
    "suspend-then-hibernate",
    "soft-reboot",
    "rescue",
    "emergency",
    "exit",
    "switch-root",
    "default",
];

/// Units that do the same when they are started.
const POWER_UNITS: &[&str] = &[
    "poweroff.target",
    "reboot.target",
    "halt.target",
    "kexec.target",
    "shutdown.target",
    "suspend.target",
    "hibernate.target",
    "rescue.target",
    "emergency.target",
    "runlevel0.target",
    "runlevel6.target",
    "ctrl-alt-del.target",
    "systemd-poweroff.service",
    "systemd-reboot.service",
    "systemd-halt.service",
    "systemd-suspend.service",
    "poweroff",
    "reboot",
];

const SYSTEMCTL: Grammar = Grammar::new(
    "HMtpPnos",
    &[
        "host",
        "machine",
        "type",
        "state",
        "property",
        "lines",
        "output",
        "signal",
        "root",
        "image",
        "kill-whom",
        "what",
        "job-mode",
        "preset-mode",
        "boot-loader-entry",
        "boot-loader-menu",
        "reboot-argument",
        "timestamp",
        "when",
        "message",
    ],
);

impl Walker<'_> {
    /// Privilege and power.
    pub(super) fn privileged(&mut self, look: &mut Look, state: &mut State) -> bool {
        let name = look.name.as_str();
        if PRIVILEGE.contains(&name) {
            self.deny("privilege escalation", format!("`{name}` runs a command with another identity"));
            return true;
        }
        if POWER.contains(&name) {
            self.deny("power state", format!("`{name}` changes the power state of the machine"));
            return true;
        }
        match name {
            "init" => self.init(look),
            "systemctl" => self.systemctl(look),
            "loginctl" => self.loginctl(look),
            "machinectl" => {
                let parsed = look.parse(&Grammar::new(
                    "HMpEn",
                    &["host", "machine", "property", "setenv", "uid", "lines", "output", "kill-whom", "signal"],
                ));
                if let Some(verb) = parsed.operands.first()
                    && matches!(look.text(*verb), "shell" | "login")
                {
                    self.deny("privilege escalation", "`machinectl shell` opens a session with another identity");
                }
                look.set_head(parsed.operands.get(..1).unwrap_or_default());
            }
            "dbus-send" | "busctl" | "gdbus" | "qdbus" | "qdbus6" => {
                let asks_power = look.args.iter().any(|arg| {
                    let last = arg.text.rsplit(['.', '/', ' ']).next().unwrap_or_default().to_lowercase();
                    [
                        "poweroff",
                        "reboot",
                        "halt",
                        "suspend",
                        "hibernate",
                        "hybridsleep",
                        "shutdown",
                        "requestshutdown",
                        "requestreboot",
                        "logoutandhalt",
                    ]
                    .contains(&last.as_str())
                });
                if asks_power {
                    self.deny("power state", "the message asks the session to change the power state of the machine");
                }
                self.ask("session bus", "a message on the bus can start anything");
            }
            "gnome-session-quit" | "xfce4-session-logout" | "mate-session-save" | "lxsession-logout" | "qshutdown" => {
                let is_power = look.args.iter().any(|arg| {
                    ["--power-off", "--reboot", "--halt", "--suspend", "--hibernate", "--shutdown-dialog"]
                        .contains(&arg.text.as_str())
                });
                if is_power {
                    self.deny("power state", "ends the session and the machine");
                }
            }
            "pmset" => {
                if look.args.iter().any(|arg| matches!(arg.text.as_str(), "sleepnow" | "displaysleepnow")) {
                    self.deny("power state", "`pmset` sends the machine to sleep");
                } else if look.args.len() > 1 && look.text(1) != "-g" {
                    self.ask("system setting", "`pmset` changes the system");
                }
            }
            "kill" | "killall" | "pkill" => self.kill(look),
            "osascript" => return self.osascript(look),
            "setcap" | "passwd" | "chpasswd" | "chsh" | "chfn" | "usermod" | "useradd" | "userdel" | "adduser"
            | "deluser" | "groupadd" | "groupdel" | "groupmod" | "gpasswd" | "dscl" | "sysadminctl" | "spctl"
            | "csrutil" | "nvram" => {
                self.ask("accounts", format!("`{name}` changes accounts or rights of the system"));
            }
            "capsh" | "setpriv" => {
                let takes = look.args.iter().any(|arg| {
                    [
                        "--user", "--reuid", "--ruid", "--regid", "--rgid", "--uid", "--gid", "--egid", "--euid",
                        "--groups",
                    ]
                    .iter()
                    .any(|option| arg.text.starts_with(option))
                });
                if takes {
                    self.deny("privilege escalation", format!("`{name}` runs a command with another identity"));
                }
                self.ask("rights of the process", format!("`{name}` changes the rights of what it starts"));
                let rest = look.from(1);
                let start = rest.iter().position(|arg| !arg.text.starts_with('-')).map_or(rest.len(), |at| at);
                self.denied_inside(rest.get(start..).unwrap_or_default().to_vec(), &look.stdin.clone(), state);
            }
            _ => return false,
        }
        true
    }

    /// The process one of the system; a script that only has its name is another thing.
    fn init(&mut self, look: &Look) {
        let text = look.text(0);
        let is_system = !text.contains('/')
            || text.starts_with("/sbin/")
            || text.starts_with("/usr/sbin/")
            || text.starts_with("/bin/")
            || text.starts_with("/usr/bin/");
        if is_system {
            self.deny("power state", "`init` changes the power state of the machine");
        }
    }

    fn systemctl(&mut self, look: &mut Look) {
        let parsed = look.parse(&SYSTEMCTL);
        let Some(verb) = parsed.operands.first().copied() else { return };
        let verb_text = look.text(verb).to_owned();
        if POWER_VERBS.contains(&verb_text.as_str()) {
            self.deny("power state", format!("`systemctl {verb_text}` changes the power state of the machine"));
        }
        if matches!(verb_text.as_str(), "start" | "isolate" | "restart" | "reload-or-restart" | "try-restart")
            && parsed.operands.iter().skip(1).any(|at| POWER_UNITS.contains(&look.text(*at)))
        {
            self.deny("power state", "starts a unit that ends the machine");
        }
        if matches!(
            verb_text.as_str(),
            "enable"
                | "edit"
                | "link"
                | "mask"
                | "disable"
                | "set-environment"
                | "import-environment"
                | "set-default"
                | "preset"
                | "reenable"
                | "revert"
        ) {
            self.ask("autostart", format!("`systemctl {verb_text}` changes what starts by itself"));
        }
        if parsed.has('H', "host") {
            self.ask("another machine", "acts on another machine");
        }
        look.set_head(&[verb]);
    }

    fn loginctl(&mut self, look: &mut Look) {
        let parsed = look
            .parse(&Grammar::new("HMpsno", &["host", "machine", "property", "signal", "lines", "output", "kill-whom"]));
        let Some(verb) = parsed.operands.first().copied() else { return };
        if POWER_VERBS.contains(&look.text(verb)) {
            self.deny("power state", format!("`loginctl {}` changes the power state of the machine", look.text(verb)));
        }
        if matches!(look.text(verb), "enable-linger" | "disable-linger") {
            self.ask("autostart", "changes what goes on without a session");
        }
        look.set_head(&[verb]);
    }

    fn kill(&mut self, look: &mut Look) {
        let mut targets = look.args.iter().skip(1).filter(|arg| !arg.text.starts_with('-')).peekable();
        let hits_first = look.name == "kill" && targets.clone().any(|arg| arg.text == "1");
        let hits_init =
            look.name != "kill" && targets.any(|arg| matches!(arg.text.as_str(), "init" | "systemd" | "launchd"));
        if hits_first || hits_init {
            self.deny("power state", "ends the first process of the system");
        }
        let hits_all =
            look.name == "kill" && (look.args.len() > 2 && look.args.last().is_some_and(|arg| arg.text == "-1"));
        if hits_all {
            self.ask("every process", "signals every process of the user");
        }
        let fits_all = look.name == "pkill"
            && look.args.iter().skip(1).any(|arg| {
                !arg.text.starts_with('-') && !arg.text.is_empty() && !arg.text.chars().any(char::is_alphanumeric)
            });
        if fits_all {
            self.ask("every process", "the pattern fits every process of the user");
        }
        for (at, arg) in look.args.iter().enumerate().skip(1) {
            if arg.text == "-u" || arg.text.starts_with("--u") || arg.text == "-U" {
                look.record.named.push(at);
            }
        }
    }

    /// A script for the desktop: it can ask for an administrator, end the machine and run a shell.
    fn osascript(&mut self, look: &mut Look) -> bool {
        let code: String = look.args.iter().skip(1).map(|arg| arg.text.to_lowercase() + "\n").collect();
        if code.contains("administrator privileges") {
            self.deny("privilege escalation", "the script asks for the rights of an administrator");
        }
        if code.contains("shut down")
            || code.contains("restart")
            || code.contains("to sleep")
            || code.contains("log out")
        {
            self.deny("power state", "the script changes the power state of the machine");
        }
        if look.stdin == crate::arg::Flow::Network {
            self.deny("network pipe to shell", "fetched text would run as a script");
        }
        self.ask("desktop script", "a desktop script can do anything");
        true
    }
}

/// Whether a word is the name of a program that takes another identity or ends the machine.
pub(super) fn is_denied_name(name: &str) -> bool {
    PRIVILEGE.contains(&name) || POWER.contains(&name)
}
