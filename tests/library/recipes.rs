//! Recipes: made of work that repeats, found, run, and not made of themselves.

use std::process::Stdio;

use lwa_testkit::fake_provider::{FakeProvider, scenario};
use lwa_tests::{Era, Sidecar, TestHome, program};
use serde_json::{Value, json};

use crate::{TASK, create, file, run_workflow, tools};

#[test]
fn lwa_072_three_named_runs_make_an_active_recipe_that_is_found_and_listed() {
    let home = TestHome::new();
    for times in 1..=3 {
        assert!(tools(&home).is_empty(), "before run {times}");
        run_workflow(&home, "Weekly release notes", "Please shorten the notes of release 1.4, port 8443 stays.");
    }
    create(&home, "Other notes");
    let made = tools(&home);
    let tool = made.iter().find(|tool| tool["slug"] == "weekly-release-notes").unwrap();
    assert_eq!((&tool["status"], &tool["evidence_count"]), (&json!("active"), &json!(3)), "{tool}");
    let found = home.lwa(&["library", "search", "release notes", "--json"]).json();
    assert_eq!(found[0]["slug"], "weekly-release-notes", "{found}");
    let catalogue = std::fs::read_to_string(file(&home, "CATALOG.md")).unwrap();
    assert!(catalogue.contains("Weekly Release Notes") && catalogue.contains("active"), "{catalogue}");
    // A fourth run is evidence for the same one.
    run_workflow(&home, "Weekly release notes", "Please shorten the notes of release 1.5.");
    let now = tools(&home);
    assert_eq!(now.len(), 2);
    assert!(now.iter().any(|tool| tool["slug"] == "weekly-release-notes" && tool["evidence_count"] == 4));
    assert_eq!(home.lwa(&["library", "analyze", "--json"]).json()["created_tools"], json!([]));
}

#[test]
fn lwa_078_runs_that_failed_make_no_recipe() {
    let home = TestHome::new();
    let arguments = [
        "library",
        "observe",
        "--name",
        "Release notes",
        "--description",
        "Writes them",
        "--task",
        TASK,
        "--failed",
        "--json",
    ];
    for _ in 0..4 {
        let observed = home.lwa(&arguments).json();
        assert_eq!((&observed["status"], &observed["created_tool"]), (&json!("counted"), &Value::Null), "{observed}");
    }
    assert!(tools(&home).is_empty());
    let status = home.lwa(&["library", "status", "--json"]).json();
    assert_eq!((&status["patterns"][0]["occurrences"], &status["patterns"][0]["successes"]), (&json!(4), &json!(0)));
}

#[test]
fn lwa_080_an_agent_runs_a_recipe_and_that_is_not_observed_again() {
    let home = TestHome::new();
    create(&home, "Shortener");
    let mut sidecar = Sidecar::start(&home, Era::Legacy, &[]);
    for _ in 0..3 {
        let prepared =
            sidecar.tool("run_library_tool", json!({ "slug": "shortener", "input_text": "Please keep port 8443." }));
        assert_eq!((&prepared["status"], &prepared["library_tool"]["slug"]), (&json!("ready"), &json!("shortener")));
        let ran = sidecar.tool("run_prepared_task", json!({ "plan_token": prepared["plan_token"] }));
        assert_eq!(ran["status"], "completed", "{ran}");
        assert!(ran["text"].as_str().unwrap().contains("8443"));
    }
    assert_eq!(home.lwa(&["library", "status", "--json"]).json()["pattern_count"], 0);
}

#[test]
fn a_14_a_consensus_of_seven_voters_is_one_observation() {
    let provider = FakeProvider::start(scenario::named("answer").unwrap()).unwrap();
    let mut config = String::new();
    for number in 1..=7 {
        let member = format!(
            "[providers.p{number}]\nbase_url = \"{}/v1\"\nbilling_class = \"free\"\n\
             [[models]]\nprovider = \"p{number}\"\nmodel = \"m\"\ncapabilities = [\"text\", \"reasoning\"]\n",
            provider.base_url()
        );
        config.push_str(&member);
    }
    let home = TestHome::with_config(&config);
    let mut sidecar = Sidecar::start(&home, Era::Legacy, &[]);
    let plan = sidecar.tool("build_consensus", json!({ "question": "Is the migration of the ledger safe?" }));
    let ran = sidecar.tool("run_prepared_task", json!({ "plan_token": plan["plan_token"] }));
    assert_eq!((&ran["status"], &ran["consensus"]["answered"]), (&json!("completed"), &json!(7)), "{ran}");
    let status = home.lwa(&["library", "status", "--json"]).json();
    assert_eq!((&status["pattern_count"], &status["patterns"][0]["occurrences"]), (&json!(1), &json!(1)), "{status}");
    assert!(tools(&home).is_empty());
}

#[test]
fn a_15_unrelated_russian_prompts_make_no_recipe() {
    let home = TestHome::new();
    for prompt in [
        "Сократи описание настройки почтового сервера и оставь номера портов 25 и 587",
        "Перепиши рецепт яблочного пирога короче, сохрани граммы муки и сахара",
        "Сожми протокол совещания о переезде склада в Казань до пяти предложений",
    ] {
        assert_eq!(home.lwa(&["run", TASK, prompt, "--json"]).code, 0);
    }
    assert!(tools(&home).is_empty());
    assert_eq!(home.lwa(&["library", "status", "--json"]).json()["pattern_count"], 3);
}

#[test]
fn a_recipes_program_runs_the_recipe_from_its_own_folder() {
    let home = TestHome::new();
    create(&home, "Shortener");
    let folder = file(&home, "tools/shortener");
    let lwa = program("lwa");
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", lwa.parent().unwrap().display());
    let run = |arguments: &[&str], input: &str| {
        let mut command = home.command(std::path::Path::new("python3"));
        command.arg("run.py").args(arguments).current_dir(&folder).env("PATH", &path);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    };
    let (code, stdout, stderr) = run(&["Please", "keep", "port", "8443."], "");
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("8443"), "{stdout}");
    assert!(stderr.contains("Working..."), "{stderr}");
    let (code, stdout, _) = run(&[], "Please keep port 9443.\n");
    assert_eq!(code, 0);
    assert!(stdout.contains("9443"), "{stdout}");
    let (code, _, stderr) = run(&[], "  \n");
    assert_eq!(code, 2);
    assert!(stderr.contains("text"), "{stderr}");
}

#[test]
fn exit_codes_tell_a_missing_tool_a_bad_one_and_one_out_of_use_apart() {
    let home = TestHome::new();
    create(&home, "Shortener");
    let missing = home.lwa(&["library", "run", "shortner", "--input", "x", "--json"]);
    assert_eq!(missing.code, 3, "{missing:?}");
    assert!(missing.json()["error"]["message"].as_str().unwrap().contains("`shortener`"), "{missing:?}");
    let bad = ["library", "create", "--name", "Bad", "--description", "x", "--task", TASK, "--template", "{question}"];
    assert_eq!(home.lwa(&bad).code, 2);
    assert_eq!(home.lwa(&["library", "disable", "shortener"]).code, 0);
    assert_eq!(home.lwa(&["library", "run", "shortener", "--input", "x"]).code, 4);
    assert_eq!(home.lwa(&["library", "search", "shorter", "--json"]).json(), json!([]));
    let all = home.lwa(&["library", "search", "shorter", "--include-inactive", "--json"]).json();
    assert_eq!(all[0]["status"], "disabled");
}

#[test]
fn a_person_archives_and_deletes_and_an_agent_does_not() {
    let home = TestHome::new();
    create(&home, "Shortener");
    let history = home.lwa(&["library", "history", "shortener", "--json"]).json();
    assert_eq!(
        (&history["versions"][0]["version"], &history["versions"][0]["is_current"]),
        (&json!("0.1.0"), &json!(true))
    );
    assert_eq!(home.lwa(&["library", "archive", "shortener", "--json"]).json()["status"], "archived");
    assert_eq!(home.lwa(&["library", "delete", "shortener"]).code, 2);
    assert_eq!(home.lwa(&["library", "delete", "shortener", "--yes"]).code, 0);
    assert!(tools(&home).is_empty());
    assert!(!file(&home, "tools/shortener").exists());
    let mut sidecar = Sidecar::start(&home, Era::Legacy, &["--toolsets", "all"]);
    let listed = sidecar.request("tools/list", json!({}));
    let names: Vec<&str> =
        listed["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"disable_library_tool"));
    assert!(!names.iter().any(|name| name.contains("delete") || name.contains("archive")), "{names:?}");
}

#[test]
fn every_library_tool_answers_an_agent() {
    let home = TestHome::new();
    let mut sidecar = Sidecar::start(&home, Era::Legacy, &["--toolsets", "library"]);
    let created = sidecar.tool(
        "create_library_tool",
        json!({ "name": "Release notes", "description": "Writes them", "task": TASK, "prompt_template": "Notes of {input}" }),
    );
    assert_eq!((&created["slug"], &created["status"]), (&json!("release-notes"), &json!("active")), "{created}");
    let listed = sidecar.tool("list_library_tools", json!({}));
    assert_eq!(listed["tools"][0]["slug"], "release-notes");
    assert!(listed["tools"][0].get("prompt_template").is_none());
    let found = sidecar.tool("search_tool_library", json!({ "query": "notes of a release" }));
    assert_eq!(found["tools"][0]["slug"], "release-notes");
    assert!(found["tools"][0]["relevance"].as_f64().unwrap() > 0.5);
    let nothing = sidecar.tool("search_tool_library", json!({ "query": "kubernetes" }));
    assert_eq!(nothing["tools"], json!([]));
    let suggested = sidecar.tool("suggest_library_tools", json!({ "context": "write release notes" }));
    assert_eq!(suggested["suggestions"][0]["slug"], "release-notes");
    let read = sidecar.tool("read_library_tool", json!({ "slug": "release-notes" }));
    assert_eq!(read["content"], "Notes of {input}");
    assert!(read["readme"].is_string() && read["manifest"].is_string() && read["path"].is_string());
    for expected in [Value::Null, Value::Null, json!("weekly-report")] {
        let observed = sidecar.tool(
            "observe_workflow",
            json!({ "workflow_name": "Weekly report", "description": "Reports", "task": "sitrep" }),
        );
        assert_eq!(observed["created_tool"]["slug"], expected, "{observed}");
    }
    let analyzed = sidecar.tool("analyze_repeated_workflows", json!({}));
    assert_eq!(analyzed["patterns"][0]["tool_slug"], "weekly-report");
    let status = sidecar.tool("library_status", json!({}));
    assert_eq!((&status["library"]["tools"], &status["library"]["active"]), (&json!(2), &json!(2)));
    assert_eq!(sidecar.tool("disable_library_tool", json!({ "slug": "weekly-report" }))["status"], "disabled");
    let rebuilt = sidecar.tool("rebuild_tool_catalog", json!({}));
    assert_eq!((&rebuilt["status"], &rebuilt["tools"]), (&json!("rebuilt"), &json!(2)));
    let unknown = sidecar.tool("run_library_tool", json!({ "slug": "release-note", "input_text": "x" }));
    assert_eq!((&unknown["_is_error"], &unknown["error"]["code"]), (&json!(true), &json!("not_found")));
    assert!(unknown["error"]["message"].as_str().unwrap().contains("release-notes"), "{unknown}");
}

#[test]
fn an_unknown_tool_ends_a_command_as_a_missing_route_does_and_names_the_nearest() {
    let home = TestHome::new();
    create(&home, "Release notes");
    for verb in [&["show", "release-note"][..], &["run", "release-note", "--input", "x"], &["disable", "release-note"]]
    {
        let ran = home.lwa(&[&["library"], verb, &["--json"]].concat());
        assert_eq!((ran.code, &ran.json()["error"]["code"]), (3, &json!("not_found")), "{verb:?} {ran:?}");
        assert!(ran.json()["error"]["message"].as_str().unwrap().contains("release-notes"), "{ran:?}");
    }
    // What else is named wrongly is bad input.
    assert_eq!(home.lwa(&["approvals", "show", "abcdef", "--json"]).code, 2);
}
