//! What is known about a model when all who speak of it were heard, fact by fact.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use lwa_domain::{BillingClass, Capability, Model, ModelKey, Price, Provenance};

use super::ListedModel;
use super::kind::{self, Named};
use crate::catalog;
use crate::prices::{CatalogueEntry, Fact, Retirement, SettledPrice, settle_price};

/// Who speaks of a model.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sources<'a> {
    /// The seed or the configuration, as it is before any list.
    pub known: Option<&'a Model>,
    /// The provider's list, and the day it was read.
    pub listed: Option<(&'a ListedModel, Date)>,
    /// The shipped catalogue.
    pub shipped: Option<&'a CatalogueEntry>,
}

/// A model and what routing does not look at.
#[derive(Debug, Clone, PartialEq)]
pub struct MergedModel {
    /// The model; its price is the one that is shown.
    pub model: Model,
    /// What is shown and what is set aside; `None` where nobody knows a price.
    pub price: Option<SettledPrice>,
    /// That it is or was taken away.
    pub retirement: Option<Fact<Retirement>>,
}

/// The model `key`, by all who speak of it.
///
/// What nobody states stays unknown, and what one does not state does not take away what another does.
/// The list comes first, then what a person has written, then the shipped catalogue, then the seed; abilities add up.
/// Scores and a switched-off state are those that are known. `class` is the provider's rule, see
/// [`catalog::class_of`]; no price changes it, and neither does the lack of one.
pub fn merge_model(key: ModelKey, class: BillingClass, sources: &Sources<'_>, today: Date) -> MergedModel {
    let source = if sources.listed.is_some() { "live" } else { "catalogue" };
    let mut model = sources.known.cloned().unwrap_or_else(|| Model::named(key, class, source));
    if sources.listed.is_some() {
        "live".clone_into(&mut model.source);
    }
    if model.billing_class == BillingClass::Unknown {
        model.billing_class = class;
    }
    let merge = Merge { sources, listing: sources.listed.map(|(_, day)| provenance("listing", &day.to_string())) };
    merge.names(&mut model);
    merge.limits(&mut model);
    merge.capabilities(&mut model);
    merge.effort(&mut model);
    let price = merge.price(today);
    model.price = price.as_ref().map(|price| price.shown.clone());
    MergedModel { model, price, retirement: merge.retirement(today) }
}

struct Merge<'a> {
    sources: &'a Sources<'a>,
    listing: Option<Provenance>,
}

fn provenance(source: &str, as_of: &str) -> Provenance {
    Provenance { source: source.to_owned(), as_of: as_of.to_owned() }
}

impl Merge<'_> {
    fn listed(&self) -> Option<&ListedModel> {
        self.sources.listed.map(|(listed, _)| listed)
    }

    /// Whether a person has written about the model.
    fn is_configured(&self) -> bool {
        self.sources.known.is_some_and(|known| known.source == "config")
    }

    /// Where a known fact comes from.
    fn known_provenance(&self, field: &str) -> Option<Provenance> {
        let known = self.sources.known?;
        Some(known.provenance.get(field).cloned().unwrap_or_else(|| provenance(&known.source, "unknown")))
    }

    /// The first that states a fact, written down with its origin.
    fn first<T>(
        &self,
        model: &mut Model,
        field: &str,
        listed: Option<T>,
        known: Option<T>,
        shipped: Option<(T, Provenance)>,
    ) -> Option<T> {
        // A dated catalogue is worth more than an undated seed, and less than a person's word.
        let shipped_first = !self.is_configured();
        let (value, from) = match (listed, known, shipped) {
            (Some(listed), ..) => (listed, self.listing.clone()?),
            (None, _, Some((shipped, from))) if shipped_first => (shipped, from),
            (None, Some(known), _) => (known, self.known_provenance(field)?),
            (None, None, Some((shipped, from))) => (shipped, from),
            (None, None, None) => return None,
        };
        model.provenance.insert(field.to_owned(), from);
        Some(value)
    }

    fn names(&self, model: &mut Model) {
        if let Some(name) = self.listed().and_then(|listed| listed.display_name.clone()) {
            model.display_name = Some(name);
        }
        if let Some(parameters) = self.listed().and_then(|listed| listed.supported_parameters.clone()) {
            model.supported_parameters = Some(parameters);
        }
    }

    fn limits(&self, model: &mut Model) {
        let shipped = self.sources.shipped.and_then(|shipped| shipped.limits.as_ref());
        let from = |tokens: Option<u64>| Some((tokens?, shipped?.provenance.clone()));
        let limits = shipped.map(|fact| fact.value).unwrap_or_default();
        let listed = self.listed();
        let is_stated = self.sources.known.is_some_and(|known| {
            known.context_length != Model::CAUTIOUS_CONTEXT || known.provenance.contains_key("context_length")
        });
        let known = is_stated.then_some(model.context_length);
        let context = listed.and_then(|listed| listed.context_length);
        let context = self.first(model, "context_length", context, known, from(limits.context));
        model.context_length = context.unwrap_or(model.context_length);
        let (listed_input, known) = (listed.and_then(|listed| listed.max_input_tokens), model.max_input_tokens);
        model.max_input_tokens = self.first(model, "max_input_tokens", listed_input, known, from(limits.input));
        let (listed_output, known) = (listed.and_then(|listed| listed.max_output_tokens), model.max_output_tokens);
        model.max_output_tokens = self.first(model, "max_output_tokens", listed_output, known, from(limits.output));
    }

    fn capabilities(&self, model: &mut Model) {
        let mut from = self.known_provenance("capabilities");
        let mut said: BTreeMap<Capability, bool> = BTreeMap::new();
        let named = kind::of(&model.key.model);
        // A person who names more than text has said all that they want to be used.
        let adds = !self.is_configured() || model.capabilities == BTreeSet::from([Capability::Text]);
        if adds {
            let is_silent = self.sources.shipped.is_none_or(|shipped| shipped.capabilities.is_none())
                && self.listed().is_none_or(|listed| listed.capabilities.is_empty());
            if let (Named::Chat(family), true, None) = (&named, is_silent, self.sources.known) {
                said.extend(family.iter().map(|capability| (*capability, true)));
                from = (!family.is_empty()).then(|| provenance("family", "unknown")).or(from);
            }
            if let Some(shipped) = self.sources.shipped.and_then(|shipped| shipped.capabilities.as_ref()) {
                said.extend(shipped.value.iter().filter(|(capability, _)| **capability != Capability::Text));
                from = Some(shipped.provenance.clone());
            }
        }
        model.capabilities.extend(said.iter().filter(|(_, can)| **can).map(|(capability, _)| *capability));
        for (capability, can) in self.listed().into_iter().flat_map(|listed| &listed.capabilities) {
            if *can {
                model.capabilities.insert(*capability);
            } else {
                model.capabilities.remove(capability);
            }
            from.clone_from(&self.listing);
        }
        if self.sources.known.is_none() {
            self.kind(model, &named);
        }
        if let Some(from) = from {
            model.provenance.insert("capabilities".to_owned(), from);
        }
    }

    /// Whether a model that was never heard of chats: by its list, else by the catalogue, else by its name.
    fn kind(&self, model: &mut Model, named: &Named) {
        let stated = self.listed().and_then(|listed| listed.is_chat);
        let stated = stated.or_else(|| self.sources.shipped.and_then(CatalogueEntry::is_chat));
        match (stated, named) {
            (Some(true), _) | (None, Named::Chat(_)) => {
                model.capabilities.insert(Capability::Text);
            }
            (Some(false), Named::Chat(_)) => {
                model.capabilities.remove(&Capability::Text);
            }
            (Some(false) | None, Named::NotChat(does)) => {
                model.capabilities.remove(&Capability::Text);
                model.capabilities.extend(*does);
            }
        }
    }

    fn effort(&self, model: &mut Model) {
        // Levels without a form are a person's or a seed's word, with which a form from elsewhere might not agree.
        let has_own_levels = !model.reasoning_levels.is_empty();
        let shipped = self.sources.shipped.and_then(|shipped| shipped.effort.as_ref());
        let shipped = shipped.map(|fact| (fact.value.clone(), fact.provenance.clone()));
        let shipped = shipped.filter(|_| !(has_own_levels && self.is_configured()));
        let (listed, known) = (self.listed().and_then(|listed| listed.effort.clone()), model.effort.clone());
        model.effort = self.first(model, "effort", listed, known, shipped);
        if let Some(levels) = self.listed().and_then(|listed| listed.reasoning_levels.clone()) {
            model.reasoning_levels = levels;
        } else if let (false, Some(effort)) = (has_own_levels, &model.effort) {
            // Only what can be said to this provider counts as accepted.
            let profile = catalog::find(&model.key.provider).map(|shipped| shipped.profile_for(&model.key.model));
            let profile = profile.unwrap_or_default().with_effort(effort);
            model.reasoning_levels =
                profile.accepted_efforts.iter().copied().filter(|effort| profile.accepts(*effort)).collect();
        }
    }

    fn price(&self, today: Date) -> Option<SettledPrice> {
        let stated = self.sources.known.and_then(|known| known.price.as_ref());
        let (earlier, configured): (Option<&Price>, Option<&Price>) = match stated {
            Some(price) if price.source == "listing" => (Some(price), None),
            other => (None, other),
        };
        let live =
            self.sources.listed.and_then(|(listed, day)| Some(listed.price.as_ref()?.to_price(&day.to_string())));
        let shipped = self.sources.shipped.map(|shipped| shipped.prices.as_slice()).unwrap_or_default();
        settle_price(live.as_ref().or(earlier), configured, shipped, today)
    }

    /// The end that the list states, else the catalogue's; an end in the past is wrong while the list has the model.
    fn retirement(&self, today: Date) -> Option<Fact<Retirement>> {
        if let Some(stated) = self.listed().and_then(|listed| listed.retirement.clone()) {
            return Some(Fact { value: stated, provenance: self.listing.clone()? });
        }
        let shipped = self.sources.shipped.and_then(|shipped| shipped.retirement.clone())?;
        (self.listed().is_none() || !shipped.value.has_passed(today)).then_some(shipped)
    }
}
