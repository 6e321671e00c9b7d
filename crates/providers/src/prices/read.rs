//! Reading `catalog/prices.txt`, whose head explains its lines.

use std::collections::{BTreeMap, HashMap};

use jiff::civil::Date;
use lwa_domain::{Capability, EffortForm, EffortSupport, PicoUsd, Price, PriceTier, Provenance};

use super::{CatalogueEntry, Entries, Fact, Retirement, TokenLimits};

type Sources<'a> = HashMap<&'a str, Provenance>;

/// Every entry, or the line that cannot be read.
pub(super) fn entries(text: &'static str) -> Result<Entries, String> {
    let mut sources = Sources::new();
    let mut entries = Entries::new();
    let mut provider = None;
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let read = match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            Some(name) => {
                provider = Some(name);
                Some(())
            }
            None => match provider {
                None => source(line, &mut sources),
                Some(provider) => model(line, &sources).map(|(name, entry)| {
                    entries.entry(provider).or_default().insert(name, entry);
                }),
            },
        };
        read.ok_or_else(|| line.to_owned())?;
    }
    Ok(entries)
}

/// `source m models.dev 2026-08-18`
fn source<'a>(line: &'a str, sources: &mut Sources<'a>) -> Option<()> {
    let mut words = line.strip_prefix("source ")?.split(' ');
    let (letter, name, day) = (words.next()?, words.next()?, words.next()?);
    day.parse::<Date>().ok()?;
    sources.insert(letter, Provenance { source: name.to_owned(), as_of: day.to_owned() });
    Some(())
}

fn model<'a>(line: &'a str, sources: &Sources<'_>) -> Option<(&'a str, CatalogueEntry)> {
    let mut words = line.split(' ');
    let name = words.next()?;
    let mut entry = CatalogueEntry::default();
    for word in words {
        let (key, rest) = word.split_once('=')?;
        let (letter, value) = rest.split_once(':')?;
        let provenance = sources.get(letter)?;
        match key {
            "price" => entry.prices.push(price(value, provenance)?),
            "limits" => entry.limits = Some(fact(limits(value)?, provenance)),
            "can" => entry.capabilities = Some(fact(capabilities(value)?, provenance)),
            "effort" => entry.effort = Some(fact(effort(value)?, provenance)),
            "image" => entry.image_pico_usd = Some(fact(amount(value)?, provenance)),
            "second" => entry.second_pico_usd = Some(fact(amount(value)?, provenance)),
            "ends" => entry.retirement = Some(fact(retirement(value)?, provenance)),
            _ => return None,
        }
    }
    Some((name, entry))
}

fn fact<T>(value: T, provenance: &Provenance) -> Fact<T> {
    Fact { value, provenance: provenance.clone() }
}

fn amount(text: &str) -> Option<PicoUsd> {
    text.parse().ok().filter(|amount: &i64| *amount >= 0).map(PicoUsd::new)
}

/// Fields between commas; an empty or absent one is `Some(None)`, and one that is no number is `None`.
#[expect(clippy::option_option, reason = "absent and unreadable are different")]
fn optional<T>(text: Option<&str>, read: impl Fn(&str) -> Option<T>) -> Option<Option<T>> {
    match text.filter(|text| !text.is_empty()) {
        None => Some(None),
        Some(text) => read(text).map(Some),
    }
}

fn price(text: &str, provenance: &Provenance) -> Option<Price> {
    let mut parts = text.split('/');
    let mut fields = parts.next()?.split(',');
    let (input, output) = (amount(fields.next()?)?, amount(fields.next()?)?);
    let mut price = Price::flat(input, output, &provenance.source, &provenance.as_of);
    price.cached_input_pico_usd = optional(fields.next(), amount)?;
    price.cache_write_pico_usd = optional(fields.next(), amount)?;
    for part in parts {
        let (above, rates) = part.split_once(':')?;
        let mut fields = rates.split(',');
        price.tiers.push(PriceTier {
            above_input_tokens: above.parse().ok()?,
            input_pico_usd: amount(fields.next()?)?,
            output_pico_usd: amount(fields.next()?)?,
            cached_input_pico_usd: optional(fields.next(), amount)?,
        });
    }
    Some(price)
}

fn limits(text: &str) -> Option<TokenLimits> {
    let mut fields = text.split(',');
    let mut next = || optional(fields.next(), |text| text.parse().ok());
    Some(TokenLimits { context: next()?, input: next()?, output: next()? })
}

fn capabilities(text: &str) -> Option<BTreeMap<Capability, bool>> {
    text.chars()
        .map(|letter| {
            let capability = match letter.to_ascii_lowercase() {
                'c' => Capability::Text,
                'r' => Capability::Reasoning,
                't' => Capability::Tools,
                's' => Capability::Structured,
                'v' => Capability::Vision,
                'i' => Capability::Image,
                'f' => Capability::Video,
                'e' => Capability::Embedding,
                'k' => Capability::Rerank,
                _ => return None,
            };
            Some((capability, letter.is_ascii_lowercase()))
        })
        .collect()
}

fn effort(text: &str) -> Option<EffortSupport> {
    let (said, is_mandatory) = text.strip_suffix('!').map_or((text, false), |said| (said, true));
    let (form, levels) = match said.split_once(':') {
        Some(("level", names)) => (EffortForm::Level, names.split(',').map(str::to_owned).collect()),
        None if said == "toggle" => (EffortForm::Toggle, Vec::new()),
        None if said == "budget" => (EffortForm::Budget, Vec::new()),
        _ => return None,
    };
    Some(EffortSupport { form, levels, is_mandatory })
}

fn retirement(text: &str) -> Option<Retirement> {
    let (day, successor) = text.split_once('>').map_or((text, None), |(day, model)| (day, Some(model.to_owned())));
    Some(Retirement { on: optional(Some(day), |day| day.parse().ok())?, successor })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const HEAD: &str = "source m models.dev 2026-08-18\n[example]\n";

    fn read(line: &str) -> Result<Entries, String> {
        entries(format!("{HEAD}{line}").leak())
    }

    #[test]
    fn every_field_of_a_line_is_read() {
        let entries = read(
            "a/b price=m:3,9,1,4/200000:6,18,2 limits=m:8,,4 can=m:rV effort=m:level:low,high! image=m:5 ends=m:2026-12-01>c",
        )
        .unwrap();
        let entry = &entries["example"]["a/b"];
        let pico = PicoUsd::new;
        let mut price = Price::flat(pico(3), pico(9), "models.dev", "2026-08-18");
        price.cached_input_pico_usd = Some(pico(1));
        price.cache_write_pico_usd = Some(pico(4));
        price.tiers = vec![PriceTier {
            above_input_tokens: 200_000,
            input_pico_usd: pico(6),
            output_pico_usd: pico(18),
            cached_input_pico_usd: Some(pico(2)),
        }];
        assert_eq!(entry.prices, [price]);
        let limits = TokenLimits { context: Some(8), input: None, output: Some(4) };
        assert_eq!(entry.limits.as_ref().unwrap().value, limits);
        let can = BTreeMap::from([(Capability::Reasoning, true), (Capability::Vision, false)]);
        assert_eq!(entry.capabilities.as_ref().unwrap().value, can);
        let effort = EffortSupport {
            form: EffortForm::Level,
            levels: vec!["low".to_owned(), "high".to_owned()],
            is_mandatory: true,
        };
        assert_eq!(entry.effort.as_ref().unwrap().value, effort);
        assert_eq!(entry.image_pico_usd.as_ref().unwrap().value, pico(5));
        let end = Retirement { on: Some("2026-12-01".parse().unwrap()), successor: Some("c".to_owned()) };
        assert_eq!(entry.retirement.as_ref().unwrap().value, end);
    }

    #[rstest]
    #[case::negative("a price=m:-1,-1")]
    #[case::half("a price=m:1")]
    #[case::no_number("a limits=m:many")]
    #[case::unknown_key("a prize=m:1,2")]
    #[case::unknown_source("a price=x:1,2")]
    #[case::unknown_letter("a can=m:q")]
    #[case::unknown_effort("a effort=m:maybe")]
    #[case::no_day("a ends=m:tomorrow")]
    fn a_line_that_cannot_be_read_is_named_and_not_skipped(#[case] line: &str) {
        assert_eq!(read(line), Err(line.to_owned()));
    }
}
