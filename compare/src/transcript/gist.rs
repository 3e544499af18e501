//! What matters in a message, in a few lines. It is found by the shapes that the contract promises, never by wording;
//! where none is recognized there is no gist, and the text itself is shown.

use mcp_disclosure_core::{RawObject, printable::few};
use serde_json::Value;

/// Maximum number of names in one line.
const MOST_NAMES: usize = 24;

/// Maximum depth at which definitions are looked for.
const DEEPEST: usize = 3;

/// One line for each listed tool or resource: the name, the parameters if they are listed, and the description.
pub(super) fn of_list(items: &[RawObject]) -> Vec<String> {
    items.iter().map(line_of).collect()
}

fn line_of(item: &RawObject) -> String {
    let name = item.string("name").or_else(|| item.string("uri")).unwrap_or_default();
    let schema = item.object("inputSchema").unwrap_or_default();
    let names: Vec<String> = schema
        .object("properties")
        .map(|properties| properties.iter().map(|(name, _)| name.to_owned()).collect())
        .unwrap_or_default();
    let parameters = if names.is_empty() { String::new() } else { format!("({})", names.join(", ")) };
    let description = item.string("description").unwrap_or_default();
    let description = description.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{name}{parameters}: {description}")
}

/// What an answer to a question teaches: parameters of tools, categories, or names of tools.
pub(super) fn of_answer(text: &str) -> Vec<String> {
    let Ok(content) = serde_json::from_str::<Value>(text) else { return Vec::new() };
    if let Some(categories) = content["categories"].as_object() {
        let counted = categories.iter().map(|(name, category)| match &category["count"] {
            Value::Number(count) => format!("{name} ({count})"),
            _ => name.clone(),
        });
        return vec![names("categories: ", counted)];
    }
    let mut lines = Vec::new();
    definitions(&content, 0, &mut lines);
    if lines.is_empty()
        && let Some(tools) = content["tools"].as_array()
    {
        let named = tools.iter().filter_map(|tool| tool["name"].as_str()).map(str::to_owned);
        lines.push(names("tools: ", named));
    }
    lines
}

fn names(before: &str, all: impl Iterator<Item = String>) -> String {
    format!("{before}{}", few(all, MOST_NAMES))
}

/// A line for each definition within: the answer itself, the items of an array, or the members of an object.
fn definitions(value: &Value, depth: usize, lines: &mut Vec<String>) {
    if let Some(line) = definition(value) {
        lines.push(line);
    } else if depth < DEEPEST {
        match value {
            Value::Array(items) => items.iter().for_each(|item| definitions(item, depth + 1, lines)),
            Value::Object(members) => members.values().for_each(|item| definitions(item, depth + 1, lines)),
            _ => {}
        }
    }
}

/// A definition with `inputSchema`, or with the `parameters` of an info tool.
fn definition(value: &Value) -> Option<String> {
    let name = value["name"].as_str().or_else(|| value["tool"].as_str())?;
    let schema = &value["inputSchema"];
    let required = |parameter: &str| {
        let listed = schema["required"].as_array().into_iter().flatten().any(|name| name == parameter);
        listed || value["parameters"][parameter]["required"] == true
    };
    let parameters = match (schema.is_object(), value["parameters"].as_object()) {
        (true, _) => schema["properties"].as_object(),
        (false, Some(parameters)) => Some(parameters),
        (false, None) => return None,
    };
    let shown = parameters.into_iter().flatten().map(|(parameter, _)| {
        if required(parameter) { format!("{parameter} (required)") } else { parameter.clone() }
    });
    let shown: Vec<String> = shown.collect();
    let mut line = match shown.as_slice() {
        [] => format!("{name}: no parameters"),
        shown => names(&format!("{name}: parameters "), shown.iter().cloned()),
    };
    match value["examples"].as_array().map_or(0, Vec::len) {
        0 => {}
        1 => line.push_str("; 1 example"),
        count => line.push_str(&format!("; {count} examples")),
    }
    Some(line)
}

/// What a refusal says: its message, what is wrong, and what to do.
pub(super) fn of_refusal(text: &str) -> Vec<String> {
    let Ok(content) = serde_json::from_str::<Value>(text) else { return lines_of(text) };
    let error = &content["error"];
    let said = error["message"].as_str().or_else(|| error.as_str()).or_else(|| content["message"].as_str());
    let mut lines: Vec<String> = said.map(lines_of).unwrap_or_default();
    for entry in content.as_object().into_iter().flat_map(|members| members.values()) {
        lines.extend(entry["error"].as_str().map(str::to_owned));
        lines.extend(suggested(&entry["available_tools"]));
    }
    for problem in error["problems"].as_array().into_iter().flatten() {
        let member = |name: &str| problem[name].as_str().unwrap_or("?").to_owned();
        lines.push(format!(
            "{}: given {}, expected {}",
            member("argument"),
            member("given"),
            member("expected")
        ));
    }
    let steps = error["instructions"].as_array().into_iter().flatten();
    lines.extend(steps.filter_map(Value::as_str).map(str::to_owned));
    let examples = error["examples"].as_array().into_iter().flatten().filter_map(Value::as_str);
    lines.extend(examples.map(|example| format!("for example {example}")));
    lines.extend(suggested(&content["suggestions"]));
    if lines.is_empty() { lines_of(text) } else { lines }
}

fn suggested(values: &Value) -> Option<String> {
    let name = |value: &Value| value.as_str().or_else(|| value["name"].as_str()).map(str::to_owned);
    Some(names("available: ", values.as_array()?.iter().filter_map(name)))
}

fn lines_of(text: &str) -> Vec<String> {
    text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
}

/// The code of a refusal, if it has one that says something.
pub(super) fn code(text: &str) -> Option<String> {
    let content: Value = serde_json::from_str(text).ok()?;
    content["error"]["code"].as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_form_of_definition_is_recognized() {
        let schema = json!({"type": "object", "properties": {"q": {}, "n": {}}, "required": ["q"]});
        let line = "find: parameters q (required), n";
        for answer in [
            json!({"find": {"name": "find", "inputSchema": schema}}),
            json!({"tools": [{"name": "find", "inputSchema": schema}]}),
            json!({"name": "find", "inputSchema": schema}),
            json!({"tool": "find", "parameters": {"q": {"required": true}, "n": {}}}),
        ] {
            assert_eq!(of_answer(&answer.to_string()), [line]);
        }
        let without = json!({"tool": "go", "parameters": {}, "examples": [{}]});
        assert_eq!(of_answer(&without.to_string()), ["go: no parameters; 1 example"]);
        let overview = json!({"categories": {"a": {"count": 2}, "b": {}}});
        assert_eq!(of_answer(&overview.to_string()), ["categories: a (2), b"]);
        let category = json!({"category": "a", "tools": [{"name": "x", "brief": "X"}, {"name": "y"}]});
        assert_eq!(of_answer(&category.to_string()), ["tools: x, y"]);
        assert!(of_answer("prose").is_empty() && of_answer("[1]").is_empty());
    }
}
