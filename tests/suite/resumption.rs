//! Event streams of sessions that are taken up where they broke (2025-11-25).

use kit::{Bench, Client, Setup, http::Events, scenario::control, soon};
use serde_json::{Value, json};

use crate::connected;

/// The headers of a GET that takes up a stream.
fn headers(client: &Client, last: Option<&str>) -> kit::http::Headers {
    let mut headers = client.headers_for("", &Value::Null);
    headers.push(("accept".into(), "text/event-stream".into()));
    headers.extend(last.map(|id| ("last-event-id".to_owned(), id.to_owned())));
    headers
}

/// Reads events until there are this many messages; then the connection breaks.
async fn read(mut answer: kit::http::Answer, wanted: usize) -> (Vec<Value>, Option<String>) {
    assert_eq!(answer.status, 200);
    let (mut events, mut messages) = (Events::default(), Vec::new());
    let reading = async {
        while messages.len() < wanted || events.last.is_none() {
            let Ok(Some(piece)) = answer.piece().await else { break };
            messages.extend(events.take(&piece));
        }
    };
    soon("events", reading).await;
    let messages = messages.iter().map(|message| serde_json::from_str(message).unwrap()).collect();
    (messages, events.last)
}

async fn get(bench: &Bench, client: &Client, last: Option<&str>) -> kit::http::Answer {
    let headers = headers(client, last);
    soon("a stream", kit::http::send(bench.address, "GET", "/mcp", &headers, b"")).await.unwrap()
}

async fn an_answer_is_fetched_after_its_connection_broke(setup: Setup) {
    let (bench, client) = connected(setup).await;
    let call = json!({"jsonrpc": "2.0", "id": "call", "method": "tools/call", "params": {
        "name": "progress", "arguments": {}, "_meta": {"progressToken": 7},
    }});
    let body = call.to_string();
    let posted = client.headers_for("tools/call", &call["params"]);
    let answer = kit::http::send(bench.address, "POST", "/mcp", &posted, body.as_bytes());
    let (first, last) = read(soon("the answer", answer).await.unwrap(), 1).await;
    assert_eq!(first[0]["params"]["progressToken"], 7);
    let (rest, _) = read(get(&bench, &client, last.as_deref()).await, 3).await;
    let progress: Vec<&Value> =
        first.iter().chain(&rest).map(|message| &message["params"]["progress"]).collect();
    assert_eq!(progress, [&json!(1), &json!(2), &json!(3), &Value::Null], "nothing lost, nothing twice");
    assert_eq!(rest[2]["id"], "call");
    // Once more from the start: what was sent is sent again.
    let track = last.unwrap();
    let beginning = format!("{}-0", track.split_once('-').unwrap().0);
    let (again, _) = read(get(&bench, &client, Some(&beginning)).await, 4).await;
    assert_eq!(again.last().unwrap()["id"], "call");
}

async fn missed_notifications_are_sent_again(setup: Setup) {
    let (bench, client) = connected(setup).await;
    let (_, beginning) = read(get(&bench, &client, None).await, 0).await;
    client.request("resources/subscribe", json!({"uri": "kit://doc"})).await.result();
    client.read(&control("updated")).await.result();
    let (heard, last) = read(get(&bench, &client, beginning.as_deref()).await, 1).await;
    assert_eq!(heard[0]["method"], "notifications/resources/updated");
    // It was sent, but say it did not arrive.
    let track = last.unwrap();
    let before = format!("{}-0", track.split_once('-').unwrap().0);
    let (again, _) = read(get(&bench, &client, Some(&before)).await, 1).await;
    assert_eq!(again, heard);
}

async fn an_unknown_event_id_opens_a_new_stream_that_says_so(setup: Setup) {
    let (bench, client) = connected(setup).await;
    for unknown in ["nonsense", "99-1", "-"] {
        let (messages, first) = read(get(&bench, &client, Some(unknown)).await, 1).await;
        assert!(messages[0]["method"] == "notifications/tools/list_changed" && first.is_some());
    }
}

cases!(full_http_session;
    an_answer_is_fetched_after_its_connection_broke,
    missed_notifications_are_sent_again,
    an_unknown_event_id_opens_a_new_stream_that_says_so,
);
