//! What passes along with a call: progress and cancellation (F3), and the check of arguments (F5).

use kit::{Bench, Client, Setup, eventually};
use serde_json::{Value, json};

use crate::{connected, odd};

async fn f3_progress_comes_under_the_clients_token_and_before_the_result(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    let arguments = client.learn("progress", json!({})).await;
    let params = json!({"name": "progress", "arguments": arguments, "_meta": {"progressToken": "mine"}});
    let reply = client.request("tools/call", params).await;
    reply.result();
    let expected: Vec<Value> = (1..=3)
        .map(|step| {
            let params = json!({"progressToken": "mine", "progress": step, "total": 3.0, "message": "step", "x-odd": [1e2]});
            json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
        })
        .collect();
    assert_eq!(reply.notifications, expected);
}

async fn f3_a_cancelled_request_is_not_answered(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    let arguments = client.learn("slow", json!({})).await;
    let params = json!({"name": "slow", "arguments": arguments, "_meta": {"progressToken": 7}});
    let pending = client.start("tools/call", params).await;
    client.notification("notifications/progress").await;
    client.cancel(&pending).await;
    let cancelled = eventually("cancelling at the upstream", async || {
        let journal = client.journal().await;
        let call = journal.iter().find(|message| message["params"]["name"] == "slow").unwrap()["id"].clone();
        let cancelled = journal.into_iter().find(|message| message["method"] == "notifications/cancelled")?;
        Some((call, cancelled["params"]["requestId"].clone()))
    })
    .await;
    assert_eq!(cancelled.0, cancelled.1);
    if setup.is_http() && setup.has_sessions() {
        let reply = pending.reply().await;
        assert_eq!(reply.text, None);
        return;
    }
    // What was sent before the answer to a later request has come by now.
    client.read("kit://doc").await.result();
    let answers =
        client.inbox.since(0).into_iter().filter_map(|text| serde_json::from_str::<Value>(&text).ok());
    let mut answers = answers.filter(|message| message.get("method").is_none());
    assert!(answers.all(|answer| answer["id"] != pending.id));
}

async fn f3_clients_may_use_the_same_token_at_the_same_time(setup: Setup) {
    let bench = Bench::start(odd()).await;
    let clients = [Client::connect(&bench, setup).await, Client::connect(&bench, setup).await];
    let mut calls = Vec::new();
    for client in &clients {
        let arguments = client.learn("slow", json!({})).await;
        let params = json!({"name": "slow", "arguments": arguments, "_meta": {"progressToken": "same"}});
        calls.push(client.start("tools/call", params).await);
    }
    for client in &clients {
        client.notification("notifications/progress").await;
        client.read("kit://doc").await.result();
        let heard =
            client.inbox.since(0).into_iter().filter(|message| message.contains("notifications/progress"));
        assert_eq!(heard.count(), 1);
    }
}

each_way_in!(
    f3_clients_may_use_the_same_token_at_the_same_time,
    f3_progress_comes_under_the_clients_token_and_before_the_result,
    f3_a_cancelled_request_is_not_answered,
);

async fn f5_invalid_arguments_are_described_and_do_not_reach_the_upstream(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    let arguments = client.learn("echo", json!({"limit": "many", "more": 1})).await;
    let error = client.call("echo", arguments).await.refusal("INVALID_ARGUMENTS");
    let problems = error["problems"].as_array().unwrap();
    let about = |argument: &str| problems.iter().find(|problem| problem["argument"] == argument).unwrap();
    assert_eq!(about("limit")["given"], "\"many\"");
    assert_eq!(about("limit")["expected"], "a value of type integer");
    assert_eq!(about("text")["given"], "nothing");
    about("more");
    assert_eq!(client.calls_forwarded().await, Vec::<Value>::new());
}

async fn f5_json_in_a_string_is_understood(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    let mut arguments = client.learn("echo", json!({"text": "{}", "filters": "{\"a\":[1]}"})).await;
    let understood = json!({"text": "{}", "filters": {"a": [1]}});
    assert_eq!(client.call("echo", arguments.clone()).await.given(), understood);
    arguments = Value::String(arguments.to_string());
    assert_eq!(client.call("echo", arguments).await.given(), understood);
}

async fn f5_a_schema_that_cannot_be_used_is_not_enforced(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    for tool in ["broken_schema", "far_schema"] {
        assert_eq!(client.learn_and_call(tool, json!({"a": 1})).await.given(), json!({"a": 1}), "{tool}");
    }
}
where_schemas_are_withheld!(
    f5_invalid_arguments_are_described_and_do_not_reach_the_upstream,
    f5_json_in_a_string_is_understood,
    f5_a_schema_that_cannot_be_used_is_not_enforced,
);

async fn f5_nothing_is_checked_or_changed(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    for arguments in [json!({"limit": "many", "filters": "{}"}), json!("{\"text\": 1}"), json!([1])] {
        assert_eq!(client.call("echo", arguments.clone()).await.given(), arguments);
    }
}
under_full!(f5_nothing_is_checked_or_changed);
