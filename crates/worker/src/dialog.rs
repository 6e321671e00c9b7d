//! Questions to a human: what they say, what can be chosen, and how a reply is read.
//!
//! Every question has one required field with no default, and the safe choice stands first, so a form that a program
//! accepts for the human, empty or with its first choice, opens nothing.

use std::borrow::Cow;
use std::fmt::Write as _;

use lwa_domain::Outcome;

/// The name of the one field.
pub const CHOICE_FIELD: &str = "choice";

/// A question as a face shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialog {
    /// What it is about. It holds nothing private, and no character that changes how the rest is shown.
    pub message: String,
    /// The choices: value and text, the safe one first.
    pub choices: &'static [(&'static str, &'static str)],
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DialogReply {
    /// The form was accepted with this value; empty when there was none.
    Chosen(String),
    /// It ended without a value.
    Ended(Outcome),
}

impl DialogReply {
    /// The chosen value as it is compared: trimmed and in lower case.
    pub fn choice(&self) -> Option<String> {
        match self {
            Self::Chosen(value) => Some(value.trim().to_lowercase()),
            Self::Ended(_) => None,
        }
    }

    /// The word for a reply that was no answer.
    pub fn action(&self) -> &'static str {
        match self {
            Self::Chosen(_) => "no choice",
            Self::Ended(outcome) => match outcome {
                Outcome::Denied => "decline",
                Outcome::Dismissed => "cancel",
                Outcome::TimedOut => "timeout",
                Outcome::Withdrawn => "withdrawn",
                Outcome::Unavailable => "unavailable",
                Outcome::AllowedOnce | Outcome::AllowedSession | Outcome::AllowedAlways => "no choice",
            },
        }
    }
}

/// The choices for a command.
pub const COMMAND_CHOICES: &[(&str, &str)] =
    &[("refuse", "Refuse: do not run it"), ("once", "Run it this once"), ("always", "Run it, and do not ask again")];

/// The longest command that is shown; a longer one cannot be judged by reading and is refused.
pub const MOST_SHOWN_CHARS: usize = 4_000;

/// What the human is asked about a command.
#[derive(Debug, Clone, Copy)]
pub struct CommandQuestion<'q> {
    /// The command as the caller wrote it, with its placeholders.
    pub command: &'q str,
    /// Where it would run; none for the host's own folder.
    pub folder: Option<&'q str>,
    /// Why it is asked about.
    pub reasons: &'q [String],
    /// What `always` would add; empty when it cannot be remembered.
    pub shapes: &'q [String],
}

/// A command that is too long to be shown whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the command has {chars} characters, and at most {MOST_SHOWN_CHARS} can be shown for approval")]
pub struct TooLongToShow {
    /// Its length.
    pub chars: usize,
}

/// The question about a command. The whole of it is shown, with every character that could mislead written out.
///
/// # Errors
/// It is too long to be read.
pub fn command_dialog(question: CommandQuestion<'_>) -> Result<Dialog, TooLongToShow> {
    let chars = question.command.chars().count();
    if chars > MOST_SHOWN_CHARS {
        return Err(TooLongToShow { chars });
    }
    let mut message = format!(
        "A command is about to run on this machine.\n\nCommand: {}\nFolder: {}\n",
        visible(question.command),
        question.folder.map_or(Cow::Borrowed("the host's own"), visible),
    );
    for reason in question.reasons {
        let _ = writeln!(message, "Note: {}", visible(reason));
    }
    let always = if question.shapes.is_empty() {
        "It cannot be remembered: \"always\" counts as \"once\".".to_owned()
    } else {
        let shapes: Vec<Cow<'_, str>> = question.shapes.iter().map(|shape| visible(shape)).collect();
        format!("\"Always\" adds: {}.", shapes.join(", "))
    };
    let _ = write!(message, "\nRefuse, run once, or run always. {always} Cancelling refuses.");
    Ok(Dialog { message, choices: COMMAND_CHOICES })
}

/// What a human said about a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandAnswer {
    /// Run it this once.
    Once,
    /// Run it, and remember its shapes.
    Always,
    /// Do not run it: a human said so.
    Refused,
    /// Do not run it: nobody answered.
    Unanswered,
}

impl CommandAnswer {
    /// Reads a reply; whatever is not clearly a yes is a no.
    pub fn read(reply: &DialogReply) -> Self {
        match reply {
            DialogReply::Ended(Outcome::AllowedOnce | Outcome::AllowedSession) => Self::Once,
            DialogReply::Ended(Outcome::AllowedAlways) => Self::Always,
            DialogReply::Ended(Outcome::Denied) => Self::Refused,
            DialogReply::Ended(Outcome::Dismissed | Outcome::TimedOut | Outcome::Withdrawn | Outcome::Unavailable) => {
                Self::Unanswered
            }
            DialogReply::Chosen(_) => match reply.choice().as_deref() {
                Some("once") => Self::Once,
                Some("always") => Self::Always,
                _ => Self::Refused,
            },
        }
    }
}

/// The text with every character written out that moves the cursor, hides itself or turns the direction of writing.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_misleading) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '\n' => shown.push_str("\\n"),
            '\t' => shown.push_str("\\t"),
            '\r' => shown.push_str("\\r"),
            other if is_misleading(other) => {
                let _ = write!(shown, "\\u{{{:x}}}", u32::from(other));
            }
            other => shown.push(other),
        }
    }
    Cow::Owned(shown)
}

fn is_misleading(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
        // Blanks that look like the plain one and split words differently, or not at all.
        || (character.is_whitespace() && character != ' ')
}
