//! `git`: its global options, the options of its verbs that start programs, and what it writes.

mod table;

use super::{Look, Walker};
use crate::arg::{Arg, Flow};
use crate::options::{Parsed, parse};
use crate::walk::state::State;
use table::{CONFIG, GLOBAL, NESTED, RUNNERS, RUNNING_KEYS, SPELLED, WRITERS, grammar_of};

impl Walker<'_> {
    /// `git` and the programs that are a verb of it.
    pub(super) fn git(&mut self, look: &mut Look, state: &mut State) -> bool {
        if look.name == "hub" {
            "git".clone_into(&mut look.name);
        }
        if look.name != "git" {
            return false;
        }
        look.names_only = false;
        let parsed = look.parse(&GLOBAL);
        let mut folder = None;
        for option in &parsed.options {
            let value = option.value.clone();
            match (option.is_long, option.name.as_str()) {
                (false, "C") => folder = value,
                (false, "c") => {
                    self.ask("setting on the command line", "`git -c` sets what `git` runs");
                    if let Some(value) = value {
                        self.git_setting(look, &value.text, state);
                    }
                }
                (false, "p") | (true, "paginate") => {
                    self.ask("option that executes", "`git -p` starts the pager that the settings name");
                }
                (true, name)
                    if [
                        "exec-path",
                        "git-dir",
                        "work-tree",
                        "config-env",
                        "bare",
                        "namespace",
                        "super-prefix",
                        "attr-source",
                    ]
                    .iter()
                    .any(|known| known.starts_with(name))
                        && !(name == "exec-path" && option.value.is_none()) =>
                {
                    self.ask(
                        "another repository",
                        format!("`git --{name}` changes where `git` takes its settings and programs from"),
                    );
                }
                _ => {}
            }
        }
        let Some(verb_at) = parsed.operands.first().copied() else { return true };
        let verb = look.text(verb_at).to_owned();
        let words: Vec<Arg> = look.from(verb_at);
        let grammar = if verb == "config" { CONFIG } else { grammar_of(&verb) };
        let inside = parse(&words, &grammar);
        let second = inside.operands.first().map(|at| at + verb_at).filter(|_| NESTED.contains(&verb.as_str()));
        let places: Vec<usize> = std::iter::once(verb_at).chain(second).collect();
        look.set_head(&places);
        let mut there = state.clone();
        if let Some(folder) = &folder {
            let (path, is_known) = crate::path::resolve(&folder.text, state.folder.as_deref(), self.context);
            there.folder = (is_known && !folder.is_dynamic).then_some(path);
        }
        // Whoever can write there can have put settings there that start programs.
        let is_shared = there.folder.as_deref().is_some_and(|folder| {
            ["/tmp", "/var/tmp", "/dev/shm", "/private/tmp"]
                .iter()
                .any(|root| folder.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
        });
        let is_home = self.context.working_folder == there.folder;
        if is_shared && !is_home && verb != "init" && verb != "clone" {
            self.ask("another repository", "`git` would obey the settings of a folder that everyone can write");
        }
        if RUNNERS.contains(&verb.as_str()) {
            self.ask("option that executes", format!("`git {verb}` runs programs or serves a repository"));
        }
        if WRITERS.contains(&verb.as_str()) {
            // A repository in a guarded folder is guarded as well.
            self.write(&Arg::literal("./tracked"), &there);
        }
        self.git_options(look, &verb, verb_at, &inside, &there);
        self.git_verb(look, &verb, verb_at, &inside, &mut there);
        self.git_spelled(look, &verb, verb_at, &inside);
        if gives_a_word(look, &verb, &inside) {
            look.out = Some(Flow::Word);
        }
        true
    }

    fn git_options(&mut self, look: &mut Look, verb: &str, from: usize, inside: &Parsed, state: &State) {
        for option in &inside.options {
            let long = |name: &str, least: usize| {
                option.is_long && name.starts_with(&option.name) && option.name.len() >= least
            };
            let short = |name: &str| !option.is_long && option.name == name;
            let runs = long("upload-pack", 6)
                || long("receive-pack", 4)
                || long("exec", 4) && !matches!(verb, "for-each-repo")
                || long("ext-diff", 3) && !option.name.is_empty()
                || long("extcmd", 4)
                || long("open-files-in-pager", 2)
                || long("to-cmd", 3)
                || long("cc-cmd", 3)
                || long("sendmail-cmd", 5)
                || long("smtp-server", 5) && verb == "send-email"
                || long("textconv", 4)
                || long("filters", 6) && verb == "cat-file"
                || verb == "rebase" && short("x")
                || verb == "difftool" && short("x")
                || verb == "grep" && short("O")
                || verb == "clone" && short("u")
                || verb == "clone" && short("c")
                || verb == "clone" && long("config", 4)
                || matches!(verb, "clone" | "init") && long("template", 4)
                || verb == "init" && long("separate-git-dir", 4)
                || verb == "difftool" && (long("tool", 4) || short("t"))
                || verb == "merge"
                    && long("strategy", 5)
                    && option.value.as_ref().is_some_and(|value| value.text.contains('/'))
                || verb == "bisect" && long("exec", 2);
            if runs {
                self.ask(
                    "option that executes",
                    format!("the option `{}` of `git {verb}` starts what it names", option.name),
                );
                if let Some(value) = &option.value {
                    look.executes(&value.text);
                    if verb == "clone" && (short("c") || long("config", 4)) {
                        self.git_setting(look, &value.text, state);
                    } else {
                        self.denied_in_code(&value.text, &Flow::Nothing, state);
                    }
                }
            }
            let writes = long("output", 4)
                || long("output-directory", 7)
                || verb == "archive" && short("o")
                || verb == "format-patch" && short("o")
                || verb == "bugreport" && short("o")
                || verb == "diagnose" && short("o");
            if writes && let Some(value) = &option.value {
                self.writes_aside(look, value, state);
            }
            if long("no-index", 6) || long("contents", 5) {
                look.names_only = false;
            }
        }
        for at in &inside.operands {
            let text = look.text(at + from).to_owned();
            let lower = text.to_lowercase();
            if lower.starts_with("ext::")
                || lower.starts_with("fd::")
                || (lower.contains("::")
                    && !lower.starts_with(':')
                    && matches!(
                        verb,
                        "fetch" | "clone" | "pull" | "push" | "ls-remote" | "remote" | "submodule" | "archive"
                    ))
            {
                self.ask("option that executes", "a transport of this kind starts what it names");
                if let Some((_, code)) = text.split_once("::") {
                    look.executes(code);
                    self.denied_in_code(code, &Flow::Nothing, state);
                }
            }
            if matches!(verb, "fetch" | "clone" | "pull" | "push" | "ls-remote")
                && text.starts_with('-')
                && inside.has_end
            {
                self.ask("option that executes", "an address that looks like an option");
            }
        }
    }

    fn git_verb(&mut self, look: &mut Look, verb: &str, from: usize, inside: &Parsed, state: &mut State) {
        let operand = |index: usize| inside.operands.get(index).and_then(|at| look.args.get(at + from)).cloned();
        match verb {
            "clone" => {
                let target = operand(1).or_else(|| {
                    operand(0).map(|url| {
                        Arg::literal(
                            url.text
                                .trim_end_matches('/')
                                .trim_end_matches(".git")
                                .rsplit(['/', ':'])
                                .next()
                                .unwrap_or("repository")
                                .to_owned(),
                        )
                    })
                });
                if let Some(target) = target {
                    self.writes_purposely(look, &target, state);
                }
            }
            "init" => {
                let target = operand(0).unwrap_or_else(|| Arg::literal("."));
                self.writes_purposely(look, &target, state);
            }
            "worktree" => {
                let target = match operand(0).map(|arg| arg.text).as_deref() {
                    Some("add" | "remove") => operand(1),
                    Some("move") => operand(2),
                    _ => None,
                };
                if let Some(target) = target {
                    self.writes_purposely(look, &target, state);
                }
            }
            "config" => self.git_config(look, from, inside, state),
            "submodule" => match operand(0).map(|arg| arg.text).as_deref() {
                Some("foreach") => {
                    let words = look.from(from + inside.operands.get(1).copied().unwrap_or(usize::MAX - from));
                    let code = super::network::join(&words);
                    look.executes(&code);
                    let mut inner = state.deeper();
                    self.code_in(look, &Arg::literal(code), &mut inner);
                }
                Some("add") => {
                    if let Some(target) = operand(2) {
                        self.writes_purposely(look, &target, state);
                    }
                }
                _ => {}
            },
            "bisect" if operand(0).is_some_and(|arg| arg.text == "run") => {
                let words = look.from(from + inside.operands.get(1).copied().unwrap_or(usize::MAX - from));
                look.executes(&crate::arg::line(&words));
                self.inner(look, words, &mut state.deeper());
            }
            "filter-branch" | "hook" | "for-each-repo" => {
                for arg in look.from(from + 1) {
                    let text = arg.text.clone();
                    if text.contains(' ') || text.contains('$') {
                        self.denied_in_code(&text, &Flow::Nothing, state);
                    }
                }
            }
            "rebase" => {
                for value in [inside.values('x', "exec")].concat() {
                    self.denied_in_code(&value.text, &Flow::Nothing, state);
                }
            }
            "apply" | "am"
                if inside
                    .options
                    .iter()
                    .any(|option| option.is_long && (option.name == "unsafe-paths" || option.name == "directory")) =>
            {
                self.ask("write", format!("`git {verb}` could write outside the work tree"));
            }
            "archive" if inside.has('\0', "remote") => self.ask("network", "fetches an archive"),
            "maintenance"
                if operand(0).is_some_and(|arg| matches!(arg.text.as_str(), "start" | "register" | "stop")) =>
            {
                self.ask("autostart", "`git maintenance` changes what starts by itself");
            }
            "lfs" if operand(0).is_some_and(|arg| matches!(arg.text.as_str(), "install" | "uninstall")) => {
                self.ask("git hooks", "`git lfs install` writes hooks and settings");
            }
            "bundle" if operand(0).is_some_and(|arg| arg.text == "create") => {
                if let Some(target) = operand(1) {
                    self.writes_aside(look, &target, state);
                }
            }
            "apply" | "am" | "pull" | "reset" => self.writes_purposely(look, &Arg::literal("."), state),
            "checkout" | "restore" | "mv" | "rm" | "sparse-checkout" => {
                for at in inside.operands.clone() {
                    let arg = look.args.get(at + from).cloned().unwrap_or_default();
                    if arg.text.contains('/') {
                        self.writes_purposely(look, &arg, state);
                    }
                }
            }
            "symbolic-ref" | "update-ref" | "replace" | "read-tree" | "prune" => look.must_spell(from),
            "alias" => {}
            _ => {}
        }
        if verb == "clean" {
            self.note("removes files", "removes files that `git` does not know, for good");
        }
        if verb == "push"
            && look.args.iter().skip(from + 1).any(|arg| arg.text.starts_with('+') || arg.text.starts_with(':'))
        {
            self.note("rewrites history", "overwrites or deletes a branch of the remote");
            for at in from + 1..look.args.len() {
                if look.text(at).starts_with(['+', ':']) {
                    look.must_spell(at);
                }
            }
        }
    }

    fn git_spelled(&mut self, look: &mut Look, verb: &str, from: usize, inside: &Parsed) {
        for (wanted, short, long) in SPELLED {
            if *wanted != verb {
                continue;
            }
            for option in inside
                .options
                .iter()
                .filter(|option| option.is(*short, long) && (!option.is_long || option.name.len() > 2))
            {
                look.must_spell(option.at + from);
                self.note("destroys work", format!("`git {verb}` with this option overwrites or removes work"));
            }
        }
        if matches!(verb, "checkout" | "restore") {
            for at in &inside.operands {
                if matches!(look.text(at + from), "." | "./" | ":/" | ":" | "*" | ":/*") {
                    look.must_spell(at + from);
                    self.note("destroys work", format!("`git {verb}` of the whole tree overwrites work"));
                }
            }
        }
        if verb == "push" {
            for at in &inside.operands {
                let text = look.text(at + from).to_owned();
                let is_address =
                    text.contains("://") || text.split_once(':').is_some_and(|(host, _)| host.contains('@'));
                if is_address {
                    look.must_spell(at + from);
                }
            }
        }
        let second = inside.operands.first().map(|at| look.text(at + from).to_owned()).unwrap_or_default();
        if matches!(
            (verb, second.as_str()),
            ("stash", "drop" | "clear")
                | ("reflog", "expire" | "delete")
                | ("worktree", "remove" | "prune")
                | ("remote", "add" | "set-url" | "remove" | "rm")
                | ("submodule", "deinit")
        ) {
            let at = inside.operands.first().map_or(from, |at| at + from);
            look.must_spell(at);
        }
    }

    /// One setting given as `key=value`.
    fn git_setting(&mut self, look: &mut Look, text: &str, state: &State) {
        let (key, value) = text.split_once('=').unwrap_or((text, ""));
        let lower = key.to_lowercase();
        let code = value.trim_start().strip_prefix('!').unwrap_or(value);
        let runs = runs_programs(&lower);
        if runs {
            look.executes(code);
            self.denied_in_code(code, &Flow::Nothing, state);
        }
    }

    fn git_config(&mut self, look: &mut Look, from: usize, inside: &Parsed, state: &State) {
        let operands: Vec<String> = inside.operands.iter().map(|at| look.text(at + from).to_owned()).collect();
        let long = |name: &str| inside.options.iter().any(|option| option.is_long && option.name == name);
        let first = operands.first().map(String::as_str).unwrap_or_default();
        let reads = long("get")
            || long("get-all")
            || long("get-regexp")
            || long("list")
            || inside.has_short("l")
            || long("get-urlmatch")
            || long("get-color")
            || long("show-origin") && operands.len() < 2
            || matches!(first, "get" | "list")
            || operands.len() == 1
                && !long("unset")
                && !long("edit")
                && !long("unset-all")
                && !matches!(first, "edit" | "unset" | "remove-section");
        for value in inside.values('f', "file") {
            if !reads {
                self.writes_aside(look, &value, state);
            }
        }
        if reads {
            return;
        }
        self.write(&Arg::literal("./tracked"), state);
        if long("global") || long("system") {
            self.ask("start-up file", "changes the settings of `git` for every project");
            if long("system") {
                self.deny("protected path", "`/etc/gitconfig` is protected (files of the system)");
            }
        }
        if long("edit") || inside.has_short("e") || first == "edit" {
            self.ask("option that executes", "opens an editor");
        }
        let (key, value) = match operands.as_slice() {
            [verb, key, value, ..] if verb == "set" => (key.clone(), value.clone()),
            [key, value, ..] => (key.clone(), value.clone()),
            _ => (String::new(), String::new()),
        };
        if runs_programs(&key.to_lowercase()) {
            self.ask("option that executes", format!("the setting `{key}` starts a program later"));
            let setting = format!("{key}={value}");
            self.git_setting(look, &setting, state);
        }
    }
}

/// Whether the verb prints a hash, a number or the name of a branch, and nothing else.
fn gives_a_word(look: &Look, verb: &str, inside: &Parsed) -> bool {
    let has_only = |names: &[&str]| inside.options.iter().all(|option| names.contains(&option.name.as_str()));
    let is_plain = look.args.iter().all(|arg| arg.is_static() && !arg.text.contains(char::is_whitespace));
    let is_word = match verb {
        "merge-base" => has_only(&["octopus", "fork-point", "all", "a"]),
        "describe" => has_only(&["tags", "all", "always", "abbrev", "long", "dirty", "exact-match"]),
        "rev-parse" => has_only(&["short", "verify", "abbrev-ref", "q", "quiet"]) && !inside.operands.is_empty(),
        "rev-list" => inside.has('\0', "count"),
        "branch" => inside.has('\0', "show-current"),
        "symbolic-ref" => has_only(&["short", "q", "quiet"]) && inside.operands.len() == 1,
        "write-tree" | "hash-object" => true,
        _ => false,
    };
    is_word && is_plain && !inside.has_end
}

fn runs_programs(key: &str) -> bool {
    RUNNING_KEYS.contains(&key)
        || [
            "alias.",
            "pager.",
            "filter.",
            "difftool.",
            "mergetool.",
            "trailer.",
            "submodule.",
            "guitool.",
            "man.",
            "browser.",
            "includeif.",
            "url.",
        ]
        .iter()
        .any(|start| key.starts_with(start))
        || [
            ".helper",
            ".command",
            ".cmd",
            ".textconv",
            ".driver",
            ".program",
            ".sshcommand",
            ".uploadpack",
            ".receivepack",
            ".vcs",
            ".proxy",
            ".path",
        ]
        .iter()
        .any(|end| key.ends_with(end))
}
