//! A dialog in the client while its call waits, and the report of what became of a question.

use lwa_protocol::host::ClientInfo;
use lwa_protocol::method::QuestionAnswer;
use lwa_protocol::worker::{ClientAnswerParams, ClientQuestion, DialogAction};
use rmcp::RoleServer;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientResult, ElicitRequest, ElicitResult, RequestId,
    ServerRequest,
};
use rmcp::service::{Peer, PeerRequestOptions, ServiceError};
use tokio::runtime::Handle;

use crate::host_link::HostLink;
use crate::question::desk::{QuestionDesk, patience};
use crate::question::{self, Wording};

/// Tells the host what became of one question. The first report counts.
#[derive(Debug, Clone)]
pub(super) struct Reporter {
    pub(super) host: HostLink,
    pub(super) client: ClientInfo,
    pub(super) desk: QuestionDesk,
    pub(super) handle: String,
}

impl Reporter {
    /// Tells the host. When it cannot be told, the repeated call says what is wrong, so nothing is reported here.
    pub(super) async fn report(&self, action: DialogAction, choice: Option<String>) {
        self.desk.settle(&self.handle);
        let params = ClientAnswerParams { handle: self.handle.clone(), action, choice };
        match self.host.call::<QuestionAnswer>(&self.client, params, None).await {
            Ok(answered) => tracing::debug!(outcome = ?answered.outcome, "a question of the host ended"),
            Err(failure) => tracing::debug!(code = %failure.code, "the host did not take the answer to a question"),
        }
    }
}

/// A dialog that the client shows. Letting go of it before its end withdraws it and tells the host.
#[derive(Debug)]
pub(super) struct OpenDialog {
    peer: Peer<RoleServer>,
    /// The request that shows it, once it is sent and until it is answered.
    request: Option<RequestId>,
    reporter: Reporter,
    is_over: bool,
}

impl OpenDialog {
    pub(super) fn new(peer: Peer<RoleServer>, reporter: Reporter) -> Self {
        Self { peer, request: None, reporter, is_over: false }
    }

    /// Shows the question, and tells the host what came back.
    pub(super) async fn show(mut self, question: &ClientQuestion, wording: Wording) {
        let reply = self.put(question, wording).await;
        self.request = None;
        let choices: Vec<String> = question.choices.iter().map(|choice| choice.id.clone()).collect();
        let (action, choice) = match reply {
            Ok(reply) => question::read(&reply, &choices),
            Err(error) => (action_of(&error), None),
        };
        self.reporter.report(action, choice).await;
        self.is_over = true;
    }

    async fn put(&mut self, question: &ClientQuestion, wording: Wording) -> Result<ElicitResult, ServiceError> {
        let request = ServerRequest::ElicitRequest(ElicitRequest::new(question::form(question, wording)));
        let options = PeerRequestOptions::with_timeout(patience(question));
        let sent = self.peer.send_cancellable_request(request, options).await?;
        self.request = Some(sent.id.clone());
        match sent.await_response().await? {
            ClientResult::ElicitResult(reply) => Ok(reply),
            _ => Err(ServiceError::UnexpectedResponse),
        }
    }
}

/// What a request that brought no reply means.
fn action_of(error: &ServiceError) -> DialogAction {
    match error {
        ServiceError::Timeout { .. } => DialogAction::Timeout,
        ServiceError::Cancelled { .. } => DialogAction::Cancel,
        _ => DialogAction::Error,
    }
}

impl Drop for OpenDialog {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        self.reporter.desk.settle(&self.reporter.handle);
        // At the end of the process nobody is left to tell, and the host sees the connection end.
        let Ok(runtime) = Handle::try_current() else { return };
        let (peer, request, reporter) = (self.peer.clone(), self.request.take(), self.reporter.clone());
        runtime.spawn(async move {
            if let Some(request_id) = request {
                let params = CancelledNotificationParam::new(Some(request_id), Some("the question is over".to_owned()));
                let withdrawn = peer.send_notification(CancelledNotification::new(params).into()).await;
                if let Err(error) = withdrawn {
                    tracing::debug!(%error, "a dialog could not be withdrawn");
                }
            }
            reporter.report(DialogAction::Cancel, None).await;
        });
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::ErrorData;

    use super::*;

    #[test]
    fn a_dialog_without_a_reply_ends_by_what_happened() {
        let late = ServiceError::Timeout { timeout: std::time::Duration::from_mins(10) };
        assert_eq!(action_of(&late), DialogAction::Timeout);
        assert_eq!(action_of(&ServiceError::Cancelled { reason: None }), DialogAction::Cancel);
        let refused = ServiceError::McpError(ErrorData::invalid_request("no dialogs here", None));
        for error in [refused, ServiceError::UnexpectedResponse, ServiceError::TransportClosed] {
            assert_eq!(action_of(&error), DialogAction::Error);
        }
    }
}
