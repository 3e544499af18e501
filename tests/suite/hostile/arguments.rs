//! Schemas and arguments that make checking them expensive: the calls are answered, other clients are served meanwhile,
//! and memory stays within bounds (P1).

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use kit::{Options, Scenario, Session, Setup, Transport, setup::Era};
use serde_json::{Map, Value, json};

use crate::{
    UPSTREAM,
    command_line::{over_http, played},
    connect,
};

/// Schemas are withheld, and nothing has to be learned before a call.
const CHECKING: Setup = Setup { strategy: "describe", transport: Transport::Http, era: Era::Session };

/// Longer than anything takes on a busy machine, and shorter than these attacks took: half a minute each.
const SERVED: Duration = Duration::from_secs(20);

/// More than a call of 16 MB takes with all its copies and a check's 64 MB; these attacks took 3 to 5 GB.
const MOST_MEGABYTES: u64 = 400;

/// A tool of this name that takes what this schema describes as `a`.
fn tool(name: &str, schema: &Value, definitions: &Value) -> String {
    let schema = json!({"type": "object", "properties": {"a": schema}, "$defs": definitions});
    json!({"name": name, "description": "Does it.", "inputSchema": schema}).to_string()
}

/// Tools whose schemas are ordinary (`list`, `union`, `filter`, `unique`, `email`) or not.
fn tools() -> Vec<String> {
    let reference = |to: &str| json!({"$ref": format!("#/$defs/{to}")});
    let member = |name: &str, schema: Value| json!({"properties": {name: schema}, "required": [name]});
    let leaf = json!({"properties": {"field": {"type": "string"}}, "required": ["field"]});
    let filter = json!({"anyOf": [
        member("and", json!({"items": reference("filter")})),
        member("or", json!({"items": reference("filter")})),
        member("not", reference("filter")),
        leaf
    ]});
    let doubling: Map<String, Value> = (0..34)
        .map(|level| {
            let next = reference(&format!("d{}", level + 1));
            (format!("d{level}"), json!({"allOf": [next, next]}))
        })
        .chain([("d34".to_owned(), json!({"type": "string"}))])
        .collect();
    let union = json!({"items": {"anyOf": [{"type": "string"}, {"required": ["x"]}, {"type": "number"}]}});
    vec![
        tool("list", &json!({"items": {"type": "string"}}), &json!({})),
        tool("union", &union, &json!({})),
        tool("filter", &reference("filter"), &json!({"filter": filter})),
        tool("doubling", &reference("d0"), &json!(doubling)),
        tool("unique", &json!({"uniqueItems": true}), &json!({})),
        tool("email", &json!({"pattern": "^(?=(a+)+$)(a|aa)+$"}), &json!({})),
    ]
}

/// A tool and the JSON text of its `a`.
fn attacks() -> Vec<(&'static str, String)> {
    let many = |one: &str, count: usize| format!("[{}{one}]", format!("{one},").repeat(count - 1));
    let nested = |open: &str, close: &str, levels: usize| {
        format!(r#"{}{{"field":1}}{}"#, open.repeat(levels), close.repeat(levels))
    };
    let mut attacks = vec![
        ("list", many("1", 8_000_000)),
        ("list", many("1", 200_000)),
        ("union", many("{}", 1_000_000)),
        ("union", many("{}", 60_000)),
        ("doubling", "1".to_owned()),
        ("unique", many("[[],[[]]]", 40_000)),
        ("email", format!(r#""{}!""#, "a".repeat(200))),
        ("email", format!(r#""{}""#, "a".repeat(900_000))),
    ];
    for levels in [20, 26, 60] {
        attacks.push(("filter", nested(r#"{"not":"#, "}", levels)));
        attacks.push(("filter", nested(r#"{"and":["#, "]}", levels / 2)));
    }
    attacks
}

#[test]
fn p1_no_call_takes_the_machine() {
    let (_directory, scenario) = played(&Scenario::with_tools(tools()));
    let gateway = over_http(&["--strategy", "describe", "--", UPSTREAM, &scenario]);
    let (attacker, other) = (Session::open(gateway.address()), Session::open(gateway.address()));
    let before = gateway.peak_megabytes();
    let ended = AtomicBool::new(false);
    let slowest = thread::scope(|scope| {
        let pinging = scope.spawn(|| {
            let mut slowest = Duration::ZERO;
            while !ended.load(Ordering::Relaxed) {
                let asked = Instant::now();
                let pong = other.request("ping", json!({}));
                assert_eq!(pong["result"], json!({}), "{pong}");
                slowest = slowest.max(asked.elapsed());
            }
            slowest
        });
        for (tool, given) in attacks() {
            let given: Value = serde_json::from_str(&given).unwrap();
            let answer = attacker.call(tool, json!({"a": given}));
            // It was run, or refused with some of what is wrong.
            let refused = &answer["result"]["structuredContent"]["error"];
            let problems = refused["problems"].as_array().map_or(0, Vec::len);
            assert!(
                answer["result"]["isError"] != json!(true) || (1..=10).contains(&problems),
                "{tool}: {refused}"
            );
        }
        ended.store(true, Ordering::Relaxed);
        pinging.join().unwrap()
    });
    assert!(slowest < SERVED, "another client's ping took {slowest:?}");
    let added = gateway.peak_megabytes() - before;
    assert!(added < MOST_MEGABYTES, "{added} MB");
}

#[tokio::test]
async fn p1_what_is_not_checked_goes_on_and_what_is_checked_is_refused() {
    let (_bench, client) = connect(Options::new(UPSTREAM, Scenario::with_tools(tools())), CHECKING).await;
    let many = json!({"a": vec![1; 600_000]});
    assert_eq!(client.call("list", many.clone()).await.result()["structuredContent"]["given"], many);
    // It fits in 2^34 ways.
    let doubled = json!({"a": "x"});
    assert_eq!(
        client.call("doubling", doubled.clone()).await.result()["structuredContent"]["given"],
        doubled
    );
    let refused = client.call("list", json!({"a": vec![1; 1_000]})).await.result();
    let problems = refused["structuredContent"]["error"]["problems"].as_array().unwrap().clone();
    assert_eq!((problems.len(), &problems[9]["argument"]), (10, &json!("a.9")));
    let leaf = json!({"a": {"and": [{"field": "x"}, {"not": {"field": 1}}]}});
    assert_eq!(client.call("filter", leaf).await.result()["isError"], true);
}
