//! MCP Apps (S14): tools with pages are listed completely, tools for pages alone are no model's, the capability goes upstream, and a
//! page's request reaches its own server.

use kit::{Identity, Options, Scenario, Setup};
use mcp_disclosure_core::UI;
use mcp_disclosure_gateway::backend::Scope;
use serde_json::{Value, json};

use crate::{connect_as, connect_plain, playing, several};

/// Long enough that no strategy lists it for being cheap.
fn tool(name: &str, ui: Option<Value>) -> String {
    let long = "Its meaning is explained at such length that it costs more than asking for it. ".repeat(4);
    let mut tool = json!({
        "name": name,
        "description": format!("Paints {name}. {long}"),
        "inputSchema": {"type": "object", "properties": {"x": {"type": "integer", "description": long}}},
    });
    if let Some(ui) = ui {
        tool["_meta"] = json!({"ui": ui});
    }
    tool.to_string()
}

fn scenario(name: &str) -> Scenario {
    let page = "ui://app/page.html";
    let mut scenario = Scenario::with_tools([
        tool("painted", Some(json!({"resourceUri": page}))),
        tool("repainted", Some(json!({"resourceUri": page, "visibility": ["app"]}))),
        tool("buried", None),
    ]);
    let contents =
        json!([{"uri": page, "mimeType": "text/html;profile=mcp-app", "text": format!("of {name}")}]);
    scenario.on(format!("resources/read {page}"), json!({"contents": contents}));
    let result = json!({"content": [{"type": "text", "text": format!("by {name}")}]});
    for tool in ["repainted", "buried"] {
        scenario.on(format!("tools/call {tool}"), result.clone());
    }
    scenario
}

fn options(setup: Setup, config: &str) -> Options {
    playing(scenario("kit")).pinned(setup.strategy).with_config(config)
}

async fn s14_what_pages_need_is_listed_completely(setup: Setup) {
    let (_bench, client) = connect_plain(options(setup, ""), setup).await;
    let tools = client.tools().await;
    for name in ["painted", "repainted"] {
        let listed: Vec<&Value> = tools.iter().filter(|tool| tool["name"] == name).collect();
        assert_eq!(listed.len(), 1, "{name}");
        assert_eq!(listed[0]["_meta"]["ui"]["resourceUri"], "ui://app/page.html");
        assert_eq!(listed[0]["inputSchema"]["properties"]["x"]["type"], "integer", "complete");
    }
    let page = client.read("ui://app/page.html").await.result();
    assert_eq!(page["contents"][0]["text"], "of kit");
    // It is called without being learned.
    let result = client.call("repainted", json!({})).await.result();
    assert_eq!(result["content"][0]["text"], "by kit", "{result}");
    let (_off, client) = connect_plain(options(setup, "[pins]\nui = false\n"), setup).await;
    let listed = client.tools().await;
    let is_complete =
        |tool: &&Value| tool["name"] == "painted" && tool["inputSchema"]["properties"]["x"].is_object();
    assert!(!listed.iter().any(|tool| is_complete(&tool)), "the operator says no");
}
where_schemas_are_withheld!(s14_what_pages_need_is_listed_completely);

async fn s14_what_is_for_pages_alone_is_no_models(setup: Setup) {
    let (_bench, client) = connect_plain(options(setup, ""), setup).await;
    let own: &[(&str, Value)] = match setup.strategy {
        "search" => &[
            ("search_tools", json!({})),
            ("search_tools", json!({"query": "repainted"})),
            ("search_tools", json!({"query": "paints", "limit": 50})),
        ],
        _ => &[("info", json!({})), ("info", json!({"topic": "kit"})), ("info", json!({"topic": "repaint"}))],
    };
    for (name, arguments) in own {
        let answer = client.call(name, arguments.clone()).await.result().to_string();
        let said = answer.replace("\\\"query\\\":\\\"repainted", "");
        assert!(!said.contains("Paints repainted"), "{name} {arguments}: {said}");
    }
    if setup.strategy != "search" {
        return;
    }
    let refused = client.call("call_tool", json!({"tool": "repainted", "arguments": {}})).await.result();
    assert_eq!(refused["isError"], true, "{refused}");
    assert!(client.calls_forwarded().await.is_empty());
}
cases!(search_stdio_session search_http_stateless info_http_session; s14_what_is_for_pages_alone_is_no_models);

async fn s14_the_capability_goes_upstream_as_it_was_sent(setup: Setup) {
    let declared = json!({"mimeTypes": ["text/html;profile=mcp-app"]});
    let of = |journal: &[Value]| {
        let hello = journal.iter().rfind(|message| message["method"] == "initialize").unwrap();
        hello["params"]["capabilities"]["extensions"]["io.modelcontextprotocol/ui"].clone()
    };
    for (scope, config, pages, expected) in [
        (Scope::Session, "", true, declared.clone()),
        (Scope::Session, "", false, Value::Null),
        (Scope::Shared, "", true, Value::Null),
        (
            Scope::Shared,
            "[upstreams.kit]\npass = [\"io.modelcontextprotocol/ui\"]\n",
            false,
            declared.clone(),
        ),
    ] {
        let identity = Identity::default();
        let identity = if pages { identity.declaring(UI, declared.clone()) } else { identity };
        let (_bench, client) = connect_as(Options { scope, ..options(setup, config) }, setup, identity).await;
        assert_eq!(of(&client.journal().await), expected, "{scope} {config}");
    }
}
cases!(full_http_session; s14_the_capability_goes_upstream_as_it_was_sent);

async fn s14_a_pages_request_reaches_its_own_server(setup: Setup) {
    let both = several(["a", "b"].map(|name| (name, scenario(name))));
    let (_bench, client) = connect_plain(both.pinned(setup.strategy), setup).await;
    let listed = client.tools().await;
    for of in ["a", "b"] {
        let name = format!("{of}__painted");
        let page =
            listed.iter().find(|tool| tool["name"] == *name).unwrap()["_meta"]["ui"]["resourceUri"].clone();
        let read = client.read(page.as_str().unwrap()).await.result();
        assert_eq!(read["contents"][0]["text"], format!("of {of}"));
        let asking = json!({"ui": {"resourceUri": page}});
        for tool in ["repainted", "buried"] {
            let call = json!({"name": tool, "arguments": {}, "_meta": asking});
            let result = client.request("tools/call", call).await.result();
            assert_eq!(result["content"][0]["text"], format!("by {of}"), "{tool}");
        }
        let read = json!({"uri": "ui://app/page.html", "_meta": asking});
        let read = client.request("resources/read", read).await.result();
        assert_eq!(read["contents"][0]["text"], format!("of {of}"));
    }
}
cases!(search_stdio_session full_http_stateless resource_http_session; s14_a_pages_request_reaches_its_own_server);

async fn s12_hosts_are_told_not_to_defer_the_way_in(setup: Setup) {
    let (_bench, client) = connect_plain(options(setup, ""), setup).await;
    let entries = ["search_tools", "info", "get_group", "call_tool", "describe_tools", "invoke"];
    let tools = client.tools().await;
    let own: Vec<&Value> =
        tools.iter().filter(|tool| entries.iter().any(|own| tool["name"] == *own)).collect();
    assert!(
        !own.is_empty() && own.iter().all(|tool| tool["_meta"]["anthropic/alwaysLoad"] == true),
        "{own:?}"
    );
}
where_schemas_are_withheld!(s12_hosts_are_told_not_to_defer_the_way_in);
