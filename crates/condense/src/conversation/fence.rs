//! Code fences, and what stands in them.

use crate::class::Class;
use crate::lines::Line;
use crate::shape::{has_stamp, is_progress};

/// Lines of a code block beyond this many are the first to go.
const SHORT_BLOCK_LINES: usize = 40;
/// So many lines are looked at to tell a pasted log from code.
const LOOK_AHEAD_LINES: usize = 24;

/// An open code fence.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fence {
    mark: u8,
    width: usize,
    lines: usize,
    is_log: bool,
}

impl Fence {
    /// The fence that `line` opens; the lines ahead tell whether a log follows.
    pub(crate) fn open(line: &str, text: &str, ahead: &[Line]) -> Option<Self> {
        let (mark, width, tag) = fence_mark(line)?;
        let is_log = match tag.to_ascii_lowercase().as_str() {
            "log" | "logs" | "console" | "shell-session" | "terminal" => true,
            "" | "text" | "txt" | "output" | "plaintext" | "bash" | "sh" | "shell" => looks_like_log(mark, text, ahead),
            _ => false,
        };
        Some(Self { mark, width, lines: 0, is_log })
    }

    /// Counts a line and tells whether it closes the fence.
    pub(crate) fn ends_at(&mut self, line: &str) -> bool {
        self.lines += 1;
        fence_mark(line).is_some_and(|(mark, width, tag)| mark == self.mark && width >= self.width && tag.is_empty())
    }

    /// Whether a log stands inside.
    pub(crate) fn is_log(&self) -> bool {
        self.is_log
    }

    /// The class of the current line.
    pub(crate) fn class(&self) -> Class {
        if self.lines <= SHORT_BLOCK_LINES { Class::Code } else { Class::FarContext }
    }
}

/// The mark, the width and the language of a fence line.
fn fence_mark(line: &str) -> Option<(u8, usize, &str)> {
    let trimmed = line.trim();
    let mark = trimmed.bytes().next().filter(|byte| matches!(byte, b'`' | b'~'))?;
    let width = trimmed.bytes().take_while(|byte| *byte == mark).count();
    let tag = trimmed.get(width..)?.trim();
    (width >= 3 && !tag.contains('`')).then_some((mark, width, tag))
}

fn looks_like_log(mark: u8, text: &str, ahead: &[Line]) -> bool {
    let mut lines = 0usize;
    let mut log_lines = 0usize;
    for line in ahead.iter().take(LOOK_AHEAD_LINES) {
        let line = text.get(line.range()).unwrap_or_default();
        if fence_mark(line).is_some_and(|(other, ..)| other == mark) {
            break;
        }
        lines += 1;
        log_lines += usize::from(is_log_line(line));
    }
    log_lines * 4 > lines
}

/// Whether a line reads like the output of a program.
pub(crate) fn is_log_line(line: &str) -> bool {
    const OPENERS: &[&str] = &[
        "error[",
        "error:",
        "warning:",
        "Traceback (",
        "File \"",
        "--> ",
        "thread '",
        "npm ERR",
        "npm WARN",
        "npm error",
        "npm warn",
        "make:",
        "make[",
        "E   ",
        "PASS ",
        "FAIL ",
        "not ok ",
        "[INFO]",
        "[WARN",
        "[ERROR]",
        "INFO ",
        "WARN ",
        "ERROR ",
        "DEBUG ",
        "TRACE ",
        "Caused by:",
        "test result:",
        "failures:",
        "====",
        "----",
        "Finished `",
        "Running `",
        "Running unittests ",
        "running 1 ",
        "$ ",
    ];
    let trimmed = line.trim_start();
    has_stamp(trimmed)
        || OPENERS.iter().any(|opener| trimmed.starts_with(opener)) && !trimmed.ends_with(['.', '?'])
        || is_progress(trimmed) && line.starts_with("   ")
        || trimmed.ends_with("... ok")
        || trimmed.ends_with("... FAILED")
}
