//! An MCP server on standard streams that runs tasks, in the era that its argument names: `session` (2025-11-25) or
//! `stateless` (2026-07-28 with the extension).
//!
//! Its ids of tasks are counted, as weak servers do. A task goes on when another tool is called: `finish`, `wrong`, `fail`
//! and `report` act on the newest task that is not over, `late` reports progress of all, `log` logs a message, and `die` ends the program. One with the
//! topic `ask` asks its client something, and is over when that is answered. One with the topic `tell` says when it is over, and so does one with the
//! topic `at once`, which is over when it has begun.

#![allow(clippy::unwrap_used, reason = "a server for tests; where it panics, the test fails")]

#[allow(unreachable_pub, reason = "shared with the kit")]
#[path = "../server.rs"]
mod server;

use std::{env, process};

use serde_json::{Value, json};
use server::{answer, fail, messages, notify, put, text};

const EXTENSION: &str = "io.modelcontextprotocol/tasks";
const RELATED: &str = "io.modelcontextprotocol/related-task";

fn main() {
    let is_stateless = env::args().nth(1).as_deref() == Some("stateless");
    let mut server = Server { is_stateless, tasks: Vec::new() };
    for message in messages() {
        server.take(&message);
    }
}

struct Server {
    is_stateless: bool,
    tasks: Vec<Task>,
}

struct Task {
    status: &'static str,
    arguments: Value,
    token: Value,
    /// The result or the error.
    outcome: Value,
    /// Whether the client has to answer something, and what it answered.
    asks: bool,
    answer: Value,
    /// Requests for its result that wait.
    waiting: Vec<Value>,
}

impl Server {
    fn take(&mut self, message: &Value) {
        let (id, params) = (&message["id"], &message["params"]);
        let method = message["method"].as_str().unwrap_or_default();
        match method {
            "initialize" if self.is_stateless => {
                let data = json!({"supported": ["2026-07-28"], "requested": params["protocolVersion"]});
                fail(id, json!({"code": -32022, "message": "Unsupported protocol version", "data": data}));
            }
            "initialize" => answer(
                id,
                json!({
                    "protocolVersion": "2025-11-25",
                    "capabilities": {"tools": {}, "logging": {}, "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}},
                    "serverInfo": {"name": "tasks", "version": "1"},
                }),
            ),
            "server/discover" if self.is_stateless => answer(
                id,
                json!({
                    "resultType": "complete", "supportedVersions": ["2026-07-28"], "ttlMs": 0, "cacheScope": "private",
                    "capabilities": {"tools": {}, "extensions": {EXTENSION: {}}},
                    "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "tasks", "version": "1"}},
                }),
            ),
            "logging/setLevel" => answer(id, json!({})),
            "tools/list" => answer(id, self.result(json!({"tools": self.tools()}))),
            "tools/call" => self.call(id, params),
            "tasks/get" | "tasks/result" | "tasks/cancel" | "tasks/update" => {
                self.of_task(id, method, params)
            }
            // The client's answer to a question; its id is that of the task.
            "" if id.is_string() => {
                let number: usize = id.as_str().unwrap().parse().unwrap();
                if message["error"].is_object() {
                    return self.answered(number, json!("nobody can be asked"));
                }
                assert_eq!(
                    message["result"]["_meta"][RELATED]["taskId"],
                    json!(number.to_string()),
                    "{message}"
                );
                let mut answer = message["result"].clone();
                answer.as_object_mut().unwrap().remove("_meta");
                self.answered(number, answer);
            }
            _ if !id.is_null() => fail(id, json!({"code": -32601, "message": format!("no {method} here")})),
            _ => {}
        }
    }

    fn tools(&self) -> Vec<Value> {
        let tool = |(name, support): (&str, &str)| {
            let schema = json!({"type": "object", "properties": {"topic": {"type": "string"}}});
            let mut tool =
                json!({"name": name, "description": format!("Does {name}."), "inputSchema": schema});
            if !self.is_stateless && !support.is_empty() {
                tool["execution"] = json!({"taskSupport": support});
            }
            tool
        };
        let plain = ["finish", "wrong", "fail", "report", "late", "log", "die"].map(|name| (name, ""));
        [("research", "required"), ("either", "optional")].into_iter().chain(plain).map(tool).collect()
    }

    fn call(&mut self, id: &Value, params: &Value) {
        let name = params["name"].as_str().unwrap_or_default();
        let understood = match self.is_stateless {
            true => {
                let declared = &params["_meta"]["io.modelcontextprotocol/clientCapabilities"]["extensions"];
                declared[EXTENSION].is_object()
            }
            false => params["task"].is_object(),
        };
        match name {
            "research" if !understood && self.is_stateless => {
                let data = json!({"requiredCapabilities": {"extensions": {EXTENSION: {}}}});
                return fail(id, json!({"code": -32021, "message": "needs tasks", "data": data}));
            }
            "research" if !understood => return fail(id, json!({"code": -32601, "message": "needs a task"})),
            "research" => return self.begin(id, params),
            "either" if understood && !self.is_stateless => return self.begin(id, params),
            "either" => return answer(id, self.result(text("at once"))),
            "die" => process::exit(9),
            _ => {}
        }
        if name == "log" {
            notify("message", json!({"level": "warning", "data": "logged"}));
            return answer(id, self.result(text(name)));
        }
        if name == "late" {
            self.tasks.iter().for_each(progress_of);
            return answer(id, self.result(text(name)));
        }
        let Some(number) = self.tasks.iter().rposition(|task| task.outcome.is_null()) else {
            return answer(id, self.result(text("nothing is under way")));
        };
        let task = &self.tasks[number];
        match name {
            "finish" => self.finish(number),
            "wrong" => {
                let mut result = text("it went wrong");
                result["isError"] = json!(true);
                let status = if self.is_stateless { "completed" } else { "failed" };
                self.end(number, status, json!({"result": result}));
            }
            "fail" => {
                self.end(number, "failed", json!({"error": {"code": 77, "message": "broken", "data": [1]}}))
            }
            _ => {
                progress_of(task);
                notify("tasks/status", self.state(number));
            }
        }
        answer(id, self.result(text(name)));
    }

    fn begin(&mut self, id: &Value, params: &Value) {
        self.tasks.push(Task {
            status: "working",
            arguments: params["arguments"].clone(),
            token: params["_meta"]["progressToken"].clone(),
            outcome: Value::Null,
            asks: false,
            answer: Value::Null,
            waiting: Vec::new(),
        });
        let mut task = self.state(self.tasks.len() - 1);
        task["x-odd"] = json!([1.0]);
        if params["arguments"]["topic"] == "ask" {
            let begun = self.tasks.last_mut().unwrap();
            (begun.status, begun.asks) = ("input_required", true);
        }
        if self.is_stateless {
            task["resultType"] = json!("task");
            return answer(id, task);
        }
        answer(
            id,
            json!({"task": task, "_meta": {"io.modelcontextprotocol/model-immediate-response": "Soon."}}),
        );
        if params["arguments"]["topic"] == "at once" {
            self.finish(self.tasks.len() - 1);
        }
    }

    fn of_task(&mut self, id: &Value, method: &str, params: &Value) {
        let number = params["taskId"].as_str().and_then(|id| id.parse::<usize>().ok());
        let Some(number) = number.filter(|number| *number < self.tasks.len()) else {
            return fail(id, json!({"code": -32602, "message": "Task not found"}));
        };
        let is_over = !self.tasks[number].outcome.is_null();
        match (method, self.is_stateless) {
            ("tasks/get", false) => answer(id, self.state(number)),
            ("tasks/get", true) => {
                let mut state = self.result(self.state(number));
                let task = &self.tasks[number];
                for (key, value) in task.outcome.as_object().into_iter().flatten() {
                    state[key] = value.clone();
                }
                if task.asks {
                    state["inputRequests"] = json!({"which": question()});
                }
                answer(id, state);
            }
            ("tasks/result", false) => {
                self.tasks[number].waiting.push(id.clone());
                self.settle(number);
                self.ask(number);
            }
            ("tasks/cancel", false) if is_over => fail(id, json!({"code": -32602, "message": "it is over"})),
            ("tasks/cancel", _) => {
                if !is_over {
                    self.end(number, "cancelled", json!({"error": {"code": -32603, "message": "cancelled"}}));
                }
                let state =
                    if self.is_stateless { json!({"resultType": "complete"}) } else { self.state(number) };
                answer(id, state);
            }
            ("tasks/update", true) => {
                let given = params["inputResponses"]["which"].clone();
                if self.tasks[number].asks && !given.is_null() {
                    self.answered(number, given);
                }
                answer(id, json!({"resultType": "complete"}));
            }
            _ => fail(id, json!({"code": -32601, "message": format!("no {method} here")})),
        }
    }

    /// Sends the question, with a request for the result, as official servers do.
    fn ask(&mut self, number: usize) {
        let task = &self.tasks[number];
        if self.is_stateless || !task.asks || task.waiting.is_empty() {
            return;
        }
        let mut question = question();
        question["params"]["_meta"] = json!({RELATED: {"taskId": number.to_string()}});
        question["jsonrpc"] = json!("2.0");
        question["id"] = json!(number.to_string());
        put(&question);
    }

    fn answered(&mut self, number: usize, answer: Value) {
        let task = &mut self.tasks[number];
        (task.asks, task.answer) = (false, answer);
        self.finish(number);
    }

    fn finish(&mut self, number: usize) {
        let task = &self.tasks[number];
        let said = json!({"topic": task.arguments["topic"], "answer": task.answer});
        self.end(number, "completed", json!({"result": text(&said.to_string())}));
    }

    fn end(&mut self, number: usize, status: &'static str, outcome: Value) {
        let task = &mut self.tasks[number];
        (task.status, task.outcome) = (status, outcome);
        if ["tell", "at once"].iter().any(|topic| task.arguments["topic"] == *topic) {
            notify("tasks/status", self.state(number));
        }
        self.settle(number);
    }

    fn settle(&mut self, number: usize) {
        let task = &mut self.tasks[number];
        if self.is_stateless || task.outcome.is_null() {
            return;
        }
        for id in std::mem::take(&mut task.waiting) {
            let mut response = json!({"jsonrpc": "2.0", "id": id});
            for (key, value) in task.outcome.as_object().unwrap() {
                response[key] = value.clone();
            }
            if response["result"].is_object() {
                response["result"]["_meta"] = json!({RELATED: {"taskId": number.to_string()}});
            }
            put(&response);
        }
    }

    fn state(&self, number: usize) -> Value {
        let (lifetime, interval) = match self.is_stateless {
            true => ("ttlMs", "pollIntervalMs"),
            false => ("ttl", "pollInterval"),
        };
        json!({
            "taskId": number.to_string(),
            "status": self.tasks[number].status,
            "createdAt": "2026-01-02T03:04:05Z",
            "lastUpdatedAt": "2026-01-02T03:04:06Z",
            lifetime: 600_000,
            interval: 60,
        })
    }

    /// A result of the era.
    fn result(&self, mut result: Value) -> Value {
        if self.is_stateless {
            result["resultType"] = json!("complete");
            if result.get("tools").is_some() {
                (result["ttlMs"], result["cacheScope"]) = (json!(0), json!("private"));
            }
        }
        result
    }
}

fn progress_of(task: &Task) {
    notify("progress", json!({"progressToken": task.token, "progress": 1, "message": "halfway"}));
}

fn question() -> Value {
    let schema = json!({"type": "object", "properties": {"which": {"type": "string"}}});
    json!({"method": "elicitation/create", "params": {"message": "Which?", "requestedSchema": schema}})
}
