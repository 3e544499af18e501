//! P1: schemas and arguments whose check would take the machine.

use std::time::Duration;

use kit::Scenario;
use serde_json::{Map, Value, json};

use super::{
    Attack, Lab, attacks,
    gateway::Serve,
    peer::is_refusal,
    scene::{Scene, Verdict, tool, within},
};

pub(super) fn attacks() -> impl IntoIterator<Item = Attack> {
    attacks![
        "P1":
        "8 million wrong items, 16 MB" => called(strings(), vec![many("1", 8_000_000)]),
        "the same in strings that hold JSON" => called(strings(), wrong_items_in_strings()),
        "a million objects against anyOf, 3 MB" => called(one_of_three(), vec![many("{}", 1_000_000)]),
        "a wrong leaf in an and/or/not filter of 200 bytes to 1 kB" => called(filter(), wrong_filters()),
        "allOf that doubles 34 times" => called(doubling(), values(&[json!("right"), json!(1)])),
        "patterns that backtrack" => called(backtracking(), [30, 300, 30_000].map(nearly_matching).into()),
        "a chain of 4,000 $refs" => called(levels(4_000, json!({"type": "string"}), |before| before), values(&[json!(1)])),
    ]
}

/// The program in front of tools, with their schemas withheld, small ones as well, so that it checks arguments.
fn withholding(lab: &Lab, tools: &Scenario) -> Serve {
    let flags = ["--strategy", "describe", "--set", "describe.inline_schema_bytes=0"];
    Serve::new(lab).playing(tools).flags(&flags)
}

/// One tool, called with each of these arguments, which are text. The calls must be answered, whatever the answer; one that does not
/// fit shows that they are checked.
async fn called(lab: &Lab, mut schema: Value, arguments: Vec<String>) -> Verdict {
    schema["properties"]["control"] = json!({"type": "integer"});
    let longest = arguments.iter().map(String::len).max().unwrap_or_default();
    let scene = Scene::start(lab, withholding(lab, &tool("checked", &schema))).await;
    let scene = scene.allowing(longest as u64);
    let attacker = scene.attacker().await;
    let calls = async {
        let control = attacker.call_text("checked", r#"{"control":"none"}"#).await?;
        if !is_refusal(&control) {
            return Err("arguments are not checked".to_owned());
        }
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

/// Each item is one of three things, and none.
fn one_of_three() -> Value {
    let one =
        |name: &str| json!({"type": "object", "properties": {name: {"type": "string"}}, "required": [name]});
    object(json!({"items": {"type": "array", "items": {"anyOf": [one("path"), one("url"), one("text")]}}}))
}

/// A filter as typed query languages have it: a union distinguished by `op`, whose members all go down into `args`.
fn filter() -> Value {
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
        "$defs": {"filter": {"anyOf": [branch("and"), branch("or"), branch("not"), comparison]}},
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
