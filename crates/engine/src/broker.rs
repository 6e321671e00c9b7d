//! The approval broker: questions to the human, stored, merged, answered once, never assumed.
//!
//! A question is a row in the database. Callers wait on it for as long as they can and may come back;
//! an answer is taken exactly once by a conditional update. Only a yes has an effect; closing a
//! window, running out of time, losing the client or the host are all refusals, each under its name.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lwa_domain::{ApprovalId, ApprovalKind, ClientName, ErrorCode, Outcome, SessionId};
use lwa_protocol::approval::{
    Answer, ApprovalDetail, ApprovalItem, ApprovalList, ApprovalListParams, ApprovalParams, Asker, DecideParams,
};
use lwa_protocol::{Event, Failure, Role};
use lwa_store::{ApprovalRecord, Decision, NewApproval, NewAudit};
use serde_json::json;
use tokio::sync::watch;

use crate::caller::Caller;
use crate::engine::{Engine, locked, rfc3339};
use crate::{failure, tokens};

/// How long the answer to a question is handed to a repeat of the call.
pub(crate) const CARRY: SignedDuration = SignedDuration::from_mins(15);

/// How a question ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ended {
    pub outcome: Outcome,
    pub reason: Option<String>,
}

/// The open questions that somebody in this process waits for.
#[derive(Debug, Default)]
pub struct Broker {
    waiters: Mutex<HashMap<ApprovalId, watch::Sender<Option<Ended>>>>,
}

impl Broker {
    /// Nobody waits.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    fn subscribe(&self, id: &ApprovalId) -> watch::Receiver<Option<Ended>> {
        locked(&self.waiters).entry(id.clone()).or_insert_with(|| watch::Sender::new(None)).subscribe()
    }

    fn publish(&self, id: &ApprovalId, ended: Ended) {
        if let Some(sender) = locked(&self.waiters).remove(id) {
            sender.send_replace(Some(ended));
        }
    }
}

/// A question to ask.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    pub kind: ApprovalKind,
    /// Equal for requests that one answer serves.
    pub merge_key: String,
    pub title: String,
    pub detail: ApprovalDetail,
    pub consequence: String,
    pub is_serious: bool,
    pub offers: Vec<Answer>,
}

impl Engine {
    /// Opens the question, or joins the open one with the same merge key.
    pub(crate) async fn open_question(
        &self,
        question: Question,
        caller: Option<&Caller>,
    ) -> Result<ApprovalRecord, Failure> {
        let now = self.now();
        let asker = caller.map(asker).unwrap_or_default();
        let client = caller.map_or("lwa", Caller::client_name).to_owned();
        let session = caller.map_or_else(|| "host".to_owned(), |caller| caller.session.as_str().to_owned());
        let minutes = i64::from(self.configuration.in_force().app.approval_minutes);
        let new = NewApproval {
            id: tokens::approval_id()?,
            kind: question.kind,
            merge_key: question.merge_key,
            title: question.title,
            client: client.clone(),
            session: session.clone(),
            asker: serde_json::to_value(asker).map_err(|error| failure::json(&error))?,
            detail: serde_json::to_value(&question.detail).map_err(|error| failure::json(&error))?,
            consequence: question.consequence,
            is_serious: question.is_serious,
            offers: serde_json::to_value(&question.offers).map_err(|error| failure::json(&error))?,
            code: tokens::typed_code()?,
            created_at: now,
            expires_at: now + SignedDuration::from_mins(minutes),
        };
        let audit = NewAudit {
            at: now,
            actor: &client,
            session: Some(&session),
            action: "approval.opened",
            object: Some(new.id.as_str()),
            decision: Some("ask"),
            detail: json!({ "kind": new.kind }),
        };
        let (record, is_new) = self.db.open_approval(&new, &audit).await.map_err(failure::store)?;
        let approval = Box::new(item(&record, Audience::Person)?);
        self.emit(if is_new { Event::ApprovalOpened { approval } } else { Event::ApprovalChanged { approval } });
        self.wakes_maintenance.notify_one();
        Ok(record)
    }

    /// Waits for the end of a question, at most `hold`. `None` means it is still open.
    pub(crate) async fn wait_for_answer(&self, id: &ApprovalId, hold: Duration) -> Result<Option<Ended>, Failure> {
        // Subscribe first and look afterwards, so that an answer in between is not missed.
        let mut answers = self.broker.subscribe(id);
        let record = self.db.approval(id).await.map_err(failure::store)?;
        if let Some(ended) = record.as_ref().and_then(ended) {
            return Ok(Some(ended));
        }
        let waited = tokio::time::timeout(hold, answers.wait_for(Option::is_some)).await;
        let answered = waited.ok().and_then(Result::ok).and_then(|ended| ended.clone());
        if answered.is_some() {
            return Ok(answered);
        }
        // The sender is gone or time is up: the database knows.
        let record = self.db.approval(id).await.map_err(failure::store)?;
        Ok(record.as_ref().and_then(ended))
    }

    /// Ends a question that nobody answered: timed out, withdrawn.
    pub(crate) async fn end_question(&self, id: &ApprovalId, outcome: Outcome, reason: &str) -> Result<(), Failure> {
        let decision = Decision { id, outcome, reason: Some(reason), by: "host", now: self.now() };
        self.conclude(&decision, "host").await.map(drop)
    }

    /// Takes the end of a question, gives it its effect and tells everyone. First come, first served.
    async fn conclude(&self, decision: &Decision<'_>, actor: &str) -> Result<Option<ApprovalRecord>, Failure> {
        let Some(record) = self.db.decide_approval(decision, actor).await.map_err(failure::store)? else {
            return Ok(None);
        };
        let effect = self.apply(&record, decision.outcome).await;
        let ended = Ended { outcome: decision.outcome, reason: decision.reason.map(str::to_owned) };
        self.broker.publish(&record.id, ended.clone());
        self.emit(Event::ApprovalClosed { id: record.id.clone(), outcome: ended.outcome, reason: ended.reason });
        effect?;
        Ok(Some(record))
    }

    async fn apply(&self, record: &ApprovalRecord, outcome: Outcome) -> Result<(), Failure> {
        match detail(record)? {
            ApprovalDetail::Spend(spend) => self.apply_spend_answer(&spend.plan_id, outcome).await,
            ApprovalDetail::PolicyChange(_) if outcome.is_allowed() => {
                self.accept_pending_configuration().await.map(drop)
            }
            ApprovalDetail::PolicyChange(_) => Ok(()),
        }
    }

    /// `approval/decide`: a person's answer.
    ///
    /// # Errors
    /// The question is unknown or has ended, the code is wrong, or the answering process descends
    /// from the client that asks.
    pub async fn decide(&self, caller: &Caller, params: &DecideParams) -> Result<ApprovalItem, Failure> {
        let record = self.find_approval(&params.id).await?;
        let offers: Vec<Answer> =
            serde_json::from_value(record.offers.clone()).map_err(|error| failure::json(&error))?;
        let outcome = match params.answer {
            Answer::Deny => Outcome::Denied,
            Answer::Dismiss => Outcome::Dismissed,
            Answer::AllowOnce => Outcome::AllowedOnce,
            Answer::AllowSession => Outcome::AllowedSession,
            Answer::AllowAlways => Outcome::AllowedAlways,
        };
        if outcome.is_allowed() {
            if !offers.contains(&params.answer) {
                return Err(Failure::new(
                    ErrorCode::InvalidInput,
                    format!("a `{}` question cannot be allowed for that long", record.kind),
                )
                .hint("allow it once"));
            }
            self.refuse_the_askers_own_process(caller, &record).await?;
            let typed = params.code.as_deref().map(|code| code.trim().to_uppercase());
            if caller.role == Role::Cli && typed.as_deref() != Some(record.code.as_str()) {
                return Err(Failure::new(ErrorCode::Forbidden, "the typed code does not match the question")
                    .hint(format!("run `lwa approvals show {}` and type the code it shows", short(&record.id))));
            }
        }
        let by = match caller.role {
            Role::App => "app",
            Role::Cli => "terminal",
            Role::Sidecar => "client",
        };
        let reason = params.reason.as_deref().map(|reason| reason.chars().take(500).collect::<String>());
        let decision = Decision { id: &record.id, outcome, reason: reason.as_deref(), by, now: self.now() };
        if let Some(decided) = self.conclude(&decision, "user").await? {
            item(&decided, Audience::Person)
        } else {
            let record = self.find_approval(&record.id).await?;
            let how = record.outcome.map_or("answered", Outcome::as_str);
            Err(Failure::new(ErrorCode::NotFound, format!("the question has already ended: {how}"))
                .hint("nothing was changed by this answer"))
        }
    }

    /// An agent can run programs, ours too. A yes from a process that a connected client started is
    /// the agent's, not the human's.
    async fn refuse_the_askers_own_process(&self, caller: &Caller, record: &ApprovalRecord) -> Result<(), Failure> {
        let host = std::process::id();
        let refused = match &caller.process {
            None => true,
            Some(process) => {
                let stored: Asker = serde_json::from_value(record.asker.clone()).unwrap_or_default();
                let mut clients = self.surfaces.client_processes();
                clients.extend(stored.client_pid);
                clients.into_iter().any(|client| process.descends_from(client, host))
            }
        };
        if !refused {
            return Ok(());
        }
        let audit = NewAudit {
            at: self.now(),
            actor: caller.actor(),
            session: Some(caller.session.as_str()),
            action: "approval.refused",
            object: Some(record.id.as_str()),
            decision: Some("deny"),
            detail: json!({ "why": "the answering process was started by a connected client" }),
        };
        self.db.append_audit(&audit).await.map_err(failure::store)?;
        Err(Failure::new(
            ErrorCode::Forbidden,
            "this answer comes from a process that a connected client started, so it does not count",
        )
        .hint("answer in the Lwa window, or in a terminal that you opened yourself"))
    }

    /// `approval/extend`: the question gets its full time again.
    ///
    /// # Errors
    /// The question is unknown or has ended.
    pub async fn extend(&self, params: &ApprovalParams) -> Result<ApprovalItem, Failure> {
        let record = self.find_approval(&params.id).await?;
        let minutes = i64::from(self.configuration.in_force().app.approval_minutes);
        let until = self.now() + SignedDuration::from_mins(minutes);
        let extended = self.db.extend_approval(&record.id, until).await.map_err(failure::store)?;
        let Some(record) = extended else {
            return Err(Failure::new(ErrorCode::NotFound, "the question has already ended"));
        };
        if let ApprovalDetail::Spend(spend) = detail(&record)? {
            self.db
                .extend_waiting_plan(&spend.plan_id, until + SignedDuration::from_mins(1))
                .await
                .map_err(failure::store)?;
        }
        let approval = item(&record, Audience::Person)?;
        self.emit(Event::ApprovalChanged { approval: Box::new(approval.clone()) });
        Ok(approval)
    }

    /// `approval/list`: open questions in order of arrival, then ended ones, newest first.
    ///
    /// # Errors
    /// The database failed.
    pub async fn list_approvals(&self, params: &ApprovalListParams) -> Result<ApprovalList, Failure> {
        let mut records = self.db.open_approvals().await.map_err(failure::store)?;
        if params.with_answered {
            let limit = params.limit.unwrap_or(50).min(1000);
            records.extend(self.db.ended_approvals(limit).await.map_err(failure::store)?);
        }
        Ok(ApprovalList {
            approvals: records.iter().map(|record| item(record, Audience::Person)).collect::<Result<_, _>>()?,
        })
    }

    /// `approval/show`.
    ///
    /// # Errors
    /// The question is unknown.
    pub async fn show_approval(&self, params: &ApprovalParams) -> Result<ApprovalItem, Failure> {
        item(&self.find_approval(&params.id).await?, Audience::Person)
    }

    /// The question with this id, or the only one whose id begins so.
    pub(crate) async fn find_approval(&self, id: &ApprovalId) -> Result<ApprovalRecord, Failure> {
        let way_out = "`lwa approvals list` shows the open ones";
        let mut found = if id.as_str().len() >= 4 {
            self.db.approvals_with_prefix(id.as_str()).await.map_err(failure::store)?
        } else {
            Vec::new()
        };
        if found.len() > 1 {
            return Err(Failure::new(ErrorCode::InvalidInput, format!("`{id}` begins more than one approval"))
                .hint("give more digits"));
        }
        found
            .pop()
            .ok_or_else(|| Failure::new(ErrorCode::NotFound, format!("there is no approval `{id}`")).hint(way_out))
    }

    /// Ends what ran out of time, and what lost its client. Returns when to look again.
    pub(crate) async fn sweep_approvals(&self) -> Result<Option<Timestamp>, Failure> {
        let now = self.now();
        let mut next = None;
        for record in self.db.open_approvals().await.map_err(failure::store)? {
            if record.expires_at <= now {
                self.end_question(&record.id, Outcome::TimedOut, "nobody answered in time").await?;
            } else {
                next = Some(next.map_or(record.expires_at, |earliest: Timestamp| earliest.min(record.expires_at)));
            }
        }
        Ok(next)
    }

    /// A session has no connection any more: its questions lost their reason.
    pub(crate) async fn withdraw_session(&self, session: &SessionId) -> Result<(), Failure> {
        for record in self.db.open_approvals().await.map_err(failure::store)? {
            if record.session == session.as_str() {
                self.end_question(&record.id, Outcome::Withdrawn, "the client that asked has ended").await?;
            }
        }
        Ok(())
    }
}

fn ended(record: &ApprovalRecord) -> Option<Ended> {
    record.outcome.map(|outcome| Ended { outcome, reason: record.outcome_reason.clone() })
}

/// The first digits of an id, enough to type.
pub(crate) fn short(id: &ApprovalId) -> &str {
    id.as_str().get(..8).unwrap_or(id.as_str())
}

/// Who will read an item: the typed code is for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Audience {
    Person,
}

fn detail(record: &ApprovalRecord) -> Result<ApprovalDetail, Failure> {
    serde_json::from_value(record.detail.clone()).map_err(|error| failure::json(&error))
}

fn item(record: &ApprovalRecord, audience: Audience) -> Result<ApprovalItem, Failure> {
    let json = |error: serde_json::Error| failure::json(&error);
    let shows_code = audience == Audience::Person && record.outcome.is_none();
    Ok(ApprovalItem {
        id: record.id.clone(),
        kind: record.kind,
        title: record.title.clone(),
        client: ClientName::new(record.client.clone()),
        session: SessionId::new(record.session.clone()),
        asker: serde_json::from_value(record.asker.clone()).map_err(json)?,
        created_at: rfc3339(record.created_at),
        expires_at: rfc3339(record.expires_at),
        count: u32::try_from(record.count).unwrap_or(u32::MAX),
        detail: detail(record)?,
        consequence: record.consequence.clone(),
        is_serious: record.is_serious,
        offers: serde_json::from_value(record.offers.clone()).map_err(json)?,
        code: shows_code.then(|| record.code.clone()),
        outcome: record.outcome,
        outcome_reason: record.outcome_reason.clone(),
        decided_at: record.decided_at.map(rfc3339),
        decided_by: record.decided_by.clone(),
    })
}

/// What is known about who asks.
fn asker(caller: &Caller) -> Asker {
    let process = caller.process.as_ref();
    let client = process.and_then(|process| match caller.role {
        Role::Sidecar => process.client().map(|(pid, _)| pid),
        Role::App | Role::Cli => None,
    });
    Asker {
        client_version: caller.client.version.clone(),
        client_pid: client,
        client_path: client
            .and_then(|pid| crate::peer::Process::inspect(pid).executable)
            .map(|path| path.display().to_string()),
        cwd: caller.client.cwd.clone(),
        process_chain: process
            .map(|process| process.ancestors.iter().map(|(_, name)| name.clone()).collect())
            .unwrap_or_default(),
    }
}
