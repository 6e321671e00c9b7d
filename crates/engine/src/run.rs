//! `plan/run`: claims a plan once, calls the locked route once, keeps what comes back.
//!
//! A claimed call runs to its end and its result is stored whatever happens to the client. A repeat
//! of the call waits for the same run or gets the stored result; no provider is ever called twice,
//! and no other model is ever tried.

pub(crate) mod account;
mod call;
mod consensus;
mod media;
mod present;
mod recheck;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use lwa_domain::{ErrorCode, ModelKey, PicoUsd, PlanMode, PlanState};
use lwa_protocol::plan::{PlanParams, RouteView, RunAnswer, RunParams, RunProgress, RunStatus};
use lwa_protocol::{Event, Failure, Role};
use lwa_store::{Claim, ClaimOutcome, Finish, NewAudit, PlanRecord, PlannedCall, Settlement};
use serde_json::json;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep};

use self::account::{Fault, conclude, unfinished};
use self::call::{Called, RouteCall};
use crate::approve::{MAX_HOLD, expired};
use crate::caller::Caller;
use crate::catalogue::BUILTIN;
use crate::engine::{Engine, locked};
use crate::prepare::{ROLE_PRIMARY, WorkDetails};
use crate::{failure, tokens};

/// How often a waiting caller hears that the work goes on.
const PROGRESS_EVERY: Duration = Duration::from_secs(5);
/// How often and how long a claimed plan is looked for whose work has not begun.
const STARTING_ROUNDS: u32 = 50;
const STARTING_ROUND: Duration = Duration::from_millis(10);

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
        Ok(self.guided(fitted(answer, params.max_text_bytes), params.next_tier_suggestion.as_deref()).await)
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
        let routes = routes_of(plan)?;
        self.refuse_what_is_stricter_now(plan, &routes)?;
        let calls = self.planned_calls(plan, &routes)?;
        let total: Option<PicoUsd> = calls.iter().map(|call| call.reserved).sum();
        if let (Some(now), Some(shown)) = (total, plan.max_cost)
            && now > shown
        {
            return Err(Failure::new(
                ErrorCode::RepreflightRequired,
                format!("the price rose since the plan was prepared: {now} instead of {shown}"),
            )
            .hint("prepare a new plan, so that the new price is consented to"));
        }
        let claim = Claim { plan_token: token, calls, now: self.now() };
        let audit = NewAudit {
            at: claim.now,
            actor: caller.actor(),
            session: Some(caller.session.as_str()),
            action: "plan.claimed",
            object: None,
            decision: Some("allow"),
            detail: json!({
                "provider": plan.provider, "model": plan.model, "calls": claim.calls.len(), "reserved_pico_usd": total,
            }),
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

    /// What has to be reserved for each locked route, at the prices as they are known now.
    fn planned_calls(&self, plan: &PlanRecord, routes: &[RouteView]) -> Result<Vec<PlannedCall>, Failure> {
        let merged = self.merged(&self.configuration.in_force());
        let media = work_of(plan)?.media;
        let mut calls = Vec::new();
        for (ordinal, route) in routes.iter().enumerate() {
            let (input, output) = match plan.mode {
                PlanMode::Consensus => (u64::from(route.estimated_input_tokens), u64::from(route.max_output_tokens)),
                _ => (plan.estimated_input_tokens, u64::from(plan.max_output_tokens)),
            };
            let key = ModelKey { provider: route.provider.clone(), model: route.model.clone() };
            let now = if plan.mode.is_billed_by_tokens() {
                merged.reserved.get(&key).map(|price| price.worst_case(input, output))
            } else {
                merged.media_cost(&key, media.as_ref())
            };
            // A price that fell or is no longer known does not make the plan cheaper than it was shown to be.
            let reserved = if route.billing_class.may_cost_money() {
                now.max(route.max_cost_pico_usd)
            } else {
                Some(PicoUsd::ZERO)
            };
            calls.push(PlannedCall {
                ordinal: u32::try_from(ordinal).unwrap_or(u32::MAX),
                role: route.role.clone(),
                provider: route.provider.clone(),
                model: route.model.clone(),
                billing_class: route.billing_class,
                limits: self.cap_limits(&route.provider),
                reserved,
            });
        }
        Ok(calls)
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
            let work = {
                let (engine, plan) = (engine.clone(), plan.clone());
                engine.clone().to_the_end(async move { Ok(engine.work(&plan, since, &characters).await) }).await
            };
            // A fault of ours leaves open what the provider did.
            let work = work.unwrap_or_else(|failure| in_doubt(&plan, &failure));
            let (answer, is_stored) = engine.keep(&plan, work).await;
            let is_whole = is_stored && answer.error.is_none() && answer.warnings.is_empty();
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
            if is_whole && !plan.mode.is_billed_by_tokens() {
                engine.release_job(&plan).await;
            }
        });
    }

    /// Does what the plan locks.
    async fn work(&self, plan: &PlanRecord, since: Instant, characters: &Arc<AtomicU32>) -> Work {
        match plan.mode {
            PlanMode::Single => self.work_single(plan, since, characters).await,
            PlanMode::Consensus => self.work_consensus(plan, since, characters).await,
            PlanMode::Image | PlanMode::Video => self.work_media(plan, since).await,
        }
    }

    async fn work_single(&self, plan: &PlanRecord, since: Instant, characters: &AtomicU32) -> Work {
        let called = match (plan.prompt.clone(), work_of(plan)) {
            (Some(prompt), Ok(details)) => {
                let call = RouteCall {
                    provider: &plan.provider,
                    model: &plan.model,
                    task: plan.task,
                    system: plan.system_prompt.as_deref(),
                    prompt,
                    max_output_tokens: plan.max_output_tokens,
                    effort: plan.reasoning_effort,
                    response_format: details.response_format,
                };
                self.call_route(call, characters).await
            }
            (None, _) => Called::failed(Failure::new(ErrorCode::Internal, "the plan's prompt is gone")),
            (_, Err(failure)) => Called::failed(failure),
        };
        let price = self.price_of(&plan.provider, &plan.model);
        let (mut answer, settlement) = conclude(plan, called.outcome, price.as_ref(), elapsed_ms(since));
        answer.masked = called.masked;
        Work { cost: answer.cost_pico_usd, answer, settlements: vec![(0, settlement)] }
    }

    /// Stores how the work ended. Returns the answer and whether it is stored.
    async fn keep(&self, plan: &PlanRecord, work: Work) -> (RunAnswer, bool) {
        let Work { mut answer, settlements, cost } = work;
        for (_, settlement) in settlements.iter().filter(|_| plan.mode != PlanMode::Consensus).take(1) {
            self.measure(plan, ROLE_PRIMARY, &plan.provider, &plan.model, settlement);
        }
        self.present(plan, &mut answer);
        let state = if answer.error.is_none() { PlanState::Completed } else { PlanState::RepreflightRequired };
        let finish = Finish {
            plan_id: plan.plan_id.clone(),
            state,
            answer: serde_json::to_value(&answer).unwrap_or_default(),
            settlements,
            cost,
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
                "provider": plan.provider, "model": answer.route.model, "latency_ms": answer.latency_ms,
                "cost_pico_usd": answer.cost_pico_usd, "masked": answer.masked.len(),
                "error": answer.error.as_ref().map(|error| error.code),
            }),
        };
        let stored = self.db.finish_plan(&finish, &audit).await;
        self.forget_tracks();
        if let Err(error) = &stored {
            // The answer still reaches the caller; the plan is settled as interrupted at the next start.
            tracing::error!(%error, plan = %plan.plan_id, "the result of a run could not be stored");
        }
        self.observe_run(plan, &mut answer).await;
        (answer, stored.is_ok())
    }

    /// The work of a plan, if it is at work.
    ///
    /// Between the claim of a plan and the start of its work there is a moment in which nothing can be waited for yet.
    async fn running(&self, plan_id: &lwa_domain::PlanId) -> Result<Option<watch::Receiver<RunState>>, Failure> {
        for _ in 0..STARTING_ROUNDS {
            let running = locked(&self.runs).get(plan_id).cloned();
            if running.is_some() {
                return Ok(running);
            }
            let plan = self.db.plan(plan_id).await.map_err(failure::store)?;
            if plan.is_none_or(|plan| plan.state != PlanState::Working) {
                return Ok(None);
            }
            sleep(STARTING_ROUND).await;
        }
        Ok(None)
    }

    /// Waits for a run's end, telling the caller how it goes.
    async fn outcome_of(
        &self,
        plan_id: &lwa_domain::PlanId,
        hold: Duration,
        progress: Option<mpsc::Sender<RunProgress>>,
        is_repeat: bool,
    ) -> Result<RunAnswer, Failure> {
        if let Some(running) = self.running(plan_id).await?
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
            // A picture or film whose job is known goes on where it was.
            if matches!(plan.mode, PlanMode::Image | PlanMode::Video)
                && self.db.media_job(&plan.plan_id).await.map_err(failure::store)?.is_some()
            {
                self.start(plan);
                continue;
            }
            self.settle_interrupted(&plan).await?;
        }
        self.db.expire_plans(self.now()).await.map_err(failure::store)?;
        Ok(())
    }

    async fn settle_interrupted(&self, plan: &PlanRecord) -> Result<(), Failure> {
        let error = Failure::new(
            ErrorCode::Interrupted,
            "the host ended while the provider was being called; it is not known whether the call was billed",
        )
        .hint("prepare a new plan");
        let Work { answer, settlements, cost } = in_doubt(plan, &error);
        let finish = Finish {
            plan_id: plan.plan_id.clone(),
            state: PlanState::RepreflightRequired,
            answer: serde_json::to_value(&answer).unwrap_or_default(),
            settlements,
            cost,
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
        self.db.finish_plan(&finish, &audit).await.map_err(failure::store)
    }
}

/// What a run brought: the answer, and the ledger's side of the calls that are not settled yet.
struct Work {
    answer: RunAnswer,
    settlements: Vec<(u32, Settlement)>,
    cost: Option<PicoUsd>,
}

/// The end of a plan of which it is not known what was called: every call that is not settled may be billed, those of
/// voters that were to write the synthesis in place of the locked model included.
fn in_doubt(plan: &PlanRecord, failure: &Failure) -> Work {
    let (answer, settlement) = conclude(plan, Err(Fault::maybe_billed(failure.clone())), None, 0);
    let routes = u32::try_from(routes_of(plan).map_or(1, |routes| routes.len().max(1))).unwrap_or(u32::MAX);
    let settlements = (0..routes.saturating_mul(2)).map(|ordinal| (ordinal, settlement.clone())).collect();
    Work { cost: answer.cost_pico_usd, answer, settlements }
}

/// The routes that a plan locks.
pub(crate) fn routes_of(plan: &PlanRecord) -> Result<Vec<RouteView>, Failure> {
    serde_json::from_value(plan.routes.clone()).map_err(|error| failure::json(&error))
}

/// What a plan's work needs beside its prompt.
fn work_of(plan: &PlanRecord) -> Result<WorkDetails, Failure> {
    plan.work.clone().map_or_else(
        || Ok(WorkDetails::default()),
        |work| serde_json::from_value(work).map_err(|error| failure::json(&error)),
    )
}

fn elapsed_ms(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
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

fn unknown_token() -> Failure {
    Failure::new(ErrorCode::UnknownPlan, "no plan has this plan_token")
        .hint("use the one that prepare_task returned, or prepare a new plan")
}
