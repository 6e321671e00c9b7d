//! The workspace keeps to the layer table, and the check notices when it does not.

use lwa_xtask::layers::{Dependency, Member, check, members, violations};
use lwa_xtask::root::project_root;

fn member(package: &str, dependencies: &[(&str, bool, bool)]) -> Member {
    let dependencies = dependencies
        .iter()
        .map(|&(package, is_ours, is_for_tests)| Dependency { package: package.to_owned(), is_for_tests, is_ours })
        .collect();
    Member { package: package.to_owned(), dependencies }
}

#[test]
fn the_workspace_keeps_to_the_layers() {
    check(&project_root()).unwrap();
}

#[test]
fn the_workspace_is_really_read() {
    let members = members(&project_root()).unwrap();
    let own = members.iter().find(|member| member.package == "xtask").unwrap();
    assert!(own.dependencies.iter().any(|dependency| dependency.package == "lwa-protocol" && dependency.is_ours));
    assert!(own.dependencies.iter().any(|dependency| dependency.package == "anyhow" && !dependency.is_ours));
}

#[test]
fn a_face_that_reaches_past_the_protocol_is_refused() {
    let found = violations(&[member("lwa-mcp-face", &[("lwa-engine", true, false)])]);
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("`lwa-mcp-face` may not depend on `lwa-engine`"), "{found:?}");
}

#[test]
fn a_companion_of_a_forbidden_crate_is_refused_too() {
    let found = violations(&[member("lwa-desktop", &[("keyring-core", false, false), ("tauri", false, false)])]);
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("keyring-core"), "{found:?}");
}

#[test]
fn a_crate_with_a_similar_name_is_not_a_companion() {
    assert_eq!(violations(&[member("lwa-domain", &[("tokioish", false, false)])]), Vec::<String>::new());
}

#[test]
fn tests_may_use_the_testkit_and_nothing_deeper() {
    assert_eq!(violations(&[member("lwa-routing", &[("lwa-testkit", true, true)])]), Vec::<String>::new());
    assert_eq!(violations(&[member("lwa-routing", &[("lwa-testkit", true, false)])]).len(), 1);
    assert_eq!(violations(&[member("lwa-routing", &[("lwa-store", true, true)])]).len(), 1);
}

#[test]
fn a_crate_that_is_not_in_the_table_is_an_error() {
    let found = violations(&[member("lwa-novelty", &[])]);
    assert!(found[0].contains("add it to the table"), "{found:?}");
}
