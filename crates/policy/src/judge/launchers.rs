//! Programs that are not known but start another one, which shows in how their words stand.

use super::{Look, Walker};
use crate::arg::{Arg, Flow, UNKNOWN};
use crate::walk::state::State;

/// Verbs behind which a program stands.
const VERBS: &[&str] = &["exec", "x", "shell", "cmd", "run-command", "environment", "time-machine", "dlx", "rsh"];

/// Options whose value is a command.
const CODE: &[&str] = &["-c", "--command", "--cmd", "--exec", "-e", "-x", "--execute", "--call", "--run"];

/// Programs that tell about the programs their words name.
const TELLS: &[&str] =
    &["whatis", "apropos", "info", "tldr", "cheat", "help", "dpkg", "rpm", "apt-cache", "equery", "pkg-config", "ldd"];

/// How many words in front of a program are looked at.
const REACH: usize = 12;

impl Walker<'_> {
    /// Looks for deny shapes where a launcher has its program: first of all words, behind a verb, behind `--`, or whole in
    /// one word behind an option.
    pub(super) fn launched(&mut self, look: &Look, state: &State) {
        // `yarn workspace NAME exec …` has its verb behind the name.
        let mut verbs: usize = if look.args.iter().take(3).any(|arg| arg.text == "workspace") { 3 } else { 1 };
        let is_script = look.text(0).contains('/');
        if is_script || TELLS.contains(&look.name.as_str()) {
            return;
        }
        let mut starts: Vec<usize> = Vec::new();
        let mut is_first = true;
        for at in 1..look.args.len().min(REACH) {
            let text = look.text(at);
            if text == "--" {
                starts.push(at + 1);
                break;
            }
            if let Some(code) = code_of_option(look, at) {
                self.denied_in_code(&code, &Flow::Nothing, state);
                continue;
            }
            if CODE.contains(&text) {
                starts.push(at + 1);
            }
            if text.starts_with('-') {
                continue;
            }
            let may_be_verb = verbs > 0;
            verbs = verbs.saturating_sub(1);
            if may_be_verb && (VERBS.contains(&text) || text == "run") {
                starts.extend(behind(look, at));
                verbs = 0;
                is_first = false;
            } else if is_first {
                is_first = false;
                let changes_identity =
                    ["sudo", "doas", "pkexec", "run0", "sudoedit"].contains(&super::base_name(text).as_str());
                if changes_identity && at + 1 < look.args.len() {
                    starts.push(at);
                }
            }
        }
        starts.sort_unstable();
        starts.dedup();
        for at in starts {
            let code = look.text(at).replace(UNKNOWN, "x");
            if code.contains(' ') {
                self.denied_in_code(&code, &Flow::Nothing, state);
            }
            let words: Vec<Arg> = look.from(at).into_iter().take(64).collect();
            self.denied_inside(words, &look.stdin.clone(), state);
        }
    }
}

/// The words behind a verb that may be its program: the next ones that are no options.
fn behind(look: &Look, verb: usize) -> Vec<usize> {
    (verb + 1..look.args.len()).filter(|at| !look.text(*at).starts_with('-')).take(2).collect()
}

/// A whole command in the value of an option.
fn code_of_option(look: &Look, at: usize) -> Option<String> {
    let text = look.text(at);
    let attached = text.split_once('=').filter(|(name, _)| CODE.contains(name)).map(|(_, code)| code);
    let next = attached.is_none() && at > 1 && CODE.contains(&look.text(at - 1)) && text.contains(' ');
    attached.or(next.then_some(text)).map(|code| code.replace(UNKNOWN, "x"))
}
