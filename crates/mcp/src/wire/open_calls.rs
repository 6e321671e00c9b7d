//! Which requests wait for an answer, so that nothing is sent for one that was cancelled or answered.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, GetMeta, JsonRpcMessage, ProgressToken, RequestId, ServerJsonRpcMessage,
    ServerNotification,
};

/// The open requests, each with the token of its progress.
#[derive(Debug, Default)]
pub(super) struct OpenCalls(Mutex<HashMap<RequestId, Option<ProgressToken>>>);

impl OpenCalls {
    /// Takes note of what the client sent.
    pub(super) fn note(&self, message: &ClientJsonRpcMessage) {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match message {
            JsonRpcMessage::Request(request) => {
                open.insert(request.id.clone(), request.request.get_meta().get_progress_token());
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    open.remove(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
    }

    /// Whether the client still wants this; an answer closes its request.
    pub(super) fn admits(&self, message: &ServerJsonRpcMessage) -> bool {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match message {
            JsonRpcMessage::Response(response) => open.remove(&response.id).is_some(),
            JsonRpcMessage::Error(error) => error.id.as_ref().is_none_or(|id| open.remove(id).is_some()),
            JsonRpcMessage::Notification(notification) => match &notification.notification {
                ServerNotification::ProgressNotification(progress) => {
                    open.values().flatten().any(|token| *token == progress.params.progress_token)
                }
                _ => true,
            },
            JsonRpcMessage::Request(_) => true,
        }
    }
}
