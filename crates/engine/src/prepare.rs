//! `plan/prepare`: check, route, lock, keep. Calls no provider and needs no network.

use jiff::SignedDuration;
use lwa_domain::tokens::estimate_tokens;
use lwa_domain::{ErrorCode, PicoUsd, Pipeline, PlanState, Quality, ReasoningEffort, TaskKind};
use lwa_protocol::plan::{ExcludedView, PlanPrepared, PrepareParams, RouteView};
use lwa_protocol::{Event, Failure};
use lwa_routing::{Catalog, Decision, NoRoute, Policy, Request};
use lwa_store::{NewAudit, NewPlan};
use serde_json::json;

use crate::caller::Caller;
use crate::catalogue::{BUILTIN, Snapshot, unknown_provider};
use crate::engine::{Engine, rfc3339};
use crate::{failure, tokens};

/// Limits of a request, in characters and tokens.
const MAX_PROMPT_CHARACTERS: usize = 2_000_000;
const MAX_SYSTEM_CHARACTERS: usize = 200_000;
/// The largest answer a caller can ask for; for the built-in provider it means "no budget".
pub(crate) const MAX_OUTPUT_TOKENS: u32 = 100_000;
const DEFAULT_OUTPUT_TOKENS: u32 = 1200;

/// A request whose every field was checked.
struct Checked {
    task: TaskKind,
    quality: Quality,
    effort: Option<ReasoningEffort>,
    prompt: String,
    system: String,
    max_output_tokens: Option<u32>,
    usual_output_tokens: u32,
}

impl Engine {
    /// Prepares and locks a plan.
    ///
    /// # Errors
    /// A misspelt label, a prompt that is empty, too long or no text, or no eligible route. Nothing
    /// is kept then.
    pub async fn prepare(&self, caller: &Caller, params: &PrepareParams) -> Result<PlanPrepared, Failure> {
        self.refuse_while_paused()?;
        let checked = self.check(params)?;
        let snapshot = self.catalogue().await?;
        // A misspelt name is bad input; that a known one cannot serve is for routing to say.
        if let Some(name) = params.provider.as_deref().filter(|name| !snapshot.facts.contains_key(*name)) {
            return Err(unknown_provider(name, snapshot.facts.keys().map(String::as_str)));
        }
        let names_builtin = params.provider.as_deref() == Some(BUILTIN)
            || params.preferred_providers.iter().any(|name| name == BUILTIN);
        let estimated_input_tokens = estimate_tokens(&checked.prompt) + estimate_tokens(&checked.system);
        let config = self.configuration.in_force();
        let policy = Policy {
            consent_mode: config.router.consent_mode,
            prefer_free: config.router.prefer_free,
            allow_paid: config.router.allow_paid,
            allow_user_pays: config.router.allow_user_pays,
            allow_training: config.router.allow_training,
        };
        let request = Request {
            task: checked.task,
            quality: checked.quality,
            reasoning_effort: checked.effort,
            estimated_input_tokens,
            max_output_tokens: checked.max_output_tokens.unwrap_or(checked.usual_output_tokens),
            allow_paid: params.allow_paid,
            allow_user_pays: params.allow_user_pays,
            preferred_providers: &params.preferred_providers,
            excluded_providers: &params.excluded_providers,
            provider: params.provider.as_deref(),
            model: params.model.as_deref(),
        };
        let catalog = Catalog { models: &snapshot.models, providers: &snapshot.facts };
        let decision =
            lwa_routing::decide(&request, &policy, &catalog).map_err(|none| no_route(&none, names_builtin))?;
        self.lock(caller, params, checked, &snapshot, &decision, estimated_input_tokens).await
    }

    fn check(&self, params: &PrepareParams) -> Result<Checked, Failure> {
        let task: TaskKind = params.task.parse()?;
        let quality = params.quality.as_deref().map_or(Ok(Quality::Balanced), str::parse)?;
        let effort = params.reasoning_effort.as_deref().map(str::parse::<ReasoningEffort>).transpose()?;
        if task.pipeline() != Pipeline::Text {
            return Err(Failure::new(ErrorCode::NoRoute, format!("task `{task}` is not available in this version"))
                .hint("this version serves the nine text tasks; ask for one of them"));
        }
        if let Some(tokens) = params.max_output_tokens
            && !(1..=MAX_OUTPUT_TOKENS).contains(&tokens)
        {
            return Err(Failure::new(
                ErrorCode::InvalidInput,
                format!("max_output_tokens must be 1 to {MAX_OUTPUT_TOKENS}, not {tokens}"),
            ));
        }
        let prompt = checked_text("prompt", &params.prompt, MAX_PROMPT_CHARACTERS)?;
        if prompt.trim().is_empty() {
            return Err(Failure::new(ErrorCode::InvalidInput, "the prompt is empty").hint("give the text to work on"));
        }
        let config = self.configuration.in_force();
        let mut system = config.router.task_prompts.get(&task).cloned().unwrap_or_else(|| task.doctrine().to_owned());
        if let Some(extra) = params.system_prompt.as_deref().filter(|extra| !extra.trim().is_empty()) {
            let extra = checked_text("system prompt", extra, MAX_SYSTEM_CHARACTERS)?;
            system.push_str("\n\n# Further instructions of the caller\n\n");
            system.push_str(&extra);
        }
        let usual_output_tokens =
            params.usual_output_tokens.unwrap_or(DEFAULT_OUTPUT_TOKENS).clamp(1, MAX_OUTPUT_TOKENS);
        Ok(Checked {
            task,
            quality,
            effort,
            prompt,
            system,
            max_output_tokens: params.max_output_tokens,
            usual_output_tokens,
        })
    }

    async fn lock(
        &self,
        caller: &Caller,
        params: &PrepareParams,
        checked: Checked,
        snapshot: &Snapshot,
        decision: &Decision,
        estimated_input_tokens: u64,
    ) -> Result<PlanPrepared, Failure> {
        let now = self.now();
        let ttl = SignedDuration::from_secs(i64::from(self.configuration.in_force().router.confirmation_ttl_seconds));
        let route = route_view(snapshot, decision);
        let is_builtin = route.provider == BUILTIN;
        // Without a given budget the built-in provider keeps everything that matters, however long.
        let max_output_tokens = checked.max_output_tokens.unwrap_or(if is_builtin {
            MAX_OUTPUT_TOKENS
        } else {
            checked.usual_output_tokens
        });
        let excluded: Vec<ExcludedView> = decision
            .others
            .iter()
            .map(|other| ExcludedView {
                provider: other.key.provider.clone(),
                model: other.key.model.clone(),
                reason: other.reason.to_string(),
            })
            .collect();
        let plan_token = tokens::token("plan")?;
        let confirmation_token = decision.requires_consent.then(|| tokens::token("confirm")).transpose()?;
        let json = |error: serde_json::Error| failure::json(&error);
        let plan = NewPlan {
            plan_id: tokens::plan_id()?,
            plan_token: tokens::digest(&plan_token),
            confirmation_token: confirmation_token.as_deref().map(tokens::digest),
            task: checked.task,
            quality: checked.quality,
            reasoning_effort: checked.effort,
            client: caller.client_name().to_owned(),
            session: caller.session.as_str().to_owned(),
            tool_name: params.tool_name.clone(),
            prompt_hash: tokens::text_hash(&checked.prompt),
            prompt: checked.prompt,
            system_prompt: checked.system,
            provider: route.provider.clone(),
            model: route.model.clone(),
            billing_class: route.billing_class,
            routes: serde_json::to_value([&route]).map_err(json)?,
            excluded: serde_json::to_value(&excluded).map_err(json)?,
            estimated_input_tokens,
            max_output_tokens,
            max_cost: route.max_cost_pico_usd,
            created_at: now,
            expires_at: now + ttl,
        };
        let audit = NewAudit {
            at: now,
            actor: caller.actor(),
            session: Some(caller.session.as_str()),
            action: "plan.prepared",
            object: Some(plan.plan_id.as_str()),
            decision: Some(if decision.requires_consent { "ask" } else { "allow" }),
            detail: json!({
                "task": plan.task, "provider": plan.provider, "model": plan.model, "billing_class": plan.billing_class,
                "client": plan.client, "prompt_characters": plan.prompt.chars().count(),
            }),
        };
        self.db.insert_plan(&plan, &audit).await.map_err(failure::store)?;
        let status = if decision.requires_consent { PlanState::ConfirmationRequired } else { PlanState::Ready };
        self.emit(Event::PlanChanged { plan_id: plan.plan_id.clone(), state: status });
        self.wakes_maintenance.notify_one();
        Ok(PlanPrepared {
            status,
            phase: "preflight_complete".to_owned(),
            message: message(decision, &route),
            plan_id: plan.plan_id,
            plan_token,
            working_may_begin: !decision.requires_consent,
            requires_confirmation: decision.requires_consent,
            confirmation_token,
            task: plan.task,
            quality: plan.quality,
            reasoning_effort: plan.reasoning_effort,
            max_cost_pico_usd: route.max_cost_pico_usd,
            routes: vec![route],
            excluded,
            estimated_input_tokens: u32::try_from(estimated_input_tokens).unwrap_or(u32::MAX),
            max_output_tokens,
            prompt_hash: plan.prompt_hash,
            expires_at: rfc3339(plan.expires_at),
        })
    }
}

fn message(decision: &Decision, route: &RouteView) -> String {
    let place = format!("`{}:{}`", route.provider, route.model);
    if decision.requires_consent {
        format!(
            "locked to {place}; a human has to consent first ({}): call approve_preflight with the confirmation_token",
            decision.consent_reason.trim_end_matches('.')
        )
    } else {
        format!("locked to {place}; call run_prepared_task with the plan_token to run it once")
    }
}

fn route_view(snapshot: &Snapshot, decision: &Decision) -> RouteView {
    let chosen = &decision.chosen;
    let facts = snapshot.facts.get(&chosen.model.key.provider);
    RouteView {
        role: "primary".to_owned(),
        provider: chosen.model.key.provider.clone(),
        model: chosen.model.key.model.clone(),
        billing_class: chosen.model.billing_class,
        data_use: facts.map_or(lwa_domain::DataUse::Unknown, |facts| facts.data_use),
        is_local: facts.is_some_and(|facts| facts.is_local),
        score_hundredths: chosen.score_hundredths,
        reasons: chosen.reasons.clone(),
        // A free class is the provider's rule, so the most it can cost is nothing whatever its prices are not.
        max_cost_pico_usd: chosen.max_cost.or_else(|| chosen.model.billing_class.is_free().then_some(PicoUsd::ZERO)),
        price_source: chosen.model.price.as_ref().map(|price| price.source.clone()),
        price_as_of: chosen.model.price.as_ref().map(|price| price.as_of.clone()),
    }
}

fn no_route(none: &NoRoute, names_builtin: bool) -> Failure {
    let mut failure = Failure::new(ErrorCode::NoRoute, without_way_out(none));
    failure.hint = Some(if names_builtin && !none.task.is_served_without_model() {
        format!("the built-in provider serves `conversation_compression` and `token_optimization`, not `{}`", none.task)
    } else {
        none.way_out.clone()
    });
    failure
}

/// What happened, apart from the way out, which travels as the hint.
fn without_way_out(none: &NoRoute) -> String {
    let text = none.to_string();
    let way_out = format!("; way out: {}", none.way_out);
    text.strip_suffix(way_out.as_str()).unwrap_or(&text).to_owned()
}

/// A text with line ends made alike, refused when it is too long or no text.
fn checked_text(what: &str, text: &str, limit: usize) -> Result<String, Failure> {
    let characters = text.chars().count();
    if characters > limit {
        return Err(Failure::new(
            ErrorCode::InvalidInput,
            format!("the {what} has {characters} characters; the limit is {limit}"),
        )
        .hint("split it, or compress it first"));
    }
    let odd = text
        .chars()
        .filter(|c| {
            *c == '\u{FFFD}' || (c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{1b}' | '\u{8}' | '\u{c}'))
        })
        .count();
    if text.contains('\0') || odd * 20 > characters {
        return Err(Failure::new(
            ErrorCode::InvalidInput,
            format!("the {what} is not text: it looks like binary data"),
        )
        .hint("give UTF-8 text"));
    }
    Ok(text.replace("\r\n", "\n").replace('\r', "\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_are_made_alike() {
        assert_eq!(checked_text("prompt", "a\r\nb\rc", 10).unwrap(), "a\nb\nc");
    }

    #[test]
    fn binary_and_overlong_prompts_are_refused_with_the_limit() {
        assert!(checked_text("prompt", "a\0b", 10).unwrap_err().message.contains("binary"));
        assert!(checked_text("prompt", &"\u{FFFD}".repeat(9), 10).unwrap_err().message.contains("binary"));
        assert!(checked_text("prompt", "12345678901", 10).unwrap_err().message.contains("the limit is 10"));
    }

    #[test]
    fn coloured_terminal_output_is_text() {
        assert!(checked_text("prompt", "\u{1b}[31merror\u{1b}[0m", 100).is_ok());
    }
}
