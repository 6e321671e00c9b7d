//! Removing and changing whole trees, and shredding.

use super::{Look, Walker};
use crate::options::Grammar;
use crate::walk::state::State;

const CHMOD: Grammar = Grammar::new("", &["reference", "from"]);

impl Walker<'_> {
    /// `rm`, `chmod` and their like.
    pub(super) fn removal(&mut self, look: &mut Look, state: &mut State) -> bool {
        let name = look.name.clone();
        match name.as_str() {
            "rm" | "grm" | "unlink" | "rmdir" | "trash" | "trash-put" | "gio-trash" => self.rm(look, state),
            "rimraf" | "rmtree" | "rmrf" | "del-cli" => {
                self.deny("recursive rm", format!("`{name}` removes whole trees"));
            }
            "chmod" | "chown" | "chgrp" | "gchmod" | "gchown" | "gchgrp" => self.change_mode(look, state),
            "setfacl" | "chattr" | "chcon" | "restorecon" | "xattr" | "chflags" => {
                let parsed = look.parse(&Grammar::new("mMxXnuljfvtr", &["modify", "remove", "set", "restore"]));
                if parsed.has('R', "recursive") {
                    self.ask("recursive change", format!("`{name}` changes a whole tree"));
                }
                for at in parsed.operands {
                    if let Some(arg) = look.args.get(at).cloned() {
                        self.writes_purposely(look, &arg, state);
                    }
                }
            }
            "shred" | "srm" | "wipe" | "scrub" | "sfill" | "bcwipe" | "sdelete" | "sdelete64" => {
                self.deny("shred", format!("`{name}` destroys what it is given"));
            }
            _ => return false,
        }
        true
    }

    fn rm(&mut self, look: &mut Look, state: &State) {
        look.names_only = true;
        let parsed = look.parse(&Grammar::new("", &[]));
        let old_style = look.name == "rmdir" && look.args.iter().any(|arg| arg.text.eq_ignore_ascii_case("/s"));
        if parsed.has('r', "recursive") || parsed.has_short("R") || old_style {
            self.deny("recursive rm", "removes a whole tree");
        }
        let hidden = look.args.iter().any(|arg| arg.is_glob && arg.text.starts_with('-') && !parsed.has_end);
        if hidden {
            self.ask("pattern as option", "an option of `rm` is a file name pattern");
        }
        for at in parsed.operands {
            if let Some(arg) = look.args.get(at).cloned() {
                self.writes_purposely(look, &arg, state);
            }
        }
    }

    fn change_mode(&mut self, look: &mut Look, state: &State) {
        look.names_only = true;
        let parsed = look.parse(&CHMOD);
        let name = look.name.trim_start_matches('g').to_owned();
        let rule = match name.as_str() {
            "chown" => "recursive chown",
            "chgrp" => "recursive chgrp",
            _ => "recursive chmod",
        };
        if parsed.has_short("R")
            || parsed
                .options
                .iter()
                .any(|option| option.is_long && option.name.len() > 2 && option.is('\0', "recursive"))
        {
            self.deny(rule, format!("`{}` changes a whole tree", look.name));
        }
        let has_mode_option = parsed.options.iter().any(|option| !option.is_long && "rwxXst".contains(&option.name));
        let skipped = usize::from(!has_mode_option && !parsed.has('\0', "reference"));
        let mode = parsed.operands.first().map(|at| look.text(*at).to_owned()).unwrap_or_default();
        if name == "chmod" && sets_identity(&mode) {
            self.ask("set-user bit", "the mode lets a program run with its owner's identity");
        }
        for at in parsed.operands.iter().skip(skipped) {
            if let Some(arg) = look.args.get(*at).cloned() {
                self.writes_purposely(look, &arg, state);
            }
        }
    }
}

fn sets_identity(mode: &str) -> bool {
    let is_octal = mode.len() >= 4 && mode.bytes().all(|byte| byte.is_ascii_digit());
    if is_octal {
        let digit = mode.as_bytes().get(mode.len() - 4).copied().unwrap_or(b'0');
        return matches!(digit, b'2'..=b'7');
    }
    mode.split(',').any(|part| part.split_once(['+', '=']).is_some_and(|(_, rights)| rights.contains('s')))
}
