//! The parts of Codex's `config.toml` that name keys.

use toml_edit::{Document, Item, TableLike};

use crate::file::line_at;
use crate::hidden::Hidden;
use crate::variables::ProviderVariables;

/// What the configuration says about keys.
pub(super) struct CodexConfig {
    /// `[model_providers.ID]` with an `env_key`.
    pub providers: Vec<CodexProvider>,
    /// Variables that servers are started with.
    pub variables: Vec<CodexVariable>,
}

/// A provider of models.
pub(super) struct CodexProvider {
    pub id: String,
    pub name: Option<String>,
    pub base_url: Option<String>,
    /// The variable that Codex takes its key from.
    pub env_key: String,
    pub line: Option<usize>,
}

/// A variable of an MCP server.
pub(super) struct CodexVariable {
    pub name: String,
    /// The value; none where only the name is passed on.
    pub value: Option<Hidden>,
    pub entry: String,
    pub line: Option<usize>,
}

/// Reads the configuration; the error is the line that is no TOML.
pub(super) fn read(text: &str) -> Result<CodexConfig, usize> {
    let document = Document::parse(text).map_err(|error| line_at(text, error.span().map_or(0, |span| span.start)))?;
    let line_of = |item: &Item| item.span().map(|span| line_at(text, span.start));
    let mut config = CodexConfig { providers: Vec::new(), variables: Vec::new() };
    for (id, table) in tables(document.as_table(), "model_providers") {
        let word = |key: &str| table.get(key).and_then(Item::as_str).map(str::to_owned);
        if let Some(item) = table.get("env_key")
            && let Some(env_key) = item.as_str()
        {
            config.providers.push(CodexProvider {
                id: id.to_owned(),
                name: word("name"),
                base_url: word("base_url"),
                env_key: env_key.to_owned(),
                line: line_of(item),
            });
        }
    }
    for (id, table) in tables(document.as_table(), "mcp_servers") {
        for (name, item) in table.get("env").and_then(Item::as_table_like).map(TableLike::iter).into_iter().flatten() {
            let Some(value) = item.as_str() else { continue };
            config.variables.push(CodexVariable {
                name: name.to_owned(),
                value: Some(Hidden::new(value)),
                entry: format!("mcp_servers.{id}.env"),
                line: line_of(item),
            });
        }
        let passed = table.get("env_vars");
        for value in passed.and_then(Item::as_array).into_iter().flatten() {
            // A name alone, or a table with the name in it.
            let name = value.as_str().or_else(|| value.as_inline_table()?.get("name")?.as_str());
            let Some(name) = name else { continue };
            config.variables.push(CodexVariable {
                name: name.to_owned(),
                value: None,
                entry: format!("mcp_servers.{id}.env_vars"),
                line: passed.and_then(line_of),
            });
        }
    }
    Ok(config)
}

fn tables<'a>(root: &'a dyn TableLike, name: &str) -> impl Iterator<Item = (&'a str, &'a dyn TableLike)> {
    let entries = root.get(name).and_then(Item::as_table_like).map(TableLike::iter);
    entries.into_iter().flatten().filter_map(|(id, item)| Some((id, item.as_table_like()?)))
}

impl CodexProvider {
    /// Which of our providers it is: the one at the same address, else the one of the same name.
    ///
    /// A provider of our name at another address is none of ours, because its key must not be sent to ours.
    pub(super) fn position_in(&self, table: &[ProviderVariables]) -> Option<usize> {
        let with_key = |one: &ProviderVariables| one.usual_key().is_some();
        if let Some(theirs) = self.base_url.as_deref() {
            let theirs = authority(theirs)?;
            return table.iter().position(|one| {
                with_key(one) && one.base_url.as_deref().and_then(authority).as_ref() == Some(&theirs)
            });
        }
        let names: Vec<String> =
            [Some(&self.id), self.name.as_ref()].into_iter().flatten().map(|name| folded(name)).collect();
        table.iter().position(|one| with_key(one) && names.contains(&folded(&one.provider)))
    }
}

/// A name as it is compared: letters and digits only, in lower case.
fn folded(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Scheme, host and port of an address, in lower case.
fn authority(url: &str) -> Option<String> {
    let (scheme, rest) = url.trim().split_once("://")?;
    let host = rest.split(['/', '?', '#']).next()?;
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let usual = if scheme.eq_ignore_ascii_case("https") { ":443" } else { ":80" };
    let host = host.strip_suffix(usual).unwrap_or(host);
    (!host.is_empty()).then(|| format!("{scheme}://{host}").to_lowercase())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("https://API.example.com/v1", Some("https://api.example.com"))]
    #[case("https://api.example.com:443/other?x#y", Some("https://api.example.com"))]
    #[case("http://127.0.0.1:8080/v1", Some("http://127.0.0.1:8080"))]
    #[case("https://user@api.example.com", Some("https://api.example.com"))]
    #[case("api.example.com/v1", None)]
    #[case("https:///v1", None)]
    fn an_address_is_compared_by_scheme_host_and_port(#[case] url: &str, #[case] expected: Option<&str>) {
        assert_eq!(authority(url).as_deref(), expected);
    }
}
