//! The client crate against real servers: this gateway over every transport and era, programs, and handlers.

mod calls;
mod concerns;
mod definitions;
mod links;

use std::sync::Arc;

use kit::{Bench, Setup, Transport, inbox::Inbox, scenario::JOURNAL, setup::Era};
use mcp_disclosure_client::{Direction, Host, Link, Preferences, RawObject};
use serde_json::{Value, json};

/// A link to the gateway, as the setup has it.
pub(crate) fn link(bench: &Bench, setup: Setup) -> Link {
    match setup.transport {
        Transport::Http => Link::url(&format!("http://{}/mcp", bench.address)).unwrap(),
        Transport::Stdio => {
            let (input, output) = tokio::io::split(bench.pipe());
            Link::streams(input, output)
        }
    }
}

/// Wants the setup's strategy, in its era.
fn preferences(setup: Setup) -> Preferences {
    Preferences { eras: vec![setup.era], ..Preferences::of([setup.strategy]) }
}

/// A host of this setup.
async fn host(bench: &Bench, setup: Setup) -> Host {
    Host::connect(link(bench, setup), preferences(setup)).await.unwrap()
}

/// A host that keeps no stream open, so that all it sends is what it is asked for.
async fn quiet(bench: &Bench, setup: Setup) -> Host {
    let preferences = Preferences { listens: false, ..preferences(setup) };
    Host::connect(link(bench, setup), preferences).await.unwrap()
}

/// A host of this setup, and everything that it receives.
async fn watched(bench: &Bench, setup: Setup) -> (Host, Arc<Inbox>) {
    let inbox = Arc::new(Inbox::default());
    let seen = Arc::clone(&inbox);
    let preferences = Preferences {
        observer: Some(Arc::new(move |passage| {
            if passage.direction == Direction::Received {
                seen.put(passage.as_str().to_owned());
            }
        })),
        ..preferences(setup)
    };
    let host = Host::connect(link(bench, setup), preferences).await.unwrap();
    if setup.era == Era::Stateless {
        received(&inbox, "notifications/subscriptions/acknowledged").await;
    }
    (host, inbox)
}

/// Waits for a notification.
async fn received(inbox: &Inbox, method: &str) {
    inbox.first(0, method, |message| message["method"] == method).await;
}

/// What the upstream received.
async fn journal(host: &Host) -> Vec<Value> {
    let read = host.read_resource(JOURNAL).await.unwrap();
    let journal = value(&read)["contents"][0]["text"].as_str().unwrap().to_owned();
    serde_json::from_str(&journal).unwrap()
}

/// The parameters of the calls that reached the upstream.
async fn calls_forwarded(host: &Host) -> Vec<Value> {
    let calls = journal(host).await.into_iter().filter(|message| message["method"] == "tools/call");
    calls.map(|mut message| message["params"].take()).collect()
}

fn value(object: &RawObject) -> Value {
    serde_json::from_str(object.text()).unwrap()
}

/// What the upstream's echo was given.
fn given(result: &RawObject) -> Value {
    assert_ne!(value(result)["isError"], json!(true), "{result:?}");
    value(result)["structuredContent"]["given"].clone()
}
