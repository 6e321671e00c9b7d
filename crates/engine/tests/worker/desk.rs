//! A conversation with the worker, a window beside it, and a human who answers what comes up.

use std::time::Duration;

use lwa_engine::caller::Caller;
use lwa_engine::surfaces::Attendance;
use lwa_protocol::Event;
use lwa_protocol::approval::{Answer, ApprovalItem, DecideParams};
use lwa_protocol::worker::{
    SessionRef, WorkerAnswer, WorkerArtifactParams, WorkerCall, WorkerCallParams, WorkerDelegateParams,
    WorkerRunParams, WorkerStatus, WorkerStatusKind,
};
use tempfile::TempDir;
use tokio::sync::broadcast;

use crate::support::{Host, Place, agent, app};

/// Turns the worker on for the agent of these tests without a question.
pub const ON: &str = "[clients.codex.worker]\narm = \"on\"\n";

/// One client's conversation.
pub struct Desk {
    pub host: Host,
    pub agent: Caller,
    pub project: TempDir,
    pub call: WorkerCall,
    human: Caller,
    window: Attendance,
    /// The sidecar is connected.
    pub sidecar: Option<Attendance>,
}

/// What a human will say to the questions that open from now on.
pub struct Human {
    engine: lwa_engine::Engine,
    caller: Caller,
    events: broadcast::Receiver<Event>,
}

impl Desk {
    /// A desk with a window that can ask.
    pub async fn new(config: &str) -> Self {
        Self::at(Host::new(config).await)
    }

    /// A desk whose host found these lines in the list of allowed commands when it started.
    pub async fn allowing(config: &str, lines: &str) -> Self {
        let place = Place::new(config);
        std::fs::write(place.home().run_allow_file(), lines).unwrap();
        let desk = Self::at(place.start().await);
        assert_eq!(desk.host.engine.show_configuration().unwrap().error, None);
        desk
    }

    /// A desk of a host that runs.
    pub fn at(host: Host) -> Self {
        let human = app();
        let window = host.engine.attend(&human, "test");
        let _listens = window.subscribe();
        let project = tempfile::tempdir().unwrap();
        let call = call(&project, "thread-1");
        let agent = agent();
        let sidecar = Some(host.engine.attend(&agent, "test"));
        Self { host, agent, project, call, human, window, sidecar }
    }

    /// A desk without anybody to ask.
    pub async fn without_window(config: &str) -> Self {
        let desk = Self::new(config).await;
        let Self { host, agent, project, call, human, window, sidecar } = desk;
        drop(window);
        let window = host.engine.attend(&human, "test");
        Self { host, agent, project, call, human, window, sidecar }
    }

    /// A human who looks from now on.
    pub fn human(&self) -> Human {
        Human { engine: self.host.engine.clone(), caller: self.human.clone(), events: self.window.subscribe() }
    }

    pub fn run_params(&self, command: &str) -> WorkerRunParams {
        WorkerRunParams { call: self.call.clone(), command: command.to_owned(), ..WorkerRunParams::default() }
    }

    pub async fn run(&self, command: &str) -> WorkerAnswer {
        self.host.engine.worker_run(&self.agent, self.run_params(command)).await.unwrap()
    }

    /// A command that gets a no, if anybody is asked about it.
    pub async fn without_a_human(&self, command: &str) -> WorkerAnswer {
        let mut human = self.human();
        let work = self.run(command);
        let mut work = std::pin::pin!(work);
        tokio::select! {
            answer = &mut work => answer,
            _ = human.answers(Answer::Deny, None) => work.await,
        }
    }

    pub async fn delegate(&self, task: &str, material: &str) -> WorkerAnswer {
        let params = WorkerDelegateParams {
            call: self.call.clone(),
            task: task.to_owned(),
            material: material.to_owned(),
            ..WorkerDelegateParams::default()
        };
        self.host.engine.worker_delegate(&self.agent, params).await.unwrap()
    }

    pub async fn read_file(&self, task: &str, path: &str) -> WorkerAnswer {
        let params = WorkerDelegateParams {
            call: self.call.clone(),
            task: task.to_owned(),
            paths: vec![path.to_owned()],
            ..WorkerDelegateParams::default()
        };
        self.host.engine.worker_delegate(&self.agent, params).await.unwrap()
    }

    pub async fn slice(&self, reference: &str, offset: u64, limit: u32) -> WorkerAnswer {
        let params = WorkerArtifactParams {
            call: self.call.clone(),
            reference: reference.to_owned(),
            offset,
            limit,
            ..WorkerArtifactParams::default()
        };
        self.host.engine.worker_artifact(&self.agent, params).await.unwrap()
    }

    pub async fn status(&self) -> WorkerStatus {
        self.host.engine.worker_status(&self.agent, &WorkerCallParams { call: self.call.clone() }).await.unwrap()
    }

    pub async fn enable(&self) -> WorkerAnswer {
        self.host.engine.worker_enable(&self.agent, WorkerCallParams { call: self.call.clone() }).await.unwrap()
    }

    /// Every text of the database, apart from the values of the vault, where they belong.
    pub async fn database(&self) -> Vec<(String, String)> {
        let options =
            sqlx::sqlite::SqliteConnectOptions::new().filename(self.host.place.home().database()).read_only(true);
        let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
        let tables: Vec<String> =
            sqlx::query_scalar("SELECT name FROM sqlite_schema WHERE type = 'table'").fetch_all(&pool).await.unwrap();
        let mut texts = Vec::new();
        for table in tables.into_iter().filter(|table| table != "worker_vault") {
            let columns: Vec<String> = sqlx::query_scalar("SELECT name FROM pragma_table_info(?)")
                .bind(&table)
                .fetch_all(&pool)
                .await
                .unwrap();
            for column in columns {
                let query =
                    format!("SELECT CAST(coalesce(group_concat(\"{column}\", '|'), '') AS BLOB) FROM \"{table}\"");
                let text: Vec<u8> = sqlx::query_scalar(sqlx::AssertSqlSafe(query)).fetch_one(&pool).await.unwrap();
                texts.push((format!("{table}.{column}"), String::from_utf8_lossy(&text).into_owned()));
            }
        }
        pool.close().await;
        texts
    }

    /// Every byte that the host wrote below its folders, apart from the stored materials, which are raw on purpose; the
    /// database, which holds the vault, when that is wanted.
    pub fn files(&self, with_database: bool) -> Vec<(String, Vec<u8>)> {
        let mut files = Vec::new();
        let mut folders = vec![self.host.place.temp.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
                let path = entry.path();
                let name = path.display().to_string();
                if path.is_dir() {
                    folders.push(path);
                } else if !name.contains("artifacts") && (with_database || !name.contains(".sqlite3")) {
                    files.push((name, std::fs::read(entry.path()).unwrap_or_default()));
                }
            }
        }
        files
    }
}

/// A call of a conversation in a project.
pub fn call(project: &TempDir, thread: &str) -> WorkerCall {
    WorkerCall {
        session: vec![SessionRef::Thread(thread.to_owned())],
        cwd: Some(project.path().display().to_string()),
        environment: [("PATH", std::env::var("PATH").unwrap_or_default())]
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
        hold_ms: 30_000,
        ..WorkerCall::default()
    }
}

impl Human {
    /// The next question that opens.
    pub async fn next_question(&mut self) -> ApprovalItem {
        let opened = async {
            loop {
                if let Event::ApprovalOpened { approval } = self.events.recv().await.unwrap() {
                    return *approval;
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(30), opened).await.expect("no question was opened")
    }

    /// Answers the next question once something else has happened.
    pub async fn answers_after(&mut self, answer: Answer, happens: impl FnOnce()) -> ApprovalItem {
        let question = self.next_question().await;
        happens();
        self.give(question, answer, None).await
    }

    /// Answers the next question.
    pub async fn answers(&mut self, answer: Answer, variant: Option<&str>) -> ApprovalItem {
        let question = self.next_question().await;
        self.give(question, answer, variant).await
    }

    async fn give(&self, question: ApprovalItem, answer: Answer, variant: Option<&str>) -> ApprovalItem {
        let params = DecideParams {
            id: question.id.clone(),
            answer,
            reason: None,
            code: None,
            variant: variant.map(str::to_owned),
        };
        self.engine.decide(&self.caller, &params).await.unwrap();
        question
    }
}

/// The answer ended like this.
pub fn is(answer: &WorkerAnswer, status: WorkerStatusKind) {
    assert_eq!(answer.status, status, "{}", answer.text);
}
