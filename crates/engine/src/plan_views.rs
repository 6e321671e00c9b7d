//! Plans as people see them.

use lwa_domain::{ClientName, ErrorCode, SessionId};
use lwa_protocol::Failure;
use lwa_protocol::plan::{PlanList, PlanListParams, PlanLocks, PlanParams, PlanView, RunAnswer};
use lwa_store::PlanRecord;

use crate::engine::{Engine, rfc3339};
use crate::failure;
use crate::prepare::{PlanFacts, excluded};

/// Candidates that were not chosen that a list of plans names for each; a list of plans with thousands each would be
/// longer than any face can take.
const EXCLUDED_LISTED: usize = 40;

impl Engine {
    /// `plan/list`: newest first.
    ///
    /// # Errors
    /// The database failed.
    pub async fn list_plans(&self, params: &PlanListParams) -> Result<PlanList, Failure> {
        let limit = params.limit.unwrap_or(50).min(1000);
        let plans = self.db.plans(limit).await.map_err(failure::store)?;
        Ok(PlanList { plans: plans.into_iter().map(|plan| view(plan, EXCLUDED_LISTED)).collect::<Result<_, _>>()? })
    }

    /// `plan/show`.
    ///
    /// # Errors
    /// There is no such plan.
    pub async fn show_plan(&self, params: &PlanParams) -> Result<PlanView, Failure> {
        let plan = self.db.plan(&params.plan_id).await.map_err(failure::store)?;
        let plan = plan.ok_or_else(|| {
            Failure::new(ErrorCode::UnknownPlan, format!("there is no plan `{}`", params.plan_id))
                .hint("the Plans view lists them")
        })?;
        view(plan, usize::MAX)
    }
}

fn view(plan: PlanRecord, excluded_limit: usize) -> Result<PlanView, Failure> {
    let json = |error: serde_json::Error| failure::json(&error);
    let (excluded, excluded_count) = excluded::read(&plan.excluded, excluded_limit).map_err(json)?;
    let facts = plan.facts.map(serde_json::from_value::<PlanFacts>).transpose().map_err(json)?;
    let error =
        plan.answer.map(serde_json::from_value::<RunAnswer>).transpose().map_err(json)?.and_then(|answer| answer.error);
    Ok(PlanView {
        plan_id: plan.plan_id,
        state: plan.state,
        task: plan.task,
        quality: plan.quality,
        reasoning_effort: plan.reasoning_effort,
        client: ClientName::new(plan.client),
        session: SessionId::new(plan.session),
        routes: serde_json::from_value(plan.routes).map_err(json)?,
        excluded,
        excluded_count: u32::try_from(excluded_count).unwrap_or(u32::MAX),
        requires_confirmation: plan.requires_confirmation,
        approval_id: plan.approval_id,
        prompt_characters: u32::try_from(plan.prompt_characters).unwrap_or(u32::MAX),
        estimated_input_tokens: u32::try_from(plan.estimated_input_tokens).unwrap_or(u32::MAX),
        max_output_tokens: plan.max_output_tokens,
        max_cost_pico_usd: plan.max_cost,
        cost_pico_usd: plan.cost,
        created_at: rfc3339(plan.created_at),
        expires_at: rfc3339(plan.expires_at),
        started_at: plan.started_at.map(rfc3339),
        finished_at: plan.finished_at.map(rfc3339),
        error,
        mode: plan.mode,
        locks: PlanLocks::of(plan.mode),
        omitted_characters: facts.as_ref().map_or(0, |facts| facts.omitted_characters),
        egress: facts.map(|facts| facts.egress),
    })
}
