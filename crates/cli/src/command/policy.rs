//! `lwa policy`: what the command policy says, without a host and without running anything.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::Path;

use lwa_domain::ErrorCode;
use lwa_policy::{AllowList, Command, Context, Decision, SystemFiles, Verdict, decide};
use lwa_protocol::Failure;
use lwa_worker::command::CommandEnvironment;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::args::PolicyVerb;
use crate::face;
use crate::output::Output;

/// One line of `--jsonl`.
#[derive(Debug, Deserialize)]
struct Row {
    cmd: String,
    #[serde(default)]
    allow: Vec<String>,
}

/// The answer to one line.
#[derive(Debug, Serialize)]
struct Answer {
    decision: Decision,
    reason: String,
    rule: String,
}

/// Runs a verb.
pub fn policy(verb: &PolicyVerb, output: Output) -> Result<u8, Failure> {
    let PolicyVerb::Check { allow_file, cwd, jsonl, command } = verb;
    if *jsonl {
        return check_lines(output);
    }
    let text = match command.as_slice() {
        [] => {
            return Err(Failure::new(ErrorCode::InvalidInput, "no command was given")
                .hint("give it: `lwa policy check 'git push'`"));
        }
        // One word is a command line, several are the words of one command.
        [line] => line.clone(),
        words => words.iter().map(|word| lwa_policy::quote(word)).collect::<Vec<_>>().join(" "),
    };
    let home = face::home()?;
    let path = allow_file.clone().unwrap_or_else(|| home.run_allow_file());
    let list = AllowList::read(&path).map_err(|error| {
        Failure::new(ErrorCode::ConfigInvalid, format!("`{}` cannot be used: {error}", path.display()))
            .hint("correct it; nothing on it counts meanwhile")
    })?;
    let folder = match cwd {
        Some(folder) => folder.clone(),
        None => std::env::current_dir().map_err(|error| face::internal(&error))?,
    };
    let files = SystemFiles::new(&std::env::var("PATH").unwrap_or_default());
    // The host follows the links of a folder before it judges.
    let mut context = context(&folder.canonicalize().unwrap_or(folder));
    context.files = Some(&files);
    context.protected = [home.config_dir(), home.state_dir(), home.data_dir()].iter().map(|path| shown(path)).collect();
    let verdict = decide(&text, &list, &context);
    output.result(&document(&verdict), |_| format!("{}\n{}", word(verdict.decision), verdict.explain()));
    Ok(if verdict.decision == Decision::Allow { 0 } else { ErrorCode::Denied.exit_code() })
}

/// Rows are judged by their text alone, in a folder and a home that are nobody's.
fn check_lines(output: Output) -> Result<u8, Failure> {
    let context = Context::new("/home/user/project", "/home/user");
    let mut lists: BTreeMap<Vec<String>, AllowList> = BTreeMap::new();
    for (index, line) in std::io::stdin().lock().lines().enumerate() {
        let line = line.map_err(|error| face::internal(&format!("cannot read stdin: {error}")))?;
        if line.trim().is_empty() {
            continue;
        }
        let invalid = |what: String| Failure::new(ErrorCode::InvalidInput, format!("line {} {what}", index + 1));
        let row: Row = serde_json::from_str(&line).map_err(|error| {
            invalid(format!("is no row: {error}")).hint("write one `{\"cmd\": …, \"allow\": [\"git log*\"]}` a line")
        })?;
        if !lists.contains_key(&row.allow) {
            let list = AllowList::parse(&row.allow.join("\n"))
                .map_err(|error| invalid(format!("has a list that cannot be used: {error}")))?;
            lists.insert(row.allow.clone(), list);
        }
        let Some(list) = lists.get(&row.allow) else { continue };
        let verdict = decide(&row.cmd, list, &context);
        let answer = Answer { decision: verdict.decision, reason: verdict.reason, rule: verdict.rule };
        output.line(&serde_json::to_string(&answer).unwrap_or_default());
    }
    Ok(0)
}

fn context(folder: &Path) -> Context<'static> {
    // The worker's commands do not get all variables of this terminal.
    let variables = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    let environment = CommandEnvironment::of(&variables, std::env::home_dir().as_deref());
    let home = environment.home().unwrap_or_else(|| Path::new("/"));
    let mut context = Context::new(shown(folder), shown(home));
    context.user = std::env::var("USER").ok();
    context.variables = environment.known();
    context
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn document(verdict: &Verdict) -> Value {
    let commands: Vec<Value> = verdict.commands.iter().map(command).collect();
    json!({
        "decision": verdict.decision,
        "reason": verdict.reason,
        "rule": verdict.rule,
        "segment": verdict.segment,
        "commands": commands,
        "allowed_by": verdict.allowed_by,
        "warnings": verdict.warnings,
        "shapes": verdict.shapes,
    })
}

fn command(command: &Command) -> Value {
    let argv: Vec<&str> = command.argv.iter().map(|word| word.text.as_str()).collect();
    json!({ "argv": argv, "program": command.program, "effects": command.effects })
}

const fn word(decision: Decision) -> &'static str {
    match decision {
        Decision::Allow => "allow",
        Decision::Ask => "ask",
        Decision::Deny => "deny",
    }
}
