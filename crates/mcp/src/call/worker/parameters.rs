//! Arguments of the worker's tools as parameters of the host's methods.

use lwa_protocol::Failure;
use lwa_protocol::worker::{
    DecisionRequestParams, GovernanceParams, WorkerArtifactParams, WorkerCall, WorkerCallParams, WorkerCompactParams,
    WorkerDelegateParams, WorkerDisclosureParams, WorkerModeParams, WorkerRunParams,
};

use super::word;
use crate::arguments::Arguments;
use crate::tool::worker::{IDENTITY, MODES, NUMBERS, POLICIES};

/// What a compaction is for when the caller does not say.
const COMPACT_REASON: &str = "asked for by the client";

/// Parameters that say where their call comes from.
pub(super) trait CarriesCall {
    /// Where the call comes from.
    fn call_mut(&mut self) -> &mut WorkerCall;
}

macro_rules! carries_call {
    ($($params:ty),+) => {
        $(impl CarriesCall for $params {
            fn call_mut(&mut self) -> &mut WorkerCall {
                &mut self.call
            }
        })+
    };
}

carries_call!(
    DecisionRequestParams,
    GovernanceParams,
    WorkerArtifactParams,
    WorkerCallParams,
    WorkerCompactParams,
    WorkerDelegateParams,
    WorkerDisclosureParams,
    WorkerModeParams,
    WorkerRunParams
);

pub(super) fn run(arguments: &mut Arguments) -> WorkerRunParams {
    WorkerRunParams {
        call: WorkerCall::default(),
        command: arguments.text("command").unwrap_or_default(),
        task: arguments.text("task").unwrap_or_default(),
        cwd: arguments.text("cwd").unwrap_or_default(),
        timeout_s: arguments.whole("timeout_s").unwrap_or_default(),
        max_output_chars: arguments.whole("max_output_chars").unwrap_or_default(),
        verbatim: arguments.flag("verbatim"),
        secret_env: arguments.named("secret_env"),
    }
}

pub(super) fn delegate(arguments: &mut Arguments) -> WorkerDelegateParams {
    WorkerDelegateParams {
        call: WorkerCall::default(),
        task: arguments.text("task").unwrap_or_default(),
        material: arguments.text("material").unwrap_or_default(),
        paths: arguments.texts("paths"),
        command: arguments.text("command").unwrap_or_default(),
        cwd: arguments.text("cwd").unwrap_or_default(),
        max_output_chars: arguments.whole("max_output_chars").unwrap_or_default(),
        verbatim: arguments.flag("verbatim"),
    }
}

pub(super) fn artifact(arguments: &mut Arguments) -> WorkerArtifactParams {
    WorkerArtifactParams {
        call: WorkerCall::default(),
        reference: arguments.text("ref").unwrap_or_default(),
        offset: arguments.count("offset"),
        limit: arguments.whole("limit").unwrap_or_default(),
        line_start: arguments.count("line_start"),
        line_end: arguments.count("line_end"),
    }
}

pub(super) fn nothing() -> WorkerCallParams {
    WorkerCallParams::default()
}

pub(super) fn disclosure(arguments: &mut Arguments) -> Result<WorkerDisclosureParams, Failure> {
    Ok(WorkerDisclosureParams {
        call: WorkerCall::default(),
        identity: word("identity", arguments.text("identity"), IDENTITY)?,
        numbers: word("numbers", arguments.text("numbers"), NUMBERS)?,
        reason: arguments.text("reason").unwrap_or_default(),
    })
}

pub(super) fn mode(arguments: &mut Arguments) -> Result<WorkerModeParams, Failure> {
    Ok(WorkerModeParams { call: WorkerCall::default(), mode: word("mode", arguments.text("mode"), MODES)? })
}

pub(super) fn compact(arguments: &mut Arguments) -> WorkerCompactParams {
    let reason = arguments.filled("reason").unwrap_or_else(|| COMPACT_REASON.to_owned());
    WorkerCompactParams { call: WorkerCall::default(), reason }
}

pub(super) fn decide(arguments: &mut Arguments) -> DecisionRequestParams {
    DecisionRequestParams {
        call: WorkerCall::default(),
        state: arguments.text("state").unwrap_or_default(),
        question: arguments.text("question").unwrap_or_default(),
        choices: arguments.named("choices"),
    }
}

pub(super) fn govern(arguments: &mut Arguments) -> Result<GovernanceParams, Failure> {
    Ok(GovernanceParams {
        call: WorkerCall::default(),
        policy: word("policy", arguments.text("policy"), POLICIES)?,
        evidence: arguments.text("evidence").unwrap_or_default(),
    })
}
