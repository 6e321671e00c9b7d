//! `plan/approve`: asks the human to consent to a plan. It never grants.

use std::time::Duration;

use lwa_domain::{ApprovalKind, BillingClass, DataUse, ErrorCode, Outcome, PlanId, PlanState};
use lwa_protocol::approval::{Answer, ApprovalDetail, SpendDetail};
use lwa_protocol::plan::{ApproveAnswer, ApproveParams, ApproveStatus, RouteView};
use lwa_protocol::{Failure, Role};
use lwa_store::PlanRecord;

use crate::broker::{CARRY, Ended, Question, short};
use crate::caller::Caller;
use crate::engine::{Engine, rfc3339};
use crate::prepare::PlanFacts;
use crate::{failure, tokens};

/// The longest a call may wait in the host, whatever the face says.
pub(crate) const MAX_HOLD: Duration = Duration::from_hours(1);

impl Engine {
    /// Opens the question for a plan, or attaches to it, and waits as long as the caller can.
    ///
    /// # Errors
    /// The token is unknown, or the plan can no longer be approved.
    pub async fn approve(&self, caller: &Caller, params: &ApproveParams) -> Result<ApproveAnswer, Failure> {
        let token = tokens::digest(&params.confirmation_token);
        let plan = self.db.plan_by_confirmation(&token).await.map_err(failure::store)?.ok_or_else(unknown_token)?;
        if let Some(settled) = self.settled(&plan).await? {
            return Ok(settled);
        }
        if let Some(ended) = self.last_answer(&plan).await?
            && !matches!(ended.outcome, Outcome::Unavailable | Outcome::Withdrawn)
        {
            // The answer may have come after the plan was read.
            return Ok(ended_answer(&self.reread(plan).await?, &ended));
        }
        let question = self.spend_question(&plan).await?;
        let (engine, asking) = (self.clone(), caller.clone());
        let about = plan.plan_id.clone();
        let opened =
            self.to_the_end(async move { engine.open_question(question, Some(&asking), Some(&about)).await }).await?;
        let plan = self.reread(plan).await?;
        let Some(approval) = opened else {
            // Somebody answered, or time ran out, in between.
            return self.settled(&plan).await?.ok_or_else(expired);
        };

        if !self.can_ask(caller).await {
            let how = format!(
                "there is no window or terminal to ask in: open the Lwa app, or run `lwa approvals allow {}` in a terminal of your own; then repeat this call",
                short(&approval.id)
            );
            return Ok(answer(&plan, ApproveStatus::Unavailable, Some(Outcome::Unavailable), how));
        }
        let hold = Duration::from_millis(u64::from(params.hold_ms)).min(MAX_HOLD);
        if let Some(ended) = self.wait_for_answer(&approval.id, hold).await? {
            Ok(ended_answer(&self.reread(plan).await?, &ended))
        } else {
            let message = "the human has not answered yet; repeat this call with the same confirmation_token";
            Ok(answer(&plan, ApproveStatus::ApprovalPending, None, message.to_owned()))
        }
    }

    /// The answer for a plan that waits for no human any more; none while it does.
    async fn settled(&self, plan: &PlanRecord) -> Result<Option<ApproveAnswer>, Failure> {
        match plan.state {
            PlanState::ConfirmationRequired | PlanState::Ready if plan.expires_at <= self.now() => Err(expired()),
            PlanState::ConfirmationRequired => Ok(None),
            PlanState::Ready | PlanState::Working | PlanState::Completed | PlanState::RepreflightRequired => {
                let message = "the plan is approved".to_owned();
                Ok(Some(answer(plan, ApproveStatus::Ready, Some(Outcome::AllowedOnce), message)))
            }
            PlanState::Denied => {
                let ended = self.last_answer(plan).await?;
                Ok(Some(ended_answer(
                    plan,
                    &ended.unwrap_or(Ended { outcome: Outcome::Denied, reason: None, variant: None }),
                )))
            }
            PlanState::Expired => Err(expired()),
        }
    }

    async fn reread(&self, plan: PlanRecord) -> Result<PlanRecord, Failure> {
        Ok(self.db.plan(&plan.plan_id).await.map_err(failure::store)?.unwrap_or(plan))
    }

    /// Whether a human can be asked now. Starts the app when it is there and a screen is known.
    pub(crate) async fn can_ask(&self, caller: &Caller) -> bool {
        if self.surfaces.has_app() || self.surfaces.has_terminal() {
            return true;
        }
        // Somebody at the command line is told how to answer; a window would only surprise them.
        caller.role == Role::Sidecar && self.start_app().await
    }

    /// How the plan's last question ended, if that was recent.
    async fn last_answer(&self, plan: &PlanRecord) -> Result<Option<Ended>, Failure> {
        let since = self.now() - CARRY;
        let record = self.db.recent_answer(&merge_key(&plan.plan_id), since).await.map_err(failure::store)?;
        Ok(record.and_then(|record| {
            record.outcome.map(|outcome| Ended { outcome, reason: record.outcome_reason, variant: record.variant })
        }))
    }

    async fn spend_question(&self, plan: &PlanRecord) -> Result<Question, Failure> {
        let routes: Vec<RouteView> =
            serde_json::from_value(plan.routes.clone()).map_err(|error| failure::json(&error))?;
        let others = routes.len().saturating_sub(1);
        let facts = plan.facts.clone().map(serde_json::from_value::<PlanFacts>).transpose();
        let egress = if let Some(facts) = facts.map_err(|error| failure::json(&error))? {
            facts.egress
        } else {
            // A plan of a version that kept no facts.
            let format = plan.work.as_ref().and_then(|work| work.get("response_format"));
            let system = plan.system_prompt.as_deref().unwrap_or_default();
            let prompt = plan.prompt.as_deref().unwrap_or_default();
            self.egress_view(&routes, system, prompt, format.filter(|format| !format.is_null())).await
        };
        // Everybody who gets the text is named, a voter as well as the writer of the synthesis.
        let mut readers: Vec<&str> = Vec::new();
        for reader in routes.iter().filter(|route| !route.is_local) {
            if !readers.contains(&reader.provider.as_str()) {
                readers.push(&reader.provider);
            }
        }
        let readers = readers.join(", ");
        // What the most worrying of them does with it.
        let worst = routes.iter().filter(|route| !route.is_local).max_by_key(|route| match route.data_use {
            DataUse::None => 0,
            DataUse::Retains => 1,
            DataUse::Unknown => 2,
            DataUse::Trains => 3,
        });
        let (data_use, data_use_source) =
            worst.map_or((DataUse::None, String::new()), |route| (route.data_use, route.data_use_source.clone()));
        let lead = routes.iter().rfind(|route| route.provider == plan.provider && route.model == plan.model);
        let route = lead.ok_or_else(|| Failure::new(ErrorCode::Internal, "the plan has no route"))?.clone();
        let price = self.price_of(&plan.provider, &plan.model).filter(|_| plan.mode.is_billed_by_tokens());
        let likely = price.as_ref().map(|price| {
            price.cost_of(&lwa_domain::TokenCounts::plain(
                plan.estimated_input_tokens,
                u64::from(plan.max_output_tokens) / 2,
            ))
        });
        let price_note = match (&price, route.billing_class) {
            (Some(price), _) if price.source == "config" => "price from your configuration, undated".to_owned(),
            (Some(price), _) => format!("price from {}, read {}", price.source, price.as_of),
            (None, BillingClass::Free | BillingClass::FreeQuota) => {
                "this provider does not bill by the token".to_owned()
            }
            (None, _) if plan.max_cost.is_some() => "price of a picture or of a second of film".to_owned(),
            (None, _) => "no price is known for this model, so the cost is unknown".to_owned(),
        };
        let place = format!("{} at {}", plan.model, plan.provider);
        let title = match (route.billing_class.may_cost_money(), plan.max_cost) {
            (true, Some(cost)) => format!("Spend up to {cost} on {place}?"),
            (true, None) => format!("Spend an unknown amount on {place}?"),
            (false, _) => format!("Run this task on {place}?"),
        };
        let leaves = !readers.is_empty();
        let consequence = match (leaves, route.billing_class.may_cost_money()) {
            (true, true) => {
                format!("Sends {} characters to {readers} and may be billed to you.", grouped(plan.prompt_characters))
            }
            (true, false) => format!("Sends {} characters to {readers}.", grouped(plan.prompt_characters)),
            (false, true) => "Stays on this machine, but the provider is not known to be free.".to_owned(),
            (false, false) => "Stays on this machine and costs nothing.".to_owned(),
        };
        let asked_because = if route.billing_class.may_cost_money() {
            format!("its billing class is `{}`", route.billing_class)
        } else {
            "the consent mode is `always_ask`".to_owned()
        };
        let is_serious = leaves || route.billing_class.may_cost_money();
        let detail = SpendDetail {
            plan_id: plan.plan_id.clone(),
            task: plan.task,
            provider: plan.provider.clone(),
            model: plan.model.clone(),
            billing_class: route.billing_class,
            data_use,
            data_use_source,
            masked_secrets: egress.masked_secrets,
            other_routes: u32::try_from(others).unwrap_or(u32::MAX),
            is_local: !leaves,
            estimated_cost_pico_usd: likely,
            max_cost_pico_usd: plan.max_cost,
            estimated_input_tokens: u32::try_from(plan.estimated_input_tokens).unwrap_or(u32::MAX),
            max_output_tokens: plan.max_output_tokens,
            prompt_characters: u32::try_from(plan.prompt_characters).unwrap_or(u32::MAX),
            price_note,
            caps_left: self.caps_left(&plan.provider).await?,
            reasons: route.reasons,
            asked_because,
        };
        Ok(Question {
            kind: ApprovalKind::Spend,
            merge_key: merge_key(&plan.plan_id),
            title,
            detail: ApprovalDetail::Spend(detail),
            consequence,
            is_serious,
            offers: vec![Answer::AllowOnce],
            variants: Vec::new(),
        })
    }
}

fn ended_answer(plan: &PlanRecord, ended: &Ended) -> ApproveAnswer {
    let reason = ended.reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
    let (status, message) = match ended.outcome {
        outcome if outcome.is_allowed() && plan.state == PlanState::Ready => {
            (ApproveStatus::Ready, "the human consented; call run_prepared_task with the plan_token".to_owned())
        }
        // Another caller with the same token may have been quicker to run it.
        outcome
            if outcome.is_allowed()
                && matches!(plan.state, PlanState::Working | PlanState::Completed | PlanState::RepreflightRequired) =>
        {
            (ApproveStatus::Ready, "the human consented, and the plan was run".to_owned())
        }
        outcome if outcome.is_allowed() => (
            ApproveStatus::Withdrawn,
            format!("the human consented, but the plan is `{}` by now; prepare a new one", plan.state),
        ),
        Outcome::Denied => {
            (ApproveStatus::Denied, format!("the human said no{reason}; do not ask again for this plan"))
        }
        Outcome::Dismissed => (
            ApproveStatus::Dismissed,
            "the human put the question away without an answer, which is not a yes".to_owned(),
        ),
        Outcome::TimedOut => (
            ApproveStatus::TimedOut,
            "nobody answered in time, which is not a yes; prepare a new plan to ask again".to_owned(),
        ),
        Outcome::Withdrawn => {
            (ApproveStatus::Withdrawn, format!("the question was withdrawn{reason}; repeat this call to ask again"))
        }
        _ => (ApproveStatus::Unavailable, format!("there was nowhere to ask{reason}")),
    };
    answer(plan, status, Some(ended.outcome), message)
}

fn merge_key(plan_id: &PlanId) -> String {
    format!("spend:{plan_id}")
}

fn unknown_token() -> Failure {
    Failure::new(ErrorCode::UnknownPlan, "no plan has this confirmation_token")
        .hint("use the one that prepare_task returned, or prepare a new plan")
}

pub(crate) fn expired() -> Failure {
    Failure::new(ErrorCode::PlanExpired, "the plan's time ran out before it ran").hint("prepare a new plan")
}

fn answer(plan: &PlanRecord, status: ApproveStatus, outcome: Option<Outcome>, message: String) -> ApproveAnswer {
    ApproveAnswer {
        status,
        message,
        plan_id: plan.plan_id.clone(),
        approval_id: plan.approval_id.clone(),
        outcome,
        working_may_begin: status == ApproveStatus::Ready && plan.state == PlanState::Ready,
        expires_at: rfc3339(plan.expires_at),
    }
}

/// Digits in groups of three.
fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (place, digit) in digits.char_indices() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn digits_are_grouped() {
        assert_eq!(
            [grouped(7), grouped(999), grouped(24_000), grouped(1_234_567)],
            ["7", "999", "24,000", "1,234,567"]
        );
    }
}
