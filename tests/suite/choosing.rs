//! C3, U16: choices of concerns reach upstreams that are a client's alone, before its next answer.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use kit::{
    Options, Setup,
    process::{Process, hello},
};
use mcp_disclosure_gateway::upstream::{Responder, Target};
use mcp_disclosure_transport::{ErrorText, Json, Request};
use serde_json::{Value, json};

use crate::{
    command_line::{ODD, program},
    connect,
};

/// A session before a server that reads choices in its handshake, after these choices.
fn choosing(mode: &str, chosen: &Value) -> Process {
    let mut gateway = Process::start(&mut program(&["serve", "--strategy", "full", "--", ODD, mode]));
    let mut params = hello();
    params["concerns"] = chosen.clone();
    let answer = gateway.request("initialize", params);
    assert_eq!(answer["result"]["capabilities"]["concerns"][0]["name"], "cost", "{answer}");
    gateway.line(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
    gateway
}

fn update(gateway: &mut Process, cost: &Value) -> Value {
    gateway.request("updateConcerns", json!({"concerns": {"cost": cost}}))["result"].take()
}

#[test]
fn u16_a_choice_is_in_force_once_the_lists_that_follow_it_are_answered() {
    let mut gateway = choosing("chooses-and-loses-lists", &json!({}));
    let updated = update(&mut gateway, &json!("low"));
    assert_eq!(updated["concerns"], json!({}), "{updated}");
    assert!(updated["warnings"][0].as_str().unwrap().contains("cost"), "{updated}");
    assert_eq!(gateway.tool_names(), ["echo", "wait"]);
    gateway.finish();
}

#[test]
fn u16_a_server_that_ends_when_it_is_told_follows_choices_by_its_handshake() {
    let mut gateway = choosing("chooses-and-dies", &json!({"cost": "low"}));
    assert_eq!(gateway.tool_names(), ["echo"]);
    for (cost, listed) in [("high", &["echo", "wait"][..]), ("low", &["echo"])] {
        assert_eq!(update(&mut gateway, &json!(cost))["concerns"], json!({"cost": cost}));
        assert_eq!(gateway.tool_names(), listed, "{cost}");
    }
    gateway.finish();
    let mut gateway = choosing("chooses-and-dies", &json!({}));
    update(&mut gateway, &json!("low"));
    assert_eq!(gateway.tool_names(), ["echo"]);
    gateway.finish();
}

#[test]
fn u16_a_client_that_changes_its_mind_starts_no_more_servers_than_one_a_second() {
    let mut gateway = choosing("chooses", &json!({}));
    let begun = Instant::now();
    for round in 0..4 {
        let (cost, listed) =
            if round % 2 == 0 { (json!("low"), &["echo"][..]) } else { (json!(null), &["echo", "wait"][..]) };
        update(&mut gateway, &cost);
        assert_eq!(gateway.tool_names(), listed, "{round}");
    }
    // The first is for free.
    assert!(begun.elapsed() >= Duration::from_secs(3), "{:?}", begun.elapsed());
    gateway.finish();
}

/// A server that declares `cost`, and lists what fits it.
#[derive(Debug, Default)]
struct Chooser(Mutex<Value>);

impl Responder for Chooser {
    fn respond(&self, request: &Request) -> Result<Json, ErrorText> {
        let concerns = || request.params.member("concerns").and_then(|text| serde_json::from_str(text).ok());
        Ok(Json::of(&match &*request.method {
            "initialize" => json!({
                "protocolVersion": "2025-11-25", "serverInfo": {"name": "chooser", "version": "1"},
                "capabilities": {"tools": {}, "concerns": [{"name": "cost", "values": ["low", "high"]}]},
            }),
            "updateConcerns" => {
                *self.0.lock().unwrap() = concerns().unwrap_or_default();
                json!({})
            }
            "tools/list" => {
                let is_cheap = self.0.lock().unwrap()["cost"] == "low";
                let names = if is_cheap { &["cheap"][..] } else { &["cheap", "dear"] };
                let tool = |name: &&str| json!({"name": name, "inputSchema": {"type": "object"}});
                json!({"tools": names.iter().map(tool).collect::<Vec<_>>()})
            }
            _ => return Err(ErrorText::method_not_found()),
        }))
    }
}

/// Threads, so that an upstream may follow while a list is being answered.
#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn c3_every_list_after_a_choice_is_filtered() {
    let setup = Setup::named("full_http_session");
    let sessions = (0..24).map(|_| async {
        let options = Options::alone("kit", Target::Responder(Arc::new(Chooser::default()) as _));
        let (_bench, client) = connect(options.own(), setup).await;
        for _ in 0..8 {
            for (cost, count) in [("low", 1), ("high", 2)] {
                client.notify("notifications/initialized", json!({"concerns": {"cost": cost}})).await;
                let lists = (0..8).map(|_| client.request("tools/list", json!({})));
                for listed in futures::future::join_all(lists).await {
                    assert_eq!(listed.result()["tools"].as_array().unwrap().len(), count, "{cost}");
                }
            }
        }
    });
    futures::future::join_all(sessions).await;
}
