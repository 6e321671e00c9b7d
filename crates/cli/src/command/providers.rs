//! `lwa providers` and `lwa models`.

use std::collections::BTreeSet;

use lwa_domain::{PicoUsd, Price};
use lwa_protocol::Failure;
use lwa_protocol::host::Nothing;
use lwa_protocol::method::{ModelGetList, ProviderGetList};
use lwa_protocol::provider::{ModelListParams, ModelView, ProviderState, ProviderView};

use crate::face;
use crate::output::{Output, table};

/// `lwa providers`.
pub async fn providers(output: Output) -> Result<u8, Failure> {
    let list = face::call::<ProviderGetList>(Nothing {}).await?;
    output.result(&list, |list| {
        let rows: Vec<Vec<String>> = list
            .providers
            .iter()
            .map(|provider| {
                let key = provider.key.as_ref().map_or_else(String::new, |key| {
                    format!("{} ({})", key.masked, key.variable.as_deref().unwrap_or(&key.backend))
                });
                vec![
                    provider.name.clone(),
                    standing(provider),
                    provider.adapter.clone(),
                    provider.billing_class.to_string(),
                    provider.data_use.to_string(),
                    provider.models.to_string(),
                    list_age(provider),
                    key,
                    provider.detail.clone().unwrap_or_default(),
                ]
            })
            .collect();
        table(&["provider", "state", "adapter", "class", "data use", "models", "list read", "key", "detail"], &rows)
    });
    Ok(0)
}

/// Where a provider stands, as people say it: what nobody tried is not ready, and what only its documentation vouches
/// for is told so.
pub fn standing(provider: &ProviderView) -> String {
    let state = match provider.state {
        ProviderState::Ready => "ready",
        ProviderState::Unverified => "unverified",
        ProviderState::Failing => "failing",
        ProviderState::NeedsKey => "needs a key",
        ProviderState::Disabled => "switched off",
    };
    if provider.is_experimental { format!("{state}, experimental") } else { state.to_owned() }
}

/// When the list of models in use was read.
pub fn list_age(provider: &ProviderView) -> String {
    match (&provider.listed_at, &provider.list_problem) {
        (Some(at), None) => at.clone(),
        (Some(at), Some(_)) => format!("{at}, the last try failed"),
        (None, Some(_)) => "the last try failed".to_owned(),
        (None, None) => "never".to_owned(),
    }
}

/// `lwa models`.
pub async fn models(provider: Option<String>, output: Output) -> Result<u8, Failure> {
    let list = face::call::<ModelGetList>(ModelListParams { provider }).await?;
    output.result(&list, |list| {
        let rows: Vec<Vec<String>> = list.models.iter().map(model_row).collect();
        table(&["model", "class", "context", "out", "efforts", "price", "source", "facts from"], &rows)
    });
    Ok(0)
}

fn model_row(model: &ModelView) -> Vec<String> {
    let efforts = match model.effort_words.as_slice() {
        [] => model.reasoning_levels.iter().map(|level| level.as_str()).collect::<Vec<_>>().join(", "),
        words => words.join(", "),
    };
    let off = model.disabled_reason.as_deref().map(|reason| format!(" (off: {reason})")).unwrap_or_default();
    // A model has a dozen facts and a few sources; who wants each fact asks for JSON.
    let sources: BTreeSet<String> =
        model.provenance.iter().map(|fact| format!("{} {}", fact.source, fact.as_of)).collect();
    vec![
        format!("{}:{}{off}", model.provider, model.model),
        model.billing_class.to_string(),
        model.context_length.to_string(),
        model.max_output_tokens.map_or_else(|| "unknown".to_owned(), |most| most.to_string()),
        efforts,
        model.price.as_ref().map_or_else(|| "unknown".to_owned(), |price| priced(price, model.is_price_stale)),
        model.source.clone(),
        sources.into_iter().collect::<Vec<_>>().join("; "),
    ]
}

fn priced(price: &Price, is_stale: bool) -> String {
    let per_million = |amount: PicoUsd| amount.times(1_000_000).to_string();
    let stale = if is_stale { ", stale: more is reserved" } else { "" };
    format!(
        "{} in, {} out per million ({}, {}{stale})",
        per_million(price.input_pico_usd),
        per_million(price.output_pico_usd),
        price.source,
        price.as_of
    )
}
