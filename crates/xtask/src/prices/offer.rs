//! What the catalogues state about one model at one provider.

use std::collections::BTreeMap;

/// A catalogue, by the letter that the file uses for it. The newest of a file's sources comes first where it matters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    /// One letter.
    pub letter: char,
    /// Its name for people.
    pub name: &'static str,
    /// The day of its data.
    pub as_of: String,
}

/// Pico-dollars per token.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rates {
    /// Per token read.
    pub input: i64,
    /// Per token written.
    pub output: i64,
    /// Per token that comes from a cache.
    pub cache_read: Option<i64>,
    /// Per token that is written to a cache.
    pub cache_write: Option<i64>,
}

/// Other rates for prompts of more than a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tier {
    /// The bound in tokens.
    pub above: u64,
    /// The rates; a tier has no cache-write rate of its own.
    pub rates: Rates,
}

/// A price as one catalogue states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatedPrice {
    /// Which catalogue.
    pub source: Source,
    /// The rates of small prompts.
    pub rates: Rates,
    /// The rates of larger ones, smallest bound first.
    pub tiers: Vec<Tier>,
}

impl StatedPrice {
    /// The rates at a prompt of this many tokens.
    fn at(&self, tokens: u64) -> Rates {
        let tier = self.tiers.iter().filter(|tier| tokens > tier.above).max_by_key(|tier| tier.above);
        tier.map_or(self.rates, |tier| tier.rates)
    }

    /// Whether both charge the same for what is read and written, at every size of prompt.
    pub(super) fn agrees_with(&self, other: &Self) -> bool {
        let bounds = self.tiers.iter().chain(&other.tiers).map(|tier| tier.above + 1);
        [0].into_iter().chain(bounds).all(|tokens| {
            let (one, two) = (self.at(tokens), other.at(tokens));
            (one.input, one.output) == (two.input, two.output)
        })
    }
}

/// A fact with its catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stated<T> {
    /// Which catalogue.
    pub source: Source,
    /// The fact.
    pub value: T,
}

/// Context, input and output, in tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokenLimits {
    /// Input and output together.
    pub context: Option<u64>,
    /// Input alone.
    pub input: Option<u64>,
    /// Output alone.
    pub output: Option<u64>,
}

/// What is known about one model at one provider.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Offer {
    /// Its prices, in the order in which the catalogues were read.
    pub prices: Vec<StatedPrice>,
    /// Its limits.
    pub limits: Option<Stated<TokenLimits>>,
    /// What it can do, by a letter, and whether it can.
    pub abilities: BTreeMap<char, bool>,
    /// Which catalogue the abilities are of.
    pub abilities_source: Option<Source>,
    /// How its reasoning effort is said, in the words of the file.
    pub effort: Option<Stated<String>>,
    /// The dearest price of one picture.
    pub image: Option<Stated<i64>>,
    /// The dearest price of one second of film.
    pub second: Option<Stated<i64>>,
    /// When it is or was taken away, and what replaces it.
    pub retirement: Option<Stated<(String, Option<String>)>>,
}

/// Offers by provider and model.
pub type Offers = BTreeMap<&'static str, BTreeMap<String, Offer>>;

/// The offer of this model, made empty where there was none.
pub(super) fn of<'a>(offers: &'a mut Offers, provider: &'static str, model: &str) -> &'a mut Offer {
    offers.entry(provider).or_default().entry(model.to_owned()).or_default()
}
