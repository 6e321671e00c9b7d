use rstest::rstest;
use serde_json::json;

use super::*;

fn refusal(gate: &mut Gate, line: &str) -> (Option<RequestId>, i32, String) {
    match gate.admit(line.as_bytes()) {
        Inbound::Refused(answer) => match *answer {
            JsonRpcMessage::Error(error) => (error.id, error.error.code.0, error.error.message.into_owned()),
            other => panic!("{other:?}"),
        },
        other => panic!("{line}: {other:?}"),
    }
}

fn initialized() -> Gate {
    Gate { has_request: true, is_initialized: true }
}

#[rstest]
#[case("[]", None, -32600)]
#[case("5", None, -32600)]
#[case(r#"{"id":1,"method":"ping"}"#, Some(1), -32600)]
#[case(r#"{"jsonrpc":"2.0","id":1}"#, Some(1), -32600)]
#[case(r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, None, -32600)]
#[case(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, None, -32600)]
#[case(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}"#, Some(1), -32602)]
#[case(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}"#, Some(1), -32602)]
#[case(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":"null"}}"#, Some(1), -32602)]
#[case(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":[]}}"#, Some(1), -32602)]
#[case(r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":[]}}"#, Some(1), -32602)]
#[case(r#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#, Some(1), -32602)]
fn a_mistake_is_answered_with_its_code(#[case] line: &str, #[case] id: Option<i64>, #[case] code: i32) {
    let (answered, given, _) = refusal(&mut initialized(), line);
    assert_eq!((answered, given), (id.map(RequestId::Number), code));
}

#[rstest]
#[case(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":null}}"#)]
#[case(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}"#)]
fn mc_08_null_and_absent_arguments_are_no_arguments(#[case] line: &str) {
    let Inbound::Message(message) = initialized().admit(line.as_bytes()) else { panic!("{line}") };
    let JsonRpcMessage::Request(request) = *message else { panic!("{line}") };
    let ClientRequest::CallToolRequest(call) = request.request else { panic!("{line}") };
    assert_eq!(call.params.arguments, None);
}

#[rstest]
#[case(json!({}))]
#[case(json!({"prompt": "long ".repeat(100_000), "nested": {"list": [1, null, "\"ä\n"]}, "name": "other"}))]
fn the_arguments_of_a_tool_arrive_as_they_were_sent(#[case] arguments: Value) {
    let line =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "t", "arguments": arguments}});
    let Inbound::Message(message) = initialized().admit(line.to_string().as_bytes()) else { panic!("it was refused") };
    let JsonRpcMessage::Request(request) = *message else { panic!("it is a request") };
    let ClientRequest::CallToolRequest(call) = request.request else { panic!("it calls a tool") };
    assert_eq!((call.params.name.as_ref(), call.params.arguments.map(Value::Object)), ("t", Some(arguments)));
}

#[test]
fn a_byte_order_mark_and_spaces_are_tolerated() {
    let line = "\u{feff}  {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} \r";
    assert!(matches!(Gate::default().admit(line.as_bytes()), Inbound::Message(_)));
}

#[test]
fn garbage_and_blank_lines_get_no_answer() {
    assert!(matches!(Gate::default().admit(b"npm warn"), Inbound::Garbage(8)));
    assert!(matches!(Gate::default().admit(b" \r"), Inbound::Blank));
}

#[test]
fn a_notification_before_the_first_request_is_skipped() {
    let mut gate = Gate::default();
    let line = br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    assert!(matches!(gate.admit(line), Inbound::Skipped(_)));
    assert!(matches!(gate.admit(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#), Inbound::Message(_)));
    assert!(matches!(gate.admit(line), Inbound::Message(_)));
}

#[test]
fn a_stateless_client_sends_no_responses() {
    let line = br#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    assert!(matches!(Gate::default().admit(line), Inbound::Skipped(_)));
    assert!(matches!(initialized().admit(line), Inbound::Message(_)));
}

fn list(meta: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}}).to_string()
}

#[rstest]
#[case(json!({VERSION_KEY: "2026-07-28"}), CAPABILITIES_KEY)]
#[case(json!({CAPABILITIES_KEY: {}}), VERSION_KEY)]
#[case(json!({VERSION_KEY: 5, CAPABILITIES_KEY: {}}), VERSION_KEY)]
fn a_stateless_request_names_what_it_lacks(#[case] meta: Value, #[case] missing: &str) {
    for mut gate in [Gate::default(), initialized()] {
        let (_, code, message) = refusal(&mut gate, &list(&meta));
        assert!(code == -32602 && message.contains(missing), "{message}");
    }
}

#[test]
fn both_eras_are_served_side_by_side() {
    let complete = list(&json!({VERSION_KEY: "2026-07-28", CAPABILITIES_KEY: {}}));
    let bare = list(&json!({}));
    let mut gate = Gate::default();
    assert!(matches!(gate.admit(complete.as_bytes()), Inbound::Message(_)));
    assert_eq!(refusal(&mut gate, &bare).1, -32602);
    let hello = json!({"jsonrpc": "2.0", "id": 2, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}});
    assert!(matches!(gate.admit(hello.to_string().as_bytes()), Inbound::Message(_)));
    assert!(matches!(gate.admit(bare.as_bytes()), Inbound::Message(_)));
    assert!(matches!(gate.admit(complete.as_bytes()), Inbound::Message(_)));
}

#[test]
fn mc_24_a_request_that_is_too_large_learns_the_limit() {
    let Inbound::Refused(answer) = too_long(Some(RequestId::Number(3))) else { panic!("no answer") };
    let JsonRpcMessage::Error(error) = *answer else { panic!("no error") };
    assert_eq!((error.id, error.error.code.0), (Some(RequestId::Number(3)), -32600));
    assert!(error.error.message.contains("limit is 8 MiB"), "{}", error.error.message);
}
