//! Misspelt, missing and unusable input: a typed error with the way out, and nothing kept.

use lwa_tests::TestHome;
use rstest::rstest;
use serde_json::json;

#[rstest]
#[case(&["run", "conversation_compresion", "x"], 2, "invalid_input", "conversation_compression")]
#[case(&["run", "query", "x", "--quality", "hihg"], 2, "invalid_input", "high")]
#[case(&["run", "query", "x", "--reasoning-effort", "instnat"], 2, "invalid_input", "instant")]
#[case(&["run", "query", "x", "--provider", "openroutr"], 2, "not_found", "openrouter")]
#[case(&["run", "query", "x", "--max-output-tokens", "0"], 2, "invalid_input", "1 to 100000")]
#[case(&["run", "conversation_compression", ""], 2, "invalid_input", "empty")]
#[case(&["run", "conversation_compression", " \n "], 2, "invalid_input", "empty")]
#[case(&["run", "query", "x"], 3, "no_route", "key")]
#[case(&["run", "image_generation", "x"], 3, "no_route", "or set OPENAI_API_KEY")]
#[case(&["run", "image_generation", "x", "--output-format", "gif"], 2, "invalid_input", "png")]
#[case(&["run", "image_generation", "x", "--aspect-ratio", "wide"], 2, "invalid_input", "16:9")]
#[case(&["run", "video_generation", "x", "--seconds", "long"], 2, "invalid_input", "300")]
#[case(&["run", "query", "x", "--voters", "3"], 2, "invalid_input", "consensus")]
#[case(&["run", "consensus", "x"], 3, "no_route", "store a key for `cerebras`")]
#[case(&["pipelines", "--provider", "grok"], 2, "not_found", "groq")]
#[case(&["refresh", "--provider", "grok"], 2, "not_found", "groq")]
#[case(&["models", "--provider", "grok"], 2, "not_found", "groq")]
#[case(&["approvals", "show", "abcdef"], 2, "not_found", "approvals list")]
fn lwa_009_a_misspelt_value_is_refused_with_the_nearest_valid_one_and_nothing_is_kept(
    #[case] arguments: &[&str],
    #[case] code: i32,
    #[case] error: &str,
    #[case] names: &str,
) {
    let home = TestHome::new();
    let ran = home.lwa(&[arguments, &["--json"]].concat());
    assert_eq!(ran.code, code, "{ran:?}");
    let document = ran.json();
    assert_eq!(document["error"]["code"], error);
    let said = format!("{} {}", document["error"]["message"], document["error"]["hint"]);
    assert!(said.contains(names), "{said}");
    assert!(ran.stderr.contains("lwa: "), "people are told on stderr: {ran:?}");
    assert_eq!(home.lwa(&["audit", "tail", "--json"]).json()["events"], json!([]), "nothing was kept");
}

#[test]
fn a_25_consensus_is_a_clear_error_and_never_a_silent_single_plan() {
    let home = TestHome::new();
    let ran = home.lwa(&["plan", "consensus", "is this safe?", "--json"]);
    assert_eq!((ran.code, &ran.json()["error"]["code"]), (3, &json!("no_route")));
    assert!(ran.json().get("plan_id").is_none());
}

#[test]
fn an_unknown_option_is_refused_with_the_nearest_one() {
    let ran = TestHome::new().lwa(&["run", "query", "x", "--qualty", "high"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("--quality"), "{}", ran.stderr);
}

#[test]
fn an_oversize_prompt_is_refused_with_the_limit() {
    let home = TestHome::new();
    let ran = home.lwa_with_input(&["run", "conversation_compression", "-", "--json"], &b"word ".repeat(400_001));
    assert_eq!((ran.code, &ran.json()["error"]["code"]), (2, &json!("invalid_input")));
    assert!(ran.json()["error"]["message"].as_str().unwrap().contains("2000000"));
}

#[rstest]
#[case(b"\xff\xfe\x00binary")]
#[case(b"text with a \x00 in it")]
fn a_binary_prompt_is_refused(#[case] prompt: &[u8]) {
    let ran = TestHome::new().lwa_with_input(&["run", "conversation_compression", "-", "--json"], prompt);
    assert_eq!((ran.code, &ran.json()["error"]["code"]), (2, &json!("invalid_input")));
}

#[rstest]
#[case("[router]\nalow_paid = true\n", 2, "allow_paid")]
#[case("[router]\nconsent_mode = \"sometimes\"\n", 2, "always_ask")]
#[case("[providers.acme]\nbilling_class = \"free\"\n", 1, "base_url")]
#[case("[router\n", 1, "line")]
fn a_30_and_a_08_an_unusable_configuration_names_file_line_and_way_out(
    #[case] text: &str,
    #[case] line: usize,
    #[case] names: &str,
) {
    let home = TestHome::with_config(text);
    let checked = home.lwa(&["config", "check", "--json"]);
    assert_eq!((checked.code, &checked.json()["error"]["code"]), (2, &json!("config_invalid")));
    let message = checked.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(
        message.contains("config.toml") && message.contains(&format!("line {line}")) && message.contains(names),
        "{message}"
    );
    // The product works on what it has: without a good file, the defaults.
    let ran = home.lwa_with_input(&["run", "conversation_compression", "-", "--json"], b"user: hello\n");
    assert_eq!(ran.json()["status"], "completed");
    let doctor = home.lwa(&["doctor", "--json"]);
    assert_eq!((doctor.code, &doctor.json()["level"]), (5, &json!("fail")));
}
