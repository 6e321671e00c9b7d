//! The gates, in their order.

use std::collections::BTreeMap;
use std::sync::Arc;

use lwa_domain::{BillingClass, Capability, DataUse, Model, ProviderFacts};

use crate::capability_set::CapabilitySet;
use crate::effort_offer::EffortOffer;
use crate::gate::Gate;
use crate::request::{BUILTIN_PROVIDER, Catalog, Policy, Request};

type Check = fn(&Rules, &Model) -> Option<Gate>;

/// The gates before those of the provider.
const OF_MODEL: [Check; 12] = [
    model_disabled,
    other_provider_named,
    other_model_named,
    provider_excluded,
    other_class_required,
    missing_capabilities,
    needs_model,
    effort_not_offered,
    format_not_accepted,
    context_too_small,
    input_too_large,
    output_too_large,
];

/// The gates after those of the provider: money, then what happens to the text.
const OF_ROUTE: [Check; 2] = [spending_disabled, trains_on_text];
/// The parameters of which a model has to accept one to answer in a response format.
const FORMAT_PARAMETERS: [&str; 2] = ["response_format", "structured_outputs"];

/// What a route is wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// To do the task.
    Primary,
    /// To vote in a consensus.
    Voter,
    /// To put the reviews of a consensus together.
    Synthesis,
}

/// The rules of one decision, with everything that is the same for all models of a provider worked out once.
pub(crate) struct Rules<'a> {
    pub(crate) request: &'a Request<'a>,
    pub(crate) policy: &'a Policy,
    pub(crate) role: Role,
    pub(crate) required: CapabilitySet,
    providers: BTreeMap<&'a str, ProviderRules<'a>>,
}

struct ProviderRules<'a> {
    facts: &'a ProviderFacts,
    /// Every gate of the provider that fails, in order.
    failures: Vec<Gate>,
}

impl<'a> Rules<'a> {
    pub(crate) fn new(request: &'a Request<'a>, policy: &'a Policy, catalog: &Catalog<'a>, role: Role) -> Self {
        let providers = catalog
            .providers
            .iter()
            .map(|(name, facts)| (name.as_str(), ProviderRules { facts, failures: provider_failures(facts) }))
            .collect();
        Self { request, policy, role, required: request.required_capabilities(), providers }
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

/// Voters are free whatever the request requires; a class that may cost money then concerns the synthesis alone.
fn other_class_required(rules: &Rules, model: &Model) -> Option<Gate> {
    let required = rules.request.required_billing_class?;
    if rules.role == Role::Voter && required.may_cost_money() {
        return None;
    }
    let class = model.billing_class;
    (class != required).then_some(Gate::OtherClassRequired { required, class })
}

fn missing_capabilities(rules: &Rules, model: &Model) -> Option<Gate> {
    let is_missing = |capability: &Capability| !model.capabilities.contains(capability);
    let missing: CapabilitySet = rules.required.iter().filter(is_missing).collect();
    Some(Gate::MissingCapabilities(missing)).filter(|_| !missing.is_empty())
}

/// The built-in provider states the capability `text`, which some tasks that need a model require too.
fn needs_model(rules: &Rules, model: &Model) -> Option<Gate> {
    let serves = rules.role == Role::Primary && rules.request.task.is_served_without_model();
    (is_builtin(model) && !serves).then_some(Gate::NeedsModel)
}

/// Pictures and films take no effort, whatever a model lists.
fn effort_not_offered(rules: &Rules, model: &Model) -> Option<Gate> {
    let asked = rules.request.reasoning_effort?;
    if rules.request.is_for_media() {
        return Some(Gate::EffortNotOffered { asked, offer: EffortOffer::default() });
    }
    (!model.reasoning_levels.contains(&asked)).then(|| Gate::EffortNotOffered { asked, offer: EffortOffer::of(model) })
}

/// A model whose parameters are not known is given the benefit of the doubt. The built-in provider's are known: it
/// accepts none. Pictures and films have no format.
fn format_not_accepted(rules: &Rules, model: &Model) -> Option<Gate> {
    let accepts = match &model.supported_parameters {
        _ if is_builtin(model) || rules.request.is_for_media() => false,
        Some(known) => FORMAT_PARAMETERS.iter().any(|name| known.contains(*name)),
        None => true,
    };
    (rules.request.wants_structured && !accepts).then_some(Gate::FormatNotAccepted)
}

fn context_too_small(rules: &Rules, model: &Model) -> Option<Gate> {
    let (needed, context) = (rules.request.total_tokens(), model.context_length);
    (needed > context).then_some(Gate::ContextTooSmall { needed, context })
}

fn input_too_large(rules: &Rules, model: &Model) -> Option<Gate> {
    let (needed, most) = (rules.request.estimated_input_tokens, model.max_input_tokens?);
    (needed > most).then_some(Gate::InputTooLarge { needed, most })
}

fn output_too_large(rules: &Rules, model: &Model) -> Option<Gate> {
    let (asked, most) = (u64::from(rules.request.max_output_tokens), model.max_output_tokens?);
    (asked > most).then_some(Gate::OutputTooLarge { asked, most })
}

fn spending_disabled(rules: &Rules, model: &Model) -> Option<Gate> {
    let class = model.billing_class;
    if rules.role == Role::Voter && class.may_cost_money() {
        return Some(Gate::VotersAreFree(class));
    }
    if class == BillingClass::UserPays && rules.request.is_for_media() {
        return Some(Gate::UserPaysNotForMedia);
    }
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
