//! The tools of the worker: what goes to the host, what comes back, and what never leaves the process.

use std::time::Duration;

use lwa_domain::ErrorCode;
use lwa_protocol::Failure;
use lwa_protocol::worker::WorkerStatusKind;
use rstest::rstest;
use serde_json::{Value, json};

use crate::support::client::{Client, ERAS, Era, Start};
use crate::support::fake_host::{Act, FakeHost};
use crate::support::home;
use crate::support::worker::{RULES, answered, status, value, willing};

const WORKER: &[&str] = &["--toolsets", "worker"];

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{result}"))
}

/// The parameters of a call without where it came from.
fn arguments_of(mut params: Value) -> Value {
    params.as_object_mut().unwrap().remove("call");
    params
}

#[test]
fn each_tool_passes_on_everything_it_was_given() {
    let home = home();
    let host = FakeHost::at(home.path(), willing);
    let calls = [
        (
            "local_llm_run",
            "worker/run",
            json!({
                "command": "make test", "task": "what failed", "cwd": "/p", "timeout_s": 3600, "max_output_chars": 20000,
                "verbatim": true, "secret_env": {"TOKEN": "[SECRET-1]"},
            }),
        ),
        (
            "local_llm_delegate",
            "worker/delegate",
            json!({
                "task": "who wrote", "material": "text", "paths": ["a", "b"], "command": "ls", "cwd": "/p",
                "max_output_chars": 5, "verbatim": true,
            }),
        ),
        (
            "local_llm_disclosure",
            "worker/disclosure",
            json!({"identity": "open", "numbers": "masked", "reason": "said so"}),
        ),
        ("local_llm_set_mode", "worker/set_mode", json!({"mode": "pii"})),
        ("local_llm_compact", "worker/compact", json!({"reason": "mine was"})),
        ("local_llm_enable", "worker/enable", json!({})),
    ];
    for era in ERAS {
        let mut client = Start::at(home.path()).arguments(WORKER).client(era).open();
        for (tool, method, arguments) in &calls {
            assert_eq!(client.tool(tool, arguments)["isError"], false, "{tool}");
            assert_eq!(arguments_of(host.call(method)), *arguments, "{tool}");
        }
        let slice =
            json!({"ref": "a_0123abcd", "offset": 5_000_000_000_u64, "limit": 100, "line_start": 7, "line_end": 9});
        client.tool("local_llm_artifact", &slice);
        let mut expected = slice.clone();
        let reference = expected.as_object_mut().unwrap().remove("ref").unwrap();
        expected["reference"] = reference;
        assert_eq!(arguments_of(host.call("worker/artifact")), expected);
    }
}

#[test]
fn what_is_left_out_is_the_hosts_to_choose() {
    let home = home();
    let host = FakeHost::at(home.path(), willing);
    let mut client = Start::at(home.path()).arguments(WORKER).client(Era::Modern).open();
    let sent = |method: &str| arguments_of(host.call(method));
    client.tool("local_llm_run", &json!({"command": "ls"}));
    let expected = json!({
        "command": "ls", "task": "", "cwd": "", "timeout_s": 0, "max_output_chars": 0, "verbatim": false, "secret_env": {},
    });
    assert_eq!(sent("worker/run"), expected);
    client.tool("local_llm_artifact", &json!({"ref": "a_0123abcd"}));
    let expected = json!({"reference": "a_0123abcd", "offset": 0, "limit": 0, "line_start": 0, "line_end": 0});
    assert_eq!(sent("worker/artifact"), expected);
    client.tool("local_llm_disclosure", &json!({}));
    assert_eq!(sent("worker/disclosure"), json!({"identity": "keep", "numbers": "keep", "reason": ""}));
    client.tool("local_llm_compact", &json!({"reason": " "}));
    assert_eq!(sent("worker/compact"), json!({"reason": "asked for by the client"}));
}

#[rstest]
#[case("local_llm_run", json!({}), "`command` is required")]
#[case("local_llm_run", json!({"command": " "}), "`command` must be a text that is not empty")]
#[case("local_llm_run", json!({"command": "ls", "timeout_s": 3601}), "`timeout_s` must be a whole number from 0 to 3600")]
#[case("local_llm_run", json!({"command": "ls", "timeout_s": -1}), "`timeout_s` must be a whole number from 0 to 3600")]
#[case("local_llm_run", json!({"command": "ls", "max_output_chars": 20001}), "`max_output_chars` must be a whole number from 0 to 20000")]
#[case("local_llm_run", json!({"command": "ls", "secret_env": "A=1"}), "`secret_env` must be an object of names")]
#[case("local_llm_run", json!({"command": "ls", "comand": "x"}), "did you mean `command`?")]
#[case("local_llm_delegate", json!({"material": "x"}), "`task` is required")]
#[case("local_llm_delegate", json!({"task": "x", "paths": "a"}), "`paths` must be a list of texts")]
#[case("local_llm_artifact", json!({"ref": "a_0123ABCD"}), "`ref` must be `a_` and eight hexadecimal digits")]
#[case("local_llm_artifact", json!({"ref": "../../etc"}), "`ref` must be `a_` and eight hexadecimal digits")]
#[case("local_llm_artifact", json!({"ref": "a_0123abcd", "limit": 99}), "`limit` must be a whole number from 100 to 20000")]
#[case("local_llm_artifact", json!({"ref": "a_0123abcd", "offset": -1}), "`offset` must be a whole number from 0")]
#[case("local_llm_disclosure", json!({"identity": "opened"}), "did you mean `open`?")]
#[case("local_llm_disclosure", json!({"numbers": "ask"}), "keep, open, masked")]
#[case("local_llm_set_mode", json!({"mode": "PII!"}), "pii, assist")]
#[case("local_llm_set_mode", json!({}), "`mode` is required")]
#[case("local_llm_status", json!({"x": 1}), "there is no argument `x`")]
fn a_wrong_argument_is_named_and_reaches_no_host(#[case] tool: &str, #[case] arguments: Value, #[case] expected: &str) {
    let home = home();
    let host = FakeHost::at(home.path(), willing);
    let mut client = Start::at(home.path()).client(Era::Legacy).open();
    let result = client.tool(tool, &arguments);
    assert_eq!(result["isError"], true);
    assert!(text(&result).contains(expected), "{result}");
    assert_eq!(result["structuredContent"]["error"]["code"], "invalid_input");
    assert_eq!(host.received(), "");
}

#[test]
fn the_result_is_the_hosts_text_whole_and_nothing_hides_it() {
    let home = home();
    // A digest may begin like a failure and is none.
    let long =
        format!("Error: is what the log begins with\n{}\n\n— local-llm · assist · rc 3", "line \"x\"\n".repeat(2500));
    let said = long.clone();
    let _host =
        FakeHost::at(home.path(), move |_, _| vec![Act::Answer(value(answered(WorkerStatusKind::Completed, &said)))]);
    for era in ERAS {
        let mut client = Start::at(home.path()).client(era).open();
        let result = client.tool("local_llm_run", &json!({"command": "make"}));
        assert_eq!((text(&result), &result["isError"]), (long.as_str(), &json!(false)));
        assert_eq!(result["content"].as_array().unwrap().len(), 1);
        assert!(result.get("structuredContent").is_none(), "a client would show it in place of the text");
        let facts = &result["_meta"]["lwa/worker"];
        assert_eq!((&facts["status"], &facts["exit_code"]), (&json!("completed"), &json!(3)));
    }
}

#[rstest]
#[case(WorkerStatusKind::Refused, "The user chose off.", false)]
#[case(WorkerStatusKind::ApprovalPending, "Repeat this call.", false)]
#[case(WorkerStatusKind::Working, "Still working.", false)]
#[case(WorkerStatusKind::Unavailable, "Open the app.", false)]
#[case(WorkerStatusKind::Failed, "Error: no model answered.", true)]
fn only_a_failure_is_an_error(#[case] status: WorkerStatusKind, #[case] said: &'static str, #[case] is_error: bool) {
    let home = home();
    let _host = FakeHost::at(home.path(), move |_, _| vec![Act::Answer(value(answered(status, said)))]);
    let mut client = Start::at(home.path()).client(Era::Modern).open();
    let result = client.tool("local_llm_delegate", &json!({"task": "x"}));
    assert_eq!((text(&result), &result["isError"]), (said, &json!(is_error)));
    assert!(result.get("structuredContent").is_none(), "{result}");
}

#[test]
fn a_failure_of_the_host_is_told_with_its_way_out() {
    let home = home();
    let _host = FakeHost::at(home.path(), |_, _| {
        vec![Act::Fail(Failure::new(ErrorCode::Forbidden, "the worker is switched off").hint("do the work yourself"))]
    });
    let mut client = Start::at(home.path()).client(Era::Legacy).open();
    let result = client.tool("local_llm_run", &json!({"command": "ls"}));
    assert_eq!(result["isError"], true);
    assert_eq!(text(&result), "the worker is switched off — do the work yourself (forbidden)");
}

#[test]
fn a_command_is_never_run_again_by_itself() {
    let home = home();
    let host = FakeHost::at(home.path(), |method, params| match method {
        "worker/run" => vec![Act::HangUp],
        _ => willing(method, params),
    });
    let mut client = Start::at(home.path()).client(Era::Legacy).open();
    let result = client.tool("local_llm_run", &json!({"command": "git push"}));
    assert_eq!(result["structuredContent"]["error"]["code"], "interrupted", "{result}");
    assert!(text(&result).contains("look at what it did before you repeat the call"), "{result}");
    // The process lives on, and so does the way to the host.
    assert_eq!(client.tool("local_llm_status", &json!({}))["isError"], false);
    assert_eq!(host.received().matches("worker/run").count(), 1);
}

#[test]
fn mc_13_a_cancelled_command_is_cancelled_in_the_host() {
    use crate::support::fake_host::Seen;

    let home = home();
    let host = FakeHost::at(home.path(), |_, _| Vec::new());
    for era in ERAS {
        let mut client = Start::at(home.path()).client(era).open();
        let id = client.begin_tool("local_llm_run", &json!({"command": "sleep 60"}), None);
        host.call("worker/run");
        client.cancel(id);
        host.wait_for(|seen| matches!(seen, Seen::Cancel).then_some(()));
    }
}

#[test]
fn the_status_is_complete_and_leaves_the_rules_to_their_own_place() {
    let home = home();
    let _host = FakeHost::at(home.path(), |_, _| {
        let mut status = status();
        status.summary = "summary ".repeat(2000);
        vec![Act::Answer(value(status))]
    });
    let mut client = Start::at(home.path()).client(Era::Legacy).open();
    let result = client.tool("local_llm_status", &json!({}));
    let fields = &result["structuredContent"];
    assert_eq!((&fields["mode"], &fields["armed"]["state"]), (&json!("assist"), &json!("off")));
    assert_eq!(serde_json::from_str::<Value>(text(&result)).unwrap(), *fields);
    assert!(fields.get("instructions").is_none(), "{fields}");
    assert_eq!(fields["is_summary_cut"], true);
    assert!(fields.to_string().len() < 8000, "{}", fields.to_string().len());
}

#[test]
fn the_prompt_and_the_resource_hold_the_rules_of_this_moment() {
    let home = home();
    let calls = std::sync::atomic::AtomicUsize::new(0);
    let _host = FakeHost::at(home.path(), move |method, params| match method {
        "worker/status" => {
            let number = calls.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            let mut status = status();
            status.instructions = format!("{RULES} {number}");
            vec![Act::Answer(value(status))]
        }
        _ => willing(method, params),
    });
    for (era, number) in ERAS.into_iter().zip([0, 2]) {
        let mut client = Start::at(home.path()).client(era).open();
        let prompts = client.request("prompts/list", json!({}))["result"]["prompts"].clone();
        let names: Vec<&Value> = prompts.as_array().unwrap().iter().map(|prompt| &prompt["name"]).collect();
        assert_eq!(names, ["preflight_guidance", "local_llm_instructions"]);
        let prompt = client.request("prompts/get", json!({"name": "local_llm_instructions"}))["result"].clone();
        assert_eq!(prompt["messages"][0]["content"]["text"], format!("{RULES} {number}"));
        let read = client.request("resources/read", json!({"uri": "local-llm://instructions"}))["result"].clone();
        let content = &read["contents"][0];
        assert_eq!(
            (&content["text"], &content["mimeType"]),
            (&json!(format!("{RULES} {}", number + 1)), &json!("text/plain"))
        );
    }
}

#[test]
fn without_the_workers_tools_there_are_neither_its_prompt_nor_its_resources() {
    let home = home();
    let mut client = Start::at(home.path()).arguments(&["--toolsets", "router"]).client(Era::Modern).open();
    for method in ["prompts/list", "resources/list", "resources/templates/list"] {
        let listed = client.request(method, json!({}))["result"].to_string();
        assert!(!listed.contains("local-llm:") && !listed.contains("local_llm_"), "{listed}");
    }
}

#[test]
fn a_stored_material_can_be_read_as_a_resource_and_asks_nobody() {
    let home = home();
    let host = FakeHost::at(home.path(), |_, params| {
        vec![Act::Answer(value(match params["reference"].as_str() {
            Some("a_0123abcd") => answered(WorkerStatusKind::Completed, "1: first"),
            Some("a_00000000") => answered(WorkerStatusKind::Failed, "Error: there is no artifact `a_00000000`"),
            _ => answered(WorkerStatusKind::Unavailable, "the worker is off"),
        }))]
    });
    let able = json!({"elicitation": {"form": {}}});
    let mut client = Start::at(home.path()).client(Era::Legacy).able(able).open();
    let mut read =
        |reference: &str| client.request("resources/read", json!({"uri": format!("local-llm://artifact/{reference}")}));
    assert_eq!(read("a_0123abcd")["result"]["contents"][0]["text"], "1: first");
    let params = host.call("worker/artifact");
    assert_eq!((&params["limit"], &params["call"]["can_ask"]), (&json!(20000), &json!(false)));
    assert!(params["call"]["hold_ms"].as_u64().unwrap() > 5000, "{params}");
    assert_eq!(read("a_00000000")["error"]["code"], -32002);
    assert_eq!(read("a_11111111")["error"]["data"]["error"]["code"], "denied");
}

#[test]
fn mc_15_no_key_of_the_environment_reaches_the_host() {
    let home = home();
    let host = FakeHost::at(home.path(), willing);
    // Made up here, so that no scanner takes this file for a leak.
    let filler = |length: usize| -> String { "0Aa1Bb2Cc3Dd4Ee5Ff".chars().cycle().take(length).collect() };
    let hex = "0123456789abcdef".repeat(2);
    let planted = [
        ("OPENAI_API_KEY", format!("planted-by-name-{}", "x".repeat(8))),
        ("anthropic_auth_token", "planted-lower".to_owned()),
        ("MYSQL_PWD", "planted-password".to_owned()),
        ("EDITOR", format!("sk-ant-{}", filler(40))),
        ("LESS", format!("ghp_{}", filler(36))),
        ("MY_REGION", format!("AKIA{}", filler(16).to_uppercase())),
        ("SERVICE", "postgres://me:planted-login@localhost/db".to_owned()),
        ("PUSH_TO", format!("https://{}@example.org/a.git", filler(20))),
        ("STORE", "Server=db;Password=planted-within".to_owned()),
        ("PEM_TEXT", "-----BEGIN MADE UP-----\nplanted-pem\n".to_owned()),
        ("OPAQUE", filler(32)),
        ("DIGEST", hex),
        ("LONG_ONE", format!("planted-long {}", "y ".repeat(20_000))),
    ];
    let mut start = Start::at(home.path()).set("PROJECT_STAGE", "testing").set("JAVA_HOME", "/usr/lib/jvm/java-21");
    for (name, value) in &planted {
        start = start.set(name, value);
    }
    for era in ERAS {
        let mut client = start.client(era).open();
        client.tool("local_llm_run", &json!({"command": "make"}));
        client.tool("local_llm_status", &json!({}));
        client.tool("router_status", &json!({}));
        client.request("resources/read", json!({"uri": "local-llm://instructions"}));
    }
    let call = host.call("worker/run")["call"].clone();
    assert_eq!(call["environment"]["PROJECT_STAGE"], "testing");
    assert_eq!(call["environment"]["JAVA_HOME"], "/usr/lib/jvm/java-21");
    assert_eq!(call["is_environment_reduced"], false);
    let sent = host.received();
    assert!(sent.contains("PROJECT_STAGE"), "nothing was recorded");
    for (name, value) in &planted {
        assert!(!sent.contains(&format!("\"{name}\"")), "{name} reached the host");
        for word in value.split(['\n', ' ', '@', ';']).filter(|word| word.len() >= 12) {
            assert!(!sent.contains(word), "a piece of {name} reached the host");
        }
    }
}

#[test]
fn mc_15_a_cleared_environment_is_told() {
    let home = home();
    let host = FakeHost::at(home.path(), willing);
    let start =
        Start::at(home.path()).set("HOME", "/home/u").set("LANG", "C").set("TERM", "dumb").set("SHELL", "/bin/sh");
    let mut client = start.client(Era::Legacy).named("codex-mcp-client").open();
    client.tool("local_llm_run", &json!({"command": "make"}));
    let call = host.call("worker/run")["call"].clone();
    assert_eq!((&call["is_environment_reduced"], &call["environment"]["HOME"]), (&json!(true), &json!("/home/u")));
}

#[test]
fn codex_names_its_thread_and_its_sandbox_with_every_call() {
    let home = home();
    let host = FakeHost::at(home.path(), willing);
    // What Codex 0.171 sends.
    let meta = |thread: &str, sandbox: &str| {
        json!({
            "threadId": thread, "sessionId": thread, "windowId": "w-1", "callId": "call_1", "itemId": "i-1",
            "progressToken": 3,
            "x-codex-turn-metadata": {
                "session_id": thread, "thread_id": thread, "turn_id": "turn-1", "model": "m", "thread_source": "user",
                "turn_trigger": "user", "sandbox": "seccomp", "sandbox_mode": sandbox, "codex_version": "0.171.0",
            },
        })
    };
    let able = json!({"elicitation": {"form": {}, "url": {}}, "experimental": {"codex/auth-change": {}}});
    let mut client = Start::at(home.path()).client(Era::Legacy).able(able).named("codex-mcp-client");
    client.initialize("2025-06-18");
    for (thread, mode, expected) in [
        ("t-1", "read-only", "read_only"),
        ("t-2", "workspace-write", "workspace"),
        ("t-2", "danger-full-access", "full"),
    ] {
        let arguments = json!({"command": "make"});
        let params = json!({"name": "local_llm_run", "arguments": arguments, "_meta": meta(thread, mode)});
        client.request("tools/call", params);
        let call = host.call("worker/run")["call"].clone();
        assert_eq!(call["session"], json!([{"from": "thread", "id": thread}]));
        assert_eq!((&call["sandbox"], &call["can_ask"]), (&json!(expected), &json!(true)));
        // With a progress token the client waits longer.
        assert!((40_000..=45_000).contains(&call["hold_ms"].as_u64().unwrap()), "{call}");
    }
}

#[test]
fn claude_code_names_the_tool_use_and_its_variable_comes_last() {
    let home = home();
    let host = FakeHost::at(home.path(), willing);
    let start = Start::at(home.path())
        .set("CLAUDECODE", "1")
        .set("CLAUDE_CODE_SESSION_ID", "0a1b2c3d-0000-4000-8000-00000000abcd");
    let meta = json!({"claudecode/toolUseId": "toolu_01abc", "progressToken": 1});
    for era in ERAS {
        let mut client = start.client(era).named("claude-code").open();
        let params = json!({"name": "local_llm_run", "arguments": {"command": "make"}, "_meta": meta});
        client.request("tools/call", params);
        let sources = json!([
            {"from": "tool_use", "id": "toolu_01abc"},
            {"from": "environment", "id": "0a1b2c3d-0000-4000-8000-00000000abcd"},
        ]);
        assert_eq!(host.call("worker/run")["call"]["session"], sources);
    }
    // Another client that was started within its shell inherits the variable and is a conversation of its own.
    let mut client = start.client(Era::Legacy).named("opencode").open();
    client.tool("local_llm_run", &json!({"command": "make"}));
    let call = host.call("worker/run")["call"].clone();
    assert_eq!((&call["session"], &call["sandbox"]), (&json!([]), &json!("unknown")));
    assert!((7_000..=8_000).contains(&call["hold_ms"].as_u64().unwrap()), "{call}");
}

#[test]
fn a_script_may_name_the_session_and_the_mode() {
    let home = home();
    let host = FakeHost::at(home.path(), willing);
    let arguments = ["--session", "nightly.1", "--mode", "pii"];
    let mut client = Start::at(home.path()).arguments(&arguments).client(Era::Modern).open();
    client.request("tools/call", json!({"name": "local_llm_enable", "arguments": {}, "_meta": {"threadId": "t-1"}}));
    let call = host.call("worker/enable")["call"].clone();
    assert_eq!(call["session"], json!([{"from": "named", "id": "nightly.1"}, {"from": "thread", "id": "t-1"}]));
    assert_eq!(call["forced_mode"], "pii");
    assert_eq!(call["cwd"], json!(std::env::current_dir().unwrap()));
}

#[rstest]
#[case(&["--session", "../x"], "letters, digits")]
#[case(&["--session", ""], "letters, digits")]
#[case(&["--mode", "private"], "[possible values: pii, assist]")]
fn a_session_or_a_mode_that_is_none_is_refused_at_start(#[case] arguments: &[&str], #[case] expected: &str) {
    let home = home();
    let output = Start::at(home.path()).arguments(arguments).command().output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty() && stderr.contains(expected), "{stderr}");
}

#[test]
fn nothing_that_was_called_or_passed_is_logged() {
    let home = home();
    let _host = FakeHost::at(home.path(), willing);
    let start = Start::at(home.path()).set("LWA_LOG", "trace").set("PROJECT_STAGE", "planted-stage");
    let mut client = start.client(Era::Legacy).open();
    client.tool("local_llm_run", &json!({"command": "echo planted-command", "secret_env": {"T": "[SECRET-1]"}}));
    let ended = client.close();
    for planted in ["planted-command", "planted-stage", "[SECRET-1]"] {
        assert!(!ended.stderr.contains(planted), "{}", ended.stderr);
    }
    assert!(ended.took < Duration::from_secs(1), "{:?}", ended.took);
}

#[test]
fn decisions_are_listed_where_the_user_switched_them_on_and_pass_on_what_they_were_given() {
    let home = home();
    std::fs::create_dir_all(home.path().join("config")).unwrap();
    let configure = |text: &str| std::fs::write(home.path().join("config/config.toml"), text).unwrap();
    let host = FakeHost::at(home.path(), |method: &str, params: &Value| match method {
        "worker/policies" => vec![Act::Answer(json!({"version": 2, "policies": []}))],
        _ => willing(method, params),
    });
    let tools = ["local_llm_decide", "local_llm_governance"];
    let listed = |client: &mut Client| {
        let listed = client.request("tools/list", json!({}))["result"]["tools"].clone();
        let names: Vec<Value> = listed.as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect();
        tools.map(|tool| names.contains(&json!(tool)))
    };
    for text in ["", "[worker]\ndecide = false\n", "[worker]\ndecide = 1\n", "[worker\n"] {
        configure(text);
        let mut client = Start::at(home.path()).arguments(WORKER).client(Era::Modern).open();
        assert_eq!(listed(&mut client), [false, false], "{text}");
        let refused = client.request("tools/call", json!({"name": tools[0], "arguments": {}}));
        assert!(refused["error"]["message"].as_str().unwrap().contains("`worker.decide`"), "{refused}");
        let resources = client.request("resources/list", json!({})).to_string();
        assert!(!resources.contains("decision-policies"), "{resources}");
    }
    configure("[worker]\ndecide = true\n");
    for era in ERAS {
        let mut client = Start::at(home.path()).arguments(WORKER).client(era).open();
        assert_eq!(listed(&mut client), [true, true]);
        let request = json!({"state": "s", "question": "q", "choices": {"a": "one", "b": "two"}});
        assert_eq!(client.tool(tools[0], &request)["isError"], false);
        assert_eq!(arguments_of(host.call("worker/decide")), request);
        let request = json!({"policy": "failure_triage", "evidence": "e"});
        assert_eq!(client.tool(tools[1], &request)["isError"], false);
        assert_eq!(arguments_of(host.call("worker/governance")), request);
        let unknown = client.tool(tools[1], &json!({"policy": "other", "evidence": "e"}));
        assert_eq!(unknown["isError"], true, "{unknown}");
        let read = client.request("resources/read", json!({"uri": "local-llm://decision-policies"}));
        assert_eq!(read["result"]["contents"][0]["mimeType"], "application/json", "{read}");
    }
    // The core set stays as it is.
    let mut client = Start::at(home.path()).client(Era::Modern).open();
    assert_eq!(listed(&mut client), [false, false]);
}
