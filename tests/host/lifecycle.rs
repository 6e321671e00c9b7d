//! Starting, meeting, being killed, ending.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use lwa_tests::{Era, Sidecar, TestHome, program};
use serde_json::{Value, json};

fn kill(pid: &Value) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid.as_u64().unwrap()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

#[test]
fn a_bare_sidecar_a_full_one_and_the_command_line_meet_one_host() {
    let home = TestHome::new();
    let mut bare = home.command(&program("lwa-mcp"));
    bare.env_remove("PATH");
    let mut bare = Sidecar::of(bare, Era::Legacy);
    bare.tool("router_status", json!({}));
    let full = TestHome::new();
    let mut command = home.command(&program("lwa-mcp"));
    // What differs between clients: the runtime folder, the session bus, the working folder.
    command
        .env("XDG_RUNTIME_DIR", full.folder())
        .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
        .current_dir("/");
    let mut full = Sidecar::of(command, Era::Modern);
    full.tool("router_status", json!({}));
    let status = home.host().unwrap();
    let roles: Vec<&str> =
        status["connections"].as_array().unwrap().iter().map(|face| face["role"].as_str().unwrap()).collect();
    assert_eq!(roles.iter().filter(|role| **role == "sidecar").count(), 2, "{status}");
    assert_eq!(roles.iter().filter(|role| **role == "cli").count(), 1, "{status}");
}

#[test]
fn many_faces_that_start_at_once_get_one_host() {
    let home = TestHome::new();
    let pids: Vec<Value> = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..8).map(|_| scope.spawn(|| home.lwa(&["doctor", "--json"]))).collect();
        for run in runs {
            let ran = run.join().unwrap();
            assert_eq!(ran.code, 0, "{ran:?}");
        }
        vec![home.host().unwrap()["pid"].clone()]
    });
    let lock = std::fs::read_to_string(home.lwa_home().join("state/host.lock")).unwrap();
    let lock: Value = serde_json::from_str(&lock).unwrap();
    assert_eq!(lock["pid"], pids[0]);
}

#[test]
fn the_host_gets_nothing_of_the_client_but_what_it_needs() {
    let home =
        TestHome::with_config("[providers.acme]\nbase_url = \"http://127.0.0.1:9/v1\"\napi_key_env = \"ACME_KEY\"\n")
            .set("ACME_KEY", "wanted-0001")
            .set("CLIENT_SECRET_TOKEN", "unwanted-0001")
            .set("LD_LIBRARY_PATH", "/nonexistent");
    let mut sidecar = Sidecar::start(&home, Era::Legacy, &[]);
    sidecar.tool("router_status", json!({}));
    let pid = home.host().unwrap()["pid"].as_u64().unwrap();
    let Ok(environment) = std::fs::read(format!("/proc/{pid}/environ")) else {
        // The host's memory is private; only root may look.
        return;
    };
    let environment = String::from_utf8_lossy(&environment).into_owned();
    assert!(environment.contains("ACME_KEY=wanted-0001"));
    assert!(!environment.contains("unwanted-0001") && !environment.contains("LD_LIBRARY_PATH"));
    let cwd = std::fs::read_link(format!("/proc/{pid}/cwd")).unwrap();
    assert_eq!(cwd, home.lwa_home().join("state").canonicalize().unwrap());
    // Its own session: the end of the client's terminal or group does not reach it.
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let session: u64 = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(3).unwrap().parse().unwrap();
    assert_eq!(session, pid);
}

#[test]
fn a_killed_host_is_started_again_by_the_next_call_of_the_same_sidecar() {
    let home = TestHome::new();
    let mut sidecar = Sidecar::start(&home, Era::Legacy, &[]);
    let plan =
        sidecar.tool("prepare_task", json!({ "task": "conversation_compression", "prompt": "user: port 8443\n" }));
    let first = home.host().unwrap()["pid"].clone();
    kill(&first);
    let ran = sidecar.tool("run_prepared_task", json!({ "plan_token": plan["plan_token"] }));
    assert_eq!(ran["status"], "completed", "the plan survives its host: {ran}");
    assert_ne!(home.host().unwrap()["pid"], first);
    assert_eq!(home.lwa(&["audit", "verify", "--json"]).json()["ok"], true);
}

#[test]
fn the_host_says_when_it_is_ready_and_ends_when_nobody_is_there() {
    let home = TestHome::new();
    let mut command = home.command(&program("lwa"));
    let mut host =
        command.args(["host", "--idle-exit", "1s"]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(host.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let ready: Value = serde_json::from_str(&line).unwrap();
    assert_eq!((&ready["ready"], &ready["http"], &ready["pid"]), (&json!(true), &Value::Null, &json!(host.id())));
    assert!(Path::new(ready["socket"].as_str().unwrap()).exists());
    assert!(host.wait().unwrap().success());
    assert!(!Path::new(ready["socket"].as_str().unwrap()).exists());
}

#[test]
fn a_second_host_is_refused_and_names_the_first() {
    let home = TestHome::new();
    home.lwa(&["doctor"]);
    let pid = home.host().unwrap()["pid"].clone();
    let second = home.lwa(&["host", "--json"]);
    assert_eq!(second.code, 6);
    assert!(second.stderr.contains(&pid.to_string()), "{}", second.stderr);
}

#[test]
fn stopping_without_a_host_is_no_error() {
    let ran = TestHome::new().lwa(&["stop", "--json"]);
    assert_eq!((ran.code, &ran.json()["stopped"]), (0, &json!(false)));
}

#[test]
fn a_database_of_another_program_is_left_alone() {
    let home = TestHome::new();
    let path = home.lwa_home().join("state/host.sqlite3");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, "somebody else's file, which is no database at all and longer than a header").unwrap();
    let before = std::fs::read(&path).unwrap();
    let ran = home.lwa(&["host"]);
    assert_eq!(ran.code, 5);
    assert!(ran.stderr.contains("another program") && ran.stderr.contains("LWA_HOME"), "{}", ran.stderr);
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn the_programs_speak_for_themselves() {
    for name in ["lwa", "lwa-mcp"] {
        let output = Command::new(program(name)).arg("--version").output().unwrap();
        assert!(output.status.success());
        assert!(String::from_utf8(output.stdout).unwrap().contains(env!("CARGO_PKG_VERSION")));
    }
}

#[test]
fn what_limits_by_age_will_remove_is_told_by_the_status_the_check_and_the_setting() {
    let home = TestHome::with_config("[worker]\nsession_days = 30\n");
    let check = || home.lwa(&["config", "check", "--json"]).json()["expiring"].clone();
    // Nobody is started to tell.
    assert!(check().is_null() && home.host().is_none());
    let status = home.lwa(&["worker", "status"]);
    let words = "conversations kept 30 days, materials kept always; nothing goes within a day";
    assert!(status.stdout.contains(words), "{status:?}");
    home.write_config("[worker]\nsession_days = 7\n");
    assert_eq!((&check()["session_days"], &check()["sessions"]), (&json!(7), &json!(0)));
    let set = home.lwa(&["config", "set", "worker.artifact_days", "1"]);
    assert!(set.code == 0 && set.stderr.contains("materials kept 1 day; nothing goes within a day"), "{set:?}");
    let doctor = home.lwa(&["doctor", "--json"]).json();
    let checks = doctor["checks"].as_array().unwrap();
    assert!(checks.iter().any(|check| check["id"] == "worker_limits" && check["status"] == "ok"), "{doctor}");
}
