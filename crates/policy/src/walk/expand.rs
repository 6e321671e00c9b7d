//! Expansion: from raw words to arguments, as the shell would do it, with what cannot be known marked.

use super::Walker;
use super::state::{State, Value};
use crate::arg::{Arg, Flow, UNKNOWN};
use crate::shell::brace;
use crate::shell::word::{self, Form, Mode, Piece};

/// Numbers that the shell keeps itself.
const NUMBERS: &[&str] = &[
    "RANDOM",
    "SRANDOM",
    "SECONDS",
    "LINENO",
    "UID",
    "EUID",
    "PPID",
    "BASHPID",
    "SHLVL",
    "COLUMNS",
    "LINES",
    "EPOCHSECONDS",
    "EPOCHREALTIME",
    "OPTIND",
];

/// Longer words are not put together from variables.
const LONGEST_WORD: usize = 64 * 1024;

/// Nor are more words than this made of one.
const MOST_WORDS: usize = 4096;

impl Walker<'_> {
    /// The arguments that one raw word becomes.
    pub(crate) fn words(&mut self, raw: &str, state: &mut State) -> Vec<Arg> {
        if is_plain(raw) {
            return vec![Arg::literal(raw)];
        }
        let Ok(raws) = brace::expand(raw) else { return vec![self.broken(raw)] };
        let mut args = Vec::new();
        for raw in raws {
            match word::parse(&raw, Mode::Word) {
                Ok(pieces) => {
                    let mut joiner = Joiner::new(true);
                    self.pieces(&pieces, state, &mut joiner);
                    args.extend(joiner.finish());
                }
                Err(word::Broken) => args.push(self.broken(&raw)),
            }
        }
        args
    }

    /// The pattern behind `=~`: its brackets and bars are its own, what expands in it is not.
    pub(crate) fn pattern(&mut self, raw: &str, state: &mut State) -> Arg {
        if word::parse(raw, Mode::Word).is_ok() {
            return self.whole(raw, state);
        }
        self.expanded(raw, Mode::Quoted, state)
    }

    /// The one argument that a raw word becomes where no splitting happens: assignments and redirect targets.
    pub(crate) fn whole(&mut self, raw: &str, state: &mut State) -> Arg {
        if is_plain(raw) {
            return Arg::literal(raw);
        }
        self.expanded(raw, Mode::Word, state)
    }

    pub(crate) fn expanded(&mut self, raw: &str, mode: Mode, state: &mut State) -> Arg {
        match word::parse(raw, mode) {
            Ok(pieces) => {
                let mut joiner = Joiner::new(false);
                self.pieces(&pieces, state, &mut joiner);
                joiner.finish().pop().unwrap_or_else(|| Arg::literal(""))
            }
            Err(word::Broken) => self.broken(raw),
        }
    }

    fn broken(&mut self, raw: &str) -> Arg {
        self.ask("cannot be parsed", "a word of the command cannot be parsed");
        self.scan(raw);
        Arg::unknown()
    }

    fn pieces(&mut self, pieces: &[Piece], state: &mut State, joiner: &mut Joiner) {
        for piece in pieces {
            match piece {
                Piece::Text { text, is_quoted } => joiner.text(text, *is_quoted),
                Piece::Tilde(name) => {
                    let text = self.tilde(name, state);
                    joiner.text(&text, true);
                }
                Piece::Parameter { name, is_quoted, form } => self.parameter(name, *is_quoted, form, state, joiner),
                Piece::Command { text, is_quoted } => {
                    let flow = self.substitution(text, state);
                    joiner.unknown(!is_quoted, &flow);
                }
                Piece::Process { text } => {
                    let flow = self.substitution(text, state);
                    joiner.text("/dev/fd/63", true);
                    joiner.current().is_fetched |= flow == Flow::Network;
                    joiner.current().file = Some(flow);
                }
                Piece::Arithmetic { text } => {
                    self.arithmetic(text, state);
                    joiner.unknown(false, &Flow::Opaque);
                    joiner.current().text.pop();
                    // A number, which is neither an option nor a path.
                    joiner.current().text.push('0');
                }
            }
        }
    }

    /// Walks the code of a substitution and gives what it prints. It reads the standard input of the command around it.
    fn substitution(&mut self, text: &str, state: &State) -> Flow {
        let segment = self.segment.clone();
        let inflow = self.inflow.clone();
        let flow = self.code(text, &mut state.deeper(), &inflow);
        self.inflow = inflow;
        self.segment = segment;
        match flow {
            Flow::Literal(text) => Flow::Literal(text.trim_end_matches('\n').to_owned()),
            other => other,
        }
    }

    fn tilde(&self, name: &str, state: &State) -> String {
        match name {
            "" => self.context.home.clone().unwrap_or_else(|| "/home/…".to_owned()),
            "+" => state.folder.clone().unwrap_or_else(|| UNKNOWN.to_string()),
            "root" => "/root".to_owned(),
            _ if Some(name) == self.context.user.as_deref() => {
                self.context.home.clone().unwrap_or_else(|| format!("/home/{name}"))
            }
            _ if name.starts_with(['-', '+']) => UNKNOWN.to_string(),
            _ => format!("/home/{name}"),
        }
    }

    fn parameter(&mut self, name: &str, is_quoted: bool, form: &Form, state: &mut State, joiner: &mut Joiner) {
        match form {
            Form::Number => {
                joiner.unknown(false, &Flow::Opaque);
                joiner.current().text.pop();
                joiner.current().text.push('0');
            }
            Form::Plain => self.value(name, is_quoted, state, joiner),
            // A part of the blanks between words is blank too.
            Form::Edit(_) | Form::Default(_) if name == "IFS" && !state.variables.contains_key("IFS") => {
                if let Form::Edit(pieces) | Form::Default(pieces) = form {
                    self.for_effect(pieces, state);
                }
                self.value(name, is_quoted, state, joiner);
            }
            Form::Default(pieces) => {
                if let Some(Value::Static(_)) = self.lookup(name, state) {
                    self.for_effect(pieces, state);
                    self.value(name, is_quoted, state, joiner);
                    return;
                }
                let inner = self.for_effect(pieces, state);
                joiner.maybe(&inner, !is_quoted);
            }
            Form::Assign(pieces) => {
                let inner = self.for_effect(pieces, state);
                self.assignment_value(name, &inner);
                let value = if inner.is_dynamic { Value::Unknown } else { Value::of(&inner.text) };
                match state.variables.get(name) {
                    // An empty one is set as well.
                    Some(Value::Static(text)) if text.is_empty() => state.set(name, Value::Unknown),
                    Some(_) => {}
                    None => state.set(name, value),
                }
                joiner.maybe(&inner, !is_quoted);
            }
            Form::Edit(pieces) => {
                self.for_effect(pieces, state);
                let is_fetched = matches!(self.lookup(name, state), Some(Value::Fetched));
                joiner.unknown(!is_quoted, if is_fetched { &Flow::Network } else { &Flow::Opaque });
            }
            Form::Prompt => {
                self.ask("prompt expansion", format!("the value of `{name}` would be expanded a second time"));
                joiner.unknown(!is_quoted, &Flow::Opaque);
            }
            Form::Indirect => {
                self.ask("indirect expansion", format!("the value of `{name}` names the variable that is read"));
                joiner.unknown(!is_quoted, &Flow::Opaque);
            }
        }
    }

    fn for_effect(&mut self, pieces: &[Piece], state: &mut State) -> Arg {
        let mut inner = Joiner::new(false);
        self.pieces(pieces, state, &mut inner);
        inner.finish().pop().unwrap_or_else(|| Arg::literal(""))
    }

    fn lookup(&self, name: &str, state: &State) -> Option<Value> {
        if let Some(array) = name.strip_suffix("[]") {
            return state.variables.get(array).filter(|value| **value == Value::Fetched).cloned();
        }
        if let Some(value) = state.variables.get(name) {
            return Some(value.clone());
        }
        match name {
            "HOME" => self.context.home.clone().map(Value::Static),
            "PWD" => state.folder.clone().map(Value::Static),
            "USER" | "LOGNAME" => self.context.user.clone().map(Value::Static),
            _ => self.context.variables.get(name).cloned().map(Value::Static),
        }
    }

    fn value(&mut self, name: &str, is_quoted: bool, state: &State, joiner: &mut Joiner) {
        if name == "@" || name == "*" || name.parse::<usize>().is_ok() {
            return positional(name, is_quoted, state, joiner);
        }
        if name == "IFS" && !state.variables.contains_key("IFS") {
            if is_quoted || !joiner.splits {
                joiner.text(" \t\n", true);
            } else {
                joiner.cut();
            }
            return;
        }
        if NUMBERS.contains(&name) {
            joiner.unknown(false, &Flow::Opaque);
            joiner.current().text.pop();
            joiner.current().text.push('0');
            return;
        }
        match self.lookup(name, state) {
            Some(Value::Static(text)) => {
                let is_set_here = state.variables.contains_key(name);
                if is_quoted || !joiner.splits {
                    joiner.text(&text, true);
                    joiner.current().is_indirect |= is_set_here;
                } else {
                    joiner.split_text(&text, is_set_here);
                }
            }
            Some(Value::Names(text)) => {
                joiner.unknown(false, &Flow::Opaque);
                let is_anchored = !text.starts_with(['*', '?', '[', '-']);
                let current = joiner.current();
                current.text.pop();
                if is_anchored {
                    let prefix = text.split(['*', '?', '[']).next().unwrap_or_default();
                    current.text.push_str(prefix);
                }
                current.text.push(UNKNOWN);
                // What the names end with is known as well.
                if let Some(at) = text.rfind(['*', '?', ']']) {
                    current.text.push_str(text.get(at + 1..).unwrap_or_default());
                }
            }
            Some(Value::Fetched) => joiner.unknown(!is_quoted, &Flow::Network),
            Some(Value::Unknown) | None => joiner.unknown(!is_quoted, &Flow::Opaque),
        }
    }

    /// Arithmetic runs what substitutions and indexes in it hold.
    pub(crate) fn arithmetic(&mut self, text: &str, state: &mut State) {
        let Ok(pieces) = word::parse(text, Mode::Quoted) else {
            self.broken(text);
            return;
        };
        for piece in &pieces {
            if let Piece::Text { text, .. } = piece {
                self.arithmetic_text(text, state);
            }
        }
        self.for_effect(&pieces, state);
    }

    fn arithmetic_text(&mut self, text: &str, state: &State) {
        for name in text.split(|next: char| !next.is_ascii_alphanumeric() && next != '_') {
            if name.starts_with(|next: char| next.is_ascii_digit()) {
                continue;
            }
            if !name.is_empty() {
                self.assignment_name(name);
            }
            match state.variables.get(name) {
                Some(Value::Static(value)) if value.chars().all(|next| next.is_ascii_digit()) => {}
                Some(_) => self.ask("arithmetic", format!("arithmetic evaluates the value of `{name}`")),
                None => {}
            }
        }
    }

    /// Judges words that are evaluated as arithmetic.
    pub(crate) fn arithmetic_operand(&mut self, args: &[Arg]) {
        for arg in args {
            if arg.text.contains(['$', '`', '[']) || arg.is_dynamic {
                self.ask("arithmetic", "arithmetic evaluates text that may hold commands");
                if let Some(code) = arg.code.clone() {
                    self.scan(&code);
                }
            }
        }
    }
}

fn positional(name: &str, is_quoted: bool, state: &State, joiner: &mut Joiner) {
    let Some(known) = &state.positional else {
        joiner.unknown(!is_quoted || name == "@", &Flow::Opaque);
        return;
    };
    let wanted: Vec<&Arg> = match name.parse::<usize>() {
        Ok(index) => known.get(index).into_iter().collect(),
        Err(_) => known.iter().skip(1).collect(),
    };
    for (index, arg) in wanted.into_iter().enumerate() {
        if index > 0 && joiner.splits {
            joiner.cut();
        }
        joiner.append(arg);
    }
}

/// Whether a raw word means itself.
fn is_plain(raw: &str) -> bool {
    !raw.is_empty()
        && !raw.starts_with('~')
        && raw.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./:=,@%+^".contains(&byte))
}

/// Puts pieces together to words.
struct Joiner {
    done: Vec<Arg>,
    open: Option<Arg>,
    splits: bool,
    has_bracket: bool,
}

impl Joiner {
    fn new(splits: bool) -> Self {
        Self { done: Vec::new(), open: None, splits, has_bracket: false }
    }

    fn current(&mut self) -> &mut Arg {
        self.open.get_or_insert_with(|| Arg::literal(""))
    }

    fn text(&mut self, text: &str, is_quoted: bool) {
        let current = self.current();
        if current.text.len() + text.len() > LONGEST_WORD {
            current.is_dynamic = true;
            current.code = None;
            return;
        }
        current.text.push_str(text);
        if let Some(code) = &mut current.code {
            code.push_str(text);
        }
        if is_quoted || !text.contains(['*', '?', '[']) || crate::placeholder::covers_brackets(text) {
            return;
        }
        current.is_glob |= text.contains(['*', '?']);
        // A bracket is a pattern once it is closed.
        self.has_bracket |= text.contains('[');
    }

    fn unknown(&mut self, splits: bool, flow: &Flow) {
        let splits = splits && self.splits && *flow != Flow::Word;
        let current = self.current();
        current.is_name |= *flow == Flow::Word && current.text.is_empty();
        current.text.push(UNKNOWN);
        current.is_dynamic = true;
        current.splits |= splits;
        current.is_fetched |= *flow == Flow::Network;
        match (flow, &mut current.code) {
            (Flow::Literal(text), Some(code)) => code.push_str(text),
            (Flow::Nothing, Some(_)) => {}
            (_, code) => *code = None,
        }
    }

    /// A text that may or may not be taken.
    fn maybe(&mut self, inner: &Arg, splits: bool) {
        let splits = splits && self.splits;
        let current = self.current();
        if inner.text.is_empty() {
            current.text.push(UNKNOWN);
        }
        current.text.push_str(&inner.text);
        current.is_dynamic = true;
        current.splits |= splits;
        current.is_fetched |= inner.is_fetched;
        match (&inner.code, &mut current.code) {
            (Some(text), Some(code)) => code.push_str(text),
            (_, code) => *code = None,
        }
    }

    fn append(&mut self, arg: &Arg) {
        let current = self.current();
        current.text.push_str(&arg.text);
        current.is_dynamic |= arg.is_dynamic;
        current.is_indirect |= arg.is_indirect;
        current.is_glob |= arg.is_glob;
        current.splits |= arg.splits;
        current.is_fetched |= arg.is_fetched;
        match (&arg.code, &mut current.code) {
            (Some(text), Some(code)) => code.push_str(text),
            (_, code) => *code = None,
        }
    }

    /// Text of an unquoted variable, which falls apart at blanks.
    fn split_text(&mut self, text: &str, is_set_here: bool) {
        if self.done.len() > MOST_WORDS {
            self.unknown(true, &Flow::Opaque);
            return;
        }
        let mut is_first = true;
        if text.starts_with([' ', '\t', '\n']) {
            self.cut();
        }
        for part in text.split([' ', '\t', '\n']).filter(|part| !part.is_empty()) {
            if !is_first {
                self.cut();
            }
            is_first = false;
            self.text(part, false);
            self.current().is_indirect |= is_set_here;
        }
        if text.ends_with([' ', '\t', '\n']) {
            self.cut();
        }
    }

    fn cut(&mut self) {
        let has_bracket = std::mem::take(&mut self.has_bracket);
        if let Some(word) = &mut self.open {
            word.is_glob |= has_bracket
                && word
                    .text
                    .find('[')
                    .is_some_and(|at| word.text.get(at..).is_some_and(|rest| rest.contains(']') || word.is_dynamic));
        }
        self.done.extend(self.open.take());
    }

    fn finish(mut self) -> Vec<Arg> {
        self.cut();
        for arg in &mut self.done {
            arg.has_placeholder = crate::placeholder::has_any(&arg.text);
        }
        self.done
    }
}
