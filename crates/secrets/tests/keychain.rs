//! A real keychain: a private session bus with its own gnome-keyring, which end with the test.
//!
//! The tests at the end are the work itself. They are ignored in a normal run, because they write to
//! whatever keychain they find; the others start them again inside a private session.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the report")]
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use lwa_secrets::{KeychainStore, Secret, SecretError, SecretStore};

/// Set inside the private session.
const MARKER: &str = "LWA_TEST_PRIVATE_SESSION";

/// A bus that knows no program to start on demand; the machine's own bus would start its keychain.
const BUS_WITHOUT_SERVICES: &str = r#"<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=RUNTIME</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"#;

/// Which keychain the session has.
#[derive(Clone, Copy)]
enum Keychain {
    /// One that is open.
    Unlocked,
    /// One that starts on demand and stays locked.
    Locked,
    /// A bus on which nothing answers for keychains.
    Missing,
    /// Not even a bus.
    NoBus,
}

/// Runs one of the ignored tests in a session of its own, or says that this machine cannot.
#[expect(clippy::print_stdout, reason = "a skipped test says so")]
fn run_inside(keychain: Keychain, test: &str) {
    for program in ["dbus-run-session", "gnome-keyring-daemon", "timeout"] {
        let found = std::env::var_os("PATH")
            .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()));
        if !found {
            println!("skipped: there is no `{program}` on this machine");
            return;
        }
    }
    let temp = tempfile::tempdir().unwrap();
    let private = |name: &str| {
        let folder = temp.path().join(name);
        fs::DirBuilder::new().mode(0o700).create(&folder).unwrap();
        folder
    };
    let (home, runtime) = (private("home"), private("run"));
    // `timeout` ends the whole session, should anything in it hang.
    let mut command = Command::new("timeout");
    command.args(["-k", "5", "60"]);
    match keychain {
        Keychain::Unlocked => command.args([
            "dbus-run-session",
            "--",
            "sh",
            "-c",
            "printf pass | gnome-keyring-daemon --unlock --components=secrets >&2; exec \"$@\"",
            "sh",
        ]),
        Keychain::Locked => command.args(["dbus-run-session", "--"]),
        Keychain::Missing => {
            let bus = temp.path().join("bus.conf");
            fs::write(&bus, BUS_WITHOUT_SERVICES.replace("RUNTIME", runtime.to_str().unwrap())).unwrap();
            command.args(["dbus-run-session", "--config-file"]).arg(bus).arg("--")
        }
        Keychain::NoBus => &mut command,
    };
    command.arg(std::env::current_exe().unwrap()).args(["--ignored", "--exact", "--nocapture", test]);
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env(MARKER, "1");
    command.env("HOME", &home).env("XDG_RUNTIME_DIR", &runtime);
    let Output { status, stdout, stderr } = command.output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success() && stdout.contains("1 passed"), "{status}\n{stdout}\n{stderr}");
    assert_all_ended(temp.path());
}

/// Waits until no process has the session's folder in its environment.
fn assert_all_ended(folder: &Path) {
    let folder = folder.to_str().unwrap();
    let is_ours = |entry: &fs::DirEntry| {
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        String::from_utf8_lossy(&environment).contains(folder)
    };
    let deadline = Instant::now() + Duration::from_secs(10);
    while fs::read_dir("/proc").unwrap().flatten().any(|entry| is_ours(&entry)) {
        assert!(Instant::now() < deadline, "a process of the private session is still there");
        std::thread::yield_now();
    }
}

#[test]
fn an_open_keychain_keeps_gives_back_and_forgets() {
    run_inside(Keychain::Unlocked, "inside_an_open_keychain");
}

#[test]
fn a_locked_keychain_is_reported_with_the_way_out() {
    run_inside(Keychain::Locked, "inside_a_locked_keychain");
}

#[test]
fn a_bus_without_a_keychain_is_reported_with_the_way_out() {
    run_inside(Keychain::Missing, "inside_a_session_without_keychain");
}

#[test]
fn no_bus_is_reported_with_the_way_out() {
    run_inside(Keychain::NoBus, "inside_a_session_without_keychain");
}

fn assert_private_session() {
    assert!(std::env::var_os(MARKER).is_some(), "runs only in the private session that another test starts");
}

#[test]
#[ignore = "started by another test in a private session"]
fn inside_an_open_keychain() {
    assert_private_session();
    let store = KeychainStore::new(None);
    store.probe().unwrap();
    assert!(store.get("A_KEY").unwrap().is_none());
    store.set("A_KEY", &Secret::new("fake \"one\" ${HOME}\nключ".into())).unwrap();
    assert_eq!(store.get("A_KEY").unwrap().unwrap().expose(), "fake \"one\" ${HOME}\nключ");
    store.set("A_KEY", &Secret::new("fake two".into())).unwrap();
    assert_eq!(KeychainStore::new(None).get("A_KEY").unwrap().unwrap().expose(), "fake two");
    // A folder of one's own has items of its own.
    let tagged = KeychainStore::new(Some("0123456789abcdef".into()));
    assert!(tagged.get("A_KEY").unwrap().is_none());
    tagged.set("A_KEY", &Secret::new("fake tagged".into())).unwrap();
    assert!(store.remove("A_KEY").unwrap());
    assert!(!store.remove("A_KEY").unwrap());
    assert!(store.get("A_KEY").unwrap().is_none());
    assert_eq!(tagged.get("A_KEY").unwrap().unwrap().expose(), "fake tagged");
    assert!(tagged.remove("A_KEY").unwrap());
}

#[test]
#[ignore = "started by another test in a private session"]
fn inside_a_locked_keychain() {
    assert_private_session();
    let store = KeychainStore::new(None);
    // Opening and reading succeed, which is why the probe writes.
    assert!(store.get("A_KEY").unwrap().is_none());
    let error = store.probe().unwrap_err();
    assert!(matches!(error, SecretError::Locked { .. }), "{error:?}");
    assert!(error.to_string().contains("unlock it") && error.to_string().contains("backend = \"file\""), "{error}");
}

#[test]
#[ignore = "started by another test in a private session"]
fn inside_a_session_without_keychain() {
    assert_private_session();
    let started = Instant::now();
    let error = KeychainStore::new(None).probe().unwrap_err();
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    assert!(matches!(error, SecretError::NoKeychain { .. }), "{error:?}");
    assert!(error.to_string().contains("install one") && error.to_string().contains("backend = \"file\""), "{error}");
}
