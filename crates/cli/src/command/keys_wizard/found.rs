//! Keys that were found, and how they get into the host's store.

use std::collections::BTreeMap;
use std::path::PathBuf;

use lwa_config::Home;
use lwa_domain::ErrorCode;
use lwa_protocol::configuration::ConfigShown;
use lwa_protocol::host::Nothing;
use lwa_protocol::method::{ConfigShow, KeySet};
use lwa_protocol::provider::{KeySetParams, KeyView};
use lwa_protocol::{Connection, Failure};
use lwa_registration::Hidden;
use lwa_registration::discover::{FileContent, Found, Places, Source};
use lwa_registration::variables::{Holds, ProviderVariables};
use serde::Serialize;

use crate::face;

/// One found value as people may see it.
#[derive(Debug, Serialize)]
pub struct FoundView {
    provider: String,
    variable: String,
    holds: Holds,
    source: Source,
    masked: String,
}

impl From<&Found> for FoundView {
    fn from(found: &Found) -> Self {
        Self {
            provider: found.provider.clone(),
            variable: found.variable.clone(),
            holds: found.holds,
            source: found.source.clone(),
            masked: found.value.masked(),
        }
    }
}

impl FoundView {
    /// The cells of a row: provider, key, variable, place.
    pub fn cells(&self) -> Vec<String> {
        let what = match self.holds {
            Holds::Key => self.masked.clone(),
            Holds::Account => format!("{} (account)", self.masked),
            Holds::QuotaKey => format!("{} (reads the quota)", self.masked),
        };
        vec![self.provider.clone(), what, self.variable.clone(), self.source.to_string()]
    }
}

/// The variables of every provider in force.
pub async fn variables(host: &Connection) -> Result<Vec<ProviderVariables>, Failure> {
    let ConfigShown { values, .. } = face::call_on::<ConfigShow>(host, Nothing {}).await?;
    Ok(ProviderVariables::of_values(values.iter().map(|value| (value.key.as_str(), &value.value))))
}

/// The environment, as far as it is text.
pub fn environment() -> BTreeMap<String, String> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// Where to look for keys. With a folder of one's own, nothing of the home folder is looked at: only what
/// the environment names, and the folder that the command runs in.
pub fn places(home: &Home) -> Places {
    let environment = environment();
    let named = environment.get("CODEX_HOME").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let own = std::env::home_dir().filter(|_| home.overridden().is_none());
    let mut files: Vec<PathBuf> = own.iter().map(|home| home.join(".config/codex/.env")).collect();
    if let Ok(folder) = std::env::current_dir() {
        files.extend([".env", ".env.local"].map(|name| folder.join(name)));
    }
    let beside = home.state_dir().parent().filter(|_| home.overridden().is_none());
    Places {
        codex_home: named.or_else(|| own.map(|home| home.join(".codex"))),
        files,
        seed_file: beside.map(|folder| folder.join("lwa-mcp/lwa.env")),
        environment,
    }
}

/// Stores one key in the host.
pub async fn store(host: &Connection, provider: &str, key: &Hidden) -> Result<KeyView, Failure> {
    let params = KeySetParams { provider: provider.to_owned(), key: key.expose().to_owned() };
    face::call_on::<KeySet>(host, params).await
}

/// One key for each provider: of several, the one whose variable the provider tries first.
pub fn one_each<'a>(table: &[ProviderVariables], found: &'a [Found]) -> Vec<&'a Found> {
    let rank = |found: &Found| {
        let variables = table.iter().find(|one| one.provider == found.provider);
        variables.and_then(|one| one.names.iter().position(|(name, _)| *name == found.variable))
    };
    let mut chosen: BTreeMap<&str, &Found> = BTreeMap::new();
    for one in found.iter().filter(|one| one.holds == Holds::Key) {
        let best = chosen.entry(&one.provider).or_insert(one);
        if rank(one) < rank(best) {
            *best = one;
        }
    }
    chosen.into_values().collect()
}

/// A line of a file of keys that nothing becomes of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Left {
    /// The variable.
    pub variable: String,
    /// Why.
    pub reason: &'static str,
}

/// What of a file is left when these keys are taken.
pub fn left(content: &FileContent, taken: &[Found]) -> Vec<Left> {
    let known = content.found.iter().filter(|found| !taken.contains(found)).map(|found| Left {
        variable: found.variable.clone(),
        reason: match found.holds {
            Holds::Key => "its provider gets another key of the file",
            Holds::Account => "an account is no key; set the variable where the host runs",
            Holds::QuotaKey => "only the variable itself serves, where the host runs",
        },
    });
    let unknown = content.unknown.iter().map(|name| Left { variable: name.clone(), reason: "no provider has it" });
    known.chain(unknown).collect()
}

/// Whether a failure concerns one key, so that the next one may still be stored.
pub fn is_about_one_key(failure: &Failure) -> bool {
    matches!(failure.code, ErrorCode::InvalidInput | ErrorCode::NotFound)
}
