//! Which session a call belongs to.
//!
//! A session is a client and a conversation. Codex names the conversation on every call; Claude Code names the tool
//! use, and a hook tells which conversation that is in; a variable of the sidecar may name one that is over. Without
//! any of these the connection is the session, until a better source turns up.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;

use lwa_domain::ErrorCode;
use lwa_protocol::Failure;
use lwa_protocol::worker::SessionRef;

use crate::caller::Caller;
use crate::engine::locked;

/// Tool uses that are remembered; a client announces each shortly before it calls.
const MOST_TOOL_USES: usize = 4096;
/// The longest name that a client gives a conversation.
const LONGEST_ID: usize = 128;
/// The longest part of a client's name in a key.
const LONGEST_CLIENT: usize = 40;
/// The longest key: a client's name, a full stop, an id.
const LONGEST_KEY: usize = LONGEST_CLIENT + 1 + LONGEST_ID;

/// The session of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SessionKey {
    /// The key: letters, digits, dots, dashes and underscores.
    pub key: String,
    /// Where it comes from.
    pub source: Source,
}

/// Where a key comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    Named,
    Thread,
    ToolUse,
    Environment,
    Connection,
}

impl Source {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Named => "named",
            Self::Thread => "thread",
            Self::ToolUse => "tool_use",
            Self::Environment => "environment",
            Self::Connection => "connection",
        }
    }
}

/// Which conversation each announced tool use is in.
#[derive(Debug, Default)]
pub(crate) struct Conversations {
    tool_uses: Mutex<ToolUses>,
}

#[derive(Debug, Default)]
struct ToolUses {
    session_of: HashMap<String, String>,
    order: VecDeque<String>,
}

impl Conversations {
    /// A hook said that a tool use is in a conversation. What is not a plain id is not kept.
    pub(crate) fn announce(&self, tool_use: &str, session: &str) -> bool {
        if !is_id(tool_use) || !is_id(session) {
            return false;
        }
        let mut known = locked(&self.tool_uses);
        if known.session_of.insert(tool_use.to_owned(), session.to_owned()).is_none() {
            known.order.push_back(tool_use.to_owned());
        }
        while known.order.len() > MOST_TOOL_USES {
            if let Some(oldest) = known.order.pop_front() {
                known.session_of.remove(&oldest);
            }
        }
        true
    }

    fn session_of(&self, tool_use: &str) -> Option<String> {
        locked(&self.tool_uses).session_of.get(tool_use).cloned()
    }

    /// The session of a call.
    ///
    /// # Errors
    /// A name that the user gave is no id.
    pub(crate) fn resolve(&self, caller: &Caller, sources: &[SessionRef]) -> Result<SessionKey, Failure> {
        let client = plain(known_as(caller.client_name()));
        for source in sources {
            let found = match source {
                SessionRef::Named(name) if is_key(name) => {
                    return Ok(SessionKey { key: name.clone(), source: Source::Named });
                }
                SessionRef::Named(_) => {
                    let message = "a session's name has letters, digits, `.`, `_` and `-`, 169 at most";
                    return Err(Failure::new(ErrorCode::InvalidInput, message).hint("start with another `--session`"));
                }
                SessionRef::Thread(id) => Some((id.clone(), Source::Thread)),
                SessionRef::ToolUse(id) => self.session_of(id).map(|session| (session, Source::ToolUse)),
                SessionRef::Environment(id) => Some((id.clone(), Source::Environment)),
            };
            // What a client sends becomes part of a key, so it is an id or it is nothing.
            if let Some((id, source)) = found.filter(|(id, _)| is_id(id)) {
                return Ok(SessionKey { key: format!("{client}.{id}"), source });
            }
        }
        Ok(SessionKey { key: format!("{client}.c-{}", caller.session), source: Source::Connection })
    }
}

/// The key of a conversation that a client, or without one a person or script, named; none for what is no id.
pub(super) fn key_of(client: Option<&str>, id: &str) -> Option<String> {
    match client {
        Some(client) => is_id(id).then(|| format!("{}.{id}", plain(known_as(client)))),
        None => is_key(id).then(|| id.to_owned()),
    }
}

/// Whether a text can be part of a key: it is never a path.
fn is_id(text: &str) -> bool {
    text.len() <= LONGEST_ID && is_key(text)
}

/// Whether a text can be a key.
fn is_key(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= LONGEST_KEY
        && !text.starts_with('.')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}

/// The name under which people, hooks and settings know a client that calls itself something else.
pub(crate) fn known_as(name: &str) -> &str {
    match name {
        "codex-mcp-client" => "codex",
        other => other,
    }
}

/// A client's name as part of a key.
fn plain(name: &str) -> String {
    let plain: String = name
        .chars()
        .take(LONGEST_CLIENT)
        .map(|character| if character.is_ascii_alphanumeric() { character.to_ascii_lowercase() } else { '-' })
        .collect();
    if plain.is_empty() { "client".to_owned() } else { plain }
}

#[cfg(test)]
mod tests {
    use lwa_domain::{ClientName, SessionId};
    use lwa_protocol::Role;
    use lwa_protocol::host::ClientInfo;

    use super::*;

    fn caller(client: &str) -> Caller {
        Caller {
            connection: 1,
            role: Role::Sidecar,
            client: ClientInfo { name: ClientName::new(client), version: None, cwd: None },
            session: SessionId::new("00aa"),
            process: None,
        }
    }

    fn key(sources: &[SessionRef]) -> (String, Source) {
        let conversations = Conversations::default();
        conversations.announce("toolu_1", "conversation-1");
        let found = conversations.resolve(&caller("Claude Code"), sources).unwrap();
        (found.key, found.source)
    }

    #[test]
    fn the_first_usable_source_wins() {
        let environment = SessionRef::Environment("e".to_owned());
        let known = SessionRef::ToolUse("toolu_1".to_owned());
        let unknown = SessionRef::ToolUse("toolu_2".to_owned());
        assert_eq!(key(&[known, environment.clone()]), ("claude-code.conversation-1".to_owned(), Source::ToolUse));
        assert_eq!(key(&[unknown, environment]), ("claude-code.e".to_owned(), Source::Environment));
        assert_eq!(key(&[]), ("claude-code.c-00aa".to_owned(), Source::Connection));
        assert_eq!(key(&[SessionRef::Named("my.job-1".to_owned())]), ("my.job-1".to_owned(), Source::Named));
    }

    #[test]
    fn another_client_in_the_same_conversation_has_a_session_of_its_own() {
        let conversations = Conversations::default();
        let thread = [SessionRef::Thread("t".to_owned())];
        let codex = conversations.resolve(&caller("codex"), &thread).unwrap();
        let other = conversations.resolve(&caller("other"), &thread).unwrap();
        assert_ne!(codex.key, other.key);
    }

    #[test]
    fn w_18_a_session_id_that_is_a_path_is_no_session_id() {
        for hostile in ["../x", "a/b", "", ".hidden", "a\0b", "a b", &"x".repeat(200)] {
            assert_eq!(key(&[SessionRef::Thread(hostile.to_owned())]).1, Source::Connection, "{hostile:?}");
            assert!(!Conversations::default().announce(hostile, "s"));
            assert!(!Conversations::default().announce("t", hostile));
            let named = [SessionRef::Named(hostile.to_owned())];
            assert!(Conversations::default().resolve(&caller("c"), &named).is_err());
        }
    }

    #[test]
    fn a_client_and_its_hook_mean_the_same_conversation() {
        let conversations = Conversations::default();
        let thread = [SessionRef::Thread("t".to_owned())];
        let by_call = conversations.resolve(&caller("codex-mcp-client"), &thread).unwrap();
        let by_hook = conversations.resolve(&caller("codex"), &thread).unwrap();
        assert_eq!(by_call, by_hook);
    }

    #[test]
    fn old_tool_uses_are_forgotten() {
        let conversations = Conversations::default();
        for number in 0..MOST_TOOL_USES + 10 {
            conversations.announce(&format!("t{number}"), "s");
        }
        assert_eq!(conversations.session_of("t5"), None);
        assert_eq!(conversations.session_of("t50").as_deref(), Some("s"));
        assert_eq!(locked(&conversations.tool_uses).session_of.len(), MOST_TOOL_USES);
    }
}
