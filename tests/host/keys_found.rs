//! Keys that are found, asked for and imported: masked wherever they are shown, exact where they are stored.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use lwa_testkit::fake_provider::FakeProvider;
use lwa_tests::{Era, Ran, Sidecar, TestHome, acme, planted, program};
use serde_json::{Value, json};

/// How long a question may take to appear.
const LIMIT: Duration = Duration::from_mins(1);
/// Ctrl+D, as a terminal sends it.
const END: &str = "\u{4}";
/// Ctrl+C.
const INTERRUPT: &str = "\u{3}";

/// `lwa` on a terminal, with somebody who waits for a question before they type.
struct Typist {
    child: Child,
    keyboard: Option<ChildStdin>,
    screen: Receiver<Vec<u8>>,
    /// Everything that the screen showed so far.
    seen: String,
    read_up_to: usize,
}

impl Typist {
    fn start(home: &TestHome, arguments: &str) -> Self {
        let mut command = home.command(Path::new("script"));
        let line = format!("'{}' {arguments}", program("lwa").display());
        command
            .args(["--quiet", "--return", "--command", &line, "/dev/null"])
            .env("TERM", "dumb")
            .env("SHELL", "/bin/sh");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut output = child.stdout.take().unwrap();
        let (sender, screen) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0_u8; 4096];
            while let Ok(length @ 1..) = output.read(&mut bytes) {
                if sender.send(bytes[..length].to_vec()).is_err() {
                    break;
                }
            }
        });
        let keyboard = child.stdin.take();
        Self { child, keyboard, screen, seen: String::new(), read_up_to: 0 }
    }

    /// Waits until the screen shows this text after the last one that was waited for, then types.
    fn answer(&mut self, question: &str, typed: &str) {
        let end = loop {
            if let Some(at) = self.seen[self.read_up_to..].find(question) {
                break self.read_up_to + at + question.len();
            }
            match self.screen.recv_timeout(LIMIT) {
                Ok(bytes) => self.seen.push_str(&String::from_utf8_lossy(&bytes)),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    panic!("`{question}` was not asked: {}", self.seen)
                }
            }
        };
        self.read_up_to = end;
        self.keyboard.as_mut().unwrap().write_all(typed.as_bytes()).unwrap();
    }

    /// Waits for the end. The screen's text stands in stdout.
    fn finish(mut self) -> Ran {
        while let Ok(bytes) = self.screen.recv_timeout(LIMIT) {
            self.seen.push_str(&String::from_utf8_lossy(&bytes));
        }
        drop(self.keyboard.take());
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        Ran { code, stdout: std::mem::take(&mut self.seen), stderr: String::new() }
    }
}

impl Drop for Typist {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Providers `aaa` and `aab`, which come before every shipped one, at a fake; keys go into the private file.
fn config(provider: &FakeProvider) -> String {
    let tables = ["aaa", "aab"].map(|name| {
        format!(
            "[providers.{name}]\nbase_url = \"{}/v1\"\napi_key_env = \"{}_KEY\"\nbilling_class = \"free\"\n\
             [[models]]\nprovider = \"{name}\"\nmodel = \"m\"\n",
            provider.base_url(),
            name.to_uppercase()
        )
    });
    format!("[secrets]\nbackend = \"file\"\n{}", tables.concat())
}

/// The key that a run with this provider carries.
fn used_key(home: &TestHome, provider: &FakeProvider, name: &str) -> String {
    let ran = home.lwa(&["run", "query", "why?", "--provider", name, "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    provider.calls().last().unwrap().header("authorization").unwrap().trim_start_matches("Bearer ").to_owned()
}

/// Names of providers with a stored key.
fn stored(home: &TestHome) -> Vec<String> {
    let listed = home.lwa(&["keys", "list", "--json"]).json();
    let keys = listed["keys"].as_array().unwrap().iter().filter(|key| key["variable"].is_null());
    keys.map(|key| key["provider"].as_str().unwrap().to_owned()).collect()
}

fn assert_clean(ran: &Ran, keys: &[&str]) {
    for key in keys {
        planted::assert_clean("stdout", &ran.stdout, key);
        planted::assert_clean("stderr", &ran.stderr, key);
    }
}

#[test]
fn what_is_found_is_listed_masked_with_its_place_and_stored_nowhere() {
    let provider = acme::fake("answer");
    let keys = ["in-environment", "in-codex", "in-a-file", "in-the-home"].map(planted::secret);
    let home = TestHome::with_config(&config(&provider)).set("AAA_KEY", &keys[0]).set("GATE_KEY", &keys[1]);
    let codex = home.folder().join("codex");
    let home = home.set("CODEX_HOME", &codex.display().to_string());
    fs::create_dir(&codex).unwrap();
    fs::write(codex.join("config.toml"), "[model_providers.openrouter]\nenv_key = \"GATE_KEY\"\n").unwrap();
    fs::write(home.folder().join(".env"), format!("# mine\nAAB_KEY='{}'\n", keys[2])).unwrap();
    // With a folder of one's own, the home folder is not looked at.
    fs::create_dir_all(home.folder().join("user/.codex")).unwrap();
    fs::write(home.folder().join("user/.codex/.env"), format!("GROQ_API_KEY={}\n", keys[3])).unwrap();
    let listed = home.lwa(&["keys", "discover", "--json"]);
    assert_eq!(listed.code, 0, "{listed:?}");
    let found = listed.json()["keys"].as_array().unwrap().clone();
    let short = |found: &Value| {
        [&found["provider"], &found["variable"], &found["source"]["kind"], &found["source"]["line"], &found["masked"]]
            .map(Clone::clone)
    };
    let tail = |key: &str| json!(format!("…{}", &key[key.len() - 4..]));
    assert_eq!(
        found.iter().map(short).collect::<Vec<_>>(),
        [
            [json!("aaa"), json!("AAA_KEY"), json!("environment"), Value::Null, tail(&keys[0])],
            [json!("aab"), json!("AAB_KEY"), json!("file"), json!(2), tail(&keys[2])],
            [json!("openrouter"), json!("OPENROUTER_API_KEY"), json!("codex_config"), json!(2), tail(&keys[1])],
        ]
    );
    assert_eq!(found[2]["source"]["path"], codex.join("config.toml").display().to_string());
    let readable = home.lwa(&["keys", "discover"]);
    assert!(readable.stdout.contains("openrouter") && readable.stdout.contains("config.toml:2"), "{readable:?}");
    let keys = keys.each_ref().map(String::as_str);
    assert_clean(&listed, &keys);
    assert_clean(&readable, &keys);
    assert_eq!(stored(&home), Vec::<String>::new());
    assert!(keys.iter().all(|key| planted::files_with(&home.lwa_home(), key).is_empty()));
}

#[test]
fn lwa_083_the_wizard_stores_found_and_typed_keys_exactly_and_shows_neither() {
    let provider = acme::fake("answer");
    let (found, typed) = (planted::secret("found"), planted::secret("typed"));
    let home = TestHome::with_config(&config(&provider));
    fs::write(home.folder().join(".env"), format!("AAB_KEY={found}\n")).unwrap();
    let mut typist = Typist::start(&home, "keys");
    typist.answer("for aab at http", "y\n");
    typist.answer("Key of aaa at http", &format!("{typed}\n"));
    typist.answer("Key of ", END);
    let ran = typist.finish();
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("With a key:     aaa, aab\r\n"), "{ran:?}");
    assert!(ran.stdout.contains(&format!("…{}", &typed[typed.len() - 4..])), "{ran:?}");
    assert_clean(&ran, &[&found, &typed]);
    assert_eq!(used_key(&home, &provider, "aab"), found);
    assert_eq!(used_key(&home, &provider, "aaa"), typed);
    let file = home.lwa_home().join("state/secrets.env");
    assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
    assert_eq!(planted::files_with(&home.lwa_home(), &typed), [file]);
}

#[test]
fn a_no_stores_nothing_and_the_next_key_that_was_found_is_offered() {
    let provider = acme::fake("answer");
    let (first, second) = (planted::secret("first"), planted::secret("second"));
    let text = config(&provider)
        .replace("api_key_env = \"AAB_KEY\"", "api_key_env = \"AAB_KEY\"\napi_key_envs = [\"AAB_OTHER\"]");
    let home = TestHome::with_config(&text);
    fs::write(home.folder().join(".env"), format!("AAB_KEY={first}\nAAB_OTHER={second}\n")).unwrap();
    let mut typist = Typist::start(&home, "keys");
    typist.answer("for aab at http", "\n");
    typist.answer("for aab at http", "y\n");
    typist.answer("Key of aaa", END);
    assert_clean(&typist.finish(), &[&first, &second]);
    assert_eq!((stored(&home), used_key(&home, &provider, "aab")), (vec!["aab".to_owned()], second));
}

#[test]
fn lwa_084_what_is_missing_is_asked_for_again_and_what_is_stored_is_not() {
    let provider = acme::fake("answer");
    let home = TestHome::with_config(&config(&provider));
    let mut first = Typist::start(&home, "keys");
    first.answer("Key of aaa", "first-key-000001\n");
    first.answer("Key of aab", END);
    first.finish();
    let mut again = Typist::start(&home, "keys");
    again.answer("Key of aab", "second-key-00001\n");
    again.answer("Key of ", END);
    let ran = again.finish();
    assert!(!ran.stdout.contains("Key of aaa"), "{ran:?}");
    assert_eq!(stored(&home), ["aaa", "aab"]);
}

#[test]
fn what_is_no_key_is_refused_unseen_and_asked_for_again() {
    let provider = acme::fake("answer");
    let home = TestHome::with_config(&config(&provider));
    let mut typist = Typist::start(&home, "keys");
    typist.answer("Key of aaa", "two secret words\n");
    typist.answer("Not stored: ", "");
    typist.answer("Key of aaa", "right-key-000001\n");
    typist.answer("Key of aab", INTERRUPT);
    let ran = typist.finish();
    assert_eq!((ran.code, stored(&home)), (0, vec!["aaa".to_owned()]), "{ran:?}");
    assert!(!ran.stdout.contains("secret words") && !ran.stdout.contains("right-key"), "{ran:?}");
    assert!(ran.stdout.contains("With a key:     aaa\r\n"), "{ran:?}");
}

#[test]
fn the_wizard_gives_its_outcome_as_json_too() {
    let provider = acme::fake("answer");
    let home = TestHome::with_config(&config(&provider));
    let mut typist = Typist::start(&home, "keys --json >out.json");
    typist.answer("Key of aaa", "first-key-000001\n");
    typist.answer("Key of aab", END);
    typist.finish();
    let document: Value = serde_json::from_str(&fs::read_to_string(home.folder().join("out.json")).unwrap()).unwrap();
    assert_eq!((&document["status"], &document["configured"]), (&json!("ended_early"), &json!(["aaa"])));
    assert_eq!(document["stored"][0]["masked"], "…0001");
    assert_eq!(document["missing"][0], "aab");
}

#[test]
fn lwa_086_without_a_terminal_the_wizard_says_so_and_does_not_wait() {
    let provider = acme::fake("answer");
    let home = TestHome::with_config(&config(&provider)).set("AAA_KEY", "from-environment");
    let mut command: Command = home.command(&program("lwa"));
    command.args(["keys", "--json"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // Held open until the end: whoever read from it would wait for ever.
    let stdin = child.stdin.take().unwrap();
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &document["status"]), (Some(0), &json!("non_interactive")));
    assert_eq!((&document["configured"], &document["missing"][0]), (&json!(["aaa"]), &json!("aab")));
    assert!(String::from_utf8(output.stderr).unwrap().contains("lwa keys set"));
    assert_eq!(stored(&home), Vec::<String>::new());
}

#[test]
fn a_file_of_keys_is_imported_when_a_person_says_so() {
    let provider = acme::fake("answer");
    let (one, other) = (planted::secret("one"), planted::secret("other"));
    let home = TestHome::with_config(&config(&provider));
    let file = home.folder().join("keys.env");
    let file = file.to_str().unwrap();
    fs::write(file, format!("export AAA_KEY='{one}'\nAAB_KEY=\"{other}\"\nMINE=1\nGROQ_KEY='open\n")).unwrap();
    let mut said = Vec::new();
    let mut lwa = |arguments: &[&str]| {
        let ran = home.lwa(arguments);
        said.push(format!("{}{}", ran.stdout, ran.stderr));
        ran
    };
    let unasked = lwa(&["keys", "import", file, "--json"]);
    assert_eq!((unasked.code, &unasked.json()["error"]["code"]), (2, &json!("invalid_input")), "{unasked:?}");
    assert!(unasked.json()["error"]["hint"].as_str().unwrap().contains("--yes"));
    let mut typist = Typist::start(&home, &format!("keys import '{file}'"));
    typist.answer("Store these keys", "n\n");
    let refused = typist.finish();
    assert_eq!((refused.code, stored(&home)), (4, vec![]), "{refused:?}");
    let imported = lwa(&["keys", "import", file, "--yes", "--json"]);
    assert_eq!((imported.code, stored(&home)), (0, vec!["aaa".to_owned(), "aab".to_owned()]), "{imported:?}");
    assert_eq!((&imported.json()["left"][0]["variable"], &imported.json()["refused"]), (&json!("MINE"), &json!([])));
    assert!(imported.stderr.contains("keys.env:4: "), "{imported:?}");
    assert_eq!((used_key(&home, &provider, "aaa"), used_key(&home, &provider, "aab")), (one.clone(), other.clone()));
    let empty = lwa(&["keys", "import", "/dev/null", "--yes", "--json"]);
    assert_eq!(empty.code, 2, "{empty:?}");
    for text in said.iter().chain([&refused.stdout]) {
        planted::assert_clean("the command line", text, &one);
        planted::assert_clean("the command line", text, &other);
    }
}

#[test]
fn a_process_of_a_client_imports_no_keys() {
    let provider = acme::fake("answer");
    let home = TestHome::with_config(&config(&provider));
    let file = home.folder().join("keys.env");
    fs::write(&file, "AAA_KEY=some-key-00000001\n").unwrap();
    // Whoever starts a sidecar is its client, and so is everything that they start.
    let mut sidecar = Sidecar::start(&home, Era::Legacy, &[]);
    sidecar.tool("router_status", json!({}));
    let ran = home.lwa(&["keys", "import", file.to_str().unwrap(), "--yes", "--json"]);
    assert_eq!((ran.code, &ran.json()["error"]["code"]), (4, &json!("forbidden")), "{ran:?}");
    drop(sidecar.finish());
    assert_eq!(stored(&home), Vec::<String>::new());
}
