//! How each provider speaks: facts of `catalog/facts.toml`, which code reads instead of knowing names.
//!
//! Every group of facts carries a [`Mark`], so that a later look at the live service can correct it.

use std::sync::LazyLock;

use reqwest::Url;
use serde::{Deserialize, Serialize};

use crate::chat::format::FormatSupport;
use crate::chat::profile::{EffortEncoding, MaxTokensField, ModelProfile};
use crate::endpoint::Endpoint;
use crate::probe::BalanceSpec;
use crate::quota::{QuotaWindow, ResetUnit};

/// The entry for servers on this machine.
const LOCAL: &str = "local";

const TEXT: &str = include_str!("../catalog/facts.toml");

/// How well a fact is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mark {
    /// Read in the provider's own specification, documentation or software.
    #[serde(rename = "V")]
    Verified,
    /// Read elsewhere, with a date.
    #[serde(rename = "2")]
    SecondHand,
    /// A hypothesis, whose absence the code tolerates.
    #[serde(rename = "U")]
    Unverified,
}

/// How one provider speaks.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WireFacts {
    /// The provider's name in the shipped catalogue.
    pub name: String,
    /// Its hosts, by which it is known under another name as well.
    #[serde(default)]
    pub hosts: Vec<String>,
    /// How a reasoning effort is said.
    pub effort: EffortFacts,
    /// Which parameters it takes.
    pub parameters: ParameterFacts,
    /// What its counts mean.
    pub usage: UsageFacts,
    /// How it says that something went wrong.
    pub errors: ErrorFacts,
    /// Which headers speak of limits.
    #[serde(default)]
    pub quota: Vec<QuotaFact>,
    /// Where a balance or an allotment can be asked for.
    #[serde(default)]
    pub balance: Vec<BalanceSpec>,
}

/// How a reasoning effort is said.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EffortFacts {
    /// The encoding.
    pub encoding: EffortEncoding,
    /// The words that some model of the provider takes; which of them a model takes is the model's own fact.
    #[serde(default)]
    pub words: Vec<String>,
    /// How well this is known.
    pub mark: Mark,
    /// Where it was read.
    pub source: String,
}

/// Which parameters a provider takes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParameterFacts {
    /// The field that limits the answer.
    #[serde(default)]
    pub max_tokens_field: MaxTokensField,
    /// Whether a temperature is accepted by every model.
    #[serde(default = "yes")]
    pub sends_temperature: bool,
    /// Whether `stream_options` is accepted.
    #[serde(default = "yes")]
    pub sends_stream_options: bool,
    /// What it makes of a response format.
    #[serde(default)]
    pub response_format: FormatSupport,
    /// Fields that no request may carry.
    #[serde(default)]
    pub refuses: Vec<String>,
    /// What else to know, for people.
    #[serde(default)]
    pub note: String,
    /// How well this is known.
    pub mark: Mark,
    /// Where it was read.
    pub source: String,
}

/// Where a kind of tokens is counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counted {
    /// As a part of the larger count.
    #[default]
    Inside,
    /// Beside it.
    Outside,
}

/// What counts mean.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UsageFacts {
    /// Where cached tokens are counted, seen from the input.
    #[serde(default)]
    pub cached: Counted,
    /// Where reasoning is counted, seen from the output. A total in the reply that says otherwise wins.
    #[serde(default)]
    pub reasoning: Counted,
    /// Whether what is billed is stated apart from what was counted.
    #[serde(default)]
    pub has_billed_units: bool,
    /// Whether the counts may be the provider's own estimate.
    #[serde(default)]
    pub is_estimated: bool,
    /// How well this is known.
    pub mark: Mark,
    /// Where it was read.
    pub source: String,
}

/// What an error means, whatever its status is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// Too many requests or tokens in a short window: wait.
    Wait,
    /// Too many requests at once: wait.
    Concurrency,
    /// The provider has no capacity: wait or choose another model.
    NoCapacity,
    /// A daily or monthly allotment is used up, and comes back.
    Exhausted,
    /// Money or credits are used up, and do not come back by themselves.
    NoBalance,
    /// The key is wrong or lacks a right.
    Auth,
    /// The shape or a parameter is wrong.
    BadRequest,
    /// The prompt does not fit.
    TooLarge,
    /// The content was refused.
    Moderation,
    /// The model is unknown or gone.
    ModelGone,
    /// The account may not use the model.
    ModelNotAllowed,
    /// Something was too slow.
    TimedOut,
    /// The provider broke.
    Failed,
}

/// How a provider says that something went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorFacts {
    /// JSON pointers to the code, the telling one first.
    #[serde(default)]
    pub code_at: Vec<String>,
    /// JSON pointers to the message.
    #[serde(default)]
    pub message_at: Vec<String>,
    /// What single codes mean; the first that fits decides.
    #[serde(default)]
    pub codes: Vec<CodeFact>,
    /// How well the shape is known.
    pub mark: Mark,
    /// Where it was read.
    pub source: String,
}

/// What one code, status or phrase means. All that are given have to fit.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodeFact {
    /// The code in the body, in lower case.
    #[serde(default)]
    pub code: Option<String>,
    /// The status of the reply.
    #[serde(default)]
    pub status: Option<u16>,
    /// A phrase of the message, in lower case.
    #[serde(default)]
    pub says: Option<String>,
    /// What it means.
    pub class: ErrorClass,
    /// How well this is known.
    pub mark: Mark,
    /// Where it was read.
    pub source: String,
}

/// Which headers speak of one limit.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuotaFact {
    /// What is counted, and over which time. It is a fact, never a guess from the header's name.
    pub window: QuotaWindow,
    /// The header with the whole.
    #[serde(default)]
    pub limit: Option<String>,
    /// The header with the rest.
    #[serde(default)]
    pub remaining: Option<String>,
    /// The header with the moment of renewal.
    #[serde(default)]
    pub reset: Option<String>,
    /// What that moment is written in.
    #[serde(default)]
    pub reset_unit: Option<ResetUnit>,
    /// Whether the rest is the one before the call that was answered.
    #[serde(default)]
    pub is_before_call: bool,
    /// How well this is known.
    pub mark: Mark,
    /// Where it was read.
    pub source: String,
}

const fn yes() -> bool {
    true
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    usual: WireFacts,
    providers: Vec<WireFacts>,
}

#[expect(clippy::expect_used, reason = "BUG otherwise: the text is part of the program, and a test reads it")]
static TABLE: LazyLock<Table> =
    LazyLock::new(|| toml::from_str(TEXT).expect("BUG: the shipped facts are not readable"));

/// The facts of every known provider.
pub fn all() -> &'static [WireFacts] {
    &TABLE.providers
}

/// What holds for a provider about which nothing is known.
pub fn usual() -> &'static WireFacts {
    &TABLE.usual
}

/// The facts of the provider of this name.
pub fn find(name: &str) -> Option<&'static WireFacts> {
    all().iter().find(|facts| facts.name == name)
}

/// The facts for an endpoint: by its host, since a name can be anything, then by its name.
pub fn for_endpoint(endpoint: &Endpoint) -> &'static WireFacts {
    let url = Url::parse(endpoint.base_url.trim()).ok();
    let host = url.as_ref().and_then(Url::host_str);
    all()
        .iter()
        .find(|facts| host.is_some_and(|host| facts.hosts.iter().any(|known| known == host)))
        .or_else(|| find(&endpoint.provider))
        .or_else(|| find(LOCAL).filter(|_| endpoint.is_local))
        .unwrap_or_else(usual)
}

impl WireFacts {
    /// What may be sent to a model of this provider about which nothing else is known.
    pub fn profile(&self) -> ModelProfile {
        ModelProfile {
            sends_temperature: self.parameters.sends_temperature,
            sends_stream_options: self.parameters.sends_stream_options,
            max_tokens_field: self.parameters.max_tokens_field,
            effort_encoding: self.effort.encoding,
            ..ModelProfile::default()
        }
    }

    /// Every mark in these facts, for counting what is still a hypothesis.
    pub fn marks(&self) -> Vec<Mark> {
        let fixed = [self.effort.mark, self.parameters.mark, self.usage.mark, self.errors.mark];
        fixed
            .into_iter()
            .chain(self.errors.codes.iter().map(|fact| fact.mark))
            .chain(self.quota.iter().map(|fact| fact.mark))
            .chain(self.balance.iter().map(|spec| spec.mark))
            .collect()
    }
}
