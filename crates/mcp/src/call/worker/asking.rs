//! A call of the worker with the questions that it has for the user.
//!
//! The host hands a question over in place of a result. In the handshake era the question is put while the call waits,
//! and a second call of the same kind stays attached to the work meanwhile: it hears when the question ended elsewhere,
//! and since it goes away with the client's call, a cancellation ends the work as well. In the stateless era the call
//! ends with the question, and the client comes back with the reply in a further round.

mod dialog;

use std::time::Duration;

use lwa_protocol::worker::{ClientQuestion, DialogAction, SessionRef, WorkerAnswer, WorkerStatusKind};
use lwa_protocol::{Failure, Method};
use rmcp::model::CallToolResponse;
use serde::Serialize;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use self::dialog::{OpenDialog, Reporter};
use super::parameters::CarriesCall;
use super::{replied, too_many_questions};
use crate::call::Call;
use crate::question::desk::Claim;
use crate::question::{self, Way, Wording};

/// Turning the worker on, a command, what may be shown: no call asks more than a few.
const MOST_QUESTIONS: usize = 8;
/// How long a call stays attached at a time while a dialog is open. A further question of the same work is noticed no
/// sooner than at its end.
const ATTACHED: Duration = Duration::from_secs(1);
/// A host that answers sooner than it was asked to is not called without a pause.
const PAUSE: Duration = Duration::from_millis(100);
/// How long the host gets to notice an answer that it has taken.
const SETTLING: Duration = Duration::from_millis(20);

const WORKING: &str = "working on this machine";
const ASKING: &str = "waiting for the user to answer a question in this client";
const ASKED: &str = "The user is being asked in this client and has not answered yet. Repeat this call; it attaches to \
    the open question.";

impl Call<'_> {
    /// Calls the host, and again after each question that the user was asked.
    pub(super) async fn through_questions<M>(self, params: M::Params) -> Result<CallToolResponse, Failure>
    where
        M: Method<Response = WorkerAnswer>,
        M::Params: CarriesCall + Clone + Serialize,
    {
        let call = key::<M>(&params, &self.caller.worker_call(0).session);
        let way = self.caller.way();
        let brought_back = self.take_reply(&call, way).await;
        let mut hold = self.hold.renewed();
        let mut can_ask = true;
        for _ in 0..MOST_QUESTIONS {
            // Until this call is to show a question, or there is none.
            let question = loop {
                let attached = self.attached::<M>(&params, can_ask, Instant::now() + hold.left());
                let answer = hold.answered(WORKING, None, attached).await?;
                let Some(question) = answer.question.clone().filter(|_| asks_client(&answer)) else {
                    return replied(answer).map(Into::into);
                };
                match self.caller.desk.claim(&question, &call, way == Way::Rounds, brought_back.as_deref()) {
                    Claim::Show => break question,
                    Claim::ShownElsewhere => can_ask = false,
                    Claim::Settled if hold.left().is_zero() => return replied(asked(answer)).map(Into::into),
                    Claim::Settled => sleep(SETTLING).await,
                }
            };
            match way {
                Way::Request(wording) => {
                    if let Some(answer) = self.dialog::<M>(&question, wording, &params).await {
                        return replied(answer?).map(Into::into);
                    }
                    hold = self.hold.renewed();
                }
                Way::Rounds => {
                    self.expect_round(&question);
                    return Ok(question::round(&question).into());
                }
                Way::Nowhere => self.reporter(&question.handle).report(DialogAction::Error, None).await,
            }
        }
        Err(too_many_questions())
    }

    /// One call of the host, which answers before `end`. Nothing repeats it, since it may run a command.
    async fn attached<M>(&self, params: &M::Params, can_ask: bool, end: Instant) -> Result<WorkerAnswer, Failure>
    where
        M: Method<Response = WorkerAnswer>,
        M::Params: CarriesCall + Clone,
    {
        self.host.reach(&self.client).await?;
        let left = end.saturating_duration_since(Instant::now());
        let mut params = params.clone();
        let call = params.call_mut();
        *call = self.caller.worker_call(u32::try_from(left.as_millis()).unwrap_or(u32::MAX));
        call.can_ask &= can_ask;
        self.host.call_once::<M>(&self.client, params).await
    }

    /// Shows a question while the call waits, and hands the reply in. The answer to the call, where it came meanwhile.
    async fn dialog<M>(
        &self,
        question: &ClientQuestion,
        wording: Wording,
        params: &M::Params,
    ) -> Option<Result<WorkerAnswer, Failure>>
    where
        M: Method<Response = WorkerAnswer>,
        M::Params: CarriesCall + Clone,
    {
        let watch = |not_before: Instant| async move {
            sleep_until(not_before).await;
            self.attached::<M>(params, false, Instant::now() + ATTACHED).await
        };
        let mut watching = Box::pin(watch(Instant::now()));
        {
            let open = OpenDialog::new(self.caller.context.peer.clone(), self.reporter(&question.handle));
            let shown = Box::pin(open.show(question, wording));
            let mut shown = Box::pin(self.hold.told_while(ASKING, shown));
            loop {
                let began = Instant::now();
                tokio::select! {
                    biased;
                    () = &mut shown => break,
                    // Leaving this block withdraws the dialog from the client.
                    answer = &mut watching => match answer {
                        Ok(answer) if is_asked(&answer) => watching = Box::pin(watch(began + PAUSE)),
                        Ok(answer) if answer.status == WorkerStatusKind::Working => return None,
                        over => return Some(over),
                    },
                }
            }
        }
        // It stays attached to its end: going away before that would end the work.
        match timeout(2 * ATTACHED, watching).await {
            Ok(Ok(answer)) if is_asked(&answer) || answer.status == WorkerStatusKind::Working => None,
            Ok(over) => Some(over),
            Err(_) => None,
        }
    }

    /// Hands in what the client brought back from the last round. Gives the handle when it brought no reply with it.
    async fn take_reply(&self, call: &str, way: Way) -> Option<String> {
        let handle = self.caller.round.handle.clone().filter(|_| way == Way::Rounds)?;
        let Some(reply) = question::reply_of_round(self.caller.round.replies.as_ref()) else { return Some(handle) };
        // A handle that is not this call's own answers nothing; the call asks anew.
        let choices = self.caller.desk.take(&handle, call)?;
        let (action, choice) = question::read_round(reply, &choices);
        self.reporter(&handle).report(action, choice).await;
        None
    }

    /// Ends a question that the client was sent away with, unless it comes back in time.
    fn expect_round(&self, question: &ClientQuestion) {
        let (reporter, question) = (self.reporter(&question.handle), question.clone());
        tokio::spawn(async move {
            let report = reporter.report(DialogAction::Timeout, None);
            reporter.desk.expire(&question, report).await;
        });
    }

    fn reporter(&self, handle: &str) -> Reporter {
        Reporter {
            host: self.host.clone(),
            client: self.client.clone(),
            desk: self.caller.desk.clone(),
            handle: handle.to_owned(),
        }
    }
}

/// What makes a call this call: its conversation, its method and its arguments. One process serves several
/// conversations, and what the user said in one answers nothing in another.
fn key<M>(params: &M::Params, conversation: &[SessionRef]) -> String
where
    M: Method,
    M::Params: Serialize,
{
    let arguments = serde_json::to_string(params).unwrap_or_default();
    let conversation = serde_json::to_string(conversation).unwrap_or_default();
    format!("{} {conversation} {arguments}", M::NAME)
}

fn asks_client(answer: &WorkerAnswer) -> bool {
    answer.status == WorkerStatusKind::AskClient
}

/// Whether a question is still open.
fn is_asked(answer: &WorkerAnswer) -> bool {
    matches!(answer.status, WorkerStatusKind::ApprovalPending | WorkerStatusKind::AskClient)
}

/// The answer while the question is in the client's hands.
fn asked(answer: WorkerAnswer) -> WorkerAnswer {
    WorkerAnswer { status: WorkerStatusKind::ApprovalPending, text: ASKED.to_owned(), question: None, ..answer }
}

#[cfg(test)]
mod tests {
    use lwa_domain::ApprovalId;
    use lwa_protocol::method::{WorkerDisclose, WorkerSetMode};
    use lwa_protocol::worker::{Choice, WorkerDisclosureParams, WorkerModeParams};

    use super::*;
    use crate::question::desk::QuestionDesk;

    #[test]
    fn a_question_of_one_conversation_is_answered_by_no_call_of_another() {
        let thread = |id: &str| [SessionRef::Thread(id.to_owned())];
        let params = WorkerModeParams { mode: "assist".to_owned(), ..WorkerModeParams::default() };
        let of = |id: &str| key::<WorkerSetMode>(&params, &thread(id));
        let desk = QuestionDesk::default();
        let question = ClientQuestion {
            handle: "q".to_owned(),
            approval_id: ApprovalId::new("a1"),
            message: String::new(),
            choices: vec![Choice { id: "stay".to_owned(), title: "Stay".to_owned() }],
            patience_s: 600,
        };
        assert_eq!(desk.claim(&question, &of("a"), true, None), Claim::Show);
        assert_eq!(desk.take("q", &of("b")), None);
        assert_eq!(desk.take("q", &of("a")), Some(vec!["stay".to_owned()]));
    }

    #[test]
    fn a_call_is_its_conversation_its_method_and_its_arguments() {
        let none: [SessionRef; 0] = [];
        let params = WorkerModeParams { mode: "assist".to_owned(), ..WorkerModeParams::default() };
        let other = WorkerModeParams { mode: "pii".to_owned(), ..WorkerModeParams::default() };
        let here = key::<WorkerSetMode>(&params, &none);
        assert_eq!(here, key::<WorkerSetMode>(&params, &none));
        assert_ne!(here, key::<WorkerSetMode>(&other, &none));
        assert_ne!(here, key::<WorkerDisclose>(&WorkerDisclosureParams::default(), &none));
        assert_ne!(here, key::<WorkerSetMode>(&params, &[SessionRef::ToolUse("t".to_owned())]));
    }
}
