//! The clients: where their programs are, and how each one is started.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use lwa_tests::TestHome;
use serde_json::json;

use crate::model::{ScriptedModel, Turn, call};
use crate::registration::{self, Entry};
use crate::running::Running;

/// A client, and the protocol it speaks to the sidecar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Client {
    /// `codex exec`, which opens with `initialize`.
    Codex,
    /// `claude -p`, which is stateless.
    Claude,
    /// `claude -p` made to open with `initialize`.
    ClaudeLegacy,
}

/// Where `scripts/clients.sh` puts the programs.
fn folder() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("LWA_CLIENTS_DIR").or_else(|| {
        let cache = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?;
        Some(cache.join("lwa-test-clients"))
    })
}

impl Client {
    /// Whether the program is installed. When it is not, says so, and the test has nothing to do.
    pub(crate) fn is_installed(self) -> bool {
        let program = self.program();
        if program.is_none() {
            eprintln!("skipped: {self:?} is not installed; `scripts/clients.sh` installs it, where it exists");
        }
        program.is_some()
    }

    /// The program, if it is installed.
    pub(crate) fn program(self) -> Option<PathBuf> {
        let name = if self == Self::Codex { "codex" } else { "claude" };
        // A link, so that neither this nor the script's reader needs to know how the package is laid out.
        fs::canonicalize(folder()?.join("bin").join(name)).ok()
    }

    /// What the client calls itself.
    pub(crate) fn own_name(self) -> &'static str {
        if self == Self::Codex { "codex-mcp-client" } else { "claude-code" }
    }

    /// The first thing it says to a server.
    pub(crate) fn opening(self) -> &'static str {
        if self == Self::Claude { "server/discover" } else { "initialize" }
    }

    /// The script with what this client's model has to do before it can call a tool of a server.
    pub(crate) fn script(self, turns: impl IntoIterator<Item = Turn>) -> Vec<Turn> {
        let mut script = Vec::new();
        if self != Self::Codex {
            // Its model knows the tools by name until it asks for them.
            let names = ["prepare_task", "approve_preflight", "run_prepared_task", "router_status"];
            let query = names.map(|name| format!("mcp__lwa__{name}")).join(",");
            script.push(call("ToolSearch", move |_| json!({ "query": format!("select:{query}"), "max_results": 9 })));
        }
        script.extend(turns);
        script
    }
}

/// A client about to be started.
#[derive(Debug)]
pub(crate) struct Launch<'a> {
    client: Client,
    home: &'a TestHome,
    entry: Entry,
    may_run_every_tool: bool,
    trusts_hooks: bool,
    variables: Vec<(&'static str, String)>,
}

impl<'a> Launch<'a> {
    /// The client, registered with Lwa and allowed to use it without asking.
    pub(crate) fn of(client: Client, home: &'a TestHome) -> Self {
        let entry = Entry::new(home);
        Self { client, home, entry, may_run_every_tool: true, trusts_hooks: false, variables: Vec::new() }
    }

    /// Records what the sidecar reads and writes.
    pub(crate) fn tapped(mut self) -> Self {
        self.entry.tap(self.home);
        self
    }

    /// Leaves the client's own permissions as they are out of the box.
    pub(crate) fn with_default_permissions(mut self) -> Self {
        self.may_run_every_tool = false;
        self
    }

    /// Runs the hooks that are installed, as a person lets Codex do in its own window, and the client's own shell.
    pub(crate) fn trusting_hooks(mut self) -> Self {
        self.trusts_hooks = true;
        self
    }

    /// Sets a variable of the client, which the sidecar gets as well.
    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.variables.push((name, value.to_owned()));
        self
    }

    /// Registers Lwa and starts the client on one prompt.
    pub(crate) fn start(self, model: &ScriptedModel) -> Running {
        let project = self.home.folder().join("project");
        fs::create_dir_all(&project).unwrap();
        let prompt = "do the side work with Lwa";
        let mut command = self.command(&project);
        if self.client == Client::Codex {
            self.configure_codex(model);
            command.args(["exec", "--skip-git-repo-check", "--json"]);
            if self.trusts_hooks {
                command.args(["--dangerously-bypass-hook-trust", "--sandbox", "danger-full-access"]);
            }
            command.arg(prompt);
        } else {
            let added = registration::claude(self.command(&project), &self.entry);
            assert!(added.status.success(), "{added:?}");
            command.env("ANTHROPIC_BASE_URL", model.url());
            command.args(["-p", prompt, "--output-format", "stream-json", "--verbose"]);
            if self.may_run_every_tool {
                command.args(["--allowedTools", if self.trusts_hooks { "mcp__lwa,Bash" } else { "mcp__lwa" }]);
            }
        }
        Running::start(command)
    }

    fn configure_codex(&self, model: &ScriptedModel) {
        let names: Vec<&str> = self.variables.iter().map(|(name, _)| *name).collect();
        let entry = registration::codex(&self.entry, &names, self.may_run_every_tool);
        let text = format!(
            r#"
model = "scripted"
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "{}/v1"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0

{entry}
"#,
            model.url()
        );
        let folder = self.home.folder().join("user/.codex");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("config.toml"), text).unwrap();
    }

    /// The program with an environment that holds nothing of the person who runs the tests.
    fn command(&self, project: &Path) -> Command {
        let mut command = Command::new(self.client.program().unwrap());
        command.current_dir(project).env_clear();
        let user = self.home.folder().join("user");
        let mut set = |name: &str, value: OsString| {
            command.env(name, value);
        };
        set("HOME", user.clone().into());
        set("CODEX_HOME", user.join(".codex").into());
        set("PATH", std::env::var_os("PATH").unwrap());
        set("LANG", "C.UTF-8".into());
        set("ANTHROPIC_API_KEY", "sk-fake".into());
        // Nobody is called but the scripted model: what looks for updates or reports usage finds no way out.
        set("DISABLE_AUTOUPDATER", "1".into());
        set("DISABLE_TELEMETRY", "1".into());
        set("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".into());
        set("HTTPS_PROXY", "http://127.0.0.1:9".into());
        set("NO_PROXY", "127.0.0.1".into());
        if self.client == Client::ClaudeLegacy {
            set("MCP_PROTOCOL_NEGOTIATION", "legacy".into());
        }
        for (name, value) in &self.variables {
            set(name, value.into());
        }
        command
    }
}
