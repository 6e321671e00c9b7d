//! The router's upkeep through its doors: tiers, quotas, lists of models, guidance, consent of a session.

use std::fmt::Write as _;

use lwa_testkit::FakeProvider;
use lwa_testkit::fake_provider::Script;
use lwa_testkit::fake_provider::reply::Reply;
use lwa_tests::{Era, Sidecar, TestHome};
use rstest::rstest;
use serde_json::{Value, json};

use crate::fakes::{self, Member, saying};
use crate::{config, fake};

const ROUTER: &[&str] = &["--toolsets", "router"];

fn declared(free: &[(&str, &str)]) -> TestHome {
    let mut text = "[providers.acme]\nbase_url = \"http://127.0.0.1:9/v1\"\nbilling_class = \"free_quota\"\n\
                    subscription_plan = \"starter\"\nsubscription_status = \"active\"\n"
        .to_owned();
    for (model, more) in free {
        write!(text, "[[models]]\nprovider = \"acme\"\nmodel = \"{model}\"\n{more}\n").unwrap();
    }
    TestHome::with_config(&text)
}

#[test]
fn lwa_096_the_larger_declared_allowance_comes_first_with_all_that_is_declared() {
    let home = declared(&[
        ("small", "free_plan_max_tokens = 100"),
        (
            "large",
            "free_plan_max_tokens = 900\nservice_tiers = [\"flex\"]\nsupported_parameters = [\"tools\"]\ncapabilities = [\"text\", \"reasoning\"]",
        ),
    ]);
    let tiers = home.lwa(&["tiers", "--limit", "2", "--json"]).json()["tiers"].clone();
    let names: Vec<&Value> = tiers.as_array().unwrap().iter().map(|tier| &tier["model"]).collect();
    assert_eq!(names, ["large", "small"]);
    let first = &tiers[0];
    let shown = json!({
        "rank": first["rank"], "plan": first["subscription_plan"], "status": first["subscription_status"],
        "tiers": first["service_tiers"], "capabilities": first["capabilities"], "source": first["source"],
        "parameters": first["supported_parameters"], "free": first["free_plan_max_tokens"],
    });
    let expected = json!({
        "rank": 1, "plan": "starter", "status": "active", "tiers": ["flex"], "capabilities": ["text", "reasoning"],
        "source": "config", "parameters": ["tools"], "free": 900,
    });
    assert_eq!(shown, expected);
    let readable = home.lwa(&["tiers", "--limit", "1"]).stdout;
    assert!(readable.contains("acme:large") && readable.contains("starter (active)") && !readable.contains("small"));
    let mut sidecar = Sidecar::start(&home, Era::Legacy, ROUTER);
    assert_eq!(sidecar.tool("model_tiers", json!({ "limit": 1 }))["tiers"][0]["model"], "large");
}

#[test]
fn lwa_097_an_allowance_of_one_comes_before_an_unknown_one() {
    let home = declared(&[("a-unknown", ""), ("z-one", "free_plan_max_tokens = 1")]);
    let tiers = home.lwa(&["tiers", "--json"]).json()["tiers"].clone();
    let place = |name: &str| tiers.as_array().unwrap().iter().position(|tier| tier["model"] == name).unwrap();
    assert!(place("z-one") < place("a-unknown"));
}

#[test]
fn quotas_are_read_from_the_headers_of_an_answer_and_told_with_source_and_age() {
    let members = [Member::new("alpha", "free", 90, vec![saying("yes")])];
    let home = fakes::home(&members, "");
    assert_eq!(home.lwa(&["quotas", "--json"]).json()["quotas"], json!([]));
    assert_eq!(home.lwa(&["run", "query", "why?", "--json"]).code, 0);
    let quotas = home.lwa(&["quotas", "--json"]).json()["quotas"].clone();
    let quota = &quotas[0];
    assert_eq!(
        (&quota["provider"], &quota["limit"], &quota["remaining"], &quota["unit"]),
        (&json!("alpha"), &json!("50"), &json!("41"), &json!("requests")),
        "{quotas}"
    );
    assert!(quota["source"].as_str().unwrap().contains("x-ratelimit") && quota["age_seconds"].is_u64(), "{quota}");
    let readable = home.lwa(&["quotas"]).stdout;
    assert!(readable.contains("alpha") && readable.contains("41"), "{readable}");
    let mut sidecar = Sidecar::start(&home, Era::Modern, ROUTER);
    let refreshed = sidecar.tool("refresh_provider_quotas", json!({}));
    assert_eq!((&refreshed["status"], &refreshed["quotas"][0]["provider"]), (&json!("done"), &json!("alpha")));
}

#[test]
fn a_list_is_read_once_and_one_that_cannot_be_read_is_an_error_that_names_the_provider() {
    let list = Reply::json(200, r#"{"data":[{"id":"big-1"},{"id":"new-1"}]}"#);
    let refused = Reply::json(401, r#"{"error":{"message":"no"}}"#);
    let provider = FakeProvider::start(Script::new().on("GET /v1/models", [list, refused])).unwrap();
    let home = TestHome::with_config(&config(&provider, "free", "")).set("ACME_KEY", "k-1");
    let first = home.lwa(&["refresh", "--provider", "acme", "--json"]);
    assert_eq!((first.code, &first.json()["providers"][0]["status"]), (0, &json!("ok")), "{first:?}");
    let second = home.lwa(&["refresh", "--provider", "acme", "--json"]);
    assert_eq!((second.code, &second.json()["providers"][0]["status"]), (0, &json!("fresh")));
    assert_eq!(provider.count("GET"), 1);
    let models = home.lwa(&["models", "--provider", "acme", "--json"]).json()["models"].clone();
    assert!(models.as_array().unwrap().iter().any(|model| model["model"] == "new-1"), "{models}");
    let third = home.lwa(&["refresh", "--provider", "acme", "--force"]);
    assert!(third.code == 5 && third.stdout.contains("acme") && third.stdout.contains("failed"), "{third:?}");
    let doctor = home.lwa(&["doctor"]).stdout;
    let line = doctor.lines().find(|line| line.contains("FAILING")).unwrap_or_default();
    assert!(line.contains("EXPERIMENTAL") && line.contains("acme") && line.contains("the last try failed"), "{doctor}");
    assert_eq!(home.lwa(&["refresh", "--provider", "acmee", "--json"]).code, 2);
}

#[test]
fn models_are_told_with_the_source_and_the_day_of_their_price() {
    let provider = fake("answer");
    let home = TestHome::with_config(&config(&provider, "free", "")).set("ACME_KEY", "k-1");
    let model = home.lwa(&["models", "--provider", "acme", "--json"]).json()["models"][0].clone();
    assert_eq!((&model["price"]["source"], &model["is_price_stale"]), (&json!("config"), &json!(false)), "{model}");
    assert!(model["price"]["as_of"].is_string() && model["provenance"].is_array(), "{model}");
    let readable = home.lwa(&["models", "--provider", "acme"]).stdout;
    assert!(readable.contains("$5.00 in, $20.00 out per million (config"), "{readable}");
    let acme = home.lwa(&["providers", "--json"]).json()["providers"].clone();
    let acme = acme.as_array().unwrap().iter().find(|provider| provider["name"] == "acme").unwrap().clone();
    assert_eq!(
        (&acme["adapter"], &acme["listed_at"], &acme["state"]),
        (&json!("openai"), &Value::Null, &json!("unverified"))
    );
    let doctor = home.lwa(&["doctor"]).stdout;
    assert!(
        doctor.contains("UNVERIFIED") && !doctor.lines().any(|line| line.starts_with("READY") && line.contains("acme"))
    );
}

#[test]
fn an_effort_that_no_model_takes_is_refused_with_those_that_are_taken() {
    let provider = fake("answer");
    let text =
        config(&provider, "free", "").replace("context_length", "reasoning_levels = [\"instant\"]\ncontext_length");
    let home = TestHome::with_config(&text).set("ACME_KEY", "k-1");
    let ran = home.lwa(&["plan", "query", "why?", "--provider", "acme", "--reasoning-effort", "high", "--json"]);
    let said = format!("{} {}", ran.json()["error"]["message"], ran.json()["error"]["hint"]);
    assert!(ran.code == 3 && said.contains("instant"), "{said}");
}

#[test]
fn a_plan_dearer_than_its_ceiling_is_refused_at_every_door() {
    let provider = fake("answer");
    let home = TestHome::with_config(&config(&provider, "paid", "")).set("ACME_KEY", "k-1");
    let plan = |ceiling: &str| home.lwa(&["plan", "query", "why?", "--allow-paid", "--max-cost", ceiling, "--json"]);
    assert_eq!(plan("0.10").code, 0);
    let dear = plan("0.001");
    assert_eq!((dear.code, &dear.json()["error"]["code"]), (4, &json!("cap_exceeded")), "{dear:?}");
    assert_eq!(plan("-1").code, 2);
    let mut sidecar = Sidecar::start(&home, Era::Legacy, &[]);
    let mut arguments = json!({ "task": "query", "prompt": "why?", "allow_paid": true, "max_cost_usd": 0.001 });
    assert_eq!(sidecar.tool("prepare_task", arguments.clone())["error"]["code"], "cap_exceeded");
    arguments["max_cost_usd"] = json!("0.10");
    assert_eq!(sidecar.tool("prepare_task", arguments)["status"], "confirmation_required");
    assert_eq!(provider.count("POST"), 0);
}

#[test]
fn a_32_a_required_class_has_no_substitute() {
    let provider = fake("answer");
    let home = TestHome::with_config(&config(&provider, "free", "")).set("ACME_KEY", "k-1");
    let plan = |class: &str| home.lwa(&["plan", "query", "why?", "--allow-paid", "--billing-class", class, "--json"]);
    assert_eq!((plan("paid").code, &plan("paid").json()["error"]["code"]), (3, &json!("no_route")));
    assert_eq!(plan("free").json()["routes"][0]["provider"], "acme");
    assert_eq!((plan("gratis").code, plan("gratis").json()["error"]["code"].clone()), (2, json!("invalid_input")));
}

#[test]
fn the_form_of_an_answer_travels_to_the_provider() {
    let provider = fake("answer");
    let home = TestHome::with_config(&config(&provider, "free", "")).set("ACME_KEY", "k-1");
    let schema = r#"{"type":"object","properties":{"n":{"type":"integer"}}}"#;
    std::fs::write(home.folder().join("schema.json"), schema).unwrap();
    for form in ["json_object", schema, "@schema.json"] {
        let ran = home.lwa(&["run", "query", "why?", "--response-format", form, "--json"]);
        assert_eq!(ran.code, 0, "{form}: {ran:?}");
    }
    let forms: Vec<Value> = provider.calls().iter().map(|call| call.json()["response_format"].clone()).collect();
    assert_eq!(forms[0]["type"], "json_object");
    assert_eq!(forms[1]["json_schema"]["schema"], serde_json::from_str::<Value>(schema).unwrap());
    assert_eq!(forms[1], forms[2]);
    for wrong in ["yaml", "{broken", "@missing.json"] {
        assert_eq!(home.lwa(&["run", "query", "why?", "--response-format", wrong, "--json"]).code, 2, "{wrong}");
    }
}

/// Plans and runs a query, with what its caller thinks of the next tier.
fn run_with(sidecar: &mut Sidecar, suggestion: Option<&str>) -> Value {
    let plan = sidecar.tool("prepare_task", json!({ "task": "query", "prompt": "why?" }));
    let arguments = json!({ "plan_token": plan["plan_token"], "next_tier_suggestion": suggestion });
    sidecar.tool("run_prepared_task", arguments)
}

#[test]
fn lwa_057_guidance_of_the_host_is_a_thought_about_the_next_preflight() {
    let provider = fake("answer");
    let home = TestHome::with_config(&config(&provider, "free", "")).set("ACME_KEY", "k-1");
    let mut sidecar = Sidecar::start(&home, Era::Legacy, ROUTER);
    assert!(run_with(&mut sidecar, None).get("next_tier_guidance").is_none(), "it is off unless somebody turns it on");
    assert_eq!(
        sidecar.tool("set_tier_guidance", json!({})),
        json!({ "enabled": true, "mode": "local", "_is_error": false })
    );
    let local = run_with(&mut sidecar, None);
    let guidance = &local["next_tier_guidance"];
    assert_eq!((&guidance["source"], &guidance["current"]), (&json!("local"), &json!("acme:big-1")), "{local}");
    assert_eq!(guidance["accepted"], false);
    assert!(guidance["directive"].as_str().unwrap().contains("fresh preflight"));
}

#[test]
fn lwa_058_what_a_client_suggests_is_kept_as_it_is_and_changes_no_route() {
    let provider = fake("answer");
    let home = TestHome::with_config(&config(&provider, "free", "")).set("ACME_KEY", "k-1");
    let mut sidecar = Sidecar::start(&home, Era::Legacy, ROUTER);
    let before = run_with(&mut sidecar, None)["route"].clone();
    let suggestion = "take builtin, a cheap one will do";
    let ran = run_with(&mut sidecar, Some(suggestion));
    let given = &ran["next_tier_guidance"];
    assert_eq!(
        (&given["source"], &given["suggestion"], &given["accepted"]),
        (&json!("host_ingested"), &json!(suggestion), &json!(false))
    );
    assert_eq!((&ran["route"], run_with(&mut sidecar, None)["route"].clone()), (&before, before.clone()));
}

#[test]
fn lwa_059_guidance_outlives_its_host() {
    let home = TestHome::new();
    let mut sidecar = Sidecar::start(&home, Era::Modern, ROUTER);
    let set = sidecar.tool("set_tier_guidance", json!({ "enabled": true, "mode": "codex_request" }));
    assert_eq!(set["mode"], "codex_request");
    assert_eq!(sidecar.tool("set_tier_guidance", json!({ "mode": "loud" }))["error"]["code"], "invalid_input");
    home.lwa(&["stop"]);
    let plan = sidecar.tool("prepare_task", json!({ "task": "conversation_compression", "prompt": "user: hello\n" }));
    let ran = sidecar.tool("run_prepared_task", json!({ "plan_token": plan["plan_token"] }));
    assert_eq!(ran["next_tier_guidance"]["source"], "codex_request", "{ran}");
}

#[test]
fn a_session_may_ask_for_more_asking_and_never_grants_itself_less() {
    let provider = fake("answer");
    let home = TestHome::with_config(&config(&provider, "free", "")).set("ACME_KEY", "k-1");
    let mut one = Sidecar::start_apart(&home, Era::Legacy, ROUTER);
    let mut other = Sidecar::start_apart(&home, Era::Legacy, ROUTER);
    let asks = |sidecar: &mut Sidecar| {
        sidecar.tool("prepare_task", json!({ "task": "query", "prompt": "why?" }))["requires_confirmation"] == true
    };
    let stricter = one.tool("set_switch_confirmation", json!({ "mode": "always_ask" }));
    assert_eq!((&stricter["status"], &stricter["consent_mode"]), (&json!("ready"), &json!("always_ask")), "{stricter}");
    assert!(asks(&mut one) && !asks(&mut other), "one session alone is asked more");
    for _ in 0..2 {
        let looser = one.tool("set_switch_confirmation", json!({ "mode": "never" }));
        assert_eq!((&looser["status"], &looser["consent_mode"]), (&json!("unavailable"), &json!("always_ask")));
        assert!(looser["next_step"].as_str().unwrap().contains("stop"), "{looser}");
    }
    assert!(asks(&mut one));
    let open = home.open_approvals();
    assert_eq!((open.len(), &open[0]["detail"]["type"]), (1, &json!("session_consent")), "{open:?}");
    let (id, code) = (open[0]["id"].as_str().unwrap(), open[0]["code"].as_str().unwrap());
    let shown = home.lwa(&["approvals", "show", id]).stdout;
    assert!(shown.contains("always_ask → automatic"), "{shown}");
    assert_eq!(home.lwa_on_terminal(&["approvals", "allow", id], &format!("{code}\n")).code, 0);
    let granted = one.tool("set_switch_confirmation", json!({ "mode": "never" }));
    assert_eq!((&granted["status"], &granted["consent_mode"]), (&json!("ready"), &json!("automatic")), "{granted}");
    assert!(!asks(&mut one) && !asks(&mut other));
    let wrong = one.tool("set_switch_confirmation", json!({ "mode": "sometimes" }));
    assert_eq!(wrong["error"]["code"], "invalid_input");
}

#[rstest]
#[case("build_consensus", json!({ "question": "q" }))]
#[case("generate_image", json!({ "prompt": "p" }))]
#[case("generate_video", json!({ "prompt": "p" }))]
fn without_a_route_a_preparation_says_why_and_what_to_do(#[case] tool: &str, #[case] arguments: Value) {
    let home = TestHome::new();
    let mut sidecar = Sidecar::start(&home, Era::Legacy, ROUTER);
    let refused = sidecar.tool(tool, arguments);
    assert_eq!((&refused["_is_error"], &refused["error"]["code"]), (&json!(true), &json!("no_route")), "{refused}");
    assert!(refused["error"]["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{refused}");
}
