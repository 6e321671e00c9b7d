//! Which parameters a model accepts.

use std::collections::BTreeSet;

use lwa_domain::ReasoningEffort;
use serde::{Deserialize, Serialize};

use crate::listing::ListedModel;

/// The name of the field that limits the answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MaxTokensField {
    /// `max_tokens`, which most providers read.
    #[default]
    MaxTokens,
    /// `max_completion_tokens`, which newer models insist on.
    MaxCompletionTokens,
}

impl MaxTokensField {
    /// The field's name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MaxTokens => "max_tokens",
            Self::MaxCompletionTokens => "max_completion_tokens",
        }
    }
}

/// How a reasoning effort is written for a provider.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffortEncoding {
    /// `"reasoning_effort": "none" | "medium" | "high"`.
    #[default]
    Level,
    /// `"reasoning": {"effort": …}`.
    ReasoningObject,
    /// `"thinking": {"type": "disabled" | "enabled"}`: only instant and high can be said.
    ThinkingToggle,
    /// `"enable_thinking": false | true`: only instant and high can be said.
    EnableThinking,
}

impl EffortEncoding {
    /// Whether this encoding can say `effort` at all.
    pub const fn can_say(self, effort: ReasoningEffort) -> bool {
        match self {
            Self::Level | Self::ReasoningObject => true,
            Self::ThinkingToggle | Self::EnableThinking => !matches!(effort, ReasoningEffort::Medium),
        }
    }
}

/// What may be sent to a model. Nothing that is not accepted here is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelProfile {
    /// Whether it accepts a temperature.
    pub sends_temperature: bool,
    /// Whether it accepts `stream_options`, which asks for usage at the end of a stream.
    pub sends_stream_options: bool,
    /// The field that limits the answer.
    pub max_tokens_field: MaxTokensField,
    /// How a reasoning effort is written.
    pub effort_encoding: EffortEncoding,
    /// The efforts it accepts; empty when it accepts none.
    pub accepted_efforts: Vec<ReasoningEffort>,
    /// The parameters its list names, when it names any.
    pub supported_parameters: Option<BTreeSet<String>>,
}

impl ModelProfile {
    /// This profile with what the provider's list states about the model.
    ///
    /// Where the list names parameters, an optional one that it does not name is not sent.
    pub fn informed_by(mut self, listed: &ListedModel) -> Self {
        if let Some(levels) = &listed.reasoning_levels {
            self.accepted_efforts.clone_from(levels);
        }
        if let Some(parameters) = listed.supported_parameters.as_ref().filter(|parameters| !parameters.is_empty()) {
            self.sends_temperature &= parameters.contains("temperature");
            if !parameters.contains(self.max_tokens_field.as_str()) {
                for field in [MaxTokensField::MaxTokens, MaxTokensField::MaxCompletionTokens] {
                    if parameters.contains(field.as_str()) {
                        self.max_tokens_field = field;
                    }
                }
            }
            self.supported_parameters = Some(parameters.clone());
        }
        self
    }
}

impl Default for ModelProfile {
    fn default() -> Self {
        Self {
            sends_temperature: true,
            sends_stream_options: true,
            max_tokens_field: MaxTokensField::default(),
            effort_encoding: EffortEncoding::default(),
            accepted_efforts: Vec::new(),
            supported_parameters: None,
        }
    }
}
