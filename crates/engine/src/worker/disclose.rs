//! What may leave in clear, and the mode: closing is done at once, opening asks the human.

use std::collections::BTreeMap;

use lwa_domain::{ApprovalKind, ErrorCode, Outcome};
use lwa_privacy::{Exposure, Kind, Tier, Visibility};
use lwa_protocol::Failure;
use lwa_protocol::approval::{Answer, ApprovalDetail, DisclosureDetail, KindCount};
use lwa_protocol::worker::{WorkerAnswer, WorkerCall, WorkerDisclosureParams, WorkerModeParams};
use lwa_worker::dialog::{Dialog, DialogReply};
use lwa_worker::disclosure::{
    IdentityRequest, NumbersRequest, Opening, RequestStep, Unasked, disclosure_dialog, opening_dialog,
};
use lwa_worker::instructions::mode_changed;
use lwa_worker::memory::{Turn, TurnId, TurnKind};
use lwa_worker::mode::Mode;
use serde_json::json;

use super::ask::{Asked, ClientChoice, ClientDialog, variant};
use super::job::JobHandle;
use super::session::{Session, Surroundings};
use super::turn_on::{NO_MORE, Passed, reply_of};
use super::{completed, refused, with_rules};
use crate::broker::Question;
use crate::caller::Caller;
use crate::engine::{Engine, locked};
use crate::{failure, tokens};

impl Engine {
    /// Asks what may leave of a result, and gives the reply, with how a human can answer where nobody could be asked.
    pub(super) async fn ask_about_values(
        &self,
        caller: &Caller,
        call: &WorkerCall,
        job: &JobHandle,
        session: &str,
        counts: &BTreeMap<Kind, usize>,
        source: &str,
    ) -> Result<(DialogReply, Option<String>), Failure> {
        let kinds = counts
            .iter()
            .filter(|(kind, count)| kind.tier() != Tier::Secrets && **count > 0)
            .map(|(kind, count)| KindCount {
                kind: kind.as_str().to_owned(),
                count: u32::try_from(*count).unwrap_or(u32::MAX),
            })
            .collect();
        let source: String = source.chars().take(90).collect();
        let question = Question {
            kind: ApprovalKind::Disclosure,
            merge_key: format!("disclosure:{session}"),
            title: "May private values of this material be shown to the client's model?".to_owned(),
            detail: ApprovalDetail::Disclosure(DisclosureDetail {
                kinds,
                source: source.clone(),
                wanted: None,
                reason: None,
            }),
            consequence: "Credentials stay here in any case. Without an answer everything is hidden in this result."
                .to_owned(),
            is_serious: false,
            offers: vec![Answer::AllowSession],
            variants: vec![
                variant(NO_MORE, "Hide them in this result", Answer::Deny),
                variant("switch", "Private mode: hide everything personal from now on", Answer::Deny),
                variant("continue", "Show names, addresses and mail; numbers stay hidden", Answer::AllowSession),
                variant("everything", "Show names and numbers", Answer::AllowSession),
            ],
        };
        let dialog = for_client(disclosure_dialog(counts, &source), |choice| {
            if choice == "switch" { Answer::Deny } else { Answer::AllowSession }
        });
        Ok(match self.ask_for_job(caller, call, job, question, dialog).await? {
            Asked::Ended(ended) => (reply_of(&ended), None),
            Asked::Nowhere(how) => (DialogReply::Ended(Outcome::Unavailable), Some(how)),
        })
    }

    /// `worker/disclosure`.
    ///
    /// # Errors
    /// A word is not known.
    pub async fn worker_disclosure(
        &self,
        caller: &Caller,
        params: WorkerDisclosureParams,
    ) -> Result<WorkerAnswer, Failure> {
        let identity = match params.identity.trim().to_lowercase().as_str() {
            "" | "keep" => IdentityRequest::Keep,
            "open" => IdentityRequest::Open,
            "masked" => IdentityRequest::Masked,
            "ask" => IdentityRequest::Ask,
            other => return Err(unknown_word("identity", other, "`open`, `masked`, `ask` or `keep`")),
        };
        let numbers = match params.numbers.trim().to_lowercase().as_str() {
            "" | "keep" => NumbersRequest::Keep,
            "open" => NumbersRequest::Open,
            "masked" => NumbersRequest::Masked,
            other => return Err(unknown_word("numbers", other, "`open`, `masked` or `keep`")),
        };
        let arguments = json!([params.identity, params.numbers, params.reason]);
        let (engine, asking, call) = (self.clone(), caller.clone(), params.call.clone());
        let work = |job: JobHandle| -> super::job::JobFuture {
            Box::pin(async move {
                let call = WorkerCall { session: job.conversation(), ..params.call };
                engine.disclosure_work(&asking, &call, &job, identity, numbers, &params.reason).await
            })
        };
        self.hold_job(caller, &call, "worker/disclosure", &arguments.to_string(), work).await
    }

    async fn disclosure_work(
        &self,
        caller: &Caller,
        call: &WorkerCall,
        job: &JobHandle,
        identity: IdentityRequest,
        numbers: NumbersRequest,
        reason: &str,
    ) -> Result<WorkerAnswer, Failure> {
        let surroundings = self.worker_surroundings(caller, call)?;
        let rules = match self.pass_gate(caller, call, job, &surroundings, "local_llm_disclosure").await? {
            Passed::No(answer) => return Ok(*answer),
            Passed::Yes { rules } => rules,
        };
        let (step, key, reason) = {
            let mut session = self.hold_session(caller, call, &surroundings).await?;
            let held = session.disclosure_surroundings(&surroundings);
            let step = session.disclosure.request(identity, numbers, held, self.now());
            let (RequestStep::Done { is_memory_vaulted }
            | RequestStep::Ask { is_memory_vaulted, .. }
            | RequestStep::Refused { is_memory_vaulted, .. }) = step;
            if is_memory_vaulted {
                self.vault_memory(&mut session, &surroundings).await?;
            }
            self.store_session(&session).await?;
            let reason = self.way_out(&session, &surroundings).short(reason).into_text();
            (step, session.key.clone(), reason)
        };
        let mut note = None;
        match step {
            RequestStep::Done { .. } => {}
            RequestStep::Refused { why, .. } => note = Some(format!("Nothing was opened: {}.", unasked(why))),
            RequestStep::Ask { round, opening, .. } => {
                let (question, dialog) = opening_question(&key, opening, &reason);
                let asked = self.ask_for_job(caller, call, job, question, dialog).await;
                let (reply, how) = match &asked {
                    Ok(Asked::Ended(ended)) => (reply_of(ended), None),
                    Ok(Asked::Nowhere(how)) => (DialogReply::Ended(Outcome::Unavailable), Some(how.clone())),
                    Err(_) => (DialogReply::Ended(Outcome::Withdrawn), None),
                };
                let mut session = self.hold_session(caller, call, &surroundings).await?;
                let is_open = session.disclosure.settle_request(round, &reply, self.now());
                self.store_session(&session).await?;
                asked?;
                note = match (is_open, how) {
                    (true, _) => None,
                    (false, Some(how)) => Some(format!("Nothing was opened. {how}")),
                    (false, None) => Some(format!("Nothing was opened: the user's answer was `{}`.", reply.action())),
                };
            }
        }
        let session = self.hold_session(caller, call, &surroundings).await?;
        let held = session.disclosure_surroundings(&surroundings);
        let status = serde_json::to_value(session.disclosure.status(held)).map_err(|error| failure::json(&error))?;
        let mut turn =
            Turn::new(TurnId::from_random(tokens::random_bytes()?), self.now(), TurnKind::Disclosure, session.mode);
        turn.task = reason;
        turn.result = status.to_string();
        let stored = serde_json::to_value(turn.clipped(0)).map_err(|error| failure::json(&error))?;
        self.db.append_worker_turn(&session.key, turn_id(&stored), &stored).await.map_err(failure::store)?;
        let mut state = json!({"mode": session.mode.as_str()});
        if let (Some(state), Some(fields)) = (state.as_object_mut(), status.as_object()) {
            state.extend(fields.clone());
            if let Some(note) = note {
                state.insert("note".to_owned(), note.into());
            }
        }
        let text = serde_json::to_string_pretty(&state).map_err(|error| failure::json(&error))?;
        Ok(completed(with_rules(rules, text), session.mode))
    }

    /// `worker/set_mode`: to `pii` at once; leaving it asks the human.
    ///
    /// # Errors
    /// The mode is not known.
    pub async fn worker_set_mode(&self, caller: &Caller, params: WorkerModeParams) -> Result<WorkerAnswer, Failure> {
        let Ok(mode) = params.mode.trim().to_lowercase().parse::<Mode>() else {
            return Err(unknown_word("mode", params.mode.trim(), "`pii` or `assist`"));
        };
        let (engine, asking, call) = (self.clone(), caller.clone(), params.call.clone());
        let work = |job: JobHandle| -> super::job::JobFuture {
            Box::pin(async move {
                let call = WorkerCall { session: job.conversation(), ..params.call };
                engine.set_mode_work(&asking, &call, &job, mode).await
            })
        };
        self.hold_job(caller, &call, "worker/set_mode", mode.as_str(), work).await
    }

    async fn set_mode_work(
        &self,
        caller: &Caller,
        call: &WorkerCall,
        job: &JobHandle,
        mode: Mode,
    ) -> Result<WorkerAnswer, Failure> {
        let surroundings = self.worker_surroundings(caller, call)?;
        let rules = match self.pass_gate(caller, call, job, &surroundings, "local_llm_set_mode").await? {
            Passed::No(answer) => return Ok(*answer),
            Passed::Yes { rules } => rules,
        };
        let (key, now_in) = {
            let session = self.hold_session(caller, call, &surroundings).await?;
            (session.key.clone(), session.mode)
        };
        if now_in == Mode::Pii && mode == Mode::Assist {
            if call.forced_mode.as_deref() == Some("pii") {
                let text = "The mode stays `pii`: this client was registered with `--mode pii`. Nothing was changed.";
                return Ok(refused(&with_rules(rules, text.to_owned())));
            }
            let may_ask = {
                let mut session = self.hold_session(caller, call, &surroundings).await?;
                let may_ask = session.disclosure.ask_to_leave(surroundings.can_ask, self.now());
                self.store_session(&session).await?;
                may_ask
            };
            if let Err(why) = may_ask {
                let text =
                    format!("The mode stays `pii`: {}. Nothing was changed; go on with placeholders.", unasked(why));
                let text = with_rules(rules, text);
                return Ok(if why == Unasked::Nowhere { super::unavailable(&text) } else { refused(&text) });
            }
            let (question, dialog) = leave_pii_question(&key);
            let asked = self.ask_for_job(caller, call, job, question, dialog).await;
            let outcome = match &asked {
                Ok(Asked::Ended(ended)) => ended.outcome,
                Ok(Asked::Nowhere(_)) => Outcome::Unavailable,
                Err(_) => Outcome::Withdrawn,
            };
            {
                let mut session = self.hold_session(caller, call, &surroundings).await?;
                session.disclosure.settle_leaving(outcome, self.now());
                self.store_session(&session).await?;
            }
            match asked? {
                Asked::Ended(ended) if ended.outcome.is_allowed() => {}
                Asked::Ended(ended) => {
                    let text = format!(
                        "The mode stays `pii`: the user's answer was `{}`. Nothing was changed; go on with placeholders.",
                        ended.outcome.as_str()
                    );
                    return Ok(refused(&with_rules(rules, text)));
                }
                Asked::Nowhere(how) => {
                    let text = format!("The mode stays `pii`: leaving it needs the user. {how}");
                    return Ok(super::unavailable(&with_rules(rules, text)));
                }
            }
        }
        let mut session = self.hold_session(caller, call, &surroundings).await?;
        if session.mode != mode {
            self.switch_mode(&mut session, &surroundings, mode).await?;
            let mut turn =
                Turn::new(TurnId::from_random(tokens::random_bytes()?), self.now(), TurnKind::Mode, session.mode);
            turn.result = format!("mode {mode}");
            let stored = serde_json::to_value(&turn).map_err(|error| failure::json(&error))?;
            self.db.append_worker_turn(&session.key, turn_id(&stored), &stored).await.map_err(failure::store)?;
        }
        self.store_session(&session).await?;
        // The whole text of the mode follows, so the rules that a first call owes are in it.
        let model = self.worker_model_name(&surroundings).await?;
        Ok(completed(mode_changed(session.mode, &model), session.mode))
    }

    /// Puts a session into a mode. What was remembered in clear is hidden when it becomes private.
    pub(super) async fn switch_mode(
        &self,
        session: &mut Session,
        surroundings: &Surroundings,
        mode: Mode,
    ) -> Result<(), Failure> {
        let is_closing = mode == Mode::Pii && session.mode != Mode::Pii;
        session.mode = mode;
        if is_closing { self.vault_memory(session, surroundings).await } else { Ok(()) }
    }

    /// Hides in the memory what was remembered in clear: the summary, and every turn that is kept. Results that are in
    /// hand or were not fetched yet are looked at once more, since the closing is counted.
    pub(super) async fn vault_memory(&self, session: &mut Session, surroundings: &Surroundings) -> Result<(), Failure> {
        session.closings += 1;
        // Long random words of old results are identifiers that somebody may go on working with.
        let way = self
            .way_out(session, surroundings)
            .exposing(Exposure::assist(Visibility::Masked, Visibility::Masked), Mode::Pii);
        let turns = self.db.last_worker_turns(&session.key, u32::MAX).await.map_err(failure::store)?;
        let (summary, names) = (session.summary.clone(), way.clone());
        let done = tokio::task::spawn_blocking(move || {
            let hide = |text: &str| names.short_with_names(text);
            let mut rewritten = Vec::with_capacity(turns.len());
            for record in turns {
                let Ok(mut turn) = serde_json::from_value::<Turn>(record.turn) else { continue };
                turn.task = hide(&turn.task);
                turn.source = hide(&turn.source);
                turn.excerpt = hide(&turn.excerpt);
                turn.result = hide(&turn.result);
                rewritten.push((record.number, serde_json::to_value(&turn)?));
            }
            Ok::<_, serde_json::Error>((hide(&summary), rewritten))
        })
        .await
        .map_err(|_| failure::unexpected())?;
        let (summary, turns) = done.map_err(|error| failure::json(&error))?;
        self.store_vault(session).await?;
        self.db.rewrite_worker_memory(&session.key, &summary, &turns).await.map_err(failure::store)?;
        session.summary = summary;
        Ok(())
    }
}

fn turn_id(stored: &serde_json::Value) -> &str {
    stored.get("id").and_then(serde_json::Value::as_str).unwrap_or_default()
}

/// Why the user was not asked, in words for the caller.
fn unasked(why: Unasked) -> String {
    let until = crate::engine::rfc3339;
    match why {
        Unasked::Nowhere => "there is nowhere to ask the user".to_owned(),
        Unasked::AnotherIsOpen => "another question about what may leave is still open".to_owned(),
        Unasked::TooOften { free_at } => {
            format!("the user was asked too often this hour; the next question is possible at {}", until(free_at))
        }
        Unasked::SaidNo { free_at } => {
            format!("the user said no a short while ago, and is not asked again before {}", until(free_at))
        }
    }
}

fn unknown_word(name: &str, value: &str, known: &str) -> Failure {
    let shown: String = value.chars().take(40).collect();
    Failure::new(ErrorCode::InvalidInput, format!("`{name}` is `{shown}`")).hint(format!("use {known}"))
}

/// A dialog as a client shows it. The first choice says no.
fn for_client(dialog: Dialog, answer: impl Fn(&str) -> Answer) -> ClientDialog {
    let choices = dialog
        .choices
        .iter()
        .map(|(id, title)| ClientChoice { id, title: (*title).to_owned(), answer: answer(id), variant: Some(id) })
        .collect();
    ClientDialog { message: dialog.message, choices }
}

fn opening_question(session: &str, opening: Opening, reason: &str) -> (Question, ClientDialog) {
    let wanted = if opening.numbers { "everything" } else { "continue" };
    let reason: String = reason.chars().take(300).collect();
    let dialog = opening_dialog(opening, &reason);
    let question = Question {
        kind: ApprovalKind::Disclosure,
        merge_key: format!("opening:{session}:{wanted}:{}", opening.identity),
        title: "The client's model asks to see private values in clear".to_owned(),
        detail: ApprovalDetail::Disclosure(DisclosureDetail {
            kinds: Vec::new(),
            source: String::new(),
            wanted: Some(wanted.to_owned()),
            reason: (!reason.trim().is_empty()).then_some(reason),
        }),
        consequence: "Names, addresses or numbers in later results of this conversation reach the client's model. \
            Credentials stay here in any case."
            .to_owned(),
        is_serious: true,
        offers: vec![Answer::AllowSession],
        variants: Vec::new(),
    };
    let mut dialog = for_client(dialog, |choice| if choice == "open" { Answer::AllowSession } else { Answer::Deny });
    for choice in &mut dialog.choices {
        choice.variant = None;
    }
    (question, dialog)
}

fn leave_pii_question(session: &str) -> (Question, ClientDialog) {
    let question = Question {
        kind: ApprovalKind::Disclosure,
        merge_key: format!("leave_pii:{session}"),
        title: "Leave the private mode in this conversation?".to_owned(),
        detail: ApprovalDetail::Disclosure(DisclosureDetail {
            kinds: Vec::new(),
            source: String::new(),
            wanted: Some("leave_pii".to_owned()),
            reason: None,
        }),
        consequence: "From then on results are scrubbed less strictly, and you are asked before names are shown. What \
            has a placeholder keeps it."
            .to_owned(),
        is_serious: true,
        offers: vec![Answer::AllowSession],
        variants: Vec::new(),
    };
    let choices = vec![
        ClientChoice { id: "stay", title: "Stay in private mode".to_owned(), answer: Answer::Deny, variant: None },
        ClientChoice {
            id: "leave",
            title: "Leave private mode in this conversation".to_owned(),
            answer: Answer::AllowSession,
            variant: None,
        },
    ];
    let message = "The client's model asks to leave the private mode of the worker in this conversation.\n\nResults \
        are then scrubbed less strictly: credentials and numbers stay hidden, and you are asked before names are \
        shown. Cancelling keeps the private mode."
        .to_owned();
    (question, ClientDialog { message, choices })
}

/// Values of a session that a person may see: all but the ends hidden.
pub(super) fn masked_value(value: &str) -> String {
    let chars: Vec<char> = value.chars().collect();
    match chars.as_slice() {
        [first, .., last] if chars.len() >= 8 => format!("{first}…{last} ({} characters)", chars.len()),
        _ => format!("… ({} characters)", chars.len()),
    }
}

/// What the vault of a session holds, for people.
pub(super) fn placeholders_of(session: &Session) -> Vec<lwa_protocol::worker::PlaceholderView> {
    let vault = session.vault();
    let vault = locked(&vault);
    vault
        .values()
        .map(|(placeholder, value)| lwa_protocol::worker::PlaceholderView {
            placeholder: placeholder.to_string(),
            kind: placeholder.kind.as_str().to_owned(),
            masked: masked_value(value),
        })
        .collect()
}
