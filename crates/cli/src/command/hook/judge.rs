//! `lwa hook guard`: the command policy over a client's own shell. It never says yes: what the policy has nothing against
//! stays with the client's own rules.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lwa_policy::{AllowList, Context, Decision, Effect, SystemFiles, Verdict, decide};
use lwa_protocol::method::GuardJudge;
use lwa_protocol::worker::{GuardParams, GuardVerdict, WorkerCall};
use serde_json::{Value, json};

use super::payload::{self, CODEX, Deed};
use super::read_payload;
use crate::face;
use crate::output::Output;

/// How long the host may take; after it the policy is asked here.
const HOST_LIMIT: Duration = Duration::from_secs(2);
/// How long a client may take to hand its JSON over.
const INPUT_LIMIT: Duration = Duration::from_secs(1);
/// The exit code with which a hook stops what it was asked about.
const STOPS: u8 = 2;
/// Variables that a command line may name and that hold no secret.
const VARIABLES: [&str; 5] = ["HOME", "LANG", "PATH", "TMPDIR", "USER"];

/// Judges what stdin tells of. Gives the exit code.
pub(super) async fn judge(named: Option<&str>, output: Output) -> u8 {
    let Some(payload) = read_payload(INPUT_LIMIT) else {
        // What cannot be read is not waved through where the client can ask its user.
        let verdict = verdict("ask", "the hook's input cannot be read");
        return answer(payload::client(named, &Value::Null), &verdict, output);
    };
    let client = payload::client(named, &payload);
    let (command, path) = match payload::deed(&payload) {
        Deed::Command(line) => (Some(line), None),
        Deed::Read(path) => (None, Some(path)),
        Deed::Other => return 0,
    };
    let folder = payload::path(&payload, "cwd").map(PathBuf::from).or_else(|| std::env::current_dir().ok());
    let folder = folder.unwrap_or_else(|| PathBuf::from("/"));
    let params = GuardParams {
        call: WorkerCall {
            cwd: Some(folder.to_string_lossy().into_owned()),
            environment: variables(),
            ..WorkerCall::default()
        },
        client: client.to_owned(),
        command,
        path,
    };
    let asked = async {
        let host = face::running_host().await.ok().flatten()?;
        face::call_on::<GuardJudge>(&host, params.clone()).await.ok()
    };
    let verdict = match tokio::time::timeout(HOST_LIMIT, asked).await {
        Ok(Some(verdict)) => verdict,
        _ => judge_here(&params, &folder),
    };
    answer(client, &verdict, output)
}

fn answer(client: &str, verdict: &GuardVerdict, output: Output) -> u8 {
    let is_denied = match verdict.decision.as_str() {
        "deny" => true,
        "ask" => false,
        _ => return 0,
    };
    let reason = format!("Lwa's command policy: {}", verdict.reason);
    if client == CODEX {
        // Codex's hooks stop or say nothing; the question is its own.
        if is_denied {
            output.note(&reason);
            return STOPS;
        }
        return 0;
    }
    let answer = json!({
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": verdict.decision,
            "permissionDecisionReason": reason,
        }
    });
    output.line(&answer.to_string());
    0
}

/// The same judgement without a host: with the human's own list, and none of a session's.
fn judge_here(params: &GuardParams, folder: &Path) -> GuardVerdict {
    let home = face::home().ok();
    let list = home.as_ref().and_then(|home| AllowList::read(&home.run_allow_file()).ok()).unwrap_or_default();
    let files = SystemFiles::new(&std::env::var("PATH").unwrap_or_default());
    let user = std::env::home_dir().unwrap_or_else(|| PathBuf::from("/"));
    let mut context = Context::new(folder.to_string_lossy(), user.to_string_lossy());
    context.user = std::env::var("USER").ok();
    context.variables.clone_from(&params.call.environment);
    context.files = Some(&files);
    if let Some(home) = &home {
        let folders = [home.config_dir(), home.state_dir(), home.data_dir()];
        context.protected = folders.iter().map(|folder| folder.to_string_lossy().into_owned()).collect();
    }
    if let Some(path) = &params.path {
        // Reading it is what the program that prints files does.
        let reading = format!("cat -- {}", lwa_policy::quote(path));
        return if reads_private(&decide(&reading, &AllowList::default(), &context)) {
            verdict(
                "deny",
                "the file is private; ask the worker about it with local_llm_delegate(paths=[…]), which hands back a \
                 scrubbed answer, or let the user read it",
            )
        } else {
            verdict("allow", "")
        };
    }
    let judged = decide(params.command.as_deref().unwrap_or_default(), &list, &context);
    match judged.decision {
        Decision::Allow => verdict("allow", ""),
        // What is merely on no list stays with the client's own rules, which ask in their own way.
        Decision::Ask if judged.rule == lwa_policy::UNLISTED => verdict("allow", ""),
        Decision::Ask => verdict("ask", &judged.reason),
        Decision::Deny => verdict("deny", &judged.reason),
    }
}

fn reads_private(verdict: &Verdict) -> bool {
    let mut effects = verdict.commands.iter().flat_map(|command| &command.effects);
    effects.any(|effect| matches!(effect, Effect::ReadPrivate { .. }))
}

fn verdict(decision: &str, reason: &str) -> GuardVerdict {
    GuardVerdict { decision: decision.to_owned(), reason: reason.to_owned() }
}

fn variables() -> BTreeMap<String, String> {
    let known = VARIABLES.iter().filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?)));
    known.collect()
}
