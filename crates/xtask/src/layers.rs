//! Which of our crates may depend on which, and which outside crates each must stay clear of.

mod table;

use std::path::Path;

use anyhow::{Result, bail};
use serde_json::Value;

use crate::root::cargo_metadata;
pub use table::{LAYERS, Layer};

/// A package of the workspace with its direct dependencies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its name.
    pub package: String,
    /// What it depends on directly.
    pub dependencies: Vec<Dependency>,
}

/// One direct dependency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    /// The package it names.
    pub package: String,
    /// Whether only tests, examples and benchmarks use it.
    pub is_for_tests: bool,
    /// Whether it lies in this workspace.
    pub is_ours: bool,
}

/// Every member of the workspace as it stands.
///
/// # Errors
/// See [`cargo_metadata`].
pub fn members(root: &Path) -> Result<Vec<Member>> {
    let metadata = cargo_metadata(root)?;
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    Ok(packages.iter().map(member).collect())
}

fn member(package: &Value) -> Member {
    let dependencies = package["dependencies"].as_array().map(Vec::as_slice).unwrap_or_default();
    Member { package: text(&package["name"]), dependencies: dependencies.iter().map(dependency).collect() }
}

fn dependency(value: &Value) -> Dependency {
    Dependency {
        package: text(&value["name"]),
        is_for_tests: value["kind"] == "dev",
        is_ours: value["path"].is_string(),
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Every rule that is broken, as one sentence each.
pub fn violations(members: &[Member]) -> Vec<String> {
    members.iter().flat_map(violations_of).collect()
}

fn violations_of(member: &Member) -> Vec<String> {
    let name = &member.package;
    let Some(layer) = LAYERS.iter().find(|layer| layer.package == name) else {
        return vec![format!("`{name}` is not in the layer table; add it to the table in crates/xtask/src/layers")];
    };
    member.dependencies.iter().filter_map(|dependency| layer.refusal(dependency)).collect()
}

impl Layer {
    /// Why this layer may not have `dependency`, if it may not.
    fn refusal(&self, dependency: &Dependency) -> Option<String> {
        let (from, to) = (self.package, dependency.package.as_str());
        if dependency.is_ours {
            let is_allowed = self.may_use.contains(&to) || (dependency.is_for_tests && table::FOR_TESTS.contains(&to));
            return (!is_allowed).then(|| format!("`{from}` may not depend on `{to}`: {}", self.because));
        }
        let is_forbidden = !dependency.is_for_tests && self.must_not_use.iter().any(|family| is_of(family, to));
        is_forbidden.then(|| format!("`{from}` may not depend on `{to}`: {}", self.because))
    }
}

/// Whether `package` is `family` or one of its companions, as `tauri-plugin-shell` is of `tauri`.
fn is_of(family: &str, package: &str) -> bool {
    package.strip_prefix(family).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// Refuses a workspace in which a rule is broken; answers how many crates were looked at.
///
/// # Errors
/// At least one rule is broken.
pub fn check(root: &Path) -> Result<usize> {
    let members = members(root)?;
    let found = violations(&members);
    if found.is_empty() {
        return Ok(members.len());
    }
    bail!("{} broken layer rules:\n  {}", found.len(), found.join("\n  "))
}
