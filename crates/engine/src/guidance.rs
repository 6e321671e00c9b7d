//! Two things a session may set for itself: whether results carry a thought about the next tier, and when the human is
//! asked.

use std::str::FromStr;
use std::time::Duration;

use lwa_config::GuidanceMode;
use lwa_domain::{ApprovalKind, ConsentMode, Outcome};
use lwa_protocol::approval::{Answer, ApprovalDetail, SessionConsentDetail};
use lwa_protocol::plan::ApproveStatus;
use lwa_protocol::router::{ConsentSetAnswer, ConsentSetParams, GuidanceSetting};
use lwa_protocol::{Event, Failure};
use lwa_store::NewAudit;
use serde_json::json;

use crate::approve::MAX_HOLD;
use crate::broker::{CARRY, Question, short};
use crate::caller::Caller;
use crate::engine::{Engine, locked};
use crate::failure;

/// What a session set for itself, and what the configuration said then.
#[derive(Debug, Clone, Copy)]
pub struct SessionMode {
    mode: ConsentMode,
    configured_then: ConsentMode,
}

/// The setting that overrides the configuration's own.
const GUIDANCE: &str = "router.guidance";

impl Engine {
    /// `guidance/get`: what is in force, from the last `guidance/set` or from the configuration.
    ///
    /// # Errors
    /// The database failed.
    pub async fn guidance(&self) -> Result<GuidanceSetting, Failure> {
        let kept = self.db.setting(GUIDANCE).await.map_err(failure::store)?;
        if let Some(setting) = kept.and_then(|text| serde_json::from_str(&text).ok()) {
            return Ok(setting);
        }
        let config = self.configuration.in_force();
        Ok(GuidanceSetting {
            enabled: config.router.post_response_tier_guidance,
            mode: config.router.post_response_tier_guidance_mode.as_str().to_owned(),
        })
    }

    /// `guidance/set`.
    ///
    /// # Errors
    /// The mode is misspelt, or the database failed.
    pub async fn set_guidance(&self, caller: &Caller, params: &GuidanceSetting) -> Result<GuidanceSetting, Failure> {
        let mode = GuidanceMode::from_str(&params.mode)?;
        let setting = GuidanceSetting { enabled: params.enabled, mode: mode.as_str().to_owned() };
        let text = serde_json::to_string(&setting).map_err(|error| failure::json(&error))?;
        self.db.set_setting(GUIDANCE, Some(&text), self.now()).await.map_err(failure::store)?;
        self.note(caller, "guidance.set", json!({ "enabled": setting.enabled, "mode": setting.mode })).await?;
        Ok(setting)
    }

    /// When the human is asked about this caller's plans: the session's own mode, else the configuration's.
    pub(crate) fn consent_mode_of(&self, caller: &Caller) -> ConsentMode {
        self.consent_mode_of_session(caller.session.as_str())
    }

    /// The same by the session's name. A configuration that became stricter since ends a looser mode of a session.
    pub(crate) fn consent_mode_of_session(&self, session: &str) -> ConsentMode {
        let configured = self.configuration.in_force().router.consent_mode;
        let Some(set) = locked(&self.session_modes).get(session).copied() else { return configured };
        let became_stricter = configured.is_loosened_by(set.configured_then);
        if became_stricter && configured.is_loosened_by(set.mode) { configured } else { set.mode }
    }

    /// `known` is the mode that whoever allowed this one knew to be in force.
    fn set_session_mode(&self, session: &str, mode: ConsentMode, known: ConsentMode) {
        let now = self.configuration.in_force().router.consent_mode;
        let configured_then = if now.is_loosened_by(known) { known } else { now };
        locked(&self.session_modes).insert(session.to_owned(), SessionMode { mode, configured_then });
    }

    /// `consent/set`: another mode for this session. Asking more is at once; asking less is asked about first.
    ///
    /// # Errors
    /// The mode is misspelt, or the database failed.
    pub async fn set_consent_mode(
        &self,
        caller: &Caller,
        params: &ConsentSetParams,
    ) -> Result<ConsentSetAnswer, Failure> {
        let wanted = ConsentMode::parse_lenient(&params.mode)?;
        let now = self.consent_mode_of(caller);
        if !now.is_loosened_by(wanted) {
            self.set_session_mode(caller.session.as_str(), wanted, wanted);
            self.note(caller, "consent.set", json!({ "from": now, "to": wanted })).await?;
            return Ok(set(wanted, ApproveStatus::Ready, format!("`{wanted}` is in force for this session"), None));
        }
        let merge_key = format!("consent:{}:{wanted}", caller.session);
        let recent = self.db.recent_answer(&merge_key, self.now() - CARRY).await.map_err(failure::store)?;
        if recent.is_some_and(|record| record.outcome == Some(Outcome::Denied)) {
            let message = format!("the human said no a moment ago; `{now}` stays in force");
            return Ok(set(now, ApproveStatus::Denied, message, None));
        }
        let question = Question {
            kind: ApprovalKind::PolicyChange,
            merge_key,
            title: format!("Ask less often in this session of {}?", caller.client_name()),
            detail: ApprovalDetail::SessionConsent(SessionConsentDetail {
                from: now,
                to: wanted,
                is_paid_allowed: self.configuration.in_force().router.allow_paid,
            }),
            consequence: match wanted {
                ConsentMode::Automatic => "Plans of this session run without asking you, also those that cost money, where paid routes are allowed.".to_owned(),
                _ => "Plans of this session that cost nothing run without asking you.".to_owned(),
            },
            is_serious: wanted == ConsentMode::Automatic,
            offers: vec![Answer::AllowOnce],
            variants: Vec::new(),
        };
        let (engine, asking) = (self.clone(), caller.clone());
        let opened = self.to_the_end(async move { engine.open_question(question, Some(&asking), None).await }).await?;
        let Some(approval) = opened else {
            return Ok(set(now, ApproveStatus::Withdrawn, "the question lost its reason; ask again".to_owned(), None));
        };
        let id = Some(approval.id.clone());
        if !self.can_ask(caller).await {
            let how = format!(
                "there is no window or terminal to ask in: open the Lwa app, or run `lwa approvals allow {}` in a terminal of your own; then repeat this call",
                short(&approval.id)
            );
            return Ok(set(now, ApproveStatus::Unavailable, how, id));
        }
        let hold = Duration::from_millis(u64::from(params.hold_ms)).min(MAX_HOLD);
        let ended = self.wait_for_answer(&approval.id, hold).await?;
        let (status, message) = match ended.map(|ended| ended.outcome) {
            None => (ApproveStatus::ApprovalPending, "the human has not answered yet; repeat this call".to_owned()),
            Some(outcome) if outcome.is_allowed() => {
                return Ok(set(wanted, ApproveStatus::Ready, format!("`{wanted}` is in force for this session"), id));
            }
            Some(Outcome::Denied) => (ApproveStatus::Denied, format!("the human said no; `{now}` stays in force")),
            Some(Outcome::Dismissed) => {
                (ApproveStatus::Dismissed, format!("no answer, which is no yes; `{now}` stays in force"))
            }
            Some(Outcome::TimedOut) => {
                (ApproveStatus::TimedOut, format!("nobody answered in time; `{now}` stays in force"))
            }
            Some(_) => (ApproveStatus::Withdrawn, format!("the question was withdrawn; `{now}` stays in force")),
        };
        Ok(set(now, status, message, id))
    }

    /// A human allowed a session to be asked less often.
    pub(crate) fn apply_session_mode(&self, session: &str, mode: ConsentMode, from: ConsentMode) {
        self.set_session_mode(session, mode, from);
        self.emit(Event::HostChanged);
    }

    async fn note(&self, caller: &Caller, action: &str, detail: serde_json::Value) -> Result<(), Failure> {
        let audit = NewAudit {
            at: self.now(),
            actor: caller.actor(),
            session: Some(caller.session.as_str()),
            action,
            object: None,
            decision: Some("allow"),
            detail,
        };
        self.db.append_audit(&audit).await.map_err(failure::store)?;
        self.emit(Event::HostChanged);
        Ok(())
    }
}

fn set(
    consent_mode: ConsentMode,
    status: ApproveStatus,
    message: String,
    approval_id: Option<lwa_domain::ApprovalId>,
) -> ConsentSetAnswer {
    ConsentSetAnswer { status, consent_mode, message, approval_id }
}
