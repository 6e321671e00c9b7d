//! What a conversation remembers.

use lwa_protocol::worker::{HookParams, WorkerCompactParams, WorkerStatusKind};

use crate::desk::{Desk, ON, is};

#[tokio::test]
async fn compacting_turns_the_turns_into_a_summary() {
    let desk = Desk::new(ON).await;
    desk.delegate("What is the port?", "the service listens on port 8443").await;
    desk.delegate("What is the path?", "the log is at /var/log/demo.log").await;
    assert_eq!(desk.status().await.turns_since_compaction, 2);
    let params = WorkerCompactParams { call: desk.call.clone(), reason: "asked".to_owned() };
    let answer = desk.host.engine.worker_compact(&desk.agent, params.clone()).await.unwrap();
    is(&answer, WorkerStatusKind::Completed);
    let status = desk.status().await;
    assert_eq!((status.turns_since_compaction, status.compactions), (0, 1));
    assert!(status.summary.contains("8443"), "{}", status.summary);
    let again = desk.host.engine.worker_compact(&desk.agent, params).await.unwrap();
    assert!(again.text.contains("no new turns"), "{}", again.text);
}

#[tokio::test]
async fn a_hook_of_the_client_compacts_its_own_conversation() {
    let desk = Desk::new(ON).await;
    desk.delegate("What is the port?", "the service listens on port 8443").await;
    let hook = HookParams {
        client: "codex".to_owned(),
        event: "PreCompact".to_owned(),
        session_id: "thread-1".to_owned(),
        trigger: Some("auto".to_owned()),
        ..HookParams::default()
    };
    let taken =
        desk.host.engine.hook_event(&crate::support::of_the_agent(lwa_protocol::Role::Cli), &hook).await.unwrap();
    assert!(taken.is_taken);
    let mut waited = 0;
    while desk.status().await.compactions == 0 {
        waited += 1;
        assert!(waited < 5_000, "the memory was not compacted");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_conversation_goes_on_after_a_restart() {
    let desk = Desk::new(ON).await;
    let first = desk.delegate("Who?", "token = ghp_Zq81bVn04XwKp62LmRtZq81bVn04XwKp62Lm").await;
    assert!(first.text.contains("[SECRET-1]"), "{}", first.text);
    desk.host.engine.shut_down(std::time::Duration::from_secs(5)).await;
    let engine = desk.host.place.open().await;
    let params = lwa_protocol::worker::WorkerDelegateParams {
        call: desk.call.clone(),
        task: "Again?".to_owned(),
        material: "token = ghp_Zq81bVn04XwKp62LmRtZq81bVn04XwKp62Lm\ntoken = ghp_Aa11bVn04XwKp62LmRtZq81bVn04XwKp62Lm"
            .to_owned(),
        ..Default::default()
    };
    let again = engine.worker_delegate(&desk.agent, params).await.unwrap();
    assert!(again.text.contains("[SECRET-1]") && again.text.contains("[SECRET-2]"), "{}", again.text);
    engine.shut_down(std::time::Duration::from_secs(5)).await;
}
