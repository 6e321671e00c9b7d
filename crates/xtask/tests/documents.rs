//! The documents say what the code says.

use std::collections::BTreeSet;
use std::fs;

use lwa_domain::ErrorCode;
use lwa_xtask::layers::members;
use lwa_xtask::root::project_root;

#[test]
fn every_error_code_has_a_page_and_every_page_a_code() {
    let codes: BTreeSet<String> = ErrorCode::LABELS.iter().map(|code| format!("{code}.md")).collect();
    let pages: BTreeSet<String> = fs::read_dir(project_root().join("docs/errors"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(codes, pages);
}

#[test]
fn every_error_page_names_the_exit_code_that_the_command_line_uses() {
    for code in ErrorCode::ALL {
        let page = fs::read_to_string(project_root().join(format!("docs/errors/{code}.md"))).unwrap();
        let sentence = format!("The command line ends with exit code {}.", code.exit_code());
        assert!(page.starts_with(&format!("# `{code}`\n")) && page.contains(&sentence), "{code}");
    }
}

#[test]
fn the_page_of_exit_codes_has_every_error_code_in_the_row_of_its_exit_code() {
    let page = fs::read_to_string(project_root().join("docs/reference/exit-codes.md")).unwrap();
    for code in ErrorCode::ALL {
        let row = page.lines().find(|line| line.starts_with(&format!("| {} |", code.exit_code()))).unwrap();
        assert!(row.contains(&format!("`{code}`")), "{code} is not in `{row}`");
        let rows = page.lines().filter(|line| line.starts_with('|') && line.contains(&format!("`{code}`"))).count();
        // An unknown tool has an exit code of its own.
        assert_eq!(rows, if *code == ErrorCode::NotFound { 2 } else { 1 }, "{code}");
    }
}

#[test]
fn the_entry_documents_stay_short() {
    for (path, limit) in [("README.md", 200), ("docs/ARCHITECTURE.md", 300)] {
        let lines = fs::read_to_string(project_root().join(path)).unwrap().lines().count();
        assert!(lines < limit, "{path} has {lines} lines");
    }
}

#[test]
fn the_readme_names_the_two_commands_and_continuous_integration_runs_the_second() {
    let read = |path: &str| fs::read_to_string(project_root().join(path)).unwrap();
    let readme = read("README.md");
    assert!(readme.contains("scripts/run.sh") && readme.contains("scripts/test.sh"));
    assert!(read(".ci/run").contains("scripts/test.sh"));
}

#[test]
fn every_outside_package_that_we_ship_is_named_with_its_licence() {
    let text = fs::read_to_string(project_root().join("THIRD_PARTY.md")).unwrap();
    let missing: BTreeSet<String> = members(&project_root())
        .unwrap()
        .into_iter()
        .flat_map(|member| member.dependencies)
        .filter(|dependency| !dependency.is_ours && !dependency.is_for_tests)
        .map(|dependency| dependency.package)
        .filter(|package| !text.contains(&format!("`{package}`")))
        .collect();
    assert!(missing.is_empty(), "add to THIRD_PARTY.md: {missing:?}");
}
