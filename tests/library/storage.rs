//! The library's folder: what is never in it, and what happens when it is damaged, shared or read-only.

use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Stdio};

use lwa_tests::{Era, Sidecar, TestHome, acme, planted, program};
use serde_json::json;

use crate::{TASK, create, file, run_workflow, tools};

#[test]
fn a_16_a_key_in_a_prompt_is_nowhere_afterwards() {
    let key = planted::secret("prompt");
    // The stored answer of a plan is the caller's own, so the model's answer here does not repeat the prompt.
    let provider = acme::fake("answer");
    let home = TestHome::with_config(&acme::config(&provider, "free", "")).set("ACME_KEY", "k-1");
    for _ in 0..3 {
        let ran = run_workflow(&home, "Rotate the keys", &format!("Please rotate {key} and keep port 8443."));
        assert_eq!(ran["status"], "completed");
    }
    let mut sidecar = Sidecar::start(&home, Era::Legacy, &["--toolsets", "library"]);
    for _ in 0..3 {
        let arguments = json!({
            "workflow_name": format!("Send {key}"), "description": format!("Sends {key}"), "task": TASK,
            "sample": format!("Send {key} to the server"), "project": key, "tags": [key],
        });
        sidecar.tool("observe_workflow", arguments);
    }
    let (stdout, stderr) = sidecar.finish();
    assert_eq!(tools(&home).len(), 2);
    let said = home.lwa(&["library", "status", "--json"]).stdout + &home.lwa(&["audit", "tail", "--json"]).stdout;
    planted::assert_clean("the command line", &said, &key);
    planted::assert_clean("the sidecar's stderr", &stderr, &key);
    planted::assert_clean("the sidecar's stdout", &stdout, &key);
    assert_eq!(home.lwa(&["stop"]).code, 0);
    assert!(home.lwa_home().join("state/host.sqlite3").is_file());
    assert_eq!(planted::files_with(&home.lwa_home(), &key), Vec::<std::path::PathBuf>::new());
}

#[test]
fn a_17_a_truncated_registry_loses_no_tool() {
    let home = TestHome::new();
    create(&home, "One");
    create(&home, "Two");
    assert_eq!(home.lwa(&["stop"]).code, 0);
    let registry = file(&home, "registry.json");
    let whole = std::fs::read_to_string(&registry).unwrap();
    std::fs::write(&registry, &whole[..whole.len() / 3]).unwrap();
    assert_eq!(tools(&home).len(), 2);
    create(&home, "Three");
    assert_eq!(tools(&home).len(), 3);
    let kept = std::fs::read_dir(file(&home, ""))
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with("registry.json.corrupt-"));
    assert_eq!(kept.count(), 1);
    let status = home.lwa(&["library", "status", "--json"]).json();
    assert!(status["library"]["notices"].to_string().contains("registry.json"), "{status}");
}

#[test]
fn a_18_programs_that_add_tools_at_once_lose_none() {
    let home = TestHome::new();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let home = &home;
            scope.spawn(move || create(home, &format!("Tool {number}")));
        }
    });
    assert_eq!(tools(&home).len(), 8);
    let catalogue = std::fs::read_to_string(file(&home, "CATALOG.md")).unwrap();
    for number in 0..8 {
        assert!(catalogue.contains(&format!("Tool {number}")), "{catalogue}");
    }
}

/// A host without the power to write where the permissions forbid it, which root has otherwise.
fn host_that_obeys_permissions(home: &TestHome) -> Child {
    let mut command = home.command(std::path::Path::new("setpriv"));
    command.args(["--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all"]);
    command.arg(program("lwa")).args(["host", "--idle-exit", "never"]);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut ready = String::new();
    let mut stdout = std::io::BufReader::new(child.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut stdout, &mut ready).unwrap();
    assert!(ready.contains("\"ready\":true"), "{ready}");
    child
}

#[test]
fn a_13_a_read_only_library_costs_a_warning_and_no_answer() {
    let home = TestHome::new();
    create(&home, "Present");
    assert_eq!(home.lwa(&["stop"]).code, 0);
    let folder = file(&home, "");
    let set_mode = |mode| std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(mode)).unwrap();
    let mut host = host_that_obeys_permissions(&home);
    assert_eq!(tools(&home).len(), 1);
    set_mode(0o500);
    let mut warnings = Vec::new();
    for _ in 0..3 {
        let ran = run_workflow(&home, "Release notes", "Please keep port 8443.");
        assert!(ran["text"].as_str().unwrap().contains("8443"), "{ran}");
        warnings.push(ran["warnings"].as_array().unwrap().len());
    }
    set_mode(0o700);
    // Two runs are counted in the database; the third would make a tool.
    assert_eq!(warnings, [0, 0, 1]);
    run_workflow(&home, "Release notes", "Please keep port 8443.");
    assert_eq!(tools(&home).len(), 2);
    assert_eq!(home.lwa(&["stop"]).code, 0);
    host.wait().unwrap();
}
