//! The configuration as the human sees and changes it.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::approval::PolicyChangeLine;

/// Answer to `config/show`: every value with its source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ConfigShown {
    /// The file.
    pub path: String,
    /// The values in force.
    pub values: Vec<ConfigValue>,
    /// Loosening edits that wait for the human.
    pub pending: Vec<PolicyChangeLine>,
    /// Why the file as it stands is not in force.
    pub error: Option<String>,
}

/// One value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ConfigValue {
    /// The key's path, `router.consent_mode`.
    pub key: String,
    /// The value, as JSON.
    #[ts(type = "unknown")]
    pub value: serde_json::Value,
    /// `default` or `file`.
    pub source: String,
}

/// Parameters of `config/set`: one value, edited losslessly by a person in the app or a terminal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ConfigSetParams {
    /// The key's path.
    pub key: String,
    /// The value, as JSON.
    #[ts(type = "unknown")]
    pub value: serde_json::Value,
}

/// Parameters of `config/accept`: the edits that were shown to the person who accepts them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ConfigAcceptParams {
    /// Exactly what waits; anything else is refused, so that nobody accepts what they have not seen.
    pub shown: Vec<PolicyChangeLine>,
}

/// Answer to `config/accept`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ConfigAccepted {
    /// The edits that came into force.
    pub accepted: Vec<PolicyChangeLine>,
}
