//! `lwa tiers`.

use lwa_protocol::Failure;
use lwa_protocol::method::TierGetList;
use lwa_protocol::router::{TierList, TierListParams, TierView};

use crate::face;
use crate::output::{Output, table};

/// Lists models by what is declared about plans and tiers.
pub async fn tiers(limit: Option<u32>, output: Output) -> Result<u8, Failure> {
    let list = face::call::<TierGetList>(TierListParams { limit }).await?;
    output.result(&list, readable);
    Ok(0)
}

fn readable(list: &TierList) -> String {
    let rows: Vec<Vec<String>> = list.tiers.iter().map(row).collect();
    table(&["rank", "model", "class", "free tokens", "paid tokens", "plan", "context", "tiers", "source"], &rows)
}

fn row(tier: &TierView) -> Vec<String> {
    let tokens = |count: Option<u32>| count.map_or_else(|| "unknown".to_owned(), |count| count.to_string());
    let off = if tier.enabled { "" } else { " (off)" };
    vec![
        tier.rank.to_string(),
        format!("{}:{}{off}", tier.provider, tier.model),
        tier.billing_class.to_string(),
        tokens(tier.free_plan_max_tokens),
        tokens(tier.pro_plan_max_tokens),
        format!("{} ({})", tier.subscription_plan, tier.subscription_status),
        tier.context_length.to_string(),
        tier.service_tiers.join(", "),
        tier.source.clone(),
    ]
}
