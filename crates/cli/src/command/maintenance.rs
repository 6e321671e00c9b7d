//! `lwa maintenance`: what runs with nobody there.

use std::fs::{self, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;

use jiff::Timestamp;
use lwa_domain::ErrorCode;
use lwa_protocol::doctor::{CheckStatus, DoctorParams};
use lwa_protocol::host::Nothing;
use lwa_protocol::ledger::TelemetryParams;
use lwa_protocol::method::{AuditVerify, DoctorRun, LedgerTelemetry, ProviderGetList, ProviderTest};
use lwa_protocol::provider::{ProviderParams, ProviderState};
use lwa_protocol::{Connection, Failure};
use serde_json::{Value, json};

use crate::args::{MaintenanceArgs, MaintenanceVerb};
use crate::face;
use crate::output::{Output, table};

/// Runs the verb. None of them sends a prompt or can cost anything.
pub async fn maintenance(args: &MaintenanceArgs, output: Output) -> Result<u8, Failure> {
    if let MaintenanceVerb::Probe { live: false } = args.verb {
        return Err(Failure::new(
            ErrorCode::InvalidInput,
            "a probe sends requests to your providers, so it needs `--live`",
        )
        .hint("run `lwa maintenance probe --live`; it asks for lists of models alone and costs nothing"));
    }
    let _turn = lock()?;
    let host = if args.no_start {
        face::running_host().await?.ok_or_else(|| {
            Failure::new(ErrorCode::HostUnreachable, "no host is running, and none may be started")
                .hint("leave out `--no-start`, or start one with `lwa host`")
        })?
    } else {
        face::host().await?
    };
    match args.verb {
        MaintenanceVerb::Telemetry => telemetry(&host, output).await,
        MaintenanceVerb::Probe { .. } => probe(&host, output).await,
        MaintenanceVerb::Verify => verify(&host, output).await,
    }
}

/// Holds the turn until it is dropped; refuses at once when somebody else has it.
fn lock() -> Result<fs::File, Failure> {
    let home = face::home()?;
    home.create().map_err(|error| face::internal(&error))?;
    let path = home.state_dir().join("maintenance.lock");
    let failed = |error: std::io::Error| face::internal(&format!("cannot lock `{}`: {error}", path.display()));
    let file = OpenOptions::new().create(true).write(true).truncate(false).mode(0o600).open(&path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            Err(Failure::new(ErrorCode::InvalidInput, "another maintenance command is at work")
                .hint("wait for it to end; nothing was done"))
        }
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}

/// Today's part of the ledger.
async fn telemetry(host: &Connection, output: Output) -> Result<u8, Failure> {
    let today = Timestamp::now().strftime("%Y-%m-%d").to_string();
    let telemetry = face::call_on::<LedgerTelemetry>(host, TelemetryParams { since: Some(today) }).await?;
    let document = document("telemetry", json!({ "telemetry": telemetry }));
    output.result(&document, |_| {
        let sum = &telemetry.today;
        let unknown = sum.calls - sum.cost_known;
        let cost = if unknown == 0 {
            sum.cost_pico_usd.to_string()
        } else {
            format!("{} and {unknown} calls of unknown cost", sum.cost_pico_usd)
        };
        format!(
            "Today (UTC): {} calls, {} of them failed, {} tokens in, {} out, {cost}",
            sum.calls, sum.failed, sum.input_tokens, sum.output_tokens
        )
    });
    Ok(0)
}

/// Asks each provider that could be used for its list of models.
async fn probe(host: &Connection, output: Output) -> Result<u8, Failure> {
    let providers = face::call_on::<ProviderGetList>(host, Nothing {}).await?.providers;
    let mut rows = Vec::new();
    let mut results = Vec::new();
    for provider in providers {
        let is_usable = !matches!(provider.state, ProviderState::NeedsKey | ProviderState::Disabled);
        // The built-in provider has no address, and nothing to be asked.
        if !is_usable || provider.base_url.is_none() {
            continue;
        }
        let tested = face::call_on::<ProviderTest>(host, ProviderParams { provider: provider.name.clone() }).await?;
        let word = if tested.ok { "ok" } else { "FAIL" };
        rows.push(vec![provider.name.clone(), word.to_owned(), tested.detail.clone()]);
        results.push(json!({ "provider": provider.name, "ok": tested.ok, "detail": tested.detail, "latency_ms": tested.latency_ms, "models": tested.models }));
    }
    let is_fine = results.iter().all(|result| result["ok"] == true);
    let document = document("probe", json!({ "ok": is_fine, "providers": results }));
    output.result(&document, |_| {
        let list = if rows.is_empty() {
            "No provider is ready to be asked.".to_owned()
        } else {
            table(&["provider", "", "detail"], &rows)
        };
        format!("{list}\nNo prompt was sent.")
    });
    Ok(if is_fine { 0 } else { 5 })
}

/// Checks without the network.
async fn verify(host: &Connection, output: Output) -> Result<u8, Failure> {
    let diagnosis = face::call_on::<DoctorRun>(host, DoctorParams { probe: false }).await?;
    let audit = face::call_on::<AuditVerify>(host, Nothing {}).await?;
    let is_fine = audit.ok && diagnosis.level != CheckStatus::Fail;
    let document = document(
        "verify",
        json!({ "ok": is_fine, "level": diagnosis.level, "hard_blockers": diagnosis.hard_blockers, "soft_blockers": diagnosis.soft_blockers, "audit": audit }),
    );
    output.result(&document, |_| {
        let mut lines = vec![match audit.first_bad {
            None => format!("Audit log: {} events, the chain is whole", audit.events),
            Some(row) => format!("Audit log: event {row} does not follow from the one before"),
        }];
        lines.extend(diagnosis.hard_blockers.iter().map(|blocker| format!("FAIL  {blocker}")));
        lines.extend(diagnosis.soft_blockers.iter().map(|blocker| format!("warn  {blocker}")));
        lines.join("\n")
    });
    Ok(if is_fine { 0 } else { 5 })
}

fn document(action: &str, fields: Value) -> Value {
    let mut document = json!({ "action": action, "completion_requests": 0 });
    if let (Some(document), Value::Object(fields)) = (document.as_object_mut(), fields) {
        document.extend(fields);
    }
    document
}
