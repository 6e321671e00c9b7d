//! The decision: gates, scores, order, floor, and an account of all of it.

use std::cmp::Reverse;
use std::sync::Arc;

use lwa_domain::{Model, ModelKey, PicoUsd};

use crate::consent::consent_reason;
use crate::eligibility::{Rules, is_builtin};
use crate::gate::Gate;
use crate::no_route::NoRoute;
use crate::points::Points;
use crate::request::{Catalog, Policy, Request};
use crate::score::{Score, floor};

/// One chosen route and an account of every other candidate.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The route.
    pub chosen: Scored,
    /// Every other candidate: first the eligible ones, best first, then the refused ones by name.
    pub others: Vec<Rejected>,
    /// Whether a human has to consent before the route is used.
    pub requires_consent: bool,
    /// Why consent is needed, or why not: one sentence for people.
    pub consent_reason: String,
}

/// A candidate with its score.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    /// The candidate as it stood in the catalogue.
    pub model: Model,
    /// Its score in hundredths of a point.
    pub score_hundredths: i32,
    /// One readable reason for each term of the score, and for whatever else brought it to the front.
    pub reasons: Vec<String>,
    /// The most the call can cost by its list price; absent when there is no price.
    pub max_cost: Option<PicoUsd>,
}

/// A candidate that was not chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejected {
    /// Which one.
    pub key: ModelKey,
    /// The first gate that failed, or how it compared.
    pub reason: Gate,
}

/// An eligible candidate on its way through the comparison.
struct Candidate<'a> {
    model: &'a Model,
    score: Score,
    /// The position in the preferred list; unlisted providers come after all listed ones.
    position: usize,
}

impl Candidate<'_> {
    fn order(&self) -> (usize, Reverse<i32>, &ModelKey) {
        (self.position, Reverse(self.score.total()), &self.model.key)
    }
}

/// Chooses a model for `request` from `catalog` under `policy`.
///
/// The same inputs give the same decision whatever the order of the catalogue.
pub fn decide(request: &Request, policy: &Policy, catalog: &Catalog) -> Result<Decision, NoRoute> {
    let rules = Rules::new(request, policy, catalog);
    let mut eligible = Vec::new();
    let mut refused = Vec::new();
    for model in catalog.models {
        match rules.first_failure(model) {
            Some(reason) => refused.push((&model.key, reason)),
            None => eligible.push(model),
        }
    }
    if !request.names_builtin() && eligible.iter().any(|model| !is_builtin(model)) {
        eligible.retain(|model| {
            let stays = !is_builtin(model);
            if !stays {
                refused.push((&model.key, Gate::BuiltinStepsBack));
            }
            stays
        });
    }
    refused.sort_unstable_by(|a, b| a.0.cmp(b.0));
    let refused = refused.into_iter().map(|(key, reason)| Rejected { key: key.clone(), reason });

    let mut ranked: Vec<_> = eligible
        .into_iter()
        .map(|model| Candidate {
            model,
            score: Score::of(model, request, policy),
            position: request.preferred_position(&model.key.provider).unwrap_or(usize::MAX),
        })
        .collect();
    ranked.sort_unstable_by(|a, b| a.order().cmp(&b.order()));
    let Some(index) = choose(&ranked, request) else {
        return Err(NoRoute::new(&rules, catalog, refused.collect()));
    };
    let chosen = ranked.remove(index);
    let others = explain(&chosen, &ranked, index, request).chain(refused).collect();
    let max_cost = max_cost(chosen.model, request);
    Ok(Decision {
        others,
        requires_consent: policy.consent_mode.requires_consent(chosen.model.billing_class),
        consent_reason: consent_reason(policy.consent_mode, chosen.model, max_cost),
        chosen: Scored {
            model: chosen.model.clone(),
            score_hundredths: chosen.score.total(),
            reasons: reasons(&chosen, index > 0, request, policy),
            max_cost,
        },
    })
}

/// The place of the chosen candidate in the ranking; not the first when the quality floor moves the choice to a route
/// that may cost money.
///
/// A provider that the caller prefers by name stays chosen below the floor: a wish that was spelt out is not turned
/// into a bill.
fn choose(ranked: &[Candidate], request: &Request) -> Option<usize> {
    let first = ranked.first()?;
    if first.score.total() >= floor(request.quality) || first.position != usize::MAX {
        return Some(0);
    }
    Some(ranked.iter().position(|candidate| candidate.model.billing_class.may_cost_money()).unwrap_or(0))
}

/// How each of `ranked`, from which the chosen one at `index` was taken out, compared with it.
fn explain<'r>(
    chosen: &Candidate,
    ranked: &'r [Candidate],
    index: usize,
    request: &Request,
) -> impl Iterator<Item = Rejected> + use<'r> {
    let winner: Arc<str> = chosen.model.key.to_string().into();
    let (winning_score, position) = (chosen.score.total(), chosen.position);
    let quality = request.quality;
    ranked.iter().enumerate().map(move |(place, candidate)| {
        let score = candidate.score.total();
        let winner = Arc::clone(&winner);
        let reason = if place < index {
            Gate::BelowFloor { score, floor: floor(quality), quality }
        } else if position < candidate.position {
            Gate::LessPreferred { score, winner }
        } else if score == winning_score {
            Gate::Tied { score, winner }
        } else {
            Gate::Outscored { score, winner, winning_score }
        };
        Rejected { key: candidate.model.key.clone(), reason }
    })
}

fn max_cost(model: &Model, request: &Request) -> Option<PicoUsd> {
    let price = model.price.as_ref()?;
    Some(price.cost(request.estimated_input_tokens, u64::from(request.max_output_tokens)))
}

fn reasons(chosen: &Candidate, is_escalated: bool, request: &Request, policy: &Policy) -> Vec<String> {
    let mut reasons = chosen.score.reasons(chosen.model, request, policy);
    if let Some(effort) = request.reasoning_effort {
        reasons.push(format!("offers reasoning effort `{effort}`"));
    }
    if chosen.position != usize::MAX {
        reasons.push(format!("number {} in the preferred list", chosen.position + 1));
    }
    if is_builtin(chosen.model) && !request.names_builtin() {
        reasons.push("no model is eligible, and the task needs none".to_owned());
    }
    if is_escalated {
        let floor = Points(floor(request.quality));
        reasons.push(format!("the best route scored below the floor of {floor} for `{}`", request.quality));
    }
    reasons
}
