//! Recipes: made, changed, put out of use, and remembered.

use std::os::unix::fs::PermissionsExt;

use lwa_library::{Activation, ContentId, LibraryError, Manifest, RecipeChange, ToolKind, ToolStatus, search_text};
use rstest::rstest;

use crate::shelf::{Shelf, recipe, slug};

#[test]
fn a_recipe_has_its_three_files_and_its_place_in_the_catalogue() {
    let shelf = Shelf::new();
    let manifest = shelf.library.create_recipe(&recipe("Weekly Report", "Report on {input}")).unwrap();
    assert_eq!((manifest.slug.as_str(), manifest.version.as_str()), ("weekly-report", "0.1.0"));
    assert_eq!((manifest.status, manifest.kind), (ToolStatus::Active, ToolKind::PromptRecipe));
    assert_eq!((manifest.review_state.as_str(), manifest.approved), ("approved", true));
    assert_eq!(manifest.tags, ["a", "b"]);
    for file in ["tool.yaml", "README.md", "run.py"] {
        assert!(shelf.path("tools/weekly-report").join(file).is_file(), "{file}");
    }
    assert!(shelf.text("CATALOG.md").contains("| [Weekly Report](tools/weekly-report/README.md) | active |"));
    assert!(shelf.text("README.md").starts_with("# Tool library"));
    let view = shelf.library.read(&manifest.slug).unwrap();
    assert_eq!((view.content.as_str(), view.manifest), ("Report on {input}", manifest));
    assert!(view.page.contains("Report on {input}") && view.description.contains("weekly-report"));
}

#[test]
fn lwa_074_a_recipe_that_is_not_activated_is_a_safe_draft_of_the_operator() {
    let shelf = Shelf::new();
    let mut draft = recipe("Draft", "{input}");
    draft.activation = Activation::Draft;
    let manifest = shelf.library.create_recipe(&draft).unwrap();
    assert_eq!(manifest.status, ToolStatus::Draft);
    assert_eq!(
        [manifest.origin.as_str(), &manifest.review_state, &manifest.safety_state],
        ["operator", "draft", "safe"]
    );
    assert!(!manifest.approved);
    assert_eq!(shelf.library.activate(&manifest.slug).unwrap().status, ToolStatus::Active);
}

#[test]
fn names_that_are_alike_get_numbers() {
    let shelf = Shelf::new();
    let slugs: Vec<String> = ["One", "one!", " ONE "]
        .map(|name| shelf.library.create_recipe(&recipe(name, "{input}")).unwrap().slug.to_string())
        .to_vec();
    assert_eq!(slugs, ["one", "one-2", "one-3"]);
}

#[test]
fn another_text_is_another_version_and_the_old_one_stays() {
    let shelf = Shelf::new();
    let one = shelf.library.create_recipe(&recipe("Tool", "one {input}")).unwrap();
    let change = RecipeChange { template: Some("two {input}".to_owned()), ..RecipeChange::default() };
    let two = shelf.library.change_recipe(&one.slug, &change).unwrap();
    assert_eq!(two.version, "0.1.1");
    let same = shelf.library.change_recipe(&one.slug, &change).unwrap();
    assert_eq!(same.version, "0.1.1");

    let history = shelf.library.history(&one.slug).unwrap();
    let known: Vec<_> = history.iter().map(|version| (version.version.as_str(), version.id.clone())).collect();
    let (first, second) = (ContentId::of(b"one {input}"), ContentId::of(b"two {input}"));
    assert_eq!(known, [("0.1.0", first.clone()), ("0.1.1", second.clone())]);
    assert_eq!(shelf.text(&format!("tools/tool/versions/{first}")), "one {input}");

    let back = shelf.library.restore(&one.slug, &first).unwrap();
    assert_eq!((back.version.as_str(), back.prompt_template.as_str()), ("0.1.2", "one {input}"));
    assert_eq!(back.content_id, Some(first));
    assert_eq!(shelf.library.history(&one.slug).unwrap().len(), 3);
    assert_eq!(shelf.library.version_content(&one.slug, &second).unwrap(), "two {input}");
}

#[test]
fn a_kept_version_that_was_edited_is_not_given_out() {
    let shelf = Shelf::new();
    let manifest = shelf.library.create_recipe(&recipe("Tool", "one {input}")).unwrap();
    let change = RecipeChange { template: Some("two {input}".to_owned()), ..RecipeChange::default() };
    shelf.library.change_recipe(&manifest.slug, &change).unwrap();
    let first = ContentId::of(b"one {input}");
    shelf.write(&format!("tools/tool/versions/{first}"), "three {input}");
    let refused = shelf.library.restore(&manifest.slug, &first);
    assert!(matches!(refused, Err(LibraryError::UnknownVersion { .. })));
}

#[test]
fn a_tool_is_disabled_archived_and_deleted() {
    let shelf = Shelf::new();
    let tool = shelf.library.create_recipe(&recipe("Tool", "{input}")).unwrap().slug;
    assert_eq!(shelf.library.disable(&tool).unwrap().status, ToolStatus::Disabled);
    assert_eq!(shelf.library.archive(&tool).unwrap().status, ToolStatus::Archived);
    assert_eq!(shelf.library.list(Some(ToolStatus::Archived)).unwrap().len(), 1);
    assert_eq!(shelf.library.list(Some(ToolStatus::Active)).unwrap(), []);
    assert!(shelf.path("tools/tool/tool.yaml").is_file());
    shelf.library.delete(&tool).unwrap();
    assert!(!shelf.path("tools/tool").exists());
    assert_eq!(shelf.library.list(None).unwrap(), []);
    assert!(shelf.text("CATALOG.md").contains("no tools yet"));
    assert!(matches!(shelf.library.delete(&tool), Err(LibraryError::UnknownTool { .. })));
    let left: Vec<_> = std::fs::read_dir(shelf.library.root()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().contains("leaving")), "{left:?}");
}

#[test]
fn the_newest_change_is_listed_first() {
    let shelf = Shelf::new();
    for name in ["one", "two", "three"] {
        shelf.library.create_recipe(&recipe(name, "{input}")).unwrap();
    }
    shelf.library.disable(&slug("one")).unwrap();
    let names: Vec<String> = shelf.library.list(None).unwrap().iter().map(|tool| tool.slug.to_string()).collect();
    assert_eq!(names, ["one", "three", "two"]);
}

#[test]
fn an_unknown_name_is_answered_with_the_nearest() {
    let shelf = Shelf::new();
    shelf.library.create_recipe(&recipe("release notes", "{input}")).unwrap();
    let message = shelf.library.find("release-note").unwrap_err().to_string();
    assert_eq!(message, "there is no tool `release-note`; did you mean `release-notes`?");
    assert!(matches!(shelf.library.find("../x"), Err(LibraryError::UnknownTool { .. })));
    assert_eq!(shelf.library.find(" release-notes ").unwrap().slug, slug("release-notes"));
}

#[rstest]
#[case::name("use sk-planted-0000000000", "{input}")]
#[case::template("Tool", "with ghp_planted000000 {input}")]
fn what_looks_like_a_key_is_refused(#[case] name: &str, #[case] template: &str) {
    let shelf = Shelf::new();
    let refused = shelf.library.create_recipe(&recipe(name, template));
    assert!(matches!(refused, Err(LibraryError::HoldsKey(_))), "{refused:?}");
    assert!(!shelf.everything().contains("planted"));
}

#[test]
fn folders_and_files_are_for_the_owner_alone() {
    let shelf = Shelf::new();
    shelf.library.create_recipe(&recipe("Tool", "{input}")).unwrap();
    let mode = |name: &str| std::fs::metadata(shelf.path(name)).unwrap().permissions().mode() & 0o777;
    for folder in ["", "tools", "tools/tool", "tools/tool/versions"] {
        assert_eq!(mode(folder), 0o700, "{folder}");
    }
    for file in ["registry.json", "CATALOG.md", "README.md", ".lock", "tools/tool/tool.yaml", "tools/tool/README.md"] {
        assert_eq!(mode(file), 0o600, "{file}");
    }
    assert_eq!(mode("tools/tool/run.py"), 0o700);
}

#[test]
fn what_would_break_a_table_is_escaped() {
    let shelf = Shelf::new();
    let mut odd = recipe("a | b", "{input}");
    odd.description = "one\n| two".to_owned();
    shelf.library.create_recipe(&odd).unwrap();
    let row = shelf.text("CATALOG.md").lines().last().unwrap().to_owned();
    assert_eq!(row, r"| [a \| b](tools/a-b/README.md) | active | prompt_recipe | sitrep | 0 | 0.00 | one \| two |");
}

#[test]
fn the_catalogue_is_sorted_by_status_and_then_by_name() {
    let shelf = Shelf::new();
    for name in ["b", "a", "c"] {
        shelf.library.create_recipe(&recipe(name, "{input}")).unwrap();
    }
    shelf.library.disable(&slug("a")).unwrap();
    let catalogue = shelf.text("CATALOG.md");
    let rows: Vec<&str> = catalogue.lines().skip(4).map(|row| &row[3..4]).collect();
    assert_eq!(rows, ["b", "c", "a"]);
}

#[test]
fn a_search_looks_at_names_descriptions_tags_triggers_and_the_task() {
    let shelf = Shelf::new();
    let manifest: Manifest = shelf.library.create_recipe(&recipe("Weekly Report", "secret template {input}")).unwrap();
    let text = search_text(&manifest);
    assert_eq!(text.name, "Weekly Report weekly-report");
    assert_eq!((text.tags.as_str(), text.task.as_str()), ("a b", "sitrep"));
    assert!(!format!("{text:?}").contains("template"));
}
