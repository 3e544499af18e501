//! Delta-MCP's own client (D5): exactly what it sends (version 0.2.1 of its repository), byte for byte, over
//! stdio and HTTP, and what it reads of the answers.

use kit::{Bench, Client, Identity, Scenario, Setup, http};
use serde_json::{Value, json};

use crate::{odd, playing};

/// Its `DeltaClient`, on either of its transports.
struct Delta {
    client: Client,
    address: std::net::SocketAddr,
    session: Option<String>,
    last_id: u64,
}

impl Delta {
    fn new(bench: &Bench, setup: Setup) -> Self {
        let client = Client::attach(bench, setup, Identity::default());
        Self { client, address: bench.address, session: None, last_id: 0 }
    }

    /// `initialize` with this version and these capabilities of tools: the result.
    async fn initialize(&mut self, version: &str, tools: &str) -> Value {
        let params = format!(
            r#"{{"protocolVersion":"{version}","clientInfo":{{"name":"delta-mcp-client","version":"0.2.0"}},"capabilities":{{{tools}"encoding":{{"compactJson":true}}}}}}"#
        );
        let result = self.send("initialize", Some(&params)).await["result"].clone();
        let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        if self.client.setup.is_http() {
            let (status, body) = self.post(initialized).await;
            assert_eq!((status, &*body), (202, ""));
        } else {
            self.client.notify("notifications/initialized", Value::Null).await;
        }
        result
    }

    /// One request: the answer.
    async fn send(&mut self, method: &str, params: Option<&str>) -> Value {
        self.last_id += 1;
        let params = params.map_or_else(String::new, |params| format!(r#","params":{params}"#));
        let message = format!(r#"{{"jsonrpc":"2.0","id":{},"method":"{method}"{params}}}"#, self.last_id);
        if self.client.setup.is_http() {
            let (status, body) = self.post(&message).await;
            assert_eq!(status, 200, "{body}");
            return serde_json::from_str(&body).unwrap();
        }
        self.client.send_message(serde_json::from_str(&message).unwrap()).await.answer()
    }

    /// As `fetch` of Node sends it.
    async fn post(&mut self, body: &str) -> (u16, String) {
        let mut headers = vec![
            ("content-type", "application/json"),
            ("accept", "application/json, application/json"),
            ("mcp-protocol-version", "2025-11-25"),
            ("accept-language", "*"),
            ("sec-fetch-mode", "cors"),
            ("user-agent", "node"),
            ("accept-encoding", "gzip, deflate"),
        ];
        headers.extend(self.session.iter().map(|session| ("mcp-session-id", session.as_str())));
        let headers = http::headers(&headers);
        let sending = http::send(self.address, "POST", "/mcp", &headers, body.as_bytes());
        let mut answer = sending.await.unwrap();
        if let Some(session) = answer.header("mcp-session-id") {
            self.session = Some(session.to_owned());
        }
        assert!(answer.header("content-type").is_none_or(|kind| kind == "application/json"));
        (answer.status, answer.rest().await.unwrap())
    }

    async fn tools(&mut self) -> Vec<Value> {
        self.send("tools/list", None).await["result"]["tools"].as_array().unwrap().clone()
    }
}

const VERSION: &str = "delta-mcp/0.2.0";
const ABLE: &str = r#""tools":{"progressiveDisclosure":true,"lazyLoading":true},"#;

async fn d5_its_client_is_answered_as_by_its_own_server(setup: Setup) {
    let bench = Bench::start(odd()).await;
    let mut client = Delta::new(&bench, setup);
    let result = client.initialize(VERSION, ABLE).await;
    assert_eq!(result["protocolVersion"], VERSION);
    assert_eq!(
        result["capabilities"]["tools"],
        json!({
            "listChanged": true,
            "filtering": {"supported": ["namePatterns"]},
            "progressiveDisclosure": true,
            "lazyLoading": true,
        })
    );
    assert_eq!(result["encoding"], json!({"format": "json"}));
    assert!(result["capabilities"].get("encoding").is_none() && result["serverInfo"]["name"].is_string());

    let tools = client.tools().await;
    assert_eq!(tools.len(), Scenario::odd().tools.len());
    for tool in &tools {
        assert_eq!(tool.as_object().unwrap().keys().collect::<Vec<_>>(), ["name", "description"]);
    }
    let described = client.send("tools/describe", Some(r#"{"name":"echo"}"#)).await["result"].clone();
    assert_eq!(described, serde_json::from_str::<Value>(Scenario::odd().tools[0].get()).unwrap());
    let unknown = client.send("tools/describe", Some(r#"{"name":"unknown"}"#)).await["error"].clone();
    assert_eq!(unknown, json!({"code": -32602, "message": "Unknown tool: unknown"}));
    let call = r#"{"name":"echo","arguments":{"text":"hi"}}"#;
    let called = client.send("tools/call", Some(call)).await["result"].clone();
    assert_eq!(called["structuredContent"]["given"], json!({"text": "hi"}));
}

async fn d5_other_versions_and_no_capability_are_plain_mcp(setup: Setup) {
    let bench = Bench::start(odd()).await;
    for (version, tools) in [
        ("delta-mcp/9.0.0", ABLE),
        ("delta-mcp/1.0.0", ABLE),
        ("delta-mcp/00.2", ABLE),
        ("delta-mcp/", ABLE),
        ("2025-11-25", ABLE),
        (VERSION, ""),
        (VERSION, r#""tools":{},"#),
        (VERSION, r#""tools":true,"#),
        (VERSION, r#""tools":{"progressiveDisclosure":false},"#),
        (VERSION, r#""tools":{"progressiveDisclosure":"true"},"#),
    ] {
        let mut client = Delta::new(&bench, setup);
        plain(&mut client, version, tools).await;
        assert!(client.tools().await[0]["inputSchema"]["required"].is_array(), "{version} {tools}");
    }
    for version in ["delta-mcp/0.99", "delta-mcp/0"] {
        let result = Delta::new(&bench, setup).initialize(version, ABLE).await;
        assert_eq!(result["protocolVersion"], VERSION, "{version}");
    }
}

async fn plain(client: &mut Delta, version: &str, tools: &str) {
    let result = client.initialize(version, tools).await;
    assert_eq!(result["protocolVersion"], "2025-11-25", "{version} {tools}");
    let tools = &result["capabilities"]["tools"];
    assert!(tools["listChanged"] == true && tools.get("progressiveDisclosure").is_none(), "{tools}");
    assert!(result.get("encoding").is_none());
}

async fn d5_where_describe_is_not_served_it_is_plain_mcp(setup: Setup) {
    let long = json!({"name": "a", "description": "long ".repeat(20), "inputSchema": {"type": "object"}});
    let unfit = playing(Scenario::with_tools([long.to_string()]));
    let bench = Bench::start(unfit.set("describe", json!({"long_briefs": "reject"}))).await;
    let mut client = Delta::new(&bench, setup);
    plain(&mut client, VERSION, ABLE).await;
    assert_eq!(client.tools().await, [long]);

    let bench = Bench::start(odd().pinned("resource")).await;
    let mut client = Delta::new(&bench, setup);
    plain(&mut client, VERSION, ABLE).await;
    assert!(client.tools().await.iter().all(|tool| tool["inputSchema"].is_object()));
}

async fn b13_its_client_is_listed_what_authors_wrote_without_marks(setup: Setup) {
    let drop = json!({
        "name": "drop", "description": "Delete an order for good", "inputSchema": {"type": "object"},
        "annotations": {"destructiveHint": true},
    });
    let bench = Bench::start(playing(Scenario::with_tools([drop.to_string()]))).await;
    let mut client = Delta::new(&bench, setup);
    client.initialize(VERSION, ABLE).await;
    assert_eq!(client.tools().await[0]["description"], drop["description"]);
}

cases!(
    describe_stdio_session describe_http_session;
    b13_its_client_is_listed_what_authors_wrote_without_marks,
    d5_its_client_is_answered_as_by_its_own_server,
    d5_other_versions_and_no_capability_are_plain_mcp,
    d5_where_describe_is_not_served_it_is_plain_mcp,
);
