//! A6: authorization servers that lie, and what they get for it: nothing. Honest ones are in tests/interop.

mod program;
mod server;

use std::sync::Arc;

use axum::{
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use kit::{eventually, http_server::reply};
use mcp_disclosure_gateway::upstream::{
    Authorization, Authorizer, Challenge, Endpoint, Target, Unauthorized,
};
use mcp_disclosure_sign_in::{Answer, Begun, Error, Settings, SignIn, SignedIn};
use reqwest::Url;
use serde_json::json;
use server::{Server, endless, metadata};

const AUTHORIZATION_SERVER: &str = "/.well-known/oauth-authorization-server";
const RESOURCE: &str = "/.well-known/oauth-protected-resource/mcp";

/// The parameter of a URL.
fn parameter(url: &str, name: &str) -> String {
    let url: Url = url.parse().unwrap();
    url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned()).unwrap_or_default()
}

/// The address that an honest browser comes back to, with this issuer.
fn coming_back(begun: &Begun, issuer: &str) -> String {
    let redirect = parameter(&begun.url, "redirect_uri");
    let mut url: Url = redirect.parse().unwrap();
    url.query_pairs_mut()
        .append_pair("code", "the-code")
        .append_pair("state", &begun.state)
        .append_pair("iss", issuer);
    url.to_string()
}

async fn log_in(server: &Server, sign_in: &SignIn) -> Result<SignedIn, Error> {
    let begun = sign_in.begin(0, &[]).await?;
    let answer = Answer::pasted(&coming_back(&begun, &server.origin), &begun.state)?;
    begun.finish(answer).await
}

/// To a server that lies so nobody signs in, for this reason, and it learns of no client.
async fn is_refused(lie: impl Fn(&str, &str) -> Option<Response> + Send + Sync + 'static, expected: &str) {
    let server = Server::start(lie).await;
    let refused = server.sign_in().begin(0, &[]).await.unwrap_err();
    assert!(refused.to_string().contains(expected), "{refused}");
    assert!(server.heard("/token").is_empty() && server.heard("/register").is_empty());
}

fn bearer(token: &str) -> String {
    format!("Bearer {token}")
}

async fn header(sign_in: &SignIn) -> Result<Option<String>, Unauthorized> {
    let header = sign_in.header().await?;
    Ok(header.map(|header| header.to_str().unwrap().to_owned()))
}

#[tokio::test]
async fn a6_an_honest_server_is_signed_in_to_with_pkce_and_its_resource() {
    let server = Server::honest().await;
    let sign_in = server.sign_in();
    assert_eq!(header(&sign_in).await, Ok(None));
    let begun = sign_in.begin(0, &[]).await.unwrap();
    assert_eq!(parameter(&begun.url, "code_challenge_method"), "S256");
    assert_eq!(parameter(&begun.url, "resource"), server.url().as_str());
    assert_eq!(parameter(&begun.url, "scope"), "read");
    assert!(parameter(&begun.url, "redirect_uri").starts_with("http://127.0.0.1:"));
    let signed_in = log_in(&server, &sign_in).await.unwrap();
    assert_eq!((signed_in.issuer.as_str(), signed_in.renews), (&*server.origin, true));
    let exchanged = server.heard("/token")[0].text().to_owned();
    assert!(exchanged.contains("code_verifier=") && exchanged.contains("resource=http"), "{exchanged}");
    let shown = format!("{sign_in:?} {signed_in:?}");
    assert!(!shown.contains("access-0") && !shown.contains("refresh-0"), "{shown}");
    assert_eq!(sign_in.forget().await.ok(), Some(true));
    assert_eq!(header(&sign_in).await, Ok(None));
}

#[tokio::test]
async fn a6_metadata_that_lies_is_refused_before_a_browser_is_opened() {
    for (lies, expected) in [
        (json!({"issuer": "https://other.example"}), "other.example"),
        (json!({"token_endpoint": "http://other.example/token"}), "token endpoint is not an https"),
        (json!({"authorization_endpoint": "javascript:alert(1)"}), "authorization endpoint is not"),
        (json!({"registration_endpoint": "http://169.254.169.254/"}), "registration endpoint is not"),
        (json!({"code_challenge_methods_supported": ["plain"]}), "PKCE"),
        (json!({"code_challenge_methods_supported": null}), "PKCE"),
        (json!({"registration_endpoint": null}), "does not register clients"),
    ] {
        let lie = move |path: &str, origin: &str| {
            let mut said = metadata(origin);
            said.as_object_mut().unwrap().extend(lies.as_object().unwrap().clone());
            (path == AUTHORIZATION_SERVER).then(|| reply(&said))
        };
        is_refused(lie, expected).await;
    }
}

#[tokio::test]
async fn a6_tokens_are_asked_for_the_server_itself_only() {
    let lie = |path: &str, origin: &str| match path {
        "/mcp" => {
            let metadata = format!("Bearer resource_metadata=\"{origin}{RESOURCE}\"");
            Some((StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, metadata)]).into_response())
        }
        RESOURCE => {
            Some(reply(&json!({"resource": "https://bank.example/", "authorization_servers": [origin]})))
        }
        _ => None,
    };
    is_refused(lie, "bank.example").await;
}

#[tokio::test]
async fn a6_an_endless_answer_and_one_that_never_comes_are_given_up() {
    is_refused(|path, _| (path == AUTHORIZATION_SERVER).then(endless), "more than 1048576 bytes").await;

    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let silent = format!("http://{}", listener.local_addr().unwrap());
    let lie = move |path: &str, origin: &str| {
        let named = json!({"resource": format!("{origin}/mcp"), "authorization_servers": [silent]});
        (path == RESOURCE).then(|| reply(&named))
    };
    is_refused(lie, "no answer within 15 seconds").await;
}

#[tokio::test]
async fn a6_codes_and_tokens_follow_no_redirect() {
    let elsewhere = Server::honest().await;
    let target = format!("{}/token", elsewhere.origin);
    let server = Server::start(move |path, _| {
        (path == "/token")
            .then(|| (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, target.clone())]).into_response())
    })
    .await;
    let sign_in = server.sign_in();
    let refused = log_in(&server, &sign_in).await.unwrap_err();
    assert!(matches!(refused, Error::Protocol(_)), "{refused}");
    assert!(elsewhere.heard("/token").is_empty());
    assert_eq!(sign_in.signed_in().unwrap(), None);
}

#[tokio::test]
async fn a6_an_answer_of_another_issuer_is_refused() {
    let server = Server::honest().await;
    let sign_in = server.sign_in();
    let begun = sign_in.begin(0, &[]).await.unwrap();
    let answer = Answer::pasted(&coming_back(&begun, "https://other.example"), &begun.state).unwrap();
    let refused = begun.finish(answer).await.unwrap_err();
    assert!(refused.to_string().contains("other.example"), "{refused}");
    assert!(server.heard("/token").is_empty());
}

#[tokio::test]
async fn a6_tokens_are_renewed_once_for_all_who_wait() {
    let server = Server::honest().await;
    log_in(&server, &server.sign_in()).await.unwrap();
    // As two processes with five requests each.
    let [one, other] = [server.sign_in(), server.sign_in()];
    let headers = (0..10).map(|number| header(if number % 2 == 0 { &one } else { &other }));
    for header in futures::future::join_all(headers).await {
        assert_eq!(header, Ok(Some(bearer("access-1"))));
    }
    let refreshed = server.heard("/token");
    assert_eq!(refreshed.len(), 2);
    assert!(refreshed[1].text().contains("refresh_token=refresh-0"), "{}", refreshed[1].text());
}

#[tokio::test]
async fn a6_a_request_that_is_given_up_loses_no_refresh_token() {
    let server = Server::honest().await;
    let sign_in = server.sign_in();
    log_in(&server, &sign_in).await.unwrap();
    let challenge = Challenge { status: StatusCode::UNAUTHORIZED, headers: vec!["Bearer".to_owned()] };
    let sent = sign_in.header().await.unwrap();
    {
        let refused = sign_in.refused(sent.as_ref(), &challenge, false);
        tokio::pin!(refused);
        // Dropped after its first step.
        assert!(futures::poll!(refused.as_mut()).is_pending());
    }
    let renewed = Ok(Some(bearer("access-2")));
    eventually("the renewal", async || (header(&sign_in).await == renewed).then_some(())).await;
}

#[tokio::test]
async fn a6_a_renewal_that_failed_is_not_repeated_at_once_but_after_a_new_sign_in() {
    let server = Server::honest().await;
    let sign_in = server.sign_in();
    log_in(&server, &sign_in).await.unwrap();
    server.lie(|path, _| (path == "/token").then(|| StatusCode::SERVICE_UNAVAILABLE.into_response()));
    let attempts = futures::future::join_all((0..10).map(|_| header(&sign_in))).await;
    assert!(attempts.iter().all(|attempt| matches!(attempt, Err(Unauthorized::Unavailable { .. }))));
    assert_eq!(server.heard("/token").len(), 2);
    server.lie(|_, _| None);
    // By another process.
    log_in(&server, &server.sign_in()).await.unwrap();
    assert_eq!(header(&sign_in).await, Ok(Some(bearer("access-2"))));
}

#[test]
fn a6_a_client_secret_is_shown_nowhere() {
    let settings = Settings {
        client_id: Some("robot".to_owned()),
        client_secret: Some("the-secret-of-robot".to_owned().into()),
        ..Settings::default()
    };
    let folder = "/no/such/folder".into();
    let endpoint = Endpoint::from("https://mcp.example/mcp".parse::<Url>().unwrap());
    let sign_in = SignIn::new(&endpoint, settings, folder, "login".to_owned()).unwrap();
    assert!(!sign_in.identity().contains("the-secret") && !format!("{sign_in:?}").contains("the-secret"));
}

#[tokio::test]
async fn a6_tokens_of_one_issuer_are_not_sent_to_another() {
    let (server, other) = (Server::honest().await, Server::honest().await);
    let sign_in = server.sign_in();
    log_in(&server, &sign_in).await.unwrap();
    let origin = other.origin.clone();
    server.lie(move |path, here| {
        let named = json!({"resource": format!("{here}/mcp"), "authorization_servers": [origin]});
        (path == RESOURCE).then(|| reply(&named))
    });
    let refused = header(&sign_in).await.unwrap_err();
    let Unauthorized::Unavailable { detail } = &refused else { panic!("{refused:?}") };
    assert!(detail.contains("another authorization server"), "{detail}");
    assert!(other.heard("/token").is_empty());
    assert!(!format!("{refused} {refused:?}").contains("-0"));
}

#[tokio::test]
async fn a6_a_sign_in_that_was_ended_is_forgotten_and_one_that_failed_is_not() {
    for (status, code, is_final) in [
        (StatusCode::BAD_REQUEST, "invalid_grant", true),
        // The secret in the configuration may be wrong.
        (StatusCode::UNAUTHORIZED, "invalid_client", false),
        (StatusCode::BAD_REQUEST, "unauthorized_client", false),
        (StatusCode::SERVICE_UNAVAILABLE, "temporarily_unavailable", false),
    ] {
        let server = Server::honest().await;
        let sign_in = server.sign_in();
        log_in(&server, &sign_in).await.unwrap();
        server.lie(move |path, _| {
            let said = json!({"error": code, "error_description": "\u{1b}[31m<b>"});
            (path == "/token").then(|| (status, reply(&said)).into_response())
        });
        let refused = header(&sign_in).await.unwrap_err();
        let command = "mcp-disclosure login notes".to_owned();
        assert_eq!(refused == Unauthorized::SignIn { command }, is_final, "{refused:?}");
        assert_eq!(sign_in.signed_in().unwrap().is_none(), is_final);
    }
}

#[tokio::test]
async fn a6_what_a_server_says_cannot_write_commands() {
    let server = Server::honest().await;
    let scopes = "Bearer error=\"insufficient_scope\", scope=\"read $(rm) a;b --port notes:write\"";
    let challenge = Challenge { status: StatusCode::FORBIDDEN, headers: vec![scopes.to_owned()] };
    let refused = server.sign_in().refused(None, &challenge, false).await.unwrap_err();
    let command = "mcp-disclosure login notes --scope read --scope notes:write".to_owned();
    assert_eq!(refused, Unauthorized::Scopes { command });
    let basic = Challenge { status: StatusCode::UNAUTHORIZED, headers: vec!["Basic realm=\"x\"".to_owned()] };
    assert_eq!(server.sign_in().refused(None, &basic, false).await, Ok(None));
}

#[cfg(unix)]
#[tokio::test]
async fn a6_tokens_that_others_can_read_are_not_used() {
    use std::os::unix::fs::PermissionsExt;
    let server = Server::honest().await;
    let sign_in = server.sign_in();
    let file = log_in(&server, &sign_in).await.unwrap().file;
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    assert!(matches!(header(&sign_in).await, Err(Unauthorized::Unavailable { .. })));
    assert!(sign_in.signed_in().unwrap_err().to_string().contains("0600"));
}

#[tokio::test]
async fn p9_tokens_are_not_sent_to_another_origin() {
    let elsewhere = Server::honest().await;
    let target = format!("{}/mcp", elsewhere.origin);
    let server = Server::honest().await;
    let sign_in = server.sign_in();
    log_in(&server, &sign_in).await.unwrap();
    // The first tokens have expired.
    header(&sign_in).await.unwrap();
    server.lie(move |path, _| {
        let redirect =
            || (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, target.clone())]).into_response();
        (path == "/mcp").then(redirect)
    });
    let authorization = Some(Authorizer(Arc::new(sign_in)));
    let target = Target::Url(Endpoint { authorization, ..Endpoint::from(server.url()) });
    let started = crate::failure(target).await;
    assert!(started.contains("redirects to another origin"), "{started}");
    assert!(elsewhere.heard("/mcp").is_empty());
}
