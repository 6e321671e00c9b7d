//! One app under WebDriver.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use fantoccini::elements::Element;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use lwa_tests::{TestHome, program};
use serde_json::json;
use tokio::runtime::Runtime;
use tokio::time::{Instant, sleep};

/// How long anything on the screen may take.
const LIMIT: Duration = Duration::from_secs(30);
/// How often the screen is looked at while something is awaited.
const LOOK: Duration = Duration::from_millis(50);

/// The app, its driver and the session.
pub struct App {
    runtime: Runtime,
    client: Option<Client>,
    driver: Child,
}

/// Whether the display tests can run; a missing part is a failure where the tests are required.
pub fn can_run() -> bool {
    let missing = if std::env::var_os("DISPLAY").is_none() {
        Some("no display".to_owned())
    } else if tauri_driver().is_none() {
        Some("`tauri-driver` is not installed".to_owned())
    } else if !std::env::current_exe().unwrap().parent().unwrap().parent().unwrap().join("lwa-desktop").is_file() {
        Some("`lwa-desktop` is not built".to_owned())
    } else {
        None
    };
    let Some(missing) = missing else { return true };
    assert!(std::env::var_os("LWA_TESTS_NEED_DISPLAY").is_none(), "the display tests cannot run: {missing}");
    eprintln!("skipped: {missing}");
    false
}

fn tauri_driver() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    std::env::split_paths(&folders)
        .chain(home.map(|home| home.join("bin")))
        .map(|folder| folder.join("tauri-driver"))
        .find(|path| path.is_file())
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

impl App {
    /// Starts the app of a home with these arguments and takes hold of its first window.
    pub fn start(home: &TestHome, arguments: &[&str]) -> Self {
        let (port, native) = (free_port(), free_port());
        let mut command = Command::new(tauri_driver().unwrap());
        command.args(["--port", &port.to_string(), "--native-port", &native.to_string()]);
        command.env_clear().envs(home.variables());
        screen(&mut command);
        // The picture of a page hangs the driver with the renderer that the app chooses by itself.
        command.env("WEBKIT_DISABLE_DMABUF_RENDERER", "0").env("LANG", "C.UTF-8");
        let driver = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let options = json!({ "application": program("lwa-desktop"), "args": arguments });
        let capabilities = json!({ "browserName": "wry", "tauri:options": options }).as_object().unwrap().clone();
        let address = format!("http://127.0.0.1:{port}");
        let client = runtime.block_on(async {
            let deadline = Instant::now() + LIMIT;
            loop {
                let mut builder = ClientBuilder::new(HttpConnector::new());
                match builder.capabilities(capabilities.clone()).connect(&address).await {
                    Ok(client) => break client,
                    Err(error) => assert!(Instant::now() < deadline, "no WebDriver session: {error}"),
                }
                sleep(LOOK).await;
            }
        });
        Self { runtime, client: Some(client), driver }
    }

    fn client(&self) -> &Client {
        self.client.as_ref().unwrap()
    }

    /// Looks again and again until `look` finds what it looks for.
    fn until<T>(&self, what: &str, mut look: impl AsyncFnMut(&Client) -> Option<T>) -> T {
        self.runtime.block_on(async {
            let deadline = Instant::now() + LIMIT;
            loop {
                if let Some(found) = look(self.client()).await {
                    return found;
                }
                assert!(Instant::now() < deadline, "{what} did not appear within {LIMIT:?}");
                sleep(LOOK).await;
            }
        })
    }

    fn find(&self, testid: &str) -> Element {
        let selector = format!("[data-testid=\"{testid}\"]");
        self.until(testid, async |client| client.find(Locator::Css(&selector)).await.ok())
    }

    /// The text of an element, once it is there.
    pub fn text(&self, testid: &str) -> String {
        let element = self.find(testid);
        self.runtime.block_on(element.text()).unwrap_or_default()
    }

    /// Waits until the text of an element contains `part`.
    pub fn wait_for_text(&self, testid: &str, part: &str) {
        let selector = format!("[data-testid=\"{testid}\"]");
        self.until(&format!("`{part}` in {testid}"), async |client| {
            let text = client.find(Locator::Css(&selector)).await.ok()?.text().await.ok()?;
            text.contains(part).then_some(())
        });
    }

    /// Clicks an element once it accepts clicks: after the grace period it is no longer marked disabled.
    pub fn click(&self, testid: &str) {
        let selector = format!("[data-testid=\"{testid}\"]");
        self.until(&format!("a clickable {testid}"), async |client| {
            let element = client.find(Locator::Css(&selector)).await.ok()?;
            if element.attr("aria-disabled").await.ok()? == Some("true".to_owned()) {
                return None;
            }
            element.click().await.ok()
        });
    }

    /// Clicks at once, whatever state the element is in.
    pub fn click_now(&self, testid: &str) {
        let element = self.find(testid);
        let _ = self.runtime.block_on(element.click());
    }

    /// Types into a field.
    pub fn type_into(&self, testid: &str, text: &str) {
        let element = self.find(testid);
        self.runtime.block_on(element.send_keys(text)).unwrap();
    }

    /// The test id of the element that has the focus.
    pub fn focused(&self) -> String {
        let script = "return document.activeElement?.getAttribute('data-testid') ?? '';";
        let value = self.runtime.block_on(self.client().execute(script, Vec::new())).unwrap();
        value.as_str().unwrap_or_default().to_owned()
    }

    /// Waits until the window says that nothing waits.
    pub fn find_nothing_waiting(&self) {
        self.find("approval-nothing");
    }

    /// Closes the window, as its close button does.
    pub fn close_window(&self) {
        self.runtime.block_on(self.client().close_window()).unwrap();
    }

    /// Kills the app at once, as a crash would.
    pub fn crash(&mut self) {
        let script = "return 1;";
        let _ = self.runtime.block_on(self.client().execute(script, Vec::new()));
        let children =
            std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", self.driver.id())).unwrap_or_default();
        let mut below: Vec<u32> = children.split_whitespace().filter_map(|pid| pid.parse().ok()).collect();
        while let Some(pid) = below.pop() {
            let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
            let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
            below.extend(children.split_whitespace().filter_map(|pid| pid.parse::<u32>().ok()));
            if name.trim() == "lwa-desktop" {
                let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        }
    }
}

/// The app in the tray, without a window and without WebDriver.
pub struct InTray {
    child: Child,
}

impl InTray {
    /// Starts the app and waits until it listens for questions.
    pub fn start(home: &TestHome) -> Self {
        let mut command = home.command(&program("lwa-desktop"));
        command.args(["--hidden", "--no-windows"]);
        screen(&mut command);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let deadline = std::time::Instant::now() + LIMIT;
        let has_app = || {
            home.host()
                .is_some_and(|host| host["connections"].as_array().unwrap().iter().any(|face| face["role"] == "app"))
        };
        while !has_app() {
            assert!(std::time::Instant::now() < deadline, "the app did not connect to the host");
        }
        Self { child }
    }
}

impl Drop for InTray {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What belongs to the screen comes from the test's own session.
fn screen(command: &mut Command) {
    for name in ["DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
}

impl Drop for App {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            let _ = self.runtime.block_on(async { tokio::time::timeout(Duration::from_secs(5), client.close()).await });
        }
        // The driver ends its own driver and the app with it when it is asked, not when it is killed.
        let pid = rustix::process::Pid::from_raw(i32::try_from(self.driver.id()).unwrap()).unwrap();
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        let _ = self.driver.wait();
    }
}
