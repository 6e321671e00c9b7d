//! The shells and verbs of Windows, as far as a command can name them.

use super::{Look, Walker};
use crate::arg::{Arg, Flow};
use crate::walk::state::State;

/// Other names of the verbs that matter.
fn verb(name: &str) -> &str {
    match name {
        "remove-item" | "ri" | "del" | "erase" | "rd" | "rmdir" | "rm" => "remove-item",
        "set-content" | "sc" | "add-content" | "ac" | "out-file" | "clear-content" | "clc" | "new-item" | "ni"
        | "copy-item" | "cpi" | "copy" | "cp" | "move-item" | "mi" | "move" | "mv" => "write",
        "invoke-expression" | "iex" => "invoke-expression",
        other => other,
    }
}

impl Walker<'_> {
    /// Windows.
    pub(super) fn windows(&mut self, look: &mut Look, state: &mut State) -> bool {
        match look.name.as_str() {
            "pwsh" | "powershell" | "powershell_ise" => self.power_shell(look, state),
            "cmd" | "command.com" => {
                let place = look
                    .args
                    .iter()
                    .position(|arg| matches!(arg.text.to_lowercase().as_str(), "/c" | "/k" | "/r" | "//c"));
                self.ask("another shell", "`cmd` runs what its words say");
                if let Some(at) = place {
                    let words = look.from(at + 1);
                    self.cmd_line(&super::builtins::joined(&words).text, state);
                }
            }
            "wsl" => {
                self.ask("another shell", "`wsl` runs what its words say");
                let at = look
                    .args
                    .iter()
                    .skip(1)
                    .position(|arg| !arg.text.starts_with('-') || matches!(arg.text.as_str(), "-e" | "--exec" | "--"))
                    .map_or(look.args.len(), |at| at + 1);
                let words: Vec<Arg> = look.from(at).into_iter().skip_while(|arg| arg.text.starts_with('-')).collect();
                if look.args.iter().any(|arg| arg.text == "--shutdown" || arg.text == "--unregister") {
                    self.ask("power state", "ends or removes a machine");
                }
                self.denied_inside(words, &look.stdin.clone(), state);
            }
            "remove-item"
            | "ri"
            | "del"
            | "erase"
            | "rd"
            | "robocopy"
            | "deltree"
            | "takeown"
            | "icacls"
            | "reg"
            | "bcdedit"
            | "vssadmin"
            | "wmic"
            | "sc"
            | "net"
            | "netsh"
            | "clear-recyclebin"
            | "set-executionpolicy"
            | "invoke-expression"
            | "iex"
            | "start-process" => {
                let text = super::builtins::joined(&look.args).text;
                self.windows_verb(&text, &look.stdin.clone());
                self.ask("another shell", "a command of another shell");
            }
            _ => return false,
        }
        true
    }

    fn power_shell(&mut self, look: &mut Look, state: &State) {
        self.ask("another shell", "a shell of its own runs what its words say");
        let mut code = String::new();
        for (at, arg) in look.args.clone().iter().enumerate().skip(1) {
            let lower = arg.text.to_lowercase();
            if lower.starts_with("-e") && "-encodedcommand".starts_with(&lower) || lower == "-ec" {
                self.ask("dynamic code", "the code is encoded");
            }
            if lower.starts_with('-') && ("-command".starts_with(&lower) || lower == "-c") || lower == "/c" {
                code = super::builtins::joined(&look.from(at + 1)).text;
                break;
            }
            if !lower.starts_with('-') && !lower.starts_with('/') && !lower.ends_with(".ps1") {
                code = super::builtins::joined(&look.from(at)).text;
                break;
            }
            if lower.ends_with(".ps1") {
                look.must_spell(at);
            }
        }
        match look.stdin.clone() {
            Flow::Literal(text) => code.push_str(&text),
            Flow::Network if code.is_empty() || code.trim() == "-" => {
                self.deny("network pipe to shell", "the shell would run fetched text");
            }
            _ => {}
        }
        for part in code.split([';', '\n', '{', '}', '&']) {
            let fetches = ["invoke-webrequest", "iwr", "invoke-restmethod", "irm", "downloadstring", "curl", "wget"]
                .iter()
                .any(|name| part.to_lowercase().contains(name));
            let flow = if fetches { Flow::Network } else { Flow::Nothing };
            for stage in part.split('|') {
                self.windows_verb(stage.trim(), &flow);
            }
            self.denied_in_code_if_plain(part, state);
        }
    }

    /// A line of the old shell: `&` and `|` cut it, caret and quotes vanish.
    fn cmd_line(&mut self, line: &str, state: &State) {
        let plain = line.replace(['^', '"'], "");
        for part in plain.split(['&', '|', '\n']) {
            let part = part.trim().trim_start_matches(['@', '(']).trim();
            self.windows_verb(part, &Flow::Nothing);
            self.denied_in_code_if_plain(part, state);
        }
    }

    fn denied_in_code_if_plain(&mut self, code: &str, state: &State) {
        let first = code.split_whitespace().next().unwrap_or_default().to_lowercase();
        if matches!(verb(&first), "remove-item" | "write") || code.trim().is_empty() {
            return;
        }
        self.denied_in_code(code.trim(), &Flow::Nothing, state);
    }

    fn windows_verb(&mut self, text: &str, fetched: &Flow) {
        let words: Vec<String> =
            text.split_whitespace().map(|word| word.trim_matches(['"', '\'', '(', ')']).to_lowercase()).collect();
        let Some(first) = words.first() else { return };
        let name = super::base_name(first);
        let rest = words.get(1..).unwrap_or_default();
        let has = |wanted: &[&str]| rest.iter().any(|word| wanted.contains(&word.as_str()));
        let recursive = rest.iter().any(|word| {
            word.len() > 2 && "-recurse".starts_with(word.as_str())
                || word == "-r"
                || word == "/s"
                || word.starts_with("-recurse")
        });
        match verb(&name) {
            "remove-item" if recursive => self.deny("recursive rm", "removes a whole tree"),
            "deltree" | "clear-recyclebin" => self.deny("recursive rm", "removes a whole tree"),
            "robocopy" if has(&["/mir", "/purge"]) => {
                self.deny("recursive rm", "removes what the source does not have");
            }
            "invoke-expression" if *fetched == Flow::Network => {
                self.deny("network pipe to shell", "the shell would run fetched text");
            }
            "start-process" if has(&["runas"]) => {
                self.deny("privilege escalation", "starts a program with other rights");
            }
            "stop-computer" | "restart-computer" => self.deny("power state", "changes the power state of the machine"),
            "format" | "diskpart" | "clear-disk" | "format-volume" | "initialize-disk" => {
                self.deny("filesystem", "writes file systems or partitions");
            }
            "vssadmin" if has(&["delete"]) => self.deny("filesystem", "removes backups"),
            "bcdedit" if has(&["/set", "/delete", "/default"]) => {
                self.deny("filesystem", "changes how the machine starts");
            }
            "icacls" if has(&["/t"]) => self.deny("recursive chmod", "changes a whole tree"),
            "takeown" if has(&["/r"]) => self.deny("recursive chown", "changes a whole tree"),
            "install-module" | "install-package" | "uninstall-module" | "uninstall-package" | "update-module"
            | "install-script" | "add-appxpackage" | "remove-appxpackage" => {
                self.deny("package install", "installs or removes software");
            }
            "write" => {
                for word in rest.iter().filter(|word| word.starts_with('/') || word.get(1..3) == Some(":\\")) {
                    let (path, _) = crate::path::resolve(word, None, self.context);
                    if let Some(crate::path::Guard::Protected(what)) = crate::path::guard(&path, self.context) {
                        self.deny("protected path", format!("`{path}` is protected ({what})"));
                    }
                }
            }
            _ => {}
        }
        if *fetched == Flow::Network
            && (text.to_lowercase().contains("iex") || text.to_lowercase().contains("invoke-expression"))
        {
            self.deny("network pipe to shell", "the shell would run fetched text");
        }
    }
}
