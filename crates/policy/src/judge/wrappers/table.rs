//! The wrappers with their options.

use crate::options::Grammar;

/// How a wrapper starts its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// As if it were not there: needs no entry of its own.
    Plain,
    /// In a way that the list has to name too.
    Named,
    /// Detached from the shell, in another place or for later.
    Elsewhere,
}

/// One wrapper.
pub(super) struct Wrapper {
    pub(super) names: &'static [&'static str],
    pub(super) grammar: Grammar,
    /// Short options without a value.
    pub(super) flags: &'static str,
    /// Long options without a value.
    pub(super) flags_long: &'static [&'static str],
    /// Operands in front of the program.
    pub(super) operands: usize,
    pub(super) takes_assignments: bool,
    pub(super) kind: Kind,
    /// Options whose value is a command.
    pub(super) code: &'static str,
    pub(super) code_long: &'static [&'static str],
    /// Options whose value is a file to write.
    pub(super) writes: &'static str,
    pub(super) write_long: &'static [&'static str],
    /// Options that are not known do not matter.
    pub(super) is_open: bool,
}

const BASE: Wrapper = Wrapper {
    names: &[],
    grammar: Grammar::stopping("", &[]),
    flags: "",
    flags_long: &["help", "version"],
    operands: 0,
    takes_assignments: false,
    kind: Kind::Plain,
    code: "",
    code_long: &[],
    writes: "",
    write_long: &[],
    is_open: false,
};

const OPEN: Wrapper = Wrapper { is_open: true, kind: Kind::Named, ..BASE };

pub(super) static WRAPPERS: &[Wrapper] = &[
    Wrapper {
        names: &["nohup", "builtin", "chronic", "nocache", "eatmydata", "ifne", "-", "noglob", "nocorrect", "!"],
        flags: "pev",
        ..BASE
    },
    Wrapper { names: &["setsid"], flags: "cfw", flags_long: &["ctty", "fork", "wait", "help", "version"], ..BASE },
    Wrapper {
        names: &["nice", "gnice"],
        grammar: Grammar::stopping("n", &["adjustment"]),
        flags: "0123456789",
        ..BASE
    },
    Wrapper {
        names: &["ionice"],
        grammar: Grammar::stopping("cnpPu", &["class", "classdata", "pid", "pgid", "uid"]),
        flags: "t",
        flags_long: &["ignore", "help", "version"],
        ..BASE
    },
    Wrapper {
        names: &["timeout", "gtimeout"],
        grammar: Grammar::stopping("ks", &["kill-after", "signal"]),
        flags: "vfp",
        flags_long: &["preserve-status", "foreground", "verbose", "help", "version"],
        operands: 1,
        ..BASE
    },
    Wrapper {
        names: &["time", "gtime"],
        grammar: Grammar::stopping("fo", &["format", "output"]),
        flags: "pavlq",
        flags_long: &["portability", "append", "verbose", "quiet", "help", "version"],
        writes: "o",
        write_long: &["output"],
        ..BASE
    },
    Wrapper {
        names: &["stdbuf", "gstdbuf", "unbuffer"],
        grammar: Grammar::stopping("ioe", &["input", "output", "error"]),
        flags: "p",
        ..BASE
    },
    Wrapper { names: &["exec"], grammar: Grammar::stopping("a", &[]), flags: "cl", ..BASE },
    Wrapper { names: &["command"], flags: "p", ..BASE },
    Wrapper {
        names: &["chrt"],
        grammar: Grammar::stopping("TPD", &["sched-runtime", "sched-deadline", "sched-period"]),
        flags: "bdfiorRamGev",
        flags_long: &["batch", "deadline", "fifo", "idle", "other", "rr", "reset-on-fork", "all-tasks", "verbose"],
        operands: 1,
        ..BASE
    },
    Wrapper { names: &["taskset"], flags: "ac", flags_long: &["all-tasks", "cpu-list"], operands: 1, ..BASE },
    Wrapper {
        // The architecture may be left out.
        names: &["setarch", "uname26"],
        flags: "BFILRSTXZ3hvu",
        flags_long: &["addr-no-randomize", "verbose", "32bit", "uname-2.6"],
        ..BASE
    },
    Wrapper { names: &["linux32", "linux64", "i386", "x86_64", "i686", "arch"], flags: "BFILRSTXZ3hvu", ..BASE },
    Wrapper {
        names: &["prlimit", "cpulimit", "numactl", "choom", "softlimit", "uclampset", "trickle", "coreutils"],
        grammar: Grammar::stopping(
            "lemnNCpicLPE",
            &["limit", "cpunodebind", "membind", "adjust", "interleave", "physcpubind", "pid"],
        ),
        ..OPEN
    },
    Wrapper {
        names: &[
            "caffeinate",
            "systemd-inhibit",
            "gnome-session-inhibit",
            "dbus-run-session",
            "dbus-launch",
            "xvfb-run",
            "faketime",
            "fakeroot",
            "fakechroot",
            "torify",
            "torsocks",
            "proxychains",
            "proxychains4",
            "tsocks",
            "usewithtor",
            "ccache",
            "distcc",
            "sccache",
            "icecc",
            "catchsegv",
            "setlock",
            "tini",
            "dumb-init",
            "catatonit",
            "envdir",
            "envchain",
            "with-contenv",
            "firejail",
            "bwrap",
            "proot",
            "nsjail",
            "minijail0",
            "fakeroot-ng",
            "lxterminal",
            "cgexec",
            "systemd-cat",
            "logsave",
            "unshare",
            "nsenter",
            "rootlesskit",
            "aa-exec",
            "runcon",
        ],
        grammar: Grammar::stopping(
            "tnsefwupGgrRSmbWTU",
            &[
                "what",
                "who",
                "why",
                "mode",
                "inhibit",
                "inhibit-only",
                "reason",
                "server-args",
                "server-num",
                "auth-file",
                "error-file",
                "wait",
                "target",
                "root",
                "wd",
                "setuid",
                "setgid",
                "map-user",
                "map-group",
                "profile",
                "namespace",
                "type",
                "user",
                "role",
                "bind",
                "ro-bind",
                "dev",
                "proc",
                "chdir",
                "setenv",
                "tmpfs",
                "identifier",
                "priority",
                "level",
                "map-users",
                "propagation",
            ],
        ),
        ..OPEN
    },
    Wrapper {
        names: &["chroot"],
        grammar: Grammar::stopping("gGu", &["userspec", "groups"]),
        flags_long: &["skip-chdir", "help", "version"],
        operands: 1,
        kind: Kind::Elsewhere,
        ..BASE
    },
    Wrapper {
        names: &["strace", "ltrace", "dtruss", "truss", "ktrace"],
        grammar: Grammar::stopping(
            "abeEIoOpPsSuUXAnlxwF",
            &[
                "output",
                "expr",
                "trace",
                "columns",
                "env",
                "string-limit",
                "attach",
                "user",
                "summary-sort-by",
                "signal",
                "status",
                "interruptible",
            ],
        ),
        writes: "o",
        write_long: &["output"],
        ..OPEN
    },
    Wrapper {
        names: &["valgrind", "heaptrack", "rr", "qemu-x86_64", "qemu-aarch64", "qemu-arm", "box64", "rosetta"],
        grammar: Grammar::stopping("oLE", &["output"]),
        writes: "o",
        write_long: &["output", "log-file"],
        ..OPEN
    },
    Wrapper {
        names: &[
            "ssh-agent",
            "gpg-agent",
            "bear",
            "compiledb",
            "startx",
            "xinit",
            "multitime",
            "bench",
            "wine",
            "wine64",
        ],
        grammar: Grammar::stopping("aEtPOo", &["output", "options", "homedir", "log-file"]),
        ..OPEN
    },
    Wrapper {
        names: &[
            "retry",
            "run-one",
            "run-this-one",
            "run-one-constantly",
            "run-one-until-failure",
            "run-one-until-success",
            "keep-one-running",
            "lima",
        ],
        grammar: Grammar::stopping("tdsm", &["times", "delay", "sleep", "max-time", "until", "while"]),
        ..OPEN
    },
    Wrapper { names: &["entr"], flags: "acdnprz", ..OPEN },
    Wrapper {
        names: &["ld.so"],
        grammar: Grammar::stopping(
            "",
            &[
                "library-path",
                "preload",
                "inhibit-rpath",
                "audit",
                "argv0",
                "glibc-hwcaps-prepend",
                "glibc-hwcaps-mask",
            ],
        ),
        ..OPEN
    },
    Wrapper {
        names: &["systemd-run", "systemd-nspawn"],
        grammar: Grammar::stopping(
            "HMpuEGSdtDi",
            &[
                "directory",
                "image",
                "bind",
                "host",
                "machine",
                "unit",
                "property",
                "description",
                "slice",
                "service-type",
                "uid",
                "gid",
                "nice",
                "working-directory",
                "setenv",
                "on-active",
                "on-boot",
                "on-startup",
                "on-unit-active",
                "on-unit-inactive",
                "on-calendar",
                "timer-property",
                "path-property",
                "socket-property",
                "job-mode",
            ],
        ),
        kind: Kind::Elsewhere,
        ..OPEN
    },
    Wrapper {
        names: &["start-stop-daemon", "daemon", "daemonize", "runsv", "supervise"],
        grammar: Grammar::stopping(
            "xapnucdgkPINr",
            &["exec", "startas", "pidfile", "name", "user", "chuid", "chdir", "group"],
        ),
        kind: Kind::Elsewhere,
        code: "xa",
        code_long: &["exec", "startas"],
        ..OPEN
    },
    Wrapper {
        names: &[
            "xterm",
            "gnome-terminal",
            "konsole",
            "alacritty",
            "kitty",
            "terminator",
            "xfce4-terminal",
            "urxvt",
            "rxvt",
            "st",
            "foot",
            "wezterm",
            "ghostty",
            "lxterm",
            "mate-terminal",
            "tilix",
            "x-terminal-emulator",
            "uxterm",
        ],
        grammar: Grammar::stopping("eTxg", &["command", "execute", "title", "geometry", "working-directory"]),
        kind: Kind::Elsewhere,
        code: "e",
        code_long: &["command", "execute"],
        ..OPEN
    },
    Wrapper {
        names: &[
            "dotenv",
            "aws-vault",
            "op",
            "doppler",
            "infisical",
            "chamber",
            "teller",
            "sops",
            "direnv",
            "foreman",
            "honcho",
            "envconsul",
            "secretspec",
            "varlock",
            "dotenvx",
            "berglas",
        ],
        grammar: Grammar::stopping("fecp", &["env-file", "profile", "project", "config", "env"]),
        kind: Kind::Elsewhere,
        code: "c",
        code_long: &["command"],
        ..OPEN
    },
    Wrapper {
        names: &[
            "steam-run",
            "nixGL",
            "optirun",
            "primusrun",
            "prime-run",
            "gamemoderun",
            "mangohud",
            "appimage-run",
            "flatpak-spawn",
        ],
        grammar: Grammar::stopping("", &["directory", "env", "sandbox-expose"]),
        ..OPEN
    },
    Wrapper {
        names: &["perf", "uftrace", "vtune", "samply", "py-spy", "austin", "hotspot"],
        grammar: Grammar::stopping("eoFpgtIrCGSk", &["output", "event", "call-graph", "freq", "pid"]),
        operands: 1,
        writes: "o",
        write_long: &["output"],
        ..OPEN
    },
    Wrapper {
        names: &[
            "kernprof",
            "memray",
            "scalene",
            "debugpy",
            "nyc",
            "c8",
            "nodemon",
            "cross-env",
            "env-cmd",
            "dotenv-cli",
            "npm-run-all",
            "wireit",
        ],
        grammar: Grammar::stopping("x", &["exec", "source", "omit", "include"]),
        takes_assignments: true,
        code: "x",
        code_long: &["exec"],
        ..OPEN
    },
    Wrapper {
        names: &["rlwrap", "socksify", "reflex", "modd", "sem"],
        grammar: Grammar::stopping("abcCDefgHimMpPqrsSwzjRGtn", &["regex", "glob", "jobs", "id"]),
        ..OPEN
    },
];
