//! `plan/prepare`: check, route, lock, keep. Calls no provider and needs no network.

mod check;
pub(crate) mod excluded;
mod route;

use jiff::SignedDuration;
use lwa_domain::{ErrorCode, PicoUsd, PlanState};
use lwa_protocol::plan::{EgressView, PlanLocks, PlanPrepared, PrepareParams, WorkflowParams};
use lwa_protocol::{Event, Failure};
use lwa_store::{NewAudit, NewPlan};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use self::check::Checked;
use self::route::Routed;
use crate::caller::Caller;
use crate::engine::{Engine, rfc3339};
use crate::{failure, tokens};

/// The largest answer a caller can ask for; for the built-in provider it means "no budget".
pub(crate) const MAX_OUTPUT_TOKENS: u32 = 100_000;
/// The part of the one route of a plan.
pub(crate) const ROLE_PRIMARY: &str = "primary";
/// The part of a route that votes.
pub(crate) const ROLE_VOTER: &str = "consensus_voter";
/// The part of a route that writes the synthesis.
pub(crate) const ROLE_SYNTHESIS: &str = "consensus_synthesis";

/// What a plan's work needs beside its prompt; kept with the plan and wiped with the prompt.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct WorkDetails {
    /// The form of the answer.
    pub response_format: Option<Value>,
    /// What a picture or film should be like, as it was asked for.
    pub media: Option<Map<String, Value>>,
    /// The locked prompt of the synthesis, with a gap for the reviews.
    pub synthesis_template: Option<String>,
    /// Tokens that the prompt of the synthesis may have: what was reserved for it.
    pub synthesis_tokens: u64,
    /// The workflow that this is a part of.
    pub workflow: Option<WorkflowParams>,
    /// The recipe whose prompt this is.
    pub library_tool: Option<String>,
}

/// What a preparation found out and a plan goes on to show; it names no part of the prompt, and outlives it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PlanFacts {
    /// What leaves this machine, and what is masked before it does.
    pub egress: EgressView,
    /// Characters of a consensus draft that were left out of its middle.
    #[serde(default)]
    pub omitted_characters: u32,
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
        let mut routed = self.route(caller, params, &checked, &snapshot)?;
        if let Some(format) = &checked.response_format {
            for note in self.check_format(routed.lead(), format).await? {
                routed.message = format!("{}; {note}", routed.message);
            }
        }
        Self::refuse_above_ceiling(params, &routed)?;
        self.lock(caller, params, checked, routed).await
    }

    /// Refuses a plan that might cost more than its caller wants to spend.
    fn refuse_above_ceiling(params: &PrepareParams, routed: &Routed) -> Result<(), Failure> {
        let Some(ceiling) = params.max_cost_pico_usd else { return Ok(()) };
        let message = match routed.max_cost {
            Some(cost) if cost <= ceiling => return Ok(()),
            Some(cost) => format!("the plan may cost {cost}, more than the {ceiling} that the request allows"),
            None => format!("what the plan costs is unknown, and the request allows {ceiling} at most"),
        };
        Err(Failure::new(ErrorCode::CapExceeded, message)
            .hint("allow fewer output tokens, name a cheaper model, or allow a higher cost"))
    }

    async fn lock(
        &self,
        caller: &Caller,
        params: &PrepareParams,
        checked: Checked,
        mut routed: Routed,
    ) -> Result<PlanPrepared, Failure> {
        let now = self.now();
        let ttl = SignedDuration::from_secs(i64::from(self.configuration.in_force().router.confirmation_ttl_seconds));
        let plan_token = tokens::token("plan")?;
        let confirmation_token = routed.requires_consent.then(|| tokens::token("confirm")).transpose()?;
        let prompt_hash = tokens::text_hash(&checked.prompt);
        let prompt = routed.prompt.take().unwrap_or(checked.prompt);
        let egress = self.egress_view(&routed.routes, &checked.system, &prompt, checked.response_format.as_ref()).await;
        let library_suggestions = self.suggest_for(params).await;
        let json = |error: serde_json::Error| failure::json(&error);
        let lead = routed.lead().clone();
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
            prompt_hash,
            prompt,
            system_prompt: checked.system,
            provider: lead.provider,
            model: lead.model,
            billing_class: lead.billing_class,
            routes: serde_json::to_value(&routed.routes).map_err(json)?,
            excluded: excluded::kept(&routed.others).map_err(json)?,
            estimated_input_tokens: routed.estimated_input_tokens,
            max_output_tokens: routed.max_output_tokens,
            max_cost: routed.max_cost,
            created_at: now,
            expires_at: now + ttl,
            mode: routed.mode,
            work: Some(serde_json::to_value(&routed.work).map_err(json)?),
            facts: serde_json::to_value(PlanFacts {
                egress: egress.clone(),
                omitted_characters: routed.omitted_characters,
            })
            .map_err(json)?,
        };
        let audit = NewAudit {
            at: now,
            actor: caller.actor(),
            session: Some(caller.session.as_str()),
            action: "plan.prepared",
            object: Some(plan.plan_id.as_str()),
            decision: Some(if routed.requires_consent { "ask" } else { "allow" }),
            detail: json!({
                "task": plan.task, "provider": plan.provider, "model": plan.model, "billing_class": plan.billing_class,
                "client": plan.client, "prompt_characters": plan.prompt.chars().count(), "mode": plan.mode,
                "routes": routed.routes.len(), "masked": egress.masked_secrets,
            }),
        };
        self.db.insert_plan(&plan, &audit).await.map_err(failure::store)?;
        let status = if routed.requires_consent { PlanState::ConfirmationRequired } else { PlanState::Ready };
        self.emit(Event::PlanChanged { plan_id: plan.plan_id.clone(), state: status });
        self.wakes_maintenance.notify_one();
        let shown = params.excluded_limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX);
        Ok(PlanPrepared {
            status,
            phase: "preflight_complete".to_owned(),
            message: routed.message,
            plan_id: plan.plan_id,
            plan_token,
            working_may_begin: !routed.requires_consent,
            requires_confirmation: routed.requires_consent,
            confirmation_token,
            task: plan.task,
            quality: plan.quality,
            reasoning_effort: plan.reasoning_effort,
            max_cost_pico_usd: routed.max_cost,
            routes: routed.routes,
            excluded: excluded::views(&routed.others, shown),
            excluded_count: u32::try_from(routed.others.len()).unwrap_or(u32::MAX),
            estimated_input_tokens: u32::try_from(routed.estimated_input_tokens).unwrap_or(u32::MAX),
            max_output_tokens: routed.max_output_tokens,
            prompt_hash: plan.prompt_hash,
            expires_at: rfc3339(plan.expires_at),
            mode: plan.mode,
            locks: PlanLocks::of(plan.mode),
            egress,
            library_suggestions,
            omitted_characters: routed.omitted_characters,
        })
    }
}

/// The whole of several costs; unknown as soon as a part is.
pub(crate) fn sum_of(costs: impl IntoIterator<Item = Option<PicoUsd>>) -> Option<PicoUsd> {
    costs.into_iter().sum()
}
