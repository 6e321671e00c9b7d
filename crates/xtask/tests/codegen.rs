//! The generated TypeScript is what the wire types say now.

use std::fs;

use lwa_xtask::codegen::{GENERATED, check, protocol_ts, write};
use lwa_xtask::root::project_root;

#[test]
fn the_generated_file_is_up_to_date() {
    check(&project_root()).unwrap();
}

#[test]
fn every_method_is_in_the_interface_and_every_type_is_declared() {
    let text = protocol_ts().unwrap();
    for row in lwa_protocol::method::table() {
        assert!(text.contains(&format!("  \"{}\": {{ params: {};", row.name, row.params)), "{}", row.name);
        assert!(text.contains(&format!("export type {} =", row.response)), "{}", row.response);
    }
    assert!(text.contains("export type Event ="));
}

#[test]
fn drift_is_noticed_and_writing_mends_it() {
    let folder = tempfile::tempdir().unwrap();
    assert!(check(folder.path()).is_err(), "a missing file is drift");
    let path = write(folder.path()).unwrap();
    check(folder.path()).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("plan_id", "planId")).unwrap();
    let error = check(folder.path()).unwrap_err().to_string();
    assert!(error.contains(GENERATED) && error.contains("cargo xtask codegen"), "{error}");
}
