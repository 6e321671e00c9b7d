//! A tool library is merged tool by tool, and nothing of ours is lost.

#![allow(clippy::unwrap_used, reason = "a panic in a test is its report")]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use lwa_registration::seed::{SeedError, ToolState, copy_library, plan_library};
use serde_json::{Value, json};
use tempfile::TempDir;

struct Setup {
    folder: TempDir,
}

fn recipe(slug: &str, description: &str) -> Value {
    json!({ "slug": slug, "description": description, "kind": "prompt_recipe", "status": "active", "approved": true })
}

impl Setup {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn theirs(&self) -> PathBuf {
        self.folder.path().join("theirs")
    }

    fn ours(&self) -> PathBuf {
        self.folder.path().join("ours")
    }

    /// Adds a tool to a library, with one file whose text is its description.
    fn with(self, library: &Path, tool: &Value) -> Self {
        let list = library.join("registry.json");
        let mut registry: Vec<Value> =
            fs::read_to_string(&list).map(|text| serde_json::from_str(&text).unwrap()).unwrap_or_default();
        registry.push(tool.clone());
        let folder = library.join("tools").join(tool["slug"].as_str().unwrap());
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("run.py"), tool["description"].as_str().unwrap()).unwrap();
        fs::write(list, json!(registry).to_string()).unwrap();
        self
    }

    fn import(&self, is_replaced: bool) -> Vec<(String, ToolState)> {
        let plan = plan_library(&self.theirs(), &self.ours(), is_replaced).unwrap();
        copy_library(&plan, &self.theirs(), &self.ours(), "20260101-000000").unwrap();
        plan.tools.into_iter().map(|tool| (tool.slug, tool.state)).collect()
    }

    fn registry(&self) -> Vec<Value> {
        serde_json::from_str(&fs::read_to_string(self.ours().join("registry.json")).unwrap()).unwrap()
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.ours().join(path)).unwrap()
    }
}

fn states(tools: &[(&str, ToolState)]) -> Vec<(String, ToolState)> {
    tools.iter().map(|(slug, state)| ((*slug).to_owned(), *state)).collect()
}

#[test]
fn into_an_empty_library_every_tool_is_copied_and_is_private() {
    let setup = Setup::new();
    let (theirs, ours) = (setup.theirs(), setup.ours());
    let setup = setup.with(&theirs, &recipe("a", "one")).with(&theirs, &recipe("b", "two"));
    fs::set_permissions(theirs.join("tools/a/run.py"), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(setup.import(false), states(&[("a", ToolState::Copied), ("b", ToolState::Copied)]));
    assert_eq!(setup.registry(), [recipe("a", "one"), recipe("b", "two")]);
    assert_eq!(setup.text("tools/b/run.py"), "two");
    for (path, mode) in [("tools", 0o700), ("tools/a", 0o700), ("tools/a/run.py", 0o600), ("registry.json", 0o600)] {
        assert_eq!(fs::metadata(ours.join(path)).unwrap().mode() & 0o777, mode, "{path}");
    }
    assert_eq!(fs::read_to_string(theirs.join("tools/a/run.py")).unwrap(), "one");
    assert!(!ours.join(".pre-import-20260101-000000").exists());
    // The same again changes nothing.
    assert_eq!(setup.import(false), states(&[("a", ToolState::Same), ("b", ToolState::Same)]));
}

#[test]
fn a_collision_keeps_ours_and_is_reported() {
    let setup = Setup::new();
    let (theirs, ours) = (setup.theirs(), setup.ours());
    let setup = setup
        .with(&theirs, &recipe("a", "theirs"))
        .with(&theirs, &recipe("b", "new"))
        .with(&ours, &recipe("a", "ours"));
    assert_eq!(setup.import(false), states(&[("a", ToolState::Kept), ("b", ToolState::Copied)]));
    assert_eq!(setup.registry(), [recipe("a", "ours"), recipe("b", "new")]);
    assert_eq!(setup.text("tools/a/run.py"), "ours");
}

#[test]
fn lwa_122_a_replaced_tool_and_the_old_list_are_in_the_backup() {
    let setup = Setup::new();
    let (theirs, ours) = (setup.theirs(), setup.ours());
    let setup = setup.with(&theirs, &recipe("a", "theirs")).with(&ours, &recipe("a", "ours"));
    let before = setup.text("registry.json");
    assert_eq!(setup.import(true), states(&[("a", ToolState::Replaced)]));
    assert_eq!(setup.text("tools/a/run.py"), "theirs");
    assert_eq!(setup.text(".pre-import-20260101-000000/tools/a/run.py"), "ours");
    assert_eq!(setup.text(".pre-import-20260101-000000/registry.json"), before);
}

#[test]
fn a_script_has_to_be_approved_again() {
    let setup = Setup::new();
    let theirs = setup.theirs();
    let mut script = recipe("s", "print()");
    script["kind"] = json!("script");
    let setup = setup.with(&theirs, &script);
    assert_eq!(setup.import(false), states(&[("s", ToolState::Copied)]));
    let tool = &setup.registry()[0];
    assert_eq!((&tool["approved"], &tool["status"], &tool["kind"]), (&json!(false), &json!("draft"), &json!("script")));
}

#[test]
fn a_list_that_cannot_be_read_stops_everything_on_either_side() {
    for side in ["theirs", "ours"] {
        let setup = Setup::new();
        let (theirs, ours) = (setup.theirs(), setup.ours());
        let setup = setup.with(&theirs, &recipe("a", "x")).with(&ours, &recipe("b", "y"));
        let list = setup.folder.path().join(side).join("registry.json");
        fs::write(&list, "[{\"slug\": \"secret-wo").unwrap();
        let error = plan_library(&theirs, &ours, true).unwrap_err();
        assert!(matches!(&error, SeedError::Registry(path) if *path == list));
        assert!(!error.to_string().contains("secret-wo"));
    }
}

#[test]
fn names_that_lead_elsewhere_and_links_are_refused() {
    let setup = Setup::new();
    let (theirs, ours) = (setup.theirs(), setup.ours());
    let setup = setup.with(&theirs, &recipe("a", "x"));
    let outside = setup.folder.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("secret"), "x").unwrap();
    symlink(&outside, theirs.join("tools/link")).unwrap();
    symlink(outside.join("secret"), theirs.join("tools/a/secret")).unwrap();
    let tools = json!([recipe("../outside", "x"), recipe("link", "x"), recipe("a", "x"), recipe("a", "y"), { "kind": "script" }]);
    fs::write(theirs.join("registry.json"), tools.to_string()).unwrap();
    let refused = ToolState::Refused;
    let expected = [
        ("(without a name)", refused),
        ("link", refused),
        ("a", ToolState::Copied),
        ("a", refused),
        ("(without a name)", refused),
    ];
    assert_eq!(setup.import(false), states(&expected));
    let copied: Vec<_> = fs::read_dir(ours.join("tools")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(copied, ["a"]);
    assert!(!ours.join("tools/a/secret").exists());
}

#[test]
fn work_that_no_list_names_is_kept_in_the_backup() {
    let setup = Setup::new();
    let (theirs, ours) = (setup.theirs(), setup.ours());
    let setup = setup.with(&theirs, &recipe("a", "theirs"));
    fs::create_dir_all(ours.join("tools/a")).unwrap();
    fs::write(ours.join("tools/a/run.py"), "not in any list").unwrap();
    setup.import(false);
    assert_eq!(setup.text(".pre-import-20260101-000000/tools/a/run.py"), "not in any list");
    assert_eq!(setup.text("tools/a/run.py"), "theirs");
}
