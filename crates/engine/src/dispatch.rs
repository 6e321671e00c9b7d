//! One place where calls become use cases, and where each caller's right to a method is checked.

use lwa_domain::ErrorCode;
use lwa_protocol::host::Nothing;
use lwa_protocol::method::{
    ApprovalDecide, ApprovalExtend, ApprovalGetList, ApprovalShow, AuditGetTail, AuditVerify, CatalogueRefresh,
    ConfigAccept, ConfigSet, ConfigShow, ConsentSet, DoctorRun, EventSubscribe, GuardJudge, GuidanceGet, GuidanceSet,
    HookReport, HostGetStatus, HostIdentify, HostPause, HostStop, KeyGetList, KeyRemove, KeySet, LedgerGetExport,
    LedgerGetList, LedgerTelemetry, LibraryAnalyze, LibraryApprove, LibraryArchive, LibraryCreate, LibraryDelete,
    LibraryDisable, LibraryGetHistory, LibraryGetList, LibraryGetStatus, LibraryObserve, LibraryRead, LibraryRebuild,
    LibraryRegisterScript, LibraryRun, LibrarySearch, LibrarySuggest, Method, ModelGetList, PipelineForget,
    PipelineGetStatus, PipelineSetMark, PlanApprove, PlanGetList, PlanMedia, PlanPrepare, PlanResult, PlanRun,
    PlanShow, PolicyCheck, ProviderGetList, ProviderTest, QuestionAnswer, QuotaGetList, QuotaRefresh, RouterGetStatus,
    SavingsBackfill, SavingsGetReport, SavingsImport, TierGetList, WorkerArm, WorkerArtifact, WorkerCompact,
    WorkerDecide, WorkerDelegate, WorkerDisclose, WorkerEnable, WorkerGetExpiring, WorkerGetSession, WorkerGetSessions,
    WorkerGetStatus, WorkerGovern, WorkerPolicies, WorkerPurge, WorkerReserve, WorkerRun, WorkerSetMode,
};
use lwa_protocol::plan::RunProgress;
use lwa_protocol::{Failure, Role};
use serde_json::Value;
use tokio::sync::mpsc;

use crate::caller::Caller;
use crate::engine::Engine;
use crate::failure;

/// Checks the caller's right and reads the parameters.
fn admit<M: Method>(caller: &Caller, params: Value) -> Result<M::Params, Failure> {
    if !M::AUDIENCE.admits(caller.role) {
        return Err(Failure::new(ErrorCode::Forbidden, format!("`{}` is for people, not for agents", M::NAME))
            .hint("use the Lwa app, or `lwa` in a terminal of your own"));
    }
    serde_json::from_value(params).map_err(|error| {
        Failure::new(
            ErrorCode::InvalidInput,
            format!("`{}` was called with parameters of another shape: {error}", M::NAME),
        )
    })
}

fn answer<M: Method>(response: &M::Response) -> Result<Value, Failure> {
    serde_json::to_value(response).map_err(|error| failure::json(&error))
}

impl Engine {
    /// Serves one call.
    ///
    /// `host/identify`, `event/subscribe` and `host/stop` act on the connection and are served by it.
    ///
    /// # Errors
    /// Whatever the use case refuses, an unknown method, or a method that is not for this caller.
    pub async fn call(
        &self,
        caller: &Caller,
        method: &str,
        params: Value,
        progress: Option<mpsc::Sender<RunProgress>>,
    ) -> Result<Value, Failure> {
        macro_rules! serve {
            ($method:ty, $params:ident => $work:expr) => {{
                let $params = admit::<$method>(caller, params)?;
                answer::<$method>(&$work)
            }};
        }
        if caller.role == Role::Sidecar
            || matches!(method, PlanPrepare::NAME | PlanRun::NAME | PlanApprove::NAME | LibraryRun::NAME)
        {
            self.refresh_configuration().await?;
        }
        match method {
            HostGetStatus::NAME => {
                self.refresh_configuration().await?;
                serve!(HostGetStatus, _p => self.status().await?)
            }
            HostPause::NAME => serve!(HostPause, p => self.set_pause(caller, &p).await?),
            PlanPrepare::NAME => serve!(PlanPrepare, p => self.prepare(caller, &p).await?),
            PlanApprove::NAME => serve!(PlanApprove, p => self.approve(caller, &p).await?),
            PlanRun::NAME => serve!(PlanRun, p => self.run(caller, &p, progress).await?),
            PlanResult::NAME => serve!(PlanResult, p => self.result(caller, &p).await?),
            PlanMedia::NAME => serve!(PlanMedia, p => self.media_file(caller, &p).await?),
            CatalogueRefresh::NAME => serve!(CatalogueRefresh, p => self.refresh_catalogue(&p).await?),
            QuotaGetList::NAME => serve!(QuotaGetList, _p => self.list_quotas().await?),
            QuotaRefresh::NAME => serve!(QuotaRefresh, _p => self.refresh_quotas().await?),
            PipelineGetStatus::NAME => serve!(PipelineGetStatus, p => self.pipelines(&p).await?),
            PipelineSetMark::NAME => serve!(PipelineSetMark, p => self.mark_pipeline(&p).await?),
            PipelineForget::NAME => serve!(PipelineForget, p => self.forget_probes(&p)),
            TierGetList::NAME => serve!(TierGetList, p => self.list_tiers(&p).await?),
            ConsentSet::NAME => serve!(ConsentSet, p => self.set_consent_mode(caller, &p).await?),
            GuidanceGet::NAME => serve!(GuidanceGet, _p => self.guidance().await?),
            GuidanceSet::NAME => serve!(GuidanceSet, p => self.set_guidance(caller, &p).await?),
            LibraryGetList::NAME => serve!(LibraryGetList, p => self.list_library(&p).await?),
            LibrarySearch::NAME => serve!(LibrarySearch, p => self.search_library(&p).await?),
            LibrarySuggest::NAME => serve!(LibrarySuggest, p => self.suggest_library(&p).await?),
            LibraryRead::NAME => serve!(LibraryRead, p => self.read_library_tool(&p).await?),
            LibraryRun::NAME => serve!(LibraryRun, p => self.run_tool(caller, &p).await?),
            LibraryCreate::NAME => serve!(LibraryCreate, p => self.create_recipe(caller, p).await?),
            LibraryRegisterScript::NAME => serve!(LibraryRegisterScript, p => self.register_script(caller, p).await?),
            LibraryApprove::NAME => serve!(LibraryApprove, p => self.approve_tool(caller, &p).await?),
            LibraryDisable::NAME => serve!(LibraryDisable, p => self.disable_tool(caller, &p).await?),
            LibraryObserve::NAME => serve!(LibraryObserve, p => self.observe_workflow(caller, p).await?),
            LibraryAnalyze::NAME => serve!(LibraryAnalyze, p => self.analyze_workflows(caller, &p).await?),
            LibraryRebuild::NAME => serve!(LibraryRebuild, _p => self.rebuild_library(caller).await?),
            LibraryGetStatus::NAME => serve!(LibraryGetStatus, _p => self.library_status().await?),
            LibraryGetHistory::NAME => serve!(LibraryGetHistory, p => self.tool_history(&p).await?),
            LibraryArchive::NAME => serve!(LibraryArchive, p => self.archive_tool(caller, &p).await?),
            LibraryDelete::NAME => serve!(LibraryDelete, p => self.delete_tool(caller, &p).await?),
            LedgerGetExport::NAME => serve!(LedgerGetExport, p => self.export_ledger(&p).await?),
            PlanGetList::NAME => serve!(PlanGetList, p => self.list_plans(&p).await?),
            PlanShow::NAME => serve!(PlanShow, p => self.show_plan(&p).await?),
            ApprovalGetList::NAME => serve!(ApprovalGetList, p => self.list_approvals(&p).await?),
            ApprovalShow::NAME => serve!(ApprovalShow, p => self.show_approval(&p).await?),
            ApprovalDecide::NAME => serve!(ApprovalDecide, p => self.decide(caller, &p).await?),
            ApprovalExtend::NAME => serve!(ApprovalExtend, p => self.extend(&p).await?),
            ProviderGetList::NAME => serve!(ProviderGetList, _p => self.list_providers().await?),
            ProviderTest::NAME => serve!(ProviderTest, p => self.test_provider(&p).await?),
            ModelGetList::NAME => serve!(ModelGetList, p => self.list_models(&p).await?),
            KeyGetList::NAME => serve!(KeyGetList, _p => self.list_keys().await?),
            KeySet::NAME => serve!(KeySet, p => self.set_key(caller, p).await?),
            KeyRemove::NAME => serve!(KeyRemove, p => self.remove_key(caller, &p).await?),
            name if is_of_the_worker(name) => Box::pin(self.call_worker(caller, method, params)).await,
            LedgerGetList::NAME => serve!(LedgerGetList, p => self.list_ledger(&p).await?),
            LedgerTelemetry::NAME => serve!(LedgerTelemetry, p => self.telemetry(&p).await?),
            AuditGetTail::NAME => serve!(AuditGetTail, p => self.audit_tail(&p).await?),
            AuditVerify::NAME => serve!(AuditVerify, _p => self.verify_audit().await?),
            ConfigShow::NAME => {
                self.refresh_configuration().await?;
                serve!(ConfigShow, _p => self.show_what_waits().await?)
            }
            ConfigSet::NAME => serve!(ConfigSet, p => self.set_configuration(caller, &p).await?),
            ConfigAccept::NAME => {
                self.refresh_configuration().await?;
                serve!(ConfigAccept, p => self.accept_configuration(caller, &p).await?)
            }
            DoctorRun::NAME => {
                self.refresh_configuration().await?;
                serve!(DoctorRun, p => self.diagnose(&p).await?)
            }
            RouterGetStatus::NAME => serve!(RouterGetStatus, _p => self.router_status(caller).await?),
            HostIdentify::NAME | EventSubscribe::NAME | HostStop::NAME => {
                Err(Failure::new(ErrorCode::Internal, format!("`{method}` is served by the connection")))
            }
            other => {
                let shown: String = other.chars().take(60).collect();
                Err(Failure::new(ErrorCode::ProtocolMismatch, format!("the host does not know the method `{shown}`"))
                    .hint("this program is newer than the running host; run `lwa stop` and try again"))
            }
        }
    }

    /// Serves one call that is about the worker.
    async fn call_worker(&self, caller: &Caller, method: &str, params: Value) -> Result<Value, Failure> {
        macro_rules! serve {
            ($method:ty, $params:ident => $work:expr) => {{
                let $params = admit::<$method>(caller, params)?;
                answer::<$method>(&$work)
            }};
        }
        match method {
            WorkerRun::NAME => serve!(WorkerRun, p => self.worker_run(caller, p).await?),
            WorkerDelegate::NAME => serve!(WorkerDelegate, p => self.worker_delegate(caller, p).await?),
            WorkerArtifact::NAME => serve!(WorkerArtifact, p => self.worker_artifact(caller, p).await?),
            WorkerGetStatus::NAME => serve!(WorkerGetStatus, p => self.worker_status(caller, &p).await?),
            WorkerEnable::NAME => serve!(WorkerEnable, p => self.worker_enable(caller, p).await?),
            WorkerDisclose::NAME => serve!(WorkerDisclose, p => self.worker_disclosure(caller, p).await?),
            WorkerCompact::NAME => serve!(WorkerCompact, p => self.worker_compact(caller, p).await?),
            WorkerSetMode::NAME => serve!(WorkerSetMode, p => self.worker_set_mode(caller, p).await?),
            WorkerDecide::NAME => serve!(WorkerDecide, p => self.worker_decide(caller, p).await?),
            WorkerGovern::NAME => serve!(WorkerGovern, p => self.worker_governance(caller, p).await?),
            WorkerPolicies::NAME => serve!(WorkerPolicies, _p => self.decision_policies()?),
            QuestionAnswer::NAME => serve!(QuestionAnswer, p => self.answer_from_client(caller, &p).await?),
            PolicyCheck::NAME => serve!(PolicyCheck, p => self.check_policy(caller, &p).await?),
            HookReport::NAME => serve!(HookReport, p => self.hook_event(caller, &p).await?),
            GuardJudge::NAME => serve!(GuardJudge, p => self.judge_for_guard(&p).await?),
            WorkerGetSessions::NAME => serve!(WorkerGetSessions, _p => self.list_worker_sessions().await?),
            WorkerGetSession::NAME => serve!(WorkerGetSession, p => self.show_worker_session(&p).await?),
            WorkerPurge::NAME => serve!(WorkerPurge, p => self.purge_worker(caller, &p).await?),
            WorkerReserve::NAME => serve!(WorkerReserve, p => self.reserve_given(caller, &p).await?),
            WorkerGetExpiring::NAME => serve!(WorkerGetExpiring, p => self.worker_expiring(p).await?),
            WorkerArm::NAME => serve!(WorkerArm, p => self.arm_worker_session(caller, &p).await?),
            SavingsGetReport::NAME => serve!(SavingsGetReport, p => self.savings_report(&p).await?),
            SavingsBackfill::NAME => serve!(SavingsBackfill, _p => self.backfill_savings().await?),
            SavingsImport::NAME => serve!(SavingsImport, p => self.import_savings(caller, &p).await?),
            _ => Err(Failure::new(ErrorCode::Internal, format!("`{method}` is not about the worker"))),
        }
    }

    /// Checks a call that the connection serves itself.
    pub(crate) fn admit_connection_call<M: Method>(caller: &Caller, params: Value) -> Result<M::Params, Failure> {
        admit::<M>(caller, params)
    }
}

/// Whether a method is served by [`Engine::call_worker`].
fn is_of_the_worker(method: &str) -> bool {
    ["worker/", "question/", "policy/", "hook/", "guard/", "savings/"].iter().any(|start| method.starts_with(start))
}

/// The answer without content.
pub(crate) fn nothing() -> Value {
    serde_json::to_value(Nothing {}).unwrap_or_default()
}
