//! The reasoning options in the repository of models.dev, which the package leaves out.

use std::path::Path;

use anyhow::{Context, Result};
use toml::Table;

use super::offer::{Offers, Source, Stated};
use super::providers::PROVIDERS;

/// Adds how the effort of each known model is said.
pub(super) fn add(offers: &mut Offers, repository: &Path, as_of: &str) -> Result<()> {
    let source = Source { letter: 'e', name: "models.dev", as_of: as_of.to_owned() };
    for names in PROVIDERS {
        let (Some(theirs), Some(models)) = (names.models_dev, offers.get_mut(names.ours)) else { continue };
        let folder = repository.join("providers").join(theirs).join("models");
        for (id, offer) in models {
            let Some(file) = read(&folder.join(format!("{id}.toml")))? else { continue };
            let base = match file.get("base_model").and_then(toml::Value::as_str) {
                Some(base) => read(&repository.join("models").join(format!("{base}.toml")))?.unwrap_or_default(),
                None => Table::new(),
            };
            let field = |name: &str| file.get(name).or_else(|| base.get(name));
            let reasons = field("reasoning").and_then(toml::Value::as_bool) == Some(true)
                || offer.abilities.get(&'r') == Some(&true);
            let Some(options) = field("reasoning_options").and_then(toml::Value::as_array) else { continue };
            if !reasons {
                continue;
            }
            let prefers_budget = names.ours == "gemini";
            offer.effort = effort(options, prefers_budget).map(|value| Stated { source: source.clone(), value });
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<Option<Table>> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text.parse().with_context(|| format!("`{}` is no TOML", path.display()))?)),
        Err(_) => Ok(None),
    }
}

/// `level:none,low,high`, `toggle` or `budget`, with an exclamation mark at the end where reasoning cannot be switched
/// off; `None` for a model that thinks and cannot be told how much.
///
/// Where several forms are accepted, named levels say the most; a budget of zero says what a toggle says, but only
/// the provider that has no toggle of its own is told so.
fn effort(options: &[toml::Value], prefers_budget: bool) -> Option<String> {
    let form =
        |name: &str| options.iter().find(|option| option.get("type").and_then(toml::Value::as_str) == Some(name));
    let toggle = form("toggle").is_some();
    let budget = form("budget_tokens");
    let least = budget.and_then(|budget| budget.get("min")).and_then(toml::Value::as_integer);
    let levels: Option<Vec<&str>> = form("effort")
        .and_then(|effort| effort.get("values")?.as_array())
        .map(|values| values.iter().filter_map(toml::Value::as_str).collect());
    let can_stop = toggle || least == Some(0) || levels.as_ref().is_some_and(|levels| levels.contains(&"none"));
    let said = match (levels, toggle, budget) {
        (Some(levels), ..) => format!("level:{}", levels.join(",")),
        (None, true, Some(_)) if prefers_budget => "budget".to_owned(),
        (None, true, _) => "toggle".to_owned(),
        (None, false, Some(_)) => "budget".to_owned(),
        (None, false, None) => return None,
    };
    Some(if can_stop { said } else { format!("{said}!") })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str, prefers_budget: bool) -> Option<String> {
        let table: Table = text.parse().unwrap();
        effort(table["reasoning_options"].as_array().unwrap(), prefers_budget)
    }

    #[test]
    fn every_form_of_an_effort_has_its_word() {
        let levels = |names: &str| format!("reasoning_options = [{{ type = \"effort\", values = [{names}] }}]");
        assert_eq!(said(&levels(r#""none", "high""#), false).as_deref(), Some("level:none,high"));
        assert_eq!(said(&levels(r#""low", "high""#), false).as_deref(), Some("level:low,high!"));
        assert_eq!(said(r#"reasoning_options = [{ type = "toggle" }]"#, false).as_deref(), Some("toggle"));
        let both = r#"reasoning_options = [{ type = "toggle" }, { type = "budget_tokens", min = 128 }]"#;
        assert_eq!(said(both, false).as_deref(), Some("toggle"));
        assert_eq!(said(both, true).as_deref(), Some("budget"));
        let budget = r#"reasoning_options = [{ type = "budget_tokens", min = 128 }]"#;
        assert_eq!(said(budget, false).as_deref(), Some("budget!"));
        assert_eq!(said("reasoning_options = []", false), None);
    }
}
