//! Questions of the host in the client's own dialog, in both eras, and everything that can go wrong with one.

use std::time::{Duration, Instant};

use lwa_protocol::worker::WorkerStatusKind;
use rstest::rstest;
use serde_json::{Value, json};

use crate::support::client::{Client, ERAS, Era, PATIENCE, Start};
use crate::support::fake_host::{Act, FakeHost, Seen};
use crate::support::home;
use crate::support::worker::{answered, asking, asking_for, question, value};

/// A client with dialogs.
fn client(home: &std::path::Path, era: Era) -> Client {
    Start::at(home).client(era).able(json!({"elicitation": {"form": {}}})).open()
}

/// The request that shows a question.
fn dialog(client: &mut Client) -> Value {
    client.find(PATIENCE, |message| message["method"] == "elicitation/create").expect("no dialog came")
}

fn reply(client: &mut Client, dialog: &Value, result: &Value) {
    client.send(&json!({"jsonrpc": "2.0", "id": dialog["id"], "result": result}));
}

fn arguments() -> Value {
    json!({"command": "make test"})
}

/// The next round of a call.
fn round(client: &mut Client, state: &Value, replies: Option<&Value>) -> i64 {
    let mut params = json!({"name": "local_llm_run", "arguments": arguments(), "requestState": state});
    if let Some(replies) = replies {
        params["inputResponses"] = replies.clone();
    }
    client.begin("tools/call", params)
}

/// Makes a call, answers its question so, and gives the call's result.
fn answering(client: &mut Client, era: Era, result: &Value) -> Value {
    let id = client.begin_tool("local_llm_run", &arguments(), None);
    match era {
        Era::Legacy => {
            let dialog = dialog(client);
            reply(client, &dialog, result);
            client.answer(id)["result"].clone()
        }
        Era::Modern => {
            let asked = client.answer(id)["result"].clone();
            assert_eq!(asked["resultType"], "input_required", "{asked}");
            let id = round(client, &asked["requestState"], Some(&json!({"question": result})));
            client.answer(id)["result"].clone()
        }
    }
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{result}"))
}

#[rstest]
#[case(json!({"action": "accept", "content": {"choice": "on"}}), "accept", json!("on"))]
#[case(json!({"action": "accept", "content": {"choice": " On_PII "}}), "accept", json!("on_pii"))]
#[case(json!({"action": "decline"}), "decline", Value::Null)]
#[case(json!({"action": "cancel"}), "cancel", Value::Null)]
#[case(json!({"action": "accept", "content": {}}), "accept", Value::Null)]
#[case(json!({"action": "accept"}), "accept", Value::Null)]
#[case(json!({"action": "accept", "content": {"choice": ""}}), "accept", Value::Null)]
#[case(json!({"action": "accept", "content": {"choice": "yes"}}), "accept", Value::Null)]
#[case(json!({"action": "accept", "content": {"choice": true}}), "accept", Value::Null)]
#[case(json!({"action": "decline", "content": {"choice": "on"}}), "decline", Value::Null)]
#[case(json!({"action": "allow", "content": {"choice": "on"}}), "error", Value::Null)]
#[case(json!({}), "error", Value::Null)]
fn a_reply_is_handed_to_the_host_as_what_it_is(
    #[values(Era::Legacy, Era::Modern)] era: Era,
    #[case] result: Value,
    #[case] action: &str,
    #[case] choice: Value,
) {
    let home = home();
    let host = FakeHost::at(home.path(), asking(&["q_1"]));
    let mut client = client(home.path(), era);
    let result = answering(&mut client, era, &result);
    assert_eq!(host.call("question/answer"), json!({"handle": "q_1", "action": action, "choice": choice}));
    assert_eq!(text(&result), format!("done after {action} {choice}"));
    assert_eq!(result["isError"], false);
}

#[test]
fn a_client_that_fails_to_ask_has_not_answered() {
    let home = home();
    let host = FakeHost::at(home.path(), asking(&["q_1"]));
    let mut client = client(home.path(), Era::Legacy);
    let id = client.begin_tool("local_llm_run", &arguments(), None);
    let dialog = dialog(&mut client);
    let error = json!({"code": -32603, "message": "no window"});
    client.send(&json!({"jsonrpc": "2.0", "id": dialog["id"], "error": error}));
    assert_eq!(host.call("question/answer")["action"], "error");
    assert_eq!(text(&client.answer(id)["result"]), "done after error null");
}

#[rstest]
#[case(Era::Legacy)]
#[case(Era::Modern)]
fn a_dialog_that_nobody_answers_ends_when_the_hosts_setting_says_so(#[case] era: Era) {
    let home = home();
    let host = FakeHost::at(home.path(), asking_for(&["q_1"], 1));
    let mut client = client(home.path(), era);
    let began = Instant::now();
    client.begin_tool("local_llm_run", &arguments(), None);
    assert_eq!(host.call("question/answer"), json!({"handle": "q_1", "action": "timeout", "choice": null}));
    assert!(began.elapsed() >= Duration::from_secs(1));
}

#[test]
fn a_form_has_one_required_choice_without_a_default_and_the_safe_one_first() {
    let home = home();
    let _host = FakeHost::at(home.path(), asking(&["q_1"]));
    let beside = json!({
        "type": "string", "title": "Your answer", "enum": ["off", "on", "on_pii"],
        "enumNames": ["Leave it off", "Turn it on", "Private mode"],
    });
    let within = json!({
        "type": "string", "title": "Your answer",
        "oneOf": [
            {"const": "off", "title": "Leave it off"},
            {"const": "on", "title": "Turn it on"},
            {"const": "on_pii", "title": "Private mode"},
        ],
    });
    let expected = |field: &Value| {
        json!({
            "mode": "form",
            "message": "Turn the worker on for local_llm_run?",
            "requestedSchema": {"type": "object", "properties": {"choice": field}, "required": ["choice"]},
        })
    };
    for (version, field) in [("2025-06-18", &beside), ("2025-11-25", &within)] {
        let mut client = Start::at(home.path()).client(Era::Legacy).able(json!({"elicitation": {}}));
        client.initialize(version);
        client.begin_tool("local_llm_run", &arguments(), None);
        let mut params = dialog(&mut client)["params"].clone();
        params.as_object_mut().unwrap().remove("_meta");
        assert_eq!(params, expected(field), "{version}");
    }
    let mut client = client(home.path(), Era::Modern);
    let id = client.begin_tool("local_llm_run", &arguments(), None);
    let asked = client.answer(id)["result"].clone();
    let requests = json!({"question": {"method": "elicitation/create", "params": expected(&within)}});
    assert_eq!((&asked["inputRequests"], &asked["requestState"]), (&requests, &json!("q_1")));
    assert!(asked.get("content").is_none(), "{asked}");
}

#[test]
fn a_client_without_forms_is_not_asked() {
    let home = home();
    let host = FakeHost::at(home.path(), |_, _| {
        vec![Act::Answer(value(answered(WorkerStatusKind::Unavailable, "open the Lwa app")))]
    });
    for era in ERAS {
        for capabilities in [json!({}), json!({"elicitation": {"url": {}}})] {
            let mut client = Start::at(home.path()).client(era).able(capabilities.clone()).open();
            let result = client.tool("local_llm_run", &arguments());
            assert_eq!((text(&result), &result["isError"]), ("open the Lwa app", &json!(false)));
            assert_eq!(host.call("worker/run")["call"]["can_ask"], false, "{era:?} {capabilities}");
        }
    }
}

#[test]
fn mc_14_a_turn_that_no_human_watches_asks_nothing_in_the_client() {
    let home = home();
    let host = FakeHost::at(home.path(), |_, _| {
        vec![Act::Answer(value(answered(WorkerStatusKind::Unavailable, "open the Lwa app")))]
    });
    let mut client = client(home.path(), Era::Legacy);
    let meta = json!({"x-codex-turn-metadata": {"turn_trigger": "exec"}});
    client.request("tools/call", json!({"name": "local_llm_run", "arguments": arguments(), "_meta": meta}));
    let call = host.call("worker/run")["call"].clone();
    assert_eq!((&call["is_attended"], &call["can_ask"]), (&json!(false), &json!(false)));
}

#[test]
fn mc_10_a_handshake_after_a_probe_is_asked_by_a_request() {
    let home = home();
    let host = FakeHost::at(home.path(), asking(&["q_1"]));
    let mut client = client(home.path(), Era::Modern);
    client.initialize("2025-11-25");
    client.send(&json!({
        "jsonrpc": "2.0", "id": 700, "method": "tools/call",
        "params": {"name": "local_llm_run", "arguments": arguments()},
    }));
    let dialog = dialog(&mut client);
    reply(&mut client, &dialog, &json!({"action": "accept", "content": {"choice": "on"}}));
    assert_eq!(host.call("question/answer")["choice"], "on");
    assert_eq!(text(&client.answer(700)["result"]), "done after accept \"on\"");
}

#[test]
fn a_call_may_have_several_questions() {
    for era in ERAS {
        let home = home();
        let _host = FakeHost::at(home.path(), asking(&["q_1", "q_2"]));
        let mut client = client(home.path(), era);
        let yes = json!({"action": "accept", "content": {"choice": "on"}});
        let result = match era {
            Era::Legacy => {
                let id = client.begin_tool("local_llm_run", &arguments(), None);
                for result in [&yes, &json!({"action": "cancel"})] {
                    let dialog = dialog(&mut client);
                    reply(&mut client, &dialog, result);
                }
                client.answer(id)["result"].clone()
            }
            Era::Modern => {
                let second = answering(&mut client, era, &yes);
                assert_eq!((&second["resultType"], &second["requestState"]), (&json!("input_required"), &json!("q_2")));
                let replies = json!({"question": {"action": "cancel"}});
                let id = round(&mut client, &second["requestState"], Some(&replies));
                client.answer(id)["result"].clone()
            }
        };
        assert_eq!(text(&result), "done after accept \"on\", cancel null");
    }
}

#[test]
fn w_08_parallel_calls_show_one_dialog() {
    for era in ERAS {
        let home = home();
        let host = FakeHost::at(home.path(), asking(&["q_1"]));
        let mut client = client(home.path(), era);
        let mut ids: Vec<i64> = (0..5).map(|_| client.begin_tool("local_llm_run", &arguments(), None)).collect();
        // Every call has reached the host, and those that do not ask wait there.
        for _ in 0..9 {
            host.call("worker/run");
        }
        let yes = json!({"action": "accept", "content": {"choice": "on"}});
        match era {
            Era::Legacy => {
                let dialog = dialog(&mut client);
                reply(&mut client, &dialog, &yes);
            }
            Era::Modern => {
                let asked = client.find(PATIENCE, |message| message["result"]["resultType"] == "input_required");
                let asked = asked.unwrap();
                ids.retain(|id| asked["id"] != *id);
                ids.push(round(&mut client, &asked["result"]["requestState"], Some(&json!({"question": yes}))));
            }
        }
        for id in ids {
            assert_eq!(text(&client.answer(id)["result"]), "done after accept \"on\"");
        }
        let ended = client.close();
        let is_question = |message: &&Value| {
            message["method"] == "elicitation/create" || message["result"]["resultType"] == "input_required"
        };
        assert_eq!(ended.received.iter().filter(is_question).count(), 1, "{era:?}");
    }
}

#[test]
fn a_round_without_a_reply_is_asked_again() {
    let home = home();
    let host = FakeHost::at(home.path(), asking(&["q_1"]));
    let mut client = client(home.path(), Era::Modern);
    let id = client.begin_tool("local_llm_run", &arguments(), None);
    let state = client.answer(id)["result"]["requestState"].clone();
    for replies in [None, Some(json!({})), Some(json!({"another": {"action": "accept", "content": {"choice": "on"}}}))]
    {
        let id = round(&mut client, &state, replies.as_ref());
        let again = client.answer(id)["result"].clone();
        assert_eq!((&again["resultType"], &again["requestState"]), (&json!("input_required"), &state));
    }
    let replies = json!({"question": {"action": "accept", "content": {"choice": "on"}}});
    let id = round(&mut client, &state, Some(&replies));
    assert_eq!(text(&client.answer(id)["result"]), "done after accept \"on\"");
    host.call("question/answer");
    assert_eq!(host.received().matches("question/answer").count(), 1);
}

#[test]
fn a_state_that_was_changed_or_belongs_to_another_call_answers_nothing() {
    let home = home();
    let host = FakeHost::at(home.path(), asking(&["q_1"]));
    let mut client = client(home.path(), Era::Modern);
    let yes = json!({"question": {"action": "accept", "content": {"choice": "on"}}});
    // Nothing was asked yet, so this state is made up.
    let id = round(&mut client, &json!("q_1"), Some(&yes));
    let asked = client.answer(id)["result"].clone();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    // The state of a question about one command does not answer for another one.
    let other = json!({"name": "local_llm_run", "arguments": {"command": "other"}, "requestState": "q_1", "inputResponses": yes});
    client.begin("tools/call", other);
    host.wait_for(|seen| match seen {
        Seen::Call { method, params } if method == "worker/run" && params["command"] == "other" => Some(()),
        _ => None,
    });
    assert_eq!(host.received().matches("question/answer").count(), 0);
    let id = round(&mut client, &asked["requestState"], Some(&yes));
    assert_eq!(text(&client.answer(id)["result"]), "done after accept \"on\"");
    // Once answered it answers no more.
    let id = round(&mut client, &asked["requestState"], Some(&yes));
    assert_eq!(text(&client.answer(id)["result"]), "done after accept \"on\"");
    assert_eq!(host.received().matches("question/answer").count(), 1);
}

#[test]
fn mc_13_a_cancellation_while_asked_withdraws_the_dialog_and_ends_the_work() {
    let home = home();
    let host = FakeHost::at(home.path(), asking(&["q_1"]));
    let mut client = client(home.path(), Era::Legacy);
    let id = client.begin_tool("local_llm_run", &arguments(), Some("p"));
    let dialog = dialog(&mut client);
    // The call that stays attached to the work is there.
    host.call("worker/run");
    assert_eq!(host.call("worker/run")["call"]["can_ask"], false);
    let began = Instant::now();
    client.cancel(id);
    host.wait_for(|seen| matches!(seen, Seen::Cancel).then_some(()));
    assert_eq!(host.call("question/answer"), json!({"handle": "q_1", "action": "cancel", "choice": null}));
    assert!(began.elapsed() < Duration::from_millis(500), "{:?}", began.elapsed());
    let withdrawn = client.find(PATIENCE, |message| message["method"] == "notifications/cancelled").unwrap();
    assert_eq!(withdrawn["params"]["requestId"], dialog["id"]);
    // A reply that comes all the same changes nothing.
    reply(&mut client, &dialog, &json!({"action": "accept", "content": {"choice": "on"}}));
    client.request("tools/list", json!({}));
    let ended = client.close();
    assert!(ended.received.iter().all(|message| message["id"] != id || message.get("method").is_some()));
    assert_eq!(host.received().matches("question/answer").count(), 1);
}

#[test]
fn a_client_that_leaves_while_asked_ends_the_process_at_once() {
    for era in ERAS {
        let home = home();
        let host = FakeHost::at(home.path(), asking(&["q_1"]));
        let mut client = client(home.path(), era);
        let id = client.begin_tool("local_llm_run", &arguments(), None);
        match era {
            Era::Legacy => drop(dialog(&mut client)),
            Era::Modern => drop(client.answer(id)),
        }
        let ended = client.close();
        assert!(ended.status.success() && ended.took < Duration::from_secs(1), "{:?}", ended.took);
        host.wait_for(|seen| matches!(seen, Seen::Gone).then_some(()));
    }
}

#[test]
fn a_question_that_was_answered_elsewhere_leaves_the_client() {
    let home = home();
    let host = FakeHost::at(home.path(), asking(&["q_1"]));
    let mut client = client(home.path(), Era::Legacy);
    let id = client.begin_tool("local_llm_run", &arguments(), None);
    let dialog = dialog(&mut client);
    host.call("worker/run");
    host.call("worker/run");
    client.tool("local_llm_status", &json!({}));
    assert_eq!(text(&client.answer(id)["result"]), "done after another door");
    let withdrawn = client.find(PATIENCE, |message| message["method"] == "notifications/cancelled").unwrap();
    assert_eq!(withdrawn["params"]["requestId"], dialog["id"]);
}

#[test]
fn a_host_that_has_not_noticed_the_answer_yet_is_asked_once_more_and_the_user_is_not() {
    let home = home();
    let calls = std::sync::atomic::AtomicUsize::new(0);
    let _host = FakeHost::at(home.path(), move |method, params| {
        let asks = || {
            let mut asks = answered(WorkerStatusKind::AskClient, "asked");
            asks.question = Some(question("q_1"));
            vec![Act::Answer(value(asks))]
        };
        match (method, params["call"]["can_ask"].as_bool()) {
            ("question/answer", _) => vec![
                Act::Answer(json!({"outcome": "allowed_session", "message": "taken"})),
                Act::AnswerHeld(value(answered(WorkerStatusKind::ApprovalPending, "asked"))),
            ],
            (_, Some(false)) => vec![Act::Hold],
            // The question of before, three times over.
            _ if calls.fetch_add(1, std::sync::atomic::Ordering::SeqCst) < 3 => asks(),
            _ => vec![Act::Answer(value(answered(WorkerStatusKind::Completed, "done")))],
        }
    });
    let mut client = client(home.path(), Era::Legacy);
    let result = answering(&mut client, Era::Legacy, &json!({"action": "accept", "content": {"choice": "on"}}));
    assert_eq!(text(&result), "done");
    let ended = client.close();
    let is_dialog = |message: &&Value| message["method"] == "elicitation/create";
    assert_eq!(ended.received.iter().filter(is_dialog).count(), 1);
}

#[test]
fn while_the_user_is_asked_the_client_hears_why_it_waits() {
    let home = home();
    let _host = FakeHost::at(home.path(), asking(&["q_1"]));
    let mut client = client(home.path(), Era::Legacy);
    client.begin_tool("local_llm_run", &arguments(), Some("p"));
    dialog(&mut client);
    let told = client.find(PATIENCE, |message| message["method"] == "notifications/progress").unwrap();
    assert_eq!(told["params"]["progressToken"], "p");
    assert!(told["params"]["message"].as_str().unwrap().contains("waiting for the user"), "{told}");
}
