//! Registering Lwa with a client by the words of the README, so that these words stay true.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use lwa_tests::{TestHome, program};
use serde_json::{Value, json};

use crate::tap;

/// What the README has in the place of the sidecar.
const PLACE: &str = "/absolute/path/to/lwa-mcp";

/// What is registered: the sidecar, or the sidecar behind a tap, and the variables it needs to find its home.
#[derive(Debug)]
pub(crate) struct Entry {
    words: Vec<String>,
    variables: Vec<(&'static str, String)>,
}

impl Entry {
    /// The sidecar with the home of a test.
    pub(crate) fn new(home: &TestHome) -> Self {
        let variables = ["LWA_HOME", "LWA_NO_APP", "ACME_KEY"]
            .into_iter()
            .filter_map(|name| Some((name, home.variables().get(name)?.clone())))
            .collect();
        Self { words: vec![program("lwa-mcp").display().to_string()], variables }
    }

    /// Puts a tap around the sidecar.
    pub(crate) fn tap(&mut self, home: &TestHome) {
        self.words = tap::command(home, &self.words[0]);
    }
}

fn readme() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md")).unwrap()
}

/// The table for Codex's file. `passed` are variables of the client that the sidecar gets, which Codex has to be told.
pub(crate) fn codex(entry: &Entry, passed: &[&str], may_run_every_tool: bool) -> String {
    let readme = readme();
    let mut blocks = readme.split("```toml\n").skip(1).filter_map(|rest| Some(rest.split_once("```")?.0));
    let block = blocks.find(|block| block.contains("[mcp_servers.lwa]")).expect("the README registers Codex");
    let quoted = json!(PLACE).to_string();
    assert!(block.contains(&quoted), "{block}");
    // JSON writes these as TOML does.
    let mut table = block.replace(&quoted, &json!(entry.words[0]).to_string());
    if may_run_every_tool {
        let line = "# default_tools_approval_mode = \"approve\"";
        assert!(table.contains(line), "{table}");
        table = table.replace(line, &line[2..]);
    }
    let variables: Vec<String> =
        entry.variables.iter().map(|(name, value)| format!("{name} = {}", Value::from(value.as_str()))).collect();
    // Codex leaves a server out of its first turn when it takes longer than a second, which a busy machine may.
    format!(
        "{table}\nrequired = true\nargs = {}\nenv = {{ {} }}\nenv_vars = {}\n",
        json!(entry.words[1..]),
        variables.join(", "),
        json!(passed)
    )
}

/// Lets Claude Code register the sidecar in its user's file.
pub(crate) fn claude(mut client: Command, entry: &Entry) -> Output {
    let readme = readme();
    let line = readme.lines().find(|line| line.starts_with("claude mcp add ")).expect("the README registers Claude");
    let mut words = line.split_whitespace().skip(1).peekable();
    let mut is_replaced = false;
    for word in words.by_ref() {
        match word {
            "--" => {
                for (name, value) in &entry.variables {
                    client.args(["-e", &format!("{name}={value}")]);
                }
                client.arg("--");
            }
            PLACE => {
                client.args(&entry.words);
                is_replaced = true;
            }
            other => {
                client.arg(other);
            }
        }
    }
    assert!(is_replaced, "{line}");
    client.output().unwrap()
}
