//! I9: upstreams with an `info` tool of their own, as the info-tool document has it. `tests/interop` walks through the document's
//! servers.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use kit::{
    Bench, Client, Options, Scenario, Setup, eventually,
    scenario::{Stage, control},
};
use mcp_disclosure_gateway::upstream::{Responder, Target};
use mcp_disclosure_transport::{ErrorText, Json, Request};
use serde_json::{Value, json};

use crate::{connect, playing};

/// A server of two categories, of which `analysis` may be another's, too.
#[derive(Default)]
struct Server {
    own: &'static str,
    /// What its `info` takes beside a topic.
    takes: Option<&'static str>,
    asked: AtomicUsize,
}

impl Server {
    fn named(own: &'static str) -> Arc<Self> {
        Arc::new(Self { own, ..Self::default() })
    }

    fn tool(&self, name: &str) -> String {
        format!("{name}_{}", self.own)
    }

    fn tools(&self) -> Value {
        let parameter = json!({"type": "string", "description": "What to look at"});
        let mut topics = json!({"topic": {"type": "string", "default": "overview"}});
        if let Some(other) = self.takes {
            topics[other] = json!({"type": "string"});
        }
        let own = ["measure", "weigh", "draw"].map(|name| {
            let schema = json!({"type": "object", "properties": {"of": parameter}});
            json!({"name": self.tool(name), "description": format!("Does {name}."), "inputSchema": schema})
        });
        let info = json!({"name": "info", "inputSchema": {"type": "object", "properties": topics}});
        let all: Vec<Value> = own.into_iter().chain([info]).collect();
        json!({"tools": all})
    }

    fn info(&self, topic: Option<&str>) -> Value {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let brief = |name: &str| json!({"name": self.tool(name), "brief": format!("Own brief of {name}")});
        match topic {
            None | Some("overview") => json!({
                "name": self.own,
                "categories": {
                    "analysis": {"count": 2, "description": "In an overview"},
                    self.own: {"count": 1, "description": "Alone"},
                },
                "total_tools": 3,
                "gpu_available": true,
            }),
            Some("analysis") => json!({
                "category": "analysis", "description": "In full", "tools": [brief("weigh"), brief("measure")],
            }),
            Some(topic) if topic == self.own => {
                json!({"category": self.own, "description": "Alone", "tools": [brief("draw")]})
            }
            Some(topic) if topic.starts_with("measure") => json!({
                "tool": topic,
                "description": "What its author says of it at some length, which no schema has",
                "parameters": {"of": {"type": "string", "description": "What to look at, in full", "required": false}},
                "returns": {"size": "How large it is"},
                "examples": [{"input": {"of": "x"}, "output": {"size": 1}}],
                "related": [self.tool("weigh"), "of_no_server"],
            }),
            // Without the parameter that the schema has.
            Some(topic) if topic.starts_with("weigh") => {
                json!({"tool": topic, "description": "long ".repeat(99), "parameters": {}})
            }
            Some(topic) => json!({"error": format!("Unknown topic: {topic}")}),
        }
    }
}

impl Responder for Server {
    fn respond(&self, request: &Request) -> Result<Json, ErrorText> {
        let arguments = request.params.object("arguments").unwrap_or_default();
        Ok(Json::of(&match &*request.method {
            "initialize" => json!({
                "protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": format!("{}-mcp", self.own), "version": "9"},
            }),
            "tools/list" => self.tools(),
            "tools/call" if request.params.string("name").as_deref() == Some("info") => {
                let said = self.info(arguments.string("topic").as_deref());
                json!({"content": [{"type": "text", "text": said.to_string()}]})
            }
            "tools/call" => json!({"content": [{"type": "text", "text": "done"}]}),
            _ => return Err(ErrorText::method_not_found()),
        }))
    }
}

async fn before(servers: &[&Arc<Server>], setup: Setup) -> (Bench, Client) {
    ruled("", servers, setup).await
}

/// The same with these rules.
async fn ruled(config: &str, servers: &[&Arc<Server>], setup: Setup) -> (Bench, Client) {
    let targets = servers.iter().map(|server| (server.own, Target::Responder(Arc::clone(server) as _)));
    let options = Options { handlers: targets.collect(), ..Options::without_upstream() };
    connect(options.with_config(config), setup).await
}

async fn info(client: &Client, topic: &str) -> Value {
    client.call("info", json!({"topic": topic})).await.result()["structuredContent"].clone()
}

async fn i9_a_server_alone_is_explained_in_its_own_words(setup: Setup) {
    let server = Server::named("one");
    let (_bench, client) = before(&[&server], setup).await;
    assert_eq!(client.tool_names().await, ["measure_one", "weigh_one", "draw_one", "info"]);
    let asked = server.asked.load(Ordering::Relaxed);
    for topic in ["overview", "analysis", "one"] {
        assert_eq!(info(&client, topic).await, server.info(Some(topic)), "{topic}");
    }
    let mut measured = server.info(Some("measure_one"));
    measured["related"] = json!(["weigh_one"]);
    assert_eq!(info(&client, "measure_one").await, measured);
    assert!(
        info(&client, "weigh_one").await["parameters"]["of"].is_object(),
        "what lacks a parameter is less"
    );
    // Nothing of that is asked again: the four topics above were compared with the server's own answers here.
    assert_eq!(server.asked.load(Ordering::Relaxed), asked + 4);
}

async fn i9_servers_together_have_their_categories_by_name(setup: Setup) {
    let (one, two) = (Server::named("one"), Server::named("two"));
    let (_bench, client) = before(&[&one, &two], setup).await;
    let overview = info(&client, "overview").await;
    let categories: Vec<&String> = overview["categories"].as_object().unwrap().keys().collect();
    assert_eq!(categories, ["one/analysis", "one", "two/analysis", "two"]);
    assert_eq!(overview["total_tools"], 6);
    let tools = info(&client, "two/analysis").await["tools"].clone();
    assert_eq!(tools[0], json!({"name": "weigh_two", "brief": "Own brief of weigh"}));
    assert_eq!(info(&client, "two").await, two.info(Some("two")));
    assert_eq!(info(&client, "two/two").await, two.info(Some("two")));
}

async fn i9_an_info_that_is_hidden_or_of_another_kind_is_not_asked(setup: Setup) {
    for (rules, takes, own) in [
        ("[tools.\"one/info\"]\nhidden = true\n", None, false),
        ("[tools.\"in*\"]\nhidden = true\n", None, false),
        ("", Some("user"), true),
    ] {
        let server = Arc::new(Server { own: "one", takes, ..Server::default() });
        let (_bench, client) = ruled(rules, &[&server], setup).await;
        let mut expected = vec!["measure_one", "weigh_one", "draw_one", "info"];
        if own {
            expected.insert(3, "one__info");
        }
        assert_eq!(client.tool_names().await, expected, "{rules}");
        assert_eq!(server.asked.load(Ordering::Relaxed), 0, "{rules}");
    }
}

async fn i9_where_anything_is_hidden_its_words_are(setup: Setup) {
    let server = Server::named("one");
    let (_bench, client) = ruled("[tools.\"one/weigh_one\"]\nhidden = true\n", &[&server], setup).await;
    let mut answers = Vec::new();
    for topic in ["overview", "analysis", "measure_one"] {
        answers.push(info(&client, topic).await);
    }
    assert_eq!(answers[0]["total_tools"], 2);
    assert_eq!(answers[1]["tools"].as_array().unwrap().len(), 1, "{answers:?}");
    assert!(answers[2]["parameters"]["of"].is_object());
    let said = json!(answers).to_string();
    for theirs in ["gpu_available", "weigh", "In full", "Own brief", "What its author says"] {
        assert!(!said.contains(theirs), "{theirs}: {said}");
    }
}

/// A server that announces a change whenever its `info` is asked.
async fn i9_it_is_asked_again_only_where_definitions_changed(setup: Setup) {
    let lists: Vec<Stage> = ["a", "b", "c"]
        .map(|late| Stage { tools: Scenario::named(["info", late]).tools, prompts: Vec::new() })
        .into();
    let mut server = Scenario { stages: lists, ..Scenario::named(["info"]) };
    server.on(
        "tools/call info",
        json!({"content": [], "structuredContent": {"categories": {}, "total_tools": 1}}),
    );
    server.on("changes tools/call info", json!({}));
    let (_bench, client) = connect(playing(server), setup).await;
    for (stage, late) in ["a", "b", "c"].iter().enumerate() {
        client.read(&control(&format!("stage/{stage}"))).await.result();
        let is_listed = async || client.tool_names().await.iter().any(|name| name == late).then_some(());
        eventually("the list changes", is_listed).await;
    }
    let asked = client.calls_forwarded().await;
    let overviews =
        asked.iter().filter(|call| call["arguments"].as_object().is_none_or(|given| given.is_empty()));
    assert!((1..=4).contains(&overviews.count()), "{asked:?}");
}

async fn i9_under_other_strategies_it_is_a_tool_like_any_other(setup: Setup) {
    let server = Server::named("one");
    let (_bench, client) = before(&[&server], setup).await;
    assert!(client.tool_names().await.contains(&"info".to_owned()));
    let answer = client.learn_and_call("info", json!({})).await.text_as_json();
    assert_eq!(answer["total_tools"], 3);
}

under_info! {
    i9_a_server_alone_is_explained_in_its_own_words,
    i9_servers_together_have_their_categories_by_name,
    i9_an_info_that_is_hidden_or_of_another_kind_is_not_asked,
    i9_where_anything_is_hidden_its_words_are,
    i9_it_is_asked_again_only_where_definitions_changed,
}
under_full!(i9_under_other_strategies_it_is_a_tool_like_any_other);
