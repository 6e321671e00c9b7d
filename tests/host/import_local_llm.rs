//! Taking over an older worker's settings, keys and lists.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use lwa_tests::{Era, Sidecar, TestHome, planted};
use serde_json::{Value, json};

use crate::import::{column, files, in_force, named};

const FILE_BACKEND: &str = "# mine\n[secrets]\nbackend = \"file\"\n";
const TERMS: &str = r#"{"terms": [{"kind": "PERSON", "values": ["Quill Harbottle", "Ada Stone"]},
    {"kind": "EMAIL", "values": ["quill@harbottle.example"]}]}"#;

const VALUES: &str = r#"{"placeholders": {"[SECRET-6]": {"kind": "SECRET", "value": "velvet-harbottle-0001"}}}"#;

/// An older worker's home folder beside ours, with its keys.
struct Worker {
    folder: PathBuf,
    key: String,
    second_key: String,
    admin_token: String,
    key_in_a_line: String,
}

impl Worker {
    fn new(home: &TestHome) -> Self {
        let worker = Self {
            folder: home.folder().join("old"),
            key: planted::secret("worker"),
            second_key: planted::secret("second"),
            admin_token: planted::secret("admin"),
            key_in_a_line: planted::secret("line"),
        };
        let env = format!(
            "LOCAL_LLM_MCP_MODE=pii\nLOCAL_LLM_MCP_BASE_URL=http://127.0.0.1:9/v1\nLOCAL_LLM_MCP_MODEL=small\n\
             LOCAL_LLM_MCP_FALLBACK_BASE_URL=http://127.0.0.1:10/v1\nLOCAL_LLM_MCP_COMMAND_TIMEOUT=60\n\
             LOCAL_LLM_MCP_RUN_POLICY=allow\nLOCAL_LLM_MCP_API_KEY='{}'\nLOCAL_LLM_MCP_FALLBACK_API_KEY_FILE={}\n\
             LOCAL_LLM_MCP_ADMIN_TOKEN={}\nLOCAL_LLM_MCP_RULES={}\n",
            worker.key,
            worker.at("second.key").display(),
            worker.admin_token,
            worker.at("rules.json").display(),
        );
        let rules = r#"{"regex_rules": [{"id": "ticket", "pattern": "TICKET-[0-9]{6}"},
            {"id": "looks_ahead", "pattern": "(?=x)y"}]}"#;
        let savings = [saved("s", 1), saved("pid-4", 2), saved("s", 2), "{\"session\": \"cut".to_owned()].join("\n");
        for (path, text) in [
            (".config/local-llm-mcp/env", env.as_str()),
            (
                ".config/local-llm-mcp/run-allow.txt",
                &format!("# theirs\ngit log*\ncurl -H 'Authorization: Bearer {}' *\n", worker.key_in_a_line),
            ),
            (".config/local-llm-mcp/private_terms.json", TERMS),
            (".config/local-llm-mcp/prices.json", r#"{"assumptions": {"context_reuse_calls": 4}}"#),
            (".local/state/local-llm-mcp/savings.jsonl", &savings),
            (".local/state/local-llm-mcp/sessions/s/meta.json", "{}"),
            (".local/state/local-llm-mcp/sessions/mine/placeholders.json", VALUES),
            ("second.key", &format!("{}\n", worker.second_key)),
            ("rules.json", rules),
        ] {
            let path = worker.at(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        worker
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.join(path)
    }

    /// Runs the import, checks that it shows nothing secret, and gives its report.
    fn import(&self, home: &TestHome, extra: &[&str]) -> Value {
        let ran = home.lwa(&[&["import", "local-llm-mcp", self.folder.to_str().unwrap(), "--json"], extra].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
        self.assert_clean(&format!("{}{}", ran.stdout, ran.stderr));
        ran.json()
    }

    fn assert_clean(&self, text: &str) {
        for secret in [&self.key, &self.second_key, &self.admin_token, &self.key_in_a_line] {
            planted::assert_clean("the command line", text, secret);
        }
        assert!(!text.to_lowercase().contains("harbottle"), "a private term is shown: {text}");
    }
}

/// A line of the ledger of savings: 38,000 characters became 380.
fn saved(session: &str, number: u32) -> String {
    format!(
        "{{\"ts\": \"2026-02-03T04:05:0{number}+01:00\", \"session\": \"{session}\", \"turn\": \"t_00000{number}\", \
         \"kind\": \"run\", \"verbatim\": false, \"gathered_chars\": 38000, \"out_chars\": 380, \"error\": false}}"
    )
}

/// What becomes of each file.
fn states(report: &Value) -> Vec<(&str, &str)> {
    let files = report["files"].as_array().unwrap();
    files.iter().map(|file| (file["name"].as_str().unwrap(), file["state"].as_str().unwrap())).collect()
}

fn file<'a>(report: &'a Value, name: &str) -> &'a Value {
    report["files"].as_array().unwrap().iter().find(|file| file["name"] == name).unwrap()
}

fn ours(home: &TestHome, name: &str) -> PathBuf {
    home.lwa_home().join("config").join(name)
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn the_older_workers_files_are_taken_over_privately_and_stay_as_they_are() {
    let home = TestHome::with_config(FILE_BACKEND);
    let worker = Worker::new(&home);
    let before = files(&worker.folder);
    let report = worker.import(&home, &["--yes"]);
    assert_eq!(files(&worker.folder), before);
    assert_eq!(
        states(&report),
        [
            ("run-allow.txt", "copied"),
            ("private_terms.json", "copied"),
            ("rules.json", "copied"),
            ("prices.json", "copied"),
            ("sessions", "left_out")
        ]
    );
    for name in ["run-allow.txt", "private_terms.json", "rules.json", "prices.json"] {
        assert_eq!(fs::metadata(ours(&home, name)).unwrap().mode() & 0o777, 0o600, "{name}");
    }
    let lines = text(&ours(&home, "run-allow.txt"));
    assert!(lines.contains("\ngit log*\n") && lines.contains(&worker.key_in_a_line), "{lines}");
    assert_eq!(file(&report, "private_terms.json")["added"], json!(["1 EMAIL", "2 PERSON"]));
    assert!(text(&ours(&home, "private_terms.json")).contains("Quill Harbottle"));
    assert_eq!(file(&report, "rules.json")["added"], json!(["ticket"]));
    assert!(file(&report, "rules.json")["notes"][0].as_str().unwrap().contains("`looks_ahead`"));
    assert!(!text(&ours(&home, "rules.json")).contains("looks_ahead"));
    assert_eq!(text(&ours(&home, "prices.json")), text(&worker.at(".config/local-llm-mcp/prices.json")));
    assert_eq!(column(&report["config"]["not_carried"], "key"), ["LOCAL_LLM_MCP_ADMIN_TOKEN"]);
    // Once more: everything is here, and nothing is written.
    let written = files(&home.lwa_home().join("config"));
    let again = worker.import(&home, &["--yes"]);
    assert_eq!(again["config"]["changes"], json!([]));
    let same = states(&again).into_iter().filter(|(name, _)| *name != "sessions");
    assert!(same.clone().all(|(_, state)| state == "same"), "{:?}", same.collect::<Vec<_>>());
    assert_eq!(files(&home.lwa_home().join("config")), written);
}

#[test]
fn what_tightens_holds_at_once_and_what_loosens_waits_for_a_person() {
    let home = TestHome::with_config(FILE_BACKEND);
    let worker = Worker::new(&home);
    let report = worker.import(&home, &[]);
    let waiting = ["worker.run_policy", "worker.base_url", "worker.fallback_base_url"];
    assert_eq!(column(&report["waiting"], "key"), waiting);
    assert_eq!((in_force(&home, "worker.mode"), in_force(&home, "worker.command_timeout")), (json!("pii"), json!(60)));
    assert_eq!((in_force(&home, "worker.run_policy"), in_force(&home, "worker.base_url")), (json!("ask"), Value::Null));
    // Nobody agreed to commands without a question; more private terms need no agreement.
    assert_eq!(states(&report)[..2], [("run-allow.txt", "left_out"), ("private_terms.json", "copied")]);
    assert!(!ours(&home, "run-allow.txt").exists() && ours(&home, "private_terms.json").exists());
    assert_eq!(home.lwa(&["config", "accept"]).code, 0);
    assert_eq!(in_force(&home, "worker.run_policy"), "allow");
    assert_eq!(in_force(&home, "worker.base_url"), "http://127.0.0.1:9/v1");
}

#[test]
fn the_workers_keys_are_stored_when_a_person_agreed_and_its_models_are_in_force() {
    let home = TestHome::with_config(FILE_BACKEND);
    let worker = Worker::new(&home);
    let states = |extra: &[&str]| {
        let report = worker.import(&home, extra);
        assert_eq!(column(&report["keys"], "provider"), ["worker", "worker-fallback"]);
        column(&report["keys"], "state").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(states(&["--dry-run"]), ["planned", "planned"]);
    assert_eq!(states(&["--yes"]), ["left_out", "left_out"]);
    assert_eq!(home.lwa(&["config", "accept"]).code, 0);
    assert_eq!(states(&[]), ["left_out", "left_out"]);
    assert_eq!(states(&["--yes"]), ["stored", "stored"]);
    assert_eq!(states(&["--yes"]), ["kept", "kept"]);
    let secrets = home.lwa_home().join("state/secrets.env");
    for key in [&worker.key, &worker.second_key] {
        assert_eq!(planted::files_with(&home.lwa_home(), key), std::slice::from_ref(&secrets));
    }
}

#[test]
fn a_dry_run_of_the_older_worker_shows_everything_and_writes_nothing() {
    let home = TestHome::with_config(FILE_BACKEND);
    let worker = Worker::new(&home);
    let before = files(home.folder());
    let report = worker.import(&home, &["--dry-run"]);
    assert_eq!(report["dry_run"], true);
    assert_eq!(column(&report["waiting"], "key").len(), 3);
    let changes = column(&report["config"]["changes"], "key");
    assert!(changes.contains(&"worker.mode") && changes.contains(&"worker.model"), "{changes:?}");
    assert_eq!(file(&report, "run-allow.txt")["added"][0], "git log*");
    let readable = home.lwa(&["import", "local-llm-mcp", worker.folder.to_str().unwrap(), "--dry-run"]);
    worker.assert_clean(&format!("{}{}", readable.stdout, readable.stderr));
    for part in [
        "  + git log*",
        "  + 2 PERSON",
        "worker.mode = pii (was assist)",
        "2 turns of 2 sessions since 2026-02-03",
        "  1 line for a turn that stands further up",
        "    line 4 is no JSON object",
        "Nothing was",
    ] {
        assert!(readable.stdout.contains(part), "{part} in {}", readable.stdout);
    }
    assert_eq!(files(home.folder()), before);
    assert!(home.host().is_none());
}

#[test]
fn lists_of_ours_keep_what_they_have_and_the_rest_gives_way_only_by_force() {
    let home = TestHome::with_config(&format!("{FILE_BACKEND}[worker]\nmode = \"assist\" # mine\n"));
    let worker = Worker::new(&home);
    let own = r#"{"terms": [{"kind": "PERSON", "values": ["ADA STONE", "Bo Reed"]}]}"#;
    for (name, text) in [
        ("run-allow.txt", "# mine\nls *\n"),
        ("private_terms.json", own),
        ("rules.json", r#"{"regex_rules": [{"id": "mine", "pattern": "MINE-[0-9]{4}"}]}"#),
        ("prices.json", "{}"),
    ] {
        fs::write(ours(&home, name), text).unwrap();
    }
    let kept = worker.import(&home, &["--yes"]);
    let expected = [("run-allow.txt", "merged"), ("private_terms.json", "merged"), ("rules.json", "kept")];
    assert_eq!(states(&kept)[..3], expected);
    assert_eq!(
        (states(&kept)[3], column(&kept["config"]["kept"], "key")),
        (("prices.json", "kept"), vec!["worker.mode"])
    );
    assert!(text(&ours(&home, "run-allow.txt")).starts_with("# mine\nls *\ngit log*\n"));
    let terms = text(&ours(&home, "private_terms.json"));
    assert!(terms.contains("Bo Reed") && terms.contains("Quill Harbottle") && !terms.contains("Ada Stone"), "{terms}");
    let backup = named(&home.lwa_home().join("config"), "private_terms.json.pre-import-");
    assert_eq!((text(&backup).as_str(), fs::metadata(&backup).unwrap().mode() & 0o777), (own, 0o600));
    assert_eq!(file(&kept, "private_terms.json")["backup"].as_str(), backup.to_str());
    // Rules that give way may have hidden something, so that force alone is not enough.
    let unagreed = worker.import(&home, &["--force"]);
    assert_eq!((states(&unagreed)[2], states(&unagreed)[3]), (("rules.json", "left_out"), ("prices.json", "replaced")));
    let forced = worker.import(&home, &["--force", "--yes"]);
    assert_eq!(states(&forced)[2], ("rules.json", "replaced"));
    assert!(text(&named(&home.lwa_home().join("config"), "rules.json.pre-import-")).contains("mine"));
    assert!(text(&ours(&home, "rules.json")).contains("ticket"));
    assert!(text(&ours(&home, "config.toml")).contains("mode = \"pii\" # mine"));
}

#[test]
fn files_of_a_worker_that_cannot_be_used_are_refused_by_name() {
    let home = TestHome::with_config(FILE_BACKEND);
    let worker = Worker::new(&home);
    for path in ["private_terms.json", "prices.json"] {
        fs::write(worker.at(".config/local-llm-mcp").join(path), "[\"Quill Harbottle\"").unwrap();
    }
    let report = worker.import(&home, &["--yes"]);
    let refused = [("private_terms.json", "refused"), ("rules.json", "copied"), ("prices.json", "refused")];
    assert_eq!(states(&report)[1..4], refused);
    assert!(!ours(&home, "private_terms.json").exists() && !ours(&home, "prices.json").exists());
    // A file of ours that is broken is nobody's to replace.
    fs::write(ours(&home, "private_terms.json"), "broken").unwrap();
    fs::write(worker.at(".config/local-llm-mcp/private_terms.json"), TERMS).unwrap();
    let ran = home.lwa(&["import", "local-llm-mcp", worker.folder.to_str().unwrap(), "--yes", "--json"]);
    assert_eq!((ran.code, &ran.json()["error"]["code"]), (2, &json!("invalid_input")), "{ran:?}");
    assert!(ran.stderr.contains("private_terms.json"), "{ran:?}");
    assert_eq!(text(&ours(&home, "private_terms.json")), "broken");
    let nothing = home.lwa(&["import", "local-llm-mcp", home.folder().join("user").to_str().unwrap(), "--json"]);
    assert!(nothing.code == 2 && nothing.stderr.contains("holds none of `env`"), "{nothing:?}");
}

#[test]
fn with_a_folder_of_ones_own_the_environment_of_the_older_worker_is_not_read() {
    let home = TestHome::with_config(FILE_BACKEND).set("LOCAL_LLM_MCP_MODE", "assist").set("LOCAL_LLM_MCP_ARM", "on");
    let worker = Worker::new(&home);
    let report = worker.import(&home, &["--dry-run"]);
    let changes = report["config"]["changes"].as_array().unwrap();
    assert!(changes.iter().any(|change| change["key"] == "worker.mode" && change["to"] == "pii"), "{changes:?}");
    assert!(!changes.iter().any(|change| change["key"] == "worker.arm"), "{changes:?}");
}

#[test]
fn what_the_older_worker_saved_is_counted_here_once_and_marked_as_imported() {
    let home = TestHome::with_config(&format!("{FILE_BACKEND}[clients.lwa.worker]\narm = \"on\"\n"));
    let worker = Worker::new(&home);
    let ledger = worker.at(".local/state/local-llm-mcp/savings.jsonl");
    let facts = |report: &Value| {
        let ledger = &report["ledger"];
        json!([ledger["carried"], ledger["new"], ledger["known"], ledger["counted"]["broken"]])
    };
    // No host runs that could tell what is here, and none is started for it.
    assert_eq!(facts(&worker.import(&home, &["--dry-run"])), json!([false, null, null, 1]));
    let report = worker.import(&home, &[]);
    assert_eq!(facts(&report), json!([true, 2, 0, 1]), "{report}");
    assert_eq!(report["ledger"]["counted"]["broken_lines"][0]["line"], 4);
    let savings = |by: &str| home.lwa(&["savings", "--by", by, "--json"]).json();
    let counted = savings("client");
    assert_eq!((&counted["imported_turns"], &counted["all_time"]["turns"]), (&json!(2), &json!(2)), "{counted}");
    assert_eq!(counted["since"], "2026-02-03T03:05:01.000Z");
    // 10,000 tokens less 100 each, at 3.8 characters a token.
    assert_eq!(counted["rows"][0]["name"], "local-llm-mcp");
    assert_eq!(counted["rows"][0]["totals"]["avoided_input"], 19_800);
    assert_eq!(column(&savings("session")["rows"], "name"), ["local-llm-mcp/pid-4", "local-llm-mcp/s"]);
    // Once more, and again when the ledger has grown.
    assert_eq!(facts(&worker.import(&home, &["--yes"])), json!([true, 0, 2, 1]));
    fs::write(&ledger, format!("{}\n{}\n", text(&ledger), saved("s", 3))).unwrap();
    assert_eq!(facts(&worker.import(&home, &["--dry-run"])), json!([false, 1, 2, 1]));
    assert_eq!(facts(&worker.import(&home, &["--yes"])), json!([true, 1, 2, 1]));
    assert_eq!(savings("client")["all_time"]["turns"], 3);
    let readable = home.lwa(&["savings"]);
    assert!(readable.stdout.contains("3 of these turns were imported from an older product."), "{readable:?}");
    // What was given out there stands for no other value in the same conversation here.
    assert!(file(&report, "sessions")["notes"][1].as_str().unwrap().contains("placeholders of 1 conversation"));
    let note = home.folder().join("note.txt");
    fs::write(&note, "token = ghp_Zq81bVn04XwKp62LmRtZq81bVn04XwKp62Lm\n").unwrap();
    let read = home.lwa(&["worker", "delegate", "--session", "mine", "Quote it.", note.to_str().unwrap()]);
    assert!(read.stdout.contains("[SECRET-7]"), "{read:?}");
}

#[test]
fn a_process_of_a_client_counts_no_savings() {
    let home = TestHome::with_config(FILE_BACKEND);
    let worker = Worker::new(&home);
    let ledger = worker.at(".local/state/local-llm-mcp/savings.jsonl");
    let mut sidecar = Sidecar::start(&home, Era::Legacy, &[]);
    sidecar.tool("router_status", json!({}));
    let ran = home.lwa(&["import", "local-llm-mcp", ledger.to_str().unwrap(), "--yes", "--json"]);
    assert_eq!((ran.code, &ran.json()["ledger"]["carried"]), (4, &json!(false)), "{ran:?}");
    assert_eq!(home.lwa(&["savings", "--json"]).json()["imported_turns"], 0);
    drop(sidecar.finish());
}
