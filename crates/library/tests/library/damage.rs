//! Files that are broken, missing, foreign or edited by hand: noticed, told, and put right without loss.

use lwa_library::{ContentId, Finding, Notice, ToolStatus};
use rstest::rstest;

use crate::shelf::{Shelf, recipe, script, slug};

#[rstest]
#[case::cut_short(|text: &str| text[..text.len() / 2].to_owned())]
#[case::emptied(|_: &str| String::new())]
#[case::no_list(|_: &str| "{\"tools\": []}".to_owned())]
#[case::no_json(|_: &str| "\u{0}\u{1}".to_owned())]
fn a_17_a_truncated_registry_is_set_aside_and_rebuilt(#[case] damage: fn(&str) -> String) {
    let shelf = Shelf::new();
    for name in ["one", "two", "three"] {
        shelf.library.create_recipe(&recipe(name, &format!("{name} {{input}}"))).unwrap();
    }
    let before = shelf.library.list(None).unwrap();
    let damaged = damage(&shelf.text("registry.json"));
    shelf.write("registry.json", &damaged);
    assert!(shelf.library.check().unwrap().contains(&Finding::RegistryUnreadable));

    // A change by a process that already runs, as the first thing that happens.
    shelf.library.create_recipe(&recipe("four", "{input}")).unwrap();
    let notices = shelf.library.take_notices();
    let [Notice::RegistryRebuilt { set_aside: Some(path), tools: 3, unreadable }] = notices.as_slice() else {
        panic!("{notices:?}")
    };
    assert_eq!(unreadable, &Vec::<std::path::PathBuf>::new());
    assert_eq!(std::fs::read_to_string(path).unwrap(), damaged);
    let name = path.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("registry.json.corrupt-20260808T") && name.ends_with('Z'), "{name}");

    let mut after = shelf.library.list(None).unwrap();
    assert_eq!(after.remove(0).slug, slug("four"));
    assert_eq!(after, before);
    assert_eq!(shelf.library.check().unwrap(), []);
}

#[test]
fn a_second_damage_in_the_same_second_overwrites_no_backup() {
    let shelf = Shelf::new();
    shelf.library.create_recipe(&recipe("one", "{input}")).unwrap();
    for text in ["broken a", "broken b"] {
        shelf.write("registry.json", text);
        // A library of its own has a clock of its own, which starts at the same second.
        shelf.reopen();
    }
    let mut kept: Vec<String> = std::fs::read_dir(shelf.library.root())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().contains("corrupt"))
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    kept.sort();
    assert_eq!(kept, ["broken a", "broken b"]);
}

#[test]
fn reading_a_broken_registry_rebuilds_it_too() {
    let shelf = Shelf::new();
    let before = shelf.library.create_recipe(&recipe("one", "{input}")).unwrap();
    shelf.write("registry.json", "[");
    assert_eq!(shelf.library.list(None).unwrap(), [before]);
    assert_eq!(shelf.library.take_notices().len(), 1);
}

#[test]
fn a_missing_registry_is_rebuilt_from_the_folders() {
    let shelf = Shelf::new();
    let before = shelf.library.create_recipe(&recipe("one", "{input}")).unwrap();
    std::fs::remove_file(shelf.path("registry.json")).unwrap();
    let (library, notices) = shelf.reopen();
    let expected = Notice::RegistryRebuilt { set_aside: None, tools: 1, unreadable: vec![] };
    assert_eq!((library.list(None).unwrap(), notices), (vec![before], vec![expected]));
}

#[test]
fn a_folder_without_a_readable_description_is_named_and_left_alone() {
    let shelf = Shelf::new();
    shelf.library.create_recipe(&recipe("one", "{input}")).unwrap();
    shelf.write("tools/one/tool.yaml", "slug: [");
    shelf.write("registry.json", "[");
    let (library, notices) = shelf.reopen();
    let [Notice::RegistryRebuilt { tools: 0, unreadable, .. }] = notices.as_slice() else { panic!("{notices:?}") };
    assert_eq!(unreadable, &[shelf.path("tools/one")]);
    assert_eq!(shelf.text("tools/one/tool.yaml"), "slug: [");
    // Its name stays taken, so that nothing is put on top of it.
    assert_eq!(library.create_recipe(&recipe("one", "{input}")).unwrap().slug, slug("one-2"));
}

#[test]
fn fields_and_entries_of_a_later_version_survive() {
    let shelf = Shelf::new();
    let tool = shelf.library.create_recipe(&recipe("one", "{input}")).unwrap().slug;
    let mut entries: serde_json::Value = serde_json::from_str(&shelf.text("registry.json")).unwrap();
    entries[0]["colour"] = serde_json::json!({"shade": ["dark", 3, null]});
    let foreign = serde_json::json!({"slug": "later", "kind": "hologram", "status": "glowing"});
    entries.as_array_mut().unwrap().push(foreign.clone());
    shelf.write("registry.json", &entries.to_string());

    assert_eq!(shelf.library.check().unwrap()[0], Finding::ForeignEntries(1));
    shelf.library.disable(&tool).unwrap();
    shelf.library.create_recipe(&recipe("later", "{input}")).unwrap();
    let after: serde_json::Value = serde_json::from_str(&shelf.text("registry.json")).unwrap();
    assert_eq!(after[0]["colour"], entries[0]["colour"]);
    assert_eq!(after[1]["slug"], "later-2");
    assert_eq!(after[2], foreign);
    // And through the tool's own file, when the registry is lost.
    shelf.write("registry.json", "");
    let (library, _) = shelf.reopen();
    assert_eq!(library.get(&tool).unwrap().unknown["colour"], entries[0]["colour"]);
}

#[test]
fn a_folder_that_the_registry_does_not_know_is_taken_in() {
    let shelf = Shelf::new();
    let before = shelf.library.create_recipe(&recipe("one", "{input}")).unwrap();
    shelf.write("registry.json", "[]");
    assert_eq!(shelf.library.check().unwrap(), [Finding::UnknownFolder(slug("one"))]);
    let (library, notices) = shelf.reopen();
    assert_eq!(notices, [Notice::Repaired(Finding::UnknownFolder(slug("one")))]);
    assert_eq!(library.list(None).unwrap(), [before]);
    assert_eq!(library.check().unwrap(), []);
}

#[test]
fn a_recipe_whose_folder_is_gone_gets_it_again() {
    let shelf = Shelf::new();
    let before = shelf.library.create_recipe(&recipe("one", "text {input}")).unwrap();
    std::fs::remove_dir_all(shelf.path("tools/one")).unwrap();
    assert_eq!(shelf.library.check().unwrap(), [Finding::MissingFolder(slug("one"))]);
    assert_eq!(shelf.library.heal().unwrap(), [Finding::MissingFolder(slug("one"))]);
    assert_eq!(shelf.library.check().unwrap(), []);
    assert_eq!(shelf.library.read(&before.slug).unwrap().manifest, before);
    assert!(shelf.path("tools/one/run.py").is_file());
}

#[test]
fn a_script_whose_file_is_gone_is_disabled_and_kept() {
    let shelf = Shelf::new();
    let tool = shelf.library.register_script(&script("one", "print(1)")).unwrap();
    std::fs::remove_file(shelf.path("tools/one/tool.py")).unwrap();
    assert_eq!(shelf.library.heal().unwrap(), [Finding::MissingScript(slug("one"))]);
    assert_eq!(shelf.library.get(&tool.slug).unwrap().status, ToolStatus::Disabled);
    assert_eq!(shelf.library.heal().unwrap(), []);
    let kept = ContentId::of(b"print(1)");
    assert_eq!(shelf.library.restore(&tool.slug, &kept).unwrap().content_id, Some(kept));
    assert_eq!(shelf.text("tools/one/tool.py"), "print(1)");
}

#[test]
fn a_description_edited_by_hand_is_set_aside_and_not_believed() {
    let shelf = Shelf::new();
    let before = shelf.library.create_recipe(&recipe("one", "{input}")).unwrap();
    let edited = shelf.text("tools/one/tool.yaml").replace("active", "archived");
    shelf.write("tools/one/tool.yaml", &edited);
    assert_eq!(shelf.library.heal().unwrap(), [Finding::DifferentDescription(slug("one"))]);
    assert_eq!(shelf.library.get(&slug("one")).unwrap(), before);
    let aside: Vec<String> = std::fs::read_dir(shelf.path("tools/one"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().contains("tool.yaml.replaced-2026"))
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    assert_eq!(aside, [edited]);
    assert_eq!(shelf.library.check().unwrap(), []);
}

#[test]
fn a_description_edited_by_hand_is_set_aside_by_the_next_change_too() {
    let shelf = Shelf::new();
    shelf.library.create_recipe(&recipe("one", "{input}")).unwrap();
    shelf.write("tools/one/tool.yaml", "edited");
    shelf.library.disable(&slug("one")).unwrap();
    shelf.library.activate(&slug("one")).unwrap();
    let names = std::fs::read_dir(shelf.path("tools/one")).unwrap().map(|entry| entry.unwrap().path());
    let aside: Vec<_> = names.filter(|path| path.to_string_lossy().contains("replaced")).collect();
    assert_eq!(aside.len(), 1);
    assert_eq!(std::fs::read_to_string(&aside[0]).unwrap(), "edited");
    assert_eq!(shelf.library.check().unwrap(), []);
}

#[test]
fn what_a_stopped_process_left_unfinished_is_removed() {
    let shelf = Shelf::new();
    shelf.library.create_recipe(&recipe("one", "{input}")).unwrap();
    for folder in [".making-1-1/versions", ".leaving-two"] {
        std::fs::create_dir_all(shelf.path(folder)).unwrap();
    }
    for name in [".registry.json.1-1.unfinished", "tools/one/.tool.yaml.1-1.unfinished"] {
        shelf.write(name, "half");
    }
    assert_eq!(shelf.library.heal().unwrap().len(), 4);
    assert_eq!(shelf.library.check().unwrap(), []);
    assert!(!shelf.path(".registry.json.1-1.unfinished").exists());
}

#[test]
fn a_lost_list_of_versions_is_made_again_from_the_contents() {
    let shelf = Shelf::new();
    let tool = shelf.library.create_recipe(&recipe("one", "{input}")).unwrap().slug;
    std::fs::remove_file(shelf.path("tools/one/versions/versions.json")).unwrap();
    let history = shelf.library.history(&tool).unwrap();
    assert_eq!((history.len(), history[0].accepted_at), (1, None));
    assert_eq!(shelf.library.version_content(&tool, &history[0].id).unwrap(), "{input}");
}
