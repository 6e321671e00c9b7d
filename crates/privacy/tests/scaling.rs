//! Work grows with the length of a text, whatever the text.
//!
//! Each text is scrubbed at one length and at eight times that length. Linear work takes eight times as long, quadratic
//! work sixty-four times; the limit stands between them. What is measured is the time of this thread on a processor where
//! the system tells it, so that other programs do not count.

use std::time::{Duration, Instant};

use lwa_privacy::{Exposure, Kind, Scrubber, Vault};
use rstest::rstest;

const SMALL: usize = 8_000;
const FACTOR: u32 = 8;
const LIMIT: u32 = 36;
const RUNS: usize = 4;

/// The time that this thread has worked.
fn worked(start: Instant) -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = text.split(' ').next().and_then(|field| field.parse().ok());
    nanos.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

fn fastest(text: &str) -> Duration {
    let scrubber = Scrubber::new();
    let once = || {
        let mut vault = Vault::new();
        vault.mint(Kind::Secret, "Kestrel-Meadow-19");
        let start = Instant::now();
        let before = worked(start);
        let result = scrubber.scrub(&mut vault, text, Exposure::pii());
        assert!(result.is_ok());
        worked(start).saturating_sub(before)
    };
    (0..RUNS).map(|_| once()).min().unwrap_or_default()
}

#[rstest]
#[case::unclosed_keys("-----BEGIN PRIVATE KEY-----\n")]
#[case::unclosed_keys_in_one_line("-----BEGIN PRIVATE KEY----- ")]
#[case::key_ends("-----END PRIVATE KEY-----\n")]
#[case::base64_lines("MIIEow8jzPde0IgxLd6GncfBAepfJBd0Kh8024xXH\n")]
#[case::one_letter("a")]
#[case::digits("7")]
#[case::pairs("1-")]
#[case::columns("1 ")]
#[case::open_quotes("password=\"")]
#[case::escaped_quotes("password=\\\"")]
#[case::labels("token:")]
#[case::at_signs("a@")]
#[case::percent("%41")]
#[case::base64("QUJD")]
#[case::placeholders("[EMAIL-1]")]
#[case::open_placeholders("[EMAIL-")]
#[case::nested_placeholders("[CARD-[CARD-1]]")]
#[case::urls("x://")]
#[case::url_users("x://a:b@")]
#[case::accents("é")]
#[case::colours("\u{1B}[1m")]
#[case::open_colours("\u{1B}]")]
#[case::names("Dr Ines ")]
#[case::commands("curl -u ")]
#[case::verbs("password is is ")]
#[case::kinds("kind: Secret\n")]
#[case::manifests("data:\n  a: UzNjcjN0\nkind: Secret\n---\n")]
#[case::mails("kit@example.org ")]
#[case::spelled_mails("a at b dot ")]
#[case::cards("4111 1111 1111 1111 ")]
#[case::streets("77 Harbor View ")]
#[case::phones("call 4155550142 tel: ")]
#[case::known("Kestrel-Meadow-19 ")]
#[case::entities("&quot;")]
#[case::blocks("password: |\n  a\n")]
#[case::elements("<password>")]
#[case::columns_of_passwords("password,")]
#[case::table_of_passwords("|password|a1b2c3d4|\n")]
#[case::heads_of_tables("name,password\n")]
#[case::inserts("(name, password) VALUES (")]
#[case::password_files(":5432:")]
#[case::piped("echo a | chpasswd ")]
#[case::codes("backup codes: a1b2c3d4 ")]
#[case::key_types("{\"kty\":\"d\"")]
#[case::marks_at_the_end("a1Q~-us1_mmk:AA")]
#[case::filled_lines("sk-ant-aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zCaB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zC\n")]
#[case::national("cpf 529982247 ein: 12 ")]
#[case::values_before("value=\"a\" key=\"password\" ")]
#[case::spaced_mails("a @ b ")]
#[case::towns("Am Markt 5, 28195 ")]
#[case::arrows("password → ")]
#[case::go_sources("a:b@tcp(")]
#[case::connections("getconnection(\"a\", \"b\", ")]
#[case::pairs_of_arguments("auth=(\"a\", ")]
#[case::spaced_tokens("g h p _ ")]
#[case::characters("\\x41")]
#[case::backspaces("a\u{8}")]
#[case::names_in_scripts("пароль ")]
#[case::names_in_scripts_in_a_row("密码")]
#[case::generated("password is generated for ")]
#[case::typed("\"password\").type(")]
#[case::objects("\"secrets\": {\"a\": \"")]
#[case::paths("/reset-password")]
#[case::objects_of_values("\"db_password\": {")]
#[case::random_passwords("\"random_password\" ")]
#[case::lines_of_passwords("x:*:a:b:")]
#[case::keys_in_xml("<rsakeyvalue><D>")]
#[case::base32("MFRGGZDFMZTWQ2LK")]
#[case::pieces("\"sk-ant-a1b2c3d4e5f6g7h8\" + ")]
#[case::pieces_in_a_row("sk-ant-a1b2c3d4e5f6g7h8\"\"")]
#[case::braces("Pwd={")]
#[case::passwords_for_sudo("echo a | sudo -S ")]
#[case::soft_escapes("=41")]
#[case::bots("MTI2NTU3ODc3MzY2NTU0NzIy.")]
#[case::signatures("SignedHeaders=a, Signature=")]
#[case::attributes("name=\"password\">")]
#[case::elements_of_pairs("password</name><value>")]
#[case::sentences_above("password below:\n")]
#[case::prompts("\"password:\" send ")]
#[case::sign_ins("log in with a / ")]
#[case::windows_hashes("0123456789abcdef:::")]
#[case::codes_in_scripts("код a ")]
#[case::keys_in_scripts("キー:")]
#[case::code_tails("code de verif")]
#[case::cells_of_words("| a password ")]
#[case::calls("login(\"a\", \"b\", \"c\", ")]
#[case::at_names("ines at example.com ")]
fn no_text_takes_more_than_its_share_of_work(#[case] unit: &str) {
    let text = |length: usize| unit.repeat(length / unit.len() + 1);
    let (small, large) = (text(SMALL), text(SMALL * FACTOR as usize));
    let (short, long) = (fastest(&small), fastest(&large));
    assert!(long <= (short + Duration::from_millis(2)) * LIMIT, "{short:?} became {long:?}");
}
