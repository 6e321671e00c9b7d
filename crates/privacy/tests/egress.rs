//! What leaves for a provider: secrets are replaced, everything else stays byte for byte.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the report")]

use lwa_privacy::Kind;
use lwa_privacy::egress::{KnownSecrets, Numbering, scrub_secrets, scrub_secrets_with};
use rstest::rstest;

/// A token of the right shape, assembled here so that no scanner takes this file for a leak.
fn token(prefix: &str, length: usize) -> String {
    let digits = "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zC";
    prefix.chars().chain(digits.chars().cycle().take(length)).collect()
}

fn scrubbed(text: &str) -> String {
    scrub_secrets(text, &KnownSecrets::none()).text.into_owned()
}

#[test]
fn a_text_without_secrets_is_borrowed_and_unchanged() {
    let text = "error[E0308]: mismatched types\n --> src/lib.rs:10:5\n";
    let result = scrub_secrets(text, &KnownSecrets::none());
    assert!(matches!(result.text, std::borrow::Cow::Borrowed(_)));
    assert_eq!((result.text.as_ref(), result.found.len()), (text, 0));
}

#[test]
fn the_same_value_has_the_same_placeholder_and_the_ranges_are_those_of_the_text() {
    let (first, second) = (token("ghp_", 36), token("glpat-", 20));
    let text = format!("é a={first} b={second} c={first}");
    let result = scrub_secrets(&text, &KnownSecrets::none());
    assert_eq!(result.text, "é a=[SECRET-1] b=[SECRET-2] c=[SECRET-1]");
    let values: Vec<&str> = result.found.iter().map(|found| &text[found.start..found.end]).collect();
    assert_eq!(values, [first.as_str(), second.as_str(), first.as_str()]);
    assert!(result.found.iter().all(|found| found.kind == Kind::Secret));
    assert_eq!(result.found[0].rule, "github-token");
}

#[test]
fn a_placeholder_that_stands_in_the_text_is_not_given_to_a_value() {
    let text = format!("[SECRET-1] is what you called it, and {}", token("npm_", 36));
    assert_eq!(scrubbed(&text), "[SECRET-1] is what you called it, and [SECRET-2]");
}

#[test]
fn texts_that_leave_together_share_their_numbers() {
    let (known, mut numbering) = (KnownSecrets::none(), Numbering::default());
    let value = token("hf_", 34);
    let system = format!("key {value}");
    let prompt = format!("password: velvet7x and {value}");
    assert_eq!(scrub_secrets_with(&system, &known, &mut numbering).text, "key [SECRET-1]");
    assert_eq!(scrub_secrets_with(&prompt, &known, &mut numbering).text, "password: [SECRET-2] and [SECRET-1]");
}

#[rstest]
#[case::environment("DB_PASSWORD=velvet7otter\nLANG=C", "DB_PASSWORD=[SECRET-1]\nLANG=C")]
#[case::yaml("db:\n  password: velvet7otter\n  port: 5432", "db:\n  password: [SECRET-1]\n  port: 5432")]
#[case::json(r#"{"password": "velvet \"7\" otter", "port": 1}"#, r#"{"password": "[SECRET-1]", "port": 1}"#)]
#[case::json_in_json(r#""{\"client_secret\": \"velvet7otter\"}""#, r#""{\"client_secret\": \"[SECRET-1]\"}""#)]
#[case::toml("api_key = 'velvet7otter' # the key", "api_key = '[SECRET-1]' # the key")]
#[case::shell("export TOKEN=\"velvet7otter\"; ls", "export TOKEN=\"[SECRET-1]\"; ls")]
#[case::rust("let api_key: &str = \"velvet7otter\";", "let api_key: &str = \"[SECRET-1]\";")]
#[case::index("os.environ[\"API_KEY\"] = 'velvet7otter'", "os.environ[\"API_KEY\"] = '[SECRET-1]'")]
#[case::call("client.setPassword(\"velvet7otter\")", "client.setPassword(\"[SECRET-1]\")")]
#[case::comparison("if password == \"velvet7otter\" {", "if password == \"[SECRET-1]\" {")]
#[case::header("X-Api-Key: velvet7otter\r\nHost: h", "X-Api-Key: [SECRET-1]\r\nHost: h")]
#[case::flag("tool --api-key velvet7otter --verbose", "tool --api-key [SECRET-1] --verbose")]
#[case::flag_with_sign("tool --token=velvet7otter -v", "tool --token=[SECRET-1] -v")]
#[case::connection(
    "Server=h;User Id=app;Password=velvet7otter;Pooling=true",
    "Server=h;User Id=app;Password=[SECRET-1];Pooling=true"
)]
#[case::element("<password>velvet7otter</password>", "<password>[SECRET-1]</password>")]
#[case::attribute("<add key=\"ApiKey\" value=\"velvet7otter\" />", "<add key=\"ApiKey\" value=\"[SECRET-1]\" />")]
#[case::sibling("- name: DB_PASSWORD\n  value: velvet7otter\n", "- name: DB_PASSWORD\n  value: [SECRET-1]\n")]
#[case::block("password: |\n  velvet7otter\n  second line\nport: 1", "password: |\n  [SECRET-1]\nport: 1")]
#[case::sentence(
    "the password for the admin account is velvet7otter.",
    "the password for the admin account is [SECRET-1]."
)]
#[case::parameter("GET /x?api_key=velvet7otter&page=2", "GET /x?api_key=[SECRET-1]&page=2")]
#[case::default_value("${DB_PASSWORD:-velvet7otter}", "${DB_PASSWORD:-[SECRET-1]}")]
#[case::entity("&quot;password&quot;: &quot;velvet7otter&quot;", "&quot;password&quot;: &quot;[SECRET-1]&quot;")]
fn a_labelled_secret_is_hidden_in_every_notation(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(scrubbed(text), expected);
}

#[rstest]
#[case("password = get_password(user)")]
#[case("self.token = token")]
#[case("pub api_key: Option<String>,")]
#[case("TOKEN=$TOKEN")]
#[case("token: ${{ secrets.DEPLOY_TOKEN }}")]
#[case("password_min_length = 12")]
#[case("secretKeyRef:\n  name: database\n  key: password")]
#[case("public_key = \"MCowBQYDK2VwAyEA\"")]
#[case("assert_eq!(tokens.len(), 4096);")]
#[case("Token::Ident(name) => self.next_token(),")]
#[case("checksum = \"64d6d59291f0cde2e5738713a818d8962058765a6ca7cff00d796c25410335b4\"")]
#[case("integrity sha512-W7s+uC5bikET2twEFg==")]
#[case("Cargo.lock: 110bcd25-a55d-453a-8046-1297901ea002")]
#[case("the token is stored in the keychain")]
#[case("Author: key maintainer, authored 2026")]
#[case("password reset requested; see the forgotten-password page")]
fn what_only_speaks_of_secrets_stays(#[case] text: &str) {
    assert_eq!(scrubbed(text), text);
}

#[test]
fn a_private_key_is_hidden_in_all_its_forms() {
    let body: Vec<String> = (0..4).map(|line| token(&format!("M{line}"), 62)).collect();
    let begin = ["-----BEGIN RSA ", "PRIVATE KEY-----"].concat();
    let end = ["-----END RSA ", "PRIVATE KEY-----"].concat();
    let whole = format!("{begin}\n{}\n{end}", body.join("\n"));
    let numbered: String = whole
        .lines()
        .enumerate()
        .fold(String::new(), |text, (number, line)| format!("{text}{:>3}: {line}\n", number + 1));
    let forms = [
        format!("a {whole} z"),
        format!("a {} z", whole.replace('\n', "\r\n")),
        format!("a {} z", whole.replace('\n', "\\n")),
        format!("a \"{}\" z", whole.replace('\n', "\\\\n")),
        format!("a {numbered} z"),
        format!("a {begin}\n{}", body[..3].join("\n")),
        format!("{}\n{end}\nz", body[1..].join("\n")),
        format!("key = \"{begin}\\n\" +\n  \"{}\\n\" +\n  \"{end}\\n\"", body.join("\\n\" +\n  \"")),
    ];
    for form in forms {
        let result = scrubbed(&form);
        for line in &body {
            assert!(!result.contains(&line[..12]), "a line is left in {result:?}");
        }
    }
}

#[rstest]
#[case::as_it_is("Kestrel-Meadow-19")]
#[case::upper("KESTREL-MEADOW-19")]
#[case::spaced("K e s t r e l - M e a d o w - 1 9")]
#[case::percent("Kestrel%2DMeadow%2D19")]
#[case::base64("S2VzdHJlbC1NZWFkb3ctMTk=")]
#[case::hexadecimal("4b65737472656c2d4d6561646f772d3139")]
#[case::json_escape("Kestrel\\u002dMeadow\\u002d19")]
#[case::quotes("'Kestrel-' + 'Meadow-19'")]
#[case::typographic("Kestrel\u{2011}Meadow\u{2011}19")]
#[case::wrapped("Kestrel-\nMeadow-19")]
fn a_known_value_is_hidden_in_every_spelling(#[case] spelling: &str) {
    let known = KnownSecrets::from_iter(["Kestrel-Meadow-19"]);
    let text = format!("before {spelling} after");
    let result = scrub_secrets(&text, &known);
    let trimmed = result.text.replace(['\'', '"'], "");
    assert_eq!(trimmed, "before [SECRET-1] after");
}

#[test]
fn a_long_fragment_of_a_known_value_is_hidden() {
    let known = KnownSecrets::from_iter(["Kestrel-Meadow-19"]);
    let result = scrub_secrets("it starts with Kestrel-Meadow and ends in 19", &known);
    assert_eq!(result.text, "it starts with [SECRET-1] and ends in 19");
}

#[test]
fn known_values_are_not_shown_by_debug() {
    let known = KnownSecrets::from_iter(["Kestrel-Meadow-19"]);
    assert_eq!(format!("{known:?}"), "KnownSecrets { count: 1, .. }");
}

#[rstest]
#[case("PGPASSWORD=S3cr3t psql -h x", "PGPASSWORD=[SECRET-1] psql -h x")]
#[case(
    "docker login -u robot -p S3cr3tFjord9 registry.example.test",
    "docker login -u robot -p [SECRET-1] registry.example.test"
)]
#[case("ALTER USER 'app'@'%' IDENTIFIED BY 'S3cr3tFjord9';", "ALTER USER 'app'@'%' IDENTIFIED BY '[SECRET-1]';")]
#[case("482913 is your login code", "[SECRET-1] is your login code")]
#[case("CVV: 123, PIN 4821", "CVV: [SECRET-1], PIN [SECRET-2]")]
#[case(
    "//registry.example.test/:_authToken=2f1c9d0e-1111-4222-8333-944455566677",
    "//registry.example.test/:_authToken=[SECRET-1]"
)]
#[case(
    "https://h.example/f?sv=2022&sig=Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MA%3D%3D&se=2026",
    "https://h.example/f?sv=2022&sig=[SECRET-1]&se=2026"
)]
fn a_credential_without_a_plain_label_is_hidden(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(scrubbed(text), expected);
}
