//! Values that were seen once are hidden wherever and however they come again.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the report")]

use lwa_privacy::{EntityRefusal, Exposure, Kind, Placeholder, Record, Scrubber, Terms, Vault, Visibility};
use rstest::rstest;

fn masked() -> Exposure {
    Exposure::assist(Visibility::Masked, Visibility::Masked)
}

/// Registers the first text in an empty vault, then scrubs the second.
fn after(registered: &str, text: &str) -> String {
    let (scrubber, mut vault) = (Scrubber::new(), Vault::new());
    scrubber.register(&mut vault, registered, Exposure::pii()).unwrap();
    scrubber.scrub(&mut vault, text, masked()).unwrap().text.into_owned()
}

/// A private key of five lines, made here.
fn private_key() -> (String, Vec<String>) {
    let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let lines: Vec<String> =
        (0..5).map(|line| digits.chars().cycle().skip(line * 7 + 3).step_by(5).take(64).collect()).collect();
    let name = ["RSA ", "PRIVATE KEY-----"].concat();
    (format!("-----BEGIN {name}\n{}\n-----END {name}\n", lines.join("\n")), lines)
}

#[test]
fn k_01_the_full_stop_of_a_sentence_is_no_part_of_a_password() {
    assert_eq!(after("the password is velvet7otter.", "Use velvet7otter to log in"), "Use [SECRET-1] to log in");
}

#[test]
fn k_02_neither_is_a_comma() {
    assert_eq!(after("password: velvet7x, then", "it is velvet7x"), "it is [SECRET-1]");
}

#[rstest]
#[case("copper river stone")]
#[case("amber river stone")]
fn k_03_a_quoted_value_is_kept_whole(#[case] value: &str) {
    assert_eq!(after(&format!("password: '{value}'"), &format!("so {value} it is")), "so [SECRET-1] it is");
}

#[test]
fn k_04_an_identifier_is_kept_without_the_words_behind_it() {
    assert_eq!(after("passport: X1234567 ISSUED 2020", "the number X1234567 is valid"), "the number [ID-1] is valid");
}

#[test]
fn k_05_the_parts_of_a_name_are_the_name() {
    assert_eq!(after("patient: Ines Faro", "Faro said yes, and Ines too"), "[PERSON-1] said yes, and [PERSON-1] too");
}

#[test]
fn k_06_the_case_of_a_name_does_not_matter() {
    assert_eq!(after("patient: Ines Faro", "INES FARO said yes"), "[PERSON-1] said yes");
}

#[rstest]
#[case::upper("ABCDEFGH12345678")]
#[case::reversed("87654321hgfedcba")]
#[case::spaced("a b c d e f g h 1 2 3 4 5 6 7 8")]
#[case::hexadecimal("616263646566676831323334353637 38")]
#[case::base64("YWJjZGVmZ2gxMjM0NTY3OA==")]
#[case::percent("%61bcdefgh12345678")]
fn k_07_a_secret_is_hidden_in_every_spelling(#[case] spelling: &str) {
    let spelling = spelling.replace("37 38", "3738");
    assert_eq!(after("api_key=abcdefgh12345678", &format!("it: {spelling}.")), "it: [SECRET-1].");
}

#[test]
fn k_08_the_name_of_a_type_is_no_value() {
    assert_eq!(after("struct A {\n    password: String,\n}", "let x: String, y"), "let x: String, y");
}

#[test]
fn k_09_an_ordinary_word_is_private_in_its_place_alone() {
    assert_eq!(after("token: localhost", "GET http://localhost:8080/"), "GET http://localhost:8080/");
}

#[test]
fn k_10_a_name_is_a_word_of_its_own() {
    assert_eq!(after("Dear Hedy,", "the Hedysarum plant for Hedy"), "the Hedysarum plant for [PERSON-1]");
}

#[test]
fn k_11_a_short_name_is_hidden_as_a_word() {
    assert_eq!(after("first name: Ken", "Ken said hi to Kenneth"), "[PERSON-1] said hi to Kenneth");
}

#[test]
fn k_12_one_card_has_one_placeholder_in_every_grouping() {
    let text = "4111111111111111 and 4111-1111-1111-1111 and 4111 1111 1111 1111";
    assert_eq!(after("4111 1111 1111 1111", text), "[CARD-1] and [CARD-1] and [CARD-1]");
}

#[test]
fn k_13_the_parts_of_an_address_lead_to_it() {
    let address = "77 Harbor View Road, Apt 4B, Lakeview, OR 97630";
    assert_eq!(after(address, "Harbor View Road in Lakeview"), "[ADDRESS-1] in [ADDRESS-1]");
    assert_eq!(after(address, "at 77 harbor view rd now"), "at [ADDRESS-1] now");
}

#[test]
fn k_14_one_day_has_one_placeholder_in_every_notation() {
    let text = "DOB 4 March 1988; 1988-03-04; March 4th, 1988";
    assert_eq!(after("DOB: 03/04/1988", "born April 3, 1988; 1988-03-04"), "born [DOB-1]; [DOB-1]");
    assert_eq!(after("DOB: 4 March 1988", text), "DOB [DOB-1]; [DOB-1]; [DOB-1]");
}

#[test]
fn k_15_overlapping_values_leave_nothing_between_them() {
    let mut vault = Vault::new();
    vault.mint(Kind::Secret, "abcd1234");
    vault.mint(Kind::Secret, "1234efgh9876");
    let result = Scrubber::new().scrub(&mut vault, "x abcd1234efgh9876 y", masked()).unwrap();
    assert!(result.text.starts_with("x [SECRET-") && result.text.ends_with("] y"), "{}", result.text);
    assert!(!result.text.contains("abcd") && !result.text.contains("efgh") && !result.text.contains("9876"));
}

#[test]
fn k_16_the_strictest_kind_of_a_value_wins() {
    let (scrubber, mut vault) = (Scrubber::new(), Vault::new());
    let open = Exposure::assist(Visibility::Open, Visibility::Masked);
    let first = vault.mint(Kind::Pii, "velvet7otter");
    assert_eq!(scrubber.scrub(&mut vault, "it is velvet7otter", open).unwrap().text, "it is velvet7otter");
    let second = vault.mint(Kind::Secret, "velvet7otter");
    assert_eq!(scrubber.scrub(&mut vault, "it is velvet7otter", open).unwrap().text, "it is [SECRET-1]");
    assert_eq!(vault.resolve(first), vault.resolve(second));
    assert_eq!(vault.len(), 1);
}

#[test]
fn k_17_the_numbered_lines_of_a_private_key_are_hidden() {
    let (key, lines) = private_key();
    let numbered: Vec<String> = (2..).zip(&lines[1..]).map(|(number, line)| format!("{number}: {line}")).collect();
    let result = after(&key, &numbered.join("\n"));
    assert!(lines.iter().all(|line| !result.contains(&line[..12])), "{result}");
}

#[test]
fn k_17_what_follows_a_private_key_keeps_its_first_letters() {
    let (key, lines) = private_key();
    // The line behind the key begins like its body, and a header alone is no part of it.
    let text = format!("{key}{} more text\n-----BEGIN RSA {}\nend", &lines[0][..1], "PRIVATE KEY-----");
    let result = Scrubber::new().scrub(&mut Vault::new(), &text, masked()).unwrap().text.into_owned();
    assert!(result.contains(&format!("\n{} more text\n-----BEGIN RSA ", &lines[0][..1])), "{result}");
    assert!(lines.iter().all(|line| !result.contains(&line[..12])), "{result}");
}

#[test]
fn k_18_a_private_key_without_its_end_is_hidden() {
    let (key, lines) = private_key();
    let cut: String = key.lines().take(3).collect::<Vec<_>>().join("\n");
    let result = Scrubber::new().scrub(&mut Vault::new(), &cut, masked()).unwrap();
    assert_eq!(result.text, "[SECRET-1]");
    assert!(!result.text.contains(&lines[0][..12]));
}

#[test]
fn k_19_a_slice_that_starts_or_ends_inside_a_value_leaks_nothing() {
    let text = "token: abcdefgh12345678 and so on";
    for start in 0..text.len() {
        for end in start..text.len() {
            let result = after(text, &text[start..end]);
            let leaks = |fragment: &[u8]| result.contains(std::str::from_utf8(fragment).unwrap());
            assert!(!b"abcdefgh12345678".windows(12).any(leaks), "{start}..{end}: {result}");
        }
    }
}

#[test]
fn k_20_a_file_of_terms_is_known_by_its_content() {
    let file = r#"{"terms": [{"kind": "PERSON", "values": ["Rowan Testwick"]}]}"#;
    let (first, again) = (Terms::parse(file).unwrap(), Terms::parse(file).unwrap());
    let other = Terms::parse(&file.replace("Rowan", "Robin")).unwrap();
    assert_eq!(first.fingerprint(), again.fingerprint());
    assert_ne!(first.fingerprint(), other.fingerprint());
    assert_ne!(first.fingerprint(), Terms::none().fingerprint());
}

#[test]
fn k_21_a_placeholder_that_two_writers_gave_stands_for_neither_value() {
    let line = |value: &str| {
        let mut vault = Vault::new();
        vault.mint(Kind::Email, value);
        let records: Vec<Record> = vault.take_records();
        records[0].to_line().as_str().to_owned()
    };
    let journal = format!("{}\n{}\n", line("kit@example.org"), line("bo@example.org"));
    let mut vault = Vault::replay(&journal).unwrap();
    let contested = Placeholder { kind: Kind::Email, number: 1 };
    assert_eq!(vault.ambiguous(), [contested]);
    let both = [vault.mint(Kind::Email, "kit@example.org"), vault.mint(Kind::Email, "bo@example.org")];
    assert!(both[0] != both[1] && !both.contains(&contested), "{both:?}");
    // What the repair wrote is read back to the same state.
    let repaired: String =
        vault.take_records().iter().map(|record| record.to_line().as_str().to_owned() + "\n").collect();
    let mut again = Vault::replay(&(journal + &repaired)).unwrap();
    assert_eq!(again.take_records(), []);
    assert_eq!(again.ambiguous(), [contested]);
    assert_eq!([again.mint(Kind::Email, "kit@example.org"), again.mint(Kind::Email, "bo@example.org")], both);
}

#[test]
fn k_22_an_ordinary_word_that_a_model_names_is_not_taken() {
    let (scrubber, mut vault) = (Scrubber::new(), Vault::new());
    let material = "an error occurred for Ines Faro";
    let refused = scrubber.register_entity(&mut vault, Kind::Person, "error", material);
    assert_eq!(refused, Err(EntityRefusal::IsOrdinary));
    assert!(scrubber.register_entity(&mut vault, Kind::Person, "Ines Faro", material).is_ok());
    assert_eq!(scrubber.scrub(&mut vault, material, masked()).unwrap().text, "an error occurred for [PERSON-1]");
}

#[test]
fn k_23_a_token_in_capitals_is_no_variable() {
    let (scrubber, mut vault) = (Scrubber::new(), Vault::new());
    let take =
        |vault: &mut Vault, value: &str, material: &str| scrubber.register_entity(vault, Kind::Secret, value, material);
    assert!(take(&mut vault, "ABC123XYZ", "the code ABC123XYZ opens it").is_ok());
    assert_eq!(take(&mut vault, "AB12_KEY", "AB12_KEY=1"), Err(EntityRefusal::IsIdentifier));
    assert_eq!(take(&mut vault, "DATABASE_URL", "set DATABASE_URL first"), Err(EntityRefusal::IsIdentifier));
    assert_eq!(take(&mut vault, "ab", "ab"), Err(EntityRefusal::TooShort));
    assert_eq!(take(&mut vault, "[EMAIL-1]", "[EMAIL-1]"), Err(EntityRefusal::IsPlaceholder));
    assert_eq!(take(&mut vault, "Bo Lind", "nobody here"), Err(EntityRefusal::NotInMaterial));
}
