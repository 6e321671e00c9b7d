//! A simple command: its words, its assignments and its redirects, in the order in which a shell reads them.

use brush_parser::ast::{
    Assignment, AssignmentName, AssignmentValue, CommandPrefixOrSuffixItem, ProcessSubstitutionKind, SimpleCommand,
    SubshellCommand,
};

use super::state::{State, Value};
use super::{Redirects, Walker, inherited};
use crate::arg::{Arg, Flow, line};
use crate::finding::Record;
use crate::judge::Call;

impl Walker<'_> {
    pub(super) fn simple(&mut self, simple: &SimpleCommand, state: &mut State, stdin: &Flow) -> Flow {
        self.inflow = inherited(stdin, state);
        self.segment = simple.to_string();
        let whole = self.segment.clone();
        let mut args: Vec<Arg> = Vec::new();
        let mut assignments: Vec<(String, Arg)> = Vec::new();
        let mut redirects = Redirects::default();
        let prefix = simple.prefix.as_ref().map(|prefix| prefix.0.as_slice()).unwrap_or_default();
        let suffix = simple.suffix.as_ref().map(|suffix| suffix.0.as_slice()).unwrap_or_default();
        for item in prefix {
            if let CommandPrefixOrSuffixItem::AssignmentWord(assignment, _) = item {
                assignments.extend(self.assignment(assignment, state));
            } else {
                self.item(item, state, &mut args, &mut redirects);
            }
        }
        if let Some(name) = &simple.word_or_name {
            let opens = names_descriptor(&name.value)
                && matches!(suffix.first(), Some(CommandPrefixOrSuffixItem::IoRedirect(_)));
            if opens {
                self.ask("descriptor", "a redirect opens a descriptor that a variable names");
            } else {
                // The grammar takes `!(…)` for a pattern; without that option of the shell it is a subshell turned round.
                if let Some(code) = name.value.strip_prefix('!').filter(|rest| rest.starts_with('(')) {
                    self.denied_in_code(code, &stdin.clone(), state);
                }
                args.extend(self.words(&name.value, state));
            }
        }
        for item in suffix {
            self.item(item, state, &mut args, &mut redirects);
        }
        self.segment = if whole.len() <= 200 { whole } else { line(&args) };
        let stdin = redirects.stdin.clone().unwrap_or_else(|| inherited(stdin, state));
        if args.is_empty() {
            self.assignments_alone(&assignments, state);
            self.record_writes(&redirects);
            // `$(< file)` gives what the file holds.
            let out = if assignments.is_empty() { redirects.stdin.clone().unwrap_or_default() } else { Flow::Nothing };
            return self.after(&redirects, out, state);
        }
        // Without a program the redirects are those of the shell from here on.
        let opens_for_all = args.first().is_some_and(|first| first.text == "exec") && args.len() == 1;
        if opens_for_all && redirects.stdin.is_some() {
            state.descriptors.insert(0, stdin.clone());
        }
        let writes = std::mem::take(&mut redirects.writes);
        let call = Call { args, assignments, stdin, writes, ..Call::default() };
        let outer = (!redirects.opened.is_empty() && !opens_for_all).then(|| state.descriptors.clone());
        state.descriptors.extend(redirects.opened.iter().cloned());
        let out = self.judge(call, state);
        if let Some(outer) = outer {
            state.descriptors = outer;
        }
        self.after(&redirects, out, state)
    }

    fn item(
        &mut self,
        item: &CommandPrefixOrSuffixItem,
        state: &mut State,
        args: &mut Vec<Arg>,
        redirects: &mut Redirects,
    ) {
        match item {
            CommandPrefixOrSuffixItem::IoRedirect(redirect) => self.redirect(redirect, state, redirects),
            CommandPrefixOrSuffixItem::Word(word) => args.extend(self.words(&word.value, state)),
            CommandPrefixOrSuffixItem::AssignmentWord(assignment, word) => {
                let name = match &assignment.name {
                    AssignmentName::VariableName(name) | AssignmentName::ArrayElementName(name, _) => name.clone(),
                };
                match &assignment.value {
                    AssignmentValue::Scalar(_) => args.extend(self.words(&word.value, state)),
                    AssignmentValue::Array(_) => {
                        for (_, value) in self.assignment(assignment, state) {
                            let mut joined = Arg::literal(format!("{name}="));
                            joined.text.push_str(&value.text);
                            joined.is_dynamic = value.is_dynamic;
                            args.push(joined);
                        }
                    }
                }
            }
            CommandPrefixOrSuffixItem::ProcessSubstitution(kind, shell) => {
                let flow = match kind {
                    ProcessSubstitutionKind::Read => self.process(shell, state),
                    ProcessSubstitutionKind::Write => {
                        self.process(shell, state);
                        redirects.outflows.push(shell.clone());
                        Flow::Nothing
                    }
                };
                args.push(Arg {
                    text: "/dev/fd/63".to_owned(),
                    is_dynamic: true,
                    is_fetched: flow == Flow::Network,
                    file: Some(flow),
                    ..Arg::default()
                });
            }
        }
    }

    /// Walks what stands in `<(…)` or `>(…)`; it too reads the standard input of the command around it.
    pub(super) fn process(&mut self, shell: &SubshellCommand, state: &State) -> Flow {
        let inflow = self.inflow.clone();
        let flow = self.list(&shell.list, &mut state.deeper(), &inflow);
        self.inflow = inflow;
        flow
    }

    fn assignment(&mut self, assignment: &Assignment, state: &mut State) -> Vec<(String, Arg)> {
        let (name, is_element) = match &assignment.name {
            AssignmentName::VariableName(name) => (name.clone(), false),
            AssignmentName::ArrayElementName(name, index) => {
                self.arithmetic(index, state);
                (name.clone(), true)
            }
        };
        self.glued(assignment);
        match &assignment.value {
            AssignmentValue::Scalar(word) => {
                let mut value = self.whole(&word.value, state);
                if assignment.append || is_element {
                    // Grows what is already there, or is one of several, which is not looked up.
                    value.text.insert(0, crate::arg::UNKNOWN);
                    value.is_dynamic = true;
                    value.code = None;
                }
                vec![(name, value)]
            }
            AssignmentValue::Array(items) => {
                let mut joined = Arg::default();
                for (index, word) in items {
                    if let Some(index) = index {
                        self.arithmetic(&index.value, state);
                    }
                    for arg in self.words(&word.value, state) {
                        joined.text.push_str(&arg.text);
                        joined.text.push(' ');
                        joined.is_fetched |= arg.is_fetched;
                    }
                }
                joined.is_dynamic = true;
                vec![(name, joined)]
            }
        }
    }

    /// Text that stands right behind the bracket of a list belongs to the assignment; the grammar takes it for a word.
    fn glued(&mut self, assignment: &Assignment) {
        if !matches!(assignment.value, AssignmentValue::Array(_)) {
            return;
        }
        let mut behind = self.source.behind(assignment.loc.end.index.saturating_sub(1)).chars();
        if behind.next() == Some(')') && behind.next().is_some_and(|next| !" \t\n;&|<>)".contains(next)) {
            self.ask("cannot be parsed", "text stands right behind a list of values");
        }
    }

    fn assignments_alone(&mut self, assignments: &[(String, Arg)], state: &mut State) {
        for (name, value) in assignments {
            self.assignment_value(name, value);
            let known = if value.is_fetched {
                Value::Fetched
            } else if value.is_dynamic {
                Value::Unknown
            } else {
                Value::of(&value.text)
            };
            state.set(name, known);
        }
        if !assignments.is_empty() {
            let record = Record { segment: self.segment.clone(), is_storable: true, ..Record::default() };
            self.records.push(record);
        }
    }
}

/// `{name}` in front of a redirect.
fn names_descriptor(raw: &str) -> bool {
    raw.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).is_some_and(|name| {
        !name.is_empty()
            && name.bytes().all(|next| next.is_ascii_alphanumeric() || next == b'_')
            && !name.starts_with(|next: char| next.is_ascii_digit())
    })
}
