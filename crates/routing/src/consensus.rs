//! Who votes in a consensus, and who puts the reviews together.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::decide::{Decision, PassedOver, Rejected, Scored, settle};
use crate::eligibility::{Role, Rules};
use crate::gate::Gate;
use crate::no_route::NoRoute;
use crate::ranking::Ranking;
use crate::request::{Catalog, Policy, Request};

/// Those who vote, and why each of the others does not.
#[derive(Debug, Clone, PartialEq)]
pub struct Voters {
    /// The voters, best first, one of each provider; never empty.
    pub chosen: Vec<Scored>,
    /// Every other candidate: first the eligible ones, best first, then the refused ones by name.
    pub others: Vec<Rejected>,
}

impl Voters {
    fn hold(&self, provider: &str) -> bool {
        self.chosen.iter().any(|voter| voter.model.key.provider == provider)
    }
}

/// Chooses the voters: every provider's best model among the routes that are free or free within a quota.
///
/// Whatever the request allows or requires, nothing that may cost money votes, and neither does the built-in provider.
/// `max` caps the number; without it every provider with an eligible model votes. A cap of zero counts as one, because
/// a consensus without a voter is none.
///
/// # Errors
/// Nobody may vote.
pub fn voters(request: &Request, policy: &Policy, catalog: &Catalog, max: Option<usize>) -> Result<Voters, NoRoute> {
    // Leave to pay makes a task point worth more at `high`, which is no matter of voters.
    let request = &Request { allow_paid: false, allow_user_pays: false, ..*request };
    let rules = Rules::new(request, policy, catalog, Role::Voter);
    let ranking = Ranking::of(&rules, catalog);
    let max = max.unwrap_or(usize::MAX).max(1);
    let mut chosen: Vec<Scored> = Vec::new();
    let mut others = Vec::new();
    let mut voting = BTreeMap::<&str, Arc<str>>::new();
    for candidate in &ranking.ranked {
        let key = &candidate.model.key;
        let reason = if let Some(voter) = voting.get(key.provider.as_str()) {
            Gate::ProviderVotes { voter: Arc::clone(voter) }
        } else if chosen.len() == max {
            Gate::EnoughVoters(max)
        } else {
            voting.insert(&key.provider, key.to_string().into());
            chosen.push(candidate.scored(request, policy));
            continue;
        };
        others.push(Rejected { key: key.clone(), reason });
    }
    others.extend(ranking.refused());
    if chosen.is_empty() {
        return Err(NoRoute::new(&rules, catalog, others));
    }
    Ok(Voters { chosen, others })
}

/// Chooses who puts the reviews together, as [`decide`](crate::decide()) would, and prefers a fresh eye.
///
/// When the best route voted and costs nothing, the best free route of a provider that did not vote takes its place; when
/// there is none, the voter does both. A fresh eye is no reason to spend: a route that may cost money is taken only where
/// it wins by itself, with leave from both sides. A provider that the caller prefers by name keeps its place.
///
/// Voters are free, so the consent that this decision requires is the consent that the whole consensus requires.
///
/// # Errors
/// No candidate passes every gate.
pub fn synthesis(request: &Request, policy: &Policy, catalog: &Catalog, voters: &Voters) -> Result<Decision, NoRoute> {
    let rules = Rules::new(request, policy, catalog, Role::Synthesis);
    let ranking = Ranking::of(&rules, catalog);
    let Some((index, passed_over)) = ranking.choose(request) else {
        return Err(NoRoute::new(&rules, catalog, ranking.refused().collect()));
    };
    let best = &ranking.ranked[index];
    let voted = best.model.billing_class.is_free() && voters.hold(&best.model.key.provider);
    if !voted || best.is_preferred() {
        return Ok(settle(ranking, index, passed_over, &rules));
    }
    let fresh = ranking
        .ranked
        .iter()
        .position(|candidate| candidate.model.billing_class.is_free() && !voters.hold(&candidate.model.key.provider));
    let (taken, why) = match fresh {
        Some(fresh) => (fresh, "did not vote, so it reads the reviews with a fresh eye"),
        None => (index, "votes too: no free model of a provider outside the voters is eligible"),
    };
    let mut decision = settle(ranking, taken, PassedOver::SynthesisElsewhere, &rules);
    decision.chosen.reasons.push(why.to_owned());
    Ok(decision)
}
