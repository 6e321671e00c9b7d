//! The wire as the SDK wants it.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::mpsc;

use super::open_calls::OpenCalls;
use super::outbound::Outbound;

/// Where the incoming messages wait while no loop reads them.
#[derive(Debug, Clone)]
pub(super) struct Slot(Arc<Mutex<Option<mpsc::Receiver<ClientJsonRpcMessage>>>>);

impl Slot {
    pub(super) fn new(incoming: mpsc::Receiver<ClientJsonRpcMessage>) -> Self {
        Self(Arc::new(Mutex::new(Some(incoming))))
    }

    fn take(&self) -> Option<mpsc::Receiver<ClientJsonRpcMessage>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn put(&self, incoming: mpsc::Receiver<ClientJsonRpcMessage>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(incoming);
    }
}

/// One loop's hold of the wire. It gives the messages back when it ends, so that another loop can go on.
#[derive(Debug)]
pub(super) struct WireTransport {
    incoming: Option<mpsc::Receiver<ClientJsonRpcMessage>>,
    slot: Slot,
    outbound: Outbound,
    calls: Arc<OpenCalls>,
}

impl WireTransport {
    /// Takes the messages; none when a loop has them.
    pub(super) fn take(slot: &Slot, outbound: Outbound, calls: Arc<OpenCalls>) -> Option<Self> {
        let incoming = slot.take()?;
        Some(Self { incoming: Some(incoming), slot: slot.clone(), outbound, calls })
    }
}

impl Drop for WireTransport {
    fn drop(&mut self) {
        if let Some(incoming) = self.incoming.take() {
            self.slot.put(incoming);
        }
    }
}

impl Transport<RoleServer> for WireTransport {
    type Error = io::Error;

    fn send(&mut self, item: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let sent = self.calls.admits(&item).then(|| self.outbound.send(&item));
        async move {
            if let Some(sent) = sent {
                // A client that no longer reads ends the whole wire; there is nobody to report it to.
                let _ = sent.await;
            }
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.incoming.as_mut()?.recv().await
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use tokio_util::sync::CancellationToken;
    use tokio_util::task::TaskTracker;

    use super::*;

    #[tokio::test]
    async fn a_loop_that_ends_leaves_the_messages_to_the_next() {
        let (sender, incoming) = mpsc::channel(1);
        let slot = Slot::new(incoming);
        let outbound = Outbound::start(tokio::io::sink(), CancellationToken::new(), &TaskTracker::new());
        let take = || WireTransport::take(&slot, outbound.clone(), Arc::default());
        let first = take().unwrap();
        assert!(take().is_none());
        let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        sender.send(serde_json::from_str(ping).unwrap()).await.unwrap();
        drop(first);
        assert!(take().unwrap().receive().await.is_some());
    }
}
