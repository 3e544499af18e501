//! Servers over HTTP that refuse.

use kit::{
    HttpServer,
    http_server::{JSON, said},
};
use mcp_disclosure_client::{CallError, Error, Host, HttpError, Link, Preferences};

/// What OAuth says of a token: JSON, but no JSON-RPC.
const TOKEN: &str = r#"{"error":"invalid_token"}"#;

async fn failure(url: &str) -> HttpError {
    let connected = Host::connect(Link::url(url).unwrap(), Preferences::default()).await;
    match connected.unwrap_err() {
        Error::NoResult { error: CallError::Http(failure), .. } => failure,
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn a_refusal_is_typed_and_says_what_the_server_said() {
    for status in [401, 403, 404, 500, 503] {
        for (kind, text) in [("text/plain", "who are you?"), (JSON, TOKEN)] {
            let refusing = HttpServer::serving((), move |_, _| async move { said(status, kind, text) }).await;
            let failure = failure(&refusing.url()).await;
            let HttpError::Status { status: found, body } = &failure else { panic!("{failure:?}") };
            assert_eq!((found.as_u16(), &**body), (status, text));
            let shown = failure.in_full();
            assert!(
                shown.starts_with(&format!("answered HTTP {status} ")) && shown.ends_with(text),
                "{shown}"
            );
        }
    }
}
