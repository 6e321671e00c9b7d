//! The small client against servers of a few lines of shell.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use lwa_xtask::mcp_client::McpClient;
use serde_json::json;

const LIMIT: Duration = Duration::from_secs(10);

fn server(script: &str) -> Result<McpClient> {
    McpClient::start(Path::new("sh"), &["-c", script], &[])
}

#[test]
fn what_the_server_asks_is_declined_and_the_answer_is_still_found() {
    let mut client = server(
        r#"read -r request
           echo '{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}}'
           read -r reply
           case "$reply" in *decline*) echo '{"jsonrpc":"2.0","id":1,"result":{"declined":true}}' ;; esac"#,
    )
    .unwrap();
    let answer = client.request("tools/call", &json!({}), LIMIT).unwrap();
    assert_eq!(answer, json!({ "declined": true }));
}

#[test]
fn a_server_that_ends_is_an_error_and_not_a_wait() {
    let mut client = server("read -r request; exit 3").unwrap();
    let error = client.request("initialize", &json!({}), LIMIT).unwrap_err().to_string();
    assert!(error.contains("ended before it answered"), "{error}");
}

#[test]
fn a_tool_that_failed_is_an_error_with_its_text() {
    let mut client = server(
        r#"read -r request
           echo '{"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":[{"type":"text","text":"no such plan"}]}}'
           read -r end"#,
    )
    .unwrap();
    let error = client.call("run_prepared_task", &json!({}), LIMIT).unwrap_err().to_string();
    assert!(error.contains("no such plan"), "{error}");
}

#[test]
fn closing_ends_a_server_that_reads_to_the_end() {
    let status = server("cat >/dev/null; exit 0").unwrap().close(LIMIT).unwrap();
    assert!(status.success());
}

#[test]
fn a_server_that_ignores_the_end_of_its_input_is_ended() {
    let error = server("exec sleep 600").unwrap().close(Duration::from_millis(50)).unwrap_err().to_string();
    assert!(error.contains("did not end"), "{error}");
}
