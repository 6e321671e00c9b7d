//! Programs that start another program which stands in their words.

mod special;
mod table;

use super::{Care, Look, Walker};
use crate::arg::{Arg, Flow};
use crate::options::{Grammar, Opt, Parsed, parse};
use crate::walk::state::State;
use table::{Kind, WRAPPERS, Wrapper};

/// Wrappers that start a shell when they are given no program.
const SHELLS_ALONE: &[&str] = &[
    "chroot",
    "unshare",
    "nsenter",
    "setarch",
    "linux32",
    "linux64",
    "i386",
    "x86_64",
    "fakeroot",
    "fakechroot",
    "proot",
    "firejail",
    "torsocks",
    "torify",
];

impl Walker<'_> {
    /// Wrappers.
    pub(super) fn wrapper(&mut self, look: &mut Look, state: &mut State) -> bool {
        if self.special_wrapper(look, state) {
            return true;
        }
        if look.name == "coverage" {
            measured(look);
            return true;
        }
        let loader = look.name.starts_with("ld-linux")
            || look.name.starts_with("ld-musl")
            || look.name.starts_with("ld.so")
            || look.name.starts_with("ld-2");
        let name = if loader { "ld.so" } else { look.name.as_str() };
        let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.names.contains(&name)) else { return false };
        if look.args.len() == 1 {
            self.shell_alone(look);
            return false;
        }
        let parsed = parse(&look.args, &wrapper.grammar);
        if look.name == "entr" && parsed.has_short("s") {
            // The words are a line for a shell.
            look.care = Care::Harmless;
            let words: Vec<Arg> = parsed.operands.iter().filter_map(|at| look.args.get(*at)).cloned().collect();
            let code = super::builtins::joined(&words);
            look.executes(&code.shown());
            self.code_in(look, &code, &mut state.deeper());
            return true;
        }
        for option in &parsed.options {
            self.wrapper_option(look, wrapper, option, state);
        }
        let place = wrapper_program(look, wrapper, &parsed);
        let unknown = unknown_options(wrapper, &parsed);
        if !unknown.is_empty() {
            self.ask(
                "unknown option of a wrapper",
                format!("`{}` has the option `{}`, which the policy does not know", look.name, unknown.join(" ")),
            );
            self.denied_anywhere(look, 1, look.args.len(), state);
        }
        let Some(at) = place else {
            self.shell_alone(look);
            return false;
        };
        let is_doubtful = wrapper.kind == Kind::Elsewhere || !super::is_known_program(&super::base_name(look.text(at)));
        if wrapper.is_open || wrapper.kind == Kind::Elsewhere {
            // Words taken for values of options may be the program after all, and the other way round.
            let end = if is_doubtful { look.args.len() } else { at };
            self.denied_anywhere(look, 1, end, state);
        }
        let words = look.from(at);
        look.executes(&crate::arg::line(&words));
        self.start(look, wrapper, words, state);
        true
    }

    /// Some wrappers start a shell when no program stands behind them.
    fn shell_alone(&mut self, look: &Look) {
        let informs =
            look.args.iter().any(|arg| matches!(arg.text.as_str(), "--help" | "-h" | "--version" | "-V" | "--list"));
        if SHELLS_ALONE.contains(&look.name.as_str()) && !informs {
            self.ask("runs elsewhere", format!("`{}` without a program starts a shell", look.name));
        }
    }

    /// Looks for deny shapes from every word on that could be the program.
    pub(super) fn denied_anywhere(&mut self, look: &Look, from: usize, to: usize, state: &State) {
        for at in from..to.min(look.args.len()) {
            let name = super::base_name(look.text(at));
            let starts = super::privilege::is_denied_name(&name)
                || matches!(name.as_str(), "rm" | "sh" | "bash" | "zsh" | "env" | "dd" | "chmod" | "chown" | "shred")
                || name.starts_with("mkfs");
            if starts {
                let words = look.args.get(at..to_end(look, at)).unwrap_or_default().to_vec();
                self.denied_inside(words, &look.stdin.clone(), state);
            }
        }
    }

    fn wrapper_option(&mut self, look: &mut Look, wrapper: &Wrapper, option: &Opt, state: &mut State) {
        let Some(value) = &option.value else { return };
        let is_code = if option.is_long {
            wrapper.code_long.iter().any(|name| name.starts_with(&option.name) && option.name.len() > 2)
        } else {
            wrapper.code.contains(&option.name)
        };
        if is_code {
            self.ask("option that executes", format!("an option of `{}` runs a command", look.name));
            let code = value.text.replace(crate::arg::UNKNOWN, "x");
            look.executes(&code);
            self.denied_in_code(&code, &look.stdin.clone(), state);
        }
        let is_write = if option.is_long {
            wrapper.write_long.iter().any(|name| name.starts_with(&option.name) && option.name.len() > 2)
        } else {
            wrapper.writes.contains(&option.name)
        };
        if is_write {
            self.writes_aside(look, value, state);
        }
    }

    fn start(&mut self, look: &mut Look, wrapper: &Wrapper, words: Vec<Arg>, state: &mut State) {
        match wrapper.kind {
            Kind::Plain => {
                look.record.needs_entry = false;
                let out = self.inner_behind(look, words, state);
                look.out = Some(out);
            }
            Kind::Named => {
                look.care = Care::Harmless;
                let out = self.inner_behind(look, words, &mut state.clone());
                look.out = Some(out);
            }
            Kind::Elsewhere => {
                if look.name == "systemd-run" && look.args.iter().any(|arg| arg.text.starts_with("--uid")) {
                    self.deny("privilege escalation", "`systemd-run --uid` runs a command with another identity");
                }
                self.ask("runs elsewhere", format!("`{}` starts a program outside of this shell", look.name));
                self.denied_inside(words, &look.stdin.clone(), state);
            }
        }
    }
}

/// `coverage run` is a Python; its other verbs tell what was measured.
fn measured(look: &mut Look) {
    look.set_head(&[1]);
    if look.text(1) != "run" {
        return;
    }
    let mut words = vec![Arg::default()];
    words.extend(look.from(2));
    let options = &["source", "omit", "include", "rcfile", "data-file", "concurrency", "context", "module"];
    let parsed = parse(&words, &Grammar::stopping("m", options));
    let program = match parsed.at('m', "module") {
        Some(at) => at + 2,
        None => parsed.operands.first().map_or(1, |at| at + 1),
    };
    look.must_spell(program.min(look.args.len() - 1));
}

/// A deny shape shows itself in the words next to its program.
fn to_end(look: &Look, at: usize) -> usize {
    look.args.len().min(at + 64)
}

/// Where the program stands.
fn wrapper_program(look: &Look, wrapper: &Wrapper, parsed: &Parsed) -> Option<usize> {
    let mut operands = parsed.operands.iter().copied().skip(wrapper.operands).peekable();
    if wrapper.takes_assignments {
        while operands.peek().is_some_and(|at| look.text(*at).contains('=')) {
            operands.next();
        }
    }
    let mut first = operands.next()?;
    let is_architecture = |text: &str| {
        [
            "x86_64", "i386", "i486", "i586", "i686", "linux32", "linux64", "aarch64", "arm", "armv7l", "uname26",
            "ppc64le",
        ]
        .contains(&text)
    };
    if look.name == "setarch" && is_architecture(look.text(first)) {
        first = operands.next()?;
    }
    while look.text(first) == "--"
        || ((wrapper.operands > 0 || look.name == "setarch") && look.text(first).starts_with('-'))
    {
        first = operands.next()?;
    }
    Some(first)
}

fn unknown_options(wrapper: &Wrapper, parsed: &Parsed) -> Vec<String> {
    if wrapper.is_open {
        return Vec::new();
    }
    let mut unknown = Vec::new();
    for option in &parsed.options {
        let is_known = if option.is_long {
            wrapper.grammar.long.iter().chain(wrapper.flags_long).any(|name| name.starts_with(&option.name))
        } else {
            wrapper.grammar.values.contains(&option.name)
                || wrapper.grammar.attached.contains(&option.name)
                || wrapper.flags.contains(&option.name)
        };
        if !is_known {
            unknown.push(if option.is_long { format!("--{}", option.name) } else { format!("-{}", option.name) });
        }
    }
    unknown
}

/// What stands in a flow as words, when all of it is known.
fn words_of(flow: &Flow, by_line: bool) -> Option<Vec<String>> {
    match flow {
        Flow::Literal(text) if by_line => {
            Some(text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect())
        }
        Flow::Literal(text) => Some(
            text.split(|next: char| next.is_whitespace() || next == '\0')
                .filter(|word| !word.is_empty())
                .map(|word| word.replace(['\'', '"', '\\'], ""))
                .collect(),
        ),
        _ => None,
    }
}
