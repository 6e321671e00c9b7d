//! A word of a command after expansion: what is known of it, and what only the shell will know.

/// Stands for the part of a word that is known at run time only.
pub(crate) const UNKNOWN: char = '\u{f8ff}';

/// What flows through a pipe, or what a file-like word holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Flow {
    /// Nothing, or the standard input of the whole command, which is closed.
    #[default]
    Nothing,
    /// Text that the command itself spells out.
    Literal(String),
    /// Something that was fetched.
    Network,
    /// One word that is no option: a number, a hash, the name of a branch.
    Word,
    /// Anything else.
    Opaque,
}

/// One word after expansion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about one word")]
pub(crate) struct Arg {
    /// The text, with [`UNKNOWN`] for parts that are not known.
    pub(crate) text: String,
    /// Some part is known at run time only.
    pub(crate) is_dynamic: bool,
    /// An unquoted part may become several words.
    pub(crate) splits: bool,
    /// Holds an unquoted pattern character.
    pub(crate) is_glob: bool,
    /// Came through a variable that the command sets itself.
    pub(crate) is_indirect: bool,
    /// Holds a placeholder of the session.
    pub(crate) has_placeholder: bool,
    /// Holds fetched text.
    pub(crate) is_fetched: bool,
    /// The text with the output of literal substitutions put in, while all of it is known.
    pub(crate) code: Option<String>,
    /// What it starts with is not known, but is no option.
    pub(crate) is_name: bool,
    /// What the file holds that the word names, for `<(…)`.
    pub(crate) file: Option<Flow>,
}

impl Arg {
    /// A word that is its text.
    pub(crate) fn literal(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { code: Some(text.clone()), text, ..Self::default() }
    }

    /// A word of which nothing is known.
    pub(crate) fn unknown() -> Self {
        Self { text: UNKNOWN.to_string(), is_dynamic: true, splits: true, ..Self::default() }
    }

    /// Whether the shell will see exactly this text.
    pub(crate) fn is_static(&self) -> bool {
        !self.is_dynamic && !self.is_glob
    }

    /// Whether the word may turn out to be an option that is not seen here.
    pub(crate) fn may_be_option(&self) -> bool {
        self.splits || self.text.starts_with(UNKNOWN) && !self.is_name
    }

    /// The word behind a prefix of its text, with the same knowledge.
    pub(crate) fn tail(&self, from: usize) -> Self {
        let text = self.text.get(from..).unwrap_or_default().to_owned();
        let code = self.code.as_ref().and_then(|code| code.get(from..)).map(str::to_owned);
        Self { text, code, ..self.clone() }
    }

    /// The text for people.
    pub(crate) fn shown(&self) -> String {
        self.text.replace(UNKNOWN, "…")
    }
}

/// The words as one line for people, quoted where needed.
pub(crate) fn line(args: &[Arg]) -> String {
    let mut shown = String::new();
    for arg in args {
        if !shown.is_empty() {
            shown.push(' ');
        }
        let text = arg.shown();
        let is_plain = !text.is_empty()
            && text.chars().all(|next| next.is_alphanumeric() || "_./:=,@%+-…~[]{}*?^!".contains(next));
        if is_plain {
            shown.push_str(&text);
        } else {
            shown.push_str(&crate::expand::quote(&text));
        }
    }
    shown
}
