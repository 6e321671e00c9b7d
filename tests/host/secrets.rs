//! Keys: stored, used, listed masked, and found nowhere they do not belong.

use std::os::unix::fs::MetadataExt;

use lwa_testkit::fake_provider::{FakeProvider, scenario};
use lwa_tests::{Era, Sidecar, TestHome, planted};
use serde_json::json;

fn config(provider: &FakeProvider) -> String {
    format!(
        "[secrets]\nbackend = \"file\"\n[providers.acme]\nbase_url = \"{}/v1\"\napi_key_env = \"ACME_KEY\"\nbilling_class = \"free\"\n[[models]]\nprovider = \"acme\"\nmodel = \"m\"\n",
        provider.base_url()
    )
}

#[test]
fn a_stored_key_is_used_and_stands_in_its_own_file_only() {
    let provider = FakeProvider::start(scenario::named("answer").unwrap()).unwrap();
    let key = planted::secret("stored");
    let home = TestHome::with_config(&config(&provider));
    let mut said = String::new();
    let mut lwa = |arguments: &[&str], input: &str| {
        let ran = home.lwa_with_input(arguments, input.as_bytes());
        said.push_str(&ran.stdout);
        said.push_str(&ran.stderr);
        ran
    };
    assert_eq!(lwa(&["keys", "set", "acme", "--json"], &format!("{key}\n")).code, 0);
    let listed = lwa(&["keys", "list", "--json"], "").json();
    assert_eq!(listed["keys"][0]["provider"], "acme");
    assert_eq!(listed["keys"][0]["masked"], format!("…{}", &key[key.len() - 4..]));
    assert_eq!(lwa(&["run", "query", "why?", "--json"], "").code, 0);
    assert_eq!(provider.calls()[0].header("authorization"), Some(format!("Bearer {key}").as_str()));
    for arguments in [
        &["providers", "--json"][..],
        &["doctor", "--probe", "--json"],
        &["status", "--json"],
        &["audit", "tail", "--json"],
        &["config", "show", "--effective", "--json"],
    ] {
        lwa(arguments, "");
    }
    // Whoever started a sidecar is a client; this test removes the key as a person afterwards.
    let mut sidecar = Sidecar::start_apart(&home, Era::Legacy, &["--toolsets", "all"]);
    sidecar.tool("router_status", json!({}));
    for uri in ["lwa://status", "lwa://catalog", "lwa://doctor"] {
        sidecar.request("resources/read", json!({ "uri": uri }));
    }
    let (stdout, stderr) = sidecar.finish();
    planted::assert_clean("the command line", &said, &key);
    planted::assert_clean("the sidecar's stdout", &stdout, &key);
    planted::assert_clean("the sidecar's stderr", &stderr, &key);
    let file = home.lwa_home().join("state/secrets.env");
    assert_eq!(planted::files_with(home.folder(), &key), std::slice::from_ref(&file));
    assert_eq!(std::fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
    assert_eq!(home.lwa(&["keys", "remove", "acme"]).code, 0);
    assert!(planted::files_with(home.folder(), &key).is_empty());
    assert_eq!(home.lwa(&["run", "query", "why?", "--json"]).json()["error"]["code"], "no_route");
}

#[test]
fn a_key_from_the_environment_is_used_last_and_written_nowhere() {
    let provider = FakeProvider::start(scenario::named("answer").unwrap()).unwrap();
    let key = planted::secret("variable");
    let home = TestHome::with_config(&config(&provider)).set("ACME_KEY", &key);
    let ran = home.lwa(&["run", "query", "why?", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(provider.calls()[0].header("authorization"), Some(format!("Bearer {key}").as_str()));
    assert!(planted::files_with(home.folder(), &key).is_empty());
    let removed = home.lwa(&["keys", "remove", "acme", "--json"]);
    assert_eq!((removed.code, &removed.json()["error"]["code"]), (2, &json!("not_found")));
    assert!(removed.json()["error"]["message"].as_str().unwrap().contains("ACME_KEY"));
}

#[test]
fn without_a_keychain_the_way_out_is_said_and_the_rest_works() {
    let home = TestHome::new().set("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus");
    let ran = home.lwa_with_input(&["keys", "set", "groq", "--json"], b"gsk-000000000000\n");
    assert_eq!((ran.code, &ran.json()["error"]["code"]), (5, &json!("secrets_unavailable")));
    assert!(ran.json()["error"]["message"].as_str().unwrap().contains("backend = \"file\""), "{ran:?}");
    assert_eq!(home.lwa_with_input(&["run", "conversation_compression", "-", "--json"], b"user: port 1\n").code, 0);
}

#[test]
fn a_key_that_is_none_is_refused_without_being_echoed() {
    let home = TestHome::with_config("[secrets]\nbackend = \"file\"\n");
    for (key, why) in [("", "empty"), ("two words here", "no key"), ("line\nline", "no key")] {
        let ran = home.lwa_with_input(&["keys", "set", "groq", "--json"], key.as_bytes());
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.json()["error"]["message"].as_str().unwrap().contains(why), "{ran:?}");
        assert!(!ran.stdout.contains("two words"));
    }
    let unknown = home.lwa_with_input(&["keys", "set", "grok", "--json"], b"gsk-000000000000\n");
    assert!(unknown.json()["error"]["hint"].as_str().unwrap().contains("groq"));
}

#[test]
fn a_34_a_replaced_key_is_used_by_the_running_host_at_once() {
    let provider = FakeProvider::start(scenario::named("answer").unwrap()).unwrap();
    let home = TestHome::with_config(&config(&provider));
    let mut sidecar = Sidecar::start_apart(&home, Era::Legacy, &[]);
    for key in ["first-key-00000001", "second-key-0000002"] {
        assert_eq!(home.lwa_with_input(&["keys", "set", "acme"], key.as_bytes()).code, 0);
        let plan = sidecar.tool("prepare_task", json!({ "task": "query", "prompt": "why?" }));
        let ran = sidecar.tool("run_prepared_task", json!({ "plan_token": plan["plan_token"] }));
        assert_eq!(ran["status"], "completed", "{ran}");
    }
    let used: Vec<_> = provider.calls().iter().map(|call| call.header("authorization").unwrap().to_owned()).collect();
    assert_eq!(used, ["Bearer first-key-00000001", "Bearer second-key-0000002"]);
}

#[test]
fn a_stored_key_does_not_follow_its_provider_to_another_address() {
    let start = || FakeProvider::start(scenario::named("answer").unwrap()).unwrap();
    let (first, other) = (start(), start());
    let home = TestHome::with_config(&config(&first));
    assert_eq!(home.lwa_with_input(&["keys", "set", "acme"], b"key-of-the-first-address").code, 0);
    assert_eq!(home.lwa(&["run", "query", "why?", "--json"]).code, 0);
    home.write_config(&config(&other));
    // The edit would send the key elsewhere, so it waits; even accepted, the key stays where it was.
    assert_eq!(home.lwa(&["run", "query", "why?", "--json"]).code, 0);
    assert_eq!((first.count("POST"), other.connections()), (2, 0));
    assert_eq!(home.lwa(&["config", "accept"]).code, 0);
    let ran = home.lwa(&["run", "query", "why?", "--json"]);
    assert_eq!((ran.code, &ran.json()["error"]["code"]), (3, &json!("no_route")));
    assert_eq!(other.connections(), 0);
}

/// Whether this session has an open keychain of its own, as the end-to-end session has.
fn has_session_keychain() -> bool {
    std::env::var_os("LWA_TESTS_NEED_DISPLAY").is_some() && std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some()
}

#[test]
fn with_a_keychain_a_key_is_used_and_stands_in_no_file_of_ours() {
    if !has_session_keychain() {
        return;
    }
    let provider = FakeProvider::start(scenario::named("answer").unwrap()).unwrap();
    let key = planted::secret("keychain");
    let text = config(&provider).replace("[secrets]\nbackend = \"file\"\n", "");
    let bus = std::env::var("DBUS_SESSION_BUS_ADDRESS").unwrap();
    let home = TestHome::with_config(&text).set("DBUS_SESSION_BUS_ADDRESS", &bus);
    let set = home.lwa_with_input(&["keys", "set", "acme", "--json"], key.as_bytes());
    assert_eq!((set.code, &set.json()["backend"]), (0, &json!("keychain")), "{set:?}");
    assert_eq!(home.lwa(&["run", "query", "why?", "--json"]).code, 0);
    assert_eq!(provider.calls()[0].header("authorization"), Some(format!("Bearer {key}").as_str()));
    assert!(planted::files_with(home.folder(), &key).is_empty());
    // Another home does not see it: items carry a tag of the folder.
    let other = TestHome::with_config(&text).set("DBUS_SESSION_BUS_ADDRESS", &bus);
    assert_eq!(other.lwa(&["run", "query", "why?", "--json"]).json()["error"]["code"], "no_route");
    assert_eq!(home.lwa(&["keys", "remove", "acme"]).code, 0);
    assert_eq!(home.lwa(&["run", "query", "why?", "--json"]).json()["error"]["code"], "no_route");
}
