//! How questions end: a person's answer, time, or the loss of their reason. Taken once, with its effect.

use jiff::{SignedDuration, Timestamp};
use lwa_domain::{ApprovalId, ApprovalKind, ErrorCode, Outcome, PlanId, PlanState};
use lwa_protocol::approval::{Answer, ApprovalDetail, ApprovalItem, ApprovalParams, Asker, DecideParams, Variant};
use lwa_protocol::{Event, Failure, Role};
use lwa_store::{ApprovalRecord, Decided, Decision, Effect, NewAudit};
use serde_json::json;

use super::{Ended, NOBODY_ANSWERED, detail, item, short};
use crate::caller::Caller;
use crate::engine::Engine;
use crate::failure;

/// How a question is to end.
#[derive(Debug, Clone)]
struct Ending {
    outcome: Outcome,
    reason: Option<String>,
    /// Which surface: `app`, `terminal`, `client`, `host`.
    by: &'static str,
    /// The actor for the audit log.
    actor: &'static str,
    /// Which of the question's variants.
    variant: Option<String>,
}

impl Ending {
    /// The question lost its reason.
    fn withdrawn(reason: &str) -> Self {
        Self { outcome: Outcome::Withdrawn, reason: Some(reason.to_owned()), by: "host", actor: "host", variant: None }
    }
}

impl Engine {
    /// Ends a question that nobody answered: timed out, withdrawn.
    pub(crate) async fn end_question(
        &self,
        record: ApprovalRecord,
        outcome: Outcome,
        reason: &str,
    ) -> Result<(), Failure> {
        let ending = Ending { outcome, reason: Some(reason.to_owned()), by: "host", actor: "host", variant: None };
        self.conclude(record, ending).await.map(drop)
    }

    /// Takes the end of a question, gives it its effect and tells everyone. First come, first served.
    async fn conclude(&self, record: ApprovalRecord, ending: Ending) -> Result<Decided, Failure> {
        let engine = self.clone();
        self.to_the_end(async move {
            // The file is not read again while a yes to it takes effect: what a human saw is what they
            // get. Ending such a question without a person's answer happens under that lock already.
            let is_answer = ending.by != "host";
            let _turn = match record.kind {
                ApprovalKind::PolicyChange if is_answer && concerns_the_file(&record) => {
                    Some(engine.configuration.turn().await)
                }
                _ => None,
            };
            engine.conclude_in_turn(record, ending).await
        })
        .await
    }

    async fn conclude_in_turn(&self, record: ApprovalRecord, mut ending: Ending) -> Result<Decided, Failure> {
        let now = self.now();
        let is_moot = concerns_the_file(&record)
            && ending.outcome.is_allowed()
            && !self.is_pending_configuration(&record.merge_key);
        if is_moot {
            ending = Ending::withdrawn("the configuration changed again");
        }
        // Only an answer has an effect, so only for one the details have to be readable.
        let plan_id = match (record.kind, ending.outcome) {
            (ApprovalKind::Spend, outcome) if outcome.is_allowed() || outcome == Outcome::Denied => {
                plan_of(&detail(&record)?)
            }
            _ => None,
        };
        let ttl = i64::from(self.configuration.in_force().router.confirmation_ttl_seconds);
        let effect = match &plan_id {
            Some(plan_id) if ending.outcome.is_allowed() => {
                Effect::ApprovePlan(plan_id, now + SignedDuration::from_secs(ttl))
            }
            Some(plan_id) => Effect::DenyPlan(plan_id),
            None => Effect::None,
        };
        let mut decided = self.take(&record.id, &ending, effect, now).await?;
        if decided == Decided::Pointless {
            ending = Ending::withdrawn("the plan's time ran out before the answer came");
            decided = self.take(&record.id, &ending, Effect::None, now).await?;
        }
        if decided == Decided::AlreadyEnded {
            return Ok(decided);
        }
        let effect = match (record.kind, ending.outcome) {
            (ApprovalKind::PolicyChange, outcome) if outcome.is_allowed() && concerns_the_file(&record) => {
                self.accept_pending_configuration().await.map(drop)
            }
            (ApprovalKind::PolicyChange | ApprovalKind::Script, outcome) if outcome.is_allowed() => {
                self.give_effect(&record).await
            }
            (ApprovalKind::PolicyChange, Outcome::Denied) if concerns_the_file(&record) => {
                self.remember_refusal(&record.merge_key).await
            }
            (ApprovalKind::PolicyChange, Outcome::Denied) if crate::worker::is_about_lines(&record.merge_key) => {
                self.refuse_allowed_lines(&record.merge_key).await
            }
            (ApprovalKind::PolicyChange, Outcome::Denied)
                if crate::worker::is_about_what_is_gone(&record.merge_key) =>
            {
                self.keep_what_is_gone(&record.merge_key).await
            }
            _ => Ok(()),
        };
        let ended = Ended { outcome: ending.outcome, reason: ending.reason, variant: ending.variant };
        self.broker.publish(&record.id, ended.clone());
        if let Some(plan_id) = plan_id
            && (ended.outcome.is_allowed() || ended.outcome == Outcome::Denied)
        {
            let state = if ended.outcome.is_allowed() { PlanState::Ready } else { PlanState::Denied };
            self.emit(Event::PlanChanged { plan_id, state });
        }
        self.emit(Event::ApprovalClosed { id: record.id, outcome: ended.outcome, reason: ended.reason });
        effect?;
        Ok(decided)
    }

    /// What a yes does that no plan and no file waits for.
    async fn give_effect(&self, record: &ApprovalRecord) -> Result<(), Failure> {
        match detail(record)? {
            ApprovalDetail::SessionConsent(consent) => {
                self.apply_session_mode(&record.session, consent.to, consent.from);
                Ok(())
            }
            ApprovalDetail::Script(script) => self.script_was_approved(&script).await,
            ApprovalDetail::PolicyChange(change) if crate::worker::is_about_lines(&record.merge_key) => {
                self.accept_allowed_lines(&change.changes).await
            }
            ApprovalDetail::PolicyChange(change) if crate::worker::is_about_what_is_gone(&record.merge_key) => {
                self.let_go(&change.changes)
            }
            ApprovalDetail::Spend(_)
            | ApprovalDetail::PolicyChange(_)
            | ApprovalDetail::TurnOn(_)
            | ApprovalDetail::Command(_)
            | ApprovalDetail::Disclosure(_) => Ok(()),
        }
    }

    async fn take(
        &self,
        id: &ApprovalId,
        ending: &Ending,
        effect: Effect<'_>,
        now: Timestamp,
    ) -> Result<Decided, Failure> {
        let decision = Decision {
            id,
            outcome: ending.outcome,
            reason: ending.reason.as_deref(),
            by: ending.by,
            variant: ending.variant.as_deref(),
            now,
        };
        self.db.decide_approval(&decision, effect, ending.actor).await.map_err(failure::store)
    }

    /// `approval/decide`: a person's answer.
    ///
    /// # Errors
    /// The question is unknown or has ended, the code is wrong, or the answering process descends
    /// from the client that asks.
    pub async fn decide(&self, caller: &Caller, params: &DecideParams) -> Result<ApprovalItem, Failure> {
        let record = self.refuse_late(self.find_approval(&params.id).await?).await?;
        let offers: Vec<Answer> =
            serde_json::from_value(record.offers.clone()).map_err(|error| failure::json(&error))?;
        let variant = chosen_variant(&record, params)?;
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
        let ending = Ending { outcome, reason, by, actor: "user", variant };
        let id = record.id.clone();
        let taken = match self.conclude(record, ending).await? {
            Decided::Taken(decided) if decided.outcome == Some(outcome) => Some(decided),
            _ => None,
        };
        if let Some(decided) = taken {
            return item(&decided);
        }
        Err(already_ended(&self.find_approval(&id).await?))
    }

    /// Takes what a client's own dialog said. How the question ended, which may be another way than this.
    pub(crate) async fn conclude_from_client(
        &self,
        record: ApprovalRecord,
        outcome: Outcome,
        reason: Option<&str>,
        variant: Option<&str>,
    ) -> Result<Option<Outcome>, Failure> {
        let id = record.id.clone();
        let ending = Ending {
            outcome,
            reason: reason.map(str::to_owned),
            by: "client",
            actor: "user",
            variant: variant.map(str::to_owned),
        };
        match self.conclude(record, ending).await? {
            Decided::Taken(decided) => Ok(decided.outcome),
            Decided::AlreadyEnded | Decided::Pointless => Ok(self.find_approval(&id).await?.outcome),
        }
    }

    /// Refuses an answer to a question that has ended, or whose time is up though nobody looked yet.
    async fn refuse_late(&self, record: ApprovalRecord) -> Result<ApprovalRecord, Failure> {
        if record.outcome.is_some() {
            return Err(already_ended(&record));
        }
        if record.expires_at > self.now() {
            return Ok(record);
        }
        let id = record.id.clone();
        self.end_question(record, Outcome::TimedOut, NOBODY_ANSWERED).await?;
        Err(already_ended(&self.find_approval(&id).await?))
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
                process.is_work_of(host, caller.role)
                    || clients.into_iter().any(|client| process.descends_from(client, host))
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
        let record = self.refuse_late(self.find_approval(&params.id).await?).await?;
        let minutes = i64::from(self.configuration.in_force().app.approval_minutes);
        let until = self.now() + SignedDuration::from_mins(minutes);
        let plan_id = plan_of(&detail(&record)?);
        let extended = self.db.extend_approval(&record.id, until, plan_id.as_ref()).await.map_err(failure::store)?;
        let Some(record) = extended else {
            return Err(already_ended(&self.find_approval(&params.id).await?));
        };
        let approval = item(&record)?;
        self.emit(Event::ApprovalChanged { approval: Box::new(approval.clone()) });
        Ok(approval)
    }
}

/// The variant that an answer names. A yes to a question with variants has to name one of its own; a no may.
fn chosen_variant(record: &ApprovalRecord, params: &DecideParams) -> Result<Option<String>, Failure> {
    let variants: Vec<Variant> =
        serde_json::from_value(record.variants.clone()).map_err(|error| failure::json(&error))?;
    let fitting = variants.iter().filter(|variant| variant.answer == params.answer).map(|variant| variant.id.as_str());
    match params.variant.as_deref() {
        Some(named) if fitting.clone().any(|id| id == named) => Ok(Some(named.to_owned())),
        Some(named) => {
            let shown: String = named.chars().take(40).collect();
            let way_out = fitting.collect::<Vec<_>>().join("`, `");
            Err(Failure::new(ErrorCode::InvalidInput, format!("this answer has no variant `{shown}`"))
                .hint(format!("its variants are `{way_out}`")))
        }
        // The first variant of an answer is its plainest meaning.
        None => Ok(fitting.clone().next().map(str::to_owned)),
    }
}

fn already_ended(record: &ApprovalRecord) -> Failure {
    let how = record.outcome.map_or("answered", Outcome::as_str);
    let why = record.outcome_reason.as_deref().map(|reason| format!(", {reason}")).unwrap_or_default();
    Failure::new(ErrorCode::NotFound, format!("the question has already ended: {how}{why}"))
        .hint("nothing was changed by this answer")
}

/// The plan that a question is about.
fn plan_of(detail: &ApprovalDetail) -> Option<PlanId> {
    match detail {
        ApprovalDetail::Spend(spend) => Some(spend.plan_id.clone()),
        ApprovalDetail::PolicyChange(_)
        | ApprovalDetail::SessionConsent(_)
        | ApprovalDetail::Script(_)
        | ApprovalDetail::TurnOn(_)
        | ApprovalDetail::Command(_)
        | ApprovalDetail::Disclosure(_) => None,
    }
}

/// Whether the question is about edits of the configuration file.
fn concerns_the_file(record: &ApprovalRecord) -> bool {
    record.kind == ApprovalKind::PolicyChange && crate::configuration::is_about_the_file(&record.merge_key)
}
