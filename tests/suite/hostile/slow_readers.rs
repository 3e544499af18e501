//! Clients that are sent much and read nothing: notifications are dropped, answers are not, and no other client is
//! delayed.

use std::time::Duration;

use kit::{Client, Options, Setup};
use serde_json::{Value, json};

use super::{
    WITH_SESSION, connect, healthy_beside, odd_child, others_are_served,
    socket::{CLOSE, LONG, Socket, messages, post},
};

/// Shorter, on a clock that is stopped, than any time-out of the gateway.
const MOMENT: Duration = Duration::from_secs(1);

/// More than sockets and channels hold between them.
fn plenty() -> Value {
    json!({"text": "done", "times": TIMES, "bytes": 20_000})
}

const TIMES: u64 = 1500;

/// The numbers of the notifications, which must have kept their order.
#[track_caller]
fn numbers(heard: &[Value], pointer: &str) -> Vec<u64> {
    let numbers: Vec<u64> =
        heard.iter().map(|message| message.pointer(pointer).unwrap().as_u64().unwrap()).collect();
    assert!(numbers.is_sorted_by(|before, after| before < after), "out of order, or twice");
    numbers
}

/// The clock is paused: it advances when every task is idle.
#[tokio::test(start_paused = true)]
async fn a_client_that_takes_nothing_of_its_answers_is_hung_up_on_in_time() {
    let (bench, client) = connect(Options::without_upstream(), WITH_SESSION).await;
    // The answer says the names again.
    let unknown: Vec<String> = (10..60).map(|number| format!("{number}{}", "x".repeat(198))).collect();
    let call = post(&client, "call", "tools/describe", json!({"names": unknown})).replace(CLOSE, "");
    let mut socket = Socket::open(&bench).await;
    let mut sent = 0;
    // Until it is not read any more: then its answers fill all that is between.
    while tokio::time::timeout(MOMENT, socket.write(&call)).await.is_ok() {
        sent += 1;
    }
    tokio::time::sleep(LONG).await;
    let answered = socket.rest_within(LONG).await.matches("\"id\":\"call\"").count();
    assert!(answered < sent, "{answered} of {sent} were answered");
}

/// Notifications that are never read: log messages, where a session asks for them, and progress.
async fn notifications_that_are_never_read_delay_no_other_client_and_the_answer_is_kept(setup: Setup) {
    for (mode, number) in
        [("floods-messages", "/params/data/number"), ("floods-progress", "/params/progress")]
    {
        let (bench, client) = connect(healthy_beside(odd_child(mode)), setup).await;
        if mode == "floods-messages" {
            if !setup.has_sessions() {
                continue;
            }
            client.request("logging/setLevel", json!({"level": "debug"})).await.result();
        }
        let call = json!({"name": "echo", "arguments": plenty(), "_meta": {"progressToken": "mine"}});
        let mut unread = Socket::sending(&bench, post(&client, "flooded", "tools/call", call)).await;

        others_are_served(&bench).await;
        // The upstream answers in turn: when this is answered, all the rest was said.
        let other = Client::connect(&bench, setup).await;
        other.call("echo", json!({})).await.result();
        others_are_served(&bench).await;

        let mut heard = messages(&unread.read_until("\"id\":\"flooded\"").await);
        assert_eq!(heard.pop().unwrap()["result"]["content"][0]["text"], "done", "{mode}");
        let count = numbers(&heard, number).len();
        assert!((1..usize::try_from(TIMES).unwrap()).contains(&count), "{mode}: {count} were kept");
    }
}
over_http!(notifications_that_are_never_read_delay_no_other_client_and_the_answer_is_kept);
