//! Scripts: nothing runs that a human did not approve, and what runs sees no key.

use lwa_tests::{Era, Sidecar, TestHome, planted};
use serde_json::{Value, json};

use crate::file;

const SWITCHED_ON: &str = "[library]\nallow_reviewed_script_execution = true\n";

fn register(sidecar: &mut Sidecar, source: &str) {
    let arguments = json!({
        "name": "Shout", "description": "Says it loudly", "task": "coding_aux", "source": source,
    });
    let registered = sidecar.tool("register_script_tool", arguments);
    assert_eq!((&registered["status"], &registered["approved"]), (&json!("draft"), &json!(false)), "{registered}");
}

fn run(sidecar: &mut Sidecar) -> Value {
    sidecar.tool("run_library_tool", json!({ "slug": "shout", "input_text": "hello" }))
}

/// Asks as the agent, and answers as a person at a terminal of their own.
fn approve(home: &TestHome, sidecar: &mut Sidecar) {
    let asked = sidecar.tool("approve_library_tool", json!({ "slug": "shout" }));
    assert_eq!(asked["status"], "unavailable", "{asked}");
    let open = home.open_approvals();
    let (id, code) = (open[0]["id"].as_str().unwrap(), open[0]["code"].as_str().unwrap());
    let allowed = home.lwa_on_terminal(&["approvals", "allow", id], &format!("{code}\n"));
    assert_eq!(allowed.code, 0, "{allowed:?}");
    assert_eq!(sidecar.tool("approve_library_tool", json!({ "slug": "shout" }))["status"], "ready");
}

#[test]
fn a_script_runs_after_a_persons_yes_and_not_before() {
    let home = TestHome::with_config(SWITCHED_ON);
    let mut sidecar = Sidecar::start_apart(&home, Era::Legacy, &["--toolsets", "all"]);
    register(&mut sidecar, "import sys\nprint(sys.stdin.read().upper(), end='')\n");
    let waits = run(&mut sidecar);
    assert_eq!((&waits["status"], &waits["stdout"]), (&json!("review_required"), &Value::Null), "{waits}");
    assert_eq!(home.lwa(&["library", "run", "shout", "--input", "hello"]).code, 4);
    approve(&home, &mut sidecar);
    let ran = run(&mut sidecar);
    assert_eq!((&ran["status"], &ran["stdout"], &ran["returncode"]), (&json!("completed"), &json!("HELLO"), &json!(0)));
    let by_hand = home.lwa_with_input(&["library", "run", "shout", "--input", "-"], b"from a pipe");
    assert_eq!((by_hand.code, by_hand.stdout.as_str()), (0, "FROM A PIPE"), "{by_hand:?}");
}

#[test]
fn an_agent_cannot_approve_a_script_with_its_own_shell() {
    let home = TestHome::with_config(SWITCHED_ON);
    // This test is the client here, so everything that it starts is the agent's.
    let mut sidecar = Sidecar::start(&home, Era::Legacy, &["--toolsets", "all"]);
    register(&mut sidecar, "print('ran')\n");
    assert_eq!(sidecar.tool("approve_library_tool", json!({ "slug": "shout" }))["status"], "unavailable");
    let open = home.open_approvals();
    let (id, code) = (open[0]["id"].as_str().unwrap(), open[0]["code"].as_str().unwrap());
    let typed = home.lwa_on_terminal(&["approvals", "allow", id], &format!("{code}\n"));
    assert_eq!(typed.code, 4, "{typed:?}");
    let asked = home.lwa_on_terminal(&["library", "approve", "shout"], &format!("{code}\n"));
    assert_eq!(asked.code, 4, "{asked:?}");
    assert_eq!(run(&mut sidecar)["status"], "review_required");
    let shown = home.lwa(&["library", "show", "shout", "--json"]).json();
    assert_eq!((&shown["tool"]["status"], &shown["tool"]["approved"]), (&json!("draft"), &json!(false)));
}

#[test]
fn a_19_a_script_that_was_changed_after_its_approval_is_refused() {
    let home = TestHome::with_config(SWITCHED_ON);
    let mut sidecar = Sidecar::start_apart(&home, Era::Legacy, &["--toolsets", "all"]);
    register(&mut sidecar, "print('first')\n");
    approve(&home, &mut sidecar);
    assert_eq!(run(&mut sidecar)["stdout"], "first\n");
    std::fs::write(file(&home, "tools/shout/tool.py"), "print('second')\n").unwrap();
    // Neither the file nor what is written about it makes an approval.
    let registry = std::fs::read_to_string(file(&home, "registry.json")).unwrap();
    assert!(registry.contains("\"approved\": true"));
    let refused = run(&mut sidecar);
    assert_eq!((&refused["status"], &refused["stdout"]), (&json!("review_required"), &Value::Null), "{refused}");
    approve(&home, &mut sidecar);
    assert_eq!(run(&mut sidecar)["stdout"], "second\n");
}

#[test]
fn a_21_a_script_that_prints_what_it_can_reach_prints_no_key() {
    let key = planted::secret("provider");
    let home = TestHome::with_config(&format!(
        "{SWITCHED_ON}[secrets]\nbackend = \"file\"\n[providers.acme]\nbase_url = \"http://127.0.0.1:9/v1\"\n\
         api_key_env = \"ACME_KEY\"\nbilling_class = \"free\"\n"
    ))
    .set("ACME_KEY", &key);
    let stored = planted::secret("stored");
    assert_eq!(home.lwa_with_input(&["keys", "set", "acme"], format!("{stored}\n").as_bytes()).code, 0);
    let mut sidecar = Sidecar::start_apart(&home, Era::Legacy, &["--toolsets", "all"]);
    let secrets = home.lwa_home().join("state/secrets.env");
    let source = format!(
        "import os\nprint(sorted(os.environ.items()))\nfor path in ['/proc/self/environ', '/proc/%d/environ' % os.getppid(), {:?}]:\n    try:\n        print(open(path, 'rb').read())\n    except OSError as error:\n        print(type(error).__name__)\n",
        secrets.display().to_string()
    );
    register(&mut sidecar, &source);
    approve(&home, &mut sidecar);
    let arguments = json!({ "slug": "shout", "input_text": "x", "max_output_bytes": 100_000 });
    let ran = sidecar.tool("run_library_tool", arguments);
    assert_eq!(ran["status"], "completed", "{ran}");
    let stdout = ran["stdout"].as_str().unwrap();
    assert!(stdout.contains("PATH"), "the script printed nothing: {stdout}");
    for secret in [&key, &stored] {
        planted::assert_clean("a script's output", stdout, secret);
    }
}

#[test]
fn a_person_registers_reads_and_approves_a_script_at_the_command_line() {
    let home = TestHome::with_config(SWITCHED_ON);
    let script = home.folder().join("shout.py");
    std::fs::write(&script, "import sys\nprint(sys.stdin.read().upper(), end='')\n").unwrap();
    let path = script.display().to_string();
    let register =
        ["library", "register", &path, "--name", "Shout", "--description", "Says it loudly", "--task", "coding_aux"];
    assert_eq!(home.lwa(&register).code, 0);
    // Without a terminal the question is opened and stays open.
    let asked = home.lwa(&["library", "approve", "shout", "--json"]);
    assert_eq!((asked.code, &asked.json()["status"]), (4, &json!("unavailable")), "{asked:?}");
    let open = home.open_approvals();
    let code = open[0]["code"].as_str().unwrap();
    let wrong = home.lwa_on_terminal(&["library", "approve", "shout"], "NOPE\n");
    assert_eq!(wrong.code, 4, "{wrong:?}");
    assert!(wrong.stdout.contains("sys.stdin.read().upper()"), "the content is shown: {wrong:?}");
    // The wrong code was a no, which is remembered for this content for a while.
    assert!(home.open_approvals().is_empty());
    let again = home.lwa_on_terminal(&["library", "approve", "shout"], &format!("{code}\n"));
    assert_eq!(again.code, 4, "{again:?}");
    assert_eq!(home.lwa(&["library", "run", "shout", "--input", "x"]).code, 4);

    // Another content is another question.
    std::fs::write(file(&home, "tools/shout/shout.py"), "print('read by a person')\n").unwrap();
    assert_eq!(home.lwa(&["library", "approve", "shout"]).code, 4);
    let open = home.open_approvals();
    let code = open[0]["code"].as_str().unwrap();
    let yes = home.lwa_on_terminal(&["library", "approve", "shout"], &format!("{code}\n"));
    assert_eq!(yes.code, 0, "{yes:?}");
    let ran = home.lwa(&["library", "run", "shout", "--input", "x"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "read by a person\n"), "{ran:?}");
}
