//! A complete MCP server over stdio that is hostile where its tools are called after it.
//!
//! It lists the tools of [`TOOLS`] that `--tools` names, and those in the file of `--definitions`, whose calls it
//! echoes. The file of `--script` has more `capabilities` and `tools`, and `answers` to requests.

use std::{collections::BTreeMap, fs, thread};

use kit::server::{answer, fail, messages, put, say, text};
use serde_json::{Value, json};

/// The tools that it knows.
pub const TOOLS: &[(&str, &str)] = &[
    ("echo", "Answers with its arguments."),
    ("size", "Answers with the size of its arguments."),
    ("large", "Answers with many megabytes."),
    ("log", "Logs a text and answers."),
    ("deaf", "Answers and reads no more."),
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
    let mut server = Server::new(&options);
    for message in messages() {
        server.take(&message);
    }
}

struct Server {
    tools: Vec<Value>,
    /// The call whose person was asked to open something.
    opening: Value,
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
            tools.extend(serde_json::from_str::<Vec<Value>>(&text).unwrap());
        }
        let script = options
            .get("--script")
            .map_or(Value::Null, |file| serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap());
        tools.extend(script["tools"].as_array().into_iter().flatten().cloned());
        Self { tools, script, opening: Value::Null }
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
            Some("initialize") => {
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
                self.call(id, params["name"].as_str().unwrap_or_default(), &params["arguments"]);
            }
            Some("resources/list") => answer(id, json!({"resources": []})),
            Some("resources/templates/list") => {
                answer(
                    id,
                    json!({"resourceTemplates": [{"uriTemplate": "file:///{+path}", "name": "files"}]}),
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
            "log" => {
                let params = json!({"level": "error", "logger": "hostile", "data": given("text")});
                let message = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": params});
                let message = message.to_string();
                (0..arguments["times"].as_u64().unwrap_or(1)).for_each(|_| say(&message));
                answer(id, text("logged"));
            }
            "open" => {
                let asked =
                    json!({"mode": "url", "url": given("url"), "elicitationId": "1", "message": "Open it"});
                match given("form") {
                    "request" => {
                        self.opening = id.clone();
                        put(
                            &json!({"jsonrpc": "2.0", "id": "open", "method": "elicitation/create", "params": asked}),
                        );
                    }
                    "result" => {
                        let request = json!({"method": "elicitation/create", "params": asked});
                        answer(id, json!({"resultType": "input_required", "inputRequests": {"a": request}}));
                    }
                    _ => {
                        let data = json!({"elicitations": [asked]});
                        fail(id, json!({"code": -32042, "message": "open", "data": data}));
                    }
                }
            }
            "large" => {
                let megabytes = usize::try_from(arguments["megabytes"].as_u64().unwrap_or(1)).unwrap();
                let text = "0123456789abcdef".repeat(megabytes << 16);
                // As text: to write it as a value takes longer than all the rest.
                let result = format!(r#"{{"content":[{{"type":"text","text":"{text}"}}]}}"#);
                say(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#));
            }
            "deaf" => {
                answer(id, text("what?"));
                loop {
                    thread::park();
                }
            }
            _ => answer(id, text(&arguments.to_string())),
        }
    }
}
