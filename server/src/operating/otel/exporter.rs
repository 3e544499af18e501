//! One thread that sends what is exported, so that nothing else waits for a receiver.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver as Queue, RecvTimeoutError},
    },
    time::{Duration, Instant},
};

use mcp_disclosure_transport::http;
use opentelemetry_proto::{
    tonic::collector::trace::v1::ExportTraceServiceRequest,
    transform::{
        common::tonic::ResourceAttributesWithSchema, trace::tonic::group_spans_by_resource_and_scope,
    },
};
use opentelemetry_sdk::{Resource, trace::SpanData};
use prost::Message;
use reqwest::{Client, header::CONTENT_TYPE, redirect::Policy};
use tokio::runtime::Runtime;

use super::{
    metrics,
    settings::{Receiver, Settings},
};
use crate::{
    failure::Failure,
    operating::{metrics::Metrics, state::Served, worker::Worker},
};

/// How long the end of the program waits for what is not sent yet.
const ENDING: Duration = Duration::from_secs(2);

/// Failures are logged at most this often.
const LOGGED_EVERY: Duration = Duration::from_secs(60);

/// The numbers to export, and the gateway whose state belongs to them.
type Numbers = (Arc<Metrics>, Arc<Served>);

/// The way to the thread.
#[derive(Debug)]
pub(super) struct Exporter {
    spans: Worker<Box<SpanData>>,
    dropped: Arc<AtomicU64>,
}

impl Exporter {
    /// Starts the thread.
    ///
    /// # Errors
    /// If it or an HTTP client cannot be made.
    pub(super) fn start(
        settings: Settings,
        resource: &Resource,
        numbers: Option<Numbers>,
    ) -> Result<Self, Failure> {
        let failed = |what, source| Failure::Io { what, source };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|source| failed("cannot make the runtime of the exporter", source))?;
        // The runtime runs only while something is sent: no connection is kept.
        let agent = concat!("mcp-disclosure/", env!("CARGO_PKG_VERSION"));
        let client = http::builder().user_agent(agent).redirect(Policy::none()).pool_max_idle_per_host(0);
        let client = client.build().map_err(|error| {
            failed("cannot make an HTTP client for OTEL_EXPORTER_OTLP_ENDPOINT", std::io::Error::other(error))
        })?;
        let most = settings.queue;
        let dropped = Arc::<AtomicU64>::default();
        let work = Work {
            runtime,
            client,
            resource: ResourceAttributesWithSchema::from(resource),
            numbers,
            settings,
            batch: Vec::new(),
            dropped: Arc::clone(&dropped),
            logged: None,
        };
        let spans = Worker::start("otel", most, move |queued| work.run(queued))?;
        Ok(Self { spans, dropped })
    }

    /// Queues a span. If there is no room it is lost.
    pub(super) fn send(&self, span: SpanData) {
        if !self.spans.send(Box::new(span)) {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Sends the rest, and waits for that no longer than [`ENDING`]; then the program ends.
    pub(super) fn finish(&self) {
        if !self.spans.finish(ENDING) {
            tracing::warn!("the last traces and metrics are lost, since they cannot be exported in time");
        }
    }
}

/// The state of the thread.
struct Work {
    runtime: Runtime,
    client: Client,
    resource: ResourceAttributesWithSchema,
    settings: Settings,
    numbers: Option<Numbers>,
    batch: Vec<SpanData>,
    dropped: Arc<AtomicU64>,
    logged: Option<Instant>,
}

impl Work {
    fn run(mut self, queued: &Queue<Box<SpanData>>) {
        let Settings { spans_every, metrics_every, batch, .. } = self.settings;
        let begun = Instant::now();
        let (mut spans_due, mut metrics_due) = (begun + spans_every, begun + metrics_every);
        loop {
            let due = spans_due.min(metrics_due);
            match queued.recv_timeout(due.saturating_duration_since(Instant::now())) {
                Ok(span) => self.batch.push(*span),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if self.batch.len() >= batch || Instant::now() >= spans_due {
                self.send_spans();
                spans_due = Instant::now() + spans_every;
            }
            if Instant::now() >= metrics_due {
                self.send_metrics();
                metrics_due = Instant::now() + metrics_every;
            }
        }
        self.send_spans();
        self.send_metrics();
    }

    fn send_spans(&mut self) {
        let spans = std::mem::take(&mut self.batch);
        let mut lost = self.dropped.swap(0, Ordering::Relaxed);
        let mut why = "the queue is full (OTEL_BSP_MAX_QUEUE_SIZE)".to_owned();
        if let (Some(receiver), false) = (&self.settings.traces, spans.is_empty()) {
            let count = spans.len() as u64;
            let resource_spans = group_spans_by_resource_and_scope(spans, &self.resource);
            let message = ExportTraceServiceRequest { resource_spans };
            if let Err(error) = self.post(receiver, message.encode_to_vec()) {
                (lost, why) = (lost + count, error);
            }
        }
        if lost > 0 && !self.complain("spans are lost, since they cannot be exported", Some(lost), &why) {
            // Named by the next warning.
            self.dropped.fetch_add(lost, Ordering::Relaxed);
        }
    }

    fn send_metrics(&mut self) {
        let Some((receiver, (numbers, served))) = self.settings.metrics.as_ref().zip(self.numbers.as_ref())
        else {
            return;
        };
        let message = metrics::message(&self.resource, numbers, served);
        if let Err(why) = self.post(receiver, message.encode_to_vec()) {
            self.complain("metrics cannot be exported", None, &why);
        }
    }

    /// Logs a failure, unless that was done within the last minute.
    fn complain(&mut self, what: &str, lost: Option<u64>, why: &str) -> bool {
        if self.logged.is_some_and(|logged| logged.elapsed() < LOGGED_EVERY) {
            return false;
        }
        self.logged = Some(Instant::now());
        tracing::warn!(lost, why, "{what}");
        true
    }

    /// Sends one message.
    ///
    /// # Errors
    /// Why it was not accepted, without the URL, which may have credentials.
    fn post(&self, receiver: &Receiver, body: Vec<u8>) -> Result<(), String> {
        let request = self.client.post(receiver.url.clone()).headers(receiver.headers.clone());
        let request =
            request.header(CONTENT_TYPE, "application/x-protobuf").body(body).timeout(receiver.timeout);
        let answered = self.runtime.block_on(async { request.send().await }).map_err(|error| {
            let error = error.without_url();
            let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
            format!("{error}{}", cause.unwrap_or_default())
        })?;
        match answered.status() {
            status if status.is_success() => Ok(()),
            status => Err(format!("the receiver answered {status}")),
        }
    }
}
