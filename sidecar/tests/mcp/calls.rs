//! Calls that reach the host: what goes out, what comes back.

use std::time::Duration;

use lwa_domain::ErrorCode;
use lwa_protocol::Failure;
use lwa_protocol::plan::{ApproveStatus, RunStatus};
use serde_json::{Value, json};

use crate::support::answers::{PLAN, approved, completed, failed_run, prepared, run, working};
use crate::support::client::{ERAS, Era, Start};
use crate::support::fake_host::{Act, FakeHost, Seen};
use crate::support::home;

/// The text block, which has to be complete for clients that show nothing else.
fn text(result: &Value) -> String {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{result}")).to_owned()
}

#[test]
fn the_main_job_runs_in_both_eras() {
    let home = home();
    let _host = FakeHost::at(home.path(), working);
    for era in ERAS {
        let mut client = Start::at(home.path()).client(era).open();
        let prompt = json!({"task": "conversation_compression", "prompt": "user: hello"});
        let plan = client.tool("prepare_task", &prompt)["structuredContent"].clone();
        assert_eq!((&plan["working_may_begin"], &plan["plan_token"]), (&json!(true), &json!("token-1")));
        let result = client.tool("run_prepared_task", &json!({"plan_token": plan["plan_token"]}));
        assert_eq!(result["structuredContent"]["text"], "short");
        assert_eq!(result["isError"], false);
    }
}

#[test]
fn a_preparation_passes_on_everything_it_was_given() {
    let home = home();
    let host = FakeHost::at(home.path(), working);
    let mut client = Start::at(home.path()).client(Era::Legacy).open();
    client.tool(
        "prepare_task",
        &json!({
            "task": "query", "prompt": "why", "system_prompt": "be brief", "quality": "high", "reasoning_effort": "medium",
            "allow_paid": true, "allow_user_pays": true, "max_output_tokens": 77, "preferred_providers": ["a", "b"],
            "excluded_providers": ["c"], "provider": "d", "model": "e", "max_cost_usd": "0.05",
            "required_billing_class": "paid", "response_format": "json_object",
        }),
    );
    let expected = json!({
        "task": "query", "prompt": "why", "system_prompt": "be brief", "quality": "high", "reasoning_effort": "medium",
        "allow_paid": true, "allow_user_pays": true, "max_output_tokens": 77, "usual_output_tokens": 1200, "preferred_providers": ["a", "b"],
        "excluded_providers": ["c"], "provider": "d", "model": "e", "tool_name": "prepare_task",
        "max_cost_pico_usd": "50000000000", "required_billing_class": "paid", "response_format": "json_object",
        "excluded_limit": 8,
    });
    let mut sent = host.call("plan/prepare");
    sent.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    assert_eq!(sent, expected);
}

#[test]
fn lwa_105_smart_complete_and_confirm_and_run_never_run_anything() {
    let home = home();
    let host = FakeHost::at(home.path(), working);
    let mut client = Start::at(home.path()).arguments(&["--toolsets", "router"]).client(Era::Modern).open();
    client.tool("smart_complete", &json!({"task": "query", "prompt": "why"}));
    client.tool("confirm_and_run", &json!({"confirmation_token": "c"}));
    let called = || {
        host.wait_for(|seen| match seen {
            Seen::Call { method, .. } => Some(method),
            _ => None,
        })
    };
    assert_eq!([called(), called()], ["plan/prepare", "plan/approve"]);
    client.tool("router_status", &json!({}));
    assert_eq!(called(), "router/status");
}

#[test]
fn each_alias_prepares_its_task_with_its_defaults() {
    let home = home();
    let host = FakeHost::at(home.path(), working);
    let mut client = Start::at(home.path()).arguments(&["--toolsets", "router"]).client(Era::Modern).open();
    let aliases = [
        ("quick_response", "prompt", "quick_response", "economy", 700),
        ("answer_query", "prompt", "query", "balanced", 1400),
        ("verify_work", "material", "verification", "balanced", 1800),
        ("compress_conversation", "conversation", "conversation_compression", "economy", 1200),
        ("optimize_prompt", "prompt", "token_optimization", "economy", 1200),
        ("write_sitrep", "project_material", "sitrep", "balanced", 2400),
        ("plan_work", "objective", "planning", "balanced", 2600),
    ];
    for (tool, parameter, task, quality, tokens) in aliases {
        client.tool(tool, &json!({parameter: "the material"}));
        let params = host.call("plan/prepare");
        let seen = (
            &params["task"],
            &params["prompt"],
            &params["quality"],
            &params["usual_output_tokens"],
            &params["tool_name"],
        );
        let expected = (&json!(task), &json!("the material"), &json!(quality), &json!(tokens), &json!(tool));
        assert_eq!(seen, expected);
    }
    for tool in ["route_task", "smart_complete"] {
        client.tool(tool, &json!({"task": "planning", "prompt": "x"}));
        let params = host.call("plan/prepare");
        assert_eq!((&params["task"], &params["tool_name"]), (&json!("planning"), &json!(tool)));
    }
    client.tool("edit_document", &json!({"document": "old text", "instructions": "fix it", "quality": "high"}));
    let params = host.call("plan/prepare");
    let prompt = params["prompt"].as_str().unwrap();
    assert!(prompt.find("fix it").unwrap() < prompt.find("old text").unwrap(), "{prompt}");
    assert_eq!((&params["quality"], &params["usual_output_tokens"]), (&json!("high"), &json!(5000)));
    client.tool("confirm_and_run", &json!({"confirmation_token": "c"}));
    assert_eq!(host.call("plan/approve")["confirmation_token"], "c");
}

#[test]
fn mc_11_text_and_structured_content_are_each_complete() {
    let home = home();
    let _host = FakeHost::at(home.path(), working);
    for era in ERAS {
        let mut client = Start::at(home.path()).client(era).open();
        let calls = [
            ("prepare_task", json!({"task": "query", "prompt": "x"})),
            ("approve_preflight", json!({"confirmation_token": "c"})),
            ("run_prepared_task", json!({"plan_token": "t"})),
            ("router_status", json!({})),
        ];
        for (tool, arguments) in calls {
            let result = client.tool(tool, &arguments);
            let from_text: Value = serde_json::from_str(&text(&result)).unwrap();
            assert_eq!(from_text, result["structuredContent"], "{tool}");
        }
    }
}

/// What replies tell of how it went and no caller acts on; the list of tools is read on every start and leaves it out.
const ACCOUNTS: [&str; 22] = [
    "usage",
    "phase",
    "task",
    "quality",
    "reasoning_effort",
    "estimated_input_tokens",
    "max_output_tokens",
    "excluded_more",
    "prompt_hash",
    "mode",
    "locks",
    "omitted_characters",
    "latency_ms",
    "finish_reason",
    "display",
    "panel",
    "warnings",
    "next_tier_guidance",
    "product",
    "is_paused",
    "catalog_models",
    "providers_more",
];

#[test]
fn mc_11_structured_content_fits_the_output_schema() {
    let home = home();
    let _host = FakeHost::at(home.path(), working);
    let mut client = Start::at(home.path()).arguments(&["--toolsets", "router"]).client(Era::Legacy).open();
    let tools = client.request("tools/list", json!({}))["result"]["tools"].as_array().unwrap().clone();
    for tool in tools {
        let arguments = match tool["name"].as_str().unwrap() {
            "prepare_task" => json!({"task": "query", "prompt": "x", "response_detail": "debug"}),
            "approve_preflight" => json!({"confirmation_token": "c"}),
            "run_prepared_task" => json!({"plan_token": "t", "response_detail": "debug"}),
            "router_status" => json!({"response_detail": "debug"}),
            "set_switch_confirmation" => json!({"mode": "always_ask"}),
            "mark_pipeline" => json!({"provider": "acme", "status": "ready"}),
            name => match tool["inputSchema"]["required"][0].as_str() {
                // Aliases take their material under names of their own.
                Some(_) => {
                    let required = tool["inputSchema"]["required"].as_array().unwrap();
                    let value = |name: &Value| if name == "task" { json!("query") } else { json!("x") };
                    required.iter().map(|name| (name.as_str().unwrap().to_owned(), value(name))).collect()
                }
                None => json!({"limit": 300}).as_object().filter(|_| name == "model_tiers").cloned().into(),
            },
        };
        let result = client.tool(tool["name"].as_str().unwrap(), &arguments);
        for (name, value) in result["structuredContent"].as_object().unwrap() {
            let property = &tool["outputSchema"]["properties"][name];
            // Aliases answer what `prepare_task` answers and name only the way on again.
            if property.is_null()
                && result["structuredContent"].get("plan_token").is_some()
                && tool["name"] != "prepare_task"
            {
                continue;
            }
            if property.is_null() && ACCOUNTS.contains(&name.as_str()) {
                continue;
            }
            assert!(property.is_object(), "{name} of {} is not in the schema", tool["name"]);
            let fits = match property["type"].as_str() {
                Some("string") => value.is_string(),
                Some("boolean") => value.is_boolean(),
                Some("integer") => value.is_u64(),
                Some("array") => value.is_array(),
                Some("object") => value.is_object(),
                Some(other) => panic!("{other}"),
                None => name.ends_with("_pico_usd") && value.is_u64(),
            };
            assert!(fits, "{name}: {value}");
        }
    }
}

#[test]
fn a_failure_keeps_its_message_its_way_out_and_its_code() {
    let home = home();
    let refuse = |method: &str, params: &Value| match method {
        "plan/prepare" => {
            let failure = Failure::new(ErrorCode::InvalidInput, "invalid task `x`").hint("use `query`");
            vec![Act::Fail(failure)]
        }
        _ => working(method, params),
    };
    let _host = FakeHost::at(home.path(), refuse);
    let mut client = Start::at(home.path()).client(Era::Modern).open();
    let result = client.tool("prepare_task", &json!({"task": "x", "prompt": "y"}));
    assert_eq!(result["isError"], true);
    assert_eq!(text(&result), "invalid task `x` — use `query` (invalid_input)");
    let expected = json!({"error": {"code": "invalid_input", "message": "invalid task `x`", "hint": "use `query`"}});
    assert_eq!(result["structuredContent"], expected);
}

#[test]
fn mc_11_a_run_that_failed_is_an_error_with_everything_in_it() {
    let home = home();
    let _host = FakeHost::at(home.path(), |_, _| failed_run());
    let mut client = Start::at(home.path()).client(Era::Legacy).open();
    let result = client.tool("run_prepared_task", &json!({"plan_token": "t"}));
    let content = &result["structuredContent"];
    assert_eq!((&result["isError"], &content["status"]), (&json!(true), &json!("repreflight_required")));
    assert_eq!(content["error"]["code"], "provider_timed_out");
    let text = text(&result);
    for part in ["the provider did not answer", "prepare a new plan", "provider_timed_out", PLAN] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn amounts_are_numbers_and_nulls_are_left_out() {
    let home = home();
    let _host = FakeHost::at(home.path(), working);
    let mut client = Start::at(home.path()).client(Era::Legacy).open();
    let plan = client.tool("prepare_task", &json!({"task": "query", "prompt": "x"}))["structuredContent"].clone();
    assert_eq!(plan["max_cost_pico_usd"], 1_500_000);
    assert_eq!(plan["routes"][0]["billing_class"], "free");
    assert!(plan.get("confirmation_token").is_none() && plan["routes"][0].get("price_source").is_none(), "{plan}");
}

#[test]
fn mc_23_a_long_text_can_be_read_in_pieces() {
    let home = home();
    let whole = (0..400).map(|number| format!("line {number} of a long result\n")).collect::<Vec<_>>().concat();
    let answer = whole.clone();
    let _host = FakeHost::at(home.path(), move |_, _| completed(&answer));
    let mut client = Start::at(home.path()).client(Era::Legacy).open();
    let (mut read, mut offset) = (String::new(), json!(0));
    while !offset.is_null() {
        let arguments = json!({"plan_token": "t", "text_offset": offset, "max_text_bytes": 1000});
        let piece = client.tool("run_prepared_task", &arguments)["structuredContent"].clone();
        assert!(piece["text"].as_str().unwrap().len() <= 1000);
        read.push_str(piece["text"].as_str().unwrap());
        offset = piece["next_text_offset"].clone();
    }
    assert_eq!(read, whole);
}

#[test]
fn many_excluded_routes_are_counted_and_debug_shows_them_all() {
    let home = home();
    let _host = FakeHost::at(home.path(), |_, _| prepared(20));
    let mut client = Start::at(home.path()).client(Era::Legacy).open();
    let mut plan = |detail: &str| {
        let arguments = json!({"task": "query", "prompt": "x", "response_detail": detail});
        client.tool("prepare_task", &arguments)["structuredContent"].clone()
    };
    let compact = plan("compact");
    assert!(compact.get("excluded").is_none(), "why not another is no question about a plan that is ready");
    let standard = plan("standard");
    assert_eq!((standard["excluded"].as_array().unwrap().len(), &standard["excluded_more"]), (8, &json!(12)));
    assert!(compact["routes"][0].get("reasons").is_none());
    assert!(plan("standard")["routes"][0].get("reasons").is_some());
    let debug = plan("debug");
    assert_eq!(debug["excluded"].as_array().unwrap().len(), 20);
    assert!(debug.get("excluded_more").is_none());
}

#[test]
fn mc_14_consent_is_never_asked_of_the_client_and_the_way_to_approve_is_told() {
    let home = home();
    let host = FakeHost::at(home.path(), |_, _| {
        approved(ApproveStatus::Unavailable, "nobody could be asked; open Lwa or run `lwa approvals list`")
    });
    for era in ERAS {
        let mut client = Start::at(home.path()).client(era).open();
        let result = client.tool("approve_preflight", &json!({"confirmation_token": "c"}));
        assert_eq!(result["structuredContent"]["status"], "unavailable");
        assert!(text(&result).contains("lwa approvals list"));
        let next = result["structuredContent"]["next_step"].as_str().unwrap();
        assert!(next.contains("tell the user") && next.contains("stop"), "a refusal must not invite a loop: {next}");
        host.call("plan/approve");
        let ended = client.close();
        assert!(ended.received.iter().all(|message| message.get("method").is_none()), "{:?}", ended.received);
        assert!(ended.received.iter().all(|message| message["result"]["resultType"] != "input_required"));
    }
}

#[test]
fn mc_22_a_pending_approval_says_to_repeat_the_call() {
    let home = home();
    let _host = FakeHost::at(home.path(), |_, _| approved(ApproveStatus::ApprovalPending, "waiting for the human"));
    let mut client = Start::at(home.path()).client(Era::Legacy).open();
    let content = client.tool("approve_preflight", &json!({"confirmation_token": "c"}))["structuredContent"].clone();
    assert_eq!(content["status"], "approval_pending");
    assert!(content["next_step"].as_str().unwrap().contains("repeat this call"), "{content}");
}

#[test]
fn mc_22_the_host_is_told_how_long_the_client_can_wait() {
    let home = home();
    let host = FakeHost::at(home.path(), working);
    let mut client = Start::at(home.path()).client(Era::Legacy).open();
    let calls = [
        ("approve_preflight", "plan/approve", json!({"confirmation_token": "c"})),
        ("run_prepared_task", "plan/run", json!({"plan_token": "t"})),
    ];
    for (tool, method, arguments) in calls {
        let id = client.begin_tool(tool, &arguments, None);
        client.answer(id);
        let short = host.call(method)["hold_ms"].as_u64().unwrap();
        assert!((4_000..=8_000).contains(&short), "{short}");
        let id = client.begin_tool(tool, &arguments, Some("p"));
        client.answer(id);
        let long = host.call(method)["hold_ms"].as_u64().unwrap();
        assert!((40_000..=45_000).contains(&long), "{long}");
    }
}

#[test]
fn work_that_goes_on_says_to_repeat_the_call() {
    let home = home();
    let _host = FakeHost::at(home.path(), |_, _| run(RunStatus::Working));
    let mut client = Start::at(home.path()).client(Era::Modern).open();
    let result = client.tool("run_prepared_task", &json!({"plan_token": "t"}));
    assert_eq!((&result["isError"], &result["structuredContent"]["status"]), (&json!(false), &json!("working")));
    assert!(text(&result).contains("repeat this call with the same plan_token"));
}

#[test]
fn progress_of_the_host_is_passed_on_and_grows() {
    let home = home();
    let _host = FakeHost::at(home.path(), |_, _| {
        let mut acts = vec![Act::Progress("thinking"), Act::Progress("writing")];
        acts.extend(completed("done"));
        acts
    });
    for era in ERAS {
        let mut client = Start::at(home.path()).client(era).open();
        let id = client.begin_tool("run_prepared_task", &json!({"plan_token": "t"}), Some("token-9"));
        let is_progress = |message: &Value| message["method"] == "notifications/progress";
        let first = client.find(Duration::from_secs(5), is_progress).unwrap()["params"].clone();
        let second = client.find(Duration::from_secs(5), is_progress).unwrap()["params"].clone();
        assert_eq!((&first["message"], &second["message"]), (&json!("thinking"), &json!("writing")));
        assert_eq!(first["progressToken"], "token-9");
        assert!(first["progress"].as_f64() < second["progress"].as_f64(), "{first} {second}");
        assert_eq!(client.answer(id)["result"]["structuredContent"]["text"], "done");
    }
}

#[test]
fn mc_23_a_long_text_is_cut_and_linked_and_the_whole_can_be_read() {
    let home = home();
    let long = "a line that is kept whole\n".repeat(1500);
    let whole = long.clone();
    let host = FakeHost::at(home.path(), move |_, _| completed(&whole));
    for era in ERAS {
        let mut client = Start::at(home.path()).client(era).open();
        let result = client.tool("run_prepared_task", &json!({"plan_token": "t"}));
        let content = &result["structuredContent"];
        let kept = content["text"].as_str().unwrap();
        assert!(kept.len() <= 8000 && kept.ends_with('\n') && long.starts_with(kept), "{}", kept.len());
        assert_eq!((&content["text_truncated"], &content["text_bytes"]), (&json!(true), &json!(long.len())));
        let uri = content["full_text_uri"].as_str().unwrap();
        assert!(content["note"].as_str().unwrap().contains(uri));
        let link = &result["content"][1];
        assert_eq!((&link["type"], &link["uri"]), (&json!("resource_link"), &json!(uri)));
        assert!(result.to_string().len() <= 20_000, "{}", result.to_string().len());
        let read = client.request("resources/read", json!({"uri": uri}));
        assert_eq!(read["result"]["contents"][0]["text"], long.as_str());
        assert_eq!(host.call("plan/result")["plan_id"], PLAN);
    }
}

#[test]
fn mc_23_a_caller_may_ask_for_more_text() {
    let home = home();
    let long = "x".repeat(9000);
    let whole = long.clone();
    let _host = FakeHost::at(home.path(), move |_, _| completed(&whole));
    let mut client = Start::at(home.path()).client(Era::Legacy).open();
    let more = client.tool("run_prepared_task", &json!({"plan_token": "t", "max_text_bytes": 20_000}));
    assert_eq!(more["structuredContent"]["text"], long.as_str());
    assert!(more["structuredContent"].get("text_truncated").is_none());
    let less = client.tool("run_prepared_task", &json!({"plan_token": "t", "max_text_bytes": 500}));
    assert_eq!(less["structuredContent"]["text"].as_str().unwrap().len(), 500);
}

#[test]
fn each_resource_can_be_read() {
    let home = home();
    let _host = FakeHost::at(home.path(), working);
    for era in ERAS {
        let mut client = Start::at(home.path()).client(era).open();
        let resources = [
            ("lwa://status", "consent_mode"),
            ("lwa://catalog", "models"),
            ("lwa://model-tiers", "tiers"),
            ("lwa://doctor", "level"),
        ];
        for (uri, field) in resources {
            let answer = client.request("resources/read", json!({"uri": uri}));
            let content = &answer["result"]["contents"][0];
            assert_eq!((&content["uri"], &content["mimeType"]), (&json!(uri), &json!("application/json")));
            let json: Value = serde_json::from_str(content["text"].as_str().unwrap()).unwrap();
            assert!(json.get(field).is_some(), "{json}");
        }
    }
}

#[test]
fn an_unknown_resource_has_the_code_of_its_era() {
    let home = home();
    let _host = FakeHost::at(home.path(), |_, _| {
        vec![Act::Fail(Failure::new(ErrorCode::UnknownPlan, "the plan is not known"))]
    });
    for (era, code) in [(Era::Legacy, -32002), (Era::Modern, -32602)] {
        let mut client = Start::at(home.path()).client(era).open();
        for uri in [
            "lwa://nothing",
            "lwa://result/",
            "lwa://result/0000",
            "lwa://media/0000",
            "lwa://media/0/x",
            "file:///etc/passwd",
        ] {
            assert_eq!(client.request("resources/read", json!({"uri": uri}))["error"]["code"], code, "{uri}");
        }
    }
}

#[test]
fn a_compact_status_keeps_what_a_model_needs() {
    let home = home();
    let _host = FakeHost::at(home.path(), working);
    let mut client = Start::at(home.path()).client(Era::Legacy).open();
    let mut status =
        |detail: &str| client.tool("router_status", &json!({"response_detail": detail}))["structuredContent"].clone();
    let compact = status("compact");
    assert_eq!(compact["providers"][0]["state"], "ready");
    assert_eq!(compact["doctor"]["next_actions"], json!(["lwa keys"]));
    assert!(compact["doctor"].get("checks").is_none() && compact["providers"][0].get("adapter").is_none());
    let debug = status("debug");
    assert!(debug["doctor"]["checks"].is_array() && debug["providers"][0]["adapter"].is_string());
}

#[test]
fn the_host_learns_who_is_asking() {
    let home = home();
    let host = FakeHost::at(home.path(), working);
    let hello = || host.wait_for(|seen| if let Seen::Hello(hello) = seen { Some(hello) } else { None });
    for era in ERAS {
        let mut client = Start::at(home.path()).client(era).open();
        client.tool("router_status", &json!({}));
        let who = hello().client;
        assert_eq!((who.name.as_str(), who.version.as_deref()), ("test-client", Some("9.1")));
        assert_eq!(who.cwd, std::env::current_dir().unwrap().to_str().map(str::to_owned));
    }
    let mut client = Start::at(home.path()).arguments(&["--client", "work-laptop"]).client(Era::Legacy).open();
    client.tool("router_status", &json!({}));
    assert_eq!(hello().client.name.as_str(), "work-laptop");
}

#[test]
fn a_client_that_changes_within_a_connection_is_made_known() {
    let home = home();
    let host = FakeHost::at(home.path(), working);
    let mut client = Start::at(home.path()).client(Era::Modern).open();
    client.tool("router_status", &json!({}));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "another", "version": "2"},
    });
    let params = json!({"name": "router_status", "_meta": meta});
    client.send(&json!({"jsonrpc": "2.0", "id": 70, "method": "tools/call", "params": params}));
    client.answer(70);
    assert_eq!(host.call("host/identify")["client"]["name"], "another");
}
