//! The provider that every measured call goes to: a script on a port of this machine.

use anyhow::{Context, Result};
use lwa_testkit::{FakeProvider, Reply, Script};

/// Where it is asked.
pub(super) const PATH: &str = "/v1/chat/completions";
const REQUEST: &str = "POST /v1/chat/completions";

/// One short answer as a document.
const DOCUMENT: &str = r#"{"id":"fake-1","object":"chat.completion","created":1700000000,"model":"{{model}}","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"This is a scripted answer."}}],"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}}"#;

/// Answers every call with the same document.
pub(super) fn documents() -> Result<FakeProvider> {
    start(Reply::json(200, DOCUMENT))
}

/// Answers every call with a stream of `tokens` tokens, each in an event and a chunk of its own.
pub(super) fn streams(tokens: usize) -> Result<FakeProvider> {
    let (mut body, mut ends) = (String::new(), Vec::new());
    let mut event = |json: &str| {
        body.push_str("data: ");
        body.push_str(json);
        body.push_str("\n\n");
        ends.push(body.len());
    };
    for token in 0..tokens {
        event(&format!(
            r#"{{"id":"fake-1","model":"bench","choices":[{{"index":0,"delta":{{"content":"word{} "}}}}]}}"#,
            token % 10
        ));
    }
    event(r#"{"id":"fake-1","model":"bench","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#);
    event(&format!(
        r#"{{"id":"fake-1","model":"bench","choices":[],"usage":{{"prompt_tokens":11,"completion_tokens":{tokens}}}}}"#
    ));
    event("[DONE]");
    ends.pop();
    start(Reply::events(body).split_at(&ends))
}

fn start(reply: Reply) -> Result<FakeProvider> {
    FakeProvider::start(Script::new().on(REQUEST, [reply])).context("cannot start the provider to measure against")
}
