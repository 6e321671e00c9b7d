//! Noticing work that repeats, and making recipes of it.

use std::time::Duration;

use lwa_config::LibraryConfig;
use lwa_domain::ErrorCode;
use lwa_library::patterns::{self, Next, Observation, Pattern, PatternSettings, RunMark, eligible, evidence, recipe};
use lwa_library::{LibraryError, Manifest};
use lwa_protocol::library::{
    LibraryAnalyzeParams, LibraryAnalyzed, LibraryObserveParams, LibraryObserveStatus, LibraryObserved, WorkflowPattern,
};
use lwa_protocol::plan::RunAnswer;
use lwa_protocol::{Event, Failure};
use lwa_store::{NewObservation, Observed, PatternRecord, PlanRecord, StoreError, Take};
use serde_json::json;

use super::find::required_task;
use super::views;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::prepare::WorkDetails;
use crate::{failure, tokens};

/// How long an answer waits for its observation. The observation goes on afterwards.
const PATIENCE: Duration = Duration::from_secs(2);
/// How much of a prompt is looked at, in bytes. Features are made of its first 1600 characters.
const LOOKED_AT: usize = 6400;

/// What an observation came to.
struct Noticed {
    status: LibraryObserveStatus,
    pattern: Option<Pattern>,
    created: Option<Manifest>,
}

impl Engine {
    /// Counts a plan that has run, whatever it did inside. What goes wrong becomes a warning beside the answer.
    pub(crate) async fn observe_run(&self, plan: &PlanRecord, answer: &mut RunAnswer) {
        if !self.configuration.in_force().library.auto_detect_patterns {
            return;
        }
        let details: WorkDetails =
            plan.work.clone().and_then(|work| serde_json::from_value(work).ok()).unwrap_or_default();
        // A recipe's own runs would make a recipe of the recipe.
        let (None, Some(prompt)) = (details.library_tool, plan.prompt.as_deref()) else { return };
        let workflow = details.workflow.unwrap_or_default();
        let observation = Observation {
            task: plan.task,
            workflow_name: workflow.name,
            description: workflow.description,
            sample: Some(beginning(prompt)),
            project: workflow.project,
            is_success: answer.error.is_none(),
            tags: workflow.tags,
            run_id: plan.plan_id.as_str().to_owned(),
        };
        let engine = self.clone();
        let noticed = self.tasks.spawn(async move { engine.notice(None, observation).await.map(drop) });
        match tokio::time::timeout(PATIENCE, noticed).await {
            Ok(Ok(Ok(()))) => {}
            Ok(Ok(Err(failure))) => {
                tracing::warn!(%failure, plan = %plan.plan_id, "the tool library did not take a run in");
                answer.warnings.push(format!("the tool library could not be updated: {}", failure.message));
            }
            Ok(Err(error)) => tracing::error!(%error, plan = %plan.plan_id, "observing a run failed unexpectedly"),
            Err(_) => tracing::warn!(plan = %plan.plan_id, "observing a run takes long and goes on beside the answer"),
        }
    }

    /// `library/observe`.
    ///
    /// # Errors
    /// The task is misspelt, the plan is unknown, or the tool could not be made.
    pub async fn observe_workflow(
        &self,
        caller: &Caller,
        params: LibraryObserveParams,
    ) -> Result<LibraryObserved, Failure> {
        let task = required_task(&params.task)?;
        let run_id = match params.plan_id {
            Some(plan_id) => {
                let known = self.db.plan(&plan_id).await.map_err(failure::store)?;
                known.ok_or_else(|| {
                    Failure::new(ErrorCode::UnknownPlan, format!("there is no plan `{plan_id}`"))
                        .hint("leave plan_id out when no plan did the work")
                })?;
                plan_id.as_str().to_owned()
            }
            None => tokens::token("run")?,
        };
        let filled = |text: String| Some(text).filter(|text| !text.trim().is_empty());
        let observation = Observation {
            task,
            workflow_name: filled(params.workflow_name),
            description: filled(params.description),
            sample: filled(params.sample).map(|sample| beginning(&sample)),
            project: filled(params.project),
            is_success: params.success,
            tags: params.tags,
            run_id,
        };
        let (engine, caller) = (self.clone(), caller.clone());
        let noticed = self.to_the_end(async move { engine.notice(Some(&caller), observation).await }).await?;
        let settings = self.pattern_settings();
        Ok(LibraryObserved {
            status: noticed.status,
            pattern: noticed.pattern.as_ref().map(|pattern| view(&settings, pattern)),
            created_tool: noticed.created.as_ref().map(views::tool),
        })
    }

    /// `library/analyze`: makes tools of the patterns that have enough runs and none yet.
    ///
    /// # Errors
    /// The database failed, or a tool could not be made.
    pub async fn analyze_workflows(
        &self,
        caller: &Caller,
        params: &LibraryAnalyzeParams,
    ) -> Result<LibraryAnalyzed, Failure> {
        let limit = params.limit.unwrap_or(100).clamp(1, 500);
        let settings = self.pattern_settings();
        let (engine, caller) = (self.clone(), caller.clone());
        let created = self
            .to_the_end(async move {
                let _turn = engine.library.turn.lock().await;
                let mut created = Vec::new();
                if settings.auto_create {
                    let known = engine.known_patterns(limit).await?;
                    for pattern in eligible(&settings, &known) {
                        created.extend(engine.make_recipe(Some(&caller), &settings, pattern).await?.1);
                    }
                }
                Ok(created)
            })
            .await?;
        Ok(LibraryAnalyzed {
            patterns: self.pattern_views(limit).await?,
            created_tools: created.iter().map(views::tool).collect(),
        })
    }

    /// The patterns for people, the most frequent first.
    pub(super) async fn pattern_views(&self, limit: u32) -> Result<Vec<WorkflowPattern>, Failure> {
        let settings = self.pattern_settings();
        Ok(self.known_patterns(limit).await?.iter().map(|pattern| view(&settings, pattern)).collect())
    }

    async fn known_patterns(&self, limit: u32) -> Result<Vec<Pattern>, Failure> {
        let records = self.db.patterns(limit).await.map_err(failure::store)?;
        records.iter().map(|record| pattern_of(record).map_err(failure::store)).collect()
    }

    fn pattern_settings(&self) -> PatternSettings {
        settings_of(&self.configuration.in_force().library)
    }

    /// Counts one run, and does what follows from it: a new recipe, or new evidence for the one there is.
    async fn notice(&self, caller: Option<&Caller>, observation: Observation) -> Result<Noticed, Failure> {
        let settings = self.pattern_settings();
        let key = self.installation_key().await?;
        let now = self.now();
        let _turn = self.library.turn.lock().await;
        let seen = NewObservation {
            run_mark: RunMark::of(key, &observation.run_id).to_string(),
            task: observation.task,
            is_success: observation.is_success,
            at: now,
        };
        let decide = |known: &[PatternRecord]| {
            let known = known.iter().map(pattern_of).collect::<Result<Vec<_>, _>>()?;
            Ok(match patterns::observe(key, &settings, &known, &observation, now) {
                patterns::Observed::Counted(counted) => {
                    Take::Count(Box::new(record_of(&counted.pattern)?), Some(counted))
                }
                patterns::Observed::TooLittle | patterns::Observed::AlreadyCounted(_) => Take::Nothing(None),
            })
        };
        let counted = match self.db.observe(&seen, decide).await.map_err(failure::store)? {
            Observed::Decided(Some(counted)) => counted,
            Observed::Decided(None) => {
                return Ok(Noticed { status: LibraryObserveStatus::TooLittle, pattern: None, created: None });
            }
            Observed::AlreadyCounted(signature) => {
                let record = self.db.pattern(&signature).await.map_err(failure::store)?;
                let pattern = record.as_ref().map(pattern_of).transpose().map_err(failure::store)?;
                return Ok(Noticed { status: LibraryObserveStatus::AlreadyCounted, pattern, created: None });
            }
        };
        self.emit(Event::LibraryChanged);
        let mut noticed =
            Noticed { status: LibraryObserveStatus::Counted, pattern: Some(counted.pattern.clone()), created: None };
        match counted.next {
            Next::Wait => {}
            Next::RefreshEvidence(slug) => {
                let learned = evidence(&counted.pattern);
                let refreshed =
                    self.shelf("evidence", move |library| match library.refresh_evidence(&slug, &learned) {
                        // A person removed it, and it stays removed.
                        Err(LibraryError::UnknownTool { .. }) => Ok(()),
                        done => done.map(drop),
                    });
                refreshed.await?;
                self.index_again().await;
            }
            Next::CreateRecipe => {
                let (pattern, created) = self.make_recipe(caller, &settings, &counted.pattern).await?;
                noticed.pattern = Some(pattern);
                noticed.created = created;
            }
        }
        Ok(noticed)
    }

    /// Makes the recipe of a pattern and binds the two. A tool that is bound already is not made anew.
    async fn make_recipe(
        &self,
        caller: Option<&Caller>,
        settings: &PatternSettings,
        pattern: &Pattern,
    ) -> Result<(Pattern, Option<Manifest>), Failure> {
        let (wanted, signature) = (recipe(settings, pattern), pattern.signature.clone());
        let made = self.shelf("recipe", move |library| match library.by_signature(&signature)? {
            Some(present) => Ok((present, false)),
            None => library.create_recipe(&wanted).map(|made| (made, true)),
        });
        let (manifest, is_new) = made.await?;
        let slug = manifest.slug.as_str();
        self.db.bind_pattern(&pattern.signature, slug).await.map_err(failure::store)?;
        self.index_again().await;
        if is_new {
            let detail = json!({
                "by": "pattern_detector", "status": manifest.status.as_str(), "occurrences": pattern.occurrences,
            });
            self.note_tool(caller, "library.created", slug, None, detail).await?;
        }
        let bound = Pattern { tool: Some(manifest.slug.clone()), ..pattern.clone() };
        Ok((bound, is_new.then_some(manifest)))
    }
}

fn settings_of(config: &LibraryConfig) -> PatternSettings {
    PatternSettings {
        similarity: lwa_library::Confidence::from_fraction(config.pattern_similarity_threshold).ten_thousandths(),
        min_occurrences: config.pattern_min_occurrences,
        min_successes: config.pattern_min_occurrences,
        auto_create: config.auto_create_library_tools,
        auto_activate: config.auto_activate_prompt_tools,
    }
}

fn view(settings: &PatternSettings, pattern: &Pattern) -> WorkflowPattern {
    let is_eligible = eligible(settings, std::slice::from_ref(pattern)).next().is_some();
    views::pattern(pattern, is_eligible)
}

fn beginning(text: &str) -> String {
    text.get(..text.floor_char_boundary(LOOKED_AT)).unwrap_or(text).to_owned()
}

fn pattern_of(record: &PatternRecord) -> Result<Pattern, StoreError> {
    serde_json::from_str(&record.pattern)
        .map_err(|_| StoreError::Corrupt { row: record.signature.clone(), column: "pattern" })
}

fn record_of(pattern: &Pattern) -> Result<PatternRecord, StoreError> {
    let text = serde_json::to_string(pattern)
        .map_err(|_| StoreError::Corrupt { row: pattern.signature.clone(), column: "pattern" })?;
    Ok(PatternRecord {
        signature: pattern.signature.clone(),
        task: pattern.task,
        is_named: pattern.is_named,
        occurrences: pattern.occurrences,
        successes: pattern.successes,
        tool: pattern.tool.as_ref().map(ToString::to_string),
        pattern: text,
        first_seen_at: pattern.first_seen_at,
        last_seen_at: pattern.last_seen_at,
    })
}
