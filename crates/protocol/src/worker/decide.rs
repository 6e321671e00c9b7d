//! Small choices made by a model on this machine.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::WorkerCall;

/// Parameters of `worker/decide`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct DecisionRequestParams {
    /// Where it comes from.
    pub call: WorkerCall,
    /// The evidence, 32,000 characters at most.
    pub state: String,
    /// The question, 1 to 4,000 characters.
    pub question: String,
    /// 2 to 16 options: name to meaning.
    pub choices: BTreeMap<String, String>,
}

/// Parameters of `worker/governance`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct GovernanceParams {
    /// Where it comes from.
    pub call: WorkerCall,
    /// `delegation_route`, `failure_triage` or `completion_review`.
    pub policy: String,
    /// The evidence, 32,000 characters at most.
    pub evidence: String,
}

/// Answer to `worker/policies`: the questions that come with the worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DecisionPolicies {
    /// Changes with any of their words.
    pub version: u32,
    /// The questions.
    pub policies: Vec<DecisionPolicyView>,
}

/// One question that comes with the worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DecisionPolicyView {
    /// Its name.
    pub policy: String,
    /// The question.
    pub question: String,
    /// The options: name to meaning.
    pub choices: BTreeMap<String, String>,
}

/// How deciding stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DecideView {
    /// Whether it is switched on.
    pub enabled: bool,
    /// The models, the preferred one first.
    pub workers: Vec<DecideWorkerView>,
}

/// How one model does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DecideWorkerView {
    /// Its name.
    pub model: String,
    /// Seconds for which it is asked last.
    pub down_for_s: Option<u64>,
    /// Whether it did not keep to the form, and is not asked for one for a while.
    pub restriction_ignored: bool,
}
