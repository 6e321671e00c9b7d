//! A verdict in words for a dialog: nothing cut, nothing that moves or hides text.

use std::fmt::Write as _;

use crate::arg::Arg;
use crate::shell::fold;
use crate::verdict::{Command, Effect, Verdict};

impl Verdict {
    /// The reason, then one line for each command with what it does.
    ///
    /// Control characters and marks that turn or hide text are shown as escapes; no line is shortened.
    pub fn explain(&self) -> String {
        let mut text = escaped(&self.reason);
        for command in &self.commands {
            text.push('\n');
            text.push_str(&line(command));
        }
        for warning in &self.warnings {
            let _ = write!(text, "\nNote: {}", escaped(warning));
        }
        text
    }
}

fn line(command: &Command) -> String {
    let args: Vec<Arg> = command.argv.iter().map(|word| Arg::literal(word.text.clone())).collect();
    let mut shown = format!("  {}", escaped(&crate::arg::line(&args)));
    let does = what_it_does(&command.program);
    let effects: Vec<String> = command.effects.iter().map(|next| effect(next, does)).collect();
    if !effects.is_empty() {
        let _ = write!(shown, "   [{}]", effects.join("; "));
    }
    shown
}

/// What a program does to the paths that it writes.
fn what_it_does(program: &str) -> &'static str {
    match program.rsplit('/').next().unwrap_or_default() {
        "rm" | "rmdir" | "unlink" | "trash" | "trash-put" => "removes",
        "chmod" | "chown" | "chgrp" | "chattr" | "setfacl" | "touch" => "changes",
        _ => "writes",
    }
}

fn effect(effect: &Effect, does: &str) -> String {
    match effect {
        Effect::Write { path } => format!("{does} {}", escaped(path)),
        Effect::ReadPrivate { path } => format!("reads credentials in {}", escaped(path)),
        Effect::Network => "uses the network".to_owned(),
        Effect::Execute { what } => format!("runs {}", escaped(what)),
    }
}

/// The text on one line, with escapes for what a human would not see as it is.
pub fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => shown.push_str("\\n"),
            '\t' => shown.push_str("\\t"),
            '\r' => shown.push_str("\\r"),
            _ if character.is_control()
                || fold::is_invisible(character)
                || (fold::is_blank(character) && character != ' ') =>
            {
                let _ = write!(shown, "\\u{{{:x}}}", u32::from(character));
            }
            _ => shown.push(character),
        }
    }
    shown
}
