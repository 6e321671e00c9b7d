//! `guard/judge`: a client's own shell command or use of a file, judged by the same policy before it happens.

use std::path::PathBuf;

use lwa_policy::{AllowList, Deed, decide_for_client};
use lwa_protocol::Failure;
use lwa_protocol::worker::{GuardParams, GuardVerdict, PathUse};

use super::command::{system_files, word_of};
use crate::engine::Engine;

/// Clients whose hooks stop or say nothing; the others hand a question on to their user.
const CANNOT_ASK: [&str; 1] = ["codex"];

impl Engine {
    /// `guard/judge`. An `ask` is the client's own question to its user.
    ///
    /// # Errors
    /// The database failed.
    pub async fn judge_for_guard(&self, params: &GuardParams) -> Result<GuardVerdict, Failure> {
        let folder = params.call.cwd.as_deref().map(PathBuf::from);
        let config = self.configuration.in_force().worker_for(&params.client, folder.as_deref());
        let folder = folder.or_else(std::env::home_dir).unwrap_or_else(|| PathBuf::from("/"));
        // It is the client's own shell that runs this, with the variables that it has.
        let variables = params.call.environment.clone();
        let own = || std::env::var("PATH").unwrap_or_default();
        let files = system_files(&variables.get("PATH").cloned().unwrap_or_else(own));
        let home = variables.get("HOME").map(PathBuf::from).or_else(std::env::home_dir);
        let mut context = self.policy_context(&folder, variables, home.as_deref());
        context.files = Some(&files);
        let (deed, list) = match (params.path.as_deref(), params.path_use) {
            (Some(path), PathUse::Read) => (Deed::Read(path), AllowList::default()),
            (Some(path), PathUse::Search) => (Deed::Search(path), AllowList::default()),
            (Some(path), PathUse::Write) => (Deed::Write(path), AllowList::default()),
            (None, _) => {
                let command = params.command.as_deref().unwrap_or_default();
                (Deed::Command(command), self.allow_list(&config, &[]).await?.list)
            }
        };
        let can_ask = !CANNOT_ASK.contains(&params.client.as_str());
        let (decision, reason) = decide_for_client(deed, &list, &context, can_ask);
        Ok(GuardVerdict { decision: word_of(decision).to_owned(), reason })
    }
}
