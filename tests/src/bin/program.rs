//! The upstream's program: a message in, messages out, as text.

use std::io::Write;

use mcp_disclosure_core::RawObject;
use mcp_disclosure_drafts::ManifestEntry;
use serde_json::{
    json,
    value::{RawValue, to_raw_value},
};

use crate::scenario::{JOURNAL, Scenario, control, raw};

/// The number of tools on one page.
const PAGE: usize = 4;

/// The levels of log messages.
const LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// Plays a scenario.
#[derive(Debug)]
pub(crate) struct Program<W> {
    scenario: Scenario,
    journal: Vec<String>,
    lists_hang: bool,
    out: W,
}

impl<W: Write> Program<W> {
    /// The program at its start.
    pub(crate) fn new(scenario: Scenario, out: W) -> Self {
        Self { scenario, journal: Vec::new(), lists_hang: false, out }
    }

    /// Takes one message.
    pub(crate) fn receive(&mut self, line: &str) {
        self.journal.push(line.to_owned());
        let message = RawObject::parse(line).unwrap();
        let (Some(id), Some(method)) = (message.member("id"), message.string("method")) else { return };
        let params = message.object("params").unwrap_or_else(RawObject::empty);
        let key = params.string("name").or_else(|| params.string("uri")).unwrap_or_default();
        if self.refuses(&method, &params, &key) {
            let error = r#"{"code":-32602,"message":"Not even odd"}"#;
            return self.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#));
        }
        if self.scenario.answers.contains_key(&format!("changes {method} {key}")) {
            self.notify("tools/list_changed", "{}");
        }
        if let Some(answer) = self.scenario.answers.get(&format!("{method} {key}")) {
            let answer = RawObject::parse(answer.get()).unwrap();
            let answer = answer.iter().next().map(|(kind, text)| (kind.to_owned(), text.to_owned()));
            let (kind, text) = answer.unwrap();
            return self.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"{kind}":{text}}}"#));
        }
        // As most servers, it has none of these.
        if ["skills/list", "skills/get", "resources/directory/read"].contains(&&*method) {
            let error = r#"{"code":-32601,"message":"Method not found"}"#;
            return self.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#));
        }
        if method == "resources/subscribe" && key == control("log") {
            self.notify("message", r#"{"level":"warning","data":"subscribed"}"#);
        }
        let empty = || "{}".to_owned();
        let result = match &*method {
            "initialize" => Some(self.scenario.initialize.get().to_owned()),
            "tools/list" if self.lists_hang => None,
            "tools/list" => Some(page("tools", &self.scenario.tools, &params)),
            "tools/manifest" => Some(page("entries", &self.entries(), &params)),
            "tools/describe" => Some(self.described(&params)),
            "resources/list" => Some(all("resources", &self.scenario.resources)),
            "resources/templates/list" => Some(all("resourceTemplates", &self.scenario.templates)),
            "prompts/list" => Some(all("prompts", &self.scenario.prompts)),
            "tools/call" => self.call(&key, &params),
            "resources/read" => Some(self.read(&key)),
            _ => Some(empty()),
        };
        if let Some(result) = result {
            self.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#));
        }
    }

    /// Whether a request is malformed, or about a prompt that is not listed.
    fn refuses(&self, method: &str, params: &RawObject, key: &str) -> bool {
        let is_listed = |prompt: &str| {
            let name = |item: &RawValue| RawObject::parse(item.get()).ok()?.string("name");
            self.scenario.prompts.iter().any(|item| name(item).as_deref() == Some(prompt))
        };
        match method {
            "tools/call" | "resources/read" => key.is_empty(),
            "prompts/get" => !is_listed(key),
            "completion/complete" => params.object("ref").is_none_or(|reference| {
                let prompt = reference.string("name");
                prompt.is_some_and(|prompt| !is_listed(&prompt))
            }),
            "logging/setLevel" => !params.string("level").is_some_and(|level| LEVELS.contains(&&*level)),
            _ => false,
        }
    }

    fn entries(&self) -> Vec<Box<RawValue>> {
        let entry = |tool: &RawValue| {
            to_raw_value(ManifestEntry::of(&RawObject::parse(tool.get()).unwrap()).text()).unwrap()
        };
        self.scenario.tools.iter().map(|tool| entry(tool)).collect()
    }

    fn described(&self, params: &RawObject) -> String {
        let names: Vec<String> = serde_json::from_str(params.member("names").unwrap()).unwrap();
        let named = |name: &String| {
            let is_it =
                |tool: &RawValue| RawObject::parse(tool.get()).unwrap().string("name").as_ref() == Some(name);
            self.scenario.tools.iter().find(|tool| is_it(tool)).cloned()
        };
        all("tools", &names.iter().filter_map(named).collect::<Vec<_>>())
    }

    fn call(&mut self, name: &str, params: &RawObject) -> Option<String> {
        let token = params.object("_meta").and_then(|meta| meta.member("progressToken").map(str::to_owned));
        let steps = match name {
            "progress" => 3,
            "slow" => 1,
            _ => 0,
        };
        for step in 1..=steps {
            let Some(token) = &token else { break };
            self.notify("progress", &format!(
                r#"{{"progressToken":{token},"progress":{step},"total":3.0,"message":"step","x-odd":[1e2]}}"#
            ));
        }
        match name {
            "slow" => return None,
            "die" => {
                let _ignored = writeln!(std::io::stderr(), "the kit's last words");
                std::process::exit(7);
            }
            "garbage" => self.send("Listening on nothing at all"),
            _ => {}
        }
        let given = params.member("arguments").unwrap_or("null");
        Some(format!(
            r#"{{"content":[{{"type":"text","text":"echo"}}],"structuredContent":{{"given":{given}}}}}"#
        ))
    }

    fn read(&mut self, uri: &str) -> String {
        let text = if uri == JOURNAL { format!("[{}]", self.journal.join(",")) } else { String::new() };
        if uri == control("hang") {
            self.lists_hang = true;
            self.notify("tools/list_changed", "{}");
        } else if uri == control("tool") {
            let late =
                json!({"name": "late", "description": "Came late.", "inputSchema": {"type": "object"}});
            self.scenario.tools.push(raw(late));
            self.notify("tools/list_changed", "{}");
        } else if uri == control("log") {
            self.notify("message", r#"{"level":"warning","logger":"kit","data":{"odd":1.0},"x-odd":true}"#);
            self.notify("message", r#"{"level":"debug","data":"too much"}"#);
        } else if let Some(stage) =
            uri.rsplit_once("/stage/").and_then(|(_, stage)| stage.parse::<usize>().ok())
        {
            let next = self.scenario.stages[stage].clone();
            (self.scenario.tools, self.scenario.prompts) = (next.tools, next.prompts);
            let staged = json!({"uri": format!("kit://staged/{stage}"), "name": "staged"});
            self.scenario.resources.push(raw(staged));
            self.notify("tools/list_changed", "{}");
        } else if let Some(updated) = uri.strip_prefix(&control("updated:")) {
            let updated = updated.replace('!', "/");
            let said = self.scenario.answers.get(&format!("resources/updated {updated}"));
            let said = said.map_or_else(|| json!({"uri": updated}).to_string(), |said| said.get().to_owned());
            self.notify("resources/updated", &said);
        } else if uri == control("updated") {
            self.notify("resources/updated", r#"{"uri":"kit://doc","x-odd":1}"#);
        }
        json!({"contents": [{"uri": uri, "mimeType": "text/plain", "text": text}]}).to_string()
    }

    fn notify(&mut self, what: &str, params: &str) {
        self.send(&format!(r#"{{"jsonrpc":"2.0","method":"notifications/{what}","params":{params}}}"#));
    }

    fn send(&mut self, line: &str) {
        // The gateway may have ended.
        let _gone = writeln!(self.out, "{line}").and_then(|()| self.out.flush());
    }
}

fn page(member: &str, items: &[Box<RawValue>], params: &RawObject) -> String {
    let from: usize = params.string("cursor").map_or(0, |cursor| cursor.parse().unwrap());
    let to = (from + PAGE).min(items.len());
    let list = RawObject::parse(all(member, &items[from..to])).unwrap();
    let list = if to < items.len() { list.with_value("nextCursor", &to.to_string()) } else { list };
    list.text().to_owned()
}

fn all(member: &str, items: &[Box<RawValue>]) -> String {
    let items: Vec<&str> = items.iter().map(|item| item.get()).collect();
    format!(r#"{{"{member}":[{}]}}"#, items.join(","))
}
