//! Lists and definitions: asked for once, and forgotten when they change (D6).

use kit::{Bench, Setup, eventually, scenario::control};
use mcp_disclosure_client::Error;
use serde_json::json;

use super::{given, host, quiet, received, watched};
use crate::{Described, named, odd, refusals::briefly};

async fn d6_definitions_are_asked_for_once(setup: Setup) {
    let bench = Bench::start(odd()).await;
    let host = host(&bench, setup).await;
    assert_eq!(host.server().selected.as_deref(), Some(setup.strategy));
    assert!(host.system_prompt().contains("Be odd."), "the upstream's own instructions are part of it");
    let wanted = ["odd ü,?&%", "echo"];
    let first = host.describe(&wanted).await.unwrap();
    assert_eq!(first.iter().map(|one| one.name()).collect::<Vec<_>>(), wanted);
    let sent = host.traffic().sent_bytes;
    assert_eq!(host.describe(&wanted).await.unwrap(), first);
    host.describe(&["echo"]).await.unwrap();
    assert_eq!(host.traffic().sent_bytes, sent);
    let Err(Error::UnknownTool { name, .. }) = host.describe(&["echo", "unknown"]).await else { panic!() };
    assert_eq!(name, "unknown");
}

async fn d6_changed_lists_are_forgotten(setup: Setup) {
    let bench = Bench::start(odd()).await;
    let (host, inbox) = watched(&bench, setup).await;
    host.list().await.unwrap();
    host.describe(&["echo"]).await.unwrap();
    host.read_resource(&control("tool")).await.unwrap();
    received(&inbox, "notifications/tools/list_changed").await;
    let before = host.traffic();
    host.describe(&["echo"]).await.unwrap();
    assert!(host.traffic().round_trips > before.round_trips);
    assert_eq!(host.describe(&["late"]).await.unwrap()[0].name(), "late");
    assert_eq!(given(&host.call("late", &json!({"a": 1})).await.unwrap()), json!({"a": 1}));
}
everywhere!(d6_changed_lists_are_forgotten);
each_strategy!(d6_definitions_are_asked_for_once);

async fn d6_a_new_digest_replaces_what_was_known_r9(setup: Setup) {
    let files = Described::by([&briefly("a", "The first.")]);
    let bench = Bench::start(files.before(named(["a"]))).await;
    // It received no notification, at least over HTTP and without sessions, and has to find out by itself.
    let host = quiet(&bench, setup).await;
    host.call("a", &json!({})).await.unwrap();
    let first = host.describe(&["a"]).await.unwrap().remove(0);
    files.write(&briefly("a", "The second."));
    eventually("the new description", async || {
        host.list().await.unwrap()[0].string("description")?.ends_with("The second.").then_some(())
    })
    .await;
    assert_eq!(given(&host.call("a", &json!({"b": 2})).await.unwrap()), json!({"b": 2}));
    let second = host.describe(&["a"]).await.unwrap().remove(0);
    assert_ne!(first, second);
    assert_eq!(second.object().string("description").unwrap(), "The second.");
}
under_resource!(d6_a_new_digest_replaces_what_was_known_r9);
