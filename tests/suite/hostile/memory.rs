//! What would take memory or time from others, before the whole program (P1, P7, P8, T5): it takes 64 MB beside what it is sent or
//! sends, and another client's pings are answered meanwhile.

use std::{
    net::SocketAddr,
    thread,
    time::{Duration, Instant},
};

use kit::{
    Scenario, Session,
    exchange::{exchange, send},
    messages::{hello, tool},
    process::{Process, memory, until},
    scenario::raw,
};
use serde_json::{Map, Value, json};

use crate::{
    UPSTREAM,
    command_line::{ODD, configured, over_http, played, playing, shown},
};

const MEGABYTE: u64 = 1 << 20;

/// Nearly as long as a message may be.
const LONG: usize = 16_000_000;

fn headers(at: SocketAddr) -> String {
    format!("Host: {at}\r\nContent-Type: application/json\r\nAccept: application/json\r\n")
}

/// What a request is answered in a session at this path, which names a strategy.
fn ask(at: SocketAddr, path: &str, method: &str, params: &str) -> String {
    let opened = exchange(at, "POST", path, &headers(at), &hello(json!({})).to_string());
    let session = opened.header("mcp-session-id").unwrap_or_else(|| panic!("no session: {opened:?}"));
    let headers = format!("{}Mcp-Session-Id: {session}\r\n", headers(at));
    let request = format!(r#"{{"jsonrpc":"2.0","id":2,"method":"{method}","params":{params}}}"#);
    exchange(at, "POST", path, &headers, &request).body
}

/// Does this, asserts that the program took no more than 64 MB and this many megabytes for it, and returns how long another client
/// waited at most for the answer to a ping.
fn bounded(gateway: &Process, megabytes: u64, attack: impl FnOnce() + Send) -> Duration {
    let other = Session::open(gateway.address());
    other.request("tools/list", json!({}));
    // The peak is measured anew from here on, where the kernel can do that.
    let _unsupported = std::fs::write(format!("/proc/{}/clear_refs", gateway.id()), "5");
    let used = || memory(gateway.id()).expect("a running program");
    let (before, _) = used();
    let longest = thread::scope(|scope| {
        let attacking = scope.spawn(attack);
        let mut longest = Duration::ZERO;
        while !attacking.is_finished() {
            let asked = Instant::now();
            assert_eq!(other.request("ping", json!({}))["result"], json!({}));
            longest = longest.max(asked.elapsed());
            thread::sleep(Duration::from_millis(10));
        }
        attacking.join().unwrap();
        longest
    });
    let (_, peak) = used();
    let (grown, allowed) = (peak.saturating_sub(before) / MEGABYTE, 64 + megabytes);
    assert!(grown <= allowed, "it took {grown} MB, {allowed} are allowed");
    longest
}

/// `{"items": [item,item,…]}`.
fn many(item: &str, times: usize) -> String {
    format!(r#"{{"items":[{}{item}]}}"#, format!("{item},").repeat(times - 1))
}

/// Which schemas take more steps than are taken, unit tests of the check have.
#[test]
fn p1_arguments_of_16_mb_and_a_schema_of_20_000_references_are_checked_within_bounds() {
    let items =
        |of: Value| json!({"type": "object", "properties": {"items": {"type": "array", "items": of}}});
    let one =
        |name: &str| json!({"type": "object", "properties": {name: {"type": "string"}}, "required": [name]});
    let mut defs = Map::from_iter([("d0".to_owned(), json!({"type": "string"}))]);
    for level in 1..=20_000 {
        defs.insert(format!("d{level}"), json!({"$ref": format!("#/$defs/d{}", level - 1)}));
    }
    let schemas = [
        ("strings", items(json!({"type": "string"}))),
        ("unions", items(json!({"anyOf": [one("path"), one("url"), one("text")]}))),
        (
            "chain",
            json!({"type": "object", "properties": {"value": {"$ref": "#/$defs/d20000"}}, "$defs": defs}),
        ),
    ];
    let tools = schemas.map(|(name, schema)| {
        json!({"name": name, "description": format!("Takes {name}."), "inputSchema": schema}).to_string()
    });
    let (_folder, scenario) = played(&Scenario::with_tools(tools));
    let gateway = over_http(&["--strategy", "describe", "--", UPSTREAM, &scenario]);
    let numbers = many("1", LONG / 2 - 100);
    // A string that holds an object is understood where an object is wanted.
    let as_string = json!(numbers).to_string();
    for (tool, arguments) in [
        ("strings", numbers),
        ("strings", as_string),
        ("unions", many("{}", 1_000_000)),
        ("chain", json!({"value": 1}).to_string()),
    ] {
        let call = format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#);
        let megabytes = arguments.len() as u64 / MEGABYTE;
        bounded(&gateway, megabytes, || {
            let answer = ask(gateway.address(), "/mcp", "tools/call", &call);
            assert!(answer.contains("\"result\":"), "{tool}: {answer}");
        });
    }
}

/// A request: the path, the method and the parameters.
type Asked = (&'static str, &'static str, String);

fn call(path: &'static str, tool: &str, arguments: &str) -> Asked {
    (path, "tools/call", format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#))
}

/// A name of 16 MB, in every request that has one, and for each of our own tools.
fn long_names() -> [Asked; 14] {
    let long = "u".repeat(LONG);
    let name = format!(r#"{{"name":"{long}"}}"#);
    let names = format!(r#"{{"names":["{long}"]}}"#);
    [
        ("/mcp/full", "tools/call", name.clone()),
        ("/mcp/full", "prompts/get", name.clone()),
        ("/mcp/groups", "groups/get", name.clone()),
        ("/mcp/full", "resources/read", format!(r#"{{"uri":"file:///{long}"}}"#)),
        ("/mcp/full", "tools/describe", names.clone()),
        ("/mcp/describe", "tools/describe", names.clone()),
        ("/mcp/full", "completion/complete", format!(r#"{{"ref":{{"type":"ref/prompt","name":"{long}"}}}}"#)),
        call("/mcp/resource", "describe_tools", &names),
        call("/mcp/describe", "describe_tools", &names),
        call("/mcp/info", "info", &format!(r#"{{"topic":"{long}"}}"#)),
        call("/mcp/search", "search_tools", &format!(r#"{{"query":"x","category":"{long}"}}"#)),
        call("/mcp/search", "search_tools", &format!(r#"{{"query":"{long}"}}"#)),
        call("/mcp/search", "call_tool", &format!(r#"{{"tool":"{long}"}}"#)),
        call("/mcp/groups", "get_group", &name),
    ]
}

/// Very many names in a message of 4 MB: each takes longer to read than a long one.
fn many_names() -> [Asked; 6] {
    let names = format!("[{}\"a\"]", "\"a\",".repeat(LONG / 16));
    let different: String = (0..LONG / 36).map(|number| format!("{number:08},")).collect();
    let uri = json!({"uri": format!("resource:///tool_descriptions?tools={different}")}).to_string();
    [
        call("/mcp/resource", "describe_tools", &format!(r#"{{"names":{names}}}"#)),
        call("/mcp/describe", "describe_tools", &format!(r#"{{"names":"{different}"}}"#)),
        call("/mcp/info", "info", &format!(r#"{{"topic":{names}}}"#)),
        ("/mcp/full", "tools/describe", format!(r#"{{"names":{names}}}"#)),
        ("/mcp/describe", "tools/describe", format!(r#"{{"names":{names}}}"#)),
        ("/mcp/resource", "resources/read", uri),
    ]
}

/// Its answer is short, whatever it is.
fn is_answered_shortly(at: SocketAddr, (path, method, params): &Asked) {
    let answer = ask(at, path, method, params);
    let bytes = answer.len();
    assert!((1..64 * 1024).contains(&bytes), "{path} {method} is answered with {bytes} bytes");
}

#[test]
fn p8_messages_of_names_that_are_long_or_many_cost_little_more_than_their_bytes() {
    let gateway = over_http(&["--", ODD]);
    for asked in long_names().iter().chain(&many_names()) {
        // A message is held as received and as parsed, and the allocator may keep that much for another thread.
        bounded(&gateway, 48, || is_answered_shortly(gateway.address(), asked));
    }
}

#[test]
fn p8_four_such_messages_at_once_keep_no_other_client_waiting() {
    let gateway = over_http(&["--", ODD]);
    let at = gateway.address();
    let (long, many) = (long_names(), many_names());
    let four = [&long[3], &long[9], &many[0], &many[3]];
    let at_once = || {
        thread::scope(|scope| four.map(|asked| scope.spawn(move || is_answered_shortly(at, asked))).len());
    };
    // The rule says 100 ms, on a machine that does nothing else. A busy one takes longer for everything, so a ping may take a quarter
    // of the time of the four: it would take half of it if others had to wait while two of them are read. One try of several counts.
    let is_in_time = || {
        let begun = Instant::now();
        bounded(&gateway, 4 * 16 + 3 * 64, at_once) * 4 < begun.elapsed()
    };
    assert!((0..20).any(|_| is_in_time()), "a ping took a quarter of the time each time");
}

#[test]
fn p7_a_result_of_200_mb_is_given_up_and_the_next_call_is_answered() {
    let gateway = over_http(&["--strategy", "full", "--", ODD, "huge"]);
    let session = Session::open(gateway.address());
    // As much as is read of it.
    bounded(&gateway, 64, || {
        let answer = session.call("echo", json!({"megabytes": 200}));
        assert!(answer.to_string().contains("limits.upstream_message_bytes"), "{answer}");
    });
    assert!(session.call("echo", json!({"megabytes": 1}))["result"].is_object());
}

#[test]
fn p7_a_client_for_which_200_mb_are_logged_and_that_reads_nothing_fills_no_memory() {
    let gateway = over_http(&["--strategy", "full", "--", ODD, "floods-messages"]);
    let at = gateway.address();
    let [session, other] = [Session::open(at), Session::open(at)];
    session.request("logging/setLevel", json!({"level": "debug"}));
    let call = kit::messages::call(9, "echo", json!({"bytes": MEGABYTE, "times": 100})).to_string();
    bounded(&gateway, 16, || {
        let headers = format!("{}Mcp-Session-Id: {}\r\n", headers(at), session.id);
        let headers = headers.replace("Accept: ", "Accept: text/event-stream, ");
        let _unread = [("GET", ""), ("POST", &*call), ("POST", &call)]
            .map(|(method, body)| send(at, method, "/mcp", &headers, body));
        // The upstream answers in turn: when this is answered, all the rest was said.
        assert!(other.call("echo", json!({"text": "done"}))["result"].is_object());
    });
}

/// The memory of a program whose client has listed everything, twice.
fn kept(gateway: &Process) -> u64 {
    for _ in 0..2 {
        let listed = ask(gateway.address(), "/mcp/full", "tools/list", "{}");
        assert!(listed.contains("\"tools\":["), "{listed}");
    }
    memory(gateway.id()).expect("a running program").0
}

#[test]
fn p7_of_a_list_of_30_mb_no_more_than_two_and_a_half_times_its_bytes_are_kept() {
    let definition = |number: usize| {
        let mut tool = tool(&format!("long_{number}"), "Is long.");
        tool["_meta"] = json!({"example.com/long": "x".repeat(1 << 20)});
        tool.to_string()
    };
    let tools: Vec<String> = (0..30).map(definition).collect();
    let bytes = tools.concat().len() as u64;
    let (_folder, scenario) = played(&Scenario::with_tools(tools));
    let without = kept(&over_http(&["--", ODD]));
    let gateway = over_http(&["--", UPSTREAM, &scenario]);
    // What was freed is given back some time later.
    let is_bounded = || kept(&gateway).saturating_sub(without) <= bytes * 5 / 2;
    assert!(until(is_bounded), "{} MB of {}", (kept(&gateway) - without) / MEGABYTE, bytes / MEGABYTE);
}

#[test]
fn t5_p7_an_index_of_50_000_skills_is_looked_through_for_what_is_hidden() {
    let entry = |uri: String| json!({"name": "stays", "url": uri});
    let entries = (0..50_000).map(|number| entry(format!("skill://x/{number}/SKILL.md")));
    let hidden = entry("file:///data/private/SKILL.md".to_owned());
    let skills: Vec<Value> = [hidden].into_iter().chain(entries).collect();
    let index = json!({"skills": skills}).to_string();
    let megabytes = 8 * index.len() as u64 / MEGABYTE;
    let (uri, skill) = ("skill://index.json", "skill://x/SKILL.md");
    let link = json!({"type": "resource_link", "uri": "file:///data/private/key", "name": "key"});
    let capabilities = json!({"extensions": {"io.modelcontextprotocol/skills": {}}, "resources": {}});
    let mut scenario = Scenario {
        initialize: raw(kit::messages::introduction("hostile", "2025-11-25", capabilities)),
        resources: vec![raw(json!({"uri": uri, "name": "index"}))],
        ..Scenario::named([])
    };
    let listed = json!({"uri": skill, "frontmatter": {"name": "s"}, "resources": [{"uri": skill}]});
    scenario.on("skills/list ", json!({"skills": [listed]}));
    let read = json!({"contents": [{"uri": uri, "text": index}], "content": [link]});
    scenario.on(format!("resources/read {uri}"), read);
    let (_played, file) = played(&scenario);
    let hiding = "[resources.\"file:///data/private/*\"]\nhidden = true\n";
    let (_folder, config) = configured(&(playing("evil", &file) + hiding));
    let gateway = over_http(&["--config", shown(&config)]);
    bounded(&gateway, megabytes, || {
        let read = ask(gateway.address(), "/mcp/full", "resources/read", &json!({"uri": uri}).to_string());
        assert!(read.contains("stays") && !read.contains("private"), "{}", &read[..200.min(read.len())]);
    });
}
