//! A file that cannot be used is refused with its line, the reason and the nearest valid name.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the report")]

use std::path::Path;

use lwa_config::{Config, is_loopback_url};
use rstest::rstest;

fn refusal(text: &str) -> (Option<usize>, String) {
    let error = Config::parse(text, Path::new("/c/config.toml")).expect_err(text);
    (error.line(), error.to_string())
}

/// A provider with one more line in it, which is line 3.
fn provider(line: &str) -> String {
    format!("[providers.p]\nbase_url = \"https://p.example/v1\"\n{line}\n")
}

#[test]
fn a_30_a_misspelt_key_is_named_with_its_line_and_the_nearest() {
    let (line, message) = refusal("# hello\n[router]\nprefer_free = true\nalow_paid = true\n");
    assert_eq!(line, Some(4));
    assert_eq!(message, "`/c/config.toml` line 4: unknown key `alow_paid` in [router]; did you mean `allow_paid`?");
}

#[rstest]
#[case("[rooter]\n", 1, "unknown key `rooter` in the file; did you mean `router`?")]
#[case("\n[providers.p]\nbase-url = \"https://x.example\"\n", 3, "in [providers.p]; did you mean `base_url`?")]
#[case("[[models]]\nprovider = \"p\"\nmodel = \"m\"\ncontext = 5\n", 4, "did you mean `context_length`?")]
#[case("[secrets]\nbackends = \"file\"\n", 2, "did you mean `backend`?")]
#[case("[clients.c]\ntool_sets = []\n", 2, "in [clients.c]; did you mean `toolsets`?")]
#[case("[app]\nzzz = 1\n", 2, "known are `bring_to_front`, `approval_minutes`, `start_hidden`")]
#[case("app.start_hiden = true\n", 1, "did you mean `start_hidden`?")]
#[case("router = { allow_paid = true, alow = 1 }\n", 1, "unknown key `alow`")]
fn a_30_unknown_keys_are_refused_at_every_level(#[case] text: &str, #[case] line: usize, #[case] part: &str) {
    let (found, message) = refusal(text);
    assert_eq!(found, Some(line), "{message}");
    assert!(message.contains(part), "{message}");
}

#[rstest]
#[case("[gateway]\n", "`gateway`")]
#[case("[servers.s]\n", "`servers`")]
#[case("[router]\nconsensus_voters = 3\n", "`consensus_voters`")]
fn tables_of_later_parts_are_refused_as_such(#[case] text: &str, #[case] key: &str) {
    let (line, message) = refusal(text);
    assert!(line.is_some());
    assert!(message.contains(&format!("{key} belongs to a part that this version does not have yet")), "{message}");
}

#[rstest]
#[case(
    "[router]\nconsent_mode = \"paid_onli\"\n",
    2,
    "expected one of always_ask, paid_only, automatic; did you mean `paid_only`?"
)]
#[case("[router]\n\nallow_paid = \"yes\"\n", 3, "`allow_paid` takes `true` or `false`, not a text")]
#[case("[router]\ncatalog_refresh_minutes = 0\n", 2, "`catalog_refresh_minutes` must be between 1 and 10080")]
#[case("[router]\nconfirmation_ttl_seconds = 1.5\n", 2, "takes a whole number, not a number with a point")]
#[case("[router]\nglobal_monthly_usd_cap = -1\n", 2, "must be between 0 and 1000000")]
#[case("[router]\nglobal_monthly_usd_cap = nan\n", 2, "must be between 0 and 1000000")]
#[case("[router]\nglobal_daily_request_cap = 5000000000\n", 2, "must be between")]
#[case("[router.task_prompts]\nquerry = \"x\"\n", 2, "did you mean `query`?")]
#[case("router = 3\n", 1, "`router` takes a table, not a whole number")]
#[case("[router]\n[router]\n", 2, "not valid TOML: duplicate key")]
#[case("[router]\nallow_paid = tru\n", 2, "not valid TOML")]
#[case("toolsets = [\n  \"core\",\n  \"ruter\",\n]\n", 3, "did you mean `router`?")]
#[case("toolsets = [\n  \"core\",\n  4,\n]\n", 3, "takes a list of words, not a whole number")]
#[case("toolsets = \"core\"\n", 1, "takes a list of words, not a text")]
#[case("[app]\napproval_minutes = 1441\n", 2, "must be between 1 and 1440")]
#[case("[secrets]\nbackend = \"vault\"\n", 2, "expected one of keychain, file")]
#[case("models = 3\n", 1, "takes tables written `[[models]]`")]
#[case("[[models]]\nmodel = \"m\"\n", 1, "[[models]] needs `provider`")]
#[case("[[models]]\nprovider = \"p\"\nmodel = \" \"\n", 1, "[[models]] needs `model`")]
#[case(
    "[[models]]\nprovider = \"p\"\nmodel = \"m\"\ntask_scores = { query = 101 }\n",
    4,
    "`task_scores.query` must be between 0 and 100"
)]
#[case("[[models]]\nprovider = \"p\"\nmodel = \"m\"\ncapabilities = [\"txt\"]\n", 4, "did you mean `text`?")]
#[case(
    "[[models]]\nprovider = \"p\"\nmodel = \"m\"\nextra_body = { model = \"dearer\" }\n",
    4,
    "must not choose the model"
)]
#[case("[[models]]\nprovider = \"p\"\nmodel = \"m\"\nextra_body = { x = inf }\n", 4, "finite numbers")]
#[case("[providers.\"a:b\"]\nbase_url = \"https://p.example\"\n", 1, "is no name for a provider")]
fn bad_values_are_refused_with_what_is_accepted(#[case] text: &str, #[case] line: usize, #[case] part: &str) {
    let (found, message) = refusal(text);
    assert_eq!(found, Some(line), "{message}");
    assert!(message.contains(part), "{message}");
}

#[test]
fn a_08_a_provider_without_an_address_is_refused() {
    let (line, message) = refusal("\n[providers.p]\napi_key_env = \"P_KEY\"\n");
    assert_eq!(line, Some(2));
    assert_eq!(
        message,
        "`/c/config.toml` line 2: [providers.p] needs `base_url`: the provider cannot be reached without an address"
    );
}

#[rstest]
#[case("base_url", "ftp://p.example", "must start with `https://` or `http://`")]
#[case("base_url", "p.example/v1", "is not an address")]
#[case("base_url", "https://", "is not an address")]
#[case("base_url", "https://p.example/v1?key=1", "without `?` or `#`")]
#[case("base_url", "https://{account_id}.p.example/v1", "only in its path")]
#[case("base_url", "https://p.example/{region}", "knows no other placeholder")]
#[case("base_url", "https://p.example/{account_id}/v1", "needs `account_id_env`")]
#[case("chat_path", ".evil.example/", "must start with `/`")]
#[case("chat_path", "/chat?all=1", "must be a plain path")]
#[case("models_path", "/models?all=1#x", "must have a plain query")]
#[case("models_path", "/models?u=http://evil.example/", "must have a plain query")]
#[case("adapter", "bedrock", "is not available")]
#[case("adapter", "builtin", "is not available")]
#[case("adapter", "openia", "did you mean `openai`?")]
#[case("api_key_env", "LD_PRELOAD", "steers programs")]
#[case("api_key_env", "https_proxy", "steers programs")]
fn addresses_and_names_that_could_mislead_are_refused(#[case] key: &str, #[case] value: &str, #[case] part: &str) {
    let text = if key == "base_url" {
        format!("[providers.p]\n{key} = \"{value}\"\n")
    } else {
        provider(&format!("{key} = \"{value}\""))
    };
    let (line, message) = refusal(&text);
    assert!(line.is_some(), "{message}");
    assert!(message.contains(part), "{message}");
}

#[rstest]
#[case("request_headers = { Authorization = \"Bearer sk-fake-0123456789abcdef\" }")]
#[case("request_headers = { \"x-api-key\" = \"sk-fake-0123456789abcdef\" }")]
#[case("api_key_env = \"sk-fake-0123456789abcdef\"")]
#[case("api_key_env = \"gsk_fake0123456789abcdef\"")]
#[case("api_key_envs = [\"FINE\", \"sk-fake-0123456789abcdef\"]")]
#[case("quota_key_env = \"sk-fake-0123456789abcdef\"")]
#[case("billing_class = \"sk-fake-0123456789abcdef\"")]
#[case("adapter = \"sk-fake-0123456789abcdef\"")]
#[case("sk-fake-0123456789abcdef = 1")]
#[case("sk-fake-0123456789abcdef")]
#[case("api_key_env = sk-fake-0123456789abcdef")]
#[case("base_url2 = \"https://user:sk-fake-0123456789abcdef@p.example\"")]
#[case("request_headers = { X-Note = \"sk-fake\\n0123456789abcdef\" }")]
fn a_key_pasted_into_the_wrong_place_is_never_shown(#[case] line: &str) {
    let (found, message) = refusal(&provider(line));
    assert_eq!(found, Some(3), "{message}");
    assert!(!message.contains("0123456789abcdef"), "{message}");
}

#[test]
fn a_key_in_an_address_is_never_shown() {
    let (_, message) = refusal("[providers.p]\nbase_url = \"https://user:sk-fake-0123456789@p.example\"\n");
    assert!(message.contains("must not contain a user name or a password"), "{message}");
    assert!(!message.contains("0123456789"), "{message}");
}

#[rstest]
#[case("http://127.0.0.1:11434/v1", true)]
#[case("http://127.8.8.8", true)]
#[case("http://[::1]:8080", true)]
#[case("http://localhost:1234/v1", true)]
#[case("http://models.localhost", true)]
#[case("http://LOCALHOST", true)]
#[case("https://api.example.com", false)]
#[case("http://localhost.example.com", false)]
#[case("http://127.0.0.1.example.com", false)]
#[case("http://127.0.0.1@example.com", false)]
#[case("http://192.168.1.5:11434", false)]
#[case("http://10.0.0.1", false)]
#[case("http://0.0.0.0:8000", false)]
#[case("http://2130706433", true)]
#[case("not an address", false)]
fn only_loopback_counts_as_local(#[case] url: &str, #[case] is_local: bool) {
    assert_eq!(is_loopback_url(url), is_local, "{url}");
}
