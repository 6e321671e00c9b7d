//! `worker/decide` and `worker/governance`: one of a few options, chosen by a model on this machine.
//!
//! A choice is advice: nothing here or elsewhere acts on it. Each text of the caller is scrubbed by itself before the
//! model sees it, and what comes back is scrubbed as any other result. Off unless the human switched it on.

use std::sync::Arc;

use lwa_domain::ErrorCode;
use lwa_protocol::Failure;
use lwa_protocol::worker::{
    DecideView, DecideWorkerView, DecisionPolicies, DecisionPolicyView, DecisionRequestParams, GovernanceParams,
    WorkerAnswer, WorkerCall, WorkerFacts, WorkerStatusKind,
};
use lwa_worker::decide::{
    Choice, Decision, DecisionEngine, DecisionRequest, POLICY_VERSION, Policy, RequestError, UnknownPolicy,
};
use serde_json::{Value, json};

use super::job::{JobHandle, Made};
use super::session::Surroundings;
use super::turn_on::Passed;
use super::way_out::WayOut;
use super::{failed, plain, with_rules};
use crate::caller::Caller;
use crate::engine::Engine;

/// What is to be decided, and for which tool.
struct Asked {
    tool: &'static str,
    method: &'static str,
    policy: Option<Policy>,
    request: DecisionRequest,
}

impl Engine {
    /// `worker/decide`.
    ///
    /// # Errors
    /// Decisions are switched off, or a size is wrong; nobody was asked then.
    pub async fn worker_decide(&self, caller: &Caller, params: DecisionRequestParams) -> Result<WorkerAnswer, Failure> {
        let DecisionRequestParams { call, state, question, choices } = params;
        let choices = choices.into_iter().map(|(id, description)| Choice { id, description }).collect();
        let request = DecisionRequest { state, question, choices };
        let asked = Asked { tool: "local_llm_decide", method: "worker/decide", policy: None, request };
        self.choose(caller, call, asked).await
    }

    /// `worker/governance`: the same for one of the questions that come with the worker.
    ///
    /// # Errors
    /// Decisions are switched off, the policy is not known, or the evidence is too long; nobody was asked then.
    pub async fn worker_governance(&self, caller: &Caller, params: GovernanceParams) -> Result<WorkerAnswer, Failure> {
        let policy: Policy = params.policy.trim().parse().map_err(|error: UnknownPolicy| {
            Failure::new(ErrorCode::InvalidInput, format!("`policy` is none: {error}")).hint("nobody was asked")
        })?;
        let request = policy.request(&params.evidence);
        let asked = Asked { tool: "local_llm_governance", method: "worker/governance", policy: Some(policy), request };
        self.choose(caller, params.call, asked).await
    }

    /// `worker/policies`: the questions that come with the worker.
    ///
    /// # Errors
    /// Decisions are switched off.
    pub fn decision_policies(&self) -> Result<DecisionPolicies, Failure> {
        if !self.configuration.in_force().worker.decide {
            return Err(switched_off());
        }
        let view = |policy: Policy| DecisionPolicyView {
            policy: policy.as_str().to_owned(),
            question: policy.question().to_owned(),
            choices: policy.options().iter().map(|(id, about)| ((*id).to_owned(), (*about).to_owned())).collect(),
        };
        Ok(DecisionPolicies { version: POLICY_VERSION, policies: Policy::ALL.into_iter().map(view).collect() })
    }

    /// How deciding stands, for the status; none while it is off.
    pub(super) fn decide_view(surroundings: &Surroundings, decider: &DecisionEngine) -> Option<DecideView> {
        let worker = |state: lwa_worker::decide::WorkerState| DecideWorkerView {
            model: state.model,
            down_for_s: state.down_for_s,
            restriction_ignored: state.restriction_ignored,
        };
        let workers = || decider.workers().into_iter().map(worker).collect();
        surroundings.config.decide.then(|| DecideView { enabled: true, workers: workers() })
    }

    async fn choose(&self, caller: &Caller, call: WorkerCall, asked: Asked) -> Result<WorkerAnswer, Failure> {
        if !self.worker_surroundings(caller, &call)?.config.decide {
            return Err(switched_off());
        }
        asked.request.check().map_err(wrong_size)?;
        let DecisionRequest { state, question, choices } = &asked.request;
        let options: Vec<[&str; 2]> = choices.iter().map(|one| [one.id.as_str(), one.description.as_str()]).collect();
        let arguments = json!([state, question, options]).to_string();
        let (engine, asking, held, method) = (self.clone(), caller.clone(), call.clone(), asked.method);
        let work = |job: JobHandle| -> super::job::JobFuture {
            Box::pin(async move {
                let call = WorkerCall { session: job.conversation(), ..call };
                tokio::select! {
                    answer = engine.choose_work(&asking, &call, &job, asked) => answer,
                    () = job.cancel.cancelled() => Ok(super::refused("the call was cancelled")),
                }
            })
        };
        self.hold_job(caller, &held, method, &arguments, work).await
    }

    async fn choose_work(
        &self,
        caller: &Caller,
        call: &WorkerCall,
        job: &JobHandle,
        asked: Asked,
    ) -> Result<WorkerAnswer, Failure> {
        let surroundings = self.worker_surroundings(caller, call)?;
        if !surroundings.config.decide {
            return Err(switched_off());
        }
        let rules = match self.pass_gate(caller, call, job, &surroundings, asked.tool).await? {
            Passed::No(answer) => return Ok(*answer),
            Passed::Yes { rules } => rules,
        };
        let workers = self.workers(&surroundings.config).await?;
        let mut way = {
            let session = self.hold_session(caller, call, &surroundings).await?;
            self.way_out(&session, &surroundings).with_model(workers.model.clone())
        };
        let request = match self.scrubbed_request(&way, asked.request).await? {
            Ok(request) => request,
            Err(text) => return Ok(failed(with_rules(rules, text))),
        };
        // A placeholder may be longer than what it stands for.
        let decision = workers.decider.decide(&request).await.map_err(wrong_size)?;
        // Once more where something was closed while it was made.
        let (document, mode, closings) = loop {
            let (mode, closings) = {
                let session = self.hold_session(caller, call, &surroundings).await?;
                way = way.now_of(&session, &surroundings);
                (session.mode, session.closings)
            };
            let document = outbound(&way, &decision, asked.policy).await?;
            let session = self.hold_session(caller, call, &surroundings).await?;
            if session.closings == closings {
                self.store_session(&session).await?;
                self.observe_decision(&surroundings, &session.key, &decision, asked.policy);
                break (document, mode, closings);
            }
        };
        let body = document.to_string();
        let start = with_rules(rules.clone(), String::new()).len();
        job.made(Made { closings, body: start..start + body.len() });
        let facts = WorkerFacts {
            mode: mode.as_str().to_owned(),
            model: decision.worker,
            elapsed_ms: decision.elapsed_ms,
            ..WorkerFacts::default()
        };
        Ok(WorkerAnswer { facts, ..plain(WorkerStatusKind::Completed, with_rules(rules, body)) })
    }

    /// The request with each text scrubbed by itself: a label in one must not hide a part of another. The text of a
    /// refusal where one cannot be scrubbed.
    async fn scrubbed_request(
        &self,
        way: &WayOut,
        request: DecisionRequest,
    ) -> Result<Result<DecisionRequest, String>, Failure> {
        let known = self.host_secrets().await;
        let mut texts = vec![request.state, request.question];
        let ids: Vec<String> = request
            .choices
            .into_iter()
            .map(|choice| {
                texts.push(choice.description);
                choice.id
            })
            .collect();
        let mut scrubbed = Vec::with_capacity(texts.len());
        for text in texts {
            let text = Arc::new(text);
            way.register(text.clone(), known.clone()).await?;
            let outbound = way.short(&text);
            if outbound.is_refusal() {
                return Ok(Err(outbound.into_text()));
            }
            scrubbed.push(outbound.into_text());
        }
        let mut texts = scrubbed.into_iter();
        let (state, question) = (texts.next().unwrap_or_default(), texts.next().unwrap_or_default());
        let choices = ids.into_iter().zip(texts).map(|(id, description)| Choice { id, description }).collect();
        Ok(Ok(DecisionRequest { state, question, choices }))
    }
}

/// The decision as it may leave. The reason is a model's, and is read for names as a result is.
async fn outbound(way: &WayOut, decision: &Decision, policy: Option<Policy>) -> Result<Value, Failure> {
    let reason = match &decision.reason {
        Some(reason) => Some(way.result(reason.clone()).await?.into_text()),
        None => None,
    };
    let mut document =
        serde_json::to_value(Decision { reason, ..decision.clone() }).map_err(|error| crate::failure::json(&error))?;
    if let (Some(policy), Some(fields)) = (policy, document.as_object_mut()) {
        fields.insert("policy".to_owned(), policy.as_str().into());
        fields.insert("version".to_owned(), POLICY_VERSION.into());
    }
    Ok(way.document(&document))
}

fn switched_off() -> Failure {
    Failure::new(ErrorCode::Forbidden, "decisions are switched off in the configuration")
        .hint("decide yourself; the user can set `worker.decide` to true")
}

fn wrong_size(error: RequestError) -> Failure {
    Failure::new(ErrorCode::InvalidInput, error.to_string()).hint("nobody was asked")
}
