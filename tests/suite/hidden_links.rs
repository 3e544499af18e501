//! What upstreams say of hidden resources in ways that some client reads (P3): members in any case and several times, what stands
//! where it should not, and texts in what should be none.

use std::fmt::Write;

use kit::{
    Bench, Client, Identity, Scenario, Setup,
    scenario::{control, raw},
};
use serde_json::{Value, json, value::RawValue};

use crate::{cache_hints::without_sessions, connect, playing, questions::askable};

const HIDING: &str = "[resources.\"file:///data/private/*\"]\nhidden = true\n";

const LINK: &str = r#"{"type":"resource_link","uri":"file:///data/private/s","name":"n"}"#;

const TEXT: &str = r#"{"type":"text","text":"stays"}"#;

/// A scenario in which these requests are answered with these results.
fn answering<'a>(answers: impl IntoIterator<Item = (&'a str, String)>) -> Scenario {
    let answers: Vec<(&str, String)> = answers.into_iter().collect();
    let tools = answers.iter().filter_map(|(request, _)| request.strip_prefix("tools/call "));
    let mut scenario = Scenario::named(tools);
    scenario.templates.push(raw(json!({"uriTemplate": "file:///data/{+path}", "name": "files"})));
    for (request, result) in answers {
        let answer = RawValue::from_string(format!(r#"{{"result":{result}}}"#)).unwrap();
        scenario.answers.insert(request.to_owned(), answer);
    }
    scenario
}

async fn hiding(setup: Setup, scenario: Scenario) -> (Bench, Client) {
    connect(playing(scenario).with_config(HIDING), setup).await
}

async fn p3_members_in_any_case_and_in_any_place_are_judged(setup: Setup) {
    let secret = r#"{"uri":"file:///data/private/s","text":"SECRET"}"#;
    let list = |block: String| format!(r#"{{"content":[{TEXT},{block}]}}"#);
    let results = [
        ("case_uri", list(LINK.replace("uri", "URI"))),
        ("case_dotless", list(LINK.replace("uri", "ur\u{131}"))),
        ("case_resource", list(format!(r#"{{"type":"resource","Resource":{secret}}}"#))),
        ("case_content", format!(r#"{{"Content":[{TEXT},{LINK}],"content":[{TEXT}]}}"#)),
        ("twice", format!(r#"{{"content":[{TEXT},{LINK}],"content":[{TEXT}]}}"#)),
        ("resource_list", list(format!(r#"{{"type":"resource","resource":[{secret}]}}"#))),
        (
            "resource_within",
            list(format!(r#"{{"type":"resource","resource":{{"uri":"kit://doc","resource":{secret}}}}}"#)),
        ),
        (
            "contents_within",
            list(format!(r#"{{"type":"resource","resource":{{"uri":"kit://doc","contents":[{secret}]}}}}"#)),
        ),
        ("uri_list", list(LINK.replace(r#""file:///data/private/s""#, r#"["file:///data/private/s"]"#))),
        ("uri_no_text", list(LINK.replace("private/s", r"private/s\ud800"))),
        ("spelled", list(LINK.replace("private/s", "x/..;/\u{ff50}rivate\u{3000}/s%00"))),
    ];
    let read = format!(r#"{{"contents":[{}]}}"#, secret.replace("uri", "URI"));
    let calls: Vec<String> = results.iter().map(|(tool, _)| format!("tools/call {tool}")).collect();
    let answers = calls.iter().zip(&results).map(|(call, (_, result))| (&**call, result.clone()));
    let answers = answers.chain([("resources/read file:///data/open", read)]);
    let (_bench, client) = hiding(setup, answering(answers)).await;
    for (tool, _) in results {
        let reply = client.learn_and_call(tool, json!({})).await;
        let answer = reply.answer().to_string();
        assert!(answer.contains("stays"), "{tool}: {answer}");
        assert!(!answer.contains("data") && !answer.contains("SECRET"), "{tool}: {answer}");
    }
    let error = client.read("file:///data/open").await.error();
    assert_eq!(error["message"], "Resource not found: file:///data/open");
}

async fn p3_a_completion_is_what_was_judged(setup: Setup) {
    let completion =
        r#"{"values":["public/a"],"Values":["public/b"],"all":["private/s"],"total":1,"hasMore":{"a":1}}"#;
    let result =
        format!(r#"{{"COMPLETION":{{"values":["private/s"]}},"completion":{completion},"x-odd":1}}"#);
    let (_bench, client) = hiding(setup, answering([("completion/complete ", result)])).await;
    let reference = json!({"type": "ref/resource", "uri": "file:///data/{+path}"});
    let params = json!({"ref": reference, "argument": {"name": "path", "value": ""}});
    let result = client.request("completion/complete", params).await.result();
    assert_eq!(result["completion"], json!({"values": ["public/b"], "total": 1}));
    assert_eq!((&result["x-odd"], result.get("COMPLETION")), (&json!(1), None));
}

async fn p5_an_invalid_result_is_not_quoted(setup: Setup) {
    let scenario = answering([("tools/call odd", format!("[{LINK}]"))]);
    let (_bench, client) = hiding(setup, scenario).await;
    let error = client.learn_and_call("odd", json!({})).await.error();
    assert_eq!(error["message"], "upstream 'kit' sent an invalid response: its result is not an object");
}

async fn p8_a_result_of_many_parts_is_looked_through_once(setup: Setup) {
    let mut requests = String::new();
    for number in 0..20_000 {
        write!(requests, r#""k{number}":{{"uri":"file:///data/private/s"}},"#).unwrap();
    }
    let many =
        format!(r#"{{"inputRequests":{{{requests}"last":{{"uri":"kit://doc"}}}},"content":[{TEXT}]}}"#);
    let items = format!(r#"{{"content":[{}{LINK}]}}"#, "0,".repeat(100_000));
    let scenario = answering([("tools/call many", many), ("tools/call items", items)]);
    let (_bench, client) = hiding(setup, scenario).await;
    let result = client.learn_and_call("many", json!({})).await.result();
    assert_eq!(result["inputRequests"], json!({"last": {"uri": "kit://doc"}}));
    client.learn_and_call("items", json!({})).await.error_with("cannot be looked through");
}

under_full!(
    p3_members_in_any_case_and_in_any_place_are_judged,
    p3_a_completion_is_what_was_judged,
    p5_an_invalid_result_is_not_quoted,
    p8_a_result_of_many_parts_is_looked_through_once,
);

async fn p3_what_a_stateless_upstream_asks_of_a_session_is_judged(setup: Setup) {
    let messages = format!(r#"[{{"role":"user","content":{LINK}}},{{"role":"user","content":{TEXT}}}]"#);
    let asked =
        format!(r#"{{"method":"sampling/createMessage","params":{{"messages":{messages},"maxTokens":1}}}}"#);
    let required = format!(r#"{{"resultType":"input_required","inputRequests":{{"a":{asked}}}}}"#);
    let scenario = without_sessions(answering([("tools/call asks", required)]));
    let (_bench, client) = askable(setup, playing(scenario).with_config(HIDING).own()).await;
    let _pending = client.start("tools/call", json!({"name": "asks", "arguments": {}})).await;
    let is_question = |message: &Value| message["method"] == "sampling/createMessage";
    let (_, question) = client.inbox.first(0, "a question", is_question).await;
    assert!(question.contains("stays") && !question.contains("private"), "{question}");
}

async fn p3_an_update_names_what_was_subscribed_to_alone(setup: Setup) {
    let open = "file:///data/public/a";
    let said = format!(
        r#"{{"uri":"file:///data/private/s","URI":"file:///data/private/s","uri":"{open}","title":"file:///data/private/s","_meta":{{"a":1}}}}"#
    );
    let mut scenario = answering([]);
    scenario.answers.insert(format!("resources/updated {open}"), RawValue::from_string(said).unwrap());
    let update = control(&format!("updated:{open}"));
    let (_bench, client) = hiding(setup, scenario).await;
    client.open_stream().await;
    client.request("resources/subscribe", json!({"uri": open})).await.result();
    client.read(&update).await.result();
    client.notification("notifications/resources/updated").await;
    let heard = client.inbox.since(0);
    let update = heard.iter().find(|message| message.contains("resources/updated")).unwrap();
    assert!(!update.contains("private") && update.contains(r#""_meta":{"a":1}"#), "{update}");
}

each_transport_with_sessions!(
    p3_what_a_stateless_upstream_asks_of_a_session_is_judged,
    p3_an_update_names_what_was_subscribed_to_alone,
);

/// An upstream that answers with a task whether or not one was asked for, and whose result links to what is hidden.
async fn t1_t3_p3_a_tasks_id_is_ours_and_its_result_is_judged(setup: Setup) {
    let task = |status: &str| {
        let time = "2026-01-02T03:04:05Z";
        json!({"taskId": "0", "status": status, "ttl": 600_000, "createdAt": time, "lastUpdatedAt": time, "statusMessage": "its own"})
    };
    let secret = r#"{"URI":"file:///data/private/s","text":"SECRET"}"#;
    let embedded = format!(r#"{{"type":"resource","Resource":{secret}}}"#);
    let messages = format!(r#"[{{"role":"user","content":[{LINK}]}}]"#);
    let asks = format!(r#"{{"a":{{"params":{{"content":[{embedded}]}}}}}}"#);
    let result = format!(
        r#"{{"content":[{TEXT},{LINK},{embedded}],"contents":[{secret}],"messages":{messages},"inputRequests":{asks}}}"#
    );
    let unasked = json!({"task": task("working"), "resultType": "task", "taskId": "0", "content": []});
    let mut scenario = answering([
        ("tools/call research", json!({"task": task("working")}).to_string()),
        ("tools/call plain", unasked.to_string()),
        ("tasks/get ", task("completed").to_string()),
        ("tasks/result ", result),
    ]);
    let edited = |text: &RawValue, member: &str, value: Value| {
        let mut edited: Value = serde_json::from_str(text.get()).unwrap();
        edited[member] = value;
        raw(edited)
    };
    scenario.tools[0] = edited(&scenario.tools[0], "execution", json!({"taskSupport": "required"}));
    let tasks = json!({"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}});
    let capabilities = json!({"tools": {}, "resources": {}, "tasks": tasks});
    scenario.initialize = edited(&scenario.initialize, "capabilities", capabilities);
    let bench = Bench::start(playing(scenario).with_config(HIDING)).await;
    let identity = Identity::offering(setup.strategy).running_tasks();
    let client = Client::connect_as(&bench, setup, identity).await;
    client.call("plain", json!({})).await;
    for own in ["0", "00", " 0"] {
        let said = client.request("tasks/get", json!({"taskId": own})).await.answer().to_string();
        assert!(!said.contains("its own"), "{own:?}: {said}");
    }
    let mut call = json!({"name": "research", "arguments": {}});
    if setup.has_sessions() {
        call["task"] = json!({});
    }
    let begun = client.request("tools/call", call).await.result();
    let id = begun["task"]["taskId"].as_str().or(begun["taskId"].as_str()).unwrap();
    let method = if setup.has_sessions() { "tasks/result" } else { "tasks/get" };
    let said = client.request(method, json!({"taskId": id})).await.answer().to_string();
    assert!(said.contains("stays") && !said.contains("private") && !said.contains("SECRET"), "{said}");
}
over_http!(t1_t3_p3_a_tasks_id_is_ours_and_its_result_is_judged);
