//! What a caller is told when no candidate is left.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use lwa_domain::{BillingClass, Capability, ModelKey, TaskKind};
use thiserror::Error;

use crate::capability_set::CapabilitySet;
use crate::decide::Rejected;
use crate::effort_offer::{EffortOffer, labels};
use crate::eligibility::{Role, Rules};
use crate::gate::Gate;
use crate::request::Catalog;
use crate::way_out::{self, Attempt};

const REASONS_SHOWN: usize = 8;
const EXAMPLES_SHOWN: usize = 8;
/// Providers without a key that are named; the others are counted.
const KEYLESS_NAMED: usize = 4;

/// No configured route may serve the task.
///
/// Its text names the task, what it needs, the commonest reasons, the candidates that came nearest and the shortest
/// way out. It never holds a prompt or a key.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct NoRoute {
    /// The task.
    pub task: TaskKind,
    /// What a model has to be able to do.
    pub required: Vec<Capability>,
    /// The billing class that the request requires, if it does.
    pub required_class: Option<BillingClass>,
    /// Whether voters of a consensus were looked for, which are free routes only.
    pub is_for_voters: bool,
    /// Every candidate with the first gate it failed, by name.
    pub rejected: Vec<Rejected>,
    /// The candidates that came nearest, nearest first; at most eight.
    pub examples: Vec<ModelKey>,
    /// The shortest way to a route: what to set, or which name was meant.
    pub way_out: String,
}

impl NoRoute {
    pub(crate) fn new(rules: &Rules, catalog: &Catalog, rejected: Vec<Rejected>) -> Self {
        let mut nearest = way_out::nearest_first(rules, catalog);
        let way_out = way_out::describe(rules, catalog, &nearest);
        if nearest.first().is_some_and(Attempt::is_within_reach) {
            nearest.retain(Attempt::is_within_reach);
        }
        Self {
            task: rules.request.task,
            required: rules.required.iter().collect(),
            required_class: rules.request.required_billing_class,
            is_for_voters: rules.role == Role::Voter,
            rejected,
            way_out,
            examples: nearest.into_iter().take(EXAMPLES_SHOWN).map(|attempt| attempt.model.key.clone()).collect(),
        }
    }

    /// The reasons with the number of candidates each one refused: count descending, then text.
    ///
    /// Refusals that differ only in a model's own numbers or efforts are one reason, which says how far the best of
    /// them goes; so are all those for lack of a key, with the providers that have none.
    pub fn reasons(&self) -> Vec<(usize, String)> {
        let mut groups = BTreeMap::<String, Group>::new();
        for rejected in &self.rejected {
            let group = groups.entry(Group::key(&rejected.reason)).or_insert_with(|| Group::of(&rejected.reason));
            group.add(&rejected.key, &rejected.reason);
        }
        let mut reasons: Vec<_> = groups.into_values().map(|group| (group.count, group.text())).collect();
        reasons.sort_by(|a, b| (Reverse(a.0), &a.1).cmp(&(Reverse(b.0), &b.1)));
        reasons
    }
}

/// Refusals for one reason.
struct Group<'a> {
    count: usize,
    first: &'a Gate,
    is_uniform: bool,
    offer: EffortOffer,
    largest: u64,
    providers: BTreeSet<&'a str>,
}

impl<'a> Group<'a> {
    /// The text of the reason, without what differs from model to model.
    fn key(gate: &Gate) -> String {
        match gate {
            Gate::EffortNotOffered { .. }
            | Gate::ContextTooSmall { .. }
            | Gate::InputTooLarge { .. }
            | Gate::OutputTooLarge { .. }
            | Gate::MissingCredential(_) => gate.label().to_owned(),
            other => other.to_string(),
        }
    }

    fn of(first: &'a Gate) -> Self {
        let (offer, providers) = (EffortOffer::default(), BTreeSet::new());
        Self { count: 0, first, is_uniform: true, offer, largest: 0, providers }
    }

    fn add(&mut self, key: &'a ModelKey, gate: &Gate) {
        self.count += 1;
        self.is_uniform &= gate == self.first;
        match gate {
            Gate::EffortNotOffered { offer, .. } => self.offer = self.offer.union(offer),
            Gate::ContextTooSmall { context: most, .. }
            | Gate::InputTooLarge { most, .. }
            | Gate::OutputTooLarge { most, .. } => self.largest = self.largest.max(*most),
            Gate::MissingCredential(_) => {
                self.providers.insert(&key.provider);
            }
            _ => {}
        }
    }

    fn text(&self) -> String {
        let largest = self.largest;
        match self.first {
            gate if self.is_uniform => gate.to_string(),
            Gate::MissingCredential(_) => {
                let named = labels(self.providers.iter().take(KEYLESS_NAMED), ", ");
                let more = match self.providers.len().saturating_sub(KEYLESS_NAMED) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                format!("no key for {} providers ({named}{more})", self.providers.len())
            }
            Gate::EffortNotOffered { asked, .. } => match labels(self.offer.efforts(), ", ") {
                none if none.is_empty() => format!("reasoning effort `{asked}` not offered (none of ours is)"),
                some => format!("reasoning effort `{asked}` not offered (some accept {some})"),
            },
            Gate::ContextTooSmall { needed, .. } => {
                format!("context too small ({needed} tokens needed, {largest} in the largest)")
            }
            Gate::InputTooLarge { needed, .. } => {
                format!("input too large ({needed} tokens needed, {largest} read by the largest)")
            }
            Gate::OutputTooLarge { asked, .. } => {
                format!("answer too large ({asked} tokens asked for, {largest} written by the largest)")
            }
            other => other.to_string(),
        }
    }
}

impl fmt::Display for NoRoute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let required: CapabilitySet = self.required.iter().collect();
        let what = if self.is_for_voters { "voter" } else { "route" };
        write!(f, "no {what} for `{}` (needs {required}", self.task)?;
        if let Some(class) = self.required_class {
            write!(f, ", billing class `{class}` required")?;
        }
        f.write_str(")")?;
        let reasons = self.reasons();
        let shown = reasons.iter().take(REASONS_SHOWN).map(|(count, text)| format!("{count} × {text}"));
        if !reasons.is_empty() {
            write!(f, ": {}", shown.collect::<Vec<_>>().join(", "))?;
        }
        if reasons.len() > REASONS_SHOWN {
            write!(f, ", {} more reasons", reasons.len() - REASONS_SHOWN)?;
        }
        if !self.examples.is_empty() {
            write!(f, "; nearest: {}", labels(self.examples.iter(), ", "))?;
        }
        write!(f, "; way out: {}", self.way_out)
    }
}
