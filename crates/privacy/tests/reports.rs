//! What people reported about other programs, as requirements on this one. The numbers are those of the list of reports.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the report")]

use lwa_privacy::egress::{KnownSecrets, scrub_secrets};
use lwa_privacy::{
    Bare, Exposure, Kind, Refusal, RehydrateStream, Reveal, Rules, RulesError, ScrubError, Scrubber, Terms, TermsError,
    Vault, Visibility, rehydrate,
};
use rstest::rstest;

fn pii(text: &str) -> String {
    Scrubber::new().scrub(&mut Vault::new(), text, Exposure::pii()).unwrap().text.into_owned()
}

fn stays(text: &str) {
    assert_eq!(pii(text), text);
}

/// A token of 36 characters with a valid checksum, made here.
fn github_token() -> String {
    ["gh", "p_", "u8jzPde0IgxLd6Gn", "cfBAepfJBd0K", "h8024xXH"].concat()
}

#[test]
fn pg_01_digits_inside_a_uuid_are_no_telephone_number() {
    stays("request 110bcd25-4155-453a-8046-415555014299 took 12 ms");
}

#[test]
fn pg_02_numbers_are_no_names() {
    stays("1607635102.00 -0.96");
}

#[test]
fn pg_03_columns_of_ids_and_stamps_stay() {
    stays("4812345 4812346 4812347\nMar 22 08:51:06 INFO: read_physical_netif: index #1, ifidx 1");
}

#[test]
fn pg_04_short_words_with_digits_stay() {
    stays("what is letter 96c");
}

#[test]
fn pg_05_the_case_of_a_labelled_name_does_not_matter() {
    assert_eq!(pii("{\"name\": \"SOPHY SANTINO\", \"id\": 7}"), "{\"name\": \"[PERSON-1]\", \"id\": 7}");
    assert_eq!(pii("customer name: sophy santino"), "customer name: [PERSON-1]");
}

#[test]
fn pg_06_a_name_and_its_address_are_two_values() {
    assert_eq!(pii("Dana Oduya - dana@example.com"), "[PERSON-1] - [EMAIL-1]");
}

#[test]
fn pg_07_a_uuid_stays_unless_a_rule_hides_it() {
    let text = "trace 110bcd25-a55d-453a-8046-1297901ea002";
    stays(text);
    let file = r#"{"regex_rules": [{"id": "uuid", "pattern": "\\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\\b"}]}"#;
    let scrubber = Scrubber::new().with_rules(Rules::parse(file).unwrap());
    assert_eq!(scrubber.scrub(&mut Vault::new(), text, Exposure::pii()).unwrap().text, "trace [PII-1]");
}

#[test]
fn pg_08_a_rank_announces_a_name() {
    assert_eq!(pii("Sgt Mat Knowles said the build is green"), "Sgt [PERSON-1] said the build is green");
}

#[test]
fn pg_09_numbers_survive_a_restart_and_unknown_ones_pass() {
    let mut vault = Vault::new();
    vault.mint(Kind::Email, "kit@example.org");
    let journal: String = vault.take_records().iter().map(|record| record.to_line().to_string() + "\n").collect();
    let vault = Vault::replay(&journal).unwrap();
    let back = rehydrate("[EMAIL-1] [EMAIL-7]", &vault, Reveal::Everything, Bare::Ignored);
    assert_eq!(back.text, "kit@example.org [EMAIL-7]");
}

#[test]
fn pg_10_a_placeholder_split_over_pieces_comes_back_and_nothing_else_waits() {
    let mut vault = Vault::new();
    vault.mint(Kind::Email, "kit@example.org");
    let mut stream = RehydrateStream::new(Reveal::Everything, Bare::Ignored);
    assert_eq!(stream.push("plain words leave at once ", &vault), "plain words leave at once ");
    assert_eq!(stream.push("mail [EMA", &vault), "mail ");
    assert_eq!(stream.push("IL-1]. So", &vault), "kit@example.org. So");
    assert_eq!(stream.push(" [EM", &vault), " ");
    assert_eq!(stream.finish(&vault), "[EM");
}

#[test]
fn pg_11_one_vault_knows_nothing_of_another() {
    let mut vault = Vault::new();
    vault.mint(Kind::Email, "kit@example.org");
    let back = rehydrate("[EMAIL-1]", &Vault::new(), Reveal::Everything, Bare::Ignored);
    assert_eq!(back.text, "[EMAIL-1]");
}

#[test]
fn pg_12_the_format_around_a_placeholder_does_not_matter() {
    let mut vault = Vault::new();
    vault.mint(Kind::Email, "kit@example.org");
    for (text, expected) in [
        ("{\"to\": \"[EMAIL-1]\"}", "{\"to\": \"kit@example.org\"}"),
        ("<to>[EMAIL-1]</to>", "<to>kit@example.org</to>"),
        ("to: '[EMAIL-1]'", "to: 'kit@example.org'"),
        ("a\\[EMAIL-1\\]b", "akit@example.orgb"),
    ] {
        assert_eq!(rehydrate(text, &vault, Reveal::Everything, Bare::Ignored).text, expected);
    }
}

#[test]
fn pg_13_of_overlapping_values_the_stricter_one_wins() {
    assert_eq!(pii("IBAN DE89370400440532013000"), "IBAN [ACCOUNT-1]");
    assert_eq!(pii("postgres://app:velvet7x@db.example.net/x"), "postgres://app:[SECRET-1]@db.example.net/x");
}

#[rstest]
#[case::pg_14_zero_width("\u{200B}")]
#[case::pg_15_marks_of_direction("\u{200E}")]
#[case::mongolian("\u{180E}")]
#[case::deprecated("\u{206A}")]
#[case::grapheme_joiner("\u{34F}")]
#[case::annotation("\u{FFF9}")]
#[case::soft_hyphen("\u{AD}")]
#[case::byte_order("\u{FEFF}")]
#[case::tag("\u{E0041}")]
#[case::variation("\u{FE0F}")]
fn pg_15_characters_without_width_hide_nothing(#[case] mark: &str) {
    assert_eq!(pii(&format!("alice@{mark}example.com")), "[EMAIL-1]");
    let token = github_token();
    let text = format!("{}{mark}{}", &token[..9], &token[9..]);
    assert_eq!(scrub_secrets(&text, &KnownSecrets::none()).text, "[SECRET-1]");
}

#[test]
fn pg_14_a_zero_width_space_hides_no_mail_address() {
    assert_eq!(pii("to al\u{200B}ice@exam\u{200B}ple.com now"), "to [EMAIL-1] now");
}

#[test]
fn pg_16_wide_letters_and_digits_of_other_scripts_are_read() {
    let wide: String = "kit@example.org".chars().map(|c| char::from_u32(u32::from(c) + 0xFEE0).unwrap()).collect();
    assert_eq!(pii(&format!("to {wide} now")), "to [EMAIL-1] now");
    assert_eq!(pii("ssn ٢١٩-٠٩-٩٩٩٩"), "ssn [SSN-1]");
    assert_eq!(pii("password:\u{3000}velvet7x"), "password:\u{3000}[SECRET-1]");
}

#[test]
fn pg_17_a_combining_mark_between_digits_is_nothing() {
    assert_eq!(pii("ssn 2\u{303}19-09-9998 too"), "ssn [SSN-1] too");
}

#[test]
fn pg_18_compatibility_forms_are_read_by_the_second_look_too() {
    let scrubber = Scrubber::new();
    let text = "ｓｋ-abcDEF0123456789xyz";
    assert_eq!(scrubber.leaks(&Vault::new(), text, Exposure::pii()).len(), 1);
    assert_eq!(pii(text), "[SECRET-1]");
}

#[test]
fn pg_19_a_labelled_number_may_be_cut_anywhere() {
    assert_eq!(pii("ssn 1.2.3-4.5-6.7.8.9"), "ssn [SSN-1]");
    stays("release 1.2.3-4.5-6.7.8.9");
}

#[test]
fn pg_20_a_text_over_the_limit_is_refused() {
    let scrubber = Scrubber::new().with_limit(10);
    let result = scrubber.scrub(&mut Vault::new(), "kit@example.org", Exposure::pii());
    assert_eq!(result.err(), Some(ScrubError::TooLong { length: 15, limit: 10 }));
    assert!(scrubber.register(&mut Vault::new(), "kit@example.org", Exposure::pii()).is_err());
}

/// Base64 as programs write it, in lines of 76.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for (index, group) in bytes.chunks(3).enumerate() {
        if index > 0 && index % 19 == 0 {
            text.push('\n');
        }
        let word = group.iter().chain([0, 0].iter()).take(3).fold(0_usize, |word, byte| word << 8 | usize::from(*byte));
        for place in 0..4 {
            let digit = char::from(DIGITS[word >> (18 - 6 * place) & 63]);
            text.push(if place <= group.len() { digit } else { '=' });
        }
    }
    text
}

#[test]
fn pg_21_a_private_key_in_base64_is_one_too() {
    let name = ["RSA ", "PRIVATE KEY-----"].concat();
    let key =
        format!("-----BEGIN {name}\n{}\n-----END {name}\n", "MIIEow8jzPde0IgxLd6GncfBAepfJBd0Kh8024xXH".repeat(6));
    let encoded = base64(key.as_bytes());
    assert!(encoded.lines().count() > 3);
    assert_eq!(pii(&format!("key.pem: {encoded} end")), "key.pem: [SECRET-1] end");
    let twice = base64(encoded.replace('\n', "").as_bytes()).replace('\n', "");
    assert_eq!(pii(&format!("key.pem: {twice} end")), "key.pem: [SECRET-1] end");
}

#[test]
fn pg_22_every_secret_of_a_line_is_found() {
    let token = github_token();
    assert_eq!(pii(&format!("{token} {token}; password=velvet7x")), "[SECRET-1] [SECRET-1]; password=[SECRET-2]");
}

#[test]
fn pg_23_a_sealed_value_may_be_hidden_but_its_kind_stays() {
    let result = pii("kind: SealedSecret\nspec:\n  encryptedData:\n    note: AgBRnJSZ1NuUkZzVEhz\n");
    assert_eq!(result, "kind: SealedSecret\nspec:\n  encryptedData:\n    note: AgBRnJSZ1NuUkZzVEhz\n");
}

#[test]
fn pg_24_the_kind_of_a_manifest_may_stand_behind_its_data() {
    let text = "apiVersion: v1\ndata:\n  first: UzNjcjN0RmpvcmQ=\n  second: bGFudGVybg==\nkind: Secret\nmetadata:\n  name: certs\n";
    let expected =
        "apiVersion: v1\ndata:\n  first: [SECRET-1]\n  second: [SECRET-2]\nkind: Secret\nmetadata:\n  name: certs\n";
    assert_eq!(pii(text), expected);
    let json = r#"{"kind": "Secret", "data": {"first": "UzNjcjN0RmpvcmQ="}, "type": "Opaque"}"#;
    assert_eq!(pii(json), json.replace("UzNjcjN0RmpvcmQ=", "[SECRET-1]"));
    let other = text.replace("Secret", "ConfigMap").replace("second: bGFudGVybg==", "size: large");
    assert_eq!(pii(&other), other);
}

#[test]
fn pg_25_settings_inside_a_json_string_are_read() {
    let text = r#"{"Db": "secret=12345678&password=p@55w0rd", "Password": "czsdsdfaere"}"#;
    assert_eq!(pii(text), r#"{"Db": "secret=[SECRET-1]&password=[SECRET-2]", "Password": "[SECRET-3]"}"#);
}

#[test]
fn pg_26_a_value_beside_its_name_is_found() {
    let text = r#"{"key":"password","value":"9@tm!(B/2H_PRNz?4{/@","type":"string"}"#;
    assert_eq!(pii(text), r#"{"key":"password","value":"[SECRET-1]","type":"string"}"#);
}

#[test]
fn pg_27_the_body_of_a_private_key_is_hidden_in_one_escaped_line() {
    let name = ["PRIVATE ", "KEY-----"].concat();
    let text = format!("{{\"k\": \"-----BEGIN {name}\\nMIIEow8jzPde0IgxLd6Gncf\\n-----END {name}\\n\"}}");
    let result = pii(&text);
    assert!(result.starts_with("{\"k\": \"[SECRET-1]") && result.ends_with("\"}"), "{result}");
    assert!(!result.contains("MIIE") && !result.contains("END"), "{result}");
}

#[test]
fn pg_28_the_header_of_a_private_key_in_code_stays() {
    let name = ["PRIVATE ", "KEY-----"].concat();
    stays(&format!("if line.startswith('-----BEGIN {name}'):\n    return True"));
    stays(&format!("assert '-----BEGIN {name}' in text and '-----END {name}' in text"));
}

#[rstest]
#[case::not_json("regex_rules", "are not in the form")]
#[case::no_id(r#"{"regex_rules": [{"pattern": "abc"}]}"#, "rule 1 has no `id`")]
#[case::twice(
    r#"{"regex_rules": [{"id": "a", "pattern": "abc"}, {"id": "a", "pattern": "abd"}]}"#,
    "two rules with the id `a`"
)]
#[case::broken(r#"{"regex_rules": [{"id": "a", "pattern": "(abc"}]}"#, "rule `a` is not a valid regular expression")]
#[case::look_around(r#"{"regex_rules": [{"id": "a", "pattern": "(?<!x)abc"}]}"#, "uses look-around")]
#[case::back_reference(r#"{"regex_rules": [{"id": "a", "pattern": "(a)\\1"}]}"#, "back-reference")]
#[case::empty(r#"{"regex_rules": [{"id": "a", "pattern": "a*"}]}"#, "matches the empty text")]
#[case::broad(r#"{"regex_rules": [{"id": "a", "pattern": "[a-z]+"}]}"#, "hide everything")]
#[case::large(r#"{"regex_rules": [{"id": "a", "pattern": "(\\w{900}){900}"}]}"#, "is too large")]
fn pg_29_a_file_of_rules_that_cannot_be_used_is_refused_whole(#[case] file: &str, #[case] message: &str) {
    let error = Rules::parse(file).unwrap_err();
    assert!(error.to_string().contains(message), "{error}");
}

#[test]
fn pg_29_a_rule_that_starts_with_a_hyphen_is_a_rule() {
    let file = r#"{"regex_rules": [{"id": "ticket", "pattern": "-TCK-[0-9]{5}"}, {"id": "off", "pattern": "x1y2", "enabled": false}]}"#;
    let rules = Rules::parse(file).unwrap();
    assert_eq!(rules.len(), 1);
    let scrubber = Scrubber::new().with_rules(rules);
    assert_eq!(
        scrubber.scrub(&mut Vault::new(), "see -TCK-12345 x1y2", Exposure::pii()).unwrap().text,
        "see [PII-1] x1y2"
    );
}

#[test]
fn pg_29_terms_that_cannot_be_read_are_refused_with_their_place() {
    assert_eq!(Terms::parse("{\"terms\": 3}").err(), Some(TermsError::Form { line: 1, column: 11 }));
    assert!(Rules::parse("[]").is_err_and(|error| matches!(error, RulesError::Form { .. })));
    let refused = RulesError::Unsafe { id: "a".to_owned(), reason: Refusal::TooBroad };
    assert_eq!(refused.to_string(), "rule `a` matches ordinary text, so it would hide everything");
}

#[test]
fn w_23_ordinary_output_costs_no_attention() {
    let text = "unit getty@tty1.service loaded\nstruct A { password: String, token: Option<Token> }\nfrom git@github.com:o/r.git\n";
    stays(text);
    let counts =
        Scrubber::new().register(&mut Vault::new(), text, Exposure::assist(Visibility::Masked, Visibility::Masked));
    assert_eq!(counts.unwrap().len(), 0);
}

#[test]
fn the_kind_of_a_rule_follows_its_name() {
    let file = r#"{"regex_rules": [
        {"id": "internal_api_key", "pattern": "acme_[a-z0-9]{10}"}, {"id": "loyalty_card", "pattern": "LC[0-9]{16}", "luhn": true},
        {"id": "bank_ref", "pattern": "BR-[0-9]{6}"}, {"id": "handle", "pattern": "@[a-z]{5}_fan"}
    ]}"#;
    let scrubber = Scrubber::new().with_rules(Rules::parse(file).unwrap());
    let text = "acme_0123456789 LC4111111111111111 LC4111111111111112 BR-123456 @quoka_fan";
    let result = scrubber.scrub(&mut Vault::new(), text, Exposure::pii()).unwrap();
    assert_eq!(result.text, "[SECRET-1] [CARD-1] LC4111111111111112 [ACCOUNT-1] [PII-1]");
}

#[test]
fn a_whole_address_of_the_sixth_version_is_hidden_whatever_it_begins_with() {
    assert_eq!(pii("from d80:e4b5:79da:6cf6:71f3:51f7:9161:c319 today"), "from [PII-1] today");
    // One machine of the own network is one too; its network, hardware, a digest in pairs and a clock are none.
    assert_eq!(pii("fe80:0:0:0:71f3:51f7:9161:c319"), "[PII-1]");
    assert_eq!(pii("fd00:e4b5:79da:6cf6:71f3:51f7:9161:c319"), "[PII-1]");
    stays("ff02:0:0:0:0:1:ff00:1234 fe80::/10 fc00::/7");
    stays("SHA1 fingerprint 9b:04:5d:1e:77:a0:3c:42:18:de:66:91:0f:b3:c8:2a:71:5e:dd:90, at 04:05:06");
}

#[test]
fn a_number_in_front_of_an_address_belongs_to_it() {
    assert_eq!(pii("Send it to 17 1467 Hastings Street please"), "Send it to [ADDRESS-1] please");
    assert_eq!(pii("24 P.O. Box 101"), "[ADDRESS-1]");
    // A number that counts something else stays.
    assert_eq!(pii("row 17 1467 Hastings Street"), "row 17 [ADDRESS-1]");
}

#[test]
fn the_extension_of_a_telephone_number_belongs_to_it() {
    assert_eq!(pii("call 463-612-6138x036 or +1-604-696-5272x565"), "call [PHONE-1] or [PHONE-2]");
}
