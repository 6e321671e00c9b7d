//! Runs the measurements that live beside the crate `condense`, as its examples.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Builds and runs every example of the crate.
///
/// # Errors
/// There is none, or one fails.
pub fn run(root: &Path) -> Result<()> {
    let folder = root.join("crates/condense/examples");
    let entries = fs::read_dir(&folder).with_context(|| format!("cannot read `{}`", folder.display()))?;
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|entry| entry.path().file_name()?.to_str()?.strip_suffix(".rs").map(str::to_owned))
        .collect();
    names.sort_unstable();
    if names.is_empty() {
        bail!("the crate `condense` has no example to run");
    }
    for name in names {
        println!("== {name}");
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(cargo)
            .args(["run", "--quiet", "--release", "--locked", "--package", "lwa-condense", "--example", &name])
            .current_dir(root)
            .status()
            .context("cannot run cargo")?;
        if !status.success() {
            bail!("the example `{name}` failed");
        }
    }
    Ok(())
}
