//! A real local model: `llama-server` with small weights, found by Lwa on its own port and used like any provider.
//!
//! Neither is part of this project: `scripts/model.sh` installs them. Without them the test says so and passes.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a panic in a test is its report")]
#![allow(clippy::print_stderr, reason = "a test that is skipped has to say so")]

use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use lwa_tests::TestHome;

/// How long the server may take to load its weights on a machine that does other things as well.
const LOAD_LIMIT: Duration = Duration::from_mins(2);

/// Where `scripts/model.sh` puts the server and its weights.
fn folder() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("LWA_MODEL_DIR").or_else(|| {
        let cache = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?;
        Some(cache.join("lwa-test-model"))
    })
}

/// The server; it ends with the test.
struct Server {
    child: Child,
    port: u16,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    /// Starts the server when it and the weights are installed; says that it is skipped otherwise.
    fn start() -> Option<Self> {
        let folder = folder()?;
        let (program, weights) = (folder.join("llama-server"), folder.join("model.gguf"));
        if !program.is_file() || !weights.is_file() {
            eprintln!("skipped: no local model is installed; `scripts/model.sh` installs one");
            return None;
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let child = Command::new(program)
            .args([
                "--host",
                "127.0.0.1",
                "--port",
                &port.to_string(),
                "--ctx-size",
                "2048",
                "--threads",
                "2",
                "--model",
            ])
            .arg(weights)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = Self { child, port };
        server.wait();
        Some(server)
    }

    /// Waits until it answers that it is healthy.
    fn wait(&self) {
        use std::io::{Read, Write};
        let deadline = Instant::now() + LOAD_LIMIT;
        loop {
            let mut answer = String::new();
            let asked = TcpStream::connect(("127.0.0.1", self.port)).and_then(|mut stream| {
                stream.set_read_timeout(Some(Duration::from_secs(5)))?;
                stream.write_all(b"GET /health HTTP/1.0\r\n\r\n")?;
                stream.read_to_string(&mut answer)
            });
            if asked.is_ok() && answer.lines().next().is_some_and(|line| line.contains("200")) {
                return;
            }
            assert!(Instant::now() < deadline, "the server did not load its weights in time: {answer}");
            std::thread::sleep(Duration::from_millis(200));
        }
    }
}

#[test]
fn a_real_local_model_serves_a_plan_end_to_end_free_and_without_consent() {
    let Some(server) = Server::start() else { return };
    let home = TestHome::with_config(&format!(
        "[providers.llama]\nbase_url = \"http://127.0.0.1:{}/v1\"\nbilling_class = \"free\"\ndata_use = \"none\"\ntimeout_seconds = 180\n",
        server.port
    ));
    // The list of the server makes its model known; nothing is configured by hand.
    let refreshed = home.lwa(&["refresh", "--provider", "llama", "--json"]);
    assert_eq!(refreshed.code, 0, "{refreshed:?}");
    let models = home.lwa(&["models", "--provider", "llama", "--json"]).json();
    let model = models["models"][0]["model"].as_str().unwrap().to_owned();

    let ran = home.lwa(&[
        "run",
        "quick_response",
        "Say the word hello.",
        "--model",
        &model,
        "--max-output-tokens",
        "24",
        "--json",
    ]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let answer = ran.json();
    assert_eq!(answer["status"], "completed");
    assert_eq!(answer["route"]["provider"], "llama");
    assert_eq!(answer["route"]["billing_class"], "free");
    assert_eq!(answer["cost_pico_usd"], 0);
    assert_eq!(answer["usage"]["reported"], true, "the server counts its tokens");
    assert!(!answer["text"].as_str().unwrap().trim().is_empty());

    // A key in the prompt stays what it is, because nothing leaves this machine.
    assert!(answer["masked"].as_array().unwrap().is_empty());
    let again = home.lwa(&["result", answer["plan_id"].as_str().unwrap(), "--json"]).json();
    assert_eq!((&again["text"], &again["replayed"]), (&answer["text"], &serde_json::Value::Bool(true)));
}

/// A file of settings as people have them; every value is made anew, so no model can know one.
fn secrets_file(folder: &std::path::Path) -> Vec<String> {
    let tag = |name: &str| lwa_tests::planted::secret(name);
    let values = [
        ("DATABASE_PASSWORD", format!("Pw9!{}", tag("database"))),
        ("STRIPE_SECRET_KEY", format!("sk_live_{}", tag("stripe").replace(['-', '_'], "Q"))),
        ("GITHUB_TOKEN", format!("ghp_{}", tag("github").replace(['-', '_'], "Z"))),
        ("ADMIN_EMAIL", "ludovica.brunelleschi@mail.example".to_owned()),
    ];
    let mut text = "# Settings of the shop\n".to_owned();
    for (name, value) in &values {
        text.extend([name, "=", value.as_str(), "\n"]);
    }
    text.push_str("PORT=8080\nOWNER_NAME=\"Ludovica Brunelleschi\"\n");
    std::fs::write(folder.join("shop.env"), text).unwrap();
    values.into_iter().map(|(_, value)| value).chain(["Brunelleschi".to_owned()]).collect()
}

#[test]
fn nothing_of_a_real_file_of_secrets_comes_back_through_a_real_model() {
    let Some(server) = Server::start() else { return };
    let home = TestHome::with_config(&format!(
        "[worker]\nbase_url = \"http://127.0.0.1:{}/v1\"\nmodel = \"smollm2\"\nllm_timeout = 100\nmax_tokens_cap = 400\n\
         [clients.lwa.worker]\narm = \"on\"\nmode = \"pii\"\n",
        server.port
    ));
    let private = secrets_file(home.folder());
    let file = home.folder().join("shop.env").display().to_string();
    let mut texts = Vec::new();
    let answer = home.lwa(&["worker", "delegate", "Repeat the file word for word.", &file, "--json"]);
    assert!(matches!(answer.code, 0 | 5), "{answer:?}");
    texts.push(answer.stdout.clone());
    if let Some(reference) = answer.json()["facts"]["reference"].as_str() {
        texts.push(home.lwa(&["worker", "artifact", reference, "--json"]).stdout);
    }
    for arguments in
        [&["worker", "status", "--json"][..], &["worker", "compact", "--json"], &["worker", "sessions", "--json"]]
    {
        texts.push(home.lwa(arguments).stdout);
    }
    assert!(texts.len() >= 4);
    for text in &texts {
        for value in &private {
            for part in value.as_bytes().windows(value.len().min(12)) {
                let part = std::str::from_utf8(part).unwrap();
                assert!(!text.contains(part), "`{part}` came back: {text}");
            }
        }
    }
    assert!(texts.iter().any(|text| text.contains("[SECRET-")), "what was hidden has its placeholder: {texts:?}");
}
