//! The local models of the configuration: made once for each set of settings, with what is known about their health.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use lwa_config::{DecidePrefer, WORKER_FALLBACK_KEY, WORKER_KEY, WorkerConfig};
use lwa_protocol::Failure;
use lwa_protocol::worker::WorkerModelView;
use lwa_worker::decide::{DecisionEngine, Reasoning};
use lwa_worker::digest::BUILTIN;
use lwa_worker::local_model::locality::Reach;
use lwa_worker::local_model::{
    Availability, Failover, Key, LocalBpe, LocalModel, LocalModelOptions, Thinking, TokenCounter, Tokenizer,
};
use lwa_worker::model::ChatModel;
use zeroize::Zeroizing;

use super::session::Surroundings;
use crate::engine::{Engine, locked};

/// The models as they were last made.
#[derive(Debug, Default)]
pub(crate) struct Models {
    made: Mutex<Option<(String, Arc<Workers>)>>,
}

/// The models that answer, and why one of them cannot.
#[derive(Debug)]
pub(crate) struct Workers {
    pub model: Option<Arc<dyn ChatModel>>,
    pub counter: Option<TokenCounter>,
    /// Asks the same models, each by itself.
    pub decider: DecisionEngine,
    pub views: Vec<(WorkerModelView, Option<Arc<Availability>>)>,
}

impl Workers {
    /// Why the first model cannot be used, where one is configured.
    pub(crate) fn problem(&self) -> Option<String> {
        self.views.iter().find_map(|(view, _)| view.problem.clone())
    }

    /// The name that stands in questions and results: of the first model that can be used, or of the built-in condenser.
    pub(crate) fn name(&self) -> &str {
        let usable = self.views.iter().find(|(view, _)| view.problem.is_none());
        usable.map_or(BUILTIN, |(view, _)| view.model.as_str())
    }

    /// The models as people see them now.
    pub(crate) fn shown(&self) -> Vec<WorkerModelView> {
        self.views
            .iter()
            .map(|(view, availability)| {
                let down = availability.as_ref().and_then(|marks| marks.primary_down_for());
                WorkerModelView { down_for_s: down.map(|left| left.as_secs()), ..view.clone() }
            })
            .collect()
    }
}

impl Engine {
    /// The models of these settings.
    pub(crate) async fn workers(&self, config: &WorkerConfig) -> Result<Arc<Workers>, Failure> {
        let keys = [
            self.worker_key(WORKER_KEY, config.api_key_env.as_deref()).await,
            self.worker_key(WORKER_FALLBACK_KEY, config.fallback_api_key_env.as_deref()).await,
        ];
        // Digests of the keys, so that a changed key makes another client and no key stays in the mark.
        let marks: Vec<String> =
            keys.iter().map(|key| key.as_ref().map(|key| crate::tokens::text_hash(key)).unwrap_or_default()).collect();
        let mark = crate::tokens::text_hash(&format!(
            "{:?}\n{:?}\n{:?}\n{:?}\n{}\n{}\n{}\n{:?}\n{}\n{}\n{}",
            config.base_url,
            config.model,
            config.fallback_base_url,
            config.fallback_model,
            config.allow_private_network,
            config.thinking,
            config.failover_cooldown,
            config.decide_prefer,
            config.decide_reasoning,
            config.decide_timeout_s,
            marks.join("\n"),
        ));
        if let Some((of, workers)) = locked(&self.worker.models.made).as_ref()
            && *of == mark
        {
            return Ok(workers.clone());
        }
        let [key, fallback_key] = keys;
        let workers = Arc::new(make(config, key, fallback_key));
        *locked(&self.worker.models.made) = Some((mark, workers.clone()));
        Ok(workers)
    }

    /// See [`Workers::name`].
    pub(super) async fn worker_model_name(&self, surroundings: &Surroundings) -> Result<String, Failure> {
        Ok(self.workers(&surroundings.config).await?.name().to_owned())
    }

    /// The key of a local model: from the named variable, else from the store of keys.
    async fn worker_key(&self, name: &str, variable: Option<&str>) -> Option<Zeroizing<String>> {
        let from_variable = variable.and_then(|variable| std::env::var(variable).ok()).filter(|key| !key.is_empty());
        if let Some(key) = from_variable {
            return Some(Zeroizing::new(key));
        }
        self.stored_worker_key(name).await.map(|secret| Zeroizing::new(secret.expose().to_owned()))
    }
}

fn make(config: &WorkerConfig, key: Option<Zeroizing<String>>, fallback_key: Option<Zeroizing<String>>) -> Workers {
    let availability = Arc::new(Availability::new(Duration::from_secs(u64::from(config.failover_cooldown))));
    let (mut model, mut views) = (None, Vec::new());
    let mut chat: Vec<Arc<dyn ChatModel>> = Vec::new();
    let mut counting: Vec<Arc<dyn Tokenizer>> = Vec::new();
    let fallback_name = config.fallback_model.as_deref().unwrap_or(&config.model);
    let wanted = [
        ("primary", config.base_url.as_deref(), config.model.as_str(), key),
        ("fallback", config.fallback_base_url.as_deref(), fallback_name, fallback_key),
    ];
    for (role, base_url, model, key) in wanted {
        let Some(base_url) = base_url else { continue };
        let mut options = LocalModelOptions::new(model, base_url);
        options.key = key.and_then(Key::new);
        options.reach = if config.allow_private_network { Reach::PrivateNetwork } else { Reach::ThisMachine };
        options.thinking = if config.thinking { Thinking::On } else { Thinking::Off };
        let made = LocalModel::new(options);
        let marks = (role == "primary").then(|| availability.clone());
        let view = WorkerModelView {
            role: role.to_owned(),
            model: model.to_owned(),
            endpoint: made.as_ref().map(|made| made.endpoint().to_owned()).unwrap_or_default(),
            down_for_s: None,
            problem: made.as_ref().err().map(ToString::to_string),
        };
        views.push((view, marks));
        if let Ok(made) = made {
            let made = Arc::new(made);
            chat.push(made.clone());
            counting.push(made);
        }
    }
    let decider = decider(config, chat.clone());
    let mut chat = chat.into_iter();
    if let Some(primary) = chat.next() {
        let both = Failover::new(primary, chat.next()).with_availability(availability.clone());
        model = Some(Arc::new(both) as Arc<dyn ChatModel>);
    }
    // Where no server counts, the embedded vocabulary does.
    counting.push(Arc::new(LocalBpe::new()));
    let counter = Some(TokenCounter::new(counting, availability));
    Workers { model, counter, decider, views }
}

/// Asks these models for decisions, the preferred one first.
fn decider(config: &WorkerConfig, mut models: Vec<Arc<dyn ChatModel>>) -> DecisionEngine {
    if config.decide_prefer == DecidePrefer::Fallback {
        models.reverse();
    }
    let reasoning = if config.decide_reasoning { Reasoning::First } else { Reasoning::None };
    DecisionEngine::new(models, reasoning, Duration::from_secs(u64::from(config.decide_timeout_s)))
}
