//! `lwa worker`: the worker's tools for people and scripts, and its checks.

mod call;
mod check;
mod sessions;

use std::collections::BTreeMap;
use std::io::Read;

use lwa_domain::ErrorCode;
use lwa_protocol::Failure;
use lwa_protocol::method::{WorkerArtifact, WorkerCompact, WorkerDelegate, WorkerGetStatus, WorkerRun};
use lwa_protocol::worker::{
    ExpiringView, WorkerAnswer, WorkerArtifactParams, WorkerCallParams, WorkerCompactParams, WorkerDelegateParams,
    WorkerRunParams, WorkerStatus, WorkerStatusKind,
};
use lwa_worker::instructions::operating_rules;
use lwa_worker::material::plain_text;
use lwa_worker::mode::Mode;

use self::call::Desk;
use crate::args::{ModeArg, WorkerVerb};
use crate::face;
use crate::output::{Output, counted};

/// Runs a verb.
pub async fn worker(verb: WorkerVerb, output: Output) -> Result<u8, Failure> {
    match verb {
        WorkerVerb::Run { session, task, cwd, timeout, max_output_chars, verbatim, secret_env, command } => {
            let desk = Desk::open(&session, output).await?;
            let params = WorkerRunParams {
                call: desk.call(),
                command: command_line(&command),
                task,
                cwd,
                timeout_s: timeout,
                max_output_chars,
                verbatim,
                secret_env: secret_variables(&secret_env)?,
            };
            let answer = desk.settled::<WorkerRun>(params).await?;
            Ok(told(&answer, output))
        }
        WorkerVerb::Delegate { session, task, mut paths, command, max_output_chars, verbatim } => {
            let mut material = String::new();
            if paths.iter().any(|path| path == "-") {
                paths.retain(|path| path != "-");
                std::io::stdin().lock().read_to_string(&mut material).map_err(|error| {
                    Failure::new(ErrorCode::InvalidInput, format!("stdin cannot be read as text: {error}"))
                })?;
            }
            let desk = Desk::open(&session, output).await?;
            let params = WorkerDelegateParams {
                call: desk.call(),
                task,
                material,
                paths,
                command,
                cwd: String::new(),
                max_output_chars,
                verbatim,
            };
            let answer = desk.settled::<WorkerDelegate>(params).await?;
            Ok(told(&answer, output))
        }
        WorkerVerb::Artifact { session, reference, lines, offset, limit } => {
            let (line_start, line_end) = lines.as_deref().map_or(Ok((0, 0)), line_range)?;
            let desk = Desk::open(&session, output).await?;
            let params = WorkerArtifactParams { call: desk.call(), reference, offset, limit, line_start, line_end };
            let answer = desk.settled::<WorkerArtifact>(params).await?;
            Ok(told(&answer, output))
        }
        WorkerVerb::Status { session } => {
            let desk = Desk::open(&session, output).await?;
            let status = desk.plain::<WorkerGetStatus>(WorkerCallParams { call: desk.call() }).await?;
            output.result(&status, readable);
            Ok(0)
        }
        WorkerVerb::Compact { session } => {
            let desk = Desk::open(&session, output).await?;
            let params = WorkerCompactParams { call: desk.call(), reason: "asked for in a terminal".to_owned() };
            let answer = desk.settled::<WorkerCompact>(params).await?;
            Ok(told(&answer, output))
        }
        WorkerVerb::Sessions { key, arm } => sessions::sessions(key, arm, output).await,
        WorkerVerb::Purge { key, what, before, yes } => sessions::purge(key, what, before, yes, output).await,
        WorkerVerb::Leakcheck { file } => check::leak(&file, output).await,
        WorkerVerb::Selftest => check::selftest(output).await,
        WorkerVerb::Instructions { mode } => {
            let config = lwa_config::Config::load(&face::home()?)
                .map_err(|error| Failure::new(ErrorCode::ConfigInvalid, error.to_string()))?;
            let model = config.worker.base_url.as_ref().map_or("builtin", |_| config.worker.model.as_str());
            let text = operating_rules(mode_of(mode), model);
            output
                .result(&serde_json::json!({ "mode": mode_of(mode).as_str(), "instructions": text }), |_| text.clone());
            Ok(0)
        }
    }
}

fn mode_of(mode: ModeArg) -> Mode {
    match mode {
        ModeArg::Pii => Mode::Pii,
        ModeArg::Assist => Mode::Assist,
    }
}

/// One word is a command line, several are the words of one command.
fn command_line(words: &[String]) -> String {
    match words {
        [line] => line.clone(),
        words => words.iter().map(|word| lwa_policy::quote(word)).collect::<Vec<_>>().join(" "),
    }
}

fn secret_variables(given: &[String]) -> Result<BTreeMap<String, String>, Failure> {
    given
        .iter()
        .map(|pair| {
            let (name, placeholder) = pair.split_once('=').ok_or_else(|| {
                Failure::new(ErrorCode::InvalidInput, "a `--secret-env` is no NAME=PLACEHOLDER")
                    .hint("for example `--secret-env TOKEN=[SECRET-1]`")
            })?;
            Ok((name.to_owned(), placeholder.to_owned()))
        })
        .collect()
}

fn line_range(text: &str) -> Result<(u64, u64), Failure> {
    let wrong = || {
        Failure::new(ErrorCode::InvalidInput, format!("`{text}` is no range of lines"))
            .hint("write the first and the last, `10-40`, or the first alone")
    };
    let (first, last) = text.split_once('-').unwrap_or((text, "0"));
    let first: u64 = first.trim().parse().map_err(|_| wrong())?;
    let last: u64 = last.trim().parse().map_err(|_| wrong())?;
    if first == 0 { Err(wrong()) } else { Ok((first, last)) }
}

/// Prints an answer; its exit code.
pub(super) fn told(answer: &WorkerAnswer, output: Output) -> u8 {
    // A model may say anything, and a terminal does what it is told.
    output.result(answer, |answer| plain_text(&answer.text).into_owned());
    match answer.status {
        WorkerStatusKind::Completed => 0,
        WorkerStatusKind::Failed => 5,
        _ => ErrorCode::Denied.exit_code(),
    }
}

/// What limits by age will remove, in words.
pub(super) fn expiring_words(expiring: &ExpiringView) -> String {
    let kept =
        |days: u32| if days == 0 { "kept always".to_owned() } else { format!("kept {}", counted(days.into(), "day")) };
    let limits = format!("conversations {}, materials {}", kept(expiring.session_days), kept(expiring.artifact_days));
    if expiring.is_empty() {
        return format!("{limits}; nothing goes within a day");
    }
    let goes = format!(
        "{} and {} ({} bytes)",
        counted(expiring.sessions, "conversation"),
        counted(expiring.artifacts, "material"),
        expiring.bytes
    );
    match &expiring.at {
        Some(at) => format!("{limits}; {goes} go at {at}"),
        None => format!("{limits}; {goes} go within a day"),
    }
}

fn readable(status: &WorkerStatus) -> String {
    let counts = |counts: &BTreeMap<String, u64>| {
        let counts: Vec<String> = counts.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        if counts.is_empty() { "none".to_owned() } else { counts.join(", ") }
    };
    let armed = match &status.armed.source {
        Some(source) => format!("{} ({source})", status.armed.state),
        None => status.armed.state.clone(),
    };
    let mut lines = vec![
        format!("conversation  {} (from {})", status.session_key, status.session_source),
        format!("worker        {armed}"),
        format!("mode          {}", status.mode),
        format!("model         {}", status.model.as_deref().unwrap_or("builtin, no model is configured")),
        format!(
            "shown         names {}, numbers {} (when undecided: {})",
            status.disclosure.identity, status.disclosure.numbers, status.disclosure.escalation
        ),
        format!(
            "commands      {}; {} listed, {} once, {} always, {} refused, {} denied, {} unasked",
            status.run_policy.policy,
            status.run_policy.allowed,
            status.run_policy.asked_once,
            status.run_policy.asked_always,
            status.run_policy.refused,
            status.run_policy.denied,
            status.run_policy.unasked
        ),
        format!("allow-list    {} entries in {}", status.run_policy.allow_entries, status.run_policy.allow_file),
        format!("sandbox       {}", status.sandbox),
        format!("placeholders  {}", counts(&status.placeholders)),
        format!("names         {}", status.names),
        format!("rules         {}", status.rules),
        format!(
            "memory        {} turns, {} since the last of {} compactions, summary of {} characters",
            status.turns_total, status.turns_since_compaction, status.compactions, status.summary_chars
        ),
        format!("materials     {}", status.artifacts),
        format!("saved         {} tokens of input", status.tokens_saved.avoided_input),
    ];
    if let Some(expiring) = &status.expiring {
        lines.push(format!("limits        {}", expiring_words(expiring)));
    }
    lines.extend(status.notes.iter().map(|note| format!("note          {note}")));
    lines.join("\n")
}
