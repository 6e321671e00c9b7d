//! Routing quality, measured on two published result sets.
//!
//! Two questions are asked of the same rows: what could be known of a prompt before a model is called, and what
//! the router does with a cheap and a strong route today.
//! The rows themselves are not part of the project: [`measure()`] reads them from checkouts of the two repositories,
//! and what is kept is the sums in [`DATA`]. The page and its picture are drawn from those sums.

mod choice;
mod curve;
mod features;
mod folds;
mod measure;
mod measured;
mod page;
mod picture;
mod resample;
mod ridge;
mod rows;
mod sources;
mod table;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

pub use measure::measure;
pub use measured::{Axis, Curve, Difference, Interval, Measured, MeasuredSet, Method, Subject};
pub use rows::{Row, Set};
pub use sources::{Folders, read as read_sources};

/// What was measured, from the project's root.
pub const DATA: &str = "crates/xtask/data/quality/measured.json";
/// The page, from the project's root.
pub const PAGE: &str = "docs/reference/routing-quality.md";
/// Its picture, from the project's root.
pub const PICTURE: &str = "docs/reference/routing-quality.svg";

/// The texts of the page and its picture.
///
/// # Errors
/// The measurement lacks a set, or the router finds no route for one.
pub fn documents(measured: &Measured) -> Result<[(&'static str, String); 2]> {
    Ok([(PAGE, page::page(measured)?), (PICTURE, picture::picture(measured)?)])
}

/// What was measured.
///
/// # Errors
/// The file is missing or has another shape.
pub fn load(root: &Path) -> Result<Measured> {
    let text = fs::read_to_string(root.join(DATA)).with_context(|| format!("cannot read `{DATA}`"))?;
    serde_json::from_str(&text).with_context(|| format!("`{DATA}` has another shape than this tool writes"))
}

/// Measures anew where `folders` are given, then writes the page and its picture; answers the paths.
///
/// # Errors
/// A source, the data or a document cannot be read or written.
pub fn write(root: &Path, folders: Option<&Folders>) -> Result<Vec<PathBuf>> {
    let mut written = Vec::new();
    let mut put = |name: &str, text: &str| -> Result<()> {
        let path = root.join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
        }
        fs::write(&path, text).with_context(|| format!("cannot write `{name}`"))?;
        written.push(path);
        Ok(())
    };
    let measured = match folders {
        Some(folders) => {
            let measured = measure(&read_sources(folders)?);
            put(DATA, &(serde_json::to_string_pretty(&measured).context("cannot write figures as JSON")? + "\n"))?;
            measured
        }
        None => load(root)?,
    };
    for (name, text) in documents(&measured)? {
        put(name, &text)?;
    }
    Ok(written)
}

/// Refuses a page or picture that differs from what the data and the router say now.
///
/// # Errors
/// See [`documents`]; a document is missing or differs.
pub fn check(root: &Path) -> Result<()> {
    for (name, wanted) in documents(&load(root)?)? {
        let present = fs::read_to_string(root.join(name)).with_context(|| format!("cannot read `{name}`"))?;
        if present != wanted {
            let line = present.lines().zip(wanted.lines()).take_while(|(left, right)| left == right).count() + 1;
            bail!("`{name}` is out of date from line {line} on; run `cargo xtask quality`");
        }
    }
    Ok(())
}
