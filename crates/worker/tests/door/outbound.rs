//! The one way out: nothing private leaves, in whatever form it comes, and what could not be read is left out.

use lwa_privacy::{Exposure, Kind, Scrubber, Vault, Visibility};
use lwa_worker::model::{Excerpt, ModelError};
use lwa_worker::outbound::{Exit, Names, Outbound, WITHHELD_LINE};
use lwa_worker::trailer::LeakCheck;
use proptest::prelude::{ProptestConfig, prop, prop_assume, proptest};
use rstest::rstest;
use serde_json::json;

/// Made here, so that no scanner finds a token in this file.
fn token() -> String {
    ["AKIA", "Q3EG", "RWXX", "PLNT", "9F2K"].concat()
}

struct Ways {
    scrubber: Scrubber,
    vault: Vault,
    exposure: Exposure,
    withholds_unread: bool,
}

impl Ways {
    fn pii() -> Self {
        Self { scrubber: Scrubber::new(), vault: Vault::new(), exposure: Exposure::pii(), withholds_unread: true }
    }

    fn assist(identity: Visibility) -> Self {
        let exposure = Exposure::assist(identity, Visibility::Masked);
        Self { exposure, withholds_unread: false, ..Self::pii() }
    }

    fn exit(&mut self) -> Exit<'_> {
        Exit {
            scrubber: &self.scrubber,
            vault: &mut self.vault,
            exposure: self.exposure,
            withholds_unread: self.withholds_unread,
        }
    }

    fn knows(mut self, kind: Kind, value: &str) -> Self {
        self.vault.mint(kind, value);
        self
    }
}

fn names(text: &str, found: &[(Kind, &str)]) -> Names {
    assert!(found.iter().all(|(_, value)| text.contains(value)));
    let values = found.iter().map(|(kind, value)| (*kind, (*value).to_owned())).collect();
    Names { values, unread: Vec::new() }
}

#[test]
fn a_result_leaves_with_placeholders_and_their_counts() {
    let text = format!("key {} of ines@example.org", token());
    let out = Ways::pii().exit().text(&text, None);
    assert_eq!(out.as_str(), "key [SECRET-1] of [EMAIL-1]");
    assert_eq!(out.counts().iter().collect::<Vec<_>>(), [(&Kind::Email, &1), (&Kind::Secret, &1)]);
    assert_eq!((out.leak_check(), out.withheld_lines(), out.is_refusal()), (None, 0, false));
}

#[test]
fn names_that_a_reader_finds_are_hidden_as_well_and_it_reads_only_scrubbed_text() {
    let text = format!("{} belongs to quirin obermoser", token());
    let secret = token();
    let read = move |draft: &str| {
        assert!(!draft.contains(&secret), "the reader sees what was scrubbed once");
        names(draft, &[(Kind::Person, "quirin obermoser")])
    };
    let out = Ways::pii().exit().text(&text, Some(&read));
    assert_eq!(out.as_str(), "[SECRET-1] belongs to [PERSON-1]");
    assert_eq!(out.leak_check(), Some(LeakCheck::Passed));
}

#[test]
fn nobody_reads_for_names_where_names_are_open() {
    let read = |_: &str| -> Names { panic!("it is not due") };
    let mut ways = Ways::assist(Visibility::Open);
    let out = ways.exit().text("quirin obermoser", Some(&read));
    assert_eq!((out.as_str(), out.leak_check()), ("quirin obermoser", None));
    assert!(!ways.exit().is_reading_due());
    assert!(Ways::assist(Visibility::Masked).exit().is_reading_due());
}

#[test]
fn w_12_what_was_not_read_stays_here_where_that_was_decided_and_is_marked_elsewhere() {
    let text = "first line\nsecond line\nthird line\n";
    let read = |draft: &str| {
        let at = draft.find("second").unwrap();
        Names { values: Vec::new(), unread: vec![at + 2..at + 4, at..at] }
    };
    let out = Ways::pii().exit().text(text, Some(&read));
    assert_eq!(out.as_str(), format!("first line\n{WITHHELD_LINE}\nthird line\n"));
    assert_eq!((out.withheld_lines(), out.leak_check()), (1, Some(LeakCheck::Failed)));
    let out = Ways::assist(Visibility::Masked).exit().text(text, Some(&read));
    assert_eq!((out.as_str(), out.withheld_lines(), out.leak_check()), (text, 0, Some(LeakCheck::Failed)));
    let out = Ways::pii().exit().text(text, Some(&Names::unread));
    assert_eq!(out.as_str(), format!("{WITHHELD_LINE}\n{WITHHELD_LINE}\n{WITHHELD_LINE}\n"));
}

#[test]
fn a_check_that_another_reader_failed_is_a_failed_check() {
    let out = Ways::pii().exit().text("text", Some(&|_: &str| Names::default()));
    assert_eq!(out.leak_check(), Some(LeakCheck::Passed));
    assert_eq!(out.with_failed_check().leak_check(), Some(LeakCheck::Failed));
}

#[test]
fn w_11_an_error_that_repeats_what_it_was_given_is_scrubbed_and_short() {
    let echo = format!("cannot parse: token={} of ines@example.org", token());
    let error = ModelError::Status { model: "m".to_owned(), status: 500, excerpt: Excerpt::of(&echo) };
    let said = format!("{error}: {}", error.excerpts()[0].untrusted());
    let out = Ways::pii().exit().error(&said);
    assert_eq!(
        out.as_str(),
        "Error: the worker `m` answered with HTTP 500: cannot parse: token=[SECRET-1] of [EMAIL-1]"
    );
    let long = Ways::pii().exit().error(&"words ".repeat(2_000));
    assert!(long.as_str().chars().count() <= 1_008);
    assert_eq!(Ways::pii().exit().error("Error: once").as_str(), "Error: once");
}

#[test]
fn pg_20_a_text_that_cannot_be_scrubbed_does_not_leave() {
    let mut ways = Ways { scrubber: Scrubber::new().with_limit(40), ..Ways::pii() };
    let text = format!("{} {}", "x".repeat(60), token());
    for out in [ways.exit().text(&text, None), ways.exit().error(&text)] {
        assert!(out.is_refusal() && !out.as_str().contains("AKIA"), "{out}");
        assert!(out.as_str().starts_with("Error: the text was held back"), "{out}");
    }
    let document = ways.exit().json(&json!({"text": text}));
    assert!(!document.as_value().to_string().contains("AKIA"), "{document:?}");
}

#[test]
fn w_11_every_field_of_a_document_is_scrubbed_names_of_fields_included() {
    let mut ways = Ways::pii();
    let document = ways.exit().json(&json!({
        "last_failure": {"error": format!("echo {}", token())},
        "by": {"ines@example.org": [1, true, null, "ines@example.org"]},
        "turns": 17,
    }));
    assert_eq!(
        document.into_value(),
        json!({
            "last_failure": {"error": "echo [SECRET-1]"},
            "by": {"[EMAIL-1]": [1, true, null, "[EMAIL-1]"]},
            "turns": 17,
        })
    );
}

#[test]
fn w_11_a_value_that_lies_across_two_fields_is_found_in_the_whole() {
    let secret = "vT9#kQ2mZ7pLw4xC";
    let document = Ways::pii().exit().json(&json!({"key": "password", "value": secret})).into_value();
    assert!(!document.to_string().contains(secret), "{document}");
}

#[rstest]
#[case::base64("dlQ5I2tRMm1aN3BMdzR4Qw==")]
#[case::percent("vT9%23kQ2mZ7pLw4xC")]
#[case::case("VT9#KQ2MZ7PLW4XC")]
#[case::spaced("vT9#k Q2mZ7 pLw4xC")]
#[case::a_part("it begins with vT9#kQ2mZ7pL and goes on")]
fn a_known_secret_is_found_in_other_spellings(#[case] spelling: &str) {
    let mut ways = Ways::assist(Visibility::Open).knows(Kind::Secret, "vT9#kQ2mZ7pLw4xC");
    let out = ways.exit().text(&format!("answer: {spelling}."), None);
    assert!(!out.as_str().contains(spelling) && out.as_str().contains("[SECRET-1]"), "{out}");
}

#[test]
fn nothing_is_kept_of_what_a_text_was_made_from() {
    let text = format!("key {}", token());
    let out: Outbound = Ways::pii().exit().text(&text, None);
    assert!(!format!("{out:?}{}", serde_json::to_string(&out).unwrap()).contains(&token()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn no_twelve_characters_of_a_secret_leave(
        secret in "[A-Za-z0-9]{6}[-_#]?[A-Za-z0-9]{10,30}",
        before in "[a-z ]{0,40}",
        behind in "[a-z ]{0,40}",
        from in 0_usize..20,
        to in 13_usize..50,
        is_pii in prop::bool::ANY,
        door in 0_usize..3,
    ) {
        prop_assume!(secret.bytes().any(|b| b.is_ascii_digit()) && secret.bytes().any(|b| b.is_ascii_alphabetic()));
        let part = &secret[from.min(secret.len() - 12)..to.min(secret.len()).max(from.min(secret.len() - 12) + 12)];
        let mut ways = if is_pii { Ways::pii() } else { Ways::assist(Visibility::Open) }.knows(Kind::Secret, &secret);
        let text = format!("{before} {part} {behind}");
        let left = match door {
            0 => ways.exit().text(&text, None).into_text(),
            1 => ways.exit().error(&text).into_text(),
            _ => ways.exit().json(&json!({"a": [text], part: 1})).into_value().to_string(),
        };
        for window in secret.as_bytes().windows(12) {
            let window = std::str::from_utf8(window).unwrap();
            assert!(!left.contains(window), "`{window}` of `{secret}` in `{left}`");
        }
    }
}
