//! The listener for operators: health, readiness, metrics and status.

use std::sync::Arc;

use axum::{
    Extension, Router,
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    middleware::{Next, from_fn, map_response},
    response::{IntoResponse, Response},
    routing::get,
};
use mcp_disclosure_core::{Principal, printable::printable};
use mcp_disclosure_gateway::{Admission, front::http, limits::Limits, observe::Observer};
use serde::Serialize;
use serde_json::json;
use tokio::net::TcpListener;

use super::{
    metrics::Metrics,
    page,
    state::{Readiness, Served, Status},
};

/// The text format of Prometheus.
const METRICS: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");

/// The page has a style and nothing else.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

const PATHS: &str = "here are /healthz, /readyz, /metrics and /status\n";

/// What operators look at.
#[derive(Clone)]
pub(super) struct Admin {
    pub(super) served: Arc<Served>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) observer: Arc<dyn Observer>,
}

const NOT_FOR_ALL: &str =
    "what is here is about all upstreams and all callers, and this principal may not see all of them\n";

/// Serves operators until the gateway ends, and before it serves. Where there is an `admission`, they show the credentials
/// that clients show, of a principal that may see everything.
pub(super) async fn serve(
    listener: TcpListener,
    guard: http::Guard,
    limits: Limits,
    admission: Option<Arc<dyn Admission>>,
    admin: Admin,
) {
    if let Ok(address) = listener.local_addr() {
        tracing::info!("operators find http://{address}/status");
    }
    let (served, observer) = (Arc::clone(&admin.served), Arc::clone(&admin.observer));
    let app = router(admin);
    let app = match admission {
        Some(admission) => http::admitted(app.layer(from_fn(unrestricted)), admission),
        None => app,
    };
    http::serve_app(&limits, served.ending(), listener, guard, observer, app).await;
}

fn router(admin: Admin) -> Router {
    Router::new()
        .route("/healthz", get(async || json(&json!({"status": "ok"}))))
        .route("/readyz", get(readyz))
        .route("/metrics", get(metrics))
        .route("/status", get(status))
        .fallback(async || (StatusCode::NOT_FOUND, PATHS))
        .layer(map_response(unkept))
        .with_state(admin)
}

/// Refuses a principal for whom something does not exist: it would read of it here.
async fn unrestricted(Extension(principal): Extension<Principal>, request: Request, next: Next) -> Response {
    if principal.permits().see_all() {
        return next.run(request).await;
    }
    tracing::warn!(
        principal = principal.id(),
        "a principal that may not see everything asked for the operators' pages"
    );
    (StatusCode::FORBIDDEN, NOT_FOR_ALL).into_response()
}

/// Nothing here is true for long, or meant for other pages.
async fn unkept(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(HeaderName::from_static("referrer-policy"), HeaderValue::from_static("no-referrer"));
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    response
}

async fn readyz(State(admin): State<Admin>) -> Response {
    let readiness = Readiness::of(&admin.served);
    let status = if readiness.ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Extension(http::Asked), json(&readiness)).into_response()
}

async fn metrics(State(admin): State<Admin>) -> Response {
    ([(header::CONTENT_TYPE, METRICS)], Body::from(admin.metrics.text(&admin.served))).into_response()
}

async fn status(State(admin): State<Admin>, headers: HeaderMap) -> Response {
    let status = Status::of(&admin.served, &admin.metrics);
    let mut response = if wants_json(&headers) {
        json(&status)
    } else {
        let html = HeaderValue::from_static("text/html; charset=utf-8");
        ([(header::CONTENT_TYPE, html)], printable(&page::page(&status).into_string()).into_owned())
            .into_response()
    };
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept"));
    response
}

fn json(value: &impl Serialize) -> Response {
    let json = HeaderValue::from_static("application/json");
    let text = printable(&serde_json::to_string(value).unwrap_or_default()).into_owned();
    ([(header::CONTENT_TYPE, json)], Body::from(text)).into_response()
}

/// Whether JSON is accepted, and a page is not.
fn wants_json(headers: &HeaderMap) -> bool {
    let accepts = |kind: &str| {
        let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
        values
            .flat_map(|value| value.split(','))
            .any(|range| range.split(';').next().is_some_and(|range| range.trim().eq_ignore_ascii_case(kind)))
    };
    accepts("application/json") && !accepts("text/html")
}
