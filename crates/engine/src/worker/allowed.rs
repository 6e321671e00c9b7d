//! The list of allowed commands in force: the lines of the file that a human accepted, those of the configuration, and
//! those of the session.
//!
//! The file that the first host of a home finds at its start is the baseline. What loosens it later waits until a human
//! accepts it; what tightens it holds from the next decision on.

mod accepted;

use lwa_config::WorkerConfig;
use lwa_domain::ApprovalKind;
use lwa_policy::AllowList;
use lwa_protocol::Failure;
use lwa_protocol::approval::{Answer, ApprovalDetail, PolicyChangeDetail, PolicyChangeLine};
use serde_json::json;

pub(crate) use self::accepted::Waiting;
use self::accepted::{accept, all_of, merge};
use crate::broker::Question;
use crate::engine::{Engine, locked};
use crate::{failure, tokens};

/// The setting that holds the entries a human accepted, as a JSON list.
const ACCEPTED: &str = "worker.allow.accepted";
/// The setting that holds the merge key of the lines that a human refused last.
const REFUSED: &str = "worker.allow.refused";
/// Questions about new lines of the file.
const MERGE_KEY: &str = "allow_file";

/// The list for one decision.
pub(super) struct Listed {
    pub list: AllowList,
    pub entries: usize,
    /// Why the file, or a part of it, is not in force.
    pub note: Option<String>,
}

impl Engine {
    /// The list in force. The file is read for every decision, so what was taken out of it counts no more.
    pub(super) async fn allow_list(&self, config: &WorkerConfig, session: &[String]) -> Result<Listed, Failure> {
        let _turn = self.worker.allow_turn.lock().await;
        let path = self.home.run_allow_file();
        let accepted = self.accepted_lines().await?;
        let (text, mut note) = match AllowList::text_at(&path) {
            Ok(text) => (Some(text), None),
            Err(error) => {
                let kept = if accepted.is_empty() { "" } else { "; what it held before stays in force" };
                (None, Some(format!("`{}` is not in force: {error}{kept}", path.display())))
            }
        };
        let merged = merge(text.as_deref(), &accepted);
        if merged.accepted != accepted {
            self.keep_accepted_lines(&merged.accepted).await?;
        }
        locked(&self.worker.waiting_lines).clone_from(&merged.waiting);
        if !merged.waiting.is_empty() {
            let path = path.display();
            note = Some(match merged.waiting.len() {
                1 => format!("one change of `{path}` waits until a human accepts it (`lwa config accept`)"),
                count => format!("{count} changes of `{path}` wait until a human accepts them (`lwa config accept`)"),
            });
            self.ask_about_lines(&merged.waiting).await?;
        }
        let mut all = merged.text;
        for line in config.allow.iter().chain(session) {
            all.push_str(line);
            all.push('\n');
        }
        let (list, problem) = match AllowList::parse(&all) {
            Ok(list) => (list, None),
            Err(error) => (AllowList::default(), Some(format!("the allow-list is not in force: {error}"))),
        };
        Ok(Listed { entries: list.len(), list, note: note.or(problem) })
    }

    /// Takes the file as it is for what the human has, when no host looked at it before: at the host's start, before
    /// any agent can have a word in it.
    pub(crate) async fn take_allowed_baseline(&self) -> Result<(), Failure> {
        if self.db.setting(ACCEPTED).await.map_err(failure::store)?.is_some() {
            return Ok(());
        }
        let path = self.home.run_allow_file();
        // What cannot be used now waits when it comes to be.
        let text = AllowList::text_at(&path).unwrap_or_default();
        self.keep_accepted_lines(&all_of(&text)).await
    }

    async fn accepted_lines(&self) -> Result<Vec<String>, Failure> {
        let kept = self.db.setting(ACCEPTED).await.map_err(failure::store)?;
        // What cannot be read was still accepted with its own lines only, never with the file's.
        Ok(kept.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
    }

    async fn keep_accepted_lines(&self, lines: &[String]) -> Result<(), Failure> {
        let text = json!(lines).to_string();
        self.db.set_setting(ACCEPTED, Some(&text), self.now()).await.map_err(failure::store)
    }

    /// A human said "always": the shapes are added to the file, and they are accepted.
    pub(super) async fn allow_always(&self, shapes: &[String]) -> Result<Result<(), String>, Failure> {
        let path = self.home.run_allow_file();
        let _turn = self.worker.allow_turn.lock().await;
        let mut accepted = self.accepted_lines().await?;
        let (file, wanted) = (path.clone(), shapes.to_vec());
        let added = tokio::task::spawn_blocking(move || AllowList::add(&file, &wanted))
            .await
            .map_err(|_| failure::unexpected())?;
        if let Err(error) = added {
            tracing::warn!(%error, "the allow-list could not be written");
            return Ok(Err(path.display().to_string()));
        }
        accepted.extend(shapes.iter().flat_map(|shape| all_of(shape)));
        self.keep_accepted_lines(&accepted).await?;
        Ok(Ok(()))
    }

    async fn ask_about_lines(&self, waiting: &[Waiting]) -> Result<(), Failure> {
        let changes: Vec<PolicyChangeLine> = waiting.iter().map(Waiting::change).collect();
        let merge_key = format!("{MERGE_KEY}:{}", tokens::text_hash(&json!(changes).to_string()));
        if self.db.setting(REFUSED).await.map_err(failure::store)?.as_ref() == Some(&merge_key) {
            return Ok(());
        }
        let open = self.db.open_approvals().await.map_err(failure::store)?;
        for record in open.into_iter().filter(|record| is_about_lines(&record.merge_key)) {
            if record.merge_key == merge_key {
                return Ok(());
            }
            self.end_question(record, lwa_domain::Outcome::Withdrawn, "the list changed again").await?;
        }
        let question = Question {
            kind: ApprovalKind::PolicyChange,
            merge_key,
            title: title(waiting),
            detail: ApprovalDetail::PolicyChange(PolicyChangeDetail {
                path: self.home.run_allow_file().display().to_string(),
                changes,
            }),
            consequence: "Somebody changed the list of commands that run without a question. Until you allow it, the \
                change does not count."
                .to_owned(),
            is_serious: true,
            offers: vec![Answer::AllowAlways],
            variants: Vec::new(),
        };
        self.open_question(question, None, None).await.map(drop)
    }

    /// The lines of the file that wait, as they are shown beside the edits of the configuration that wait.
    pub(crate) async fn waiting_lines(&self) -> Result<Vec<PolicyChangeLine>, Failure> {
        let config = self.configuration.in_force().worker.clone();
        self.allow_list(&config, &[]).await?;
        Ok(locked(&self.worker.waiting_lines).iter().map(Waiting::change).collect())
    }

    /// Ends the question about lines that were accepted in a terminal.
    pub(crate) async fn end_question_about_lines(&self) -> Result<(), Failure> {
        let open = self.db.open_approvals().await.map_err(failure::store)?;
        for record in open.into_iter().filter(|record| is_about_lines(&record.merge_key)) {
            self.end_question(record, lwa_domain::Outcome::Withdrawn, "it was accepted in a terminal").await?;
        }
        Ok(())
    }

    /// A human accepted new lines of the file.
    pub(crate) async fn accept_allowed_lines(&self, lines: &[PolicyChangeLine]) -> Result<(), Failure> {
        let _turn = self.worker.allow_turn.lock().await;
        let waiting = locked(&self.worker.waiting_lines).clone();
        let accepted = accept(self.accepted_lines().await?, &waiting, lines);
        self.keep_accepted_lines(&accepted).await
    }

    /// A human refused new lines of the file; they are not asked about again while they are all that waits.
    pub(crate) async fn refuse_allowed_lines(&self, merge_key: &str) -> Result<(), Failure> {
        self.db.set_setting(REFUSED, Some(merge_key), self.now()).await.map_err(failure::store)
    }
}

fn title(waiting: &[Waiting]) -> String {
    let added = waiting.iter().filter(|change| matches!(change, Waiting::Added(_))).count();
    let shapes = |count: usize| if count == 1 { "one more shape".to_owned() } else { format!("{count} more shapes") };
    match waiting.len() - added {
        0 => format!("Allow {} of commands?", shapes(added)),
        1 if added == 0 => "Drop a rule about commands?".to_owned(),
        removed if added == 0 => format!("Drop {removed} rules about commands?"),
        removed => format!("Allow {} of commands, and drop {removed} rules?", shapes(added)),
    }
}

/// Whether a question with this merge key is about new lines of the list.
pub(crate) fn is_about_lines(merge_key: &str) -> bool {
    merge_key.strip_prefix(MERGE_KEY).is_some_and(|rest| rest.starts_with(':'))
}
