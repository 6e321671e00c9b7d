//! Work in hand: whose it is, what a closing, a cancellation and a removal do to it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use lwa_protocol::approval::Answer;
use lwa_protocol::worker::{
    PurgeWhat, SessionRef, WorkerAnswer, WorkerCompactParams, WorkerDelegateParams, WorkerDisclosureParams,
    WorkerModeParams, WorkerPurgeParams, WorkerSessionParams, WorkerStatusKind,
};

use crate::desk::{Desk, ON, call, is};
use crate::model::{Model, is_pass, said};
use crate::support::{agent, app};

const MAIL: &str = "jane.roe@example.com";

impl Desk {
    fn thread(&self, thread: &str) -> Conversation<'_> {
        let mut call = call(&self.project, thread);
        call.hold_ms = 30_000;
        Conversation { desk: self, call }
    }

    /// Until something holds of the session, or the test has failed.
    async fn until(&self, what: &str, is_so: impl Fn(&lwa_protocol::worker::WorkerStatus) -> bool) {
        for _ in 0..500 {
            if is_so(&self.status().await) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{what}");
    }

    async fn turns(&self, key: &str) -> String {
        let shown = self.host.engine.show_worker_session(&WorkerSessionParams { key: key.to_owned() }).await.unwrap();
        serde_json::to_string(&shown.turns).unwrap()
    }

    async fn opens_names(&self) {
        let mut human = self.human();
        let params = WorkerDisclosureParams {
            call: self.call.clone(),
            identity: "open".to_owned(),
            ..WorkerDisclosureParams::default()
        };
        let (answer, _) = tokio::join!(
            Box::pin(self.host.engine.worker_disclosure(&self.agent, params)),
            human.answers(Answer::AllowSession, None)
        );
        is(&answer.unwrap(), WorkerStatusKind::Completed);
        assert_eq!(self.status().await.disclosure.identity, "open");
    }
}

/// One of several conversations of the desk's connection.
struct Conversation<'d> {
    desk: &'d Desk,
    call: lwa_protocol::worker::WorkerCall,
}

impl Conversation<'_> {
    fn brief(mut self) -> Self {
        self.call.hold_ms = 50;
        self
    }

    async fn set_mode(&self, mode: &str) -> WorkerAnswer {
        let params = WorkerModeParams { call: self.call.clone(), mode: mode.to_owned() };
        self.desk.host.engine.worker_set_mode(&self.desk.agent, params).await.unwrap()
    }

    async fn hides_names(&self) -> WorkerAnswer {
        let params = WorkerDisclosureParams {
            call: self.call.clone(),
            identity: "masked".to_owned(),
            ..WorkerDisclosureParams::default()
        };
        self.desk.host.engine.worker_disclosure(&self.desk.agent, params).await.unwrap()
    }

    async fn wants_names(&self) -> WorkerAnswer {
        let params = WorkerDisclosureParams {
            call: self.call.clone(),
            identity: "open".to_owned(),
            ..WorkerDisclosureParams::default()
        };
        self.desk.host.engine.worker_disclosure(&self.desk.agent, params).await.unwrap()
    }

    async fn enable(&self) -> WorkerAnswer {
        let params = lwa_protocol::worker::WorkerCallParams { call: self.call.clone() };
        self.desk.host.engine.worker_enable(&self.desk.agent, params).await.unwrap()
    }

    async fn run(&self, command: &str) -> WorkerAnswer {
        let params = lwa_protocol::worker::WorkerRunParams {
            call: self.call.clone(),
            command: command.to_owned(),
            ..Default::default()
        };
        self.desk.host.engine.worker_run(&self.desk.agent, params).await.unwrap()
    }

    fn delegation(&self, material: &str) -> WorkerDelegateParams {
        WorkerDelegateParams {
            call: self.call.clone(),
            task: "Who is it?".to_owned(),
            material: material.to_owned(),
            ..WorkerDelegateParams::default()
        }
    }

    async fn delegate(&self, material: &str) -> WorkerAnswer {
        self.desk.host.engine.worker_delegate(&self.desk.agent, self.delegation(material)).await.unwrap()
    }

    async fn mode(&self) -> String {
        let params = lwa_protocol::worker::WorkerCallParams { call: self.call.clone() };
        self.desk.host.engine.worker_status(&self.desk.agent, &params).await.unwrap().mode
    }
}

#[tokio::test]
async fn two_conversations_of_one_connection_are_switched_each_for_itself() {
    let desk = Desk::new(ON).await;
    let (a, b) = (desk.thread("a"), desk.thread("b"));
    let (first, second) = tokio::join!(a.set_mode("pii"), b.set_mode("pii"));
    for answer in [first, second] {
        assert!(answer.text.contains("The mode is pii now"), "{}", answer.text);
    }
    assert_eq!((a.mode().await.as_str(), b.mode().await.as_str()), ("pii", "pii"));
}

#[tokio::test]
async fn the_same_call_in_two_conversations_asks_for_each() {
    let asks = async |desk: &Desk, count: usize| {
        for _ in 0..500 {
            if desk.host.open_questions().await.len() == count {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{} questions are open", desk.host.open_questions().await.len());
    };
    let desk = Desk::new("").await;
    let (a, b) = (desk.thread("a").brief(), desk.thread("b").brief());
    tokio::join!(a.enable(), b.enable());
    // A yes to one is no yes to the other.
    asks(&desk, 2).await;

    let desk = Desk::new(ON).await;
    let (a, b) = (desk.thread("a").brief(), desk.thread("b").brief());
    tokio::join!(a.wants_names(), b.wants_names());
    asks(&desk, 2).await;
    tokio::join!(a.run("printf one"), b.run("printf one"));
    asks(&desk, 4).await;
}

#[tokio::test]
async fn no_conversation_is_handed_the_result_of_another() {
    let model = Model::saying(&format!("It is {MAIL}."));
    let mut desk = Desk::new(&model.config("", "")).await;
    desk.call = call(&desk.project, "a");
    desk.opens_names().await;
    is(&desk.thread("b").set_mode("pii").await, WorkerStatusKind::Completed);
    model.shut();
    let material = format!("Contact: {MAIL}");
    is(&desk.thread("a").brief().delegate(&material).await, WorkerStatusKind::Working);
    is(&desk.thread("b").brief().delegate(&material).await, WorkerStatusKind::Working);
    model.open();
    let of_b = desk.thread("b").delegate(&material).await;
    assert!(of_b.text.contains("[EMAIL-1]") && !of_b.text.contains(MAIL), "{}", of_b.text);
    let of_a = desk.thread("a").delegate(&material).await;
    assert!(of_a.text.contains(MAIL), "{}", of_a.text);
    assert_eq!(desk.status().await.turns_total, 2, "the opening and one piece of work");
}

#[tokio::test]
async fn what_is_closed_while_a_model_works_does_not_leave_and_is_not_remembered() {
    for closes_by_mode in [true, false] {
        let model = Model::saying(&format!("It is {MAIL}."));
        let desk = Desk::new(&model.config("", "")).await;
        desk.opens_names().await;
        let here = desk.thread("thread-1");
        model.shut();
        let material = format!("Contact: {MAIL}");
        is(&desk.thread("thread-1").brief().delegate(&material).await, WorkerStatusKind::Working);
        let closed = if closes_by_mode { here.set_mode("pii").await } else { here.hides_names().await };
        is(&closed, WorkerStatusKind::Completed);
        model.open();
        let answer = here.delegate(&material).await;
        is(&answer, WorkerStatusKind::Completed);
        assert!(answer.text.contains("[EMAIL-1]") && !answer.text.contains(MAIL), "{}", answer.text);
        let turns = desk.turns("codex.thread-1").await;
        assert!(turns.contains("[EMAIL-1]") && !turns.contains(MAIL), "{turns}");
        for (name, text) in desk.database().await {
            assert!(!text.contains(MAIL), "{name}");
        }
    }
}

#[tokio::test]
async fn a_result_that_waits_is_scrubbed_once_more_after_a_closing() {
    for closes_by_mode in [true, false] {
        let model = Model::saying(&format!("It is {MAIL}."));
        let desk = Desk::new(&model.config("", "")).await;
        desk.opens_names().await;
        let here = desk.thread("thread-1");
        model.shut();
        let material = format!("Contact: {MAIL}");
        is(&desk.thread("thread-1").brief().delegate(&material).await, WorkerStatusKind::Working);
        model.open();
        desk.until("the work has not ended", |status| status.turns_total == 2).await;
        let closed = if closes_by_mode { here.set_mode("pii").await } else { here.hides_names().await };
        is(&closed, WorkerStatusKind::Completed);
        let answer = here.delegate(&material).await;
        is(&answer, WorkerStatusKind::Completed);
        assert!(answer.text.contains("It is [EMAIL-1]") && !answer.text.contains(MAIL), "{}", answer.text);
        assert!(answer.text.contains("scrubbed once more"), "{}", answer.text);
        assert!(!desk.turns("codex.thread-1").await.contains(MAIL));
    }
}

#[tokio::test]
async fn an_old_result_says_that_it_is_one() {
    let model = Model::saying("It is nobody.");
    let desk = Desk::new(&model.config("", "")).await;
    model.shut();
    is(&desk.thread("thread-1").brief().delegate("material").await, WorkerStatusKind::Working);
    model.open();
    desk.until("the work has not ended", |status| status.turns_total == 1).await;
    tokio::time::sleep(Duration::from_millis(2_100)).await;
    let old = desk.thread("thread-1").delegate("material").await;
    assert!(old.text.contains("It is nobody.") && old.text.contains("2 s ago"), "{}", old.text);
    let new = desk.thread("thread-1").delegate("material").await;
    assert!(!new.text.contains(" s ago"), "{}", new.text);
    assert_eq!(desk.status().await.turns_total, 2);
}

/// A model that never answers the first request of a kind, and the others at once.
fn stalls_once(is_it: impl Fn(&serde_json::Value) -> bool + Send + Sync + 'static) -> Model {
    let stalled = AtomicUsize::new(0);
    Model::start(move |request| {
        if is_it(request) && stalled.fetch_add(1, Ordering::SeqCst) == 0 {
            return None;
        }
        Some((200, said(if is_pass(request) { "[]" } else { "It is nobody." })))
    })
}

#[tokio::test]
async fn a_cancelled_call_lets_its_conversation_go_wherever_its_model_hangs() {
    // In the pass over the material, in the answer, and in the pass over the answer.
    let is_of = |tokens: u64| move |request: &serde_json::Value| is_pass(request) && request["max_tokens"] == tokens;
    let models = [stalls_once(is_of(2048)), stalls_once(|request| !is_pass(request)), stalls_once(is_of(1024))];
    for model in models {
        let desk = Desk::new(&model.config("", "mode = \"pii\"\n")).await;
        let here = desk.thread("thread-1");
        let cancelled = tokio::time::timeout(Duration::from_secs(1), here.delegate("some material")).await;
        assert!(cancelled.is_err(), "the model hangs");
        let next = tokio::time::timeout(Duration::from_secs(20), here.delegate("other material")).await;
        is(&next.expect("the conversation is still taken"), WorkerStatusKind::Completed);
        assert_eq!(desk.status().await.turns_total, 1);
    }
}

#[tokio::test]
async fn a_compaction_that_is_cancelled_is_not_running_any_more() {
    let model = stalls_once(|request| {
        request["messages"][0]["content"].as_str().unwrap_or_default().starts_with("You keep the notes")
    });
    let desk = Desk::new(&model.config("", "")).await;
    is(&desk.delegate("What is it?", "some material").await, WorkerStatusKind::Completed);
    let params = WorkerCompactParams { call: desk.call.clone(), reason: String::new() };
    let compacting = desk.host.engine.worker_compact(&desk.agent, params.clone());
    assert!(tokio::time::timeout(Duration::from_secs(1), compacting).await.is_err(), "the model hangs");
    desk.until("it still says that it compacts", |status| !status.compaction_in_progress).await;
    let again = tokio::time::timeout(Duration::from_secs(20), desk.host.engine.worker_compact(&desk.agent, params));
    let again = again.await.expect("the conversation is still taken").unwrap();
    is(&again, WorkerStatusKind::Completed);
    assert_eq!(desk.status().await.compactions, 1, "{}", again.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn first_calls_at_once_that_name_their_conversation_take_everything_along() {
    let mut desk = Desk::new(ON).await;
    for round in 0..12 {
        desk.agent = agent();
        let _connected = desk.host.engine.attend(&desk.agent, "test");
        desk.call.session.clear();
        let first = desk.delegate("Who?", &format!("Contact: token = {}", token('a'))).await;
        assert!(first.text.contains("[SECRET-1]"), "{}", first.text);
        let thread = format!("thread-{round}");
        let calls: Vec<_> = (0..8)
            .map(|number| {
                let params = desk.thread(&thread).delegation(&format!("{number}: token = {}", token('a')));
                let (engine, agent) = (desk.host.engine.clone(), desk.agent.clone());
                tokio::spawn(async move { engine.worker_delegate(&agent, params).await })
            })
            .collect();
        for call in calls {
            let answer = call.await.unwrap().unwrap();
            is(&answer, WorkerStatusKind::Completed);
            assert!(answer.text.contains("[SECRET-1]"), "{}", answer.text);
        }
        let sessions = desk.host.engine.list_worker_sessions().await.unwrap().sessions;
        assert_eq!(sessions.len(), round + 1);
        let session = sessions.iter().find(|session| session.key == format!("codex.{thread}")).unwrap();
        assert_eq!(session.turns, 9);
    }
}

#[tokio::test]
async fn a_call_that_is_repeated_with_its_conversations_name_attaches_to_its_work() {
    let model = Model::saying("It is nobody.");
    let mut desk = Desk::new(&model.config("", "")).await;
    desk.call.session.clear();
    model.shut();
    let mut unnamed = desk.thread("thread-9").brief();
    unnamed.call.session.clear();
    is(&unnamed.delegate("material").await, WorkerStatusKind::Working);
    is(&desk.thread("thread-9").brief().delegate("material").await, WorkerStatusKind::Working);
    model.open();
    let answer = desk.thread("thread-9").delegate("material").await;
    assert!(answer.text.contains("It is nobody."), "{}", answer.text);
    desk.call.session = vec![SessionRef::Thread("thread-9".to_owned())];
    assert_eq!(desk.status().await.turns_total, 1, "it was done once, and went along");
}

#[tokio::test]
async fn what_an_open_conversation_remembers_is_hidden_when_it_becomes_a_private_one() {
    let mut desk = Desk::new(ON).await;
    let other = agent();
    let _second = desk.host.engine.attend(&other, "test");
    let params = WorkerModeParams { call: call(&desk.project, "thread-9"), mode: "pii".to_owned() };
    is(&desk.host.engine.worker_set_mode(&other, params).await.unwrap(), WorkerStatusKind::Completed);
    desk.call.session.clear();
    desk.opens_names().await;
    let open = desk.delegate("Who?", &format!("Contact: {MAIL}")).await;
    assert!(open.text.contains(MAIL), "{}", open.text);
    is(&desk.thread("thread-9").delegate("more material").await, WorkerStatusKind::Completed);
    let turns = desk.turns("codex.thread-9").await;
    assert!(turns.contains("[EMAIL-1]") && !turns.contains(MAIL), "{turns}");
    for (name, text) in desk.database().await {
        assert!(!text.contains(MAIL), "{name}");
    }
}

fn token(letter: char) -> String {
    format!("ghp_{}1bVn04XwKp62LmRtZq", letter.to_string().repeat(18))
}

#[tokio::test]
async fn nothing_of_a_removed_conversation_comes_back_with_the_end_of_its_work() {
    let model = Model::saying("It is nobody.");
    let desk = Desk::new(&model.config("", "")).await;
    model.shut();
    let here = desk.thread("thread-1").brief();
    is(&here.delegate(&format!("token = {}", token('a'))).await, WorkerStatusKind::Working);
    let purge = WorkerPurgeParams {
        key: Some("codex.thread-1".to_owned()),
        what: PurgeWhat::Session,
        before: None,
        dry_run: false,
    };
    assert_eq!(desk.host.engine.purge_worker(&app(), &purge).await.unwrap().sessions, 1);
    model.open();
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(desk.host.engine.list_worker_sessions().await.unwrap().sessions.is_empty());
    assert!(!desk.host.place.home().artifacts_folder().join("codex.thread-1").exists());
    for (name, content) in desk.files(true) {
        assert!(!String::from_utf8_lossy(&content).contains(&token('a')), "{name}");
    }
}

#[tokio::test]
async fn placeholders_of_a_removed_conversation_are_not_given_again() {
    let desk = Desk::new(ON).await;
    let purge = WorkerPurgeParams {
        key: Some("codex.thread-1".to_owned()),
        what: PurgeWhat::Session,
        before: None,
        dry_run: false,
    };
    for (letter, placeholder) in [('a', "[SECRET-1]"), ('b', "[SECRET-2]"), ('c', "[SECRET-3]")] {
        let answer = desk.delegate("Who?", &format!("token = {}", token(letter))).await;
        assert!(answer.text.contains(placeholder), "{}", answer.text);
        desk.host.engine.purge_worker(&app(), &purge).await.unwrap();
    }
    for (name, content) in desk.files(true) {
        assert!(!String::from_utf8_lossy(&content).contains(&token('a')), "{name}");
    }
}

#[tokio::test]
async fn both_conversations_of_a_connection_are_in_use() {
    let desk = Desk::new(ON).await;
    is(&desk.thread("a").delegate("material").await, WorkerStatusKind::Completed);
    is(&desk.thread("b").delegate("material").await, WorkerStatusKind::Completed);
    let all = WorkerPurgeParams { key: None, what: PurgeWhat::Session, before: None, dry_run: false };
    let purged = desk.host.engine.purge_worker(&app(), &all).await.unwrap();
    assert_eq!((purged.sessions, purged.live), (0, 2));
}
