//! Measurements of calls for a collector of the user's own.
//!
//! What it is for: an [`Exporter`] turns each call of a model into one span and two histograms, named as the
//! OpenTelemetry conventions for generative AI name them, and sends them to one address over OTLP.
//! What it must never do: carry a prompt, an answer, a key or a path; run when nobody named an address; hold up or
//! fail the work that is measured.
//! Trust boundary: the collector. It is somebody else's program; its answers are ignored, and it is sent numbers and
//! the names of providers, models and tasks alone.
//! Start reading at [`Exporter`].

use std::time::{Duration, SystemTime};

use opentelemetry::metrics::{Histogram, MeterProvider as _};
use opentelemetry::trace::{Span as _, SpanKind, Status, Tracer as _, TracerProvider as _};
use opentelemetry::{InstrumentationScope, KeyValue};
use opentelemetry_otlp::{MetricExporter, Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::{PeriodicReader, SdkMeterProvider};
use opentelemetry_sdk::trace::SdkTracerProvider;
use thiserror::Error;

/// How long one export may take.
const EXPORT_LIMIT: Duration = Duration::from_secs(5);
/// How often metrics are sent.
const METRIC_INTERVAL: Duration = Duration::from_secs(30);

/// One call of a model, in numbers and names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeasuredCall {
    /// `chat`, `image` or `video`.
    pub operation: &'static str,
    /// What the work was: a task's label.
    pub task: &'static str,
    /// The provider.
    pub provider: String,
    /// The model that was asked.
    pub model: String,
    /// The plan that the call belongs to, so that the calls of a consensus can be found together.
    pub plan: String,
    /// The call's part in it: `primary`, `consensus_voter`, `consensus_synthesis`.
    pub role: String,
    /// Who pays.
    pub billing_class: &'static str,
    /// When it ended.
    pub ended_at: SystemTime,
    /// How long it took.
    pub took: Duration,
    /// Tokens read, if anybody counted.
    pub input_tokens: Option<u64>,
    /// Tokens written, if anybody counted.
    pub output_tokens: Option<u64>,
    /// What it cost in pico-dollars, if that is known.
    pub cost_pico_usd: Option<i64>,
    /// The code of the failure, if it failed.
    pub error: Option<&'static str>,
}

/// Why no exporter could be made.
#[derive(Debug, Error)]
pub enum TelemetryError {
    /// The address cannot be used.
    #[error("the exporter for measurements could not be made")]
    Build(#[source] opentelemetry_otlp::ExporterBuildError),
    /// No HTTP client could be made.
    #[error("no HTTP client for measurements could be made")]
    Client,
}

/// Sends measurements to one collector, from threads of its own.
///
/// What the collector does not take in time is dropped; the work goes on.
pub struct Exporter {
    endpoint: String,
    spans: SdkTracerProvider,
    metrics: SdkMeterProvider,
    duration: Histogram<f64>,
    tokens: Histogram<u64>,
}

/// Where it sends to.
impl std::fmt::Debug for Exporter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Exporter").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

impl Exporter {
    /// An exporter to the collector at `endpoint`, such as `http://127.0.0.1:4318`. Nothing is sent yet.
    ///
    /// # Errors
    /// The address cannot be used, or no HTTP client could be made.
    pub fn new(endpoint: &str, version: &'static str) -> Result<Self, TelemetryError> {
        let client = client()?;
        let base = endpoint.trim_end_matches('/');
        let spans = SpanExporter::builder()
            .with_http()
            .with_http_client(client.clone())
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(format!("{base}/v1/traces"))
            .with_timeout(EXPORT_LIMIT)
            .build()
            .map_err(TelemetryError::Build)?;
        let metrics = MetricExporter::builder()
            .with_http()
            .with_http_client(client)
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(format!("{base}/v1/metrics"))
            .with_timeout(EXPORT_LIMIT)
            .build()
            .map_err(TelemetryError::Build)?;
        // Nothing of this machine is told: no host name, no user, no path, no variable.
        let resource = Resource::builder_empty()
            .with_attributes([KeyValue::new("service.name", "lwa"), KeyValue::new("service.version", version)])
            .build();
        let spans = SdkTracerProvider::builder().with_batch_exporter(spans).with_resource(resource.clone()).build();
        let reader = PeriodicReader::builder(metrics).with_interval(METRIC_INTERVAL).build();
        let metrics = SdkMeterProvider::builder().with_reader(reader).with_resource(resource).build();
        let meter = metrics.meter_with_scope(InstrumentationScope::builder("lwa").with_version(version).build());
        let duration = meter
            .f64_histogram("gen_ai.client.operation.duration")
            .with_unit("s")
            .with_description("Duration of calls of models")
            .with_boundaries(vec![
                0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
            ])
            .build();
        let tokens = meter
            .u64_histogram("gen_ai.client.token.usage")
            .with_unit("{token}")
            .with_description("Tokens read and written")
            .with_boundaries((0..14_u32).map(|power| f64::from(4_u32.pow(power))).collect())
            .build();
        Ok(Self { endpoint: endpoint.to_owned(), spans, metrics, duration, tokens })
    }

    /// Where it sends to.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// Hands a call over. It is sent later and from another thread.
    pub fn record(&self, call: &MeasuredCall) {
        let common = [
            KeyValue::new("gen_ai.operation.name", call.operation),
            KeyValue::new("gen_ai.provider.name", call.provider.clone()),
            KeyValue::new("gen_ai.request.model", call.model.clone()),
        ];
        let mut attributes = common.to_vec();
        attributes.extend([
            KeyValue::new("lwa.task", call.task),
            KeyValue::new("lwa.plan.id", call.plan.clone()),
            KeyValue::new("lwa.route.role", call.role.clone()),
            KeyValue::new("lwa.billing_class", call.billing_class),
        ]);
        let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        attributes.extend(call.input_tokens.map(|count| KeyValue::new("gen_ai.usage.input_tokens", number(count))));
        attributes.extend(call.output_tokens.map(|count| KeyValue::new("gen_ai.usage.output_tokens", number(count))));
        attributes.extend(call.cost_pico_usd.map(|cost| KeyValue::new("lwa.cost_pico_usd", cost)));
        attributes.extend(call.error.map(|code| KeyValue::new("error.type", code)));
        let began = call.ended_at.checked_sub(call.took).unwrap_or(call.ended_at);
        let tracer = self.spans.tracer("lwa");
        let mut span = tracer
            .span_builder(format!("{} {}", call.operation, call.model))
            .with_kind(SpanKind::Client)
            .with_start_time(began)
            .with_attributes(attributes)
            .start(&tracer);
        if let Some(code) = call.error {
            span.set_status(Status::error(code));
        }
        span.end_with_timestamp(call.ended_at);

        let mut labels = common.to_vec();
        labels.extend(call.error.map(|code| KeyValue::new("error.type", code)));
        self.duration.record(call.took.as_secs_f64(), &labels);
        for (kind, count) in [("input", call.input_tokens), ("output", call.output_tokens)] {
            if let Some(count) = count {
                let mut labels = common.to_vec();
                labels.push(KeyValue::new("gen_ai.token.type", kind));
                self.tokens.record(count, &labels);
            }
        }
    }

    /// Sends what is left and ends. It waits for the collector and belongs on a thread that may block.
    pub fn shut_down(&self) {
        for (what, ended) in [("spans", self.spans.shutdown()), ("metrics", self.metrics.shutdown())] {
            if let Err(error) = ended {
                tracing::debug!(%error, what, "measurements could not be sent at the end");
            }
        }
    }
}

/// A client that follows no redirect, uses no proxy and keeps to its time. It is made on a thread of its own, because
/// it may not be made where asynchronous work runs.
fn client() -> Result<reqwest::blocking::Client, TelemetryError> {
    // A second call finds the provider installed and is told so; both are as wished.
    let _already_installed = rustls::crypto::ring::default_provider().install_default();
    let make = || {
        reqwest::blocking::Client::builder()
            .timeout(EXPORT_LIMIT)
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .build()
    };
    std::thread::spawn(make).join().ok().and_then(Result::ok).ok_or(TelemetryError::Client)
}
