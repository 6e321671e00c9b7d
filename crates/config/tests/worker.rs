//! The worker's settings: what a file means, what holds for one client in one folder, and which edits wait.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the report")]

use std::path::{Path, PathBuf};

use lwa_config::diff::{loosening, without_loosening};
use lwa_config::{
    Arm, AssistNumbers, CommandSandbox, Config, ConfigError, DecidePrefer, Escalation, Home, Observer, RunPolicy,
    WORKER_FALLBACK_KEY, WORKER_KEY, WorkerConfig, WorkerMode, to_toml,
};
use rstest::rstest;

fn parse(text: &str) -> Result<Config, ConfigError> {
    Config::parse(text, Path::new("/c/config.toml"))
}

fn config(text: &str) -> Config {
    parse(text).unwrap()
}

const FULL: &str = r#"
[worker]
mode = "pii"
base_url = "http://127.0.0.1:11434/v1"
model = "small"
api_key_env = "SMALL_KEY"
fallback_base_url = "http://192.168.1.5:8000/v1"
fallback_model = "large"
allow_private_network = true
max_output_chars = 3000
command_timeout = 30
run_policy = "allow"
escalation = "auto"
assist_numbers = "open"
sandbox = "workspace"
sandbox_network = false
names = false
observer = "exec:/usr/local/bin/watch"
decide = true
decide_prefer = "fallback"
artifact_days = 30

[clients.codex]
note = "mine"

[clients.codex.worker]
arm = "on"
allow = ["cargo test *"]

[projects."/home/me/shop".worker]
run_policy = "ask"
sandbox = "read_only"
allow = ["npm test", "cargo test *"]

[projects."/home/me/shop/api".worker]
mode = "assist"
"#;

#[test]
fn the_file_says_how_the_worker_works() {
    let worker = config(FULL).worker;
    let expected = WorkerConfig {
        mode: WorkerMode::Pii,
        base_url: Some("http://127.0.0.1:11434/v1".to_owned()),
        model: "small".to_owned(),
        api_key_env: Some("SMALL_KEY".to_owned()),
        fallback_base_url: Some("http://192.168.1.5:8000/v1".to_owned()),
        fallback_model: Some("large".to_owned()),
        allow_private_network: true,
        max_output_chars: 3000,
        command_timeout: 30,
        run_policy: RunPolicy::Allow,
        escalation: Escalation::Auto,
        assist_numbers: AssistNumbers::Open,
        sandbox: CommandSandbox::Workspace,
        sandbox_network: false,
        names: false,
        observer: Observer::Exec(PathBuf::from("/usr/local/bin/watch")),
        decide: true,
        decide_prefer: DecidePrefer::Fallback,
        artifact_days: 30,
        ..WorkerConfig::default()
    };
    assert_eq!(worker, expected);
    assert_eq!(worker.fallback_model(), "large");
    assert_eq!(WorkerConfig::default().fallback_model(), "local");
    assert_ne!(WORKER_KEY, WORKER_FALLBACK_KEY);
}

#[test]
fn the_defaults_ask_and_mask() {
    let worker = config("").worker_for("any", Some(Path::new("/anywhere")));
    assert_eq!((worker.arm, worker.run_policy, worker.escalation), (Arm::Ask, RunPolicy::Ask, Escalation::Ask));
    assert_eq!((worker.mode, worker.assist_numbers), (WorkerMode::Assist, AssistNumbers::Masked));
    assert!(worker.enabled && worker.entity_pass && worker.shapes && worker.names && !worker.allow_private_network);
    assert!(worker.base_url.is_none() && worker.observer == Observer::None && worker.allow.is_empty());
    assert_eq!((worker.artifact_days, worker.session_days), (0, 0));
}

#[test]
fn the_most_specific_word_wins_and_arming_one_client_arms_no_other() {
    let config = config(FULL);
    let in_shop = |client| config.worker_for(client, Some(Path::new("/home/me/shop/web")));
    assert_eq!((in_shop("codex").arm, in_shop("claude").arm), (Arm::On, Arm::Ask));
    assert_eq!(in_shop("claude").run_policy, RunPolicy::Ask);
    assert_eq!(config.worker_for("claude", None).run_policy, RunPolicy::Allow);
    // Extra lines add up, each once.
    assert_eq!(in_shop("codex").allow, ["npm test", "cargo test *"]);
    assert_eq!(in_shop("claude").allow, ["npm test", "cargo test *"]);
    assert_eq!(config.worker_for("codex", None).allow, ["cargo test *"]);
    // An inner project keeps what it does not say itself.
    let api = config.worker_for("claude", Some(Path::new("/home/me/shop/api/src")));
    assert_eq!((api.mode, api.run_policy, api.sandbox), (WorkerMode::Assist, RunPolicy::Ask, CommandSandbox::ReadOnly));
}

#[test]
fn a_client_comes_before_a_project() {
    let text = "[projects.\"/p\".worker]\nmode = \"assist\"\n[clients.c.worker]\nmode = \"pii\"\n";
    assert_eq!(config(text).worker_for("c", Some(Path::new("/p"))).mode, WorkerMode::Pii);
}

#[rstest]
#[case("/home/me/shop", true)]
#[case("/home/me/shop/", true)]
#[case("/home/me/shop/x/y", true)]
#[case("/home/me/shop-2", false)]
#[case("/home/me", false)]
#[case("home/me/shop", false)]
fn a_project_is_its_folder_and_what_lies_in_it(#[case] folder: &str, #[case] is_in: bool) {
    let worker = config(FULL).worker_for("claude", Some(Path::new(folder)));
    assert_eq!(worker.run_policy == RunPolicy::Ask, is_in);
}

#[test]
fn what_was_written_out_reads_back_equal() {
    let config = config(FULL);
    let written = to_toml(&config);
    assert_eq!(parse(&written).unwrap(), config, "{written}");
    assert_eq!(to_toml(&parse(&written).unwrap()), written);
}

#[test]
fn lines_are_known_for_every_table() {
    let lines = config(FULL).origin.lines;
    assert_eq!(lines["worker.mode"], 3);
    assert_eq!(lines["clients.codex.worker.arm"], 27);
    assert_eq!(lines["projects./home/me/shop.worker.run_policy"], 31);
    assert!(!lines.contains_key("clients.codex.worker"));
}

#[rstest]
#[case("[worker]\nmod = \"pii\"\n", 2, "unknown key `mod` in [worker]; did you mean `mode`?")]
#[case("[worker]\nmode = \"pi\"\n", 2, "expected one of pii, assist; did you mean `pii`?")]
#[case("[worker]\narm = \"yes\"\n", 2, "expected one of ask, on")]
#[case("[worker]\nrun_policy = \"alow\"\n", 2, "did you mean `allow`?")]
#[case("[worker]\nescalation = \"of\"\n", 2, "did you mean `off`?")]
#[case("[worker]\nassist_numbers = \"opened\"\n", 2, "did you mean `open`?")]
#[case("[worker]\nsandbox = \"readonly\"\n", 2, "did you mean `read_only`?")]
#[case("[worker]\ndecide_prefer = \"secondary\"\n", 2, "expected one of primary, fallback")]
#[case("[worker]\nobserver = \"webhok\"\n", 2, "did you mean `webhook`?")]
#[case("[worker]\nobserver = \"exec:watch\"\n", 2, "by its whole path")]
#[case("[worker]\nobserver = \"webhook\"\n", 1, "[worker] needs `observer_url`")]
#[case("[worker]\nbase_url = \"ftp://127.0.0.1/v1\"\n", 2, "must start with `https://` or `http://`")]
#[case("[worker]\nbase_url = \"127.0.0.1:8000\"\n", 2, "`base_url`")]
#[case("[worker]\nfallback_base_url = \"http://u:p@127.0.0.1/v1\"\n", 2, "must not contain a user name")]
#[case("[worker]\nbase_url = \"http://127.0.0.1/{account_id}/v1\"\n", 2, "knows no placeholders")]
#[case("[worker]\nbase_url = \"http://127.0.0.1/v1?key=1\"\n", 2, "without `?` or `#`")]
#[case("[worker]\napi_key_env = \"LD_PRELOAD\"\n", 2, "steers programs")]
#[case("[worker]\nparallel_chunks = 0\n", 2, "`parallel_chunks` must be between 1 and 64")]
#[case("[worker]\nmax_output_chars = 20001\n", 2, "`max_output_chars` must be between 100 and 20000")]
#[case("[worker]\ncommand_timeout = -1\n", 2, "must be between 1 and 3600")]
#[case("[worker]\nllm_timeout = \"30\"\n", 2, "`llm_timeout` takes a whole number, not a text")]
#[case("[worker]\nallow = [\"ls\"]\n", 2, "`allow` belongs to one client or project")]
#[case("[worker]\nrun_allow = \"/tmp/mine.txt\"\n", 2, "the allow-list is `run-allow.txt` beside this file")]
#[case("[worker]\nprivate_terms = \"/tmp/t.json\"\n", 2, "`private_terms.json` beside this file")]
#[case("[worker]\nstate_dir = \"/tmp/s\"\n", 2, "`LWA_HOME` moves all folders together")]
#[case("[worker]\napi_key_file = \"/tmp/k\"\n", 2, "store the key with `lwa keys set worker`")]
#[case("[worker]\nsession = \"s\"\n", 2, "lwa-mcp --session KEY")]
#[case("[worker]\nterms_seed = \"s\"\n", 2, "belongs to a part that this version does not have yet")]
#[case("[clients.c.worker]\nrun_allow = \"/tmp/mine.txt\"\n", 2, "unknown key `run_allow`")]
#[case("[providers.worker]\nbase_url = \"http://127.0.0.1\"\n", 1, "is the name of a key of the worker's")]
#[case("[providers.worker-fallback]\nbase_url = \"http://127.0.0.1\"\n", 1, "choose another one")]
#[case("[clients.c.worker]\narmed = \"on\"\n", 2, "did you mean `arm`?")]
#[case("[clients.c.worker]\nbase_url = \"http://127.0.0.1\"\n", 2, "unknown key `base_url`")]
#[case("[clients.c.worker]\nallow = [\"ls\", \"ls\\nrm -r x\"]\n", 2, "each entry on one line")]
#[case("[clients.c.wroker]\narm = \"on\"\n", 1, "did you mean `worker`?")]
#[case("[projects.\"shop\".worker]\n", 1, "is no folder; write its whole path")]
#[case("[projects.\"/shop/\".worker]\n", 1, "is no folder")]
#[case("[projects.\"/shop/../x\".worker]\n", 1, "is no folder")]
#[case("[projects.\"~/shop\".worker]\n", 1, "is no folder")]
#[case("[projects.\"/shop\"]\narm = \"on\"\n", 2, "unknown key `arm`")]
fn what_cannot_be_used_is_refused_with_its_line(#[case] text: &str, #[case] line: usize, #[case] part: &str) {
    let error = parse(text).expect_err(text);
    assert_eq!(error.line(), Some(line), "{error}");
    assert!(error.to_string().contains(part), "{error}");
}

#[rstest]
#[case("api_key = \"sk-fake-0123456789abcdef\"")]
#[case("api_key_env = \"sk-fake-0123456789abcdef\"")]
#[case("observer = \"sk-fake-0123456789abcdef\"")]
#[case("base_url = \"http://127.0.0.1/v1#sk-fake-0123456789abcdef\"")]
fn a_key_in_the_wrong_place_is_never_shown(#[case] line: &str) {
    let error = parse(&format!("[worker]\n{line}\n")).unwrap_err();
    assert_eq!(error.line(), Some(2));
    assert!(!error.to_string().contains("0123456789abcdef"), "{error}");
}

fn keys(old: &str, new: &str) -> Vec<String> {
    let (old, new) = (config(old), config(new));
    let found = loosening(&old, &new);
    let held = without_loosening(&old, &new);
    assert_eq!(loosening(&old, &held), [], "held values must not loosen");
    assert_eq!(parse(&to_toml(&held)).unwrap(), held, "what is held can be written");
    if found.is_empty() {
        assert_eq!(held, new, "an edit that loosens nothing takes effect whole");
    }
    found.into_iter().map(|loosening| loosening.key).collect()
}

#[rstest]
#[case("enabled = false", "", "enabled")]
#[case("mode = \"pii\"", "mode = \"assist\"", "mode")]
#[case("", "arm = \"on\"", "arm")]
#[case("", "run_policy = \"allow\"", "run_policy")]
#[case("run_policy = \"allow\"", "run_policy = \"off\"", "run_policy")]
#[case("escalation = \"auto\"", "escalation = \"ask\"", "escalation")]
#[case("", "escalation = \"off\"", "escalation")]
#[case("", "assist_numbers = \"open\"", "assist_numbers")]
#[case("sandbox = \"read_only\"", "sandbox = \"workspace\"", "sandbox")]
#[case("sandbox = \"workspace\"", "", "sandbox")]
#[case("sandbox_network = false", "", "sandbox_network")]
#[case("", "allow_private_network = true", "allow_private_network")]
#[case("strict_pii = true", "strict_pii = false", "strict_pii")]
#[case("", "entity_pass = false", "entity_pass")]
#[case("", "shapes = false", "shapes")]
#[case("", "names = false", "names")]
#[case("fail_closed = true", "", "fail_closed")]
#[case("", "base_url = \"http://127.0.0.1:1/v1\"", "base_url")]
#[case("", "fallback_base_url = \"http://127.0.0.1:1/v1\"", "fallback_base_url")]
#[case("", "api_key_env = \"ANY_KEY\"", "api_key_env")]
#[case("", "fallback_api_key_env = \"ANY_KEY\"", "fallback_api_key_env")]
#[case("", "observer = \"exec:/bin/cat\"", "observer")]
#[case("", "observer = \"webhook\"\nobserver_url = \"http://127.0.0.1:1\"", "observer")]
#[case("", "decide = true", "decide")]
#[case("", "max_output_chars = 2001", "max_output_chars")]
#[case("max_tokens_cap = 4096", "", "max_tokens_cap")]
#[case("", "material_max_chars = 400001", "material_max_chars")]
#[case("command_timeout = 60", "", "command_timeout")]
#[case("", "dialog_timeout = 601", "dialog_timeout")]
#[case("artifact_days = 5", "artifact_days = 6", "artifact_days")]
#[case("artifact_days = 5", "artifact_days = 0", "artifact_days")]
#[case("session_days = 5", "", "session_days")]
#[case("model = \"gpt-oss:20b\"", "model = \"gpt-oss:120b-cloud\"", "model")]
#[case("", "fallback_model = \"gpt-oss:120b-cloud\"", "fallback_model")]
fn each_guard_of_the_worker_waits_when_it_is_lowered_and_not_when_it_is_raised(
    #[case] strict: &str,
    #[case] loose: &str,
    #[case] key: &str,
) {
    let (strict, loose) = (format!("[worker]\n{strict}\n"), format!("[worker]\n{loose}\n"));
    assert_eq!(keys(&strict, &loose), [format!("worker.{key}")]);
    assert!(keys(&loose, &strict).is_empty());
}

#[rstest]
#[case("base_url = \"http://127.0.0.1:1/v1\"", "base_url = \"http://127.0.0.1:2/v1\"", "base_url")]
#[case("base_url = \"http://127.0.0.1:1/v1\"", "base_url = \"http://127.0.0.1:1/other\"", "base_url")]
#[case("api_key_env = \"A_KEY\"", "api_key_env = \"B_KEY\"", "api_key_env")]
#[case("observer = \"exec:/bin/cat\"", "observer = \"exec:/bin/tee\"", "observer")]
#[case(
    "observer = \"webhook\"\nobserver_url = \"http://127.0.0.1:1\"",
    "observer = \"webhook\"\nobserver_url = \"https://far.example\"",
    "observer"
)]
fn another_place_waits_in_both_directions(#[case] one: &str, #[case] other: &str, #[case] key: &str) {
    let (one, other) = (format!("[worker]\n{one}\n"), format!("[worker]\n{other}\n"));
    assert_eq!(keys(&one, &other), [format!("worker.{key}")]);
    assert_eq!(keys(&other, &one), [format!("worker.{key}")]);
}

#[test]
fn what_guards_nothing_takes_effect_at_once() {
    let new = "[worker]\nmodel = \"other\"\nthinking = true\nllm_timeout = 3600\nchunk_chars = 48000\n\
        parallel_chunks = 8\ncontext_chars = 24000\nfailover_cooldown = 1\ncaller_model = \"m\"\n\
        decide_prefer = \"fallback\"\nartifact_days = 4\nsession_days = 9\nobserver_url = \"https://far.example\"\n";
    assert!(keys("[worker]\nartifact_days = 5\n", new).is_empty());
}

#[rstest]
// A client that is armed arms no other, and waits by itself.
#[case("", "[clients.c.worker]\narm = \"on\"\n", &["clients.c.worker.arm"])]
#[case("", "[projects.\"/p\".worker]\nrun_policy = \"off\"\n", &["projects./p.worker.run_policy"])]
#[case("", "[clients.c.worker]\nallow = [\"ls *\"]\n", &["clients.c.worker.allow"])]
#[case("[clients.c.worker]\nallow = [\"ls *\"]\n", "[clients.c.worker]\nallow = []\n", &[])]
#[case("[clients.c.worker]\nallow = [\"a\", \"b\"]\n", "[clients.c.worker]\nallow = [\"b\", \"c\"]\n", &["clients.c.worker.allow"])]
// A line that moves from a project to a client holds in more places.
#[case("[projects.\"/p\".worker]\nallow = [\"a\"]\n", "[clients.c.worker]\nallow = [\"a\"]\n", &["clients.c.worker.allow"])]
// What is said already changes nothing.
#[case("[worker]\narm = \"on\"\n", "[worker]\narm = \"on\"\n[clients.c.worker]\narm = \"on\"\n", &[])]
// A restraint that goes lets the outer word return.
#[case("[worker]\narm = \"on\"\n[clients.c.worker]\narm = \"ask\"\n", "[worker]\narm = \"on\"\n", &["clients.c.worker.arm"])]
#[case(
    "[worker]\nrun_policy = \"allow\"\n[projects.\"/p\".worker]\nrun_policy = \"ask\"\n",
    "[worker]\nrun_policy = \"allow\"\n",
    &["projects./p.worker.run_policy"]
)]
// An inner project cannot undo its outer one.
#[case(
    "[projects.\"/p\".worker]\nmode = \"pii\"\n",
    "[projects.\"/p\".worker]\nmode = \"pii\"\n[projects.\"/p/q\".worker]\nmode = \"assist\"\n",
    &["projects./p/q.worker.mode"]
)]
// A client's word counts in every project.
#[case(
    "[projects.\"/p\".worker]\nmode = \"pii\"\n",
    "[projects.\"/p\".worker]\nmode = \"pii\"\n[clients.c.worker]\nmode = \"assist\"\n",
    &["clients.c.worker.mode"]
)]
#[case("[clients.c.worker]\nsandbox = \"read_only\"\n", "[clients.c.worker]\nsandbox = \"off\"\n", &["clients.c.worker.sandbox"])]
#[case("", "[clients.c.worker]\nmode = \"pii\"\nescalation = \"auto\"\nsandbox = \"read_only\"\n", &[])]
fn what_a_client_or_a_project_has_of_its_own_counts_as_it_takes_effect(
    #[case] old: &str,
    #[case] new: &str,
    #[case] expected: &[&str],
) {
    assert_eq!(keys(old, new), expected);
}

#[test]
fn a_restraint_that_was_removed_stays_in_force_until_a_human_accepts() {
    let old = config("[worker]\narm = \"on\"\n[clients.c.worker]\narm = \"ask\"\n");
    let held = without_loosening(&old, &config("[worker]\narm = \"on\"\n"));
    assert_eq!(held.worker_for("c", None).arm, Arm::Ask);
    assert_eq!(held.worker_for("other", None).arm, Arm::On);
}

#[test]
fn the_workers_files_have_fixed_places() {
    let home = Home::at(Path::new("/h")).unwrap();
    let config = [
        (home.run_allow_file(), "run-allow.txt"),
        (home.private_terms_file(), "private_terms.json"),
        (home.rules_file(), "rules.json"),
        (home.prices_file(), "prices.json"),
        (home.denylist_file(), "denylist.txt"),
    ];
    for (path, name) in config {
        assert_eq!(path, Path::new("/h/config").join(name));
    }
    assert_eq!(home.artifacts_folder(), Path::new("/h/state/artifacts"));
}
