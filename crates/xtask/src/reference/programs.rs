//! The built programs, and what they are asked.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::tools::ToolSetList;
use crate::mcp_client::McpClient;
use crate::root::cargo_metadata;

/// The tool sets that the sidecar knows.
const TOOL_SETS: [&str; 6] = ["core", "router", "library", "gateway", "worker", "all"];
/// How long the sidecar may take to answer; listing needs no host.
const ANSWER_LIMIT: Duration = Duration::from_secs(20);

/// `lwa` and `lwa-mcp` of one build.
#[derive(Debug)]
pub struct Programs {
    lwa: PathBuf,
    sidecar: PathBuf,
}

impl Programs {
    /// The debug programs beside this one, else in the target folder; none when they are not built.
    ///
    /// # Errors
    /// The workspace does not load.
    pub fn find(root: &Path) -> Result<Option<Self>> {
        if let Some(programs) = Self::beside_this_one() {
            return Ok(Some(programs));
        }
        let metadata = cargo_metadata(root)?;
        let target = metadata["target_directory"].as_str().context("`cargo metadata` names no target folder")?;
        Ok(Self::in_folder(&Path::new(target).join("debug")))
    }

    /// The programs of the build that this program belongs to. A test lies one folder deeper than a program.
    pub fn beside_this_one() -> Option<Self> {
        let own = std::env::current_exe().ok()?;
        own.ancestors().skip(1).take(2).find_map(Self::in_folder)
    }

    fn in_folder(folder: &Path) -> Option<Self> {
        let program = |name: &str| {
            let path = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
            path.is_file().then_some(path)
        };
        Some(Self { lwa: program("lwa")?, sidecar: program("lwa-mcp")? })
    }

    /// The tools of each set.
    pub(super) fn tool_sets(&self) -> Result<Vec<ToolSetList>> {
        let mut sets: Vec<ToolSetList> = TOOL_SETS.iter().map(|set| self.tool_set(set, "")).collect::<Result<_>>()?;
        for set in ["worker", "all"] {
            let list = self.tool_set(set, "[worker]\ndecide = true\n")?;
            sets.push(ToolSetList { with: Some("worker.decide"), ..list });
        }
        Ok(sets)
    }

    /// The tools of one set with this configuration.
    fn tool_set(&self, set: &str, config: &str) -> Result<ToolSetList> {
        let home = tempfile::tempdir().context("cannot make a folder")?;
        let folder = home.path().join("config");
        std::fs::create_dir_all(&folder).context("cannot make a folder")?;
        std::fs::write(folder.join("config.toml"), config).context("cannot write a configuration")?;
        let mut client = McpClient::start(&self.sidecar, &["--toolsets", set], &[("LWA_HOME", home.path())])?;
        client.open(ANSWER_LIMIT)?;
        let mut listed = client.request("tools/list", &json!({}), ANSWER_LIMIT)?;
        let tools = serde_json::from_value(listed["tools"].take()).context("the sidecar lists no tools")?;
        client.close(ANSWER_LIMIT)?;
        Ok(ToolSetList { set: set.to_owned(), with: None, tools })
    }

    /// The keys of the configuration, as `lwa config schema --json` gives them.
    pub(super) fn settings(&self) -> Result<Vec<Value>> {
        let home = tempfile::tempdir().context("cannot make a folder")?;
        let output = Command::new(&self.lwa)
            .args(["config", "schema", "--json"])
            .env("LWA_HOME", home.path())
            .output()
            .with_context(|| format!("cannot start `{}`", self.lwa.display()))?;
        if !output.status.success() {
            bail!("`lwa config schema` failed: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        serde_json::from_slice(&output.stdout).context("cannot read the answer of `lwa config schema`")
    }
}
