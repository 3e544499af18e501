//! What the check of a token costs: `cargo bench -p mcp-disclosure-benches --bench access`.
//!
//! The goal is at most 60 µs in the median for a token that was seen before (issue 17): `later` below, which each request over
//! HTTP pays once. `first` is what a new token costs, with its signature.

#![allow(missing_docs, unused_crate_dependencies, reason = "no crate uses it")]

#[allow(dead_code, missing_docs, unreachable_pub, clippy::unwrap_used, reason = "shared with tests")]
#[path = "../../access/tests/issuer/mod.rs"]
mod issuer;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::http::{HeaderMap, Method, Uri, header::AUTHORIZATION};
use divan::{Bencher, black_box};
use issuer::Key;
use mcp_disclosure_access::{Access, Caller, Entry, Jwt, KeySource, KeyTimes, Settings, Token, TokenSource};
use mcp_disclosure_core::Permits;
use mcp_disclosure_gateway::{Admission, Arriving};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

const ISSUER: &str = "https://login.example";
const AUDIENCE: &str = "https://tools.example/mcp";
const BEARER: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

fn main() {
    divan::main();
}

/// The ways to sign that are accepted.
const ALGORITHMS: [&str; 3] = ["RS256", "ES256", "EdDSA"];

fn key(algorithm: &str) -> Key {
    match algorithm {
        "RS256" => Key::rsa(),
        "ES256" => Key::ec(),
        _ => Key::ed(),
    }
}

/// A front door with a hundred entries, of which the last matches.
struct Door {
    access: Access,
    runtime: Runtime,
    _folder: tempfile::TempDir,
}

impl Door {
    fn new(key: &Key) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (keys, token) = (folder.path().join("jwks.json"), folder.path().join("token"));
        std::fs::write(&keys, json!({"keys": [key.public("k")]}).to_string()).expect("a file");
        std::fs::write(&token, BEARER).expect("a file");
        let jwt = Jwt {
            issuer: ISSUER.to_owned(),
            audience: AUDIENCE.to_owned(),
            keys: KeySource::File(keys),
            required_scopes: vec!["tools".to_owned()],
            times: KeyTimes::OF_FILE,
        };
        let entry = |at: usize| {
            let claims = Value::from_iter([("group", format!("group {at}"))]);
            Entry {
                name: format!("entry {at}"),
                caller: Caller::Claims(claims.as_object().cloned().unwrap_or_default()),
                permits: Permits::of_tools([format!("upstream/{at}*")]),
            }
        };
        let settings = Settings {
            guarded: true,
            tokens: vec![Token { name: "ci".to_owned(), source: TokenSource::File(token) }],
            jwt: Some(jwt),
            principals: (0..100).map(entry).collect(),
            ..Settings::default()
        };
        let runtime = Runtime::new().expect("a runtime");
        let access = runtime.block_on(async {
            let access = Access::new(settings).expect("settings that hold");
            access.read_keys().await.expect("keys that can be read");
            access
        });
        Self { access, runtime, _folder: folder }
    }

    fn admits(&self, headers: &HeaderMap) {
        let target = Uri::from_static("/mcp");
        let request = Arriving { method: &Method::POST, target: &target, headers, profile: None };
        let admitted = self.runtime.block_on(self.access.admit(&request));
        assert!(black_box(admitted).is_ok());
    }
}

fn bearing(token: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(AUTHORIZATION, format!("Bearer {token}").parse().expect("a header"));
    headers
}

/// A token as issuers make them, of about a kilobyte.
fn token(key: &Key, number: u64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs();
    let groups: Vec<String> = (0..20).map(|at| format!("cn=team-{at},ou=groups")).collect();
    key.token(
        "k",
        &json!({"iss": ISSUER, "aud": AUDIENCE, "sub": "ann", "jti": number.to_string(), "exp": now + 3600,
            "scope": "tools other", "group": "group 99", "groups": groups}),
    )
}

#[divan::bench]
fn later_bearer(bencher: Bencher<'_, '_>) {
    let (door, headers) = (Door::new(&Key::ec()), bearing(BEARER));
    bencher.bench_local(|| door.admits(&headers));
}

#[divan::bench(args = ALGORITHMS)]
fn later_jwt(bencher: Bencher<'_, '_>, algorithm: &str) {
    let key = key(algorithm);
    let (door, headers) = (Door::new(&key), bearing(&token(&key, 0)));
    bencher.bench_local(|| door.admits(&headers));
}

#[divan::bench(args = ALGORITHMS)]
fn first_jwt(bencher: Bencher<'_, '_>, algorithm: &str) {
    let key = key(algorithm);
    let door = Door::new(&key);
    let mut number = 0;
    let new = || {
        number += 1;
        bearing(&token(&key, number))
    };
    bencher.with_inputs(new).bench_local_refs(|headers| door.admits(headers));
}
