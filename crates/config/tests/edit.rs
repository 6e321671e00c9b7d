//! Edits keep what the human wrote, and never leave half a file behind.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the report")]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use lwa_config::{Config, ConfigError, edit};
use rstest::rstest;
use serde_json::json;

const TEXT: &str = "# My settings.\n\n[router] # the router\nallow_paid = false   # not yet\nprefer_free = true\n\n\
    # At home.\n[providers.local]\nbase_url = \"http://127.0.0.1:11434/v1\"\n\n[[models]]\nprovider = \"local\" # ours\n\
    model = \"a.b\"\n\n[app]\nstart_hidden = true\n# The end.\n";

#[test]
fn a_changed_value_leaves_every_other_byte_alone() {
    let edited = edit::set(TEXT, &["router", "allow_paid"], &json!(true)).unwrap();
    assert_eq!(edited, TEXT.replace("allow_paid = false ", "allow_paid = true "));
    assert_eq!(edit::set(&edited, &["router", "allow_paid"], &json!(false)).unwrap(), TEXT);
}

#[test]
fn new_keys_and_tables_go_to_where_they_belong() {
    let edited = edit::set(TEXT, &["router", "consent_mode"], &json!("always_ask")).unwrap();
    assert!(edited.contains("prefer_free = true\nconsent_mode = \"always_ask\"\n\n# At home.\n"), "{edited}");
    let edited = edit::set(TEXT, &["models", "local:a.b", "enabled"], &json!(false)).unwrap();
    assert!(edited.contains("model = \"a.b\"\nenabled = false\n\n[app]"), "{edited}");
    let edited = edit::set(TEXT, &["providers", "far", "base_url"], &json!("https://far.example")).unwrap();
    assert!(edited.contains("[providers.far]\nbase_url = \"https://far.example\"\n"), "{edited}");
    let edited = edit::set("", &["secrets", "backend"], &json!("file")).unwrap();
    assert_eq!(edited, "[secrets]\nbackend = \"file\"\n");
    let edited = edit::set("", &["toolsets"], &json!(["core", "worker"])).unwrap();
    assert_eq!(edited, "toolsets = [\"core\", \"worker\"]\n");
    let edited = edit::set("", &["models", "p:x:y", "enabled"], &json!(false)).unwrap();
    assert_eq!(edited, "[[models]]\nprovider = \"p\"\nmodel = \"x:y\"\nenabled = false\n");
}

#[test]
fn what_a_client_or_a_project_has_of_its_own_is_set_and_removed() {
    let path = ["projects", "/home/me/shop", "worker", "run_policy"];
    let one = edit::set("", &path, &json!("allow")).unwrap();
    assert_eq!(one, "[projects.\"/home/me/shop\".worker]\nrun_policy = \"allow\"\n");
    let none = edit::set(&one, &path, &json!(null)).unwrap();
    assert!(Config::parse(&none, Path::new("c")).unwrap().projects["/home/me/shop"].worker.is_empty());
    let own = edit::set("[clients.codex]\nnote = \"n\"\n", &["clients", "codex", "worker", "arm"], &json!("on"));
    assert_eq!(own.unwrap(), "[clients.codex]\nnote = \"n\"\n\n[clients.codex.worker]\narm = \"on\"\n");
    let error = edit::set("", &["clients", "codex", "worker", "armed"], &json!("on")).unwrap_err();
    assert_eq!(error.to_string(), "there is no key `clients.codex.worker.armed` to set; did you mean `arm`?");
}

#[test]
fn every_comment_survives_every_edit() {
    let comments = |text: &str| {
        text.lines().filter_map(|line| line.split_once('#')).map(|(_, c)| c.to_owned()).collect::<Vec<_>>()
    };
    for (path, value) in [
        (vec!["router", "allow_training"], json!(true)),
        (vec!["toolsets"], json!(["all"])),
        (vec!["clients", "codex", "note"], json!("x")),
        (vec!["providers", "local", "enabled"], json!(false)),
        (vec!["app", "start_hidden"], json!(null)),
        (vec!["router", "allow_paid"], json!(true)),
        (vec!["models", "local:new", "context_length"], json!(4096)),
    ] {
        let edited = edit::set(TEXT, &path, &value).unwrap();
        assert_eq!(comments(&edited), comments(TEXT), "{path:?}: {edited}");
    }
}

#[rstest]
#[case("router = { allow_paid = false }\n", "router = { allow_paid = true }\n")]
#[case("router.allow_paid = false\n", "router.allow_paid = true\n")]
#[case("[router]\n'allow_paid'=false\n", "[router]\n'allow_paid'=true\n")]
fn each_way_to_write_a_table_is_edited_in_its_own_way(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(edit::set(text, &["router", "allow_paid"], &json!(true)).unwrap(), expected);
}

#[test]
fn entries_of_tables_by_task_are_set_and_removed() {
    let one = edit::set("", &["router", "task_prompts", "query"], &json!("Be brief.")).unwrap();
    assert_eq!(one, "[router]\ntask_prompts = { query = \"Be brief.\" }\n");
    let none = edit::set(&one, &["router", "task_prompts", "query"], &json!(null)).unwrap();
    assert!(Config::parse(&none, Path::new("c")).unwrap().router.task_prompts.is_empty());
    let inline = "models = [{ provider = \"p\", model = \"m\" }]\n";
    let edited = edit::set(inline, &["models", "p:m", "task_scores", "query"], &json!(50)).unwrap();
    let config = Config::parse(&edited, Path::new("c")).unwrap();
    assert_eq!(config.models[0].task_scores.len(), 1);
    assert_eq!(edited.lines().count(), 1, "{edited}");
}

#[test]
fn removing_what_is_not_there_changes_nothing() {
    for path in
        [vec!["router", "allow_user_pays"], vec!["providers", "none", "enabled"], vec!["models", "a:b", "enabled"]]
    {
        assert_eq!(edit::set(TEXT, &path, &json!(null)).unwrap(), TEXT);
    }
}

#[rstest]
#[case(&["router", "alow_paid"], "there is no key `router.alow_paid` to set; did you mean `allow_paid`?")]
#[case(&["rooter", "allow_paid"], "there is no key `rooter.allow_paid` to set")]
#[case(&["router"], "there is no key `router` to set")]
#[case(&["router", "allow_paid", "x"], "there is no key `router.allow_paid.x` to set")]
#[case(&["models", "no-colon", "enabled"], "there is no key `models.no-colon.enabled` to set")]
#[case(&["models", "p:m", "model"], "there is no key `models.p:m.model` to set")]
#[case(&[], "there is no key `` to set")]
fn keys_that_do_not_exist_cannot_be_set(#[case] path: &[&str], #[case] message: &str) {
    let error = edit::set(TEXT, path, &json!(true)).unwrap_err();
    assert!(error.to_string().starts_with(message), "{error}");
}

#[test]
fn a_value_that_does_not_fit_is_refused_with_its_line() {
    let error = edit::set(TEXT, &["router", "allow_paid"], &json!("maybe")).unwrap_err();
    assert_eq!(error.line(), Some(4));
    assert!(matches!(error, ConfigError::WrongType { .. }), "{error}");
    let error = edit::set("", &["providers", "p", "enabled"], &json!(true)).unwrap_err();
    assert!(matches!(error, ConfigError::Missing { key: "base_url", .. }), "{error}");
    assert!(edit::set("[router", &["router", "allow_paid"], &json!(true)).is_err());
}

#[test]
fn a_new_file_is_private_and_a_present_one_keeps_its_mode() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("new").join("config.toml");
    edit::write_atomic(&path, "a").unwrap();
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o600);
    assert_eq!(fs::metadata(path.parent().unwrap()).unwrap().mode() & 0o7777, 0o700);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    edit::write_atomic(&path, "b").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "b");
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o644);
}

#[test]
fn a_link_stays_a_link() {
    let temp = tempfile::tempdir().unwrap();
    let (real, link, second) = (temp.path().join("dotfiles.toml"), temp.path().join("b"), temp.path().join("c"));
    symlink("dotfiles.toml", &link).unwrap();
    symlink("b", &second).unwrap();
    // The target does not exist yet.
    edit::write_atomic(&second, "first").unwrap();
    assert_eq!(fs::read_to_string(&real).unwrap(), "first");
    edit::write_atomic(&second, "second").unwrap();
    assert_eq!(fs::read_to_string(&real).unwrap(), "second");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink() && fs::symlink_metadata(&second).unwrap().is_symlink());
    symlink("loop", temp.path().join("loop")).unwrap();
    assert!(matches!(edit::write_atomic(&temp.path().join("loop"), "x"), Err(ConfigError::Write { .. })));
}

#[test]
fn a_failed_write_leaves_the_file_and_nothing_beside_it() {
    let temp = tempfile::tempdir().unwrap();
    // A folder in the file's place cannot be replaced by a file, whoever runs the test.
    let path = temp.path().join("config.toml");
    fs::create_dir(&path).unwrap();
    assert!(matches!(edit::write_atomic(&path, "x"), Err(ConfigError::Write { .. })));
    let names: Vec<_> = fs::read_dir(temp.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["config.toml"]);
}

#[rstest]
#[case("toolsets", &["toolsets"])]
#[case("router.allow_paid", &["router", "allow_paid"])]
#[case("router.task_prompts.query", &["router", "task_prompts", "query"])]
#[case("models.groq:llama-3.1-8b.enabled", &["models", "groq:llama-3.1-8b", "enabled"])]
#[case("models.a:b.c.task_scores.query", &["models", "a:b.c", "task_scores", "query"])]
#[case("providers.p.q.request_headers.X-A", &["providers", "p.q", "request_headers", "X-A"])]
#[case("providers.p", &["providers", "p"])]
#[case("clients.my.client.note", &["clients", "my.client", "note"])]
#[case("worker.base_url", &["worker", "base_url"])]
#[case("clients.my.client.worker.arm", &["clients", "my.client", "worker", "arm"])]
#[case("clients.my.worker.note", &["clients", "my.worker", "note"])]
#[case("projects./home/me/shop.d.worker.run_policy", &["projects", "/home/me/shop.d", "worker", "run_policy"])]
fn dots_in_names_do_not_end_them(#[case] dotted: &str, #[case] parts: &[&str]) {
    assert_eq!(edit::key_path(dotted), parts);
}
