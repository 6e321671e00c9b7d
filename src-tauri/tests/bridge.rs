//! The bridge against a host that the test controls.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic here is the report")]

#[path = "support/fake_host.rs"]
mod fake_host;

use std::time::Duration;

use fake_host::{FakeHost, State};
use lwa_config::Home;
use lwa_desktop_lib::{Action, Bridge, Entry, Feed, Link, Pause, Snapshot, menu_for};
use lwa_protocol::Event;
use tempfile::TempDir;
use tokio::sync::watch;
use tokio::time::timeout;

const LIMIT: Duration = Duration::from_secs(20);

struct App {
    bridge: Bridge,
    snapshots: watch::Receiver<Snapshot>,
    running: tokio::task::JoinHandle<()>,
}

impl App {
    fn start(home: &Home) -> Self {
        let bridge = Bridge::new(home.clone());
        let snapshots = bridge.snapshot();
        let running = tokio::spawn(bridge.clone().run());
        Self { bridge, snapshots, running }
    }

    async fn until(&mut self, what: impl Fn(&Snapshot) -> bool) -> Snapshot {
        let found = timeout(LIMIT, self.snapshots.wait_for(|snapshot| what(snapshot))).await;
        let found = found.ok().map(|snapshot| snapshot.unwrap().clone());
        found.unwrap_or_else(|| panic!("never came; last: {:?}", self.snapshots.borrow()))
    }
}

impl Drop for App {
    fn drop(&mut self) {
        self.running.abort();
    }
}

fn folders() -> (TempDir, Home) {
    let temp = tempfile::tempdir().unwrap();
    let home = Home::at(temp.path()).unwrap();
    (temp, home)
}

fn is_connected(snapshot: &Snapshot) -> bool {
    snapshot.link == Link::Connected
}

#[tokio::test]
async fn everything_is_read_at_the_start_and_follows_the_host() {
    let (_temp, home) = folders();
    let host = FakeHost::start(&home, State { clients: vec!["codex".into()], ..State::default() });
    let mut app = App::start(&home);
    let snapshot = app.until(is_connected).await;
    assert_eq!(snapshot.clients.len(), 1);
    assert_eq!(snapshot.spend_today.unwrap().known.to_string(), "$0.12");
    host.ask("a", "codex");
    let snapshot = app.until(|snapshot| snapshot.waiting.len() == 1).await;
    let review = Entry::Item { action: Action::Review, label: "1 waiting for you…".into() };
    assert_eq!(menu_for(&snapshot)[0], review);
    host.withdraw("a");
    app.until(|snapshot| snapshot.waiting.is_empty()).await;
    host.change(|state| state.paused_until = Some("resumed".into()));
    host.tell(Event::HostChanged);
    let snapshot = app.until(|snapshot| snapshot.pause.is_some()).await;
    assert_eq!(snapshot.pause, Some(Pause::UntilResumed));
}

#[tokio::test]
async fn after_lost_events_the_state_is_read_again() {
    let (_temp, home) = folders();
    let host = FakeHost::start(&home, State::default());
    let mut app = App::start(&home);
    app.until(is_connected).await;
    host.change(|state| state.clients.push("codex".into()));
    host.tell(Event::Lagged);
    app.until(|snapshot| snapshot.clients.len() == 1).await;
}

#[tokio::test]
async fn a_lost_host_leaves_no_old_number_and_comes_back_fresh() {
    let (_temp, home) = folders();
    let host = FakeHost::start(&home, State { clients: vec!["codex".into()], ..State::default() });
    let mut app = App::start(&home);
    host.ask("a", "codex");
    app.until(|snapshot| snapshot.waiting.len() == 1).await;
    let mut feed = app.bridge.feed();
    drop(host);
    let lost = app.until(|snapshot| matches!(snapshot.link, Link::Lost(_))).await;
    assert_eq!(lost, Snapshot::unlinked(lost.link.clone()), "something of before was kept");
    assert!(app.bridge.connection().is_none());
    let _host = FakeHost::start(&home, State::default());
    let back = app.until(is_connected).await;
    assert!(back.waiting.is_empty() && back.clients.is_empty());
    let mut states = Vec::new();
    while let Ok(message) = feed.try_recv() {
        if let Feed::Connection { state, .. } = message {
            states.push(serde_json::to_value(state).unwrap());
        }
    }
    // The reason may have changed while the host was away.
    states.dedup();
    assert_eq!(states, ["lost", "ready"]);
}

#[tokio::test]
async fn a_host_that_was_stopped_is_not_started_again_but_noticed_when_it_returns() {
    let (_temp, home) = folders();
    let host = FakeHost::start(&home, State::default());
    let mut app = App::start(&home);
    app.until(is_connected).await;
    host.tell(Event::HostStopping);
    // Once the face knows, the host may end.
    let mut feed = app.bridge.feed();
    host.tell(Event::HostStopping);
    timeout(LIMIT, async { while !matches!(feed.recv().await, Ok(Feed::Event { event: Event::HostStopping })) {} })
        .await
        .unwrap();
    drop(host);
    app.until(|snapshot| snapshot.link == Link::Stopped).await;
    let _host = FakeHost::start(&home, State::default());
    app.until(is_connected).await;
}

#[tokio::test]
async fn a_host_that_cannot_be_started_is_a_problem_with_a_way_out() {
    let (_temp, home) = folders();
    let mut app = App::start(&home);
    let snapshot = app.until(|snapshot| matches!(snapshot.link, Link::Lost(_))).await;
    let Link::Lost(trouble) = snapshot.link else { panic!("not lost") };
    assert!(trouble.fix.is_some(), "{trouble:?}");
    let _host = FakeHost::start(&home, State::default());
    app.until(is_connected).await;
}

#[tokio::test]
async fn a_host_that_takes_the_app_for_an_agent_is_a_problem_with_a_way_out() {
    let (_temp, home) = folders();
    let _host = FakeHost::start(&home, State { distrusts: true, ..State::default() });
    let mut app = App::start(&home);
    let snapshot = app.until(|snapshot| matches!(snapshot.link, Link::Lost(_))).await;
    let Entry::Line(what) = &menu_for(&snapshot)[0] else { panic!("no line") };
    assert_eq!(what, "The host does not know this program as its app");
    assert!(app.bridge.connection().is_none());
}
