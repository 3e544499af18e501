//! What upstreams ask of clients (F3): in both eras on both sides, over both transports, where upstream and
//! client belong to each other alone.

use kit::{Bench, Client, Identity, Options, Reply, Setup, conformance::Conformance, setup::Era};
use mcp_disclosure_gateway::{disclose, upstream::Target};
use serde_json::{Value, json};

use crate::{connect, connect_as};

/// The eras an upstream may speak; `None` is both.
const ERAS: [Option<Era>; 3] = [None, Some(Era::Session), Some(Era::Stateless)];

/// Tools that ask, how, and what of the answer their results repeat.
const ASKING: [(&str, &str, &str); 3] = [
    ("test_input_required_result_elicitation", "elicitation/create", "Ada"),
    ("test_input_required_result_sampling", "sampling/createMessage", "Paris"),
    ("test_input_required_result_list_roots", "roots/list", "file:///home"),
];

/// A gateway before an upstream of these eras.
fn before(era: Option<Era>) -> Options {
    let upstream = Conformance::new().of_era(era);
    Options::alone("asks", Target::handlers(move || upstream.for_session()))
}

/// A gateway, and a client that can be asked.
pub(crate) async fn askable(setup: Setup, options: Options) -> (Bench, Client) {
    let (bench, client) = connect_as(options, setup, Identity::offering(setup.strategy).askable()).await;
    client.open_stream_of_session().await;
    (bench, client)
}

/// The same before an upstream of these eras that is the client's alone.
async fn asking(setup: Setup, era: Option<Era>) -> (Bench, Client) {
    askable(setup, before(era).own()).await
}

/// An answer that fits the question.
fn answer(question: &Value) -> Value {
    match question["method"].as_str().unwrap() {
        "elicitation/create" => json!({"action": "accept", "content": {"name": "Ada", "odd": 1}}),
        "roots/list" => json!({"roots": [{"uri": "file:///home", "name": "home"}]}),
        _ => json!({"role": "assistant", "model": "m", "content": {"type": "text", "text": "Paris"}}),
    }
}

/// What a tool asks for, sorted.
async fn asked_by(client: &Client, tool: &str) -> Vec<String> {
    let (_, questions) = converse(client, tool).await;
    let mut asked: Vec<String> =
        questions.iter().map(|question| question["method"].as_str().unwrap().to_owned()).collect();
    asked.sort_unstable();
    asked
}

/// Calls a tool, answers whatever it asks, and gives its result and the questions.
pub(crate) async fn converse(client: &Client, tool: &str) -> (Value, Vec<Value>) {
    let arguments = client.learn(tool, json!({})).await;
    let params = json!({"name": tool, "arguments": arguments});
    match client.setup.era {
        Era::Session => answer_requests(client, params).await,
        Era::Stateless => answer_results(client, params).await,
    }
}

/// In a session questions are requests, which come before the result.
async fn answer_requests(client: &Client, params: Value) -> (Value, Vec<Value>) {
    let (mut from, mut questions) = (client.inbox.count(), Vec::new());
    let pending = client.start("tools/call", params).await;
    let id = pending.id.clone();
    loop {
        let is_next = |message: &Value| {
            let asked = message.get("method").is_some() && message.get("id").is_some();
            asked || (message.get("method").is_none() && message["id"] == id)
        };
        let (place, message) = client.inbox.first(from, "a question or the result", is_next).await;
        let message: Value = serde_json::from_str(&message).unwrap();
        if message.get("method").is_none() {
            return (pending.reply().await.result(), questions);
        }
        from = place + 1;
        client.answer(&message, answer(&message)).await;
        questions.push(message);
    }
}

/// Without one they are results, after which the request is sent again.
async fn answer_results(client: &Client, params: Value) -> (Value, Vec<Value>) {
    let (mut again, mut questions) = (params.clone(), Vec::new());
    loop {
        let result = client.request("tools/call", again).await.result();
        if result["resultType"] != "input_required" {
            return (result, questions);
        }
        again = params.clone();
        again["inputResponses"] = json!({});
        for (key, question) in result["inputRequests"].as_object().unwrap() {
            again["inputResponses"][key] = answer(question);
            questions.push(question.clone());
        }
        if let Some(state) = result.get("requestState") {
            again["requestState"] = state.clone();
        }
    }
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

async fn f3_what_an_upstream_asks_reaches_the_client_and_its_answer_the_upstream(setup: Setup) {
    for era in ERAS {
        let (_bench, client) = asking(setup, era).await;
        for (tool, method, heard) in ASKING {
            let (result, questions) = converse(&client, tool).await;
            assert_eq!(questions.len(), 1, "{era:?} {tool}");
            assert_eq!(questions[0]["method"], method);
            assert!(text(&result).contains(heard), "{era:?} {tool}: {result}");
        }
        let message = converse(&client, "test_input_required_result_elicitation").await.1[0].clone();
        assert_eq!(message["params"]["message"], "What is your name?");
    }
}

async fn w6_elicitation_sampling_and_roots_of_an_embedded_handler_reach_the_client(setup: Setup) {
    let server = disclose(Conformance::new()).strategy(setup.strategy);
    let bench = Bench::of(server.assembly().unwrap()).await;
    // An ordinary client, which can be asked.
    let client = Client::connect_as(&bench, setup, Identity::default().askable()).await;
    client.open_stream_of_session().await;
    for (tool, method, heard) in ASKING {
        let (result, questions) = converse(&client, tool).await;
        let asked: Vec<&Value> = questions.iter().map(|question| &question["method"]).collect();
        assert_eq!(asked, [method], "{tool}");
        assert!(text(&result).contains(heard), "{tool}: {result}");
    }
    let asked = asked_by(&client, "test_input_required_result_multiple_inputs").await;
    assert_eq!(asked, ["elicitation/create", "roots/list", "sampling/createMessage"]);
}

async fn f3_an_upstream_may_ask_again_and_several_things_at_once(setup: Setup) {
    for era in ERAS {
        let (_bench, client) = asking(setup, era).await;
        let (_, questions) = converse(&client, "test_input_required_result_multi_round").await;
        let asked: Vec<&Value> = questions.iter().map(|question| &question["params"]["message"]).collect();
        assert_eq!(asked, ["Step 1: What is your name?", "Step 2: What is your favorite color?"], "{era:?}");
        let asked = asked_by(&client, "test_input_required_result_multiple_inputs").await;
        assert_eq!(asked, ["elicitation/create", "roots/list", "sampling/createMessage"], "{era:?}");
    }
}

async fn f3_calls_of_several_clients_are_not_mixed_up(setup: Setup) {
    let (bench, first) = asking(setup, Some(Era::Session)).await;
    let second = Client::connect_as(&bench, setup, Identity::offering(setup.strategy).askable()).await;
    second.open_stream_of_session().await;
    let tool = "test_input_required_result_multi_round";
    let (one, other) = futures::future::join(converse(&first, tool), converse(&second, tool)).await;
    assert_eq!((one.1.len(), other.1.len()), (2, 2));
}

async fn f3_log_messages_come_with_the_request_they_belong_to(setup: Setup) {
    for era in ERAS {
        let (_bench, client) = asking(setup, era).await;
        if setup.has_sessions() {
            client.request("logging/setLevel", json!({"level": "info"})).await.result();
        }
        let arguments = client.learn("test_logging_tool", json!({})).await;
        let call = |meta: Value| json!({"name": "test_logging_tool", "arguments": arguments, "_meta": meta});
        let level = json!({"io.modelcontextprotocol/logLevel": "info"});
        let wanted = if setup.has_sessions() { json!({}) } else { level };
        let reply = client.request("tools/call", call(wanted)).await;
        let log_messages = |reply: &Reply| {
            let messages = reply.notifications.iter();
            messages.filter(|message| message["method"] == "notifications/message").count()
        };
        assert_eq!(log_messages(&reply), 3, "{era:?} {reply:?}");
        if !setup.has_sessions() {
            assert_eq!(log_messages(&client.request("tools/call", call(json!({}))).await), 0, "{era:?}");
            let loud = call(json!({"io.modelcontextprotocol/logLevel": "loud"}));
            assert_eq!(client.request("tools/call", loud).await.code(), -32602);
        }
    }
}

async fn f3_state_is_good_for_its_own_request_once(setup: Setup) {
    let (_bench, client) = asking(setup, Some(Era::Session)).await;
    let tool = "test_input_required_result_elicitation";
    let params = json!({"name": tool, "arguments": client.learn(tool, json!({})).await});
    let required = client.request("tools/call", params.clone()).await.result();
    let with = |state: &Value| {
        let responses = required["inputRequests"].as_object().unwrap();
        let responses: Value =
            responses.iter().map(|(key, question)| (key.clone(), answer(question))).collect();
        let mut again = params.clone();
        again["requestState"] = state.clone();
        again["inputResponses"] = responses;
        again
    };
    let made_up = with(&json!("0123456789abcdef"));
    assert_eq!(client.request("tools/call", made_up).await.code(), -32602);
    let mut of_another = with(&required["requestState"]);
    of_another["arguments"]["more"] = json!(1);
    assert_eq!(client.request("tools/call", of_another).await.code(), -32602);
    // Without answers the same is asked again, under the same state or another.
    let mut unanswered = with(&required["requestState"]);
    unanswered["inputResponses"] = json!({"unknown": {}});
    let asked_again = client.request("tools/call", unanswered).await.result();
    assert_eq!(asked_again["inputRequests"], required["inputRequests"]);
    let good = with(&asked_again["requestState"]);
    let result = client.request("tools/call", good.clone()).await.result();
    assert!(text(&result).contains("Ada"), "{result}");
    assert_eq!(client.request("tools/call", good).await.code(), -32602, "it was used already");
}

/// A person may think for long.
#[tokio::test]
async fn p2_a_call_whose_tool_is_hidden_while_a_person_answers_does_not_go_on() {
    let (tool, method, _) = ASKING[0];
    let config = format!("[tools.\"asks/{tool}\"]\nbrief = \"Asks.\"\n");
    let options = before(Some(Era::Stateless)).own().with_config(&config);
    let (bench, client) = askable(Setup::named("full_http_session"), options).await;
    let pending = client.start("tools/call", json!({"name": tool, "arguments": {}})).await;
    let (_, question) = client.inbox.first(0, "a question", |message| message["method"] == *method).await;
    let (question, from) = (serde_json::from_str::<Value>(&question).unwrap(), client.inbox.count());
    bench.configure(&format!("[tools.\"asks/{tool}\"]\nhidden = true\n")).await;
    let is_news = |message: &Value| message["method"] == "notifications/tools/list_changed";
    client.inbox.first(from, "that it is hidden", is_news).await;
    client.answer(&question, answer(&question)).await;
    assert_eq!(pending.reply().await.error()["message"], format!("Unknown tool: {tool}"));
}

async fn f3_who_shares_upstreams_is_asked_nothing(setup: Setup) {
    let (_bench, client) = askable(setup, before(Some(Era::Session))).await;
    let (result, questions) = converse(&client, "test_input_required_result_elicitation").await;
    assert!(questions.is_empty(), "{questions:?}");
    assert_eq!(result["isError"], true, "{result}");
}

async fn f3_a_session_that_ends_takes_its_upstreams_with_it(setup: Setup) {
    let (bench, client) = connect(crate::odd().own(), setup).await;
    let session = bench.gateway.sessions().find(client.session.as_deref().unwrap()).unwrap();
    let upstreams = std::sync::Arc::clone(session.backend());
    assert!(!std::sync::Arc::ptr_eq(&upstreams, bench.gateway.backends().shared()));
    assert_eq!(client.end_session().await, 204);
    kit::eventually("the end of its upstreams", async || upstreams.is_broken().then_some(())).await;
    assert!(!bench.gateway.backends().shared().is_broken());
}

async fn f7_headers_must_say_what_the_arguments_say(setup: Setup) {
    let (_bench, client) = asking(setup, None).await;
    let params = client.complete(json!({"name": "test_custom_header", "arguments": {"region": "eu-1"}}));
    for (header, refused) in [
        (Some("eu-1"), false),
        (Some("=?base64?ZXUtMQ==?="), false),
        (Some("us-1"), true),
        (Some("=?base64?!?="), true),
        (None, true),
    ] {
        let mut headers = client.headers_for("tools/call", &params);
        headers.extend(header.map(|value| ("Mcp-Param-Region".to_owned(), value.to_owned())));
        let reply = client.send_with(headers, "tools/call", params.clone()).await;
        assert_eq!(reply.status == Some(400), refused, "{header:?} {reply:?}");
        if refused {
            assert_eq!(reply.code(), -32020);
        }
    }
}

each_way_in!(
    f3_what_an_upstream_asks_reaches_the_client_and_its_answer_the_upstream,
    f3_an_upstream_may_ask_again_and_several_things_at_once,
    f3_log_messages_come_with_the_request_they_belong_to,
);
each_strategy!(w6_elicitation_sampling_and_roots_of_an_embedded_handler_reach_the_client);
each_way_in!(f3_calls_of_several_clients_are_not_mixed_up, f3_who_shares_upstreams_is_asked_nothing);
each_transport_without_sessions!(f3_state_is_good_for_its_own_request_once);
cases!(full_http_session; f3_a_session_that_ends_takes_its_upstreams_with_it);
cases!(full_http_stateless; f7_headers_must_say_what_the_arguments_say);
