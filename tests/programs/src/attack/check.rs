//! P1: schemas and arguments whose check would take the machine.

use std::time::Duration;

use kit::{Scenario, process::Signal};
use serde_json::{Map, Value, json};

use super::{
    Attack, Lab, attacks,
    gateway::Serve,
    scene::{Scene, Verdict, tool, within},
};

pub(super) fn attacks() -> impl IntoIterator<Item = Attack> {
    attacks![
        "P1":
        "8 million wrong items, 16 MB" => called(strings(), vec![many("1", 8_000_000)]),
        "the same in strings that hold JSON" => called(strings(), wrong_items_in_strings()),
        "a million members against patterns, 14 MB" => called(patterns_of_names(), vec![many_members()]),
        "a million objects against anyOf, 3 MB" => called(one_of_three(), vec![many("{}", 1_000_000)]),
        "330,000 objects against anyOf, just under 1 MB" => called(one_of_three(), vec![many("{}", 330_000)]),
        "a wrong leaf in an and/or/not filter of 200 bytes to 1 kB" => called(filter("anyOf"), wrong_filters()),
        "the same against oneOf" => called(filter("oneOf"), wrong_filters()),
        "allOf that doubles 34 times" => called(doubling(), values(&[json!("right"), json!(1)])),
        "unevaluatedProperties in a nest that doubles 24 times" => called(unevaluated(), values(&[thousand()])),
        "patterns that backtrack" => called(backtracking(), [30, 300, 30_000].map(nearly_matching).into()),
        "uniqueItems on 100,000 arrays, 1 MB" => called(unique(), vec![different_arrays()]),
        "a chain of 20,000 $refs" => called(levels(20_000, json!({"type": "string"}), |before| before), values(&[json!(1)])),
        "a schema that recurses on arguments 120 deep" => called(tree(), [60, 110, 120].map(deep).into()),
        "three such calls whose clients hang up" => hang_ups(),
        "SIGTERM during three such calls" => terminated(),
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
            let called = attacker.call_text("checked", arguments).await;
            called.map_err(|reason| format!("{} bytes: {reason}", arguments.len()))?;
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

fn strings() -> Value {
    object(json!({"items": {"type": "array", "items": {"type": "string"}}}))
}

/// Where a schema wants an object or an array, a string that holds one is understood.
fn wrong_items_in_strings() -> Vec<String> {
    let items = many("1", 7_900_000);
    let inner = &items[r#"{"items":"#.len()..items.len() - 1];
    vec![format!(r#"{{"items":"{inner}"}}"#), Value::from(&*items).to_string()]
}

fn patterns_of_names() -> Value {
    json!({
        "type": "object",
        "propertyNames": {"pattern": "^[a-z]+$"},
        "patternProperties": {"^m[0-9]*5$": {"type": "string"}, "7": {"type": "boolean"}},
        "additionalProperties": {"type": "string"},
    })
}

fn many_members() -> String {
    let members: Vec<String> =
        (0..1_000_000).map(|number| format!(r#""m{number}":{}"#, number % 10)).collect();
    format!("{{{}}}", members.join(","))
}

/// Each item is one of three things, and none.
fn one_of_three() -> Value {
    let one =
        |name: &str| json!({"type": "object", "properties": {name: {"type": "string"}}, "required": [name]});
    object(json!({"items": {"type": "array", "items": {"anyOf": [one("path"), one("url"), one("text")]}}}))
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

/// Arguments for a schema of levels.
fn values(all: &[Value]) -> Vec<String> {
    all.iter().map(|value| json!({"value": value}).to_string()).collect()
}

fn doubling() -> Value {
    levels(34, json!({"type": "string"}), |before| json!({"allOf": [before, before]}))
}

fn unevaluated() -> Value {
    let first = json!({"type": "object", "properties": {"known": {"type": "string"}}});
    levels(24, first, |before| json!({"anyOf": [before, before], "unevaluatedProperties": false}))
}

/// A thousand members.
fn thousand() -> Value {
    (0..1_000).map(|number| (format!("m{number}"), number.into())).collect::<Map<_, _>>().into()
}

const PATTERNS: [&str; 6] =
    [r"^(a+)+$", r"^(?=a)(a|aa)+$", r"^(a*)*\1$", r"^(?:a?){40}a{40}$", r"^(?<!b)((a|a)*)*c$", r"(x+x+)+y"];

fn backtracking() -> Value {
    let property = |(at, pattern)| (format!("p{at}"), json!({"type": "string", "pattern": pattern}));
    object(PATTERNS.iter().enumerate().map(property).collect::<Map<_, _>>().into())
}

/// Arguments of this length that match none of the patterns, which shows at their end.
fn nearly_matching(length: usize) -> String {
    let value = |at: usize| format!("{}!", if at == 5 { "x" } else { "a" }.repeat(length));
    let members = (0..PATTERNS.len()).map(|at| (format!("p{at}"), value(at).into()));
    Value::from(members.collect::<Map<_, _>>()).to_string()
}

fn unique() -> Value {
    object(json!({"items": {"type": "array", "uniqueItems": true}}))
}

fn different_arrays() -> String {
    let items: Vec<String> = (100_000..200_000).map(|number| format!("[{number}]")).collect();
    format!(r#"{{"items":[{}]}}"#, items.join(","))
}

fn tree() -> Value {
    let next = json!({"$ref": "#/$defs/tree"});
    let tree = json!({"type": "object", "properties": {"next": next}, "unevaluatedProperties": false});
    json!({"type": "object", "properties": {"tree": next}, "$defs": {"tree": tree}})
}

/// Arguments of this many levels that do not fit.
fn deep(levels: usize) -> String {
    format!(r#"{{"tree":{}{{"wrong":1}}{}}}"#, r#"{"next":"#.repeat(levels), "}".repeat(levels))
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
