//! The typed configuration.

mod library;
mod model;
mod money;
mod parse;
mod provider;
mod router;
mod telemetry;
mod worker;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

pub use library::LibraryConfig;
pub use model::ModelConfig;
pub use provider::ProviderConfig;
pub use router::RouterConfig;
pub use telemetry::TelemetryConfig;
pub use worker::{Observer, WORKER_FALLBACK_KEY, WORKER_KEY, WorkerConfig, WorkerOverride};

use crate::error::{ConfigError, Place, hint, presentable};
use crate::home::Home;
use crate::words::SecretsBackend;

/// The name of the provider that is built in and has no model.
pub const BUILTIN_PROVIDER: &str = "builtin";

/// Everything that the human configured. The default is what holds without a file.
#[derive(Debug, Clone)]
pub struct Config {
    /// Consent, caps and prompts.
    pub router: RouterConfig,
    /// What the tool library does by itself.
    pub library: LibraryConfig,
    /// Where measurements go.
    pub telemetry: TelemetryConfig,
    /// Providers by name.
    pub providers: BTreeMap<String, ProviderConfig>,
    /// Models, at most one for each provider and name.
    pub models: Vec<ModelConfig>,
    /// Where keys are kept.
    pub secrets: SecretsConfig,
    /// How the worker works. What holds for one client in one folder is [`Config::worker_for`].
    pub worker: WorkerConfig,
    /// What differs by client.
    pub clients: BTreeMap<String, ClientConfig>,
    /// What differs by project: its folder, as an absolute path.
    pub projects: BTreeMap<String, ProjectConfig>,
    /// The desktop app.
    pub app: AppConfig,
    /// The tool sets of clients that name none.
    pub toolsets: Vec<String>,
    /// Which keys the file set, and where. No part of equality.
    pub origin: Origin,
}

/// Which keys a file set, and on which line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The file; none when there was none.
    pub path: Option<PathBuf>,
    /// Line by key path: `router.allow_paid`, `providers.groq.base_url`, `models.groq:NAME.enabled`.
    pub lines: BTreeMap<String, usize>,
}

/// Where keys are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SecretsConfig {
    /// The kind of store.
    pub backend: SecretsBackend,
}

/// What differs for one client.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ClientConfig {
    /// The tool sets it is offered; empty means those of the root.
    pub toolsets: Vec<String>,
    /// What the human wants to remember about it.
    pub note: Option<String>,
    /// What of the worker differs for it.
    #[serde(skip)]
    pub worker: WorkerOverride,
}

/// What differs in one folder and below it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProjectConfig {
    /// What of the worker differs there.
    pub worker: WorkerOverride,
}

/// The desktop app.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AppConfig {
    /// Whether a question brings the window to the front.
    pub bring_to_front: bool,
    /// How long a question waits for an answer.
    pub approval_minutes: u32,
    /// Whether the app starts in the tray.
    pub start_hidden: bool,
}

/// What the product ships: the base that a file's tables are laid over.
///
/// A file may name only the keys of a shipped provider or model that it changes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Shipped {
    /// Providers by name.
    pub providers: BTreeMap<String, ProviderConfig>,
    /// Their models.
    pub models: Vec<ModelConfig>,
}

/// What is shipped can be written like a configuration.
impl From<Config> for Shipped {
    fn from(config: Config) -> Self {
        Self { providers: config.providers, models: config.models }
    }
}

impl Default for SecretsConfig {
    fn default() -> Self {
        Self { backend: SecretsBackend::Keychain }
    }
}

impl Default for AppConfig {
    fn default() -> Self {
        Self { bring_to_front: false, approval_minutes: 10, start_hidden: false }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            router: RouterConfig::default(),
            library: LibraryConfig::default(),
            telemetry: TelemetryConfig::default(),
            providers: BTreeMap::new(),
            models: Vec::new(),
            secrets: SecretsConfig::default(),
            worker: WorkerConfig::default(),
            clients: BTreeMap::new(),
            projects: BTreeMap::new(),
            app: AppConfig::default(),
            toolsets: vec!["core".to_owned()],
            origin: Origin::default(),
        }
    }
}

/// Equal values, wherever they come from: a moved line or a spelled-out default changes nothing.
impl PartialEq for Config {
    fn eq(&self, other: &Self) -> bool {
        self.router == other.router
            && self.library == other.library
            && self.telemetry == other.telemetry
            && self.providers == other.providers
            && self.models == other.models
            && self.secrets == other.secrets
            && self.worker == other.worker
            && self.clients == other.clients
            && self.projects == other.projects
            && self.app == other.app
            && self.toolsets == other.toolsets
    }
}

impl Config {
    /// Reads a configuration; `path` is for messages only.
    ///
    /// Models may name any provider: [`Config::check_references`] looks at that when the shipped
    /// providers are known.
    ///
    /// # Errors
    /// The first thing that is wrong, with its line.
    pub fn parse(text: &str, path: &Path) -> Result<Self, ConfigError> {
        parse::parse(text, path, &Shipped::default())
    }

    /// Reads a configuration over what is shipped: the result holds the shipped providers and models
    /// too, with the file's keys laid over them, and every model's provider exists.
    ///
    /// # Errors
    /// The first thing that is wrong, with its line.
    pub fn parse_over(text: &str, path: &Path, shipped: &Shipped) -> Result<Self, ConfigError> {
        let config = parse::parse(text, path, shipped)?;
        config.check_references(&[])?;
        Ok(config)
    }

    /// Reads a configuration over what is shipped, without a look at the models' providers.
    pub(crate) fn parse_with(text: &str, path: &Path, shipped: &Shipped) -> Result<Self, ConfigError> {
        parse::parse(text, path, shipped)
    }

    /// Reads the configuration file; a missing file means defaults.
    ///
    /// # Errors
    /// The file cannot be read, or what is wrong in it.
    pub fn load(home: &Home) -> Result<Self, ConfigError> {
        let path = home.config_file();
        Self::parse(&read_or_empty(&path)?, &path)
    }

    /// Reads the configuration file over what is shipped.
    ///
    /// # Errors
    /// The file cannot be read, or what is wrong in it.
    pub fn load_over(home: &Home, shipped: &Shipped) -> Result<Self, ConfigError> {
        let path = home.config_file();
        Self::parse_over(&read_or_empty(&path)?, &path, shipped)
    }

    /// Checks that every model belongs to a provider that is configured, shipped or built in.
    ///
    /// # Errors
    /// The first model that does not, with its line.
    pub fn check_references(&self, shipped: &[String]) -> Result<(), ConfigError> {
        let names = self.providers.keys().map(String::as_str).chain(shipped.iter().map(String::as_str));
        for model in &self.models {
            if model.provider != BUILTIN_PROVIDER && !names.clone().any(|name| name == model.provider) {
                let near = hint(&model.provider, names.clone());
                return Err(ConfigError::UnknownProvider {
                    place: Place {
                        path: self.origin.path.clone().unwrap_or_default(),
                        line: self.origin.lines.get(&format!("models.{}.provider", model.key())).copied(),
                    },
                    provider: presentable(&model.provider).to_owned(),
                    hint: if near.starts_with("; did") {
                        near
                    } else {
                        "; add its table under `[providers]` with a `base_url`".to_owned()
                    },
                });
            }
        }
        Ok(())
    }

    /// The tool sets that a client is offered.
    pub fn toolsets_of(&self, client: &str) -> &[String] {
        self.clients
            .get(client)
            .map(|client| client.toolsets.as_slice())
            .filter(|sets| !sets.is_empty())
            .unwrap_or(&self.toolsets)
    }

    /// How the worker works for a client in a folder.
    ///
    /// The most specific word wins, key by key: what the client's table says, else the project's, else `[worker]`.
    /// Of projects that lie within each other the innermost that says something counts. A client's table holds for
    /// that client alone, so that arming one arms no other. Extra lines of the allow-list add up.
    ///
    /// The folder is compared as it is written; the caller resolves links first. A folder that is not absolute is in
    /// no project.
    pub fn worker_for(&self, client: &str, project_dir: Option<&Path>) -> WorkerConfig {
        let mut worker = self.worker_in(project_dir);
        if let Some(client) = self.clients.get(client) {
            worker.overlay(&client.worker);
        }
        worker
    }

    /// How the worker works in a folder, for clients that have no table of their own.
    pub(crate) fn worker_in(&self, project_dir: Option<&Path>) -> WorkerConfig {
        let mut worker = self.worker.clone();
        // The names are sorted, so that an outer folder comes before those within it.
        for (folder, project) in &self.projects {
            if project_dir.is_some_and(|dir| dir.starts_with(folder)) {
                worker.overlay(&project.worker);
            }
        }
        worker
    }
}

/// The text of a file; empty when there is none.
pub(crate) fn read_or_empty(path: &Path) -> Result<String, ConfigError> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        Err(source) => Err(ConfigError::Read { path: path.to_owned(), source }),
    }
}
