//! How a run ended, as people see it: the answer, whose turn it is, and the measurements.

use lwa_domain::{ErrorCode, PicoUsd, TaskKind};
use lwa_protocol::Connection;
use lwa_protocol::host::Nothing;
use lwa_protocol::method::{PlanShow, QuotaGetList};
use lwa_protocol::plan::{PlanParams, PlanView, RunAnswer, RunStatus};
use lwa_protocol::router::QuotaView;

use super::frame::{field, framed, inert, six_decimals};
use crate::face;
use crate::output::Output;

/// Quotas that the measurements show.
const QUOTAS_SHOWN: usize = 3;

/// Shows an answer with its measurements. Gives the exit code.
pub async fn ended(host: &Connection, answer: &RunAnswer, codex: &str, output: Output) -> u8 {
    let code = show(answer, codex, output);
    if !output.is_json() && answer.status == RunStatus::Completed {
        output.note(&measured(host, answer, codex).await);
    }
    code
}

/// Shows an answer: the text alone where another program reads it, in a frame where a person does.
pub fn show(answer: &RunAnswer, codex: &str, output: Output) -> u8 {
    if output.is_json() {
        output.result(answer, |_| String::new());
    } else if let Some(text) = &answer.text {
        if output.is_terminal() {
            output.line(&response(answer, text, codex));
        } else {
            output.line(text.trim_end());
        }
    } else {
        output.note(&answer.display);
        for review in answer.consensus.iter().flat_map(|consensus| &consensus.reviews) {
            let (route, plan) = (&review.route, &answer.plan_id);
            output.note(&format!("{}:{} answered; `lwa result {plan} --json` has it", route.provider, route.model));
        }
    }
    match &answer.error {
        None if answer.status == RunStatus::Completed => 0,
        None => ErrorCode::ConfirmationRequired.exit_code(),
        Some(error) => {
            output.note(&format!("lwa: {}", error.message));
            if let Some(hint) = &error.hint {
                output.note(&format!("     {hint}"));
            }
            if answer.status == RunStatus::ConfirmationRequired {
                ErrorCode::ConfirmationRequired
            } else {
                ErrorCode::RepreflightRequired
            }
            .exit_code()
        }
    }
}

fn response(answer: &RunAnswer, text: &str, codex: &str) -> String {
    let mut lines = vec![inert(text.trim_end()), String::new()];
    let replayed = if answer.replayed { "; the stored result of an earlier run" } else { "" };
    lines.push(field("complete", format!("{}{replayed}", answer.display)));
    lines.extend(answer.warnings.iter().map(|warning| field("warning", warning)));
    lines.push(field("turn", format!("control is back; Codex active: {codex}")));
    framed("LWA RESPONSE", &lines)
}

/// The measurements of a run; what nobody measured says so.
async fn measured(host: &Connection, answer: &RunAnswer, codex: &str) -> String {
    let params = PlanParams { plan_id: answer.plan_id.clone() };
    // Without them the block says less; the answer is there all the same.
    let plan = face::call_on::<PlanShow>(host, params).await.ok();
    let quotas = face::call_on::<QuotaGetList>(host, Nothing {}).await.map(|list| list.quotas).unwrap_or_default();
    let of_provider: Vec<QuotaView> =
        quotas.into_iter().filter(|quota| quota.provider == answer.route.provider).take(QUOTAS_SHOWN).collect();
    telemetry(answer, plan.as_ref(), &of_provider, codex)
}

fn telemetry(answer: &RunAnswer, plan: Option<&PlanView>, quotas: &[QuotaView], codex: &str) -> String {
    let route = &answer.route;
    let effort = plan.and_then(|plan| plan.reasoning_effort).map_or("none asked", lwa_domain::ReasoningEffort::as_str);
    let mut lines = vec![
        field("task", format!("{}, effort {effort}", answer.task)),
        field("route", format!("{}:{}", route.provider, route.model)),
        field("billing", billing(answer)),
        field("lifecycle", lifecycle(plan)),
    ];
    if matches!(answer.task, TaskKind::ConversationCompression | TaskKind::TokenOptimization) {
        lines.push(field("optimised", reduction(answer, plan)));
    }
    let number = |count: Option<u32>| count.map_or_else(|| "not reported".to_owned(), |count| count.to_string());
    let counted = if answer.usage.reported { "reported by the provider" } else { "estimated" };
    let (read, written) = (number(answer.usage.input_tokens), number(answer.usage.output_tokens));
    lines.push(field("tokens", format!("{read} in, {written} out ({counted})")));
    let money = |amount: Option<PicoUsd>, unknown: &str| amount.map_or_else(|| unknown.to_owned(), six_decimals);
    let spent = money(answer.cost_pico_usd, "not reported");
    let ceiling = money(plan.and_then(|plan| plan.max_cost_pico_usd), "unknown");
    lines.push(field("spend", format!("actual {spent}, ceiling {ceiling}")));
    lines.push(field("latency", answer.latency_ms.map_or_else(|| "not reported".to_owned(), |ms| format!("{ms} ms"))));
    if let Some(consensus) = &answer.consensus {
        let (answered, voters) = (consensus.reviews.len(), consensus.voters);
        lines.push(field("voters", format!("{answered} of {voters}; `lwa result {} --json` has each", answer.plan_id)));
        let failed = consensus.voter_failures.iter().chain(&consensus.synthesis_failures);
        lines.extend(
            failed.map(|one| field("failed", format!("{}:{}: {}", one.provider, one.model, one.error.message))),
        );
    }
    lines.extend(answer.masked.iter().map(|one| field("masked", format!("{} ({})", one.placeholder, one.kind))));
    lines.extend(quotas.iter().map(|quota| field("quota", described(quota))));
    if let Some(guidance) = &answer.next_tier_guidance {
        lines.push(field("next tier", format!("{} ({}; changes no route)", guidance.suggestion, guidance.source)));
    }
    lines.push(field("handoff", format!("control returns to the caller; Codex: {codex}")));
    framed("LWA TELEMETRY", &lines)
}

fn billing(answer: &RunAnswer) -> String {
    let class = answer.route.billing_class;
    match &answer.panel {
        Some(panel) => format!("{class}, plan {}, subscription {}", panel.subscription_plan, panel.subscription_status),
        None => class.to_string(),
    }
}

fn lifecycle(plan: Option<&PlanView>) -> String {
    let Some(plan) = plan else { return "ran".to_owned() };
    let consent = if plan.requires_confirmation { "consented ✓" } else { "no consent needed" };
    let done = |what: &str, at: &Option<String>| format!("{what} {}", if at.is_some() { "✓" } else { "…" });
    format!("prepared ✓, {consent}, {}, {}", done("working", &plan.started_at), done("complete", &plan.finished_at))
}

/// No tokenizer counts both texts, so only their characters are compared.
fn reduction(answer: &RunAnswer, plan: Option<&PlanView>) -> String {
    let after = answer.text.as_deref().map(|text| text.chars().count());
    match (plan.map(|plan| plan.prompt_characters), after) {
        (Some(before), Some(after)) => {
            format!("token reduction unmeasured; {before} characters became {after}")
        }
        _ => "token reduction unmeasured".to_owned(),
    }
}

/// A quota in one line.
pub fn described(quota: &QuotaView) -> String {
    let left = match (&quota.remaining, &quota.limit) {
        (Some(left), Some(limit)) => format!("{left} of {limit} {} left", quota.unit),
        (Some(left), None) => format!("{left} {} left", quota.unit),
        (None, Some(limit)) => format!("limit {limit} {}", quota.unit),
        (None, None) => "nothing stated".to_owned(),
    };
    format!("{}: {left} ({}, {} s ago)", quota.window, quota.source, quota.age_seconds)
}

#[cfg(test)]
mod tests {
    use lwa_domain::{BillingClass, PlanId};
    use lwa_protocol::plan::{RouteUsed, Usage};

    use super::*;

    fn answer() -> RunAnswer {
        RunAnswer {
            status: RunStatus::Completed,
            phase: "work_complete".to_owned(),
            replayed: false,
            plan_id: PlanId::new("a1b2c3"),
            task: TaskKind::TokenOptimization,
            route: RouteUsed {
                provider: "acme".to_owned(),
                model: "big-1".to_owned(),
                billing_class: BillingClass::FreeQuota,
            },
            usage: Usage { input_tokens: Some(11), cached_tokens: None, output_tokens: None, reported: true },
            cost_pico_usd: Some(PicoUsd::new(120_000_000)),
            latency_ms: Some(7),
            text: Some("short".to_owned()),
            is_text_reduced: false,
            text_bytes: Some(5),
            finish_reason: None,
            display: "Lwa ran token_optimization on acme:big-1".to_owned(),
            error: None,
            consensus: None,
            media: None,
            masked: Vec::new(),
            panel: None,
            next_tier_guidance: None,
            warnings: Vec::new(),
        }
    }

    #[test]
    fn lwa_118_what_nobody_measured_is_told_so_and_money_has_six_decimals() {
        let quota = |number: u32| QuotaView {
            provider: "acme".to_owned(),
            window: format!("requests_{number}"),
            limit: None,
            remaining: Some("41".to_owned()),
            unit: "requests".to_owned(),
            resets_at: None,
            source: "x-ratelimit-remaining-requests".to_owned(),
            confidence: "stated".to_owned(),
            observed_at: "2026-12-01T00:00:00Z".to_owned(),
            age_seconds: 2,
        };
        let shown = telemetry(&answer(), None, &[quota(1)], "m-1, high");
        for part in [
            "token reduction unmeasured",
            "actual $0.000120, ceiling unknown",
            "11 in, not reported out",
            "requests_1: 41 requests left (x-ratelimit-remaining-requests, 2 s ago)",
            "control returns to the caller; Codex: m-1, high",
        ] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
    }

    #[test]
    fn lwa_116_the_answer_stands_in_a_frame_with_whose_turn_it_is() {
        let shown = response(&answer(), "first\nsecond\u{1b}[2J\n", "unknown (host-owned)");
        let expected = "┌ LWA RESPONSE\n│ first\n│ second[2J\n│\n│ complete   Lwa ran token_optimization on acme:big-1\n│ turn       control is back; Codex active: unknown (host-owned)\n└";
        assert_eq!(shown, expected);
    }
}
