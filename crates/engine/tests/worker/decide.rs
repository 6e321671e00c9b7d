//! Small choices by the model on this machine: off unless switched on, gated, scrubbed both ways, and never guessed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use lwa_domain::ErrorCode;
use lwa_protocol::approval::{Answer, ApprovalDetail};
use lwa_protocol::worker::{DecisionRequestParams, GovernanceParams, WorkerAnswer, WorkerStatusKind};
use serde_json::{Value, json};

use crate::desk::{Desk, ON, is};
use crate::model::{Model, is_pass, said};

const TOKEN: &str = "ghp_Zq81bVn04XwKp62LmRtZq81bVn04XwKp62Lm";

/// A model that answers this, and everything that it was asked for a decision.
fn deciding(text: &str) -> (Model, Arc<Mutex<Vec<String>>>) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let (kept, text) = (asked.clone(), text.to_owned());
    let model = Model::start(move |request| {
        if is_pass(request) {
            return Some((200, said("[]")));
        }
        kept.lock().unwrap().push(request.to_string());
        Some((200, said(&text)))
    });
    (model, asked)
}

fn params(desk: &Desk, state: &str, choices: &[(&str, &str)]) -> DecisionRequestParams {
    let choices: BTreeMap<String, String> =
        choices.iter().map(|(id, about)| ((*id).to_owned(), (*about).to_owned())).collect();
    let (state, question) = (state.to_owned(), "Is it done?".to_owned());
    DecisionRequestParams { call: desk.call.clone(), state, question, choices }
}

const CHOICES: &[(&str, &str)] = &[("ready", "all of it is there"), ("verify", "a check is missing")];

fn decision(answer: &WorkerAnswer) -> Value {
    is(answer, WorkerStatusKind::Completed);
    serde_json::from_str(&answer.text).unwrap_or_else(|_| panic!("{}", answer.text))
}

#[tokio::test]
async fn decisions_are_off_until_the_setting_is_on_and_then_nobody_was_asked() {
    let (model, asked) = deciding("ready");
    let desk = Desk::new(&model.config("", "")).await;
    let refused = desk.host.engine.worker_decide(&desk.agent, params(&desk, "s", CHOICES)).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::Forbidden);
    assert!(refused.hint.unwrap().contains("`worker.decide`"));
    let governance =
        GovernanceParams { call: desk.call.clone(), policy: "completion_review".to_owned(), evidence: String::new() };
    assert!(desk.host.engine.worker_governance(&desk.agent, governance).await.is_err());
    assert!(desk.host.engine.decision_policies().is_err());
    assert_eq!(desk.status().await.decide, None);
    assert!(asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_choice_comes_back_as_advice_and_no_secret_goes_either_way() {
    let reply = json!({"reason": format!("the key {TOKEN} is set"), "choice": "Ready"}).to_string();
    let (model, asked) = deciding(&reply);
    let desk = Desk::new(&model.config("decide = true", "")).await;
    let evidence = format!("token = {TOKEN}\nall checks passed");
    let answer = desk.host.engine.worker_decide(&desk.agent, params(&desk, &evidence, CHOICES)).await.unwrap();
    let decision = decision(&answer);
    assert_eq!(
        json!([
            decision["status"],
            decision["choice"],
            decision["mode"],
            decision["worker"],
            decision["advisory_only"]
        ]),
        json!(["ok", "ready", "reasoned", "small", true])
    );
    assert!(decision["reason"].as_str().unwrap().contains("[SECRET-1]"), "{decision}");
    assert!(!answer.text.contains(TOKEN), "{}", answer.text);
    let asked = asked.lock().unwrap().clone();
    assert_eq!(asked.len(), 1);
    assert!(asked[0].contains("[SECRET-1]") && !asked[0].contains(TOKEN), "{}", asked[0]);
    let status = desk.status().await;
    assert_eq!(status.turns_total, 0, "a decision is no turn of the memory");
    assert_eq!(status.placeholders["SECRET"], 1);
    assert_eq!(status.decide.unwrap().workers[0].model, "small");
}

#[tokio::test]
async fn a_decision_needs_the_worker_to_be_on() {
    let (model, asked) = deciding("ready");
    let config = format!("[worker]\nbase_url = \"{}\"\nmodel = \"small\"\ndecide = true\n", model.url);
    let desk = Desk::new(&config).await;
    let mut human = desk.human();
    let (answer, question) = tokio::join!(
        desk.host.engine.worker_decide(&desk.agent, params(&desk, "s", CHOICES)),
        human.answers(Answer::Deny, None)
    );
    is(&answer.unwrap(), WorkerStatusKind::Refused);
    let ApprovalDetail::TurnOn(detail) = question.detail else { panic!("another question") };
    assert_eq!(detail.tool, "local_llm_decide");
    assert!(asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_standing_question_names_its_policy_and_version() {
    let (model, asked) = deciding(&json!({"reason": "a check is missing", "choice": "verify"}).to_string());
    let desk = Desk::new(&model.config("decide = true", "")).await;
    let ask = |policy: &str| GovernanceParams {
        call: desk.call.clone(),
        policy: policy.to_owned(),
        evidence: "nobody ran the tests".to_owned(),
    };
    let answer = desk.host.engine.worker_governance(&desk.agent, ask("completion_review")).await.unwrap();
    let decision = decision(&answer);
    assert_eq!(
        json!([decision["choice"], decision["policy"], decision["version"]]),
        json!(["verify", "completion_review", 2])
    );
    assert!(asked.lock().unwrap()[0].contains("nobody ran the tests"));
    let policies = desk.host.engine.decision_policies().unwrap();
    let named = policies.policies.iter().find(|one| one.policy == "completion_review").unwrap();
    assert!(policies.version == 2 && named.choices.contains_key("verify"));
    let refused = desk.host.engine.worker_governance(&desk.agent, ask("other")).await.unwrap_err();
    assert!(refused.code == ErrorCode::InvalidInput && refused.message.contains("`failure_triage`"), "{refused:?}");
}

#[tokio::test]
async fn what_is_no_option_is_unavailable_and_a_wrong_size_asks_nobody() {
    let (model, asked) = deciding("I would say that it is ready");
    let desk = Desk::new(&model.config("decide = true", "")).await;
    let one = params(&desk, "s", &CHOICES[..1]);
    let refused = desk.host.engine.worker_decide(&desk.agent, one).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::InvalidInput);
    assert!(asked.lock().unwrap().is_empty());
    let answer = desk.host.engine.worker_decide(&desk.agent, params(&desk, "s", CHOICES)).await.unwrap();
    let decision = decision(&answer);
    assert_eq!(json!([decision["status"], decision["choice"]]), json!(["unavailable", null]));
    assert_eq!(asked.lock().unwrap().len(), 2, "in a form, then plainly");
    assert!(desk.status().await.decide.unwrap().workers[0].restriction_ignored);
}

#[tokio::test]
async fn without_a_model_a_decision_is_unavailable() {
    let desk = Desk::new(&format!("[worker]\ndecide = true\n{ON}")).await;
    let answer = desk.host.engine.worker_decide(&desk.agent, params(&desk, "s", CHOICES)).await.unwrap();
    assert_eq!(decision(&answer)["status"], "unavailable");
}
