//! A key that a provider throws back appears nowhere.

use std::io::Write;
use std::sync::{Arc, Mutex};

use lwa_providers::{Limits, complete, probe};
use tracing_subscriber::fmt::MakeWriter;

use crate::mock::{Mock, Step};
use crate::outcome::{client, endpoint, request};
use crate::shape::{KEY, all};

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// Every failing reply, once as it is and once with the key put into its body, its headers and its status line.
#[tokio::test]
async fn rr_44_a_planted_key_reaches_neither_an_error_nor_the_log() {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::DEBUG)
        .with_ansi(false)
        .with_writer(log.clone())
        .finish();
    // For the whole process: what other tests log meanwhile must be free of keys as well.
    tracing::subscriber::set_global_default(subscriber).unwrap();
    let mut printed = String::new();
    let mut planted = 0;
    for shape in all().iter().filter(|shape| shape.expect.outcome != "answer") {
        let text = String::from_utf8(shape.body.clone()).unwrap();
        let with_key = text.replace("message\":\"", &format!("message\":\"{KEY} "));
        planted += with_key.matches(KEY).count();
        let status = if shape.is_success_status() { "200 OK" } else { "400 Bad" };
        let reply = format!(
            "HTTP/1.1 {status} {KEY}\r\nx-ratelimit-echo: {KEY}\r\nx-request: {KEY}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{with_key}",
            with_key.len()
        );
        for play in [shape.whole(), vec![Step::Send(reply.into_bytes())]] {
            let mock = Mock::start(vec![play.clone(), play]).await;
            let endpoint = endpoint(shape, &mock);
            let outcome = complete(&client(), shape.adapter, &endpoint, &request(), Limits::default(), |_| {}).await;
            let report = probe(&client(), shape.adapter, &endpoint).await;
            printed.extend([format!("{outcome:?} {report:?} {endpoint:?}\n")]);
            if let Err(error) = &outcome {
                printed.extend([format!("{error} {:?}\n", error.failure().quota)]);
            }
        }
    }
    assert!(planted > 100, "the key was planted {planted} times");
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(log.contains("calling provider"), "the log was written");
    for (what, text) in [("errors", &printed), ("log", &log)] {
        let hit = text.lines().find(|line| line.contains("visibly-fake"));
        assert!(hit.is_none(), "{what}: {hit:?}");
    }
}
