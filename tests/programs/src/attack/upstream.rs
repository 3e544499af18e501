//! A complete MCP server over stdio that is hostile where its tools are called after it, or where it is naive.
//!
//! It lists the tools of [`TOOLS`] that `--tools` names, and those in the file of `--definitions`, whose calls it
//! echoes. The file of `--script` has more `capabilities` and `tools`, and `answers` to requests. It serves one secret file, however its URI is spelled, as file servers do.

use std::{
    collections::BTreeMap,
    env, fs,
    io::{BufRead, Write, stderr, stdin, stdout},
    process, thread,
    time::Duration,
};

use serde_json::{Value, json};

/// The secret of the file.
pub const SECRET: &str = "the secret of /data/private/key";

/// The tools that it knows.
pub const TOOLS: &[(&str, &str)] = &[
    ("echo", "Answers with its arguments."),
    ("size", "Answers with the size of its arguments."),
    ("received", "Answers with the names of the tools called."),
    ("process", "Answers with its process id."),
    ("roots", "Answers with the roots that it asked for once."),
    ("environment", "Answers with its environment."),
    ("die", "Says something on stderr and ends."),
    ("complain", "Writes many lines to stderr."),
    ("babble", "Writes many lines that are no MCP to stdout."),
    ("nameless", "Answers, and a moment later with an error without an id."),
    ("large", "Answers with many megabytes."),
    ("log", "Logs a text and answers."),
    ("slow", "Never answers."),
    ("deaf", "Answers and reads no more."),
    ("deep", "Answers with a deep result."),
    ("not_a_number", "Answers with NaN."),
    ("both", "Answers with a result and an error."),
    ("forget", "Lists a tool no more, and others instead."),
    ("open", "Asks a person to open a URL: in a request, a result or an error."),
];

/// The first argument of a program that is to play it.
pub const ROLE: &str = "upstream";

/// Serves on standard input and output, as these arguments say.
pub fn serve(mut arguments: impl Iterator<Item = String>) {
    let mut options = BTreeMap::new();
    while let (Some(name), Some(value)) = (arguments.next(), arguments.next()) {
        options.insert(name, value);
    }
    if options.get("--dies-if").is_some_and(|file| fs::exists(file).unwrap_or(false)) {
        complain(&options["--saying"]);
        process::exit(3);
    }
    let mut server = Server::new(&options);
    for line in stdin().lock().lines().map_while(Result::ok) {
        match serde_json::from_str(&line) {
            Ok(message) => server.take(&message),
            // As a naive server does with what is nested too deeply for it.
            Err(error) => {
                complain(&format!("unhandled: {error}"));
                process::exit(4);
            }
        }
    }
}

struct Server {
    tools: Vec<Value>,
    /// The tools called.
    received: Vec<String>,
    /// What it knows of its client's roots: asked for once, as servers do.
    roots: Option<Value>,
    waits_for_roots: Vec<Value>,
    /// The call whose person was asked to open something.
    opening: Value,
    has_roots: bool,
    script: Value,
}

impl Server {
    fn new(options: &BTreeMap<String, String>) -> Self {
        let named = options.get("--tools").map_or("none", String::as_str);
        let is_named = |name: &str| named == "all" || named.split(',').any(|wanted| wanted == name);
        let known = TOOLS.iter().filter(|(name, _)| is_named(name));
        let mut tools: Vec<Value> = known
            .map(|(name, description)| {
                json!({"name": name, "description": description, "inputSchema": {"type": "object"}})
            })
            .collect();
        if let Some(file) = options.get("--definitions") {
            let text = fs::read_to_string(file).unwrap();
            // Definitions may be nested too deeply to be read as a value; here they are plain.
            tools.extend(serde_json::from_str::<Vec<Value>>(&text).unwrap());
        }
        let script = options
            .get("--script")
            .map_or(Value::Null, |file| serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap());
        tools.extend(script["tools"].as_array().into_iter().flatten().cloned());
        Self {
            tools,
            script,
            received: Vec::new(),
            roots: None,
            waits_for_roots: Vec::new(),
            opening: Value::Null,
            has_roots: false,
        }
    }

    fn take(&mut self, message: &Value) {
        let (id, params) = (&message["id"], &message["params"]);
        if let Some(result) = message["method"].as_str().and_then(|method| self.scripted(method, params)) {
            return answer(id, result);
        }
        match message["method"].as_str() {
            None if *id == "open" => {
                let said = message.get("error").or(message.get("result"));
                answer(
                    &self.opening.take(),
                    text(&said.map(|said| said["message"].to_string()).unwrap_or_default()),
                );
            }
            None if *id == "roots" => self.take_roots(message["result"]["roots"].clone()),
            Some("initialize") => {
                self.has_roots = params["capabilities"]["roots"].is_object();
                let mut capabilities =
                    json!({"tools": {"listChanged": true}, "resources": {"subscribe": true}, "logging": {}});
                for (name, settings) in self.script["capabilities"].as_object().into_iter().flatten() {
                    capabilities[name] = settings.clone();
                }
                answer(
                    id,
                    json!({
                        "protocolVersion": "2025-11-25",
                        "capabilities": capabilities,
                        "serverInfo": {"name": "hostile", "version": "1"},
                    }),
                );
            }
            Some("tools/list") => answer(id, json!({"tools": self.tools})),
            Some("tools/call") => {
                let name = params["name"].as_str().unwrap_or_default();
                self.received.push(name.to_owned());
                self.call(id, name, &params["arguments"]);
            }
            Some("resources/list") => {
                let entry = |uri: &str| json!({"uri": uri, "name": uri});
                answer(
                    id,
                    json!({"resources": [entry("file:///data/private/key"), entry("file:///data/public/readme")]}),
                );
            }
            Some("resources/templates/list") => {
                answer(
                    id,
                    json!({"resourceTemplates": [{"uriTemplate": "file:///{+path}", "name": "files"}]}),
                );
            }
            Some("resources/read") => {
                let uri = params["uri"].as_str().unwrap_or_default();
                answer(
                    id,
                    json!({"contents": [{"uri": uri, "mimeType": "text/plain", "text": contents(uri)}]}),
                );
            }
            Some(_) if !id.is_null() => answer(id, json!({})),
            _ => {}
        }
    }

    /// What the script says to a request: by its method and what it names, or by its method alone.
    fn scripted(&self, method: &str, params: &Value) -> Option<Value> {
        let answers = self.script["answers"].as_object()?;
        let named = ["name", "uri", "taskId"].iter().find_map(|key| params[key].as_str());
        let of_named = named.and_then(|named| answers.get(&format!("{method} {named}")));
        of_named.or_else(|| answers.get(method)).cloned()
    }

    fn call(&mut self, id: &Value, name: &str, arguments: &Value) {
        let given = |member: &str| arguments[member].as_str().unwrap_or_default();
        match name {
            "size" => answer(id, text(&arguments.to_string().len().to_string())),
            "received" => answer(id, text(&self.received.join(","))),
            "process" => answer(id, text(&process::id().to_string())),
            "roots" => self.answer_with_roots(id),
            "environment" => answer(id, text(&json!(env::vars().collect::<BTreeMap<_, _>>()).to_string())),
            "die" => {
                complain(given("saying"));
                process::exit(5);
            }
            "complain" => {
                for number in 0..arguments["times"].as_u64().unwrap_or(1) {
                    complain(&format!("{number} {}", given("saying")));
                }
                answer(id, text("done"));
            }
            "log" => {
                let params = json!({"level": "error", "logger": "hostile", "data": given("text")});
                let message = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": params});
                let message = message.to_string();
                (0..arguments["times"].as_u64().unwrap_or(1)).for_each(|_| put(&message));
                answer(id, text("logged"));
            }
            "open" => {
                let asked =
                    json!({"mode": "url", "url": given("url"), "elicitationId": "1", "message": "Open it"});
                match given("form") {
                    "request" => {
                        self.opening = id.clone();
                        put(&json!({"jsonrpc": "2.0", "id": "open", "method": "elicitation/create", "params": asked}).to_string());
                    }
                    "result" => {
                        let request = json!({"method": "elicitation/create", "params": asked});
                        answer(id, json!({"resultType": "input_required", "inputRequests": {"a": request}}));
                    }
                    _ => {
                        let error =
                            json!({"code": -32042, "message": "open", "data": {"elicitations": [asked]}});
                        put(&json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string());
                    }
                }
            }
            "babble" => {
                (0..arguments["times"].as_u64().unwrap_or(1)).for_each(|_| put("this is no MCP"));
                answer(id, text("done"));
            }
            "nameless" => {
                answer(id, text("done"));
                thread::sleep(Duration::from_millis(200));
                raw(r#""id":null,"error":{"code":-32600,"message":"of nobody"}"#);
            }
            "large" => {
                let megabytes = usize::try_from(arguments["megabytes"].as_u64().unwrap_or(1)).unwrap();
                let text = "0123456789abcdef".repeat(megabytes << 16);
                raw(&format!(r#""id":{id},"result":{{"content":[{{"type":"text","text":"{text}"}}]}}"#));
            }
            "slow" => {}
            "deaf" => {
                answer(id, text("what?"));
                loop {
                    thread::park();
                }
            }
            "deep" => {
                let levels = usize::try_from(arguments["levels"].as_u64().unwrap_or(1_000)).unwrap();
                let deep = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
                raw(&format!(r#""id":{id},"result":{{"content":[],"structuredContent":{{"deep":{deep}}}}}"#));
            }
            "not_a_number" => {
                raw(&format!(r#""id":{id},"result":{{"content":[],"structuredContent":{{"x":NaN}}}}"#))
            }
            "both" => {
                let error = json!({"code": -32000, "message": "and an error"});
                raw(&format!(r#""id":{id},"result":{{"content":[]}},"error":{error}"#));
            }
            "forget" => {
                self.tools.retain(|tool| tool["name"] != given("tool"));
                self.tools.extend(arguments["instead"].as_array().into_iter().flatten().cloned());
                put(&json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}).to_string());
                answer(id, text("forgotten"));
            }
            _ => answer(id, text(&arguments.to_string())),
        }
    }

    fn answer_with_roots(&mut self, id: &Value) {
        match &self.roots {
            Some(roots) => answer(id, text(&roots.to_string())),
            None if !self.has_roots => answer(id, text("no roots")),
            None => {
                self.waits_for_roots.push(id.clone());
                put(&json!({"jsonrpc": "2.0", "id": "roots", "method": "roots/list"}).to_string());
            }
        }
    }

    fn take_roots(&mut self, roots: Value) {
        for id in self.waits_for_roots.drain(..) {
            answer(&id, text(&roots.to_string()));
        }
        self.roots = Some(roots);
    }
}

/// What stands under a URI: it is read like a path, with everything that file systems forgive.
fn contents(uri: &str) -> String {
    let lower = uri.to_ascii_lowercase();
    let path = lower.strip_prefix("file:").unwrap_or_default();
    let path = path.strip_prefix("//localhost").unwrap_or(path);
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let mut decoded = path.to_owned();
    // Twice: some decode what was decoded.
    for _ in 0..2 {
        decoded = percent_decoded(&decoded);
    }
    let mut segments: Vec<&str> = Vec::new();
    for segment in decoded.split(['/', '\\']) {
        match segment {
            "" | "." => {}
            ".." => drop(segments.pop()),
            segment => segments.push(segment),
        }
    }
    match segments.as_slice() {
        ["data", "private", ..] => SECRET.to_owned(),
        _ => "public".to_owned(),
    }
}

fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let hex = bytes.get(at + 1..at + 3).and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.filter(|_| bytes[at] == b'%').and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                decoded.push(byte);
                at += 3;
            }
            None => {
                decoded.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

fn answer(id: &Value, result: Value) {
    put(&json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string());
}

fn raw(members: &str) {
    put(&format!(r#"{{"jsonrpc":"2.0",{members}}}"#));
}

fn put(line: &str) {
    let mut out = stdout().lock();
    // Whoever started it may be gone.
    let _gone = writeln!(out, "{line}").and_then(|()| out.flush());
}

fn complain(line: &str) {
    if writeln!(stderr().lock(), "{line}").is_err() {
        // A full pipe is drained some time.
        thread::sleep(Duration::from_millis(1));
    }
}
