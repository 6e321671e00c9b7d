//! What a line is: a message for the SDK, a mistake that gets an answer, or nothing.

use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use serde_json::{Map, Value};

use super::MAX_LINE_BYTES;

const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";

/// Methods that the SDK knows. It reads one whose parameters do not fit as a method that it does not know.
const KNOWN_METHODS: [&str; 14] = [
    "initialize",
    "server/discover",
    "ping",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "subscriptions/listen",
];

/// What becomes of a line.
#[derive(Debug)]
pub(super) enum Inbound {
    /// A message for the SDK.
    Message(Box<ClientJsonRpcMessage>),
    /// A request that is answered at once.
    Refused(Box<ServerJsonRpcMessage>),
    /// A message that has no meaning now.
    Skipped(&'static str),
    /// No JSON; how many bytes.
    Garbage(usize),
    /// An empty line.
    Blank,
}

/// Decides about lines, and remembers what decides about later ones.
#[derive(Debug, Default)]
pub(super) struct Gate {
    /// Whether a request was let through: notifications before that belong to nothing.
    has_request: bool,
    /// Whether the client chose the handshake era.
    is_initialized: bool,
}

impl Gate {
    /// Decides about one line.
    pub(super) fn admit(&mut self, line: &[u8]) -> Inbound {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
        if line.is_empty() {
            return Inbound::Blank;
        }
        match serde_json::from_slice(line) {
            Err(_) => Inbound::Garbage(line.len()),
            Ok(Value::Object(message)) => self.admit_message(message),
            Ok(Value::Array(_)) => {
                refused(None, ErrorData::invalid_request("batches are not part of MCP any more", None))
            }
            Ok(_) => refused(None, ErrorData::invalid_request("a message is a JSON object", None)),
        }
    }

    fn admit_message(&mut self, mut message: Map<String, Value>) -> Inbound {
        let id: Option<RequestId> = message.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
        if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return refused(id, ErrorData::invalid_request("`jsonrpc` must be \"2.0\"", None));
        }
        let method = match message.get("method") {
            Some(Value::String(method)) => method.clone(),
            Some(_) => return refused(id, ErrorData::invalid_request("`method` must be a text", None)),
            None if message.contains_key("result") || message.contains_key("error") => {
                return self.admit_response(message);
            }
            None => return refused(id, ErrorData::invalid_request("`method` is missing", None)),
        };
        if message.get("params").is_some_and(Value::is_null) {
            message.remove("params");
        }
        if !message.contains_key("id") {
            return self.admit_notification(message);
        }
        let Some(id) = id else {
            return refused(None, ErrorData::invalid_request("`id` must be a text or a whole number", None));
        };
        match self.checked(&method, message) {
            Ok(request) => Inbound::Message(request),
            Err(error) => refused(Some(id), error),
        }
    }

    /// The request as the SDK reads it.
    fn checked(
        &mut self,
        method: &str,
        mut message: Map<String, Value>,
    ) -> Result<Box<ClientJsonRpcMessage>, ErrorData> {
        match message.get_mut("params") {
            Some(Value::Object(params)) if matches!(method, "tools/call" | "prompts/get") => {
                if params.get("arguments").is_some_and(Value::is_null) {
                    params.remove("arguments");
                }
                if params.get("arguments").is_some_and(|arguments| !arguments.is_object()) {
                    return Err(ErrorData::invalid_params("`arguments` must be an object", None));
                }
            }
            None | Some(Value::Object(_)) => {}
            Some(_) => return Err(ErrorData::invalid_params("`params` must be an object", None)),
        }
        self.check_era(method, message.get("params"))?;
        // The SDK copies what it reads several times over before it knows what it is, and arguments can be long.
        let arguments = match message.get_mut("params") {
            Some(Value::Object(params)) if method == "tools/call" => params.remove("arguments"),
            _ => None,
        };
        let mut request: ClientJsonRpcMessage = serde_json::from_value(Value::Object(message))
            .map_err(|_| ErrorData::invalid_request("the request cannot be read", None))?;
        if let (JsonRpcMessage::Request(read), Some(Value::Object(arguments))) = (&mut request, arguments)
            && let ClientRequest::CallToolRequest(call) = &mut read.request
        {
            call.params.arguments = Some(arguments);
        }
        if let JsonRpcMessage::Request(read) = &request
            && matches!(read.request, ClientRequest::CustomRequest(_))
            && KNOWN_METHODS.contains(&method)
        {
            return Err(ErrorData::invalid_params(format!("the parameters of `{method}` have another shape"), None));
        }
        self.has_request = true;
        self.is_initialized |= method == "initialize";
        Ok(Box::new(request))
    }

    /// In the stateless era every request says what it speaks; in the handshake era `initialize` said it.
    fn check_era(&self, method: &str, params: Option<&Value>) -> Result<(), ErrorData> {
        let meta = params.and_then(|params| params.get("_meta"));
        let has_version = meta.and_then(|meta| meta.get(VERSION_KEY)).is_some_and(Value::is_string);
        let has_capabilities = meta.and_then(|meta| meta.get(CAPABILITIES_KEY)).is_some_and(Value::is_object);
        let is_handshake_request = matches!(method, "initialize" | "ping") || self.is_initialized;
        let is_stateless = has_version || has_capabilities || method == "server/discover";
        if (has_version && has_capabilities) || (is_handshake_request && !is_stateless) || method == "initialize" {
            return Ok(());
        }
        let missing: Vec<&str> = [(VERSION_KEY, has_version), (CAPABILITIES_KEY, has_capabilities)]
            .into_iter()
            .filter_map(|(key, is_there)| (!is_there).then_some(key))
            .collect();
        Err(ErrorData::invalid_params(
            format!("`_meta` lacks {}; send it, or `initialize` first", missing.join(" and ")),
            None,
        ))
    }

    fn admit_notification(&self, message: Map<String, Value>) -> Inbound {
        if !self.has_request {
            return Inbound::Skipped("a notification before the first request");
        }
        match serde_json::from_value(Value::Object(message)) {
            Ok(notification) => Inbound::Message(Box::new(notification)),
            Err(_) => Inbound::Skipped("a notification that cannot be read"),
        }
    }

    fn admit_response(&self, message: Map<String, Value>) -> Inbound {
        if !self.is_initialized {
            return Inbound::Skipped("a response where nothing was asked");
        }
        match serde_json::from_value(Value::Object(message)) {
            Ok(response) => Inbound::Message(Box::new(response)),
            Err(_) => Inbound::Skipped("a response that cannot be read"),
        }
    }
}

/// The answer to a line that was too long to keep.
pub(super) fn too_long(id: Option<RequestId>) -> Inbound {
    let limit = MAX_LINE_BYTES / (1024 * 1024);
    refused(id, ErrorData::invalid_request(format!("request too large: the limit is {limit} MiB a message"), None))
}

fn refused(id: Option<RequestId>, error: ErrorData) -> Inbound {
    debug_assert!(error.code == ErrorCode::INVALID_REQUEST || error.code == ErrorCode::INVALID_PARAMS);
    Inbound::Refused(Box::new(JsonRpcMessage::error(error, id)))
}

#[cfg(test)]
mod tests;
