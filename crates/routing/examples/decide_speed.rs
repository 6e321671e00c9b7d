//! Prints how long decisions take: `cargo run --release --example decide_speed -p lwa-routing`.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::{Duration, Instant};

use lwa_domain::{
    BillingClass, Capability, ConsentMode, DataUse, Model, ModelKey, PicoUsd, Price, ProviderFacts, Quality, TaskKind,
    TrackRecord,
};
use lwa_routing::{Catalog, Policy, Request, consensus, decide};

const SIZES: [usize; 2] = [2_000, 7_000];
const PROVIDERS: usize = 20;
const ROUNDS: usize = 501;
const POLICY: Policy = Policy {
    consent_mode: ConsentMode::PaidOnly,
    prefer_free: true,
    allow_paid: true,
    allow_user_pays: false,
    allow_training: false,
};
const REQUEST: Request = Request {
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

fn main() -> std::io::Result<()> {
    let providers: BTreeMap<_, _> = (0..PROVIDERS).map(provider).map(|facts| (facts.name.clone(), facts)).collect();
    let mut out = std::io::stdout().lock();
    for size in SIZES {
        let models: Vec<_> = (0..size).map(|index| model(index, size)).collect();
        let tracks: BTreeMap<_, _> = models.iter().step_by(10).map(|model| (model.key.clone(), track(model))).collect();
        let catalog = Catalog { models: &models, providers: &providers, tracks: &tracks };
        let everything = Request { allow_paid: true, quality: Quality::High, ..REQUEST };
        let no_film = Request { task: TaskKind::VideoGeneration, ..REQUEST };
        let mut report = |name: &str, run: &dyn Fn()| {
            let [best, median, most] = measure(run);
            writeln!(out, "{size} models, {name}: best {best} µs, median {median} µs, 95 % {most} µs")
        };
        report("free routes only", &|| keep(decide(&REQUEST, &POLICY, &catalog)))?;
        report("paid routes allowed", &|| keep(decide(&everything, &POLICY, &catalog)))?;
        report("no route", &|| keep(decide(&no_film, &POLICY, &catalog)))?;
        report("voters", &|| keep(consensus::voters(&REQUEST, &POLICY, &catalog, None)))?;
    }
    Ok(())
}

fn keep<T>(value: T) {
    drop(std::hint::black_box(value));
}

fn measure(run: &dyn Fn()) -> [u128; 3] {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    [0, 50, 95].map(|percent: usize| times[(ROUNDS - 1) * percent / 100].as_micros())
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
        data_use_source: String::new(),
        is_experimental: index.is_multiple_of(7),
    }
}

/// Names are scattered, because a listing comes in the provider's order, not in ours.
fn model(index: usize, size: usize) -> Model {
    let scattered = index * 7_919 % size;
    let classes = [BillingClass::FreeQuota, BillingClass::Paid, BillingClass::FreeQuota, BillingClass::Unknown];
    let price = |pico| PicoUsd::new(i64::try_from(pico).unwrap_or_default());
    Model {
        capabilities: [Capability::Text, Capability::Reasoning, Capability::Tools].into(),
        context_length: 131_072,
        max_output_tokens: Some(16_384),
        supported_parameters: Some(["tools", "response_format", "temperature"].map(str::to_owned).into()),
        price: Some(Price::flat(price(scattered * 1_000), price(scattered * 4_000), "listing", "2026-01-01")),
        task_scores: BTreeMap::from([(TaskKind::CodingAux, u8::try_from(scattered % 100).unwrap_or_default())]),
        ..Model::named(
            ModelKey {
                provider: format!("provider-{:02}", scattered % PROVIDERS),
                model: format!("vendor/some-model-{scattered:04}-instruct"),
            },
            classes[index % classes.len()],
            "live",
        )
    }
}

fn track(model: &Model) -> TrackRecord {
    let length = u32::try_from(model.key.model.len()).unwrap_or_default();
    TrackRecord { calls: 40, failures: length % 7, median_latency_ms: Some(500 + length * 10) }
}
