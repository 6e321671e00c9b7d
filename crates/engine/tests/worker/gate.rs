//! Nothing is done before a human has turned the worker on.

use lwa_protocol::approval::{Answer, ApprovalDetail};
use lwa_protocol::worker::{ClientAnswerParams, DialogAction, WorkerArtifactParams, WorkerStatusKind};

use crate::desk::{Desk, ON, is};
use crate::support::minutes;

#[tokio::test]
async fn the_first_call_asks_and_brings_the_rules() {
    let desk = Desk::new("").await;
    let mut human = desk.human();
    let (answer, question) =
        tokio::join!(desk.delegate("Say what it is.", "a line"), human.answers(Answer::AllowSession, Some("on")));
    is(&answer, WorkerStatusKind::Completed);
    assert!(answer.text.starts_with("RULE (assist mode)"), "{}", answer.text);
    let ApprovalDetail::TurnOn(detail) = question.detail else { panic!("another question") };
    assert_eq!(detail.tool, "local_llm_delegate");
    let again = desk.delegate("Say what it is.", "another line").await;
    assert!(!again.text.contains("RULE"), "the rules come once: {}", again.text);
}

#[tokio::test]
async fn the_question_names_the_model_that_will_answer() {
    for (address, name) in [("http://192.0.2.7:8080/v1", "builtin"), ("http://127.0.0.1:9/v1", "small")] {
        let desk = Desk::new(&format!("[worker]\nbase_url = \"{address}\"\nmodel = \"small\"\n")).await;
        let mut human = desk.human();
        let (_, question) = tokio::join!(desk.enable(), human.answers(Answer::Deny, None));
        let ApprovalDetail::TurnOn(detail) = question.detail else { panic!("another question") };
        assert_eq!(detail.model, name, "{address}");
    }
}

#[tokio::test]
async fn a_no_is_remembered_and_nobody_is_asked_again() {
    let desk = Desk::new("").await;
    let mut human = desk.human();
    let (answer, _) = tokio::join!(desk.run("echo hello"), human.answers(Answer::Deny, None));
    is(&answer, WorkerStatusKind::Refused);
    let again = desk.run("echo hello again").await;
    is(&again, WorkerStatusKind::Refused);
    assert!(again.text.contains("the user chose off"), "{}", again.text);
    assert_eq!(desk.host.questions().await.len(), 1);
    assert_eq!(desk.status().await.armed.state, "off");
}

#[tokio::test]
async fn turning_on_for_private_material_begins_in_private_mode() {
    let desk = Desk::new("").await;
    let mut human = desk.human();
    let (answer, _) = tokio::join!(desk.enable(), human.answers(Answer::AllowSession, Some("on_pii")));
    is(&answer, WorkerStatusKind::Completed);
    assert!(answer.text.starts_with("RULE (private mode)"), "{}", answer.text);
    assert_eq!(desk.status().await.mode, "pii");
}

#[tokio::test]
async fn without_anybody_to_ask_nothing_is_done_and_the_way_out_is_named() {
    let desk = Desk::without_window("").await;
    let answer = desk.run("echo hello").await;
    is(&answer, WorkerStatusKind::Unavailable);
    assert!(answer.text.contains("arm = \"on\""), "{}", answer.text);
    assert!(!answer.text.contains("lwa config accept"), "{}", answer.text);
    assert_eq!(desk.status().await.armed.asked, 0, "nobody was asked, so nobody let it go by");
    for written in ["[worker]\narm = \"on\"\n", ON] {
        desk.host.place.write_config(written);
        desk.host.engine.sweep().await;
        let answer = desk.run("echo hello").await;
        is(&answer, WorkerStatusKind::Unavailable);
        assert!(answer.text.contains("lwa config accept"), "what was written and waits is named: {}", answer.text);
    }
}

#[tokio::test]
async fn w_08_five_first_calls_at_once_ask_one_question_and_share_its_answer() {
    let desk = Desk::new("").await;
    let mut human = desk.human();
    let calls = async {
        tokio::join!(
            desk.delegate("one", "material one"),
            desk.delegate("two", "material two"),
            desk.delegate("three", "material three"),
            desk.delegate("four", "material four"),
            desk.delegate("five", "material five"),
        )
    };
    let (answers, _) = tokio::join!(calls, human.answers(Answer::AllowSession, Some("on")));
    let answers = [answers.0, answers.1, answers.2, answers.3, answers.4];
    for answer in &answers {
        is(answer, WorkerStatusKind::Completed);
    }
    assert_eq!(answers.iter().filter(|answer| answer.text.contains("RULE (")).count(), 1, "one call brings the rules");
    assert_eq!(desk.host.questions().await.len(), 1);
}

#[tokio::test]
async fn w_09_the_rules_come_with_whichever_tool_turned_the_worker_on() {
    let desk = Desk::new("").await;
    let mut human = desk.human();
    let params = WorkerArtifactParams {
        call: desk.call.clone(),
        reference: "a_00000000".to_owned(),
        ..WorkerArtifactParams::default()
    };
    let (answer, _) = tokio::join!(
        desk.host.engine.worker_artifact(&desk.agent, params),
        human.answers(Answer::AllowSession, Some("on"))
    );
    let answer = answer.unwrap();
    is(&answer, WorkerStatusKind::Failed);
    assert!(answer.text.starts_with("RULE (assist mode)"), "{}", answer.text);
    assert!(answer.text.contains("References are per conversation"), "{}", answer.text);
}

#[tokio::test]
async fn w_10_arming_by_a_setting_ends_with_the_setting() {
    let desk = Desk::new(ON).await;
    is(&desk.delegate("Say what it is.", "a line").await, WorkerStatusKind::Completed);
    desk.host.place.write_config("");
    desk.host.pass(minutes(1)).await;
    assert_eq!(desk.host.engine.show_configuration().unwrap().error, None);
    let status = desk.status().await;
    assert!(["on", "undecided"].contains(&status.armed.state.as_str()));
    let refreshed = desk.host.engine.call(&desk.agent, "worker/status", serde_json::json!({"call": desk.call}), None);
    assert_eq!(refreshed.await.unwrap()["armed"]["state"], "undecided");
}

#[tokio::test]
async fn a_client_that_answers_faster_than_a_human_can_read_turns_nothing_on() {
    let mut desk = Desk::without_window("").await;
    desk.call.can_ask = true;
    let answer = desk.run("echo hello").await;
    is(&answer, WorkerStatusKind::AskClient);
    let question = answer.question.unwrap();
    assert_eq!(question.choices[0].id, "off", "the safe one stands first");
    let said = ClientAnswerParams {
        handle: question.handle.clone(),
        action: DialogAction::Accept,
        choice: Some("on".to_owned()),
    };
    desk.host.engine.answer_from_client(&desk.agent, &said).await.unwrap();
    let again = desk.run("echo hello").await;
    is(&again, WorkerStatusKind::Unavailable);
    assert_eq!(desk.status().await.armed.state, "undecided");
    let twice = desk.host.engine.answer_from_client(&desk.agent, &said).await;
    assert!(twice.is_err(), "a handle is used once");
}

/// The question that a client without a window gets to show, with this setting.
async fn handed_out(setting: &str) -> (Desk, u32) {
    let mut desk = Desk::without_window(setting).await;
    desk.call.can_ask = true;
    let answer = desk.run("echo hello").await;
    is(&answer, WorkerStatusKind::AskClient);
    let patience = answer.question.unwrap().patience_s;
    (desk, patience)
}

#[tokio::test]
async fn a_clients_dialog_waits_for_as_long_as_the_setting_says() {
    assert_eq!(handed_out("").await.1, 600);
    assert_eq!(handed_out("[worker]\ndialog_timeout = 45\n").await.1, 45);
    let (desk, patience) = handed_out("[worker]\ndialog_timeout = 1800\n").await;
    assert_eq!(patience, 1800);
    // A question elsewhere ends after ten minutes; this one stays as long as its dialog.
    desk.host.pass(minutes(29)).await;
    assert_eq!(desk.host.open_questions().await.len(), 1);
    desk.host.pass(minutes(2)).await;
    let questions = desk.host.questions().await;
    assert_eq!(questions[0].outcome, Some(lwa_domain::Outcome::TimedOut));
}
