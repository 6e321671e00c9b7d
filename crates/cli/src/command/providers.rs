//! `lwa providers` and `lwa models`.

use lwa_domain::PicoUsd;
use lwa_protocol::Failure;
use lwa_protocol::host::Nothing;
use lwa_protocol::method::{ModelGetList, ProviderGetList};
use lwa_protocol::provider::{ModelListParams, ProviderState};

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
                let state = state_word(provider.state).to_owned();
                let key = provider.key.as_ref().map_or_else(String::new, |key| {
                    format!("{} ({})", key.masked, key.variable.as_deref().unwrap_or(&key.backend))
                });
                vec![
                    provider.name.clone(),
                    state,
                    provider.billing_class.to_string(),
                    provider.data_use.to_string(),
                    provider.models.to_string(),
                    key,
                    provider.detail.clone().unwrap_or_default(),
                ]
            })
            .collect();
        table(&["provider", "state", "class", "data use", "models", "key", "detail"], &rows)
    });
    Ok(0)
}

/// A provider's state as people say it.
const fn state_word(state: ProviderState) -> &'static str {
    match state {
        ProviderState::Ready => "ready",
        ProviderState::Unverified => "not tried",
        ProviderState::Failing => "failing",
        ProviderState::NeedsKey => "needs a key",
        ProviderState::Disabled => "switched off",
    }
}

/// `lwa models`.
pub async fn models(provider: Option<String>, output: Output) -> Result<u8, Failure> {
    let list = face::call::<ModelGetList>(ModelListParams { provider }).await?;
    output.result(&list, |list| {
        let per_million = |amount: PicoUsd| amount.times(1_000_000).to_string();
        let rows: Vec<Vec<String>> = list
            .models
            .iter()
            .map(|model| {
                let price = model.price.as_ref().map_or_else(
                    || "unknown".to_owned(),
                    |price| {
                        format!(
                            "{} in, {} out per million ({}, {})",
                            per_million(price.input_pico_usd),
                            per_million(price.output_pico_usd),
                            price.source,
                            price.as_of
                        )
                    },
                );
                vec![
                    format!("{}:{}", model.provider, model.model),
                    model.billing_class.to_string(),
                    model.context_length.to_string(),
                    price,
                    model.source.clone(),
                ]
            })
            .collect();
        table(&["model", "class", "context", "price", "source"], &rows)
    });
    Ok(0)
}
