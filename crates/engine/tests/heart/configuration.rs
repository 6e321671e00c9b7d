//! Edits of the file: tightening at once, loosening by a human, and only what that human saw.

use std::time::Duration;

use lwa_domain::{ErrorCode, Outcome};
use lwa_protocol::Role;
use lwa_protocol::approval::{Answer, ApprovalDetail, ApprovalItem, DecideParams};
use lwa_protocol::configuration::ConfigSetParams;
use rstest::rstest;
use serde_json::json;
use sqlx::Connection;

use crate::support::{Host, agent, app, minutes, of_the_agent, terminal, what_waits};

const STRICT: &str = "[router]\nallow_paid = false\nconsent_mode = \"always_ask\"\n";
const LOOSE: &str = "[router]\nallow_paid = true\nconsent_mode = \"always_ask\"\n";
const LOOSER: &str = "[router]\nallow_paid = true\nconsent_mode = \"automatic\"\n";

/// A host with an edit that waits, and the question about it.
async fn edited(text: &str) -> (Host, ApprovalItem) {
    let host = Host::new(STRICT).await;
    host.place.write_config(text);
    host.engine.sweep().await;
    let question = host.open_questions().await.pop().expect("a loosening edit is asked about");
    (host, question)
}

/// The keys that a question shows.
fn keys(question: &ApprovalItem) -> Vec<&str> {
    let ApprovalDetail::PolicyChange(change) = &question.detail else { panic!("{question:?}") };
    change.changes.iter().map(|line| line.key.as_str()).collect()
}

async fn reopened(host: Host) -> Host {
    host.engine.shut_down(Duration::from_secs(5)).await;
    let host = Host { engine: host.place.open().await, ..host };
    host.engine.sweep().await;
    host
}

#[tokio::test]
async fn a_looser_setting_waits_and_is_in_force_once_allowed() {
    let (host, question) = edited(LOOSE).await;
    assert_eq!((host.value("router.allow_paid"), keys(&question)), (json!(false), vec!["router.allow_paid"]));
    host.decide(&app(), &question.id, Answer::AllowAlways).await.unwrap();
    assert_eq!(host.value("router.allow_paid"), json!(true));
    assert_eq!(host.audit("config.accepted").await, 1);
    let host = reopened(host).await;
    assert_eq!(host.value("router.allow_paid"), json!(true));
    assert!(host.open_questions().await.is_empty());
}

#[tokio::test]
async fn a_refused_edit_changes_nothing_and_is_not_asked_about_again() {
    let (host, question) = edited(LOOSE).await;
    host.decide(&app(), &question.id, Answer::Deny).await.unwrap();
    host.engine.sweep().await;
    assert_eq!(host.value("router.allow_paid"), json!(false));
    assert!(host.open_questions().await.is_empty());
    // Neither a touch, nor a comment, nor a restart asks about the same edit again.
    host.place.write_config(LOOSE);
    host.engine.sweep().await;
    host.place.write_config(&format!("# again\n{LOOSE}"));
    host.engine.sweep().await;
    let host = reopened(host).await;
    assert!(host.open_questions().await.is_empty(), "the human said no to this already");
    assert_eq!(host.value("router.allow_paid"), json!(false));
    // Another edit is another question.
    host.place.write_config(LOOSER);
    host.engine.sweep().await;
    let question = host.open_questions().await.pop().unwrap();
    assert_eq!(keys(&question).len(), 2);
    // An edit that was taken back and comes again is asked about again.
    host.place.write_config(STRICT);
    host.engine.sweep().await;
    assert!(host.open_questions().await.is_empty());
    host.place.write_config(LOOSE);
    host.engine.sweep().await;
    assert_eq!(host.open_questions().await.len(), 1);
}

#[tokio::test]
async fn an_edit_that_nobody_answers_stays_out_of_force() {
    let (host, _) = edited(LOOSE).await;
    host.pass(minutes(10)).await;
    assert_eq!(host.questions().await[0].outcome, Some(Outcome::TimedOut));
    assert_eq!(host.value("router.allow_paid"), json!(false));
}

#[tokio::test]
async fn an_edit_whose_host_restarts_is_asked_about_again() {
    let (host, first) = edited(LOOSE).await;
    let host = reopened(host).await;
    let second = loop {
        // The new host asks by itself, a moment after it started.
        match host.open_questions().await.pop() {
            Some(question) => break question,
            None => tokio::task::yield_now().await,
        }
    };
    assert_ne!(first.id, second.id);
    assert!(host.decide(&app(), &first.id, Answer::AllowAlways).await.is_err());
    assert_eq!(host.value("router.allow_paid"), json!(false));
}

#[tokio::test]
async fn the_agents_own_yes_to_an_edit_does_not_count() {
    let (host, question) = edited(LOOSE).await;
    // The file has no asker; whoever has a connected sidecar is suspect.
    let sidecar = host.engine.attend(&agent(), "test");
    for role in [Role::App, Role::Cli] {
        let refused = host.decide(&of_the_agent(role), &question.id, Answer::AllowAlways).await.unwrap_err();
        assert_eq!(refused.code, ErrorCode::Forbidden);
        let refused = host.engine.accept_configuration(&of_the_agent(role), &what_waits(&host)).await.unwrap_err();
        assert_eq!(refused.code, ErrorCode::Forbidden);
    }
    drop(sidecar);
    assert_eq!(host.value("router.allow_paid"), json!(false));
}

#[tokio::test]
async fn a_file_that_changed_again_withdraws_the_question_about_its_first_change() {
    let (host, first) = edited(LOOSE).await;
    host.place.write_config(LOOSER);
    host.engine.sweep().await;
    let open = host.open_questions().await;
    assert_eq!(open.len(), 1);
    assert_eq!(keys(&open[0]).len(), 2);
    let late = host.decide(&app(), &first.id, Answer::AllowAlways).await.unwrap_err();
    assert!(late.message.contains("withdrawn"), "{late}");
    assert_eq!(
        (host.value("router.allow_paid"), host.value("router.consent_mode")),
        (json!(false), json!("always_ask"))
    );
}

/// Which of the two comes first, when an answer and another edit cross.
#[derive(Debug, Clone, Copy)]
enum First {
    Edit,
    Answer,
}

#[rstest]
#[case(First::Edit)]
#[case(First::Answer)]
#[tokio::test]
async fn a_yes_that_crosses_another_edit_never_lets_through_what_was_not_shown(#[case] first: First) {
    let (host, question) = edited(LOOSE).await;
    // While somebody else writes to the database, whatever is begun stops before it is kept.
    let url = format!("sqlite://{}", host.place.home().database().display());
    let mut database = sqlx::SqliteConnection::connect(&url).await.unwrap();
    sqlx::query("BEGIN IMMEDIATE").execute(&mut database).await.unwrap();
    let edit = || {
        host.place.write_config(LOOSER);
        let engine = host.engine.clone();
        tokio::spawn(async move { engine.sweep().await })
    };
    let answer = || {
        let (engine, id) = (host.engine.clone(), question.id.clone());
        let params = DecideParams { id, answer: Answer::AllowAlways, reason: None, code: None, variant: None };
        tokio::spawn(async move { engine.decide(&app(), &params).await })
    };
    let (edit, answer) = match first {
        First::Edit => {
            let edit = edit();
            // Until the edit is known and not yet asked about.
            while host.engine.show_configuration().unwrap().pending.len() < 2 {
                tokio::task::yield_now().await;
            }
            let answer = answer();
            a_while().await;
            (edit, answer)
        }
        First::Answer => {
            let answer = answer();
            a_while().await;
            let edit = edit();
            a_while().await;
            (edit, answer)
        }
    };
    sqlx::query("COMMIT").execute(&mut database).await.unwrap();
    edit.await.unwrap();
    let answer = answer.await.unwrap();
    host.engine.sweep().await;
    assert_eq!(answer.is_ok(), matches!(first, First::Answer), "{answer:?}");
    assert_eq!(host.value("router.consent_mode"), json!("always_ask"));
    assert_eq!(host.value("router.allow_paid"), json!(answer.is_ok()));
    let open = host.open_questions().await;
    assert_eq!(open.len(), 1, "what was not shown is asked about");
}

/// Lets everything that can go on do so: reads of the database and of the file take turns of this loop.
async fn a_while() {
    for _ in 0..5000 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_file_that_is_being_written_is_not_taken_for_one_that_means_less() {
    let host = Host::new(LOOSE).await;
    // What a host does at its start is over then.
    host.engine.sweep().await;
    assert_eq!(host.value("router.allow_paid"), json!(true));
    // An editor empties the file and then writes it; the host looks in between.
    std::fs::write(host.place.config_file(), "").unwrap();
    let engine = host.engine.clone();
    let looking = tokio::spawn(async move { engine.sweep().await });
    for _ in 0..5 {
        tokio::task::yield_now().await;
    }
    std::fs::write(host.place.config_file(), format!("# mine\n{LOOSE}")).unwrap();
    looking.await.unwrap();
    assert_eq!(host.value("router.allow_paid"), json!(true), "a moment's emptiness tightened nothing");
    assert!(host.questions().await.is_empty());
}

#[tokio::test]
async fn a_second_edit_of_the_same_size_within_the_same_tick_is_seen() {
    let host = Host::new("[app]\napproval_minutes = 11\n").await;
    for minutes in [12, 13, 14, 15] {
        std::fs::write(host.place.config_file(), format!("[app]\napproval_minutes = {minutes}\n")).unwrap();
        let params = json!({});
        // Whatever call comes next sees it.
        host.engine.call(&agent(), "router/status", params, None).await.unwrap();
        assert_eq!(host.value("app.approval_minutes"), json!(minutes));
    }
}

#[tokio::test]
async fn an_edit_with_the_old_size_and_time_is_seen() {
    let host = Host::new("[app]\napproval_minutes = 11\n").await;
    let path = host.place.config_file();
    // Old enough for its stamp to be trusted.
    let long_ago = std::time::SystemTime::now() - Duration::from_hours(1);
    let set_time = || std::fs::File::options().write(true).open(&path).unwrap().set_modified(long_ago).unwrap();
    set_time();
    host.engine.sweep().await;
    std::fs::write(&path, "[app]\napproval_minutes = 22\n").unwrap();
    set_time();
    host.engine.sweep().await;
    assert_eq!(host.value("app.approval_minutes"), json!(22));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_call_that_begins_after_a_tightening_edit_feels_it() {
    for _ in 0..10 {
        let host = Host::new("").await;
        host.place.write_config("[router]\nconsent_mode = \"always_ask\"\n");
        let calls: Vec<_> = (0..8)
            .map(|_| {
                let engine = host.engine.clone();
                let params = json!({ "task": "token_optimization", "prompt": "Please check port 8443." });
                tokio::spawn(async move { engine.call(&agent(), "plan/prepare", params, None).await.unwrap() })
            })
            .collect();
        for call in calls {
            assert_eq!(call.await.unwrap()["requires_confirmation"], true);
        }
    }
}

#[tokio::test]
async fn a_broken_file_keeps_the_last_good_one_and_a_repaired_one_is_read() {
    let host = Host::new(STRICT).await;
    host.place.write_config("[router]\nallow_paid = tru");
    host.engine.sweep().await;
    let status = host.engine.status().await.unwrap();
    assert!(status.config.error.is_some() && !status.config.is_in_force);
    assert_eq!(host.value("router.consent_mode"), json!("always_ask"));
    host.place.write_config(STRICT);
    host.engine.sweep().await;
    assert!(host.engine.status().await.unwrap().config.is_in_force);
}

#[tokio::test]
async fn what_was_accepted_by_a_version_with_other_keys_does_not_let_the_file_through() {
    let host = Host::new(STRICT).await;
    host.engine.shut_down(Duration::from_secs(5)).await;
    let db = lwa_store::Db::open(&host.place.home().database()).await.unwrap();
    let now = "2026-06-15T12:00:00Z".parse().unwrap();
    db.set_setting("config.accepted", Some("[router]\nkey_of_another_version = 1\n"), now).await.unwrap();
    db.close().await;
    host.place.write_config(LOOSER);
    let host = Host { engine: host.place.open().await, ..host };
    assert_eq!(host.value("router.allow_paid"), json!(false));
    assert_ne!(host.value("router.consent_mode"), json!("automatic"));
}

#[tokio::test]
async fn accepting_in_a_terminal_ends_the_question_and_says_how() {
    let (host, question) = edited(LOOSE).await;
    let accepted = host.engine.accept_configuration(&terminal(), &what_waits(&host)).await.unwrap().accepted;
    assert_eq!(accepted.len(), 1);
    let ended = host.questions().await.into_iter().find(|item| item.id == question.id).unwrap();
    assert_eq!(ended.outcome, Some(Outcome::Withdrawn));
    assert!(ended.outcome_reason.unwrap().contains("accepted in a terminal"));
}

#[tokio::test]
async fn a_value_that_a_person_sets_is_in_force_at_once_and_in_the_audit_log() {
    let (host, _) = edited(LOOSER).await;
    let params = ConfigSetParams { key: "router.allow_paid".to_owned(), value: json!(true) };
    host.engine.set_configuration(&app(), &params).await.unwrap();
    assert_eq!(
        (host.value("router.allow_paid"), host.value("router.consent_mode")),
        (json!(true), json!("always_ask"))
    );
    assert_eq!(host.audit("config.set").await, 1);
    let open = host.open_questions().await;
    assert_eq!((open.len(), keys(&open[0])), (1, vec!["router.consent_mode"]), "the rest still waits");
}

#[tokio::test]
async fn nobody_accepts_edits_that_were_not_shown() {
    let (host, _question) = edited(LOOSE).await;
    let shown = what_waits(&host);
    host.place.write_config(LOOSER);
    host.engine.sweep().await;
    let refused = host.engine.accept_configuration(&terminal(), &shown).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::InvalidInput);
    assert_eq!(host.value("router.allow_paid"), json!(false));
    host.engine.accept_configuration(&terminal(), &what_waits(&host)).await.unwrap();
    assert_eq!(host.value("router.allow_paid"), json!(true));
}
