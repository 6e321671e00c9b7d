//! The decision: gates, scores, order, floor, and an account of all of it.

use std::sync::Arc;

use lwa_domain::{Model, ModelKey, PicoUsd};

use crate::consent::consent_reason;
use crate::eligibility::{Role, Rules, is_builtin};
use crate::gate::{Gate, TieBreak};
use crate::no_route::NoRoute;
use crate::points::Points;
use crate::ranking::{Candidate, Ranking};
use crate::request::{Catalog, Policy, Request};
use crate::score::{GOOD_ENOUGH, floor};

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

/// Why the candidates before the chosen one were passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PassedOver {
    /// They are below the quality floor.
    BelowFloor,
    /// They voted, or cost money, and the synthesis goes to one that did neither.
    SynthesisElsewhere,
    /// They cost more than one that is good enough.
    Dearer,
}

/// Chooses a model for `request` from `catalog` under `policy`.
///
/// The same inputs give the same decision whatever the order of the catalogue.
///
/// # Errors
/// No candidate passes every gate.
pub fn decide(request: &Request, policy: &Policy, catalog: &Catalog) -> Result<Decision, NoRoute> {
    let rules = Rules::new(request, policy, catalog, Role::Primary);
    let ranking = Ranking::of(&rules, catalog);
    match ranking.choose(request) {
        Some((index, passed_over)) => Ok(settle(ranking, index, passed_over, &rules)),
        None => Err(NoRoute::new(&rules, catalog, ranking.refused().collect())),
    }
}

/// The decision for the candidate at `index`.
pub(crate) fn settle(mut ranking: Ranking, index: usize, passed_over: PassedOver, rules: &Rules) -> Decision {
    let Rules { request, policy, .. } = rules;
    let chosen = ranking.ranked.remove(index);
    let mut scored = chosen.scored(request, policy);
    if is_builtin(chosen.model) && !request.names_builtin() {
        scored.reasons.push("no model is eligible, and the task needs none".to_owned());
    }
    if index > 0 {
        scored.reasons.extend(passed_over.reason_for(request));
    }
    let winner: Arc<str> = chosen.model.key.to_string().into();
    let compare = |(place, other): (usize, &Candidate)| {
        let reason = if place < index {
            passed_over.reason(other, &winner, request)
        } else {
            how_it_compared(other, &chosen, &winner)
        };
        Rejected { key: other.model.key.clone(), reason }
    };
    let mut others: Vec<_> = ranking.ranked.iter().enumerate().map(compare).collect();
    others.extend(ranking.refused());
    Decision {
        requires_consent: policy.consent_mode.requires_consent(chosen.model.billing_class),
        consent_reason: consent_reason(policy.consent_mode, chosen.model, scored.max_cost),
        chosen: scored,
        others,
    }
}

impl PassedOver {
    /// Why the chosen one came before those ahead of it, where that is no matter of the caller's.
    fn reason_for(self, request: &Request) -> Option<String> {
        match self {
            Self::BelowFloor => Some(Ranking::floor_reason(request)),
            Self::Dearer => Some(format!(
                "at `{}` the cheapest of the routes that cost money and have {} points or more",
                request.quality,
                Points(GOOD_ENOUGH)
            )),
            Self::SynthesisElsewhere => None,
        }
    }

    fn reason(self, candidate: &Candidate, winner: &Arc<str>, request: &Request) -> Gate {
        match self {
            Self::BelowFloor => Gate::BelowFloor {
                score: candidate.score.before_record(),
                floor: floor(request.quality),
                quality: request.quality,
            },
            Self::SynthesisElsewhere => {
                Gate::SynthesisElsewhere { score: candidate.score.total(), winner: Arc::clone(winner) }
            }
            Self::Dearer => Gate::Dearer { score: candidate.score.total(), winner: Arc::clone(winner) },
        }
    }
}

/// How a candidate that comes after the chosen one compared with it.
fn how_it_compared(candidate: &Candidate, chosen: &Candidate, winner: &Arc<str>) -> Gate {
    let (score, winning_score) = (candidate.score.total(), chosen.score.total());
    let winner = Arc::clone(winner);
    if chosen.position < candidate.position {
        Gate::LessPreferred { score, winner }
    } else if score == winning_score {
        let by = if chosen.ceiling() < candidate.ceiling() { TieBreak::Cost } else { TieBreak::Name };
        Gate::Tied { score, winner, by }
    } else {
        Gate::Outscored { score, winner, winning_score }
    }
}
