//! What is listed: schemas that every client takes, annotations that are true, a size that costs little.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::support::answers::working;
use crate::support::client::{ERAS, Era, Start};
use crate::support::fake_host::FakeHost;
use crate::support::home;

fn tools(sets: &str) -> Vec<Value> {
    let home = home();
    let mut client = Start::at(home.path()).arguments(&["--toolsets", sets]).client(Era::Legacy).open();
    client.request("tools/list", json!({}))["result"]["tools"].as_array().unwrap().clone()
}

fn every_schema() -> Vec<(String, Value)> {
    let both = |tool: &Value| {
        let name = tool["name"].as_str().unwrap().to_owned();
        [
            (format!("{name} input"), tool["inputSchema"].clone()),
            (format!("{name} output"), tool["outputSchema"].clone()),
        ]
    };
    // What answers with text alone has no output schema.
    tools("all").iter().flat_map(both).filter(|(_, schema)| !schema.is_null()).collect()
}

/// The tools that answer with text alone, since a client would show a model structured content in its place.
const TEXT_ALONE: [&str; 7] = [
    "local_llm_run",
    "local_llm_delegate",
    "local_llm_artifact",
    "local_llm_enable",
    "local_llm_disclosure",
    "local_llm_set_mode",
    "local_llm_compact",
];

/// Every object within a value.
fn objects(value: &Value) -> Vec<&Map<String, Value>> {
    match value {
        Value::Object(fields) => std::iter::once(fields).chain(fields.values().flat_map(objects)).collect(),
        Value::Array(items) => items.iter().flat_map(objects).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn mc_04_each_schema_is_one_plain_object_at_the_top() {
    for (name, schema) in every_schema() {
        assert_eq!(schema["type"], "object", "{name}");
        for combinator in ["anyOf", "oneOf", "allOf", "not", "$ref", "$schema"] {
            assert!(schema.get(combinator).is_none(), "{name} has {combinator}");
        }
    }
}

#[test]
fn mc_05_schemas_use_nothing_that_a_client_chokes_on() {
    for (name, schema) in every_schema() {
        for object in objects(&schema) {
            for key in ["$ref", "$defs", "definitions", "format", "anyOf", "oneOf", "allOf", "const"] {
                assert!(!object.contains_key(key), "{name} uses {key}");
            }
            // A property may itself be called `type`, so only texts and lists are looked at.
            assert!(!object.get("type").is_some_and(Value::is_array), "{name} has a list of types");
            if object.get("type").is_some_and(|kind| kind == "array") {
                assert!(object.contains_key("items"), "{name} has an array without items");
            }
        }
        let open = schema.get("additionalProperties").is_none_or(|more| more == false);
        assert!(open, "{name}");
    }
}

#[test]
fn mc_06_each_output_schema_is_an_object_of_top_level_properties() {
    for tool in tools("all") {
        let schema = &tool["outputSchema"];
        if TEXT_ALONE.iter().any(|name| tool["name"] == *name) {
            assert!(schema.is_null(), "{tool}");
            continue;
        }
        assert_eq!(schema["type"], "object", "{tool}");
        assert!(schema.get("required").is_none(), "a failed call answers with `error` alone");
        for property in schema["properties"].as_object().unwrap().values() {
            assert!(property.get("properties").is_none(), "{property}");
        }
    }
}

#[test]
fn mc_07_each_name_fits_every_client() {
    for tool in tools("all") {
        let name = tool["name"].as_str().unwrap();
        assert!("mcp__lwa__".len() + name.len() <= 60, "{name}");
        assert!(
            name.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_'),
            "{name}"
        );
    }
}

#[test]
fn mc_21_the_core_set_and_the_instructions_are_small() {
    let core = tools("core");
    let bytes = serde_json::to_string(&core).unwrap().len();
    assert!(core.len() <= 20 && bytes <= 20_000, "{} tools, {bytes} bytes", core.len());
    let home = home();
    let answer = Start::at(home.path()).client(Era::Legacy).initialize("2025-11-25");
    let instructions = answer["result"]["instructions"].as_str().unwrap();
    assert!(instructions.chars().count() <= 2000, "{}", instructions.chars().count());
    let beginning: String = instructions.chars().take(1000).collect();
    for tool in ["prepare_task", "approve_preflight", "run_prepared_task"] {
        assert!(beginning.contains(tool), "the vital part is not first: {beginning}");
    }
}

#[test]
fn the_core_set_has_the_tools_of_the_main_job() {
    let names: Vec<Value> = tools("core").iter().map(|tool| tool["name"].clone()).collect();
    let expected = [
        "prepare_task",
        "build_consensus",
        "generate_image",
        "approve_preflight",
        "run_prepared_task",
        "router_status",
        "suggest_library_tools",
        "run_library_tool",
        "observe_workflow",
        "local_llm_run",
        "local_llm_delegate",
        "local_llm_artifact",
        "local_llm_status",
        "local_llm_enable",
        "local_llm_disclosure",
        "local_llm_set_mode",
    ];
    assert_eq!(names, expected);
}

#[test]
fn the_worker_set_has_one_more_than_the_core_has_of_it() {
    let names = |sets: &str| -> Vec<Value> { tools(sets).iter().map(|tool| tool["name"].clone()).collect() };
    let mut expected = names("core");
    expected.retain(|name| name.as_str().unwrap().starts_with("local_llm_"));
    expected.push("local_llm_compact".into());
    assert_eq!(names("worker"), expected);
}

#[test]
fn w_01_a_tool_that_runs_commands_is_not_announced_as_reading_only() {
    for tool in tools("worker") {
        let name = tool["name"].as_str().unwrap();
        let annotations = &tool["annotations"];
        let takes_command = tool["inputSchema"]["properties"].get("command").is_some();
        assert_eq!(takes_command, matches!(name, "local_llm_run" | "local_llm_delegate"), "{name}");
        let only_reads = matches!(name, "local_llm_artifact" | "local_llm_status");
        assert_eq!(annotations["readOnlyHint"], only_reads, "{name}");
        assert_eq!(annotations["idempotentHint"] == true, !takes_command, "{name}");
        assert_eq!((&annotations["destructiveHint"], &annotations["openWorldHint"]), (&json!(false), &json!(false)));
    }
}

#[test]
fn the_descriptions_carry_the_routing_rule() {
    // Some clients show neither the instructions of a server nor its prompts.
    let tools = tools("core");
    let description = |name: &str| {
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        tool["description"].as_str().unwrap().to_owned()
    };
    for name in ["local_llm_run", "local_llm_delegate"] {
        let said = description(name);
        for piece in ["40 lines or 2 KB", "A refusal is an answer"] {
            assert!(said.contains(piece), "{name} does not say {piece}: {said}");
        }
    }
    assert!(description("local_llm_run").contains("verbatim"));
    assert!(description("local_llm_delegate").contains("private material"));
    assert!(description("local_llm_enable").contains("never again after a no"));
}

#[test]
fn limits_are_in_the_schemas() {
    let tools = tools("worker");
    let schema = |name: &str, parameter: &str| {
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        let mut schema = tool["inputSchema"]["properties"][parameter].clone();
        schema.as_object_mut().unwrap().remove("description");
        schema
    };
    let whole = |least: u32, most: u32| json!({"type": "integer", "minimum": least, "maximum": most});
    assert_eq!(schema("local_llm_run", "command"), json!({"type": "string", "minLength": 1}));
    assert_eq!(schema("local_llm_run", "timeout_s"), whole(0, 3600));
    assert_eq!(schema("local_llm_run", "max_output_chars"), whole(0, 20_000));
    assert_eq!(schema("local_llm_run", "secret_env"), json!({"type": "object"}));
    assert_eq!(schema("local_llm_delegate", "task"), json!({"type": "string", "minLength": 1}));
    assert_eq!(schema("local_llm_delegate", "paths"), json!({"type": "array", "items": {"type": "string"}}));
    assert_eq!(schema("local_llm_artifact", "ref"), json!({"type": "string", "pattern": "^a_[0-9a-f]{8}$"}));
    assert_eq!(schema("local_llm_artifact", "limit"), whole(100, 20_000));
    assert_eq!(schema("local_llm_artifact", "line_start"), json!({"type": "integer", "minimum": 0}));
    let words = |words: &[&str]| json!({"type": "string", "enum": words});
    assert_eq!(schema("local_llm_disclosure", "identity"), words(&["keep", "open", "masked", "ask"]));
    assert_eq!(schema("local_llm_disclosure", "numbers"), words(&["keep", "open", "masked"]));
    assert_eq!(schema("local_llm_set_mode", "mode"), words(&["pii", "assist"]));
}

#[test]
fn the_router_set_adds_every_alias_and_the_order_is_fixed() {
    let names: Vec<String> = tools("router").iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect();
    let expected = [
        "prepare_task",
        "build_consensus",
        "generate_image",
        "approve_preflight",
        "run_prepared_task",
        "router_status",
        "route_task",
        "smart_complete",
        "quick_response",
        "answer_query",
        "verify_work",
        "compress_conversation",
        "optimize_prompt",
        "edit_document",
        "write_sitrep",
        "plan_work",
        "generate_video",
        "confirm_and_run",
        "set_switch_confirmation",
        "set_tier_guidance",
        "refresh_model_catalog",
        "refresh_provider_quotas",
        "pipeline_status",
        "mark_pipeline",
        "invalidate_pipeline_probe_cache",
        "model_tiers",
        "syntax_contract_resource",
    ];
    assert_eq!(names, expected);
    assert_eq!(tools("worker,core").len(), tools("core").len() + 1);
    assert_eq!(tools("router,library").len(), names.len() + tools("library").len());
    assert_eq!(tools("worker,library,router"), tools("all"), "the order is that of the tools, not that of the sets");
}

#[test]
fn each_tool_explains_itself_and_each_parameter() {
    for tool in tools("all") {
        let name = tool["name"].as_str().unwrap();
        assert!(tool["title"].as_str().is_some_and(|title| !title.is_empty()), "{name}");
        let description = tool["description"].as_str().unwrap();
        assert!((80..=1000).contains(&description.len()), "{name}: {}", description.len());
        let is_of_a_plan = tool["outputSchema"]["properties"].get("plan_id").is_some();
        let says_next = description.contains("Next:") || description.contains("next.");
        assert!(!is_of_a_plan || says_next, "{name} does not say what comes next");
        for (parameter, schema) in tool["inputSchema"]["properties"].as_object().unwrap() {
            assert!(schema["description"].as_str().is_some_and(|about| about.len() > 10), "{name}.{parameter}");
        }
    }
}

#[test]
fn labels_are_enumerated_in_the_schema() {
    let tools = tools("core");
    let properties = &tools[0]["inputSchema"]["properties"];
    assert_eq!(properties["task"]["enum"].as_array().unwrap().len(), 12);
    assert_eq!(properties["quality"]["enum"], json!(["economy", "balanced", "high"]));
    assert_eq!(properties["reasoning_effort"]["enum"], json!(["instant", "medium", "high"]));
}

#[test]
fn annotations_are_true() {
    for tool in tools("all") {
        let name = tool["name"].as_str().unwrap();
        let annotations = &tool["annotations"];
        let starts = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
        let changes = starts(&[
            "run_",
            "set_",
            "refresh_",
            "mark_",
            "invalidate_",
            "observe_",
            "create_",
            "register_",
            "disable_",
            "analyze_",
            "rebuild_",
            "local_llm_run",
            "local_llm_delegate",
            "local_llm_enable",
            "local_llm_disclosure",
            "local_llm_set_mode",
            "local_llm_compact",
        ]);
        let reaches_out = starts(&["run_prepared_task", "refresh_", "pipeline_status"]);
        assert_eq!(annotations["readOnlyHint"], !changes, "{name}");
        assert_eq!(annotations["openWorldHint"], reaches_out, "{name}");
        assert_eq!(annotations["destructiveHint"], false, "{name}");
    }
}

#[test]
fn mc_12_the_list_is_the_same_all_the_time_and_no_change_is_promised() {
    let home = home();
    // A call without a host would start the real one, which outlives the test.
    let _host = FakeHost::at(home.path(), working);
    for era in ERAS {
        let mut client = Start::at(home.path()).client(era);
        let opened = match era {
            Era::Legacy => client.initialize("2025-11-25"),
            Era::Modern => client.request("server/discover", json!({})),
        };
        assert!(opened["result"]["capabilities"]["tools"].get("listChanged").is_none(), "{opened}");
        let first = client.request("tools/list", json!({}));
        client.request("tools/call", json!({"name": "router_status"}));
        assert_eq!(client.request("tools/list", json!({}))["result"], first["result"]);
    }
}

#[test]
fn names_are_listed_once() {
    let names: BTreeSet<String> = tools("all").iter().map(|tool| tool["name"].to_string()).collect();
    assert_eq!(names.len(), tools("all").len());
}

#[test]
fn the_prompt_is_a_checklist_that_follows_the_consent() {
    let home = home();
    let mut client = Start::at(home.path()).client(Era::Legacy).open();
    let listed = client.request("prompts/list", json!({}));
    assert_eq!(listed["result"]["prompts"][0]["name"], "preflight_guidance");
    let mut text = |arguments: Value| {
        let answer = client.request("prompts/get", json!({"name": "preflight_guidance", "arguments": arguments}));
        answer["result"]["messages"][0]["content"]["text"].as_str().map(str::to_owned).ok_or(answer)
    };
    let free = text(json!({"task": "planning", "objective": "move the database"})).unwrap();
    assert!(free.contains("move the database") && free.contains("Spend nothing"), "{free}");
    let paid = text(json!({"task": "planning", "objective": "x", "allow_paid": "true"})).unwrap();
    assert!(!paid.contains("Spend nothing") && paid.contains("A human still has to consent"), "{paid}");
    let refusal = text(json!({"task": "planing", "objective": "x"})).unwrap_err();
    assert_eq!(refusal["error"]["code"], -32602);
    assert!(refusal["error"]["message"].as_str().unwrap().contains("did you mean `planning`"), "{refusal}");
    assert_eq!(text(json!({"task": "planning"})).unwrap_err()["error"]["code"], -32602);
}

#[test]
fn lwa_104_the_resources_are_listed() {
    let home = home();
    let mut client = Start::at(home.path()).client(Era::Modern).open();
    let listed = client.request("resources/list", json!({}));
    let uris: Vec<&Value> = listed["result"]["resources"].as_array().unwrap().iter().map(|one| &one["uri"]).collect();
    assert_eq!(
        uris,
        ["lwa://status", "lwa://catalog", "lwa://model-tiers", "lwa://doctor", "local-llm://instructions"]
    );
    let templates = client.request("resources/templates/list", json!({}));
    let templates = templates["result"]["resourceTemplates"].as_array().unwrap().clone();
    let addresses: Vec<&Value> = templates.iter().map(|one| &one["uriTemplate"]).collect();
    assert_eq!(addresses, ["lwa://result/{plan_id}", "lwa://media/{plan_id}/{index}", "local-llm://artifact/{ref}"]);
}
