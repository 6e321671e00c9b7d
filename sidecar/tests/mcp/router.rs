//! The router's further tools: consensus, pictures, upkeep. What goes out, what comes back, and how much of it.

use lwa_protocol::plan::ApproveStatus;
use serde_json::{Value, json};

use crate::support::answers::{PLAN, consensus, consent, pictures, working};
use crate::support::client::{ERAS, Era, Start};
use crate::support::fake_host::{Act, FakeHost};
use crate::support::home;

const ROUTER: &[&str] = &["--toolsets", "router"];

/// Bytes that a reply may take.
const BUDGET: usize = 8000;

fn answering(answer: impl serde::Serialize) -> impl Fn(&str, &Value) -> Vec<Act> + Send + Sync {
    let answer = serde_json::to_value(answer).unwrap();
    move |method, params| match method {
        "plan/run" | "plan/result" | "consent/set" => vec![Act::Answer(answer.clone())],
        _ => working(method, params),
    }
}

#[test]
fn a_consensus_and_media_are_prepared_with_what_was_given() {
    let home = home();
    let host = FakeHost::at(home.path(), working);
    let mut client = Start::at(home.path()).arguments(ROUTER).client(Era::Modern).open();
    let mut sent = |tool: &str, arguments: Value| {
        client.tool(tool, &arguments);
        let mut params = host.call("plan/prepare");
        params.as_object_mut().unwrap().retain(|name, value| {
            !value.is_null()
                && !["prompt", "quality", "usual_output_tokens", "tool_name", "excluded_limit"].contains(&name.as_str())
        });
        params
    };
    let question = json!({"question": "is it safe?", "voters": 3, "allow_paid": true, "excluded_providers": ["a"]});
    let usual = json!({"allow_user_pays": false, "preferred_providers": []});
    let with = |more: Value| {
        let mut all = usual.clone();
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };
    assert_eq!(
        sent("build_consensus", question),
        with(json!({"task": "consensus", "voters": 3, "allow_paid": true, "excluded_providers": ["a"]}))
    );
    // Without a number every eligible model votes, so none is made up.
    assert!(sent("build_consensus", json!({"question": "q"})).get("voters").is_none());
    let picture = sent("generate_image", json!({"prompt": "a cat", "aspect_ratio": "16:9", "output_format": "webp"}));
    let media = json!({"aspect_ratio": "16:9", "output_format": "webp", "seconds": null, "size": null});
    assert_eq!(
        picture,
        with(json!({"task": "image_generation", "media": media, "allow_paid": false, "excluded_providers": []}))
    );
    for seconds in [json!(8), json!("8")] {
        let film = sent("generate_video", json!({"prompt": "a cat", "seconds": seconds, "size": "720x1280"}));
        assert_eq!((&film["media"]["seconds"], &film["media"]["size"]), (&json!("8"), &json!("720x1280")));
    }
    let work = sent(
        "smart_complete",
        json!({"task": "query", "prompt": "x", "workflow_name": "notes", "workflow_tags": ["a"], "project": "p"}),
    );
    let workflow = json!({"name": "notes", "description": null, "project": "p", "tags": ["a"]});
    assert_eq!(work["workflow"], workflow);
    assert!(sent("smart_complete", json!({"task": "query", "prompt": "x"})).get("workflow").is_none());
}

#[test]
fn a_consensus_shows_its_synthesis_and_a_line_for_each_review() {
    let home = home();
    let _host = FakeHost::at(home.path(), answering(consensus(7, 500, Some("All agree."))));
    for era in ERAS {
        let mut client = Start::at(home.path()).client(era).open();
        let result = client.tool("run_prepared_task", &json!({"plan_token": "t"}));
        let content = &result["structuredContent"];
        assert_eq!((&content["status"], &content["text"]), (&json!("completed"), &json!("All agree.")));
        let summary = &content["consensus"];
        assert_eq!((&summary["voters"], &summary["answered"]), (&json!(8), &json!(7)));
        let line = summary["reviews"][3]["line"].as_str().unwrap();
        assert!(line.starts_with("review 3 word") && line.chars().count() <= 160 && line.ends_with('…'), "{line}");
        assert_eq!(summary["voter_failures"][0]["code"], "provider_timed_out");
        assert!(content.to_string().len() <= BUDGET, "{}", content.to_string().len());
        let uri = content["full_text_uri"].as_str().unwrap();
        assert!(result["content"].as_array().unwrap().iter().any(|block| block["uri"] == uri), "{result}");
        let read = client.request("resources/read", json!({"uri": uri}));
        let whole = read["result"]["contents"][0]["text"].as_str().unwrap();
        assert!(whole.starts_with("All agree.") && whole.contains("## p-6:m"), "{whole}");
        assert!(whole.contains(&"word ".repeat(499)) && whole.contains("slow:m: it took too long"));
        let piece = client.tool("run_prepared_task", &json!({"plan_token": "t", "text_offset": 0}));
        assert_eq!(piece["structuredContent"]["text_bytes"], whole.len());
    }
}

#[test]
fn many_voters_still_fit_a_reply() {
    let home = home();
    let _host = FakeHost::at(home.path(), answering(consensus(39, 500, Some("All agree."))));
    let mut client = Start::at(home.path()).client(Era::Legacy).open();
    let content = client.tool("run_prepared_task", &json!({"plan_token": "t"}))["structuredContent"].clone();
    assert_eq!(content["consensus"]["reviews"].as_array().unwrap().len(), 39);
    assert!(content.to_string().len() <= BUDGET, "{}", content.to_string().len());
}

#[test]
fn a_consensus_without_a_synthesis_keeps_its_reviews() {
    let home = home();
    let _host = FakeHost::at(home.path(), answering(consensus(1, 5, None)));
    let mut client = Start::at(home.path()).client(Era::Legacy).open();
    let result = client.tool("run_prepared_task", &json!({"plan_token": "t"}));
    let content = &result["structuredContent"];
    assert_eq!((&result["isError"], &content["error"]["code"]), (&json!(true), &json!("provider_failed")));
    assert_eq!(content["consensus"]["reviews"][0]["line"], "review 0 word word word word word");
    let read = client.request("resources/read", json!({"uri": content["full_text_uri"]}));
    let whole = read["result"]["contents"][0]["text"].as_str().unwrap();
    assert!(whole.contains("There is no synthesis: too few voters answered.") && whole.contains("review 0"), "{whole}");
}

#[test]
fn a_picture_comes_with_its_path_a_link_and_itself_when_it_is_small() {
    let home = home();
    let host = FakeHost::at(home.path(), answering(pictures(&[1000, 1_048_577])));
    let mut client = Start::at(home.path()).client(Era::Legacy).open();
    let result = client.tool("run_prepared_task", &json!({"plan_token": "t"}));
    let files = &result["structuredContent"]["media"]["files"];
    assert_eq!(files[1]["path"], "/home/someone/generated/1.png");
    let uri = format!("lwa://media/{PLAN}/1");
    assert_eq!(files[1]["uri"], uri);
    let blocks = result["content"].as_array().unwrap();
    let links: Vec<&Value> =
        blocks.iter().filter(|block| block["type"] == "resource_link").map(|block| &block["uri"]).collect();
    assert_eq!(links, [&json!(format!("lwa://media/{PLAN}/0")), &json!(uri)]);
    let inline: Vec<&Value> = blocks.iter().filter(|block| block["type"] == "image").collect();
    assert_eq!(inline.len(), 1, "only the small one");
    assert_eq!((&inline[0]["data"], &inline[0]["mimeType"]), (&json!("iVBORw=="), &json!("image/png")));
    assert_eq!(host.call("plan/media")["index"], 0);
    let read = client.request("resources/read", json!({"uri": uri}));
    let content = &read["result"]["contents"][0];
    assert_eq!((&content["blob"], &content["mimeType"]), (&json!("iVBORw=="), &json!("image/png")));
    assert_eq!(host.call("plan/media"), json!({"plan_id": PLAN, "index": 1}));
}

#[test]
fn less_asking_is_never_granted_and_says_how_it_stands() {
    for (status, word) in [
        (ApproveStatus::ApprovalPending, "repeat this call"),
        (ApproveStatus::Unavailable, "tell the user what message says and stop"),
    ] {
        let home = home();
        let host = FakeHost::at(home.path(), answering(consent(status)));
        let mut client = Start::at(home.path()).arguments(ROUTER).client(Era::Legacy).open();
        let content =
            client.tool("set_switch_confirmation", &json!({"mode": "automatic"}))["structuredContent"].clone();
        assert_eq!(content["consent_mode"], "paid_only");
        assert!(content["next_step"].as_str().unwrap().contains(word), "{content}");
        let sent = host.call("consent/set");
        assert_eq!(sent["mode"], "automatic");
        assert!((4_000..=8_000).contains(&sent["hold_ms"].as_u64().unwrap()), "{sent}");
    }
}

#[test]
fn each_upkeep_tool_sends_what_it_was_given() {
    let home = home();
    let host = FakeHost::at(home.path(), working);
    let mut client = Start::at(home.path()).arguments(ROUTER).client(Era::Modern).open();
    let calls = [
        ("refresh_model_catalog", json!({}), "catalogue/refresh", json!({"provider": null, "force": true})),
        (
            "refresh_model_catalog",
            json!({"force": false, "provider": "acme"}),
            "catalogue/refresh",
            json!({"provider": "acme", "force": false}),
        ),
        ("refresh_provider_quotas", json!({}), "quota/refresh", json!({})),
        ("pipeline_status", json!({"provider": ""}), "pipeline/status", json!({"provider": null, "probe": false})),
        (
            "pipeline_status",
            json!({"provider": "acme", "probe": true}),
            "pipeline/status",
            json!({"provider": "acme", "probe": true}),
        ),
        (
            "mark_pipeline",
            json!({"provider": "acme", "status": "maintenance", "detail": "until noon"}),
            "pipeline/mark",
            json!({"provider": "acme", "status": "maintenance", "detail": "until noon"}),
        ),
        ("invalidate_pipeline_probe_cache", json!({}), "pipeline/forget", json!({"provider": null})),
        ("model_tiers", json!({"limit": 7}), "tier/list", json!({"limit": 7})),
        ("set_tier_guidance", json!({}), "guidance/set", json!({"enabled": true, "mode": "local"})),
        (
            "set_tier_guidance",
            json!({"enabled": false, "mode": "codex_request"}),
            "guidance/set",
            json!({"enabled": false, "mode": "codex_request"}),
        ),
    ];
    for (tool, arguments, method, params) in calls {
        let result = client.tool(tool, &arguments);
        assert_eq!(result["isError"], false, "{tool}: {result}");
        assert_eq!(host.call(method), params, "{tool}");
    }
}

#[test]
fn long_lists_are_cut_to_the_budget_counted_and_linked() {
    let home = home();
    let _host = FakeHost::at(home.path(), working);
    let mut client = Start::at(home.path()).arguments(ROUTER).client(Era::Legacy).open();
    let result = client.tool("model_tiers", &json!({"limit": 300}));
    let content = &result["structuredContent"];
    let shown = content["tiers"].as_array().unwrap();
    assert!(content.to_string().len() <= BUDGET && shown.len() >= 10, "{} rows", shown.len());
    assert_eq!(shown.len() + usize::try_from(content["tiers_more"].as_u64().unwrap()).unwrap(), 300);
    assert_eq!(shown[0]["rank"], 1, "the best stay");
    assert_eq!(content["all_tiers_uri"], "lwa://model-tiers");
    assert_eq!(result["content"][1]["uri"], "lwa://model-tiers");
    let all = client.request("resources/read", json!({"uri": "lwa://model-tiers"}));
    let all: Value = serde_json::from_str(all["result"]["contents"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(all["tiers"].as_array().unwrap().len(), 300);
    let pipelines = client.tool("pipeline_status", &json!({}))["structuredContent"].clone();
    assert!(pipelines.to_string().len() <= BUDGET, "{}", pipelines.to_string().len());
    let rows = pipelines["pipelines"].as_array().unwrap();
    assert_eq!(rows.len(), 30);
    assert!(rows[0].get("check_mode").is_some() && rows[1].get("check_mode").is_none());
    let named = client.tool("pipeline_status", &json!({"provider": "x"}))["structuredContent"].clone();
    assert!(named["pipelines"][1].get("check_mode").is_some(), "who is named is told whole");
}

#[test]
fn lwa_001_the_syntax_contract_is_told_without_a_host() {
    let home = home();
    let mut client = Start::at(home.path()).arguments(ROUTER).client(Era::Legacy).open();
    let content = client.tool("syntax_contract_resource", &json!({}))["structuredContent"].clone();
    let expected = json!({
        "tasks": [
            "quick_response", "query", "conversation_compression", "token_optimization", "document_editing", "sitrep",
            "planning", "consensus", "verification", "coding_aux", "image_generation", "video_generation",
        ],
        "qualities": ["economy", "balanced", "high"],
        "reasoning_efforts": ["instant", "medium", "high"],
        "reasoning_effort_mapping": {"instant": "none", "medium": "medium", "high": "high"},
        "public_template_variables": ["{input}"],
        "internal_template_variables": ["{{CONSENSUS_TRANSCRIPT}}"],
    });
    assert_eq!(content, expected);
    assert!(!lwa_config::Home::at(home.path()).unwrap().lock_file().exists(), "a host was started for it");
}

#[test]
fn lwa_107_a_smaller_detail_tells_less_and_nothing_else() {
    let home = home();
    let _host = FakeHost::at(home.path(), working);
    let mut client = Start::at(home.path()).arguments(ROUTER).client(Era::Legacy).open();
    let calls = [
        ("prepare_task", json!({"task": "query", "prompt": "x"})),
        ("approve_preflight", json!({"confirmation_token": "c"})),
        ("run_prepared_task", json!({"plan_token": "t"})),
        ("router_status", json!({})),
    ];
    for (tool, arguments) in calls {
        let mut at = |detail: &str| {
            let mut arguments = arguments.clone();
            arguments["response_detail"] = detail.into();
            client.tool(tool, &arguments)["structuredContent"].clone()
        };
        let (compact, standard, debug) = (at("compact"), at("standard"), at("debug"));
        assert!(is_part_of(&compact, &standard) && is_part_of(&standard, &debug), "{tool}");
        assert!(compact.to_string().len() <= standard.to_string().len(), "{tool}");
        assert!(standard.to_string().len() <= debug.to_string().len(), "{tool}");
        assert_eq!(at("verbose")["error"]["code"], "invalid_input", "{tool}");
    }
}

/// Whether everything in `less` is in `more` with the same value.
fn is_part_of(less: &Value, more: &Value) -> bool {
    match (less, more) {
        (Value::Object(less), Value::Object(more)) => {
            less.iter().all(|(name, value)| more.get(name).is_some_and(|other| is_part_of(value, other)))
        }
        (Value::Array(less), Value::Array(more)) => less.iter().zip(more).all(|(less, more)| is_part_of(less, more)),
        (less, more) => less == more,
    }
}
