//! One call of one locked route: masked, with one of the provider's keys, booked by whoever asked.

use std::sync::atomic::{AtomicU32, Ordering};

use std::time::Duration;

use lwa_domain::{ErrorCode, ReasoningEffort, TaskKind};
use lwa_protocol::Failure;
use lwa_protocol::plan::{MaskedValue, RouteView};
use lwa_providers::media::{
    JobState, MediaCall, MediaKind, MediaRequest, Receipt, Submitted, is_worth_asking_again, poll, submit,
};
use lwa_providers::{Adapter, ChatAnswer, ChatRequest, Endpoint, Limits, ResponseFormat, Usage, check, complete};
use lwa_secrets::Secret;
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::account::Fault;
use crate::catalogue::{BUILTIN, ModelCall};
use crate::engine::Engine;
use crate::failure;
use crate::prepare::MAX_OUTPUT_TOKENS;

/// How long a text job is waited for at least; such a model may have to be woken first.
const TEXT_JOB_LIMIT: Duration = Duration::from_mins(10);

/// What to ask of which route.
pub(super) struct RouteCall<'a> {
    pub provider: &'a str,
    pub model: &'a str,
    pub task: TaskKind,
    pub system: Option<&'a str>,
    pub prompt: String,
    pub max_output_tokens: u32,
    pub effort: Option<ReasoningEffort>,
    pub response_format: Option<Value>,
}

/// What a call brought.
pub(super) struct Called {
    pub outcome: Result<ChatAnswer, Fault>,
    pub masked: Vec<MaskedValue>,
}

impl Called {
    /// A call that was never sent.
    pub fn failed(failure: Failure) -> Self {
        Self { outcome: Err(failure.into()), masked: Vec::new() }
    }
}

impl Engine {
    /// Calls the route, and notes what the answer says about the provider's health and quotas.
    ///
    /// A provider with several keys is asked with the next one only when the first was refused for reasons of the
    /// key alone and nothing can have been billed; the model is always the locked one.
    pub(super) async fn call_route(&self, call: RouteCall<'_>, characters: &AtomicU32) -> Called {
        let provider = call.provider.to_owned();
        let called = if provider == BUILTIN { condense(call).await } else { self.call_model(call, characters).await };
        self.note_health(&provider, called.outcome.as_ref().err().map(|fault| &fault.failure));
        called
    }

    async fn call_model(&self, call: RouteCall<'_>, characters: &AtomicU32) -> Called {
        let (keys, model) = match self.keys_and_model(call.provider, call.model).await {
            Ok(found) => found,
            Err(failure) => return Called::failed(failure),
        };
        let last = keys.len().saturating_sub(1);
        for (number, key) in keys.into_iter().enumerate() {
            let slot = key.as_ref().map(|key| key.slot.clone());
            let endpoint = match self.endpoint_for(call.provider, key).await {
                Ok(endpoint) => endpoint,
                Err(failure) => return Called::failed(failure),
            };
            let (called, headers) = self.call_with(&call, &model, &endpoint, characters).await;
            self.note_quotas(call.provider, &headers).await;
            let Err(refused) = &called.outcome else { return called };
            let may_try_next = self.cool_key(call.provider, slot.as_deref(), refused);
            if !may_try_next || number == last {
                return called;
            }
        }
        Called::failed(Failure::new(
            ErrorCode::SecretsUnavailable,
            format!("`{}` has no key to call with", call.provider),
        ))
    }

    /// Calls with one key. Returns the rate-limit headers beside the outcome.
    async fn call_with(
        &self,
        call: &RouteCall<'_>,
        model: &ModelCall,
        endpoint: &Endpoint,
        characters: &AtomicU32,
    ) -> (Called, Vec<(String, String)>) {
        let none = Vec::new();
        let masked = self.mask_for(call.system, &call.prompt, call.response_format.as_ref(), endpoint).await;
        let egress = match masked {
            Ok(egress) => egress,
            Err(failure) => return (Called::failed(failure), none),
        };
        let response_format = match egress.format.as_ref().map(response_format).transpose() {
            Ok(format) => format,
            Err(failure) => return (Called::failed(failure), none),
        };
        if model.adapter == Adapter::Replicate {
            let mapping = model.input_mapping.clone();
            let outcome = self.run_text_job(endpoint, call, egress.system, egress.prompt, mapping).await;
            let outcome = outcome.map(|answer| without_key(answer, endpoint));
            let headers = outcome.as_ref().map_or(none, |answer| answer.quota.clone());
            return (Called { outcome, masked: egress.values }, headers);
        }
        let request = ChatRequest {
            model: call.model.to_owned(),
            system: egress.system,
            prompt: egress.prompt,
            max_output_tokens: call.max_output_tokens,
            temperature: Some(temperature(call.task)),
            reasoning_effort: call.effort,
            extra_body: model.extra_body.clone(),
            profile: model.profile.clone(),
            response_format,
        };
        let on_text = |text: &str| {
            characters.fetch_add(u32::try_from(text.chars().count()).unwrap_or(u32::MAX), Ordering::Relaxed);
        };
        let outcome = complete(&self.http, model.adapter, endpoint, &request, Limits::default(), on_text).await;
        let headers = match &outcome {
            Ok(answer) => answer.quota.clone(),
            Err(error) => error.failure().quota.clone(),
        };
        let outcome = outcome.map(|answer| without_key(answer, endpoint)).map_err(|error| Fault::of(&error));
        (Called { outcome, masked: egress.values }, headers)
    }

    /// Whether the locked route can answer in this form, before anything is sent; notes say what is changed for it.
    pub(crate) async fn check_format(&self, route: &RouteView, format: &Value) -> Result<Vec<String>, Failure> {
        let model = self.model_call(&route.provider, &route.model);
        // No key is needed to look at a request.
        let endpoint = self.provider_endpoint_with(&route.provider, Some(Secret::new(String::new()))).await?;
        let request = ChatRequest {
            model: route.model.clone(),
            system: None,
            prompt: String::new(),
            max_output_tokens: route.max_output_tokens,
            temperature: None,
            reasoning_effort: None,
            extra_body: None,
            profile: model.profile,
            response_format: Some(response_format(format)?),
        };
        check(model.adapter, &endpoint, &request).map_err(|error| {
            Failure::new(ErrorCode::InvalidInput, error.to_string())
                .hint("ask for `json_object`, simplify the schema, or name another provider")
        })
    }

    /// A text model that runs as a job: started once, asked about until it ends or its time is up.
    async fn run_text_job(
        &self,
        endpoint: &Endpoint,
        call: &RouteCall<'_>,
        system: Option<String>,
        prompt: String,
        input_mapping: Map<String, Value>,
    ) -> Result<ChatAnswer, Fault> {
        let mut request = MediaRequest::new(call.provider, MediaKind::Text, call.model, prompt);
        request.system = system;
        request.max_output_tokens = Some(call.max_output_tokens);
        request.input_mapping = input_mapping;
        let exchange = MediaCall::new(&self.http, endpoint);
        let handle = match submit(&exchange, &request).await.map_err(|error| Fault::of(&error))? {
            Submitted::Done(finished) => {
                return Ok(text_answer(call.model, finished.text.unwrap_or_default(), finished.receipt));
            }
            Submitted::ContentFiltered(filter) => return Err(Fault::of(&filter.into())),
            Submitted::Job(handle) => handle,
        };
        let deadline = Instant::now() + endpoint.timeout.max(TEXT_JOB_LIMIT);
        loop {
            let wait = match poll(&exchange, &handle).await {
                Ok(JobState::Done { handle: ready, text }) => {
                    return Ok(text_answer(call.model, text.unwrap_or_default(), ready.receipt));
                }
                Ok(JobState::Working { wait, .. }) => wait,
                Ok(JobState::Failed { error, may_have_cost }) => {
                    return Err(Fault { may_have_cost, ..Fault::of(&error) });
                }
                Ok(JobState::ContentFiltered(filter)) => return Err(Fault::of(&filter.into())),
                Err(error) if is_worth_asking_again(&error) => error.retry_after().unwrap_or(Duration::from_secs(2)),
                Err(error) => return Err(Fault::maybe_billed(failure::provider(&error))),
            };
            if Instant::now() + wait > deadline {
                let failure = Failure::new(
                    ErrorCode::ProviderTimedOut,
                    format!("the job `{}` at `{}` did not end in time", handle.id, handle.provider),
                )
                .hint("it may still end and be billed; look at it at the provider");
                return Err(Fault::maybe_billed(failure));
            }
            tokio::time::sleep(wait).await;
        }
    }
}

/// The built-in provider's work, away from the async threads.
async fn condense(call: RouteCall<'_>) -> Called {
    let (task, prompt) = (call.task, call.prompt);
    let budget = (call.max_output_tokens < MAX_OUTPUT_TOKENS).then_some(call.max_output_tokens);
    let work = tokio::task::spawn_blocking(move || lwa_providers::builtin::run(task, &prompt, budget));
    match work.await {
        Ok(answer) => Called { outcome: answer.map_err(|error| Fault::of(&error)), masked: Vec::new() },
        Err(error) => {
            Called::failed(Failure::new(ErrorCode::Internal, format!("the built-in provider failed: {error}")))
        }
    }
}

/// The answer of a provider that repeats the key it was called with, without the key.
fn without_key(mut answer: ChatAnswer, endpoint: &Endpoint) -> ChatAnswer {
    let Some(key) = endpoint.key.as_ref().map(Secret::expose).filter(|key| key.len() >= 8) else { return answer };
    let clean = |text: &mut String| {
        if text.contains(key) {
            *text = text.replace(key, "[KEY]");
        }
    };
    clean(&mut answer.text);
    clean(&mut answer.model);
    answer.finish_reason.iter_mut().chain(answer.response_id.iter_mut()).chain(&mut answer.notes).for_each(clean);
    answer
}

fn text_answer(model: &str, text: String, receipt: Receipt) -> ChatAnswer {
    let usage = Usage {
        input: receipt.input_tokens,
        output: receipt.output_tokens,
        reported: receipt.input_tokens.is_some() || receipt.output_tokens.is_some(),
        ..Usage::default()
    };
    ChatAnswer {
        text,
        model: model.to_owned(),
        finish_reason: None,
        response_id: None,
        usage,
        cost: receipt.cost,
        quota: receipt.quota,
        notes: Vec::new(),
    }
}

/// The form of the answer as adapters take it; it was checked when the plan was prepared.
fn response_format(format: &Value) -> Result<ResponseFormat, Failure> {
    if format.as_str() == Some("json_object") {
        return Ok(ResponseFormat::JsonObject);
    }
    let name = format.get("name").and_then(Value::as_str);
    match (name, format.get("schema")) {
        (Some(name), Some(schema)) => Ok(ResponseFormat::JsonSchema { name: name.to_owned(), schema: schema.clone() }),
        _ => Err(Failure::new(ErrorCode::Internal, "the plan's response format cannot be read")),
    }
}

/// Lower for work that must stick to its material.
fn temperature(task: TaskKind) -> f32 {
    match task {
        TaskKind::Verification | TaskKind::DocumentEditing | TaskKind::Sitrep => 0.2,
        _ => 0.45,
    }
}
