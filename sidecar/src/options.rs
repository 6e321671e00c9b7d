//! The command line, and the one setting that is read from disk.

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
}

impl Options {
    /// The client's registered name.
    pub fn client(&self) -> Option<ClientName> {
        self.client.as_deref().map(str::trim).filter(|name| !name.is_empty()).map(ClientName::new)
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

/// The tool sets of the configuration file: those of the client where it has some, else those of the root.
fn configured(client: Option<&str>) -> anyhow::Result<Option<Vec<ToolSet>>> {
    let path = Home::from_environment()?.config_file();
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => anyhow::bail!("cannot read `{}`: {error}", path.display()),
    };
    // The host checks the whole file and says where it is wrong; here only this one key matters.
    let root: toml::Table = text.parse().map_err(|_| anyhow::anyhow!("`{}` is no valid TOML", path.display()))?;
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
