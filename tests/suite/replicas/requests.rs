//! What each request brings, and what a session was opened with (K1): who asks, where, and how the client was chosen for.

use std::{fs, path::Path};

use kit::{exchange::get, process::until, redis::Redis};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{
    Replica,
    web::{Answer, Web, exchange},
};
use crate::{access, command_line::ODD};

const ANN: &str = "Authorization: Bearer the-secret-token-of-ann\r\n";
const BOB: &str = "Authorization: Bearer the-secret-token-of-bob\r\n";

/// A replica with this configuration, in front of the odd upstream.
#[track_caller]
fn configured(redis: &Redis, folder: &Path, name: &str, config: &str, flags: &[&str]) -> Replica {
    let file = folder.join(name);
    fs::write(&file, format!("{config}\n[upstreams.odd]\ncommand = {ODD:?}\n")).unwrap();
    Replica::configured(&redis.url(), &[&["--config", file.to_str().unwrap()], flags].concat())
}

/// Files in which Ann and Bob have tokens, and a configuration by which Ann is served by these strategies.
fn guarded(strategies: &[&str]) -> (TempDir, String) {
    access::guarded(&format!(
        "[[principals]]\nname = \"Ann\"\ntoken = \"ann\"\nstrategies = {strategies:?}\n\
         [[principals]]\nname = \"Bob\"\ntoken = \"bob\"\n[profiles.one]\ntools = [\"odd/echo\"]\n"
    ))
}

fn said(answer: &Answer) -> (u16, &Value) {
    (answer.status, &answer.body)
}

#[test]
fn k1_another_principals_session_is_an_unknown_one_to_the_letter_a5() {
    let (redis, folder) = (Redis::start(&[]), tempfile::tempdir().unwrap());
    let (_tokens, config) = guarded(&["full", "info"]);
    let [a, b] = ["a", "b"].map(|name| configured(&redis, folder.path(), name, &config, &[]));
    let ann = Web::open_with(a.at, "/mcp/@one", ANN, json!({}));
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let bob = |id: &str| format!("{BOB}Mcp-Session-Id: {id}\r\n");
    let of_bob = |at, id: &str| exchange(at, "POST", "/mcp/@one", &bob(id), ping);
    for at in [b.at, a.at, b.at] {
        let unknown = of_bob(at, "0123456789abcdef0123456789abcdef");
        assert_eq!(unknown.status, 404);
        assert_eq!(said(&of_bob(at, &ann.session)), said(&unknown));
        assert_eq!(exchange(at, "DELETE", "/mcp/@one", &bob(&ann.session), "").status, 404);
        assert_eq!(ann.tools(at), ["echo"], "her profile is that of the session");
        let elsewhere = format!("{ANN}Mcp-Session-Id: {}\r\n", ann.session);
        assert_eq!(exchange(at, "POST", "/mcp", &elsewhere, ping).status, 400, "her profile's address only");
    }
}

#[test]
fn k1_a_session_keeps_its_strategy_until_its_principal_may_not_be_served_by_it() {
    let (redis, folder) = (Redis::start(&[]), tempfile::tempdir().unwrap());
    let started = [&["info"][..], &["full", "info"], &["full"]].map(|strategies| {
        let (tokens, config) = guarded(strategies);
        (configured(&redis, folder.path(), &strategies.concat(), &config, &[]), tokens)
    });
    let [a, wider, narrower] = started.each_ref().map(|(replica, _tokens)| replica);
    let ann = Web::open_with(a.at, "/mcp", ANN, json!({}));
    let listed = ann.tools(a.at);
    assert_ne!(Web::open_with(wider.at, "/mcp", ANN, json!({})).tools(wider.at), listed);
    assert_eq!(ann.tools(wider.at), listed, "it was opened under info");
    assert_eq!(ann.request(narrower.at, "tools/list", json!({})).status, 404, "not permitted any more");
    for at in [a.at, wider.at] {
        assert_eq!(ann.request(at, "tools/list", json!({})).status, 404, "it has ended everywhere");
    }
}

#[test]
fn k1_variants_and_extensions_are_those_of_the_handshake_everywhere() {
    let (redis, folder) = (Redis::start(&[]), tempfile::tempdir().unwrap());
    let config = "[strategy.groups]\n";
    let [a, b] = ["a", "b"].map(|name| configured(&redis, folder.path(), name, config, &[]));
    let open = |extensions: Value| Web::open_with(a.at, "/mcp", "", json!({"extensions": extensions}));
    let plain = open(json!({}));
    let compact = json!({"variantHints": {"hints": {"contextSize": "compact"}}});
    let compact = open(json!({"io.modelcontextprotocol/server-variants": compact}));
    let listed = compact.tools(a.at);
    assert_ne!(listed, plain.tools(a.at));
    assert_eq!(compact.tools(b.at), listed);
    let named = json!({"_meta": {"io.modelcontextprotocol/server-variant": "full"}});
    let full = |at| compact.request(at, "tools/list", named.clone()).result().clone();
    assert_eq!(full(b.at), full(a.at), "a request chooses at any replica");
    let grouped = open(json!({"io.modelcontextprotocol/groups": {}}));
    let groups = |web: &Web, at| web.request(at, "groups/list", json!({})).body;
    assert!(groups(&grouped, a.at)["error"].is_null(), "{}", groups(&grouped, a.at));
    assert_eq!(groups(&grouped, b.at), groups(&grouped, a.at));
    assert_eq!(groups(&plain, b.at)["error"]["code"], -32601);
}

#[test]
fn k1_what_lists_deliver_counts_at_every_replica_s11() {
    let (redis, folder) = (Redis::start(&[]), tempfile::tempdir().unwrap());
    let start = |name: &str, budget: &str| {
        let flags = ["--fallback", "adaptive", "--over-budget", "resource", "--budget", budget];
        configured(&redis, folder.path(), name, "", &flags)
    };
    // The second finds the list too long, as if its upstreams had grown meanwhile.
    let (a, b) = (start("a", "100000"), start("b", "1"));
    for (method, params) in [
        ("tools/list", json!({})),
        ("tools/list", json!({"filter": {"namePatterns": ["ec*"]}})),
        ("tools/describe", json!({"names": ["echo"]})),
    ] {
        let web = Web::open(a.at);
        assert!(!web.may_call(b.at), "nothing was delivered");
        let resolve =
            || web.request(b.at, "tools/resolve", json!({"name": "echo"})).body["error"].to_string();
        assert!(resolve().contains("would be refused"), "{}", resolve());
        web.request(a.at, method, params.clone()).result();
        assert!(resolve().contains("does not support"), "{method} {params}: {}", resolve());
        let web = Web::open(a.at);
        assert!(!web.may_call(b.at));
        web.request(a.at, method, params.clone()).result();
        assert!(web.may_call(b.at), "{method} {params}");
    }
}

#[test]
fn k4_a_call_that_the_store_prevents_is_one_record_a7() {
    let (mut redis, folder) = (Redis::start(&[]), tempfile::tempdir().unwrap());
    let audit = folder.path().join("audit.jsonl");
    let flags = ["--strategy", "resource", "--admin", "127.0.0.1:0", "--audit", audit.to_str().unwrap()];
    let a = configured(&redis, folder.path(), "a", "", &flags);
    let web = Web::open(a.at);
    redis.command("CONFIG SET maxmemory-policy noeviction");
    redis.command("CONFIG SET maxmemory 1");
    // It delivers, which the store would have to know.
    let fetch = json!({"name": "describe_tools", "arguments": {"names": ["echo"]}});
    web.request(a.at, "tools/call", fetch).is_of_store("full");
    redis.kill();
    web.call(a.at, "echo").is_of_store("cannot be reached");
    web.call(a.at, "echo").is_of_store("cannot be reached");
    let records = || {
        let text = fs::read_to_string(&audit).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.filter(|record| record["event"] != "opened").collect::<Vec<_>>()
    };
    assert!(until(|| records().len() == 3), "{:?}", records());
    for (record, tool) in records().iter().zip(["describe_tools", "echo", "echo"]) {
        let [event, outcome, of] =
            ["event", "outcome", "tool"].map(|member| record[member].as_str().unwrap());
        assert_eq!([event, outcome, of], ["decision", "unavailable", tool], "{record}");
        assert_eq!(record["session"], web.session[..8]);
        assert!(record["arguments_hmac"].is_string(), "{record}");
    }
    let metrics = get(a.process.admin(), "/metrics", "Host: localhost\r\n").body;
    let counted = metrics.lines().filter(|line| line.contains(r#"outcome="unavailable""#));
    let sum: u32 = counted.map(|line| line.rsplit(' ').next().unwrap().parse::<u32>().unwrap()).sum();
    assert_eq!(sum, 3, "{metrics}");
}
