//! Taking keys out of text.

use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use lwa_providers::redact;
use lwa_secrets::Secret;
use proptest::prelude::{ProptestConfig, any, prop_assert, proptest};
use rstest::rstest;

#[rstest]
#[case::query("GET /v1?api_key=FAKEvalue1&token=FAKEvalue2&x=1")]
#[case::gemini_query("https://host/v1?key=FAKEvalue1 failed")]
#[case::header("Authorization: Bearer FAKEvalue1")]
#[case::basic("authorization: Basic RkFLRXZhbHVlMTpGQUtFdmFsdWUy")]
#[case::other_header("x-api-key: FAKEvalue1")]
#[case::cookie("Cookie: session=FAKEvalue1; other=FAKEvalue2")]
#[case::json(r#"{"api_key":"FAKEvalue1"}"#)]
#[case::json_spaced(r#"{ "apiKey" : "FAKEvalue1", "client_secret": "FAKEvalue2" }"#)]
#[case::json_escaped(r#"{"message":"{\"api_key\":\"FAKEvalue1\"}"}"#)]
#[case::json_escaped_twice(r#"\\\"access_token\\\": \\\"FAKEvalue1\\\""#)]
#[case::single_quotes("{'X-API-Key': 'FAKEvalue1'}")]
#[case::debug_list(r#"("authorization", "Bearer FAKEvalue1")"#)]
#[case::assignment("OPENAI_API_KEY=FAKEvalue1 cargo run")]
#[case::exported("export GROQ_API_KEY='FAKEvalue1'")]
#[case::address("https://user:FAKEvalue1@host/path")]
#[case::prose("the password is wrong, password: FAKEvalue1")]
fn lwa_045_and_a_33_values_behind_telling_names_go(#[case] text: &str) {
    let redacted = redact(text, &[]);
    assert!(!redacted.contains("FAKEvalue") && !redacted.contains("RkFLRXZhbHVl"), "{redacted}");
    assert!(redacted.contains("[redacted]"), "{redacted}");
}

#[rstest]
#[case("key sk-abcdefABCDEF0123456789 rejected")]
#[case("gsk_abcdefABCDEF0123456789")]
#[case("nvapi-abcdefABCDEF0123456789")]
#[case("AIzaabcdefABCDEF0123456789")]
#[case("sk-or-v1-abcdefABCDEF0123456789")]
fn words_with_the_prefix_of_a_key_go(#[case] text: &str) {
    assert!(!redact(text, &[]).contains("abcdefABCDEF"), "{}", redact(text, &[]));
}

#[rstest]
#[case(r#"{"usage":{"total_tokens":18,"max_tokens":64}}"#)]
#[case("Rate limit reached for tokens per day (TPD): Limit 100000, Used 99321")]
#[case("invalid_api_key")]
#[case("The model `sk-learn` does not exist")]
#[case("maximum context length is 8192 tokens: 9000 were given")]
#[case("https://host/path?model=x&page=2")]
fn ordinary_messages_stay(#[case] text: &str) {
    assert_eq!(redact(text, &[]), text);
}

#[test]
fn lwa_031_known_secrets_go_in_every_form() {
    let plain = "p@ss/word+fake=\"1\"";
    let secret = Secret::new(plain.to_owned());
    let percent = "p%40ss%2Fword%2Bfake%3D%221%22";
    let hex = "704073732f776f72642b66616b653d223122".to_owned();
    let forms = [
        plain.to_owned(),
        serde_json::to_string(plain).unwrap(),
        percent.to_owned(),
        percent.to_lowercase(),
        hex.clone(),
        hex.to_uppercase(),
    ];
    for form in forms {
        let redacted = redact(&format!("before {form} after"), &[&secret]);
        assert!(redacted.contains("[redacted]"), "{redacted}");
        assert!(redacted.starts_with("before ") && redacted.ends_with(" after"), "{redacted}");
        assert!(!redacted.contains(form.trim_matches('"')), "{redacted}");
    }
}

#[test]
fn lwa_031_a_short_secret_does_not_mask_everything() {
    let secret = Secret::new("abc".to_owned());
    assert_eq!(redact("the abc of it", &[&secret]), "the abc of it");
    let empty = Secret::new(String::new());
    assert_eq!(redact("text", &[&empty]), "text");
}

#[test]
fn of_two_secrets_that_overlap_nothing_remains() {
    let (short, long) = (Secret::new("fake-value".to_owned()), Secret::new("fake-value-longer".to_owned()));
    assert_eq!(redact("x fake-value-longer y fake-value z", &[&short, &long]), "x [redacted] y [redacted] z");
}

#[test]
fn two_megabytes_are_redacted_in_linear_time() {
    let secret = Secret::new("a".repeat(40));
    let text = |size: usize| "token: aaaa\\\"\\\"a-a-a-a-api".repeat(size / 26);
    let time = |size: usize| {
        let text = text(size);
        let begin = Instant::now();
        assert!(!redact(&text, &[&secret]).is_empty());
        begin.elapsed()
    };
    let (quarter, whole) = (time(50_000), time(200_000));
    assert!(whole < quarter * 12 + Duration::from_millis(300), "{quarter:?}, then {whole:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Wherever a key lies in what was put into base64, at most the characters that mix with its neighbours stay.
    #[test]
    fn lwa_031_a_known_secret_goes_wherever_it_lies_in_base64(
        key in "[A-Za-z0-9_-]{20,60}", before in "[ -~]{0,40}", after in "[ -~]{0,40}", is_url_safe in any::<bool>()
    ) {
        let text = format!("{before}{key}{after}");
        let encoded = if is_url_safe { URL_SAFE_NO_PAD.encode(&text) } else { STANDARD.encode(&text) };
        let secret = Secret::new(key.clone());
        let redacted = redact(&format!("got {encoded}!"), &[&secret]);
        prop_assert!(redacted.contains("[redacted]"), "{redacted}");
        let left: Vec<u8> = redacted.split("[redacted]").flat_map(|part| {
            let part = part.trim_start_matches("got ").trim_end_matches('!').trim_end_matches('=');
            let whole = &part[..part.len() / 4 * 4];
            if is_url_safe { URL_SAFE_NO_PAD.decode(whole) } else { STANDARD.decode(whole) }.unwrap_or_default()
        }).collect();
        prop_assert!(!String::from_utf8_lossy(&left).contains(&key));
    }

    #[test]
    fn lwa_031_no_text_leaks_a_known_secret_and_none_panics(key in "[!-~]{8,40}", before in ".{0,60}", after in ".{0,60}") {
        let secret = Secret::new(key.clone());
        let redacted = redact(&format!("{before}{key}{after}"), &[&secret]);
        prop_assert!(!redacted.contains(&key) || "[redacted]".contains(&key), "{redacted}");
    }
}
