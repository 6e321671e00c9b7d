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
    TestHome::with_config(
        "[providers.elsewhere]\nbase_url = \"http://models.example/v1\"\napi_key_env = \"ACME_KEY\"\n\
         billing_class = \"free_quota\"\ndata_use = \"retains\"\n\
         [[models]]\nprovider = \"elsewhere\"\nmodel = \"m-1\"\ncapabilities = [\"text\", \"reasoning\"]\n\
         context_length = 100000\n",
    )
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
