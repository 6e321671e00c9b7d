//! Shells and copies on other machines.

use super::{Look, Walker, join};
use crate::arg::Flow;
use crate::options::{Grammar, Parsed};
use crate::walk::state::State;

const SSH: Grammar = Grammar::stopping("bcDeEFIiJLlmOoPpQRSWwB", &[]);
const SCP: Grammar = Grammar::new("cDFiJloPSX", &[]);
const RSYNC: Grammar = Grammar::new(
    "efBTM",
    &[
        "rsh",
        "rsync-path",
        "filter",
        "exclude",
        "exclude-from",
        "include",
        "include-from",
        "files-from",
        "log-file",
        "log-file-format",
        "out-format",
        "password-file",
        "bwlimit",
        "temp-dir",
        "partial-dir",
        "backup-dir",
        "suffix",
        "compare-dest",
        "copy-dest",
        "link-dest",
        "chmod",
        "chown",
        "usermap",
        "groupmap",
        "port",
        "timeout",
        "contimeout",
        "max-size",
        "min-size",
        "block-size",
        "max-delete",
        "info",
        "debug",
        "address",
        "sockopts",
        "remote-option",
        "write-batch",
        "only-write-batch",
        "read-batch",
        "protocol",
        "iconv",
        "checksum-seed",
        "early-input",
        "modify-window",
    ],
)
.flags(&["partial", "backup", "checksum"]);

impl Walker<'_> {
    pub(super) fn ssh(&mut self, look: &mut Look, state: &mut State) {
        if look.args.len() == 2 && look.text(1) == "-V" {
            return;
        }
        self.ask("remote shell", format!("`{}` runs commands on another machine", look.name));
        look.out = Some(Flow::Network);
        if look.name == "sshpass" {
            let parsed = look.parse(&Grammar::stopping("pfdP", &[]));
            let at = parsed.operands.first().copied().unwrap_or(look.args.len());
            let words = look.from(at);
            self.denied_inside(words, &look.stdin.clone(), state);
            return;
        }
        let parsed = look.parse(&SSH);
        self.ssh_options(look, &parsed, state);
        let rest = parsed.operands.get(1..).unwrap_or_default();
        // Options may stand behind the host too.
        let rest: Vec<usize> = rest.iter().copied().skip_while(|at| look.text(*at).starts_with('-')).collect();
        if let Some(start) = rest.first() {
            let text = join(&look.from(*start));
            look.executes(&text);
            self.denied_in_code(&text, &look.stdin.clone(), state);
        } else if let Flow::Literal(code) = look.stdin.clone() {
            self.denied_in_code(&code, &Flow::Nothing, state);
        }
    }

    pub(super) fn ssh_options(&mut self, look: &mut Look, parsed: &Parsed, state: &State) {
        for option in &parsed.options {
            let Some(value) = &option.value else { continue };
            match option.name.as_str() {
                "o" => {
                    let lower = value.text.to_lowercase();
                    if [
                        "proxycommand",
                        "localcommand",
                        "permitlocalcommand",
                        "knownhostscommand",
                        "match",
                        "include",
                        "remotecommand",
                        "pkcs11provider",
                        "securitykeyprovider",
                        "proxyusefdpass",
                        "xauthlocation",
                    ]
                    .iter()
                    .any(|name| lower.trim_start().starts_with(name))
                    {
                        self.ask("option that executes", format!("the option `{}` starts a program", value.shown()));
                        let code =
                            value.text.split_once(['=', ' ']).map(|(_, code)| code.to_owned()).unwrap_or_default();
                        look.executes(&code);
                        self.denied_in_code(&code, &Flow::Nothing, state);
                    }
                }
                "F" | "S" | "I" => {
                    self.ask("option that executes", format!("the option `-{}` loads what it names", option.name));
                }
                "E" => self.writes_aside(look, value, state),
                _ => {}
            }
        }
    }

    pub(super) fn scp(&mut self, look: &mut Look, state: &State) {
        let parsed = look.parse(&SCP);
        self.ssh_options(look, &parsed, state);
        if parsed.has_short("SDs") {
            self.ask("option that executes", format!("an option of `{}` starts a program", look.name));
        }
        if let Some(last) = parsed.operands.last().copied() {
            let arg = look.args.get(last).cloned().unwrap_or_default();
            if look.name == "sftp" && parsed.operands.len() > 1 && !is_remote(&arg.text) {
                self.writes_purposely(look, &arg, state);
            }
            if is_remote(&arg.text) || look.name == "sftp" {
                self.ask("upload", format!("`{}` would send files away", look.name));
            } else {
                self.writes_purposely(look, &arg, state);
            }
        }
    }

    pub(super) fn rsync(&mut self, look: &mut Look, state: &State) {
        let parsed = look.parse(&RSYNC);
        for option in &parsed.options {
            if option.is('e', "rsh")
                || option.is('\0', "rsync-path") && option.name.len() > 5
                || option.is('M', "remote-option")
                || option.name == "daemon"
            {
                self.ask("option that executes", "an option of `rsync` starts a program");
                if let Some(value) = &option.value {
                    look.executes(&value.text);
                    self.denied_in_code(&value.text, &Flow::Nothing, state);
                }
            }
            if option.is_long
                && (option.name.starts_with("del")
                    || "remove-source-files".starts_with(&option.name) && option.name.len() > 2)
            {
                self.ask("removes files", format!("`rsync --{}` removes files", option.name));
            }
            if option.is_long
                && (option.name == "log-file" || option.name == "write-batch" || option.name == "backup-dir")
                && let Some(value) = &option.value
            {
                self.writes_aside(look, value, state);
            }
        }
        if let Some(last) = parsed.operands.last().copied()
            && parsed.operands.len() > 1
        {
            let arg = look.args.get(last).cloned().unwrap_or_default();
            if is_remote(&arg.text) {
                self.ask("upload", "`rsync` would send files away");
            } else {
                self.unpacks_into(look, &arg, state);
            }
        }
    }
}

/// `host:path` or an address; a local path has a slash before the first colon.
fn is_remote(text: &str) -> bool {
    text.contains("://") || text.split_once(':').is_some_and(|(host, _)| !host.contains('/') && !host.is_empty())
}
