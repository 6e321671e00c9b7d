//! Several keys of one provider: another one is used only after a failure of the key alone.

use lwa_testkit::{FakeProvider, Reply, Script};
use lwa_tests::{TestHome, planted};
use serde_json::Value;

fn answer() -> Reply {
    Reply::json(
        200,
        r#"{"id":"r","model":"m","choices":[{"message":{"role":"assistant","content":"done"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}"#,
    )
}

fn home(fake: &FakeProvider, first: &str, second: &str) -> TestHome {
    TestHome::with_config(&format!(
        "[providers.acme]\nbase_url = \"{}/v1\"\napi_key_env = \"ACME_API_KEY\"\napi_key_envs = [\"ACME_API_KEY_2\"]\n\
         billing_class = \"free_quota\"\n[[models]]\nprovider = \"acme\"\nmodel = \"m\"\ncapabilities = [\"text\", \"reasoning\"]\n",
        fake.base_url()
    ))
    .set("ACME_API_KEY", first)
    .set("ACME_API_KEY_2", second)
}

fn keys_used(fake: &FakeProvider) -> Vec<String> {
    let bearer = |call: &lwa_testkit::Call| call.header("authorization").unwrap_or_default().replace("Bearer ", "");
    fake.calls().iter().filter(|call| call.method == "POST").map(bearer).collect()
}

fn run(home: &TestHome) -> (i32, Value) {
    let ran = home.lwa(&["run", "query", "what is it?", "--provider", "acme", "--json"]);
    (ran.code, ran.json())
}

#[test]
fn rr_16_a_limited_key_rests_and_the_next_one_serves_the_same_model() {
    let limited = Reply::json(429, r#"{"error":{"message":"slow down","code":"rate_limit_exceeded"}}"#)
        .header("retry-after", "600");
    let fake = FakeProvider::start(Script::new().on("POST /v1/chat/completions", [limited, answer()])).unwrap();
    let (first, second) = (planted::secret("first"), planted::secret("second"));
    let home = home(&fake, &first, &second);
    let (code, done) = run(&home);
    assert_eq!((code, &done["status"]), (0, &Value::from("completed")), "{done}");
    assert_eq!(keys_used(&fake), [first.clone(), second.clone()]);
    // The limited key is left alone until its time, also by other plans.
    let (code, _) = run(&home);
    assert_eq!(code, 0);
    assert_eq!(keys_used(&fake), [first, second.clone(), second]);
    let models: Vec<_> = fake.calls().iter().map(|call| call.json()["model"].clone()).collect();
    assert!(models.iter().all(|model| model == "m"), "{models:?}");
}

#[test]
fn a_failure_that_is_not_the_keys_is_no_reason_to_try_another() {
    for failure in [
        Reply::json(500, r#"{"error":{"message":"oops"}}"#),
        Reply::json(400, r#"{"error":{"message":"bad parameter"}}"#),
        Reply::json(503, r#"{"error":{"message":"no capacity"}}"#),
        Reply::reset(),
    ] {
        let fake = FakeProvider::start(Script::new().on("POST /v1/chat/completions", [failure, answer()])).unwrap();
        let home = home(&fake, &planted::secret("first"), &planted::secret("second"));
        let (code, stopped) = run(&home);
        assert_eq!((code, &stopped["status"]), (5, &Value::from("repreflight_required")), "{stopped}");
        assert_eq!(keys_used(&fake).len(), 1);
    }
}

#[test]
fn when_every_key_rests_nothing_is_sent_and_the_time_is_named() {
    let limited = || {
        Reply::json(429, r#"{"error":{"message":"slow down","code":"rate_limit_exceeded"}}"#)
            .header("retry-after", "600")
    };
    let fake =
        FakeProvider::start(Script::new().on("POST /v1/chat/completions", [limited(), limited(), answer()])).unwrap();
    let (first, second) = (planted::secret("first"), planted::secret("second"));
    let home = home(&fake, &first, &second);
    let plan = home.lwa(&["plan", "query", "later", "--provider", "acme", "--json"]).json();
    assert_eq!(run(&home).0, 5);
    assert_eq!(keys_used(&fake).len(), 2);
    let resumed = home.lwa(&["resume", plan["plan_token"].as_str().unwrap(), "--json"]);
    assert_eq!(resumed.code, 5, "{resumed:?}");
    assert!(resumed.stdout.contains("rests until"), "{resumed:?}");
    assert_eq!(keys_used(&fake).len(), 2, "nothing more was sent");
    for secret in [first, second] {
        planted::assert_clean("the answer", &resumed.stdout, &secret);
        assert!(planted::files_with(&home.lwa_home(), &secret).is_empty());
    }
}
