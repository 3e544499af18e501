//! With `--upstream-scope session` no client meets upstreams that served another one (P12).

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use kit::{
    Bench, Client, HeaderAdmission, Identity, Options, Setup, conformance::Conformance, eventually,
    scenario::JOURNAL, setup::Era,
};
use mcp_disclosure_gateway::upstream::Target;
use serde_json::{Value, json};

use crate::odd;

/// Whether the upstreams that a client meets have heard of this before.
async fn have_heard(client: &Client, word: &str) -> bool {
    client.read(JOURNAL).await.result().to_string().contains(word)
}

async fn p12_what_served_an_anonymous_request_serves_no_other(setup: Setup) {
    let bench = Bench::start(odd().own()).await;
    for identity in [Identity::offering(setup.strategy), Identity::offering(setup.strategy).askable()] {
        let ann = Client::connect_as(&bench, setup, identity.clone()).await;
        let bob = Client::connect_as(&bench, setup, identity).await;
        for round in 0..3 {
            let secret = format!("secret-{round}");
            assert_eq!(ann.learn_and_call("echo", json!({"text": secret})).await.given()["text"], secret);
            assert!(!have_heard(&bob, "secret-").await, "in round {round}");
        }
        assert_eq!(bob.tools().await, ann.tools().await);
    }
}
each_transport_without_sessions!(p12_what_served_an_anonymous_request_serves_no_other);

async fn p12_a_principal_meets_its_own_upstreams_again_and_no_others(setup: Setup) {
    let tools = ["echo"];
    let admission = HeaderAdmission::default().knowing("ann", &tools).knowing("bob", &tools);
    let bench = Bench::start(odd().own().admitting(admission)).await;
    for askable in [false, true] {
        let connect = async |identity: Identity| {
            let identity = if askable { identity.askable() } else { identity };
            Client::connect_as(&bench, setup, identity).await
        };
        let ann = connect(Identity::offering("full").known_as("ann")).await;
        let bob = connect(Identity::offering("full").known_as("bob")).await;
        let unknown = connect(Identity::offering("full")).await;
        ann.call("echo", json!({"text": "of-ann"})).await.result();
        assert!(!have_heard(&bob, "of-ann").await && !have_heard(&unknown, "of-ann").await);
        unknown.call("echo", json!({"text": "of-unknown"})).await.result();
        assert!(!have_heard(&ann, "of-unknown").await);
        // They are given back when the answer is out.
        eventually("the upstreams that served ann", async || have_heard(&ann, "of-ann").await.then_some(()))
            .await;
    }
}
cases!(full_http_stateless; p12_a_principal_meets_its_own_upstreams_again_and_no_others);

/// Counts how often an upstream of this era is started, and how many of those run.
struct Counted {
    bench: Bench,
    started: Arc<AtomicUsize>,
    living: Arc<AtomicUsize>,
    /// How many of them clients share: one for each era.
    shared: usize,
}

/// One of the upstreams that run.
struct Living(Arc<AtomicUsize>);

impl Drop for Living {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Counted {
    async fn start(era: Option<Era>) -> Self {
        let (started, living) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let upstream = Conformance::new().of_era(era);
        let counts = (Arc::clone(&started), Arc::clone(&living));
        let target = Target::handlers(move || {
            counts.0.fetch_add(1, Ordering::SeqCst);
            counts.1.fetch_add(1, Ordering::SeqCst);
            upstream.for_session().holding(Living(Arc::clone(&counts.1)))
        });
        let bench = Bench::start(Options::alone("asks", target).own()).await;
        Self { bench, started, living, shared: if era.is_none() { 2 } else { 1 } }
    }

    fn started(&self) -> usize {
        self.started.load(Ordering::SeqCst)
    }

    /// Waits until none runs but the shared ones, and this many that are kept for a state.
    async fn are_left(&self, kept: usize) {
        eventually("the end of the others", async || {
            (self.living.load(Ordering::SeqCst) == self.shared + kept).then_some(())
        })
        .await;
    }
}

/// Sends a call until it is answered, answering what it asks: the result, and the states on the way.
async fn round(client: &Client, params: &Value, asked: Option<&Value>, name: &str) -> Value {
    let mut params = params.clone();
    if let Some(asked) = asked {
        params["inputResponses"] = asked["inputRequests"]
            .as_object()
            .unwrap()
            .keys()
            .map(|key| (key.clone(), json!({"action": "accept", "content": {"name": name, "color": name}})))
            .collect();
        params["requestState"] = asked["requestState"].clone();
    }
    client.request("tools/call", params).await.result()
}

async fn p12_a_state_is_what_leads_back_to_the_same_upstream(setup: Setup) {
    for era in [Some(Era::Session), Some(Era::Stateless), None] {
        let counted = Counted::start(era).await;
        let identity = || Identity::offering(setup.strategy).askable();
        let ann = Client::connect_as(&counted.bench, setup, identity()).await;
        let eve = Client::connect_as(&counted.bench, setup, identity()).await;
        counted.are_left(0).await;
        let call = json!({"name": "test_input_required_result_multi_round", "arguments": {}});

        let before = counted.started();
        let first = round(&ann, &call, None, "Ada").await;
        let second = round(&ann, &call, Some(&first), "Ada").await;
        assert_eq!(second["resultType"], "input_required", "{second}");
        assert_ne!(first["requestState"], second["requestState"]);
        // Another request's state leads nowhere, nor does one without the part that is ours.
        let mut of_another = call.clone();
        of_another["arguments"] = json!({"more": 1});
        of_another["requestState"] = second["requestState"].clone();
        eve.request("tools/call", of_another).await;
        let state = second["requestState"].as_str().unwrap();
        let mut without = call.clone();
        without["requestState"] = json!(state.split_once('.').map_or("guessed", |(_, upstreams)| upstreams));
        eve.request("tools/call", without).await;
        let started = counted.started();
        assert_eq!(started, before + 3, "one for ann's rounds, and one for each attempt; {era:?}");
        let last = round(&ann, &call, Some(&second), "red").await;
        assert_eq!(last["resultType"], "complete", "{last}");
        assert_eq!(counted.started(), started, "{era:?}");
        // A state that only the upstream checks is good for it anywhere, so eve's requests have come as far as ann's.
        counted.are_left(if era == Some(Era::Session) { 0 } else { 2 }).await;
    }
}
cases!(full_http_stateless; p12_a_state_is_what_leads_back_to_the_same_upstream);

async fn p12_lists_of_clients_that_cannot_be_asked_need_no_upstream(setup: Setup) {
    let counted = Counted::start(None).await;
    let client = Client::connect(&counted.bench, setup).await;
    for _ in 0..5 {
        client.tools().await;
        client.list("prompts").await;
    }
    assert_eq!(counted.started(), counted.shared, "only the shared ones");
}
each_transport_without_sessions!(p12_lists_of_clients_that_cannot_be_asked_need_no_upstream);

async fn p12_a_listener_hears_of_resources_from_an_upstream_of_its_own(setup: Setup) {
    let bench = Bench::start(odd().own()).await;
    let (ann, bob) = (Client::connect(&bench, setup).await, Client::connect(&bench, setup).await);
    let listening = ann.listen(json!({"resourceSubscriptions": ["kit://doc"]})).await;
    assert!(!have_heard(&bob, "resources/subscribe").await);
    ann.cancel(&listening).await;
}
cases!(full_http_stateless; p12_a_listener_hears_of_resources_from_an_upstream_of_its_own);
