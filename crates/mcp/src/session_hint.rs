//! Which conversation a call belongs to, as far as the client says.

use serde_json::{Map, Value};

/// The variable in which Claude Code passes its session. It goes stale when the user clears the conversation.
pub const CLAUDE_SESSION_VARIABLE: &str = "CLAUDE_CODE_SESSION_ID";

/// Where a session id comes from, best first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionHint {
    /// Codex names its thread on every call.
    Thread(String),
    /// Claude Code names the tool use; a hook knows the session of it.
    ToolUse(String),
    /// The environment of the process names a session that may be over.
    Environment(String),
}

/// What a call's `_meta` and the process's environment say about the session.
pub fn session_hint(meta: &Map<String, Value>, environment: Option<&str>) -> Option<SessionHint> {
    let text = |key: &str| meta.get(key).and_then(Value::as_str).filter(|id| !id.is_empty()).map(str::to_owned);
    text("threadId")
        .map(SessionHint::Thread)
        .or_else(|| text("claudecode/toolUseId").map(SessionHint::ToolUse))
        .or_else(|| environment.filter(|id| !id.is_empty()).map(|id| SessionHint::Environment(id.to_owned())))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case(json!({"threadId": "t", "claudecode/toolUseId": "u"}), Some("e"), Some(SessionHint::Thread("t".into())))]
    #[case(json!({"claudecode/toolUseId": "u"}), Some("e"), Some(SessionHint::ToolUse("u".into())))]
    #[case(json!({"threadId": 5}), Some("e"), Some(SessionHint::Environment("e".into())))]
    #[case(json!({"threadId": ""}), Some(""), None)]
    fn the_best_source_wins(
        #[case] meta: Value,
        #[case] environment: Option<&str>,
        #[case] expected: Option<SessionHint>,
    ) {
        assert_eq!(session_hint(meta.as_object().unwrap(), environment), expected);
    }
}
