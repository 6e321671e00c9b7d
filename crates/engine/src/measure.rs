//! Measurements of calls for the collector that the configuration names, if it names one.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use lwa_domain::PlanMode;
use lwa_store::{PlanRecord, Settlement};
use lwa_telemetry::{Exporter, MeasuredCall};

use crate::engine::{Engine, locked};

/// How long the end of the host waits for what was not sent yet.
const FAREWELL: Duration = Duration::from_secs(2);

/// The exporter in use; none while no collector is configured.
#[derive(Debug, Default)]
pub struct Measurements {
    exporter: Mutex<Option<Arc<Exporter>>>,
}

impl Engine {
    /// Hands a call over to the exporter. Whatever goes wrong there costs the call nothing.
    pub(crate) fn measure(&self, plan: &PlanRecord, role: &str, provider: &str, model: &str, settlement: &Settlement) {
        let Some(exporter) = self.exporter() else { return };
        exporter.record(&MeasuredCall {
            operation: match plan.mode {
                PlanMode::Image => "image",
                PlanMode::Video => "video",
                PlanMode::Single | PlanMode::Consensus => "chat",
            },
            task: plan.task.as_str(),
            provider: provider.to_owned(),
            model: model.to_owned(),
            plan: plan.plan_id.to_string(),
            role: role.to_owned(),
            billing_class: plan.billing_class.as_str(),
            ended_at: SystemTime::now(),
            took: Duration::from_millis(settlement.latency_ms),
            input_tokens: settlement.input_tokens,
            output_tokens: settlement.output_tokens,
            cost_pico_usd: settlement.cost.map(lwa_domain::PicoUsd::get),
            error: settlement.error_code.map(lwa_domain::ErrorCode::as_str),
        });
    }

    /// The exporter to the collector that is configured now; another address makes another.
    fn exporter(&self) -> Option<Arc<Exporter>> {
        let config = self.configuration.in_force();
        let wanted = config.telemetry.otlp_endpoint.as_deref();
        let mut current = locked(&self.measurements.exporter);
        if current.as_ref().map(|exporter| exporter.endpoint()) != wanted {
            if let Some(old) = current.take() {
                std::thread::spawn(move || old.shut_down());
            }
            *current = wanted.and_then(|endpoint| match Exporter::new(endpoint, env!("CARGO_PKG_VERSION")) {
                Ok(exporter) => Some(Arc::new(exporter)),
                Err(error) => {
                    tracing::warn!(%error, "measurements cannot be sent");
                    None
                }
            });
        }
        current.clone()
    }

    /// Sends what is left, within a limit.
    pub(crate) async fn send_measurements(&self) {
        let last = locked(&self.measurements.exporter).take();
        if let Some(exporter) = last {
            let sending = tokio::task::spawn_blocking(move || exporter.shut_down());
            if tokio::time::timeout(FAREWELL, sending).await.is_err() {
                tracing::debug!("the collector did not take the last measurements in time");
            }
        }
    }
}
