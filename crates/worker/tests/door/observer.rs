//! Observers: what an event can hold, and that they neither hold up nor outlive anything.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use lwa_process::Environment;
use lwa_testkit::fake_provider::reply::Reply;
use lwa_testkit::fake_provider::{FakeProvider, Script};
use lwa_worker::memory::{SessionKey, TurnId};
use lwa_worker::observer::{
    Attr, EndState, Event, EventKind, Observer, ObserverCounts, ObserverError, QUEUE, Span, Target,
};
use rstest::rstest;
use serde_json::json;

fn session() -> SessionKey {
    "codex-1".parse().unwrap()
}

fn at() -> Timestamp {
    Timestamp::from_second(1_700_000_000).unwrap()
}

fn run_event() -> Event {
    Event::new(Span::Tool, EventKind::Run, session(), at())
        .with(Attr::Turn, TurnId::from_random([1, 2, 3]))
        .with(Attr::RawChars, 40_000_u64)
        .with(Attr::ExitCode, -1)
        .with(Attr::Seconds, Duration::from_micros(1_234_567))
        .with(Attr::IsVerbatim, false)
        .with(Attr::State, "on")
        .with_some(Attr::Artifact, None::<u64>)
}

#[test]
fn an_event_is_one_line_of_scalars() {
    let line = run_event().to_json();
    assert!(!line.contains('\n'));
    let value: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(
        value,
        json!({
            "event": "event", "session": "codex-1", "at": "2023-11-14T22:13:20Z", "span": "tool", "kind": "run",
            "attrs": {"turn": "t_010203", "raw_chars": 40_000, "rc": -1, "secs": 1.235, "verbatim": false,
                "state": "on"},
        })
    );
    let start: serde_json::Value =
        serde_json::from_str(&Event::start(session(), at()).with(Attr::Mode, "pii").to_json()).unwrap();
    assert_eq!(
        start,
        json!({"event": "start", "session": "codex-1", "at": "2023-11-14T22:13:20Z", "attrs": {"mode": "pii"}})
    );
    let end: serde_json::Value = serde_json::from_str(&Event::end(EndState::Done, session(), at()).to_json()).unwrap();
    assert_eq!(end, json!({"event": "end", "session": "codex-1", "at": "2023-11-14T22:13:20Z", "state": "done"}));
}

#[test]
fn every_word_is_there_once() {
    let mut words: Vec<&str> = Attr::ALL.iter().map(|attr| attr.as_str()).collect();
    let count = words.len();
    words.sort_unstable();
    words.dedup();
    assert_eq!(words.len(), count);
    assert_eq!(EventKind::ALL.len(), 10);
    assert_eq!(Span::ALL.len() + EndState::ALL.len(), 5);
}

#[rstest]
#[case("http://example.org/hook")]
#[case("http://192.168.1.4/hook")]
#[case("http://169.254.169.254/latest")]
#[case("http://0.0.0.0/hook")]
#[case("http://localhost.example.org/hook")]
#[case("ftp://127.0.0.1/hook")]
#[case("https://user:planted@example.org/hook")]
#[case("hook")]
#[tokio::test]
async fn an_address_that_is_neither_encrypted_nor_here_is_refused(#[case] address: &str) {
    let error = Observer::new(Target::Webhook(address.to_owned())).unwrap_err();
    assert!(matches!(error, ObserverError::Address { .. }), "{error}");
    assert!(!error.to_string().contains("planted"), "{error}");
}

#[rstest]
#[case("https://example.org/hook?token=t")]
#[case("http://127.0.0.1:9/hook")]
#[case("http://[::1]:9/hook")]
#[case("http://localhost:9/hook")]
#[tokio::test]
async fn an_address_that_is_encrypted_or_here_is_taken(#[case] address: &str) {
    assert!(Observer::new(Target::Webhook(address.to_owned())).unwrap().is_on());
}

#[tokio::test]
async fn a_webhook_gets_one_request_for_each_event() {
    let server = FakeProvider::start(Script::new().on("POST /hook", [Reply::json(200, "{}")])).unwrap();
    let observer = Observer::new(Target::Webhook(format!("{}/hook", server.base_url()))).unwrap();
    observer.tell(&Event::start(session(), at()));
    observer.tell(&run_event());
    let counts = observer.end().await;
    assert_eq!(counts, ObserverCounts { sent: 2, ..ObserverCounts::default() });
    let calls = server.calls();
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[1].json().to_string(), run_event().to_json());
    assert_eq!(calls[1].header("content-type"), Some("application/json"));
}

#[rstest]
#[case::an_error(Reply::json(500, "{}"))]
#[case::a_broken_line(Reply::reset())]
#[tokio::test]
async fn a_webhook_that_fails_is_counted_and_nothing_else(#[case] answer: Reply) {
    let server = FakeProvider::start(Script::new().on("POST /hook", [answer])).unwrap();
    let observer = Observer::new(Target::Webhook(format!("{}/hook", server.base_url()))).unwrap();
    observer.tell(&run_event());
    assert_eq!(observer.end().await, ObserverCounts { failed: 1, ..ObserverCounts::default() });
}

#[tokio::test]
async fn a_webhook_does_not_follow_a_redirect() {
    let other = FakeProvider::start(Script::new().on("POST /hook", [Reply::json(200, "{}")])).unwrap();
    let target = format!("{}/hook", other.base_url());
    let server = FakeProvider::start(Script::new().on("POST /hook", [Reply::redirect(307, &target)])).unwrap();
    let observer = Observer::new(Target::Webhook(format!("{}/hook", server.base_url()))).unwrap();
    observer.tell(&run_event());
    assert_eq!(observer.end().await.failed, 1);
    assert_eq!(other.connections(), 0);
}

#[tokio::test]
async fn a_full_queue_drops_and_counts_and_holds_nobody_up() {
    let server = FakeProvider::start(Script::new().on("POST /hook", [Reply::silence()])).unwrap();
    let observer = Observer::new(Target::Webhook(format!("{}/hook", server.base_url()))).unwrap();
    // The test never waits in between, so nothing is taken out of the queue.
    for _ in 0..QUEUE + 44 {
        observer.tell(&run_event());
    }
    assert_eq!(observer.counts(), ObserverCounts { dropped: 44, ..ObserverCounts::default() });
}

#[tokio::test]
async fn nobody_is_told_of_nothing() {
    let observer = Observer::none();
    observer.tell(&run_event());
    assert!(!observer.is_on());
    assert_eq!(observer.end().await, ObserverCounts::default());
}

fn program(folder: &Path, script: &str) -> PathBuf {
    let path = folder.join("observer.sh");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
    path
}

fn exec(path: PathBuf, folder: &Path) -> Target {
    let source = [
        ("PATH", "/usr/bin:/bin"),
        ("OUT", folder.to_str().unwrap()),
        ("OPENAI_API_KEY", "planted"),
        ("LD_PRELOAD", "/x.so"),
    ];
    let environment = Environment::cleaned(source.map(|(name, value)| (name.into(), value.into())));
    Target::Exec { path, environment }
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// Whether the process runs; one that has ended and waits for its parent does not.
fn is_running(pid: &str) -> bool {
    let Ok(line) = fs::read_to_string(format!("/proc/{}/stat", pid.trim())) else { return false };
    let state = line.rsplit_once(')').unwrap().1.trim_start().chars().next().unwrap();
    !matches!(state, 'Z' | 'X')
}

/// Looks again and again, for half a minute at most.
async fn until(mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(30), "it did not come to pass");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_program_gets_a_line_for_each_event_and_may_end_by_itself() {
    let temp = tempfile::tempdir().unwrap();
    let script =
        r#"env > "$OUT/env"; while read -r line; do echo "$line" >> "$OUT/lines"; done; echo over >> "$OUT/lines""#;
    let observer = Observer::new(exec(program(temp.path(), script), temp.path())).unwrap();
    observer.tell(&run_event());
    observer.tell(&Event::end(EndState::Done, session(), at()));
    assert_eq!(observer.end().await, ObserverCounts { sent: 2, ..ObserverCounts::default() });
    let expected =
        format!("{}\n{}\nover\n", run_event().to_json(), Event::end(EndState::Done, session(), at()).to_json());
    assert_eq!(text(&temp.path().join("lines")), expected);
    let environment = text(&temp.path().join("env"));
    assert!(environment.contains("OUT=") && !environment.contains("planted") && !environment.contains("LD_PRELOAD"));
}

#[tokio::test]
async fn nothing_is_started_before_the_first_event() {
    let temp = tempfile::tempdir().unwrap();
    let observer = Observer::new(exec(program(temp.path(), r#"echo up > "$OUT/up""#), temp.path())).unwrap();
    assert_eq!(observer.end().await, ObserverCounts::default());
    assert!(!temp.path().join("up").exists());
}

#[tokio::test]
async fn a_program_that_does_not_end_is_ended_with_all_that_it_started() {
    let temp = tempfile::tempdir().unwrap();
    let script = r#"trap '' TERM HUP; sleep 600 & echo $! > "$OUT/child"; echo $$ > "$OUT/self"; wait; sleep 600"#;
    let observer = Observer::new(exec(program(temp.path(), script), temp.path())).unwrap();
    observer.tell(&run_event());
    until(|| !text(&temp.path().join("self")).is_empty()).await;
    observer.end().await;
    for name in ["self", "child"] {
        let pid = text(&temp.path().join(name));
        until(|| !is_running(&pid)).await;
    }
}

#[tokio::test]
async fn a_dropped_observer_leaves_no_program() {
    let temp = tempfile::tempdir().unwrap();
    let script = r#"echo $$ > "$OUT/self"; sleep 600"#;
    let observer = Observer::new(exec(program(temp.path(), script), temp.path())).unwrap();
    observer.tell(&run_event());
    until(|| !text(&temp.path().join("self")).is_empty()).await;
    drop(observer);
    let pid = text(&temp.path().join("self"));
    until(|| !is_running(&pid)).await;
}

#[tokio::test]
async fn a_program_that_ended_is_started_again_after_a_pause() {
    let temp = tempfile::tempdir().unwrap();
    let script = r#"read -r line; echo $$ >> "$OUT/starts""#;
    let observer = Observer::new(exec(program(temp.path(), script), temp.path())).unwrap();
    observer.tell(&run_event());
    let starts = temp.path().join("starts");
    until(|| text(&starts).lines().count() == 1).await;
    let first = text(&starts);
    until(|| !is_running(&first)).await;
    // The line that nobody reads is lost and counted; those within the pause as well.
    observer.tell(&run_event());
    observer.tell(&run_event());
    until(|| observer.counts().failed == 2).await;
    assert_eq!(observer.counts().restarts, 0);
    until(|| {
        observer.tell(&run_event());
        observer.counts().restarts == 1
    })
    .await;
    until(|| text(&starts).lines().count() == 2).await;
}

#[tokio::test]
async fn a_program_that_cannot_be_started_fails_and_is_not_tried_at_once_again() {
    let temp = tempfile::tempdir().unwrap();
    let observer = Observer::new(exec(temp.path().join("missing"), temp.path())).unwrap();
    observer.tell(&run_event());
    observer.tell(&run_event());
    assert_eq!(observer.end().await, ObserverCounts { failed: 2, ..ObserverCounts::default() });
    let relative = Target::Exec { path: "observer.sh".into(), environment: Environment::empty() };
    assert_eq!(Observer::new(relative).unwrap_err(), ObserverError::RelativePath);
}
