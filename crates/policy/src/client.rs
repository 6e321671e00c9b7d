//! What a client's own tool is about to do, judged for its hook by the same policy as a command of the worker.

use crate::allow_list::AllowList;
use crate::context::Context;
use crate::decide::{UNLISTED, decide};
use crate::expand::quote;
use crate::verdict::{Decision, Effect, Verdict};

/// A longer command is none that anybody reads, and none that is judged.
const MOST_COMMAND: usize = 200_000;

/// What a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed<'d> {
    /// Runs a command line.
    Command(&'d str),
    /// Shows a file.
    Read(&'d str),
    /// Looks through a file or a folder and shows lines of what it finds.
    Search(&'d str),
    /// Makes, changes or removes a file.
    Write(&'d str),
}

/// Judges a deed. The decision is for the hook: `Allow` leaves it to the client's own rules, and says no yes.
///
/// Where the hook cannot ask (`can_ask`), what would show a credential or cannot be read is refused.
pub fn decide_for_client(deed: Deed<'_>, list: &AllowList, context: &Context<'_>, can_ask: bool) -> (Decision, String) {
    let none = AllowList::default();
    match deed {
        Deed::Command(command) if command.trim().is_empty() => (Decision::Allow, String::new()),
        Deed::Command(command) if command.len() > MOST_COMMAND => {
            let decision = if can_ask { Decision::Ask } else { Decision::Deny };
            (decision, format!("the command has {} bytes, which is too long to be judged", command.len()))
        }
        Deed::Command(command) => {
            let verdict = decide(command, list, context);
            match verdict.decision {
                Decision::Ask if reads_private(&verdict) => {
                    let reason = format!(
                        "{} Credentials would reach the model; local_llm_delegate(paths=[…]) reads them here and hands \
                         back a scrubbed answer.",
                        verdict.reason
                    );
                    (if can_ask { Decision::Ask } else { Decision::Deny }, reason)
                }
                // What is merely on no list stays with the client's own rules, which ask in their own way.
                Decision::Ask if verdict.rule == UNLISTED => (Decision::Allow, String::new()),
                decision => (decision, verdict.reason),
            }
        }
        Deed::Read(path) | Deed::Search(path) => {
            // Reading a file is what the program that prints files does.
            let program = if matches!(deed, Deed::Read(_)) { "cat" } else { "grep -r -e x" };
            if !reads_private(&decide(&format!("{program} -- {}", quote(path)), &none, context)) {
                return (Decision::Allow, String::new());
            }
            let reason = format!(
                "`{path}` is private. Ask the worker about it with local_llm_delegate(paths=[…]), which hands back a \
                 scrubbed answer, or let the user read it."
            );
            (Decision::Deny, reason)
        }
        Deed::Write(path) => {
            // Where a client writes is its own affair; what is protected and what starts up is not.
            let anywhere = AllowList::parse("> /**").unwrap_or_default();
            let verdict = decide(&format!(": > {}", quote(path)), &anywhere, context);
            match verdict.decision {
                Decision::Ask if verdict.rule == UNLISTED => (Decision::Allow, String::new()),
                decision => (decision, verdict.reason),
            }
        }
    }
}

fn reads_private(verdict: &Verdict) -> bool {
    let mut effects = verdict.commands.iter().flat_map(|command| &command.effects);
    effects.any(|effect| matches!(effect, Effect::ReadPrivate { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decision(deed: Deed<'_>, can_ask: bool) -> Decision {
        let context = Context::new("/srv/shop", "/home/user");
        decide_for_client(deed, &AllowList::default(), &context, can_ask).0
    }

    #[test]
    fn what_would_show_a_credential_is_refused_where_nobody_can_be_asked() {
        let key = "/home/user/.ssh/id_rsa";
        for can_ask in [true, false] {
            assert_eq!(decision(Deed::Read(key), can_ask), Decision::Deny);
            assert_eq!(decision(Deed::Search(key), can_ask), Decision::Deny);
            assert_eq!(decision(Deed::Search("/home/user/.ssh"), can_ask), Decision::Deny);
            assert_eq!(decision(Deed::Read("README.md"), can_ask), Decision::Allow);
            assert_eq!(decision(Deed::Search("."), can_ask), Decision::Allow);
            assert_eq!(decision(Deed::Command("cmake --version"), can_ask), Decision::Allow);
            assert_eq!(decision(Deed::Command("sudo id"), can_ask), Decision::Deny);
        }
        let reading = Deed::Command("cat ~/.ssh/id_rsa");
        assert_eq!((decision(reading, true), decision(reading, false)), (Decision::Ask, Decision::Deny));
        let long = format!("sudo id # {}", "a".repeat(MOST_COMMAND));
        let long = Deed::Command(&long);
        assert_eq!((decision(long, true), decision(long, false)), (Decision::Ask, Decision::Deny));
    }

    #[test]
    fn protected_paths_are_not_written_by_a_tool_either() {
        for path in ["/home/user/.ssh/authorized_keys", "/etc/passwd", "/home/user/.claude/settings.json"] {
            assert_eq!(decision(Deed::Write(path), true), Decision::Deny, "{path}");
        }
        assert_eq!(decision(Deed::Write("/home/user/.bashrc"), true), Decision::Ask);
        assert_eq!(decision(Deed::Write("src/main.rs"), true), Decision::Allow);
        assert_eq!(decision(Deed::Write("/srv/other/it's.txt"), true), Decision::Allow);
    }
}
