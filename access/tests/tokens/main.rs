//! Who comes in with which token (docs/CONTRACT.md A2).

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test that unwraps says where it failed")]
#![allow(missing_docs, unreachable_pub, reason = "no crate uses it")]

#[path = "../issuer/mod.rs"]
mod issuer;
mod keys;
mod matrix;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, UNIX_EPOCH},
};

use http::{HeaderMap, Method, Uri, header::AUTHORIZATION};
use issuer::Key;
use mcp_disclosure_access::{
    Access, Caller, Clock, Entry, Jwt, KeySource, KeyTimes, Settings, Token, TokenSource,
};
use mcp_disclosure_core::Permits;
use mcp_disclosure_gateway::{Admission, Admittance, Arriving, Denied};
use serde_json::{Value, json};

const NOW: u64 = 1_800_000_000;
const ISSUER: &str = "https://login.example";
const AUDIENCE: &str = "https://tools.example/mcp";

/// Longer than any test waits for what happens in the background.
const PATIENCE: Duration = Duration::from_secs(30);

/// Keys that are read once, and not again within a test.
const ONCE: KeyTimes =
    KeyTimes { every: Duration::from_secs(3600), patience: PATIENCE, most_age: Duration::from_secs(3600) };

fn jwt(keys: KeySource, times: KeyTimes) -> Settings {
    let jwt = Jwt {
        issuer: ISSUER.to_owned(),
        audience: AUDIENCE.to_owned(),
        keys,
        required_scopes: vec!["tools".to_owned()],
        times,
    };
    Settings { guarded: true, jwt: Some(jwt), ..Settings::default() }
}

fn claims() -> Value {
    json!({"iss": ISSUER, "aud": AUDIENCE, "sub": "ann", "scope": "tools other", "exp": NOW + 600, "nbf": NOW - 600})
}

fn with(changes: &Value) -> Value {
    let mut claims = claims();
    for (name, value) in changes.as_object().unwrap() {
        match value {
            Value::Null => drop(claims.as_object_mut().unwrap().remove(name)),
            value => claims[name] = value.clone(),
        }
    }
    claims
}

/// The status, the challenge and the body's message of an answer; or who came in.
type Outcome = Result<String, (u16, String, String)>;

async fn come(access: &Access, values: &[&str]) -> Outcome {
    let mut headers = HeaderMap::new();
    for value in values {
        headers.append(AUTHORIZATION, value.parse().unwrap());
    }
    come_at(access, "/mcp", headers).await
}

async fn admitted(access: &Access, path: &str, headers: &HeaderMap) -> Result<Admittance, Denied> {
    let target: Uri = path.parse().unwrap();
    access.admit(&Arriving { method: &Method::POST, target: &target, headers, profile: None }).await
}

/// The header of a bearer token.
fn headers(token: &str) -> HeaderMap {
    [(AUTHORIZATION, format!("Bearer {token}").parse().unwrap())].into_iter().collect()
}

async fn come_at(access: &Access, path: &str, headers: HeaderMap) -> Outcome {
    match admitted(access, path, &headers).await {
        Ok(admitted) => Ok(admitted.principal.id().unwrap_or("anonymous").to_owned()),
        Err(denied) => {
            let challenge = denied.challenge.map(|text| text.to_str().unwrap().to_owned());
            Err((denied.status.as_u16(), challenge.unwrap_or_default(), denied.error.message()))
        }
    }
}

async fn bearing(access: &Access, token: &str) -> Outcome {
    come(access, &[&format!("Bearer {token}")]).await
}

fn status(outcome: &Outcome) -> u16 {
    outcome.as_ref().map_or_else(|(status, ..)| *status, |_| 200)
}

/// A clock that is set.
fn clock() -> (Clock, Arc<AtomicU64>) {
    let now = Arc::new(AtomicU64::new(NOW));
    let shown = Arc::clone(&now);
    (Clock::new(move || UNIX_EPOCH + Duration::from_secs(shown.load(Ordering::SeqCst))), now)
}

/// An access whose keys are in a file.
async fn of_keys(keys: &[Value]) -> (Access, tempfile::TempDir, Arc<AtomicU64>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jwks.json");
    std::fs::write(&path, json!({"keys": keys}).to_string()).unwrap();
    let (clock, now) = clock();
    let access = Access::with_clock(jwt(KeySource::File(path), ONCE), clock).unwrap();
    access.read_keys().await.unwrap();
    (access, folder, now)
}

async fn eventually(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let waiting = async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting).await.unwrap_or_else(|_| panic!("not within patience: {what}"));
}

#[tokio::test]
async fn a2_only_one_authorization_header_counts() {
    let ec = Key::ec();
    let (access, _folder, _) = of_keys(&[ec.public("e")]).await;
    let token = ec.token("e", &claims());
    let (bearer, other_case) = (format!("Bearer {token}"), format!("bEARER  {token} "));
    for once in [&bearer, &other_case] {
        assert_eq!(come(&access, &[once]).await, Ok(format!("sub:{ISSUER}#ann")));
    }
    let (basic, list) = (format!("Basic {token}"), format!("Bearer {token}, {bearer}"));
    let long = format!("Bearer {}", "x".repeat(16 * 1024 + 1));
    for (values, expected, error) in [
        (&[][..], 401, ""),
        (&[&*basic], 401, ""),
        (&[&*token], 401, ""),
        (&["Bearer "], 401, "invalid_token"),
        (&["Bearer a b"], 401, "invalid_token"),
        (&[&*list], 401, "invalid_token"),
        (&[&*long], 401, "invalid_token"),
        (&[&*bearer, &*bearer], 400, "invalid_request"),
        (&["Bearer x", &*bearer], 400, "invalid_request"),
    ] {
        let (status, challenge, _) = come(&access, values).await.unwrap_err();
        let said = challenge.split_once("error=\"").map_or("", |(_, rest)| rest.split('"').next().unwrap());
        assert_eq!((status, said), (expected, error), "{values:?}");
    }
    let queried = come_at(&access, &format!("/mcp?access_token={token}"), HeaderMap::new()).await;
    assert_eq!(status(&queried), 401);
}

#[tokio::test]
async fn a2_what_is_known_of_a_token_ends_with_it() {
    let ec = Key::ec();
    let (access, _folder, now) = of_keys(&[ec.public("e")]).await;
    let token = ec.token("e", &claims());
    assert_eq!(status(&bearing(&access, &token).await), 200);
    now.store(NOW + 600 + 59, Ordering::SeqCst);
    assert_eq!(status(&bearing(&access, &token).await), 200);
    now.store(NOW + 600 + 60, Ordering::SeqCst);
    assert_eq!(status(&bearing(&access, &token).await), 401);
}

#[tokio::test]
async fn a2_an_admission_says_when_to_ask_again() {
    let key = Key::ec();
    let (access, _folder, now) = of_keys(&[key.public("k")]).await;
    let headers = headers(&key.token("k", &claims()));
    let left = async || {
        let until = admitted(&access, "/mcp", &headers).await.unwrap().until.unwrap();
        until.saturating_duration_since(std::time::Instant::now())
    };
    // While the token lasts, its key may be withdrawn.
    assert!((Duration::from_secs(1)..=Duration::from_secs(2)).contains(&left().await));
    now.store(NOW + 600 + 59, Ordering::SeqCst);
    assert!(left().await <= Duration::from_secs(1));
}

#[tokio::test]
async fn a2_tokens_are_known_by_name_and_replaced_live() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ci.token");
    std::fs::write(&path, "the-first-token-of-ci\n").unwrap();
    let tokens = vec![Token { name: "ci".to_owned(), source: TokenSource::File(path.clone()) }];
    let settings = Settings { guarded: true, tokens, ..Settings::default() };
    let access = Arc::new(Access::new(settings).unwrap());
    assert_eq!(bearing(&access, "the-first-token-of-ci").await, Ok("token:ci".to_owned()));
    assert!(!format!("{access:?}").contains("the-first"), "{access:?}");
    let changes = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&changes);
    access.follow_tokens(move || {
        counted.fetch_add(1, Ordering::SeqCst);
    });
    std::fs::write(&path, "the-next-token-of-ci").unwrap();
    eventually("the next token works", async || bearing(&access, "the-next-token-of-ci").await.is_ok()).await;
    assert_eq!(status(&bearing(&access, "the-first-token-of-ci").await), 401);
    eventually("it is announced", async || changes.load(Ordering::SeqCst) == 1).await;
    // A file that is deleted takes its token away.
    std::fs::remove_file(&path).unwrap();
    eventually("the token is withdrawn", async || bearing(&access, "the-next-token-of-ci").await.is_err())
        .await;
}

#[tokio::test]
async fn a3_the_first_entry_that_matches_counts() {
    let ec = Key::ec();
    let (access, _folder, _) = of_keys(&[ec.public("e")]).await;
    let entry = |name: &str, claims: Value, tools: &[&str]| Entry {
        name: name.to_owned(),
        caller: Caller::Claims(claims.as_object().cloned().unwrap()),
        permits: Permits::of_tools(tools.iter().copied()),
    };
    let principals = vec![
        entry("dev", json!({"group": "dev"}), &["a/*"]),
        entry("ann", json!({"sub": "ann"}), &["b/*"]),
        entry("devs again", json!({"group": "dev"}), &["c/*"]),
    ];
    let settings = Settings { principals, ..access.settings() };
    assert!(access.replace(settings.clone()).unwrap());
    assert!(!access.replace(settings).unwrap());
    for (changes, tools) in [
        (json!({"group": ["dev", "ops"]}), vec!["a/*"]),
        (json!({}), vec!["b/*"]),
        (json!({"sub": "bob"}), vec![]),
    ] {
        let token = ec.token("e", &with(&changes));
        let principal = admitted(&access, "/mcp", &headers(&token)).await.unwrap().principal;
        let expected = Permits::of_tools(tools.iter().map(|tool| (*tool).to_owned()));
        assert_eq!(*principal.permits(), expected, "{changes}");
    }
}

#[tokio::test]
async fn a5_a_caller_is_known_by_its_issuer_and_the_claim_that_names_it() {
    let ec = Key::ec();
    let (access, _folder, _) = of_keys(&[ec.public("e")]).await;
    let mut ids = std::collections::BTreeSet::new();
    for changes in [json!({}), json!({"sub": null, "client_id": "ann"}), json!({"sub": null, "azp": "ann"})] {
        ids.insert(bearing(&access, &ec.token("e", &with(&changes))).await.unwrap());
    }
    // Another issuer's ann has no session of the first one's.
    let jwt = access.settings().jwt.map(|jwt| Jwt { issuer: "https://other.example".to_owned(), ..jwt });
    access.replace(Settings { jwt, ..access.settings() }).unwrap();
    access.read_keys().await.unwrap();
    let other = ec.token("e", &with(&json!({"iss": "https://other.example"})));
    ids.insert(bearing(&access, &other).await.unwrap());
    assert_eq!(ids.len(), 4, "{ids:?}");
}

#[tokio::test]
async fn a2_the_metadata_is_where_the_challenge_says() {
    let well_known = "/.well-known/oauth-protected-resource";
    // Where RFC 9728 puts it.
    for (audience, origin, path) in [
        ("https://h.example/tools/mcp", "https://h.example", "/tools/mcp"),
        ("https://h.example", "https://h.example", ""),
        ("https://h.example/", "https://h.example", ""),
        ("http://h:1/x/mcp?y", "http://h:1", "/x/mcp"),
    ] {
        let settings = jwt(KeySource::File("/no/such/file".into()), ONCE);
        let jwt = settings.jwt.map(|jwt| Jwt { audience: audience.to_owned(), ..jwt });
        let access = Access::new(Settings { jwt, guarded: true, ..Settings::default() }).unwrap();
        let (_, challenge, _) = come(&access, &[]).await.unwrap_err();
        let named = challenge.split_once("resource_metadata=\"").unwrap().1.trim_end_matches('"');
        assert_eq!(named, format!("{origin}{well_known}{path}"), "{audience}");
        let headers = HeaderMap::new();
        let open = |path: &str| {
            let target: Uri = format!("{well_known}{path}").parse().unwrap();
            let request =
                Arriving { method: &Method::GET, target: &target, headers: &headers, profile: None };
            access.open_document(&request).map(|document| document.text().to_owned())
        };
        assert!(open(path).unwrap().contains(audience), "{audience}");
        assert_eq!(open("/other/mcp"), None);
    }
}
