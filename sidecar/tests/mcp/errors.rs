//! Calls that are wrong: what the model is told.

use serde_json::{Value, json};

use crate::support::answers::working;
use crate::support::client::{ERAS, Era, Start};
use crate::support::fake_host::FakeHost;
use crate::support::home;

#[test]
fn mc_08_null_and_absent_arguments_are_no_arguments() {
    let home = home();
    let host = FakeHost::at(home.path(), working);
    for era in ERAS {
        let mut client = Start::at(home.path()).client(era).open();
        for params in [json!({"name": "router_status"}), json!({"name": "router_status", "arguments": null})] {
            let answer = client.request("tools/call", params);
            assert_eq!(answer["result"]["isError"], false, "{answer}");
        }
        let arguments =
            json!({"task": "query", "prompt": "x", "model": null, "max_output_tokens": null, "allow_paid": null});
        assert_eq!(client.tool("prepare_task", &arguments)["isError"], false);
        let params = host.call("plan/prepare");
        assert_eq!(
            (&params["model"], &params["max_output_tokens"], &params["usual_output_tokens"]),
            (&Value::Null, &Value::Null, &json!(1200))
        );
    }
}

#[test]
fn mc_08_arguments_that_are_no_object_are_a_protocol_error() {
    let home = home();
    for era in ERAS {
        let mut client = Start::at(home.path()).client(era).open();
        for arguments in [json!("null"), json!([]), json!(5), json!("{}")] {
            let answer = client.request("tools/call", json!({"name": "router_status", "arguments": arguments}));
            assert_eq!(answer["error"]["code"], -32602, "{answer}");
        }
    }
}

#[test]
fn wrong_arguments_are_answered_in_band_and_by_name() {
    let home = home();
    let mut client = Start::at(home.path()).client(Era::Legacy).open();
    let cases = [
        (json!({"task": "query", "promt": "x"}), "there is no argument `promt` — did you mean `prompt`?"),
        (json!({"task": "query"}), "`prompt` is required"),
        (json!({"task": "query", "prompt": 7}), "`prompt` must be a text"),
        (json!({"task": "query", "prompt": "x", "allow_paid": "yes"}), "`allow_paid` must be true or false"),
        (
            json!({"task": "query", "prompt": "x", "max_output_tokens": 0}),
            "`max_output_tokens` must be a whole number from 1 to 100000",
        ),
        (
            json!({"task": "query", "prompt": "x", "preferred_providers": "a"}),
            "`preferred_providers` must be a list of texts",
        ),
        (json!({"task": "query", "prompt": "x", "response_detail": "full"}), "invalid response_detail `full`"),
    ];
    for (arguments, expected) in cases {
        let result = client.tool("prepare_task", &arguments);
        assert_eq!(result["isError"], true, "{result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with(expected), "{text}");
        assert_eq!(result["structuredContent"]["error"]["code"], "invalid_input");
    }
}

#[test]
fn an_unknown_tool_is_a_protocol_error_with_the_nearest_name() {
    let home = home();
    let mut client = Start::at(home.path()).client(Era::Modern).open();
    let answer = client.request("tools/call", json!({"name": "prepare_tasks", "arguments": {}}));
    assert_eq!(answer["error"]["code"], -32602);
    assert!(answer["error"]["message"].as_str().unwrap().contains("did you mean `prepare_task`"), "{answer}");
}

#[test]
fn a_tool_of_another_set_says_how_to_get_it() {
    let home = home();
    let mut client = Start::at(home.path()).client(Era::Legacy).open();
    let answer = client.request("tools/call", json!({"name": "plan_work", "arguments": {}}));
    assert!(answer["error"]["message"].as_str().unwrap().contains("--toolsets router"), "{answer}");
}
