//! What the shell would remember between commands: folder, variables, functions.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use brush_parser::ast::FunctionDefinition;

use crate::arg::{Arg, Flow};

/// What a variable of the command holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// A known text.
    Static(String),
    /// The names of files that fit a pattern, or one of several texts.
    Names(String),
    /// Fetched text.
    Fetched,
    /// Something known at run time only.
    Unknown,
}

/// A value longer than this is not followed.
const LONGEST_VALUE: usize = 4096;

impl Value {
    /// A known text, unless it is too long to be followed through what the command does with it.
    pub(crate) fn of(text: &str) -> Self {
        if text.len() > LONGEST_VALUE { Self::Unknown } else { Self::Static(text.to_owned()) }
    }
}

/// A text, and whether each of its characters is one byte.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    text: Rc<str>,
    is_plain: bool,
}

impl Default for Source {
    fn default() -> Self {
        Self::of("")
    }
}

impl Source {
    pub(crate) fn of(text: &str) -> Self {
        Self { text: text.into(), is_plain: text.is_ascii() }
    }

    /// What stands behind so many characters.
    pub(crate) fn behind(&self, characters: usize) -> &str {
        let at =
            if self.is_plain { Some(characters) } else { self.text.char_indices().nth(characters).map(|(at, _)| at) };
        at.and_then(|at| self.text.get(at..)).unwrap_or_default()
    }
}

/// A function of the command, with the text it stands in.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) definition: FunctionDefinition,
    pub(crate) source: Source,
}

/// The shell as far as it matters.
#[derive(Debug, Clone, Default)]
pub(crate) struct State {
    pub(crate) folder: Option<String>,
    pub(crate) variables: Rc<BTreeMap<String, Value>>,
    pub(crate) positional: Option<Vec<Arg>>,
    pub(crate) functions: Rc<BTreeMap<String, Rc<Function>>>,
    /// Functions that are being called.
    pub(crate) calling: BTreeSet<String>,
    /// What variables held that the function has made its own.
    pub(crate) locals: Vec<(String, Option<Value>)>,
    /// Variables that cannot be set again.
    pub(crate) fixed: BTreeSet<String>,
    /// Whether what is walked now may not run at all.
    pub(crate) is_conditional: bool,
    /// Whether it runs beside what goes on, in a shell of its own.
    pub(crate) is_forked: bool,
    /// Folders that the shell may still be in, since the way out of them may not be taken.
    pub(crate) other_folders: Vec<String>,
    /// Functions that print fetched text.
    pub(crate) fetching: BTreeSet<String>,
    /// What `exec` has put on the descriptors of the shell; nought is the standard input.
    pub(crate) descriptors: BTreeMap<i32, Flow>,
    /// Literal code blocks that enclose this one.
    pub(crate) depth: u8,
    /// Folders that `pushd` left.
    pub(crate) stack: Vec<Option<String>>,
    /// The folder before the last change, where it is known.
    pub(crate) last_folder: Option<String>,
    /// Links that the command makes: from where, to where.
    pub(crate) links: Vec<(String, String)>,
    /// How often the loops around run what is walked now.
    pub(crate) rounds: usize,
    /// Whether some word of the enclosing command is supplied at run time (`xargs`).
    pub(crate) has_run_time_words: bool,
}

/// More folders than these are not kept apart.
const MOST_FOLDERS: usize = 8;

/// Through more links than these a path is not followed.
pub(crate) const MOST_PLACES: usize = 64;

/// Whether a value can do nothing as a word that another one could not.
fn is_tame(text: &str) -> bool {
    !text.starts_with(['-', '.']) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
}

impl State {
    /// Sets a variable. Where that may not happen, what it held before counts as well.
    pub(crate) fn set(&mut self, name: &str, value: Value) {
        let old = self.variables.get(name);
        let may_be_old = self.is_conditional || self.fixed.contains(name);
        let value = match (old, value) {
            (Some(old), value) if may_be_old && *old != value => match (old, value) {
                (Value::Fetched, _) | (_, Value::Fetched) => Value::Fetched,
                (Value::Static(old), value) if is_tame(old) => value,
                _ => Value::Unknown,
            },
            (_, value) => value,
        };
        self.put(name, Some(value));
    }

    /// Sets a variable to just this, or takes it away.
    pub(crate) fn put(&mut self, name: &str, value: Option<Value>) -> Option<Value> {
        let variables = Rc::make_mut(&mut self.variables);
        match value {
            Some(value) => variables.insert(name.to_owned(), value),
            None => variables.remove(name),
        }
    }

    /// Makes each variable one of which nothing is known: something that is not seen may have set it.
    pub(crate) fn forget_values(&mut self) {
        for value in Rc::make_mut(&mut self.variables).values_mut().filter(|value| **value != Value::Fetched) {
            *value = Value::Unknown;
        }
    }

    /// Where a path leads through the links that the command itself makes, one after the other.
    pub(crate) fn beyond(&self, path: &str) -> Vec<String> {
        let mut places = vec![path.to_owned()];
        let mut at = 0;
        while let Some(place) = places.get(at).cloned().filter(|_| places.len() < MOST_PLACES) {
            for (from, to) in self.links.iter().take(MOST_PLACES) {
                let rest = place.strip_prefix(from.as_str()).filter(|rest| rest.is_empty() || rest.starts_with('/'));
                let beyond = rest.map(|rest| format!("{}{rest}", to.trim_end_matches('/')));
                if let Some(beyond) = beyond.filter(|beyond| !places.contains(beyond)) {
                    places.push(beyond);
                }
            }
            at += 1;
        }
        places.remove(0);
        places
    }

    /// The shell of something that runs beside what goes on.
    pub(crate) fn forked(&self) -> Self {
        Self { is_forked: true, ..self.clone() }
    }

    /// Goes into a folder. Where that may not happen, the one before counts as well.
    pub(crate) fn go(&mut self, folder: Option<String>) {
        let before = std::mem::replace(&mut self.folder, folder);
        if self.is_conditional
            && let Some(before) = before.filter(|before| Some(before) != self.folder.as_ref())
            && !self.other_folders.contains(&before)
            && self.other_folders.len() < MOST_FOLDERS
        {
            self.other_folders.push(before);
        }
    }

    pub(crate) fn deeper(&self) -> Self {
        Self { depth: self.depth + 1, ..self.clone() }
    }
}
