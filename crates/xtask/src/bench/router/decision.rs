//! The decision over catalogues of several sizes, with warm and with cold caches.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use lwa_domain::{BillingClass, Capability, ConsentMode, DataUse, Model, ModelKey, ProviderFacts, Quality, TaskKind};
use lwa_routing::{Catalog, Policy, Request, decide};

use super::figures::Figures;
use super::percentiles::Percentiles;

/// How many models.
const SIZES: [usize; 5] = [10, 100, 1_000, 2_000, 7_000];
const PROVIDERS: usize = 20;
const WARM_ROUNDS: usize = 1_001;
const COLD_ROUNDS: usize = 201;
/// More than any cache of a machine of today holds.
const EVICTION_BYTES: usize = 96 * 1024 * 1024;
/// The bytes of a cache line; one read of each is enough.
const CACHE_LINE: usize = 64;

/// Decisions over a catalogue of one size.
#[derive(Debug, Clone, Copy)]
pub struct Decisions {
    /// Again and again over the same catalogue, a route being found.
    pub warm: Percentiles,
    /// The same, when no model is eligible.
    pub warm_refused: Percentiles,
    /// Once over a catalogue that is in no cache, a route being found.
    pub cold: Percentiles,
}

/// Measures every size and prints.
pub(super) fn measure(figures: &mut Figures) -> Result<()> {
    figures.heading("Decision");
    for models in SIZES {
        let Decisions { warm, warm_refused, cold } = decisions(models, WARM_ROUNDS, COLD_ROUNDS)?;
        let who = format!("{models} models");
        for (what, spread) in [("warm", warm), ("warm, no route", warm_refused), ("cold", cold)] {
            figures.add(&who, what, super::Row::Spread(spread));
        }
    }
    Ok(())
}

/// Measures decisions over `models` models.
///
/// # Errors
/// There is no route where there has to be one, or one where there must be none.
pub fn decisions(models: usize, warm_rounds: usize, cold_rounds: usize) -> Result<Decisions> {
    let providers: BTreeMap<_, _> = (0..PROVIDERS).map(provider).map(|facts| (facts.name.clone(), facts)).collect();
    let models: Vec<_> = (0..models).map(|index| model(index, models)).collect();
    let catalog = Catalog { models: &models, providers: &providers, tracks: &BTreeMap::new() };
    let policy = Policy {
        consent_mode: ConsentMode::PaidOnly,
        prefer_free: true,
        allow_paid: false,
        allow_user_pays: false,
        allow_training: false,
    };
    let found = Request {
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
    let refused = Request { task: TaskKind::VideoGeneration, ..found };
    let once = |request: &Request| {
        let start = Instant::now();
        let decision = black_box(decide(black_box(request), &policy, &catalog));
        (start.elapsed(), decision.is_ok())
    };
    let rounds = |request: &Request, count: usize, is_found: bool, before: &mut dyn FnMut()| -> Result<Percentiles> {
        let mut times: Vec<Duration> = Vec::with_capacity(count);
        for _ in 0..count {
            before();
            let (time, was_found) = once(request);
            anyhow::ensure!(was_found == is_found, "the decision found a route: {was_found}, expected: {is_found}");
            times.push(time);
        }
        Percentiles::of(times).context("nothing was measured")
    };
    let mut eviction = vec![1u8; EVICTION_BYTES];
    let mut evict = || {
        for byte in eviction.iter_mut().step_by(CACHE_LINE) {
            *byte = byte.wrapping_add(1);
        }
        black_box(&eviction);
    };
    Ok(Decisions {
        warm: rounds(&found, warm_rounds, true, &mut || ())?,
        warm_refused: rounds(&refused, warm_rounds, false, &mut || ())?,
        cold: rounds(&found, cold_rounds, true, &mut evict)?,
    })
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
        is_experimental: false,
    }
}

/// Names are scattered, because a listing comes in the provider's order, not in ours.
fn model(index: usize, models: usize) -> Model {
    let scattered = index * 7_919 % models.max(1);
    let classes = [BillingClass::FreeQuota, BillingClass::Paid, BillingClass::FreeQuota, BillingClass::Unknown];
    let key = ModelKey {
        provider: format!("provider-{:02}", index % PROVIDERS),
        model: format!("vendor/some-model-{scattered:04}-{index:04}-instruct"),
    };
    Model {
        capabilities: [Capability::Text, Capability::Reasoning, Capability::Tools].into(),
        context_length: 131_072,
        task_scores: BTreeMap::from([(TaskKind::CodingAux, u8::try_from(scattered % 100).unwrap_or_default())]),
        ..Model::named(key, classes[index % classes.len()], "live")
    }
}
