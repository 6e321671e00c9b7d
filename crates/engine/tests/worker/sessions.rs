//! Whose conversation is whose, and what people can do with one.

use lwa_protocol::configuration::ConfigSetParams;
use lwa_protocol::doctor::DoctorParams;
use lwa_protocol::worker::{
    ExpiringParams, GivenBefore, PurgeWhat, ReserveParams, SessionRef, WorkerArmParams, WorkerPurgeParams,
    WorkerSessionParams, WorkerStatusKind,
};

use crate::desk::{Desk, ON, call, is};
use crate::support::{app, of_the_agent};

const TOKEN: &str = "ghp_Zq81bVn04XwKp62LmRtZq81bVn04XwKp62Lm";

#[tokio::test]
async fn pg_11_conversations_share_no_values() {
    let mut desk = Desk::new(ON).await;
    let first = desk.delegate("Who?", &format!("token = {TOKEN}")).await;
    assert!(first.text.contains("[SECRET-1]"), "{}", first.text);
    let reference = first.facts.reference.unwrap();
    desk.call = call(&desk.project, "thread-2");
    let other = desk.delegate("Say it.", "what is [SECRET-1] in this conversation?").await;
    assert!(!other.text.contains(TOKEN), "{}", other.text);
    assert!(desk.status().await.placeholders.is_empty());
    let slice = desk.slice(&reference, 0, 100).await;
    is(&slice, WorkerStatusKind::Failed);
}

#[tokio::test]
async fn w_16_what_a_connection_had_goes_along_when_its_conversation_gets_a_name() {
    let mut desk = Desk::new(ON).await;
    desk.call.session.clear();
    let first = desk.delegate("Who?", &format!("token = {TOKEN}")).await;
    assert!(first.text.contains("[SECRET-1]"), "{}", first.text);
    let reference = first.facts.reference.unwrap();
    desk.call.session = vec![SessionRef::Thread("thread-9".to_owned())];
    let again = desk.delegate("And?", &format!("once more {TOKEN}")).await;
    assert!(again.text.contains("[SECRET-1]"), "the placeholder stays: {}", again.text);
    is(&desk.slice(&reference, 0, 100).await, WorkerStatusKind::Completed);
    assert_eq!(desk.status().await.turns_total, 2);
    let sessions = desk.host.engine.list_worker_sessions().await.unwrap().sessions;
    assert_eq!(sessions.len(), 1);
}

#[tokio::test]
async fn a_person_switches_a_session_off_and_it_stays_off() {
    let desk = Desk::new(ON).await;
    desk.delegate("Who?", "a line").await;
    let key = desk.status().await.session_key;
    let arm = |is_on| WorkerArmParams { key: key.clone(), is_on };
    let refused = desk.host.engine.arm_worker_session(&of_the_agent(lwa_protocol::Role::Cli), &arm(true)).await;
    assert!(refused.is_err(), "an agent's own shell is no human");
    desk.host.engine.arm_worker_session(&app(), &arm(false)).await.unwrap();
    let answer = desk.delegate("Who?", "a line").await;
    is(&answer, WorkerStatusKind::Refused);
    desk.host.engine.arm_worker_session(&app(), &arm(true)).await.unwrap();
    is(&desk.delegate("Who?", "a line").await, WorkerStatusKind::Completed);
}

#[tokio::test]
async fn purging_counts_first_and_then_removes_every_trace() {
    let desk = Desk::new(ON).await;
    let first = desk.delegate("Who?", &format!("token = {TOKEN}")).await;
    let key = desk.status().await.session_key;
    let purge = |what, dry_run| WorkerPurgeParams { key: Some(key.clone()), what, before: None, dry_run };
    let counted = desk.host.engine.purge_worker(&app(), &purge(PurgeWhat::Session, true)).await.unwrap();
    assert_eq!((counted.sessions, counted.artifacts), (1, 1));
    assert_eq!(desk.status().await.turns_total, 1, "counting removes nothing");
    desk.host.engine.purge_worker(&app(), &purge(PurgeWhat::Placeholders, false)).await.unwrap();
    let after = desk.delegate("Who?", "token = ghp_Bb22bVn04XwKp62LmRtZq81bVn04XwKp62Lm").await;
    assert!(after.text.contains("[SECRET-2]"), "an old placeholder never gets another value: {}", after.text);
    desk.host.engine.purge_worker(&app(), &purge(PurgeWhat::Session, false)).await.unwrap();
    let gone = desk.host.engine.show_worker_session(&WorkerSessionParams { key: key.clone() }).await.unwrap_err();
    assert!(gone.message.contains("there is no session"));
    let slice = desk.slice(&first.facts.reference.unwrap(), 0, 100).await;
    is(&slice, WorkerStatusKind::Failed);
    for (name, content) in desk.files(true) {
        assert!(!String::from_utf8_lossy(&content).contains(TOKEN), "{name}");
    }
}

#[tokio::test]
async fn w_15_two_windows_of_one_conversation_share_one_state_and_lose_nothing() {
    let desk = Desk::new(ON).await;
    let other = crate::support::agent();
    let _second = desk.host.engine.attend(&other, "test");
    let material = |letter: char| format!("token = ghp_{}", letter.to_string().repeat(18) + "1bVn04XwKp62LmRtZq");
    let work = |caller: &lwa_engine::caller::Caller, letter| {
        let params = lwa_protocol::worker::WorkerDelegateParams {
            call: desk.call.clone(),
            task: "Who?".to_owned(),
            material: material(letter),
            ..Default::default()
        };
        let (engine, caller) = (desk.host.engine.clone(), caller.clone());
        async move { engine.worker_delegate(&caller, params).await.unwrap() }
    };
    let (a, b, c, d) =
        tokio::join!(work(&desk.agent, 'a'), work(&other, 'b'), work(&desk.agent, 'c'), work(&other, 'd'));
    let mut placeholders: Vec<String> = [a, b, c, d]
        .iter()
        .map(|answer| {
            is(answer, WorkerStatusKind::Completed);
            let at = answer.text.find("[SECRET-").unwrap();
            answer.text[at..at + 10].to_owned()
        })
        .collect();
    placeholders.sort();
    placeholders.dedup();
    assert_eq!(placeholders.len(), 4, "no placeholder stands for two values");
    let status = desk.status().await;
    assert_eq!((status.turns_total, status.placeholders["SECRET"]), (4, 4));
    let arm = WorkerArmParams { key: status.session_key, is_on: false };
    desk.host.engine.arm_worker_session(&app(), &arm).await.unwrap();
    is(&work(&other, 'e').await, WorkerStatusKind::Refused);
}

#[tokio::test]
async fn w_17_a_client_that_names_nothing_gets_nothing_of_an_older_one() {
    let mut desk = Desk::new(ON).await;
    desk.call.session.clear();
    let first = desk.delegate("Who?", &format!("token = {TOKEN}")).await;
    assert!(first.text.contains("[SECRET-1]"), "{}", first.text);
    // The same program in a process with the same id, as the system may give it again.
    desk.agent = crate::support::agent();
    let status = desk.status().await;
    assert_eq!(status.turns_total, 0);
    assert!(status.placeholders.is_empty());
    is(&desk.slice(&first.facts.reference.unwrap(), 0, 100).await, WorkerStatusKind::Failed);
}

#[tokio::test]
async fn w_25_and_w_28_what_is_kept_is_private_and_goes_when_its_time_is_over() {
    use std::os::unix::fs::PermissionsExt;
    let config = format!("[worker]\nartifact_days = 2\nsession_days = 30\n{ON}");
    let mut desk = Desk::new(&config).await;
    let first = desk.delegate("Who?", "some material").await;
    let folder = desk.host.place.home().artifacts_folder();
    let mut seen = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let session = entry.unwrap().path();
        assert_eq!(session.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        for file in std::fs::read_dir(session).unwrap() {
            assert_eq!(file.unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o600);
            seen += 1;
        }
    }
    assert!(seen >= 2, "the text and its facts");
    desk.host.pass(crate::support::minutes(60 * 24 + 1)).await;
    is(&desk.slice(&first.facts.reference.clone().unwrap(), 0, 100).await, WorkerStatusKind::Completed);
    desk.host.pass(crate::support::minutes(60 * 24 + 1)).await;
    is(&desk.slice(&first.facts.reference.unwrap(), 0, 100).await, WorkerStatusKind::Failed);
    assert_eq!(desk.host.engine.list_worker_sessions().await.unwrap().sessions.len(), 1);
    desk.host.pass(crate::support::minutes(60 * 24 * 31)).await;
    assert_eq!(desk.host.engine.list_worker_sessions().await.unwrap().sessions.len(), 1, "it is in use");
    desk.sidecar = None;
    desk.host.pass(crate::support::minutes(1)).await;
    assert!(desk.host.engine.list_worker_sessions().await.unwrap().sessions.is_empty());
    assert!(desk.host.audit("worker.expired").await >= 2);
}

#[tokio::test]
async fn what_a_shorter_limit_by_age_removes_is_announced_for_a_day_and_a_longer_one_holds_at_once() {
    let hours = |count: i64| crate::support::minutes(60 * count);
    let mut desk = Desk::new(ON).await;
    let first = desk.delegate("Who?", "some material").await.facts.reference.unwrap();
    assert_eq!(desk.status().await.expiring, None, "no limit is set");
    desk.sidecar = None;
    desk.host.pass(hours(24 * 10)).await;
    let expiring = |params: ExpiringParams| desk.host.engine.worker_expiring(params);
    let thought = ExpiringParams { artifact_days: Some(5), session_days: Some(0) };
    let thought = expiring(thought).await.unwrap();
    assert_eq!((thought.sessions, thought.artifacts, thought.at.is_some()), (0, 1, true), "{thought:?}");
    // The limit is there and at first only announced.
    let config = |days: u32| desk.host.place.write_config(&format!("[worker]\nsession_days = {days}\n{ON}"));
    config(5);
    for _ in 0..2 {
        desk.host.pass(hours(2)).await;
    }
    let sessions = || async { desk.host.engine.list_worker_sessions().await.unwrap().sessions.len() };
    assert_eq!(sessions().await, 1);
    let announced = expiring(ExpiringParams::default()).await.unwrap();
    assert_eq!((announced.sessions, announced.artifacts, announced.session_days), (1, 1, 5), "{announced:?}");
    assert!(announced.bytes > 0 && announced.at.is_some(), "{announced:?}");
    let diagnosis = desk.host.engine.diagnose(&DoctorParams::default()).await.unwrap();
    let check = diagnosis.checks.iter().find(|check| check.id == "worker_limits").unwrap();
    assert!(check.detail.contains("remove 1 conversations and 1 materials at"), "{}", check.detail);
    assert_eq!(desk.host.audit("worker.limit_announced").await, 1);
    // A longer one holds as soon as a human set it, and nothing goes.
    let longer = ConfigSetParams { key: "worker.session_days".to_owned(), value: 50.into() };
    desk.host.engine.set_configuration(&app(), &longer).await.unwrap();
    desk.host.pass(hours(48)).await;
    assert_eq!(sessions().await, 1);
    assert_eq!(expiring(ExpiringParams::default()).await.unwrap().at, None);
    // The notice begins anew, and ends after a day.
    config(6);
    desk.host.pass(hours(1)).await;
    desk.host.pass(hours(23)).await;
    assert_eq!(sessions().await, 1);
    desk.host.pass(hours(1)).await;
    assert_eq!(sessions().await, 0);
    is(&desk.slice(&first, 0, 100).await, WorkerStatusKind::Failed);
}

#[tokio::test]
async fn placeholders_that_an_older_worker_gave_are_not_given_again_in_its_conversation() {
    let desk = Desk::new(ON).await;
    let given = |session: &str, placeholders: &[&str]| GivenBefore {
        client: Some("codex".to_owned()),
        session: session.to_owned(),
        placeholders: placeholders.iter().map(|one| (*one).to_owned()).collect(),
    };
    let conversations =
        vec![given("thread-1", &["[SECRET-7]", "[OTHER]", "[SECRET-4000000000]"]), given("../x", &["[SECRET-9]"])];
    let params = ReserveParams { conversations };
    let reserved = desk.host.engine.reserve_given(&app(), &params).await.unwrap();
    assert_eq!(reserved.conversations, 1, "what is no conversation is passed over");
    let first = desk.delegate("Who?", &format!("token = {TOKEN}")).await;
    assert!(first.text.contains("[SECRET-8]"), "{}", first.text);
    // The same once more changes nothing.
    desk.host.engine.reserve_given(&app(), &params).await.unwrap();
    let again = desk.delegate("Who again?", &format!("token = {TOKEN}")).await;
    assert!(again.text.contains("[SECRET-8]"), "{}", again.text);
    // More than before: what both products gave means two values to the client, so that it stands for none.
    let params = ReserveParams { conversations: vec![given("thread-1", &["[SECRET-20]"])] };
    desk.host.engine.reserve_given(&app(), &params).await.unwrap();
    let other = TOKEN.replace("Zq81", "Xy90");
    let second = desk.delegate("Who else?", &format!("token = {other}")).await;
    assert!(second.text.contains("[SECRET-22]"), "{}", second.text);
    let renamed = desk.delegate("Who then?", &format!("token = {TOKEN}")).await;
    assert!(renamed.text.contains("[SECRET-21]"), "{}", renamed.text);
    let elsewhere = desk.host.engine.reserve_given(&of_the_agent(lwa_protocol::Role::Cli), &params).await;
    assert_eq!(elsewhere.unwrap_err().code, lwa_domain::ErrorCode::Forbidden);
}

#[tokio::test]
async fn w_27_looking_writes_nothing() {
    let desk = Desk::new(ON).await;
    desk.status().await;
    assert!(!desk.host.place.home().artifacts_folder().join("codex.thread-1").exists());
    assert!(!desk.host.place.home().run_allow_file().exists());
}

#[tokio::test]
async fn a_purge_leaves_no_file_of_the_conversation_whether_a_row_knows_of_it_or_not() {
    let desk = Desk::new(ON).await;
    desk.delegate("Who?", "a line of text").await;
    let key = desk.status().await.session_key;
    let home = desk.host.place.home();
    let folder = std::fs::read_dir(home.artifacts_folder()).unwrap().next().unwrap().unwrap().path();
    std::fs::write(folder.join("a_orphan.part"), "raw output").unwrap();
    std::fs::write(folder.join("a_orphan.txt"), "raw text").unwrap();
    let params = WorkerPurgeParams { key: Some(key), what: PurgeWhat::Session, before: None, dry_run: false };
    let purged = desk.host.engine.purge_worker(&app(), &params).await.unwrap();
    assert!(!folder.exists());
    assert_eq!(purged.artifacts, 3, "the orphans count as well");
}

#[tokio::test]
async fn what_a_host_that_died_wrote_down_half_is_removed_and_what_is_stored_stays() {
    let desk = Desk::new(ON).await;
    let first = desk.delegate("Who?", "a line of text").await;
    let folder = std::fs::read_dir(desk.host.place.home().artifacts_folder()).unwrap().next().unwrap().unwrap().path();
    let left = folder.join("a_00000000.part");
    std::fs::write(&left, "raw output").unwrap();
    desk.host.engine.remove_what_was_left().await.unwrap();
    assert!(!left.exists());
    is(&desk.slice(&first.facts.reference.unwrap(), 0, 100).await, WorkerStatusKind::Completed);
}

#[tokio::test]
async fn a_question_of_a_terminal_ends_with_it() {
    let desk = Desk::new(ON).await;
    let terminal = crate::support::terminal();
    let attendance = desk.host.engine.attend(&terminal, "test");
    let mut params = desk.run_params("touch late");
    params.call.session = vec![SessionRef::Named("mine".to_owned())];
    let mut human = desk.human();
    let leaving = async {
        let question = human.next_question().await;
        drop(attendance);
        question
    };
    let work = async {
        // The worker is not on for terminals here, so the first question may be that one.
        desk.host.engine.worker_run(&terminal, params).await
    };
    let (answer, question) = tokio::join!(work, leaving);
    assert_ne!(answer.unwrap().status, WorkerStatusKind::Completed);
    let open = desk.host.open_questions().await;
    assert!(open.iter().all(|other| other.id != question.id), "it is open still");
    assert!(desk.host.decide(&app(), &question.id, lwa_protocol::approval::Answer::AllowOnce).await.is_err());
    assert!(!desk.project.path().join("late").exists());
}
