//! `find` and `fd`: what they run, remove and write.

use super::{Care, Look, Walker};
use crate::arg::{Arg, UNKNOWN};
use crate::options::Grammar;
use crate::walk::state::State;

const FD: Grammar = Grammar::new(
    "deEtcSoxXjgp",
    &[
        "max-depth",
        "min-depth",
        "exact-depth",
        "extension",
        "exclude",
        "type",
        "color",
        "size",
        "owner",
        "exec",
        "exec-batch",
        "threads",
        "changed-within",
        "changed-before",
        "base-directory",
        "path-separator",
        "search-path",
        "max-results",
        "ignore-file",
        "format",
        "batch-size",
    ],
);

/// Tests whose next word is their value, whatever it looks like.
const TAKE_A_VALUE: &[&str] = &["-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex"];

impl Walker<'_> {
    pub(super) fn find_files(&mut self, look: &mut Look, state: &mut State) {
        look.names_only = true;
        let mut at = 1;
        let start = look
            .args
            .iter()
            .skip(1)
            .take_while(|arg| !arg.text.starts_with(['-', '(', '!']))
            .map(|arg| arg.text.clone())
            .next();
        while at < look.args.len() {
            let text = look.text(at).to_owned();
            match text.as_str() {
                "-exec" | "-execdir" | "-ok" | "-okdir" => {
                    let words = look.args.get(at + 1..).unwrap_or_default();
                    // The first end counts: behind it the next action begins.
                    let mut before = "";
                    let length = words
                        .iter()
                        .position(|arg| {
                            let ends = arg.text == ";" || arg.text == "+" && before.ends_with("{}");
                            before = arg.text.as_str();
                            ends
                        })
                        .unwrap_or(words.len());
                    let inner: Vec<Arg> = words
                        .get(..length)
                        .unwrap_or_default()
                        .iter()
                        .map(|arg| filled(arg, start.as_deref()))
                        .collect();
                    look.executes(&crate::arg::line(&inner));
                    let mut inside = state.deeper();
                    if inner.is_empty() {
                        self.ask("option that executes", "`find` starts a program that is not named");
                    } else {
                        self.inner_of_find(look, inner, &mut inside);
                    }
                    at += length + 1;
                }
                "-delete" => {
                    self.deny("recursive rm", "`find -delete` removes everything that it finds");
                }
                "-fprint" | "-fprintf" | "-fprint0" | "-fls" => {
                    if let Some(target) = look.args.get(at + 1).cloned() {
                        self.writes_aside(look, &target, state);
                    }
                    at += 1;
                }
                _ if TAKE_A_VALUE.contains(&text.as_str())
                    && look.args.get(at + 1).is_some_and(|value| !value.splits) =>
                {
                    at += 1;
                }
                "-files0-from" => self.ask("options from a file", "`find` would read its starting places from a file"),
                _ => {
                    let arg = look.args.get(at).cloned().unwrap_or_default();
                    if arg.is_dynamic && arg.may_be_option() {
                        self.ask("unknown word", "a word of `find` is known at run time only and could be an action");
                    }
                }
            }
            at += 1;
        }
        look.care = Care::Harmless;
    }

    fn inner_of_find(&mut self, look: &Look, inner: Vec<Arg>, state: &mut State) {
        let runs_whole = inner.first().is_some_and(|arg| arg.text.starts_with(UNKNOWN) || arg.text == "./…");
        if runs_whole {
            self.ask("option that executes", "`find` would start the files that it finds");
            return;
        }
        self.inner(look, inner, state);
    }

    pub(super) fn fd(&mut self, look: &mut Look, state: &mut State) {
        look.names_only = true;
        let parsed = look.parse(&FD);
        let exec = parsed.options.iter().find(|option| {
            option.is('x', "exec") && option.name.len() != 2
                || option.is('X', "exec-batch") && (!option.is_long || option.name.len() > 4)
        });
        if let Some(option) = exec {
            let at = option.at;
            let mut words = look.from(at);
            let mut is_attached = false;
            if let Some(first) = words.first_mut() {
                let text = first.text.clone();
                if let Some(tail) =
                    text.strip_prefix("--").and_then(|body| body.split_once('=')).map(|(name, _)| name.len() + 3)
                {
                    *first = first.tail(tail);
                    is_attached = true;
                } else if !text.starts_with("--")
                    && let Some(from) = text.find(['x', 'X']).map(|from| from + 1).filter(|from| *from < text.len())
                {
                    *first = first.tail(from);
                    is_attached = true;
                }
            }
            if !is_attached {
                words.remove(0);
            }
            let end = words.iter().position(|arg| arg.text == ";").unwrap_or(words.len());
            let mut inner: Vec<Arg> =
                words.get(..end).unwrap_or_default().iter().map(|arg| filled(arg, Some("."))).collect();
            look.executes(&crate::arg::line(&inner));
            if !inner.iter().any(|arg| arg.text.contains(UNKNOWN)) {
                inner.push(filled(&Arg::literal("{}"), Some(".")));
            }
            self.inner_of_find(look, inner, &mut state.deeper());
        }
    }
}

/// A word of the command with the place of the found file filled in; a start that is no option keeps it from being one.
fn filled(arg: &Arg, start: Option<&str>) -> Arg {
    let has_mark = ["{}", "{/}", "{//}", "{.}", "{/.}"].iter().any(|mark| arg.text.contains(mark));
    if !has_mark {
        return arg.clone();
    }
    let start = start.unwrap_or(".");
    let mut text = arg.text.clone();
    let found = if start.starts_with(['-', UNKNOWN]) { UNKNOWN.to_string() } else { format!("{start}/{UNKNOWN}") };
    for mark in ["{//}", "{/.}", "{/}", "{.}", "{}"] {
        text = text.replace(mark, &found);
    }
    Arg { text, is_dynamic: true, code: None, ..arg.clone() }
}
