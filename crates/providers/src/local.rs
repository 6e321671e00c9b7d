//! Finds OpenAI-compatible model servers on this machine.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use crate::listing::{ListedModel, read_models, read_small_json};

/// How long one server may take to show what it is.
const TIME_LIMIT: Duration = Duration::from_millis(300);

/// A kind of server, each of which is recognised by something that only it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LocalKind {
    /// Ollama.
    Ollama,
    /// LM Studio.
    LmStudio,
    /// The server of llama.cpp.
    LlamaCpp,
    /// vLLM.
    Vllm,
}

impl LocalKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Ollama, Self::LmStudio, Self::LlamaCpp, Self::Vllm];

    /// The provider's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ollama => "ollama",
            Self::LmStudio => "lmstudio",
            Self::LlamaCpp => "llamacpp",
            Self::Vllm => "vllm",
        }
    }

    /// The port it listens on unless told otherwise.
    pub const fn default_port(self) -> u16 {
        match self {
            Self::Ollama => 11434,
            Self::LmStudio => 1234,
            Self::LlamaCpp => 8080,
            Self::Vllm => 8000,
        }
    }
}

/// Where a server of a kind may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalCandidate {
    /// What to look for.
    pub kind: LocalKind,
    /// On which port of 127.0.0.1.
    pub port: u16,
}

impl LocalCandidate {
    /// Every kind on its usual port.
    pub fn defaults() -> [Self; 4] {
        LocalKind::ALL.map(|kind| Self { kind, port: kind.default_port() })
    }
}

/// A server that was found and recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DetectedServer {
    /// The provider's name: `ollama`, `lmstudio`, `llamacpp`, `vllm`.
    pub name: String,
    /// What it is.
    pub kind: LocalKind,
    /// The base address of its OpenAI-compatible part.
    pub base_url: String,
    /// The models it offers for chat.
    pub models: Vec<ListedModel>,
    /// Its version, where it tells one.
    pub version: Option<String>,
}

/// Looks at every candidate at the same time, at most 300 ms each, and gives the ones that are what they should be.
///
/// `client` comes from [`http_client`](crate::http_client), which never uses a proxy for this machine.
/// A web server that happens to listen on one of the ports is not taken for a model server.
pub async fn detect(client: &reqwest::Client, candidates: &[LocalCandidate]) -> Vec<DetectedServer> {
    let looks = candidates.iter().map(|candidate| look(client, *candidate));
    join_all(looks).await.into_iter().flatten().collect()
}

async fn look(client: &reqwest::Client, candidate: LocalCandidate) -> Option<DetectedServer> {
    let probe = Probe { client, port: candidate.port, deadline: Instant::now() + TIME_LIMIT };
    let (models, version) = match candidate.kind {
        LocalKind::Ollama => ollama(&probe).await?,
        LocalKind::LmStudio => lm_studio(&probe).await?,
        LocalKind::LlamaCpp => llama_cpp(&probe).await?,
        LocalKind::Vllm => vllm(&probe).await?,
    };
    tracing::debug!(kind = candidate.kind.name(), port = candidate.port, models = models.len(), "found local server");
    Some(DetectedServer {
        name: candidate.kind.name().to_owned(),
        kind: candidate.kind,
        base_url: format!("http://127.0.0.1:{}/v1", candidate.port),
        models: models.into_iter().filter(|model| model.is_chat != Some(false)).collect(),
        version,
    })
}

type Found = (Vec<ListedModel>, Option<String>);

struct Probe<'a> {
    client: &'a reqwest::Client,
    port: u16,
    deadline: Instant,
}

impl Probe<'_> {
    /// The JSON at `path`, if there is some in time.
    async fn get(&self, path: &str) -> Option<Value> {
        let url = format!("http://127.0.0.1:{}{path}", self.port);
        let response = timeout_at(self.deadline, self.client.get(url).send()).await.ok()?.ok()?;
        read_small_json(response, self.deadline).await
    }
}

/// `/api/version` and `/api/tags` together are Ollama's alone.
///
/// A model's greatest context is not what it runs with, and prompts beyond that are cut without a word, so only
/// the context of loaded models is taken, which `/api/ps` tells.
async fn ollama(probe: &Probe<'_>) -> Option<Found> {
    let (version, tags, loaded) = tokio::join!(probe.get("/api/version"), probe.get("/api/tags"), probe.get("/api/ps"));
    let version = text(&version?, "/version")?;
    let tags = tags?;
    let items = tags.get("models")?.as_array()?;
    let mut models = Vec::new();
    for item in items {
        let Some(id) = text(item, "/model").or_else(|| text(item, "/name")) else { continue };
        // Such a model is listed here and runs elsewhere; its text would leave this machine.
        if text(item, "/remote_host").is_some()
            || text(item, "/remote_model").is_some()
            || id.ends_with("-cloud")
            || id.ends_with(":cloud")
        {
            continue;
        }
        let is_embedding = text(item, "/details/family").is_some_and(|family| family.contains("bert"));
        models.push(ListedModel {
            context_length: loaded.as_ref().and_then(|loaded| loaded_context(loaded, &id)),
            is_chat: is_embedding.then_some(false),
            id,
            ..ListedModel::default()
        });
    }
    Some((models, Some(version)))
}

fn loaded_context(loaded: &Value, id: &str) -> Option<u64> {
    let items = loaded.get("models")?.as_array()?;
    let is_it = |item: &&Value| [text(item, "/model"), text(item, "/name")].iter().flatten().any(|name| name == id);
    items.iter().find(is_it)?.get("context_length")?.as_u64().filter(|context| *context > 0)
}

/// `/api/v1/models` of newer versions and `/api/v0/models` of older ones list with fields that nobody else has.
async fn lm_studio(probe: &Probe<'_>) -> Option<Found> {
    let (newer, older) = tokio::join!(probe.get("/api/v1/models"), probe.get("/api/v0/models"));
    let models = newer.as_ref().and_then(lm_studio_newer).or_else(|| older.as_ref().and_then(lm_studio_older))?;
    Some((models, None))
}

fn lm_studio_newer(list: &Value) -> Option<Vec<ListedModel>> {
    let items = list.get("models")?.as_array()?;
    let is_own = |item: &Value| item.get("key").is_some() && item.get("loaded_instances").is_some_and(Value::is_array);
    if items.is_empty() || !items.iter().all(is_own) {
        return None;
    }
    let models = items.iter().filter_map(|item| {
        let loaded = item.pointer("/loaded_instances/0/config/context_length").and_then(Value::as_u64);
        Some(ListedModel {
            id: text(item, "/key")?,
            display_name: text(item, "/display_name"),
            context_length: loaded.or_else(|| item.get("max_context_length").and_then(Value::as_u64)),
            is_chat: text(item, "/type").map(|kind| kind == "llm"),
            ..ListedModel::default()
        })
    });
    Some(models.collect())
}

fn lm_studio_older(list: &Value) -> Option<Vec<ListedModel>> {
    if text(list, "/object")? != "list" {
        return None;
    }
    let items = list.get("data")?.as_array()?;
    let is_own = |item: &Value| item.get("state").is_some() && item.get("compatibility_type").is_some();
    if !items.iter().all(is_own) {
        return None;
    }
    let mut models = read_models(list)?;
    for model in &mut models {
        // What is loaded is what can be used; the greatest possible context would have to be loaded first.
        let item = items.iter().find(|item| text(item, "/id").as_deref() == Some(&model.id));
        let loaded = item.and_then(|item| item.get("loaded_context_length")).and_then(Value::as_u64);
        model.context_length = loaded.filter(|context| *context > 0).or(model.context_length);
    }
    Some(models)
}

/// `/props` describes the loaded model; without it, the owner in the list does.
async fn llama_cpp(probe: &Probe<'_>) -> Option<Found> {
    let (props, list) = tokio::join!(probe.get("/props"), probe.get("/v1/models"));
    let list = list?;
    let mut models = read_models(&list)?;
    let context =
        props.as_ref().and_then(|props| props.pointer("/default_generation_settings/n_ctx")).and_then(Value::as_u64);
    let has_props =
        props.as_ref().is_some_and(|props| props.get("default_generation_settings").is_some_and(Value::is_object));
    let is_owner = !models.is_empty() && models.iter().all(|model| model.owned_by.as_deref() == Some("llamacpp"));
    if !(has_props || is_owner) {
        return None;
    }
    for model in &mut models {
        model.context_length = context.filter(|context| *context > 0).or(model.context_length);
    }
    Some((models, props.as_ref().and_then(|props| text(props, "/build_info"))))
}

/// Every model of vLLM is owned by `vllm`, and `/version` answers.
async fn vllm(probe: &Probe<'_>) -> Option<Found> {
    let (version, list) = tokio::join!(probe.get("/version"), probe.get("/v1/models"));
    let models = read_models(&list?)?;
    let is_owner = !models.is_empty() && models.iter().all(|model| model.owned_by.as_deref() == Some("vllm"));
    is_owner.then(|| (models, version.as_ref().and_then(|version| text(version, "/version"))))
}

fn text(value: &Value, path: &str) -> Option<String> {
    value.pointer(path).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}
