//! `guard/judge`: a client's own shell command or file read, judged by the same policy before it happens.

use std::path::PathBuf;

use lwa_policy::{AllowList, Decision, Effect, Verdict};
use lwa_protocol::Failure;
use lwa_protocol::worker::{GuardParams, GuardVerdict};

use super::command::{system_files, word_of};
use crate::engine::Engine;

impl Engine {
    /// `guard/judge`. An `ask` is the client's own question to its user.
    ///
    /// # Errors
    /// The database failed.
    pub async fn judge_for_guard(&self, params: &GuardParams) -> Result<GuardVerdict, Failure> {
        let folder = params.call.cwd.as_deref().map(PathBuf::from);
        let config = self.configuration.in_force().worker_for(&params.client, folder.as_deref());
        let folder = folder.or_else(std::env::home_dir).unwrap_or_else(|| PathBuf::from("/"));
        let files = system_files(&params.call.environment);
        let mut context = self.policy_context(&folder, &params.call.environment);
        context.files = Some(&files);
        if let Some(path) = &params.path {
            // Reading it is what the program that prints files does.
            let reading = format!("cat -- {}", lwa_policy::quote(path));
            let verdict = lwa_policy::decide(&reading, &AllowList::default(), &context);
            return Ok(if reads_private(&verdict) {
                GuardVerdict {
                    decision: "deny".to_owned(),
                    reason: format!(
                        "`{path}` is private. Ask the worker about it with local_llm_delegate(paths=[…]), which hands back \
                         a scrubbed answer, or let the user read it."
                    ),
                }
            } else {
                allowed()
            });
        }
        let Some(command) = params.command.as_deref().filter(|command| !command.trim().is_empty()) else {
            return Ok(allowed());
        };
        let listed = self.allow_list(&config, &[]).await?;
        let verdict = lwa_policy::decide(command, &listed.list, &context);
        Ok(match verdict.decision {
            Decision::Allow => allowed(),
            Decision::Ask if reads_private(&verdict) => GuardVerdict {
                decision: "ask".to_owned(),
                reason: format!(
                    "{} Credentials would reach the model; local_llm_delegate reads them here and hands back a scrubbed \
                     answer.",
                    verdict.reason
                ),
            },
            // What is merely on no list stays with the client's own rules, which ask in their own way.
            Decision::Ask if verdict.rule == lwa_policy::UNLISTED => allowed(),
            Decision::Ask => GuardVerdict { decision: word_of(Decision::Ask).to_owned(), reason: verdict.reason },
            Decision::Deny => GuardVerdict { decision: word_of(Decision::Deny).to_owned(), reason: verdict.reason },
        })
    }
}

fn reads_private(verdict: &Verdict) -> bool {
    let mut effects = verdict.commands.iter().flat_map(|command| &command.effects);
    effects.any(|effect| matches!(effect, Effect::ReadPrivate { .. }))
}

fn allowed() -> GuardVerdict {
    GuardVerdict { decision: "allow".to_owned(), reason: String::new() }
}
