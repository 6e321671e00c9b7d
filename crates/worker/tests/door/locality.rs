//! Which addresses are local, and that nothing reaches any other.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use lwa_testkit::fake_provider::reply::Reply;
use lwa_testkit::fake_provider::{FakeProvider, Script};
use lwa_worker::local_model::locality::{Lookup, LookupFuture, NotLocal, Reach};
use lwa_worker::local_model::{EndpointError, LocalModel, LocalModelOptions};
use lwa_worker::model::{ChatModel, ChatRequest, ModelError};
use proptest::prelude::{any, proptest};
use rstest::rstest;

use crate::support::soon;

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

#[rstest]
#[case("127.0.0.1", Reach::ThisMachine)]
#[case("127.255.255.254", Reach::ThisMachine)]
#[case("::1", Reach::ThisMachine)]
#[case("10.0.0.1", Reach::PrivateNetwork)]
#[case("172.16.0.1", Reach::PrivateNetwork)]
#[case("172.31.255.255", Reach::PrivateNetwork)]
#[case("192.168.1.1", Reach::PrivateNetwork)]
#[case("fc00::1", Reach::PrivateNetwork)]
#[case("fdff:ffff::1", Reach::PrivateNetwork)]
#[case("100.64.0.1", Reach::OverlayNetwork)]
#[case("100.127.255.255", Reach::OverlayNetwork)]
fn w_21_an_address_is_allowed_from_its_reach_on(#[case] address: &str, #[case] needed: Reach) {
    for reach in [Reach::ThisMachine, Reach::PrivateNetwork, Reach::OverlayNetwork] {
        assert_eq!(reach.check(ip(address)).is_ok(), reach >= needed, "{address} with {reach:?}");
    }
}

#[rstest]
#[case::unspecified("0.0.0.0", NotLocal::Special)]
#[case::this_network("0.1.2.3", NotLocal::Special)]
#[case::link_local("169.254.1.1", NotLocal::Special)]
#[case::metadata("169.254.169.254", NotLocal::Metadata)]
#[case::metadata_in_the_overlay_range("100.100.100.200", NotLocal::Metadata)]
#[case::protocol_assignments("192.0.0.8", NotLocal::Special)]
#[case::documentation("192.0.2.1", NotLocal::Special)]
#[case::documentation("198.51.100.1", NotLocal::Special)]
#[case::documentation("203.0.113.1", NotLocal::Special)]
#[case::benchmarks("198.18.0.1", NotLocal::Special)]
#[case::relays("192.88.99.1", NotLocal::Special)]
#[case::multicast("224.0.0.1", NotLocal::Special)]
#[case::reserved("240.0.0.1", NotLocal::Special)]
#[case::broadcast("255.255.255.255", NotLocal::Special)]
#[case::the_world("8.8.8.8", NotLocal::Outside)]
#[case::beside_the_private_range("172.15.0.1", NotLocal::Outside)]
#[case::beside_the_private_range("172.32.0.1", NotLocal::Outside)]
#[case::beside_the_overlay_range("100.128.0.1", NotLocal::Outside)]
#[case::unspecified("::", NotLocal::Special)]
#[case::link_local("fe80::1", NotLocal::Special)]
#[case::site_local("fec0::1", NotLocal::Special)]
#[case::multicast("ff02::1", NotLocal::Special)]
#[case::documentation("2001:db8::1", NotLocal::Special)]
#[case::discard("100::1", NotLocal::Special)]
#[case::metadata("fd00:ec2::254", NotLocal::Metadata)]
#[case::mapped("::ffff:127.0.0.1", NotLocal::Wrapped)]
#[case::mapped("::ffff:8.8.8.8", NotLocal::Wrapped)]
#[case::compatible("::8.8.8.8", NotLocal::Wrapped)]
#[case::translated("64:ff9b::8.8.8.8", NotLocal::Wrapped)]
#[case::six_to_four("2002:808:808::1", NotLocal::Wrapped)]
#[case::teredo("2001::1", NotLocal::Wrapped)]
#[case::the_world("2606:4700::1111", NotLocal::Outside)]
fn w_21_every_other_address_is_refused_whatever_the_reach(#[case] address: &str, #[case] why: NotLocal) {
    assert_eq!(Reach::OverlayNetwork.check(ip(address)), Err(why));
    let host = if address.contains(':') { format!("[{address}]") } else { address.to_owned() };
    let options = LocalModelOptions {
        reach: Reach::OverlayNetwork,
        ..LocalModelOptions::new("m", &format!("http://{host}:8000/v1"))
    };
    match LocalModel::new(options).unwrap_err() {
        EndpointError::NotLocal(got) => assert_eq!(got, why),
        other => panic!("{other}"),
    }
}

proptest! {
    #[test]
    fn w_21_only_listed_ranges_are_allowed(four in any::<u32>(), six in any::<u128>()) {
        let address = std::net::Ipv4Addr::from(four);
        if Reach::OverlayNetwork.check(address.into()).is_ok() {
            let is_shared = address.octets()[0] == 100 && address.octets()[1] & 0xc0 == 64;
            assert!(address.is_loopback() || address.is_private() || is_shared, "{address}");
        }
        let address = std::net::Ipv6Addr::from(six);
        if Reach::OverlayNetwork.check(address.into()).is_ok() {
            assert!(address.is_loopback() || address.is_unique_local(), "{address}");
        }
    }
}

/// A resolver that gives its answers in turn; the last one is repeated.
#[derive(Debug)]
struct Answers(Mutex<VecDeque<Vec<IpAddr>>>);

impl Lookup for Answers {
    fn lookup(&self, _name: String) -> LookupFuture {
        let mut answers = self.0.lock().unwrap();
        let answer = if answers.len() > 1 { answers.pop_front().unwrap() } else { answers[0].clone() };
        Box::pin(async move { Ok(answer) })
    }
}

fn named(server: &FakeProvider, answers: &[&[&str]]) -> LocalModel {
    let answers = answers.iter().map(|addresses| addresses.iter().map(|address| ip(address)).collect()).collect();
    LocalModel::new(LocalModelOptions {
        lookup: Arc::new(Answers(Mutex::new(answers))),
        retry_pause: std::time::Duration::ZERO,
        ..LocalModelOptions::new("m", &format!("http://model.test:{}/v1", server.port()))
    })
    .unwrap()
}

fn question() -> ChatRequest {
    ChatRequest {
        system: "s".to_owned(),
        user: "planted material".to_owned(),
        max_tokens: 10,
        temperature: 0.0,
        format: None,
        deadline: soon(),
    }
}

const ANSWER: &str = r#"{"choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}]}"#;

fn server() -> FakeProvider {
    FakeProvider::start(Script::new().on("POST /v1/chat/completions", [Reply::json(200, ANSWER)])).unwrap()
}

#[tokio::test]
async fn w_21_a_name_that_changes_its_mind_leads_nowhere() {
    let server = server();
    let model = named(&server, &[&["127.0.0.1"], &["169.254.169.254"]]);
    assert_eq!(model.chat(question()).await.unwrap().text, "yes");
    let error = model.chat(question()).await.unwrap_err();
    assert_eq!(error, ModelError::NotLocal { model: "m".to_owned(), reason: NotLocal::Metadata.reason() });
    assert_eq!(server.connections(), 1);
}

#[rstest]
#[case(&["127.0.0.1", "8.8.8.8"], NotLocal::Outside)]
#[case(&["127.0.0.1", "192.168.0.1"], NotLocal::NeedsPrivateNetwork)]
#[case(&[], NotLocal::NoAddress)]
#[tokio::test]
async fn w_21_every_address_of_a_name_has_to_be_local(#[case] addresses: &[&str], #[case] why: NotLocal) {
    let server = server();
    let error = named(&server, &[addresses]).chat(question()).await.unwrap_err();
    assert_eq!(error, ModelError::NotLocal { model: "m".to_owned(), reason: why.reason() });
    assert!(!error.is_of_the_server(), "a wrong address is no reason to ask another worker");
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn w_21_localhost_is_this_machine_whatever_a_resolver_says() {
    let server = server();
    let model = LocalModel::new(LocalModelOptions {
        lookup: Arc::new(Answers(Mutex::new(VecDeque::from([vec![ip("8.8.8.8")]])))),
        ..LocalModelOptions::new("m", &format!("http://localhost:{}/v1", server.port()))
    })
    .unwrap();
    assert_eq!(model.chat(question()).await.unwrap().text, "yes");
}

#[rstest]
#[case(301)]
#[case(302)]
#[case(307)]
#[case(308)]
#[tokio::test]
async fn w_21_a_redirect_is_an_error_and_is_not_followed(#[case] status: u16) {
    let other = server();
    let target = format!("{}/v1/chat/completions", other.base_url());
    let script = Script::new().on("POST /v1/chat/completions", [Reply::redirect(status, &target)]);
    let server = FakeProvider::start(script).unwrap();
    let model = LocalModel::new(LocalModelOptions::new("m", &format!("{}/v1", server.base_url()))).unwrap();
    let error = model.chat(question()).await.unwrap_err();
    assert!(matches!(error, ModelError::Status { status: got, .. } if got == status), "{error}");
    assert_eq!(other.connections(), 0);
}

/// The variables of this process cannot be set in a test, so it runs itself with them.
#[test]
fn w_21_proxies_of_the_environment_are_ignored() {
    const CHILD: &str = "LWA_TEST_PROXIED_MODEL";
    if let Ok(base) = std::env::var(CHILD) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let model = LocalModel::new(LocalModelOptions::new("m", &base)).unwrap();
        assert_eq!(runtime.block_on(model.chat(question())).unwrap().text, "yes");
        return;
    }
    let (server, proxy) = (server(), server());
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "locality::w_21_proxies_of_the_environment_are_ignored", "--nocapture"]);
    child.env(CHILD, format!("{}/v1", server.base_url()));
    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
        child.env(name, proxy.base_url());
    }
    child.env_remove("no_proxy").env_remove("NO_PROXY");
    let output = child.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!((server.calls().len(), proxy.connections()), (1, 0));
}

#[rstest]
#[case("127.0.0.1:8000/v1")]
#[case("ftp://127.0.0.1/v1")]
#[case("http://user:planted@127.0.0.1/v1")]
#[case("http://127.0.0.1/v1?key=planted")]
#[case("http://127.0.0.1/v1#planted")]
fn an_address_that_holds_more_than_a_place_is_refused_and_not_repeated(#[case] address: &str) {
    let error = LocalModel::new(LocalModelOptions::new("m", address)).unwrap_err();
    assert!(matches!(error, EndpointError::Address { .. }), "{error}");
    assert!(!format!("{error} {error:?}").contains("planted"));
}
