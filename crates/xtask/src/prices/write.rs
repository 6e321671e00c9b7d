//! One line a model.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::Summary;
use super::offer::{Offer, Offers, Rates, Source, StatedPrice};

const HEAD: &str = "\
# Prices, limits, abilities, reasoning efforts and retirements of models, one a line.
#
# Written by `cargo xtask prices`; edit the converter, not this file. Facts of the MIT-licensed catalogues named below.
# They are older than this file and may be wrong: a provider's own list and your configuration come first.
#
# price=SOURCE:READ,WRITTEN,FROM-CACHE,TO-CACHE/ABOVE:READ,WRITTEN,FROM-CACHE    pico-dollars a token; /… for prompts
#       of more than ABOVE tokens. Where catalogues disagree there are several, the newest first.
# limits=SOURCE:CONTEXT,INPUT,OUTPUT    tokens
# can=SOURCE:LETTERS    c chat, r reasoning, t tools, s schema, v vision, i pictures, f films, e vectors, k ranking;
#       a capital letter says that it cannot
# effort=SOURCE:FORM    level:NAMES, toggle or budget; `!` where reasoning cannot be switched off
# image=SOURCE:PICO    the dearest picture; second=SOURCE:PICO    the dearest second of film
# ends=SOURCE:DAY>SUCCESSOR    the day is empty where only the fact is known
";

/// The file's text, and what stands in it.
pub(super) fn text(offers: &Offers) -> (String, Summary) {
    let mut summary = Summary { providers: 0, models: 0, priced: 0, conflicts: 0, bytes: 0 };
    let mut text = HEAD.to_owned();
    for source in sources(offers).values() {
        let _ = writeln!(text, "source {} {} {}", source.letter, source.name, source.as_of);
    }
    for (provider, models) in offers {
        let lines: Vec<(String, usize)> = models.iter().filter_map(|(id, offer)| line(id, offer)).collect();
        if lines.is_empty() {
            continue;
        }
        summary.providers += 1;
        let _ = writeln!(text, "\n[{provider}]");
        for (line, prices) in lines {
            summary.models += 1;
            summary.priced += usize::from(prices > 0);
            summary.conflicts += usize::from(prices > 1);
            let _ = writeln!(text, "{line}");
        }
    }
    summary.bytes = text.len();
    (text, summary)
}

fn sources(offers: &Offers) -> BTreeMap<char, &Source> {
    let mut found = BTreeMap::new();
    for offer in offers.values().flat_map(BTreeMap::values) {
        let prices = offer.prices.iter().map(|price| &price.source);
        let others = [
            offer.limits.as_ref().map(|fact| &fact.source),
            offer.abilities_source.as_ref(),
            offer.effort.as_ref().map(|fact| &fact.source),
            offer.image.as_ref().map(|fact| &fact.source),
            offer.second.as_ref().map(|fact| &fact.source),
            offer.retirement.as_ref().map(|fact| &fact.source),
        ];
        found.extend(prices.chain(others.into_iter().flatten()).map(|source| (source.letter, source)));
    }
    found
}

/// The line of one model and its number of prices; none where nothing is known.
fn line(id: &str, offer: &Offer) -> Option<(String, usize)> {
    let mut line = id.to_owned();
    let prices = distinct(&offer.prices);
    for price in &prices {
        let _ = write!(line, " price={}:{}", price.source.letter, rates(&price.rates));
        for tier in &price.tiers {
            let _ = write!(line, "/{}:{}", tier.above, rates(&tier.rates));
        }
    }
    if let Some(limits) = &offer.limits {
        let numbers = [limits.value.context, limits.value.input, limits.value.output].map(number);
        let numbers = trimmed(&numbers);
        if !numbers.is_empty() {
            let _ = write!(line, " limits={}:{numbers}", limits.source.letter);
        }
    }
    if let (false, Some(source)) = (offer.abilities.is_empty(), &offer.abilities_source) {
        let letters: String = offer
            .abilities
            .iter()
            // That a model does not make pictures or films goes without saying.
            .filter(|(letter, can)| **can || !matches!(letter, 'i' | 'f'))
            .map(|(letter, can)| if *can { *letter } else { letter.to_ascii_uppercase() })
            .collect();
        if !letters.is_empty() {
            let _ = write!(line, " can={}:{letters}", source.letter);
        }
    }
    if let Some(effort) = &offer.effort {
        let _ = write!(line, " effort={}:{}", effort.source.letter, effort.value);
    }
    for (name, fact) in [("image", &offer.image), ("second", &offer.second)] {
        if let Some(fact) = fact {
            let _ = write!(line, " {name}={}:{}", fact.source.letter, fact.value);
        }
    }
    if let Some(retirement) = &offer.retirement {
        let (day, successor) = &retirement.value;
        let _ = write!(line, " ends={}:{day}", retirement.source.letter);
        if let Some(successor) = successor {
            let _ = write!(line, ">{successor}");
        }
    }
    (line.len() > id.len()).then_some((line, prices.len()))
}

/// The prices that differ, newest first. An older one that agrees only fills in what the newer does not state.
fn distinct(prices: &[StatedPrice]) -> Vec<StatedPrice> {
    let mut newest_first = prices.to_vec();
    newest_first.sort_by(|one, two| two.source.as_of.cmp(&one.source.as_of));
    let mut kept: Vec<StatedPrice> = Vec::new();
    for price in newest_first {
        let Some(same) = kept.iter_mut().find(|known| known.agrees_with(&price)) else {
            kept.push(price);
            continue;
        };
        same.rates.cache_read = same.rates.cache_read.or(price.rates.cache_read);
        same.rates.cache_write = same.rates.cache_write.or(price.rates.cache_write);
    }
    kept
}

fn rates(rates: &Rates) -> String {
    let amount = |amount: Option<i64>| amount.map(|amount| amount.to_string()).unwrap_or_default();
    trimmed(&[rates.input.to_string(), rates.output.to_string(), amount(rates.cache_read), amount(rates.cache_write)])
}

fn number(number: Option<u64>) -> String {
    number.map(|number| number.to_string()).unwrap_or_default()
}

fn trimmed(fields: &[String]) -> String {
    fields.join(",").trim_end_matches(',').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prices::offer::{Stated, Tier, TokenLimits};

    fn price(letter: char, as_of: &str, input: i64, cache_read: Option<i64>) -> StatedPrice {
        StatedPrice {
            source: Source { letter, name: "a catalogue", as_of: as_of.to_owned() },
            rates: Rates { input, output: 9, cache_read, cache_write: None },
            tiers: Vec::new(),
        }
    }

    #[test]
    fn prices_that_agree_become_one_and_those_that_do_not_stay_apart_newest_first() {
        let stated = [
            price('m', "2026-08-18", 3, Some(1)),
            price('l', "2026-11-01", 4, None),
            price('p', "2026-10-26", 3, None),
        ];
        let found: Vec<_> =
            distinct(&stated).iter().map(|p| (p.source.letter, p.rates.input, p.rates.cache_read)).collect();
        assert_eq!(found, [('l', 4, None), ('p', 3, Some(1))]);
    }

    #[test]
    fn a_tier_that_only_one_states_is_a_disagreement() {
        let mut tiered = price('l', "2026-11-01", 3, None);
        tiered.tiers.push(Tier { above: 200_000, rates: Rates { input: 6, output: 18, ..Rates::default() } });
        assert_eq!(distinct(&[price('m', "2026-08-18", 3, None), tiered]).len(), 2);
    }

    #[test]
    fn a_line_holds_what_is_known_and_no_more() {
        let source = Source { letter: 'm', name: "a catalogue", as_of: "2026-08-18".to_owned() };
        let offer = Offer {
            prices: vec![price('m', "2026-08-18", 3, None)],
            limits: Some(Stated {
                source: source.clone(),
                value: TokenLimits { context: Some(8), input: None, output: Some(4) },
            }),
            abilities: BTreeMap::from([('r', true), ('v', false), ('i', false)]),
            abilities_source: Some(source.clone()),
            retirement: Some(Stated { source, value: ("2026-12-01".to_owned(), Some("next".to_owned())) }),
            ..Offer::default()
        };
        let (text, prices) = line("model", &offer).unwrap();
        assert_eq!(text, "model price=m:3,9 limits=m:8,,4 can=m:rV ends=m:2026-12-01>next");
        assert_eq!((prices, line("model", &Offer::default())), (1, None));
    }
}
