//! Running a tool: a recipe becomes a plan like any other, a script runs when a human approved its content.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use lwa_domain::ErrorCode;
use lwa_library::{
    LibraryError, Manifest, ReadyScript, ScriptOutcome, ScriptStatus, ScriptSurroundings, ToolKind, ToolStatus,
};
use lwa_privacy::egress::{KnownSecrets, scrub_secrets};
use lwa_protocol::Failure;
use lwa_protocol::library::{LibraryRan, LibraryRunParams, LibraryRunStatus, ScriptResult};
use lwa_protocol::plan::PrepareParams;
use serde_json::json;
use tokio::sync::watch;
use tokio::time::Instant;

use super::views;
use crate::approve::MAX_HOLD;
use crate::caller::Caller;
use crate::engine::{Engine, locked};
use crate::tokens;

/// How many scripts run at once.
const MOST_SCRIPTS: usize = 4;
/// How long a result waits for the caller that left.
const KEPT: Duration = Duration::from_mins(15);
/// Folders of a home that hold keys and sessions of other programs.
const PRIVATE: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".codex",
    ".claude",
    ".claude.json",
    ".mozilla",
    ".config/gcloud",
    ".config/gh",
    ".local/share/keyrings",
    ".password-store",
];

/// Which run a call belongs to: a repeat of the call attaches to it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct RunKey {
    session: String,
    slug: String,
    /// A digest of the input.
    input: String,
}

/// A run of a script, and its result when it has one.
pub(crate) struct Started {
    since: Instant,
    result: watch::Receiver<Option<Arc<Result<ScriptResult, Failure>>>>,
    status: watch::Receiver<LibraryRunStatus>,
}

/// Whether a script may run.
enum Readiness {
    Ready(ReadyScript),
    /// Not yet, and why.
    Waits(String),
}

impl Engine {
    /// `library/run`.
    ///
    /// # Errors
    /// There is none of this name, it is not active, no route serves the recipe, or the script could not be started.
    pub async fn run_tool(&self, caller: &Caller, params: &LibraryRunParams) -> Result<LibraryRan, Failure> {
        let name = params.slug.clone();
        let manifest = self.shelf("find", move |library| library.find(&name)).await?;
        match manifest.kind {
            ToolKind::PromptRecipe => self.prepare_recipe(caller, params, &manifest).await,
            ToolKind::Script => self.run_script(caller, params, &manifest).await,
        }
    }

    async fn prepare_recipe(
        &self,
        caller: &Caller,
        params: &LibraryRunParams,
        recipe: &Manifest,
    ) -> Result<LibraryRan, Failure> {
        if recipe.status != ToolStatus::Active {
            let refused = LibraryError::NotActive { slug: recipe.slug.clone(), status: recipe.status.as_str() };
            return Err(super::failure_of(&refused));
        }
        super::tools::is_missing(&params.input_text, "input")?;
        let prepare = PrepareParams {
            task: recipe.task.as_str().to_owned(),
            prompt: recipe.prompt_template.fill(&params.input_text),
            quality: params.quality.clone(),
            reasoning_effort: params.reasoning_effort.clone(),
            allow_paid: params.allow_paid,
            allow_user_pays: params.allow_user_pays,
            max_output_tokens: params.max_output_tokens,
            tool_name: params.tool_name.clone(),
            library_tool: Some(recipe.slug.to_string()),
            ..PrepareParams::default()
        };
        let plan = self.prepare(caller, &prepare).await?;
        Ok(LibraryRan {
            status: LibraryRunStatus::Prepared,
            message: plan.message.clone(),
            library_tool: views::name(recipe),
            plan: Some(Box::new(plan)),
            script: None,
        })
    }

    async fn run_script(
        &self,
        caller: &Caller,
        params: &LibraryRunParams,
        script: &Manifest,
    ) -> Result<LibraryRan, Failure> {
        self.refuse_while_paused()?;
        let key = RunKey {
            session: caller.session.as_str().to_owned(),
            slug: script.slug.to_string(),
            input: tokens::text_hash(&params.input_text),
        };
        let is_running = locked(&self.library.scripts).contains_key(&key);
        if !is_running {
            let slug = script.slug.clone();
            let readiness = self.shelf("ready", move |library| match library.ready_script(&slug) {
                Ok(ready) => Ok(Readiness::Ready(ready)),
                Err(error @ (LibraryError::ReviewRequired(_) | LibraryError::ChangedSinceApproval { .. })) => {
                    Ok(Readiness::Waits(error.to_string()))
                }
                Err(error) => Err(error),
            });
            let ready = match readiness.await? {
                Readiness::Waits(why) => {
                    let message = format!("{why}; `approve_library_tool` asks the human, who reads it first");
                    return Ok(waits(script, message));
                }
                Readiness::Ready(_) if !self.configuration.in_force().library.allow_reviewed_script_execution => {
                    let message = "it is approved, but scripts are switched off: the user sets \
                        `library.allow_reviewed_script_execution` to true in the configuration";
                    return Ok(waits(script, message.to_owned()));
                }
                Readiness::Ready(ready) => ready,
            };
            self.start_script(caller, &key, ready, params.input_text.clone())?;
        }
        self.script_result(&key, params, script).await
    }

    /// Starts a script as a task that outlives the caller.
    fn start_script(&self, caller: &Caller, key: &RunKey, ready: ReadyScript, input: String) -> Result<(), Failure> {
        let (send_result, result) = watch::channel(None);
        let (send_status, status) = watch::channel(LibraryRunStatus::Working);
        {
            let mut scripts = locked(&self.library.scripts);
            forget_old(&mut scripts);
            if scripts.contains_key(key) {
                return Ok(());
            }
            if scripts.values().filter(|started| started.result.borrow().is_none()).count() >= MOST_SCRIPTS {
                let message = format!("{MOST_SCRIPTS} scripts are running already");
                return Err(Failure::new(ErrorCode::CapExceeded, message).hint("repeat the call when one has ended"));
            }
            scripts.insert(key.clone(), Started { since: Instant::now(), result, status });
        }
        let (engine, caller) = (self.clone(), caller.clone());
        self.tasks.spawn(async move {
            let surroundings = engine.script_surroundings();
            let outcome = ready.run(&input, &surroundings, &engine.stopping).await;
            let slug = ready.slug().as_str();
            let (ended, result) = match outcome {
                Ok(outcome) => (status_of(outcome.status), Ok(engine.result_of(&outcome).await)),
                Err(error) => (LibraryRunStatus::Failed, Err(super::failure_of(&error))),
            };
            let detail = match &result {
                Ok(done) => json!({
                    "status": ended, "returncode": done.returncode, "duration_ms": done.duration_ms,
                    "sandbox": done.sandbox, "masked": done.masked,
                }),
                Err(failure) => json!({ "status": ended, "error": failure.code }),
            };
            if let Err(failure) = engine.note_tool(Some(&caller), "library.script_ran", slug, None, detail).await {
                tracing::error!(%failure, tool = slug, "a script's run could not be written to the audit log");
            }
            send_status.send_replace(ended);
            send_result.send_replace(Some(Arc::new(result)));
        });
        Ok(())
    }

    /// Waits for a script as long as the caller can, and hands its result over once.
    async fn script_result(
        &self,
        key: &RunKey,
        params: &LibraryRunParams,
        script: &Manifest,
    ) -> Result<LibraryRan, Failure> {
        let started = {
            let scripts = locked(&self.library.scripts);
            scripts.get(key).map(|started| (started.result.clone(), started.status.clone()))
        };
        let Some((mut result, status)) = started else {
            // Another caller of the same run took its result in between.
            return Err(Failure::new(ErrorCode::NotFound, "the result of this run was handed over already")
                .hint("repeat the call to run the script again"));
        };
        let hold = Duration::from_millis(u64::from(params.hold_ms)).min(MAX_HOLD);
        let waited = tokio::time::timeout(hold, result.wait_for(Option::is_some)).await;
        let done = match waited {
            Err(_) => None,
            Ok(Ok(done)) => done.clone(),
            // The task is gone without a result: a fault of ours.
            Ok(Err(_)) => {
                locked(&self.library.scripts).remove(key);
                return Err(crate::failure::unexpected());
            }
        };
        let library_tool = views::name(script);
        let Some(done) = done else {
            let message = "still running: repeat this call with the same input, it attaches to the run".to_owned();
            let status = LibraryRunStatus::Working;
            return Ok(LibraryRan { status, message, library_tool, plan: None, script: None });
        };
        locked(&self.library.scripts).remove(key);
        let mut outcome = Result::clone(&done)?;
        if let Some(limit) = params.max_output_bytes.and_then(|limit| usize::try_from(limit).ok()) {
            outcome.is_stdout_cut |= shorten(&mut outcome.stdout, limit);
            outcome.is_stderr_cut |= shorten(&mut outcome.stderr, limit);
        }
        let status = *status.borrow();
        let message = match status {
            LibraryRunStatus::Completed => "the script ended with code 0",
            LibraryRunStatus::TimedOut => "the script's time was over, and everything that it started was ended",
            LibraryRunStatus::Cancelled => "the script was ended because the host ends",
            _ => "the script failed; stderr says why",
        };
        Ok(LibraryRan { status, message: message.to_owned(), library_tool, plan: None, script: Some(outcome) })
    }

    pub(super) fn script_surroundings(&self) -> ScriptSurroundings {
        let mut surroundings =
            ScriptSurroundings::new(self.home.cache_dir().join("script-runs"), std::env::vars_os().collect());
        // What a script prints is read by an agent, so it does not get to read what agents must not.
        surroundings.hidden = vec![self.home.state_dir().to_owned(), self.home.config_dir().to_owned()];
        if let Some(home) = std::env::var_os("HOME").map(PathBuf::from) {
            let private = PRIVATE.iter().map(|name| home.join(name)).filter(|path| path.exists());
            surroundings.hidden.extend(private);
        }
        surroundings
    }

    async fn result_of(&self, outcome: &ScriptOutcome) -> ScriptResult {
        let known = self.known_secrets_at_hand().await;
        let (stdout, masked_out) = scrubbed(&outcome.stdout.text(), &known);
        let (stderr, masked_err) = scrubbed(&outcome.stderr.text(), &known);
        ScriptResult {
            returncode: outcome.return_code,
            stdout,
            stderr,
            is_stdout_cut: outcome.stdout.is_cut(),
            is_stderr_cut: outcome.stderr.is_cut(),
            timed_out: outcome.status == ScriptStatus::TimedOut,
            duration_ms: u32::try_from(outcome.duration_ms).unwrap_or(u32::MAX),
            sandbox: outcome.sandbox.to_string(),
            masked: masked_out + masked_err,
        }
    }
}

/// A script's output as an agent may read it, and how many values were masked.
fn scrubbed(output: &str, known: &KnownSecrets) -> (String, u32) {
    let scrubbed = scrub_secrets(output, known);
    let masked = u32::try_from(scrubbed.found.len()).unwrap_or(u32::MAX);
    (scrubbed.text.into_owned(), masked)
}

/// Cuts a text to `limit` bytes. Whether it was longer.
fn shorten(text: &mut String, limit: usize) -> bool {
    let is_longer = text.len() > limit;
    if is_longer {
        text.truncate(text.floor_char_boundary(limit));
    }
    is_longer
}

fn forget_old(scripts: &mut HashMap<RunKey, Started>) {
    scripts.retain(|_, started| started.result.borrow().is_none() || started.since.elapsed() < KEPT);
}

const fn status_of(status: ScriptStatus) -> LibraryRunStatus {
    match status {
        ScriptStatus::Completed => LibraryRunStatus::Completed,
        ScriptStatus::Failed => LibraryRunStatus::Failed,
        ScriptStatus::TimedOut => LibraryRunStatus::TimedOut,
        ScriptStatus::Cancelled => LibraryRunStatus::Cancelled,
    }
}

fn waits(script: &Manifest, message: String) -> LibraryRan {
    let library_tool = views::name(script);
    LibraryRan { status: LibraryRunStatus::ReviewRequired, message, library_tool, plan: None, script: None }
}
