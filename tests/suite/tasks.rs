//! Tasks: calls whose results are fetched later (2025-11-25, and an extension since 2026-07-28).

mod news;
mod owners;

use kit::{Bench, Client, Identity, Options, Reply, Setup, eventually, setup::Era};
use mcp_disclosure_gateway::upstream::Target;
use serde_json::{Value, json};

use crate::{connect, connect_as};

const TASKS_UPSTREAM: &str = env!("CARGO_BIN_EXE_tasks-upstream");

/// The eras of upstreams.
const ERAS: [Era; 2] = [Era::Session, Era::Stateless];

/// A gateway before an upstream of this era that runs tasks.
fn before(era: Era) -> Options {
    let argument = if era == Era::Session { "session" } else { "stateless" };
    Options::alone("tasks", Target::command(TASKS_UPSTREAM, vec![argument.to_owned()]))
}

fn identity(setup: Setup) -> Identity {
    Identity::offering(setup.strategy).running_tasks()
}

async fn connected(setup: Setup, options: Options) -> (Bench, Client) {
    connect_as(options, setup, identity(setup)).await
}

/// Calls a tool as a task.
async fn start(client: &Client, tool: &str, arguments: Value) -> Reply {
    let mut params = json!({"name": tool, "arguments": client.learn(tool, arguments).await});
    if client.setup.has_sessions() {
        params["task"] = json!({"ttl": 60_000});
    }
    client.request("tools/call", params).await
}

/// Starts a task, and gives its id.
async fn begun(client: &Client, topic: &str) -> String {
    let created = start(client, "research", json!({"topic": topic})).await.result();
    let task = if client.setup.has_sessions() { &created["task"] } else { &created };
    assert_eq!(task["status"], "working", "{created}");
    task["taskId"].as_str().unwrap().to_owned()
}

async fn get(client: &Client, id: &str) -> Reply {
    client.request("tasks/get", json!({"taskId": id})).await
}

async fn call(client: &Client, tool: &str) -> Reply {
    client.learn_and_call(tool, json!({})).await
}

/// Asks until the task is in this status.
async fn until(client: &Client, id: &str, status: &str) -> Value {
    eventually(status, async || Some(get(client, id).await.result()).filter(|task| task["status"] == status))
        .await
}

/// The result of a task that is over, or its error.
async fn outcome(client: &Client, id: &str) -> Value {
    if client.setup.has_sessions() {
        let reply = client.request("tasks/result", json!({"taskId": id})).await;
        let answer = reply.answer();
        return answer.get("error").unwrap_or(&answer["result"]).clone();
    }
    let state = get(client, id).await.result();
    if state["error"].is_object() { state["error"].clone() } else { state["result"].clone() }
}

fn said(result: &Value) -> Value {
    serde_json::from_str(result["content"][0]["text"].as_str().unwrap_or("null")).unwrap()
}

async fn t1_a_call_becomes_a_task_of_the_callers_and_its_result_is_fetched_later(setup: Setup) {
    for era in ERAS {
        let (_bench, client) = connected(setup, before(era)).await;
        let capabilities = client.capabilities().await;
        let capabilities = match setup.has_sessions() {
            true => &capabilities["tasks"],
            false => &capabilities["extensions"]["io.modelcontextprotocol/tasks"],
        };
        let offered = json!({"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}});
        assert_eq!(*capabilities, if setup.has_sessions() { offered } else { json!({}) });
        let created = start(&client, "research", json!({"topic": "seas"})).await.result();
        let (task, lifetime, interval) = match setup.has_sessions() {
            true => (&created["task"], "ttl", "pollInterval"),
            false => (&created, "ttlMs", "pollIntervalMs"),
        };
        let members = [lifetime, interval, "x-odd"].map(|member| &task[member]);
        assert_eq!(members, [&json!(600_000), &json!(60), &json!([1.0])]);
        if !setup.has_sessions() {
            assert_eq!(created["resultType"], "task");
        }
        if era == Era::Session {
            let immediate = &created["_meta"]["io.modelcontextprotocol/model-immediate-response"];
            assert_eq!(immediate, "Soon.");
        }
        let id = task["taskId"].as_str().unwrap();
        assert!(id.len() >= 32, "the upstream's own id could be guessed: {id}");
        let state = get(&client, id).await.result();
        assert_eq!((&state["taskId"], &state["status"]), (&json!(id), &json!("working")));
        assert_eq!(state["createdAt"], "2026-01-02T03:04:05Z");
        call(&client, "finish").await.result();
        let state = until(&client, id, "completed").await;
        assert_eq!(state.get("result").is_some(), !setup.has_sessions(), "{state}");
        let result = outcome(&client, id).await;
        assert_eq!(said(&result)["topic"], "seas", "{result}");
        let related = &result["_meta"]["io.modelcontextprotocol/related-task"]["taskId"];
        assert_eq!(*related, if setup.has_sessions() { json!(id) } else { Value::Null }, "{result}");
    }
}

async fn t1_what_went_wrong_is_said_as_the_era_says_it(setup: Setup) {
    for era in ERAS {
        let (_bench, client) = connected(setup, before(era)).await;
        let wrong = begun(&client, "a").await;
        call(&client, "wrong").await.result();
        // Up to 2025-11-25 such a task has failed; since, it has a result.
        until(&client, &wrong, if setup.has_sessions() { "failed" } else { "completed" }).await;
        assert_eq!(outcome(&client, &wrong).await["isError"], true);
        let broken = begun(&client, "b").await;
        call(&client, "fail").await.result();
        until(&client, &broken, "failed").await;
        assert_eq!(outcome(&client, &broken).await, json!({"code": 77, "message": "broken", "data": [1]}));
    }
}

async fn t1_a_task_is_cancelled_at_its_upstream(setup: Setup) {
    for era in ERAS {
        let (_bench, client) = connected(setup, before(era)).await;
        let id = begun(&client, "a").await;
        let cancelled = client.request("tasks/cancel", json!({"taskId": id})).await.result();
        match setup.has_sessions() {
            true => {
                assert_eq!((&cancelled["taskId"], &cancelled["status"]), (&json!(id), &json!("cancelled")))
            }
            false => assert_eq!(cancelled, json!({"resultType": "complete"})),
        }
        assert_eq!(get(&client, &id).await.result()["status"], "cancelled");
        assert_eq!(call(&client, "finish").await.result()["content"][0]["text"], "nothing is under way");
        let again = client.request("tasks/cancel", json!({"taskId": id})).await;
        match setup.has_sessions() {
            true => assert_eq!(again.code(), -32602),
            false => drop(again.result()),
        }
    }
}

async fn t3_what_a_task_asks_reaches_the_client_and_its_answer_the_task(setup: Setup) {
    for era in ERAS {
        let bench = Bench::start(before(era).own()).await;
        let client = Client::connect_as(&bench, setup, identity(setup).askable()).await;
        client.open_stream_of_session().await;
        let id = begun(&client, "ask").await;
        let state = until(&client, &id, "input_required").await;
        let mut answer = json!({"action": "accept", "content": {"which": "this"}});
        if setup.has_sessions() {
            let from = client.inbox.count();
            let pending = client.start("tasks/result", json!({"taskId": id})).await;
            let is_question = |message: &Value| message["method"] == "elicitation/create";
            let (_, question) = client.inbox.first(from, "the question", is_question).await;
            let question: Value = serde_json::from_str(&question).unwrap();
            let related = json!({"taskId": id});
            assert_eq!(question["params"]["_meta"]["io.modelcontextprotocol/related-task"], related);
            answer["_meta"] = json!({"io.modelcontextprotocol/related-task": related});
            client.answer(&question, answer).await;
            assert_eq!(said(&pending.reply().await.result())["answer"]["content"]["which"], "this");
        } else {
            let (key, question) = state["inputRequests"].as_object().unwrap().iter().next().unwrap();
            assert_eq!(
                (&question["method"], &question["params"]["message"]),
                (&json!("elicitation/create"), &json!("Which?"))
            );
            answer["_meta"] = json!({"io.modelcontextprotocol/related-task": {"taskId": id}});
            let responses = json!({"taskId": id, "inputResponses": {key: answer, "another": {}}});
            let taken = client.request("tasks/update", responses).await.result();
            assert_eq!(taken, json!({"resultType": "complete"}));
        }
        until(&client, &id, "completed").await;
        assert_eq!(said(&outcome(&client, &id).await)["answer"]["content"]["which"], "this");
    }
}

async fn t2_a_task_ends_with_its_upstream_and_is_never_another(setup: Setup) {
    for era in ERAS {
        let (_bench, client) = connected(setup, before(era)).await;
        let lost = begun(&client, "lost").await;
        let pending = match setup.has_sessions() {
            true => Some(client.start("tasks/result", json!({"taskId": lost})).await),
            false => None,
        };
        assert_eq!(call(&client, "die").await.code(), -32000);
        if let Some(pending) = pending {
            assert_eq!(pending.reply().await.code(), -32000);
        }
        // The new process counts from the beginning, and its first task is not the lost one.
        let next = eventually("a new process", async || {
            let created = start(&client, "research", json!({"topic": "new"})).await.answer();
            let task = created["result"].get("task").unwrap_or(&created["result"]);
            task["taskId"].as_str().map(str::to_owned)
        })
        .await;
        call(&client, "finish").await.result();
        until(&client, &next, "completed").await;
        let state = get(&client, &lost).await.result();
        assert_eq!(state["status"], "failed", "{state}");
        assert!(state["statusMessage"].as_str().unwrap().contains("upstream 'tasks'"), "{state}");
        assert_eq!(state["createdAt"], "2026-01-02T03:04:05Z");
        let error = outcome(&client, &lost).await;
        assert_eq!((&error["code"], &error["data"]["upstream"]), (&json!(-32000), &json!("tasks")));
    }
}

each_way_in!(
    t1_a_call_becomes_a_task_of_the_callers_and_its_result_is_fetched_later,
    t1_what_went_wrong_is_said_as_the_era_says_it,
    t1_a_task_is_cancelled_at_its_upstream,
    t3_what_a_task_asks_reaches_the_client_and_its_answer_the_task,
    t2_a_task_ends_with_its_upstream_and_is_never_another,
);

async fn t1_a_task_passes_what_every_call_passes(setup: Setup) {
    let (_bench, client) = connected(setup, before(Era::Session)).await;
    let mut params = json!({"name": "research", "arguments": {"topic": 7}});
    if setup.has_sessions() {
        params["task"] = json!({});
    }
    let refused = client.request("tools/call", params).await.result();
    assert_eq!(refused["isError"], true, "{refused}");
    assert!(refused.get("task").is_none() && refused["resultType"] != "task", "{refused}");
    let id = begun(&client, "seas").await;
    call(&client, "finish").await.result();
    until(&client, &id, "completed").await;
    assert_eq!(said(&outcome(&client, &id).await)["topic"], "seas");
}
under_resource!(t1_a_task_passes_what_every_call_passes);

async fn t1_tools_that_run_as_tasks_only_are_listed_to_those_that_can(setup: Setup) {
    for era in ERAS {
        let (bench, can) = connect_as(before(era), setup, identity(setup)).await;
        assert!(can.tool_names().await.contains(&"research".to_owned()));
        let older = Identity { revision: Some("2025-06-18"), ..Identity::offering(setup.strategy) };
        let cannot = Client::connect_as(&bench, setup, older).await;
        // An upstream without sessions does not say which of its tools need tasks.
        assert_eq!(cannot.tool_names().await.contains(&"research".to_owned()), era == Era::Stateless);
        assert!(cannot.tool_names().await.contains(&"either".to_owned()));
        assert!(cannot.introduction["capabilities"].get("tasks").is_none());
        let refused = cannot.call("research", json!({"topic": "a"})).await;
        let code = if setup.has_sessions() && era == Era::Session { -32601 } else { -32021 };
        assert_eq!(refused.code(), code);
        let id = begun(&can, "a").await;
        let code = if setup.has_sessions() { -32601 } else { -32021 };
        assert_eq!(get(&cannot, &id).await.code(), code);
    }
}

/// A call that the upstream answered at once is a task that is over, to a client that reads nothing else.
async fn t3_an_answer_at_once_is_a_task_where_one_was_asked_for(setup: Setup) {
    let (_bench, client) = connected(setup, before(Era::Stateless)).await;
    let result = start(&client, "either", json!({})).await.result();
    if !setup.has_sessions() {
        assert_eq!(result["content"][0]["text"], "at once");
        return;
    }
    assert_eq!(result["task"]["status"], "completed", "{result}");
    let id = result["task"]["taskId"].as_str().unwrap();
    assert_eq!(get(&client, id).await.result()["status"], "completed");
    assert_eq!(outcome(&client, id).await["content"][0]["text"], "at once");
    assert_eq!(client.request("tasks/cancel", json!({"taskId": id})).await.code(), -32602);
}

under_full!(
    t1_tools_that_run_as_tasks_only_are_listed_to_those_that_can,
    t3_an_answer_at_once_is_a_task_where_one_was_asked_for,
);

async fn t1_tasks_are_listed_in_the_order_in_which_they_began(setup: Setup) {
    for era in ERAS {
        let (_bench, client) = connected(setup, before(era)).await;
        let mut ids = Vec::new();
        for number in 0..23 {
            ids.push(begun(&client, &number.to_string()).await);
        }
        let list = client.request("tasks/list", json!({})).await.result();
        let listed = list["tasks"].as_array().unwrap().iter();
        assert_eq!(listed.map(|task| task["taskId"].as_str().unwrap()).collect::<Vec<_>>(), ids);
        assert_eq!(client.request("tasks/list", json!({"cursor": "x"})).await.code(), -32602);
    }
}

/// Of an upstream that runs no tasks beside one that does, and of one alone.
async fn t1_a_tool_that_runs_as_no_task_says_so(setup: Setup) {
    let plain = crate::named(["plain"]);
    let options = Options { upstreams: plain.upstreams, ..before(Era::Session) };
    let (_bench, client) = connected(setup, options).await;
    let error = start(&client, "plain", json!({})).await.error();
    assert_eq!(error["code"], -32601, "{error}");
    let (_bench, client) = connected(setup, crate::named(["plain"])).await;
    assert_eq!(start(&client, "plain", json!({})).await.result()["content"][0]["text"], "echo");
    assert!(client.introduction["capabilities"].get("tasks").is_none());
}

/// Where the connection is not its client's alone; it would wait for ever for an answer.
async fn t3_what_a_task_asks_of_nobody_is_refused(setup: Setup) {
    let (_bench, client) = connected(setup, before(Era::Session)).await;
    let id = begun(&client, "ask").await;
    let state = until(&client, &id, "completed").await;
    assert_eq!(said(&state["result"])["answer"], "nobody can be asked");
}
cases!(full_http_stateless; t3_what_a_task_asks_of_nobody_is_refused);

cases! { full_http_session;
    t1_tasks_are_listed_in_the_order_in_which_they_began,
    t1_a_tool_that_runs_as_no_task_says_so,
}

/// Another client would be listed other tools at the same address.
async fn n5_a_list_that_depends_on_tasks_is_private(setup: Setup) {
    let bench = Bench::start(before(Era::Session)).await;
    for identity in [identity(setup), Identity::default()] {
        let client = Client::connect_as(&bench, setup, identity.at("/mcp/full")).await;
        for method in ["tools/list", "server/discover"] {
            let result = client.request(method, json!({})).await.result();
            assert_eq!(result["cacheScope"], "private", "{method}");
        }
    }
}
cases!(full_http_stateless; n5_a_list_that_depends_on_tasks_is_private);

/// Called by another tool, a tool that runs as a task only is one whose result is waited for, whatever the client knows of tasks.
async fn t1_a_task_within_a_call_is_waited_for(setup: Setup) {
    let (_bench, client) = connect(before(Era::Session), setup).await;
    let call = async |tool: &str| {
        let params = json!({"tool": tool, "arguments": {"topic": "seas"}});
        client.start("tools/call", json!({"name": "call_tool", "arguments": params})).await
    };
    let text = async |pending: kit::Pending| {
        pending.reply().await.result()["content"][0]["text"].as_str().unwrap().to_owned()
    };
    let over = async |how: &str, expected: &str| {
        eventually(how, async || Some(text(call(how).await).await).filter(|said| said == expected)).await
    };
    let waiting = call("research").await;
    over("finish", "finish").await;
    assert!(text(waiting).await.contains("seas"));
    let waiting = call("research").await;
    over("fail", "fail").await;
    assert_eq!(waiting.reply().await.error(), json!({"code": 77, "message": "broken", "data": [1]}));
    let given_up = call("research").await;
    over("report", "report").await;
    client.cancel(&given_up).await;
    over("report", "nothing is under way").await;
}
under_search!(t1_a_task_within_a_call_is_waited_for);
