//! What a person at a terminal sees of a run, and what leaves the ledger.

use lwa_tests::{TestHome, planted};
use serde_json::{Value, json};

use crate::{config, fake};

fn home(provider: &lwa_testkit::FakeProvider, class: &str) -> TestHome {
    TestHome::with_config(&config(provider, class, "")).set("ACME_KEY", "k-1")
}

/// The line of a block that begins with this name.
fn line<'t>(text: &'t str, name: &str) -> &'t str {
    let begins = |line: &&str| line.trim_start_matches(['│', ' ']).starts_with(name);
    text.lines().find(begins).unwrap_or_else(|| panic!("no line `{name}` in: {text}"))
}

#[test]
fn lwa_115_the_preflight_names_client_state_route_and_class() {
    let provider = fake("answer");
    let home = home(&provider, "paid");
    let text = config(&provider, "free", "");
    let shown =
        home.lwa(&["plan", "query", "why?", "--allow-paid", "--codex-model", "m-9", "--codex-reasoning", "high"]);
    let text_of = &shown.stdout;
    assert!(text_of.starts_with("┌ LWA PREFLIGHT\n"), "{text_of}");
    assert!(line(text_of, "codex").contains("m-9, high"), "{text_of}");
    assert!(line(text_of, "task").contains("query — APPROVAL REQUIRED"), "{text_of}");
    assert!(line(text_of, "route").contains("acme:big-1 (paid)"), "{text_of}");
    assert!(line(text_of, "budget").contains("at most $"), "{text_of}");
    let free = TestHome::with_config(&text).set("ACME_KEY", "k-1");
    let shown = free.lwa(&["plan", "query", "why?"]).stdout;
    assert!(line(&shown, "codex").contains("unknown (host-owned)"), "{shown}");
    assert!(line(&shown, "task").contains("query — READY") && line(&shown, "route").contains("(free)"), "{shown}");
    assert!(line(&shown, "effort").contains("balanced"), "{shown}");
}

#[test]
fn lwa_070_the_plan_is_shown_before_the_work_and_one_call_is_made() {
    let provider = fake("answer");
    let home = home(&provider, "free");
    let ran = home.lwa(&["run", "query", "why?"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "This is a scripted answer.\n"), "a script gets the text alone");
    let place = |part: &str| ran.stderr.find(part).unwrap_or_else(|| panic!("no `{part}` in: {}", ran.stderr));
    assert!(place("LWA PREFLIGHT") < place("Working...") && place("Working...") < place("LWA TELEMETRY"));
    assert_eq!(provider.count("POST"), 1);
    let quiet = home.lwa(&["run", "query", "why?", "--json"]);
    assert_eq!((quiet.json()["status"].clone(), quiet.stderr.as_str()), (json!("completed"), ""));
}

#[test]
fn lwa_116_on_a_terminal_the_answer_stands_in_a_frame_with_whose_turn_it_is() {
    let provider = fake("answer");
    let home = home(&provider, "free");
    let shown = home.lwa_on_terminal(&["run", "query", "why?", "--codex-model", "m-9"], "").stdout;
    let frame = &shown[shown.find("┌ LWA RESPONSE").unwrap_or_else(|| panic!("{shown}"))..];
    assert!(frame.contains("│ This is a scripted answer."), "{frame}");
    assert!(line(frame, "complete").contains("acme:big-1"), "{frame}");
    assert!(line(frame, "turn").contains("Codex active: m-9"), "{frame}");
}

#[test]
fn lwa_117_the_display_object_names_surface_model_and_class() {
    let provider = fake("answer");
    let ran = home(&provider, "free").lwa(&["run", "query", "why?", "--json"]).json();
    let panel = &ran["panel"];
    let named = (&panel["surface"], &panel["provider"], &panel["model"], &panel["billing_class"]);
    assert_eq!(named, (&json!("LWA"), &json!("acme"), &json!("big-1"), &json!("free")), "{panel}");
    assert_eq!((&panel["input_tokens"], &panel["output_tokens"]), (&json!(11), &json!(7)));
    assert!(panel["telemetry"].as_str().unwrap().contains("tokens in 11, out 7 (reported)"), "{panel}");
}

#[test]
fn lwa_118_the_measurements_claim_no_reduction_that_nobody_measured() {
    let provider = fake("answer");
    let home = home(&provider, "free");
    let arguments = ["run", "token_optimization", "please, please be brief", "--provider", "acme"];
    let shown = home.lwa(&[&arguments[..], &["--codex-model", "m-9", "--codex-reasoning", "medium"]].concat()).stderr;
    let shown = &shown[shown.find("┌ LWA TELEMETRY").unwrap_or_else(|| panic!("{shown}"))..];
    assert!(line(shown, "optimised").contains("token reduction unmeasured"), "{shown}");
    assert!(line(shown, "spend").contains("actual $0.000120, ceiling $0.000000"), "{shown}");
    assert!(line(shown, "quota").contains("41"), "{shown}");
    assert!(line(shown, "handoff").contains("Codex: m-9, medium"), "{shown}");
    assert!(line(shown, "tokens").contains("11 in, 7 out (reported by the provider)"), "{shown}");
    assert!(line(shown, "lifecycle").contains("complete ✓"), "{shown}");
}

#[test]
fn an_answer_cannot_drive_the_terminal() {
    let clear = "\u{1b}[2Jdone\u{7}";
    let provider = crate::fakes::provider(vec![crate::fakes::saying(clear)]);
    let home = home(&provider, "free");
    let shown = home.lwa_on_terminal(&["run", "query", "why?"], "").stdout;
    assert!(shown.contains("[2Jdone") && !shown.contains('\u{1b}'), "{shown:?}");
    assert_eq!(home.lwa(&["run", "query", "why?"]).stdout, format!("{clear}\n"), "a program gets every byte");
}

#[test]
fn lwa_090_no_view_of_the_ledger_holds_a_secret_or_a_text() {
    let provider = fake("answer");
    let home = home(&provider, "free");
    let secret = planted::secret("ledger");
    let prompt = format!("the body of a prompt with {secret} in it");
    assert_eq!(home.lwa(&["run", "query", &prompt, "--tag", "notes", "--project", "p", "--json"]).code, 0);
    for (what, text) in [
        ("the sums", home.lwa(&["telemetry", "--json"]).stdout),
        ("the view", home.lwa(&["telemetry"]).stdout),
        ("the export", home.lwa(&["telemetry", "--export"]).stdout),
    ] {
        planted::assert_clean(what, &text, &secret);
        assert!(!text.contains("the body of a prompt"), "{what}: {text}");
    }
}

#[test]
fn lwa_091_what_is_exported_says_that_it_is_redacted_keeps_its_call_and_is_valid() {
    let provider = fake("answer");
    let home = home(&provider, "free");
    assert_eq!(home.lwa(&["run", "query", "why?", "--tag", "notes", "--project", "p", "--json"]).code, 0);
    let export = home.lwa(&["telemetry", "--export"]);
    let document = export.json();
    assert_eq!((&document["schema_version"], &document["redacted"]), (&json!(1), &json!(true)));
    let record = &document["records"][0];
    assert!(!record["call_id"].as_str().unwrap().is_empty());
    assert_eq!((&record["tool_name"], &record["usage_status"]), (&json!("lwa run"), &json!("reported")), "{record}");
    std::fs::write(home.folder().join("export.json"), &export.stdout).unwrap();
    let checked = home.lwa(&["telemetry", "--check", "export.json", "--json"]);
    assert_eq!(checked.json(), json!({ "valid": true, "records": 1, "errors": [] }));
    assert_eq!(checked.code, 0);
    assert_eq!(home.lwa(&["telemetry", "--export", "--limit", "0", "--json"]).code, 2);
}

#[test]
fn lwa_092_a_record_with_a_prompt_and_without_its_session_is_not_valid() {
    let provider = fake("answer");
    let home = home(&provider, "free");
    home.lwa(&["run", "query", "why?", "--json"]);
    let mut document = home.lwa(&["telemetry", "--export"]).json();
    document["records"][0]["prompt"] = json!("why?");
    document["records"][0]["session_id"] = json!("");
    std::fs::write(home.folder().join("export.json"), document.to_string()).unwrap();
    let checked = home.lwa(&["telemetry", "--check", "export.json", "--json"]);
    assert_eq!(checked.code, 2);
    let errors: Vec<Value> = checked.json()["errors"].as_array().unwrap().clone();
    let said = json!(["record 0: sensitive field `prompt`", "record 0: missing attribution: `session_id` is empty"]);
    assert_eq!(json!(errors), said);
    let readable = home.lwa(&["telemetry", "--check", "export.json"]);
    assert!(readable.code == 2 && readable.stdout.starts_with("Not valid:"), "{readable:?}");
    assert_eq!(home.lwa(&["telemetry", "--check", "missing.json", "--json"]).code, 2);
}

#[test]
fn usage_is_shown_with_the_latest_calls() {
    let provider = fake("answer");
    let home = home(&provider, "free");
    home.lwa(&["run", "query", "why?", "--json"]);
    let shown = home.lwa(&["telemetry", "--codex-model", "m-9", "--workflow-name", "notes"]).stdout;
    assert!(shown.starts_with("┌ LWA TELEMETRY\n") && line(&shown, "codex").contains("m-9"), "{shown}");
    assert!(line(&shown, "workflow").contains("notes"), "{shown}");
    assert!(shown.contains("acme:big-1") && shown.contains("$0.000120") && shown.contains("11 / 7"), "{shown}");
}
