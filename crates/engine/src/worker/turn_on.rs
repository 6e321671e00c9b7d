//! Passing the gate: nothing is done for a conversation before a human has turned the worker on.

use lwa_domain::ApprovalKind;
use lwa_protocol::Failure;
use lwa_protocol::approval::{Answer, ApprovalDetail, TurnOnDetail};
use lwa_protocol::worker::{WorkerAnswer, WorkerCall, WorkerCallParams};
use lwa_worker::dialog::DialogReply;
use lwa_worker::gate::{ArmState, Gate, GateStep, GateSurroundings, Passage, Refusal};
use lwa_worker::instructions::operating_rules;
use lwa_worker::mode::Mode;

use super::ask::{Asked, ClientChoice, ClientDialog, variant};
use super::job::JobHandle;
use super::session::{Held, Surroundings};
use super::{refused, unavailable};
use crate::broker::{Ended, Question};
use crate::caller::Caller;
use crate::engine::Engine;

/// What a call may do.
pub(crate) enum Passed {
    /// Go on; the rules stand before its result where this call turned the worker on.
    Yes { rules: Option<String> },
    /// End with this answer.
    No(Box<WorkerAnswer>),
}

/// What a question's end means as a dialog's reply. A variant that only says no is no choice.
pub(crate) fn reply_of(ended: &Ended) -> DialogReply {
    match ended.variant.as_deref() {
        Some(variant) if variant != NO_MORE => DialogReply::Chosen(variant.to_owned()),
        _ => DialogReply::Ended(ended.outcome),
    }
}

/// The variant of a plain no, where a no can mean more than one thing.
pub(crate) const NO_MORE: &str = "no";

impl Engine {
    /// Lets a call pass, asks whether it may, or refuses it.
    pub(crate) async fn pass_gate(
        &self,
        caller: &Caller,
        call: &WorkerCall,
        job: &JobHandle,
        surroundings: &Surroundings,
        tool: &'static str,
    ) -> Result<Passed, Failure> {
        let is_enable = tool == "local_llm_enable";
        let gate_surroundings =
            GateSurroundings { setting: surroundings.arm(), can_ask: surroundings.can_ask, is_enable };
        let mut session = self.hold_session(caller, call, surroundings).await?;
        let mut step = session.gate.check(gate_surroundings, self.now());
        loop {
            match step {
                GateStep::Pass(passage) => return self.passes(&mut session, surroundings, passage).await,
                GateStep::Refuse(refusal) => {
                    self.store_session(&session).await?;
                    return Ok(Passed::No(Box::new(self.no(refusal))));
                }
                GateStep::Ask(round) => {
                    // The question is counted before anybody sees it.
                    self.store_session(&session).await?;
                    let model = self.worker_model_name(surroundings).await?;
                    let (question, dialog) = turn_on_question(&session.key, tool, &model, session.mode);
                    drop(session);
                    let asked = self.ask_for_job(caller, call, job, question, dialog).await;
                    let (reply, nowhere) = match &asked {
                        Ok(Asked::Ended(ended)) => (reply_of(ended), None),
                        Ok(Asked::Nowhere(how)) => {
                            (DialogReply::Ended(lwa_domain::Outcome::Unavailable), Some(how.clone()))
                        }
                        Err(_) => (DialogReply::Ended(lwa_domain::Outcome::Withdrawn), None),
                    };
                    session = self.hold_session(caller, call, surroundings).await?;
                    step = session.gate.settle(round, &reply, self.now());
                    session.settled.notify_waiters();
                    if let Some(how) = nowhere {
                        self.store_session(&session).await?;
                        let answer = self.no(Refusal::NoSurface);
                        return Ok(Passed::No(Box::new(WorkerAnswer {
                            text: format!("{}\n\n{how}", answer.text),
                            ..answer
                        })));
                    }
                    asked?;
                }
                GateStep::Wait(round) => {
                    let settled = session.settled.clone();
                    // Listening begins before the session is let go, so that no end is missed.
                    let mut notified = Box::pin(settled.notified());
                    notified.as_mut().enable();
                    drop(session);
                    tokio::select! {
                        () = &mut notified => {}
                        () = job.cancel.cancelled() => {
                            let refusal = Refusal::Unanswered { action: "withdrawn" };
                            return Ok(Passed::No(Box::new(self.no(refusal))));
                        }
                    }
                    session = self.hold_session(caller, call, surroundings).await?;
                    step = session.gate.after(round);
                }
            }
        }
    }

    async fn passes(
        &self,
        session: &mut Held,
        surroundings: &Surroundings,
        passage: Passage,
    ) -> Result<Passed, Failure> {
        if let Some(mode) = passage.switch_to {
            self.switch_mode(session, surroundings, mode).await?;
        }
        self.store_session(session).await?;
        let rules = if passage.has_rules {
            Some(operating_rules(session.mode, &self.worker_model_name(surroundings).await?))
        } else {
            None
        };
        Ok(Passed::Yes { rules })
    }

    /// `worker/enable`.
    ///
    /// # Errors
    /// The database failed.
    pub async fn worker_enable(&self, caller: &Caller, params: WorkerCallParams) -> Result<WorkerAnswer, Failure> {
        let (engine, asking, call) = (self.clone(), caller.clone(), params.call.clone());
        let work = |job: JobHandle| -> super::job::JobFuture {
            Box::pin(async move {
                let call = WorkerCall { session: job.conversation(), ..params.call };
                engine.enable_work(&asking, &call, &job).await
            })
        };
        self.hold_job(caller, &call, "worker/enable", "", work).await
    }

    /// Asks, or says that the worker is on.
    async fn enable_work(&self, caller: &Caller, call: &WorkerCall, job: &JobHandle) -> Result<WorkerAnswer, Failure> {
        let surroundings = self.worker_surroundings(caller, call)?;
        let was_on = {
            let session = self.hold_session(caller, call, &surroundings).await?;
            session.gate.state(surroundings.arm()).0 == ArmState::On
        };
        match self.pass_gate(caller, call, job, &surroundings, "local_llm_enable").await? {
            Passed::No(answer) => Ok(*answer),
            Passed::Yes { rules } => {
                let session = self.hold_session(caller, call, &surroundings).await?;
                let model = self.worker_model_name(&surroundings).await?;
                let rules = rules.unwrap_or_else(|| operating_rules(session.mode, &model));
                let text = if was_on { format!("The worker is already on.\n\n{rules}") } else { rules };
                Ok(super::completed(text, session.mode))
            }
        }
    }

    /// The answer of a call that did not pass. Whoever has just written the setting learns that it waits.
    fn no(&self, refusal: Refusal) -> WorkerAnswer {
        match refusal {
            Refusal::NoSurface if self.waits_in_configuration("worker.arm") => unavailable(&format!(
                "{refusal}\n\nA change of `arm` in the configuration waits for the user, since it loosens what holds: \
                 `lwa config accept` in a terminal shows it and takes it over."
            )),
            Refusal::NoSurface => unavailable(&refusal.to_string()),
            Refusal::Off(_) | Refusal::Unanswered { .. } => refused(&refusal.to_string()),
        }
    }
}

fn turn_on_question(session: &str, tool: &str, model: &str, mode: Mode) -> (Question, ClientDialog) {
    let dialog = Gate::dialog(tool, model, mode);
    let detail = TurnOnDetail { tool: tool.to_owned(), model: model.to_owned(), mode: mode.as_str().to_owned() };
    let question = Question {
        kind: ApprovalKind::TurnOn,
        merge_key: format!("turn_on:{session}"),
        title: "Turn the worker on for this conversation?".to_owned(),
        detail: ApprovalDetail::TurnOn(detail),
        consequence: "It may run the commands that your policy allows and read the files it is given, and hands back \
            short results with private values replaced."
            .to_owned(),
        is_serious: false,
        offers: vec![Answer::AllowSession],
        variants: vec![
            variant("on", "Turn on: bulk output is shortened, secrets stay here", Answer::AllowSession),
            variant("on_pii", "Turn on for private material: everything personal stays here", Answer::AllowSession),
        ],
    };
    let choices = dialog
        .choices
        .iter()
        .map(|(id, title)| ClientChoice {
            id,
            title: (*title).to_owned(),
            answer: if *id == "off" { Answer::Deny } else { Answer::AllowSession },
            variant: (*id != "off").then_some(*id),
        })
        .collect();
    (question, ClientDialog { message: dialog.message, choices })
}
