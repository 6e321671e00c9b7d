//! Wrappers with a grammar of their own.

use super::super::shells;
use super::{Look, Walker, words_of};
use crate::arg::{Arg, Flow, UNKNOWN};
use crate::judge::{Call, Care};
use crate::options::Grammar;
use crate::walk::state::State;

const ENV: Grammar = Grammar::stopping("uCSPa", &["unset", "chdir", "split-string", "argv0"]);
const XARGS: Grammar = Grammar::stopping(
    "aEdILnPsJRS",
    &["arg-file", "delimiter", "max-args", "max-procs", "max-chars", "process-slot-var"],
)
.attached("eil");
const PARALLEL: Grammar = Grammar::stopping(
    "aCdEIjJLnNPsSUD",
    &[
        "arg-file",
        "jobs",
        "max-procs",
        "colsep",
        "delimiter",
        "delay",
        "joblog",
        "load",
        "max-args",
        "max-replace-args",
        "results",
        "retries",
        "sshlogin",
        "sshloginfile",
        "timeout",
        "tmpdir",
        "workdir",
        "shellquote",
        "rpl",
        "tagstring",
        "memfree",
        "nice",
        "halt",
        "basefile",
        "return",
        "env",
        "profile",
        "block",
        "recstart",
        "recend",
        "arg-sep",
        "arg-file-sep",
    ],
)
.attached("i");

/// The long options of `env`.
const ENV_LONG: &[&str] = &[
    "argv0",
    "block-signal",
    "chdir",
    "debug",
    "default-signal",
    "help",
    "ignore-environment",
    "ignore-signal",
    "list-signal-handling",
    "null",
    "split-string",
    "unset",
    "version",
];

impl Walker<'_> {
    pub(super) fn special_wrapper(&mut self, look: &mut Look, state: &mut State) -> bool {
        match look.name.as_str() {
            "env" | "genv" => self.env(look, state),
            "xargs" | "gxargs" => self.xargs(look, state),
            "parallel" | "rush" | "rust-parallel" | "moreutils-parallel" => self.parallel(look, state),
            "command" if look.parse(&Grammar::stopping("", &[])).has_short("vV") => {
                look.care = Care::Harmless;
                look.names_only = true;
                look.record.needs_entry = false;
            }
            "exec" if look.args.len() == 1 => look.record.needs_entry = false,
            "watch" | "gwatch" | "viddy" | "hwatch" => self.watch(look, state),
            "flock" => self.flock(look, state),
            "script" => self.script(look, state),
            "busybox" | "toybox" | "toolbox-box" | "gobusybox" => self.box_of_tools(look, state),
            "gdb" | "lldb" | "gdbserver" | "cgdb" => self.debugger(look, state),
            "hyperfine" | "watchexec" | "cargo-watch" | "chokidar" | "onchange" | "concurrently" | "watchman-make" => {
                self.strings(look, state);
            }
            "tmux" | "screen" | "zellij" | "byobu" | "abduco" | "dtach" | "tmate" => self.terminal(look, state),
            "at" | "batch" => {
                self.ask("runs elsewhere", "the commands run later");
                let file = look.parse(&Grammar::new("fqt", &[])).values('f', "").pop();
                let held =
                    file.map_or_else(|| Some(look.stdin.clone()), |file| super::super::held(&file, &look.stdin, state));
                match held {
                    Some(Flow::Literal(code)) => self.denied_in_code(&code, &Flow::Nothing, state),
                    Some(Flow::Network) => self.deny("network pipe to shell", "fetched text would run later"),
                    _ => {}
                }
            }
            "nix-shell" => {
                let parsed = look.parse(&Grammar::new("pIiEA", &["run", "command", "packages"]));
                self.ask("fetches code", "downloads packages and runs a shell with them");
                for value in [parsed.values('\0', "run"), parsed.values('\0', "command")].concat() {
                    self.denied_in_code(&value.text, &Flow::Nothing, state);
                }
            }
            _ => return false,
        }
        true
    }

    fn env(&mut self, look: &mut Look, state: &mut State) {
        let parsed = look.parse(&ENV);
        let rest: Vec<Arg> = parsed.operands.iter().filter_map(|at| look.args.get(*at)).cloned().collect();
        for option in &parsed.options {
            let Some(value) = &option.value else { continue };
            if option.is('S', "split-string") && (option.name.len() > 1 || !option.is_long) {
                if value.is_fetched {
                    self.deny("network pipe to shell", "`env` would run fetched text");
                }
                match &value.code {
                    Some(text) => {
                        // The pieces take the place of the option, and `env` reads on from there.
                        let text = text.replace("\\_", " ");
                        let word = look.text(option.at);
                        let is_attached =
                            if option.is_long { word.contains('=') } else { word.find('S') != Some(word.len() - 1) };
                        let behind = option.at + if is_attached { 1 } else { 2 };
                        let before = look.args.get(..option.at).unwrap_or_default().to_vec();
                        let pieces = split(&text).into_iter().map(Arg::literal);
                        let words: Vec<Arg> = before.into_iter().chain(pieces).chain(look.from(behind)).collect();
                        look.record.needs_entry = false;
                        let out = self.inner(look, words, state);
                        look.out = Some(out);
                        return;
                    }
                    None => self.ask("dynamic code", "`env -S` would split text that is known at run time only"),
                }
            }
            if option.is('u', "unset") {
                self.assignment_name(&value.text);
            }
        }
        let folder = parsed.values('C', "chdir").pop();
        let known = "0iva";
        let unknown = parsed.options.iter().any(|option| {
            if option.is_long {
                !ENV_LONG.iter().any(|name| name.starts_with(&option.name))
            } else {
                !known.contains(&option.name) && !ENV.values.contains(&option.name)
            }
        });
        if unknown {
            self.ask("unknown option of a wrapper", "`env` has an option that the policy does not know");
        }
        let mut assignments = Vec::new();
        let mut inner = Vec::new();
        for arg in rest {
            if inner.is_empty()
                && let Some(at) = arg.text.find('=')
                && at > 0
            {
                assignments.push((arg.text.get(..at).unwrap_or_default().to_owned(), arg.tail(at + 1)));
                continue;
            }
            if !(inner.is_empty() && arg.text == "-") {
                inner.push(arg);
            }
        }
        if inner.is_empty() {
            for (name, value) in &assignments {
                self.assignment_value(name, value);
            }
            if state.has_run_time_words {
                self.ask("unknown word", "the program is supplied at run time");
            }
            look.care = Care::Harmless;
            return;
        }
        look.record.needs_entry = false;
        let mut inside = state.clone();
        if let Some(folder) = folder {
            let (path, is_anchored) = crate::path::resolve(&folder.text, state.folder.as_deref(), self.context);
            inside.folder = (is_anchored && folder.is_static()).then_some(path);
        }
        let call = Call {
            args: inner,
            assignments,
            stdin: look.stdin.clone(),
            cover: look.record.cover,
            is_started: true,
            ..Call::default()
        };
        let out = self.judge(call, &mut inside);
        look.out = Some(out);
    }

    fn xargs(&mut self, look: &mut Look, state: &mut State) {
        look.care = Care::Harmless;
        look.names_only = true;
        let parsed = look.parse(&XARGS);
        let mut mark = parsed
            .values('I', "replace")
            .into_iter()
            .rfind(|arg| !arg.text.is_empty())
            .or_else(|| parsed.values('J', "").pop())
            .map(|arg| arg.text);
        if mark.is_none() && (parsed.has_short("i") || parsed.has('\0', "replace")) {
            mark = parsed
                .options
                .iter()
                .find(|option| option.name == "i")
                .and_then(|option| option.value.clone())
                .map(|arg| arg.text)
                .or_else(|| Some("{}".to_owned()));
        }
        let file = parsed.values('a', "arg-file").pop();
        if let Some(file) = &file {
            self.read_file(file, state);
        }
        let mut words: Vec<Arg> = parsed.operands.iter().filter_map(|at| look.args.get(*at)).cloned().collect();
        if words.is_empty() {
            words.push(Arg::literal("echo"));
        }
        let flow = match &file {
            Some(file) => file.file.clone().unwrap_or(Flow::Opaque),
            None => look.stdin.clone(),
        };
        look.executes(&crate::arg::line(&words));
        self.supplied(look, words, mark.as_deref(), &flow, file.is_some(), state);
    }

    /// Runs the words with what flows in behind them, or in the place of a mark.
    fn supplied(
        &mut self,
        look: &mut Look,
        words: Vec<Arg>,
        mark: Option<&str>,
        flow: &Flow,
        keeps_stdin: bool,
        state: &mut State,
    ) {
        let mut inside = state.deeper();
        let stdin = if keeps_stdin { look.stdin.clone() } else { Flow::Nothing };
        let outer = std::mem::replace(&mut look.stdin, stdin);
        let starts_code = words.first().is_some_and(|arg| {
            let name = super::super::base_name(&arg.text);
            shells::is_shell(&name) || super::super::interpreters::is_interpreter(&name)
        });
        if *flow == Flow::Network && starts_code {
            self.deny("network pipe to shell", "fetched text would become the words of a shell or an interpreter");
        }
        let has_mark = mark.is_some_and(|mark| words.iter().any(|arg| arg.text.contains(mark)));
        match (mark, words_of(flow, mark.is_some())) {
            (Some(mark), Some(lines)) if has_mark && lines.len() <= 8 => {
                for line in lines {
                    let filled: Vec<Arg> = words.iter().map(|arg| replaced(arg, mark, &line)).collect();
                    self.inner(look, filled, &mut inside);
                }
            }
            (Some(mark), _) => {
                let unknown = UNKNOWN.to_string();
                let filled: Vec<Arg> = words
                    .iter()
                    .map(|arg| {
                        let mut filled = replaced(arg, mark, &unknown);
                        if arg.text.contains(mark) {
                            filled.is_fetched |= *flow == Flow::Network;
                            filled.code = None;
                        }
                        filled
                    })
                    .collect();
                self.inner(look, filled, &mut inside);
            }
            (None, Some(supplied)) if supplied.len() <= 64 => {
                let mut filled = words;
                filled.extend(supplied.into_iter().map(|word| Arg { is_dynamic: true, ..Arg::literal(word) }));
                self.inner(look, filled, &mut inside);
            }
            (None, _) => {
                inside.has_run_time_words = true;
                self.inner_behind(look, words, &mut inside);
            }
        }
        look.stdin = outer;
    }

    fn parallel(&mut self, look: &mut Look, state: &mut State) {
        look.care = Care::Harmless;
        look.names_only = true;
        let parsed = look.parse(&PARALLEL);
        if parsed.has('S', "sshlogin")
            && parsed.options.iter().any(|option| option.name == "S" || option.name.starts_with("sshl"))
        {
            self.ask("remote shell", "the commands run on another machine");
        }
        for value in [parsed.values('\0', "joblog"), parsed.values('\0', "results")].concat() {
            self.writes_aside(look, &value, state);
        }
        let words: Vec<Arg> = parsed.operands.iter().filter_map(|at| look.args.get(*at)).cloned().collect();
        let end = words
            .iter()
            .position(|arg| matches!(arg.text.as_str(), ":::" | ":::+" | "::::" | "::::+"))
            .unwrap_or(words.len());
        let (command, inputs) = words.split_at(end);
        let sources: Vec<String> =
            inputs.iter().filter(|arg| !arg.text.starts_with(":::")).map(|arg| arg.text.clone()).collect();
        let from_words = inputs.first().is_some_and(|arg| arg.text.starts_with(":::") && !arg.text.starts_with("::::"));
        let code = super::super::builtins::joined(command);
        if command.is_empty() {
            // The input lines are the commands.
            if from_words {
                for source in &sources {
                    self.code_in(look, &Arg::literal(source.clone()), &mut state.deeper());
                }
            } else {
                match look.stdin.clone() {
                    Flow::Literal(text) => {
                        self.code_in(look, &Arg::literal(text), &mut state.deeper());
                    }
                    Flow::Network => self.deny("network pipe to shell", "fetched lines would run as commands"),
                    _ => self.ask("dynamic code", "the commands come at run time"),
                }
            }
            return;
        }
        look.executes(&code.shown());
        if from_words && sources.len() <= 8 {
            for source in &sources {
                let mut text = code.text.clone();
                let marked = text.contains("{}");
                text = if marked { text.replace("{}", source) } else { format!("{text} {source}") };
                self.code_in(look, &Arg::literal(text), &mut state.deeper());
            }
        } else {
            if look.stdin == Flow::Network
                && command.first().is_some_and(|arg| shells::is_shell(&super::super::base_name(&arg.text)))
            {
                self.deny("network pipe to shell", "fetched text would become the words of a shell");
            }
            let text = code.text.replace("{}", "placeholder");
            self.ask("unknown word", "words are supplied at run time and are read by a shell");
            self.denied_in_code(&text, &Flow::Nothing, state);
        }
    }

    fn watch(&mut self, look: &mut Look, state: &mut State) {
        look.care = Care::Harmless;
        let parsed = look.parse(&Grammar::stopping("nqs", &["interval", "equexit", "shotsdir"]));
        let words: Vec<Arg> = parsed.operands.iter().filter_map(|at| look.args.get(*at)).cloned().collect();
        if words.is_empty() {
            return;
        }
        look.executes(&crate::arg::line(&words));
        if parsed.has('x', "exec") {
            self.inner(look, words, &mut state.deeper());
        } else {
            let code = super::super::builtins::joined(&words);
            self.code_in(look, &code, &mut state.deeper());
        }
    }

    fn flock(&mut self, look: &mut Look, state: &mut State) {
        look.care = Care::Harmless;
        let parsed = look.parse(&Grammar::stopping("wEc", &["timeout", "wait", "conflict-exit-code", "command"]));
        let mut words: Vec<Arg> = parsed.operands.iter().filter_map(|at| look.args.get(*at)).cloned().collect();
        if let Some(file) = words.first().cloned() {
            if !file.text.chars().all(|next| next.is_ascii_digit()) {
                self.writes_purposely(look, &file, state);
            }
            words.remove(0);
        }
        for code in parsed.values('c', "command") {
            self.code_in(look, &code, &mut state.deeper());
        }
        let is_code = words.first().is_some_and(|arg| matches!(arg.text.as_str(), "-c" | "--command"));
        if is_code {
            if let Some(code) = words.get(1).cloned() {
                self.code_in(look, &code, &mut state.deeper());
            }
        } else if !words.is_empty() {
            self.inner(look, words, &mut state.deeper());
        }
    }

    fn script(&mut self, look: &mut Look, state: &mut State) {
        look.care = Care::Harmless;
        let parsed = look.parse(
            &Grammar::new(
                "cIOBTEmot",
                &["command", "log-in", "log-out", "log-io", "log-timing", "echo", "logging-format", "output-limit"],
            )
            .attached("t"),
        );
        let codes = parsed.values('c', "command");
        for code in &codes {
            look.executes(&code.shown());
            self.code_in(look, code, &mut state.deeper());
        }
        if let Some(at) = parsed.operands.first() {
            let file = look.args.get(*at).cloned().unwrap_or_default();
            self.writes_aside(look, &file, state);
        }
        // On other systems the command stands behind the file.
        if codes.is_empty() {
            // There options end at the file.
            let rest: Vec<Arg> = match parsed.operands.first() {
                Some(file) => look.from(file + 1),
                None => Vec::new(),
            };
            if rest.is_empty() {
                let stdin = look.stdin.clone();
                match stdin {
                    Flow::Literal(code) => {
                        self.code_in(look, &Arg::literal(code), &mut state.deeper());
                    }
                    _ => self.ask("dynamic code", "`script` opens a shell"),
                }
            } else {
                self.inner(look, rest, &mut state.deeper());
            }
        }
    }

    fn box_of_tools(&mut self, look: &mut Look, state: &mut State) {
        let words = look.from(1);
        if words.is_empty() || words.first().is_some_and(|arg| arg.text.starts_with("--")) {
            return;
        }
        look.record.needs_entry = false;
        let out = self.inner(look, words, state);
        look.out = Some(out);
    }

    fn debugger(&mut self, look: &mut Look, state: &mut State) {
        self.ask("option that executes", format!("`{}` runs commands and programs", look.name));
        let args = look.from(1);
        for (index, arg) in args.iter().enumerate() {
            if matches!(arg.text.as_str(), "-ex" | "--ex" | "-iex" | "--eval-command" | "-o" | "--one-line" | "-O")
                && let Some(command) = args.get(index + 1)
            {
                let text = command.text.trim();
                for mark in ["shell ", "!", "platform shell ", "make "] {
                    if let Some(code) = text.strip_prefix(mark) {
                        self.denied_in_code(code, &Flow::Nothing, state);
                    }
                }
            }
            if matches!(arg.text.as_str(), "--args" | "--" | "-args") {
                self.denied_inside(args.get(index + 1..).unwrap_or_default().to_vec(), &Flow::Nothing, state);
            }
        }
        let scripts = look.parse(&Grammar::new("xs", &["command", "source"]));
        for script in [scripts.values('x', "command"), scripts.values('s', "source")].concat() {
            if super::super::held(&script, &look.stdin, state) == Some(Flow::Network) {
                self.deny("network pipe to shell", format!("`{}` would run fetched commands", look.name));
            }
        }
        let first = args.iter().position(|arg| !arg.text.starts_with('-')).unwrap_or(args.len());
        if super::super::privilege::is_denied_name(
            &args.get(first).map(|arg| super::super::base_name(&arg.text)).unwrap_or_default(),
        ) {
            self.denied_inside(args.get(first..).unwrap_or_default().to_vec(), &Flow::Nothing, state);
        }
    }

    /// Programs that take whole commands as words.
    fn strings(&mut self, look: &mut Look, state: &mut State) {
        look.care = Care::Harmless;
        let values = Grammar::new(
            "wmMrLpPnSscxeifdCo",
            &[
                "warmup",
                "min-runs",
                "max-runs",
                "runs",
                "parameter-list",
                "parameter-scan",
                "shell",
                "prepare",
                "setup",
                "cleanup",
                "conclude",
                "command-name",
                "export-json",
                "export-csv",
                "export-markdown",
                "exts",
                "ignore",
                "filter",
                "delay",
                "watch",
                "exec",
                "run",
                "output",
                "style",
            ],
        );
        // Only `hyperfine` takes options behind its commands.
        let values = Grammar { stops: look.name != "hyperfine", ..values };
        let parsed = look.parse(&values);
        for name in ["export-json", "export-csv", "export-markdown"] {
            for value in parsed.values('\0', name) {
                self.writes_aside(look, &value, state);
            }
        }
        let mut codes: Vec<Arg> = Vec::new();
        for option in &parsed.options {
            if ["prepare", "setup", "cleanup", "conclude", "exec", "p", "s", "c", "x", "shell", "S", "run"]
                .contains(&option.name.as_str())
            {
                codes.extend(option.value.clone());
            }
        }
        if look.name == "hyperfine" {
            codes.extend(parsed.operands.iter().filter_map(|at| look.args.get(*at)).cloned());
        } else {
            let words: Vec<Arg> = parsed.operands.iter().filter_map(|at| look.args.get(*at)).cloned().collect();
            if look.name == "concurrently" {
                // Each word is a command of its own.
                codes.extend(words);
            } else {
                codes.push(super::super::builtins::joined(&words));
            }
        }
        for code in codes {
            if code.text.is_empty() {
                continue;
            }
            look.executes(&code.shown());
            self.code_in(look, &code, &mut state.deeper());
        }
    }

    fn terminal(&mut self, look: &mut Look, state: &mut State) {
        let reads = matches!(
            look.text(1),
            "ls" | "list-sessions"
                | "list-windows"
                | "lsw"
                | "list-panes"
                | "lsp"
                | "capture-pane"
                | "capturep"
                | "-ls"
                | "-list"
                | "-V"
                | "has-session"
                | "has"
                | "show-options"
                | "display-message"
                | "info"
        );
        if reads {
            return;
        }
        self.ask("runs elsewhere", format!("`{}` starts commands in another terminal", look.name));
        let args = look.from(1);
        for arg in &args {
            if arg.text.contains(' ') {
                self.denied_in_code(&arg.text.replace(UNKNOWN, "x"), &Flow::Nothing, state);
            }
        }
        for (index, arg) in args.iter().enumerate() {
            let name = super::super::base_name(&arg.text);
            if super::super::privilege::is_denied_name(&name)
                || matches!(name.as_str(), "rm" | "bash" | "sh" | "env" | "dd" | "chmod" | "chown")
                || index > 0 && name.starts_with("mkfs")
            {
                let words: Vec<Arg> = args
                    .iter()
                    .skip(index)
                    .take(64)
                    .filter(|arg| !matches!(arg.text.as_str(), "Enter" | "C-m"))
                    .cloned()
                    .collect();
                self.denied_inside(words, &Flow::Nothing, state);
            }
        }
    }
}

fn replaced(arg: &Arg, mark: &str, with: &str) -> Arg {
    if !arg.text.contains(mark) || mark.is_empty() {
        return arg.clone();
    }
    let text = arg.text.replace(mark, with);
    Arg { code: Some(text.clone()), text, is_dynamic: true, ..arg.clone() }
}

/// Splits as `env -S` does: blanks and both quotes.
fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut open: Option<String> = None;
    let mut quote = None;
    let mut characters = text.chars();
    while let Some(next) = characters.next() {
        match (quote, next) {
            (Some(mark), _) if next == mark => quote = None,
            (None, '\'' | '"') => {
                quote = Some(next);
                open.get_or_insert_with(String::new);
            }
            (_, '\\') => open.get_or_insert_with(String::new).extend(characters.next()),
            (None, ' ' | '\t' | '\n') => words.extend(open.take()),
            _ => open.get_or_insert_with(String::new).push(next),
        }
    }
    words.extend(open);
    words
}
