//! Shells that are started with code, a script or an input.

use super::{Care, Look, Walker};
use crate::arg::{Arg, Flow, UNKNOWN};
use crate::walk::state::State;

/// Programs that read the language of the shell, or one near enough for its deny shapes.
const SHELLS: &[&str] = &[
    "sh", "bash", "zsh", "dash", "ksh", "ksh93", "mksh", "pdksh", "ash", "rbash", "rzsh", "rksh", "yash", "posh",
    "oksh", "loksh", "fish", "csh", "tcsh", "elvish", "xonsh", "nu", "ion", "osh", "oil", "ysh", "hush", "lksh",
    "bosh", "brush",
];

/// What the options of a shell say.
#[expect(clippy::struct_excessive_bools, reason = "independent facts about one start")]
#[derive(Debug, Default)]
struct Start {
    code: Option<usize>,
    /// Where the code starts in its word.
    code_from: usize,
    /// Code that runs before anything else: its word, and where it starts in it.
    first_code: Option<(usize, usize)>,
    first: Option<usize>,
    reads_input: bool,
    /// `-n`: what it is given is read and not run.
    only_reads: bool,
    is_unclear: bool,
    loads: bool,
}

impl Walker<'_> {
    /// Shells.
    pub(super) fn shell(&mut self, look: &mut Look, state: &mut State) -> bool {
        if !is_shell(&look.name) {
            return false;
        }
        look.care = Care::Harmless;
        let start = options(look);
        if start.is_unclear {
            self.ask("unknown word", "an option of the shell is known at run time only");
        }
        if start.loads {
            self.ask("option that executes", "an option of the shell loads a file");
        }
        if let Some(code) = start.first_code.and_then(|(at, from)| Some(look.args.get(at)?.tail(from))) {
            self.denied_in_code(&code.text.replace(UNKNOWN, "x"), &look.stdin.clone(), state);
        }
        if let Some(at) = start.code {
            let Some(code) = look.args.get(at).map(|code| code.tail(start.code_from)) else {
                self.ask("dynamic code", "the code of the shell is missing");
                return true;
            };
            look.executes(&code.shown());
            let mut inside = state.deeper();
            let mut positional = vec![Arg::literal(look.name.clone())];
            let rest = look.from(at + 1);
            if let Some((zeroth, others)) = rest.split_first() {
                positional = std::iter::once(zeroth.clone()).chain(others.iter().cloned()).collect();
            }
            if state.has_run_time_words {
                positional.push(Arg::unknown());
            }
            inside.positional = Some(positional);
            inside.functions = std::rc::Rc::default();
            inside.calling.clear();
            inside.has_run_time_words = false;
            let flow = self.code_in(look, &code, &mut inside);
            look.out = Some(flow);
            return true;
        }
        if state.has_run_time_words && start.first.is_none() {
            self.ask("dynamic code", "the script of the shell is supplied at run time");
            if look.stdin == Flow::Network {
                self.deny("network pipe to shell", "the shell would run what fetched text names");
            }
            return true;
        }
        if start.only_reads {
            return true;
        }
        if start.first.is_none() && look.args.iter().any(|arg| arg.text == "--version" || arg.text == "--help") {
            return true;
        }
        match start.first.filter(|_| !start.reads_input) {
            Some(at) => self.shell_script(look, at, state),
            None => {
                let stdin = look.stdin.clone();
                self.shell_input(look, &stdin, state);
            }
        }
        true
    }

    fn shell_script(&mut self, look: &mut Look, at: usize, state: &mut State) {
        let Some(arg) = look.args.get(at).cloned() else { return };
        let is_input = arg.text == "-";
        let flow = super::held(&arg, &look.stdin, state).or_else(|| is_input.then(|| look.stdin.clone()));
        if let Some(flow) = flow {
            self.shell_input(look, &flow, state);
            return;
        }
        if arg.is_fetched {
            self.deny("network pipe to shell", "the shell would run what fetched text names");
        }
        if arg.is_dynamic || arg.is_glob {
            self.ask("dynamic code", "the script of the shell is known at run time only");
        }
        look.must_spell(at);
        look.executes(&arg.shown());
        self.runs_file(&arg, state);
    }

    fn shell_input(&mut self, look: &mut Look, flow: &Flow, state: &mut State) {
        match flow {
            Flow::Literal(code) => {
                let mut inside = state.deeper();
                inside.functions = std::rc::Rc::default();
                inside.calling.clear();
                let code = Arg::literal(code.clone());
                look.executes("its input");
                let stdin = std::mem::take(&mut look.stdin);
                let flow = self.code_in(look, &code, &mut inside);
                look.stdin = stdin;
                look.out = Some(flow);
                // The input itself stands elsewhere, so no entry can spell it.
                look.record.is_storable = false;
            }
            Flow::Network => self.deny("network pipe to shell", format!("`{}` would run fetched text", look.name)),
            Flow::Opaque | Flow::Word => {
                self.ask("dynamic code", format!("`{}` would run an input that is known at run time only", look.name));
            }
            Flow::Nothing => {
                self.ask("no program", format!("`{}` would read its commands from whoever types", look.name));
            }
        }
    }
}

fn options(look: &Look) -> Start {
    let mut start = Start::default();
    let mut at = 1;
    let mut wants_code = false;
    while at < look.args.len() {
        let Some(arg) = look.args.get(at) else { break };
        let text = arg.text.as_str();
        if arg.is_dynamic && arg.may_be_option() && !wants_code {
            start.is_unclear = true;
        }
        if text == "--" || text == "-" {
            at += 1;
            break;
        }
        if let Some(long) = text.strip_prefix("--") {
            let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            match name {
                "rcfile" | "init-file" | "init-command" | "config" | "env-config" => {
                    start.loads = true;
                    if name == "init-command" {
                        start.first_code =
                            Some((at + usize::from(value.is_none()), text.len() - value.map_or(text.len(), str::len)));
                    }
                    at += usize::from(value.is_none());
                }
                "command" | "commands" => {
                    wants_code = true;
                    if let Some(value) = value {
                        start.code = Some(at);
                        start.code_from = text.len() - value.len();
                        return start;
                    }
                }
                _ => {}
            }
            at += 1;
            continue;
        }
        if !(text.starts_with('-') || text.starts_with('+')) || text.len() < 2 {
            break;
        }
        let mut takes = 0;
        for letter in text.chars().skip(1) {
            match letter {
                'c' if text.starts_with('-') => wants_code = true,
                's' if text.starts_with('-') => start.reads_input = true,
                // Another option, as `-i`, may bring the shell to run it after all.
                'n' if text == "-n" && at == 1 && look.args.len() == 3 => {
                    start.only_reads = ["bash", "sh", "dash", "zsh", "ksh"].contains(&look.name.as_str());
                }
                'o' | 'O' => takes += 1,
                'C' if look.name == "fish" => {
                    start.loads = true;
                    takes += 1;
                    start.first_code = Some((at + 1, 0));
                }
                _ => {}
            }
        }
        at += 1 + takes;
    }
    let first = (at < look.args.len()).then_some(at);
    if wants_code {
        start.code = Some(first.unwrap_or(look.args.len()));
    } else {
        start.first = first;
    }
    start
}

/// Whether the name is a shell's.
pub(super) fn is_shell(name: &str) -> bool {
    // `bash5` and `bash-5.2` are a `bash`.
    let plain = name.trim_end_matches(|next: char| next.is_ascii_digit() || next == '.').trim_end_matches('-');
    SHELLS.contains(&name) || SHELLS.contains(&plain)
}
