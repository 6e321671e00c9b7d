//! Whether a plan that was prepared under other settings may still run.

use lwa_config::ProviderConfig;
use lwa_domain::{BillingClass, DataUse, ErrorCode};
use lwa_protocol::Failure;
use lwa_store::PlanRecord;

use crate::engine::Engine;

impl Engine {
    /// Refuses a plan that the settings would not allow, or would ask about, if it were prepared now.
    /// Tightening takes effect at once, for plans that wait as well.
    pub(super) fn refuse_what_is_stricter_now(&self, plan: &PlanRecord) -> Result<(), Failure> {
        let config = self.configuration.in_force();
        let provider = config.providers.get(&plan.provider);
        let model = config.models.iter().find(|known| known.provider == plan.provider && known.model == plan.model);
        let class = model.map_or(plan.billing_class, |model| model.effective_class(provider));
        let router = &config.router;
        let trains = provider.is_some_and(|known| known.data_use == DataUse::Trains && !known.is_local());
        let reason = if let Some(reason) = provider.and_then(ProviderConfig::disabled) {
            Some(format!("`{}` was switched off: {reason}", plan.provider))
        } else if model.is_some_and(|model| !model.enabled) {
            Some(format!("`{}` was switched off", plan.model))
        } else if matches!(class, BillingClass::Paid | BillingClass::Unknown) && !router.allow_paid {
            Some("paid routes were switched off".to_owned())
        } else if class == BillingClass::UserPays && !router.allow_user_pays {
            Some("routes that your subscription pays were switched off".to_owned())
        } else if trains && !router.allow_training {
            Some(format!("`{}` trains on what it is sent, and that was switched off", plan.provider))
        } else if !plan.requires_confirmation && router.consent_mode.requires_consent(class) {
            Some("a human now has to consent to such a plan".to_owned())
        } else {
            None
        };
        let Some(reason) = reason else { return Ok(()) };
        Err(Failure::new(
            ErrorCode::RepreflightRequired,
            format!("the settings changed since the plan was prepared: {reason}"),
        )
        .hint("prepare a new plan"))
    }
}
