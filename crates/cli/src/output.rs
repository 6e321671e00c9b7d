//! What a person or a script gets to read.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use lwa_protocol::Failure;
use lwa_protocol::money_json::numeric_money;
use serde::Serialize;
use serde_json::json;

/// Writes results to stdout and diagnostics to stderr.
#[derive(Debug, Clone, Copy)]
pub struct Output {
    is_json: bool,
}

impl Output {
    /// Output as JSON or for people.
    pub const fn new(is_json: bool) -> Self {
        Self { is_json }
    }

    /// Whether stdout carries one JSON document.
    pub const fn is_json(self) -> bool {
        self.is_json
    }

    /// Whether a person looks at stdout, rather than another program.
    pub fn is_terminal(self) -> bool {
        !self.is_json && io::stdout().is_terminal()
    }

    /// The result: as JSON, or as the text that `readable` makes.
    pub fn result<T: Serialize>(self, value: &T, readable: impl FnOnce(&T) -> String) {
        if self.is_json {
            let json = serde_json::to_value(value).map(numeric_money).unwrap_or_default();
            self.line(&serde_json::to_string_pretty(&json).unwrap_or_default());
        } else {
            self.line(readable(value).trim_end());
        }
    }

    /// One line, or a block, on stdout. A reader that went away is not an error worth a message.
    #[expect(clippy::unused_self, reason = "who writes goes through the one place for output")]
    pub fn line(self, text: &str) {
        let mut stdout = io::stdout().lock();
        let _ = writeln!(stdout, "{text}").and_then(|()| stdout.flush());
    }

    /// A text on stdout as it is, without a line end of ours.
    #[expect(clippy::unused_self, reason = "who writes goes through the one place for output")]
    pub fn text(self, text: &str) {
        let mut stdout = io::stdout().lock();
        let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    }

    /// One line on stderr, for people.
    #[expect(clippy::unused_self, reason = "who writes goes through the one place for output")]
    pub fn note(self, text: &str) {
        let _ = writeln!(io::stderr().lock(), "{text}");
    }

    /// A failure: what happened and the way out. Gives its exit code.
    pub fn fail(self, failure: &Failure) -> ExitCode {
        if self.is_json {
            let document = json!({ "status": "failed", "error": failure });
            self.line(&serde_json::to_string_pretty(&document).unwrap_or_default());
        }
        self.note(&format!("lwa: {}", failure.message));
        if let Some(hint) = &failure.hint {
            self.note(&format!("     {hint}"));
        }
        ExitCode::from(failure.code.exit_code())
    }
}

/// A value of a closed set as it is written on the wire.
pub fn word(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

/// A number of things: `1 turn`, `2 turns`.
pub fn counted(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Columns padded to their widest cell, two spaces apart.
pub fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let mut widths: Vec<usize> = header.iter().map(|cell| cell.chars().count()).collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |cells: Vec<&str>| {
        let padded: Vec<String> = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        padded.join("  ").trim_end().to_owned()
    };
    let mut lines = vec![line(header.to_vec())];
    lines.extend(rows.iter().map(|row| line(row.iter().map(String::as_str).collect())));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let text = table(&["name", "n"], &[vec!["a".into(), "12".into()], vec!["longer".into(), "3".into()]]);
        assert_eq!(text, "name    n\na       12\nlonger  3");
    }
}
