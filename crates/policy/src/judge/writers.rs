//! Programs whose operands or options name files that they write.

use super::{Look, Walker};
use crate::arg::{Arg, Flow};
use crate::options::{Grammar, Parsed};
use crate::walk::state::State;

/// Which operands a program writes.
#[derive(Debug, Clone, Copy)]
enum Target {
    /// All of them.
    All,
    /// The last one, or the folder an option names.
    Last,
    /// All of them, and the folder an option names.
    Moved,
    /// The second one.
    Second,
}

struct Writer {
    name: &'static str,
    grammar: Grammar,
    target: Target,
}

const COPY: Grammar =
    Grammar::new("tSZ", &["target-directory", "suffix", "context", "sparse", "reflink", "no-preserve", "preserve"])
        .attached("Z");

const WRITERS: &[Writer] = &[
    Writer { name: "cp", grammar: COPY, target: Target::Last },
    Writer { name: "gcp", grammar: COPY, target: Target::Last },
    Writer { name: "ditto", grammar: COPY, target: Target::Last },
    Writer { name: "mv", grammar: COPY, target: Target::Moved },
    Writer { name: "gmv", grammar: COPY, target: Target::Moved },
    Writer { name: "rename", grammar: Grammar::new("", &[]), target: Target::All },
    Writer { name: "mkdir", grammar: Grammar::new("m", &["mode"]), target: Target::All },
    Writer { name: "touch", grammar: Grammar::new("drt", &["date", "reference", "time"]), target: Target::All },
    Writer { name: "truncate", grammar: Grammar::new("sro", &["size", "reference"]), target: Target::All },
    Writer { name: "fallocate", grammar: Grammar::new("lo", &["length", "offset"]), target: Target::All },
    Writer { name: "mkfifo", grammar: Grammar::new("m", &["mode"]), target: Target::All },
    Writer { name: "mknod", grammar: Grammar::new("m", &["mode"]), target: Target::All },
    Writer { name: "sponge", grammar: Grammar::new("", &[]), target: Target::All },
    Writer { name: "gzip", grammar: Grammar::new("S", &["suffix"]), target: Target::All },
    Writer { name: "gunzip", grammar: Grammar::new("S", &["suffix"]), target: Target::All },
    Writer { name: "bzip2", grammar: Grammar::new("", &[]), target: Target::All },
    Writer { name: "bunzip2", grammar: Grammar::new("", &[]), target: Target::All },
    Writer { name: "xz", grammar: Grammar::new("SCTFM", &["suffix", "threads"]), target: Target::All },
    Writer { name: "unxz", grammar: Grammar::new("SCTFM", &["suffix", "threads"]), target: Target::All },
    Writer { name: "dos2unix", grammar: Grammar::new("", &[]), target: Target::All },
    Writer { name: "unix2dos", grammar: Grammar::new("", &[]), target: Target::All },
    Writer { name: "strip", grammar: Grammar::new("oFIORKN", &[]), target: Target::All },
    Writer { name: "mcopy", grammar: Grammar::new("", &[]), target: Target::Last },
    Writer { name: "convert", grammar: Grammar::new("", &[]), target: Target::Last },
    Writer { name: "magick", grammar: Grammar::new("", &[]), target: Target::Last },
    Writer { name: "pdftotext", grammar: Grammar::new("fl", &[]), target: Target::Second },
    Writer { name: "xxd", grammar: Grammar::new("clsgo", &[]), target: Target::Second },
    Writer {
        name: "uniq",
        grammar: Grammar::new("fsw", &["skip-fields", "skip-chars", "check-chars", "group", "all-repeated"]),
        target: Target::Second,
    },
];

/// Options that name a file or folder to write: program, short letters, long names.
const OPTION_WRITES: &[(&str, &str, &[&str])] = &[
    ("sort", "o", &["output"]),
    ("shuf", "o", &["output"]),
    ("tree", "o", &[]),
    ("info", "o", &["output"]),
    ("iconv", "o", &["output"]),
    ("ld", "o", &["output"]),
    ("as", "o", &[]),
    ("rustc", "o", &["out-dir"]),
    ("tsc", "", &["outDir", "outFile"]),
    ("pandoc", "o", &["output", "extract-media"]),
    ("dot", "o", &[]),
    ("xmllint", "o", &["output"]),
    ("xsltproc", "o", &["output"]),
    ("yq", "", &["inplace", "in-place"]),
    ("uudecode", "o", &["output-file"]),
    ("gpg", "o", &["output", "export-options"]),
    ("gpg2", "o", &["output"]),
    ("age", "o", &["output"]),
    ("tcpdump", "w", &[]),
    ("mysqldump", "r", &["result-file", "tab"]),
    ("pg_dump", "f", &["file"]),
    ("pg_dumpall", "f", &["file"]),
    ("jq", "", &["output-file"]),
    ("csplit", "f", &["prefix"]),
    ("asciidoctor", "oD", &["out-file", "destination-dir"]),
    ("wkhtmltopdf", "", &[]),
    ("nm", "", &[]),
    ("pytest", "", &["junitxml", "junit-xml", "basetemp", "report-log", "resultlog"]),
    ("protoc", "o", &["descriptor_set_out"]),
    ("objcopy", "", &[]),
    ("bat", "", &[]),
    ("date", "", &[]),
];

impl Walker<'_> {
    /// Programs that write.
    pub(super) fn writer(&mut self, look: &mut Look, state: &mut State) -> bool {
        let name = look.name.clone();
        match name.as_str() {
            "tee" | "gtee" => self.tee(look, state),
            "ln" | "gln" | "link" => self.link(look, state),
            "install" | "ginstall" => self.install(look, state),
            "split" => self.at_operand(
                look,
                &Grammar::new(
                    "abClntd",
                    &[
                        "suffix-length",
                        "additional-suffix",
                        "bytes",
                        "line-bytes",
                        "filter",
                        "lines",
                        "number",
                        "separator",
                    ],
                )
                .attached("d"),
                1,
                state,
            ),
            "patch" => self.patch(look, state),
            "openssl" => {
                self.single_dash(look, &["-out", "-keyout", "-writerand", "-CAserial", "-CRLout", "-engine"], state);
            }
            "ffmpeg" | "sox" | "avconv" => {
                if let Some(last) = look.args.last().cloned()
                    && look.args.len() > 2
                {
                    self.writes_aside(look, &last, state);
                }
            }
            "gcc" | "g++" | "cc" | "c++" | "clang" | "clang++" | "c89" | "c99" | "gfortran" => {
                self.compiler(look, state);
            }
            "ssh-keygen" => self.key_generation(look, state),
            "hostname" | "hostnamectl" | "timedatectl" | "localectl" | "sysctl" | "date" => self.system_setting(look),
            "mktemp" => {
                look.names_only = true;
                let parsed = look.parse(&Grammar::new("ps", &["suffix"]).attached(""));
                let folder = parsed.values('p', "").pop().or_else(|| parsed.values('\0', "tmpdir").pop());
                for at in &parsed.operands {
                    let name = look.args.get(*at).cloned().unwrap_or_default();
                    self.write(&name, state);
                }
                if let Some(folder) = folder {
                    self.write(&Arg::literal(format!("{}/x", folder.text)), state);
                }
            }
            "yq" | "dasel" | "tomlq" | "xq" => {
                let parsed = look.parse(&Grammar::new("", &[]));
                if parsed.has('i', "inplace") || parsed.has('\0', "in-place") {
                    for at in parsed.operands.clone() {
                        let file = look.args.get(at).cloned().unwrap_or_default();
                        self.writes_purposely(look, &file, state);
                    }
                }
            }
            "crontab" => {
                let reads = look.args.len() == 2 && look.text(1) == "-l";
                if look.args.iter().any(|arg| arg.text == "-u") {
                    self.ask("another identity", "`crontab -u` acts for another user");
                }
                let file = look.args.iter().skip(1).find_map(|arg| super::held(arg, &look.stdin, state));
                let held = file.unwrap_or_else(|| look.stdin.clone());
                if held == Flow::Network {
                    self.deny("network pipe to shell", "fetched text would run later");
                }
                if !reads {
                    self.ask("autostart", "`crontab` changes what starts by itself");
                }
                if let Flow::Literal(text) = held {
                    for line in text.lines() {
                        let command: Vec<&str> =
                            line.split_whitespace().skip(if line.starts_with('@') { 1 } else { 5 }).collect();
                        self.denied_in_code(&command.join(" "), &Flow::Nothing, state);
                    }
                }
            }
            "launchctl" | "schtasks" | "defaults" | "update-rc.d" | "chkconfig" | "rc-update" => {
                let reads = matches!(look.text(1), "list" | "print" | "read" | "/query" | "show" | "");
                if look.name == "launchctl" && matches!(look.text(1), "reboot") {
                    self.deny("power state", "`launchctl reboot` changes the power state of the machine");
                }
                if !reads {
                    self.ask("autostart", format!("`{name}` changes what starts by itself"));
                }
            }
            "gsettings" | "dconf" | "kwriteconfig5" | "kwriteconfig6" | "xfconf-query" | "gconftool-2" => {
                let verb = look.text(1);
                let reads = verb.starts_with("list")
                    || matches!(
                        verb,
                        "" | "get" | "read" | "dump" | "range" | "describe" | "monitor" | "watch" | "-l" | "writable"
                    );
                if !reads {
                    self.ask(
                        "system setting",
                        format!("`{name}` changes settings of the desktop, some of which start programs"),
                    );
                }
            }
            "update-alternatives"
            | "ldconfig"
            | "depmod"
            | "modprobe"
            | "insmod"
            | "rmmod"
            | "iptables"
            | "nft"
            | "ufw"
            | "ip6tables"
            | "firewall-cmd"
            | "systemd-sysusers"
            | "grub-install"
            | "update-grub"
            | "update-initramfs"
            | "efibootmgr" => {
                self.ask("system setting", format!("`{name}` changes the system"));
            }
            _ => return self.by_table(look, state),
        }
        true
    }

    fn by_table(&mut self, look: &mut Look, state: &State) -> bool {
        let mut is_known = false;
        if let Some((_, shorts, longs)) = OPTION_WRITES.iter().find(|(name, _, _)| *name == look.name) {
            is_known = true;
            self.option_writes(look, shorts, longs, state);
        }
        if let Some(writer) = WRITERS.iter().find(|writer| writer.name == look.name) {
            is_known = true;
            self.operands(look, writer, state);
        }
        if is_known && super::programs::is_harmless(&look.name) {
            look.care = super::Care::Harmless;
        }
        look.names_only |= is_known && super::programs::takes_names(&look.name);
        is_known
    }

    pub(super) fn option_writes(
        &mut self,
        look: &mut Look,
        shorts: &'static str,
        longs: &'static [&'static str],
        state: &State,
    ) {
        let parsed = look.parse(&Grammar::new(shorts, longs));
        for option in parsed.options {
            let is_wanted = if option.is_long {
                longs
                    .iter()
                    .any(|name| name.starts_with(&option.name) && (option.name.len() > 1 || *name == option.name))
            } else {
                shorts.contains(&option.name)
            };
            if is_wanted && let Some(value) = option.value {
                self.writes_aside(look, &value, state);
            }
        }
    }

    fn operands(&mut self, look: &mut Look, writer: &Writer, state: &State) {
        let parsed = look.parse(&writer.grammar);
        let to_screen = parsed.has('c', "stdout")
            && ["gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz"].contains(&writer.name)
            || parsed.has('t', "test") && writer.name.contains('z');
        if to_screen {
            return;
        }
        let folder = self.target_folder(look, &parsed, state);
        match writer.target {
            Target::All => {
                for at in &parsed.operands {
                    let arg = look.args.get(*at).cloned().unwrap_or_default();
                    self.writes_purposely(look, &arg, state);
                }
            }
            Target::Last | Target::Moved => {
                let skipped = usize::from(matches!(writer.target, Target::Last) && !folder);
                let wanted = match writer.target {
                    Target::Moved => parsed.operands.as_slice(),
                    _ if skipped == 1 => parsed
                        .operands
                        .len()
                        .checked_sub(1)
                        .and_then(|from| parsed.operands.get(from..))
                        .unwrap_or_default(),
                    _ => &[],
                };
                for at in wanted {
                    let arg = look.args.get(*at).cloned().unwrap_or_default();
                    self.writes_purposely(look, &arg, state);
                }
                if !folder {
                    self.fills_folder(look, &parsed, state);
                }
            }
            Target::Second => {
                if let Some(at) = parsed.operands.get(1) {
                    let arg = look.args.get(*at).cloned().unwrap_or_default();
                    self.writes_aside(look, &arg, state);
                }
            }
        }
    }

    /// `cp x dir` writes `dir/x`: the file that results may be guarded where the folder is not.
    fn fills_folder(&mut self, look: &mut Look, parsed: &Parsed, state: &State) {
        let Some((last, sources)) = parsed.operands.split_last() else { return };
        let Some(folder) = look.args.get(*last).cloned() else { return };
        for at in sources {
            let source = look.text(*at).to_owned();
            let name = source.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            if name.starts_with('.') && name.len() > 2 {
                let inside = Arg { text: format!("{}/{name}", folder.text), code: None, ..folder.clone() };
                self.writes_purposely(look, &inside, state);
            }
        }
    }

    /// `-t DIR` and `--target-directory`.
    fn target_folder(&mut self, look: &mut Look, parsed: &Parsed, state: &State) -> bool {
        let folders = parsed
            .options
            .iter()
            .filter(|option| option.is('t', "target-directory") && option.name.len() > usize::from(option.is_long))
            .filter_map(|option| option.value.clone())
            .collect::<Vec<_>>();
        let is_copy = ["cp", "gcp", "mv", "gmv", "ln", "gln", "install", "ginstall"].contains(&look.name.as_str());
        if !is_copy {
            return false;
        }
        for folder in &folders {
            self.writes_purposely(look, folder, state);
            for at in &parsed.operands {
                let name = look.text(*at).trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
                let target = Arg { text: format!("{}/{name}", folder.text), code: None, ..folder.clone() };
                self.write(&target, state);
            }
        }
        !folders.is_empty()
    }

    fn tee(&mut self, look: &mut Look, state: &State) {
        look.out = Some(look.stdin.clone());
        let parsed = look.parse(&Grammar::new("", &[]).attached("p"));
        for at in parsed.operands {
            let arg = look.args.get(at).cloned().unwrap_or_default();
            if arg.file.is_none() {
                self.writes_purposely(look, &arg, state);
            }
        }
        if look.stdin == Flow::Network {
            for effect in &look.record.effects {
                if let crate::verdict::Effect::Write { path } = effect {
                    self.downloads.push(path.clone());
                }
            }
        }
    }

    fn link(&mut self, look: &mut Look, state: &mut State) {
        let parsed = look.parse(&Grammar::new("tS", &["target-directory", "suffix"]));
        if self.target_folder(look, &parsed, state) {
            return;
        }
        let (target, place) = match parsed.operands.as_slice() {
            [] => return,
            [only] => {
                let arg = look.args.get(*only).cloned().unwrap_or_default();
                let name = arg.text.rsplit('/').next().unwrap_or_default().to_owned();
                (arg, Arg::literal(name))
            }
            [first, .., last] => {
                (look.args.get(*first).cloned().unwrap_or_default(), look.args.get(*last).cloned().unwrap_or_default())
            }
        };
        self.writes_purposely(look, &place, state);
        let (from, _) = crate::path::resolve(&place.text, state.folder.as_deref(), self.context);
        let (to, _) = crate::path::resolve(&target.text, state.folder.as_deref(), self.context);
        state.links.push((from, to));
    }

    fn install(&mut self, look: &mut Look, state: &State) {
        let parsed = look.parse(
            &Grammar::new("gmotSZ", &["group", "mode", "owner", "target-directory", "suffix", "strip-program"])
                .attached("Z")
                .flags(&["strip"]),
        );
        if parsed.has('\0', "strip-program") {
            self.ask("option that executes", "an option of `install` starts a program");
        }
        for value in parsed.values('m', "mode") {
            if value.text.len() >= 4 && !value.text.starts_with('0') || value.text.contains('s') {
                self.ask("set-user bit", "the mode lets a program run with its owner's identity");
            }
        }
        if self.target_folder(look, &parsed, state) {
            return;
        }
        let wanted = if parsed.has('d', "directory") {
            parsed.operands.as_slice()
        } else {
            parsed.operands.len().checked_sub(1).and_then(|from| parsed.operands.get(from..)).unwrap_or_default()
        };
        for at in wanted {
            let arg = look.args.get(*at).cloned().unwrap_or_default();
            self.writes_purposely(look, &arg, state);
        }
    }

    fn at_operand(&mut self, look: &mut Look, grammar: &Grammar, place: usize, state: &State) {
        let parsed = look.parse(grammar);
        for value in parsed.values('\0', "filter") {
            self.ask("option that executes", "`split --filter` starts a shell");
            look.executes(&value.text);
            self.denied_in_code(&value.text, &look.stdin.clone(), state);
        }
        let arg =
            parsed.operands.get(place).and_then(|at| look.args.get(*at)).cloned().unwrap_or_else(|| Arg::literal("x"));
        self.writes_purposely(look, &arg, state);
    }

    fn patch(&mut self, look: &mut Look, state: &State) {
        let parsed =
            look.parse(&Grammar::new("BdDFgiopUrVYz", &["directory", "output", "reject-file", "input", "strip"]));
        let folder = parsed.values('d', "directory").pop();
        for value in
            [parsed.values('o', "output"), parsed.values('r', "reject-file"), parsed.values('d', "directory")].concat()
        {
            self.writes_purposely(look, &value, state);
        }
        if parsed.operands.is_empty() && folder.is_none() {
            // The patch names the files itself, from here on.
            self.writes_purposely(look, &Arg::literal("."), state);
        }
        if let Some(at) = parsed.operands.first() {
            let arg = look.args.get(*at).cloned().unwrap_or_default();
            let target = match folder {
                Some(folder) if !arg.text.starts_with('/') => {
                    Arg { text: format!("{}/{}", folder.text, arg.text), code: None, ..arg }
                }
                _ => arg,
            };
            self.writes_purposely(look, &target, state);
        }
    }

    /// Options in one dash and a whole word.
    pub(super) fn single_dash(&mut self, look: &mut Look, names: &[&str], state: &State) {
        for at in 1..look.args.len() {
            if names.contains(&look.text(at)) {
                if look.text(at) == "-engine" {
                    self.ask("option that executes", "loads a library");
                } else if let Some(value) = look.args.get(at + 1).cloned() {
                    self.writes_aside(look, &value, state);
                }
            }
        }
        if look.name == "openssl" && matches!(look.text(1), "s_client" | "s_server") {
            look.out = Some(Flow::Network);
            self.ask("network", "`openssl` opens a connection that carries anything");
        }
    }

    fn key_generation(&mut self, look: &mut Look, state: &State) {
        let parsed = look.parse(&Grammar::new("abCDEefFIJKmMNnOPRrsStTVWwYzZ", &[]));
        let reads = parsed.has_short("lyBFHQLDei") && !parsed.has_short("R");
        if parsed.has_short("Dw") {
            self.ask("option that executes", "an option of `ssh-keygen` loads a library");
        }
        let files = parsed.values('f', "");
        if !reads {
            if files.is_empty() {
                self.writes_aside(look, &Arg::literal("~/.ssh/id_ed25519"), state);
            }
            for value in files {
                self.writes_aside(look, &value, state);
            }
        }
    }

    /// What a compiler makes is what it is for; programs and plug-ins that its options name are not.
    fn compiler(&mut self, look: &mut Look, state: &State) {
        for at in 1..look.args.len() {
            let text = look.text(at).to_owned();
            if text == "-o" {
                if let Some(target) = look.args.get(at + 1).cloned() {
                    self.writes_purposely(look, &target, state);
                }
            } else if text.starts_with("-o") && text.len() > 2 {
                let target = look.args.get(at).map(|arg| arg.tail(2)).unwrap_or_default();
                self.writes_purposely(look, &target, state);
            }
            let runs =
                ["-wrapper", "-B", "-fplugin", "-specs", "--specs", "-Xclang", "-load", "@", "-fuse-ld=/", "--config"]
                    .iter()
                    .any(|name| text.starts_with(name));
            if runs {
                self.ask(
                    "option that executes",
                    format!("the option `{text}` of `{}` starts or loads what it names", look.name),
                );
                let code = look.text(at + 1).replace(',', " ");
                self.denied_in_code(&code, &Flow::Nothing, state);
            }
        }
    }

    fn system_setting(&mut self, look: &Look) {
        let parsed = look.parse(
            &Grammar::new("dfrsFbHMp", &["date", "file", "reference", "set", "host", "machine", "property"])
                .attached("I"),
        );
        let sets = match look.name.as_str() {
            "hostname" => !parsed.operands.is_empty() || parsed.has('F', "file"),
            "date" => parsed.has('s', "set") || parsed.operands.iter().any(|at| !look.text(*at).starts_with('+')),
            "sysctl" => parsed.has_short("wp") || look.args.iter().any(|arg| arg.text.contains('=')),
            _ => parsed.operands.first().is_some_and(|at| look.text(*at).starts_with("set")),
        };
        if sets {
            self.ask("system setting", format!("`{}` changes the system", look.name));
        }
    }
}
