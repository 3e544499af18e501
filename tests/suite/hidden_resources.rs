//! The one decision on resources (P3): whatever takes a URI refuses what is hidden, in any spelling, and answers it like
//! an unknown one.

use kit::{
    Bench, Client, Options, Reply, Scenario, Setup,
    scenario::{control, raw},
};
use serde_json::{Value, json, value::RawValue};

use crate::{connect, playing};

const HIDING: &str = "[resources.\"file:///data/private/*\"]\nhidden = true\n";

/// What errors say of a URI that is not canonical.
const HINT: &str = ". Only a canonical URI (RFC 3986, section 6.2.2) or one that is listed can be used here";

/// Spellings of `file:///data/private/s`, the canonical one first. Unit tests have more.
const SPELLINGS: [&str; 4] = [
    "file:///data/private/s",
    "FILE:///data/private/s",
    "file:///data/public/%2e%2e/private/s",
    "file:///data/private/%zz",
];

/// An upstream that reads anything, links to what is hidden, and suggests it.
fn scenario() -> Scenario {
    let mut scenario = Scenario::named(["links", "other", "illegible", "within"]);
    for uri in ["FILE:///data/private/listed", "file:///data/public/listed", "FILE:///data/public/a b"] {
        scenario.resources.push(raw(json!({"uri": uri, "name": uri})));
    }
    for template in ["file:///data/{+path}", "file:///data/private/{name}"] {
        scenario.templates.push(raw(json!({"uriTemplate": template, "name": template})));
    }
    let link = |uri: &str| json!({"type": "resource_link", "uri": uri, "name": "n"});
    let embedded = |uri: &str| json!({"type": "resource", "resource": {"uri": uri, "text": "SECRET"}});
    let text = json!({"type": "text", "text": "stays"});
    let content = json!([
        link("file:/data/private/s"),
        text,
        embedded("file:///data/%70rivate/s"),
        link("file:///data/public/a")
    ]);
    scenario.on("tools/call links", json!({"content": content}));
    let messages = json!([
        {"role": "user", "content": embedded("file:///data/private/s")},
        {"role": "user", "content": text},
        {"role": "user", "content": [embedded("file:///data/private/s"), text]},
        {"role": "user", "content": [
            {"type": "tool_result", "toolUseId": "1", "content": [link("file:/data/private/s"), text]},
        ]},
    ]);
    let secret = embedded("file:///data/private/s");
    let asked = json!({"method": "sampling/createMessage", "params": {"messages": [
        {"role": "user", "content": secret}, {"role": "user", "content": text},
    ]}});
    let result = json!({"content": [text], "params": [1, ["two"]], "inputRequests": {"a": asked, "b": {"method": "roots/list"}}});
    scenario.on("tools/call other", result);
    // A key that is no text: some clients read what stands beside it.
    let illegible = |result: String| RawValue::from_string(format!(r#"{{"result":{result}}}"#)).unwrap();
    let beside =
        format!(r#"{{"\ud800":1,"content":[{secret}],"messages":[{secret}],"contents":[{secret}]}}"#);
    scenario.answers.insert("tools/call illegible".to_owned(), illegible(beside.clone()));
    let within = r#"{"content":{"\ud800":1,"uri":"file:///data/private/s"}}"#.to_owned();
    scenario.answers.insert("tools/call within".to_owned(), illegible(within));
    let path = "resources/read file:///data/public/illegible";
    scenario.answers.insert(path.to_owned(), illegible(beside));
    scenario.on("prompts/get greet", json!({"messages": messages}));
    let contents = json!([
        {"uri": "file:///data/private/s", "text": "SECRET"},
        {"uri": "file:///data/public/a", "text": "open"},
    ]);
    scenario.on("resources/read file:///data/all", json!({"contents": contents}));
    let contents = json!([{"uri": "file:///data/private/s", "text": "SECRET"}]);
    scenario.on("resources/read file:///data/link", json!({"contents": contents}));
    let completion =
        json!({"values": ["private/s", "public/a", "public/%2e%2e/private/t"], "total": 3, "hasMore": false});
    scenario.on("completion/complete ", json!({"completion": completion}));
    scenario
}

fn hiding(config: &str) -> Options {
    playing(scenario()).with_config(config)
}

async fn hidden(setup: Setup) -> (Bench, Client) {
    connect(hiding(HIDING), setup).await
}

/// An answer without the URI that was asked for.
fn anonymous(reply: &Reply, uri: &str) -> String {
    let mut answer = reply.answer();
    answer["id"].take();
    let quoted = json!(uri).to_string();
    answer.to_string().replace(quoted.trim_matches('"'), "URI")
}

async fn p3_no_spelling_of_what_is_hidden_is_read(setup: Setup) {
    let (_bench, client) = hidden(setup).await;
    for uri in SPELLINGS {
        let refused = client.read(uri).await;
        // What is said of the spelling is said of any other URI in it.
        let missing = if uri == SPELLINGS[0] { "kit://missing" } else { "KIT://missing" };
        assert_eq!(anonymous(&refused, uri), anonymous(&client.read(missing).await, missing), "{uri}");
        let reference = json!({"type": "ref/resource", "uri": uri});
        let params = json!({"ref": reference, "argument": {"name": "path", "value": ""}});
        let refused = client.request("completion/complete", params).await;
        assert_eq!(refused.error()["message"], format!("Unknown reference: {uri}"));
    }
    // Readers differ in which of two members they take, and in whether case matters.
    for twice in ["URI", "Uri"] {
        let params = json!({"uri": "file:///data/public/a", twice: "file:///data/private/s"});
        assert_eq!(client.request("resources/read", params).await.error()["code"], -32602, "{twice}");
    }
    // What is listed is read as it is listed.
    for uri in ["file:///data/public/s", "kit://doc", "file:///data/public/a%40b", "FILE:///data/public/a b"]
    {
        client.read(uri).await.result();
    }
    for uri in ["file:///data/public/a%2Fb", "file:///data/public/100%", "FILE:///data/./public/%61"] {
        let error = client.read(uri).await.error();
        assert_eq!(error["message"], format!("Resource not found: {uri}{HINT}"));
    }
    let read: Vec<Value> = client.journal().await;
    let read: Vec<&str> = read
        .iter()
        .filter(|message| message["method"] == "resources/read")
        .filter_map(|message| message["params"]["uri"].as_str())
        .collect();
    assert!(read.contains(&"FILE:///data/public/a b"), "{read:?}");
    assert!(
        read.iter().all(|uri| !uri.to_lowercase().contains("private") && !uri.contains("zz")),
        "{read:?}"
    );
}

async fn p3_what_is_hidden_is_neither_listed_linked_nor_suggested(setup: Setup) {
    let (_bench, client) = hidden(setup).await;
    let listed = client.request("resources/list", json!({})).await.result().to_string();
    assert!(listed.contains("file:///data/public/listed") && !listed.contains("data/private"), "{listed}");
    let listed = client.request("resources/templates/list", json!({})).await.result().to_string();
    assert!(listed.contains("file:///data/{+path}") && !listed.contains("data/private"), "{listed}");
    let result = client.learn_and_call("links", json!({})).await.result();
    let kinds: Vec<&Value> =
        result["content"].as_array().unwrap().iter().map(|block| &block["type"]).collect();
    assert_eq!(kinds, ["text", "resource_link"], "{result}");
    let result = client.learn_and_call("other", json!({})).await.result();
    assert_eq!(result["params"], json!([1, ["two"]]), "what refers to nothing stays");
    let asked = &result["inputRequests"]["a"]["params"]["messages"];
    assert_eq!(asked, &json!([{"role": "user", "content": {"type": "text", "text": "stays"}}]), "{result}");
    client.learn_and_call("illegible", json!({})).await.error_with("cannot be looked through");
    client.read("file:///data/public/illegible").await.error_with("cannot be looked through");
    let result = client.learn_and_call("within", json!({})).await;
    assert!(!result.answer().to_string().contains("private"), "{:?}", result.answer());
    let result = client.request("prompts/get", json!({"name": "greet"})).await.result();
    let text = json!({"type": "text", "text": "stays"});
    let within = json!([{"type": "tool_result", "toolUseId": "1", "content": [text]}]);
    let contents: Vec<&Value> =
        result["messages"].as_array().unwrap().iter().map(|message| &message["content"]).collect();
    assert_eq!(contents, [&text, &json!([text]), &within], "{result}");
    let result = client.read("file:///data/all").await.result();
    assert_eq!(result["contents"], json!([{"uri": "file:///data/public/a", "text": "open"}]));
    let error = client.read("file:///data/link").await.error();
    assert_eq!(error["message"], "Resource not found: file:///data/link");
    let reference = json!({"type": "ref/resource", "uri": "file:///data/{+path}"});
    for (argument, values) in [
        (json!({"name": "path", "value": "p"}), json!(["public/a"])),
        // As suggested by a server that goes on from the last slash, and by one that suggests what is missing of what is typed.
        (json!({"name": "path", "value": "private/p"}), json!([])),
        (json!({"name": "path", "value": "private%2F"}), json!([])),
        // Nothing is known of what the values stand for.
        (json!({"name": "PATH", "value": ""}), json!([])),
        (json!({"value": ""}), json!([])),
        (json!("path"), json!([])),
    ] {
        let params = json!({"ref": reference, "argument": argument});
        let result = client.request("completion/complete", params).await.result();
        assert_eq!(result["completion"], json!({"values": values, "hasMore": false}), "{argument}");
    }
}

async fn p3_a_list_of_what_is_allowed_is_all_there_is(setup: Setup) {
    let allowed = ["file:///data/public/*", "file:///data/{+path}", "kit://journal"];
    let config = &format!("[resources]\nallow = {}\n", json!(allowed));
    let (_bench, client) = connect(hiding(config), setup).await;
    let listed = client.list("resources").await;
    let uris = listed.iter().filter_map(|one| one["uri"].as_str());
    assert_eq!(
        uris.filter(|uri| *uri != "resource:///tool_descriptions").collect::<Vec<_>>(),
        ["kit://journal", "file:///data/public/listed", "FILE:///data/public/a b"]
    );
    client.read("file:///data/public/a").await.result();
    let template = json!({"type": "ref/resource", "uri": "file:///data/{+path}"});
    let params = json!({"ref": template, "argument": {"name": "path", "value": ""}});
    let suggested = client.request("completion/complete", params).await.result();
    assert_eq!(suggested["completion"], json!({"values": ["public/a"], "hasMore": false}));
    for (uri, hint) in [
        ("kit://doc", ""),
        ("file:///data/a", ""),
        ("kit://missing", ""),
        ("FILE:/data//public/./a", HINT),
        ("file:///data/public/../a", HINT),
        ("file:///data/public/a%2Fb", HINT),
    ] {
        assert_eq!(client.read(uri).await.error()["message"], format!("Resource not found: {uri}{hint}"));
    }
}

each_strategy!(
    p3_no_spelling_of_what_is_hidden_is_read,
    p3_what_is_hidden_is_neither_listed_linked_nor_suggested,
);
under_full!(p3_a_list_of_what_is_allowed_is_all_there_is);

async fn p3_hidden_resources_cannot_be_subscribed_to(setup: Setup) {
    let open = "file:///data/public/a";
    let update = control(&format!("updated:{open}"));
    let hiding_config = format!("{HIDING}[resources.{update:?}]\nhidden = false\n");
    let (bench, client) = connect(hiding(&hiding_config), setup).await;
    client.open_stream().await;
    for uri in SPELLINGS {
        let refused = client.request("resources/subscribe", json!({"uri": uri})).await;
        let hint = if uri == SPELLINGS[0] { "" } else { HINT };
        assert_eq!(refused.error()["message"], format!("Resource not found: {uri}{hint}"));
    }
    client.request("resources/subscribe", json!({"uri": open})).await.result();
    client.read(&update).await.result();
    assert_eq!(client.notification("notifications/resources/updated").await["params"]["uri"], open);
    // What is hidden from now on is heard of no more.
    let config = format!("{hiding_config}[resources.{open:?}]\nhidden = true\n");
    bench.write(&config);
    bench.reloads.reload(false).await.unwrap();
    let heard = client.inbox.count();
    let again = client.request("resources/subscribe", json!({"uri": open})).await;
    assert_eq!(again.error()["message"], format!("Resource not found: {open}"));
    client.read(&update).await.result();
    client.read(&control("tool")).await.result();
    client.notification("notifications/tools/list_changed").await;
    assert!(client.inbox.since(heard).iter().all(|message| !message.contains("resources/updated")));
}

each_transport_with_sessions!(p3_hidden_resources_cannot_be_subscribed_to);

async fn p3_hidden_resources_cannot_be_listened_for(setup: Setup) {
    let (_bench, client) = hidden(setup).await;
    let wanted: Vec<&str> = SPELLINGS.iter().copied().chain(["file:///data/public/a"]).collect();
    let params = json!({"notifications": {"resourceSubscriptions": wanted}});
    let _listening = client.start("subscriptions/listen", params).await;
    let acknowledged = client.notification("notifications/subscriptions/acknowledged").await;
    assert_eq!(
        acknowledged["params"]["notifications"],
        json!({"resourceSubscriptions": ["file:///data/public/a"]})
    );
}

each_transport_without_sessions!(p3_hidden_resources_cannot_be_listened_for);
