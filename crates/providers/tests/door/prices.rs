//! The shipped catalogue of prices, and which of several prices counts.

use jiff::civil::Date;
use lwa_domain::{Capability, EffortForm, PicoUsd, Price, PriceTier, TokenCounts};
use lwa_providers::catalog::shipped;
use lwa_providers::prices::{MAX_AGE_DAYS, find, models_of};
use lwa_providers::settle_price;
use proptest::prelude::*;
use rstest::rstest;

const fn pico(amount: i64) -> PicoUsd {
    PicoUsd::new(amount)
}

fn day(text: &str) -> Date {
    text.parse().unwrap()
}

fn today() -> Date {
    day("2026-11-29")
}

fn price(input: i64, output: i64, source: &str, as_of: &str) -> Price {
    Price::flat(pico(input), pico(output), source, as_of)
}

fn tier(above: u64, input: i64, output: i64, cached: Option<i64>) -> PriceTier {
    PriceTier {
        above_input_tokens: above,
        input_pico_usd: pico(input),
        output_pico_usd: pico(output),
        cached_input_pico_usd: cached.map(pico),
    }
}

#[test]
fn every_line_of_the_catalogue_is_read() {
    let lines = include_str!("../../catalog/prices.txt").lines();
    let models = lines.filter(|line| !line.is_empty() && !line.starts_with(['#', '[']) && !line.starts_with("source "));
    let read: usize = shipped().iter().map(|provider| models_of(&provider.name).count()).sum();
    assert_eq!(read, models.count());
    assert!(read > 1000, "{read}");
}

#[test]
fn no_price_of_the_catalogue_is_in_another_unit_and_none_has_a_price_without_a_day() {
    for provider in shipped() {
        for (name, entry) in models_of(&provider.name) {
            for price in &entry.prices {
                // A thousand dollars for a million tokens.
                assert!(price.input_pico_usd < pico(1_000_000_000), "{} {name}", provider.name);
                assert!(price.output_pico_usd < pico(1_000_000_000), "{} {name}", provider.name);
                assert!(price.as_of.parse::<Date>().is_ok() && !price.source.is_empty(), "{} {name}", provider.name);
                let bounds: Vec<_> = price.tiers.iter().map(|tier| tier.above_input_tokens).collect();
                assert!(bounds.is_sorted() && bounds.iter().all(|bound| *bound >= 1000), "{} {name}", provider.name);
            }
        }
    }
}

#[test]
fn some_entries_are_what_their_providers_say() {
    let gpt = find("openai", "gpt-5.2").unwrap();
    assert_eq!((gpt.prices[0].input_pico_usd, gpt.prices[0].output_pico_usd), (pico(1_750_000), pico(14_000_000)));
    assert_eq!(gpt.prices[0].cached_input_pico_usd, Some(pico(175_000)));
    let limits = gpt.limits.as_ref().unwrap().value;
    assert_eq!((limits.context, limits.input, limits.output), (Some(400_000), Some(272_000), Some(128_000)));
    let effort = &gpt.effort.as_ref().unwrap().value;
    assert_eq!((effort.form, effort.levels.len(), effort.is_mandatory), (EffortForm::Level, 5, false));
    let pro = find("gemini", "gemini-3.1-pro-preview").unwrap();
    assert_eq!(pro.prices[0].tiers, [tier(200_000, 4_000_000, 18_000_000, Some(400_000))]);
    let llama = find("replicate", "meta/meta-llama-3-70b-instruct").unwrap();
    assert_eq!(llama.prices[0].input_pico_usd, pico(650_000));
    assert_eq!(
        find("stability", "stable-image-core").unwrap().image_pico_usd.as_ref().unwrap().value,
        pico(30_000_000_000)
    );
    let film = find("openai", "sora-2").unwrap();
    assert_eq!(film.second_pico_usd.as_ref().unwrap().value, pico(100_000_000_000));
    assert!(film.retirement.as_ref().unwrap().value.has_passed(today()));
    assert_eq!(find("openai", "text-embedding-3-small").unwrap().is_chat(), Some(false));
    assert_eq!(find("openai", "no-such-model"), None);
    assert_eq!(find("nobody", "gpt-5.2"), None);
}

#[test]
fn a_trial_or_a_router_that_is_listed_at_zero_has_no_price() {
    assert!(find("nvidia", "meta/llama-3.3-70b-instruct").is_some_and(|entry| entry.prices.is_empty()));
    assert!(find("openrouter", "openrouter/auto").is_some_and(|entry| entry.prices.is_empty()));
    assert_eq!(find("openrouter", "openrouter/free").unwrap().prices[0].input_pico_usd, PicoUsd::ZERO);
}

#[test]
fn every_seed_that_some_catalogue_could_know_is_known() {
    let without = ["pollinations", "aion", "blackbox", "puter", "siliconflow"];
    for provider in shipped().iter().filter(|provider| !without.contains(&provider.name.as_str())) {
        for seed in &provider.models {
            let is_known = find(&provider.name, &seed.name).is_some();
            assert_eq!(is_known, seed.name != "black-forest-labs/flux-schnell", "{}:{}", provider.name, seed.name);
        }
    }
}

#[test]
fn rr_39_the_live_price_is_shown_although_a_dearer_one_is_shipped() {
    let live = price(1, 2, "listing", "2026-11-29");
    let old = price(5, 9, "models.dev", "2026-08-18");
    let settled = settle_price(Some(&live), None, std::slice::from_ref(&old), today()).unwrap();
    assert_eq!(settled.shown, live);
    assert!(!settled.is_stale);
    assert_eq!(settled.conflict.unwrap().others, [old]);
    // What is set aside covers the dearer one, at its plain price: something fresh is known.
    assert_eq!((settled.reserved.input_pico_usd, settled.reserved.output_pico_usd), (pico(5), pico(9)));
    assert_eq!(settled.reserved.source, "listing, models.dev");
}

#[test]
fn rr_39_a_configured_price_gives_way_to_the_live_one_and_beats_the_shipped_one() {
    let configured = price(3, 4, "config", "unknown");
    let shipped = [price(5, 9, "models.dev", "2026-08-18")];
    let settled = settle_price(None, Some(&configured), &shipped, today()).unwrap();
    assert_eq!((settled.shown, settled.is_stale), (configured.clone(), false));
    assert_eq!(settled.reserved.input_pico_usd, pico(5));
    let live = price(1, 2, "listing", "2026-11-29");
    let settled = settle_price(Some(&live), Some(&configured), &[], today()).unwrap();
    assert_eq!(settled.shown, live);
    assert_eq!(settled.conflict.unwrap().others, [configured]);
}

#[rstest]
#[case::fresh("2026-10-15", false, 100)]
#[case::stale("2026-10-14", true, 125)]
#[case::no_day("unknown", true, 125)]
fn rr_38_a_price_older_than_forty_five_days_is_stale_and_sets_a_quarter_more_aside(
    #[case] as_of: &str,
    #[case] is_stale: bool,
    #[case] reserved: i64,
) {
    assert_eq!(MAX_AGE_DAYS, 45);
    let shipped = [price(100, 101, "models.dev", as_of)];
    let settled = settle_price(None, None, &shipped, today()).unwrap();
    assert_eq!((settled.is_stale, settled.reserved.input_pico_usd), (is_stale, pico(reserved)));
    assert_eq!(settled.shown, shipped[0]);
    // Rounded up.
    assert_eq!(settled.reserved.output_pico_usd, pico(if is_stale { 127 } else { 101 }));
}

#[test]
fn rr_38_of_two_catalogues_the_newest_is_shown_and_the_dearest_of_each_rate_is_set_aside() {
    let mut newest = price(10, 50, "litellm", "2026-11-01");
    newest.tiers = vec![tier(200_000, 20, 60, None)];
    let mut older = price(12, 40, "models.dev", "2026-08-18");
    older.cached_input_pico_usd = Some(pico(3));
    older.tiers = vec![tier(128_000, 14, 70, Some(4))];
    let settled = settle_price(None, None, &[newest.clone(), older.clone()], today()).unwrap();
    assert_eq!(settled.shown, newest);
    assert_eq!(settled.conflict.unwrap().others, [older]);
    let mut reserved = price(12, 50, "litellm, models.dev", "2026-11-01");
    reserved.cached_input_pico_usd = Some(pico(10));
    reserved.tiers = vec![tier(128_000, 14, 70, Some(10)), tier(200_000, 20, 70, None)];
    assert_eq!(settled.reserved, reserved);
}

#[test]
fn catalogues_that_agree_are_no_conflict() {
    let shipped = [price(10, 50, "litellm", "2026-11-01"), price(10, 50, "models.dev", "2026-08-18")];
    assert_eq!(settle_price(None, None, &shipped, today()).unwrap().conflict, None);
}

#[test]
fn rr_40_what_nobody_prices_is_unknown_and_never_zero() {
    assert_eq!(settle_price(None, None, &[], today()), None);
}

#[test]
fn rr_01_what_comes_from_a_cache_is_charged_once() {
    let price = Price { cached_input_pico_usd: Some(pico(625_000)), ..price(1_250_000, 10_000_000, "x", "2026-11-01") };
    let counts = TokenCounts { cached: 257_955, ..TokenCounts::plain(262_960, 1_744) };
    // $0.1849, and not $0.7642.
    assert_eq!(price.cost_of(&counts), pico(184_918_125_000));
}

#[test]
fn rr_03_what_is_written_to_a_cache_is_charged_once_at_its_own_price() {
    let mut price = price(3, 15, "x", "2026-11-01");
    price.cached_input_pico_usd = Some(pico(1));
    price.cache_write_pico_usd = Some(pico(4));
    let counts = TokenCounts { input: 3 + 1000 + 2000, cached: 1000, cache_written: 2000, output: 10 };
    assert_eq!(price.cost_of(&counts), pico(3 * 3 + 1000 + 4 * 2000 + 150));
}

#[test]
fn rr_04_more_cached_than_read_never_makes_a_cost_negative() {
    let price = Price { cached_input_pico_usd: Some(pico(1)), ..price(3, 15, "x", "2026-11-01") };
    let counts = TokenCounts { cached: 500, cache_written: 70, ..TokenCounts::plain(100, 0) };
    assert_eq!(price.cost_of(&counts), pico(100));
}

#[test]
fn rr_12_a_prompt_that_reaches_a_tier_is_set_aside_and_settled_at_it() {
    let pro = find("gemini", "gemini-3.1-pro-preview").unwrap();
    let reserved = settle_price(None, None, &pro.prices, today()).unwrap().reserved;
    assert_eq!(reserved.tiers.len(), 1);
    assert_eq!(
        pro.prices[0].cost_of(&TokenCounts::plain(200_000, 1000)),
        pico(200_000 * 2_000_000 + 1000 * 12_000_000)
    );
    assert_eq!(
        pro.prices[0].cost_of(&TokenCounts::plain(200_001, 1000)),
        pico(200_001 * 4_000_000 + 1000 * 18_000_000)
    );
    // An estimate may be short; the longest answer lifts it over the bound.
    assert!(reserved.worst_case(199_500, 1000) >= pro.prices[0].cost_of(&TokenCounts::plain(200_001, 499)));
}

fn any_price() -> impl Strategy<Value = Price> {
    let rate = || 0_i64..1_000_000;
    let tiers = proptest::collection::btree_map(1_u64..300_000, (rate(), rate(), proptest::option::of(rate())), 0..3);
    (rate(), rate(), proptest::option::of(rate()), proptest::option::of(rate()), tiers, any::<bool>()).prop_map(
        |(input, output, cached, written, tiers, is_old)| {
            let as_of = if is_old { "2026-01-01" } else { "2026-11-28" };
            let mut price = price(input, output, "x", as_of);
            price.cached_input_pico_usd = cached.map(pico);
            price.cache_write_pico_usd = written.map(pico);
            price.tiers = tiers.into_iter().map(|(above, (i, o, c))| tier(above, i, o, c)).collect();
            price
        },
    )
}

proptest! {
    #[test]
    fn rr_05_what_is_set_aside_covers_every_price_and_every_way_of_counting(
        prices in proptest::collection::vec(any_price(), 1..4),
        input in 0_u64..400_000,
        output in 0_u64..10_000,
        cached in 0_u64..400_000,
        written in 0_u64..400_000,
    ) {
        let settled = settle_price(None, None, &prices, today()).unwrap();
        let counts = TokenCounts { input, cached, cache_written: written, output };
        for price in &prices {
            prop_assert!(settled.reserved.cost_of(&counts) >= price.cost_of(&counts));
        }
    }
}

#[test]
fn capabilities_that_a_catalogue_denies_are_told_from_those_it_does_not_mention() {
    let can = &find("groq", "openai/gpt-oss-120b").unwrap().capabilities.as_ref().unwrap().value;
    assert_eq!(can.get(&Capability::Reasoning), Some(&true));
    assert_eq!(can.get(&Capability::Vision), Some(&false));
    assert_eq!(can.get(&Capability::Video), None);
}
