//! The command line and the configured tool sets.

use std::process::Output;

use serde_json::json;

use crate::support::client::{Era, Start};
use crate::support::home;

fn run(arguments: &[&str]) -> Output {
    let home = home();
    Start::at(home.path()).arguments(arguments).command().output().unwrap()
}

/// How many tools are offered with this configuration, and what is said about it.
fn offered(configuration: &str, arguments: &[&str]) -> (usize, String) {
    let home = home();
    let folder = home.path().join("config");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), configuration).unwrap();
    let mut client = Start::at(home.path()).arguments(arguments).client(Era::Legacy).open();
    let count = client.request("tools/list", json!({}))["result"]["tools"].as_array().unwrap().len();
    (count, client.close().stderr)
}

#[test]
fn an_unknown_tool_set_is_refused_with_the_nearest() {
    let output = run(&["--toolsets", "core,rooter"]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty() && stderr.contains("did you mean `router`?"), "{stderr}");
}

#[test]
fn an_unknown_option_is_refused_with_the_nearest() {
    let output = run(&["--toolset", "core"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("--toolsets"));
}

#[test]
fn sets_may_be_separated_by_commas_or_repeated() {
    let home = home();
    for arguments in [&["--toolsets", "core,router"][..], &["--toolsets", "core", "--toolsets", "router"][..]] {
        let mut client = Start::at(home.path()).arguments(arguments).client(Era::Legacy).open();
        assert_eq!(client.request("tools/list", json!({}))["result"]["tools"].as_array().unwrap().len(), 37);
    }
}

#[test]
fn the_configuration_chooses_the_sets_and_the_command_line_wins() {
    assert_eq!(offered("toolsets = [\"router\"]", &[]), (27, String::new()));
    assert_eq!(offered("toolsets = [\"router\"]", &["--toolsets", "core"]), (16, String::new()));
    let own = "toolsets = [\"core\"]\n[clients.mine]\ntoolsets = [\"router\"]\n[clients.other]\ntoolsets = []";
    assert_eq!(offered(own, &["--client", "mine"]), (27, String::new()));
    assert_eq!(offered(own, &["--client", "other"]), (16, String::new()));
}

#[test]
fn a_configuration_that_cannot_be_used_leaves_the_core_and_says_so() {
    for configuration in ["toolsets = [\"rooter\"]", "toolsets = 5", "toolsets = [", "toolsets = [1]"] {
        let (count, stderr) = offered(configuration, &[]);
        assert_eq!(count, 16, "{configuration}");
        assert!(stderr.contains("offering the tool set `core`"), "{configuration}: {stderr}");
    }
}

#[test]
fn a_set_whose_engine_does_not_exist_yet_says_so() {
    let home = home();
    let mut client = Start::at(home.path()).arguments(&["--toolsets", "gateway"]).client(Era::Legacy).open();
    assert_eq!(client.request("tools/list", json!({}))["result"]["tools"], json!([]));
    assert!(client.close().stderr.contains("no tool of the chosen sets exists yet"));
}
