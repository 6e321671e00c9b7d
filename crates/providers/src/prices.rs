//! What public catalogues say that models cost and can do, as it was on the day of a release.
//!
//! A price has a date. What is shipped is old by the time it is read, so a provider's own list and the configuration
//! come first, and [`settle_price`] says what is shown and what is set aside for a call.
//! The text is part of the program and is read once, when it is first asked for.

mod read;
mod settle;

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use jiff::civil::Date;
use lwa_domain::{Capability, EffortSupport, PicoUsd, Price, Provenance};

use serde::{Deserialize, Serialize};

pub use settle::{MAX_AGE_DAYS, PriceConflict, SettledPrice, is_stale, settle_price};

const TEXT: &str = include_str!("../catalog/prices.txt");

/// What the catalogues state about one model at one provider. What they do not state is `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CatalogueEntry {
    /// Prices per token, newest first; more than one where catalogues disagree, none where nobody knows.
    pub prices: Vec<Price>,
    /// Tokens of input and output together, and the most of each alone.
    pub limits: Option<Fact<TokenLimits>>,
    /// What it is said to be able or unable to do; what is absent was not said.
    pub capabilities: Option<Fact<BTreeMap<Capability, bool>>>,
    /// How its reasoning effort is said.
    pub effort: Option<Fact<EffortSupport>>,
    /// What its dearest picture costs.
    pub image_pico_usd: Option<Fact<PicoUsd>>,
    /// What the dearest second of film costs.
    pub second_pico_usd: Option<Fact<PicoUsd>>,
    /// That it is taken away.
    pub retirement: Option<Fact<Retirement>>,
}

impl CatalogueEntry {
    /// Whether it is said to chat; `None` when nothing is said against it.
    pub fn is_chat(&self) -> Option<bool> {
        self.capabilities.as_ref().and_then(|known| known.value.get(&Capability::Text).copied())
    }
}

/// Something that one catalogue states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact<T> {
    /// What it states.
    pub value: T,
    /// Which catalogue, and the day of its data.
    pub provenance: Provenance,
}

/// The three limits of a model, which catalogues like to confuse.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokenLimits {
    /// Input and output together.
    pub context: Option<u64>,
    /// Input alone.
    pub input: Option<u64>,
    /// Output alone.
    pub output: Option<u64>,
}

/// A model's end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retirement {
    /// Its last day, where that is known.
    pub on: Option<Date>,
    /// What its provider recommends in its place.
    pub successor: Option<String>,
}

impl Retirement {
    /// Whether the last day has passed; without a day, nobody knows.
    pub fn has_passed(&self, today: Date) -> bool {
        self.on.is_some_and(|day| day < today)
    }
}

type Entries = HashMap<&'static str, HashMap<&'static str, CatalogueEntry>>;

#[expect(clippy::expect_used, reason = "BUG otherwise: the text is part of the program, and a test reads it")]
static ENTRIES: LazyLock<Entries> =
    LazyLock::new(|| read::entries(TEXT).expect("BUG: the shipped catalogue of prices is not readable"));

/// What the shipped catalogue knows about `model` at `provider`.
pub fn find(provider: &str, model: &str) -> Option<&'static CatalogueEntry> {
    ENTRIES.get(provider)?.get(model)
}

/// The models that the shipped catalogue knows at `provider`, in no particular order.
pub fn models_of(provider: &str) -> impl Iterator<Item = (&'static str, &'static CatalogueEntry)> {
    ENTRIES.get(provider).into_iter().flatten().map(|(name, entry)| (*name, entry))
}
