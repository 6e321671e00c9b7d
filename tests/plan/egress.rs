//! What leaves this machine: secrets are masked before, and the answer says so.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use lwa_testkit::FakeProvider;
use lwa_testkit::fake_provider::Script;
use lwa_tests::{Era, Sidecar, TestHome, planted, program};
use serde_json::json;

use crate::fakes::saying;

/// A host that reaches a provider elsewhere through a proxy, which is the fake on this machine.
struct Host(Child);

impl Host {
    fn behind(home: &TestHome, proxy: &FakeProvider) -> Self {
        let mut command = home.command(&program("lwa"));
        command.args(["host", "--idle-exit", "1m"]).env("http_proxy", proxy.base_url());
        let mut host = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut ready = String::new();
        BufReader::new(host.stdout.take().unwrap()).read_line(&mut ready).unwrap();
        assert!(ready.contains("\"ready\":true"), "{ready}");
        Self(host)
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn home() -> TestHome {
    home_with("")
}

/// The home with more in its configuration.
fn home_with(more: &str) -> TestHome {
    TestHome::with_config(&format!(
        "{more}[providers.elsewhere]\nbase_url = \"http://models.example/v1\"\napi_key_env = \"ACME_KEY\"\n\
         billing_class = \"free_quota\"\ndata_use = \"retains\"\n\
         [[models]]\nprovider = \"elsewhere\"\nmodel = \"m-1\"\ncapabilities = [\"text\", \"reasoning\"]\n\
         context_length = 100000\n"
    ))
    .set("ACME_KEY", "k-1")
}

#[test]
fn a_key_in_a_prompt_never_reaches_a_provider_and_its_placeholder_is_named() {
    let provider =
        FakeProvider::start(Script::new().on("POST http://models.example/v1/chat/completions", [saying("Rotate it.")]))
            .unwrap();
    let home = home();
    let _host = Host::behind(&home, &provider);
    let key = planted::secret("egress");
    let mut sidecar = Sidecar::start(&home, Era::Legacy, &[]);
    let prompt = format!("Why is this refused?\nOPENAI_API_KEY={key}\nThe port is 8443.");
    let plan = sidecar.tool("prepare_task", json!({ "task": "query", "prompt": prompt }));
    let egress = &plan["egress"];
    assert_eq!((&egress["leaves_machine"], &egress["masked_secrets"]), (&json!(true), &json!(1)), "{plan}");
    assert!(egress["data_use"].as_str().unwrap().contains("elsewhere keeps what it is sent"), "{egress}");
    assert_eq!(provider.connections(), 0);
    let ran = sidecar.tool("run_prepared_task", json!({ "plan_token": plan["plan_token"] }));
    assert_eq!(ran["status"], "completed", "{ran}");
    let calls = provider.calls();
    assert_eq!(calls.len(), 1);
    let sent = String::from_utf8(calls[0].body.clone()).unwrap();
    planted::assert_clean("what was sent", &sent, &key);
    assert!(sent.contains("The port is 8443."), "the rest is sent as it is: {sent}");
    let masked = ran["masked"].as_array().unwrap();
    let placeholder = masked[0]["placeholder"].as_str().unwrap();
    assert!(masked.len() == 1 && sent.contains(placeholder), "{masked:?} {sent}");
    planted::assert_clean("the reply", &ran.to_string(), &key);
    let shown = home.lwa(&["result", plan["plan_id"].as_str().unwrap(), "--json"]);
    assert_eq!(shown.json()["masked"][0]["placeholder"], placeholder);
}

/// Has no shape that gives it away: what it is can only be known from the store.
fn shapeless() -> String {
    ["quiet", "harbour", "lantern", "fifty"].join("~")
}

/// The home with a second provider, whose key will be stored.
fn home_with_another() -> TestHome {
    home_with(
        "[secrets]\nbackend = \"file\"\n[providers.other]\nbase_url = \"http://other.example/v1\"\n\
         api_key_env = \"OTHER_KEY\"\nbilling_class = \"paid\"\n",
    )
}

fn store_key(home: &TestHome) {
    let stored = home.lwa_with_input(&["keys", "set", "other", "--json"], shapeless().as_bytes());
    assert_eq!(stored.code, 0, "{stored:?}");
}

#[test]
fn the_stored_key_of_one_provider_never_reaches_another_in_a_prompt_or_in_a_schema() {
    let answer = saying("{}");
    let provider =
        FakeProvider::start(Script::new().on("POST http://models.example/v1/chat/completions", [answer])).unwrap();
    let home = home_with_another();
    let _host = Host::behind(&home, &provider);
    store_key(&home);
    let key = shapeless();
    let schema = json!({
        "type": "object",
        "properties": { &key: { "type": "string" }, "colour": { "enum": ["red", &key] } },
        "required": [&key, "colour"],
        "additionalProperties": false,
    });
    let mut sidecar = Sidecar::start(&home, Era::Legacy, &[]);
    let plan = sidecar.tool(
        "prepare_task",
        json!({
            "task": "query", "prompt": format!("What opens with {key} in it?"),
            "response_format": { "name": "answer", "schema": schema },
        }),
    );
    assert_eq!(plan["egress"]["masked_secrets"], 1, "one value, wherever it stands: {plan}");
    let ran = sidecar.tool("run_prepared_task", json!({ "plan_token": plan["plan_token"] }));
    assert_eq!(ran["status"], "completed", "{ran}");
    let sent = String::from_utf8(provider.calls()[0].body.clone()).unwrap();
    planted::assert_clean("what was sent", &sent, &key);
    let placeholder = ran["masked"][0]["placeholder"].as_str().unwrap();
    assert_eq!(ran["masked"].as_array().unwrap().len(), 1, "{ran}");
    // Once in the prompt, and in the schema as the name, as a value and as what is required.
    let sent: serde_json::Value = serde_json::from_str(&sent).unwrap();
    let form = &sent["response_format"]["json_schema"]["schema"];
    assert_eq!(form["properties"][placeholder], json!({ "type": "string" }), "{sent}");
    assert_eq!(form["properties"]["colour"]["enum"], json!(["red", placeholder]), "{sent}");
    assert_eq!(form["required"], json!([placeholder, "colour"]), "{sent}");
    assert!(sent["messages"].to_string().contains(&format!("What opens with {placeholder} in it?")), "{sent}");
}

#[test]
fn nothing_is_sent_while_the_stored_keys_cannot_be_read() {
    let provider =
        FakeProvider::start(Script::new().on("POST http://models.example/v1/chat/completions", [saying("Yes.")]))
            .unwrap();
    let home = home_with_another();
    let _host = Host::behind(&home, &provider);
    store_key(&home);
    let file = home.lwa_home().join("state/secrets.env");
    let set_mode = |mode| std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
    // A file that others may read is refused.
    set_mode(0o644);
    let ran = home.lwa(&["run", "query", "why?", "--json"]);
    assert_eq!((ran.code, &ran.json()["error"]["code"]), (5, &json!("secrets_unavailable")), "{ran:?}");
    assert!(ran.json()["error"]["message"].as_str().unwrap().contains("nothing was sent"), "{ran:?}");
    assert_eq!((provider.connections(), &ran.json()["cost_pico_usd"]), (0, &json!(0)));
    set_mode(0o600);
    let ran = home.lwa(&["run", "query", "why?", "--json"]);
    assert_eq!((ran.code, provider.count("POST")), (0, 1), "{ran:?}");
}

#[test]
fn a_provider_on_this_machine_gets_the_text_as_it_is() {
    let provider = crate::fake("answer");
    let home = TestHome::with_config(&crate::config(&provider, "free", "")).set("ACME_KEY", "k-1");
    let key = planted::secret("local");
    let plan = home.lwa(&["plan", "query", &format!("OPENAI_API_KEY={key}"), "--json"]).json();
    assert_eq!((&plan["egress"]["leaves_machine"], &plan["egress"]["masked_secrets"]), (&json!(false), &json!(0)));
    let ran = home.lwa(&["run", "query", &format!("OPENAI_API_KEY={key}"), "--json"]).json();
    assert_eq!(ran["masked"], json!([]));
    assert!(String::from_utf8(provider.calls()[0].body.clone()).unwrap().contains(&key));
}
