//! A real server for one test, on a port of its own.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long the server may take for anything on a machine that does other things as well.
pub const LIMIT: Duration = Duration::from_mins(4);

/// The context it runs with; the weights could do more.
pub const CONTEXT: u32 = 1024;

/// Where `scripts/model.sh` puts the server and its weights.
fn folder() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("LWA_MODEL_DIR").or_else(|| {
        let cache = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?;
        Some(cache.join("lwa-test-model"))
    })
}

/// The server; it ends with the test.
pub struct Server {
    child: Child,
    port: u16,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _has_ended = self.child.kill();
        let _status = self.child.wait();
    }
}

impl Server {
    /// Starts the server, with a key if there is one; says that the test is skipped where it is not installed.
    pub fn start(key: Option<&str>) -> Option<Self> {
        let folder = folder()?;
        let (program, weights) = (folder.join("llama-server"), folder.join("model.gguf"));
        if !program.is_file() || !weights.is_file() {
            eprintln!("skipped: no local model is installed; `scripts/model.sh` installs one");
            return None;
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let (port_text, context) = (port.to_string(), CONTEXT.to_string());
        let mut command = Command::new(program);
        command.args(["--host", "127.0.0.1", "--port", &port_text, "--ctx-size", &context]);
        // One slot: several would share the context.
        command.args(["--parallel", "1", "--threads", "2", "--model"]).arg(weights);
        command.args(key.iter().flat_map(|key| ["--api-key", key]));
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let mut server = Self { child, port };
        server.wait();
        Some(server)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Waits until it answers that it is healthy, which it does once its weights are loaded.
    fn wait(&mut self) {
        use std::io::{Read, Write};
        let deadline = Instant::now() + LIMIT;
        loop {
            let mut answer = String::new();
            let asked = std::net::TcpStream::connect(("127.0.0.1", self.port)).and_then(|mut stream| {
                stream.set_read_timeout(Some(Duration::from_secs(5)))?;
                stream.write_all(b"GET /health HTTP/1.0\r\n\r\n")?;
                stream.read_to_string(&mut answer)
            });
            if asked.is_ok() && answer.lines().next().is_some_and(|line| line.contains("200")) {
                return;
            }
            if let Some(status) = self.child.try_wait().unwrap() {
                panic!("the server ended before it was ready: {status}");
            }
            assert!(Instant::now() < deadline, "the server did not load its weights in time: {answer}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}
