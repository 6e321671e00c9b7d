//! `lwa refresh`.

use lwa_domain::ErrorCode;
use lwa_protocol::Failure;
use lwa_protocol::method::CatalogueRefresh;
use lwa_protocol::router::{CatalogueRefreshParams, CatalogueRefreshed, ListStatus};

use crate::args::RefreshArgs;
use crate::face;
use crate::output::{Output, table, word};

/// Asks providers for their lists of models. A list that could not be read gives exit code 5.
pub async fn refresh(args: RefreshArgs, output: Output) -> Result<u8, Failure> {
    let params = CatalogueRefreshParams { provider: args.provider, force: args.force };
    let done = face::call::<CatalogueRefresh>(params).await?;
    output.result(&done, readable);
    let has_failed = done.providers.iter().any(|tried| tried.status == ListStatus::Failed);
    Ok(if has_failed { ErrorCode::ProviderFailed.exit_code() } else { 0 })
}

fn readable(done: &CatalogueRefreshed) -> String {
    let is_of_interest = |status: ListStatus| !matches!(status, ListStatus::MissingCredential | ListStatus::Disabled);
    let rows: Vec<Vec<String>> = done
        .providers
        .iter()
        .filter(|tried| is_of_interest(tried.status))
        .map(|tried| {
            let cut = if tried.is_cut { " (cut)" } else { "" };
            vec![
                tried.provider.clone(),
                word(&tried.status),
                tried.models.map_or_else(String::new, |count| format!("{count}{cut}")),
                tried.listed_at.clone().unwrap_or_default(),
                tried.detail.clone().unwrap_or_default(),
            ]
        })
        .collect();
    let others = done.providers.len() - rows.len();
    let others = if others == 0 { String::new() } else { format!("; {others} providers are off or have no key") };
    format!(
        "{}\n{} models known, {} of them listed now{others}",
        table(&["provider", "list", "models", "read", "detail"], &rows),
        done.models,
        done.refreshed
    )
}
