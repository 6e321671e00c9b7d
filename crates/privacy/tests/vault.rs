//! The vault: stable placeholders, a journal that only grows, and two vaults that become one.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the report")]

use lwa_privacy::{
    Bare, Exposure, Kind, Placeholder, Resolved, Reveal, Scrubber, Vault, VaultError, Visibility, rehydrate,
};
use rstest::rstest;

fn journal(vault: &mut Vault) -> String {
    vault.take_records().iter().map(|record| record.to_line().as_str().to_owned() + "\n").collect()
}

fn email(number: u32) -> Placeholder {
    Placeholder { kind: Kind::Email, number }
}

#[test]
fn a_vault_is_built_again_from_its_journal() {
    let mut vault = Vault::new();
    let mail = vault.mint(Kind::Email, "kit@example.org");
    vault.mint(Kind::Pii, "velvet7otter");
    let mut lines = journal(&mut vault);
    let secret = vault.mint(Kind::Secret, "velvet7otter");
    vault.reserve(email(2));
    lines.push_str(&journal(&mut vault));
    let mut again = Vault::replay(&lines).unwrap();
    assert_eq!(again.resolve(mail), Resolved::Value(Kind::Email, "kit@example.org"));
    assert_eq!(again.resolve(secret), Resolved::Value(Kind::Secret, "velvet7otter"));
    assert_eq!(again.mint(Kind::Email, "KIT@EXAMPLE.ORG"), mail);
    assert_eq!(again.mint(Kind::Email, "bo@example.org"), email(3));
    assert_eq!(
        again.counts(),
        vault.counts().into_iter().map(|(kind, count)| (kind, count + usize::from(kind == Kind::Email))).collect()
    );
}

#[rstest]
#[case::no_record("hello", 1)]
#[case::cut_line("{\"op\":\"mint\",\"placeholder\":\"[EMAIL-1]\",\"value\":\"a@b.co\",\"echo\":true}\n{\"op\":\"mi", 2)]
#[case::no_value("{\"op\":\"mint\",\"placeholder\":\"[EMAIL-1]\"}", 1)]
#[case::odd_placeholder("{\"op\":\"reserve\",\"placeholder\":\"[MAIL-1]\"}", 1)]
fn a_journal_that_cannot_be_read_is_no_empty_vault(#[case] text: &str, #[case] line: usize) {
    assert_eq!(Vault::replay(text).err(), Some(VaultError::Unreadable { line }));
}

#[test]
fn a_journal_that_speaks_of_what_it_never_gave_is_refused() {
    let text = r#"{"op":"move","placeholder":"[SECRET-1]","was":"[PII-1]"}"#;
    assert_eq!(Vault::replay(text).err(), Some(VaultError::Dangling { line: 1 }));
}

#[test]
fn w_14_ten_thousand_values_are_ten_thousand_lines_and_little_work() {
    let mut vault = Vault::new();
    let mut lines = 0;
    for number in 0..10_000 {
        vault.mint(Kind::Secret, &format!("tok-{number:05}-{:08x}", number * 2_654_435_761_u64 % 4_294_967_296));
        lines += vault.take_records().len();
    }
    assert_eq!((lines, vault.len()), (10_000, 10_000));
    let text = "a clean line of ordinary output\n".repeat(3000);
    let result = Scrubber::new().scrub(&mut vault, &text, Exposure::pii()).unwrap();
    assert_eq!(result.found, []);
}

#[test]
fn w_16_a_placeholder_never_resolves_to_another_persons_value() {
    let mut older = Vault::new();
    older.mint(Kind::Email, "kit@example.org");
    older.mint(Kind::Email, "shared@example.org");
    let mut newer = Vault::new();
    newer.mint(Kind::Email, "bo@example.org");
    newer.mint(Kind::Email, "shared@example.org");
    newer.mint(Kind::Email, "ada@example.org");
    let adoption = older.adopt(newer);
    assert_eq!(adoption.ambiguous, [email(1)]);
    assert_eq!(adoption.kept, [email(2), email(3)]);
    assert_eq!(older.resolve(email(1)), Resolved::Ambiguous);
    assert_eq!(older.resolve(email(2)), Resolved::Value(Kind::Email, "shared@example.org"));
    assert_eq!(older.resolve(email(3)), Resolved::Value(Kind::Email, "ada@example.org"));
    let fresh = [older.mint(Kind::Email, "kit@example.org"), older.mint(Kind::Email, "bo@example.org")];
    assert!(fresh[0] != fresh[1] && fresh.iter().all(|placeholder| placeholder.number > 3), "{fresh:?}");
    let back = rehydrate("[EMAIL-1] and [EMAIL-3]", &older, Reveal::Everything, Bare::Ignored);
    assert_eq!((back.text.as_ref(), back.ambiguous), ("[EMAIL-1] and ada@example.org", vec![email(1)]));
    let lines = journal(&mut older);
    let again = Vault::replay(&lines).unwrap();
    assert_eq!(again.resolve(email(1)), Resolved::Ambiguous);
    assert_eq!(again.placeholder_of(Kind::Email, "kit@example.org"), Some(fresh[0]));
}

#[test]
fn a_value_with_two_placeholders_after_an_adoption_resolves_from_both() {
    let mut older = Vault::new();
    older.mint(Kind::Email, "kit@example.org");
    let mut newer = Vault::new();
    newer.mint(Kind::Email, "kit@example.org");
    newer.mint(Kind::Phone, "415-555-0142");
    let mut other = Vault::new();
    other.reserve(email(1));
    other.mint(Kind::Email, "kit@example.org");
    older.adopt(newer);
    let adoption = older.adopt(other);
    assert_eq!(adoption.kept, [email(2)]);
    assert_eq!(older.resolve(email(2)), Resolved::Value(Kind::Email, "kit@example.org"));
}

#[test]
fn a_number_that_stands_in_a_text_is_not_given_to_a_value() {
    let mut vault = Vault::new();
    let text = "[EMAIL-1] was written by hand, kit@example.org was not";
    let result = Scrubber::new().scrub(&mut vault, text, Exposure::pii()).unwrap();
    assert_eq!(result.text, "[EMAIL-1] was written by hand, [EMAIL-2] was not");
    let back = rehydrate(&result.text, &vault, Reveal::Everything, Bare::Ignored);
    assert_eq!((back.text.as_ref(), back.unknown), (text, vec![email(1)]));
}

#[test]
fn a_secret_is_withheld_from_anything_that_may_reach_a_shell() {
    let mut vault = Vault::new();
    vault.mint(Kind::Secret, "velvet7otter");
    vault.mint(Kind::Email, "kit@example.org");
    let back = rehydrate("curl -u [EMAIL-1]:[secret-1]", &vault, Reveal::AllButSecrets, Bare::Ignored);
    assert_eq!(back.text, "curl -u kit@example.org:[secret-1]");
    assert_eq!(back.withheld, [Placeholder { kind: Kind::Secret, number: 1 }]);
}

#[test]
fn a_value_is_never_read_for_further_placeholders() {
    let mut vault = Vault::new();
    vault.mint(Kind::Secret, "[EMAIL-1] in a password");
    vault.mint(Kind::Email, "kit@example.org");
    let back = rehydrate("[SECRET-1]", &vault, Reveal::Everything, Bare::Ignored);
    assert_eq!(back.text, "[EMAIL-1] in a password");
}

#[test]
fn nothing_that_is_printed_for_debugging_holds_a_value() {
    let mut vault = Vault::new();
    vault.mint(Kind::Email, "kit@example.org");
    let resolved = format!("{:?}", vault.resolve(email(1)));
    let back = format!("{:?}", rehydrate("[EMAIL-1]", &vault, Reveal::Everything, Bare::Ignored));
    let all = format!("{vault:?} {resolved} {back} {:?}", vault.take_records());
    assert!(!all.contains("kit"), "{all}");
}

#[test]
fn what_is_left_in_a_text_is_reported_with_its_place() {
    let (scrubber, mut vault) = (Scrubber::new(), Vault::new());
    let placeholder = vault.mint(Kind::Secret, "Kestrel-Meadow-19");
    let leaks = scrubber.leaks(&vault, "the end of it is rel-Meadow-19", Exposure::pii());
    let places: Vec<_> = leaks.iter().map(|leak| (leak.placeholder, leak.kind, leak.start, leak.end)).collect();
    assert_eq!(places, [(Some(placeholder), Kind::Secret, 17, 30)]);
    assert_eq!(scrubber.leaks(&vault, "nothing to see [SECRET-1]", Exposure::pii()), []);
}

#[test]
fn an_open_tier_is_registered_and_leaves() {
    let (scrubber, mut vault) = (Scrubber::new(), Vault::new());
    let open = Exposure::assist(Visibility::Open, Visibility::Masked);
    let text = "kit@example.org pays with 4111 1111 1111 1111, kit@example.org";
    let counts = scrubber.register(&mut vault, text, open).unwrap();
    assert_eq!(counts.into_iter().collect::<Vec<_>>(), [(Kind::Email, 1), (Kind::Card, 1)]);
    assert_eq!(
        scrubber.scrub(&mut vault, text, open).unwrap().text,
        "kit@example.org pays with [CARD-1], kit@example.org"
    );
    assert_eq!(open.open_kinds(), [Kind::Person, Kind::Address, Kind::Phone, Kind::Email, Kind::Pii]);
}
