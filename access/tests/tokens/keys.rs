//! Keys of an issuer, which are rotated, withdrawn, and not always to be had.

use std::time::Duration;

use mcp_disclosure_access::{Access, KeySource, KeyTimes};
use serde_json::json;

use crate::{
    ONCE, bearing, claims, clock, eventually,
    issuer::{Answer, Key, Server},
    jwt, status,
};

/// Keys that are read all the time.
const OFTEN: KeyTimes = KeyTimes { every: Duration::from_millis(50), ..ONCE };

/// An access whose keys are served.
async fn of_server(server: &Server, times: KeyTimes) -> Access {
    Access::with_clock(jwt(KeySource::Url(server.url.clone()), times), clock().0).unwrap()
}

#[tokio::test]
async fn a2_keys_are_rotated_and_withdrawn() {
    let (old, new) = (Key::ec(), Key::ed());
    let server = Server::start(Answer::Keys(vec![old.public("1")])).await;
    let access = of_server(&server, OFTEN).await;
    let (first, second) = (old.token("1", &claims()), new.token("2", &claims()));
    eventually("the first key works", async || status(&bearing(&access, &first).await) == 200).await;
    assert_eq!(status(&bearing(&access, &second).await), 401);
    server.answers(Answer::Keys(vec![old.public("1"), new.public("2")]));
    eventually("the new key works", async || status(&bearing(&access, &second).await) == 200).await;
    assert_eq!(status(&bearing(&access, &first).await), 200);
    server.answers(Answer::Keys(vec![new.public("2")]));
    eventually("the old key is withdrawn", async || status(&bearing(&access, &first).await) == 401).await;
    assert_eq!(status(&bearing(&access, &second).await), 200);
    // Another key under the same kid.
    server.answers(Answer::Keys(vec![Key::ed().public("2")]));
    eventually("its key was replaced", async || status(&bearing(&access, &second).await) == 401).await;
}

#[tokio::test]
async fn a2_a_key_in_a_file_is_rotated_and_withdrawn_with_it() {
    let (old, new) = (Key::ec(), Key::ec());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jwks.json");
    let write = |key: &Key| std::fs::write(&path, json!({"keys": [key.public("k")]}).to_string()).unwrap();
    write(&old);
    let access = Access::with_clock(jwt(KeySource::File(path.clone()), OFTEN), clock().0).unwrap();
    let (first, second) = (old.token("k", &claims()), new.token("k", &claims()));
    eventually("the first key works", async || status(&bearing(&access, &first).await) == 200).await;
    // A file that someone is still writing takes nothing away.
    std::fs::write(&path, "{\"keys\":").unwrap();
    write(&new);
    eventually("the new key works", async || status(&bearing(&access, &second).await) == 200).await;
    assert_eq!(status(&bearing(&access, &first).await), 401);
    std::fs::remove_file(&path).unwrap();
    let problem = access.read_keys().await.unwrap_err().to_string();
    assert!(problem.ends_with("does not exist; no JWT is accepted"), "{problem}");
    assert_eq!(status(&bearing(&access, &second).await), 401);
}

#[tokio::test]
async fn a2_a_set_without_keys_withdraws_all() {
    let key = Key::ec();
    let server = Server::start(Answer::Keys(vec![key.public("k")])).await;
    let access = of_server(&server, OFTEN).await;
    let token = key.token("k", &claims());
    let foreign = json!({"kty": "oct", "kid": "k", "k": "c2VjcmV0"});
    for none in [vec![], vec![foreign]] {
        server.answers(Answer::Keys(vec![key.public("k")]));
        eventually("the key works", async || status(&bearing(&access, &token).await) == 200).await;
        server.answers(Answer::Keys(none));
        eventually("it is withdrawn", async || status(&bearing(&access, &token).await) == 401).await;
        let problem = access.read_keys().await.unwrap_err().to_string();
        assert!(problem.ends_with("no JWT is accepted"), "{problem}");
    }
}

#[tokio::test]
async fn a2_unknown_kids_ask_the_issuer_nothing() {
    let key = Key::ec();
    let server = Server::start(Answer::Keys(vec![key.public("k")])).await;
    let access = of_server(&server, ONCE).await;
    eventually("the key works", async || status(&bearing(&access, &key.token("k", &claims())).await) == 200)
        .await;
    let asked = server.asked();
    for number in 0..500 {
        assert_eq!(status(&bearing(&access, &key.token(&format!("k{number}"), &claims())).await), 401);
    }
    assert_eq!(server.asked(), asked);
}

#[tokio::test]
async fn a2_keys_that_cannot_be_read_are_used_for_a_while_and_no_longer() {
    let key = Key::ec();
    let server = Server::start(Answer::Keys(vec![key.public("k")])).await;
    let times = KeyTimes { most_age: Duration::from_secs(2), ..OFTEN };
    let access = of_server(&server, times).await;
    let token = key.token("k", &claims());
    eventually("the key works", async || status(&bearing(&access, &token).await) == 200).await;
    let elsewhere = Server::start(Answer::Keys(vec![key.public("k")])).await;
    for wrong in [Answer::Status(500), Answer::Endless, Answer::Redirect(elsewhere.url)] {
        server.answers(wrong);
        eventually("it is not known whether the key holds", async || {
            status(&bearing(&access, &token).await) == 503
        })
        .await;
        server.answers(Answer::Keys(vec![key.public("k")]));
        eventually("the key works again", async || status(&bearing(&access, &token).await) == 200).await;
    }
}
