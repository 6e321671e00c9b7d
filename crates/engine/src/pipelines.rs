//! How the way to each provider stands: from the configuration alone, or from a probe that sends no text.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};
use lwa_domain::{BillingClass, ErrorCode, ProviderFacts};
use lwa_protocol::Failure;
use lwa_protocol::provider::ProviderParams;
use lwa_protocol::router::{
    PipelineForgetParams, PipelineForgotten, PipelineList, PipelineMark, PipelineMarkParams, PipelineParams,
    PipelineReadiness, PipelineStatus, PipelineView,
};

use crate::catalogue::{BUILTIN, Snapshot, unknown_provider};
use crate::engine::{Engine, locked, rfc3339};
use crate::{failure, tokens};

/// How long the answer of a probe is good for.
const GOOD_FOR: SignedDuration = SignedDuration::from_secs(60);
/// How long a failed probe is believed.
const BAD_FOR: SignedDuration = SignedDuration::from_secs(15);
/// The setting that keeps operators' notes.
const MARKS: &str = "pipeline.marks";
/// What an operator can say about a pipeline.
const MARK_LABELS: &[&str] = &["ready", "degraded", "blocked", "maintenance"];
/// The longest note, in characters.
const NOTE_LIMIT: usize = 500;

/// The answer of a probe.
#[derive(Debug, Clone)]
struct Probed {
    /// What the provider's settings were when it was probed; others make it worthless.
    fingerprint: String,
    at: Timestamp,
    problem: Option<String>,
    detail: String,
}

/// Answers of probes, and the locks that let one probe of a provider run at a time.
#[derive(Debug, Default)]
pub struct Probes {
    answers: Mutex<HashMap<String, Probed>>,
    turns: Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>,
}

impl Probes {
    fn fresh(&self, provider: &str, fingerprint: &str, now: Timestamp) -> Option<Probed> {
        let known = locked(&self.answers).get(provider).cloned()?;
        let limit = if known.problem.is_none() { GOOD_FOR } else { BAD_FOR };
        (known.fingerprint == fingerprint && now < known.at + limit).then_some(known)
    }

    fn turn(&self, provider: &str) -> Arc<tokio::sync::Mutex<()>> {
        locked(&self.turns).entry(provider.to_owned()).or_default().clone()
    }
}

impl Engine {
    /// `pipeline/status`.
    ///
    /// # Errors
    /// The named provider does not exist, or the database failed.
    pub async fn pipelines(&self, params: &PipelineParams) -> Result<PipelineList, Failure> {
        let snapshot = self.catalogue().await?;
        if let Some(name) = &params.provider
            && !snapshot.facts.contains_key(name)
        {
            return Err(unknown_provider(name, snapshot.facts.keys().map(String::as_str)));
        }
        let marks = self.pipeline_marks().await?;
        let quotas = self.db.quotas().await.map_err(failure::store)?;
        let mut pipelines = Vec::new();
        for facts in snapshot.facts.values() {
            if params.provider.as_ref().is_some_and(|name| *name != facts.name) {
                continue;
            }
            let mut view = self.offline_view(&snapshot, facts);
            view.quota_verified = quotas.iter().any(|seen| seen.provider == facts.name);
            view.manual_mark = marks.get(&facts.name).cloned();
            // One that failed lately may be asked again by whoever wants to know; nothing else needs it to be well.
            let can_be_asked = matches!(view.status, PipelineStatus::Ready | PipelineStatus::Unhealthy);
            if params.probe && can_be_asked && facts.name != BUILTIN {
                self.probe_into(&snapshot, &mut view).await?;
            }
            pipelines.push(view);
        }
        Ok(PipelineList { pipelines })
    }

    /// `pipeline/mark`: an operator's note. It informs and gates nothing.
    ///
    /// # Errors
    /// No such provider or state, a note that is too long, or the database failed.
    pub async fn mark_pipeline(&self, params: &PipelineMarkParams) -> Result<PipelineView, Failure> {
        if !MARK_LABELS.contains(&params.status.as_str()) {
            return Err(lwa_domain::UnknownLabel::new("pipeline status", &params.status, MARK_LABELS).into());
        }
        if params.detail.chars().count() > NOTE_LIMIT {
            return Err(Failure::new(
                ErrorCode::InvalidInput,
                format!("the detail is longer than {NOTE_LIMIT} characters"),
            )
            .hint("shorten it"));
        }
        let snapshot = self.catalogue().await?;
        if !snapshot.facts.contains_key(&params.provider) {
            return Err(unknown_provider(&params.provider, snapshot.facts.keys().map(String::as_str)));
        }
        let mark =
            PipelineMark { status: params.status.clone(), detail: params.detail.clone(), at: rfc3339(self.now()) };
        let mut marks = self.pipeline_marks().await?;
        marks.insert(params.provider.clone(), mark);
        let text = serde_json::to_string(&marks).map_err(|error| failure::json(&error))?;
        self.db.set_setting(MARKS, Some(&text), self.now()).await.map_err(failure::store)?;
        let params = PipelineParams { provider: Some(params.provider.clone()), probe: false };
        let mut list = self.pipelines(&params).await?;
        list.pipelines.pop().ok_or_else(failure::unexpected)
    }

    /// `pipeline/forget`: the next probe asks again.
    pub fn forget_probes(&self, params: &PipelineForgetParams) -> PipelineForgotten {
        let mut answers = locked(&self.probes.answers);
        let before = answers.len();
        match &params.provider {
            Some(name) => drop(answers.remove(name)),
            None => answers.clear(),
        }
        PipelineForgotten { invalidated: u32::try_from(before - answers.len()).unwrap_or(u32::MAX) }
    }

    async fn pipeline_marks(&self) -> Result<BTreeMap<String, PipelineMark>, Failure> {
        let text = self.db.setting(MARKS).await.map_err(failure::store)?;
        text.map_or_else(
            || Ok(BTreeMap::new()),
            |text| serde_json::from_str(&text).map_err(|error| failure::json(&error)),
        )
    }

    /// What the configuration and past calls say; no network.
    fn offline_view(&self, snapshot: &Snapshot, facts: &ProviderFacts) -> PipelineView {
        let config = snapshot.providers.get(&facts.name);
        let is_builtin = facts.name == BUILTIN;
        let endpoint_configured = is_builtin || config.is_some_and(|config| config.base_url.is_some());
        let health = self.health.read().unwrap_or_else(PoisonError::into_inner).get(&facts.name).cloned();
        let live_verified = is_builtin || health.as_ref().is_some_and(|health| health.problem.is_none());
        let (status, detail) = if let Some(reason) = &facts.disabled_reason {
            (PipelineStatus::Blocked, reason.clone())
        } else if !endpoint_configured {
            (PipelineStatus::Unavailable, "no address is configured".to_owned())
        } else if !facts.has_credential {
            let names = facts.credential_names.join(" or ");
            (
                PipelineStatus::MissingCredentials,
                format!("store a key with `lwa keys set {}`, or set {names}", facts.name),
            )
        } else if let Some(problem) = &facts.unhealthy_reason {
            (PipelineStatus::Unhealthy, problem.clone())
        } else {
            (PipelineStatus::Ready, "configured; nothing was sent to find this out".to_owned())
        };
        let known = snapshot.models.iter().filter(|model| model.key.provider == facts.name).count();
        PipelineView {
            provider: facts.name.clone(),
            status,
            readiness: if live_verified { PipelineReadiness::LiveVerified } else { PipelineReadiness::Configured },
            enabled: facts.disabled_reason.is_none(),
            configured: endpoint_configured && facts.has_credential,
            credentialed: facts.has_credential,
            endpoint_configured,
            catalog_models: u32::try_from(known).unwrap_or(u32::MAX),
            billing_class: if is_builtin {
                BillingClass::Free
            } else {
                config.map_or(BillingClass::Unknown, |config| config.billing_class)
            },
            check_mode: "offline".to_owned(),
            checked_at: rfc3339(self.now()),
            data_transmitted: false,
            cost_incurred: false,
            live_verified,
            quota_verified: false,
            detail,
            network_calls: 0,
            cache_hit: false,
            cache_age_seconds: None,
            manual_mark: None,
        }
    }

    /// Probes a provider, or takes the answer of a probe that is fresh. Of several at once one asks.
    async fn probe_into(&self, snapshot: &Snapshot, view: &mut PipelineView) -> Result<(), Failure> {
        let name = view.provider.clone();
        let config = snapshot.providers.get(&name).cloned().unwrap_or_default();
        let key = snapshot.keys.view(&name, &config).map(|key| format!("{}{}", key.backend, key.masked));
        let fingerprint = tokens::text_hash(&format!("{config:?}{key:?}"));
        let turn = self.probes.turn(&name);
        let _turn = turn.lock().await;
        let known = self.probes.fresh(&name, &fingerprint, self.now());
        view.cache_hit = known.is_some();
        let answer = if let Some(known) = known {
            known
        } else {
            let tested = self.test_provider(&ProviderParams { provider: name.clone() }).await?;
            view.network_calls = 1;
            let probed = Probed {
                fingerprint,
                at: self.now(),
                problem: (!tested.ok).then(|| tested.detail.clone()),
                detail: tested.detail,
            };
            locked(&self.probes.answers).insert(name, probed.clone());
            probed
        };
        "zero_payload_probe".clone_into(&mut view.check_mode);
        view.checked_at = rfc3339(answer.at);
        let age = self.now().duration_since(answer.at).as_secs();
        view.cache_age_seconds = Some(u32::try_from(age).unwrap_or(0));
        view.detail = answer.detail;
        (view.status, view.readiness) = match answer.problem {
            None => (PipelineStatus::Reachable, PipelineReadiness::ProbeVerified),
            Some(_) => (PipelineStatus::Unreachable, PipelineReadiness::ProbeFailed),
        };
        view.live_verified |= view.status == PipelineStatus::Reachable;
        Ok(())
    }
}
