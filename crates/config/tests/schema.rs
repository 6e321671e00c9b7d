//! The list of keys, the reader and the defaults say the same.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the report")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use lwa_config::{
    Arm, ClientConfig, Config, ModelConfig, ProjectConfig, ProviderConfig, WorkerOverride, flatten, schema,
};

/// A file that sets every key with a default to that default.
fn file_of_defaults() -> String {
    let mut text = String::new();
    let mut table = "";
    for key in schema::keys() {
        let (of, name) = key.path.rsplit_once('.').unwrap_or(("", key.path));
        if of != table {
            table = of;
            match of {
                "providers.NAME" => text.push_str("[providers.p]\nbase_url = \"https://p.example\"\n"),
                "models[]" => text.push_str("[[models]]\nprovider = \"p\"\nmodel = \"m\"\n"),
                "clients.NAME" => text.push_str("[clients.c]\n"),
                // One key that has no default, so that the table says something.
                "clients.NAME.worker" => text.push_str("[clients.c.worker]\narm = \"ask\"\n"),
                "projects.DIR.worker" => text.push_str("[projects.\"/p\".worker]\narm = \"ask\"\n"),
                other => writeln!(text, "[{other}]").unwrap(),
            }
        }
        if !key.default.is_empty() {
            writeln!(text, "{name} = {}", key.default).unwrap();
        }
    }
    text
}

#[test]
fn every_listed_default_is_the_one_in_force() {
    let mut expected = Config::default();
    let base_url = Some("https://p.example".to_owned());
    expected.providers.insert("p".to_owned(), ProviderConfig { base_url, ..ProviderConfig::default() });
    expected.models.push(ModelConfig::new("p", "m"));
    let worker = WorkerOverride { arm: Some(Arm::Ask), ..WorkerOverride::default() };
    expected.clients.insert("c".to_owned(), ClientConfig { worker: worker.clone(), ..ClientConfig::default() });
    expected.projects.insert("/p".to_owned(), ProjectConfig { worker });
    let read = Config::parse(&file_of_defaults(), Path::new("config.toml")).unwrap();
    assert_eq!(read, expected);
}

#[test]
fn every_value_in_force_has_a_listed_key_and_every_key_a_value() {
    let config = Config::parse(&file_of_defaults(), Path::new("config.toml")).unwrap();
    let shown: BTreeSet<String> = flatten(&config)
        .into_iter()
        .map(|(path, _, _)| {
            path.replace("providers.p.", "providers.NAME.")
                .replace("models.p:m.", "models[].")
                .replace("clients.c.", "clients.NAME.")
                .replace("projects./p.", "projects.DIR.")
        })
        .collect();
    let listed: BTreeSet<String> = schema::keys().iter().map(|key| key.path.to_owned()).collect();
    assert_eq!(shown, listed);
}

#[test]
fn every_key_says_what_it_is_for_in_whole_sentences() {
    for key in schema::keys() {
        assert!(key.doc.ends_with('.') && key.doc.starts_with(char::is_uppercase), "{}: {}", key.path, key.doc);
    }
}

#[test]
fn the_flat_list_tells_the_file_from_the_defaults() {
    let text = "[router]\nglobal_monthly_usd_cap = 2.5\n\n[providers.\"p.q\"]\nbase_url = \"https://p.example\"\n";
    let config = Config::parse(text, Path::new("config.toml")).unwrap();
    let flat = flatten(&config);
    let find = |path: &str| flat.iter().find(|(key, _, _)| key == path).map(|(_, value, set)| (value.clone(), *set));
    assert_eq!(find("router.global_monthly_usd_cap"), Some((2.5.into(), true)));
    assert_eq!(find("router.allow_paid"), Some((false.into(), false)));
    assert_eq!(find("providers.p.q.base_url"), Some(("https://p.example".into(), true)));
    assert_eq!(find("providers.p.q.api_key_env"), Some((serde_json::Value::Null, false)));
    assert_eq!(config.origin.lines["router.global_monthly_usd_cap"], 2);
}
