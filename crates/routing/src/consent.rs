//! Whether the human is asked, and the sentence that says why.

use lwa_domain::{BillingClass, ConsentMode, Model, PicoUsd};

/// Why `model` needs consent under `mode`, or why it needs none.
pub(crate) fn consent_reason(mode: ConsentMode, model: &Model, max_cost: Option<PicoUsd>) -> String {
    let who = match model.billing_class {
        BillingClass::Free | BillingClass::FreeQuota => return free_reason(mode, model),
        BillingClass::UserPays => "is paid by your own subscription there",
        BillingClass::Paid => "is billed to your key",
        BillingClass::Unknown => "has no known billing class and is treated as paid",
    };
    let amount =
        max_cost.map_or("at a price that is not known".to_owned(), |cost| format!("at most {cost} by its list price"));
    let rule = match mode {
        ConsentMode::AlwaysAsk => "consent mode `always_ask` asks before every plan",
        ConsentMode::PaidOnly => "consent mode `paid_only` asks before money may be spent",
        ConsentMode::Automatic => "consent mode `automatic` does not ask",
    };
    format!("`{}` {who}, {amount}; {rule}.", model.key)
}

fn free_reason(mode: ConsentMode, model: &Model) -> String {
    let rule = match mode {
        ConsentMode::AlwaysAsk => "consent mode `always_ask` asks before every plan",
        ConsentMode::PaidOnly => "consent mode `paid_only` asks only before money may be spent",
        ConsentMode::Automatic => "consent mode `automatic` does not ask",
    };
    let class = match model.billing_class {
        BillingClass::FreeQuota => "costs nothing within its quota",
        _ => "costs nothing",
    };
    format!("`{}` {class}; {rule}.", model.key)
}
