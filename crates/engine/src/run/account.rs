//! What a call is booked as, and what a run is told as.

use std::time::Duration;

use lwa_domain::tokens::estimate_tokens;
use lwa_domain::{BillingClass, PicoUsd, Price, TokenCounts};
use lwa_protocol::Failure;
use lwa_protocol::plan::{RouteUsed, RunAnswer, RunStatus, Usage};
use lwa_providers::{ChatAnswer, LimitKind, ProviderError};
use lwa_store::{PlanRecord, Settlement};

use super::narrow;
use crate::failure;

/// How long keys rest when the provider does not say.
const REFUSED_KEY_RESTS: Duration = Duration::from_hours(1);
const LIMITED_KEY_RESTS: Duration = Duration::from_mins(1);
const SHORTEST_REST: Duration = Duration::from_secs(1);
const EMPTY_KEY_RESTS: Duration = Duration::from_hours(1);

/// Why a call has no answer, and whether it may be billed all the same: then its cost is unknown, and
/// what was reserved for it stays counted.
#[derive(Debug)]
pub(crate) struct Fault {
    pub failure: Failure,
    pub may_have_cost: bool,
    /// How long the key that was used has to rest, when the failure is a matter of the key alone.
    pub key_rests_for: Option<Duration>,
}

impl Fault {
    /// What the provider's own account of the failure says about its bill.
    pub fn of(error: &ProviderError) -> Self {
        Self {
            failure: failure::provider(error),
            may_have_cost: error.may_have_cost(),
            key_rests_for: key_rests_for(error),
        }
    }

    /// A failure that may be billed all the same.
    pub fn maybe_billed(failure: Failure) -> Self {
        Self { failure, may_have_cost: true, key_rests_for: None }
    }
}

/// What fails before the request leaves costs nothing.
impl From<Failure> for Fault {
    fn from(failure: Failure) -> Self {
        Self { failure, may_have_cost: false, key_rests_for: None }
    }
}

/// How long a key has to rest after such a failure; none when the failure is not a matter of the key.
fn key_rests_for(error: &ProviderError) -> Option<Duration> {
    match error {
        ProviderError::Unauthorized { .. } => Some(REFUSED_KEY_RESTS),
        ProviderError::RateLimited { limit: LimitKind::Window | LimitKind::Concurrency, retry_after, .. } => {
            Some(retry_after.unwrap_or(LIMITED_KEY_RESTS).max(SHORTEST_REST))
        }
        ProviderError::QuotaExhausted { retry_after, .. } => {
            Some(retry_after.unwrap_or(EMPTY_KEY_RESTS).max(SHORTEST_REST))
        }
        _ => None,
    }
}

/// One call in the ledger's terms and in those of the answer.
pub(super) struct Account {
    pub settlement: Settlement,
    pub usage: Usage,
    pub cost: Option<PicoUsd>,
}

/// What a call is booked as. A cost that the provider reports, a reported zero included, beats one we compute; a
/// failed call that may be billed has an unknown cost.
pub(super) fn account(
    billing_class: BillingClass,
    estimated_input: u64,
    outcome: Result<&ChatAnswer, &Fault>,
    price: Option<&Price>,
    latency_ms: u64,
) -> Account {
    let is_free = !billing_class.may_cost_money();
    match outcome {
        Ok(chat) => {
            let input = chat.usage.input.or(Some(estimated_input));
            let output = chat.usage.output.or_else(|| Some(estimate_tokens(&chat.text)));
            let counts = TokenCounts {
                input: input.unwrap_or(0),
                cached: chat.usage.cached.unwrap_or(0),
                cache_written: chat.usage.cache_written.unwrap_or(0),
                output: output.unwrap_or(0),
            };
            // A free class is the provider's rule, whatever a list price says of the model.
            let computed = price.filter(|_| chat.usage.reported && !is_free).map(|price| price.cost_of(&counts));
            let cost = chat.cost.or(computed).or(is_free.then_some(PicoUsd::ZERO));
            let usage = Usage {
                input_tokens: input.map(narrow),
                cached_tokens: chat.usage.cached.map(narrow),
                output_tokens: output.map(narrow),
                reported: chat.usage.reported,
            };
            let settlement = Settlement {
                error_code: None,
                input_tokens: input,
                output_tokens: output,
                cached_tokens: chat.usage.cached,
                usage_reported: chat.usage.reported,
                cost,
                latency_ms,
            };
            Account { settlement, usage, cost }
        }
        Err(fault) => {
            let cost = (is_free || !fault.may_have_cost).then_some(PicoUsd::ZERO);
            let settlement = Settlement {
                error_code: Some(fault.failure.code),
                input_tokens: None,
                output_tokens: None,
                cached_tokens: None,
                usage_reported: false,
                cost,
                latency_ms,
            };
            Account { settlement, usage: Usage::default(), cost }
        }
    }
}

/// The answer of a plan that made one call.
pub(super) fn conclude(
    plan: &PlanRecord,
    outcome: Result<ChatAnswer, Fault>,
    price: Option<&Price>,
    latency_ms: u64,
) -> (RunAnswer, Settlement) {
    let booked = account(plan.billing_class, plan.estimated_input_tokens, outcome.as_ref(), price, latency_ms);
    let mut answer = match outcome {
        Ok(chat) => {
            let mut answer = unfinished(plan, RunStatus::Completed, "work_complete", "");
            answer.route.model = chat.model;
            answer.usage = booked.usage;
            answer.finish_reason = chat.finish_reason;
            answer.warnings = chat.notes;
            answer.text_bytes = Some(narrow(chat.text.len() as u64));
            answer.text = Some(chat.text);
            answer
        }
        Err(Fault { failure, .. }) => stopped(plan, failure),
    };
    answer.cost_pico_usd = booked.cost;
    answer.latency_ms = Some(narrow(latency_ms));
    if answer.error.is_none() {
        answer.display = display(&answer, latency_ms);
    }
    (answer, booked.settlement)
}

/// The answer of a plan whose work stopped.
pub(super) fn stopped(plan: &PlanRecord, error: Failure) -> RunAnswer {
    let mut answer = unfinished(plan, RunStatus::RepreflightRequired, "work_stopped", "");
    answer.display = format!("{} failed at {}:{}: {}", plan.task, plan.provider, plan.model, error.message);
    answer.error = Some(error);
    answer
}

/// An answer without a result.
pub(super) fn unfinished(plan: &PlanRecord, status: RunStatus, phase: &str, display: &str) -> RunAnswer {
    RunAnswer {
        status,
        phase: phase.to_owned(),
        replayed: false,
        plan_id: plan.plan_id.clone(),
        task: plan.task,
        route: RouteUsed {
            provider: plan.provider.clone(),
            model: plan.model.clone(),
            billing_class: plan.billing_class,
        },
        usage: Usage::default(),
        cost_pico_usd: None,
        latency_ms: None,
        text: None,
        is_text_reduced: false,
        text_bytes: None,
        finish_reason: None,
        display: display.to_owned(),
        error: None,
        consensus: None,
        media: None,
        masked: Vec::new(),
        panel: None,
        next_tier_guidance: None,
        warnings: Vec::new(),
    }
}

/// One line about a finished run.
pub(super) fn display(answer: &RunAnswer, latency_ms: u64) -> String {
    let count = |tokens: Option<u32>| tokens.map_or_else(|| "?".to_owned(), |n| n.to_string());
    let counted = if answer.usage.reported { "reported" } else { "estimated" };
    let cost = answer.cost_pico_usd.map_or_else(|| "cost unknown".to_owned(), |cost| cost.to_string());
    format!(
        "Lwa ran {} on {}:{} ({}): {} tokens in, {} out ({counted}), {cost}, {latency_ms} ms",
        answer.task,
        answer.route.provider,
        answer.route.model,
        answer.route.billing_class,
        count(answer.usage.input_tokens),
        count(answer.usage.output_tokens),
    )
}
