//! Collects a type and everything it is made of, and lays the declarations out for reading.

use std::any::TypeId;
use std::collections::{BTreeMap, HashSet};

use lwa_protocol::{
    approval, audit, configuration, doctor, error, event, host, ledger, library, plan, provider, router, worker,
};
use ts_rs::{Config, TS, TypeVisitor};

use super::layout::{comment, lay_out};

/// TypeScript declarations by name.
pub struct Declarations {
    config: Config,
    seen: HashSet<TypeId>,
    texts: BTreeMap<String, String>,
}

impl TypeVisitor for Declarations {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        if !self.seen.insert(TypeId::of::<T>()) {
            return;
        }
        // A type without a path is one of the language's own, such as a string or a list.
        if T::output_path().is_some() {
            let docs = T::docs().unwrap_or_default();
            let text = format!("{}\nexport {}", comment(&docs), lay_out(&T::decl(&self.config)));
            self.texts.insert(T::ident(&self.config), text);
        }
        T::visit_dependencies(self);
        T::visit_generics(self);
    }
}

/// Visits each type of the list.
macro_rules! visit_all {
    ($visitor:expr, $($root:ty),+ $(,)?) => { $( $visitor.visit::<$root>(); )+ };
}

impl Declarations {
    /// Everything that travels: parameters and answers of every method, events, failures, progress.
    ///
    /// Only the roots are listed; what they are made of follows. A method whose types are not
    /// reached makes the generator fail, so the list cannot fall behind in silence.
    pub fn of_protocol() -> Self {
        // JSON has only numbers. Counts stay far below what one holds exactly, and amounts of money are texts.
        let config = Config::default().with_large_int("number");
        let mut all = Self { config, seen: HashSet::new(), texts: BTreeMap::new() };
        visit_all!(all, event::Event, error::Failure, host::Nothing, host::Role, lwa_domain::ConsentMode);
        visit_all!(all, host::IdentifyParams, host::HostStatus, host::PauseParams);
        visit_all!(all, plan::PrepareParams, plan::PlanPrepared, plan::ApproveParams, plan::ApproveAnswer);
        visit_all!(all, plan::RunParams, plan::RunAnswer, plan::RunProgress, plan::PlanParams);
        visit_all!(all, plan::MediaFileParams, plan::MediaFileContent);
        visit_all!(all, router::CatalogueRefreshParams, router::CatalogueRefreshed, router::QuotaList);
        visit_all!(all, router::QuotaRefreshed, router::PipelineParams, router::PipelineList);
        visit_all!(all, router::PipelineMarkParams, router::PipelineForgetParams, router::PipelineForgotten);
        visit_all!(all, router::TierListParams, router::TierList, router::ConsentSetParams);
        visit_all!(all, router::ConsentSetAnswer, router::GuidanceSetting);
        visit_all!(all, router::LedgerExportParams, router::LedgerExport);
        visit_all!(all, plan::PlanListParams, plan::PlanList, plan::PlanView);
        visit_all!(all, approval::ApprovalListParams, approval::ApprovalList, approval::ApprovalParams);
        visit_all!(all, approval::ApprovalItem, approval::DecideParams);
        visit_all!(all, provider::ProviderList, provider::ProviderParams, provider::ProviderTested);
        visit_all!(all, provider::ModelListParams, provider::ModelList, provider::KeyList, provider::KeySetParams);
        visit_all!(all, ledger::LedgerParams, ledger::LedgerList, ledger::TelemetryParams, ledger::Telemetry);
        visit_all!(all, audit::AuditTailParams, audit::AuditTail, audit::AuditVerified);
        visit_all!(
            all,
            configuration::ConfigShown,
            configuration::ConfigSetParams,
            configuration::ConfigAcceptParams,
            configuration::ConfigAccepted
        );
        visit_all!(all, library::LibraryListParams, library::LibraryList, library::LibrarySearchParams);
        visit_all!(all, library::LibraryFound, library::LibrarySuggestParams, library::LibrarySuggested);
        visit_all!(all, library::LibraryToolParams, library::LibraryToolView, library::LibraryRunParams);
        visit_all!(all, library::LibraryRan, library::LibraryCreateParams, library::LibraryRegisterParams);
        visit_all!(all, library::LibraryTool, library::LibraryApproveParams, library::LibraryApproved);
        visit_all!(all, library::LibraryObserveParams, library::LibraryObserved, library::LibraryAnalyzeParams);
        visit_all!(all, library::LibraryAnalyzed, library::LibraryRebuilt, library::LibraryStatus);
        visit_all!(all, library::LibraryHistory);
        visit_all!(all, worker::WorkerRunParams, worker::WorkerDelegateParams, worker::WorkerArtifactParams);
        visit_all!(all, worker::WorkerCallParams, worker::WorkerDisclosureParams, worker::WorkerCompactParams);
        visit_all!(all, worker::WorkerModeParams, worker::WorkerAnswer, worker::WorkerStatus);
        visit_all!(all, worker::DecisionRequestParams, worker::GovernanceParams, worker::DecisionPolicies);
        visit_all!(all, worker::ClientAnswerParams, worker::ClientAnswered, worker::PolicyCheckParams);
        visit_all!(all, worker::PolicyChecked, worker::HookParams, worker::HookAnswer, worker::GuardParams);
        visit_all!(all, worker::GuardVerdict, worker::WorkerSessions, worker::WorkerSessionParams);
        visit_all!(all, worker::WorkerSessionDetail, worker::WorkerSessionView, worker::WorkerArmParams);
        visit_all!(all, worker::WorkerPurgeParams, worker::WorkerPurged, worker::SavingsParams);
        visit_all!(all, worker::ExpiringParams, worker::ExpiringView, worker::ReserveParams, worker::Reserved);
        visit_all!(all, worker::SavingsReport, worker::SavingsBackfilled);
        visit_all!(all, worker::SavingsImportParams, worker::SavingsImported);
        visit_all!(all, doctor::DoctorParams, doctor::Diagnosis, doctor::RouterStatus);
        all
    }

    /// Whether `name` is declared.
    pub fn has(&self, name: &str) -> bool {
        self.texts.contains_key(name)
    }

    /// The declarations, by name.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.texts.values().map(String::as_str)
    }
}
