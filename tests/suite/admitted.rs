//! What is open ends with what it was admitted by, and says nothing about what its caller may not use (docs/CONTRACT.md A2,
//! A3).

#[allow(dead_code, missing_docs, unreachable_pub, reason = "shared with the tests of the access crate")]
#[path = "../../access/tests/issuer/mod.rs"]
mod issuer;

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, UNIX_EPOCH},
};

use issuer::Key;
use kit::{
    Bench, Client, HeaderAdmission, Identity, Options, Pending, Scenario, Setup, eventually,
    scenario::{Stage, control},
    soon,
};
use mcp_disclosure_access::Clock;
use mcp_disclosure_core::Grant;
use serde_json::json;
use tokio::task::JoinHandle;

use crate::{named, several};

const NOW: u64 = 1_800_000_000;
const LASTS: u64 = 600;
const SKEW: u64 = 60;

/// A stream that is open until the gateway ends it.
type Open = JoinHandle<()>;

/// The streams that last: that of a session, and that of a listener.
async fn streams(bench: &Bench, identity: &Identity) -> [Open; 2] {
    let connect = async |setup| Client::connect_as(bench, Setup::named(setup), identity.clone()).await;
    let (client, listener) = (connect("full_http_session").await, connect("full_http_stateless").await);
    let listening = listener.listen(json!({"toolsListChanged": true})).await;
    [client.open_stream().await.unwrap(), tokio::spawn(async { drop(listening.reply().await) })]
}

async fn end(streams: [Open; 2]) {
    for stream in streams {
        soon("the end of the stream", stream).await.unwrap();
    }
}

/// A gateway that an issuer's tokens open, the file of its keys, and its clock.
async fn issued(key: &Key) -> (Bench, std::path::PathBuf, tempfile::TempDir, Arc<AtomicU64>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jwks.json");
    fs::write(&path, json!({"keys": [key.public("k")]}).to_string()).unwrap();
    let config = format!(
        "[auth.jwt]\nissuer = \"https://login.example\"\naudience = \"https://tools.example/mcp\"\njwks_file = {:?}\n",
        path.display().to_string()
    );
    let now = Arc::new(AtomicU64::new(NOW));
    let shown = Arc::clone(&now);
    let clock = Clock::new(move || UNIX_EPOCH + Duration::from_secs(shown.load(Ordering::SeqCst)));
    let bench = Bench::start(Options { config, clock, ..named(["a"]) }).await;
    (bench, path, folder, now)
}

/// Someone with a token of the issuer, once its key is known.
async fn signed(bench: &Bench, key: &Key) -> Identity {
    let claims = json!({"iss": "https://login.example", "aud": "https://tools.example/mcp", "sub": "ann", "exp": NOW + LASTS});
    let token: &'static str = key.token("k", &claims).leak();
    let headers = [("authorization".to_owned(), format!("Bearer {token}"))];
    eventually("its key is known", async || {
        let answer = kit::http::send(bench.address, "GET", "/mcp", &headers, b"").await.unwrap();
        (answer.status == 405).then_some(())
    })
    .await;
    Identity::default().bearing(token)
}

#[tokio::test]
async fn a2_open_streams_end_with_their_token() {
    let key = Key::ec();
    let (bench, _path, _folder, now) = issued(&key).await;
    let streams = streams(&bench, &signed(&bench, &key).await).await;
    now.store(NOW + LASTS + SKEW - 1, Ordering::SeqCst);
    // Longer than the gateway takes to notice.
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert!(streams.iter().all(|stream| !stream.is_finished()));
    now.store(NOW + LASTS + SKEW, Ordering::SeqCst);
    end(streams).await;
}

#[tokio::test]
async fn a2_open_streams_end_with_the_key_of_their_token() {
    let key = Key::ec();
    for replace in [
        |path: &std::path::Path| fs::write(path, "{\"keys\": []}").unwrap(),
        |path: &std::path::Path| fs::remove_file(path).unwrap(),
    ] {
        let (bench, path, _folder, _now) = issued(&key).await;
        let streams = streams(&bench, &signed(&bench, &key).await).await;
        replace(&path);
        end(streams).await;
    }
}

#[tokio::test]
async fn a2_open_streams_end_when_their_token_is_withdrawn() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| {
        let path = folder.path().join(name);
        fs::write(&path, format!("the-long-secret-token-of-{name}")).unwrap();
        format!("{{ name = {name:?}, file = {:?} }},", path.display().to_string())
    };
    let (ann, bob) = (file("ann"), file("bob"));
    let config = format!("[auth]\ntokens = [{ann}{bob}]\n");
    let bench = Bench::start(Options { config, ..named(["a"]) }).await;
    let withdrawn = streams(&bench, &Identity::default().bearing("the-long-secret-token-of-ann")).await;
    let kept = Identity::default().bearing("the-long-secret-token-of-bob");
    let [kept, _listening] = streams(&bench, &kept).await;
    bench.configure(&format!("[auth]\ntokens = [{bob}]\n")).await;
    end(withdrawn).await;
    assert!(!kept.is_finished());
}

/// Two callers, each of whom may use one of two upstreams.
async fn of_one_each() -> Bench {
    let only = |pattern: &str| {
        let list = || Some(vec![pattern.to_owned()]);
        Grant { tools: list(), resources: list(), ..Grant::nothing() }
    };
    let admission = HeaderAdmission::default().granting("ann", only("a/*")).granting("bob", only("b/*"));
    let stages = || vec![Stage { tools: Vec::new(), prompts: Vec::new() }];
    // Of other names, since those of one name are served under names that depend on each other.
    let scenario = |name| Scenario { stages: stages(), ..Scenario::named([name]) };
    let upstreams = [("a", scenario("of_a")), ("b", scenario("of_b"))];
    Bench::start(several(upstreams).admitting(admission)).await
}

/// A client that hears of changes: in its session, or by listening.
async fn hearing(bench: &Bench, setup: Setup, name: &'static str) -> (Client, Option<Pending>) {
    let client = Client::connect_as(bench, setup, Identity::default().known_as(name)).await;
    let listening = client.hear(&["kit://doc"]).await;
    (client, listening)
}

/// Someone has an upstream announce something, and a client hears of it.
async fn announced(by: &Client, what: &str, to: &Client, notification: &str) {
    by.read(&control(what)).await.result();
    to.notification(&format!("notifications/{notification}")).await;
}

fn count(client: &Client, what: &str) -> usize {
    client.inbox.since(0).iter().filter(|message| message.contains(what)).count()
}

/// A change of what Bob may use is news to him alone.
async fn a3_changes_are_news_to_those_who_may_use_what_changed(setup: Setup) {
    let bench = of_one_each().await;
    let (ann, _listening) = hearing(&bench, setup, "ann").await;
    let (bob, _listening) = hearing(&bench, setup, "bob").await;
    announced(&bob, "tool", &bob, "tools/list_changed").await;
    // Sent after it.
    announced(&ann, "updated", &ann, "resources/updated").await;
    assert_eq!((count(&ann, "list_changed"), count(&bob, "list_changed")), (0, 1));
    announced(&ann, "stage/0", &ann, "tools/list_changed").await;
    announced(&bob, "updated", &bob, "resources/updated").await;
    assert_eq!(count(&bob, "list_changed"), 1);
}

/// Two upstreams have the same URI, and each caller may read that of one: its update reaches nobody else.
async fn a3_updates_are_of_the_upstream_that_may_be_read(setup: Setup) {
    let only = |pattern: &str| Grant { resources: Some(vec![pattern.to_owned()]), ..Grant::default() };
    let admission = HeaderAdmission::default().granting("ann", only("b/*")).granting("bob", only("a/*"));
    let upstreams = ["a", "b"].map(|name| (name, Scenario::odd()));
    let bench = Bench::start(several(upstreams).admitting(admission)).await;
    let (ann, _listening) = hearing(&bench, setup, "ann").await;
    let (bob, _listening) = hearing(&bench, setup, "bob").await;
    announced(&bob, "updated", &bob, "resources/updated").await;
    assert_eq!(count(&bob, "x-odd"), 0, "other members may name what he may not read");
    // Sent to everyone, after the update.
    announced(&bob, "tool", &ann, "tools/list_changed").await;
    assert_eq!((count(&ann, "resources/updated"), count(&bob, "resources/updated")), (0, 1));
    announced(&ann, "updated", &ann, "resources/updated").await;
    assert_eq!((count(&ann, "resources/updated"), count(&bob, "resources/updated")), (1, 1));
}

over_http!(
    a3_changes_are_news_to_those_who_may_use_what_changed,
    a3_updates_are_of_the_upstream_that_may_be_read,
);
