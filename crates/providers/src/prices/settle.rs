//! Which of several prices is shown, and which one is set aside for a call.

use std::collections::BTreeSet;

use jiff::civil::Date;
use lwa_domain::{PicoUsd, Price, PriceTier};

/// A price that was read longer ago than this is stale.
pub const MAX_AGE_DAYS: i32 = 45;

/// What is shown and what is set aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettledPrice {
    /// The price for people: of the provider's list, else of the configuration, else the newest shipped one.
    pub shown: Price,
    /// The price for reservations: at each size of prompt the dearest that anybody states, and a quarter more when
    /// nothing but stale prices is known.
    pub reserved: Price,
    /// Whether the shown price is stale.
    pub is_stale: bool,
    /// Who states another price, if anybody does.
    pub conflict: Option<PriceConflict>,
}

/// That not all sources charge the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceConflict {
    /// The prices that differ from the shown one.
    pub others: Vec<Price>,
}

/// Settles what a model costs; `None` when nobody knows, which is never zero and needs consent.
///
/// `live` is the provider's own list, `configured` what a person has written, `shipped` the catalogues, newest first.
pub fn settle_price(
    live: Option<&Price>,
    configured: Option<&Price>,
    shipped: &[Price],
    today: Date,
) -> Option<SettledPrice> {
    let known: Vec<&Price> = live.into_iter().chain(configured).chain(shipped).collect();
    let shown = (*known.first()?).clone();
    let others: Vec<Price> = known.iter().skip(1).filter(|price| !agree(&shown, price)).map(|p| (*p).clone()).collect();
    let dearest = dearest(&known);
    let reserved = if known.iter().all(|price| is_stale(price, today)) { a_quarter_more(dearest) } else { dearest };
    Some(SettledPrice {
        is_stale: is_stale(&shown, today),
        shown,
        reserved,
        conflict: (!others.is_empty()).then_some(PriceConflict { others }),
    })
}

/// Whether a price was read too long ago to be relied on.
///
/// What a person has configured has no date and stays their word.
pub fn is_stale(price: &Price, today: Date) -> bool {
    let Ok(read) = price.as_of.parse::<Date>() else { return price.source != "config" };
    today.since(read).is_ok_and(|age| age.get_days() > MAX_AGE_DAYS)
}

/// Per token read, written, and read from a cache.
#[derive(Clone, Copy)]
struct Rates {
    input: PicoUsd,
    output: PicoUsd,
    cached: PicoUsd,
}

fn rates_at(price: &Price, input_tokens: u64) -> Rates {
    let tier = price.tiers.iter().filter(|tier| input_tokens > tier.above_input_tokens);
    match tier.max_by_key(|tier| tier.above_input_tokens) {
        Some(tier) => Rates {
            input: tier.input_pico_usd,
            output: tier.output_pico_usd,
            cached: tier.cached_input_pico_usd.unwrap_or(tier.input_pico_usd),
        },
        None => Rates {
            input: price.input_pico_usd,
            output: price.output_pico_usd,
            cached: price.cached_input_pico_usd.unwrap_or(price.input_pico_usd),
        },
    }
}

/// Whether two prices are the same for what is read and written, at every size of prompt.
fn agree(one: &Price, other: &Price) -> bool {
    let bounds = bounds(&[one, other]).into_iter().map(|bound| bound.saturating_add(1));
    [0].into_iter().chain(bounds).all(|tokens| {
        let (one, other) = (rates_at(one, tokens), rates_at(other, tokens));
        (one.input, one.output) == (other.input, other.output)
    })
}

fn bounds(prices: &[&Price]) -> BTreeSet<u64> {
    prices.iter().flat_map(|price| &price.tiers).map(|tier| tier.above_input_tokens).collect()
}

/// At each size of prompt the dearest of all rates.
///
/// Whether the provider writes a prompt to a cache is not ours to say, and writing may cost more than reading; so the
/// dearer of both counts for everything that is read.
fn dearest(prices: &[&Price]) -> Price {
    let at = |tokens: u64| {
        let mut dearest = Rates { input: PicoUsd::ZERO, output: PicoUsd::ZERO, cached: PicoUsd::ZERO };
        for price in prices {
            let rates = rates_at(price, tokens);
            dearest.input = dearest.input.max(rates.input).max(price.cache_write_pico_usd.unwrap_or(PicoUsd::ZERO));
            dearest.output = dearest.output.max(rates.output);
            dearest.cached = dearest.cached.max(rates.cached);
        }
        dearest
    };
    let base = at(0);
    let mut sources: Vec<&str> = Vec::new();
    for price in prices {
        if !sources.contains(&price.source.as_str()) {
            sources.push(&price.source);
        }
    }
    let as_of = prices.first().map_or("unknown", |price| &price.as_of);
    let mut price = Price::flat(base.input, base.output, sources.join(", "), as_of);
    price.cached_input_pico_usd = (base.cached != base.input).then_some(base.cached);
    price.tiers = bounds(prices)
        .into_iter()
        .map(|bound| {
            let rates = at(bound.saturating_add(1));
            PriceTier {
                above_input_tokens: bound,
                input_pico_usd: rates.input,
                output_pico_usd: rates.output,
                cached_input_pico_usd: (rates.cached != rates.input).then_some(rates.cached),
            }
        })
        .collect();
    price
}

fn a_quarter_more(mut price: Price) -> Price {
    let more = |amount: PicoUsd| amount + PicoUsd::new(amount.get() / 4 + i64::from(amount.get() % 4 != 0));
    price.input_pico_usd = more(price.input_pico_usd);
    price.output_pico_usd = more(price.output_pico_usd);
    price.cached_input_pico_usd = price.cached_input_pico_usd.map(more);
    for tier in &mut price.tiers {
        tier.input_pico_usd = more(tier.input_pico_usd);
        tier.output_pico_usd = more(tier.output_pico_usd);
        tier.cached_input_pico_usd = tier.cached_input_pico_usd.map(more);
    }
    price
}
