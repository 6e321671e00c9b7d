//! Editors that take commands on their command line or standard input.

use super::{Look, Walker};
use crate::arg::{Arg, Flow};
use crate::options::Grammar;
use crate::walk::state::State;

/// With `-e` the option `-s` means "silent" and has no value.
const EX: Grammar =
    Grammar::new("cSTuUwWiP", &["cmd", "startuptime", "log", "remote-send", "remote-expr", "servername"]).attached("q");
const VIM: Grammar =
    Grammar::new("cSsTuUwWiPq", &["cmd", "startuptime", "log", "remote-send", "remote-expr", "servername"])
        .attached("q");

impl Walker<'_> {
    pub(super) fn editor(&mut self, look: &mut Look, state: &State) {
        let name = look.name.clone();
        match name.as_str() {
            "ed" | "red" => {
                let parsed = look.parse(&Grammar::new("p", &["prompt"]));
                self.edited(look, &parsed.operands, state);
                let stdin = look.stdin.clone();
                self.editor_input(look, &stdin, state);
            }
            "emacs" | "emacsclient" => {
                let runs = look.args.iter().skip(1).any(|arg| {
                    let text = arg.text.trim_start_matches('-');
                    arg.text.starts_with('-')
                        && ["eval", "execute", "f", "funcall", "l", "load", "script", "e", "batch", "insert"]
                            .iter()
                            .any(|name| text == *name || text.starts_with(&format!("{name}=")))
                });
                if runs {
                    self.ask("option that executes", "an option of the editor runs code");
                }
                let parsed = look.parse(&Grammar::new(
                    "flLuted",
                    &["eval", "execute", "load", "funcall", "script", "directory", "file", "insert"],
                ));
                self.edited(look, &parsed.operands, state);
            }
            "nano" | "pico" | "micro" | "joe" | "hx" | "kak" | "mcedit" => {
                let parsed = look.parse(&Grammar::new(
                    "CfoQrsTXYe",
                    &["backupdir", "rcfile", "operatingdir", "speller", "syntax", "config"],
                ));
                if parsed.has('s', "speller") || parsed.has('f', "rcfile") || parsed.has('e', "") && name == "kak" {
                    self.ask("option that executes", "an option of the editor starts a program");
                }
                self.edited(look, &parsed.operands, state);
            }
            _ => self.vim(look, state),
        }
    }

    /// Opening a guarded file for editing is a write of it.
    fn edited(&mut self, look: &mut Look, operands: &[usize], state: &State) {
        for at in operands {
            let arg = look.args.get(*at).cloned().unwrap_or_default();
            if !arg.text.starts_with('+') {
                self.writes_purposely(look, &arg, state);
            }
        }
    }

    fn vim(&mut self, look: &mut Look, state: &State) {
        let is_ex = look.name == "ex"
            || look.args.iter().skip(1).any(|arg| arg.text.starts_with("-e") || arg.text.starts_with("-E"));
        let parsed = look.parse(if is_ex { &EX } else { &VIM });
        let mut commands: Vec<Arg> =
            [parsed.values('c', "cmd"), parsed.values('\0', "remote-send"), parsed.values('\0', "remote-expr")]
                .concat();
        commands.extend(
            parsed
                .operands
                .iter()
                .filter_map(|at| look.args.get(*at))
                .filter(|arg| arg.text.starts_with('+'))
                .map(|arg| arg.tail(1)),
        );
        let is_script = parsed.has_short("sSuUi") || look.name == "ex" || parsed.has_short("e");
        if look.name == "nvim" && look.args.iter().any(|arg| matches!(arg.text.as_str(), "-l" | "-ll")) {
            self.ask("option that executes", "the editor would run a script");
        }
        if parsed.has_short("SuUi") || parsed.has_short("s") && !is_ex {
            self.ask("option that executes", "the editor would run a script");
        }
        let mut has_write = false;
        for command in &commands {
            let text = command.text.trim_start_matches([':', ' ']).to_owned();
            has_write |= self.editor_command(look, &text, state);
        }
        if !commands.is_empty() {
            self.ask("option that executes", "the editor would run commands");
        }
        let reads_only = look.name == "view" || parsed.has_short("RM");
        if !reads_only || has_write {
            let files: Vec<usize> = parsed.operands.clone();
            self.edited(look, &files, state);
        }
        if is_script {
            let stdin = look.stdin.clone();
            self.editor_input(look, &stdin, state);
        }
    }

    /// One command of the editor; tells whether it writes.
    fn editor_command(&mut self, look: &mut Look, text: &str, state: &State) -> bool {
        let mut writes = false;
        for part in text.split(['|', '\n']) {
            let part = part
                .trim()
                .trim_start_matches([':', '%', '.', '$', ' '])
                .trim_start_matches(|next: char| next.is_ascii_digit() || next == ',');
            if let Some((before, code)) = part.split_once('!')
                && (before.is_empty()
                    || matches!(
                        before.trim(),
                        "r" | "read"
                            | "w"
                            | "write"
                            | "silent"
                            | "sil"
                            | "silent execute"
                            | "exe"
                            | "g"
                            | "te"
                            | "term"
                    ))
            {
                self.ask("option that executes", "a command of the editor runs a shell");
                look.executes(code);
                self.denied_in_code(code.trim_matches(['\'', '"', ' ']), &Flow::Nothing, state);
            }
            for mark in ["system(", "system (", "systemlist(", "job_start(", "term_start("] {
                if let Some((_, tail)) = part.split_once(mark) {
                    let code = tail.trim_start_matches(['\'', '"']).trim_end_matches([')', '\'', '"']);
                    self.ask("option that executes", "a command of the editor runs a shell");
                    self.denied_in_code(code, &Flow::Nothing, state);
                }
            }
            let mut words = part.split_whitespace();
            let verb = words.next().unwrap_or_default().trim_end_matches('!');
            if ["w", "write", "wq", "x", "saveas", "sav", "up", "update", "wa", "xa", "wqa"].contains(&verb) {
                writes = true;
                if let Some(target) = words.next()
                    && !target.starts_with('!')
                {
                    let target = target.trim_start_matches(">>");
                    self.writes_aside(look, &Arg::literal(target), state);
                }
            }
        }
        writes
    }

    fn editor_input(&mut self, look: &mut Look, stdin: &Flow, state: &State) {
        match stdin {
            Flow::Literal(text) => {
                self.editor_command(look, text, state);
            }
            Flow::Network => self.deny("network pipe to shell", format!("`{}` would run fetched commands", look.name)),
            Flow::Opaque | Flow::Word => {
                self.ask("dynamic code", "the editor would run commands that are known at run time only");
            }
            Flow::Nothing => {}
        }
    }
}
