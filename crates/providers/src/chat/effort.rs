//! How long a model may think: what it accepts, and how that is written.

use lwa_domain::ReasoningEffort;
use serde_json::{Value, json};

use super::profile::EffortEncoding;
use super::{ChatRequest, refusal};
use crate::error::ProviderError;

/// Refuses an effort that the model does not accept, naming those that it does. Nothing is ever rounded.
pub(crate) fn check(provider: &str, request: &ChatRequest) -> Result<(), ProviderError> {
    let Some(effort) = request.reasoning_effort else { return Ok(()) };
    let profile = &request.profile;
    if profile.accepts(effort) {
        return Ok(());
    }
    let why = if profile.is_reasoning_mandatory && effort == ReasoningEffort::Instant {
        "the model always reasons, so it does not advertise reasoning effort".to_owned()
    } else {
        "the model does not advertise reasoning effort".to_owned()
    };
    let names: Vec<_> =
        ReasoningEffort::ALL.iter().filter(|effort| profile.accepts(**effort)).map(|effort| effort.as_str()).collect();
    let accepted =
        if names.is_empty() { "it accepts none".to_owned() } else { format!("it accepts {}", names.join(", ")) };
    let own_words = match profile.effort_words.as_slice() {
        [] => String::new(),
        words => format!(" (in its own words: {})", words.join(", ")),
    };
    Err(refusal(provider, &format!("{why} `{effort}`; {accepted}{own_words}")))
}

/// The fields of a chat-completions body that say `effort`.
pub(super) fn fields(encoding: EffortEncoding, effort: ReasoningEffort, max_output: u32) -> Vec<(&'static str, Value)> {
    let is_on = effort != ReasoningEffort::Instant;
    match encoding {
        EffortEncoding::Level | EffortEncoding::GeminiLevel | EffortEncoding::GeminiBudget => {
            vec![("reasoning_effort", effort.wire_value().into())]
        }
        EffortEncoding::ReasoningObject => vec![("reasoning", json!({"effort": effort.wire_value()}))],
        EffortEncoding::ThinkingToggle => {
            vec![("thinking", json!({"type": if is_on { "enabled" } else { "disabled" }}))]
        }
        EffortEncoding::EnableThinking => vec![("enable_thinking", is_on.into())],
        EffortEncoding::ThinkingBudget if is_on => {
            vec![("enable_thinking", true.into()), ("thinking_budget", budget(effort, max_output).into())]
        }
        EffortEncoding::ThinkingBudget => vec![("enable_thinking", false.into())],
        EffortEncoding::TokenBudget => vec![("thinking", token_budget(effort, max_output))],
    }
}

/// Thinking as an object with a budget.
pub(crate) fn token_budget(effort: ReasoningEffort, max_output: u32) -> Value {
    match effort {
        ReasoningEffort::Instant => json!({"type": "disabled"}),
        _ => json!({"type": "enabled", "token_budget": budget(effort, max_output)}),
    }
}

/// The share of the output that may be thinking. The rest is left for the answer, which is what was asked for.
pub(crate) fn budget(effort: ReasoningEffort, max_output: u32) -> u32 {
    let percent = match effort {
        ReasoningEffort::Instant => 0,
        ReasoningEffort::Medium => 50,
        ReasoningEffort::High => 80,
    };
    u32::try_from(u64::from(max_output) * percent / 100).unwrap_or(u32::MAX)
}
