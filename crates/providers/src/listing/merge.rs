//! What a list adds to what is known.

use lwa_domain::{BillingClass, Capability, Model, ModelKey, Price};

use super::ListedModel;

/// The context of a model about which nobody says anything.
const CAUTIOUS_CONTEXT: u64 = 8192;

impl ListedModel {
    /// The model as it is known after this list: `known` with what the list states.
    ///
    /// What the list does not state stays as it was, scores and a switched-off state always do.
    /// The billing class is the known one or else the provider's; a price, not even one of zero, changes it.
    /// `as_of` is the day of the list, `YYYY-MM-DD`.
    pub fn merged_into(&self, known: Option<&Model>, provider: &str, class: BillingClass, as_of: &str) -> Model {
        let mut model = known.cloned().unwrap_or_else(|| self.unknown(provider, class));
        "live".clone_into(&mut model.source);
        if model.billing_class == BillingClass::Unknown {
            model.billing_class = class;
        }
        if let Some(name) = &self.display_name {
            model.display_name = Some(name.clone());
        }
        for (capability, is_able) in &self.capabilities {
            if *is_able {
                model.capabilities.insert(*capability);
            } else {
                model.capabilities.remove(capability);
            }
        }
        if let Some(levels) = &self.reasoning_levels {
            model.reasoning_levels.clone_from(levels);
        }
        if let Some(context) = self.context_length {
            model.context_length = context;
        }
        if let Some(price) = self.price {
            model.price = Some(Price {
                input_pico_usd: price.input_pico_usd,
                output_pico_usd: price.output_pico_usd,
                source: "listing".to_owned(),
                as_of: as_of.to_owned(),
            });
        }
        model
    }

    /// A model that was never heard of: text, unless the list says that it does not chat.
    fn unknown(&self, provider: &str, class: BillingClass) -> Model {
        Model {
            key: ModelKey { provider: provider.to_owned(), model: self.id.clone() },
            display_name: None,
            billing_class: class,
            capabilities: (self.is_chat != Some(false)).then_some(Capability::Text).into_iter().collect(),
            reasoning_levels: Vec::new(),
            context_length: CAUTIOUS_CONTEXT,
            price: None,
            task_scores: std::collections::BTreeMap::new(),
            disabled_reason: None,
            source: "live".to_owned(),
        }
    }
}
