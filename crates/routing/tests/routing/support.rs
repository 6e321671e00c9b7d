//! Small worlds to decide in.

use std::collections::{BTreeMap, BTreeSet};

use lwa_domain::{
    BillingClass, Capability, ConsentMode, DataUse, Model, ModelKey, PicoUsd, Price, ProviderFacts, Quality, TaskKind,
    TrackRecord,
};
use lwa_routing::consensus::{self, Voters};
use lwa_routing::{Catalog, Decision, Gate, NoRoute, Policy, Rejected, Request, decide};

/// A request that fits every model: a coding task with little text, nothing named, no money allowed.
pub const REQUEST: Request = Request {
    task: TaskKind::CodingAux,
    quality: Quality::Balanced,
    reasoning_effort: None,
    capabilities: None,
    wants_structured: false,
    estimated_input_tokens: 200,
    max_output_tokens: 1200,
    allow_paid: false,
    allow_user_pays: false,
    required_billing_class: None,
    preferred_providers: &[],
    excluded_providers: &[],
    provider: None,
    model: None,
};

/// The configuration's defaults.
pub const POLICY: Policy = Policy {
    consent_mode: ConsentMode::PaidOnly,
    prefer_free: true,
    allow_paid: false,
    allow_user_pays: false,
    allow_training: false,
};

/// `REQUEST` and `POLICY` with both halves of the leave for paid routes.
pub fn paid_allowed(quality: Quality) -> (Request<'static>, Policy) {
    (Request { quality, allow_paid: true, ..REQUEST }, Policy { allow_paid: true, ..POLICY })
}

/// A model that every text task can use, with one score for all tasks.
pub fn model(key: &str, class: BillingClass, score: u8) -> Model {
    Model {
        capabilities: BTreeSet::from([Capability::Text, Capability::Reasoning]),
        context_length: 131_072,
        task_scores: TaskKind::ALL.iter().map(|task| (*task, score)).collect(),
        ..Model::named(key_of(key), class, "config")
    }
}

/// `provider:model` taken apart.
pub fn key_of(key: &str) -> ModelKey {
    let (provider, model) = key.split_once(':').unwrap();
    ModelKey { provider: provider.to_owned(), model: model.to_owned() }
}

/// A provider that is ready to serve.
pub fn facts(name: &str) -> ProviderFacts {
    ProviderFacts {
        name: name.to_owned(),
        disabled_reason: None,
        unhealthy_reason: None,
        credential_names: vec![format!("{}_API_KEY", name.to_uppercase())],
        has_credential: true,
        exhausted_cap: None,
        is_local: false,
        data_use: DataUse::Retains,
        data_use_source: String::new(),
        is_experimental: false,
    }
}

pub fn price(input: i64, output: i64) -> Price {
    Price::flat(PicoUsd::new(input), PicoUsd::new(output), "config", "2026-01-01")
}

/// A catalogue that owns what it holds; every model's provider is ready until a test changes it.
#[derive(Debug, Clone)]
pub struct World {
    pub models: Vec<Model>,
    pub providers: BTreeMap<String, ProviderFacts>,
    pub tracks: BTreeMap<ModelKey, TrackRecord>,
}

impl World {
    pub fn of(models: impl IntoIterator<Item = Model>) -> Self {
        let models: Vec<_> = models.into_iter().collect();
        let providers = models.iter().map(|model| (model.key.provider.clone(), facts(&model.key.provider))).collect();
        Self { models, providers, tracks: BTreeMap::new() }
    }

    /// The same world with one provider changed.
    pub fn with(mut self, provider: &str, change: impl FnOnce(&mut ProviderFacts)) -> Self {
        change(self.providers.get_mut(provider).unwrap());
        self
    }

    /// The same world with one model changed.
    pub fn with_model(mut self, key: &str, change: impl FnOnce(&mut Model)) -> Self {
        change(self.models.iter_mut().find(|model| model.key.to_string() == key).unwrap());
        self
    }

    /// The same world with a record of calls, failures and the median time.
    pub fn with_track(mut self, key: &str, calls: u32, failures: u32, median_latency_ms: Option<u32>) -> Self {
        self.tracks.insert(key_of(key), TrackRecord { calls, failures, median_latency_ms });
        self
    }

    fn catalog(&self) -> Catalog<'_> {
        Catalog { models: &self.models, providers: &self.providers, tracks: &self.tracks }
    }

    pub fn decide(&self, request: &Request, policy: &Policy) -> Result<Decision, NoRoute> {
        decide(request, policy, &self.catalog())
    }

    pub fn voters(&self, request: &Request, policy: &Policy, max: Option<usize>) -> Result<Voters, NoRoute> {
        consensus::voters(request, policy, &self.catalog(), max)
    }

    pub fn synthesis(&self, request: &Request, policy: &Policy, voters: &Voters) -> Result<Decision, NoRoute> {
        consensus::synthesis(request, policy, &self.catalog(), voters)
    }

    /// The chosen key, or a panic with the reason why there is none.
    pub fn chosen(&self, request: &Request, policy: &Policy) -> String {
        match self.decide(request, policy) {
            Ok(decision) => decision.chosen.model.key.to_string(),
            Err(none) => panic!("{none}"),
        }
    }

    pub fn refusal(&self, request: &Request, policy: &Policy) -> NoRoute {
        self.decide(request, policy).expect_err("a route was found")
    }
}

/// Why `key` was not chosen.
pub fn reason_for(decision: &Decision, key: &str) -> Gate {
    reason_among(&decision.others, key)
}

pub fn reason_among(others: &[Rejected], key: &str) -> Gate {
    others.iter().find(|other| other.key.to_string() == key).unwrap().reason.clone()
}

pub fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(|name| (*name).to_owned()).collect()
}
