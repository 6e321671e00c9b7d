//! Keys are found where people keep them, in a fixed order, and nowhere else.

#![allow(clippy::unwrap_used, reason = "a panic in a test is its report")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use lwa_registration::discover::{Discovery, Found, LookState, Places, SourceKind, discover, in_file};
use lwa_registration::variables::{Holds, ProviderVariables};
use tempfile::TempDir;

/// Provider, variable, value, file and line.
type Hit = (String, String, String, Option<String>, Option<usize>);

/// A folder of a test's own with the places in it.
struct Setup {
    folder: TempDir,
    environment: BTreeMap<String, String>,
}

fn provider(name: &str, base_url: &str, names: &[(&str, Holds)]) -> ProviderVariables {
    ProviderVariables {
        provider: name.to_owned(),
        base_url: Some(base_url.to_owned()),
        names: names.iter().map(|(name, holds)| ((*name).to_owned(), *holds)).collect(),
    }
}

fn table() -> Vec<ProviderVariables> {
    vec![
        provider(
            "cloudflare",
            "https://api.cloudflare.example/{account_id}/v1",
            &[("CLOUDFLARE_API_TOKEN", Holds::Key), ("CLOUDFLARE_ACCOUNT_ID", Holds::Account)],
        ),
        provider("groq", "https://api.groq.example/v1", &[("GROQ_API_KEY", Holds::Key), ("GROQ_KEY", Holds::Key)]),
        provider("openrouter", "https://openrouter.example/api/v1", &[("OPENROUTER_API_KEY", Holds::Key)]),
    ]
}

impl Setup {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), environment: BTreeMap::new() }
    }

    fn set(mut self, name: &str, value: &str) -> Self {
        self.environment.insert(name.to_owned(), value.to_owned());
        self
    }

    fn file(self, path: &str, text: &str) -> Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn discover(&self) -> Discovery {
        let places = Places {
            environment: self.environment.clone(),
            codex_home: Some(self.path("codex")),
            files: vec![self.path("config/codex/.env"), self.path("work/.env"), self.path("work/.env.local")],
            seed_file: Some(self.path("old/lwa.env")),
        };
        discover(&table(), &places)
    }

    /// What was found, as provider, variable, value, file and line.
    fn found(&self) -> Vec<Hit> {
        let short = |found: Found| {
            let path = found.source.path.map(|path| short(&path, self.folder.path()));
            (found.provider, found.variable, found.value.expose().to_owned(), path, found.source.line)
        };
        self.discover().found.into_iter().map(short).collect()
    }
}

fn short(path: &Path, folder: &Path) -> String {
    path.strip_prefix(folder).unwrap().display().to_string()
}

fn hit(provider: &str, variable: &str, value: &str, path: Option<&str>, line: Option<usize>) -> Hit {
    (provider.to_owned(), variable.to_owned(), value.to_owned(), path.map(str::to_owned), line)
}

#[test]
fn the_environment_comes_first_aliases_included() {
    let setup = Setup::new()
        .set("GROQ_KEY", "from-the-alias-1")
        .set("CLOUDFLARE_ACCOUNT_ID", "acct")
        .file("work/.env", "GROQ_KEY=from-a-file-0001\nGROQ_API_KEY=from-a-file-0002\n");
    assert_eq!(
        setup.found(),
        [
            hit("cloudflare", "CLOUDFLARE_ACCOUNT_ID", "acct", None, None),
            hit("groq", "GROQ_KEY", "from-the-alias-1", None, None),
            hit("groq", "GROQ_API_KEY", "from-a-file-0002", Some("work/.env"), Some(2)),
        ]
    );
    assert_eq!(setup.discover().found[0].holds, Holds::Account);
}

#[test]
fn lwa_082_the_variable_that_codex_takes_a_key_from_is_found_for_its_provider() {
    for entry in [
        // By its id, by its name, by its address.
        "[model_providers.openrouter]\nenv_key = \"MY_KEY\"\n",
        "[model_providers.mine]\nname = \"OpenRouter\"\nenv_key = \"MY_KEY\"\n",
        "[model_providers.mine]\nname = \"Mine\"\nbase_url = \"https://openrouter.example/other\"\nenv_key = \"MY_KEY\"\n",
    ] {
        let setup = Setup::new().set("MY_KEY", "value-0123456789").file("codex/config.toml", entry);
        let found = setup.discover().found;
        assert_eq!(found.len(), 1, "{entry}");
        assert_eq!((found[0].provider.as_str(), found[0].variable.as_str()), ("openrouter", "OPENROUTER_API_KEY"));
        assert_eq!(found[0].value.expose(), "value-0123456789");
        assert_eq!(found[0].source.kind, SourceKind::CodexConfig);
        let line = entry.lines().count();
        let expected = format!("{}:{line} (model_providers.", setup.path("codex/config.toml").display());
        assert!(found[0].source.to_string().starts_with(&expected), "{}", found[0].source);
        assert!(found[0].source.to_string().ends_with(".env_key = MY_KEY)"), "{}", found[0].source);
    }
}

#[test]
fn a_variable_that_codex_names_is_also_found_in_the_files_that_follow() {
    let setup = Setup::new()
        .file("codex/config.toml", "[model_providers.groq]\nenv_key = \"MY_KEY\"\n")
        .file("codex/.env", "MY_KEY='value-0123456789'\n");
    assert_eq!(setup.found(), [hit("groq", "GROQ_API_KEY", "value-0123456789", Some("codex/.env"), Some(1))]);
}

#[test]
fn a_provider_of_the_same_name_at_another_address_does_not_give_its_key_away() {
    let entry = "[model_providers.groq]\nbase_url = \"https://gateway.example/v1\"\nenv_key = \"GATEWAY_KEY\"\n";
    let setup = Setup::new().set("GATEWAY_KEY", "value-0123456789").file("codex/config.toml", entry);
    assert_eq!(setup.found(), []);
}

#[test]
fn variables_of_codexs_servers_are_found_when_they_belong_to_a_provider() {
    let text = "[mcp_servers.a]\ncommand = \"x\"\nenv = { GROQ_API_KEY = \"in-the-map-00001\", OTHER = \"y\" }\n\
        [mcp_servers.b]\ncommand = \"x\"\nenv_vars = [\"OPENROUTER_API_KEY\", { name = \"CLOUDFLARE_API_TOKEN\" }, \"UNSET\"]\n";
    let setup = Setup::new().set("OPENROUTER_API_KEY", "passed-on-000001").file("codex/config.toml", text);
    assert_eq!(
        setup.found(),
        [
            hit("groq", "GROQ_API_KEY", "in-the-map-00001", Some("codex/config.toml"), Some(3)),
            // Its value is the environment's, which came first.
            hit("openrouter", "OPENROUTER_API_KEY", "passed-on-000001", None, None),
        ]
    );
}

#[test]
fn files_are_read_in_their_order_and_the_older_products_comes_last() {
    let order = [
        "codex/.env",
        "codex/keys.env",
        "codex/secrets.env",
        "config/codex/.env",
        "work/.env",
        "work/.env.local",
        "old/lwa.env",
    ];
    for (index, first) in order.iter().enumerate() {
        let setup = order[index..]
            .iter()
            .fold(Setup::new(), |setup, path| setup.file(path, &format!("# note\nexport GROQ_API_KEY='{path}'\n")));
        assert_eq!(setup.found(), [hit("groq", "GROQ_API_KEY", first, Some(first), Some(2))]);
        let looked: Vec<(String, LookState)> = setup
            .discover()
            .looked_in
            .into_iter()
            .map(|looked| (short(&looked.path, setup.folder.path()), looked.state))
            .collect();
        assert_eq!(looked[0], ("codex/config.toml".to_owned(), LookState::Absent));
        let files: Vec<&str> = looked[1..].iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(files, order);
        assert!(looked[1 + index..].iter().all(|(_, state)| *state == LookState::Read), "{looked:?}");
    }
    let seed = Setup::new().file("old/lwa.env", "GROQ_API_KEY='x'\n").discover().found;
    assert_eq!(seed[0].source.kind, SourceKind::SeedFile);
}

#[test]
fn no_folder_is_walked_and_no_sign_in_token_is_read() {
    let setup = Setup::new()
        .file("codex/auth.json", "{\"OPENAI_API_KEY\": \"x\", \"GROQ_API_KEY\": \"nested-000000001\"}")
        .file("codex/sub/.env", "GROQ_API_KEY=nested-000000002\n")
        .file("work/sub/.env", "GROQ_API_KEY=nested-000000003\n")
        .file("work/.env.production", "GROQ_API_KEY=nested-000000004\n");
    assert_eq!(setup.found(), []);
}

#[test]
fn lwa_085_a_browsers_cookie_is_not_looked_for() {
    let setup =
        Setup::new().set("BING_COOKIE_U", "cookie-000000001").file("work/.env", "BING_COOKIE_U=cookie-000000001\n");
    assert_eq!(setup.found(), []);
}

#[test]
fn blank_values_and_broken_lines_are_passed_over() {
    let setup = Setup::new()
        .set("GROQ_API_KEY", "  ")
        .file("codex/.env", "GROQ_API_KEY=\"open\n")
        .file("work/.env", "GROQ_API_KEY=first\nGROQ_API_KEY=second-counts-01\n");
    assert_eq!(setup.found(), [hit("groq", "GROQ_API_KEY", "second-counts-01", Some("work/.env"), Some(2))]);
}

#[test]
fn what_cannot_be_read_is_said_without_its_content() {
    let setup = Setup::new().file("codex/config.toml", "ok = 1\nsecret-words-here\n");
    fs::create_dir_all(setup.path("codex/.env")).unwrap();
    let looked = setup.discover().looked_in;
    assert_eq!(
        (looked[0].state, looked[0].problem.as_deref()),
        (LookState::Unreadable, Some("line 2 is not valid TOML"))
    );
    assert_eq!((looked[1].state, looked[1].problem.as_deref()), (LookState::Unreadable, Some("it is no regular file")));
}

#[test]
fn one_file_gives_its_known_values_the_names_of_the_others_and_its_broken_lines() {
    let setup =
        Setup::new().file("keys", "GROQ_API_KEY='a-key-000000001'\nOTHER=1\nOTHER=2\nOPENROUTER_API_KEY='open\n");
    let content = in_file(&table(), &setup.path("keys")).unwrap();
    assert_eq!(content.found.len(), 1);
    assert_eq!((content.unknown, content.broken), (vec!["OTHER".to_owned()], vec![4]));
    assert!(in_file(&table(), &setup.path("none")).is_err());
}

#[test]
fn a_key_alone_on_its_line_is_not_shown_as_a_name() {
    let text = "gsk_abc123XYZabc==\nAKIAFAKEFAKEFAKE7EXA=\nPLAIN_NAME=1\nOPENAI_BILLING_API_KEY=2\n";
    let setup = Setup::new().file("keys", text);
    let content = in_file(&table(), &setup.path("keys")).unwrap();
    assert_eq!(content.unknown, ["(not shown)", "PLAIN_NAME", "OPENAI_BILLING_API_KEY"]);
}

#[test]
fn printing_what_was_found_shows_no_value() {
    let setup = Setup::new().set("GROQ_API_KEY", "printed-nowhere-1").file("work/.env", "GROQ_KEY=printed-nowhere-2\n");
    let discovery = setup.discover();
    let places = Places { environment: setup.environment.clone(), ..Places::default() };
    let text = format!("{discovery:?} {discovery:#?} {places:?}");
    assert_eq!(discovery.found.len(), 2);
    assert!(!text.contains("printed-nowhere"), "{text}");
}
