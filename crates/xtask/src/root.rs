//! Where the project, its builds and its programs lie.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// The folder of the root `Cargo.toml`: this crate lies two folders below it.
pub fn project_root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).map_or_else(|| here.clone(), PathBuf::from)
}

/// What `cargo metadata` says about our own packages.
///
/// # Errors
/// Cargo cannot be run, or the workspace does not load.
pub fn cargo_metadata(root: &Path) -> Result<Value> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root)
        .output()
        .context("cannot run `cargo metadata`")?;
    if !output.status.success() {
        bail!("`cargo metadata` failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    serde_json::from_slice(&output.stdout).context("cannot read the answer of `cargo metadata`")
}

/// A release program of ours: beside this one when this one is a release build, else in the target folder.
///
/// # Errors
/// It has not been built.
pub fn release_program(root: &Path, name: &str) -> Result<PathBuf> {
    let own = std::env::current_exe().context("cannot find this program's own folder")?;
    let beside = own.with_file_name(name);
    if own.parent().is_some_and(|folder| folder.ends_with("release")) && beside.is_file() {
        return Ok(beside);
    }
    let metadata = cargo_metadata(root)?;
    let target = metadata["target_directory"].as_str().context("`cargo metadata` names no target folder")?;
    let program = Path::new(target).join("release").join(name);
    if program.is_file() {
        return Ok(program);
    }
    bail!("`{name}` is not built; run `cargo build --release --locked --bin lwa --bin lwa-mcp`")
}
