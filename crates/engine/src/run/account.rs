//! What a run is told as, and what it is booked as.

use lwa_domain::PicoUsd;
use lwa_domain::tokens::estimate_tokens;
use lwa_protocol::Failure;
use lwa_protocol::plan::{RouteUsed, RunAnswer, RunStatus, Usage};
use lwa_providers::{ChatAnswer, ProviderError};
use lwa_store::{PlanRecord, Settlement};

use super::narrow;
use crate::failure;

/// Why a call has no answer, and whether it may be billed all the same: then its cost is unknown, and
/// what was reserved for it stays counted.
#[derive(Debug)]
pub(super) struct Fault {
    pub failure: Failure,
    pub may_have_cost: bool,
}

impl Fault {
    /// What the provider's own account of the failure says about its bill.
    pub fn of(error: &ProviderError) -> Self {
        Self { failure: failure::provider(error), may_have_cost: error.may_have_cost() }
    }
}

/// What fails before the request leaves costs nothing.
impl From<Failure> for Fault {
    fn from(failure: Failure) -> Self {
        Self { failure, may_have_cost: false }
    }
}

/// The answer to show and the ledger's side of it.
pub(super) fn conclude(
    plan: &PlanRecord,
    outcome: Result<ChatAnswer, Fault>,
    price: Option<&lwa_domain::Price>,
    latency_ms: u64,
) -> (RunAnswer, Settlement) {
    let is_free = !plan.billing_class.may_cost_money();
    match outcome {
        Ok(chat) => {
            let input = chat.usage.input.or(Some(plan.estimated_input_tokens));
            let output = chat.usage.output.or_else(|| Some(estimate_tokens(&chat.text)));
            // A cost that the provider reports, a reported zero included, beats one we compute.
            let computed =
                price.filter(|_| chat.usage.reported).map(|price| price.cost(input.unwrap_or(0), output.unwrap_or(0)));
            let cost = chat.cost.or(computed).or(is_free.then_some(PicoUsd::ZERO));
            let settlement = Settlement {
                error_code: None,
                input_tokens: input,
                output_tokens: output,
                cached_tokens: chat.usage.cached,
                usage_reported: chat.usage.reported,
                cost,
                latency_ms,
            };
            let usage = Usage {
                input_tokens: input.map(narrow),
                cached_tokens: chat.usage.cached.map(narrow),
                output_tokens: output.map(narrow),
                reported: chat.usage.reported,
            };
            let mut answer = unfinished(plan, RunStatus::Completed, "work_complete", "");
            answer.route.model = chat.model;
            answer.usage = usage;
            answer.cost_pico_usd = cost;
            answer.latency_ms = Some(narrow(latency_ms));
            answer.finish_reason = chat.finish_reason;
            answer.display = display(&answer, latency_ms);
            answer.text_bytes = Some(narrow(chat.text.len() as u64));
            answer.text = Some(chat.text);
            (answer, settlement)
        }
        Err(Fault { failure: error, may_have_cost }) => {
            let cost = (is_free || !may_have_cost).then_some(PicoUsd::ZERO);
            let settlement = Settlement {
                error_code: Some(error.code),
                input_tokens: None,
                output_tokens: None,
                cached_tokens: None,
                usage_reported: false,
                cost,
                latency_ms,
            };
            let mut answer = unfinished(plan, RunStatus::RepreflightRequired, "work_stopped", "");
            answer.latency_ms = Some(narrow(latency_ms));
            answer.cost_pico_usd = cost;
            answer.display = format!("{} failed at {}:{}: {}", plan.task, plan.provider, plan.model, error.message);
            answer.error = Some(error);
            (answer, settlement)
        }
    }
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
    }
}

fn display(answer: &RunAnswer, latency_ms: u64) -> String {
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
