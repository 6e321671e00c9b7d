//! A consensus: every locked voter is asked once, a few at a time, and one model writes the synthesis.
//!
//! Each call has its own reservation and is settled as it ends, so that nothing that was paid or counted is lost when
//! the rest fails. Reviews that arrived are handed over even when the synthesis cannot be written.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use lwa_domain::{ErrorCode, PicoUsd};
use lwa_protocol::Failure;
use lwa_protocol::plan::{
    ConsensusAnswer, MaskedValue, Review, RouteFailure, RouteUsed, RouteView, RunAnswer, RunStatus, Usage,
};
use lwa_store::{PlanRecord, PlannedCall, Settlement};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::account::{Fault, account, display, stopped, unfinished};
use super::call::{Called, RouteCall};
use super::{Work, elapsed_ms, narrow, routes_of, work_of};
use crate::consensus::{quorum, synthesis_prompt};
use crate::engine::Engine;
use crate::failure;
use crate::prepare::{ROLE_SYNTHESIS, ROLE_VOTER};

/// One call of a consensus, booked.
struct Booked {
    called: Called,
    usage: Usage,
    cost: Option<PicoUsd>,
    latency_ms: u64,
    /// What could not be written yet.
    unsettled: Option<(u32, Settlement)>,
}

/// What the calls of a consensus add up to.
#[derive(Default)]
struct Sum {
    usage: Option<Usage>,
    cost: Option<PicoUsd>,
    has_unknown_cost: bool,
    masked: Vec<MaskedValue>,
    unsettled: Vec<(u32, Settlement)>,
}

impl Sum {
    fn add(&mut self, booked: &Booked) {
        self.unsettled.extend(booked.unsettled.clone());
        match booked.cost {
            Some(cost) => self.cost = Some(self.cost.unwrap_or(PicoUsd::ZERO) + cost),
            None => self.has_unknown_cost = true,
        }
        for value in &booked.called.masked {
            if !self.masked.contains(value) {
                self.masked.push(value.clone());
            }
        }
        if booked.called.outcome.is_ok() {
            let so_far = self.usage.get_or_insert(Usage { reported: true, ..Usage::default() });
            let plus = |a: Option<u32>, b: Option<u32>| match (a, b) {
                (Some(a), Some(b)) => Some(a.saturating_add(b)),
                (one, other) => one.or(other),
            };
            so_far.input_tokens = plus(so_far.input_tokens, booked.usage.input_tokens);
            so_far.cached_tokens = plus(so_far.cached_tokens, booked.usage.cached_tokens);
            so_far.output_tokens = plus(so_far.output_tokens, booked.usage.output_tokens);
            so_far.reported &= booked.usage.reported;
        }
    }

    /// The whole cost; unknown as soon as a part is.
    fn total(&self) -> Option<PicoUsd> {
        self.cost.filter(|_| !self.has_unknown_cost)
    }
}

impl Engine {
    pub(super) async fn work_consensus(&self, plan: &PlanRecord, since: Instant, characters: &Arc<AtomicU32>) -> Work {
        match self.consensus(plan, since, characters).await {
            Ok(work) => work,
            // What was settled stays settled; what was not called is released when the plan is finished.
            Err(failure) => Work { answer: stopped(plan, failure), settlements: Vec::new(), cost: None },
        }
    }

    async fn consensus(&self, plan: &PlanRecord, since: Instant, characters: &Arc<AtomicU32>) -> Result<Work, Failure> {
        let routes = routes_of(plan)?;
        let details = work_of(plan)?;
        let mut consensus = ConsensusAnswer::default();
        let mut sum = Sum::default();
        let voters: Vec<(u32, RouteView)> =
            (0_u32..).zip(routes.clone()).filter(|(_, r)| r.role == ROLE_VOTER).collect();
        consensus.voters = narrow(voters.len() as u64);
        for (route, booked) in self.ask_voters(plan, voters, characters).await {
            sum.add(&booked);
            match booked.called.outcome {
                Ok(chat) if !chat.text.trim().is_empty() => consensus.reviews.push(Review {
                    route: RouteUsed {
                        provider: route.provider,
                        model: chat.model,
                        billing_class: route.billing_class,
                    },
                    text: chat.text,
                    usage: booked.usage,
                    latency_ms: narrow(booked.latency_ms),
                }),
                Ok(_) => consensus.voter_failures.push(failed(&route, empty_review())),
                Err(fault) => consensus.voter_failures.push(failed(&route, fault.failure)),
            }
        }
        let needed = quorum(consensus.voters as usize);
        if consensus.reviews.len() < needed {
            let error = Failure::new(
                ErrorCode::ProviderFailed,
                format!("{} of {} voters answered, and {needed} are needed", consensus.reviews.len(), consensus.voters),
            )
            .hint("the reviews that arrived are part of this answer; prepare a new plan to ask again");
            return Ok(finished(plan, stopped(plan, error), consensus, &sum, since));
        }
        let template = details.synthesis_template.unwrap_or_default();
        // The reviews speak of the question's values by their placeholders, and so does the synthesis.
        let template = if routes.iter().any(|route| !route.is_local) {
            self.mask_alike(plan.prompt.as_deref().unwrap_or_default(), &template).await?
        } else {
            template
        };
        let mut tries: Vec<(u32, RouteView)> =
            (0_u32..).zip(routes.clone()).filter(|(_, route)| route.role == ROLE_SYNTHESIS).collect();
        // Voters that answered may write it when the locked model cannot: they are part of the plan, and free.
        let spare: Vec<RouteView> = routes
            .iter()
            .filter(|route| {
                route.role == ROLE_VOTER
                    && consensus.reviews.iter().any(|review| review.route.provider == route.provider)
                    && tries.iter().all(|(_, locked)| locked.provider != route.provider)
            })
            .cloned()
            .collect();
        tries.extend((narrow(routes.len() as u64)..).zip(spare));
        for (number, (ordinal, route)) in tries.into_iter().enumerate() {
            if number > 0
                && let Err(failure) = self.reserve_spare(plan, ordinal, &route).await
            {
                consensus.synthesis_failures.push(failed(&route, failure));
                continue;
            }
            let prompt =
                synthesis_prompt(&template, &consensus.reviews, &consensus.voter_failures, details.synthesis_tokens);
            let booked = self.call_and_book(plan, ordinal, &route, prompt, characters).await;
            sum.add(&booked);
            match booked.called.outcome {
                Ok(chat) if !chat.text.trim().is_empty() => {
                    let mut answer = unfinished(plan, RunStatus::Completed, "work_complete", "");
                    answer.route =
                        RouteUsed { provider: route.provider, model: chat.model, billing_class: route.billing_class };
                    consensus.synthesized_by = Some(answer.route.clone());
                    answer.finish_reason = chat.finish_reason;
                    answer.text_bytes = Some(narrow(chat.text.len() as u64));
                    answer.text = Some(chat.text);
                    return Ok(finished(plan, answer, consensus, &sum, since));
                }
                Ok(_) => consensus.synthesis_failures.push(failed(&route, empty_review())),
                Err(fault) => consensus.synthesis_failures.push(failed(&route, fault.failure)),
            }
        }
        let error = Failure::new(ErrorCode::ProviderFailed, "no model could write the synthesis")
            .hint("the reviews are part of this answer; prepare a new plan to ask again");
        Ok(finished(plan, stopped(plan, error), consensus, &sum, since))
    }

    /// Asks every voter once, as many at a time as the configuration allows, in the order of the routes.
    async fn ask_voters(
        &self,
        plan: &PlanRecord,
        voters: Vec<(u32, RouteView)>,
        characters: &Arc<AtomicU32>,
    ) -> Vec<(RouteView, Booked)> {
        let at_once = self.configuration.in_force().router.max_parallel_consensus.max(1);
        let turns = Arc::new(Semaphore::new(at_once as usize));
        let question = plan.prompt.clone().unwrap_or_default();
        let mut asked = tokio::task::JoinSet::new();
        for (place, (ordinal, route)) in voters.iter().cloned().enumerate() {
            let (engine, plan, turns) = (self.clone(), plan.clone(), turns.clone());
            let (question, characters) = (question.clone(), characters.clone());
            asked.spawn(async move {
                let _turn = turns.acquire_owned().await;
                let booked = engine.call_and_book(&plan, ordinal, &route, question, &characters).await;
                (place, route, booked)
            });
        }
        let mut answers = Vec::new();
        while let Some(joined) = asked.join_next().await {
            match joined {
                Ok(answer) => answers.push(answer),
                Err(error) => tracing::error!(%error, "a voter's call failed unexpectedly"),
            }
        }
        // A fault of ours takes no other voter's answer away, and leaves open what the provider did.
        for (place, (ordinal, route)) in voters.into_iter().enumerate() {
            if answers.iter().all(|(known, ..)| *known != place) {
                let fault = Fault::maybe_billed(failure::unexpected());
                let booked = account(route.billing_class, 0, Err(&fault), None, 0);
                let called = Called { outcome: Err(fault), masked: Vec::new() };
                let unsettled = Some((ordinal, booked.settlement));
                answers.push((
                    place,
                    route,
                    Booked { called, usage: booked.usage, cost: booked.cost, latency_ms: 0, unsettled },
                ));
            }
        }
        answers.sort_by_key(|(place, ..)| *place);
        answers.into_iter().map(|(_, route, booked)| (route, booked)).collect()
    }

    /// Calls one locked route and settles its reservation.
    async fn call_and_book(
        &self,
        plan: &PlanRecord,
        ordinal: u32,
        route: &RouteView,
        prompt: String,
        characters: &AtomicU32,
    ) -> Booked {
        let since = Instant::now();
        let call = RouteCall {
            provider: &route.provider,
            model: &route.model,
            task: plan.task,
            system: plan.system_prompt.as_deref(),
            prompt,
            max_output_tokens: route.max_output_tokens,
            effort: plan.reasoning_effort,
            response_format: None,
        };
        let called = self.call_route(call, characters).await;
        let latency_ms = elapsed_ms(since);
        let price = self.price_of(&route.provider, &route.model);
        let booked = account(
            route.billing_class,
            u64::from(route.estimated_input_tokens),
            called.outcome.as_ref(),
            price.as_ref(),
            latency_ms,
        );
        // A call that was made is booked with the plan when it cannot be booked now; its answer is not lost for that.
        let unsettled = match self.settle(plan, ordinal, &booked.settlement).await {
            Ok(()) => None,
            Err(failure) => {
                tracing::warn!(%failure, plan = %plan.plan_id, "a call could not be settled at once");
                Some((ordinal, booked.settlement.clone()))
            }
        };
        self.measure(plan, &route.role, &route.provider, &route.model, &booked.settlement);
        Booked { called, usage: booked.usage, cost: booked.cost, latency_ms, unsettled }
    }

    async fn settle(&self, plan: &PlanRecord, ordinal: u32, settlement: &Settlement) -> Result<(), Failure> {
        self.db.settle_call(&plan.plan_id, ordinal, settlement, self.now()).await.map_err(failure::store)
    }

    /// Reserves one more call for a voter that writes the synthesis, if the settings still allow it and no cap forbids it.
    async fn reserve_spare(&self, plan: &PlanRecord, ordinal: u32, route: &RouteView) -> Result<(), Failure> {
        self.refuse_what_is_stricter_now(plan, std::slice::from_ref(route))?;
        let call = PlannedCall {
            ordinal,
            role: ROLE_SYNTHESIS.to_owned(),
            provider: route.provider.clone(),
            model: route.model.clone(),
            billing_class: route.billing_class,
            limits: self.cap_limits(&route.provider),
            reserved: Some(PicoUsd::ZERO),
        };
        match self.db.reserve_call(&plan.plan_id, &call, self.now()).await.map_err(failure::store)? {
            Some(reason) => Err(Failure::new(ErrorCode::CapExceeded, reason)),
            None => Ok(()),
        }
    }
}

fn empty_review() -> Failure {
    Failure::new(ErrorCode::ProviderFailed, "the answer was empty")
}

fn failed(route: &RouteView, error: Failure) -> RouteFailure {
    RouteFailure { provider: route.provider.clone(), model: route.model.clone(), error }
}

fn finished(plan: &PlanRecord, mut answer: RunAnswer, consensus: ConsensusAnswer, sum: &Sum, since: Instant) -> Work {
    let latency_ms = elapsed_ms(since);
    answer.latency_ms = Some(narrow(latency_ms));
    answer.usage = sum.usage.unwrap_or_default();
    answer.cost_pico_usd = sum.total();
    answer.masked.clone_from(&sum.masked);
    let voted = format!("{} of {} voters answered", consensus.reviews.len(), consensus.voters);
    answer.display = match &answer.error {
        None => format!("{}; {voted}", display(&answer, latency_ms)),
        Some(error) => format!("{} failed: {}; {voted}", plan.task, error.message),
    };
    answer.consensus = Some(consensus);
    Work { cost: answer.cost_pico_usd, answer, settlements: sum.unsettled.clone() }
}
