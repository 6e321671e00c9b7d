//! The tool library across processes: from repeated work to a recipe, from a question to a running script.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a panic in a test is its report")]

mod recipes;
mod scripts;
mod storage;

use lwa_tests::TestHome;
use serde_json::Value;

/// What the built-in provider can do without any model.
const TASK: &str = "token_optimization";

/// Runs a plan of a named workflow.
fn run_workflow(home: &TestHome, name: &str, prompt: &str) -> Value {
    let ran = home.lwa(&["run", TASK, prompt, "--workflow-name", name, "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    ran.json()
}

/// The tools of the library.
fn tools(home: &TestHome) -> Vec<Value> {
    home.lwa(&["library", "list", "--json"]).json().as_array().unwrap().clone()
}

/// Makes a recipe.
fn create(home: &TestHome, name: &str) -> Value {
    let arguments = [
        "library",
        "create",
        "--name",
        name,
        "--description",
        "Makes a text shorter",
        "--task",
        TASK,
        "--template",
        "Shorten this: {input}",
        "--json",
    ];
    let created = home.lwa(&arguments);
    assert_eq!(created.code, 0, "{created:?}");
    created.json()
}

/// A file of the library.
fn file(home: &TestHome, name: &str) -> std::path::PathBuf {
    home.lwa_home().join("data/tool-library").join(name)
}
