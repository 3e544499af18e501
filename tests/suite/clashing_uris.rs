//! URIs that several upstreams offer (U18): each is served under a URI of ours that leads back to its upstream.

use kit::{
    Client, Options, Scenario, Setup,
    scenario::{control, raw},
};
use serde_json::{Value, json};

use crate::{connect, several};

const PAGE: &str = "ui://app/chart.html";

/// A page that is not listed, as MCP Apps allows.
const UNLISTED: &str = "ui://app/unlisted.html";

/// An upstream with the pages, templates, tools and prompts that others of it have as well, and something of its own.
fn scenario(name: &str) -> Scenario {
    let ui = |page: &str| json!({"ui": {"resourceUri": page, "prefersBorder": true}});
    let tool =
        |own: &str, page: &str| json!({"name": own, "inputSchema": {"type": "object"}, "_meta": ui(page)});
    let tools = [tool("chart", PAGE), tool("more", UNLISTED), tool(name, &format!("ui://{name}/own.html"))];
    let mut scenario = Scenario::with_tools(tools.map(|tool| tool.to_string()));
    scenario.resources = [PAGE, &format!("note://{name}"), "https://example.com/doc"]
        .map(|uri| raw(json!({"uri": uri, "name": uri, "mimeType": "text/html;profile=mcp-app"})))
        .into();
    scenario.templates = vec![raw(json!({"uriTemplate": "memo://{id}/text", "name": "memo"}))];
    for uri in [PAGE, UNLISTED, "https://example.com/doc", "memo://7/text", &format!("note://{name}")] {
        let contents =
            json!([{"uri": uri, "text": format!("{uri} of {name}")}, {"uri": PAGE, "text": "another"}]);
        scenario.on(format!("resources/read {uri}"), json!({"contents": contents}));
    }
    let link = json!({"type": "resource_link", "uri": PAGE, "name": "n"});
    let embedded = json!({"type": "resource", "resource": {"uri": "memo://7/text", "text": "x"}});
    let content =
        json!([link, embedded, {"type": "resource_link", "uri": format!("note://{name}"), "name": "n"}]);
    let result = json!({"content": content, "_meta": ui(PAGE), "structuredContent": {"uri": PAGE}});
    scenario.on("tools/call chart", result);
    let messages = json!([{"role": "user", "content": embedded}]);
    scenario.on("prompts/get greet", json!({"messages": messages}));
    scenario
}

fn two() -> Options {
    several(["a", "b"].map(|name| (name, scenario(name))))
}

async fn listed(client: &Client, kind: &str, member: &str) -> Vec<String> {
    let items = client.list(kind).await.into_iter();
    items.filter_map(|item| item.pointer(member)?.as_str().map(str::to_owned)).collect()
}

async fn u18_each_upstreams_page_is_listed_and_read(setup: Setup) {
    let (_bench, client) = connect(two(), setup).await;
    let resources = listed(&client, "resources", "/uri").await;
    let expected = [
        "ui://a__/app/chart.html",
        "note://a",
        "https://example.com/doc#a__",
        "ui://b__/app/chart.html",
        "note://b",
        "https://example.com/doc#b__",
    ];
    assert_eq!(resources.iter().filter(|uri| !uri.starts_with("resource:")).collect::<Vec<_>>(), expected);
    for uri in expected.iter().chain(&["ui://b__/app/unlisted.html", "memo://b__/7/text"]) {
        let read = client.read(uri).await.result();
        let of = if uri.contains("a__") || *uri == "note://a" { "a" } else { "b" };
        assert_eq!(read["contents"][0]["uri"], *uri);
        assert!(read["contents"][0]["text"].as_str().unwrap().ends_with(&format!(" of {of}")), "{read}");
        assert_eq!(read["contents"][1]["uri"], format!("ui://{of}__/app/chart.html"));
    }
    let templates = listed(&client, "resourceTemplates", "/uriTemplate").await;
    let templates: Vec<&String> = templates.iter().filter(|uri| uri.starts_with("memo")).collect();
    assert_eq!(templates, ["memo://a__/{id}/text", "memo://b__/{id}/text"]);
    // What was known before another upstream came still leads somewhere.
    client.read(PAGE).await.result();
}

async fn u18_what_refers_to_a_resource_says_its_uri(setup: Setup) {
    let (_bench, client) = connect(two(), setup).await;
    if setup.strategy == "full" {
        let pages = listed(&client, "tools", "/_meta/ui/resourceUri").await;
        let expected = [
            "ui://a__/app/chart.html",
            "ui://a__/app/unlisted.html",
            "ui://a/own.html",
            "ui://b__/app/chart.html",
            "ui://b__/app/unlisted.html",
            "ui://b/own.html",
        ];
        assert_eq!(pages, expected);
    }
    for of in ["a", "b"] {
        let result = client.learn_and_call(&format!("{of}__chart"), json!({})).await.result();
        let (page, memo) = (format!("ui://{of}__/app/chart.html"), format!("memo://{of}__/7/text"));
        assert_eq!(result["content"][0]["uri"], page, "{result}");
        assert_eq!(result["content"][1]["resource"]["uri"], memo);
        assert_eq!(result["content"][2]["uri"], format!("note://{of}"));
        assert_eq!(result["_meta"]["ui"], json!({"resourceUri": page, "prefersBorder": true}));
        assert_eq!(result["structuredContent"]["uri"], PAGE, "data is not looked at");
        let prompt = client.request("prompts/get", json!({"name": format!("{of}__greet")})).await.result();
        assert_eq!(prompt["messages"][0]["content"]["resource"]["uri"], memo);
    }
}

async fn u18_subscriptions_are_to_the_upstreams_own(setup: Setup) {
    let (_bench, client) = connect(two(), setup).await;
    client.open_stream_of_session().await;
    let uri = "ui://b__/app/chart.html";
    client.request("resources/subscribe", json!({"uri": uri})).await.result();
    for of in ["a", "b"] {
        let control = control(&format!("updated:{PAGE}")).replace("kit://", &format!("kit://{of}__/"));
        client.read(&control).await.result();
    }
    let updated = client.notification("notifications/resources/updated").await;
    assert_eq!(updated["params"]["uri"], uri);
    client.request("resources/unsubscribe", json!({"uri": uri})).await.result();
    let journal = client.read("kit://b__/journal").await.text_as_json();
    let is_asked = |message: &&Value| message["method"].as_str().is_some_and(|it| it.ends_with("subscribe"));
    let asked = journal.as_array().unwrap().iter().filter(is_asked);
    let asked: Vec<&Value> = asked.map(|message| &message["params"]["uri"]).collect();
    assert!(!asked.is_empty() && asked.iter().all(|uri| **uri == PAGE), "{asked:?}");
}

async fn u18_a_hidden_resource_stays_hidden_under_our_uri(setup: Setup) {
    let config = format!("[resources.\"b/{PAGE}\"]\nhidden = true\n");
    let (_bench, client) = connect(two().with_config(&config), setup).await;
    let resources = listed(&client, "resources", "/uri").await;
    assert!(resources.contains(&PAGE.to_owned()), "what is hidden clashes with nothing: {resources:?}");
    let text = client.read(PAGE).await.result()["contents"][0]["text"].clone();
    assert_eq!(text, format!("{PAGE} of a"));
    for uri in ["ui://b__/app/chart.html", "ui://b__/app/./chart.html", "UI://b__/app/chart.html"] {
        assert!(client.read(uri).await.error()["message"].is_string(), "{uri}");
    }
}

/// An upstream that lists the page of another, our URI of that, and everything by a template.
async fn u18_a_page_is_that_of_its_owner_whatever_another_lists(setup: Setup) {
    let ours = "ui://owner__/app/chart.html";
    let mut evil = scenario("evil");
    evil.resources.push(raw(json!({"uri": ours, "name": "forged"})));
    evil.templates.push(raw(json!({"uriTemplate": "ui://{+any}", "name": "all"})));
    evil.on(format!("resources/read {ours}"), json!({"contents": [{"uri": ours, "text": "forged"}]}));
    let (_bench, client) = connect(several([("evil", evil), ("owner", scenario("owner"))]), setup).await;
    let tools = client.tools().await;
    let owners = tools.iter().find(|tool| tool["name"] == "owner__chart").unwrap();
    for uri in [owners["_meta"]["ui"]["resourceUri"].as_str().unwrap(), ours] {
        let read = client.read(uri).await.result();
        assert_eq!(read["contents"][0]["text"], format!("{PAGE} of owner"), "{uri}: {read}");
    }
}

each_way_in!(
    u18_each_upstreams_page_is_listed_and_read,
    u18_a_hidden_resource_stays_hidden_under_our_uri,
    u18_a_page_is_that_of_its_owner_whatever_another_lists,
);
each_strategy!(u18_what_refers_to_a_resource_says_its_uri);
each_transport_with_sessions!(u18_subscriptions_are_to_the_upstreams_own);
