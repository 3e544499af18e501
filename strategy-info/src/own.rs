//! What servers say by an `info` tool of their own, in place of what is made of their definitions (docs/CONTRACT.md I9).

use mcp_disclosure_core::{ListedCategory, RawObject, View, VisibleTool};
use serde_json::{Map, Value};

/// Members of an overview that the operator may declare instead.
const DECLARED: [&str; 3] = ["name", "version", "description"];

/// The overview: of the only server as it gives it itself, but with what is listed of it.
pub(crate) fn overview(view: &View, mut ours: Value) -> Value {
    for category in view.categories().filter(|category| said_of(view, *category).is_some()) {
        if let Some(listed) = ours["categories"][category.name()].as_object_mut() {
            listed.shift_remove("tools");
        }
    }
    let mut servers = view.providers();
    let (Some(only), None) = (servers.next(), servers.next()) else { return ours };
    let Some(own) = view.own_info(&only.name) else { return ours };
    let about = view.about();
    let mut answer = object(&own.overview);
    for (member, text) in DECLARED.into_iter().zip([&about.name, &about.version, &about.description]) {
        let is_declared = !text.is_empty() && own.server_info.string(member).as_ref() != Some(text);
        match (is_declared, ours.get(member)) {
            (true, Some(declared)) => drop(answer.insert(member.to_owned(), declared.clone())),
            (true, None) => {}
            (false, _) => drop(ours.as_object_mut().and_then(|ours| ours.shift_remove(member))),
        }
    }
    let Value::Object(ours) = ours else { return answer.into() };
    answer.extend(ours);
    answer.into()
}

/// A category as its server describes it, with the tools that are listed starting at index `from`.
pub(crate) fn category(view: &View, category: ListedCategory<'_>, from: usize, ours: Value) -> Value {
    let Some(own) = said_of(view, category) else { return ours };
    let Value::Object(mut ours) = ours else { return ours };
    let mut answer = object(own);
    let tools = answer.get("tools").and_then(Value::as_array).cloned().unwrap_or_default();
    let lines = ours.get_mut("tools").and_then(Value::as_array_mut).into_iter().flatten();
    for (line, tool) in lines.zip(category.tools().skip(from)) {
        let name = tool.tool().upstream_name().as_str();
        let said = tools.iter().find(|said| said["name"] == name);
        if let Some(brief) = said.and_then(|said| said["brief"].as_str()) {
            line["brief"] = brief.into();
        }
    }
    ours.shift_remove("description");
    answer.extend(ours);
    answer.into()
}

/// A tool as its server explains it, where that is more: it has all parameters, and is longer.
pub(crate) fn tool(view: &View, visible: VisibleTool<'_>, ours: Map<String, Value>) -> Map<String, Value> {
    let (upstream, name) = (visible.tool().upstream(), visible.tool().upstream_name().as_str());
    let Some(own) = view.own_info(upstream).and_then(|own| own.tools.get(name)) else {
        return ours;
    };
    let mut answer = object(own);
    let names = |explained: &Map<String, Value>| -> Vec<String> {
        let parameters = explained.get("parameters").and_then(Value::as_object);
        parameters.into_iter().flat_map(Map::keys).cloned().collect()
    };
    let explained = names(&answer);
    let has_all = names(&ours).iter().all(|name| explained.contains(name));
    if !has_all || own.text().len() < Value::from(ours.clone()).to_string().len() {
        return ours;
    }
    answer.insert("tool".to_owned(), visible.name().as_str().into());
    if let Some(Value::Array(related)) = answer.get_mut("related") {
        let listed = |name: &Value| {
            let is_it = |tool: &VisibleTool<'_>| {
                tool.tool().upstream() == upstream && *name == *tool.tool().upstream_name().as_str()
            };
            view.tools().find(is_it).map(|tool| Value::from(tool.name().as_str()))
        };
        *related = related.iter().filter_map(listed).collect();
    }
    answer
}

/// What a category's server says of it; `None` if it is not one that the server names by its `info`.
fn said_of<'v>(view: &'v View, category: ListedCategory<'v>) -> Option<&'v RawObject> {
    let first = category.tools().next().filter(|_| !category.is_declared())?;
    view.own_info(first.tool().upstream())?.categories.get(category.own_name())
}

fn object(text: &RawObject) -> Map<String, Value> {
    serde_json::from_str(text.text()).unwrap_or_default()
}
