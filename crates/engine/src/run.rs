//! `plan/run`: claims a plan once, calls the locked route once, keeps what comes back.
//!
//! A claimed call runs to its end and its result is stored whatever happens to the client. A repeat
//! of the call waits for the same run or gets the stored result; no provider is ever called twice,
//! and no other model is ever tried.

mod account;
mod recheck;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use lwa_domain::{ErrorCode, PicoUsd, PlanState, TaskKind};
use lwa_protocol::plan::{PlanParams, RunAnswer, RunParams, RunProgress, RunStatus};
use lwa_protocol::{Event, Failure, Role};
use lwa_providers::{ChatAnswer, ChatRequest};
use lwa_store::{Claim, ClaimOutcome, Finish, NewAudit, PlanRecord};
use serde_json::json;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use self::account::{Fault, conclude, unfinished};
use crate::approve::{MAX_HOLD, expired};
use crate::caller::Caller;
use crate::catalogue::BUILTIN;
use crate::engine::{Engine, locked};
use crate::prepare::MAX_OUTPUT_TOKENS;
use crate::{failure, tokens};

/// How often a waiting caller hears that the work goes on.
const PROGRESS_EVERY: Duration = Duration::from_secs(5);

/// How far a run is.
#[derive(Debug, Clone)]
pub(crate) enum RunState {
    /// The provider is being called.
    Working {
        /// Since when.
        since: Instant,
        /// Characters of answer so far.
        characters: Arc<AtomicU32>,
    },
    /// The answer is stored.
    Done(Box<RunAnswer>),
}

impl Engine {
    /// Runs a plan, or waits for the run, or hands back its stored result.
    ///
    /// # Errors
    /// The token is unknown, the plan expired, was denied, or a cap would be broken. The plan is
    /// unharmed then.
    pub async fn run(
        &self,
        caller: &Caller,
        params: &RunParams,
        progress: Option<mpsc::Sender<RunProgress>>,
    ) -> Result<RunAnswer, Failure> {
        let token = tokens::digest(&params.plan_token);
        let plan = self.db.plan_by_token(&token).await.map_err(failure::store)?.ok_or_else(unknown_token)?;
        let mut is_repeat = true;
        let plan_id = plan.plan_id.clone();
        if plan.state == PlanState::Ready {
            self.refuse_while_paused()?;
            let (engine, caller) = (self.clone(), caller.clone());
            // A claim without a run would leave the plan working for ever.
            is_repeat = !self.to_the_end(async move { engine.claim_and_start(&caller, token, &plan).await }).await?;
        }
        let hold = Duration::from_millis(u64::from(params.hold_ms)).min(MAX_HOLD);
        let answer = self.outcome_of(&plan_id, hold, progress, is_repeat).await?;
        Ok(fitted(answer, params.max_text_bytes))
    }

    /// `plan/result`: the stored result of a plan, without waiting.
    ///
    /// # Errors
    /// The plan is unknown, or belongs to another client when an agent asks.
    pub async fn result(&self, caller: &Caller, params: &PlanParams) -> Result<RunAnswer, Failure> {
        let plan = self.db.plan(&params.plan_id).await.map_err(failure::store)?;
        let visible = plan.filter(|plan| caller.role != Role::Sidecar || plan.client == caller.client_name());
        let plan = visible.ok_or_else(|| {
            Failure::new(ErrorCode::UnknownPlan, format!("there is no plan `{}`", params.plan_id))
                .hint("give the plan_id that prepare_task returned")
        })?;
        self.outcome_of(&plan.plan_id, Duration::ZERO, None, true).await
    }

    /// Returns whether this claim is the one that won.
    async fn claim_and_start(&self, caller: &Caller, token: [u8; 32], plan: &PlanRecord) -> Result<bool, Failure> {
        self.refuse_what_is_stricter_now(plan)?;
        let price = self.price_of(&plan.provider, &plan.model);
        let worst =
            |price: lwa_domain::Price| price.cost(plan.estimated_input_tokens, u64::from(plan.max_output_tokens));
        // A price that is no longer known does not make the plan cheaper than it was shown to be.
        let reserved = price
            .map(worst)
            .or(plan.max_cost)
            .or_else(|| (!plan.billing_class.may_cost_money()).then_some(PicoUsd::ZERO));
        if let (Some(now), Some(shown)) = (reserved, plan.max_cost)
            && now > shown
        {
            return Err(Failure::new(
                ErrorCode::RepreflightRequired,
                format!("the price rose since the plan was prepared: {now} instead of {shown}"),
            )
            .hint("prepare a new plan, so that the new price is consented to"));
        }
        let claim = Claim { plan_token: token, limits: self.cap_limits(&plan.provider), reserved, now: self.now() };
        let audit = NewAudit {
            at: claim.now,
            actor: caller.actor(),
            session: Some(caller.session.as_str()),
            action: "plan.claimed",
            object: None,
            decision: Some("allow"),
            detail: json!({ "provider": plan.provider, "model": plan.model, "reserved_pico_usd": reserved }),
        };
        match self.db.claim_plan(&claim, &audit).await.map_err(failure::store)? {
            ClaimOutcome::Claimed(plan) => {
                self.start(*plan);
                Ok(true)
            }
            // Somebody else's claim won, or time ran out: what happened is told by the plan's state.
            ClaimOutcome::NotReady(_) => Ok(false),
            ClaimOutcome::CapBroken(reason) => Err(Failure::new(ErrorCode::CapExceeded, reason)
                .hint("raise the cap in the configuration or wait for the next period; the plan stays as it is")),
            ClaimOutcome::Unknown => Err(unknown_token()),
        }
    }

    /// Starts the work as a task that outlives the caller.
    fn start(&self, plan: PlanRecord) {
        let characters = Arc::new(AtomicU32::new(0));
        let since = Instant::now();
        let (sender, receiver) = watch::channel(RunState::Working { since, characters: characters.clone() });
        locked(&self.runs).insert(plan.plan_id.clone(), receiver);
        self.emit(Event::PlanChanged { plan_id: plan.plan_id.clone(), state: PlanState::Working });
        let engine = self.clone();
        self.tasks.spawn(async move {
            let plan = Arc::new(plan);
            // A task of its own, so that a fault in it still ends the plan.
            let call = {
                let (engine, plan) = (engine.clone(), plan.clone());
                engine.clone().to_the_end(async move { Ok(engine.execute(&plan, &characters).await) }).await
            };
            // A fault of ours leaves open what the provider did.
            let call = call.unwrap_or_else(|failure| Err(Fault { failure, may_have_cost: true }));
            let (answer, is_stored) = engine.keep(&plan, since, call).await;
            let state = if answer.status == RunStatus::Completed {
                PlanState::Completed
            } else {
                PlanState::RepreflightRequired
            };
            sender.send_replace(RunState::Done(Box::new(answer)));
            // What could not be stored is handed to repeats from memory, as long as the host lives.
            if is_stored {
                locked(&engine.runs).remove(&plan.plan_id);
            }
            engine.emit(Event::PlanChanged { plan_id: plan.plan_id.clone(), state });
            engine.emit(Event::LedgerChanged);
        });
    }

    /// Stores how a call ended. Returns the answer and whether it is stored.
    async fn keep(&self, plan: &PlanRecord, since: Instant, outcome: Result<ChatAnswer, Fault>) -> (RunAnswer, bool) {
        let latency_ms = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.note_health(&plan.provider, outcome.as_ref().err().map(|fault| &fault.failure));
        let price = self.price_of(&plan.provider, &plan.model);
        let (answer, settlement) = conclude(plan, outcome, price.as_ref(), latency_ms);
        let state = if answer.error.is_none() { PlanState::Completed } else { PlanState::RepreflightRequired };
        let finish = Finish {
            plan_id: plan.plan_id.clone(),
            state,
            answer: serde_json::to_value(&answer).unwrap_or_default(),
            settlement,
            now: self.now(),
        };
        let audit = NewAudit {
            at: finish.now,
            actor: "host",
            session: Some(&plan.session),
            action: "plan.ran",
            object: Some(plan.plan_id.as_str()),
            decision: Some(finish.state.as_str()),
            detail: json!({
                "provider": plan.provider, "model": answer.route.model, "latency_ms": latency_ms, "cost_pico_usd": answer.cost_pico_usd,
                "error": answer.error.as_ref().map(|error| error.code),
            }),
        };
        let stored = self.db.finish_plan(&finish, &audit).await;
        if let Err(error) = &stored {
            // The answer still reaches the caller; the plan is settled as interrupted at the next start.
            tracing::error!(%error, plan = %plan.plan_id, "the result of a run could not be stored");
        }
        (answer, stored.is_ok())
    }

    async fn execute(&self, plan: &PlanRecord, characters: &AtomicU32) -> Result<ChatAnswer, Fault> {
        let prompt =
            plan.prompt.clone().ok_or_else(|| Failure::new(ErrorCode::Internal, "the plan's prompt is gone"))?;
        if plan.provider == BUILTIN {
            let task = plan.task;
            let budget = (plan.max_output_tokens < MAX_OUTPUT_TOKENS).then_some(plan.max_output_tokens);
            let work = tokio::task::spawn_blocking(move || lwa_providers::builtin::run(task, &prompt, budget));
            let answer = work
                .await
                .map_err(|error| Failure::new(ErrorCode::Internal, format!("the built-in provider failed: {error}")))?;
            return answer.map_err(|error| Fault::of(&error));
        }
        let (endpoint, model) = self.endpoint(&plan.provider, &plan.model).await?;
        let request = ChatRequest {
            model: plan.model.clone(),
            system: plan.system_prompt.clone(),
            prompt,
            max_output_tokens: plan.max_output_tokens,
            temperature: Some(temperature(plan.task)),
            reasoning_effort: plan.reasoning_effort,
            extra_body: model.extra_body,
            profile: model.profile,
        };
        let on_text = |text: &str| {
            characters.fetch_add(u32::try_from(text.chars().count()).unwrap_or(u32::MAX), Ordering::Relaxed);
        };
        lwa_providers::chat(&self.http, &endpoint, &request, on_text).await.map_err(|error| Fault::of(&error))
    }

    /// Waits for a run's end, telling the caller how it goes.
    async fn outcome_of(
        &self,
        plan_id: &lwa_domain::PlanId,
        hold: Duration,
        progress: Option<mpsc::Sender<RunProgress>>,
        is_repeat: bool,
    ) -> Result<RunAnswer, Failure> {
        let running = locked(&self.runs).get(plan_id).cloned();
        if let Some(running) = running
            && let Some(answer) = wait(running, hold, progress).await
        {
            return Ok(RunAnswer { replayed: is_repeat, ..*answer });
        }
        let plan = self.db.plan(plan_id).await.map_err(failure::store)?.ok_or_else(unknown_token)?;
        match plan.state {
            PlanState::Completed | PlanState::RepreflightRequired => {
                let stored = plan
                    .answer
                    .clone()
                    .ok_or_else(|| Failure::new(ErrorCode::PlanUsed, "the plan ran, and its result is gone"))?;
                let answer: RunAnswer = serde_json::from_value(stored).map_err(|error| failure::json(&error))?;
                Ok(RunAnswer { replayed: is_repeat, ..answer })
            }
            PlanState::Working => Ok(unfinished(
                &plan,
                RunStatus::Working,
                "working",
                "still working; repeat this call to get the result",
            )),
            PlanState::ConfirmationRequired if plan.expires_at > self.now() => {
                let mut answer = unfinished(
                    &plan,
                    RunStatus::ConfirmationRequired,
                    "preflight_complete",
                    "a human has to consent first; call approve_preflight with the confirmation_token",
                );
                answer.error = Some(
                    Failure::new(ErrorCode::ConfirmationRequired, "a human has to consent to this plan first")
                        .hint("call approve_preflight with the confirmation_token; the plan is unharmed"),
                );
                Ok(answer)
            }
            PlanState::Denied => Err(Failure::new(ErrorCode::Denied, "the human said no to this plan")
                .hint("do not ask again for the same plan")),
            PlanState::Ready if plan.expires_at > self.now() => Ok(unfinished(
                &plan,
                RunStatus::Working,
                "preflight_complete",
                "the plan is ready and has not been run",
            )),
            PlanState::Ready | PlanState::ConfirmationRequired | PlanState::Expired => Err(expired()),
        }
    }

    /// Plans and questions that an earlier host left behind: what was working is interrupted and
    /// keeps its reservation, what was asked is withdrawn.
    pub(crate) async fn settle_what_was_left(&self) -> Result<(), Failure> {
        for record in self.db.open_approvals().await.map_err(failure::store)? {
            self.end_question(record, lwa_domain::Outcome::Withdrawn, "the host was restarted").await?;
        }
        for plan in self.db.working_plans().await.map_err(failure::store)? {
            let error = Failure::new(
                ErrorCode::Interrupted,
                "the host ended while the provider was being called; it is not known whether the call was billed",
            )
            .hint("prepare a new plan");
            let fault = Fault { failure: error, may_have_cost: true };
            let (answer, settlement) = conclude(&plan, Err(fault), None, 0);
            let finish = Finish {
                plan_id: plan.plan_id.clone(),
                state: PlanState::RepreflightRequired,
                answer: serde_json::to_value(&answer).unwrap_or_default(),
                settlement,
                now: self.now(),
            };
            let audit = NewAudit {
                at: finish.now,
                actor: "host",
                session: Some(&plan.session),
                action: "plan.interrupted",
                object: Some(plan.plan_id.as_str()),
                decision: None,
                detail: json!({ "provider": plan.provider }),
            };
            self.db.finish_plan(&finish, &audit).await.map_err(failure::store)?;
        }
        self.db.expire_plans(self.now()).await.map_err(failure::store)?;
        Ok(())
    }
}

/// The answer with a text that fits the caller. Only the built-in provider's own texts are shortened:
/// it knows what to lose first, while a model's answer is handed over as it is.
fn fitted(mut answer: RunAnswer, max_text_bytes: Option<u32>) -> RunAnswer {
    let Some(limit) = max_text_bytes.and_then(|limit| usize::try_from(limit).ok()) else { return answer };
    if let Some(text) = answer.text.as_deref().filter(|text| text.len() > limit && answer.route.provider == BUILTIN)
        && let Some(shorter) = lwa_providers::builtin::fit(answer.task, text, limit)
    {
        answer.text = Some(shorter);
        answer.is_text_reduced = true;
    }
    answer
}

/// Waits at most `hold` for the end of a run. `None` means it goes on, or its task is gone.
async fn wait(
    mut running: watch::Receiver<RunState>,
    hold: Duration,
    progress: Option<mpsc::Sender<RunProgress>>,
) -> Option<Box<RunAnswer>> {
    let deadline = Instant::now() + hold;
    loop {
        let state = running.borrow_and_update().clone();
        let (since, characters) = match state {
            RunState::Done(answer) => return Some(answer),
            RunState::Working { since, characters } => (since, characters),
        };
        let pause = PROGRESS_EVERY.min(deadline.saturating_duration_since(Instant::now()));
        if pause.is_zero() {
            return None;
        }
        match tokio::time::timeout(pause, running.changed()).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => {
                return match running.borrow().clone() {
                    RunState::Done(answer) => Some(answer),
                    RunState::Working { .. } => None,
                };
            }
            Err(_) => {
                if let Some(channel) = &progress {
                    let characters = characters.load(Ordering::Relaxed);
                    let elapsed_ms = narrow(u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX));
                    let message = if characters == 0 {
                        "waiting for the provider".to_owned()
                    } else {
                        format!("{characters} characters received")
                    };
                    // A caller that does not keep up loses progress, not the answer.
                    let _ = channel.try_send(RunProgress { characters, elapsed_ms, message });
                }
            }
        }
    }
}

fn narrow(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Lower for work that must stick to its material.
fn temperature(task: TaskKind) -> f32 {
    match task {
        TaskKind::Verification | TaskKind::DocumentEditing | TaskKind::Sitrep => 0.2,
        _ => 0.45,
    }
}

fn unknown_token() -> Failure {
    Failure::new(ErrorCode::UnknownPlan, "no plan has this plan_token")
        .hint("use the one that prepare_task returned, or prepare a new plan")
}
