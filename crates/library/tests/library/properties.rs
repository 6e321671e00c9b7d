//! Whatever is done in whatever order, the folder stays whole.

use lwa_library::{LibraryError, RecipeChange, Slug};
use proptest::prelude::{Just, Strategy, any, prop, prop_oneof};
use proptest::test_runner::{Config, TestRunner};

use crate::shelf::{Shelf, recipe, script};

#[derive(Debug, Clone)]
enum Act {
    Recipe(String, String),
    Script(String, String),
    BreakRegistry,
    LoseRegistry,
    /// Something that happens to one of the tools that are there.
    Of(usize, Deed),
}

#[derive(Debug, Clone)]
enum Deed {
    Template(String),
    Describe(String),
    Approve,
    Disable,
    Archive,
    Delete,
    LoseFolder,
    EditDescription,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let text = || any::<String>().prop_map(|text| text.chars().take(60).collect::<String>());
    let deed = prop_oneof![
        2 => text().prop_map(Deed::Template),
        1 => text().prop_map(Deed::Describe),
        1 => Just(Deed::Approve),
        1 => Just(Deed::Disable),
        1 => Just(Deed::Archive),
        1 => Just(Deed::Delete),
        1 => Just(Deed::LoseFolder),
        1 => Just(Deed::EditDescription),
    ];
    let act = prop_oneof![
        4 => (text(), text()).prop_map(|(name, body)| Act::Recipe(name, body)),
        2 => (text(), text()).prop_map(|(name, body)| Act::Script(name, body)),
        1 => Just(Act::BreakRegistry),
        1 => Just(Act::LoseRegistry),
        9 => (any::<usize>(), deed).prop_map(|(at, deed)| Act::Of(at, deed)),
    ];
    prop::collection::vec(act, 1..12)
}

/// A refusal of the request is fine; a failure of the folder is not.
fn settle<T>(result: Result<T, LibraryError>) {
    if let Err(error) = result {
        assert!(!error.is_about_storage(), "{error:?}");
    }
}

fn perform(shelf: &Shelf, act: Act) {
    let library = &shelf.library;
    match act {
        Act::Recipe(name, body) => settle(library.create_recipe(&recipe(&name, &format!("{body} {{input}}")))),
        Act::Script(name, body) => settle(library.register_script(&script(&name, &body))),
        Act::BreakRegistry => shelf.write("registry.json", "[{"),
        Act::LoseRegistry => settle_io(std::fs::remove_file(shelf.path("registry.json"))),
        Act::Of(at, deed) => {
            let tools = library.list(None).unwrap();
            if let Some(tool) = tools.get(at % tools.len().max(1)) {
                perform_on(shelf, &tool.slug, deed);
            }
        }
    }
}

fn perform_on(shelf: &Shelf, slug: &Slug, deed: Deed) {
    let library = &shelf.library;
    let folder = shelf.path("tools").join(slug.as_str());
    match deed {
        Deed::Template(body) => {
            let change = RecipeChange { template: Some(format!("{body}{{input}}")), ..RecipeChange::default() };
            settle(library.change_recipe(slug, &change));
        }
        Deed::Describe(body) => {
            let change = RecipeChange { description: Some(body), ..RecipeChange::default() };
            settle(library.change_recipe(slug, &change));
        }
        Deed::Approve => {
            // A script whose file is lost has nothing to approve.
            if let Ok(view) = library.read(slug) {
                settle(library.approve_script(slug, &view.content_id, "a person"));
            }
        }
        Deed::Disable => settle(library.disable(slug)),
        Deed::Archive => settle(library.archive(slug)),
        Deed::Delete => settle(library.delete(slug)),
        Deed::LoseFolder => {
            settle_io(std::fs::remove_dir_all(folder));
            library.heal().unwrap();
        }
        Deed::EditDescription => {
            settle_io(std::fs::write(folder.join("tool.yaml"), "edited"));
            library.heal().unwrap();
        }
    }
}

/// A file may be gone already; that is what the next step copes with.
fn settle_io(result: std::io::Result<()>) {
    if let Err(error) = result {
        assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
    }
}

#[test]
fn the_registry_the_folders_and_the_catalogue_always_agree_in_the_end() {
    let mut runner = TestRunner::new(Config { cases: 12, ..Config::default() });
    runner
        .run(&acts(), |acts| {
            let shelf = Shelf::new();
            for act in acts {
                perform(&shelf, act);
            }
            shelf.library.heal().unwrap();
            assert_eq!(shelf.library.check().unwrap(), []);
            let (again, notices) = shelf.reopen();
            assert_eq!(notices, []);
            let tools = again.list(None).unwrap();
            assert_eq!(tools, shelf.library.list(None).unwrap());
            let catalogue = shelf.text("CATALOG.md");
            for tool in &tools {
                assert!(catalogue.contains(&format!("(tools/{}/README.md)", tool.slug)));
                assert_eq!(again.get(&tool.slug).unwrap(), *tool);
            }
            // Nothing but the registry itself is needed to come back to the same tools.
            shelf.write("registry.json", "[");
            let (rebuilt, _) = shelf.reopen();
            assert_eq!(rebuilt.list(None).unwrap(), tools);
            Ok(())
        })
        .unwrap();
}
