//! The shortest way from no route to a route.
//!
//! Every candidate is put through all gates, not only up to the first that fails. The one whose failures take the least
//! trouble to remove is the nearest, and removing exactly these makes it eligible.

use std::cmp::Reverse;

use lwa_domain::label::nearest;
use lwa_domain::{Model, ModelKey, Pipeline};

use crate::capability_set::CapabilitySet;
use crate::effort_offer::labels;
use crate::eligibility::{Role, Rules};
use crate::gate::{Gate, Leave};
use crate::request::Catalog;
use crate::score::Score;

/// The trouble of something that no setting can change.
const OUT_OF_REACH: u32 = 1_000;
/// Names are echoed up to this length.
const NAME_SHOWN: usize = 60;

/// A candidate with everything that keeps it from being eligible.
pub(crate) struct Attempt<'a> {
    pub(crate) model: &'a Model,
    failures: Vec<Gate>,
    trouble: u32,
    score: i32,
}

impl Attempt<'_> {
    /// Whether settings alone can make the candidate eligible.
    pub(crate) const fn is_within_reach(&self) -> bool {
        self.trouble < OUT_OF_REACH
    }
}

/// All candidates, the one with the least trouble first, then by score and name.
pub(crate) fn nearest_first<'a>(rules: &Rules, catalog: &Catalog<'a>) -> Vec<Attempt<'a>> {
    let attempt = |model: &'a Model| {
        let failures: Vec<_> = rules.failures(model).collect();
        let trouble = failures.iter().map(|gate| trouble(gate, rules)).sum();
        Attempt { model, failures, trouble, score: Score::of(model, rules.request, rules.policy).total() }
    };
    let mut attempts: Vec<_> = catalog.models.iter().map(attempt).collect();
    attempts.sort_unstable_by(|a, b| {
        let order = |attempt: &Attempt<'a>| (attempt.trouble, Reverse(attempt.score), &attempt.model.key);
        order(a).cmp(&order(b))
    });
    attempts
}

/// The way out in words.
pub(crate) fn describe(rules: &Rules, catalog: &Catalog, attempts: &[Attempt]) -> String {
    if let Some(hint) = unknown_name(rules, catalog) {
        return hint;
    }
    match attempts.first() {
        None => "configure a provider with a model, or start a local model server".to_owned(),
        Some(attempt) if !attempt.is_within_reach() => {
            let required = rules.required;
            if rules.role == Role::Voter {
                format!(
                    "only free routes vote: configure a free provider with a model that has the capabilities {required}"
                )
            } else {
                format!("configure a model with the capabilities {required}")
            }
        }
        Some(attempt) => {
            let key = &attempt.model.key;
            let steps: Vec<_> = attempt.failures.iter().map(|gate| remedy(gate, key, rules)).collect();
            format!("{}for `{key}`, {}", all_paid(rules, catalog).unwrap_or_default(), steps.join(" and "))
        }
    }
}

/// Said first when every model that makes the picture or film costs somebody money: nothing free was overlooked then.
fn all_paid(rules: &Rules, catalog: &Catalog) -> Option<&'static str> {
    let said = match rules.request.task.pipeline() {
        Pipeline::Image => "image models are paid: ",
        Pipeline::Video => "video models are paid: ",
        Pipeline::Text | Pipeline::Consensus => return None,
    };
    let is_capable = |model: &&Model| rules.required.iter().all(|capability| model.capabilities.contains(&capability));
    let mut capable = catalog.models.iter().filter(is_capable);
    capable.all(|model| model.billing_class.may_cost_money()).then_some(said)
}

/// How much trouble it is to remove a failure. Only the order matters: a key is less than a bill, anything is less than
/// giving up what the request named.
fn trouble(gate: &Gate, rules: &Rules) -> u32 {
    match gate {
        Gate::MissingCredential(_)
        | Gate::EffortNotOffered { .. }
        | Gate::FormatNotAccepted
        | Gate::ContextTooSmall { .. }
        | Gate::InputTooLarge { .. }
        | Gate::OutputTooLarge { .. } => 2,
        Gate::ProviderExcluded | Gate::CapExhausted(_) | Gate::ProviderUnhealthy(_) => 3,
        Gate::PaidRouteDisabled(_)
        | Gate::UnknownClassDisabled(_)
        | Gate::UserPaysRouteDisabled(_)
        | Gate::TrainsOnText => 4,
        Gate::ModelDisabled(_) | Gate::ProviderDisabled(_) | Gate::ProviderNotConfigured => 5,
        Gate::MissingCapabilities(missing) if is_extra(*missing, rules) => 20,
        Gate::OtherProviderNamed | Gate::OtherModelNamed | Gate::OtherClassRequired { .. } => 50,
        Gate::MissingCapabilities(_)
        | Gate::NeedsModel
        | Gate::UserPaysNotForMedia
        | Gate::VotersAreFree(_)
        | Gate::BuiltinStepsBack
        | Gate::Outscored { .. }
        | Gate::Tied { .. }
        | Gate::LessPreferred { .. }
        | Gate::BelowFloor { .. }
        | Gate::Dearer { .. }
        | Gate::ProviderVotes { .. }
        | Gate::EnoughVoters(_)
        | Gate::SynthesisElsewhere { .. } => OUT_OF_REACH,
    }
}

/// Whether the request alone requires these capabilities, and the task does not.
fn is_extra(missing: CapabilitySet, rules: &Rules) -> bool {
    let needed: CapabilitySet = rules.request.task.required_capabilities().iter().collect();
    missing.without(needed) == missing
}

fn remedy(gate: &Gate, key: &ModelKey, rules: &Rules) -> String {
    let ModelKey { provider, .. } = key;
    match gate {
        Gate::ModelDisabled(_) => "enable the model".to_owned(),
        Gate::OtherProviderNamed => "leave out the provider that the request names".to_owned(),
        Gate::OtherModelNamed => "leave out the model that the request names".to_owned(),
        Gate::ProviderExcluded => format!("take `{provider}` off the excluded providers"),
        Gate::OtherClassRequired { required, .. } => {
            format!("leave out the billing class `{required}` that the request requires")
        }
        Gate::MissingCapabilities(missing) if is_extra(*missing, rules) => {
            format!("leave out the capabilities {missing} that the request adds")
        }
        Gate::EffortNotOffered { asked, offer } => match labels(offer.efforts(), " or ") {
            none if none.is_empty() => format!("ask for no reasoning effort instead of `{asked}`"),
            some => format!("ask for reasoning effort {some}, or for none, instead of `{asked}`"),
        },
        Gate::FormatNotAccepted => "ask for no response format".to_owned(),
        Gate::ContextTooSmall { needed, context } => {
            format!("cut input and output by {} tokens", needed.saturating_sub(*context))
        }
        Gate::InputTooLarge { needed, most } => format!("cut the input by {} tokens", needed.saturating_sub(*most)),
        Gate::OutputTooLarge { most, .. } => format!("ask for at most {most} output tokens"),
        Gate::ProviderNotConfigured => format!("configure the provider `{provider}`"),
        Gate::ProviderDisabled(_) => format!("enable the provider `{provider}`"),
        Gate::ProviderUnhealthy(_) => format!("wait until `{provider}` is healthy again"),
        Gate::MissingCredential(names) => format!("store a key for `{provider}` with `lwa keys` (or set {names})"),
        Gate::CapExhausted(_) => format!("wait for the next period or raise the cap of `{provider}`"),
        Gate::PaidRouteDisabled(leave) if rules.request.is_for_media() => match leave {
            Leave::OfRequest => "ask with `allow_paid`".to_owned(),
            Leave::OfConfiguration => "allow paid routes in the configuration".to_owned(),
            Leave::OfBoth => "allow paid routes in the configuration and ask with `allow_paid`".to_owned(),
        },
        Gate::PaidRouteDisabled(leave) | Gate::UnknownClassDisabled(leave) => set_flag("allow_paid", *leave),
        Gate::UserPaysRouteDisabled(leave) => set_flag("allow_user_pays", *leave),
        Gate::TrainsOnText => "set `allow_training` in the configuration".to_owned(),
        Gate::MissingCapabilities(_)
        | Gate::NeedsModel
        | Gate::UserPaysNotForMedia
        | Gate::VotersAreFree(_)
        | Gate::BuiltinStepsBack
        | Gate::Outscored { .. }
        | Gate::Tied { .. }
        | Gate::LessPreferred { .. }
        | Gate::BelowFloor { .. }
        | Gate::Dearer { .. }
        | Gate::ProviderVotes { .. }
        | Gate::EnoughVoters(_)
        | Gate::SynthesisElsewhere { .. } => "choose another model".to_owned(),
    }
}

fn set_flag(flag: &str, leave: Leave) -> String {
    let place = match leave {
        Leave::OfRequest => "the request",
        Leave::OfConfiguration => "the configuration",
        Leave::OfBoth => "the request and the configuration",
    };
    format!("set `{flag}` in {place}")
}

/// What is wrong with a provider or model that the request names, when nothing has that name.
fn unknown_name(rules: &Rules, catalog: &Catalog) -> Option<String> {
    let keys = || catalog.models.iter().map(|model| &model.key);
    if let Some(name) = rules.request.provider {
        let names = || catalog.providers.keys().map(String::as_str).chain(keys().map(|key| key.provider.as_str()));
        if names().all(|known| known != name) {
            return Some(format!("no provider is named {}", meant(name, names())));
        }
        if keys().all(|key| key.provider != name) {
            return Some(format!("{} has no model in the catalogue; refresh it or configure one", shown(name)));
        }
    }
    let name = rules.request.model?;
    let reachable = || keys().filter(|key| rules.request.provider.is_none_or(|provider| provider == key.provider));
    if reachable().any(|key| key.model == name) {
        return None;
    }
    if let Some(elsewhere) = keys().filter(|key| key.model == name).min() {
        return Some(format!("the named provider has no model {}; `{elsewhere}` has that name", shown(name)));
    }
    Some(format!("no model is named {}", meant(name, reachable().map(|key| key.model.as_str()))))
}

fn meant<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let mut known: Vec<_> = known.collect();
    known.sort_unstable();
    match nearest(name, known) {
        Some(near) => format!("{}; did you mean `{near}`?", shown(name)),
        None => shown(name),
    }
}

fn shown(name: &str) -> String {
    format!("`{}`", name.chars().take(NAME_SHOWN).collect::<String>())
}
