//! Interpreters: code in a word, in a file, in the input. None of it is read as a language; an entry must spell it.

mod options;
mod table;

use super::{Care, Look, Walker};
use crate::arg::{Arg, Flow};
use crate::options::Grammar;
use crate::walk::state::State;
use options::{literals, owned_parse};
use table::{INTERPRETERS, Interpreter};

/// Whether the name is an interpreter's.
pub(super) fn is_interpreter(name: &str) -> bool {
    find(name).is_some()
}

fn find(name: &str) -> Option<&'static Interpreter> {
    let plain = name.trim_end_matches(|next: char| next.is_ascii_digit() || next == '.' || next == '-');
    let plain = if plain.is_empty() { name } else { plain };
    INTERPRETERS.iter().find(|known| known.names.contains(&name) || known.names.contains(&plain))
}

impl Walker<'_> {
    /// Interpreters.
    pub(super) fn interpreter(&mut self, look: &mut Look, state: &mut State) -> bool {
        if look.name == "bun" {
            return self.bun(look, state);
        }
        if matches!(look.name.as_str(), "pwsh" | "powershell" | "powershell_ise") {
            return false;
        }
        let Some(known) = find(&look.name) else { return false };
        look.care = Care::Closed;
        let grammar = Grammar::stopping("", &[]);
        let mut values = String::from(known.values);
        values.push_str(known.code);
        values.push_str(known.module);
        let long: Vec<&'static str> = known.code_long.iter().chain(known.long).copied().collect();
        let parsed = owned_parse(look, &values, &long, &grammar);
        let mut codes = Vec::new();
        let mut module = None;
        let family = known.names.first().copied().unwrap_or_default();
        for option in &parsed.options {
            let is_code = if option.is_long {
                known.code_long.iter().any(|name| name.starts_with(&option.name) && option.name.len() > 2)
            } else {
                known.code.contains(&option.name)
            };
            if is_code {
                look.must_spell(option.at);
                if let Some(value) = &option.value {
                    let place = look
                        .args
                        .iter()
                        .skip(option.at)
                        .position(|arg| arg.text == value.text)
                        .map_or(option.at, |at| at + option.at);
                    look.must_spell(place);
                    codes.push(value.clone());
                }
            } else if !option.is_long && known.module.contains(&option.name) && !known.module.is_empty() {
                module = option.value.clone().map(|value| (value, option.at));
                break;
            } else if family == "perl" && matches!(option.name.as_str(), "M" | "m" | "I" | "d" | "x")
                || family == "ruby" && matches!(option.name.as_str(), "r" | "I")
                || family == "node" && option.name == "r"
            {
                look.must_spell(option.at);
            }
        }
        let in_place = matches!(family, "perl" | "ruby")
            && parsed.options.iter().any(|option| !option.is_long && option.name == "i");
        if in_place {
            let skipped = usize::from(codes.is_empty());
            for at in parsed.operands.iter().skip(skipped) {
                let arg = look.args.get(*at).cloned().unwrap_or_default();
                self.writes_purposely(look, &arg, state);
            }
        }
        if let Some((name, at)) = module {
            self.python_module(look, &name, at, state);
            return true;
        }
        if !codes.is_empty() {
            for code in codes {
                self.inline_code(look, &code, state);
            }
            return true;
        }
        let informs = parsed.options.iter().any(|option| {
            matches!(option.name.as_str(), "version" | "help" | "V" | "h" | "v8-options")
                || option.name == "v" && (family != "ruby" || look.args.len() == 2)
                || family == "node" && option.is_long && matches!(option.name.as_str(), "test" | "run")
        });
        let mut operands = parsed.operands.iter().copied();
        let first = operands.next();
        let Some(mut at) = first else {
            if !informs {
                let stdin = look.stdin.clone();
                self.program_from(look, &stdin);
            }
            return true;
        };
        let verb = look.text(at).to_owned();
        let next_word = look.text(at + 1).to_owned();
        let installs = look.name == "dart"
            && verb == "pub"
            && matches!(next_word.as_str(), "get" | "add" | "remove" | "upgrade" | "global" | "downgrade")
            || look.name == "swift"
                && verb == "package"
                && matches!(next_word.as_str(), "update" | "resolve" | "add-dependency")
            || family == "python"
                && super::base_name(&verb) == "setup.py"
                && matches!(next_word.as_str(), "install" | "develop" | "easy_install")
            || look.name == "r" && verb == "CMD" && matches!(next_word.as_str(), "INSTALL" | "REMOVE");
        if installs {
            self.deny("package install", format!("`{} {verb} {next_word}` installs or fetches code", look.name));
        }
        if family == "deno" {
            let verb = look.text(at).to_owned();
            if ["install", "add", "remove", "uninstall", "upgrade", "cache", "i"].contains(&verb.as_str()) {
                self.deny("package install", format!("`deno {verb}` installs or fetches code"));
                return true;
            }
            look.set_head(&[at]);
            let next = (at + 1..look.args.len()).find(|at| !look.text(*at).starts_with('-') || look.text(*at) == "-");
            if known.code_verbs.contains(&verb.as_str()) {
                if let Some(next) = next {
                    let code = look.args.get(next).cloned().unwrap_or_default();
                    look.must_spell(next);
                    self.inline_code(look, &code, state);
                }
                return true;
            }
            if verb == "task" {
                // A task of the project, like a script of `npm`.
                if look.args.iter().any(|arg| arg.text == "--eval") {
                    self.ask("option that executes", "`deno task --eval` runs what it is given");
                }
                if let Some(next) = next {
                    look.bring_forward(next);
                }
                return true;
            }
            match next {
                Some(next) if known.run_verbs.contains(&verb.as_str()) => at = next,
                _ => return true,
            }
        }
        self.program_file(look, at, state);
        true
    }

    fn bun(&mut self, look: &mut Look, state: &mut State) -> bool {
        let place = look.args.iter().position(|arg| matches!(arg.text.as_str(), "-e" | "--eval" | "-p" | "--print"));
        if let Some(at) = place
            && let Some(code) = look.args.get(at + 1).cloned()
        {
            look.must_spell(at + 1);
            self.inline_code(look, &code, state);
            return true;
        }
        if look.text(1) == "-" {
            let stdin = look.stdin.clone();
            self.program_from(look, &stdin);
            return true;
        }
        // A file in the place of a verb is the program.
        let is_file = |text: &str| {
            text.contains('/')
                || [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"]
                    .iter()
                    .any(|ending| text.ends_with(ending))
        };
        let verb = usize::from(look.text(1) == "run") + 1;
        if is_file(look.text(verb)) {
            self.program_file(look, verb, state);
            return true;
        }
        false
    }

    /// Code in a word: what it names in its texts is looked at, no more.
    pub(super) fn inline_code(&mut self, look: &mut Look, code: &Arg, state: &State) {
        if code.is_fetched {
            self.deny("network pipe to shell", format!("`{}` would run fetched text", look.name));
            return;
        }
        look.executes(&code.shown());
        if code.is_dynamic {
            self.ask("dynamic code", format!("`{}` would run text that is known at run time only", look.name));
        }
        if code.has_placeholder {
            self.ask("placeholder in code", "a private value would become part of code");
        }
        let text = code.code.clone().unwrap_or_else(|| code.text.clone());
        self.guarded_literals(look, &text, state);
        if find(&look.name).is_some_and(|known| known.names.first() == Some(&"expect")) {
            self.spawned(&text, state);
        }
    }

    /// The programs that a script of `expect` starts.
    fn spawned(&mut self, code: &str, state: &State) {
        for line in code.split([';', '\n', '{', '}', '[', ']']) {
            let mut words = line.trim();
            let Some((verb, rest)) = words.split_once(char::is_whitespace) else { continue };
            if !matches!(verb, "spawn" | "exp_spawn" | "exec" | "system" | "overlay" | "open") {
                continue;
            }
            words = rest.trim();
            while let Some(option) = words.strip_prefix('-') {
                words = option.split_once(char::is_whitespace).map_or("", |(_, behind)| behind.trim_start());
            }
            self.denied_in_code(words.trim_start_matches(['"', '|', ' ']).trim_end_matches('"'), &Flow::Nothing, state);
        }
    }

    /// A text that code opens for writing may be a guarded path.
    fn guarded_literals(&mut self, look: &mut Look, code: &str, state: &State) {
        let writes = [
            "'w",
            "\"w",
            "'a'",
            "\"a\"",
            "'a+",
            "\"a+",
            "'r+",
            "\"r+",
            "write_text",
            "write_bytes",
            "writeFile",
            "appendFile",
            "file_put_contents",
            "WriteAllText",
            "File.write",
            "truncate",
            "unlink",
            "remove(",
            "rename",
            "copyfile",
            "copy(",
            "symlink",
            "mkdir",
            "chmod",
            "touch(",
            "spew",
            "createWriteStream",
            "'>",
            "\">",
        ]
        .iter()
        .any(|mark| code.contains(mark));
        if !writes {
            return;
        }
        for text in literals(code) {
            let text = text.trim_start_matches(['>', '<', '+', ' ']);
            if (text.starts_with('/') || text.starts_with("~/")) && text.len() > 2 {
                let (path, _) = crate::path::resolve(text, state.folder.as_deref(), self.context);
                let guarded = crate::path::guard(&path, self.context);
                let is_program = path.starts_with("/bin/") || path.starts_with("/usr/") || path.starts_with("/dev/");
                if guarded.is_some() && !is_program {
                    self.writes_purposely(look, &Arg::literal(text), state);
                }
            }
        }
    }

    /// A file that is run, a process substitution or the input.
    fn program_file(&mut self, look: &mut Look, at: usize, state: &State) {
        let Some(arg) = look.args.get(at).cloned() else { return };
        let is_input = arg.text == "-";
        if let Some(flow) = super::held(&arg, &look.stdin, state).or_else(|| is_input.then(|| look.stdin.clone())) {
            self.program_from(look, &flow);
            return;
        }
        if arg.is_fetched {
            self.deny("network pipe to shell", format!("`{}` would run what fetched text names", look.name));
        }
        look.must_spell(at);
        look.executes(&arg.shown());
        if arg.text.starts_with("http://")
            || arg.text.starts_with("https://")
            || arg.text.starts_with("npm:")
            || arg.text.starts_with("jsr:")
        {
            self.ask("fetches code", format!("`{}` would fetch a program and run it", look.name));
        }
        self.runs_file(&arg, state);
    }

    fn program_from(&mut self, look: &mut Look, flow: &Flow) {
        match flow {
            Flow::Network => self.deny("network pipe to shell", format!("`{}` would run fetched text", look.name)),
            Flow::Nothing => {
                self.ask("no program", format!("`{}` would read its program from whoever types", look.name));
            }
            Flow::Literal(code) => {
                self.ask("program from the input", format!("`{}` would run its input as a program", look.name));
                let code = code.clone();
                self.guarded_literals(look, &code, &State::default());
                if find(&look.name).is_some_and(|known| known.names.first() == Some(&"expect")) {
                    self.spawned(&code, &State::default());
                }
            }
            Flow::Opaque | Flow::Word => {
                self.ask("program from the input", format!("`{}` would run its input as a program", look.name));
            }
        }
    }

    fn python_module(&mut self, look: &mut Look, module: &Arg, at: usize, state: &mut State) {
        let place = if look.text(at).ends_with(&module.text) && look.text(at) != module.text { at } else { at + 1 };
        look.must_spell(place);
        look.set_head(&[at, place]);
        if at == place {
            look.set_head(&[at]);
        }
        let rest = look.from(place + 1);
        let name = module.text.clone();
        match name.as_str() {
            "ensurepip" | "easy_install" => {
                self.deny("package install", format!("`python -m {name}` installs software"));
            }
            "pip" | "pipx" | "uv" | "poetry" | "pipenv" | "conda" | "hatch" | "pdm" | "pip3" => {
                let mut words = vec![Arg::literal(name.clone())];
                words.extend(rest.clone());
                // An entry may name the module as it is written.
                let out = self.inner_behind(look, words, state);
                look.out = Some(out);
            }
            "zipfile" | "tarfile" => {
                if let Some(index) =
                    rest.iter().position(|arg| matches!(arg.text.as_str(), "-e" | "--extract" | "-c" | "--create"))
                {
                    for arg in rest.iter().skip(index + 1) {
                        self.writes_purposely(look, arg, state);
                    }
                }
            }
            "venv" | "virtualenv" | "compileall" => {
                for arg in rest.iter().filter(|arg| !arg.text.starts_with('-')) {
                    self.writes_purposely(look, arg, state);
                }
            }
            "timeit" | "trace" | "pdb" | "cProfile" | "profile" | "code" | "doctest" | "runpy" | "coverage" => {
                self.ask("program from a word", format!("`python -m {name}` runs code that its words hold or name"));
            }
            _ => {}
        }
        // Data that flows in is data for the module.
        look.care = if name == "json.tool" { Care::Harmless } else { Care::Closed };
        if name == "json.tool" {
            let out = rest.iter().filter(|arg| !arg.text.starts_with('-')).nth(1).cloned();
            if let Some(out) = out {
                self.writes_aside(look, &out, state);
            }
        }
    }
}
