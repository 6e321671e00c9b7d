//! What only a person may do: not the agent's shell, and not after its sidecar is gone either.

use std::process::{Child, Command, Stdio};

use lwa_domain::ErrorCode;
use lwa_engine::caller::Caller;
use lwa_protocol::Role;
use lwa_protocol::configuration::ConfigSetParams;
use lwa_protocol::host::PauseParams;
use lwa_protocol::provider::{KeySetParams, ProviderParams};
use rstest::rstest;
use serde_json::json;

use crate::support::{Host, agent, app, of_the_agent, process, what_waits};

/// A process that lives until its input ends, and stands for a client.
struct Client(Child);

impl Client {
    fn start() -> Self {
        Self(Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        self.0.wait().unwrap();
    }
}

async fn tries(host: &Host, who: &Caller) -> Vec<Option<ErrorCode>> {
    let set = ConfigSetParams { key: "router.allow_paid".to_owned(), value: json!(true) };
    let key = KeySetParams { provider: "openrouter".to_owned(), key: "sk-test-1".to_owned() };
    let removed = ProviderParams { provider: "openrouter".to_owned() };
    vec![
        host.engine.set_configuration(who, &set).await.err().map(|failure| failure.code),
        host.engine.accept_configuration(who, &what_waits(host)).await.err().map(|failure| failure.code),
        host.engine.set_key(who, key).await.err().map(|failure| failure.code),
        host.engine.remove_key(who, &removed).await.err().map(|failure| failure.code),
    ]
}

#[tokio::test]
async fn a_clients_shell_is_refused_and_a_person_is_not() {
    let host = Host::new("").await;
    let _sidecar = host.engine.attend(&agent(), "test");
    assert_eq!(tries(&host, &of_the_agent(Role::Cli)).await, vec![Some(ErrorCode::Forbidden); 4]);
    assert_eq!(tries(&host, &app()).await, vec![None; 4]);
}

#[tokio::test]
async fn a_client_that_ended_its_own_sidecar_stays_a_client() {
    let host = Host::new("").await;
    let client = Client::start();
    let mut sidecar = agent();
    sidecar.process = Some(process(4_200_002, &[client.0.id()]));
    drop(host.engine.attend(&sidecar, "test"));
    let mut shell = of_the_agent(Role::Cli);
    shell.process = Some(process(4_200_009, &[4_200_008, client.0.id()]));
    assert_eq!(tries(&host, &shell).await, vec![Some(ErrorCode::Forbidden); 4]);
    // Once that client has ended, its number says nothing any more.
    drop(client);
    assert_eq!(tries(&host, &shell).await, vec![None; 4]);
}

#[rstest]
#[case::resume(None, Some(0), true)]
#[case::shorter_than_until_resumed(None, Some(1), true)]
#[case::shorter(Some(60), Some(1), true)]
#[case::longer(Some(1), Some(60), false)]
#[case::until_resumed(Some(1), None, false)]
#[tokio::test]
async fn an_agent_may_lengthen_a_pause_and_not_shorten_it(
    #[case] first: Option<u32>,
    #[case] second: Option<u32>,
    #[case] is_refused: bool,
) {
    let host = Host::new("").await;
    let _sidecar = host.engine.attend(&agent(), "test");
    host.engine.set_pause(&app(), &PauseParams { minutes: first }).await.unwrap();
    let changed = host.engine.set_pause(&of_the_agent(Role::Cli), &PauseParams { minutes: second }).await;
    assert_eq!(changed.is_err(), is_refused);
    assert!(host.engine.set_pause(&app(), &PauseParams { minutes: Some(0) }).await.is_ok());
}
