//! A model behind the chat protocol that local servers share, with locality held at every connection.
//!
//! Nothing is sent to an address that the table of [`locality`] does not allow, no proxy of the environment is used,
//! no redirect is followed, and no connection is kept: each call resolves, checks and connects anew.

mod failover;
mod key;
pub mod locality;
mod tokens;
mod wire;

use std::error::Error as _;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderValue};
use reqwest::{Client, Method, Response, StatusCode, redirect, retry};
use serde_json::Value;
use thiserror::Error;
use tokio::time::{Instant, timeout_at};
use url::Url;

pub use failover::{Availability, Failover};
pub use key::Key;
use locality::{LocalNames, Lookup, NotLocal, Reach, SystemLookup};
pub use tokens::{CountFuture, LocalBpe, TokenCounter, Tokenizer};
pub use wire::Thinking;

use crate::model::{ChatFuture, ChatModel, ChatRequest, Excerpt, ModelError, Reply, Stage};

/// How long a connection may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The pause before a broken exchange is tried once more.
const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// The longest body that is read.
const MOST_BODY_BYTES: usize = 4 << 20;
/// The longest part of an error's body that is read.
const MOST_ERROR_BYTES: usize = 16 << 10;

/// Where a model is and how it is asked.
#[derive(Debug, Clone)]
pub struct LocalModelOptions {
    /// The model's name, as its server knows it.
    pub model: String,
    /// The address of the server, `/v1` included.
    pub base_url: String,
    /// The key, for servers that want one.
    pub key: Option<Key>,
    /// How far away it may be.
    pub reach: Reach,
    /// Whether it may reason first.
    pub thinking: Thinking,
    /// Where names are looked up.
    pub lookup: Arc<dyn Lookup>,
    /// How long a connection may take to be made.
    pub connect_timeout: Duration,
    /// The pause before a broken exchange is tried once more.
    pub retry_pause: Duration,
}

impl LocalModelOptions {
    /// A model on this machine, without a key and without reasoning.
    pub fn new(model: &str, base_url: &str) -> Self {
        Self {
            model: model.to_owned(),
            base_url: base_url.to_owned(),
            key: None,
            reach: Reach::ThisMachine,
            thinking: Thinking::Off,
            lookup: Arc::new(SystemLookup),
            connect_timeout: CONNECT_TIMEOUT,
            retry_pause: RETRY_PAUSE,
        }
    }
}

/// Why a configuration makes no worker.
#[derive(Debug, Error)]
pub enum EndpointError {
    /// It is no address that can be asked. The address is not shown: it may hold a password.
    #[error("the worker's address cannot be used: {reason}")]
    Address {
        /// What is wrong.
        reason: &'static str,
    },
    /// It is a number outside the table.
    #[error("the worker is not local: {0}")]
    NotLocal(NotLocal),
    /// The key holds a character that no header can.
    #[error("the worker's key holds a character that cannot be sent")]
    Key,
    /// The TLS library or the system's certificates cannot be used.
    #[error("no client for the worker could be made")]
    Client(#[source] reqwest::Error),
}

/// A model on this machine or this network.
pub struct LocalModel {
    model: String,
    base: Url,
    authorization: Option<HeaderValue>,
    thinking: Thinking,
    retry_pause: Duration,
    client: Client,
}

impl fmt::Debug for LocalModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalModel")
            .field("model", &self.model)
            .field("base", &self.base.as_str())
            .field("has_key", &self.authorization.is_some())
            .finish_non_exhaustive()
    }
}

impl LocalModel {
    /// A worker, if its address can be one. Names are checked when they are resolved, at every call.
    ///
    /// # Errors
    /// The address is malformed or a number that is not local, or the key cannot be sent.
    pub fn new(options: LocalModelOptions) -> Result<Self, EndpointError> {
        let base = endpoint(&options.base_url)?;
        options.reach.check_literal(&base).map_err(EndpointError::NotLocal)?;
        let authorization = match &options.key {
            Some(key) => Some(key.header().ok_or(EndpointError::Key)?),
            None => None,
        };
        // A second call finds the provider installed and is told so; both are as wished.
        let _already_installed = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .connect_timeout(options.connect_timeout)
            .pool_max_idle_per_host(0)
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            .referer(false)
            .no_proxy()
            .dns_resolver(LocalNames { lookup: options.lookup, reach: options.reach })
            .build()
            .map_err(EndpointError::Client)?;
        let LocalModelOptions { model, thinking, retry_pause, .. } = options;
        Ok(Self { model, base, authorization, thinking, retry_pause, client })
    }

    /// The address, for status.
    pub fn endpoint(&self) -> &str {
        self.base.as_str().trim_end_matches('/')
    }

    /// The models that the server offers.
    ///
    /// # Errors
    /// As for a question.
    pub async fn models(&self, deadline: Instant) -> Result<Vec<String>, ModelError> {
        let body = self.exchange(Method::GET, self.beside("models"), None, deadline).await?;
        wire::model_names(&body).map_err(|what| self.protocol(what))
    }

    async fn ask(&self, request: ChatRequest) -> Result<Reply, ModelError> {
        let started = Instant::now();
        let body = wire::question(&self.model, &request, self.thinking);
        let url = self.beside("chat/completions");
        let read = match self.answer(&url, &body, request.deadline).await {
            // A server that restarts breaks the exchange once; the deadline holds for both tries.
            Err(ModelError::Protocol { .. }) if Instant::now() + self.retry_pause < request.deadline => {
                tokio::time::sleep(self.retry_pause).await;
                self.answer(&url, &body, request.deadline).await?
            }
            first => first?,
        };
        let model = self.model.clone();
        match read {
            wire::Answer::Text(text, finish, usage) => {
                Ok(Reply { text, finish, model, usage, elapsed: started.elapsed() })
            }
            wire::Answer::OnlyReasoning => Err(ModelError::OnlyReasoning { model }),
            wire::Answer::Empty(finish) => Err(ModelError::Empty { model, finish }),
        }
    }

    async fn answer(&self, url: &Url, body: &Value, deadline: Instant) -> Result<wire::Answer, ModelError> {
        let body = self.exchange(Method::POST, url.clone(), Some(body), deadline).await?;
        wire::answer(&body).map_err(|what| self.protocol(what))
    }

    /// One exchange; the body of a success.
    async fn exchange(
        &self,
        method: Method,
        url: Url,
        body: Option<&Value>,
        deadline: Instant,
    ) -> Result<Vec<u8>, ModelError> {
        let mut request = self.client.request(method, url).header(ACCEPT, HeaderValue::from_static("application/json"));
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization.clone());
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        let exchange = async {
            let response = request.send().await.map_err(|error| self.transport(&error))?;
            let status = response.status();
            if status.is_success() {
                let body = self.body(response, MOST_BODY_BYTES).await?;
                return body.ok_or_else(|| self.protocol("the body is longer than 4 MiB"));
            }
            if status == StatusCode::UNAUTHORIZED {
                return Err(ModelError::Unauthorised { model: self.model.clone() });
            }
            // What an error says is a courtesy: the status counts even when the rest does not arrive.
            let body = self.body_start(response).await;
            let excerpt = Excerpt::of(&String::from_utf8_lossy(&body));
            Err(ModelError::Status { model: self.model.clone(), status: status.as_u16(), excerpt })
        };
        match timeout_at(deadline, exchange).await {
            Ok(result) => result,
            Err(_) => Err(ModelError::Timeout { model: self.model.clone(), stage: Stage::Answer }),
        }
    }

    /// The whole body; none if it is longer than the limit.
    async fn body(&self, mut response: Response, most: usize) -> Result<Option<Vec<u8>>, ModelError> {
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.transport(&error))? {
            if body.len() + chunk.len() > most {
                return Ok(None);
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Some(body))
    }

    async fn body_start(&self, mut response: Response) -> Vec<u8> {
        let mut body = Vec::new();
        while body.len() < MOST_ERROR_BYTES {
            match response.chunk().await {
                Ok(Some(chunk)) => body.extend_from_slice(&chunk),
                Ok(None) | Err(_) => break,
            }
        }
        body
    }

    /// A failure below the protocol. The library's own words repeat the address and are not used.
    fn transport(&self, error: &reqwest::Error) -> ModelError {
        let model = self.model.clone();
        let mut source = error.source();
        while let Some(cause) = source {
            if let Some(refused) = cause.downcast_ref::<NotLocal>() {
                return ModelError::NotLocal { model, reason: refused.reason() };
            }
            source = cause.source();
        }
        match (error.is_connect(), error.is_timeout()) {
            (true, true) => ModelError::Timeout { model, stage: Stage::Connect },
            (false, true) => ModelError::Timeout { model, stage: Stage::Answer },
            (true, false) => ModelError::Connect { model },
            (false, false) => self.protocol("the connection broke"),
        }
    }

    fn protocol(&self, what: &'static str) -> ModelError {
        ModelError::Protocol { model: self.model.clone(), what }
    }

    /// A path below the base address.
    fn beside(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        url.set_path(&format!("{}/{path}", self.base.path().trim_end_matches('/')));
        url
    }

    /// The counting of tokens stands beside `/v1`.
    fn tokenize_url(&self) -> Url {
        let mut url = self.base.clone();
        let path = self.base.path().trim_end_matches('/');
        url.set_path(&format!("{}/tokenize", path.strip_suffix("/v1").unwrap_or(path)));
        url
    }
}

impl ChatModel for LocalModel {
    fn name(&self) -> &str {
        &self.model
    }

    fn chat(&self, request: ChatRequest) -> ChatFuture<'_> {
        Box::pin(self.ask(request))
    }
}

fn endpoint(text: &str) -> Result<Url, EndpointError> {
    let refused = |reason| Err(EndpointError::Address { reason });
    let Ok(url) = Url::parse(text.trim()) else {
        return refused("it is not complete, such as `http://127.0.0.1:8000/v1`");
    };
    if !matches!(url.scheme(), "http" | "https") {
        return refused("it is neither `http` nor `https`");
    }
    if url.host_str().is_none_or(str::is_empty) {
        return refused("it names no host");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return refused("it holds a user name or password");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return refused("it holds a query or fragment");
    }
    Ok(url)
}
