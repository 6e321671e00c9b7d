//! `tier/list`: models with what is declared about plans and tiers.

use std::cmp::Reverse;

use lwa_domain::Model;
use lwa_protocol::Failure;
use lwa_protocol::router::{TierList, TierListParams, TierView};

use crate::engine::Engine;

/// How many are listed unless somebody asks for more or fewer.
const USUAL: u32 = 100;

impl Engine {
    /// Models with a declared free allowance first, the largest before; then those with a paid one; then the rest.
    ///
    /// # Errors
    /// The database failed.
    pub async fn list_tiers(&self, params: &TierListParams) -> Result<TierList, Failure> {
        let snapshot = self.catalogue().await?;
        let config = self.configuration.in_force();
        let declared = |model: &Model| {
            config.models.iter().find(|known| known.provider == model.key.provider && known.model == model.key.model)
        };
        let mut tiers: Vec<TierView> = snapshot
            .models
            .iter()
            .map(|model| {
                let known = declared(model);
                let provider = snapshot.providers.get(&model.key.provider);
                let parameters = model.supported_parameters.as_ref().filter(|names| !names.is_empty());
                TierView {
                    rank: 0,
                    provider: model.key.provider.clone(),
                    model: model.key.model.clone(),
                    display_name: model.display_name.clone(),
                    service_tiers: known.map(|known| known.service_tiers.clone()).unwrap_or_default(),
                    supported_parameters: parameters.map_or_else(
                        || known.map(|known| known.supported_parameters.clone()).unwrap_or_default(),
                        |names| names.iter().cloned().collect(),
                    ),
                    reasoning_levels: model.reasoning_levels.clone(),
                    capabilities: model.capabilities.iter().copied().collect(),
                    source: model.source.clone(),
                    enabled: model.disabled_reason.is_none(),
                    free_plan_max_tokens: known.and_then(|known| known.free_plan_max_tokens),
                    pro_plan_max_tokens: known.and_then(|known| known.pro_plan_max_tokens),
                    billing_class: model.billing_class,
                    subscription_plan: provider
                        .map_or_else(|| "unknown".to_owned(), |known| known.subscription_plan.clone()),
                    subscription_status: provider
                        .map_or_else(|| "unknown".to_owned(), |known| known.subscription_status.as_str().to_owned()),
                    subscription_monthly_token_limit: provider.and_then(|known| known.subscription_monthly_token_limit),
                    context_length: u32::try_from(model.context_length).unwrap_or(u32::MAX),
                }
            })
            .collect();
        tiers.sort_by(|a, b| order(a).cmp(&order(b)));
        tiers.truncate(usize::try_from(params.limit.unwrap_or(USUAL)).unwrap_or(usize::MAX));
        for (rank, tier) in (1..).zip(&mut tiers) {
            tier.rank = rank;
        }
        Ok(TierList { tiers })
    }
}

/// Declared allowances before unknown ones, however small they are.
fn order(tier: &TierView) -> (Reverse<Option<u32>>, Reverse<Option<u32>>, &str, &str) {
    (Reverse(tier.free_plan_max_tokens), Reverse(tier.pro_plan_max_tokens), &tier.provider, &tier.model)
}
