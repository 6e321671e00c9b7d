//! Prints how long a decision over 2,000 models takes: `cargo run --release --example decide_speed -p lwa-routing`.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::{Duration, Instant};

use lwa_domain::{BillingClass, Capability, ConsentMode, DataUse, Model, ModelKey, ProviderFacts, Quality, TaskKind};
use lwa_routing::{Catalog, Policy, Request, decide};

const MODELS: usize = 2_000;
const PROVIDERS: usize = 20;
const ROUNDS: usize = 501;

fn main() -> std::io::Result<()> {
    let providers: BTreeMap<_, _> = (0..PROVIDERS).map(provider).map(|facts| (facts.name.clone(), facts)).collect();
    let models: Vec<_> = (0..MODELS).map(model).collect();
    let catalog = Catalog { models: &models, providers: &providers };
    let policy = Policy {
        consent_mode: ConsentMode::PaidOnly,
        prefer_free: true,
        allow_paid: false,
        allow_user_pays: false,
        allow_training: false,
    };
    let routed = Request {
        task: TaskKind::CodingAux,
        quality: Quality::Balanced,
        reasoning_effort: None,
        estimated_input_tokens: 200,
        max_output_tokens: 1200,
        allow_paid: false,
        allow_user_pays: false,
        preferred_providers: &[],
        excluded_providers: &[],
        provider: None,
        model: None,
    };
    let refused = Request { task: TaskKind::VideoGeneration, ..routed };
    let mut out = std::io::stdout().lock();
    for (name, request) in [("a route is found", routed), ("no route is found", refused)] {
        let mut times: Vec<Duration> = (0..ROUNDS)
            .map(|_| {
                let start = Instant::now();
                std::hint::black_box(decide(&request, &policy, &catalog)).ok();
                start.elapsed()
            })
            .collect();
        times.sort_unstable();
        let at = |percent: usize| times[(ROUNDS - 1) * percent / 100].as_micros();
        writeln!(out, "{name}, {MODELS} models: median {} µs, 95 % {} µs, worst {} µs", at(50), at(95), at(100))?;
    }
    Ok(())
}

/// Every fifth provider has no key.
fn provider(index: usize) -> ProviderFacts {
    ProviderFacts {
        name: format!("provider-{index:02}"),
        disabled_reason: None,
        unhealthy_reason: None,
        credential_names: vec![format!("PROVIDER_{index:02}_API_KEY")],
        has_credential: !index.is_multiple_of(5),
        exhausted_cap: None,
        is_local: false,
        data_use: DataUse::Retains,
    }
}

/// Names are scattered, because a listing comes in the provider's order, not in ours.
fn model(index: usize) -> Model {
    let scattered = index * 7_919 % MODELS;
    let classes = [BillingClass::FreeQuota, BillingClass::Paid, BillingClass::FreeQuota, BillingClass::Unknown];
    Model {
        key: ModelKey {
            provider: format!("provider-{:02}", scattered % PROVIDERS),
            model: format!("vendor/some-model-{scattered:04}-instruct"),
        },
        display_name: None,
        billing_class: classes[index % classes.len()],
        capabilities: [Capability::Text, Capability::Reasoning, Capability::Tools].into(),
        reasoning_levels: Vec::new(),
        context_length: 131_072,
        price: None,
        task_scores: BTreeMap::from([(TaskKind::CodingAux, u8::try_from(scattered % 100).unwrap_or_default())]),
        disabled_reason: None,
        source: "live".to_owned(),
    }
}
