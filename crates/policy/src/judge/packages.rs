//! Package managers: what installs, removes or fetches code.

mod table;

use super::{Look, Walker};
use crate::arg::{Arg, Flow};
use crate::options::{Grammar, Parsed};
use crate::walk::state::State;
use table::{MANAGERS, Manager};

/// Programs that fetch a package and run it at once.
const REMOTE_RUNNERS: &[&str] = &["npx", "bunx", "pnpx", "uvx", "pnx", "pkgx", "tea"];

/// Programs whose every use installs or removes.
const ALWAYS: &[&str] = &[
    "easy_install",
    "pkg_add",
    "pkg_delete",
    "xbps-install",
    "xbps-remove",
    "urpmi",
    "urpme",
    "installpkg",
    "removepkg",
    "upgradepkg",
    "slackpkg",
    "dpkg-reconfigure",
    "tasksel",
    "add-apt-repository",
    "apt-add-repository",
    "nixos-rebuild",
    "darwin-rebuild",
    "softwareupdate",
    "cargo-binstall",
    "unattended-upgrade",
    "aptdcon",
    "gdebi",
    "debi",
    "checkinstall",
    "alien",
    "rpm2txz",
    "do-release-upgrade",
    "installer",
];

impl Walker<'_> {
    /// Package managers.
    pub(super) fn package(&mut self, look: &mut Look, state: &mut State) -> bool {
        let name = family(&look.name);
        if ALWAYS.contains(&name.as_str()) {
            self.deny("package install", format!("`{name}` installs or removes software"));
            return true;
        }
        if REMOTE_RUNNERS.contains(&name.as_str()) {
            self.remote_runner(look, 1, state);
            return true;
        }
        match name.as_str() {
            "pacman" | "yay" | "paru" | "pikaur" | "trizen" | "pamac" => {
                self.pacman(look);
                return true;
            }
            "rpm" | "dpkg" | "nix-env" => {
                self.by_letters(look);
                return true;
            }
            "nix-channel" => {
                if look.args.len() > 1 && look.text(1) != "--list" {
                    self.deny("package install", "`nix-channel` changes where software comes from");
                }
                return true;
            }
            "emerge" => {
                let parsed = look.parse(&Grammar::new("", &[]));
                let reads = parsed.has('p', "pretend")
                    || parsed.has('s', "search")
                    || parsed.has_short("S")
                    || parsed.has('\0', "info")
                    || parsed.has_short("hV");
                if !reads && look.args.len() > 1 {
                    self.deny("package install", "`emerge` installs or removes software");
                }
                return true;
            }
            "cpan" | "cpanm" | "cpanp" => {
                let reads = look.args.len() > 1
                    && look.args.iter().skip(1).all(|arg| {
                        matches!(arg.text.as_str(), "--version" | "-v" | "-h" | "--help" | "--info" | "-l" | "-D")
                    });
                if !reads {
                    self.deny("package install", format!("`{name}` installs software"));
                }
                return true;
            }
            "code" | "codium" | "cursor" | "code-insiders" => {
                if look.args.iter().any(|arg| {
                    arg.text.starts_with("--install-ext")
                        || arg.text.starts_with("--uninstall-ext")
                        || arg.text.starts_with("--update-ext")
                }) {
                    self.deny("package install", "the editor would install or remove an extension");
                }
                return true;
            }
            _ => {}
        }
        let Some(manager) = MANAGERS.iter().find(|manager| manager.names.has(&name)) else {
            return false;
        };
        self.managed(look, manager, state);
        true
    }

    fn managed(&mut self, look: &mut Look, manager: &Manager, state: &mut State) {
        let parsed = look.parse(&manager.grammar);
        let operands: Vec<usize> =
            parsed.operands.iter().copied().filter(|at| !(look.text(*at).starts_with('+') && *at == 1)).collect();
        let asks_for_help = parsed.has('\0', "help") && look.args.iter().any(|arg| arg.text == "--help");
        let has_version = look.args.iter().any(|arg| matches!(arg.text.as_str(), "--version" | "-v" | "-V"));
        self.manager_options(look, manager, &parsed, state);
        let Some(place) = verb_place(look, manager, &operands) else {
            if manager.bare_installs && operands.is_empty() && !asks_for_help && !has_version {
                self.deny("package install", format!("`{}` without a verb installs what the project names", look.name));
            }
            self.launched(look, state);
            if let Some(first) = operands.first() {
                // A verb that is not known: a script or a plug-in.
                look.set_head(&[*first]);
            }
            return;
        };
        let verb = look.text(place).to_lowercase();
        let rest: Vec<usize> = operands.iter().copied().filter(|at| *at > place).collect();
        let next = rest.first().map(|at| look.text(*at).to_lowercase()).unwrap_or_default();
        let pair = format!("{verb} {next}");
        let is_nested = manager.nested.has(&verb) && !next.is_empty();
        // `yarn workspace NAME add …` has the verb behind the name.
        let in_workspace = verb == "workspace"
            && rest.get(1).is_some_and(|at| {
                let inner = look.text(*at).to_lowercase();
                manager.is_denied(&inner)
            });
        let denied = in_workspace
            || (manager.is_denied(&verb) && !manager.nested.has(&verb))
            || manager.denied_pairs.has(&pair)
            || (is_nested && nested_denied(&verb, &next, &rest, look));
        if denied && !asks_for_help {
            let shown = if is_nested { pair.clone() } else { verb.clone() };
            self.deny("package install", format!("`{} {shown}` installs, changes or removes software", look.name));
        }
        if is_nested {
            look.set_head(&[place, rest.first().copied().unwrap_or(place)]);
        } else {
            look.set_head(&[place]);
            if matches!(verb.as_str(), "run" | "run-script" | "rum" | "urn")
                && let Some(script) = rest.first()
            {
                if look.name == "bun" && look.text(*script).contains(['/', '.']) {
                    // A file, and no script of the project.
                    look.must_spell(*script);
                }
                look.bring_forward(*script);
            }
        }
        if manager.asking.has(&verb) || manager.asking.has(&pair) {
            self.ask(
                "project setting",
                format!("`{} {verb}` changes settings, publishes or runs fetched code", look.name),
            );
        }
        if manager.remote.has(&verb) || manager.remote.has(&pair) {
            // Its own options stand between the verb and the package.
            let verb_end = if manager.remote.has(&pair) { rest.first().copied().unwrap_or(place) } else { place };
            let at = verb_end + 1;
            self.remote_runner(look, at, state);
        }
        let watches = look.name == "cargo" && matches!(verb.as_str(), "watch" | "+watch");
        if watches || verb == "run" && matches!(look.name.as_str(), "yarn" | "pnpm") {
            let words = look.from(place + 1);
            for word in words.iter().filter(|word| word.text.contains(' ')) {
                self.denied_in_code(&word.text.replace(crate::arg::UNKNOWN, "x"), &Flow::Nothing, state);
            }
            self.denied_anywhere(look, place + 1, look.args.len(), state);
        }
        let may_launch = !manager.runs.has(&verb) && matches!(verb.as_str(), "exec" | "x" | "cmd" | "shell");
        if may_launch || in_workspace || verb == "workspace" || matches!(look.name.as_str(), "guix" | "mix" | "flatpak")
        {
            self.launched(look, state);
        }
        if manager.runs.has(&verb) || manager.runs.has(&pair) {
            let skip = usize::from(manager.runs.has(&pair));
            self.run_inside(look, manager, place, skip, state);
        }
    }

    /// A program that the manager starts in its environment.
    fn run_inside(&mut self, look: &mut Look, manager: &Manager, place: usize, skip: usize, state: &mut State) {
        let mut words = vec![Arg::literal(look.name.clone())];
        words.extend(look.from(place + 1 + skip));
        let grammar = Grammar { stops: true, ..manager.run_grammar };
        let parsed = crate::options::parse(&words, &grammar);
        for option in &parsed.options {
            if option.is_long
                && matches!(
                    option.name.as_str(),
                    "with" | "with-editable" | "with-requirements" | "from" | "spec" | "pip-args" | "package"
                )
                && look.name != "cargo"
            {
                self.ask("fetches code", "would download a package and run with it");
            }
            if option.is('c', "call")
                && look.name == "npm"
                && let Some(value) = &option.value
            {
                self.denied_in_code(&value.text, &Flow::Nothing, state);
            }
        }
        for option in parsed.options.iter().filter(|option| option.is('c', "command") && option.name != "co") {
            if let Some(value) = option.value.as_ref().filter(|value| value.text.contains(' ')) {
                self.denied_in_code(&value.text.replace(crate::arg::UNKNOWN, "x"), &Flow::Nothing, state);
            }
        }
        let Some(first) = parsed.operands.first().copied() else { return };
        let at = first + versions(&look.name, look.text(place), words.get(first..).unwrap_or_default());
        let mut inner = words.get(at..).unwrap_or_default().to_vec();
        if inner.is_empty() {
            return;
        }
        if look.name == "nvm" && look.text(place) == "run" {
            inner.insert(0, Arg::literal("node"));
        }
        look.executes(&crate::arg::line(&inner));
        let code = match inner.as_slice() {
            [option, code, ..] if matches!(option.text.as_str(), "-c" | "--command") => Some(code),
            [only] => Some(only),
            _ => None,
        };
        if let Some(code) = code.filter(|code| code.text.contains(' ')) {
            self.denied_in_code(&code.text.replace(crate::arg::UNKNOWN, "x"), &Flow::Nothing, state);
        }
        let name = inner.first().map(|arg| arg.text.clone()).unwrap_or_default();
        if std::path::Path::new(&name).extension().is_some_and(|end| end == "py") && look.name == "uv" {
            look.must_spell(place + 1);
            return;
        }
        self.inner_behind(look, inner, state);
        look.record.needs_entry = true;
    }

    /// Fetches a package and runs it.
    fn remote_runner(&mut self, look: &mut Look, from: usize, state: &mut State) {
        let informs = look.args.len() == 2 && matches!(look.text(1), "--version" | "-v" | "-V" | "--help" | "-h");
        if informs {
            return;
        }
        self.note("fetches code", format!("`{}` downloads a package and runs it", look.name));
        let mut words = vec![Arg::literal(look.name.clone())];
        words.extend(look.from(from));
        let parsed = crate::options::parse(
            &words,
            &Grammar::stopping(
                "pcw",
                &[
                    "package",
                    "call",
                    "from",
                    "with",
                    "python",
                    "index",
                    "index-url",
                    "spec",
                    "workspace",
                    "registry",
                    "shell",
                ],
            ),
        );
        for value in parsed.values('c', "call") {
            self.denied_in_code(&value.text, &Flow::Nothing, state);
        }
        for option in &parsed.options {
            if matches!(
                option.name.as_str(),
                "c" | "call" | "p" | "package" | "from" | "with" | "registry" | "index-url" | "index" | "shell"
            ) {
                self.ask("fetches code", "an option names what is fetched or run");
            }
        }
        match parsed.operands.first() {
            Some(at) => {
                look.must_spell((at + from).saturating_sub(1));
                let inner = words.get(*at..).unwrap_or_default().to_vec();
                look.executes(&crate::arg::line(&inner));
                let mut inner = inner;
                if look.name == "nix" {
                    // Behind the packages stands the program; `nix run` starts the one that the package is named after.
                    let start = inner.iter().position(|arg| matches!(arg.text.as_str(), "-c" | "--command"));
                    if let Some(start) = start {
                        inner.drain(..=start);
                    } else if let Some(first) = inner.first_mut() {
                        let name = first.text.rsplit(['#', '.']).next().unwrap_or_default().to_owned();
                        *first = Arg::literal(name);
                    }
                }
                if let Some(first) = inner.first_mut() {
                    // A version behind the name does not change what it does.
                    if let Some((name, _)) = first.text.clone().split_once('@')
                        && !name.is_empty()
                    {
                        *first = Arg::literal(name);
                    }
                }
                self.denied_inside(inner, &look.stdin.clone(), state);
            }
            None => self.ask("fetches code", "would download a package and run it"),
        }
    }

    fn manager_options(&mut self, look: &mut Look, manager: &Manager, parsed: &Parsed, state: &State) {
        for option in &parsed.options {
            // `--config.NAME` sets what `--NAME` sets.
            let name = option.name.strip_prefix("config.").unwrap_or(&option.name);
            let is_risky = option.is_long
                && (manager.risky.has(name)
                    || name.starts_with("use-yarnrc")
                    || name.starts_with("script-shell")
                    || name.starts_with("userconfig")
                    || name.starts_with("globalconfig")
                    || name.starts_with("ignore-path")
                    || name.starts_with("node-options")
                    || name.starts_with("require") && look.name == "npm");
            let is_here = name == "prefix" && option.value.as_ref().is_some_and(is_inside);
            let is_risky =
                is_risky && !is_here || (!option.is_long && manager.risky_shorts.contains(name) && !name.is_empty());
            if is_risky {
                self.ask(
                    "option that executes",
                    format!("the option `{name}` of `{}` sets what is run or read", look.name),
                );
                if let Some(value) = &option.value {
                    let code = value
                        .text
                        .split_once('=')
                        .map_or(value.text.as_str(), |(_, code)| code)
                        .trim_matches(['"', '\'', '[', ']'])
                        .to_owned();
                    self.denied_in_code(&code, &Flow::Nothing, state);
                }
            }
        }
        if look.name == "cargo" {
            for option in parsed.options.iter().filter(|option| {
                option.is_long && matches!(option.name.as_str(), "target-dir" | "artifact-dir" | "out-dir" | "root")
            }) {
                let next = look.args.get(option.at + 1).cloned();
                if let Some(folder) = option.value.clone().or(next) {
                    self.write(&Arg::literal(format!("{}/x", folder.text)), state);
                }
            }
        }
        if look.name == "go" && look.text(1) == "run" && look.args.iter().skip(2).any(|arg| arg.text.contains('@')) {
            self.ask("fetches code", "`go run` would fetch a program and run it");
        }
        // Options in one dash and a whole word, as the tools of Go take them.
        if look.name == "go"
            && look.args.iter().skip(1).any(|arg| matches!(arg.text.as_str(), "-w" | "-u"))
            && look.text(1) == "env"
        {
            self.ask("project setting", "`go env -w` changes settings of every project");
        }
        if look.name == "go" {
            for at in 1..look.args.len() {
                let text = look.text(at).trim_start_matches('-').to_owned();
                if !look.text(at).starts_with('-') {
                    continue;
                }
                let (name, value) =
                    text.split_once('=').map_or((text.as_str(), None), |(name, value)| (name, Some(value.to_owned())));
                let value = value.or_else(|| look.args.get(at + 1).map(|arg| arg.text.clone())).unwrap_or_default();
                if ["exec", "toolexec", "vettool", "overlay", "modfile", "ldflags", "gcflags", "compiler", "gccgoflags"]
                    .contains(&name)
                {
                    if matches!(name, "ldflags" | "gcflags") && !value.contains("extld") {
                        continue;
                    }
                    self.ask("option that executes", format!("the option `-{name}` of `go` starts a program"));
                    self.denied_in_code(&value, &Flow::Nothing, state);
                }
                if ["o", "coverprofile", "cpuprofile", "memprofile", "trace", "outputdir", "blockprofile"]
                    .contains(&name)
                {
                    self.writes_aside(look, &Arg::literal(value), state);
                }
            }
        }
    }

    fn pacman(&mut self, look: &mut Look) {
        let parsed = look.parse(&Grammar::new(
            "brd",
            &["dbpath", "root", "config", "cachedir", "gpgdir", "hookdir", "arch", "color", "ignore", "overwrite"],
        ));
        let has = |letter: char, name: &str| parsed.has(letter, name);
        let bundle = look
            .args
            .iter()
            .skip(1)
            .find(|arg| arg.text.starts_with('-') && !arg.text.starts_with("--"))
            .map(|arg| arg.text.clone())
            .unwrap_or_default();
        let reads_sync =
            bundle.contains('S') && bundle.contains(['s', 'i', 'l', 'g', 'p']) && !bundle.contains(['y', 'u', 'c'])
                || has('\0', "search")
                || has('\0', "info") && parsed.options.iter().any(|option| option.name == "info");
        let changes = has('S', "sync") && !reads_sync
            || bundle.contains('R')
            || bundle.contains('U')
            || parsed
                .options
                .iter()
                .any(|option| option.is_long && (option.name == "remove" || option.name == "upgrade"))
            || bundle.starts_with("-F") && bundle.contains('y')
            || look.name == "pamac"
                && ["install", "remove", "upgrade", "update", "build", "reinstall", "clean"].contains(&look.text(1));
        let bare = look.name != "pacman" && look.name != "pamac" && look.args.len() == 1;
        let searches =
            look.name != "pacman" && look.name != "pamac" && !parsed.operands.is_empty() && bundle.is_empty();
        if changes || bare || searches && parsed.options.is_empty() {
            self.deny("package install", format!("`{}` installs or removes software", look.name));
        }
    }

    fn by_letters(&mut self, look: &mut Look) {
        let parsed = look.parse(&Grammar::new("", &["root", "dbpath", "file", "profile", "attr", "arg"]));
        let changes = match look.name.as_str() {
            "rpm" => {
                let queries = parsed.has('q', "query")
                    || parsed.has_short("VK")
                    || parsed.options.iter().any(|option| option.name == "verify" || option.name == "checksig");
                !queries
                    && (parsed.has_short("iUFe")
                        || ["install", "upgrade", "freshen", "erase", "reinstall", "import", "rebuilddb"]
                            .iter()
                            .any(|name| parsed.options.iter().any(|option| option.is_long && option.name == *name)))
            }
            "dpkg" => {
                parsed.has_short("irP")
                    || [
                        "install",
                        "remove",
                        "purge",
                        "unpack",
                        "configure",
                        "add-architecture",
                        "set-selections",
                        "clear-selections",
                        "update-avail",
                        "triggers-only",
                    ]
                    .iter()
                    .any(|name| parsed.options.iter().any(|option| option.is_long && option.name == *name))
                    || look.args.iter().any(|arg| arg.text == "-a" || arg.text == "--pending")
            }
            _ => {
                parsed.has_short("ieuG") && !parsed.has_short("q")
                    || [
                        "install",
                        "uninstall",
                        "upgrade",
                        "rollback",
                        "set",
                        "switch-generation",
                        "delete-generations",
                        "switch-profile",
                    ]
                    .iter()
                    .any(|name| parsed.options.iter().any(|option| option.is_long && option.name == *name))
            }
        };
        if changes {
            self.deny("package install", format!("`{}` installs or removes software", look.name));
        }
    }
}

/// How many words between `exec` and the program name a version of the tool.
fn versions(name: &str, verb: &str, words: &[Arg]) -> usize {
    let text = |at: usize| words.get(at).map(|arg| arg.text.as_str()).unwrap_or_default();
    let mut count = match name {
        "rustup" => 1,
        "nvm" | "n" => {
            let is_version = text(0).trim_start_matches('v').starts_with(|next: char| next.is_ascii_digit())
                || text(0).starts_with("lts/")
                || matches!(text(0), "node" | "stable" | "default" | "system" | "current" | "iojs" | "unstable")
                    && verb != "run";
            usize::from(is_version)
        }
        "mise" | "rtx" | "proto" => words.iter().take_while(|arg| arg.text.contains('@')).count(),
        _ => 0,
    };
    while text(count) == "--" {
        count += 1;
    }
    count
}

/// A known folder below the one the command runs in.
fn is_inside(folder: &Arg) -> bool {
    folder.is_static()
        && !folder.has_placeholder
        && !folder.text.starts_with(['/', '~', '-'])
        && !folder.text.split('/').any(|part| part == "..")
}

/// `pip3.12` is a `pip`.
fn family(name: &str) -> String {
    let trimmed = name.trim_end_matches(|next: char| next.is_ascii_digit() || next == '.' || next == '-');
    match trimmed {
        "pip" | "gem" | "easy_install" | "cpan" => trimmed.to_owned(),
        _ => name.to_owned(),
    }
}

/// Where the verb stands: the first operand that is one; before it only values of options that are not known here.
fn verb_place(look: &Look, manager: &Manager, operands: &[usize]) -> Option<usize> {
    let is_verb = |at: &usize| {
        let text = look.text(*at).to_lowercase();
        manager.is_denied(&text)
            || manager.others.has(&text)
            || manager.nested.has(&text)
            || manager.runs.has(&text)
            || manager.remote.has(&text)
            || manager.asking.has(&text)
    };
    let first = operands.first()?;
    if is_verb(first) {
        return Some(*first);
    }
    // Only a word behind an option can be its value.
    let mut previous = *first;
    if !look.text(previous.saturating_sub(1)).starts_with('-') {
        return None;
    }
    for at in operands.iter().skip(1).take(3) {
        if is_verb(at) {
            return Some(*at);
        }
        if !look.text(at.saturating_sub(1)).starts_with('-') && previous + 1 != *at {
            return None;
        }
        previous = *at;
    }
    None
}

fn nested_denied(verb: &str, next: &str, rest: &[usize], look: &Look) -> bool {
    let last = rest.get(1).map(|at| look.text(*at).to_lowercase()).unwrap_or_default();
    let pairs = [
        "install",
        "uninstall",
        "add",
        "remove",
        "update",
        "upgrade",
        "link",
        "unlink",
        "sync",
        "use",
        "inject",
        "i",
        "rm",
        "un",
    ];
    // `config set install …` is a setting, `help install` is a text.
    !matches!(verb, "config" | "help" | "cache" | "info" | "show" | "view")
        && (pairs.contains(&next)
            || (matches!(next, "toolchain" | "target" | "component" | "lib" | "pip" | "tool" | "python")
                && pairs.contains(&last.as_str())))
}
