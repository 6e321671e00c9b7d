//! Which parameters a model accepts.

use std::collections::BTreeSet;

use lwa_domain::{EffortForm, EffortSupport, ReasoningEffort};
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
    /// `"enable_thinking": …` and, where it is on, `"thinking_budget": tokens`.
    ThinkingBudget,
    /// `"thinking": {"type": …, "token_budget": tokens}`.
    TokenBudget,
    /// `thinkingConfig.thinkingLevel`: reasoning cannot be switched off.
    GeminiLevel,
    /// `thinkingConfig.thinkingBudget`, in tokens.
    GeminiBudget,
}

impl EffortEncoding {
    /// Whether this encoding can say `effort` at all.
    pub const fn can_say(self, effort: ReasoningEffort) -> bool {
        match self {
            Self::Level | Self::ReasoningObject | Self::ThinkingBudget | Self::TokenBudget | Self::GeminiBudget => true,
            Self::ThinkingToggle | Self::EnableThinking => !matches!(effort, ReasoningEffort::Medium),
            Self::GeminiLevel => !matches!(effort, ReasoningEffort::Instant),
        }
    }

    /// The form that this encoding gives an effort.
    pub const fn form(self) -> EffortForm {
        match self {
            Self::Level | Self::ReasoningObject | Self::GeminiLevel => EffortForm::Level,
            Self::ThinkingToggle | Self::EnableThinking => EffortForm::Toggle,
            Self::ThinkingBudget | Self::TokenBudget | Self::GeminiBudget => EffortForm::Budget,
        }
    }

    /// The encoding of the same family for another form; none where the family has no such form.
    const fn for_form(self, form: EffortForm) -> Option<Self> {
        match (self, form) {
            (Self::GeminiLevel | Self::GeminiBudget, EffortForm::Level) => Some(Self::GeminiLevel),
            (Self::GeminiLevel | Self::GeminiBudget, EffortForm::Budget) => Some(Self::GeminiBudget),
            (Self::EnableThinking | Self::ThinkingBudget, EffortForm::Budget) => Some(Self::ThinkingBudget),
            (Self::EnableThinking | Self::ThinkingBudget, EffortForm::Toggle) => Some(Self::EnableThinking),
            (Self::ThinkingToggle | Self::TokenBudget, EffortForm::Budget) => Some(Self::TokenBudget),
            (Self::ThinkingToggle | Self::TokenBudget, EffortForm::Toggle) => Some(Self::ThinkingToggle),
            (Self::Level | Self::ReasoningObject, EffortForm::Level) => Some(self),
            _ => None,
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
    /// The effort's words at the provider, for messages; empty where they are not known.
    pub effort_words: Vec<String>,
    /// Whether reasoning cannot be switched off.
    pub is_reasoning_mandatory: bool,
    /// The parameters its list names, when it names any.
    pub supported_parameters: Option<BTreeSet<String>>,
}

impl ModelProfile {
    /// Whether `effort` can be asked for.
    pub fn accepts(&self, effort: ReasoningEffort) -> bool {
        self.accepted_efforts.contains(&effort)
            && self.effort_encoding.can_say(effort)
            && !(self.is_reasoning_mandatory && effort == ReasoningEffort::Instant)
    }

    /// This profile with what is known about the model's own efforts.
    ///
    /// A level counts only under its own name: a model with `low` and `max` is not asked for either when `medium`
    /// was wanted.
    pub fn with_effort(mut self, support: &EffortSupport) -> Self {
        let takes = |effort: ReasoningEffort| match support.form {
            EffortForm::Level => support.levels.iter().any(|level| level.eq_ignore_ascii_case(effort.wire_value())),
            EffortForm::Toggle | EffortForm::Budget => true,
        };
        let encoding = self.effort_encoding.for_form(support.form);
        self.effort_encoding = encoding.unwrap_or(self.effort_encoding);
        self.accepted_efforts =
            ReasoningEffort::ALL.iter().copied().filter(|effort| encoding.is_some() && takes(*effort)).collect();
        self.effort_words.clone_from(&support.levels);
        self.is_reasoning_mandatory = support.is_mandatory;
        self
    }

    /// This profile with what the provider's list states about the model.
    ///
    /// Where the list names parameters, an optional one that it does not name is not sent.
    pub fn informed_by(mut self, listed: &ListedModel) -> Self {
        if let Some(levels) = &listed.reasoning_levels {
            self.accepted_efforts.clone_from(levels);
        }
        if let Some(support) = &listed.effort {
            self = self.with_effort(support);
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
            effort_words: Vec::new(),
            is_reasoning_mandatory: false,
            supported_parameters: None,
        }
    }
}
