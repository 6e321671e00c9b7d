//! A conversation with the worker from a terminal: calls are repeated until they are settled, and questions are asked
//! here when somebody sits in front of it.

use std::collections::BTreeMap;

use lwa_domain::{ApprovalId, ApprovalKind, ErrorCode};
use lwa_process::{is_secret_like_name, is_secret_like_value};
use lwa_protocol::approval::{Answer, ApprovalItem, ApprovalListParams, DecideParams};
use lwa_protocol::host::Nothing;
use lwa_protocol::method::{ApprovalDecide, ApprovalGetList, EventSubscribe};
use lwa_protocol::worker::{SessionRef, WorkerAnswer, WorkerCall, WorkerStatusKind};
use lwa_protocol::{Connection, Failure, Method};

use crate::args::{ModeArg, SessionArgs};
use crate::command::approvals::{chosen, readable, type_code};
use crate::command::run::has_terminal;
use crate::face;
use crate::output::Output;

/// How long one call waits before it is repeated.
const HOLD_MS: u32 = 8_000;

/// A connection for one conversation.
pub struct Desk {
    host: Connection,
    call: WorkerCall,
    output: Output,
}

impl Desk {
    /// Connects, and listens when somebody can be asked here.
    pub async fn open(session: &SessionArgs, output: Output) -> Result<Self, Failure> {
        let forced_mode = session.mode.map(|mode| match mode {
            ModeArg::Pii => "pii".to_owned(),
            ModeArg::Assist => "assist".to_owned(),
        });
        Self::named(&session.session, forced_mode, output).await
    }

    /// Connects for a conversation of this name.
    pub async fn named(session: &str, forced_mode: Option<String>, output: Output) -> Result<Self, Failure> {
        let host = face::host().await?;
        if has_terminal() {
            face::call_on::<EventSubscribe>(&host, Nothing {}).await?;
        }
        let call = WorkerCall {
            session: vec![SessionRef::Named(session.to_owned())],
            cwd: std::env::current_dir().ok().map(|path| path.display().to_string()),
            environment: variables(),
            forced_mode,
            hold_ms: HOLD_MS,
            ..WorkerCall::default()
        };
        Ok(Self { host, call, output })
    }

    /// What every call of the conversation carries.
    pub fn call(&self) -> WorkerCall {
        self.call.clone()
    }

    /// A call that is answered at once.
    pub async fn plain<M: Method>(&self, params: M::Params) -> Result<M::Response, Failure> {
        face::call_on::<M>(&self.host, params).await
    }

    /// A call, repeated until it is settled.
    pub async fn settled<M>(&self, params: M::Params) -> Result<WorkerAnswer, Failure>
    where
        M: Method<Response = WorkerAnswer>,
        M::Params: Clone,
    {
        let mut has_said_where = false;
        loop {
            let answer = face::call_on::<M>(&self.host, params.clone()).await?;
            match answer.status {
                WorkerStatusKind::Working => {}
                WorkerStatusKind::ApprovalPending if has_terminal() && answer.approval.is_some() => {
                    self.ask_here(answer.approval.as_ref()).await?;
                }
                WorkerStatusKind::ApprovalPending => {
                    if !has_said_where {
                        self.output.note("Waiting for your answer in the Lwa window, or by `lwa approvals allow` …");
                        has_said_where = true;
                    }
                }
                _ => return Ok(answer),
            }
        }
    }

    /// Asks the question that this call waits for on the terminal, and no other: whoever sits here started this call
    /// alone.
    async fn ask_here(&self, approval: Option<&ApprovalId>) -> Result<(), Failure> {
        let open = face::call_on::<ApprovalGetList>(&self.host, ApprovalListParams::default()).await?.approvals;
        let Some(item) = awaited(open, approval) else { return Ok(()) };
        self.output.note(&readable(&item));
        let decision = match type_code(&item)? {
            Some(code) => {
                let session = !item.offers.contains(&Answer::AllowOnce);
                let (answer, variant) = chosen(&item, None, session, false)?;
                DecideParams { id: item.id.clone(), answer, reason: None, code: Some(code), variant }
            }
            None => denied(item.id.clone()),
        };
        match face::call_on::<ApprovalDecide>(&self.host, decision).await {
            // The window was faster.
            Err(failure) if failure.code == ErrorCode::NotFound => Ok(()),
            other => other.map(drop),
        }
    }
}

/// The open question that a call waits for, where the worker asks it.
fn awaited(open: Vec<ApprovalItem>, approval: Option<&ApprovalId>) -> Option<ApprovalItem> {
    let ours = |kind| matches!(kind, ApprovalKind::TurnOn | ApprovalKind::Command | ApprovalKind::Disclosure);
    open.into_iter().find(|item| Some(&item.id) == approval && ours(item.kind))
}

fn denied(id: ApprovalId) -> DecideParams {
    DecideParams { id, answer: Answer::Deny, reason: None, code: None, variant: None }
}

/// The variables of this terminal, without those that look like secrets by name or by value; the host looks again.
fn variables() -> BTreeMap<String, String> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, value)| !is_secret_like_name(name) && !is_secret_like_value(value))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn item(id: &str, kind: &str) -> ApprovalItem {
        serde_json::from_value(json!({
            "id": id, "kind": kind, "title": "Run this command?", "client": "lwa", "session": "s", "asker": {},
            "created_at": "", "expires_at": "", "count": 1, "detail": {"type": "command", "command": "touch x", "cwd": "/",
            "segments": [], "reason": "", "warnings": [], "shapes": [], "sandbox": null, "secret_variables": [],
            "is_clients_own": false}, "consequence": "", "is_serious": false, "offers": [], "code": "RRJP",
            "outcome": null, "outcome_reason": null, "decided_at": null, "decided_by": null,
        }))
        .unwrap()
    }

    #[test]
    fn a_terminal_asks_the_question_of_its_own_call_and_no_other() {
        let open = || vec![item("a".repeat(24).as_str(), "command"), item("b".repeat(24).as_str(), "command")];
        let mine = ApprovalId::new("b".repeat(24));
        assert_eq!(awaited(open(), Some(&mine)).map(|item| item.id), Some(mine));
        assert!(awaited(open(), Some(&ApprovalId::new("c".repeat(24)))).is_none());
        assert!(awaited(open(), None).is_none());
    }
}
