//! The scripts' shared functions, on a system that is made up for each test.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output};

use anyhow::{Context, Result};
use lwa_xtask::root::project_root;

/// A folder that is the whole `PATH`: the few tools of a bare system, and whatever a test adds.
struct System {
    folder: tempfile::TempDir,
}

impl System {
    fn new() -> Result<Self> {
        let system = Self { folder: tempfile::tempdir()? };
        for tool in ["bash", "sh", "cut", "sort", "tr", "id", "env", "cat", "grep"] {
            let found = ["/usr/bin", "/bin"].iter().map(|folder| Path::new(folder).join(tool)).find(|p| p.exists());
            symlink(found.with_context(|| format!("no `{tool}` here"))?, system.folder.path().join(tool))?;
        }
        Ok(system)
    }

    fn with(self, program: &str, script: &str) -> Result<Self> {
        let path = self.folder.path().join(program);
        fs::write(&path, format!("#!/bin/sh\n{script}\n"))?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        Ok(self)
    }

    /// Runs `line` after the functions were read; answers its output, errors included.
    fn run(&self, line: &str) -> Result<(bool, String)> {
        let script = format!("set -euo pipefail; . scripts/lib.sh; {line}");
        let Output { status, stdout, stderr } = Command::new(self.folder.path().join("bash"))
            .args(["-c", &script])
            .current_dir(project_root())
            .env_clear()
            .env("PATH", self.folder.path())
            .env("HOME", self.folder.path())
            .output()?;
        let text = [stdout, stderr].concat();
        Ok((status.success(), String::from_utf8_lossy(&text).into_owned()))
    }
}

const ROOT_ID: &str = "echo 0";

#[test]
fn an_old_rust_is_refused_with_the_version_that_is_needed() {
    let old = System::new().unwrap().with("rustc", "echo rustc 1.85.1 x").unwrap().with("cargo", "").unwrap();
    let (is_fine, text) = old.run("require_rust").unwrap();
    assert!(!is_fine && text.contains("Rust 1.94 or newer is needed; found: 1.85.1"), "{text}");
    assert!(text.contains("rustup.rs"), "{text}");
}

#[test]
fn a_new_rust_is_accepted_whatever_the_digits() {
    for version in ["1.94.0", "1.100.2", "2.0.0"] {
        let system = System::new().unwrap().with("rustc", &format!("echo rustc {version} x")).unwrap();
        let (is_fine, text) = system.with("cargo", "").unwrap().run("require_rust").unwrap();
        assert!(is_fine, "{version}: {text}");
    }
}

#[test]
fn a_missing_node_is_named_with_the_way_to_get_it() {
    let (is_fine, text) = System::new().unwrap().run("require_node").unwrap();
    assert!(
        !is_fine && text.contains("20.19") && text.contains("found: none") && text.contains("nodejs.org"),
        "{text}"
    );
}

#[test]
fn what_will_be_installed_is_said_before_apt_is_called() {
    let system = System::new().unwrap().with("cc", "").unwrap().with("apt-get", "echo \"apt-get $*\" >&2").unwrap();
    fs::remove_file(system.folder.path().join("id")).unwrap();
    let system = system.with("id", ROOT_ID).unwrap();
    let (is_fine, text) = system.run("install_packages 'the build' build-essential pkg-config").unwrap();
    assert!(is_fine, "{text}");
    assert!(text.starts_with("For the build, apt-get will install: pkg-config\n"), "{text}");
    assert!(text.contains("apt-get install -y -qq --no-install-recommends pkg-config"), "{text}");
}

#[test]
fn nothing_is_installed_when_everything_is_there() {
    let system = System::new().unwrap().with("cc", "").unwrap().with("pkg-config", "").unwrap();
    let (is_fine, text) = system.run("install_packages 'the build' build-essential pkg-config").unwrap();
    assert!(is_fine && text.is_empty(), "{text}");
}

#[test]
fn a_system_without_apt_gets_the_list_to_install_by_hand() {
    let (is_fine, text) = System::new().unwrap().run("install_packages 'the build' build-essential").unwrap();
    assert!(!is_fine && text.contains("by hand") && text.contains("build-essential"), "{text}");
}

#[test]
fn a_failing_apt_ends_the_script() {
    let system = System::new().unwrap().with("apt-get", "exit 100").unwrap();
    fs::remove_file(system.folder.path().join("id")).unwrap();
    let system = system.with("id", ROOT_ID).unwrap();
    let (is_fine, text) = system.run("install_packages 'the build' pkg-config; echo went on").unwrap();
    assert!(!is_fine && !text.contains("went on"), "{text}");
}

#[test]
fn a_failing_step_ends_the_script_and_is_named() {
    let (is_fine, text) = System::new().unwrap().run("step 'Build' false; echo went on").unwrap();
    assert!(!is_fine && text.contains("Build failed after") && !text.contains("went on"), "{text}");
}
