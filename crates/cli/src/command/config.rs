//! `lwa config`.

use lwa_config::{Config, schema};
use lwa_domain::ErrorCode;
use lwa_protocol::Failure;
use lwa_protocol::approval::PolicyChangeLine;
use lwa_protocol::configuration::{ConfigAcceptParams, ConfigSetParams, ConfigShown};
use lwa_protocol::host::Nothing;
use lwa_protocol::method::{ConfigAccept, ConfigSet, ConfigShow, WorkerGetExpiring};
use lwa_protocol::worker::ExpiringParams;
use serde_json::{Value, json};

use crate::args::ConfigVerb;
use crate::command::worker::expiring_words;
use crate::face;
use crate::output::{Output, table};

/// Runs a verb that needs the host, or shows the schema.
pub async fn config(verb: ConfigVerb, output: Output) -> Result<u8, Failure> {
    match verb {
        ConfigVerb::Show { effective } => {
            let mut shown = face::call::<ConfigShow>(Nothing {}).await?;
            if !effective {
                shown.values.retain(|value| value.source == "file");
            }
            output.result(&shown, readable);
        }
        ConfigVerb::Schema => show_schema(output),
        ConfigVerb::Set { key, value } => {
            // What is no JSON is meant as text: `paid_only` and `"paid_only"` are the same.
            let value = serde_json::from_str(&value).unwrap_or(Value::String(value));
            let is_limit = ["worker.session_days", "worker.artifact_days"].contains(&key.as_str());
            let host = face::host().await?;
            let mut shown = face::call_on::<ConfigSet>(&host, ConfigSetParams { key, value }).await?;
            if is_limit {
                let expiring = face::call_on::<WorkerGetExpiring>(&host, ExpiringParams::default()).await?;
                output.note(&format!("Limits by age: {}.", expiring_words(&expiring)));
            }
            shown.values.retain(|value| value.source == "file");
            output.result(&shown, readable);
        }
        ConfigVerb::Accept => {
            let host = face::host().await?;
            let shown = face::call_on::<ConfigShow>(&host, Nothing {}).await?.pending;
            for change in &shown {
                output.note(&format!("{}: {} → {} ({})", change.key, change.from, change.to, change.effect));
            }
            let accepted = face::call_on::<ConfigAccept>(&host, ConfigAcceptParams { shown }).await?;
            output.result(&accepted, |accepted| {
                if accepted.accepted.is_empty() {
                    return "Nothing was waiting.".to_owned();
                }
                let lines: Vec<String> = accepted
                    .accepted
                    .iter()
                    .map(|change| format!("In force: {} = {} (was {})", change.key, change.to, change.from))
                    .collect();
                lines.join("\n")
            });
        }
        ConfigVerb::Check => return check(output).await,
    }
    Ok(0)
}

/// Reads the file without a host. A host that runs says what its limits by age would remove.
pub async fn check(output: Output) -> Result<u8, Failure> {
    let home = face::home()?;
    let config = Config::load_over(&home, &lwa_engine::shipped_catalogue())
        .map_err(|error| Failure::new(ErrorCode::ConfigInvalid, error.to_string()))?;
    let path = home.config_file();
    let exists = path.is_file();
    let (artifact_days, session_days) = (config.worker.artifact_days, config.worker.session_days);
    let mut expiring = None;
    if (artifact_days, session_days) != (0, 0)
        // Whether the file can be used does not depend on a host, nor on what it answers.
        && let Ok(Some(host)) = face::running_host().await
    {
        let limits = ExpiringParams { artifact_days: Some(artifact_days), session_days: Some(session_days) };
        expiring = face::call_on::<WorkerGetExpiring>(&host, limits).await.ok();
    }
    output.result(&json!({ "ok": true, "path": path, "exists": exists, "expiring": expiring }), |_| {
        let mut text = if exists {
            format!("`{}` can be used.", path.display())
        } else {
            format!("`{}` does not exist; the defaults hold.", path.display())
        };
        if let Some(expiring) = &expiring {
            text.push_str("\nLimits by age: ");
            text.push_str(&expiring_words(expiring));
            text.push('.');
        }
        text
    });
    Ok(0)
}

fn show_schema(output: Output) {
    let keys: Vec<Value> = schema::keys()
        .iter()
        .map(|key| json!({ "key": key.path, "kind": key.kind.describe(), "default": key.default, "meaning": key.doc }))
        .collect();
    output.result(&keys, |_| {
        let rows: Vec<Vec<String>> = schema::keys()
            .iter()
            .map(|key| {
                vec![key.path.to_owned(), key.kind.describe().to_owned(), key.default.to_owned(), key.doc.to_owned()]
            })
            .collect();
        table(&["key", "kind", "default", "meaning"], &rows)
    });
}

/// An edit that waits, in one line: a value that changes, one that is new, or one that is gone.
pub fn edit(change: &PolicyChangeLine) -> String {
    let PolicyChangeLine { key, from, to, effect } = change;
    match (from.is_empty(), to.is_empty()) {
        (true, false) => format!("{key}: new `{to}` ({effect})"),
        (false, true) => format!("{key}: gone `{from}` ({effect})"),
        _ => format!("{key} {from} → {to} ({effect})"),
    }
}

fn readable(shown: &ConfigShown) -> String {
    let mut lines = Vec::new();
    if let Some(error) = &shown.error {
        lines.push(format!("The file is not in force: {error}"));
    }
    for change in &shown.pending {
        lines.push(format!("Waits for you: {}", edit(change)));
    }
    if shown.values.is_empty() {
        lines.push(format!("Every value is the default; `{}` sets none.", shown.path));
    } else {
        let rows: Vec<Vec<String>> = shown
            .values
            .iter()
            .map(|value| vec![value.key.clone(), value.value.to_string(), value.source.clone()])
            .collect();
        lines.push(table(&["key", "value", "source"], &rows));
    }
    lines.join("\n")
}
