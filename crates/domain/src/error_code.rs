//! The codes that a caller may branch on, and the exit code each one means for the command line.

use crate::label::labels;

labels! {
    /// What went wrong, for programs. `docs/errors` has a page for each.
    ErrorCode("error code") {
        /// A parameter is missing, misspelt or out of range.
        InvalidInput = "invalid_input",
        /// The named provider, model, key, approval or plan does not exist.
        NotFound = "not_found",
        /// The plan or token is not known here.
        UnknownPlan = "unknown_plan",
        /// The plan's time ran out before it ran.
        PlanExpired = "plan_expired",
        /// The plan was denied or already ran and has no result to show again.
        PlanUsed = "plan_used",
        /// No configured route may serve the task.
        NoRoute = "no_route",
        /// A human has to consent first.
        ConfirmationRequired = "confirmation_required",
        /// A human said no.
        Denied = "denied",
        /// A cap would be exceeded.
        CapExceeded = "cap_exceeded",
        /// Work is paused by the human.
        Paused = "paused",
        /// The caller's role may not use this method.
        Forbidden = "forbidden",
        /// The provider rejected the key.
        ProviderUnauthorized = "provider_unauthorized",
        /// The provider asks to slow down.
        ProviderRateLimited = "provider_rate_limited",
        /// The account's quota or balance is used up.
        ProviderQuotaExhausted = "provider_quota_exhausted",
        /// The provider refused the content.
        ProviderRefused = "provider_refused",
        /// The provider does not know the model or the request shape.
        ProviderRejected = "provider_rejected",
        /// The provider failed or its answer could not be read.
        ProviderFailed = "provider_failed",
        /// The provider could not be reached.
        ProviderUnreachable = "provider_unreachable",
        /// The provider did not answer in time.
        ProviderTimedOut = "provider_timed_out",
        /// The work was cut off, for example by a restart of the host.
        Interrupted = "interrupted",
        /// The plan failed while it worked; prepare a new one.
        RepreflightRequired = "repreflight_required",
        /// The configuration cannot be used.
        ConfigInvalid = "config_invalid",
        /// No store for secrets can be used.
        SecretsUnavailable = "secrets_unavailable",
        /// The host cannot be reached or started.
        HostUnreachable = "host_unreachable",
        /// The host speaks another protocol.
        ProtocolMismatch = "protocol_mismatch",
        /// A fault of ours.
        Internal = "internal",
    }
}

impl ErrorCode {
    /// Whether a call that ended so says something about how well its provider works: not a refused key, a used-up
    /// account, a moderated text or a bad request.
    pub const fn is_providers_fault(self) -> bool {
        matches!(
            self,
            Self::ProviderFailed | Self::ProviderUnreachable | Self::ProviderTimedOut | Self::ProviderRateLimited
        )
    }

    /// The exit code of the command line: 2 bad input, 3 nothing eligible, 4 consent or policy,
    /// 5 a provider failed, 6 no host.
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::InvalidInput
            | Self::NotFound
            | Self::UnknownPlan
            | Self::PlanExpired
            | Self::PlanUsed
            | Self::ConfigInvalid => 2,
            Self::NoRoute => 3,
            Self::ConfirmationRequired | Self::Denied | Self::CapExceeded | Self::Paused | Self::Forbidden => 4,
            Self::ProviderUnauthorized
            | Self::ProviderRateLimited
            | Self::ProviderQuotaExhausted
            | Self::ProviderRefused
            | Self::ProviderRejected
            | Self::ProviderFailed
            | Self::ProviderUnreachable
            | Self::ProviderTimedOut
            | Self::Interrupted
            | Self::RepreflightRequired
            | Self::SecretsUnavailable
            | Self::Internal => 5,
            Self::HostUnreachable | Self::ProtocolMismatch => 6,
        }
    }
}
