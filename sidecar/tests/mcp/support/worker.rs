//! A worker in a host: plain answers, and one that asks before it works.

use std::collections::BTreeMap;
use std::sync::Mutex;

use lwa_domain::{ApprovalId, ClientName, ErrorCode, Outcome};
use lwa_protocol::Failure;
use lwa_protocol::worker::{
    ArmedView, Choice, ClientAnswered, ClientQuestion, DisclosureView, LeakCheckView, RunPolicyView, SavingsTotals,
    WorkerAnswer, WorkerClientView, WorkerFacts, WorkerStatus, WorkerStatusKind,
};
use serde_json::{Value, json};

use super::answers::working;
use super::fake_host::Act;

pub const RULES: &str = "RULE (assist mode): delegate often.";

pub fn value(answer: impl serde::Serialize) -> Value {
    serde_json::to_value(answer).unwrap()
}

pub fn answered(status: WorkerStatusKind, text: &str) -> WorkerAnswer {
    let facts = match status {
        WorkerStatusKind::Completed => {
            WorkerFacts { mode: "assist".to_owned(), exit_code: Some(3), ..WorkerFacts::default() }
        }
        _ => WorkerFacts::default(),
    };
    WorkerAnswer { status, text: text.to_owned(), facts, question: None, id: None, approval: None }
}

pub fn status() -> WorkerStatus {
    WorkerStatus {
        mode: "assist".to_owned(),
        session_key: "k".to_owned(),
        session_source: "connection".to_owned(),
        client: WorkerClientView { name: ClientName::new("test-client"), version: None, can_ask: true },
        armed: ArmedView { state: "off".to_owned(), source: None, at: None, asked: 0 },
        disclosure: DisclosureView {
            identity: "undecided".to_owned(),
            numbers: "masked".to_owned(),
            source: None,
            asked: 0,
            escalation: "ask".to_owned(),
            open_kinds: Vec::new(),
        },
        run_policy: RunPolicyView::default(),
        model: None,
        endpoint: None,
        workers: Vec::new(),
        turns_total: 0,
        turns_since_compaction: 0,
        uncompacted_chars: 0,
        summary_chars: 0,
        compactions: 0,
        last_compaction: None,
        compaction_in_progress: false,
        summary: String::new(),
        leak_check: LeakCheckView::default(),
        placeholders: BTreeMap::new(),
        artifacts: 0,
        created: "2026-12-01T00:00:00Z".to_owned(),
        names: "on".to_owned(),
        rules: "built in".to_owned(),
        tokens_saved: SavingsTotals::default(),
        sandbox: "none".to_owned(),
        observer: "none".to_owned(),
        expiring: None,
        decide: None,
        instructions: RULES.to_owned(),
        notes: Vec::new(),
    }
}

/// A host whose worker does everything at once.
pub fn willing(method: &str, params: &Value) -> Vec<Act> {
    match method {
        "worker/status" => vec![Act::Answer(value(status()))],
        method if method.starts_with("worker/") => {
            vec![Act::Answer(value(answered(WorkerStatusKind::Completed, "short\n\n— local-llm · assist")))]
        }
        _ => working(method, params),
    }
}

pub fn question(handle: &str) -> ClientQuestion {
    let choice = |id: &str, title: &str| Choice { id: id.to_owned(), title: title.to_owned() };
    ClientQuestion {
        handle: handle.to_owned(),
        approval_id: ApprovalId::new("a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4"),
        message: "Turn the worker on for local_llm_run?".to_owned(),
        choices: vec![choice("off", "Leave it off"), choice("on", "Turn it on"), choice("on_pii", "Private mode")],
        patience_s: 600,
    }
}

/// A host whose worker asks these questions, one after the other, before it works. It holds a call that cannot ask, as
/// the host does, and takes `worker/status` for a human who answers in another place.
pub fn asking(handles: &'static [&'static str]) -> impl Fn(&str, &Value) -> Vec<Act> + Send + Sync {
    asking_for(handles, 600)
}

/// The same, with so many seconds for each answer.
pub fn asking_for(
    handles: &'static [&'static str],
    patience_s: u32,
) -> impl Fn(&str, &Value) -> Vec<Act> + Send + Sync {
    let open = Mutex::new((handles, Vec::<String>::new()));
    move |method, params| {
        let mut state = open.lock().unwrap();
        let (left, said) = &mut *state;
        let done = |said: &[String]| answered(WorkerStatusKind::Completed, &format!("done after {}", said.join(", ")));
        match (method, left.first()) {
            ("question/answer", Some(handle)) if params["handle"] == *handle => {
                *left = left.split_first().unwrap().1;
                said.push(format!("{} {}", params["action"].as_str().unwrap(), params["choice"]));
                let is_yes = params["action"] == "accept" && params["choice"] == "on";
                let outcome = if is_yes { Outcome::AllowedSession } else { Outcome::Dismissed };
                let taken = ClientAnswered { outcome: Some(outcome), message: "taken".to_owned() };
                let held = match left.first() {
                    Some(_) => answered(WorkerStatusKind::ApprovalPending, "the human was asked"),
                    None => done(said),
                };
                vec![Act::Answer(value(taken)), Act::AnswerHeld(value(held))]
            }
            ("question/answer", _) => vec![Act::Fail(Failure::new(ErrorCode::NotFound, "there is no such question"))],
            ("worker/status", _) => {
                *left = &[];
                let elsewhere = answered(WorkerStatusKind::Completed, "done after another door");
                vec![Act::Answer(value(status())), Act::AnswerHeld(value(elsewhere))]
            }
            (method, Some(handle)) if method.starts_with("worker/") => {
                if params["call"]["can_ask"] == json!(true) {
                    let asks = answered(WorkerStatusKind::AskClient, "the user is asked in this client");
                    let asks = WorkerAnswer {
                        question: Some(ClientQuestion { patience_s, ..question(handle) }),
                        id: Some("j".to_owned()),
                        ..asks
                    };
                    vec![Act::Answer(value(asks))]
                } else {
                    vec![Act::Hold]
                }
            }
            (method, None) if method.starts_with("worker/") => vec![Act::Answer(value(done(said)))],
            _ => working(method, params),
        }
    }
}
