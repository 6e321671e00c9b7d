//! All candidates sorted: the eligible ones by how good they are, the refused ones by name.

use std::cmp::Reverse;

use lwa_domain::{BillingClass, Model, ModelKey, PicoUsd, Quality};

use crate::decide::{PassedOver, Rejected, Scored};
use crate::eligibility::{Role, Rules, is_builtin};
use crate::gate::Gate;
use crate::points::Points;
use crate::record::{Record, usual_ms};
use crate::request::{Catalog, Policy, Request};
use crate::score::{GOOD_ENOUGH, Score, floor};

/// An eligible candidate on its way through the comparison.
pub(crate) struct Candidate<'a> {
    pub(crate) model: &'a Model,
    pub(crate) score: Score,
    /// The position in the preferred list; unlisted providers come after all listed ones.
    pub(crate) position: usize,
    max_cost: Option<PicoUsd>,
}

impl<'a> Candidate<'a> {
    fn new(model: &'a Model, rules: &Rules, catalog: &Catalog, usual_ms: Option<u32>) -> Self {
        let Rules { request, policy, .. } = rules;
        let record = Record::of(model, catalog.providers.get(&model.key.provider), catalog, usual_ms);
        // A price for tokens says nothing about a picture.
        let worst_case = model
            .price
            .as_ref()
            .filter(|_| !request.is_for_media())
            .map(|price| price.worst_case(request.estimated_input_tokens, u64::from(request.max_output_tokens)));
        Self {
            model,
            score: Score::of(model, request, policy).with(record),
            position: request.preferred_position(&model.key.provider).unwrap_or(usize::MAX),
            max_cost: worst_case,
        }
    }

    pub(crate) const fn is_preferred(&self) -> bool {
        self.position != usize::MAX
    }

    /// What a tie is broken by before the name: the most the call can cost its payer.
    ///
    /// A free class costs nothing whatever price is listed, and a price that nobody knows comes after every known one.
    pub(crate) fn ceiling(&self) -> PicoUsd {
        if self.model.billing_class.is_free() {
            return PicoUsd::ZERO;
        }
        self.max_cost.unwrap_or(PicoUsd::new(i64::MAX))
    }

    fn order(&self) -> (usize, Reverse<i32>, PicoUsd, &ModelKey) {
        (self.position, Reverse(self.score.total()), self.ceiling(), &self.model.key)
    }

    /// The candidate as it is handed out, with the reasons that hold for it in every decision.
    pub(crate) fn scored(&self, request: &Request, policy: &Policy) -> Scored {
        let mut reasons = self.score.reasons(self.model, request, policy);
        if let Some(effort) = request.reasoning_effort {
            reasons.push(format!("offers reasoning effort `{effort}`"));
        }
        if request.wants_structured {
            reasons.push(match &self.model.supported_parameters {
                Some(_) => "accepts a response format".to_owned(),
                None => "lists no parameters, so whether it accepts a response format is not known".to_owned(),
            });
        }
        if let Some(class) = request.required_billing_class.filter(|class| *class == self.model.billing_class) {
            reasons.push(format!("has the billing class `{class}` that the request requires"));
        }
        if self.is_preferred() {
            reasons.push(format!("number {} in the preferred list", self.position + 1));
        }
        Scored { model: self.model.clone(), score_hundredths: self.score.total(), reasons, max_cost: self.max_cost }
    }
}

/// Every candidate of a decision.
pub(crate) struct Ranking<'a> {
    /// The eligible ones, best first.
    pub(crate) ranked: Vec<Candidate<'a>>,
    refused: Vec<(&'a ModelKey, Gate)>,
}

impl<'a> Ranking<'a> {
    pub(crate) fn of(rules: &Rules, catalog: &Catalog<'a>) -> Self {
        let mut eligible = Vec::new();
        let mut refused = Vec::new();
        for model in catalog.models {
            match rules.first_failure(model) {
                Some(reason) => refused.push((&model.key, reason)),
                None => eligible.push(model),
            }
        }
        let steps_back = rules.role == Role::Primary
            && !rules.request.names_builtin()
            && eligible.iter().any(|model| !is_builtin(model));
        if steps_back {
            eligible.retain(|model| {
                let stays = !is_builtin(model);
                if !stays {
                    refused.push((&model.key, Gate::BuiltinStepsBack));
                }
                stays
            });
        }
        refused.sort_unstable_by(|a, b| a.0.cmp(b.0));
        let usual_ms = usual_ms(eligible.iter().copied().filter(|model| !is_builtin(model)), catalog);
        let mut ranked: Vec<_> =
            eligible.into_iter().map(|model| Candidate::new(model, rules, catalog, usual_ms)).collect();
        ranked.sort_unstable_by(|a, b| a.order().cmp(&b.order()));
        Self { ranked, refused }
    }

    /// The place of the candidate to take, and why those before it are passed over: the quality floor moves the choice
    /// to a route that may cost money, or `economy` to a cheaper one of those.
    ///
    /// A provider that the caller prefers by name stays chosen below the floor: a wish that was spelt out is not turned
    /// into a bill. Neither is a bad record: the floor asks whether a model is good enough for the task.
    pub(crate) fn choose(&self, request: &Request) -> Option<(usize, PassedOver)> {
        let first = self.ranked.first()?;
        let costs_money = |candidate: &Candidate| candidate.model.billing_class.may_cost_money();
        let is_good_enough = |candidate: &Candidate| candidate.score.before_record() >= floor(request.quality);
        let stays_free = self.ranked.iter().any(|candidate| !costs_money(candidate) && is_good_enough(candidate));
        if stays_free || first.is_preferred() || costs_money(first) {
            return Some((self.cheapest(request), PassedOver::Dearer));
        }
        Some((self.ranked.iter().position(costs_money).unwrap_or(0), PassedOver::BelowFloor))
    }

    /// At `economy`, the place of the cheapest of the first candidates that are all billed to a key; else the first place.
    ///
    /// Those that cost nothing or that a subscription pays are never passed over, so nothing is billed for a saving. A
    /// candidate counts when it is good enough; while the first one is not, the score decides.
    fn cheapest(&self, request: &Request) -> usize {
        let Some(first) = self.ranked.first().filter(|_| request.quality == Quality::Economy) else { return 0 };
        let is_alike = |candidate: &&Candidate| {
            matches!(candidate.model.billing_class, BillingClass::Paid | BillingClass::Unknown)
                && candidate.position == first.position
                && candidate.score.total() >= GOOD_ENOUGH
        };
        let alike = self.ranked.iter().take_while(is_alike).enumerate();
        alike.min_by_key(|(place, candidate)| (candidate.ceiling(), *place)).map_or(0, |(place, _)| place)
    }

    /// The reason for an escalation, where the choice at `index` is one.
    pub(crate) fn floor_reason(request: &Request) -> String {
        let floor = Points(floor(request.quality));
        format!("the best route scored below the floor of {floor} for `{}`", request.quality)
    }

    /// The refused candidates, by name.
    pub(crate) fn refused(self) -> impl Iterator<Item = Rejected> {
        self.refused.into_iter().map(|(key, reason)| Rejected { key: key.clone(), reason })
    }
}
