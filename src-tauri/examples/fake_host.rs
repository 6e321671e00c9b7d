//! A host to look at the app with: reads orders from standard input, keeps nothing.
//!
//! `LWA_HOME=DIR cargo run -p lwa-desktop --example fake_host`, then `ask ID CLIENT`, `withdraw ID`,
//! `client NAME`, `pause`, `resume`, `stop` or `crash`.

#[path = "../tests/support/fake_host.rs"]
mod fake_host;

use fake_host::{FakeHost, State};
use lwa_config::Home;
use lwa_protocol::Event;
use tokio::io::{AsyncBufReadExt, BufReader};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let home = Home::from_environment()?;
    let host = FakeHost::start(&home, State::default());
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["ask", id, client] => host.ask(id, client),
            ["withdraw", id] => host.withdraw(id),
            ["client", name] => {
                host.change(|state| state.clients.push((*name).to_owned()));
                host.tell(Event::HostChanged);
            }
            ["pause"] => {
                host.change(|state| state.paused_until = Some("resumed".to_owned()));
                host.tell(Event::HostChanged);
            }
            ["resume"] => {
                host.change(|state| state.paused_until = None);
                host.tell(Event::HostChanged);
            }
            ["stop"] => {
                host.tell(Event::HostStopping);
                tokio::time::sleep(std::time::Duration::from_millis(200)).await;
                return Ok(());
            }
            ["crash"] => return Ok(()),
            _ => {}
        }
    }
    Ok(())
}
