//! Servers over HTTP that refuse.

use axum::{
    Router,
    extract::Path,
    http::{StatusCode, header},
};
use kit::http::serve;
use mcp_disclosure_client::{CallError, Error, Host, HttpError, Link, Preferences};

/// What OAuth says of a token: JSON, but no JSON-RPC.
const TOKEN: &str = r#"{"error":"invalid_token"}"#;

/// Answers each request with the kind of body and the status that its path names.
async fn refusing() -> String {
    let refuse = |Path((kind, status)): Path<(String, u16)>| async move {
        let status = StatusCode::from_u16(status).unwrap();
        match &*kind {
            "json" => (status, [(header::CONTENT_TYPE, "application/json")], TOKEN),
            _ => (status, [(header::CONTENT_TYPE, "text/plain")], "who are you?"),
        }
    };
    let address = serve(Router::new().route("/{kind}/{status}", axum::routing::any(refuse))).await;
    format!("http://{address}")
}

async fn failure(url: &str) -> HttpError {
    let connected = Host::connect(Link::url(url).unwrap(), Preferences::default()).await;
    match connected.unwrap_err() {
        Error::NoResult { error: CallError::Http(failure), .. } => failure,
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn a_refusal_is_typed_and_says_what_the_server_said() {
    let server = refusing().await;
    for status in [401, 403, 404, 500, 503] {
        for (kind, said) in [("text", "who are you?"), ("json", TOKEN)] {
            let failure = failure(&format!("{server}/{kind}/{status}")).await;
            let HttpError::Status { status: found, body } = &failure else { panic!("{failure:?}") };
            assert_eq!((found.as_u16(), &**body), (status, said));
            let shown = failure.in_full();
            assert!(
                shown.starts_with(&format!("answered HTTP {status} ")) && shown.ends_with(said),
                "{shown}"
            );
        }
    }
}
