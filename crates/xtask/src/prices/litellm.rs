//! LiteLLM's price file: media prices, retirements, and models that the other catalogues lack.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde_json::Value;

use super::decimal::pico;
use super::offer::{self, Offer, Offers, Rates, Source, Stated, StatedPrice, Tier, TokenLimits};
use super::providers::{PROVIDERS, may_cost_nothing, own_name};

/// Adds what the file states about our providers.
pub(super) fn add(offers: &mut Offers, file: &Value, as_of: &str) -> Result<()> {
    let source = Source { letter: 'l', name: "litellm", as_of: as_of.to_owned() };
    let rows = file.as_object().context("the file of litellm is no table")?;
    // The same model stands there with and without its provider's name; the name makes it sure who is meant.
    let mut rows: Vec<_> = rows.iter().map(|(key, row)| (named(key, row).is_none(), key, row)).collect();
    rows.sort_unstable_by_key(|(is_bare, key, _)| (*is_bare, *key));
    for (_, key, row) in rows {
        let theirs = row["litellm_provider"].as_str().unwrap_or_default();
        let Some(names) = PROVIDERS.iter().find(|names| names.litellm.contains(&theirs)) else { continue };
        let id = named(key, row).unwrap_or(key);
        // A fine-tuned model has a name of its own that nobody knows in advance.
        if id.starts_with("ft:") || id.contains(char::is_whitespace) {
            continue;
        }
        if let Some((model, dearest)) = sized_picture(id, row) {
            let offer = offer::of(offers, names.ours, model);
            raise(&mut offer.image, &source, dearest);
            continue;
        }
        let id = own_name(names.ours, id);
        let offer = offer::of(offers, names.ours, &id);
        add_row(offer, row, &source, may_cost_nothing(names.ours, &id));
    }
    Ok(())
}

/// The name of the model in a key that begins with its provider's.
fn named<'a>(key: &'a str, row: &Value) -> Option<&'a str> {
    key.strip_prefix(row["litellm_provider"].as_str()?)?.strip_prefix('/')
}

fn add_row(offer: &mut Offer, row: &Value, source: &Source, may_cost_nothing: bool) {
    let mode = row["mode"].as_str().unwrap_or("chat");
    if !offer.prices.iter().any(|price| price.source == *source) {
        let price = stated(row, mode, source);
        offer
            .prices
            .extend(price.filter(|price| (price.rates.input, price.rates.output) != (0, 0) || may_cost_nothing));
    }
    if offer.limits.is_none() {
        // Their `max_input_tokens` is sometimes the context and sometimes what is left of it beside the answer.
        // In both cases the context is at least as large.
        let context = row["max_input_tokens"].as_u64().filter(|tokens| *tokens > 0);
        let output = row["max_output_tokens"].as_u64().filter(|tokens| *tokens > 0);
        if context.is_some() || output.is_some() {
            let value = TokenLimits { context, input: None, output };
            offer.limits = Some(Stated { source: source.clone(), value });
        }
    }
    if offer.abilities.is_empty() {
        offer.abilities = abilities(row);
        offer.abilities_source = Some(source.clone());
    }
    if let Some(kind) = kind(mode) {
        offer.abilities.insert('c', false);
        offer.abilities.extend(kind.map(|letter| (letter, true)));
        offer.abilities_source.get_or_insert_with(|| source.clone());
    }
    let dearest = |names: &[&str]| names.iter().filter_map(|name| row[*name].as_f64()).filter_map(|d| pico(d, 0)).max();
    if let (true, Some(image)) = (mode.starts_with("image"), dearest(&["output_cost_per_image"])) {
        raise(&mut offer.image, source, image);
    }
    let seconds = [
        "output_cost_per_second",
        "output_cost_per_second_1080p",
        "output_cost_per_second_4k",
        "output_cost_per_video_per_second",
    ];
    if let (true, Some(second)) = (mode.starts_with("video"), dearest(&seconds)) {
        raise(&mut offer.second, source, second);
    }
    if let Some(day) = row["deprecation_date"].as_str().filter(|day| day.len() == 10) {
        let successor = row["successor_model"].as_str().map(|model| model.rsplit_once('/').map_or(model, |(_, id)| id));
        let value = (day.to_owned(), successor.map(str::to_owned));
        offer.retirement = Some(Stated { source: source.clone(), value });
    }
}

/// `high/1024-x-1536/gpt-image-1`: the price of a picture of one size and quality, of which the dearest counts.
fn sized_picture<'a>(id: &'a str, row: &Value) -> Option<(&'a str, i64)> {
    let is_size =
        |part: &str| part.split_once("-x-").is_some_and(|(w, h)| w.parse::<u32>().is_ok() && h.parse::<u32>().is_ok());
    let (before, model) = id.rsplit_once('/')?;
    if !before.split('/').any(is_size) {
        return None;
    }
    let dollars = ["input_cost_per_image", "output_cost_per_image"].iter().find_map(|name| row[*name].as_f64())?;
    Some((model, pico(dollars, 0)?))
}

fn raise(known: &mut Option<Stated<i64>>, source: &Source, value: i64) {
    if known.as_ref().is_none_or(|known| known.value < value) {
        *known = Some(Stated { source: source.clone(), value });
    }
}

/// The letter of what a model does instead of chatting, if it does not chat; `None` when it chats.
#[expect(clippy::option_option, reason = "three cases: it chats; it does something that has a letter; or not")]
fn kind(mode: &str) -> Option<Option<char>> {
    match mode {
        "chat" => None,
        "embedding" => Some(Some('e')),
        "rerank" => Some(Some('k')),
        "image_generation" | "image_edit" => Some(Some('i')),
        "video_generation" => Some(Some('f')),
        _ => Some(None),
    }
}

fn abilities(row: &Value) -> BTreeMap<char, bool> {
    let flags = [
        ('r', "supports_reasoning"),
        ('t', "supports_function_calling"),
        ('s', "supports_response_schema"),
        ('v', "supports_vision"),
    ];
    flags.into_iter().filter_map(|(letter, name)| Some((letter, row[name].as_bool()?))).collect()
}

fn stated(row: &Value, mode: &str, source: &Source) -> Option<StatedPrice> {
    let base = rates(row, "", mode)?;
    let tiers = [128_u64, 200, 256, 272].into_iter().filter_map(|thousands| {
        let rates = rates(row, &format!("_above_{thousands}k_tokens"), mode)?;
        Some(Tier { above: thousands * 1000, rates })
    });
    Some(StatedPrice { source: source.clone(), rates: base, tiers: tiers.collect() })
}

fn rates(row: &Value, suffix: &str, mode: &str) -> Option<Rates> {
    let rate = |name: &str| row[format!("{name}{suffix}")].as_f64().and_then(|dollars| pico(dollars, 0));
    // What a model that makes pictures writes are mostly tokens of pictures, which have a price of their own.
    let picture = if mode.starts_with("image") { rate("output_cost_per_image_token") } else { None };
    let output = [rate("output_cost_per_token"), rate("output_cost_per_reasoning_token"), picture];
    Some(Rates {
        input: rate("input_cost_per_token")?,
        output: output.into_iter().flatten().max()?,
        cache_read: rate("cache_read_input_token_cost"),
        cache_write: if suffix.is_empty() { rate("cache_creation_input_token_cost") } else { None },
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_picture_costs_as_much_as_its_dearest_size() {
        let mut offers = Offers::new();
        let file = json!({
            "low/1024-x-1024/gpt-image-1": {"litellm_provider": "openai", "mode": "image_generation", "input_cost_per_image": 0.011},
            "high/1024-x-1536/gpt-image-1": {"litellm_provider": "openai", "mode": "image_generation", "input_cost_per_image": 0.25},
            "gpt-image-1": {"litellm_provider": "openai", "mode": "image_generation", "input_cost_per_token": 5e-6,
                            "output_cost_per_image_token": 4e-5, "deprecation_date": "2026-10-23", "successor_model": "openai/next"},
        });
        add(&mut offers, &file, "2026-11-01").unwrap();
        let offer = &offers["openai"]["gpt-image-1"];
        assert_eq!(offer.image.as_ref().unwrap().value, 250_000_000_000);
        assert_eq!((offer.prices[0].rates.input, offer.prices[0].rates.output), (5_000_000, 40_000_000));
        assert_eq!(offer.retirement.as_ref().unwrap().value, ("2026-10-23".to_owned(), Some("next".to_owned())));
        assert_eq!(offers["openai"].len(), 1);
        assert_eq!(offer.abilities, BTreeMap::from([('c', false), ('i', true)]));
    }
}
