//! Taking over an older product's files, and maintenance that runs with nobody there.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use lwa_tests::{Era, Sidecar, TestHome, acme, planted};
use serde_json::{Value, json};

const ROUTER: &str = r"
consent_mode: never
allow_paid: true
confirmation_ttl_seconds: 120
made_up: 8766
routing: {mode: codex_first}
providers:
  mine:
    name: mine
    adapter: openai
    base_url: https://mine.example/v1
    api_key_env: MINE_KEY
    billing_class: paid
  groq: {daily_request_cap: 10}
models:
  - {provider: mine, model: m1, context_length: 64000}
";

/// An older product's folder beside a home; its name of each file, and its keys.
struct Seed {
    folder: PathBuf,
    groq: String,
    mine: String,
}

impl Seed {
    fn new(home: &TestHome, keys_name: &str) -> Self {
        let folder = home.folder().join("old");
        let seed = Self { groq: planted::secret("groq"), mine: planted::secret("mine"), folder };
        fs::create_dir_all(seed.folder.join("tool-library/tools/sum")).unwrap();
        let keys = format!("GROQ_API_KEY='{}'\nMINE_KEY='{}'\nLWA_PREFLIGHT_SECRET='x'\n", seed.groq, seed.mine);
        for (name, text) in [
            ("router.yaml", ROUTER),
            (keys_name, keys.as_str()),
            ("lwa.sqlite3", "rows"),
            ("tool-library/registry.json", r#"[{"slug": "sum", "kind": "prompt_recipe", "status": "active"}]"#),
            ("tool-library/tools/sum/tool.yaml", "slug: sum\n"),
        ] {
            fs::write(seed.folder.join(name), text).unwrap();
        }
        seed
    }

    fn path(&self) -> &str {
        self.folder.to_str().unwrap()
    }

    fn assert_clean(&self, text: &str) {
        planted::assert_clean("the command line", text, &self.groq);
        planted::assert_clean("the command line", text, &self.mine);
    }
}

/// Every file below a folder with its content and the time of its last change.
pub fn files(folder: &Path) -> BTreeMap<PathBuf, (Vec<u8>, i64)> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.insert(path.clone(), (fs::read(&path).unwrap(), fs::metadata(&path).unwrap().mtime_nsec()));
        }
    }
    found
}

/// The file in a folder whose name has this in it.
pub fn named(folder: &Path, part: &str) -> PathBuf {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> = names.filter(|path| path.to_string_lossy().contains(part)).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o777
}

/// A value in force.
pub fn in_force(home: &TestHome, key: &str) -> Value {
    let shown = home.lwa(&["config", "show", "--effective", "--json"]).json();
    let values = shown["values"].as_array().unwrap();
    values.iter().find(|value| value["key"] == key).map_or(Value::Null, |value| value["value"].clone())
}

pub fn column<'a>(items: &'a Value, field: &str) -> Vec<&'a str> {
    items.as_array().unwrap().iter().map(|item| item[field].as_str().unwrap()).collect()
}

const FILE_BACKEND: &str = "# mine\n[secrets]\nbackend = \"file\"\n";

#[test]
fn lwa_121_the_older_files_are_taken_over_privately_and_stay_as_they_are() {
    let home = TestHome::with_config(FILE_BACKEND);
    let seed = Seed::new(&home, "lwa.env");
    let before = files(&seed.folder);
    let ran = home.lwa(&["import", "lwa-mcp", seed.path(), "--yes", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let report = ran.json();
    assert_eq!(files(&seed.folder), before);
    let text = fs::read_to_string(home.lwa_home().join("config/config.toml")).unwrap();
    assert!(text.starts_with(FILE_BACKEND) && text.contains("confirmation_ttl_seconds = 120"), "{text}");
    assert_eq!(in_force(&home, "router.confirmation_ttl_seconds"), 120);
    assert_eq!(in_force(&home, "providers.groq.daily_request_cap"), 10);
    let not_carried = column(&report["config"]["not_carried"], "key");
    assert_eq!(not_carried, ["made_up", "routing"]);
    assert_eq!(column(&report["keys_left"], "variable"), ["LWA_PREFLIGHT_SECRET"]);
    assert_eq!((&report["ledger"]["carried"], &report["ledger"]["bytes"]), (&json!(false), &json!(4)));
    let library = home.lwa_home().join("data/tool-library");
    assert_eq!(fs::read_to_string(library.join("tools/sum/tool.yaml")).unwrap(), "slug: sum\n");
    for (path, expected) in
        [("", 0o700), ("tools/sum", 0o700), ("registry.json", 0o600), ("tools/sum/tool.yaml", 0o600)]
    {
        assert_eq!(mode(&library.join(path)), expected, "{path}");
    }
    let secrets = home.lwa_home().join("state/secrets.env");
    assert_eq!((mode(&secrets), mode(secrets.parent().unwrap())), (0o600, 0o700));
    assert_eq!(planted::files_with(&home.lwa_home(), &seed.groq), [secrets]);
    seed.assert_clean(&format!("{}{}", ran.stdout, ran.stderr));
    // Once more: everything is here, and nothing is written.
    let ours = fs::read(home.lwa_home().join("config/config.toml")).unwrap();
    let again = home.lwa(&["import", "lwa-mcp", seed.path(), "--yes", "--json"]).json();
    assert_eq!((&again["config"]["changes"], column(&again["library"]["tools"], "state")), (&json!([]), vec!["same"]));
    assert_eq!(fs::read(home.lwa_home().join("config/config.toml")).unwrap(), ours);
}

#[test]
fn what_loosens_waits_for_a_person_even_when_the_home_is_new() {
    let home = TestHome::new();
    let seed = Seed::new(&home, "lwa.env");
    let ran = home.lwa(&["import", "lwa-mcp", seed.path(), "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(column(&ran.json()["waiting"], "key"), ["router.consent_mode", "router.allow_paid", "providers.mine"]);
    assert_eq!(
        (in_force(&home, "router.consent_mode"), in_force(&home, "router.allow_paid")),
        (json!("paid_only"), json!(false))
    );
    assert_eq!(home.open_approvals().len(), 1);
    let readable = home.lwa(&["import", "lwa-mcp", seed.path()]);
    assert!(readable.stdout.contains("lwa config accept"), "{readable:?}");
    assert_eq!(home.lwa(&["config", "accept"]).code, 0);
    assert_eq!(
        (in_force(&home, "router.consent_mode"), in_force(&home, "router.allow_paid")),
        (json!("automatic"), json!(true))
    );
    assert_eq!(in_force(&home, "models.mine:m1.context_length"), 64000);
}

#[test]
fn keys_are_stored_only_when_a_person_agreed_and_their_provider_is_in_force() {
    let home = TestHome::with_config(FILE_BACKEND);
    let seed = Seed::new(&home, "lwa.env");
    let mut said = String::new();
    let mut states = |extra: &[&str]| {
        let ran = home.lwa(&[&["import", "lwa-mcp", seed.path(), "--json"], extra].concat());
        said.push_str(&ran.stdout);
        said.push_str(&ran.stderr);
        assert_eq!(ran.code, 0, "{ran:?}");
        let keys = ran.json()["keys"].clone();
        assert_eq!(column(&keys, "provider"), ["groq", "mine"]);
        column(&keys, "state").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(states(&["--dry-run"]), ["planned", "planned"]);
    assert_eq!(states(&[]), ["left_out", "left_out"]);
    assert!(!home.lwa_home().join("state/secrets.env").exists());
    assert_eq!(states(&["--yes"]), ["stored", "left_out"]);
    assert_eq!(home.lwa(&["config", "accept"]).code, 0);
    assert_eq!(states(&["--yes"]), ["kept", "stored"]);
    seed.assert_clean(&said);
}

#[test]
fn a_process_of_a_client_stores_no_keys_and_loosens_nothing() {
    let home = TestHome::with_config(FILE_BACKEND);
    let seed = Seed::new(&home, "lwa.env");
    // Whoever starts a sidecar is its client, and so is everything that they start.
    let mut sidecar = Sidecar::start(&home, Era::Legacy, &[]);
    sidecar.tool("router_status", json!({}));
    let ran = home.lwa(&["import", "lwa-mcp", seed.path(), "--yes", "--json"]);
    assert_eq!((ran.code, column(&ran.json()["keys"], "state")), (4, vec!["left_out", "left_out"]), "{ran:?}");
    assert_eq!(in_force(&home, "router.allow_paid"), false);
    drop(sidecar.finish());
    assert!(!home.lwa_home().join("state/secrets.env").exists());
}

#[test]
fn a_dry_run_shows_everything_and_writes_nothing() {
    let home = TestHome::with_config(FILE_BACKEND);
    let seed = Seed::new(&home, "lwa.env");
    let before = files(home.folder());
    let ran = home.lwa(&["import", "lwa-mcp", seed.path(), "--dry-run", "--json"]);
    let report = ran.json();
    assert_eq!((ran.code, &report["dry_run"]), (0, &json!(true)), "{ran:?}");
    assert_eq!(column(&report["waiting"], "key").len(), 3);
    assert_eq!(column(&report["library"]["tools"], "state"), ["copied"]);
    assert_eq!(files(home.folder()), before);
    assert!(home.host().is_none());
}

#[test]
fn lwa_122_what_is_replaced_is_in_a_backup_and_without_force_ours_stays() {
    let ours = format!("{FILE_BACKEND}[router]\nconfirmation_ttl_seconds = 60 # short\n");
    let home = TestHome::with_config(&ours);
    let seed = Seed::new(&home, "lwa.env");
    let library = home.lwa_home().join("data/tool-library");
    fs::create_dir_all(library.join("tools/sum")).unwrap();
    fs::write(library.join("tools/sum/tool.yaml"), "mine\n").unwrap();
    fs::write(library.join("registry.json"), r#"[{"slug": "sum", "kind": "prompt_recipe", "status": "draft"}]"#)
        .unwrap();
    assert_eq!(home.lwa_with_input(&["keys", "set", "groq"], b"own-groq-key-0001").code, 0);
    fs::remove_file(seed.folder.join("router.yaml")).unwrap();
    fs::write(seed.folder.join("router.yaml"), "confirmation_ttl_seconds: 120\n").unwrap();
    let kept = home.lwa(&["import", "lwa-mcp", seed.path(), "--yes", "--json"]).json();
    assert_eq!(column(&kept["config"]["kept"], "key"), ["router.confirmation_ttl_seconds"]);
    assert_eq!(
        (column(&kept["library"]["tools"], "state"), column(&kept["keys"], "state")),
        (vec!["kept"], vec!["kept"])
    );
    assert_eq!(fs::read_to_string(home.lwa_home().join("config/config.toml")).unwrap(), ours);
    let forced = home.lwa(&["import", "lwa-mcp", seed.path(), "--yes", "--force", "--json"]).json();
    let config = home.lwa_home().join("config");
    let backup = named(&config, ".pre-import-");
    assert_eq!((forced["config"]["backup"].as_str(), mode(&backup)), (backup.to_str(), 0o600));
    let stamp = backup.to_str().unwrap().rsplit_once(".pre-import-").unwrap().1.to_owned();
    assert!(stamp.len() == 15 && stamp.as_bytes()[8] == b'-', "{stamp}");
    assert_eq!(fs::read_to_string(&backup).unwrap(), ours);
    assert!(fs::read_to_string(config.join("config.toml")).unwrap().contains("confirmation_ttl_seconds = 120 # short"));
    let old = library.join(format!(".pre-import-{stamp}"));
    assert_eq!(fs::read_to_string(old.join("tools/sum/tool.yaml")).unwrap(), "mine\n");
    assert!(fs::read_to_string(old.join("registry.json")).unwrap().contains("draft"));
    assert_eq!(fs::read_to_string(library.join("tools/sum/tool.yaml")).unwrap(), "slug: sum\n");
    assert_eq!(column(&forced["keys"], "state"), ["stored"]);
}

#[test]
fn lwa_087_an_import_by_force_leaves_other_stored_keys_alone() {
    let home = TestHome::with_config(FILE_BACKEND);
    let seed = Seed::new(&home, "lwa.env");
    assert_eq!(home.lwa_with_input(&["keys", "set", "mistral"], b"own-mistral-key-1").code, 0);
    assert_eq!(home.lwa(&["import", "lwa-mcp", seed.path(), "--yes", "--force"]).code, 0);
    let secrets = fs::read_to_string(home.lwa_home().join("state/secrets.env")).unwrap();
    assert!(secrets.contains("own-mistral-key-1") && secrets.contains(&seed.groq));
}

#[test]
fn the_former_name_has_its_own_file_names() {
    let home = TestHome::with_config(FILE_BACKEND);
    let seed = Seed::new(&home, "twins.env");
    fs::write(seed.folder.join("router.yaml"), "consent_mode: Ask-Always\n").unwrap();
    let ran = home.lwa(&["import", "castor-pollux", seed.path(), "--yes", "--json"]);
    assert_eq!((ran.code, in_force(&home, "router.consent_mode")), (0, json!("always_ask")), "{ran:?}");
    assert_eq!(column(&ran.json()["keys"], "state"), ["stored"]);
    assert_eq!(home.lwa(&["import", "castor", seed.path()]).code, 2);
}

#[test]
fn files_that_cannot_be_used_are_refused_and_nothing_changes() {
    let home = TestHome::with_config(FILE_BACKEND);
    let seed = Seed::new(&home, "lwa.env");
    fs::write(seed.folder.join("router.yaml"), "a: 1\nb: [secret-words\n").unwrap();
    let before = files(&home.lwa_home());
    let broken = home.lwa(&["import", "lwa-mcp", seed.path(), "--yes", "--json"]);
    assert_eq!((broken.code, &broken.json()["error"]["code"]), (2, &json!("invalid_input")), "{broken:?}");
    assert!(broken.stderr.contains("router.yaml") && !broken.stderr.contains("secret-words"), "{broken:?}");
    let nothing = home.lwa(&["import", "lwa-mcp", home.folder().join("user").to_str().unwrap(), "--json"]);
    assert_eq!(nothing.code, 2, "{nothing:?}");
    assert_eq!(files(&home.lwa_home()), before);
    home.write_config("[router]\nalow_paid = true\n");
    fs::write(seed.folder.join("router.yaml"), ROUTER).unwrap();
    let ours = home.lwa(&["import", "lwa-mcp", seed.path(), "--yes", "--json"]);
    assert_eq!((ours.code, &ours.json()["error"]["code"]), (2, &json!("config_invalid")), "{ours:?}");
}

#[test]
fn on_a_terminal_nothing_is_written_without_a_yes() {
    let home = TestHome::with_config(FILE_BACKEND);
    let seed = Seed::new(&home, "lwa.env");
    let refused = home.lwa_on_terminal(&["import", "lwa-mcp", seed.path()], "n\n");
    assert_eq!(refused.code, 4, "{refused:?}");
    assert_eq!(fs::read_to_string(home.lwa_home().join("config/config.toml")).unwrap(), FILE_BACKEND);
    let agreed = home.lwa_on_terminal(&["import", "lwa-mcp", seed.path()], "yes\n");
    assert_eq!(agreed.code, 0, "{agreed:?}");
    assert!(home.lwa_home().join("state/secrets.env").exists());
    seed.assert_clean(&format!("{}{}", refused.stdout, agreed.stdout));
}

#[test]
fn the_summary_counts_todays_calls_and_asks_nobody() {
    let (provider, home) = acme::paid_home();
    let empty = home.lwa(&["maintenance", "telemetry", "--json"]).json();
    assert_eq!((&empty["completion_requests"], &empty["telemetry"]["today"]["calls"]), (&json!(0), &json!(0)));
    assert_eq!(provider.connections(), 0);
    let readable = home.lwa(&["maintenance", "telemetry"]);
    assert!(readable.stdout.starts_with("Today (UTC): 0 calls"), "{readable:?}");
}

#[test]
fn a_probe_needs_leave_and_asks_for_lists_alone() {
    let (provider, home) = acme::paid_home();
    let refused = home.lwa(&["maintenance", "probe", "--json"]);
    assert_eq!((refused.code, provider.connections()), (2, 0), "{refused:?}");
    assert!(refused.json()["error"]["hint"].as_str().unwrap().contains("probe --live"));
    let probed = home.lwa(&["maintenance", "probe", "--live", "--json"]);
    let report = probed.json();
    let acme = report["providers"].as_array().unwrap().iter().find(|one| one["provider"] == "acme").unwrap();
    assert_eq!(report["completion_requests"], 0);
    assert_eq!((provider.count("POST"), provider.count("GET")), (0, 1));
    // The exit code says what the providers said.
    assert_eq!(probed.code, if report["ok"] == true { 0 } else { 5 }, "{acme}");
}

#[test]
fn the_offline_check_fails_when_something_is_broken() {
    let (provider, home) = acme::paid_home();
    let fine = home.lwa(&["maintenance", "verify", "--json"]);
    assert_eq!(
        (fine.code, &fine.json()["ok"], &fine.json()["audit"]["ok"]),
        (0, &json!(true), &json!(true)),
        "{fine:?}"
    );
    home.write_config("[router]\nalow_paid = true\n");
    let broken = home.lwa(&["maintenance", "verify", "--json"]);
    assert_eq!((broken.code, &broken.json()["level"]), (5, &json!("fail")), "{broken:?}");
    assert_eq!(provider.connections(), 0);
}

#[test]
fn two_maintenance_commands_never_work_at_once() {
    let home = TestHome::new();
    assert_eq!(home.lwa(&["maintenance", "telemetry"]).code, 0);
    let path = home.lwa_home().join("state/maintenance.lock");
    assert_eq!(mode(&path), 0o600);
    let lock = File::open(&path).unwrap();
    lock.lock().unwrap();
    let busy = home.lwa(&["maintenance", "telemetry", "--json"]);
    assert_eq!((busy.code, &busy.json()["error"]["code"]), (2, &json!("invalid_input")), "{busy:?}");
    lock.unlock().unwrap();
    assert_eq!(home.lwa(&["maintenance", "telemetry"]).code, 0);
}

#[test]
fn maintenance_that_may_start_no_host_ends_without_one() {
    let home = TestHome::new();
    let ran = home.lwa(&["maintenance", "telemetry", "--no-start", "--json"]);
    assert_eq!((ran.code, &ran.json()["error"]["code"]), (6, &json!("host_unreachable")), "{ran:?}");
    assert!(home.host().is_none());
}

/// A `systemctl` that writes down what it is asked.
fn recording_systemctl(home: TestHome) -> (TestHome, PathBuf) {
    let folder = home.folder().join("bin");
    fs::create_dir(&folder).unwrap();
    let record = home.folder().join("asked");
    let program = folder.join("systemctl");
    fs::write(&program, format!("#!/bin/sh\necho \"$@\" >> '{}'\n", record.display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    (home.set("PATH", &path), record)
}

#[test]
fn timers_are_written_under_a_folder_of_ones_own_and_systemd_is_not_told() {
    let (home, record) = recording_systemctl(TestHome::new());
    let ran = home.lwa(&["timers", "install", "--live-probes", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let folder = home.lwa_home().join("config/systemd/user");
    let text = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let program = lwa_tests::program("lwa").canonicalize().unwrap();
    let probe = text("lwa-probe.service");
    for line in [
        format!("ExecStart=\"{}\" maintenance probe --live --no-start", program.display()),
        format!("Environment=\"LWA_HOME={}\"", home.lwa_home().display()),
        format!("ReadWritePaths=\"{}\"", home.lwa_home().join("state").display()),
        "NoNewPrivileges=yes".to_owned(),
        "ProtectSystem=strict".to_owned(),
        "ProtectHome=read-only".to_owned(),
    ] {
        assert!(probe.lines().any(|one| one == line), "{line}: {probe}");
    }
    assert!(text("lwa-probe.timer").contains("OnCalendar=*:0/30\n"));
    assert!(text("lwa-telemetry.timer").contains("RandomizedDelaySec=300\n"));
    // Without leave for probes, their units go away again.
    let fewer = home.lwa(&["timers", "install", "--json"]).json();
    assert_eq!(fewer["removed"], json!(["lwa-probe.service", "lwa-probe.timer"]));
    assert!(!folder.join("lwa-probe.timer").exists() && folder.join("lwa-telemetry.timer").exists());
    fs::write(folder.join("mine.service"), "").unwrap();
    assert_eq!(home.lwa(&["timers", "remove", "--json"]).json()["removed"].as_array().unwrap().len(), 3);
    let left: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["mine.service"]);
    assert!(!record.exists());
}

#[test]
fn a_unit_that_somebody_else_wrote_is_neither_replaced_nor_removed() {
    let home = TestHome::new();
    let folder = home.lwa_home().join("config/systemd/user");
    fs::create_dir_all(&folder).unwrap();
    let foreign = folder.join("lwa-telemetry.timer");
    fs::write(&foreign, "[Timer]\n").unwrap();
    let ran = home.lwa(&["timers", "install", "--json"]);
    assert_eq!((ran.code, &ran.json()["error"]["code"]), (2, &json!("invalid_input")), "{ran:?}");
    assert_eq!(home.lwa(&["timers", "remove", "--json"]).json()["removed"], json!([]));
    assert_eq!(fs::read_to_string(&foreign).unwrap(), "[Timer]\n");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
}

#[test]
fn without_systemd_the_way_out_is_said_and_with_it_the_timers_are_switched_on() {
    let (home, record) = recording_systemctl(TestHome::new());
    let mut command = home.command(&lwa_tests::program("lwa"));
    let output = command.env_remove("LWA_HOME").args(["timers", "install", "--json"]).output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let folder = home.folder().join("user/.config/systemd/user");
    if Path::new("/run/systemd/system").is_dir() {
        assert_eq!(output.status.code(), Some(0), "{document}");
        assert!(folder.join("lwa-telemetry.timer").is_file());
        assert_eq!(
            fs::read_to_string(record).unwrap(),
            "--user daemon-reload\n--user enable --now lwa-telemetry.timer\n"
        );
    } else {
        assert_eq!((output.status.code(), &document["error"]["code"]), (Some(2), &json!("invalid_input")));
        assert!(document["error"]["hint"].as_str().unwrap().contains("lwa maintenance telemetry"));
        assert!(!folder.exists() && !record.exists());
    }
}
