//! `[telemetry]`.

use serde::Serialize;

/// Where measurements go beside the ledger.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TelemetryConfig {
    /// The address of a collector that takes OTLP over HTTP; none means that nothing is sent.
    pub otlp_endpoint: Option<String>,
}
