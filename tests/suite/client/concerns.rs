//! The user's choices of concerns, handed over in time and again (C13).

use kit::{Bench, Setup};
use mcp_disclosure_client::{CallError, Concerns, Error, Host, Preferences};
use serde_json::{Value, json};

use super::{link, preferences};
use crate::concerns::options;

async fn choosing(
    bench: &Bench,
    setup: Setup,
    concern: &str,
    value: impl Into<Value>,
) -> Result<Host, Error> {
    Host::connect(link(bench, setup), preferences(setup).with_concern(concern, value)).await
}

fn chosen(concern: &str, value: Value) -> Concerns {
    Concerns::from_iter([(concern.to_owned(), value)])
}

/// Which of the three tools are listed.
fn listed(tools: &[mcp_disclosure_client::RawObject]) -> Vec<String> {
    let names = tools.iter().filter_map(|tool| tool.string("name"));
    names.filter(|name| ["cheap", "dear", "open"].contains(&&**name)).collect()
}

async fn c13_choices_are_handed_over_before_the_first_list_and_again_after_changes(setup: Setup) {
    let bench = Bench::start(options(json!({}))).await;
    let host = choosing(&bench, setup, "cost", "low").await.unwrap();
    assert!(host.server().declares("cost") && !host.server().declares("mood"));
    assert_eq!(host.server().concerns.len(), 2);
    assert_eq!(listed(&host.list().await.unwrap()), ["cheap", "open"]);
    let update = host.update_concerns(&chosen("cost", json!("high"))).await.unwrap();
    assert_eq!(listed(&update.tools), ["dear", "open"]);
    assert_eq!(update.effective.string("cost").as_deref(), Some("high"));
    // What is refused changes nothing, here or there.
    let refused = host.update_concerns(&chosen("cost", json!("huge"))).await.unwrap_err();
    assert!(
        matches!(&refused, Error::NoResult { error: CallError::Answered(error), .. } if error.code() == -32602),
        "{refused}"
    );
    assert_eq!(host.concerns(), chosen("cost", json!("high")));
    assert_eq!(listed(&host.list().await.unwrap()), ["dear", "open"]);
    // What is filtered still works by its name.
    host.call("cheap", &json!({"n": 1})).await.unwrap();
    let unfiltered = Host::connect(link(&bench, setup), preferences(setup)).await.unwrap();
    assert_eq!(listed(&unfiltered.list().await.unwrap()).len(), 3);
}

async fn c13_a_choice_that_is_not_declared_is_refused_or_ignored_as_the_server_says(setup: Setup) {
    let bench = Bench::start(options(json!({}))).await;
    let refused = choosing(&bench, setup, "cost", "huge").await;
    assert!(matches!(refused, Err(Error::NoResult { error: CallError::Answered(_), .. })));
    let host = choosing(&bench, setup, "mood", "good").await.unwrap();
    assert_eq!(listed(&host.list().await.unwrap()).len(), 3);
    let plain = Preferences { eras: vec![setup.era], ..Preferences::of(["full"]) };
    let host = Host::connect(link(&bench, setup), plain.with_concern("delay", 3)).await.unwrap();
    assert_eq!(listed(&host.list().await.unwrap()).len(), 3);
}

where_tools_are_listed!(
    c13_choices_are_handed_over_before_the_first_list_and_again_after_changes,
    c13_a_choice_that_is_not_declared_is_refused_or_ignored_as_the_server_says,
);
