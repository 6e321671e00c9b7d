//! Random worlds, requests and policies: mostly usable, so that choices happen, and every gate fails now and then.

use std::collections::BTreeMap;

use lwa_domain::{
    BillingClass, Capability, ConsentMode, DataUse, EffortForm, EffortSupport, Model, ModelKey, ProviderFacts, Quality,
    ReasoningEffort, TaskKind, TrackRecord,
};
use lwa_routing::{BUILTIN_PROVIDER, Policy, Request};
use proptest::option::weighted;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::{select, subsequence};

use crate::support::{World, key_of, price};

/// A request that owns its lists.
#[derive(Debug, Clone)]
pub struct Asked {
    pub request: Request<'static>,
    pub preferred: Vec<String>,
    pub excluded: Vec<String>,
    pub provider: Option<String>,
    pub model: Option<String>,
}

impl Asked {
    pub fn request(&self) -> Request<'_> {
        Request {
            preferred_providers: &self.preferred,
            excluded_providers: &self.excluded,
            provider: self.provider.as_deref(),
            model: self.model.as_deref(),
            ..self.request
        }
    }

    pub fn position(&self, key: &ModelKey) -> usize {
        self.preferred.iter().position(|name| *name == key.provider).unwrap_or(usize::MAX)
    }

    pub fn names_builtin(&self) -> bool {
        self.provider.as_deref() == Some(BUILTIN_PROVIDER) || self.preferred.iter().any(|name| name == BUILTIN_PROVIDER)
    }
}

const PROVIDERS: [&str; 5] = ["alpha", "beta", BUILTIN_PROVIDER, "delta", "echo"];
const MODELS: [&str; 3] = ["large", "small", "tiny"];

fn owned(list: &'static [&'static str]) -> Vec<String> {
    list.iter().map(|name| (*name).to_owned()).collect()
}

fn a_model(key: ModelKey) -> impl Strategy<Value = Model> {
    let capabilities = prop_oneof![
        8 => Just(vec![Capability::Text, Capability::Reasoning]),
        1 => Just(vec![Capability::Image, Capability::Video]),
        2 => subsequence(Capability::ALL, 0..=4),
    ];
    let levels = subsequence(ReasoningEffort::ALL, 0..=3);
    let effort =
        weighted(0.3, (select(vec![EffortForm::Level, EffortForm::Toggle, EffortForm::Budget]), any::<bool>()));
    let limits = (
        select(vec![900_u64, 1500, 8192, 131_072]),
        weighted(0.2, select(vec![100_u64, 500, 200_000])),
        weighted(0.2, select(vec![500_u64, 1200, 64_000])),
    );
    let parameters = weighted(0.3, subsequence(owned(&["tools", "response_format", "structured_outputs"]), 0..=3));
    // Few different scores and prices, so that ties happen.
    let scores = weighted(0.9, select(vec![0_u8, 20, 40, 60, 74, 75, 80, 81, 82, 90, 100]));
    let disabled = weighted(0.05, Just("off".to_owned()));
    let cost = weighted(0.6, (select(vec![0, 1_000, 250_000]), select(vec![0, 4_000, 1_000_000])));
    (select(BillingClass::ALL), capabilities, levels, effort, limits, parameters, scores, disabled, cost).prop_map(
        move |(class, capabilities, levels, effort, limits, parameters, score, disabled_reason, cost)| Model {
            capabilities: capabilities.into_iter().collect(),
            reasoning_levels: levels,
            effort: effort.map(|(form, is_mandatory)| EffortSupport { form, levels: owned(&["low"]), is_mandatory }),
            context_length: limits.0,
            max_input_tokens: limits.1,
            max_output_tokens: limits.2,
            supported_parameters: parameters.map(|list| list.into_iter().collect()),
            price: cost.map(|(input, output)| price(input, output)),
            task_scores: TaskKind::ALL.iter().filter_map(|task| Some((*task, score?))).collect(),
            disabled_reason,
            ..Model::named(key.clone(), class, "live")
        },
    )
}

fn a_provider(name: &'static str) -> impl Strategy<Value = ProviderFacts> {
    let reason = || weighted(0.05, Just("down".to_owned()));
    (reason(), reason(), any::<[bool; 3]>(), reason(), select(DataUse::ALL), any::<bool>(), any::<[bool; 2]>())
        .prop_map(move |(disabled_reason, unhealthy_reason, key, exhausted_cap, data_use, is_local, tried)| {
            ProviderFacts {
                name: name.to_owned(),
                disabled_reason,
                unhealthy_reason,
                credential_names: vec![format!("{}_API_KEY", name.to_uppercase())],
                has_credential: key.contains(&true),
                exhausted_cap,
                is_local,
                data_use,
                data_use_source: String::new(),
                is_experimental: tried == [false, false],
            }
        })
}

pub fn a_track() -> impl Strategy<Value = TrackRecord> {
    (select(vec![1_u32, 19, 20, 21, 100]), 0..=100_u32, weighted(0.8, 1..=10_000_u32)).prop_map(
        |(calls, failures, median_latency_ms)| TrackRecord { calls, failures: failures.min(calls), median_latency_ms },
    )
}

pub fn a_world() -> impl Strategy<Value = World> {
    let keys: Vec<_> = PROVIDERS
        .iter()
        .flat_map(|provider| MODELS.iter().map(|model| (*provider).to_owned() + ":" + model))
        .map(|key| key_of(&key))
        .collect();
    let tracks: Vec<_> = keys.iter().map(|key| (Just(key.clone()), weighted(0.4, a_track()))).collect();
    let models = subsequence(keys, 0..=15).prop_flat_map(|keys| keys.into_iter().map(a_model).collect::<Vec<_>>());
    let providers: Vec<_> = PROVIDERS.into_iter().map(a_provider).collect();
    (models.prop_shuffle(), providers, weighted(0.1, select(PROVIDERS.to_vec())), tracks).prop_map(
        |(models, providers, missing, tracks)| {
            let mut providers: BTreeMap<_, _> =
                providers.into_iter().map(|facts| (facts.name.clone(), facts)).collect();
            if let Some(name) = missing {
                providers.remove(name);
            }
            let tracks = tracks.into_iter().filter_map(|(key, track)| Some((key, track?))).collect();
            World { models, providers, tracks }
        },
    )
}

pub fn a_request() -> impl Strategy<Value = Asked> {
    let wishes = (
        weighted(0.1, select(ReasoningEffort::ALL)),
        weighted(0.1, subsequence(Capability::ALL, 1..=2)),
        weighted(0.1, select(BillingClass::ALL)),
        weighted(0.1, Just(())),
    );
    (
        select(TaskKind::ALL),
        select(Quality::ALL),
        wishes,
        any::<[bool; 2]>(),
        subsequence(owned(&PROVIDERS), 0..=2).prop_shuffle(),
        subsequence(owned(&PROVIDERS), 0..=1),
        weighted(0.15, select(owned(&["alpha", "beta", BUILTIN_PROVIDER, "alfa"]))),
        weighted(0.1, select(owned(&["large", "small", "huge"]))),
    )
        .prop_map(|(task, quality, wishes, [paid, user_pays], preferred, excluded, provider, model)| {
            let (reasoning_effort, extra, required_billing_class, format) = wishes;
            let needed = task.required_capabilities();
            Asked {
                request: Request {
                    task,
                    quality,
                    reasoning_effort,
                    capabilities: extra.map(|extra| needed.iter().chain(&extra).collect()),
                    wants_structured: format.is_some(),
                    estimated_input_tokens: 200,
                    max_output_tokens: 1200,
                    allow_paid: paid,
                    allow_user_pays: user_pays,
                    required_billing_class,
                    preferred_providers: &[],
                    excluded_providers: &[],
                    provider: None,
                    model: None,
                },
                preferred,
                excluded,
                provider,
                model,
            }
        })
}

pub fn a_policy() -> impl Strategy<Value = Policy> {
    (select(ConsentMode::ALL), any::<[bool; 4]>()).prop_map(
        |(consent_mode, [prefer_free, allow_paid, allow_user_pays, allow_training])| Policy {
            consent_mode,
            prefer_free,
            allow_paid,
            allow_user_pays,
            allow_training,
        },
    )
}
