//! The method table: every call a face can make, with its types and who may make it.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::approval::{ApprovalItem, ApprovalList, ApprovalListParams, ApprovalParams, DecideParams};
use crate::audit::{AuditTail, AuditTailParams, AuditVerified};
use crate::configuration::{ConfigAcceptParams, ConfigAccepted, ConfigSetParams, ConfigShown};
use crate::doctor::{Diagnosis, DoctorParams, RouterStatus};
use crate::host::{HostStatus, IdentifyParams, Nothing, PauseParams, Role};
use crate::ledger::{LedgerList, LedgerParams, Telemetry, TelemetryParams};
use crate::plan::{
    ApproveAnswer, ApproveParams, PlanList, PlanListParams, PlanParams, PlanPrepared, PlanView, PrepareParams,
    RunAnswer, RunParams,
};
use crate::provider::{
    KeyList, KeySetParams, KeyView, ModelList, ModelListParams, ProviderList, ProviderParams, ProviderTested,
    ProviderView,
};

/// Who may call a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// Every face.
    Anyone,
    /// The app and the command line: a person's own doors.
    People,
}

impl Audience {
    /// Whether a peer with this role may call.
    pub const fn admits(self, role: Role) -> bool {
        match self {
            Self::Anyone => true,
            Self::People => matches!(role, Role::App | Role::Cli),
        }
    }
}

/// One call: its name on the wire, its parameters and its answer.
pub trait Method {
    /// `resource/verb`, singular.
    const NAME: &'static str;
    /// Who may call it.
    const AUDIENCE: Audience;
    /// What it takes.
    type Params: Serialize + DeserializeOwned + Send;
    /// What it answers.
    type Response: Serialize + DeserializeOwned + Send;
}

/// Declares one type per method, and the list of all of them.
macro_rules! methods {
    ($($(#[$meta:meta])* $name:ident = $wire:literal, $audience:ident, $params:ty => $response:ty;)+) => {
        $(
            $(#[$meta])*
            #[derive(Debug, Clone, Copy)]
            pub struct $name;
            impl Method for $name {
                const NAME: &'static str = $wire;
                const AUDIENCE: Audience = Audience::$audience;
                type Params = $params;
                type Response = $response;
            }
        )+

        /// Every method: wire name, audience, TypeScript names of parameters and answer.
        pub fn table() -> Vec<MethodRow> {
            let config = ts_rs::Config::default();
            vec![$(MethodRow {
                name: $wire,
                audience: Audience::$audience,
                params: <$params as ts_rs::TS>::name(&config),
                response: <$response as ts_rs::TS>::name(&config),
            }),+]
        }
    };
}

/// One row of the method table, as the code generator needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodRow {
    /// Wire name.
    pub name: &'static str,
    /// Who may call.
    pub audience: Audience,
    /// TypeScript name of the parameters.
    pub params: String,
    /// TypeScript name of the answer.
    pub response: String,
}

methods! {
    /// Says who the sidecar speaks for.
    HostIdentify = "host/identify", Anyone, IdentifyParams => Nothing;
    /// The host's state.
    HostGetStatus = "host/status", Anyone, Nothing => HostStatus;
    /// Asks the host to finish and end.
    HostStop = "host/stop", People, Nothing => Nothing;
    /// Pauses or resumes all work.
    HostPause = "host/pause", People, PauseParams => HostStatus;
    /// Subscribes this connection to events.
    EventSubscribe = "event/subscribe", People, Nothing => Nothing;
    /// Prepares and locks a plan; calls no provider.
    PlanPrepare = "plan/prepare", Anyone, PrepareParams => PlanPrepared;
    /// Asks the human to consent to a plan; never grants.
    PlanApprove = "plan/approve", Anyone, ApproveParams => ApproveAnswer;
    /// Runs a plan once, or hands back the stored result.
    PlanRun = "plan/run", Anyone, RunParams => RunAnswer;
    /// The stored result of a plan; a sidecar gets those of its own client only.
    PlanResult = "plan/result", Anyone, PlanParams => RunAnswer;
    /// Plans, newest first.
    PlanGetList = "plan/list", People, PlanListParams => PlanList;
    /// One plan.
    PlanShow = "plan/show", People, PlanParams => PlanView;
    /// Questions to the human.
    ApprovalGetList = "approval/list", People, ApprovalListParams => ApprovalList;
    /// One question.
    ApprovalShow = "approval/show", People, ApprovalParams => ApprovalItem;
    /// The human's answer.
    ApprovalDecide = "approval/decide", People, DecideParams => ApprovalItem;
    /// Gives the question its full time again.
    ApprovalExtend = "approval/extend", People, ApprovalParams => ApprovalItem;
    /// Providers.
    ProviderGetList = "provider/list", Anyone, Nothing => ProviderList;
    /// Asks a provider for its models with the stored key.
    ProviderTest = "provider/test", People, ProviderParams => ProviderTested;
    /// Models.
    ModelGetList = "model/list", Anyone, ModelListParams => ModelList;
    /// Keys, masked.
    KeyGetList = "key/list", People, Nothing => KeyList;
    /// Stores a key.
    KeySet = "key/set", People, KeySetParams => KeyView;
    /// Removes a key.
    KeyRemove = "key/remove", People, ProviderParams => ProviderView;
    /// Calls of providers.
    LedgerGetList = "ledger/list", People, LedgerParams => LedgerList;
    /// Sums over calls.
    LedgerTelemetry = "ledger/telemetry", People, TelemetryParams => Telemetry;
    /// The newest audit rows.
    AuditGetTail = "audit/tail", People, AuditTailParams => AuditTail;
    /// Checks the chain.
    AuditVerify = "audit/verify", People, Nothing => AuditVerified;
    /// The configuration in force.
    ConfigShow = "config/show", People, Nothing => ConfigShown;
    /// Sets one value.
    ConfigSet = "config/set", People, ConfigSetParams => ConfigShown;
    /// Accepts the loosening edits that wait.
    ConfigAccept = "config/accept", People, ConfigAcceptParams => ConfigAccepted;
    /// Checks what works.
    DoctorRun = "doctor/run", Anyone, DoctorParams => Diagnosis;
    /// Everything an agent may know about the router.
    RouterGetStatus = "router/status", Anyone, Nothing => RouterStatus;
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique_and_have_a_resource_and_a_verb() {
        let rows = table();
        let names: BTreeSet<_> = rows.iter().map(|row| row.name).collect();
        assert_eq!(names.len(), rows.len());
        assert!(names.iter().all(|name| name.split('/').count() == 2));
    }

    #[test]
    fn deciding_keys_and_configuration_are_closed_to_agents() {
        for row in table() {
            let resource = row.name.split('/').next().unwrap();
            if matches!(resource, "approval" | "key" | "config" | "audit") {
                assert!(!row.audience.admits(Role::Sidecar), "{}", row.name);
            }
        }
    }
}
