//! What the shell does itself: folders, variables, code in words, and what replaces programs.

use super::{Care, Look, Walker};
use crate::arg::{Arg, Flow};
use crate::options::Grammar;
use crate::walk::state::{State, Value};

/// A longer name of a folder is not followed.
const LONGEST_FOLDER: usize = 4096;

impl Walker<'_> {
    /// Built-ins.
    pub(super) fn builtin(&mut self, look: &mut Look, state: &mut State) -> bool {
        if look.text(0).contains('/') {
            return false;
        }
        let name = look.name.clone();
        match name.as_str() {
            "cd" | "chdir" | "pushd" | "popd" => self.change_folder(look, state),
            "echo" | "printf" => self.prints(look, state),
            "cat" | "bat" | "batcat" => {
                if look.args.len() == 1 || look.args.iter().skip(1).all(|arg| arg.text == "-") {
                    look.out = Some(look.stdin.clone());
                } else if let [_, only] = look.args.as_slice()
                    && let Some(flow) = super::held(only, &look.stdin, state)
                {
                    look.out = Some(flow);
                } else if look
                    .args
                    .iter()
                    .any(|arg| arg.file == Some(Flow::Network) || arg.text == "-" && look.stdin == Flow::Network)
                {
                    look.out = Some(Flow::Network);
                }
                if name != "cat" {
                    return false;
                }
                look.care = Care::Harmless;
            }
            ":" | "true" | "false" | "pwd" | "exit" | "return" | "break" | "continue" | "shift" | "wait" | "jobs"
            | "fg" | "bg" | "times" | "dirs" | "logout" | "suspend" | "caller" => {
                look.care = Care::Harmless;
                look.names_only = true;
                look.out = Some(Flow::Nothing);
                if name == "pwd" {
                    look.out = None;
                }
                look.record.needs_entry = matches!(name.as_str(), "pwd" | "dirs" | "jobs");
                if name == "jobs"
                    && let Some(at) = look.args.iter().position(|arg| arg.text == "-x")
                {
                    let words = look.from(at + 1);
                    look.executes(&crate::arg::line(&words));
                    let out = self.inner(look, words, state);
                    look.out = Some(out);
                }
                if name == "wait" {
                    for value in look.parse(&Grammar::new("p", &[])).values('p', "") {
                        self.assignment_name(&value.text);
                        state.set(&value.text, Value::Unknown);
                    }
                }
                if name == "shift" {
                    let by = if look.args.len() == 1 { Some(1) } else { look.text(1).parse::<usize>().ok() };
                    match (&mut state.positional, by) {
                        (Some(words), Some(by)) if look.args.len() < 3 && !state.is_conditional => {
                            words.drain(1.min(words.len())..by.saturating_add(1).min(words.len()));
                        }
                        _ => state.positional = None,
                    }
                }
                if name == "suspend" {
                    self.ask("job control", "stops the shell");
                }
            }
            "eval" => {
                let parts = look.from(1).into_iter().skip_while(|arg| arg.text == "--").collect::<Vec<_>>();
                let code = joined(&parts);
                look.record.effects.push(crate::verdict::Effect::Execute { what: code.shown() });
                if parts.iter().any(|arg| arg.is_dynamic && arg.code.is_none()) || code.code.is_none() {
                    self.code_in(look, &code, state);
                } else {
                    let flow = self.code_in(look, &code, state);
                    look.out = Some(flow);
                }
                look.care = Care::Harmless;
                look.names_only = true;
            }
            "source" | "." => self.source(look, state),
            "exec" => return false,
            "export" | "declare" | "typeset" | "local" | "readonly" => self.declare(look, state),
            "alias" => {
                for arg in look.from(1) {
                    if let Some((_, _)) = arg.text.split_once('=') {
                        let from = arg.text.find('=').map_or(0, |at| at + 1);
                        let code = arg.tail(from);
                        self.ask("alias", "an alias makes another program run under a name");
                        let text = code.text.replace(crate::arg::UNKNOWN, "x");
                        self.denied_in_code(&text, &Flow::Nothing, state);
                    }
                }
            }
            "trap" => {
                let args: Vec<Arg> = look.from(1).into_iter().filter(|arg| arg.text != "--").collect();
                if args.len() > 1
                    && let Some(code) = args.first()
                    && !matches!(code.text.as_str(), "" | "-" | "-l" | "-p")
                {
                    // It runs when the variables may hold anything else.
                    let mut later = state.deeper();
                    later.forget_values();
                    self.code_in(look, code, &mut later);
                    look.care = Care::Harmless;
                }
            }
            "read" | "mapfile" | "readarray" => self.read_variables(look, state),
            "unset" => {
                for arg in look.from(1) {
                    if !arg.text.starts_with('-') {
                        self.assignment_name(&arg.text);
                        state.set(&arg.text, Value::Unknown);
                        std::rc::Rc::make_mut(&mut state.functions).remove(&arg.text);
                    }
                }
            }
            "set" => {
                let parsed = look.parse(&Grammar::new("oO", &[]));
                if parsed.has_short("k")
                    || look
                        .args
                        .iter()
                        .skip(1)
                        .any(|arg| matches!(arg.text.as_str(), "history" | "posix" | "expand_aliases" | "keyword"))
                {
                    self.ask("shell setting", "changes how the shell reads what follows");
                }
                let operands = parsed.operands.clone();
                if !operands.is_empty() || parsed.has_end {
                    let words = operands.iter().filter_map(|at| look.args.get(*at)).cloned();
                    let words =
                        std::iter::once(Arg::unknown()).chain(words).map(|arg| Arg { is_indirect: true, ..arg });
                    state.positional = (!state.is_conditional).then(|| words.collect());
                }
                look.care = Care::Harmless;
                look.names_only = true;
                look.record.needs_entry = look.args.len() == 1;
                look.out = Some(Flow::Nothing);
            }
            "shopt" => {
                let harmless = look.args.iter().skip(1).all(|arg| {
                    matches!(
                        arg.text.as_str(),
                        "-s" | "-u"
                            | "-q"
                            | "-p"
                            | "nullglob"
                            | "globstar"
                            | "dotglob"
                            | "failglob"
                            | "nocaseglob"
                            | "inherit_errexit"
                            | "lastpipe"
                            | "pipefail"
                    )
                });
                if !harmless {
                    self.ask("shell setting", "changes how the shell reads what follows");
                }
            }
            "enable" | "hash" | "bind" | "complete" | "compgen" | "compopt" | "fc" | "history" => {
                self.loaders(look, state);
            }
            "let" => {
                let args = look.from(1);
                for arg in &args {
                    let text = arg.text.replace(crate::arg::UNKNOWN, "0");
                    self.arithmetic(&text, state);
                    if let Some((name, _)) = text.split_once('=') {
                        self.assignment_name(name.trim_end_matches(['+', '-', '*', '/', '%', '<', '>', '&', '|', '^']));
                    }
                }
                self.arithmetic_operand(&args);
                look.care = Care::Harmless;
                look.names_only = true;
                look.record.needs_entry = false;
            }
            "getopts" => {
                let name = look.text(2).to_owned();
                self.assignment_name(&name);
                state.set(&name, Value::Unknown);
                look.care = Care::Harmless;
                look.record.needs_entry = false;
            }
            "umask" | "ulimit" => {
                look.care = Care::Harmless;
                look.names_only = true;
            }
            "disown" => look.care = Care::Harmless,
            _ => return false,
        }
        true
    }

    fn change_folder(&mut self, look: &mut Look, state: &mut State) {
        look.care = Care::Harmless;
        look.names_only = true;
        look.record.needs_entry = false;
        look.out = Some(Flow::Nothing);
        let parsed = look.parse(&Grammar::new("", &[]));
        let target = parsed.operands.first().and_then(|at| look.args.get(*at)).cloned();
        let previous = state.folder.clone();
        let folder = match (look.name.as_str(), target) {
            ("popd", _) => state.stack.pop().flatten(),
            ("pushd", None) => None,
            (_, None) => self.context.home.clone(),
            (_, Some(arg)) if arg.text == "-" => state.last_folder.clone(),
            (_, Some(arg)) if arg.is_static() && !arg.has_placeholder => {
                let (path, is_anchored) = crate::path::resolve(&arg.text, state.folder.as_deref(), self.context);
                let linked = state.beyond(&path).pop();
                // No system has longer names of folders.
                (is_anchored && path.len() <= LONGEST_FOLDER).then(|| linked.unwrap_or(path))
            }
            (_, Some(arg)) => {
                // A prefix that is known may lead to a guarded place already.
                let (path, is_anchored) = crate::path::resolve(&arg.text, state.folder.as_deref(), self.context);
                (is_anchored && arg.text.starts_with('/')).then_some(path)
            }
        };
        state.go(folder);
        if look.name == "pushd" {
            state.stack.push(previous.clone());
        }
        state.last_folder = previous;
    }

    /// What a literal `echo` or `printf` prints, where it is certain.
    fn prints(&mut self, look: &mut Look, state: &mut State) {
        look.care = Care::Harmless;
        look.names_only = true;
        let args = look.from(1);
        if look.name == "printf" && args.first().is_some_and(|arg| arg.text == "-v" || arg.text.starts_with("-v")) {
            let name = if look.text(1) == "-v" {
                look.text(2).to_owned()
            } else {
                look.text(1).get(2..).unwrap_or_default().to_owned()
            };
            self.assignment_name(&name);
            let rest = look.from(if look.text(1) == "-v" { 3 } else { 2 });
            let texts: Option<Vec<String>> = rest.iter().map(|arg| arg.code.clone().filter(|_| !arg.is_glob)).collect();
            let value = match texts.map(|texts| formatted(&texts)) {
                _ if rest.iter().any(|arg| arg.is_fetched) => Value::Fetched,
                Some(Flow::Literal(text)) => Value::of(&text),
                _ => Value::Unknown,
            };
            state.set(&name, value);
            return;
        }
        if args.iter().any(|arg| arg.is_fetched) {
            look.out = Some(Flow::Network);
            return;
        }
        let texts: Option<Vec<String>> =
            args.iter().map(|arg| if arg.is_glob { None } else { arg.code.clone() }).collect();
        let Some(texts) = texts else {
            look.out = Some(Flow::Opaque);
            return;
        };
        look.out = Some(match look.name.as_str() {
            "echo" => echoed(&texts),
            _ => formatted(&texts),
        });
    }

    fn source(&mut self, look: &mut Look, state: &mut State) {
        let at = if look.text(1) == "--" { 2 } else { 1 };
        let Some(arg) = look.args.get(at).cloned() else { return };
        look.must_spell(at);
        look.executes(&arg.shown());
        match super::held(&arg, &look.stdin, state) {
            Some(Flow::Literal(code)) => {
                self.code_in(look, &Arg::literal(code), state);
            }
            Some(Flow::Network) => self.deny("network pipe to shell", "the shell would run fetched text"),
            Some(_) => self.ask("dynamic code", "the shell would run text that is known at run time only"),
            None if arg.is_fetched => self.deny("network pipe to shell", "the shell would run fetched text"),
            None => self.runs_file(&arg, state),
        }
        // What the file sets is not known.
        state.functions = std::rc::Rc::default();
        state.forget_values();
    }

    /// A file that is run: a fetched one is worth a warning.
    pub(super) fn runs_file(&mut self, arg: &Arg, state: &State) {
        let (path, _) = crate::path::resolve(&arg.text, state.folder.as_deref(), self.context);
        if self.downloads.contains(&path) {
            self.ask("runs a download", format!("`{}` was fetched by the same command", arg.shown()));
        }
    }

    fn declare(&mut self, look: &mut Look, state: &mut State) {
        look.care = Care::Harmless;
        look.names_only = true;
        let is_function = look
            .args
            .iter()
            .skip(1)
            .any(|arg| arg.text.starts_with('-') && arg.text.contains('f') && look.name == "export");
        let is_reference = look
            .args
            .iter()
            .skip(1)
            .any(|arg| arg.text.starts_with('-') && arg.text.contains(['n', 'i']) && look.name != "export");
        if is_function {
            self.ask("exported function", "an exported function runs in other shells");
        }
        if is_reference {
            self.ask("reference", "the variable stands for another one or evaluates what it is given");
        }
        let flags: String =
            look.args.iter().skip(1).map(|arg| arg.text.as_str()).filter(|text| text.starts_with('-')).collect();
        let changes_text = look.name != "export" && flags.contains(['l', 'u', 'c', 'i', 'n']);
        let is_fixed = look.name == "readonly" || look.name != "export" && flags.contains('r');
        let is_local =
            look.name == "local" || matches!(look.name.as_str(), "declare" | "typeset") && !flags.contains('g');
        let mut prints = true;
        for arg in look.from(1) {
            if arg.text.starts_with('-') {
                continue;
            }
            let bare = arg.text.split(['=', '+', '[']).next().unwrap_or_default().to_owned();
            if is_local && !state.calling.is_empty() {
                state.locals.push((bare.clone(), state.variables.get(&bare).cloned()));
            }
            prints = false;
            // An index is evaluated, before or without the equals sign.
            let index = arg.text.split('=').next().unwrap_or_default();
            if index.contains('[') && index.contains(['$', '`', crate::arg::UNKNOWN]) {
                self.ask("arithmetic", "an index is evaluated and may hold commands");
                let code = arg.code.clone().unwrap_or_default();
                self.scan(&code);
            }
            match arg.text.find('=') {
                Some(at) => {
                    let name = arg.text.get(..at).unwrap_or_default().trim_end_matches('+').to_owned();
                    let value = arg.tail(at + 1);
                    self.assignment_value(&name, &value);
                    let grows = arg.text.get(..at).is_some_and(|name| name.ends_with(['+', ']']));
                    let known = if value.is_fetched {
                        Value::Fetched
                    } else if value.is_dynamic || changes_text || grows {
                        Value::Unknown
                    } else {
                        Value::of(&value.text)
                    };
                    // Outside of a function there is nothing to be local to.
                    let fails = look.name == "local" && state.calling.is_empty();
                    let outer = state.is_conditional;
                    state.is_conditional |= fails;
                    state.set(&bare, known);
                    state.is_conditional = outer;
                }
                None => self.assignment_name(&arg.text),
            }
            if is_fixed {
                state.fixed.insert(bare);
            }
        }
        if look.name == "local" || !prints && look.name == "readonly" {
            look.record.needs_entry = false;
        }
        look.out = Some(Flow::Opaque);
    }

    fn read_variables(&mut self, look: &mut Look, state: &mut State) {
        look.care = Care::Harmless;
        look.names_only = true;
        let values = if look.name == "read" { "adinNptu" } else { "CcdnOsu" };
        let parsed = look.parse(&Grammar::new(values, &[]));
        if look.name != "read" {
            for value in parsed.values('C', "") {
                self.ask("option that executes", "a callback runs code");
                self.code_in(look, &value, &mut state.deeper());
            }
        }
        let array = parsed.values('a', "");
        let names: Vec<Arg> =
            parsed.operands.iter().filter_map(|at| look.args.get(*at)).cloned().chain(array).collect();
        let value = match &look.stdin {
            Flow::Network => Value::Fetched,
            Flow::Literal(text)
                if names.len() == 1 && look.name == "read" && !text.trim_end_matches('\n').contains('\n') =>
            {
                Value::of(text.trim())
            }
            _ => Value::Unknown,
        };
        for name in names {
            self.assignment_name(&name.text);
            state.set(&name.text, value.clone());
        }
        look.record.needs_entry = false;
        look.out = Some(Flow::Nothing);
    }

    fn loaders(&mut self, look: &mut Look, state: &State) {
        let parsed = look.parse(&Grammar::new("fpxCFWeAGPSm", &[]));
        let is_risky = match look.name.as_str() {
            "enable" | "bind" | "complete" | "compgen" | "compopt" | "fc" => look.args.len() > 1,
            "hash" => parsed.has_short("p"),
            _ => parsed.has_short("sp"),
        };
        if look.name == "history" && parsed.has_short("wacdnr") {
            self.ask("history", "`history` would change or write what the shell remembers");
            for at in parsed.operands.clone() {
                let arg = look.args.get(at).cloned().unwrap_or_default();
                self.writes_aside(look, &arg, state);
            }
        }
        if is_risky {
            self.ask(
                "replaces programs",
                format!("`{}` loads code or makes another program run under a name", look.name),
            );
            for option in &parsed.options {
                if let Some(value) = &option.value {
                    let code = match value.text.split_once(':').filter(|_| look.name == "bind") {
                        Some((_, code)) => code.trim(),
                        None => &value.text,
                    };
                    self.denied_in_code(code, &Flow::Nothing, state);
                }
            }
        }
    }
}

/// Words as `eval` joins them.
pub(super) fn joined(args: &[Arg]) -> Arg {
    let mut whole = Arg::literal("");
    for (index, arg) in args.iter().enumerate() {
        if index > 0 {
            whole.text.push(' ');
            if let Some(code) = &mut whole.code {
                code.push(' ');
            }
        }
        whole.text.push_str(&arg.text);
        whole.is_dynamic |= arg.is_dynamic;
        whole.is_fetched |= arg.is_fetched;
        whole.has_placeholder |= arg.has_placeholder;
        match (&arg.code, &mut whole.code) {
            (Some(text), Some(code)) if !arg.is_glob => code.push_str(text),
            (_, code) => *code = None,
        }
    }
    whole
}

fn echoed(texts: &[String]) -> Flow {
    let mut rest = texts;
    let mut interprets = false;
    let mut ends = true;
    while let Some(first) = rest.first() {
        let Some(flags) =
            first.strip_prefix('-').filter(|flags| !flags.is_empty() && flags.chars().all(|next| "neE".contains(next)))
        else {
            break;
        };
        interprets = flags.contains('e');
        ends &= !flags.contains('n');
        rest = rest.get(1..).unwrap_or_default();
    }
    let mut text = rest.join(" ");
    if interprets {
        text = unescaped(&text);
    }
    if ends {
        text.push('\n');
    }
    Flow::Literal(text)
}

/// `printf` with `%s`, `%b`, `%d` and `%%` only; anything else is not worked out.
fn formatted(texts: &[String]) -> Flow {
    let mut rest = texts;
    if rest.first().is_some_and(|first| first == "--") {
        rest = rest.get(1..).unwrap_or_default();
    }
    let Some((format, arguments)) = rest.split_first() else { return Flow::Opaque };
    let mut left = arguments.iter();
    let mut text = String::new();
    for _ in 0..=arguments.len() {
        let mut characters = format.chars();
        let mut took = false;
        let mut literal = String::new();
        while let Some(next) = characters.next() {
            if next != '%' {
                literal.push(next);
                continue;
            }
            text.push_str(&unescaped(&literal));
            literal.clear();
            match characters.next() {
                Some('%') => text.push('%'),
                Some('s' | 'd' | 'i') => {
                    text.push_str(left.next().map(String::as_str).unwrap_or_default());
                    took = true;
                }
                Some('b') => {
                    text.push_str(&unescaped(left.next().map(String::as_str).unwrap_or_default()));
                    took = true;
                }
                _ => return Flow::Opaque,
            }
        }
        text.push_str(&unescaped(&literal));
        if !took || left.as_slice().is_empty() {
            break;
        }
    }
    Flow::Literal(text)
}

fn unescaped(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    // The escapes are those of `$'…'` but for quotes.
    let quoted = text.replace('\'', "\\'") + "'";
    let mut cursor = crate::shell::cursor::Cursor::new(&quoted);
    crate::shell::ansi_c::read(&mut cursor).unwrap_or_else(|| text.to_owned())
}
