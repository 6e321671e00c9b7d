//! The way to the host: connected on the first call that needs it, and again whenever it is gone.

use std::time::Duration;

use lwa_config::Home;
use lwa_domain::ErrorCode;
use lwa_protocol::host::{ClientInfo, IdentifyParams};
use lwa_protocol::method::HostIdentify;
use lwa_protocol::plan::RunProgress;
use lwa_protocol::{CallError, Connection, Failure, Hello, Method, PROTOCOL, Role};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

/// How long a call waits for a host to be there, started or not.
const REACH_LIMIT: Duration = Duration::from_secs(3);

/// A call that wants a connection.
struct Want {
    client: ClientInfo,
    reply: oneshot::Sender<Result<Connection, Failure>>,
}

/// A handle on the one connection of this process. Cheap to clone.
#[derive(Debug, Clone)]
pub struct HostLink {
    wants: mpsc::Sender<Want>,
}

impl HostLink {
    /// A link that is not connected yet. Has to be made within a runtime; the task behind it ends with the last handle.
    pub fn new() -> Self {
        // A full queue makes callers wait, each under its own limit.
        let (wants, inbox) = mpsc::channel(32);
        tokio::spawn(keep(inbox));
        Self { wants }
    }

    /// Calls the host for this client, and once more on a new connection when the old one turns out to be dead.
    ///
    /// Repeating is safe for every method a sidecar may call: a plan runs once whoever asks, an open question is
    /// attached to, and an unused plan expires.
    ///
    /// # Errors
    /// The host's failure, or one that says how to start the host.
    pub(crate) async fn call<M>(
        &self,
        client: &ClientInfo,
        params: M::Params,
        progress: Option<mpsc::Sender<RunProgress>>,
    ) -> Result<M::Response, Failure>
    where
        M: Method,
        M::Params: Clone,
    {
        let connection = self.connection(client).await?;
        match connection.call_with_progress::<M>(params.clone(), progress.clone()).await {
            Err(CallError::Disconnected) => {
                let again = self.connection(client).await?;
                again.call_with_progress::<M>(params, progress).await.map_err(CallError::into_failure)
            }
            outcome => outcome.map_err(CallError::into_failure),
        }
    }

    /// As [`Self::call`] for work that may not happen twice: a connection that is lost meanwhile is a failure.
    ///
    /// # Errors
    /// As [`Self::call`], and that nobody knows how far the work came.
    pub(crate) async fn call_once<M: Method>(
        &self,
        client: &ClientInfo,
        params: M::Params,
    ) -> Result<M::Response, Failure> {
        let connection = self.connection(client).await?;
        connection.call::<M>(params).await.map_err(|error| match error {
            CallError::Disconnected => {
                Failure::new(ErrorCode::Interrupted, "the host ended while it worked on this call")
                    .hint("a command may have run in part: look at what it did before you repeat the call")
            }
            CallError::Failed(failure) => failure,
        })
    }

    /// Makes sure that the host is there, so that a wait given to it afterwards starts from now.
    ///
    /// # Errors
    /// It is not, with how to start it.
    pub(crate) async fn reach(&self, client: &ClientInfo) -> Result<(), Failure> {
        self.connection(client).await.map(drop)
    }

    async fn connection(&self, client: &ClientInfo) -> Result<Connection, Failure> {
        let (reply, answer) = oneshot::channel();
        let want = Want { client: client.clone(), reply };
        let asked = async {
            self.wants.send(want).await.ok()?;
            answer.await.ok()
        };
        timeout(REACH_LIMIT, asked).await.ok().flatten().unwrap_or_else(|| Err(unreachable()))
    }
}

impl Default for HostLink {
    fn default() -> Self {
        Self::new()
    }
}

/// Owns the connection and hands it out, one caller after the other, so that two first calls start one host.
async fn keep(mut inbox: mpsc::Receiver<Want>) {
    let mut current: Option<(Connection, ClientInfo)> = None;
    while let Some(want) = inbox.recv().await {
        if want.reply.is_closed() {
            continue;
        }
        let outcome = timeout(REACH_LIMIT, reach(&mut current, &want.client)).await;
        let outcome = outcome.unwrap_or_else(|_| Err(unreachable()));
        if let Err(failure) = &outcome {
            // Whoever asked meanwhile has waited for the same attempt.
            while let Ok(other) = inbox.try_recv() {
                let _ = other.reply.send(Err(failure.clone()));
            }
        }
        let _ = want.reply.send(outcome);
    }
}

async fn reach(current: &mut Option<(Connection, ClientInfo)>, client: &ClientInfo) -> Result<Connection, Failure> {
    if let Some((connection, known)) = current.as_mut().filter(|(connection, _)| !connection.is_closed()) {
        if known != client {
            let params = IdentifyParams { client: client.clone() };
            connection.call::<HostIdentify>(params).await.map_err(CallError::into_failure)?;
            known.clone_from(client);
        }
        return Ok(connection.clone());
    }
    *current = None;
    let home = Home::from_environment().map_err(|error| {
        Failure::new(ErrorCode::HostUnreachable, error.to_string()).hint("then start this server again")
    })?;
    let hello = Hello {
        protocol: PROTOCOL,
        product: env!("CARGO_PKG_VERSION").to_owned(),
        role: Role::Sidecar,
        client: client.clone(),
    };
    let connection = lwa_protocol::start::connect_or_start(&home, hello).await?;
    *current = Some((connection.clone(), client.clone()));
    Ok(connection)
}

fn unreachable() -> Failure {
    let limit = REACH_LIMIT.as_secs();
    Failure::new(ErrorCode::HostUnreachable, format!("the host did not answer within {limit} s"))
        .hint("start it with `lwa host` in a terminal, which also shows why it does not start; then repeat the call")
}
