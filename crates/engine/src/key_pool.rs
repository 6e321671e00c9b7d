//! Several keys of one provider: which is used next, and which rests.
//!
//! A key rests after a failure that is a matter of the key alone: it was refused, it is over its rate limit, or its
//! account is used up. Nothing is sent with it before its time; other failures are no reason to try another key.

use std::collections::HashMap;
use std::sync::Mutex;

use jiff::{SignedDuration, Timestamp};
use lwa_domain::ErrorCode;
use lwa_protocol::Failure;
use lwa_providers::Endpoint;
use lwa_secrets::Secret;

use crate::catalogue::ModelCall;
use crate::engine::{Engine, locked, rfc3339};
use crate::run::account::Fault;

/// One of a provider's keys.
pub(crate) struct PooledKey {
    /// `stored`, or the name of the variable; never the key.
    pub slot: String,
    pub key: Secret,
}

/// Keys that rest, by provider and slot, and until when.
#[derive(Debug, Default)]
pub struct KeyPool {
    resting: Mutex<HashMap<(String, String), Timestamp>>,
}

impl Engine {
    /// The keys to try in their order, without those that rest, and how the model is called. A provider that needs no
    /// key gives one try without.
    ///
    /// # Errors
    /// The provider is not known, no key is there, or all of them rest.
    pub(crate) async fn keys_and_model(
        &self,
        provider: &str,
        model: &str,
    ) -> Result<(Vec<Option<PooledKey>>, ModelCall), Failure> {
        let call = self.model_call(provider, model);
        let keys = self.pooled_keys(provider).await?;
        if keys.is_empty() {
            return Ok((vec![None], call));
        }
        let now = self.now();
        let mut soonest: Option<Timestamp> = None;
        let mut ready = Vec::new();
        for key in keys {
            let until = locked(&self.key_pool.resting).get(&(provider.to_owned(), key.slot.clone())).copied();
            match until.filter(|until| *until > now) {
                None => ready.push(Some(key)),
                Some(until) => soonest = Some(soonest.map_or(until, |known| known.min(until))),
            }
        }
        match soonest {
            Some(until) if ready.is_empty() => Err(Failure::new(
                ErrorCode::ProviderRateLimited,
                format!("every key of `{provider}` rests until {}; nothing was sent", rfc3339(until)),
            )
            .hint("wait until then, add another key, or prepare a new plan with another provider")),
            _ => Ok((ready, call)),
        }
    }

    /// The endpoint to call with this key.
    pub(crate) async fn endpoint_for(&self, provider: &str, key: Option<PooledKey>) -> Result<Endpoint, Failure> {
        self.provider_endpoint_with(provider, key.map(|key| key.key)).await
    }

    /// Lets a key rest if the failure is a matter of the key alone. Returns whether another key may be tried: only
    /// when nothing can have been billed.
    pub(crate) fn cool_key(&self, provider: &str, slot: Option<&str>, fault: &Fault) -> bool {
        let (Some(slot), Some(rest)) = (slot, fault.key_rests_for) else { return false };
        let rest = SignedDuration::try_from(rest).unwrap_or(SignedDuration::from_hours(1));
        let until = self.now() + rest.min(SignedDuration::from_hours(24));
        locked(&self.key_pool.resting).insert((provider.to_owned(), slot.to_owned()), until);
        !fault.may_have_cost
    }

    /// A key was stored, removed or tried with success: nothing of the provider rests any more.
    pub(crate) fn wake_keys(&self, provider: &str) {
        locked(&self.key_pool.resting).retain(|(name, _), _| name != provider);
    }
}
