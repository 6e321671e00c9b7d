//! `worker/reserve`: placeholders that an older product gave out in a conversation.
//!
//! A client that comes back to such a conversation still has them in its history. What they stood for stays with the older
//! product; here none of them is given to another value.

use lwa_domain::ErrorCode;
use lwa_privacy::{Placeholder, Resolved, Vault};
use lwa_protocol::Failure;
use lwa_protocol::worker::{ReserveParams, Reserved};
use serde_json::json;

use super::identity::key_of;
use crate::caller::Caller;
use crate::engine::{Engine, locked};

/// Conversations of one call.
const MOST_AT_ONCE: usize = 1_000;
/// No conversation has given more of one kind; a larger number would use up those that are left.
const MOST_NUMBER: u32 = 1_000_000;

impl Engine {
    /// `worker/reserve`. Doing it twice changes nothing.
    ///
    /// # Errors
    /// A process of a client asks, or the database failed.
    pub async fn reserve_given(&self, caller: &Caller, params: &ReserveParams) -> Result<Reserved, Failure> {
        self.refuse_clients_process(caller)?;
        if params.conversations.len() > MOST_AT_ONCE {
            return Err(Failure::new(ErrorCode::InvalidInput, "these are too many conversations at once")
                .hint("send 1,000 at most"));
        }
        let mut reserved = Reserved::default();
        for conversation in &params.conversations {
            let placeholders = conversation.placeholders.iter().filter_map(|text| Placeholder::parse(text));
            let given: Vec<Placeholder> = placeholders.filter(|one| one.number <= MOST_NUMBER).collect();
            let key = key_of(conversation.client.as_deref(), &conversation.session);
            let Some(key) = key.filter(|_| !given.is_empty()) else { continue };
            if let Some(shared) = self.loaded_session(&key).await? {
                let session = shared.lock_owned().await;
                take_in(&mut locked(&session.vault), &given);
                self.store_vault(&session).await?;
            }
            self.add_given(&key, given).await?;
            reserved.conversations += 1;
        }
        if reserved.conversations > 0 {
            self.audit_worker("worker.reserve", json!({"conversations": reserved.conversations})).await?;
        }
        Ok(reserved)
    }
}

/// Begins the numbers of a vault behind those that were given. What it gave itself up to there means two values to the
/// client, and stands for none of them any more; its values get other placeholders.
fn take_in(vault: &mut Vault, given: &[Placeholder]) {
    let mut before = Vault::new();
    for last in given {
        before.reserve(*last);
        for number in 1..last.number {
            let placeholder = Placeholder { number, ..*last };
            if matches!(vault.resolve(placeholder), Resolved::Value(..)) {
                before.reserve(placeholder);
            }
        }
    }
    vault.adopt(before);
}
