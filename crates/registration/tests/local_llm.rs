//! The older worker's variables, keys and files become ours, and what has no counterpart is named.

#![allow(clippy::unwrap_used, reason = "a panic in a test is its report")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use lwa_config::{AssistNumbers, Config, Observer, RunPolicy, Shipped, WorkerConfig, WorkerMode};
use lwa_registration::seed::local_llm::{
    GivenIn, GivenPlaceholders, plan_worker, read_given, read_local_llm, read_savings,
};
use lwa_registration::seed::local_llm::{LocalLlmFiles, LocalLlmSeed, SavedTurn, SavingsCount, SavingsLedger};
use lwa_registration::seed::{ConfigurationPlan, Ours, SeedError};
use rstest::rstest;
use tempfile::TempDir;

fn write(folder: &Path, path: &str, text: &str) -> PathBuf {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

fn variables(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn read_in(path: &Path, pairs: &[(&str, &str)]) -> LocalLlmSeed {
    read_local_llm(path, &variables(pairs)).unwrap()
}

/// What is read from a folder whose file of variables has this text.
fn read_env(text: &str) -> (TempDir, LocalLlmSeed) {
    let temp = tempfile::tempdir().unwrap();
    write(temp.path(), "env", &format!("{text}\nLOCAL_LLM_MCP_LOG_LEVEL=INFO\n"));
    let seed = read_in(temp.path(), &[]);
    (temp, seed)
}

fn plan_over(seed: &LocalLlmSeed, ours: &str, is_replaced: bool) -> ConfigurationPlan {
    let shipped = Shipped::default();
    plan_worker(seed, Ours { text: ours, path: Path::new("config.toml"), shipped: &shipped, is_replaced }).unwrap()
}

fn plan(text: &str) -> ConfigurationPlan {
    plan_over(&read_env(text).1, "", false)
}

fn changed(plan: &ConfigurationPlan) -> Vec<&str> {
    plan.changes.iter().map(|change| change.key.as_str()).collect()
}

#[test]
fn every_variable_with_a_counterpart_is_carried() {
    let plan = plan(
        "export LOCAL_LLM_MCP_MODE='PII'
LOCAL_LLM_MCP_BASE_URL=http://127.0.0.1:9000/v1 # here
LOCAL_LLM_MCP_MODEL=\"small\"
LOCAL_LLM_MCP_FALLBACK_BASE_URL=http://192.168.1.7:8000/v1
LOCAL_LLM_MCP_FALLBACK_MODEL=large
LOCAL_LLM_MCP_FAILOVER_COOLDOWN=60
LOCAL_LLM_MCP_THINKING=yes
LOCAL_LLM_MCP_MAX_OUTPUT_CHARS=3000
LOCAL_LLM_MCP_MAX_TOKENS_CAP=4096
LOCAL_LLM_MCP_LLM_TIMEOUT=90.4
LOCAL_LLM_MCP_CHUNK_CHARS=12000
LOCAL_LLM_MCP_PARALLEL_CHUNKS=0
LOCAL_LLM_MCP_MATERIAL_MAX_CHARS=200000
LOCAL_LLM_MCP_CONTEXT_CHARS=6000
LOCAL_LLM_MCP_EXCERPT_CHARS=750
LOCAL_LLM_MCP_SUMMARY_CHARS=3000
LOCAL_LLM_MCP_AUTO_COMPACT_CHARS=30000
LOCAL_LLM_MCP_COMMAND_TIMEOUT=30
LOCAL_LLM_MCP_DIALOG_TIMEOUT=300
LOCAL_LLM_MCP_RUN_POLICY=allow
LOCAL_LLM_MCP_ARM=on
LOCAL_LLM_MCP_ESCALATION=off
LOCAL_LLM_MCP_ASSIST_NUMBERS=open
LOCAL_LLM_MCP_STRICT_PII=1
LOCAL_LLM_MCP_ENTITY_PASS=0
LOCAL_LLM_MCP_SHAPES=off
LOCAL_LLM_MCP_CALLER_MODEL=cloud-1
LOCAL_LLM_MCP_OBSERVER=webhook
LOCAL_LLM_MCP_OBSERVER_URL=http://127.0.0.1:9100/events
LOCAL_LLM_MCP_DECIDE=TRUE
LOCAL_LLM_MCP_DECIDE_PREFER=fallback
LOCAL_LLM_MCP_DECIDE_REASONING=no
LOCAL_LLM_MCP_DECIDE_TIMEOUT_S=9
",
    );
    let expected = WorkerConfig {
        mode: WorkerMode::Pii,
        base_url: Some("http://127.0.0.1:9000/v1".to_owned()),
        model: "small".to_owned(),
        fallback_base_url: Some("http://192.168.1.7:8000/v1".to_owned()),
        fallback_model: Some("large".to_owned()),
        // The second model is on another machine, which the older worker needed no leave for.
        allow_private_network: true,
        failover_cooldown: 60,
        thinking: true,
        max_output_chars: 3000,
        max_tokens_cap: 4096,
        llm_timeout: 90,
        chunk_chars: 12_000,
        parallel_chunks: 1,
        material_max_chars: 200_000,
        context_chars: 6000,
        excerpt_chars: 750,
        summary_chars: 3000,
        auto_compact_chars: 30_000,
        command_timeout: 30,
        dialog_timeout: 300,
        run_policy: RunPolicy::Allow,
        arm: lwa_config::Arm::On,
        escalation: lwa_config::Escalation::Off,
        assist_numbers: AssistNumbers::Open,
        strict_pii: true,
        entity_pass: false,
        shapes: false,
        caller_model: Some("cloud-1".to_owned()),
        observer: Observer::Webhook,
        observer_url: Some("http://127.0.0.1:9100/events".to_owned()),
        decide: true,
        decide_prefer: lwa_config::DecidePrefer::Fallback,
        decide_reasoning: false,
        decide_timeout_s: 9,
        ..WorkerConfig::default()
    };
    assert_eq!(plan.config.worker, expected);
    assert_eq!(Config::parse(&plan.text, Path::new("config.toml")).unwrap().worker, expected);
    // What loosens is known to wait.
    let waiting: Vec<&str> = plan.waiting.iter().map(|one| one.key.as_str()).collect();
    for key in ["run_policy", "arm", "escalation", "assist_numbers", "base_url", "allow_private_network", "observer"] {
        assert!(waiting.contains(&format!("worker.{key}").as_str()), "{key} in {waiting:?}");
    }
    assert!(!waiting.contains(&"worker.mode") && !waiting.contains(&"worker.strict_pii"));
}

#[test]
fn what_has_no_counterpart_or_cannot_be_used_is_named_without_its_value() {
    let plan = plan(
        "LOCAL_LLM_MCP_OBSERVER=module:Class
LOCAL_LLM_MCP_ADMIN_TOKEN=admin-token-0001
LOCAL_LLM_MCP_SESSION=s1
LOCAL_LLM_MCP_CHUNK_CHARS=many
LOCAL_LLM_MCP_COMMAND_TIMEOUT=99999
LOCAL_LLM_MCP_RUN_POLICY=never
LOCAL_LLM_MCP_BASE_URL=http://me:pass-0001@127.0.0.1/v1
LOCAL_LLM_MCP_MADE_UP=1
LOCAL_LLM_MCP_RUN_ALLOW=relative.txt
LOCAL_LLM_MCP_PRICES=/nowhere/at/all.json
LOCAL_LLM_MCP_MODEL='open
OTHER=1",
    );
    assert!(plan.changes.is_empty(), "{:?}", plan.changes);
    let reasons: BTreeMap<&str, &str> =
        plan.not_carried.iter().map(|one| (one.key.as_str(), one.reason.as_str())).collect();
    for (name, part) in [
        ("OBSERVER", "exec:"),
        ("ADMIN_TOKEN", "admin page"),
        ("SESSION", "lwa-mcp --session"),
        ("CHUNK_CHARS", "is no number"),
        ("COMMAND_TIMEOUT", "must be between 1 and 3600"),
        ("RUN_POLICY", "expected one of ask, allow, off"),
        ("BASE_URL", "must not contain a user name"),
        ("MADE_UP", "no such setting"),
        ("RUN_ALLOW", "no whole path"),
        ("PRICES", "no such file"),
        ("MODEL", "no proper end"),
        ("LOG_LEVEL", "no levels"),
    ] {
        let reason = reasons.get(format!("LOCAL_LLM_MCP_{name}").as_str()).copied().unwrap_or_default();
        assert!(reason.contains(part), "{name}: {reason}");
    }
    assert_eq!(plan.not_carried.len(), 12);
    let all = format!("{plan:?}");
    assert!(!all.contains("admin-token-0001") && !all.contains("pass-0001"), "{all}");
}

#[test]
fn a_model_without_an_address_was_on_this_machine() {
    assert_eq!(plan("LOCAL_LLM_MCP_MODEL=m").config.worker.base_url.as_deref(), Some("http://127.0.0.1:8000/v1"));
    assert_eq!(plan("LOCAL_LLM_MCP_MODE=pii").config.worker.base_url, None);
}

#[test]
fn what_our_file_says_stays_unless_it_is_replaced() {
    let (_temp, seed) = read_env("LOCAL_LLM_MCP_MODE=pii\nLOCAL_LLM_MCP_COMMAND_TIMEOUT=120\n");
    let ours = "[worker]\nmode = \"assist\" # mine\n";
    let kept = plan_over(&seed, ours, false);
    assert_eq!((kept.text.as_str(), changed(&kept)), (ours, vec![]));
    assert_eq!(kept.kept[0].key, "worker.mode");
    let replaced = plan_over(&seed, ours, true);
    assert_eq!(
        (replaced.text.as_str(), changed(&replaced)),
        ("[worker]\nmode = \"pii\" # mine\n", vec!["worker.mode"])
    );
}

#[test]
fn the_first_line_of_a_name_counts_and_a_stronger_place_before_it() {
    let temp = tempfile::tempdir().unwrap();
    let env = write(
        temp.path(),
        "c/env",
        "LOCAL_LLM_MCP_MODEL=first\nLOCAL_LLM_MCP_MODEL=second\nLOCAL_LLM_MCP_MODE=pii\nLOCAL_LLM_MCP_ARM=on\n",
    );
    let from_environment = [("LOCAL_LLM_MCP_MODE", "assist"), ("LOCAL_LLM_MCP_ARM", "ask"), ("OTHER", "x")];
    let seed = read_in(&temp.path().join("c"), &from_environment);
    let value = |seed: &LocalLlmSeed, name: &str| {
        seed.variables.iter().find(|one| one.name == name).map(|one| one.value.expose().to_owned()).unwrap()
    };
    assert_eq!((value(&seed, "MODEL"), value(&seed, "MODE")), ("first".to_owned(), "assist".to_owned()));
    let client = write(
        temp.path(),
        "client.json",
        &format!(
            r#"{{"mcpServers": {{"other": {{"env": {{"KEY": "x"}}}}, "w": {{"command": "x", "env":
                {{"LOCAL_LLM_MCP_ARM": "on", "LOCAL_LLM_MCP_THINKING": true, "LOCAL_LLM_MCP_ENV_FILE": "{}"}}}}}}}}"#,
            env.display()
        ),
    );
    let seed = read_in(&client, &from_environment);
    assert_eq!(seed.files.settings, Some(env));
    let names = ["ARM", "MODE", "MODEL", "THINKING"].map(|name| value(&seed, name));
    assert_eq!(names, ["on", "assist", "first", "true"]);
}

#[rstest]
#[case("c.toml", "[mcp_servers.w]\ncommand = \"x\"\n[mcp_servers.w.env]\nLOCAL_LLM_MCP_MODE = \"pii\"\n")]
#[case("c.json", r#"{"projects": {"/p": {"mcpServers": {"w": {"env": {"LOCAL_LLM_MCP_MODE": "pii"}}}}}}"#)]
#[case("mcp.json", r#"{"servers": {"w": {"env": {"LOCAL_LLM_MCP_MODE": "pii"}}}}"#)]
fn clients_keep_their_servers_in_several_ways(#[case] name: &str, #[case] text: &str) {
    let temp = tempfile::tempdir().unwrap();
    let seed = read_in(&write(temp.path(), name, text), &[]);
    assert_eq!(plan_over(&seed, "", false).config.worker.mode, WorkerMode::Pii);
}

#[test]
fn variables_say_where_the_other_files_are() {
    let temp = tempfile::tempdir().unwrap();
    let at = |path: &str| temp.path().join(path);
    write(
        temp.path(),
        ".config/local-llm-mcp/env",
        "BASE=$HOME/mine\nLOCAL_LLM_MCP_RUN_ALLOW='${BASE}/allow.txt'\nLOCAL_LLM_MCP_RULES=~/mine/r.json\n\
         LOCAL_LLM_MCP_PRIVATE_TERMS=/nowhere/terms.json\n",
    );
    for path in ["mine/allow.txt", "mine/r.json", ".config/local-llm-mcp/run-allow.txt"] {
        write(temp.path(), path, "x");
    }
    for path in [".config/local-llm-mcp/private_terms.json", ".config/local-llm-mcp/prices.json"] {
        write(temp.path(), path, "{}");
    }
    write(temp.path(), ".local/state/local-llm-mcp/savings.jsonl", "");
    write(temp.path(), ".local/state/local-llm-mcp/sessions/s/meta.json", "{}");
    let seed = read_in(temp.path(), &[("HOME", temp.path().to_str().unwrap())]);
    let expected = LocalLlmFiles {
        settings: Some(at(".config/local-llm-mcp/env")),
        client: None,
        allow_list: Some(at("mine/allow.txt")),
        // It was set to a file that is not there, which meant no terms.
        private_terms: None,
        rules: Some(at("mine/r.json")),
        prices: Some(at(".config/local-llm-mcp/prices.json")),
        savings: Some(at(".local/state/local-llm-mcp/savings.jsonl")),
        sessions: Some(at(".local/state/local-llm-mcp/sessions")),
    };
    assert_eq!(seed.files, expected);
    assert_eq!(seed.left, [("LOCAL_LLM_MCP_PRIVATE_TERMS".to_owned(), "there is no such file")]);
}

#[test]
fn keys_are_taken_from_their_variable_or_their_file_and_never_shown() {
    let temp = tempfile::tempdir().unwrap();
    let file = write(temp.path(), "key", "key-of-the-second-0002\n");
    let text = format!(
        "LOCAL_LLM_MCP_API_KEY='key-of-$HOME-the-first-0001'\nLOCAL_LLM_MCP_API_KEY_FILE=/x\n\
         LOCAL_LLM_MCP_FALLBACK_API_KEY_FILE={}\nLOCAL_LLM_MCP_MODEL=$LOCAL_LLM_MCP_API_KEY\n",
        file.display()
    );
    write(temp.path(), "env", &text);
    let seed = read_in(temp.path(), &[("HOME", "/h")]);
    let keys: Vec<(&str, &str, &str)> =
        seed.keys.iter().map(|one| (one.provider.as_str(), one.variable.as_str(), one.value.expose())).collect();
    assert_eq!(
        keys,
        [
            ("worker", "LOCAL_LLM_MCP_API_KEY", "key-of-$HOME-the-first-0001"),
            ("worker-fallback", "LOCAL_LLM_MCP_FALLBACK_API_KEY_FILE", "key-of-the-second-0002"),
        ]
    );
    let plan = plan_over(&seed, "", false);
    let all = format!("{seed:?} {plan:?}");
    assert!(!all.contains("the-first-0001") && !all.contains("the-second-0002"), "{all}");
    assert!(plan.not_carried.iter().any(|one| one.reason.contains("the key itself is set")));
    let (_temp, seed) = read_env("LOCAL_LLM_MCP_API_KEY_FILE=/nowhere/key");
    assert!(seed.keys.is_empty());
    assert_eq!(seed.left[0].1, "there is no key in its file");
}

#[test]
fn a_single_file_is_taken_alone() {
    let temp = tempfile::tempdir().unwrap();
    let environment = [("LOCAL_LLM_MCP_MODE", "pii")];
    let mut taken = LocalLlmFiles::default();
    for (name, text) in [
        ("own.txt", "ls *"),
        ("a.json", r#"{"terms": []}"#),
        ("b.json", r#"{"regex_rules": []}"#),
        ("prices.json", "{}"),
        ("savings.jsonl", ""),
    ] {
        let path = write(temp.path(), name, text);
        let seed = read_in(&path, &environment);
        assert!(seed.variables.is_empty());
        let files = seed.files;
        taken.allow_list = taken.allow_list.or(files.allow_list);
        taken.private_terms = taken.private_terms.or(files.private_terms);
        taken.rules = taken.rules.or(files.rules);
        taken.prices = taken.prices.or(files.prices);
        taken.savings = taken.savings.or(files.savings);
    }
    let at = |name: &str| Some(temp.path().join(name));
    let expected = LocalLlmFiles {
        allow_list: at("own.txt"),
        private_terms: at("a.json"),
        rules: at("b.json"),
        prices: at("prices.json"),
        savings: at("savings.jsonl"),
        ..LocalLlmFiles::default()
    };
    assert_eq!(taken, expected);
}

#[test]
fn what_is_none_of_its_files_is_refused() {
    let temp = tempfile::tempdir().unwrap();
    let read = |path: &Path| read_local_llm(path, &BTreeMap::new());
    assert!(matches!(read(&temp.path().join("none")), Err(SeedError::Absent(_))));
    // Many programs have such a file.
    write(temp.path(), ".env", "OTHER_KEY=x\n");
    assert!(matches!(read(temp.path()), Err(SeedError::NoWorkerThere(_))));
    assert!(matches!(read(&write(temp.path(), "x.md", "")), Err(SeedError::UnknownFile(_))));
    assert!(matches!(read(&write(temp.path(), "y.json", r#"{"mcpServers": {}}"#)), Err(SeedError::UnknownFile(_))));
    let broken = read(&write(temp.path(), "z.toml", "a = 'secret-words\n")).unwrap_err();
    assert!(matches!(broken, SeedError::Form { .. }) && !format!("{broken:?}").contains("secret-words"));
}

/// What is read from a ledger with these lines, in the middle of 2026.
fn read_ledger(lines: &str) -> SavingsLedger {
    let temp = tempfile::tempdir().unwrap();
    read_savings(&write(temp.path(), "savings.jsonl", lines), "2026-06-01T00:00:00Z".parse().unwrap()).unwrap()
}

#[test]
fn every_turn_of_the_ledger_of_savings_is_read_with_its_date_and_its_counts() {
    let ledger = read_ledger(
        "{\"ts\": \"2026-02-03T04:05:06+01:00\", \"session\": \"a\", \"turn\": \"t_000001\", \"kind\": \"run\", \
         \"verbatim\": false, \"gathered_chars\": 4000, \"out_chars\": 200, \"error\": false, \
         \"gathered_tokens\": 900, \"returned_tokens\": null}\n\n\
         {\"ts\": 1767225600.5, \"session\": \"pid-7\", \"turn\": \"t_000002\", \"kind\": \"delegate\", \
         \"verbatim\": true, \"gathered_chars\": 0, \"out_chars\": 7, \"error\": true}\n",
    );
    let expected = [
        SavedTurn {
            session: "a".to_owned(),
            turn: "t_000001".to_owned(),
            at: "2026-02-03T03:05:06Z".parse().unwrap(),
            kind: "run",
            is_verbatim: false,
            is_error: false,
            gathered_chars: 4000,
            returned_chars: 200,
            gathered_tokens: Some(900),
            returned_tokens: None,
        },
        SavedTurn {
            session: "pid-7".to_owned(),
            turn: "t_000002".to_owned(),
            at: "2026-01-01T00:00:00Z".parse().unwrap(),
            kind: "delegate",
            is_verbatim: true,
            is_error: true,
            gathered_chars: 0,
            returned_chars: 7,
            gathered_tokens: None,
            returned_tokens: None,
        },
    ];
    assert_eq!(ledger.turns, expected);
    let count = SavingsCount {
        turns: 2,
        sessions: 2,
        since: Some("2026-01-01T00:00:00Z".to_owned()),
        until: Some("2026-02-03T03:05:06Z".to_owned()),
        ..SavingsCount::default()
    };
    assert_eq!(ledger.count, count);
}

#[test]
fn a_turn_that_stands_twice_in_the_ledger_counts_once_under_its_first_session() {
    let line = |session: &str, turn: &str, day: u32| {
        format!(
            "{{\"ts\": \"2026-02-0{day}T00:00:00Z\", \"session\": \"{session}\", \"turn\": \"{turn}\", \
             \"kind\": \"run\", \"gathered_chars\": 1, \"out_chars\": 1}}\n"
        )
    };
    // The second line is the first one, counted again when its conversation had a name.
    let lines = [line("pid-7", "t_1", 1), line("named", "t_1", 1), line("named", "t_1", 2), line("named", "t_2", 1)];
    let ledger = read_ledger(&lines.concat());
    let turns: Vec<(&str, &str)> =
        ledger.turns.iter().map(|turn| (turn.session.as_str(), turn.turn.as_str())).collect();
    assert_eq!(turns, [("pid-7", "t_1"), ("named", "t_1"), ("named", "t_2")]);
    assert_eq!((ledger.count.turns, ledger.count.repeated), (3, 1));
}

#[test]
fn lines_of_the_ledger_that_are_no_turn_are_counted_and_named_without_their_text() {
    let good = r#"{"ts": "2026-02-03T00:00:00Z", "session": "s", "turn": "t_1", "kind": "run", "gathered_chars": 9, "out_chars": 1}"#;
    let changed = |from: &str, to: &str| good.replace(from, to);
    let lines = [
        "{\"session\": \"cut",
        "[]",
        &changed("\"s\"", "\"../secret\""),
        &changed("\"t_1\"", "null"),
        good,
        &changed("2026-02-03T00:00:00Z", "yesterday"),
        &changed("2026-02-03", "2026-07-03"),
        &changed("\"gathered_chars\": 9", "\"gathered_chars\": -9"),
        &changed(", \"kind\": \"run\"", ""),
        &changed("\"run\"", "\"compaction\""),
    ];
    let ledger = read_ledger(&lines.join("\n"));
    assert_eq!((ledger.count.turns, ledger.count.broken, ledger.count.other_kinds), (1, 8, 1));
    let named: Vec<(u64, &str)> = ledger.count.broken_lines.iter().map(|one| (one.line, one.reason)).collect();
    let expected = [
        (1, "is no JSON object"),
        (2, "is no JSON object"),
        (3, "names no session"),
        (4, "names no turn"),
        (6, "has no time that can be read"),
        (7, "has a time that is still to come"),
        (8, "has no count of characters that can be read"),
        (9, "names no kind of turn"),
    ];
    assert_eq!(named, expected);
    let many = read_ledger(&"broken\n".repeat(50));
    assert_eq!((many.count.broken, many.count.broken_lines.len()), (50, 20));
}

#[test]
fn placeholders_that_were_given_out_are_read_without_what_they_stand_for() {
    let temp = tempfile::tempdir().unwrap();
    let values = r#"{"placeholders": {"[EMAIL-2]": {"kind": "EMAIL", "value": "quill@harbottle.example"},
        "[EMAIL-10]": {"kind": "EMAIL", "value": "x"}, "[SECRET-1]": {"kind": "SECRET", "value": "y"}, "odd": {}}}"#;
    write(temp.path(), "0a1b/placeholders.json", values);
    write(temp.path(), "0a1b/meta.json", r#"{"claude_session_id": "0a1b"}"#);
    write(temp.path(), "job/placeholders.json", r#"{"placeholders": {"[PERSON-3]": {}}}"#);
    write(temp.path(), "pid-17/placeholders.json", values);
    write(temp.path(), "broken/placeholders.json", "{");
    write(temp.path(), "empty/meta.json", "{}");
    let found = read_given(temp.path());
    let given = |session: &str, is_claude_code: bool, placeholders: &[&str]| GivenIn {
        session: session.to_owned(),
        is_claude_code,
        placeholders: placeholders.iter().map(|one| (*one).to_owned()).collect(),
    };
    let expected = GivenPlaceholders {
        conversations: 5,
        given: vec![given("0a1b", true, &["[EMAIL-10]", "[SECRET-1]"]), given("job", false, &["[PERSON-3]"])],
        unreadable: 1,
    };
    assert_eq!(found, expected);
}
