//! What the gateway relies on in a store (K1): sessions, messages and counters on a real server.

use std::{sync::Arc, time::Duration};

use kit::{redis::Redis, soon};
use mcp_disclosure_gateway::store::{Event, OPENED, SessionStore, StoreError};
use mcp_disclosure_session_redis::RedisStore;
use serde_json::{Value, json};

use super::{in_session, replicas, web::Web};

const HOUR: Duration = Duration::from_secs(3600);

fn store(redis: &Redis) -> Arc<RedisStore> {
    Arc::new(RedisStore::new(redis.url().parse().unwrap()).unwrap())
}

async fn begins(store: &RedisStore) {
    assert_eq!(soon("a connection", store.event()).await, Some(Event::Connected));
}

async fn next_message(store: &RedisStore) -> Value {
    loop {
        if let Some(Event::Message(text)) = soon("a message", store.event()).await {
            return serde_json::from_slice(&text).unwrap();
        }
    }
}

async fn create(store: &RedisStore, id: &str) {
    let fields = vec![(OPENED.to_vec(), b"{}".to_vec())];
    store.create(id, fields, HOUR).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn k1_a_counter_always_ends_r11() {
    let redis = Redis::start(&[]);
    let store = store(&redis);
    begins(&store).await;
    // One that lost its end, as when it is added to at the moment at which it is gone.
    redis.command("SET mcp-disclosure:4:f:x 5");
    let (sum, left) = store.count("x", 2, HOUR).await.unwrap();
    assert_eq!(sum, 7);
    assert!(!left.is_zero() && left <= HOUR, "{left:?}");
    let (sum, later) = store.count("x", 1, 2 * HOUR).await.unwrap();
    assert!(sum == 8 && later <= left, "a window is not extended: {later:?}");
}

#[test]
fn k1_who_asks_for_an_unknown_session_writes_nothing() {
    let (redis, [a, b], web) = in_session();
    let writes = || {
        let lines = redis.command("INFO commandstats").concat();
        let written = lines.lines().filter(|line| line.starts_with("cmdstat_h") && !line.contains("_hget"));
        written.map(|line| line.split(',').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let (before, kept) = (writes(), redis.keys("mcp-disclosure:4:s:*"));
    for id in ["0123456789abcdef0123456789abcdef", "x", "0123456789ABCDEF0123456789abcdef", "*", "a b"] {
        let mut unknown = web.clone();
        unknown.session = id.to_owned();
        for at in [a.at, b.at] {
            assert_eq!(unknown.with("").request(at, "ping", json!({})).status, 404, "{id}");
            web.tools(at);
        }
    }
    assert_eq!(writes(), before, "nor does who only asks in one that is known");
    assert_eq!(redis.keys("mcp-disclosure:4:s:*"), kept);
}

#[tokio::test(flavor = "multi_thread")]
async fn k1_a_long_id_of_a_request_is_not_passed_on_p8() {
    let (redis, [a]) = replicas();
    let other = store(&redis);
    begins(&other).await;
    let web = Web::open(a.at);
    for id in ["x".repeat(100_000), "short".to_owned()] {
        let params = json!({"requestId": id});
        let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
        assert_eq!(web.post(a.at, &cancelled).status, 202);
    }
    assert_eq!(next_message(&other).await["w"], json!({"cancelled": "\"short\""}));
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
    assert_eq!(change("x", "a").await, Ok(true));
    redis.command("CONFIG SET maxmemory-policy noeviction");
    redis.command("CONFIG SET maxmemory 1");
    assert_eq!(change("a", "b").await, Err(StoreError::Full));
    assert_eq!(redis.number("HEXISTS mcp-disclosure:4:s:s a"), 1);
    redis.command("CONFIG SET maxmemory 0");
    assert_eq!(change("a", "b").await, Ok(true));
    assert_eq!(redis.number("HEXISTS mcp-disclosure:4:s:s a"), 0);
}
