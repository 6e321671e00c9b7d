//! What the router does with the two models of a set as a cheap and a strong route.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use lwa_domain::{
    BillingClass, Capability, ConsentMode, DataUse, Model, ModelKey, PicoUsd, Price, ProviderFacts, Quality, TaskKind,
};
use lwa_routing::{Catalog, Policy, Request, decide};

use super::measured::MeasuredSet;

/// The answer limit of a request that names none.
const MAX_OUTPUT_TOKENS: u32 = 1200;
/// A million tokens in pico-dollars a token.
const DOLLAR_A_MILLION: i64 = 1_000_000;

/// Who pays for the two routes, and whether both sides gave their leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Setting {
    /// The cheap route has a free quota, the strong one is paid; leave is given.
    FreeAndPaid,
    /// As before, and leave is withheld.
    FreeAndRefused,
    /// Both are paid; leave is given.
    BothPaid,
}

impl Setting {
    pub(super) const ALL: [Self; 3] = [Self::FreeAndPaid, Self::FreeAndRefused, Self::BothPaid];

    /// The setting in words.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::FreeAndPaid => "cheap in a free quota, strong paid, leave given",
            Self::FreeAndRefused => "cheap in a free quota, strong paid, leave withheld",
            Self::BothPaid => "both paid, the strong one at twenty times the price, leave given",
        }
    }
}

/// To which route the prompts of a set went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Went {
    /// Every prompt to the cheap route.
    Cheap,
    /// Every prompt to the strong route.
    Strong,
    /// The length of the prompt decided.
    Both,
}

/// Decides for every length that a prompt of the set has, and says which routes were chosen.
///
/// # Errors
/// There is no route for a length.
pub(super) fn went(set: &MeasuredSet, setting: Setting, quality: Quality) -> Result<Went> {
    let models = models(set, setting);
    let providers: BTreeMap<String, ProviderFacts> =
        ["cheap", "strong"].map(|name| (name.to_owned(), provider(name))).into();
    let allow_paid = setting != Setting::FreeAndRefused;
    let policy = Policy {
        consent_mode: ConsentMode::PaidOnly,
        prefer_free: true,
        allow_paid,
        allow_user_pays: false,
        allow_training: false,
    };
    let mut chosen = BTreeSet::new();
    for estimated_input_tokens in set.tokens[0]..=set.tokens[2] {
        let request = Request {
            task: TaskKind::Query,
            quality,
            reasoning_effort: None,
            capabilities: None,
            wants_structured: false,
            estimated_input_tokens,
            max_output_tokens: MAX_OUTPUT_TOKENS,
            allow_paid,
            allow_user_pays: false,
            required_billing_class: None,
            preferred_providers: &[],
            excluded_providers: &[],
            provider: None,
            model: None,
        };
        let decision =
            decide(&request, &policy, &Catalog { models: &models, providers: &providers, tracks: &BTreeMap::new() })
                .with_context(|| format!("no route for {estimated_input_tokens} tokens of `{}`", set.name))?;
        chosen.insert(decision.chosen.model.key.provider);
    }
    Ok(match (chosen.contains("cheap"), chosen.contains("strong")) {
        (true, false) => Went::Cheap,
        (false, true) => Went::Strong,
        _ => Went::Both,
    })
}

/// The two models, with their measured qualities as task scores: more than an operator can know.
fn models(set: &MeasuredSet, setting: Setting) -> [Model; 2] {
    let [cheap, strong, _] = set.qualities();
    let class = if setting == Setting::BothPaid { BillingClass::Paid } else { BillingClass::FreeQuota };
    [
        model("cheap", &set.cheap_model, cheap, (class, DOLLAR_A_MILLION / 2, 32_768)),
        model("strong", &set.strong_model, strong, (BillingClass::Paid, DOLLAR_A_MILLION * 10, 128_000)),
    ]
}

fn model(provider: &str, name: &str, quality: f64, (class, price, context_length): (BillingClass, i64, u64)) -> Model {
    let key = ModelKey { provider: provider.to_owned(), model: name.to_owned() };
    Model {
        capabilities: [Capability::Text, Capability::Reasoning].into(),
        context_length,
        price: Some(Price::flat(PicoUsd::new(price), PicoUsd::new(price * 3), "quality", "unknown")),
        task_scores: BTreeMap::from([(TaskKind::Query, points(quality))]),
        ..Model::named(key, class, "config")
    }
}

fn provider(name: &str) -> ProviderFacts {
    ProviderFacts {
        name: name.to_owned(),
        disabled_reason: None,
        unhealthy_reason: None,
        credential_names: Vec::new(),
        has_credential: true,
        exhausted_cap: None,
        is_local: false,
        data_use: DataUse::Retains,
        data_use_source: String::new(),
        is_experimental: false,
    }
}

/// A quality of 0 to 1 as points of a task score.
pub(super) fn points(quality: f64) -> u8 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0 to 100 before")]
    let points = (quality * 100.0).round().clamp(0.0, 100.0) as u8;
    points
}
