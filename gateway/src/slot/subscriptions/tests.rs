//! Subscribers that come and go while the upstream is asked. The clock is paused, so that time passes when nothing else happens.

#![allow(deprecated, reason = "resources/subscribe is of the session era only")]

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use mcp_disclosure_core::{Era, UpstreamName};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{ServerCapabilities, ServerConfig, SubscribeRequestParams, UnsubscribeRequestParams},
    service::RequestContext,
};
use tokio::{
    sync::{Semaphore, mpsc},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::{
    limits::Limits,
    lineage::Lineage,
    slot::Supervisor,
    upstream::{Target, Terms, Timeouts, UpstreamConfig, Upstreams},
};

const DOC: &str = "kit://doc";

/// A server that answers as soon as it is let.
#[derive(Clone)]
struct Server {
    heard: Arc<Mutex<Vec<&'static str>>>,
    answers: Arc<Semaphore>,
    refuses: Arc<AtomicBool>,
}

impl Server {
    async fn hears(&self, asked: &'static str, answered: &'static str) -> Result<(), ErrorData> {
        self.heard.lock().push(asked);
        self.answers.acquire().await.unwrap().forget();
        self.heard.lock().push(answered);
        if self.refuses.load(Ordering::Relaxed) {
            Err(ErrorData::invalid_params("not this one", None))
        } else {
            Ok(())
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_resources().enable_resources_subscribe();
        ServerConfig::new(capabilities.build())
    }

    async fn subscribe(
        &self,
        _request: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.hears("subscribe", "subscribed").await
    }

    async fn unsubscribe(
        &self,
        _request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.hears("unsubscribe", "unsubscribed").await
    }
}

struct Scene {
    server: Server,
    supervisor: Supervisor,
    slot: Arc<Slot>,
}

fn configured(server: &Server) -> Upstreams {
    Upstreams::new([UpstreamConfig::new(UpstreamName::parse("kit").ok(), Target::handler(server.clone()))])
}

impl Scene {
    async fn begin(refuses: bool) -> Self {
        let server = Server {
            heard: Arc::default(),
            answers: Arc::new(Semaphore::new(0)),
            refuses: Arc::new(AtomicBool::new(refuses)),
        };
        let timeouts = Timeouts { connect: Duration::from_secs(60), request: Duration::from_secs(60) };
        let go = CancellationToken::new();
        go.cancel();
        let terms = Terms {
            timeouts,
            limits: Limits::default(),
            lineage: Arc::new(Lineage::alone()),
            asks: None,
            audience: Arc::default(),
            texts: Arc::default(),
            skills: Arc::default(),
        };
        let supervisor = Supervisor {
            terms,
            memory: None,
            witness: None,
            client: None,
            era: Era::Session,
            events: mpsc::unbounded_channel().0,
            go,
            stopping: CancellationToken::new(),
        };
        let slot = supervisor.start(&configured(&server)[0], false, None);
        slot.connected(None, Instant::now()).await.unwrap();
        Self { server, supervisor, slot }
    }

    fn subscribe(&self) -> JoinHandle<Result<Subscription, ErrorText>> {
        let slot = Arc::clone(&self.slot);
        tokio::spawn(async move { slot.subscribe(DOC).await })
    }

    fn let_answer(&self, times: usize) {
        self.server.answers.add_permits(times);
    }

    /// What the server has heard since it was asked last, once nothing more happens.
    async fn heard(&self) -> Vec<&'static str> {
        tokio::time::sleep(Duration::from_secs(5)).await;
        mem::take(&mut *self.server.heard.lock())
    }
}

#[tokio::test(start_paused = true)]
async fn two_first_subscribers_at_once_subscribe_once_and_the_last_one_unsubscribes() {
    let scene = Scene::begin(false).await;
    let (first, second) = (scene.subscribe(), scene.subscribe());
    assert_eq!(scene.heard().await, ["subscribe"]);
    scene.let_answer(10);
    let (first, second) = (first.await.unwrap().unwrap(), second.await.unwrap().unwrap());
    assert_eq!(scene.heard().await, ["subscribed"]);
    drop(first);
    assert!(scene.heard().await.is_empty() && scene.slot.has_subscribers(DOC));
    drop(second);
    assert_eq!(scene.heard().await, ["unsubscribe", "unsubscribed"]);
    assert!(scene.slot.wishes.resources.lock().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_subscriber_does_not_overtake_the_one_that_leaves() {
    let scene = Scene::begin(false).await;
    scene.let_answer(1);
    drop(scene.subscribe().await.unwrap().unwrap());
    assert_eq!(scene.heard().await, ["subscribe", "subscribed", "unsubscribe"]);
    let subscriber = scene.subscribe();
    assert!(scene.heard().await.is_empty(), "the upstream has not answered yet");
    scene.let_answer(10);
    let subscriber = subscriber.await.unwrap().unwrap();
    assert_eq!(scene.heard().await, ["unsubscribed", "subscribe", "subscribed"]);
    // A subscriber that comes before it was asked takes the place of the one that leaves.
    drop(subscriber);
    let _next = scene.slot.subscribe(DOC).await.unwrap();
    assert!(scene.heard().await.is_empty() && scene.slot.has_subscribers(DOC));
}

#[tokio::test(start_paused = true)]
async fn a_refusal_is_shared_by_those_who_wait_and_later_ones_ask_again() {
    let scene = Scene::begin(true).await;
    let subscribers = [scene.subscribe(), scene.subscribe()];
    assert_eq!(scene.heard().await, ["subscribe"]);
    scene.let_answer(1);
    for subscriber in subscribers {
        assert_eq!(subscriber.await.unwrap().unwrap_err().message(), "not this one");
    }
    assert_eq!(scene.heard().await, ["subscribed"]);
    assert!(scene.slot.wishes.resources.lock().is_empty());
    let later = scene.subscribe();
    assert_eq!(scene.heard().await, ["subscribe"]);
    later.abort();
    assert!(later.await.unwrap_err().is_cancelled());
    scene.let_answer(10);
    assert!(scene.heard().await.contains(&"unsubscribe"), "it may have subscribed all the same");
    assert!(scene.slot.wishes.resources.lock().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_subscriber_that_gives_up_leaves_its_turn_to_the_next() {
    let scene = Scene::begin(false).await;
    let (first, second) = (scene.subscribe(), scene.subscribe());
    assert_eq!(scene.heard().await, ["subscribe"]);
    first.abort();
    assert_eq!(scene.heard().await.last(), Some(&"subscribe"), "for the second one");
    scene.let_answer(10);
    let second = second.await.unwrap().unwrap();
    scene.heard().await;
    drop(second);
    assert_eq!(scene.heard().await, ["unsubscribe", "unsubscribed"]);
}

#[tokio::test(start_paused = true)]
async fn a_new_connection_is_asked_for_what_has_subscribers() {
    let scene = Scene::begin(false).await;
    scene.let_answer(10);
    let first = scene.slot.subscribe(DOC).await.unwrap();
    drop(scene.slot.subscribe("kit://other").await.unwrap());
    scene.heard().await;
    scene.slot.upstream().unwrap().connection().closing().cancel();
    assert_eq!(scene.heard().await, ["subscribe", "subscribed"]);
    // One that refuses is asked again, by the next subscriber and when it is connected again.
    scene.server.refuses.store(true, Ordering::Relaxed);
    for _ in 0..2 {
        scene.slot.upstream().unwrap().connection().closing().cancel();
        assert_eq!(scene.heard().await, ["subscribe", "subscribed"]);
    }
    scene.server.refuses.store(false, Ordering::Relaxed);
    let second = scene.slot.subscribe(DOC).await.unwrap();
    assert_eq!(scene.heard().await, ["subscribe", "subscribed"]);
    drop((first, second));
    assert_eq!(scene.heard().await, ["unsubscribe", "unsubscribed"]);
}

#[tokio::test(start_paused = true)]
async fn u13_an_upstream_whose_entry_changed_is_waited_for_and_asked_for_what_has_subscribers() {
    let scene = Scene::begin(false).await;
    scene.let_answer(10);
    let subscription = scene.slot.subscribe(DOC).await.unwrap();
    scene.heard().await;
    let held_back = Supervisor { go: CancellationToken::new(), ..scene.supervisor.clone() };
    let former = held_back.start(&configured(&scene.server)[0], false, Some(&scene.slot));
    scene.slot.stop().await;
    let mut waiting = Box::pin(former.connected(None, Instant::now()));
    assert!(futures::poll!(&mut waiting).is_pending());
    let changed = scene.supervisor.start(&configured(&scene.server)[0], false, Some(&former));
    former.stop().await;
    assert_eq!(waiting.await.unwrap().number(), changed.number());
    assert_eq!(scene.heard().await, ["subscribe", "subscribed"]);
    drop(changed.subscribe(DOC).await.unwrap());
    assert!(scene.heard().await.is_empty(), "it is one resource");
    drop(subscription);
    assert_eq!(scene.heard().await, ["unsubscribe", "unsubscribed"]);
}
