//! An engine in a folder of its own, a clock that stands still, and callers made by hand.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use jiff::{SignedDuration, Timestamp};
use lwa_config::Home;
use lwa_domain::{ApprovalId, ClientName, PlanId, SessionId};
use lwa_engine::caller::Caller;
use lwa_engine::peer::Process;
use lwa_engine::{Engine, EngineOptions};
use lwa_protocol::approval::{Answer, ApprovalItem, ApprovalListParams, DecideParams};
use lwa_protocol::configuration::ConfigAcceptParams;
use lwa_protocol::host::ClientInfo;
use lwa_protocol::plan::{
    ApproveAnswer, ApproveParams, PlanParams, PlanPrepared, PlanView, PrepareParams, RunAnswer, RunParams,
};
use lwa_protocol::{Failure, Role};
use lwa_secrets::MemoryStore;
use tempfile::TempDir;

/// Under this everything has to be asked about, so that consent needs no provider.
pub const ALWAYS_ASK: &str = "[router]\nconsent_mode = \"always_ask\"\n";
/// A process id that the clients of these tests have. No real process can have it.
pub const AGENT: u32 = 4_200_001;

/// A folder with a clock, in which engines come and go.
pub struct Place {
    pub temp: TempDir,
    now: Arc<Mutex<Timestamp>>,
}

/// A running engine.
pub struct Host {
    pub place: Place,
    pub engine: Engine,
}

impl Place {
    pub fn new(config: &str) -> Self {
        let place = Self {
            temp: tempfile::tempdir().unwrap(),
            now: Arc::new(Mutex::new("2026-06-15T12:00:00Z".parse().unwrap())),
        };
        place.home().create().unwrap();
        place.write_config(config);
        place
    }

    pub fn home(&self) -> Home {
        Home::at(self.temp.path()).unwrap()
    }

    pub fn config_file(&self) -> PathBuf {
        self.home().config_file()
    }

    /// Replaces the file at once, as editors do.
    pub fn write_config(&self, text: &str) {
        let new = self.config_file().with_extension("new");
        std::fs::write(&new, text).unwrap();
        std::fs::rename(&new, self.config_file()).unwrap();
    }

    pub fn pass(&self, time: SignedDuration) {
        *self.now.lock().unwrap() += time;
    }

    pub async fn start(self) -> Host {
        let engine = self.open().await;
        Host { place: self, engine }
    }

    pub async fn open(&self) -> Engine {
        let now = self.now.clone();
        let options = EngineOptions {
            home: self.home(),
            clock: Arc::new(move || *now.lock().unwrap()),
            secrets: Some(Arc::new(MemoryStore::new())),
            program_folder: self.temp.path().join("bin"),
            detects_local_servers: false,
        };
        Engine::open(options).await.unwrap()
    }
}

impl Host {
    /// # Panics
    /// The configuration cannot be used: a test under the shipped values would prove nothing about it.
    pub async fn new(config: &str) -> Self {
        let host = Place::new(config).start().await;
        assert_eq!(host.engine.show_configuration().unwrap().error, None);
        host
    }

    /// Lets time pass and does what the host does by itself then.
    pub async fn pass(&self, time: SignedDuration) {
        self.place.pass(time);
        self.engine.sweep().await;
    }

    /// A plan of the built-in provider.
    pub async fn prepare(&self, caller: &Caller) -> PlanPrepared {
        self.prepare_with(caller, PrepareParams::default()).await.unwrap()
    }

    pub async fn prepare_with(&self, caller: &Caller, params: PrepareParams) -> Result<PlanPrepared, Failure> {
        let task = if params.task.is_empty() { "token_optimization" } else { &params.task }.to_owned();
        let prompt = "Please be so kind as to check whether port 8443 is open.".to_owned();
        self.engine.prepare(caller, &PrepareParams { task, prompt, ..params }).await
    }

    pub async fn approve(&self, caller: &Caller, plan: &PlanPrepared) -> Result<ApproveAnswer, Failure> {
        approve(&self.engine, caller, plan, 0).await
    }

    pub async fn run(&self, caller: &Caller, plan: &PlanPrepared) -> Result<RunAnswer, Failure> {
        run(&self.engine, caller, plan).await
    }

    pub async fn plan(&self, plan: &PlanPrepared) -> PlanView {
        self.engine.show_plan(&PlanParams { plan_id: plan.plan_id.clone() }).await.unwrap()
    }

    pub async fn decide(&self, caller: &Caller, id: &ApprovalId, answer: Answer) -> Result<ApprovalItem, Failure> {
        self.engine
            .decide(caller, &DecideParams { id: id.clone(), answer, reason: None, code: None, variant: None })
            .await
    }

    /// Every question, ended ones included.
    pub async fn questions(&self) -> Vec<ApprovalItem> {
        self.engine.list_approvals(&ApprovalListParams { with_answered: true, limit: None }).await.unwrap().approvals
    }

    pub async fn open_questions(&self) -> Vec<ApprovalItem> {
        self.engine.list_approvals(&ApprovalListParams::default()).await.unwrap().approvals
    }

    /// How many calls the ledger knows of, and how many audit rows tell of one.
    pub async fn claims(&self) -> (usize, usize) {
        let rows = self.engine.list_ledger(&lwa_protocol::ledger::LedgerParams::default()).await.unwrap().rows;
        (rows.len(), self.audit("plan.claimed").await)
    }

    /// How many audit rows tell of an action.
    pub async fn audit(&self, action: &str) -> usize {
        let params = lwa_protocol::audit::AuditTailParams { limit: Some(10_000) };
        let events = self.engine.audit_tail(&params).await.unwrap().events;
        events.iter().filter(|event| event.action == action).count()
    }

    /// Whether the runtime had nothing to do but wait, for as long as a few reads of the database take.
    pub async fn is_quiet(&self) -> bool {
        let before = tokio::runtime::Handle::current().metrics().num_alive_tasks();
        for _ in 0..20 {
            self.questions().await;
        }
        tokio::runtime::Handle::current().metrics().num_alive_tasks() == before
    }

    /// The value in force, as people see it.
    pub fn value(&self, key: &str) -> serde_json::Value {
        let shown = self.engine.show_configuration().unwrap();
        shown.values.into_iter().find(|value| value.key == key).unwrap().value
    }
}

pub async fn approve(
    engine: &Engine,
    caller: &Caller,
    plan: &PlanPrepared,
    hold_ms: u32,
) -> Result<ApproveAnswer, Failure> {
    let confirmation_token = plan.confirmation_token.clone().expect("the plan needs no consent");
    engine.approve(caller, &ApproveParams { confirmation_token, hold_ms }).await
}

pub async fn run(engine: &Engine, caller: &Caller, plan: &PlanPrepared) -> Result<RunAnswer, Failure> {
    let params = RunParams {
        plan_token: plan.plan_token.clone(),
        hold_ms: 30_000,
        max_text_bytes: None,
        next_tier_suggestion: None,
    };
    engine.run(caller, &params, None).await
}

fn caller(role: Role, name: &str, process: Option<Process>) -> Caller {
    // Far from the numbers that the socket server gives.
    static NEXT: AtomicU64 = AtomicU64::new(1_000_000);
    let connection = NEXT.fetch_add(1, Ordering::Relaxed);
    Caller {
        connection,
        role,
        client: ClientInfo { name: ClientName::new(name), version: None, cwd: None },
        session: SessionId::new(format!("{connection:016x}")),
        process,
    }
}

/// A process with these ancestors, nearest first.
pub fn process(pid: u32, ancestors: &[u32]) -> Process {
    let ancestors = ancestors.iter().map(|pid| (*pid, format!("p{pid}"))).collect();
    Process { pid, executable: None, ancestors, is_of_a_run: false }
}

/// A sidecar that [`AGENT`] started.
pub fn agent() -> Caller {
    caller(Role::Sidecar, "codex", Some(process(4_200_002, &[AGENT, 4_200_000])))
}

/// The app, started by nobody that is a client.
pub fn app() -> Caller {
    caller(Role::App, "lwa", Some(process(4_300_001, &[4_300_000])))
}

/// A terminal that nobody's client started.
pub fn terminal() -> Caller {
    caller(Role::Cli, "lwa", Some(process(4_400_001, &[4_400_000])))
}

/// One of our programs that the agent's shell started.
pub fn of_the_agent(role: Role) -> Caller {
    caller(role, "lwa", Some(process(4_200_009, &[4_200_008, AGENT, 4_200_000])))
}

/// One of our programs whose process the system does not name.
pub fn unknown_process(role: Role) -> Caller {
    caller(role, "lwa", None)
}

pub fn id(answer: &ApproveAnswer) -> ApprovalId {
    answer.approval_id.clone().unwrap()
}

pub fn no_plan() -> PlanId {
    PlanId::new("000000000000000000000000")
}

pub fn minutes(minutes: i64) -> SignedDuration {
    SignedDuration::from_mins(minutes)
}

/// The loosening edits that wait, as a person sees them before accepting.
pub fn what_waits(host: &Host) -> ConfigAcceptParams {
    ConfigAcceptParams { shown: host.engine.show_configuration().unwrap().pending }
}
