//! What an observer of the human's own is told.

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use lwa_protocol::worker::WorkerModeParams;
use serde_json::Value;

use crate::desk::Desk;
use crate::support::Place;

const TOKEN: &str = "ghp_Zq81bVn04XwKp62LmRtZq81bVn04XwKp62Lm";

#[tokio::test]
async fn an_observer_is_told_the_beginning_the_turns_each_change_and_the_end_and_no_text() {
    let folder = tempfile::tempdir().unwrap();
    let (program, told) = (folder.path().join("observer"), folder.path().join("told"));
    std::fs::write(&program, format!("#!/bin/sh\nexec cat > '{}'\n", told.display())).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
    let config = format!(
        "[worker]\nobserver = \"exec:{}\"\n[clients.codex.worker]\narm = \"on\"\nmode = \"assist\"\n",
        program.display()
    );
    let desk = Desk::at(Place::new(&config).start().await);
    desk.delegate("Who is it?", &format!("token = {TOKEN}")).await;
    let params = WorkerModeParams { call: desk.call.clone(), mode: "pii".to_owned() };
    desk.host.engine.worker_set_mode(&desk.agent, params).await.unwrap();
    desk.host.engine.shut_down(Duration::from_secs(5)).await;

    let text = std::fs::read_to_string(&told).unwrap();
    assert!(!text.contains(TOKEN) && !text.contains("Who is it"), "{text}");
    let events: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let said: Vec<String> = events
        .iter()
        .map(|event| {
            let word = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
            format!("{} {}{}", word("event"), word("kind"), word("state"))
        })
        .collect();
    assert_eq!(said, ["start ", "event delegate", "event mode", "end stopped"], "{text}");
    assert_eq!(events[0]["attrs"]["mode"], "assist");
    assert_eq!(events[2]["attrs"]["state"], "pii");
    assert!(events.iter().all(|event| event["session"] == events[0]["session"]));
}
