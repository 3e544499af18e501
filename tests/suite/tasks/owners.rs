//! Whose tasks there are, and how many one may have.

use std::num::NonZeroU32;

use kit::{
    Bench, Client, HeaderAdmission, HttpServer, Options, Setup, eventually,
    http_server::{Received, reply},
    messages::{discovery, failure, response, tool},
    setup::Era,
};
use mcp_disclosure_core::{Grant, Quotas};
use mcp_disclosure_gateway::{limits::Limits, upstream::Target};
use serde_json::{Value, json};

use super::{before, begun, call, connected, get, identity, outcome, said, start, until};
use crate::access::{ANN, guarded};

/// The requests of the era that name a task; the cancellation comes last.
fn methods(setup: Setup) -> [&'static str; 3] {
    ["tasks/get", if setup.has_sessions() { "tasks/result" } else { "tasks/update" }, "tasks/cancel"]
}

async fn p1_the_tasks_of_a_principal_are_limited(setup: Setup) {
    let limits = Limits { tasks_per_peer: 2, ..Limits::default() };
    let (_bench, client) = connected(setup, Options { limits, ..before(Era::Session) }).await;
    let first = begun(&client, "1").await;
    begun(&client, "2").await;
    let refused = start(&client, "research", json!({"topic": "3"})).await;
    assert_eq!(refused.error_with("limits.tasks_per_peer")["code"], -32005);
    client.request("tasks/cancel", json!({"taskId": first})).await.result();
    assert_eq!(get(&client, &first).await.result()["status"], "cancelled");
    begun(&client, "3").await;
    assert_eq!(get(&client, &first).await.code(), -32602, "what is over gives way");
}

/// Of an upstream that may answer any call with a task.
async fn p1_a_call_that_is_no_task_displaces_none(setup: Setup) {
    let limits = Limits { tasks_per_peer: 1, ..Limits::default() };
    let (_bench, client) = connected(setup, Options { limits, ..before(Era::Stateless) }).await;
    let id = begun(&client, "1").await;
    call(&client, "finish").await.result();
    until(&client, &id, "completed").await;
    call(&client, "either").await.result();
    assert_eq!(said(&outcome(&client, &id).await)["topic"], "1");
}

/// Because its upstream says so, at once or later, while the client does not ask, or because it was cancelled.
async fn a3_t1_a_task_counts_as_a_call_until_it_is_over(setup: Setup) {
    let quotas = Quotas { concurrent_calls: NonZeroU32::new(1), ..Quotas::default() };
    let admission = HeaderAdmission::default()
        .granting("ann", Grant { quotas, ..Grant::default() })
        .granting("bob", Grant::default());
    let bench = Bench::start(Options { admission, ..before(Era::Session) }).await;
    let connect = async |who| Client::connect_as(&bench, setup, identity(setup).known_as(who)).await;
    let (ann, bob) = (connect("ann").await, connect("bob").await);
    begun(&ann, "at once").await;
    call(&bob, "report").await.result();
    begun(&ann, "tell").await;
    assert_eq!(start(&ann, "research", json!({"topic": "2"})).await.code(), -32005);
    call(&bob, "finish").await.result();
    let id = begun(&ann, "3").await;
    ann.request("tasks/cancel", json!({"taskId": id})).await.result();
    get(&ann, &id).await.result();
    begun(&ann, "4").await;
}
over_http!(a3_t1_a_task_counts_as_a_call_until_it_is_over);

/// A reload holds for tasks as for calls.
async fn a3_a_task_of_a_tool_that_is_withdrawn_is_unknown(setup: Setup) {
    let (_tokens, config) =
        guarded("[[principals]]\nname = \"Ann\"\ntoken = \"ann\"\ntools = [\"tasks/*\"]\n");
    let bench = Bench::start(Options { config: config.clone(), ..before(Era::Session) }).await;
    let ann = Client::connect_as(&bench, setup, identity(setup).bearing(ANN)).await;
    let id = begun(&ann, "seas").await;
    call(&ann, "finish").await.result();
    let hidden = format!("{config}[tools.\"tasks/research\"]\nhidden = true\n");
    for withdrawn in [config.replace("tasks/*", "tasks/report"), hidden] {
        bench.configure(&withdrawn).await;
        for method in methods(setup) {
            let params = json!({"taskId": id, "inputResponses": {}});
            let error = ann.request(method, params).await.error();
            assert_eq!(error["message"], format!("Unknown task: {id}"), "{method}");
        }
        if setup.has_sessions() {
            assert!(ann.list("tasks").await.is_empty());
        }
        bench.configure(&config).await;
        assert_eq!(said(&outcome(&ann, &id).await)["topic"], "seas");
    }
}
over_http!(a3_a_task_of_a_tool_that_is_withdrawn_is_unknown);

async fn a3_a_session_hears_nothing_of_its_task_while_the_tool_is_hidden(setup: Setup) {
    let config = "[tools.\"tasks/report\"]\nbrief = \"Reports.\"\n";
    let bench = Bench::start(Options { config: config.to_owned(), ..before(Era::Session) }).await;
    let client = Client::connect_as(&bench, setup, identity(setup)).await;
    client.open_stream_of_session().await;
    let params = json!({"name": "research", "arguments": {}, "task": {}, "_meta": {"progressToken": "mine"}});
    client.request("tools/call", params).await.result();
    let from = client.inbox.count();
    bench.configure(&format!("{config}[tools.\"tasks/research\"]\nhidden = true\n")).await;
    call(&client, "report").await.result();
    bench.configure(config).await;
    let then = client.inbox.count();
    call(&client, "report").await.result();
    let is_status = |message: &Value| message["method"] == "notifications/tasks/status";
    client.inbox.first(then, "the status", is_status).await;
    for method in ["notifications/tasks/status", "notifications/progress"] {
        let told = client.inbox.since(from).iter().filter(|message| message.contains(method)).count();
        assert_eq!(told, 1, "{method}");
    }
}

async fn p5_a_task_is_work_under_way_until_it_is_over(setup: Setup) {
    let bench = Bench::start(before(Era::Session)).await;
    let connect = async || Client::connect_as(&bench, setup, identity(setup)).await;
    let (ann, bob) = (connect().await, connect().await);
    bob.request("logging/setLevel", json!({"level": "debug"})).await.result();
    let logged = async || {
        let from = bob.inbox.count();
        call(&bob, "log").await.result();
        bob.inbox.since(from).iter().filter(|message| message.contains("notifications/message")).count()
    };
    assert_eq!(logged().await, 1);
    let id = begun(&ann, "secret").await;
    assert_eq!(logged().await, 0, "it may be about the task");
    call(&bob, "finish").await.result();
    until(&ann, &id, "completed").await;
    assert_eq!(logged().await, 1);
}
each_transport_with_sessions!(
    a3_a_session_hears_nothing_of_its_task_while_the_tool_is_hidden,
    p5_a_task_is_work_under_way_until_it_is_over,
);

under_full!(p1_the_tasks_of_a_principal_are_limited, p1_a_call_that_is_no_task_displaces_none);

/// Another principal, and another session of the same, ask in vain.
async fn t2_anothers_task_is_unknown(setup: Setup) {
    let admission = HeaderAdmission::default()
        .granting("ann", Grant::default())
        .granting("bob", Grant::default())
        .on_stdio("ann");
    let bench = Bench::start(Options { admission, ..before(Era::Session) }).await;
    let connect = async |who| Client::connect_as(&bench, setup, identity(setup).known_as(who)).await;
    let (ann, bob) = (connect("ann").await, connect("bob").await);
    let id = begun(&ann, "secret").await;
    let unknown = format!("Unknown task: {id}");
    for method in methods(setup) {
        let params = |id: &str| json!({"taskId": id, "inputResponses": {}});
        let error = bob.request(method, params(&id)).await.error();
        assert_eq!(error, json!({"code": -32602, "message": unknown}), "{method}");
        let own = ann.request(method, params("0")).await.error();
        assert_eq!(own, json!({"code": -32602, "message": "Unknown task: 0"}), "the upstream's id, {method}");
        assert_eq!(ann.request(method, json!({"inputResponses": {}})).await.code(), -32602);
    }
    assert_eq!(get(&ann, &id).await.result()["status"], "working");
    if setup.has_sessions() {
        let other = connect("ann").await;
        let without = Setup::named("full_http_stateless");
        let without = Client::connect_as(&bench, without, identity(without).known_as("ann")).await;
        for other in [&other, &without] {
            assert_eq!(get(other, &id).await.error()["message"], unknown);
        }
        assert_eq!(ann.list("tasks").await[0]["taskId"], json!(id));
        assert!(bob.list("tasks").await.is_empty() && other.list("tasks").await.is_empty());
    }
}
over_http!(t2_anothers_task_is_unknown);

/// Where malformed requests are left to the upstream, too (F8): it is not asked for what the client names.
async fn t2_an_upstreams_own_id_is_unknown_where_it_serves_one_client(setup: Setup) {
    let bench = Bench::start(before(Era::Session).own()).await;
    let client = Client::connect_as(&bench, setup, identity(setup)).await;
    let other = Client::connect_as(&bench, setup, identity(setup)).await;
    let id = begun(&client, "secret").await;
    for method in methods(setup) {
        for own in [json!("0"), json!(0), json!(["0"])] {
            let params = json!({"taskId": own, "inputResponses": {}});
            assert_eq!(client.request(method, params).await.code(), -32602, "{method} {own}");
        }
        // Without sessions, those who are unknown are one.
        if setup.has_sessions() {
            other.request(method, json!({"taskId": id})).await.error();
        }
    }
    assert_eq!(get(&client, &id).await.result()["status"], "working");
    let said = client.request("tasks/get", json!({"taskId": "a \\\"b"})).await.error();
    assert_eq!(
        said["message"],
        if setup.has_sessions() { "Task not found" } else { "Unknown task: a \\\"b" }
    );
}
under_full!(t2_an_upstreams_own_id_is_unknown_where_it_serves_one_client);

async fn t2_the_tasks_of_a_session_end_with_it(setup: Setup) {
    let (bench, client) = connected(setup, before(Era::Session)).await;
    begun(&client, "1").await;
    let other = Client::connect_as(&bench, setup, identity(setup)).await;
    assert_eq!(client.end_session().await, 204);
    eventually("the end of the task", async || {
        let said = call(&other, "report").await.result();
        (said["content"][0]["text"] == "nothing is under way").then_some(())
    })
    .await;
}

async fn t2_the_tasks_of_a_session_are_cancelled_where_its_own_upstream_outlasts_it(setup: Setup) {
    let server = HttpServer::serving((), |_, request| async move {
        let id = &request.message["id"];
        match request.rpc_method() {
            "server/discover" => {
                let extensions = json!({"io.modelcontextprotocol/tasks": {}});
                reply(&response(id, discovery(json!({"tools": {}, "extensions": extensions}))))
            }
            "tools/list" => reply(&response(id, json!({"tools": [tool("research", "Takes long.")]}))),
            "tools/call" => {
                reply(&response(id, json!({"resultType": "task", "taskId": "0", "status": "working"})))
            }
            "tasks/cancel" => reply(&response(id, json!({"resultType": "complete"}))),
            _ => reply(&failure(id, -32601, "Method not found")),
        }
    })
    .await;
    let target = Target::url(server.url().parse().unwrap());
    let (_bench, client) = connected(setup, Options::alone("tasks", target).own()).await;
    begun(&client, "1").await;
    assert_eq!(client.end_session().await, 204);
    let is_cancelled = |request: &Received| {
        request.rpc_method() == "tasks/cancel" && request.message["params"]["taskId"] == "0"
    };
    eventually("the end of the task", async || server.received().iter().any(is_cancelled).then_some(()))
        .await;
}

cases!(
    full_http_session;
    t2_the_tasks_of_a_session_end_with_it,
    t2_the_tasks_of_a_session_are_cancelled_where_its_own_upstream_outlasts_it,
);
