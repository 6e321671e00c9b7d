//! The command line, and the two settings that are read from disk: which tools there are.

use std::path::PathBuf;

use anyhow::Context;
use clap::Parser;
use lwa_config::Home;
use lwa_domain::ClientName;
use lwa_mcp_face::ToolSet;

/// Serves MCP on stdin and stdout. Register it with a client; it starts the host by itself.
#[derive(Debug, Parser)]
#[command(name = "lwa-mcp", version, disable_help_subcommand = true)]
pub struct Options {
    /// Which tools to offer: core, router, library, gateway, worker, all; `core` when nothing is configured.
    #[arg(long, value_name = "SET", value_delimiter = ',', num_args = 1)]
    toolsets: Vec<ToolSet>,
    /// The name under which the client is registered; otherwise the one it gives itself.
    #[arg(long, value_name = "NAME")]
    client: Option<String>,
    /// The conversation that the worker's calls belong to, for scripts and tests; otherwise the one the client names.
    #[arg(long, value_name = "KEY", value_parser = session)]
    session: Option<String>,
    /// The worker's mode here: pii or assist; otherwise the configured one.
    #[arg(long, value_name = "MODE", value_parser = ["pii", "assist"])]
    mode: Option<String>,
}

/// The longest name of a conversation.
const LONGEST_SESSION: usize = 128;

fn session(name: &str) -> Result<String, &'static str> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    if name.is_empty() || name.len() > LONGEST_SESSION || !name.chars().all(is_plain) {
        return Err("a name has letters, digits, `.`, `_` and `-`, 128 at most");
    }
    Ok(name.to_owned())
}

impl Options {
    /// The client's registered name.
    pub fn client(&self) -> Option<ClientName> {
        self.client.as_deref().map(str::trim).filter(|name| !name.is_empty()).map(ClientName::new)
    }

    /// The conversation that was named.
    pub fn session(&self) -> Option<String> {
        self.session.clone()
    }

    /// The mode that was named.
    pub fn mode(&self) -> Option<String> {
        self.mode.clone()
    }

    /// The sets to offer: those of the command line, else those of the configuration, else `core`.
    pub fn sets(&self) -> Vec<ToolSet> {
        if !self.toolsets.is_empty() {
            return self.toolsets.clone();
        }
        match configured(self.client.as_deref()) {
            Ok(Some(sets)) if !sets.is_empty() => sets,
            Ok(_) => vec![ToolSet::Core],
            Err(error) => {
                tracing::warn!("offering the tool set `core`: {error:#}");
                vec![ToolSet::Core]
            }
        }
    }
}

/// Whether the user switched the worker's decisions on. The host looks again at every call, so an edit that waits
/// for a human lists the tools and no more.
pub fn has_decisions() -> bool {
    // A file that cannot be read is reported where the tool sets are looked for.
    let root = file().ok().flatten().map(|(_, root)| root);
    root.and_then(|root| root.get("worker")?.get("decide")?.as_bool()).unwrap_or_default()
}

/// The configuration file, where there is one. The host checks the whole of it and says where it is wrong.
fn file() -> anyhow::Result<Option<(PathBuf, toml::Table)>> {
    let path = Home::from_environment()?.config_file();
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => anyhow::bail!("cannot read `{}`: {error}", path.display()),
    };
    let root: toml::Table = text.parse().map_err(|_| anyhow::anyhow!("`{}` is no valid TOML", path.display()))?;
    Ok(Some((path, root)))
}

/// The tool sets of the configuration file: those of the client where it has some, else those of the root.
fn configured(client: Option<&str>) -> anyhow::Result<Option<Vec<ToolSet>>> {
    let Some((path, root)) = file()? else { return Ok(None) };
    let own = client.and_then(|name| root.get("clients")?.get(name)?.get("toolsets"));
    for names in [own, root.get("toolsets")].into_iter().flatten() {
        let sets = named(names).with_context(|| format!("`toolsets` in `{}`", path.display()))?;
        if !sets.is_empty() {
            return Ok(Some(sets));
        }
    }
    Ok(None)
}

fn named(names: &toml::Value) -> anyhow::Result<Vec<ToolSet>> {
    let names = names.as_array().context("must be a list of names")?;
    names.iter().map(|name| Ok(name.as_str().context("must be a list of names")?.parse()?)).collect()
}
