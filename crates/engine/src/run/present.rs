//! What an answer carries beside its text: a panel for the client's display, and a thought about the next tier.

use lwa_domain::TaskKind;
use lwa_protocol::plan::{DisplayPanel, RunAnswer, RunStatus, TierGuidance};
use lwa_store::PlanRecord;

use crate::engine::Engine;

/// The longest suggestion that is kept, in characters.
const SUGGESTION_LIMIT: usize = 500;

impl Engine {
    /// Adds the panel, which is the same whenever the stored answer is shown again.
    pub(super) fn present(&self, plan: &PlanRecord, answer: &mut RunAnswer) {
        let config = self.configuration.in_force();
        let provider = config.providers.get(&answer.route.provider);
        let known = config
            .models
            .iter()
            .find(|model| model.provider == plan.provider && model.model == plan.model)
            .and_then(|model| model.display_name.clone());
        let phase_label = if answer.error.is_none() { "Work complete" } else { "Work stopped" };
        answer.panel = Some(DisplayPanel {
            surface: "LWA".to_owned(),
            phase_label: phase_label.to_owned(),
            provider: answer.route.provider.clone(),
            model: answer.route.model.clone(),
            display_name: known,
            billing_class: answer.route.billing_class,
            reasoning_effort: plan.reasoning_effort,
            input_tokens: answer.usage.input_tokens,
            output_tokens: answer.usage.output_tokens,
            returns_control_to: plan.client.clone(),
            subscription_plan: provider.map_or_else(|| "unknown".to_owned(), |known| known.subscription_plan.clone()),
            subscription_status: provider
                .map_or_else(|| "unknown".to_owned(), |known| known.subscription_status.as_str().to_owned()),
            telemetry: telemetry(plan, answer),
        });
    }

    /// The answer with a thought about the next tier, if guidance is on or the caller gave one.
    pub(super) async fn guided(&self, mut answer: RunAnswer, suggestion: Option<&str>) -> RunAnswer {
        if answer.status != RunStatus::Completed {
            return answer;
        }
        let current = format!("{}:{}", answer.route.provider, answer.route.model);
        let directive = "a suggestion changes no route; a fresh preflight decides";
        answer.next_tier_guidance = match suggestion.map(str::trim).filter(|text| !text.is_empty()) {
            Some(text) => Some(TierGuidance {
                source: "host_ingested".to_owned(),
                suggestion: text.chars().take(SUGGESTION_LIMIT).collect(),
                current,
                directive: directive.to_owned(),
                accepted: false,
            }),
            None => self.guidance().await.ok().filter(|setting| setting.enabled).map(|setting| TierGuidance {
                suggestion: if setting.mode == "local" {
                    format!("{current} served this; prepare again with another quality for another tier")
                } else {
                    "state in `next_tier_suggestion` which tier the next step needs".to_owned()
                },
                source: setting.mode,
                current,
                directive: directive.to_owned(),
                accepted: false,
            }),
        };
        answer
    }
}

/// A few lines for people; what is not known says so.
fn telemetry(plan: &PlanRecord, answer: &RunAnswer) -> String {
    let number = |count: Option<u32>| count.map_or_else(|| "not reported".to_owned(), |count| count.to_string());
    let money =
        |amount: Option<lwa_domain::PicoUsd>| amount.map_or_else(|| "not reported".to_owned(), |cost| cost.to_string());
    let counted = if answer.usage.reported { "reported" } else { "estimated" };
    let mut lines = vec![
        format!("task {}, route {}:{}", plan.task, answer.route.provider, answer.route.model),
        format!(
            "tokens in {}, out {} ({counted})",
            number(answer.usage.input_tokens),
            number(answer.usage.output_tokens)
        ),
        format!("spent {}, ceiling {}", money(answer.cost_pico_usd), money(plan.max_cost)),
        format!("latency {} ms", number(answer.latency_ms)),
    ];
    if matches!(plan.task, TaskKind::ConversationCompression | TaskKind::TokenOptimization) {
        lines.push(reduction(plan, answer));
    }
    if !answer.masked.is_empty() {
        lines.push(format!("{} values were masked before the text left", answer.masked.len()));
    }
    lines.join("\n")
}

/// How much shorter the text became, by our own estimate of both sides: the one thing that is measured the same way.
fn reduction(plan: &PlanRecord, answer: &RunAnswer) -> String {
    let Some(text) = answer.text.as_deref() else { return "reduction not measured".to_owned() };
    let after = lwa_domain::tokens::estimate_tokens(text);
    format!(
        "about {} tokens before and {after} after, both estimated from characters, which can be off by a fifth",
        plan.prompt.as_deref().map_or(plan.estimated_input_tokens, lwa_domain::tokens::estimate_tokens)
    )
}
