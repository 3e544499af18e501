//! What the server answers: results by method, and the messages on streams.

use serde_json::{Value, json};

use super::Revision;
use crate::{
    messages::{introduction, request, tool},
    server::text,
};

/// How many tools come on one page.
const PAGE: usize = 2;

/// The question of the tool `ask`.
fn question() -> Value {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
    json!({"message": "What is your name?", "requestedSchema": schema})
}

/// The names of its tools; `added` of them were added since it started.
fn tools(revision: Revision, added: usize) -> Vec<String> {
    let mut names: Vec<String> = ["progress", "echo"].map(str::to_owned).into();
    if revision.has_elicitation() {
        names.push("ask".to_owned());
    }
    names.extend((0..added).map(|number| format!("added_{number}")));
    names
}

/// The result of a request that needs no stream; `None` for an unknown method.
pub(super) fn result(revision: Revision, message: &Value, added: usize) -> Option<Value> {
    let params = &message["params"];
    let mut result = match message["method"].as_str()? {
        "initialize" if revision.has_sessions() => introduction("revision", revision.name(), capabilities()),
        "server/discover" if !revision.has_sessions() => {
            json!({"supportedVersions": [revision.name()], "capabilities": capabilities()})
        }
        "ping" => json!({}),
        "tools/list" => page(&tools(revision, added), params),
        "resources/list" => json!({"resources": [{"uri": "revision://doc", "name": "doc"}]}),
        "resources/templates/list" => {
            json!({"resourceTemplates": [{"uriTemplate": "revision://{name}", "name": "any"}]})
        }
        "resources/read" => json!({"contents": [{"uri": params["uri"], "text": revision.name()}]}),
        "prompts/list" => json!({"prompts": [{"name": "greet"}]}),
        "prompts/get" => {
            json!({"messages": [{"role": "user", "content": {"type": "text", "text": "Hello"}}]})
        }
        "tools/call" if !revision.has_sessions() && params["name"] == "ask" => ask_in_rounds(params),
        "tools/call" => text(params["name"].as_str()?),
        _ => return None,
    };
    if !revision.has_sessions() {
        let defaults =
            [("resultType", json!("complete")), ("ttlMs", json!(0)), ("cacheScope", json!("public"))];
        for (key, value) in defaults {
            result.as_object_mut()?.entry(key).or_insert(value);
        }
    }
    Some(result)
}

fn capabilities() -> Value {
    json!({"tools": {"listChanged": true}, "resources": {}, "prompts": {}})
}

fn page(names: &[String], params: &Value) -> Value {
    let from = params["cursor"].as_str().map_or(0, |cursor| cursor.parse().unwrap());
    let to = (from + PAGE).min(names.len());
    let described = |name: &String| tool(name, &format!("Does {name}."));
    let mut page = json!({"tools": names[from..to].iter().map(described).collect::<Vec<_>>()});
    if to < names.len() {
        page["nextCursor"] = json!(to.to_string());
    }
    page
}

/// Without a session a question is a result, and the call comes again with the answer.
fn ask_in_rounds(params: &Value) -> Value {
    let response = &params["inputResponses"]["who"];
    match params["requestState"].as_str() {
        Some("asked") if response.is_object() => greeting(response),
        _ => json!({
            "resultType": "input_required", "requestState": "asked",
            "inputRequests": {"who": {"method": "elicitation/create", "params": question()}},
        }),
    }
}

/// The result of `ask` for the result of an elicitation.
pub(super) fn greeting(elicited: &Value) -> Value {
    text(&format!(
        "{} {}",
        elicited["action"].as_str().unwrap(),
        elicited["content"]["name"].as_str().unwrap()
    ))
}

/// The request of an elicitation.
pub(super) fn elicitation(id: &str) -> Value {
    request(id, "elicitation/create", question())
}
