//! Where a call comes from: what the process knows of its client, and what the client says with the call.

mod codex;
pub mod environment;

use std::fmt;

use lwa_protocol::worker::WorkerCall;
use serde_json::{Map, Value};

use self::environment::ClientEnvironment;
use crate::session_hint::{KnownSession, session_refs};

/// What the process knows of its client, for as long as it lives.
#[derive(Clone, Default)]
pub(crate) struct Origin {
    /// The conversation that the process was started for.
    pub(crate) session: Option<String>,
    /// The mode that it was started with.
    pub(crate) mode: Option<String>,
    /// The folder that the client works in.
    pub(crate) cwd: Option<String>,
    /// The client's variables.
    pub(crate) environment: ClientEnvironment,
}

/// Folders and names only, since the rest may be long or private.
impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Origin")
            .field("session", &self.session)
            .field("mode", &self.mode)
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
    }
}

/// What a client says with one call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Said<'s> {
    /// The call's `_meta`.
    pub(crate) meta: &'s Map<String, Value>,
    /// The client's own name for itself.
    pub(crate) client: &'s str,
    /// Whether it can show a question.
    pub(crate) has_dialogs: bool,
}

impl Origin {
    /// Where this call comes from, for the host; it is to be answered within `hold_ms`.
    pub(crate) fn call(&self, said: Said<'_>, hold_ms: u32) -> WorkerCall {
        let known = KnownSession {
            named: self.session.as_deref(),
            variable: self.environment.claude_session.as_deref(),
            is_claude: said.client.starts_with("claude"),
        };
        let is_attended = codex::is_attended(said.meta).or(self.environment.is_attended.filter(|_| known.is_claude));
        WorkerCall {
            session: session_refs(said.meta, known),
            cwd: self.cwd.clone(),
            environment: self.environment.variables.clone(),
            is_environment_reduced: self.environment.is_reduced(),
            sandbox: codex::sandbox(said.meta),
            // A client without a human answers every dialog by itself, and never with a yes.
            can_ask: said.has_dialogs && is_attended != Some(false),
            is_attended,
            forced_mode: self.mode.clone(),
            hold_ms,
        }
    }
}

#[cfg(test)]
mod tests {
    use lwa_protocol::worker::{CallerSandbox, SessionRef};
    use serde_json::json;

    use super::*;

    fn call(origin: &Origin, client: &str, meta: &Value) -> WorkerCall {
        origin.call(Said { meta: meta.as_object().unwrap(), client, has_dialogs: true }, 8000)
    }

    #[test]
    fn an_unattended_client_is_not_asked() {
        let variables = [("CLAUDE_CODE_SESSION_ATTENDED", "0"), ("CLAUDE_CODE_SESSION_ID", "s-1")];
        let environment = ClientEnvironment::of(variables.map(|(name, value)| (name.into(), value.into())));
        let origin = Origin { environment, ..Origin::default() };
        let claude = call(&origin, "claude-code", &json!({}));
        assert_eq!((claude.is_attended, claude.can_ask), (Some(false), false));
        assert_eq!(claude.session, [SessionRef::Environment("s-1".to_owned())]);
        // Another client that was started inside it has a human and a conversation of its own.
        let other = call(&origin, "opencode", &json!({}));
        assert_eq!((other.is_attended, other.can_ask, other.session), (None, true, Vec::new()));
    }

    #[test]
    fn codex_says_all_of_it_with_each_call() {
        let meta = json!({
            "threadId": "t-1",
            "x-codex-turn-metadata": {"turn_trigger": "exec", "sandbox_mode": "read-only"},
        });
        let call = call(&Origin::default(), "codex-mcp-client", &meta);
        assert_eq!(call.session, [SessionRef::Thread("t-1".to_owned())]);
        assert_eq!((call.sandbox, call.can_ask), (CallerSandbox::ReadOnly, false));
    }

    #[test]
    fn printing_shows_no_variable() {
        let environment = ClientEnvironment::of([("EDITOR".into(), "planted".into())]);
        let shown = format!("{:?}", Origin { environment, ..Origin::default() });
        assert!(!shown.contains("planted"), "{shown}");
    }
}
