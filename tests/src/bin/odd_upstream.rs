//! An MCP server on standard streams that misbehaves in one way, named by its first argument.
//!
//! A second argument is a file that takes its process id: proof that it was started, and a way to see
//! whether it is gone. In the mode `records` it takes the names of the tools that are called instead.

#![allow(clippy::unwrap_used, reason = "a server for tests; where it panics, the test fails")]

#[allow(unreachable_pub, reason = "shared with the kit")]
#[path = "../server.rs"]
mod server;

use std::{
    env,
    io::{BufWriter, Write, stderr, stdout},
    path::Path,
    process, thread,
    time::Duration,
};

use serde_json::{Value, json};
use server::{answer, fail, messages, notify, put, say, text};

fn main() {
    let mut arguments = env::args().skip(1);
    let mode = arguments.next().unwrap_or_else(|| "ordinary".to_owned());
    let file = arguments.next();
    if mode == "parks" {
        park_if_there(file.as_deref().unwrap());
    } else if let Some(file) = &file {
        let first = if mode == "records" { String::new() } else { process::id().to_string() };
        std::fs::write(file, first).unwrap();
    }
    if mode == "exits" {
        log("odd-upstream: no licence found");
        process::exit(7);
    }
    let mut server = Server {
        mode,
        file,
        calls: 0,
        lists: 0,
        client: Value::Null,
        asks_for: Value::Null,
        refused: Vec::new(),
        cost: Value::Null,
    };
    for message in messages() {
        server.take(&message);
    }
    if server.mode == "stubborn" {
        // Ends by a signal only.
        loop {
            thread::park();
        }
    }
}

/// Does nothing at all if the file is there when it starts; `<file>.parked` tells it.
fn park_if_there(file: &str) {
    if Path::new(file).exists() {
        std::fs::write(format!("{file}.parked"), "").unwrap();
        loop {
            thread::park();
        }
    }
}

struct Server {
    mode: String,
    file: Option<String>,
    calls: usize,
    lists: usize,
    /// What the client said it can do.
    client: Value,
    /// The call that waits for the client's answer.
    asks_for: Value,
    /// The errors that answered what it asked.
    refused: Vec<Value>,
    /// What its handshake chose of the concern `cost`, which some modes follow: at a low one they list `echo` alone.
    cost: Value,
}

impl Server {
    fn take(&mut self, message: &Value) {
        let id = &message["id"];
        match (self.mode.as_str(), message["method"].as_str().unwrap_or_default()) {
            ("silent", _) => {}
            ("hangs", "tools/call" | "ping") => {}
            ("only-garbage", _) => say("Welcome to odd-upstream!"),
            ("garbage", "initialize") => {
                say("Starting odd-upstream...");
                answer(id, self.introduction());
                say("{\"half\": ");
            }
            (_, "initialize") => {
                self.client = message["params"]["capabilities"].clone();
                self.cost = message["params"]["concerns"]["cost"].clone();
                answer(id, self.introduction());
            }
            ("asks", "tools/call") => {
                self.asks_for = id.clone();
                let arguments = &message["params"]["arguments"];
                let given = arguments.get("params").cloned();
                let params = given.unwrap_or_else(|| json!({"message": "Which?"}));
                put(&json!({"jsonrpc": "2.0", "id": "q", "method": arguments["text"], "params": params}));
            }
            // Asks for the first call when the second comes, which it answers in the same breath.
            ("asks-late", "tools/call") if self.asks_for.is_null() => self.asks_for = id.clone(),
            ("asks-late", "tools/call") if message["params"]["arguments"]["text"].is_string() => {
                let method = &message["params"]["arguments"]["text"];
                let question =
                    json!({"jsonrpc": "2.0", "id": "q", "method": method, "params": {"message": "Which?"}});
                let answer = json!({"jsonrpc": "2.0", "id": id, "result": text("the second")});
                say(&format!("{question}\n{answer}"));
            }
            // At the third, it reports progress of the first.
            ("asks-late", "tools/call") => {
                notify("progress", json!({"progressToken": self.asks_for, "progress": 1}));
                answer(id, text("the third"));
            }
            ("asks" | "asks-late", "") if *id == "q" => {
                let outcome =
                    json!({"client": self.client, "result": message["result"], "error": message["error"]});
                answer(&self.asks_for, text(&outcome.to_string()));
            }
            ("asks", "notifications/roots/list_changed") => {
                notify("cancelled", json!({"requestId": "q"}));
                answer(&self.asks_for, text("never mind"));
            }
            // Asks a hundred things at once, and answers with the errors once 36 have come.
            ("asks-much", "tools/call") => {
                self.asks_for = id.clone();
                for number in 0..100 {
                    put(&json!({"jsonrpc": "2.0", "id": number, "method": "roots/list"}));
                }
            }
            ("asks-much", "") if message["error"].is_object() => {
                self.refused.push(message["error"].clone());
                if self.refused.len() == 36 {
                    answer(&self.asks_for, text(&json!(self.refused).to_string()));
                }
            }
            ("chooses-and-dies", "updateConcerns") => process::exit(12),
            ("chooses-and-loses-lists", "updateConcerns") => {
                self.lists += 1;
                answer(id, json!({}));
            }
            ("chooses-and-loses-lists", "tools/list") if self.lists > 0 => {
                fail(id, json!({"code": -32603, "message": "the list is lost"}));
            }
            ("list-error", "tools/list") => fail(id, json!({"code": -32603, "message": "the list is lost"})),
            ("list-nonsense", "tools/list") => answer(id, json!({"tools": "none"})),
            ("deaf", "tools/list") => {
                answer(id, self.tools(message));
                // Reads no more.
                loop {
                    thread::park();
                }
            }
            // Its tools change five times while they are listed.
            ("lists-once", "tools/list") if self.lists > 0 => process::exit(5),
            ("lists-once", "tools/list") => {
                self.lists += 1;
                answer(id, self.tools(message));
            }
            ("changes-while-listing", "tools/list") if self.lists < 5 => {
                self.lists += 1;
                notify("tools/list_changed", json!({}));
                answer(id, self.tools(message));
            }
            ("resolves", "tools/resolve") => answer(id, json!({"tool": tool("echo")})),
            (_, "tools/list") => answer(id, self.tools(message)),
            (_, "tools/call") => {
                self.calls += 1;
                self.call(id, &message["params"]);
            }
            (_, "ping") => answer(id, json!({})),
            (_, method) if !id.is_null() => {
                fail(id, json!({"code": -32601, "message": format!("no {method} here")}))
            }
            _ => {}
        }
    }

    fn introduction(&self) -> Value {
        let version = match self.mode.as_str() {
            "wrong-version" => "1999-01-01",
            "old-version" => "2024-11-05",
            _ => "2025-11-25",
        };
        let mut tools = json!({"listChanged": true});
        if self.mode == "resolves" {
            tools["resolve"] = true.into();
        }
        let mut capabilities = json!({"tools": tools});
        if self.mode.starts_with("chooses") {
            capabilities["concerns"] = json!([{"name": "cost", "values": ["low", "high"]}]);
        }
        json!({
            "protocolVersion": version,
            "capabilities": capabilities,
            "serverInfo": {"name": "odd", "version": "1"},
        })
    }

    fn tools(&self, message: &Value) -> Value {
        let cursor = message["params"]["cursor"].as_str();
        match (self.mode.as_str(), cursor) {
            ("no-schema", _) => json!({"tools": [{"name": "bare", "description": "Bare."}, tool("echo")]}),
            ("twice", _) => {
                let mut second = tool("echo");
                second["description"] = "The second of this name.".into();
                json!({"tools": [tool("echo"), second, tool("wait")]})
            }
            ("pages", None) => json!({"tools": [tool("first")], "nextCursor": "2"}),
            ("pages", Some("2")) => json!({"tools": [tool("second")], "nextCursor": "3"}),
            ("pages", Some(_)) => json!({"tools": [tool("third")]}),
            ("endless-pages", _) => json!({"tools": [tool("echo")], "nextCursor": "again"}),
            ("odd-cursor", _) => json!({"tools": [tool("echo")], "nextCursor": 2}),
            ("resolves", _) => {
                let mut echo = tool("echo");
                echo["resolve"] = true.into();
                json!({"tools": [echo, tool("wait")]})
            }
            ("many", _) => {
                let tools: Vec<Value> = (0..300).map(|number| tool(&format!("echo-{number}"))).collect();
                json!({"tools": tools})
            }
            ("no-tools", _) => json!({"tools": []}),
            ("changes-while-listing", _) => {
                json!({"tools": [tool("echo"), tool(&format!("grown-{}", self.lists))]})
            }
            (mode, _) if mode.starts_with("chooses") && self.cost == "low" => {
                json!({"tools": [tool("echo")]})
            }
            _ => json!({"tools": [tool("echo"), tool("wait")]}),
        }
    }

    fn call(&self, id: &Value, params: &Value) {
        let arguments = &params["arguments"];
        let echoed = text(arguments["text"].as_str().unwrap_or_default());
        match self.mode.as_str() {
            "dies-on-call" => {
                log("odd-upstream: segmentation fault, as if");
                process::exit(11);
            }
            "hangs-on-call" => {}
            "environment" => answer(id, text(&json!(env::vars().collect::<Vec<_>>()).to_string())),
            // Says what it is given to say, with the call's own id where ID stands; without, it answers.
            "says" => match arguments["say"].as_str() {
                Some(line) => say(&line.replace("ID", &id.to_string())),
                None => answer(id, echoed),
            },
            // The same, in bytes that are no UTF-8.
            "says-bytes" => {
                let line =
                    [format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"a":""#).as_bytes(), b"\xff\"}}\n"]
                        .concat();
                let _gone = stdout().lock().write_all(&line);
            }
            "records" => {
                let file = self.file.as_ref().unwrap();
                let mut calls = std::fs::OpenOptions::new().append(true).open(file).unwrap();
                writeln!(calls, "{} {arguments}", params["name"]).unwrap();
                answer(id, echoed);
            }
            "answers-twice" => {
                answer(id, text("the first answer"));
                answer(id, text("the second answer"));
            }
            "foreign-id" => answer(&json!(987_654), echoed),
            "garbage" => {
                say("computing...");
                answer(id, echoed);
            }
            "huge" => {
                let megabytes = usize::try_from(arguments["megabytes"].as_u64().unwrap_or(4)).unwrap();
                let (head, tail) = (r#"{"content":[{"type":"text","text":""#, r#""}]}"#);
                let text = "0123456789abcdef".repeat(megabytes << 16);
                // As text: to write it as a value takes longer than all the rest.
                say(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{head}{text}{tail}}}"#));
            }
            // A result without an end, on one line.
            "endless" if params["name"] == "echo" => {
                let mut out = stdout().lock();
                let mut written = write!(out, r#"{{"jsonrpc":"2.0","id":{id},"result":{{"x":""#);
                while written.is_ok() {
                    written = out.write_all(&[b'x'; 1 << 16]);
                }
            }
            "half-a-line" if self.calls == 1 => half(&json!({"jsonrpc": "2.0", "id": id, "result": {}})),
            "half-a-line" => {
                say("");
                answer(id, echoed);
            }
            "floods-messages" => {
                flood("message", r#"{"level":"info","data":{"number":NUMBER,"text":"TEXT"}}"#, arguments);
                answer(id, echoed);
            }
            "floods-progress" => {
                let token = &params["_meta"]["progressToken"];
                let params = format!(r#"{{"progressToken":{token},"progress":NUMBER,"message":"TEXT"}}"#);
                flood("progress", &params, arguments);
                answer(id, echoed);
            }
            _ if params["name"] == "wait" => wait(id.clone(), arguments["file"].as_str().unwrap_or_default()),
            _ => answer(id, echoed),
        }
    }
}

/// Answers once the file is there; `<file>.began` tells that it waits.
fn wait(id: Value, file: &str) {
    let file = file.to_owned();
    std::fs::write(format!("{file}.began"), "").unwrap();
    thread::spawn(move || {
        while !Path::new(&file).exists() {
            thread::sleep(Duration::from_millis(5));
        }
        answer(&id, text("the file is there"));
    });
}

fn tool(name: &str) -> Value {
    json!({
        "name": name,
        "description": format!("The tool {name} of odd-upstream."),
        "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
    })
}

/// Says the first half of a message, and not that the line ends.
fn half(message: &Value) {
    let text = message.to_string();
    let mut out = stdout().lock();
    let _gone = out.write_all(&text.as_bytes()[..text.len() / 2]).and_then(|()| out.flush());
}

/// Notifies as often and with as much text as the arguments say: `times` and `bytes`.
fn flood(method: &str, params: &str, arguments: &Value) {
    let bytes = usize::try_from(arguments["bytes"].as_u64().unwrap_or(1)).unwrap();
    let params = params.replace("TEXT", &"x".repeat(bytes));
    let line = format!(r#"{{"jsonrpc":"2.0","method":"notifications/{method}","params":{params}}}"#);
    let (head, tail) = line.split_once("NUMBER").unwrap();
    let mut out = BufWriter::new(stdout().lock());
    for number in 0..arguments["times"].as_u64().unwrap_or(1) {
        let _gone = writeln!(out, "{head}{number}{tail}");
    }
}

fn log(line: &str) {
    let _gone = writeln!(stderr().lock(), "{line}");
}
