//! `lwa quotas`.

use lwa_domain::ErrorCode;
use lwa_protocol::Failure;
use lwa_protocol::host::Nothing;
use lwa_protocol::method::{QuotaGetList, QuotaRefresh};
use lwa_protocol::router::{QuotaStatus, QuotaView};

use crate::face;
use crate::output::{Output, table, word};

/// Shows what providers said about their quotas. A provider that failed gives exit code 5.
pub async fn quotas(refresh: bool, output: Output) -> Result<u8, Failure> {
    if !refresh {
        let list = face::call::<QuotaGetList>(Nothing {}).await?;
        output.result(&list, |list| readable(&list.quotas));
        return Ok(0);
    }
    let done = face::call::<QuotaRefresh>(Nothing {}).await?;
    output.result(&done, |done| readable(&done.quotas));
    let mut code = 0;
    for tried in &done.providers {
        if tried.status == QuotaStatus::Error {
            code = ErrorCode::ProviderFailed.exit_code();
        }
        if let (QuotaStatus::Error | QuotaStatus::NotConfigured, Some(detail)) = (tried.status, &tried.detail) {
            output.note(&format!("{} {}: {detail}", tried.provider, word(&tried.status)));
        }
    }
    Ok(code)
}

fn readable(quotas: &[QuotaView]) -> String {
    if quotas.is_empty() {
        return "No provider has said anything about its quotas yet.".to_owned();
    }
    let unknown = || "not stated".to_owned();
    let rows: Vec<Vec<String>> = quotas
        .iter()
        .map(|quota| {
            vec![
                quota.provider.clone(),
                quota.window.clone(),
                quota.remaining.clone().unwrap_or_else(unknown),
                quota.limit.clone().unwrap_or_else(unknown),
                quota.unit.clone(),
                quota.resets_at.clone().unwrap_or_else(unknown),
                format!("{} ({})", quota.source, quota.confidence),
                format!("{} s", quota.age_seconds),
            ]
        })
        .collect();
    table(&["provider", "quota", "left", "of", "unit", "resets", "source", "age"], &rows)
}
