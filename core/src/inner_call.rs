//! A call within the arguments of another: what models write to a tool that calls tools.

use std::collections::HashMap;

use crate::{
    arguments::{ArgumentProblem, NAMES, object},
    catalogue::{view::View, visible_tool::VisibleTool},
    decision::ToolCall,
    given,
    name::ToolName,
    raw::RawObject,
    raw_text::RawText,
};

/// Maximum depth of nested objects that are searched for the call.
const MOST_LEVELS: usize = 3;

/// What was expected of all arguments, or of the inner ones.
const EXPECTED_OBJECT: &str = "a JSON object";

/// What was expected of `tool`.
const EXPECTED_TOOL: &str = "a string: the name of the tool to call";

/// What was expected of `tool` where it is the tool that calls.
const ANOTHER: &str = "the name of another tool; it cannot call itself";

/// What was expected of an argument that was given twice.
const ONE_PLACE: &str = "one value; the one in arguments and the one beside arguments differ";

/// The members of a call's arguments: of an object, or of the JSON object in a string.
///
/// # Errors
/// The problem, if they are neither.
pub fn members(call: &ToolCall) -> Result<RawObject, ArgumentProblem> {
    let given = call.arguments.as_ref().map_or("null", RawText::get);
    object(given).ok_or_else(|| ArgumentProblem::of("arguments", given, EXPECTED_OBJECT))
}

/// A string among the members of a call's arguments, as much of it as is looked at; `None` if it is not given, or `null`.
///
/// # Errors
/// The problem, if it is anything else.
pub fn text(members: &RawObject, key: &str, expected: &str) -> Result<Option<String>, ArgumentProblem> {
    let Some(given) = members.member(key).filter(|given| *given != "null") else { return Ok(None) };
    let text = given::string(given).ok_or_else(|| ArgumentProblem::of(key, given, expected))?;
    Ok(Some(given::beginning(&text).to_owned()))
}

/// The call that the arguments `{"tool", "arguments"}` of `caller` contain. Whether the tool exists is not checked.
///
/// The tool's arguments are in `arguments` or beside `tool`; if in both places, they are merged. Their JSON text is kept
/// as received, but for an object in a string, which becomes the object: not every tool's arguments are checked after this.
///
/// # Errors
/// The first problem with them.
pub fn inner_call(view: &View, caller: &str, members: &RawObject) -> Result<ToolCall, ArgumentProblem> {
    let found = named(view, members);
    let members = found.as_ref().unwrap_or(members);
    let given = members.member("tool").filter(|given| *given != "null");
    let given = given.ok_or_else(|| ArgumentProblem::of("tool", "nothing", EXPECTED_TOOL))?;
    let name = given::string(given).and_then(|name| ToolName::parse(given::beginning(&name)).ok());
    let name = name.ok_or_else(|| ArgumentProblem::of("tool", given, EXPECTED_TOOL))?;
    if *name == *caller {
        return Err(ArgumentProblem::of("tool", given, ANOTHER));
    }
    let arguments = as_object(arguments(view.tool(&name), members)?)?;
    Ok(ToolCall { name, arguments })
}

/// The members of a call that names its tool elsewhere than in `tool`, as they should have been: by another of the names that
/// models use for it, if that is a tool's or stands beside `arguments`, or within the one object that they send. `None` where it is
/// not of that form.
pub fn named(view: &View, members: &RawObject) -> Option<RawObject> {
    found(view, members, 0)
}

fn found(view: &View, members: &RawObject, level: usize) -> Option<RawObject> {
    if members.string("tool").is_some() {
        return (level > 0).then(|| members.clone());
    }
    let mut strings = NAMES.iter().filter_map(|key| Some((*key, members.string(key)?)));
    let is_call = members.member("arguments").is_some_and(|given| object(given).is_some());
    let is_tool = |(_, name): &(&str, String)| view.tool(given::beginning(name)).is_some();
    let first = strings.clone().next().filter(|_| is_call);
    if let Some((key, name)) = strings.find(is_tool).or(first) {
        return Some(members.retain(|other| other != key && other != "tool").with_value("tool", &name));
    }
    let mut given = members.iter().filter(|(_, value)| *value != "null");
    let (Some((_, only)), None) = (given.next(), given.next()) else { return None };
    found(view, &object(only).filter(|_| level < MOST_LEVELS)?, level + 1)
}

fn arguments(tool: Option<VisibleTool<'_>>, members: &RawObject) -> Result<Option<RawText>, ArgumentProblem> {
    let beside = members.retain(|key| key != "tool" && key != "arguments");
    let within = members.member("arguments").filter(|given| *given != "null");
    // A parameter `arguments` that is no object can only be one of the arguments beside `tool`.
    let is_parameter =
        || within.is_some_and(|within| object(within).is_none()) && tool.is_some_and(has_parameter_arguments);
    let (true, Some(within)) = (!beside.is_empty() || is_parameter(), within) else {
        return Ok(match within {
            Some(_) => members.share("arguments"),
            None => (!beside.is_empty()).then(|| beside.into_text()),
        });
    };
    // If the tool has a parameter `arguments`, it is one of the arguments beside `tool`.
    if tool.is_some_and(has_parameter_arguments) {
        return Ok(Some(members.retain(|key| key != "tool").into_text()));
    }
    let within = object(within).ok_or_else(|| ArgumentProblem::of("arguments", within, EXPECTED_OBJECT))?;
    // Compared by a map, since both can have as many members as a message holds. The last of equal keys is in force.
    let known: HashMap<&str, &str> = within.iter().collect();
    let differs = |(key, value): &(&str, &str)| known.get(key).is_some_and(|other| other != value);
    if let Some((key, value)) = beside.iter().find(differs) {
        return Err(ArgumentProblem::of(key, value, ONE_PLACE));
    }
    Ok(Some(within.over(&beside).into_text()))
}

/// Arguments that are an object, or a string that holds one, as the object.
fn as_object(arguments: Option<RawText>) -> Result<Option<RawText>, ArgumentProblem> {
    // An object may be as large as a message, and is not parsed for this.
    let Some(given) = arguments else { return Ok(None) };
    if given.get().trim_start().starts_with('{') {
        return Ok(Some(given));
    }
    let found = object(given.get());
    let found = found.ok_or_else(|| ArgumentProblem::of("arguments", given.get(), EXPECTED_OBJECT))?;
    Ok(Some(found.into_text()))
}

fn has_parameter_arguments(tool: VisibleTool<'_>) -> bool {
    let schema = tool.tool().definition().object("inputSchema");
    schema.and_then(|schema| schema.object("properties")).is_some_and(|all| all.member("arguments").is_some())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::fixtures::view;

    fn inner(members: &str) -> Result<String, String> {
        let members = RawObject::parse(members).unwrap();
        match inner_call(&view(&[]), "call_tool", &members) {
            Ok(call) => Ok(call.arguments.unwrap().get().to_owned()),
            Err(problem) => Err(problem.argument),
        }
    }

    #[test]
    fn i7_arguments_in_both_places_are_merged_or_refused() {
        let merged = inner(r#"{"tool": "t", "a": 1, "b": 2, "arguments": {"b": 2, "c": 3.0}}"#);
        assert_eq!(merged.unwrap(), r#"{"b":2,"c":3.0,"a":1}"#);
        let differing = r#"{"tool": "t", "a": 1, "b": 2, "arguments": {"b": 3}}"#;
        assert_eq!(inner(differing).unwrap_err(), "b");
        assert_eq!(inner(r#"{"tool": "t", "arguments": ""}"#).unwrap(), "{}");
        assert_eq!(inner(r#"{"tool": "t", "arguments": "{\"a\": 1}"}"#).unwrap(), r#"{"a": 1}"#);
        assert_eq!(inner(r#"{"tool": "t", "arguments": "[1]"}"#).unwrap_err(), "arguments");
    }

    /// The last of equal keys is what JSON readers use.
    #[test]
    fn i7_the_last_of_equal_keys_is_compared() {
        let same = r#"{"tool": "t", "a": 2, "arguments": {"a": 1, "a": 2}}"#;
        assert_eq!(inner(same).unwrap(), r#"{"a":1,"a":2}"#);
        assert_eq!(inner(r#"{"tool": "t", "a": 1, "arguments": {"a": 1, "a": 2}}"#).unwrap_err(), "a");
    }

    #[test]
    fn hostile_numbers_of_members_in_both_places_are_merged_at_once() {
        let members = |from: usize| {
            (from..from + 99_000).map(|at| format!(r#""{at}":1"#)).collect::<Vec<_>>().join(",")
        };
        // Half of the keys are in both places.
        let call = format!(r#"{{"tool":"t",{},"arguments":{{{}}}}}"#, members(0), members(49_500));
        let start = Instant::now();
        let merged = inner(&call).unwrap();
        // A comparison of each with each, or a copy for each, takes minutes.
        assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
        assert_eq!(merged.matches(':').count(), 148_500);
    }
}
