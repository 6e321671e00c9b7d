//! Which conversation a call belongs to, as far as the client says.

use lwa_protocol::worker::SessionRef;
use serde_json::{Map, Value};

/// The variable in which Claude Code passes its session. It goes stale when the user clears the conversation.
pub const CLAUDE_SESSION_VARIABLE: &str = "CLAUDE_CODE_SESSION_ID";

/// The longest name of a conversation that is passed on.
const LONGEST_ID: usize = 128;

/// What is known of a call's conversation beside what its `_meta` says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KnownSession<'k> {
    /// The name that the process was started with.
    pub named: Option<&'k str>,
    /// What [`CLAUDE_SESSION_VARIABLE`] says.
    pub variable: Option<&'k str>,
    /// Whether the client says that it is Claude Code.
    pub is_claude: bool,
}

/// Every source that names the conversation of a call, the best one first.
///
/// A client that was started inside Claude Code inherits its variable and is another conversation all the same, so the
/// variable counts for Claude Code alone.
pub fn session_refs(meta: &Map<String, Value>, known: KnownSession<'_>) -> Vec<SessionRef> {
    let said = |key: &str| meta.get(key).and_then(Value::as_str).filter(|id| is_id(id)).map(str::to_owned);
    let variable = known.variable.filter(|id| known.is_claude && is_id(id));
    [
        known.named.map(|name| SessionRef::Named(name.to_owned())),
        said("threadId").map(SessionRef::Thread),
        said("claudecode/toolUseId").map(SessionRef::ToolUse),
        variable.map(|id| SessionRef::Environment(id.to_owned())),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn is_id(text: &str) -> bool {
    !text.is_empty() && text.len() <= LONGEST_ID && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    fn named(name: &str) -> SessionRef {
        SessionRef::Named(name.to_owned())
    }

    fn thread(id: &str) -> SessionRef {
        SessionRef::Thread(id.to_owned())
    }

    fn tool_use(id: &str) -> SessionRef {
        SessionRef::ToolUse(id.to_owned())
    }

    fn environment(id: &str) -> SessionRef {
        SessionRef::Environment(id.to_owned())
    }

    #[rstest]
    #[case(json!({"threadId": "t", "claudecode/toolUseId": "u"}), vec![named("n"), thread("t"), tool_use("u"), environment("e")])]
    #[case(json!({"claudecode/toolUseId": "u"}), vec![named("n"), tool_use("u"), environment("e")])]
    #[case(json!({"threadId": 5}), vec![named("n"), environment("e")])]
    #[case(json!({"threadId": "", "claudecode/toolUseId": "two\nlines"}), vec![named("n"), environment("e")])]
    #[case(json!({"threadId": "x".repeat(129)}), vec![named("n"), environment("e")])]
    fn the_best_source_comes_first(#[case] meta: Value, #[case] expected: Vec<SessionRef>) {
        let known = KnownSession { named: Some("n"), variable: Some("e"), is_claude: true };
        assert_eq!(session_refs(meta.as_object().unwrap(), known), expected);
    }

    #[test]
    fn a_client_inside_claude_code_is_another_conversation() {
        let known = KnownSession { named: None, variable: Some("e"), is_claude: false };
        assert_eq!(session_refs(&Map::new(), known), Vec::new());
    }
}
