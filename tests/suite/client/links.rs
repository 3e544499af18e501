//! Links: programs, HTTP and handlers; what ends, ends soon and says why.

use std::time::Duration;

use kit::{
    Bench, HeaderAdmission, HttpServer, Options, Setup, Transport,
    admission::HEADER,
    eventually,
    http_server::{JSON, said},
    process::{is_gone, until},
    setup::Era,
};
use mcp_disclosure_client::{CallError, Error, Host, HttpError, Link, Preferences};
use mcp_disclosure_gateway::SessionLimits;
use serde_json::json;

use super::{link, preferences, quiet};
use crate::{named, odd};

/// The upstream that misbehaves as its first argument says.
const ODD: &str = env!("CARGO_BIN_EXE_odd-upstream");

const HTTP: Setup = Setup { strategy: "resource", transport: Transport::Http, era: Era::Session };

#[tokio::test]
async fn a_program_that_does_not_start_says_why() {
    let error = Host::connect(Link::command(ODD, ["exits"]), Preferences::default()).await.unwrap_err();
    let message = error.to_string();
    assert!(message.contains("exit status: 7") && message.contains("no licence found"), "{message}");
    let refused = Host::connect(Link::command(ODD, ["wrong-version"]), Preferences::default()).await;
    assert!(refused.unwrap_err().to_string().contains("1999-01-01"));
    let preferences = Preferences { connect_timeout: Duration::from_millis(300), ..Preferences::default() };
    let silent = Host::connect(Link::command(ODD, ["silent"]), preferences).await;
    assert!(matches!(silent, Err(Error::NoResult { error: CallError::TimedOut { .. }, .. })), "{silent:?}");
}

#[tokio::test]
async fn a_program_that_does_not_want_to_go_is_made_to() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("id");
    for closes in [true, false] {
        let link = Link::command(ODD, ["stubborn".as_ref(), file.as_os_str()]);
        let host = Host::connect(link, Preferences::default()).await.unwrap();
        let id = std::fs::read_to_string(&file).unwrap();
        assert!(!is_gone(&id));
        if closes {
            kit::soon("the end", host.close()).await;
            assert!(is_gone(&id));
        } else {
            drop(host);
            let gone = tokio::task::spawn_blocking(move || until(|| is_gone(&id)));
            assert!(gone.await.unwrap());
        }
    }
}

#[tokio::test]
async fn servers_of_one_era_are_met_in_theirs() {
    let both = [Era::Stateless, Era::Session];
    let eager = || Preferences { eras: both.into(), ..Preferences::default() };
    let host = Host::connect(Link::command(ODD, ["ordinary"]), eager()).await.unwrap();
    assert_eq!(host.server().era, Era::Session);
    let bench = Bench::start(odd()).await;
    for transport in [Transport::Stdio, Transport::Http] {
        let setup = Setup { transport, ..HTTP };
        let host = Host::connect(link(&bench, setup), eager()).await.unwrap();
        assert_eq!(host.server().era, Era::Stateless);
        host.call("rich", &json!({})).await.unwrap();
    }
}

#[tokio::test]
async fn headers_say_who_asks() {
    let admission = HeaderAdmission::default().knowing("ann", &["a"]);
    let bench = Bench::start(Options { admission, ..named(["a", "b"]) }).await;
    for era in [Era::Session, Era::Stateless] {
        let setup = Setup { era, ..HTTP };
        let ann = link(&bench, setup).with_header(HEADER, "ann").unwrap();
        let ann = Host::connect(ann, preferences(setup)).await.unwrap();
        let names: Vec<_> = ann.list().await.unwrap().iter().filter_map(|tool| tool.string("name")).collect();
        assert_eq!(names, ["a"]);
        assert!(matches!(ann.describe(&["b"]).await, Err(Error::UnknownTool { .. })));
    }
}

#[tokio::test]
async fn a_session_that_the_server_forgot_is_over() {
    let bench = Bench::start(odd()).await;
    let host = quiet(&bench, HTTP).await;
    host.list().await.unwrap();
    let sessions = bench.gateway.sessions().all();
    assert_eq!(sessions.len(), 1);
    assert!(bench.gateway.sessions().end(sessions[0].id()));
    let error = host.list().await.unwrap_err();
    let Error::NoResult { error: CallError::Ended { reason, .. }, .. } = &error else { panic!("{error}") };
    assert!(reason.in_full().contains("no longer knows the session"), "{error}");
    assert!(matches!(host.list().await, Err(Error::NoResult { error: CallError::Ended { .. }, .. })));
}

#[tokio::test]
async fn closing_ends_the_session_over_http() {
    let sessions = SessionLimits { most: 1, ..SessionLimits::default() };
    let bench = Bench::start(Options { sessions, ..odd() }).await;
    for calls in 1..=3 {
        let host = Host::connect(link(&bench, HTTP), preferences(HTTP)).await.unwrap();
        let refused = Host::connect(link(&bench, HTTP), preferences(HTTP)).await;
        let is_full = |error: &Error| error.to_string().contains("initialize: too many sessions: 1 are open");
        assert!(refused.as_ref().is_err_and(is_full), "{refused:?}");
        let waiting = host.clone();
        let slow = tokio::spawn(async move { waiting.call("slow", &json!({})).await });
        eventually("the call", async || (super::calls_forwarded(&host).await.len() == calls).then_some(()))
            .await;
        host.close().await;
        let pending = slow.await.unwrap();
        assert!(
            matches!(pending, Err(Error::NoResult { error: CallError::Ended { .. }, .. })),
            "{pending:?}"
        );
    }
}

/// Some say it in JSON that is no JSON-RPC, as OAuth does of a token.
#[tokio::test]
async fn a_refusal_is_typed_and_says_what_the_server_said() {
    for status in [401, 403, 404, 500, 503] {
        for (kind, text) in [("text/plain", "who are you?"), (JSON, r#"{"error":"invalid_token"}"#)] {
            let refusing = HttpServer::serving((), move |_, _| async move { said(status, kind, text) }).await;
            let error = Host::connect(Link::url(&refusing.url()).unwrap(), Preferences::default()).await;
            let Error::NoResult { error: CallError::Http(failure), .. } = error.unwrap_err() else {
                panic!()
            };
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
