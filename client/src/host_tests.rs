use std::time::Duration;

use mcp_disclosure_core::Era;
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;

use crate::{
    Channel, Concerns, Error, Host, Link, Preferences,
    agent::{Agent, Habit, Task},
    fake::{Say, asked, connected, fake, object, selecting},
};

fn tool(name: &str) -> Value {
    json!({"name": name, "description": "d", "inputSchema": {"type": "object"}})
}

fn unknown(params: &Value, known: &[&str]) -> bool {
    let names = params["names"].as_array().unwrap();
    names.iter().any(|name| !known.contains(&name.as_str().unwrap()))
}

/// A server of `describe` that has `a` and `b`.
fn describing(method: &str, params: &Value) -> Say {
    match method {
        "tools/list" => Say::Result(json!({"tools": [{"name": "a", "description": "d"}]})),
        "tools/describe" if unknown(params, &["a", "b"]) => Say::Error(-32602, "Unknown tool: c"),
        "tools/describe" => {
            let tools = params["names"].as_array().unwrap().iter().map(|name| tool(name.as_str().unwrap()));
            Say::Result(json!({"tools": tools.collect::<Vec<_>>()}))
        }
        "tools/call" => Say::Result(json!({"content": [], "structuredContent": params["arguments"]})),
        _ => Say::Error(-32601, "no"),
    }
}

#[tokio::test]
async fn d3_d6_definitions_come_in_order_and_once() {
    let (host, log) = connected("concerns+describe", describing).await;
    assert_eq!(*host.channel(), Channel::Method);
    let definitions = host.describe(&["b", "a", "b"]).await.unwrap();
    assert_eq!(definitions.iter().map(|one| one.name()).collect::<Vec<_>>(), ["b", "a", "b"]);
    assert_eq!(definitions[1].object(), &object(&tool("a")));
    assert!(definitions[0].version().starts_with("sha256:"));
    host.describe(&["a"]).await.unwrap();
    assert_eq!(asked(&log), ["tools/describe"]);
    assert_eq!(log.lock().unwrap().last().unwrap().1, json!({"names": ["b", "a"]}));
    // Nothing has to be fetched before a call.
    host.call("other", &json!({})).await.unwrap();
    assert_eq!(asked(&log), ["tools/describe", "tools/call"]);
    let Err(Error::UnknownTool { name, .. }) = host.describe(&["a", "c"]).await else { panic!() };
    assert_eq!(name, "c");
}

#[tokio::test]
async fn d6_what_is_asked_for_twice_at_once_is_sent_once() {
    let (host, log) = connected("describe", describing).await;
    let (one, other) = tokio::join!(host.describe(&["a"]), host.describe(&["a"]));
    assert_eq!(one.unwrap(), other.unwrap());
    assert_eq!(asked(&log), ["tools/describe"]);
}

#[tokio::test]
async fn d6_a_change_that_overtakes_the_answer_leaves_nothing_behind() {
    let (host, log) = connected("describe", |method, _| match method {
        "tools/describe" => Say::Tell("notifications/tools/list_changed", json!({"tools": [tool("a")]})),
        _ => Say::Nothing,
    })
    .await;
    for _ in 0..2 {
        host.describe(&["a"]).await.unwrap();
    }
    assert_eq!(asked(&log), ["tools/describe", "tools/describe"]);
}

/// A server of `info` that has `solve` in `algebra`, and lists `invoke` in its place.
fn informing(method: &str, params: &Value) -> Say {
    let entry = |name: &str, property: &str| json!({"name": name, "inputSchema": {"type": "object", "properties": {property: {}}}});
    let answer = |content: Value| json!({"content": [{"type": "text", "text": content.to_string()}]});
    let (called, arguments) = (params["name"].as_str().unwrap_or_default(), &params["arguments"]);
    match (method, called, arguments["topic"].as_str()) {
        ("tools/list", ..) => {
            Say::Result(json!({"tools": [entry("info", "topic"), entry("invoke", "tool")]}))
        }
        (_, "info", None) => Say::Result(answer(json!({"categories": {"algebra": {"count": 1}}}))),
        (_, "info", Some("algebra")) => {
            Say::Result(answer(json!({"category": "algebra", "tools": [{"name": "solve", "brief": "b"}]})))
        }
        (_, "info", Some("solve" | "tool:solve")) => {
            Say::Result(answer(json!({"tool": "solve", "parameters": {"x": {"required": true}}})))
        }
        (_, "info", Some(topic)) => {
            let mut answer =
                answer(json!({"error": format!("Unknown topic: {topic}"), "suggestions": ["solve"]}));
            answer["isError"] = true.into();
            Say::Result(answer)
        }
        (_, "invoke", _) if arguments["tool"] == "solve" => {
            Say::Result(json!({"content": [], "structuredContent": {"given": arguments["arguments"]}}))
        }
        _ => Say::Error(-32602, "Unknown tool"),
    }
}

#[tokio::test]
async fn i4_i5_i7_an_info_tool_describes_and_invokes() {
    let (host, log) = connected("info", informing).await;
    assert_eq!(*host.channel(), Channel::InfoTool);
    let definitions = host.describe(&["solve"]).await.unwrap();
    assert!(
        definitions[0].object().member("parameters").is_some() && definitions[0].input_schema().is_none()
    );
    host.describe(&["solve"]).await.unwrap();
    assert_eq!(asked(&log), ["tools/call"]);
    let Err(Error::UnknownTool { available, .. }) = host.describe(&["slove"]).await else { panic!() };
    assert_eq!(available, ["solve"]);
    let result = host.call("solve", &json!({"x": 1})).await.unwrap();
    assert_eq!(result.object("structuredContent").unwrap(), object(&json!({"given": {"x": 1}})));
}

#[tokio::test]
async fn an_agent_uses_an_info_tool_level_by_level() {
    let task = Task::new("solve", &json!({"x": 1})).unwrap();
    for (habit, extra) in [(Habit::Workflow, 0), (Habit::FetchEverything, 2), (Habit::SkipFetching, 0)] {
        let (host, _log) = connected("info", informing).await;
        let trace = Agent::new(&host, habit).perform(std::slice::from_ref(&task)).await.unwrap();
        assert!(trace.succeeded() && trace.errors().count() == 0, "{habit}: {trace:?}");
        assert_eq!(trace.extra_trips(), extra, "{habit}: {trace:?}");
    }
}

#[tokio::test]
async fn an_agent_describes_what_it_uses() {
    let tasks = [("a", 1), ("b", 2), ("a", 3)].map(|(tool, x)| Task::new(tool, &json!({"x": x})).unwrap());
    let (host, log) = connected("describe", describing).await;
    let trace = Agent::new(&host, Habit::Workflow).perform(&tasks).await.unwrap();
    assert!(trace.succeeded() && trace.extra_trips() == 0, "{trace:?}");
    let (describe, call) = ("tools/describe", "tools/call");
    assert_eq!(asked(&log), ["tools/list", describe, call, describe, call, call]);
}

#[tokio::test]
async fn a_server_after_001_alone_is_recognized_and_its_bare_text_understood() {
    let mut fetched = 0;
    let (link, log) = fake(move |method, params| match method {
        "initialize" => Say::Result(json!({
            "protocolVersion": "2025-06-18", "capabilities": {"tools": {}, "resources": {}}, "serverInfo": {},
            "instructions": "Be kind.",
        })),
        "resources/list" => {
            Say::Result(json!({"resources": [{"uri": "x://doc"}, {"uri": "my://tool_descriptions"}]}))
        }
        "resources/read" if params["uri"] == "my://tool_descriptions?tools=a" => {
            fetched += 1;
            let text = json!({"a": tool("a")}).to_string();
            Say::Result(json!({"contents": [{"uri": params["uri"], "text": text}]}))
        }
        // It forgot, as a server does that was restarted behind a proxy.
        "tools/call" if fetched < 2 => {
            let error = json!({"error": {"code": "TOOL_DESCRIPTION_REQUIRED", "message": "m"}});
            Say::Result(json!({"content": [{"type": "text", "text": error.to_string()}]}))
        }
        _ => Say::Result(json!({"content": []})),
    });
    let host = Host::connect(link, Preferences::default()).await.unwrap();
    assert_eq!(*host.channel(), Channel::Resource { uri: "my://tool_descriptions".to_owned() });
    let prompt = host.system_prompt();
    assert!(
        prompt.starts_with("Be kind.") && prompt.contains("my://tool_descriptions?tools=TOOL_NAME"),
        "{prompt}"
    );
    host.call("a", &json!({})).await.unwrap();
    let expected = ["resources/list", "resources/read", "tools/call", "resources/read", "tools/call"];
    assert_eq!(asked(&log), expected);
}

#[tokio::test]
async fn strangers_are_listed_and_called_without_ado() {
    let (host, log) = connected("someones-own", |method, params| match (method, params["cursor"].as_str()) {
        ("tools/list", None) => Say::Result(json!({"tools": [tool("a")], "nextCursor": "2"})),
        ("tools/list", _) => Say::Result(json!({"tools": [{"name": "bare"}]})),
        _ => Say::Result(json!({"content": [], "odd": 1.0})),
    })
    .await;
    assert_eq!((host.channel(), &*host.system_prompt()), (&Channel::List, ""));
    assert_eq!(host.list().await.unwrap().len(), 2);
    assert_eq!(host.describe(&["bare"]).await.unwrap()[0].object().text(), r#"{"name":"bare"}"#);
    assert_eq!(host.call("a", &json!({})).await.unwrap().text(), r#"{"content":[],"odd":1.0}"#);
    assert_eq!(asked(&log), ["tools/list", "tools/list", "tools/call"]);
    assert!(matches!(host.describe(&["nobody"]).await, Err(Error::UnknownTool { .. })));
    assert!(matches!(host.call("a", &7).await, Err(Error::NoObject { .. })));
}

#[tokio::test]
async fn c13_choices_are_handed_over_in_time_and_again() {
    let (link, log) = fake(|method, params| match method {
        "initialize" => {
            let mut result = selecting("full");
            result["capabilities"]["concerns"] = json!([{"name": "cost", "values": ["low", "high"]}]);
            Say::Result(result)
        }
        "updateConcerns" if params["concerns"]["cost"] == "huge" => Say::Error(-32602, "no such value"),
        "updateConcerns" => Say::Result(json!({"concerns": {"cost": "high"}, "warnings": ["w"]})),
        _ => Say::Result(json!({"tools": [tool("a")], "concerns": [{"name": "cost"}]})),
    });
    let preferences = Preferences::of(["full"]).with_concern("cost", "low").with_concern("mood", "good");
    let host = Host::connect(link, preferences).await.unwrap();
    assert!(host.server().declares("cost"));
    assert_eq!(host.list_concerns().await.unwrap().len(), 1);
    let change = |value: &str| Concerns::from_iter([("cost".to_owned(), json!(value))]);
    let update = host.update_concerns(&change("high")).await.unwrap();
    assert_eq!(
        (update.effective.text(), &update.warnings[..]),
        (r#"{"cost":"high"}"#, &["w".to_owned()][..])
    );
    assert_eq!(update.tools.len(), 1);
    assert!(matches!(host.update_concerns(&change("huge")).await, Err(Error::Answered { .. })));
    assert_eq!(
        host.concerns(),
        Concerns::from_iter([("cost".into(), json!("high")), ("mood".into(), json!("good"))])
    );
    let log = log.lock().unwrap();
    assert_eq!(log[0].1["concerns"], json!({"cost": "low", "mood": "good"}));
    assert_eq!((&*log[1].0, &log[1].1), ("notifications/initialized", &json!({"concerns": {"cost": "low"}})));
}

#[tokio::test]
async fn c13_without_sessions_choices_go_with_every_request() {
    let at = format!(
        "/_meta/io.modelcontextprotocol~1clientCapabilities/extensions/{}/concerns/cost",
        crate::EXTENSION.replace('/', "~1")
    );
    let cost = at.clone();
    let (link, log) = fake(move |method, params| match method {
        _ if params.pointer(&cost) == Some(&json!("huge")) => Say::Error(-32602, "no such value"),
        "server/discover" => Say::Result(json!({"supportedVersions": ["2026-07-28"], "capabilities": {}})),
        _ => Say::Result(json!({"tools": []})),
    });
    let preferences =
        Preferences { eras: vec![Era::Stateless], ..Preferences::of(["full"]).with_concern("cost", "low") };
    let host = Host::connect(link, preferences).await.unwrap();
    host.list().await.unwrap();
    let update = host.update_concerns(&Concerns::from_iter([("cost".into(), json!("high"))])).await.unwrap();
    assert_eq!(update.effective.text(), r#"{"cost":"high"}"#);
    assert!(host.update_concerns(&Concerns::from_iter([("cost".into(), json!("huge"))])).await.is_err());
    host.list().await.unwrap();
    let log = log.lock().unwrap();
    let sent: Vec<_> = log.iter().map(|(method, params)| (&**method, params.pointer(&at).unwrap())).collect();
    let (low, high) = (json!("low"), json!("high"));
    assert_eq!(
        sent,
        [
            ("server/discover", &low),
            ("tools/list", &low),
            ("tools/list", &high),
            ("tools/list", &json!("huge")),
            ("tools/list", &high),
        ]
    );
}

#[tokio::test]
async fn eras_are_tried_in_the_order_preferred() {
    let stateless_only = |method: &str, _: &Value| match method {
        "server/discover" => Say::Result(json!({"supportedVersions": ["2026-07-28"], "capabilities": {}})),
        "initialize" => Say::Error(-32022, "unsupported"),
        _ => Say::Error(-32601, "no"),
    };
    let session_only = |method: &str, _: &Value| match method {
        "initialize" => Say::Result(selecting("full")),
        _ => Say::Error(-32601, "no"),
    };
    let (both, reversed) = ([Era::Session, Era::Stateless], [Era::Stateless, Era::Session]);
    for eras in [both, reversed] {
        let preferences = || Preferences { eras: eras.into(), ..Preferences::default() };
        let host = Host::connect(fake(stateless_only).0, preferences()).await.unwrap();
        assert_eq!(host.server().era, Era::Stateless);
        let host = Host::connect(fake(session_only).0, preferences()).await.unwrap();
        assert_eq!((host.server().era, &*host.server().version), (Era::Session, "2025-11-25"));
    }
    let only = |era| Preferences { eras: vec![era], ..Preferences::default() };
    let refused = Host::connect(fake(stateless_only).0, only(Era::Session)).await;
    assert!(matches!(refused, Err(Error::Answered { error, .. }) if error.code == -32022));
    let old = |_: &str, _: &Value| Say::Result(json!({"protocolVersion": "1999-01-01"}));
    let refused = Host::connect(fake(old).0, only(Era::Session)).await;
    assert!(refused.unwrap_err().to_string().contains("1999-01-01"));
}

#[tokio::test]
async fn a_connection_that_nobody_waits_for_is_given_up() {
    let (near, far) = tokio::io::duplex(1024);
    let (input, output) = tokio::io::split(near);
    let connecting = Host::connect(Link::streams(input, output), Preferences::default());
    assert!(tokio::time::timeout(Duration::from_millis(10), connecting).await.is_err());
    let mut heard = String::new();
    let (mut input, _output) = tokio::io::split(far);
    tokio::time::timeout(Duration::from_secs(5), input.read_to_string(&mut heard)).await.unwrap().unwrap();
    assert!(heard.contains("initialize"), "{heard}");
}

async fn everything(link: Link) -> Result<(), Error> {
    let host = Host::connect(link, Preferences::default()).await?;
    Agent::new(&host, Habit::Workflow).perform(&[]).await?;
    host.update_concerns(&Concerns::new()).await?;
    host.describe(&["a"]).await?;
    host.call("a", &json!({})).await.map(drop)
}

/// That this compiles is the test: all of it may be spawned.
#[allow(dead_code, reason = "it is compiled, not called")]
fn spawnable(link: Link) -> impl Future<Output = Result<(), Error>> + Send {
    everything(link)
}

#[tokio::test]
async fn nothing_waits_for_a_server_that_is_gone() {
    let (host, _log) = connected("full", |method, _| match method {
        "tools/call" => Say::End,
        _ => Say::Nothing,
    })
    .await;
    let waiting = host.list();
    let ended = async {
        let result = host.call("a", &json!({})).await;
        assert!(matches!(result, Err(Error::Ended { .. })), "{result:?}");
    };
    let (listed, ()) = tokio::join!(waiting, ended);
    assert!(matches!(listed, Err(Error::Ended { .. })));
    assert!(matches!(host.list().await, Err(Error::Ended { .. })));
    host.close().await;
}

#[tokio::test]
async fn who_does_not_wait_any_more_says_so() {
    let (link, log) = fake(|method, _| match method {
        "initialize" => Say::Result(selecting("full")),
        _ => Say::Nothing,
    });
    let patience = Duration::from_millis(50);
    let host = Host::connect(link, Preferences { request_patience: patience, ..Preferences::default() })
        .await
        .unwrap();
    let timed_out = host.call("slow", &json!({})).await.unwrap_err();
    assert_eq!(timed_out.to_string(), "tools/call: no answer within 0.05 seconds");
    let nothing = json!({});
    let dropped = host.call("slow", &nothing);
    assert!(tokio::time::timeout(Duration::from_millis(1), dropped).await.is_err());
    // The fake reads in order: once it was asked something else, it has seen what came before.
    let _unanswered = host.list().await;
    let log = log.lock().unwrap();
    let cancelled = log.iter().filter(|(method, _)| method == "notifications/cancelled");
    assert!(cancelled.count() >= 2, "{log:?}");
}

#[tokio::test]
async fn nonsense_is_told_from_answers() {
    let (host, _log) = connected("resource", |method, params| match method {
        "tools/list" => Say::Result(json!({"tools": "none"})),
        "resources/list" => Say::Result(json!({"resources": [], "nextCursor": "again"})),
        "prompts/list" => Say::Result(json!(7)),
        "resources/read" if params["uri"].as_str().unwrap().ends_with("=busy") => {
            let text = r#"{"error":{"code":"RATE_LIMITED","message":"Wait.","retry_after_seconds":3}}"#;
            Say::Result(json!({"contents": [{"text": text}]}))
        }
        "resources/read" => Say::Result(json!({"contents": [{"text": "Hello."}]})),
        _ => Say::Nothing,
    })
    .await;
    for error in [
        host.list().await.unwrap_err(),
        host.resources().await.unwrap_err(),
        host.prompts().await.unwrap_err(),
        host.describe(&["a"]).await.unwrap_err(),
    ] {
        assert!(matches!(error, Error::Nonsense { .. }), "{error}");
    }
    let refused = host.call("busy", &json!({})).await;
    let Err(Error::Refused { code, retry_after, .. }) = refused else { panic!("{refused:?}") };
    assert_eq!((&*code, retry_after), ("RATE_LIMITED", Some(Duration::from_secs(3))));
}

#[tokio::test]
async fn a_link_that_leads_nowhere_says_so() {
    let nowhere = Host::connect(Link::command("/nonexistent/server", ["x"]), Preferences::default()).await;
    assert!(nowhere.unwrap_err().to_string().contains("/nonexistent/server"));
    let refused = Host::connect(Link::url("http://127.0.0.1:1/mcp").unwrap(), Preferences::default()).await;
    assert!(matches!(refused, Err(Error::Http { .. })));
    assert!(Link::url("ftp://127.0.0.1").is_err());
    assert!(Link::url("http://127.0.0.1").unwrap().with_header("a b", "c").is_err());
}

#[tokio::test]
async fn a_handler_in_this_process_is_met_in_either_era() {
    let (session, stateless) = (Era::Session, Era::Stateless);
    for eras in [vec![session], vec![stateless], vec![session, stateless], vec![stateless, session]] {
        let expected = eras[0];
        let link = Link::handler(mcp_disclosure_demo::MathServer::new());
        let host = Host::connect(link, Preferences { eras, ..Preferences::default() }).await.unwrap();
        assert_eq!((host.server().era, host.channel()), (expected, &Channel::List));
        let result =
            host.call("symbolic_diff", &json!({"expression": "x**2", "variable": "x"})).await.unwrap();
        assert!(result.text().contains("2*x"), "{result:?}");
        let definitions = host.describe(&["fft", "minimize"]).await.unwrap();
        assert!(definitions.iter().all(|definition| definition.input_schema().is_some()));
    }
}
