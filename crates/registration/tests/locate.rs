//! The older product's files are found in a folder, in a home folder, or one by one.

#![allow(clippy::unwrap_used, reason = "a panic in a test is its report")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use lwa_registration::seed::{SeedError, SeedFiles, SeedKind, locate};

fn write(folder: &Path, path: &str) -> PathBuf {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, "[]").unwrap();
    path
}

fn located(kind: SeedKind, path: &Path) -> SeedFiles {
    locate(kind, path, &BTreeMap::new()).unwrap()
}

#[test]
fn a_folder_may_hold_the_files_under_their_older_names() {
    for (kind, keys, ledger) in
        [(SeedKind::LwaMcp, "lwa.env", "lwa.sqlite3"), (SeedKind::CastorPollux, "twins.env", "router.sqlite3")]
    {
        let temp = tempfile::tempdir().unwrap();
        let router = write(temp.path(), "router.yaml");
        let (keys, ledger) = (write(temp.path(), keys), write(temp.path(), ledger));
        let registry = write(temp.path(), "tool-library/registry.json");
        let library = registry.parent().map(Path::to_owned);
        assert_eq!(
            located(kind, temp.path()),
            SeedFiles { router: Some(router), keys: Some(keys), ledger: Some(ledger), library }
        );
    }
}

#[test]
fn a_home_folder_has_them_in_the_products_own_folders() {
    let temp = tempfile::tempdir().unwrap();
    let router = write(temp.path(), ".config/lwa-mcp/router.yaml");
    let keys = write(temp.path(), ".local/state/lwa-mcp/lwa.env");
    write(temp.path(), ".local/share/lwa-mcp/tool-library/registry.json");
    let files = located(SeedKind::LwaMcp, temp.path());
    assert_eq!((files.router, files.keys), (Some(router), Some(keys)));
    assert_eq!(files.library, Some(temp.path().join(".local/share/lwa-mcp/tool-library")));
}

#[test]
fn one_file_or_the_library_alone_will_do() {
    let temp = tempfile::tempdir().unwrap();
    let router = write(temp.path(), "mine.yaml");
    assert_eq!(located(SeedKind::LwaMcp, &router), SeedFiles { router: Some(router.clone()), ..SeedFiles::default() });
    let registry = write(temp.path(), "any-name/registry.json");
    assert_eq!(located(SeedKind::LwaMcp, registry.parent().unwrap()).library.as_deref(), registry.parent());
}

#[test]
fn the_products_variables_say_where_the_rest_is() {
    let (temp, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(temp.path(), "router.yaml");
    let keys = write(elsewhere.path(), "secret.env");
    let environment = BTreeMap::from([
        ("LWA_MCP_ENV_FILE".to_owned(), keys.display().to_string()),
        ("LWA_MCP_CONFIG".to_owned(), write(elsewhere.path(), "other.yaml").display().to_string()),
    ]);
    let files = locate(SeedKind::LwaMcp, temp.path(), &environment).unwrap();
    assert_eq!((files.router, files.keys), (Some(temp.path().join("router.yaml")), Some(keys)));
}

#[test]
fn nothing_to_take_over_is_said() {
    let temp = tempfile::tempdir().unwrap();
    let empty = BTreeMap::new();
    let at = |path: &Path| locate(SeedKind::LwaMcp, path, &empty).unwrap_err();
    assert!(matches!(at(&temp.path().join("none")), SeedError::Absent(_)));
    assert!(matches!(at(temp.path()), SeedError::NothingThere(_)));
    assert!(matches!(at(&write(temp.path(), "notes.txt")), SeedError::UnknownFile(_)));
}
