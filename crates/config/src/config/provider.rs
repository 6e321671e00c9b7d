//! `[providers.NAME]`.

use std::collections::BTreeMap;

use lwa_domain::{BillingClass, DataUse, PicoUsd};
use serde::Serialize;

use super::money::as_dollars;
use crate::endpoint::is_loopback_url;
use crate::words::{Adapter, SubscriptionStatus};

/// Who sells or runs models, and how to reach them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProviderConfig {
    /// Whether it may be used.
    pub enabled: bool,
    /// Whether it is known to be unreliable.
    pub experimental: bool,
    /// Why it is switched off.
    pub disabled_reason: Option<String>,
    /// The protocol it speaks.
    pub adapter: Adapter,
    /// Its address.
    pub base_url: Option<String>,
    /// The variable that holds its key.
    pub api_key_env: Option<String>,
    /// More variables that may hold its key.
    pub api_key_envs: Vec<String>,
    /// The variable of a key that may read the balance.
    pub billing_api_key_env: Option<String>,
    /// The variable of a key that may read the quota.
    pub quota_key_env: Option<String>,
    /// Where its balance or quota is read, after `base_url`; none where it cannot be.
    pub quota_path: Option<String>,
    /// Tokens a month of the plan there, for display.
    pub subscription_monthly_token_limit: Option<u32>,
    /// The variable of the account.
    pub account_id_env: Option<String>,
    /// Where its list of models is.
    pub models_path: String,
    /// Where it answers.
    pub chat_path: String,
    /// Headers that every request carries.
    pub request_headers: BTreeMap<String, String>,
    /// Who pays for its models.
    pub billing_class: BillingClass,
    /// What it does with the text it is sent.
    pub data_use: DataUse,
    /// The name of the plan there.
    pub subscription_plan: String,
    /// Whether the plan there is running.
    pub subscription_status: SubscriptionStatus,
    /// Whether its list of models may be read.
    pub supports_live_models: bool,
    /// The most dollars in a month; none means no cap.
    #[serde(serialize_with = "as_dollars")]
    pub monthly_usd_cap: Option<PicoUsd>,
    /// The most requests in a day; 0 means no cap.
    pub daily_request_cap: u32,
    /// How long an answer may take.
    pub timeout_seconds: f64,
    /// How many pages of its list are read.
    pub catalog_page_limit: u32,
    /// How many models of its list are kept.
    pub catalog_model_limit: u32,
}

impl Default for ProviderConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            experimental: false,
            disabled_reason: None,
            adapter: Adapter::OpenAi,
            base_url: None,
            api_key_env: None,
            api_key_envs: Vec::new(),
            billing_api_key_env: None,
            quota_key_env: None,
            quota_path: None,
            subscription_monthly_token_limit: None,
            account_id_env: None,
            models_path: "/models".to_owned(),
            chat_path: "/chat/completions".to_owned(),
            request_headers: BTreeMap::new(),
            billing_class: BillingClass::Unknown,
            data_use: DataUse::Unknown,
            subscription_plan: "unknown".to_owned(),
            subscription_status: SubscriptionStatus::Unknown,
            supports_live_models: true,
            monthly_usd_cap: None,
            daily_request_cap: 0,
            timeout_seconds: 90.0,
            catalog_page_limit: 10,
            catalog_model_limit: 500,
        }
    }
}

impl ProviderConfig {
    /// The variables that may hold its key, in the order in which they are tried, without repeats.
    pub fn key_names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for name in self.api_key_env.iter().chain(&self.api_key_envs) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }

    /// Every variable whose value may be sent to it: keys, account, balance and quota keys.
    pub fn credential_names(&self) -> Vec<String> {
        let mut names = self.key_names();
        for name in [&self.account_id_env, &self.billing_api_key_env, &self.quota_key_env].into_iter().flatten() {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }

    /// Why it may not be used, if it is switched off.
    pub fn disabled(&self) -> Option<String> {
        disabled(self.enabled, self.disabled_reason.as_deref())
    }

    /// Whether text that it is sent stays on this machine.
    pub fn is_local(&self) -> bool {
        self.adapter == Adapter::Builtin || self.base_url.as_deref().is_some_and(is_loopback_url)
    }
}

/// The reason shown for something that is switched off.
pub(super) fn disabled(enabled: bool, reason: Option<&str>) -> Option<String> {
    (!enabled).then(|| reason.unwrap_or("switched off in the configuration").to_owned())
}
