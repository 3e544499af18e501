//! What clients are told of their tasks without asking (T1).

use kit::{Bench, Client, Setup, setup::Era};
use serde_json::{Value, json};

use super::{ERAS, before, begun, call, connected, identity, said};

async fn t1_progress_and_status_follow_the_answer(setup: Setup) {
    let (_bench, client) = connected(setup, before(Era::Session)).await;
    client.open_stream_of_session().await;
    let params = json!({"name": "research", "arguments": {}, "task": {}, "_meta": {"progressToken": "mine"}});
    let created = client.request("tools/call", params).await.result();
    let id = &created["task"]["taskId"];
    call(&client, "report").await.result();
    let progress = client.notification("notifications/progress").await;
    assert_eq!(
        (&progress["params"]["progressToken"], &progress["params"]["message"]),
        (&json!("mine"), &json!("halfway"))
    );
    let status = client.notification("notifications/tasks/status").await;
    assert_eq!((&status["params"]["taskId"], &status["params"]["status"]), (id, &json!("working")));
    client.request("tasks/cancel", json!({"taskId": id})).await.result();
    let from = client.inbox.count();
    let params = json!({"name": "research", "arguments": {}, "task": {}, "_meta": {"progressToken": "next"}});
    client.request("tools/call", params).await.result();
    call(&client, "late").await.result();
    // Both are reported on, the cancelled one first.
    let is_progress = |message: &Value| message["method"] == "notifications/progress";
    let (_, progress) = client.inbox.first(from, "progress", is_progress).await;
    assert!(progress.contains("next"), "{progress}");
}
cases!(full_http_session; t1_progress_and_status_follow_the_answer);

async fn t1_a_listener_is_told_of_the_tasks_that_it_names(setup: Setup) {
    for era in ERAS {
        let bench = Bench::start(before(era).own()).await;
        let client = Client::connect_as(&bench, setup, identity(setup).askable()).await;
        let (id, other) = (begun(&client, "ask").await, begun(&client, "b").await);
        let wanted = json!({"notifications": {"taskIds": [id, "unknown"]}});
        let _listening = client.start_under(json!("mine"), "subscriptions/listen", wanted).await;
        let acknowledged = client.notification("notifications/subscriptions/acknowledged").await;
        assert_eq!(acknowledged["params"]["notifications"], json!({"taskIds": [id]}));
        let told = async |status: &str| {
            let is_told = |message: &Value| {
                message["method"] == "notifications/tasks" && message["params"]["status"] == status
            };
            let (_, message) = client.inbox.first(0, status, is_told).await;
            serde_json::from_str::<Value>(&message).unwrap()["params"].clone()
        };
        let asked = told("input_required").await;
        assert_eq!(asked["_meta"]["io.modelcontextprotocol/subscriptionId"], "mine");
        let key = asked["inputRequests"].as_object().unwrap().keys().next().unwrap();
        let answer = json!({"action": "accept", "content": {"which": "this"}});
        let responses = json!({"taskId": id, "inputResponses": {key: answer}});
        client.request("tasks/update", responses).await.result();
        let over = told("completed").await;
        assert_eq!((&over["taskId"], &over["resultType"]), (&json!(id), &Value::Null));
        assert_eq!(said(&over["result"])["answer"]["content"]["which"], "this");
        let of_tasks =
            client.inbox.since(0).into_iter().filter(|message| message.contains("notifications/tasks"));
        assert!(of_tasks.filter(|message| message.contains(&other)).count() == 0, "it was not asked for");
    }
}
each_transport_without_sessions!(t1_a_listener_is_told_of_the_tasks_that_it_names);
