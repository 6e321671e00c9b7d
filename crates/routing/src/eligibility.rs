//! The gates, in their order.

use std::collections::BTreeMap;
use std::sync::Arc;

use lwa_domain::{BillingClass, DataUse, Model, ProviderFacts};

use crate::gate::Gate;
use crate::request::{BUILTIN_PROVIDER, Catalog, Policy, Request};

type Check = fn(&Rules, &Model) -> Option<Gate>;

/// The gates before those of the provider.
const OF_MODEL: [Check; 8] = [
    model_disabled,
    other_provider_named,
    other_model_named,
    provider_excluded,
    missing_capabilities,
    needs_model,
    effort_not_offered,
    context_too_small,
];

/// The gates after those of the provider: money, then what happens to the text.
const OF_ROUTE: [Check; 2] = [spending_disabled, trains_on_text];

/// The rules of one decision, with everything that is the same for all models of a provider worked out once.
pub(crate) struct Rules<'a> {
    pub(crate) request: &'a Request<'a>,
    pub(crate) policy: &'a Policy,
    providers: BTreeMap<&'a str, ProviderRules<'a>>,
}

struct ProviderRules<'a> {
    facts: &'a ProviderFacts,
    /// Every gate of the provider that fails, in order.
    failures: Vec<Gate>,
}

impl<'a> Rules<'a> {
    pub(crate) fn new(request: &'a Request<'a>, policy: &'a Policy, catalog: &Catalog<'a>) -> Self {
        let providers = catalog
            .providers
            .iter()
            .map(|(name, facts)| (name.as_str(), ProviderRules { facts, failures: provider_failures(facts) }))
            .collect();
        Self { request, policy, providers }
    }

    /// The first gate that the model fails.
    pub(crate) fn first_failure(&self, model: &Model) -> Option<Gate> {
        self.failures(model).next()
    }

    /// Every gate that the model fails, in order, worked out one at a time.
    pub(crate) fn failures<'s>(&'s self, model: &'s Model) -> impl Iterator<Item = Gate> + 's {
        let run = move |check: &Check| check(self, model);
        let of_provider = std::iter::once_with(move || self.of_provider(model)).flatten().cloned();
        OF_MODEL.iter().filter_map(run).chain(of_provider).chain(OF_ROUTE.iter().filter_map(run))
    }

    fn of_provider(&self, model: &Model) -> &[Gate] {
        const UNKNOWN: &[Gate] = &[Gate::ProviderNotConfigured];
        self.providers.get(model.key.provider.as_str()).map_or(UNKNOWN, |provider| &provider.failures)
    }
}

fn provider_failures(facts: &ProviderFacts) -> Vec<Gate> {
    let shared = |text: &Option<String>| text.as_deref().map(Arc::<str>::from);
    let credential =
        (!facts.has_credential).then(|| Gate::MissingCredential(facts.credential_names.join(" or ").into()));
    [
        shared(&facts.disabled_reason).map(Gate::ProviderDisabled),
        shared(&facts.unhealthy_reason).map(Gate::ProviderUnhealthy),
        credential,
        shared(&facts.exhausted_cap).map(Gate::CapExhausted),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn model_disabled(_: &Rules, model: &Model) -> Option<Gate> {
    model.disabled_reason.as_deref().map(|reason| Gate::ModelDisabled(reason.into()))
}

fn other_provider_named(rules: &Rules, model: &Model) -> Option<Gate> {
    rules.request.provider.filter(|name| *name != model.key.provider).map(|_| Gate::OtherProviderNamed)
}

fn other_model_named(rules: &Rules, model: &Model) -> Option<Gate> {
    rules.request.model.filter(|name| *name != model.key.model).map(|_| Gate::OtherModelNamed)
}

fn provider_excluded(rules: &Rules, model: &Model) -> Option<Gate> {
    rules.request.excluded_providers.contains(&model.key.provider).then_some(Gate::ProviderExcluded)
}

fn missing_capabilities(rules: &Rules, model: &Model) -> Option<Gate> {
    let required = rules.request.task.required_capabilities().iter().copied();
    let missing = required.filter(|capability| !model.capabilities.contains(capability)).collect();
    Some(Gate::MissingCapabilities(missing)).filter(|_| !missing.is_empty())
}

/// The built-in provider states the capability `text`, which some tasks that need a model require too.
fn needs_model(rules: &Rules, model: &Model) -> Option<Gate> {
    (is_builtin(model) && !rules.request.task.is_served_without_model()).then_some(Gate::NeedsModel)
}

fn effort_not_offered(rules: &Rules, model: &Model) -> Option<Gate> {
    let asked = rules.request.reasoning_effort?;
    (!model.reasoning_levels.contains(&asked)).then_some(Gate::EffortNotOffered(asked))
}

fn context_too_small(rules: &Rules, model: &Model) -> Option<Gate> {
    let (needed, context) = (rules.request.total_tokens(), model.context_length);
    (needed > context).then_some(Gate::ContextTooSmall { needed, context })
}

fn spending_disabled(rules: &Rules, model: &Model) -> Option<Gate> {
    let leave = rules.policy.missing_leave(rules.request, model.billing_class)?;
    match model.billing_class {
        BillingClass::Free | BillingClass::FreeQuota => None,
        BillingClass::Paid => Some(Gate::PaidRouteDisabled(leave)),
        BillingClass::Unknown => Some(Gate::UnknownClassDisabled(leave)),
        BillingClass::UserPays => Some(Gate::UserPaysRouteDisabled(leave)),
    }
}

fn trains_on_text(rules: &Rules, model: &Model) -> Option<Gate> {
    let facts = rules.providers.get(model.key.provider.as_str())?.facts;
    let trains = facts.data_use == DataUse::Trains && !facts.is_local;
    (trains && !rules.policy.allow_training).then_some(Gate::TrainsOnText)
}

/// Whether the candidate is the built-in provider's.
pub(crate) fn is_builtin(model: &Model) -> bool {
    model.key.provider == BUILTIN_PROVIDER
}
