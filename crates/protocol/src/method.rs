//! The method table: every call a face can make, with its types and who may make it.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::approval::{ApprovalItem, ApprovalList, ApprovalListParams, ApprovalParams, DecideParams};
use crate::audit::{AuditTail, AuditTailParams, AuditVerified};
use crate::configuration::{ConfigAcceptParams, ConfigAccepted, ConfigSetParams, ConfigShown};
use crate::doctor::{Diagnosis, DoctorParams, RouterStatus};
use crate::host::{HostStatus, IdentifyParams, Nothing, PauseParams, Role};
use crate::ledger::{LedgerList, LedgerParams, Telemetry, TelemetryParams};
use crate::library::{
    LibraryAnalyzeParams, LibraryAnalyzed, LibraryApproveParams, LibraryApproved, LibraryCreateParams, LibraryFound,
    LibraryHistory, LibraryList, LibraryListParams, LibraryObserveParams, LibraryObserved, LibraryRan, LibraryRebuilt,
    LibraryRegisterParams, LibraryRunParams, LibrarySearchParams, LibraryStatus, LibrarySuggestParams,
    LibrarySuggested, LibraryTool, LibraryToolParams, LibraryToolView,
};
use crate::plan::{
    ApproveAnswer, ApproveParams, MediaFileContent, MediaFileParams, PlanList, PlanListParams, PlanParams,
    PlanPrepared, PlanView, PrepareParams, RunAnswer, RunParams,
};
use crate::provider::{
    KeyList, KeySetParams, KeyView, ModelList, ModelListParams, ProviderList, ProviderParams, ProviderTested,
    ProviderView,
};
use crate::router::{
    CatalogueRefreshParams, CatalogueRefreshed, ConsentSetAnswer, ConsentSetParams, GuidanceSetting, LedgerExport,
    LedgerExportParams, PipelineForgetParams, PipelineForgotten, PipelineList, PipelineMarkParams, PipelineParams,
    PipelineView, QuotaList, QuotaRefreshed, TierList, TierListParams,
};
use crate::worker::{
    ClientAnswerParams, ClientAnswered, DecisionPolicies, DecisionRequestParams, ExpiringParams, ExpiringView,
    GovernanceParams, GuardParams, GuardVerdict, HookAnswer, HookParams, PolicyCheckParams, PolicyChecked,
    ReserveParams, Reserved, SavingsBackfilled, SavingsImportParams, SavingsImported, SavingsParams, SavingsReport,
    WorkerAnswer, WorkerArmParams, WorkerArtifactParams, WorkerCallParams, WorkerCompactParams, WorkerDelegateParams,
    WorkerDisclosureParams, WorkerModeParams, WorkerPurgeParams, WorkerPurged, WorkerRunParams, WorkerSessionDetail,
    WorkerSessionParams, WorkerSessionView, WorkerSessions, WorkerStatus,
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
    /// One file that a plan made; a sidecar gets those of its own client only.
    PlanMedia = "plan/media", Anyone, MediaFileParams => MediaFileContent;
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
    /// Asks providers for their models.
    CatalogueRefresh = "catalogue/refresh", Anyone, CatalogueRefreshParams => CatalogueRefreshed;
    /// What providers said about their quotas.
    QuotaGetList = "quota/list", Anyone, Nothing => QuotaList;
    /// Asks providers for balances and quotas.
    QuotaRefresh = "quota/refresh", Anyone, Nothing => QuotaRefreshed;
    /// How the way to each provider stands.
    PipelineGetStatus = "pipeline/status", Anyone, PipelineParams => PipelineList;
    /// Notes what an operator says about a pipeline.
    PipelineSetMark = "pipeline/mark", Anyone, PipelineMarkParams => PipelineView;
    /// Forgets the answers of probes.
    PipelineForget = "pipeline/forget", Anyone, PipelineForgetParams => PipelineForgotten;
    /// Models with declared plans and tiers.
    TierGetList = "tier/list", Anyone, TierListParams => TierList;
    /// Sets when the human is asked, for this session alone; less asking needs the human's consent.
    ConsentSet = "consent/set", Anyone, ConsentSetParams => ConsentSetAnswer;
    /// Whether results carry a thought about the next tier.
    GuidanceGet = "guidance/get", Anyone, Nothing => GuidanceSetting;
    /// Turns that on or off.
    GuidanceSet = "guidance/set", Anyone, GuidanceSetting => GuidanceSetting;
    /// Calls of providers in a form for other programs.
    LedgerGetExport = "ledger/export", People, LedgerExportParams => LedgerExport;
    /// The tools of the library.
    LibraryGetList = "library/list", Anyone, LibraryListParams => LibraryList;
    /// Tools that share words with a text.
    LibrarySearch = "library/search", Anyone, LibrarySearchParams => LibraryFound;
    /// Active tools that fit a piece of work.
    LibrarySuggest = "library/suggest", Anyone, LibrarySuggestParams => LibrarySuggested;
    /// Everything about one tool.
    LibraryRead = "library/read", Anyone, LibraryToolParams => LibraryToolView;
    /// Prepares a recipe's plan, or runs an approved script.
    LibraryRun = "library/run", Anyone, LibraryRunParams => LibraryRan;
    /// Makes a recipe.
    LibraryCreate = "library/create", Anyone, LibraryCreateParams => LibraryTool;
    /// Puts a script into the library as a draft.
    LibraryRegisterScript = "library/register_script", Anyone, LibraryRegisterParams => LibraryTool;
    /// Asks the human to put a tool into use; never grants.
    LibraryApprove = "library/approve", Anyone, LibraryApproveParams => LibraryApproved;
    /// Takes a tool out of use.
    LibraryDisable = "library/disable", Anyone, LibraryToolParams => LibraryTool;
    /// Counts one run of a workflow.
    LibraryObserve = "library/observe", Anyone, LibraryObserveParams => LibraryObserved;
    /// Makes tools of what repeats enough.
    LibraryAnalyze = "library/analyze", Anyone, LibraryAnalyzeParams => LibraryAnalyzed;
    /// Repairs the library and writes its catalogue anew.
    LibraryRebuild = "library/rebuild", Anyone, Nothing => LibraryRebuilt;
    /// How the library is.
    LibraryGetStatus = "library/status", Anyone, Nothing => LibraryStatus;
    /// Every content that a tool had.
    LibraryGetHistory = "library/history", People, LibraryToolParams => LibraryHistory;
    /// Puts a tool away with its files.
    LibraryArchive = "library/archive", People, LibraryToolParams => LibraryTool;
    /// Removes a tool with its files, for good.
    LibraryDelete = "library/delete", People, LibraryToolParams => Nothing;
    /// Runs a command on this machine and hands back a digest.
    WorkerRun = "worker/run", Anyone, WorkerRunParams => WorkerAnswer;
    /// Reads files, text or a command's output and answers a question about it.
    WorkerDelegate = "worker/delegate", Anyone, WorkerDelegateParams => WorkerAnswer;
    /// An exact slice of stored material, scrubbed.
    WorkerArtifact = "worker/artifact", Anyone, WorkerArtifactParams => WorkerAnswer;
    /// How the worker stands in a session.
    WorkerGetStatus = "worker/status", Anyone, WorkerCallParams => WorkerStatus;
    /// Asks the human to turn the worker on; never turns it on by itself.
    WorkerEnable = "worker/enable", Anyone, WorkerCallParams => WorkerAnswer;
    /// Masks at once; opening asks the human.
    WorkerDisclose = "worker/disclosure", Anyone, WorkerDisclosureParams => WorkerAnswer;
    /// Compacts the memory of a session.
    WorkerCompact = "worker/compact", Anyone, WorkerCompactParams => WorkerAnswer;
    /// Goes to `pii` at once; leaving it asks the human.
    WorkerSetMode = "worker/set_mode", Anyone, WorkerModeParams => WorkerAnswer;
    /// Chooses one of a few options, as advice.
    WorkerDecide = "worker/decide", Anyone, DecisionRequestParams => WorkerAnswer;
    /// The same for a question that comes with the worker.
    WorkerGovern = "worker/governance", Anyone, GovernanceParams => WorkerAnswer;
    /// The questions that come with the worker.
    WorkerPolicies = "worker/policies", Anyone, Nothing => DecisionPolicies;
    /// What a client's own dialog said to a question.
    QuestionAnswer = "question/answer", Anyone, ClientAnswerParams => ClientAnswered;
    /// What the policy says of a command, without running it.
    PolicyCheck = "policy/check", Anyone, PolicyCheckParams => PolicyChecked;
    /// What a client's hook reports.
    HookReport = "hook/event", Anyone, HookParams => HookAnswer;
    /// A client's own command or read, before it happens.
    GuardJudge = "guard/judge", Anyone, GuardParams => GuardVerdict;
    /// Sessions of the worker.
    WorkerGetSessions = "worker/sessions", People, Nothing => WorkerSessions;
    /// One session.
    WorkerGetSession = "worker/session", People, WorkerSessionParams => WorkerSessionDetail;
    /// Removes sessions, or parts of them.
    WorkerPurge = "worker/purge", People, WorkerPurgeParams => WorkerPurged;
    /// Keeps placeholders that an older product gave out from being given again.
    WorkerReserve = "worker/reserve", People, ReserveParams => Reserved;
    /// What limits by age will remove.
    WorkerGetExpiring = "worker/expiring", People, ExpiringParams => ExpiringView;
    /// Turns a session on or off.
    WorkerArm = "worker/arm", People, WorkerArmParams => WorkerSessionView;
    /// What was saved.
    SavingsGetReport = "savings/report", Anyone, SavingsParams => SavingsReport;
    /// Counts turns that were not counted.
    SavingsBackfill = "savings/backfill", People, Nothing => SavingsBackfilled;
    /// Counts turns that an older product counted.
    SavingsImport = "savings/import", People, SavingsImportParams => SavingsImported;
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
