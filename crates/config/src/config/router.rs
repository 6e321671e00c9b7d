//! `[router]`.

use std::collections::BTreeMap;

use lwa_domain::{ConsentMode, PicoUsd, TaskKind};
use serde::Serialize;

use super::money::as_dollars;
use crate::words::GuidanceMode;

/// Consent, caps and prompts of the router.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the file, and they are independent")]
pub struct RouterConfig {
    /// When the human is asked before a plan may run.
    pub consent_mode: ConsentMode,
    /// Whether free routes get a bonus.
    pub prefer_free: bool,
    /// Whether paid routes, and routes of unknown cost, may be used at all.
    pub allow_paid: bool,
    /// Whether routes that the user's own subscription pays may be used at all.
    pub allow_user_pays: bool,
    /// Whether providers that train on what they are sent may be used.
    pub allow_training: bool,
    /// How old a list of models may become.
    pub catalog_refresh_minutes: u32,
    /// How long a plan and the consent to it stay valid.
    pub confirmation_ttl_seconds: u32,
    /// The most requests in a day to all providers; 0 means no cap.
    pub global_daily_request_cap: u32,
    /// The most dollars in a month for all providers; none means no cap.
    #[serde(serialize_with = "as_dollars")]
    pub global_monthly_usd_cap: Option<PicoUsd>,
    /// How many voters of a consensus are asked at once.
    pub max_parallel_consensus: u32,
    /// Whether results carry a thought about the next tier.
    pub post_response_tier_guidance: bool,
    /// Where that thought comes from.
    pub post_response_tier_guidance_mode: GuidanceMode,
    /// System prompts in place of the shipped ones.
    pub task_prompts: BTreeMap<TaskKind, String>,
}

impl Default for RouterConfig {
    fn default() -> Self {
        Self {
            consent_mode: ConsentMode::PaidOnly,
            prefer_free: true,
            allow_paid: false,
            allow_user_pays: false,
            allow_training: false,
            catalog_refresh_minutes: 30,
            confirmation_ttl_seconds: 600,
            global_daily_request_cap: 0,
            global_monthly_usd_cap: None,
            max_parallel_consensus: 3,
            post_response_tier_guidance: false,
            post_response_tier_guidance_mode: GuidanceMode::Local,
            task_prompts: BTreeMap::new(),
        }
    }
}
