//! A model on a loopback port that plays a script: which tool to call with what, then what to say.
//!
//! It speaks both the OpenAI Responses and the Anthropic Messages protocol, answers only with what the script says,
//! and keeps every request, so that a test sees which tools and which results its client shows a model.

mod dialect;
mod http;

use std::collections::VecDeque;
use std::io::{self, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::Value;

use self::dialect::{Dialect, Reply};
pub(crate) use self::http::Request;

/// How long the test waits for the model to get anywhere.
const LIMIT: Duration = Duration::from_secs(90);

/// What the model does when it is asked.
pub(crate) enum Turn {
    /// Calls a tool; the arguments may depend on what was seen.
    Call(&'static str, Box<dyn Fn(&Seen) -> Value + Send>),
    /// Says something, which ends the client's turn.
    Say(&'static str),
    /// Keeps the client waiting until the test has looked around, then takes the next turn.
    Pause,
}

/// A call of a tool.
pub(crate) fn call(tool: &'static str, arguments: impl Fn(&Seen) -> Value + Send + 'static) -> Turn {
    Turn::Call(tool, Box::new(arguments))
}

/// What a tool returned, as the client shows it to the model.
#[derive(Debug, Clone)]
pub(crate) struct ToolResult {
    /// The tool, by the name in the script.
    pub(crate) tool: &'static str,
    /// The text, line by line where the client shows several.
    pub(crate) text: String,
    /// What of it is a JSON document; null if nothing is.
    pub(crate) content: Value,
}

/// What the model was shown so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    results: Vec<ToolResult>,
}

impl Seen {
    /// The field of this name in the newest result that has one.
    pub(crate) fn field(&self, name: &str) -> Value {
        self.results.iter().rev().find_map(|result| result.content.get(name)).cloned().unwrap_or_default()
    }
}

#[derive(Default)]
struct State {
    script: VecDeque<Turn>,
    requests: Vec<Request>,
    /// The id and the tool of each call.
    calls: Vec<(String, &'static str)>,
    seen: Seen,
    faults: Vec<String>,
    is_paused: bool,
    is_stopping: bool,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The running model; dropping it ends its threads.
pub(crate) struct ScriptedModel {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

impl ScriptedModel {
    /// Listens on a free port.
    pub(crate) fn start(script: impl IntoIterator<Item = Turn>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared::default());
        shared.lock().script = script.into_iter().collect();
        let accepting = std::thread::spawn({
            let shared = Arc::clone(&shared);
            move || accept(&listener, &shared)
        });
        Self { address, shared, accepting: Some(accepting) }
    }

    /// `http://127.0.0.1:PORT`.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Waits until the script has come to its pause.
    pub(crate) fn wait_for_pause(&self) {
        let state = self.shared.lock();
        let waiting = |state: &mut State| !state.is_paused && state.faults.is_empty();
        let (state, _) = self.shared.changed.wait_timeout_while(state, LIMIT, waiting).unwrap();
        assert!(state.is_paused, "the script did not come to its pause: {:?}; seen {:?}", state.faults, state.seen);
    }

    /// Ends the pause.
    pub(crate) fn resume(&self) {
        self.shared.lock().is_paused = false;
        self.shared.changed.notify_all();
    }

    /// What the tools returned, in order.
    pub(crate) fn results(&self) -> Vec<ToolResult> {
        self.shared.lock().seen.results.clone()
    }

    /// What the calls of one tool returned.
    pub(crate) fn results_of(&self, tool: &str) -> Vec<ToolResult> {
        self.results().into_iter().filter(|result| result.tool == tool).collect()
    }

    /// Every request so far.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.shared.lock().requests.clone()
    }

    /// Panics unless the script was played to its end, with every tool on offer.
    pub(crate) fn assert_played(&self) {
        let state = self.shared.lock();
        assert!(state.faults.is_empty(), "{:?}", state.faults);
        assert!(state.script.is_empty(), "{} turns were not played; seen {:?}", state.script.len(), state.seen);
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        self.shared.lock().is_stopping = true;
        self.shared.changed.notify_all();
        // The listener waits for a connection, so it gets one.
        let _woken = TcpStream::connect(self.address);
        if let Some(accepting) = self.accepting.take() {
            let _ended = accepting.join();
        }
    }
}

/// How long a client may take to send a request, so that an idle connection holds no thread.
const READ_LIMIT: Duration = Duration::from_secs(5);

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    let mut serving = Vec::new();
    for connection in listener.incoming() {
        if shared.lock().is_stopping {
            break;
        }
        let Ok(connection) = connection else { continue };
        let shared = Arc::clone(shared);
        // What goes wrong on a connection, the client on its other end reports.
        serving.push(std::thread::spawn(move || drop(serve(&connection, &shared))));
    }
    for thread in serving {
        let _ended = thread.join();
    }
}

fn serve(mut connection: &TcpStream, shared: &Shared) -> io::Result<()> {
    connection.set_read_timeout(Some(READ_LIMIT))?;
    let Some(request) = http::read(connection)? else { return Ok(()) };
    let reply = answer(&request, shared);
    connection.write_all(&reply)?;
    connection.shutdown(Shutdown::Write)
}

fn answer(request: &Request, shared: &Shared) -> Vec<u8> {
    let mut state = shared.lock();
    state.requests.push(request.clone());
    let Some(dialect) = Dialect::of(request) else {
        return http::response("application/json", r#"{"object":"list","data":[],"models":[],"input_tokens":100}"#);
    };
    let number = state.requests.len();
    let offered = dialect::offered(&request.body);
    // Titles, summaries and probes offer no tools, and take no turn.
    if offered.is_empty() {
        return dialect.write(number, &request.body, Reply::Text("ok"));
    }
    for (id, texts) in dialect.results(&request.body) {
        state.saw(&id, &texts);
    }
    let turn = next_turn(state, shared);
    let mut state = shared.lock();
    match turn {
        Some(Turn::Call(tool, arguments)) => {
            let Some(name) = offered.iter().find(|name| name.is(tool)) else {
                state.faults.push(format!("`{tool}` is not on offer"));
                shared.changed.notify_all();
                return dialect.write(number, &request.body, Reply::Text("a tool is missing"));
            };
            let id = format!("call_{number}");
            let arguments = arguments(&state.seen);
            state.calls.push((id.clone(), tool));
            dialect.write(number, &request.body, Reply::Call { id: &id, name, arguments: &arguments })
        }
        Some(Turn::Say(text)) => dialect.write(number, &request.body, Reply::Text(text)),
        Some(Turn::Pause) | None => {
            state.faults.push("the client asks for more than the script has".to_owned());
            dialect.write(number, &request.body, Reply::Text("the script has ended"))
        }
    }
}

/// The next turn that does something; a pause is sat out.
fn next_turn(mut state: MutexGuard<'_, State>, shared: &Shared) -> Option<Turn> {
    let turn = state.script.pop_front();
    if !matches!(turn, Some(Turn::Pause)) {
        return turn;
    }
    state.is_paused = true;
    shared.changed.notify_all();
    let waiting = |state: &mut State| state.is_paused && !state.is_stopping;
    let (mut state, _) =
        shared.changed.wait_timeout_while(state, LIMIT, waiting).unwrap_or_else(PoisonError::into_inner);
    state.script.pop_front()
}

impl State {
    /// Keeps a result; a conversation repeats the older ones in every request.
    fn saw(&mut self, id: &str, texts: &[String]) {
        let Some(place) = self.calls.iter().position(|(known, _)| known == id) else { return };
        // One call a turn, so results come in the order of the calls.
        if place == self.seen.results.len() {
            let content = texts.iter().find_map(|text| serde_json::from_str(text).ok()).unwrap_or_default();
            self.seen.results.push(ToolResult { tool: self.calls[place].1, text: texts.join("\n"), content });
        }
    }
}
