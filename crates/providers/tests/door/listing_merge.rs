//! Models as they are known when a seed, a list and the catalogue were heard.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use lwa_domain::{
    BillingClass, Capability, EffortForm, EffortSupport, Model, ModelKey, PicoUsd, Price, Provenance, ReasoningEffort,
    TaskKind,
};
use lwa_providers::listing::Sources;
use lwa_providers::prices::{Fact, Retirement, TokenLimits};
use lwa_providers::{CatalogueEntry, ListedModel, ListedPrice, MergedModel, merge_model};
use rstest::rstest;

fn today() -> Date {
    "2026-11-29".parse().unwrap()
}

fn key(model: &str) -> ModelKey {
    ModelKey { provider: "example".to_owned(), model: model.to_owned() }
}

fn named(model: &str) -> ListedModel {
    ListedModel { id: model.to_owned(), ..ListedModel::default() }
}

fn price(input: i64, output: i64) -> ListedPrice {
    ListedPrice::flat(PicoUsd::new(input), PicoUsd::new(output))
}

fn from(source: &str, as_of: &str) -> Provenance {
    Provenance { source: source.to_owned(), as_of: as_of.to_owned() }
}

fn fact<T>(value: T) -> Fact<T> {
    Fact { value, provenance: from("models.dev", "2026-08-18") }
}

fn seed() -> Model {
    Model {
        display_name: Some("Large".to_owned()),
        capabilities: BTreeSet::from([Capability::Text, Capability::Reasoning, Capability::Structured]),
        reasoning_levels: vec![ReasoningEffort::High],
        context_length: 131_072,
        task_scores: BTreeMap::from([(TaskKind::Query, 91)]),
        disabled_reason: Some("switched off by hand".to_owned()),
        ..Model::named(key("example-large"), BillingClass::Paid, "seed")
    }
}

fn with(known: Option<&Model>, listed: Option<&ListedModel>, shipped: Option<&CatalogueEntry>) -> MergedModel {
    let sources = Sources { known, listed: listed.map(|listed| (listed, today())), shipped };
    let name = known.map_or_else(|| listed.map_or("new", |listed| &listed.id), |known| &known.key.model);
    merge_model(key(name), BillingClass::FreeQuota, &sources, today())
}

#[test]
fn a_04_a_list_of_ids_changes_nothing_that_is_known() {
    let merged = with(Some(&seed()), Some(&named("example-large")), None).model;
    let known = |field: &str| (field.to_owned(), from("seed", "unknown"));
    let provenance = BTreeMap::from([known("capabilities"), known("context_length")]);
    assert_eq!(merged, Model { source: "live".to_owned(), provenance, ..seed() });
}

#[test]
fn a_05_a_model_that_was_switched_off_stays_off_whatever_a_list_says_of_it() {
    let told = ListedModel {
        price: Some(price(0, 0)),
        context_length: Some(1_000_000),
        capabilities: BTreeMap::from([(Capability::Text, true), (Capability::Vision, true)]),
        ..named("example-large")
    };
    for listed in [named("example-large"), told] {
        let merged = with(Some(&seed()), Some(&listed), None).model;
        assert_eq!(merged.disabled_reason.as_deref(), Some("switched off by hand"));
        let on = Model { disabled_reason: None, ..seed() };
        assert_eq!(with(Some(&on), Some(&listed), None).model.disabled_reason, None, "and no list switches one off");
    }
}

#[test]
fn what_a_list_states_replaces_what_was_known_and_nothing_else() {
    let listed = ListedModel {
        price: Some(price(3, 4)),
        context_length: Some(65_536),
        capabilities: BTreeMap::from([(Capability::Vision, true), (Capability::Structured, false)]),
        ..named("example-large")
    };
    let merged = with(Some(&seed()), Some(&listed), None).model;
    assert_eq!(merged.capabilities, BTreeSet::from([Capability::Text, Capability::Reasoning, Capability::Vision]));
    assert_eq!(merged.context_length, 65_536);
    assert_eq!(merged.price, Some(Price::flat(PicoUsd::new(3), PicoUsd::new(4), "listing", "2026-11-29")));
    assert_eq!(merged.task_scores, seed().task_scores);
    assert_eq!(merged.reasoning_levels, [ReasoningEffort::High]);
    assert_eq!(merged.provenance["context_length"], from("listing", "2026-11-29"));
    assert_eq!(merged.provenance["capabilities"], from("listing", "2026-11-29"));
}

#[rstest]
#[case::paid(BillingClass::Paid)]
#[case::user_pays(BillingClass::UserPays)]
#[case::unknown(BillingClass::Unknown)]
fn a_01_and_a_02_neither_a_missing_price_nor_a_price_of_zero_makes_a_model_free(#[case] class: BillingClass) {
    for price in [None, Some(price(0, 0))] {
        let has_price = price.is_some();
        let listed = ListedModel { price, ..named("new:free") };
        let sources = Sources { listed: Some((&listed, today())), ..Sources::default() };
        let merged = merge_model(key("new:free"), class, &sources, today());
        assert_eq!(merged.model.billing_class, class);
        assert!(merged.model.billing_class.may_cost_money());
        assert_eq!((merged.model.price.is_some(), merged.price.is_some()), (has_price, has_price));
    }
}

#[test]
fn rr_41_a_new_model_without_a_price_is_unpriced_and_not_for_nothing() {
    let merged = with(None, Some(&named("brand-new")), None);
    assert_eq!((merged.model.price, merged.price), (None, None));
}

#[rstest]
#[case::stated(Some(false), "anything", &[])]
#[case::embedding_by_name(None, "text-embedding-example", &[Capability::Embedding])]
#[case::speech_by_name(None, "example-tts", &[])]
#[case::rerank_by_name(None, "rerank-example", &[Capability::Rerank])]
#[case::moderation_by_name(None, "omni-moderation-latest", &[])]
#[case::ocr_by_name(None, "example-ocr", &[])]
#[case::picture_by_name(None, "gpt-image-9", &[Capability::Image])]
#[case::chat(None, "example", &[Capability::Text])]
#[case::stated_against_its_name(Some(true), "example-ocr", &[Capability::Text])]
fn a_model_that_does_not_chat_is_not_given_text(
    #[case] is_chat: Option<bool>,
    #[case] name: &str,
    #[case] can: &[Capability],
) {
    let listed = ListedModel { is_chat, ..named(name) };
    let merged = with(None, Some(&listed), None).model;
    assert_eq!(merged.capabilities, can.iter().copied().collect());
    assert_eq!(merged.context_length, Model::CAUTIOUS_CONTEXT);
    assert!(!merged.provenance.contains_key("context_length"));
}

#[test]
fn the_family_speaks_only_where_nobody_else_does() {
    let listed = named("openai/gpt-oss-120b");
    let merged = with(None, Some(&listed), None).model;
    assert_eq!(merged.capabilities, BTreeSet::from([Capability::Text, Capability::Reasoning, Capability::Tools]));
    assert_eq!(merged.provenance["capabilities"], from("family", "unknown"));
    let shipped = CatalogueEntry {
        capabilities: Some(fact(BTreeMap::from([(Capability::Reasoning, true), (Capability::Tools, false)]))),
        ..CatalogueEntry::default()
    };
    let merged = with(None, Some(&listed), Some(&shipped)).model;
    assert_eq!(merged.capabilities, BTreeSet::from([Capability::Text, Capability::Reasoning]));
    assert_eq!(merged.provenance["capabilities"], from("models.dev", "2026-08-18"));
}

fn shipped() -> CatalogueEntry {
    let mut dated = Price::flat(PicoUsd::new(10), PicoUsd::new(20), "models.dev", "2026-11-01");
    dated.cached_input_pico_usd = Some(PicoUsd::new(1));
    CatalogueEntry {
        prices: vec![dated],
        limits: Some(fact(TokenLimits { context: Some(400_000), input: Some(272_000), output: Some(128_000) })),
        capabilities: Some(fact(BTreeMap::from([(Capability::Tools, true), (Capability::Vision, false)]))),
        effort: Some(fact(EffortSupport {
            form: EffortForm::Level,
            levels: ["none", "low", "high"].map(str::to_owned).to_vec(),
            is_mandatory: false,
        })),
        retirement: Some(fact(Retirement {
            on: Some("2026-12-01".parse().unwrap()),
            successor: Some("next".to_owned()),
        })),
        ..CatalogueEntry::default()
    }
}

#[test]
fn rr_38_three_limits_stay_apart_each_with_its_source_and_day() {
    let merged = with(Some(&seed()), None, Some(&shipped()));
    let model = &merged.model;
    assert_eq!(model.source, "seed");
    assert_eq!(
        (model.context_length, model.max_input_tokens, model.max_output_tokens),
        (400_000, Some(272_000), Some(128_000))
    );
    for field in ["context_length", "max_input_tokens", "max_output_tokens"] {
        assert_eq!(model.provenance[field], from("models.dev", "2026-08-18"), "{field}");
    }
    // The list of today knows better about one of them.
    let listed = ListedModel { max_output_tokens: Some(4096), ..named("example-large") };
    let model = with(Some(&seed()), Some(&listed), Some(&shipped())).model;
    assert_eq!((model.context_length, model.max_output_tokens), (400_000, Some(4096)));
    assert_eq!(model.provenance["max_output_tokens"], from("listing", "2026-11-29"));
    assert_eq!(merged.retirement.unwrap().value.successor.as_deref(), Some("next"));
}

#[test]
fn what_a_person_has_written_gives_way_to_the_list_alone() {
    let mut configured = Model { source: "config".to_owned(), ..seed() };
    configured.price = Some(Price::flat(PicoUsd::new(5), PicoUsd::new(6), "config", "unknown"));
    let merged = with(Some(&configured), None, Some(&shipped()));
    assert_eq!(merged.model.context_length, 131_072);
    assert_eq!(merged.model.capabilities, configured.capabilities);
    assert_eq!(merged.model.reasoning_levels, configured.reasoning_levels);
    assert_eq!(merged.model.price, configured.price);
    assert_eq!(merged.model.disabled_reason.as_deref(), Some("switched off by hand"));
    // What the person did not write is filled in.
    assert_eq!(merged.model.max_input_tokens, Some(272_000));
    let listed = ListedModel { price: Some(price(7, 8)), context_length: Some(9000), ..named("example-large") };
    let merged = with(Some(&configured), Some(&listed), Some(&shipped()));
    assert_eq!(merged.model.context_length, 9000);
    assert_eq!(merged.model.price.unwrap().source, "listing");
}

#[test]
fn a_model_without_levels_of_its_own_gets_those_that_its_catalogue_names() {
    let merged = with(None, Some(&named("new")), Some(&shipped())).model;
    assert_eq!(merged.reasoning_levels, [ReasoningEffort::Instant, ReasoningEffort::High]);
    assert_eq!(merged.effort, Some(shipped().effort.unwrap().value));
    assert_eq!(merged.provenance["effort"], from("models.dev", "2026-08-18"));
}

#[test]
fn an_end_in_the_past_is_wrong_while_the_list_has_the_model() {
    let mut entry = shipped();
    entry.retirement = Some(fact(Retirement { on: Some("2026-09-24".parse().unwrap()), successor: None }));
    assert!(with(Some(&seed()), None, Some(&entry)).retirement.unwrap().value.has_passed(today()));
    assert_eq!(with(Some(&seed()), Some(&named("example-large")), Some(&entry)).retirement, None);
    let announced = Retirement { on: Some("2027-01-01".parse().unwrap()), successor: None };
    let listed = ListedModel { retirement: Some(announced.clone()), ..named("example-large") };
    let end = with(Some(&seed()), Some(&listed), Some(&entry)).retirement.unwrap();
    assert_eq!((end.value, end.provenance), (announced, from("listing", "2026-11-29")));
}
