//! Which questions clients are being shown, so that none is shown twice and none is answered by another call.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use lwa_protocol::worker::ClientQuestion;
use tokio::time::{Instant, sleep};

/// When a question that a client was given to ask in a further round of a call counts as lost: a new call is then
/// given it again. Shorter, and a slow human would see two dialogs; longer, and a client that dropped its call would be
/// stuck.
const LOST: Duration = Duration::from_mins(2);
/// How long a question is remembered after nobody waits for its answer any more.
const KEPT: Duration = Duration::from_mins(15);

/// The questions of one process. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct QuestionDesk {
    shown: Arc<Mutex<HashMap<String, Shown>>>,
    hasher: RandomState,
}

/// A question that was shown.
#[derive(Debug)]
struct Shown {
    /// The method and the arguments of the call that it belongs to, as a digest, since they may be long and private.
    call: u64,
    choices: Vec<String>,
    since: Instant,
    patience: Duration,
    is_settled: bool,
    /// Whether the client shows it between two rounds of a call, so that nobody here waits for it.
    is_between_rounds: bool,
}

/// What to do about a question that the host handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Claim {
    /// Show it.
    Show,
    /// Another call shows it.
    ShownElsewhere,
    /// It has been answered; the host has not noticed yet.
    Settled,
}

impl QuestionDesk {
    /// Decides who shows a question. `held` is the handle that the call itself brought back from an earlier round.
    pub(crate) fn claim(&self, question: &ClientQuestion, call: &str, by_rounds: bool, held: Option<&str>) -> Claim {
        let mut shown = self.lock();
        shown.retain(|_, one| one.since.elapsed() < one.patience + KEPT);
        if let Some(known) = shown.get_mut(&question.handle) {
            if known.is_settled {
                return Claim::Settled;
            }
            let is_own = held == Some(question.handle.as_str());
            if !known.is_between_rounds || !(is_own || known.since.elapsed() >= LOST) {
                return Claim::ShownElsewhere;
            }
            known.since = Instant::now();
            return Claim::Show;
        }
        let shown_now = Shown {
            call: self.hasher.hash_one(call),
            choices: question.choices.iter().map(|choice| choice.id.clone()).collect(),
            since: Instant::now(),
            patience: patience(question),
            is_settled: false,
            is_between_rounds: by_rounds,
        };
        shown.insert(question.handle.clone(), shown_now);
        Claim::Show
    }

    /// Takes the question that a further round of `call` answers, with its choices; none when the handle is no open
    /// question of this very call.
    pub(crate) fn take(&self, handle: &str, call: &str) -> Option<Vec<String>> {
        let call = self.hasher.hash_one(call);
        let mut shown = self.lock();
        let known = shown.get_mut(handle).filter(|known| !known.is_settled && known.call == call)?;
        known.is_settled = true;
        Some(known.choices.clone())
    }

    /// Notes that a question has ended; false when it had before.
    pub(crate) fn settle(&self, handle: &str) -> bool {
        let mut shown = self.lock();
        shown.get_mut(handle).is_some_and(|known| !std::mem::replace(&mut known.is_settled, true))
    }

    /// Reports a question that a client was sent away with, when it has not come back with the answer in time.
    pub(crate) async fn expire(&self, question: &ClientQuestion, report: impl Future<Output = ()>) {
        sleep(patience(question)).await;
        if self.settle(&question.handle) {
            report.await;
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Shown>> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long a human has for an answer.
pub(crate) fn patience(question: &ClientQuestion) -> Duration {
    Duration::from_secs(u64::from(question.patience_s))
}

#[cfg(test)]
mod tests {
    use lwa_domain::ApprovalId;
    use lwa_protocol::worker::Choice;
    use tokio::time::advance;

    use super::*;

    fn question(handle: &str) -> ClientQuestion {
        let choices = vec![Choice { id: "off".to_owned(), title: "Off".to_owned() }];
        let approval_id = ApprovalId::new("a1");
        ClientQuestion { handle: handle.to_owned(), approval_id, message: String::new(), choices, patience_s: 3600 }
    }

    #[test]
    fn w_08_a_question_is_shown_once() {
        let desk = QuestionDesk::default();
        assert_eq!(desk.claim(&question("q"), "call", false, None), Claim::Show);
        assert_eq!(desk.claim(&question("q"), "call", false, None), Claim::ShownElsewhere);
        assert!(desk.settle("q") && !desk.settle("q"));
        assert_eq!(desk.claim(&question("q"), "call", false, None), Claim::Settled);
        assert_eq!(desk.claim(&question("r"), "call", false, None), Claim::Show);
    }

    #[test]
    fn a_round_answers_its_own_call_once() {
        let desk = QuestionDesk::default();
        desk.claim(&question("q"), "call", true, None);
        assert_eq!(desk.take("q", "another call"), None);
        assert_eq!(desk.take("of nobody", "call"), None);
        assert_eq!(desk.take("q", "call"), Some(vec!["off".to_owned()]));
        assert_eq!(desk.take("q", "call"), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_round_that_brought_no_answer_is_asked_again_and_a_lost_one_as_well() {
        let desk = QuestionDesk::default();
        assert_eq!(desk.claim(&question("q"), "call", true, None), Claim::Show);
        assert_eq!(desk.claim(&question("q"), "call", true, None), Claim::ShownElsewhere);
        assert_eq!(desk.claim(&question("q"), "call", true, Some("q")), Claim::Show);
        advance(LOST).await;
        assert_eq!(desk.claim(&question("q"), "call", true, None), Claim::Show);
        assert_eq!(desk.claim(&question("q"), "call", true, None), Claim::ShownElsewhere);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_does_not_come_back_is_reported_and_one_that_did_is_not() {
        let desk = QuestionDesk::default();
        let reported = |handle: &'static str| {
            let desk = desk.clone();
            async move {
                let mut is_reported = false;
                desk.expire(&question(handle), async { is_reported = true }).await;
                is_reported
            }
        };
        for handle in ["lost", "answered"] {
            desk.claim(&question(handle), "call", true, None);
        }
        desk.take("answered", "call");
        let began = Instant::now();
        assert!(reported("lost").await);
        assert_eq!(began.elapsed(), Duration::from_hours(1));
        assert_eq!(desk.claim(&question("lost"), "call", true, None), Claim::Settled);
        assert!(!reported("answered").await);
    }

    #[tokio::test(start_paused = true)]
    async fn a_dialog_that_somebody_waits_for_is_never_lost() {
        let desk = QuestionDesk::default();
        desk.claim(&question("q"), "call", false, None);
        advance(LOST).await;
        assert_eq!(desk.claim(&question("q"), "call", false, None), Claim::ShownElsewhere);
        // Others are looked at meanwhile, and it is not forgotten before its time is over.
        advance(Duration::from_mins(50)).await;
        assert_eq!(desk.claim(&question("q"), "call", false, None), Claim::ShownElsewhere);
    }
}
