//! What was spared: the formulas, prices and their age, and counts of old turns.

use jiff::civil::date;
use lwa_domain::PicoUsd;
use lwa_worker::memory::{Turn, TurnKind};
use lwa_worker::savings::{
    Assumptions, Cost, FactorSample, PriceFile, PriceFileError, PriceList, RowOverride, SampleClass, Saved, Totals,
    TurnCounts, Unmeasurable, Work, four_decimals, measured_factor,
};
use proptest::prelude::{any, prop, proptest};
use rstest::rstest;

fn assumed() -> Assumptions {
    Assumptions { chars_per_token: 4.0, context_reuse_calls: 10.0, ..Assumptions::default() }
}

fn turn(work: Work, gathered_chars: u64, returned_chars: u64) -> TurnCounts {
    TurnCounts {
        work,
        is_verbatim: false,
        is_error: false,
        gathered_chars,
        returned_chars,
        gathered_tokens: None,
        returned_tokens: None,
    }
}

fn measured(gathered: Option<u64>, returned: Option<u64>) -> TurnCounts {
    TurnCounts { gathered_tokens: gathered, returned_tokens: returned, ..turn(Work::Run, 40_000, 2_000) }
}

#[rstest]
#[case::a_command(turn(Work::Run, 40_000, 2_000), [10_000, 500, 9_500, 0, 95_000])]
#[case::inline_only(turn(Work::Delegate, 0, 800), [0, 200, 0, 200, 0])]
#[case::files(turn(Work::Delegate, 8_000, 400), [2_000, 100, 1_900, 100, 19_000])]
#[case::files_quoted(TurnCounts { is_verbatim: true, ..turn(Work::Delegate, 8_000, 400) }, [2_000, 100, 1_900, 0, 19_000])]
#[case::longer_than_the_raw(turn(Work::Run, 400, 800), [100, 200, 0, 0, 0])]
#[case::measured(measured(Some(9_000), Some(400)), [9_000, 400, 8_600, 0, 86_000])]
#[case::half_measured(measured(Some(9_000), None), [10_000, 500, 9_500, 0, 95_000])]
#[case::failed(TurnCounts { is_error: true, ..turn(Work::Run, 40_000, 2_000) }, [0, 0, 0, 0, 0])]
fn the_formulas_give_these_numbers(#[case] turn: TurnCounts, #[case] expected: [u64; 5]) {
    let saved = Saved::of(&turn, &assumed());
    let got = [saved.gathered, saved.returned, saved.avoided_input, saved.avoided_output, saved.carried];
    assert_eq!(got, expected);
    assert_eq!(saved.is_measured, turn.gathered_tokens.is_some() && turn.returned_tokens.is_some());
}

#[test]
fn a_result_longer_than_its_material_is_told_apart() {
    assert_eq!(Saved::of(&turn(Work::Run, 400, 800), &assumed()).excess, 100);
    assert_eq!(Saved::of(&turn(Work::Delegate, 0, 800), &assumed()).excess, 0);
}

#[test]
fn money_at_list_prices_has_four_decimals() {
    let file = PriceFile::parse(
        r#"{"models": [{"model_id": "m", "input_per_m": 5, "output_per_m": 25, "cache_read_per_m": 0.5}]}"#,
    )
    .unwrap();
    let list = PriceList::shipped().with_rows(Vec::new(), None).with(&file).unwrap();
    let totals = Totals { avoided_input: 9_500, avoided_output: 200, carried: 95_000, ..Totals::default() };
    let cost = Cost::of(&totals, list.row("m").unwrap());
    assert_eq!(four_decimals(cost.direct), "0.0525");
    assert_eq!(four_decimals(cost.carried), "0.0475");
    assert_eq!(four_decimals(cost.with_carry()), "0.1000");
}

#[test]
fn a_model_without_a_cache_price_carries_at_its_input_price() {
    let file = PriceFile::parse(
        r#"{"models": [{"model_id": "m", "input_per_m": 5, "output_per_m": 25, "tokenizer_factor": 1.3}]}"#,
    )
    .unwrap();
    let list = PriceList::shipped().with_rows(Vec::new(), None).with(&file).unwrap();
    let totals = Totals { avoided_input: 1_000, carried: 1_000, ..Totals::default() };
    let [shown] = list.per_model(&totals, date(2026, 10, 1)).try_into().unwrap();
    assert_eq!(shown.cost.carried, shown.cost.direct);
    assert_eq!(four_decimals(shown.cost.direct), "0.0065");
    assert_eq!((shown.avoided_input, shown.carried), (1_300, 1_300));
}

#[rstest]
#[case(0.1, 0.1)]
#[case(10.0, 10.0)]
#[case(0.09, 1.0)]
#[case(10.5, 1.0)]
#[case(-1.0, 1.0)]
fn a_factor_that_is_no_tokenizers_is_one(#[case] stated: f64, #[case] used: f64) {
    let row = RowOverride {
        model_id: "m".to_owned(),
        input_per_m: Some(1.0),
        output_per_m: Some(1.0),
        tokenizer_factor: Some(stated),
        ..RowOverride::default()
    };
    let list = PriceList::shipped().with(&PriceFile { models: vec![row], ..PriceFile::default() }).unwrap();
    assert!((list.row("m").unwrap().factor() - used).abs() < f64::EPSILON);
}

#[test]
fn the_shipped_list_is_whole_and_dated() {
    let list = PriceList::shipped();
    assert_eq!(list.rows().len(), 34);
    assert_eq!(list.checked(), Some(date(2026, 9, 9)));
    assert!(!list.is_overridden());
    let first: Vec<_> = list.rows().iter().take_while(|row| row.provider == "Anthropic").collect();
    assert_eq!(first.len(), 5);
    assert_eq!(first.iter().filter(|row| (row.factor() - 1.3).abs() < 1e-9).count(), 4);
    for row in list.rows() {
        assert!(row.input > PicoUsd::ZERO && row.output > PicoUsd::ZERO, "{} has no price", row.model_id);
        assert!(row.source.starts_with("https://") && row.checked.is_some(), "{} has no source", row.model_id);
        assert!(row.cache_read.is_none_or(|read| read < row.input), "{} caches dearly", row.model_id);
    }
}

#[test]
fn a_human_s_file_changes_adds_and_hides() {
    let text = r#"{
        "checked": "2026-11-20",
        "assumptions": {"chars_per_token": 0, "context_reuse_calls": 2, "output_credit": {"run": 0.5}},
        "models": [
            {"model_id": "claude-opus-5", "input_per_m": 4, "cache_read_per_m": null},
            {"model_id": "claude-haiku-4-5", "enabled": false},
            {"model_id": "own", "input_per_m": 1, "output_per_m": 2, "checked": "long ago"}
        ]}"#;
    let shipped = PriceList::shipped();
    let list = shipped.clone().with(&PriceFile::parse(text).unwrap()).unwrap();
    let opus = list.row("claude-opus-5").unwrap();
    assert_eq!((opus.input, opus.cache_read), (PicoUsd::new(4_000_000), None));
    assert_eq!(opus.output, shipped.row("claude-opus-5").unwrap().output);
    assert_eq!(list.row("claude-haiku-4-5"), None);
    assert!(list.row("own").unwrap().is_stale(date(2026, 11, 21), 30), "a day that cannot be read is long ago");
    assert!(list.is_overridden());
    let assumptions = list.assumptions();
    assert!((assumptions.chars_per_token - 3.8).abs() < 1e-9, "nothing is divided by zero");
    assert!((assumptions.context_reuse_calls - 2.0).abs() < 1e-9);
    assert!((assumptions.output_credit.run - 0.5).abs() < 1e-9);
    assert!((assumptions.output_credit.delegate - 1.0).abs() < 1e-9);
}

#[rstest]
#[case(r#"{"models": [{"model_id": "x", "input_per_m": 1}]}"#, "`x` is new and has no `output_per_m`")]
#[case(
    r#"{"models": [{"model_id": "claude-opus-5", "input_per_m": -1}]}"#,
    "`input_per_m` of `claude-opus-5` is no price"
)]
fn a_file_that_cannot_be_used_changes_nothing(#[case] text: &str, #[case] message: &str) {
    let file = PriceFile::parse(text).unwrap();
    assert_eq!(PriceList::shipped().with(&file).unwrap_err().to_string(), message);
}

#[rstest]
#[case(r#"{"models": [{"input_per_m": 1}]}"#, PriceFileError::NoModel { row: 1 })]
#[case("{\n \"models\": [{\"model_id\": \"x\", \"inputs\": 1}]}", PriceFileError::Json { line: 2, column: 38 })]
#[case("planted-secret", PriceFileError::Json { line: 1, column: 1 })]
fn a_broken_file_is_named_by_its_place_and_not_repeated(#[case] text: &str, #[case] error: PriceFileError) {
    let got = PriceFile::parse(text).unwrap_err();
    assert_eq!(got, error);
    assert!(!got.to_string().contains("planted"));
}

#[test]
fn a_file_is_written_and_read_as_it_was_and_a_row_can_be_set_and_taken_back() {
    let mut file =
        PriceFile::parse(r#"{"models": [{"model_id": "a", "input_per_m": 1, "cache_read_per_m": null}]}"#).unwrap();
    file.set(RowOverride { model_id: "a".to_owned(), output_per_m: Some(2.0), ..RowOverride::default() });
    file.set(RowOverride { model_id: "b".to_owned(), enabled: Some(false), ..RowOverride::default() });
    assert_eq!(PriceFile::parse(&file.to_text()).unwrap(), file);
    let row = file.models.first().unwrap();
    assert_eq!((row.input_per_m, row.output_per_m, row.cache_read_per_m), (Some(1.0), Some(2.0), Some(None)));
    assert!(file.reset("b") && !file.reset("b"));
    assert_eq!(file.models.len(), 1);
}

#[rstest]
#[case(Some("gpt-5.5"), None, "gpt-5.5")]
#[case(Some("unknown"), Some("gpt-5.4"), "gpt-5.4")]
#[case(None, Some("unknown"), "claude-opus-5")]
#[case(None, None, "claude-opus-5")]
fn the_headline_model_is_the_first_known_one(
    #[case] configured: Option<&str>,
    #[case] assumed: Option<&str>,
    #[case] model: &str,
) {
    let text = match assumed {
        Some(assumed) => format!(r#"{{"assumptions": {{"caller_model": "{assumed}"}}}}"#),
        None => String::new(),
    };
    let list = PriceList::shipped().with(&PriceFile::parse(&text).unwrap()).unwrap();
    assert_eq!(list.headline(configured).unwrap().model_id, model);
}

#[rstest]
#[case(date(2026, 10, 9), Some(30), false)]
#[case(date(2026, 10, 10), Some(31), true)]
#[case(date(2026, 9, 8), Some(0), false)]
fn prices_grow_old(#[case] today: jiff::civil::Date, #[case] days: Option<u32>, #[case] is_stale: bool) {
    let list = PriceList::shipped();
    assert_eq!((list.age_days(today), list.is_stale(today)), (days, is_stale));
}

#[test]
fn a_changed_assumption_changes_the_past() {
    let turns = [turn(Work::Run, 40_000, 2_000), measured(Some(9_000), Some(400))];
    let sums = Totals::of(&turns, &assumed());
    assert_eq!((sums.turns, sums.measured_turns, sums.avoided_input), (2, 1, 18_100));
    let other = Assumptions { chars_per_token: 2.0, ..assumed() };
    assert_eq!(Totals::of(&turns, &other).avoided_input, 19_000 + 8_600);
}

fn stored(kind: TurnKind, raw_chars: u64, source: &str) -> Turn {
    let json = serde_json::json!({
        "id": "t_000001", "ts": "2026-01-01T00:00:00Z", "kind": kind, "mode": "assist",
        "source": source, "raw_chars": raw_chars, "out_chars": 100,
    });
    serde_json::from_value(json).unwrap()
}

#[rstest]
#[case::a_command(stored(TurnKind::Run, 5_000, "command: ls"), Some(5_000))]
#[case::files_and_inline(stored(TurnKind::Delegate, 5_000, "inline (1200 chars); paths: a.txt"), Some(3_800))]
#[case::inline_alone(stored(TurnKind::Delegate, 1_200, "inline (1100 chars)"), Some(0))]
#[case::no_material(stored(TurnKind::Delegate, 0, ""), Some(0))]
#[case::a_switch(stored(TurnKind::Mode, 5_000, ""), None)]
#[case::a_compaction(stored(TurnKind::Compaction, 5_000, ""), None)]
#[case::counted(Turn { gathered_chars: Some(7), ..stored(TurnKind::Delegate, 5_000, "paths: a") }, Some(7))]
fn old_turns_are_counted_from_what_they_say(#[case] turn: Turn, #[case] gathered: Option<u64>) {
    assert_eq!(TurnCounts::of_turn(&turn).map(|counts| counts.gathered_chars), gathered);
}

#[test]
fn a_wish_for_lines_that_became_a_digest_counts_as_one() {
    let turn = Turn { verbatim: true, verbatim_fallback: true, ..stored(TurnKind::Delegate, 10, "paths: a") };
    assert!(!TurnCounts::of_turn(&turn).unwrap().is_verbatim);
}

fn sample(class: SampleClass, counted: u64, reported: u64) -> FactorSample {
    FactorSample { class, counted, reported, baseline: 10 }
}

#[test]
fn a_factor_weighs_the_classes_that_showed_something() {
    let samples = [
        sample(SampleClass::Listing, 1_000, 1_310),
        sample(SampleClass::Listing, 1_000, 1_410),
        sample(SampleClass::Listing, 1_000, 1_210),
        sample(SampleClass::Code, 1_000, 1_010),
        // Too large to be a tokenizer's.
        sample(SampleClass::Prose, 1_000, 4_010),
        // No clearer than the noise.
        sample(SampleClass::Json, 30, 40),
    ];
    let factor = measured_factor(&samples, 2).unwrap();
    assert!((factor - (1.3 * 0.45 + 1.0 * 0.30) / 0.75).abs() < 1e-9, "{factor}");
    assert_eq!(measured_factor(&samples[4..], 2), Err(Unmeasurable::NoSample));
}

proptest! {
    #[test]
    fn nothing_is_spared_that_was_not_gathered(
        gathered in any::<u64>(),
        returned in any::<u64>(),
        tokens in prop::option::of(any::<u64>()),
        is_verbatim in any::<bool>(),
        credit in 0.0..=1.0_f64,
    ) {
        let mut assumptions = assumed();
        assumptions.output_credit.delegate = credit;
        let turn = TurnCounts {
            is_verbatim,
            gathered_tokens: tokens,
            returned_tokens: tokens.map(|t| t / 3),
            ..turn(Work::Delegate, gathered, returned)
        };
        let saved = Saved::of(&turn, &assumptions);
        assert!(saved.avoided_input <= saved.gathered);
        assert!(saved.avoided_output <= saved.returned || saved.returned > (1 << 53));
        assert_eq!(saved.total(), saved.avoided_input.saturating_add(saved.avoided_output));
        // Sums hold whatever the counts.
        let sums = Totals::of(&[turn, turn], &assumptions);
        let list = PriceList::shipped();
        for shown in list.per_model(&sums, date(2026, 10, 1)) {
            assert!(shown.cost.with_carry() >= shown.cost.direct);
        }
    }
}
