//! Traces and metrics by OTLP (the build feature `otel`).
//!
//! Spans are made by OpenTelemetry's SDK and sent by one thread of ours, in protobuf over HTTP, with the TLS of everything
//! else here. No call waits for it: spans that find the queue full are lost and counted.

mod exporter;
mod metrics;
mod settings;
mod spans;

use std::sync::Arc;

use exporter::Exporter;
use mcp_disclosure_gateway::observe::Observer;
use opentelemetry_sdk::Resource;
use settings::Settings;
use spans::Spans;

use super::{metrics::Metrics, served::Served};
use crate::failure::Failure;

/// What one run exports.
#[derive(Debug)]
pub(super) struct Otel {
    settings: Settings,
    spans: Option<Arc<Spans>>,
    exporter: Option<Arc<Exporter>>,
}

impl Otel {
    /// What the environment asks for; `None` if that is nothing.
    ///
    /// # Errors
    /// If a variable has a value that cannot be followed.
    pub(super) fn read() -> Result<Option<Self>, Failure> {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        let settings = Settings::read(&variable).map_err(Failure::Configuration)?;
        Ok(settings.map(|settings| Self { settings, spans: None, exporter: None }))
    }

    /// Whether metrics are exported.
    pub(super) fn has_metrics(&self) -> bool {
        self.settings.metrics.is_some()
    }

    /// Starts to export, metrics from these numbers and the state of what is served.
    ///
    /// # Errors
    /// If a thread or an HTTP client cannot be made.
    pub(super) fn start(
        &mut self,
        metrics: Option<&Arc<Metrics>>,
        served: &Arc<Served>,
    ) -> Result<(), Failure> {
        let resource = resource();
        let metrics = metrics.map(|metrics| (Arc::clone(metrics), Arc::clone(served)));
        let exporter = Arc::new(Exporter::start(&self.settings, &resource, metrics)?);
        self.spans =
            self.settings.traces.is_some().then(|| Arc::new(Spans::new(Arc::clone(&exporter), resource)));
        self.exporter = Some(exporter);
        Ok(())
    }

    /// What makes spans, if they are exported.
    pub(super) fn observer(&self) -> Option<Arc<dyn Observer>> {
        self.spans.as_ref().map(|spans| Arc::clone(spans) as Arc<dyn Observer>)
    }

    /// Sends what is not sent yet, for at most two seconds.
    pub(super) fn finish(&self) {
        self.exporter.iter().for_each(|exporter| exporter.finish());
    }
}

/// Who we are: `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES`.
fn resource() -> Resource {
    let given = Resource::builder().build();
    let named = given.get(&"service.name".into()).map(|name| name.to_string());
    let ours = Resource::builder()
        .with_attribute(opentelemetry::KeyValue::new("service.version", env!("CARGO_PKG_VERSION")));
    match named {
        Some(name) if !name.starts_with("unknown_service") => ours.build(),
        _ => ours.with_service_name("mcp-disclosure").build(),
    }
}
