//! Turning errors of the parts into failures that say what happened and what to do.

use lwa_config::ConfigError;
use lwa_domain::ErrorCode;
use lwa_protocol::Failure;
use lwa_providers::ProviderError;
use lwa_secrets::SecretError;
use lwa_store::StoreError;

/// The database failed: a fault of ours or of the disk.
#[expect(clippy::needless_pass_by_value, reason = "the shape that `map_err` calls")]
pub fn store(error: StoreError) -> Failure {
    tracing::error!(%error, "the database failed");
    Failure::new(ErrorCode::Internal, error.to_string())
        .hint("run `lwa doctor`; is the disk full or the file read-only?")
}

/// A part of ours panicked.
pub fn unexpected() -> Failure {
    Failure::new(ErrorCode::Internal, "the host failed at this unexpectedly")
        .hint("the host's log has the details: `lwa status` names it")
}

/// A value of ours could not be turned into JSON or back.
pub fn json(error: &serde_json::Error) -> Failure {
    Failure::new(ErrorCode::Internal, format!("a stored value has an unexpected shape: {error}"))
}

/// The configuration cannot be used.
pub fn config(error: &ConfigError) -> Failure {
    Failure::new(ErrorCode::ConfigInvalid, error.to_string()).hint("correct the file; the last good one stays in force")
}

/// No key can be read or written.
pub fn secret(error: &SecretError) -> Failure {
    Failure::new(ErrorCode::SecretsUnavailable, error.to_string())
}

/// A provider failed. Its error text is already free of keys.
pub fn provider(error: &ProviderError) -> Failure {
    let hint = match error.code() {
        ErrorCode::ProviderUnauthorized => "replace the key with `lwa keys set PROVIDER`, then prepare a new plan",
        ErrorCode::ProviderRateLimited => "wait a little, then prepare a new plan",
        ErrorCode::ProviderQuotaExhausted => "prepare a new plan with another provider, or top up the account",
        ErrorCode::ProviderUnreachable => {
            "check the address in the configuration and the network, then prepare a new plan"
        }
        ErrorCode::ProviderRejected => "check the model's name with `lwa models`, then prepare a new plan",
        _ => "prepare a new plan; no other model was tried",
    };
    Failure::new(error.code(), error.to_string()).hint(hint)
}
