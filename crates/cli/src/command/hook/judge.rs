//! `lwa hook guard`: the command policy over a client's own shell. It never says yes: what the policy has nothing against
//! stays with the client's own rules.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lwa_policy::{AllowList, Context, Decision, SystemFiles, decide_for_client};
use lwa_protocol::method::GuardJudge;
use lwa_protocol::worker::{GuardParams, GuardVerdict, PathUse, WorkerCall};
use serde_json::{Value, json};

use super::payload::{self, CODEX, Deed};
use super::read_payload;
use crate::face;
use crate::output::Output;

/// How long the host may take; after it the policy is asked here.
const HOST_LIMIT: Duration = Duration::from_secs(2);
/// How long a client may take to hand its JSON over.
const INPUT_LIMIT: Duration = Duration::from_secs(1);
/// A tool use that is larger is not read, and so not waved through.
const MOST_INPUT: u64 = 16 << 20;
/// The exit code with which a hook stops what it was asked about.
const STOPS: u8 = 2;
/// Variables that a command line may name and that hold no secret.
const VARIABLES: [&str; 5] = ["HOME", "LANG", "PATH", "TMPDIR", "USER"];

/// Judges what stdin tells of. Gives the exit code.
pub(super) async fn judge(named: Option<&str>, output: Output) -> u8 {
    let Some(payload) = read_payload(INPUT_LIMIT, MOST_INPUT) else {
        return unreadable(payload::client(named, &Value::Null), "the hook's input cannot be read", output);
    };
    let client = payload::client(named, &payload);
    let folder = payload::path(&payload, "cwd").map(PathBuf::from).or_else(|| std::env::current_dir().ok());
    let folder = folder.unwrap_or_else(|| PathBuf::from("/"));
    let empty = GuardParams {
        call: WorkerCall {
            cwd: Some(folder.to_string_lossy().into_owned()),
            environment: variables(),
            ..WorkerCall::default()
        },
        client: client.to_owned(),
        ..GuardParams::default()
    };
    let deeds = match payload::deed(&payload) {
        Deed::Command(line) => vec![GuardParams { command: Some(line), ..empty }],
        Deed::Paths(path_use, paths) => {
            let one = |path| GuardParams { path: Some(path), path_use, ..empty.clone() };
            paths.into_iter().map(one).collect()
        }
        Deed::Unreadable => return unreadable(client, "what the tool is about to do cannot be read", output),
        Deed::Other => return 0,
    };
    let mut strictest = verdict("allow", "");
    let weight = |verdict: &GuardVerdict| ["allow", "ask", "deny"].iter().position(|word| *word == verdict.decision);
    for params in deeds {
        let one = judge_one(&params, &folder).await;
        if weight(&one) > weight(&strictest) {
            strictest = one;
        }
    }
    answer(client, &strictest, output)
}

/// What cannot be read is not waved through: the user is asked, where the client can ask.
fn unreadable(client: &str, reason: &str, output: Output) -> u8 {
    answer(client, &verdict(if client == CODEX { "deny" } else { "ask" }, reason), output)
}

async fn judge_one(params: &GuardParams, folder: &Path) -> GuardVerdict {
    let asked = async {
        let host = face::running_host().await.ok().flatten()?;
        face::call_on::<GuardJudge>(&host, params.clone()).await.ok()
    };
    match tokio::time::timeout(HOST_LIMIT, asked).await {
        Ok(Some(verdict)) => verdict,
        _ => judge_here(params, folder),
    }
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
        let programs = std::env::current_exe().ok().and_then(|program| Some(program.parent()?.to_owned()));
        context.protected.extend(programs.map(|folder| folder.to_string_lossy().into_owned()));
    }
    let (deed, list) = match (params.path.as_deref(), params.path_use) {
        (Some(path), PathUse::Read) => (lwa_policy::Deed::Read(path), AllowList::default()),
        (Some(path), PathUse::Search) => (lwa_policy::Deed::Search(path), AllowList::default()),
        (Some(path), PathUse::Write) => (lwa_policy::Deed::Write(path), AllowList::default()),
        (None, _) => (lwa_policy::Deed::Command(params.command.as_deref().unwrap_or_default()), list),
    };
    let (decision, reason) = decide_for_client(deed, &list, &context, params.client != CODEX);
    let word = match decision {
        Decision::Allow => "allow",
        Decision::Ask => "ask",
        Decision::Deny => "deny",
    };
    verdict(word, &reason)
}

fn verdict(decision: &str, reason: &str) -> GuardVerdict {
    GuardVerdict { decision: decision.to_owned(), reason: reason.to_owned() }
}

fn variables() -> BTreeMap<String, String> {
    let known = VARIABLES.iter().filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?)));
    known.collect()
}
