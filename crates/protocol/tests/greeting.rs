//! A connection to something that is no host.

#![allow(clippy::unwrap_used, reason = "a panic in a test is its report")]

use std::time::Duration;

use lwa_domain::{ClientName, ErrorCode};
use lwa_protocol::Role;
use lwa_protocol::client::Connection;
use lwa_protocol::host::{ClientInfo, Hello};

/// Somebody who accepts and never says a word must not hold a face for ever.
#[tokio::test]
async fn lwa_149_a_listener_that_never_greets_is_given_up_in_time() {
    let temp = tempfile::tempdir().unwrap();
    let socket = temp.path().join("host.sock");
    let _sleeper = tokio::net::UnixListener::bind(&socket).unwrap();
    let client = ClientInfo { name: ClientName::new("lwa"), version: None, cwd: None };
    let hello = Hello { protocol: lwa_protocol::PROTOCOL, product: "0".to_owned(), role: Role::Cli, client };
    let opened = Connection::open_within(&socket, hello, Duration::from_millis(50)).await;
    let refused = opened.unwrap_err();
    assert_eq!(refused.code, ErrorCode::HostUnreachable);
    assert!(refused.message.contains("did not greet within 50 ms") && refused.hint.is_some());
}
