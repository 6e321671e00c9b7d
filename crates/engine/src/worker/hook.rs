//! What the hooks of clients report: which conversation a tool use is in, and when a client compacts.

use jiff::Timestamp;
use lwa_domain::ClientName;
use lwa_protocol::Failure;
use lwa_protocol::worker::{HookAnswer, HookParams, SessionRef, WorkerCall};
use lwa_worker::gate::ArmState;

use crate::caller::Caller;
use crate::engine::Engine;

/// Clients whose hooks are understood.
const CLIENTS: [&str; 2] = ["claude-code", "codex"];

impl Engine {
    /// `hook/event`. It says nothing that only a human may say: it names conversations, and asks for less memory.
    ///
    /// # Errors
    /// The database failed.
    pub async fn hook_event(&self, caller: &Caller, params: &HookParams) -> Result<HookAnswer, Failure> {
        let mut answer = HookAnswer::default();
        if !CLIENTS.contains(&params.client.as_str()) || params.session_id.is_empty() {
            return Ok(answer);
        }
        if let Some(tool_use) = &params.tool_use_id {
            answer.is_taken = self.worker.conversations.announce(tool_use, &params.session_id);
        }
        match params.event.as_str() {
            "PreCompact" => {
                let mut asking = caller.clone();
                asking.client.name = ClientName::new(params.client.clone());
                let call = WorkerCall {
                    session: vec![SessionRef::Thread(params.session_id.clone())],
                    cwd: params.cwd.clone(),
                    ..WorkerCall::default()
                };
                answer.is_taken |= self.compact_for_hook(&asking, &call).await?;
            }
            "SessionStart" | "PreToolUse" => answer.is_taken = true,
            _ => {}
        }
        Ok(answer)
    }

    /// A client compacts its own memory, so the worker's is compacted as well; only where there is one, and it is on.
    async fn compact_for_hook(&self, caller: &Caller, call: &WorkerCall) -> Result<bool, Failure> {
        // Where it is switched off, a hook has nobody to tell.
        let Ok(surroundings) = self.worker_surroundings(caller, call) else { return Ok(false) };
        let key = self.worker.conversations.resolve(caller, &call.session)?.key;
        let Some(session) = self.loaded_session(&key).await? else { return Ok(false) };
        let is_on = {
            let session = session.lock_owned().await;
            session.gate.state(surroundings.arm()).0 == ArmState::On
        };
        if is_on {
            self.compact_in_background(key, surroundings);
        }
        Ok(is_on)
    }
}

/// When something was, as people read it.
pub(super) fn shown(at: Option<Timestamp>) -> Option<String> {
    at.map(crate::engine::rfc3339)
}
