//! Ready-made scripts by name, for tests that run the fake in a process of its own.

use super::{Reply, Script};

/// The names that [`named`] knows.
pub const NAMES: &[&str] = &[
    "answer",
    "json",
    "unauthorized",
    "rate_limited",
    "quota_exhausted",
    "refused",
    "unknown_model",
    "server_error",
    "error_mid_stream",
    "cut",
    "stall",
    "silence",
    "reset",
    "redirect",
];

const MODELS: &str = r#"{"object":"list","data":[
    {"id":"fake-small","object":"model","context_length":32768,"pricing":{"prompt":"0","completion":"0"}},
    {"id":"fake-large","object":"model","context_length":131072,"pricing":{"prompt":"0.000001","completion":"0.000004"}}
]}"#;

const FIRST: &str = concat!(
    ": fake provider\n\n",
    r#"data: {"id":"fake-1","model":"{{model}}","choices":[{"index":0,"delta":{"role":"assistant","content":"This is "}}]}"#,
    "\n\n",
);

const REST: &str = concat!(
    r#"data: {"id":"fake-1","model":"{{model}}","choices":[{"index":0,"delta":{"content":"a scripted answer."}}]}"#,
    "\n\n",
    r#"data: {"id":"fake-1","model":"{{model}}","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
    "\n\n",
    r#"data: {"id":"fake-1","model":"{{model}}","choices":[],"usage":{"prompt_tokens":11,"completion_tokens":7,"cost":0.00012}}"#,
    "\n\ndata: [DONE]\n\n",
);

const DOCUMENT: &str = r#"{"id":"fake-1","model":"{{model}}","choices":[{"index":0,"finish_reason":"stop",
    "message":{"role":"assistant","content":"This is a scripted answer."}}],
    "usage":{"prompt_tokens":11,"completion_tokens":7}}"#;

/// The script of this name; every one of them lists two models at `/models`.
pub fn named(name: &str) -> Option<Script> {
    let error = |status: u16, code: &str, message: &str| {
        Reply::json(status, format!(r#"{{"error":{{"code":"{code}","message":"{message}"}}}}"#))
    };
    let reply = match name {
        "answer" => Reply::events(format!("{FIRST}{REST}")).header("x-ratelimit-remaining-requests", "41"),
        "json" => Reply::json(200, DOCUMENT),
        "unauthorized" => error(401, "invalid_api_key", "Incorrect API key provided"),
        "rate_limited" => error(429, "rate_limit_exceeded", "Rate limit reached").header("retry-after", "7"),
        "quota_exhausted" => error(429, "insufficient_quota", "You exceeded your current quota"),
        "refused" => error(400, "content_policy_violation", "The prompt was refused"),
        "unknown_model" => error(404, "model_not_found", "The model does not exist"),
        "server_error" => error(500, "internal_error", "Something broke"),
        "error_mid_stream" => Reply::events(format!(
            "{FIRST}data: {{\"error\":{{\"code\":502,\"message\":\"upstream gave up\"}},\"choices\":[{{\"index\":0,\"delta\":{{}},\"finish_reason\":\"error\"}}]}}\n\n"
        )),
        "cut" => Reply::events(FIRST).then_cut(),
        "stall" => Reply::events(FIRST).then_stall(),
        "silence" => Reply::silence(),
        "reset" => Reply::reset(),
        "redirect" => Reply::redirect(307, "http://127.0.0.1:9/elsewhere"),
        _ => return None,
    };
    let mut script = Script::new();
    // With and without the version that some base addresses carry.
    for base in ["", "/v1"] {
        script = script
            .on(&format!("POST {base}/chat/completions"), [reply.clone()])
            .on(&format!("GET {base}/models"), [Reply::json(200, MODELS)]);
    }
    Some(script)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_name_has_a_script_and_no_other() {
        for name in NAMES {
            assert!(named(name).is_some(), "{name}");
        }
        assert!(named("anything else").is_none());
    }
}
