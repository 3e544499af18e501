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
pub(super) use settings::Settings;
use spans::Spans;

use super::{Exports, metrics::Metrics, state::Served};
use crate::failure::Failure;

impl Settings {
    /// What the environment asks for; `None` if that is nothing.
    ///
    /// # Errors
    /// If a variable has a value that cannot be followed.
    pub(super) fn of_process() -> Result<Option<Self>, Failure> {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        Self::read(&variable).map_err(Failure::Configuration)
    }

    /// Whether metrics are exported.
    pub(super) fn has_metrics(&self) -> bool {
        self.metrics.is_some()
    }

    /// Starts to export, metrics from these numbers and the state of what is served.
    ///
    /// # Errors
    /// If a thread or an HTTP client cannot be made.
    pub(super) fn start(
        self,
        metrics: Option<&Arc<Metrics>>,
        served: &Arc<Served>,
    ) -> Result<Exports, Failure> {
        let resource = resource();
        let metrics = metrics.map(|metrics| (Arc::clone(metrics), Arc::clone(served)));
        let has_traces = self.traces.is_some();
        let exporter = Arc::new(Exporter::start(self, &resource, metrics)?);
        let spans = || Arc::new(Spans::new(Arc::clone(&exporter), resource)) as Arc<dyn Observer>;
        Ok((has_traces.then(spans), Box::new(move || exporter.finish())))
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
