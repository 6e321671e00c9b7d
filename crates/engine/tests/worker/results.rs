//! What leaves: digests, slices and errors, with placeholders where private values stood.

use lwa_protocol::approval::{Answer, ApprovalDetail};
use lwa_protocol::worker::{
    WorkerAnswer, WorkerDelegateParams, WorkerDisclosureParams, WorkerModeParams, WorkerRunParams, WorkerStatusKind,
};

use lwa_testkit::{FakeProvider, Reply, Script};

use crate::desk::{Desk, ON, is};

const PII: &str = "[clients.codex.worker]\narm = \"on\"\nmode = \"pii\"\n";

fn secret() -> String {
    format!("ghp_{}", "Zq81bVn04XwKp62LmRt".repeat(2).get(..36).unwrap())
}

#[tokio::test]
async fn bulk_output_comes_back_short_and_the_whole_of_it_is_kept() {
    let desk = Desk::new("[clients.codex.worker]\narm = \"on\"\nrun_policy = \"allow\"\n").await;
    let answer = desk.run("seq 1 5000; echo 'error: the last step failed' >&2; exit 3").await;
    is(&answer, WorkerStatusKind::Completed);
    assert_eq!(answer.facts.exit_code, Some(3));
    assert!(answer.text.contains("error: the last step failed"), "{}", answer.text);
    assert!(answer.text.contains("rc 3") && answer.text.contains("builtin"), "{}", answer.text);
    assert!(answer.text.len() < 4_000, "{} bytes", answer.text.len());
    assert!(answer.facts.tokens_saved > 1_000);
    let reference = answer.facts.reference.unwrap();
    let slice = desk.slice(&reference, 0, 100).await;
    is(&slice, WorkerStatusKind::Completed);
    assert!(slice.text.starts_with("1\n2\n3\n"), "{}", slice.text);
}

#[tokio::test]
async fn a_secret_never_leaves_by_digest_slice_status_or_memory() {
    let desk = Desk::new(ON).await;
    let secret = secret();
    let file = desk.project.path().join("settings.env");
    std::fs::write(&file, format!("NAME=demo\nGITHUB_TOKEN={secret}\nPORT=80\n")).unwrap();
    let answer = desk.read_file("List the settings.", "settings.env").await;
    is(&answer, WorkerStatusKind::Completed);
    assert!(!answer.text.contains(&secret), "{}", answer.text);
    let reference = answer.facts.reference.unwrap();
    for offset in 0..80 {
        let slice = desk.slice(&reference, offset, 100).await;
        for window in secret.as_bytes().windows(12) {
            let part = std::str::from_utf8(window).unwrap();
            assert!(!slice.text.contains(part), "{}", slice.text);
        }
    }
    let status = serde_json::to_string(&desk.status().await).unwrap();
    assert!(!status.contains(&secret));
    for (name, content) in desk.files(false) {
        assert!(!String::from_utf8_lossy(&content).contains(&secret), "{name}");
    }
    let texts = desk.database().await;
    assert!(texts.len() > 50 && texts.iter().any(|(_, text)| text.contains("[SECRET-1]")));
    for (name, text) in texts {
        assert!(!text.contains(&secret), "{name}");
    }
}

#[tokio::test]
async fn in_private_mode_names_are_hidden_and_their_placeholders_are_stable() {
    let desk = Desk::new(PII).await;
    let material =
        "Dear team,\nMaria Fernandez-Lopez called about the invoice.\nPlease write to maria.fl@example.org.\n";
    let answer = desk.delegate("Who called?", material).await;
    is(&answer, WorkerStatusKind::Completed);
    assert!(!answer.text.contains("Maria") && !answer.text.contains("maria.fl"), "{}", answer.text);
    assert!(answer.text.contains("[PERSON-1]") && answer.text.contains("[EMAIL-1]"), "{}", answer.text);
    let again = desk.delegate("And now?", "maria.fl@example.org wrote once more").await;
    assert!(again.text.contains("[EMAIL-1]"), "{}", again.text);
}

#[tokio::test]
async fn a_folder_is_named_by_its_placeholder_and_stays_hidden_when_it_cannot_be_used() {
    let desk = Desk::new(&format!("{PII}run_policy = \"allow\"\n")).await;
    let folder = desk.project.path().join("jane.roe@example.org");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("note.txt"), "all is well\n").unwrap();
    let listed = desk.run("ls").await;
    assert!(listed.text.contains("[EMAIL-1]") && !listed.text.contains("jane.roe"), "{}", listed.text);
    let params = |cwd: &str| WorkerRunParams { cwd: cwd.to_owned(), ..desk.run_params("cat note.txt") };
    let read = desk.host.engine.worker_run(&desk.agent, params("[EMAIL-1]")).await.unwrap();
    is(&read, WorkerStatusKind::Completed);
    assert!(read.text.contains("all is well"), "{}", read.text);
    let params_of_none = params("[EMAIL-1]/none");
    let failure = desk.host.engine.worker_run(&desk.agent, params_of_none).await.unwrap_err();
    assert!(failure.message.contains("[EMAIL-1]/none"), "{}", failure.message);
    assert!(!failure.message.contains("jane.roe"), "{}", failure.message);
    let params = WorkerDelegateParams {
        call: desk.call.clone(),
        task: "What does it say?".to_owned(),
        paths: vec!["note.txt".to_owned()],
        cwd: "[EMAIL-1]".to_owned(),
        ..WorkerDelegateParams::default()
    };
    let answer = desk.host.engine.worker_delegate(&desk.agent, params).await.unwrap();
    assert!(answer.text.contains("all is well") && !answer.text.contains("jane.roe"), "{}", answer.text);
}

#[tokio::test]
async fn names_in_assist_are_asked_about_once_and_the_answer_is_honoured() {
    let desk = Desk::new(ON).await;
    let mut human = desk.human();
    let material = "Contact: jane.roe@example.com";
    let (answer, question) =
        tokio::join!(desk.delegate("Who?", material), human.answers(Answer::AllowSession, Some("continue")));
    is(&answer, WorkerStatusKind::Completed);
    assert!(answer.text.contains("jane.roe@example.com"), "{}", answer.text);
    let ApprovalDetail::Disclosure(detail) = &question.detail else { panic!("another question") };
    assert!(detail.kinds.iter().any(|kind| kind.kind == "EMAIL"));
    assert!(!serde_json::to_string(&question).unwrap().contains("jane.roe"), "a question holds no value");
    let again = desk.delegate("And?", "jane.roe@example.com again").await;
    assert!(again.text.contains("jane.roe@example.com"), "{}", again.text);
    assert_eq!(desk.host.questions().await.len(), 1);
}

#[tokio::test]
async fn without_an_answer_the_result_is_hidden_and_says_how_to_open_it() {
    let desk = Desk::without_window(ON).await;
    let answer = desk.delegate("Who?", "Contact: jane.roe@example.com").await;
    is(&answer, WorkerStatusKind::Completed);
    assert!(answer.text.contains("[EMAIL-1]") && !answer.text.contains("jane.roe"), "{}", answer.text);
    assert!(answer.text.contains("local_llm_disclosure"), "{}", answer.text);
}

#[tokio::test]
async fn switching_to_private_mode_hides_what_was_remembered_in_clear() {
    let desk = Desk::new(ON).await;
    let mut human = desk.human();
    let (_, _) = tokio::join!(
        desk.delegate("Who?", "Contact: jane.roe@example.com"),
        human.answers(Answer::AllowSession, Some("continue"))
    );
    let params = WorkerModeParams { call: desk.call.clone(), mode: "pii".to_owned() };
    let answer = desk.host.engine.worker_set_mode(&desk.agent, params).await.unwrap();
    is(&answer, WorkerStatusKind::Completed);
    assert!(answer.text.contains("The mode is pii now"), "{}", answer.text);
    let detail = desk
        .host
        .engine
        .show_worker_session(&lwa_protocol::worker::WorkerSessionParams { key: desk.status().await.session_key })
        .await
        .unwrap();
    let turns = serde_json::to_string(&detail.turns).unwrap();
    assert!(!turns.contains("jane.roe") && turns.contains("[EMAIL-1]"), "{turns}");
}

#[tokio::test]
async fn leaving_private_mode_needs_the_human() {
    let desk = Desk::new(PII).await;
    let params = WorkerModeParams { call: desk.call.clone(), mode: "assist".to_owned() };
    let mut human = desk.human();
    let (answer, _) =
        tokio::join!(desk.host.engine.worker_set_mode(&desk.agent, params.clone()), human.answers(Answer::Deny, None));
    is(&answer.unwrap(), WorkerStatusKind::Refused);
    assert_eq!(desk.status().await.mode, "pii");
    // A no holds for ten minutes.
    desk.host.place.pass(crate::support::minutes(11));
    let (answer, _) =
        tokio::join!(desk.host.engine.worker_set_mode(&desk.agent, params), human.answers(Answer::AllowSession, None));
    is(&answer.unwrap(), WorkerStatusKind::Completed);
    assert_eq!(desk.status().await.mode, "assist");
}

#[tokio::test]
async fn an_agent_opens_nothing_by_asking_and_closes_at_once() {
    let desk = Desk::new(ON).await;
    let open = WorkerDisclosureParams {
        call: desk.call.clone(),
        identity: "open".to_owned(),
        reason: "the user said so".to_owned(),
        ..WorkerDisclosureParams::default()
    };
    let mut human = desk.human();
    let (answer, _) =
        tokio::join!(desk.host.engine.worker_disclosure(&desk.agent, open), human.answers(Answer::Deny, None));
    let answer = answer.unwrap();
    assert!(answer.text.contains("Nothing was opened"), "{}", answer.text);
    assert_ne!(desk.status().await.disclosure.identity, "open");
    let close = WorkerDisclosureParams {
        call: desk.call.clone(),
        identity: "masked".to_owned(),
        ..WorkerDisclosureParams::default()
    };
    desk.host.engine.worker_disclosure(&desk.agent, close).await.unwrap();
    assert_eq!(desk.status().await.disclosure.identity, "masked");
    let typo = WorkerDisclosureParams {
        call: desk.call.clone(),
        identity: "opne".to_owned(),
        ..WorkerDisclosureParams::default()
    };
    let error = desk.host.engine.worker_disclosure(&desk.agent, typo).await.unwrap_err();
    assert!(error.message.contains("`opne`") && error.hint.unwrap().contains("`open`"));
}

#[tokio::test]
async fn w_11_what_a_model_server_says_when_it_fails_is_scrubbed() {
    let secret = secret();
    let body = format!("{{\"error\": {{\"message\": \"bad prompt: {secret} jane.roe@example.com\"}}}}");
    let script = Script::new().on("POST /chat/completions", [Reply::json(400, body)]);
    let server = FakeProvider::start(script).unwrap();
    let config = format!("[worker]\nbase_url = \"{}\"\nmodel = \"small\"\n{ON}", server.base_url());
    let desk = Desk::without_window(&config).await;
    let answer = desk.delegate("Who?", "a line of text").await;
    is(&answer, WorkerStatusKind::Failed);
    assert!(answer.text.starts_with("Error: "), "{}", answer.text);
    assert!(!answer.text.contains(&secret) && !answer.text.contains("jane.roe"), "{}", answer.text);
    let status = desk.status().await;
    assert_eq!(status.turns_total, 1, "a failed turn is kept");
    assert!(!serde_json::to_string(&status).unwrap().contains(&secret));
}

fn terms(desk: &Desk, values: &[&str]) {
    let text = serde_json::json!({ "terms": [{ "kind": "PERSON", "values": values }] }).to_string();
    std::fs::write(desk.host.place.home().private_terms_file(), text).unwrap();
}

#[tokio::test]
async fn a_private_term_that_somebody_takes_out_is_hidden_until_a_human_lets_it_go() {
    let desk = Desk::new(PII).await;
    terms(&desk, &["Oscar Venn", "Quorum Nine"]);
    let said = |answer: &WorkerAnswer| answer.text.contains("Quorum Nine");
    assert!(!said(&desk.delegate("Say it.", "about Quorum Nine and more").await));
    terms(&desk, &["Oscar Venn"]);
    let mut human = desk.human();
    let (answer, question) = tokio::join!(desk.delegate("Say it.", "more of Quorum Nine"), human.next_question());
    assert!(!said(&answer), "{}", answer.text);
    let ApprovalDetail::PolicyChange(detail) = &question.detail else { panic!("another question") };
    assert_eq!((detail.changes[0].key.as_str(), detail.changes[0].from.as_str()), ("private-terms", "1 PERSON"));
    assert!(!serde_json::to_string(&question).unwrap().contains("Quorum"));
    // The next host knows it as well.
    let Desk { host, .. } = desk;
    let place = host.place;
    host.engine.shut_down(std::time::Duration::from_secs(5)).await;
    let desk = Desk::at(place.start().await);
    assert!(!said(&desk.delegate("Say it.", "still Quorum Nine").await));
    let waiting = desk.host.open_questions().await;
    assert_eq!(waiting.len(), 1);
    desk.host.decide(&crate::support::app(), &waiting[0].id, Answer::AllowAlways).await.unwrap();
    // Another conversation, as the vault of this one knows the value.
    let mut other = desk;
    other.call = crate::desk::call(&other.project, "thread-2");
    assert!(said(&other.delegate("Say it.", "once more Quorum Nine").await));
}

#[tokio::test]
async fn a_yes_lets_go_what_was_shown_and_nothing_that_only_looks_like_it() {
    let desk = Desk::new(PII).await;
    terms(&desk, &["Oscar Venn", "Quorum Nine"]);
    desk.delegate("Say it.", "a line").await;
    terms(&desk, &["Oscar Venn"]);
    let mut human = desk.human();
    let (_, question) = tokio::join!(desk.delegate("Say it.", "a second line"), human.next_question());
    // One name for the other: the question reads the same.
    terms(&desk, &["Quorum Nine"]);
    let decided = desk.host.decide(&crate::support::app(), &question.id, Answer::AllowAlways).await;
    assert!(
        !decided.is_ok_and(|item| item.outcome.is_some_and(lwa_domain::Outcome::is_allowed)),
        "another set was shown"
    );
    let answer = desk.delegate("Say it.", "of Oscar Venn and Quorum Nine").await;
    assert!(!answer.text.contains("Oscar") && !answer.text.contains("Quorum"), "{}", answer.text);
}

#[tokio::test]
async fn nothing_leaves_while_the_private_terms_are_not_known() {
    let desk = Desk::allowing(PII, "echo*\n").await;
    std::fs::write(desk.host.place.home().private_terms_file(), "{\"terms\": [],}").unwrap();
    let params = WorkerDelegateParams {
        call: desk.call.clone(),
        task: "Say it.".to_owned(),
        material: "about Quorum Nine".to_owned(),
        ..WorkerDelegateParams::default()
    };
    let failure = desk.host.engine.worker_delegate(&desk.agent, params).await.unwrap_err();
    assert!(failure.message.contains("private terms or rules cannot be used"), "{failure:?}");
    let ran = desk.host.engine.worker_run(&desk.agent, desk.run_params("echo about Quorum Nine")).await;
    assert!(ran.is_err() && !format!("{ran:?}").contains("Quorum"), "{ran:?}");
    let status = desk.status().await;
    assert!(status.notes.iter().any(|note| note.contains("nothing leaves until")), "{:?}", status.notes);
    terms(&desk, &["Quorum Nine"]);
    is(&desk.delegate("Say it.", "about this").await, WorkerStatusKind::Completed);
}

#[tokio::test]
async fn strict_numbers_are_telephone_numbers_without_a_word_that_says_so() {
    for (setting, is_hidden) in [("", false), ("strict_pii = true\n", true)] {
        let desk = Desk::new(&format!("[worker]\n{setting}{PII}")).await;
        let answer = desk.delegate("Say it.", "row 4155550142 is new").await;
        is(&answer, WorkerStatusKind::Completed);
        assert_eq!(!answer.text.contains("4155550142"), is_hidden, "{setting}: {}", answer.text);
    }
}
