//! The list of allowed commands in force: the lines of the file that a human accepted, those of the configuration, and
//! those of the session.
//!
//! The file that the first host of a home finds at its start is the baseline. A line that somebody adds later waits
//! until a human accepts it; a line that is gone counts no more from the next decision on.

use std::collections::BTreeSet;

use lwa_config::WorkerConfig;
use lwa_domain::ApprovalKind;
use lwa_policy::AllowList;
use lwa_protocol::Failure;
use lwa_protocol::approval::{Answer, ApprovalDetail, PolicyChangeDetail, PolicyChangeLine};
use serde_json::json;

use crate::broker::Question;
use crate::engine::{Engine, locked};
use crate::{failure, tokens};

/// The setting that holds the lines a human accepted, as a JSON list.
const ACCEPTED: &str = "worker.allow.accepted";
/// The setting that holds the merge key of the lines that a human refused last.
const REFUSED: &str = "worker.allow.refused";
/// Questions about new lines of the file.
const MERGE_KEY: &str = "allow_file";
/// The key of a new line in the question about it.
const LINE_KEY: &str = "run-allow";

/// A file, sorted into what is in force and what waits.
#[derive(Default)]
struct Sorted {
    /// The text with the lines that wait left out.
    in_force: String,
    /// The lines of it that allow something.
    in_force_lines: BTreeSet<String>,
    /// Lines that allow something and that nobody accepted.
    new: Vec<String>,
}

impl Sorted {
    /// Sorts a file by what was accepted; without that, everything is in force.
    ///
    /// Lines that ask or deny only tighten, and need nobody. What stands below a line, as an example, goes with it.
    fn of(text: &str, accepted: Option<&BTreeSet<String>>) -> Self {
        let mut sorted = Self::default();
        let mut is_in_force = true;
        for raw in text.lines() {
            let line = raw.trim();
            let is_entry = !line.is_empty() && !line.starts_with('#') && !is_attribute(line);
            if is_entry {
                let tightens = line.starts_with("ask:") || line.starts_with("deny:");
                is_in_force = tightens || accepted.is_none_or(|accepted| accepted.contains(line));
                match (tightens, is_in_force) {
                    (true, _) => {}
                    (false, true) => drop(sorted.in_force_lines.insert(line.to_owned())),
                    (false, false) => sorted.new.push(line.to_owned()),
                }
            }
            if is_in_force {
                sorted.in_force.push_str(raw);
                sorted.in_force.push('\n');
            }
        }
        sorted
    }
}

fn is_attribute(line: &str) -> bool {
    ["match:", "not_match:", "because:"].iter().any(|name| line.starts_with(name))
}

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
        let path = self.home.run_allow_file();
        let mut note = None;
        // What is wrong with the file as a whole keeps all of it out of force.
        let text = match AllowList::read(&path) {
            Ok(_) => std::fs::read_to_string(&path).unwrap_or_default(),
            Err(error) => {
                note = Some(format!("`{}` is not in force: {error}", path.display()));
                String::new()
            }
        };
        let accepted = self.accepted_lines().await?;
        let sorted = Sorted::of(&text, Some(&accepted));
        if note.is_none() && sorted.in_force_lines != accepted {
            self.keep_accepted_lines(&sorted.in_force_lines).await?;
        }
        locked(&self.worker.waiting_lines).clone_from(&sorted.new);
        if !sorted.new.is_empty() {
            note = Some(format!(
                "{} of `{}` wait until a human accepts them (`lwa config accept`)",
                if sorted.new.len() == 1 {
                    "one new line".to_owned()
                } else {
                    format!("{} new lines", sorted.new.len())
                },
                path.display()
            ));
            self.ask_about_lines(&sorted.new).await?;
        }
        let mut all = sorted.in_force;
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
        // What is not in force now waits when it comes to be.
        let text = AllowList::read(&path).ok().and_then(|_| std::fs::read_to_string(&path).ok());
        let lines = Sorted::of(&text.unwrap_or_default(), None).in_force_lines;
        self.keep_accepted_lines(&lines).await
    }

    async fn accepted_lines(&self) -> Result<BTreeSet<String>, Failure> {
        let kept = self.db.setting(ACCEPTED).await.map_err(failure::store)?;
        // What cannot be read was still accepted with its own lines only, never with the file's.
        Ok(kept.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
    }

    async fn keep_accepted_lines(&self, lines: &BTreeSet<String>) -> Result<(), Failure> {
        let text = json!(lines).to_string();
        self.db.set_setting(ACCEPTED, Some(&text), self.now()).await.map_err(failure::store)
    }

    /// A human said "always": the shapes are added to the file, and they are accepted.
    pub(super) async fn allow_always(&self, shapes: &[String]) -> Result<Result<(), String>, Failure> {
        let path = self.home.run_allow_file();
        let mut accepted = self.accepted_lines().await?;
        let (file, wanted) = (path.clone(), shapes.to_vec());
        let added = tokio::task::spawn_blocking(move || AllowList::add(&file, &wanted))
            .await
            .map_err(|_| failure::unexpected())?;
        if let Err(error) = added {
            tracing::warn!(%error, "the allow-list could not be written");
            return Ok(Err(path.display().to_string()));
        }
        accepted.extend(shapes.iter().cloned());
        self.keep_accepted_lines(&accepted).await?;
        Ok(Ok(()))
    }

    async fn ask_about_lines(&self, new: &[String]) -> Result<(), Failure> {
        let merge_key = format!("{MERGE_KEY}:{}", tokens::text_hash(&new.join("\n")));
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
        let changes = new.iter().map(|line| change(line)).collect();
        let question = Question {
            kind: ApprovalKind::PolicyChange,
            merge_key,
            title: format!("Allow {} more shapes of commands?", new.len()),
            detail: ApprovalDetail::PolicyChange(PolicyChangeDetail {
                path: self.home.run_allow_file().display().to_string(),
                changes,
            }),
            consequence: "Somebody added lines to the list of commands that run without a question. Until you allow \
                it, they do not count."
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
        Ok(locked(&self.worker.waiting_lines).iter().map(|line| change(line)).collect())
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
        let mut accepted = self.accepted_lines().await?;
        accepted.extend(lines.iter().filter(|line| line.key == LINE_KEY).map(|line| line.to.clone()));
        self.keep_accepted_lines(&accepted).await
    }

    /// A human refused new lines of the file; they are not asked about again while they are all that waits.
    pub(crate) async fn refuse_allowed_lines(&self, merge_key: &str) -> Result<(), Failure> {
        self.db.set_setting(REFUSED, Some(merge_key), self.now()).await.map_err(failure::store)
    }
}

fn change(line: &str) -> PolicyChangeLine {
    PolicyChangeLine {
        key: LINE_KEY.to_owned(),
        from: String::new(),
        to: line.to_owned(),
        effect: "commands of this shape run without a question".to_owned(),
    }
}

/// Whether a question with this merge key is about new lines of the list.
pub(crate) fn is_about_lines(merge_key: &str) -> bool {
    merge_key.strip_prefix(MERGE_KEY).is_some_and(|rest| rest.starts_with(':'))
}
