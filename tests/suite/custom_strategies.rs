//! Other people's strategies: what they do wrong is answered for (F6).

use std::{io::Cursor, time::Duration};

use mcp_disclosure_core::{
    ClientTraits, DisclosureStrategy, Full, Listing, Profile, ReceiptKey, Registry, View, full::FullConfig,
};
use mcp_disclosure_server::{
    cli::demonstration,
    front::stdio,
    gateway::{Assembly, Gateway},
    negotiation::{Strategies, StrategyOptions},
};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, duplex};

/// A strategy that cannot list.
#[derive(Debug)]
struct Broken(Profile);

impl Broken {
    fn new(config: FullConfig) -> Self {
        Self(Profile { name: "broken".into(), ..Full::new(config).profile().clone() })
    }
}

impl DisclosureStrategy for Broken {
    fn profile(&self) -> &Profile {
        &self.0
    }

    fn list(&self, _view: &View, _client: &ClientTraits) -> Listing {
        panic!("a custom strategy's fault")
    }
}

#[tokio::test]
async fn f6_a_strategy_that_panics_is_answered_for_in_the_handshake_too() {
    let mut registry = Registry::new();
    registry.register(Broken::new).unwrap();
    let options = StrategyOptions { pinned: Some("broken".to_owned()), ..StrategyOptions::default() };
    let strategies = Strategies::build(&registry, &options).unwrap();
    let (target, files, _) = demonstration();
    let assembly = Assembly {
        targets: vec![(None, target)],
        files,
        ..Assembly::new(strategies, ReceiptKey::new(&[1; 32]).unwrap())
    };
    let gateway = Gateway::start(assembly).await.unwrap().gateway;
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
    });
    let lines = format!(
        "{}\n{}\n",
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {"_meta": meta}}),
    );
    let (ours, mut theirs) = duplex(64 * 1024);
    tokio::time::timeout(Duration::from_secs(15), stdio::serve(&gateway, Cursor::new(lines), ours))
        .await
        .unwrap()
        .unwrap();
    let mut answers = String::new();
    theirs.read_to_string(&mut answers).await.unwrap();
    let codes: Vec<Value> = answers
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|answer| json!([answer["id"], answer["error"]["code"]]))
        .collect();
    assert_eq!(codes, [json!([1, -32603]), json!([2, -32603])]);
    gateway.close().await;
}
