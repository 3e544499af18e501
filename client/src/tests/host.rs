//! A host with a fake server, for behaviour that real servers cannot be made to show.

use std::time::Duration;

use mcp_disclosure_core::Era;
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;

use crate::{
    Channel, Concerns, Error, Host, Link, Preferences,
    tests::fake::{Say, asked, connected, fake, selecting},
};

fn tool(name: &str) -> Value {
    json!({"name": name, "description": "d", "inputSchema": {"type": "object"}})
}

#[tokio::test]
async fn d6_a_response_that_a_change_overtakes_is_not_cached() {
    let (host, log) = connected("describe", |method, _| match method {
        "tools/describe" => Say::Notify("notifications/tools/list_changed", json!({"tools": [tool("a")]})),
        _ => Say::Nothing,
    })
    .await;
    for _ in 0..2 {
        host.describe(&["a"]).await.unwrap();
    }
    assert_eq!(asked(&log), ["tools/describe", "tools/describe"]);
}

#[tokio::test]
async fn a_server_of_the_guide_is_recognized_and_its_refusal_in_a_text_understood() {
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
        // It has lost its state, like a server that was restarted behind a proxy.
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
async fn unknown_strategies_are_listed_and_called_directly() {
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
    assert!(matches!(host.describe(&["unknown"]).await, Err(Error::UnknownTool { .. })));
    assert!(matches!(host.call("a", &7).await, Err(Error::NotAnObject { .. })));
}

#[tokio::test]
async fn c13_declared_choices_are_sent_again_at_the_start_and_warnings_are_handed_over() {
    let (link, log) = fake(|method, _| match method {
        "initialize" => {
            let mut result = selecting("full");
            result["capabilities"]["concerns"] = json!([{"name": "cost", "values": ["low", "high"]}]);
            Say::Result(result)
        }
        "updateConcerns" => Say::Result(json!({"concerns": {"cost": "high"}, "warnings": ["w"]})),
        _ => Say::Result(json!({"tools": [tool("a")]})),
    });
    let preferences = Preferences::of(["full"]).with_concern("cost", "low").with_concern("mood", "good");
    let host = Host::connect(link, preferences).await.unwrap();
    let high = ("cost".to_owned(), json!("high"));
    let update = host.update_concerns(&Concerns::from_iter([high.clone()])).await.unwrap();
    assert_eq!(update.warnings, ["w"]);
    assert_eq!(host.concerns(), Concerns::from_iter([high, ("mood".into(), json!("good"))]));
    let log = log.lock();
    assert_eq!(log[0].1["concerns"], json!({"cost": "low", "mood": "good"}));
    assert_eq!((&*log[1].0, &log[1].1), ("notifications/initialized", &json!({"concerns": {"cost": "low"}})));
}

#[tokio::test]
async fn a_dropped_connection_attempt_is_closed() {
    let (near, far) = tokio::io::duplex(1024);
    let (input, output) = tokio::io::split(near);
    let connecting = Host::connect(Link::streams(input, output), Preferences::default());
    assert!(tokio::time::timeout(Duration::from_millis(10), connecting).await.is_err());
    let mut received = String::new();
    let (mut input, _output) = tokio::io::split(far);
    tokio::time::timeout(Duration::from_secs(5), input.read_to_string(&mut received)).await.unwrap().unwrap();
    assert!(received.contains("initialize"), "{received}");
}

async fn everything(link: Link) -> Result<(), Error> {
    let host = Host::connect(link, Preferences::default()).await?;
    host.update_concerns(&Concerns::new()).await?;
    host.describe(&["a"]).await?;
    host.call("a", &json!({})).await.map(drop)
}

/// Compiling is the test: all futures can be spawned.
#[allow(dead_code, reason = "it is compiled, not called")]
fn spawnable(link: Link) -> impl Future<Output = Result<(), Error>> + Send {
    everything(link)
}

#[tokio::test]
async fn a_handler_in_this_process_is_connected_in_either_era() {
    let (session, stateless) = (Era::Session, Era::Stateless);
    for eras in [vec![session], vec![stateless], vec![session, stateless], vec![stateless, session]] {
        let expected = eras[0];
        let link = Link::handler(mcp_disclosure_demo::MathServer);
        let host = Host::connect(link, Preferences { eras, ..Preferences::default() }).await.unwrap();
        assert_eq!((host.server().era, host.channel()), (expected, &Channel::List));
        let result =
            host.call("symbolic_diff", &json!({"expression": "x**2", "variable": "x"})).await.unwrap();
        assert!(result.text().contains("2*x"), "{result:?}");
        let definitions = host.describe(&["fft", "minimize"]).await.unwrap();
        assert!(definitions.iter().all(|definition| definition.input_schema().is_some()));
    }
}
