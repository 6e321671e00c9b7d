//! Writes the pages of `docs/reference` that say what the programs themselves say.
//!
//! A page that is written by hand falls behind. These two are asked of the built programs: the sidecar
//! lists its tools, the command line lists the keys of the configuration.

mod markdown;
mod programs;
mod settings;
mod tools;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

pub use programs::Programs;
pub use settings::settings_page;
pub use tools::{ToolSetList, tools_page};

/// The pages, from the project's root, with their texts.
///
/// # Errors
/// A program does not answer, or answers in another shape.
pub fn pages(programs: &Programs) -> Result<Vec<(&'static str, String)>> {
    Ok(vec![
        ("docs/reference/tools.md", tools_page(&programs.tool_sets()?)?),
        ("docs/reference/settings.md", settings_page(&programs.settings()?)?),
    ])
}

/// Writes the pages; answers their paths.
///
/// # Errors
/// See [`pages`], or a file cannot be written.
pub fn write(root: &Path, programs: &Programs) -> Result<Vec<PathBuf>> {
    let mut written = Vec::new();
    for (name, text) in pages(programs)? {
        let path = root.join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
        }
        fs::write(&path, text).with_context(|| format!("cannot write `{}`", path.display()))?;
        written.push(path);
    }
    Ok(written)
}

/// Refuses a page that differs from what the programs say now.
///
/// # Errors
/// See [`pages`]; a page is missing or differs.
pub fn check(root: &Path, programs: &Programs) -> Result<()> {
    for (name, wanted) in pages(programs)? {
        let present = fs::read_to_string(root.join(name)).with_context(|| format!("cannot read `{name}`"))?;
        if present != wanted {
            let line = present.lines().zip(wanted.lines()).take_while(|(left, right)| left == right).count() + 1;
            bail!(
                "`{name}` is out of date from line {line} on; build `lwa` and `lwa-mcp`, then run `cargo xtask docs`"
            );
        }
    }
    Ok(())
}
