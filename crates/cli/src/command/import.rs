//! `lwa import`: the configuration, keys, lists and tool library of an older product.
//!
//! Its files are read and never written. What loosens our configuration is written, too, and waits in the
//! host until a person accepts it, as every such edit does.

mod copy;
mod local_llm;
mod report;
mod savings;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use lwa_config::{Config, Home, WORKER_FALLBACK_KEY, WORKER_KEY, edit, flatten};
use lwa_domain::ErrorCode;
use lwa_protocol::host::Nothing;
use lwa_protocol::method::{ConfigShow, KeyGetList};
use lwa_protocol::{Connection, Failure};
use lwa_registration::discover::{Found, in_file};
use lwa_registration::seed::local_llm::{GivenIn, SavedTurn};
use lwa_registration::seed::{
    ConfigurationPlan, LibraryPlan, Ours, SeedError, SeedKind, copy_library, locate, plan_configuration, plan_library,
};
use lwa_registration::variables::ProviderVariables;

use self::copy::CopyPlan;
use self::report::{ConfigReport, KeyReport, KeyState, LedgerReport, LibraryReport, Report, Source};
use crate::args::{ImportArgs, ImportKind};
use crate::command::keys_wizard::found::{self, Left};
use crate::command::keys_wizard::terminal::{Terminal, is_attended};
use crate::face;
use crate::output::Output;

/// Everything that was worked out before anything is written.
struct Plan {
    home: Home,
    source: Source,
    configuration: Option<ConfigurationPlan>,
    library: Option<(PathBuf, LibraryPlan)>,
    keys: Vec<Found>,
    /// Lines of the file of keys that nothing becomes of.
    left: Vec<Left>,
    /// Files beside the configuration.
    copies: Vec<CopyPlan>,
    ledger: Option<LedgerReport>,
    /// The turns of a ledger of savings.
    savings: Vec<SavedTurn>,
    /// Placeholders that an older worker gave out.
    given: Vec<GivenIn>,
}

/// Runs the verb.
pub async fn import(args: &ImportArgs, output: Output) -> Result<u8, Failure> {
    let plan = plan(args)?;
    if args.dry_run {
        let host = face::running_host().await?;
        let report = plan.report(args, host.as_ref()).await?;
        output.result(&report, Report::readable);
        return Ok(0);
    }
    // The host takes the configuration as it stands for the accepted one before the file changes; what
    // loosens it then waits, in a new home too.
    let host = face::host().await?;
    let mut report = plan.report(args, Some(&host)).await?;
    let mut stores_keys = args.yes;
    if !args.yes && is_attended() && report.has_changes() {
        let mut terminal = Terminal::open()?;
        terminal.say(&report.readable())?;
        if terminal.ask("Write this?")? != Some(true) {
            output.note("Nothing was written.");
            return Ok(ErrorCode::ConfirmationRequired.exit_code());
        }
        stores_keys = true;
    }
    report.is_dry_run = false;
    plan.write(stores_keys, &mut report)?;
    let mut code = plan.store_keys(&host, stores_keys, &mut report).await;
    if let (Some(ledger), false) = (&mut report.ledger, plan.savings.is_empty()) {
        code = code.max(savings::count(&host, &plan.savings, ledger).await);
    }
    savings::reserve(&host, &plan.given).await?;
    let shown = face::call_on::<ConfigShow>(&host, Nothing {}).await?;
    if let Some(error) = shown.error {
        return Err(Failure::new(ErrorCode::ConfigInvalid, error));
    }
    report.waiting = shown.pending;
    output.result(&report, Report::readable);
    Ok(code)
}

/// Reads both sides and works out what would change.
fn plan(args: &ImportArgs) -> Result<Plan, Failure> {
    let home = face::home()?;
    let kind = match args.kind {
        ImportKind::LwaMcp => SeedKind::LwaMcp,
        ImportKind::CastorPollux => SeedKind::CastorPollux,
        ImportKind::LocalLlmMcp => return local_llm::plan(args, home),
    };
    // With a folder of one's own, only what the command names is read.
    let environment = if home.overridden().is_none() { found::environment() } else { BTreeMap::new() };
    let path = std::path::absolute(&args.path).map_err(|error| face::internal(&error))?;
    let files = locate(kind, &path, &environment).map_err(|error| failed(&error))?;
    let shipped = lwa_engine::shipped_catalogue();
    let path = home.config_file();
    let text = read_or_empty(&path)?;
    let ours = Ours { text: &text, path: &path, shipped: &shipped, is_replaced: args.force };
    let configuration = match &files.router {
        Some(router) => {
            let yaml = read(router)?;
            let plan = plan_configuration(&yaml, ours);
            Some(plan.map_err(|error| match error {
                SeedError::Configuration(_) => failed(&error),
                other => Failure::new(ErrorCode::InvalidInput, format!("`{}`: {other}", router.display())),
            })?)
        }
        None => None,
    };
    let library = match &files.library {
        Some(folder) => {
            let plan = plan_library(folder, &library_folder(&home), args.force).map_err(|error| failed(&error))?;
            Some((folder.clone(), plan))
        }
        None => None,
    };
    let (keys, left) = match &files.keys {
        Some(file) => {
            let config = match &configuration {
                Some(plan) => plan.config.clone(),
                None => Config::parse_over(&text, &path, &shipped).map_err(|error| failed(&error.into()))?,
            };
            let values = flatten(&config);
            let table = ProviderVariables::of_values(values.iter().map(|(key, value, _)| (key.as_str(), value)));
            let content = in_file(&table, file).map_err(|error| {
                Failure::new(ErrorCode::InvalidInput, format!("cannot read `{}`: {error}", file.display()))
            })?;
            let keys: Vec<Found> = found::one_each(&table, &content.found).into_iter().cloned().collect();
            let left = found::left(&content, &keys);
            (keys, left)
        }
        None => (Vec::new(), Vec::new()),
    };
    let ledger = files.ledger.as_ref().map(|path| LedgerReport {
        path: path.clone(),
        bytes: fs::metadata(path).map(|meta| meta.len()).unwrap_or_default(),
        counted: None,
        is_carried: false,
        new: None,
        known: None,
        reason: "its rows are not carried over; the file stays where it is".to_owned(),
    });
    let source = Source::Router(files);
    let (copies, savings, given) = (Vec::new(), Vec::new(), Vec::new());
    Ok(Plan { home, source, configuration, library, keys, left, copies, ledger, savings, given })
}

impl Plan {
    /// What would be written.
    async fn report(&self, args: &ImportArgs, host: Option<&Connection>) -> Result<Report, Failure> {
        let stored = match host {
            Some(host) => face::call_on::<KeyGetList>(host, Nothing {}).await?.keys,
            None => Vec::new(),
        };
        let is_stored = |provider: &str| stored.iter().any(|key| key.provider == provider && key.variable.is_none());
        let keys = self.keys.iter().map(|found| KeyReport {
            provider: found.provider.clone(),
            variable: found.variable.clone(),
            masked: found.value.masked(),
            state: match (is_stored(&found.provider), args.force) {
                (true, false) => KeyState::Kept,
                _ => KeyState::Planned,
            },
            detail: None,
        });
        let mut ledger = self.ledger.clone();
        if let (Some(ledger), Some(host), false) = (&mut ledger, host, self.savings.is_empty()) {
            savings::foresee(host, &self.savings, ledger).await?;
        }
        Ok(Report {
            source: self.source.clone(),
            is_dry_run: true,
            config: self.configuration.as_ref().map(|plan| ConfigReport {
                path: self.home.config_file(),
                backup: None,
                changes: plan.changes.clone(),
                kept: plan.kept.clone(),
                not_carried: plan.not_carried.clone(),
            }),
            waiting: self.configuration.iter().flat_map(|plan| plan.waiting.iter().map(report::line)).collect(),
            keys: keys.collect(),
            left: self.left.clone(),
            library: self.library.as_ref().map(|(_, plan)| LibraryReport {
                path: library_folder(&self.home),
                backup: None,
                tools: plan.tools.clone(),
            }),
            files: self.copies.iter().map(|copy| copy.report.clone()).collect(),
            ledger,
        })
    }

    /// Writes the configuration, the library and the files beside them, each with a backup of what gives way.
    fn write(&self, is_agreed: bool, report: &mut Report) -> Result<(), Failure> {
        let stamp = self.stamp(report);
        if let (Some(plan), Some(config)) = (&self.configuration, &mut report.config)
            && !plan.changes.is_empty()
        {
            config.backup = back_up(&config.path, &stamp)?;
            edit::write_atomic(&config.path, &plan.text).map_err(|error| failed(&error.into()))?;
        }
        if let (Some((folder, plan)), Some(library)) = (&self.library, &mut report.library) {
            library.backup = copy_library(plan, folder, &library.path, &stamp).map_err(|error| failed(&error))?;
        }
        for (copy, file) in self.copies.iter().zip(&mut report.files) {
            copy.write(is_agreed, &stamp, file)?;
        }
        Ok(())
    }

    /// The time, for the names of backups; with a number when another import had the same second.
    fn stamp(&self, report: &Report) -> String {
        let now = Timestamp::now().strftime("%Y%m%d-%H%M%S").to_string();
        let mut files: Vec<PathBuf> = report.files.iter().map(|file| file.path.clone()).collect();
        // The library's backup is a folder in it.
        files.extend([self.home.config_file(), library_folder(&self.home).join("")]);
        let is_free = |stamp: &String| files.iter().all(|path| !backup_of(path, stamp).exists());
        let numbered = (2..).map(|number| format!("{now}-{number}"));
        std::iter::once(now.clone()).chain(numbered).find(is_free).unwrap_or(now)
    }

    /// Hands the keys to the host, one by one. What was written before stays reported when the host takes
    /// none, so a failure is noted with the key; its exit code is given.
    async fn store_keys(&self, host: &Connection, is_agreed: bool, report: &mut Report) -> u8 {
        let mut code = 0;
        for key in report.keys.iter_mut().filter(|key| key.state == KeyState::Planned) {
            key.state = KeyState::LeftOut;
            let Some(found) = self.keys.iter().find(|found| found.provider == key.provider) else { continue };
            if !is_agreed {
                key.detail = Some("run the same again with `--yes` to store it".to_owned());
                continue;
            }
            match found::store(host, &found.provider, &found.value).await {
                Ok(_) => key.state = KeyState::Stored,
                Err(failure) if failure.code == ErrorCode::NotFound => {
                    let way_out = if [WORKER_KEY, WORKER_FALLBACK_KEY].contains(&found.provider.as_str()) {
                        "its model is not in force yet; accept it with `lwa config accept` and run the same again"
                    } else {
                        "its provider is not in force yet; accept it with `lwa config accept` and run the same again"
                    };
                    key.detail = Some(way_out.to_owned());
                }
                Err(failure) => {
                    code = failure.code.exit_code();
                    key.detail = Some(failure.message);
                }
            }
        }
        code
    }
}

fn library_folder(home: &Home) -> PathBuf {
    home.data_dir().join("tool-library")
}

/// Copies a file beside itself; none when there is none.
fn back_up(path: &Path, stamp: &str) -> Result<Option<PathBuf>, Failure> {
    let text = match fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(failed(&SeedError::Read { path: path.to_owned(), source })),
    };
    let backup = backup_of(path, stamp);
    let made = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&backup);
    made.and_then(|mut file| file.write_all(&text).and_then(|()| file.sync_all()))
        .map_err(|source| failed(&SeedError::Write { path: backup.clone(), source }))?;
    Ok(Some(backup))
}

/// Where the backup of a file stands.
fn backup_of(path: &Path, stamp: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".pre-import-{stamp}"));
    PathBuf::from(name)
}

fn read_or_empty(path: &Path) -> Result<String, Failure> {
    match fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        result => result.map_err(|source| failed(&SeedError::Read { path: path.to_owned(), source })),
    }
}

fn read(path: &Path) -> Result<String, Failure> {
    let is_small = fs::metadata(path).is_ok_and(|meta| meta.len() <= lwa_registration::MAX_BYTES);
    if !is_small {
        return Err(Failure::new(ErrorCode::InvalidInput, format!("`{}` is too large", path.display())));
    }
    fs::read_to_string(path).map_err(|source| failed(&SeedError::Read { path: path.to_owned(), source }))
}

fn failed(error: &SeedError) -> Failure {
    let code = match error {
        SeedError::Configuration(_) => ErrorCode::ConfigInvalid,
        SeedError::Write { .. } => ErrorCode::Internal,
        _ => ErrorCode::InvalidInput,
    };
    let why = std::error::Error::source(error).map(|source| format!(": {source}")).unwrap_or_default();
    Failure::new(code, format!("{error}{why}"))
}
