//! Lists of models as providers gave them, kept over restarts, and what all sources together say about each model.
//!
//! A list is asked for when somebody wants it: by `catalogue/refresh`, and by the test of a provider. Preparing a plan
//! asks nobody. A list that fails leaves the last good one in use.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError, RwLock};

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use lwa_config::{Config, ProviderConfig};
use lwa_domain::{Capability, ErrorCode, Model, ModelKey, PicoUsd, Price};
use lwa_protocol::router::{CatalogueRefreshParams, CatalogueRefreshed, ListStatus, ListTried};
use lwa_protocol::{Event, Failure};
use lwa_providers::listing::{ListedModel, Listing, PageLimits, Sources, list_models_within, merge_model};
use lwa_providers::{catalog, prices};
use serde_json::{Map, Value};
use tokio::task::JoinSet;

use super::{BUILTIN, adapter_of, builtin_model, configured_models, unknown_provider};
use crate::engine::{Engine, rfc3339};
use crate::failure;

/// How long a film is when nobody says.
const USUAL_SECONDS: u64 = 4;
/// How many lists are asked for at once.
const AT_ONCE: usize = 6;

/// What is known of one provider's list.
#[derive(Debug, Clone)]
pub(crate) struct ProviderList {
    pub models: Arc<Vec<ListedModel>>,
    pub listed_at: Option<Timestamp>,
    /// Why the last try failed.
    pub problem: Option<String>,
}

/// The lists, and what was merged from them last.
#[derive(Debug, Default)]
pub struct LiveLists {
    lists: RwLock<BTreeMap<String, ProviderList>>,
    merged: RwLock<Option<Arc<Merged>>>,
}

/// Every model but those of detected servers, by all that is known of it.
#[derive(Debug)]
pub(crate) struct Merged {
    /// What it was made from; another configuration, list or day makes another.
    config: Arc<Config>,
    day: Date,
    pub models: Vec<Model>,
    /// Prices to reserve by.
    pub reserved: BTreeMap<ModelKey, Price>,
    pub stale: BTreeSet<ModelKey>,
    /// What a picture and a second of film cost.
    pub media_prices: BTreeMap<ModelKey, (Option<PicoUsd>, Option<PicoUsd>)>,
}

impl Merged {
    /// The model with this key, if it is known.
    pub fn find(&self, key: &ModelKey) -> Option<&Model> {
        self.models.iter().find(|model| model.key == *key)
    }

    /// The most that one picture or film of this kind costs; unknown without a price of its own.
    pub fn media_cost(&self, key: &ModelKey, media: Option<&Map<String, Value>>) -> Option<PicoUsd> {
        let (per_image, per_second) = self.media_prices.get(key).copied()?;
        let seconds = media.and_then(|media| media.get("seconds")?.as_str()?.parse::<u64>().ok());
        let is_film = self.find(key).is_some_and(|model| model.capabilities.contains(&Capability::Video));
        if is_film { per_second.map(|price| price.times(seconds.unwrap_or(USUAL_SECONDS))) } else { per_image }
    }
}

impl LiveLists {
    pub(crate) fn of(&self, provider: &str) -> Option<ProviderList> {
        self.lists.read().unwrap_or_else(PoisonError::into_inner).get(provider).cloned()
    }

    /// What the list in use says about one model.
    pub(crate) fn model(&self, provider: &str, model: &str) -> Option<ListedModel> {
        self.of(provider)?.models.iter().find(|listed| listed.id == model).cloned()
    }

    fn change(&self, provider: &str, change: impl FnOnce(&mut ProviderList)) {
        let mut lists = self.lists.write().unwrap_or_else(PoisonError::into_inner);
        let list = lists.entry(provider.to_owned()).or_insert_with(|| ProviderList {
            models: Arc::default(),
            listed_at: None,
            problem: None,
        });
        change(list);
        *self.merged.write().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Engine {
    /// Reads the lists that an earlier host kept.
    pub(crate) async fn restore_lists(&self) -> Result<(), Failure> {
        for kept in self.db.kept_lists().await.map_err(failure::store)? {
            // A list in a form of another version is asked for again when somebody wants it.
            let models = kept.listing.and_then(|listing| serde_json::from_value::<Vec<ListedModel>>(listing).ok());
            self.lists.change(&kept.provider, |list| {
                list.listed_at = kept.listed_at.filter(|_| models.is_some());
                list.models = Arc::new(models.unwrap_or_default());
                list.problem = kept.problem;
            });
        }
        Ok(())
    }

    /// Every configured, shipped and listed model with what all sources say; made anew only when one of them changed.
    pub(crate) fn merged(&self, config: &Arc<Config>) -> Arc<Merged> {
        let day = day_of(self.now());
        let known = self.lists.merged.read().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(known) = known.filter(|known| Arc::ptr_eq(&known.config, config) && known.day == day) {
            return known;
        }
        let lists = self.lists.lists.read().unwrap_or_else(PoisonError::into_inner).clone();
        let merged = Arc::new(merge(config, &lists, day));
        *self.lists.merged.write().unwrap_or_else(PoisonError::into_inner) = Some(merged.clone());
        merged
    }

    /// `catalogue/refresh`.
    ///
    /// # Errors
    /// The named provider does not exist, or the database failed.
    pub async fn refresh_catalogue(&self, params: &CatalogueRefreshParams) -> Result<CatalogueRefreshed, Failure> {
        let snapshot = self.catalogue().await?;
        if let Some(name) = &params.provider
            && !snapshot.facts.contains_key(name)
        {
            return Err(unknown_provider(name, snapshot.facts.keys().map(String::as_str)));
        }
        let config = self.configuration.in_force();
        let limit = SignedDuration::from_mins(i64::from(config.router.catalog_refresh_minutes));
        let mut tried: BTreeMap<String, ListTried> = BTreeMap::new();
        let mut wanted = Vec::new();
        for (name, provider) in &config.providers {
            if name == BUILTIN || params.provider.as_ref().is_some_and(|wanted| wanted != name) {
                continue;
            }
            let facts = snapshot.facts.get(name);
            let known = self.lists.of(name);
            let is_fresh = known
                .as_ref()
                .is_some_and(|list| list.problem.is_none() && list.listed_at.is_some_and(|at| self.now() < at + limit));
            let status = if provider.disabled().is_some() {
                ListStatus::Disabled
            } else if facts.is_none_or(|facts| !facts.has_credential) {
                ListStatus::MissingCredential
            } else if !provider.supports_live_models {
                ListStatus::NotSupported
            } else if is_fresh && !params.force {
                ListStatus::Fresh
            } else {
                wanted.push((name.clone(), provider.clone()));
                continue;
            };
            tried.insert(name.clone(), self.tried(name, status, false, provider.disabled()));
        }
        let mut refreshed = 0;
        let mut asked = JoinSet::new();
        let mut waiting = wanted.into_iter();
        loop {
            while asked.len() < AT_ONCE
                && let Some((name, provider)) = waiting.next()
            {
                let engine = self.clone();
                asked.spawn(async move {
                    let listed = engine.ask_for_list(&name, &provider).await;
                    (name, listed)
                });
            }
            let Some(joined) = asked.join_next().await else { break };
            let Ok((name, listed)) = joined else { continue };
            let view = match listed {
                Ok(listing) => {
                    refreshed += listing.models.len();
                    self.tried(&name, ListStatus::Ok, listing.is_cut, None)
                }
                Err(failure) => self.tried(&name, ListStatus::Failed, false, Some(failure.message)),
            };
            tried.insert(name, view);
        }
        let models = self.catalogue().await?.models.len();
        Ok(CatalogueRefreshed {
            models: narrow(models),
            refreshed: narrow(refreshed),
            providers: tried.into_values().collect(),
        })
    }

    fn tried(&self, name: &str, status: ListStatus, is_cut: bool, detail: Option<String>) -> ListTried {
        let list = self.lists.of(name).filter(|list| list.listed_at.is_some());
        ListTried {
            provider: name.to_owned(),
            status,
            models: list.as_ref().map(|list| narrow(list.models.len())),
            is_cut,
            listed_at: list.and_then(|list| list.listed_at).map(rfc3339),
            detail,
        }
    }

    /// Asks one provider for its list and keeps it, or keeps why it could not be read.
    pub(crate) async fn ask_for_list(&self, name: &str, provider: &ProviderConfig) -> Result<Listing, Failure> {
        let listed = match self.provider_endpoint(name).await {
            Ok(endpoint) => {
                let limits = PageLimits {
                    pages: usize::try_from(provider.catalog_page_limit).unwrap_or(usize::MAX),
                    models: usize::try_from(provider.catalog_model_limit).unwrap_or(usize::MAX),
                };
                let asked = list_models_within(&self.http, adapter_of(provider.adapter), &endpoint, limits).await;
                // A provider that repeats the key as a name of something plants it in no file and on no screen.
                let repeats_key = |model: &ListedModel| {
                    let key = endpoint.key.as_ref().map(lwa_secrets::Secret::expose).filter(|key| key.len() >= 8);
                    key.is_some_and(|key| format!("{model:?}").contains(key))
                };
                asked
                    .map(|mut listing| {
                        listing.models.retain(|model| !repeats_key(model));
                        listing
                    })
                    .map_err(|error| failure::provider(&error))
            }
            Err(failure) => Err(failure),
        };
        let now = self.now();
        match &listed {
            Ok(listing) => {
                let models = serde_json::to_value(&listing.models).map_err(|error| failure::json(&error))?;
                self.db.keep_list(name, &models, now).await.map_err(failure::store)?;
                self.lists.change(name, |list| {
                    list.models = Arc::new(listing.models.clone());
                    list.listed_at = Some(now);
                    list.problem = None;
                });
            }
            Err(failure) => {
                self.db.note_list_problem(name, &failure.message, now).await.map_err(failure::store)?;
                self.lists.change(name, |list| list.problem = Some(failure.message.clone()));
            }
        }
        // A key that is missing is no failure of the provider.
        if !listed.as_ref().is_err_and(|failure| failure.code == ErrorCode::SecretsUnavailable) {
            self.note_health(name, listed.as_ref().err());
        }
        self.emit(Event::ProvidersChanged);
        listed
    }
}

impl Engine {
    /// Asks for a list of a provider whose models are not taken from it: a detected server, or one that is told not to.
    pub(crate) async fn ask_unkept(&self, name: &str) -> Result<Listing, Failure> {
        let adapter = self.configuration.in_force().providers.get(name).map(|provider| adapter_of(provider.adapter));
        let endpoint = self.provider_endpoint(name).await?;
        let asked = list_models_within(&self.http, adapter.unwrap_or_default(), &endpoint, PageLimits::default()).await;
        let listed = asked.map_err(|error| failure::provider(&error));
        self.note_health(name, listed.as_ref().err());
        listed
    }
}

fn merge(config: &Arc<Config>, lists: &BTreeMap<String, ProviderList>, day: Date) -> Merged {
    let known: BTreeMap<ModelKey, Model> =
        configured_models(config).into_iter().map(|model| (model.key.clone(), model)).collect();
    let mut listed: BTreeMap<ModelKey, (&ListedModel, Date)> = BTreeMap::new();
    for (name, list) in lists {
        let is_used = config.providers.get(name).is_some_and(|provider| provider.supports_live_models);
        let Some(at) = list.listed_at.filter(|_| is_used) else { continue };
        for model in list.models.iter() {
            let key = ModelKey { provider: name.clone(), model: model.id.clone() };
            listed.insert(key, (model, day_of(at)));
        }
    }
    let keys: BTreeSet<&ModelKey> = known.keys().chain(listed.keys()).collect();
    let mut merged = Merged {
        config: config.clone(),
        day,
        models: Vec::with_capacity(keys.len()),
        reserved: BTreeMap::new(),
        stale: BTreeSet::new(),
        media_prices: BTreeMap::new(),
    };
    for key in keys {
        let Some(provider) = config.providers.get(&key.provider) else { continue };
        let shipped = prices::find(&key.provider, &key.model);
        let sources = Sources { known: known.get(key), listed: listed.get(key).copied(), shipped };
        let class = catalog::class_of(&key.provider, &key.model, provider.billing_class);
        let one = merge_model(key.clone(), class, &sources, day);
        let mut model = one.model;
        if let Some(retirement) = one.retirement.filter(|retirement| retirement.value.has_passed(day)) {
            let successor = retirement.value.successor.map(|name| format!("; `{name}` takes its place"));
            let gone = format!("the provider took it away{}", successor.unwrap_or_default());
            model.disabled_reason.get_or_insert(gone);
        }
        // A list that states zero for what may cost money states nothing that could be relied on.
        let is_no_price = |price: &Price| {
            price.source != "config" && price.input_pico_usd == PicoUsd::ZERO && price.output_pico_usd == PicoUsd::ZERO
        };
        // Then what others state is shown, and booked by; with nobody else, the price is unknown.
        let is_unreliable = model.billing_class.may_cost_money() && model.price.as_ref().is_some_and(is_no_price);
        let price = one.price.filter(|price| !is_unreliable || !is_no_price(&price.reserved));
        if is_unreliable {
            model.price = price.as_ref().map(|price| price.reserved.clone());
        }
        if let Some(price) = price {
            if price.is_stale {
                merged.stale.insert(key.clone());
            }
            merged.reserved.insert(key.clone(), price.reserved);
        }
        let configured = config.models.iter().find(|model| model.provider == key.provider && model.model == key.model);
        let (image, second) = configured.map(lwa_config::ModelConfig::media_prices).unwrap_or_default();
        let image = image.or_else(|| shipped?.image_pico_usd.as_ref().map(|fact| fact.value));
        let second = second.or_else(|| shipped?.second_pico_usd.as_ref().map(|fact| fact.value));
        if image.is_some() || second.is_some() {
            merged.media_prices.insert(key.clone(), (image, second));
        }
        merged.models.push(model);
    }
    merged.models.push(builtin_model());
    merged
}

fn day_of(time: Timestamp) -> Date {
    time.to_zoned_datetime(jiff::tz::TimeZone::UTC).date()
}

fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
