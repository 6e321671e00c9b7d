//! Running a command that was allowed: one bash, a cleaned environment, both streams as one, an end for everything.
//!
//! Whether a command may run is decided elsewhere. What it prints is raw when it comes from here.

mod sandbox;
mod secret_env;
mod surroundings;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use lwa_process::{End, Limits, ProcessError, Program, Running, Streams, Watch, WholeFile};
use tokio_util::sync::CancellationToken;

use crate::artifact::MOST_BYTES;
use crate::material::{CommandMaterial, capped_ends, plain_text};
use crate::trailer::CommandEnd;

pub use sandbox::{FileAccess, NetworkAccess, SandboxChoice, SandboxNeed, SandboxNote};
pub use secret_env::{GrantedVariable, SecretEnvError, granted};
pub use surroundings::{CommandEnvironment, CommandFolder};

/// How long a command may run when nothing is set.
pub const TIMEOUT_S: u64 = 120;
/// The longest time that may be asked for.
pub const MOST_TIMEOUT_S: u64 = 3_600;

/// A command and its surroundings. It holds private values, so `Debug` shows none of its texts.
#[derive(Clone)]
pub struct CommandRun {
    /// The command with its placeholders put back; secrets are not among them.
    pub command: String,
    /// The command as the caller wrote it, for labels.
    pub as_written: String,
    /// Where it runs.
    pub folder: CommandFolder,
    /// The variables that it was judged with; those of `secret_env` come on top.
    pub environment: CommandEnvironment,
    /// The face left names out before it sent them, or the client passes few.
    pub is_environment_reduced: bool,
    /// Values that a human granted to this one command.
    pub secret_env: Vec<GrantedVariable>,
    /// How long it may take.
    pub timeout: Duration,
    /// How much of its output becomes material.
    pub most_chars: usize,
    /// A file that takes the whole output when there is more; it is removed when there is not.
    pub spill: Option<PathBuf>,
    /// What it may not do.
    pub sandbox: Option<SandboxChoice>,
}

impl std::fmt::Debug for CommandRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CommandRun")
            .field("command_chars", &self.command.chars().count())
            .field("environment", &self.environment)
            .field("secret_env", &self.secret_env)
            .field("timeout", &self.timeout)
            .field("sandbox", &self.sandbox)
            .finish_non_exhaustive()
    }
}

/// Why a command was not started. `Display` is for the caller.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// There is no bash.
    #[error(
        "commands cannot run here: there is no `bash` in the places where systems keep it, such as /bin and \
         /usr/local/bin, which local_llm_run and the command of local_llm_delegate need; nothing was run"
    )]
    NoBash,
    /// A variable that was asked for cannot be given.
    #[error("a variable of `secret_env` cannot be passed to the command")]
    Variable(#[source] ProcessError),
    /// The sandbox was required and is not available; the human may be asked instead.
    #[error("the sandbox that this command needs is not available here; nothing was run")]
    NoSandbox(#[source] ProcessError),
    /// It could not be started.
    #[error("the command could not be started; nothing was run")]
    Start(#[source] ProcessError),
}

/// A command that runs.
#[derive(Debug)]
pub struct StartedCommand {
    running: Running,
    as_written: String,
    most_chars: usize,
    spill: Option<Spill>,
    sandbox: Option<SandboxChoice>,
    reduced_environment: Option<usize>,
    known_values: Vec<String>,
}

/// The file with raw output while the command runs. It goes with a command whose result nobody takes.
#[derive(Debug)]
struct Spill {
    path: PathBuf,
    is_kept: bool,
}

impl Spill {
    /// The file stays, and whoever has its path sees to it.
    fn keep(mut self) -> PathBuf {
        self.is_kept = true;
        std::mem::take(&mut self.path)
    }
}

impl Drop for Spill {
    fn drop(&mut self) {
        if !self.is_kept {
            // It is not there when nothing was started.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// What a command did. It holds raw output, so `Debug` shows its length.
#[derive(Clone, PartialEq)]
pub struct CommandOutput {
    /// The output, without colours and titles, cut to the limit.
    pub text: String,
    /// How it ended.
    pub end: CommandEnd,
    /// The exit code; none when it was ended or the system did not say.
    pub exit_code: Option<i32>,
    /// Bytes of the whole output.
    pub raw_bytes: u64,
    /// Characters of the text before it was cut; what was dropped unread counts by byte.
    pub raw_chars: u64,
    /// Some of it is not in the text.
    pub is_truncated: bool,
    /// The file with the whole of it, when the text is not all.
    pub whole: Option<PathBuf>,
    /// Whether that file really has all of it.
    pub is_whole_complete: bool,
    /// From the start until everything that it started was gone.
    pub duration: Duration,
    /// What it was kept from doing; none without a sandbox.
    pub sandbox: Option<SandboxNote>,
    /// Variables that it did not get; none when it got all.
    pub reduced_environment: Option<usize>,
    /// Processes that it left behind and that were ended.
    pub ended_stragglers: usize,
    /// Processes that could not be ended.
    pub survivors: usize,
    /// The values that it was given by `secret_env`, which must not come back in clear.
    pub known_values: Vec<String>,
    as_written: String,
}

impl std::fmt::Debug for CommandOutput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CommandOutput")
            .field("chars", &self.text.chars().count())
            .field("end", &self.end)
            .field("raw_bytes", &self.raw_bytes)
            .field("is_truncated", &self.is_truncated)
            .field("sandbox", &self.sandbox)
            .finish_non_exhaustive()
    }
}

impl CommandOutput {
    /// The output as a piece of material.
    pub fn as_material(&self) -> CommandMaterial<'_> {
        CommandMaterial {
            as_written: &self.as_written,
            output: &self.text,
            end: self.end,
            raw_chars: self.raw_chars,
            is_truncated: self.is_truncated,
        }
    }

    /// What the worker's model is told about a command that did not simply succeed.
    pub fn note(&self) -> Option<String> {
        match self.end {
            CommandEnd::Exited(0) => None,
            CommandEnd::Exited(code) => Some(format!("The command ended with exit code {code}.")),
            CommandEnd::Signalled(signal) => Some(format!("The command was ended by signal {signal}.")),
            CommandEnd::TimedOut => {
                Some(format!("The command was killed after {:.0} s and did not finish.", self.duration.as_secs_f64()))
            }
            CommandEnd::Cancelled => Some("The command was cancelled and did not finish.".to_owned()),
            CommandEnd::Unknown => Some("How the command ended is not known.".to_owned()),
        }
    }
}

/// Runs a command to its end, its deadline or the cancellation. Dropping the future ends everything that it started.
///
/// # Errors
/// It was not started.
pub async fn run(run: CommandRun, cancel: &CancellationToken) -> Result<CommandOutput, CommandError> {
    Ok(start(run).await?.finish(cancel).await)
}

/// Starts a command.
///
/// # Errors
/// It was not started.
pub async fn start(run: CommandRun) -> Result<StartedCommand, CommandError> {
    let environment = run.environment.with_granted(&run.secret_env)?;
    let dropped = environment.dropped();
    let bash = surroundings::find_bash().ok_or(CommandError::NoBash)?;
    let place = run.folder.place();
    let mut program = Program::new(bash, &place);
    // Behind `--` a command that begins with a dash is a command and no option.
    program.arguments = vec![OsString::from("-c"), OsString::from("--"), OsString::from(&run.command)];
    program.environment = environment.in_folder(&run.folder);
    program.streams = Streams::Together;
    // A character has at most four bytes, so nothing is dropped here that the limit in characters would keep.
    let bytes = run.most_chars.saturating_mul(4);
    let head = bytes / 10 * 7;
    program.limits = Limits { time: run.timeout, output_bytes: head, end_bytes: bytes - head, ..Limits::default() };
    let most_bytes = u64::try_from(MOST_BYTES).unwrap_or(u64::MAX);
    program.whole_output = run.spill.clone().map(|path| WholeFile { path, most_bytes });
    program.sandbox = run.sandbox.as_ref().map(|choice| choice.sandbox(&place, &program.environment));
    let spill = run.spill.map(|path| Spill { path, is_kept: false });
    let running = program.start().await.map_err(|error| match error {
        ProcessError::SandboxUnavailable(_) | ProcessError::Sandbox { .. } => CommandError::NoSandbox(error),
        _ => CommandError::Start(error),
    })?;
    Ok(StartedCommand {
        running,
        as_written: run.as_written,
        most_chars: run.most_chars,
        spill,
        sandbox: run.sandbox,
        reduced_environment: (dropped > 0 || run.is_environment_reduced).then_some(dropped),
        known_values: run.secret_env.into_iter().map(GrantedVariable::into_value).collect(),
    })
}

impl StartedCommand {
    /// A handle to look at the output while it comes. What it shows is raw.
    pub fn watch(&self) -> Watch {
        self.running.watch()
    }

    /// Waits for its end, its deadline or the cancellation.
    pub async fn finish(self, cancel: &CancellationToken) -> CommandOutput {
        let Self { running, as_written, most_chars, spill, sandbox, reduced_environment, known_values } = self;
        let outcome = running.finish(cancel).await;
        let captured = &outcome.stdout;
        let beginning = captured.text();
        let (beginning, ending) = (plain_text(&beginning), captured.end_text());
        let ending = plain_text(&ending);
        let capped = capped_ends(&beginning, &ending, captured.dropped_bytes(), most_chars);
        let whole = spill.filter(|_| capped.is_truncated() && outcome.whole_output.is_some()).map(Spill::keep);
        let (end, exit_code) = match outcome.end {
            End::Exited(code) => (CommandEnd::Exited(code), Some(code)),
            End::Signalled(signal) => (CommandEnd::Signalled(signal), Some(128 + signal)),
            End::TimedOut => (CommandEnd::TimedOut, None),
            End::Cancelled => (CommandEnd::Cancelled, None),
            End::Unknown => (CommandEnd::Unknown, None),
        };
        CommandOutput {
            end,
            exit_code,
            raw_bytes: captured.total_bytes,
            raw_chars: capped.raw_chars,
            is_truncated: capped.is_truncated(),
            text: capped.text,
            is_whole_complete: outcome.whole_output.is_some_and(|whole| whole.is_complete),
            whole,
            duration: outcome.duration,
            sandbox: sandbox.map(|choice| SandboxNote::new(&choice, outcome.sandbox)),
            reduced_environment,
            ended_stragglers: outcome.ended_stragglers,
            survivors: outcome.survivors,
            known_values,
            as_written,
        }
    }
}
