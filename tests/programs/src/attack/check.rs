//! P1: schemas and arguments whose check would take the machine.

use std::time::Duration;

use kit::{Scenario, process::Signal};
use serde_json::{Map, Value, json};

use super::{
    Attack, Lab, attacks,
    gateway::Serve,
    peer::Reply,
    scene::{Scene, Verdict, tool, within},
};

pub(super) fn attacks() -> impl IntoIterator<Item = Attack> {
    attacks![
        "P1":
        "8 million wrong items, 16 MB" => wrong_items,
        "the same in strings that hold JSON" => wrong_items_in_strings,
        "a million members against patterns, 14 MB" => many_members,
        "a million objects against anyOf, 3 MB" => any_of_3_mb,
        "330,000 objects against anyOf, just under 1 MB" => any_of_1_mb,
        "a wrong leaf in an and/or/not filter of 200 bytes to 1 kB" => recursive_filter,
        "the same against oneOf" => recursive_one_of,
        "allOf that doubles 34 times" => doubling,
        "unevaluatedProperties in a nest that doubles 24 times" => unevaluated,
        "patterns that backtrack" => backtracking,
        "uniqueItems on 100,000 arrays, 1 MB" => unique_items,
        "a chain of 20,000 $refs" => chain_of_references,
        "a schema that recurses on arguments 120 deep" => deep_arguments,
        "three such calls whose clients hang up" => hang_ups,
        "SIGTERM during three such calls" => terminated,
    ]
}

/// The program in front of tools, with their schemas withheld, so that it checks arguments.
fn withholding(lab: &Lab, tools: &Scenario) -> Serve {
    Serve::new(lab).playing(tools).flags(&["--strategy", "describe"])
}

/// One tool, called with each of these arguments, which are text. The calls must be answered, whatever the answer.
async fn called(lab: &Lab, schema: Value, arguments: Vec<String>) -> Verdict {
    let longest = arguments.iter().map(String::len).max().unwrap_or_default();
    let scene = Scene::start(lab, withholding(lab, &tool("checked", &schema))).await;
    let scene = scene.allowing(longest as u64);
    let attacker = scene.attacker().await;
    let calls = async {
        for arguments in &arguments {
            if let Reply::Broken(reason) = attacker.call_text("checked", arguments).await {
                return Err(format!("{} bytes: no answer: {reason}", arguments.len()));
            }
        }
        Ok(())
    };
    let called = within("the calls", Duration::from_secs(15), calls).await;
    scene.judge(called.and_then(|called| called)).await
}

fn object(properties: Value) -> Value {
    json!({"type": "object", "properties": properties})
}

/// `{"items": [item,item,…]}`.
fn many(item: &str, times: usize) -> String {
    let mut text = String::with_capacity((item.len() + 1) * times + 16);
    text.push_str(r#"{"items":["#);
    for at in 0..times {
        text.push_str(if at > 0 { "," } else { "" });
        text.push_str(item);
    }
    text.push_str("]}");
    text
}

async fn wrong_items(lab: &Lab) -> Verdict {
    let schema = object(json!({"items": {"type": "array", "items": {"type": "string"}}}));
    called(lab, schema, vec![many("1", 8_000_000)]).await
}

/// Where a schema wants an object or an array, a string that holds one is understood.
async fn wrong_items_in_strings(lab: &Lab) -> Verdict {
    let schema = object(json!({"items": {"type": "array", "items": {"type": "string"}}}));
    let items = many("1", 7_900_000);
    let inner = &items[r#"{"items":"#.len()..items.len() - 1];
    let arguments = vec![format!(r#"{{"items":"{inner}"}}"#), Value::from(&*items).to_string()];
    called(lab, schema, arguments).await
}

async fn many_members(lab: &Lab) -> Verdict {
    let schema = json!({
        "type": "object",
        "propertyNames": {"pattern": "^[a-z]+$"},
        "patternProperties": {"^m[0-9]*5$": {"type": "string"}, "7": {"type": "boolean"}},
        "additionalProperties": {"type": "string"},
    });
    let members: Vec<String> =
        (0..1_000_000).map(|number| format!(r#""m{number}":{}"#, number % 10)).collect();
    called(lab, schema, vec![format!("{{{}}}", members.join(","))]).await
}

/// Each item is one of three things, and none.
fn one_of_three() -> Value {
    let one =
        |name: &str| json!({"type": "object", "properties": {name: {"type": "string"}}, "required": [name]});
    object(json!({"items": {"type": "array", "items": {"anyOf": [one("path"), one("url"), one("text")]}}}))
}

async fn any_of_3_mb(lab: &Lab) -> Verdict {
    called(lab, one_of_three(), vec![many("{}", 1_000_000)]).await
}

async fn any_of_1_mb(lab: &Lab) -> Verdict {
    called(lab, one_of_three(), vec![many("{}", 330_000)]).await
}

/// A filter as typed query languages have it: a union distinguished by `op`, whose members all go down into `args`.
fn filter(union: &str) -> Value {
    let filter = json!({"$ref": "#/$defs/filter"});
    let branch = |op: &str| {
        json!({
            "type": "object",
            "properties": {"op": {"const": op}, "args": {"type": "array", "items": filter}},
            "required": ["op", "args"],
        })
    };
    let comparison = json!({
        "type": "object",
        "properties": {"field": {"type": "string"}, "equals": {"type": "string"}},
        "required": ["field", "equals"],
    });
    json!({
        "type": "object", "properties": {"filter": filter}, "required": ["filter"],
        "$defs": {"filter": {union: [branch("and"), branch("or"), branch("not"), comparison]}},
    })
}

/// A filter of this many levels whose innermost comparison is wrong.
fn wrong_filter(levels: usize) -> String {
    let ops = ["and", "or", "not"];
    let before: String =
        (0..levels).map(|level| format!(r#"{{"op":"{}","args":["#, ops[level % 3])).collect();
    format!(r#"{{"filter":{before}{{"field":1}}{}}}"#, "]}".repeat(levels))
}

/// Of 200, 260, 310, 500 and 1,200 bytes.
fn wrong_filters() -> Vec<String> {
    [8, 11, 13, 22, 55].map(wrong_filter).into()
}

async fn recursive_filter(lab: &Lab) -> Verdict {
    called(lab, filter("anyOf"), wrong_filters()).await
}

async fn recursive_one_of(lab: &Lab) -> Verdict {
    called(lab, filter("oneOf"), wrong_filters()).await
}

/// `$defs` of this many levels, each made of the one before.
fn levels(count: usize, first: Value, next: impl Fn(Value) -> Value) -> Value {
    let mut defs = Map::new();
    defs.insert("d0".to_owned(), first);
    for level in 1..=count {
        let before = json!({"$ref": format!("#/$defs/d{}", level - 1)});
        defs.insert(format!("d{level}"), next(before));
    }
    let last = json!({"$ref": format!("#/$defs/d{count}")});
    json!({"type": "object", "properties": {"value": last}, "$defs": defs})
}

async fn doubling(lab: &Lab) -> Verdict {
    let schema = levels(34, json!({"type": "string"}), |before| json!({"allOf": [before, before]}));
    called(lab, schema, vec![r#"{"value":"right"}"#.to_owned(), r#"{"value":1}"#.to_owned()]).await
}

async fn unevaluated(lab: &Lab) -> Verdict {
    let first = json!({"type": "object", "properties": {"known": {"type": "string"}}});
    let next = |before: Value| json!({"anyOf": [before, before], "unevaluatedProperties": false});
    let members: Vec<String> = (0..1_000).map(|number| format!(r#""m{number}":{number}"#)).collect();
    let arguments = format!(r#"{{"value":{{{}}}}}"#, members.join(","));
    called(lab, levels(24, first, next), vec![arguments]).await
}

async fn backtracking(lab: &Lab) -> Verdict {
    let patterns = [
        r"^(a+)+$",
        r"^(?=a)(a|aa)+$",
        r"^(a*)*\1$",
        r"^(?:a?){40}a{40}$",
        r"^(?<!b)((a|a)*)*c$",
        r"(x+x+)+y",
    ];
    let properties: Map<String, Value> = patterns
        .iter()
        .enumerate()
        .map(|(at, pattern)| (format!("p{at}"), json!({"type": "string", "pattern": pattern})))
        .collect();
    let arguments = |length: usize| {
        let value = |at: usize| format!("{}!", if at == 5 { "x" } else { "a" }.repeat(length));
        let members: Map<String, Value> =
            (0..patterns.len()).map(|at| (format!("p{at}"), value(at).into())).collect();
        Value::from(members).to_string()
    };
    called(lab, object(properties.into()), [30, 300, 30_000].map(arguments).into()).await
}

async fn unique_items(lab: &Lab) -> Verdict {
    let schema = object(json!({"items": {"type": "array", "uniqueItems": true}}));
    let items: Vec<String> = (100_000..200_000).map(|number| format!("[{number}]")).collect();
    called(lab, schema, vec![format!(r#"{{"items":[{}]}}"#, items.join(","))]).await
}

async fn chain_of_references(lab: &Lab) -> Verdict {
    let schema = levels(20_000, json!({"type": "string"}), |before| before);
    called(lab, schema, vec![r#"{"value":1}"#.to_owned()]).await
}

async fn deep_arguments(lab: &Lab) -> Verdict {
    let tree = json!({"type": "object", "properties": {"next": {"$ref": "#/$defs/tree"}}, "unevaluatedProperties": false});
    let schema =
        json!({"type": "object", "properties": {"tree": {"$ref": "#/$defs/tree"}}, "$defs": {"tree": tree}});
    let deep = |levels: usize| {
        format!(r#"{{"tree":{}{{"wrong":1}}{}}}"#, r#"{"next":"#.repeat(levels), "}".repeat(levels))
    };
    called(lab, schema, [60, 110, 120].map(deep).into()).await
}

/// Calls under way that the program should not spend itself on.
async fn three_calls(scene: &Scene, under_way: Duration) {
    let mut calls = Vec::new();
    for _ in 0..3 {
        let attacker = scene.attacker().await;
        calls.push(async move { attacker.call_text("checked", &wrong_filter(13)).await });
    }
    // Dropped calls are clients that hang up.
    let _hung_up = tokio::time::timeout(under_way, futures::future::join_all(calls)).await;
}

async fn hang_ups(lab: &Lab) -> Verdict {
    let scene = Scene::start(lab, withholding(lab, &tool("checked", &filter("anyOf")))).await;
    three_calls(&scene, Duration::from_millis(200)).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    scene.judge(Ok(())).await
}

async fn terminated(lab: &Lab) -> Verdict {
    let serve = withholding(lab, &tool("checked", &filter("anyOf")));
    let mut scene = Scene::without_honest_client(lab, serve).await;
    three_calls(&scene, Duration::from_millis(300)).await;
    scene.gateway.process.signal(Signal::TERM);
    for _ in 0..60 {
        if !scene.gateway.process.is_running() {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Err("it runs 3 s after SIGTERM".to_owned())
}
