//! The approval broker: questions to the human, stored, merged, answered once, never assumed.
//!
//! A question is a row in the database. Callers wait on it for as long as they can and may come back;
//! an answer is taken exactly once by a conditional update. Only a yes has an effect; closing a
//! window, running out of time, losing the client or the host are all refusals, each under its name.

mod answer;

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lwa_domain::{ApprovalId, ApprovalKind, ClientName, ErrorCode, Outcome, PlanId, SessionId};
use lwa_protocol::approval::{
    Answer, ApprovalDetail, ApprovalItem, ApprovalList, ApprovalListParams, ApprovalParams, Asker, Variant,
};
use lwa_protocol::{Event, Failure, Role};
use lwa_store::{ApprovalRecord, NewApproval, NewAudit};
use serde_json::json;
use tokio::sync::watch;

use crate::caller::Caller;
use crate::engine::{Engine, locked, rfc3339};
use crate::{failure, tokens};

/// How long the answer to a question is handed to a repeat of the call.
pub(crate) const CARRY: SignedDuration = SignedDuration::from_mins(15);

const NOBODY_ANSWERED: &str = "nobody answered in time";

/// How a question ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ended {
    pub outcome: Outcome,
    pub reason: Option<String>,
    /// Which of the question's variants it was.
    pub variant: Option<String>,
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

    /// Nobody waits for a question that has ended.
    fn forget(&self, id: &ApprovalId) {
        locked(&self.waiters).remove(id);
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
    pub variants: Vec<Variant>,
}

impl Engine {
    /// Opens the question, or joins the open one with the same merge key. None when the plan it is
    /// about no longer waits for an answer.
    pub(crate) async fn open_question(
        &self,
        question: Question,
        caller: Option<&Caller>,
        plan: Option<&PlanId>,
    ) -> Result<Option<ApprovalRecord>, Failure> {
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
            variants: serde_json::to_value(&question.variants).map_err(|error| failure::json(&error))?,
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
        let opened = self.db.open_approval(&new, plan, &audit).await.map_err(failure::store)?;
        let Some((record, is_new)) = opened else { return Ok(None) };
        let approval = Box::new(item(&record)?);
        self.emit(if is_new { Event::ApprovalOpened { approval } } else { Event::ApprovalChanged { approval } });
        self.wakes_maintenance.notify_one();
        Ok(Some(record))
    }

    /// Waits for the end of a question, at most `hold`. `None` means it is still open.
    pub(crate) async fn wait_for_answer(&self, id: &ApprovalId, hold: Duration) -> Result<Option<Ended>, Failure> {
        // Subscribe first and look afterwards, so that an answer in between is not missed.
        let mut answers = self.broker.subscribe(id);
        let record = self.db.approval(id).await.map_err(failure::store)?;
        if let Some(ended) = record.as_ref().and_then(ended) {
            self.broker.forget(id);
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
        Ok(ApprovalList { approvals: records.iter().map(item).collect::<Result<_, _>>()? })
    }

    /// `approval/show`.
    ///
    /// # Errors
    /// The question is unknown.
    pub async fn show_approval(&self, params: &ApprovalParams) -> Result<ApprovalItem, Failure> {
        item(&self.find_approval(&params.id).await?)
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
                self.end_question(record, Outcome::TimedOut, NOBODY_ANSWERED).await?;
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
                self.end_question(record, Outcome::Withdrawn, "the client that asked has ended").await?;
            }
        }
        Ok(())
    }
}

fn ended(record: &ApprovalRecord) -> Option<Ended> {
    record.outcome.map(|outcome| Ended {
        outcome,
        reason: record.outcome_reason.clone(),
        variant: record.variant.clone(),
    })
}

/// The first digits of an id, enough to type.
pub(crate) fn short(id: &ApprovalId) -> &str {
    id.as_str().get(..8).unwrap_or(id.as_str())
}

fn detail(record: &ApprovalRecord) -> Result<ApprovalDetail, Failure> {
    serde_json::from_value(record.detail.clone()).map_err(|error| failure::json(&error))
}

fn item(record: &ApprovalRecord) -> Result<ApprovalItem, Failure> {
    let json = |error: serde_json::Error| failure::json(&error);
    // Every method that hands an item out is for people; an agent never sees the code.
    let shows_code = record.outcome.is_none();
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
        variants: serde_json::from_value(record.variants.clone()).map_err(json)?,
        code: shows_code.then(|| record.code.clone()),
        outcome: record.outcome,
        outcome_reason: record.outcome_reason.clone(),
        decided_at: record.decided_at.map(rfc3339),
        decided_by: record.decided_by.clone(),
        variant: record.variant.clone(),
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
