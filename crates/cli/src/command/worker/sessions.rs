//! `lwa worker sessions` and `purge`.

use lwa_protocol::Failure;
use lwa_protocol::host::Nothing;
use lwa_protocol::method::{WorkerArm, WorkerGetSession, WorkerGetSessions, WorkerPurge};
use lwa_protocol::worker::{
    PurgeWhat, WorkerArmParams, WorkerPurgeParams, WorkerPurged, WorkerSessionDetail, WorkerSessionParams,
    WorkerSessions,
};

use crate::args::{OnOff, PurgeArg};
use crate::command::frame::inert;
use crate::command::run::has_terminal;
use crate::face;
use crate::output::{Output, counted, table};

/// Lists, shows or switches.
pub async fn sessions(key: Option<String>, arm: Option<OnOff>, output: Output) -> Result<u8, Failure> {
    match (key, arm) {
        (None, _) => {
            let sessions = face::call::<WorkerGetSessions>(Nothing {}).await?;
            output.result(&sessions, listed);
        }
        (Some(key), None) => {
            let detail = face::call::<WorkerGetSession>(WorkerSessionParams { key }).await?;
            output.result(&detail, shown);
        }
        (Some(key), Some(arm)) => {
            let view = face::call::<WorkerArm>(WorkerArmParams { key, is_on: arm == OnOff::On }).await?;
            output.result(&view, |view| format!("The worker is {} in {}.", view.armed.state, view.key));
        }
    }
    Ok(0)
}

/// Shows what would go, asks, and removes it.
pub async fn purge(
    key: Option<String>,
    what: PurgeArg,
    before: Option<String>,
    yes: bool,
    output: Output,
) -> Result<u8, Failure> {
    let what = match what {
        PurgeArg::Session => PurgeWhat::Session,
        PurgeArg::Placeholders => PurgeWhat::Placeholders,
        PurgeArg::Artifacts => PurgeWhat::Artifacts,
    };
    let params = |dry_run| WorkerPurgeParams { key: key.clone(), what, before: before.clone(), dry_run };
    let counted = face::call::<WorkerPurge>(params(true)).await?;
    if !yes {
        if !has_terminal() {
            output.result(&counted, |counted| {
                format!("{}\nRepeat with `--yes` to remove it.", sums("Would go", counted))
            });
            return Ok(lwa_domain::ErrorCode::ConfirmationRequired.exit_code());
        }
        output.note(&sums("Would go", &counted));
        if !is_yes()? {
            output.note("Nothing was removed.");
            return Ok(lwa_domain::ErrorCode::ConfirmationRequired.exit_code());
        }
    }
    let purged = face::call::<WorkerPurge>(params(false)).await?;
    output.result(&purged, |purged| sums("Removed", purged));
    Ok(0)
}

fn is_yes() -> Result<bool, Failure> {
    use std::io::{BufRead, BufReader, Write};
    let failed = |error: std::io::Error| face::internal(&format!("cannot use the terminal: {error}"));
    let terminal = std::fs::OpenOptions::new().read(true).write(true).open("/dev/tty").map_err(failed)?;
    write!(&terminal, "Type yes to remove it: ").map_err(failed)?;
    let mut typed = String::new();
    BufReader::new(&terminal).read_line(&mut typed).map_err(failed)?;
    Ok(typed.trim().eq_ignore_ascii_case("yes"))
}

fn sums(verb: &str, purged: &WorkerPurged) -> String {
    let live = match purged.live {
        0 => String::new(),
        live => format!(" {} in use stay; name one to remove it.", counted(live, "conversation")),
    };
    format!(
        "{verb}: {}, {}, {} of {} bytes.{live}",
        counted(purged.sessions, "conversation"),
        counted(purged.placeholders, "value"),
        counted(purged.artifacts, "material"),
        purged.bytes
    )
}

fn listed(sessions: &WorkerSessions) -> String {
    if sessions.sessions.is_empty() {
        return "The worker has not been used yet.".to_owned();
    }
    let rows: Vec<Vec<String>> = sessions
        .sessions
        .iter()
        .map(|session| {
            vec![
                session.key.clone(),
                session.client.to_string(),
                session.mode.clone(),
                session.armed.state.clone(),
                session.turns.to_string(),
                session.artifacts.to_string(),
                session.placeholders.values().sum::<u64>().to_string(),
                session.tokens_saved.avoided_input.to_string(),
                if session.is_live { "in use".to_owned() } else { session.last_seen.clone() },
            ]
        })
        .collect();
    table(&["conversation", "client", "mode", "worker", "turns", "materials", "values", "saved", "last used"], &rows)
}

fn shown(detail: &WorkerSessionDetail) -> String {
    let session = &detail.session;
    let mut lines = vec![
        format!("{} of {}: worker {}, mode {}", session.key, session.client, session.armed.state, session.mode),
        format!("names {}, numbers {}", session.disclosure.identity, session.disclosure.numbers),
    ];
    if !detail.summary.is_empty() {
        lines.push(format!("\nsummary\n{}", inert(&detail.summary)));
    }
    if !detail.turns.is_empty() {
        lines.push("\nturns, newest first".to_owned());
    }
    for turn in &detail.turns {
        let mark = if turn.is_error { " FAILED" } else { "" };
        let first: String = inert(turn.result.lines().next().unwrap_or_default()).chars().take(100).collect();
        lines.push(format!("  {} {} {}{mark}  {}", turn.at, turn.id, turn.kind, inert(&turn.source)));
        lines.push(format!("      {first}"));
    }
    if !detail.artifacts.is_empty() {
        lines.push("\nmaterials".to_owned());
    }
    for artifact in &detail.artifacts {
        lines.push(format!("  {}  {} characters  {}", artifact.reference, artifact.chars, inert(&artifact.source)));
    }
    if !detail.placeholders.is_empty() {
        lines.push("\nplaceholders".to_owned());
    }
    for placeholder in &detail.placeholders {
        lines.push(format!("  {}  {}", placeholder.placeholder, placeholder.masked));
    }
    lines.join("\n")
}
