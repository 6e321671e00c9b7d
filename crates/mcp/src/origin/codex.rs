//! What Codex says of a turn with each call.

use std::borrow::Cow;

use lwa_protocol::worker::CallerSandbox;
use serde_json::{Map, Value};

const TURN: &str = "x-codex-turn-metadata";

/// The sandbox that the client declared for its own commands.
pub(super) fn sandbox(meta: &Map<String, Value>) -> CallerSandbox {
    let Some(mode) = turn(meta).as_deref().and_then(|turn| text(turn, "sandbox_mode")) else {
        return CallerSandbox::Unknown;
    };
    match mode.trim().to_lowercase().replace('_', "-").as_str() {
        "danger-full-access" => CallerSandbox::Full,
        "workspace-write" => CallerSandbox::Workspace,
        // A word that nobody knows is a floor as well, and the lowest one is safe.
        _ => CallerSandbox::ReadOnly,
    }
}

/// Whether a human sits before the client: a turn that a program started has none.
pub(super) fn is_attended(meta: &Map<String, Value>) -> Option<bool> {
    let turn = turn(meta)?;
    (text(&turn, "turn_trigger")? == "exec").then_some(false)
}

/// The client's own request header has the same content as text, so both forms are read.
fn turn(meta: &Map<String, Value>) -> Option<Cow<'_, Value>> {
    match meta.get(TURN)? {
        Value::String(text) => serde_json::from_str(text).ok().map(Cow::Owned),
        turn => Some(Cow::Borrowed(turn)),
    }
}

fn text(turn: &Value, key: &str) -> Option<String> {
    turn.get(key)?.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case(json!({"sandbox_mode": "read-only"}), CallerSandbox::ReadOnly)]
    #[case(json!({"sandbox_mode": "workspace-write"}), CallerSandbox::Workspace)]
    #[case(json!({"sandbox_mode": "danger-full-access"}), CallerSandbox::Full)]
    #[case(json!({"sandbox_mode": "a-word-of-tomorrow"}), CallerSandbox::ReadOnly)]
    #[case(json!({"sandbox_mode": 5}), CallerSandbox::Unknown)]
    #[case(json!({"sandbox": "seccomp"}), CallerSandbox::Unknown)]
    #[case(json!("{\"sandbox_mode\": \"workspace_write\"}"), CallerSandbox::Workspace)]
    #[case(json!("not json"), CallerSandbox::Unknown)]
    fn the_sandbox_is_read(#[case] turn: Value, #[case] expected: CallerSandbox) {
        assert_eq!(sandbox(json!({TURN: turn}).as_object().unwrap()), expected);
    }

    #[rstest]
    #[case(json!({"turn_trigger": "exec"}), Some(false))]
    #[case(json!({"turn_trigger": "user"}), None)]
    #[case(json!({}), None)]
    fn only_a_turn_of_a_program_is_unattended(#[case] turn: Value, #[case] expected: Option<bool>) {
        assert_eq!(is_attended(json!({TURN: turn}).as_object().unwrap()), expected);
    }
}
