//! What the gateway relies on in a store (K1): leases, holders, messages and counters on a real server.

use std::{sync::Arc, time::Duration};

use kit::{PATIENCE, process::until, redis::Redis, soon};
use mcp_disclosure_gateway::store::{Event, OPENED, SessionStore, StoreError};
use mcp_disclosure_session_redis::RedisStore;
use serde_json::{Value, json};

use super::{replicas, web::Web};

const HOUR: Duration = Duration::from_secs(3600);

fn store(redis: &Redis) -> Arc<RedisStore> {
    Arc::new(RedisStore::new(redis.url().parse().unwrap()).unwrap())
}

async fn begins(store: &RedisStore) {
    assert_eq!(soon("a lease", store.event()).await, Event::Begun);
}

async fn next_message(store: &RedisStore) -> Value {
    loop {
        if let Event::Message(text) = soon("a message", store.event()).await {
            return serde_json::from_slice(&text).unwrap();
        }
    }
}

/// A session in the store, with this store's process as its holder.
async fn create(store: &RedisStore, id: &str) {
    let fields = vec![(OPENED.to_vec(), b"{}".to_vec())];
    store.create(id, fields, HOUR).await.unwrap();
}

fn holders(redis: &Redis, id: &str) -> Vec<String> {
    let mut fields = redis.command(&format!("HKEYS mcp-disclosure:2:s:{id}"));
    fields.retain(|field| field.starts_with('@'));
    fields
}

#[tokio::test(flavor = "multi_thread")]
async fn k1_a_lease_whose_key_is_gone_never_comes_back() {
    let redis = Redis::start(&[]);
    let store = store(&redis);
    begins(&store).await;
    let first = store.lease().unwrap();
    redis.command(&format!("DEL mcp-disclosure:2:r:{}", first.name));
    begins(&store).await;
    let second = store.lease().unwrap();
    assert!(second.number > first.number, "{second:?} after {first:?}");
    assert!(!store.lasts(&first.name).await.unwrap() && store.lasts(&second.name).await.unwrap());
    store.close().await;
    assert_eq!((store.lease(), redis.keys("mcp-disclosure:2:r:*")), (None, Vec::new()));
}

#[tokio::test(flavor = "multi_thread")]
async fn k1_former_holders_of_a_session_are_forgotten() {
    let redis = Redis::start(&[]);
    let store = store(&redis);
    begins(&store).await;
    create(&store, "s").await;
    redis.command(&format!("DEL mcp-disclosure:2:r:{}", store.lease().unwrap().name));
    begins(&store).await;
    let holder = format!("@{}", store.lease().unwrap().name);
    store.load("s").await.unwrap().unwrap();
    assert!(until(|| holders(&redis, "s") == [&*holder]), "{:?}", holders(&redis, "s"));
    let dead: Vec<String> = (0..20).map(|number| format!("@dead{number}.1 x")).collect();
    redis.command(&format!("HSET mcp-disclosure:2:s:s {}", dead.join(" ")));
    redis.command("SET mcp-disclosure:2:r:dead7.1 1");
    store.load("s").await.unwrap().unwrap();
    assert!(until(|| holders(&redis, "s").len() == 2), "{:?}", holders(&redis, "s"));
    assert!(holders(&redis, "s").contains(&"@dead7.1".to_owned()), "its lease lasts");
}

#[tokio::test(flavor = "multi_thread")]
async fn k4_a_command_that_takes_too_long_ends_no_lease() {
    let redis = Redis::start(&[]);
    let store = store(&redis);
    begins(&store).await;
    create(&store, "s").await;
    let first = store.lease().unwrap();
    // Again where a busy machine asks when the pause is nearly over.
    let paused = async {
        loop {
            redis.command("CLIENT PAUSE 1000 ALL");
            if let Err(error) = store.opened("s").await {
                return error;
            }
        }
    };
    assert_eq!(soon("an answer too late", paused).await, StoreError::Unreachable);
    let answered = async { while store.opened("s").await.is_err() {} };
    soon("an answer", answered).await;
    assert_eq!(store.lease(), Some(first));
}

#[tokio::test(flavor = "multi_thread")]
async fn k1_a_counter_always_ends_r11() {
    let redis = Redis::start(&[]);
    let store = store(&redis);
    begins(&store).await;
    // One that lost its end, as when it is added to at the moment at which it is gone.
    redis.command("SET mcp-disclosure:2:f:x 5");
    let (sum, left) = store.count("x", 2, HOUR).await.unwrap();
    assert_eq!(sum, 7);
    assert!(!left.is_zero() && left <= HOUR, "{left:?}");
    let (sum, later) = store.count("x", 1, 2 * HOUR).await.unwrap();
    assert!(sum == 8 && later <= left, "a window is not extended: {later:?}");
}

#[test]
fn k1_who_asks_for_an_unknown_session_writes_nothing() {
    let (redis, [a, b]) = replicas();
    let web = Web::open(a.at);
    let writes = || {
        let lines = redis.command("INFO commandstats").concat();
        let written = lines.lines().filter(|line| line.starts_with("cmdstat_h") && !line.contains("_hget:"));
        written.map(|line| line.split(',').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let before = writes();
    for at in [a.at, b.at] {
        let mut unknown = web.clone();
        unknown.session = "0123456789abcdef0123456789abcdef".into();
        assert_eq!(unknown.with("").request(at, "ping", json!({})).status, 404);
    }
    assert_eq!(writes(), before);
    web.tools(b.at);
    assert_ne!(writes(), before, "one that is known has a new holder");
}

#[tokio::test(flavor = "multi_thread")]
async fn k1_a_change_is_sent_again_until_it_is_confirmed() {
    let (redis, [a]) = replicas();
    let slow = store(&redis);
    begins(&slow).await;
    let web = Web::open(a.at);
    slow.load(&web.digest()).await.unwrap().unwrap();
    // As if this process had held it under a former lease as well.
    let former = format!("HSET {} @{}.0 x", web.key(), slow.name());
    redis.command(&former);
    let (at, ending) = (a.at, web.clone());
    let ended = tokio::task::spawn_blocking(move || ending.end(at));
    let lost = next_message(&slow).await;
    let again = next_message(&slow).await;
    assert_eq!((&lost, &lost["w"]), (&again, &json!("ended")));
    let confirmed = json!({"f": slow.name(), "n": again["n"], "s": web.session, "w": "received"});
    let sender = again["f"].as_str().unwrap();
    SessionStore::send(&*slow, sender, confirmed.to_string().into_bytes()).await.unwrap();
    assert_eq!(ended.await.unwrap().status, 204);
}

#[tokio::test(flavor = "multi_thread")]
async fn k1_a_long_id_of_a_request_is_not_passed_on_p8() {
    let (redis, [a]) = replicas();
    let other = store(&redis);
    begins(&other).await;
    let web = Web::open(a.at);
    other.load(&web.digest()).await.unwrap().unwrap();
    let at = a.at;
    let cancelling = tokio::task::spawn_blocking(move || {
        for id in ["x".repeat(100_000), "short".to_owned()] {
            let params = json!({"requestId": id});
            let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
            assert_eq!(web.post(at, &cancelled).status, 202);
        }
    });
    let message = next_message(&other).await;
    assert_eq!(message["w"], json!({"cancelled": "\"short\""}));
    tokio::time::timeout(PATIENCE, cancelling).await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn k1_a_session_whose_registration_was_lost_is_read_again() {
    let redis = Redis::start(&[]);
    let store = store(&redis);
    begins(&store).await;
    create(&store, "s").await;
    let kept = async || store.keep(&["s".into(), "unknown".into()], HOUR).await.unwrap();
    assert_eq!(kept().await, [true, false]);
    // As after a failover to a server without the latest writes.
    redis.command(&format!("HDEL mcp-disclosure:2:s:s @{}", store.lease().unwrap().name));
    assert_eq!(kept().await, [false, false]);
    store.load("s").await.unwrap().unwrap();
    assert_eq!(kept().await, [true, false]);
    // As after a replica was killed while it ended the session.
    redis.command("HDEL mcp-disclosure:2:s:s .");
    assert_eq!(kept().await, [false, false]);
}

#[tokio::test(flavor = "multi_thread")]
async fn k4_a_full_store_changes_all_or_nothing() {
    let redis = Redis::start(&[]);
    let store = store(&redis);
    begins(&store).await;
    create(&store, "s").await;
    let change = async |removed: &str, set: &str| {
        let changes = vec![(removed.into(), None), (set.into(), Some(b"1".to_vec()))];
        store.change("s", changes).await
    };
    change("x", "a").await.unwrap().unwrap();
    redis.command("CONFIG SET maxmemory-policy noeviction");
    redis.command("CONFIG SET maxmemory 1");
    assert_eq!(change("a", "b").await, Err(StoreError::Full));
    assert_eq!(redis.number("HEXISTS mcp-disclosure:2:s:s a"), 1);
    redis.command("CONFIG SET maxmemory 0");
    change("a", "b").await.unwrap().unwrap();
    assert_eq!(redis.number("HEXISTS mcp-disclosure:2:s:s a"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn k1_an_answer_that_its_replica_does_not_receive_may_be_sent_again_f3() {
    let (redis, [a]) = replicas();
    let asker = store(&redis);
    begins(&asker).await;
    let web = Web::open(a.at);
    asker.load(&web.digest()).await.unwrap().unwrap();
    let answer = json!({"jsonrpc": "2.0", "id": format!("{}-7", asker.name()), "result": {}});
    let (at, answering) = (a.at, web.clone());
    let post = move || answering.post(at, &answer);
    let refused = async {
        loop {
            let answer = tokio::task::spawn_blocking(post.clone()).await.unwrap();
            if answer.status == 503 {
                return answer;
            }
            // On a busy machine its lease may have ended, and with it its registration.
            let _registered = asker.load(&web.digest()).await;
        }
    };
    assert_eq!(soon("an error", refused).await.body["error"]["code"], -32006);
    // Again until it is confirmed in time. The first of these messages are those that were lost.
    let again = post.clone();
    let received = tokio::task::spawn_blocking(move || kit::process::until(|| again().status == 202));
    while !received.is_finished() {
        let Ok(message) = tokio::time::timeout(Duration::from_millis(50), next_message(&asker)).await else {
            continue;
        };
        assert!(message["w"]["answer"].as_str().unwrap().contains("-7"), "{message}");
        let confirmed = json!({"f": asker.name(), "n": message["n"], "s": web.session, "w": "received"});
        let sender = message["f"].as_str().unwrap();
        SessionStore::send(&*asker, sender, confirmed.to_string().into_bytes()).await.unwrap();
    }
    assert!(received.await.unwrap(), "it is not accepted");
    asker.close().await;
    // It is gone, and its request with it.
    let ignored = move || kit::process::until(|| post().status == 202);
    assert!(tokio::task::spawn_blocking(ignored).await.unwrap());
}
