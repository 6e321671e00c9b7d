//! Archives: where they unpack, what they write, and the options that start programs.

use super::{Look, Walker};
use crate::arg::{Arg, Flow};
use crate::options::Grammar;
use crate::walk::state::State;

const TAR: Grammar = Grammar::new(
    "bCfFgHIKLNTVX",
    &[
        "directory",
        "file",
        "info-script",
        "new-volume-script",
        "use-compress-program",
        "to-command",
        "checkpoint-action",
        "rsh-command",
        "rmt-command",
        "files-from",
        "exclude",
        "exclude-from",
        "transform",
        "xform",
        "owner",
        "group",
        "mode",
        "mtime",
        "listed-incremental",
        "strip-components",
        "blocking-factor",
        "newer",
        "starting-file",
        "suffix",
        "record-size",
        "tape-length",
        "index-file",
        "label",
        "format",
        "sort",
        "volno-file",
        "pax-option",
        "quoting-style",
    ],
)
.flags(&["checkpoint", "list"]);

/// Long options of `tar` whose value is a program or a command.
const TAR_RUNS: &[&str] = &[
    "info-script",
    "new-volume-script",
    "use-compress-program",
    "to-command",
    "checkpoint-action",
    "rsh-command",
    "rmt-command",
];

impl Walker<'_> {
    pub(super) fn archive(&mut self, look: &mut Look, state: &State) {
        match look.name.as_str() {
            "tar" | "gtar" | "bsdtar" => self.tar(look, state),
            "unzip" | "unar" | "cabextract" | "unsquashfs" | "funzip" => {
                let parsed = look.parse(&Grammar::new("dPxo", &["output-directory", "directory", "dest"]));
                let reads = parsed.has_short("ltvZpc") || parsed.has('p', "pipe");
                for value in [
                    parsed.values('d', "directory"),
                    parsed.values('o', "output-directory"),
                    parsed.values('\0', "dest"),
                ]
                .concat()
                {
                    self.unpacks_into(look, &value, state);
                }
                if !reads && look.record.effects.is_empty() {
                    self.unpacks_into(look, &Arg::literal("."), state);
                }
            }
            "zip" => {
                let parsed = look.parse(&Grammar::new(
                    "bntxiPsO",
                    &["unzip-command", "output-file", "temp-path", "exclude", "include", "password"],
                ));
                if parsed
                    .options
                    .iter()
                    .any(|option| option.is('\0', "unzip-command") && option.name.len() > 2 || option.name == "TT")
                    || has_test_command(look)
                {
                    self.ask("option that executes", "`zip` would start a program to test its archive");
                    for at in 1..look.args.len() {
                        let text = look.text(at).to_owned();
                        self.denied_in_code(&text, &Flow::Nothing, state);
                    }
                }
                if parsed.has('m', "move") {
                    self.ask("removes files", "`zip -m` removes what it packs");
                }
                if let Some(at) = parsed.operands.first() {
                    let arg = look.args.get(*at).cloned().unwrap_or_default();
                    self.writes_purposely(look, &arg, state);
                }
                for value in parsed.values('O', "output-file") {
                    self.writes_purposely(look, &value, state);
                }
            }
            "7z" | "7za" | "7zr" | "7zz" | "rar" | "unrar" => self.seven(look, state),
            "cpio" | "pax" => {
                let parsed =
                    look.parse(&Grammar::new("CDEFHIMORbfopstBx", &["directory", "file", "format", "rsh-command"]));
                if parsed.options.iter().any(|option| option.is_long && option.name.starts_with("rsh")) {
                    self.ask("option that executes", "an option of the archiver starts a program");
                }
                let folders = [parsed.values('D', "directory"), parsed.values('O', "file")].concat();
                for value in folders {
                    self.writes_purposely(look, &value, state);
                }
                if look.name == "pax"
                    && parsed.has_short("r")
                    && let Some(at) = parsed.operands.last()
                {
                    let arg = look.args.get(*at).cloned().unwrap_or_default();
                    self.writes_purposely(look, &arg, state);
                }
            }
            "ar" | "jar" => {
                for value in look.parse(&Grammar::new("", &["output"])).values('\0', "output") {
                    self.writes_purposely(look, &value, state);
                }
                let file = look.args.iter().skip(2).find(|arg| !arg.text.starts_with('-')).cloned();
                if !look.text(1).contains('t')
                    && let Some(file) = file
                {
                    self.writes_purposely(look, &file, state);
                }
            }
            _ => {
                let parsed = look.parse(&Grammar::new("oTDM", &["output-dir-flat"]));
                for value in parsed.values('o', "") {
                    self.writes_purposely(look, &value, state);
                }
                if look.name == "dpkg-deb" {
                    for at in parsed.operands.iter().skip(1) {
                        let arg = look.args.get(*at).cloned().unwrap_or_default();
                        self.writes_purposely(look, &arg, state);
                    }
                }
            }
        }
    }

    /// An archive brings names of its own: into a home folder it could bring what starts by itself.
    pub(in crate::judge) fn unpacks_into(&mut self, look: &mut Look, folder: &Arg, state: &State) {
        self.writes_purposely(look, folder, state);
        let (path, _) = crate::path::resolve(&folder.text, state.folder.as_deref(), self.context);
        let is_home = self.context.home.as_deref().is_some_and(|home| home.trim_end_matches('/') == path);
        if is_home && self.context.working_folder.as_deref() != Some(path.as_str()) {
            self.ask("start-up file", "the archive could hold files that start by themselves");
        }
    }

    fn tar(&mut self, look: &mut Look, state: &State) {
        // The first word may be a bundle without its dash.
        let mut args = look.args.clone();
        if let Some(first) = args.get_mut(1)
            && !first.text.starts_with('-')
            && first.text.len() < 12
            && first.text.chars().all(|next| next.is_ascii_alphabetic())
            && first.text.contains(['c', 'x', 't', 'r', 'u', 'A'])
            && let Some(spread) = old_style(&args)
        {
            args = spread;
        }
        let parsed = crate::options::parse(&args, &TAR);
        for option in &parsed.options {
            let runs = if option.is_long {
                TAR_RUNS.iter().any(|name| name.starts_with(&option.name) && option.name.len() > 1)
            } else {
                option.name == "I" || option.name == "F"
            };
            if runs {
                let value = option.value.clone().unwrap_or_default();
                let code = value.text.strip_prefix("exec=").unwrap_or(&value.text).to_owned();
                let is_action = option.is_long && option.name.starts_with("checkpoint-a");
                if is_action && !value.text.starts_with("exec") {
                    continue;
                }
                let is_packer = ["zstd", "pigz", "pbzip2", "pixz", "lz4", "gzip", "xz", "bzip2", "lzip", "lzop"]
                    .contains(&code.split(' ').next().unwrap_or_default());
                if is_packer && (option.name == "I" || option.name.starts_with("use")) {
                    continue;
                }
                self.ask(
                    "option that executes",
                    format!("an option of `tar` starts `{}`", crate::arg::line(&[Arg::literal(code.clone())])),
                );
                look.executes(&code);
                self.denied_in_code(&code, &Flow::Nothing, state);
            }
            if option.is_long
                && (option.name.starts_with("index") || option.name.starts_with("volno"))
                && let Some(target) = &option.value
            {
                self.writes_aside(look, target, state);
            }
            if option.is_long && option.name.starts_with("remove-f") {
                self.ask("removes files", "`tar --remove-files` removes what it packs");
            }
            if option.is('P', "absolute-names") && option.name.len() != 2 {
                // A bundle without its dash has been taken apart.
                let word = args.get(option.at).map(|arg| arg.text.as_str()).unwrap_or_default();
                look.must_spell(look.args.iter().position(|arg| arg.text == word).unwrap_or(1));
            }
        }
        let packs = parsed.has('c', "create")
            || parsed.has_short("ruA")
            || parsed.has('\0', "append")
            || parsed.has('\0', "update");
        let unpacks = parsed.options.iter().any(|option| option.is('x', "extract") || option.is('\0', "get"));
        let folders = parsed.values('C', "directory");
        if unpacks && !parsed.has('O', "to-stdout") {
            if folders.is_empty() {
                self.unpacks_into(look, &Arg::literal("."), state);
            }
            for folder in folders.iter().chain(&parsed.values('\0', "one-top-level")) {
                self.unpacks_into(look, folder, state);
            }
        }
        if packs {
            for file in parsed.values('f', "file") {
                if is_remote(&file.text) {
                    self.ask("option that executes", "`tar` would start a remote shell for its archive");
                } else if file.text != "-" {
                    self.writes_purposely(look, &file, state);
                }
            }
        } else if parsed.values('f', "file").iter().any(|file| is_remote(&file.text)) {
            self.ask("option that executes", "`tar` would start a remote shell for its archive");
        }
    }

    fn seven(&mut self, look: &mut Look, state: &State) {
        let verb = look.text(1).to_owned();
        let operands: Vec<usize> = (2..look.args.len()).filter(|at| !look.text(*at).starts_with('-')).collect();
        let folder =
            look.args.iter().find(|arg| arg.text.starts_with("-o") && arg.text.len() > 2).map(|arg| arg.tail(2));
        match verb.as_str() {
            "x" | "e" => match folder {
                Some(folder) => self.writes_purposely(look, &folder, state),
                None => {
                    let target = if look.name.contains("rar") {
                        operands.get(1).and_then(|at| look.args.get(*at)).cloned()
                    } else {
                        None
                    };
                    self.writes_purposely(look, &target.unwrap_or_else(|| Arg::literal(".")), state);
                }
            },
            "l" | "t" | "i" | "h" | "lb" | "vt" => {}
            _ => {
                if let Some(at) = operands.first() {
                    let arg = look.args.get(*at).cloned().unwrap_or_default();
                    self.writes_purposely(look, &arg, state);
                }
                if look.args.iter().any(|arg| arg.text == "-sdel") {
                    self.ask("removes files", "the archiver removes what it packs");
                }
            }
        }
        if !verb.is_empty() {
            look.set_head(&[1]);
        }
    }
}

fn is_remote(text: &str) -> bool {
    text.split_once(':').is_some_and(|(host, _)| !host.is_empty() && !host.contains('/'))
}

/// `tar xfC a.tar /etc` as `tar -x -f a.tar -C /etc`.
fn old_style(args: &[Arg]) -> Option<Vec<Arg>> {
    let bundle = args.get(1)?;
    let mut spread = vec![args.first()?.clone()];
    let mut next = 2;
    for letter in bundle.text.chars() {
        spread.push(Arg::literal(format!("-{letter}")));
        if TAR.values.contains(letter) {
            spread.push(args.get(next)?.clone());
            next += 1;
        }
    }
    spread.extend(args.get(next..).unwrap_or_default().iter().cloned());
    Some(spread)
}

fn has_test_command(look: &Look) -> bool {
    look.args
        .iter()
        .any(|arg| arg.text == "-TT" || arg.text.starts_with("-TT=") || arg.text.starts_with("--unzip-command"))
}
