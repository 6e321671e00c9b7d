//! Readers and filters with options or small languages that write files or start programs.

mod archives;
mod awk;
mod editors;
mod find;
mod sed;

use super::{Care, Look, Walker};
use crate::arg::{Arg, Flow};
use crate::options::Grammar;
use crate::walk::state::State;

/// Options that start a program: program, short letters, long names.
const OPTION_RUNS: &[(&str, &str, &[&str])] = &[
    ("rg", "", &["pre", "hostname-bin", "search-zip-program"]),
    ("rga", "", &["pre", "rga-config-file"]),
    ("ag", "", &["pager"]),
    ("ack", "", &["pager", "ackrc"]),
    ("grep", "", &[]),
    ("sort", "", &["compress-program"]),
    ("gsort", "", &["compress-program"]),
    ("man", "PHC", &["pager", "html", "preprocessor", "config-file"]),
    ("bat", "", &["pager"]),
    ("batcat", "", &["pager"]),
    ("delta", "", &["pager"]),
    ("jq", "L", &["from-file-exec"]),
    ("zip", "", &["unzip-command"]),
    ("ctags", "", &["options", "options-maybe"]),
    ("pip-audit", "", &["index-url"]),
    ("pytest", "pco", &["override-ini", "config-file", "pastebin", "pdbcls"]),
    ("eslint", "", &["rulesdir", "resolve-plugins-relative-to", "config", "parser"]),
    ("prettier", "", &["plugin", "config"]),
    ("rustc", "", &["linker-exec"]),
    ("dmesg", "", &[]),
    ("locate", "", &[]),
    ("fzf", "", &["preview", "bind", "listen"]),
    ("sk", "", &["preview", "bind", "cmd"]),
    ("diff3", "", &["diff-program"]),
    ("sdiff", "", &["diff-program"]),
    ("mandoc", "", &[]),
    ("pre-commit", "c", &["config"]),
    ("ssh-add", "sS", &[]),
    ("ssh-agent", "P", &[]),
    ("apropos", "C", &["config-file"]),
    ("logrotate", "", &[]),
    ("prove", "e", &["exec", "harness", "source"]),
    ("info", "", &["restore", "init-file"]),
];

impl Walker<'_> {
    /// Filters and readers.
    pub(super) fn filter(&mut self, look: &mut Look, state: &mut State) -> bool {
        let name = look.name.clone();
        match name.as_str() {
            "find" | "gfind" | "bfs" => self.find_files(look, state),
            "fd" | "fdfind" => self.fd(look, state),
            "sed" | "gsed" | "ssed" => self.sed(look, state),
            "awk" | "gawk" | "mawk" | "nawk" | "original-awk" | "goawk" => self.awk(look, state),
            "tar" | "gtar" | "bsdtar" | "unzip" | "zip" | "7z" | "7za" | "7zr" | "7zz" | "unrar" | "rar" | "cpio"
            | "pax" | "ar" | "jar" | "unar" | "cabextract" | "zstd" | "unzstd" | "lz4" | "funzip" | "dpkg-deb"
            | "unsquashfs" | "mksquashfs" => {
                self.archive(look, state);
            }
            "vi" | "vim" | "nvim" | "ex" | "view" | "gvim" | "vimdiff" | "rvim" | "vim.tiny" | "vim.basic" | "ed"
            | "red" | "emacs" | "emacsclient" | "nano" | "pico" | "micro" | "joe" | "hx" | "kak" | "mcedit" => {
                self.editor(look, state);
            }
            "less" | "more" | "most" | "pg" => self.pager(look, state),
            "sqlite3" | "sqlite" | "psql" | "mysql" | "mariadb" | "mongo" | "mongosh" | "redis-cli" | "duckdb"
            | "clickhouse-client" | "sqlcmd" | "sqlplus" | "cqlsh" | "influx" => self.database(look, state),
            "git-receive-pack" | "git-upload-pack" | "git-shell" => self.ask("git transport", "serves a repository"),
            "xxd" => return self.writer(look, state),
            "diff" | "cmp" | "comm" => look.care = Care::Harmless,
            "grep" | "egrep" | "fgrep" | "rgrep" | "zgrep" | "zcat" => {
                look.care = Care::Harmless;
            }
            "jq" => self.jq(look),
            "test" | "[" => self.test_words(look),
            "gpg" | "gpg2" => {
                let runs = look.args.iter().any(|arg| {
                    [
                        "--photo-viewer",
                        "--exec-path",
                        "--agent-program",
                        "--dirmngr-program",
                        "--options",
                        "--pinentry-program",
                    ]
                    .iter()
                    .any(|name| arg.text.starts_with(name))
                });
                if runs {
                    self.ask("option that executes", "an option of `gpg` starts a program");
                }
                if look.args.iter().any(|arg| {
                    arg.text.contains("secret-key") || arg.text.contains("delete") || arg.text.contains("import")
                }) {
                    self.ask("keys of the user", "`gpg` would show or change keys");
                }
                return self.writer(look, state);
            }
            _ => {
                if !OPTION_RUNS.iter().any(|(program, _, _)| *program == name) {
                    return false;
                }
                self.option_runs(look, state);
                let clears = look.parse(&Grammar::new("fFlnstD", &["level", "facility", "file", "time-format"]));
                if name == "dmesg" && (clears.has('C', "clear") || clears.has('c', "read-clear")) {
                    self.ask("system setting", "`dmesg` would empty the log of the kernel");
                }
                if name == "man" || name == "dmesg" || name == "locate" {
                    look.names_only = true;
                }
                self.writer(look, state);
                return true;
            }
        }
        true
    }

    /// Judges options that start a program.
    fn option_runs(&mut self, look: &mut Look, state: &State) {
        let Some((_, shorts, longs)) = OPTION_RUNS.iter().find(|(program, _, _)| *program == look.name) else { return };
        let parsed = look.parse(&Grammar::new(shorts, longs));
        for option in &parsed.options {
            let is_wanted = if option.is_long {
                longs
                    .iter()
                    .any(|name| name.starts_with(&option.name) && (option.name.len() > 2 || *name == option.name))
            } else {
                shorts.contains(&option.name)
            };
            if !is_wanted {
                continue;
            }
            // Most settings of a test run are harmless; some load code.
            if look.name == "pytest"
                && "override-ini".starts_with(&option.name)
                && option.value.as_ref().is_some_and(|value| {
                    let key = value.text.split('=').next().unwrap_or_default().trim();
                    !value.is_dynamic && !["addopts", "pythonpath", "python_files", "usefixtures"].contains(&key)
                })
            {
                continue;
            }
            if look.name == "pytest"
                && option.name == "p"
                && option.value.as_ref().is_some_and(|value| value.text.starts_with("no:"))
            {
                continue;
            }
            self.ask(
                "option that executes",
                format!("the option `{}` of `{}` starts or loads what it names", option.name, look.name),
            );
            if let Some(value) = &option.value {
                look.executes(&value.text);
                self.denied_in_code(&value.text.replace(crate::arg::UNKNOWN, "x"), &Flow::Nothing, state);
            }
        }
    }

    fn jq(&mut self, look: &mut Look) {
        let parsed = look.parse(&Grammar::new("fL", &["from-file", "indent", "tab"]));
        if parsed.has_short("L") {
            self.ask("option that executes", "`jq -L` loads what it names");
        }
        look.care = Care::Harmless;
    }

    /// `[ -v 'a[$(…)]' ]` and `[ 'a[$(…)]' -eq 1 ]` run what the index holds.
    fn test_words(&mut self, look: &mut Look) {
        look.care = Care::Harmless;
        look.names_only = true;
        // A test of the shell looks and does nothing, like `[[ … ]]`.
        look.record.needs_entry = look.text(0).contains('/');
        look.out = Some(Flow::Nothing);
        let has_code = look.args.iter().skip(1).any(|arg| arg.text.contains('[') && arg.text.contains(['$', '`']));
        let evaluates = look
            .args
            .iter()
            .any(|arg| matches!(arg.text.as_str(), "-v" | "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge"));
        if has_code && evaluates {
            let args = look.from(1);
            self.arithmetic_operand(&args);
        }
    }

    /// Scripts that a server or the shell of a database runs, and settings of a server that write files.
    fn server_scripts(&mut self, look: &mut Look) {
        let words: Vec<String> = look.args.iter().skip(1).map(|arg| arg.text.to_lowercase()).collect();
        let runs = match look.name.as_str() {
            "mongo" | "mongosh" => words.iter().any(|word| {
                word == "--eval" || word.starts_with("--eval=") || word.ends_with(".js") || word.ends_with(".mongodb")
            }),
            "mysql" | "mariadb" => words.iter().any(|word| {
                let code = word.trim_start_matches("-e").trim_start_matches("--execute=").trim_start();
                code.starts_with("source ") || code.contains("\\. ")
            }),
            "redis-cli" => {
                words.iter().any(|word| {
                    matches!(
                        word.as_str(),
                        "--eval"
                            | "eval"
                            | "evalsha"
                            | "script"
                            | "function"
                            | "module"
                            | "slaveof"
                            | "replicaof"
                            | "debug"
                            | "migrate"
                            | "shutdown"
                            | "acl"
                    )
                }) || words
                    .windows(2)
                    .any(|pair| matches!(pair, [first, second] if first == "config" && second != "get"))
            }
            _ => false,
        };
        if runs {
            self.ask("option that executes", format!("`{}` would run a script or change its server", look.name));
        }
    }

    fn pager(&mut self, look: &mut Look, state: &State) {
        for at in 1..look.args.len() {
            let text = look.text(at).to_owned();
            if text.starts_with('+') && (text.contains('!') || text.contains('|') || text.contains('v')) {
                self.ask("option that executes", "a first command of the pager starts a program");
                if let Some((_, code)) = text.split_once('!') {
                    look.executes(code);
                    self.denied_in_code(code, &Flow::Nothing, state);
                }
            }
            if ["-k", "--lesskey", "--lesskey-src", "--lesskey-content"].iter().any(|name| text.starts_with(name))
                && !text.starts_with("-K")
            {
                self.ask("option that executes", "loads keys of the pager");
            }
        }
        self.option_writes(look, "oO", &["log-file", "LOG-FILE"], state);
        // With an empty input the words are options of the pager all the same.
        look.care = Care::Careful;
    }

    fn database(&mut self, look: &mut Look, state: &State) {
        let mut statements: Vec<(Option<usize>, String)> = Vec::new();
        for (at, arg) in look.args.iter().enumerate().skip(1) {
            statements.push((Some(at), arg.text.clone()));
        }
        match look.stdin.clone() {
            Flow::Literal(text) => statements.push((None, text)),
            Flow::Network => {
                if !look
                    .args
                    .iter()
                    .any(|arg| matches!(arg.text.as_str(), "-c" | "-e" | "--command" | "--execute" | "--eval"))
                {
                    self.ask("fetched statements", format!("`{}` would run fetched statements", look.name));
                }
            }
            Flow::Opaque | Flow::Word => {
                let names_them = look
                    .args
                    .iter()
                    .any(|arg| matches!(arg.text.as_str(), "-c" | "-e" | "--command" | "--execute" | "--eval"));
                if !names_them && look.name != "redis-cli" {
                    self.ask(
                        "statements",
                        format!("`{}` would run statements that are known at run time only", look.name),
                    );
                }
            }
            Flow::Nothing => {}
        }
        for (at, text) in statements {
            let lower = text.to_lowercase();
            let shells = lower.contains("\\!")
                || lower.contains(".shell")
                || lower.contains(".system")
                || lower.contains("program '")
                || lower.contains("program e'")
                || lower.contains("load_extension")
                || lower.contains(".load")
                || lower.trim_start().starts_with(".read ")
                || lower.contains("xp_cmdshell")
                || lower.trim_start().starts_with("system ")
                || lower.contains("| ")
                    && (lower.contains("\\o")
                        || lower.contains("\\g")
                        || lower.contains(".once")
                        || lower.contains(".output"))
                || [".output", ".once", ".read", ".import"].iter().any(|mark| {
                    lower
                        .split_once(mark)
                        .is_some_and(|(_, tail)| tail.trim_start_matches([' ', '\'', '"']).starts_with('|'))
                })
                || lower.contains(".excel")
                || lower.contains(".www")
                || lower.contains("edit(")
                || lower.contains(".import |")
                || lower.contains("\\pipe")
                || lower.contains("\\copy") && lower.contains("program")
                || lower.contains("runprogram")
                || lower.contains("pager ");
            if shells {
                self.ask("option that executes", format!("a statement for `{}` starts a program", look.name));
                for mark in ["\\!", ".shell", ".system", "system "] {
                    if let Some((_, code)) = text.split_once(mark) {
                        look.executes(code.trim());
                        self.denied_in_code(code.trim(), &Flow::Nothing, state);
                    }
                }
            }
            for mark in [
                ".output ",
                ".once ",
                ".backup ",
                ".save ",
                ".log ",
                ".dump ",
                "\\o ",
                "into outfile '",
                "into dumpfile '",
                "writefile('",
                "attach '",
                "attach database '",
                "vacuum into '",
            ] {
                if let Some(from) = lower.find(mark) {
                    let tail = text.get(from + mark.len()..).unwrap_or_default();
                    let target: String = tail
                        .trim_start_matches(['\'', '"'])
                        .chars()
                        .take_while(|next| !next.is_whitespace() && !"'\";,)".contains(*next))
                        .collect();
                    if !target.is_empty() && !target.starts_with('|') {
                        self.writes_aside(look, &Arg::literal(target), state);
                    }
                }
            }
            let changes = [
                "drop ",
                "delete ",
                "update ",
                "insert ",
                "truncate ",
                "alter ",
                "create ",
                "grant ",
                "flushall",
                "flushdb",
                "replace into",
            ]
            .iter()
            .any(|verb| lower.contains(verb));
            if changes && look.name.starts_with("sqlite") {
                let file = look.args.iter().skip(1).find(|arg| !arg.text.starts_with('-')).cloned().unwrap_or_default();
                self.write(&file, state);
            }
            if changes {
                match at {
                    Some(at) => look.must_spell(at),
                    None => self.ask("statements", format!("statements for `{}` change data", look.name)),
                }
            }
        }
        self.server_scripts(look);
        for (at, arg) in look.args.clone().iter().enumerate().skip(1) {
            if matches!(arg.text.as_str(), "-f" | "--file" | "-init" | "--init-file" | "--init-command")
                || arg.text.starts_with("--pager")
            {
                look.must_spell((at + 1).min(look.args.len() - 1));
            }
        }
        self.option_writes(look, "oL", &["output", "log-file", "tee"], state);
    }
}
