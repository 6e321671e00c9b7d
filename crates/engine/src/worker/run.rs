//! `worker/run` and `worker/delegate`: from the wish to the material, and on to [`super::work`].

use std::path::{Path, PathBuf};
use std::time::Duration;

use lwa_domain::ErrorCode;
use lwa_privacy::{Bare, Reveal, rehydrate};
use lwa_protocol::Failure;
use lwa_protocol::worker::{WorkerAnswer, WorkerCall, WorkerDelegateParams, WorkerRunParams};
use lwa_worker::artifact::ArtifactRef;
use lwa_worker::command::{self, CommandEnvironment, CommandError, CommandOutput, CommandRun, MOST_TIMEOUT_S};
use lwa_worker::material::{self, Material, MaterialRequest};
use lwa_worker::memory::TurnKind;
use tokio::time::Instant;

use super::command::{Judged, Permitted, Wish};
use super::job::JobHandle;
use super::session::Surroundings;
use super::turn_on::Passed;
use super::work::{InHand, Piece, Ran};
use super::{failed, with_rules};
use crate::caller::Caller;
use crate::engine::{Engine, locked};
use crate::{failure, tokens};

/// The longest answer that may be asked for.
const MOST_OUTPUT_CHARS: u32 = 20_000;
/// Files and folders of one call.
const MOST_PATHS: usize = 200;

impl Engine {
    /// `worker/run`.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub async fn worker_run(&self, caller: &Caller, params: WorkerRunParams) -> Result<WorkerAnswer, Failure> {
        if u64::from(params.timeout_s) > MOST_TIMEOUT_S {
            return Err(out_of_range("timeout_s", params.timeout_s, MOST_TIMEOUT_S));
        }
        check_output(params.max_output_chars)?;
        let arguments = serde_json::json!([
            params.command,
            params.task,
            params.cwd,
            params.timeout_s,
            params.max_output_chars,
            params.verbatim,
            params.secret_env
        ]);
        let (engine, asking, call) = (self.clone(), caller.clone(), params.call.clone());
        self.hold_job(caller, &call, "worker/run", &arguments.to_string(), |job| {
            let mut params = params;
            params.call.session = job.conversation();
            Box::pin(async move { Box::pin(engine.run_work(&asking, params, &job)).await })
        })
        .await
    }

    /// `worker/delegate`.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub async fn worker_delegate(
        &self,
        caller: &Caller,
        params: WorkerDelegateParams,
    ) -> Result<WorkerAnswer, Failure> {
        if params.task.trim().is_empty() {
            return Err(Failure::new(ErrorCode::InvalidInput, "`task` is empty").hint("say what you need to know"));
        }
        if params.paths.len() > MOST_PATHS {
            let message = format!("`paths` has {} entries, and {MOST_PATHS} is the most", params.paths.len());
            return Err(Failure::new(ErrorCode::InvalidInput, message).hint("name a folder, or use a command"));
        }
        check_output(params.max_output_chars)?;
        let arguments = serde_json::json!([
            params.task,
            params.material,
            params.paths,
            params.command,
            params.cwd,
            params.max_output_chars,
            params.verbatim
        ]);
        let (engine, asking, call) = (self.clone(), caller.clone(), params.call.clone());
        self.hold_job(caller, &call, "worker/delegate", &arguments.to_string(), |job| {
            let mut params = params;
            params.call.session = job.conversation();
            Box::pin(async move { Box::pin(engine.delegate_work(&asking, params, &job)).await })
        })
        .await
    }

    async fn run_work(
        &self,
        caller: &Caller,
        params: WorkerRunParams,
        job: &JobHandle,
    ) -> Result<WorkerAnswer, Failure> {
        let started = Instant::now();
        let surroundings = self.worker_surroundings(caller, &params.call)?;
        let rules = match self.pass_gate(caller, &params.call, job, &surroundings, "local_llm_run").await? {
            Passed::No(answer) => return Ok(*answer),
            Passed::Yes { rules } => rules,
        };
        let cwd = self.opened(caller, &params.call, &surroundings, &params.cwd).await?;
        let wish = Wish { command: &params.command, cwd: &cwd, secret_env: &params.secret_env };
        let permitted = match self.judge_command(caller, &params.call, job, &surroundings, wish).await? {
            Judged::End(answer) => return Ok(preceded(rules, *answer)),
            Judged::Run(permitted) => permitted,
        };
        let timeout = if params.timeout_s == 0 { surroundings.config.command_timeout } else { params.timeout_s };
        let label = permitted.label.clone();
        let (output, reference) = match self
            .run_permitted(caller, &params.call, job, &surroundings, *permitted, &params.command, timeout)
            .await?
        {
            Ok(ran) => ran,
            Err(answer) => return Ok(preceded(rules, answer)),
        };
        let most_chars = usize::try_from(surroundings.config.material_max_chars).unwrap_or(usize::MAX);
        let material = material::of_command(output.as_material(), most_chars);
        let piece = Piece {
            kind: TurnKind::Run,
            task: params.task,
            material,
            most_chars: output_chars(params.max_output_chars, &surroundings),
            is_verbatim: params.verbatim,
            ran: Some(Ran::of(output, label)),
            reference,
            started,
            rules,
        };
        Box::pin(self.work_on(InHand { caller, call: &params.call, job, surroundings: &surroundings }, piece)).await
    }

    async fn delegate_work(
        &self,
        caller: &Caller,
        params: WorkerDelegateParams,
        job: &JobHandle,
    ) -> Result<WorkerAnswer, Failure> {
        let started = Instant::now();
        let surroundings = self.worker_surroundings(caller, &params.call)?;
        let rules = match self.pass_gate(caller, &params.call, job, &surroundings, "local_llm_delegate").await? {
            Passed::No(answer) => return Ok(*answer),
            Passed::Yes { rules } => rules,
        };
        let mut reference = new_reference()?;
        let mut ran = None;
        let cwd = self.opened(caller, &params.call, &surroundings, &params.cwd).await?;
        let folder = if params.command.trim().is_empty() {
            match folder_of(&params.call, &cwd, environment_of(&params.call).home()) {
                Ok(folder) => folder,
                Err(failure) => return Err(self.hidden(caller, &params.call, &surroundings, failure).await?),
            }
        } else {
            let none = std::collections::BTreeMap::new();
            let wish = Wish { command: &params.command, cwd: &cwd, secret_env: &none };
            let permitted = match self.judge_command(caller, &params.call, job, &surroundings, wish).await? {
                Judged::End(answer) => return Ok(preceded(rules, *answer)),
                Judged::Run(permitted) => permitted,
            };
            let (label, folder) = (permitted.label.clone(), permitted.ground.folder.path().to_owned());
            let timeout = surroundings.config.command_timeout;
            match self
                .run_permitted(caller, &params.call, job, &surroundings, *permitted, &params.command, timeout)
                .await?
            {
                Ok((output, its_reference)) => {
                    ran = Some((output, label));
                    reference = its_reference;
                }
                Err(answer) => return Ok(preceded(rules, answer)),
            }
            folder
        };
        let paths = self.opened_paths(caller, &params.call, &surroundings, &params.paths).await?;
        let (inline, is_verbatim) = (params.material, params.verbatim);
        let most_chars = usize::try_from(surroundings.config.material_max_chars).unwrap_or(usize::MAX);
        let home = environment_of(&params.call).home().map(Path::to_owned);
        // What the host keeps is read by the host alone: other conversations' materials lie there in clear.
        let kept = self.kept_folders();
        let gathering = tokio::task::spawn_blocking(move || {
            let request = MaterialRequest {
                inline: &inline,
                command: ran.as_ref().map(|(output, _)| output.as_material()),
                paths: &paths,
                folder: &folder,
                home: home.as_deref(),
                root: None,
                kept: &kept,
                is_verbatim,
                most_chars,
            };
            (material::gather(request), ran)
        });
        let (material, ran): (Material, _) = tokio::select! {
            gathered = gathering => gathered.map_err(|_| failure::unexpected())?,
            () = job.cancel.cancelled() => return Ok(super::refused("the call was cancelled")),
        };
        let piece = Piece {
            kind: TurnKind::Delegate,
            task: params.task,
            material,
            most_chars: output_chars(params.max_output_chars, &surroundings),
            is_verbatim: params.verbatim,
            ran: ran.map(|(output, label)| Ran::of(output, label)),
            reference,
            started,
            rules,
        };
        Box::pin(self.work_on(InHand { caller, call: &params.call, job, surroundings: &surroundings }, piece)).await
    }

    /// Runs what was permitted. The reference is the one under which its whole output is kept.
    #[expect(clippy::too_many_arguments, reason = "everything that one command depends on")]
    async fn run_permitted(
        &self,
        caller: &Caller,
        call: &WorkerCall,
        job: &JobHandle,
        surroundings: &Surroundings,
        permitted: Permitted,
        as_written: &str,
        timeout: u32,
    ) -> Result<Result<(CommandOutput, ArtifactRef), WorkerAnswer>, Failure> {
        let reference = new_reference()?;
        let (key, way) = {
            let session = self.hold_session(caller, call, surroundings).await?;
            (session.key.clone(), self.way_out(&session, surroundings))
        };
        let folder = self.artifact_folder(&key)?;
        let run = CommandRun {
            command: permitted.command,
            as_written: as_written.to_owned(),
            folder: permitted.ground.folder,
            environment: permitted.ground.environment,
            is_environment_reduced: call.is_environment_reduced,
            secret_env: permitted.secret_env,
            timeout: Duration::from_secs(u64::from(timeout)),
            most_chars: usize::try_from(surroundings.config.material_max_chars).unwrap_or(usize::MAX),
            spill: Some(folder.spill_path(&reference)),
            sandbox: permitted.sandbox,
        };
        match command::run(run, &job.cancel).await {
            Ok(output) => Ok(Ok((output, reference))),
            Err(error) => {
                let text = match &error {
                    CommandError::NoSandbox(source) | CommandError::Start(source) | CommandError::Variable(source) => {
                        format!("{error}: {source}")
                    }
                    CommandError::NoBash => error.to_string(),
                };
                Ok(Err(failed(way.error(&text).into_text())))
            }
        }
    }

    /// The paths of a call with their placeholders put back, secrets apart.
    async fn opened_paths(
        &self,
        caller: &Caller,
        call: &WorkerCall,
        surroundings: &Surroundings,
        paths: &[String],
    ) -> Result<Vec<String>, Failure> {
        let session = self.hold_session(caller, call, surroundings).await?;
        let vault = session.vault();
        let vault = locked(&vault);
        Ok(paths
            .iter()
            .map(|path| rehydrate(path, &vault, Reveal::AllButSecrets, Bare::Ignored).text.into_owned())
            .collect())
    }

    /// One path of a call with its placeholders put back.
    async fn opened(
        &self,
        caller: &Caller,
        call: &WorkerCall,
        surroundings: &Surroundings,
        path: &str,
    ) -> Result<String, Failure> {
        let mut opened = self.opened_paths(caller, call, surroundings, &[path.to_owned()]).await?;
        Ok(opened.pop().unwrap_or_default())
    }

    /// A failure about a path that was opened: what the caller knows by a placeholder stays one.
    pub(super) async fn hidden(
        &self,
        caller: &Caller,
        call: &WorkerCall,
        surroundings: &Surroundings,
        failure: Failure,
    ) -> Result<Failure, Failure> {
        let way = {
            let session = self.hold_session(caller, call, surroundings).await?;
            self.way_out(&session, surroundings)
        };
        Ok(Failure { message: way.short(&failure.message).into_text(), ..failure })
    }
}

/// An answer that ends a call which has turned the worker on keeps the rules.
fn preceded(rules: Option<String>, answer: WorkerAnswer) -> WorkerAnswer {
    WorkerAnswer { text: with_rules(rules, answer.text.clone()), ..answer }
}

/// The variables that a command of this call will have.
pub(super) fn environment_of(call: &WorkerCall) -> CommandEnvironment {
    CommandEnvironment::of(&call.environment, std::env::home_dir().as_deref())
}

/// The folder of a call: the one that was asked for, else the client's. `~` is the home that its commands have.
pub(super) fn folder_of(call: &WorkerCall, cwd: &str, home: Option<&Path>) -> Result<PathBuf, Failure> {
    let base = call.cwd.as_deref().map(Path::new);
    let home = home.unwrap_or_else(|| Path::new("/"));
    let wanted = cwd.trim();
    let folder = match (wanted, base) {
        ("", Some(base)) => base.to_owned(),
        ("", None) | ("~", _) => home.to_owned(),
        (wanted, base) => match (wanted.strip_prefix("~/"), base) {
            (Some(rest), _) => home.join(rest),
            (None, _) if Path::new(wanted).is_absolute() => PathBuf::from(wanted),
            (None, Some(base)) => base.join(wanted),
            (None, None) => {
                let message = format!("`cwd` is `{wanted}`, which is relative, and the client's folder is not known");
                return Err(Failure::new(ErrorCode::InvalidInput, message).hint("give an absolute path"));
            }
        },
    };
    if folder.is_dir() {
        Ok(folder)
    } else {
        let message = format!("`cwd` is `{}`, which is no folder on this machine", folder.display());
        Err(Failure::new(ErrorCode::InvalidInput, message).hint("leave `cwd` out, or give a folder that exists"))
    }
}

pub(super) fn new_reference() -> Result<ArtifactRef, Failure> {
    Ok(ArtifactRef::from_random(tokens::random_bytes()?))
}

fn output_chars(wanted: u32, surroundings: &Surroundings) -> usize {
    let chars = if wanted == 0 { surroundings.config.max_output_chars } else { wanted };
    usize::try_from(chars).unwrap_or(usize::MAX)
}

fn check_output(wanted: u32) -> Result<(), Failure> {
    if wanted > MOST_OUTPUT_CHARS {
        return Err(out_of_range("max_output_chars", wanted, u64::from(MOST_OUTPUT_CHARS)));
    }
    Ok(())
}

fn out_of_range(name: &str, value: u32, most: u64) -> Failure {
    Failure::new(ErrorCode::InvalidInput, format!("`{name}` is {value}, and {most} is the most"))
        .hint("0 stands for the configured value")
}
