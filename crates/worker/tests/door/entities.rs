//! Values that a model names: whole answers only, no weapon against ordinary text.

use std::collections::BTreeMap;

use lwa_privacy::{Exposure, Kind, Scrubber, Vault};
use lwa_worker::digest::LineRange;
use lwa_worker::entities::{self, Entities, Failure, Gap, NamedValue, Pass, PassLimits, Status};
use lwa_worker::model::{Excerpt, ModelError};
use rstest::rstest;

use crate::support::{Scripted, cut, fenced, reply, soon, unreachable};

const LETTER: &str = "Dear Quirin Obermoser,\nyour parcel waits at Lindwurmgasse 7.\nYours, Q. Obermoser\n";

async fn found(model: &Scripted, text: &str, pass: Pass) -> Entities {
    entities::find(model, text, pass, &PassLimits::until(soon())).await
}

fn value(kind: &str, value: &str) -> NamedValue {
    NamedValue { kind: kind.to_owned(), value: value.to_owned() }
}

#[tokio::test]
async fn a_pass_asks_for_a_list_in_a_form_and_reads_it() {
    let model = Scripted::saying(
        r#"[{"kind": "PERSON", "value": "Quirin Obermoser"}, {"kind": "PERSON", "value": "Quirin Obermoser"}]"#,
    );
    let entities = found(&model, LETTER, Pass::Material).await;
    assert_eq!(entities, Entities { values: vec![value("PERSON", "Quirin Obermoser")], status: Status::Ok, calls: 1 });
    let [asked] = model.asked().try_into().unwrap();
    assert_eq!(fenced(&asked.user), LETTER.trim_end());
    assert_eq!((asked.max_tokens, asked.temperature.to_bits()), (2048, 0));
    assert_eq!(asked.format.unwrap().name, "private_values");
    found(&model, LETTER, Pass::Answer).await;
    assert_eq!(model.asked()[1].max_tokens, 1024);
    assert!(!format!("{entities:?}").contains("Quirin"));
}

#[rstest]
#[case::no_list("I found nothing private here.", Failure::NotAList)]
#[case::an_object(r#"{"kind": "PERSON", "value": "Quirin Obermoser"}"#, Failure::NotAList)]
#[case::broken(r#"[{"kind": "PERSON", "value": "Quirin Obermoser"}, {"kind": "PER"#, Failure::NotAList)]
#[case::another_form(r#"["Quirin Obermoser"]"#, Failure::NotAList)]
#[case::half_of_another_form(r#"[{"kind": "PERSON", "value": "Quirin Obermoser"}, 7]"#, Failure::NotAList)]
#[case::empty(" ", Failure::NotAList)]
#[tokio::test]
async fn w_12_an_answer_that_is_no_complete_list_is_a_failed_pass(#[case] answer: &str, #[case] failure: Failure) {
    let entities = found(&Scripted::saying(answer), LETTER, Pass::Answer).await;
    assert!(!entities.status.is_ok());
    assert_eq!(entities.status, Status::Failed(vec![Gap { lines: LineRange { first: 1, last: 3 }, failure }]));
    let names_it = answer.contains(r#""value""#) && answer.starts_with('[');
    assert_eq!(entities.values.len(), usize::from(names_it), "what can be read is hidden all the same");
}

#[tokio::test]
async fn w_12_a_list_cut_at_its_tokens_is_read_in_halves_and_fails_if_that_does_not_help() {
    let long = LETTER.repeat(60);
    let entities = found(
        &Scripted::in_turn(vec![Ok(cut(r#"[{"kind": "PERSON", "value": "Quirin Ober"#)), Ok(reply("[]"))]),
        &long,
        Pass::Material,
    )
    .await;
    assert!(entities.status.is_ok());
    assert!(entities.calls >= 3, "{}", entities.calls);
    let always = Scripted::in_turn(vec![Ok(cut(r#"[{"kind": "PERSON", "value": "Quirin Obermoser"}, {"#))]);
    let entities = found(&always, &long, Pass::Material).await;
    let Status::Failed(gaps) = &entities.status else { panic!("{entities:?}") };
    assert!(gaps.iter().all(|gap| gap.failure == Failure::Cut), "{gaps:?}");
    assert_eq!(gaps.first().unwrap().lines.first, 1);
    assert_eq!(gaps.last().unwrap().lines.last, 180);
    assert_eq!(entities.values, [value("PERSON", "Quirin Obermoser")]);
}

#[tokio::test]
async fn a_server_without_forms_is_asked_without_one() {
    let status = ModelError::Status { model: "scripted".to_owned(), status: 400, excerpt: Excerpt::of("no grammar") };
    let model = Scripted::in_turn(vec![Err(status), Ok(reply("[]"))]);
    let entities = found(&model, LETTER, Pass::Material).await;
    assert_eq!((entities.status.is_ok(), entities.calls), (true, 2));
    assert!(model.asked()[1].format.is_none());
}

#[tokio::test]
async fn a_model_that_does_not_answer_is_a_failed_pass_and_no_error() {
    let entities = found(&Scripted::in_turn(vec![Err(unreachable())]), LETTER, Pass::Answer).await;
    let Status::Failed(gaps) = entities.status else { panic!("failed") };
    assert_eq!(gaps[0].failure, Failure::Model(unreachable()));
}

#[tokio::test]
async fn w_24_the_whole_material_is_read_in_parts_and_what_lies_beyond_the_budget_is_named() {
    let text: String = (1..=1_000).map(|number| format!("this is line {number:>7}\n")).collect();
    let model = Scripted::saying("[]");
    let limits = PassLimits { chunk_chars: 2_000, ..PassLimits::until(soon()) };
    let entities = entities::find(model.as_ref(), &text, Pass::Material, &limits).await;
    assert!(entities.status.is_ok());
    let mut seen: Vec<String> = model.asked().iter().map(|asked| fenced(&asked.user).to_owned()).collect();
    seen.sort();
    assert_eq!(seen.concat().replace('\n', "").len(), text.replace('\n', "").len(), "nothing is passed over");
    let limits = PassLimits { budget_chars: 10_000, ..limits };
    let entities = entities::find(model.as_ref(), &text, Pass::Material, &limits).await;
    let Status::Failed(gaps) = entities.status else { panic!("the rest was not read") };
    assert_eq!(gaps, [Gap { lines: LineRange { first: 477, last: 1_000 }, failure: Failure::OverBudget }]);
}

#[tokio::test]
async fn w_24_a_flood_of_values_is_no_answer() {
    let flood: Vec<String> = (0..3_000).map(|n| format!(r#"{{"kind": "PII", "value": "word{n}"}}"#)).collect();
    let entities = found(&Scripted::saying(&format!("[{}]", flood.join(","))), LETTER, Pass::Material).await;
    assert!(!entities.status.is_ok());
    assert!(entities.values.len() <= 2_000);
}

#[tokio::test]
async fn blank_text_needs_no_reader() {
    let model = Scripted::saying("nonsense");
    assert!(found(&model, " \n", Pass::Answer).await.status.is_ok());
    assert!(model.asked().is_empty());
}

fn registered(values: &[(&str, &str)], material: &str) -> (BTreeMap<Kind, usize>, usize, String) {
    let scrubber = Scrubber::new();
    let mut vault = Vault::new();
    let values: Vec<NamedValue> = values.iter().map(|(kind, text)| value(kind, text)).collect();
    let registered = entities::register_all(&scrubber, &mut vault, &values, material);
    let left = scrubber.scrub(&mut vault, material, Exposure::pii()).unwrap().text.into_owned();
    (registered.counts, registered.refused, left)
}

#[test]
fn what_a_model_names_is_hidden_from_then_on() {
    let material = "zu Gast bei quirin obermoser und Familie";
    let (counts, refused, scrubbed) = registered(&[("PERSON", "quirin obermoser")], material);
    assert_eq!((counts, refused), (BTreeMap::from([(Kind::Person, 1)]), 0));
    assert_eq!(scrubbed, "zu Gast bei [PERSON-1] und Familie");
    assert_eq!(registered(&[("NICKNAME", "quirin obermoser")], material).0, BTreeMap::from([(Kind::Pii, 1)]));
}

#[rstest]
#[case::not_in_the_material("PERSON", "Somebody Else")]
#[case::too_short("PERSON", "ab")]
#[case::a_placeholder("PERSON", "[PERSON-9]")]
#[case::an_identifier("SECRET", "API_TOKEN")]
#[case::a_variable("SECRET", "${API_TOKEN}")]
#[case::a_common_word("PERSON", "the")]
#[case::the_word_of_a_log("PERSON", "error")]
#[case::the_word_of_a_log_as_a_secret("SECRET", "error")]
#[case::a_word_used_again_and_again("PII", "frobnix")]
#[case::a_word_used_again_and_again_as_a_secret("SECRET", "frobnix")]
#[case::part_of_a_word("PERSON", "ngle")]
#[case::a_path("PII", "/srv/data/widget")]
#[case::a_local_address("PII", "192.168.0.7")]
#[case::a_version("ID", "v1.2.3")]
#[case::a_function("PERSON", "widget::open()")]
#[case::punctuation("PII", "-----")]
#[test]
fn w_24_values_that_would_hide_ordinary_text_are_refused(#[case] kind: &str, #[case] named: &str) {
    let material = format!(
        "the error of a single line -----\nopen /srv/data/widget on 192.168.0.7 with v1.2.3 and widget::open() or [PERSON-9] ab\n\
         API_TOKEN=x ${{API_TOKEN}}\n{}",
        "widget error of frobnix\n".repeat(20)
    );
    let (counts, refused, scrubbed) = registered(&[(kind, named)], &material);
    assert_eq!((counts, refused), (BTreeMap::new(), 1), "{scrubbed}");
}
