//! What each program does with its words: one module per family, tables where a table will do.

mod builtins;
mod containers;
mod disks;
mod environment;
mod filters;
mod git;
mod interpreters;
mod launchers;
mod multiplexers;
mod network;
mod packages;
mod privilege;
mod programs;
mod removal;
mod shells;
mod windows;
mod wrappers;
mod writers;

use crate::arg::{Arg, Flow, UNKNOWN};
use crate::finding::{Record, Weight, Write};
use crate::options::{Grammar, Parsed, parse};
use crate::verdict::Effect;
use crate::walk::Walker;
use crate::walk::state::State;

pub(crate) use programs::{is_known_program, is_readable_by_all};

/// One command that is about to be judged.
#[derive(Debug, Default)]
pub(crate) struct Call {
    /// The words, the program first.
    pub(crate) args: Vec<Arg>,
    /// The assignments in front.
    pub(crate) assignments: Vec<(String, Arg)>,
    /// What flows in.
    pub(crate) stdin: Flow,
    /// What its redirects write.
    pub(crate) writes: Vec<Write>,
    /// The record whose exact entry covers this command too.
    pub(crate) cover: Option<usize>,
    /// Whether a program starts it, so that it is no function of the shell.
    pub(crate) is_started: bool,
}

/// How words that are not known are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Care {
    /// An unknown word must not be able to become an option.
    #[default]
    Careful,
    /// No option of the program does anything but change what it prints.
    Harmless,
    /// Every word has to be known: the program sends or runs what it is given.
    Closed,
}

/// One command while it is looked at.
#[derive(Debug)]
pub(crate) struct Look {
    pub(crate) args: Vec<Arg>,
    /// The name of the program in lower case, without folder and suffix.
    pub(crate) name: String,
    pub(crate) stdin: Flow,
    pub(crate) record: Record,
    /// What it prints, when that is not just anything.
    pub(crate) out: Option<Flow>,
    pub(crate) care: Care,
    /// Whether its operands are names only, not files that are read.
    pub(crate) names_only: bool,
}

impl Look {
    /// The text of one word.
    pub(crate) fn text(&self, at: usize) -> &str {
        self.args.get(at).map(|arg| arg.text.as_str()).unwrap_or_default()
    }

    /// Reads the options.
    pub(crate) fn parse(&self, grammar: &Grammar) -> Parsed {
        parse(&self.args, grammar)
    }

    /// The words from one place on.
    pub(crate) fn from(&self, at: usize) -> Vec<Arg> {
        self.args.get(at..).unwrap_or_default().to_vec()
    }

    /// An entry of the allow list has to spell this word out.
    pub(crate) fn must_spell(&mut self, at: usize) {
        if !self.record.named.contains(&at) {
            self.record.named.push(at);
        }
    }

    /// Runs what a word names.
    pub(crate) fn executes(&mut self, what: &str) {
        self.record.effects.push(Effect::Execute { what: what.replace(UNKNOWN, "…") });
    }

    /// Puts a word right behind the head, so that options in front of it do not keep an entry from it.
    pub(crate) fn bring_forward(&mut self, at: usize) {
        if self.record.order.is_empty() {
            self.record.order = (0..self.record.words.len()).collect();
        }
        let head = self.record.head;
        if let Some(from) = self.record.order.iter().position(|place| *place == at).filter(|from| *from >= head) {
            let place = self.record.order.remove(from);
            self.record.order.insert(head, place);
            let word = self.record.words.remove(from);
            self.record.words.insert(head, word);
        }
    }

    /// Makes program and sub-command the head of the words an entry is held against.
    pub(crate) fn set_head(&mut self, places: &[usize]) {
        let program = self.record.words.first().cloned().unwrap_or_default();
        let mut words = vec![program];
        words.extend(places.iter().filter_map(|at| self.args.get(*at).cloned()));
        let head = words.len();
        let rest: Vec<usize> = (1..self.args.len()).filter(|at| !places.contains(at)).collect();
        words.extend(rest.iter().filter_map(|at| self.args.get(*at).cloned()));
        self.record.words = words;
        self.record.order = std::iter::once(0).chain(places.iter().copied()).chain(rest).collect();
        self.record.head = head;
    }
}

/// Folders whose programs go by their bare name.
const SYSTEM_FOLDERS: &[&str] = &[
    "/bin",
    "/usr/bin",
    "/usr/local/bin",
    "/sbin",
    "/usr/sbin",
    "/usr/local/sbin",
    "/opt/homebrew/bin",
    "/opt/local/bin",
    "/run/current-system/sw/bin",
    "/snap/bin",
    "/home/linuxbrew/.linuxbrew/bin",
    "/usr/games",
];

/// The name of a program in lower case, without folder and suffix.
pub(crate) fn base_name(text: &str) -> String {
    let last = text.rsplit(['/', '\\']).next().unwrap_or_default();
    let mut name = last.to_lowercase();
    for suffix in [".exe", ".com", ".cmd", ".bat"] {
        if let Some(short) = name.strip_suffix(suffix)
            && !short.is_empty()
        {
            name = short.to_owned();
        }
    }
    name
}

/// How the program is spelled in the allow list: bare when it is one of the system's, else as it is written.
fn canonical(text: &str) -> String {
    match text.rsplit_once('/') {
        Some((folder, name)) if SYSTEM_FOLDERS.contains(&folder) => name.to_owned(),
        _ => text.to_owned(),
    }
}

impl Walker<'_> {
    /// Judges one command and gives what it prints.
    pub(crate) fn judge(&mut self, call: Call, state: &mut State) -> Flow {
        let Call { args, assignments, stdin, writes, cover, is_started } = call;
        let args = spelled(args);
        let Some(first) = args.first().cloned() else { return stdin };
        let has_more = self.spend(args.len());
        if !has_more || self.enter().is_none() {
            // Behind other programs the words may be anything; in a command of its own the first one says what it is.
            if has_more || self.is_inside() {
                self.denied_names(&args);
            }
            return Flow::Opaque;
        }
        let out = self.judge_words(Call { args, assignments, stdin, writes, cover, is_started }, &first, state);
        self.leave();
        out
    }

    /// Deny shapes that a row of words shows on its face.
    fn denied_names(&mut self, args: &[Arg]) {
        for (at, arg) in args.iter().enumerate() {
            let name = base_name(&arg.text);
            if privilege::is_denied_name(&name) {
                self.deny("privilege escalation", format!("`{name}` stands among the words"));
            }
            let removes = name == "rm"
                && args.iter().skip(at + 1).take(8).any(|arg| {
                    arg.text == "--recursive"
                        || arg.text.starts_with('-') && !arg.text.starts_with("--") && arg.text.contains(['r', 'R'])
                });
            if removes {
                self.deny("recursive rm", "removes a whole tree");
            }
        }
    }

    fn judge_words(&mut self, call: Call, first: &Arg, state: &mut State) -> Flow {
        let before = self.findings.len();
        let Call { args, assignments, stdin, writes, cover, is_started } = call;
        for (name, value) in &assignments {
            // In front of `read` it says where to cut the line, and holds no longer than that.
            let cuts_lines = name == "IFS" && matches!(first.text.as_str(), "read" | "mapfile" | "readarray");
            if !cuts_lines {
                self.assignment_value(name, value);
            }
        }
        let is_weak = self.command_word(first);
        let is_function = state.functions.contains_key(&first.text) || state.calling.contains(&first.text);
        if is_function && !is_started {
            let record = Record {
                argv: args.clone(),
                writes,
                is_storable: true,
                segment: self.segment.clone(),
                ..Record::default()
            };
            self.records.push(record);
            let out = self.call(&first.text, args, state, &stdin);
            let fetches = stdin == Flow::Network || state.fetching.contains(&first.text);
            return if fetches { Flow::Network } else { out };
        }
        let id = self.next_record();
        let mut words = args.clone();
        if let Some(word) = words.first_mut() {
            let text = canonical(&word.text);
            word.code = Some(text.clone());
            word.text = text;
        }
        let record = Record {
            id,
            cover,
            words,
            head: 1,
            needs_entry: true,
            is_storable: true,
            assignments,
            effects: writes.iter().map(|write| Effect::Write { path: write.path.clone() }).collect(),
            writes,
            argv: args.clone(),
            segment: self.segment.clone(),
            folder: self.real_folder(state),
            ..Record::default()
        };
        let name = base_name(&first.text);
        let mut look = Look { args, name, stdin, record, out: None, care: Care::Careful, names_only: false };
        self.look(&mut look, state);
        if first.is_dynamic {
            self.unnamed_shell(&look, state);
        }
        self.dynamic_verb(&look);
        self.unknown_words(&mut look, state);
        self.private_reads(&mut look, state);
        if is_weak {
            // Reached through a variable: the human decides, since only the shell knows what it holds by then.
            for finding in self.findings.iter_mut().skip(before) {
                if finding.weight == Weight::Deny {
                    finding.weight = Weight::Ask;
                }
            }
        }
        let out = look.out.unwrap_or(if look.stdin == Flow::Network { Flow::Network } else { Flow::Opaque });
        self.records.push(look.record);
        out
    }

    /// A program that is not known may be a shell, as in `"$SHELL" -c …`.
    fn unnamed_shell(&mut self, look: &Look, state: &State) {
        let is_code = |text: &str| text.starts_with('-') && !text.starts_with("--") && text.ends_with('c');
        let at = (1..look.args.len().min(4)).find(|at| is_code(look.text(*at)));
        if let Some(code) = at.and_then(|at| look.args.get(at + 1)) {
            let code = code.text.replace(UNKNOWN, "x");
            self.denied_in_code(&code, &look.stdin.clone(), state);
        }
    }

    fn real_folder(&self, state: &State) -> Option<String> {
        let folder = state.folder.as_deref().filter(|folder| !folder.contains(UNKNOWN))?;
        match self.context.files {
            Some(files) => files.resolve(folder),
            None => Some(folder.to_owned()),
        }
    }

    /// Judges what a wrapper starts.
    pub(crate) fn inner(&mut self, look: &Look, args: Vec<Arg>, state: &mut State) -> Flow {
        let stdin = look.stdin.clone();
        let call = Call { args, stdin, cover: look.record.cover, is_started: true, ..Call::default() };
        self.judge(call, state)
    }

    /// The same, where an entry that spells out the wrapper may name the program as well.
    pub(crate) fn inner_behind(&mut self, look: &Look, args: Vec<Arg>, state: &mut State) -> Flow {
        let known = self.records.len();
        let words = args.clone();
        let out = self.inner(look, args, state);
        if let Some(at) = look.args.len().checked_sub(words.len()).filter(|at| *at > 0) {
            let inner = self.records.iter_mut().skip(known).rfind(|record| record.argv == words);
            if let Some(record) = inner {
                record.behind = Some((look.record.id, at));
            }
        }
        out
    }

    /// Looks for deny shapes in commands that run somewhere else or that an opaque wrapper may start.
    pub(crate) fn denied_inside(&mut self, args: Vec<Arg>, stdin: &Flow, state: &State) {
        if args.is_empty() || state.depth > crate::walk::MAX_DEPTH {
            return;
        }
        let mut inside = Walker::new(self.context);
        inside.segment.clone_from(&self.segment);
        inside.budget = self.budget;
        inside.judge(Call { args, stdin: stdin.clone(), is_started: true, ..Call::default() }, &mut state.deeper());
        self.take_denials(inside);
    }

    /// The same for code.
    pub(crate) fn denied_in_code(&mut self, code: &str, stdin: &Flow, state: &State) {
        let mut inside = Walker::new(self.context);
        inside.segment.clone_from(&self.segment);
        inside.budget = self.budget;
        inside.code(code, &mut state.deeper(), stdin);
        self.take_denials(inside);
    }

    fn take_denials(&mut self, inside: Walker<'_>) {
        self.budget = inside.budget;
        for finding in inside.findings {
            // A look that did not come to its end is no all-clear.
            if finding.weight == Weight::Deny || matches!(finding.rule, "too long" | "too deep") {
                self.keep(finding);
            }
        }
    }

    /// The word in command position; tells whether it is reached through a variable.
    fn command_word(&mut self, first: &Arg) -> bool {
        if first.is_indirect {
            self.ask("indirect command", format!("the program `{}` comes out of a variable", first.shown()));
            return true;
        }
        if first.is_fetched && first.file.is_none() {
            self.deny("network pipe to shell", "fetched text would run as a command");
        } else if first.is_dynamic {
            self.ask("dynamic command", "the program to run is known at run time only");
        } else if first.is_glob {
            self.ask("pattern as command", format!("the program `{}` is a file name pattern", first.shown()));
        } else if first.has_placeholder {
            self.ask("placeholder as command", "the program to run comes out of a private value");
        } else if first.text.is_empty() {
            self.ask("empty command word", "the program to run is an empty word");
        }
        false
    }

    fn look(&mut self, look: &mut Look, state: &mut State) {
        self.program_place(look, state);
        if look.name.starts_with('-') {
            // An option where a program should be: what it belongs to reads the words in another way than this.
            self.denied_anywhere(look, 1, look.args.len(), state);
        }
        if look.name == "nproc" || look.name == "date" && prints_date(look) {
            look.out = Some(Flow::Word);
        }
        let families = [
            Self::builtin,
            Self::privileged,
            Self::disk,
            Self::removal,
            Self::wrapper,
            Self::shell,
            Self::interpreter,
            Self::package,
            Self::git,
            Self::network,
            Self::container,
            Self::filter,
            Self::writer,
            Self::multiplexer,
            Self::windows,
        ];
        for family in families {
            if family(self, look, state) {
                return;
            }
        }
        if programs::is_harmless(&look.name) {
            look.care = Care::Harmless;
            look.names_only = programs::takes_names(&look.name);
        } else if programs::runs_what_it_is_given(&look.name) {
            let informs = look.args.len() == 2
                && matches!(look.text(1), "-version" | "--version" | "-V" | "--help" | "-help" | "-h");
            if !informs {
                self.denied_in_words(look, state);
                look.executes(&look.name.clone());
                for at in 1..look.args.len() {
                    look.must_spell(at);
                }
            }
        } else {
            self.launched(look, state);
        }
    }

    /// Deny shapes in the words of a program that runs what it is told in a way of its own.
    fn denied_in_words(&mut self, look: &Look, state: &State) {
        for at in 1..look.args.len().min(64) {
            let text = look.text(at).replace(UNKNOWN, "x");
            if text.contains(' ') {
                for line in text.split([';', '\n']) {
                    let line = line.trim();
                    let code = line.strip_prefix("spawn ").or_else(|| line.strip_prefix("exec ")).unwrap_or(line);
                    self.denied_in_code(code, &Flow::Nothing, state);
                }
            }
        }
        self.denied_anywhere(look, 1, look.args.len(), state);
    }

    /// A bare name that starts a program from a folder which the agent itself can fill is not the usual program.
    fn program_place(&mut self, look: &Look, state: &State) {
        let text = look.text(0);
        let Some(files) = self.context.files else { return };
        if text.contains('/') || text.contains(UNKNOWN) {
            return;
        }
        let Some(place) = files.find_program(text) else { return };
        let folders = [state.folder.as_deref(), self.context.working_folder.as_deref()];
        let is_inside = folders
            .into_iter()
            .flatten()
            .any(|folder| place.starts_with(&format!("{}/", folder.trim_end_matches('/'))));
        if is_inside || place.starts_with("/tmp/") || place.starts_with("/var/tmp/") || place.starts_with("/dev/shm/") {
            self.ask("program place", format!("`{text}` would start `{place}`, which anyone at work here can write"));
        }
    }

    /// A verb says what runs as much as its program does, and an entry is held against it.
    fn dynamic_verb(&mut self, look: &Look) {
        let verbs = look.record.words.get(1..look.record.head).unwrap_or_default();
        if look.record.needs_entry && verbs.iter().any(|verb| verb.is_dynamic || verb.is_indirect) {
            self.ask("dynamic command", format!("what `{}` is to do is known at run time only", look.name));
        }
    }

    fn unknown_words(&mut self, look: &mut Look, state: &State) {
        if !look.record.needs_entry {
            return;
        }
        // Behind two dashes that are spelled out no word is an option.
        let ends = programs::ends_options(&look.name)
            && look.args.iter().skip(1).find(|arg| arg.text == "--" || !arg.is_static()).is_some_and(Arg::is_static);
        let is_supplied = state.has_run_time_words && !ends;
        for arg in look.args.iter().skip(1) {
            if ends && arg.text == "--" {
                break;
            }
            let is_open = arg.is_dynamic || arg.is_glob;
            let asks = match look.care {
                Care::Harmless => false,
                // An option of `rm` is letters only: a name with a dot that is spelled out is none.
                Care::Careful if look.name == "rm" && !arg.splits && has_dot(&arg.text) => false,
                Care::Careful => {
                    is_open && (arg.may_be_option() || (arg.is_glob && arg.text.starts_with(['*', '?', '[', '-'])))
                }
                Care::Closed => arg.is_dynamic,
            };
            if asks {
                self.ask(
                    "unknown word",
                    format!("a word of `{}` is known at run time only and could be an option", look.name),
                );
                return;
            }
        }
        if is_supplied && look.care != Care::Harmless {
            self.ask("unknown word", format!("words of `{}` are supplied at run time and could be options", look.name));
        }
    }

    fn private_reads(&mut self, look: &mut Look, state: &State) {
        if look.names_only {
            return;
        }
        let mut places = Vec::new();
        for arg in look.args.iter().skip(1) {
            let text = arg.text.as_str();
            if text.len() < 3 {
                continue;
            }
            places.push(arg.clone());
            if let Some(from) = text.find(['=', '@', ':']) {
                places.push(arg.tail(from + 1));
            }
            if text.starts_with('-') && !text.starts_with("--") && text.contains('/') {
                places.push(arg.tail(2));
            }
        }
        for place in places {
            if let Some(path) = self.read_file(&place, state) {
                look.record.effects.push(Effect::ReadPrivate { path });
                look.record.is_storable = false;
            }
        }
    }

    /// Notes a write that is what the program is for.
    pub(crate) fn writes_purposely(&mut self, look: &mut Look, arg: &Arg, state: &State) {
        if let Some(write) = self.write(arg, state) {
            look.record.effects.push(Effect::Write { path: write.path });
        }
    }

    /// Notes a write that needs an entry of its own.
    pub(crate) fn writes_aside(&mut self, look: &mut Look, arg: &Arg, state: &State) {
        if arg.text == "-" {
            return;
        }
        if let Some(write) = self.write(arg, state) {
            look.record.effects.push(Effect::Write { path: write.path.clone() });
            look.record.writes.push(write);
        }
    }

    /// Judges code that a word of the command holds.
    pub(crate) fn code_in(&mut self, look: &mut Look, arg: &Arg, state: &mut State) -> Flow {
        if arg.is_fetched {
            self.deny("network pipe to shell", format!("`{}` would run fetched text", look.name));
            return Flow::Opaque;
        }
        if arg.has_placeholder {
            self.ask("placeholder in code", "a private value would become part of code");
        }
        match &arg.code {
            Some(code) => {
                let code = code.clone();
                let stdin = look.stdin.clone();
                let segment = self.segment.clone();
                let first = self.records.len();
                // Only the shell itself knows the functions; what a program gives to a shell of its own does not.
                let is_own = matches!(look.name.as_str(), "eval" | "source" | "." | "trap" | "mapfile" | "readarray");
                let outer =
                    (!is_own).then(|| (std::mem::take(&mut state.functions), std::mem::take(&mut state.calling)));
                let flow = self.code(&code, state, &stdin);
                if let Some((functions, calling)) = outer {
                    state.functions = functions;
                    state.calling = calling;
                }
                self.segment = segment;
                for record in self.records.iter_mut().skip(first) {
                    if record.cover.is_none() {
                        record.cover = Some(look.record.id);
                    }
                }
                flow
            }
            None => {
                self.ask("dynamic code", format!("`{}` would run text that is known at run time only", look.name));
                // What is known of it may still show a deny shape.
                let known = arg.text.replace(UNKNOWN, "x");
                self.denied_in_code(&known, &look.stdin, state);
                Flow::Opaque
            }
        }
    }
}

/// `date` with a format that starts with a part of the time and has no blanks.
fn prints_date(look: &Look) -> bool {
    let format = look.args.get(1).filter(|format| look.args.len() == 2 && format.is_static());
    format.is_some_and(|format| {
        ["+%Y", "+%F", "+%y", "+%m", "+%d", "+%H", "+%M", "+%S", "+%T", "+%j", "+%s"]
            .iter()
            .any(|start| format.text.starts_with(start))
            && !format.text.contains(char::is_whitespace)
            && !["%n", "%t"].iter().any(|blank| format.text.contains(blank))
    })
}

/// What a file-like word holds where the command itself says so: `<(…)`, the standard input, an open descriptor.
pub(crate) fn held(arg: &Arg, stdin: &Flow, state: &State) -> Option<Flow> {
    if arg.file.is_some() {
        return arg.file.clone();
    }
    let number = match arg.text.as_str() {
        "/dev/stdin" => "0",
        text => text.strip_prefix("/dev/fd/").or_else(|| text.strip_prefix("/proc/self/fd/"))?,
    };
    match number.parse::<i32>().ok()? {
        0 => Some(stdin.clone()),
        number => state.descriptors.get(&number).cloned(),
    }
}

/// Whether a pattern spells out a dot, outside of brackets.
fn has_dot(pattern: &str) -> bool {
    pattern.contains('.') && !pattern.contains(['[', '{'])
}

/// Puts in what literal substitutions print, so that the options they spell are seen.
fn spelled(args: Vec<Arg>) -> Vec<Arg> {
    let mut words = Vec::with_capacity(args.len());
    for arg in args {
        match &arg.code {
            Some(code) if arg.is_dynamic && arg.file.is_none() && *code != arg.text => {
                if arg.splits {
                    for part in code.split_whitespace() {
                        words.push(Arg { is_dynamic: true, ..Arg::literal(part) });
                    }
                } else {
                    words.push(Arg { text: code.clone(), ..arg });
                }
            }
            _ => words.push(arg),
        }
    }
    words
}
