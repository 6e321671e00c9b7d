//! `lwa doctor`.

use lwa_protocol::Failure;
use lwa_protocol::doctor::{CheckStatus, Diagnosis, DoctorParams};
use lwa_protocol::host::Nothing;
use lwa_protocol::method::{DoctorRun, ProviderGetList};
use lwa_protocol::provider::{ProviderState, ProviderView};

use super::providers::{list_age, standing};
use crate::face;
use crate::output::{Output, table};

/// Checks what works. A failed check gives exit code 5.
pub async fn doctor(probe: bool, output: Output) -> Result<u8, Failure> {
    let host = face::host().await?;
    let diagnosis = face::call_on::<DoctorRun>(&host, DoctorParams { probe }).await?;
    // Asked after the probe, so that they tell what it found.
    let providers = face::call_on::<ProviderGetList>(&host, Nothing {}).await?.providers;
    output.result(&diagnosis, |diagnosis| format!("{}\n\n{}", readable(diagnosis), standings(&providers)));
    Ok(if diagnosis.level == CheckStatus::Fail { 5 } else { 0 })
}

fn readable(diagnosis: &Diagnosis) -> String {
    let mut lines = Vec::new();
    for check in &diagnosis.checks {
        let mark = match check.status {
            CheckStatus::Ok => "ok  ",
            CheckStatus::Warn => "warn",
            CheckStatus::Fail => "FAIL",
        };
        lines.push(format!("{mark}  {}: {}", check.id, check.detail));
        if let (Some(fix), true) = (&check.fix, check.status != CheckStatus::Ok) {
            lines.push(format!("      → {fix}"));
        }
    }
    lines.join("\n")
}

/// Where each provider stands that is configured; the others are counted.
fn standings(providers: &[ProviderView]) -> String {
    let is_in_use =
        |provider: &&ProviderView| !matches!(provider.state, ProviderState::NeedsKey | ProviderState::Disabled);
    let rows: Vec<Vec<String>> = providers
        .iter()
        .filter(is_in_use)
        .map(|provider| {
            vec![
                standing(provider).to_uppercase(),
                provider.name.clone(),
                provider.adapter.clone(),
                provider.billing_class.to_string(),
                provider.models.to_string(),
                list_age(provider),
                provider.list_problem.clone().or_else(|| provider.detail.clone()).unwrap_or_default(),
            ]
        })
        .collect();
    let others = providers.len() - rows.len();
    format!(
        "{}\n{others} more providers have no key or are switched off: `lwa providers` lists them",
        table(&["state", "provider", "adapter", "class", "models", "list read", "detail"], &rows)
    )
}
