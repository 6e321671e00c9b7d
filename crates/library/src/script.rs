//! Running an approved script: exactly the approved bytes, in a folder of its own, with a clean
//! environment and, where the system has one, in a sandbox.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use lwa_process::{
    Captured, End, Environment, Input, Limits, Need, Network, ProcessError, Program, Sandbox, SandboxReport,
    clean_search_path,
};
use tokio_util::sync::CancellationToken;

use crate::error::LibraryError;
use crate::files::{self, Mode};
use crate::slug::Slug;

/// The names of the caller's environment that a script may see.
const ALLOWED: &[&str] = &["LANG", "LC_*", "TZ"];
/// Where programs are looked for first. The caller's own search path may begin with folders that other
/// programs of the user write to, and with stand-ins that need the user's environment.
const SYSTEM_FOLDERS: &[&str] = &["/usr/local/bin", "/usr/bin", "/bin"];

/// A script that may run now, with the bytes that were approved.
#[derive(Clone)]
pub struct ReadyScript {
    slug: Slug,
    file_name: String,
    source: Vec<u8>,
}

impl fmt::Debug for ReadyScript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReadyScript({}, {} bytes)", self.slug, self.source.len())
    }
}

/// Where and how a script runs.
#[derive(Debug, Clone)]
pub struct ScriptSurroundings {
    /// The program that runs it: a path, or a name such as `python3`, which is looked for in the
    /// system's folders and then on the caller's search path.
    pub interpreter: PathBuf,
    /// The caller's environment; little of it is passed on.
    pub environment: Vec<(OsString, OsString)>,
    /// The folder in which the run gets a folder of its own, which is removed afterwards.
    pub scratch: PathBuf,
    /// Folders whose content the script may not read, such as those with keys.
    pub hidden: Vec<PathBuf>,
    /// Whether the script may run where the sandbox is not whole.
    pub need: Need,
    /// Time, output and grace.
    pub limits: Limits,
}

impl ScriptSurroundings {
    /// Python 3, two minutes, one megabyte of each stream, and the sandbox as far as the system has it.
    pub fn new(scratch: impl Into<PathBuf>, environment: Vec<(OsString, OsString)>) -> Self {
        Self {
            interpreter: PathBuf::from("python3"),
            environment,
            scratch: scratch.into(),
            hidden: Vec::new(),
            need: Need::WhereAvailable,
            limits: Limits::default(),
        }
    }

    /// Whether this system holds the whole sandbox in which a script runs.
    ///
    /// # Errors
    /// The scratch folder cannot be made.
    pub fn has_whole_sandbox(&self) -> Result<bool, LibraryError> {
        files::create_private(&self.scratch)?;
        Ok(self.sandbox(&self.scratch).probe().is_ok_and(|report| report.is_as_required()))
    }

    fn sandbox(&self, work: &Path) -> Sandbox {
        Sandbox {
            writable: vec![work.to_owned()],
            hidden: self.hidden.clone(),
            network: Network::Closed,
            need: self.need,
        }
    }
}

/// How a script ended, in the words of the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptStatus {
    /// With code nought.
    Completed,
    /// With another code, or by a signal.
    Failed,
    /// Its time was over.
    TimedOut,
    /// The caller cancelled.
    Cancelled,
}

impl ScriptStatus {
    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::TimedOut => "timed_out",
            Self::Cancelled => "cancelled",
        }
    }
}

/// What a script did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptOutcome {
    /// How it ended.
    pub status: ScriptStatus,
    /// Its code; none when it did not end by itself.
    pub return_code: Option<i32>,
    /// What it wrote to standard output.
    pub stdout: Captured,
    /// What it wrote to standard error.
    pub stderr: Captured,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// Which parts of the sandbox were in force.
    pub sandbox: SandboxReport,
    /// Processes that it left behind and that were ended.
    pub ended_stragglers: usize,
    /// Processes that could not be ended.
    pub survivors: usize,
}

impl ReadyScript {
    pub(crate) const fn new(slug: Slug, file_name: String, source: Vec<u8>) -> Self {
        Self { slug, file_name, source }
    }

    /// The tool's name.
    pub const fn slug(&self) -> &Slug {
        &self.slug
    }

    /// Runs it on `input`, to its end, its deadline or the cancellation. Dropping the future ends it.
    ///
    /// # Errors
    /// The folder cannot be made, the interpreter is missing, or a required sandbox is not whole.
    pub async fn run(
        &self,
        input: &str,
        surroundings: &ScriptSurroundings,
        cancel: &CancellationToken,
    ) -> Result<ScriptOutcome, LibraryError> {
        let scratch = Scratch::create(&surroundings.scratch)?;
        // The bytes that were checked are the bytes that run: the library's file may change meanwhile.
        let program_file = scratch.folder.join(&self.file_name);
        files::replace(&program_file, &self.source, Mode::Data)?;
        let work = scratch.folder.join("work");
        files::create_private(&work)?;

        let failed = |source| LibraryError::Start { slug: self.slug.clone(), source };
        let (interpreter, search_path) = interpreter(surroundings);
        let mut program = Program::new(interpreter, &work);
        program.arguments = vec!["-I".into(), "-B".into(), "-X".into(), "utf8".into(), program_file.into()];
        program.environment = environment(surroundings, &search_path, &work).map_err(failed)?;
        program.input = Input::Bytes(input.as_bytes().to_vec());
        program.limits = surroundings.limits;
        program.sandbox = Some(surroundings.sandbox(&work));
        let outcome = program.run(cancel).await.map_err(failed)?;
        let (status, return_code) = match outcome.end {
            End::Exited(0) => (ScriptStatus::Completed, Some(0)),
            End::Exited(code) => (ScriptStatus::Failed, Some(code)),
            End::Signalled(_) | End::Unknown => (ScriptStatus::Failed, None),
            End::TimedOut => (ScriptStatus::TimedOut, None),
            End::Cancelled => (ScriptStatus::Cancelled, None),
        };
        Ok(ScriptOutcome {
            status,
            return_code,
            stdout: outcome.stdout,
            stderr: outcome.stderr,
            duration_ms: u64::try_from(outcome.duration.as_millis()).unwrap_or(u64::MAX),
            sandbox: outcome.sandbox,
            ended_stragglers: outcome.ended_stragglers,
            survivors: outcome.survivors,
        })
    }
}

/// The program that runs the script, and the search path that fits it.
fn interpreter(surroundings: &ScriptSurroundings) -> (PathBuf, OsString) {
    let system = OsString::from(SYSTEM_FOLDERS.join(":"));
    let wanted = &surroundings.interpreter;
    if wanted.components().count() > 1 {
        return (wanted.clone(), system);
    }
    let found = SYSTEM_FOLDERS.iter().map(|folder| Path::new(folder).join(wanted)).find(|path| path.is_file());
    if let Some(path) = found {
        return (path, system);
    }
    let callers = surroundings.environment.iter().find(|(name, _)| name == "PATH");
    (wanted.clone(), callers.map_or(system, |(_, value)| clean_search_path(value)))
}

fn environment(
    surroundings: &ScriptSurroundings,
    search_path: &OsStr,
    work: &Path,
) -> Result<Environment, ProcessError> {
    // Whatever a script keeps for itself stays in the folder that is removed.
    Environment::allowed(surroundings.environment.iter().cloned(), ALLOWED)
        .with("PATH", search_path)?
        .with("HOME", work.as_os_str())?
        .with("TMPDIR", work.as_os_str())
}

/// A folder for one run, removed at its end however that comes.
#[derive(Debug)]
struct Scratch {
    folder: PathBuf,
}

impl Scratch {
    fn create(parent: &Path) -> Result<Self, LibraryError> {
        files::create_private(parent)?;
        Ok(Self { folder: files::create_unique_folder(parent, "run")? })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is private, and is found in the scratch folder.
        let _ = fs::remove_dir_all(&self.folder);
    }
}
