//! Whether a plan that was prepared under other settings may still run.

use lwa_config::ProviderConfig;
use lwa_domain::{BillingClass, DataUse, ErrorCode, ModelKey};
use lwa_protocol::Failure;
use lwa_protocol::plan::RouteView;
use lwa_providers::catalog;
use lwa_store::PlanRecord;

use crate::engine::Engine;

impl Engine {
    /// Refuses a plan that the settings would not allow, or would ask about, if it were prepared now.
    /// Tightening takes effect at once, for plans that wait as well.
    pub(super) fn refuse_what_is_stricter_now(&self, plan: &PlanRecord, routes: &[RouteView]) -> Result<(), Failure> {
        routes.iter().try_for_each(|route| self.refuse_stricter(plan, route))
    }

    fn refuse_stricter(&self, plan: &PlanRecord, route: &RouteView) -> Result<(), Failure> {
        let config = self.configuration.in_force();
        let provider = config.providers.get(&route.provider);
        let model = config.models.iter().find(|known| known.provider == route.provider && known.model == route.model);
        let merged = self.merged(&config);
        let key = ModelKey { provider: route.provider.clone(), model: route.model.clone() };
        // A model that no list names any more has the class of its provider; a detected server is in no configuration.
        let by_rule = provider.map(|known| catalog::class_of(&route.provider, &route.model, known.billing_class));
        let class = merged.find(&key).map(|known| known.billing_class).or(by_rule).unwrap_or(route.billing_class);
        let router = &config.router;
        let trains = provider.is_some_and(|known| known.data_use == DataUse::Trains && !known.is_local());
        let reason = if let Some(reason) = provider.and_then(ProviderConfig::disabled) {
            Some(format!("`{}` was switched off: {reason}", route.provider))
        } else if model.is_some_and(|model| !model.enabled) {
            Some(format!("`{}` was switched off", route.model))
        } else if class.may_cost_money() && route.billing_class.is_free() {
            Some(format!("`{key}` was free and may cost money now"))
        } else if route.is_local && provider.is_some_and(|known| !known.is_local()) {
            Some(format!("`{}` was on this machine and is elsewhere now", route.provider))
        } else if matches!(class, BillingClass::Paid | BillingClass::Unknown) && !router.allow_paid {
            Some("paid routes were switched off".to_owned())
        } else if class == BillingClass::UserPays && !router.allow_user_pays {
            Some("routes that your subscription pays were switched off".to_owned())
        } else if trains && !router.allow_training {
            Some(format!("`{}` trains on what it is sent, and that was switched off", route.provider))
        } else if !plan.requires_confirmation && self.consent_mode_of_session(&plan.session).requires_consent(class) {
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
