//! The walk over the tree of a command: every simple command in every context, with what flows into it.

mod budget;
pub(crate) mod expand;
mod redirect;
mod simple;
pub(crate) mod state;

use std::collections::BTreeSet;
use std::rc::Rc;

use brush_parser::ast::{
    AndOr, AndOrList, Command, CompoundCommand, CompoundList, ExtendedTestExpr, FunctionDefinition, Pipeline, Program,
    RedirectList, SeparatorOperator, SubshellCommand,
};

use brush_parser::SourceSpan;

use crate::arg::{Arg, Flow};
use crate::context::Context;
use crate::finding::{Finding, Record, Weight, Write};
use crate::shell::{self, Unreadable};
pub(crate) use budget::Budget;
use state::{Function, Source, State, Value};

/// Literal code inside literal code, deeper than this, is not read.
pub(crate) const MAX_DEPTH: u8 = 8;

/// A loop over known words is followed word by word, with the loops around it, as long as that is no more rounds.
const MOST_ROUNDS: usize = 16;

/// More questions than this tell nobody more.
const MOST_FINDINGS: usize = 200;

/// One walk over one text.
pub(crate) struct Walker<'c> {
    pub(crate) context: &'c Context<'c>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) records: Vec<Record>,
    /// The command that is being looked at, for findings.
    pub(crate) segment: String,
    /// Files that the command fetches.
    pub(crate) downloads: Vec<String>,
    /// What flows into the command whose words are being expanded.
    inflow: Flow,
    /// How many records there were.
    numbers: usize,
    /// Whether a text without a tree is looked through piece by piece.
    scans: bool,
    /// What records of functions say.
    known: BTreeSet<String>,
    /// The text that is walked.
    source: Source,
    /// What the walk, with the walks inside it, may still do. A text is followed in time that grows with its length:
    /// loops, substitutions and wrappers that multiply work end here, and the human is asked.
    pub(crate) budget: Budget,
}

/// The redirects of one command.
#[derive(Debug, Default)]
pub(crate) struct Redirects {
    pub(crate) stdin: Option<Flow>,
    pub(crate) writes: Vec<Write>,
    pub(crate) takes_output: bool,
    /// Descriptors that are opened for reading, with what can be read there.
    opened: Vec<(i32, Flow)>,
    outflows: Vec<SubshellCommand>,
}

impl<'c> Walker<'c> {
    pub(crate) fn new(context: &'c Context<'c>) -> Self {
        Self {
            context,
            findings: Vec::new(),
            records: Vec::new(),
            segment: String::new(),
            downloads: Vec::new(),
            inflow: Flow::Nothing,
            numbers: 0,
            scans: true,
            known: BTreeSet::new(),
            source: Source::default(),
            budget: Budget::of(""),
        }
    }

    /// A walk over one piece of a broken text: what is broken in it again is left.
    pub(crate) fn scanning(context: &'c Context<'c>) -> Self {
        Self { scans: false, ..Self::new(context) }
    }

    /// A number for a record.
    pub(crate) fn next_record(&mut self) -> usize {
        self.numbers += 1;
        self.numbers
    }

    pub(crate) fn deny(&mut self, rule: &'static str, reason: impl Into<String>) {
        self.find(Weight::Deny, rule, reason.into());
    }

    pub(crate) fn ask(&mut self, rule: &'static str, reason: impl Into<String>) {
        self.find(Weight::Ask, rule, reason.into());
    }

    pub(crate) fn note(&mut self, rule: &'static str, reason: impl Into<String>) {
        self.find(Weight::Note, rule, reason.into());
    }

    fn find(&mut self, weight: Weight, rule: &'static str, reason: String) {
        self.keep(Finding { weight, rule, reason, segment: self.segment.clone() });
    }

    /// Keeps a finding that says something new.
    pub(crate) fn keep(&mut self, finding: Finding) {
        let is_enough =
            self.findings.len() >= MOST_FINDINGS && self.findings.iter().any(|known| known.weight >= finding.weight);
        if !is_enough && !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }

    /// Walks code that stands in the command as text; gives what it prints.
    pub(crate) fn code(&mut self, text: &str, state: &mut State, stdin: &Flow) -> Flow {
        if state.depth > MAX_DEPTH {
            self.ask("too deep", "commands are nested deeper than the policy reads");
            self.scan(text);
            return Flow::Opaque;
        }
        if !self.spend(text.len() / 64) {
            return Flow::Opaque;
        }
        match shell::parse(text) {
            Ok(program) => {
                let outer = std::mem::replace(&mut self.source, Source::of(text));
                let flow = self.program(&program, state, stdin);
                self.source = outer;
                flow
            }
            Err(why) => {
                match why {
                    Unreadable::Limit => self.ask("too long", "the command is longer or deeper than the policy reads"),
                    Unreadable::Syntax => self.ask("cannot be parsed", "the shell text cannot be parsed"),
                }
                self.scan(text);
                Flow::Opaque
            }
        }
    }

    /// Looks for deny shapes in a text that has no tree.
    pub(crate) fn scan(&mut self, text: &str) {
        if !self.scans {
            return;
        }
        for finding in crate::scan::deny_shapes(text, self.context) {
            self.keep(finding);
        }
    }

    fn program(&mut self, program: &Program, state: &mut State, stdin: &Flow) -> Flow {
        let mut out = Flow::Nothing;
        for list in &program.complete_commands {
            out = join(out, self.list(list, state, stdin));
        }
        out
    }

    fn list(&mut self, list: &CompoundList, state: &mut State, stdin: &Flow) -> Flow {
        let mut out = Flow::Nothing;
        for item in &list.0 {
            let flow = match item.1 {
                // In the background it is a shell of its own.
                SeparatorOperator::Async => self.and_or(&item.0, &mut state.forked(), stdin),
                SeparatorOperator::Sequence => self.and_or(&item.0, state, stdin),
            };
            out = join(out, flow);
        }
        out
    }

    /// A list that may not run at all.
    fn maybe(&mut self, list: &CompoundList, state: &mut State, stdin: &Flow) -> Flow {
        let outer = std::mem::replace(&mut state.is_conditional, true);
        let flow = self.list(list, state, stdin);
        state.is_conditional = outer;
        flow
    }

    fn and_or(&mut self, list: &AndOrList, state: &mut State, stdin: &Flow) -> Flow {
        let mut out = self.pipeline(&list.first, state, stdin);
        let outer = state.is_conditional;
        for next in &list.additional {
            let (AndOr::And(pipeline) | AndOr::Or(pipeline)) = next;
            state.is_conditional = true;
            out = join(out, self.pipeline(pipeline, state, stdin));
        }
        state.is_conditional = outer;
        out
    }

    fn pipeline(&mut self, pipeline: &Pipeline, state: &mut State, stdin: &Flow) -> Flow {
        if let [only] = pipeline.seq.as_slice() {
            return self.command(only, state, stdin);
        }
        let mut flow = stdin.clone();
        for stage in &pipeline.seq {
            // Each stage is a shell of its own.
            flow = self.command(stage, &mut state.forked(), &flow);
        }
        flow
    }

    fn command(&mut self, command: &Command, state: &mut State, stdin: &Flow) -> Flow {
        match command {
            Command::Simple(simple) => self.simple(simple, state, stdin),
            Command::Compound(compound, redirects) => {
                let (redirects, stdin) = self.outer_redirects(redirects.as_ref(), state, stdin);
                let outer = (!redirects.opened.is_empty()).then(|| state.descriptors.clone());
                state.descriptors.extend(redirects.opened.iter().cloned());
                let out = self.compound(compound, state, &stdin);
                if let Some(outer) = outer {
                    state.descriptors = outer;
                }
                self.after(&redirects, out, state)
            }
            Command::Function(function) => {
                self.function(function, state, stdin);
                Flow::Nothing
            }
            Command::ExtendedTest(test, redirects) => {
                let (redirects, _) = self.outer_redirects(redirects.as_ref(), state, stdin);
                self.test(&test.expr, state);
                self.after(&redirects, Flow::Nothing, state)
            }
        }
    }

    /// The code in what the grammar takes for arithmetic, when its brackets stand apart: to the shell they are subshells.
    fn parted_brackets(&self, span: &SourceSpan) -> Option<String> {
        let (start, end) = (span.start.index, span.end.index);
        let written: String = self.source.behind(start).chars().take(end.saturating_sub(start)).collect();
        if written.starts_with("((") && written.ends_with("))") {
            return None;
        }
        let inside = written.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        Some(inside.map_or_else(|| written.clone(), str::to_owned))
    }

    /// Two words side by side are no arithmetic: `bash` stops at them, and a shell without `((…))` runs them in subshells.
    fn brackets_of_others(&mut self, text: &str, state: &State) {
        let inside = text.trim_matches(|next: char| next.is_whitespace() || matches!(next, '(' | ')'));
        let ends = |word: &str| word.ends_with(|next: char| next.is_alphanumeric() || next == '_');
        let starts = |word: &str| {
            word.starts_with(|next: char| next.is_alphanumeric() || matches!(next, '_' | '/' | '~' | '"' | '\''))
        };
        let mut words = inside.split_whitespace().peekable();
        let mut is_command = false;
        while let Some(word) = words.next() {
            is_command |= ends(word) && words.peek().is_some_and(|next| starts(next));
        }
        if is_command {
            self.ask("arithmetic", "what stands in the double brackets reads like a command");
            self.denied_in_code(inside, &Flow::Nothing, state);
        }
    }

    fn outer_redirects(&mut self, list: Option<&RedirectList>, state: &mut State, stdin: &Flow) -> (Redirects, Flow) {
        let mut redirects = Redirects::default();
        self.inflow = inherited(stdin, state);
        for redirect in list.map(|list| list.0.as_slice()).unwrap_or_default() {
            self.segment = redirect.to_string();
            self.redirect(redirect, state, &mut redirects);
        }
        self.record_writes(&redirects);
        let stdin = redirects.stdin.clone().unwrap_or_else(|| inherited(stdin, state));
        (redirects, stdin)
    }

    /// Records what redirects write, where no program stands in front of them.
    fn record_writes(&mut self, redirects: &Redirects) {
        if redirects.writes.is_empty() {
            return;
        }
        let writes = redirects.writes.clone();
        let record = Record { writes, is_storable: true, segment: self.segment.clone(), ..Record::default() };
        self.records.push(record);
    }

    /// Judges what stands behind `>(…)` once it is known what flows there.
    fn after(&mut self, redirects: &Redirects, out: Flow, state: &State) -> Flow {
        for shell in &redirects.outflows {
            self.list(&shell.list, &mut state.deeper(), &out);
        }
        if redirects.takes_output { Flow::Nothing } else { out }
    }

    fn compound(&mut self, compound: &CompoundCommand, state: &mut State, stdin: &Flow) -> Flow {
        match compound {
            CompoundCommand::Arithmetic(arithmetic) => {
                self.arithmetic(&arithmetic.expr.value, state);
                if let Some(code) = self.parted_brackets(&arithmetic.loc) {
                    return self.code(&code, &mut state.deeper(), stdin);
                }
                self.brackets_of_others(&arithmetic.expr.value, state);
                Flow::Nothing
            }
            CompoundCommand::ArithmeticForClause(clause) => {
                for part in [&clause.initializer, &clause.condition, &clause.updater].into_iter().flatten() {
                    self.arithmetic(&part.value, state);
                }
                self.maybe(&clause.body.list, state, stdin)
            }
            CompoundCommand::BraceGroup(group) => self.list(&group.list, state, stdin),
            CompoundCommand::Subshell(shell) => self.list(&shell.list, &mut state.clone(), stdin),
            CompoundCommand::ForClause(clause) => {
                let mut values = Vec::new();
                for word in clause.values.iter().flatten() {
                    values.extend(self.words(&word.value, state));
                }
                self.for_loop(&clause.variable_name, &values, &clause.body.list, state, stdin)
            }
            CompoundCommand::CaseClause(clause) => {
                self.words(&clause.value.value, state);
                let mut out = Flow::Nothing;
                for item in &clause.cases {
                    for pattern in &item.patterns {
                        self.words(&pattern.value, state);
                    }
                    if let Some(list) = &item.cmd {
                        out = join(out, self.maybe(list, state, stdin));
                    }
                }
                out
            }
            CompoundCommand::IfClause(clause) => {
                let mut out = self.list(&clause.condition, state, stdin);
                out = join(out, self.maybe(&clause.then, state, stdin));
                for branch in clause.elses.iter().flatten() {
                    if let Some(condition) = &branch.condition {
                        out = join(out, self.maybe(condition, state, stdin));
                    }
                    out = join(out, self.maybe(&branch.body, state, stdin));
                }
                out
            }
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
                let out = self.list(&clause.0, state, stdin);
                join(out, self.maybe(&clause.1.list, state, stdin))
            }
            CompoundCommand::Coprocess(process) => self.command(&process.body, &mut state.clone(), stdin),
        }
    }

    fn for_loop(&mut self, name: &str, values: &[Arg], body: &CompoundList, state: &mut State, stdin: &Flow) -> Flow {
        self.assignment_name(name);
        let rounds = values.len().saturating_mul(state.rounds.max(1));
        if values.is_empty() || rounds > MOST_ROUNDS || values.iter().any(|value| !value.is_static()) {
            let value = if values.iter().any(|value| value.is_fetched) {
                Value::Fetched
            } else if let Some(start) = common_start(values) {
                Value::Names(start)
            } else {
                Value::Unknown
            };
            let outer = std::mem::replace(&mut state.is_conditional, true);
            let before = state.put(name, Some(value));
            let out = self.list(body, state, stdin);
            if let (Some(before), Some(value)) = (before, state.put(name, None)) {
                // No round at all leaves what was there.
                state.put(name, Some(before));
                state.set(name, value);
            }
            state.is_conditional = outer;
            return out;
        }
        let mut out = Flow::Nothing;
        let outer = std::mem::replace(&mut state.rounds, rounds);
        for value in values {
            state.put(name, Some(Value::Static(value.text.clone())));
            out = join(out, self.maybe(body, state, stdin));
        }
        state.rounds = outer;
        out
    }

    fn function(&mut self, function: &FunctionDefinition, state: &mut State, stdin: &Flow) {
        let name = function.fname.value.clone();
        let (redirects, _) = self.outer_redirects(function.body.1.as_ref(), state, stdin);
        let mut inside = state.clone();
        inside.positional = None;
        inside.calling.insert(name.clone());
        inside.is_forked = false;
        let known = self.records.len();
        let out = self.compound(&function.body.0, &mut inside, &Flow::Opaque);
        self.drop_known(known);
        if out == Flow::Network {
            state.fetching.insert(name.clone());
        } else {
            state.fetching.remove(&name);
        }
        self.after(&redirects, Flow::Opaque, state);
        self.segment = format!("{name}()");
        if crate::judge::is_known_program(&name) {
            self.ask(
                "function shadows a program",
                format!("a function named `{name}` would run instead of the program"),
            );
        }
        let function = Function { definition: function.clone(), source: self.source.clone() };
        Rc::make_mut(&mut state.functions).insert(name, Rc::new(function));
    }

    /// Follows a call of a function that the command defines: its body runs with these words, in this state of the shell.
    pub(crate) fn call(&mut self, name: &str, args: Vec<Arg>, state: &mut State, stdin: &Flow) -> Flow {
        let function = state.functions.get(name).cloned();
        if !state.calling.insert(name.to_owned()) {
            if state.is_forked {
                self.ask("multiplies", format!("`{name}` starts itself again and again"));
            }
            return Flow::Opaque;
        }
        let Some(function) = function else {
            state.calling.remove(name);
            return Flow::Opaque;
        };
        let is_forked = std::mem::take(&mut state.is_forked);
        let known = self.records.len();
        let segment = self.segment.clone();
        let source = std::mem::replace(&mut self.source, function.source.clone());
        let positional = state.positional.replace(args);
        let locals = std::mem::take(&mut state.locals);
        let (compound, redirects) = (&function.definition.body.0, function.definition.body.1.as_ref());
        let (redirects, stdin) = self.outer_redirects(redirects, state, stdin);
        let out = self.compound(compound, state, &stdin);
        let out = self.after(&redirects, out, state);
        for (name, value) in std::mem::replace(&mut state.locals, locals).into_iter().rev() {
            state.put(&name, value);
        }
        state.positional = positional;
        state.is_forked = is_forked;
        state.calling.remove(name);
        self.source = source;
        self.segment = segment;
        self.drop_known(known);
        out
    }

    /// Drops records from one place on that say nothing which a walk of a function has not said before.
    fn drop_known(&mut self, from: usize) {
        for record in self.records.split_off(from) {
            let facts = (&record.argv, &record.writes, &record.effects, &record.folder, &record.assignments);
            let key = format!("{facts:?}{}{}{:?}", record.needs_entry, record.is_storable, record.named);
            if self.known.insert(key) {
                self.records.push(record);
            }
        }
    }

    fn test(&mut self, test: &ExtendedTestExpr, state: &mut State) {
        match test {
            ExtendedTestExpr::And(left, right) | ExtendedTestExpr::Or(left, right) => {
                self.test(left, state);
                self.test(right, state);
            }
            ExtendedTestExpr::Not(inner) | ExtendedTestExpr::Parenthesized(inner) => self.test(inner, state),
            ExtendedTestExpr::UnaryTest(_, word) => {
                let args = self.words(&word.value, state);
                self.test_operand(&args);
            }
            ExtendedTestExpr::BinaryTest(operator, left, right) => {
                use brush_parser::ast::BinaryPredicate as Binary;
                let is_arithmetic = matches!(
                    operator,
                    Binary::ArithmeticEqualTo
                        | Binary::ArithmeticNotEqualTo
                        | Binary::ArithmeticLessThan
                        | Binary::ArithmeticLessThanOrEqualTo
                        | Binary::ArithmeticGreaterThan
                        | Binary::ArithmeticGreaterThanOrEqualTo
                );
                for word in [left, right] {
                    if is_arithmetic && is_foreign(&word.value, state) {
                        continue;
                    }
                    let args = if matches!(operator, Binary::StringMatchesRegex) {
                        vec![self.pattern(&word.value, state)]
                    } else {
                        self.words(&word.value, state)
                    };
                    if is_arithmetic {
                        self.arithmetic_operand(&args);
                    }
                }
            }
        }
    }

    /// `-v 'a[$(…)]'` evaluates its index.
    fn test_operand(&mut self, args: &[Arg]) {
        if args.iter().any(|arg| arg.text.contains('[') && arg.text.contains(['$', '`'])) {
            self.arithmetic_operand(args);
        }
    }
}

/// The standard input that a command has without a redirect of its own.
fn inherited(stdin: &Flow, state: &State) -> Flow {
    match stdin {
        Flow::Nothing => state.descriptors.get(&0).cloned().unwrap_or_default(),
        other => other.clone(),
    }
}

/// Whether a word is one variable that the command does not set: what it holds does not come from the command.
fn is_foreign(raw: &str, state: &State) -> bool {
    let name = raw.trim_matches('"');
    let name = name.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')).or_else(|| name.strip_prefix('$'));
    name.is_some_and(|name| {
        if matches!(name, "?" | "#" | "$" | "!") || name.starts_with('#') {
            return true;
        }
        let is_name = !name.is_empty() && name.bytes().all(|next| next.is_ascii_alphanumeric() || next == b'_');
        is_name && !name.starts_with(|next: char| next.is_ascii_digit()) && !state.variables.contains_key(name)
    })
}

/// What all the values of a loop start with, when that is known and keeps them from being options.
fn common_start(values: &[Arg]) -> Option<String> {
    let (first, others) = values.split_first()?;
    let mut start = first.text.as_str();
    if others.is_empty() && !first.is_dynamic {
        return Some(start.to_owned());
    }
    for value in values {
        let known = value.text.split(['*', '?', '[', crate::arg::UNKNOWN]).next().unwrap_or_default();
        let same = start.char_indices().zip(known.chars()).find(|((_, one), other)| one != other);
        let length = same.map_or(start.len().min(known.len()), |((at, _), _)| at);
        start = start.get(..length).unwrap_or_default();
    }
    (!start.is_empty() && !start.starts_with('-')).then(|| start.to_owned())
}

/// What two commands print one after the other.
pub(crate) fn join(first: Flow, second: Flow) -> Flow {
    match (first, second) {
        (Flow::Network, _) | (_, Flow::Network) => Flow::Network,
        (Flow::Nothing, other) | (other, Flow::Nothing) => other,
        (Flow::Literal(first), Flow::Literal(second)) => Flow::Literal(first + &second),
        _ => Flow::Opaque,
    }
}
