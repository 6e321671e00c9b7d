//! What holds for every text.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the report")]

use lwa_privacy::egress::{KnownSecrets, scrub_secrets};
use lwa_privacy::{
    Bare, Exposure, Found, Kind, RehydrateStream, Reveal, Scrubber, Vault, Visibility, mentions, rehydrate,
};
use proptest::prelude::*;

/// Pieces that make the recognisers work, among anything else.
fn piece() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(vec![
        "password",
        "=",
        ": ",
        "\"",
        "'",
        "\\",
        "\n",
        " ",
        "token",
        "api_key",
        "://",
        "@",
        "user:pass@host",
        "Bearer ",
        "[EMAIL-1]",
        "[SECRET-",
        "]",
        "-----BEGIN ",
        "PRIVATE KEY-----",
        "-----END ",
        "kind: Secret",
        "data:\n  a: ",
        "%40",
        "%3D",
        "&quot;",
        "\u{200B}",
        "\u{FF21}",
        "415-555-0142",
        "4111 1111 1111 1111",
        "kit@example.org",
        "Dr Ines Faro",
        "name: ",
        "Dear ",
        "77 Harbor View Road",
        "DOB: 03/04/1988",
        "ssn ",
        "078-05-1120",
        "GB29NWBK60161331926819",
        "account no. 00123456",
        "192.0.2.7",
        "${",
        "}",
        "curl -u a:",
        "-p",
        "\u{1B}[1m",
        "\\u0041",
        "é",
        "日本",
        "eyJ",
        ".",
        "<password>",
        "</",
        "|\n  ",
    ])
    .prop_map(str::to_owned);
    prop_oneof![
        6 => fixed,
        2 => "[a-zA-Z0-9+/]{1,40}",
        2 => "[a-z]{1,9}",
        1 => "[0-9]{1,20}",
        1 => "\\PC{0,6}",
        1 => any::<char>().prop_map(String::from),
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..24).prop_map(|pieces| pieces.concat())
}

fn exposures() -> impl Strategy<Value = Exposure> {
    prop::sample::select(vec![
        Exposure::pii(),
        Exposure::assist(Visibility::Masked, Visibility::Masked),
        Exposure::assist(Visibility::Open, Visibility::Masked),
        Exposure::assist(Visibility::Open, Visibility::Open),
    ])
}

/// A password of the kind that generators make.
fn secret() -> impl Strategy<Value = String> {
    "[a-z]{3}[A-Z]{2}[0-9]{3}[a-z]{2}[-_!#]{1}[A-Za-z0-9]{6,24}"
}

/// The text with the found ranges replaced, and nothing else.
fn rebuilt(text: &str, found: &[Found]) -> String {
    let mut rebuilt = String::new();
    let mut at = 0;
    for found in found {
        rebuilt.push_str(&text[at..found.start]);
        rebuilt.push_str(&found.placeholder);
        at = found.end;
    }
    rebuilt + &text[at..]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_scrubbed_text_scrubs_to_itself(text in text(), exposure in exposures()) {
        let scrubber = Scrubber::new();
        let mut vault = Vault::new();
        let once = scrubber.scrub(&mut vault, &text, exposure).unwrap();
        let twice = scrubber.scrub(&mut vault, &once.text, exposure).unwrap();
        prop_assert_eq!(&once.text, &twice.text);
    }

    #[test]
    fn everything_outside_the_found_ranges_is_untouched(text in text(), exposure in exposures()) {
        let mut vault = Vault::new();
        let result = Scrubber::new().scrub(&mut vault, &text, exposure).unwrap();
        prop_assert_eq!(rebuilt(&text, &result.found), result.text.as_ref());
    }

    #[test]
    fn what_leaves_for_a_provider_is_exact_outside_its_ranges(text in text()) {
        let result = scrub_secrets(&text, &KnownSecrets::none());
        prop_assert_eq!(rebuilt(&text, &result.found), result.text.as_ref());
    }

    #[test]
    fn values_come_back_as_they_were(
        words in prop::collection::vec("[a-z]{1,8}", 1..8),
        secret in secret(),
        local in "[a-z]{4,9}",
        digits in "[2-9][0-9]{2}-[2-9][0-9]{2}-[0-9]{4}",
    ) {
        let text = format!("{} password={secret} and {local}@example.org\n{} call {digits} {}", words.join(" "), words.join("_"), words.join(" "));
        let mut vault = Vault::new();
        let scrubbed = Scrubber::new().scrub(&mut vault, &text, Exposure::pii()).unwrap();
        prop_assert!(!scrubbed.text.contains(&secret));
        prop_assert!(!scrubbed.text.contains(&digits));
        let back = rehydrate(&scrubbed.text, &vault, Reveal::Everything, Bare::Ignored);
        prop_assert_eq!(back.text.as_ref(), text.as_str());
    }

    #[test]
    fn no_fragment_of_a_known_value_leaves(secret in secret(), from in 0_usize..5, length in 12_usize..30, noise in "[ a-z]{0,12}") {
        let mut vault = Vault::new();
        vault.mint(Kind::Secret, &secret);
        let end = secret.len().min(from + length);
        let fragment = &secret[from..end];
        let text = format!("{noise}{fragment}{noise}");
        let scrubbed = Scrubber::new().scrub(&mut vault, &text, Exposure::assist(Visibility::Open, Visibility::Open)).unwrap();
        for window in secret.as_bytes().windows(12) {
            prop_assert!(!scrubbed.text.contains(std::str::from_utf8(window).unwrap()), "{}", scrubbed.text);
        }
    }

    #[test]
    fn no_slice_of_a_registered_text_leaks(secret in secret(), start in 0_usize..80, length in 1_usize..60) {
        let text = format!("first line\ntoken: {secret}\nexport DB_PASSWORD='{secret}'\nlast line of it all");
        let mut vault = Vault::new();
        let scrubber = Scrubber::new();
        scrubber.register(&mut vault, &text, Exposure::pii()).unwrap();
        let start = start.min(text.len());
        let slice = &text[start..text.len().min(start + length)];
        let scrubbed = scrubber.scrub(&mut vault, slice, Exposure::pii()).unwrap();
        for window in secret.as_bytes().windows(12) {
            prop_assert!(!scrubbed.text.contains(std::str::from_utf8(window).unwrap()), "{}", scrubbed.text);
        }
    }

    #[test]
    fn nothing_panics_on_any_text(text in "\\PC*", other in any::<String>()) {
        let scrubber = Scrubber::new();
        for text in [&text, &other] {
            let mut vault = Vault::new();
            let _ = scrubber.register(&mut vault, text, Exposure::pii());
            let _ = scrubber.scrub(&mut vault, text, Exposure::pii());
            let _ = scrubber.leaks(&vault, text, Exposure::pii());
            let _ = mentions(text, Bare::Counts);
            let _ = scrub_secrets(text, &KnownSecrets::from_iter([other.as_str()]));
        }
    }

    #[test]
    fn a_stream_gives_what_the_whole_text_gives(pieces in prop::collection::vec(prop_oneof![
        Just("[EMAIL-1]".to_owned()), Just("[EM".to_owned()), Just("AIL-1".to_owned()), Just("]".to_owned()), Just("<EMAIL_1>".to_owned()),
        Just("[ email-2 ".to_owned()), Just("**".to_owned()), Just("[EMAIL\u{2011}1]".to_owned()), "[ a-z\\[\\]<>.]{0,5}", "[0-9]{1,2}",
    ], 0..12)) {
        let mut vault = Vault::new();
        vault.mint(Kind::Email, "kit@example.org");
        vault.mint(Kind::Email, "bo@example.org");
        let whole = pieces.concat();
        let mut stream = RehydrateStream::new(Reveal::Everything, Bare::Ignored);
        let mut streamed: String = pieces.iter().map(|piece| stream.push(piece, &vault)).collect();
        streamed.push_str(&stream.finish(&vault));
        let expected = rehydrate(&whole, &vault, Reveal::Everything, Bare::Ignored);
        prop_assert_eq!(streamed.as_str(), expected.text.as_ref());
    }
}
