//! The socket: peers that leave, that do not read, that ask too much.

use std::time::Duration;

use lwa_domain::{ClientName, Outcome};
use lwa_engine::{ServeOptions, serve};
use lwa_protocol::frame::{self, FaceFrame, HostFrame};
use lwa_protocol::host::ClientInfo;
use lwa_protocol::{Hello, PROTOCOL, Role};
use serde_json::{Value, json};
use tokio::io::{BufReader, ReadHalf, WriteHalf};
use tokio::net::UnixStream;
use tokio_util::sync::CancellationToken;

use crate::support::{ALWAYS_ASK, Host, agent, app, approve, id};

/// A face that speaks frames by hand.
struct Face {
    reader: BufReader<ReadHalf<UnixStream>>,
    writer: WriteHalf<UnixStream>,
}

impl Face {
    async fn connect(host: &Host) -> Self {
        let stream = UnixStream::connect(host.place.home().socket()).await.unwrap();
        let (reader, writer) = tokio::io::split(stream);
        let mut face = Self { reader: BufReader::new(reader), writer };
        let client = ClientInfo { name: ClientName::new("test"), version: None, cwd: None };
        face.send(&FaceFrame::Hello(Hello {
            protocol: PROTOCOL,
            product: "test".to_owned(),
            role: Role::Sidecar,
            client,
        }))
        .await;
        assert!(matches!(face.receive().await, Some(HostFrame::Welcome(_))));
        face
    }

    async fn send(&mut self, frame: &FaceFrame) {
        frame::write(&mut self.writer, frame).await.unwrap();
    }

    async fn call(&mut self, id: u64, method: &str, params: Value) {
        self.send(&FaceFrame::Call { id, method: method.to_owned(), params }).await;
    }

    async fn receive(&mut self) -> Option<HostFrame> {
        frame::read(&mut self.reader, &mut Vec::new()).await.unwrap()
    }
}

/// A host that listens, until the token is cancelled.
async fn serving(config: &str) -> (Host, CancellationToken, tokio::task::JoinHandle<()>) {
    let host = Host::new(config).await;
    let stop = CancellationToken::new();
    let options = ServeOptions { socket: host.place.home().socket(), idle_exit: None, stop: stop.clone() };
    let engine = host.engine.clone();
    let (ready, is_ready) = tokio::sync::oneshot::channel();
    let served = tokio::spawn(async move {
        serve(&engine, &options, || ready.send(()).unwrap()).await.unwrap();
    });
    is_ready.await.unwrap();
    (host, stop, served)
}

#[tokio::test]
async fn a_session_whose_client_left_loses_its_questions_after_a_while() {
    let host = Host::new(ALWAYS_ASK).await;
    let agent = agent();
    let sidecar = host.engine.attend(&agent, "test");
    let plan = host.prepare(&agent).await;
    host.approve(&agent, &plan).await.unwrap();
    drop(sidecar);
    tokio::task::yield_now().await;
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(59)).await;
    tokio::time::resume();
    assert_eq!(host.open_questions().await.len(), 1);
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(2)).await;
    tokio::time::resume();
    while !host.open_questions().await.is_empty() {
        tokio::task::yield_now().await;
    }
    let ended = &host.questions().await[0];
    assert_eq!(ended.outcome, Some(Outcome::Withdrawn));
    assert!(ended.outcome_reason.as_deref().unwrap().contains("client that asked has ended"));
}

#[tokio::test]
async fn a_client_that_came_back_and_waits_again_keeps_its_question() {
    let host = Host::new(ALWAYS_ASK).await;
    let (before, after) = (agent(), agent());
    let sidecar = host.engine.attend(&before, "test");
    let plan = host.prepare(&before).await;
    let first = host.approve(&before, &plan).await.unwrap();
    drop(sidecar);
    tokio::task::yield_now().await;
    let _again = host.engine.attend(&after, "test");
    assert_eq!(id(&approve(&host.engine, &after, &plan, 0).await.unwrap()), id(&first));
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(61)).await;
    tokio::time::resume();
    for _ in 0..50 {
        tokio::task::yield_now().await;
        assert_eq!(host.open_questions().await.len(), 1);
    }
}

#[tokio::test]
async fn a_connection_with_many_held_calls_still_hears_cancellations_and_its_own_end() {
    let (host, stop, served) = serving(ALWAYS_ASK).await;
    let window = host.engine.attend(&app(), "test");
    let _events = window.subscribe();
    let plan = host.prepare(&agent()).await;
    let mut face = Face::connect(&host).await;
    let held = json!({ "confirmation_token": plan.confirmation_token, "hold_ms": 3_600_000 });
    for call in 0..80 {
        face.call(call, "plan/approve", held.clone()).await;
    }
    for call in 0..70 {
        face.send(&FaceFrame::Cancel { id: call }).await;
    }
    face.call(99, "router/status", json!({})).await;
    let answer = loop {
        match face.receive().await.unwrap() {
            HostFrame::Answer { id, result } => break (id, result["consent_mode"].clone()),
            HostFrame::Failed { failure, .. } => panic!("{failure}"),
            _ => {}
        }
    };
    assert_eq!(answer, (99, json!("always_ask")));
    drop(face);
    while host.engine.status().await.unwrap().connections.len() > 1 {
        tokio::task::yield_now().await;
    }
    stop.cancel();
    served.await.unwrap();
}

#[tokio::test]
async fn a_flood_of_calls_is_refused_with_the_limit_and_the_connection_lives() {
    let (host, stop, served) = serving(ALWAYS_ASK).await;
    let window = host.engine.attend(&app(), "test");
    let _events = window.subscribe();
    let plan = host.prepare(&agent()).await;
    let mut face = Face::connect(&host).await;
    let held = json!({ "confirmation_token": plan.confirmation_token, "hold_ms": 3_600_000 });
    for call in 0..600 {
        face.call(call, "plan/approve", held.clone()).await;
    }
    for _ in 0..(600 - 512) {
        match face.receive().await {
            Some(HostFrame::Failed { failure, .. }) => assert!(failure.message.contains("512"), "{failure}"),
            other => panic!("no refusal but {other:?}"),
        }
    }
    stop.cancel();
    served.await.unwrap();
    assert!(face.receive().await.is_none());
}

#[tokio::test]
async fn what_is_no_frame_ends_that_connection_and_no_other() {
    let (host, stop, served) = serving("").await;
    let mut good = Face::connect(&host).await;
    let mut bad = Face::connect(&host).await;
    tokio::io::AsyncWriteExt::write_all(&mut bad.writer, b"{\"call\":{\"id\":\"x\"}}\n").await.unwrap();
    assert!(bad.receive().await.is_none());
    good.call(1, "router/status", json!({})).await;
    assert!(matches!(good.receive().await, Some(HostFrame::Answer { id: 1, .. })));
    stop.cancel();
    served.await.unwrap();
}

#[tokio::test]
async fn a_peer_that_does_not_read_is_let_go_and_counts_as_nobody() {
    let (host, stop, served) = serving("").await;
    let mut deaf = Face::connect(&host).await;
    // More than a socket holds: the host is left with a frame that nobody takes.
    let bytes = serde_json::to_vec(&host.engine.router_status(&agent()).await.unwrap()).unwrap().len();
    for call in 0..(1024 * 1024 / bytes as u64) {
        deaf.call(call, "router/status", json!({})).await;
    }
    let began = std::time::Instant::now();
    while !host.engine.status().await.unwrap().connections.is_empty() {
        assert!(began.elapsed() < Duration::from_mins(1), "the host waits for somebody who does not read");
        // The calls themselves take real time; only the wait of the host is cut short.
        if host.is_quiet().await {
            tokio::time::pause();
            tokio::time::advance(Duration::from_secs(31)).await;
            tokio::time::resume();
        }
    }
    stop.cancel();
    served.await.unwrap();
}
